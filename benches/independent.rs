//! What a start and a step of the methods that choose independent coordinates cost as a chain grows, beside
//! `radau5`, which chooses none.
//!
//! ```sh
//! cargo bench --bench independent                  # 64 to 1024 links
//! cargo bench --bench independent -- explicit-rk   # one method
//! ```
//!
//! *start* is everything up to the end of the first step; a step is one of [`STEPS`] after it, of 1 ms. Times
//! are the best of [`RUNS`] runs. What counts are the ratios: time per link over that of 64 links, 1 where
//! time is linear.

use mbd::integrate::{Integrator, Method, Step};
use mbd::prelude::*;
use std::time::Instant;

#[path = "../examples/chain.rs"]
#[allow(dead_code)]
mod chain;

const LINKS: [usize; 5] = [64, 128, 256, 512, 1024];
const METHODS: [&str; 5] =
    ["radau5", "explicit-rk", "explicit-abm", "state-space", "state-space-fv"];
const H: f64 = 1e-3;
const STEPS: usize = 20;
const RUNS: usize = 3;

/// Seconds of the start and of a step.
fn run(links: usize, method: &str) -> Result<[f64; 2], Error> {
    let chain = chain::Chain { n: links, ..Default::default() };
    let clock = Instant::now();
    let method = Method::from_name(method)?;
    let started = Simulation::new(&chain).start()?;
    let mut integrator = Integrator::new(&started.system, &method, Step::fixed(H), &started.point)?;
    integrator.step_once(H)?;
    let start = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    for _ in 0..STEPS {
        integrator.step_once((STEPS + 1) as f64 * H)?;
    }
    Ok([start, clock.elapsed().as_secs_f64() / STEPS as f64])
}

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    println!("method                links  start ms  ratio  step ms  ratio");
    for method in METHODS {
        if !chosen.is_empty() && !chosen.iter().any(|c| c == method) {
            continue;
        }
        let mut first = None;
        for links in LINKS {
            let runs: Result<Vec<[f64; 2]>, Error> =
                (0..RUNS).map(|_| run(links, method)).collect();
            let best = runs.map(|runs| {
                [0, 1].map(|k| runs.iter().map(|run| run[k]).fold(f64::INFINITY, f64::min))
            });
            match best {
                Ok(times) => {
                    let per_link = times.map(|time| time / links as f64);
                    let first = *first.get_or_insert(per_link);
                    println!(
                        "{method:<20} {links:>6} {:>9.2} {:>6.2} {:>8.3} {:>6.2}",
                        1e3 * times[0],
                        per_link[0] / first[0],
                        1e3 * times[1],
                        per_link[1] / first[1]
                    );
                }
                Err(error) => println!("{method:<20} {links:>6} {error}"),
            }
        }
    }
}
