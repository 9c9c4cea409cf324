//! What a factorization is to those who use it, and what can go wrong.

/// A factorization of square matrices of one pattern.
///
/// `values` is what [`Pattern::position`](super::Pattern::position) indexes; entries beyond [`Pattern::value_len`](super::Pattern::value_len) (the bin of
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

    /// Solves by the first block alone, of a solver that takes its system apart into blocks, as the real system of a
    /// collocation method; of every other solver the system itself.
    fn solve_first(&mut self, b: &mut [T]) {
        self.solve(b);
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
