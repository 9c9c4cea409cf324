//! The element: one statement's kernel with the scalars each of its instances reads.

mod asked;
mod binding;
mod duals;
#[expect(clippy::module_inception)]
mod element;
mod graph;
mod held;
mod instances;
mod kernel;
mod told;

pub(crate) use duals::{NO_PARAM, Rows, cross, still, unit, zeros};
pub(crate) use element::{Element, NO_SIDE};
pub(crate) use held::HELD;
pub use instances::Instances;
pub(crate) use kernel::Body;
pub use kernel::{Kernel, evaluate, evaluate_rows};
pub(crate) use told::{Frame, Parts, TOLD, Teller, Told};
