//! How a macro-step is passed: followed, in one part or several, or carried over.

use super::budget::Extent;
use super::macro_step::Errors;
use super::{
    BUDGET, Companion, FIRST_RATE, Halt, LEFT, MANY_ITERATIONS, PART, REJECTED, Share,
    TOO_MANY_ITERATIONS,
};
use crate::assembly::{Point, Residual, SlotKind, System, Want, Weights};
use crate::solution::Unestimated;

/// How many times as much it may take where discrete values differ, as of a controller that reacts to the error: all has to be
/// followed then.
const REACTING: f64 = 2.0;

/// Part of a step's tolerance below which nothing is asked for.
const LEAST: f64 = 0.05;

/// Relative errors beyond which the run says nothing of the solution.
const LOST: f64 = 3.0;

/// Changes of the length of macro-steps.
const GROW: f64 = 2.0;
const SHRINK: f64 = 0.3;

/// The smallest part of a macro-step that one is taken in, and to which it is halved towards where a high derivative
/// jumps.
const SMALLEST_PART: f64 = 1.0 / 256.0;
const SMALLEST_KINK: f64 = 1e-7;

/// After a failure the length stays below this part of the failed one, and that bound grows by this
/// factor from macro-step to macro-step.
const AFTER_FAILURE: f64 = 0.6;
const RECOVERY: f64 = 1.1;

/// The errors that the steps make themselves are looked at in the first macro-steps of twice the number
/// of the one before, and then in one of so many.
const SAMPLED: usize = 8;

/// A macro-step passed, in one part or several.
struct Passed {
    /// The companion's own error.
    local: f64,
    /// The largest number of iterations.
    iterations: usize,
}

impl Companion {
    /// A macro-step; `run` is the run's work that this one's may be a part of, `ends` whether the
    /// run ends here. Whether it was followed.
    pub(super) fn leap(&mut self, system: &System, run: f64, ends: bool) -> bool {
        self.leaps += 1;
        let (before, work) = (self.errors, self.work);
        let (s, start_t) = (self.m.tableau.stages, self.m.at.t());
        let end_t = self.m.run[self.m.nodes - 1].t();
        let whole = end_t - start_t;
        let steps = std::mem::take(&mut self.steps);
        // Every method is exact where nothing changes: to have followed that says nothing of the rest.
        let extent =
            if self.m.is_even() { Extent::default() } else { Extent { time: whole, steps } };
        self.passing.add(extent);
        // What a controller makes of the error is not to be had without following it.
        let reacts = self.reacts(system);
        let budget = if reacts { REACTING } else { 1.0 };
        let (most, limit) = (budget * self.most, budget * self.at_once * run);
        if self.leaps > 1 && work + self.usual > most * run {
            self.pass_over(system, end_t, reacts);
            return false;
        }
        let spent = |work: f64| work / run;
        let power = 1.0 / (2 * s - 1) as f64;
        // Where the estimate is what the run is for, it is held to the first of each.
        let within = match self.most.is_finite() {
            true => ((spent(work) - BUDGET[0]) / (BUDGET[1] - BUDGET[0])).clamp(0.0, 1.0),
            false => 0.0,
        };
        let between = |[few, most]: [f64; 2]| few * (most / few).powf(within);
        self.part = between(PART);
        self.left = between(LEFT);
        self.rejected = between(REJECTED);
        let span = (end_t - self.t_start).max(whole);
        self.saved.copy_from(&self.m.at);
        let mut part = whole;
        let share = Share { before, whole, span };
        // What comes last is better followed badly than not at all.
        let alone = self.followed.time == 0.0 && ends;
        let (passed, allowed) = loop {
            let ratio = match self.pass(system, end_t, &mut part, (share, !alone), limit) {
                Ok(passed) => {
                    let allowed = self.allowed(self.m.errors(&self.m.at), passed.local, share);
                    let fine = passed.local <= self.rejected * allowed;
                    if fine || part < 2.0 * SMALLEST_PART * whole {
                        break (passed, allowed);
                    }
                    if spent(self.work) > most && alone {
                        break (passed, allowed);
                    }
                    allowed / passed.local
                }
                Err(Halt::Coarse(ratio)) => ratio,
                Err(Halt::Stuck) if self.work <= limit => {
                    self.ended = Some(Unestimated::NotFollowed { t: self.m.at.t() });
                    return false;
                }
                Err(Halt::Stuck | Halt::Costly) => {
                    self.m.at.copy_from(&self.saved);
                    self.pass_over(system, end_t, reacts);
                    self.m.h = part;
                    return false;
                }
            };
            part *= (0.8 * ratio.powf(power)).clamp(0.2, 0.6);
            self.m.at.copy_from(&self.saved);
            if spent(self.work) > most {
                self.pass_over(system, end_t, reacts);
                self.m.h = part;
                return false;
            }
        };
        self.made += self.making * whole;
        self.usual = self.work - work;
        self.followed.add(extent);
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
        true
    }

