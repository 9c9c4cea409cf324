use mbd::prelude::*;

component! {
    use super::suspension::Suspension;

    /// Two suspensions with their wheels, and an anti-roll bar between them.
    pub component Axle {
        /// What it is under.
        pub connector chassis: SpatialBody;
        /// Where it is, forward of the chassis' centre of mass.
        pub param ahead: [m] = 0.0;
        /// How far its wheels are apart.
        pub param track: [m] = 1.5;
        /// Weight that its springs carry at the start.
        pub param weight: [N] = 5886.0;
        /// Stiffness of the anti-roll bar, by the difference of the travels.
        pub param anti_roll: [N/m] = 10e3;
        /// Angle to which its wheels are steered, to the left.
        pub param steer: [rad] = 0.0;
        /// Torque of the engine on both wheels together.
        pub param torque: [N*m] = 0.0;
        /// Speed forward at the start.
        pub param speed: [m/s] = 0.0;

        /// The suspension on the left.
        pub body left: Suspension {
            chassis: chassis, ahead: ahead, aside: track/2, preload: weight/2,
            steer: steer, torque: torque/2, speed: speed
        };
        /// The suspension on the right.
        pub body right: Suspension {
            chassis: chassis, ahead: ahead, aside: -track/2, preload: weight/2,
            steer: steer, torque: torque/2, speed: speed
        };
        let twist = left.travel - right.travel;
        force bar along twist = -anti_roll*twist;
    }
}
