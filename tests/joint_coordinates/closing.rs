//! Joints that carry no body, in joint coordinates: between a body that a hinge carries and one that moves freely.
//!
//! The rows are taken among frames of which one is made of the coordinates of other joints. Newton and Euler hold for the
//! free body with the joint's force and torque, and for the carried one with those of its hinge against the joint's:
//! two loads that come from unlike sources, a multiplier and the balance of a displacement.

use crate::read::{Outputs, close, near, started};
use mbd::model::Mechanism;
use mbd::verify::assert_all_derivatives;
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

macro_rules! spatial {
    ($($module:ident $rows:literal { $($joint:tt)* })*) => { $(
        mod $module {
            use mbd::prelude::*;
            mechanism! {
                pub mechanism Closing {
                    coordinates joint;
                    gravity [0.7, -1.1, -9.81];
                    body a: SpatialBody { mass: 2.0, jx: 0.1, jy: 0.25, jz: 0.2 };
                    body c: SpatialBody { mass: 0.8, jx: 0.05, jy: 0.1, jz: 0.08 };
                    body b: SpatialBody { mass: 1.5, jx: 0.15, jy: 0.3, jz: 0.2 };
                    init a.position = [0.2, -0.3, 0.4];
                    init a.e = yaw_pitch_roll(0.3, -0.4, 0.5);
                    init a.velocity = [0.3, 0.2, -0.5];
                    init a.omega = [0.8, -1.1, 0.6];
                    joint side: revolute(a.at([0, 0.3, 0], [0.4, 1, 0.5]), c.at([0, 0, 0.2], [0, 1, 0.2]));
                    guess side.angle = 0.7;
                    guess side.rate = -1.3;
                    force hold along side.angle = -3*side.angle;
                    guess b.position = [0.6, 0.5, 0.8];
                    guess b.e = yaw_pitch_roll(0.4, 0.7, 0.2);
                    guess b.velocity = [0.4, -0.3, 0.5];
                    guess b.omega = [1, 2, 3];
                    let p = [0.1, -0.2, 0.3];
                    let q = [-0.2, 0.15, 0.1];
                    $($joint)*
                    output force: [N] = j.force;
                    output torque: [N*m] = j.torque;
                    output hinge_force: [N] = side.force;
                    output hinge_torque: [N*m] = side.torque + hold_torque;
                    let hold_torque = -3*side.angle*c.frame.vector(unit([0, 1, 0.2]));
                    output b_e = b.e;
                    output b_omega: [rad/s] = b.omega;
                    output b_alpha: [rad/s^2] = der(b.omega);
                    output b_acceleration: [m/s^2] = der(b.velocity);
                    output b_arm: [m] = b.frame.vector(q);
                    output c_x = c.frame.x();
                    output c_y = c.frame.y();
                    output c_z = c.frame.z();
                    output c_omega: [rad/s] = c.omega;
                    output c_alpha: [rad/s^2] = der(c.omega);
                    output c_acceleration: [m/s^2] = der(c.velocity);
                    output c_hinge: [m] = c.frame.vector([0, 0, 0.2]);
                    output c_joint: [m] = b.point(q) - c.position;
                    until 0.1;
                }
            }

            #[test]
            fn in_balance() {
                super::spatial_balance(&Closing::default(), $rows);
            }
        }
    )* };
}

spatial! {
    constant_velocity 4 { joint j: constant_velocity(c.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0])); }
    parallel 2 { joint j: parallel(c.at(p, [1, 2, -1]), b.at(q, [0, 1, 1])); }
    perpendicular 1 { joint j: perpendicular(c.at(p, [1, 2, -1]), b.at(q, [0, 1, 1])); }
    point_on_line 2 { joint j: point_on_line(c.at(p, [1, 2, -1]), b.at(q)); }
    point_on_curve 2 { joint j: point_on_curve(c.at(p, [1, 2, -1]), b.at(q), |x| [0.3*sin(2.0*x), 0.2*x*x]); }
    point_on_plane 1 { joint j: point_on_plane(c.at(p, [1, 2, -1]), b.at(q)); }
    distance 1 { joint j: distance(c.at(p), b.at(q), 0.7); }
    revolute_spherical 2 { joint j: revolute_spherical(c.at(p, [1, 2, -1], [1, 0, 0]), b.at(q), 0.7); }
    rolling 3 { joint j: rolling(c.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1]), 0.4); }
    knife_edge 1 { joint j: knife_edge(c.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0])); }
}

