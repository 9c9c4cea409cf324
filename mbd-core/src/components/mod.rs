//! Components: frames, joints and force laws as generic functions over scalars.
//!
//! A component is an ordinary function of scalars; a model calls it in an expression and the
//! derivative engine differentiates through it. Users write their own the same way, or with
//! `#[differentiable]`.
//!
//! | module | what |
//! |---|---|
//! | [`planar`] | frames of three coordinates, planar joints, bushings; re-exported here |
//! | [`spatial`] | frames of seven coordinates (Euler parameters), spatial joints, bushings |
//! | [`force`] | what a spring, damper, bushing or contact answers to a length and its rate |
//! | [`solid`] | mass and inertia of shapes with a density, and of what is put together from them |
//! | [`curve`] | splines through points, for cams and tracks |
//! | [`draw`] | what `draw` statements are made of |
//! | [`beam`] | integrals over a Hermite beam element, for flexible bodies in a floating frame |
//!
//! Most are not inlined: they run once for an instance of a statement, on [`Trace`](crate::scalar::Trace), and what
//! is inlined into a kernel is compiled with every statement of every model.
//!
//! A joint returns the left sides of its constraint rows; a force law returns the force *along*
//! the quantity it is a function of, positive when it drives that quantity up:
//!
//! ```text
//! holonomic hinge[5]: spatial::revolute(a.frame, b.frame);
//! force strut along s = force::spring_damper(s, der(s), k, c, s0);
//! ```

use crate::scalar::{Mark, Num, Scalar, note};

pub mod beam;
#[doc(hidden)]
pub mod by_name;
pub mod curve;
pub mod draw;
pub mod force;
pub mod planar;
pub mod solid;
pub mod spatial;

pub use planar::{
    PlanarFrame, distance, ground, offset, point_on_line, prismatic, revolute, rod, weld,
};
pub use spatial::SpatialFrame;

#[cfg(test)]
mod tests;

/// The acceleration of gravity, as the weight of a body reads it: pictures learn from it what is up.
#[doc(hidden)]
#[inline(never)]
pub fn gravity<D: Scalar, const N: usize>(g: [Num<D>; N]) -> [Num<D>; N] {
    note(Mark::Gravity, &[g]);
    g
}
