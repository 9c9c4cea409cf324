//! Motions that depend on reactions of joints that carry bodies, and the impulses of such joints, against absolute
//! coordinates and closed forms.

use crate::read::{last, near};
use mbd::integrate::{Radau5, Step};
use mbd::prelude::*;
use std::collections::BTreeMap;

forms! {
    // A journal bearing in space: it turns, comes to rest, and stays.
    journal {
        param mu: [-] = 0.3;
        gravity [0, 0, -9.81];
        body arm: SpatialBody { mass: 2.0, jx: 0.1, jy: 0.2, jz: 0.3 };
        joint hinge: revolute(ground.at([0, 0, 0], [0, 1, 0]), arm.at([-0.3, 0, 0], [0, 1, 0]));
        friction hinge.angle = mu*0.1*norm(hinge.force);
        init hinge.angle = 0.2;
        output angle: [rad] = hinge.angle;
        output load: [N] = hinge.force;
        output friction: [N*m] = hinge.friction_torque;
        until 12.0;
    }
    // Of every pass its own, and what hangs on it loads those above.
    rubbed_chain {
        size n = 3;
        gravity [0, -9.81];
        body link[n]: PlanarBody { mass: 0.7, inertia: 0.02 };
        joint top: revolute(ground, link[0].at([-0.2, 0]));
        friction top.angle = 0.02*norm(top.force);
        for i in 1..n {
            joint hinge: revolute(link[i - 1].at([0.2, 0]), link[i].at([-0.2, 0]));
            friction hinge.angle = 0.01*norm(hinge.force);
            guess hinge.rate = 3.0;
            output load[i - 1]: [N] = hinge.force;
            output angle[i - 1]: [rad] = hinge.angle;
        }
        output top_load: [N] = top.force;
        until 0.5;
    }
    // Kinds of joints, read by forces, variables and rates of states; one closes a loop. What is not read is told as ever.
    kinds {
        gravity [0, 0, -9.81];
        param pace: [1/s] = 1.0;
        state worn: [N^2*m^2];
        body cart: SpatialBody { mass: 2.0, jx: 0.1, jy: 0.2, jz: 0.3 };
        body arm: SpatialBody { mass: 1.0, jx: 0.02, jy: 0.05, jz: 0.05 };
        body bob: SpatialBody { mass: 0.5, jx: 0.01, jy: 0.01, jz: 0.02 };
        body tail: SpatialBody { mass: 0.3, jx: 0.01, jy: 0.01, jz: 0.02 };
        joint rail: prismatic(ground.at([0, 0, 0], [1, 0, 0.2]), cart.at([0, 0, 0], [1, 0, 0.2]));
        joint cross: universal(arm.at([0.2, 0, 0], [0, 1, 0]), cart.at([0, 0, -0.1], [1, 0, 0]));
        joint ball: spherical(arm.at([-0.2, 0, 0]), bob.at([0, 0, 0.1]));
        joint pin: revolute(bob.at([0, 0.1, 0], [0, 1, 0]), tail.at([0, 0, 0.1], [0, 1, 0]));
        force brake along rail.position = -0.05*norm(rail.force)*tanh(20*rail.speed) - 3*rail.position;
        variable pull: [N] == norm(ball.force);
        force stiffening along cross.first_angle = -0.02*pull*cross.first_angle;
        force bent along cross.second_angle = -0.1*cross.second_angle - 0.01*norm(cross.torque)*cross.second_rate;
        der(worn) = pace*(dot(pin.torque, pin.torque) - worn);
        init rail.speed = 1.0;
        guess cross.first_angle = 0.2;
        guess pin.rate = 2.0;
        output rail_load: [N] = rail.force;
        output rail_moment: [N*m] = rail.torque;
        output ball_load: [N] = ball.force;
        output pin_load: [N] = pin.force;
        output pin_moment: [N*m] = pin.torque;
        output place: [m] = tail.position;
        output wear: [N^2*m^2] = worn;
        until 0.6;
    }
    // A pin that lets go of nothing but tells when it is loaded too much.
    snaps {
        mode whole = true;
        gravity [0, -9.81];
        body arm: PlanarBody { mass: 2.0, inertia: 0.2 };
        joint hinge: revolute(ground, arm.at([-0.5, 0]));
        force motor along hinge.angle = if whole { 4.0 } else { 0.0 };
        event tired when norm(hinge.force) >= 30.0 { whole = false; }
        output angle: [rad] = hinge.angle;
        output load: [N] = hinge.force;
        until 0.6;
    }
    // A bar of three links that strikes a stop, with given impulses in the plane of the ground's axes and across it.
    struck {
        size n = 3;
        gravity [0, 0, -9.81];
        body link[n]: SpatialBody { mass: 0.7, jx: 0.01, jy: 0.03, jz: 0.02 };
        joint top: revolute(ground.at([0, 0, 1], [0, 1, 0.1]), link[0].at([-0.2, 0, 0], [0, 1, 0]));
        for i in 1..n {
            joint hinge: universal(link[i - 1].at([0.2, 0, 0], [0, 1, 0]), link[i].at([-0.2, 0, 0], [0, 0, 1]));
        }
        body tail: SpatialBody { mass: 0.2, jx: 0.01, jy: 0.01, jz: 0.01 };
        joint stiff: fixed(link[2].at([0.2, 0.1, 0]), tail);
        let tip = link[2].point([0.2, 0, 0]);
        event hit when tip[2] <= 0.7 { impulse along tip[2] = restitution(0.6); }
        event kick when t >= 0.05 { impulse along [tip[0], tip[1]] = [0.3, -0.2]; }
        output speed: [m/s] = tail.velocity;
        until 0.4;
    }
}

