//! The problems with their reference solutions, and a run measured against one.

use crate::models::{DoublePendulum, SevenBody, SliderCrankHaug};
use crate::report::Failure;
use crate::study::{finish, start};
use mbd::integrate::{
    Explicit, Formula, Integrator, Jacobian, MatrixPolicy, Method, Prediction, StateSpace, Step,
};
use mbd::model::Mechanism;
use mbd::simulation::Started;
use std::time::Instant;

/// Samples of a reference solution; steps that divide the time span into a divisor of this many
/// end on samples.
const SAMPLES: usize = 40_320;

/// Tolerance of Newton's iteration, unless said otherwise.
pub const NEWTON: f64 = 1e-8;

/// One of the paper's problems.
pub struct Problem {
    /// Short name, as in the table of data.
    pub name: &'static str,
    /// The name in files.
    pub file: &'static str,
    /// What the error is that of.
    pub quantity: &'static str,
    /// End of the simulation in s.
    pub t_end: f64,
    /// The mechanism at its start.
    pub started: Started,
    coordinate: usize,
    reference: Vec<f64>,
}

/// A run measured against the reference, in the paper's norms.
pub struct Measured {
    /// Largest error.
    pub sup: f64,
    /// When, in s.
    pub at: f64,
    /// Root of the sum of the squared errors of all steps.
    pub two: f64,
    /// `sup` in percent of the reference there.
    pub relative: f64,
    /// Newton iterations of every step.
    pub iterations: Vec<usize>,
    /// Wall time in ms.
    pub ms: f64,
}

impl Measured {
    /// Mean number of iterations.
    pub fn mean(&self) -> f64 {
        self.iterations.iter().sum::<usize>() as f64 / self.iterations.len().max(1) as f64
    }
}

impl Problem {
    /// E1 with both sets of data, E2, E3.
    pub fn all() -> Result<Vec<Problem>, Failure> {
        let stiff = DoublePendulum { k2: 3e5, c2: 7500.0, ..Default::default() };
        Ok(vec![
            Problem::new(&stiff, "E1, stiff", "pendulum_stiff", "bar1.theta", 0.1)?,
            Problem::new(
                &DoublePendulum::default(),
                "E1, mild",
                "pendulum_mild",
                "bar1.theta",
                0.1,
            )?,
            Problem::new(&SliderCrankHaug::default(), "E2", "slider_crank", "crank.theta", 0.1)?,
            Problem::new(&SevenBody::default(), "E3", "seven_body", "k1.theta", 0.035)?,
        ])
    }

    fn new(
        mechanism: &impl Mechanism,
        name: &'static str,
        file: &'static str,
        quantity: &'static str,
        t_end: f64,
    ) -> Result<Self, Failure> {
        let started = start(mechanism)?;
        let coords = started.system.model().coords();
        let coordinate = coords.iter().position(|label| label.name == quantity).unwrap_or(0);
        let mut reference = vec![started.point.q()[coordinate]];
        let mut point = started.point.clone();
        let method = Explicit::new(Formula::DormandPrince);
        finish(&started, method, Step::adaptive(1e-11), t_end, |integrator| {
            loop {
                let t = reference.len() as f64 / SAMPLES as f64 * t_end;
                if t > integrator.point().t() * (1.0 + 1e-12) || reference.len() > SAMPLES {
                    break;
                }
                integrator.interpolate(t, &mut point);
                reference.push(point.q()[coordinate]);
            }
        })?;
        Ok(Problem { name, file, quantity, t_end, started, coordinate, reference })
    }

    /// The reference by the cubic through four samples.
    fn exact(&self, t: f64) -> f64 {
        let s = t / self.t_end * SAMPLES as f64;
        let first = (s.floor() as usize).saturating_sub(1).min(self.reference.len() - 4);
        let at = s - first as f64;
        (0..4)
            .map(|i| {
                let others = (0..4).filter(|j| *j != i);
                let weight: f64 = others.map(|j| (at - j as f64) / (i as f64 - j as f64)).product();
                weight * self.reference[first + i]
            })
            .sum()
    }

    /// A run with `count` equal steps; `None` when one of them cannot be taken whole.
    pub fn run(&self, method: &Method, count: usize) -> Option<Measured> {
        self.run_with(method, self.t_end / count as f64, count, NEWTON)
    }

    /// A run of `count` steps of size `h` with a tolerance of Newton's iteration.
    pub fn run_with(&self, method: &Method, h: f64, count: usize, newton: f64) -> Option<Measured> {
        let mut angles = Vec::with_capacity(count);
        let mut iterations = Vec::with_capacity(count);
        let step = Step::fixed(h).newton_tolerance(newton);
        let clock = Instant::now();
        let Started { system, point, .. } = &self.started;
        let mut integrator = Integrator::new(system, method, step, point).ok()?;
        for _ in 0..count {
            let before = integrator.stats().newton_iterations;
            let taken = integrator.step_once(h * count as f64).ok()?;
            // The library takes a step in parts when it fails.
            if taken.h < 0.99 * h {
                return None;
            }
            iterations.push(integrator.stats().newton_iterations - before);
            angles.push([taken.t, integrator.point().q()[self.coordinate]]);
        }
        let ms = 1e3 * clock.elapsed().as_secs_f64();
        let mut measured = Measured { sup: 0.0, at: 0.0, two: 0.0, relative: 0.0, iterations, ms };
        for &[t, angle] in angles.iter().filter(|[t, _]| *t <= self.t_end * (1.0 + 1e-9)) {
            let exact = self.exact(t);
            let error = (angle - exact).abs();
            measured.two += error * error;
            // Written so that NaN is largest.
            if !(error <= measured.sup) {
                measured.sup = error;
                measured.at = t;
                measured.relative = 100.0 * error / exact.abs();
            }
        }
        measured.two = measured.two.sqrt();
        Some(measured)
    }
}

/// Where Newton's iteration starts.
#[derive(Clone, Copy, PartialEq)]
pub enum Guess {
    /// Section 3.3.
    Paper,
    /// The library's polynomial.
    Polynomial,
    /// The last accelerations.
    Last,
}

impl Guess {
    /// All, with their names.
    pub const ALL: [(Guess, &'static str); 3] =
        [(Guess::Paper, "paper's"), (Guess::Polynomial, "polynomial"), (Guess::Last, "last value")];
}

/// A state-space method as the paper iterates: a fresh matrix every time.
pub fn implicit(jacobian: Jacobian, guess: Guess) -> Method {
    let prediction = match guess {
        Guess::Paper => Prediction::Motion,
        Guess::Polynomial | Guess::Last => Prediction::Polynomial,
    };
    let options = StateSpace::default().jacobian(jacobian).prediction(prediction);
    let method = Method::from(options).matrix_policy(MatrixPolicy::EveryIteration);
    if guess == Guess::Last { method.predictor_degree(0) } else { method }
}

/// IMPL.
pub fn paper_method() -> Method {
    implicit(Jacobian::Exact, Guess::Paper)
}

/// EXPL.
pub fn explicit() -> Method {
    Explicit::new(Formula::AdamsBashforthMoulton).into()
}
