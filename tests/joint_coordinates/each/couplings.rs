//! Every coupling, between joints of four bodies on one that moves freely: in space, where it is of rates in absolute
//! coordinates and of positions in joint coordinates, and in the plane.

use super::balance::{Body, Chain, Link};
use crate::read::{Outputs, near, started};

/// The bodies a, u, w, s; what w hangs on.
fn chain(planar: bool, on: usize) -> Chain {
    let body = |name, mass, moments, torque| {
        let [force, at] = [[0.0; 3]; 2];
        Body { name, mass, moments, force, at, torque }
    };
    let a = Body {
        force: [3.0, -2.0, if planar { 0.0 } else { 5.0 }],
        at: [0.1, 0.2, 0.0],
        ..body("a", 2.0, [0.1, 0.25, 0.2], [0.0; 3])
    };
    let bodies = vec![
        a,
        body("u", 0.8, [0.05, 0.1, 0.08], [0.4, 0.3, -0.6]),
        body("w", 1.5, [0.15, 0.3, 0.2], [0.2, -0.1, 0.3]),
        body("s", 0.7, [0.04, 0.06, 0.05], [0.0, 0.1, -0.2]),
    ];
    let links = vec![Link("one", 0, 1), Link("two", on, 2), Link("three", 0, 3)];
    Chain { planar, bodies, links }
}

/// All that is tested of a coupling: `rates` is what it keeps at zero of the rates of the joints, and their loads do no work.
fn coupled<A, J>(chain: &Chain, free: usize, rates: [f64; 3])
where
    A: mbd::Mechanism + Default,
    J: mbd::Mechanism + Default,
{
    super::derivatives(&A::default());
    super::derivatives(&J::default());
    super::in_both_forms::<A, J>(chain, free - 1);
    for out in [Outputs::of(&started(&A::default())), Outputs::of(&started(&J::default()))] {
        let rate: [f64; 3] =
            std::array::from_fn(|k| out.number(["one_rate", "two_rate", "three_rate"][k]));
        let off: f64 = (0..3).map(|k| rates[k] * rate[k]).sum();
        near("rates", off, 0.0, 1e-12);
        let loads: [f64; 3] =
            std::array::from_fn(|k| out.number(["on_one", "on_two", "on_three"][k]));
        let work: f64 = (0..3).map(|k| loads[k] * rate[k]).sum();
        let most = loads.iter().fold(0.0_f64, |most, load| most.max(load.abs()));
        near("work", work, 0.0, 1e-12 * most.max(1.0));
        assert!(most > 0.03, "it does nothing");
        if let Some(off) = out.0.get("by_pull") {
            near("what the pull does", *off, 0.0, 1e-12 * most);
        }
    }
    super::moves_alike::<A, J>();
}

