//! Contacts that close and open: rest after impacts, ropes that go slack, constraints that come and go, against the
//! solutions in tests/references/hybrid.json and closed formulas.

use crate::models::SlackRope;
use crate::stated::Keep;
use crate::support::{Table, last};
use mbd::assembly::System;
use mbd::error::{Error, StepError};
use mbd::integrate::{Method, Step};
use mbd::prelude::*;
use mbd::simulation::Simulation;
use mbd::solution::{EventKind, Solution};
use mbd::start::StartError;
use mbd::verify;
use mbd::{Check, CheckOptions};

const G: f64 = 9.81;

/// At which they are held to 1e-5 times the gain at tol 1e-6, beside `radau5` at 1e-10.
const OTHERS: [&str; 4] = ["hht-i3", "gen-alpha-soi2", "bdf-ggl", "state-space"];

fn by(name: &str) -> Method {
    Method::from_name(name).unwrap()
}

fn run(model: &impl Mechanism, method: &str, step: Step, t_end: f64) -> Solution {
    let run = Simulation::new(model).method(by(method)).step(step).until(t_end).run();
    run.unwrap_or_else(|error| panic!("{method}: {}", error.error))
}

fn fails(model: &impl Mechanism, t_end: f64) -> Error {
    let run = Simulation::new(model).method(by("radau5")).step(Step::adaptive(1e-8));
    run.until(t_end).run().unwrap_err().error
}

/// When contacts close (−1) and open (1).
fn contacts(run: &Solution) -> Vec<(f64, i8)> {
    let of =
        run.events.iter().filter(|event| matches!(event.kind, EventKind::Close | EventKind::Open));
    of.map(|event| (event.t, event.direction)).collect()
}

fn bits(run: &Solution) -> Vec<u64> {
    run.final_q().iter().chain(run.final_v()).map(|x| x.to_bits()).collect()
}

fn off(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len(), "{a:?} for {b:?}");
    a.iter().zip(b).fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}

/// Holds a model to a state at the end and to times at which contacts close and open: `radau5` at 1e-10 to
/// 100 · gain · tol, the others at 1e-6 to 10 · gain · tol, times what they miss that by in times and state.
fn holds(
    name: &str,
    (model, t_end): (&impl Mechanism, f64),
    end: impl Fn(&Solution) -> Vec<f64>,
    (state, times): (&[f64], &[(f64, i8)]),
    (gain, misses): (f64, [[f64; 2]; 4]),
) {
    let mut table = Table::new(name);
    let exact = (1e-9f64).max(100.0 * gain * 1e-10);
    let all = std::iter::once(("radau5", 1e-10, exact, [1.0; 2]));
    let others = OTHERS.iter().zip(misses).map(|(name, misses)| (*name, 1e-6, 1e-5 * gain, misses));
    for (method, tol, bound, misses) in all.chain(others) {
        let run = run(model, method, Step::adaptive(tol), t_end);
        let found = contacts(&run);
        let directions = |list: &[(f64, i8)]| list.iter().map(|one| one.1).collect::<Vec<_>>();
        assert_eq!(directions(&found), directions(times), "{name}, {method}");
        let of = |list: &[(f64, i8)]| list.iter().map(|one| one.0).collect::<Vec<_>>();
        let [t, at] = [off(&of(&found), &of(times)), off(&end(&run), state)];
        let steps = run.stats.steps;
        table.row(format!("{method} {tol:.0e}: times {t:.1e} end {at:.1e} ({bound:.0e}), {steps}"));
        assert!(t <= misses[0] * bound, "{name}, {method}: times {t:e} for {bound:e}");
        assert!(at <= misses[1] * bound, "{name}, {method}: {at:e} for {bound:e}");
        assert!(run.balance.as_ref().is_none_or(|balance| balance.holds), "{name}, {method}");
        assert_eq!(run.stats.substituted, 0, "{name}, {method}");
        if method == "radau5" {
            assert_eq!(run.stats.newton_failures, 0, "{name}");
        }
    }
}

mechanism! {
    /// A ball that bounces until it lies still [H2a].
    mechanism Ball {
        param e = 0.8;
        coord y: [m];
        kinetic mass = 0.5*1.0*sq(der(y));
        potential weight = 9.81*1.0*y;
        event hit when y <= 0.0 { impulse along y = restitution(e); }
        init y = 1.0;
    }
}

mechanism! {
    /// A pendulum that gravity presses on a stop [H6z]; unit m L².
    mechanism Pressed {
        coord phi: [rad];
        kinetic mass = 0.5*1.0*sq(der(phi));
        potential weight = -9.81*1.0*cos(phi);
        event hit when phi <= 0.25 { impulse along phi - 0.25 = restitution(0.5); }
        init phi = 1.2;
    }
}

