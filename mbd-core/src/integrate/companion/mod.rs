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
//! Beside methods of higher order what was not followed counts three times.
//!
//! Discrete values that events and sampled controllers set are the companion's own, set by its own motion: so a
//! controller works on the error too, or makes one. While they differ from the run's every macro-step is followed, or there
//! is no estimate.
//!
//! The error is the difference of the two at the end of each macro-step, relative to the largest
//! value of its kind so far. The estimate is its largest value over the run.

mod budget;
mod events;
mod iteration;
mod leap;
mod macro_step;
mod mixing;
mod reactions;
mod solver;
mod sums;
mod tableau;

use super::between::Between;
use super::radau5::{Form, Formulas, Levels};
use crate::assembly::{Point, Residual, System};
use crate::checkpoint::State;
use crate::scales::Scales;
use crate::solution::{ErrorEstimate, Unestimated};
use budget::Extent;
pub(super) use budget::{Near, Watched};
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

/// Part of the error that the companion's own error may be: while it takes less than the first part of the
/// run's work, and from the second on. In long runs, where its errors add up, it takes little.
const PART: [f64; 2] = [0.1, 0.5];
const BUDGET: [f64; 2] = [0.05, 0.2];

/// Part of the run's work that the companion may take, beyond which no macro-step is begun, and beyond which
/// one is given up: beside methods of order 2, and beside those of higher order, whose steps are as long as
/// the macro-steps and whose errors one has to follow all the way.
const MOST: [f64; 2] = [0.5, 0.7];
const AT_ONCE: [f64; 2] = [0.6, 0.8];

/// Part of the run's time, and of its steps, that is followed at least, likewise: errors of order 2 are made
/// everywhere.
const FOLLOWED: [f64; 2] = [0.15, 0.25];

/// How often what was not followed counts, likewise: beside methods of higher order errors are made where steps are
/// long, in a few places, and the worst may be among those that nobody looked at.
const UNFOLLOWED: [f64; 2] = [1.0, 3.0];

/// What is still to come of the run's work counts up to this part of what was: before and after the part of the
/// run that has to be followed has been. What is spent on a run that cannot be followed is for nothing.
const TO_COME: [f64; 2] = [0.5, 2.0];

/// Part of that which may be left of its iteration, in the same manner: corrections decrease fast in most of the
/// motion, and say little of what decreases slowly, as the phase of a fast spin, and adds up over macro-steps.
const LEFT: [f64; 2] = [0.1, 0.5];

/// The companion's own error over what it may be beyond which a macro-step is taken again in parts, in the same
/// manner. Its iteration ends with the first correction where that shows it.
const REJECTED: [f64; 2] = [3.0, 10.0];

/// The ratio of corrections supposed before one is known.
const FIRST_RATE: f64 = 0.3;

/// Steps of the run that the first macro-step spans, of the size of the first.
const FIRST_STEPS: f64 = 20.0;

/// Part of a macro-step by which points of the run differ at least to tell its rates.
const NEAR: f64 = 0.02;

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
    /// Where the run ends.
    t_end: f64,
    b: Vec<f64>,
    rest: Vec<f64>,
    kept: Vec<f64>,
    rhs: Vec<f64>,
    /// Largest errors of q, v, x over the run.
    absolute: [Vec<f64>; 3],
    /// The states that count turns ([`Companion::weigh_turns`]).
    turns: Vec<usize>,
    reactions: Reactions,
    /// Makes what is told of the run at the ends of macro-steps; not the run's own, which the estimate must not change.
    told: Option<Between>,
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
    /// Part of that which may be left of its iteration, and by what it may exceed it.
    left: f64,
    rejected: f64,
    /// Macro-steps so far.
    leaps: usize,
    /// Whether parts of them end where inputs bend, since one did not see over that.
    meets_bends: bool,
    /// Parts of the run's work that it may take ([`MOST`], [`AT_ONCE`]), and of the time that it has to follow.
    most: f64,
    least: f64,
    /// How often what was not followed counts ([`UNFOLLOWED`]).
    unfollowed: f64,
    at_once: f64,
    /// Work of the last one that was followed.
    usual: f64,
    /// Steps of the run in the macro-step, what was followed, and all of it.
    steps: f64,
    followed: Extent,
    passing: Extent,
}

/// Why a macro-step is not passed.
#[derive(Clone, Copy, Debug)]
enum Halt {
    /// The iteration or the projection does not converge.
    Stuck,
    /// Its work has reached the limit.
    Costly,
    /// The companion's own error would be too large: what it may be, over what it is.
    Coarse(f64),
}

