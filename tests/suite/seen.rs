//! What the step control sees: pulses of time within less than a step, and contacts between the
//! instants a method evaluates.

use mbd::compare::Comparison;
use mbd::integrate::{INCONSISTENT, METHODS};
use mbd::prelude::*;
use mbd::simulation::Simulation;

/// The pulses begin here [s]; no multiple of any step used.
const BEGIN: f64 = std::f64::consts::PI;

mechanism! {
    /// A mass at rest and a pulse of constant force.
    pub mechanism Rectangle {
        param width: [s] = 1e-3;
        param begin: [s] = BEGIN;
        coord x: [m];
        kinetic mass = 0.5*sq(der(x));
        force pulse along x = if t > begin && t < begin + width { 1.0/width } else { 0.0 };
    }
}

mechanism! {
    /// The same with smooth flanks.
    pub mechanism Flanks {
        param width: [s] = 1e-3;
        coord x: [m];
        kinetic mass = 0.5*sq(der(x));
        force pulse along x = (smooth_step(t, BEGIN, BEGIN + width)
            - smooth_step(t, BEGIN + width, BEGIN + 2.0*width))/width;
    }
}

mechanism! {
    /// The same without a beginning, beside an oscillation that only adds its own change.
    pub mechanism Bell {
        param width: [s] = 1e-3;
        coord x: [m];
        kinetic mass = 0.5*sq(der(x));
        force pulse along x = exp(-sq((t - BEGIN)/width))/width;
        force drive along x = cos(2.0*t);
    }
}

mechanism! {
    /// A ball that falls on a stiff spring, which holds it in one direction only.
    pub mechanism Bounce {
        param k: [N/m] = 1e6;
        coord y: [m];
        kinetic mass = 0.5*sq(der(y));
        potential weight = 9.81*y;
        force ground along y = if y < 0.0 { -k*y } else { 0.0 };
        init y = 1.0;
    }
}

/// Each pulse changes the velocity by 1 m/s, or √π m/s, and the mass goes on: x(10 s).
pub fn pulses(width: f64) -> Vec<(&'static str, Box<dyn Mechanism>, f64)> {
    let rest = 10.0 - BEGIN;
    let drive = 0.25 * (1.0 - 20f64.cos());
    let bell = std::f64::consts::PI.sqrt() * rest + drive;
    let rectangle = Rectangle { width, ..Default::default() };
    vec![
        ("rectangle", Box::new(rectangle), rest - 0.5 * width),
        ("flanks", Box::new(Flanks { width }), rest - width),
        ("bell", Box::new(Bell { width }), bell),
    ]
}

fn methods() -> impl Iterator<Item = Method> {
    let sound = METHODS.iter().filter(|method| method.name != INCONSISTENT);
    sound.map(|method| Method::from_name(method.name).unwrap())
}

/// Before: error 6.9 to 12 m by every method, exit 0. Weights in metres, so that the figures do not
/// depend on what the model's scales are taken to be.
#[test]
fn pulses_are_met_by_every_method() {
    for width in [1e-3, 1e-2] {
        for (name, model, exact) in pulses(width) {
            for method in methods() {
                let error = |eps: f64| {
                    let step = Step::local_error(eps);
                    let run = Simulation::new(&*model).method(method.clone()).step(step);
                    (run.until(10.0).run().unwrap().final_q()[0] - exact).abs()
                };
                let (loose, tight) = (error(5e-7), error(5e-10));
                let what =
                    format!("{name} of {width} s by {}: {loose:.1e} {tight:.1e}", method.name());
                assert!(loose < 0.1 && tight < 2e-3, "{what}");
            }
        }
    }
}

/// However narrow: nothing is sampled that could miss it.
#[test]
fn a_pulse_of_a_billionth_of_the_run_is_met() {
    for (name, model, exact) in pulses(1e-8) {
        let run =
            Simulation::new(&*model).step(Step::local_error(5e-10)).until(10.0).run().unwrap();
        let error = run.final_q()[0] - exact;
        assert!(error.abs() < 0.1 * exact, "{name}: {error:.1e}");
    }
}

mechanism! {
    /// A rotor whose joint stands on a carousel that reverses: its axes in space turn by an angle with a kink in time.
    pub mechanism Carousel {
        coordinates joint;
        body rotor: SpatialBody { mass: 1.0, jx: 0.1, jy: 0.1, jz: 0.2 };
        let a = 2.0*abs(t - 0.5);
        joint spin: revolute(
            ground.at([0, 0, 0], [0, 0, 1], [cos(a), sin(a), 0]),
            rotor.at([0.3, 0, 0], [0, 0, 1], [1, 0, 0])
        );
        force drag along spin.angle = -0.05*spin.rate;
        output omega: [rad/s] = rotor.omega_ground[2];
        until 1.0;
    }
}

