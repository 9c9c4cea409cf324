//! A quantity beside its difference quotient.

use super::branches::Steady;
use super::samples::{SHORT, STEPS, difference};
use crate::assembly::{Point, System};

/// Where derivatives are compared.
pub(super) struct Place<'a> {
    pub(super) system: &'a System,
    pub(super) point: &'a Point,
    pub(super) steady: Steady<'a>,
}

impl<'a> Place<'a> {
    pub(super) fn new(system: &'a System, point: &'a Point) -> Self {
        Place { system, point, steady: Steady::new(system, point) }
    }

    pub(super) fn steps(&self, direction: &[f64]) -> Vec<f64> {
        steps(&self.steady, self.point, direction)
    }
}

/// Steps along a direction for its differences: none where all reach across a change of side.
pub(super) fn steps(steady: &Steady<'_>, point: &Point, direction: &[f64]) -> Vec<f64> {
    let usual = steady.of(point, direction, &STEPS);
    if usual.is_empty() { steady.of(point, direction, &SHORT) } else { usual }
}

/// Smallest relative error over the step sizes, with the row it is at. `exact` is compared with
/// the difference of `f`; errors are relative to the larger of the derivative and a thousandth of
/// the function itself.
pub(super) fn compare(
    point: &Point,
    direction: &[f64],
    steps: &[f64],
    exact: &[f64],
    mut f: impl FnMut(&Point) -> Vec<f64>,
) -> (f64, usize) {
    let level = largest(&f(point)).max(1e-200) * 1e-3;
    let scale = largest(exact).max(level);
    let mut best = vec![f64::INFINITY; exact.len()];
    for &step in steps {
        let quotient = difference(point, direction, step, &mut f);
        for ((best, q), e) in best.iter_mut().zip(&quotient).zip(exact) {
            let error = (q - e).abs() / scale.max(q.abs());
            // A NaN derivative must not pass as agreement; a NaN quotient may (kink, domain).
            if e.is_nan() {
                *best = f64::NAN;
            } else if error < *best {
                *best = error;
            }
        }
    }
    best.iter()
        .copied()
        .enumerate()
        .map(|(i, e)| (if e.is_nan() { f64::INFINITY } else { e }, i))
        .fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a })
}

pub(super) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |a, v| f64::max(a, v.abs()))
}
