//! What a step costs with every derivative on dual numbers, beside the same by programs.
//!
//! ```sh
//! cargo bench --bench duals
//! ```
//!
//! Times of a fixed step are the best of [`RUNS`] runs, without the start; *apart* is how far the two motions
//! are apart at the end, relative to the largest coordinate.

use mbd::assembly::{Derivatives, SlotKind};
use mbd::integrate::{Method, Step};
use mbd::model::Mechanism;
use mbd::simulation::Record;
use mbd::solution::ColumnKind;
use mbd::{Error, Simulation, Solution};
use std::time::Instant;

macro_rules! examples {
    ($($name:ident $path:literal;)*) => { $(
        #[path = $path]
        #[allow(dead_code, missing_docs)]
        mod $name;
    )* };
}
examples! {
    andrews "../examples/andrews.rs";
    arm "../examples/arm.rs";
    bushing_pendulum "../examples/bushing_pendulum.rs";
    chain "../examples/chain.rs";
    double_wishbone "../examples/double_wishbone.rs";
    four_bar "../examples/four_bar.rs";
    heavy_top "../examples/heavy_top.rs";
    slider_crank "../examples/slider_crank.rs";
}

const RUNS: usize = 3;
/// Steps of a long run and of a short one.
const STEPS: [usize; 2] = [60, 10];

fn simulate(
    mechanism: &dyn Mechanism,
    (method, h, steps): (&str, f64, usize),
    by: Derivatives,
) -> Result<Solution, Error> {
    let run = Simulation::new(mechanism)
        .method(Method::from_name(method)?)
        .step(Step::fixed(h))
        .until(h * steps as f64)
        .record(Record::Ends)
        .derivatives(by)
        .run();
    run.map_err(|failed| failed.error)
}

/// µs of a step, and the coordinates at the end.
fn step(
    mechanism: &dyn Mechanism,
    method: &str,
    h: f64,
    by: Derivatives,
) -> Result<(f64, Vec<f64>), Error> {
    let mut best = [f64::INFINITY; 2];
    let mut q = Vec::new();
    for _ in 0..RUNS {
        for (best, steps) in best.iter_mut().zip(STEPS) {
            let clock = Instant::now();
            let run = simulate(mechanism, (method, h, steps), by)?;
            *best = best.min(clock.elapsed().as_secs_f64());
            if steps == STEPS[0] {
                q = run.last(ColumnKind::Slot(SlotKind::Q)).to_vec();
            }
        }
    }
    Ok((1e6 * (best[0] - best[1]) / (STEPS[0] - STEPS[1]) as f64, q))
}

fn row(mechanism: &dyn Mechanism, name: &str, h: f64) -> Result<(), Error> {
    for method in ["gen-alpha-soi2", "radau5"] {
        let (programs, a) = step(mechanism, method, h, Derivatives::Programs)?;
        let (dual, b) = step(mechanism, method, h, Derivatives::Dual)?;
        let size = a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let apart = a.iter().zip(&b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) / size;
        println!(
            "{name:<18} {method:<15} {programs:>10.1} {dual:>10.1} {:>8.1} {apart:>9.0e}",
            dual / programs
        );
    }
    Ok(())
}

fn main() -> Result<(), Error> {
    println!("µs per fixed step                    programs       dual    ratio     apart");
    row(&slider_crank::SliderCrank::default(), "slider crank", 1e-3)?;
    row(&four_bar::FourBar::default(), "four-bar", 1e-3)?;
    row(&andrews::Andrews::default(), "Andrews", 1e-5)?;
    row(&heavy_top::HeavyTop::default(), "heavy top", 1e-3)?;
    row(&bushing_pendulum::BushingPendulum::default(), "bushing pendulum", 1e-3)?;
    row(&double_wishbone::DoubleWishbone::default(), "double wishbone", 1e-3)?;
    row(&chain::Chain { n: 64, ..Default::default() }, "chain of 64", 1e-3)?;
    row(&arm::Arm::default(), "arm, 6 joints", 1e-3)
}
