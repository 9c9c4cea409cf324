//! Values between accepted points, so that output times never restrict the step.
//!
//! | quantity | interpolation between the ends of a step | error |
//! |---|---|---|
//! | q | cubic Hermite from (q, v) | O(h⁴) |
//! | v | cubic Hermite from (v, a) | O(h³): the algorithmic accelerations of both ends are shifted alike, which cancels to first order |
//! | x | cubic Hermite from (x, ẋ) | O(h⁴) |
//! | a, ẋ, λ, ψ, w | linear | O(h²) |
//!
//! A quintic of (q, v, a) would bring the shift of the algorithmic acceleration into q at O(h³)
//! and is no better than the cubic for methods of order two.

use crate::assembly::{Point, SlotKind};

/// Fills `out` with the point at time `t` of the step from `p0` to `p1`.
pub fn interpolate(p0: &Point, p1: &Point, t: f64, out: &mut Point) {
    out.copy_from(p1);
    out.set_t(t);
    let h = p1.t() - p0.t();
    let s = if h > 0.0 { (t - p0.t()) / h } else { 1.0 };
    for (value, rate) in
        [(SlotKind::Q, SlotKind::V), (SlotKind::V, SlotKind::A), (SlotKind::X, SlotKind::Xd)]
    {
        let (y0, y1, d0, d1) = (p0.get(value), p1.get(value), p0.get(rate), p1.get(rate));
        for (i, y) in out.get_mut(value).iter_mut().enumerate() {
            *y = hermite(s, h, y0[i], y1[i], d0[i], d1[i]);
        }
    }
    for kind in [SlotKind::A, SlotKind::Xd, SlotKind::Lambda, SlotKind::Psi, SlotKind::W] {
        let (y0, y1) = (p0.get(kind), p1.get(kind));
        for (i, y) in out.get_mut(kind).iter_mut().enumerate() {
            *y = y0[i] + s * (y1[i] - y0[i]);
        }
    }
}

/// The cubic with values `y0`, `y1` and derivatives `d0`, `d1` at s = 0 and s = 1.
fn hermite(s: f64, h: f64, y0: f64, y1: f64, d0: f64, d1: f64) -> f64 {
    let r = 1.0 - s;
    // Correction of the chord, so that the ends come out exactly.
    y0 + s * (y1 - y0) + s * r * (r * (h * d0 - (y1 - y0)) + s * ((y1 - y0) - h * d1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubics_are_interpolated_exactly() {
        let f = |t: f64| 1.0 + 2.0 * t - 3.0 * t * t + 0.5 * t.powi(3);
        let d = |t: f64| 2.0 - 6.0 * t + 1.5 * t * t;
        let (a, b) = (0.3, 0.9);
        for t in [0.3, 0.4, 0.55, 0.9] {
            let y = hermite((t - a) / (b - a), b - a, f(a), f(b), d(a), d(b));
            assert!((y - f(t)).abs() < 1e-14, "{t}");
        }
    }
}
