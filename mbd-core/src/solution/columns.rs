//! The columns of a run.

use crate::assembly::{SlotKind, System};

/// A named, unit-carrying column of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// `t`, `theta`, `der(theta)`, `lambda(close_x)`, an output's name, `energy`, …
    pub name: String,
    /// Unit, empty when none.
    pub unit: String,
    /// Whether it is there for the equations only
    /// ([`Model::is_housekeeping`](crate::model::Model::is_housekeeping)).
    pub housekeeping: bool,
}

/// Kinds of columns, in recording order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// A scalar of the model.
    Slot(SlotKind),
    /// A named output.
    Output,
    /// `kinetic`, `potential`, `energy` in J.
    Energy,
    /// `events`: how many have happened, of a model that has comparisons or states events.
    Events,
}

pub(super) const RECORDED: [SlotKind; 8] = [
    SlotKind::T,
    SlotKind::Q,
    SlotKind::V,
    SlotKind::A,
    SlotKind::X,
    SlotKind::Lambda,
    SlotKind::Psi,
    SlotKind::W,
];

/// The name of the column that counts events.
pub const EVENTS: &str = "events";

/// Which scalars of a kind are recorded: all but the shares with which surfaces hold the motion.
pub(super) fn recorded(system: &System, kind: SlotKind) -> std::ops::Range<usize> {
    match kind {
        SlotKind::Psi => 0..system.model().stated_nonholonomic(),
        _ => 0..system.layout().range(kind).len(),
    }
}

/// Unit of the time derivative of something in `unit`.
pub fn rate_unit(unit: &str) -> String {
    match unit {
        "" => "1/s".into(),
        u if u.ends_with("/s") => format!("{u}^2"),
        u if u.ends_with("/s^2") => format!("{}/s^3", &u[..u.len() - 4]),
        u => format!("{u}/s"),
    }
}
