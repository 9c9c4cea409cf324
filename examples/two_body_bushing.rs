//! Paper 003, section 5.2: two bodies, the first fixed, the second kept at a distance and held by a
//! stiff bushing. Tables 5.3 and 5.4.
//!
//! Mass, inertia and gravity (1, 1, 0) are ours, the paper gives none. Reference solutions in
//! tests/references: y2(1) = −5.7858040e-5 for ε = 10⁻⁶.

use mbd::components::{PlanarFrame, offset};
use mbd::prelude::*;

mechanism! {
    /// A two-body pendulum with a bushing.
    pub mechanism TwoBodyBushing {
        /// The bushing's stiffness is 1/ε.
        param eps = 1e-6;
        /// Damping of the bushing, along each axis and in its angle.
        param c = 10.0;

        coord x1: [m];
        coord y1: [m];
        coord theta1: [rad];
        coord x2: [m];
        coord y2: [m];
        coord theta2: [rad];

        let first = PlanarFrame::new(x1, y1, theta1);
        let second = PlanarFrame::new(x2, y2, theta2);

        kinetic first = 0.5*(sq(der(x1)) + sq(der(y1))) + 0.5*sq(der(theta1));
        kinetic second = 0.5*(sq(der(x2)) + sq(der(y2))) + 0.5*sq(der(theta2));

        let k = 1.0/eps;
        let u = offset(first, [0.5, 0.0], second, [-0.5, 0.0]);
        potential bushing = 0.5*k*(sq(u[0]) + sq(u[1])) + 0.5*k*sq(u[2]);
        let du = der(u);
        force bushing along [u[0], u[1], u[2]] = [-c*du[0], -c*du[1], -c*du[2]];

        holonomic fixed[3]: [x1, y1, theta1] == [0.0, 0.0, 0.0];
        holonomic rod: sq(x2 - x1) + sq(y2 - y1) == 1.0;
        holonomic upright: theta2 == 0.0;

        guess x2 = 9.9989e-1;
        guess y2 = -1.4852e-2;
        guess der(x2) = -6.75e-5;
        guess der(y2) = -4.5444e-3;
        until 1.0;
    }
}

mbd::main!(TwoBodyBushing);
