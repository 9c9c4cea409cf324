//! What is told of the motion, at steps and between them: by tables, by a stepper, and to events and samples.

use mbd::integrate::{Integrator, METHODS};
use mbd::prelude::*;

mechanism! {
    /// z(t) = sin t as a state; 1 N acts on 1 kg while z is above a level: each turn adds 2 acos(level) to the speed.
    mechanism Level {
        param level = 0.995;
        state z;
        state y;
        coord x: [m];
        kinetic k = 0.5*sq(der(x));
        der(z) = y;
        der(y) = -z;
        force f along x = if z > level { 1.0 } else { 0.0 };
        init z = 0.0;
        init y = 1.0;
        init x = 0.0;
        until 60.0;
    }
}

/// Of an attempted step the dense output of the step before was looked at for crossings: 2.38 for 2.00, and 24 crossings of a
/// level that is never reached.
#[test]
fn radau5_meets_levels_of_states_in_the_step_itself() {
    let run = |level: f64, tol: f64| {
        let model = Level { level };
        let simulation = Simulation::new(&model).method(Method::from_name("radau5").unwrap());
        simulation.step(Step::adaptive(tol)).run().unwrap()
    };
    for (level, tol) in [(0.995, 1e-5), (0.99, 1e-5), (0.999, 1e-6), (0.999, 1e-7), (0.995, 1e-8)] {
        let run = run(level, tol);
        let (is, right) = (*run.series("der(x)").unwrap().last().unwrap(), 20.0 * f64::acos(level));
        let estimate = run.error_estimate.unwrap().v.unwrap();
        assert!((is / right - 1.0).abs() < 1e2 * tol, "{level} {tol:e}: {is} for {right}");
        assert_eq!(run.events.len(), 20, "{level} {tol:e}");
        assert!(estimate < 1e3 * tol, "{level} {tol:e}: {estimate:e}");
    }
    for tol in [1e-5, 1e-6, 1e-8] {
        let run = run(1.001, tol);
        assert!(run.events.is_empty() && run.error_estimate.is_ok(), "{tol:e}: {:?}", run.events);
    }
}

mechanism! {
    /// 1 kg, pushed by 1 N whose sign a sampled controller changes every 0.1 s.
    mechanism Flips {
        mode u: [N] = 1.0;
        coord x: [m];
        kinetic k = 0.5*sq(der(x));
        force motor along x = u;
        sample controller every 0.1 { u = -u; }
        init x = 0.0;
        until 1.0;
    }
}

/// Rows between steps began with the accelerations before the sample: -0.055 for -0.06.
#[test]
fn rows_after_a_sample_begin_with_its_forces() {
    for method in METHODS {
        let simulation = Simulation::new(&Flips::default()).step(Step::adaptive(1e-8)).every(0.02);
        let run = simulation.method(Method::from_name(method.name).unwrap()).run();
        let Ok(run) = run else { continue };
        for (t, v) in run.times().iter().zip(run.series("der(x)").unwrap()) {
            let part = (t / 0.1).round();
            let s = t % 0.2;
            // From 0 the controller pushes back first: it samples at 0.
            let right = if s <= 0.1 { -s } else { s - 0.2 };
            let near_sample = (t - 0.1 * part).abs() < 1e-9;
            assert!(near_sample || (v - right).abs() < 1e-9, "{}: {v} at {t}", method.name);
        }
    }
}

mechanism! {
    /// A pendulum of which a sample takes what holds it.
    mechanism Sampled {
        mode s: [N/m] = 0.0;
        mode a: [m/s^2] = 0.0;
        mode at[2]: [m] = 0.0;
        mode v[2]: [m/s] = 0.0;
        coord x: [m];
        coord y: [m];
        kinetic k = 0.5*(sq(der(x)) + sq(der(y)));
        potential g = 9.81*y;
        holonomic rod: sq(x) + sq(y) == 1.0;
        sample takes every 0.1 {
            s = lambda(rod);
            a = der(der(x));
            at[0] = x;
            at[1] = y;
            v[0] = der(x);
            v[1] = der(y);
        }
        output force: [N/m] = s;
        output acceleration: [m/s^2] = a;
        output place: [m] = at[0] + at[1];
        output speed: [m/s] = v[0] + v[1];
        init x = 1.0;
        init y = 0.0;
        until 2.0;
    }
}

