//! A car changes lanes at speed. Its parts are of another crate, [`vehicle`]: two axles with two
//! suspensions each, these with a wheel, and a driver.

use mbd::prelude::*;

mechanism! {
    use vehicle::{Axle, Driver};

    /// A car that changes to the lane on its left after a second.
    pub mechanism Car {
        /// Speed at the start, which the driver keeps.
        param speed: [m/s] = 20.0;
        /// How far the other lane is to the left.
        param lane: [m] = 3.5;
        /// Mass of the hull with its passengers.
        param mass: [kg] = 1200.0;

        gravity [0, 0, -9.81];
        body hull: SpatialBody { mass: mass, jx: 400.0, jy: 1500.0, jz: 1700.0 };
        body driver: Driver { hull: hull, target: speed, lane: lane*smooth_step(t, 1.0, 2.0) };
        body front: Axle { chassis: hull, ahead: 1.2, weight: 0.5*mass*9.81, steer: driver.steer, speed: speed };
        body rear: Axle { chassis: hull, ahead: -1.2, weight: 0.5*mass*9.81, torque: driver.torque, speed: speed };

        init hull.position = [0, 0, 0.4934];
        init hull.velocity = [speed, 0, 0];

        output aside: [m] = hull.y;
        output roll: [rad] = asin(hull.frame.y()[2]);
        output yaw: [rad] = asin(hull.frame.x()[1]);
        output acceleration: [m/s^2] = dot(der(hull.velocity), hull.frame.y());
        output inside_load: [N] = front.left.wheel.load;
        output outside_load: [N] = front.right.wheel.load;
        draw hull: box(hull.frame, [4.2, 1.6, 0.5]) color blue;
        draw way: trace(hull.position);
        until 6.0;
    }
}

mbd::main!(Car);
