//! Every joint in space.

use super::balance::{Body, Chain, Link};
use super::tests;

/// The three bodies around a joint `j` that holds b on c.
fn chain() -> Chain {
    let free = |name, mass, moments| {
        let [force, at, torque] = [[0.0; 3]; 3];
        Body { name, mass, moments, force, at, torque }
    };
    let a = Body {
        force: [3.0, -2.0, 5.0],
        at: [0.1, 0.0, 0.2],
        torque: [0.4, 0.3, -0.6],
        ..free("a", 2.0, [0.1, 0.25, 0.2])
    };
    let b = Body { torque: [0.2, -0.1, 0.3], ..free("b", 1.5, [0.15, 0.3, 0.2]) };
    Chain {
        planar: false,
        bodies: vec![a, free("c", 0.8, [0.05, 0.1, 0.08]), b],
        links: vec![Link("side", 0, 1), Link("j", 1, 2)],
    }
}

/// A joint with the freedoms it removes; then how b is started, in absolute and in joint coordinates.
macro_rules! each {
    ($($module:ident $removed:literal { $($joint:tt)* } $absolute:tt $form:tt)*) => { $(
        mod $module {
            each!(@ absolute Absolute { $($joint)* } $absolute);
            each!(@ joint Joint { $($joint)* } $form);
            super::tests!(super::chain(), 18 - 5 - $removed);
        }
    )* };
    (@ $form:ident $name:ident { $($joint:tt)* } { $($start:tt)* }) => {
        mod $form {
            #[allow(unused_imports)]
            use mbd::components::spatial::{product, rotation};
            use mbd::prelude::*;
            mechanism! {
                pub mechanism $name {
                    coordinates $form;
                    param yaw: [rad] = 0.0;
                    param pitch: [rad] = 0.0;
                    param roll: [rad] = 0.0;
                    param shift[3]: [m] = 0.0;
                    param round = 0.0;
                    let moved = yaw_pitch_roll(yaw, pitch, roll);
                    let turn = rotation(moved);
                    gravity turn*[0.7, -1.1, -9.81];
                    body a: SpatialBody { mass: 2.0, jx: 0.1, jy: 0.25, jz: 0.2 };
                    body c: SpatialBody { mass: 0.8, jx: 0.05, jy: 0.1, jz: 0.08 };
                    body b: SpatialBody { mass: 1.5, jx: 0.15 + 0.05*round, jy: 0.3 - 0.1*round, jz: 0.2 };
                    init a.position = shift + turn*[0.2, -0.3, 0.4];
                    init a.e = product(moved, yaw_pitch_roll(0.3, -0.4, 0.5));
                    init a.velocity = turn*[0.3, 0.2, -0.5];
                    init a.omega = [0.8, -1.1, 0.6];
                    force push = a.frame.vector([3, -2, 5]) on a at [0.1, 0, 0.2];
                    torque twist = a.frame.vector([0.4, 0.3, -0.6]) on a;
                    torque bend = b.frame.vector([0.2, -0.1, 0.3]) on b;
                    joint side: revolute(a.at([0, 0.3, 0], [0.4, 1, 0.5]), c.at([0, 0, 0.2], [0, 1, 0.2]));
                    init side.angle = 0.7;
                    init side.rate = -1.3;
                    force hold along side.angle = -3*side.wrapped_angle;
                    let p = [0.1, -0.2, 0.3];
                    let q = [-0.2, 0.15, 0.1];
                    $($joint)*
                    $($start)*
                    output j_force: [N] = j.force;
                    output j_torque: [N*m] = j.torque;
                    output j_place: [m] = b.point(q);
                    output side_force: [N] = side.force;
                    output side_torque: [N*m] = side.torque;
                    output side_place: [m] = c.point([0, 0, 0.2]);
                    output side_more: [N*m] = -3*side.wrapped_angle*c.frame.vector(unit([0, 1, 0.2]));
                    output a_position: [m] = a.position;
                    output a_x = a.frame.x();
                    output a_y = a.frame.y();
                    output a_omega: [rad/s] = a.omega;
                    output a_alpha: [rad/s^2] = der(a.omega);
                    output a_acceleration: [m/s^2] = der(a.velocity);
                    output b_position: [m] = b.position;
                    output b_x = b.frame.x();
                    output b_y = b.frame.y();
                    output b_omega: [rad/s] = b.omega;
                    output b_alpha: [rad/s^2] = der(b.omega);
                    output b_acceleration: [m/s^2] = der(b.velocity);
                    output c_position: [m] = c.position;
                    output c_x = c.frame.x();
                    output c_y = c.frame.y();
                    output c_omega: [rad/s] = c.omega;
                    output c_alpha: [rad/s^2] = der(c.omega);
                    output c_acceleration: [m/s^2] = der(c.velocity);
                    output weight: [m/s^2] = turn*[0.7, -1.1, -9.81];
                    until 0.1;
                }
            }
        }
    };
}

