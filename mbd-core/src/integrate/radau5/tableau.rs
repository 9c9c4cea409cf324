//! Coefficients of Radau IIA with three stages (order 5), and the transformation that takes its
//! Newton systems apart (Hairer and Wanner, Solving ODEs II, IV.8).

use nalgebra::{Matrix3, Vector3};

/// Stages.
pub(super) const STAGES: usize = 3;

const SQRT_6: f64 = 2.449489742783178;

/// c: the instants of the stages as parts of the step.
pub(super) const C: [f64; STAGES] = [(4.0 - SQRT_6) / 10.0, (4.0 + SQRT_6) / 10.0, 1.0];

/// A: q_i = q + h Σ_j a_ij q̇_j.
pub(super) const A: [[f64; STAGES]; STAGES] = [
    [
        (88.0 - 7.0 * SQRT_6) / 360.0,
        (296.0 - 169.0 * SQRT_6) / 1800.0,
        (-2.0 + 3.0 * SQRT_6) / 225.0,
    ],
    [
        (296.0 + 169.0 * SQRT_6) / 1800.0,
        (88.0 + 7.0 * SQRT_6) / 360.0,
        (-2.0 - 3.0 * SQRT_6) / 225.0,
    ],
    [(16.0 - SQRT_6) / 36.0, (16.0 + SQRT_6) / 36.0, 1.0 / 9.0],
];

/// The real eigenvalue of A⁻¹.
pub(super) const REAL: f64 = 3.637834252744496;

/// Real and imaginary part of the complex pair of eigenvalues of A⁻¹.
pub(super) const PAIR: [f64; 2] = [2.681082873627752, 3.050430199247411];

/// T in A⁻¹ = T Λ T⁻¹, Λ = [[γ, 0, 0], [0, α, −β], [0, β, α]].
pub(super) const T: [[f64; STAGES]; STAGES] = [
    [9.1232394870892942792e-02, -0.14125529502095420843, -3.0029194105147424492e-02],
    [0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779],
    [0.96604818261509293619, 1.0, 0.0],
];

/// T⁻¹.
pub(super) const T_INVERSE: [[f64; STAGES]; STAGES] = [
    [4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119],
    [-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196],
    [-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497],
];

/// The weights of the stages' increments in the error estimate:
/// err = (γ/h − J)⁻¹ (f(y) + Σ_i e_i (y_i − y)/h).
pub(super) const ERROR: [f64; STAGES] =
    [-(13.0 + 7.0 * SQRT_6) / 3.0, (-13.0 + 7.0 * SQRT_6) / 3.0, -1.0 / 3.0];

/// A².
pub(super) fn squared() -> [[f64; STAGES]; STAGES] {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..STAGES).map(|k| A[i][k] * A[k][j]).sum()))
}

/// The weights w and d of what a step takes of the energy. Of an algebraically stable method
/// b_i a_ij + b_j a_ji − b_i b_j is positive semidefinite, here of rank one, w wᵀ: with v_i, a_i at
/// the stages and linear forces F the step takes
///
/// ```text
/// ½h² (δaᵀM δa + δvᵀK δv),    δa = Σ w_i a_i,    δv = Σ w_i v_i,    h K δv = −Σ d_i (F_i − F_0)
/// ```
///
/// with Aᵀd = w (Burrage and Butcher 1979; Hairer and Wanner, Solving ODEs II, IV.12).
pub(super) fn loss() -> [[f64; STAGES]; 2] {
    let b = A[STAGES - 1];
    let last = STAGES - 1;
    let entry = |i: usize, j: usize| b[i] * A[i][j] + b[j] * A[j][i] - b[i] * b[j];
    let root = entry(last, last).sqrt();
    let w: [f64; STAGES] = std::array::from_fn(|i| entry(i, last) / root);
    let transposed = Matrix3::from_fn(|i, j| A[j][i]);
    let d = transposed.lu().solve(&Vector3::from(w)).unwrap_or_default();
    [w, [d[0], d[1], d[2]]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Matrix3;

    fn matrix(a: [[f64; 3]; 3]) -> Matrix3<f64> {
        Matrix3::from_fn(|i, j| a[i][j])
    }

    #[test]
    fn the_stages_collocate() {
        for (row, c) in A.iter().zip(C) {
            for k in 1..=3 {
                let sum: f64 = row.iter().zip(C).map(|(a, c)| a * c.powi(k - 1)).sum();
                assert!((sum - c.powi(k) / f64::from(k)).abs() < 1e-15, "{k}");
            }
        }
        // The last row is the quadrature, of order 5.
        for k in 1..=5 {
            let sum: f64 = A[2].iter().zip(C).map(|(b, c)| b * c.powi(k - 1)).sum();
            assert!((sum - 1.0 / f64::from(k)).abs() < 1e-15, "{k}");
        }
    }

    #[test]
    fn the_transformation_is_one() {
        let [alpha, beta] = PAIR;
        let lambda = matrix([[REAL, 0.0, 0.0], [0.0, alpha, -beta], [0.0, beta, alpha]]);
        let (t, inverse) = (matrix(T), matrix(T_INVERSE));
        assert!((t * inverse - Matrix3::identity()).norm() < 1e-14);
        let a = matrix(A);
        assert!((a * t * lambda * inverse - Matrix3::identity()).norm() < 1e-13);
    }

    #[test]
    fn the_embedded_formula_is_of_order_3() {
        // On y' = t^k the estimate, with J = 0, is h/γ (f(0) + Σ e_i y_i/h): 0 up to k = 2.
        for k in 0..=3 {
            let f0 = if k == 0 { 1.0 } else { 0.0 };
            let increments = C.map(|c: f64| c.powi(k + 1) / f64::from(k + 1));
            let sum: f64 = ERROR.iter().zip(increments).map(|(e, y)| e * y).sum();
            let estimate = f0 + sum;
            assert_eq!(estimate.abs() < 1e-14, k < 3, "{k}: {estimate:e}");
        }
    }
}