/// The axes of the joint are of length 1 by cos² + sin² = 1, which bounds over an interval of time do not know. Their
/// search for how far it changes went on between shorter and shorter windows before the kink: the run did not end.
#[test]
fn axes_that_turn_keep_their_length() {
    // J ω' = −c (ω − a'), with ω = a' = −2 up to the kink.
    let exact = 2.0 - 4.0 * (-0.05 * 0.5 / 0.29f64).exp();
    for method in methods() {
        let run =
            Simulation::new(&Carousel::default()).method(method.clone()).step(Step::adaptive(1e-5));
        let run = run.run().unwrap();
        let error = crate::support::last(&run, "omega") - exact;
        assert!(error.abs() < 1e-3, "{}: {error:.1e}", method.name());
        assert!(run.stats.h_min > 1e-6, "{}: {:.1e}", method.name(), run.stats.h_min);
    }
}

mechanism! {
    /// A mass under what a small pulse adds to cos² + sin² = 1, of which there is a function.
    pub mechanism Hidden {
        param width: [s] = 1e-8;
        coord x: [m];
        kinetic mass = 0.5*sq(der(x));
        force pulse along x = (sqrt(sq(cos(t)) + sq(sin(t)) + 1e-3*exp(-sq((t - BEGIN)/width))) - 1.0)/width;
    }
}

/// What is one number but for a pulse is no constant, however small and short the pulse is.
#[test]
fn a_pulse_on_what_is_constant_is_met() {
    let exact = 0.5e-3 * std::f64::consts::PI.sqrt() * (10.0 - BEGIN);
    let run = Simulation::new(&Hidden::default()).step(Step::local_error(5e-12)).until(10.0);
    let x = run.run().unwrap().final_q()[0];
    assert!((x - exact).abs() < 0.1 * exact, "{x} {exact}");
}

/// Comparisons with time are met exactly on the grid of fixed steps too; what such steps are too long
/// for is told.
#[test]
fn fixed_steps_meet_comparisons_and_tell_the_rest() {
    for method in methods() {
        for (name, model, exact) in pulses(1e-3) {
            let run = Simulation::new(&*model).method(method.clone()).step(Step::fixed(0.01));
            let run = run.until(10.0).run().unwrap();
            let error = (run.final_q()[0] - exact).abs();
            if name == "rectangle" {
                assert!(error < 1e-2 && run.warnings.is_empty(), "{}: {error:.1e}", method.name());
                let times = run.times();
                assert!(times.iter().any(|t| (t - BEGIN).abs() < 1e-14), "{}", method.name());
                let on_grid = |k: usize| times.iter().any(|t| (t - 0.01 * k as f64).abs() < 1e-9);
                assert!((0..=1000).all(on_grid), "{}", method.name());
            } else {
                assert!(run.warnings[0].contains("pass over"), "{name} by {}", method.name());
            }
        }
    }
}

mechanism! {
    /// A mass that is braked from one time to another, and let go of from a third to a fourth; all in units of `scale`,
    /// from `begin` on.
    pub mechanism Ramps {
        param scale: [s] = 1.0;
        param begin: [s] = 0.0;
        param on = 1.0;
        param full = 3.0;
        param off = 5.0;
        param free = 6.0;
        coord x: [m];
        kinetic mass = 0.5*sq(der(x));
        force brake along x = -30.0*smooth_step(t, begin + on*scale, begin + full*scale)
            + 30.0*smooth_step(t, begin + off*scale, begin + free*scale);
    }
}

