//! Radau IIA with any odd number of stages, and what takes its Newton systems apart: computed from
//! the nodes, for three stages the values of `radau5/tableau.rs`.

use nalgebra::{Complex, DMatrix, DVector};

/// One eigenvalue μ of A⁻¹ with the vectors that take the stages to its system and back.
#[derive(Clone, Debug)]
pub(super) struct Mode<T> {
    pub(super) mu: T,
    pub(super) left: Vec<T>,
    pub(super) right: Vec<T>,
}

/// Coefficients of the method.
#[derive(Clone, Debug)]
pub(super) struct Tableau {
    pub(super) stages: usize,
    /// Instants of the stages as parts of the step.
    pub(super) c: Vec<f64>,
    /// q_i = q + h Σ_j a_ij q̇_j, its square and its inverse; rows one after another.
    pub(super) a: Vec<f64>,
    pub(super) squared: Vec<f64>,
    pub(super) inverse: Vec<f64>,
    pub(super) real: Mode<f64>,
    /// One of each pair of complex eigenvalues.
    pub(super) pairs: Vec<Mode<Complex<f64>>>,
    /// What gives h^(s−1) f^(s−1)/(s−1)! of the stages' values.
    pub(super) top: Vec<f64>,
    /// C in the local error C h^(2s) y^(2s).
    pub(super) constant: f64,
}

fn factorial(n: usize) -> f64 {
    (1..=n).map(|k| k as f64).product()
}

/// P_s − P_(s−1) at x and its derivative: Legendre's polynomials.
fn node_polynomial(s: usize, x: f64) -> (f64, f64) {
    let (mut p, mut before) = (x, 1.0);
    let (mut dp, mut d_before) = (1.0, 0.0);
    for k in 2..=s {
        let k = k as f64;
        let next = ((2.0 * k - 1.0) * x * p - (k - 1.0) * before) / k;
        let d_next = ((2.0 * k - 1.0) * (p + x * dp) - (k - 1.0) * d_before) / k;
        (before, p) = (p, next);
        (d_before, dp) = (dp, d_next);
    }
    (p - before, dp - d_before)
}

impl Tableau {
    /// For an odd number of stages, 3 or more.
    pub(super) fn new(stages: usize) -> Self {
        let s = stages;
        let mut c: Vec<f64> = (0..s)
            .map(|j| {
                let angle = 2.0 * std::f64::consts::PI * j as f64 / (2 * s - 1) as f64;
                let mut x = angle.cos();
                if j > 0 {
                    for _ in 0..50 {
                        let (p, dp) = node_polynomial(s, x);
                        x -= p / dp;
                    }
                }
                0.5 * (x + 1.0)
            })
            .collect();
        c.sort_by(f64::total_cmp);
        // Σ_j a_ij c_j^k = c_i^(k+1)/(k+1).
        let powers = DMatrix::from_fn(s, s, |k, j| c[j].powi(k as i32));
        let sums = DMatrix::from_fn(s, s, |k, i| c[i].powi(k as i32 + 1) / (k + 1) as f64);
        let identity = DMatrix::identity(s, s);
        let a = powers.lu().solve(&sums).unwrap_or_else(|| identity.clone()).transpose();
        let inverse = a.clone().try_inverse().unwrap_or(identity);
        let squared = &a * &a;
        let values = inverse.complex_eigenvalues();
        let (mut real, mut pairs) = (None, Vec::new());
        for &mu in values.iter().filter(|mu| mu.im > -1e-9) {
            let right = vector(&inverse, mu);
            let left = vector(&inverse.transpose(), mu);
            let scale = left.dot(&right);
            let left = left / scale;
            if mu.im < 1e-9 {
                let re = |v: &DVector<Complex<f64>>, by: Complex<f64>| {
                    v.iter().map(|x| (x * by).re).collect()
                };
                // Its vectors are real but for a common factor.
                let by = right[s - 1];
                real = Some(Mode { mu: mu.re, left: re(&left, by), right: re(&right, by.inv()) });
            } else {
                let (left, right) = (left.iter().copied(), right.iter().copied());
                pairs.push(Mode { mu, left: left.collect(), right: right.collect() });
            }
        }
        let top = (0..s).map(|j| {
            let others = (0..s).filter(|m| *m != j);
            others.map(|m| 1.0 / (c[j] - c[m])).product()
        });
        let rows = |m: &DMatrix<f64>| m.transpose().as_slice().to_vec();
        Tableau {
            stages,
            top: top.collect(),
            a: rows(&a),
            squared: rows(&squared),
            inverse: rows(&inverse),
            real: real.unwrap_or(Mode { mu: 1.0, left: vec![0.0; s], right: vec![0.0; s] }),
            pairs,
            c,
            constant: factorial(s) * factorial(s - 1) / (factorial(2 * s - 1) * factorial(2 * s)),
        }
    }

    /// A row of one of its matrices.
    pub(super) fn row<'a>(&self, matrix: &'a [f64], stage: usize) -> &'a [f64] {
        &matrix[stage * self.stages..(stage + 1) * self.stages]
    }
}

/// An eigenvector, by inverse iteration.
fn vector(matrix: &DMatrix<f64>, mu: Complex<f64>) -> DVector<Complex<f64>> {
    let s = matrix.nrows();
    let shift = mu * (1.0 + 1e-10);
    let shifted = DMatrix::from_fn(s, s, |i, j| {
        Complex::new(matrix[(i, j)], 0.0) - if i == j { shift } else { Complex::new(0.0, 0.0) }
    });
    let lu = shifted.lu();
    let mut x = DVector::from_fn(s, |i, _| Complex::new(1.0, 0.3 * i as f64));
    for _ in 0..4 {
        if let Some(y) = lu.solve(&x) {
            x = &y / Complex::new(y.norm(), 0.0);
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stages_collocate_and_come_apart() {
        for s in [3, 5, 7] {
            let t = Tableau::new(s);
            let order = 2 * s - 1;
            for k in 1..=order {
                let sum: f64 =
                    (0..s).map(|j| t.row(&t.a, s - 1)[j] * t.c[j].powi(k as i32 - 1)).sum();
                assert!((sum - 1.0 / k as f64).abs() < 1e-14, "{s} {k}: {sum}");
            }
            assert_eq!(t.pairs.len(), s / 2);
            // A⁻¹ = Σ μ x yᵀ over all eigenvalues.
            for i in 0..s {
                for j in 0..s {
                    let mut sum = t.real.mu * t.real.right[i] * t.real.left[j];
                    for p in &t.pairs {
                        sum += 2.0 * (p.mu * p.right[i] * p.left[j]).re;
                    }
                    let exact = t.row(&t.inverse, i)[j];
                    assert!((sum - exact).abs() < 1e-11 * exact.abs().max(1.0), "{s} {i} {j}");
                }
            }
            // The leading coefficient of x^(s−1).
            let of =
                |w: &[f64], k: i32| -> f64 { w.iter().zip(&t.c).map(|(w, c)| w * c.powi(k)).sum() };
            assert!((of(&t.top, s as i32 - 1) - 1.0).abs() < 1e-10);
            assert!(of(&t.top, s as i32 - 2).abs() < 1e-10);
        }
        assert!((Tableau::new(3).constant - 1.0 / 7200.0).abs() < 1e-18);
    }
}