/// The same, of joints that close a loop in joint coordinates.
macro_rules! closing {
    ($($module:ident $removed:literal { $($joint:tt)* })*) => {
        each! { $($module $removed {
            $($joint)*
            guess b.position = shift + turn*[0.6, 0.5, 0.8];
            guess b.e = product(moved, yaw_pitch_roll(0.4, 0.7, 0.2));
            guess b.velocity = turn*[0.4, -0.3, 0.5];
            guess b.omega = [1, 2, 3];
        } {} {})* }
    };
}

each! {
    revolute 5 {
        joint j: revolute(c.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]));
        guess j.angle = 0.7;
        guess j.rate = -1.2;
    } {} {}
    prismatic 5 {
        joint j: prismatic(c.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]));
        guess j.position = 0.7;
        guess j.speed = -1.2;
    } {} {}
    cylindrical 4 {
        joint j: cylindrical(c.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]));
        guess j.angle = -2.5;
        guess j.position = 0.3;
        guess j.rate = 1.2;
        guess j.speed = 0.4;
    } {} {}
    screw 5 {
        joint j: screw(c.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]), 0.3);
        guess j.angle = 8.0;
        guess j.rate = 1.2;
    } {} {}
    spherical 3 {
        joint j: spherical(c.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]));
    } {} {}
    universal 4 {
        joint j: universal(c.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]));
        guess j.first_angle = 0.7;
        guess j.second_angle = -0.4;
        guess j.first_rate = 1.2;
        guess j.second_rate = 0.5;
    } {} {}
    planar 3 {
        joint j: planar(c.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]));
        guess j.x = 0.2;
        guess j.y = -0.1;
        guess j.angle = 2.0;
        guess j.speed_x = 0.6;
        guess j.rate = 1.5;
    } {} {}
    fixed 6 {
        joint j: fixed(c.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]));
    } {} {}
    // From far, assembly may take either way to an angle of 90 degrees: it begins there.
    perpendicular 1 {
        joint j: perpendicular(c.at(p, [1, 2, -1]), b.at(q, [0, 1, 1]));
        guess b.position = shift + turn*[0.6, 0.5, 0.8];
        guess b.e = product(moved, [0.8223011038018724, 0.43902706216895143, 0.36195329910877244, 0.008120506991398931]);
        guess b.velocity = turn*[0.4, -0.3, 0.5];
        guess b.omega = [1, 2, 3];
    } {} {}
}

closing! {
    constant_velocity 4 { joint j: constant_velocity(c.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0])); }
    parallel 2 { joint j: parallel(c.at(p, [1, 2, -1]), b.at(q, [0, 1, 1])); }
    point_on_line 2 { joint j: point_on_line(c.at(p, [1, 2, -1]), b.at(q)); }
    point_on_curve 2 { joint j: point_on_curve(c.at(p, [1, 2, -1], [1, 0, 0]), b.at(q), |x| [0.3*sin(2.0*x), 0.2*x*x]); }
    point_on_plane 1 { joint j: point_on_plane(c.at(p, [1, 2, -1]), b.at(q)); }
    distance 1 { joint j: distance(c.at(p), b.at(q), 0.7); }
    revolute_spherical 2 { joint j: revolute_spherical(c.at(p, [1, 2, -1], [1, 0, 0]), b.at(q), 0.7); }
    rolling 3 { joint j: rolling(c.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1]), 0.4); }
    knife_edge 1 { joint j: knife_edge(c.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0])); }
}