/// What the error that the companion may make in a macro-step follows from, beside that at its end.
#[derive(Clone, Copy, Debug)]
struct Share {
    /// The errors at its beginning.
    before: Errors,
    /// Its length, and that of the run so far.
    whole: f64,
    span: f64,
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
        let model = system.model();
        let counts = |i: &usize| model.is_housekeeping(&model.states()[*i].name);
        Companion {
            turns: (0..model.states().len()).filter(counts).collect(),
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
            t_end: f64::INFINITY,
            b: vec![0.0; stages * size],
            rest: vec![0.0; stages * size],
            kept: vec![0.0; stages * size],
            rhs: vec![0.0; size],
            absolute: [vec![0.0; dims.n], vec![0.0; dims.n], vec![0.0; dims.nx]],
            reactions: Reactions::new(dims.m, system.model().stated_nonholonomic()),
            told: None,
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
            left: LEFT[0],
            rejected: REJECTED[0],
            leaps: 0,
            meets_bends: false,
            most: MOST[usize::from(high)],
            least: FOLLOWED[usize::from(high)],
            unfollowed: UNFOLLOWED[usize::from(high)],
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
                sizes: vec![0.0; dims.n.max(dims.nx)],
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
            t_end: _,
            b: _,
            rest: _,
            kept: _,
            rhs: _,
            absolute,
            turns: _,
            reactions,
            told,
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
            left: _,
            rejected: _,
            leaps,
            meets_bends,
            most,
            least: _,
            unfollowed: _,
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
        *told = None;
        for Errors { q, v } in [errors, largest] {
            state.number(q);
            state.number(v);
        }
        let mut why = ended.unwrap_or_default();
        why.state(state);
        *ended = (why != Unestimated::NotAsked).then_some(why);
        state.count(leaps);
        state.flag(meets_bends);
    }

    /// Makes an error of a radian in a state that counts the turns of a joint one of what a step may use up:
    /// its angle is read from the positions, and the state says no more than which turn it is in.
    fn weigh_turns(&self, weights: &mut [f64]) {
        self.turns.iter().for_each(|&i| weights[i] = weights[i].max(1.0 / self.eps));
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
        let [of_lambda, of_psi] = scales.reactions();
        let mut of_x = scales.x().weights().to_vec();
        self.weigh_turns(&mut of_x);
        let scale = [scales.q().weights(), scales.v().weights(), &of_x];
        // What was made where nobody looked, over what was seen.
        let unseen = match self.passing.time > 0.0 {
            true => match self.followed.part_of(self.passing) {
                part if part < self.least => return Err(Unestimated::Costly { part }),
                part => 1.0 / part - 1.0,
            },
            false => 0.0,
        };
        let more = 1.0 + self.unfollowed * unseen;
        let growth = (1.0 + unseen) * self.largest.larger() / self.made;
        Ok(ErrorEstimate {
            q: larger(relative(q, scale[0]), relative(x, scale[2])).map(|q| more * q),
            v: relative(v, scale[1]).map(|v| more * v),
            lambda: larger(relative(lambda, &of_lambda), relative(psi, &of_psi))
                .map(|lambda| more * lambda),
            growth: growth.is_finite().then_some(growth),
        })
    }

    /// The largest error at the end of the last macro-step, relative to the scales of its kind.
    pub(super) fn error(&self) -> f64 {
        self.errors.larger()
    }

    /// Takes an accepted step of the run.
    pub(super) fn observe(&mut self, run: &Watched<'_>) {
        if self.ended.is_some() {
            return;
        }
        let Watched { stepper, from, to, .. } = *run;
        // Sides that have no effect where they change, and free ones, change without an event.
        self.m.at.hold_as_beside_modes(from);
        self.m.run[0].hold_as(from);
        self.steps += 1.0;
        self.t_end = run.t_end;
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
        let ends = run.breaks || run.looks || to.t() >= start + planned * (1.0 - 1e-9);
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
        let mut of_x = std::mem::take(&mut self.m.scales[2]);
        self.weigh_turns(&mut of_x);
        self.m.scales[2] = of_x;
        let credit = match self.followed.part_of(self.passing) {
            part if part >= self.least => TO_COME[1],
            _ => TO_COME[0],
        };
        if self.leap(run.system, run.affords(self.t_start, credit), run.to.t() >= run.t_end) {
            let h = to.t() - from.t();
            let whose = (run.system, stepper);
            Between::complete(&mut self.told, whose, run.scales, h, to, &mut self.next);
            self.reactions.compare(&self.m, &self.next);
        }
        self.m.run.swap(0, self.passed + 1);
        (self.passed, self.planned) = (0, 0.0);
        if run.breaks {
            // What follows has rates of its own.
            self.m.h = 0.0;
            self.bound = f64::INFINITY;
        }
    }
}
