use mbd::prelude::*;

component! {
    /// A driver who keeps a speed and, looking ahead, the way to a place beside the road.
    pub component Driver {
        /// What is driven.
        pub connector hull: SpatialBody;
        /// Speed that is kept.
        pub param target: [m/s] = 20.0;
        /// Where the driver wants to be, to the left of the line y = 0.
        pub param lane: [m] = 0.0;
        /// How far ahead in time the driver looks.
        pub param preview: [s] = 1.0;
        /// Steering angle per metre that the car will be beside the lane.
        pub param gain: [rad/m] = 0.007;
        /// Time that the hands take.
        pub param delay: [s] = 0.15;
        /// Torque per error of speed, and its growth.
        pub param pedal: [N*s] = 900.0;
        param patience: [N] = 300.0;

        let forward = hull.frame.x();
        let speed = dot(hull.velocity, forward);
        let seen = hull.y + preview*hull.velocity[1];
        /// Angle to which the front wheels are steered, to the left.
        pub state steer: [rad];
        der(steer) = (gain*(lane - seen) - steer)/delay;
        state missing: [m];
        der(missing) = target - speed;
        /// Torque that is asked of the engine.
        pub let torque = pedal*(target - speed) + patience*missing;

        output steer: [rad] = steer;
        output speed: [m/s] = speed;
    }
}
