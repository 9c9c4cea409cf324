//! Errors between the steps of a run beside those at them; all examples in `benches/dense.rs`.

#![allow(dead_code)]

use crate::models::*;
use mbd::assembly::{Point, Residual, SlotKind, Want};
use mbd::integrate::{Integrator, METHODS, Method, Step};
use mbd::model::{Mechanism, Model};
use mbd::simulation::Simulation;
use std::fmt;

/// Instants within a step, in parts of it.
const WITHIN: [f64; 4] = [0.07, 0.31, 0.5, 0.83];

/// What is smaller than this is at rest.
const LEAST: f64 = 1e-6;

const KINDS: [SlotKind; 8] = [
    SlotKind::Q,
    SlotKind::V,
    SlotKind::A,
    SlotKind::Lambda,
    SlotKind::Psi,
    SlotKind::X,
    SlotKind::Xd,
    SlotKind::W,
];

/// Largest errors of a kind of quantity, relative to the largest value of its kind and unit.
#[derive(Clone, Debug, PartialEq)]
pub struct OfKind {
    pub kind: SlotKind,
    pub name: String,
    pub at_steps: f64,
    pub between: f64,
}

/// What was found of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    pub kinds: Vec<OfKind>,
    pub steps: usize,
    /// Largest violation of position and velocity constraints, at the steps and between them.
    pub violation: [[f64; 2]; 2],
}

impl Measured {
    /// The kind that is worst between the steps, and how much worse than allowed.
    pub fn worst(&self, tolerance: f64) -> (String, f64) {
        let of = |k: &OfKind| k.between / (3.0 * k.at_steps).max(tolerance);
        self.kinds
            .iter()
            .map(|k| {
                (format!("{} ({:.1e}, {:.1e} at steps)", k.name, k.between, k.at_steps), of(k))
            })
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or_default()
    }

    pub fn ratio(&self, tolerance: f64) -> f64 {
        self.worst(tolerance).1
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:5} steps;", self.steps)?;
        for k in &self.kinds {
            write!(f, " {} {:.1e}/{:.1e}", k.kind_name(), k.between, k.at_steps)?;
        }
        let [steps, between] = self.violation;
        write!(
            f,
            "; g {:.0e}/{:.0e} gdot {:.0e}/{:.0e}",
            between[0], steps[0], between[1], steps[1]
        )
    }
}

impl OfKind {
    fn kind_name(&self) -> String {
        format!("{:?}", self.kind).to_lowercase()
    }
}

/// Runs a part of a mechanism's motion by a method, and again tightly.
pub fn measure(
    mechanism: &impl Mechanism,
    method: &str,
    step: Step,
    (part, max_steps): (f64, usize),
) -> Result<Measured, String> {
    let text = |error: &dyn fmt::Display| error.to_string();
    let started = Simulation::new(mechanism).start().map_err(|e| text(&e))?;
    let system = &started.system;
    let t_end = part * system.model().t_end().unwrap_or(1.0);
    let method = Method::from_name(method).map_err(|e| text(&e))?;
    let mut run = Integrator::new(system, &method, step, &started.point).map_err(|e| text(&e))?;
    let mut samples: Vec<(bool, Point)> = Vec::new();
    let mut point = started.point.clone();
    let mut violation = [[0.0f64; 2]; 2];
    let mut pieces = Residual::new(&system.dims());
    while run.point().t() < t_end {
        if run.stats().steps >= max_steps {
            return Err(format!("{max_steps} steps to t = {}", run.point().t()));
        }
        run.step_once(t_end).map_err(|e| text(&e))?;
        let (from, to) = (run.previous().t(), run.point().t());
        for s in WITHIN {
            run.interpolate(from + s * (to - from), &mut point);
            samples.push((false, point.clone()));
        }
        samples.push((true, run.point().clone()));
    }
    for (at_step, point) in &samples {
        system.eval_at(point, Want::G | Want::GDOT | Want::K, &mut pieces);
        let largest = |v: &[f64]| v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let of = &mut violation[usize::from(!at_step)];
        of[0] = of[0].max(largest(&pieces.g));
        of[1] = of[1].max(largest(&pieces.gdot)).max(largest(&pieces.k));
    }

    // The same by small steps.
    let radau = Method::from_name("radau5").map_err(|e| text(&e))?;
    let mut reference = Integrator::new(system, &radau, Step::adaptive(1e-12), &started.point)
        .map_err(|e| text(&e))?;
    let model = system.model();
    let count: Vec<usize> = KINDS.iter().map(|k| started.point.get(*k).len()).collect();
    let mut errors: Vec<Vec<[f64; 2]>> = count.iter().map(|c| vec![[0.0; 2]; *c]).collect();
    let mut sizes: Vec<Vec<f64>> = count.iter().map(|c| vec![0.0; *c]).collect();
    for (at_step, sample) in &samples {
        while reference.point().t() < sample.t() {
            reference.step_once(t_end).map_err(|e| format!("reference: {e}"))?;
        }
        reference.interpolate(sample.t(), &mut point);
        for (k, kind) in KINDS.into_iter().enumerate() {
            for (i, (ours, theirs)) in sample.get(kind).iter().zip(point.get(kind)).enumerate() {
                let error = &mut errors[k][i][usize::from(!at_step)];
                *error = error.max((ours - theirs).abs());
                sizes[k][i] = sizes[k][i].max(theirs.abs());
            }
        }
    }
    let kinds = KINDS
        .into_iter()
        .enumerate()
        .filter(|(k, _)| count[*k] > 0)
        .map(|(k, kind)| {
            let scale = scales(model, kind, &sizes[k]);
            let largest = |which: usize| {
                let relative = errors[k].iter().zip(&scale).map(|(e, s)| e[which] / s);
                relative.enumerate().fold((0, 0.0), |a, b| if b.1 > a.1 { b } else { a })
            };
            let (at, between) = largest(1);
            let name = model.scalar_name(kind, at);
            OfKind { kind, name, at_steps: largest(0).1, between }
        })
        .collect();
    Ok(Measured { kinds, steps: run.stats().steps, violation })
}

