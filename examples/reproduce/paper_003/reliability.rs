//! What the paper does not show: orders, and what the old P of CM (1996) does to a smooth motion.

use super::{Setting, solve};
use crate::models::Pendulum;
use crate::report::{Failure, Report};
use crate::study::{distance, sci};
use mbd::Simulation;
use mbd::integrate::BdfForm::{CoordinateSplit, Modified, Stabilized, Stale};
use mbd::integrate::{Bdf, BdfForm, Step};

/// The pendulum of unit length and mass from the horizontal, at t = 10 s.
const END: [f64; 2] = [-0.2750874625766221, -0.9614192050989805];

/// Its period in s.
const PERIOD: f64 = 2.3678419475762373;

pub fn run(report: &mut Report) -> Result<(), Failure> {
    report.section("Consistency and order, on a pendulum");
    report.text(
        "A pendulum from the horizontal, 10 s; error of (x, y) at the end in m, adaptive with \
         ε = TOL on q and v.",
    );
    let mut rows = Vec::new();
    for tol in [1e-3, 1e-4, 1e-5, 1e-6] {
        let mut row = vec![super::ten(tol)];
        for form in [Stabilized, CoordinateSplit, Modified, Stale] {
            let setting =
                Setting { form, tol, velocities: true, dependent: false, independent: None };
            let solution = solve(&Pendulum::default(), setting, 10.0)?;
            let error = distance(solution.final_q(), &END);
            row.push(format!("{} in {} steps", sci(error), solution.stats.steps));
        }
        rows.push(row);
    }
    let head = ["TOL", "bdf-ggl", "bdf-cs", "bdf-cm", "bdf-cm-1996"];
    report.table(&head, &rows);
    report.text(
        "`bdf-cm-1996` converges to another motion than the others, however small TOL. The orders \
         of the formulas, by the position at a quarter of the period T, where the pendulum is lowest; \
         prescribed steps T/4 ((i/N)³ − ((i−1)/N)³), which begin small enough for the low orders of \
         the first ones; Newton to round-off:",
    );
    let counts = [200, 400, 800];
    let mut rows = Vec::new();
    for form in [Stabilized, CoordinateSplit] {
        for order in 1..=5 {
            let errors: Result<Vec<f64>, Failure> =
                counts.iter().map(|&count| graded_error(form, order, count)).collect();
            let errors = errors?;
            let measured = (errors[1] / errors[2]).log2();
            let mut row = vec![form.name().to_string(), order.to_string()];
            row.extend(errors.iter().map(|e| sci(*e)));
            row.push(format!("**{measured:.2}**"));
            rows.push(row);
        }
    }
    let head = ["method", "highest order", "N = 200", "N = 400", "N = 800", "order, measured"];
    report.table(&head, &rows);
    Ok(())
}

fn graded_error(form: BdfForm, order: usize, count: usize) -> Result<f64, Failure> {
    let t_end = PERIOD / 4.0;
    let at = |i: usize| t_end * (i as f64 / count as f64).powi(3);
    let step = Step::sequence((0..count).map(|i| at(i + 1) - at(i)).collect::<Vec<_>>());
    let bdf = Bdf::new(form).order(order)?;
    let solution =
        Simulation::new(&Pendulum::default()).method(bdf).step(step).until(t_end).run()?;
    Ok(distance(solution.final_q(), &[0.0, -1.0]))
}
