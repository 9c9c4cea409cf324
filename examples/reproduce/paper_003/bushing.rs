//! Section 5.2: two bodies with a stiff bushing. Tables 5.3 and 5.4, Figure 5.6.

use super::{Counts, Setting, beside, head, solve, ten};
use crate::models::TwoBodyBushing;
use crate::reference::{numbers, stiff};
use crate::report::{Failure, Report};
use crate::study::sci;
use mbd::integrate::BdfForm;
use mbd::integrate::BdfForm::{CoordinateSplit, Modified, Stabilized, StabilizedStar, Stale};
use mbd::plot::{Axis, Figure, Panel, Series};

const TABLE_3: [(BdfForm, f64, Counts); 12] = [
    (Stabilized, 1e-3, [59, 141, 46, 0, 12]),
    (StabilizedStar, 1e-3, [62, 154, 48, 0, 13]),
    (CoordinateSplit, 1e-3, [62, 156, 48, 0, 13]),
    (Modified, 1e-3, [62, 156, 48, 0, 13]),
    (Stabilized, 1e-4, [61, 136, 27, 1, 5]),
    (StabilizedStar, 1e-4, [77, 193, 65, 1, 16]),
    (CoordinateSplit, 1e-4, [77, 193, 65, 1, 16]),
    (Modified, 1e-4, [77, 193, 65, 1, 16]),
    (Stabilized, 1e-5, [108, 259, 77, 1, 21]),
    (StabilizedStar, 1e-5, [87, 215, 54, 0, 13]),
    (CoordinateSplit, 1e-5, [87, 215, 54, 0, 13]),
    (Modified, 1e-5, [87, 215, 54, 0, 13]),
];

const TABLE_4: [(BdfForm, Counts); 4] = [
    (Stabilized, [5267, 10536, 7899, 0, 2633]),
    (StabilizedStar, [2251, 4900, 3360, 1, 1120]),
    (CoordinateSplit, [2252, 4901, 3361, 1, 1120]),
    (Modified, [20, 40, 7, 0, 0]),
];

/// Error test on Xᵀq, on q for GGL, unless velocities are said to take part.
fn setting(form: BdfForm, tol: f64, independent: &'static str) -> Setting {
    let independent = Some(independent);
    Setting { form, tol, velocities: false, dependent: form == Stabilized, independent }
}

pub fn run(report: &mut Report) -> Result<(), Failure> {
    report.section("Tables 5.3 and 5.4: the two-body pendulum with a bushing");
    report.text(
        "Masses, inertias, gravity and T are not given; here 1, 1, 0 and 1 s. The start is the \
         published one, moved onto the constraints (it misses them by 7·10⁻⁵). X = {x2} unless \
         another is named, the coordinate across the bushing's motion: with it the paper's numbers \
         come about. The error test is on Xᵀq (on q in GGL).",
    );
    let mut rows = Vec::new();
    for (form, tol, paper) in TABLE_3 {
        let model = TwoBodyBushing { eps: 1e-3, ..Default::default() };
        let solution = solve(&model, setting(form, tol, "x2"), 1.0)?;
        let mut row = vec![form.name().to_string(), ten(tol)];
        row.extend(beside(Some(paper), &solution));
        rows.push(row);
    }
    report.text("Table 5.3, ε = 10⁻³:");
    report.table(&head(&["method", "TOL"], &[]), &rows);

    let model = TwoBodyBushing { eps: 1e-6, ..Default::default() };
    let published = TABLE_4.into_iter().map(|(form, paper)| (form, Some(paper)));
    let mut rows = Vec::new();
    for (form, paper) in published.chain([(Stale, None)]) {
        let solution = solve(&model, setting(form, 1e-4, "x2"), 1.0)?;
        let mut row = vec![form.name().to_string()];
        row.extend(beside(paper, &solution));
        rows.push(row);
    }
    report.text("Table 5.4, ε = 10⁻⁶, TOL = 10⁻⁴:");
    report.table(&head(&["method"], &[]), &rows);
    report.text(
        "GGL*, CS and CM come out as published, to 13 % in steps and ten steps; here dropping the \
         derivative of P is what does it (`bdf-cm`). GGL does not: the paper's fails to converge in \
         every second step, ours never. Neither does Table 5.3: with our parameters CM gains at \
         ε = 10⁻³ already, where the paper has four rows alike.",
    );

    report.text(
        "What the counts depend on, ε = 10⁻⁶, TOL = 10⁻⁴. The last column is the largest error of \
         y2 at t = 5 and 50 ms against a reference (amplitude 0.015 m), by runs to these times.",
    );
    let reference = stiff(&["P6_eps=1e-06_T=0.05"])?;
    let (times, y2) = (numbers(&reference["t"]), numbers(&reference["y2"]));
    let mut rows = Vec::new();
    for independent in ["x2", "y2"] {
        for velocities in [false, true] {
            for form in [Stabilized, StabilizedStar, CoordinateSplit, Modified, Stale] {
                let setting = Setting { velocities, ..setting(form, 1e-4, independent) };
                let mut worst: f64 = 0.0;
                for (t, y2) in times.iter().zip(&y2) {
                    worst = worst.max((solve(&model, setting, *t)?.final_q()[4] - y2).abs());
                }
                let solution = solve(&model, setting, 1.0)?;
                let what = match (velocities, form) {
                    (false, Stabilized) => "q".into(),
                    (true, Stabilized) => "q, v".into(),
                    (false, _) => independent.into(),
                    (true, _) => format!("{independent}, its rate"),
                };
                let mut row = vec![form.name().to_string(), format!("{{{independent}}}"), what];
                row.extend(beside(None, &solution));
                row.push(sci(worst));
                rows.push(row);
            }
        }
    }
    report.table(&head(&["method", "X", "error test on"], &["error of y2 in m"]), &rows);
    report.text(
        "CM pays where the error test does not see the oscillation: with X = {x2}, whose changes \
         are of second order in it. GY is 2 y2 then, and singular where the oscillation passes \
         through 0: GGL*, whose multipliers are begun at (GY)⁻ᵀYᵀr, can stop there. With X = {y2}, which pivoting chooses, and its velocity in the \
         test every method follows the oscillation, and CM does not differ from CS.",
    );

    let model = TwoBodyBushing { eps: 1e-5, ..Default::default() };
    let mut panel = Panel::new(Axis::new("h", "s").log());
    for (name, form) in
        [("GGL", Stabilized), ("GGL*", StabilizedStar), ("CS", CoordinateSplit), ("CM", Modified)]
    {
        let solution = solve(&model, setting(form, 1e-4, "x2"), 1.0)?;
        let points = solution.steps.iter().map(|s| [s.t, s.h]).collect();
        panel = panel.series(Series::new(name, "", points));
    }
    let figure = Figure::new("Step sizes with the bushing", Axis::new("t", "s"))
        .subtitle("ε = 10⁻⁵, TOL = 10⁻⁴, X = {x2}")
        .panel(panel)
        .width(760.0);
    let shows = "Figure 5.6: CM (here bdf-cm) takes the largest steps";
    report.figure("fig6_steps", shows, &figure)
}
