//! Loads that go up and down on what they hold, where nothing moves whose error would tell of them, against closed forms.

use crate::support::last;
use mbd::components::force;
use mbd::integrate::{Method, Step};
use mbd::prelude::*;
use mbd::signal::{Interpolation, Signal};
use mbd::simulation::Simulation;
use mbd::solution::{EventKind, Solution};

const METHODS: [&str; 6] =
    ["gen-alpha-soi2", "hht-i3", "radau5", "bdf-ggl", "state-space", "explicit-rk"];

/// The load of [`Swells`] and what it is fed with.
fn load(t: f64) -> f64 {
    9.5 + 0.55 * (1.0 - (-t / 20.0).exp()) * (10.0 * t).sin()
}

/// The first instant at which a function is not below zero.
fn first(f: impl Fn(f64) -> f64, until: f64) -> f64 {
    let step = 1e-4;
    let count = (until / step) as usize;
    let beyond = (1..count).map(|k| step * k as f64).find(|&t| f(t) >= 0.0).expect("a root");
    let (mut before, mut beyond) = (beyond - step, beyond);
    while beyond - before > 4.0 * f64::EPSILON * beyond {
        let middle = 0.5 * (before + beyond);
        *(if f(middle) >= 0.0 { &mut beyond } else { &mut before }) = middle;
    }
    beyond
}

#[track_caller]
fn run(model: &impl Mechanism, name: &str, step: Step, with: Option<Signal>) -> Solution {
    let simulation = Simulation::new(model).method(Method::from_name(name).unwrap()).step(step);
    let simulation = match with {
        Some(signal) => simulation.input("u", signal),
        None => simulation,
    };
    simulation.run().unwrap_or_else(|failed| panic!("{name}: {failed}"))
}

fn count(solution: &Solution, kind: EventKind) -> usize {
    solution.events.iter().filter(|event| event.kind == kind).count()
}

/// Instants at which something begins to slip: where an event happens then, what has let go is looked at once more.
fn slips(solution: &Solution) -> usize {
    let slips = solution.events.iter().filter(|event| event.kind == EventKind::Slip);
    let mut slips: Vec<f64> = slips.map(|event| event.t).collect();
    slips.dedup_by(|b, a| (*b - *a).abs() < 1e-9);
    slips.len()
}

mechanism! {
    /// A weight of which one thing or another holds each of a few equal ones: a wire that breaks, dry friction, a
    /// support; the load grows in 60 s to what is just too much.
    mechanism Swells {
        mode whole = true;
        coord hung: [m];
        coord rubbed: [m];
        coord laid: [m];
        kinetic all = 0.5*1.0*(sq(der(hung)) + sq(der(rubbed)) + sq(der(laid)));
        let swell = 9.5 + 0.55*(1.0 - exp(-t/20.0))*sin(10.0*t);
        holonomic wire: hung == 0.0 while whole;
        force pull along hung = swell;
        event snap when lambda(wire) >= 10.0 || lambda(wire) <= -10.0 { whole = false; }
        force rub along rubbed = force::dry_friction(der(rubbed), 10.0, 10.0);
        force drag along rubbed = swell;
        force press along laid = 10.0 - swell;
        unilateral floor: -laid;
        until 60.0;
    }
}

/// The weight hung on for ever, with an estimate of 0: steps of seconds met five instants each.
#[test]
fn what_holds_lets_go_when_a_load_that_goes_up_and_down_is_too_much() {
    let breaks = first(|t| load(t) - 10.0, 60.0);
    let peaks = (0..96)
        .map(|k| (std::f64::consts::FRAC_PI_2 + std::f64::consts::TAU * f64::from(k)) / 10.0);
    let above = peaks.filter(|&t| t < 60.0 && load(t) > 10.0).count();
    assert_eq!(above, 19);
    for name in METHODS {
        for step in [Step::adaptive(1e-3), Step::adaptive(1e-6)] {
            let seen = run(&Swells::default(), name, step.clone(), None);
            let snapped = seen.events.iter().find(|event| event.name == "snap").expect(name).t;
            assert!(
                (snapped - breaks).abs() < 1e-9 * breaks,
                "{name} {step:?}: {snapped} {breaks}"
            );
            assert_eq!(slips(&seen), above, "{name} {step:?}");
            // The wire has opened too.
            assert_eq!(count(&seen, EventKind::Open), above + 1, "{name} {step:?}");
        }
    }
}

