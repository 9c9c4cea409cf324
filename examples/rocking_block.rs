//! A slender block rocks on its two lower corners (Housner 1963): an impact each time it is upright.
//!
//! Reference: inverted pendulums about either corner, joined by conservation of the moment of momentum about the new
//! one, θ̇⁺ = (1 − 3/2 sin²α) θ̇⁻. Impacts after 0.493803215078832, 1.29747023706784 and 1.979390931148 s; they
//! accumulate at 7.94145261030391 s.

use mbd::prelude::*;

mechanism! {
    /// A rocking block.
    pub mechanism RockingBlock {
        /// Half of the width, and of the height.
        param b: [m] = 0.25;
        param h: [m] = 1.0;
        param m: [kg] = 1.0;
        param g: [m/s^2] = 9.81;
        /// Rate of the tilt after an impact over that before.
        param r = 1.0 - 1.5*sq(b)/(sq(b) + sq(h));

        /// Tilt; positive about the right corner.
        coord theta: [rad];

        let radius = hypot(b, h);
        let alpha = atan2(b, h);
        kinetic block = 0.5*4.0/3.0*m*sq(radius*der(theta));
        force weight along theta = if theta > 0.0 {
            -m*g*radius*sin(alpha - theta)
        } else {
            m*g*radius*sin(alpha + theta)
        };
        event strike when theta == 0.0 { der(theta) = r*der(theta); }

        init theta = 0.5*alpha;

        let pivot = if theta > 0.0 { b } else { -b };
        let left = -b - pivot;
        let right = b - pivot;
        let c = cos(theta);
        let s = sin(theta);
        draw outline: polyline([
            [pivot + left*c, -left*s],
            [pivot + right*c, -right*s],
            [pivot + right*c + 2.0*h*s, -right*s + 2.0*h*c],
            [pivot + left*c + 2.0*h*s, -left*s + 2.0*h*c],
            [pivot + left*c, -left*s]
        ]);
        draw floor: line([-1.5, 0], [1.5, 0]) color grey;
        until 2.5;
    }
}

mbd::main!(RockingBlock);
