//! Every spatial joint, between two bodies that move freely otherwise.

use crate::{Outputs, close, near, started};
use mbd::model::Mechanism;
use mbd::prelude::*;
use mbd::verify::assert_all_derivatives;
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

/// Two bodies, the first started by hand in a general motion, the second where the joint puts it. The
/// parameters `yaw`, `pitch`, `roll` and `shift` move everything, gravity too, as one rigid body.
macro_rules! pairs {
    ($($module:ident $name:ident { $($joint:tt)* } $parts:tt)*) => { $( pairs!(@ $module $name { $($joint)* } $parts); )* };
    (@ $module:ident $name:ident { $($joint:tt)* } { $($more:tt)* }) => {
        pub mod $module {
            #[allow(unused_imports)]
            use mbd::components::spatial::product;
            use mbd::prelude::*;
            mechanism! {
                pub mechanism $name {
                    param yaw: [rad] = 0.0;
                    param pitch: [rad] = 0.0;
                    param roll: [rad] = 0.0;
                    param shift[3]: [m] = 0.0;
                    /// 1 for a second body with the same inertia about every axis, so that assembly does
                    /// not depend on where its axes lie.
                    param round = 0.0;
                    let moved = yaw_pitch_roll(yaw, pitch, roll);
                    let turn = mbd::components::spatial::rotation(moved);
                    let start = yaw_pitch_roll(0.3, -0.4, 0.5);
                    gravity turn*[0.7, -1.1, -9.81];
                    body a: SpatialBody { mass: 2.0, jx: 0.1, jy: 0.25, jz: 0.2 };
                    body b: SpatialBody { mass: 1.5, jx: 0.15 + 0.05*round, jy: 0.3 - 0.1*round, jz: 0.2 };
                    init a.position = shift + turn*[0.2, -0.3, 0.4];
                    init a.e = product(moved, start);
                    init a.velocity = turn*[0.3, 0.2, -0.5];
                    init a.omega = [0.8, -1.1, 0.6];
                    let p = [0.1, -0.2, 0.3];
                    let q = [-0.2, 0.15, 0.1];
                    force push = a.frame.vector([3, -2, 5]) on a at [0.1, 0, 0.2];
                    torque twist = a.frame.vector([0.4, 0.3, -0.6]) on a;
                    $($joint)*
                    output force: [N] = j.force;
                    output torque: [N*m] = j.torque;
                    output e = b.e;
                    output omega: [rad/s] = b.omega;
                    output alpha: [rad/s^2] = der(b.omega);
                    output acceleration: [m/s^2] = der(b.velocity);
                    output arm: [m] = b.frame.vector(q);
                    output weight: [m/s^2] = turn*[0.7, -1.1, -9.81];
                    $($more)*
                    until 0.1;
                }
            }
        }
    };
}

