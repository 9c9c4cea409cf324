//! The impulses of constraints and joints where velocities jump: against the balance of momentum, against the
//! centre of percussion, and against the impacts of tests/references/hybrid.json.

use mbd::assembly::{Residual, System, Want, Weights};
use mbd::components::force;
use mbd::prelude::*;
use mbd::simulation::Simulation;
use mbd::solution::{Event, Solution};
use mbd::start::StartError;

mechanism! {
    /// A thin rod that hangs from a hinge and is struck sideways at a distance below it.
    mechanism Struck {
        param mass: [kg] = 3.0;
        param length: [m] = 1.2;
        param below: [m] = 0.5;
        param blow: [N*s] = 2.0;
        body rod: PlanarBody { mass: mass, inertia: mass*sq(length)/12.0 };
        joint hinge: revolute(ground.at([0, 0]), rod.at([0, 0.5*length]));
        event strike when t >= 0.1 {
            impulse along rod.x - (0.5*length - below)*sin(rod.theta) = blow;
        }
        init hinge.angle = 0.0;
        init hinge.rate = 0.0;
    }
}

mechanism! {
    /// A double pendulum of rods between bodies in space, which a velocity that is set stops.
    mechanism Chain {
        body upper: SpatialBody { mass: 1.0, jx: 0.1, jy: 0.1, jz: 0.01 };
        body lower: SpatialBody { mass: 2.0, jx: 0.1, jy: 0.1, jz: 0.01 };
        gravity [0, 0, -9.81];
        joint top: spherical(ground.at([0, 0, 0]), upper.at([0, 0, 0.5]));
        joint link: revolute(upper.at([0, 0, -0.5], [0, 1, 0]), lower.at([0, 0, 0.5], [0, 1, 0]));
        event stop when t >= 0.2 { impulse along lower.x = -1.5; }
        init upper.position = [0, 0, -0.5];
        init lower.position = [0, 0, -1.5];
        init upper.velocity = [0.3, 0.1, 0];
    }
}

mechanism! {
    /// Two masses on a rod; an event sets one velocity, another gives an impulse across.
    mechanism Pair {
        coord x1: [m]; coord y1: [m]; coord x2: [m]; coord y2: [m];
        kinetic first = 0.5*1.0*(sq(der(x1)) + sq(der(y1)));
        kinetic second = 0.5*3.0*(sq(der(x2)) + sq(der(y2)));
        holonomic rod: sq(x2 - x1) + sq(y2 - y1) == 1.0;
        event set when t >= 0.3 { der(x1) = 0.7; }
        event push when t >= 0.6 { impulse along y2 = 0.4; }
        init x1 = 0.0; init y1 = 0.0; init x2 = 0.6;
        init der(y2) = 0.5;
        guess y2 = 0.8;
    }
}

mechanism! {
    /// A wheel that a latch ties to another one: what it passes on is its impulse.
    mechanism Latched {
        coord a: [rad]; coord b: [rad];
        mode locked = false;
        kinetic wheel = 0.5*2.0*sq(der(a));
        kinetic disc = 0.5*1.0*sq(der(b));
        holonomic latch: a == b while locked;
        event lock when a >= b { locked = true; }
        init b = 1.0;
        init der(a) = 3.0;
    }
}

