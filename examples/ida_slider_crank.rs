//! SUNDIALS' slider-crank (`idaSlCrank_dns`): crank angle q, slider position x, rod angle p, with
//! a spring-damper between the midpoints of crank and rod and a constant force on the rod.
//!
//! References: IDA at tolerance 1e-6 prints q 1.2757, x 1.0236, p −0.49881 at 10 s; converged
//! values in tests/references.

use mbd::prelude::*;

mechanism! {
    /// SUNDIALS' slider-crank.
    pub mechanism IdaSliderCrank {
        /// Length of the crank; the rod's is 1.
        param a: [m] = 0.5;
        /// Inertia of the crank about its pivot.
        param J1: [kg*m^2] = 1.0;
        /// Mass of the rod.
        param m2: [kg] = 1.0;
        /// Inertia of the rod.
        param J2: [kg*m^2] = 2.0;
        /// Spring.
        param k: [N/m] = 1.0;
        /// Damper.
        param c: [N*s/m] = 1.0;
        /// Free length of the spring.
        param l0: [m] = 1.0;
        /// Constant force.
        param F: [N] = 1.0;

        coord q: [rad];
        coord x: [m];
        coord p: [rad];

        let dx = x - 0.5*(1.0*cos(p) + a*cos(q));
        let dy = 0.5*(1.0*sin(p) + a*sin(q));
        let length = hypot(dx, dy);

        kinetic crank = 0.5*J1*sq(der(q));
        kinetic slider = 0.5*m2*sq(der(x));
        kinetic rod = 0.5*J2*sq(der(p));
        force spring along length = -k*(length - l0) - c*der(length);
        force push along x + 1.0*cos(p) = F;

        holonomic close_x: x == 1.0*cos(p) + a*cos(q);
        holonomic close_y: -1.0*sin(p) == a*sin(q);

        init q = 0.5*std::f64::consts::PI;
        guess p = -asin(a);
        guess x = 1.0*cos(p);

        draw crank: line([0.0, 0.0], [a*cos(q), a*sin(q)]);
        draw rod: line([a*cos(q), a*sin(q)], [x, 0.0]);
        draw slider: box([x, 0.0], [0.2, 0.15]);
        draw spring: spring([0.5*a*cos(q), 0.5*a*sin(q)], [x - 0.5*cos(p), -0.5*sin(p)]);
        until 10.0;
    }
}

mbd::main!(IdaSliderCrank);
