//! What a step costs per body as mechanisms grow: a chain of links and a grid of four-bars, solved
//! to round-off with steps of 1 ms by `hht-i3` and `gen-alpha-soi2`.
//!
//! ```sh
//! cargo bench --bench scale                     # up to 4096 links and 4095 bars
//! cargo bench --bench scale -- --long           # up to 100 000 links and 65 160 bars
//! cargo bench --bench scale -- chain hht-i3     # one of each
//! ```
//!
//! *start* is everything up to the end of the first step, recording and code included. Steps are
//! timed after the first [`SETTLING`], in which code is made and the first matrices are renewed;
//! a line is the best of [`RUNS`] runs, and counts are of all its steps. *memory* is the
//! largest resident size beyond that before the run (Linux).

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

fn run(mechanism: &dyn Mechanism, method: &str, bodies: usize) -> Result<Line, Error> {
    let clock = Instant::now();
    let method = Method::from_name(method)?;
    let started = Simulation::new(mechanism).start()?;
    let step = Step::fixed(H);
    let mut integrator = Integrator::new(&started.system, &method, step, &started.point)?;
    integrator.step_once(H)?;
    let start = clock.elapsed().as_secs_f64();
    let timed = (WORK / bodies).clamp(FEWEST, MOST);
    let end = (SETTLING + timed) as f64 * H;
    for _ in 1..SETTLING {
        integrator.step_once(end)?;
    }
    let clock = Instant::now();
    for _ in 0..timed {
        integrator.step_once(end)?;
    }
    let elapsed = clock.elapsed().as_secs_f64();
    let stats = integrator.stats();
    Ok(Line {
        start: 1e6 * start / bodies as f64,
        step: 1e6 * elapsed / (timed * bodies) as f64,
        iterations: stats.newton_iterations as f64 / stats.steps as f64,
        matrices: stats.factorizations,
        steps: stats.steps,
    })
}

/// Resident size now and its largest since the last call, in kB; 0 where the system does not say.
fn resident() -> (usize, usize) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    };
    let sizes = (field("VmRSS:"), field("VmHWM:"));
    // Starts a new largest size.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    sizes
}

fn table(what: &str, method: &str, mechanism: &dyn Mechanism, bodies: usize) -> Result<(), Error> {
    let (before, _) = resident();
    let runs: Result<Vec<Line>, Error> =
        (0..RUNS).map(|_| run(mechanism, method, bodies)).collect();
    let runs = runs?;
    let (_, largest) = resident();
    let best = |of: fn(&Line) -> f64| runs.iter().map(of).fold(f64::INFINITY, f64::min);
    println!(
        "{what:<6} {method:<15} {bodies:>7} {:>9.1} {:>9.3} {:>10.2} {:>5} of {:<5} {:>8.1}",
        best(|line| line.start),
        best(|line| line.step),
        runs[0].iterations,
        runs[0].matrices,
        runs[0].steps,
        largest.saturating_sub(before) as f64 / bodies as f64,
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
    println!("µs per body, µs per step and body, kB per body");
    println!(
        "{:<6} {:<15} {:>7} {:>9} {:>9} {:>10} {:>14} {:>8}",
        "", "", "bodies", "start", "step", "iterations", "matrices", "memory"
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
