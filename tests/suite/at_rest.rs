//! Mechanisms that begin at rest in an equilibrium, as a load that hangs on a spring: forces balance there but for rounding,
//! which must not say how far they will move.

use crate::support::{assert_near, last, run};
use mbd::error::StepError;
use mbd::prelude::*;
use mbd::signal::{Interpolation, Signal};
use mbd::simulation::Simulation;

mechanism! {
    /// A mass that hangs on a spring, pushed by an actuator with a lag.
    mechanism Hanging {
        param m: [kg] = 1.2;
        param k: [N/m] = 500.0;
        param z0: [m] = 2.0;
        param most: [N] = 3.0;
        coord z: [m];
        state f: [N];
        kinetic e = 0.5*m*sq(der(z));
        force spring along z = k*(z0 - z) - 9.81*m + f;
        der(f) = (most*sin(t) - f)/0.05;
        init z = z0 - 9.81*m/k;
        init der(z) = 0.0;
        init f = 0.0;
    }
}

/// By how far its mass has moved at the end, by small steps of Runge and Kutta's method.
fn moved(m: f64, k: f64, most: f64, t_end: f64) -> f64 {
    let rates = |t: f64, y: [f64; 3]| [y[1], (y[2] - k * y[0]) / m, (most * t.sin() - y[2]) / 0.05];
    let steps = 40_000;
    let h = t_end / f64::from(steps);
    let mut y = [0.0; 3];
    let along = |y: [f64; 3], k: [f64; 3], h: f64| [0, 1, 2].map(|i| y[i] + h * k[i]);
    for i in 0..steps {
        let t = h * f64::from(i);
        let a = rates(t, y);
        let b = rates(t + 0.5 * h, along(y, a, 0.5 * h));
        let c = rates(t + 0.5 * h, along(y, b, 0.5 * h));
        let d = rates(t + h, along(y, c, h));
        y = [0, 1, 2].map(|i| y[i] + h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]));
    }
    y[0]
}

const METHODS: [&str; 5] = ["radau5", "gen-alpha-soi2", "hht-i3", "bdf-ggl", "explicit-rk"];

/// Wherever the origin lies it takes the same steps, and is as exact. With the origin 2 m away `radau5` and `bdf-ggl` got no
/// farther than 3e-5 s in 100 000 steps, and the default took 25 times as many as with it in the spring's end.
#[test]
fn a_load_on_a_spring_starts_from_equilibrium() {
    for name in METHODS {
        for tol in [1e-4, 1e-6] {
            let method = || Method::from_name(name).unwrap();
            let mut steps = Vec::new();
            for z0 in [0.0, 1.0, 2.0, -37.3] {
                let model = Hanging { z0, ..Hanging::default() };
                let start = z0 - 9.81 * model.m / model.k;
                let end = run(&model, method(), Step::adaptive(tol), 2.0);
                let exact = moved(model.m, model.k, model.most, 2.0);
                let bound = if name == "radau5" { tol } else { 30.0 * tol.powf(2.0 / 3.0) };
                let error = (last(&end, "z") - start - exact).abs();
                assert!(error < bound * exact.abs(), "{name} {tol:e} {z0}: {error:e}");
                steps.push(end.stats.steps as f64);
            }
            let [least, most] =
                [f64::min, f64::max].map(|of| steps.iter().copied().reduce(of).unwrap());
            assert!(most <= 1.1 * least + 2.0, "{name} {tol:e}: {steps:?}");
        }
    }
}

/// What a state will push it by tells how far it moves, in micrometres and micronewtons too. It was measured by 1 m.
#[test]
fn what_a_state_drives_from_rest_is_measured_by_it() {
    for unit in [1e-6, 1e-3, 1e3] {
        let most = 3.0 * unit;
        let model = Hanging { z0: 2.0 * unit, most, ..Hanging::default() };
        let method = Method::from_name("radau5").unwrap();
        let end = run(&model, method, Step::adaptive(1e-5), 2.0);
        let exact = moved(1.2, 500.0, most, 2.0);
        let error = (last(&end, "z") - (2.0 * unit - 9.81 * 1.2 / 500.0) - exact).abs();
        assert!(error < 1e-4 * exact.abs(), "{unit:e}: {error:e} of {exact:e}");
        assert!(end.stats.steps > 30, "{unit:e}: {}", end.stats.steps);
    }
}

mechanism! {
    /// The same with nothing that drives it, but perhaps an input.
    mechanism Undriven {
        param m: [kg] = 1.2;
        param k: [N/m] = 500.0;
        input w: [N] = 0.0;
        coord z: [m];
        kinetic e = 0.5*m*sq(der(z));
        force spring along z = k*(2.0 - z) - 9.81*m;
        force act along z = w;
        init z = 2.0 - 9.81*m/k;
        init der(z) = 0.0;
    }
}

