//! Curves through points, as cams and tracks are measured: cubic splines, with two continuous derivatives, which
//! is what the accelerations of a joint along a curve need.
//!
//! A spline is written without a comparison, as a sum of the cubes of distances to its knots, |x − xₖ|³, so that crossing a
//! knot is no event: the step control sees a smooth function.

use crate::scalar::{Num, Scalar, num};
use std::f64::consts::PI;

/// What rounds off |u|³ at 0, where u goes from −1 to 1 over all points: by less than a rounding of the value.
const ROUNDED: f64 = 1e-8;

/// A natural cubic spline through points `[x, y]`, in any order; beyond the first and the last it goes on straight. Of points
/// with equal x it is no number.
///
/// ```
/// use mbd_core::components::curve::spline;
/// use mbd_core::scalar::num;
/// let points = [[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]];
/// let y = |x: f64| spline(num::<f64>(x), &points).value();
/// assert!((y(1.0) - 1.0).abs() < 1e-14 && (y(0.5) - 0.6875).abs() < 1e-14);
/// ```
#[inline(never)]
pub fn spline<D: Scalar>(x: Num<D>, points: &[[f64; 2]]) -> Num<D> {
    let points = sorted(points);
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return num(0.0) };
    if points.len() == 1 {
        return num(first[1]);
    }
    let scale = Scale { middle: 0.5 * (first[0] + last[0]), half: 0.5 * (last[0] - first[0]) };
    let knots: Vec<[f64; 2]> = points.iter().map(|[x, y]| [scale.of(*x), *y]).collect();
    let bends = bends(&knots, false);
    let slopes = slopes(&knots, &bends);
    // Beyond both ends the third derivative is zero.
    let jumps = (0..knots.len()).map(|k| {
        let of = |k: Option<usize>| k.and_then(|k| slopes.get(k)).copied().unwrap_or(0.0);
        (knots[k][0], of(Some(k)) - of(k.checked_sub(1)))
    });
    through(scale.scaled(x), &knots, [0.0; 2], &jumps.collect::<Vec<_>>())
}

/// The same closed: the last point is the first again, a period later. Of points whose first and last are of different height
/// it is no number.
#[inline(never)]
pub fn periodic_spline<D: Scalar>(x: Num<D>, points: &[[f64; 2]]) -> Num<D> {
    let mut points = sorted(points);
    let most = points.iter().fold(0.0_f64, |most, point| most.max(point[1].abs()));
    let Some(&[first, y]) = points.first() else { return num(0.0) };
    let Some(last) = points.last_mut() else { return num(0.0) };
    let half = 0.5 * (last[0] - first);
    if (last[1] - y).abs() > 1e-9 * most {
        return num(f64::NAN);
    }
    last[1] = y;
    if points.len() <= 2 {
        return num(y);
    }
    let scale = Scale { middle: first + half, half };
    let knots: Vec<[f64; 2]> = points.iter().map(|[x, y]| [scale.of(*x), *y]).collect();
    let bends = bends(&knots, true);
    let slopes = slopes(&knots, &bends);
    let inner = 1..knots.len() - 1;
    let jumps: Vec<_> = inner.map(|k| (knots[k][0], slopes[k] - slopes[k - 1])).collect();
    // The place within a period.
    let turned = PI * scale.scaled(x);
    let within = turned.sin().atan2(turned.cos()) / PI;
    let third = slopes[0] + jumps.iter().map(|(_, jump)| 0.5 * jump).sum::<f64>();
    // Of p(u) + Σ c |u − uₖ|³ at the first knot.
    let left: f64 = jumps.iter().map(|(at, jump)| 0.5 * jump * (at - knots[0][0])).sum();
    let second = bends[0] - left - third * knots[0][0];
    through(within, &knots, [second, third], &jumps)
}

/// From the middle of all points, in halves of what they reach over.
struct Scale {
    middle: f64,
    half: f64,
}

impl Scale {
    fn of(&self, x: f64) -> f64 {
        (x - self.middle) / self.half
    }

    fn scaled<D: Scalar>(&self, x: Num<D>) -> Num<D> {
        (x - self.middle) / self.half
    }
}

fn sorted(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut points = points.to_vec();
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    points
}

/// Second derivatives at the knots: zero at the ends, or, of a closed curve whose last knot is the first, alike there. Full
/// elimination, for tables of a few dozen points.
fn bends(knots: &[[f64; 2]], closed: bool) -> Vec<f64> {
    let n = knots.len();
    let (width, slope) = (
        |k: usize| knots[k + 1][0] - knots[k][0],
        |k: usize| (knots[k + 1][1] - knots[k][1]) / (knots[k + 1][0] - knots[k][0]),
    );
    let unknowns = if closed { n - 1 } else { n };
    let mut matrix = nalgebra::DMatrix::<f64>::zeros(unknowns, unknowns);
    let mut right = nalgebra::DVector::<f64>::zeros(unknowns);
    for k in 0..unknowns {
        if !closed && (k == 0 || k == n - 1) {
            matrix[(k, k)] = 1.0;
            continue;
        }
        let (before, after) = (if k == 0 { n - 2 } else { k - 1 }, k);
        let (h, g) = (width(before), width(after));
        matrix[(k, before)] += h / 6.0;
        matrix[(k, k)] += (h + g) / 3.0;
        matrix[(k, (after + 1) % unknowns)] += g / 6.0;
        right[k] = slope(after) - slope(before);
    }
    let mut bends: Vec<f64> = match matrix.lu().solve(&right) {
        Some(bends) => bends.iter().copied().collect(),
        None => vec![f64::NAN; unknowns],
    };
    if closed {
        bends.push(bends[0]);
    }
    bends
}

