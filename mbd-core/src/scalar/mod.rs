//! The scalar every model expression is evaluated on: [`Num`], a transparent newtype over
//! num-dual's numbers. **The only room that names num-dual.**
//!
//! The newtype exists for three reasons: `2.0 * x` and `x * 2.0` both compile, num-dual's traps
//! are handled once (`powf` at 0, `tanh` of large arguments, `atan2` on the axes, `%`), and the
//! choice of number type stays ours.
//!
//! # The derivative types
//! Every derivative of the project is a *gradient vector over a base*:
//!
//! | base `B` | one evaluation of f yields | used for |
//! |---|---|---|
//! | [`f64`] | f, ∂f | G, f_q, f_v, every first-order term |
//! | [`Dual64`] | f, ∂f, and D_d of both | (Gᵀs)_q column by column, (Gu)_q, γ, M, parameter partials |
//! | [`HyperDual64`] | the same with two directions | γ_q, (Mu)_q, every third derivative |
//!
//! A kernel runs on none of them but on [`Trace`] numbers, its only instantiation; what it did there
//! is done again on these.

mod clock;
mod compare;
mod decision;
mod dimension;
mod function;
mod gradient;
#[doc(hidden)]
pub mod lift;
mod look;
mod note;
mod num;
mod rounding;
mod step;
mod tape;
mod test;
mod trace;
mod written;

pub(crate) use clock::{Clock, Interval, Reading};
#[doc(hidden)]
pub use compare::compared;
#[doc(hidden)]
pub use decision::Decide;
pub use decision::{Choose, Decision, Scalar};
pub use dimension::Dimension;
pub(crate) use dimension::{Mismatch, Quantity};
pub(crate) use function::{Function, angle};
pub(crate) use gradient::{Base, Gradient, Packed, Room, WIDTH, directed, directed2};
pub use gradient::{Dual64, Grad, HyperDual64};
pub(crate) use look::{Hold, Path};
pub(crate) use note::{Mark, Owner, listen, note, of_body};
#[doc(hidden)]
pub use note::{Noted, Notes, Spot};
pub use num::{
    Exponent, Num, Rate, TimeDerivative, constant_in_time, input, num, rate, swept, with_one_rate,
    with_rate, with_rates,
};
pub(crate) use step::{EQUALS, HeldBy, SLIDES, Step};
pub(crate) use tape::{Rated, Tape};
pub(crate) use test::{Sign, Test};
pub use trace::Trace;
pub(crate) use written::Part;
