//! Events that a model states: jumps, impacts, modes, against the solutions in tests/references/hybrid.json
//! (closed-form flows in 34 digits), by whose names the problems go here.

use crate::support::{Table, last, lasts, numbers};
use mbd::error::StepError;
use mbd::integrate::{INCONSISTENT, METHODS};
use mbd::prelude::*;
use mbd::simulation::Simulation;
use mbd::solution::{EventKind, Solution, Status};

mechanism! {
    /// A ball that bounces by Newton's law, written as a jump of its velocity [H2a].
    pub mechanism Ball {
        param e = 0.8;
        coord y: [m];
        kinetic mass = 0.5*1.0*sq(der(y));
        potential weight = 9.81*1.0*y;
        event hit when y <= 0.0 { der(y) = -e*der(y); }
        init y = 1.0;
    }
}

mechanism! {
    /// A ball on a table that moves up and down [H2b].
    pub mechanism Moving {
        param e = 0.8;
        coord y: [m];
        let gap = y - 0.05*sin(20.0*t);
        kinetic mass = 0.5*1.0*sq(der(y));
        potential weight = 9.81*1.0*y;
        event hit when gap <= 0.0 { impulse along gap = restitution(e); }
        init y = 1.0;
    }
}

mechanism! {
    /// A pendulum and a wall [H6a].
    pub mechanism Wall {
        param e = 0.7;
        coord phi: [rad];
        kinetic mass = 0.5*2.0*sq(der(phi));
        potential weight = -9.81*2.0*cos(phi);
        event hit when phi <= -0.3 { impulse along phi + 0.3 = restitution(e); }
        init phi = 1.2;
    }
}

mechanism! {
    /// A double pendulum in Cartesian coordinates with a stop between its links: the impulse goes through both
    /// rods [H6b].
    pub mechanism Stop {
        param e = 0.6;
        coord x1: [m]; coord y1: [m]; coord x2: [m]; coord y2: [m];
        let bend = atan2(x2 - x1, y1 - y2) - atan2(x1, -y1);
        kinetic first = 0.5*1.0*(sq(der(x1)) + sq(der(y1)));
        kinetic second = 0.5*1.0*(sq(der(x2)) + sq(der(y2)));
        potential weight = 9.81*(1.0*y1 + 1.0*y2);
        holonomic upper: sq(x1) + sq(y1) == 1.0;
        holonomic lower: sq(x2 - x1) + sq(y2 - y1) == 1.0;
        event hit when bend >= 0.3 { impulse along 0.3 - bend = restitution(e); }
        init x1 = sin(1.2); init y1 = -cos(1.2);
        init x2 = sin(1.2) + sin(0.9); init y2 = -cos(1.2) - cos(0.9);
        output theta1 = atan2(x1, -y1);
        output theta2 = atan2(x2 - x1, y1 - y2);
        output theta1_dot = (x1*der(y1) - y1*der(x1));
        output theta2_dot = (x2 - x1)*(der(y2) - der(y1)) - (y2 - y1)*(der(x2) - der(x1));
    }
}

mechanism! {
    /// The same in angles, which the mass matrix couples [H6b].
    pub mechanism StopAngles {
        param e = 0.6;
        coord a: [rad]; coord b: [rad];
        kinetic first = 0.5*1.0*sq(der(a));
        kinetic second = 0.5*1.0*(sq(der(a)) + sq(der(b)) + 2.0*der(a)*der(b)*cos(a - b));
        potential weight = -9.81*(2.0*cos(a) + 1.0*cos(b));
        event hit when b - a >= 0.3 { impulse along 0.3 - b + a = restitution(e); }
        init a = 1.2; init b = 0.9;
    }
}

