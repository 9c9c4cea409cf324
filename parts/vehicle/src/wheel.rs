use mbd::prelude::*;

/// Below this speed \[m/s\] slip is counted as if at it: at rest the slip of a tyre is not defined.
pub const CREEP: f64 = 0.5;

/// Forces of a tyre, forward and to the left, from its slips in these directions: along their common
/// direction, cornering·slip for small slips, no more than `friction` times the load.
///
/// `load` \[N\]; `slips`: the contact patch's velocity over the road by the speed of travel; `stiffness`:
/// force per slip and load.
pub fn grip<D: Scalar>(
    load: Num<D>,
    slips: [Num<D>; 2],
    stiffness: Num<D>,
    friction: Num<D>,
) -> [Num<D>; 2] {
    let wanted = [-stiffness * slips[0] / friction, -stiffness * slips[1] / friction];
    let size = (wanted[0] * wanted[0] + wanted[1] * wanted[1] + 1.0).sqrt();
    wanted.map(|w| load * friction * w / size)
}

component! {
    use mbd::components::force::one_sided;

    /// A wheel that turns about the y axis of what carries it, with its tyre on the road z = 0.
    ///
    /// The tyre pushes as a spring and damper that never pull, and grips by [`grip`]: along the road
    /// its forces grow with slip up to the load times the friction.
    pub component Wheel {
        /// What it turns on, about its y axis, at its centre.
        pub connector carrier: SpatialBody;
        /// Mass with the tyre.
        pub param mass: [kg] = 18.0;
        /// Moment of inertia about the axle.
        pub param spin_inertia: [kg*m^2] = 1.0;
        /// The same about a diameter.
        pub param side_inertia: [kg*m^2] = 0.6;
        /// Radius of the tyre, not pressed.
        pub param radius: [m] = 0.31;
        /// Stiffness of the tyre.
        pub param stiffness: [N/m] = 200e3;
        /// Damping of the tyre.
        pub param damping: [N*s/m] = 500.0;
        /// Force along the road per slip and load.
        pub param slip_stiffness: [-] = 12.0;
        /// Largest force along the road per load.
        pub param friction: [-] = 1.0;
        /// Torque of the engine about the axle, or of the brake.
        pub param torque: [N*m] = 0.0;
        /// Speed forward at which it rolls at the start.
        pub param speed: [m/s] = 0.0;

        body rim: SpatialBody {
            mass: mass, jx: side_inertia, jy: spin_inertia, jz: side_inertia
        };
        /// Its bearing: `hub.rate` is how fast it turns.
        pub joint hub: revolute(carrier.at([0, 0, 0], [0, 1, 0]), rim.at([0, 0, 0], [0, 1, 0]));
        guess hub.rate = speed/radius;

        let axis = rim.frame.y();
        let forward = unit([axis[1], -axis[0], 0]);
        let left = [-forward[1], forward[0], 0];
        let down = [0, 0, -rim.z];
        let pressed = radius - rim.z;
        /// Force of the road along z.
        pub let load = -one_sided(pressed, der(pressed), stiffness, damping);
        let patch = rim.velocity + cross(rim.omega_ground, down);
        let travel = hypot(dot(rim.velocity, forward), CREEP);
        let held = grip(load, [dot(patch, forward)/travel, dot(patch, left)/travel], slip_stiffness, friction);
        /// Force of the road on the tyre.
        pub let road = held[0]*forward + held[1]*left + [0, 0, load];
        force contact = road on rim;
        torque grip = cross(down, road) on rim;
        force engine along hub.angle = torque;

        output load: [N] = load;
        draw rim: circle(rim.frame.turned(LYING), radius) color black;
    }
}

/// The wheel's axis is y, that of a circle z: Euler parameters of the turn between them.
pub const LYING: [f64; 4] =
    [std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2, 0.0, 0.0];
