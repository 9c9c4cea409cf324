//! Norms of errors and corrections in units of what matters.

use crate::assembly::System;
use crate::model::Label;

/// Newton's unit at round-off accuracy, relative to the largest entry.
pub(super) const TIGHT: f64 = 1e-12;

/// Entries taken at a time, so that no sum or maximum waits for the one before.
const LANES: usize = 4;

/// Largest entry by magnitude, at least `least`; NaN if any is.
pub(super) fn largest(values: &[f64], least: f64) -> f64 {
    let take = |m: f64, y: f64| if y.abs() > m { y.abs() } else { m };
    let mut most = [least; LANES];
    let mut finite = [0.0; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for k in 0..LANES {
            most[k] = take(most[k], chunk[k]);
            finite[k] += 0.0 * chunk[k];
        }
    }
    let rest_finite: f64 = rest.iter().map(|y| 0.0 * y).sum();
    if finite.iter().sum::<f64>() + rest_finite == 0.0 {
        most.iter().chain(rest).fold(least, |m, y| take(m, *y))
    } else {
        values.iter().fold(least, |m: f64, y| if y.is_nan() { *y } else { m.max(y.abs()) })
    }
}

/// Weighted root mean square (seed 002, eq. 35).
pub(super) fn rms(values: &[f64], scale: &[f64]) -> f64 {
    rms_of(values.len(), scale, |i| values[i])
}

/// The same of `value(0)` to `value(count − 1)`.
pub(super) fn rms_of(count: usize, scale: &[f64], value: impl Fn(usize) -> f64) -> f64 {
    let scale = &scale[..count];
    let mut sums = [0.0; LANES];
    let chunks = scale.chunks_exact(LANES);
    let first = count - chunks.remainder().len();
    let square = |i: usize, y: f64| {
        let x = value(i) / y;
        x * x
    };
    for (c, chunk) in chunks.enumerate() {
        for k in 0..LANES {
            sums[k] += square(LANES * c + k, chunk[k]);
        }
    }
    let rest: f64 = (first..count).map(|i| square(i, scale[i])).sum();
    ((sums.iter().sum::<f64>() + rest) / count.max(1) as f64).sqrt()
}

/// What an error in each entry of a vector is measured against.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    /// Y_i = max(1, max_j |y_i,j|) over the accepted points; 1 for an angle.
    ///
    /// Seed 002 (eq. 35) has no exception for angles. But an angle's error matters the same after
    /// any number of turns, and a tolerance that loosens as a crank turns would let go of every
    /// position that depends on it.
    pub(super) weights: Vec<f64>,
    /// Largest magnitude seen, at least 1: for what a rounding is.
    pub(super) magnitude: f64,
    angle: Vec<bool>,
}

impl Scale {
    /// For the coordinates of a system.
    pub(super) fn of_coordinates(system: &System) -> Self {
        Scale::of(system.model().coords())
    }

    /// For the velocities of a system, those of angles included.
    pub(super) fn of_velocities(system: &System) -> Self {
        let n = system.dims().n;
        Scale { weights: vec![1.0; n], magnitude: 1.0, angle: vec![false; n] }
    }

    /// For its states.
    pub(super) fn of_states(system: &System) -> Self {
        Scale::of(system.model().states())
    }

    fn of(labels: &[Label]) -> Self {
        Scale {
            weights: vec![1.0; labels.len()],
            magnitude: 1.0,
            angle: labels.iter().map(Label::is_angle).collect(),
        }
    }

    /// Takes the values of an accepted point.
    pub(super) fn raise(&mut self, values: &[f64]) {
        for ((weight, value), angle) in self.weights.iter_mut().zip(values).zip(&self.angle) {
            self.magnitude = self.magnitude.max(value.abs());
            if !angle {
                *weight = weight.max(value.abs());
            }
        }
    }
}

/// Mean square of relative errors and the place of the largest.
#[derive(Default)]
pub(super) struct Mean {
    sum: f64,
    count: usize,
    largest: f64,
    /// Index of the largest.
    pub(super) worst: usize,
}

impl Mean {
    /// Takes the relative error of an entry.
    pub(super) fn add(&mut self, value: f64, index: usize) {
        let square = value * value;
        self.sum += square;
        self.count += 1;
        if square > self.largest || square.is_nan() {
            (self.largest, self.worst) = (square, index);
        }
    }

    /// Θ.
    pub(super) fn theta(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }
}
