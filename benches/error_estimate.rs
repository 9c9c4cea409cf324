//! How true the estimate of the global error is: over the examples, methods and tolerances, beside
//! the true error, and what it costs.
//!
//! ```sh
//! cargo bench --bench error_estimate                        # all
//! cargo bench --bench error_estimate -- HeavyTop hht-i3     # some examples, some methods
//! cargo bench --bench error_estimate -- --certify           # what certified runs are worth
//! ```
//!
//! The true error is the difference to `radau5` at 1e-12, in up to 300 accepted steps of a run, the
//! largest over the run, relative to the same scales as the estimate. Reactions of the reference are
//! solved for in each of these points. A motion whose references at 1e-12 and 3e-12 differ by more
//! than a third of an error is not judged by it.
//!
//! Cost is processor time of the run with the estimate over that of the same run without.

#[path = "../tests/suite/models.rs"]
#[allow(unused_imports)]
mod models;

use mbd::assembly::{Point, SlotKind};
use mbd::integrate::{Integrator, METHODS, Method, Step, dense};
use mbd::model::Mechanism;
use mbd::prelude::*;
use mbd::simulation::Started;
use mbd::solution::ErrorEstimate;
use models::*;

const TOLERANCES: [f64; 7] = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9];
const INSTANTS: usize = 300;
/// Beyond this a run is left out.
const MAX_STEPS: usize = 400_000;
/// Runs are repeated until they took this time together.
const LONG: f64 = 0.05;

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let methods: Vec<&str> =
        METHODS.iter().map(|m| m.name).filter(|m| arguments.iter().any(|a| a == m)).collect();
    let tolerances: Vec<f64> = arguments.iter().filter_map(|a| a.parse().ok()).collect();
    let tolerances = if tolerances.is_empty() { TOLERANCES.to_vec() } else { tolerances };
    let methods = if methods.is_empty() {
        METHODS.iter().map(|m| m.name).filter(|m| *m != "bdf-cm-stale").collect()
    } else {
        methods
    };
    let models: Vec<&String> = arguments
        .iter()
        .filter(|a| {
            !a.starts_with("--")
                && !METHODS.iter().any(|m| m.name == **a)
                && a.parse::<f64>().is_err()
        })
        .collect();
    let mut all = Vec::new();
    macro_rules! study {
        ($($mechanism:ident)*) => { $(
            if models.is_empty() || models.iter().any(|c| *c == stringify!($mechanism)) {
                study(&$mechanism::default(), &methods, &tolerances, &mut all)?;
            }
        )* };
    }
    study! {
        ActuatorPendulum Andrews AndrewsBodies BushingPendulum CarAxis Chain CrankModal
        DoublePendulum DriftSliderCrank FourBar HeavyTop IdaSliderCrank JayNegrut MassPi Pendulum
        PointMassOscillation PointMassSpring RollingDisc SevenBody Skate SliderCrank
        SliderCrankHaug StiffPendulum TwoBodyBushing TwoBodies FreePair
    }
    summarize(&all, &methods);
    Ok(())
}

struct Outcome {
    method: &'static str,
    place: String,
    /// Estimate over true error of q and v together, and of the reactions.
    motion: Option<f64>,
    reactions: Option<f64>,
    cost: f64,
    lost: bool,
}

