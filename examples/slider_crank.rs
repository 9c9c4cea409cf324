//! The README's mechanism: a slider-crank whose speed a PI controller holds against a gas spring.

use mbd::prelude::*;

/// Force of the gas on the piston [N] at slider position x [m]: stiff near the dead centre.
#[differentiable]
fn gas_force(x: f64) -> f64 {
    let stroke = 0.42 - x;
    -40.0 / (1.0 + (stroke / 0.05).powi(2))
}

mechanism! {
    /// Planar slider-crank with PI speed control.
    pub mechanism SliderCrank {
        /// Crank radius.
        param r: [m] = 0.10;
        /// Length of the connecting rod.
        param l: [m] = 0.30;
        /// Mass of the piston.
        param m_p: [kg] = 0.50;
        /// Mass of the connecting rod.
        param m_r: [kg] = 0.20;
        /// Speed the controller holds.
        param w_ref: [rad/s] = 20.0;

        coord theta: [rad];
        coord phi: [rad];
        coord x: [m];
        state e: [rad];

        let w = der(theta);
        let rod = [r*cos(theta) + 0.5*l*cos(phi), r*sin(theta) - 0.5*l*sin(phi)];
        let v_rod = der(rod);

        kinetic crank = 0.5*1e-3*sq(w);
        kinetic rod = 0.5*m_r*(sq(v_rod[0]) + sq(v_rod[1])) + 0.5*1.5e-3*sq(der(phi));
        kinetic piston = 0.5*m_p*sq(der(x));
        potential weight = 9.81*m_r*rod[1];
        dissipation bearing = 0.5*0.005*sq(w);
        force motor along theta = 2.0*(w_ref - w) + 5.0*e;
        force gas along x = gas_force(x);

        holonomic close_x: r*cos(theta) + l*cos(phi) == x;
        holonomic close_y: r*sin(theta) == l*sin(phi);
        der(e) = w_ref - w;

        init theta = 0.3;
        init der(theta) = 20.0;
        guess phi = 0.1;
        guess x = 0.39;
        /// Force of the cylinder wall on the piston.
        output guide_force: [N] = lambda(close_y);
        /// Torque of the motor.
        output torque: [N*m] = 2.0*(w_ref - w) + 5.0*e;

        draw crank: line([0.0, 0.0], [r*cos(theta), r*sin(theta)]);
        draw rod: line([r*cos(theta), r*sin(theta)], [x, 0.0]);
        draw piston: box([x, 0.0], [0.06, 0.05]) color orange;
        until 1.0;
    }
}

mbd::main!(SliderCrank);
