//! How true the estimate of the global error is: over the examples, methods and tolerances, beside
//! the true error, and what it costs.
//!
//! ```sh
//! cargo bench --bench error_estimate                        # all
//! cargo bench --bench error_estimate -- HeavyTop hht-i3     # some examples, some methods
//! cargo bench --bench error_estimate -- 1e-4 1e-6           # some tolerances
//! cargo bench --bench error_estimate -- --certify           # what certified runs are worth
//! ```
//!
//! The true error is the difference to `radau5` at 1e-12 in up to 300 accepted steps of a run, the
//! largest over the run, relative to the same scales as the estimate; the reference is interpolated
//! and its reactions solved for at these instants. A run is judged where the references at 1e-12 and
//! 1e-11 differ by less than a third of its error; the others are counted. Motions that are [`CHAOTIC`]
//! are shown and not judged.
//!
//! Cost is processor time of the run with the estimate over that of the same run without; of a
//! certified run over one at the same tolerance.

#[path = "../tests/suite/models.rs"]
#[allow(unused_imports)]
mod models;

use mbd::assembly::{Point, SlotKind};
use mbd::integrate::{Integrator, METHODS, Method, Step};
use mbd::model::Mechanism;
use mbd::prelude::*;
use mbd::simulation::{Record, Started};
use mbd::solution::{ColumnKind, ErrorEstimate};
use models::*;

const TOLERANCES: [f64; 7] = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9];
const INSTANTS: usize = 300;
/// Beyond this a run is left out.
const MAX_STEPS: usize = 400_000;
/// Runs are repeated until they took this time together, in s.
const LONG: f64 = 0.03;

/// Examples whose motion magnifies errors without end, and what it makes of them.
const CHAOTIC: [(&str, &str); 0] = [];

/// What is compared, and as which of the three errors it counts.
const KINDS: [(SlotKind, usize); 5] = [
    (SlotKind::Q, 0),
    (SlotKind::X, 0),
    (SlotKind::V, 1),
    (SlotKind::Lambda, 2),
    (SlotKind::Psi, 2),
];

struct Asked {
    methods: Vec<&'static str>,
    tolerances: Vec<f64>,
    certify: bool,
}

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let named: Vec<&str> =
        METHODS.iter().map(|m| m.name).filter(|m| arguments.iter().any(|a| a == m)).collect();
    let tolerances: Vec<f64> = arguments.iter().filter_map(|a| a.parse().ok()).collect();
    let asked = Asked {
        methods: if named.is_empty() { METHODS.iter().map(|m| m.name).collect() } else { named },
        tolerances: if tolerances.is_empty() { TOLERANCES.to_vec() } else { tolerances },
        certify: arguments.iter().any(|a| a == "--certify"),
    };
    let is_method = |a: &str| METHODS.iter().any(|m| m.name == a);
    let is_model = |a: &&String| !a.starts_with("--") && !is_method(a) && a.parse::<f64>().is_err();
    let models: Vec<&String> = arguments.iter().filter(is_model).collect();
    let mut all = Vec::new();
    macro_rules! study {
        ($($mechanism:ident)*) => { $(
            if models.is_empty() || models.iter().any(|c| *c == stringify!($mechanism)) {
                study(&$mechanism::default(), &asked, &mut all)?;
            }
        )* };
    }
    study! {
        ActuatorPendulum Andrews AndrewsBodies Bushing BushingPendulum CarAxis Chain CrankModal
        DoublePendulum DriftSliderCrank FlexibleSliderCrank FourBar FreePair HeavyTop IdaSliderCrank
        JayNegrut MassPi Pendulum PointMassOscillation PointMassSpring RollingDisc SevenBody Skate
        SliderCrank SliderCrankHaug StiffPendulum TwoBodies TwoBodyBushing
    }
    summarize(&all, &asked);
    Ok(())
}

/// A finished run, and what its errors are.
struct Outcome {
    example: String,
    method: &'static str,
    tolerance: f64,
    steps: usize,
    /// Points of it, until they are compared.
    points: Vec<Point>,
    estimate: Option<ErrorEstimate>,
    /// Why there is none, or what a certified run ended with.
    told: Option<String>,
    cost: f64,
    /// True errors of q with x, of v, of λ with ψ, and what two references differ by.
    errors: [f64; 3],
    doubts: [f64; 3],
    /// Of q, x, v, λ, ψ.
    scales: [Vec<f64>; 5],
}

