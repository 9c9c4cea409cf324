//! The fast path: what statements compute, written down once and evaluated as straight-line code.
//!
//! When a system is made, every statement's kernel runs once on [`Trace`](crate::scalar::Trace)
//! numbers, which write its expression down in a [`Graph`](graph::Graph); the statement adds the residual pieces
//! it contributes to ([`Pieces`]). Every matrix term is the derivative of a piece
//! ([`Term::differentiated`]), taken on the graph, where equal parts exist once and zeros never
//! come into being. What is asked for together (a residual, a Newton matrix) becomes a
//! [`Program`](vm::Program): few kinds of operations in long runs, over one or eight instances at a
//! time.
//!
//! Instances of a loop whose graphs are equal share one program; statements of few instances are
//! merged into one, so that they share sines, rotation matrices and velocities.
//!
//! A statement that looks at values (`if`, `min`, `abs`) has no single expression, and one written
//! by hand none at all: these are evaluated on dual numbers, as are parameter partials.

mod batch;
mod compiled;
mod factors;
// Where there is no machine code, nothing of it is used.
#[cfg_attr(not(all(target_arch = "x86_64", feature = "native")), allow(dead_code))]
mod native;
mod recording;
mod shares;
mod trig;
mod vm;

#[cfg(test)]
mod size_tests;
#[cfg(test)]
mod tests;

pub(crate) use batch::{NOWHERE, PATIENCE};
pub(crate) use compiled::Compiled;
pub(crate) use factors::Factors;
pub(crate) use recording::{Cached, Placement, Recording, Writes};
