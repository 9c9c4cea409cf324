//! A quantity beside its difference quotient.
//!
//! What is zero for every motion may be computed as a sum that cancels, or its derivative may, and then rounding is all that
//! is left of it. So both are looked at as well where the last digits of everything that they depend on are changed: by how
//! much they change then, in units of these changes, is the size of the terms that they are made of.

use super::branches::Steady;
use super::samples::{Noise, SHORT, STEPS, difference};
use crate::assembly::{Point, System};

/// Where derivatives are compared.
pub(super) struct Place<'a> {
    pub(super) system: &'a System,
    pub(super) point: &'a Point,
    pub(super) steady: Steady<'a>,
    /// The point with its last digits changed, where that changes no side.
    near: Vec<Point>,
}

/// How often the last digits are changed.
const ROUNDINGS: usize = 6;

impl<'a> Place<'a> {
    pub(super) fn new(system: &'a System, point: &'a Point) -> Self {
        let steady = Steady::new(system, point);
        let mut noise = Noise::new(43);
        let mut near = Vec::new();
        for _ in 0..ROUNDINGS {
            let mut change = || f64::EPSILON * noise.sample().signum();
            let change: Vec<f64> = point.flat().iter().map(|y| y * change()).collect();
            // A change of side is no rounding.
            if !steady.of(point, &change, &[1.0]).is_empty() {
                let mut changed = point.clone();
                changed.flat_mut().iter_mut().zip(&change).for_each(|(y, change)| *y += change);
                near.push(changed);
            }
        }
        Place { system, point, steady, near }
    }

    /// A function at the point, and behind that where its last digits are changed.
    pub(super) fn around<T>(&self, f: impl FnMut(&Point) -> T) -> Vec<T> {
        std::iter::once(self.point).chain(&self.near).map(f).collect()
    }

    pub(super) fn steps(&self, direction: &[f64]) -> Vec<f64> {
        steps(&self.steady, self.point, direction)
    }

    /// Smallest relative error over the step sizes, with the row it is at. `exact`, at the point and [around](Self::around)
    /// it, is compared with the difference of `f`; errors are relative to the larger of the derivative and a thousandth of the
    /// [`size`] of both.
    pub(super) fn compare(
        &self,
        direction: &[f64],
        steps: &[f64],
        exact: &[Vec<f64>],
        mut f: impl FnMut(&Point) -> Vec<f64>,
    ) -> (f64, usize) {
        let level = size(&self.around(&mut f)).max(size(exact)).max(1e-200) * 1e-3;
        let exact = &exact[0];
        let scale = largest(exact).max(level);
        let mut best = vec![f64::INFINITY; exact.len()];
        for &step in steps {
            let quotient = difference(self.point, direction, step, &mut f);
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
}

/// Steps along a direction for its differences: none where all reach across a change of side.
pub(super) fn steps(steady: &Steady<'_>, point: &Point, direction: &[f64]) -> Vec<f64> {
    let usual = steady.of(point, direction, &STEPS);
    if usual.is_empty() { steady.of(point, direction, &SHORT) } else { usual }
}

/// The size of a function of which values are known at a point and where its last digits are changed: that of its value, or of
/// its terms where they cancel.
fn size(around: &[Vec<f64>]) -> f64 {
    let at = &around[0];
    let change = |near: &Vec<f64>| {
        near.iter().zip(at).fold(0.0, |most, (near, at)| f64::max(most, (near - at).abs()))
    };
    let changes = around[1..].iter().map(change).fold(0.0, f64::max);
    largest(at).max(changes / f64::EPSILON)
}

pub(super) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |a, v| f64::max(a, v.abs()))
}
