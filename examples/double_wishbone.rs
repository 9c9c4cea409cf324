//! A corner of a car: the chassis moves up and down, the wheel hangs on two wishbones and a tie rod, and
//! runs over a kerb. Started by the angle of its lower wishbone.

use mbd::components::force::spring_damper;
use mbd::prelude::*;

mechanism! {
    /// A quarter of a car on double wishbones. x points forward, y outward, z up.
    pub mechanism DoubleWishbone {
        /// Angle of the lower wishbone at the start.
        param ride: [rad] = -0.05;
        /// Height of the kerb.
        param kerb: [m] = 0.04;
        /// Spring and damper of the strut, the spring's free length.
        param k: [N/m] = 40e3;
        param c: [N*s/m] = 3e3;
        param free: [m] = 0.57;
        /// Stiffness and damping of the tyre, and its radius.
        param k_tyre: [N/m] = 200e3;
        param c_tyre: [N*s/m] = 300.0;
        param radius: [m] = 0.3;

        gravity [0, 0, -9.81];
        body chassis: SpatialBody { mass: 350.0, jx: 60.0, jy: 80.0, jz: 90.0 };
        body lower: SpatialBody { mass: 4.0, jx: 0.06, jy: 0.02, jz: 0.07 };
        body upper: SpatialBody { mass: 2.5, jx: 0.02, jy: 0.01, jz: 0.02 };
        body wheel: SpatialBody { mass: 38.0, inertia: [0.9, 1.5, 0.9, 0.0, 0.02, 0.0] };
        joint guide: prismatic(ground, chassis);
        joint lower_pivot: revolute(chassis.at([0, 0.35, -0.15], [1, 0, 0]), lower.at([0, -0.2, 0], [1, 0, 0]));
        joint upper_pivot: revolute(chassis.at([0, 0.4, 0.15], [1, 0, 0]), upper.at([0, -0.15, 0], [1, 0, 0]));
        joint lower_ball: spherical(lower.at([0, 0.2, 0]), wheel.at([0, -0.05, -0.15]));
        joint upper_ball: spherical(upper.at([0, 0.15, 0]), wheel.at([0, -0.1, 0.15]));
        joint tie_rod: distance(chassis.at([-0.12, 0.38, -0.1]), wheel.at([-0.12, -0.07, -0.1]), 0.35);

        let strut = norm(chassis.point([0, 0.45, 0.25]) - lower.point([0, 0.1, 0]));
        let strut_force = spring_damper(strut, der(strut), k, c, free);
        force spring along strut = strut_force;
        let road = kerb*smooth_step(t, 0.5, 0.6) - 0.32;
        let pressed = road + radius - wheel.z;
        force tyre = [0, 0, max(k_tyre*pressed + c_tyre*der(pressed), 0)] on wheel;

        init guide.position = 0.0;
        init lower_pivot.angle = ride;
        output body_height: [m] = guide.position;
        output wheel_height: [m] = wheel.z;
        output camber: [rad] = asin(wheel.frame.y()[2]);
        output toe: [rad] = asin(wheel.frame.y()[0]);
        output strut_load: [N] = strut_force;
        output ball_load: [N] = lower_ball.force;
        output rod_tension: [N] = lambda(tie_rod);
        until 2.0;
    }
}

mbd::main!(DoubleWishbone);
