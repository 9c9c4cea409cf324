//! The stiff spring pendulum of paper 000 (eq. 4.3): a unit mass on a spring of natural length 1
//! and stiffness 1/ε². Fast vibration along the spring over a slow swing.
//!
//! Gravity is 1 along +y, as in the paper's equations. Reference solution in tests/references:
//! (−0.63282, 0.73364) at t = 5; the energy stays 5.

use mbd::prelude::*;

mechanism! {
    /// A unit mass on a stiff spring.
    pub mechanism StiffPendulum {
        /// The spring's stiffness is 1/ε²; ε² = 10⁻³ in the paper.
        param eps = 0.031622776601683795;

        coord x: [m];
        coord y: [m];

        let length = hypot(x, y);

        kinetic bob = 0.5*(sq(der(x)) + sq(der(y)));
        potential spring = 0.5*sq((length - 1.0)/eps);
        potential weight = -1.0*y;

        init x = 0.9;
        init y = 0.0;
        init der(x) = 0.0;
        init der(y) = 0.0;
        /// Stretched length of the spring.
        output spring_length: [m] = length;

        draw spring: spring([0.0, 0.0], [x, y]);
        draw bob: circle([x, y], 0.06);
        until 5.0;
    }
}

mbd::main!(StiffPendulum);
