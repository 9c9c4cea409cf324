//! Methods from outside the library: the implicit Euler method on the equations of index 3, stated as a scheme, and what
//! the library makes of it.

use crate::models::*;
use crate::newton::assert_matrix_of;
use crate::stated::Keep;
use crate::support::*;
use mbd::assembly::{Dims, Plan, Point, Residual, SlotKind, System, Term, Want, Weights};
use mbd::checkpoint::State;
use mbd::compare::Comparison;
use mbd::error::OptionError;
use mbd::integrate::controller::Estimate;
use mbd::integrate::newton_matrix::{NewtonMatrix, NewtonMatrixBuilder};
use mbd::integrate::predictor::Instant;
use mbd::integrate::weights::{Mean, rms};
use mbd::integrate::{Accuracy, Block, Limit, Method, Scheme, Step, StepSpan};
use mbd::scales::Scales;
use mbd::simulation::Simulation;
use mbd::verify::Convergence;

/// v' = v + h a', q' = q + h v', M a' + Gᵀλ' = f, g = 0, all at the end of the step.
struct ImplicitEuler {
    dims: Dims,
    matrix: NewtonMatrix<f64, ()>,
    pieces: Residual,
    scales: Scales,
    span: StepSpan,
    accuracy: Accuracy,
    /// Names the first of its blocks wrongly.
    short: bool,
}

impl ImplicitEuler {
    fn new(system: &System) -> Self {
        use SlotKind::{Q, V};
        let dims = system.dims();
        let n = dims.n;
        let mut matrix = NewtonMatrixBuilder::new(n + dims.m);
        let h2 = |h: &f64| h * h;
        matrix.term((), Term::M, 0, 0, |_| 1.0);
        matrix.term((), Term::MuQ, 0, 0, h2);
        matrix.term((), Term::ReactQ, 0, 0, h2);
        matrix.term((), Term::F(Q), 0, 0, |h| -h * h);
        matrix.term((), Term::F(V), 0, 0, |h| -h);
        matrix.term((), Term::React, 0, n, |_| 1.0);
        matrix.term((), Term::G, n, 0, |_| 1.0);
        matrix.constraints(SlotKind::Lambda, n);
        ImplicitEuler {
            matrix: matrix.build(system),
            pieces: Residual::new(&dims),
            scales: Scales::ones(system),
            span: StepSpan { t: 0.0, t_next: 0.0, h: 0.0 },
            accuracy: Accuracy::RoundOff,
            short: false,
            dims,
        }
    }
}

