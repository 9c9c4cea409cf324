//! Energies that jump while positions and velocities stay: what the clock or an input does is work, what nothing does is told
//! by the statement and the instant.

use crate::jolts::methods;
use crate::support::*;
use mbd::Simulation;
use mbd::integrate::Step;
use mbd::model::Mechanism;
use mbd::prelude::*;
use mbd::signal::{Interpolation, Signal};
use mbd::solution::Solution;

mechanism! {
    /// A mass on a spring whose other end an input moves.
    mechanism Pulled {
        input end: [m] = 0.0;
        coord x: [m];
        kinetic k = 0.5*sq(der(x));
        potential spring = 20.0*sq(x - end);
        until 1.0;
    }
}

mechanism! {
    /// A wagon under a force that mass falls into from 0.5 s on, at its own speed, and a potential that is switched on.
    mechanism Loaded {
        coord x: [m];
        mass[x, x] = if t < 0.5 { 1.0 } else { 2.0 };
        force pull along x = 2.0;
        potential switched = if t < 0.5 { 0.0 } else { 0.4 };
        init der(x) = 1.0;
        until 1.0;
    }
}

mechanism! {
    /// A step of height, which takes a force without bound.
    mechanism Ledge {
        coord x: [m];
        kinetic k = 0.5*sq(der(x));
        potential ledge = if x < 0.0 { 0.0 } else { 0.3 };
        init x = -0.5;
        init der(x) = 1.0;
        until 1.0;
    }
}

mechanism! {
    /// An inertia that jumps at a place.
    mechanism Heavier {
        coord x: [m];
        kinetic k = 0.5*(if x < 0.0 { 1.0 } else { 2.0 })*sq(der(x));
        init x = -0.5;
        init der(x) = 1.0;
        until 1.0;
    }
}

/// Runs by each method, adaptive and fixed.
fn runs(model: &dyn Mechanism, input: Option<&Signal>, look: impl Fn(&str, &Solution)) {
    let methods = methods(model);
    assert!(methods.len() >= 5, "{}", methods.len());
    for (name, method) in methods {
        for step in [Step::adaptive(1e-6), Step::fixed(1.7e-3)] {
            let mut run = Simulation::new(model).method(method.clone()).step(step).until(1.0);
            if let Some(signal) = input {
                run = run.input("end", signal.clone());
            }
            look(name, &run.run().unwrap());
        }
    }
}

/// The spring is longer by 0.1 m at once: ½ k 0.01 m² of work. A warning said that the motion was not to be trusted.
#[test]
fn what_an_input_does_at_once_is_work() {
    let end = Signal::table([0.0, 0.5], [0.0, 0.1], Interpolation::Steps).unwrap().held_beyond();
    let x = 0.1 * (1.0 - (40.0f64.sqrt() * 0.5).cos());
    runs(&Pulled::default(), Some(&end), |name, run| {
        assert_near(name, run.final_q()[0], x, 1e-3);
        let balance = run.balance.as_ref().unwrap();
        assert!(balance.holds && balance.closes < 1e-3 && run.warnings.is_empty(), "{balance:?}");
        assert_near(name, balance.work, 0.2, 1e-9);
    });
}

/// 2 N over 1.875 m, ½ 1 kg (2 m/s)² of the mass that falls in, and 0.4 J that are switched on.
#[test]
fn what_the_clock_does_at_once_is_work() {
    runs(&Loaded::default(), None, |name, run| {
        assert_near(name, run.final_v()[0], 2.5, 1e-9);
        let balance = run.balance.as_ref().unwrap();
        assert!(balance.holds && run.warnings.is_empty(), "{name}: {balance:?}");
        assert_near(name, balance.work, 2.0 * 1.875 + 2.0 + 0.4, 1e-3);
        assert_near(name, balance.energy, balance.work, 1e-3);
    });
}

#[test]
fn an_energy_that_no_motion_follows_is_named() {
    let cases: [(&dyn Mechanism, &str, f64, bool); 2] =
        [(&Ledge::default(), "ledge", 0.3, false), (&Heavier::default(), "k", 0.5, true)];
    for (model, statement, by, is_kinetic) in cases {
        runs(model, None, |name, run| {
            let balance = run.balance.as_ref().unwrap();
            let jump = balance.abrupt.as_ref().unwrap_or_else(|| panic!("{name}: {balance:?}"));
            assert!(!balance.holds && jump.is_kinetic == is_kinetic, "{name}: {balance:?}");
            assert_eq!(jump.statement, statement, "{name}");
            assert_near(name, jump.by, by, 1e-3);
            assert_near(name, jump.t, 0.5, 2e-3);
        });
    }
}
