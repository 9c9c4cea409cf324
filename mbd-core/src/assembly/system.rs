//! The system an integrator sees: residual pieces and matrix terms of a model at a point.

use super::derivatives::Derivatives;
use super::released::{self, Outputs};
use super::statement::Statement;
use crate::equation::{Dims, Layout, Point, SlotKind};
use crate::equation::{Residual, Term, Want, Weights};
use crate::linear::Patterns;
use crate::model::{Model, Switch};
use crate::program::{Cached, Compiled, Factors, Placement, Recording};
use crate::signal::{Driven, Signal};
use crate::statement::ElementGroup;
use crate::statement::{RowSink, Target, add_matrix, add_residual};
use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError, Weak};
use std::time::Instant;

/// A model ready for integration.
///
/// M a + Gᵀλ + Kᵀψ = f, g = 0, k = 0, d = 0, w = φ; see [`Residual`] for the pieces and
/// [`Term`] for the derivative blocks. A clone shares all but which rows are in the equations.
#[derive(Clone)]
pub struct System {
    pub(super) model: Arc<Model>,
    /// Rows that are not in the equations: redundant ones, and surfaces that the motion is not on.
    pub(super) inactive_lambda: Vec<bool>,
    pub(super) inactive_psi: Vec<bool>,
    /// Of the holonomic and of the nonholonomic ones those that stand in the equations all the same, as "multiplier = what is
    /// given": see [`trivial_rows`](Self::trivial_rows).
    pub(super) trivial: [Vec<usize>; 2],
    /// Whether there are any, for what is asked in every evaluation.
    pub(super) any_trivial: bool,
    /// How many of the model's statements have a part in the equations: all, but for surfaces while the motion is on none.
    pub(super) groups_in_use: usize,
    pub(super) any_redundant: bool,
    /// Of each surface of the model whether the motion slides along it.
    pub(super) slides: Vec<bool>,
    /// What the multipliers ψ of surfaces are that are not in the equations.
    pub(super) given_psi: Vec<f64>,
    /// Of each of the model's switched rows whether they hold.
    pub(super) holds: Vec<bool>,
    /// Of each holonomic row whether it is one of those that do not.
    pub(super) off_lambda: Vec<bool>,
    /// Whether rows that hold from the start on hold.
    pub(super) settled: bool,
    /// Made when the first statement is evaluated: names and sizes are to be had without.
    recording: Arc<OnceLock<Recording>>,
    divided_from: Option<usize>,
    residuals: Arc<Cached<(Want, usize)>>,
    /// The programs of all plans, while there are plans.
    matrices: Arc<Mutex<Vec<Weak<Cached<Request>>>>>,
    /// What is asked for over and over, the latest last.
    kept: Arc<Mutex<Vec<Box<dyn Any + Send + Sync>>>>,
    derivatives: Derivatives,
    /// Nanoseconds that each group has taken on dual numbers beside programs.
    on_duals: Arc<[AtomicU64]>,
    patterns: Patterns,
    /// Of each coordinate the group of its unit.
    unit_groups: Vec<u32>,
    /// What the inputs are fed with, and those among them that are functions of time.
    signals: Arc<[Signal]>,
    driven: Driven,
    /// The system of the model with its joints released.
    released: Option<Arc<Released>>,
}

/// A system that is made when it is asked for the first time, its outputs, and whether these are to be told by it.
struct Released {
    system: LazyLock<System, Box<dyn FnOnce() -> System + Send>>,
    outputs: OnceLock<Outputs>,
    /// Those of the model itself, where none reads a reaction.
    own: OnceLock<Outputs>,
    read: bool,
}

/// What is kept at most.
const KEPT: usize = 24;

/// Programs of a plan: the residual pieces, whether the matrix replaces what is there, and what is
/// known of its coefficients.
pub(super) type Request = (Want, bool, Factors);

