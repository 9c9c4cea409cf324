//! A mass that falls on a stiff spring and bounces: its motion crosses a comparison twelve times.
//!
//! Reference: flights are parabolas and contacts sine waves. The mass touches the spring for the first time
//! after √(2 y/g) = 0.451523640985731 s, stays on it for 3.146 ms and is at y = 0.0626117673492984 m, rising
//! by 4.28853787724986 m/s, after 5 s.

use mbd::prelude::*;

mechanism! {
    /// A mass that bounces on a one-sided spring.
    pub mechanism Bouncing {
        /// Mass.
        param m: [kg] = 1.0;
        /// Stiffness of the ground.
        param k: [N/m] = 1e6;
        /// Acceleration of gravity, along −y.
        param g: [m/s^2] = 9.81;

        /// Height above the ground.
        coord y: [m];
        scale y = 1.0;

        kinetic mass = 0.5*m*sq(der(y));
        potential weight = m*g*y;
        force ground along y = if y < 0.0 { -k*y } else { 0.0 };

        init y = 1.0;

        draw mass: circle([0.0, y + 0.1], 0.1);
        draw ground: line([-0.5, 0.0], [0.5, 0.0]) color grey;
        until 5.0;
    }
}

mbd::main!(Bouncing);
