//! A relay with hysteresis drives a mass back and forth: a mode that two events set.
//!
//! Reference: arcs are parabolas. The relay switches 45 times in 20 s; the motion ends on a limit cycle of period
//! 4 m δ/(F T_d) = 0.8 s, at x = −0.0192 m with 0.04 m/s.

use mbd::prelude::*;

mechanism! {
    /// A mass driven by a relay with hysteresis.
    pub mechanism Relay {
        /// Mass.
        param m: [kg] = 1.0;
        /// Viscous friction.
        param c: [N*s/m] = 0.0;
        /// Force of the relay.
        param force: [N] = 1.0;
        /// Half of the hysteresis.
        param delta: [m] = 0.1;
        /// How far the relay looks ahead.
        param lead: [s] = 0.5;

        coord x: [m];
        scale x = 1.0;
        mode push: [N] = -force;

        let ahead = x + lead*der(x);
        kinetic mass = 0.5*m*sq(der(x));
        force relay along x = push - c*der(x);
        event up when ahead <= -delta { push = force; }
        event down when ahead >= delta { push = -force; }

        init x = 1.0;
        until 20.0;
        output pushed: [N] = push;
        draw rail: line([-0.4, -0.06], [1.2, -0.06]) color grey;
        draw target: line([0, -0.06], [0, -0.16]) color red;
        draw slider: box([x, 0], [0.16, 0.1]);
        draw thrust: line([x, 0.1], [x + 0.2*push/force, 0.1]) color green;
    }
}

mbd::main!(Relay);