mechanism! {
    /// Housner's rocking block [H9b].
    pub mechanism Block {
        param alpha = 0.24497866312686414;
        param r = 0.911764705882353;
        param p2 = 7.137823444819279;
        coord theta: [rad];
        kinetic mass = 0.5*1.0*sq(der(theta));
        force weight along theta =
            if theta > 0.0 { -p2*sin(alpha - theta) } else { p2*sin(alpha + theta) };
        event strike when theta == 0.0 { der(theta) = r*der(theta); }
        init theta = 0.5*alpha;
    }
}

mechanism! {
    /// A thin bar dropped on a floor, with friction [H10a, H10c].
    pub mechanism Bar {
        param e = 0.6;
        param mu = 0.0;
        param speed: [m/s] = 0.0;
        coord x: [m]; coord y: [m]; coord theta: [rad];
        kinetic bar = 0.5*1.0*(sq(der(x)) + sq(der(y))) + 0.5*(1.0/12.0)*sq(der(theta));
        potential weight = 9.81*1.0*y;
        let right = [y + 0.5*sin(theta), x + 0.5*cos(theta)];
        let left = [y - 0.5*sin(theta), x - 0.5*cos(theta)];
        event right_end when right[0] <= 0.0 {
            impulse along [right[0], right[1]] = restitution(e).friction(mu);
        }
        event left_end when left[0] <= 0.0 {
            impulse along [left[0], left[1]] = restitution(e).friction(mu);
        }
        init y = 1.0; init theta = 0.5; init der(x) = speed;
    }
}

mechanism! {
    /// A disc that slides in both of its impacts [H10b].
    pub mechanism Disc {
        param e = 0.7;
        param mu = 0.2;
        param r: [m] = 0.1;
        coord x: [m]; coord y: [m]; coord theta: [rad];
        kinetic disc = 0.5*1.0*(sq(der(x)) + sq(der(y))) + 0.25*1.0*sq(r*der(theta));
        potential weight = 9.81*1.0*y;
        event hit when y <= r {
            impulse along [y - r, x + r*theta] = restitution(e).friction(mu);
        }
        init y = 1.1; init der(x) = 5.0; init der(theta) = 30.0;
    }
}

mechanism! {
    /// A relay with hysteresis [H11a, H11b].
    pub mechanism Relay {
        param c: [N*s/m] = 0.0;
        param lead: [s] = 0.5;
        param delta: [m] = 0.1;
        coord x: [m];
        mode u: [N] = -1.0;
        let s = x + lead*der(x);
        scale x = 1.0;
        kinetic mass = 0.5*1.0*sq(der(x));
        force relay along x = u - c*der(x);
        event up when s <= -delta { u = 1.0; }
        event down when s >= delta { u = -1.0; }
        output u_now: [N] = u;
        init x = 1.0;
    }
}

mechanism! {
    /// A speed controlled by an actuator that saturates, whose integrator waits meanwhile [H11c].
    pub mechanism Clamped {
        coord x: [m];
        state sum: [m];
        mode waits = true;
        let error = if t < 8.0 { 1.5 } else { 0.5 } - der(x);
        let wanted = 4.0*error + 3.0*sum;
        kinetic mass = 0.5*1.0*sq(der(x));
        force drag along x = -0.5*der(x);
        force actuator along x = wanted.clamp(-1.0, 1.0);
        der(sum) = if waits { 0.0 } else { error };
        event saturates when abs(wanted) > 1.0 && error*wanted > 0.0 { waits = true; }
        event leaves when abs(wanted) < 1.0 || error*wanted < 0.0 { waits = false; }
        output waits_now = waits;
    }
}

mechanism! {
    /// A latch that is reached at grazing [H13d].
    mechanism Latch {
        coord x: [m];
        mode on = false;
        kinetic mass = 0.5*1.0*sq(der(x));
        potential spring = 0.5*1.0*sq(x);
        force push along x = if on { 0.5 } else { 0.0 };
        event latch when x >= 1.0 && !on { on = true; }
        init x = -1.000001;
    }
}

