//! A slider-crank whose slider rubs in its guide: friction against what the guide presses with.
//!
//! The guide's force is the multiplier of its constraint, so friction and reaction are solved for together.
//! At the dead centres the slider reverses; with the motor off (`--set t_off=0.5 --set mu=0.3 --set w0=5`)
//! the crank stops between them, and what holds it is less than friction could.
//!
//! Reference: the crank is at 30.0245359086811 rad after 1 s, turning at 39.0076530187943 rad/s.

use mbd::components::force;
use mbd::prelude::*;

mechanism! {
    /// Slider-crank with friction in the guide.
    pub mechanism CrankWithFriction {
        /// Coefficient of friction in the guide.
        param mu = 0.2;
        /// Lengths of crank and rod.
        param r: [m] = 0.1;
        param l: [m] = 0.3;
        /// Inertia of the crank about its pivot, masses of rod and slider.
        param j: [kg*m^2] = 0.02;
        param m_rod: [kg] = 0.5;
        param m_slider: [kg] = 1.0;
        /// Gravity.
        param g: [m/s^2] = 9.81;
        /// Torque of the motor, and when it is switched off.
        param torque: [N*m] = 1.0;
        param t_off: [s] = 100.0;
        /// Speed of the crank at the start.
        param w0: [rad/s] = 15.0;

        /// Crank angle, angle of the rod below the horizontal, position of the slider.
        coord phi: [rad];
        coord psi: [rad];
        coord x: [m];
        coord y: [m];

        let rod_x = r*cos(phi) + 0.5*l*cos(psi);
        let rod_y = r*sin(phi) - 0.5*l*sin(psi);
        kinetic crank = 0.5*j*sq(der(phi));
        kinetic rod = 0.5*m_rod*(sq(der(rod_x)) + sq(der(rod_y))) + 0.5*m_rod*sq(l)/12.0*sq(der(psi));
        kinetic slider = 0.5*m_slider*(sq(der(x)) + sq(der(y)));
        potential weight = g*(m_rod*rod_y + m_slider*y);
        force motor along phi = if t < t_off { torque } else { 0.0 };

        holonomic close_x: r*cos(phi) + l*cos(psi) == x;
        holonomic close_y: r*sin(phi) - l*sin(psi) == y;
        holonomic guide: y == 0.0;
        let limit = mu*abs(lambda(guide));
        force friction along x = force::dry_friction(der(x), limit, limit);

        draw crank: line([0, 0], [r*cos(phi), r*sin(phi)]);
        draw rod: line([r*cos(phi), r*sin(phi)], [x, y]);
        draw slider: box([x, y], [0.06, 0.04]) color orange;

        init phi = 0.5;           init der(phi) = w0;
        guess psi = 0.16;         guess x = 0.38;
        output guide_force: [N] = -lambda(guide);
        until 1.0;
    }
}

mbd::main!(CrankWithFriction);
