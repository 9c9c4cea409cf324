//! Models that are led from outside from instant to instant, and sampled controllers, against the exact
//! discrete map x(t + T) = e^{AT} x(t) + ∫ e^{As} ds B u.

use crate::support::{assert_close, assert_near};
use mbd::error::{InputError, OptionError, StepError};
use mbd::integrate::METHODS;
use mbd::nalgebra::{DMatrix, DVector};
use mbd::prelude::*;
use mbd::signal::{Interpolation, Signal};
use mbd::simulation::Stepper;
use mbd::solution::Status;

const PERIOD: f64 = 0.05;

mechanism! {
    /// A mass on a spring, pushed from outside.
    mechanism Plant {
        input u: [N] = 0.0;
        coord x: [m];
        kinetic mass = 0.5*2.0*sq(der(x));
        potential spring = 0.5*8.0*sq(x);
        force push along x = u - 0.4*der(x);
        init x = 0.1;
        init der(x) = 0.3;
        output power: [W] = u*der(x);
        until 2.0;
    }
}

mechanism! {
    /// The same with its controller.
    mechanism Sampled {
        param period: [s] = 0.05;
        param start: [s] = 0.0;
        mode u: [N] = 0.0;
        coord x: [m];
        kinetic mass = 0.5*2.0*sq(der(x));
        potential spring = 0.5*8.0*sq(x);
        force push along x = u - 0.4*der(x);
        sample controller every period from start { u = -20.0*x - 3.0*der(x); }
        init x = 0.1;
        init der(x) = 0.3;
        output held: [N] = u;
        until 2.0;
    }
}

mechanism! {
    /// A mass on a spring, and a filter that follows it.
    mechanism Followed {
        coord x: [m];
        kinetic mass = 0.5*2.0*sq(der(x));
        potential spring = 0.5*8.0*sq(x);
        force damping along x = -0.4*der(x);
        state e: [m];
        der(e) = 3.0*(x - e) + der(x);
        init x = 0.1;
        init der(x) = 0.3;
        init e = 0.5;
    }
}

fn law(x: f64, v: f64) -> f64 {
    -20.0 * x - 3.0 * v
}

/// One period of a constant force.
fn map(period: f64, [x, v]: [f64; 2], u: f64) -> [f64; 2] {
    let a = DMatrix::from_row_slice(3, 3, &[0.0, 1.0, 0.0, -4.0, -0.2, 0.5, 0.0, 0.0, 0.0]);
    let y = (a * period).exp() * DVector::from_vec(vec![x, v, u]);
    [y[0], y[1]]
}

/// x and v after so many periods, from a first part without control.
fn exact(first: f64, periods: usize, last: f64) -> [f64; 2] {
    let mut y = map(first, [0.1, 0.3], 0.0);
    for n in 0..periods {
        let part = if n + 1 == periods { last } else { PERIOD };
        y = map(part, y, law(y[0], y[1]));
    }
    y
}

fn plant(method: &str, step: Step) -> Stepper {
    let method = Method::from_name(method).unwrap();
    Simulation::new(&Plant::default()).method(method).step(step).stepper().unwrap()
}

/// Steps with control from one period to another.
fn control(plant: &mut Stepper, periods: std::ops::Range<usize>) -> [f64; 2] {
    for n in periods {
        let [x, v] = [plant.state().q()[0], plant.state().v()[0]];
        plant.set_input("u", law(x, v)).unwrap();
        plant.step_to((n + 1) as f64 * PERIOD).unwrap();
    }
    [plant.state().q()[0], plant.state().v()[0]]
}

#[test]
fn a_plant_that_is_led_follows_the_discrete_map_by_all_methods() {
    let exact = exact(0.0, 40, PERIOD);
    for method in METHODS.iter().map(|method| method.name) {
        let (tol, good) = if method == "radau5" { (1e-10, 1e-9) } else { (1e-6, 1e-4) };
        let mut adaptive = plant(method, Step::adaptive(tol));
        let [x, v] = control(&mut adaptive, 0..40);
        assert_near(method, x, exact[0], good);
        assert_near(method, v, exact[1], good);
        assert_eq!(adaptive.t(), 2.0);
        // Steps that do not divide the period end with it all the same.
        let (h, good) = match method {
            "radau5" => (0.02, 1e-9),
            // After each jump it begins with a step of order 1.
            _ if method.starts_with("bdf") => (0.0007, 2e-4),
            _ => (0.0007, 2e-5),
        };
        let mut fixed = plant(method, Step::fixed(h));
        assert_close(method, &control(&mut fixed, 0..40), &exact, good);
    }
}

