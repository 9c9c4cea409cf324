//! Figures 9 to 11: Newton iterations of every step.

use super::problem::{Guess, NEWTON, Problem, implicit};
use crate::claim::Claim;
use crate::reference;
use crate::report::{Failure, Report};
use crate::study::sci;
use mbd::integrate::Jacobian;
use mbd::plot::{Axis, Figure, Panel, Series};

/// Runs of fewer steps are drawn with a marker per step.
const MARKED: usize = 60;

/// A tolerance at which linear convergence costs more.
const TIGHT: f64 = 1e-12;

const JACOBIANS: [(Jacobian, &str); 3] = [
    (Jacobian::Exact, "IMPL"),
    (Jacobian::FisetteVaneghem, "FV (40)"),
    (Jacobian::WithoutAccelerations, "FV (text)"),
];

/// The figures, and the mean counts beside those of an independent implementation.
pub fn section(report: &mut Report, problems: &[Problem]) -> Result<(), Failure> {
    report.section("Figures 9 to 11: iterations");
    report.text(
        "The paper: \"IMPL requires half or less iterations\" than FV, at these step sizes. Mean \
         iterations per step, for two tolerances of Newton's iteration (the figures are for the \
         first); \"independent\" is an implementation that shares no code with this one \
         (tests/references), with the paper's predictor and a tolerance of 10⁻⁸ on its own norm.",
    );
    let figures = [
        ("E1, stiff", 0.0089, "9", None),
        ("E1, mild", 0.0089, "9", None),
        ("E2", 0.0086, "10", Some("M4_sc")),
        ("E3", 0.0001, "11", Some("M4_seven")),
    ];
    // With the paper's predictor: problem and tolerance, mean iterations of IMPL and of the two readings of FV.
    let mut means: Vec<(&str, f64, Vec<f64>)> = Vec::new();
    let mut rows = Vec::new();
    for (name, h, number, recorded) in figures {
        let Some(problem) = problems.iter().find(|p| p.name == name) else { continue };
        let count = (problem.t_end / h * (1.0 - 1e-12)).ceil() as usize;
        let mut drawn = false;
        let all = Guess::ALL.into_iter().map(|(guess, predictor)| (guess, predictor, NEWTON));
        for (guess, predictor, newton) in all.chain([(Guess::Paper, "paper's", TIGHT)]) {
            let mut row = vec![name.to_string(), sci(h), predictor.to_string(), sci(newton)];
            let (mut series, mut mean) = (Vec::new(), Vec::new());
            let mut most = 0;
            for ((jacobian, label), key) in
                JACOBIANS.into_iter().zip(["tol1e-08_exact", "tol1e-08_FV", "tol1e-08_FVtext"])
            {
                let run = problem.run_with(&implicit(jacobian, guess), h, count, newton);
                let Some(run) = run else {
                    row.push("fails".into());
                    continue;
                };
                let theirs = match recorded {
                    Some(problem) if guess == Guess::Paper && newton == NEWTON => {
                        let mean = reference::soi2(&[problem, key, &h.to_string(), "mean"])?;
                        format!(" (independent {:.2})", reference::numbers(&mean)[0])
                    }
                    _ => String::new(),
                };
                row.push(format!("{:.2}{theirs}", run.mean()));
                mean.push(run.mean());
                let points = run.iterations.iter().enumerate();
                let points = points.map(|(i, n)| [(i + 1) as f64 * h, *n as f64]).collect();
                let line = Series::new(label, "", points);
                series.push(if count < MARKED { line.markers() } else { line });
                most = run.iterations.iter().copied().fold(most, usize::max);
            }
            rows.push(row);
            if guess == Guess::Paper && mean.len() == JACOBIANS.len() {
                means.push((name, newton, mean));
            }
            // From the first start with which every iteration converges.
            if !drawn && series.len() == JACOBIANS.len() {
                drawn = true;
                let title = format!("Figure {number}: iterations, {name}, h = {h} s");
                let axis = Axis::new("iterations", "").range(0.0, (most + 1) as f64);
                let panel = series.into_iter().fold(Panel::new(axis), Panel::series);
                let figure = Figure::new(&title, Axis::new("t", "s"))
                    .subtitle(format!("start of the iteration: {predictor}"))
                    .panel(panel)
                    .width(760.0);
                report.figure(&format!("{}_iterations", problem.file), &title, &figure);
            }
        }
    }
    report.table(
        &["problem", "h in s", "predictor", "tolerance", "IMPL", "FV (40)", "FV (text)"],
        &rows,
    );
    let part = |mean: &[f64]| mean[0] / f64::min(mean[1], mean[2]);
    let text: Vec<String> = means
        .iter()
        .map(|(name, newton, mean)| format!("{name} at {}: {:.2}", sci(*newton), part(mean)))
        .collect();
    let claim = Claim::new(
        "Figs 9 to 11",
        "IMPL needs half of FV's iterations or less",
        format!(
            "mean iterations over FV's, by tolerance of Newton's iteration: {}",
            text.join("; ")
        ),
    );
    report.claim(means.iter().fold(claim, |claim, (name, newton, mean)| {
        let what = format!("half or less are needed on {name} at {}", sci(*newton));
        let why =
            "The exact matrix gains digits faster, which shows only where many are asked for.";
        // Said once.
        let why = if *newton == NEWTON && *name == means[0].0 { why } else { "" };
        claim.or(what, part(mean) <= 0.5, why)
    }));
    Ok(())
}
