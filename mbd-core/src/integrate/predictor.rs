//! The prediction stage (paper 002): a polynomial through the last accepted values of every unknown,
//! by Newton's divided differences, of the degree that has predicted best lately.

use crate::checkpoint::State;
use std::ops::Range;

/// Highest degree of the polynomial.
pub const MAX_DEGREE: usize = 3;

const COUNT: usize = MAX_DEGREE + 1;

/// How much of its rank a degree keeps from step to step.
const MEMORY: f64 = 0.75;

/// Unknowns that a step yields at the same instant.
///
/// A method may carry a quantity that belongs to another instant than the end of the step: the
/// algorithmic acceleration of the α-family is that of t + α h. Extrapolating it over its own
/// instants keeps the prediction accurate when the step size changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Instant {
    /// The unknowns.
    pub range: Range<usize>,
    /// Their instant is t + shift·h at the end t of a step of size h.
    pub shift: f64,
    /// They go with h^power: what is extrapolated is the unknown over h^power. 0 for values of the
    /// solution.
    pub power: i32,
}

impl Instant {
    /// Values of the solution at t + shift·h.
    pub fn shifted(range: Range<usize>, shift: f64) -> Self {
        Instant { range, shift, power: 0 }
    }
}

/// Extrapolates the unknowns of accepted steps.
///
/// # Allocations
/// None after construction.
#[derive(Clone, Debug)]
pub struct Predictor {
    instants: Vec<Instant>,
    /// Past instants per entry of `instants`, the latest first.
    times: Vec<[f64; COUNT]>,
    /// Divided differences ending at the latest value, by order.
    differences: [Vec<f64>; COUNT],
    /// What each degree predicted for the step under way.
    predicted: [Vec<f64>; COUNT],
    work: Vec<f64>,
    count: usize,
    degree: usize,
    judged: usize,
    ranks: [f64; COUNT],
    limit: usize,
}

impl Predictor {
    /// For unknowns with the given instants, which cover all of them.
    pub fn new(size: usize, instants: Vec<Instant>) -> Self {
        Predictor {
            times: vec![[0.0; COUNT]; instants.len()],
            instants,
            differences: std::array::from_fn(|_| vec![0.0; size]),
            predicted: std::array::from_fn(|_| vec![0.0; size]),
            work: vec![0.0; size],
            count: 0,
            degree: 0,
            judged: 0,
            ranks: [1.0; COUNT],
            limit: MAX_DEGREE,
        }
    }

