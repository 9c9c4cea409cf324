//! A mass on a spring with a PI controller: no constraint, one state, an algebraic variable and a
//! force that is one. Reference: the matrix exponential.

use mbd::prelude::*;

mechanism! {
    /// A spring-mounted mass with a PI position controller.
    pub mechanism MassPi {
        /// Mass.
        param m: [kg] = 2.0;
        /// Damper.
        param c: [N*s/m] = 1.0;
        /// Spring.
        param k: [N/m] = 50.0;

        coord q: [m];
        state X: [m*s];
        variable V: [N] == 30.0*(1.0 - q) + 40.0*X;
        variable F: [N] == V;

        kinetic mass = 0.5*m*sq(der(q));
        potential spring = 0.5*k*sq(q);
        dissipation damper = 0.5*c*sq(der(q));
        force control along q = F;
        der(X) = 1.0 - q;

        init q = 0.0;
        init der(q) = 0.0;
        init X = 0.0;

        draw spring: spring([0.0, 0.0], [0.5 + q, 0.0]);
        draw mass: box([0.6 + q, 0.0], [0.2, 0.2]);
        draw wall: line([0.0, -0.2], [0.0, 0.2]) color grey;
        until 2.0;
    }
}

mbd::main!(MassPi);
