//! Planar bodies and joints.
//!
//! A joint's arguments are two frames and a point given in each; the ground is [`ground`]. Rows are
//! in metres and radians, so that their violations can be read.
//!
//! **Sign.** Each row is written so that its multiplier is what the joint does to the *second* body:
//! a force at the second point, a torque of the same sign as the angle. The first body gets the
//! opposite. [`wrench`] adds them up.

pub mod held;

use crate::scalar::{Mark, Num, Rate, Scalar, constant_in_time, note, num, rate, with_rate};
use crate::vector::dot;

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
    #[inline(never)]
    pub fn new(x: impl Into<Num<D>>, y: impl Into<Num<D>>, angle: Num<D>) -> Self {
        let (sin, cos) = angle.sin_cos();
        PlanarFrame { origin: [x.into(), y.into()], angle, cos, sin }
    }

    /// The frame at `origin` with the ground's axes.
    #[inline(never)]
    pub fn unturned(origin: [Num<D>; 2]) -> Self {
        PlanarFrame { origin, ..ground() }
    }

    /// A frame whose origin is a point of this one and whose angle is `angle`, from the ground's
    /// x axis.
    #[inline(never)]
    pub fn at(&self, local: [Num<D>; 2], angle: Num<D>) -> Self {
        let [x, y] = self.point(local);
        PlanarFrame::new(x, y, angle)
    }

    /// The frame of a joint at a point of this one, with the same axes: `body.at(p)`.
    pub fn marker(&self, point: [Num<D>; 2]) -> Self {
        PlanarFrame { origin: self.point(point), ..*self }
    }

    /// The frame of a joint at a point of this one, its x axis along `axis`, of any length but zero:
    /// `body.at(p, axis)`.
    #[inline(never)]
    pub fn marker_along(&self, point: [Num<D>; 2], axis: [Num<D>; 2]) -> Self {
        let length = axis[0].hypot(axis[1]);
        let [cos, sin] = self.vector([axis[0] / length, axis[1] / length]);
        let angle = self.angle + axis[1].atan2(axis[0]);
        PlanarFrame { origin: self.point(point), angle, cos, sin }
    }

    /// The frame that is `inner` in this one's axes.
    #[inline(never)]
    pub fn compose(&self, inner: &Self) -> Self {
        let [x, y] = self.point(inner.origin);
        PlanarFrame::new(x, y, self.angle + inner.angle)
    }

    /// The ground frame in this one's axes.
    #[inline(never)]
    pub fn inverse(&self) -> Self {
        let [x, y] = self.to_local(self.origin.map(|x| -x));
        PlanarFrame::new(x, y, -self.angle)
    }

    /// The frame's x axis in the ground frame.
    pub fn x(&self) -> [Num<D>; 2] {
        [self.cos, self.sin]
    }

    /// The frame's y axis in the ground frame.
    pub fn y(&self) -> [Num<D>; 2] {
        [-self.sin, self.cos]
    }

    /// A vector given in this frame, in the ground frame.
    pub fn vector(&self, local: [Num<D>; 2]) -> [Num<D>; 2] {
        let [a, b] = local;
        [self.cos * a - self.sin * b, self.sin * a + self.cos * b]
    }

    /// A vector given in the ground frame, in this frame.
    #[inline(never)]
    pub fn to_local(&self, vector: [Num<D>; 2]) -> [Num<D>; 2] {
        let [a, b] = vector;
        [self.cos * a + self.sin * b, self.cos * b - self.sin * a]
    }

    /// A point given in this frame, in the ground frame \[m\].
    #[inline(never)]
    pub fn point(&self, local: [Num<D>; 2]) -> [Num<D>; 2] {
        let [x, y] = self.vector(local);
        let point = [self.origin[0] + x, self.origin[1] + y];
        note(Mark::Point, &[self.origin, point]);
        point
    }

    /// The origin and the angle: what a [`push`](Self::push) acts along.
    pub fn place(&self) -> [Num<D>; 3] {
        [self.origin[0], self.origin[1], self.angle]
    }

    /// What a force at the point `local` of this frame is along its [`place`](Self::place), the force and its moment. So it
    /// acts on the point of the body that is there, whichever that is, while along `point(local)` it would do work on what moves the point
    /// within the body too.
    #[inline(never)]
    pub fn push(&self, local: [Num<D>; 2], force: [Num<D>; 2]) -> [Num<D>; 3] {
        let [x, y] = self.vector(local);
        [force[0], force[1], x * force[1] - y * force[0]]
    }
}

