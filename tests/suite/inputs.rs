//! Signals from outside: tables and functions that feed inputs, against closed forms.

use crate::support::{assert_close, assert_near, system};
use mbd::error::{InputError, OptionError, StepError};
use mbd::integrate::METHODS;
use mbd::nalgebra::{DMatrix, DVector};
use mbd::prelude::*;
use mbd::signal::{Interpolation, Signal};
use mbd::solution::EventKind;

mechanism! {
    /// A linear oscillator driven by a force from outside.
    mechanism Driven {
        param m: [kg] = 2.0;
        param k: [N/m] = 50.0;
        param c: [N*s/m] = 1.0;
        input u: [N] = 0.5;
        coord x: [m];
        kinetic mass = 0.5*m*sq(der(x));
        potential spring = 0.5*k*sq(x);
        force drive along x = u - c*der(x);
        init x = 0.1;
        output force: [N] = u;
        until 3.0;
    }
}

const TIMES: [f64; 4] = [0.0, 0.73, 1.1, 3.0];
const FORCES: [f64; 4] = [0.0, 4.0, -1.0, 2.0];

/// x and v at the end of a piecewise linear force: e^{At} of (x, v, u, u̇), piece by piece.
fn exact(times: &[f64], forces: &[f64]) -> [f64; 2] {
    let mut state = [0.1, 0.0];
    for (t, u) in times.windows(2).zip(forces.windows(2)) {
        let h = t[1] - t[0];
        if h == 0.0 {
            continue;
        }
        #[rustfmt::skip]
        let a = DMatrix::from_row_slice(4, 4, &[
            0.0, 1.0, 0.0, 0.0,
            -25.0, -0.5, 0.5, 0.0,
            0.0, 0.0, 0.0, 1.0,
            0.0, 0.0, 0.0, 0.0,
        ]);
        let y = DVector::from_vec(vec![state[0], state[1], u[0], (u[1] - u[0]) / h]);
        let y = (a * h).exp() * y;
        state = [y[0], y[1]];
    }
    state
}

fn linear() -> Signal {
    Signal::table(TIMES, FORCES, Interpolation::Linear).unwrap()
}

fn driven(method: &str, step: Step, signal: Signal) -> Solution {
    let method = Method::from_name(method).unwrap();
    let run =
        Simulation::new(&Driven::default()).method(method).step(step).input("u", signal).run();
    run.unwrap_or_else(|failed| panic!("{failed}"))
}

#[test]
fn a_linear_table_drives_an_oscillator_as_its_closed_form_by_all_methods() {
    let exact = exact(&TIMES, &FORCES);
    for method in METHODS.iter().map(|method| method.name) {
        let (tol, good) = if method == "radau5" { (1e-10, 1e-10) } else { (1e-6, 1e-4) };
        let run = driven(method, Step::adaptive(tol), linear());
        assert_near(method, run.final_q()[0], exact[0], good * 0.1);
        assert_near(method, run.final_v()[0], exact[1], good);
        let times = run.column(0);
        for knot in TIMES {
            assert!(times.contains(&knot), "{method} has no row at {knot}");
        }
    }
}

#[test]
fn prescribed_steps_meet_knots_between_them_and_keep_their_order() {
    let exact = exact(&TIMES, &FORCES);
    for (method, order) in [("radau5", 5.0), ("gen-alpha-soi2", 2.0), ("hht-i3", 2.0)] {
        let error = |h: f64| {
            let run = driven(method, Step::fixed(h), linear());
            assert!(run.column(0).contains(&0.73), "{method}");
            (run.final_q()[0] - exact[0]).hypot(0.2 * (run.final_v()[0] - exact[1]))
        };
        let h = if order > 2.0 { 0.1 } else { 0.02 };
        let (coarse, fine) = (error(h), error(0.5 * h));
        let seen = (coarse / fine).log2();
        assert!(seen > order - 0.35, "{method}: order {seen:.2} ({coarse:.1e}, {fine:.1e})");
    }
}

