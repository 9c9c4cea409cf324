//! A point mass on a rigid rod, in Cartesian coordinates: the smallest constrained mechanism.
//!
//! Reference: released from the horizontal, at (−1, 0), it is at (−0.27508746, −0.96141921) after
//! 10 s (closed form by elliptic functions).

use mbd::prelude::*;

mechanism! {
    /// A point mass on a rigid rod, released from the horizontal.
    pub mechanism Pendulum {
        /// Mass.
        param m: [kg] = 1.0;
        /// Length of the rod.
        param l: [m] = 1.0;
        /// Acceleration of gravity, along −y.
        param g: [m/s^2] = 9.81;

        coord x: [m];
        coord y: [m];

        kinetic bob = 0.5*m*(sq(der(x)) + sq(der(y)));
        potential weight = m*g*y;
        holonomic rod: sq(x) + sq(y) == sq(l);

        init x = -l;
        init y = 0.0;

        draw rod: line([0.0, 0.0], [x, y]);
        draw bob: circle([x, y], 0.06*l);
        until 10.0;
    }
}

mbd::main!(Pendulum);