mechanism! {
    /// A thin bar dropped on a floor, with friction [H10a, H10c].
    mechanism Bar {
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
    /// A sleigh: a blade that lets go along only, struck across at its side.
    mechanism Sleigh {
        coord x: [m]; coord y: [m]; coord phi: [rad];
        kinetic body = 0.5*2.0*(sq(der(x)) + sq(der(y))) + 0.5*0.3*sq(der(phi));
        nonholonomic blade: -sin(phi)*der(x) + cos(phi)*der(y) - 0.4*der(phi) == 0.0;
        event blow when t >= 0.1 { impulse along y = 1.0; }
        init phi = 0.3;
    }
}

fn run(model: &impl Mechanism, method: &str, tol: f64, t_end: f64) -> Solution {
    let method = Method::from_name(method).unwrap();
    let run = Simulation::new(model).method(method).step(Step::adaptive(tol)).until(t_end).run();
    run.unwrap_or_else(|error| panic!("{}", error.error))
}

fn struck(run: &Solution) -> impl Iterator<Item = &Event> {
    run.events.iter().filter(|event| !event.impulses.is_empty())
}

/// The reaction of the hinge to a blow P at a distance d is P (3d/2L − 1): none at the centre of percussion,
/// d = 2L/3, against the blow above it, along with it below.
#[test]
fn the_centre_of_percussion_is_struck_without_a_reaction() {
    for method in ["radau5", "gen-alpha-soi2", "hht-i3", "bdf-ggl", "explicit-rk", "state-space"] {
        for below in [0.0, 0.3, 0.8, 1.2] {
            let model = Struck { below, ..Struck::default() };
            let run = run(&model, method, 1e-6, 0.2);
            let [event] = &struck(&run).collect::<Vec<_>>()[..] else { panic!("{:?}", run.events) };
            assert_eq!(event.name, "strike");
            let expected = 2.0 * (1.5 * below / 1.2 - 1.0);
            for (name, value) in [("hinge.impulse[0]", expected), ("hinge.impulse[1]", 0.0)] {
                let found = event.impulse(name);
                assert!((found - value).abs() < 1e-9, "{method}, {below}: {name} {found} {value}");
            }
            // The row's multiplier is that force on the second body.
            assert!((event.impulse("lambda(hinge[0])") - expected).abs() < 1e-9, "{event:?}");
        }
    }
}

/// The rows before and after a blow.
fn rows(times: &[f64], event: &Event) -> [usize; 2] {
    let after = times.iter().rposition(|&t| t == event.t).unwrap();
    assert!(event.t - times[after - 1] <= 4.0 * f64::EPSILON * event.t, "{}", times[after - 1]);
    [after - 1, after]
}

/// M (v⁺ − v⁻) + GᵀΛ + KᵀΨ less what is given, at each event of a run; the largest term of it.
fn unbalanced(
    model: &impl Mechanism,
    run: &Solution,
    given: impl Fn(&str, &[f64]) -> Vec<f64>,
) -> f64 {
    let mut system = System::new(model.model().unwrap());
    // All rows that come and go: Λ is 0 of those that took no part.
    let holds = vec![true; system.holds().len()];
    system.set_holds(&holds);
    let times = run.times();
    let mut worst: f64 = 0.0;
    for event in struck(run) {
        let [before, after] = rows(&times, event);
        let mut at = system.initial_point();
        at.set_t(event.t);
        let model = system.model();
        let value = |name: &str, row: usize| run.series(name).unwrap()[row];
        let coords: Vec<String> = model.coords().iter().map(|c| c.name.clone()).collect();
        let mut change = Vec::new();
        for (i, coord) in coords.iter().enumerate() {
            at.q_mut()[i] = value(coord, before);
            let v = format!("der({coord})");
            change.push(value(&v, after) - value(&v, before));
        }
        let dims = system.dims();
        let lambda: Vec<f64> = (0..dims.m)
            .map(|row| event.impulse(&format!("lambda({})", model.holonomic_row_name(row))))
            .collect();
        let psi: Vec<f64> = (0..dims.p)
            .map(|row| event.impulse(&format!("psi({})", model.nonholonomic_row_name(row))))
            .collect();
        let mut out = Residual::new(&dims);
        at.lambda_mut().copy_from_slice(&lambda);
        at.psi_mut().copy_from_slice(&psi);
        let weights = Weights { u: &change, s: &lambda, r: &psi };
        system.eval(&at, &weights, Want::MU | Want::REACTION, &mut out);
        let mut rest: Vec<f64> = (0..dims.n).map(|i| out.mu[i] + out.reaction[i]).collect();
        for (i, coord) in coords.iter().enumerate() {
            rest[i] -= event.impulse(&format!("der({coord})"));
        }
        rest.iter_mut().zip(given(&event.name, at.q())).for_each(|(rest, j)| *rest -= j);
        assert!(out.mu.iter().any(|p| p.abs() > 1e-3), "nothing jumps at {event:?}");
        worst = rest.iter().fold(worst, |m, x| m.max(x.abs()));
    }
    worst
}

#[test]
fn momentum_is_balanced_at_every_event() {
    for method in ["radau5", "gen-alpha-soi2", "hht-i3"] {
        let none = |n: usize| move |_: &str, _: &[f64]| vec![0.0; n];
        let pair = Pair::default();
        let pushed =
            |name: &str, _: &[f64]| vec![0.0, 0.0, 0.0, if name == "push" { 0.4 } else { 0.0 }];
        let found = run(&pair, method, 1e-8, 1.0);
        assert_eq!(struck(&found).count(), 2, "{method}");
        let off = unbalanced(&pair, &found, pushed);
        assert!(off < 1e-12, "{method}: {off:e}");

        let latched = Latched::default();
        let found = run(&latched, method, 1e-8, 1.0);
        let event = struck(&found).next().unwrap();
        // 2·3 = (2 + 1)·ω: the disc gets 2 N m s, which −λ takes from the wheel.
        assert!((event.impulse("lambda(latch)") - 2.0).abs() < 1e-9, "{event:?}");
        assert!(unbalanced(&latched, &found, none(2)) < 1e-12);

        let bar = Bar::default();
        let found = run(&bar, method, 1e-8, 1.0);
        assert_eq!(struck(&found).count(), 6, "{method}");
        assert!(unbalanced(&bar, &found, none(3)) < 1e-12);

        let sleigh = Sleigh::default();
        let found = run(&sleigh, method, 1e-8, 0.3);
        let event = struck(&found).next().unwrap();
        assert!(event.impulse("psi(blade)").abs() > 0.1, "{event:?}");
        let across = |_: &str, _: &[f64]| vec![0.0, 1.0, 0.0];
        assert!(unbalanced(&sleigh, &found, across) < 1e-12);

        let chain = Chain::default();
        let found = run(&chain, method, 1e-8, 0.4);
        let coords = chain.model().unwrap().coords().len();
        let lower =
            chain.model().unwrap().coords().iter().position(|c| c.name == "lower.x").unwrap();
        let stop = |_: &str, _: &[f64]| {
            let mut j = vec![0.0; coords];
            j[lower] = -1.5;
            j
        };
        let off = unbalanced(&chain, &found, stop);
        assert!(off < 1e-11, "{method}: {off:e}");
        // By hand, of the lower body: m Δv = J + R.
        let event = struck(&found).next().unwrap();
        let times = found.times();
        let [before, after] = rows(&times, event);
        for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
            let v = found.series(&format!("der(lower.{axis})")).unwrap();
            let jump = v[after] - v[before];
            let given = if k == 0 { -1.5 } else { 0.0 };
            let of_joint = event.impulse(&format!("link.impulse[{k}]"));
            assert!((2.0 * jump - given - of_joint).abs() < 1e-11, "{axis}: {of_joint}");
        }
    }
}