mechanism! {
    /// The same with a force of time that the model states.
    mechanism Stated {
        coord x: [m];
        kinetic mass = 0.5*2.0*sq(der(x));
        potential spring = 0.5*50.0*sq(x);
        force drive along x = (if t < 1.1 { 3.0 } else { -2.0 }) + sin(3.0*t) - 1.0*der(x);
        init x = 0.1;
        until 3.0;
    }
}

mechanism! {
    /// The same with inputs.
    mechanism Fed {
        input jump: [N] = 0.0;
        input wave: [N] = 0.0;
        coord x: [m];
        kinetic mass = 0.5*2.0*sq(der(x));
        potential spring = 0.5*50.0*sq(x);
        force drive along x = jump + wave - 1.0*der(x);
        init x = 0.1;
        until 3.0;
    }
}

#[test]
fn a_jump_and_a_function_are_what_the_model_would_state() {
    for (method, tol, good) in [("radau5", 1e-10, 1e-10), ("bdf-ggl", 1e-8, 3e-5)] {
        let method = Method::from_name(method).unwrap();
        let step = Step::adaptive(tol);
        let stated = Simulation::new(&Stated::default()).method(method.clone()).step(step.clone());
        let stated = stated.run().unwrap();
        let linear = Interpolation::Linear;
        let twice = Signal::table([0.0, 1.1, 1.1, 3.0], [3.0, 3.0, -2.0, -2.0], linear);
        let steps = Signal::table([0.0, 1.1], [3.0, -2.0], Interpolation::Steps);
        for jump in [twice.unwrap(), steps.unwrap().held_beyond()] {
            let fed = Simulation::new(&Fed::default()).method(method.clone()).step(step.clone());
            let fed =
                fed.input("jump", jump).input("wave", |t: f64| (3.0 * t).sin()).run().unwrap();
            assert_close("x", fed.final_q(), stated.final_q(), good);
            assert_close("v", fed.final_v(), stated.final_v(), good);
            assert!(fed.column(0).contains(&1.1));
        }
    }
}

mechanism! {
    /// A mass on a rail that is carried along, with a rod to another one.
    mechanism Carried {
        input s: [m] = 0.2;
        coord x: [m];
        coord y: [m];
        kinetic first = 0.5*3.0*sq(der(x));
        kinetic second = 0.5*1.5*sq(der(y));
        holonomic rail: x == s + 0.1*sq(s);
        nonholonomic gear: der(y) == 2.0*der(s);
        force feel along y = -0.2*der(s);
        init y = 1.0;
        output rate: [m/s] = der(s);
        output bend: [m/s^2] = der(der(x));
        until 2.0;
    }
}

/// s, ṡ, s̈.
fn course(t: f64) -> [f64; 3] {
    let (sine, cosine) = (2.0 * t).sin_cos();
    [0.3 * sine + 0.1, 0.6 * cosine, -1.2 * sine]
}

mechanism! {
    /// The same as the model states it.
    mechanism CarriedByTime {
        coord x: [m];
        coord y: [m];
        let s = 0.3*sin(2.0*t) + 0.1;
        kinetic first = 0.5*3.0*sq(der(x));
        kinetic second = 0.5*1.5*sq(der(y));
        holonomic rail: x == s + 0.1*sq(s);
        nonholonomic gear: der(y) == 2.0*der(s);
        force feel along y = -0.2*der(s);
        init y = 1.0;
        output rate: [m/s] = der(s);
        output bend: [m/s^2] = der(der(x));
        until 2.0;
    }
}

fn at_end(run: &Solution, name: &str) -> f64 {
    let place = run.columns().iter().position(|column| column.name == name).unwrap();
    *run.column(place).last().unwrap()
}

