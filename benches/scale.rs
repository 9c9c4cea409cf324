//! What a step costs per body as mechanisms grow: a chain of links and a grid of four-bars, solved
//! to round-off with steps of 1 ms by `hht-i3` and `gen-alpha-soi2`.
//!
//! ```sh
//! cargo bench --bench scale                     # up to 4096 links and 4095 bars
//! cargo bench --bench scale -- --long           # up to 100 000 links and 64 980 bars
//! cargo bench --bench scale -- chain hht-i3     # one of each
//! ```
//!
//! *start* is everything up to the end of the first step, recording and code included. Steps are
//! timed after the first [`SETTLING`], in which code is made and the first matrices are renewed;
//! a line is the best of [`RUNS`] runs, and counts are of all its steps. Times are processor time,
//! of which a busy machine changes least, and wall time where the system does not tell it or what is
//! timed is shorter than [`SHORT`]. Memory is best taken of a process that does nothing else:
//!
//! ```sh
//! /usr/bin/time -f '%M kB' target/release/examples/chain simulate --method hht-i3 --set n=100000 --step 1e-3 --t-end 6e-3
//! ```

use mbd::integrate::{Integrator, Method, Step};
use mbd::model::Mechanism;
use mbd::prelude::*;
use std::time::Instant;

#[path = "../examples/chain.rs"]
#[allow(dead_code)]
mod chain;
#[path = "../examples/four_bar_grid.rs"]
#[allow(dead_code)]
mod four_bar_grid;

use chain::Chain;
use four_bar_grid::FourBarGrid;

const H: f64 = 1e-3;
/// Steps before the timed ones.
const SETTLING: usize = 40;
const RUNS: usize = 3;
/// The scheduler counts in ticks of a few ms. [s]
const SHORT: f64 = 0.1;
/// Steps times bodies of a run, but for [`FEWEST`] and [`MOST`] steps.
const WORK: usize = 400_000;
const FEWEST: usize = 40;
const MOST: usize = 2000;

const LINKS: [usize; 5] = [4, 16, 64, 256, 1024];
const MORE_LINKS: [usize; 3] = [4096, 10_000, 100_000];
const SIDES: [usize; 4] = [5, 11, 22, 45];
const MORE_SIDES: [usize; 2] = [90, 180];

struct Line {
    start: f64,
    step: f64,
    iterations: f64,
    matrices: usize,
    steps: usize,
}

/// Processor time of this thread.
struct Clock {
    wall: Instant,
    processor: Option<f64>,
}

impl Clock {
    fn new() -> Self {
        Clock { wall: Instant::now(), processor: Clock::processor() }
    }

    /// In s, as the Linux kernel's scheduler counts it.
    fn processor() -> Option<f64> {
        let counts = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let nanoseconds: f64 = counts.split_whitespace().next()?.parse().ok()?;
        Some(1e-9 * nanoseconds)
    }

    fn elapsed(&self) -> f64 {
        let wall = self.wall.elapsed().as_secs_f64();
        match (self.processor, Clock::processor()) {
            (Some(from), Some(to)) if wall > SHORT => to - from,
            _ => wall,
        }
    }
}

fn run(mechanism: &dyn Mechanism, method: &str, bodies: usize) -> Result<Line, Error> {
    let clock = Clock::new();
    let method = Method::from_name(method)?;
    let started = Simulation::new(mechanism).start()?;
    let step = Step::fixed(H);
    let mut integrator = Integrator::new(&started.system, &method, step, &started.point)?;
    integrator.step_once(H)?;
    let start = clock.elapsed();
    let timed = (WORK / bodies).clamp(FEWEST, MOST);
    let end = (SETTLING + timed) as f64 * H;
    for _ in 1..SETTLING {
        integrator.step_once(end)?;
    }
    let clock = Clock::new();
    for _ in 0..timed {
        integrator.step_once(end)?;
    }
    let elapsed = clock.elapsed();
    let stats = integrator.stats();
    Ok(Line {
        start: 1e6 * start / bodies as f64,
        step: 1e6 * elapsed / (timed * bodies) as f64,
        iterations: stats.newton_iterations as f64 / stats.steps as f64,
        matrices: stats.factorizations,
        steps: stats.steps,
    })
}

fn table(what: &str, method: &str, mechanism: &dyn Mechanism, bodies: usize) -> Result<(), Error> {
    let runs: Result<Vec<Line>, Error> =
        (0..RUNS).map(|_| run(mechanism, method, bodies)).collect();
    let runs = runs?;
    let best = |of: fn(&Line) -> f64| runs.iter().map(of).fold(f64::INFINITY, f64::min);
    println!(
        "{what:<6} {method:<15} {bodies:>7} {:>9.1} {:>9.3} {:>10.2} {:>5} of {:<5}",
        best(|line| line.start),
        best(|line| line.step),
        runs[0].iterations,
        runs[0].matrices,
        runs[0].steps,
    );
    Ok(())
}

fn main() -> Result<(), Error> {
    let (options, chosen): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|a| a.starts_with("--"));
    let long = options.iter().any(|o| o == "--long");
    let names = ["chain", "grid", "hht-i3", "gen-alpha-soi2"];
    let asked = |name: &str, kind: &[&str]| {
        !chosen.iter().any(|c| kind.contains(&c.as_str())) || chosen.iter().any(|c| c == name)
    };
    println!("µs per body, µs per step and body");
    println!(
        "{:<6} {:<15} {:>7} {:>9} {:>9} {:>10} {:>14}",
        "", "", "bodies", "start", "step", "iterations", "matrices"
    );
    for method in names[2..].iter().filter(|m| asked(m, &names[2..])) {
        if asked("chain", &names[..2]) {
            let more = if long { &MORE_LINKS[..] } else { &MORE_LINKS[..1] };
            for &n in LINKS.iter().chain(more) {
                table("chain", method, &Chain { n, ..Default::default() }, n)?;
            }
        }
        if asked("grid", &names[..2]) {
            let more = if long { &MORE_SIDES[..] } else { &[] };
            for &side in SIDES.iter().chain(more) {
                let grid = FourBarGrid { rows: side, columns: side, ..Default::default() };
                table("grid", method, &grid, 2 * side * side + side)?;
            }
        }
    }
    Ok(())
}
