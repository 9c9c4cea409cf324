//! Paper 000.

mod bushing;
mod orders;
mod pendulum;
mod published;
mod slider_crank;

use crate::report::{Failure, Report};

/// Prints the paper's tables and figures beside ours.
pub fn run(report: &mut Report) -> Result<(), Failure> {
    report.text(
        "(3.3) is `dae-alpha`, CS and CM are `dae-alpha-cs` and `dae-alpha-cm`, (2.5) is \
         `projected-ode`. Newton's iteration goes on to round-off unless a tolerance is named. \
         \"Independent\" is an implementation in minimal coordinates that shares no code with this \
         one (tests/references).",
    );
    orders::run(report)?;
    pendulum::run(report)?;
    bushing::run(report)?;
    slider_crank::run(report)?;
    published::run(report)
}
