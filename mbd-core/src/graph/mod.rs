//! Statements as expressions: a graph whose equal parts exist once, its derivatives, and the residual
//! pieces of a statement written down on it.

mod act;
mod derivative;
mod energy;
#[expect(clippy::module_inception)]
mod graph;
mod identity;
mod inertia;
mod map;
mod normal;
mod op;
mod part;
mod recorder;
#[cfg(test)]
mod tests;
mod together;
mod writing;

pub(crate) use act::Acting;
pub use energy::Energy;
pub(crate) use graph::{Graph, Mark};
pub(crate) use map::{Map, Mixer};
pub(crate) use op::{Input, Node, Op, Source};
pub(crate) use part::{Hoisted, Read};
pub use recorder::Pieces;
pub(crate) use recorder::Recorder;
