//! The methods of the α-family: HHT and generalized-α, on every form of the equations.

pub mod coordinate_split;
mod dae;
pub mod dae_alpha;
pub(in crate::integrate) mod dae_form;
pub(in crate::integrate) mod family;
pub mod hht_i3;
pub(in crate::integrate) mod history;
pub mod projected_ode;
pub mod soi2;
