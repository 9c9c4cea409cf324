//! Vectors in the language; forces and torques on bodies; gravity.

use crate::{Outputs, close, near, started};
use mbd::prelude::*;
use mbd::verify::assert_all_derivatives;
use nalgebra::{Matrix3, Vector3};

/// What the language cannot see through.
fn lever<D: mbd::scalar::Scalar>(x: Num<D>) -> [Num<D>; 3] {
    [x, 2.0 * x, x * x]
}

mechanism! {
    pub mechanism Algebra {
        param a[3] = [0.3, -1.2, 2.5];
        param b[3] = [1.5, 0.25, -0.75];
        param s = 0.7;
        coord x[3]: [m];
        mass[x[0], x[0]] = 1.0;
        mass[x[1], x[1]] = 1.0;
        mass[x[2], x[2]] = 1.0;
        init x = [0.1, 0.2, 0.3];
        init der(x) = [1, 2, 3];
        let m = [[1.0, 2.0, -1.0], [0.5, 0.0, s], [-2.0, 1.0, 0.25]];
        let up = [0, 0, 1];
        let sum = a + 2.0*b - s*up;
        output sum = sum;
        output mixed = -(a - b)/s + [1, 0, s]*2;
        output product = m*a;
        output twice = m*(m*b) - transpose(m)*a;
        output cross = cross(a, b) + unit(b);
        output dot = dot(a, [1, 2, 3]) + norm(b);
        output moving = der(cross(x, a)) + x;
        output seen = vector(lever(s)) + a;
        output choice = if s > 0.5 { dot(a + b, a) } else { 0.0 };
        output inside = { let v = a + b; let w = 2*v; dot(w, v) };
    }
}

/// By nalgebra.
#[test]
fn vectors_are_those_of_linear_algebra() {
    let out = Outputs::of(&started(&Algebra::default()));
    let (a, b, s) = (Vector3::new(0.3, -1.2, 2.5), Vector3::new(1.5, 0.25, -0.75), 0.7);
    let m = Matrix3::new(1.0, 2.0, -1.0, 0.5, 0.0, s, -2.0, 1.0, 0.25);
    let (x, v) = (Vector3::new(0.1, 0.2, 0.3), Vector3::new(1.0, 2.0, 3.0));
    let same = |name: &str, should: Vector3<f64>| close(name, out.vector(name), should, 1e-14);
    same("sum", a + 2.0 * b - s * Vector3::z());
    same("mixed", -(a - b) / s + Vector3::new(1.0, 0.0, s) * 2.0);
    same("product", m * a);
    same("twice", m * (m * b) - m.transpose() * a);
    same("cross", a.cross(&b) + b.normalize());
    same("moving", v.cross(&a) + x);
    same("seen", Vector3::new(s, 2.0 * s, s * s) + a);
    near("dot", out.number("dot"), a.dot(&Vector3::new(1.0, 2.0, 3.0)) + b.norm(), 1e-14);
    near("choice", out.number("choice"), (a + b).dot(&a), 1e-14);
    near("inside", out.number("inside"), 2.0 * (a + b).norm_squared(), 1e-14);
}

mechanism! {
    /// A body with a force and a torque on it, started by orientation and angular velocity.
    pub mechanism Pushed {
        param angle: [rad] = 0.9;
        gravity [0, 0, -10];
        body box1: SpatialBody { mass: 2.0, jx: 0.1, jy: 0.25, jz: 0.2 };
        body ball: PointMass { mass: 0.5 };
        force push = [1, -2, 3] on box1 at [0.1, 0.2, -0.3];
        force [0, 0, 4.0 + t] on ball;
        torque [0.3, 0.1, -0.2] on box1;
        init box1.position = [1, 2, 3];
        init box1.e = axis_angle([1, 1, 0], angle);
        init box1.omega_ground = [0.5, -0.4, 0.3];
        init ball.velocity = [1, 0, 0];
        output omega: [rad/s] = box1.omega_ground;
        output inside: [rad/s] = box1.omega;
        output alpha: [rad/s^2] = der(box1.omega);
        output acceleration: [m/s^2] = der(box1.velocity);
        output falling: [m/s^2] = der(ball.velocity);
        output arm: [m] = box1.vector([0.1, 0.2, -0.3]);
        output x: [1] = box1.frame.x();
        output y: [1] = box1.frame.y();
        output z: [1] = box1.frame.z();
    }
}

