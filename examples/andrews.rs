//! Andrews' squeezing mechanism in its seven angles: seven bodies, three closed loops, a constant
//! torque; the field's standard test (IVP Test Set `andrews`).
//!
//! Source: F. Mazzia, C. Magherini, Test Set for IVP Solvers, problem `andrews`; W. Schiehlen
//! (ed.), Multibody Systems Handbook, 1990.

use mbd::components::{PlanarFrame, distance};
use mbd::prelude::*;

mechanism! {
    /// Andrews' squeezing mechanism.
    pub mechanism Andrews {
        param m[7]: [kg] = [0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498];
        param I[7]: [kg*m^2] =
            [2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5];
        param xa: [m] = -0.06934;  param ya: [m] = -0.00227;
        param xb: [m] = -0.03635;  param yb: [m] = 0.03273;
        param xc: [m] = 0.014;     param yc: [m] = 0.072;
        param d: [m] = 0.028;      param da: [m] = 0.0115;
        param e: [m] = 0.02;       param ea: [m] = 0.01421;
        param rr: [m] = 0.007;     param ra: [m] = 0.00092;
        param ss: [m] = 0.035;     param sa: [m] = 0.01874;  param sb: [m] = 0.01043;
        param sc: [m] = 0.018;     param sd: [m] = 0.02;
        param ta: [m] = 0.02308;   param tb: [m] = 0.00916;
        param u: [m] = 0.04;       param ua: [m] = 0.01228;  param ub: [m] = 0.00449;
        param zf: [m] = 0.02;      param zt: [m] = 0.04;     param fa: [m] = 0.01421;
        /// Spring between C and D.
        param c0: [N/m] = 4530.0;
        /// Its free length.
        param l0: [m] = 0.07785;
        /// Torque on the crank.
        param torque: [N*m] = 0.033;

        coord beta: [rad];
        coord Theta: [rad];
        coord gamma: [rad];
        coord Phi: [rad];
        coord delta: [rad];
        coord Omega: [rad];
        coord epsilon: [rad];

        // Each body's frame at its joint, then its centre of mass.
        let k1 = PlanarFrame::new(0.0, 0.0, beta);
        let k2 = k1.at([rr, 0.0], beta + Theta);
        let k3 = PlanarFrame::new(xb, yb, gamma);
        let k5 = PlanarFrame::new(xa, ya, delta);
        let k4 = k5.at([zt, 0.0], Phi + delta);
        let k7 = PlanarFrame::new(xa, ya, epsilon);
        let k6 = k7.at([0.0, -u], Omega + epsilon);

        let v1 = der(k1.point([ra, 0.0]));
        let v2 = der(k2.point([-da, 0.0]));
        let v3 = der(k3.point([sb, -sa]));
        let v4 = der(k4.point([0.0, ea - e]));
        let v5 = der(k5.point([ta, tb]));
        let v6 = der(k6.point([zf - fa, 0.0]));
        let v7 = der(k7.point([-ub, -ua]));

        kinetic k1 = 0.5*m[0]*(sq(v1[0]) + sq(v1[1])) + 0.5*I[0]*sq(der(beta));
        kinetic k2 = 0.5*m[1]*(sq(v2[0]) + sq(v2[1])) + 0.5*I[1]*sq(der(beta) + der(Theta));
        kinetic k3 = 0.5*m[2]*(sq(v3[0]) + sq(v3[1])) + 0.5*I[2]*sq(der(gamma));
        kinetic k4 = 0.5*m[3]*(sq(v4[0]) + sq(v4[1])) + 0.5*I[3]*sq(der(Phi) + der(delta));
        kinetic k5 = 0.5*m[4]*(sq(v5[0]) + sq(v5[1])) + 0.5*I[4]*sq(der(delta));
        kinetic k6 = 0.5*m[5]*(sq(v6[0]) + sq(v6[1])) + 0.5*I[5]*sq(der(Omega) + der(epsilon));
        kinetic k7 = 0.5*m[6]*(sq(v7[0]) + sq(v7[1])) + 0.5*I[6]*sq(der(epsilon));

        let length = distance(k3.point([sd, -sc]), [xc, yc]);
        potential spring = 0.5*c0*sq(length - l0);
        force motor along beta = torque;

        // The point E is shared by the bodies K2, K3, K4 and K6.
        let pin = k2.point([-d, 0.0]);
        holonomic e3[2]: pin == k3.point([0.0, -ss]);
        holonomic e4[2]: pin == k4.point([0.0, -e]);
        holonomic e6[2]: pin == k6.point([zf, 0.0]);

        init beta = -0.0617138900142764496;
        init Theta = 0.0;
        init gamma = 0.455279819163070380;
        init Phi = 0.222668390165885885;
        init delta = 0.487364979543842550;
        init Omega = -0.222668390165885885;
        init epsilon = 1.23054744454982120;
        until 0.03;
    }
}

mbd::main!(Andrews);
