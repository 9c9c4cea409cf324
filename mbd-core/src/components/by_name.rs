//! The functions that a model may call without an import, each alone: what the user has of the same
//! name comes before them.

macro_rules! alone {
    ($($name:ident)*) => { $(
        pub mod $name {
            pub use crate::vector::$name;
        }
    )* };
}
alone! { dot cross norm unit transpose vector }

pub mod axis_angle {
    pub use crate::components::spatial::axis_angle;
}
pub mod yaw_pitch_roll {
    pub use crate::components::spatial::yaw_pitch_roll;
}
