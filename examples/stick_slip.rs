//! A mass on a spring and a moving belt: dry friction carries it along until the spring pulls harder than
//! the belt holds, then it slips back.
//!
//! The comparison of the speeds decides the force. Where the mass comes to the belt's speed both sides push
//! it there, and it sticks: from then on it moves with the belt to rounding, until more than the breakaway
//! force would be needed.
//!
//! Reference: the mass sticks first after 3.24176007475135 s, breaks away at x = 1.5 m after
//! 18.1916344458176 s and repeats every 13.5363837732896 s; after 50 s it sticks at x = 0.619921423431378 m.

use mbd::components::force;
use mbd::prelude::*;

mechanism! {
    /// A mass on a spring and a belt.
    pub mechanism StickSlip {
        /// Mass.
        param m: [kg] = 1.0;
        /// Stiffness of the spring.
        param k: [N/m] = 1.0;
        /// Speed of the belt.
        param belt: [m/s] = 0.1;
        /// Friction while it slips, and at which it breaks away.
        param kinetic_friction: [N] = 1.0;
        param breakaway: [N] = 1.5;

        /// Position of the mass; the spring is free at 0.
        coord x: [m];

        kinetic mass = 0.5*m*sq(der(x));
        potential spring = 0.5*k*sq(x);
        force friction along x = force::dry_friction(der(x) - belt, kinetic_friction, breakaway);

        draw mass: box([x, 0.1], [0.2, 0.2]) color orange;
        draw ground: line([-0.5, 0], [2.5, 0]);

        init x = 2.0;
        until 50.0;
    }
}

mbd::main!(StickSlip);
