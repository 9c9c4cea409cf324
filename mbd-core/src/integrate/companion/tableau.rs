//! Radau IIA with any odd number of stages, and what takes its Newton systems apart: computed from
//! the nodes, for three stages the values of `radau5/tableau.rs`.

use nalgebra::{Complex, DMatrix, DVector};
use std::sync::OnceLock;

/// Orders that are in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Five stages.
    Nine,
    /// Seven stages.
    Thirteen,
}

impl Order {
    /// What takes least work beside a method of this order, of which a step may use up `eps` of the
    /// tolerance: longer macro-steps pay for more stages where errors are small.
    pub(super) fn of(order: usize, eps: f64) -> Order {
        if order > 2 && eps < SMALL { Order::Thirteen } else { Order::Nine }
    }
}

/// Parts of the tolerance that a step may use up below which seven stages pay.
const SMALL: f64 = 2e-6;

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
    /// What gives the coefficients in Legendre's polynomials of what the stages have; rows one after
    /// another.
    pub(super) legendre: Vec<f64>,
    pub(super) between: Between,
}

/// As many instants as there are stages, one before each, at which the equations are looked at once more.
#[derive(Clone, Debug)]
pub(super) struct Between {
    /// As parts of the step.
    pub(super) c: Vec<f64>,
    /// What gives the stages' polynomial there, its integral and the integral of that; rows one after another.
    pub(super) value: Vec<f64>,
    pub(super) a: Vec<f64>,
    pub(super) squared: Vec<f64>,
    /// Weights of the integral over the step of what is zero in the stages: with these and the stages' own, of
    /// degree 2s − 1, where the stages alone are exact to degree 2s − 2.
    pub(super) weights: Vec<f64>,
}

impl Between {
    /// Between the nodes c of stages with the weights of their quadrature, and the matrix a of integrals.
    fn new(c: &[f64], weights: &[f64], a: &DMatrix<f64>) -> Self {
        let s = c.len();
        let before = std::iter::once(0.0).chain(c.iter().copied());
        let at: Vec<f64> = before.zip(c).map(|(before, c)| 0.5 * (before + c)).collect();
        let value = DMatrix::from_fn(s, s, |i, j| lagrange(c, j, at[i]));
        let integral = DMatrix::from_fn(s, s, |i, j| {
            let parts = c.iter().zip(weights);
            at[i] * parts.map(|(k, w)| w * lagrange(c, j, at[i] * k)).sum::<f64>()
        });
        let squared = &integral * a;
        let all: Vec<f64> = at.iter().chain(c).copied().collect();
        let points = gauss(s);
        let integral_of = |i| points.iter().map(|(x, w)| w * lagrange(&all, i, *x)).sum();
        let weights = (0..s).map(integral_of).collect();
        let rows = |m: &DMatrix<f64>| m.transpose().as_slice().to_vec();
        Between { c: at, value: rows(&value), a: rows(&integral), squared: rows(&squared), weights }
    }
}

