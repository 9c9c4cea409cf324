//! Assembly: from elements to the residual pieces and sparse matrices that integrators see.
//!
//! [`System`] is all that an integrator knows of a model. It never assembles by itself: it states
//! where each [`Term`] goes in its Newton matrix ([`Plan`]) and fills the plan with coefficients.

mod derivatives;
mod names;
mod plan;
mod released;
mod rows;
mod statement;
mod system;

pub use crate::equation::{Dims, Layout, Point, Residual, SlotKind, Term, Want, Weights};
pub use crate::statement::{ElementGroup, RowSink, Sink, Surfaces, Target, UnitError, Units};
pub use derivatives::Derivatives;
pub use names::NonFinite;
pub use plan::{Plan, PlanBuilder};
pub(crate) use statement::Statement;
pub use system::System;
