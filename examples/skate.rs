//! A knife-edge on a slope: the smallest nonholonomic mechanism. It cannot move sideways, turns
//! at a constant rate, and instead of sliding down the slope drifts across it.
//!
//! Exact solution: x = (a/2ω²) sin² ωt, y = (a/2ω²)(ωt − ½ sin 2ωt), φ = ωt, with a = F/m.

use mbd::prelude::*;

mechanism! {
    /// A skate on an inclined plane.
    pub mechanism Skate {
        /// Mass.
        param m: [kg] = 2.0;
        /// Moment of inertia.
        param J: [kg*m^2] = 0.3;
        /// Weight down the slope, along x.
        param F: [N] = 8.0;
        /// Rate of turn.
        param omega: [rad/s] = 1.3;

        coord x: [m];
        coord y: [m];
        coord phi: [rad];

        kinetic translation = 0.5*m*(sq(der(x)) + sq(der(y)));
        kinetic rotation = 0.5*J*sq(der(phi));
        potential slope = -F*x;

        nonholonomic edge: cos(phi)*der(y) == sin(phi)*der(x);

        init x = 0.0;
        init y = 0.0;
        init phi = 0.0;
        init der(x) = 0.0;
        init der(y) = 0.0;
        init der(phi) = omega;
        /// Force across the edge.
        output side_force: [N] = psi(edge);

        draw blade: line([x - 0.4*cos(phi), y - 0.4*sin(phi)], [x + 0.4*cos(phi), y + 0.4*sin(phi)]);
        draw path: trace([x, y]);
        until 2.0;
    }
}

mbd::main!(Skate);
