//! Surfaces of states: a rate that a comparison switches, and that points at it from both sides, holds the state there.

use mbd::integrate::{INCONSISTENT, METHODS};
use mbd::prelude::*;
use mbd::simulation::Simulation;
use mbd::solution::{EventKind, Solution};

mechanism! {
    /// A state that goes to zero and stays there, until what drives it is more than its rate can hold.
    pub mechanism Relaxes {
        param drive: [1/s^2] = 0.5;
        state x: [-];
        der(x) = (if x > 0.0 { -1.0 } else { 1.0 }) + drive*t;
        init x = 0.5;
    }
}

mechanism! {
    /// A room that is heated by a switch without hysteresis, while it grows warmer outside.
    pub mechanism Room {
        param set: [K] = 20.0;
        param heat: [K/s] = 0.4;
        param loss: [1/s] = 0.02;
        param warmer: [K/s] = 0.04;
        state temp: [K];
        variable power: [K/s] == if temp > set { 0.0 } else { heat };
        der(temp) = power - loss*(temp - 5.0 - warmer*t);
        init temp = 10.0;
    }
}

mechanism! {
    /// Two that act on each other: both hold, then one lets go.
    pub mechanism Two {
        state x: [-];
        state y: [-];
        let to_x = if x > 0.0 { -1.0 } else { 1.0 };
        let to_y = if y > 0.0 { -1.0 } else { 1.0 };
        der(x) = to_x + 0.3*to_y + 0.4*sin(t);
        der(y) = 0.2*to_x + to_y + 0.3*t;
        init x = 0.5;
        init y = -0.7;
    }
}

mechanism! {
    /// A cart under a sliding mode with an integral: what is compared reads a speed, a position and a state.
    pub mechanism Integral {
        coord q: [m];
        state i: [m*s];
        kinetic cart = 0.5*1.0*sq(der(q));
        der(i) = q - 1.0;
        let s = der(q) + 2.0*(q - 1.0) + 1.0*i;
        force relay along q = (if s > 0.0 { -5.0 } else { 5.0 }) + 1.0*sin(2.0*t);
        init q = 0.0;
        output off: [m/s] = s;
    }
}

mechanism! {
    /// A surface that is bent: the states go round on a circle.
    pub mechanism Round {
        param turns: [rad/s] = 2.0;
        state x: [-];
        state y: [-];
        let to = if sq(x) + sq(y) > 1.0 { -1.0 } else { 1.0 };
        der(x) = -turns*y + 1.5*to*x;
        der(y) = turns*x + 1.5*to*y;
        init x = 0.4;
        init y = 0.0;
    }
}

mechanism! {
    /// Tanks in a loop, each filled up to its mark by a valve that opens at once.
    pub mechanism Tanks {
        size n = 3;
        state level[n]: [m];
        for i in 0..n {
            let mark = 0.5 + 0.25*i;
            let inflow = if level[i] < mark { 0.3 } else { 0.0 };
            der(level[i]) = inflow - 0.1*level[i];
        }
        output levels: [m] = level[0] + level[1] + level[2];
    }
}

fn consistent() -> impl Iterator<Item = &'static str> {
    METHODS.iter().map(|method| method.name).filter(|name| !INCONSISTENT.contains(name))
}

fn run(model: &impl Mechanism, method: &str, step: Step, t_end: f64) -> Solution {
    let method_of = Method::from_name(method).unwrap();
    let run = Simulation::new(model).method(method_of).step(step).until(t_end).run();
    run.unwrap_or_else(|error| panic!("{method}: {error}"))
}

fn last(run: &Solution, name: &str) -> f64 {
    *run.series(name).unwrap().last().unwrap()
}

fn told(run: &Solution) -> Vec<(EventKind, i8)> {
    run.events.iter().map(|event| (event.kind, event.direction)).collect()
}

/// Steps, and what results may be off by.
fn cases(method: &str) -> [(Step, f64); 3] {
    let order_5 = method.starts_with("radau5") || method == "explicit-rk";
    let off = if method.starts_with("bdf") { 5.0 } else { 1.0 };
    [
        (Step::adaptive(1e-4), 1e-3 * off),
        (Step::adaptive(1e-6), if order_5 { 1e-7 } else { 2e-5 * off }),
        (Step::fixed(0.01), if order_5 { 1e-8 } else { 1e-4 * off }),
    ]
}

