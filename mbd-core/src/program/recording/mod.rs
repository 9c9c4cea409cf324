//! A system's statements written down, and what is asked for made into programs.
//!
//! Statements of few instances share a [`sheet`]; the instances of a loop are told apart by their graphs
//! ([`instances`]). Either is a [`class`]: a graph with its members, whose [`outputs`] are pieces and matrix
//! entries. The whole is the [`Recording`].

mod cached;
mod class;
mod instances;
mod outputs;
#[expect(clippy::module_inception)]
mod recording;
mod sheet;
mod spaces;
mod swept;
mod writes;

pub(crate) use cached::Cached;
pub(crate) use outputs::Placement;
pub(crate) use recording::Recording;
pub(crate) use writes::Writes;
