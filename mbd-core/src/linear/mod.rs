//! Linear algebra behind one small interface: patterns, dense and sparse LU, condition, rank.
//!
//! A method builds a [`Pattern`] once (assembly does it), asks [`solver_for`] for a factorization
//! that suits it, and from then on only hands over value arrays. Nothing allocates after the first
//! factorization unless the pivot order has to change.

mod auto;
mod backward;
mod complete;
mod condition;
mod dense;
mod entry;
mod equilibrate;
mod order;
mod pattern;
mod pivoting;
mod rank;
mod sparse;

pub use auto::AutoLu;
pub use condition::{condition_1, condition_equilibrated, inverse_norm_1};
pub use dense::DenseLu;
pub use entry::Entry;
pub use pattern::{Pattern, Patterns};
pub use rank::{RankReport, RedundantRow, RowSet, redundant_rows};
pub use sparse::{Counts, SparseLu};

/// A factorization of square matrices of one pattern.
///
/// `values` is what [`Pattern::position`] indexes; entries beyond [`Pattern::value_len`] (the bin of
/// assembly) are ignored.
pub trait LinearSolver<T = f64>: std::fmt::Debug + Send {
    /// Number of rows.
    fn size(&self) -> usize;

    /// Factorizes.
    ///
    /// # Errors
    /// [`LinearError::Singular`] with the column whose pivot vanishes, [`LinearError::NotFinite`]
    /// with the first entry that is NaN or infinite. No factorization is held afterwards.
    fn factorize(&mut self, values: &[T]) -> Result<(), LinearError>;

    /// Solves A x = b in place. Without a factorization the result is NaN.
    fn solve(&mut self, b: &mut [T]);

    /// Solves Aᵀ x = b in place. Without a factorization the result is NaN.
    fn solve_transpose(&mut self, b: &mut [T]);
}

/// The factorization that suits a pattern.
pub fn solver_for<T: Entry>(pattern: &Pattern) -> Box<dyn LinearSolver<T>> {
    if pattern.is_dense() {
        Box::new(DenseLu::new(pattern.size()))
    } else {
        Box::new(AutoLu::new(pattern))
    }
}

/// What can go wrong in a factorization. Indices are those of the matrix; callers name them.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LinearError {
    /// A column depends on the others, to working precision.
    #[error(
        "the matrix is singular to working precision (condition {condition:.0e}): unknown {column} is not \
         determined by the equations"
    )]
    Singular {
        /// A column that the others determine.
        column: usize,
        /// Estimate of ‖|A⁻¹| |A|‖ after columns are brought to like sizes, which does not depend on the
        /// scale of rows (Skeel 1979); infinite where nothing is left of the column.
        condition: f64,
    },
    /// NaN or infinity in the matrix.
    #[error("the matrix has {value} in equation {row}, unknown {column}")]
    NotFinite {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// The entry.
        value: f64,
    },
    /// A value array shorter than the pattern.
    #[error("{len} values for a pattern of {expected} entries")]
    WrongLength {
        /// Values given.
        len: usize,
        /// Entries of the pattern.
        expected: usize,
    },
    /// No memory for the factors.
    #[error("no memory for the factors of a matrix with {size} rows and {entries} entries")]
    OutOfMemory {
        /// Rows.
        size: usize,
        /// Entries.
        entries: usize,
    },
}

/// 2⁻ᵉ with e the binary exponent of `x`; 1 for zero and for what is not finite.
fn power_of_two_reciprocal(x: f64) -> f64 {
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i64;
    if exponent == 0 || exponent == 0x7ff || !(1..2046).contains(&(2046 - exponent)) {
        1.0
    } else {
        f64::from_bits(((2046 - exponent) as u64) << 52)
    }
}

/// Whether every value is finite, without a branch per value.
pub(crate) fn all_finite<T: Entry>(values: &[T]) -> bool {
    let mut sums = [0.0; 4];
    let chunks = values.chunks_exact(4);
    let rest: f64 = chunks.remainder().iter().map(|v| v.size() * 0.0).sum();
    for chunk in chunks {
        for (s, v) in sums.iter_mut().zip(chunk) {
            *s += v.size() * 0.0;
        }
    }
    sums.iter().sum::<f64>() + rest == 0.0
}

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod hard;
#[cfg(test)]
mod tests;