/// 0.5 − t + t²/4 = 0 at 2 − √2; at 2 s the drive is 1, and x(3) = 1/4.
#[test]
fn a_state_stays_where_its_rate_points_from_both_sides() {
    for method in consistent() {
        for (step, good) in cases(method) {
            let run = run(&Relaxes::default(), method, step, 3.0);
            assert_eq!(told(&run), [(EventKind::Stick, -1), (EventKind::Slip, 1)], "{method}");
            let [stick, slip] = [run.events[0].t, run.events[1].t];
            assert!((stick - (2.0 - 2.0_f64.sqrt())).abs() < good, "{method}: {stick}");
            assert!((slip - 2.0).abs() < 1e-12, "{method}: {slip}");
            assert!((last(&run, "x") - 0.25).abs() < good, "{method}: {}", last(&run, "x"));
            for (t, x) in run.times().iter().zip(run.series("x").unwrap()) {
                let held = stick < *t && *t < slip;
                assert!(!held || x.abs() < 1e-15, "{method}: {x:e} at {t}");
            }
            assert_eq!(run.stats.substituted, 0, "{method}");
        }
    }
    // It begins on it, and stays for ever.
    let still = Relaxes { drive: 0.0 };
    let method = Method::from_name("radau5").unwrap();
    let begins =
        Simulation::new(&still).method(method).set_initial("x", 0.0).until(1e4).run().unwrap();
    assert!(begins.series("x").unwrap().iter().all(|x| *x == 0.0));
    assert!(begins.stats.steps < 100, "{}", begins.stats);
}

/// T = 23 + 0.04 t − 13 exp(−0.02 t) up to 20 K; then the switch is on for as much of the time as is lost, a `variable` of
/// the model says how much. When nothing is lost any more it is off: T = 3 + 0.04 t + 2 exp(−0.02 (t − 375)).
#[test]
fn a_switch_without_hysteresis_holds_a_temperature() {
    let stick = 48.414_022_25;
    assert!((23.0 + 0.04 * stick - 13.0 * f64::exp(-0.02 * stick) - 20.0_f64).abs() < 1e-8);
    for method in consistent() {
        for (step, good) in
            [(Step::adaptive(1e-4), 0.05), (Step::adaptive(1e-6), 2e-3), (Step::fixed(0.5), 0.01)]
        {
            let held = run(&Room::default(), method, step.clone(), 300.0);
            assert_eq!(told(&held), [(EventKind::Stick, 1)], "{method} {step:?}");
            assert!((held.events[0].t - stick).abs() < good, "{method}: {:?}", held.events);
            assert!(
                (last(&held, "temp") - 20.0).abs() < 1e-13,
                "{method}: {}",
                last(&held, "temp")
            );
            assert!(
                (last(&held, "power") - 0.06).abs() < 1e-6,
                "{method}: {}",
                last(&held, "power")
            );
            let off = run(&Room::default(), method, step, 400.0);
            assert_eq!(told(&off), [(EventKind::Stick, 1), (EventKind::Slip, 1)], "{method}");
            assert!((off.events[1].t - 375.0).abs() < 1e-4, "{method}: {}", off.events[1].t);
            let exact = 19.0 + 2.0 * f64::exp(-0.5);
            assert!((last(&off, "temp") - exact).abs() < good, "{method}: {}", last(&off, "temp"));
            assert!(last(&off, "power").abs() < 1e-12, "{method}");
        }
    }
    let exact = run(&Room::default(), "radau5", Step::adaptive(1e-10), 100.0);
    assert!((exact.events[0].t - stick).abs() < 1e-7, "{}", exact.events[0].t);
    assert!(exact.stats.steps < 100, "{}", exact.stats);
}

/// y comes to 0 where 0.15 t² + 0.8 t = 0.7, x soon after; y is torn loose where its share is 1: 0.94 = 0.3 t − 0.08 sin t.
/// From there y' = 0.3 t − 0.94 − 0.08 sin t.
#[test]
fn two_surfaces_hold_and_let_go_together() {
    let first = (1.06_f64.sqrt() - 0.8) / 0.3;
    let mut torn = 3.0_f64;
    for _ in 0..50 {
        torn = (0.94 + 0.08 * torn.sin()) / 0.3;
    }
    let anti = |t: f64| 0.15 * t * t - 0.94 * t + 0.08 * t.cos();
    let end = anti(5.0) - anti(torn);
    for method in consistent() {
        for (step, good) in cases(method) {
            let run = run(&Two::default(), method, step, 5.0);
            let kinds = [(EventKind::Stick, 1), (EventKind::Stick, -1), (EventKind::Slip, 1)];
            assert_eq!(told(&run), kinds, "{method}");
            assert!((run.events[0].t - first).abs() < good, "{method}: {}", run.events[0].t);
            assert!((run.events[2].t - torn).abs() < 1e-9, "{method}: {}", run.events[2].t);
            assert!(last(&run, "x").abs() < 1e-13, "{method}: {}", last(&run, "x"));
            assert!((last(&run, "y") - end).abs() < good, "{method}: {} {end}", last(&run, "y"));
        }
    }
}

#[test]
fn what_is_compared_may_read_speeds_and_states() {
    let exact = run(&Integral::default(), "radau5", Step::adaptive(1e-11), 6.0);
    for method in consistent() {
        for (step, good) in cases(method) {
            let run = run(&Integral::default(), method, step, 6.0);
            assert_eq!(told(&run), [(EventKind::Stick, 1)], "{method}");
            let off = (run.final_q()[0] - exact.final_q()[0]).abs();
            assert!(off < good, "{method}: {off:.1e}");
            // It stays what it was where the motion came to it, to what a step errs by.
            assert!(last(&run, "off").abs() < good, "{method}: {:.1e}", last(&run, "off"));
        }
    }
}

