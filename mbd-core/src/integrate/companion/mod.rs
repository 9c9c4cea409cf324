//! The estimate of the global error: a second, better solution carried along with the first.
//!
//! The *companion* starts where the run starts and is continued by Radau IIA with five or seven
//! stages (order 9 or 13, index-1 form) over *macro-steps* that are as long as the motion allows and
//! span many steps of the method: how the run came by its points does not matter, so one estimate
//! serves every method. What makes it cheap is that the run itself is nearly the solution. It is read
//! at the stages' instants from the dense output, and its rates there are the starting values: what
//! Newton's iteration is left to find is the change of the error. One matrix, from the middle, stands
//! for all stages; what it misses the iteration learns from its own corrections (`mixing`).
//!
//! The companion's own error in a macro-step, known from how fast the coefficients of its accelerations
//! decrease, and what its iteration leaves, are held to a small part of what the run's error changes by.
//! A macro-step that cannot keep to it is taken in parts. Macro-steps end where the run's steps end for
//! something that changes, a comparison of the motion or of time.
//!
//! *The budget.* What the companion may take is a part of the run's own work. Where the next macro-step
//! would take more, it is not followed: the difference of the two is carried along as it is, but for the
//! part that is a delay, which the motion carries along exactly. What the run has made of its error in the
//! meantime is made up for at the end, in proportion to time.
//!
//! The error is the difference of the two at the end of each macro-step, relative to the largest
//! value of its kind so far. The estimate is its largest value over the run.

mod macro_step;
mod mixing;
mod reactions;
mod solver;
mod tableau;

use super::guards::Guards;
use super::radau5::{Form, Formulas, Levels};
use super::scheme::Stepper;
use super::timetable::Timetable;
use crate::assembly::{Point, Residual, SlotKind, System, Want};
use crate::checkpoint::State;
use crate::scales::Scales;
use crate::solution::{ErrorEstimate, Stats, Unestimated};
use crate::start::reconcile;
use macro_step::{Errors, Macro};
use mixing::Mixing;
use reactions::Reactions;
use solver::Stages;
use tableau::{Order, Tableau};

/// Newton iterations of a macro-step at most, and from which number on the next is no longer, or
/// shorter.
const MOST_ITERATIONS: usize = 14;
const MANY_ITERATIONS: usize = 7;
const TOO_MANY_ITERATIONS: usize = 10;

/// Part of the error that the companion's own error may be, and what is left of its iteration: while it
/// takes less than the first part of the run's work, and from the second on.
const PART: [f64; 2] = [0.1, 0.3];
const BUDGET: [f64; 2] = [0.15, 0.4];

/// Part of the run's work that the companion may take, beyond which no macro-step is begun, and beyond which
/// one is given up: beside methods of order 2, and beside those of higher order, whose steps are as long as
/// the macro-steps and whose errors one has to follow all the way.
const MOST: [f64; 2] = [0.5, 1.0];
const AT_ONCE: [f64; 2] = [0.7, 1.2];

/// What is still to come of the run's work counts up to this part of what was.
const TO_COME: f64 = 2.0;

/// Part of the time that is followed at least, likewise: errors of order 2 are made everywhere.
const FOLLOWED: [f64; 2] = [0.15, 0.25];

/// Part of that which may be left of its iteration: corrections decrease fast in most of the motion, and say
/// little of what decreases slowly, as the phase of a fast spin, and adds up over macro-steps.
const LEFT: f64 = 0.1;

/// Part of a step's tolerance below which nothing is asked for.
const LEAST: f64 = 0.05;

/// The companion's own error over what it may be beyond which a macro-step is taken again in parts.
const REJECTED: f64 = 3.0;

/// The ratio of corrections supposed before one is known.
const FIRST_RATE: f64 = 0.3;

/// Corrections at most that take the end of a macro-step onto the constraints, and the ratio of them
/// beyond which they take a matrix of their own.
const PROJECTIONS: usize = 8;
const SLOWEST: f64 = 0.2;

/// Relative errors beyond which the run says nothing of the solution.
const LOST: f64 = 3.0;

/// Changes of the size of macro-steps.
const GROW: f64 = 2.0;
const SMALLEST_PART: f64 = 1.0 / 256.0;
const SHRINK: f64 = 0.3;

