//! Laws of the language's page that are made of others: play, one-way clutch, ratchet, as they stand there.

use mbd::components::force;
use mbd::integrate::{INCONSISTENT, METHODS};
use mbd::prelude::*;
use mbd::simulation::Simulation;
use mbd::solution::{EventKind, Solution};

mechanism! {
    /// A flywheel that runs through the play of its teeth into one at rest.
    pub mechanism Play {
        param play: [rad] = 0.02;
        param k: [N*m/rad] = 1e4;
        param c: [N*m*s/rad] = 0.0;
        coord a: [rad];
        coord b: [rad];
        kinetic wheels = 0.5*0.1*(sq(der(a)) + sq(der(b)));
        let turn = a - b;
        force front along turn = force::one_sided(turn - play, der(turn), k, c);
        force back along turn = -force::one_sided(-turn - play, -der(turn), k, c);
        init der(a) = 1.0;
    }
}

mechanism! {
    /// A driver that swings, and a flywheel with drag that it takes along one way only.
    pub mechanism OneWay {
        param holds: [N*m] = 100.0;
        coord driven: [rad];
        let ahead = 0.5*(1.0 - cos(2.0*t)) - driven;
        kinetic wheel = 0.5*0.1*sq(der(driven));
        force sprags along ahead = if der(ahead) > 0.0 { -holds } else { 0.0 };
        force drag along driven = -0.02*der(driven);
    }
}

mechanism! {
    /// A wheel with a weight on its rope, that is wound up by pulls.
    pub mechanism Ratchet {
        param pitch: [rad] = 0.2;
        param k: [N*m/rad] = 1e4;
        param c: [N*m*s/rad] = 20.0;
        coord phi: [rad];
        mode tooth = 0.0;
        kinetic wheel = 0.5*0.1*sq(der(phi));
        force weight along phi = -5.0;
        force pulls along phi = if sin(4.0*t) > 0.0 { 9.0 } else { 0.0 };
        event click when phi >= (tooth + 1.0)*pitch { tooth = tooth + 1.0; }
        force pawl along phi = -force::one_sided(tooth*pitch - phi, -der(phi), k, c);
        output teeth = tooth;
    }
}

fn consistent() -> impl Iterator<Item = &'static str> {
    METHODS.iter().map(|method| method.name).filter(|name| !INCONSISTENT.contains(name))
}

fn run(model: &impl Mechanism, method: &str, tolerance: f64, t_end: f64) -> Solution {
    let method_of = Method::from_name(method).unwrap();
    let simulation = Simulation::new(model).method(method_of).step(Step::adaptive(tolerance));
    simulation.until(t_end).run().unwrap_or_else(|error| panic!("{method}: {error}"))
}

/// Equal wheels exchange their speeds, through half a period of the teeth, with the play at both ends.
#[test]
fn teeth_push_on_both_flanks_and_do_not_pull() {
    // The difference of angles swings at 2 k/J.
    let blow = std::f64::consts::PI / (2.0 * 1e4_f64 / 0.1).sqrt();
    for method in consistent() {
        let end = run(&Play::default(), method, 1e-6, 0.05);
        let v = end.final_v();
        assert!(v[0].abs() < 1e-3 && (v[1] - 1.0).abs() < 1e-3, "{method}: {v:?}");
        assert!((end.events[0].t - 0.02).abs() < 1e-6, "{method}: {:?}", end.events);
        let leaves = end.events.last().unwrap().t;
        assert!((leaves - 0.02 - blow).abs() < 1e-5, "{method}: {:?}", end.events);
        // The other flank, 0.04 rad later.
        let back = run(&Play::default(), method, 1e-6, 0.1);
        let meets = back.events.iter().find(|event| event.name == "back").unwrap();
        let late = meets.t - (0.02 + blow + 0.04);
        assert!(late.abs() < 1e-4, "{method}: {late:.1e}");
        assert!((back.final_v()[0] - 1.0).abs() < 2e-3, "{method}: {:?}", back.final_v());
    }
    let lossy = run(&Play { c: 5.0, ..Play::default() }, "radau5", 1e-9, 0.05);
    let v = lossy.final_v();
    assert!((v[0] + v[1] - 1.0).abs() < 1e-9 && v[1] < 0.99 && v[1] > v[0], "{v:?}");
}

/// The driver's speed is sin 2t: it takes the wheel along up to a little after its largest, where drag slows it by as much;
/// then the wheel runs ahead, v = v₀ exp(−t/5).
#[test]
fn a_one_way_clutch_takes_along_and_lets_run_ahead() {
    // 2 cos 2t = −sin 2t/5
    let slip = 0.5 * (std::f64::consts::PI - 10.0_f64.atan());
    for method in consistent() {
        let run = run(&OneWay::default(), method, 1e-6, 3.0);
        let kinds: Vec<EventKind> = run.events.iter().map(|event| event.kind).collect();
        let after_start: Vec<EventKind> =
            kinds.iter().copied().filter(|kind| *kind != EventKind::Stick).collect();
        assert_eq!(after_start, [EventKind::Slip], "{method}: {:?}", run.events);
        let last = run.events.last().unwrap();
        assert!((last.t - slip).abs() < 1e-8, "{method}: {}", last.t);
        let exact = (2.0 * slip).sin() * (-(3.0 - slip) / 5.0).exp();
        assert!((run.final_v()[0] - exact).abs() < 1e-5, "{method}: {}", run.final_v()[0]);
    }
}

#[test]
fn a_ratchet_keeps_what_was_wound() {
    let exact = run(&Ratchet::default(), "radau5", 1e-9, 6.0);
    let teeth = *exact.series("teeth").unwrap().last().unwrap();
    assert!(teeth > 20.0, "{teeth}");
    for method in consistent() {
        let run = run(&Ratchet::default(), method, 1e-6, 6.0);
        let [teeth_of, phi] = ["teeth", "phi"].map(|name| run.series(name).unwrap());
        assert_eq!(*teeth_of.last().unwrap(), teeth, "{method}");
        for (tooth, phi) in teeth_of.iter().zip(&phi) {
            // By no more than what the blow of one pitch presses the pawl in.
            assert!(*phi > tooth * 0.2 - 0.01, "{method}: {phi} at {tooth}");
        }
        assert!(teeth_of.is_sorted(), "{method}");
    }
}
