//! The rigid slider-crank on which paper 001 shows the velocity drift of HHT-I3 and its absence in
//! HHT-SOI2 (Figs 6 and 7), in absolute coordinates: the pin's two velocities are the figures'
//! axes. The paper gives no data; these are ours. Reference solution in tests/references.

use mbd::components::revolute;
use mbd::prelude::*;

mechanism! {
    /// A slider-crank of three planar bodies with a spring and damper on its slider.
    pub mechanism DriftSliderCrank {
        /// Length of the crank.
        param l1: [m] = 0.4;
        /// Length of the connecting rod.
        param l2: [m] = 0.8;
        /// Mass of the crank.
        param m1: [kg] = 1.0;
        /// Mass of the connecting rod.
        param m2: [kg] = 2.0;
        /// Mass of the slider.
        param m3: [kg] = 1.5;
        /// Moment of inertia of the slider.
        param J3: [kg*m^2] = 0.01;
        /// Spring on the slider.
        param k: [N/m] = 200.0;
        /// Damper on the slider.
        param c: [N*s/m] = 2.0;
        /// Position at which the spring is free.
        param x0: [m] = 0.9;
        /// Acceleration of gravity, along −y.
        param g: [m/s^2] = 9.81;

        body crank: PlanarBody { mass: m1, inertia: m1*l1*l1/12.0 };
        body rod: PlanarBody { mass: m2, inertia: m2*l2*l2/12.0 };
        body slider: PlanarBody { mass: m3, inertia: J3 };

        let pin = crank.frame.point([-0.5*l1, 0.0]);
        let pin_rate = der(pin);

        potential weight = g*(m1*crank.y + m2*rod.y + m3*slider.y);
        force spring along slider.x = -k*(slider.x - x0) - c*der(slider.x);

        holonomic O[2]: pin == [0.0, 0.0];
        holonomic A[2]: revolute(crank.frame, [0.5*l1, 0.0], rod.frame, [-0.5*l2, 0.0]);
        holonomic B[2]: revolute(rod.frame, [0.5*l2, 0.0], slider.frame, [0.0, 0.0]);
        holonomic guide[2]: [slider.y, slider.theta] == [0.0, 0.0];

        init crank.theta = 0.5;
        init der(crank.theta) = 6.0;
        guess crank.x = 0.5*l1*cos(crank.theta);
        guess crank.y = 0.5*l1*sin(crank.theta);
        guess rod.theta = -asin(l1*sin(crank.theta)/l2);
        guess rod.x = l1*cos(crank.theta) + 0.5*l2*cos(rod.theta);
        guess rod.y = 0.5*l1*sin(crank.theta);
        guess slider.x = l1*cos(crank.theta) + l2*cos(rod.theta);

        /// Crank angle.
        output theta: [rad] = crank.theta;
        /// Velocity of the crank's pin, which is fixed to the ground: zero but for drift.
        output pin_vx: [m/s] = pin_rate[0];
        output pin_vy: [m/s] = pin_rate[1];
        until 1.0;
    }
}

mbd::main!(DriftSliderCrank);