pairs! {
    revolute Revolute {
        joint j: revolute(a.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]));
        guess j.angle = 0.7;
        guess j.rate = -1.2;
    } {
        output angle: [rad] = j.angle;
        output rate: [rad/s] = j.rate;
    }
    prismatic Prismatic {
        joint j: prismatic(a.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]));
        guess j.position = 0.7;
        guess j.speed = -1.2;
    } {
        output position: [m] = j.position;
        output speed: [m/s] = j.speed;
    }
    cylindrical Cylindrical {
        joint j: cylindrical(a.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]));
        guess j.angle = -2.5;
        guess j.position = 0.3;
        guess j.rate = 1.2;
        guess j.speed = 0.4;
    } {
        output angle: [rad] = j.angle;
        output rate: [rad/s] = j.rate;
        output position: [m] = j.position;
        output speed: [m/s] = j.speed;
    }
    screw Screw {
        joint j: screw(a.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]), 0.3);
        guess j.angle = 8.0;
        guess j.rate = 1.2;
    } {
        output angle: [rad] = j.angle;
        output rate: [rad/s] = j.rate;
        output position: [m] = j.position;
        output speed: [m/s] = j.speed;
    }
    spherical Spherical {
        joint j: spherical(a.at(p), b.at(q));
    } {}
    universal Universal {
        joint j: universal(a.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]));
        guess j.first_angle = 0.7;
        guess j.second_angle = -0.4;
        guess j.first_rate = 1.2;
        guess j.second_rate = 0.5;
    } {
        output angle: [rad] = j.first_angle;
        output rate: [rad/s] = j.first_rate;
        output second: [rad] = j.second_angle;
        output second_rate: [rad/s] = j.second_rate;
    }
    constant_velocity ConstantVelocity {
        joint j: constant_velocity(a.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]));
        guess b.position = shift + turn*[0.5, 0.6, 0.9];
        guess b.e = product(moved, yaw_pitch_roll(0.4, 0.7, 0.2));
        guess b.omega = [1, 2, 3];
    } {
        output bend: [rad] = acos(dot(a.frame.marker_axes(p, [1.0, 2.0, -1.0], [1.0, 0.0, 0.0]).z(), b.frame.marker_axes(q, [0.0, 1.0, 1.0], [1.0, 0.0, 0.0]).z()));
    }
    point_on_curve PointOnCurve {
        joint j: point_on_curve(a.at(p, [1, 2, -1], [1, 0, 0]), b.at(q), |x| [0.3*sin(2.0*x), 0.2*x*x]);
        guess b.position = shift + turn*[0.886569, -0.679011, 0.311229];
        guess b.e = product(moved, yaw_pitch_roll(0.4, 0.7, 0.2));
        guess b.velocity = turn*[0.4, -0.3, 0.5];
        guess b.omega = [1, 2, 3];
    } {
        output position: [m] = j.position;
    }
    // A curve that time and a carriage move.
    point_on_curve_moved PointOnCurveMoved {
        coord c: [m];
        kinetic carriage = 0.5*0.8*sq(der(c));
        init c = 0.2;
        init der(c) = 0.7;
        joint j: point_on_curve(a.at(p, [1, 2, -1], [1, 0, 0]), b.at(q),
            |x| [0.3*sin(2.0*x) + 3.0*t + 0.4*c*x, 0.2*x*x - t + 0.5*c]);
        guess b.position = shift + turn*[0.886569, -0.679011, 0.311229];
        guess b.e = product(moved, yaw_pitch_roll(0.4, 0.7, 0.2));
        guess b.velocity = turn*[0.4, -0.3, 0.5];
        guess b.omega = [1, 2, 3];
    } {}
    planar Planar {
        joint j: planar(a.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]));
        guess j.x = 0.2;
        guess j.y = -0.1;
        guess j.angle = 2.0;
        guess j.speed_x = 0.6;
        guess j.rate = 1.5;
    } {
        output x: [m] = j.x;
        output y: [m] = j.y;
        output angle: [rad] = j.angle;
        output rate: [rad/s] = j.rate;
    }
    fixed Fixed {
        joint j: fixed(a.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]));
    } {}
    parallel Parallel {
        joint j: parallel(a.at(p, [1, 2, -1]), b.at(q, [0, 1, 1]));
        guess b.position = shift + turn*[0.5, 0.6, 0.9];
        guess b.e = product(moved, yaw_pitch_roll(0.4, 0.7, 0.2));
        guess b.velocity = turn*[0.4, -0.3, 0.5];
        guess b.omega = [1, 2, 3];
    } {}
    perpendicular Perpendicular {
        joint j: perpendicular(a.at(p, [1, 2, -1]), b.at(q, [0, 1, 1]));
        guess b.position = shift + turn*[0.5, 0.6, 0.9];
        guess b.e = product(moved, yaw_pitch_roll(0.4, 0.7, 0.2));
        guess b.velocity = turn*[0.4, -0.3, 0.5];
        guess b.omega = [1, 2, 3];
    } {}
    point_on_line PointOnLine {
        joint j: point_on_line(a.at(p, [1, 2, -1]), b.at(q));
        guess b.position = shift + turn*[0.5, 0.6, 0.9];
        guess b.e = product(moved, yaw_pitch_roll(0.4, 0.7, 0.2));
        guess b.velocity = turn*[0.4, -0.3, 0.5];
        guess b.omega = [1, 2, 3];
    } {}
    point_on_plane PointOnPlane {
        joint j: point_on_plane(a.at(p, [1, 2, -1]), b.at(q));
        guess b.position = shift + turn*[0.4, -0.3, 0.8];
        guess b.e = product(moved, yaw_pitch_roll(0.4, 0.7, 0.2));
        guess b.velocity = turn*[0.4, -0.3, 0.5];
        guess b.omega = [1, 2, 3];
    } {}
    distance Distance {
        joint j: distance(a.at(p), b.at(q), 0.7);
        guess b.position = shift + turn*[0.5, 0.6, 0.9];
        guess b.e = product(moved, yaw_pitch_roll(0.4, 0.7, 0.2));
        guess b.velocity = turn*[0.4, -0.3, 0.5];
        guess b.omega = [1, 2, 3];
    } {}
    revolute_spherical RevoluteSpherical {
        joint j: revolute_spherical(a.at(p, [1, 2, -1], [1, 0, 0]), b.at(q), 0.7);
        guess b.position = shift + turn*[0.336440071, -0.480017109, 1.377394539];
        guess b.e = product(moved, [0.289220587, 0.773264925, 0.102546805, 0.554884638]);
        guess b.velocity = turn*[0.4, -0.3, 0.5];
        guess b.omega = [1, 2, 3];
    } {
        output angle: [rad] = j.angle;
        output rate: [rad/s] = j.rate;
    }
    rolling Rolling {
        joint j: rolling(a.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1]), 0.4);
        guess b.position = shift + turn*[0.5, 0.6, 0.9];
        guess b.e = product(moved, yaw_pitch_roll(0.4, 0.7, 0.2));
        guess b.velocity = turn*[0.4, -0.3, 0.5];
        guess b.omega = [1, 2, 3];
    } {}
    knife_edge KnifeEdge {
        joint j: knife_edge(a.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]));
        guess b.position = shift + turn*[0.5, 0.6, 0.9];
        guess b.e = product(moved, yaw_pitch_roll(0.4, 0.7, 0.2));
        guess b.velocity = turn*[0.4, -0.3, 0.5];
        guess b.omega = [1, 2, 3];
    } {}
}

