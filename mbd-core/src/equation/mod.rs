//! The words of the equations: where every scalar of a model lives ([`Layout`]), the residual pieces
//! ([`Want`], [`Residual`]) and the derivatives of these that Newton matrices are composed of ([`Term`]).

mod layout;
mod terms;

pub use layout::{Dims, Layout, Point, SlotKind};
pub use terms::{Residual, Term, Want, Weights};
