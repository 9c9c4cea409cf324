//! What must hold whatever the numbers: conservation, invariances, redundancy, and runs that fail
//! well.

use crate::models::troubles::{BlowUp, NoValue};
use crate::models::*;
use crate::support::*;
use mbd::error::{Error, OptionError, RunError, StepError};
use mbd::integrate::{HhtI3, Method, Step};
use mbd::model::{Mechanism, ModelError};
use mbd::simulation::Simulation;
use mbd::solution::{OutputError, Status};
use mbd::verify::convergence_order;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Largest change of the energy over a fixed-step run, relative to the largest kinetic energy.
fn energy_drift(mechanism: &impl Mechanism, method: HhtI3, h: f64, t_end: f64) -> f64 {
    let solution = run(mechanism, method, Step::fixed(h), t_end);
    let energy = solution.series("energy").unwrap();
    let kinetic = largest(&solution.series("kinetic").unwrap());
    largest(&energy.iter().map(|e| e - energy[0]).collect::<Vec<_>>()) / kinetic
}

#[test]
fn energy_drift_falls_with_the_square_of_the_step() {
    let mut table = Table::new("energy drift of conservative models, h = 2^-7 … 2^-10");
    let mut check = |name: &str, drift: &dyn Fn(f64) -> f64| {
        let runs: Vec<(f64, f64)> =
            (7..=10).map(|k| f64::powi(2.0, -k)).map(|h| (h, drift(h))).collect();
        let order = convergence_order(&runs);
        let list: Vec<String> = runs.iter().map(|(_, e)| format!("{e:.2e}")).collect();
        table.row(format!("{name:<22} order {order:.2}: {}", list.join(" ")));
        assert!(order > 1.8, "{name}: energy drift of order {order:.2}");
    };
    let trapezoidal = HhtI3::alpha(0.0).unwrap();
    check("pendulum, α = −0.3", &|h| energy_drift(&Pendulum::default(), hht(), h, 4.0));
    check("pendulum, α = 0", &|h| energy_drift(&Pendulum::default(), trapezoidal, h, 4.0));
    let chain = Chain { n: 3, ..Default::default() };
    check("chain of 3, α = −0.3", &|h| energy_drift(&chain, hht(), h, 1.0));
    check("free pair, α = −0.3", &|h| energy_drift(&FreePair::default(), hht(), h, 2.0));
}

/// Numerical damping takes energy away, more of it the smaller ρ is. (Without any, ρ = 1, the
/// trapezoidal rule on the index-3 equations is only weakly stable: at h = 0.02 λ's alternating
/// error grows until Newton's iteration fails at t = 4.4.)
#[test]
fn damping_removes_energy() {
    let left = |rho: f64| {
        let method = HhtI3::rho(rho).unwrap();
        let solution = run(&Pendulum::default(), method, Step::fixed(0.02), 10.0);
        let energy = solution.series("energy").unwrap();
        energy.last().unwrap() - energy[0]
    };
    let lost: Vec<f64> = [0.95, 0.8, 0.5].map(left).to_vec();
    let mut table =
        Table::new("pendulum, h = 0.02, t = 10: energy gained at ρ = 0.95, 0.8, 0.5 [J]");
    table.row(format!("{lost:.4?}"));
    assert!(lost[2] < lost[1] && lost[1] < lost[0] && lost[0] < 0.0, "{lost:?}");
}

