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
    /// A discrete value; true and false are 1 and 0.
    Mode,
    /// `events`: how many have happened, of a model that has comparisons or states events.
    Events,
    /// What the run did, where that is [recorded](super::Solution::with_history).
    History,
}

/// What the run did from one recorded point to the next, by name and unit: the size of the step that a point is in or at the
/// end of, its Newton iterations and estimated local error over the tolerance (none of a fixed step), and since the start
/// the work of forces, what dissipation and the method's numerical damping took, and the energy that nothing of these
/// explains; and the estimate of the error so far, of positions, velocities and reactions.
pub(super) const HISTORY: [(&str, &str); 11] = [
    ("step.size", "s"),
    ("step.iterations", ""),
    ("step.error", ""),
    ("balance.work", "J"),
    ("balance.dissipated", "J"),
    ("balance.numerical", "J"),
    ("balance.events", "J"),
    ("balance.remainder", "J"),
    ("error.position", ""),
    ("error.velocity", ""),
    ("error.reaction", ""),
];

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
        SlotKind::W => 0..system.model().variables().len(),
        _ => 0..system.layout().range(kind).len(),
    }
}

/// Unit of the time derivative of something in `unit`.
pub fn rate_unit(unit: &str) -> String {
    match unit {
        "" | "-" | "1" => "1/s".into(),
        u if u.ends_with("/s") => format!("{u}^2"),
        u if u.ends_with("/s^2") => format!("{}/s^3", &u[..u.len() - 4]),
        u => format!("{u}/s"),
    }
}
