//! The method for one system: prediction, Newton's iteration, what is kept of past steps.

use super::equations::{Core, Places};
use super::options::{Jacobian, Prediction, StateSpace};
use crate::assembly::{Dims, Point, Residual, SlotKind, System};
use crate::checkpoint::State;
use crate::error::OptionError;
use crate::integrate::controller::Estimate;
use crate::integrate::implicit::{count, failure};
use crate::integrate::limits::Limit;
use crate::integrate::options::{Common, NO_DAMPING, Options, Setting};
use crate::integrate::predictor::{Instant, Predictor};
use crate::integrate::scheme::{Accuracy, Attempt, Block, Failure, Probe, StepSpan, Stepper};
use crate::linear::Pattern;
use crate::nonlinear::{Converged, Equations, MatrixPolicy, Newton, NewtonOptions, Stop};
use crate::scales::Scales;
use crate::solution::Stats;
use crate::start::Accelerations;

/// The equations of one step, as Newton sees them.
struct StepEquations<'a> {
    core: &'a mut Core,
    system: &'a System,
    to: &'a mut Point,
}

impl Equations for StepEquations<'_> {
    fn residual(&mut self, u: &[f64], r: &mut [f64]) {
        if self.core.complete(self.system, u, self.to) {
            self.core.residual(self.system, self.to, r);
        } else {
            r.fill(f64::NAN);
        }
    }

    fn matrix(&mut self, u: &[f64], values: &mut [f64]) {
        if self.core.complete(self.system, u, self.to) {
            self.core.matrix(self.system, self.to, values);
        } else {
            values.fill(f64::NAN);
        }
    }

    fn norms(&self, du: &[f64]) -> [f64; 2] {
        self.core.norms(du)
    }

    fn may_shorten(&self) -> bool {
        self.to.sides().contains(&0.0)
    }
}

impl Options for StateSpace {
    fn name(&self) -> &'static str {
        match self.jacobian {
            Jacobian::Exact => "state-space",
            _ => "state-space-fv",
        }
    }

    fn set(&mut self, setting: Setting) -> Result<(), OptionError> {
        match setting {
            Setting::Independent(names) => self.independent = names,
            other => return other.refuse(self.name(), NO_DAMPING),
        }
        Ok(())
    }

    fn limits(&self) -> (&'static [Limit], &'static str) {
        use Limit::{ForcesOfMultipliers, Nonholonomic, StatedReactions};
        (&[Nonholonomic, StatedReactions, ForcesOfMultipliers], "gen-alpha-soi2")
    }

    fn stepper(
        &self,
        system: &System,
        at: &Point,
        common: &Common,
    ) -> Result<Box<dyn Stepper>, OptionError> {
        let core = Core::new(self, system, at)?;
        let Dims { n, nx, nw, .. } = system.dims_in_use();
        let full = n + nx + nw;
        let mut predictor = Predictor::new(full, vec![Instant::shifted(0..full, 0.0)]);
        if let Some(degree) = common.degree {
            predictor.limit_degree(degree);
        }
        let options =
            NewtonOptions { policy: common.matrix.unwrap_or_default(), ..Default::default() };
        Ok(Box::new(StateSpaceStepper {
            newton: Newton::new(&Pattern::dense(core.at.size), options),
            predictor,
            motion: Accelerations::new(system, MatrixPolicy::EveryStep),
            full: vec![0.0; full],
            u: vec![0.0; core.at.size],
            span: StepSpan { t: 0.0, t_next: 0.0, h: 0.0 },
            trusted: true,
            prediction: self.prediction,
            name: self.name(),
            core,
        }))
    }
}

/// The method for one system.
pub(super) struct StateSpaceStepper {
    name: &'static str,
    core: Core,
    newton: Newton,
    predictor: Predictor,
    prediction: Prediction,
    /// Eq. 39, for [`Prediction::Motion`].
    motion: Accelerations,
    /// a, ẋ and w of all coordinates, states and variables.
    full: Vec<f64>,
    u: Vec<f64>,
    span: StepSpan,
    /// False when the last attempt failed: the next begins with the last accepted values and a
    /// partition of its own.
    trusted: bool,
}