/// The impulses of the impacts of bars and their friction [H10a, H10c].
#[test]
fn impacts_have_their_impulses() {
    let file: serde_json::Value =
        serde_json::from_str(include_str!("../references/hybrid.json")).expect("JSON");
    for (problem, mu, speed, t_end) in [("H10a", 0.0, 0.0, 1.0), ("H10c", 0.2, 4.0, 0.8)] {
        let model = Bar { mu, speed, ..Bar::default() };
        let run = run(&model, "radau5", 1e-10, t_end);
        let impacts = file[problem]["extra"]["impacts"].as_array().unwrap();
        assert_eq!(struck(&run).count(), impacts.len(), "{problem}");
        for (event, impact) in struck(&run).zip(impacts) {
            for (name, expected) in [("lambda", "PN"), ("friction", "PT")] {
                let value = event.impulse(&format!("{name}({})", event.name));
                let expected = impact[expected].as_f64().unwrap();
                assert!((value - expected).abs() < 1e-7, "{problem}: {value} for {expected}");
            }
        }
    }
}

/// A checkpoint keeps them.
#[test]
fn impulses_are_kept_in_a_checkpoint() {
    let mut checkpoints: Vec<Vec<u8>> = Vec::new();
    let mut sink = crate::stated::Keep(&mut checkpoints);
    fn begin<'a>() -> Simulation<'a> {
        Simulation::new(&Bar::default()).until(1.0)
    }
    let whole = begin().checkpoint(&mut sink).run().unwrap();
    let last = checkpoints.pop().unwrap();
    let resumed = begin().resume(last).run().unwrap();
    assert!(struck(&whole).count() == 6 && resumed.events == whole.events);
}