impl Outcome {
    /// Whether the reference is good enough to judge this run's motion, or its reactions.
    fn judged(&self, kind: usize) -> bool {
        let chaotic = CHAOTIC.iter().any(|(name, _)| *name == self.example);
        let kind = if kind < 2 { usize::from(self.errors[1] > self.errors[0]) } else { kind };
        !chaotic && self.doubts[kind] < 0.3 * self.errors[kind]
    }

    fn motion(&self) -> f64 {
        self.errors[0].max(self.errors[1])
    }

    /// Estimate over error of the motion.
    fn ratio(&self) -> Option<f64> {
        self.estimate.map(|e| e.motion() / self.motion())
    }

    fn print(&self) {
        let Outcome { method, tolerance, errors, .. } = self;
        print!("  {method:16} {tolerance:.0e} {:6} steps", self.steps);
        if let Some(e) = self.estimate {
            let kinds = [("q", e.q), ("v", e.v), ("lambda", e.lambda)];
            for ((name, estimate), error) in kinds.into_iter().zip(errors) {
                let estimate = estimate.unwrap_or(0.0);
                print!(" {name} {estimate:.1e}/{error:.1e} {:6.2}", estimate / error);
            }
            print!(" growth {:.1e}", e.growth.unwrap_or(f64::NAN));
        } else {
            print!(" error {:.1e}", self.motion());
        }
        let doubt = if self.judged(0) { "" } else { " ?" };
        println!(" cost {:.0} %{doubt} {}", 100.0 * self.cost, self.told.as_deref().unwrap_or(""));
    }
}

/// Processor time of this thread in s.
fn processor_time() -> f64 {
    // The scheduler brings its books up to date when a thread gives up the processor.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) * 1e-9
}

fn study(mechanism: &impl Mechanism, asked: &Asked, all: &mut Vec<Outcome>) -> Result<(), Error> {
    let model = mechanism.model()?;
    let (name, t_end) = (model.name().to_string(), model.t_end().unwrap_or(1.0));
    let started = Simulation::new(mechanism).start()?;
    println!("{name}");
    let mut outcomes = Vec::new();
    for method in &asked.methods {
        for &tolerance in &asked.tolerances {
            let outcome = if asked.certify {
                certified(mechanism, &started, t_end, method, tolerance)
            } else {
                estimated(&started, t_end, method, tolerance)
            };
            match outcome {
                Ok(outcome) => outcomes.push(outcome),
                Err(told) => println!("  {method:16} {tolerance:.0e} not finished: {told}"),
            }
        }
    }
    if let Err(told) = compare(&started, t_end, &mut outcomes) {
        println!("  no reference: {told}");
        return Ok(());
    }
    outcomes.iter().for_each(Outcome::print);
    all.append(&mut outcomes);
    Ok(())
}

/// What its errors are relative to.
fn scales(run: &Integrator<'_>) -> [Vec<f64>; 5] {
    let scales = run.scales();
    let [q, x, v] = [scales.q(), scales.x(), scales.v()].map(|scale| scale.weights());
    let [lambda, psi] = scales.reactions();
    [q.to_vec(), x.to_vec(), v.to_vec(), lambda, psi]
}

