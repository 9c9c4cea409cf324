//! Points to look at, and difference quotients between them.

use crate::assembly::{Point, SlotKind, System};
use crate::signal::Course;

/// Relative step sizes tried; see the module's introduction.
pub(super) const STEPS: [f64; 5] = [3e-2, 1e-2, 1e-3, 1e-4, 1e-5];

/// Those tried where all of these reach across a change of side.
pub(super) const SHORT: [f64; 3] = [1e-6, 1e-7, 1e-8];

/// Eighth-order central difference of `f` along `direction` (a flat vector), in units of `step`.
pub(super) fn difference(
    point: &Point,
    direction: &[f64],
    step: f64,
    mut f: impl FnMut(&Point) -> Vec<f64>,
) -> Vec<f64> {
    let mut sum: Vec<f64> = Vec::new();
    for (weight, moved) in difference_samples(point, direction, step) {
        let value = f(&moved);
        sum.resize(value.len(), 0.0);
        for (s, v) in sum.iter_mut().zip(value) {
            *s += weight * v / step;
        }
    }
    sum
}

/// The points of the difference, each with its weight times the step.
pub(super) fn difference_samples(
    point: &Point,
    direction: &[f64],
    step: f64,
) -> impl Iterator<Item = (f64, Point)> {
    const C: [f64; 4] = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    let samples = C.iter().zip(1..).flat_map(|(c, k)| [(1.0, *c, k), (-1.0, *c, k)]);
    samples.map(move |(sign, c, k)| {
        let by = sign * f64::from(k) * step;
        let mut moved = point.clone();
        for (m, d) in moved.flat_mut().iter_mut().zip(direction) {
            *m += by * d;
        }
        (sign * c, moved)
    })
}

/// A reproducible sequence of numbers in (−1, 1).
#[derive(Clone, Debug)]
pub struct Noise(u64);

impl Noise {
    /// A sequence.
    pub fn new(seed: u64) -> Self {
        Noise(seed.wrapping_mul(2).wrapping_add(1))
    }

    /// The next number.
    pub fn sample(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 11) as f64 / (1u64 << 53) as f64) * 2.0 - 1.0
    }
}

/// A point near the model's initial values with every scalar disturbed and no structural zeros:
/// where a derivative that is wrong anywhere shows.
pub fn generic_point(system: &System, seed: u64) -> Point {
    let mut noise = Noise::new(seed);
    let mut point = system.initial_point();
    point.set_t(0.37 + 0.1 * noise.sample());
    for input in 0..system.model().inputs().len() {
        // Rates of inputs are what derivatives by time are wrong by.
        let mut course = Course::constant(point.input(input));
        course.coefficients.iter_mut().for_each(|c| *c += 0.7 * noise.sample());
        point.set_input(input, &course);
    }
    for kind in SlotKind::ALL.into_iter().filter(|&kind| kind != SlotKind::T) {
        let by = if kind == SlotKind::Q { 0.02 } else { 0.7 };
        for y in point.get_mut(kind) {
            *y += by
                * noise.sample()
                * if kind == SlotKind::Q { y.abs().clamp(0.02, 1.0) } else { 1.0 };
        }
    }
    point.offsets_mut().iter_mut().for_each(|c| *c += 0.7 * noise.sample());
    point
}
