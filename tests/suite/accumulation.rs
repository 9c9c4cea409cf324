//! Impacts of several gaps in turn, ever sooner: the limit of their times, and what rests there, against closed formulas.

use crate::support::last;
use mbd::error::{Error, StepError};
use mbd::integrate::{Method, Step};
use mbd::prelude::*;
use mbd::simulation::Simulation;
use mbd::solution::{EventKind, Solution};

const G: f64 = 9.81;

const METHODS: [&str; 8] = [
    "gen-alpha-soi2",
    "hht-i3",
    "dae-alpha",
    "radau5",
    "bdf-ggl",
    "state-space",
    "explicit-abm",
    "explicit-rk",
];

fn run(model: &impl Mechanism, method: &str, step: Step, t_end: f64) -> Solution {
    let by = Method::from_name(method).unwrap();
    let run = Simulation::new(model).method(by).step(step).until(t_end).run();
    run.unwrap_or_else(|error| panic!("{method}: {}", error.error))
}

/// The times at which an event happens, and at which a contact closes.
fn times(run: &Solution, name: &str, kind: EventKind) -> Vec<f64> {
    let of = run.events.iter().filter(|event| event.kind == kind && event.name == name);
    of.map(|event| event.t).collect()
}

/// The last gap closes at the limit, none later, and what closed by its own impact before it did so when as good as nothing was left.
#[track_caller]
fn at_limit(run: &Solution, limit: f64, near: f64) {
    let closes = run.events.iter().filter(|event| event.kind == EventKind::Close);
    let closes: Vec<f64> = closes.map(|event| event.t - limit).collect();
    let [.., one, last] = closes[..] else { panic!("{closes:?}") };
    assert!(
        last.abs() < near && one < near && one > -near - 2e-6,
        "{} {one:e} {last:e}",
        run.method
    );
}

mechanism! {
    /// A load and a counterweight on a rope over a pulley; a floor under the load.
    mechanism Load {
        param of_rope = 0.0;
        param of_floor = 0.0;
        coord a: [m];
        coord b: [m];
        kinetic load = 0.5*2.0*sq(der(a));
        kinetic weight = 0.5*1.0*sq(der(b));
        potential height = 9.81*(2.0*a + 1.0*b);
        unilateral rope: 3.0 + a + b, restitution(of_rope);
        unilateral floor: a + 2.2, restitution(of_floor);
        output tension: [N] = lambda(rope);
        output force: [N] = lambda(floor);
        init a = -1.0;
        init b = -2.0;
    }
}

/// The load falls by 1.2 m at g/3, lands at t₁ with v; the counterweight flies for 2 v/g, lifts the load at v/3, which takes as long to
/// come back: each turn is a third of that before, and all of them are over at t₁ + 6 v/g = 3 t₁.
#[test]
fn a_load_on_a_rope_comes_to_rest_on_its_floor() {
    let limit = 3.0 * (2.0 * 1.2 / (G / 3.0)).sqrt();
    for method in METHODS {
        for tol in [1e-3, 1e-6, 1e-9] {
            let run = run(&Load::default(), method, Step::adaptive(tol), 3.0);
            let off = [last(&run, "tension") - G, last(&run, "force") - G];
            assert!(off.iter().all(|off| off.abs() < 1e-9), "{method} {tol}: {off:?}");
            at_limit(&run, limit, if method == "bdf-ggl" { 0.3 * tol } else { 0.0 } + 1e-8);
            assert!(run.events.len() < 100, "{method} {tol}: {}", run.events.len());
            let at = [run.final_q()[0] + 2.2, run.final_q()[1] + 0.8];
            assert!(at.iter().all(|off| off.abs() < 1e-12), "{method} {tol}: {at:?}");
        }
    }
}

/// The same limit, with bounces on the way that have limits of their own where one of both rebounds.
#[test]
fn a_load_that_bounces_comes_to_rest() {
    for (of_rope, of_floor) in [(0.5, 0.0), (0.0, 0.5), (0.1, 0.1), (0.5, 0.5), (0.9, 0.1)] {
        for method in ["gen-alpha-soi2", "radau5", "hht-i3", "explicit-rk"] {
            let model = Load { of_rope, of_floor };
            let run = run(&model, method, Step::adaptive(1e-6), 5.0);
            let off = [last(&run, "tension") - G, last(&run, "force") - G];
            assert!(
                off.iter().all(|off| off.abs() < 1e-9),
                "{of_rope} {of_floor} {method}: {off:?}"
            );
            let most = run.events.windows(2).map(|two| two[0].t - two[1].t).fold(0.0, f64::max);
            assert!(most < 1e-7, "{of_rope} {of_floor} {method}: out of order by {most:e}");
        }
    }
}