/// Nor do prescribed steps pass over it without a word.
#[test]
fn prescribed_steps_tell_that_they_pass_over_what_a_load_does_to_what_holds() {
    for name in METHODS {
        let coarse = run(&Swells::default(), name, Step::fixed(1.0), None);
        assert!(
            coarse.warnings.iter().any(|w| w.contains("pass over")),
            "{name}: {:?}",
            coarse.warnings
        );
        let fine = run(&Swells::default(), name, Step::fixed(0.04), None);
        assert!(
            !fine.warnings.iter().any(|w| w.contains("pass over")),
            "{name}: {:?}",
            fine.warnings
        );
        let snapped = fine.events.iter().find(|event| event.name == "snap").expect(name).t;
        assert!((snapped - first(|t| load(t) - 10.0, 60.0)).abs() < 1e-7, "{name}: {snapped}");
    }
}

mechanism! {
    /// A block that creeps a little at each peak of its load.
    mechanism Creeps {
        param bias: [N] = 9.5;
        param amplitude: [N] = 0.51;
        param omega: [rad/s] = 10.0;
        coord x: [m];
        kinetic block = 0.5*1.0*sq(der(x));
        force rub along x = force::dry_friction(der(x), 10.0, 10.0);
        force load along x = bias + amplitude*sin(omega*t);
        until 60.0;
    }
}

/// It slips when the load is more than 10 N, and until its speed, in closed form, is 0 again. By `radau5` at 1e-9 it went half
/// the way, by the default at 1e-3 a thirtieth.
#[test]
fn a_block_creeps_at_each_peak_of_its_load() {
    let (excess, amplitude, omega) = (0.5, 0.51, 10.0);
    let begins = f64::asin(excess / amplitude) / omega;
    let speed = |t: f64| {
        amplitude / omega * ((omega * begins).cos() - (omega * t).cos()) - excess * (t - begins)
    };
    let ends = begins + first(|s| if s < 0.02 { -1.0 } else { -speed(begins + s) }, 0.2);
    let way = |t: f64| {
        let d = t - begins;
        amplitude / omega
            * ((omega * begins).cos() * d - ((omega * t).sin() - (omega * begins).sin()) / omega)
            - 0.5 * excess * d * d
    };
    // The last peak but a few is at 59.85 s.
    let right = 96.0 * way(ends);
    for (name, tol) in
        [("gen-alpha-soi2", 1e-6), ("hht-i3", 1e-6), ("radau5", 1e-3), ("explicit-rk", 1e-3)]
    {
        let seen = run(&Creeps::default(), name, Step::adaptive(tol), None);
        assert_eq!(
            [EventKind::Slip, EventKind::Stick].map(|kind| count(&seen, kind)),
            [96; 2],
            "{name}"
        );
        let off = last(&seen, "x") / right - 1.0;
        assert!(off.abs() < 2e-3, "{name}: {off:e}");
    }
}

/// What keeps far from its limit is passed over: a vibration of a hundred thousand turns in a few dozen steps.
#[test]
fn a_load_far_from_its_limit_bounds_no_step() {
    let quiet = Creeps { bias: 5.0, amplitude: 1.0, omega: 1e4 };
    for name in METHODS {
        let seen = run(&quiet, name, Step::adaptive(1e-6), None);
        assert!(seen.stats.steps < 100 && last(&seen, "x") == 0.0, "{name}: {}", seen.stats.steps);
    }
}