#[test]
fn constraints_take_both_time_derivatives_of_an_input() {
    for (method, tol, good) in [("radau5", 1e-9, 1e-9), ("gen-alpha-soi2", 1e-6, 2e-3)] {
        let run = Simulation::new(&Carried::default())
            .method(Method::from_name(method).unwrap())
            .step(Step::adaptive(tol))
            .input("s", Signal::smooth(course))
            .run();
        let run = run.unwrap_or_else(|failed| panic!("{method}: {failed}"));
        let [s, rate, second] = course(2.0);
        let (v, a) = (rate * (1.0 + 0.2 * s), second * (1.0 + 0.2 * s) + 0.2 * rate * rate);
        assert_near(method, run.final_q()[0], s + 0.1 * s * s, 1e-9);
        assert_near(method, run.final_v()[0], v, 1e-9);
        assert_near(method, at_end(&run, "rate"), rate, 1e-14);
        assert_near(method, at_end(&run, "bend"), a, good);
        // 3 a = −λ, and 1.5·2 s̈ = −0.2 ṡ − ψ.
        assert_near(method, at_end(&run, "lambda(rail)"), -3.0 * a, 5.0 * good);
        assert_near(method, at_end(&run, "psi(gear)"), -0.2 * rate - 3.0 * second, 5.0 * good);
    }
}

#[test]
fn an_input_is_what_the_same_function_in_the_model_is_by_all_methods() {
    // Rows so near that the spline is the function, its second derivative to 2e-6.
    let times: Vec<f64> = (-5..=1005).map(|i| 2e-3 * i as f64).collect();
    let values: Vec<f64> = times.iter().map(|&t| course(t)[0]).collect();
    let spline = Signal::table(times, values, Interpolation::Spline).unwrap();
    for method in METHODS.iter().map(|method| method.name) {
        let by = |simulation: Simulation<'_>| {
            let method = Method::from_name(method).unwrap();
            let run = match simulation.method(method).step(Step::fixed(0.01)).run() {
                Ok(run) => run,
                // It treats no nonholonomic constraint.
                Err(failed) => match failed.error {
                    Error::Option(OptionError::NotForModel { .. }) => return None,
                    error => panic!("{error}"),
                },
            };
            let names = ["x", "y", "der(x)", "der(y)", "lambda(rail)", "psi(gear)"];
            Some(names.map(|name| at_end(&run, name)))
        };
        let Some(stated) = by(Simulation::new(&CarriedByTime::default())) else { continue };
        let smooth = Signal::smooth(course);
        assert_close(
            method,
            &by(Simulation::new(&Carried::default()).input("s", smooth)).unwrap(),
            &stated,
            1e-8,
        );
        let splined = by(Simulation::new(&Carried::default()).input("s", spline.clone())).unwrap();
        assert_close(method, &splined, &stated, 2e-5);
    }
}

#[test]
fn what_a_statement_needs_of_an_input_is_asked_for_by_name() {
    let refused = |signal: Signal| {
        let failed = Simulation::new(&Carried::default()).input("s", signal).run().unwrap_err();
        failed.error.to_string()
    };
    assert_eq!(
        refused(linear()),
        "input `s` is a table read linearly, which bends at its rows, but `holonomic rail` needs it to be \
         smooth, with two time derivatives: read it as a spline"
    );
    assert!(refused(Signal::function(f64::sin)).contains("time derivatives are not known"));
    let held = Signal::table([0.0, 1.0], [0.0, 1.0], Interpolation::Spline).unwrap();
    assert!(refused(held.held_beyond()).contains("bends at its ends"));
}

mechanism! {
    /// A mass that a signal switches.
    mechanism Switched {
        input u = 0.0;
        mode count = 0.0;
        coord x: [m];
        kinetic mass = 0.5*1.0*sq(der(x));
        force push along x = if u > 0.5 { 2.0 } else { -1.0 };
        event over when u >= 0.25 { count = count + 1.0; }
        output counted = count;
        until 2.0;
    }
}

