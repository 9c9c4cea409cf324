//! Parts of road vehicles: wheel, suspension, axle, and a driver who keeps speed and lane.
//!
//! Everywhere x points forward, y to the left, z up. A car is a body with axles, and a driver:
//!
//! ```
//! use mbd::prelude::*;
//!
//! mechanism! {
//!     use mbd_vehicle::{Axle, Driver};
//!
//!     /// A car that keeps its speed.
//!     pub mechanism Car {
//!         param speed: [m/s] = 20.0;
//!         gravity [0, 0, -9.81];
//!         body hull: SpatialBody { mass: 1200.0, jx: 400.0, jy: 1500.0, jz: 1700.0 };
//!         body driver: Driver { target: speed, hull: hull };
//!         body front: Axle { chassis: hull, ahead: 1.2, steer: driver.steer, speed: speed };
//!         body rear: Axle { chassis: hull, ahead: -1.2, torque: driver.torque, speed: speed };
//!         init hull.position = [0, 0, 0.5];
//!         init hull.velocity = [speed, 0, 0];
//!         until 1.0;
//!     }
//! }
//! # fn main() {
//! assert!(Car::default().model().is_ok());
//! # }
//! ```
//!
//! The crate shows how a crate of parts is made: a file for each part, each a `component!` block; what a
//! part shows is `pub`, and rustdoc has it in tables.

mod axle;
mod driver;
mod suspension;
mod wheel;

pub use axle::Axle;
pub use driver::Driver;
pub use suspension::Suspension;
pub use wheel::{Wheel, grip};
