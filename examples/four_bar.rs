//! A four-bar linkage, crank and rocker, in absolute coordinates: the crank turns fully, the rocker
//! swings. Freely turning with a flywheel.
//!
//! Reference: energy leaves one first-order equation for the crank angle, which gives 16.22607152
//! at t = 2, two and a half turns.

use mbd::components::{ground, revolute};
use mbd::prelude::*;
use std::f64::consts::PI;

mechanism! {
    /// A crank-and-rocker four-bar linkage.
    pub mechanism FourBar {
        /// Length of the crank.
        param a: [m] = 0.12;
        /// Length of the coupler.
        param b: [m] = 0.36;
        /// Length of the rocker.
        param c: [m] = 0.28;
        /// Distance of the ground pins.
        param d: [m] = 0.40;
        /// Mass of a bar per length.
        param rho: [kg/m] = 2.0;
        /// Moment of inertia of the flywheel on the crank.
        param J: [kg*m^2] = 0.02;
        /// Acceleration of gravity, along −y.
        param g: [m/s^2] = 9.81;

        body crank: PlanarBody { mass: rho*a, inertia: rho*powi(a, 3)/12.0 + J };
        body coupler: PlanarBody { mass: rho*b, inertia: rho*powi(b, 3)/12.0 };
        body rocker: PlanarBody { mass: rho*c, inertia: rho*powi(c, 3)/12.0 };

        potential weight = g*rho*(a*crank.y + b*coupler.y + c*rocker.y);

        holonomic O[2]: revolute(ground(), [0.0, 0.0], crank.frame, [-0.5*a, 0.0]);
        holonomic A[2]: revolute(crank.frame, [0.5*a, 0.0], coupler.frame, [-0.5*b, 0.0]);
        holonomic B[2]: revolute(coupler.frame, [0.5*b, 0.0], rocker.frame, [0.5*c, 0.0]);
        holonomic D[2]: revolute(ground(), [d, 0.0], rocker.frame, [-0.5*c, 0.0]);

        init crank.theta = 0.0;
        init der(crank.theta) = 8.0;
        guess crank.x = 0.5*a*cos(crank.theta);
        guess crank.y = 0.5*a*sin(crank.theta);
        // The triangle of coupler, rocker and the pins' distance at crank angle 0.
        guess coupler.theta = acos((sq(b) + sq(d - a) - sq(c))/(2.0*b*(d - a)));
        guess rocker.theta = PI - acos((sq(c) + sq(d - a) - sq(b))/(2.0*c*(d - a)));
        guess coupler.x = a + 0.5*b*cos(coupler.theta);
        guess coupler.y = 0.5*b*sin(coupler.theta);
        guess rocker.x = d + 0.5*c*cos(rocker.theta);
        guess rocker.y = 0.5*c*sin(rocker.theta);

        output crank_angle: [rad] = crank.theta;
        output coupler_angle: [rad] = coupler.theta;
        output rocker_angle: [rad] = rocker.theta;
        /// Angle between coupler and rocker: the linkage locks at 0 and π.
        output transmission: [rad] = rocker.theta - coupler.theta;
        until 2.0;
    }
}

mbd::main!(FourBar);