fn force(run: &Solution, name: &str) -> f64 {
    *run.series(&format!("lambda({name})")).unwrap().last().unwrap()
}

#[test]
fn a_ball_comes_to_rest() {
    let end = |run: &Solution| vec![run.final_q()[0], run.final_v()[0], force(run, "hit")];
    let zeno = [(4.06371276887158, -1)];
    let misses = [[1.0; 2]; 4];
    holds("H2a to 6 s", (&Ball::default(), 6.0), end, (&[0.0, 0.0, G], &zeno), (14.7, misses));
    // Without a rebound at the first impact.
    let first = [((2.0 / G).sqrt(), -1)];
    let misses = [[1.0; 2]; 4];
    holds("e = 0", (&Ball { e: 0.0 }, 6.0), end, (&[0.0, 0.0, G], &first), (14.7, misses));
    for step in [Step::fixed(0.05), Step::fixed(0.01)] {
        let run = run(&Ball::default(), "gen-alpha-soi2", step, 6.0);
        assert!(off(&end(&run), &[0.0, 0.0, G]) < 1e-9);
        assert!((contacts(&run)[0].0 - zeno[0].0).abs() < 1e-6);
        // All that it had.
        let balance = run.balance.as_ref().unwrap();
        assert!(balance.holds && (balance.jumps + G).abs() < 1e-6, "{balance:?}");
    }
}

#[test]
fn a_pendulum_is_pressed_on_its_stop() {
    let end = |run: &Solution| vec![run.final_q()[0], run.final_v()[0], force(run, "hit")];
    let state = [0.25, 0.0, 2.42703284028687];
    let zeno = [(2.4507787346584746, -1)];
    let misses = [[4.0, 1.0], [6.0, 1.0], [2.0, 1.0], [6.0, 1.0]];
    holds("H6z to 4 s", (&Pressed::default(), 4.0), end, (&state, &zeno), (1.75, misses));
}

#[test]
fn a_rope_goes_slack_and_taut() {
    let model = SlackRope::default();
    let end = |run: &Solution| {
        let ([x, y], [u, v]) =
            ([run.final_q()[0], run.final_q()[1]], [run.final_v()[0], run.final_v()[1]]);
        vec![x.atan2(-y), x * v - y * u]
    };
    let state = [0.014353225587938, 1.59025806862427];
    let times = [
        (0.526489488383966, 1),
        (1.13306244508546, -1),
        (1.90016318858517, 1),
        (2.69006739053958, -1),
    ];
    let misses = [[1.0, 12.0], [1.0, 12.0], [1.0, 6.0], [1.0, 30.0]];
    holds("H12", (&model, 3.0), end, (&state, &times), (45.6, misses));
    let run = run(&model, "radau5", Step::adaptive(1e-10), 3.0);
    let tension = run.series("tension").unwrap();
    // To rounding of the largest forces, some 55 N, where it goes slack.
    let least = tension.iter().copied().fold(0.0, f64::min);
    assert!(least >= -1e-7, "{least:e}");
    let times = run.times();
    let slack = times.iter().zip(&tension).filter(|(t, _)| **t > 0.53 && **t < 1.13);
    assert!(slack.map(|(_, force)| *force).all(|force| force == 0.0));
    let taut = (0..times.len()).find(|&i| times[i] > 1.0 && tension[i] > 0.0).unwrap();
    assert!((tension[taut] - 19.3485050160306).abs() < 1e-6, "{}", tension[taut]);
}

/// A run goes on from a checkpoint to the last bit, taut and slack.
#[test]
fn a_rope_resumes_to_the_bit() {
    fn begin<'a>(method: &str) -> Simulation<'a> {
        Simulation::new(&SlackRope::default()).method(by(method)).until(3.0)
    }
    for method in ["radau5", "gen-alpha-soi2"] {
        let mut checkpoints: Vec<Vec<u8>> = Vec::new();
        let mut sink = Keep(&mut checkpoints);
        let whole = begin(method).checkpoint(&mut sink).run().unwrap();
        assert!(checkpoints.len() > 2 && contacts(&whole).len() == 4, "{}", checkpoints.len());
        for checkpoint in checkpoints {
            let resumed = begin(method).resume(checkpoint).run().unwrap();
            assert_eq!(bits(&resumed), bits(&whole), "{method}");
            assert_eq!(resumed.events, whole.events);
        }
    }
}

mechanism! {
    /// A block on a floor that is lifted more and more.
    mechanism Lifted {
        param y0: [m] = 0.0;
        param v0: [m/s] = 0.0;
        param lift: [N/s] = 20.0;
        param e = 0.0;
        coord y: [m];
        kinetic block = 0.5*1.0*sq(der(y));
        potential weight = 9.81*1.0*y;
        force crane along y = lift*t;
        unilateral floor: y, restitution(e);
        init y = y0; init der(y) = v0;
        output load: [N] = lambda(floor);
    }
}