/// Processor time of this thread in s.
fn processor_time() -> f64 {
    // The scheduler brings its books up to date when a thread gives up the processor.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}

struct Reference {
    steps: Vec<Point>,
}

impl Reference {
    fn new(started: &Started, tolerance: f64, t_end: f64) -> Option<Self> {
        let method = Method::from_name("radau5").ok()?;
        let step = Step::adaptive(tolerance);
        let mut run = Integrator::new(&started.system, &method, step, &started.point).ok()?;
        let mut steps = vec![started.point.clone()];
        while run.point().t() < t_end {
            run.step_once(t_end).ok()?;
            steps.push(run.point().clone());
            if steps.len() > 60_000 {
                return None;
            }
        }
        Some(Reference { steps })
    }

    fn at(&self, t: f64, out: &mut Point) {
        let i = self.steps.partition_point(|p| p.t() < t).clamp(1, self.steps.len() - 1);
        dense::interpolate_with_accelerations(&self.steps[i - 1], &self.steps[i], t, out);
    }
}

fn study(
    mechanism: &impl Mechanism,
    methods: &[&'static str],
    tolerances: &[f64],
    all: &mut Vec<Outcome>,
) -> Result<(), Error> {
    let model = mechanism.model()?;
    let (name, t_end) = (model.name().to_string(), model.t_end().unwrap_or(1.0));
    let started = Simulation::new(mechanism).start()?;
    let clock = processor_time();
    let references = [1e-12, 1e-11].map(|tol| Reference::new(&started, tol, t_end));
    let [Some(reference), Some(other)] = references else {
        println!("{name}: no reference");
        return Ok(());
    };
    println!(
        "{name}: reference {} steps, {:.2} s",
        reference.steps.len(),
        processor_time() - clock
    );
    for method in methods {
        for &tolerance in tolerances {
            one(&started, (&reference, &other), t_end, method, tolerance, all);
        }
    }
    Ok(())
}

/// A finished run: every so many accepted points, and what its integrator knows.
struct Run<'a> {
    points: Vec<Point>,
    integrator: Integrator<'a>,
}

/// Runs to the end, keeping points or not; the processor time of its steps.
fn run<'a>(
    started: &'a Started,
    (method, tolerance): (&Method, f64),
    t_end: f64,
    (estimate, keep): (bool, bool),
) -> Option<(Run<'a>, f64)> {
    let step = Step::adaptive(tolerance);
    let clock = processor_time();
    let mut integrator = Integrator::new(&started.system, method, step, &started.point).ok()?;
    if estimate {
        integrator.estimate_error();
    }
    let mut points = Vec::new();
    let (mut every, mut count) = (1, 0);
    while integrator.point().t() < t_end {
        integrator.step_once(t_end).ok()?;
        count += 1;
        if count > MAX_STEPS {
            return None;
        }
        if keep && (count % every == 0 || integrator.point().t() >= t_end) {
            points.push(integrator.point().clone());
            if points.len() >= 2 * INSTANTS {
                let mut i = 0;
                points.retain(|_| {
                    i += 1;
                    i % 2 == 0
                });
                every *= 2;
            }
        }
    }
    let time = processor_time() - clock;
    Some((Run { points, integrator }, time))
}

fn one(
    started: &Started,
    references: (&Reference, &Reference),
    t_end: f64,
    name: &'static str,
    tolerance: f64,
    all: &mut Vec<Outcome>,
) {
    let Ok(method) = Method::from_name(name) else { return };
    let by = (&method, tolerance);
    let Some((kept, _)) = run(started, by, t_end, (true, true)) else {
        println!("  {name:16} {tolerance:.0e} not finished");
        return;
    };
    let (mut with, mut without) = (0.0, 0.0);
    for _ in 0..200 {
        for (estimate, sum) in [(true, &mut with), (false, &mut without)] {
            let Some((_, time)) = run(started, by, t_end, (estimate, false)) else { return };
            *sum += time;
        }
        if without > LONG {
            break;
        }
    }
    let Some(ErrorEstimate { q, v, lambda, growth, lost, .. }) = kept.integrator.error_estimate()
    else {
        return;
    };
    let estimates = [q, v, lambda].map(|e| e.unwrap_or(0.0));
    let [errors, doubts] = errors(&kept, started, references);
    let ratio = |k: usize| estimates[k] / errors[k];
    let cost = with / without - 1.0;
    let known = |k: usize| doubts[k] < 0.3 * errors[k] && errors[k] > 1e-13;
    println!(
        "  {name:16} {tolerance:.0e} {:6} steps q {:.1e}/{:.1e} v {:.1e}/{:.1e} lambda {:.1e}/{:.1e} ratio {:8.2} {:8.2} {:8.2}{} growth {:.1e}{} cost {:3.0} %",
        kept.integrator.stats().steps,
        estimates[0],
        errors[0],
        estimates[1],
        errors[1],
        estimates[2],
        errors[2],
        ratio(0),
        ratio(1),
        ratio(2),
        if known(0) && known(1) { "" } else { " ?" },
        growth.unwrap_or(0.0),
        if lost { " lost" } else { "" },
        100.0 * cost,
    );
    let worst = if errors[0] > errors[1] { 0 } else { 1 };
    all.push(Outcome {
        method: name,
        place: format!("{} {tolerance:.0e}", started.system.model().name()),
        motion: known(worst).then(|| estimates[0].max(estimates[1]) / errors[0].max(errors[1])),
        reactions: (known(2) && lambda.is_some()).then(|| ratio(2)),
        cost,
        lost,
    });
}