/// Newton and Euler for the second body alone, on which nothing acts but the joint and its weight, to
/// round-off. The moment is about the joint's frame on it.
fn balance(mechanism: &impl Mechanism) {
    let started = started(mechanism);
    let out = Outputs::of(&started);
    let (mass, inertia) = (1.5, Matrix3::from_diagonal(&Vector3::new(0.15, 0.3, 0.2)));
    let e = out.vector::<4>("e");
    let turn = UnitQuaternion::from_quaternion(Quaternion::new(e[0], e[1], e[2], e[3]));
    let (force, torque) = (out.vector::<3>("force"), out.vector::<3>("torque"));
    let (omega, alpha) = (out.vector::<3>("omega"), out.vector::<3>("alpha"));
    let size = force.norm() + torque.norm() + 10.0;
    close(
        "mass times acceleration",
        mass * (out.vector("acceleration") - out.vector("weight")),
        force,
        1e-13 * size,
    );
    let moment = torque + out.vector::<3>("arm").cross(&force);
    let spin = inertia * alpha + omega.cross(&(inertia * omega));
    close("rate of spin", turn * spin, moment, 1e-13 * size);
    // A joint that does nothing would be in balance with no force at all.
    let falls = out.vector::<3>("acceleration") - out.vector::<3>("weight");
    let turns = alpha + inertia.try_inverse().expect("regular") * omega.cross(&(inertia * omega));
    assert!(falls.norm() + turns.norm() > 0.1, "the joint does nothing");
}

/// Everything moved and turned together: the same forces, turned.
fn rigid_motion<M: Mechanism + Default>(set: impl Fn(&mut M)) {
    let (mut still, mut moved) = (M::default(), M::default());
    still.set("round", 1.0).expect("a parameter");
    moved.set("round", 1.0).expect("a parameter");
    set(&mut moved);
    let (here, there) = (Outputs::of(&started(&still)), Outputs::of(&started(&moved)));
    let turn = UnitQuaternion::from_euler_angles(-0.9, 0.4, 1.3);
    let size = here.vector::<3>("force").norm() + here.vector::<3>("torque").norm() + 1.0;
    for name in ["force", "torque", "acceleration"] {
        close(name, there.vector(name), turn * here.vector::<3>(name), 1e-12 * size);
    }
}

macro_rules! tests {
    ($($module:ident $name:ident $rows:literal;)*) => { $(
        pub mod $module {
            use crate::space as all;
            type M = all::$module::$name;

            #[test]
            fn derivatives() {
                mbd::verify::assert_all_derivatives(&M::default());
            }

            #[test]
            fn second_body_is_in_balance_and_freedom_is_removed() {
                all::balance(&M::default());
                let report = crate::started(&M::default()).report;
                assert_eq!(report.rank, $rows + 2, "two rows are of Euler parameters");
                assert!(report.redundant.is_empty());
            }

            #[test]
            fn rigid_motion_turns_the_forces() {
                all::rigid_motion(|m: &mut M| {
                    (m.yaw, m.pitch, m.roll) = (1.3, 0.4, -0.9);
                    m.shift = vec![3.0, -2.0, 5.0];
                });
            }
        }
    )* };
}

mod each {
    tests! {
        revolute Revolute 5;
        prismatic Prismatic 5;
        cylindrical Cylindrical 4;
        screw Screw 5;
        spherical Spherical 3;
        universal Universal 4;
        planar Planar 3;
        fixed Fixed 6;
        parallel Parallel 2;
        perpendicular Perpendicular 1;
        point_on_line PointOnLine 2;
        point_on_plane PointOnPlane 1;
        constant_velocity ConstantVelocity 4;
        point_on_curve PointOnCurve 2;
        point_on_curve_moved PointOnCurveMoved 2;
        distance Distance 1;
        revolute_spherical RevoluteSpherical 2;
        rolling Rolling 3;
        knife_edge KnifeEdge 1;
    }
}