/// From r = 0.4 by r' = 1.5 r to 1, then round by 2 rad/s.
#[test]
fn a_surface_may_be_bent() {
    let t = 4.0_f64;
    for method in consistent() {
        for (step, good) in cases(method) {
            let run = run(&Round::default(), method, step, t);
            assert_eq!(told(&run), [(EventKind::Stick, 1)], "{method}: {:?}", run.events);
            let arrives = (1.0_f64 / 0.4).ln() / 1.5;
            assert!((run.events[0].t - arrives).abs() < good, "{method}: {}", run.events[0].t);
            let off = (last(&run, "x") - (2.0 * t).cos()).hypot(last(&run, "y") - (2.0 * t).sin());
            assert!(off < 20.0 * good, "{method}: {off:.1e}");
        }
    }
}

#[test]
fn each_of_a_loop_is_held_at_its_mark() {
    for method in consistent() {
        let run = run(&Tanks::default(), method, Step::adaptive(1e-6), 20.0);
        assert_eq!(told(&run), [(EventKind::Stick, 1); 3], "{method}: {:?}", run.events);
        for (k, event) in run.events.iter().enumerate() {
            // l = 3 (1 − exp(−t/10)).
            let mark = 0.5 + 0.25 * k as f64;
            assert!(
                (event.t + 10.0 * (1.0 - mark / 3.0).ln()).abs() < 1e-4,
                "{method}: {}",
                event.t
            );
        }
        assert!((last(&run, "levels") - 2.25).abs() < 1e-13, "{method}");
    }
}

#[test]
fn derivatives_are_right_while_states_are_held() {
    for report in [
        Relaxes::default().check(&CheckOptions::default()),
        Room::default().check(&CheckOptions::default()),
        Two::default().check(&CheckOptions::default()),
        Integral::default().check(&CheckOptions::default()),
        Round::default().check(&CheckOptions::default()),
        Tanks::default().check(&CheckOptions::default()),
    ] {
        let report = report.unwrap();
        assert!(report.passed(), "{report}");
    }
}

#[test]
fn what_was_saved_goes_on_to_the_last_bit() {
    for method in ["gen-alpha-soi2", "radau5", "bdf-ggl", "explicit-rk"] {
        let two = Two::default();
        let method_of = Method::from_name(method).unwrap();
        let simulation = Simulation::new(&two).method(method_of).step(Step::fixed(0.01));
        let mut stepper = simulation.stepper().unwrap();
        for k in 1..=40 {
            let saved = stepper.save().unwrap();
            stepper.step_to(0.1 * f64::from(k)).unwrap();
            let first = stepper.state().x().to_vec();
            stepper.restore(&saved).unwrap();
            stepper.step_to(0.1 * f64::from(k)).unwrap();
            assert_eq!(first, stepper.state().x(), "{method} {k}");
        }
    }
}

/// Nothing that differs by less than the way of the switch is left of what came before.
#[test]
fn what_is_held_forgets_what_was() {
    let radau5 = Method::from_name("radau5").unwrap();
    let relaxes = Relaxes::default();
    let simulation = Simulation::new(&relaxes).method(radau5).step(Step::adaptive(1e-11));
    let run = simulation.saltations(true).until(1.0).run().unwrap();
    let [event] = &run.saltations[..] else { panic!("{:?}", run.saltations) };
    let kept = event.entry("x", "x").unwrap();
    assert!(kept.abs() < 1e-9, "{kept}");
}

mechanism! {
    /// A switch that acts on what it compares by way of another state: no combination of both sides holds that.
    pub mechanism Sensed {
        state temp: [K];
        state felt: [K];
        der(temp) = (if felt > 20.0 { 0.0 } else { 0.4 }) - 0.02*(temp - 5.0);
        der(felt) = 0.5*(temp - felt);
        init temp = 10.0;
        init felt = 10.0;
    }
}

/// The switch is thrown ever sooner. That is told or run through, and does not hang; the temperature is where it has to be.
#[test]
fn a_switch_behind_a_sensor_is_not_held() {
    for method in ["radau5", "gen-alpha-soi2", "explicit-rk"] {
        let method_of = Method::from_name(method).unwrap();
        let sensed = Sensed::default();
        let simulation = Simulation::new(&sensed).method(method_of).step(Step::adaptive(1e-4));
        match simulation.until(150.0).run() {
            Ok(run) => {
                assert!((last(&run, "temp") - 20.0).abs() < 0.05, "{method}");
                assert!(run.events.iter().all(|event| event.kind == EventKind::Switch), "{method}");
                assert!(run.events.len() > 10, "{method}: {}", run.events.len());
            }
            Err(error) => panic!("{method}: {error}"),
        }
    }
}
