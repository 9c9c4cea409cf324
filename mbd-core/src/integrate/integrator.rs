//! The driver: steps a method, chooses step sizes, recovers from failures, counts.

mod carried;
mod clockwork;
mod contacts;
mod events;
mod jumps;
mod sliding;
mod state;

use super::balance::Ledger;
use super::between::Between;
use super::companion::{Companion, Watched};
use super::controller::Controller;
use super::failure::{estimated_name, judged, step_error, unknown_name};
use super::guards::{Guards, INSTANTS, LOCATED};
use super::mass::MassWatch;
use super::method::Method;
use super::resolution::Resolution;
use super::scheme::{Accuracy, Attempt, Failure, Probe, StepEnds, StepSpan, Stepper};
use super::step::Step;
use super::timetable::{Break, Overstepped, Timetable};
use super::weights::rms;
use crate::assembly::{Point, Residual, SlotKind, System, Want, Weights};
use crate::error::{OptionError, StepError};
use crate::scales::{Scales, Weighting};
use crate::solution::{
    Balance, Coarse, Drift, ErrorEstimate, RankChange, Stats, StepRecord, Unestimated,
};
use crate::start::{Rank, Suspicion, choose_rows_again, reconcile, reconsider_rank};
use carried::{Clockwork, Crossed, Events, Sliding};
use std::borrow::Cow;

/// Smallest step relative to the larger of |t| and the length of the run.
const SMALLEST: f64 = 1e-14;

/// A remainder up to this part of a step is taken along with it rather than left as a tiny one.
const STRETCH: f64 = 1e-9;

/// A prescribed step whose equations Newton's iteration does not solve is halved down to this part.
const SMALLEST_PART: f64 = 1.0 / 1024.0;

/// Largest point, in numbers, at which the power balance is evaluated together with the forces.
const TOGETHER: usize = 5_000;
/// Change of an acceleration or multiplier where a comparison with time changes, relative to the
/// largest of its kind, from which on the motion begins anew there.
const JUMP: f64 = 1e-9;

/// A change of a guard this near to the beginning of a step, as a part of it or of the step before,
/// is the one the step before ended at.
const SETTLED: f64 = 1e-6;

/// Steps in a row that end at changes of guards; where there are more they come too often for steps
/// to end at each, as in friction that sticks, and error control chooses the steps alone.
const CHANGES: usize = 32;

/// After a step that ended at a change, the part of the step tried before it in which no step ends at the
/// change of another guard: those that change together, as of equal parts, would each ask for its own.
const CLUSTER: f64 = 1e-3;

/// Attempts to end a step at a change; what still changes in it then does so in another way each time.
const CUTS: usize = 16;

/// Least part of the step tried first that is taken to end at a change: what reactions decide would be
/// decided by their noise in ever smaller steps.
const SHORTEST_CUT: f64 = 1e-2;

/// Violation of the constraints by velocities, relative to their scales and the tolerance, from which on it
/// has to go before a step is cut: a step much shorter than those that left it would make accelerations
/// and reactions of it, which decide about changes.
const VELOCITY_DRIFT: f64 = 1e-2;

/// Least part of the step tried before a guard changed that is tried after it.
const AFTER_CHANGE: f64 = 0.01;

/// A step, accepted.
pub type Accepted = StepRecord;

/// Steps a system from a consistent point, one accepted step at a time.
///
/// [`Simulation`](crate::simulation::Simulation) is the usual way in; this is what it drives, for
/// tests, co-simulation and studies of methods.
///
/// # Allocations
/// None per step, once what a step evaluates has become code: at the 32nd evaluation of a residual,
/// that of the matrices filled until then included.
pub struct Integrator<'a> {
    /// A system of its own once other rows are redundant than at the start.
    system: Cow<'a, System>,
    method: Method,
    suspicion: Suspicion,
    rank_changes: Vec<RankChange>,
    stepper: Box<dyn Stepper>,
    step: Step,
    controller: Controller,
    from: Point,
    to: Point,
    pieces: Residual,
    /// Step size to try next.
    h: f64,
    /// Origin of equal steps, and their number since.
    origin: (f64, usize),
    /// What is left of a prescribed step that is taken in parts.
    rest: Option<Rest>,
    span: f64,
    /// Up to when the motion is expected to go on.
    horizon: f64,
    scales: Scales,
    /// No step has been taken since the start, or since it was begun anew.
    fresh: bool,
    stats: Stats,
    drift: Drift,
    /// Made when first asked for.
    between: Option<Between>,
    ledger: Ledger,
    /// Until the start is looked at, and where the mass changes.
    mass: Option<MassWatch>,
    /// f − Gᵀλ − Kᵀψ at the ends of the last accepted step.
    forces: [Vec<f64>; 2],
    timetable: Timetable,
    clockwork: Clockwork,
    guards: Guards,
    events: Events,
    sliding: Sliding,
    /// Outcomes of the guards at two instants.
    signs: [Vec<i8>; 2],
    /// A point within a step.
    within: Point,
    /// The last accepted step, and how many in a row ended at changes of guards.
    last: (f64, usize),
    cluster: Cluster,
    overstepped: Option<Overstepped>,
    resolution: Resolution,
    companion: Result<Box<Companion>, Unestimated>,
}

/// What guards are looked at along.
#[derive(Clone, Copy, PartialEq)]
enum Along {
    /// An attempted step.
    Step,
    /// The motion as it goes on with the accelerations before the step.
    Before,
}

