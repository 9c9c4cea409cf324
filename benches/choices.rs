//! What choices cost: cables that only pull, between spatial bodies, beside a twin whose cables are
//! smooth about the length at which they go slack.
//!
//! `cargo bench --bench choices`. Times of a fixed step of `gen-alpha-soi2` are the best of several
//! runs; steps are those of an adaptive run in which all cables but the first go slack together.

#![allow(missing_docs)]

use mbd::components::spatial;
use mbd::integrate::{Method, Step};
use mbd::model::Mechanism;
use mbd::prelude::mechanism;
use mbd::{Error, Simulation, Solution};
use std::time::Instant;

macro_rules! cables {
    ($name:ident, |$stretch:ident, $width:ident| $pull:expr) => {
        mechanism! {
            /// Bodies that hang from each other by cables.
            pub mechanism $name {
                size n = 64;
                param k: [N/m] = 2e3;
                param slack: [m] = 1.0;
                /// How softly the smooth twin goes slack.
                param _width: [m] = 1e-3;
                param hang: [m] = 1.02;
                param g: [m/s^2] = 9.81;
                body link[n]: SpatialBody { mass: 0.2, jx: 0.01, jy: 0.01, jz: 0.02 };
                for i in 0..n {
                    potential weight = 0.2*g*link[i].z;
                    init link[i].z = -(i as f64 + 1.0)*hang;
                    init link[i].e0 = 1.0;
                }
                let top = spatial::distance([0.0, 0.0, 0.1], link[0].frame.point([0.0, 0.0, 0.1]));
                force first along top = -k*(top - slack);
                for i in 1..n {
                    let reach = spatial::distance(
                        link[i-1].frame.point([0.0, 0.0, -0.1]),
                        link[i].frame.point([0.0, 0.0, 0.1]),
                    );
                    let $stretch = reach - slack + 0.2;
                    let $width = _width;
                    force cable along reach = -k*$pull;
                }
                until 1.0;
            }
        }
    };
}
cables!(Taut, |stretch, width| if stretch > 0.0 * width { stretch } else { 0.0 });
cables!(Smooth, |stretch, width| 0.5 * (stretch + (stretch * stretch + width * width).sqrt()));

fn main() -> Result<(), Error> {
    let (taut, smooth) = (Taut::default(), Smooth::default());
    let [a, b] = [per_step(&taut)?, per_step(&smooth)?];
    println!("64 cables, ms per fixed step: {a:.3}, smooth twin {b:.3}, ratio {:.2}", a / b);
    let [a, b] = [adaptive(&taut)?, adaptive(&smooth)?].map(|run| run.stats.steps);
    println!("steps to 1 s at tol 1e-4: {a}, smooth twin {b}");
    Ok(())
}

fn simulate(mechanism: &dyn Mechanism, step: Step, until: f64) -> Result<Solution, Error> {
    Simulation::new(mechanism)
        .method(Method::from_name("gen-alpha-soi2")?)
        .step(step)
        .error_estimate(false)
        .until(until)
        .run()
        .map_err(|error| error.error)
}

/// ms of a step, without the start.
fn per_step(mechanism: &dyn Mechanism) -> Result<f64, Error> {
    const H: f64 = 1e-3;
    let time = |until: f64| -> Result<(f64, f64), Error> {
        let (mut best, mut steps) = (f64::INFINITY, 0);
        for _ in 0..5 {
            let clock = Instant::now();
            steps = simulate(mechanism, Step::fixed(H), until)?.stats.steps;
            best = best.min(1e3 * clock.elapsed().as_secs_f64());
        }
        Ok((best, steps as f64))
    };
    // A step that a cable goes slack in is taken in parts, which count.
    let [(short, few), (long, many)] = [time(0.1)?, time(0.3)?];
    Ok((long - short) / (many - few))
}

fn adaptive(mechanism: &dyn Mechanism) -> Result<Solution, Error> {
    simulate(mechanism, Step::adaptive(1e-4), 1.0)
}
