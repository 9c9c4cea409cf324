//! Steps too short for a method that holds positions.
//!
//! An event may follow another within 1e-10 s. A method that finds accelerations and reactions from positions, as those of
//! index 3 do, makes them of the rounding of these then, ε|q|/(βh²): reactions of 3000 N where 6 N act. They decide which
//! contact opens and what sticks. Such a step is taken by a Taylor series, with the accelerations and reactions of the
//! equations of motion at its end.

use super::Integrator;
use crate::assembly::SlotKind;
use crate::integrate::controller::Estimate;
use crate::integrate::scheme::{Accuracy, Attempt, StepSpan};
use crate::integrate::weights::Mean;

/// The longest such step, in the characteristic time of the model.
const LONGEST: f64 = 1e-5;

/// Times as long where a surface or a contact holds the motion.
const HELD: f64 = 1e3;

/// Such steps in a row at most: what does not get by with them is no event that follows another. From then on the method
/// takes its own steps until one is long enough, or an event comes.
pub(super) const MOST: usize = 16;

/// Of a prescribed step, the largest part that may be taken like this.
const PART: f64 = 0.1;

impl Integrator<'_> {
    /// Whether what takes the steps finds accelerations and reactions from positions alone.
    pub(super) fn holds_positions_alone(&mut self) -> bool {
        self.stepper.shortest(&self.to) > 0.0
    }

    /// Takes a step in place of the method where it is too short for that. `None` where it is not, or where its estimated
    /// error is larger than the tolerance.
    pub(super) fn hop(&mut self, span: StepSpan, accuracy: Accuracy) -> Option<Attempt> {
        let StepSpan { t, t_next, h } = span;
        let cut = match accuracy {
            Accuracy::Tolerance(_) => true,
            Accuracy::RoundOff => h < PART * self.step.next(self.origin, t).0,
        };
        // A model without a rate has no time to compare with.
        let rate = self.scales.rate();
        // Where friction holds the motion rounding of reactions decides sooner whether it does.
        let times = if self.is_held() { HELD } else { 1.0 };
        let short =
            rate > 0.0 && h * rate < LONGEST && h < times * self.stepper.shortest(&self.from);
        if !short {
            self.hopped.1 = 0;
        }
        if !cut || !short || self.hopped.1 >= MOST {
            return None;
        }
        let Integrator { from, to, .. } = self;
        to.copy_from(from);
        to.set_t(t_next);
        for ((q, v), a) in to.q_mut().iter_mut().zip(from.v()).zip(from.a()) {
            *q += h * v + 0.5 * h * h * a;
        }
        for (value, rate) in [(SlotKind::V, SlotKind::A), (SlotKind::X, SlotKind::Xd)] {
            let rates = from.get(rate);
            to.get_mut(value).iter_mut().zip(rates).for_each(|(y, rate)| *y += h * rate);
        }
        // By equations and a matrix of its own, whatever was kept: a run that is resumed has none.
        self.sliding.solver = None;
        let solved = self.solved_at_end()?;
        let Integrator { from, to, scales, .. } = self;
        to.copy_from(&solved);
        for (value, rate) in [(SlotKind::V, SlotKind::A), (SlotKind::X, SlotKind::Xd)] {
            let change =
                solved.get(rate).iter().zip(from.get(rate)).map(|(end, start)| end - start);
            to.get_mut(value).iter_mut().zip(change).for_each(|(y, d)| *y += 0.5 * h * d);
        }
        let estimate = match accuracy {
            Accuracy::RoundOff => Estimate::NONE,
            Accuracy::Tolerance(eps) => {
                let change = |kind, part: f64, weights: &[f64]| {
                    let mut mean = Mean::default();
                    let ends = to.get(kind).iter().zip(from.get(kind)).zip(weights);
                    for (i, ((end, start), weight)) in ends.enumerate() {
                        mean.add(part * (end - start) / (weight * eps), i);
                    }
                    mean.theta()
                };
                let of_q = change(SlotKind::A, h * h / 6.0, scales.q().weights());
                let of_x = change(SlotKind::Xd, h / 12.0, scales.x().weights());
                Estimate::of_order(of_q.max(of_x), 3, 0)
            }
        };
        if !(estimate.theta <= 1.0) {
            return None;
        }
        self.hopped.0 = true;
        Some(Attempt { estimate, iterations: 1 })
    }
}