/// Nothing moves, so that steps grow as fast as they may. `radau5` gave up after 100 000 steps, at 0.2 s.
#[test]
fn what_rests_costs_nothing() {
    for name in METHODS {
        for tol in [1e-4, 1e-8] {
            let method = Method::from_name(name).unwrap();
            let end = run(&Undriven::default(), method, Step::adaptive(tol), 2.0);
            assert!(end.stats.steps < 30, "{name} {tol:e}: {}", end.stats.steps);
            let z = 2.0 - 9.81 * 1.2 / 500.0;
            // Steps beyond its stability let the explicit method's rounding grow, as far as the tolerance.
            let bound = if name == "explicit-rk" { tol } else { 1e-14 };
            assert_near(&format!("{name} {tol:e}"), last(&end, "z"), z, bound);
        }
    }
}

/// What an input will push it by counts from the start.
#[test]
fn what_an_input_drives_from_rest_is_measured_by_it() {
    let rows = vec![0.0, 0.5, 1.0, 2.0];
    let push = Signal::table(rows, vec![0.0, 0.0, 4e-3, 4e-3], Interpolation::Linear).unwrap();
    let mut ends = Vec::new();
    for (name, tol) in
        [("radau5", 1e-10), ("radau5", 1e-5), ("bdf-ggl", 1e-5), ("gen-alpha-soi2", 1e-5)]
    {
        let method = Method::from_name(name).unwrap();
        let model = Undriven::default();
        let run = Simulation::new(&model).method(method).step(Step::adaptive(tol)).until(2.0);
        let end = run
            .input("w", push.clone())
            .run()
            .unwrap_or_else(|failed| panic!("{name}: {}", failed.error));
        ends.push(last(&end, "z"));
        assert!(
            (ends.last().unwrap() - ends[0]).abs() < 0.02 * 4e-3 / 500.0,
            "{name} {tol:e}: {ends:?}"
        );
    }
}

mechanism! {
    /// A load at rest on an elastic rope from a drum, which a speed controller starts.
    mechanism Hoist {
        gravity [0, -9.81];
        param k: [N/m] = 5e5;
        param c: [N*s/m] = 1e4;
        param r: [m] = 0.35;
        body load: PlanarBody { mass: 1200.0, inertia: 100.0 };
        body drum: PlanarBody { mass: 100.0, inertia: 60.0 };
        joint guide: prismatic(ground.at([r, 0], [0, 1]), load.at([0, 0], [0, 1]));
        joint bearing: revolute(ground.at([0, 30]), drum);
        let s = r*bearing.angle - guide.position;
        force rope along s = -(k*(s + 2.0) + c*(r*bearing.rate - guide.speed));
        force motor along bearing.angle = 2e4*(t/r - bearing.rate) + r*1200.0*9.81;
        init guide.position = 2.0 - 1200.0*9.81/k;
        init guide.speed = 0.0;
        init bearing.angle = 0.0;
        init bearing.rate = 0.0;
        output position: [m] = guide.position;
    }
}

mechanism! {
    /// The same without weight, which changes nothing but where it hangs.
    mechanism Weightless {
        param k: [N/m] = 5e5;
        param c: [N*s/m] = 1e4;
        param r: [m] = 0.35;
        coord z: [m];
        coord phi: [rad];
        kinetic e = 0.5*1200.0*sq(der(z)) + 0.5*60.0*sq(der(phi));
        let s = z - r*phi;
        force rope along s = -k*s - c*der(s);
        force motor along phi = 2e4*(t/r - der(phi));
        init z = 0.0;
        init der(z) = 0.0;
        init phi = 0.0;
        init der(phi) = 0.0;
    }
}

/// It stalled by `radau5` and `bdf-ggl` at all tolerances, with a millionth of the way done.
#[test]
fn a_hoist_starts_with_its_load_in_the_air() {
    let start = 2.0 - 1200.0 * 9.81 / 5e5;
    let radau5 = || Method::from_name("radau5").unwrap();
    let exact = last(&run(&Weightless::default(), radau5(), Step::adaptive(1e-10), 2.0), "z");
    for name in METHODS {
        for (tol, bound) in [(1e-4, 1e-3), (1e-6, 1e-4)] {
            let method = || Method::from_name(name).unwrap();
            let end = run(&Hoist::default(), method(), Step::adaptive(tol), 2.0);
            let free = run(&Weightless::default(), method(), Step::adaptive(tol), 2.0);
            let error = (last(&end, "position") - start - exact).abs();
            assert!(error < bound, "{name} {tol:e}: {error:e}");
            let [steps, few] = [end.stats.steps, free.stats.steps];
            assert!(10 * steps <= 13 * few + 20, "{name} {tol:e}: {steps} for {few}");
        }
    }
}

