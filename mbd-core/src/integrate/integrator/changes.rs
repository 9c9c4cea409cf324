//! Changes of free guards within a step: those that no side holds, whose operands decide in every evaluation.
//! Steps are cut where they change.

use super::Integrator;
use crate::assembly::{Point, SlotKind};
use crate::integrate::guards::{Guards, INSTANTS, LOCATED};
use crate::integrate::scheme::{Accuracy, StepSpan};

/// A change of a guard this near to the beginning of a step, as a part of it or of the step before,
/// is the one the step before ended at.
const SETTLED: f64 = 1e-6;

/// What rounding makes of coordinates, velocities and states, in units of their scales, and the directions in which that is
/// tried.
pub(super) const NOISE: f64 = 1e-12;
const DRAWS: usize = 3;

/// Part of the error that a step may make by which coordinates, velocities and states are not known, likewise: a law whose
/// slope is infinite at its comparison, as a signed square root, leads to it from both sides, and there they wander by what
/// Newton's iteration leaves.
const UNKNOWN: f64 = 0.1;

/// A step ends at a change if what the guard compares there is this small beside what it is at the step's ends: on the other
/// side of a kink, so much of a step counts with the square.
const MET: f64 = 1e-4;

/// Attempts to end a step at the change of one guard that are taken to come nearer by what it compares at the end. A guard
/// that jumps as it changes is as far from equality after any number.
const NEARER: usize = 8;

/// Attempts in a row that pass the change, after which the middle of what is known is tried.
const BEYOND: usize = 2;

/// What guards do within a step.
#[derive(Clone, Copy, Default)]
pub(super) struct Changes {
    /// The part of the step at the end of which one has changed its outcome, and which.
    pub first: Option<(f64, usize)>,
    /// Whether one has before the least part at which a step is cut.
    pub sooner: bool,
}

impl Integrator<'_> {
    /// The first part of an attempted step, beyond the `least` one at which it is cut, at the end of which a guard has changed
    /// its outcome. One that changes before leaves the others to be looked for.
    pub(super) fn change(&mut self, span: StepSpan, least: f64) -> Changes {
        if !self.guards.any_free(&self.from) {
            return Changes::default();
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
        // Found out about once something changes.
        let mut still = None;
        let mut start = 0.0;
        let (mut found, mut sooner) = (None, false);
        'instants: for instant in INSTANTS {
            self.look(span, instant, &mut now);
            quiet(&still, &mut now);
            if now != before && still.is_none() {
                still = Some(self.still(span));
                quiet(&still, &mut now);
                quiet(&still, &mut before);
            }
            while now != before {
                let (mut low, mut high) = (start, instant);
                while high - low > LOCATED {
                    let middle = 0.5 * (low + high);
                    self.look(span, middle, &mut now);
                    quiet(&still, &mut now);
                    if now == before {
                        low = middle;
                    } else {
                        high = middle;
                    }
                }
                self.look(span, high, &mut now);
                quiet(&still, &mut now);
                let changed = (0..now.len()).filter(|&guard| now[guard] != before[guard]);
                let one = changed.clone().next();
                let known = self.cluster.within.len();
                self.cluster.within.extend(changed);
                let (before_it, these) = self.cluster.within.split_at(known);
                let again = these.iter().any(|guard| before_it.contains(guard));
                if high > settled && (again || high > clustered) && high < 1.0 - SETTLED {
                    if high > least {
                        found = one.map(|one| (high, one));
                        break 'instants;
                    }
                    sooner = true;
                }
                // The one the step began or ends at, one of a cluster, or one too soon to end at.
                std::mem::swap(&mut before, &mut now);
                self.look(span, instant, &mut now);
                quiet(&still, &mut now);
                start = high;
                if high >= instant {
                    break;
                }
            }
            start = instant;
        }
        // A stage whose forces act by another outcome than the interpolation has there: the step is too
        // long to tell, and its force acts for a third of it.
        let stages = self.stepper.inner_points().len();
        for stage in 0..stages {
            let Some(point) = self.stepper.inner_points().get(stage).filter(|_| found.is_none())
            else {
                break;
            };
            let part = (point.t() - span.t) / span.h;
            self.guards.signs(point, &mut before);
            self.look(span, part, &mut now);
            if before != now && still.is_none() {
                still = Some(self.still(span));
            }
            quiet(&still, &mut before);
            quiet(&still, &mut now);
            if before != now && part > settled {
                sooner |= part <= least;
                let differs = (0..now.len()).find(|&guard| before[guard] != now[guard]);
                found = differs.filter(|_| part > least).map(|guard| (part, guard));
            }
        }
        self.signs = [before, now];
        Changes { first: found, sooner }
    }

    /// The size of the next attempt to end a step at a change, after one whose changes are these; `None` where this one ends
    /// there, as near as need be.
    pub(super) fn aim(
        &mut self,
        sought: &mut Option<Sought>,
        changes: Changes,
        span: StepSpan,
    ) -> Option<f64> {
        let guard = changes.first.map(|(_, guard)| guard);
        if guard.is_some() && guard != sought.as_ref().map(|sought| sought.guard) {
            *sought = None;
        }
        let guard = guard.or(sought.as_ref().map(|sought| sought.guard))?;
        let mut along: [Vec<f64>; 2] = Default::default();
        for (at, values) in [&self.from, &self.to].into_iter().zip(&mut along) {
            self.guards.compare(at, values);
        }
        let [from, to] = along.map(|values| values.get(guard).copied());
        let (from, to) = from.zip(to)?;
        let sought = sought.get_or_insert(Sought {
            guard,
            size: from.abs().max(to.abs()),
            before: [[0.0, from.abs()]; 2],
            beyond: span.h,
            passed: 0,
            attempts: 0,
        });
        sought.next(span.h, changes.first.map(|(part, _)| part), to * from.signum())
    }

    /// The guards that differ from equality by less than steps tell, at the ends and in the middle of an attempted step, as
    /// that of a speed which a contact holds at 0: their outcomes are noise.
    fn still(&mut self, span: StepSpan) -> Vec<bool> {
        let middle = span.t + 0.5 * span.h;
        self.stepper.interpolate(&self.from, &self.to, middle, &mut self.within);
        let mut along: [Vec<f64>; 3] = Default::default();
        for (at, values) in [&self.from, &self.within, &self.to].into_iter().zip(&mut along) {
            self.guards.compare(at, values);
        }
        let part = match self.step.accuracy() {
            Accuracy::Tolerance(eps) => NOISE.max(UNKNOWN * eps),
            Accuracy::RoundOff => NOISE,
        };
        let least = self.moved_by(part, &along[2], |guards, at, out| guards.compare(at, out));
        let largest = |guard: usize| {
            along.iter().filter_map(|values| values.get(guard)).fold(0.0f64, |l, x| l.max(x.abs()))
        };
        let guards = least.iter().enumerate();
        guards.map(|(guard, least)| *least > 0.0 && largest(guard) <= *least).collect()
    }

    /// What rounding makes of differences that guards compare.
    pub(super) fn rounding_of(
        &mut self,
        values: &[f64],
        compare: impl Fn(&mut Guards, &Point, &mut Vec<f64>),
    ) -> Vec<f64> {
        self.moved_by(NOISE, values, compare)
    }

    /// What moving coordinates, velocities and states by a part of their scales makes of differences that guards compare, which
    /// at the end of the attempted step are `values`; nothing where these are others there.
    pub(super) fn moved_by(
        &mut self,
        part: f64,
        values: &[f64],
        compare: impl Fn(&mut Guards, &Point, &mut Vec<f64>),
    ) -> Vec<f64> {
        let mut least = vec![0.0f64; values.len()];
        let mut moved = Vec::new();
        for draw in 0..DRAWS {
            self.within.copy_from(&self.to);
            let scales = [
                (SlotKind::Q, self.scales.q()),
                (SlotKind::V, self.scales.v()),
                (SlotKind::X, self.scales.x()),
            ];
            for (kind, scale) in scales {
                let values = self.within.get_mut(kind).iter_mut().zip(scale.weights());
                for (k, (y, weight)) in values.enumerate() {
                    *y += if (k >> draw) & 1 == 0 { part * weight } else { -part * weight };
                }
            }
            compare(&mut self.guards, &self.within, &mut moved);
            if moved.len() != values.len() {
                return Vec::new();
            }
            for (least, (moved, value)) in least.iter_mut().zip(moved.iter().zip(values)) {
                *least = least.max((moved - value).abs());
            }
        }
        least
    }

    /// Outcomes of the guards at a part of an attempted step.
    fn look(&mut self, span: StepSpan, part: f64, signs: &mut Vec<i8>) {
        if part >= 1.0 {
            self.guards.signs(&self.to, signs);
        } else {
            let t = span.t + part * span.h;
            self.stepper.interpolate(&self.from, &self.to, t, &mut self.within);
            self.guards.signs(&self.within, signs);
        }
    }

    /// The motion a time `h` after the beginning of the step as its accelerations there have it.
    pub(super) fn go_on(&mut self, h: f64) {
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
}

