//! Events: motions across comparisons, against solutions that are known in closed form or to 13 digits and
//! more by other methods. [H1], [H13], [H11] and their like are the problems' names in
//! tests/references/hybrid.json.

use crate::models::Bouncing;
use crate::support::system;
use mbd::integrate::{INCONSISTENT, Integrator, METHODS};
use mbd::prelude::*;
use mbd::simulation::Simulation;
use mbd::solution::Solution;

mechanism! {
    /// A mass that touches a stiff spring by a millionth of its way, or misses it by that [H13a, H13b].
    mechanism Graze {
        param way: [m] = 1.000001;
        coord x: [m];
        kinetic mass = 0.5*1.0*sq(der(x));
        potential spring = 0.5*1.0*sq(x);
        force stop along x = if x > 1.0 { -1e6*(x - 1.0) } else { 0.0 };
        init x = -way;
    }
}

mechanism! {
    /// A mass that passes a layer of a thousandth of its way, both ways [H13c].
    pub mechanism Layer {
        coord x: [m];
        kinetic mass = 0.5*1.0*sq(der(x));
        potential spring = 0.5*0.25*sq(x);
        force layer along x = if x > 1.0 && x < 1.001 { -500.0 } else { 0.0 };
        init der(x) = 2.0;
    }
}

mechanism! {
    /// A speed controlled by an actuator that saturates, whose integrator winds up [H11d].
    pub mechanism Windup {
        coord x: [m];
        state sum: [m];
        param c: [N*s/m] = 0.5;
        param gain: [N*s/m] = 4.0;
        param integral: [N/m] = 3.0;
        let error = if t < 8.0 { 1.5 } else { 0.5 } - der(x);
        kinetic mass = 0.5*1.0*sq(der(x));
        force drag along x = -c*der(x);
        force actuator along x = (gain*error + integral*sum).clamp(-1.0, 1.0);
        der(sum) = error;
    }
}

mechanism! {
    /// A constrained mass whose spring stiffens on one side: the bar carries it around the bend.
    mechanism Bent {
        coord x: [m];
        coord y: [m];
        kinetic mass = 0.5*1.0*(sq(der(x)) + sq(der(y)));
        potential weight = 9.81*1.0*y;
        holonomic bar: sq(x) + sq(y) == 1.0;
        force stop along x = if x < -0.2 { -50.0*(x + 0.2) - 2.0*der(x) } else { 0.0 };
        init x = 0.6; init y = -0.8;
    }
}

mechanism! {
    /// A state that a relay drives back to where it switches, from 3.2 s on: what it compares is a choice itself, on which nothing
    /// is held.
    mechanism Sticking {
        coord x: [m];
        state level: [N];
        kinetic mass = 0.5*1.0*sq(der(x));
        force pushed along x = level;
        der(level) = if abs(level) < 2.2 { -1.0 } else { 1.0 };
        init level = 1.0;
    }
}

mechanism! {
    /// A row of masses on springs that only push, all alike but for rounding: they let go nearly at once.
    mechanism Row {
        size n = 24;
        coord x[n];
        for i in 0..n {
            kinetic mass = 0.5*1.0*sq(der(x[i]));
            force drive along x[i] = -10.0*x[i];
            init der(x[i]) = 1.0 + 1e-13*i;
        }
        for i in 0..n {
            force spring along x[i] = if x[i] < 0.1 { 40.0*(0.1 - x[i]) - der(x[i]) } else { 0.0 };
            init x[i] = 0.01;
        }
    }
}

mechanism! {
    /// A ball on a floor by Hertz's law, whose other side has no value.
    mechanism Hertz {
        coord y: [m];
        scale y = 1.0;
        kinetic mass = 0.5*1.0*sq(der(y));
        potential weight = 9.81*1.0*y;
        force ground along y = if y < 0.0 { 1e5*(-y).powf(1.5) } else { 0.0 };
        init y = 0.2;
    }
}