/// A step of nearly nothing before one of usual size: what is left of it, divided by it, must not go on.
#[test]
fn instants_may_nearly_coincide() {
    let a = DMatrix::from_row_slice(3, 3, &[0.0, 1.0, 0.0, -4.0, -0.2, 0.0, 3.0, 1.0, -3.0]);
    let exact = (a * 2.0).exp() * DVector::from_vec(vec![0.1, 0.3, 0.5]);
    for method in METHODS.iter().map(|method| method.name) {
        for apart in [1e-14, 1e-12, 1e-9, 1e-6] {
            for (step, good) in [(Step::adaptive(1e-6), 2e-4), (Step::fixed(1e-3), 1e-4)] {
                let by = format!("{method} {step:?}, {apart:e} s apart");
                let method = Method::from_name(method).unwrap();
                let simulation = Simulation::new(&Followed::default()).method(method).step(step);
                let mut stepper = simulation.stepper().unwrap();
                for k in 1..=4 {
                    stepper.step_to(0.5 * f64::from(k) - apart).unwrap();
                    stepper.step_to(0.5 * f64::from(k)).unwrap();
                }
                let state = stepper.state();
                let reached = [state.q()[0], state.v()[0], state.x()[0]];
                assert_close(&by, &reached, exact.as_slice(), good);
            }
        }
    }
}

#[test]
fn a_sampled_controller_follows_the_discrete_map_by_all_methods() {
    for (start, periods, last) in [(0.0, 40, PERIOD), (0.03, 40, 0.02), (-0.02, 40, 0.02)] {
        let first: f64 = if start < 0.0 { 0.03 } else { start };
        let exact = exact(first, periods, last);
        for method in METHODS.iter().map(|method| method.name) {
            let (tol, good) = if method == "radau5" { (1e-10, 1e-9) } else { (1e-6, 2e-4) };
            for step in [Step::adaptive(tol), Step::fixed(0.0013)] {
                let run = Simulation::new(&Sampled { start, ..Default::default() })
                    .method(Method::from_name(method).unwrap())
                    .step(step)
                    .run()
                    .unwrap();
                assert_near(method, run.final_q()[0], exact[0], good);
                assert_near(method, run.final_v()[0], exact[1], good);
                assert_eq!(run.samples, [("controller".to_string(), 40)], "{method}");
                assert!(run.events.is_empty());
                let times = run.times();
                for n in 1..40 {
                    let t = start + n as f64 * PERIOD;
                    assert!(t < first || times.contains(&t), "{method}: no row at {t}");
                }
            }
        }
    }
}

#[test]
fn samples_do_not_drift() {
    let sampled = Sampled { period: 0.1, ..Default::default() };
    let run = Simulation::new(&sampled).step(Step::fixed(0.1)).until(100.0).run().unwrap();
    // 0.1 added up a thousand times is not 100.
    assert_eq!(run.samples[0].1, 1000);
    assert!((0..1000).all(|n| run.times().contains(&(n as f64 * 0.1))));
}

#[test]
fn a_period_that_is_none_is_refused() {
    for period in [0.0, -1.0, f64::INFINITY] {
        let failed = Simulation::new(&Sampled { period, ..Default::default() }).run().unwrap_err();
        let text = failed.error.to_string();
        assert!(text.contains("controller") || text.contains("period"), "{text}");
    }
}

#[test]
fn a_stepper_is_the_run_it_divides() {
    for method in METHODS.iter().map(|method| method.name) {
        let whole = Simulation::new(&Plant::default())
            .method(Method::from_name(method).unwrap())
            .step(Step::fixed(0.01))
            .run()
            .unwrap();
        let mut parts = plant(method, Step::fixed(0.01));
        for n in 1..=200 {
            parts.step_to(n as f64 * 0.01).unwrap();
        }
        assert_eq!(parts.state().q(), whole.final_q(), "{method}");
        assert_eq!(parts.state().v(), whole.final_v(), "{method}");
        assert_eq!(parts.stats().steps, whole.stats.steps);
    }
}

