//! Frames in space and the vector algebra they need.

use super::euler::{identity, rotation};
use crate::scalar::{Num, Scalar, num};

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
    #[inline(always)]
    pub fn new(origin: [Num<D>; 3], e: [Num<D>; 4]) -> Self {
        SpatialFrame { origin, rotation: rotation(e) }
    }

    /// A frame with the same axes whose origin is a point of this one.
    #[inline(always)]
    pub fn at(&self, local: [Num<D>; 3]) -> Self {
        SpatialFrame { origin: self.point(local), ..*self }
    }

    /// A frame with the same origin, turned by the Euler parameters `e` given in this frame; see
    /// [`axis_angle`](super::axis_angle).
    #[inline(always)]
    pub fn turned(&self, e: [Num<D>; 4]) -> Self {
        self.with_axes(rotation(e))
    }

    /// A frame with the same origin whose z axis lies along `axis`, given in this frame. Its x
    /// axis is the one nearest to the coordinate axis that `axis` is farthest from.
    #[inline(always)]
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
        let x = scaled(x, norm(x).recip());
        let y = cross(z, x);
        self.with_axes(std::array::from_fn(|i| [x[i], y[i], z[i]]))
    }

    #[inline(always)]
    fn with_axes(&self, local: [[Num<D>; 3]; 3]) -> Self {
        let column = |j: usize| self.vector([local[0][j], local[1][j], local[2][j]]);
        let (x, y, z) = (column(0), column(1), column(2));
        SpatialFrame { rotation: std::array::from_fn(|i| [x[i], y[i], z[i]]), ..*self }
    }

    /// A vector given in this frame, in the ground frame.
    #[inline(always)]
    pub fn vector(&self, local: [Num<D>; 3]) -> [Num<D>; 3] {
        std::array::from_fn(|i| dot(self.rotation[i], local))
    }

    /// A vector given in the ground frame, in this frame.
    #[inline(always)]
    pub fn to_local(&self, vector: [Num<D>; 3]) -> [Num<D>; 3] {
        std::array::from_fn(|j| dot(self.axis(j), vector))
    }

    /// A point given in this frame, in the ground frame \[m\].
    #[inline(always)]
    pub fn point(&self, local: [Num<D>; 3]) -> [Num<D>; 3] {
        let v = self.vector(local);
        std::array::from_fn(|i| self.origin[i] + v[i])
    }

    #[inline(always)]
    fn axis(&self, j: usize) -> [Num<D>; 3] {
        std::array::from_fn(|i| self.rotation[i][j])
    }

    /// The frame's x axis in the ground frame.
    #[inline(always)]
    pub fn x(&self) -> [Num<D>; 3] {
        self.axis(0)
    }

    /// The frame's y axis in the ground frame.
    #[inline(always)]
    pub fn y(&self) -> [Num<D>; 3] {
        self.axis(1)
    }

    /// The frame's z axis in the ground frame.
    #[inline(always)]
    pub fn z(&self) -> [Num<D>; 3] {
        self.axis(2)
    }
}

/// The ground frame.
pub fn ground<D: Scalar>() -> SpatialFrame<D> {
    SpatialFrame { origin: [num(0.0); 3], rotation: identity() }
}

/// Scalar product.
#[inline(always)]
pub fn dot<D: Scalar>(a: [Num<D>; 3], b: [Num<D>; 3]) -> Num<D> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Vector product a × b.
#[inline(always)]
pub fn cross<D: Scalar>(a: [Num<D>; 3], b: [Num<D>; 3]) -> [Num<D>; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Length of a vector; its derivative does not exist at zero.
#[inline(always)]
pub fn norm<D: Scalar>(a: [Num<D>; 3]) -> Num<D> {
    dot(a, a).sqrt()
}

/// Distance between two points \[m\]; its derivative does not exist where they coincide.
#[inline(always)]
pub fn distance<D: Scalar>(p: [Num<D>; 3], q: [Num<D>; 3]) -> Num<D> {
    norm(between(p, q))
}

/// From `p` to `q`.
#[inline(always)]
pub(super) fn between<D: Scalar>(p: [Num<D>; 3], q: [Num<D>; 3]) -> [Num<D>; 3] {
    std::array::from_fn(|i| q[i] - p[i])
}

#[inline(always)]
fn scaled<D: Scalar>(a: [Num<D>; 3], s: Num<D>) -> [Num<D>; 3] {
    a.map(|x| x * s)
}
