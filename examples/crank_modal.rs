//! The flexible slider-crank of the IVP Test Set (`crank`): a crank turning at a constant rate, an
//! elastic rod in two lateral modes and two longitudinal displacements, a slider.
//!
//! Source: F. Mazzia, C. Magherini, Test Set for IVP Solvers, problem `crank`; B. Simeon, Modelling
//! a flexible slider crank mechanism by a mixed system of DAEs and PDEs, 1996. Published at
//! t = 0.1: q1 = 1.893192900e-4, q2 = 2.375751250e-5, q3 = −5.323896771e-6, q4 = −8.363313279e-6.

use mbd::components::PlanarFrame;
use mbd::prelude::*;
use std::f64::consts::PI;

mechanism! {
    /// A slider-crank with an elastic connecting rod in modal coordinates.
    pub mechanism CrankModal {
        /// Length of the crank.
        param L1: [m] = 0.15;
        /// Length of the rod.
        param L2: [m] = 0.30;
        /// Mass of the rod.
        param M2: [kg] = 0.151104;
        /// Mass of the slider.
        param M3: [kg] = 0.075552;
        /// Moment of inertia of the crank about its pivot.
        param J1: [kg*m^2] = 0.002727;
        /// Moment of inertia of the undeformed rod about the crank pin.
        param J2: [kg*m^2] = 0.0045339259;
        /// Young's modulus.
        param E: [N/m^2] = 0.2e12;
        /// Width of the rod's section.
        param b: [m] = 0.008;
        /// Height of the rod's section.
        param h: [m] = 0.008;
        /// Density.
        param rho: [kg/m^3] = 7870.0;
        /// π of the mode shapes; the published solution has 3.1415927.
        param pi: [-] = PI;
        /// Speed of the crank.
        param Omega: [rad/s] = 150.0;

        /// Crank angle.
        coord phi1: [rad];
        /// Angle of the rod's frame.
        coord phi2: [rad];
        /// Slider.
        coord x3: [m];
        /// First lateral mode.
        coord q1: [m];
        /// Second lateral mode.
        coord q2: [m];
        /// Longitudinal displacement of the rod's middle.
        coord q3: [m];
        /// Longitudinal displacement of the rod's end.
        coord q4: [m];

        let v1 = der(phi1);
        let v2 = der(phi2);
        let w1 = der(q1);
        let w2 = der(q2);
        let w3 = der(q3);
        let w4 = der(q4);

        // Integrals over the rod: volume, and mass by the modes. The mass of the longitudinal part
        // lacks a factor 1/15 in the source; the published solution depends on it.
        let volume = b*h*L2;
        let fm = rho*volume;
        let sq_q = fm*(0.5*(sq(q1) + sq(q2)) + 8.0*sq(q3) + 2.0*q3*q4 + 2.0*sq(q4));
        let sq_w = fm*(0.5*(sq(w1) + sq(w2)) + 8.0*sq(w3) + 2.0*w3*w4 + 2.0*sq(w4));
        let along_q = volume*(2.0/3.0*q3 + q4/6.0);
        let along_w = volume*(2.0/3.0*w3 + w4/6.0);
        let across_q = volume*(2.0/pi)*q1;
        let across_w = volume*(2.0/pi)*w1;
        let first_moment_q = L2*volume*(q3/3.0 + q4/6.0);
        let first_moment_w = L2*volume*(w1/pi - w2/(2.0*pi));
        let twist = volume*(
            -16.0/powi(pi, 3)*(q1*w3 - q3*w1)
            + (8.0/powi(pi, 3) - 1.0/pi)*(q1*w4 - q4*w1)
            + (q2*w4 - q4*w2)/(2.0*pi)
        );
        let sin_d = sin(phi1 - phi2);
        let cos_d = cos(phi1 - phi2);

        kinetic crank = 0.5*(J1 + M2*sq(L1))*sq(v1);
        kinetic slider = 0.5*M3*sq(der(x3));
        kinetic coupling = L1*v1*v2*(
            0.5*L2*M2*cos_d + rho*(sin_d*across_q + cos_d*along_q)
        );
        kinetic turning = 0.5*sq(v2)*(J2 + sq_q + 2.0*rho*first_moment_q);
        kinetic crank_modes = rho*L1*v1*(cos_d*across_w - sin_d*along_w);
        kinetic rod_modes = rho*v2*(first_moment_w + twist);
        kinetic modes = 0.5*sq_w;

        let fk = E*b*h/L2;
        let slenderness = sq(h/L2);
        potential bending = 0.5*fk*slenderness*powi(pi, 4)*(sq(q1)/24.0 + 2.0/3.0*sq(q2));
        potential stretching = fk/6.0*(16.0*sq(q3) - 16.0*q3*q4 + 7.0*sq(q4));

        holonomic close_y: L1*sin(phi1) + (L2 + q4)*sin(phi2) == 0.0;
        holonomic close_x: x3 == L1*cos(phi1) + (L2 + q4)*cos(phi2);
        holonomic drive: phi1 == Omega*t;

        init phi1 = 0.0;
        init q1 = 0.0;
        init q2 = 0.0;
        init q3 = 0.103339863e-4;
        init q4 = 0.169327969e-4;
        guess phi2 = 0.0;
        guess x3 = 0.450016933;
        init der(q1) = 0.444896105;
        init der(q2) = 0.463434311e-2;
        init der(q3) = -0.178591076e-5;
        init der(q4) = -0.268938672e-5;
        guess der(phi1) = Omega;
        guess der(phi2) = -74.9957670;
        guess der(x3) = -0.268938672e-5;

        // The rod with its bending drawn a hundred times as large.
        let pin = PlanarFrame::new(L1*cos(phi1), L1*sin(phi1), phi2);
        let bent = [100.0*q1, 100.0*q2];
        draw crank: line([0.0, 0.0], [L1*cos(phi1), L1*sin(phi1)]);
        draw rod: polyline([
            pin.point([0.0, 0.0]),
            pin.point([L2/6.0, bent[0]*sin(pi/6.0) + bent[1]*sin(pi/3.0)]),
            pin.point([L2/3.0, bent[0]*sin(pi/3.0) + bent[1]*sin(2.0*pi/3.0)]),
            pin.point([L2/2.0, bent[0]]),
            pin.point([2.0*L2/3.0, bent[0]*sin(pi/3.0) - bent[1]*sin(2.0*pi/3.0)]),
            pin.point([5.0*L2/6.0, bent[0]*sin(pi/6.0) - bent[1]*sin(pi/3.0)]),
            pin.point([L2, 0.0]),
        ]);
        draw slider: box([x3, 0.0], [0.04, 0.03]);
        until 0.1;
    }
}

mbd::main!(CrankModal);
