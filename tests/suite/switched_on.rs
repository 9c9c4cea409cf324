//! What holds by friction or by its rate from a time on, or once an input or a mode switches it on, and is nothing at the start.

use crate::jolts::methods;
use crate::support::*;
use mbd::Simulation;
use mbd::integrate::Step;
use mbd::prelude::*;
use mbd::signal::{Interpolation, Signal};
use mbd::solution::EventKind;

mechanism! {
    /// Brakes that time, an input and a mode press, and a state whose rate a mode switches.
    mechanism Brakes {
        input pressed: [N] = 0.0;
        mode on = 0.0;
        coord x: [m];
        coord y: [m];
        coord z: [m];
        state p;
        kinetic k = 0.5*sq(der(x)) + 0.5*sq(der(y)) + 0.5*sq(der(z));
        force by_time along x = if der(x) > 0.0 { -2.0*t } else { 2.0*t };
        force by_input along y = if der(y) > 0.0 { -2.0*pressed } else { 2.0*pressed };
        force by_mode along z = if der(z) > 0.0 { -2.0*on } else { 2.0*on };
        force pull along x + y + z = 0.5;
        der(p) = on*(if p > 1.0 { -1.0 } else { 1.0 }) + 0.2*t;
        event press when t >= 0.5 { on = 1.0; }
        init der(x) = 0.3;
        init der(y) = 0.3;
        init der(z) = 0.3;
        init p = 1.3;
        until 3.0;
    }
}

/// They ended with "gave up": tens of thousands of steps from where they should hold.
#[test]
fn what_is_nothing_at_the_start_holds_later() {
    let model = Brakes::default();
    let signal = Signal::table([0.0, 0.5], [0.0, 1.0], Interpolation::Steps).unwrap().held_beyond();
    // v = 0.3 + t/2 − t²; of the others 0.55 − 3/2 (t − ½); p = 1.3 + t²/10 − (t − ½).
    let times = [
        ("by_time", 0.25 + (0.0625f64 + 0.3).sqrt()),
        ("by_input", 0.5 + 0.55 / 1.5),
        ("by_mode", 0.5 + 0.55 / 1.5),
        ("der(p)", 5.0 - (25.0f64 - 8.0).sqrt()),
    ];
    let methods = methods(&model);
    assert!(methods.len() >= 5, "{}", methods.len());
    for (name, method) in methods {
        for (step, near) in [(Step::adaptive(1e-6), 2e-5), (Step::fixed(1e-3), 1e-4)] {
            let run = Simulation::new(&model)
                .method(method.clone())
                .step(step)
                .input("pressed", signal.clone())
                .run()
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            let sticks: Vec<_> =
                run.events.iter().filter(|event| event.kind == EventKind::Stick).collect();
            assert!(sticks.len() == 4 && run.events.len() == 5, "{name}: {:?}", run.events);
            for (statement, t) in times {
                let event = sticks.iter().find(|event| event.name == statement).unwrap();
                assert_near(name, event.t, t, near);
            }
            assert!(run.final_v().iter().all(|v| v.abs() < 1e-12), "{name}: {:?}", run.final_v());
            assert!(run.stats.steps < 3_200, "{name}: {} steps", run.stats.steps);
        }
    }
}