impl StateSpaceStepper {
    fn gather(&mut self, at: &Point) {
        let (n, nx) = (at.a().len(), at.xd().len());
        self.full[..n].copy_from_slice(at.a());
        self.full[n..n + nx].copy_from_slice(at.xd());
        let variables = &mut self.full[n + nx..];
        let count = variables.len();
        variables.copy_from_slice(&at.w()[..count]);
    }

    /// The unknowns among `full`.
    fn select(&mut self) {
        let n = self.core.blocks.v;
        let free = self.core.at.xd;
        for (u, &j) in self.u.iter_mut().zip(self.core.manifold.independent()) {
            *u = self.full[j];
        }
        self.u[free..].copy_from_slice(&self.full[n..]);
    }

    /// Accelerations, rates and variables to start from.
    fn predict(&mut self, system: &System, from: &Point, to: &mut Point) {
        let StepSpan { t_next, h, .. } = self.span;
        match self.prediction {
            Prediction::Polynomial => self.predictor.predict(t_next, h, &mut self.full),
            Prediction::Motion => {
                self.gather(from);
                if self.trusted {
                    to.set_t(t_next);
                    for i in 0..from.q().len() {
                        let (v, a) = (from.v()[i], from.a()[i]);
                        to.q_mut()[i] = from.q()[i] + h * (v + 0.5 * h * a);
                        to.v_mut()[i] = v + h * a;
                    }
                    for (x, xd) in to.x_mut().iter_mut().zip(from.xd()) {
                        *x += h * xd;
                    }
                    let placed = self.core.manifold.place(system, to);
                    if placed.is_ok() && self.motion.solve(system, to).is_ok() {
                        self.gather(to);
                    }
                }
            }
        }
        self.trusted = true;
    }

    /// Prepares a step: the unknowns as predicted, and the point with guesses of what depends on
    /// them.
    fn begin(
        &mut self,
        system: &System,
        from: &Point,
        span: StepSpan,
        accuracy: Accuracy,
        to: &mut Point,
    ) {
        self.span = span;
        self.core.history.begin(from, span, accuracy);
        self.core.is_complete = false;
        self.core.failure = None;
        if !self.trusted {
            self.core.manifold.choose_again(system, from);
        }
        to.copy_from(from);
        self.predict(system, from, to);
        let history = &self.core.history;
        let (by_q, by_v) = (history.q_factor(), history.v_factor());
        for i in 0..from.q().len() {
            let a = self.full[i];
            to.q_mut()[i] = history.q_hat[i] + by_q * a;
            to.v_mut()[i] = history.v_hat[i] + by_v * a;
            to.a_mut()[i] = a;
        }
        self.select();
    }

    /// A coordinate that could not be solved for, by its place in the blocks.
    fn placed(&self, failure: Failure) -> Failure {
        let size = self.core.at.size;
        failure.placed(|i| size + i)
    }
}

impl Stepper for StateSpaceStepper {
    /// The dependent coordinates and accelerations are solved for at each.
    fn stages(&self) -> f64 {
        2.0
    }

