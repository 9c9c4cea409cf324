//! Methods against traces, orders and counts of independent implementations, on hand-built models.

mod adaptive;
mod failures;
mod fixed;
mod models;
mod newton;
mod runs;
