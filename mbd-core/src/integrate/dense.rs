//! Values between accepted points, so that output times never restrict the step.
//!
//! | quantity | interpolation between the ends of a step | error |
//! |---|---|---|
//! | q | cubic Hermite from (q, v) | O(h⁴) |
//! | v | cubic Hermite from (v, a) | O(h³): the algorithmic accelerations of both ends are shifted alike, which cancels to first order |
//! | x | cubic Hermite from (x, ẋ) | O(h⁴) |
//! | a, ẋ | derivatives of these | O(h²), O(h³) |
//! | λ, ψ, w | linear | O(h²) |
//!
//! A quintic of (q, v, a) would bring the shift of the algorithmic acceleration into q at O(h³)
//! and is no better than the cubic for methods of order two. To those of order five belongs a
//! polynomial of degree 6 (`Smooth`), and states by quartics.
//!
//! What stands in the lower half of the table is what the equations of motion are solved from at the
//! instant, and what is left where they have no solution (`between`).

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
    for (value, rate) in [(SlotKind::V, SlotKind::A), (SlotKind::X, SlotKind::Xd)] {
        let (y0, y1, d0, d1) = (p0.get(value), p1.get(value), p0.get(rate), p1.get(rate));
        for (i, d) in out.get_mut(rate).iter_mut().enumerate().filter(|_| h > 0.0) {
            *d = hermite_rate(s, h, y1[i] - y0[i], d0[i], d1[i]) / h;
        }
    }
    for kind in [SlotKind::Lambda, SlotKind::Psi, SlotKind::W] {
        let (y0, y1) = (p0.get(kind), p1.get(kind));
        for (i, y) in out.get_mut(kind).iter_mut().enumerate() {
            *y = y0[i] + s * (y1[i] - y0[i]);
        }
    }
}

/// The motion over a step whose accelerations are those of its ends, and one known in its middle: q
/// the polynomial of degree 6 through them and (q, v) at the ends, of error O(h⁷); v and a its
/// derivatives.
#[derive(Clone, Debug)]
pub(super) struct Smooth {
    /// The ends.
    ends: [Point; 2],
    /// Factors of s³(1−s)³ in the polynomials.
    sixth: Vec<f64>,
}

impl Smooth {
    /// For points like this.
    pub(super) fn new(point: &Point) -> Self {
        let sixth = vec![0.0; point.q().len()];
        Smooth { ends: [point.clone(), point.clone()], sixth }
    }

    /// The ends of the step.
    pub(super) fn ends_mut(&mut self) -> &mut [Point; 2] {
        &mut self.ends
    }

    /// Forgets the middle: q is the quintic through (q, v, a) at the ends then, of error O(h⁶).
    pub(super) fn forget_middle(&mut self) {
        self.sixth.fill(0.0);
    }

    /// Takes accelerations in the middle of the step, where `quintic` was before.
    pub(super) fn set_middle(&mut self, quintic: &[f64], a: &[f64]) {
        let h = self.ends[1].t() - self.ends[0].t();
        for (sixth, (before, a)) in self.sixth.iter_mut().zip(quintic.iter().zip(a)) {
            // The second derivative of s³(1−s)³ is −3/8 there.
            *sixth = -8.0 / 3.0 * h * h * (a - before);
        }
    }

    /// Sets q, v and a of a point of the step.
    pub(super) fn place(&self, t: f64, out: &mut Point) {
        let [p0, p1] = &self.ends;
        let h = p1.t() - p0.t();
        let s = (t - p0.t()) / h;
        let r = s * (1.0 - s);
        let slope = 1.0 - 2.0 * s;
        for (i, sixth) in self.sixth.iter().enumerate() {
            let ends = [p0, p1].map(|p| [p.q()[i], p.v()[i], p.a()[i]]);
            let [q, v, a] = quintic(s, h, ends);
            out.q_mut()[i] = q + sixth * r * r * r;
            out.v_mut()[i] = v + sixth * 3.0 * r * r * slope / h;
            out.a_mut()[i] = a + sixth * 6.0 * r * (slope * slope - r) / (h * h);
        }
    }
}