/// The ground frame.
pub fn ground<D: Scalar>() -> PlanarFrame<D> {
    PlanarFrame { origin: [num(0.0); 2], angle: num(0.0), cos: num(1.0), sin: num(0.0) }
}

/// Revolute joint: the point `at_a` of frame `a` is the point `at_b` of frame `b` (2 rows \[m\]).
#[inline(never)]
pub fn revolute<D: Scalar>(
    a: PlanarFrame<D>,
    at_a: [Num<D>; 2],
    b: PlanarFrame<D>,
    at_b: [Num<D>; 2],
) -> [Num<D>; 2] {
    let (p, q) = (a.point(at_a), b.point(at_b));
    note(Mark::Joint("revolute"), &[p, q]);
    [p[0] - q[0], p[1] - q[1]]
}

/// Prismatic joint: the point `at_b` of `b` stays on the line through `at_a` of `a` along `axis`
/// (given in `a`), and `b` does not turn relative to `a` (2 rows \[m\], \[rad\]).
#[inline(never)]
pub fn prismatic<D: Scalar>(
    a: PlanarFrame<D>,
    at_a: [Num<D>; 2],
    axis: [Num<D>; 2],
    b: PlanarFrame<D>,
    at_b: [Num<D>; 2],
) -> [Num<D>; 2] {
    let (p, q) = (a.point(at_a), b.point(at_b));
    let [ux, uy] = a.vector(axis);
    note(Mark::Joint("prismatic"), &[p, q, [ux, uy]]);
    [ux * (p[1] - q[1]) - uy * (p[0] - q[0]), a.angle - b.angle]
}

/// Weld: two frames keep their relative position and have the same angle (3 rows).
#[inline(never)]
pub fn weld<D: Scalar>(
    a: PlanarFrame<D>,
    at_a: [Num<D>; 2],
    b: PlanarFrame<D>,
    at_b: [Num<D>; 2],
) -> [Num<D>; 3] {
    let (p, q) = (a.point(at_a), b.point(at_b));
    note(Mark::Joint("weld"), &[p, q]);
    [p[0] - q[0], p[1] - q[1], a.angle - b.angle]
}

/// Point on a line: the point `at_b` of `b` stays on the line through `at_a` of `a` along `axis`
/// (given in `a`); a slot that leaves `b` free to turn (1 row \[m\] for an `axis` of unit length).
#[inline(never)]
pub fn point_on_line<D: Scalar>(
    a: PlanarFrame<D>,
    at_a: [Num<D>; 2],
    axis: [Num<D>; 2],
    b: PlanarFrame<D>,
    at_b: [Num<D>; 2],
) -> [Num<D>; 1] {
    let (p, q) = (a.point(at_a), b.point(at_b));
    let [ux, uy] = a.vector(axis);
    note(Mark::Joint("slot"), &[p, q, [ux, uy]]);
    [ux * (q[1] - p[1]) - uy * (q[0] - p[0])]
}

/// Massless rod: the points `p` and `q` keep the distance `length` (1 row \[m\]).
///
/// The row is (|p − q|² − l²)/(2l), the distance's error to first order; unlike the distance
/// itself it is a polynomial, with derivatives everywhere.
#[inline(never)]
pub fn rod<D: Scalar>(p: [Num<D>; 2], q: [Num<D>; 2], length: Num<D>) -> [Num<D>; 1] {
    note(Mark::Link, &[p, q]);
    let d = [q[0] - p[0], q[1] - p[1]];
    [0.5 * (d[0] * d[0] + d[1] * d[1] - length * length) / length]
}

