//! What factorizations turn to where their own pivots fail.

use super::backward::{Refinement, Verdict};
use super::complete::CompleteLu;
use super::entry::{Entry, Matrix};
use super::equilibrate::Scaling;
use super::solver::LinearError;

/// Complete pivoting where other pivots fail; solutions are refined where they must be.
///
/// # Errors
/// [`LinearError::Singular`] for a matrix that is singular to working precision: a pivot is rounding, or
/// solutions have an error that refinement does not mend.
pub(super) fn best_of_all<T: Entry>(
    matrix: Matrix<'_, T>,
    refinement: &mut Refinement<T>,
) -> Result<Box<CompleteLu<T>>, LinearError> {
    let mut complete = Box::new(CompleteLu::default());
    let (mut dependent, mut least) = (0, f64::INFINITY);
    // Three scales: one may show less of a condition that is scale only.
    for scaling in [Scaling::AtOnce, Scaling::InTurn, Scaling::Mean] {
        if let Err(column) = complete.factorize(matrix, refinement.scale(matrix, scaling)) {
            return Err(LinearError::Singular { column, condition: f64::INFINITY });
        }
        let rounding = complete.rounding(matrix);
        let mut solve = |b: &mut [T], transposed: bool| complete.solve(b, transposed);
        if rounding.is_none() && refinement.judge_scaled(matrix, &mut solve) != Verdict::Bad {
            // Solutions are in the scale of these pivots, which need not be that of a right-hand side.
            refinement.keep(&matrix.2[..matrix.1.len()]);
            return Ok(complete);
        }
        let condition = refinement.condition(matrix, &mut solve);
        if condition < least || scaling == Scaling::AtOnce {
            let last = complete.columns.last().map_or(0, |&column| column as usize);
            (dependent, least) = (rounding.unwrap_or(last), condition.min(least));
        }
    }
    Err(LinearError::Singular { column: dependent, condition: least })
}
