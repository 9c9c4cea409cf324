//! Paper 003, first example: a unit mass on the unit circle in two stiff linear springs, pushed out
//! of its lowest position.
//!
//! The paper prints the force with its sign and one exponent lost; here f = −(kx x, ky (y+1) + 1),
//! ky = 1/ε², and kx = 1/ε² too, which gives the stated frequency 1/ε. Reference solutions in
//! tests/references.

use mbd::prelude::*;

mechanism! {
    /// A point mass on a circle with a linear oscillatory force.
    pub mechanism PointMassOscillation {
        /// The springs' stiffness is 1/ε².
        param eps = 1e-4;
        /// kx = ε^−p: 2 gives the stated frequency, 1 is what the paper prints.
        param p = 2.0;

        coord x: [m];
        coord y: [m];

        kinetic mass = 0.5*(sq(der(x)) + sq(der(y)));
        potential along_x = 0.5*powf(eps, -p)*sq(x);
        potential along_y = 0.5*sq((y + 1.0)/eps);
        potential weight = 1.0*y;

        holonomic circle: 0.5*(sq(x) + sq(y) - 1.0) == 0.0;

        init x = 0.0;
        init y = -1.0;
        init der(x) = 1.0;
        init der(y) = 0.0;

        draw rod: line([0.0, 0.0], [x, y]);
        draw mass: circle([x, y], 0.03);
        until 0.25;
    }
}

mbd::main!(PointMassOscillation);