/// Coordinates that were started are read again.
#[test]
fn coordinates_are_read_where_they_were_started() {
    let read = |out: &Outputs, values: &[(&str, f64)]| {
        for (name, value) in values {
            near(name, out.number(name), *value, 1e-13);
        }
    };
    let out = |m: &dyn Fn() -> mbd::simulation::Started| Outputs::of(&m());
    read(&out(&|| started(&revolute::Revolute::default())), &[("angle", 0.7), ("rate", -1.2)]);
    read(
        &out(&|| started(&prismatic::Prismatic::default())),
        &[("position", 0.7), ("speed", -1.2)],
    );
    read(
        &out(&|| started(&cylindrical::Cylindrical::default())),
        &[("angle", -2.5), ("rate", 1.2), ("position", 0.3), ("speed", 0.4)],
    );
    // 0.3 m a turn.
    let turns = 0.3 / std::f64::consts::TAU;
    read(
        &out(&|| started(&screw::Screw::default())),
        &[("angle", 8.0), ("rate", 1.2), ("position", 8.0 * turns), ("speed", 1.2 * turns)],
    );
    read(
        &out(&|| started(&universal::Universal::default())),
        &[("angle", 0.7), ("rate", 1.2), ("second", -0.4), ("second_rate", 0.5)],
    );
    read(
        &out(&|| started(&planar::Planar::default())),
        &[("x", 0.2), ("y", -0.1), ("angle", 2.0), ("rate", 1.5)],
    );
}

mechanism! {
    /// A disc rolling on the ground: the steady turn of `examples/rolling_disc.rs`, by the catalogue.
    pub mechanism Disc {
        param m: [kg] = 2.0;
        param R: [m] = 0.3;
        param lean: [rad] = 1.1;
        param precession: [rad/s] = 2.0;
        gravity [0, 0, -9.81];
        body disc: SpatialBody { mass: m, jx: 0.045, jy: 0.045, jz: 0.09 };
        joint wheel: rolling(ground, disc, R);
        let spin = cos(lean)*(0.045*sq(precession)*sin(lean) - m*9.81*R)/((0.09 + m*sq(R))*precession*sin(lean));
        init disc.position = [-R*spin/precession, 0, R*sin(lean)];
        init disc.e = axis_angle([0, 1, 0], lean);
        init disc.velocity = [0, -R*spin, 0];
        init disc.omega = [-precession*sin(lean), 0, spin];
        output tilt: [rad] = acos(disc.frame.z()[2]);
        output radius: [m] = hypot(disc.x, disc.y);
        output normal: [N] = wheel.normal_force;
        until PI;
    }
}

/// Source of the closed form: see the example. The tilt and the radius stay.
#[test]
fn a_rolling_disc_turns_steadily() {
    let disc = Disc::default();
    let run = Simulation::new(&disc)
        .method(mbd::integrate::Radau5::default())
        .step(mbd::integrate::Step::adaptive(1e-9))
        .until(std::f64::consts::PI)
        .run()
        .expect("the disc rolls");
    let first = Outputs::of(&started(&disc));
    near("tilt", crate::last(&run, "tilt"), 1.1, 1e-7);
    near("radius", crate::last(&run, "radius"), first.number("radius"), 1e-7);
    near("normal force", crate::last(&run, "normal"), 2.0 * 9.81, 1e-6);
    assert_all_derivatives(&disc);
}

mechanism! {
    /// One body twice: by its principal axes, and turned against them with a whole tensor.
    pub mechanism Tensor {
        body a: SpatialBody { mass: 1.0, jx: 0.1, jy: 0.25, jz: 0.2 };
        body b: SpatialBody { mass: 1.0, inertia: tensor };
        let turn = mbd::components::spatial::rotation(axis_angle([1, 2, 3], 0.8));
        let j = turn*[[0.1, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 0.2]]*transpose(turn);
        let tensor = [j[0][0], j[1][1], j[2][2], j[0][1], j[0][2], j[1][2]];
        init a.omega = [1, 2, 3];
        init b.omega = turn*[1, 2, 3];
        output a: [rad/s] = turn*a.omega;
        output b: [rad/s] = b.omega;
        output alpha: [rad/s^2] = turn*der(a.omega) - der(b.omega);
        until 1.0;
    }
}

#[test]
fn a_tensor_is_that_of_the_turned_principal_axes() {
    assert_all_derivatives(&Tensor::default());
    let run = Simulation::new(&Tensor::default())
        .method(mbd::integrate::Radau5::default())
        .step(mbd::integrate::Step::adaptive(1e-10))
        .until(1.0)
        .run()
        .expect("the bodies turn");
    for i in 0..3 {
        let is = crate::last(&run, &format!("b[{i}]"));
        near("omega", is, crate::last(&run, &format!("a[{i}]")), 1e-8);
        near("alpha", crate::last(&run, &format!("alpha[{i}]")), 0.0, 1e-8);
    }
}
