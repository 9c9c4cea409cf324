//! Spatial bodies and joints.
//!
//! A body has seven coordinates: its centre of mass \[m\] and four Euler parameters (a unit
//! quaternion, scalar first) that turn the ground's axes into the body's. They have no singular
//! position and make every joint a polynomial of low degree; the price is one normalization row
//! per body ([`normalization`]).
//!
//! Joints take two *frames*, one fixed in each body, and use their origins and axes: the z axis is
//! the joint's axis, as in Adams. A frame elsewhere in the body is made by [`SpatialFrame::at`],
//! [`SpatialFrame::turned`] and [`SpatialFrame::facing`]:
//!
//! ```text
//! holonomic hinge[5]: spatial::revolute(spatial::ground(), arm.frame.at([-l, 0.0, 0.0]));
//! ```

mod euler;
mod frame;
pub mod held;
mod joint;
mod placing;

pub use euler::{
    axis_angle, body_rate, euler_rate, euler_torque, from_rotation, ground_rate, norm_energy,
    normalization, product, rotation, rotational_energy, rotational_energy_full,
    spin_rotational_energy, spin_rotational_energy_full, yaw_pitch_roll,
};
pub use frame::{SpatialFrame, axis_to, cross, distance, dot, ground, norm, spin, still};
pub use joint::{
    Wrench, angle_near, angle_short_of, between_origins, constant_velocity, cross_turn_first,
    cross_turn_second, cylindrical, disc_on_plane, fixed, in_plane, offset, parallel,
    perpendicular, planar, point_on_line, prismatic, revolute, revolute_spherical, rod, rod_turn,
    screw, slide, spherical, to_lowest, turn, turn_rate, twist, universal, wrench,
};
pub use placing::{
    Motion, place_first, place_second, with_cross, with_euler, with_plane, with_screw, with_slide,
    with_turn, with_turn_and_slide,
};