/// Guards that change one right after the other, each once: after the first no step ends at another.
#[derive(Debug)]
struct Cluster {
    /// Until when they belong together.
    end: f64,
    /// The guards that have changed in it.
    changed: Vec<usize>,
    /// The same with those of an attempted step.
    within: Vec<usize>,
}

impl Default for Cluster {
    fn default() -> Self {
        Cluster { end: f64::NEG_INFINITY, changed: Vec::new(), within: Vec::new() }
    }
}

/// The end of a prescribed step that is taken in parts, its size and that of the last part.
#[derive(Clone, Copy)]
struct Rest {
    t_next: f64,
    whole: f64,
    part: f64,
}

/// What is looked at in every accepted point: carried forces and constraint violations.
fn observed() -> Want {
    Want::F | Want::REACTION | Want::G | Want::GDOT | Want::K
}

impl<'a> Integrator<'a> {
    /// Begins at a consistent point: q, v, x on the constraints, a, λ, ψ, ẋ, w solving the
    /// equations of motion.
    ///
    /// # Errors
    /// [`OptionError`] for a step out of range, or a method that cannot treat the model.
    pub fn new(
        system: &'a System,
        method: &Method,
        step: Step,
        start: &Point,
    ) -> Result<Self, OptionError> {
        Self::of(Cow::Borrowed(system), method, step, start)
    }