mechanism! {
    /// A column of oil under a piston, filled through a valve: its pressure settles in some 1e-7 s.
    mechanism Piston {
        param x0: [m] = 0.0;
        param area: [m^2] = 2e-3;
        coord x: [m];
        state p: [Pa];
        kinetic k = 0.5*800.0*sq(der(x));
        force cylinder along x = p*area - 9.81*800.0 - 500.0*der(x);
        let dp = 5e6 - p;
        let flow = 1.2e-7*dp/sqrt(sqrt(sq(dp) + sq(1e4)));
        der(p) = 1.2e9/(4e-4 + area*(x - x0 + 0.05))*(flow - area*der(x));
        init p = 4e6;
        init x = x0;
        init der(x) = 0.0;
    }
}

/// Until then it has moved by 1e-15 m, of which a coordinate of 5 cm resolves no 1e-10: the run says so, and what it proposes works.
#[test]
fn a_scale_below_rounding_is_told_and_how_to_mend_it() {
    let radau5 = || Method::from_name("radau5").unwrap();
    let at_zero = run(&Piston::default(), radau5(), Step::adaptive(1e-10), 3.0);
    let model = Piston { x0: 0.05, ..Piston::default() };
    let simulation = || Simulation::new(&model).method(radau5()).step(Step::adaptive(1e-10));
    let failed = simulation().until(3.0).max_steps(3000).run().unwrap_err();
    let text = failed.error.to_string();
    let Error::Step(StepError::TooManySteps { unresolved: Some(unresolved), .. }) = failed.error
    else {
        panic!("{text}")
    };
    assert_eq!((&*unresolved.name, &*unresolved.unit), ("x", "m"), "{text}");
    let proposed: f64 =
        text.split("`--atol x=").nth(1).unwrap().trim_end_matches('`').parse().unwrap();
    let mended = simulation().atol("x", proposed).until(3.0).run().unwrap();
    assert!(mended.stats.steps < 2 * at_zero.stats.steps, "{}", mended.stats.steps);
    assert_near("x", last(&mended, "x") - 0.05, last(&at_zero, "x"), 1e-9);
    assert_eq!(mended.assumed_scales, Vec::<String>::new());
}

mechanism! {
    /// A finger that a sampled controller, which has asked for nothing yet, presses onto a wall on a spring.
    mechanism Press {
        coord x: [m];
        coord z: [m];
        mode u: [N] = 0.0;
        mode next: [N] = 0.0;
        mode sum: [N*s] = 0.0;
        kinetic finger = 0.5*2.0*sq(der(x));
        kinetic wall = 0.5*5.0*sq(der(z));
        potential spring = 0.5*2e4*sq(z - 0.05);
        dissipation damper = 0.5*150.0*sq(der(z)) + 0.5*60.0*sq(der(x));
        unilateral tip: z - x, restitution(0.0);
        force motor along x = u;
        let lacks = 30.0 - lambda(tip);
        sample control every 0.002 {
            u = next;
            next = 30.0 + 0.3*lacks + 20.0*sum;
            sum = sum + 0.002*lacks;
        }
        init x = 0.0;
        init z = 0.05;
        init der(x) = 0.0;
        init der(z) = 0.0;
        until 0.5;
    }
}

/// Nothing tells a length at the start, and what has moved told none of the wall, which had the least scale that 0.05 m resolve
/// until the finger struck it: the gap that rounding leaves there, 3e-13 m, was an error of up to 5e3 times the tolerance, whatever
/// the step, in every method of the BDF family at 1e-3 to 1e-5.
#[test]
fn what_has_not_moved_yet_has_the_scale_of_what_has() {
    let run = |name: &str, tolerance: f64| {
        let run = Simulation::new(&Press::default()).method(Method::from_name(name).unwrap());
        run.step(Step::adaptive(tolerance))
            .run()
            .unwrap_or_else(|failed| panic!("{name}: {failed}"))
    };
    let exact = last(&run("radau5", 1e-9), "z");
    for name in
        ["bdf-cm", "bdf-cs", "bdf-ggl", "bdf-ggl-star", "gen-alpha-soi2", "hht-i3", "radau5"]
    {
        for tolerance in [1e-3, 1e-4, 1e-5, 1e-6] {
            let end = run(name, tolerance);
            assert!(end.stats.steps < 10_000, "{name} {tolerance:e}: {} steps", end.stats.steps);
            let off = (last(&end, "z") - exact).abs();
            assert!(off < 0.2 * tolerance, "{name} {tolerance:e}: {off:.1e} m");
        }
    }
}
