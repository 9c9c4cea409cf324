//! Components: frames, joints and force laws as generic functions over scalars.
//!
//! A component is an ordinary function of scalars; a model calls it in an expression and the
//! derivative engine differentiates through it. Users write their own the same way, or with
//! `#[differentiable]`.

mod planar;

pub use planar::{PlanarFrame, distance, ground, prismatic, revolute, weld};
