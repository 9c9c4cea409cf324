//! Comparisons of what a contact or a constraint holds at equality: their outcomes are rounding, and no changes.

use crate::jolts::methods;
use crate::support::*;
use mbd::Simulation;
use mbd::components::force;
use mbd::integrate::Step;
use mbd::prelude::*;

mechanism! {
    /// A strut that its stop holds out while it falls: its damper has another law in each direction.
    mechanism Strut {
        coord z: [m];
        coord s: [m];
        state p;
        kinetic k = 0.5*2000.0*sq(der(z)) + 0.5*60.0*sq(der(z) - der(s));
        potential weight = 9.81*(2000.0*z + 60.0*(z - s));
        unilateral out: 1.0 - s;
        force gas along s = 6000.0*p;
        force damper along s = if der(s) < 0.0 { 9e3*sq(der(s)) } else { -2e3*der(s) };
        der(p) = 0.5*(1.0 - p) - 1.2*p/(s - 0.4)*der(s);
        init z = 1.5;
        init s = 1.0;
        init p = 1.0;
        until 0.5;
    }
}

/// `radau5` took 587 steps at 1e-3, and gave up after 20 000 at 1e-6 and at 1e-9.
#[test]
fn a_speed_that_a_stop_holds_at_zero_changes_no_law() {
    let model = Strut::default();
    let methods = methods(&model);
    assert!(methods.len() >= 5, "{}", methods.len());
    for (name, method) in methods {
        for tolerance in [1e-3, 1e-6, 1e-9] {
            let step = Step::adaptive(tolerance);
            let run = Simulation::new(&model).method(method.clone()).step(step).run();
            let run = run.unwrap_or_else(|error| panic!("{name} at {tolerance}: {error}"));
            assert_near(name, run.final_q()[0], 1.5 - 0.5 * 9.81 * 0.25, 1e-2 * tolerance.sqrt());
            assert_near(name, run.final_q()[1], 1.0, 1e-9);
            assert!(run.stats.steps < 200, "{name} at {tolerance}: {} steps", run.stats.steps);
        }
    }
}

mechanism! {
    /// A braked wheel on a tyre that yields, whose deflection is a state: its law reads which way the wheel turns.
    mechanism Braked {
        param r: [m] = 0.3;
        coord x: [m];
        coord phi: [rad];
        state u: [m];
        kinetic car = 0.5*350.0*sq(der(x));
        kinetic wheel = 0.5*1.2*sq(der(phi));
        der(u) = der(x) - r*der(phi) - abs(r*der(phi))/0.2*u;
        let grip = 3000.0*tanh(2e5*u/3000.0);
        force tyre along x = -grip;
        force of_tyre along phi = r*grip;
        let brakes = if t > 0.5 { 700.0 } else { 0.0 };
        force brake along phi = force::dry_friction(der(phi), brakes, 1.2*brakes);
        init der(x) = 15.0;
        init der(phi) = 50.0;
    }
}

/// The brake holds the wheel, whose speed is 1e-39 rad/s of rounding then: its sign was listed as events and told as chatter.
#[test]
fn what_friction_holds_does_not_chatter() {
    for method in ["gen-alpha-soi2", "hht-i3", "radau5", "bdf-ggl"] {
        for tolerance in [1e-5, 1e-7] {
            let named = Method::from_name(method).unwrap();
            let model = Braked::default();
            let run = Simulation::new(&model).method(named).step(Step::adaptive(tolerance));
            let run = run.until(4.0).run().unwrap();
            let names: Vec<&str> = run.events.iter().map(|event| &*event.name).collect();
            assert_eq!(names, ["brake", "der(u)"], "{method} {tolerance:e}: {:?}", run.events);
            assert!(run.warnings.is_empty(), "{method} {tolerance:e}: {:?}", run.warnings);
        }
    }
}
