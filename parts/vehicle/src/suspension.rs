use mbd::prelude::*;

component! {
    use crate::wheel::Wheel;

    /// A strut that carries a wheel: the upright slides along it, and turns about it to be steered.
    pub component Suspension {
        /// What it hangs on.
        pub connector chassis: SpatialBody;
        /// Centre of the wheel, forward of the chassis' centre of mass.
        pub param ahead: [m] = 0.0;
        /// The same to the left.
        pub param aside: [m] = 0.7;
        /// The same below.
        pub param below: [m] = 0.2;
        /// Stiffness of the spring.
        pub param stiffness: [N/m] = 25e3;
        /// Damping of the strut.
        pub param damping: [N*s/m] = 2e3;
        /// Force of the spring where the travel is zero.
        pub param preload: [N] = 0.0;
        /// Angle to which the wheel is steered, to the left.
        pub param steer: [rad] = 0.0;
        /// Torque of the engine on the wheel.
        pub param torque: [N*m] = 0.0;
        /// Speed forward at the start.
        pub param speed: [m/s] = 0.0;
        /// Stiffness of the steering, and its damping.
        param rack: [N*m/rad] = 30e3;
        param rack_damping: [N*m*s/rad] = 300.0;

        body upright: SpatialBody { mass: 20.0, jx: 0.4, jy: 0.4, jz: 0.3 };
        joint strut: cylindrical(chassis.at([ahead, aside, -below], [0, 0, 1]), upright.at([0, 0, 0], [0, 0, 1]));
        /// How far the upright is up.
        pub let travel = strut.position;
        /// Force of spring and damper on the chassis, upwards.
        pub let strut_force = preload + stiffness*travel + damping*strut.speed;
        force spring along strut.position = -strut_force;
        force steering along strut.angle = rack*(steer - strut.wrapped_angle) - rack_damping*strut.rate;
        guess strut.position = 0.0;

        /// The wheel.
        pub body wheel: Wheel { carrier: upright, torque: torque, speed: speed };

        output travel: [m] = travel;
    }
}
