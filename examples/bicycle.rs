//! Whipple's bicycle: four rigid bodies, three hinges, two thin wheels that roll without slip. Started by
//! its lean, its steering angle and its speed; at 5 m/s it finds its balance by itself.
//!
//! Source of the data: J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Proc. R. Soc. A 463
//! (2007) 1955. x points forward, y to the right, z down, as there.

use mbd::prelude::*;

mechanism! {
    /// A bicycle with a rigid rider.
    pub mechanism Bicycle {
        /// Speed.
        param v: [m/s] = 5.0;
        /// Lean to the right at the start, and its rate.
        param lean: [rad] = 0.05;
        param lean_rate: [rad/s] = 0.0;
        /// Steering angle to the right at the start, and its rate.
        param steered: [rad] = 0.0;
        param steered_rate: [rad/s] = 0.0;
        /// Wheel base, trail, radii of the wheels, angle of the steering axis from the vertical.
        param w: [m] = 1.02;
        param c: [m] = 0.08;
        param rear_radius: [m] = 0.3;
        param front_radius: [m] = 0.35;
        param tilt: [rad] = PI/10.0;
        let axis = [sin(tilt), 0, cos(tilt)];
        let road = mbd::components::spatial::ground().marker_along([0, 0, 0], [0, 0, -1]);

        gravity [0, 0, 9.81];
        body rear: SpatialBody { mass: 2.0, jx: 0.0603, jy: 0.12, jz: 0.0603 };
        body rider: SpatialBody { mass: 85.0, inertia: [9.2, 11.0, 2.8, 0.0, 2.4, 0.0] };
        body fork: SpatialBody { mass: 4.0, inertia: [0.05892, 0.06, 0.00708, 0.0, -0.00756, 0.0] };
        body front: SpatialBody { mass: 3.0, jx: 0.1405, jy: 0.28, jz: 0.1405 };
        // Points from the centres of mass: (0.3, −0.9) of the rider and frame, (0.9, −0.7) of the fork.
        joint rear_hub: revolute(rider.at([-0.3, 0, 0.9 - rear_radius], [0, 1, 0]), rear.at([0, 0, 0], [0, 1, 0]));
        joint head: revolute(rider.at([w + c - 0.3, 0, 0.9], axis), fork.at([w + c - 0.9, 0, 0.7], axis));
        joint front_hub: revolute(fork.at([w - 0.9, 0, 0.7 - front_radius], [0, 1, 0]), front.at([0, 0, 0], [0, 1, 0]));
        joint rear_wheel: rolling(road, rear.at([0, 0, 0], [0, 1, 0]), rear_radius);
        joint front_wheel: rolling(road, front.at([0, 0, 0], [0, 1, 0]), front_radius);

        guess rider.position = [0.3, 0.9*sin(lean), -0.9*cos(lean)];
        guess rider.e = axis_angle([1, 0, 0], lean);
        guess rider.velocity = [v, 0.9*lean_rate, 0];
        guess rider.omega = [lean_rate, 0, 0];
        guess head.angle = steered;
        guess head.rate = steered_rate;
        guess rear_hub.rate = -v/rear_radius;
        guess front_hub.rate = -v/front_radius;

        output leaning: [rad] = asin(rider.frame.y()[2]);
        output leaning_rate: [rad/s] = der(asin(rider.frame.y()[2]));
        output steering: [rad] = head.wrapped_angle;
        output steering_rate: [rad/s] = head.rate;
        draw rear: circle(rear.frame.facing([0, 1, 0]), rear_radius) color "#33475b";
        draw front: circle(front.frame.facing([0, 1, 0]), front_radius) color "#33475b";
        until 5.0;
    }
}

mbd::main!(Bicycle);
