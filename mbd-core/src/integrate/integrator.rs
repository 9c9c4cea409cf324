//! The driver: steps a method, chooses step sizes, recovers from failures, counts.

mod abrupt;
mod accumulation;
mod adaptive;
mod ahead;
mod applied;
mod attempt;
mod bracket;
mod carried;
mod changes;
mod clockwork;
mod contacts;
mod crossing;
mod dip;
mod events;
mod grazing;
mod hop;
mod impulses;
mod jolt;
mod jumps;
mod modes;
mod of_states;
mod order;
mod placed;
mod plane;
mod prescribed;
mod redundancy;
mod saltation;
mod sensed;
mod shares;
mod sliding;
mod slips;
mod spread;
mod stand_in;
mod state;
mod tied;
mod watch;

use super::balance::Ledger;
use super::between::Between;
use super::companion::{Companion, Watched};
use super::controller::Controller;
use super::guards::Guards;
use super::mass::MassWatch;
use super::method::Method;
use super::quadrature::Quadrature;
use super::resolution::Resolution;
use super::scheme::{Accuracy, Probe, StepSpan, Stepper};
use super::step::Step;
use super::struggle::Attempts;
use super::timetable::{Overstepped, Timetable};
use super::weights::rms;
use crate::assembly::{Point, Residual, System};
use crate::error::{OptionError, StepError};
use crate::scales::{Scales, Weighting};
use crate::solution::{
    Balance, Coarse, Drift, ErrorEstimate, RankChange, Stats, StepRecord, Unestimated,
};
use crate::start::Suspicion;
use carried::{Clockwork, Cluster, Events, Saltations, Sliding};
use std::borrow::Cow;

/// Smallest step relative to the larger of |t| and the length of the run.
const SMALLEST: f64 = 1e-14;

/// A remainder up to this part of a step is taken along with it rather than left as a tiny one.
const STRETCH: f64 = 1e-9;

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
    rank_change_count: usize,
    /// The rows that are redundant, by name, as far as they have been looked at since contacts and constraints come and go.
    shared: Vec<String>,
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
    /// Made when powers at the ends of steps first say too little.
    quadrature: Option<Box<Quadrature>>,
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
    /// Attempts whose equations could not be solved.
    attempts: Attempts,
    /// The last accepted step, and how many in a row ended at changes of guards.
    last: (f64, usize),
    cluster: Cluster,
    overstepped: Option<Overstepped>,
    resolution: Resolution,
    companion: Result<Box<Companion>, Unestimated>,
    saltations: Saltations,
    /// Whether the last attempt was not the method's (`hop.rs`), and how many steps in a row were not.
    hopped: (bool, usize),
    /// An event that was refused, where the motion ends.
    refused: Option<StepError>,
}

