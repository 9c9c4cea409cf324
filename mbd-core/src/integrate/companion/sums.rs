//! Sums over the stages of a macro-step, whose unknowns are stored one stage after another.
//!
//! They are most of what a macro-step of a small model costs beside its residuals, so the number of stages
//! is known when they are compiled.

use std::ops::{AddAssign, Mul};

/// Where a run of unknowns of the first stage begins, and by how much that of the next stage is later.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) first: usize,
    pub(super) size: usize,
}

/// Numbers that may weigh the stages.
pub(super) trait Weight: Copy + AddAssign + Mul<f64, Output = Self> {}
impl<T: Copy + AddAssign + Mul<f64, Output = T>> Weight for T {}

/// `take(i, Σ_j weights_j u_ij)` for so many unknowns.
#[inline(always)]
fn each<T: Weight>(
    weights: &[T],
    u: &[f64],
    place: Place,
    count: usize,
    take: impl FnMut(usize, T),
) {
    match weights.len() {
        5 => fixed::<T, 5>(weights, u, place, count, take),
        7 => fixed::<T, 7>(weights, u, place, count, take),
        _ => any(weights, u, place, count, take),
    }
}

#[inline(always)]
fn fixed<T: Weight, const STAGES: usize>(
    weights: &[T],
    u: &[f64],
    place: Place,
    count: usize,
    mut take: impl FnMut(usize, T),
) {
    let weights: [T; STAGES] = std::array::from_fn(|j| weights[j]);
    let stages: [&[f64]; STAGES] =
        std::array::from_fn(|j| &u[j * place.size + place.first..][..count]);
    for i in 0..count {
        let mut sum = weights[0] * stages[0][i];
        for j in 1..STAGES {
            sum += weights[j] * stages[j][i];
        }
        take(i, sum);
    }
}

#[inline(always)]
fn any<T: Weight>(
    weights: &[T],
    u: &[f64],
    place: Place,
    count: usize,
    mut take: impl FnMut(usize, T),
) {
    let Some((first, others)) = weights.split_first() else { return };
    for i in 0..count {
        let mut sum = *first * u[place.first + i];
        for (j, weight) in others.iter().enumerate() {
            sum += *weight * u[(j + 1) * place.size + place.first + i];
        }
        take(i, sum);
    }
}

/// Σ_j weights_j u_ij into `to`.
pub(super) fn weighted<T: Weight>(weights: &[T], u: &[f64], place: Place, to: &mut [T]) {
    each(weights, u, place, to.len(), |i, sum| to[i] = sum);
}

/// Raises `to` to |Σ_j weights_j u_ij|; a sum that is no number stays.
pub(super) fn raise(weights: &[f64], u: &[f64], place: Place, to: &mut [f64]) {
    each(weights, u, place, to.len(), |i, sum| {
        let size = sum.abs();
        if size > to[i] || size.is_nan() {
            to[i] = size;
        }
    });
}

/// The largest of numbers; NaN if one of them is.
pub(super) fn largest(of: impl Iterator<Item = f64>) -> f64 {
    of.fold(0.0, |m: f64, x| if x > m || x.is_nan() { x } else { m })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_stages_sums_alike() {
        for stages in [3usize, 5, 7] {
            let size = 4;
            let weights: Vec<f64> = (0..stages).map(|j| 1.0 - 0.3 * j as f64).collect();
            let u: Vec<f64> = (0..stages * size).map(|k| (k as f64 * 0.7).sin()).collect();
            let exact = |i: usize| -> f64 {
                weights.iter().enumerate().map(|(j, w)| w * u[j * size + i]).sum()
            };
            let place = Place { first: 1, size };
            let mut to = [0.0; 3];
            weighted(&weights, &u, place, &mut to);
            let mut raised = [0.5, f64::INFINITY, 0.0];
            raise(&weights, &u, place, &mut raised);
            for i in 0..3 {
                assert!((to[i] - exact(i + 1)).abs() < 1e-15, "{stages} {i}");
            }
            assert_eq!(raised, [to[0].abs().max(0.5), f64::INFINITY, to[2].abs()]);
            let mut spoilt = u;
            spoilt[1] = f64::NAN;
            raise(&weights, &spoilt, place, &mut raised);
            assert!(raised[0].is_nan() && largest(raised.into_iter()).is_nan());
        }
    }
}