impl System {
    /// Takes a finished model.
    pub fn new(mut model: Model) -> Self {
        let dims = model.dims();
        let released = model.released.take();
        let released = released.map(|of| {
            let system: Box<dyn FnOnce() -> System + Send> = Box::new(move || System::new(*of));
            let (system, read) = (LazyLock::new(system), model.reads_reactions);
            Arc::new(Released { system, outputs: OnceLock::new(), own: OnceLock::new(), read })
        });
        let mut system = System {
            inactive_lambda: vec![false; dims.m],
            inactive_psi: vec![false; dims.p],
            trivial: Default::default(),
            any_trivial: false,
            groups_in_use: 0,
            any_redundant: false,
            slides: vec![
                false;
                dims.p - model.stated_nonholonomic() + dims.nw - model.variables().len()
            ],
            given_psi: vec![0.0; dims.p],
            holds: vec![false; model.switches().len()],
            off_lambda: vec![false; dims.m],
            settled: true,
            recording: Arc::default(),
            divided_from: None,
            residuals: Arc::default(),
            matrices: Arc::default(),
            kept: Arc::default(),
            derivatives: Derivatives::default(),
            on_duals: model.groups.iter().map(|_| AtomicU64::new(0)).collect(),
            patterns: Patterns::default(),
            unit_groups: crate::model::coordinate_groups(&model),
            signals: model.initial().inputs.iter().map(|&u| Signal::constant(u)).collect(),
            driven: Driven::default(),
            released,
            model: Arc::new(model),
        };
        system.set_inactive_rows(&[], &[]);
        system
    }

    fn recording(&self) -> &Recording {
        self.recording.get_or_init(|| {
            let (groups, initial) = (&self.model.groups, self.initial_point());
            let mut recording = Recording::new(groups, self.model.layout(), initial.flat());
            recording.divided_from = self.divided_from;
            recording
        })
    }

    /// Forgets all that evaluations have left to make later ones cheaper: programs, orders of
    /// elimination, pivots. What is evaluated next is as in a new system, to the last bit.
    pub fn renew(&mut self) {
        self.recording = Arc::default();
        self.residuals = Arc::default();
        self.matrices = Arc::default();
        self.kept = Arc::default();
        self.patterns = Patterns::default();
    }

