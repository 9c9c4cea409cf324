//! What the step control sees: pulses of time within less than a step, contacts between the instants
//! a method evaluates, and fast motion that has died out.

use crate::support::*;
use mbd::compare::Comparison;
use mbd::integrate::{INCONSISTENT, METHODS};
use mbd::prelude::*;
use mbd::simulation::Simulation;

/// The pulses begin here [s]; no multiple of any step used.
const BEGIN: f64 = 3.141592653589793;

mechanism! {
    /// A mass at rest and a pulse of constant force.
    pub mechanism Rectangle {
        param width: [s] = 1e-3;
        param begin: [s] = BEGIN;
        coord x: [m];
        kinetic mass = 0.5*sq(der(x));
        force pulse along x = if t > begin && t < begin + width { 1.0/width } else { 0.0 };
    }
}

mechanism! {
    /// The same with smooth flanks.
    pub mechanism Flanks {
        param width: [s] = 1e-3;
        coord x: [m];
        kinetic mass = 0.5*sq(der(x));
        force pulse along x = (smooth_step(t, BEGIN, BEGIN + width)
            - smooth_step(t, BEGIN + width, BEGIN + 2.0*width))/width;
    }
}

mechanism! {
    /// The same without a beginning, beside a constant force a thousand times as large.
    pub mechanism Bell {
        param width: [s] = 1e-3;
        coord x: [m];
        kinetic mass = 0.5*sq(der(x));
        potential spring = 0.0*x;
        force pulse along x = exp(-sq((t - BEGIN)/width))/width + 0.0*sin(2.0*t);
    }
}

mechanism! {
    /// A ball that falls on a stiff spring, which holds it in one direction only.
    pub mechanism Bounce {
        param k: [N/m] = 1e6;
        coord y: [m];
        kinetic mass = 0.5*sq(der(y));
        potential weight = 9.81*y;
        force ground along y = if y < 0.0 { -k*y } else { 0.0 };
        init y = 1.0;
    }
}

mechanism! {
    /// A governor by Watt: two balls on arms that turn with a spindle lift a sleeve against a stiff
    /// spring; the sleeve works the valve of a turbine through a fast servo.
    pub mechanism Governor {
        param l: [m] = 0.2;
        param m: [kg] = 1.0;
        param sleeve: [kg] = 2.0;
        param J: [kg*m^2] = 0.1;
        param k: [N/m] = 1e6;
        param c: [N*s/m] = 2e3;
        param lag: [s] = 1e-4;

        coord phi: [rad];
        coord a: [rad];
        coord z: [m];
        coord stem: [m];
        state valve;

        let speed = der(phi);
        kinetic spindle = 0.5*J*sq(speed);
        kinetic balls = m*(sq(l*der(a)) + sq(l*sin(a)*speed));
        kinetic lifted = 0.5*sleeve*sq(der(z));
        kinetic follower = 0.5*0.1*sq(der(stem));
        potential weight = 9.81*(2.0*m*(-l*cos(a)) + sleeve*z);
        potential coupling = 0.5*k*sq(stem - z);
        potential return_spring = 0.5*200.0*sq(stem + 0.3);
        dissipation damper = 0.5*c*sq(der(stem) - der(z));
        dissipation guide = 0.5*5.0*sq(der(z));
        der(valve) = ((0.35 + stem)*10.0 - valve)/lag;
        force turbine along phi = 8.0*(1.0 - valve);
        force load along phi = -0.2*speed;
        holonomic rods: z == -2.0*l*cos(a);
        init phi = 0.0;
        init der(phi) = 12.0;
        init a = 0.6;
        guess z = -0.33;
        guess stem = -0.33;
        until 10.0;
    }
}

/// Each pulse changes the velocity by 1 m/s, or √π m/s, and the mass goes on: x(10 s).
pub fn pulses() -> Vec<(&'static str, Box<dyn Mechanism>, f64)> {
    let mut all: Vec<(&'static str, Box<dyn Mechanism>, f64)> = Vec::new();
    for width in [1e-3, 1e-2] {
        let rest = 10.0 - BEGIN;
        all.push((
            "rectangle",
            Box::new(Rectangle { width, ..Default::default() }),
            rest - 0.5 * width,
        ));
        all.push(("flanks", Box::new(Flanks { width }), rest - width));
        let area = std::f64::consts::PI.sqrt();
        all.push(("bell", Box::new(Bell { width }), area * rest));
    }
    all
}
