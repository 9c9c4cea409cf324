//! The double pendulum of paper 004 (section 4.1): two bars with rotational spring-dampers at both
//! pins, in absolute coordinates.
//!
//! The paper's stiffnesses are lost in print. The default is a mild set; `--set k2=3e5 --set
//! c1=15 --set c2=5e4` with k1 = 400 is the stiff one as recalled. Reference solutions of both in
//! tests/references: at t = 0.1 θ = (4.90191479, 4.90861930) for the default.

use mbd::components::{force::spring_damper, ground, revolute};
use mbd::prelude::*;
use std::f64::consts::PI;

mechanism! {
    /// A double pendulum with stiff hinges.
    pub mechanism DoublePendulum {
        /// Half-length of the first bar.
        param L1: [m] = 1.0;
        /// Half-length of the second bar.
        param L2: [m] = 1.5;
        /// Mass of the first bar.
        param m1: [kg] = 3.0;
        /// Mass of the second bar.
        param m2: [kg] = 0.3;
        /// Torsion spring between ground and the first bar, free when it hangs.
        param k1: [N*m/rad] = 400.0;
        /// Damper beside it.
        param c1: [N*m*s/rad] = 15.0;
        /// Torsion spring between the bars, free when they are in line.
        param k2: [N*m/rad] = 3e3;
        /// Damper beside it.
        param c2: [N*m*s/rad] = 50.0;
        /// Acceleration of gravity, along −y.
        param g: [m/s^2] = 9.81;

        body bar1: PlanarBody { mass: m1, inertia: m1*L1*L1/3.0 };
        body bar2: PlanarBody { mass: m2, inertia: m2*L2*L2/3.0 };

        potential weight = g*(m1*bar1.y + m2*bar2.y);
        let turn = bar2.theta - bar1.theta;
        force hinge1 along bar1.theta = spring_damper(bar1.theta, der(bar1.theta), k1, c1, 1.5*PI);
        force hinge2 along turn = spring_damper(turn, der(turn), k2, c2, 0.0);

        holonomic pin1[2]: revolute(ground(), [0.0, 0.0], bar1.frame, [-L1, 0.0]);
        holonomic pin2[2]: revolute(bar1.frame, [L1, 0.0], bar2.frame, [-L2, 0.0]);

        init bar1.theta = 1.5*PI;
        init bar2.theta = 1.5*PI;
        init der(bar1.theta) = 0.0;
        init der(bar2.theta) = 10.0;
        guess bar1.x = 0.0;
        guess bar1.y = -L1;
        guess bar2.x = 0.0;
        guess bar2.y = -2.0*L1 - L2;

        output theta1: [rad] = bar1.theta;
        output theta2: [rad] = bar2.theta;
        until 0.1;
    }
}

mbd::main!(DoublePendulum);
