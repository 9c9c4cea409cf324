//! What the options of the default method are chosen by: the examples over tolerances, with each
//! ρ∞ of `gen-alpha-soi2` and beside the other α-methods.
//!
//! ```sh
//! cargo bench --bench defaults                       # all examples but the flexible ones
//! cargo bench --bench defaults -- HeavyTop Chain     # some
//! ```
//!
//! A method of order 2 that is twice as accurate at the same tolerance could have taken steps √2
//! times as long, so what methods are judged by is the work of a given error, evaluations · √error,
//! relative to the default method's on the same example at the same tolerance. The summary is the
//! geometric mean of that ratio over examples and tolerances, and its extremes. Runs whose error is
//! not clear of the reference's own are left out.

#[path = "../tests/suite/models.rs"]
mod models;

use mbd::compare::{Comparison, Reference, Study};
use mbd::prelude::*;
use models::*;

const TOLERANCES: [f64; 4] = [1e-3, 1e-4, 1e-5, 1e-6];
const RADII: [f64; 6] = [0.5, 0.6, 0.7, 0.9, 0.95, 1.0];
const OTHERS: [&str; 3] = ["hht-soi2", "hht-i3", "dae-alpha"];
const REFERENCE: f64 = 1e-10;
/// Beyond this a run counts as not finished.
const MAX_STEPS: usize = 300_000;
/// The reference has to be this much better than what is held against it.
const CLEAR: f64 = 5.0;

#[derive(Clone, Copy)]
struct Outcome {
    error: f64,
    evaluations: f64,
}

impl Outcome {
    fn work(self) -> f64 {
        self.evaluations * self.error.sqrt()
    }
}

/// What came of a method.
struct Summary {
    name: String,
    method: Method,
    /// Work relative to the first method's, and where.
    work: Vec<(f64, String)>,
    errors: Vec<f64>,
    unfinished: Vec<String>,
}

impl Summary {
    fn new(name: String, method: Method) -> Self {
        Summary { name, method, work: Vec::new(), errors: Vec::new(), unfinished: Vec::new() }
    }
}

fn main() -> Result<(), Error> {
    let mut methods = vec![Summary::new("gen-alpha-soi2".into(), Method::default())];
    for rho in RADII {
        methods.push(Summary::new(format!("rho {rho}"), Method::default().rho(rho)?));
    }
    for name in OTHERS {
        methods.push(Summary::new(name.into(), Method::from_name(name)?));
    }
    let chosen: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    macro_rules! study {
        ($($mechanism:ident)*) => { $(
            if chosen.is_empty() || chosen.iter().any(|c| c == stringify!($mechanism)) {
                study(&$mechanism::default(), &mut methods)?;
            }
        )* };
    }
    study! {
        ActuatorPendulum Andrews AndrewsBodies BushingPendulum CarAxis Chain CrankModal
        DoublePendulum DriftSliderCrank FourBar HeavyTop IdaSliderCrank JayNegrut MassPi Pendulum
        PointMassOscillation PointMassSpring RollingDisc SevenBody Skate SliderCrank
        SliderCrankHaug TwoBodyBushing
    }

    println!(
        "\n| method | runs | work of equal error | least | most | error at equal tolerance | \
         not finished |\n|---|---|---|---|---|---|---|"
    );
    for method in &mut methods {
        method.work.sort_by(|a, b| a.0.total_cmp(&b.0));
        let at = |entry: Option<&(f64, String)>| {
            entry.map_or(String::new(), |(ratio, place)| format!("{ratio:.2} ({place})"))
        };
        println!(
            "| {} | {} | {:.2} | {} | {} | {:.2} | {} |",
            method.name,
            method.work.len(),
            geometric(method.work.iter().map(|w| w.0)),
            at(method.work.first()),
            at(method.work.last()),
            geometric(method.errors.iter().copied()),
            method.unfinished.join(", "),
        );
    }
    Ok(())
}

fn study(mechanism: &impl Mechanism, methods: &mut [Summary]) -> Result<(), Error> {
    let mut comparison = Comparison::new(mechanism)
        .reference(Reference::Run(Method::from_name("hht-i3")?, REFERENCE))
        .max_steps(MAX_STEPS)
        .tolerances(&TOLERANCES);
    for summary in methods.iter() {
        comparison = comparison.method(summary.method.clone());
    }
    match comparison.run() {
        Ok(study) => record(&study, methods),
        Err(error) => println!("{}: left out, {error}", mechanism.model()?.name()),
    }
    Ok(())
}

/// Compares every method's runs with those of the first.
fn record(study: &Study, methods: &mut [Summary]) {
    println!("{}, reference good to {:.0e}", study.model, study.uncertainty);
    let clear = |o: &Outcome| o.error > CLEAR * study.uncertainty;
    let mut trials = study.trials.iter();
    let mut first = [None; TOLERANCES.len()];
    for (m, method) in methods.iter_mut().enumerate() {
        print!("  {:15}", method.name);
        for (first, tolerance) in first.iter_mut().zip(TOLERANCES) {
            let Some(trial) = trials.next() else { break };
            let place = format!("{} {tolerance:.0e}", study.model);
            match &trial.outcome {
                Ok(run) => {
                    let evaluations = run.stats.residuals as f64;
                    let run = Outcome { error: run.error, evaluations };
                    print!(" {:.1e} in {evaluations};", run.error);
                    if m == 0 {
                        *first = Some(run);
                    }
                    if let Some(base) = first.filter(|base| clear(base) && clear(&run)) {
                        method.work.push((run.work() / base.work(), place));
                        method.errors.push(run.error / base.error);
                    }
                }
                Err(error) => {
                    print!(" not finished;");
                    method.unfinished.push(place);
                    // A method that refuses the model has one trial.
                    if matches!(error, Error::Option(_)) {
                        break;
                    }
                }
            }
        }
        println!();
    }
}

fn geometric(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(s, n), v| (s + v.ln(), n + 1));
    (sum / f64::from(count.max(1))).exp()
}