mechanism! {
    /// A position against a power of time, and against a number.
    mechanism Meets {
        param x0: [m] = 0.0;
        param v0: [m/s] = 0.0;
        param a0: [m/s^2] = 0.0;
        param jerk: [m/s^3] = 0.0;
        coord x: [m];
        mode met = 0.0;
        mode above = 0.0;
        mode at = 0.0;
        kinetic mass = 0.5*1.0*sq(der(x));
        force pushes along x = 1.0*(a0 + jerk*t);
        event cube when x == 1.0*t*t*t { met = met + 1.0; }
        event rises when x > 0.0 { above = above + 1.0; }
        event zero when x == 0.0 { at = at + 1.0; }
        init x = x0;
        init der(x) = v0;
    }
}

fn by(name: &str) -> Method {
    Method::from_name(name).unwrap()
}

fn run(model: &impl Mechanism, method: &str, step: Step, t_end: f64) -> Solution {
    let run = Simulation::new(model).method(by(method)).step(step).until(t_end).run();
    run.unwrap_or_else(|error| panic!("{method}: {error}"))
}

/// A problem of the reference file: the times of its events until the end, and the state there.
struct Problem {
    t_end: f64,
    times: Vec<f64>,
    end: Vec<f64>,
    gain: f64,
}

fn problem(name: &str) -> Problem {
    static FILE: std::sync::OnceLock<serde_json::Value> = std::sync::OnceLock::new();
    let file = FILE.get_or_init(|| {
        serde_json::from_str(include_str!("../references/hybrid.json")).expect("JSON")
    });
    let problem = &file[name];
    let t_end = problem["end"]["t"].as_f64().unwrap();
    let events = problem["events"].as_array().unwrap().iter();
    let gains = problem["sensitivity_of_end_state_to_initial_state"].as_object().unwrap();
    Problem {
        t_end,
        times: events.map(|event| event["t"].as_f64().unwrap()).filter(|t| *t < t_end).collect(),
        end: numbers(&problem["end"]["state"]),
        gain: gains.values().map(|gain| gain.as_f64().unwrap()).fold(1.0, f64::max),
    }
}

/// The largest error of the times of stated events, and of the end state.
fn errors(model: &impl Mechanism, run: &Solution, problem: &Problem, end: &[f64]) -> [f64; 2] {
    let model = model.model().unwrap();
    let kept = |kind: EventKind| matches!(kind, EventKind::Close | EventKind::Open);
    let is_stated = |name: &str| model.events().any(|(event, ..)| event == name);
    let stated = run.events.iter().filter(|event| is_stated(&event.name) && !kept(event.kind));
    let times: Vec<f64> = stated.map(|event| event.t).collect();
    let largest = |a: &[f64], b: &[f64]| {
        assert_eq!(a.len(), b.len(), "{a:?} for {b:?}");
        a.iter().zip(b).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()))
    };
    [largest(&times, &problem.times), largest(end, &problem.end)]
}

fn motion(run: &Solution) -> Vec<f64> {
    [run.final_q(), run.final_v()].concat()
}

/// Holds a model to its problem: `radau5` at 1e-10 to 100 · gain · tol, the others at 1e-6 to 10 · gain · tol,
/// times what they miss that by: `hht-i3`, `gen-alpha-soi2`, `bdf-ggl`, `state-space`.
fn holds(
    name: &str,
    model: &impl Mechanism,
    end: impl Fn(&Solution) -> Vec<f64>,
    misses: [f64; 4],
) {
    let problem = problem(name);
    let exact = run(model, "radau5", Step::adaptive(1e-10), problem.t_end);
    let bound = (100.0 * problem.gain * 1e-10).max(1e-9);
    let [times, state] = errors(model, &exact, &problem, &end(&exact));
    let mut table = Table::new(name);
    table
        .row(format!("radau5 1e-10: {times:.1e} {state:.1e} ({bound:.0e}), {}", exact.stats.steps));
    assert!(times <= bound && state <= bound, "{name}: {times:e} {state:e} for {bound:e}");
    assert_eq!(exact.stats.newton_failures, 0, "{name}");
    let methods = ["hht-i3", "gen-alpha-soi2", "bdf-ggl", "state-space"];
    for (method, misses) in methods.into_iter().zip(misses) {
        let run = run(model, method, Step::adaptive(1e-6), problem.t_end);
        let bound = 1e-5 * problem.gain;
        let [times, state] = errors(model, &run, &problem, &end(&run));
        // Of a run of a few steps it may be too costly.
        let steps = run.stats.steps;
        let estimate = run.error_estimate.map_or(f64::NAN, |estimate| estimate.motion());
        table.row(format!(
            "{method} 1e-6: {times:.1e} {state:.1e} ({bound:.0e}), {steps}, estimate {estimate:.0e}"
        ));
        let error = times.max(state);
        assert!(error <= misses * bound, "{name}, {method}: {error:e} for {bound:e}");
        assert!(run.balance.as_ref().is_none_or(|balance| balance.holds), "{name}, {method}");
    }
}

