//! The derivative engine: element-wise, on dual numbers over exactly the scalars an element reads.
//!
//! Each file holds one kind of statement: what it contributes to the residual pieces
//! ([`Residual`](crate::assembly::Residual)) and to the matrix terms
//! ([`Term`](crate::assembly::Term)), and which derivative passes that takes.

mod along;
mod constraint;
mod element;
mod equation;
mod event;
mod force;
mod gradient;
mod kinetic;
mod mass;
mod output;
mod surface;

pub use element::{Instances, Kernel, evaluate, evaluate_rows};

pub(crate) use along::ForceAlong;
pub use constraint::Reaction;
pub(crate) use constraint::{Holonomic, Nonholonomic};
pub(crate) use element::Element;
pub(crate) use equation::{Equation, EquationKind};
pub use event::Stated;
pub(crate) use event::{Action, Direction, Law, Settable};
pub(crate) use force::Force;
pub(crate) use gradient::{Gradient, GradientKind};
pub(crate) use kinetic::Kinetic;
pub(crate) use mass::MassEntry;
pub use output::OutputGroup;
pub(crate) use output::{OutputElement, few};

#[cfg(test)]
mod tests;
