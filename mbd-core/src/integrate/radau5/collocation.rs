//! The last step's collocation polynomial: extrapolated, the starting values of a step's stages;
//! within the step, values between accepted points.

use super::tableau::{C, STAGES};
use crate::checkpoint::State;

const NODES: usize = STAGES + 1;

/// Parts of a step by which its ends, as they are summed up, may be off.
const SAME: f64 = 1e-9;

/// The unknowns at the beginning of the last step and in its stages, and the polynomial of degree 3
/// through them. One more node, from the step before, makes the extrapolation better in smooth
/// motions and worse where the step is at the limit of what its equations allow; measured over
/// fourteen examples, degree 3 leads to the fewest iterations.
#[derive(Clone, Debug)]
pub(super) struct Collocation {
    size: usize,
    /// Instants, the latest first, and how many there are.
    times: [f64; NODES],
    count: usize,
    /// The unknowns at each instant.
    values: [Vec<f64>; NODES],
}

impl Collocation {
    /// For `size` unknowns of a stage.
    pub(super) fn new(size: usize) -> Self {
        let values = std::array::from_fn(|_| vec![0.0; size]);
        Collocation { size, times: [0.0; NODES], count: 0, values }
    }

    /// Begins at an instant; returns the unknowns there, to be filled.
    pub(super) fn start(&mut self, t: f64) -> &mut [f64] {
        self.times[0] = t;
        self.count = 1;
        &mut self.values[0]
    }

    /// Saves or restores the nodes.
    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let Collocation { size: _, times, count, values } = self;
        state.numbers(times);
        state.count(count);
        values.iter_mut().for_each(|values| state.numbers(values));
    }

    /// Whether nothing is known.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Keeps the last values only.
    pub(super) fn distrust(&mut self) {
        self.count = self.count.min(1);
    }

    /// Takes the stages of an accepted step.
    pub(super) fn push(&mut self, t: f64, h: f64, u: &[f64]) {
        // The end of the step before is where this one begins.
        self.values.swap(0, STAGES);
        self.times[STAGES] = self.times[0];
        for (stage, c) in C.into_iter().enumerate() {
            let node = STAGES - 1 - stage;
            self.times[node] = t + c * h;
            self.values[node].copy_from_slice(&u[stage * self.size..(stage + 1) * self.size]);
        }
        self.count = NODES;
    }

    /// Predicts the stages of a step.
    pub(super) fn predict(&self, t: f64, h: f64, u: &mut [f64]) {
        for (c, u) in C.into_iter().zip(u.chunks_exact_mut(self.size.max(1))) {
            let weights = self.weights(t + c * h);
            let [first, rest @ ..] = &self.values;
            for (u, value) in u.iter_mut().zip(first) {
                *u = weights[0] * value;
            }
            for (values, weight) in rest.iter().zip(&weights[1..self.count]) {
                for (u, value) in u.iter_mut().zip(values) {
                    *u += weight * value;
                }
            }
        }
    }

    /// The stages of the last step from the unknown of the given index on, with the one before it first, if that is the
    /// step between these times.
    pub(super) fn of_step(&self, [t, t_next]: [f64; 2], first: usize) -> Option<[&[f64]; NODES]> {
        let near = SAME * (t_next - t).abs();
        let same = |a: f64, b: f64| (a - b).abs() <= near;
        let is = self.count == NODES && same(self.times[STAGES], t) && same(self.times[0], t_next);
        is.then(|| std::array::from_fn(|node| &self.values[STAGES - node][first..]))
    }

    /// Lagrange's polynomials at an instant.
    fn weights(&self, t: f64) -> [f64; NODES] {
        lagrange(&self.times[..self.count], t)
    }
}

/// The unknowns at an instant of a step of size `h` from `t_begin` on, by those at its beginning and in its stages.
pub(super) fn within(t_begin: f64, h: f64, nodes: [&[f64]; NODES], t: f64, out: &mut [f64]) {
    let [c0, c1, c2] = C;
    let weights = lagrange(&[0.0, c0, c1, c2], (t - t_begin) / h);
    out.fill(0.0);
    for (values, weight) in nodes.into_iter().zip(weights) {
        for (u, value) in out.iter_mut().zip(values) {
            *u += weight * value;
        }
    }
}

/// Lagrange's polynomials of some instants, as many as there are.
fn lagrange(times: &[f64], t: f64) -> [f64; NODES] {
    let mut weights = [0.0; NODES];
    for (i, weight) in weights.iter_mut().enumerate().take(times.len()) {
        let others = times.iter().enumerate().filter(|(j, _)| *j != i);
        *weight = others.map(|(_, s)| (t - s) / (times[i] - s)).product();
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubics_are_predicted_over_steps_of_any_size() {
        let f = |t: f64| [1.0 - 2.0 * t + 0.5 * t * t - 0.7 * t.powi(3), 3.0 * t * t];
        let stages = |t: f64, h: f64| C.map(|c| f(t + c * h)).concat();
        let mut past = Collocation::new(2);
        past.start(0.5).copy_from_slice(&f(0.5));
        let mut u = [0.0; 6];
        past.predict(0.5, 0.1, &mut u);
        assert_eq!(u, [f(0.5); 3].concat()[..], "at first the last values");
        let mut t = 0.5;
        for h in [0.1, 0.23, 0.07] {
            past.push(t, h, &stages(t, h));
            t += h;
            past.predict(t, 1.7 * h, &mut u);
            for (u, exact) in u.iter().zip(stages(t, 1.7 * h)) {
                assert!((u - exact).abs() < 1e-12, "{u} {exact}");
            }
        }
        past.distrust();
        past.predict(t, 0.1, &mut u);
        for (u, last) in u.iter().zip([f(t); 3].concat()) {
            assert!((u - last).abs() < 1e-15);
        }
    }
}