#[test]
fn comparisons_of_inputs_are_met() {
    let ramp = Signal::table([0.0, 1.0, 2.0], [0.0, 1.0, 0.0], Interpolation::Linear).unwrap();
    let hat = |t: f64| if t < 1.0 { t } else { 2.0 - t };
    for (signal, good) in [(ramp, 1e-12), (Signal::function(hat), 1e-8)] {
        for method in ["radau5", "gen-alpha-soi2"] {
            let run = Simulation::new(&Switched::default())
                .method(Method::from_name(method).unwrap())
                .input("u", signal.clone())
                .run()
                .unwrap();
            assert!(run.events.iter().all(|event| event.kind == EventKind::Switch), "{method}");
            let of = |name| run.events.iter().filter(move |event| event.name == name);
            let times: Vec<f64> = of("push").map(|event| event.t).collect();
            assert_close(method, &times, &[0.5, 1.5], good);
            assert_eq!(of("over").count(), 1, "{method}");
            // −1 for half a second, 2 for one, −1 for half.
            assert_near(method, run.final_v()[0], 1.0, 10.0 * good);
        }
    }
    // What jumps over a boundary has passed it too.
    let steps = Signal::table([0.0, 1.0], [0.0, 1.0], Interpolation::Steps).unwrap();
    let run = Simulation::new(&Switched::default()).input("u", steps.held_beyond()).run().unwrap();
    assert_near("v", run.final_v()[0], 1.0, 1e-12);
    let counted = run.columns().iter().position(|column| column.name == "counted").unwrap();
    assert_eq!(*run.column(counted).last().unwrap(), 1.0);
}

#[test]
fn an_input_has_its_value_unless_it_is_fed() {
    let run = Simulation::new(&Driven::default()).step(Step::adaptive(1e-8)).run().unwrap();
    let constant = Simulation::new(&Driven::default()).step(Step::adaptive(1e-8)).input("u", 0.5);
    assert_eq!(run.final_q(), constant.run().unwrap().final_q());
    let [x, v] = exact(&[0.0, 3.0], &[0.5, 0.5]);
    assert_near("x", run.final_q()[0], x, 1e-6);
    assert_near("v", run.final_v()[0], v, 1e-5);
}

#[test]
fn a_signal_that_cannot_be_is_refused_by_name() {
    let error = |name: &str, signal: Signal| {
        Simulation::new(&Driven::default()).input(name, signal).run().unwrap_err().error
    };
    let short = Signal::table([0.5, 2.0], [0.0, 1.0], Interpolation::Linear).unwrap();
    let range = InputError::Range { input: "u".into(), known: [0.5, 2.0], needed: [0.0, 3.0] };
    assert_eq!(error("u", short.clone()), range.into());
    let run = Simulation::new(&Driven::default()).input("u", short.held_beyond()).run();
    let [x, _] = exact(&[0.0, 0.5, 2.0, 3.0], &[0.0, 0.0, 1.0, 1.0]);
    assert_near("x", run.unwrap().final_q()[0], x, 1e-4);
    let Error::Input(InputError::NotFinite { input, .. }) = error("u", Signal::constant(f64::NAN))
    else {
        panic!("a constant that is no number is fed")
    };
    assert_eq!(&*input, "u");
    let unknown = error("v", 1.0.into());
    let Error::Option(OptionError::UnknownName { option, suggestion, .. }) = unknown else {
        panic!("{unknown}")
    };
    assert_eq!((option, suggestion), ("input", Some("u".into())));
    // What becomes no number on the way is told by the statement that reads it.
    let failed = error("u", Signal::function(|t| (1.0 - t).sqrt()));
    let Error::Step(StepError::Input { t, input, .. }) = failed else { panic!("{failed}") };
    assert!((t - 1.0).abs() < 1e-6 && input == "u", "{t}");
}

