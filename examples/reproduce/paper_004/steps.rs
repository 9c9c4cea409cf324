//! Table 5 and the largest steps of section 4.1.

use super::problem::{Guess, Problem, explicit, implicit};
use crate::report::{Failure, Report};
use crate::study::sci;
use mbd::integrate::{Jacobian, Method};

/// Up to this error a run counts as the solution, in rad.
const CORRECT: f64 = 0.1;

/// The largest steps.
pub fn section(report: &mut Report, problems: &[Problem]) -> Result<(), Failure> {
    report.section("Table 5: largest steps");
    report.text(format!(
        "The paper does not say how it judges. Here a step size T/N counts when the run and those \
         of all smaller steps tried reach the end and stay within {CORRECT} rad of the solution; in \
         parentheses the largest step up to which Newton's iteration converges, whatever the \
         solution. FV (40) leaves out what eq. 40 prints, FV (text) only L and N, as section 3.2.2 \
         says. Newton's iteration starts from the predictor of section 3.3, from the library's \
         polynomial or from the last accelerations."
    ));
    let paper = [["0.015", "0.0089"], ["", ""], ["0.0649", "0.0086"], ["0.0018", "0.0001"]];
    let mut rows = Vec::new();
    for (problem, paper) in problems.iter().zip(paper) {
        for (guess, name) in Guess::ALL {
            let mut row = vec![problem.name.to_string()];
            row.extend(paper.map(String::from));
            row.push(name.into());
            for jacobian in
                [Jacobian::Exact, Jacobian::FisetteVaneghem, Jacobian::WithoutAccelerations]
            {
                let (correct, converged) = largest(problem, &implicit(jacobian, guess));
                row.push(format!("{} ({})", show(correct), show(converged)));
            }
            rows.push(row);
        }
    }
    report.table(
        &["problem", "paper IMPL", "paper FV", "predictor", "ours IMPL", "FV (40)", "FV (text)"],
        &rows,
    );
    report.text(
        "The explicit method's largest step, against the paper's 0.00012 for the double pendulum \
         (and 0.02 for its implicit one):",
    );
    let mut rows = Vec::new();
    for problem in problems {
        let (correct, _) = largest_explicit(problem, &explicit());
        rows.push(vec![problem.name.into(), show(correct)]);
    }
    report.table(&["problem", "EXPL, ours, in s"], &rows);
    Ok(())
}

fn show(h: Option<f64>) -> String {
    h.map_or("none".into(), sci)
}

/// The largest correct and the largest converging step of all those tried, from small to large.
fn largest(problem: &Problem, method: &Method) -> (Option<f64>, Option<f64>) {
    let (mut correct, mut converged) = (None, None);
    let (mut still_correct, mut count) = (true, 400);
    while count > 0 {
        let h = problem.t_end / count as f64;
        match problem.run(method, count) {
            None => break,
            Some(run) => {
                still_correct = still_correct && run.sup <= CORRECT;
                converged = Some(h);
                if still_correct {
                    correct = Some(h);
                }
            }
        }
        count -= (count / 30).max(1);
    }
    (correct, converged)
}

/// The largest step of a method whose errors grow without bound above it, by bisection.
fn largest_explicit(problem: &Problem, method: &Method) -> (Option<f64>, usize) {
    let correct = |count: usize| problem.run(method, count).is_some_and(|run| run.sup <= CORRECT);
    let mut enough = 8;
    while !correct(enough) {
        enough *= 2;
        if enough > 1 << 20 {
            return (None, enough);
        }
    }
    let mut few = enough / 2;
    while enough - few > (enough / 200).max(1) {
        let middle = few.midpoint(enough);
        if correct(middle) {
            enough = middle;
        } else {
            few = middle;
        }
    }
    (Some(problem.t_end / enough as f64), enough)
}
