//! The derivative engine: element-wise, on dual numbers over exactly the scalars an element reads.
//!
//! Each file holds one kind of statement: what it contributes to the residual pieces
//! ([`Residual`](crate::equation::Residual)) and to the matrix terms
//! ([`Term`](crate::equation::Term)), and which derivative passes that takes.

mod along;
mod constraint;
mod contact;
mod equation;
mod force;
mod gradient;
mod kinetic;
mod mass;
mod output;
mod stated;
mod surface;

pub use crate::statement::{Instances, Kernel, Stated, evaluate, evaluate_rows};

pub(crate) use along::ForceAlong;
pub use constraint::Reaction;
pub(crate) use constraint::{Holonomic, Nonholonomic};
pub(crate) use equation::{Equation, EquationKind};
pub(crate) use force::Force;
pub(crate) use gradient::{Gradient, GradientKind};
pub(crate) use kinetic::Kinetic;
pub(crate) use mass::MassEntry;
pub use output::OutputGroup;
pub(crate) use output::{OutputElement, few};

#[cfg(test)]
mod tests;