const MET: [f64; 4] = [1.0; 4];

#[test]
fn a_ball_bounces() {
    holds("H2a", &Ball::default(), motion, MET);
}

mechanism! {
    /// A ball in a gap that compares, which no row can hold.
    mechanism Folded {
        param e = 0.8;
        coord y: [m];
        kinetic mass = 0.5*1.0*sq(der(y));
        potential weight = 9.81*1.0*y;
        event hit when y <= 0.0 { impulse along min(y, 2.0*y + 1.0) = restitution(e); }
        init y = 1.0;
    }
}

/// Bounces that are jumps of a velocity come to a limit, 4.06371276887158 s, at which nothing says what holds the ball;
/// no motion goes on beyond it through the floor. ([`contacts`](super::contacts): those that impacts state stay.)
#[test]
fn impacts_that_accumulate_are_told() {
    let ends = |model: &dyn Mechanism, name: &str, step: Step| {
        let run = Simulation::new(model).method(Method::from_name(name).unwrap()).step(step);
        match run.until(6.0).run().unwrap_err().error {
            mbd::error::Error::Step(error) => error,
            other => panic!("{name}: {other}"),
        }
    };
    for name in ["radau5", "gen-alpha-soi2", "hht-i3", "state-space", "explicit-rk"] {
        for step in [Step::adaptive(1e-8), Step::fixed(0.05)] {
            match ends(&Ball::default(), name, step.clone()) {
                StepError::Accumulation { limit, name: event, .. } => {
                    assert!((limit - 4.06371276887158).abs() < 1e-7, "{name}: {limit}");
                    assert_eq!(event, "hit");
                }
                other => panic!("{name}: {other}"),
            }
            match ends(&Folded { e: 0.0 }, name, step) {
                StepError::Closed { t, .. } => {
                    assert!((t - 0.451523640985731).abs() < 1e-7, "{name}: {t}");
                }
                other => panic!("{name}: {other}"),
            }
        }
    }
}

#[test]
fn a_ball_bounces_on_a_moving_table() {
    holds("H2b", &Moving::default(), motion, [1.0, 1.0, 4.0, 1.0]);
}

#[test]
fn a_pendulum_hits_a_wall() {
    holds("H6a", &Wall::default(), motion, [12.0, 12.0, 6.0, 12.0]);
}

#[test]
fn an_impulse_goes_through_all_constraints() {
    let end = |run: &Solution| lasts(run, &["theta1", "theta2", "theta1_dot", "theta2_dot"]);
    holds("H6b", &Stop::default(), end, [30.0, 30.0, 15.0, 25.0]);
}

#[test]
fn an_impulse_goes_through_the_mass_matrix() {
    holds("H6b", &StopAngles::default(), motion, [20.0, 40.0, 12.0, 25.0]);
}

#[test]
fn a_block_rocks() {
    holds("H9b", &Block::default(), motion, MET);
    holds("H9b_e1", &Block { r: 1.0, ..Block::default() }, motion, MET);
}

