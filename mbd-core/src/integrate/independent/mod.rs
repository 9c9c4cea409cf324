//! Dependent and independent coordinates: how they are chosen, and how the first follow from the others.

mod elimination;
pub(in crate::integrate) mod manifold;
pub mod partition;
