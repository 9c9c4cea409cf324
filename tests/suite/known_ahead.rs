//! What a model says of the times ahead, beside inputs, samples and rows that change.

use crate::support::{last, run};
use mbd::integrate::{Method, Step};
use mbd::prelude::*;
use mbd::simulation::Simulation;
use mbd::solution::Solution;

const METHODS: [&str; 6] =
    ["gen-alpha-soi2", "hht-i3", "radau5", "bdf-ggl", "state-space", "explicit-rk"];

fn method(name: &str) -> Method {
    Method::from_name(name).unwrap()
}

mechanism! {
    /// A mass that a pulse of a few milliseconds pushes, in the same statement as an input: x(10) = 5 √π.
    mechanism Pulse {
        input u: [N] = 0.0;
        coord x: [m];
        kinetic mass = 0.5*1.0*sq(der(x));
        force f along x = u + 1000.0*exp(-sq((t - 5.0)/1e-3));
        scale x = 1.0;
        until 10.0;
    }
}

/// One input in a statement, and all of it that depends on time alone was stepped over: x(10) was 0.
#[test]
fn a_pulse_beside_an_input_is_not_stepped_over() {
    let right = 5.0 * std::f64::consts::PI.sqrt();
    for name in METHODS {
        let pushed = run(&Pulse::default(), method(name), Step::adaptive(1e-6), 10.0);
        let off = last(&pushed, "x") - right;
        assert!(off.abs() < 1e-3 * right, "{name}: {off:e}");
        // Nor without a word by prescribed steps.
        let coarse = run(&Pulse::default(), method(name), Step::fixed(0.1), 10.0);
        assert!(
            coarse.warnings.iter().any(|w| w.contains("pass over")),
            "{name}: {:?}",
            coarse.warnings
        );
    }
}

mechanism! {
    /// A pendulum that hangs on a carriage, which starts to move at a given pace after a second.
    mechanism Hung {
        param steady: [m/s] = 0.5;
        input pace: [m/s] = 0.0;
        coord x: [m];
        coord phi: [rad];
        kinetic carriage = 0.5*2.0*sq(der(x));
        kinetic bob = 0.5*(sq(der(x) + der(phi)*cos(phi)) + sq(der(phi)*sin(phi)));
        potential weight = -9.81*cos(phi);
        holonomic rail: x == (steady + pace)*max(t - 1.0, 0.0);
        until 3.0;
    }
}

/// A kink in time of a prescribed motion is a blow, though an input prescribes it too.
#[test]
fn a_kink_beside_an_input_is_a_blow() {
    let known = Hung::default();
    let fed = Hung { steady: 0.0 };
    for name in ["gen-alpha-soi2", "hht-i3", "radau5", "bdf-ggl", "state-space"] {
        for step in [Step::adaptive(1e-6), Step::fixed(0.013)] {
            let right = run(&known, method(name), step.clone(), 3.0);
            let is = Simulation::new(&fed)
                .method(method(name))
                .step(step.clone())
                .input("pace", 0.5)
                .run();
            let is = is.unwrap_or_else(|failed| panic!("{name} {step:?}: {failed}"));
            let listed =
                |run: &Solution| run.events.iter().map(|e| (e.t, e.kind)).collect::<Vec<_>>();
            assert_eq!(listed(&is), listed(&right), "{name} {step:?}");
            assert_eq!(is.events.len(), 1, "{name} {step:?}");
            let off = last(&is, "phi") - last(&right, "phi");
            assert!(off.abs() < 1e-5, "{name} {step:?}: {off:e}");
        }
    }
}

mechanism! {
    /// Events on time in a model that compares nothing else.
    mechanism Early {
        mode n = 0.0;
        mode m = 0.0;
        mode on = true;
        coord x: [m];
        kinetic mass = 0.5*1.0*sq(der(x));
        event early when t < 5.0 { n = n + 1.0; }
        event switched when on { n = n + 10.0; }
        event late when t >= 1.0 { m = m + 1.0; on = true; }
        output counted = n;
        output came = m;
        until 2.0;
    }
}

/// What was true at the start happened at the first time that anything did.
#[test]
fn what_is_true_at_the_start_is_no_event_though_only_time_is_compared() {
    for name in METHODS {
        for step in [Step::adaptive(1e-6), Step::fixed(0.3)] {
            let seen = run(&Early::default(), method(name), step, 2.0);
            assert_eq!([last(&seen, "counted"), last(&seen, "came")], [0.0, 1.0], "{name}");
            let names: Vec<&str> = seen.events.iter().map(|e| &*e.name).collect();
            assert_eq!(names, ["late"], "{name}");
        }
    }
}

mechanism! {
    /// A mass whose second row is redundant until it turns, with a force that switches in time and events on time.
    mechanism Turning {
        mode n = 0.0;
        mode m = 0.0;
        coord x: [m];
        coord y: [m];
        let turn = sq(max(t - 0.5, 0.0));
        kinetic = 0.5*(sq(der(x)) + sq(der(y)));
        force brake along y = -20.0*max(t - 0.5, 0.0);
        force kick along y = if sin(400.0*t) > 0.0 { 1e-6 } else { -1e-6 };
        holonomic line: x == 0.0;
        holonomic drive: x*cos(turn) + (y - t)*sin(turn) == 0.0;
        event early when t >= 0.2 { n = n + 1.0; }
        event late when t >= 0.9 { m = m + 1.0; }
        init y = 0.0;
        init der(y) = 1.0;
        output counted = 10.0*n + m;
        until 1.0;
    }
}

