//! Linear algebra behind one small interface: patterns, dense and sparse LU, condition, rank.
//!
//! A method builds a [`Pattern`] once (assembly does it), asks [`solver_for`] for a factorization
//! that suits it, and from then on only hands over value arrays. Nothing allocates after the first
//! factorization unless the pivot order has to change.

mod auto;
mod backward;
mod best;
mod complete;
mod condition;
mod dense;
mod entry;
mod equilibrate;
mod order;
mod pattern;
mod pivoting;
mod rank;
mod solver;
mod sparse;
mod structure;

pub use auto::{AutoLu, solver_for};
pub(crate) use auto::{solver_of_corrections, solver_of_few_digits};
pub use condition::{condition_1, condition_equilibrated, inverse_norm_1};
pub use dense::DenseLu;
pub use entry::Entry;
pub(crate) use entry::all_finite;
pub use pattern::{Pattern, Patterns};
pub use rank::{RankReport, RedundantRow, RowSet, redundant_rows};
pub use solver::{LinearError, LinearSolver};
pub use sparse::{Counts, SparseLu};

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod hard;
#[cfg(test)]
mod tests;
