//! The flexible slider-crank of paper 000 (section 4.3): crank, slider, and an elastic rod of n
//! Hermite beam elements that bends but does not stretch. `--set n=8` refines it.
//!
//! The rod's frame starts at the crank pin tangent to the rod (deflection and slope zero there), so
//! its far end carries the deflection w[n−1] that the paper's constraints contain. Data are those
//! of `crank_modal` but for Young's modulus, which the paper does not give: 3.1e9 Pa makes the
//! largest frequency the 1.3e4 rad/s it states.

use mbd::components::{PlanarFrame, beam};
use mbd::prelude::*;

mechanism! {
    /// A slider-crank with an elastic rod of beam elements.
    pub mechanism FlexibleSliderCrank {
        /// Number of beam elements.
        size n = 4;
        /// Length of the crank.
        param L1: [m] = 0.15;
        /// Length of the rod.
        param L2: [m] = 0.30;
        /// Mass of the slider.
        param M3: [kg] = 0.075552;
        /// Moment of inertia of the crank about its pivot.
        param J1: [kg*m^2] = 0.002727;
        /// Young's modulus.
        param E: [N/m^2] = 3.1e9;
        /// Side of the rod's square section.
        param h: [m] = 0.008;
        /// Density.
        param rho: [kg/m^3] = 7870.0;
        /// Driving torque on the crank.
        param torque: [N*m] = 0.2;
        /// Time at which it ends.
        param t_off: [s] = 0.3;

        /// Crank angle.
        coord phi1: [rad];
        /// Angle of the rod at the crank pin.
        coord phi2: [rad];
        /// Slider.
        coord x3: [m];
        /// Deflection at the end of each element.
        coord w[n]: [m];
        /// Slope at the end of each element.
        coord s[n]: [rad];

        let rho_a = rho*sq(h);
        let mass = rho_a*L2;
        let l = L2/(n as f64);
        let EI = E*powi(h, 4)/12.0;
        let angle = phi1 - phi2;
        let pin_speed = L1*der(phi1);
        let turn = der(phi2);

        kinetic crank = 0.5*J1*sq(der(phi1));
        kinetic slider = 0.5*M3*sq(der(x3));
        // The undeformed rod.
        kinetic rod = 0.5*mass*(
            sq(pin_speed) + L2*pin_speed*turn*cos(angle) + sq(L2)/3.0*sq(turn)
        );

        // The rod's frame turns and its pin moves; statements apart, so that no derivative is taken
        // of a sum by what only one term depends on.
        //
        // The element at the crank pin has no deflection and no slope there.
        let first = [0.0, 0.0, w[0], s[0]];
        let first_rate = [0.0, 0.0, der(w[0]), der(s[0])];
        kinetic first_own = 0.5*rho_a*beam::mass(l, first_rate, first_rate);
        kinetic first_turning = rho_a*turn*beam::moment(0.0, l, first_rate);
        kinetic first_thrown = 0.5*rho_a*sq(turn)*beam::mass(l, first, first);
        potential first_bending = 0.5*EI*beam::stiffness(l, first, first);
        for i in 1..n {
            let d = [w[i-1], s[i-1], w[i], s[i]];
            let v = [der(w[i-1]), der(s[i-1]), der(w[i]), der(s[i])];
            kinetic own = 0.5*rho_a*beam::mass(l, v, v);
            kinetic turning = rho_a*turn*beam::moment((i as f64)*l, l, v);
            kinetic thrown = 0.5*rho_a*sq(turn)*beam::mass(l, d, d);
            potential bending = 0.5*EI*beam::stiffness(l, d, d);
            // Of the integral of the deflection, that moves with the pin, what belongs to a node:
            // the slopes of neighbours cancel.
            kinetic carried =
                rho_a*l*pin_speed*(turn*sin(angle)*w[i-1] + cos(angle)*der(w[i-1]));
        }
        let end = 0.5*w[n-1] - l/12.0*s[n-1];
        kinetic end_carried = rho_a*l*pin_speed*(turn*sin(angle)*end + cos(angle)*der(end));

        force motor along phi1 = if t < t_off { torque } else { 0.0 };

        holonomic close_y: L1*sin(phi1) + L2*sin(phi2) + w[n-1]*cos(phi2) == 0.0;
        holonomic close_x: x3 == L1*cos(phi1) + L2*cos(phi2) - w[n-1]*sin(phi2);

        init phi1 = 0.0;
        init phi2 = 0.0;
        guess x3 = L1 + L2;
        for i in 0..n {
            init w[i] = 0.0;
            init s[i] = 0.0;
        }
        /// Deflection of the end of the rod from its frame.
        output tip: [m] = w[n-1];

        let rod = PlanarFrame::new(L1*cos(phi1), L1*sin(phi1), phi2);
        draw crank: line([0.0, 0.0], [L1*cos(phi1), L1*sin(phi1)]);
        draw root: line(rod.point([0.0, 0.0]), rod.point([l, w[0]])) color orange;
        for i in 1..n {
            draw element: line(rod.point([i*l, w[i-1]]), rod.point([(i + 1)*l, w[i]])) color orange;
        }
        draw slider: box([x3, 0.0], [0.04, 0.03]);
        until 1.0;
    }
}

mbd::main!(FlexibleSliderCrank);