#[test]
fn a_stepper_goes_on_from_what_was_saved_to_the_last_bit() {
    for method in METHODS.iter().map(|method| method.name) {
        for step in [Step::adaptive(1e-5), Step::fixed(0.013)] {
            let mut first = plant(method, step.clone());
            control(&mut first, 0..7);
            let saved = first.save().unwrap();
            let bits = |[x, v]: [f64; 2]| [x.to_bits(), v.to_bits()];
            let ahead = bits(control(&mut first, 7..20));
            let lambda = first.state().value("der(der(x))").unwrap().to_bits();
            first.restore(&saved).unwrap();
            assert_eq!(first.t(), 7.0 * PERIOD);
            assert_eq!(bits(control(&mut first, 7..20)), ahead, "{method} {step:?}");
            let mut other = plant(method, step);
            other.restore(&saved).unwrap();
            assert_eq!(bits(control(&mut other, 7..20)), ahead, "{method}");
            assert_eq!(other.state().value("der(der(x))").unwrap().to_bits(), lambda);
        }
    }
    let saved = plant("radau5", Step::fixed(0.01)).save().unwrap();
    let refused = plant("radau5", Step::fixed(0.02)).restore(&saved).unwrap_err();
    assert!(matches!(refused, Error::Option(OptionError::OtherRun { .. })), "{refused}");
    let refused = plant("radau5", Step::fixed(0.01)).restore(&saved[..50]).unwrap_err();
    assert!(matches!(refused, Error::Option(OptionError::NoCheckpoint { .. })), "{refused}");
}

#[test]
fn a_stepper_says_what_cannot_be() {
    let mut plant = plant("radau5", Step::default());
    let unknown = plant.input("v").unwrap_err();
    assert!(matches!(unknown, OptionError::UnknownName { .. }), "{unknown}");
    let u = plant.input("u").unwrap();
    let failed = plant.set(u, f64::NAN).unwrap_err();
    assert!(matches!(failed, InputError::NotFinite { .. }), "{failed}");
    assert!(plant.quantity("der(y)").is_err());
    plant.step_to(1.0).unwrap();
    assert!(matches!(plant.step_to(0.5), Err(Error::Option(OptionError::OutOfRange { .. }))));
    assert!(matches!(plant.step_to(f64::NAN), Err(Error::Option(OptionError::OutOfRange { .. }))));
    plant.step_to(1.0).unwrap();
    plant.set(u, 3.0).unwrap();
    plant.step_to(1.1).unwrap();
    let state = plant.state();
    assert_eq!(state.value("u").unwrap(), 3.0);
    assert_eq!(state.value("power").unwrap(), 3.0 * state.v()[0]);
    assert_eq!(state.outputs()[0], state.value("power").unwrap());
    let sequence = Simulation::new(&Plant::default()).step(Step::sequence([0.1, 0.2])).stepper();
    assert!(matches!(sequence.map(|_| ()), Err(Error::Option(OptionError::NotForStepper { .. }))));
    // What would be left out without a word.
    let model = Plant::default();
    let asked = [
        Simulation::new(&model).certify(true),
        Simulation::new(&model).history(true),
        Simulation::new(&model).least_shares(true),
    ];
    for simulation in asked {
        let refused = simulation.stepper().err().unwrap().to_string();
        assert!(refused.contains("a stepper is led from outside"), "{refused}");
    }
    let table = Signal::table([0.0, 1.0], [0.0, 1.0], Interpolation::Linear).unwrap();
    let mut short = Simulation::new(&Plant::default()).input("u", table).stepper().unwrap();
    short.step_to(0.9).unwrap();
    assert!(matches!(short.step_to(1.2), Err(Error::Input(InputError::Range { .. }))));
    let mut fed = Simulation::new(&Plant::default()).input("u", |t: f64| t).stepper().unwrap();
    assert!(matches!(fed.set_input("u", 1.0), Err(Error::Input(InputError::Fed { .. }))));
    let limited = Simulation::new(&Plant::default()).step(Step::fixed(1e-3)).max_steps(5);
    let many = limited.stepper().unwrap().step_to(1.0).unwrap_err();
    assert!(matches!(many, Error::Step(StepError::TooManySteps { .. })), "{many}");
}

