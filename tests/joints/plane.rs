//! Every planar joint, between two bodies that move freely otherwise.

use crate::{Outputs, near, started};
use mbd::model::Mechanism;
use nalgebra::{Rotation2, Vector2};

/// Two bodies as in `space`; `turned` and `shift` move everything as one rigid body.
macro_rules! pairs {
    ($($module:ident $name:ident { $($joint:tt)* } $parts:tt)*) => { $( pairs!(@ $module $name { $($joint)* } $parts); )* };
    (@ $module:ident $name:ident { $($joint:tt)* } { $($more:tt)* }) => {
        pub mod $module {
            use mbd::prelude::*;
            mechanism! {
                pub mechanism $name {
                    param turned: [rad] = 0.0;
                    param shift[2]: [m] = 0.0;
                    let turn = [[cos(turned), -sin(turned)], [sin(turned), cos(turned)]];
                    gravity turn*[0.7, -9.81];
                    body a: PlanarBody { mass: 2.0, inertia: 0.2 };
                    body b: PlanarBody { mass: 1.5, inertia: 0.3 };
                    init a.position = shift + turn*[0.2, -0.3];
                    init a.theta = turned + 0.4;
                    init a.velocity = turn*[0.3, -0.5];
                    init a.omega = 0.8;
                    let p = [0.1, -0.2];
                    let q = [-0.2, 0.15];
                    force push = a.frame.vector([3, -2]) on a at [0.1, 0.2];
                    torque twist = 0.4 on a;
                    $($joint)*
                    output force: [N] = j.force;
                    output torque: [N*m] = j.torque;
                    output alpha: [rad/s^2] = der(b.omega);
                    output acceleration: [m/s^2] = der(b.velocity);
                    output arm: [m] = b.frame.vector(q);
                    output weight: [m/s^2] = turn*[0.7, -9.81];
                    $($more)*
                    until 0.1;
                }
            }
        }
    };
}

