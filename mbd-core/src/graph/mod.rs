//! Statements as expressions: a graph whose equal parts exist once, its derivatives, and the residual
//! pieces of a statement written down on it.

mod energy;
#[expect(clippy::module_inception)]
mod graph;
mod identity;
mod inertia;
mod once;
mod recorder;
mod writing;

pub use energy::Energy;
pub(crate) use graph::{Graph, Hoisted, Input, Map, Mark, Mixer, Node, Op, Read, Source};
pub use recorder::Pieces;
pub(crate) use recorder::Recorder;
