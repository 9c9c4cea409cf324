//! Frames in space and the vector algebra they need.

use super::euler::{identity, rotation};
use crate::scalar::{Mark, Num, Rate, Scalar, constant_in_time, note, num};
use crate::vector::unit;
pub use crate::vector::{cross, dot, norm};

/// A frame fixed in a spatial body: where its origin is and how its axes lie.
#[derive(Clone, Copy, Debug)]
pub struct SpatialFrame<D> {
    /// Origin in the ground frame \[m\].
    pub origin: [Num<D>; 3],
    /// Rotation matrix, row by row; its columns are the frame's axes in the ground frame.
    pub rotation: [[Num<D>; 3]; 3],
}

impl<D: Scalar> SpatialFrame<D> {
    /// The frame at `origin` turned by the Euler parameters `e`.
    #[inline(never)]
    pub fn new(origin: [Num<D>; 3], e: [Num<D>; 4]) -> Self {
        SpatialFrame { origin, rotation: rotation(e) }
    }

    /// The frame at `origin` with the ground's axes.
    #[inline(never)]
    pub fn unturned(origin: [Num<D>; 3]) -> Self {
        SpatialFrame { origin, ..ground() }
    }

    /// A frame with the same axes whose origin is a point of this one.
    #[inline(never)]
    pub fn at(&self, local: [Num<D>; 3]) -> Self {
        SpatialFrame { origin: self.point(local), ..*self }
    }

    /// A frame with the same origin, turned by the Euler parameters `e` given in this frame; see
    /// [`axis_angle`](super::axis_angle).
    #[inline(never)]
    pub fn turned(&self, e: [Num<D>; 4]) -> Self {
        self.with_axes(rotation(e))
    }

    /// A frame with the same origin whose z axis lies along `axis`, given in this frame. Its x
    /// axis is the one nearest to the coordinate axis that `axis` is farthest from.
    #[inline(never)]
    pub fn facing(&self, axis: [Num<D>; 3]) -> Self {
        let z = scaled(axis, norm(axis).recip());
        // Each coordinate axis less its part along z.
        let [x0, x1, x2] = std::array::from_fn(|far| {
            let mut x = scaled(z, -z[far]);
            x[far] += 1.0;
            x
        });
        let [a, b, c] = z.map(Num::abs);
        let nearest: [Num<D>; 3] = b.below(a).choose(x1, x0);
        let x = c.below(a.min(b)).choose(x2, nearest);
        self.with_local_axes(scaled(x, norm(x).recip()), z)
    }

    /// The same origin with x and z axes given in this frame.
    #[inline(never)]
    fn with_local_axes(&self, x: [Num<D>; 3], z: [Num<D>; 3]) -> Self {
        let y = cross(z, x);
        self.with_axes(std::array::from_fn(|i| [x[i], y[i], z[i]]))
    }

    #[inline(never)]
    fn with_axes(&self, local: [[Num<D>; 3]; 3]) -> Self {
        let column = |j: usize| self.vector([local[0][j], local[1][j], local[2][j]]);
        let (x, y, z) = (column(0), column(1), column(2));
        SpatialFrame { rotation: std::array::from_fn(|i| [x[i], y[i], z[i]]), ..*self }
    }

    /// The frame of a joint at a point of this one, with the same axes: `body.at(p)`.
    pub fn marker(&self, point: [Num<D>; 3]) -> Self {
        self.at(point)
    }

    /// The frame of a joint at a point of this one, its z axis along `axis`: `body.at(p, axis)`.
    /// The x axis, from which angles are counted, is that of [`facing`](Self::facing): a fixed
    /// direction of this frame, the same in every frame for the same `axis`.
    #[inline(never)]
    pub fn marker_along(&self, point: [Num<D>; 3], axis: [Num<D>; 3]) -> Self {
        self.at(point).facing(axis)
    }

    /// The same with the x axis as near to `x` as an axis normal to `axis` can be:
    /// `body.at(p, axis, x)`.
    #[inline(never)]
    pub fn marker_axes(&self, point: [Num<D>; 3], axis: [Num<D>; 3], x: [Num<D>; 3]) -> Self {
        let z = scaled(axis, norm(axis).recip());
        let along = dot(x, z);
        let x: [Num<D>; 3] = std::array::from_fn(|i| x[i] - along * z[i]);
        self.at(point).with_local_axes(scaled(x, norm(x).recip()), z)
    }

    /// The frame that is `inner` in this one's axes.
    #[inline(never)]
    pub fn compose(&self, inner: &Self) -> Self {
        self.at(inner.origin).with_axes(inner.rotation)
    }