/// It lifts off where the crane carries its weight, and goes up with y‴ = 20 m/s³.
#[test]
fn a_block_is_lifted_off_its_floor() {
    let off_at = G / 20.0;
    let s = 1.0 - off_at;
    let state = [20.0 / 6.0 * s.powi(3), 10.0 * s * s, 0.0];
    let end = |run: &Solution| vec![run.final_q()[0], run.final_v()[0], last(run, "load")];
    let times = [(off_at, 1)];
    holds("lift", (&Lifted::default(), 1.0), end, (&state, &times), (1.0, [[1.0, 3.0]; 4]));
    let run = run(&Lifted::default(), "radau5", Step::adaptive(1e-8), 1.0);
    for (t, load) in run.times().iter().zip(run.series("load").unwrap()) {
        let error = (load - (G - 20.0 * t).max(0.0)).abs();
        assert!(error < 1e-6, "at {t}: {load} {error:e}");
    }
}

mechanism! {
    /// A block on a floor, which an input lifts and a clock looks at.
    mechanism Fed {
        input lift: [N] = 0.0;
        mode beats = 0.0;
        coord y: [m];
        kinetic mass = 0.5*1.0*sq(der(y));
        potential weight = 9.81*1.0*y;
        force up along y = lift;
        unilateral floor: y;
        sample clock every 0.01 { beats = beats + 1.0; }
        output load: [N] = lambda(floor);
    }
}

/// A force from a table presses the block down, tears it off by a jump, and lets it fall: the samples meanwhile
/// neither open the contact nor close it.
#[test]
fn a_block_is_lifted_by_an_input() {
    use mbd::signal::{Interpolation, Signal};
    let (times, forces) = ([0.0, 0.305, 0.605, 0.905], [4.0, -6.0, 2.0 * G, 0.0]);
    let signal = Signal::table(times, forces, Interpolation::Steps).unwrap().held_beyond();
    // Up with g for 0.3 s, then down with g.
    let (y, v) = (0.5 * G * 0.09, G * 0.3);
    let left = 0.8 - 0.605;
    for method in std::iter::once("radau5").chain(OTHERS) {
        let run = Simulation::new(&Fed::default()).method(by(method)).step(Step::adaptive(1e-7));
        let run = run.input("lift", signal.clone()).until(0.8).run();
        let run = run.unwrap_or_else(|error| panic!("{method}: {}", error.error));
        let found = contacts(&run);
        assert!(found.len() == 1 && found[0].1 == 1, "{method}: {found:?}");
        assert!((found[0].0 - 0.605).abs() < 1e-12, "{method}: {found:?}");
        let expected = [0.5 * G * left * left, G * left];
        let at = [run.final_q()[0], run.final_v()[0]];
        assert!(off(&at, &expected) < 1e-6, "{method}: {at:?} for {expected:?}");
        for (t, load) in run.times().iter().zip(run.series("load").unwrap()) {
            let known = if *t < 0.305 {
                G - 4.0
            } else if *t < 0.605 {
                G + 6.0
            } else {
                0.0
            };
            let jumps = [0.305, 0.605].iter().any(|jump| (t - jump).abs() < 1e-9);
            assert!(jumps || (load - known).abs() < 1e-5, "{method}, {t}: {load} for {known}");
        }
    }
    // y + v (t − 0.905) − g (t − 0.905)²/2 = 0.
    let falls = 0.905 + (v + (v * v + 2.0 * G * y).sqrt()) / G;
    for method in std::iter::once("radau5").chain(OTHERS) {
        let run = Simulation::new(&Fed::default()).method(by(method)).step(Step::adaptive(1e-7));
        let run = run.input("lift", signal.clone()).until(1.9).run();
        let run = run.unwrap_or_else(|error| panic!("{method}: {}", error.error));
        let found = contacts(&run);
        assert_eq!(found.iter().map(|one| one.1).collect::<Vec<_>>(), [1, -1], "{method}");
        assert!((found[1].0 - falls).abs() < 1e-5, "{method}: {found:?} for {falls}");
        let load = last(&run, "load");
        assert!((load - G).abs() < 1e-5 && run.final_q()[0].abs() < 1e-6, "{method}: {load}");
    }
}

