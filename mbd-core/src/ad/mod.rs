//! The kinds of statements, one file each: what a statement adds to the residual pieces
//! ([`Residual`](crate::equation::Residual)) and to the matrix terms ([`Term`](crate::equation::Term)).
//!
//! Each says it twice. `pieces` states the pieces on expressions, of which programs are made, with their
//! derivatives. `residual` and `matrix` take both on dual numbers, over exactly the scalars an element reads:
//! the second algorithm, and what runs where no program can be made.

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