/// Both fly up from the floor; the load comes back after 2·0.9 v/g, before the rope is taut after 1.9 v/g. The floor's gap is 0 where
/// that step begins.
#[test]
fn no_impact_is_passed_over_on_the_way_to_another() {
    let t1 = (2.0 * 1.2 / (G / 3.0)).sqrt();
    let v = G / 3.0 * t1;
    let model = Load { of_rope: 0.9, of_floor: 0.9 };
    for method in METHODS {
        for tol in [1e-3, 1e-6] {
            let run = run(&model, method, Step::adaptive(tol), 1.4);
            let floor = times(&run, "floor", EventKind::Jump);
            let rope = times(&run, "rope", EventKind::Jump);
            // The second of the floor's speeds is 0.9 times the first, so that the third comes later than the rope.
            let expected = [t1, t1 + 1.8 * v / G];
            assert_eq!(floor.len(), 2, "{method} {tol}: {floor:?}");
            for (is, expected) in floor.iter().zip(expected) {
                assert!((is - expected).abs() < 0.3 * tol, "{method} {tol}: {is} {expected}");
            }
            assert!(rope.iter().all(|t| *t > floor[1]), "{method} {tol}: {rope:?}");
        }
    }
}

mechanism! {
    /// Two counterweights, with ropes of their own.
    mechanism Two {
        param second = 0.5;
        coord a: [m];
        coord b: [m];
        coord c: [m];
        kinetic all = 0.5*2.0*sq(der(a)) + 0.5*1.0*sq(der(b)) + 0.5*second*sq(der(c));
        potential height = 9.81*(2.0*a + 1.0*b + second*c);
        unilateral rope: 3.0 + a + b;
        unilateral other: 3.0 + a + c;
        unilateral floor: a + 2.2;
        output tensions: [N] = [lambda(rope), lambda(other)];
        output force: [N] = lambda(floor);
        init a = -1.0;
        init b = -2.0;
        init c = -2.0;
    }
}

/// All three close where they are hit in turn; where both counterweights together outweigh the load the floor never is.
#[test]
fn two_ropes_and_a_floor_come_to_rest() {
    for method in METHODS {
        let run = run(&Two::default(), method, Step::adaptive(1e-5), 5.0);
        let forces = ["tensions[0]", "tensions[1]", "force"].map(|name| last(&run, name) / G);
        let off = [forces[0] - 1.0, forces[1] - 0.5, forces[2] - 0.5];
        assert!(off.iter().all(|off| off.abs() < 1e-9), "{method}: {forces:?}");
    }
}

mechanism! {
    /// A block on the corners of its base, of small angles: the height of the middle of the base, and the angle.
    mechanism Rocking {
        param half: [m] = 0.3;
        param radius_sq: [m^2] = 0.15;
        param e = 0.0;
        coord y: [m];
        coord phi: [rad];
        kinetic block = 0.5*10.0*(sq(der(y)) + radius_sq*sq(der(phi)));
        potential weight = 10.0*9.81*y;
        unilateral left: y - half*phi, restitution(e);
        unilateral right: y + half*phi, restitution(e);
        output forces: [N] = [lambda(left), lambda(right)];
        init phi = 0.05;
        init y = 0.05*half;
    }
}

/// Housner's block of small angles: on one corner it turns at α = g b/(b² + r²), and at the other it goes on with ρ = (r² − b²)/(r² + b²)
/// of its speed. From rest at φ₀ it comes down after T = √(2 φ₀/α), and to rest at T (1 + ρ)/(1 − ρ).
#[test]
fn a_rocking_block_comes_to_rest_on_both_corners() {
    for (half, radius_sq) in [(0.3, 0.15), (0.1, 0.05), (0.2, 0.5)] {
        let alpha = G * half / (half * half + radius_sq);
        let rho = (radius_sq - half * half) / (radius_sq + half * half);
        let limit = (2.0 * 0.05 / alpha).sqrt() * (1.0 + rho) / (1.0 - rho);
        for method in METHODS {
            for tol in [1e-3, 1e-7] {
                let model = Rocking { half, radius_sq, ..Rocking::default() };
                let run = run(&model, method, Step::adaptive(tol), 1.5 * limit);
                let forces = ["forces[0]", "forces[1]"].map(|name| last(&run, name) - 5.0 * G);
                assert!(forces.iter().all(|off| off.abs() < 1e-6), "{half} {method}: {forces:?}");
                at_limit(&run, limit, tol + 1e-7);
            }
        }
    }
}

mechanism! {
    /// A ball between a wall and one that is driven towards it.
    mechanism Squeezed {
        param e = 0.8;
        coord x: [m];
        kinetic ball = 0.5*1.0*sq(der(x));
        unilateral left: x, restitution(e);
        unilateral right: 1.0 - 0.5*t - x, restitution(e);
        init x = 0.3;
        init der(x) = 3.0;
    }
}

