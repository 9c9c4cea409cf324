//! A body of 1 kg on one joint, let go from rest: positions, velocities, accelerations and the reactions of
//! the joint, against those of another program (see `tests/references/PROVENANCE.md`).
//!
//! The centre of mass lies 2 m along the x axis of the joint's frame, which is turned about x by −90° or −45°.
//! The ground is the joint's second body, so that force and torque are those on the ground, about the joint's
//! frame there, in the ground's axes.

use mbd::Simulation;
use mbd::integrate::{Radau5, Step};
use mbd::model::Mechanism;
use mbd::prelude::*;
use serde_json::Value;

macro_rules! cases {
    ($($name:ident { $($joint:tt)* })*) => { $(
        mechanism! {
            pub mechanism $name {
                /// The joint's place, and its angle about x.
                param p[3]: [m] = 0.0;
                param turned: [rad] = 0.0;
                let start = axis_angle([1, 0, 0], turned);
                let r = mbd::components::spatial::rotation(start);
                gravity [0, 0, -GRAVITY];
                body arm: SpatialBody { mass: 1.0, jx: 0.04, jy: 0.1, jz: 0.1 };
                $($joint)*
                output Pos: [m] = arm.position;
                output Vel: [m/s] = arm.velocity;
                output Acc: [m/s^2] = der(arm.velocity);
                output Quat = arm.e;
                output Avel: [rad/s] = arm.omega_ground;
                output Aacc: [rad/s^2] = der(arm.omega_ground);
                output Rforce: [N] = reaction;
                output Rtorque: [N*m] = moment;
                until 5.0;
            }
        }
    )* };
}

cases! {
    Hinge {
        init arm.position = p + r*[2, 0, 0];
        init arm.e = start;
        joint j: revolute(arm.at([-2, 0, 0]), ground.at(p, r*[0, 0, 1], [1, 0, 0]));
        let reaction = j.force;
        let moment = j.torque;
    }
    Ball {
        init arm.position = p + r*[2, 0, 0];
        init arm.e = start;
        joint j: spherical(arm.at([-2, 0, 0]), ground.at(p));
        let reaction = j.force;
        let moment = j.torque;
    }
    Rail {
        init arm.position = p + r*[2, 0, 0];
        init arm.e = start;
        joint j: prismatic(arm.at([-2, 0, 0]), ground.at(p, r*[0, 0, 1], [1, 0, 0]));
        let reaction = j.force;
        let moment = j.torque;
    }
    Sleeve {
        init arm.position = p + r*[2, 0, 0];
        init arm.e = start;
        joint j: cylindrical(arm.at([-2, 0, 0]), ground.at(p, r*[0, 0, 1], [1, 0, 0]));
        let reaction = j.force;
        let moment = j.torque;
    }
    Tethered {
        init arm.position = p;
        init arm.e = start;
        let pull = -10*arm.position - 0.5*arm.velocity;
        force spring = pull on arm;
        let reaction = -pull;
        let moment = 0*pull;
    }
    Sprung {
        init arm.position = p + r*[2, 0, 0];
        init arm.e = start;
        joint j: revolute(arm.at([-2, 0, 0]), ground.at(p, r*[0, 0, 1], [1, 0, 0]));
        let spring = -200*j.angle - 10*j.rate;
        force torsion along j.angle = spring;
        let reaction = j.force;
        let moment = j.torque + spring*(r*[0, 0, 1]);
    }
}

