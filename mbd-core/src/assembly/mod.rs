//! Assembly: from elements to the residual pieces and sparse matrices that integrators see.
//!
//! [`System`] is all that an integrator knows of a model. It never assembles by itself: it states
//! where each [`Term`] goes in its Newton matrix ([`Plan`]) and fills the plan with coefficients.

mod layout;
mod plan;
mod sink;
mod surfaces;
mod system;
mod terms;
mod units;

pub use layout::{Dims, Layout, Point, SlotKind};
pub use plan::{Plan, PlanBuilder};
pub use sink::{RowSink, Sink, Target};
pub use surfaces::Surfaces;
pub use system::{NonFinite, System};
pub use terms::{ElementGroup, Residual, Term, Want, Weights};
pub use units::{UnitError, Units};
