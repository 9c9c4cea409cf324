//! An arm of six joints in its joint angles: frames from link to link, energies from frames. No
//! constraints, and so every method can treat it.
//!
//! Each frame is told by the one before it, so that every link reads all joints up to its own.
//! What the links have in common is computed, and differentiated through, once.

use mbd::components::spatial::{SpatialFrame, axis_angle, dot, ground};
use mbd::prelude::*;
use mbd::scalar::{Num, Scalar};

/// The axes of a frame.
fn axes<D: Scalar>(frame: SpatialFrame<D>) -> [[Num<D>; 3]; 3] {
    [frame.x(), frame.y(), frame.z()]
}

/// Angular velocity in the frame's axes, from the rates of these.
fn turning<D: Scalar>(frame: SpatialFrame<D>, [x, y, z]: [[Num<D>; 3]; 3]) -> [Num<D>; 3] {
    [dot(y, frame.z()), dot(z, frame.x()), dot(x, frame.y())]
}

/// Kinetic energy of a link with principal moments of inertia `j`.
fn energy<D: Scalar>(
    m: Num<D>,
    j: [Num<D>; 3],
    velocity: [Num<D>; 3],
    omega: [Num<D>; 3],
) -> Num<D> {
    let [x, y, z] = omega;
    0.5 * m * dot(velocity, velocity) + 0.5 * (j[0] * x * x + j[1] * y * y + j[2] * z * z)
}

mechanism! {
    /// A six-axis arm that falls from an outstretched position against friction in its joints.
    pub mechanism Arm {
        /// Mass of a link.
        param m: [kg] = 2.0;
        /// Its length, along its own z axis.
        param l: [m] = 0.4;
        /// Where its centre of mass is, beside the axes of the joints so that each of them feels gravity.
        param centre[3]: [m] = [0.12, 0.02, 0.2];
        /// Its principal moments of inertia.
        param j[3]: [kg*m^2] = [0.02, 0.03, 0.04];
        /// Friction in each joint.
        param c: [N*m*s] = 0.05;
        param g: [m/s^2] = GRAVITY;

        coord q[6]: [rad];

        let y = [0.0, 1.0, 0.0];
        let z = [0.0, 0.0, 1.0];
        let top = [0.0, 0.0, l];
        let f1 = ground().turned(axis_angle(z, q[0]));
        let f2 = f1.at(top).turned(axis_angle(y, q[1]));
        let f3 = f2.at(top).turned(axis_angle(y, q[2]));
        let f4 = f3.at(top).turned(axis_angle(z, q[3]));
        let f5 = f4.at(top).turned(axis_angle(y, q[4]));
        let f6 = f5.at(top).turned(axis_angle(z, q[5]));

        let p2 = f2.point(centre);
        let p3 = f3.point(centre);
        let p4 = f4.point(centre);
        let p5 = f5.point(centre);
        let p6 = f6.point(centre);

        kinetic base = 0.5*j[2]*sq(der(q[0]));
        kinetic link2 = energy(m, j, der(p2), turning(f2, der(axes(f2))));
        kinetic link3 = energy(m, j, der(p3), turning(f3, der(axes(f3))));
        kinetic link4 = energy(m, j, der(p4), turning(f4, der(axes(f4))));
        kinetic link5 = energy(m, j, der(p5), turning(f5, der(axes(f5))));
        kinetic link6 = energy(m, j, der(p6), turning(f6, der(axes(f6))));
        potential weight = m*g*(p2[2] + p3[2] + p4[2] + p5[2] + p6[2]);
        for i in 0..6 {
            dissipation friction = 0.5*c*sq(der(q[i]));
        }

        init der(q[0]) = 0.5;
        for i in 1..6 { init q[i] = 0.3; }

        output tip: [m] = f6.point(top)[2];
        until 1.0;
    }
}

mbd::main!(Arm);
