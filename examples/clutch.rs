//! A clutch of two discs: it slips until the speeds meet, locks, and opens when the load asks for more than
//! it can hold.
//!
//! Both statements compare the same speeds, so both change at the same instant, with one share of what
//! holds the discs together.
//!
//! Reference: it locks after 0.76986141339219 s at 124.3379528869 rad/s and opens after 10/3 s.

use mbd::components::force;
use mbd::prelude::*;

mechanism! {
    /// Two discs, pressed together.
    pub mechanism Clutch {
        /// Inertias of the driving and of the driven disc.
        param driving: [kg*m^2] = 1.2;
        param driven: [kg*m^2] = 0.4;
        /// Torque of the motor; of the load at the start, and its rate.
        param motor: [N*m] = 60.0;
        param load: [N*m] = 20.0;
        param load_rate: [N*m/s] = 40.0;
        /// Torque of the clutch while it slips, and what it holds while it is locked.
        param slips: [N*m] = 100.0;
        param holds: [N*m] = 130.0;

        /// Angles of the discs.
        coord phi1: [rad];
        coord phi2: [rad];

        kinetic first = 0.5*driving*sq(der(phi1));
        kinetic second = 0.5*driven*sq(der(phi2));
        let friction = force::dry_friction(der(phi1) - der(phi2), slips, holds);
        force drive along phi1 = motor + friction;
        force output_side along phi2 = -friction - (load + load_rate*t);

        init der(phi1) = 150.0;
        /// What the clutch carries.
        output carried: [N*m] = driven*der(der(phi2)) + load + load_rate*t;

        draw input_disc: circle([0, 0], 0.3) color blue;
        draw input_mark: line([0, 0], [0.3*cos(phi1), 0.3*sin(phi1)]) color white;
        draw output_disc: circle([0.8, 0], 0.3) color orange;
        draw output_mark: line([0.8, 0], [0.8 + 0.3*cos(phi2), 0.3*sin(phi2)]) color white;
        until 5.0;
    }
}

mbd::main!(Clutch);