pairs! {
    revolute Revolute {
        joint j: revolute(a.at(p), b.at(q));
        guess j.angle = 7.0;
        guess j.rate = -1.2;
    } {
        output angle: [rad] = j.angle;
        output rate: [rad/s] = j.rate;
    }
    prismatic Prismatic {
        joint j: prismatic(a.at(p, [1, 2]), b.at(q, [0, 1]));
        guess j.position = 0.7;
        guess j.speed = -1.2;
    } {
        output position: [m] = j.position;
        output speed: [m/s] = j.speed;
    }
    fixed Fixed {
        joint j: fixed(a.at(p, [1, 2]), b.at(q));
    } {}
    parallel Parallel {
        joint j: parallel(a.at(p, [1, 2]), b.at(q));
        guess b.position = shift + turn*[1, 1];
        guess b.theta = turned + 0.5;
        guess b.velocity = turn*[0.4, -0.3];
        guess b.omega = 2;
    } {}
    point_on_line PointOnLine {
        joint j: point_on_line(a.at(p, [1, 2]), b.at(q));
        guess b.position = shift + turn*[1, 1];
        guess b.theta = turned + 0.5;
        guess b.velocity = turn*[0.4, -0.3];
        guess b.omega = 2;
    } {}
    point_on_curve PointOnCurve {
        joint j: point_on_curve(a.at(p, [1, 2]), b.at(q), |x| 0.3*sin(2.0*x));
        guess b.position = shift + turn*[1, 1];
        guess b.theta = turned + 0.5;
        guess b.velocity = turn*[0.4, -0.3];
        guess b.omega = 2;
    } {}
    cam Cam {
        joint j: cam(a.at(p, [1, 2]), b.at(q), |angle| 0.6 + 0.1*cos(3.0*angle));
        guess b.position = shift + turn*[1, 1];
        guess b.theta = turned + 0.5;
        guess b.velocity = turn*[0.4, -0.3];
        guess b.omega = 2;
    } {}
    // A curve that time and an input move, and a carriage, which takes its part of what the bodies feel.
    point_on_curve_moved PointOnCurveMoved {
        coord c: [m];
        kinetic carriage = 0.5*0.8*sq(der(c));
        input bent: [1/m] = 0.1;
        init c = 0.2;
        init der(c) = 0.7;
        joint j: point_on_curve(a.at(p, [1, 2]), b.at(q),
            |x| 0.3*sin(2.0*x) + 2.0*t + 0.5*c + 0.4*c*x + bent*x*x);
        guess b.position = shift + turn*[1, 1];
        guess b.theta = turned + 0.5;
        guess b.velocity = turn*[0.4, -0.3];
        guess b.omega = 2;
    } {}
    cam_moved CamMoved {
        coord c: [m];
        kinetic carriage = 0.5*0.8*sq(der(c));
        init c = 0.2;
        init der(c) = 0.7;
        joint j: cam(a.at(p, [1, 2]), b.at(q), |angle| 0.6 + (0.1 + 0.2*c)*cos(3.0*angle) + 0.3*t + 0.2*c);
        guess b.position = shift + turn*[1, 1];
        guess b.theta = turned + 0.5;
        guess b.velocity = turn*[0.4, -0.3];
        guess b.omega = 2;
    } {}
    distance Distance {
        joint j: distance(a.at(p), b.at(q), 0.7);
        guess b.position = shift + turn*[1, 1];
        guess b.theta = turned + 0.5;
        guess b.velocity = turn*[0.4, -0.3];
        guess b.omega = 2;
    } {}
    rolling Rolling {
        joint j: rolling(a.at(p, [1, 2]), b.at(q), 0.4);
        guess b.position = shift + turn*[1, 1];
        guess b.theta = turned + 0.5;
        guess b.velocity = turn*[0.4, -0.3];
        guess b.omega = 2;
    } {}
    rolling_nonholonomic RollingNonholonomic {
        joint j: rolling_nonholonomic(a.at(p, [1, 2]), b.at(q), 0.4);
        guess b.position = shift + turn*[1, 1];
        guess b.theta = turned + 0.5;
        guess b.velocity = turn*[0.4, -0.3];
        guess b.omega = 2;
    } {}
    rolling_on_curve RollingOnCurve {
        joint j: rolling_on_curve(a.at(p, [1, 2]), b.at(q), 0.4, |x| 0.3*sin(2.0*x));
        guess j.contact = 0.6;
        guess b.position = shift + turn*[1, 1];
        guess b.theta = turned + 0.5;
        guess b.velocity = turn*[0.4, -0.3];
        guess b.omega = 2;
    } {}
    rolling_on_curve_holonomic RollingOnCurveHolonomic {
        joint j: rolling_on_curve_holonomic(a.at(p, [1, 2]), b.at(q), 0.4, |x| 0.5*x*x,
            |x| 0.5*(x*hypot(1.0, x) + (x + hypot(1.0, x)).ln()));
        guess j.contact = 0.6;
        guess b.position = shift + turn*[1, 1];
        guess b.theta = turned + 0.5;
        guess b.velocity = turn*[0.4, -0.3];
        guess b.omega = 2;
    } {
        output slip: [m/s] = j.slip_speed;
    }
    disc_on_disc_holonomic DiscOnDiscHolonomic {
        joint j: disc_on_disc_holonomic(a.at(p), b.at(q), 0.4, 0.2);
        guess b.position = shift + turn*[1, 1];
        guess b.theta = turned + 0.5;
        guess b.velocity = turn*[0.4, -0.3];
        guess b.omega = 2;
    } {}
    disc_on_disc DiscOnDisc {
        joint j: disc_on_disc(a.at(p), b.at(q), 0.4, 0.2);
        guess b.position = shift + turn*[1, 1];
        guess b.theta = turned + 0.5;
        guess b.velocity = turn*[0.4, -0.3];
        guess b.omega = 2;
    } {}
    knife_edge KnifeEdge {
        joint j: knife_edge(a.at(p), b.at(q, [1, 2]));
        guess b.position = shift + turn*[1, 1];
        guess b.theta = turned + 0.5;
        guess b.velocity = turn*[0.4, -0.3];
        guess b.omega = 2;
    } {}
}

