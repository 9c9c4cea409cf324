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
//! | [`rod`], [`in_plane`], [`point_on_line`], [`parallel`] | 1, 1, 2, 2 | primitives |
//!
//! Position rows are in metres, orientation rows are cosines of right angles (radians to first
//! order). An orientation row is also met when an axis is reversed: the start decides.

use super::frame::{SpatialFrame, between, dot};
use crate::scalar::{Num, Scalar};

/// Spherical joint: the origins coincide (3 rows \[m\]).
#[inline(always)]
pub fn spherical<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 3] {
    between(b.origin, a.origin)
}

/// Parallel z axes (2 rows): b's z axis is normal to a's x and y axes.
#[inline(always)]
pub fn parallel<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 2] {
    let z = b.z();
    [dot(z, a.x()), dot(z, a.y())]
}

/// Point on a line: b's origin lies on a's z axis (2 rows \[m\]).
#[inline(always)]
pub fn point_on_line<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 2] {
    let d = between(a.origin, b.origin);
    [dot(d, a.x()), dot(d, a.y())]
}

/// Point in a plane: b's origin lies in a's xy plane (1 row \[m\]).
#[inline(always)]
pub fn in_plane<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 1] {
    [dot(between(a.origin, b.origin), a.z())]
}

/// Revolute joint: origins and z axes coincide (5 rows).
#[inline(always)]
pub fn revolute<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 5] {
    let ([x, y, z], [u, v]) = (spherical(a, b), parallel(a, b));
    [x, y, z, u, v]
}

/// Universal joint: the origins coincide and the z axes, the two arms of the cross, stay at right
/// angles (4 rows).
#[inline(always)]
pub fn universal<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 4] {
    let [x, y, z] = spherical(a, b);
    [x, y, z, dot(a.z(), b.z())]
}

/// Cylindrical joint: the z axes lie on one line (4 rows).
#[inline(always)]
pub fn cylindrical<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 4] {
    let ([x, y], [u, v]) = (point_on_line(a, b), parallel(a, b));
    [x, y, u, v]
}

/// Prismatic joint: the z axes lie on one line and the frames do not turn relative to each other
/// (5 rows); b starts with its x axis along a's.
#[inline(always)]
pub fn prismatic<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 5] {
    let [x, y, u, v] = cylindrical(a, b);
    [x, y, u, v, dot(b.x(), a.y())]
}

/// Planar joint: b's origin stays in a's xy plane and the z axes stay parallel (3 rows).
#[inline(always)]
pub fn planar<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 3] {
    let ([z], [u, v]) = (in_plane(a, b), parallel(a, b));
    [z, u, v]
}

/// Fixed joint: the frames coincide (6 rows).
#[inline(always)]
pub fn fixed<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 6] {
    let [x, y, z, u, v] = revolute(a, b);
    [x, y, z, u, v, dot(b.x(), a.y())]
}

/// Massless rod: the points `p` and `q` keep the distance `length` (1 row \[m\]).
///
/// The row is (|p − q|² − l²)/(2l), the distance's error to first order; unlike the distance
/// itself it is a polynomial, with derivatives everywhere.
#[inline(always)]
pub fn rod<D: Scalar>(p: [Num<D>; 3], q: [Num<D>; 3], length: Num<D>) -> [Num<D>; 1] {
    let d = between(p, q);
    [0.5 * (dot(d, d) - length * length) / length]
}

/// Angle of b's x axis from a's about a's z axis, in (−π, π] \[rad\]: what a torsion spring in a
/// revolute or cylindrical joint is a function of.
#[inline(always)]
pub fn twist<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> Num<D> {
    let x = b.x();
    dot(x, a.y()).atan2(dot(x, a.x()))
}

/// Where b is from a, in the axes of a, and the three small angles of b from a: what a bushing is
/// a function of (\[m\]·3, \[rad\]·3).
///
/// With B = AₐᵀA_b the angles are −B₂₃, B₁₃, atan(B₂₁/B₂₂) (seed 003, after eq. (5.2)): exact to
/// first order about x and y, to any size about z when the other two vanish.
#[inline(always)]
pub fn offset<D: Scalar>(a: SpatialFrame<D>, b: SpatialFrame<D>) -> [Num<D>; 6] {
    let [x, y, z] = a.to_local(between(a.origin, b.origin));
    let [b13, b23, _] = a.to_local(b.z());
    let (b21, b22) = (dot(a.y(), b.x()), dot(a.y(), b.y()));
    [x, y, z, -b23, b13, b21.atan2(b22)]
}