/// A ramp ends without a slope. What rounding leaves of the instant at which it ends is no change: fixed steps were told
/// to be 1.8e-12 s there.
#[test]
fn the_end_of_a_ramp_is_no_change() {
    // Ends within the run and beyond it, where there is one ramp.
    let times =
        [[1.0, 3.0, 5.0, 6.0], [0.5, 1.0, 3.0, 3.2], [0.7, 1.9, 2.3, 3.1], [0.3, 2.7, 2.7, 3.3]];
    for scale in [1.0, 1e-6, 1e3, 0.37] {
        for begin in [0.0, 1e3 * scale, 17.3 * scale] {
            for [on, full, off, free] in times {
                let model = Ramps { scale, begin, on, full, off, free };
                let run = |step: Step| {
                    let run = Simulation::new(&model).t_start(begin).step(step);
                    run.until(begin + 4.0 * scale).run().unwrap()
                };
                let what = format!("{on}, {full}, {off}, {free} by {scale} from {begin}");
                let fixed = run(Step::fixed(1e-3 * scale));
                assert!(fixed.warnings.is_empty(), "{what}: {:?}", fixed.warnings);
                let adaptive = run(Step::local_error(1e-6));
                assert!(adaptive.stats.h_min > 4e-9 * scale, "{what}: {}", adaptive.stats.h_min);
                // Ramps shorter than a step are told still.
                let steep = Ramps { full: on + 1e-3, ..model };
                let run = Simulation::new(&steep).t_start(begin).step(Step::fixed(0.01 * scale));
                let run = run.until(begin + 4.0 * scale).run().unwrap();
                assert!(run.warnings.iter().any(|w| w.contains("pass over")), "{what}");
            }
        }
    }
}

mechanism! {
    /// A mass under a drive that goes on and on.
    pub mechanism Driven {
        coord x: [m];
        kinetic mass = 0.5*sq(der(x));
        potential spring = 0.5*sq(x);
        force drive along x = sin(40.0*t);
    }
}

mechanism! {
    /// The same under a drive with a kink every 2π seconds.
    pub mechanism Kinked {
        coord x: [m];
        kinetic mass = 0.5*sq(der(x));
        force drive along x = abs(sin(0.5*t));
    }
}

/// What changes in the same way all along bounds no step, and kinks of a drive are met.
#[test]
fn a_drive_bounds_no_step() {
    let driven = Simulation::new(&Driven::default()).step(Step::fixed(0.1)).until(20.0).run();
    assert!(driven.unwrap().warnings.is_empty());
    let kinks = Simulation::new(&Kinked::default()).until(20.0).run().unwrap();
    for k in 1..=3 {
        let kink = std::f64::consts::TAU * f64::from(k);
        let nearest = kinks.times().into_iter().map(|t| (t - kink).abs()).fold(f64::MAX, f64::min);
        assert!(nearest < 1e-12, "{k}: {nearest:e}");
    }
}

#[test]
fn a_comparison_of_methods_does_not_call_a_missed_pulse_exact() {
    let pulse = Rectangle { width: 1e-3, ..Default::default() };
    let compare = |model: &Rectangle| {
        let comparison = Comparison::new(model).method(Method::default()).tolerances(&[1e-6]);
        comparison.until(10.0).run().unwrap()
    };
    let study = compare(&pulse);
    assert!(!study.still && study.uncertainty > 0.0);
    assert!(study.trials[0].outcome.as_ref().unwrap().error < 1e-6);
    // A pulse after the end: nothing moves, and that is said.
    let late = compare(&Rectangle { begin: 11.0, ..pulse });
    let text = late.to_string();
    assert!(late.still && text.contains("Nothing that is compared moves"), "{text}");
    assert!(!text.contains("itself good to"), "{text}");
}

/// The height after six bounces is known: parabolas and half sines. Before: 0.0722, 0.0526, 0.0659 m
/// by `radau5` at 1e-6, 1e-7, 1e-8.
#[test]
fn bounces_converge() {
    const EXACT: f64 = 0.062611767;
    let bounds = [
        ("radau5", [1e-2, 1e-5]),
        ("hht-i3", [1e-2, 2e-4]),
        ("gen-alpha-soi2", [1e-2, 2e-4]),
        ("bdf-ggl", [1e-2, 2e-4]),
        ("explicit-rk", [1e-2, 1e-5]),
    ];
    for (name, bounds) in bounds {
        for (tol, bound) in [1e-6, 1e-8].into_iter().zip(bounds) {
            let run = Simulation::new(&Bounce::default())
                .method(Method::from_name(name).unwrap())
                .step(Step::local_error(0.05 * tol))
                .until(5.0)
                .run()
                .unwrap();
            let error = (run.final_q()[0] - EXACT).abs();
            assert!(error <= bound, "{name} at {tol:e}: {error:.1e}");
        }
    }
}

#[test]
fn the_largest_step_and_the_number_of_steps_are_bounded() {
    let run = |step: Step, steps: usize| {
        let model = Driven::default();
        Simulation::new(&model).step(step).max_steps(steps).until(5.0).run()
    };
    let bounded = run(Step::adaptive(1e-3).max(2e-3), 10_000).unwrap();
    assert!(bounded.stats.h_max <= 2.000001e-3 && bounded.stats.steps >= 2500, "{}", bounded.stats);
    assert!(run(Step::adaptive(1e-3).max(2e-3), 100).is_err());
}
