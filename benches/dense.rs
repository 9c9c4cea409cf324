//! How right values are between the steps, beside those at them: the examples by every method.
//!
//! ```sh
//! cargo bench --bench dense                           # all examples but the flexible ones
//! cargo bench --bench dense -- HeavyTop Chain         # some
//! cargo bench --bench dense -- --method=radau5        # one method
//! cargo bench --bench dense -- --worst                # every run, with the quantity that is worst
//! ```
//!
//! A run's steps, and four instants within each, are compared with a run of `radau5` at a tolerance
//! of 1e-12. An error is relative to the largest value that the quantities of its kind and unit take
//! over the run. What is counted: the largest error between the steps over the larger of three times
//! the largest at them and the tolerance; at most 1 is as good as the steps are.

#[path = "../tests/suite/between.rs"]
#[allow(unused_imports)]
mod between;
#[path = "../tests/suite/models.rs"]
#[allow(unused_imports)]
mod models;

use between::{Measured, measure};
use mbd::integrate::METHODS;
use mbd::prelude::*;
use models::*;

const TOLERANCES: [f64; 3] = [1e-3, 1e-5, 1e-7];
/// Beyond this a run counts as not finished.
const MAX_STEPS: usize = 4000;

fn main() {
    let (options, chosen): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|a| a.starts_with("--"));
    let only: Vec<&str> = options.iter().filter_map(|o| o.strip_prefix("--method=")).collect();
    let every = options.iter().any(|o| o == "--worst");
    let mut found: Vec<(&str, f64, String, Measured)> = Vec::new();
    macro_rules! study {
        ($($mechanism:ident)*) => { $(
            let name = stringify!($mechanism);
            if chosen.is_empty() || chosen.iter().any(|c| c == name) {
                for info in METHODS.iter().filter(|m| only.is_empty() || only.contains(&m.name)) {
                    for tolerance in TOLERANCES {
                        let step = Step::adaptive(tolerance);
                        let place = format!("{name} {tolerance:.0e}");
                        match measure(&$mechanism::default(), info.name, step, (1.0, MAX_STEPS)) {
                            Ok(measured) => {
                                if every {
                                    println!("{:20} {place:28} {measured}", info.name);
                                }
                                found.push((info.name, tolerance, place, measured));
                            }
                            Err(error) if every => {
                                println!("{:20} {place:28} left out: {error}", info.name);
                            }
                            Err(_) => {}
                        }
                    }
                }
            }
        )* };
    }
    study! {
        ActuatorPendulum Andrews AndrewsBodies BushingPendulum CarAxis Chain CrankModal
        DoublePendulum DriftSliderCrank FourBar HeavyTop IdaSliderCrank JayNegrut MassPi Pendulum
        PointMassOscillation PointMassSpring RollingDisc SevenBody Skate SliderCrank
        SliderCrankHaug StiffPendulum TwoBodyBushing
    }
    println!("\n| method | runs | as good as at steps | worst | where |\n|---|---|---|---|---|");
    for info in METHODS {
        let mut runs: Vec<_> = found
            .iter()
            .filter(|f| f.0 == info.name)
            .map(|(_, tolerance, place, measured)| (measured.ratio(*tolerance), place, measured))
            .collect();
        runs.sort_by(|a, b| b.0.total_cmp(&a.0));
        let good = runs.iter().filter(|r| r.0 <= 1.0).count();
        if let Some((ratio, place, measured)) = runs.first() {
            println!(
                "| {} | {} | {good} | {ratio:.2} | {place}, {} |",
                info.name,
                runs.len(),
                measured.worst(1e-300).0
            );
        }
    }
}