/// `two` hangs w on a body; `loads` are what the coupling does along the coordinates of the three joints.
macro_rules! space {
    ($($module:ident on $on:literal free $free:literal keeps $keeps:expr;
        { $($two:tt)* } $along:ident { $($joint:tt)* } [$one:expr, $second:expr, $three:expr])*) => { $(
        mod $module {
            space!(@ absolute Absolute { $($two)* } $along { $($joint)* } [$one, $second, $three]);
            space!(@ joint Joint { $($two)* } $along { $($joint)* } [$one, $second, $three]);
            #[test]
            fn in_both_forms() {
                super::coupled::<absolute::Absolute, joint::Joint>(&super::chain(false, $on), $free, $keeps);
            }
        }
    )* };
    (@ $form:ident $name:ident { $($two:tt)* } $along:ident { $($joint:tt)* } [$one:expr, $second:expr, $three:expr]) => {
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
                    let moved = yaw_pitch_roll(yaw, pitch, roll);
                    let turn = rotation(moved);
                    gravity turn*[0.7, -1.1, -9.81];
                    body a: SpatialBody { mass: 2.0, jx: 0.1, jy: 0.25, jz: 0.2 };
                    body u: SpatialBody { mass: 0.8, jx: 0.05, jy: 0.1, jz: 0.08 };
                    body w: SpatialBody { mass: 1.5, jx: 0.15, jy: 0.3, jz: 0.2 };
                    body s: SpatialBody { mass: 0.7, jx: 0.04, jy: 0.06, jz: 0.05 };
                    init a.position = shift + turn*[0.2, -0.3, 0.4];
                    init a.e = product(moved, yaw_pitch_roll(0.3, -0.4, 0.5));
                    init a.velocity = turn*[0.3, 0.2, -0.5];
                    init a.omega = [0.8, -1.1, 0.6];
                    force push = a.frame.vector([3, -2, 5]) on a at [0.1, 0.2, 0];
                    torque twist = u.frame.vector([0.4, 0.3, -0.6]) on u;
                    torque bend = w.frame.vector([0.2, -0.1, 0.3]) on w;
                    torque brake = s.frame.vector([0, 0.1, -0.2]) on s;
                    let p = [0.1, -0.2, 0.3];
                    let q = [-0.2, 0.15, 0.1];
                    joint one: revolute(a.at([0, 0.3, 0], [0.4, 1, 0.5]), u.at([0, 0, 0.2], [0, 1, 0.2]));
                    joint three: revolute(a.at([0.3, 0, 0.1], [1, 0.2, 0]), s.at([0, 0.1, 0], [1, 0, 0.3]));
                    $($two)*
                    init one.angle = 0.7;
                    init three.angle = -1.4;
                    $($joint)*
                    output one_rate: [rad/s] = one.rate;
                    output two_rate = two.$along;
                    output three_rate: [rad/s] = three.rate;
                    output on_one: [N*m] = $one;
                    output on_two = $second;
                    output on_three: [N*m] = $three;
                    output one_force: [N] = one.force;
                    output one_torque: [N*m] = one.torque;
                    output one_place: [m] = u.point([0, 0, 0.2]);
                    output one_more: [N*m] = $one*u.frame.vector(unit([0, 1, 0.2]));
                    output two_force: [N] = two.force;
                    output two_torque: [N*m] = two.torque;
                    output two_place: [m] = w.point(q);
                    output three_force: [N] = three.force;
                    output three_torque: [N*m] = three.torque;
                    output three_place: [m] = s.point([0, 0.1, 0]);
                    output three_more: [N*m] = $three*s.frame.vector(unit([1, 0, 0.3]));
                    output a_position: [m] = a.position;
                    output a_x = a.frame.x();
                    output a_y = a.frame.y();
                    output a_omega: [rad/s] = a.omega;
                    output a_alpha: [rad/s^2] = der(a.omega);
                    output a_acceleration: [m/s^2] = der(a.velocity);
                    output u_position: [m] = u.position;
                    output u_x = u.frame.x();
                    output u_y = u.frame.y();
                    output u_omega: [rad/s] = u.omega;
                    output u_alpha: [rad/s^2] = der(u.omega);
                    output u_acceleration: [m/s^2] = der(u.velocity);
                    output w_position: [m] = w.position;
                    output w_x = w.frame.x();
                    output w_y = w.frame.y();
                    output w_omega: [rad/s] = w.omega;
                    output w_alpha: [rad/s^2] = der(w.omega);
                    output w_acceleration: [m/s^2] = der(w.velocity);
                    output s_position: [m] = s.position;
                    output s_x = s.frame.x();
                    output s_y = s.frame.y();
                    output s_omega: [rad/s] = s.omega;
                    output s_alpha: [rad/s^2] = der(s.omega);
                    output s_acceleration: [m/s^2] = der(s.velocity);
                    output weight: [m/s^2] = turn*[0.7, -1.1, -9.81];
                    until 0.1;
                }
            }
        }
    };
}