fn held([x, y]: [f64; 2], [vx, vy]: [f64; 2]) -> f64 {
    (vx * vx + vy * vy - 9.81 * y) / (2.0 * (x * x + y * y))
}

/// They took the method's own multipliers, which belong to no position: 0.095 off beside 14.7 by `hht-i3`.
#[test]
fn samples_take_the_forces_of_the_motion() {
    for name in ["gen-alpha-soi2", "hht-i3", "hht-soi2", "radau5", "bdf-ggl", "state-space"] {
        let simulation = Simulation::new(&Sampled::default()).step(Step::adaptive(1e-5));
        let run = simulation.method(Method::from_name(name).unwrap()).run().unwrap();
        let get = |column: &str| run.series(column).unwrap();
        let [s, a, x, y] = ["s", "a", "at[0]", "at[1]"].map(get);
        let [vx, vy] = ["v[0]", "v[1]"].map(get);
        for k in 1..run.len() {
            let right = held([x[k], y[k]], [vx[k], vy[k]]);
            let off = (s[k] - right).abs().max((a[k] + 2.0 * right * x[k]).abs());
            // Velocities of index 3 are off the constraint by their error.
            assert!(off < 2e-3, "{name}: {off:e} at {}", run.times()[k]);
        }
    }
}

/// A stepper too: 0.155 off by `hht-i3`, and the more the shorter its steps.
#[test]
fn a_stepper_tells_the_forces_of_the_motion() {
    for name in ["gen-alpha-soi2", "hht-i3", "radau5", "bdf-ggl", "state-space"] {
        for period in [0.01, 0.001] {
            let simulation = Simulation::new(&Sampled::default()).step(Step::adaptive(1e-5));
            let mut stepper =
                simulation.method(Method::from_name(name).unwrap()).stepper().unwrap();
            for k in 1..=100 {
                stepper.step_to(f64::from(k) * period).unwrap();
                let state = stepper.state();
                let [x, y, vx, vy, is] = ["x", "y", "der(x)", "der(y)", "lambda(rod)"]
                    .map(|name| state.value(name).unwrap());
                let off = (is - held([x, y], [vx, vy])).abs();
                assert!(off < 2e-3, "{name} {period}: {off:e} at step {k}");
            }
        }
    }
}

mechanism! {
    /// A mass on a spring, at 5 rad/s.
    mechanism Swings {
        input u: [N] = 0.0;
        coord x: [m];
        kinetic k = 0.5*sq(der(x));
        potential p = 0.5*25.0*sq(x);
        force push along x = u;
        init x = 1.0;
        init der(x) = 0.0;
        until 10.0;
    }
}

/// The step after one that ends sooner was one of 0.1 s that was said to end at 0.2 s.
#[test]
fn prescribed_steps_go_on_where_one_was_ended_sooner() {
    for name in ["gen-alpha-soi2", "radau5", "explicit-rk", "hht-i3"] {
        let method = Method::from_name(name).unwrap();
        let started = Simulation::new(&Swings::default()).start().unwrap();
        let step = Step::fixed(0.01);
        let mut run = Integrator::new(&started.system, &method, step, &started.point).unwrap();
        let mut times = Vec::new();
        for end in [0.005, 0.0075, 0.02, 0.031, 1.0] {
            while run.point().t() < end - 1e-12 {
                run.step_once(end).unwrap();
                let (t, x) = (run.point().t(), run.point().q()[0]);
                assert!((x - (5.0 * t).cos()).abs() < 2e-3, "{name}: {x} at {t}");
                times.push(t);
            }
        }
        let right = [0.005, 0.0075, 0.01, 0.02, 0.03, 0.031, 0.04, 0.05];
        assert!(times.iter().zip(right).all(|(t, right)| (t - right).abs() < 1e-12), "{times:?}");
    }
}

/// Between the ends of a step after a restart the motion before it was told.
#[test]
fn a_restart_tells_its_own_motion() {
    for name in ["radau5", "explicit-rk", "hht-i3", "bdf-ggl"] {
        let method = Method::from_name(name).unwrap();
        let started = Simulation::new(&Swings::default()).start().unwrap();
        let mut other = started.point.clone();
        other.v_mut()[0] = 5.0;
        let told = |begin: &mbd::assembly::Point, restart: bool| {
            let (first, step) = (&started.point, Step::fixed(0.1));
            let from = if restart { first } else { begin };
            let mut run = Integrator::new(&started.system, &method, step, from).unwrap();
            let mut out = first.clone();
            if restart {
                run.step_once(10.0).unwrap();
                run.interpolate(0.05, &mut out);
                run.restart(begin);
            }
            run.step_once(10.0).unwrap();
            run.interpolate(0.05, &mut out);
            out.q()[0]
        };
        let (fresh, again) = (told(&other, false), told(&other, true));
        assert!((fresh - again).abs() < 1e-12, "{name}: {again} for {fresh}");
    }
}