#[test]
fn a_bar_falls_on_a_floor() {
    holds("H10a", &Bar::default(), motion, MET);
    holds("H10c", &Bar { mu: 0.2, speed: 4.0, ..Bar::default() }, motion, MET);
}

#[test]
fn a_disc_slides_in_its_impacts() {
    holds("H10b", &Disc::default(), motion, MET);
}

#[test]
fn a_relay_switches() {
    holds("H11a", &Relay::default(), motion, MET);
    // Arcs are parabolas: begun again with order 1 each of the 45 took 16 steps and erred by h²/2 of its acceleration.
    let run = run(&Relay::default(), "bdf-ggl", Step::adaptive(1e-6), 20.0);
    let [times, end] = errors(&Relay::default(), &run, &problem("H11a"), &motion(&run));
    assert!(run.stats.steps < 100 && times.max(end) < 1e-6, "{times:e} {end:e}, {}", run.stats);
    holds("H11b", &Relay { c: 0.4, lead: 0.2, ..Relay::default() }, motion, [15.0; 4]);
}

/// The reference lists the jump of the commanded speed at 8 s as an event too; here it saturates the actuator.
#[test]
fn an_integrator_waits_while_its_actuator_is_saturated() {
    let end = |run: &Solution| vec![run.final_v()[0], last(run, "sum")];
    holds("H11c", &Clamped::default(), end, [15.0; 4]);
}

#[test]
fn a_latch_is_reached_at_grazing() {
    let problem = problem("H13d");
    let exact = run(&Latch::default(), "radau5", Step::adaptive(1e-10), problem.t_end);
    let [times, state] = errors(&Latch::default(), &exact, &problem, &motion(&exact));
    let bound = 100.0 * problem.gain * 1e-10;
    assert!(times <= bound && state <= bound, "{times:e} {state:e} for {bound:e}");
}

mechanism! {
    /// A cart that meets a stop with its pendulum, which hangs in a rod: what is set and what follows.
    mechanism Cart {
        param m: [kg] = 2.0;
        coord x: [m]; coord u: [m]; coord v: [m];
        state count;
        kinetic cart = 0.5*m*sq(der(x));
        kinetic bob = 0.5*1.0*(sq(der(u)) + sq(der(v)));
        potential weight = 9.81*1.0*v;
        holonomic rod: sq(u - x) + sq(v) == 1.0;
        der(count) = 0.0*count;
        event stop when x >= 0.5 { der(x) = -0.2*der(x); count = count + 1.0; }
        init der(x) = 1.0; init u = sin(0.3); init v = -cos(0.3); init count = 0.0;
    }
}

/// A velocity that is set takes its value; the others change by the impulse along it alone, through the mass
/// matrix and the constraints: what the bob loses it loses along the rod.
#[test]
fn a_velocity_that_is_set_is_an_impulse_along_it() {
    for method in ["radau5", "gen-alpha-soi2", "explicit-rk"] {
        let run = run(&Cart::default(), method, Step::adaptive(1e-9), 0.6);
        let hits: Vec<f64> = run.events.iter().map(|event| event.t).collect();
        assert_eq!((hits.len(), last(&run, "count")), (1, 1.0), "{method}");
        let rows: Vec<usize> = (0..run.len()).filter(|&i| run.times()[i] == hits[0]).collect();
        let [before, after] = rows[..] else { panic!("{method}: {rows:?}") };
        let at = |row: usize, name: &str| run.series(name).unwrap()[row];
        let change = |name: &str| at(after, name) - at(before, name);
        let set = at(after, "der(x)") + 0.2 * at(before, "der(x)");
        assert!(set.abs() < 1e-15, "{method}: {set:e}");
        // Across the rod the bob keeps its velocity; along it, it follows the cart.
        let (u, v) = (at(after, "u") - at(after, "x"), at(after, "v"));
        assert!((change("der(u)") * v - change("der(v)") * u).abs() < 1e-12, "{method}");
        let relative = at(after, "der(u)") - at(after, "der(x)");
        let along = u * relative + v * at(after, "der(v)");
        assert!(along.abs() < 1e-12, "{method}: {along:e}");
        assert!(change("der(u)").abs() > 1e-3, "{method}");
        // The energy that is lost is told.
        let balance = run.balance.as_ref().unwrap();
        let lost = at(before, "kinetic") - at(after, "kinetic");
        assert!(balance.holds && (balance.jumps + lost).abs() < 1e-9, "{method}: {balance:?}");
    }
}

