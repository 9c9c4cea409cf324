//! Seed 000.

use crate::report::{Failure, Report};

/// Prints the paper's tables and figures beside ours.
pub fn run(report: &mut Report) -> Result<(), Failure> {
    report.section("Nothing yet");
    Ok(())
}
