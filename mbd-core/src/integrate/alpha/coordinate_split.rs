//! `dae-alpha-cs`, `dae-alpha-cm`, `dae-alpha-cm-frozen`: the DAE α-method with the multipliers
//! annihilated by a coordinate-splitting matrix (paper 000, eq. 3.6).
//!
//! With r_q and r_v the rows of [`dae_alpha`](super::dae_alpha) without multipliers and P of
//! [`partition`](crate::integrate::partition),
//!
//! ```text
//! 0 = P r_q,   0 = P r_v,   0 = d',   0 = w' − φ'_w,   0 = g',   0 = G'v' + g_t'
//! ```
//!
//! has the solution of (3.3), without multipliers among the unknowns.
//!
//! P is not formed. P r stands in the independent rows of r + Gᵀs, s = −(GY)⁻ᵀYᵀr, whose dependent
//! rows vanish; and Newton's equation P(J + (Gᵀs)_q)Δ = −P r is equivalent to one with multipliers
//! σ that are thrown away, since s is computed from r anew. The convergence test takes them all the same,
//! beyond the paper: near a singular position, as of bars in line, nothing else tells whether the coordinates
//! have converged (off by a tenth to 2.8 rad where (3.3) was off by 0.015; 1 % more iterations elsewhere):
//!
//! ```text
//! [J + (Gᵀs)_q   Gᵀ] [Δ]     [r + Gᵀs]
//! [G             0 ] [σ] = − [g      ]
//! ```
//!
//! | method | P in the equations | iteration matrix |
//! |---|---|---|
//! | CS | of the iterate | with (Gᵀs)_q |
//! | CM | of the iterate | without: same solution, linear convergence |
//! | CM, frozen | of q + h v + h²/2 φ, fixed in a step | without, and exact: the equations are others |
//!
//! # Measured
//! CS and CM agree with (3.3) to rounding. The frozen form has order 2 like the others; on the
//! bushing of paper 000 it loses more energy per step and needs smaller steps. (P frozen at q would
//! give order 1.)

use super::dae_alpha::{DaeScheme, Places};
use super::dae_form::{DaeAlpha, Form};
use crate::assembly::{Plan, Point, Residual, SlotKind, System};
use crate::checkpoint::State;
use crate::error::OptionError;
use crate::integrate::controller::Estimate;
use crate::integrate::independent::partition::{Choice, Partition};
use crate::integrate::predictor::Instant;
use crate::integrate::scheme::{Accuracy, Block, Failure, Scheme, StepEnds, StepEnergy, StepSpan};
use crate::scales::Scales;

/// Eq. 3.6 for one system.
pub struct SplitScheme {
    form: Form,
    pub(in crate::integrate) base: DaeScheme,
    at: Places,
    partition: Partition,
    /// s of both levels.
    s: [Vec<f64>; 2],
    zero: Vec<f64>,
    /// Residual of a matrix's own point.
    r: Vec<f64>,
    /// q + h v + h²/2 φ, whose P the frozen form takes.
    frozen: Point,
    /// Whether GY there has been factorized in this step.
    ready: bool,
}

impl SplitScheme {
    pub(in crate::integrate) fn new(
        options: &DaeAlpha,
        system: &System,
        start: &Point,
    ) -> Result<Self, OptionError> {
        let choice = Choice::by_names(system, &options.independent)?;
        let base = DaeScheme::new(options, system);
        let (at, m) = (base.places(), system.dims().m);
        Ok(SplitScheme {
            form: options.form,
            partition: Partition::new(system, start, choice)?,
            s: [vec![0.0; m], vec![0.0; m]],
            zero: vec![0.0; m],
            r: vec![0.0; at.size],
            frozen: start.clone(),
            ready: false,
            base,
            at,
        })
    }

    /// Evaluates GY where P is taken; false when it is singular there.
    fn split(&mut self, system: &System, to: &Point) -> bool {
        if self.form != Form::Frozen {
            self.partition.evaluate(system, to).is_ok()
        } else {
            self.ready = self.ready || self.partition.evaluate(system, &self.frozen).is_ok();
            self.ready
        }
    }

