//! What takes the rows of a run while it goes.

use super::run::Solution;
use crate::assembly::Point;
use crate::error::OutputError;
use crate::state::State;

/// Takes the rows of a run while it goes
/// ([`Simulation::stream`](crate::simulation::Simulation::stream)).
///
/// A function of a row will do where nobody has to know the columns:
///
/// ```
/// use mbd_core::solution::{OutputError, RowSink};
/// let mut times = Vec::new();
/// let mut sink = |row: &[f64]| -> Result<(), OutputError> {
///     times.push(row[0]);
///     Ok(())
/// };
/// let sink: &mut dyn RowSink = &mut sink;
/// ```
pub trait RowSink {
    /// Called once before the first row, with the columns of the run to come: its model, method,
    /// names and units, and nothing recorded.
    ///
    /// # Errors
    /// An error ends the run.
    fn begin(&mut self, run: &Solution) -> Result<(), OutputError> {
        let _ = run;
        Ok(())
    }

    /// The point of the model that the next row, or point of a curve, is of, with what rows leave out: what inputs are, on
    /// which sides comparisons are held, what friction at rest carries.
    fn point(&mut self, point: &Point) {
        let _ = point;
    }

    /// A recorded point: a value per column.
    ///
    /// # Errors
    /// An error ends the run; it is the run's.
    fn row(&mut self, row: &[f64]) -> Result<(), OutputError>;

    /// How many points within the next step it wants besides, evenly spaced, to draw curves through:
    /// none by default. With rows at intervals it gets the ends of the steps as well.
    fn curve_points(&self) -> usize {
        0
    }

    /// One of these points: a value per column. They come in the order of time, with the rows.
    ///
    /// # Errors
    /// An error ends the run.
    fn curve(&mut self, row: &[f64]) -> Result<(), OutputError> {
        let _ = row;
        Ok(())
    }

    /// Saves or restores what it keeps of the rows so far, for a run with checkpoints
    /// ([`checkpoint`](crate::checkpoint)); nothing unless it says otherwise. A resumed run restores
    /// its sink before any row and in place of [`begin`](Self::begin).
    ///
    /// # Errors
    /// An error ends the run.
    fn state(&mut self, state: &mut State<'_>) -> Result<(), OutputError> {
        let _ = state;
        Ok(())
    }
}

impl<F: FnMut(&[f64]) -> Result<(), OutputError>> RowSink for F {
    fn row(&mut self, row: &[f64]) -> Result<(), OutputError> {
        self(row)
    }
}