    /// Saves or restores the past.
    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let Predictor {
            instants: _,
            times,
            differences,
            predicted: _,
            work: _,
            count,
            degree,
            judged: _,
            ranks,
            limit: _,
        } = self;
        state.part("the predictor");
        times.iter_mut().for_each(|times| state.numbers(times));
        differences.iter_mut().for_each(|values| state.numbers(values));
        state.count(count);
        state.count(degree);
        state.numbers(ranks);
    }

    /// Bounds the degree, for studies of the predictor.
    pub fn limit_degree(&mut self, degree: usize) {
        self.limit = degree.min(MAX_DEGREE);
    }

    /// Forgets the past: at the start and after a discontinuity.
    pub fn reset(&mut self) {
        self.count = 0;
        self.judged = 0;
        self.ranks = [1.0; COUNT];
    }

    /// Falls back to the last value for the next prediction, keeping the past for later ones.
    pub fn distrust(&mut self) {
        self.ranks = std::array::from_fn(|d| d as f64);
    }

    /// Degree of the latest prediction.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// Takes the unknowns of an accepted step of size `h` ending at `t`.
    pub fn push(&mut self, t: f64, h: f64, u: &[f64]) {
        for (instant, times) in self.instants.iter().zip(&mut self.times) {
            let s = t + instant.shift * h;
            let scale = if h > 0.0 { h.powi(-instant.power) } else { 1.0 };
            let work = &mut self.work[instant.range.clone()];
            for (difference, u) in work.iter_mut().zip(&u[instant.range.clone()]) {
                *difference = scale * u;
            }
            // f[s, …, s_k] = (f[s, …, s_{k−1}] − f[s_0, …, s_k]) / (s − s_k)
            let orders = self.differences.iter_mut().zip(times.iter());
            for (kept, time) in orders.take(self.count + 1) {
                // A first step of a method with shift −1 yields what is at its start.
                let between = s - time;
                let by = if between == 0.0 { 0.0 } else { 1.0 / between };
                for (kept, difference) in kept[instant.range.clone()].iter_mut().zip(&mut *work) {
                    let old = std::mem::replace(kept, *difference);
                    *difference = (*difference - old) * by;
                }
            }
            times.rotate_right(1);
            times[0] = s;
        }
        self.count = (self.count + 1).min(COUNT);
    }

    /// Predicts the unknowns of a step of size `h` ending at `t`. Without a past, leaves `u`.
    pub fn predict(&mut self, t: f64, h: f64, u: &mut [f64]) {
        self.judged = self.count.min(self.limit + 1);
        if self.count == 0 {
            return;
        }
        for (instant, times) in self.instants.iter().zip(&self.times) {
            let s = t + instant.shift * h;
            let mut factors = [h.powi(instant.power); COUNT];
            for order in 1..COUNT {
                factors[order] = factors[order - 1] * (s - times[order - 1]);
            }
            let range = instant.range.clone();
            let sum = &mut self.work[range.clone()];
            sum.fill(0.0);
            let orders = self.differences.iter().zip(&mut self.predicted).zip(factors);
            for ((difference, predicted), factor) in orders.take(self.judged) {
                let entries = difference[range.clone()].iter().zip(&mut predicted[range.clone()]);
                for (sum, (difference, predicted)) in sum.iter_mut().zip(entries) {
                    *sum += factor * difference;
                    *predicted = *sum;
                }
            }
        }
        self.degree =
            (0..self.judged).min_by(|&a, &b| self.ranks[a].total_cmp(&self.ranks[b])).unwrap_or(0);
        u.copy_from_slice(&self.predicted[self.degree]);
    }

    /// Ranks the degrees by how near they came to what the step turned out to be.
    pub fn judge(&mut self, u: &[f64], mut norm: impl FnMut(&[f64]) -> f64) {
        let mut errors = [f64::INFINITY; COUNT];
        for (error, predicted) in errors.iter_mut().zip(&self.predicted).take(self.judged) {
            for ((w, p), u) in self.work.iter_mut().zip(predicted).zip(u) {
                *w = p - u;
            }
            *error = norm(&self.work);
        }
        for d in 0..self.judged {
            let rank = errors[..self.judged].iter().filter(|e| **e < errors[d]).count();
            self.ranks[d] = MEMORY * self.ranks[d] + (1.0 - MEMORY) * rank as f64;
        }
        self.judged = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn predictor() -> Predictor {
        let instants = vec![Instant::shifted(0..1, -0.3), Instant::shifted(1..2, 0.0)];
        Predictor::new(2, instants)
    }

    #[test]
    fn cubics_are_predicted_exactly_over_uneven_and_shifted_instants() {
        let f = |s: f64| 1.0 - 2.0 * s + 0.5 * s * s - 0.7 * s.powi(3);
        let mut p = predictor();
        let (mut t, mut u) = (0.0, [0.0; 2]);
        for (k, h) in [0.1, 0.23, 0.07, 0.4, 0.11, 0.3, 0.2].into_iter().enumerate() {
            p.predict(t + h, h, &mut u);
            t += h;
            let exact = [f(t - 0.3 * h), f(t)];
            if k >= 4 {
                for (predicted, exact) in p.predicted[3].iter().zip(exact) {
                    assert!((predicted - exact).abs() < 1e-12, "step {k}");
                }
            }
            p.judge(&exact, |e| e[0].abs() + e[1].abs());
            p.push(t, h, &exact);
        }
        p.predict(t + 0.1, 0.1, &mut u);
        assert_eq!(p.degree(), 3);
    }

    #[test]
    fn a_jumping_sequence_is_predicted_by_its_last_value() {
        let mut p = predictor();
        let mut u = [0.0; 2];
        for k in 0..40 {
            let t = f64::from(k);
            p.predict(t, 1.0, &mut u);
            let value = f64::from(k * 7919 % 13 - 6);
            p.judge(&[value; 2], |e| e[0].abs() + e[1].abs());
            p.push(t, 1.0, &[value; 2]);
        }
        p.predict(40.0, 1.0, &mut u);
        assert!(p.degree() <= 1, "degree {}", p.degree());
    }
}