mechanism! {
    /// A wheel of spokes without a rim, which walks down a slope: axes along the slope and away from it.
    mechanism RimlessWheel {
        size n = 8;
        param mu = 2.0;
        param slope: [rad] = 0.15;
        body w: PlanarBody { mass: 1.0, inertia: 0.1 };
        force weight along [w.x, w.y] = [9.81*1.0*sin(slope), -9.81*1.0*cos(slope)];
        for i in 0..n {
            let spoke = 2.0*PI*(i as f64)/(n as f64);
            let tip = w.point([sin(spoke), -cos(spoke)]);
            unilateral foot: [tip[1], tip[0]], restitution(0.0).friction(mu);
            force rub along tip[0] = force::dry_friction(der(tip[0]), mu*lambda(foot[i]), mu*lambda(foot[i]));
        }
        init w.y = 1.0;
        init der(w.x) = 1.5;
        init der(w.theta) = -1.5;
    }
}

/// It turns about the foot that stands; the next one that lands keeps (J + ml² cos 2α)/(J + ml²) of the rate, α being half of the
/// angle between two spokes (McGeer, Passive dynamic walking, 1990). Both its impact and its stand need friction.
#[test]
fn a_rimless_wheel_walks_down_a_slope() {
    let (alpha, slope, about) = (std::f64::consts::PI / 8.0, 0.15f64, 1.1);
    let kept = (0.1 + (2.0 * alpha).cos()) / about;
    let height = |angle: f64| 9.81 * (angle + slope).cos();
    for method in ["radau5", "gen-alpha-soi2", "hht-i3", "bdf-ggl", "explicit-rk"] {
        let run = run(&RimlessWheel::default(), method, 1e-6, 5.0);
        let (times, rate) = (run.times(), run.series("der(w.theta)").unwrap());
        // `hht-i3` leaves velocities off the constraints by what its steps err by.
        let exactly = if method == "hht-i3" { 1e-5 } else { 1e-9 };
        let (mut before, mut from) = (1.5f64, 0.0);
        let mut steps = 0;
        for event in struck(&run) {
            // Energy about the foot, from where it landed to where the next one does.
            let lands = (before * before + 2.0 * (height(from) - height(alpha)) / about).sqrt();
            let [row, after] = rows(&times, event);
            assert!((rate[row] + lands).abs() < 1e-4, "{method}: {} for {lands}", rate[row]);
            assert!((rate[after] - kept * rate[row]).abs() < exactly, "{method}: {}", rate[after]);
            (before, from) = (kept * lands, -alpha);
            steps += 1;
        }
        assert_eq!(steps, 10, "{method}: {:?}", run.events);
        // Friction holds by velocities, and no foot slips: ten spokes on, and the way of the hub about the one that stands.
        let turned = -run.final_q()[2] - 20.0 * alpha;
        let way = 20.0 * alpha.sin() + turned.sin();
        assert!((run.final_q()[0] - way).abs() < 1e-4, "{method}: {} for {way}", run.final_q()[0]);
    }
}

mechanism! {
    /// The disc of H10b on a ground that is stated as a constraint.
    mechanism OnGround {
        param r: [m] = 0.1;
        coord x: [m];
        coord y: [m];
        coord theta: [rad];
        kinetic disc = 0.5*1.0*(sq(der(x)) + sq(der(y))) + 0.25*1.0*sq(r*der(theta));
        potential weight = 9.81*1.0*y;
        unilateral ground: [y - r, x + r*theta], restitution(0.7).friction(0.2);
        init y = 1.1;
        init der(x) = 5.0;
        init der(theta) = 30.0;
    }
}