/// The root mean square of what a quantity is off by, over the times of the reference.
fn off(run: &mbd::solution::Solution, quantity: &str, rows: &[Value]) -> (f64, f64) {
    let times = run.times();
    let width = rows[0].as_array().expect("a row").len() - 1;
    let series: Vec<Vec<f64>> =
        (0..width).map(|i| run.series(&format!("{quantity}[{i}]")).expect("an output")).collect();
    let (mut sum, mut largest) = (0.0, 0.0f64);
    for row in rows {
        let row: Vec<f64> =
            row.as_array().expect("a row").iter().map(|x| x.as_f64().expect("a number")).collect();
        let at = times.iter().position(|t| (t - row[0]).abs() < 1e-9).expect("its time");
        let is: Vec<f64> = series.iter().map(|values| values[at]).collect();
        // Euler parameters are the same with the other sign.
        let error = |sign: f64| -> f64 {
            is.iter().zip(&row[1..]).map(|(a, b)| (a - sign * b).powi(2)).sum()
        };
        let flipped = if quantity == "Quat" { error(-1.0) } else { f64::INFINITY };
        sum += error(1.0).min(flipped);
        largest = row[1..].iter().fold(largest, |m, x| m.max(x.abs()));
    }
    ((sum / rows.len() as f64).sqrt(), largest)
}

/// Three times what the reference itself is off by (root mean squares against closed forms).
fn bound(case: &str, quantity: &str) -> f64 {
    let ball = case == "Spherical_Case01";
    let slides = matches!(case, "Prismatic_Case02" | "Cylindrical_Case03");
    3.0 * match quantity {
        _ if case == "TranSpring_Case01" => match quantity {
            "Rforce" => 2e-5,
            _ => 2e-6,
        },
        "Pos" if ball => 2.3e-4,
        "Vel" if ball => 7e-4,
        "Acc" | "Rforce" if ball => 3e-3,
        // Those of the turn are those of the centre of mass, 2 m away.
        "Avel" if ball => 3.5e-4,
        "Aacc" if ball => 1.5e-3,
        "Quat" if ball => 0.6e-4,
        "Pos" | "Vel" if slides => 1.8e-5,
        "Rtorque" if slides => 8e-3,
        "Rtorque" if case == "RotSpring_Case01" => 4e-5,
        "Pos" | "Vel" => 3e-6,
        "Avel" => 1.8e-6,
        "Quat" => 1e-6,
        "Aacc" => 1.7e-4,
        "Acc" | "Rforce" => 2.3e-4,
        _ => 3e-4,
    }
}

fn check(case: &str, mechanism: &impl Mechanism) {
    let text = include_str!("../references/adams.json");
    let all: Value = serde_json::from_str(text).expect("the reference is JSON");
    let run = Simulation::new(mechanism)
        .method(Radau5::default())
        .step(Step::adaptive(1e-10))
        .every(0.01)
        .until(5.0)
        .run()
        .expect("the body falls");
    for (quantity, rows) in all[case].as_object().expect("a case") {
        let (off, scale) = off(&run, quantity, rows.as_array().expect("rows"));
        let bound = bound(case, quantity) + 1e-9 * scale;
        eprintln!("{case} {quantity}: off by {off:.1e}, of {scale:.1e}");
        assert!(off <= bound, "{case} {quantity} is off by {off:e}, more than {bound:e}");
    }
}

const QUARTER: f64 = -std::f64::consts::FRAC_PI_2;
const EIGHTH: f64 = -std::f64::consts::FRAC_PI_4;

fn there() -> Vec<f64> {
    vec![1.0, 2.0, 3.0]
}

#[test]
fn hinges() {
    check("Revolute_Case01", &Hinge { turned: QUARTER, ..Default::default() });
    check("Revolute_Case02", &Hinge { turned: EIGHTH, p: there() });
}

#[test]
fn balls() {
    check("Spherical_Case01", &Ball::default());
    check("Spherical_Case02", &Ball { turned: EIGHTH, p: there() });
}

#[test]
fn slides_and_sleeves() {
    check("Prismatic_Case02", &Rail { turned: EIGHTH, p: there() });
    check("Cylindrical_Case02", &Sleeve { turned: QUARTER, ..Default::default() });
    check("Cylindrical_Case03", &Sleeve { turned: EIGHTH, p: there() });
}

#[test]
fn springs() {
    check("TranSpring_Case01", &Tethered::default());
    check("RotSpring_Case01", &Sprung { turned: QUARTER, ..Default::default() });
}
