//! What `draw` statements are made of: the numbers of a shape from points, frames and lengths.
//!
//! Points are given by two coordinates, in the plane z = 0, or by three. Lengths are in the unit of the
//! coordinates.

use super::{PlanarFrame, SpatialFrame};
use crate::scalar::{Num, Scalar, num};

/// What can stand for a point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no point",
    label = "no point",
    note = "a point is an array of two or three scalars: `[x, y]`; of a frame it is `frame.origin`"
)]
pub trait Place<D> {
    /// Its coordinates in the ground frame.
    fn place(self) -> [Num<D>; 3];
}

impl<D: Scalar> Place<D> for [Num<D>; 2] {
    fn place(self) -> [Num<D>; 3] {
        [self[0], self[1], num(0.0)]
    }
}

impl<D: Scalar> Place<D> for [Num<D>; 3] {
    fn place(self) -> [Num<D>; 3] {
        self
    }
}

/// What can stand for a place with axes: a frame, or a point with the ground's axes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a frame nor a point",
    label = "no frame and no point",
    note = "a point is an array of two or three scalars: `[x, y]`; a body's frame is `body.frame`"
)]
pub trait Pose<D> {
    /// Origin, x axis and y axis in the ground frame.
    fn pose(self) -> [[Num<D>; 3]; 3];
}

fn upright<D: Scalar>(point: impl Place<D>) -> [[Num<D>; 3]; 3] {
    let unit = |k| std::array::from_fn(|i| num(if i == k { 1.0 } else { 0.0 }));
    [point.place(), unit(0), unit(1)]
}

impl<D: Scalar> Pose<D> for [Num<D>; 2] {
    fn pose(self) -> [[Num<D>; 3]; 3] {
        upright(self)
    }
}

impl<D: Scalar> Pose<D> for [Num<D>; 3] {
    fn pose(self) -> [[Num<D>; 3]; 3] {
        upright(self)
    }
}

impl<D: Scalar> Pose<D> for PlanarFrame<D> {
    fn pose(self) -> [[Num<D>; 3]; 3] {
        let axis = |x, y| self.vector([num(x), num(y)]).place();
        [self.origin.place(), axis(1.0, 0.0), axis(0.0, 1.0)]
    }
}

impl<D: Scalar> Pose<D> for SpatialFrame<D> {
    fn pose(self) -> [[Num<D>; 3]; 3] {
        [self.origin, self.x(), self.y()]
    }
}

/// A point: 3 numbers.
pub fn trace<D: Scalar>(point: impl Place<D>) -> [Num<D>; 3] {
    point.place()
}

/// Two points: 6 numbers.
pub fn line<D: Scalar>(from: impl Place<D>, to: impl Place<D>) -> [Num<D>; 6] {
    let (p, q) = (from.place(), to.place());
    [p[0], p[1], p[2], q[0], q[1], q[2]]
}

/// Two points and a radius: 7 numbers.
pub fn cylinder<D: Scalar>(from: impl Place<D>, to: impl Place<D>, radius: Num<D>) -> [Num<D>; 7] {
    let (p, q) = (from.place(), to.place());
    [p[0], p[1], p[2], q[0], q[1], q[2], radius]
}

/// Origin, x axis, y axis and a radius: 10 numbers.
pub fn circle<D: Scalar>(at: impl Pose<D>, radius: Num<D>) -> [Num<D>; 10] {
    let [o, x, y] = at.pose();
    [o[0], o[1], o[2], x[0], x[1], x[2], y[0], y[1], y[2], radius]
}

/// Origin, x axis, y axis and edge lengths: 12 numbers. Of a planar block the third edge is 0.
pub fn block<D: Scalar>(at: impl Pose<D>, edges: impl Place<D>) -> [Num<D>; 12] {
    let ([o, x, y], e) = (at.pose(), edges.place());
    [o[0], o[1], o[2], x[0], x[1], x[2], y[0], y[1], y[2], e[0], e[1], e[2]]
}