impl Scheme for ImplicitEuler {
    fn name(&self) -> &'static str {
        "implicit-euler"
    }

    fn blocks(&self) -> Vec<Block> {
        let (n, m) = (self.dims.n, self.dims.m);
        let last = if self.short { m - 1 } else { m };
        vec![Block::of(SlotKind::A, 0..n), Block::of(SlotKind::Lambda, n..n + last)]
    }

    fn instants(&self) -> Vec<Instant> {
        vec![Instant::shifted(0..self.dims.n + self.dims.m, 0.0)]
    }

    fn plan(&self) -> &Plan {
        self.matrix.plan()
    }

    fn start(&mut self, _: &System, _: &Point) {}

    fn measure(&mut self, scales: &Scales) {
        self.scales.copy_from(scales);
    }

    fn begin(&mut self, _: &Point, span: StepSpan, accuracy: Accuracy) {
        (self.span, self.accuracy) = (span, accuracy);
    }

    fn coefficient(&self) -> f64 {
        self.span.h * self.span.h
    }

    fn order(&self) -> usize {
        1
    }

    fn update(&self, from: &Point, u: &[f64], to: &mut Point) {
        let (h, n) = (self.span.h, self.dims.n);
        to.set_t(self.span.t_next);
        to.a_mut().copy_from_slice(&u[..n]);
        to.lambda_mut().copy_from_slice(&u[n..]);
        for i in 0..n {
            to.v_mut()[i] = from.v()[i] + h * u[i];
            to.q_mut()[i] = from.q()[i] + h * to.v()[i];
        }
    }

    fn residual(&mut self, system: &System, to: &Point, _: &[f64], r: &mut [f64]) {
        let want = Want::MU | Want::F | Want::REACTION | Want::G;
        system.eval_at(to, want, &mut self.pieces);
        let (motion, constraints) = r.split_at_mut(self.dims.n);
        for (i, r) in motion.iter_mut().enumerate() {
            *r = self.pieces.mu[i] + self.pieces.reaction[i] - self.pieces.f[i];
        }
        for (r, g) in constraints.iter_mut().zip(&self.pieces.g) {
            *r = g / (self.span.h * self.span.h);
        }
        for i in system.inactive_rows(SlotKind::Lambda) {
            constraints[i] = to.lambda()[i];
        }
    }

    fn matrix(&mut self, system: &System, to: &Point, _: &[f64], values: &mut [f64]) {
        self.matrix.fill(&[()], &self.span.h, system, (to, Weights::of(to)), values);
    }

    fn norms(&self, du: &[f64]) -> [f64; 2] {
        let unit = match self.accuracy {
            Accuracy::Tolerance(eps) => eps,
            Accuracy::RoundOff => 1e-12,
        };
        let h2 = self.span.h * self.span.h;
        [h2 * rms(&du[..self.dims.n], self.scales.q().weights()) / unit, 0.0]
    }

    fn estimate(&self, _: &Point, to: &Point, _: &[f64], tolerance: f64) -> Estimate {
        let mut mean = Mean::default();
        let half = 0.5 * self.span.h * self.span.h;
        for (i, scale) in self.scales.q().weights().iter().enumerate() {
            mean.add(half * to.a()[i] / (scale * tolerance), i);
        }
        Estimate::of_order(mean.theta(), 2, mean.worst)
    }

    fn accept(&mut self, _: &System, _: &Point, _: &Point, _: &[f64], _: &Residual) {}

    fn state(&mut self, state: &mut State<'_>) {
        state.part("implicit-euler");
        self.scales.kept(state);
    }
}

/// What the scheme of index 3 leaves out.
const UNFIT: &[Limit] = &[Limit::Accelerations, Limit::Multipliers];

fn implicit_euler() -> Method {
    Method::from_scheme(
        "implicit-euler",
        "order 1, on the equations of index 3",
        ImplicitEuler::new,
    )
    .cannot_treat(UNFIT, "radau5")
}

fn by(name: &str) -> Method {
    Method::from_name(name).unwrap()
}

#[test]
fn its_matrix_is_the_derivative_of_its_residual() {
    assert_matrix_of(&implicit_euler(), &Pendulum::default(), 1e-2);
    assert_matrix_of(&implicit_euler(), &FourBar::default(), 1e-2);
}

#[test]
fn it_is_of_order_one_by_fixed_steps() {
    let mechanism = Pendulum::default();
    let exact = run(&mechanism, by("radau5"), Step::adaptive(1e-11), 1.0);
    let study = Convergence::measure(&["q"], [0.01, 0.005, 0.0025, 0.00125], |h| {
        let own = run(&mechanism, implicit_euler(), Step::fixed(h), 1.0);
        Ok::<_, mbd::Error>(vec![distance(own.final_q(), exact.final_q())])
    });
    let order = study.unwrap().order("q", 3);
    assert!((order - 1.0).abs() < 0.05, "{order}");
}

/// Steps follow its estimate: errors go with the tolerance, and with the square root of the step's error of order 2.
#[test]
fn its_steps_follow_its_estimate() {
    let study = Comparison::new(&FourBar::default())
        .method(implicit_euler())
        .tolerances(&[1e-4, 1e-6])
        .until(0.5)
        .run()
        .unwrap();
    let [coarse, fine] = [0, 1].map(|i| study.trials[i].outcome.as_ref().unwrap());
    assert_eq!(study.trials[0].method, "implicit-euler");
    let steps = fine.stats.steps as f64 / coarse.stats.steps as f64;
    let errors = coarse.error / fine.error;
    assert!((5.0..20.0).contains(&steps) && (5.0..20.0).contains(&errors), "{steps} {errors}");
}