#[test]
fn points_that_were_recorded_go_back_with_the_motion() {
    let mut plant = Simulation::new(&Plant::default()).stepper().unwrap();
    plant.record();
    plant.step_to(0.1).unwrap();
    plant.record();
    let saved = plant.save().unwrap();
    plant.set_input("u", 3.0).unwrap();
    plant.step_to(0.2).unwrap();
    plant.record();
    assert_eq!(plant.solution().times(), [0.0, 0.1, 0.2]);
    plant.restore(&saved).unwrap();
    assert_eq!(plant.solution().times(), [0.0, 0.1]);
    plant.step_to(0.3).unwrap();
    plant.record();
    let run = plant.solution();
    assert_eq!(run.times(), [0.0, 0.1, 0.3]);
    assert_eq!(run.final_q(), plant.state().q());
    assert_eq!(run.stats.steps, plant.stats().steps);
}

#[path = "../../examples/cart_pole.rs"]
mod cart_pole;

#[test]
fn the_cart_pole_swings_up_and_its_replay_is_the_same_motion() {
    let cart = cart_pole::CartPole::default();
    let (motion, force, end) = cart_pole::swing_up(&cart).unwrap();
    assert_eq!((motion.len(), motion.final_t(), motion.final_q()), (501, 10.0, &end[..2]));
    let closes = motion.balance.unwrap().closes;
    assert!(closes < 1e-3, "the balance of a motion that is led from outside closes to {closes}");
    let turns = (end[1] / std::f64::consts::TAU).round() * std::f64::consts::TAU;
    let upright = [end[0], end[1] - turns, end[2], end[3]];
    assert!(upright.iter().all(|y| y.abs() < 0.02), "{upright:?}");
    let run = Simulation::new(&cart).input("push", force).until(10.0).run().unwrap();
    // Steps end at other times, and the motion is steered away from none of it.
    assert_near("x", run.final_q()[0], end[0], 0.05);
    assert_near("theta", run.final_q()[1], end[1], 0.05);
}

mechanism! {
    /// What may not jump.
    mechanism Carried {
        input s: [m] = 0.0;
        coord x: [m];
        kinetic mass = 0.5*2.0*sq(der(x));
        holonomic rail: x == s;
    }
}

#[test]
fn an_input_of_a_constraint_is_not_set() {
    let mut stepper = Simulation::new(&Carried::default()).stepper().unwrap();
    let failed = stepper.set_input("s", 1.0).unwrap_err().to_string();
    assert!(failed.contains("`s`") && failed.contains("holonomic rail"), "{failed}");
}

mechanism! {
    /// A ball that is caught, and a counter that stops.
    mechanism Game {
        input lift: [N] = 0.0;
        mode beats = 0.0;
        coord y: [m];
        kinetic mass = 0.5*1.0*sq(der(y));
        potential weight = 9.81*1.0*y;
        force hand along y = lift;
        event hit when y <= 0.0 { der(y) = -0.5*der(y); }
        sample pulse every 0.25 { beats = beats + 1.0; }
        event enough when beats >= 5.0 { stop "enough"; }
        output counted = beats;
        init y = 1.0;
        until 3.0;
    }
}

#[test]
fn events_and_samples_happen_between_steps_from_outside() {
    let mut game = Simulation::new(&Game::default()).stepper().unwrap();
    let mut n = 0;
    while game.stopped().is_none() {
        n += 1;
        game.step_to(0.125 * f64::from(n)).unwrap();
        let beats = game.state().value("counted").unwrap();
        // What is due at the time reached happens when it goes on.
        assert_eq!(beats, f64::from((n + 1) / 2).min(5.0), "{n}");
    }
    assert_eq!(game.stopped().unwrap().t, 1.0);
    let events = game.take_events();
    assert!(events.iter().any(|event| event.name == "hit"));
    assert!(events.iter().all(|event| event.name != "pulse"));
    assert!(game.take_events().is_empty());
    let run = Simulation::new(&Game::default()).run().unwrap();
    assert_eq!((run.status, run.final_t()), (Status::Stopped, 1.0));
}

mechanism! {
    /// An oscillator with an event by the clock and a sampled counter.
    mechanism Clocked {
        mode n = 0.0;
        mode beats = 0.0;
        coord x: [m];
        kinetic mass = 0.5*1.0*sq(der(x));
        force spring along x = -4.0*x;
        event late when t >= 0.5 { n = n + 1.0; }
        sample pulse every 0.1 { beats = beats + 1.0; }
        init x = 1.0;
        output happened = n;
        until 2.0;
    }
}