space! {
    gear on 0 free 9 keeps [0.5, 1.0, 0.0]; {
        joint two: revolute(a.at(p, [1, 2, -1]), w.at(q, [0, 1, 1]));
        init two.angle = 0.3;
        init one.rate = 3.0;
        init two.rate = -1.5;
        output two_more: [N*m] = mesh.second_torque*w.frame.vector(unit([0, 1, 1]));
    } rate { joint mesh: gear(one, two, 0.5); } [mesh.first_torque, mesh.second_torque, 0.0]
    planetary on 1 free 9 keeps [-0.7, 1.0, 0.0]; {
        joint two: revolute(u.at(p, [1, 2, -1]), w.at(q, [0, 1, 1]));
        init two.angle = 5.0;
        init one.rate = 3.0;
        init two.rate = 2.1;
        output two_more: [N*m] = mesh.second_torque*w.frame.vector(unit([0, 1, 1]));
    } rate { joint mesh: gear(one, two, -0.7); } [mesh.first_torque, mesh.second_torque, 0.0]
    gear_on_sleeve on 0 free 10 keeps [0.5, 1.0, 0.0]; {
        joint two: cylindrical(a.at(p, [1, 2, -1]), w.at(q, [0, 1, 1]));
        init two.angle = 0.3;
        init two.position = 0.2;
        init two.speed = -0.4;
        init one.rate = 3.0;
        init two.rate = -1.5;
        output two_more: [N*m] = mesh.second_torque*w.frame.vector(unit([0, 1, 1]));
    } rate { joint mesh: gear(one, two, 0.5); } [mesh.first_torque, mesh.second_torque, 0.0]
    geared_screw on 1 free 9 keeps [0.5, 1.0, 0.0]; {
        joint two: screw(u.at(p, [1, 2, -1]), w.at(q, [0, 1, 1]), 0.2);
        init two.angle = 9.0;
        init one.rate = 3.0;
        init two.rate = -1.5;
        output two_more: [N*m] = mesh.second_torque*w.frame.vector(unit([0, 1, 1]));
    } rate { joint mesh: gear(one, two, 0.5); } [mesh.first_torque, mesh.second_torque, 0.0]
    gear_on_plane on 0 free 11 keeps [0.5, 1.0, 0.0]; {
        joint two: planar(a.at(p, [1, 2, -1]), w.at(q, [0, 1, 1]));
        init two.x = 0.1;
        init two.y = -0.3;
        init two.angle = 1.0;
        init two.speed_x = 0.4;
        init two.speed_y = -0.2;
        init one.rate = 3.0;
        init two.rate = -1.5;
        output two_more: [N*m] = mesh.second_torque*w.frame.vector(unit([0, 1, 1]));
    } rate { joint mesh: gear(one, two, 0.5); } [mesh.first_torque, mesh.second_torque, 0.0]
    belt on 0 free 9 keeps [0.1, -0.25, 0.0]; {
        joint two: revolute(a.at(p, [1, 2, -1]), w.at(q, [0, 1, 1]));
        init two.angle = -2.0;
        init one.rate = 3.0;
        init two.rate = 1.2;
        output two_more: [N*m] = loop_.second_torque*w.frame.vector(unit([0, 1, 1]));
        output by_pull: [N*m] = loop_.second_torque - 0.25*loop_.pull;
    } rate { joint loop_: belt(one, two, 0.1, 0.25); } [loop_.first_torque, loop_.second_torque, 0.0]
    rack on 0 free 9 keeps [0.15, -1.0, 0.0]; {
        joint two: prismatic(a.at(p, [1, 2, -1]), w.at(q, [0, 1, 1]));
        init two.position = 0.4;
        init one.rate = 3.0;
        init two.speed = 0.45;
        output two_pull: [N] = mesh.rack_force*w.frame.vector(unit([0, 1, 1]));
    } speed { joint mesh: rack_and_pinion(one, two, 0.15); } [mesh.pinion_torque, mesh.rack_force, 0.0]
    rack_in_sleeve on 1 free 10 keeps [0.15, -1.0, 0.0]; {
        joint two: cylindrical(u.at(p, [1, 2, -1]), w.at(q, [0, 1, 1]));
        init two.position = 0.4;
        init two.angle = 0.5;
        init two.rate = -0.6;
        init one.rate = 3.0;
        init two.speed = 0.45;
        output two_pull: [N] = mesh.rack_force*w.frame.vector(unit([0, 1, 1]));
    } speed { joint mesh: rack_and_pinion(one, two, 0.15); } [mesh.pinion_torque, mesh.rack_force, 0.0]
    differential on 0 free 9 keeps [2.0, -1.0, -1.0]; {
        joint two: revolute(a.at(p, [1, 2, -1]), w.at(q, [0, 1, 1]));
        init two.angle = -2.0;
        init one.rate = 3.0;
        init two.rate = 1.2;
        init three.rate = 4.8;
        output two_more: [N*m] = shares.left_torque*w.frame.vector(unit([0, 1, 1]));
    } rate { joint shares: differential(one, two, three); } [shares.case_torque, shares.left_torque, shares.right_torque]
}

