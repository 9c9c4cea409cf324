//! The fast path: what statements compute, written down once and evaluated as straight-line code.
//!
//! When a system is made, every statement is written down in a graph (`recording`): its kernel's tape as
//! expressions, and the residual pieces that it adds to. Every matrix term is the derivative of a piece,
//! taken on the graph. What is asked for together, a residual or a Newton matrix, becomes a program of its own
//! (`batch`): interpreted at first (`vm`: few kinds of operations in long runs, over one or eight instances
//! at a time), and machine code from the 32nd evaluation on (`native`). Above a measured size threads share
//! it (`shares`).
//!
//! Instances of a loop whose graphs are equal share one program; statements of few instances are
//! merged into one, so that they share sines, rotation matrices and velocities.
//!
//! A statement that compares values in plain Rust has no single expression, and one written by hand none at
//! all: these are evaluated on dual numbers, as are partials by parameters.

mod batch;
mod compiled;
mod factors;
// Where there is no machine code, nothing of it is used.
#[cfg_attr(not(all(target_arch = "x86_64", feature = "native")), allow(dead_code))]
mod native;
mod recording;
mod shares;
mod sweep;
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