/// A change of a guard at which a step is to end. What attempts that end before it compare there is of smooth motion, and
/// leads to it; what attempts that pass it have of it is off by what they make of the kink.
pub(super) struct Sought {
    guard: usize,
    /// The largest of what it compares.
    size: f64,
    /// The sizes of the last two attempts that ended before the change, the longer one last, with what is left there.
    before: [[f64; 2]; 2],
    /// The shortest that passed it.
    beyond: f64,
    /// How many in a row have.
    passed: usize,
    attempts: usize,
}

impl Sought {
    /// The size of the next attempt, after one of a size that changes at a `part` of it, or not at all, with so much left of
    /// what is compared at its end.
    fn next(&mut self, h: f64, part: Option<f64>, left: f64) -> Option<f64> {
        self.attempts += 1;
        let middle = |sought: &Sought| 0.5 * (sought.before[1][0] + sought.beyond);
        let Some(part) = part else {
            self.passed = 0;
            if !(left > MET * self.size) || self.attempts > NEARER || h >= self.beyond {
                return None;
            }
            self.before = [self.before[1], [h, left]];
            let [[first, at_first], [second, at_second]] = self.before;
            let reached = second + at_second * (second - first) / (at_first - at_second);
            let within = reached > second && reached < self.beyond;
            return Some(if within { reached } else { middle(self) });
        };
        self.beyond = self.beyond.min(h);
        self.passed += 1;
        Some(if self.passed > BEYOND || part * h <= self.before[1][0] {
            middle(self)
        } else {
            part * h
        })
    }
}

/// Takes outcomes that are noise for those of equality.
fn quiet(still: &Option<Vec<bool>>, signs: &mut [i8]) {
    let still = still.iter().flatten();
    signs.iter_mut().zip(still).filter(|(_, still)| **still).for_each(|(sign, _)| *sign = 0);
}
