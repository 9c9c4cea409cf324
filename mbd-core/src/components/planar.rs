//! Planar bodies and joints.
//!
//! A joint's arguments are two frames and a point given in each; the ground is [`ground`]. Rows are
//! in metres and radians, so that their violations can be read.

use crate::scalar::{Num, Scalar, num};

/// The frame of a planar body: where its origin is and how it is turned.
///
/// Built from the body's three coordinates; the sine and cosine are shared by every point taken.
#[derive(Clone, Copy, Debug)]
pub struct PlanarFrame<D> {
    /// Origin in the ground frame \[m\].
    pub origin: [Num<D>; 2],
    /// Angle from the ground's x axis \[rad\].
    pub angle: Num<D>,
    cos: Num<D>,
    sin: Num<D>,
}

impl<D: Scalar> PlanarFrame<D> {
    /// The frame at (x, y) turned by `angle`.
    #[inline(always)]
    pub fn new(x: impl Into<Num<D>>, y: impl Into<Num<D>>, angle: Num<D>) -> Self {
        let (sin, cos) = angle.sin_cos();
        PlanarFrame { origin: [x.into(), y.into()], angle, cos, sin }
    }

    /// A frame whose origin is a point of this one and whose angle is `angle`, from the ground's
    /// x axis.
    #[inline(always)]
    pub fn at(&self, local: [Num<D>; 2], angle: Num<D>) -> Self {
        let [x, y] = self.point(local);
        PlanarFrame::new(x, y, angle)
    }

    /// A vector given in this frame, in the ground frame.
    #[inline(always)]
    pub fn vector(&self, local: [Num<D>; 2]) -> [Num<D>; 2] {
        let [a, b] = local;
        [self.cos * a - self.sin * b, self.sin * a + self.cos * b]
    }

    /// A vector given in the ground frame, in this frame.
    #[inline(always)]
    pub fn to_local(&self, vector: [Num<D>; 2]) -> [Num<D>; 2] {
        let [a, b] = vector;
        [self.cos * a + self.sin * b, self.cos * b - self.sin * a]
    }

    /// A point given in this frame, in the ground frame \[m\].
    #[inline(always)]
    pub fn point(&self, local: [Num<D>; 2]) -> [Num<D>; 2] {
        let [x, y] = self.vector(local);
        [self.origin[0] + x, self.origin[1] + y]
    }
}

/// The ground frame.
pub fn ground<D: Scalar>() -> PlanarFrame<D> {
    PlanarFrame { origin: [num(0.0); 2], angle: num(0.0), cos: num(1.0), sin: num(0.0) }
}

/// Revolute joint: the point `at_a` of frame `a` is the point `at_b` of frame `b` (2 rows \[m\]).
#[inline(always)]
pub fn revolute<D: Scalar>(
    a: PlanarFrame<D>,
    at_a: [Num<D>; 2],
    b: PlanarFrame<D>,
    at_b: [Num<D>; 2],
) -> [Num<D>; 2] {
    let (p, q) = (a.point(at_a), b.point(at_b));
    [p[0] - q[0], p[1] - q[1]]
}

/// Prismatic joint: the point `at_b` of `b` stays on the line through `at_a` of `a` along `axis`
/// (given in `a`), and `b` does not turn relative to `a` (2 rows \[m\], \[rad\]).
#[inline(always)]
pub fn prismatic<D: Scalar>(
    a: PlanarFrame<D>,
    at_a: [Num<D>; 2],
    axis: [Num<D>; 2],
    b: PlanarFrame<D>,
    at_b: [Num<D>; 2],
) -> [Num<D>; 2] {
    let (p, q) = (a.point(at_a), b.point(at_b));
    let [ux, uy] = a.vector(axis);
    [ux * (q[1] - p[1]) - uy * (q[0] - p[0]), b.angle - a.angle]
}

/// Weld: two frames keep their relative position and have the same angle (3 rows).
#[inline(always)]
pub fn weld<D: Scalar>(
    a: PlanarFrame<D>,
    at_a: [Num<D>; 2],
    b: PlanarFrame<D>,
    at_b: [Num<D>; 2],
) -> [Num<D>; 3] {
    let [x, y] = revolute(a, at_a, b, at_b);
    [x, y, b.angle - a.angle]
}

/// Point on a line: the point `at_b` of `b` stays on the line through `at_a` of `a` along `axis`
/// (given in `a`); a slot that leaves `b` free to turn (1 row \[m\] for an `axis` of unit length).
#[inline(always)]
pub fn point_on_line<D: Scalar>(
    a: PlanarFrame<D>,
    at_a: [Num<D>; 2],
    axis: [Num<D>; 2],
    b: PlanarFrame<D>,
    at_b: [Num<D>; 2],
) -> [Num<D>; 1] {
    let [row, _] = prismatic(a, at_a, axis, b, at_b);
    [row]
}

/// Massless rod: the points `p` and `q` keep the distance `length` (1 row \[m\]).
///
/// The row is (|p − q|² − l²)/(2l), the distance's error to first order; unlike the distance
/// itself it is a polynomial, with derivatives everywhere.
#[inline(always)]
pub fn rod<D: Scalar>(p: [Num<D>; 2], q: [Num<D>; 2], length: Num<D>) -> [Num<D>; 1] {
    let d = [q[0] - p[0], q[1] - p[1]];
    [0.5 * (d[0] * d[0] + d[1] * d[1] - length * length) / length]
}

/// Where the point `at_b` of `b` is from the point `at_a` of `a`, in the axes of `a`, and the angle
/// of `b` from `a`: what a bushing is a function of (\[m\], \[m\], \[rad\]).
#[inline(always)]
pub fn offset<D: Scalar>(
    a: PlanarFrame<D>,
    at_a: [Num<D>; 2],
    b: PlanarFrame<D>,
    at_b: [Num<D>; 2],
) -> [Num<D>; 3] {
    let (p, q) = (a.point(at_a), b.point(at_b));
    let [x, y] = a.to_local([q[0] - p[0], q[1] - p[1]]);
    [x, y, b.angle - a.angle]
}

/// Distance between two points \[m\]; its derivative does not exist where they coincide.
#[inline(always)]
pub fn distance<D: Scalar>(p: [Num<D>; 2], q: [Num<D>; 2]) -> Num<D> {
    (p[0] - q[0]).hypot(p[1] - q[1])
}
