//! Section 5.2: two bodies with a stiff bushing. Tables 5.3 and 5.4, Figure 5.6.

use super::{Counts, Setting, beside, counts, head, solve, steps_apart, ten};
use crate::claim::Claim;
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
    let (mut rows, mut taken) = (Vec::new(), Vec::new());
    for (form, tol, paper) in TABLE_3 {
        let model = TwoBodyBushing { eps: 1e-3, ..Default::default() };
        let solution = solve(&model, setting(form, tol, "x2"), 1.0)?;
        let mut row = vec![form.name().to_string(), ten(tol)];
        row.extend(beside(Some(paper), &solution));
        taken.push(counts(&solution)[0]);
        rows.push(row);
    }
    report.text("Table 5.3, ε = 10⁻³:");
    report.table(&head(&["method", "TOL"], &[]), &rows);
    // In groups of GGL, GGL*, CS and CM.
    let alike = taken.chunks(4).all(|group| {
        let of_split = &group[1..];
        of_split.iter().max() <= of_split.iter().min().map(|least| least + least / 10).as_ref()
    });
    let of = |column: usize| -> String {
        let column: Vec<String> = taken.chunks(4).map(|group| group[column].to_string()).collect();
        column.join(", ")
    };
    report.claim(
        Claim::new(
            "Table 5.3",
            "at ε = 10⁻³ GGL*, CS and CM take the same steps: 62, 77, 87 for TOL from 10⁻³ to 10⁻⁵",
            format!("{} by GGL*, {} by CS, {} by CM", of(1), of(2), of(3)),
        )
        .or(
            "the three are within a tenth of each other for every TOL",
            alike,
            "Masses, inertias, gravity and the end of the run are not printed; with ours CM gains at this ε already.",
        ),
    );

    let model = TwoBodyBushing { eps: 1e-6, ..Default::default() };
    let published = TABLE_4.into_iter().map(|(form, paper)| (form, Some(paper)));
    let (mut rows, mut taken) = (Vec::new(), Vec::new());
    let (mut failed, mut ended) = (Vec::new(), Vec::new());
    for (form, paper) in published.chain([(Stale, None)]) {
        let solution = solve(&model, setting(form, 1e-4, "x2"), 1.0)?;
        let mut row = vec![form.name().to_string()];
        row.extend(beside(paper, &solution));
        taken.extend(paper.map(|paper| (paper[0], counts(&solution)[0])));
        failed.push(counts(&solution)[4]);
        ended.push(solution.error.is_none());
        rows.push(row);
    }
    report.text("Table 5.4, ε = 10⁻⁶, TOL = 10⁻⁴:");
    report.table(&head(&["method"], &[]), &rows);
    report.claim(
        Claim::new(
            "Table 5.4",
            "at ε = 10⁻⁶ 5267 steps by GGL, 2251 by GGL*, 2252 by CS, whose Newton iteration fails 1120 times, 20 by CM",
            format!(
                "{} by GGL, {} by GGL*{}, {} by CS with {} failures, {} by CM",
                taken[0].1,
                taken[1].1,
                if ended[1] { "" } else { " until Newton's iteration fails at every step size" },
                taken[2].1,
                failed[2],
                taken[3].1
            ),
        )
        .or(
            "CS is within a tenth of the printed steps",
            steps_apart(&taken[2..3]) < 0.1,
            "What step follows a failure of Newton's iteration, as half of those of CS do, is not printed.",
        )
        .check(
            "CS's Newton iteration fails in every second step",
            (0.45..0.55).contains(&(failed[2] as f64 / taken[2].1 as f64)),
        )
        .check("CM takes a fiftieth of CS's steps or less", 50 * taken[3].1 <= taken[2].1)
        .or(
            "GGL* comes to the end",
            ended[1],
            "GY is 2 y2 here, and singular where the oscillation passes through 0: multipliers that are begun at \
             (GY)⁻ᵀYᵀr grow without bound there.",
        )
        .or(
            "GGL is within a quarter of the printed steps",
            steps_apart(&taken[..1]) < 0.25,
            "The paper's fails to converge in every second step; GGL's iteration here never does.",
        ),
    );
    report.text(
        "What makes CM take so few steps is here that the derivative of P is dropped (`bdf-cm`). \
         Newton's iteration of GGL* and CS fails in every second step, in the paper as here; that of the paper's GGL \
         does too, ours never. With our parameters CM gains at ε = 10⁻³ already, where the paper's Table 5.3 has four \
         rows alike.",
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
    let mut means = Vec::new();
    for (name, form) in
        [("GGL", Stabilized), ("GGL*", StabilizedStar), ("CS", CoordinateSplit), ("CM", Modified)]
    {
        let solution = solve(&model, setting(form, 1e-4, "x2"), 1.0)?;
        let points: Vec<[f64; 2]> = solution.steps.iter().map(|s| [s.t, s.h]).collect();
        means.push(1.0 / points.len() as f64);
        panel = panel.series(Series::new(name, "", points));
    }
    let of_others = means[..3].iter().copied().fold(0.0, f64::max);
    report.claim(
        Claim::new(
            "Fig. 5.6",
            "CM takes the largest steps",
            format!(
                "{} s in the mean, the largest of the others {} s",
                sci(means[3]),
                sci(of_others)
            ),
        )
        .check(
            "its mean step is more than twice that of each of the others",
            means[3] > 2.0 * of_others,
        ),
    );
    let figure = Figure::new("Step sizes with the bushing", Axis::new("t", "s"))
        .subtitle("ε = 10⁻⁵, TOL = 10⁻⁴, X = {x2}")
        .panel(panel)
        .width(760.0);
    let shows = "Figure 5.6: CM (here bdf-cm) takes the largest steps";
    report.figure("fig6_steps", shows, &figure);
    Ok(())
}
