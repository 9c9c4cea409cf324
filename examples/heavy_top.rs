//! The heavy top: a body with one point fixed, spinning fast about its axis under gravity, in
//! Euler parameters. The standard test of rotation in space.
//!
//! Source: A. Cardona, M. Géradin, Comput. & Structures 33 (1989); data as in later papers on Lie
//! group integrators. At t = 1 the centre of mass is at (0.17334396, 0.64008859, −0.74849079) and
//! the spin is 150 throughout.

use mbd::components::spatial;
use mbd::prelude::*;

mechanism! {
    /// A heavy symmetric top with a fixed point.
    pub mechanism HeavyTop {
        /// Mass.
        param m: [kg] = 15.0;
        /// Moment of inertia about the centre of mass, across the axis.
        param J: [kg*m^2] = 0.234375;
        /// Moment of inertia about the axis.
        param Js: [kg*m^2] = 0.46875;
        /// Distance of the centre of mass from the fixed point, along the body's y axis.
        param l: [m] = 1.0;
        /// Acceleration of gravity, along −z.
        param g: [m/s^2] = 9.81;
        /// Initial spin about the axis.
        param spin: [rad/s] = 150.0;
        /// Initial precession about z.
        param precession: [rad/s] = -4.61538;

        body top: SpatialBody { mass: m, jx: J, jy: Js, jz: J };

        potential weight = m*g*top.z;
        holonomic tip[3]: spatial::spherical(spatial::ground(), top.frame.at([0.0, -l, 0.0]));

        init top.y = l;
        init top.e0 = 1.0;
        init der(top.x) = -precession*l;
        init der(top.e2) = 0.5*spin;
        init der(top.e3) = 0.5*precession;

        output x: [m] = top.x;
        output y: [m] = top.y;
        output z: [m] = top.z;
        /// Angular velocity about the axis: constant.
        output spin_rate: [rad/s] = top.omega[1];
        until 1.0;
    }
}

mbd::main!(HeavyTop);