/// The true errors of q (with x), v, λ (with ψ) and what two references differ by.
fn errors(
    run: &Run<'_>,
    started: &Started,
    (reference, other): (&Reference, &Reference),
) -> [[f64; 3]; 2] {
    use SlotKind::{Lambda, Psi, Q, V, X};
    let mut out = [started.point.clone(), started.point.clone()];
    let scales = run.integrator.scales();
    let kinds = [
        (Q, 0, scales.q().weights()),
        (V, 1, scales.v().weights()),
        (X, 0, scales.x().weights()),
        (Lambda, 2, scales.lambda()),
        (Psi, 2, scales.psi()),
    ];
    let mut found = [[0.0f64; 3]; 2];
    for point in &run.points {
        for (reference, p) in [reference, other].into_iter().zip(&mut out) {
            reference.at(point.t(), p);
            let _ = mbd::start::solve_accelerations(&started.system, p);
        }
        let [exact, second] = &out;
        for (kind, k, scale) in kinds {
            let values = point.get(kind).iter().zip(exact.get(kind)).zip(second.get(kind));
            for (((y, e), o), by) in values.zip(scale) {
                found[0][k] = found[0][k].max((y - e).abs() / by);
                found[1][k] = found[1][k].max((o - e).abs() / by);
            }
        }
    }
    found
}

fn summarize(all: &[Outcome], methods: &[&'static str]) {
    println!(
        "\n| method | runs | true <= 3 est | est <= 30 true | reactions: likewise | | cost median | worst |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let line = |name: &str, of: Vec<&Outcome>| {
        let part = |ratios: Vec<f64>, ok: &dyn Fn(f64) -> bool| {
            let good = ratios.iter().filter(|r| ok(**r)).count();
            format!("{:.1} %", 100.0 * good as f64 / ratios.len().max(1) as f64)
        };
        let motion: Vec<f64> = of.iter().filter_map(|o| o.motion).collect();
        let reactions: Vec<f64> = of.iter().filter_map(|o| o.reactions).collect();
        let mut costs: Vec<f64> = of.iter().map(|o| o.cost).collect();
        costs.sort_by(f64::total_cmp);
        if costs.is_empty() {
            return;
        }
        println!(
            "| {name} | {} | {} | {} | {} | {} | {:.0} % | {:.0} % |",
            motion.len(),
            part(motion.clone(), &|r| r >= 1.0 / 3.0),
            part(motion, &|r| r <= 30.0),
            part(reactions.clone(), &|r| r >= 1.0 / 3.0),
            part(reactions, &|r| r <= 30.0),
            100.0 * costs[costs.len() / 2],
            100.0 * costs[costs.len() - 1],
        );
    };
    for method in methods {
        line(method, all.iter().filter(|o| o.method == *method).collect());
    }
    line("all", all.iter().collect());
    for o in all {
        if o.motion.is_some_and(|r| !(1.0 / 3.0..=30.0).contains(&r)) {
            let lost = if o.lost { ", lost" } else { "" };
            println!("{} {}: {:.3e}{lost}", o.method, o.place, o.motion.unwrap_or(0.0));
        }
    }
}
