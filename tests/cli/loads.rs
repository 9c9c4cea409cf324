//! What joints exert, in `--json`.

use super::json::{self, Value};
use mbd::cli::{Exit, Io, run_with};
use mbd::model::Mechanism;
use mbd::prelude::*;
use std::sync::Arc;

mechanism! {
    /// A door on two hinges, which share its weight in a way that the equations do not tell.
    mechanism Door {
        gravity [0, 0, -9.81];
        body leaf: SpatialBody { mass: 20.0, jx: 5.0, jy: 2.0, jz: 3.0 };
        joint top: revolute(ground.at([0, 0, 0.8], [0, 0, 1]), leaf.at([-0.4, 0, 0.8], [0, 0, 1]));
        joint low: revolute(ground.at([0, 0, -0.8], [0, 0, 1]), leaf.at([-0.4, 0, -0.8], [0, 0, 1]));
        output weight: [N] = top.force[2] + low.force[2];
        until 0.1;
    }
}

mechanism! {
    /// A pendulum of two planar links.
    mechanism Links {
        gravity [0, -9.81];
        body upper: PlanarBody { mass: 2.0, inertia: 0.1 };
        body lower: PlanarBody { mass: 1.0, inertia: 0.05 };
        joint pin: revolute(ground.at([0, 0]), upper.at([-0.5, 0]));
        joint knee: revolute(upper.at([0.5, 0]), lower.at([-0.4, 0]));
        init pin.angle = -0.5;
        init knee.angle = 0.4;
        output knee_force: [N] = knee.force;
        output pin_force: [N] = pin.force;
        until 0.3;
    }
}

fn run<M: Mechanism + Default + 'static>(line: &str) -> Value {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut io = Io { out: &mut out, err: &mut err, terminal: false, interrupt: Arc::default() };
    let exit = run_with::<M>("program", line.split_whitespace(), &mut io);
    assert_eq!(exit, Exit::Ok, "{}", String::from_utf8_lossy(&err));
    json::parse(&String::from_utf8(out).unwrap())
}

#[test]
fn loads_of_joints_are_those_that_outputs_read() {
    for method in ["gen-alpha-soi2", "radau5", "state-space"] {
        let run = run::<Links>(&format!("simulate --json --quiet --method {method}"));
        assert_eq!(run["joints"].keys(), ["pin", "knee"]);
        for name in ["pin", "knee"] {
            let joint = &run["joints"][name];
            let force = joint["force"].list();
            assert_eq!(force.len(), 2);
            for (k, force) in force.iter().enumerate() {
                let read = run["outputs"][&*format!("{name}_force[{k}]")].number();
                assert!(read.abs() > 0.1, "{name} {read}");
                assert!((force.number() - read).abs() < 1e-9 * read.abs(), "{name} {read}");
            }
            // A hinge without friction takes no torque.
            let [torque] = joint["torque"].list() else { panic!("one number in the plane") };
            assert!(torque.number().abs() < 1e-9);
        }
    }
}

mechanism! {
    /// An arm in joint coordinates that is pushed from outside, by a mode, and braked in its hinge.
    mechanism Pushed {
        coordinates joint;
        input u: [N] = 5.0;
        mode more: [N] = 0.0;
        gravity [0, -9.81];
        body arm: PlanarBody { mass: 2.0, inertia: 0.1 };
        body tip: PlanarBody { mass: 1.0, inertia: 0.05 };
        joint hinge: revolute(ground, arm.at([-0.5, 0]));
        joint knee: revolute(arm.at([0.5, 0]), tip.at([-0.4, 0]));
        friction knee.angle = 50.0;
        force push = [u + more, 0] on arm;
        event now when t >= 0.1 { more = 3.0; }
        init hinge.angle = -1.2;
        output load: [N] = hinge.force;
        until 0.3;
    }
}

/// What inputs and modes push with, and friction at rest carries, is in the forces of joints.
#[test]
fn loads_are_those_of_what_pushes() {
    for options in ["", "--input u=-3", "--every 0.1"] {
        for method in ["gen-alpha-soi2", "radau5", "explicit-rk"] {
            let run =
                run::<Pushed>(&format!("simulate --json --quiet --method {method} {options}"));
            assert_eq!(run["modes"]["more"].number(), 3.0);
            for k in 0..2 {
                let force = run["joints"]["hinge"]["force"].list()[k].number();
                let read = run["outputs"][&*format!("load[{k}]")].number();
                assert!(
                    (force - read).abs() < 1e-8 * read.abs().max(1.0),
                    "{method} {force} {read}"
                );
            }
        }
    }
}

