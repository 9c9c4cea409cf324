//! Any error of this library.

use super::input::InputError;
use super::option::OptionError;
use super::output::OutputError;
use super::step::StepError;
use crate::linear::LinearError;
use crate::start::StartError;
use crate::statement::ModelError;

/// Any error of this library.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model or its parameters.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// An option out of range.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// A signal that an input cannot be fed with.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Assembly and consistent initial values.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A step.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A certified run that does not reach its tolerance.
    #[error(transparent)]
    Accuracy(#[from] AccuracyError),
    /// Linear algebra.
    #[error(transparent)]
    Linear(#[from] LinearError),
    /// Reading or writing results.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// A result less exact than it was to be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AccuracyError {
    /// No run of a certified one had an estimated error below the tolerance.
    #[error(
        "an error of {tolerance:e} is not reached: {why}. {}", best(*.runs, *.reached, .method)
    )]
    NotReached {
        /// The tolerance.
        tolerance: f64,
        /// The smallest estimate, of q, v and x relative to their scales.
        reached: f64,
        /// Runs taken.
        runs: usize,
        /// The name of the method.
        method: &'static str,
        /// Why there was no other.
        why: String,
    },
}

/// What the best of some runs came to, and what may do better.
fn best(runs: usize, reached: f64, method: &str) -> String {
    if !reached.is_finite() {
        return "No run has an estimate of its end. One that ends before what ends the estimate can be certified \
                (`--t-end`); of what follows, runs at smaller tolerances tell by how much they differ (`compare`)"
            .into();
    }
    let plural = if runs == 1 { "" } else { "s" };
    let others = match method {
        "radau5" => "a shorter run or a looser tolerance",
        _ => "a shorter run, a looser tolerance or `radau5`",
    };
    format!(
        "The best of {runs} run{plural} has an estimated error of {reached:.1e}; {others} may do"
    )
}