macro_rules! plane {
    ($($module:ident on $on:literal free $free:literal keeps $keeps:expr;
        { $($two:tt)* } $along:ident { $($joint:tt)* } [$one:expr, $second:expr, $three:expr])*) => { $(
        mod $module {
            plane!(@ absolute Absolute { $($two)* } $along { $($joint)* } [$one, $second, $three]);
            plane!(@ joint Joint { $($two)* } $along { $($joint)* } [$one, $second, $three]);
            #[test]
            fn in_both_forms() {
                super::coupled::<absolute::Absolute, joint::Joint>(&super::chain(true, $on), $free, $keeps);
            }
        }
    )* };
    (@ $form:ident $name:ident { $($two:tt)* } $along:ident { $($joint:tt)* } [$one:expr, $second:expr, $three:expr]) => {
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
                    body u: PlanarBody { mass: 0.8, inertia: 0.08 };
                    body w: PlanarBody { mass: 1.5, inertia: 0.2 };
                    body s: PlanarBody { mass: 0.7, inertia: 0.05 };
                    init a.position = shift + turn*[0.2, -0.3];
                    init a.theta = yaw + 0.4;
                    init a.velocity = turn*[0.3, -0.5];
                    init a.omega = 0.8;
                    force push = a.frame.vector([3, -2]) on a at [0.1, 0.2];
                    torque twist = -0.6 on u;
                    torque bend = 0.3 on w;
                    torque brake = -0.2 on s;
                    let p = [0.1, -0.2];
                    let q = [-0.2, 0.15];
                    joint one: revolute(a.at([0, 0.3]), u.at([0, 0.2]));
                    joint three: revolute(a.at([0.3, 0]), s.at([0.1, 0]));
                    $($two)*
                    init one.angle = 0.7;
                    init three.angle = -1.4;
                    $($joint)*
                    output one_rate: [rad/s] = one.rate;
                    output two_rate = two.$along;
                    output three_rate: [rad/s] = three.rate;
                    output on_one: [N*m] = $one;
                    output on_two = $second;
                    output on_three: [N*m] = $three;
                    output one_force: [N] = one.force;
                    output one_torque: [N*m] = one.torque;
                    output one_place: [m] = u.point([0, 0.2]);
                    output one_more: [N*m] = $one;
                    output two_force: [N] = two.force;
                    output two_torque: [N*m] = two.torque;
                    output two_place: [m] = w.point(q);
                    output three_force: [N] = three.force;
                    output three_torque: [N*m] = three.torque;
                    output three_place: [m] = s.point([0.1, 0]);
                    output three_more: [N*m] = $three;
                    output a_position: [m] = a.position;
                    output a_x = a.frame.x();
                    output a_alpha: [rad/s^2] = der(a.omega);
                    output a_acceleration: [m/s^2] = der(a.velocity);
                    output u_position: [m] = u.position;
                    output u_x = u.frame.x();
                    output u_alpha: [rad/s^2] = der(u.omega);
                    output u_acceleration: [m/s^2] = der(u.velocity);
                    output w_position: [m] = w.position;
                    output w_x = w.frame.x();
                    output w_alpha: [rad/s^2] = der(w.omega);
                    output w_acceleration: [m/s^2] = der(w.velocity);
                    output s_position: [m] = s.position;
                    output s_x = s.frame.x();
                    output s_alpha: [rad/s^2] = der(s.omega);
                    output s_acceleration: [m/s^2] = der(s.velocity);
                    output weight: [m/s^2] = turn*[0.7, -9.81];
                    until 0.1;
                }
            }
        }
    };
}

plane! {
    gear_in_plane on 0 free 6 keeps [0.5, 1.0, 0.0]; {
        joint two: revolute(a.at(p), w.at(q));
        init two.angle = 0.3;
        init one.rate = 3.0;
        init two.rate = -1.5;
        output two_more: [N*m] = mesh.second_torque;
    } rate { joint mesh: gear(one, two, 0.5); } [mesh.first_torque, mesh.second_torque, 0.0]
    planetary_in_plane on 1 free 6 keeps [-0.7, 1.0, 0.0]; {
        joint two: revolute(u.at(p), w.at(q));
        init two.angle = 5.0;
        init one.rate = 3.0;
        init two.rate = 2.1;
        output two_more: [N*m] = mesh.second_torque;
    } rate { joint mesh: gear(one, two, -0.7); } [mesh.first_torque, mesh.second_torque, 0.0]
    belt_in_plane on 0 free 6 keeps [0.1, -0.25, 0.0]; {
        joint two: revolute(a.at(p), w.at(q));
        init two.angle = -2.0;
        init one.rate = 3.0;
        init two.rate = 1.2;
        output two_more: [N*m] = loop_.second_torque;
        output by_pull: [N*m] = loop_.second_torque - 0.25*loop_.pull;
    } rate { joint loop_: belt(one, two, 0.1, 0.25); } [loop_.first_torque, loop_.second_torque, 0.0]
    rack_in_plane on 0 free 6 keeps [0.15, -1.0, 0.0]; {
        joint two: prismatic(a.at(p, [1, 2]), w.at(q, [0, 1]));
        init two.position = 0.4;
        init one.rate = 3.0;
        init two.speed = 0.45;
        output two_pull: [N] = mesh.rack_force*w.frame.vector([0, 1]);
    } speed { joint mesh: rack_and_pinion(one, two, 0.15); } [mesh.pinion_torque, mesh.rack_force, 0.0]
    differential_in_plane on 0 free 6 keeps [2.0, -1.0, -1.0]; {
        joint two: revolute(a.at(p), w.at(q));
        init two.angle = -2.0;
        init one.rate = 3.0;
        init two.rate = 1.2;
        init three.rate = 4.8;
        output two_more: [N*m] = shares.left_torque;
    } rate { joint shares: differential(one, two, three); } [shares.case_torque, shares.left_torque, shares.right_torque]
}
