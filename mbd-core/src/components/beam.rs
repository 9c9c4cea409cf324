//! Integrals over a Bernoulli–Euler beam element with cubic (Hermite) shape functions, for the
//! energies of a flexible body in a floating frame.
//!
//! An element of length l has the nodal values d = (w₁, s₁, w₂, s₂): deflection \[m\] and slope \[–\]
//! at either end. Per unit of ρA or EI the integrals are bilinear forms and linear forms in d;
//! they are exact. Source: any text on finite elements, e.g. R. D. Cook, Concepts and
//! Applications of Finite Element Analysis, §2.3 and §11.3.

use crate::scalar::{Num, Scalar};

/// ∫ w_u w_v dx over the element for nodal values u and v: uᵀ M v /(ρA).
pub fn mass<D: Scalar>(length: Num<D>, u: [Num<D>; 4], v: [Num<D>; 4]) -> Num<D> {
    // Slopes times the length make every nodal value a deflection.
    let [a, b, c, d] = [u[0], length * u[1], u[2], length * u[3]];
    let [e, f, g, h] = [v[0], length * v[1], v[2], length * v[3]];
    length / 420.0
        * (a * (156.0 * e + 22.0 * f + 54.0 * g - 13.0 * h)
            + b * (22.0 * e + 4.0 * f + 13.0 * g - 3.0 * h)
            + c * (54.0 * e + 13.0 * f + 156.0 * g - 22.0 * h)
            + d * (-13.0 * e - 3.0 * f - 22.0 * g + 4.0 * h))
}

/// ∫ w_u″ w_v″ dx over the element for nodal values u and v: uᵀ K v /(EI).
pub fn stiffness<D: Scalar>(length: Num<D>, u: [Num<D>; 4], v: [Num<D>; 4]) -> Num<D> {
    let [a, b, c, d] = [u[0], length * u[1], u[2], length * u[3]];
    let [e, f, g, h] = [v[0], length * v[1], v[2], length * v[3]];
    (a * (12.0 * e + 6.0 * f - 12.0 * g + 6.0 * h)
        + b * (6.0 * e + 4.0 * f - 6.0 * g + 2.0 * h)
        + c * (-12.0 * e - 6.0 * f + 12.0 * g - 6.0 * h)
        + d * (6.0 * e + 2.0 * f - 6.0 * g + 4.0 * h))
        / (length * length * length)
}

/// ∫ w dx over the element.
pub fn area<D: Scalar>(length: Num<D>, d: [Num<D>; 4]) -> Num<D> {
    length * (0.5 * (d[0] + d[2]) + length / 12.0 * (d[1] - d[3]))
}

/// ∫ x w dx over the element, which starts at x = `start`.
pub fn moment<D: Scalar>(start: Num<D>, length: Num<D>, d: [Num<D>; 4]) -> Num<D> {
    let own = 0.15 * d[0] + 0.35 * d[2] + length * (d[1] / 30.0 - d[3] / 20.0);
    start * area(length, d) + length * length * own
}

/// Deflection at the fraction `at` (0 … 1) of the element's length.
pub fn deflection<D: Scalar>(length: Num<D>, d: [Num<D>; 4], at: Num<D>) -> Num<D> {
    let (x, y) = (at, 1.0 - at);
    d[0] * y * y * (1.0 + 2.0 * x) + length * d[1] * x * y * y + d[2] * x * x * (1.0 + 2.0 * y)
        - length * d[3] * x * x * y
}