fn sound() -> impl Iterator<Item = Method> {
    let sound = METHODS.iter().filter(|method| !INCONSISTENT.contains(method.name));
    sound.map(|method| Method::from_name(method.name).unwrap())
}

fn run(model: &impl Mechanism, method: Method, step: Step, t_end: f64) -> Solution {
    let name = method.name();
    let run = Simulation::new(model).method(method).step(step).until(t_end).run();
    run.unwrap_or_else(|error| panic!("{name}, {step:?}: {error}", step = "step"))
}

fn by(name: &str) -> Method {
    Method::from_name(name).unwrap()
}

fn times(run: &Solution) -> Vec<f64> {
    run.events.iter().map(|event| event.t).collect()
}

fn near(what: &str, values: &[f64], exact: &[f64], bound: f64) {
    assert_eq!(values.len(), exact.len(), "{what}: {values:?}");
    for (a, b) in values.iter().zip(exact) {
        assert!((a - b).abs() <= bound, "{what}: {a} for {b}, {:e}", a - b);
    }
}

const TOUCHES: [f64; 12] = [
    0.451523640985731,
    0.454669663078997,
    1.35771694505046,
    1.36086296714372,
    2.26391024911519,
    2.26705627120845,
    3.17010335317991,
    3.17324937527318,
    4.07629645724464,
    4.07944247933791,
    4.98248956130937,
    4.98563558340263,
];
const BOUNCED: [f64; 2] = [0.0626117673492984, 4.28853787724986];

fn end(run: &Solution) -> [f64; 2] {
    [run.final_q()[0], run.final_v()[0]]
}

/// Six bounces: every touch and release by time, order and name, and few steps for them.
#[test]
fn bounces_are_met_at_their_times() {
    let model = Bouncing::default();
    // The gain of the problem is 26.6; `radau5` to 100 · gain · tol.
    let exact = run(&model, by("radau5"), Step::adaptive(1e-10), 5.0);
    let touches = times(&exact);
    let formula: Vec<f64> = (0..12)
        .map(|k| {
            TOUCHES[0]
                + 0.906193304064728 * f64::from(k / 2)
                + 0.00314602209326574 * f64::from(k % 2)
        })
        .collect();
    near("touches", &touches, &formula, 2.7e-7);
    near("end", &end(&exact), &BOUNCED, 2.7e-7);
    assert_eq!(exact.stats.newton_failures, 0);
    for (k, event) in exact.events.iter().enumerate() {
        let [falls, rises] = [("y < 0", -1), ("y > 0", 1)];
        let (condition, direction) = if k % 2 == 0 { falls } else { rises };
        assert_eq!((event.condition.as_str(), event.direction), (condition, direction));
        assert_eq!(event.name, "ground");
    }
    for (name, tol, steps, bound) in [
        ("radau5", 1e-6, 400, 3e-5),
        ("radau5", 1e-3, 200, 1e-2),
        ("gen-alpha-soi2", 1e-6, 800, 2.7e-4),
        ("bdf-ggl", 1e-6, 5000, 2.7e-4),
        ("state-space", 1e-6, 800, 2.7e-4),
        ("explicit-rk", 1e-6, 400, 2.7e-4),
    ] {
        let run = run(&model, by(name), Step::adaptive(tol), 5.0);
        assert_eq!(run.events.len(), 12, "{name} {tol}");
        near(name, &end(&run), &BOUNCED, bound);
        assert!(run.stats.steps <= steps, "{name} {tol}: {}", run.stats.steps);
        let balance = run.balance.as_ref().unwrap();
        assert!(balance.holds && balance.closes < 0.01, "{name} {tol}: {balance:?}");
    }
}

