//! What decides in a model by the motion itself: contacts, limits, friction.
//!
//! Where a comparison changes its outcome the right-hand side has a kink or a jump, which no formula
//! is made for and an estimate may be blind for. So each step says which outcomes it passes through:
//! they are looked at along its interpolation, and a step that passes a change is taken again to end
//! there. No event is handled: it is a choice of the step size.

use super::timetable::sign;
use crate::assembly::{ElementGroup, Point, System};
use crate::scalar::{Watch, Watched};

/// Instants within a step at which outcomes are looked at, as parts of it. Not in a ratio that a motion
/// could have too.
pub(super) const INSTANTS: [f64; 4] = [0.213, 0.467, 0.739, 1.0];

/// A change is located to this part of a step.
pub(super) const LOCATED: f64 = 1e-9;

/// The statements that compare.
pub(super) struct Guards<'a> {
    statements: Vec<(&'a dyn ElementGroup, usize)>,
    watched: Watched,
}

impl<'a> Guards<'a> {
    pub(super) fn new(system: &'a System) -> Self {
        let comparing = system.groups().filter(|group| group.sees().comparisons);
        let statements =
            comparing.flat_map(|group| (0..group.instances()).map(move |i| (group, i)));
        Guards { statements: statements.collect(), watched: Watched::default() }
    }

    /// Whether nothing is compared.
    pub(super) fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }

    /// The signs that decide at a point.
    pub(super) fn signs(&mut self, at: &Point, out: &mut Vec<i8>) {
        self.watched.decisions.clear();
        let ask = Watch { comparisons: true, ..Watch::default() };
        for (group, instance) in &self.statements {
            group.watch(*instance, at.flat(), ask, &mut self.watched);
        }
        out.clear();
        out.extend(self.watched.decisions.iter().map(|&x| sign(x)));
    }
}