/// A finished run with every so many of its accepted points, and the processor time of its steps.
fn run<'a>(
    started: &'a Started,
    (method, tolerance): (&Method, f64),
    t_end: f64,
    (estimate, keep): (bool, bool),
) -> Result<(Integrator<'a>, Vec<Point>, f64), String> {
    let step = Step::adaptive(tolerance);
    let clock = processor_time();
    let mut integrator = Integrator::new(&started.system, method, step, &started.point)
        .map_err(|e| e.to_string())?;
    if estimate {
        integrator.estimate_error();
    }
    let mut points = Vec::new();
    let (mut every, mut count) = (1, 0);
    while integrator.point().t() < t_end {
        integrator.step_once(t_end).map_err(|e| e.to_string())?;
        count += 1;
        if count > MAX_STEPS {
            return Err("too many steps".into());
        }
        if keep && (count % every == 0 || integrator.point().t() >= t_end) {
            let mut told = integrator.point().clone();
            integrator.interpolate(told.t(), &mut told);
            points.push(told);
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
    // As a simulation does, with an estimate or without.
    let mut end = integrator.point().clone();
    integrator.interpolate(end.t(), &mut end);
    let time = processor_time() - clock;
    Ok((integrator, points, time))
}

fn estimated(
    started: &Started,
    t_end: f64,
    name: &'static str,
    tolerance: f64,
) -> Result<Outcome, String> {
    let method = Method::from_name(name).map_err(|e| e.to_string())?;
    let by = (&method, tolerance);
    let (kept, points, _) = run(started, by, t_end, (true, true))?;
    let (mut with, mut without) = (0.0, 0.0);
    for _ in 0..200 {
        for (estimate, sum) in [(true, &mut with), (false, &mut without)] {
            *sum += run(started, by, t_end, (estimate, false))?.2;
        }
        if without > LONG {
            break;
        }
    }
    Ok(Outcome {
        example: started.system.model().name().into(),
        method: name,
        tolerance,
        steps: kept.stats().steps,
        points,
        estimate: kept.error_estimate().ok(),
        told: kept.error_estimate().err().map(|why| why.to_string()),
        cost: with / without - 1.0,
        errors: [0.0; 3],
        doubts: [0.0; 3],
        scales: scales(&kept),
    })
}

fn certified(
    mechanism: &impl Mechanism,
    started: &Started,
    t_end: f64,
    name: &'static str,
    tolerance: f64,
) -> Result<Outcome, String> {
    let method = Method::from_name(name).map_err(|e| e.to_string())?;
    let (plain, _, time) = run(started, (&method, tolerance), t_end, (false, false))?;
    let clock = processor_time();
    let ended = Simulation::new(mechanism)
        .method(method)
        .step(Step::adaptive(tolerance))
        .record(Record::Every(t_end / INSTANTS as f64))
        .max_steps(MAX_STEPS)
        .certify(true)
        .run();
    let spent = processor_time() - clock;
    let (solution, told) = match ended {
        Ok(solution) => (solution, None),
        Err(failed) => match failed.partial {
            Some(solution) if matches!(failed.error, Error::Accuracy(_)) => {
                (*solution, Some(failed.error.to_string()))
            }
            _ => return Err(failed.error.to_string()),
        },
    };
    let points = (1..solution.len()).map(|i| {
        let row = solution.row(i);
        let mut point = started.point.clone();
        point.set_t(row[0]);
        for (kind, _) in KINDS {
            let column = ColumnKind::Slot(kind);
            point.get_mut(kind).copy_from_slice(&row[solution.range(column)]);
        }
        point
    });
    Ok(Outcome {
        example: started.system.model().name().into(),
        method: name,
        tolerance,
        steps: solution.stats.steps,
        points: points.collect(),
        estimate: solution.error_estimate.ok(),
        told,
        cost: spent / time - 1.0,
        errors: [0.0; 3],
        doubts: [0.0; 3],
        scales: scales(&plain),
    })
}

/// Fills in the true errors and what two references differ by: the references run once and are
/// interpolated at the instants of all points.
fn compare(started: &Started, t_end: f64, outcomes: &mut [Outcome]) -> Result<(), String> {
    let mut instants: Vec<(f64, usize, usize)> = Vec::new();
    for (i, outcome) in outcomes.iter().enumerate() {
        instants.extend(outcome.points.iter().enumerate().map(|(k, p)| (p.t(), i, k)));
    }
    instants.sort_by(|a, b| a.0.total_cmp(&b.0));
    let method = Method::from_name("radau5").map_err(|e| e.to_string())?;
    let mut references = Vec::new();
    for tolerance in [1e-12, 1e-11] {
        let step = Step::adaptive(tolerance);
        references.push(
            Integrator::new(&started.system, &method, step, &started.point)
                .map_err(|e| e.to_string())?,
        );
    }
    let mut at = [started.point.clone(), started.point.clone()];
    for (t, i, k) in instants {
        for (reference, at) in references.iter_mut().zip(&mut at) {
            while reference.point().t() < t {
                reference.step_once(t_end).map_err(|e| e.to_string())?;
            }
            reference.interpolate(t, at);
        }
        let outcome = &mut outcomes[i];
        let (scales, point) = (&outcome.scales, &outcome.points[k]);
        let [exact, second] = &at;
        for ((kind, to), scale) in KINDS.into_iter().zip(scales) {
            let values = point.get(kind).iter().zip(exact.get(kind)).zip(second.get(kind));
            for (((y, e), o), by) in values.zip(scale) {
                outcome.errors[to] = outcome.errors[to].max((y - e).abs() / by);
                outcome.doubts[to] = outcome.doubts[to].max((o - e).abs() / by);
            }
        }
    }
    outcomes.iter_mut().for_each(|outcome| outcome.points = Vec::new());
    let steps: Vec<usize> = references.iter().map(|r| r.stats().steps).collect();
    println!("  references of {steps:?} steps");
    Ok(())
}

fn percent(good: usize, of: usize) -> String {
    if of == 0 { "–".into() } else { format!("{:.1} %", 100.0 * good as f64 / of as f64) }
}

fn quantile(values: impl Iterator<Item = f64>, part: f64) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    values.get((part * last as f64).round() as usize).copied().unwrap_or(f64::NAN)
}

fn summarize(all: &[Outcome], asked: &Asked) {
    if asked.certify {
        println!(
            "\n| method | runs | exit 0 | of them error <= tol | exit 14 | cost median | worst |"
        );
        println!("|---|---|---|---|---|---|---|");
    } else {
        println!(
            "\n| method | runs | none | not judged | true <= 3 est | est <= 30 true | reactions: likewise | | cost median | worst |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|");
    }
    let line = |name: &str, of: &[&Outcome]| {
        if of.is_empty() {
            return;
        }
        let count = |ok: &dyn Fn(&Outcome) -> bool| of.iter().filter(|o| ok(o)).count();
        let costs = || of.iter().map(|o| 100.0 * o.cost);
        let (median, worst) = (quantile(costs(), 0.5), quantile(costs(), 1.0));
        if asked.certify {
            let ended = count(&|o| o.told.is_none());
            let kept = count(&|o| o.told.is_none() && o.motion() <= o.tolerance);
            println!(
                "| {name} | {} | {ended} | {} | {} | {median:.0} % | {worst:.0} % |",
                of.len(),
                percent(kept, ended),
                percent(of.len() - ended, of.len()),
            );
            return;
        }
        let judged = |k: usize| count(&|o| o.estimate.is_some() && o.judged(k));
        let motion =
            |ok: &dyn Fn(f64) -> bool| count(&|o| o.judged(0) && o.ratio().is_some_and(ok));
        let reactions = |ok: &dyn Fn(f64) -> bool| {
            let ratio = |o: &Outcome| o.estimate.and_then(|e| e.lambda).map(|e| e / o.errors[2]);
            count(&|o| o.judged(2) && ratio(o).is_some_and(ok))
        };
        println!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {median:.0} % | {worst:.0} % |",
            of.len(),
            count(&|o| o.estimate.is_none()),
            count(&|o| !o.judged(0)),
            percent(motion(&|r| r >= 1.0 / 3.0), judged(0)),
            percent(motion(&|r| r <= 30.0), judged(0)),
            percent(reactions(&|r| r >= 1.0 / 3.0), reactions(&|_| true)),
            percent(reactions(&|r| r <= 30.0), reactions(&|_| true)),
        );
    };
    for method in &asked.methods {
        line(method, &all.iter().filter(|o| o.method == *method).collect::<Vec<_>>());
    }
    for tolerance in &asked.tolerances {
        let of: Vec<_> = all.iter().filter(|o| o.tolerance == *tolerance).collect();
        line(&format!("{tolerance:.0e}"), &of);
    }
    line("all", &all.iter().collect::<Vec<_>>());
    println!();
    for o in all {
        let missed = if asked.certify {
            o.told.is_some() || o.motion() > o.tolerance
        } else {
            o.judged(0) && !o.ratio().is_some_and(|r| (1.0 / 3.0..=30.0).contains(&r))
        };
        if missed {
            print!("{}", o.example);
            o.print();
        }
    }
}