    /// P r in the places of r: the rows of the motion become r + Gᵀs.
    fn project(&mut self, system: &System, to: &Point, r: &mut [f64]) {
        self.base.residual_with(system, to, [&self.zero; 2], r);
        if !self.split(system, to) {
            return r.fill(f64::NAN);
        }
        self.partition.annihilate_both(r, &mut self.s);
    }
}

impl Scheme for SplitScheme {
    fn name(&self) -> &'static str {
        self.form.name()
    }

    fn blocks(&self) -> Vec<Block> {
        let at = &self.at;
        let mut blocks = self.base.blocks();
        for (block, range) in blocks[4..].iter_mut().zip([at.nu..at.mu, at.mu..at.size]) {
            *block = Block::local("the discarded correction along", SlotKind::Lambda, range);
        }
        blocks
    }

    fn instants(&self) -> Vec<Instant> {
        self.base.instants()
    }

    fn plan(&self) -> &Plan {
        self.base.plan()
    }

    fn start(&mut self, system: &System, at: &Point) {
        self.base.start(system, at);
        // A singular choice shows when it is used.
        let _ = self.partition.renew(system, at);
    }

    fn measure(&mut self, scales: &Scales) {
        self.base.measure(scales);
    }

    fn begin(&mut self, from: &Point, span: StepSpan, accuracy: Accuracy) {
        self.base.begin(from, span, accuracy);
        self.ready = false;
        self.frozen.copy_from(from);
        self.frozen.set_t(span.t_next);
        for (i, q) in self.frozen.q_mut().iter_mut().enumerate() {
            *q += span.h * (from.v()[i] + 0.5 * span.h * from.a()[i]);
        }
    }

    fn coefficient(&self) -> f64 {
        self.base.coefficient()
    }

    fn update(&self, from: &Point, u: &[f64], to: &mut Point) {
        self.base.update(from, u, to);
    }

    fn residual(&mut self, system: &System, to: &Point, _: &[f64], r: &mut [f64]) {
        self.project(system, to, r);
    }

    fn matrix(&mut self, system: &System, to: &Point, _: &[f64], values: &mut [f64]) {
        match self.form {
            Form::CoordinateSplit => {
                let mut r = std::mem::take(&mut self.r);
                self.project(system, to, &mut r);
                self.r = r;
                let [nu, mu] = &self.s;
                self.base.matrix_with(system, to, Some([nu, mu]), None, values);
            }
            Form::Frozen => {
                self.base.matrix_with(system, to, None, Some(&self.frozen), values);
            }
            _ => self.base.matrix_with(system, to, None, None, values),
        }
    }

    fn norms(&self, du: &[f64]) -> [f64; 2] {
        self.base.norms_of(du, true)
    }

    fn constraints(&mut self, system: &System, to: &Point, _: &[f64], r: &mut [f64]) -> bool {
        self.base.constraint_rows(system, to, r);
        true
    }

    fn rounding(&self, to: &Point, du: &[f64]) -> f64 {
        self.base.rounding(to, du)
    }

    fn complete(&mut self, system: &System, to: &mut Point, _: &[f64]) -> Result<(), Failure> {
        self.base.complete(system, to, &[])
    }

    fn estimate(&self, from: &Point, to: &Point, u: &[f64], eps: f64) -> Estimate {
        self.base.estimate(from, to, u, eps)
    }

    fn energy(&mut self, system: &System, ends: &StepEnds<'_>, u: &[f64]) -> StepEnergy {
        self.base.energy(system, ends, u)
    }

    fn accept(&mut self, system: &System, from: &Point, to: &Point, u: &[f64], pieces: &Residual) {
        self.base.accept(system, from, to, u, pieces);
        let _ = self.partition.renew(system, to);
    }

    fn solves_motion(&self) -> bool {
        true
    }

    fn state(&mut self, state: &mut State<'_>) {
        let SplitScheme {
            form: _,
            base,
            at: _,
            partition,
            s: _,
            zero: _,
            r: _,
            frozen: _,
            ready: _,
        } = self;
        base.state(state);
        partition.state(state);
    }

    fn algorithmic(&self) -> Option<&[f64]> {
        self.base.algorithmic()
    }
}
