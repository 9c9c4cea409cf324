//! Paper 003.

mod bushing;
mod mass;
mod reliability;

use crate::report::{Failure, Report};
use mbd::integrate::{Bdf, BdfForm, Step};
use mbd::model::Mechanism;
use mbd::plot::{Axis, Figure, Panel, Series};
use mbd::{Simulation, Solution};

/// Prints the paper's tables and figures beside ours.
pub fn run(report: &mut Report) -> Result<(), Failure> {
    report.text(
        "BDF of order ≤ 2 with DASSL's rules for first step, order, step, error test (ATOL = RTOL = \
         TOL) and Newton's iteration. The paper's runs were made with DASSL itself; its counts depend on \
         every one of those rules. GGL, GGL*, CS and CM are here `bdf-ggl`, `bdf-ggl-star`, \
         `bdf-cs` and `bdf-cm-1996`. The last is what the paper calls CM in section 5.1: P is kept \
         with the Newton matrix and used in the equations as well. `bdf-cm` drops the derivative of \
         P from the matrix and solves the equations of CS; it has a row of its own. Constraints of \
         position and velocity are met to round-off in all our runs, which DASSL did not do. The \
         decoupled Algorithms 2.1 and 3.1 are not used: their fixed point is another one (the \
         documentation of `mbd::integrate::bdf` says which), so every method here solves with the \
         full matrix.",
    );
    mass::run(report)?;
    bushing::run(report)?;
    reliability::run(report)
}

/// How a run is made.
#[derive(Clone, Copy)]
struct Setting {
    form: BdfForm,
    tol: f64,
    /// Velocities in the error test.
    velocities: bool,
    /// Dependent coordinates in the error test.
    dependent: bool,
    /// The independent coordinate, or by pivoting.
    independent: Option<&'static str>,
}

/// Runs; a run that breaks off counts as far as it came, with the error it ended with.
fn solve(mechanism: &impl Mechanism, setting: Setting, t_end: f64) -> Result<Solution, Failure> {
    let mut bdf = Bdf::new(setting.form).test_velocities(setting.velocities);
    if setting.form != BdfForm::Stabilized {
        bdf = bdf.test_dependent(setting.dependent);
        bdf = bdf.independent(setting.independent.iter().map(|name| name.to_string()).collect())?;
    }
    let first = first_step(mechanism, setting.tol, t_end)?;
    let step = Step::local_error(setting.tol).first(first);
    match Simulation::new(mechanism).method(bdf).step(step).until(t_end).run() {
        Ok(solution) => Ok(solution),
        Err(failed) => match failed.partial {
            Some(partial) => Ok(*partial),
            None => Err(failed.error.into()),
        },
    }
}

/// DASSL's first step: a thousandth of the run, or less if the unknowns would change by more than
/// half the tolerance.
fn first_step(mechanism: &impl Mechanism, tol: f64, t_end: f64) -> Result<f64, Failure> {
    let started = Simulation::new(mechanism).start()?;
    let p = &started.point;
    let rates = p.q().iter().zip(p.v()).chain(p.v().iter().zip(p.a()));
    let squares = rates.map(|(y, rate)| (rate / (tol * (1.0 + y.abs()))).powi(2));
    let norm = (squares.sum::<f64>() / (2 * p.q().len()) as f64).sqrt();
    Ok((1e-3 * t_end).min(0.5 / norm))
}

/// Steps, residuals, Newton matrices, failed error tests, failed convergence tests.
type Counts = [usize; 5];

/// How far our numbers of steps are from those of the paper, as a part of these: the most.
fn steps_apart(taken: &[(usize, usize)]) -> f64 {
    let apart = taken.iter().map(|(paper, ours)| (*ours as f64 / *paper as f64 - 1.0).abs());
    apart.fold(0.0, f64::max)
}

const COUNTS: [&str; 5] = ["steps", "residuals", "matrices", "error tests failed", "Newton failed"];

fn counts(solution: &Solution) -> Counts {
    let s = &solution.stats;
    [s.steps, s.residuals, s.jacobians, s.rejected, s.newton_failures]
}

/// `paper → ours`, for each count.
fn beside(paper: Option<Counts>, solution: &Solution) -> Vec<String> {
    let ours = counts(solution);
    let mut cells: Vec<String> = match paper {
        Some(paper) => (0..5).map(|i| format!("{} → **{}**", paper[i], ours[i])).collect(),
        None => ours.iter().map(|c| format!("**{c}**")).collect(),
    };
    if let Some(error) = &solution.error {
        let kind = error.to_string();
        let place = kind.split(" s ").next().unwrap_or(&kind);
        cells[0] = format!("{}, stops {place} s: Newton fails at every step size", cells[0]);
    }
    cells
}

/// Head of a table of counts.
fn head<'a>(first: &[&'a str], last: &[&'a str]) -> Vec<&'a str> {
    first.iter().chain(&COUNTS).chain(last).copied().collect()
}

/// A power of ten as such.
fn ten(value: f64) -> String {
    let digits: String = format!("{:.0}", value.log10())
        .chars()
        .map(|c| match c {
            '-' => '⁻',
            digit => {
                ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize - '0' as usize]
            }
        })
        .collect();
    format!("10{digits}")
}

/// Curves of a column over time, one per run.
fn curves(
    title: &str,
    subtitle: &str,
    panels: &[(&str, Axis)],
    runs: &[(&str, &Solution)],
) -> Result<Figure, Failure> {
    let mut figure = Figure::new(title, Axis::new("t", "s")).subtitle(subtitle).width(760.0);
    for (column, axis) in panels {
        let mut panel = Panel::new(axis.clone());
        for (name, solution) in runs {
            let values = solution.series(column)?;
            let points = solution.times().into_iter().zip(values).map(|(t, y)| [t, y]).collect();
            panel = panel.series(Series::new(*name, "", points));
        }
        figure = figure.panel(panel);
    }
    Ok(figure)
}
