//! What a statement is: a kernel with the scalars it reads (`Element`), a group of these that adds to
//! the equations ([`ElementGroup`]), and what can be asked of it besides: units, comparisons, events.

mod element;
mod error;
mod event;
mod group;
mod share;
mod sink;
mod threaded;
mod units;
mod watch;

pub(crate) use element::{Body, Element, HELD, NO_PARAM, NO_SIDE, Rows, cross, still, unit, zeros};
pub(crate) use element::{Frame, Parts, TOLD, Teller, Told};
pub use element::{Instances, Kernel, evaluate, evaluate_rows};
pub use error::ModelError;
pub use event::Stated;
pub(crate) use event::{Action, Direction, Law, Settable};
pub use group::{ElementGroup, Surfaces};
pub(crate) use share::{Jumps, OnSurface, ShareOf};
pub use sink::{RowSink, Sink, Target};
pub(crate) use threaded::{add_matrix, add_residual};
pub use units::{UnitError, Units};
pub(crate) use watch::Seen;
#[doc(hidden)]
pub use watch::{Watch, Watched};
