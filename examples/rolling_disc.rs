//! A disc that rolls without slip on a plane, in Euler parameters: one holonomic row (the rim
//! touches the plane), two nonholonomic ones (the touching point is at rest).
//!
//! The start is a steady turn, a closed form to compare with: leaning at the angle θ and precessing
//! at Ω about the origin, its spin about its own axis is
//! ω₃ = cos θ (A Ω² sin θ − m g R)/((C + m R²) Ω sin θ); the tilt stays θ and at t = 2π/Ω the centre
//! is back where it began. Source: J. I. Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems,
//! 1972, ch. III.

use mbd::components::spatial::cross;
use mbd::prelude::*;
use std::f64::consts::PI;

mechanism! {
    /// A disc rolling on a plane.
    pub mechanism RollingDisc {
        /// Mass.
        param m: [kg] = 2.0;
        /// Radius.
        param R: [m] = 0.3;
        /// Moment of inertia about a diameter.
        param A: [kg*m^2] = 0.045;
        /// Moment of inertia about the axis.
        param C: [kg*m^2] = 0.09;
        /// Acceleration of gravity, along −z.
        param g: [m/s^2] = 9.81;
        /// Initial angle of the axis from the vertical.
        param lean: [rad] = 1.1;
        /// Initial rate of precession.
        param turn: [rad/s] = 2.0;

        // The disc's axis is the body's z axis.
        body disc: SpatialBody { mass: m, jx: A, jy: A, jz: C };

        // From the centre to the lowest point of the rim: down the disc's steepest line.
        let axis = disc.frame.z();
        let slope = hypot(axis[0], axis[1]);
        let to_contact = [R*axis[2]*axis[0]/slope, R*axis[2]*axis[1]/slope, -R*slope];
        let slip = cross(disc.frame.vector(disc.omega), to_contact);

        potential weight = m*g*disc.z;
        holonomic contact: disc.z == R*slope;
        nonholonomic no_slip[2]: [der(disc.x) + slip[0], der(disc.y) + slip[1]] == [0.0, 0.0];

        // The steady turn: der(disc.y) is −R ω₃.
        init der(disc.y) =
            -R*cos(lean)*(A*sq(turn)*sin(lean) - m*g*R)/((C + m*sq(R))*turn*sin(lean));
        init disc.x = der(disc.y)/turn;
        init disc.y = 0.0;
        init disc.z = R*sin(lean);
        init disc.e0 = cos(0.5*lean);
        init disc.e2 = sin(0.5*lean);
        init der(disc.e1) =
            0.5*(-turn*sin(lean)*cos(0.5*lean) - der(disc.y)/R*sin(0.5*lean));
        init der(disc.e3) =
            0.5*(turn*sin(lean)*sin(0.5*lean) - der(disc.y)/R*cos(0.5*lean));

        /// Angle of the axis from the vertical.
        output tilt: [rad] = acos(axis[2]);
        /// Where the disc touches the plane.
        output contact_x: [m] = disc.x + to_contact[0];
        output contact_y: [m] = disc.y + to_contact[1];
        /// Distance of the centre from the centre of the turn.
        output radius: [m] = hypot(disc.x, disc.y);
        draw disc: circle(disc.frame, R);
        draw track: trace([disc.x + to_contact[0], disc.y + to_contact[1], 0]);
        until PI;
    }
}

mbd::main!(RollingDisc);