/// Contacts close and open, and runs go on from checkpoints, as by any method.
#[test]
fn it_has_events_and_checkpoints() {
    fn begin<'a>() -> Simulation<'a> {
        let simulation = Simulation::new(&SlackRope::default()).method(implicit_euler());
        simulation.step(Step::adaptive(1e-7)).until(1.3)
    }
    let mut checkpoints: Vec<Vec<u8>> = Vec::new();
    let mut sink = Keep(&mut checkpoints);
    let whole = begin().checkpoint(&mut sink).run().unwrap();
    let exact = run(&SlackRope::default(), by("radau5"), Step::adaptive(1e-9), 1.3);
    assert_eq!(whole.events.len(), exact.events.len());
    for (own, exact) in whole.events.iter().zip(&exact.events) {
        assert_eq!((&own.name, own.direction), (&exact.name, exact.direction));
        assert!((own.t - exact.t).abs() < 2e-3, "{} for {}", own.t, exact.t);
    }
    assert!(checkpoints.len() > 2);
    let resumed = begin().resume(checkpoints.swap_remove(1)).run().unwrap();
    assert_eq!((resumed.final_q(), &resumed.events), (whole.final_q(), &whole.events));
}

/// It has no unknowns for a row that holds while friction sticks: these steps are taken by another method, and the run says
/// how many.
#[test]
fn what_it_has_no_unknowns_for_is_left_to_another() {
    let own = run(&StickSlip::default(), implicit_euler(), Step::adaptive(1e-6), 25.0);
    assert!(own.stats.substituted > 0 && own.stats.substituted < own.stats.steps);
    let exact = run(&StickSlip::default(), by("radau5"), Step::adaptive(1e-9), 25.0);
    assert!(distance(own.final_q(), exact.final_q()) < 2e-2);
}

fn refusal(method: Method, mechanism: &impl mbd::model::Mechanism) -> OptionError {
    let failed = Simulation::new(mechanism).method(method).run().expect_err("it cannot");
    match failed.error {
        mbd::Error::Option(error) => error,
        other => panic!("{other}"),
    }
}

/// States that no unknown belongs to would stay as they are, exit code 0.
#[test]
fn a_model_with_more_than_it_solves_for_is_refused() {
    let message = refusal(implicit_euler(), &ActuatorPendulum::default()).to_string();
    assert!(
        message.contains("`implicit-euler` cannot treat this model") && message.contains("radau5")
    );
    let message = refusal(implicit_euler(), &Skate::default()).to_string();
    assert!(message.contains("is a nonholonomic constraint"), "{message}");
}

#[test]
fn a_scheme_that_contradicts_itself_is_refused() {
    let short = |system: &System| ImplicitEuler { short: true, ..ImplicitEuler::new(system) };
    let method = Method::from_scheme("implicit-euler", "its blocks are short", short);
    let message = refusal(method, &Pendulum::default()).to_string();
    assert!(message.ends_with("its blocks cover 2 unknowns, its matrix has 3"), "{message}");
    let method = Method::from_scheme("euler", "it has two names", ImplicitEuler::new);
    let message = refusal(method, &Pendulum::default()).to_string();
    assert!(message.ends_with("what it makes calls itself `implicit-euler`"), "{message}");
    let refused = implicit_euler().rho(0.5).expect_err("it has no ρ").to_string();
    assert!(refused.contains("`implicit-euler` has no option rho"), "{refused}");
}

#[test]
fn equal_methods_are_those_made_at_once() {
    let method = implicit_euler();
    assert_eq!(method, method.clone());
    assert_ne!(method, implicit_euler());
    assert_eq!(
        (method.name(), method.summary()),
        ("implicit-euler", "order 1, on the equations of index 3")
    );
}
