//! What the options of the default method are chosen by: the examples over tolerances, with each
//! ρ∞ of `gen-alpha-soi2` and beside the other α-methods.
//!
//! ```sh
//! cargo bench --bench defaults                       # all examples but the flexible ones
//! cargo bench --bench defaults -- HeavyTop Chain     # some
//! cargo bench --bench defaults -- --newton           # when Newton's matrix is renewed
//! ```
//!
//! An error is the largest of any coordinate or state over the run, at a hundred even instants,
//! relative to the larger of 1 and the largest value it takes: as the tolerance counts. (At a single
//! instant errors that change sign flatter now this, now that method.)
//!
//! A method of order 2 that is twice as accurate at the same tolerance could have taken steps √2
//! times as long, so what methods are judged by is the work of a given error, evaluations · √error,
//! relative to the default method's on the same example at the same tolerance. The summary is the
//! geometric mean of that ratio over examples and tolerances, and its extremes.
//!
//! With `--newton` the options of Newton's iteration are studied instead, for `gen-alpha-soi2` and
//! `hht-i3` beside their own defaults; a matrix counts as [`MATRIX`] evaluations then.

#[path = "../tests/suite/models.rs"]
#[allow(unused_imports)]
mod models;

use mbd::assembly::SlotKind::{Q, X};
use mbd::integrate::MatrixPolicy;
use mbd::prelude::*;
use mbd::simulation::Record;
use mbd::solution::{ColumnKind, Solution};
use models::*;

const TOLERANCES: [f64; 4] = [1e-3, 1e-4, 1e-5, 1e-6];
const RADII: [f64; 6] = [0.5, 0.6, 0.7, 0.9, 0.95, 1.0];
const OTHERS: [&str; 3] = ["hht-soi2", "hht-i3", "dae-alpha"];
/// Tolerance of the reference, which is by `hht-i3`.
const REFERENCE: f64 = 1e-9;
const INSTANTS: f64 = 100.0;
/// What a matrix and its factorization take beside a residual and a solution: 2 on the chain, 3.4 on
/// Andrews' mechanism.
const MATRIX: f64 = 3.0;
/// Beyond this a run counts as not finished.
const MAX_STEPS: usize = 300_000;

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
    let (options, chosen): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|a| a.starts_with("--"));
    let (sets, matrix) = if options.iter().any(|a| a == "--newton") {
        (vec![recycling("gen-alpha-soi2")?, recycling("hht-i3")?], MATRIX)
    } else {
        (vec![members()?], 0.0)
    };
    for mut methods in sets {
        compare(&mut methods, &chosen, matrix)?;
    }
    Ok(())
}

/// The default method, itself with each ρ∞, and others.
fn members() -> Result<Vec<Summary>, Error> {
    let mut methods = vec![Summary::new("gen-alpha-soi2".into(), Method::default())];
    for rho in RADII {
        methods.push(Summary::new(format!("rho {rho}"), Method::default().rho(rho)?));
    }
    for name in OTHERS {
        methods.push(Summary::new(name.into(), Method::from_name(name)?));
    }
    Ok(methods)
}

/// A method with each option of Newton's iteration that differs from the default in one respect.
fn recycling(name: &str) -> Result<Vec<Summary>, Error> {
    let method = Method::from_name(name)?;
    let MatrixPolicy::Recycle { change, age, patience } = MatrixPolicy::RECYCLE_LONGER else {
        return Ok(Vec::new());
    };
    let mut methods = vec![Summary::new(name.into(), method.clone())];
    let mut add = |what: String, policy| {
        methods.push(Summary::new(what, method.clone().matrix_policy(policy)));
    };
    for change in [1.2, 1.67, 2.5, 10.0] {
        add(format!("change {change}"), MatrixPolicy::Recycle { change, age, patience });
    }
    for age in [20, 50, 200, 1000] {
        add(format!("age {age}"), MatrixPolicy::Recycle { change, age, patience });
    }
    for patience in [3, 4, 6, 8] {
        add(format!("patience {patience}"), MatrixPolicy::Recycle { change, age, patience });
    }
    add("every step".into(), MatrixPolicy::EveryStep);
    let trusting = method.clone().trust_rate(true);
    methods.push(Summary::new("rates of earlier steps".into(), trusting));
    Ok(methods)
}

/// Runs every method on the chosen examples, or on all, and prints what came of it.
fn compare(methods: &mut [Summary], chosen: &[String], matrix: f64) -> Result<(), Error> {
    macro_rules! study {
        ($($mechanism:ident)*) => { $(
            if chosen.is_empty() || chosen.iter().any(|c| c == stringify!($mechanism)) {
                study(&$mechanism::default(), methods, matrix)?;
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
    for method in methods {
        method.work.sort_by(|a, b| a.0.total_cmp(&b.0));
        let at = |entry: Option<&(f64, String)>| {
            entry.map_or(String::new(), |(ratio, place)| format!("{ratio:.2} ({place})"))
        };
        println!(
            "| {} | {} | {:.3} | {} | {} | {:.3} | {} |",
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

fn run(mechanism: &impl Mechanism, method: &Method, tolerance: f64) -> Result<Solution, Error> {
    let t_end = mechanism.model()?.t_end().unwrap_or(1.0);
    Simulation::new(mechanism)
        .method(method.clone())
        .step(Step::adaptive(tolerance))
        .until(t_end)
        .record(Record::Every(t_end / INSTANTS))
        .max_steps(MAX_STEPS)
        .error_estimate(false)
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

/// Compares every method's runs with those of the first.
fn study(mechanism: &impl Mechanism, methods: &mut [Summary], matrix: f64) -> Result<(), Error> {
    let model = mechanism.model()?.name().to_string();
    let reference = match run(mechanism, &Method::from_name("hht-i3")?, REFERENCE) {
        Ok(reference) => reference,
        Err(error) => {
            println!("{model}: left out, {error}");
            return Ok(());
        }
    };
    println!("{model}");
    let mut first = [None; TOLERANCES.len()];
    for (m, method) in methods.iter_mut().enumerate() {
        print!("  {:15}", method.name);
        for (first, tolerance) in first.iter_mut().zip(TOLERANCES) {
            let place = format!("{model} {tolerance:.0e}");
            match run(mechanism, &method.method, tolerance) {
                Ok(solution) => {
                    let stats = &solution.stats;
                    let evaluations = stats.residuals as f64 + matrix * stats.jacobians as f64;
                    let run = Outcome { error: error(&solution, &reference), evaluations };
                    print!(" {:.1e} in {evaluations};", run.error);
                    if m == 0 {
                        *first = Some(run);
                    }
                    if let Some(base) = *first {
                        method.work.push((run.work() / base.work(), place));
                        method.errors.push(run.error / base.error);
                    }
                }
                Err(_) => {
                    print!(" not finished;");
                    method.unfinished.push(place);
                }
            }
        }
        println!();
    }
    Ok(())
}

fn geometric(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(s, n), v| (s + v.ln(), n + 1));
    (sum / f64::from(count.max(1))).exp()
}
