//! (1.4), the equations without multipliers:
//!
//! ```text
//! 0 = P (q̇ − v),   0 = P (M v̇ − f),   and d, w, g, G v + g_t as in (1.3)
//! ```
//!
//! P is not formed ([`coordinate_split`](crate::integrate::coordinate_split) says how): the
//! residual is that of (1.3) with s = −(GY)⁻ᵀYᵀr in the place of μ and λ, and so is the matrix
//! (2.14), whose corrections along Gᵀ are thrown away.
//!
//! The acceleration reported is v̇, of the order of the formula and as smooth as v. λ solves, with an
//! acceleration of its own, the equations of motion and the constraints differentiated twice at the
//! end of the step: of the same order and, on a driven pendulum, as accurate as s at orders 1 and 2
//! and 5 to 8 times more accurate at orders 4 and 5.

use super::form::{Bdf, BdfForm};
use super::stabilized::{Places, StabilizedScheme};
use crate::assembly::{Plan, Point, Residual, SlotKind, System};
use crate::checkpoint::State;
use crate::error::OptionError;
use crate::integrate::controller::Estimate;
use crate::integrate::independent::partition::{Choice, Partition};
use crate::integrate::kkt::Kkt;
use crate::integrate::predictor::Instant;
use crate::integrate::scheme::{Accuracy, Block, Failure, Scheme, StepEnds, StepEnergy, StepSpan};
use crate::nonlinear::Stop;
use crate::scales::Scales;

/// (1.4) for one system.
pub(in crate::integrate) struct SplitScheme {
    form: BdfForm,
    base: StabilizedScheme,
    at: Places,
    partition: Partition,
    zero: Vec<f64>,
    /// s of both levels.
    s: [Vec<f64>; 2],
    r: Vec<f64>,
    kkt: Kkt,
}

impl SplitScheme {
    pub(in crate::integrate) fn new(
        options: &Bdf,
        system: &System,
        start: &Point,
    ) -> Result<Self, OptionError> {
        let choice = Choice::by_names(system, &options.independent)?;
        let mut base = StabilizedScheme::new(options, system, start)?;
        let (at, m) = (base.places(), system.dims().m);
        let partition = Partition::new(system, start, choice)?;
        base.test(partition.independent());
        Ok(SplitScheme {
            form: options.form,
            at,
            partition,
            zero: vec![0.0; m],
            s: [vec![0.0; m], vec![0.0; m]],
            r: vec![0.0; at.size],
            kkt: Kkt::new(system),
            base,
        })
    }

    /// Chooses the independent coordinates anew. A singular choice shows when it is used.
    fn choose(&mut self, system: &System, at: &Point) {
        let _ = self.partition.renew(system, at);
        self.base.test(self.partition.independent());
    }

    /// P r in the places of r: the rows of the motion become r + Gᵀs, with P as it was evaluated
    /// last.
    fn project(&mut self, system: &System, to: &Point, u: &[f64], r: &mut [f64]) {
        self.base.residual_with(system, to, u, [&self.zero; 2], r);
        self.partition.annihilate_both(r, &mut self.s);
    }
}

impl Scheme for SplitScheme {
    fn order(&self) -> usize {
        5
    }

    fn name(&self) -> &'static str {
        self.form.name()
    }

    fn blocks(&self) -> Vec<Block> {
        let at = &self.at;
        let mut blocks = self.base.blocks();
        for (block, range) in blocks[4..].iter_mut().zip([at.mu..at.lambda, at.lambda..at.psi]) {
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
        self.choose(system, at);
    }

    fn start_after_event(&mut self, system: &System, at: &Point) {
        self.base.start_after_event(system, at);
        self.choose(system, at);
    }

    fn measure(&mut self, scales: &Scales) {
        self.base.measure(scales);
    }

    fn begin(&mut self, from: &Point, span: StepSpan, accuracy: Accuracy) {
        self.base.begin(from, span, accuracy);
    }

    fn coefficient(&self) -> f64 {
        self.base.coefficient()
    }

    fn predict(&mut self, system: &System, from: &Point, u: &mut [f64]) -> bool {
        self.base.predict(system, from, u)
    }

    fn stop(&self, accuracy: Accuracy) -> Stop {
        self.base.stop(accuracy)
    }

    fn update(&self, from: &Point, u: &[f64], to: &mut Point) {
        self.base.update(from, u, to);
        to.lambda_mut().copy_from_slice(from.lambda());
    }

    fn residual(&mut self, system: &System, to: &Point, u: &[f64], r: &mut [f64]) {
        if self.form != BdfForm::Stale && self.partition.evaluate(system, to).is_err() {
            return r.fill(f64::NAN);
        }
        self.project(system, to, u, r);
    }

    fn matrix(&mut self, system: &System, to: &Point, u: &[f64], values: &mut [f64]) {
        // A singular GY shows in the residual.
        let _ = self.partition.evaluate(system, to);
        match self.form {
            BdfForm::CoordinateSplit => {
                let mut r = std::mem::take(&mut self.r);
                self.project(system, to, u, &mut r);
                self.r = r;
                let [mu, lambda] = &self.s;
                self.base.matrix_with(system, to, Some([mu, lambda]), values);
            }
            _ => self.base.matrix_with(system, to, None, values),
        }
    }

    fn norms(&self, du: &[f64]) -> [f64; 2] {
        self.base.norms(du)
    }

    fn norm_of_motion(&self, du: &[f64]) -> Option<f64> {
        self.base.norm_of_motion(du)
    }

    fn constraints(&mut self, system: &System, to: &Point, u: &[f64], r: &mut [f64]) -> bool {
        self.base.constraints(system, to, u, r)
    }

    fn rounding(&self, to: &Point, du: &[f64]) -> f64 {
        self.base.rounding(to, du)
    }

    fn complete(&mut self, system: &System, to: &mut Point, u: &[f64]) -> Result<(), Failure> {
        if let Some(index) = self.partition.nearly_singular() {
            return Err(Failure::Singular { index });
        }
        self.base.solved(u);
        let (n, lambda) = (self.at.v, self.at.lambda);
        // Rows and columns of accelerations and multipliers, by the unknowns they belong to.
        let place = |i: usize| if i < n { n + i } else { lambda + i - n };
        self.kkt.solve(system, to).map_err(|failure| failure.placed(place))?;
        self.base.set_acceleration(u, to);
        Ok(())
    }

    fn estimate(&self, from: &Point, to: &Point, u: &[f64], eps: f64) -> Estimate {
        self.base.estimate(from, to, u, eps)
    }

    fn energy(&mut self, system: &System, ends: &StepEnds<'_>, u: &[f64]) -> StepEnergy {
        self.base.energy(system, ends, u)
    }

    fn state(&mut self, state: &mut State<'_>) {
        let SplitScheme { form: _, base, at: _, partition, zero: _, s: _, r: _, kkt: _ } = self;
        base.state(state);
        partition.state(state);
    }

    fn accept(&mut self, system: &System, from: &Point, to: &Point, u: &[f64], pieces: &Residual) {
        self.base.accept(system, from, to, u, pieces);
        if self.form != BdfForm::Stale {
            let _ = self.partition.renew(system, to);
            self.base.test(self.partition.independent());
        }
    }
}
