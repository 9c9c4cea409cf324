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
mod joint;

pub use euler::{
    axis_angle, body_rate, euler_rate, euler_torque, ground_rate, norm_energy, normalization,
    product, rotation, rotational_energy, rotational_energy_full,
};
pub use frame::{SpatialFrame, cross, distance, dot, ground, norm};
pub use joint::{
    cylindrical, fixed, in_plane, offset, parallel, planar, point_on_line, prismatic, revolute,
    rod, spherical, twist, universal,
};
