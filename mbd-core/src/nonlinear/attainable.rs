//! What rounding leaves of corrections and violations, learned from the solves themselves.
//!
//! How large it is depends on the equations' terms, on cancellation among them and on how the matrix
//! amplifies it along a mechanism; no bound computed from the outside is near. Where corrections fall
//! and then stay as they are, with a matrix that was made for them, they show it.

/// Rounding varies from solve to solve up to this factor.
pub(super) const SPREAD: f64 = 4.0;
/// What is left of the level from solve to solve where it does not show.
const MEMORY: f64 = 0.95;

/// The level of rounding of a norm, in its units; 0 when not known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Attainable {
    level: f64,
}

impl Attainable {
    /// The level seen lately.
    pub(super) fn level(&self) -> f64 {
        self.level
    }

    /// Whether a norm that is no smaller than the one before is rounding: below a unit, or as
    /// seen before.
    pub(super) fn explains(&self, norm: f64) -> bool {
        norm <= (SPREAD * self.level).max(1.0)
    }

    /// Takes what rounding left in a solve, if that showed.
    pub(super) fn learn(&mut self, seen: Option<f64>) {
        self.level = (MEMORY * self.level).max(seen.unwrap_or(0.0));
    }
}

/// Moves each value by one rounding, up and down in turn, so that what neighbours make of it does not
/// cancel.
pub(crate) fn move_by_rounding(values: &mut [f64]) {
    for (i, value) in values.iter_mut().enumerate() {
        *value *= if i % 2 == 0 { 1.0 + f64::EPSILON } else { 1.0 - f64::EPSILON };
    }
}