    /// Whether the equations of motion read discrete values in which it differs from the run.
    fn reacts(&mut self, system: &System) -> bool {
        let of_run = self.m.run[0].modes();
        if self.m.at.modes() == of_run {
            return false;
        }
        let mut other = self.m.at.clone();
        other.modes_mut().copy_from_slice(of_run);
        let mut pieces = |at: &Point| {
            let want = Want::MU | Want::F | Want::REACTION | Want::G | Want::K | Want::D | Want::W;
            system.eval_all(at, &Weights::of(at), want, &mut self.pieces);
            let Residual { mu, f, reaction, g, k, d, w, .. } = &self.pieces;
            [mu, f, reaction, g, k, d, w].map(Vec::clone)
        };
        pieces(&self.m.at) != pieces(&other)
    }

    /// Does not follow the macro-step: [carries](Self::carry) the difference along, or has no estimate any more where a
    /// controller `reacts` to it.
    fn pass_over(&mut self, system: &System, end_t: f64, reacts: bool) {
        if reacts {
            let part = self.followed.time / (self.t_end - self.t_start);
            self.ended = Some(Unestimated::Costly { part });
        } else {
            self.carry(system, end_t);
        }
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
    }

    /// Passes the macro-step in parts of at most `part`, which becomes shorter where the iteration does not converge
    /// and where the motion is not smooth; an error where it does not on the shortest, or before the work reaches
    /// its limit.
    fn pass(
        &mut self,
        system: &System,
        end_t: f64,
        part: &mut f64,
        (share, screens): (Share, bool),
        limit: f64,
    ) -> Result<Passed, Halt> {
        let Share { whole, span, .. } = share;
        let longest = *part;
        let mut passed = Passed { local: 0.0, iterations: 0 };
        loop {
            if self.work > limit {
                return Err(Halt::Costly);
            }
            let left = end_t - self.m.at.t();
            let bend = if self.meets_bends { self.next_bend(system, whole) } else { f64::INFINITY };
            let last = part.min(bend) >= 0.999 * left;
            self.m.h = if last { left } else { part.min(bend) };
            let in_one = self.m.h >= whole;
            let allowed =
                self.part * (self.largest.larger() * self.m.h / span).max(LEAST * self.eps);
            let sampled = in_one && self.samples();
            let screened = screens && in_one;
            let goal = self.left * allowed;
            match self.solve(system, goal, sampled.then_some(whole), screened.then_some(share)) {
                Ok(solved) => {
                    let rough = solved.rough || !in_one;
                    let coarse = rough && solved.local > self.rejected * allowed;
                    if coarse && self.m.h > SMALLEST_KINK * whole {
                        // It jumps where an input bends, if one does within it.
                        let bends = !self.meets_bends && self.next_bend(system, whole) < self.m.h;
                        self.meets_bends |= bends;
                        if !bends {
                            *part = 0.5 * self.m.h;
                        }
                        continue;
                    }
                    passed.local += solved.local;
                    passed.iterations = passed.iterations.max(solved.iterations);
                    *part = (GROW * *part).min(longest);
                    let t = self.m.at.t() + self.m.h;
                    self.next.set_t(if last { end_t } else { t });
                    std::mem::swap(&mut self.m.at, &mut self.next);
                    if last {
                        return Ok(passed);
                    }
                }
                Err(Halt::Coarse(ratio)) => return Err(Halt::Coarse(ratio)),
                Err(_) => {
                    self.rate = FIRST_RATE;
                    self.bound = AFTER_FAILURE * self.m.h;
                    *part = 0.5 * self.m.h;
                    if *part < SMALLEST_PART * whole {
                        return Err(Halt::Stuck);
                    }
                }
            }
        }
    }

    /// How far it is to where the third derivative of an input jumps next, if not at the very beginning.
    fn next_bend(&self, system: &System, whole: f64) -> f64 {
        let t = self.m.at.t();
        let bends =
            system.signals().iter().map(|signal| signal.next_bend(t + SMALLEST_KINK * whole));
        bends.fold(f64::INFINITY, f64::min) - t
    }

    /// Errors that the companion may make, from what the run has made: between what its error changed by, which
    /// may come back, and its share of the whole, since those of the companion add up. What is `own` of the
    /// errors at the end the run has not made.
    pub(super) fn allowed(&self, errors: Errors, own: f64, share: Share) -> f64 {
        let Share { before, whole, span } = share;
        let made = (errors.q - before.q).abs().max((errors.v - before.v).abs());
        let of_run = |error: f64| (error - own).max(0.0);
        let share = self.largest.larger().max(of_run(errors.larger())) * whole / span;
        self.part * (of_run(made).max(share) * share).sqrt().max(LEAST * self.eps)
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
        self.errors = self.m.errors(&self.m.at);
        self.largest.q = self.largest.q.max(self.errors.q);
        self.largest.v = self.largest.v.max(self.errors.v);
        if !(self.errors.larger() < LOST) {
            self.ended = Some(Unestimated::Lost { t: run.t() });
        }
    }
}