mechanism! {
    /// A mass that friction holds while a table pulls at it.
    mechanism Pulled {
        input u: [N] = 0.0;
        coord x: [m];
        kinetic mass = 0.5*1.0*sq(der(x));
        force friction along x = if der(x) > 0.0 { -1.0 } else { 1.0 };
        force pull along x = u;
        init der(x) = 0.3;
        until 2.0;
    }
}

/// Clocks that add 0.1 and those that multiply it differ by roundings. Steps of that size were refused by `radau5`, and one
/// that was to end at 0.5 ended behind the event there.
#[test]
fn times_that_differ_by_rounding_are_one_instant() {
    let mut sum = 0.0;
    let sums: Vec<f64> = (0..20)
        .map(|_| {
            sum += 0.1;
            sum
        })
        .collect();
    let products: Vec<f64> = (1..=20).map(|n| f64::from(n) * 0.1).collect();
    let quotients: Vec<f64> = (1..=20).map(|n| f64::from(n) / 10.0).collect();
    let around: Vec<f64> =
        quotients.iter().flat_map(|t| [t.next_down(), *t, t.next_up()]).collect();
    for method in METHODS.iter().filter(|method| !method.name.ends_with("1996")) {
        for step in [Step::adaptive(1e-6), Step::fixed(0.01), Step::fixed(0.03)] {
            for clock in [&sums, &products, &quotients, &around] {
                let method = Method::from_name(method.name).unwrap();
                let of = format!("{} {step:?}", method.name());
                let model = Clocked::default();
                let mut stepper =
                    Simulation::new(&model).method(method).step(step.clone()).stepper().unwrap();
                for &t in clock {
                    stepper.step_to(t).unwrap_or_else(|error| panic!("{of} to {t:?}: {error}"));
                    assert_eq!(stepper.t(), t, "{of}");
                    // What is due at the time reached happens when it goes on.
                    let happened = stepper.state().value("happened").unwrap();
                    assert!(t != 0.5 || happened == 0.0, "{of}");
                    stepper.step_to(t).unwrap();
                }
                let x = stepper.state().value("x").unwrap();
                assert_near(&of, x, (2.0 * clock[clock.len() - 1]).cos(), 3e-2);
            }
        }
    }
}

#[test]
fn a_knot_of_a_table_is_met_a_rounding_late() {
    let knot = 0.35f64;
    let table =
        || Signal::table(vec![0.0, knot, 2.0], vec![-0.8, 0.32, 0.0], Interpolation::Linear);
    let ends = [knot.next_down(), knot, knot.next_up(), knot.next_up().next_up()];
    for name in ["radau5", "gen-alpha-soi2", "explicit-rk", "hht-i3", "state-space"] {
        for first in ends {
            let method = Method::from_name(name).unwrap();
            let pulled = Pulled::default();
            let mut stepper = Simulation::new(&pulled)
                .method(method)
                .step(Step::adaptive(1e-4))
                .input("u", table().unwrap())
                .stepper()
                .unwrap();
            for t in [first, first.next_up(), 1.0] {
                stepper.step_to(t).unwrap_or_else(|error| panic!("{name} to {t:?}: {error}"));
                assert_eq!(stepper.t(), t);
            }
            // It comes to rest and stays there, since the table pulls by less than friction holds.
            let v = stepper.state().value("der(x)").unwrap();
            assert!(v.abs() < 1e-15, "{name} by {first:?}: {v:e}");
        }
    }
}

#[test]
fn events_are_handed_out_once_after_going_back() {
    let mut stepper = Simulation::new(&Clocked::default()).stepper().unwrap();
    stepper.step_to(0.3).unwrap();
    let saved = stepper.save().unwrap();
    stepper.step_to(0.7).unwrap();
    assert_eq!(stepper.take_events().len(), 1);
    stepper.restore(&saved).unwrap();
    assert!(stepper.take_events().is_empty());
    stepper.step_to(0.7).unwrap();
    assert_eq!(stepper.solution().events.len(), 1);
    assert_eq!(stepper.solution().samples, [("pulse".to_string(), 7)]);
    assert_eq!(stepper.take_events().len(), 1);
    assert_eq!(stepper.solution().events.len(), 1);
}