/// Between walls that meet at 2 s nothing is left of the motion then, and this is told.
#[test]
fn a_ball_between_walls_that_are_driven_together_is_told() {
    for e in [0.8, 0.3, 0.0] {
        for method in METHODS {
            let run = Simulation::new(&Squeezed { e }).method(Method::from_name(method).unwrap());
            let error = run.step(Step::adaptive(1e-6)).until(3.0).run().unwrap_err().error;
            let Error::Step(StepError::Event { t, why, .. }) = error else {
                panic!("{method}: {error}")
            };
            assert!((t - 2.0).abs() < 1e-8 && why.contains("driven"), "{e} {method}: {t} {why}");
        }
    }
}

mechanism! {
    /// The same between two heavy walls that fly.
    mechanism Flying {
        param e = 0.5;
        param wall: [kg] = 1e6;
        coord p: [m];
        coord x: [m];
        coord w: [m];
        kinetic all = 0.5*1.0*sq(der(x)) + 0.5*wall*sq(der(p)) + 0.5*wall*sq(der(w));
        unilateral left: x - p, restitution(e);
        unilateral right: w - x, restitution(e);
        init w = 1.0;
        init x = 0.3;
        init der(x) = 3.0;
        init der(p) = 0.5;
        init der(w) = -0.5;
    }
}

/// Walls of ten times its mass it keeps apart; heavy ones stop each other through it where they meet at 1 s, and stay, whichever
/// the rebound: of their speed nothing is left at the limit of its impacts. The momentum stays.
#[test]
fn heavy_walls_stop_each_other_through_a_ball() {
    for (e, wall, stop) in [
        (0.8, 10.0, false),
        (0.0, 1e3, true),
        (0.5, 1e4, true),
        (0.8, 1e6, true),
        (0.95, 1e5, true),
    ] {
        for method in METHODS {
            for tol in [1e-3, 1e-8] {
                let run = run(&Flying { e, wall }, method, Step::adaptive(tol), 3.0);
                let [p, x, w] = [0, 1, 2].map(|i| run.final_q()[i]);
                let v = run.final_v();
                let momentum = v[1] + wall * (v[0] + v[2]) - 3.0;
                assert!(momentum.abs() < 1e-9 * wall, "{wall} {e} {method}: {momentum:e}");
                assert!(x - p > -1e-7 && w - x > -1e-7, "{wall} {e} {method}: {p} {x} {w}");
                let stands = w - p < 1e-6 && v.iter().all(|v| v.abs() < 10.0 / wall);
                assert_eq!(stands, stop, "{wall} {e} {method} {tol}: {p} {x} {w}, {v:?}");
            }
        }
    }
}

/// Without loss there are as many impacts as one likes before the walls meet: the speed goes as one over their distance, intervals as
/// 1/n², which have no ratio below 1. The run takes some ten thousand and ends by name.
#[test]
fn a_ball_is_not_squeezed_without_end() {
    for method in ["radau5", "hht-i3"] {
        let run = Simulation::new(&Squeezed { e: 1.0 }).method(Method::from_name(method).unwrap());
        let failed = run.step(Step::adaptive(1e-6)).until(3.0).run().unwrap_err();
        let partial = failed.partial.as_ref().unwrap();
        assert!((partial.final_t() - 2.0).abs() < 1e-3, "{method}: {}", partial.final_t());
        assert!(partial.events.len() < 100_000, "{method}: {} events", partial.events.len());
        assert!(failed.to_string().contains("ever sooner after itself"), "{failed}");
    }
}

mechanism! {
    /// A chain whose joints have stops falls from the horizontal.
    pub mechanism Stopped {
        size n = 4;
        coordinates joint;
        gravity [0, 0, -9.81];
        body link[n]: SpatialBody { mass: 0.5, jx: 0.0002, jy: 0.002, jz: 0.002 };
        joint top: revolute(ground.at([0, 0, 0], [0, 1, 0], [1, 0, 0]), link[0].at([-0.1, 0, 0], [0, 1, 0], [1, 0, 0]));
        limit top.angle in ..1.2, restitution(0.3);
        for i in 1..n {
            joint hinge: revolute(link[i - 1].at([0.1, 0, 0], [0, 1, 0], [1, 0, 0]), link[i].at([-0.1, 0, 0], [0, 1, 0], [1, 0, 0]));
            limit hinge.angle in -0.3..0.5, restitution(0.2);
            force c along hinge.angle = -0.002*hinge.rate;
        }
        until 0.6;
    }
}