/// The end of a prescribed step that is taken in parts, its size, that of the last part and of the largest that could be
/// taken.
#[derive(Clone, Copy)]
struct Rest {
    t_next: f64,
    whole: f64,
    part: f64,
    largest: f64,
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
        Self::of(Cow::Borrowed(system), method, step, start, start.t())
    }

    /// The same for a run that is to end at `t_end`, in s: what moves without a spring or a constraint that tells a length
    /// is measured by how far it goes until then ([`scales`](crate::scales)), and so is what touches at the start.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn until(
        system: &'a System,
        method: &Method,
        step: Step,
        start: &Point,
        t_end: f64,
    ) -> Result<Self, OptionError> {
        Self::of(Cow::Borrowed(system), method, step, start, t_end)
    }

    /// The same with a system of its own, for a run that is to end at `t_end` if that is known.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn owning(
        system: System,
        method: &Method,
        step: Step,
        start: &Point,
        t_end: Option<f64>,
    ) -> Result<Integrator<'static>, OptionError> {
        Integrator::of(Cow::Owned(system), method, step, start, t_end.unwrap_or(start.t()))
    }

    fn of(
        shared: Cow<'a, System>,
        method: &Method,
        step: Step,
        start: &Point,
        t_end: f64,
    ) -> Result<Self, OptionError> {
        step.check()?;
        let system = &*shared;
        let mut stepper = method.stepper(system, start)?;
        stepper.start(system, start);
        let scales = Scales::new(system, start, t_end, step.weighting());
        let mut controller = Controller::default();
        controller.growth = stepper.growth();
        let mut integrator = Integrator {
            method: method.clone(),
            suspicion: Suspicion::new(system, start),
            rank_changes: Vec::new(),
            rank_change_count: 0,
            shared: Vec::new(),
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
            quadrature: None,
            mass: Some(MassWatch::new(system)),
            forces: [vec![0.0; start.v().len()], vec![0.0; start.v().len()]],
            timetable: Timetable::new(system, start),
            clockwork: Clockwork::default(),
            guards: Guards::new(system),
            events: Events::default(),
            sliding: Sliding::default(),
            signs: Default::default(),
            within: start.clone(),
            attempts: Attempts::default(),
            last: (0.0, 0),
            cluster: Cluster::default(),
            overstepped: None,
            resolution: Resolution::new(start),
            companion: Err(Unestimated::NotAsked),
            saltations: Saltations::default(),
            hopped: (false, 0),
            refused: None,
            step,
            system: shared,
        };
        integrator.know_shared(start);
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

    /// Where it was decided anew which constraint rows are redundant: the first such changes, and those later ones
    /// that leave open what none before did.
    pub fn rank_changes(&self) -> &[RankChange] {
        &self.rank_changes
    }

    /// How many such changes there were.
    pub fn rank_change_count(&self) -> usize {
        self.rank_change_count
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

    /// Work, dissipation, what the method's damping took by its formulas, what events changed the energy by, and the
    /// remainder so far, in J; `None` where statements written by hand do not state their power.
    pub fn account(&self) -> Option<[f64; 5]> {
        self.ledger.account()
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
    /// solution, as in a singular position. At the ends of adaptive steps q, v and x are the method's, and the
    /// rest is solved for likewise; the ends of prescribed steps are as the method left them. Costs a few evaluations, and a
    /// factorization at ends and now and then between them.
    pub fn interpolate(&mut self, t: f64, out: &mut Point) {
        let Integrator { system, stepper, step, scales, between, from, to, .. } = self;
        let (system, stepper) = (&**system, &**stepper);
        match [&*from, &*to].into_iter().rfind(|end| end.t() == t) {
            Some(end) if step.is_adaptive() => {
                let h = to.t() - from.t();
                Between::complete(between, (system, stepper), scales, h, end, out);
            }
            Some(end) => out.copy_from(end),
            None => {
                let between = between.get_or_insert_with(|| Between::new(system, stepper));
                between.fill(system, stepper, (from, to), t, out);
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
        self.between = None;
        self.last = (0.0, 0);
        self.cluster = Cluster::default();
        self.origin = (at.t(), 0);
        self.rest = None;
        self.refused = None;
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
        self.note_instant();
        let listed = self.events.list.len();
        if let Some(refused) = &self.refused {
            return Err(refused.clone());
        }
        let set = self.clockwork.set;
        if let Err(error) = self.pass_instant(t_end) {
            // What an input does that was set from outside another value may mend.
            self.refused = Some(error.clone()).filter(|_| !set);
            return Err(error);
        }
        self.name_instant(listed);
        let there = t_end <= self.to.t() || self.reach(t_end) || self.reach_next(t_end);
        if self.stopped().is_some() || there {
            self.close_instant();
            return Ok(StepRecord { t: self.to.t(), h: 0.0, iterations: 0, theta: 0.0 });
        }
        // Where it cannot be done the rows stay as they are, and the step tells what is the matter.
        if self.suspicion.is_far(&self.to, self.h, &self.scales)
            && matches!(self.choose_rows(true), Ok(true))
        {
            self.look_ahead(t_end);
        }
        if std::mem::take(&mut self.fresh) {
            if self.stats.steps == 0 && self.scales.depend_on_span() {
                // What forces do over the run says more of a motion from rest than its start.
                let weighting = self.step.weighting();
                let eps = match self.step.accuracy() {
                    Accuracy::Tolerance(eps) => eps,
                    Accuracy::RoundOff => f64::INFINITY,
                };
                let Integrator { system, to, guards, .. } = self;
                let mut undisturbed = |times| guards.undisturbed(to, times);
                self.scales = Scales::until(system, to, ahead, weighting, eps, &mut undisturbed);
                self.observe();
            }
            self.h = self.first_step();
        }
        if self.stats.steps == 0 {
            self.look_at_mass()?;
        }
        let place = (self.origin, self.rest);
        std::mem::swap(&mut self.from, &mut self.to);
        let accepted =
            if self.step.is_adaptive() { self.adaptive(t_end) } else { self.prescribed(t_end) };
        match accepted {
            Ok(record) => {
                self.agrees()?;
                self.evaluate();
                if self.suspicion.arises(&self.pieces.g, &self.pieces.k) {
                    match self.reconsider(record) {
                        Ok(None) => {}
                        // The step is taken again with other rows.
                        Ok(Some(record)) if record.t <= self.from.t() => {
                            self.stats.rejected += 1;
                            (self.origin, self.rest) = place;
                            return self.step_once(t_end);
                        }
                        Ok(Some(record)) => {
                            self.count(record.h);
                            return Ok(record);
                        }
                        // A step that goes past where the rows kept depend on each other ends anywhere; a shorter one
                        // shows them in time.
                        Err(_) if self.shorten(record.h) => {
                            (self.origin, self.rest) = place;
                            return self.step_once(t_end);
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
                self.take();
                self.close_instant();
                let near = self.nears(record.h);
                self.hold_again();
                self.count(record.h);
                self.keeps_gaps()?;
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
                        looks: near.is_some() || self.from.sides() != self.to.sides(),
                        t_end,
                        stats: &self.stats,
                    };
                    companion.observe(&run);
                    if let Some(near) = near
                        && companion.may_cross(&self.to, near, &mut self.guards)
                    {
                        self.events.grazed.get_or_insert((near.t, near.guard, near.side));
                    }
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
                if self.system.has_redundant_rows() && self.choose_rows(false).unwrap_or(false) {
                    (self.origin, self.rest) = place;
                    return self.step_once(t_end);
                }
                Err(error)
            }
        }
    }

    /// Lets everything happen that happens at the point reached.
    fn pass_instant(&mut self, t_end: f64) -> Result<(), StepError> {
        self.turn(true);
        self.agrees()?;
        self.read_timetable(t_end)?;
        if self.happen()? {
            self.read_timetable(t_end)?;
        }
        self.agrees()
    }

    /// How long the run is; where it begins, and that is not known yet, the time in which the motion changes.
    fn whole(&self) -> f64 {
        if self.span > 0.0 { self.span } else { 1.0 / self.scales.rate() }
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