    fn name(&self) -> &'static str {
        self.name
    }

    /// The unknowns, and after them all coordinates, for failures of eq. 11.
    fn blocks(&self) -> Vec<Block> {
        let Places { xd, w, size } = self.core.at;
        let independent = self.core.manifold.independent().iter().enumerate();
        let mut blocks: Vec<Block> =
            independent.map(|(k, &j)| Block::one(SlotKind::A, j, k)).collect();
        blocks.push(Block::of(SlotKind::Xd, xd..w));
        blocks.push(Block::of(SlotKind::W, w..size));
        blocks.push(Block::of(SlotKind::Q, size..size + self.core.blocks.v));
        blocks
    }

    fn start(&mut self, system: &System, at: &Point) {
        self.core.manifold.renew(system, at);
        self.core.history.start(at);
        self.predictor.reset();
        self.newton.invalidate();
        self.trusted = true;
        self.gather(at);
        self.select();
        self.predictor.push(at.t(), 0.0, &self.full);
    }

    fn measure(&mut self, scales: &Scales) {
        self.core.history.measure(scales);
        self.core.manifold.measure(scales);
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
        self.begin(system, from, span, accuracy, to);
        let before = self.newton.stats();
        let mut equations = StepEquations { core: &mut self.core, system, to };
        let coefficient = span.h * span.h;
        let solved =
            self.newton.solve(&mut equations, &mut self.u, coefficient, Stop::at(accuracy));
        count(stats, before, self.newton.stats());
        let Converged { iterations, .. } = solved.map_err(|newton| {
            let inner = self.core.failure.take();
            inner.map_or_else(|| failure(newton), |inner| self.placed(inner))
        })?;
        if !self.core.complete(system, &self.u, to) {
            let inner = self.core.failure.take();
            return Err(self.placed(inner.unwrap_or(Failure::Singular { index: 0 })));
        }
        self.gather(to);
        self.core.history.finish(to);
        let estimate = match accuracy {
            Accuracy::Tolerance(eps) => self.core.estimate(to, eps),
            Accuracy::RoundOff => Estimate::NONE,
        };
        Ok(Attempt { estimate, iterations })
    }

    fn keeps_branch(&self, from: &Point, to: &Point) -> Result<(), Failure> {
        self.core.manifold.keeps_branch(from, to).map_err(|leap| self.placed(leap))
    }

    fn accept(&mut self, system: &System, _: &Point, to: &Point, _: &Residual) {
        let (n, nx) = (self.core.blocks.v, to.xd().len());
        let history = &self.core.history;
        let (by_q, by_v) = (history.q_factor(), history.v_factor());
        let mut moved = self.core.moved.take();
        self.predictor.judge(&self.full, |e| {
            let [q, v] = &mut moved;
            for (i, e) in e[..n].iter().enumerate() {
                (q[i], v[i]) = (by_q * e, by_v * e);
            }
            let [motion, states] = history.norms([q, v, &e[n..n + nx]], None);
            motion.max(states)
        });
        self.core.moved.set(moved);
        self.predictor.push(self.span.t_next, self.span.h, &self.full);
        self.core.history.advance(to);
        if self.core.manifold.renew(system, to) {
            self.newton.invalidate();
            self.select();
        }
    }

    fn distrust(&mut self) {
        self.predictor.distrust();
        self.newton.invalidate();
        self.trusted = false;
    }

    fn solves_motion(&self) -> bool {
        true
    }

    fn state(&mut self, state: &mut State<'_>) {
        let StateSpaceStepper {
            name: _,
            core,
            newton: _,
            predictor,
            prediction: _,
            motion: _,
            full,
            u: _,
            span: _,
            trusted,
        } = self;
        let Core {
            jacobian: _,
            at: _,
            blocks: _,
            manifold,
            history,
            derivatives: _,
            values: _,
            entries: _,
            pieces: _,
            motion: _,
            s: _,
            directions: _,
            change: _,
            rows: _,
            b: _,
            moved: _,
            completed: _,
            is_complete: _,
            failure: _,
        } = core;
        manifold.state(state);
        history.state(state);
        predictor.state(state);
        state.numbers(full);
        state.flag(trusted);
        if state.restores() && state.is_right() {
            self.select();
        }
    }

    fn newton_norms(&self) -> &[f64] {
        self.newton.trace()
    }

    fn unknowns(&self) -> &[f64] {
        &self.u
    }

    fn matrix_entries(&self) -> usize {
        self.core.at.size * self.core.at.size
    }

    fn probe(
        &mut self,
        system: &System,
        from: &Point,
        span: StepSpan,
        u: Option<&[f64]>,
    ) -> Option<Probe> {
        let mut to = from.clone();
        self.begin(system, from, span, Accuracy::RoundOff, &mut to);
        self.gather(from);
        self.select();
        let u = u.map_or_else(|| self.u.clone(), <[f64]>::to_vec);
        let size = u.len();
        let mut residual = vec![0.0; size];
        let mut values = vec![0.0; size * size + 1];
        let mut equations = StepEquations { core: &mut self.core, system, to: &mut to };
        equations.residual(&u, &mut residual);
        equations.matrix(&u, &mut values);
        let matrix = (0..size)
            .map(|row| (0..size).map(|column| values[row + column * size]).collect())
            .collect();
        Some(Probe { u, residual, matrix })
    }
}
