//! What joint coordinates cost as mechanisms grow: a chain of n links in joint angles beside the same
//! one in absolute coordinates, and an arm of six joints.
//!
//! `cargo bench --bench joints`. Times are processor times of whole runs over 1 s of motion, start and
//! machine code included, without the estimate of the error: chains to 1e-5 rad by `explicit-rk` (tol
//! 4e-5), the arm at tol 1e-4; `×` is the growth from half as many links. A mass matrix that is full
//! grows by 4 in entries and by 8 in elimination. "duals" is one evaluation of residual and mass
//! matrix on dual numbers over one by programs.

#![allow(missing_docs)]

use mbd::assembly::{Derivatives, PlanBuilder, Residual, System, Term, Want, Weights};
use mbd::integrate::{Method, Step};
use mbd::model::Mechanism;
use mbd::{Error, Simulation};
use std::hint::black_box;
use std::sync::OnceLock;
use std::time::Instant;

#[path = "../examples/arm.rs"]
#[allow(dead_code)]
mod arm;
#[path = "../examples/chain.rs"]
#[allow(dead_code)]
mod chain;
#[path = "fixtures/joints.rs"]
mod joints;

/// Tolerance for the chains.
const CHAIN: f64 = 4e-5;
/// Seconds that a time is measured over.
const LONG: f64 = 0.4;

fn main() -> Result<(), Error> {
    println!(
        "{:>12} {:>14} {:>7} {:>14} {:>7} {:>9} {:>14}",
        "", "explicit-rk", "×", "radau5", "×", "duals", "absolute"
    );
    let (mut last, mut first) = ([f64::NAN; 2], true);
    let chains: [(usize, &dyn Mechanism); 5] = [
        (4, &joints::Chain4::default()),
        (8, &joints::Chain8::default()),
        (16, &joints::Chain16::default()),
        (32, &joints::Chain32::default()),
        (64, &joints::Chain64::default()),
    ];
    for (n, angles) in chains {
        let times = [run(angles, "explicit-rk", CHAIN)?, run(angles, "radau5", CHAIN)?];
        let absolute = run(&chain::Chain { n, ..Default::default() }, "radau5", CHAIN)?;
        let grown = [0, 1]
            .map(|k| if first { String::new() } else { format!("{:.1}", times[k] / last[k]) });
        print(&format!("chain {n}"), times, &grown, duals(angles)?, &format!("{absolute:.2} ms"));
        (last, first) = (times, false);
    }
    let arm = arm::Arm::default();
    let times = [run(&arm, "explicit-rk", 1e-4)?, run(&arm, "radau5", 1e-4)?];
    print("arm", times, &Default::default(), duals(&arm)?, "");
    Ok(())
}

fn print(name: &str, [rk, radau]: [f64; 2], grown: &[String; 2], duals: f64, absolute: &str) {
    let [a, b] = grown;
    println!("{name:>12} {rk:>11.2} ms {a:>7} {radau:>11.2} ms {b:>7} {duals:>9.0} {absolute:>14}");
}

/// Processor time so far in seconds, where the system tells it; else time. It may be told in parts of some
/// milliseconds.
fn clock() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let start = START.get_or_init(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    spent.map_or_else(|| start.elapsed().as_secs_f64(), |nanoseconds| 1e-9 * nanoseconds)
}

/// The processor time of a whole run in ms, of so many runs that it is known to some per cent.
fn run(mechanism: &dyn Mechanism, method: &str, tolerance: f64) -> Result<f64, Error> {
    let start = clock();
    for runs in 1.. {
        let run = Simulation::new(mechanism)
            .method(Method::from_name(method)?)
            .step(Step::adaptive(tolerance))
            .error_estimate(false)
            .run()
            .map_err(|error| error.error)?;
        black_box(run);
        let spent = clock() - start;
        if runs > 2 && spent > LONG {
            return Ok(1e3 * spent / f64::from(runs));
        }
    }
    Ok(f64::NAN)
}

/// Residual and mass matrix on dual numbers over the same by programs.
fn duals(mechanism: &dyn Mechanism) -> Result<f64, Error> {
    let mut system = System::new(mechanism.model()?);
    let mut point = mbd::verify::generic_point(&system, 3);
    let mut plan = PlanBuilder::new(system.dims().n);
    plan.term(Term::M, 0, 0);
    let plan = plan.build(&system);
    let (mut values, mut out) = (plan.values(), Residual::new(&system.dims()));
    let mut best = |by: Derivatives, times: usize| {
        system.set_derivatives(by);
        let mut best = f64::INFINITY;
        for _ in 0..times {
            point.q_mut().iter_mut().for_each(|q| *q += 1e-9);
            let clock = Instant::now();
            let weights = Weights::of(&point);
            let residual = (Want::F | Want::MU, &mut out);
            plan.fill_with(&system, &point, &weights, &[1.0], &mut values, residual);
            best = best.min(clock.elapsed().as_secs_f64());
            black_box((&values, &mut best));
        }
        best
    };
    // By machine code at last.
    let programs = best(Derivatives::Programs, 200);
    Ok(best(Derivatives::Dual, 3) / programs)
}