/// A mechanism on which nothing acts keeps its momentum: the linear one exactly, since the method
/// conserves linear invariants, the angular one to the method's order.
#[test]
fn momentum_is_conserved() {
    let momentum = |h: f64| {
        let s = run(&FreePair::default(), hht(), Step::fixed(h), 2.0);
        let column = |name: &str| s.series(name).unwrap();
        let [ax, ay, aw] = ["der(a.x)", "der(a.y)", "der(a.theta)"].map(column);
        let [bx, by, bw] = ["der(b.x)", "der(b.y)", "der(b.theta)"].map(column);
        let [pax, pay, pbx, pby] = ["a.x", "a.y", "b.x", "b.y"].map(column);
        let (ma, ja, mb, jb) = (1.5, 0.2, 0.7, 0.09);
        let mut linear: f64 = 0.0;
        let mut angular: f64 = 0.0;
        let at = |i: usize| {
            (
                [ma * ax[i] + mb * bx[i], ma * ay[i] + mb * by[i]],
                ma * (pax[i] * ay[i] - pay[i] * ax[i])
                    + mb * (pbx[i] * by[i] - pby[i] * bx[i])
                    + ja * aw[i]
                    + jb * bw[i],
            )
        };
        let (first, turning) = at(0);
        for i in 0..s.len() {
            let (p, l) = at(i);
            linear = linear.max((p[0] - first[0]).abs()).max((p[1] - first[1]).abs());
            angular = angular.max((l - turning).abs());
        }
        (linear, angular)
    };
    let mut table = Table::new("free pair: drift of linear and angular momentum");
    let mut runs = Vec::new();
    for k in 6..=9 {
        let h = f64::powi(2.0, -k);
        let (linear, angular) = momentum(h);
        table.row(format!("h = 2^-{k}: {linear:.1e} {angular:.2e}"));
        assert!(linear < 1e-10, "linear momentum drifts by {linear:e}");
        runs.push((h, angular));
    }
    let order = convergence_order(&runs);
    assert!(order > 1.8, "angular momentum drifts with order {order:.2}");
}

/// Fixed steps of the same mechanism in another guise give the same motion to round-off.
fn assert_same_motion(
    title: &str,
    a: &impl Mechanism,
    b: &impl Mechanism,
    pairs: &[(&str, &str, f64, f64)],
) {
    let (h, t_end) = (0.01, 1.0);
    let (a, b) = (run(a, hht(), Step::fixed(h), t_end), run(b, hht(), Step::fixed(h), t_end));
    assert_eq!(a.len(), b.len());
    let mut table = Table::new(title);
    for &(of_a, of_b, factor, shift) in pairs {
        let x = a.series(of_a).unwrap();
        let y: Vec<f64> = b.series(of_b).unwrap().iter().map(|y| factor * y + shift).collect();
        let error = distance(&x, &y) / largest(&x).max(1.0);
        table.row(format!("{of_a}: {error:.1e}"));
        assert!(error < 1e-9, "{of_a} differs by {error:e}");
    }
}

#[test]
fn numbering_does_not_matter() {
    assert_same_motion(
        "coordinates and rows in another order",
        &BushingPendulum::default(),
        &RenumberedPendulum::default(),
        &[
            ("x", "x", 1.0, 0.0),
            ("theta", "theta", 1.0, 0.0),
            ("der(theta)", "der(theta)", 1.0, 0.0),
            ("lambda(pin[0])", "lambda(pin_x)", 1.0, 0.0),
            ("lambda(pin[1])", "lambda(pin_y)", 1.0, 0.0),
            ("energy", "energy", 1.0, 0.0),
        ],
    );
}

#[test]
fn units_do_not_matter() {
    // Metres against millimetres: forces in mN, moments and energies in µJ.
    let base = BushingPendulum::default();
    let small = BushingPendulum {
        m: base.m,
        L: 1e3 * base.L,
        k: 1e6 * base.k,
        c: 1e6 * base.c,
        g: 1e3 * base.g,
    };
    assert_same_motion(
        "lengths in millimetres",
        &base,
        &small,
        &[
            ("x", "x", 1e-3, 0.0),
            ("theta", "theta", 1.0, 0.0),
            ("der(theta)", "der(theta)", 1.0, 0.0),
            ("lambda(pin[0])", "lambda(pin[0])", 1e-3, 0.0),
            ("energy", "energy", 1e-6, 0.0),
        ],
    );
    // Kilograms against grams.
    let light =
        BushingPendulum { m: 1e3 * base.m, L: base.L, k: 1e3 * base.k, c: 1e3 * base.c, g: base.g };
    assert_same_motion(
        "masses in grams",
        &base,
        &light,
        &[
            ("x", "x", 1.0, 0.0),
            ("theta", "theta", 1.0, 0.0),
            ("lambda(pin[1])", "lambda(pin[1])", 1e-3, 0.0),
        ],
    );
}

#[test]
fn place_and_direction_do_not_matter() {
    let (tilt, u, v) = (0.7, 3.0, -1.5);
    let base = TiltedPendulum::default();
    let moved = TiltedPendulum { tilt, u, v, ..Default::default() };
    assert_same_motion(
        "turned and moved as a whole",
        &base,
        &moved,
        &[
            ("theta", "theta", 1.0, -tilt),
            ("der(theta)", "der(theta)", 1.0, 0.0),
            ("der(der(theta))", "der(der(theta))", 1.0, 0.0),
            ("kinetic", "kinetic", 1.0, 0.0),
        ],
    );
    // And not moved at all it is the bushing pendulum.
    assert_same_motion(
        "turned by nothing",
        &BushingPendulum::default(),
        &base,
        &[("x", "x", 1.0, 0.0), ("y", "y", 1.0, 0.0), ("theta", "theta", 1.0, 0.0)],
    );
}