/// Adds to x what makes quartics of the cubics it was interpolated by: s²(1−s)² times these factors.
pub(super) fn add_quartics(from: &Point, to: &Point, t: f64, factors: &[f64], out: &mut Point) {
    let h = to.t() - from.t();
    if !(h > 0.0) {
        return;
    }
    let s = (t - from.t()) / h;
    let r = s * (1.0 - s);
    for (i, quartic) in factors.iter().enumerate() {
        out.x_mut()[i] += r * r * quartic;
        out.xd_mut()[i] += 2.0 * r * (1.0 - 2.0 * s) * quartic / h;
    }
}

/// Makes quartics of the cubics that x was interpolated by, from ẋ at one more instant, a part `s` of
/// the step other than 0, 1/2 and 1: of error O(h⁵).
pub(super) fn raise_states(
    from: &Point,
    to: &Point,
    t: f64,
    (s, xd): (f64, &[f64]),
    out: &mut Point,
) {
    let h = to.t() - from.t();
    let rate_of_quartic = 2.0 * s * (1.0 - s) * (1.0 - 2.0 * s);
    let part = (t - from.t()) / h;
    let quartic = (part * (1.0 - part)).powi(2);
    let ends = from.x().iter().zip(to.x()).zip(from.xd().iter().zip(to.xd()));
    for ((x, ((x0, x1), (d0, d1))), d) in out.x_mut().iter_mut().zip(ends).zip(xd) {
        let missing = h * d - hermite_rate(s, h, x1 - x0, *d0, *d1);
        *x += quartic * missing / rate_of_quartic;
    }
}

/// The quintic with values, first and second derivatives `[y, d, c]` at s = 0 and s = 1, and its
/// first two derivatives.
fn quintic(s: f64, h: f64, [[y0, d0, c0], [y1, d1, c1]]: [[f64; 3]; 2]) -> [f64; 3] {
    // y0 + h d0 s + h²c0/2 s² + s³ (p0 + p1 s + p2 s²) from what the parabola misses at s = 1.
    let value = y1 - y0 - h * (d0 + 0.5 * h * c0);
    let slope = h * (d1 - d0 - h * c0);
    let bend = h * h * (c1 - c0);
    let p0 = 10.0 * value - 4.0 * slope + 0.5 * bend;
    let p1 = -15.0 * value + 7.0 * slope - bend;
    let p2 = 6.0 * value - 3.0 * slope + 0.5 * bend;
    let y = y0 + s * (h * d0 + s * (0.5 * h * h * c0 + s * (p0 + s * (p1 + s * p2))));
    let rate = h * d0 + s * (h * h * c0 + s * (3.0 * p0 + s * (4.0 * p1 + s * 5.0 * p2)));
    let second = h * h * c0 + s * (6.0 * p0 + s * (12.0 * p1 + s * 20.0 * p2));
    [y, rate / h, second / (h * h)]
}

/// The cubic with values `y0`, `y1` and derivatives `d0`, `d1` at s = 0 and s = 1.
fn hermite(s: f64, h: f64, y0: f64, y1: f64, d0: f64, d1: f64) -> f64 {
    let r = 1.0 - s;
    // Correction of the chord, so that the ends come out exactly.
    y0 + s * (y1 - y0) + s * r * (r * (h * d0 - (y1 - y0)) + s * ((y1 - y0) - h * d1))
}

/// h times the derivative of the same cubic, from the difference of its values.
fn hermite_rate(s: f64, h: f64, dy: f64, d0: f64, d1: f64) -> f64 {
    let r = 1.0 - s;
    6.0 * s * r * (dy - 0.5 * h * (d0 + d1)) + h * (r * d0 + s * d1)
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
            let [y, rate, second] = quintic((t - 0.3) / 0.6, 0.6, ends);
            assert!((y - f(t)).abs() < 1e-14 && (rate - d(t)).abs() < 1e-13, "{t}");
            assert!((second - c(t)).abs() < 1e-12, "{t}");
        }
    }
}
