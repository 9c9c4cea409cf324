//! What a mechanism is, as data: names, units, parameters, initial values, and its elements.
//!
//! `mechanism!` writes an implementation of [`Mechanism`] that fills a [`ModelBuilder`]; a model
//! may be written by hand the same way.

mod builder;
mod drawn;
mod kind;
mod mesh;
#[expect(clippy::module_inception)]
mod model;
mod starts;
mod switch;
mod units;

pub use crate::ad::Reaction;
pub use crate::scalar::Dimension;
pub use crate::statement::{ModelError, UnitError};
pub use builder::ModelBuilder;
pub use drawn::{BodyInfo, BodyKind, Shape};
pub(crate) use drawn::{Carried, Draw, JointInfo, Load};
pub(crate) use kind::{Kind, coordinate_groups, groups, kind_of, natural};
pub use mesh::{Mesh, Triangle};
pub use model::{Initial, Keep, Label, Mechanism, Model, ParamInfo, RowBlock};
pub(crate) use model::{Input, Startable};
pub use starts::{Given, Starts};
pub(crate) use switch::{Contact, Switch, Switched};
