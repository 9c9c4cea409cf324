//! Every joint in the plane.

use super::balance::{Body, Chain, Link};
use super::tests;

/// The three bodies around a joint `j` that holds b on c.
fn chain() -> Chain {
    let free = |name, mass, moment| {
        let [force, at, torque] = [[0.0; 3]; 3];
        Body { name, mass, moments: [0.0, 0.0, moment], force, at, torque }
    };
    let a = Body {
        force: [3.0, -2.0, 0.0],
        at: [0.1, 0.2, 0.0],
        torque: [0.0, 0.0, 0.4],
        ..free("a", 2.0, 0.2)
    };
    let b = Body { torque: [0.0, 0.0, -0.3], ..free("b", 1.5, 0.3) };
    Chain {
        planar: true,
        bodies: vec![a, free("c", 0.8, 0.1), b],
        links: vec![Link("side", 0, 1), Link("j", 1, 2)],
    }
}

/// A joint with the freedoms it removes.
macro_rules! each {
    ($($module:ident $removed:literal { $($joint:tt)* })*) => { $(
        mod $module {
            each!(@ absolute Absolute { $($joint)* });
            each!(@ joint Joint { $($joint)* });
            super::tests!(super::chain(), 9 - 2 - $removed);
        }
    )* };
    (@ $form:ident $name:ident { $($joint:tt)* }) => {
        mod $form {
            use mbd::prelude::*;
            mechanism! {
                pub mechanism $name {
                    coordinates $form;
                    param yaw: [rad] = 0.0;
                    param shift[2]: [m] = 0.0;
                    let turn = [[cos(yaw), -sin(yaw)], [sin(yaw), cos(yaw)]];
                    gravity turn*[0.7, -9.81];
                    body a: PlanarBody { mass: 2.0, inertia: 0.2 };
                    body c: PlanarBody { mass: 0.8, inertia: 0.1 };
                    body b: PlanarBody { mass: 1.5, inertia: 0.3 };
                    init a.position = shift + turn*[0.2, -0.3];
                    init a.theta = yaw + 0.4;
                    init a.velocity = turn*[0.3, -0.5];
                    init a.omega = 0.8;
                    force push = a.frame.vector([3, -2]) on a at [0.1, 0.2];
                    torque twist = 0.4 on a;
                    torque bend = -0.3 on b;
                    joint side: revolute(a.at([0, 0.3]), c.at([0, 0.2]));
                    init side.angle = 0.7;
                    init side.rate = -1.3;
                    force hold along side.angle = -3*side.angle;
                    let p = [0.1, -0.2];
                    let q = [-0.2, 0.15];
                    $($joint)*
                    output j_force: [N] = j.force;
                    output j_torque: [N*m] = j.torque;
                    output j_place: [m] = b.point(q);
                    output side_force: [N] = side.force;
                    output side_torque: [N*m] = side.torque;
                    output side_place: [m] = c.point([0, 0.2]);
                    output side_more: [N*m] = -3*side.angle;
                    output a_position: [m] = a.position;
                    output a_x = a.frame.x();
                    output a_alpha: [rad/s^2] = der(a.omega);
                    output a_acceleration: [m/s^2] = der(a.velocity);
                    output b_position: [m] = b.position;
                    output b_x = b.frame.x();
                    output b_alpha: [rad/s^2] = der(b.omega);
                    output b_acceleration: [m/s^2] = der(b.velocity);
                    output c_position: [m] = c.position;
                    output c_x = c.frame.x();
                    output c_alpha: [rad/s^2] = der(c.omega);
                    output c_acceleration: [m/s^2] = der(c.velocity);
                    output weight: [m/s^2] = turn*[0.7, -9.81];
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
            guess b.position = shift + turn*[1, 1];
            guess b.theta = yaw + 0.5;
            guess b.velocity = turn*[0.4, -0.3];
            guess b.omega = 2;
        })* }
    };
}

each! {
    revolute 2 {
        joint j: revolute(c.at(p), b.at(q));
        guess j.angle = 7.0;
        guess j.rate = -1.2;
    }
    prismatic 2 {
        joint j: prismatic(c.at(p, [1, 2]), b.at(q, [0, 1]));
        guess j.position = 0.7;
        guess j.speed = -1.2;
    }
    fixed 3 { joint j: fixed(c.at(p, [1, 2]), b.at(q)); }
}

closing! {
    parallel 1 { joint j: parallel(c.at(p, [1, 2]), b.at(q)); }
    point_on_line 1 { joint j: point_on_line(c.at(p, [1, 2]), b.at(q)); }
    point_on_curve 1 { joint j: point_on_curve(c.at(p, [1, 2]), b.at(q), |x| 0.3*sin(2.0*x)); }
    cam 1 { joint j: cam(c.at(p, [1, 2]), b.at(q), |angle| 0.6 + 0.1*cos(3.0*angle)); }
    distance 1 { joint j: distance(c.at(p), b.at(q), 0.7); }
    rolling 2 { joint j: rolling(c.at(p, [1, 2]), b.at(q), 0.4); }
    rolling_nonholonomic 2 { joint j: rolling_nonholonomic(c.at(p, [1, 2]), b.at(q), 0.4); }
    rolling_on_curve 2 {
        joint j: rolling_on_curve(c.at(p, [1, 2]), b.at(q), 0.4, |x| 0.5*x*x);
        guess j.contact = 0.6;
    }
    rolling_on_curve_holonomic 2 {
        joint j: rolling_on_curve_holonomic(c.at(p, [1, 2]), b.at(q), 0.4, |x| 0.5*x*x,
            |x| 0.5*(x*hypot(1.0, x) + (x + hypot(1.0, x)).ln()));
        guess j.contact = 0.6;
    }
    disc_on_disc 2 { joint j: disc_on_disc(c.at(p), b.at(q), 0.4, 0.2); }
    disc_on_disc_holonomic 2 { joint j: disc_on_disc_holonomic(c.at(p), b.at(q), 0.4, 0.2); }
    disc_in_ring 2 { joint j: disc_on_disc(c.at(p), b.at(q), 0.9, -0.2); }
    disc_in_ring_holonomic 2 { joint j: disc_on_disc_holonomic(c.at(p), b.at(q), 0.9, -0.2); }
    knife_edge 1 { joint j: knife_edge(c.at(p), b.at(q, [1, 2])); }
}