/// They were those of the start.
#[test]
fn points_of_a_stepper_have_the_inputs_of_their_time() {
    let mut stepper = Simulation::new(&Swings::default()).stepper().unwrap();
    stepper.record();
    for (k, u) in [3.0, -1.0, 2.5].into_iter().enumerate() {
        stepper.set_input("u", u).unwrap();
        stepper.step_to(0.1 * (k + 1) as f64).unwrap();
        stepper.record();
    }
    let started = Simulation::new(&Swings::default()).start().unwrap();
    let solution = stepper.solution();
    let point = |row: usize| solution.point(started.system.model(), solution.row(row));
    let told: Vec<f64> = (0..solution.len()).map(|row| point(row).input(0)).collect();
    assert_eq!(told, [0.0, 3.0, -1.0, 2.5]);
}

mechanism! {
    /// An arm between two points, from the second to the first: it lies to the left, and is turned up to 2 rad.
    mechanism Turned {
        coord xa: [m];
        coord ya: [m];
        coord xb: [m];
        coord yb: [m];
        kinetic k = 0.5*(sq(der(xa)) + sq(der(ya)) + sq(der(xb)) + sq(der(yb)));
        holonomic pin: [xa, ya] == [0, 0];
        holonomic rod: sq(xb - xa) + sq(yb - ya) == 1.0;
        let angle = atan2(yb - ya, xb - xa);
        force motor along angle = 10.0*(2.0 - angle) - 6.0*der(angle);
        init xa = 0.0;
        init ya = 0.0;
        init xb = -1.0;
        init yb = 0.0;
        output torque: [N*m] = 10.0*(2.0 - angle) - 6.0*der(angle);
        until 0.2;
    }
}

/// A difference of 0 was written as one of -0: the angle was -π, and the arm turned the other way round.
#[test]
fn the_angle_of_a_point_on_the_axis_has_one_sign() {
    let run = Simulation::new(&Turned::default()).step(Step::adaptive(1e-6)).run().unwrap();
    let (torque, a) = (run.series("torque").unwrap()[0], run.series("der(der(yb))").unwrap()[0]);
    let right = 10.0 * (2.0 - std::f64::consts::PI);
    assert!((torque - right).abs() < 1e-12 && (a + right).abs() < 1e-9, "{torque} {a}");
    // θ'' = 10(2 − θ) − 6θ' from π: roots −3 ± i.
    let (t, c) = (0.2f64, std::f64::consts::PI - 2.0);
    let angle = 2.0 + c * (-3.0 * t).exp() * (t.cos() + 3.0 * t.sin());
    let yb = *run.series("yb").unwrap().last().unwrap();
    assert!((yb - angle.sin()).abs() < 1e-5, "{yb} for {}", angle.sin());
}

mechanism! {
    /// A plunger that oil holds back through an orifice where it has entered it.
    mechanism Plunger {
        coord x: [m];
        kinetic k = 0.5*sq(der(x));
        force oil[x] = -sqrt(max(x, 0.0));
        init x = -1.0;
        init der(x) = 1.0;
        until 6.0;
    }
}

/// The slope of the root at 0 is infinite, and 0 times it is no number: the run ended at its start.
#[test]
fn what_is_not_chosen_has_no_slope() {
    // The time in the oil is twice ∫ dx/√(1 − (4/3)x^1.5) from 0 to (3/4)^(2/3).
    let right = -2.15251748350113;
    for name in ["gen-alpha-soi2", "radau5", "hht-i3", "bdf-ggl"] {
        let simulation = Simulation::new(&Plunger::default()).step(Step::adaptive(1e-7));
        let run = simulation.method(Method::from_name(name).unwrap()).run().unwrap();
        let x = *run.series("x").unwrap().last().unwrap();
        assert!((x - right).abs() < 1e-3, "{name}: {x} for {right}");
    }
}
