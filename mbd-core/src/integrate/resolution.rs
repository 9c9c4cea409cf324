//! Whether prescribed steps resolve the motion.
//!
//! Nobody controls the error of prescribed steps, and Newton's iteration finds solutions of equations
//! that have nothing to do with the motion any more. What an accepted step says of itself is how its end
//! continues the points before it: the part of y that a parabola through the last three points does not
//! have is, for equal steps, Δ³y ≈ h³y⃛, and h³y⃛/12 is the local error of the trapezoidal rule, the
//! least a method of order 2 makes. It needs no evaluation, knows no method, and a stiff vibration of no
//! amplitude is no error in it however large its accelerations are.
//!
//! *A coarse step.* Measured against the scale before the step, the error of a vibration of the scale's
//! size with 3.5 steps to the period, is 0.2 on the mean and 0.3 at most. The mean over some eight steps
//! counts, each at most 1, so that a jump of an acceleration, felt in three steps, is not told.
//!
//! *No motion at all.* A vibration, however coarse, never has more than ⅔ of its amplitude. What has
//! more than all that the motion covered before, and again and again, has left it.
//!
//! *Another configuration.* Equations of constraints have several roots, and a step may end at another one:
//! the mechanism is then put together otherwise, or a bar has turned once around. Such a point has
//! velocities and accelerations of its own that are as right as can be; but they do not lead there. Over
//! 29 mechanisms by ten methods with 50 to 5000 steps the end of a step that kept to its motion was at
//! most 0.3 of the scale away from where the velocities, or these and the accelerations, of both its ends
//! lead.

use crate::assembly::{Point, SlotKind, System};
use crate::checkpoint::State;
use crate::error::StepError;
use crate::scales::{Scale, Scales};
use crate::solution::Coarse;

/// Part of an older mean that stays.
const MEMORY: f64 = 0.875;

/// A mean error from which on steps are coarse.
const COARSE: f64 = 0.2;

/// Errors whose place is of interest: less than a mean that is told can be of a step.
const LARGE: f64 = 0.1;

/// Steps with an error above all of the motion so far that end a run. A jump of an acceleration makes
/// one, where all before it was rest; each makes the motion at least three times as large.
const LOST: usize = 4;

/// What a step may end away from where its velocities lead, over the scale and what they move by.
const ELSEWHERE: f64 = 1.0;

/// One kind of quantity at the last points.
#[derive(Debug)]
struct Track {
    /// The last three points, the latest first.
    past: [Vec<f64>; 3],
    range: Vec<[f64; 2]>,
}

impl Track {
    fn new(values: &[f64]) -> Self {
        let range = values.iter().map(|y| [*y, *y]).collect();
        Track { past: std::array::from_fn(|_| values.to_vec()), range }
    }

    /// The largest error over its scale, and over what the motion covered if that is more, by index;
    /// then takes the values. `weights` are those of the points before, newest first.
    fn enter(
        &mut self,
        values: &[f64],
        scale: &Scale,
        weights: Option<[f64; 3]>,
    ) -> [(f64, usize); 2] {
        let mut most = [(0.0, 0); 2];
        if let Some(weights) = weights {
            let [a, b, c] = &self.past;
            let old = a.iter().zip(b).zip(c);
            let old = old.map(|((a, b), c)| weights[0] * a + weights[1] * b + weights[2] * c);
            let errors = values.iter().zip(old).map(|(value, old)| (value - old).abs() / 12.0);
            let errors = errors.zip(scale.weights()).zip(&self.range);
            // Where they are is looked for once they are large.
            let mut relative = [0.0f64; 2];
            let of = |error: f64, scale: f64, [low, high]: [f64; 2]| {
                [error / scale, error / scale.max(0.5 * (high - low))]
            };
            for ((error, scale), range) in errors.clone() {
                for (most, error) in relative.iter_mut().zip(of(error, *scale, *range)) {
                    *most = if error <= *most { *most } else { error };
                }
            }
            most = std::array::from_fn(|k| {
                let mut all =
                    errors.clone().map(|((error, scale), range)| of(error, *scale, *range)[k]);
                let large = !(relative[k] <= LARGE);
                let index = large.then(|| all.position(|error| !(error < relative[k]))).flatten();
                (relative[k], index.unwrap_or(0))
            });
        }
        for (range, value) in self.range.iter_mut().zip(values) {
            *range = [range[0].min(*value), range[1].max(*value)];
        }
        self.past.rotate_right(1);
        self.past[0].copy_from_slice(values);
        most
    }
}

/// A coarse step.
#[derive(Clone, Copy, Debug, Default)]
struct Worst {
    /// Its end and its size.
    t: f64,
    h: f64,
    /// The coordinate, or the state.
    index: usize,
    is_state: bool,
    /// The mean of errors.
    error: f64,
}

/// What the prescribed steps of a run say of themselves.
///
/// # Allocations
/// None after construction, but for the name of what was coarse.
#[derive(Debug)]
pub(super) struct Resolution {
    q: Track,
    x: Track,
    /// Times of the last points, the latest first, and how many of the three there are.
    times: [f64; 3],
    known: usize,
    mean: f64,
    lost: usize,
    /// The coarsest step.
    worst: Option<Worst>,
}