/// After a failure the length stays below this part of the failed one, and that bound grows by this
/// factor from macro-step to macro-step.
const AFTER_FAILURE: f64 = 0.6;
const RECOVERY: f64 = 1.1;

/// Steps of the run that the first macro-step spans, of the size of the first.
const FIRST_STEPS: f64 = 20.0;

/// Part of a macro-step by which points of the run differ at least to tell its rates.
const NEAR: f64 = 0.02;

/// The errors that the steps make themselves are looked at in the first macro-steps of twice the number
/// of the one before, and then in one of so many, by as many
/// corrections at most, until what is left is this part of them.
const SAMPLED: usize = 8;
const CORRECTIONS: usize = 4;
const ENOUGH: f64 = 0.3;

/// Work in units of a residual: of a matrix, of a factorization, and of what else a step of the run does.
const MATRIX: f64 = 3.0;
const FACTORIZATION: f64 = 2.0;
const STEP: f64 = 2.0;

/// The companion of a run.
pub(super) struct Companion {
    m: Macro,
    levels: Levels,
    solver: Stages,
    mixing: Mixing,
    pieces: Residual,
    next: Point,
    /// The beginning of a macro-step.
    saved: Point,
    /// Length of the macro-step that the run is passing, 0 before it is chosen.
    planned: f64,
    /// Number of instants that the run has passed.
    passed: usize,
    stage: Point,
    t_start: f64,
    b: Vec<f64>,
    rest: Vec<f64>,
    kept: Vec<f64>,
    rhs: Vec<f64>,
    /// Largest errors of q, v, x over the run.
    absolute: [Vec<f64>; 3],
    reactions: Reactions,
    /// What one step may use up of the tolerance.
    eps: f64,
    rate: f64,
    errors: Errors,
    largest: Errors,
    /// Why there is no estimate any more.
    ended: Option<Unestimated>,
    /// Length above which macro-steps have failed.
    bound: f64,
    /// What the steps themselves made, and how fast at the last look.
    made: f64,
    making: f64,
    /// Work of the companion in units of a residual, and of the run when it began.
    work: f64,
    /// Part of the error that its own may be now.
    part: f64,
    /// Macro-steps so far.
    leaps: usize,
    /// Parts of the run's work that it may take ([`MOST`], [`AT_ONCE`]), and of the time that it has to follow.
    most: f64,
    least: f64,
    at_once: f64,
    /// Work of the last one that was followed.
    usual: f64,
    /// Steps of the run in the macro-step, what was followed, and all of it.
    steps: f64,
    followed: Extent,
    passing: Extent,
}

/// A part of the run: its length in time, and its steps.
#[derive(Clone, Copy, Debug, Default)]
struct Extent {
    time: f64,
    steps: f64,
}

impl Extent {
    fn add(&mut self, time: f64, steps: f64) {
        self.time += time;
        self.steps += steps;
    }

    /// The part of `whole` that it is: by time or by steps, whichever is less. Steps are chosen to make
    /// errors of one size each, so errors are made where steps are short, be it in a short time.
    fn part_of(self, whole: Extent) -> f64 {
        (self.time / whole.time).min(self.steps / whole.steps)
    }
}

/// What the companion sees of the run: the accepted step from `from` to `to`.
pub(super) struct Watched<'a> {
    pub(super) system: &'a System,
    pub(super) stepper: &'a dyn Stepper,
    pub(super) scales: &'a Scales,
    pub(super) from: &'a Point,
    pub(super) to: &'a Point,
    pub(super) timetable: &'a Timetable,
    /// Whether the step ends where the equations change.
    pub(super) breaks: bool,
    /// When the run ends.
    pub(super) t_end: f64,
    pub(super) stats: &'a Stats,
}

impl Watched<'_> {
    /// The run's work so far in units of a residual.
    fn work(&self) -> f64 {
        let (stats, stages) = (self.stats, self.stepper.stages());
        stages * (stats.residuals + stats.newton_iterations) as f64
            + MATRIX * stats.jacobians as f64
            + FACTORIZATION * (2.0 * stages - 1.0) * stats.factorizations as f64
            + STEP * stats.steps as f64
    }

    /// The work that the companion's is held against: what it was and, up to a part of it, what it will be if
    /// it goes on as since `start`.
    fn affords(&self, start: f64) -> f64 {
        let work = self.work().max(1.0);
        let to_come = (self.t_end - self.to.t()) / (self.to.t() - start);
        work * (1.0 + to_come.clamp(0.0, TO_COME))
    }
}

