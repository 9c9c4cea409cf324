//! A pendulum of n rods whose end is pinned too: a closed loop of n rods and the ground, let go as a regular polygon
//! that stands on a tilted edge. Its motion is chaotic.
//!
//! Reference: an implementation in the rods' angles, which shares no code with this one (tests/references).

use mbd::components::{ground, revolute};
use mbd::prelude::*;

mechanism! {
    /// A chain of n rods, pinned at both ends.
    pub mechanism ClosedPendulum {
        /// Number of rods.
        size n = 5;
        /// Length of a rod, and distance of the pins.
        param l: [m] = 1.0;
        /// Mass of a rod.
        param m: [kg] = 1.0;
        /// Acceleration of gravity, along −y.
        param g: [m/s^2] = 9.81;
        /// Angle of the second pin, seen from the first, above the horizontal.
        param tilt: [rad] = 0.3;

        body rod[n]: PlanarBody { mass: m, inertia: m*sq(l)/12.0 };
        let half = 0.5*l;
        let turn = TAU/(n + 1);
        // From the middle of the polygon to its corners.
        let radius = half/sin(0.5*turn);

        for i in 0..n {
            potential weight = m*g*rod[i].y;
            init rod[i].theta = tilt + PI - (i + 1)*turn;
            init der(rod[i].theta) = 0.0;
        }
        holonomic anchor[2]: revolute(ground(), [0.0, 0.0], rod[0].frame, [-half, 0.0]);
        for i in 1..n {
            holonomic pin[2]: revolute(rod[i - 1].frame, [half, 0.0], rod[i].frame, [-half, 0.0]);
        }
        holonomic end[2]: revolute(ground(), [l*cos(tilt), l*sin(tilt)], rod[n - 1].frame, [half, 0.0]);

        // The middle of rod i: seen from the polygon's middle, across the rod.
        let middle = [half*cos(tilt) - radius*cos(0.5*turn)*sin(tilt), half*sin(tilt) + radius*cos(0.5*turn)*cos(tilt)];
        for i in 0..n {
            let angle = tilt + PI - (i + 1)*turn;
            guess rod[i].x = middle[0] - radius*cos(0.5*turn)*sin(angle);
            guess rod[i].y = middle[1] + radius*cos(0.5*turn)*cos(angle);
        }
        until 10.0;
    }
}

mbd::main!(ClosedPendulum);