/// [`revolute`] of two frames: their origins coincide (2 rows \[m\]).
#[inline(never)]
pub fn joined<D: Scalar>(a: PlanarFrame<D>, b: PlanarFrame<D>) -> [Num<D>; 2] {
    // A joint made of others notes itself before them.
    note(Mark::Joint("revolute"), &[a.origin, b.origin]);
    [a.origin[0] - b.origin[0], a.origin[1] - b.origin[1]]
}

/// [`prismatic`] of two frames: b's origin stays on a's x axis, and the angles are the same (2 rows
/// \[m\], \[rad\]).
#[inline(never)]
pub fn sliding<D: Scalar>(a: PlanarFrame<D>, b: PlanarFrame<D>) -> [Num<D>; 2] {
    note(Mark::Joint("prismatic"), &[a.origin, b.origin, a.x()]);
    let ([across], [angle]) = (slotted(a, b), parallel(a, b));
    [across, angle]
}

/// [`point_on_line`] of two frames: b's origin stays on a's x axis (1 row \[m\]).
#[inline(never)]
pub fn slotted<D: Scalar>(a: PlanarFrame<D>, b: PlanarFrame<D>) -> [Num<D>; 1] {
    note(Mark::Joint("slot"), &[a.origin, b.origin, a.x()]);
    [dot(a.y(), joined(a, b))]
}

/// [`weld`] of two frames: they coincide (3 rows \[m\], \[m\], \[rad\]).
#[inline(never)]
pub fn welded<D: Scalar>(a: PlanarFrame<D>, b: PlanarFrame<D>) -> [Num<D>; 3] {
    note(Mark::Joint("weld"), &[a.origin, b.origin]);
    let ([x, y], [angle]) = (joined(a, b), parallel(a, b));
    [x, y, angle]
}

/// Two frames have the same angle (1 row \[rad\]).
pub fn parallel<D: Scalar>(a: PlanarFrame<D>, b: PlanarFrame<D>) -> [Num<D>; 1] {
    [a.angle - b.angle]
}

/// [`rod`] between the origins of two frames (1 row \[m\]).
#[inline(never)]
pub fn between_origins<D: Scalar>(
    a: PlanarFrame<D>,
    b: PlanarFrame<D>,
    length: Num<D>,
) -> [Num<D>; 1] {
    rod(a.origin, b.origin, length)
}

/// Disc on a line: a disc of `radius` about b's origin touches a's x axis from the side of its y axis
/// (1 row \[m\]). The multiplier is the normal force on the disc.
#[inline(never)]
pub fn disc_on_line<D: Scalar>(
    a: PlanarFrame<D>,
    b: PlanarFrame<D>,
    radius: Num<D>,
) -> [Num<D>; 1] {
    let [_, y] = a.to_local([b.origin[0] - a.origin[0], b.origin[1] - a.origin[1]]);
    [radius - y]
}

/// That disc rolls: it has come as far along the x axis as its rim has turned (2 rows \[m\]). The
/// multipliers are the normal force on the disc, and the force at its rim along the x axis. The disc
/// is at a's origin when it is not turned.
#[inline(never)]
pub fn rolling<D: Scalar>(a: PlanarFrame<D>, b: PlanarFrame<D>, radius: Num<D>) -> [Num<D>; 2] {
    let [touch] = disc_on_line(a, b, radius);
    let [x, _] = a.to_local([b.origin[0] - a.origin[0], b.origin[1] - a.origin[1]]);
    [touch, -x - radius * (b.angle - a.angle)]
}

/// What a joint does to its second body.
#[derive(Clone, Copy, Debug)]
pub struct Wrench<D> {
    /// Force, in the ground's axes \[N\].
    pub force: [Num<D>; 2],
    /// Moment about the origin of the joint's frame on the second body \[N·m\].
    pub torque: Num<D>,
}

/// A frame that does not move, among numbers that carry a rate.
#[inline(never)]
pub fn still<D: Scalar>(frame: PlanarFrame<D>) -> PlanarFrame<Rate<D>> {
    PlanarFrame {
        origin: frame.origin.map(constant_in_time),
        angle: constant_in_time(frame.angle),
        cos: constant_in_time(frame.cos),
        sin: constant_in_time(frame.sin),
    }
}

