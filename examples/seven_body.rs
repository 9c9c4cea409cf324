//! The seven-body mechanism of paper 004 (section 4.3): Andrews' squeezing mechanism with a stiffer
//! spring and a heavy damper beside it, in 21 absolute coordinates and 20 constraints.
//!
//! Reference solution in tests/references: β(0.035) = 0.28964493.

use mbd::components::{distance, force::spring_damper, ground, revolute};
use mbd::prelude::*;

mechanism! {
    /// Andrews' squeezing mechanism with a stiff spring and a damper.
    pub mechanism SevenBody {
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
        param k: [N/m] = 30000.0;
        /// Damper beside it.
        param c: [N*s/m] = 100000.0;
        /// Its free length.
        param l0: [m] = 0.07785;
        /// Torque on the crank.
        param torque: [N*m] = 0.033;

        // Coordinates of a body are those of its centre of mass.
        body k1: PlanarBody { mass: 0.04325, inertia: 2.194e-6 };
        body k2: PlanarBody { mass: 0.00365, inertia: 4.410e-7 };
        body k3: PlanarBody { mass: 0.02373, inertia: 5.255e-6 };
        body k4: PlanarBody { mass: 0.00706, inertia: 5.667e-7 };
        body k5: PlanarBody { mass: 0.07050, inertia: 1.169e-5 };
        body k6: PlanarBody { mass: 0.00706, inertia: 5.667e-7 };
        body k7: PlanarBody { mass: 0.05498, inertia: 1.912e-5 };

        holonomic O[2]: revolute(ground(), [0.0, 0.0], k1.frame, [-ra, 0.0]);
        holonomic F[2]: revolute(k1.frame, [rr - ra, 0.0], k2.frame, [da, 0.0]);
        holonomic B[2]: revolute(ground(), [xb, yb], k3.frame, [-sb, sa]);
        holonomic A5[2]: revolute(ground(), [xa, ya], k5.frame, [-ta, -tb]);
        holonomic A7[2]: revolute(ground(), [xa, ya], k7.frame, [ub, ua]);
        holonomic G[2]: revolute(k5.frame, [zt - ta, -tb], k4.frame, [0.0, e - ea]);
        holonomic H[2]: revolute(k7.frame, [ub, ua - u], k6.frame, [fa - zf, 0.0]);
        // The point E is shared by four bodies.
        let pin = k2.frame.point([da - d, 0.0]);
        holonomic E3[2]: pin == k3.frame.point([-sb, sa - ss]);
        holonomic E4[2]: pin == k4.frame.point([0.0, -ea]);
        holonomic E6[2]: pin == k6.frame.point([fa, 0.0]);

        let length = distance(k3.frame.point([sd - sb, sa - sc]), [xc, yc]);
        force spring along length = spring_damper(length, der(length), k, c, l0);
        force motor along k1.theta = torque;

        init k1.theta = -0.0617138900142764496;
        init k2.theta = -0.0617138900142764496;
        init k3.theta = 0.455279819163070380;
        init k4.theta = 0.222668390165885885 + 0.487364979543842550;
        init k5.theta = 0.487364979543842550;
        init k6.theta = 1.23054744454982120 - 0.222668390165885885;
        init k7.theta = 1.23054744454982120;
        guess k1.x = ra*cos(k1.theta);
        guess k1.y = ra*sin(k1.theta);
        guess k2.x = (rr - da)*cos(k1.theta);
        guess k2.y = (rr - da)*sin(k1.theta);
        guess k3.x = xb;
        guess k3.y = yb;
        guess k4.x = xa + zt;
        guess k4.y = ya;
        guess k5.x = xa;
        guess k5.y = ya;
        guess k6.x = xa + u;
        guess k6.y = ya;
        guess k7.x = xa;
        guess k7.y = ya;

        output beta: [rad] = k1.theta;
        output Theta: [rad] = k2.theta - k1.theta;
        output gamma: [rad] = k3.theta;
        output Phi: [rad] = k4.theta - k5.theta;
        output delta: [rad] = k5.theta;
        output Omega: [rad] = k6.theta - k7.theta;
        output epsilon: [rad] = k7.theta;
        until 0.035;
    }
}

mbd::main!(SevenBody);