mechanism! {
    /// Something that warms up until it is too hot.
    mechanism Oven {
        param limit: [K] = 90.0;
        coord x: [m];
        state temp: [K];
        kinetic mass = 0.5*1.0*sq(der(x));
        der(temp) = 10.0;
        event overheat when temp > limit { stop "too hot"; }
        init temp = 20.0; init der(x) = 1.0;
    }
}

#[test]
fn an_event_ends_a_run() {
    let run = run(&Oven::default(), "gen-alpha-soi2", Step::adaptive(1e-6), 20.0);
    assert_eq!(run.status, Status::Stopped);
    let stopped = run.stopped.as_ref().unwrap();
    assert_eq!((&*stopped.event, &*stopped.text), ("overheat", "too hot"));
    assert!((stopped.t - 7.0).abs() < 1e-9 && run.final_t() == stopped.t, "{stopped:?}");
    // What holds from the start on does not become true.
    let cold =
        Simulation::new(&Oven::default()).set_initial("temp", 95.0).until(1.0).run().unwrap();
    assert_eq!(cold.status, Status::Finished);
}

mechanism! {
    /// Two switches, one of which sets off the other, from the second of which on a force acts.
    mechanism Switches {
        coord x: [m];
        mode first = false;
        mode level: [N] = 0.0;
        kinetic mass = 0.5*1.0*sq(der(x));
        force push along x = level;
        event late when t >= 0.25 && !first { first = true; }
        event next when first { level = 2.0; }
        output is_first = first;
    }
}

/// At a time, and by another event at the same instant; every method, prescribed steps, comparisons not held.
#[test]
fn events_set_off_others_at_times() {
    for method in METHODS.iter().filter(|method| !INCONSISTENT.contains(method.name)) {
        for step in [Step::adaptive(1e-6), Step::fixed(0.02)] {
            for held in [true, false] {
                let method = by(method.name);
                let name = method.name();
                let model = Switches::default();
                let run = Simulation::new(&model).method(method).step(step.clone()).events(held);
                let run = run.until(1.0).run().unwrap();
                let names: Vec<&str> = run.events.iter().map(|event| &*event.name).collect();
                assert_eq!(names, ["late", "next"], "{name}");
                assert!(run.events.iter().all(|event| (event.t - 0.25).abs() < 1e-12), "{name}");
                // `bdf-ggl` begins anew by order 1.
                let off = (run.final_q()[0] - 0.5625).abs();
                assert!(off < if step.is_adaptive() { 1e-5 } else { 1e-3 }, "{name}: {off:e}");
                assert_eq!(last(&run, "is_first"), 1.0);
            }
        }
    }
}

mechanism! {
    /// Two events that undo each other.
    mechanism Endless {
        coord x: [m];
        mode on = false;
        kinetic mass = 0.5*1.0*sq(der(x));
        event up when x > 0.5 && !on { on = true; }
        event down when on { on = false; }
        init der(x) = 1.0;
    }
}

mechanism! {
    /// A bead whose wire leaves it no such velocity.
    mechanism Stuck {
        coord x: [m]; coord y: [m];
        kinetic mass = 0.5*1.0*(sq(der(x)) + sq(der(y)));
        holonomic wire: y == 0.0;
        event kick when x > 0.5 { der(y) = 1.0; }
        init der(x) = 1.0;
    }
}

