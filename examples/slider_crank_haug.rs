//! The slider-crank of paper 004 (section 4.2): crank and rod, the rod's tip on the x axis against a
//! stiff spring-damper, in absolute coordinates. Lengths are half-lengths; the rod starts at 11π/6.
//!
//! The spring's data are ours (lost in print). Reference solution in tests/references: at t = 0.1
//! θ1 = 2.02425550, ω1 = 1.68867009.

use mbd::components::{force::spring_damper, ground, revolute};
use mbd::prelude::*;
use std::f64::consts::PI;

mechanism! {
    /// A slider-crank of two bodies with a spring-damper at the tip.
    pub mechanism SliderCrankHaug {
        /// Half-length of the crank.
        param L1: [m] = 0.3;
        /// Half-length of the rod.
        param L2: [m] = 0.6;
        /// Mass of the crank.
        param m1: [kg] = 3.0;
        /// Mass of the rod.
        param m2: [kg] = 9.0;
        /// Spring at the tip.
        param k: [N/m] = 1e5;
        /// Damper at the tip.
        param c: [N*s/m] = 1e3;
        /// Position of the tip at which the spring is free.
        param x0: [m] = 0.8;
        /// Acceleration of gravity, along −y.
        param g: [m/s^2] = 9.81;

        body crank: PlanarBody { mass: m1, inertia: m1*L1*L1/3.0 };
        body rod: PlanarBody { mass: m2, inertia: m2*L2*L2/3.0 };

        let tip = rod.frame.point([L2, 0.0]);
        let tip_x = tip[0];

        potential weight = g*(m1*crank.y + m2*rod.y);
        force spring along tip_x = spring_damper(tip_x, der(tip_x), k, c, x0);

        holonomic O[2]: revolute(ground(), [0.0, 0.0], crank.frame, [-L1, 0.0]);
        holonomic A[2]: revolute(crank.frame, [L1, 0.0], rod.frame, [-L2, 0.0]);
        holonomic guide: tip[1] == 0.0;

        init crank.theta = 0.5*PI;
        guess crank.x = 0.0;
        guess crank.y = L1;
        guess rod.theta = 11.0*PI/6.0;
        guess rod.x = L2*cos(rod.theta);
        guess rod.y = L1;

        output theta1: [rad] = crank.theta;
        output theta2: [rad] = rod.theta;
        output omega1: [rad/s] = der(crank.theta);
        until 0.1;
    }
}

mbd::main!(SliderCrankHaug);