/// Each blow on one stop closes the gap of another within less than a step can tell, and that one's blow the first: thirty of
/// them at one instant ended the run at 0.474 s, at one tolerance and not at its neighbours.
#[test]
fn stops_that_strike_each_other_at_once_come_to_rest() {
    let exact = run(&Stopped::default(), "radau5", Step::adaptive(1e-9), 0.6);
    for method in METHODS {
        for tol in [1e-6, 1e-7] {
            let end = run(&Stopped::default(), method, Step::adaptive(tol), 0.6);
            for (q, exact) in end.final_q().iter().zip(exact.final_q()) {
                assert!((q - exact).abs() < 100.0 * tol, "{method} {tol}: {q} for {exact}");
            }
        }
    }
}

/// A stop that a blow leaves at rest, and the next one drives back to it, was hit only beyond where it may drift to as it leaves:
/// its load did work on the way, and the stops of six links struck each other on and on, 23 663 times up to 0.65 s.
#[test]
fn what_has_just_left_its_stop_is_hit_where_it_is() {
    for (method, tol) in [("explicit-rk", 1e-6), ("explicit-rk", 1e-7), ("radau5", 1e-6)] {
        let end = run(&Stopped { n: 6 }, method, Step::adaptive(tol), 1.0);
        assert!(end.events.len() < 4000, "{method} {tol}: {} events", end.events.len());
    }
    // Gaps that closed within as good as no time moved one beside them below 0, which opened and was hit all the same: two
    // outcomes at 1e-8, 5e-3 rad apart.
    let [one, other] = ["radau5", "explicit-rk"]
        .map(|method| run(&Stopped { n: 6 }, method, Step::adaptive(1e-8), 1.0));
    for (q, other) in one.final_q().iter().zip(other.final_q()) {
        assert!((q - other).abs() < 1e-6, "{q} {other}");
    }
}

mechanism! {
    /// A ball at as good as no distance from a wall, and a heavy one that comes to both.
    pub mechanism Cornered {
        param mass: [kg] = 1000.0;
        param of_wall = 1.0;
        param of_ball = 1.0;
        param away: [m] = 1e-6;
        coord x: [m];
        coord y: [m];
        kinetic ball = 0.5*sq(der(x));
        kinetic heavy = 0.5*mass*sq(der(y));
        unilateral wall: x, restitution(of_wall);
        unilateral gap: y - x, restitution(of_ball);
        init der(y) = -1.0;
        init x = away;
        init y = 0.1;
        until 1.0;
    }
}

/// What two gaps at no distance make of rates: blow by blow, until no gap closes, with exact turns in the end.
fn reflected(mass: f64, of_wall: f64, of_ball: f64) -> (f64, f64, usize) {
    let (mut v, mut w, mut blows) = (0.0f64, -1.0f64, 0);
    loop {
        if w < v && (w - v).abs() > 1e-15 {
            // Newton's law, momentum kept.
            let j = (1.0 + of_ball) * (v - w) * mass / (1.0 + mass);
            (v, w) = (v - j, w + j / mass);
        } else if v < -1e-15 {
            v *= -of_wall;
        } else {
            return (v, w, blows);
        }
        blows += 1;
    }
}

/// Each blow on one gap closes the other: without losses the heavy ball is reflected after ⌊π/θ⌋ blows (θ = atan √(m/m₀);
/// Galperin: Playing pool with π, 2003), and however many there are, all count; with losses it is stopped by blows without end or
/// reflected, by the ratio of the masses. Where one gap's limit was known before the other's, it came to rest alone, and the other
/// rebounded: 0.025 m/s for 0, by the distance from the wall.
#[test]
fn what_strikes_at_one_instant_strikes_as_often_as_it_has_to() {
    for (mass, of_wall, of_ball) in [
        (2.0, 1.0, 1.0),
        (100.0, 1.0, 1.0),
        (10_000.0, 1.0, 1.0),
        (1000.0, 0.999, 1.0),
        (1000.0, 0.9, 0.95),
        (10.0, 0.5, 0.8),
        (3.0, 0.3, 0.2),
        (40.0, 0.7, 0.9),
        (9.5, 0.5, 0.55),
        (9.0, 0.5, 0.5),
        (8.5, 0.5, 0.5),
    ] {
        let (_, w, blows) = reflected(mass, of_wall, of_ball);
        for method in METHODS {
            // Of 2344 blows those of the end follow each other within less than a step may take.
            let nearest = if blows > 1000 { 1e-6 } else { 1e-8 };
            for away in [1e-3, 1e-6, nearest] {
                let model = Cornered { mass, of_wall, of_ball, away };
                let end = run(&model, method, Step::adaptive(1e-6), 1.0);
                let what =
                    format!("{method}: {away} m, {mass} kg, {of_wall}, {of_ball}: {blows} blows");
                let off = end.final_v()[1] - w;
                assert!(off.abs() < 1e-9, "{what}: {off:e} from {w}");
                // The ball is between the wall and the heavy one.
                let [x, y] = [end.final_q()[0], end.final_q()[1]];
                assert!(x > -1e-9 && y > x - 1e-9, "{what}: {x} {y}");
            }
        }
    }
}
