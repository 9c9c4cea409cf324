//! A chain of n uniform bars released from the horizontal, in absolute coordinates: the scaling
//! benchmark. `--set n=1024` changes its size without recompiling.

use mbd::components::{PlanarFrame, ground, revolute};
use mbd::prelude::*;

mechanism! {
    /// A hanging chain of n bars.
    pub mechanism Chain {
        /// Number of links.
        size n = 10;
        /// Length of a link.
        param length: [m] = 1.0;
        /// Mass of a link.
        param mass: [kg] = 1.0;
        /// Acceleration of gravity, along −y.
        param g: [m/s^2] = 9.81;

        coord x[n]: [m];
        coord y[n]: [m];
        coord theta[n]: [rad];

        let half = 0.5*length;

        for i in 0..n {
            kinetic translation = 0.5*mass*(sq(der(x[i])) + sq(der(y[i])));
            kinetic rotation = 0.5*(mass*sq(length)/12.0)*sq(der(theta[i]));
            potential weight = mass*g*y[i];
            init theta[i] = 0.0;
            guess x[i] = (i as f64 + 0.5)*length;
        }
        holonomic anchor[2]: revolute(
            ground(), [0.0, 0.0],
            PlanarFrame::new(x[0], y[0], theta[0]), [-half, 0.0],
        );
        for i in 1..n {
            holonomic pin[2]: revolute(
                PlanarFrame::new(x[i-1], y[i-1], theta[i-1]), [half, 0.0],
                PlanarFrame::new(x[i], y[i], theta[i]), [-half, 0.0],
            );
        }
        until 1.0;
    }
}

mbd::main!(Chain);