impl Resolution {
    pub(super) fn new(start: &Point) -> Self {
        Resolution {
            q: Track::new(start.q()),
            x: Track::new(start.x()),
            times: [start.t(); 3],
            known: 1,
            mean: 0.0,
            lost: 0,
            worst: None,
        }
    }

    /// Forgets the points, since what comes does not continue them.
    pub(super) fn restart(&mut self, at: &Point) {
        let worst = self.worst.take();
        *self = Resolution { worst, ..Resolution::new(at) };
    }

    /// Takes a step to a point, with the scales before it. `second` says whether the method is of order
    /// 2: those of higher order resolve more in a step than this shows.
    ///
    /// # Errors
    /// [`StepError::Elsewhere`] and [`StepError::Unresolved`].
    pub(super) fn enter(
        &mut self,
        system: &System,
        (from, to): (&Point, &Point),
        h: f64,
        scales: &Scales,
        second: bool,
    ) -> Result<(), StepError> {
        if let Some((index, off)) = elsewhere(from, to, scales) {
            let worst = name(system, index, false);
            return Err(StepError::Elsewhere { t: to.t(), h, worst, off });
        }
        let weights = self.extrapolation(to.t());
        let of_q = self.q.enter(to.q(), scales.q(), weights);
        let of_x = self.x.enter(to.x(), scales.x(), weights);
        self.times = [to.t(), self.times[0], self.times[1]];
        self.known = (self.known + 1).min(3);
        let worse = |k: usize| {
            let ((q, i), (x, j)) = (of_q[k], of_x[k]);
            if x > q { (x, j, true) } else { (q, i, false) }
        };
        let (error, index, is_state) = worse(0);
        self.mean = MEMORY * self.mean + (1.0 - MEMORY) * error.min(1.0);
        if second && self.mean > self.worst.map_or(COARSE, |worst| worst.error) {
            self.worst = Some(Worst { t: to.t(), h, index, is_state, error: self.mean });
        }
        let (error, index, is_state) = worse(1);
        self.lost += usize::from(error > 1.0);
        if error <= 1.0 || self.lost < LOST {
            return Ok(());
        }
        let worst = name(system, index, is_state);
        Err(StepError::Unresolved { t: to.t(), h, worst, error })
    }

    /// Saves or restores the points before and what is known of them.
    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let Resolution { q, x, times, known, mean, lost, worst } = self;
        state.part("the resolution of the steps");
        let lengths = [q.range.len(), x.range.len()];
        for Track { past, range } in [q, x] {
            past.iter_mut().for_each(|values| state.numbers(values));
            range.iter_mut().for_each(|range| state.numbers(range));
        }
        state.numbers(times);
        state.count(known);
        state.number(mean);
        state.count(lost);
        let mut is = worst.is_some();
        state.flag(&mut is);
        let mut kept = worst.unwrap_or_default();
        let Worst { t, h, index, is_state, error } = &mut kept;
        state.number(t);
        state.number(h);
        state.count(index);
        state.flag(is_state);
        state.number(error);
        state.require(!is || *index < lengths[usize::from(*is_state)]);
        *worst = is.then_some(kept);
    }

    /// Weights of the last points in the parabola through them at a time, or the line at first.
    fn extrapolation(&self, t: f64) -> Option<[f64; 3]> {
        let [a, b, c] = self.times;
        match self.known {
            3 => Some([
                (t - b) * (t - c) / ((a - b) * (a - c)),
                (t - a) * (t - c) / ((b - a) * (b - c)),
                (t - a) * (t - b) / ((c - a) * (c - b)),
            ]),
            2 => Some([(t - b) / (a - b), (t - a) / (b - a), 0.0]),
            _ => None,
        }
    }

    /// The coarsest steps, if they do not resolve the motion.
    pub(super) fn coarse(&self, system: &System) -> Option<Coarse> {
        let Worst { t, h, index, is_state, error } = self.worst?;
        Some(Coarse { t, h, worst: name(system, index, is_state), error })
    }
}

/// The coordinate that has moved least as velocities say, with the distance from where they lead; nothing
/// where all have.
fn elsewhere(from: &Point, to: &Point, scales: &Scales) -> Option<(usize, f64)> {
    let h = to.t() - from.t();
    let velocities = from.v().iter().zip(to.v());
    let accelerations = from.a().iter().zip(to.a());
    let positions = from.q().iter().zip(to.q()).zip(scales.q().weights());
    let offs = positions.zip(velocities).zip(accelerations).map(
        |((((q, next), scale), (v, w)), (a, b))| {
            let by_velocities = next - q - 0.5 * h * (v + w);
            let by_both = by_velocities - h * h / 12.0 * (a - b);
            let moved = 0.5 * h * (v.abs() + w.abs());
            (by_velocities.abs().min(by_both.abs()), scale.max(moved))
        },
    );
    if !offs.clone().fold(false, |any, (off, size)| any | (off > ELSEWHERE * size)) {
        return None;
    }
    let mut most = (0, ELSEWHERE);
    for (i, (off, size)) in offs.enumerate() {
        if off / size > most.1 {
            most = (i, off / size);
        }
    }
    (most.1 > ELSEWHERE).then_some(most)
}

fn name(system: &System, index: usize, is_state: bool) -> String {
    system.scalar_name(if is_state { SlotKind::X } else { SlotKind::Q }, index)
}
