//! All examples by all methods, adaptive at four tolerances and with fixed steps, over a part of their
//! runs that is drawn at random.

use crate::models;
use crate::random::{Counts, Random, each, hard};
use crate::systems::ill_told;
use mbd::assembly::SlotKind::Q;
use mbd::error::RunError;
use mbd::integrate::{INCONSISTENT, METHODS, Method, Step};
use mbd::model::Mechanism;
use mbd::scales::{Scales, Weighting};
use mbd::simulation::Record;
use mbd::solution::ColumnKind;
use mbd::{Simulation, Solution};

#[path = "../../examples/quarter_car.rs"]
#[allow(dead_code)]
mod quarter_car;

const TOLERANCES: [f64; 4] = [1e-3, 1e-5, 1e-7, 1e-9];

/// Instants at which results are compared.
const INSTANTS: f64 = 20.0;

/// Steps a run may take here.
const MOST: usize = 20_000;

macro_rules! examples {
    ($($name:ident)*) => {
        vec![$((stringify!($name), Box::new(models::$name::default()) as Box<dyn Mechanism>)),*]
    };
}

fn examples() -> Vec<(&'static str, Box<dyn Mechanism>)> {
    let mut list = examples! {
        ActuatorPendulum Andrews AndrewsBodies Arm Bricard Bushing BushingPendulum CarAxis ClosedPendulum CrankModal
        DoublePendulum DriftSliderCrank Fekete FlexibleSliderCrank FourBar FourBars HeavyTop IdaSliderCrank JayNegrut MassPi Pendulum
        PointMassOscillation PointMassSpring RollingDisc SevenBody Skate SliderCrank SliderCrankHaug
        StiffPendulum TwoBodyBushing
    };
    list.push(("Chain", Box::new(models::Chain { n: 8, ..Default::default() })));
    list.push(("QuarterCar", Box::new(quarter_car::QuarterCar::default())));
    list
}

fn run(
    model: &dyn Mechanism,
    method: &str,
    step: Step,
    t_end: f64,
    most: usize,
) -> Result<Solution, RunError> {
    Simulation::new(model)
        .method(Method::from_name(method).expect("a method"))
        .step(step)
        .until(t_end)
        .record(Record::Every(t_end / INSTANTS))
        .max_steps(most)
        .run()
}

/// Columns of coordinates, and what errors in them are relative to.
fn scales(model: &dyn Mechanism, run: &Solution, t_end: f64) -> Vec<(usize, f64)> {
    let started = Simulation::new(model).start().expect("a start");
    let scales = Scales::new(&started.system, &started.point, t_end, Weighting::Model);
    run.range(ColumnKind::Slot(Q)).zip(scales.q().weights().iter().copied()).collect()
}

fn error(run: &Solution, exact: &Solution, scales: &[(usize, f64)]) -> f64 {
    let mut most = 0.0f64;
    for (column, scale) in scales {
        for (a, b) in run.column(*column).iter().zip(exact.column(*column)) {
            let off = (a - b).abs() / scale;
            // f64::max would drop a NaN.
            most = if off <= most { most } else { off };
        }
    }
    most
}

/// What is wrong with a run whatever its method.
fn sound(run: &Solution) -> Result<(), String> {
    for (i, column) in run.columns().iter().enumerate() {
        if let Some(value) = run.column(i).iter().find(|value| !value.is_finite()) {
            return Err(format!("`{}` is {value} in a result without an error", column.name));
        }
    }
    Ok(())
}

fn failure(failed: &RunError) -> Result<(), String> {
    let message = failed.error.to_string();
    let typed = matches!(failed.error, mbd::Error::Step(_) | mbd::Error::Option(_));
    if ill_told(&message) || !typed {
        return Err(format!("an error that says nothing: {message}"));
    }
    match &failed.partial {
        // Refused before it began.
        None if matches!(failed.error, mbd::Error::Option(_)) => Ok(()),
        None => Err(format!("nothing is left of the run: {message}")),
        Some(partial) => sound(partial),
    }
}

fn told(run: &Solution) -> bool {
    !run.warnings.is_empty() || run.balance.as_ref().is_some_and(|balance| !balance.holds)
}

fn all_methods(
    (name, model): &(&'static str, Box<dyn Mechanism>),
    random: &mut Random,
    counts: &mut Counts,
) -> Vec<String> {
    let whole = Simulation::new(&**model).start().expect("a start").system.model().t_end();
    let part = if hard() { random.between(0.02, 0.5) } else { random.between(0.02, 0.06) };
    let t_end = part * whole.unwrap_or(1.0);
    let mut wrong = Vec::new();
    let exact = match run(&**model, "radau5", Step::adaptive(1e-11), t_end, 200_000) {
        Ok(run) => run,
        Err(failed) => return vec![format!("{name} by radau5 at 1e-11: {failed}")],
    };
    let scales = scales(&**model, &exact, t_end);
    for info in METHODS.iter().filter(|info| info.name != INCONSISTENT) {
        let mut count = |what: String| *counts.entry(what).or_default() += 1;
        let method = info.name;
        let mut steps = None;
        for tolerance in TOLERANCES {
            match run(&**model, method, Step::adaptive(tolerance), t_end, MOST) {
                Ok(run) => {
                    wrong.extend(
                        sound(&run)
                            .err()
                            .map(|what| format!("{name}, {method}, {tolerance:e}: {what}")),
                    );
                    let off = error(&run, &exact, &scales);
                    steps.get_or_insert(run.stats.steps);
                    count("runs".into());
                    let ratio = off / tolerance;
                    count(format!("error below 1e{:+} tol", ratio.log10().ceil().clamp(-2.0, 9.0)));
                    if !(off <= ALLOWED * tolerance.powf(2.0 / 3.0)) && !told(&run) {
                        wrong.push(format!("{name} by {method} at {tolerance:e} to {t_end:.3e} s: off by {off:.1e}, and nothing tells"));
                    }
                }
                Err(failed) => {
                    let refused = failed.partial.is_none();
                    count(if refused { "refused" } else { "failed" }.into());
                    wrong.extend(
                        failure(&failed)
                            .err()
                            .map(|what| format!("{name}, {method}, {tolerance:e}: {what}")),
                    );
                }
            }
        }
        // Steps as a loose tolerance chose them on the mean.
        let Some(steps) = steps else { continue };
        match run(&**model, method, Step::fixed(t_end / steps as f64), t_end, MOST) {
            Ok(run) => {
                wrong.extend(
                    sound(&run)
                        .err()
                        .map(|what| format!("{name}, {method}, {steps} steps: {what}")),
                );
                if let Some(coarse) = &run.coarse {
                    let off = error(&run, &exact, &scales);
                    wrong.push(format!(
                        "{name} by {method} in {steps} steps, off by {off:.1e}: {coarse}"
                    ));
                }
            }
            Err(failed) => {
                count("fixed steps failed".into());
                wrong.extend(
                    failure(&failed)
                        .err()
                        .map(|what| format!("{name}, {method}, {steps} steps: {what}")),
                );
            }
        }
    }
    wrong
}

/// Errors of a method of order 2 go with ε^⅔: over this they are told.
const ALLOWED: f64 = 3.0;

#[test]
fn examples_by_all_methods() {
    let list = examples();
    each("examples_by_all_methods", list.len(), |random, k, counts| {
        all_methods(&list[k % list.len()], random, counts)
    });
}
