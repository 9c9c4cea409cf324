//! Changes of free guards within a step: those that no side holds, whose operands decide in every evaluation.
//! Steps are cut where they change.

use super::Integrator;
use crate::assembly::SlotKind;
use crate::integrate::guards::{INSTANTS, LOCATED};
use crate::integrate::scheme::StepSpan;

/// A change of a guard this near to the beginning of a step, as a part of it or of the step before,
/// is the one the step before ended at.
const SETTLED: f64 = 1e-6;

/// What guards are looked at along.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Along {
    /// An attempted step.
    Step,
    /// The motion as it goes on with the accelerations before the step.
    Before,
}

impl Integrator<'_> {
    /// The part of an attempted step at the end of which a guard has changed its outcome, if one
    /// changes within.
    pub(super) fn change(&mut self, span: StepSpan, along: Along) -> Option<f64> {
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