/// Starts at the floor: at rest it lies there, upwards it flies, downwards it is hit; in the floor it cannot.
#[test]
fn a_start_at_the_boundary_is_decided() {
    let still = Lifted { lift: 0.0, ..Lifted::default() };
    let end = |model: &Lifted| {
        let run = run(model, "radau5", Step::adaptive(1e-8), 0.3);
        (contacts(&run), run.final_q()[0], run.final_v()[0], last(&run, "load"))
    };
    assert_eq!(end(&still), (vec![], 0.0, 0.0, G));
    // Below by rounding is at the floor.
    let (list, y, v, load) = end(&Lifted { y0: -1e-14, ..still.clone() });
    assert!(list.is_empty() && y.abs() <= 1e-14 && v.abs() < 1e-12 && (load - G).abs() < 1e-9);
    let (list, y, v, load) = end(&Lifted { v0: 1.0, ..still.clone() });
    assert_eq!((list.len(), list[0].1), (1, -1));
    assert!((list[0].0 - 2.0 / G).abs() < 1e-9 && off(&[y, v, load], &[0.0, 0.0, G]) < 1e-9);
    let (list, y, v, _) = end(&Lifted { v0: -4.0, e: 0.5, ..still.clone() });
    assert!(list.is_empty());
    assert!(off(&[y, v], &[0.3 * 2.0 - 0.5 * G * 0.09, 2.0 - 0.3 * G]) < 1e-9, "{y} {v}");
    let (list, ..) = end(&Lifted { v0: -4.0, ..still.clone() });
    assert_eq!(list, [(0.0, -1)]);
    match fails(&Lifted { y0: -0.01, ..still }, 0.3) {
        Error::Start(StartError::Violated { name, gap, .. }) => {
            assert_eq!((&*name, gap), ("floor", -0.01));
        }
        other => panic!("{other}"),
    }
}

mechanism! {
    /// A bar on two supports, which is lifted at its right end.
    mechanism Bar {
        coord y: [m]; coord theta: [rad];
        kinetic bar = 0.5*1.0*sq(der(y)) + 0.5*(1.0/12.0)*sq(der(theta));
        potential weight = 9.81*1.0*y;
        let ends = [y - 0.5*sin(theta), y + 0.5*sin(theta)];
        force crane along y + 0.5*sin(theta) = 20.0*t;
        unilateral left: ends[0];
        unilateral right: ends[1];
    }
}

/// Loads of 4.905 N each at first; the right one is 4.905 N − 20 N/s t, and falls to zero alone.
#[test]
fn of_two_supports_one_stays() {
    for method in OTHERS {
        let run = run(&Bar::default(), method, Step::adaptive(1e-6), 0.4);
        let [(t, 1)] = contacts(&run)[..] else { panic!("{method}: {:?}", contacts(&run)) };
        assert!((t - 0.5 * G / 20.0).abs() < 1e-6, "{method}: {t}");
        assert!(force(&run, "left") > 1.0 && force(&run, "right") == 0.0, "{method}");
        let (q, end) = (run.final_q(), run.final_q()[0] - 0.5 * run.final_q()[1].sin());
        assert!(q[1] > 1e-4 && end.abs() < 1e-9, "{method}: {q:?} {end:e}");
    }
}

mechanism! {
    /// A plate on four legs, of which three would do, with a weight that is put aside.
    mechanism Plate {
        param aside = 0.0;
        coord z: [m]; coord a: [rad]; coord b: [rad];
        kinetic plate = 0.5*1.0*sq(der(z)) + 0.5*0.1*(sq(der(a)) + sq(der(b)));
        potential weight = 9.81*(1.0*z + aside*(a + b));
        unilateral first: z + a + b;
        unilateral second: z + a - b;
        unilateral third: z - a - b;
        unilateral fourth: z - a + b;
    }
}

/// Legs that others make superfluous are left out, others as soon as these would pull.
#[test]
fn a_plate_stands_on_three_of_four_legs() {
    for aside in [0.0, 0.1, -0.1, 0.4, -0.4] {
        let run = run(&Plate { aside }, "radau5", Step::adaptive(1e-8), 1.0);
        let forces = ["first", "second", "third", "fourth"].map(|leg| force(&run, leg));
        assert!(forces.iter().all(|force| *force >= -1e-9), "{aside}: {forces:?}");
        assert!((forces.iter().sum::<f64>() - G).abs() < 1e-9, "{aside}: {forces:?}");
        assert!(off(run.final_q(), &[0.0; 3]) < 1e-12 && contacts(&run).is_empty(), "{aside}");
    }
}

mechanism! {
    /// A bob on a slack rope from a cart, which feels the blow.
    mechanism Cart {
        coord x: [m]; coord u: [m]; coord v: [m];
        kinetic cart = 0.5*2.0*sq(der(x));
        kinetic bob = 0.5*1.0*(sq(der(u)) + sq(der(v)));
        potential weight = 9.81*1.0*v;
        unilateral rope: 1.0 - hypot(u - x, v);
        init u = 0.6; init v = 0.0;
    }
}

