//! Work against precision of three motions with events, beside SciPy's integrators: a mass that bounces on a stiff
//! spring, one that sticks to a belt, a crank with friction in its guide [H1, H3a, H7a].
//!
//! ```sh
//! cargo bench --bench events                             # a table
//! cargo bench --bench events -- docs/book/src/work       # and the pictures
//! ```
//!
//! Errors are those of the end against the references of tests/references/hybrid.json, relative to the largest value;
//! work is the number of evaluations of the equations of motion, which does not depend on the machine or the language:
//! three for each iteration of `radau5`, one for each of the other implicit methods. SciPy's have those of its difference
//! quotients among them; the library's derivatives are exact and stand beside.
//! SciPy's numbers are those of `benches/scipy/events.csv`, by the script beside it.

#[path = "../tests/suite/models.rs"]
#[allow(unused_imports)]
mod models;

use mbd::compare::{Comparison, Reference};
use mbd::plot::{Axis, Figure, Panel, Series};
use mbd::prelude::*;
use models::{Bouncing, CrankWithFriction, StickSlip};

const SCIPY: &str = include_str!("scipy/events.csv");
const METHODS: [&str; 4] = ["radau5", "explicit-rk", "gen-alpha-soi2", "bdf-ggl"];
const TOLERANCES: [f64; 8] = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10];
/// Beyond this nobody waits.
const MAX_STEPS: usize = 100_000;
/// Errors above it are no results.
const LARGEST: f64 = 1.0;

/// Evaluations of the equations of motion in one of a method's residuals.
fn evaluations(method: &str) -> usize {
    if method == "radau5" { 3 } else { 1 }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let belt = StickSlip { breakaway: 1.0, ..StickSlip::default() };
    let problems: [(&str, &str, &dyn Mechanism, &str, f64, f64); 3] = [
        (
            "bounce",
            "A mass bounces on a one-sided spring",
            &Bouncing::default(),
            "y",
            5.0,
            0.0626117673492984,
        ),
        (
            "stick_slip",
            "A mass sticks to a belt and breaks away",
            &belt,
            "x",
            20.0,
            1.0501368968578,
        ),
        (
            "crank",
            "A crank with friction in its guide",
            &CrankWithFriction::default(),
            "phi",
            1.0,
            30.0245359086811,
        ),
    ];
    println!("problem,how,method,tol,error,evaluations");
    for (name, title, model, quantity, t_end, value) in problems {
        let mut curves: Vec<(String, Vec<[f64; 2]>)> = Vec::new();
        for method in METHODS {
            let reference = Reference::Values(vec![(quantity.into(), value)]);
            let study = Comparison::new(model)
                .method(Method::from_name(method)?)
                .tolerances(&TOLERANCES)
                .reference(reference)
                .until(t_end)
                .max_steps(MAX_STEPS)
                .run()?;
            let mut points = Vec::new();
            for trial in &study.trials {
                let tol = trial.setting.value();
                match &trial.outcome {
                    Ok(run) => {
                        let work = evaluations(method) * run.stats.residuals;
                        println!("{name},mbd,{method},{tol:e},{:.3e},{work}", run.error);
                        points.push([run.error.max(f64::EPSILON), work as f64]);
                    }
                    Err(error) => eprintln!("{name}, {method} at {tol:e}: {error}"),
                }
            }
            curves.push((method.to_string(), points));
        }
        for line in SCIPY.lines().filter(|line| line.starts_with(&format!("{name},"))) {
            println!("{line}");
            let cells: Vec<&str> = line.split(',').collect();
            let [_, how, method, _, error, work] = cells[..] else { continue };
            let how = if how == "plain" { "without events" } else { "with events" };
            let curve = format!("SciPy {method} {how}");
            let (error, work): (f64, f64) = (error.parse()?, work.parse()?);
            if !curves.iter().any(|(name, _)| *name == curve) {
                curves.push((curve.clone(), Vec::new()));
            }
            let points = curves.iter_mut().find(|(name, _)| *name == curve);
            points.into_iter().filter(|_| error < LARGEST).for_each(|(_, p)| p.push([error, work]));
        }
        if let Some(folder) = &folder {
            let mut panel =
                Panel::new(Axis::new("evaluations of the equations of motion", "").log());
            for (name, points) in curves.into_iter().filter(|(_, points)| !points.is_empty()) {
                panel = panel.series(Series::new(name, "", points).markers());
            }
            let axis = Axis::new("relative error at the end", "").log();
            let figure = Figure::new(title, axis).panel(panel);
            figure.save_svg(format!("{folder}/events_{name}.svg"))?;
        }
    }
    Ok(())
}