#[test]
fn forces_and_torques_act_in_ground_axes_at_points_of_the_body() {
    assert_all_derivatives(&Pushed::default());
    let out = Outputs::of(&started(&Pushed::default()));
    let force = Vector3::new(1.0, -2.0, 3.0);
    close("omega", out.vector("omega"), Vector3::new(0.5, -0.4, 0.3), 1e-14);
    let weight = Vector3::new(0.0, 0.0, -10.0);
    close("acceleration", out.vector("acceleration"), force / 2.0 + weight, 1e-13);
    close("ball", out.vector("falling"), Vector3::new(0.0, 0.0, 8.0) + weight, 1e-13);
    let turn = Matrix3::from_columns(&[out.vector("x"), out.vector("y"), out.vector("z")]);
    let axis = nalgebra::Unit::new_normalize(Vector3::new(1.0, 1.0, 0.0));
    let wanted = nalgebra::Rotation3::from_axis_angle(&axis, 0.9);
    assert!((turn - wanted.matrix()).norm() < 1e-14);
    let inertia = Matrix3::from_diagonal(&Vector3::new(0.1, 0.25, 0.2));
    let omega = out.vector::<3>("inside");
    let moment = Vector3::new(0.3, 0.1, -0.2) + out.vector::<3>("arm").cross(&force);
    let spin = inertia * out.vector::<3>("alpha") + omega.cross(&(inertia * omega));
    close("rate of spin", turn * spin, moment, 1e-13);
}

mod solids {
    use mbd::components::solid;
    use mbd::prelude::*;
    mechanism! {
        /// A steel disc with a hole off its centre, on a shaft, which turns about the shaft: out of balance.
        pub mechanism Rotor {
            param steel: [kg/m^3] = 7850.0;
            let hole = solid::cylinder(steel, 0.01, 0.02);
            let disc = solid::cylinder(steel, 0.1, 0.02).less(hole.at([0.05, 0, 0]));
            let whole = disc.with(solid::cylinder(steel, 0.01, 0.3).at([0, 0, -0.05]));
            body rotor: SpatialBody { solid: whole };
            joint bearing: revolute(ground, rotor.at(-whole.center, [0, 0, 1]));
            init bearing.rate = 100.0;
            body flat: PlanarBody { solid: disc };
            output force: [N] = bearing.force;
            output torque: [N*m] = bearing.torque;
            output mass: [kg] = whole.mass;
            output flat: [kg*m^2] = disc.inertia[2];
            until 0.01;
        }
    }
}

/// What an unbalance asks of its bearing: m e ω² towards the axis, and moments by where it is along that.
#[test]
fn a_rotor_out_of_balance_pulls_at_its_bearing() {
    use std::f64::consts::PI;
    mbd::verify::assert_all_derivatives(&solids::Rotor::default());
    let out = Outputs::of(&started(&solids::Rotor::default()));
    // The hole lacks on its side, at z = 0, where the bearing is.
    let hole = 7850.0 * PI * 1e-4 * 0.02;
    let wanted = nalgebra::Vector3::new(hole * 0.05 * 1e4, 0.0, 0.0);
    close("force", out.vector::<3>("force"), wanted, 1e-10);
    close("torque", out.vector::<3>("torque"), nalgebra::Vector3::zeros(), 1e-10);
    let disc = 7850.0 * PI * 1e-2 * 0.02 - hole;
    near("mass", out.number("mass"), disc + 7850.0 * PI * 1e-4 * 0.3, 1e-12);
    // About its own centre of mass, which lies on the other side of the axis.
    let about_axis = 0.5 * (disc + hole) * 1e-2 - hole * (0.5e-4 + 25e-4);
    let off = hole * 0.05 / disc;
    near("flat", out.number("flat"), about_axis - disc * off * off, 1e-14);
}
