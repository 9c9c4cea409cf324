//! How a mechanism looks: what is to be drawn, as points that are fixed in the ground, fixed in a body,
//! or move by themselves.
//!
//! [`Drawing::of`] asks the statements of a model at one point: shapes of `draw` statements, and what
//! frames, joints, rods and springs of the library note while a statement is evaluated
//! (`scalar/note.rs`). A point whose coordinates are made of those of one body only, and which stays where
//! it is in the body when that is moved, is fixed in it; so a model of a thousand links is a thousand
//! poses and no more. What moves by itself is computed again at each point of a run
//! ([`Drawing::sample`]). In joint coordinates the frame of a body that a joint carries says whose it is, and
//! the model where it is ([`Drawing::sample_poses`]): the same scene as in absolute ones.

mod forces;
mod items;
mod link;
mod listen;
mod marks;
mod outline;
mod pose;

pub use items::{Anchor, Body, Drawing, Force, Happening, Item, Look, Number};
pub use pose::Pose;