/// With prescribed steps the grid stays, events fall between its points, and the order is the method's.
#[test]
fn prescribed_steps_end_at_events_between_their_grid() {
    for method in sound() {
        let name = method.name();
        let errors = [4e-4, 2e-4].map(|h| {
            let run = run(
                &Bouncing { k: 1e4, ..Bouncing::default() },
                method.clone(),
                Step::fixed(h),
                1.0,
            );
            let on_grid =
                run.steps.iter().filter(|step| (step.t / h - (step.t / h).round()).abs() < 1e-6);
            assert_eq!(on_grid.count(), (1.0 / h).round() as usize, "{name}");
            assert_eq!(run.events.len(), 2, "{name}: {:?}", run.events);
            // Contact of a mass on a spring of 10⁴ N/m: ω = 100/s, from v = −√(2g).
            let (speed, omega) = (-(2.0f64 * 9.81).sqrt(), 100.0f64);
            let rest = -9.81 / 1e4;
            let angle = 2.0 * (std::f64::consts::PI - (-speed / omega / -rest).atan());
            let release = TOUCHES[0] + angle / omega;
            let t = 1.0 - release;
            let exact = -speed * t - 0.5 * 9.81 * t * t;
            (run.final_q()[0] - exact).abs()
        });
        assert!(errors[1] < 2e-3, "{name}: {errors:?}");
        assert!(errors[1] < 0.7 * errors[0] || errors[0] < 1e-7, "{name}: {errors:?}");
    }
}

/// A touch by 10⁻⁶ of the way is met, and a miss by that is no touch.
#[test]
fn grazing_is_told_from_missing() {
    for (name, bound) in [("radau5", 1e-6), ("explicit-rk", 1e-6), ("gen-alpha-soi2", 2e-5)] {
        let touched = run(&Graze::default(), by(name), Step::adaptive(1e-8), 10.0);
        assert_eq!(touched.events.len(), 4, "{name}: {:?}", touched.events);
        near(name, &end(&touched), &[0.838072356646182, -0.545560926960972], 2.0 * bound);
        let missed = run(&Graze { way: 0.999999 }, by(name), Step::adaptive(1e-8), 10.0);
        assert!(missed.events.is_empty(), "{name}: {:?}", missed.events);
        near(name, &end(&missed), &[0.839070690004923, -0.544020566868259], bound);
    }
}

/// Two crossings within a step: the layer is passed in half a millisecond, where steps are a thousand times
/// longer.
#[test]
fn a_thin_layer_is_not_stepped_over() {
    const THROUGH: [f64; 4] =
        [0.505360510284157, 0.505916892182195, 5.61652501222566, 5.6170813941237];
    let exact = [-3.73221970926094, 0.719467866169879];
    for method in sound() {
        let name = method.name();
        let run = run(&Layer::default(), method, Step::adaptive(1e-6), 10.0);
        near(name, &times(&run), &THROUGH, 1e-3);
        near(name, &end(&run), &exact, 2e-3);
    }
    let run = run(&Layer::default(), by("radau5"), Step::adaptive(1e-10), 10.0);
    near("layer", &times(&run), &THROUGH, 1e-9);
    near("layer", &end(&run), &exact, 1e-9);
}

/// A guard that reads a state and time, whose reference jumps at a time of its own.
#[test]
fn a_saturated_actuator_leaves_its_limit_in_time() {
    let run = run(&Windup::default(), by("radau5"), Step::adaptive(1e-10), 14.0);
    near("left", &times(&run), &[5.85742440819047, 8.0, 8.52486888449139], 1e-8);
    assert!((run.events[1].t - 8.0).abs() < 1e-12);
    let v = run.final_v()[0];
    assert!((v - 0.498327343332805).abs() < 1e-9, "{v}");
    let sum = *run.series("sum").unwrap().last().unwrap();
    assert!((sum - 0.0812781167467004).abs() < 1e-9, "{sum}");
}

