//! Pendulum with a bushing torque (paper 001, problem (16)): a bar of half-length L pinned at its
//! end, with a stiff torsion spring and damper. Reference solution in tests/references.

use mbd::prelude::*;
use std::f64::consts::PI;

mechanism! {
    /// A bar pinned at its end with a torsion spring and damper.
    pub mechanism BushingPendulum {
        /// Mass.
        param m: [kg] = 5.0;
        /// Half-length of the bar: distance of its centre of mass from the pin.
        param L: [m] = 2.0;
        /// Torsion spring.
        param k: [N*m/rad] = 3000.0;
        /// Torsion damper.
        param c: [N*m*s/rad] = 100.0;
        /// Acceleration of gravity, along −y.
        param g: [m/s^2] = 9.81;

        coord x: [m];
        coord y: [m];
        coord theta: [rad];

        kinetic translation = 0.5*m*(sq(der(x)) + sq(der(y)));
        kinetic rotation = 0.5*(m*sq(L)/3.0)*sq(der(theta));
        potential weight = m*g*y;
        force bushing along theta = -k*(theta - 1.5*PI) - c*der(theta);

        holonomic pin: [x, y] == [L*cos(theta), L*sin(theta)];

        init theta = 1.5*PI;
        init der(theta) = 10.0;
        guess x = L*cos(theta);
        guess y = L*sin(theta);
        guess der(x) = -L*sin(theta)*der(theta);
        guess der(y) = L*cos(theta)*der(theta);

        draw bar: line([0.0, 0.0], [2.0*x, 2.0*y]);
        draw pin: circle([0.0, 0.0], 0.04*L) color grey;
        until 2.0;
    }
}

mbd::main!(BushingPendulum);
