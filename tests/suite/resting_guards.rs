//! Comparisons of what a contact or a constraint holds at equality: their outcomes are rounding, and no changes.

use crate::jolts::methods;
use crate::support::*;
use mbd::Simulation;
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