/// With a constraint, where accelerations and multipliers jump: all methods agree, and the balance closes.
#[test]
fn events_of_a_constrained_motion_agree_by_all_methods() {
    let exact = run(&Bent::default(), by("radau5"), Step::adaptive(1e-10), 3.0);
    assert!(exact.events.len() >= 2, "{:?}", exact.events);
    for method in sound() {
        let name = method.name();
        let run = run(&Bent::default(), method, Step::adaptive(1e-6), 3.0);
        near(name, &times(&run), &times(&exact), 2e-3);
        near(name, &end(&run), &end(&exact), 2e-3);
        assert!(run.balance.as_ref().is_none_or(|balance| balance.holds), "{name}");
    }
}

/// What is held is smooth: its derivatives are those of dual numbers on each side, beyond the boundary too.
#[test]
fn held_sides_have_the_derivatives_of_dual_numbers() {
    for seed in 0..20 {
        for mut system in [
            system(&Bouncing::default()),
            system(&Graze::default()),
            system(&Layer::default()),
            system(&Windup::default()),
            system(&Bent::default()),
        ] {
            assert!(!system.initial_point().sides().is_empty());
            let error = mbd::verify::program_error(&mut system, seed);
            assert!(error < 1e-12, "{}: {error:e}", system.model().name());
        }
    }
}

/// Without events a run goes through comparisons as they come, and says of none.
#[test]
fn events_can_be_left_out() {
    let simulation = Simulation::new(&Layer::default());
    let run = simulation.step(Step::adaptive(1e-6)).events(false).until(1.0).run().unwrap();
    assert!(run.events.is_empty());
    // Beginning again from a point does not bring them back.
    let system = system(&Layer::default());
    let mut start = system.initial_point();
    start.v_mut()[0] = 2.0;
    let mut integrator =
        Integrator::new(&system, &by("radau5"), Step::adaptive(1e-6), &start).unwrap();
    integrator.ignore_events();
    integrator.restart(&start);
    while integrator.point().t() < 1.0 {
        integrator.step_once(1.0).unwrap();
    }
    assert!(integrator.events().is_empty() && integrator.point().sides().iter().all(|s| *s == 0.0));
}

/// A relay that drives a state back has no side that holds: what takes the steps is told by name, in a warning or with the
/// error of a run that had too few of them.
#[test]
fn chatter_is_told_by_name() {
    let run = |steps: usize| {
        let model = Sticking::default();
        let run = Simulation::new(&model).method(by("radau5")).step(Step::adaptive(1e-3));
        run.max_steps(steps).until(3.22).run()
    };
    let told = "from t = 3.2";
    let warnings = run(100_000).unwrap().warnings;
    let warning = warnings.iter().find(|warning| warning.starts_with(told)).expect("a warning");
    assert!(warning.contains("2.2` in `der(level)` changed back and forth"), "{warning}");
    let error = run(200).unwrap_err().to_string();
    assert!(error.contains("From t = 3.2") && error.contains("der(level)"), "{error}");
}

/// Guards that cross within rounding of each other cost no more than a few steps together: ends of steps
/// that rounding of σ keeps from being met were tried again and again, in steps of 1e-14 s.
#[test]
fn crossings_within_rounding_of_each_other_take_few_steps() {
    for name in ["radau5", "gen-alpha-soi2", "bdf-ggl"] {
        let run = run(&Row::default(), by(name), Step::adaptive(1e-4), 0.5);
        assert!(run.events.len() >= 24, "{name}: {}", run.events.len());
        assert!(run.stats.steps < 400, "{name}: {}", run.stats);
        assert!(run.stats.rejected < 600, "{name}: {}", run.stats);
    }
}