#[test]
fn derivatives_by_inputs_and_their_courses_are_checked() {
    for report in [
        Driven::default().check(&CheckOptions::default()).unwrap(),
        Carried::default().check(&CheckOptions::default()).unwrap(),
    ] {
        assert!(report.derivatives_passed() && report.units.is_empty(), "{report}");
        let named = |name: &str| report.derivatives.checks.iter().any(|c| c.quantity == name);
        assert!(named("∂/∂u") || named("∂/∂s"), "{report}");
    }
}

mechanism! {
    /// Units that do not fit.
    mechanism Misfit {
        input u: [m] = 0.0;
        coord x: [m];
        kinetic mass = 0.5*1.0*sq(der(x));
        force push along x = u;
    }
}

#[test]
fn units_of_inputs_are_followed() {
    let errors = Misfit::default().model().unwrap().unit_errors();
    assert_eq!(errors[0].message, "the force is in [m] where [N] is expected");
}

mechanism! {
    /// An array of inputs, beside dry friction and a mode.
    mechanism Row {
        size n = 3;
        input pull[n]: [N] = 1.0;
        input pair[2]: [N] = 0.25;
        mode grip: [N] = 4.0;
        coord x[n]: [m];
        for i in 0..n {
            kinetic mass = 0.5*1.0*sq(der(x[i]));
            force drive along x[i] = pull[i] + pair[0]*pair[1]
                + force::dry_friction(der(x[i]), 0.5*grip, grip);
        }
        event loose when t >= 1.0 { grip = 1.0; }
        until 2.0;
    }
}

use mbd::components::force;

#[test]
fn arrays_of_inputs_stand_beside_modes_and_friction_that_sticks() {
    let row = Row::default();
    assert_eq!(system(&row).model().inputs().len(), 5);
    let run = Simulation::new(&row)
        .method(Method::from_name("radau5").unwrap())
        .input("pull", 0.0)
        .input("pull[1]", 3.0)
        .input("pair", 1.5)
        .run()
        .unwrap();
    // 2.25 N do not move what holds up to 4 N; 5.25 N do, against 2 N. From 1 s on all slide, against 0.5 N.
    assert_close("v", run.final_v(), &[1.75, 8.0, 1.75], 1e-6);
    assert_close("x", run.final_q(), &[0.875, 7.25, 0.875], 1e-6);
}

mechanism! {
    /// A block on a belt whose speed comes from outside.
    mechanism Belt {
        input belt: [m/s] = 1.0;
        coord x: [m];
        kinetic mass = 0.5*1.0*sq(der(x));
        force friction along x = force::dry_friction(der(x) - belt, 2.0, 3.0);
        init der(x) = 1.0;
        until 2.0;
    }
}

#[test]
fn what_sticks_to_a_belt_is_not_carried_along_by_a_jump_of_its_speed() {
    let jump = Signal::table([0.0, 1.0], [1.0, 2.0], Interpolation::Steps).unwrap().held_beyond();
    for method in ["radau5", "gen-alpha-soi2", "hht-i3", "bdf-ggl"] {
        let simulation = || {
            let method = Method::from_name(method).unwrap();
            Simulation::new(&Belt::default()).method(method).step(Step::adaptive(1e-6))
        };
        // From 1 s on it slips for half a second, at 2 m/s².
        let run = simulation().input("belt", jump.clone()).run().unwrap();
        assert_near(method, run.final_v()[0], 2.0, 1e-9);
        assert_near(method, run.final_q()[0], 2.75, 1e-5);
        let mut led = simulation().stepper().unwrap();
        led.step_to(1.0).unwrap();
        led.set_input("belt", 2.0).unwrap();
        led.step_to(1.25).unwrap();
        assert_near(method, led.state().v()[0], 1.5, 1e-6);
        led.step_to(2.0).unwrap();
        assert_near(method, led.state().q()[0], 2.75, 1e-5);
    }
}
