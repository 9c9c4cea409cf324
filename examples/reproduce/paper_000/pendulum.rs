//! Section 4.1, the stiff spring pendulum: Figs 2 and 3.

use crate::claim::Claim;
use crate::models::StiffPendulum;
use crate::reference::{numbers, stiff};
use crate::report::{Failure, Report};
use crate::study::{distance, falls, finish, sci, start};
use mbd::integrate::{DaeAlpha, Form, Method, Step};
use mbd::plot::{Axis, Figure, Panel, Series};
use mbd::prelude::*;

const RHOS: [f64; 6] = [1.0, 0.9, 0.75, 0.5, 0.25, 0.0];
const STEPS: [f64; 3] = [1e-3, 1e-2, 1e-1];

pub fn run(report: &mut Report) -> Result<(), Failure> {
    report.section("Stiff spring pendulum: Figs 2 and 3");
    report.text(
        "ε² = 10⁻³, from (0.9, 0) at rest, 5 s; gravity is 1 along +y as in (4.3). The energy, \
         gravity's included, is 5 at the start; what the motion keeps of it when the spring's \
         vibration is gone is about 0. The paper does not say which h its Fig. 2 and which ρ its \
         Fig. 3 has: all combinations stand in the table.",
    );
    accuracy(report)?;
    let mut rows = Vec::new();
    let (mut energies, mut paths) = (Vec::new(), Vec::new());
    // At the end: by ρ at h = 0.01, by h at ρ = 0.5; and where the last of these swings to.
    let (mut by_rho, mut by_step, mut swing) = (Vec::new(), Vec::new(), 0.0);
    for rho in RHOS {
        let mut row = vec![format!("{rho}")];
        for h in STEPS {
            let run = simulate(rho, h)?;
            let energy = run.series("energy")?;
            let last = energy.last().copied().unwrap_or(f64::NAN);
            row.push(energy_text(last));
            if h == 1e-2 {
                by_rho.push(last);
                energies.push(curve(&run, "t", "energy", &format!("ρ = {rho}"))?);
            }
            if rho == 0.5 {
                by_step.push(last);
                let x = run.series("x")?;
                swing = x.iter().copied().fold(f64::INFINITY, f64::min);
                paths.push(curve(&run, "x", "y", &format!("h = {h}"))?);
            }
        }
        rows.push(row);
    }
    report.text("Energy at t = 5:");
    report.table(&["ρ", "h = 1e-3", "h = 1e-2", "h = 1e-1"], &rows);
    report.text(
        "As the paper says: as ρ falls or h grows the vibration along the spring dies and the slow \
         swing stays. At h = 0.1 a step covers half a period of the vibration, and without damping \
         the energy is not even kept.",
    );
    let list = |energies: &[f64]| {
        let each: Vec<String> = energies.iter().map(|e| energy_text(*e)).collect();
        each.join(", ")
    };
    report.claim(
        Claim::new(
            "Fig. 2",
            "the smaller ρ, the more energy goes",
            format!("at t = 5 with h = 0.01, ρ from 1 to 0: {} of 5 J", list(&by_rho)),
        )
        .check("the energy falls with ρ", falls(&by_rho)),
    );
    report.claim(
        Claim::new(
            "Fig. 3",
            "as h grows the vibration along the spring dies and the slow swing stays",
            format!(
                "energy with ρ = 0.5, h from 10⁻³ to 10⁻¹: {} J; with the last the mass swings from x = 0.9 m to {}",
                list(&by_step),
                format!("{swing:.2} m").replace('-', "−")
            ),
        )
        .check("the energy falls with growing h", falls(&by_step))
        .check(
            "with h = 0.1 less than a hundredth of the vibration's energy is left",
            by_step[2].abs() < 0.05,
        )
        .check("the mass still swings through to beyond x = −0.9 m", swing < -0.9),
    );
    let mut panel = Panel::new(Axis::new("total energy", "J").range(-0.25, 5.25));
    for series in energies {
        panel = panel.series(series);
    }
    let figure = Figure::new("Fig. 2: stiff spring pendulum, energy", Axis::new("t", "s"))
        .subtitle("dae-alpha, h = 0.01, ε² = 10⁻³")
        .panel(panel);
    report.figure("fig2", "Fig. 2: total energy for ρ from 1 to 0, h = 0.01", &figure);
    let figures = paths.into_iter().zip(STEPS).map(|(series, h)| {
        let slow = Series::guide("l = 1", circle());
        Figure::new(format!("Fig. 3: trajectory, h = {h}"), Axis::new("x", "m").range(-1.15, 1.15))
            .subtitle("dae-alpha, ρ = 0.5, ε² = 10⁻³")
            .panel(Panel::new(Axis::new("y", "m").range(-0.05, 1.2)).series(series).series(slow))
            .same_scale()
            .width(620.0)
    });
    let figures: Vec<Figure> = figures.collect();
    report.figures(&[
        ("fig3_1", "Fig. 3: h = 10⁻³: the spring vibrates", &figures[0]),
        ("fig3_2", "h = 10⁻²", &figures[1]),
        ("fig3_3", "h = 10⁻¹: the slow swing alone", &figures[2]),
    ]);
    Ok(())
}

fn energy_text(energy: f64) -> String {
    format!("{energy:.3}").replace('-', "−")
}

/// The spring at its natural length.
fn circle() -> Vec<[f64; 2]> {
    (0..=180).map(|i| f64::from(i).to_radians().sin_cos()).map(|(s, c)| [c, s]).collect()
}

fn method(rho: f64) -> Result<Method, Failure> {
    Ok(DaeAlpha::new(Form::Stabilized).rho(rho)?.into())
}

fn simulate(rho: f64, h: f64) -> Result<Solution, Failure> {
    let model = StiffPendulum::default();
    Ok(Simulation::new(&model).method(method(rho)?).step(Step::fixed(h)).until(5.0).run()?)
}

fn curve(run: &Solution, x: &str, y: &str, name: &str) -> Result<Series, Failure> {
    let points = run.series(x)?.into_iter().zip(run.series(y)?).map(|(x, y)| [x, y]);
    Ok(Series::new(name, "", points.collect()))
}

/// Against the independent solution at t = 5.
fn accuracy(report: &mut Report) -> Result<(), Failure> {
    let started = start(&StiffPendulum::default())?;
    let end = numbers(&stiff(&["P1_eps2=0.001", "z"])?[1]);
    let mut rows = Vec::new();
    for rho in [1.0, 0.5, 0.0] {
        let mut row = vec![format!("{rho}")];
        let mut last: Option<f64> = None;
        for power in [13, 14, 15] {
            let step = Step::fixed(5.0 * 0.5f64.powi(power));
            let run = finish(&started, method(rho)?, step, 5.0, |_| {})?;
            let error = distance(run.point().q(), &end[..2]);
            row.push(sci(error));
            if let Some(before) = last.replace(error) {
                row.push(format!("{:.3}", (before / error).log2()));
            }
        }
        rows.push(row);
    }
    report.text("With steps that resolve the vibration, error of (x, y) at t = 5 and order:");
    report.table(&["ρ", "h = 5/2¹³", "5/2¹⁴", "order", "5/2¹⁵", "order"], &rows);
    Ok(())
}
