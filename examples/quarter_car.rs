//! A quarter of a car: body and wheel one above the other on suspension and tyre, driven over a bump.
//! At rest at zero until the bump comes, so that nothing at the start tells how far it will move.

use mbd::prelude::*;
use std::f64::consts::PI;

mechanism! {
    /// A quarter car over a bump.
    pub mechanism QuarterCar {
        /// Mass of the body.
        param m_b: [kg] = 300.0;
        /// Mass of the wheel.
        param m_w: [kg] = 40.0;
        /// Stiffness of the suspension.
        param k_s: [N/m] = 18e3;
        /// Its damping.
        param c_s: [N*s/m] = 1200.0;
        /// Stiffness of the tyre.
        param k_t: [N/m] = 180e3;
        /// Height of the bump.
        param bump: [m] = 0.05;
        /// Its length.
        param length: [m] = 2.0;
        /// Speed.
        param speed: [m/s] = 10.0;

        /// Body and wheel, from their positions at rest.
        coord z_b: [m];
        coord z_w: [m];

        let way = speed*t - 0.5*length;
        let road = if way > 0.0 && way < length {
            0.5*bump*(1.0 - cos(2.0*PI*way/length))
        } else {
            0.0
        };

        kinetic body = 0.5*m_b*sq(der(z_b));
        kinetic wheel = 0.5*m_w*sq(der(z_w));
        potential suspension = 0.5*k_s*sq(z_b - z_w);
        dissipation damper = 0.5*c_s*sq(der(z_b) - der(z_w));
        potential tyre = 0.5*k_t*sq(z_w - road);

        output lift: [m] = road;

        draw body: box([0.0, 1.0 + z_b], [1.0, 0.3]);
        draw suspension: spring([0.0, 0.3 + z_w], [0.0, 0.85 + z_b]);
        draw wheel: circle([0.0, 0.3 + z_w], 0.3) color black;
        draw road: line([-0.6, road], [0.6, road]) color grey;
        until 2.0;
    }
}

mbd::main!(QuarterCar);