/// Newton and Euler for the second body, on which nothing acts but the joint and its weight.
fn balance(mechanism: &impl Mechanism) {
    let out = Outputs::of(&started(mechanism));
    let (force, torque) = (out.vector::<2>("force"), out.number("torque"));
    let size = force.norm() + torque.abs() + 10.0;
    let pulled: Vector2<f64> = 1.5 * (out.vector("acceleration") - out.vector("weight"));
    crate::close("mass times acceleration", pulled, force, 1e-13 * size);
    let arm = out.vector::<2>("arm");
    let moment = torque + arm[0] * force[1] - arm[1] * force[0];
    near("rate of spin", 0.3 * out.number("alpha"), moment, 1e-13 * size);
    assert!(pulled.norm() + out.number("alpha").abs() > 0.1, "the joint does nothing");
}

fn rigid_motion<M: Mechanism + Default>(set: impl Fn(&mut M)) {
    let mut moved = M::default();
    set(&mut moved);
    let (here, there) = (Outputs::of(&started(&M::default())), Outputs::of(&started(&moved)));
    let turn = Rotation2::new(1.3);
    let size = here.vector::<2>("force").norm() + 10.0;
    for name in ["force", "acceleration"] {
        crate::close(name, there.vector(name), turn * here.vector::<2>(name), 1e-12 * size);
    }
    near("torque", there.number("torque"), here.number("torque"), 1e-12 * size);
}

macro_rules! tests {
    ($($module:ident $name:ident $rows:literal;)*) => { $(
        pub mod $module {
            use crate::plane as all;
            type M = all::$module::$name;

            #[test]
            fn derivatives() {
                mbd::verify::assert_all_derivatives(&M::default());
            }

            #[test]
            fn second_body_is_in_balance_and_freedom_is_removed() {
                all::balance(&M::default());
                let report = crate::started(&M::default()).report;
                assert_eq!(report.rank, $rows);
                assert!(report.redundant.is_empty());
            }

            #[test]
            fn rigid_motion_turns_the_forces() {
                all::rigid_motion(|m: &mut M| {
                    m.turned = 1.3;
                    m.shift = vec![3.0, -2.0];
                });
            }
        }
    )* };
}

mod each {
    tests! {
        revolute Revolute 2;
        prismatic Prismatic 2;
        fixed Fixed 3;
        parallel Parallel 1;
        point_on_line PointOnLine 1;
        point_on_curve PointOnCurve 1;
        cam Cam 1;
        point_on_curve_moved PointOnCurveMoved 1;
        cam_moved CamMoved 1;
        distance Distance 1;
        rolling Rolling 2;
        // One of them tells where the disc touches.
        rolling_on_curve RollingOnCurve 3;
        rolling_nonholonomic RollingNonholonomic 2;
        rolling_on_curve_holonomic RollingOnCurveHolonomic 3;
        disc_on_disc DiscOnDisc 2;
        disc_on_disc_holonomic DiscOnDiscHolonomic 2;
        knife_edge KnifeEdge 1;
    }
}

#[test]
fn coordinates_are_read_where_they_were_started() {
    let out = Outputs::of(&started(&revolute::Revolute::default()));
    near("angle", out.number("angle"), 7.0, 1e-13);
    near("rate", out.number("rate"), -1.2, 1e-13);
    let out = Outputs::of(&started(&prismatic::Prismatic::default()));
    near("position", out.number("position"), 0.7, 1e-13);
    near("speed", out.number("speed"), -1.2, 1e-13);
}
