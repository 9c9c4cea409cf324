//! Joints between two frames, as rows that vanish when the joint holds.
//!
//! | joint | rows | leaves free |
//! |---|---|---|
//! | [`spherical`] | 3 | three turns |
//! | [`universal`] | 4 | turns about a's and b's z axes |
//! | [`revolute`] | 5 | turn about the common z axis |
//! | [`cylindrical`] | 4 | turn about and slide along the common z axis |
//! | [`prismatic`] | 5 | slide along the common z axis |
//! | [`planar`] | 3 | slide in a's xy plane and turn about its z axis |
//! | [`fixed`] | 6 | nothing |
//! | [`screw`] | 5 | turn about and slide along the common z axis, coupled |
//! | [`rod`], [`in_plane`], [`point_on_line`] | 1, 1, 2 | primitives of position |
//! | [`parallel`], [`perpendicular`] | 2, 1 | primitives of orientation |
//! | [`disc_on_plane`] | 1 | all but the height of a wheel over a plane |
//!
//! Position rows are in metres, orientation rows are cosines of right angles (radians to first
//! order). An orientation row is also met when an axis is reversed: the start decides.
//!
//! **Sign.** Each row is written so that its multiplier is what the joint does to the *second* body: a
//! force of a position row acts on b at b's origin in the direction of the row, the torque of an
//! orientation row acts on b about that axis. The first body gets the opposite. [`wrench`] adds them up.

use super::frame::{SpatialFrame, between, cross, dot, still};
use crate::components::planar::work;
use crate::scalar::{Mark, Num, Rate, Scalar, note, num, with_rate};

/// Notes where a joint is and how its axis lies. A joint made of others notes itself before them.
pub(super) fn noted<D: Scalar>(kind: &'static str, a: SpatialFrame<D>, b: SpatialFrame<D>) {
    note(Mark::Joint(kind), &[a.origin, b.origin, a.z()]);
}

/// Spherical joint: the origins coincide (3 rows \[m\]).
#[inline(never)]
pub fn spherical<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 3] {
    noted("spherical", a, b);
    between(b.origin, a.origin)
}

/// Parallel z axes (2 rows): b's z axis is normal to a's x and y axes. The multipliers are the torque
/// on b about a's y and x axes.
pub fn parallel<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 2] {
    let z = b.z();
    [-dot(z, a.x()), dot(z, a.y())]
}

/// Point on a line: b's origin lies on a's z axis (2 rows \[m\]).
#[inline(never)]
pub fn point_on_line<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 2] {
    noted("point_on_line", a, b);
    let d = between(b.origin, a.origin);
    [dot(d, a.x()), dot(d, a.y())]
}

/// Point in a plane: b's origin lies in a's xy plane (1 row \[m\]).
#[inline(never)]
pub fn in_plane<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 1] {
    noted("in_plane", a, b);
    [dot(between(b.origin, a.origin), a.z())]
}

/// Perpendicular z axes (1 row). The multiplier is the torque on b about a's z × b's z.
pub fn perpendicular<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 1] {
    [dot(a.z(), b.z())]
}

/// Revolute joint: origins and z axes coincide (5 rows).
#[inline(never)]
pub fn revolute<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 5] {
    noted("revolute", a, b);
    let ([x, y, z], [u, v]) = (spherical(a, b), parallel(a, b));
    [x, y, z, u, v]
}

/// Universal joint: the origins coincide and the z axes, the two arms of the cross, stay at right
/// angles (4 rows).
#[inline(never)]
pub fn universal<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 4] {
    noted("universal", a, b);
    let [x, y, z] = spherical(a, b);
    let [right] = perpendicular(a, b);
    [x, y, z, right]
}

/// Constant-velocity joint (Rzeppa, double cardan): the origins coincide, and b turns about its z axis as a does about
/// its own, whatever the angle between them (4 rows).
///
/// The turn that takes a's axes to b's is about an axis at right angles to both z axes. With R its matrix the row is
/// (R₁₂ − R₂₁)/2 = −n₃ sin β for a turn by β about n. Its multiplier is the torque on b about (z + z_b)/2, the
/// normal of the plane in which the balls lie. Singular where b is folded back onto a.
#[inline(never)]
pub fn constant_velocity<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 4] {
    noted("constant_velocity", a, b);
    let [x, y, z] = spherical(a, b);
    [x, y, z, 0.5 * (dot(a.x(), b.y()) - dot(a.y(), b.x()))]
}

/// Cylindrical joint: the z axes lie on one line (4 rows).
#[inline(never)]
pub fn cylindrical<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 4] {
    noted("cylindrical", a, b);
    let ([x, y], [u, v]) = (point_on_line(a, b), parallel(a, b));
    [x, y, u, v]
}