/// Where rows change all was begun anew: an event happened a second time, and a step of which a part was left covered a
/// whole one in the time of that part, 8 mm too far.
#[test]
fn rows_that_change_leave_events_and_parts_of_steps_as_they_are() {
    for name in ["gen-alpha-soi2", "hht-i3", "radau5", "bdf-ggl"] {
        for step in
            (8..=13).map(|ms| Step::fixed(1e-3 * f64::from(ms))).chain([Step::adaptive(1e-6)])
        {
            let seen = run(&Turning::default(), method(name), step.clone(), 1.0);
            assert!(!seen.rank_changes.is_empty(), "{name} {step:?}");
            assert_eq!(last(&seen, "counted"), 11.0, "{name} {step:?}");
            let listed =
                seen.events.iter().filter(|e| ["early", "late"].contains(&&*e.name)).count();
            assert_eq!(listed, 2, "{name} {step:?}");
            let y = seen.series("y").unwrap();
            let jumps = y.iter().zip(seen.times()).map(|(y, t)| (y - t).abs()).fold(0.0, f64::max);
            assert!(jumps < 1e-3, "{name} {step:?}: {jumps:e}");
        }
    }
}

mechanism! {
    /// Two forces that begin a rounding apart: v(1) = 0.7 + 70.
    mechanism Twice {
        coord x: [m];
        kinetic m = 0.5*1.0*sq(der(x));
        force a along x = if t > 0.3 { 1.0 } else { 0.0 };
        force b along x = if t > 0.1 + 0.2 { 100.0 } else { 0.0 };
        until 1.0;
    }
}

/// The second of the two began one stage late.
#[test]
fn what_begins_a_rounding_apart_begins_as_one() {
    for name in METHODS {
        for step in [Step::fixed(0.1), Step::adaptive(1e-8)] {
            let pushed = run(&Twice::default(), method(name), step.clone(), 1.0);
            let off = last(&pushed, "der(x)") - 70.7;
            assert!(off.abs() < 1e-9, "{name} {step:?}: {off:e}");
        }
    }
}

mechanism! {
    /// An event that sets a velocity to what is no number.
    mechanism Refused {
        param z = 0.0;
        coord x: [m];
        kinetic m = 0.5*1.0*sq(der(x));
        event bad when t >= 1.0 { der(x) = 1.0/z - 1.0/z; }
        until 2.0;
    }
}

/// Asked to go on the second time, it did so without the event.
#[test]
fn what_is_refused_once_is_refused_again() {
    let simulation = Simulation::new(&Refused::default());
    let mut stepper = simulation.stepper().unwrap();
    let saved = stepper.save().unwrap();
    let first = stepper.step_to(2.0).unwrap_err().to_string();
    assert!(first.contains("bad"), "{first}");
    assert_eq!(stepper.step_to(2.0).unwrap_err().to_string(), first);
    stepper.restore(&saved).unwrap();
    stepper.step_to(0.5).unwrap();
    assert_eq!(stepper.step_to(2.0).unwrap_err().to_string(), first);
}

mechanism! {
    /// A sampled controller whose force stands in one statement with what time does, or in one of its own.
    mechanism Sampled {
        mode u = 0.0;
        coord x: [m];
        kinetic mass = 0.5*sq(der(x));
        potential spring = 0.5*4.0*sq(x);
        force motor along x = u + 0.1*sin(5.0*t);
        force wind along x = 0.3*exp(-sq((t - 3.0)/0.1)) - 0.01*der(x);
        sample control every 0.001 { u = -3.0*x - 0.5*der(x); }
        init x = 1.0;
        until 1.0;
    }
}

mechanism! {
    mechanism Separate {
        mode u = 0.0;
        coord x: [m];
        kinetic mass = 0.5*sq(der(x));
        potential spring = 0.5*4.0*sq(x);
        force motor along x = u;
        force sine along x = 0.1*sin(5.0*t);
        force wind along x = 0.3*exp(-sq((t - 3.0)/0.1)) - 0.01*der(x);
        sample control every 0.001 { u = -3.0*x - 0.5*der(x); }
        init x = 1.0;
        until 1.0;
    }
}

/// All of the times ahead was looked through anew after each sample, at 1 ms each; where only the time up to the next sample
/// is, what a bell of time is far from its middle must not count for a change, as its last digits are all it has there.
#[test]
fn samples_that_stand_with_time_cost_no_more_steps() {
    for name in METHODS {
        let [one, two] = [
            run(&Sampled::default(), method(name), Step::adaptive(1e-6), 1.0),
            run(&Separate::default(), method(name), Step::adaptive(1e-6), 1.0),
        ];
        let off = last(&one, "x") - last(&two, "x");
        assert!(off.abs() < 1e-9, "{name}: {off:e}");
        let steps = [one.stats.steps, two.stats.steps];
        assert!(steps[0] <= steps[1] + steps[1] / 50, "{name}: {steps:?}");
    }
}
