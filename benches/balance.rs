//! How well the power balance of a run closes, and what its warning is held against: the examples
//! over methods and tolerances.
//!
//! ```sh
//! cargo bench --bench balance                    # all examples but the flexible ones
//! cargo bench --bench balance -- HeavyTop Chain  # some
//! ```
//!
//! A line for each run: its error as the tolerance counts, the largest of any coordinate or state at
//! a hundred even instants relative to the larger of 1 and its largest value; what its balance closes
//! to; the part of the energy turned over that the method's damping took; and whether it warns. The
//! summary counts warnings by error. A run whose error is at most ten times its tolerance must not
//! warn.

#[path = "../tests/suite/models.rs"]
#[allow(unused_imports)]
mod models;

use mbd::assembly::SlotKind::{Q, X};
use mbd::integrate::METHODS;
use mbd::prelude::*;
use mbd::simulation::Record;
use mbd::solution::{ColumnKind, Solution};
use models::*;

const TOLERANCES: [f64; 4] = [1e-3, 1e-5, 1e-7, 1e-9];
/// Tolerance of the reference, which is by `radau5`.
const REFERENCE: f64 = 1e-11;
const INSTANTS: f64 = 100.0;
/// Beyond this a run counts as not finished.
const MAX_STEPS: usize = 100_000;
/// Converges to wrong answers, as published.
const LEFT_OUT: [&str; 2] = ["bdf-cm-1996", "state-space-fv"];

/// Runs with an error up to so many tolerances, and how many of them warn.
#[derive(Default)]
struct Class {
    runs: usize,
    warnings: Vec<String>,
    /// The largest remainder over tolerance.
    largest: f64,
}

fn main() -> Result<(), Error> {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let mut classes: [Class; 5] = Default::default();
    macro_rules! study {
        ($($mechanism:ident)*) => { $(
            if chosen.is_empty() || chosen.iter().any(|c| c == stringify!($mechanism)) {
                study(&$mechanism::default(), &mut classes)?;
            }
        )* };
    }
    study! {
        ActuatorPendulum Andrews AndrewsBodies BushingPendulum CarAxis Chain CrankModal
        DoublePendulum DriftSliderCrank FourBar HeavyTop IdaSliderCrank JayNegrut MassPi Pendulum
        PointMassOscillation PointMassSpring RollingDisc SevenBody Skate SliderCrank
        SliderCrankHaug StiffPendulum TwoBodyBushing
    }
    println!(
        "\n| error over tolerance | runs | warn | largest remainder over tolerance |\n|---|---|---|---|"
    );
    let names = ["up to 1", "1 to 10", "10 to 100", "100 to 1000", "more"];
    for (class, name) in classes.iter().zip(names) {
        let Class { runs, warnings, largest } = class;
        println!("| {name} | {runs} | {} | {largest:.1e} |", warnings.len());
    }
    for class in &classes[..2] {
        class.warnings.iter().for_each(|w| println!("false: {w}"));
    }
    Ok(())
}

fn run(mechanism: &impl Mechanism, method: &Method, tolerance: f64) -> Result<Solution, Error> {
    let t_end = mechanism.model()?.t_end().unwrap_or(1.0);
    Simulation::new(mechanism)
        .method(method.clone())
        .step(Step::adaptive(tolerance))
        .until(t_end)
        .record(Record::Every(t_end / INSTANTS))
        .max_steps(MAX_STEPS)
        .run()
        .map_err(|failed| failed.error)
}

/// Largest error of a coordinate or state at the instants both have.
fn error(run: &Solution, reference: &Solution) -> f64 {
    let columns = [Q, X].into_iter().flat_map(|kind| reference.range(ColumnKind::Slot(kind)));
    let mut worst = 0.0f64;
    for column in columns {
        let (ours, theirs) = (run.column(column), reference.column(column));
        let scale = theirs.iter().fold(1.0, |m: f64, y| m.max(y.abs()));
        for (a, b) in ours.iter().zip(&theirs) {
            worst = worst.max((a - b).abs() / scale);
        }
    }
    worst
}

fn study(mechanism: &impl Mechanism, classes: &mut [Class; 5]) -> Result<(), Error> {
    let model = mechanism.model()?.name().to_string();
    let reference = match run(mechanism, &Method::from_name("radau5")?, REFERENCE) {
        Ok(reference) => reference,
        Err(error) => {
            println!("{model}: left out, {error}");
            return Ok(());
        }
    };
    let own = reference.balance.as_ref().map_or(f64::NAN, |b| b.closes);
    println!("{model}: the reference closes to {own:.1e}");
    for info in METHODS.iter().filter(|info| !LEFT_OUT.contains(&info.name)) {
        let method = Method::from_name(info.name)?;
        print!("  {:19}", info.name);
        for tolerance in TOLERANCES {
            let Ok(solution) = run(mechanism, &method, tolerance) else {
                print!(" | –");
                continue;
            };
            let Some(balance) = &solution.balance else { continue };
            let error = error(&solution, &reference);
            let size = (balance.missing / balance.closes).abs();
            let taken = balance.numerical.map_or(f64::NAN, |taken| taken / size);
            let told = if balance.holds { "" } else { "!" };
            print!(" | {error:.0e} {:.0e}{told} ({taken:.0e})", balance.closes);
            let bound = [1.0, 10.0, 100.0, 1000.0];
            let class = bound.iter().filter(|&&b| !(error <= b * tolerance)).count();
            let class = &mut classes[class];
            class.runs += 1;
            class.largest = class.largest.max(balance.closes / tolerance);
            if !balance.holds {
                class.warnings.push(format!("{model} {} {tolerance:e}", info.name));
            }
        }
        println!();
    }
    Ok(())
}