mechanism! {
    /// A measured load on dry friction, a counter of when it is too much, and the time for which it is.
    mechanism Measured {
        input u: [N] = 0.0;
        mode peaks = 0.0;
        state above: [s];
        init above = 0.0;
        coord x: [m];
        kinetic block = 0.5*1.0*sq(der(x));
        force rub along x = force::dry_friction(der(x), 10.0, 10.0);
        force load along x = u;
        der(above) = if u > 10.0 { 1.0 } else { 0.0 };
        event peak when u >= 10.0 { peaks = peaks + 1.0; }
        output counted = peaks;
        until 60.0;
    }
}

/// Rows of a spline were passed over where little moved: the block stayed for ever, and 1 to 3 of 19 peaks were counted.
#[test]
fn a_measured_load_is_met_between_all_its_rows() {
    let times: Vec<f64> = (0..=6000).map(|k| 0.01 * f64::from(k)).collect();
    let loads: Vec<f64> = times.iter().map(|&t| load(t)).collect();
    for between in [Interpolation::Spline, Interpolation::Linear] {
        for name in ["gen-alpha-soi2", "hht-i3", "radau5", "explicit-rk"] {
            let table = Signal::table(times.clone(), loads.clone(), between).unwrap();
            let seen = run(&Measured::default(), name, Step::adaptive(1e-4), Some(table));
            assert_eq!(last(&seen, "counted"), 19.0, "{name} {between:?}");
            assert_eq!(slips(&seen), 19, "{name} {between:?}");
        }
    }
}

mechanism! {
    /// What drifts slowly to a plate that vibrates.
    mechanism Drifts {
        coord y: [m];
        kinetic mass = 0.5*1.0*sq(der(y));
        event touch when y <= 0.02*sin(50.0*t) { stop "touched"; }
        init y = 0.1;
        init der(y) = -0.01;
        until 20.0;
    }
}

/// Steps of seconds looked at five instants each, and found it a second late.
#[test]
fn what_drifts_to_a_plate_that_vibrates_is_hit_at_its_first_peak() {
    let right = first(|t| 0.02 * (50.0 * t).sin() - (0.1 - 0.01 * t), 20.0);
    for name in METHODS {
        for step in [Step::adaptive(1e-3), Step::adaptive(1e-6)] {
            let seen = run(&Drifts::default(), name, step.clone(), None);
            let hit = seen.events.last().expect(name).t;
            assert!((hit - right).abs() < 1e-6, "{name} {step:?}: {hit} {right}");
        }
    }
}

mechanism! {
    /// A mass that begins on the edge of a step in the force, and goes over it: z = 2 t − 5 t².
    mechanism Edge {
        coord z: [m];
        kinetic mass = 0.5*1.0*sq(der(z));
        force back along z = if z > 0.0 { -10.0 } else { 0.0 };
        init der(z) = 2.0;
        until 0.3;
    }
}

mechanism! {
    /// A brake that comes in at the start by a sine: φ = 40 t².
    mechanism Brake {
        coord phi: [rad];
        kinetic disc = 0.5*1.5*sq(der(phi));
        let torque = if sin(0.5*t) > 0.0 { 180.0 } else { 0.0 };
        force brake along phi = force::dry_friction(der(phi), torque, 1.2*torque);
        force motor along phi = 300.0;
        until 1.0;
    }
}

/// Prescribed steps began with the acceleration of the other side: 10 % off at 0.3 s, of first order in the step.
#[test]
fn what_begins_at_its_boundary_begins_on_the_side_into_which_it_goes() {
    for name in METHODS {
        for step in [Step::fixed(0.01), Step::adaptive(1e-4)] {
            let seen = run(&Edge::default(), name, step.clone(), None);
            let allowed = if name == "bdf-ggl" { 2e-3 } else { 1e-9 };
            assert!(
                (last(&seen, "z") - 0.15).abs() < allowed,
                "{name} {step:?}: {}",
                last(&seen, "z")
            );
            let seen = run(&Brake::default(), name, step.clone(), None);
            let allowed = if name == "bdf-ggl" { 0.4 } else { 1e-7 };
            assert!(
                (last(&seen, "phi") - 40.0).abs() < allowed,
                "{name} {step:?}: {}",
                last(&seen, "phi")
            );
        }
    }
}