/// For each quantity of a kind the largest value of those in its unit.
fn scales(model: &Model, kind: SlotKind, sizes: &[f64]) -> Vec<f64> {
    let labels = match kind {
        SlotKind::Q | SlotKind::V | SlotKind::A => model.coords(),
        SlotKind::X | SlotKind::Xd => model.states(),
        SlotKind::W => model.variables(),
        _ => &[],
    };
    let unit = |i: usize| labels.get(i).map_or("", |l| &*l.unit);
    (0..sizes.len())
        .map(|i| {
            let same = (0..sizes.len()).filter(|&j| unit(j) == unit(i));
            same.map(|j| sizes[j]).fold(LEAST, f64::max)
        })
        .collect()
}

/// Every quantity is as good between the steps as at them, within a factor of three or the
/// tolerance, by every method: a, λ and w were straight lines once, and up to 10⁴ times worse.
#[test]
fn values_between_steps_are_as_good_as_those_at_them() {
    let mut found = Vec::new();
    let mut all = |mechanism: &dyn Fn(&str, Step) -> Result<Measured, String>,
                   tolerances: &[f64]| {
        for info in METHODS {
            for &tolerance in tolerances {
                // Refused models are left out.
                if let Ok(measured) = mechanism(info.name, Step::adaptive(tolerance)) {
                    found.push((info.name, tolerance, measured));
                }
            }
        }
    };
    let part = (0.2, 1000);
    all(&|m, step| measure(&SliderCrank::default(), m, step, part), &[1e-4, 1e-9]);
    all(&|m, step| measure(&ActuatorPendulum::default(), m, step, part), &[1e-4, 1e-7]);
    all(&|m, step| measure(&Skate::default(), m, step, part), &[1e-6]);
    all(&|m, step| measure(&StiffPendulum::default(), m, step, part), &[1e-3]);
    all(&|m, step| measure(&IdaSliderCrank::default(), m, step, part), &[1e-5]);
    assert!(found.len() > 80, "{} runs", found.len());
    let mut bad = Vec::new();
    for (method, tolerance, measured) in &found {
        let (what, ratio) = measured.worst(*tolerance);
        if !(ratio <= 1.0) {
            bad.push(format!("{method} at {tolerance:.0e}: {ratio:.1} in {what}"));
        }
    }
    assert!(bad.is_empty(), "{} of {} runs:\n{}", bad.len(), found.len(), bad.join("\n"));
}

