//! The bushing pendulum driven by an actuator with its own dynamics: the states X, variables V and
//! forces F of paper 002 (eq. 8). Reference solution in tests/references.

use mbd::prelude::*;
use std::f64::consts::PI;

mechanism! {
    /// A bar pinned at its end, moved by a lagging actuator towards an oscillating angle.
    pub mechanism ActuatorPendulum {
        /// Mass.
        param m: [kg] = 5.0;
        /// Half-length of the bar.
        param L: [m] = 2.0;
        /// Torsion spring.
        param k: [N*m/rad] = 3000.0;
        /// Torsion damper.
        param c: [N*m*s/rad] = 100.0;
        /// Acceleration of gravity, along −y.
        param g: [m/s^2] = 9.81;
        /// Time constant of the actuator.
        param tau: [s] = 0.05;

        coord x: [m];
        coord y: [m];
        coord theta: [rad];
        state X: [N*m];
        variable V: [N*m] == 2000.0*(1.5*PI + 0.3*sin(4.0*t) - theta) - 50.0*der(theta);
        variable F1: [N*m] == X;
        variable F2: [N*m] == -c*der(theta) - k*(theta - 1.5*PI);

        kinetic translation = 0.5*m*(sq(der(x)) + sq(der(y)));
        kinetic rotation = 0.5*(m*sq(L)/3.0)*sq(der(theta));
        potential weight = m*g*y;
        force actuator along theta = F1 + F2;
        equation lag: tau*der(X) + X == V;

        holonomic pin: [x, y] == [L*cos(theta), L*sin(theta)];

        init theta = 1.5*PI;
        init der(theta) = 10.0;
        guess x = L*cos(theta);
        guess y = L*sin(theta);
        guess der(x) = -L*sin(theta)*der(theta);
        guess der(y) = L*cos(theta)*der(theta);
        init X = 0.0;

        draw bar: line([0.0, 0.0], [2.0*x, 2.0*y]);
        draw pin: circle([0.0, 0.0], 0.04*L) color grey;
        until 1.0;
    }
}

mbd::main!(ActuatorPendulum);
