//! Paper 001.

mod drift;
mod family;
mod orders;

use crate::report::{Failure, Report};

/// Prints the paper's tables and figures beside ours.
pub fn run(report: &mut Report) -> Result<(), Failure> {
    report.text(
        "Newton's iteration goes on to round-off in every run. Steps that alternate are h/3 and \
         2h/3, as in the paper; ρ∞ = 0.2 unless another is named. Errors are Euclidean norms. \
         \"Independent\" is an implementation of the paper that shares no code with this one \
         (tests/references).",
    );
    orders::run(report)?;
    family::run(report)?;
    drift::run(report)
}
