//! How large a model's quantities are: what a tolerance is relative to, and what a rounding is.
//!
//! Two notions that must not be mixed. The *scale* of a quantity is what its error is measured
//! against: a length of the mechanism, whatever the unit it is written in and wherever the origin
//! lies. The *magnitude* is the size of the numbers themselves, offset included: no correction can
//! be finer than their rounding.
//!
//! Units say which quantities share a scale, never its size. Quantities in `rad` (or `deg`) have the
//! natural scale 1 at all times, so that turning does not loosen what depends on an angle. Quantities
//! without a unit are pure numbers and have the scale 1, or their range of motion. All others get
//! theirs from the model, see `size`, and from the motion: a scale grows with the amplitude (half of
//! largest less smallest value at accepted points) of its own quantity. Components of one vector share a
//! scale, whatever the axes: see `vectors`. Who knows better states it, as
//! `scale x = …` in the model, [`Simulation::scale`](crate::simulation::Simulation::scale) or
//! [`Simulation::atol`](crate::simulation::Simulation::atol); a stated scale does not grow.

mod first;
mod pace;
mod rest;
mod rows;
mod scale;
mod size;
mod vectors;

pub(crate) use scale::largest_by_group;
pub use scale::{Scale, Scales, Weighting};