/// M a and the rate of spin, in the ground's axes, of a body with its turn.
fn inertial(out: &Outputs, name: &str, moments: [f64; 3], turn: Matrix3<f64>) -> Vector3<f64> {
    let inertia = Matrix3::from_diagonal(&Vector3::from(moments));
    let (omega, alpha) =
        (out.vector::<3>(&format!("{name}_omega")), out.vector::<3>(&format!("{name}_alpha")));
    turn * (inertia * alpha + omega.cross(&(inertia * omega)))
}

fn spatial_balance(mechanism: &impl Mechanism, rows: usize) {
    assert_all_derivatives(mechanism);
    let started = started(mechanism);
    // Two bodies keep Euler parameters.
    assert_eq!(started.report.rank, rows + 2);
    assert!(started.report.redundant.is_empty());
    let out = Outputs::of(&started);
    let weight = Vector3::new(0.7, -1.1, -9.81);
    let (force, torque) = (out.vector::<3>("force"), out.vector::<3>("torque"));
    let size = force.norm() + torque.norm() + 10.0;

    let e = out.vector::<4>("b_e");
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(e[0], e[1], e[2], e[3]));
    let turn = turn.to_rotation_matrix().into_inner();
    close("b", 1.5 * (out.vector("b_acceleration") - weight), force, 1e-12 * size);
    let moment = torque + out.vector::<3>("b_arm").cross(&force);
    close("turn of b", inertial(&out, "b", [0.15, 0.3, 0.2], turn), moment, 1e-12 * size);

    let (hinge, bending) = (out.vector::<3>("hinge_force"), out.vector::<3>("hinge_torque"));
    let turn = Matrix3::from_columns(&[out.vector("c_x"), out.vector("c_y"), out.vector("c_z")]);
    close("c", 0.8 * (out.vector("c_acceleration") - weight), hinge - force, 1e-12 * size);
    let moment = bending + out.vector::<3>("c_hinge").cross(&hinge)
        - torque
        - out.vector::<3>("c_joint").cross(&force);
    close("turn of c", inertial(&out, "c", [0.05, 0.1, 0.08], turn), moment, 1e-12 * size);
    let alone = force.norm() + torque.norm();
    assert!(alone > 0.05, "the joint does nothing: {alone}");
}

macro_rules! planar {
    ($($module:ident $rows:literal { $($joint:tt)* })*) => { $(
        mod $module {
            use mbd::prelude::*;
            mechanism! {
                pub mechanism Closing {
                    coordinates joint;
                    gravity [0.7, -9.81];
                    body a: PlanarBody { mass: 2.0, inertia: 0.2 };
                    body c: PlanarBody { mass: 0.8, inertia: 0.1 };
                    body b: PlanarBody { mass: 1.5, inertia: 0.3 };
                    init a.position = [0.2, -0.3];
                    init a.theta = 0.4;
                    init a.velocity = [0.3, -0.5];
                    init a.omega = 0.8;
                    joint side: revolute(a.at([0, 0.3]), c.at([0, 0.2]));
                    guess side.angle = 0.7;
                    guess side.rate = -1.3;
                    force hold along side.angle = -3*side.angle;
                    guess b.position = [1, 1];
                    guess b.theta = 0.5;
                    guess b.velocity = [0.4, -0.3];
                    guess b.omega = 2;
                    let p = [0.1, -0.2];
                    let q = [-0.2, 0.15];
                    $($joint)*
                    output force: [N] = j.force;
                    output torque: [N*m] = j.torque;
                    output hinge_force: [N] = side.force;
                    output hinge_torque: [N*m] = side.torque - 3*side.angle;
                    output b_alpha: [rad/s^2] = der(b.omega);
                    output b_acceleration: [m/s^2] = der(b.velocity);
                    output b_arm: [m] = b.frame.vector(q);
                    output c_alpha: [rad/s^2] = der(c.omega);
                    output c_acceleration: [m/s^2] = der(c.velocity);
                    output c_hinge: [m] = c.frame.vector([0, 0.2]);
                    output c_joint: [m] = b.point(q) - c.position;
                    until 0.1;
                }
            }

            #[test]
            fn in_balance() {
                super::planar_balance(&Closing::default(), $rows);
            }
        }
    )* };
}