/// Force and torque of a joint on its second body, whatever its rows: by virtual work, −λᵀ times the
/// derivative of the rows by a displacement of b and by a turn about b's origin. `rows` are those of
/// the joint as a function of b, taken among numbers that carry a rate; see
/// [`super::spatial::wrench`].
pub fn wrench<D: Scalar, const R: usize>(
    b: PlanarFrame<D>,
    lambda: [Num<D>; R],
    rows: impl Fn(PlanarFrame<Rate<D>>) -> [Num<Rate<D>>; R],
) -> Wrench<D> {
    let mut along = [num(0.0); 3];
    // `rows` is called in one place, since it is compiled anew for every statement.
    for (i, along) in along.iter_mut().enumerate() {
        *along = work(lambda, rows(moved(b, i)));
    }
    let [x, y, torque] = along;
    Wrench { force: [x, y], torque }
}

/// A frame that moves along x, along y, or turns.
fn moved<D: Scalar>(b: PlanarFrame<D>, i: usize) -> PlanarFrame<Rate<D>> {
    let mut moved = still(b);
    match moved.origin.get_mut(i) {
        Some(moved) => *moved = with_rate(b.origin[i], num(1.0)),
        None => {
            moved.angle = with_rate(b.angle, num(1.0));
            moved.cos = with_rate(b.cos, -b.sin);
            moved.sin = with_rate(b.sin, b.cos);
        }
    }
    moved
}

/// What multipliers do as rows change, against them.
pub(crate) fn work<D: Scalar, const R: usize>(
    lambda: [Num<D>; R],
    rows: [Num<Rate<D>>; R],
) -> Num<D> {
    num::<D>(0.0) - dot(lambda, rate(rows))
}

/// Where a joint's second frame is from its first, turned by an angle \[rad\].
pub fn with_turn<D: Scalar>([angle]: [Num<D>; 1]) -> PlanarFrame<D> {
    PlanarFrame::new(0.0, 0.0, angle)
}

/// The same moved along the first frame's x axis \[m\].
pub fn with_slide<D: Scalar>([position]: [Num<D>; 1]) -> PlanarFrame<D> {
    PlanarFrame::new(position, 0.0, num(0.0))
}

/// Coordinates (x, y, theta) of the second body, from the joint's first frame, where the second is
/// from it, and the joint's second frame in the axes of the body: for initial values.
pub fn place_second<D: Scalar>(
    a: PlanarFrame<D>,
    motion: PlanarFrame<D>,
    b: PlanarFrame<D>,
) -> [Num<D>; 3] {
    coordinates(a.compose(&motion).compose(&b.inverse()))
}

/// Coordinates of the first body, from the joint's second frame, the motion, and the joint's first
/// frame in the axes of the body.
pub fn place_first<D: Scalar>(
    b: PlanarFrame<D>,
    motion: PlanarFrame<D>,
    a: PlanarFrame<D>,
) -> [Num<D>; 3] {
    coordinates(b.compose(&motion.inverse()).compose(&a.inverse()))
}

fn coordinates<D: Scalar>(frame: PlanarFrame<D>) -> [Num<D>; 3] {
    [frame.origin[0], frame.origin[1], frame.angle]
}

/// Where the point `at_b` of `b` is from the point `at_a` of `a`, in the axes of `a`, and the angle
/// of `b` from `a`: what a bushing is a function of (\[m\], \[m\], \[rad\]).
#[inline(never)]
pub fn offset<D: Scalar>(
    a: PlanarFrame<D>,
    at_a: [Num<D>; 2],
    b: PlanarFrame<D>,
    at_b: [Num<D>; 2],
) -> [Num<D>; 3] {
    let (p, q) = (a.point(at_a), b.point(at_b));
    note(Mark::Link, &[p, q]);
    let [x, y] = a.to_local([q[0] - p[0], q[1] - p[1]]);
    [x, y, b.angle - a.angle]
}

/// Distance between two points \[m\]; its derivative does not exist where they coincide.
#[inline(never)]
pub fn distance<D: Scalar>(p: [Num<D>; 2], q: [Num<D>; 2]) -> Num<D> {
    note(Mark::Link, &[p, q]);
    (p[0] - q[0]).hypot(p[1] - q[1])
}
