//! Table 5 and the largest steps of section 4.1.

use super::problem::{Guess, Problem, explicit, implicit};
use crate::claim::Claim;
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
    // With the paper's predictor: per problem and matrix, what solves and what converges.
    let mut of_paper: Vec<[(f64, f64); 3]> = Vec::new();
    for (problem, paper) in problems.iter().zip(paper) {
        for (guess, name) in Guess::ALL {
            let mut row = vec![problem.name.to_string()];
            row.extend(paper.map(String::from));
            row.push(name.into());
            let mut found = [(0.0, 0.0); 3];
            for (found, jacobian) in found.iter_mut().zip([
                Jacobian::Exact,
                Jacobian::FisetteVaneghem,
                Jacobian::WithoutAccelerations,
            ]) {
                let (correct, converged) = largest(problem, &implicit(jacobian, guess));
                *found = (correct.unwrap_or(0.0), converged.unwrap_or(0.0));
                row.push(format!("{} ({})", show(correct), show(converged)));
            }
            rows.push(row);
            if guess == Guess::Paper {
                of_paper.push(found);
            }
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
    let (mut rows, mut of_explicit) = (Vec::new(), Vec::new());
    for problem in problems {
        let (correct, _) = largest_explicit(problem, &explicit());
        of_explicit.push(correct.unwrap_or(0.0));
        rows.push(vec![problem.name.into(), show(correct)]);
    }
    report.table(&["problem", "EXPL, ours, in s"], &rows);
    claims(report, &of_paper, &of_explicit);
    Ok(())
}

/// What the paper says of largest steps, held against ours: per problem (E1 stiff, E1 mild, E2, E3) those that solve and
/// those that converge with each matrix, and those of the explicit method.
fn claims(report: &mut Report, implicit: &[[(f64, f64); 3]], explicit: &[f64]) {
    let [e1, _, e2, e3] = implicit else { return };
    let lost = "Stiffness and damping of E1 and E2 are lost in print; ours are not the paper's.";
    report.claim(
        Claim::new(
            "Table 5",
            "IMPL solves with steps of 0.015, 0.0649 and 0.0018 s (E1, E2, E3)",
            format!("{}, {} and {} s", sci(e1[0].0), sci(e2[0].0), sci(e3[0].0)),
        )
        .or("E1 is solved with as large a step", e1[0].0 >= 0.015, lost)
        .or("E2 is solved with as large a step", e2[0].0 >= 0.0649, lost)
        .check("E3, whose data is printed, is", e3[0].0 >= 0.0018),
    );
    // Up to which Newton's iteration converges, over the better of the two readings of FV.
    let gain = |of: &[(f64, f64); 3]| of[0].1 / f64::max(of[1].1, of[2].1);
    let eq40 = |of: &[(f64, f64); 3]| of[0].1 / of[1].1;
    report.claim(
        Claim::new(
            "Table 5",
            "IMPL converges at steps 1.7, 7.5 and 18 times as large as FV (E1, E2, E3)",
            format!(
                "{:.2}, {:.2} and {:.2} times as FV by eq. 40, {:.2}, {:.2} and {:.2} times as the better reading of FV",
                eq40(e1),
                eq40(e2),
                eq40(e3),
                gain(e1),
                gain(e2),
                gain(e3)
            ),
        )
        .or("IMPL converges at larger steps than FV by eq. 40 on E1", eq40(e1) > 1.0, lost)
        .or("it does so on E2", eq40(e2) > 1.0, lost)
        .check("it does so on E3", eq40(e3) > 1.0)
        .or(
            "it converges at larger steps than FV as its text has it on E3",
            gain(e3) > 1.0,
            "Leaving out what FV's text says, and not what its eq. 40 prints, costs no convergence on E3.",
        ),
    );
    let stiff = [e1[0].0 / explicit[0], e3[0].0 / explicit[3]];
    report.claim(
        Claim::new(
            "Section 4.1",
            "on the stiff double pendulum IMPL solves with steps 167 times as large as EXPL (0.02 and 0.00012 s)",
            format!("{:.0} times as large ({} and {} s); {:.0} times on E3", stiff[0], sci(e1[0].0), sci(explicit[0]), stiff[1]),
        )
        .check("they are ten times as large or more on E1 and on E3", stiff.iter().all(|r| *r >= 10.0))
        .or(
            "they are 100 times as large on E1",
            stiff[0] >= 100.0,
            "The damping of E1 was chosen so that the explicit method's bound is the printed one; its stiffness is lost.",
        ),
    );
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