/// The momentum along x stays zero; what the blow takes is ½ γ²/(WᵀM⁻¹W) with the rope's rate γ, and is told.
#[test]
fn a_cart_feels_the_blow_of_its_rope() {
    // Free fall to v = −0.8.
    let t = (1.6 / G).sqrt();
    let rate = 0.8 * G * t;
    let effective = 1.0 + 0.36 / 2.0;
    let lost = 0.5 * rate * rate / effective;
    for method in OTHERS {
        let run = run(&Cart::default(), method, Step::adaptive(1e-7), 1.0);
        let (closed, -1) = contacts(&run)[0] else { panic!("{method}") };
        assert!((closed - t).abs() < 1e-6, "{method}: {closed} for {t}");
        let v = run.final_v();
        assert!((2.0 * v[0] + v[1]).abs() < 1e-6 && v[0].abs() > 0.1, "{method}: {v:?}");
        let balance = run.balance.as_ref().unwrap();
        assert!(balance.holds && (balance.jumps + lost).abs() < 1e-4, "{method}: {balance:?}");
    }
}

mechanism! {
    /// A wheel driven through a latch that closes where its angle comes to that of a disc, and opens by time.
    mechanism Latched {
        param off: [rad] = 0.0;
        coord a: [rad]; coord b: [rad];
        mode locked = false;
        kinetic wheel = 0.5*2.0*sq(der(a));
        kinetic disc = 0.5*1.0*sq(der(b));
        force drive along a = 1.0;
        holonomic latch: a == b while locked;
        event lock when a >= b + off && t < 1.9 { locked = true; }
        event release when t >= 2.0 { locked = false; }
        init b = 1.0;
        output torque: [N*m] = lambda(latch);
    }
}