/// A macro-step passed, in one part or several.
struct Passed {
    /// The companion's own error.
    local: f64,
    /// The largest number of iterations.
    iterations: usize,
}

/// Moves a point along its motion by a short time, with the accelerations and rates of another one.
fn shift(at: &mut Point, by: f64, rates: &Point) {
    let v = at.v().to_vec();
    for ((q, v), a) in at.q_mut().iter_mut().zip(v).zip(rates.a()) {
        *q += by * (v + 0.5 * by * a);
    }
    for (kind, rate) in [(SlotKind::V, SlotKind::A), (SlotKind::X, SlotKind::Xd)] {
        at.get_mut(kind).iter_mut().zip(rates.get(rate)).for_each(|(y, rate)| *y += by * rate);
    }
    at.set_t(at.t() + by);
}

impl Companion {
    /// Beside a method of this order, a step of which may use up `eps` of the tolerance.
    pub(super) fn new(system: &System, start: &Point, eps: f64, order: usize) -> Self {
        let high = order > 2;
        let tableau = Tableau::of_order(Order::of(order, eps));
        let stages = tableau.stages;
        let formulas = Formulas::new(system, Form::Acceleration);
        let levels = Levels::new(system, Form::Acceleration);
        let size = formulas.size();
        let dims = system.dims();
        Companion {
            solver: Stages::new(&levels, &tableau),
            levels,
            mixing: Mixing::new(stages * size, MOST_ITERATIONS - 1),
            pieces: Residual::new(&dims),
            next: start.clone(),
            saved: start.clone(),
            planned: 0.0,
            passed: 0,
            stage: start.clone(),
            t_start: start.t(),
            b: vec![0.0; stages * size],
            rest: vec![0.0; stages * size],
            kept: vec![0.0; stages * size],
            rhs: vec![0.0; size],
            absolute: [vec![0.0; dims.n], vec![0.0; dims.n], vec![0.0; dims.nx]],
            reactions: Reactions::new(dims.m, dims.p),
            eps,
            rate: FIRST_RATE,
            errors: Errors::default(),
            largest: Errors::default(),
            ended: None,
            bound: f64::INFINITY,
            made: 0.0,
            making: 0.0,
            work: 0.0,
            part: PART[0],
            leaps: 0,
            most: MOST[usize::from(high)],
            least: FOLLOWED[usize::from(high)],
            at_once: AT_ONCE[usize::from(high)],
            usual: 0.0,
            steps: 0.0,
            followed: Extent::default(),
            passing: Extent::default(),
            m: Macro {
                scales: [vec![1.0; dims.n], vec![1.0; dims.n], vec![1.0; dims.nx]],
                at: start.clone(),
                run: vec![start.clone(); stages + 1],
                nodes: stages + 1,
                weights: vec![0.0; stages * (stages + 1)],
                h: 0.0,
                u: vec![0.0; stages * size],
                formulas,
                tableau,
            },
        }
    }

    /// Follows the motion whatever it takes.
    pub(super) fn follow_at_any_cost(&mut self) {
        (self.most, self.at_once) = (f64::INFINITY, f64::INFINITY);
    }

