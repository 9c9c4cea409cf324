//! The catalogue of joints.
//!
//! | module | what it holds against the catalogue |
//! |---|---|
//! | `space` | every spatial joint: derivatives, freedom removed, the balance of the second body, rigid motion |
//! | `plane` | the same in the plane |
//! | `rows` | the rows of every joint at random configurations, by another algorithm |
//! | `couplings` | gears, belts, racks, differentials: derivatives, the balance of all bodies they touch |
//! | `curves` | cams and tracks through points, bushings |
//! | `limits` | limits and friction of joints, cams, against closed forms |
//! | `start` | bodies placed by their joints, angles that count turns, drives |
//! | `vectors` | vectors in the language, forces and torques on bodies, gravity |
//! | `adams` | motions and reactions of one body on each joint, against another program |
//! | `vehicles` | a bicycle and a wheel suspension made of the catalogue, against published values |

mod adams;
mod couplings;
mod curves;
mod limits;
mod plane;
mod read;
mod rows;
mod space;
mod start;
mod vectors;
mod vehicles;

use read::{Outputs, close, last, near, started};