fn run(mechanism: &impl Mechanism, tolerance: f64) -> mbd::solution::Solution {
    let run = Simulation::new(mechanism).method(Radau5::default()).step(Step::adaptive(tolerance));
    run.run().unwrap_or_else(|error| panic!("{error}"))
}

/// All outputs of both at the end.
#[track_caller]
fn same(one: &impl Mechanism, other: &impl Mechanism, tolerance: f64) {
    let runs = [run(one, 1e-11), run(other, 1e-11)];
    let model = one.model().expect("a model");
    let labels = model.outputs();
    assert!(!labels.is_empty());
    for label in labels {
        let [is, should] = runs.each_ref().map(|run| last(run, &label.name));
        near(&label.name, is, should, tolerance * (1.0 + should.abs()));
    }
}

#[test]
fn friction_by_the_load_of_the_joint_itself() {
    same(&journal::joint::Joint::default(), &journal::absolute::Absolute::default(), 1e-7);
    let run = run(&journal::joint::Joint::default(), 1e-8);
    // It has come to rest, off the lowest position by no more than friction holds: with the normal force m g of rest.
    let angle = last(&run, "angle");
    assert!(last(&run, "der(hinge.angle)").abs() < 1e-10);
    let moment = (2.0 * 9.81 * 0.3 * angle.cos()).abs();
    assert!(moment <= 0.3 * 0.1 * 2.0 * 9.81 * (1.0 + 1e-9), "{angle}: {moment}");
    near("what holds", last(&run, "friction").abs(), moment, 1e-9);
    same(
        &rubbed_chain::joint::Joint::default(),
        &rubbed_chain::absolute::Absolute::default(),
        1e-7,
    );
}

#[test]
fn friction_of_loads_by_all_methods() {
    let journal = journal::joint::Joint::default();
    let reference = last(&run(&journal, 1e-10), "angle");
    for method in ["gen-alpha-soi2", "hht-i3", "bdf-ggl", "explicit-rk"] {
        let method_of = Method::from_name(method).expect("a method");
        let run = Simulation::new(&journal).method(method_of);
        let run = run.step(Step::adaptive(1e-6)).run().unwrap_or_else(|e| panic!("{method}: {e}"));
        near(method, last(&run, "angle"), reference, 2e-3);
    }
}

