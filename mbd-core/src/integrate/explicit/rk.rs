//! `explicit-rk`: Dormand and Prince's Runge–Kutta pair of orders 5 and 4 (Hairer, Nørsett, Wanner:
//! Solving Ordinary Differential Equations I, table II.5.2), with their step control and dense
//! output.
//!
//! The seventh stage is the new point, so a step costs six evaluations. The error is estimated by the
//! difference of the two formulas, of order 5 in h; the step follows it with a memory of the one
//! before ([`Estimate::with_memory`]).
//!
//! Between the points states follow the pair's own continuous formula, of error O(h⁵).

use super::formula::Formula;
use super::motion::{Motion, Rates};
use crate::assembly::{Point, Residual, System, Want};
use crate::checkpoint::State;
use crate::integrate::balance::exchange;
use crate::integrate::controller::Estimate;
use crate::integrate::dense;
use crate::integrate::scheme::{
    Accuracy, Attempt, Block, Failure, StepEnds, StepEnergy, StepSpan, Stepper,
};
use crate::scales::Scales;
use crate::solution::Stats;

/// Nodes of the stages after the first.
const C: [f64; 6] = [0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];
/// Their weights; the last row is the formula of order 5.
const A: [[f64; 6]; 6] = [
    [0.2, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];
/// Order 5 less order 4.
const E: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];
/// The continuous formula's quartic part.
const D: [f64; 7] = [
    -12715105075.0 / 11282082432.0,
    0.0,
    87487479700.0 / 32700410799.0,
    -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0,
    -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0,
];
/// Power of h in the estimate.
const ORDER: u32 = 5;

/// The method for one system.
pub(super) struct DormandPrince {
    motion: Motion,
    stages: [Rates; 7],
    h: f64,
    /// Whether the last attempt failed.
    failed: bool,
    theta: f64,
    /// Θ of the last accepted step.
    previous: Option<f64>,
    /// The quartic part of the states over the last accepted step.
    quartic: Vec<f64>,
    /// Work and dissipated energy of the last attempt by the formula's own nodes.
    exchanged: [f64; 2],
    /// The same by what the embedded formula differs by, without the end.
    missed: [f64; 2],
    pieces: Residual,
}

impl DormandPrince {
    pub(super) fn new(motion: Motion, system: &System) -> Self {
        DormandPrince {
            motion,
            stages: std::array::from_fn(|_| Rates::new(system)),
            h: 0.0,
            failed: false,
            theta: 0.0,
            previous: None,
            quartic: vec![0.0; system.dims().nx],
            exchanged: [0.0; 2],
            missed: [0.0; 2],
            pieces: Residual::new(&system.dims()),
        }
    }
}

impl Stepper for DormandPrince {
    /// The dependent coordinates and accelerations are solved for at each.
    fn stages(&self) -> f64 {
        1.5
    }

    fn order(&self) -> usize {
        5
    }

    fn name(&self) -> &'static str {
        Formula::DormandPrince.name()
    }

    fn divergence(&self) -> &'static str {
        self.motion.divergence()
    }

    fn blocks(&self) -> Vec<Block> {
        self.motion.blocks()
    }

    fn start(&mut self, system: &System, at: &Point) {
        self.motion.accept(system, at);
        self.previous = None;
        self.quartic.fill(0.0);
    }

    fn measure(&mut self, scales: &Scales) {
        self.motion.measure(scales);
    }

    fn attempt(
        &mut self,
        system: &System,
        from: &Point,
        span: StepSpan,
        accuracy: Accuracy,
        to: &mut Point,
        stats: &mut Stats,
    ) -> Result<Attempt, Failure> {
        let StepSpan { t, t_next, h } = span;
        self.h = h;
        if std::mem::take(&mut self.failed) {
            self.motion.choose_again(system, from);
        }
        to.copy_from(from);
        self.stages[0].take(from);
        let formula = A[5];
        (self.exchanged, self.missed) = ([0.0; 2], [0.0; 2]);
        system.eval_at(from, Want::BALANCE, &mut self.pieces);
        exchange(&mut self.exchanged, h * formula[0], &self.pieces);
        exchange(&mut self.missed, h * E[0], &self.pieces);
        for stage in 1..7 {
            let (earlier, later) = self.stages.split_at_mut(stage);
            let row = &A[stage - 1];
            let slopes: [(f64, &Rates); 6] = std::array::from_fn(|i| {
                if i < stage { (h * row[i], &earlier[i]) } else { (0.0, &earlier[0]) }
            });
            let at = if stage >= 5 { t_next } else { t + C[stage - 1] * h };
            self.motion.advance(system, from, at, &slopes[..stage], to, stats)?;
            later[0].take(to);
            if let Some(weight) = formula.get(stage).filter(|weight| **weight != 0.0) {
                system.eval_at(to, Want::BALANCE, &mut self.pieces);
                exchange(&mut self.exchanged, h * weight, &self.pieces);
                exchange(&mut self.missed, h * E[stage], &self.pieces);
            }
        }
        let estimate = match accuracy {
            Accuracy::Tolerance(eps) => {
                let slopes: [(f64, &Rates); 7] =
                    std::array::from_fn(|i| (h * E[i], &self.stages[i]));
                let estimate = self.motion.estimate(&slopes, ORDER, eps);
                self.theta = estimate.theta;
                estimate.with_memory(self.previous, ORDER)
            }
            Accuracy::RoundOff => Estimate::NONE,
        };
        Ok(Attempt { estimate, iterations: 0 })
    }

    fn keeps_branch(&self, from: &Point, to: &Point) -> Result<(), Failure> {
        self.motion.keeps_branch(from, to)
    }

    fn energy(&mut self, _: &System, ends: &StepEnds<'_>) -> StepEnergy {
        exchange(&mut self.missed, self.h * E[6], ends.pieces);
        let doubt = self.missed.iter().map(|missed| missed.abs()).sum();
        StepEnergy { exchanged: Some(self.exchanged), doubt, ..StepEnergy::default() }
    }

    fn accept(&mut self, system: &System, _: &Point, to: &Point, _: &Residual) {
        self.motion.accept(system, to);
        self.previous = Some(self.theta);
        for (i, quartic) in self.quartic.iter_mut().enumerate() {
            let stages = self.stages.iter().zip(D);
            *quartic = self.h * stages.map(|(stage, d)| d * stage.xd[i]).sum::<f64>();
        }
    }

    fn solves_motion(&self) -> bool {
        true
    }

    fn is_explicit(&self) -> bool {
        true
    }

    fn state(&mut self, state: &mut State<'_>) {
        let Self {
            motion,
            stages: _,
            h: _,
            failed,
            theta,
            previous,
            quartic,
            exchanged: _,
            missed: _,
            pieces: _,
        } = self;
        motion.state(state);
        state.part("step control");
        state.flag(failed);
        state.number(theta);
        state.maybe(previous);
        state.numbers(quartic);
    }

    fn distrust(&mut self) {
        self.failed = true;
    }

    fn is_of_order_5(&self) -> bool {
        true
    }

    fn interpolate(&self, from: &Point, to: &Point, t: f64, out: &mut Point) {
        dense::interpolate(from, to, t, out);
        dense::add_quartics(from, to, t, &self.quartic, out);
    }
}
