//! The car axis of the IVP Test Set (`caraxis`): a stiff axle on two springs, its right wheel
//! driven over a bumpy road; index 3 and rheonomic.
//!
//! Source: F. Mazzia, C. Magherini, Test Set for IVP Solvers, problem `caraxis`.

use mbd::prelude::*;

mechanism! {
    /// The car axis.
    pub mechanism CarAxis {
        /// Stiffness parameter ε; the springs are 1/ε² times stiffer than the mass suggests.
        param eps = 1e-2;
        /// Mass of the axle.
        param M: [kg] = 10.0;
        /// Length of the axle.
        param L: [m] = 1.0;
        /// Free length of the springs.
        param L0: [m] = 0.5;
        /// Amplitude of the road.
        param r: [m] = 0.1;
        /// Frequency of the road.
        param omega: [rad/s] = 10.0;
        /// Acceleration of gravity.
        param g: [m/s^2] = 1.0;

        coord xl: [m];
        coord yl: [m];
        coord xr: [m];
        coord yr: [m];

        let k = 0.5*M*sq(eps);
        let yb = r*sin(omega*t);
        let xb = sqrt(sq(L) - sq(yb));
        let left = hypot(xl, yl);
        let right = hypot(xr - xb, yr - yb);

        kinetic axle = 0.5*k*(sq(der(xl)) + sq(der(yl)) + sq(der(xr)) + sq(der(yr)));
        potential weight = k*g*(yl + yr);
        force left_spring along left = 1.0*(L0 - left);
        force right_spring along right = 1.0*(L0 - right);

        holonomic road: xl*xb + yl*yb == 0.0;
        holonomic rigid: sq(xl - xr) + sq(yl - yr) == sq(L);

        init xl = 0.0;
        init yl = L0;
        init xr = L;
        init yr = L0;
        init der(xl) = -0.5;
        init der(yl) = 0.0;
        init der(xr) = -0.5;
        init der(yr) = 0.0;

        draw axle: line([xl, yl], [xr, yr]);
        draw ground: line([0.0, 0.0], [xb, yb]) color grey;
        draw left: spring([0.0, 0.0], [xl, yl]);
        draw right: spring([xb, yb], [xr, yr]);
        until 3.0;
    }
}

mbd::main!(CarAxis);