#[test]
fn a_redundant_constraint_changes_nothing() {
    assert_same_motion(
        "a redundant rod beside the pin",
        &BushingPendulum::default(),
        &DoubledPendulum::default(),
        &[
            ("x", "x", 1.0, 0.0),
            ("y", "y", 1.0, 0.0),
            ("theta", "theta", 1.0, 0.0),
            ("lambda(pin[0])", "lambda(pin[0])", 1.0, 0.0),
            ("lambda(pin[1])", "lambda(pin[1])", 1.0, 0.0),
        ],
    );
    let solution = run(&DoubledPendulum::default(), hht(), Step::adaptive(1e-6), 2.0);
    assert_eq!(largest(&solution.series("lambda(rod)").unwrap()), 0.0);
}

/// The position constraints hold to round-off, the velocity constraints to the method's order.
#[test]
fn constraints_hold() {
    let mut runs = Vec::new();
    for k in 7..=10 {
        let h = f64::powi(2.0, -k);
        let solution = run(&BushingPendulum::default(), hht(), Step::fixed(h), 1.0);
        assert!(solution.drift.position < 1e-13, "|g| = {:e}", solution.drift.position);
        runs.push((h, solution.drift.velocity));
    }
    // The independent implementation's drift of velocities has order 2.01
    // (`M3_fixed.fixed_P16_T1`).
    let order = convergence_order(&runs);
    assert!((order - 2.0).abs() < 0.2, "velocity drift of order {order:.2}: {runs:?}");
}

// ---------------------------------------------------------------------------------------------
// Runs that fail, and what is left of them.

fn failed(simulation: Simulation) -> RunError {
    match simulation.run() {
        Err(error) => error,
        Ok(solution) => panic!("it should have failed, and ended at t = {}", solution.final_t()),
    }
}

#[test]
fn a_force_that_loses_its_value_is_named_and_the_run_kept() {
    for step in [Step::adaptive(1e-6), Step::fixed(0.01)] {
        let fixed = !step.is_adaptive();
        let error = failed(Simulation::new(&NoValue::default()).step(step));
        match &error.error {
            Error::Step(StepError::NotFinite { t, statement, what, .. }) => {
                assert!(statement.contains("odd"), "{statement}");
                assert!(what.contains('x'), "{what}");
                assert!((0.45..=0.511).contains(t), "t = {t}");
            }
            other => panic!("{other}"),
        }
        let partial = error.partial.expect("what was computed");
        assert_eq!(partial.status, Status::Failed);
        // By their texts: the value in them is NaN, which equals nothing.
        assert_eq!(partial.error.as_ref().map(|e| e.to_string()), Some(error.error.to_string()));
        let end = partial.final_t();
        assert!((0.48..=0.5).contains(&end), "kept until {end}, fixed: {fixed}");
        assert!(partial.len() > 10 && partial.stats.steps == partial.steps.len());
        assert!(partial.series("x").unwrap().iter().all(|x| x.is_finite()));
    }
}

#[test]
fn a_solution_that_escapes_ends_with_a_collapsed_step() {
    let error = failed(Simulation::new(&BlowUp::default()).step(Step::adaptive(1e-5)));
    match &error.error {
        Error::Step(StepError::StepSizeCollapsed { t, worst, .. }) => {
            // s = 1/(1 − t).
            assert_near("time of the collapse", *t, 1.0, 1e-2);
            assert!(worst.contains('s'), "{worst}");
        }
        other => panic!("{other}"),
    }
    // The others are tried from there, and end there as well.
    assert_eq!(error.passing.as_deref(), Some(&[][..]), "{error}");
    assert!(error.to_string().ends_with("the motion itself may end there"), "{error}");
    let partial = error.partial.expect("what was computed");
    assert!(last(&partial, "s") > 1e3);
}