/// A side without a value is not held: the power of a depth beyond release, by every method and with
/// prescribed steps too.
#[test]
fn a_side_without_a_value_is_not_entered() {
    let exact = run(&Hertz::default(), by("radau5"), Step::adaptive(1e-11), 0.6);
    assert!(!exact.events.is_empty() && exact.balance.as_ref().unwrap().closes < 1e-8);
    for method in sound() {
        let name = method.name();
        for (step, bound) in [(Step::adaptive(1e-6), 2e-3), (Step::fixed(1e-4), 1e-2)] {
            let run = run(&Hertz::default(), method.clone(), step, 0.6);
            near(name, &end(&run)[..1], &end(&exact)[..1], bound);
        }
    }
}

mechanism! {
    /// A mass on a spring that a latch would hold: it goes `d` beyond the latch, or turns before it.
    mechanism Touch {
        param d: [m] = 1e-6;
        coord x: [m];
        mode on = false;
        kinetic mass = 0.5*sq(der(x));
        potential spring = 0.5*sq(x);
        force push along x = if on { 0.5 } else { 0.0 };
        event latch when x >= 1.0 && !on { on = true; }
        init x = -1.0 - d;
        output err: [m] = x + (1.0 + d)*cos(t);
    }

    /// The same with a latch that is on already.
    mechanism Latched {
        param d: [m] = -1e-7;
        coord x: [m];
        mode on = true;
        kinetic mass = 0.5*sq(der(x));
        potential spring = 0.5*sq(x);
        event latch when x >= 1.0 && !on { on = true; }
        init x = -1.0 - d;
    }
}

/// Whether the mass gets to the latch is decided by errors where these are larger than what it goes beyond: it is found, or told
/// (it was missed with an estimate of 1e-6 and exit 0, and the end was off by 0.3 m). Where it turns well before nothing is told.
#[test]
fn a_touch_that_errors_hide_is_found_or_told() {
    let methods = ["radau5", "gen-alpha-soi2", "hht-i3", "bdf-ggl", "explicit-rk", "state-space"];
    for method in methods {
        for exponent in 3..=7 {
            let tolerance = 10.0f64.powi(-exponent);
            for d in [1e-4, 1e-6, 1e-7, -1e-7, -0.05] {
                let named = Method::from_name(method).unwrap();
                let run = Simulation::new(&Touch { d }).method(named);
                let run = run.step(Step::adaptive(tolerance)).until(10.0).run().unwrap();
                let told = format!("{method} {tolerance:e} {d:e}: {:?}", run.warnings);
                let (met, grazes) = (!run.events.is_empty(), run.grazing.is_some());
                assert!(met || grazes || d < 0.0, "{told}");
                assert!(!met || d > 0.0 || run.error_estimate.is_err(), "{told}: {:?}", run.events);
                assert_eq!(grazes, !run.warnings.is_empty(), "{told}");
                if d == -0.05 {
                    assert!(!met && !grazes && run.error_estimate.is_ok(), "{told}");
                }
            }
            let named = Method::from_name(method).unwrap();
            let latched = Simulation::new(&Latched::default()).method(named);
            let run = latched.step(Step::adaptive(tolerance)).until(10.0).run().unwrap();
            assert!(run.warnings.is_empty() && run.events.is_empty(), "{method} {tolerance:e}");
        }
    }
}

/// A step that is taken again where a comparison is near is so by what a step may err, not by what the estimate knows.
#[test]
fn the_estimate_changes_nothing_of_a_touch() {
    for method in ["radau5", "gen-alpha-soi2", "hht-i3", "bdf-ggl", "explicit-rk"] {
        for (tolerance, d) in [(1e-3, 1e-4), (1e-4, -1e-5), (1e-5, 1e-6), (1e-5, -1e-6)] {
            let end = |estimate: bool| {
                let named = Method::from_name(method).unwrap();
                let run = Simulation::new(&Touch { d }).method(named).error_estimate(estimate);
                let run = run.step(Step::adaptive(tolerance)).until(10.0).run().unwrap();
                (run.stats.steps, run.final_q().to_vec())
            };
            assert_eq!(end(true), end(false), "{method} {tolerance:e} {d:e}");
        }
    }
}
