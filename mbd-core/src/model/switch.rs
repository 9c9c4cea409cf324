//! Holonomic rows that are in the equations for part of a motion only.

use crate::statement::{Action, Element, ElementGroup, Stated};
use std::ops::Range;

/// Rows that come and go together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Switch {
    pub(crate) rows: Range<usize>,
    pub(crate) by: Switched,
}

/// What lets rows come and go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Switched {
    /// A contact that closes and opens.
    Contact(Contact),
    /// Discrete values: an instance of the constraint of this group.
    Modes { group: usize, instance: usize },
}

/// A contact: the impact of an instance of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contact {
    /// The event's group.
    pub(crate) group: usize,
    pub(crate) instance: usize,
    /// Which of the event's actions the impact is.
    pub(crate) action: usize,
    /// The gap is never negative.
    pub(crate) unilateral: bool,
}

impl Contact {
    /// The event, its gap, and the coefficients of its impact, among the groups of its model.
    pub(crate) fn impact(
        self,
        groups: &[Box<dyn ElementGroup>],
    ) -> Option<(&Stated, &Element, &Element)> {
        let stated = groups.get(self.group)?.event()?;
        match stated.actions.get(self.action)? {
            Action::Impulse { along, values, .. } => Some((stated, along, values)),
            _ => None,
        }
    }
}