planar! {
    parallel_in_plane 1 { joint j: parallel(c.at(p, [1, 2]), b.at(q)); }
    point_on_line_in_plane 1 { joint j: point_on_line(c.at(p, [1, 2]), b.at(q)); }
    point_on_curve_in_plane 1 { joint j: point_on_curve(c.at(p, [1, 2]), b.at(q), |x| 0.3*sin(2.0*x)); }
    cam 1 { joint j: cam(c.at(p, [1, 2]), b.at(q), |angle| 0.6 + 0.1*cos(3.0*angle)); }
    distance_in_plane 1 { joint j: distance(c.at(p), b.at(q), 0.7); }
    rolling_in_plane 2 { joint j: rolling(c.at(p, [1, 2]), b.at(q), 0.4); }
    rolling_nonholonomic 2 { joint j: rolling_nonholonomic(c.at(p, [1, 2]), b.at(q), 0.4); }
    rolling_on_curve 3 {
        joint j: rolling_on_curve(c.at(p, [1, 2]), b.at(q), 0.4, |x| 0.5*x*x);
        guess j.contact = 0.6;
    }
    rolling_on_curve_holonomic 3 {
        joint j: rolling_on_curve_holonomic(c.at(p, [1, 2]), b.at(q), 0.4, |x| 0.5*x*x,
            |x| 0.5*(x*hypot(1.0, x) + (x + hypot(1.0, x)).ln()));
        guess j.contact = 0.6;
    }
    disc_on_disc 2 { joint j: disc_on_disc(c.at(p), b.at(q), 0.4, 0.2); }
    disc_on_disc_holonomic 2 { joint j: disc_on_disc_holonomic(c.at(p), b.at(q), 0.4, 0.2); }
    knife_edge_in_plane 1 { joint j: knife_edge(c.at(p), b.at(q, [1, 2])); }
}

fn planar_balance(mechanism: &impl Mechanism, rows: usize) {
    assert_all_derivatives(mechanism);
    let started = started(mechanism);
    assert_eq!(started.report.rank, rows);
    assert!(started.report.redundant.is_empty());
    let out = Outputs::of(&started);
    let weight = nalgebra::Vector2::new(0.7, -9.81);
    let (force, torque) = (out.vector::<2>("force"), out.number("torque"));
    let (hinge, bending) = (out.vector::<2>("hinge_force"), out.number("hinge_torque"));
    let size = force.norm() + torque.abs() + 10.0;
    let about = |name: &str, force: nalgebra::Vector2<f64>| out.vector::<2>(name).perp(&force);
    close("b", 1.5 * (out.vector("b_acceleration") - weight), force, 1e-12 * size);
    near("turn of b", 0.3 * out.number("b_alpha"), torque + about("b_arm", force), 1e-12 * size);
    close("c", 0.8 * (out.vector("c_acceleration") - weight), hinge - force, 1e-12 * size);
    let moment = bending + about("c_hinge", hinge) - torque - about("c_joint", force);
    near("turn of c", 0.1 * out.number("c_alpha"), moment, 1e-12 * size);
    let alone = force.norm() + torque.abs();
    assert!(alone > 0.05, "the joint does nothing: {alone}");
}