    /// The same with a system of its own.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn owning(
        system: System,
        method: &Method,
        step: Step,
        start: &Point,
    ) -> Result<Integrator<'static>, OptionError> {
        Integrator::of(Cow::Owned(system), method, step, start)
    }

    fn of(
        shared: Cow<'a, System>,
        method: &Method,
        step: Step,
        start: &Point,
    ) -> Result<Self, OptionError> {
        step.check()?;
        let system = &*shared;
        let mut stepper = method.stepper(system, start)?;
        stepper.start(system, start);
        let scales = Scales::new(system, start, start.t(), step.weighting());
        let mut controller = Controller::default();
        controller.growth = stepper.growth();
        let mut integrator = Integrator {
            method: method.clone(),
            suspicion: Suspicion::new(system, start),
            rank_changes: Vec::new(),
            stepper,
            controller,
            h: 0.0,
            origin: (start.t(), 0),
            rest: None,
            span: 0.0,
            horizon: start.t(),
            scales,
            fresh: true,
            from: start.clone(),
            to: start.clone(),
            pieces: Residual::new(&system.dims()),
            stats: Stats::default(),
            drift: Drift::default(),
            between: None,
            ledger: Ledger::new(system, start),
            mass: Some(MassWatch::new(system)),
            forces: [vec![0.0; start.v().len()], vec![0.0; start.v().len()]],
            timetable: Timetable::new(system, start),
            clockwork: Clockwork::default(),
            guards: Guards::new(system),
            events: Events::default(),
            sliding: Sliding::default(),
            signs: Default::default(),
            within: start.clone(),
            last: (0.0, 0),
            cluster: Cluster::default(),
            overstepped: None,
            resolution: Resolution::new(start),
            companion: Err(Unestimated::NotAsked),
            step,
            system: shared,
        };
        integrator.hold_guards();
        integrator.wind_up();
        integrator.observe();
        integrator.ledger.begin(start.t(), &integrator.pieces);
        integrator.h = integrator.first_step();
        Ok(integrator)
    }

    /// The point reached.
    pub fn point(&self) -> &Point {
        &self.to
    }

    /// The point before the last accepted step.
    pub fn previous(&self) -> &Point {
        &self.from
    }

    /// The system, with the rows that are redundant now.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// Where it was decided anew which constraint rows are redundant.
    pub fn rank_changes(&self) -> &[RankChange] {
        &self.rank_changes
    }

    /// Work counts so far; wall time is the caller's.
    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Constraint violations so far.
    pub fn drift(&self) -> &Drift {
        &self.drift
    }

    /// The power balance so far.
    pub fn balance(&self) -> Option<Balance> {
        self.ledger.balance(&self.system, &self.step)
    }

    /// What errors are measured against, as the motion so far has made it.
    pub fn scales(&self) -> &Scales {
        &self.scales
    }

    /// Carries an estimate of the global error along from the point reached on, with adaptive steps;
    /// with prescribed ones nothing happens.
    pub fn estimate_error(&mut self) {
        if let Accuracy::Tolerance(eps) = self.step.accuracy()
            && self.step.is_adaptive()
        {
            let order = self.stepper.order();
            let companion = Companion::new(&self.system, &self.to, eps, order);
            self.companion = Ok(Box::new(companion));
        } else {
            self.companion = Err(Unestimated::Prescribed);
        }
    }

    /// The same whatever it takes, where the estimate is what the run is for.
    pub(crate) fn estimate_error_at_any_cost(&mut self) {
        self.estimate_error();
        if let Ok(companion) = &mut self.companion {
            companion.follow_at_any_cost();
        }
    }

    /// The estimate of the global error so far, or why there is none.
    ///
    /// # Errors
    /// [`Unestimated`].
    pub fn error_estimate(&self) -> Result<ErrorEstimate, Unestimated> {
        match &self.companion {
            Ok(companion) => companion.estimate(&self.scales),
            Err(why) => Err(*why),
        }
    }

    /// Step size that comes next, for adaptive steps; of the first one a guess until the end of the
    /// run is known.
    pub fn next_step(&self) -> f64 {
        self.h
    }

    /// A prescribed step that was too long for what the model says of the times it passed over: the one
    /// that would have had to be shortest.
    pub fn overstepped(&self) -> Option<Overstepped> {
        self.overstepped
    }

    /// Prescribed steps that do not resolve the motion: the coarsest of them.
    pub fn coarse(&self) -> Option<Coarse> {
        self.resolution.coarse(&self.system)
    }

    /// Whether a prescribed sequence of steps has run out.
    pub fn exhausted(&self) -> bool {
        matches!(&self.step, Step::Sequence { steps, repeat: false, .. } if self.origin.1 >= steps.len())
    }

    /// The method.
    pub fn stepper(&self) -> &dyn Stepper {
        &*self.stepper
    }

    /// Fills `out` with the solution at a time within the last accepted step: q, v and x by
    /// interpolation ([`dense`](super::dense)), moved onto constraints that hold at its ends, and a,
    /// λ, ψ, ẋ and w by the equations of motion there; interpolated too where these have no
    /// solution, as in a singular position. Costs a few evaluations, and a factorization now and
    /// then; none at the ends of the step, whose points are as the method left them.
    pub fn interpolate(&mut self, t: f64, out: &mut Point) {
        match [&self.from, &self.to].into_iter().rfind(|end| end.t() == t) {
            Some(end) => out.copy_from(end),
            None => {
                let (system, stepper) = (&*self.system, &*self.stepper);
                let between = self.between.get_or_insert_with(|| Between::new(system, stepper));
                between.fill(system, stepper, (&self.from, &self.to), t, out);
            }
        }
    }

    /// Residual and matrix of the Newton system of a step of size `h` from the point reached, at
    /// the unknowns `u` or at the accepted ones. `None` for a method without.
    pub fn probe(&mut self, h: f64, u: Option<&[f64]>) -> Option<Probe> {
        let t = self.to.t();
        let span = StepSpan { t, t_next: t + h, h };
        self.stepper.probe(&self.system, &self.to, span, u)
    }

    /// Takes the point reached as changed from outside: forgets history and matrices, and chooses
    /// a first step again. The point must be consistent.
    pub fn restart(&mut self, at: &Point) {
        self.to.copy_from(at);
        self.from.copy_from(at);
        self.hold_guards();
        self.stepper.start(&self.system, &self.to);
        self.timetable.restart(at);
        self.wind_up();
        self.resolution.restart(at);
        self.last = (0.0, 0);
        self.cluster = Cluster::default();
        self.origin = (at.t(), 0);
        self.rest = None;
        self.fresh = true;
        // What was changed from outside is no error; how it is related to the one so far is not known.
        if self.companion.is_ok() {
            self.companion = Err(Unestimated::Begun { t: at.t() });
        }
        self.observe();
        self.ledger.begin(at.t(), &self.pieces);
        self.h = self.first_step();
    }

    /// One accepted step, ending at `t_end` at the latest, and exactly there if it would come
    /// near. Nothing happens, and h is 0, when `t_end` is reached already.
    ///
    /// # Errors
    /// [`StepError`]; [`point`](Self::point) is the last accepted one.
    pub fn step_once(&mut self, t_end: f64) -> Result<Accepted, StepError> {
        if t_end <= self.to.t() {
            return Ok(StepRecord { t: self.to.t(), h: 0.0, iterations: 0, theta: 0.0 });
        }
        let ahead = t_end.max(self.horizon);
        self.span = self.span.max(ahead - self.origin.0);
        self.turn(true);
        self.read_timetable(t_end);
        if self.happen()? {
            self.read_timetable(t_end);
        }
        if self.stopped().is_some() || t_end <= self.to.t() {
            return Ok(StepRecord { t: self.to.t(), h: 0.0, iterations: 0, theta: 0.0 });
        }
        if std::mem::take(&mut self.fresh) {
            if self.stats.steps == 0 && self.scales.depend_on_span() {
                // What forces do over the run says more of a motion from rest than its start.
                let weighting = self.step.weighting();
                self.scales = Scales::new(&self.system, &self.to, ahead, weighting);
                self.observe();
            }
            self.h = self.first_step();
        }
        if self.stats.steps == 0 {
            self.look_at_mass()?;
        }
        let origin = self.origin;
        std::mem::swap(&mut self.from, &mut self.to);
        let accepted =
            if self.step.is_adaptive() { self.adaptive(t_end) } else { self.prescribed(t_end) };
        match accepted {
            Ok(record) => {
                self.evaluate();
                if self.suspicion.arises(&self.pieces.g, &self.pieces.k) {
                    match self.reconsider(record) {
                        Ok(None) => {}
                        // The step is taken again with other rows.
                        Ok(Some(record)) if record.t <= self.from.t() => {
                            self.stats.rejected += 1;
                            self.origin = origin;
                            return self.step_once(t_end);
                        }
                        Ok(Some(record)) => {
                            self.count(record.h);
                            return Ok(record);
                        }
                        Err(error) => {
                            self.to.copy_from(&self.from);
                            return Err(error);
                        }
                    }
                }
                if let Err(error) = self.look_at_mass() {
                    self.to.copy_from(&self.from);
                    return Err(error);
                }
                if !self.step.is_adaptive() {
                    let second = !self.stepper.is_of_order_5();
                    let (system, scales) = (&*self.system, &self.scales);
                    let resolved = self.resolution.enter(
                        system,
                        (&self.from, &self.to),
                        record.h,
                        scales,
                        second,
                    );
                    if let Err(error) = resolved {
                        self.to.copy_from(&self.from);
                        return Err(error);
                    }
                }
                self.watch();
                self.book();
                self.stepper.accept(&self.system, &self.from, &self.to, &self.pieces);
                self.hold_again();
                self.count(record.h);
                self.last.0 = record.h;
                let turns = self.ends_at_event();
                if let Ok(companion) = &mut self.companion {
                    let run = Watched {
                        system: &self.system,
                        stepper: &*self.stepper,
                        scales: &self.scales,
                        from: &self.from,
                        to: &self.to,
                        timetable: &self.timetable,
                        breaks: self.last.1 > 0
                            || turns
                            || self.timetable.stop(self.from.t()) <= self.to.t(),
                        t_end,
                        stats: &self.stats,
                    };
                    companion.observe(&run);
                }
                Ok(record)
            }
            Err(error) => {
                let h = self.to.t() - self.from.t();
                self.to.copy_from(&self.from);
                use StepError::{NewtonDiverged, Singular, StepSizeCollapsed};
                let (StepSizeCollapsed { .. } | NewtonDiverged { .. } | Singular { .. }) = &error
                else {
                    return Err(error);
                };
                let mass = self.mass.as_mut();
                let vanished = mass.and_then(|mass| mass.vanished(&self.system, &self.to, h));
                if let Some(vanished) = vanished {
                    return Err(vanished);
                }
                if self.system.has_redundant_rows() && self.choose_rows().unwrap_or(false) {
                    self.origin = origin;
                    return self.step_once(t_end);
                }
                Err(error)
            }
        }
    }

    /// Looks at the mass at the point reached.
    fn look_at_mass(&mut self) -> Result<(), StepError> {
        if let Some(mass) = &mut self.mass
            && !mass.look(&self.system, &self.to)?
        {
            self.mass = None;
        }
        Ok(())
    }

    /// Looks ahead in the timetable, and passes the break that the point reached stands before.
    fn read_timetable(&mut self, t_end: f64) {
        let t = self.to.t();
        let (reach, slack) = if self.step.is_adaptive() {
            (0.0, 4.0 * f64::EPSILON * t.abs())
        } else {
            let h = self.step.next(self.origin, t).0;
            (h, STRETCH * h)
        };
        self.timetable.look_ahead(&self.to, reach, t_end);
        let passed = self.timetable.pass(t, slack);
        let rung = self.ring(t, slack);
        let instant = |t| Break { before: t, after: t };
        let passed = match (passed, rung.map(instant)) {
            (Some(a), Some(b)) => {
                Some(Break { before: a.before.min(b.before), after: a.after.max(b.after) })
            }
            (passed, rung) => passed.or(rung),
        };
        // What a stepper has set is another one from here on.
        let set = std::mem::take(&mut self.clockwork.set);
        if let Some(passed) = passed.or(set.then_some(instant(t))) {
            self.cross(passed, rung.is_some() || set, set);
        }
    }

    /// Goes on from the other side of a comparison with time: from the accelerations and multipliers
    /// there, where they differ from those on this side. What has to be equal on both sides, as the
    /// velocities of prescribed motions, moves onto the constraints. `fed`: inputs have other courses beyond;
    /// `surely`: without a look at this side.
    fn cross(&mut self, passed: Break, fed: bool, surely: bool) {
        if fed && self.tears_loose(passed.after) {
            return;
        }
        let mut sides = [passed.before, passed.after].map(|t| {
            let mut side = self.to.clone();
            side.set_t(t);
            side
        });
        if fed {
            self.system.feed(&mut sides[1]);
        }
        let mut unknown = sides.iter_mut().skip(usize::from(surely));
        let solved = unknown.all(|side| matches!(reconcile(&self.system, side), Ok(true)));
        let [before, after] = &sides;
        let jumps = |kind: SlotKind| {
            let (a, b) = (before.get(kind), after.get(kind));
            let size = a.iter().chain(b).fold(0.0f64, |m, x| m.max(x.abs()));
            a.iter().zip(b).any(|(a, b)| (a - b).abs() > JUMP * size)
        };
        use SlotKind::{A, Lambda, Psi, V, W, Xd};
        let turned = self.jumped(after);
        self.events.jumps.look = true;
        if !surely && solved && !turned && ![V, A, Lambda, Psi, Xd, W].into_iter().any(jumps) {
            if fed || !self.events.jumps.is_empty() {
                self.to.set_t(passed.after);
            }
            if fed {
                self.to.hold_as(after);
                // Rates of what is compared may jump.
                self.events.known = None;
            }
            return;
        }
        if solved {
            self.to.copy_from(after);
        }
        self.to.set_t(passed.after);
        if fed {
            self.to.hold_as(after);
        }
        if let Ok(companion) = &mut self.companion {
            companion.cross(&self.system, &self.to);
        }
        self.begin_anew();
        if self.step.is_adaptive() {
            self.h = self.h.min(self.first_step());
        }
        self.turn(false);
    }

    fn adaptive(&mut self, t_end: f64) -> Result<Accepted, StepError> {
        let accuracy = self.step.accuracy();
        let Accuracy::Tolerance(_) = accuracy else { return self.prescribed(t_end) };
        let t = self.from.t();
        let h_min = self.step.h_min().unwrap_or(SMALLEST * t.abs().max(self.span));
        let end = self.timetable.horizon(t_end).min(self.timetable.stop(t));
        // The step tried before a guard was seen to change in it, and how often it was cut for that.
        let (mut tried, mut cuts): (Option<f64>, usize) = (None, 0);
        // The step that ends at a crossing, the one before it was found, and how often it was corrected.
        let (mut crossing, mut tries): (Option<[f64; 2]>, usize) = (None, 0);
        let mut first = true;
        loop {
            let remaining = end - t;
            let h = match crossing {
                Some([h, _]) => h.min(remaining),
                None => self.timetable.bounded(t, self.cut(remaining)),
            };
            let last = h == remaining;
            let t_next = if last { end } else { t + h };
            // Not once it was rejected: then it is another step for good.
            let h = if std::mem::take(&mut first) { self.alike(h, t_next) } else { h };
            let span = StepSpan { t, t_next, h };
            let outcome = self.attempt(span, accuracy);
            match outcome {
                Ok(Attempt { estimate, iterations }) if estimate.theta <= 1.0 => {
                    let whole = crossing.map_or(h, |[_, whole]| whole);
                    match self.crossed(span, tries, whole) {
                        Crossed::No => {}
                        Crossed::Again => {
                            self.stats.rejected += 1;
                            (crossing, tries) = (None, 0);
                            continue;
                        }
                        Crossed::Sooner(h) => {
                            self.stats.rejected += 1;
                            (crossing, tries) = (Some([h, whole]), tries + 1);
                            continue;
                        }
                        Crossed::TooLong => {
                            self.stats.rejected += 1;
                            (crossing, tries) = (None, 0);
                            self.h = 0.5 * h;
                            if h <= h_min {
                                return Err(self.collapsed_on_surface(span));
                            }
                            continue;
                        }
                        Crossed::Ends => {
                            self.last.1 = 0;
                            self.h = whole;
                            return Ok(StepRecord {
                                t: span.t_next,
                                h,
                                iterations,
                                theta: estimate.theta,
                            });
                        }
                    }
                    if let Some([_, whole]) = crossing {
                        tried = tried.or(Some(whole));
                    }
                    let change = match self.change(span, Along::Step) {
                        // What the step itself made of the change misleads about when it comes.
                        Some(part) if cuts % 2 == 1 => {
                            Some(self.change(span, Along::Before).unwrap_or(part))
                        }
                        found => found,
                    };
                    let least = SHORTEST_CUT * tried.unwrap_or(h);
                    let cut = change.filter(|part| part * h > least);
                    if let Some(part) = cut.filter(|_| self.last.1 < CHANGES && cuts < CUTS) {
                        self.stats.rejected += 1;
                        cuts += 1;
                        if cuts == 1 && self.drifts_in_velocity() {
                            self.reconcile();
                        }
                        tried = Some(tried.unwrap_or(h));
                        self.h = (part * h).max(h_min);
                        if h > h_min {
                            continue;
                        }
                    }
                    if let Some(whole) = tried {
                        self.cluster.end = self.cluster.end.max(span.t_next + CLUSTER * whole);
                    }
                    self.cluster.changed.clone_from(&self.cluster.within);
                    let at_change = tried.is_some() || change.is_some();
                    self.last.1 = if at_change { self.last.1 + 1 } else { 0 };
                    let factor = self.controller.accepted(&estimate);
                    let next = match tried {
                        // A step cut short says little about the next.
                        Some(whole) => (h * factor).max(AFTER_CHANGE * whole).min(whole),
                        None if last => self.h.max(h * factor),
                        None => h * factor,
                    };
                    // What holds a motion on a surface is looked at in parts of a step, and not in longer
                    // and longer ones before it was seen to change little.
                    let next = if self.is_held() { next.min(2.0 * h) } else { next };
                    self.h = self.step.limit(next).max(h_min);
                    return Ok(StepRecord { t: span.t_next, h, iterations, theta: estimate.theta });
                }
                Ok(Attempt { estimate, .. }) => {
                    self.stats.rejected += 1;
                    (crossing, tries) = (None, 0);
                    self.h = (h * self.controller.rejected(&estimate)).max(h_min);
                    if h <= h_min {
                        return Err(StepError::StepSizeCollapsed {
                            t,
                            h,
                            cause: format!(
                                "the estimated error stays {:.1e} times the tolerance",
                                estimate.theta.sqrt()
                            ),
                            worst: estimated_name(
                                &self.system,
                                &self.stepper.blocks(),
                                estimate.worst,
                            ),
                        });
                    }
                }
                Err(failure) => {
                    self.stats.newton_failures += 1;
                    self.stepper.distrust();
                    (crossing, tries) = (None, 0);
                    if matches!(failure, Failure::NotFinite { .. }) && self.free_those_passed(span)
                    {
                        continue;
                    }
                    self.h = (h * self.controller.failed()).max(h_min);
                    if h <= h_min {
                        return Err(self.collapsed(&failure, span));
                    }
                }
            }
        }
    }

    /// The part of an attempted step at the end of which a guard has changed its outcome, if one
    /// changes within.
    fn change(&mut self, span: StepSpan, along: Along) -> Option<f64> {
        if !self.guards.any_free(&self.from) {
            return None;
        }
        let [mut before, mut now] = std::mem::take(&mut self.signs);
        let settled = SETTLED * (self.last.0 / span.h).max(1.0);
        let cluster = &mut self.cluster;
        cluster.within.clear();
        if span.t < cluster.end {
            cluster.within.extend(&cluster.changed);
        }
        let clustered = (cluster.end - span.t) / span.h;
        self.guards.signs(&self.from, &mut before);
        let mut start = 0.0;
        let mut found = None;
        'instants: for instant in INSTANTS {
            self.look(span, instant, along, &mut now);
            while now != before {
                let (mut low, mut high) = (start, instant);
                while high - low > LOCATED {
                    let middle = 0.5 * (low + high);
                    self.look(span, middle, along, &mut now);
                    if now == before {
                        low = middle;
                    } else {
                        high = middle;
                    }
                }
                self.look(span, high, along, &mut now);
                let changed = (0..now.len()).filter(|&guard| now[guard] != before[guard]);
                let known = self.cluster.within.len();
                self.cluster.within.extend(changed);
                let (before_it, these) = self.cluster.within.split_at(known);
                let again = these.iter().any(|guard| before_it.contains(guard));
                if high > settled && (again || high > clustered) && high < 1.0 - SETTLED {
                    found = Some(high);
                    break 'instants;
                }
                // The one the step began or ends at, or one of a cluster.
                std::mem::swap(&mut before, &mut now);
                self.look(span, instant, along, &mut now);
                start = high;
                if high >= instant {
                    break;
                }
            }
            start = instant;
        }
        // A stage whose forces act by another outcome than the interpolation has there: the step is too
        // long to tell, and its force acts for a third of it.
        let stages = if along == Along::Step { self.stepper.inner_points().len() } else { 0 };
        for stage in 0..stages {
            let Some(point) = self.stepper.inner_points().get(stage).filter(|_| found.is_none())
            else {
                break;
            };
            let part = (point.t() - span.t) / span.h;
            self.guards.signs(point, &mut before);
            self.look(span, part, along, &mut now);
            if before != now && part > settled {
                found = Some(part);
            }
        }
        self.signs = [before, now];
        found
    }

    /// Outcomes of the guards at a part of an attempted step.
    fn look(&mut self, span: StepSpan, part: f64, along: Along, signs: &mut Vec<i8>) {
        if along == Along::Before {
            self.go_on(part * span.h);
            self.guards.signs(&self.within, signs);
        } else if part >= 1.0 {
            self.guards.signs(&self.to, signs);
        } else {
            let t = span.t + part * span.h;
            self.stepper.interpolate(&self.from, &self.to, t, &mut self.within);
            self.guards.signs(&self.within, signs);
        }
    }

    /// The motion a time `h` after the beginning of the step as its accelerations there have it.
    fn go_on(&mut self, h: f64) {
        self.within.copy_from(&self.from);
        self.within.set_t(self.from.t() + h);
        for (kind, rate, half) in [
            (SlotKind::Q, SlotKind::V, 0.5 * h * h),
            (SlotKind::V, SlotKind::A, 0.0),
            (SlotKind::X, SlotKind::Xd, 0.0),
        ] {
            let (rates, a) = (self.from.get(rate), self.from.a());
            for (i, x) in self.within.get_mut(kind).iter_mut().enumerate() {
                *x += h * rates[i];
                if half > 0.0 {
                    *x += half * a[i];
                }
            }
        }
    }

    /// The step size to try, so that no tiny step is left before the end.
    fn cut(&self, remaining: f64) -> f64 {
        if self.h >= remaining * (1.0 - STRETCH) {
            remaining
        } else if self.h > 0.5 * remaining {
            0.5 * remaining
        } else {
            self.h
        }
    }

    /// The size of the last step where this one's differs by the rounding of time only, as those of the
    /// two halves of a remainder do: what a method keeps from step to step, the rate of Newton's iteration
    /// and the count of equal steps, must not hang on the last bit of `t`.
    fn alike(&self, h: f64, t_next: f64) -> f64 {
        let rounding = (2.0 * f64::EPSILON * t_next.abs()).min(STRETCH * h);
        if (h - self.last.0).abs() <= rounding { self.last.0 } else { h }
    }

    /// A step of the prescribed size. One whose equations Newton's iteration does not solve is
    /// halved until it does, and the grid of the prescribed steps reached again by as few parts as
    /// can be solved.
    fn prescribed(&mut self, t_end: f64) -> Result<Accepted, StepError> {
        let t = self.from.t();
        let (whole, t_next) = match self.rest {
            Some(rest) => (rest.whole, rest.t_next),
            None => self.step.next(self.origin, t),
        };
        let h = if self.rest.is_some() { t_next - t } else { whole };
        let remaining = t_end - t;
        let full = if h >= remaining * (1.0 - STRETCH) {
            // Equal steps that end at t_end but for rounding keep their size.
            let h = if h <= remaining * (1.0 + STRETCH) { h } else { remaining };
            StepSpan { t, t_next: t_end, h }
        } else {
            StepSpan { t, t_next, h }
        };
        let needed = self.timetable.bounded(t, full.h);
        let known = self.overstepped.map_or(full.h * (1.0 - STRETCH), |known| known.needed);
        if needed < known {
            self.overstepped = Some(Overstepped { t, needed });
        }
        // A comparison with time is met by a part of the step, or by its end where it is near.
        let (grid, stop) = (full.t_next, self.timetable.stop(t));
        let breaks_in = stop < grid - STRETCH * whole;
        let full = if breaks_in {
            StepSpan { t, t_next: stop, h: stop - t }
        } else if stop <= grid + STRETCH * whole {
            StepSpan { t_next: stop, ..full }
        } else {
            full
        };
        let accuracy = self.step.accuracy();
        let mut h = self.rest.map_or(full.h, |rest| 2.0 * rest.part);
        let mut anew = false;
        let (mut tries, mut tried) = (0, 0.0);
        loop {
            let span =
                if h >= full.h * (1.0 - STRETCH) { full } else { StepSpan { t, t_next: t + h, h } };
            let mut attempt = self.attempt(span, accuracy);
            if attempt.is_err() {
                // Once more from the last values, with a matrix of its own.
                self.stats.newton_failures += 1;
                self.stepper.distrust();
                attempt = self.attempt(span, accuracy);
            }
            match attempt {
                Ok(Attempt { iterations, .. }) => {
                    if tries == 0 {
                        tried = span.h;
                    }
                    let ends = match self.crossed(span, tries, tried) {
                        Crossed::No => false,
                        Crossed::Ends => true,
                        Crossed::Again => {
                            tries = 0;
                            continue;
                        }
                        Crossed::Sooner(sooner) => {
                            tries += 1;
                            h = sooner;
                            continue;
                        }
                        Crossed::TooLong if 0.5 * span.h < SMALLEST_PART * whole => {
                            return Err(self.collapsed_on_surface(span));
                        }
                        Crossed::TooLong => {
                            tries = 0;
                            h = 0.5 * span.h;
                            continue;
                        }
                    };
                    if ends && span != full {
                        // The rest of the step is as whole as it was.
                        self.rest = Some(Rest { t_next: grid, whole, part: whole });
                    } else if span == full && !breaks_in {
                        self.rest = None;
                        self.origin.1 += 1;
                    } else {
                        let part = if span == full { whole } else { span.h };
                        self.rest = Some(Rest { t_next: grid, whole, part });
                    }
                    return Ok(StepRecord { t: span.t_next, h: span.h, iterations, theta: 0.0 });
                }
                Err(failure) => {
                    self.stats.newton_failures += 1;
                    if matches!(failure, Failure::NotFinite { .. }) && self.free_those_passed(span)
                    {
                        self.stepper.distrust();
                        continue;
                    }
                    let hopeless = !matches!(failure, Failure::Diverged { .. });
                    if hopeless || 0.5 * span.h < SMALLEST_PART * whole {
                        if let Some(error) = self.fed_no_number(span.t_next) {
                            return Err(error);
                        }
                        let at = &self.to;
                        let blocks = self.stepper.blocks();
                        let failure = (&failure, self.stepper.divergence());
                        return Err(step_error(&self.system, &blocks, failure, at, t, span.h));
                    }
                    if !std::mem::replace(&mut anew, true) {
                        self.reconcile();
                    }
                    self.stepper.distrust();
                    h = 0.5 * span.h;
                }
            }
        }
    }

    /// Begins anew from the velocities on the constraints, before a step is cut: methods
    /// of index 3 leave them by O(h²), and a step much smaller would make accelerations of it that
    /// grow with 1/h. Where it cannot be done the point stays as it is.
    fn reconcile(&mut self) {
        self.to.copy_from(&self.from);
        if let Ok(true) = reconcile(&self.system, &mut self.to) {
            self.from.copy_from(&self.to);
            self.stepper.start(&self.system, &self.from);
        }
    }

    /// Whether velocities violate the constraints by more than a step may err by.
    fn drifts_in_velocity(&self) -> bool {
        let Accuracy::Tolerance(eps) = self.step.accuracy() else { return false };
        let rate = self.scales.rate();
        let relative = |(v, size): (&f64, &f64)| v.abs() / (size * rate);
        let violations = self.pieces.gdot.iter().zip(self.scales.holonomic()).map(relative);
        violations.fold(0.0, f64::max) > VELOCITY_DRIFT * eps
    }

    fn attempt(&mut self, span: StepSpan, accuracy: Accuracy) -> Result<Attempt, Failure> {
        let (system, stats) = (&*self.system, &mut self.stats);
        let to = &mut self.to;
        to.hold_as(&self.from);
        self.stepper
            .attempt(system, &self.from, span, accuracy, to, stats)
            .map_err(|failure| judged(&self.stepper.blocks(), failure, to))
    }

    /// No step from here shows what holds the motion on a surface.
    fn collapsed_on_surface(&self, span: StepSpan) -> StepError {
        let row = self.system.slides().iter().position(|&slides| slides).unwrap_or(0);
        let row = self.system.model().stated_nonholonomic() + row;
        StepError::StepSizeCollapsed {
            t: span.t,
            h: span.h,
            cause: "what the motion is held with where it sticks changes too fast".into(),
            worst: self.system.scalar_name(SlotKind::Psi, row),
        }
    }

    /// An input that is no number at the end of a step.
    fn fed_no_number(&self, t: f64) -> Option<StepError> {
        let values = self.system.signals().iter().map(|signal| signal.value(t));
        let (index, value) = values.enumerate().find(|(_, value)| !value.is_finite())?;
        let input = self.system.model().inputs().nth(index)?.name.clone();
        Some(StepError::Input { t, input, value })
    }

    fn collapsed(&self, failure: &Failure, span: StepSpan) -> StepError {
        if let Some(error) = self.fed_no_number(span.t_next) {
            return error;
        }
        match *failure {
            Failure::Diverged { worst, .. } => StepError::StepSizeCollapsed {
                t: span.t,
                h: span.h,
                cause: self.stepper.divergence().into(),
                worst: unknown_name(&self.system, &self.stepper.blocks(), worst),
            },
            _ => {
                let (blocks, failure) =
                    (self.stepper.blocks(), (failure, self.stepper.divergence()));
                step_error(&self.system, &blocks, failure, &self.to, span.t, span.h)
            }
        }
    }

    /// Enters the step in the power balance.
    fn book(&mut self) {
        let [before, after] = &self.forces;
        let (from, to, pieces) = (&self.from, &self.to, &self.pieces);
        let ends = StepEnds { from, to, before, after, pieces };
        let energy = self.stepper.energy(&self.system, &ends);
        self.ledger.enter(&ends, energy, &self.scales);
    }

    /// Decides again which rows are redundant, since rows that were are violated at the end of a
    /// step. `None` when everything stays as it is; otherwise the point reached is consistent with
    /// the new decision, and may be the beginning of the step.
    fn reconsider(&mut self, record: StepRecord) -> Result<Option<StepRecord>, StepError> {
        let t = self.to.t();
        let mut system = self.system.clone().into_owned();
        let before = system.clone();
        let mut at = self.to.clone();
        let decided = reconsider_rank(&mut system, &self.from, &mut at);
        let Some(rank) = decided.map_err(|cause| StepError::Constraints { t, cause })? else {
            self.suspicion.allay();
            return Ok(None);
        };
        self.adopt(&before, system, &rank, &at)?;
        Ok(Some(StepRecord { t: at.t(), ..record }))
    }

    /// Chooses again which of the redundant rows are left out, where a step from the point reached could
    /// not be solved; whether there was a better choice.
    fn choose_rows(&mut self) -> Result<bool, StepError> {
        let t = self.to.t();
        let mut system = self.system.clone().into_owned();
        let before = system.clone();
        let mut at = self.to.clone();
        let chosen = choose_rows_again(&mut system, &mut at);
        let Some(rank) = chosen.map_err(|cause| StepError::Constraints { t, cause })? else {
            return Ok(false);
        };
        let rest = self.rest;
        self.adopt(&before, system, &rank, &at)?;
        self.rest = rest;
        Ok(true)
    }

    /// Goes on with other redundant rows, from a point that is consistent with them.
    fn adopt(
        &mut self,
        before: &System,
        system: System,
        rank: &Rank,
        at: &Point,
    ) -> Result<(), StepError> {
        let stepper = self.method.stepper(&system, at);
        self.stepper = stepper.map_err(|cause| StepError::NotContinued { t: at.t(), cause })?;
        self.stepper.measure(&self.scales);
        self.controller = Controller::default();
        self.controller.growth = self.stepper.growth();
        self.rank_changes.push(RankChange::new(before, &system, at.t(), rank));
        self.system = Cow::Owned(system);
        self.between = None;
        self.suspicion = Suspicion::new(&self.system, at);
        let (from, origin) = (self.from.clone(), self.origin);
        let (clockwork, alarm) = (std::mem::take(&mut self.clockwork), self.timetable.alarm);
        self.restart(at);
        // What has happened by the clock does not happen again.
        (self.clockwork, self.timetable.alarm) = (clockwork, alarm);
        // What the step covered can still be interpolated, and prescribed steps go on.
        self.from.copy_from(&from);
        self.origin = origin;
        Ok(())
    }

    /// Evaluates what is carried and watched at the point reached; rows that are not in the equations
    /// too.
    fn evaluate(&mut self) {
        let weights = Weights::of(&self.to);
        let mut evaluate =
            |want| self.system.eval_every_row(&self.to, &weights, want, &mut self.pieces);
        // The balance sums over all statements, which takes what is asked for with it from the
        // threads that a large system is divided among.
        if self.to.flat().len() <= TOGETHER {
            evaluate(observed() | Want::BALANCE);
        } else {
            evaluate(observed());
            evaluate(Want::BALANCE);
        }
    }

    /// Takes account of what was evaluated, and leaves the rows of the equations.
    fn watch(&mut self) {
        self.forces.swap(0, 1);
        for (i, force) in self.forces[1].iter_mut().enumerate() {
            *force = self.pieces.f[i] - self.pieces.reaction[i];
        }
        let largest = |values: &[f64]| values.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let pieces = &self.pieces;
        self.drift.position = self.drift.position.max(largest(&pieces.g));
        self.drift.velocity =
            self.drift.velocity.max(largest(&pieces.gdot)).max(largest(&pieces.k));
        self.system.silence(&mut self.pieces);
        if self.scales.raise(&self.to, &self.pieces) || self.stats.steps == 0 {
            self.stepper.measure(&self.scales);
        }
    }

    fn observe(&mut self) {
        self.evaluate();
        self.watch();
    }

    fn count(&mut self, h: f64) {
        let stats = &mut self.stats;
        stats.h_min = if stats.steps == 0 { h } else { stats.h_min.min(h) };
        stats.h_max = stats.h_max.max(h);
        stats.steps += 1;
        stats.substituted += usize::from(self.sliding.substituted);
    }

    /// A first step from the data, unless one is given: ε^{1/3}/10 of the shortest time scale
    /// among those of the motion, 1/‖v‖ and 1/√‖a‖, of the states, 1/‖ẋ‖, with the norms
    /// weighted as in the error test, and the length of the run (1 s with the published weights).
    /// The error test corrects it.
    fn first_step(&self) -> f64 {
        if let Some(h) = self.step.h_first() {
            return h;
        }
        let tolerance = match self.step.accuracy() {
            Accuracy::Tolerance(eps) => eps,
            Accuracy::RoundOff => 1.0,
        };
        let p = &self.to;
        let (of_q, of_x) = (self.scales.q().weights(), self.scales.x().weights());
        let (v, a, xd) = (rms(p.v(), of_q), rms(p.a(), of_q), rms(p.xd(), of_x));
        let slowest = match self.step.weighting() {
            Weighting::Published => 1.0,
            Weighting::Model if self.span > 0.0 => 1.0 / self.span,
            Weighting::Model => self.scales.rate(),
        };
        let fastest = v.max(a.sqrt()).max(xd);
        let h = 0.1 * tolerance.cbrt().min(1.0) / fastest.max(slowest);
        self.step.limit(if h > 0.0 { h } else { SMALLEST.sqrt() / slowest })
    }
}