/// A method's own failure is told apart from the motion's end: the others are tried from there.
#[test]
fn a_method_that_gets_past_a_failure_is_named() {
    // Steps of a thousand times the bushing's own oscillation.
    let model = Bushing::default();
    let error = failed(Simulation::new(&model).method(hht()).step(Step::fixed(0.02)));
    let passing = error.passing.clone().expect("others were tried");
    assert!(passing.contains(&"radau5"), "{error}");
    assert!(error.to_string().contains("past this point"), "{error}");
}

#[test]
fn too_many_steps_end_a_run() {
    let error = failed(Simulation::new(&BushingPendulum::default()).max_steps(20));
    assert!(
        matches!(error.error, Error::Step(StepError::TooManySteps { steps: 20, .. })),
        "{error}"
    );
    assert_eq!(error.partial.expect("what was computed").steps.len(), 20);
}

#[test]
fn an_interrupted_run_keeps_what_it_computed() {
    let flag = Arc::new(AtomicBool::new(false));
    let raise = flag.clone();
    let solution = Simulation::new(&BushingPendulum::default())
        .interrupt(flag)
        .progress(move |progress| {
            if progress.t > 0.5 {
                raise.store(true, Ordering::Relaxed);
            }
        })
        .run()
        .expect("an interruption is no error");
    assert_eq!(solution.status, Status::Interrupted);
    assert!((0.5..1.0).contains(&solution.final_t()), "{}", solution.final_t());
}

#[test]
fn errors_of_the_user_are_typed_and_name_the_culprit() {
    // A wrong parameter name.
    let mut model = SliderCrank::default();
    match model.set("m_q", 1.0) {
        Err(ModelError::UnknownParameter { model, name, suggestion }) => {
            assert_eq!((&*model, &*name), ("SliderCrank", "m_q"));
            assert!(suggestion.is_some());
        }
        other => panic!("{other:?}"),
    }
    // A wrong method name, and options out of range: errors, never clamped.
    match Method::from_name("hht-i2") {
        Err(OptionError::UnknownMethod { suggestion, .. }) => {
            assert_eq!(suggestion.as_deref(), Some("hht-i3"));
        }
        other => panic!("{other:?}"),
    }
    for alpha in [0.1, -0.34, f64::NAN] {
        assert!(matches!(HhtI3::alpha(alpha), Err(OptionError::OutOfRange { name: "alpha", .. })));
    }
    for rho in [0.49, 1.01, f64::NAN] {
        assert!(matches!(HhtI3::rho(rho), Err(OptionError::OutOfRange { name: "rho", .. })));
    }
    assert!(HhtI3::alpha(-1.0 / 3.0).is_ok() && HhtI3::rho(0.5).is_ok());
    assert!(hht().states(0.4).is_err());
    let options: [Simulation; 6] = [
        Simulation::new(&model).step(Step::adaptive(-1e-6)),
        Simulation::new(&model).step(Step::adaptive(f64::NAN)),
        Simulation::new(&model).step(Step::fixed(0.0)),
        Simulation::new(&model).step(Step::sequence(Vec::new())),
        Simulation::new(&model).until(-1.0),
        Simulation::new(&model).every(0.0),
    ];
    for (i, simulation) in options.into_iter().enumerate() {
        let error = failed(simulation);
        assert!(
            matches!(error.error, Error::Option(OptionError::OutOfRange { .. })),
            "{i}: {error}"
        );
        assert!(error.partial.is_none());
    }
    // A column that is not there.
    let solution = run(&SliderCrank::default(), hht(), Step::adaptive(1e-4), 0.01);
    match solution.series("guide_forse") {
        Err(OutputError::UnknownColumn { name, suggestion, .. }) => {
            assert_eq!((&*name, suggestion.as_deref()), ("guide_forse", Some("guide_force")));
        }
        other => panic!("{other:?}"),
    }
}

/// A mechanism that runs into its dead centre with a rod as long as the crank: the constraints
/// lose rank there, and the run must end by name or get through, but not hang or give NaN.
#[test]
fn a_singular_position_on_the_way_is_no_nonsense() {
    let model = SliderCrank { r: 0.2, l: 0.2, ..Default::default() };
    match Simulation::new(&model).step(Step::adaptive(1e-6)).until(0.5).max_steps(200_000).run() {
        Ok(solution) => {
            assert!(solution.final_q().iter().all(|q| q.is_finite()));
            assert!(solution.drift.position < 1e-6);
        }
        Err(error) => {
            assert!(matches!(error.error, Error::Step(_)), "{error}");
            assert!(error.partial.is_some());
        }
    }
}