/// Prismatic joint: the z axes lie on one line and the frames do not turn relative to each other
/// (5 rows); b starts with its x axis along a's.
#[inline(never)]
pub fn prismatic<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 5] {
    noted("prismatic", a, b);
    let [x, y, u, v] = cylindrical(a, b);
    [x, y, u, v, -dot(b.x(), a.y())]
}

/// Planar joint: b's origin stays in a's xy plane and the z axes stay parallel (3 rows).
#[inline(never)]
pub fn planar<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 3] {
    noted("planar", a, b);
    let ([z], [u, v]) = (in_plane(a, b), parallel(a, b));
    [z, u, v]
}

/// Fixed joint: the frames coincide (6 rows).
#[inline(never)]
pub fn fixed<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 6] {
    noted("fixed", a, b);
    let [x, y, z, u, v] = revolute(a, b);
    [x, y, z, u, v, -dot(b.x(), a.y())]
}

/// Screw: the z axes lie on one line, and b slides along it by `lead` for each turn (5 rows).
///
/// The slide says in which turn the joint is, so that the row counts turns: it is lead/2π times the
/// angle by which b is turned too far, in (−π, π]. No angle and no slide belong together.
#[inline(never)]
pub fn screw<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>, lead: Num<D>) -> [Num<D>; 5] {
    let [x, y, u, v] = cylindrical(a, b);
    let per_radian = lead / std::f64::consts::TAU;
    let wanted = slide(a, b) / per_radian;
    [x, y, u, v, -per_radian * angle_short_of(turn(a, b), wanted)]
}

/// How far b's origin is along a's z axis \[m\].
#[inline(never)]
pub fn slide<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> Num<D> {
    dot(between(a.origin, b.origin), a.z())
}

/// Cosine and sine of the angle of b's x axis from a's about a's z axis, both times a common factor
/// that is 1 where the z axes are parallel.
#[inline(never)]
pub fn turn<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 2] {
    let x = b.x();
    [dot(x, a.x()), dot(x, a.y())]
}

/// Rate of the angle of which the (multiple of) cosine and sine are known, with their rates
/// \[rad/s\].
#[inline(never)]
pub fn turn_rate<D: Scalar>([cos, sin]: [Num<D>; 2], [d_cos, d_sin]: [Num<D>; 2]) -> Num<D> {
    (cos * d_sin - sin * d_cos) / (cos * cos + sin * sin)
}

/// By how much an angle of which the (multiple of) cosine and sine are known falls short of
/// `wanted`: in (−π, π], with no jump near 0, however many turns `wanted` has \[rad\].
#[inline(never)]
pub fn angle_short_of<D: Scalar>([cos, sin]: [Num<D>; 2], wanted: Num<D>) -> Num<D> {
    let (s, c) = wanted.sin_cos();
    (s * cos - c * sin).atan2(c * cos + s * sin)
}

/// The angle of which the (multiple of) cosine and sine are known in the turn nearest to `near`
/// \[rad\]: exact, whatever `near` is within half a turn.
#[inline(never)]
pub fn angle_near<D: Scalar>(turn: [Num<D>; 2], near: Num<D>) -> Num<D> {
    near - angle_short_of(turn, near)
}

/// Angles of a [`universal`] joint \[rad\]: of the cross about a's z axis, zero where b's z axis lies
/// along a's y axis, as cosine and sine (times a common factor).
#[inline(never)]
pub fn cross_turn_first<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 2] {
    let z = b.z();
    [dot(z, a.y()), -dot(z, a.x())]
}

/// The same of b about its own z axis, zero where a's z axis lies along b's −y axis.
#[inline(never)]
pub fn cross_turn_second<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 2] {
    let z = a.z();
    [-dot(z, b.y()), -dot(z, b.x())]
}

/// Wheel on a plane: the lowest point of a thin disc in b's xy plane (`radius`, axis z, centre b's
/// origin) touches a's xy plane from above (1 row \[m\]). The multiplier is the normal force on the
/// disc. Singular where the disc lies flat.
#[inline(never)]
pub fn disc_on_plane<D: Scalar>(
    a: SpatialFrame<D>,
    b: SpatialFrame<D>,
    radius: Num<D>,
) -> [Num<D>; 1] {
    let [z] = in_plane(a, b);
    let [_, _, down] = to_lowest(a, b, radius);
    [z - down]
}

/// From the centre of that disc to its lowest point, in a's axes \[m\].
#[inline(never)]
pub fn to_lowest<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>, radius: Num<D>) -> [Num<D>; 3] {
    let [x, y, z] = a.to_local(b.z());
    let slope = x.hypot(y);
    [radius * z * x / slope, radius * z * y / slope, -radius * slope]
}

