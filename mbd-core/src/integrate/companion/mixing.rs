//! Better corrections from earlier ones of the same iteration (Anderson's method).
//!
//! With corrections b_k = P⁻¹(−F(u_k)) of a frozen matrix P, differences of successive corrections
//! show what the matrix misses along the differences of the unknowns. The combination of them that
//! leaves least of the correction at hand is taken out; for linear equations this is GMRES.

/// What an iteration has learnt.
#[derive(Debug, Default)]
pub(super) struct Mixing {
    /// Orthonormal differences of corrections, and the same with the differences of unknowns that they belong
    /// to, which is what taking them out of a correction takes from the step.
    corrections: Vec<Vec<f64>>,
    steps: Vec<Vec<f64>>,
    count: usize,
    /// The last correction, and the step taken.
    last: Vec<f64>,
    step: Vec<f64>,
    /// What is to count of each unknown.
    pub(super) importance: Vec<f64>,
    begun: bool,
}

impl Mixing {
    /// For so many unknowns, remembering so many differences.
    pub(super) fn new(size: usize, depth: usize) -> Self {
        let vectors = || (0..depth).map(|_| vec![0.0; size]).collect();
        Mixing {
            corrections: vectors(),
            steps: vectors(),
            count: 0,
            last: vec![0.0; size],
            step: vec![0.0; size],
            importance: vec![1.0; size],
            begun: false,
        }
    }

    /// Begins an iteration.
    pub(super) fn begin(&mut self) {
        self.count = 0;
        self.begun = false;
    }

    fn dot(&self, a: &[f64], b: &[f64]) -> f64 {
        // Four sums, which need not wait for each other.
        let mut sums = [0.0; 4];
        let weights = &self.importance[..];
        let rows = || a.chunks_exact(4).zip(b.chunks_exact(4)).zip(weights.chunks_exact(4));
        for ((a, b), w) in rows() {
            for k in 0..4 {
                sums[k] += w[k] * a[k] * (w[k] * b[k]);
            }
        }
        for i in a.len() / 4 * 4..a.len() {
            sums[0] += weights[i] * a[i] * (weights[i] * b[i]);
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// Makes the correction `b` the step to be taken; what the combination leaves of it goes to `rest`.
    pub(super) fn improve(&mut self, b: &mut [f64], rest: &mut [f64]) {
        if self.begun && self.count < self.corrections.len() {
            let mut df = std::mem::take(&mut self.corrections[self.count]);
            let mut du = std::mem::take(&mut self.steps[self.count]);
            for (d, (b, last)) in df.iter_mut().zip(b.iter().zip(&self.last)) {
                *d = b - last;
            }
            for (d, (df, step)) in du.iter_mut().zip(df.iter().zip(&self.step)) {
                *d = df + step;
            }
            let whole = self.dot(&df, &df).sqrt();
            for j in 0..self.count {
                let c = self.dot(&self.corrections[j], &df);
                subtract(&mut df, c, &self.corrections[j]);
                subtract(&mut du, c, &self.steps[j]);
            }
            let size = self.dot(&df, &df).sqrt();
            // Nothing new but rounding.
            let new = size > 1e-6 * whole && size.is_finite();
            if new {
                df.iter_mut().for_each(|d| *d /= size);
                du.iter_mut().for_each(|d| *d /= size);
            }
            self.corrections[self.count] = df;
            self.steps[self.count] = du;
            self.count += usize::from(new);
        }
        self.begun = true;
        self.last.copy_from_slice(b);
        rest.copy_from_slice(b);
        for j in 0..self.count {
            let c = self.dot(&self.corrections[j], rest);
            subtract(rest, c, &self.corrections[j]);
            subtract(b, c, &self.steps[j]);
        }
        self.step.copy_from_slice(b);
    }
}

/// y − c x into y.
fn subtract(y: &mut [f64], c: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y -= c * x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A u = 1 with a matrix far from the one that is solved with, the identity.
    #[test]
    fn linear_equations_are_solved_in_as_many_corrections_as_unknowns() {
        let matrix = [[1.0, 0.8, 0.0], [-0.9, 1.5, 0.3], [0.2, 0.4, 0.7]];
        let mut mixing = Mixing::new(3, 8);
        let (mut u, mut rest) = ([0.0; 3], [0.0; 3]);
        for _ in 0..4 {
            let mut b: [f64; 3] = std::array::from_fn(|i| {
                1.0 - matrix[i].iter().zip(&u).map(|(a, u)| a * u).sum::<f64>()
            });
            mixing.improve(&mut b, &mut rest);
            u.iter_mut().zip(&b).for_each(|(u, b)| *u += b);
        }
        for row in matrix {
            let left = 1.0 - row.iter().zip(&u).map(|(a, u)| a * u).sum::<f64>();
            assert!(left.abs() < 1e-12, "{left:e}");
        }
    }
}
