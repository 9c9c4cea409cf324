//! Norms of errors and corrections in units of what matters.

/// Newton's unit at round-off accuracy, relative to the largest entry in the same unit.
pub const TIGHT: f64 = 1e-12;

/// The power of the tolerance to which the shares converge with which surfaces hold a motion.
pub const SHARES: f64 = 2.0 / 3.0;

/// What they converge to at round-off accuracy.
pub const SHARES_TIGHT: f64 = 1e-9;

/// Entries taken at a time, so that no sum or maximum waits for the one before.
const LANES: usize = 4;

/// Weighted root mean square (paper 002, eq. 35).
pub fn rms(values: &[f64], scale: &[f64]) -> f64 {
    rms_of(values.len(), scale, |i| values[i])
}

/// The same of `value(0)` to `value(count − 1)`.
pub fn rms_of(count: usize, scale: &[f64], value: impl Fn(usize) -> f64) -> f64 {
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

/// Largest |values| in units of their own; NaN if any is.
pub fn largest_in(values: &[f64], unit: impl Fn(usize) -> f64) -> f64 {
    let mut most = [0.0f64; LANES];
    let mut finite = [0.0; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest = chunks.remainder();
    let first = values.len() - rest.len();
    let take = |most: &mut f64, finite: &mut f64, i: usize, value: f64| {
        let ratio = value.abs() / unit(i);
        *most = if ratio > *most { ratio } else { *most };
        *finite += 0.0 * value;
    };
    for (c, chunk) in chunks.enumerate() {
        for k in 0..LANES {
            take(&mut most[k], &mut finite[k], LANES * c + k, chunk[k]);
        }
    }
    for (k, value) in rest.iter().enumerate() {
        take(&mut most[k], &mut finite[k], first + k, *value);
    }
    largest_of(most, finite, values)
}

fn largest_of(most: [f64; LANES], finite: [f64; LANES], values: &[f64]) -> f64 {
    let most = most.iter().fold(0.0f64, |m, y| m.max(*y));
    // 0·∞ is NaN too.
    if finite.iter().all(|f| *f == 0.0) || values.iter().all(|y| !y.is_nan()) {
        most
    } else {
        f64::NAN
    }
}

/// The same in units of `by[0]` times one size of each plus `by[1]` times another, of as many.
pub fn largest_in_sizes(values: &[f64], [one, other]: [&[f64]; 2], by: [f64; 2]) -> f64 {
    let mut most = [0.0f64; LANES];
    let mut finite = [0.0; LANES];
    let mut take = |k: usize, value: f64, one: f64, other: f64| {
        let ratio = value.abs() / (by[0] * one + by[1] * other);
        most[k] = if ratio > most[k] { ratio } else { most[k] };
        finite[k] += 0.0 * value;
    };
    let chunks = [values, one, other].map(|of| of.chunks_exact(LANES));
    let rest = chunks.each_ref().map(|of| of.remainder());
    let [lanes, one, other] = chunks;
    for ((values, one), other) in lanes.zip(one).zip(other) {
        (0..LANES).for_each(|k| take(k, values[k], one[k], other[k]));
    }
    for ((value, one), other) in rest[0].iter().zip(rest[1]).zip(rest[2]) {
        take(0, *value, *one, *other);
    }
    largest_of(most, finite, values)
}

/// Mean square of relative errors and the place of the largest.
#[derive(Default)]
pub struct Mean {
    sum: f64,
    count: usize,
    largest: f64,
    /// Index of the largest.
    pub worst: usize,
}

impl Mean {
    /// Takes the relative error of an entry.
    pub fn add(&mut self, value: f64, index: usize) {
        let square = value * value;
        self.sum += square;
        self.count += 1;
        if square > self.largest || square.is_nan() {
            (self.largest, self.worst) = (square, index);
        }
    }

    /// Θ.
    pub fn theta(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }
}

/// The larger, or NaN.
pub fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}