#[test]
fn what_cannot_happen_is_told_by_name() {
    let error = |model: &dyn Fn() -> Result<Solution, mbd::error::RunError>| {
        model().unwrap_err().error.to_string()
    };
    let endless = error(&|| Simulation::new(&Endless::default()).until(1.0).run());
    assert!(
        endless.contains("`up` makes another one happen") || endless.contains("`down` makes"),
        "{endless}"
    );
    let stuck = error(&|| Simulation::new(&Stuck::default()).until(1.0).run());
    assert!(
        stuck.contains("the event `kick` sets velocities that the constraints do not leave"),
        "{stuck}"
    );
    let elastic = error(&|| Simulation::new(&Wall { e: 1.5 }).until(1.0).run());
    assert!(elastic.contains("`hit` has a coefficient of restitution"), "{elastic}");
}

/// Prescribed steps keep their grid, and end at events between its points.
#[test]
fn prescribed_steps_meet_stated_events() {
    let problem = problem("H2a");
    for method in ["radau5", "gen-alpha-soi2", "hht-i3", "state-space"] {
        let run = run(&Ball::default(), method, Step::fixed(0.01), problem.t_end);
        let [times, state] = errors(&Ball::default(), &run, &problem, &motion(&run));
        assert!(times < 1e-9 && state < 1e-8, "{method}: {times:e} {state:e}");
        let on_grid = run.steps.iter().filter(|s| (s.t / 0.01 - (s.t / 0.01).round()).abs() < 1e-6);
        assert_eq!(on_grid.count(), 300, "{method}");
    }
}

/// A motion that begins at the boundary and goes beyond it meets it at once; one that leaves it does not.
#[test]
fn events_at_the_start() {
    let from = |speed: f64| {
        let run = Simulation::new(&Ball::default()).set_initial("y", 0.0);
        run.set_initial("der(y)", speed).until(0.1).run().unwrap()
    };
    let down = from(-1.0);
    assert_eq!((down.events.len(), down.events[0].t), (1, 0.0));
    assert!((down.final_v()[0] - (0.8 - 0.981)).abs() < 1e-9, "{:?}", down.final_v());
    assert!(from(1.0).events.is_empty());
}

/// Both sides of `==` may move. What is met is that one passes the other: at the start too, if the motion begins there and
/// goes on to one side, by its third rate if by no lower one, and where the first two rates of what is compared are 0.
#[test]
fn what_is_equal_is_met_where_it_passes() {
    let (cube, zero) = ("cube", "zero");
    let rest = Meets::default();
    let cases = [
        // A number against t³, t against t³, t³/6 and 2 t³ against t³; these begin where both are equal.
        (Meets { x0: 0.5, ..rest.clone() }, cube, vec![(0.5_f64.cbrt(), -1)], false),
        (Meets { v0: 1.0, ..rest.clone() }, cube, vec![(0.0, 1), (1.0, -1)], false),
        (Meets { jerk: 1.0, ..rest.clone() }, cube, vec![(0.0, -1)], false),
        (Meets { jerk: 12.0, ..rest.clone() }, cube, vec![(0.0, 1)], false),
        (Meets { jerk: 12.0, ..rest.clone() }, zero, vec![(0.0, 1)], false),
        (Meets { jerk: 12.0, ..rest.clone() }, "rises", vec![(0.0, 1)], false),
        (Meets { a0: -2.0, ..rest.clone() }, zero, vec![(0.0, -1)], false),
        // (t − 1)³: how exactly it is met is the cube root of how exactly it is known.
        (Meets { x0: -1.0, v0: 3.0, a0: -6.0, jerk: 6.0 }, zero, vec![(1.0, 1)], true),
    ];
    for method in
        METHODS.iter().map(|method| method.name).filter(|name| !INCONSISTENT.contains(name))
    {
        for (model, name, times, triple) in &cases {
            // Of a method of order 2 the error of the first step is as large as what is compared after it.
            let order_5 = method.starts_with("radau5") || method == "explicit-rk";
            if *name == cube && model.jerk == 12.0 && !order_5 {
                continue;
            }
            for (step, root) in [
                (Step::adaptive(1e-4), 3.0 * 1e-4_f64.cbrt()),
                (Step::adaptive(1e-6), 3.0 * 1e-6_f64.cbrt()),
                (Step::fixed(0.01), 0.1),
            ] {
                let good = if *triple { root } else { 1e-9 };
                let run = run(model, method, step.clone(), 2.0);
                let met: Vec<_> = run.events.iter().filter(|event| event.name == *name).collect();
                assert_eq!(met.len(), times.len(), "{method} {step:?}: {model:?} {:?}", run.events);
                for (event, (t, direction)) in met.iter().zip(times) {
                    assert!((event.t - t).abs() <= good, "{method} {model:?}: {}", event.t);
                    assert_eq!(event.direction, *direction, "{method}: {model:?}");
                }
            }
        }
    }
}