/// Third derivatives between the knots.
fn slopes(knots: &[[f64; 2]], bends: &[f64]) -> Vec<f64> {
    let of = |k: usize| (bends[k + 1] - bends[k]) / (knots[k + 1][0] - knots[k][0]);
    (0..knots.len() - 1).map(of).collect()
}

/// p(u) + Σ jump/12 |u − uₖ|³ through the first and the last knot, with the second and third derivative of p at 0.
fn through<D: Scalar>(
    u: Num<D>,
    knots: &[[f64; 2]],
    [second, third]: [f64; 2],
    jumps: &[(f64, f64)],
) -> Num<D> {
    let curved = |u: Num<D>| {
        let cubes = jumps.iter().fold(num(0.0), |sum, (at, jump)| {
            let square = (u - *at) * (u - *at) + ROUNDED * ROUNDED;
            sum + jump / 12.0 * square * square.sqrt()
        });
        cubes + u * u * (second / 2.0 + third / 6.0 * u)
    };
    let [first, last] = [knots[0], knots[knots.len() - 1]];
    let left = |[at, y]: [f64; 2]| num::<D>(y) - curved(num(at));
    let slope = (left(last) - left(first)) / (last[0] - first[0]);
    curved(u) + left(first) + slope * (u - first[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{Rate, rate, with_rate};

    const POINTS: [[f64; 2]; 6] =
        [[0.3, 1.0], [-1.0, 0.2], [0.9, 0.4], [1.6, -0.3], [2.5, 0.5], [4.0, 0.1]];

    type Twice = Num<Rate<Rate<f64>>>;

    /// Value, slope and second derivative.
    fn at(x: f64, of: impl Fn(Twice) -> Twice) -> [f64; 3] {
        let one = with_rate(num(1.0), num(0.0));
        let y = of(with_rate(with_rate(num(x), num(1.0)), one));
        let slope = rate(y);
        [y.value(), slope.value(), rate(slope).value()]
    }

    /// Through the points, with two continuous derivatives and the second linear between them.
    fn check(of: impl Fn(Twice) -> Twice, knots: &[[f64; 2]]) {
        for [x, y] in knots {
            assert!((at(*x, &of)[0] - y).abs() < 1e-12, "{x}");
            let [before, after] = [at(x - 1e-6, &of), at(x + 1e-6, &of)];
            for k in 0..3 {
                assert!((before[k] - after[k]).abs() < 1e-4, "{x}: {before:?} {after:?}");
            }
        }
        for pair in knots.windows(2) {
            let (from, to) = (pair[0][0] + 1e-5, pair[1][0] - 1e-5);
            let bend = |x: f64| at(x, &of)[2];
            let off = bend(0.5 * (from + to)) - 0.5 * (bend(from) + bend(to));
            assert!(off.abs() < 1e-9, "{from} to {to}: {off:e}");
            let slope = (at(to, &of)[1] - at(from, &of)[1]) / (to - from);
            assert!((slope - bend(0.5 * (from + to))).abs() < 1e-9);
        }
    }

    #[test]
    fn splines_go_through_their_points_and_are_smooth() {
        let mut points = sorted(&POINTS);
        check(|x| spline(x, &POINTS), &points);
        for end in [-1.0, 4.0, 6.0, -9.0] {
            assert!(at(end, |x| spline(x, &POINTS))[2].abs() < 1e-6, "{end}");
        }
        points.push([6.0, 0.2]);
        let closed = points.clone();
        check(|x| periodic_spline(x, &closed), &points);
        let again: Vec<[f64; 2]> = points.iter().map(|[x, y]| [x + 21.0, *y]).collect();
        check(|x| periodic_spline(x, &closed), &again);
    }

    #[test]
    fn few_points_are_a_line() {
        assert_eq!(spline(num::<f64>(3.0), &[]).value(), 0.0);
        assert_eq!(spline(num::<f64>(3.0), &[[1.0, 2.0]]).value(), 2.0);
        assert!((spline(num::<f64>(3.0), &[[1.0, 2.0], [2.0, 3.0]]).value() - 4.0).abs() < 1e-14);
        assert_eq!(periodic_spline(num::<f64>(3.0), &[[1.0, 2.0], [4.0, 2.0]]).value(), 2.0);
        let open = [[0.0, 0.0], [1.0, 2.0], [2.0, 0.1]];
        assert!(periodic_spline(num::<f64>(0.5), &open).value().is_nan());
        assert!(spline(num::<f64>(0.0), &[[1.0, 2.0], [1.0, 3.0], [2.0, 0.0]]).value().is_nan());
    }
}