    /// Saves or restores what it carries from step to step.
    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let Companion {
            m,
            levels: _,
            solver: _,
            mixing: _,
            pieces: _,
            next: _,
            saved: _,
            planned,
            passed,
            stage: _,
            t_start,
            b: _,
            rest: _,
            kept: _,
            rhs: _,
            absolute,
            reactions,
            eps: _,
            rate,
            errors,
            largest,
            ended,
            bound,
            made,
            making,
            work,
            part: _,
            leaps,
            most,
            least: _,
            at_once,
            usual,
            steps,
            followed,
            passing,
        } = self;
        m.state(state);
        for number in [
            planned,
            t_start,
            rate,
            bound,
            made,
            making,
            work,
            most,
            at_once,
            usual,
            steps,
            &mut followed.time,
            &mut followed.steps,
            &mut passing.time,
            &mut passing.steps,
        ] {
            state.number(number);
        }
        state.count(passed);
        state.require(*passed < m.run.len());
        absolute.iter_mut().for_each(|errors| state.numbers(errors));
        reactions.state(state);
        for Errors { q, v } in [errors, largest] {
            state.number(q);
            state.number(v);
        }
        let mut why = ended.unwrap_or_default();
        why.state(state);
        *ended = (why != Unestimated::NotAsked).then_some(why);
        state.count(leaps);
    }

    /// The estimate so far.
    pub(super) fn estimate(&self, scales: &Scales) -> Result<ErrorEstimate, Unestimated> {
        if let Some(why) = self.ended {
            return Err(why);
        }
        let relative = |errors: &[f64], scales: &[f64]| -> Option<f64> {
            let ratios = errors.iter().zip(scales).map(|(e, scale)| e / scale);
            ratios.reduce(f64::max)
        };
        let larger = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        let [q, v, x] = &self.absolute;
        let (lambda, psi) = self.reactions.errors();
        let scale = [scales.q(), scales.v(), scales.x()].map(|scale| scale.weights());
        // What was made where nobody looked.
        let more = match self.passing.time > 0.0 {
            true => match self.followed.part_of(self.passing) {
                part if part < self.least => return Err(Unestimated::Costly { part }),
                part => 1.0 / part,
            },
            false => 1.0,
        };
        let growth = more * self.largest.larger() / self.made;
        Ok(ErrorEstimate {
            q: larger(relative(q, scale[0]), relative(x, scale[2])).map(|q| more * q),
            v: relative(v, scale[1]).map(|v| more * v),
            lambda: larger(relative(lambda, scales.lambda()), relative(psi, scales.psi())),
            growth: growth.is_finite().then_some(growth),
        })
    }

    /// Takes an accepted step of the run.
    pub(super) fn observe(&mut self, run: &Watched<'_>) {
        if self.ended.is_some() {
            return;
        }
        let Watched { stepper, from, to, .. } = *run;
        // Sides that have no effect where they change, and free ones, change without an event.
        self.m.at.hold_as(from);
        self.m.run[0].hold_as(from);
        self.steps += 1.0;
        if self.m.h == 0.0 {
            self.m.h = FIRST_STEPS * (to.t() - from.t());
        }
        let inner = self.m.tableau.stages - 1;
        let start = self.m.at.t();
        if self.planned == 0.0 {
            let h = self.m.h.min(self.bound).min(run.t_end - start);
            self.planned = run.timetable.bounded(start, h);
        }
        let planned = self.planned;
        while self.passed < inner {
            let t = start + self.m.tableau.c[self.passed] * planned;
            if t >= to.t() {
                break;
            }
            stepper.interpolate(from, to, t, &mut self.m.run[self.passed + 1]);
            self.passed += 1;
        }
        let ends = run.breaks || to.t() >= start + planned * (1.0 - 1e-9);
        self.reactions.see(to, ends);
        // A step may be of no length where events follow each other within rounding.
        if !ends || to.t() <= start {
            return;
        }
        // Nodes too near to each other say nothing of rates.
        let near = NEAR * (to.t() - start);
        if self.passed > 0 && to.t() - self.m.run[self.passed].t() < near {
            self.passed -= 1;
        }
        self.m.nodes = self.passed + 2;
        self.m.run[self.passed + 1].copy_from(to);
        let scales = [run.scales.q(), run.scales.v(), run.scales.x()];
        for (own, scale) in self.m.scales.iter_mut().zip(scales) {
            own.copy_from_slice(scale.weights());
        }
        self.leap(run.system, run.affords(self.t_start), run.to.t() >= run.t_end);
        self.m.run.swap(0, self.passed + 1);
        (self.passed, self.planned) = (0, 0.0);
        if run.breaks {
            // What follows has rates of its own.
            self.m.h = 0.0;
            self.bound = f64::INFINITY;
        }
    }

    /// Goes on from the other side of a comparison with time, as the run does at `to`.
    pub(super) fn cross(&mut self, system: &System, to: &Point) {
        self.m.at.hold_as(to);
        self.next.copy_from(&self.m.at);
        self.next.set_t(to.t());
        if !matches!(reconcile(system, &mut self.next), Ok(true)) {
            self.next.copy_from(&self.m.at);
            self.next.set_t(to.t());
        }
        std::mem::swap(&mut self.m.at, &mut self.next);
        self.m.run[0].copy_from(to);
    }

    /// Goes on from the other side of guards, as the run does: from the point before to the one after.
    /// Its own motion crosses the guard that the run has come to a little sooner or later, and gets what the
    /// motion on one side gains on that on the other in that time.
    pub(super) fn turn(
        &mut self,
        system: &System,
        [before, after]: [&Point; 2],
        first: Option<usize>,
        guards: &mut Guards,
    ) {
        let at = &mut self.m.at;
        let late = first.map(|guard| guards.values(at)[guard] / guards.rates(before)[guard]);
        if let Some(late) = late.filter(|late| late.is_finite()) {
            for (kind, rate) in [(SlotKind::V, SlotKind::A), (SlotKind::X, SlotKind::Xd)] {
                let gain = after.get(rate).iter().zip(before.get(rate)).map(|(a, b)| a - b);
                at.get_mut(kind).iter_mut().zip(gain).for_each(|(y, gain)| *y += late * gain);
            }
        }
        at.hold_as(after);
        self.cross(system, after);
    }

    /// Goes on past stated events, as the run does from the point before to the one after. Its own motion comes
    /// to the guard that the run has come to a little sooner or later, and jumps there: `apply` makes a point
    /// jump, and says whether it could.
    pub(super) fn jump(
        &mut self,
        system: &System,
        [before, after]: [&Point; 2],
        first: Option<usize>,
        guards: &mut Guards,
        apply: &mut dyn FnMut(&mut Point) -> bool,
    ) {
        let at = &mut self.m.at;
        let late = first.map(|guard| guards.values(at)[guard] / guards.rates(before)[guard]);
        let late = late.filter(|late| late.is_finite()).unwrap_or(0.0);
        at.hold_as(before);
        shift(at, -late, before);
        let solved = matches!(reconcile(system, at), Ok(true));
        if !solved || !apply(at) {
            self.ended = Some(Unestimated::NotFollowed { t: before.t() });
            return;
        }
        at.hold_as(after);
        shift(at, late, after);
        self.cross(system, after);
    }

    /// A macro-step; `run` is the run's work that this one's may be a part of, `ends` whether the
    /// run ends here.
    fn leap(&mut self, system: &System, run: f64, ends: bool) {
        self.leaps += 1;
        let (before, work) = (self.errors, self.work);
        let (s, start_t) = (self.m.tableau.stages, self.m.at.t());
        let end_t = self.m.run[self.m.nodes - 1].t();
        let whole = end_t - start_t;
        let steps = std::mem::take(&mut self.steps);
        self.passing.add(whole, steps);
        if self.leaps > 1 && work + self.usual > self.most * run {
            self.carry(system, end_t);
            return;
        }
        let spent = |work: f64| work / run;
        let power = 1.0 / (2 * s - 1) as f64;
        let within = ((spent(work) - BUDGET[0]) / (BUDGET[1] - BUDGET[0])).clamp(0.0, 1.0);
        self.part = PART[0] * (PART[1] / PART[0]).powf(within);
        let span = (end_t - self.t_start).max(whole);
        self.saved.copy_from(&self.m.at);
        let mut part = whole;
        let (passed, allowed) = loop {
            let limit = self.at_once * run;
            let Some(passed) = self.pass(system, end_t, &mut part, (whole, span), limit) else {
                if self.work > limit {
                    self.m.at.copy_from(&self.saved);
                    self.carry(system, end_t);
                    self.m.h = part;
                } else {
                    self.ended = Some(Unestimated::NotFollowed { t: self.m.at.t() });
                }
                return;
            };
            // Errors that the companion may make, from what the run has made: between what its error
            // changed by, which may come back, and its share of the whole, since those of the companion
            // add up.
            let errors = self.m.errors(&self.m.at);
            let made = (errors.q - before.q).abs().max((errors.v - before.v).abs());
            let share = self.largest.larger().max(errors.larger()) * whole / span;
            let allowed = self.part * (made.max(share) * share).sqrt().max(LEAST * self.eps);
            if passed.local <= REJECTED * allowed || part < 2.0 * SMALLEST_PART * whole {
                break (passed, allowed);
            }
            if spent(self.work) > self.most && self.followed.time == 0.0 && ends {
                break (passed, allowed);
            }
            part *= (0.8 * (allowed / passed.local).powf(power)).clamp(0.2, 0.6);
            self.m.at.copy_from(&self.saved);
            if spent(self.work) > self.most {
                self.carry(system, end_t);
                self.m.h = part;
                return;
            }
        };
        self.made += self.making * whole;
        self.usual = self.work - work;
        self.followed.add(whole, steps);
        self.take_errors();
        let accurate =
            (0.9 * (allowed / passed.local.max(f64::MIN_POSITIVE)).powf(power)).clamp(SHRINK, GROW);
        let converging = match passed.iterations {
            n if n > TOO_MANY_ITERATIONS => 0.7,
            n if n > MANY_ITERATIONS => 1.0,
            _ => GROW,
        };
        self.bound *= RECOVERY;
        self.m.h = part.min(whole) * accurate.min(converging);
    }

    /// Passes the macro-step without following it: the difference to the run stays as it is, but for what
    /// is a delay τ, (q, v, x)(t + τ) less (q, v, x)(t), which the motion carries along.
    fn carry(&mut self, system: &System, end_t: f64) {
        use SlotKind::{A, Q, V, X, Xd};
        self.made += self.making * (end_t - self.m.run[0].t());
        let (start, end) = (&self.m.run[0], &self.m.run[self.m.nodes - 1]);
        let kinds = [(Q, V), (V, A), (X, Xd)];
        let (mut along, mut whole, mut later) = (0.0, 0.0, 0.0);
        for ((kind, rate), scales) in kinds.into_iter().zip(&self.m.scales) {
            let (own, run) = (self.m.at.get(kind), start.get(kind));
            let rates = start.get(rate).iter().zip(end.get(rate));
            for (((own, run), (before, after)), scale) in own.iter().zip(run).zip(rates).zip(scales)
            {
                along += (own - run) / scale * (before / scale);
                whole += (before / scale).powi(2);
                later += (after / scale).powi(2);
            }
        }
        let delay = if whole > 0.0 { along / whole } else { 0.0 };
        // What is no delay must not grow with the rates from one time to the next.
        let kept = if later > whole { (whole / later).sqrt() } else { 1.0 };
        self.next.copy_from(end);
        for (kind, rate) in kinds {
            let (own, run) = (self.m.at.get(kind), start.get(kind));
            let rates = start.get(rate).iter().zip(end.get(rate));
            let differences = own.iter().zip(run).zip(rates);
            for (to, ((own, run), (before, after))) in
                self.next.get_mut(kind).iter_mut().zip(differences)
            {
                *to += own - run + delay * (kept * after - before);
            }
        }
        self.next.set_t(end_t);
        self.next.hold_as(&self.m.at);
        self.saved.copy_from(&self.next);
        if !self.project(system, PART[0] * self.errors.larger()) {
            self.next.copy_from(&self.saved);
        }
        std::mem::swap(&mut self.m.at, &mut self.next);
        self.errors = self.m.errors(&self.m.at);
        self.reactions.forget();
    }

    /// Passes the macro-step in parts of at most `part`, which becomes shorter where the iteration does
    /// not converge; `None` where it does not on the shortest, or before the work reaches its limit.
    fn pass(
        &mut self,
        system: &System,
        end_t: f64,
        part: &mut f64,
        (whole, span): (f64, f64),
        limit: f64,
    ) -> Option<Passed> {
        let mut passed = Passed { local: 0.0, iterations: 0 };
        loop {
            if self.work > limit {
                return None;
            }
            let left = end_t - self.m.at.t();
            let last = *part >= 0.999 * left;
            self.m.h = if last { left } else { *part };
            let goal =
                LEFT * self.part * (self.largest.larger() * self.m.h / span).max(LEAST * self.eps);
            let sampled = *part >= whole && self.samples();
            match self.solve(system, goal, sampled.then_some(whole)) {
                Some((local, iterations)) => {
                    passed.local += local;
                    passed.iterations = passed.iterations.max(iterations);
                    let t = self.m.at.t() + self.m.h;
                    self.next.set_t(if last { end_t } else { t });
                    std::mem::swap(&mut self.m.at, &mut self.next);
                    if last {
                        return Some(passed);
                    }
                }
                None => {
                    self.rate = FIRST_RATE;
                    self.bound = AFTER_FAILURE * self.m.h;
                    *part = 0.5 * self.m.h;
                    if *part < SMALLEST_PART * whole {
                        return None;
                    }
                }
            }
        }
    }

    /// Whether the errors that the steps make themselves are looked at in this macro-step.
    fn samples(&self) -> bool {
        self.leaps.is_power_of_two() && self.leaps < SAMPLED || self.leaps.is_multiple_of(SAMPLED)
    }

    fn take_errors(&mut self) {
        let run = &self.m.run[self.m.nodes - 1];
        use SlotKind::{Q, V, X};
        let [q, v, x] = &mut self.absolute;
        for (kind, largest) in [(Q, q), (V, v), (X, x)] {
            let ends = self.m.at.get(kind).iter().zip(run.get(kind));
            for (largest, (a, b)) in largest.iter_mut().zip(ends) {
                *largest = largest.max((a - b).abs());
            }
        }
        self.reactions.compare(&self.m, run.t() - self.m.h);
        self.errors = self.m.errors(&self.m.at);
        self.largest.q = self.largest.q.max(self.errors.q);
        self.largest.v = self.largest.v.max(self.errors.v);
        if !(self.errors.larger() < LOST) {
            self.ended = Some(Unestimated::Lost { t: run.t() });
        }
    }

    /// What the run's steps have made themselves of the error over the macro-step just solved: the solution
    /// from where the run began it, found from the companion's by a few corrections, less the run at its
    /// end. `None` where the corrections do not get there.
    fn error_made(&mut self, system: &System) -> Option<f64> {
        std::mem::swap(&mut self.m.at, &mut self.m.run[0]);
        self.kept.copy_from_slice(&self.m.u);
        let mut made = None;
        let mut last = f64::INFINITY;
        for _ in 0..CORRECTIONS {
            self.residuals(system);
            self.b.iter_mut().for_each(|b| *b = -*b);
            self.solver.solve(&self.m.tableau, &mut self.b);
            let whole = self.m.norm(&self.b);
            self.mixing.improve(&mut self.b, &mut self.rest);
            for (u, du) in self.m.u.iter_mut().zip(&self.b) {
                *u += du;
            }
            self.work += 2.0 * self.m.tableau.stages as f64;
            self.m.place(self.m.tableau.stages - 1, &mut self.stage);
            let error = self.m.errors(&self.stage).larger();
            let rate = if last.is_finite() { whole / last } else { self.rate.max(0.3) };
            last = self.m.norm(&self.rest);
            if rate * last <= ENOUGH * error {
                made = Some(error);
                break;
            }
        }
        std::mem::swap(&mut self.m.at, &mut self.m.run[0]);
        std::mem::swap(&mut self.m.u, &mut self.kept);
        made
    }

    /// Solves the macro-step into `next`; returns an estimate of the companion's own error in it, and the
    /// iterations it took.
    fn solve(&mut self, system: &System, goal: f64, whole: Option<f64>) -> Option<(f64, usize)> {
        self.m.guess();
        let iterations = self.iterate(system, goal)?;
        self.m.place(self.m.tableau.stages - 1, &mut self.next);
        let local = self.m.local_error();
        if let Some(whole) = whole
            && let Some(made) = self.error_made(system)
        {
            self.making = made / whole;
        }
        self.project(system, goal).then_some((local, iterations))
    }

    fn iterate(&mut self, system: &System, goal: f64) -> Option<usize> {
        self.m.middle(&mut self.stage);
        self.levels.fill(system, &self.stage);
        self.solver.factorize(&self.levels, &self.m.tableau, self.m.h).ok()?;
        let s = self.m.tableau.stages as f64;
        self.work += MATRIX + FACTORIZATION * (2.0 * s - 1.0);
        self.mixing.begin();
        self.m.importance(&mut self.mixing.importance);
        let mut last = f64::INFINITY;
        let mut left = f64::INFINITY;
        for iteration in 1..=MOST_ITERATIONS {
            self.residuals(system);
            self.b.iter_mut().for_each(|b| *b = -*b);
            self.solver.solve(&self.m.tableau, &mut self.b);
            let whole = self.m.norm(&self.b);
            self.mixing.improve(&mut self.b, &mut self.rest);
            for (u, du) in self.m.u.iter_mut().zip(&self.b) {
                *u += du;
            }
            self.work += 2.0 * s;
            if !whole.is_finite() {
                return None;
            }
            // What the matrix alone makes of what was left.
            let rate = if iteration == 1 { self.rate.clamp(0.05, 0.5) } else { whole / last };
            if iteration > 1 {
                self.rate = rate;
            }
            let norm = self.m.norm(&self.rest);
            left = norm * rate / (1.0 - rate).max(0.05);
            if left <= goal || norm < 1e-14 {
                return Some(iteration);
            }
            if iteration > 3 && norm > 2.0 * last {
                return None;
            }
            last = norm;
        }
        // Where it goes slowly, shorter macro-steps would leave more in all.
        (left <= goal / LEFT).then_some(MOST_ITERATIONS)
    }

    /// Moves `next` onto the constraints, to a part of `goal`: with the matrix at hand, or with one of its
    /// own where the middle of the macro-step says little of its end.
    fn project(&mut self, system: &System, goal: f64) -> bool {
        let [_, lambda, _, xd, ..] = self.m.formulas.at;
        if lambda == xd {
            return true;
        }
        let mut last = f64::INFINITY;
        let mut own = false;
        for _ in 0..PROJECTIONS {
            system.eval_at(&self.next, Want::G | Want::GDOT | Want::K, &mut self.pieces);
            let change = self.correct(SlotKind::Q).max(self.correct(SlotKind::V));
            if change <= 0.1 * goal || change < 1e-14 {
                return true;
            }
            if !own && (change > SLOWEST * last || !last.is_finite() && change > goal) {
                self.levels.fill(system, &self.next);
                if self.solver.factorize_real(&self.levels, &self.m.tableau, self.m.h).is_err() {
                    return false;
                }
                self.work += MATRIX + FACTORIZATION;
                own = true;
            } else if !(change < last) {
                return false;
            }
            last = change;
        }
        false
    }

    /// A correction of q or v by what was evaluated of the constraints; returns its largest entry relative
    /// to the scales.
    fn correct(&mut self, kind: SlotKind) -> f64 {
        let [_, lambda, psi, xd, ..] = self.m.formulas.at;
        let s = self.m.h / self.m.tableau.real.mu;
        let pieces = &self.pieces;
        let (scale, g, k) = match kind {
            SlotKind::Q => (s * s, &pieces.g[..], &[][..]),
            _ => (s, &pieces.gdot[..], &pieces.k[..]),
        };
        self.rhs.fill(0.0);
        for (r, g) in self.rhs[lambda..psi].iter_mut().zip(g) {
            *r = -g / scale;
        }
        for (r, k) in self.rhs[psi..xd].iter_mut().zip(k) {
            *r = -k / scale;
        }
        self.solver.solve_real(&mut self.rhs);
        let weights = &self.m.scales[usize::from(kind == SlotKind::V)];
        let mut largest = 0.0f64;
        for ((y, change), weight) in self.next.get_mut(kind).iter_mut().zip(&self.rhs).zip(weights)
        {
            *y += scale * change;
            let size = (scale * change / weight).abs();
            largest = if size > largest || size.is_nan() { size } else { largest };
        }
        largest
    }

    /// Evaluates the stages' residuals into `b`.
    fn residuals(&mut self, system: &System) {
        let size = self.m.formulas.size().max(1);
        for (k, r) in self.b.chunks_exact_mut(size).enumerate() {
            self.m.place(k, &mut self.stage);
            self.m.formulas.residual(system, &self.stage, &mut self.pieces, r);
        }
    }
}