#[test]
fn forces_variables_and_rates_read_reactions() {
    same(&kinds::joint::Joint::default(), &kinds::absolute::Absolute::default(), 1e-8);
    let report = kinds::joint::Joint::default().check(&CheckOptions::default()).expect("a check");
    assert!(report.passed(), "{report}");
}

#[test]
fn displacements_stay_out_of_summaries() {
    let run = run(&kinds::joint::Joint::default(), 1e-6);
    let shown = run.columns().iter().filter(|column| !column.housekeeping);
    assert!(shown.clone().all(|column| !column.name.contains("displacement")));
    // The rail's five and two of its own are unknowns, the pin's are: three joints of four are read.
    let hidden =
        run.columns().iter().filter(|c| c.housekeeping && c.name.starts_with("rail.displacement"));
    assert_eq!(hidden.count(), 5);
    for name in ["rail.displacement[0]", "ball.displacement[2]"] {
        let series = run.series(name).expect("is recorded");
        assert!(series.iter().all(|d| d.abs() < 1e-12), "{name}");
    }
}

#[test]
fn events_compare_reactions() {
    same(&snaps::joint::Joint::default(), &snaps::absolute::Absolute::default(), 1e-8);
    let times = [
        run(&snaps::joint::Joint::default(), 1e-10).events[0].t,
        run(&snaps::absolute::Absolute::default(), 1e-10).events[0].t,
    ];
    near("the instant", times[0], times[1], 1e-9);
}

#[test]
fn joints_that_carry_bodies_tell_their_impulses() {
    let of = |run: mbd::solution::Solution| -> Vec<BTreeMap<String, f64>> {
        let events = run.events.iter();
        let impulses = events.map(|event| {
            let all = event.impulses.iter().filter(|one| one.name.contains(".impulse"));
            all.map(|one| (one.name.clone(), one.value)).collect()
        });
        impulses.collect()
    };
    let joint = of(run(&struck::joint::Joint::default(), 1e-11));
    let absolute = of(run(&struck::absolute::Absolute::default(), 1e-11));
    assert!(joint.len() >= 2, "{joint:?}");
    assert_eq!(joint.len(), absolute.len());
    for (joint, absolute) in joint.iter().zip(&absolute) {
        assert_eq!(joint.keys().collect::<Vec<_>>(), absolute.keys().collect::<Vec<_>>());
        assert_eq!(joint.len(), 12);
        for (name, value) in joint {
            near(name, *value, absolute[name], 1e-7);
        }
    }
}

mechanism! {
    /// A bar on a hinge whose rate is turned round: by an impulse along the angle, a couple, so that the hinge gives the
    /// centre of mass its change of momentum.
    mechanism Turned {
        coordinates joint;
        param c: [m] = 0.4;
        body bar: PlanarBody { mass: 2.0, inertia: 0.3 };
        joint hinge: revolute(ground, bar.at([-c, 0]));
        init hinge.angle = 0.5;
        init hinge.rate = 3.0;
        event turn when hinge.angle >= 1.0 { der(hinge.angle) = -0.5*der(hinge.angle); }
        until 0.3;
    }
}

#[test]
fn the_impulse_of_a_hinge_whose_rate_is_set() {
    let run = run(&Turned::default(), 1e-10);
    let event = &run.events[0];
    let change = -1.5 * 3.0;
    near("couple", event.impulse("der(hinge.angle)"), (0.3 + 2.0 * 0.16) * change, 1e-10);
    let [x, y] = [-(1.0_f64.sin()), 1.0_f64.cos()].map(|u| 2.0 * 0.4 * change * u);
    near("along x", event.impulse("hinge.impulse[0]"), x, 1e-9);
    near("along y", event.impulse("hinge.impulse[1]"), y, 1e-9);
}
