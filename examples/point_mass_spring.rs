//! Paper 003, second example: a unit mass on the unit circle, held by a stiff spring from a point
//! inside. The problem of Table 5.2.
//!
//! The published start misses the circle by 1e-6; assembly moves it there, as the references do:
//! x(0.05) = 0.0037498877 for ε = 10⁻⁴.

use mbd::components::distance;
use mbd::prelude::*;

mechanism! {
    /// A point mass on a circle with a stiff linear spring.
    pub mechanism PointMassSpring {
        /// The spring's stiffness is 1/ε².
        param eps = 1e-4;
        /// Free length of the spring.
        param l0: [m] = 0.4;

        coord x: [m];
        coord y: [m];

        let length = distance([x, y], [0.0, -0.5]);

        kinetic mass = 0.5*(sq(der(x)) + sq(der(y)));
        potential spring = 0.5*sq((length - l0)/eps);
        potential weight = 1.0*y;

        holonomic circle: 0.5*(sq(x) + sq(y) - 1.0) == 0.0;

        guess x = 0.04471;
        guess y = -0.999;
        init der(x) = 0.0;
        init der(y) = 0.0;

        draw rod: line([0.0, 0.0], [x, y]);
        draw mass: circle([x, y], 0.03);
        until 0.05;
    }
}

mbd::main!(PointMassSpring);
