//! Failures name what the user knows.

use super::models::*;
use crate::assembly::SlotKind::{Q, T, V};
use crate::assembly::System;
use crate::error::StepError;
use crate::integrate::{HhtI3, Integrator, Method, Step};
use crate::model::{Keep, ModelBuilder};

/// Runs until the error.
fn error(system: &System, step: Step, t_end: f64) -> (StepError, f64) {
    let method = HhtI3::default().into();
    let mut integrator = Integrator::new(system, &method, step, &consistent(system)).unwrap();
    for _ in 0..100_000 {
        if let Err(error) = integrator.step_once(t_end) {
            return (error, integrator.point().t());
        }
        assert!(integrator.point().t() < t_end, "no error");
    }
    panic!("no error");
}

fn particle(v: f64) -> ModelBuilder {
    let mut b = ModelBuilder::new("Particle", "");
    b.coord("x", "m", "");
    b.init_q(0, 1.0, Keep::Kept);
    b.init_v(0, v, Keep::Kept);
    b.mass("m", Constant(1.0), one([]), vec![(0, 0)]);
    b
}

kernel! { Root: 1 -> 1, |[x]| [-1.0 * x.sqrt()] }
kernel! { Log: 2 -> 1, |[t, v]| [-1.0 * (1.0 - *t).ln() * *v] }

#[test]
fn nan_names_the_statement_and_what_it_read() {
    let mut b = particle(-1.0);
    b.force("suction", Root, one([(Q, 0)]), vec![[0]]);
    let system = System::new(b.finish().unwrap());
    for step in [Step::local_error(1e-4), Step::fixed(0.01)] {
        let (error, t) = error(&system, step, 10.0);
        println!("{error}");
        let StepError::NotFinite { what, statement, reads, .. } = &error else {
            panic!("{error:?}");
        };
        assert_eq!((what.as_str(), statement.as_str()), ("the force on x", "suction"));
        assert!(reads.contains("x = -"), "{reads}");
        assert!((0.5..1.0).contains(&t), "{t}");
    }
}

#[test]
fn nan_at_a_time_is_approached_by_smaller_steps_before_it_is_reported() {
    let mut b = particle(1.0);
    b.force("growing", Log, one([(T, 0), (V, 0)]), vec![[0]]);
    let system = System::new(b.finish().unwrap());
    let (error, t) = error(&system, Step::local_error(1e-4), 2.0);
    println!("{error}");
    assert!(
        matches!(&error, StepError::NotFinite { statement, .. } if statement == "growing"),
        "{error:?}"
    );
    assert!(t > 0.999_999, "{t}");
}

kernel! { Blowup: 1 -> 1, |[x]| [100.0 * x.powi(3)] }

#[test]
fn a_finite_escape_time_collapses_the_step_by_name() {
    let mut b = particle(1.0);
    b.force("blow-up", Blowup, one([(Q, 0)]), vec![[0]]);
    let system = System::new(b.finish().unwrap());
    let (error, t) = error(&system, Step::local_error(1e-4).min(1e-9), 10.0);
    println!("{error}");
    let StepError::StepSizeCollapsed { worst, h: 1e-9, .. } = &error else { panic!("{error:?}") };
    assert!(worst == "x" || worst == "der(der(x))", "{worst}");
    assert!(t > 0.05);
}

/// x¨ = 100 x³ runs to infinity at t ≈ 0.17 s. A step across it meets the cubic again on the other side of
/// zero, as at x = −1.9, then −4e11, −6e11, 2e12, …: solutions of the formula that are none of the motion.
#[test]
fn a_fixed_step_across_an_escape_does_not_end_well() {
    let mut b = particle(1.0);
    b.force("blow-up", Blowup, one([(Q, 0)]), vec![[0]]);
    let system = System::new(b.finish().unwrap());
    let (error, t) = error(&system, Step::fixed(0.5), 10.0);
    println!("{error}");
    let StepError::Unresolved { worst, error, h: 0.5, .. } = &error else { panic!("{error:?}") };
    assert_eq!(worst, "x");
    assert!(*error > 1.0);
    assert!(t < 6.0, "{t}");
}

kernel! { Spring: 1 -> 1, |[x]| [-1.0 * *x] }

/// Steps with h ω from 0.1 to 3 of a vibration: the coarse ones are told, by the coordinate.
#[test]
fn steps_that_do_not_resolve_a_vibration_are_told() {
    let mut b = particle(0.0);
    b.force("spring", Spring, one([(Q, 0)]), vec![[0]]);
    let system = System::new(b.finish().unwrap());
    let method = HhtI3::alpha(0.0).unwrap().into();
    let coarse = |h: f64| {
        let mut run =
            Integrator::new(&system, &method, Step::fixed(h), &consistent(&system)).unwrap();
        (0..200).for_each(|_| _ = run.step_once(1e9).unwrap());
        run.coarse()
    };
    for h in [0.1, 0.5, 1.0, 1.5, 2.0] {
        assert_eq!(coarse(h), None, "{h}");
    }
    // The trapezoidal rule turns by 2 atan(h/2) in a step.
    for h in [3.0, 10.0, 100.0] {
        let told = coarse(h).unwrap();
        assert!(told.worst == "x" && (0.2..0.67).contains(&told.error), "{h} {told:?}");
    }
}

kernel! { Escape: 1 -> 1, |[x]| [100.0 * x.exp()] }

/// x¨ = 100 eˣ runs to infinity at t = ∫ dx/√(1 + 200(eˣ − e)) = 0.131 s. A step across it has no solution,
/// not even a wrong one: an exponential outgrows every formula's line (a cubic meets it again on the
/// other side of zero).
#[test]
fn a_fixed_step_across_an_escape_is_an_error_that_names_the_force() {
    let mut b = particle(1.0);
    b.force("blow-up", Escape, one([(Q, 0)]), vec![[0]]);
    let system = System::new(b.finish().unwrap());
    let (error, t) = error(&system, Step::fixed(0.5), 10.0);
    println!("{error}");
    let StepError::NotFinite { statement, reads, .. } = &error else { panic!("{error:?}") };
    assert_eq!(statement, "blow-up");
    assert!(reads.contains("x = "), "{reads}");
    // It is divided into parts that can be solved until there is none.
    assert!((0.12..0.15).contains(&t), "{t}");
}

#[test]
fn options_are_refused_not_clamped() {
    for alpha in [-0.34, 0.01, f64::NAN] {
        assert!(HhtI3::alpha(alpha).is_err());
        assert!(Method::from_name("hht-i3").unwrap().alpha(alpha).is_err());
    }
    for rho in [0.49, 1.01, f64::NAN] {
        assert!(HhtI3::rho(rho).is_err());
        assert!(HhtI3::default().states(rho).is_err());
    }
    assert!((HhtI3::rho(0.5).unwrap().alpha_value() + 1.0 / 3.0).abs() < 1e-16);
    assert_eq!(HhtI3::rho(1.0).unwrap().alpha_value(), 0.0);
    let error = Method::from_name("hht_i3").unwrap_err().to_string();
    assert!(error.contains("did you mean `hht-i3`"), "{error}");
    for step in [
        Step::local_error(0.0),
        Step::local_error(f64::NAN),
        Step::fixed(-1.0),
        Step::sequence([]),
        Step::sequence([0.1, 0.0]),
        Step::local_error(1e-3).min(0.1).max(0.01),
    ] {
        assert!(step.check().is_err(), "{step:?}");
    }
}
