//! Methods against traces, orders and counts of independent implementations, on hand-built models.

mod adaptive;
mod bdf;
mod dae_alpha;
mod dae_alpha_stiff;
mod failures;
mod fixed;
pub(in crate::integrate) mod models;
mod newton;
mod runs;
mod soi2;
mod soi2_models;
mod soi2_orders;
mod state_space;
