//! What blows, and comparisons with time, leave of dry friction: speeds that jump over the zero of friction slip on the
//! other side, those that come to rest stick. Against motions in closed form.

use mbd::RunError;
use mbd::assembly::SlotKind;
use mbd::components::force;
use mbd::integrate::{INCONSISTENT, METHODS};
use mbd::prelude::*;
use mbd::simulation::Simulation;
use mbd::solution::{ColumnKind, Solution};

mechanism! {
    /// A puck on a rough floor that hits a wall, comes to rest and is pulled off later.
    mechanism Puck {
        param e: [1] = 0.5;
        coord x: [m];
        kinetic mass = 0.5*1.0*sq(der(x));
        force friction along x = force::dry_friction(der(x), 0.5, 0.8);
        force load along x = if t < 4.0 { -0.2 } else { -0.2 + 0.5*(t - 4.0) };
        event wall when x <= 0.0 { impulse along x = restitution(e); }
        init x = 1.0;
        init der(x) = -2.0;
        until 7.0;
    }
}

mechanism! {
    /// A block on a belt that reverses at once.
    mechanism Reversed {
        coord x: [m];
        kinetic mass = 0.5*1.0*sq(der(x));
        let belt = if t < 1.0 { -0.5 } else { 0.8 };
        force friction along x = force::dry_friction(der(x) - belt, 0.5, 0.7);
        init der(x) = 0.2;
        until 4.0;
    }
}

mechanism! {
    /// A relay that drives a state back to where it switches.
    mechanism Thermostat {
        state temperature: [K];
        der(temperature) = if temperature < 1.0 { 2.0 } else { -0.5 };
        coord x: [m];
        kinetic mass = 0.5*1.0*sq(der(x));
        force pull along x = temperature;
        until 2.0;
    }
}

fn run(model: &impl Mechanism, method: &str, step: Step) -> Result<Solution, RunError> {
    let method = Method::from_name(method).expect("a method");
    Simulation::new(model).method(method).step(step).run()
}

fn consistent() -> impl Iterator<Item = &'static str> {
    METHODS.iter().map(|method| method.name).filter(|name| !INCONSISTENT.contains(name))
}

/// A bound for a method's run at 1e-6: of order 5, and of order 2.
fn bound(method: &str) -> f64 {
    if ["radau5", "radau5-index2", "explicit-rk"].contains(&method) { 1e-8 } else { 2e-4 }
}

/// It comes to the wall with √3.4 m/s, back with e times that, and rests after e² 3.4/1.4 m; at 6 s the load is as much
/// as friction holds, and x″ = 0.3 + 0.5 (t − 6) from there.
#[test]
fn a_puck_that_rebounds_slips_on() {
    let speed = 3.4_f64.sqrt();
    let hit = (2.0 - speed) / 0.3;
    for e in [0.0, 0.5, 1.0] {
        // Without a rebound it rests on the wall too, which the load leaves at 4.4 s.
        let rest = if e > 0.0 { vec![hit, hit + e * speed / 0.7] } else { vec![hit, hit, 4.4] };
        let expected = [&[hit][..], &rest, &[6.0]].concat();
        let end = e * e * 3.4 / 1.4 + 0.15 + 0.5 / 6.0;
        for method in consistent() {
            let run = run(&Puck { e }, method, Step::adaptive(1e-6)).expect(method);
            let times: Vec<f64> = run.events.iter().map(|event| event.t).collect();
            assert_eq!(times.len(), expected.len(), "{method}, e = {e}: {:?}", run.events);
            for (found, exact) in times.iter().zip(&expected) {
                assert!((found - exact).abs() < bound(method), "{method}: {times:?}, {expected:?}");
            }
            let [x, v] = [run.final_q()[0], run.final_v()[0]];
            assert!((x - end).abs() < bound(method), "{method}, e = {e}: {x} for {end}");
            assert!((v - 0.55).abs() < bound(method), "{method}, e = {e}: {v}");
        }
    }
}

/// x′ = 0.2 − t/2 to 1 s, from there −0.3 + (t − 1)/2 to the belt's 0.8 m/s at 3.2 s.
#[test]
fn a_belt_that_reverses_is_stuck_to() {
    for method in consistent() {
        for step in [Step::adaptive(1e-6), Step::fixed(0.01)] {
            let run = run(&Reversed::default(), method, step).expect(method);
            let last = run.events.last().map(|event| event.t).unwrap_or(0.0);
            assert_eq!(run.events.len(), 2, "{method}: {:?}", run.events);
            assert!((last - 3.2).abs() < 1e-4, "{method}: {last}");
            assert!((run.final_v()[0] - 0.8).abs() < 1e-14, "{method}: {:?}", run.final_v());
            // BDF begins with order 1: h²/2 of the accelerations.
            let bound = if method.starts_with("bdf") { 1e-4 } else { 1e-9 };
            assert!((run.final_q()[0] - 1.14).abs() < bound, "{method}: {:?}", run.final_q());
            assert!(run.stats.steps <= 402, "{method}: {}", run.stats);
        }
    }
}

/// No surface holds a state, so it chatters; what BDF began with after each event was a slope of the jump itself, and
/// the temperature −6000 K. A method may refuse the steps, or follow.
#[test]
fn a_relay_of_a_state_is_followed_or_refused() {
    for method in consistent() {
        if let Ok(run) = run(&Thermostat::default(), method, Step::fixed(0.01)) {
            let states = run.range(ColumnKind::Slot(SlotKind::X));
            let temperature = run.row(run.len() - 1)[states][0];
            assert!((temperature - 1.0).abs() < 0.03, "{method}: {temperature}");
            assert!((run.final_v()[0] - 1.75).abs() < 0.03, "{method}: {:?}", run.final_v());
        }
    }
}