/// Friction in the impacts of a gap that never becomes negative is that in those of an event.
#[test]
fn friction_in_an_impact_is_the_same_stated_either_way() {
    for method in ["radau5", "gen-alpha-soi2"] {
        let [stated, event] = [
            run(&OnGround::default(), method, 1e-8, 1.5),
            run(&crate::stated::Disc::default(), method, 1e-8, 1.5),
        ];
        let ends = [&stated, &event].map(|run| [run.final_q(), run.final_v()].concat());
        let off = ends[0].iter().zip(&ends[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-12, "{method}: {off:e}");
        // H10b: tests/references/hybrid.json.
        assert!((ends[0][3] - 2.43977968135553).abs() < 1e-6, "{method}: {}", ends[0][3]);
        let friction = |run: &Solution, name: &str| {
            let of = |e: &Event| e.impulse(&format!("friction({name})"));
            struck(run).map(of).collect::<Vec<f64>>()
        };
        assert!((friction(&stated, "ground")[0] + 1.50601195214381).abs() < 1e-6, "{stated:?}");
        assert_eq!(friction(&stated, "ground").len(), friction(&event, "hit").len());
    }
}

mechanism! {
    /// A block on a floor that is stated twice, `other` in its place and in units of its own.
    mechanism StatedTwice {
        param by_event = 0.0;
        param factor = 2.0;
        coord x: [m];
        coord y: [m];
        kinetic block = 0.5*(sq(der(x)) + sq(der(y)));
        potential weight = 9.81*y;
        unilateral wall: x + 1.0;
        unilateral floor: y;
        event lands when y + by_event <= 0.0 { impulse along factor*(y + by_event) = restitution(0.0); }
        force rub along x = mbd::components::force::dry_friction(der(x), 0.5*lambda(floor), 0.5*lambda(floor));
        init der(x) = 1.0;
    }
}

/// The equations determine no more than the sum of the forces of two contacts that hold one gap: a law that
/// reads one of them reads anything, and a wheel that friction holds slid away.
#[test]
fn a_gap_that_is_held_twice_is_refused() {
    for factor in [1.0, 2.0, 1e-3] {
        let twice = StatedTwice { factor, ..Default::default() };
        let refused = Simulation::new(&twice).until(1.0).run().unwrap_err();
        match &refused.error {
            Error::Start(StartError::SameGap { name, other }) => {
                assert_eq!((&**name, &**other), ("floor", "lands"));
            }
            other => panic!("{other}"),
        }
        assert!(refused.to_string().contains("`unilateral name: gap, restitution(e);`"));
    }
    // Gaps that only begin alike, and one from which another is a distance away, are two.
    for (by_event, factor) in [(1.0, 1.0), (1e-6, 1.0), (0.0, -1.0)] {
        let two = StatedTwice { by_event, factor };
        let run = Simulation::new(&two).until(1.0).run().unwrap();
        // What friction of μ = 1/2 takes until the block stands still.
        let stops = 0.5 / (0.5 * 9.81);
        assert!((run.final_q()[0] - stops).abs() < 1e-6, "{} for {stops}", run.final_q()[0]);
    }
}

mechanism! {
    /// A woodpecker toy [Glocker and Pfeiffer 1995] that is about to hit the pole with its beak while its sleeve is jammed above.
    mechanism Woodpecker {
        param mu = 0.1;
        param e = 0.5;
        param of_sleeve: [kg] = 0.0003;
        param of_bird: [kg] = 0.0045;
        param arm: [m] = 0.015;
        coord y: [m];
        coord sleeve: [rad];
        coord bird: [rad];
        kinetic in_sleeve = 0.5*of_sleeve*sq(der(y)) + 0.5*5e-9*sq(der(sleeve));
        kinetic in_bird = 0.5*of_bird*sq(der(y) + 0.010*der(sleeve) + arm*der(bird)) + 0.5*7e-7*sq(der(bird));
        potential weight = 9.81*((of_sleeve + of_bird)*y + of_bird*(0.010*sleeve + arm*bird));
        potential spring = 0.5*0.0056*sq(sleeve - bird);
        unilateral beak: [0.0024 - 0.02*bird, y + 0.010*sleeve - 0.0051*bird], restitution(e).friction(mu);
        unilateral above: [0.0006 - 0.0058*sleeve, y + 0.0031*sleeve], restitution(0.0).friction(mu);
        init sleeve = 0.0006/0.0058;
        init bird = 0.119;
        init der(y) = -2.0;
        init der(bird) = 5.3;
    }
}

/// All that touches cannot stick: four rows on three velocities. Such impacts were refused as ones after which no velocities keep
/// gaps from closing; one combination of what sticks, slides and opens has a solution, and it is found.
#[test]
fn an_impact_is_met_beside_another_contact_that_slides() {
    for mu in [0.0, 0.05, 0.1, 0.19, 0.25, 0.28, 0.5] {
        for e in [0.0, 1e-3, 0.5, 1.0] {
            let model = Woodpecker { mu, e, ..Woodpecker::default() };
            let run = run(&model, "radau5", 1e-8, 2.5e-4);
            let event = run.events.iter().find(|event| event.name == "beak").expect("an impact");
            let impulse = |name: &str| {
                event.impulses.iter().find(|of| of.name == name).map_or(0.0, |of| of.value)
            };
            for contact in ["beak", "above"] {
                let normal = impulse(&format!("lambda({contact})"));
                let tangent = impulse(&format!("friction({contact})"));
                assert!(normal >= 0.0, "{mu} {e}: {event:?}");
                assert!(tangent.abs() <= mu * normal + 1e-15, "{mu} {e}: {event:?}");
            }
            if mu == 0.0 && e == 0.5 {
                // By hand: the sleeve stays, the beak rebounds, and nothing acts along the pole.
                let [before, after] = [5.277_73, -0.5 * 5.277_73];
                let moved = 0.0045 * 0.015 * (before - after) / 0.0048;
                let [y, sleeve, bird] = run.final_v().try_into().unwrap();
                let t = 2.5e-4 - event.t;
                assert!((y - (-2.001_54 + moved)).abs() < 9.81 * t + 2e-5, "{y}");
                assert!(sleeve.abs() < 1e-9 && (bird - after).abs() < 3e3 * t, "{sleeve} {bird}");
                for (name, by_hand) in [("lambda(beak)", 3.0213e-4), ("lambda(above)", 5.758e-5)] {
                    assert!((impulse(name) / by_hand - 1.0).abs() < 1e-3, "{}", impulse(name));
                }
            }
        }
    }
}

mechanism! {
    /// Two bodies that lie on each other and fall on a floor together.
    mechanism FallsTogether {
        param on_top: [kg] = 0.05;
        coord y: [m];
        coord z: [m];
        kinetic bodies = 0.05*sq(der(y)) + 0.5*on_top*sq(der(z));
        potential weight = 9.81*(0.1*y + on_top*z);
        unilateral floor: y, restitution(0.5);
        unilateral between: z - y - 0.02, restitution(0.8);
        init y = 1.0;
        init z = 1.02;
    }
}

/// Struck together they rebound together, whatever rounding and the slack of a contact that has opened leave between them: that
/// decided, and they came apart by 0.16 m with exit 0, or the run was refused.
#[test]
fn bodies_that_fall_together_are_struck_together() {
    let methods = ["gen-alpha-soi2", "radau5", "hht-i3", "explicit-rk", "bdf-ggl"];
    let steps = [1e-3, 1e-5, 1e-8].map(Step::adaptive).into_iter();
    let steps: Vec<Step> = steps.chain([Step::fixed(1e-3)]).collect();
    for (method, step) in methods.iter().flat_map(|method| steps.iter().map(move |s| (method, s))) {
        for (on_top, t_end) in [(0.05, 1.1), (0.05, 1.117), (0.3, 1.2), (3.0, 1.2)] {
            let model = FallsTogether { on_top };
            let simulation = Simulation::new(&model).method(Method::from_name(method).unwrap());
            let run = simulation.step(step.clone()).until(t_end).run();
            let told = format!("{method} {step:?} {on_top} {t_end}");
            let run = run.unwrap_or_else(|failed| panic!("{told}: {failed}"));
            let [y, z] = run.final_q().try_into().unwrap();
            assert!((z - y - 0.02f64).abs() < 1e-7, "{told}: {y} {z}");
            // Bounces of one body, each with half the speed of the one before.
            let (mut t, mut up) = ((2.0f64 / 9.81).sqrt(), 0.5 * (2.0 * 9.81f64).sqrt());
            while t + 2.0 * up / 9.81 < t_end {
                (t, up) = (t + 2.0 * up / 9.81, 0.5 * up);
            }
            let exact = up * (t_end - t) - 0.5 * 9.81 * (t_end - t).powi(2);
            assert!((y - exact).abs() < 2e-4, "{told}: {y} for {exact}");
        }
    }
}
