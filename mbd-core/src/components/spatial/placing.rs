//! Where a body is when a joint is at given coordinates: for initial values.
//!
//! A motion says where the joint's second frame is from its first at given coordinates. A body is
//! placed from a frame of a body that has its place, the motion, and the joint's frame on the body that
//! is to be placed, given in that body's own axes.

use super::euler::from_rotation;
use super::frame::{SpatialFrame, ground};
use crate::scalar::{Num, Scalar, num};

/// A frame seen from another.
pub type Motion<D> = SpatialFrame<D>;

/// How far a screw has slid at an angle \[m\].
fn screwed<D: Scalar>(angle: Num<D>, lead: Num<D>) -> Num<D> {
    lead * angle / std::f64::consts::TAU
}

/// Turned by Euler parameters.
pub fn with_euler<D: Scalar>(e: [Num<D>; 4]) -> Motion<D> {
    SpatialFrame::new([num(0.0); 3], e)
}

/// Turned about the common z axis by an angle \[rad\].
pub fn with_turn<D: Scalar>([angle]: [Num<D>; 1]) -> Motion<D> {
    let (sin, cos) = angle.sin_cos();
    let [one, zero] = [num(1.0), num(0.0)];
    SpatialFrame { rotation: [[cos, -sin, zero], [sin, cos, zero], [zero, zero, one]], ..ground() }
}

/// Moved along the common z axis \[m\].
pub fn with_slide<D: Scalar>([position]: [Num<D>; 1]) -> Motion<D> {
    SpatialFrame::unturned([num(0.0), num(0.0), position])
}

/// Turned about and moved along the common z axis \[rad\], \[m\].
pub fn with_turn_and_slide<D: Scalar>([angle, position]: [Num<D>; 2]) -> Motion<D> {
    with_slide([position]).beyond(&with_turn([angle]))
}

/// Turned about the common z axis, and moved along it by `lead` a turn \[rad\], \[m\].
pub fn with_screw<D: Scalar>([angle]: [Num<D>; 1], lead: Num<D>) -> Motion<D> {
    with_turn_and_slide([angle, screwed(angle, lead)])
}

/// Moved in the plane and turned in it \[m\], \[m\], \[rad\].
pub fn with_plane<D: Scalar>([x, y, angle]: [Num<D>; 3]) -> Motion<D> {
    SpatialFrame::unturned([x, y, num(0.0)]).beyond(&with_turn([angle]))
}

/// The angles of a universal joint: of the cross about the first z axis, of the second frame about
/// its own \[rad\].
pub fn with_cross<D: Scalar>([first, second]: [Num<D>; 2]) -> Motion<D> {
    // A quarter of a turn back about x.
    let [one, zero] = [num(1.0), num(0.0)];
    let rotation = [[one, zero, zero], [zero, zero, one], [zero, -one, zero]];
    let across = SpatialFrame { rotation, ..ground() };
    with_turn([first]).beyond(&across).beyond(&with_turn([second]))
}

/// Coordinates (x, y, z, e0 … e3) of the second body, from the joint's first frame, the motion, and
/// the joint's second frame in the axes of the body.
pub fn place_second<D: Scalar>(
    a: SpatialFrame<D>,
    motion: Motion<D>,
    b: SpatialFrame<D>,
) -> [Num<D>; 7] {
    coordinates(a.compose(&motion).compose(&b.inverse()))
}

/// Coordinates of the first body, from the joint's second frame, the motion, and the joint's first
/// frame in the axes of the body.
pub fn place_first<D: Scalar>(
    b: SpatialFrame<D>,
    motion: Motion<D>,
    a: SpatialFrame<D>,
) -> [Num<D>; 7] {
    coordinates(b.compose(&motion.inverse()).compose(&a.inverse()))
}

fn coordinates<D: Scalar>(frame: SpatialFrame<D>) -> [Num<D>; 7] {
    let ([x, y, z], [e0, e1, e2, e3]) = (frame.origin, from_rotation(frame.rotation));
    [x, y, z, e0, e1, e2, e3]
}
