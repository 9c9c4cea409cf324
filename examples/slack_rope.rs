//! A bob on a rope that goes slack at the top of its swing, falls freely, and is caught by the rope again.
//!
//! `unilateral` says that the rope is never longer than it is: taut it holds the bob like a rod, as long as it pulls;
//! where it would have to push it goes slack, and where the bob comes to its end again it is stopped along the
//! rope by an impulse.
//!
//! Reference: slack at 0.526489488383966 s, taut at 1.13306244508546 s with 19.3485050160306 N, slack at
//! 1.90016318858517 s, taut at 2.69006739053958 s; after 3 s the bob is at the angle 0.014353225587938 from below and
//! turns with 1.59025806862427 rad/s.

use mbd::prelude::*;

mechanism! {
    /// A bob on a rope.
    pub mechanism SlackRope {
        /// Length of the rope, and mass of the bob.
        param length: [m] = 1.0;
        param m: [kg] = 1.0;
        /// Speed at the lowest point.
        param speed: [m/s] = 6.7;

        coord x: [m];
        coord y: [m];

        kinetic bob = 0.5*m*(sq(der(x)) + sq(der(y)));
        potential weight = 9.81*m*y;
        unilateral rope: length - hypot(x, y);
        output tension: [N] = lambda(rope);

        draw thread: line([0, 0], [x, y]) color grey;
        draw bob: sphere([x, y], 0.05);
        draw path: trace([x, y]);

        init y = -length;
        init x = 0.0;
        init der(x) = speed;
        init der(y) = 0.0;
        until 3.0;
    }
}

mbd::main!(SlackRope);