#[test]
fn what_redundancy_leaves_open_is_null() {
    let run = run::<Door>("simulate --json --quiet --method radau5");
    let force = |name: &str| run["joints"][name]["force"].list().to_vec();
    for name in ["top", "low"] {
        let force = force(name);
        // Across the line of hinges the share is known but for what the axes hold against each other.
        assert_eq!(force[2], Value::Null, "{name}");
    }
    assert!((run["outputs"]["weight"].number() - 20.0 * 9.81).abs() < 1e-6);
}

/// The weight is borne by both hinges alike, and what pulls the leaf over by a couple between them and a bending in each.
#[test]
fn the_least_share_is_told_on_request() {
    let run = run::<Door>("simulate --json --quiet --method radau5 --least-shares");
    let of = |name: &str, what: &str, k: usize| run["joints"][name][what].list()[k].number();
    for name in ["top", "low"] {
        assert!((of(name, "force", 2) - 10.0 * 9.81).abs() < 1e-6, "{name}");
    }
    // Of a couple f = (f₁, −f₂) at ±0.8 m and bendings τ₁ + τ₂ the least has f·0.8 = τ/1 each: f = 0.8 c, τ = c.
    let couple = of("top", "force", 0) - of("low", "force", 0);
    let bending = [of("top", "torque", 1), of("low", "torque", 1)];
    assert!(couple.abs() > 1.0 && (bending[0] - bending[1]).abs() < 1e-6, "{couple} {bending:?}");
    assert!((couple.abs() / 2.0 - 0.8 * bending[0].abs()).abs() < 1e-6, "{couple} {bending:?}");
    assert!(!run["undetermined"].list().is_empty(), "it is one share of many, and stays marked");
}

/// A carriage on a rail, on it a row of arms: absolutely and in joint coordinates.
macro_rules! carriage {
    ($name:ident, $form:ident) => {
        mechanism! {
            mechanism $name {
                coordinates $form;
                size n = 2;
                gravity [0, 0, -9.81];
                body cart: SpatialBody { mass: 2.0, jx: 0.1, jy: 0.1, jz: 0.1 };
                body arm[n]: SpatialBody { mass: 1.0, jx: 0.02, jy: 0.05, jz: 0.05 };
                body tip: SpatialBody { mass: 0.3, jx: 0.02, jy: 0.05, jz: 0.05 };
                joint rail: prismatic(ground.at([0, 0, 0], [1, 0, 0.1]), cart.at([0, 0, 0], [1, 0, 0.1]));
                for i in 0..n {
                    joint pin: revolute(cart.at([0, 0.1*i, 0], [0, 1, 0]), arm[i].at([-0.2, 0, 0], [0, 1, 0]));
                    guess pin.angle = 0.3 + 0.2*i;
                    output pin_angle[i] = pin.wrapped_angle;
                    output pin_rate[i] = pin.rate;
                }
                joint cross: universal(arm[1].at([0.2, 0, 0], [0, 1, 0]), tip.at([-0.1, 0, 0], [1, 0, 0]));
                joint weld: fixed(tip, tip_end.at([0.1, 0, 0]));
                body tip_end: SpatialBody { mass: 0.1, jx: 0.01, jy: 0.01, jz: 0.01 };
                init rail.position = 0.4;
                init rail.speed = 1.0;
                guess cross.second_rate = 2.0;
                output slid: [m] = rail.position;
                output speed: [m/s] = rail.speed;
                output first = cross.wrapped_first_angle;
                output second_rate = cross.second_rate;
                until 0.2;
            }
        }
    };
}
carriage!(Carriage, absolute);
carriage!(CarriageAngles, joint);

#[test]
fn coordinates_of_joints_stand_beside_their_loads() {
    let line = "simulate --json --quiet --method radau5 --tol 1e-8";
    for run in [run::<Carriage>(line), run::<CarriageAngles>(line)] {
        let same = |joint: &str, of: &str, output: &str| {
            let (is, should) = (run["joints"][joint][of].number(), run["outputs"][output].number());
            assert!(
                (is - should).abs() < 1e-12 * should.abs().max(1.0),
                "{joint}.{of}: {is} {should}"
            );
            assert!(should.abs() > 1e-3);
        };
        same("rail", "position", "slid");
        same("rail", "speed", "speed");
        for i in 0..2 {
            same(&format!("pin[{i}]"), "angle", &format!("pin_angle[{i}]"));
            same(&format!("pin[{i}]"), "rate", &format!("pin_rate[{i}]"));
        }
        same("cross", "first_angle", "first");
        same("cross", "second_rate", "second_rate");
        assert_eq!(run["joints"]["rail"].keys(), ["force", "torque", "position", "speed"]);
        assert_eq!(run["joints"]["weld"].keys(), ["force", "torque"]);
    }
}
