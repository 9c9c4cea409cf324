//! How long a run lasts says nothing of how far its motion goes: thrown things are stopped.

use mbd::components::force;
use mbd::integrate::{INCONSISTENT, METHODS};
use mbd::prelude::*;
use mbd::simulation::Simulation;
use mbd::solution::Solution;

mechanism! {
    /// A boat whose motor stops.
    mechanism Boat {
        param m: [kg] = 1.0;
        param c: [N*s/m] = 2.0;
        coord x: [m];
        kinetic boat = 0.5*m*sq(der(x));
        force water along x = -c*der(x);
        init der(x) = 5.0;
    }
}

mechanism! {
    /// A puck that rubs to rest.
    mechanism Puck {
        param m: [kg] = 1.0;
        param rub: [N] = 2.943;
        coord x: [m];
        kinetic puck = 0.5*m*sq(der(x));
        force friction along x = force::dry_friction(der(x), rub, rub);
        init der(x) = 5.0;
    }
}

mechanism! {
    /// A parachutist, from rest.
    mechanism Parachutist {
        param m: [kg] = 80.0;
        param k: [N*s^2/m^2] = 0.25;
        coord z: [m];
        kinetic body = 0.5*m*sq(der(z));
        force weight along z = m*9.81;
        force drag along z = -k*der(z)*abs(der(z));
    }
}

mechanism! {
    /// A ball that falls on a floor that gives.
    mechanism Ball {
        param m: [kg] = 1.0;
        param k: [N/m] = 1000.0;
        param c: [N*s/m] = 10.0;
        coord y: [m];
        kinetic ball = 0.5*m*sq(der(y));
        force weight along y = -m*9.81;
        force floor along y = if y < 0.0 { -k*y - c*der(y) } else { 0.0 };
        init y = 1.0;
    }
}

mechanism! {
    /// The speed of a fall alone, as a state.
    mechanism Speed {
        param k: [1/m] = 0.003125;
        state v: [m/s];
        der(v) = 9.81 - k*v*abs(v);
    }
}

/// Runs from seconds to a day.
const SPANS: [f64; 4] = [10.0, 1e3, 1e5, 1e7];

fn run<M: Mechanism + Default>(method: &str, t_end: f64) -> Solution {
    run_to::<M>(method, t_end, 1e-3)
}

fn run_to<M: Mechanism + Default>(method: &str, t_end: f64, tolerance: f64) -> Solution {
    let model = M::default();
    let run = Simulation::new(&model).method(Method::from_name(method).unwrap());
    let run = run.step(Step::adaptive(tolerance)).until(t_end).run();
    run.unwrap_or_else(|error| panic!("{method} to {t_end}: {error}"))
}

/// Every method that converges, over every span; explicit ones take steps of the water's 1 s for ever.
fn each(longest_explicit: f64, mut look: impl FnMut(&str, f64)) {
    let names = METHODS.iter().map(|method| method.name);
    for method in names.filter(|method| !INCONSISTENT.contains(method)) {
        let longest = if method.starts_with("explicit") { longest_explicit } else { f64::INFINITY };
        SPANS.iter().filter(|span| **span <= longest).for_each(|span| look(method, *span));
    }
}

#[test]
fn a_boat_comes_to_rest_where_it_does_however_long_one_looks() {
    each(1e3, |method, t_end| {
        let end = run::<Boat>(method, t_end);
        let off = (end.final_q()[0] - 2.5).abs();
        assert!(off < 5e-3, "{method} to {t_end}: {off:.1e} m");
        assert!(end.stats.steps < 5000, "{method} to {t_end}: {}", end.stats);
    });
}

#[test]
fn a_puck_comes_to_rest_where_it_does_however_long_one_looks() {
    each(f64::INFINITY, |method, t_end| {
        let end = run::<Puck>(method, t_end);
        let off = (end.final_q()[0] - 12.5 / 2.943).abs();
        assert!(off < 5e-3, "{method} to {t_end}: {off:.1e} m");
        assert!(end.stats.steps < 100, "{method} to {t_end}: {}", end.stats);
    });
}

/// From rest nothing tells where the speed ends; z = m/k ln cosh(√(gk/m) t).
#[test]
fn a_fall_through_air_is_as_long_as_it_is_however_long_one_looks() {
    let (m, k, g) = (80.0, 0.25, 9.81);
    each(1e3, |method, t_end| {
        let end = run::<Parachutist>(method, t_end);
        let s = f64::sqrt(g * k / m) * t_end;
        let z = m / k * (s + (-2.0 * s).exp().ln_1p() - f64::ln(2.0));
        let off = (end.final_q()[0] / z - 1.0).abs();
        assert!(off < 1e-3, "{method} to {t_end}: {off:.1e}");
    });
}

/// It meets the floor after √(2/9.81) s and seven times in all, as `radau5` finds at 1e-12.
#[test]
fn a_ball_bounces_as_often_as_it_does_however_long_one_looks() {
    let exact = run_to::<Ball>("radau5", 3.0, 1e-12);
    assert_eq!(exact.events.len(), 7);
    assert!((exact.events[0].t - f64::sqrt(2.0 / 9.81)).abs() < 1e-12);
    each(1e3, |method, t_end| {
        let end = run::<Ball>(method, t_end);
        assert_eq!(end.events.len(), 7, "{method} to {t_end}: {:?}", end.events);
        for (event, exact) in end.events.iter().zip(&exact.events) {
            let off = (event.t - exact.t).abs();
            assert!(off < 2e-2, "{method} to {t_end}: {event:?} for {}", exact.t);
        }
    });
}

#[test]
fn a_speed_settles_where_it_does_however_long_one_looks() {
    each(1e3, |method, t_end| {
        let end = run::<Speed>(method, t_end);
        let exact = f64::sqrt(9.81 / 0.003125);
        let exact = exact * (9.81 * t_end / exact).tanh();
        let off = (end.series("v").unwrap().last().unwrap() / exact - 1.0).abs();
        assert!(off < 2e-3, "{method} to {t_end}: {off:.1e}");
    });
}