/// They asked for all memory.
#[test]
fn samples_that_cannot_be_told_apart_are_refused() {
    for start in [1e15, -1e17, 1e300] {
        let sampled = Sampled { start, ..Sampled::default() };
        let told = Simulation::new(&sampled).run().unwrap_err().to_string();
        assert!(told.contains("sample controller") && told.contains("periods away"), "{told}");
    }
    // Nor is a start so late that one period more makes no difference.
    let late = Simulation::new(&Sampled::default()).t_start(1e17).until(2e17).run();
    let told = late.unwrap_err().to_string();
    assert!(told.contains("t_start") && told.contains("told apart"), "{told}");
    let far = Sampled { start: -1e9, ..Sampled::default() };
    assert_eq!(Simulation::new(&far).run().unwrap().status, Status::Finished);
}

mechanism! {
    /// A cart that a belt takes along.
    mechanism OnBelt {
        input speed: [m/s] = 0.0;
        coord x: [m];
        kinetic mass = 0.5*2.0*sq(der(x));
        nonholonomic belt: der(x) == speed;
        until 2.0;
    }
}

/// It was told that it bends, and to be read as a spline, which refused it too.
#[test]
fn a_table_that_jumps_is_told_what_to_do() {
    let table = |times: [f64; 4]| {
        let values = vec![0.0, 0.0, 1.0, 1.0];
        Signal::table(times.to_vec(), values, Interpolation::Linear).unwrap()
    };
    let run = |times| Simulation::new(&OnBelt::default()).input("speed", table(times)).run();
    let told = run([0.0, 1.0, 1.0, 2.0]).unwrap_err().to_string();
    assert!(
        told.contains("jumps") && told.contains("set the second of these rows later"),
        "{told}"
    );
    assert_eq!(run([0.0, 1.0, 1.01, 2.0]).unwrap().status, Status::Finished);
}

mechanism! {
    /// A mass that ends the run where it comes by.
    mechanism Ended {
        input u: [N] = 0.0;
        coord x: [m];
        kinetic mass = 0.5*sq(der(x));
        force push along x = u;
        event passed when x > 0.5 { stop "it came by"; }
        event halfway when x > 0.25 { der(x) = der(x); }
        init der(x) = 1.0;
    }
}

/// A run that an event has ended is ended after it was saved, too; it went on past the event.
#[test]
fn what_was_stopped_stays_stopped() {
    let mut stepper = Simulation::new(&Ended::default()).stepper().unwrap();
    stepper.step_to(2.0).unwrap();
    assert!((stepper.t() - 0.5).abs() < 1e-9, "{}", stepper.t());
    let saved = stepper.save().unwrap();
    let mut other = Simulation::new(&Ended::default()).stepper().unwrap();
    other.restore(&saved).unwrap();
    for stepper in [&mut stepper, &mut other] {
        assert_eq!(stepper.stopped().unwrap().text, "it came by");
        stepper.step_to(2.0).unwrap();
        assert!((stepper.t() - 0.5).abs() < 1e-9, "{}", stepper.t());
    }
}

/// Events and points of one future are no past of another.
#[test]
fn futures_do_not_mix() {
    let mut stepper = Simulation::new(&Ended::default()).stepper().unwrap();
    let u = stepper.input("u").unwrap();
    let begin = stepper.save().unwrap();
    let future = |stepper: &mut Stepper, push: f64| {
        stepper.restore(&begin).unwrap();
        stepper.set(u, push).unwrap();
        stepper.step_to(0.3).unwrap();
        stepper.record();
        let events = stepper.take_events();
        (events[0].t, stepper.save().unwrap())
    };
    let (slow, of_slow) = future(&mut stepper, 0.0);
    let (fast, _) = future(&mut stepper, 2.0);
    assert!(fast < slow - 0.01, "{fast} {slow}");
    stepper.restore(&of_slow).unwrap();
    let run = stepper.solution();
    assert_eq!(run.events.len(), 1);
    assert_eq!(run.events[0].t, slow);
    // The point of the slow one was forgotten with it, that of the fast one is none of its past.
    assert_eq!(run.len(), 0);
}

#[test]
fn a_start_that_is_no_time_is_refused() {
    for t in [f64::NAN, f64::INFINITY] {
        let refused = Simulation::new(&Ended::default()).t_start(t).stepper().err().unwrap();
        assert!(refused.to_string().contains("t_start"), "{refused}");
    }
}