    /// What is kept from an earlier time, and kept from now on where it is not.
    pub(super) fn kept<T: Any + Send + Sync + Clone>(
        &self,
        is: impl Fn(&T) -> bool,
        make: impl FnOnce() -> T,
    ) -> T {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|kept| kept.downcast_ref().is_some_and(&is));
        let known = place.map(|place| kept.remove(place));
        let asked = known.and_then(|known| known.downcast().ok()).unwrap_or_else(|| {
            let beyond = kept.len().saturating_sub(KEPT - 1);
            kept.drain(..beyond);
            Box::new(make())
        });
        kept.push(asked.clone());
        *asked
    }

    /// What everything is evaluated by from now on.
    pub fn set_derivatives(&mut self, derivatives: Derivatives) {
        self.derivatives = derivatives;
    }

    /// What everything is evaluated by.
    pub fn derivatives(&self) -> Derivatives {
        self.derivatives
    }

    /// Whether programs are.
    pub(super) fn has_programs(&self) -> bool {
        self.derivatives == Derivatives::Programs
    }

    /// The statements that no program can be made of, each by its name, and that are evaluated on dual
    /// numbers in every step, many times slower than the others: those that compare scalars in plain
    /// Rust, by `match` or in functions of the user's, groups written by hand, and statements of more
    /// operations than fit in memory.
    pub fn on_dual_numbers(&self) -> impl Iterator<Item = &str> {
        let groups = self.recording().on_dual_numbers().into_iter();
        groups.map(|group| self.model.groups[group].name())
    }

    /// The seconds that these statements have taken so far, this system's clones included.
    pub fn time_on_dual_numbers(&self) -> impl Iterator<Item = (&str, f64)> {
        let groups = self.recording().on_dual_numbers().into_iter();
        groups.map(|group| {
            let taken = self.on_duals[group].load(Ordering::Relaxed);
            (self.model.groups[group].name(), 1e-9 * taken as f64)
        })
    }

    /// Evaluates a group on dual numbers, and keeps the time.
    pub(super) fn timed(&self, group: usize, evaluate: impl FnOnce(&dyn ElementGroup)) {
        let clock = Instant::now();
        evaluate(self.group(group));
        let taken = u64::try_from(clock.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.on_duals[group].fetch_add(taken, Ordering::Relaxed);
    }

    /// Divides the work of programs among threads from so many operations on, in place of those from
    /// which on threads gain: for tests and benches, before anything is evaluated and before the
    /// system is cloned; no effect afterwards.
    pub fn set_divided_from(&mut self, operations: usize) {
        self.divided_from = Some(operations);
    }

    /// Of each coordinate (n) a number that it shares with those of the same unit.
    pub(crate) fn unit_groups(&self) -> &[u32] {
        &self.unit_groups
    }

    /// The patterns of the system's matrices.
    pub fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    /// Says that a plan evaluates by these programs.
    pub(super) fn register(&self, programs: &Arc<Cached<Request>>) {
        let mut matrices = self.matrices.lock().unwrap_or_else(PoisonError::into_inner);
        matrices.retain(|programs| programs.strong_count() > 0);
        matrices.push(Arc::downgrade(programs));
    }

    /// Makes the code of a residual that is asked for again and again, and with it that of all
    /// matrices filled so far that are not large: steps have begun, and what a matrix is renewed with in
    /// the middle of a run should not have to be made then.
    fn settle(&self, residual: &Compiled) {
        residual.make();
        let matrices = self.matrices.lock().unwrap_or_else(PoisonError::into_inner);
        matrices.iter().filter_map(Weak::upgrade).for_each(|programs| programs.make_along());
    }

    /// The programs of residual pieces and a matrix.
    pub(super) fn compile(
        &self,
        want: Want,
        fresh: bool,
        placements: &[Placement],
        factors: &Factors,
        position: impl Fn(&Placement, u32, u32) -> Option<u32>,
    ) -> Compiled {
        let groups = &self.model.groups[..self.groups_in_use];
        self.recording().programs(want, fresh, groups, placements, factors, position)
    }

    /// Where a group's part of a term is not zero, if that is known and programs go by it.
    pub(super) fn recorded_entries(&self, group: usize, term: Term) -> Option<Vec<(u32, u32)>> {
        self.has_programs().then(|| self.recording().entries(group, term))?
    }

    /// The values of a term at a point, where a program for them would not pay if they are asked for
    /// once; else `None`.
    pub(crate) fn once(&self, term: Term, at: &Point) -> Option<Vec<(u32, u32, f64)>> {
        let weights = Weights::of(at);
        let sources = [at.flat(), weights.u, weights.s, weights.r, &[]];
        let recording = self.has_programs().then(|| self.recording());
        recording.and_then(|recording| recording.once(term, &sources))
    }

    #[cfg(test)]
    pub(crate) fn recorded(&self) -> &Recording {
        self.recording()
    }

    /// A group by number, with a share of the model.
    pub(crate) fn statement(&self, index: usize) -> Statement {
        Statement::new(Arc::clone(&self.model), index)
    }

    /// A group by number.
    pub(crate) fn group(&self, index: usize) -> &dyn ElementGroup {
        &*self.model.groups[index]
    }

    /// The model: names, units, initial values.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Sizes.
    pub fn dims(&self) -> Dims {
        self.model.dims()
    }

    /// Sizes of the equations: without the rows and shares of surfaces, which are the last of all, while the motion slides
    /// along none.
    pub(crate) fn dims_in_use(&self) -> Dims {
        let dims = self.dims();
        if self.groups_in_use == self.model.groups.len() {
            return dims;
        }
        let (p, nw) = (self.model.stated_nonholonomic(), self.model.variables().len());
        Dims { p, nw, ..dims }
    }

    /// Where each scalar lives in a point's flat vector.
    pub fn layout(&self) -> &Layout {
        self.model.layout()
    }

    /// A point with the model's parameters and, at t = 0, its initial values as declared.
    pub fn initial_point(&self) -> Point {
        let mut point = Point::new(*self.layout(), self.model.param_values());
        point.q_mut().copy_from_slice(&self.model.initial().q);
        point.v_mut().copy_from_slice(&self.model.initial().v);
        point.x_mut().copy_from_slice(&self.model.initial().x);
        point.w_mut().copy_from_slice(&self.model.initial().w);
        point.modes_mut().copy_from_slice(&self.model.initial().modes);
        self.feed(&mut point);
        point
    }

    /// Feeds an input that is no function, by its number, with a value from now on.
    pub(crate) fn hold_input(&mut self, index: usize, value: f64) {
        Arc::make_mut(&mut self.signals)[index] = Signal::constant(value);
    }

    /// Gives a point the courses that the inputs have from its time on.
    pub(crate) fn feed(&self, point: &mut Point) {
        let t = point.t();
        for (index, signal) in self.signals.iter().enumerate() {
            point.set_input(index, &signal.course(t));
        }
        point.set_driven(self.driven.clone());
    }

    /// What the inputs are fed with.
    pub(crate) fn signals(&self) -> &[Signal] {
        &self.signals
    }

    /// Feeds an input, by its number, with another signal. Points get it by [`feed`](Self::feed).
    pub(crate) fn set_signal(&mut self, index: usize, signal: Signal) {
        Arc::make_mut(&mut self.signals)[index] = signal;
        self.driven = Driven::new(&self.signals);
    }

    pub(crate) fn groups(&self) -> impl Iterator<Item = &dyn ElementGroup> {
        self.model.groups.iter().map(|g| &**g)
    }

    /// The statements whose rows are in the equations: without those of surfaces while the motion slides
    /// along none.
    pub(crate) fn groups_in_use(&self) -> impl Iterator<Item = &dyn ElementGroup> {
        self.groups().take(self.groups_in_use)
    }

    /// Computes the wanted residual pieces at a point.
    ///
    /// Rows of redundant constraints hold 0 in `g`, `gdot`, `gamma`, `gu`, `k`, `zeta`, `ku`.
    pub fn eval(&self, point: &Point, weights: &Weights<'_>, want: Want, out: &mut Residual) {
        self.eval_every_row(point, weights, want, out);
        self.silence(out);
    }

    /// The same with the rows of redundant constraints as they are: they are not in the equations,
    /// but they ought to hold.
    pub fn eval_every_row(
        &self,
        point: &Point,
        weights: &Weights<'_>,
        want: Want,
        out: &mut Residual,
    ) {
        self.eval_first(self.groups_in_use, point, weights, want, out);
        if want.has(Want::G) {
            out.g.iter_mut().zip(point.disturbance()).for_each(|(g, by)| *g += by);
        }
        // Each of the rows below is trivial, so that most systems have no part in what follows.
        if !self.any_trivial {
            return;
        }
        for switch in self.switched_off() {
            for piece in [&mut out.g, &mut out.gdot, &mut out.gamma, &mut out.gu] {
                piece[switch.rows.clone()].fill(0.0);
            }
        }
        if !self.settled {
            for &row in self.model.from_start() {
                for piece in [&mut out.g, &mut out.gdot, &mut out.gamma, &mut out.gu] {
                    piece[row] = 0.0;
                }
            }
        }
        let stated = self.model.stated_nonholonomic();
        for &row in self.trivial[1].iter().filter(|&&row| row >= stated) {
            if !self.slides[row - stated] {
                for piece in [&mut out.k, &mut out.zeta, &mut out.ku] {
                    piece[row] = 0.0;
                }
            }
        }
    }

    /// The rows that come and go and are not in the equations.
    fn switched_off(&self) -> impl Iterator<Item = &Switch> {
        let switches = self.model.switches().iter().zip(&self.holds);
        switches.filter(|(_, holds)| !**holds).map(|(switch, _)| switch)
    }

    /// The same with all rows of the model as they are, those too that have no part in the motion.
    pub(crate) fn eval_all(
        &self,
        point: &Point,
        weights: &Weights<'_>,
        want: Want,
        out: &mut Residual,
    ) {
        self.eval_first(self.model.groups.len(), point, weights, want, out);
    }

    /// The same of the first so many statements.
    fn eval_first(
        &self,
        groups: usize,
        point: &Point,
        weights: &Weights<'_>,
        want: Want,
        out: &mut Residual,
    ) {
        let compiled = if self.has_programs() {
            let key = (want, groups);
            let make = |_| (key, self.recording().residual(want, &self.model.groups[..groups]));
            self.residuals.get(|known| *known == key, make)
        } else {
            None
        };
        if let Some(compiled) = compiled {
            let sources = [point.flat(), weights.u, weights.s, weights.r, &[]];
            compiled.evaluate(&sources, Some((want, &mut *out)), &mut [], false);
            for &group in &compiled.plain {
                self.timed(group, |group| add_residual(group, point.flat(), weights, want, out));
            }
            if compiled.is_due() {
                self.settle(compiled);
            }
        } else {
            out.clear(want);
            for group in 0..groups {
                self.timed(group, |group| add_residual(group, point.flat(), weights, want, out));
            }
        }
    }

    /// As [`eval`](Self::eval), with u = a, s = λ, r = ψ taken from the point itself.
    pub fn eval_at(&self, point: &Point, want: Want, out: &mut Residual) {
        let weights = Weights::of(point);
        self.eval(point, &weights, want, out);
    }

    /// Of each holonomic row a bound, to first order, of what rounding makes of g at a point, wherever large terms that
    /// cancel come from: coordinates, parameters or numbers of the model. Not known, and 0, of rows written by hand.
    /// Takes as long as some tens of evaluations.
    pub(crate) fn roundings(&self, point: &Point) -> Vec<f64> {
        let mut rows = vec![0.0; self.dims().m];
        self.groups().for_each(|group| group.roundings(point.flat(), &mut rows));
        rows.iter_mut().filter(|bound| !bound.is_finite()).for_each(|bound| *bound = 0.0);
        rows
    }

    /// What is found at a point with each holonomic row moved by the [bound](Self::roundings) of its rounding, up and down in
    /// turn, so that what neighbours make of it does not cancel.
    pub(crate) fn disturbed<T>(&self, at: &mut Point, find: impl FnOnce(&mut Point) -> T) -> T {
        let mut rows = self.roundings(at);
        rows.iter_mut().skip(1).step_by(2).for_each(|bound| *bound = -*bound);
        at.disturb(rows);
        let found = find(at);
        at.disturb(Vec::new());
        found
    }

    /// Derivative of the wanted residual pieces with respect to parameter `param` (flat index
    /// among the parameters).
    pub fn eval_param(
        &self,
        point: &Point,
        weights: &Weights<'_>,
        want: Want,
        param: usize,
        out: &mut Residual,
    ) {
        self.eval_partial(point, weights, want, self.layout().params().start + param, out);
    }

    /// Partial derivative of the wanted residual pieces by time, with all else of the point as it is; inputs go
    /// along with their courses.
    pub fn eval_time(&self, point: &Point, weights: &Weights<'_>, want: Want, out: &mut Residual) {
        self.eval_partial(point, weights, want, self.layout().offset(SlotKind::T, 0), out);
    }

    /// The same by a scalar that is no unknown, by its flat index.
    fn eval_partial(
        &self,
        point: &Point,
        weights: &Weights<'_>,
        want: Want,
        flat: usize,
        out: &mut Residual,
    ) {
        out.clear(want);
        for group in self.groups() {
            group.residual_param(point.flat(), weights, want, flat as u32, &mut RowSink::of(out));
        }
        self.silence(out);
    }

    /// The entries of one term at a point, as (row, column, value); entries of one place add up.
    /// For inspection and tests; a method fills a [`Plan`](super::Plan).
    pub fn entries(
        &self,
        point: &Point,
        weights: &Weights<'_>,
        term: Term,
    ) -> Vec<(usize, usize, f64)> {
        let mut out = Vec::new();
        for group in self.groups().filter(|g| g.terms().contains(&term)) {
            let mut places = Vec::new();
            for i in 0..group.instances() {
                group.entries(term, i, &mut places);
            }
            let target = Target {
                term,
                coefficient: 0,
                positions: (0..places.len() as u32).collect(),
                entries: places.len() / group.instances().max(1),
            };
            let mut values = vec![0.0; places.len()];
            add_matrix(group, point.flat(), weights, (&[target], &[1.0]), &mut values);
            out.extend(places.iter().zip(values).filter_map(|(place, value)| {
                place
                    .filter(|&(r, c)| self.keeps(term, r, c))
                    .map(|(r, c)| (r as usize, c as usize, value))
            }));
        }
        out
    }

    /// What one group adds to the wanted pieces at a point, with u = a, s = λ, r = ψ.
    pub(crate) fn eval_group(
        &self,
        group: &dyn ElementGroup,
        point: &Point,
        want: Want,
        out: &mut Residual,
    ) {
        out.clear(want);
        add_residual(group, point.flat(), &Weights::of(point), want, out);
    }

    /// Number of rows and columns of a term.
    pub fn term_shape(&self, term: Term) -> (usize, usize) {
        let Dims { n, m, p, nx, nw, .. } = self.dims();
        let width = |kind: SlotKind| self.layout().range(kind).len();
        match term {
            Term::M | Term::MuQ | Term::ReactQ | Term::ReactV => (n, n),
            Term::GtsQ | Term::KtrQ | Term::KtrV => (n, n),
            Term::F(kind) => (n, width(kind)),
            Term::React | Term::Gt => (n, m),
            Term::ReactPsi | Term::Kt => (n, p),
            Term::G | Term::GuQ | Term::GdotQ | Term::GammaQ | Term::GammaV => (m, n),
            Term::K | Term::KQ | Term::ZetaQ | Term::ZetaV | Term::KuQ | Term::KuV => (p, n),
            Term::D(kind) => (nx, width(kind)),
            Term::W(kind) => (nw, width(kind)),
        }
    }

    /// Values of the named outputs, in the model's order, appended to `out`.
    pub fn outputs(&self, point: &Point, out: &mut Vec<f64>) {
        if let Some(released) = self.released.as_ref().filter(|released| released.read)
            && let Some((system, point)) = self.released(point)
        {
            let outputs = released.outputs.get_or_init(|| Outputs::new(system.model(), &point));
            return outputs.values(system.model(), &point, out);
        }
        // Of bodies in joint coordinates each reads all before it, which they have in common.
        if let Some(released) = &self.released {
            let outputs = released.own.get_or_init(|| Outputs::new(&self.model, point));
            return outputs.values(&self.model, point, out);
        }
        for group in &self.model.output_groups {
            group.values(point.flat(), out);
        }
    }

    /// The system of the model with its [joints released](Model::into_released), and the point at which it is
    /// where this one is at `point`: with the reactions of joints that have no rows among its multipliers.
    pub fn released(&self, point: &Point) -> Option<(&System, Point)> {
        self.released_with(point, |_, _, _| Want::F)
    }

    /// The same over the instant of a blow: `jump` is where the model is, with the change of velocities for
    /// accelerations and impulses for multipliers, `given` adds the generalized impulses that are no constraint's, and impulses
    /// of joints are among the multipliers.
    pub(crate) fn released_blow(
        &self,
        jump: &Point,
        given: impl FnOnce(&System, &Point, &mut [f64]),
    ) -> Option<(&System, Point)> {
        self.released_with(jump, |system, point, impulses| {
            given(system, point, impulses);
            Want::NONE
        })
    }

    /// `given`: adds generalized forces, and says which the model adds to these.
    fn released_with(
        &self,
        point: &Point,
        given: impl FnOnce(&System, &Point, &mut [f64]) -> Want,
    ) -> Option<(&System, Point)> {
        let system = &*self.released.as_ref()?.system;
        let stated = self.model.stated_holonomic();
        let mut point = released::displaced(system.layout(), stated, point);
        let mut forces = vec![0.0; system.dims().n];
        let want = Want::MU | Want::REACTION | given(system, &point, &mut forces);
        let mut pieces = Residual::new(&system.dims());
        system.eval_all(&point, &Weights::of(&point), want, &mut pieces);
        pieces.f.iter_mut().zip(&forces).for_each(|(f, given)| *f += given);
        released::react(self.layout(), stated, &pieces, &mut point);
        Some((system, point))
    }

    /// Whether the mass matrix is the same at every position and time.
    pub fn has_constant_mass(&self) -> bool {
        !self.groups().any(|group| group.terms().contains(&Term::MuQ))
    }
}