    /// The frame that is `inner` in this one's axes, of which no picture is told: on the way to a body nothing is to
    /// be seen.
    pub(super) fn beyond(&self, inner: &Self) -> Self {
        let (shift, columns) = (self.vector(inner.origin), [inner.x(), inner.y(), inner.z()]);
        let [x, y, z] = columns.map(|axis| self.vector(axis));
        SpatialFrame {
            origin: std::array::from_fn(|i| self.origin[i] + shift[i]),
            rotation: std::array::from_fn(|i| [x[i], y[i], z[i]]),
        }
    }

    /// The ground frame in this one's axes, for a rotation that is one.
    #[inline(never)]
    pub fn inverse(&self) -> Self {
        SpatialFrame {
            origin: self.to_local(self.origin.map(|x| -x)),
            rotation: crate::vector::transpose(self.rotation),
        }
    }

    /// A vector given in this frame, in the ground frame.
    pub fn vector(&self, local: [Num<D>; 3]) -> [Num<D>; 3] {
        std::array::from_fn(|i| dot(self.rotation[i], local))
    }

    /// A vector given in the ground frame, in this frame.
    #[inline(never)]
    pub fn to_local(&self, vector: [Num<D>; 3]) -> [Num<D>; 3] {
        std::array::from_fn(|j| dot(self.axis(j), vector))
    }

    /// A point given in this frame, in the ground frame \[m\].
    #[inline(never)]
    pub fn point(&self, local: [Num<D>; 3]) -> [Num<D>; 3] {
        let v = self.vector(local);
        let point = std::array::from_fn(|i| self.origin[i] + v[i]);
        note(Mark::Point, &[self.origin, point]);
        point
    }

    fn axis(&self, j: usize) -> [Num<D>; 3] {
        std::array::from_fn(|i| self.rotation[i][j])
    }

    /// The frame's x axis in the ground frame.
    pub fn x(&self) -> [Num<D>; 3] {
        self.axis(0)
    }

    /// The frame's y axis in the ground frame.
    pub fn y(&self) -> [Num<D>; 3] {
        self.axis(1)
    }

    /// The frame's z axis in the ground frame.
    pub fn z(&self) -> [Num<D>; 3] {
        self.axis(2)
    }
}

/// The ground frame.
pub fn ground<D: Scalar>() -> SpatialFrame<D> {
    SpatialFrame { origin: [num(0.0); 3], rotation: identity() }
}

/// Euler parameters of the shortest turn that brings `axis` where `there` points (of any lengths): of all turns that do, the
/// one about the direction across both. Of opposite directions it is half a turn about the coordinate axis that `axis` is
/// farthest from, less its part along `axis`.
#[inline(never)]
pub fn axis_to<D: Scalar>(axis: [Num<D>; 3], there: [Num<D>; 3]) -> [Num<D>; 4] {
    let (u, v) = (unit(axis), unit(there));
    let half: [Num<D>; 3] = std::array::from_fn(|i| u[i] + v[i]);
    let across = ground().facing(u).x();
    // |u + v|² lies between 0 and 4: below this it is rounding.
    let half: [Num<D>; 3] = dot(half, half).below(1e-24).choose(across, half);
    let half = unit(half);
    let [x, y, z] = cross(u, half);
    [dot(u, half), x, y, z]
}

/// Distance between two points \[m\]; its derivative does not exist where they coincide.
#[inline(never)]
pub fn distance<D: Scalar>(p: [Num<D>; 3], q: [Num<D>; 3]) -> Num<D> {
    note(Mark::Link, &[p, q]);
    norm(between(p, q))
}

/// A frame that does not move, among numbers that carry a rate.
#[inline(never)]
pub fn still<D: Scalar>(frame: SpatialFrame<D>) -> SpatialFrame<Rate<D>> {
    SpatialFrame {
        origin: frame.origin.map(constant_in_time),
        rotation: frame.rotation.map(|row| row.map(constant_in_time)),
    }
}

/// Angular velocity of a frame from its rotation matrix and the rate of that, in the ground's axes
/// \[rad/s\]: half the sum of axis × rate of the axis.
#[inline(never)]
pub fn spin<D: Scalar>(rotation: [[Num<D>; 3]; 3], rate: [[Num<D>; 3]; 3]) -> [Num<D>; 3] {
    let (axes, rates) = (crate::vector::transpose(rotation), crate::vector::transpose(rate));
    let [x, y, z]: [[Num<D>; 3]; 3] = std::array::from_fn(|j| cross(axes[j], rates[j]));
    std::array::from_fn(|i| 0.5 * (x[i] + y[i] + z[i]))
}

/// From `p` to `q`.
pub(super) fn between<D: Scalar>(p: [Num<D>; 3], q: [Num<D>; 3]) -> [Num<D>; 3] {
    std::array::from_fn(|i| q[i] - p[i])
}

fn scaled<D: Scalar>(a: [Num<D>; 3], s: Num<D>) -> [Num<D>; 3] {
    a.map(|x| x * s)
}
