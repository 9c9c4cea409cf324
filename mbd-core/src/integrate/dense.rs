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
//! and is no better than the cubic for methods of order two. Methods of higher order whose
//! accelerations are those of their points take it ([`interpolate_with_accelerations`]).

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

/// The same for a method whose accelerations are those of the points: q by the quintic of
/// (q, v, a), of error O(h⁶), and v by its derivative, O(h⁵).
pub fn interpolate_with_accelerations(p0: &Point, p1: &Point, t: f64, out: &mut Point) {
    interpolate(p0, p1, t, out);
    let h = p1.t() - p0.t();
    if h > 0.0 {
        let s = (t - p0.t()) / h;
        for i in 0..p0.q().len() {
            let ends = [p0, p1].map(|p| [p.q()[i], p.v()[i], p.a()[i]]);
            let [q, v] = quintic(s, h, ends);
            out.q_mut()[i] = q;
            out.v_mut()[i] = v;
        }
    }
}

/// The quintic with values, first and second derivatives `[y, d, c]` at s = 0 and s = 1, and its
/// derivative.
fn quintic(s: f64, h: f64, [[y0, d0, c0], [y1, d1, c1]]: [[f64; 3]; 2]) -> [f64; 2] {
    // y0 + h d0 s + h²c0/2 s² + s³ (p0 + p1 s + p2 s²) from what the parabola misses at s = 1.
    let value = y1 - y0 - h * (d0 + 0.5 * h * c0);
    let slope = h * (d1 - d0 - h * c0);
    let bend = h * h * (c1 - c0);
    let p0 = 10.0 * value - 4.0 * slope + 0.5 * bend;
    let p1 = -15.0 * value + 7.0 * slope - bend;
    let p2 = 6.0 * value - 3.0 * slope + 0.5 * bend;
    let y = y0 + s * (h * d0 + s * (0.5 * h * h * c0 + s * (p0 + s * (p1 + s * p2))));
    let rate = h * d0 + s * (h * h * c0 + s * (3.0 * p0 + s * (4.0 * p1 + s * 5.0 * p2)));
    [y, rate / h]
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

    #[test]
    fn quintics_are_interpolated_exactly() {
        let f =
            |t: f64| 1.0 + 2.0 * t - 3.0 * t * t + 0.5 * t.powi(3) - t.powi(4) + 0.3 * t.powi(5);
        let d = |t: f64| 2.0 - 6.0 * t + 1.5 * t * t - 4.0 * t.powi(3) + 1.5 * t.powi(4);
        let c = |t: f64| -6.0 + 3.0 * t - 12.0 * t * t + 6.0 * t.powi(3);
        let ends = [0.3, 0.9].map(|t| [f(t), d(t), c(t)]);
        for t in [0.3, 0.4, 0.55, 0.9] {
            let [y, rate] = quintic((t - 0.3) / 0.6, 0.6, ends);
            assert!((y - f(t)).abs() < 1e-14 && (rate - d(t)).abs() < 1e-13, "{t}");
        }
    }
}