/// What a joint does to its second body.
#[derive(Clone, Copy, Debug)]
pub struct Wrench<D> {
    /// Force, in the ground's axes \[N\].
    pub force: [Num<D>; 3],
    /// Moment about the origin of the joint's frame on the second body, in the ground's axes \[N·m\].
    pub torque: [Num<D>; 3],
}

/// Force and torque of a joint on its second body, whatever its rows: by virtual work, −λᵀ times the
/// derivative of the rows by a displacement of b and by a turn about b's origin.
///
/// `rows` are those of the joint as a function of b, taken among numbers that carry a rate:
///
/// ```text
/// wrench(b, lambda(rows), |b| spatial::revolute(spatial::still(a), b))
/// ```
pub fn wrench<D: Scalar, const R: usize>(
    b: SpatialFrame<D>,
    lambda: [Num<D>; R],
    rows: impl Fn(SpatialFrame<Rate<D>>) -> [Num<Rate<D>>; R],
) -> Wrench<D> {
    let mut along = [num(0.0); 6];
    // `rows` is called in one place, since it is compiled anew for every statement.
    for (i, along) in along.iter_mut().enumerate() {
        *along = work(lambda, rows(moved(b, i)));
    }
    let [x, y, z, u, v, w] = along;
    Wrench { force: [x, y, z], torque: [u, v, w] }
}

/// A frame that moves along an axis of the ground, or turns about its origin and one.
fn moved<D: Scalar>(b: SpatialFrame<D>, i: usize) -> SpatialFrame<Rate<D>> {
    let mut moved = still(b);
    if let Some(moved) = moved.origin.get_mut(i) {
        *moved = with_rate(b.origin[i], num(1.0));
    } else {
        let axis = std::array::from_fn(|k| num(f64::from(k + 3 == i)));
        let rates = [b.x(), b.y(), b.z()].map(|column| cross(axis, column));
        for (row, numbers) in moved.rotation.iter_mut().enumerate() {
            *numbers = std::array::from_fn(|j| with_rate(b.rotation[row][j], rates[j][row]));
        }
    }
    moved
}

/// Massless rod: the points `p` and `q` keep the distance `length` (1 row \[m\]).
///
/// The row is (|p − q|² − l²)/(2l), the distance's error to first order; unlike the distance
/// itself it is a polynomial, with derivatives everywhere.
#[inline(never)]
pub fn rod<D: Scalar>(p: [Num<D>; 3], q: [Num<D>; 3], length: Num<D>) -> [Num<D>; 1] {
    note(Mark::Link, &[p, q]);
    let d = between(p, q);
    [0.5 * (dot(d, d) - length * length) / length]
}

/// [`rod`] between the origins of two frames (1 row \[m\]).
#[inline(never)]
pub fn between_origins<D: Scalar>(
    a: SpatialFrame<D>,
    b: SpatialFrame<D>,
    length: Num<D>,
) -> [Num<D>; 1] {
    rod(a.origin, b.origin, length)
}

/// Rod from a hinge on a to a ball on b: b's origin stays in a's xy plane, at the distance `length` from a's origin
/// (2 rows \[m\]). The multipliers are the force on b along a's z axis, and the tension of the rod. Singular where
/// `length` is 0.
#[inline(never)]
pub fn revolute_spherical<D: Scalar>(
    a: SpatialFrame<D>,
    b: SpatialFrame<D>,
    length: Num<D>,
) -> [Num<D>; 2] {
    let ([across], [along]) = (in_plane(a, b), between_origins(a, b, length));
    [across, along]
}

/// Cosine and sine of the angle of that rod from a's x axis about a's z axis, both times its length \[m\].
#[inline(never)]
pub fn rod_turn<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 2] {
    let d = between(a.origin, b.origin);
    [dot(d, a.x()), dot(d, a.y())]
}

/// Angle of b's x axis from a's about a's z axis, in (−π, π] \[rad\]: what a torsion spring in a
/// revolute or cylindrical joint is a function of.
#[inline(never)]
pub fn twist<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> Num<D> {
    let [cos, sin] = turn(a, b);
    sin.atan2(cos)
}

/// Where b is from a, in the axes of a, and the three small angles of b from a: what a bushing is
/// a function of (\[m\]·3, \[rad\]·3).
///
/// With B = AₐᵀA_b the angles are −B₂₃, B₁₃, atan(B₂₁/B₂₂) (paper 003, after eq. (5.2)): exact to
/// first order about x and y, to any size about z when the other two vanish.
#[inline(never)]
pub fn offset<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 6] {
    note(Mark::Link, &[a.origin, b.origin]);
    let [x, y, z] = a.to_local(between(a.origin, b.origin));
    let [b13, b23, _] = a.to_local(b.z());
    let (b21, b22) = (dot(a.y(), b.x()), dot(a.y(), b.y()));
    [x, y, z, -b23, b13, b21.atan2(b22)]
}
