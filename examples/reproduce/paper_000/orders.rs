//! Orders of q, v and λ, and that CS, CM and (3.3) are the same equations.

use crate::claim::Claim;
use crate::models::{Bushing, BushingPendulum, FlexibleSliderCrank};
use crate::reference::{numbers, stiff};
use crate::report::{Failure, Report};
use crate::study::{
    JUDGED, distance, finish, halvings, is_order, largest, order_figure, order_table, sci, start,
    step_size,
};
use mbd::integrate::{DaeAlpha, Form, Step};
use mbd::model::Mechanism;
use mbd::verify::Convergence;

/// The parameter of all runs here.
const RHO: f64 = 0.75;

pub fn run(report: &mut Report) -> Result<(), Failure> {
    orders(report)?;
    same_equations(report)
}

fn orders(report: &mut Report) -> Result<(), Failure> {
    report.section("Orders");
    report.text(format!(
        "The bushing (4.4) at ε = 1, where nothing is stiff, ρ = {RHO}: errors of q, v, λ at t = 5 \
         against the independent solution."
    ));
    let started = start(&Bushing { eps: 1.0, ..Default::default() })?;
    let reference = stiff(&["P2_eps=1_sgn=+1", "sol"])?;
    let rows = reference.as_array().map_or(&[][..], |rows| rows);
    let at = rows.iter().find(|row| row["t"].as_f64() == Some(5.0));
    let at = at.ok_or_else(|| Failure::Reference("P2_eps=1_sgn=+1 has no t = 5".into()))?;
    let [q, v, lambda] = ["q", "v", "lam_g_x2y2"].map(|key| numbers(&at[key]));
    let (mut orders, mut least) = (Vec::new(), [f64::INFINITY; 3]);
    for form in Form::ALL {
        let method = DaeAlpha::new(form).rho(RHO)?;
        let study = Convergence::measure(&["q", "v", "λ"], halvings(4..=9), |h| {
            let run = finish(&started, method.clone(), Step::fixed(h), 5.0, |_| {})?;
            let p = run.point();
            let errors = [distance(p.q(), &q), distance(p.v(), &v), distance(p.lambda(), &lambda)];
            Ok::<_, Failure>(errors.to_vec())
        })?;
        if form == Form::Stabilized {
            let paper = ["2 (proved)", "1 (proved)", "1 (proved)"];
            order_table(report, &study, "order, paper", &paper);
            let subtitle = format!("dae-alpha, ρ = {RHO}, equal steps, t = 5");
            let figure = order_figure("(3.3) on the bushing, ε = 1", &subtitle, &study);
            report.figure("orders", "Global errors of (3.3)", &figure);
        }
        let (h, finest) = &study.runs[study.runs.len() - 1];
        let measured = ["q", "v", "λ"].map(|name| study.order(name, JUDGED));
        least = [0, 1, 2].map(|i| f64::min(least[i], measured[i]));
        let mut row = vec![format!("`{}`", form.name())];
        row.extend(measured.map(|order| format!("{order:.3}")));
        row.extend(finest.iter().map(|e| sci(*e)));
        row.push(step_size(*h));
        orders.push(row);
    }
    report.text(
        "Every form; the paper proves order 2 for q and 1 for v and λ, and all are of order 2:",
    );
    let head = ["method", "order of q", "of v", "of λ", "error of q", "of v", "of λ", "at h in s"];
    report.table(&head, &orders);
    let [q, v, lambda] = least;
    report.claim(
        Claim::new(
            "Theorems",
            "order 2 of q, 1 of v and λ",
            format!(
                "at least {q:.2} of q, {v:.2} of v, {lambda:.2} of λ, in {} forms",
                Form::ALL.len()
            ),
        )
        .check("q converges with order 2", is_order(q, 2.0))
        .check("v and λ converge with order 1 or faster", v > 0.85 && lambda > 0.85),
    );
    Ok(())
}

/// The largest differences of two forms' q, v, λ anywhere along a run, relative to their sizes.
fn difference(
    mechanism: &impl Mechanism,
    form: Form,
    h: f64,
    t_end: f64,
) -> Result<[f64; 3], Failure> {
    let started = start(mechanism)?;
    let path = |form: Form| -> Result<Vec<[Vec<f64>; 3]>, Failure> {
        let mut points = Vec::new();
        let method = DaeAlpha::new(form).rho(RHO)?;
        finish(&started, method, Step::fixed(h), t_end, |run| {
            let p = run.point();
            points.push([p.q(), p.v(), p.lambda()].map(<[f64]>::to_vec));
        })?;
        Ok(points)
    };
    let (one, other) = (path(form)?, path(Form::Stabilized)?);
    Ok([0, 1, 2].map(|i| {
        let size = largest(other.iter().flat_map(|p| p[i].iter().copied()));
        let pairs = one.iter().zip(&other).flat_map(|(a, b)| a[i].iter().zip(&b[i]));
        largest(pairs.map(|(a, b)| (a - b) / size))
    }))
}

fn same_equations(report: &mut Report) -> Result<(), Failure> {
    report.section("CS, CM and (3.3) are the same equations");
    report.text(format!(
        "Largest difference from (3.3) anywhere along the run, relative to the largest value of its \
         kind; ρ = {RHO}, every step solved to round-off. CS and CM differ from (3.3) by what \
         Newton's iteration leaves; (2.5) projects along M⁻¹Gᵀ of the unprojected point, which is \
         the same on the bushing's circle only."
    ));
    let (bushing, pendulum) = (Bushing::default(), BushingPendulum::default());
    let mild = Bushing { eps: 1.0, ..Default::default() };
    let crank = FlexibleSliderCrank::default();
    let t = 40e-5 * std::f64::consts::PI;
    let (mut rows, mut iterated) = (Vec::new(), Vec::new());
    for form in Form::ALL.into_iter().filter(|form| *form != Form::Stabilized) {
        let mut worst: f64 = 0.0;
        for (what, found) in [
            ("pendulum (16) of paper 001, h = 0.01, 2 s", difference(&pendulum, form, 0.01, 2.0)?),
            ("bushing, ε = 1, h = 0.05, 5 s", difference(&mild, form, 0.05, 5.0)?),
            ("bushing, ε = 1e-5, T/1200", difference(&bushing, form, t / 1200.0, t)?),
            ("flexible slider-crank, h = 1e-3, 0.3 s", difference(&crank, form, 1e-3, 0.3)?),
        ] {
            let mut row = vec![format!("`{}`", form.name()), what.to_string()];
            worst = largest(found.into_iter().chain([worst]));
            row.extend(found.map(sci));
            rows.push(row);
        }
        if matches!(form, Form::CoordinateSplit | Form::Modified) {
            iterated.push(worst);
        }
    }
    report.table(&["method", "run", "q", "v", "λ"], &rows);
    report.claim(
        Claim::new(
            "CS and CM",
            "are iterations for the equations of (3.3)",
            format!(
                "largest relative difference of q, v, λ anywhere along four runs: {} by CS, {} by CM",
                sci(iterated[0]),
                sci(iterated[1])
            ),
        )
        .check("CS differs by less than 1e−9", iterated[0] < 1e-9)
        .check("CM differs by less than 1e−9", iterated[1] < 1e-9),
    );
    Ok(())
}