/// Points and weights of Gauss' quadrature over [0, 1], which integrates polynomials of degree 2n − 1.
fn gauss(n: usize) -> Vec<(f64, f64)> {
    let points = (0..n).map(|i| {
        let x = (std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
        let x = root(x, |x| {
            let [_, (p, dp)] = legendre(n, x);
            p / dp
        });
        let [_, (_, dp)] = legendre(n, x);
        (0.5 * (x + 1.0), 1.0 / ((1.0 - x * x) * dp * dp))
    });
    points.collect()
}

/// A root near x, by Newton's method to the last digit, from the correction at each point.
fn root(mut x: f64, correction: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..50 {
        let correction = correction(x);
        x -= correction;
        if correction.abs() < f64::EPSILON {
            break;
        }
    }
    x
}

/// Legendre's polynomials P_(s−1) and P_s at x, and their derivatives.
fn legendre(s: usize, x: f64) -> [(f64, f64); 2] {
    let (mut before, mut p) = ((1.0, 0.0), (x, 1.0));
    for k in 2..=s {
        let k = k as f64;
        let value = ((2.0 * k - 1.0) * x * p.0 - (k - 1.0) * before.0) / k;
        let slope = ((2.0 * k - 1.0) * (p.0 + x * p.1) - (k - 1.0) * before.1) / k;
        (before, p) = (p, (value, slope));
    }
    [before, p]
}

/// The Lagrange polynomial of node `j` at x.
fn lagrange(nodes: &[f64], j: usize, x: f64) -> f64 {
    let others = nodes.iter().enumerate().filter(|(m, _)| *m != j);
    others.map(|(_, node)| (x - node) / (nodes[j] - node)).product()
}

/// Its derivative at node `i`.
fn derivative(nodes: &[f64], j: usize, i: usize) -> f64 {
    let others = |m: &usize| *m != j && *m != i;
    if i == j {
        return (0..nodes.len()).filter(others).map(|m| 1.0 / (nodes[j] - nodes[m])).sum();
    }
    let parts = (0..nodes.len()).filter(others);
    parts.map(|m| (nodes[i] - nodes[m]) / (nodes[j] - nodes[m])).product::<f64>()
        / (nodes[j] - nodes[i])
}

impl Tableau {
    /// For five or seven stages, computed once.
    pub(super) fn of_order(order: Order) -> Self {
        static OF: [OnceLock<Tableau>; 2] = [const { OnceLock::new() }; 2];
        let (of, stages) = match order {
            Order::Nine => (&OF[0], 5),
            Order::Thirteen => (&OF[1], 7),
        };
        of.get_or_init(|| Tableau::new(stages)).clone()
    }

    /// For an odd number of stages, 3 or more.
    fn new(stages: usize) -> Self {
        let s = stages;
        let mut c: Vec<f64> = (0..s)
            .map(|j| {
                let angle = 2.0 * std::f64::consts::PI * j as f64 / (2 * s - 1) as f64;
                if j == 0 {
                    return 1.0;
                }
                // The roots of P_s − P_(s−1).
                let x = root(angle.cos(), |x| {
                    let [(before, d_before), (p, dp)] = legendre(s, x);
                    (p - before) / (dp - d_before)
                });
                0.5 * (x + 1.0)
            })
            .collect();
        c.sort_by(f64::total_cmp);
        // Integrals and derivatives of Lagrange's polynomials as products of differences: equations
        // in powers of c would cost digits with many stages. The integrals by the stages' own
        // quadrature, which is exact for them.
        let weights: Vec<f64> = c
            .iter()
            .map(|c| {
                let x = 2.0 * c - 1.0;
                let [(p, _), _] = legendre(s, x);
                0.5 * (1.0 + x) / ((s * s) as f64 * p * p)
            })
            .collect();
        let a = DMatrix::from_fn(s, s, |i, j| {
            let parts = c.iter().zip(&weights);
            c[i] * parts.map(|(k, w)| w * lagrange(&c, j, c[i] * k)).sum::<f64>()
        });
        let from_start: Vec<f64> = std::iter::once(0.0).chain(c.iter().copied()).collect();
        let inverse = DMatrix::from_fn(s, s, |i, j| derivative(&from_start, j + 1, i + 1));
        let squared = &a * &a;
        let between = Between::new(&c, &weights, &a);
        let values = inverse.complex_eigenvalues();
        let (mut real, mut pairs) = (None, Vec::new());
        for &mu in values.iter().filter(|mu| mu.im > -1e-9) {
            let vectors = |mu| (vector(&inverse, mu), vector(&inverse.transpose(), mu));
            // The eigenvalue to the last digits, by both vectors.
            let (right, left) = vectors(mu);
            let mu = left.dot(&(inverse.map(Complex::from) * &right)) / left.dot(&right);
            let (right, left) = vectors(mu);
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
        let coefficients = DMatrix::from_fn(s, s, |k, j| {
            let [(p, _), _] = legendre(k + 1, 2.0 * c[j] - 1.0);
            (2 * k + 1) as f64 * weights[j] * p
        });
        let rows = |m: &DMatrix<f64>| m.transpose().as_slice().to_vec();
        Tableau {
            stages,
            legendre: rows(&coefficients),
            a: rows(&a),
            squared: rows(&squared),
            inverse: rows(&inverse),
            real: real.unwrap_or(Mode { mu: 1.0, left: vec![0.0; s], right: vec![0.0; s] }),
            pairs,
            between,
            c,
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
                    let error = (sum - exact).abs() / exact.abs().max(1.0);
                    assert!(error < 1e-11, "{s} {i} {j}: {error:e}");
                }
            }
            // Between the stages: their polynomial and its integrals, and the integral of what vanishes in them.
            let b = &t.between;
            let power = |k: i32| t.c.iter().map(move |c| c.powi(k));
            for (i, at) in b.c.iter().enumerate() {
                for k in 0..s as i32 {
                    let of = |m: &[f64]| -> f64 {
                        t.row(m, i).iter().zip(power(k)).map(|(w, y)| w * y).sum()
                    };
                    let (first, second) = (k + 1, (k + 1) * (k + 2));
                    assert!((of(&b.value) - at.powi(k)).abs() < 1e-12, "{s} {k}");
                    assert!(
                        (of(&b.a) - at.powi(k + 1) / f64::from(first)).abs() < 1e-13,
                        "{s} {k}"
                    );
                    if k < s as i32 - 1 {
                        let exact = at.powi(k + 2) / f64::from(second);
                        assert!((of(&b.squared) - exact).abs() < 1e-13, "{s} {k}");
                    }
                }
            }
            for k in 0..s as i32 {
                let f = |x: f64| x.powi(k) * t.c.iter().map(|c| x - c).product::<f64>();
                let sum: f64 = b.c.iter().zip(&b.weights).map(|(at, w)| w * f(*at)).sum();
                // The stages' quadrature is exact but for the last.
                let exact: f64 = gauss(s).iter().map(|(x, w)| w * f(*x)).sum();
                assert!((sum - exact).abs() < 1e-15, "{s} {k}: {sum:e} {exact:e}");
                assert!((k == s as i32 - 1) == (exact.abs() > 1e-10), "{s} {k}: {exact:e}");
            }
            // A polynomial is the sum of its coefficients times Legendre's.
            let values: Vec<f64> = t.c.iter().map(|c| c.powi(s as i32 - 1)).collect();
            let at = 0.37;
            let sum: f64 = (0..s)
                .map(|k| {
                    let of: f64 =
                        t.row(&t.legendre, k).iter().zip(&values).map(|(w, y)| w * y).sum();
                    of * legendre(k + 1, 2.0 * at - 1.0)[0].0
                })
                .sum();
            assert!((sum - at.powi(s as i32 - 1)).abs() < 1e-13, "{s}: {sum}");
        }
    }
}