/// What holds at the steps holds between them.
#[test]
fn constraints_hold_between_steps() {
    for method in ["gen-alpha-soi2", "dae-alpha", "radau5", "bdf-ggl", "state-space", "explicit-rk"]
    {
        let step = Step::adaptive(1e-4);
        let measured = measure(&SliderCrank::default(), method, step, (0.2, 1000)).unwrap();
        let [_, [position, velocity]] = measured.violation;
        assert!(position < 1e-13 && velocity < 1e-11, "{method}: {position:e}, {velocity:e}");
    }
}

/// Points drawn between the steps lie on the solution, in the order of time, and change neither the
/// steps nor the rows.
#[test]
fn curves_are_drawn_through_points_between_the_steps() {
    use mbd::solution::{OutputError, RowSink};
    #[derive(Default)]
    struct Sink {
        within: usize,
        rows: Vec<[f64; 2]>,
        all: Vec<[f64; 2]>,
    }
    impl RowSink for Sink {
        fn row(&mut self, row: &[f64]) -> Result<(), OutputError> {
            self.rows.push([row[0], row[1]]);
            self.curve(row)
        }
        fn curve_points(&self) -> usize {
            self.within
        }
        fn curve(&mut self, row: &[f64]) -> Result<(), OutputError> {
            self.all.push([row[0], row[1]]);
            Ok(())
        }
    }
    let run = |within: usize, every: Option<f64>| {
        let mut sink = Sink { within, ..Default::default() };
        let simulation = Simulation::new(&SliderCrank::default())
            .method(Method::from_name("radau5").unwrap())
            .step(Step::adaptive(1e-6))
            .until(0.2);
        let simulation = match every {
            Some(dt) => simulation.every(dt),
            None => simulation,
        };
        let steps = simulation.stream(&mut sink).run().unwrap().stats.steps;
        (sink, steps)
    };
    let (plain, steps) = run(0, None);
    let (drawn, same) = run(7, None);
    assert_eq!((steps, &plain.rows), (same, &drawn.rows));
    assert_eq!(drawn.all.len(), 8 * steps + 1);
    let (sparse, _) = run(7, Some(0.05));
    assert_eq!(sparse.rows.len(), 5);
    assert!(sparse.all.len() > 8 * steps);
    for sink in [&drawn, &sparse] {
        assert!(sink.all.windows(2).all(|w| w[0][0] < w[1][0]), "times rise");
        // Second differences of θ are those of a smooth curve: below h² max |θ̈|.
        let kinks = sink.all.windows(3).map(|w| {
            let slope = |a: [f64; 2], b: [f64; 2]| (b[1] - a[1]) / (b[0] - a[0]);
            (slope(w[1], w[2]) - slope(w[0], w[1])).abs()
        });
        assert!(kinks.fold(0.0, f64::max) < 1.0);
    }
}

mod driven {
    use mbd::prelude::*;

    mechanism! {
        /// A mass that is led around: steps have no error, and are as long as they may.
        pub mechanism LedAround {
            param m: [kg] = 2.0;
            param l: [m] = 0.5;
            param w: [rad/s] = 30.0;
            coord x: [m];
            coord y: [m];
            kinetic = 0.5*m*(sq(der(x)) + sq(der(y)));
            potential = m*9.81*y;
            holonomic across: x == l*cos(w*t);
            holonomic height: y == l*sin(w*t);
            guess x = 0.5;
            guess y = 0.0;
            until 2.0;
        }
    }
}

/// What constraints say of accelerations is no stiffness, however long the step: reactions of prescribed motion are exact
/// between the steps. Those of `state-space` were off by their whole size.
#[test]
fn reactions_of_prescribed_motion_are_exact_between_steps() {
    let model = driven::LedAround::default();
    let (m, l, w) = (model.m, model.l, model.w);
    for method in ["state-space", "explicit-abm", "explicit-rk", "bdf-cs", "radau5"] {
        let run = Simulation::new(&model)
            .method(Method::from_name(method).unwrap())
            .step(Step::adaptive(1e-9))
            .every(0.003)
            .run()
            .unwrap_or_else(|error| panic!("{method}: {error}"));
        let steps = run.stats.steps;
        let across = run.series("lambda(across)").unwrap();
        let height = run.series("lambda(height)").unwrap();
        for ((t, across), height) in run.times().iter().zip(across).zip(height) {
            let size = m * l * w * w;
            let errors = [across - size * (w * t).cos(), height - size * (w * t).sin() + m * 9.81];
            assert!(
                errors.iter().all(|error| error.abs() < 1e-5 * size),
                "{method} at {t} ({steps} steps): {errors:?} of {size}"
            );
        }
    }
}
