//! Paper 004.

mod errors;
mod iterations;
mod problem;
mod steps;

use crate::report::{Failure, Report};
use problem::Problem;

/// Prints the paper's tables and figures beside ours.
pub fn run(report: &mut Report) -> Result<(), Failure> {
    report.text(
        "The paper's three problems, in its coordinates. Most values of its Tables 1 and 3 are lost \
         in print (stiffness and damping among them), and the tables of errors and times it \
         describes in section 4.1 are not printed at all: where no number stands under \"paper\", \
         there is none. The data used here:",
    );
    report.table(
        &["problem", "coordinates, constraints", "springs and dampers", "source"],
        &[
            row([
                "E1, stiff",
                "6, 4",
                "k1 = 400, c1 = 15, k2 = 3·10⁵, c2 = 7500",
                "k as recalled; c2 such that the explicit method's stability bound is the paper's \
                 largest explicit step, 0.00012 s",
            ]),
            row(["E1, mild", "6, 4", "k1 = 400, c1 = 15, k2 = 3000, c2 = 50", "ours"]),
            row(["E2", "6, 5", "k = 10⁵, c = 1000, free at 0.8 m", "ours"]),
            row(["E3", "21, 20", "k = 30 000, c = 100 000", "the paper"]),
        ],
    );
    report.text(
        "E1 is the double pendulum (angle of the first bar), E2 the slider-crank (crank angle), E3 \
         the seven-body mechanism (angle β of the first body). The reference solutions are runs of \
         `explicit-rk` with tolerance 10⁻¹¹; the paper's are runs of a Runge–Kutta method of order \
         4 with very small steps. IMPL is `state-space` with the trapezoidal rule, a fresh matrix \
         in every iteration and the paper's predictor; EXPL is `explicit-abm`. Newton's iteration \
         goes on until what is left is a thousandth of an estimated error of 10⁻⁸ in the \
         coordinates (the paper does not give its criterion), with at most 12 iterations.",
    );
    let problems = Problem::all()?;
    for problem in &problems {
        errors::section(report, problem)?;
    }
    steps::section(report, &problems)?;
    iterations::section(report, &problems)
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(String::from).to_vec()
}
