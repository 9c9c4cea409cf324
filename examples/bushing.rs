//! The nonlinear bushing of paper 000 (eq. 4.4, with the sign of the torque corrected): a point on
//! the unit circle held by a stiff bushing to the end of a bar that turns with θ.
//!
//! All frequencies are of order 1/ε. Reference solution in tests/references: θ = 0.14938579 at
//! t = 40π·10⁻⁵.

use mbd::prelude::*;
use std::f64::consts::PI;

mechanism! {
    /// A point on a circle in a stiff bushing.
    pub mechanism Bushing {
        /// The bushing's stiffness is 1/ε².
        param eps = 1e-5;
        /// Factor of the gravity term in the torque: 1 as printed; it derives from no potential, and
        /// without it (0) the energy is conserved.
        param torque_weight = 1.0;

        coord x: [m];
        coord y: [m];
        coord theta: [rad];

        kinetic all = 0.5*(sq(der(x)) + sq(der(y))) + 0.5*sq(der(theta));

        // Deflection of the bushing, and the energy whose forces are eq. (4.4)'s.
        let fx = 0.5 - x + 0.5*cos(theta);
        let fy = 0.5*sin(theta) - y;
        potential bushing = 0.5*(sq(fx) + sq(fy))/sq(eps);
        potential torsion = sq(theta)/(20.0*sq(eps));
        potential weight = -1.0*y;
        force weight along theta = -0.5*torque_weight*cos(theta);

        holonomic circle: sq(x) + sq(y) == 1.0;

        init x = 0.8;
        init y = 0.6;
        init theta = 0.0;
        init der(x) = 0.0;
        init der(y) = 0.0;
        init der(theta) = 0.0;

        draw arm: line([0.0, 0.0], [x, y]);
        draw bar: line([x - 0.5*cos(theta), y - 0.5*sin(theta)], [x, y]);
        draw bushing: spring([x - 0.5*cos(theta), y - 0.5*sin(theta)], [0.5, 0.0]);
        until 40.0e-5*PI;
    }
}

mbd::main!(Bushing);
