//! What holds a motion on a surface.

use crate::equation::SlotKind;

/// What the share of a surface is: a multiplier ψ, or of a comparison of states a variable w, each by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareOf {
    Speeds(usize),
    States(usize),
}

impl ShareOf {
    /// Its kind, and its index within that.
    pub(crate) fn slot(self) -> (SlotKind, usize) {
        match self {
            ShareOf::Speeds(row) => (SlotKind::Psi, row),
            ShareOf::States(variable) => (SlotKind::W, variable),
        }
    }
}

/// A guard that a surface belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnSurface {
    pub(crate) surface: ShareOf,
    /// It is the negative of it.
    pub(crate) turned: bool,
    /// Where its side is in the flat point.
    pub(crate) side: u32,
}

/// What a statement does at σ = 0 that could hold the motion there.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Jumps {
    /// Its rows jump.
    Rows,
    /// The derivatives of its rows by velocities jump.
    Slopes,
}
