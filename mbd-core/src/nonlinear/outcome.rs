//! What came of an iteration.

use crate::linear::LinearError;

/// A converged iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Converged {
    /// Iterations, those before a restart included.
    pub iterations: usize,
    /// Last measured rate, of the slower norm; 0 when there was one iteration only.
    pub rate: f64,
    /// Whether it ended at rounding rather than at the tolerance.
    pub stagnated: bool,
    /// Whether its matrix was evaluated in this solve, not in an earlier one.
    pub own_matrix: bool,
}

/// Why an iteration has not converged. Indices are those of the method's unknowns and equations.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NewtonFailure {
    /// Corrections grow.
    #[error(
        "Newton's iteration diverges: after {iterations} iterations corrections grow by {rate:.1}, unknown {worst} still changes by {correction:.2e}"
    )]
    Diverged {
        /// Iterations.
        iterations: usize,
        /// Last ratio of corrections.
        rate: f64,
        /// Unknown with the largest correction.
        worst: usize,
        /// Its correction.
        correction: f64,
    },
    /// Corrections shrink too slowly.
    #[error(
        "Newton's iteration is too slow: after {iterations} iterations corrections shrink by {rate:.2} only, unknown {worst} still changes by {correction:.2e}"
    )]
    TooSlow {
        /// Iterations.
        iterations: usize,
        /// Last ratio of corrections.
        rate: f64,
        /// Unknown with the largest correction.
        worst: usize,
        /// Its correction.
        correction: f64,
    },
    /// NaN or infinity in the residual. The method's evaluation point is the one where.
    #[error("equation {equation} gives {value} in iteration {iteration}")]
    NotFinite {
        /// The first such equation.
        equation: usize,
        /// What it gives.
        value: f64,
        /// Iteration, from 1; in the first the predicted unknowns are to blame.
        iteration: usize,
    },
    /// The matrix cannot be factorized.
    #[error(transparent)]
    Linear(#[from] LinearError),
}

/// Work done since construction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NewtonStats {
    /// Corrections applied.
    pub iterations: usize,
    /// Residuals evaluated.
    pub residuals: usize,
    /// Matrices evaluated.
    pub matrices: usize,
    /// Factorizations.
    pub factorizations: usize,
    /// Linear solves.
    pub solves: usize,
    /// Restarts from the predicted unknowns with a fresh matrix.
    pub restarts: usize,
    /// Solves that failed.
    pub failures: usize,
}