/// A run goes on from a checkpoint as if it had not been stopped, to the last bit.
#[test]
fn stated_events_resume_to_the_bit() {
    let mut checkpoints: Vec<Vec<u8>> = Vec::new();
    let mut sink = Keep(&mut checkpoints);
    let model = Relay { c: 0.4, lead: 0.2, ..Relay::default() };
    let whole = relay(&model).checkpoint(&mut sink).run().unwrap();
    assert!(checkpoints.len() > 3 && whole.events.len() == 4, "{}", whole.events.len());
    for checkpoint in checkpoints {
        let resumed = relay(&model).resume(checkpoint).run().unwrap();
        let bits = |run: &Solution| motion(run).iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&resumed), bits(&whole));
        assert_eq!(resumed.events, whole.events);
    }
}

fn relay<'a>(model: &Relay) -> Simulation<'a> {
    Simulation::new(model).method(by("gen-alpha-soi2")).step(Step::adaptive(1e-6)).until(6.0)
}

pub struct Keep<'a>(pub &'a mut Vec<Vec<u8>>);

impl mbd::checkpoint::CheckpointSink for Keep<'_> {
    fn is_due(&mut self) -> bool {
        true
    }
    fn save(&mut self, checkpoint: &[u8]) -> Result<(), mbd::solution::OutputError> {
        self.0.push(checkpoint.to_vec());
        Ok(())
    }
}

mechanism! {
    /// A pendulum whose turning points are counted.
    mechanism Turns {
        coord x: [m];
        coord y: [m];
        mode n = 0.0;
        mode up = false;
        kinetic k = 0.5*(sq(der(x)) + sq(der(y)));
        potential g = 9.81*y;
        holonomic rod: hypot(x, y) == 1.0;
        force f along y = if up { 2.0 } else { 0.0 };
        event turn when der(x)*x <= 0.0 && abs(x) > 0.1 { n = n + 1.0; up = true; }
        event middle when x == 0.0 { up = false; }
        init x = 0.8;
        init y = -0.6;
        init der(x) = -1.0;
        guess der(y) = 0.0;
        output count = n;
        until 20.0;
    }
}

/// Methods that hold positions leave velocities off the constraints; moved onto them after an event a condition was as before it,
/// and met once more: 19 to 25 turns for 18 by `hht-i3`, or "ever sooner after itself".
#[test]
fn what_has_been_met_is_not_met_again_by_the_method_itself() {
    for name in ["hht-i3", "gen-alpha-soi2", "hht-soi2", "radau5", "bdf-ggl", "dae-alpha"] {
        for tol in [1e-2, 1e-3, 1e-4, 1e-5, 1e-6] {
            let method = Method::from_name(name).unwrap();
            let run = Simulation::new(&Turns::default()).method(method).step(Step::adaptive(tol));
            let run = run.run().unwrap_or_else(|failed| panic!("{name} {tol:e}: {failed}"));
            let turns = *run.series("count").unwrap().last().unwrap();
            assert_eq!(turns, 18.0, "{name} {tol:e}");
        }
    }
}