/// a = ¼ t² meets b = 1 at 2 s without the latch's limit … here it is driven at rate 1 from the start.
#[test]
fn a_latch_closes_and_opens() {
    fn start(simulation: Simulation<'_>) -> Simulation<'_> {
        simulation.set_initial("der(a)", 0.5)
    }
    // ½ t + ¼ t² = 1.
    let meets = -1.0 + 5.0f64.sqrt();
    let speed = 0.5 + 0.5 * meets;
    let together = 2.0 / 3.0 * speed;
    let at_release = together + (2.0 - meets) / 3.0;
    let b = 1.0 + together * (2.0 - meets) + (2.0 - meets).powi(2) / 6.0 + at_release;
    for method in ["radau5", "hht-i3", "gen-alpha-soi2", "bdf-ggl", "state-space"] {
        let (tol, bound) = if method == "radau5" { (1e-10, 1e-9) } else { (1e-6, 1e-4) };
        let model = Latched::default();
        let simulation = start(Simulation::new(&model)).method(by(method));
        let run = simulation.step(Step::adaptive(tol)).until(3.0).run().unwrap();
        let end = [run.final_q()[1], run.final_v()[1], run.final_v()[0]];
        let error = off(&end, &[b, at_release, at_release + 0.5]);
        assert!(error < bound, "{method}: {end:?} {error:e}");
        let torque = run.series("torque").unwrap();
        for (t, torque) in run.times().iter().zip(torque) {
            // It drives the disc: −λ on the wheel, +λ on the disc.
            let expected = if *t > meets + 1e-3 && *t < 2.0 { 1.0 / 3.0 } else { 0.0 };
            let near = (t - meets).abs() < 1e-3 || (t - 2.0).abs() < 1e-9;
            assert!(near || (torque - expected).abs() < 1e-3, "{method} at {t}: {torque}");
        }
        let balance = run.balance.as_ref().unwrap();
        assert!(balance.holds && balance.jumps < -0.1, "{method}: {balance:?}");
    }
    let model = Latched { off: -0.1 };
    let run = start(Simulation::new(&model)).method(by("radau5")).until(3.0).run();
    match run.unwrap_err().error {
        Error::Step(StepError::Latch { name, off, .. }) => {
            assert_eq!(name, "latch");
            assert!((off - 0.1).abs() < 1e-6, "{off}");
        }
        other => panic!("{other}"),
    }
}

/// A second algorithm agrees on the derivatives of rows that come and go.
#[test]
fn derivatives_of_contacts_are_checked() {
    for model in [
        SlackRope::default().model(),
        Ball::default().model(),
        Cart::default().model(),
        Latched::default().model(),
    ] {
        let report = verify::check_model(model.unwrap());
        assert!(report.passes(verify::TOLERANCE), "{report}");
        let reaction = report.checks.iter().find(|check| check.quantity == "G").unwrap();
        assert!(reaction.worst != "–", "{report}");
    }
    let mut system = System::new(SlackRope::default().model().unwrap());
    assert!(verify::program_error(&mut system, 3) < 1e-12);
}

mechanism! {
    /// A mass that falls on a ramp and slides down to a floor: both as one gap, with a kink.
    mechanism Folded {
        coord x: [m];
        coord y: [m];
        kinetic mass = 0.5*(sq(der(x)) + sq(der(y)));
        potential weight = 9.81*y;
        unilateral floor: min(y, y + 0.5*x);
        init x = -1.0; init y = 2.0; init der(x) = 0.5;
    }
}

mechanism! {
    /// The same as two gaps.
    mechanism Apart {
        coord x: [m];
        coord y: [m];
        kinetic mass = 0.5*(sq(der(x)) + sq(der(y)));
        potential weight = 9.81*y;
        unilateral floor: y;
        unilateral ramp: y + 0.5*x;
        init x = -1.0; init y = 2.0; init der(x) = 0.5;
    }
}

mechanism! {
    /// The same as one that is rounded.
    mechanism Rounded {
        coord x: [m];
        coord y: [m];
        kinetic mass = 0.5*(sq(der(x)) + sq(der(y)));
        potential weight = 9.81*y;
        unilateral floor: y + 0.5*x*(1.0 - smooth_step(x, -0.2, 0.2));
        init x = -1.0; init y = 2.0; init der(x) = 0.5;
    }
}

mechanism! {
    /// A mass above a floor with a smooth step of a micrometre, far from the origin or near to it.
    mechanism Stepped {
        param far: [m] = 0.0;
        param width: [m] = 1e-6;
        coord x: [m];
        coord y: [m];
        kinetic mass = 0.5*(sq(der(x)) + sq(der(y)));
        potential weight = 9.81*y;
        unilateral floor: y - width*smooth_step(x, far - 0.5*width, far + 0.5*width);
        init x = far; init y = 1.0;
    }
}

/// A step of any width is smooth, in any unit and anywhere; it was a kink where it was narrow beside a metre.
#[test]
fn a_narrow_step_is_no_kink() {
    for (far, width) in [(0.0, 1.0), (0.0, 1e-6), (0.0, 1e-8), (5e6, 0.1)] {
        let model = Stepped { far, width };
        let simulation = Simulation::new(&model).until(0.1);
        let run = simulation.run().unwrap_or_else(|failed| panic!("{width:e}: {}", failed.error));
        assert!((run.final_q()[1] - (1.0 - 0.5 * G * 0.01)).abs() < 1e-6, "{width:e}");
    }
}

/// Where the ramp meets the floor a mass that slides down loses what is across the floor: with the speed
/// s along the ramp it goes on with s cos 26.57°. A gap with a kink says nothing of that.
#[test]
fn a_gap_with_a_kink_is_refused() {
    let g = 9.81;
    let error = fails(&Folded::default(), 2.0);
    assert!(error.to_string().contains("`unilateral floor` has a kink"), "{error}");
    let landed = 0.579072351758;
    let cos = 1.0 / 1.25f64.sqrt();
    let along = (0.5 + 0.5 * g * landed) * cos;
    let way = (1.0 - 0.5 * landed) / cos;
    let speed = (along * along + 2.0 * g * 0.5 * cos * way).sqrt() * cos;
    for (method, bound) in [("radau5", 1e-8), ("gen-alpha-soi2", 1e-5)] {
        let run = run(&Apart::default(), method, Step::adaptive(1e-8), 2.0);
        assert!((run.final_v()[0] - speed).abs() < bound, "{method}: {:?}, {speed}", run.final_v());
        assert!(run.final_v()[1].abs() < 1e-8 && run.final_q()[1].abs() < 1e-8);
    }
    let rounded = run(&Rounded::default(), "radau5", Step::adaptive(1e-8), 2.0);
    assert!(rounded.final_q()[1].abs() < 1e-6 && rounded.final_v()[0] > speed);
}

mechanism! {
    /// A weight that swings on a rope, held over a pulley of no size by one three times as heavy.
    pub mechanism SwingingAtwood {
        param m: [kg] = 1.0;
        param counterweight: [kg] = 3.0;
        param length: [m] = 3.0;
        gravity [0, -9.81];
        body small: PlanarMass { mass: m };
        body big: PlanarMass { mass: counterweight };
        holonomic guide: big.x == -1.0;
        unilateral rope: length - hypot(small.x, small.y) + big.y;
        init small.x = sin(1.5);
        init small.y = -cos(1.5);
        init big.x = -1.0;
        init big.y = -2.0;
        output tension: [N] = lambda(rope);
        until 1.0;
    }
}

#[test]
fn a_check_shows_what_contacts_bear_at_the_start() {
    let model = SwingingAtwood::default();
    // Both at rest: m r̈ = m g cos θ − T and M r̈ = T − M g.
    let exact = G * (1.0 + 1.5f64.cos()) / (1.0 + 1.0 / 3.0);
    let report = model.check(&CheckOptions::default()).unwrap();
    let tension = last(&report.start.as_ref().unwrap().state, "tension");
    assert!((tension - exact).abs() < 1e-9, "{tension} for {exact}");
    assert!(report.passed(), "{report}");
    let begun = run(&model, "radau5", Step::adaptive(1e-6), 1.0);
    assert!((begun.series("tension").unwrap()[0] - exact).abs() < 1e-9);
}

mechanism! {
    /// A finger of three joints that a tendon bends until every joint is at its stop, and then goes on to pull.
    pub mechanism Finger {
        param l: [m] = 0.04;
        param k: [N*m/rad] = 0.05;
        param c: [N*m*s/rad] = 1e-3;
        param r: [m] = 0.008;
        param pull: [m/s] = 0.02;
        coord a[3]: [rad];
        let x1 = l*cos(a[0]);
        let y1 = l*sin(a[0]);
        let x2 = x1 + l*cos(a[0] + a[1]);
        let y2 = y1 + l*sin(a[0] + a[1]);
        let x3 = x2 + l*cos(a[0] + a[1] + a[2]);
        let y3 = y2 + l*sin(a[0] + a[1] + a[2]);
        kinetic first = 0.5*0.01*(sq(der(x1)) + sq(der(y1)));
        kinetic second = 0.5*0.01*(sq(der(x2)) + sq(der(y2)));
        kinetic third = 0.5*0.01*(sq(der(x3)) + sq(der(y3)));
        for i in 0..3 {
            potential spring = 0.5*k*sq(a[i]);
            force damper along a[i] = -c*der(a[i]);
            unilateral low: a[i];
            unilateral high: 1.5 - a[i], restitution(0.1);
        }
        unilateral tendon: r*(a[0] + a[1] + a[2]) - pull*t;
        until 2.0;
    }
}

/// The tendon asks for 2.5 rad/s in sum, the stops allow 4.5 rad: no motion goes on from 1.8 s. A joint that another's
/// impact set going against its stop went through it, by 0.5 rad, and the run ended well.
#[test]
fn no_joint_goes_through_its_stop_where_a_tendon_pulls_on() {
    for method in
        ["radau5", "hht-i3", "gen-alpha-soi2", "hht-soi2", "bdf-ggl", "explicit-rk", "explicit-abm"]
    {
        for step in
            [1e-3, 1e-4, 1e-5, 1e-6].map(Step::adaptive).into_iter().chain([Step::fixed(1e-3)])
        {
            let run = Simulation::new(&Finger::default())
                .method(Method::from_name(method).unwrap())
                .step(step.clone())
                .run();
            let by = format!("{method} {step:?}");
            let failed = run.expect_err(&by);
            let told = failed.error.to_string();
            assert!(told.contains("high["), "{by}: {told}");
            let told_why = ["driven against it", "is passed over", "contradict each other"];
            assert!(told_why.iter().any(|why| told.contains(why)), "{by}: {told}");
            let run = failed.partial.unwrap();
            let t = *run.times().last().unwrap();
            assert!((t - 1.8).abs() < 1e-3, "{by}: {t}");
            for i in 0..3 {
                let a = run.series(&format!("a[{i}]")).unwrap();
                let most = a.iter().fold(0.0f64, |most, a| most.max(*a));
                assert!(most < 1.5 + 2e-3, "{by}: a[{i}] = {most}");
            }
        }
    }
}

mechanism! {
    /// A ball on its way up, of which an impact is asked for.
    mechanism Rising {
        coord y: [m];
        kinetic ball = 0.5*1.0*sq(der(y));
        event late when t >= 0.5 { impulse along y = restitution(0.5); }
        init y = 0.1;
        init der(y) = 2.0;
    }
}

/// A gap that opens is met by nothing: Newton's law would close it with e times its rate.
#[test]
fn what_goes_away_already_does_not_rebound() {
    let run = run(&Rising::default(), "radau5", Step::adaptive(1e-8), 1.0);
    assert_eq!(run.events.len(), 1);
    assert!((run.final_v()[0] - 2.0).abs() < 1e-12 && (run.final_q()[0] - 2.1).abs() < 1e-9);
}

mechanism! {
    /// A pile of masses that falls on a wall: those that rest on each other fall together, without a force between them.
    mechanism Pile {
        param m[4]: [kg] = [1.0, 1.0, 1.0, 1.0];
        param v[4]: [m/s] = [1.0, 0.0, 0.0, -1.0];
        param e = 0.0;
        param wall = 0.5;
        param g: [m/s^2] = 9.81;
        coord x[4]: [m];
        for i in 0..4 {
            kinetic mass = 0.5*m[i]*sq(der(x[i]));
            potential weight = g*m[i]*x[i];
            init x[i] = 0.5 + 0.85*i;
            init der(x[i]) = v[i];
        }
        unilateral left: x[0], restitution(wall);
        for i in 1..4 {
            unilateral between: x[i] - x[i-1] - 0.1, restitution(e);
        }
        until 6.0;
    }
}

/// With e = 0 masses that have met stay together: the blow of the wall on the lowest is one on all, which rebound together.
/// They were struck one after another, 1e-9 s apart, and runs at 1e-10 ended with an error.
#[test]
fn what_falls_together_is_struck_together() {
    let piles = [
        ([1.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, -1.0], 0.5),
        ([1.62, 0.53, 2.07, 0.11], [1.19, 1.27, -0.98, 1.37], 0.9),
        ([0.81, 1.04, 0.91, 0.96], [0.42, -1.79, -0.12, -1.85], 0.3),
        ([0.11, 10.7, 0.08, 0.93], [1.71, 1.82, -1.82, 1.24], 0.9),
        ([0.84, 2.06, 1.67, 0.4], [-1.03, -1.71, 0.2, -1.72], 0.6),
    ];
    for (k, (m, v, wall)) in piles.into_iter().enumerate() {
        let model = Pile { m: m.to_vec(), v: v.to_vec(), wall, ..Pile::default() };
        let table = |method: &str, tolerance: f64| {
            let run = run(&model, method, Step::adaptive(tolerance), 6.0);
            let end: Vec<f64> = (0..4).map(|i| last(&run, &format!("x[{i}]"))).collect();
            for (i, x) in end.iter().enumerate() {
                let apart = x - end[0] - 0.1 * i as f64;
                assert!(apart.abs() < 1e-8, "{k} {method} {tolerance:e}: {end:?}");
            }
            let hit = run.events.iter().filter(|event| event.name == "left");
            hit.map(|event| event.t).collect::<Vec<_>>()
        };
        let exact = table("radau5", 1e-10);
        for (method, tolerance) in
            [("radau5", 1e-3), ("hht-i3", 1e-5), ("gen-alpha-soi2", 1e-10), ("explicit-rk", 1e-6)]
        {
            let hit = table(method, tolerance);
            for (a, b) in hit.iter().zip(&exact).take(3) {
                assert!((a - b).abs() < 1e-6, "{k} {method} {tolerance:e}: {hit:?} for {exact:?}");
            }
        }
    }
}

mechanism! {
    /// Masses on a wall that shakes, which does not throw them back while they do each other; a spring draws the first.
    mechanism OnShaker {
        param m[4]: [kg] = [0.12, 1.0, 2.0, 1.7];
        param v[4]: [m/s] = [0.5833, 1.2416, 0.6507, -0.2819];
        param e = 0.9;
        param frequency: [rad/s] = 20.0;
        param amplitude: [m] = 0.1;
        param f: [N] = 0.0;
        param g: [m/s^2] = 9.81;
        coord x[4]: [m];
        for i in 0..4 {
            kinetic mass = 0.5*m[i]*sq(der(x[i]));
            potential weight = g*m[i]*x[i];
        }
        potential spring = 0.5*50.0*sq(x[0] - 1.0);
        force rub along x[3] = mbd::components::force::dry_friction(der(x[3]), f, f);
        unilateral left: x[0] - amplitude*sin(frequency*t), restitution(0.0);
        for i in 1..4 {
            unilateral between: x[i] - x[i-1] - 0.1, restitution(e);
        }
        unilateral right: 4.0 - x[3], restitution(0.0);
        init x = [0.5, 1.3, 2.2, 3.1];
        init der(x) = [v[0], v[1], v[2], v[3]];
        until 6.0;
    }
}

/// A gap that an impact had met a little below zero was met a little lower each time, which fed the bouncing: thousands of
/// impacts, then an error that they followed each other too fast.
#[test]
fn a_gap_met_below_zero_does_not_sink() {
    let others = OnShaker {
        m: vec![0.1083, 0.9655, 0.4565, 10.5644],
        v: vec![-1.0606, -1.6047, 0.8868, -1.8115],
        e: 1.0,
        frequency: 3.0,
        amplitude: 0.02,
        f: 1.0,
        ..OnShaker::default()
    };
    for (k, model) in [OnShaker::default(), others].into_iter().enumerate() {
        for (method, tolerance) in [
            ("radau5", 1e-10),
            ("hht-i3", 1e-5),
            ("gen-alpha-soi2", 1e-5),
            ("explicit-rk", 1e-4),
            ("bdf-ggl", 1e-4),
        ] {
            let run = run(&model, method, Step::adaptive(tolerance), 6.0);
            let what = format!("{k} {method}: {} events", run.events.len());
            assert!(run.events.len() < 5000, "{what}");
            let x: Vec<f64> = (0..4).map(|i| last(&run, &format!("x[{i}]"))).collect();
            for i in 1..4 {
                assert!(x[i] - x[i - 1] - 0.1 > -1e-4, "{what}: {x:?}");
            }
        }
    }
}
