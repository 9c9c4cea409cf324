//! Rows that hold what impacts leave closed.
//!
//! An impact by a law of restitution says what a gap s(t, q) does at an instant. Where it leaves the gap
//! closed, and what acts on it presses on, the contact stays: a holonomic row −s = 0 holds it, whose multiplier λ
//! is the force with which it pushes the gap open, 0 while the contact is open and never negative. The row stands in
//! every model that states such an impact, and is left out of the equations while the contact is open
//! ([`System::holds`](crate::assembly::System::holds)).

use super::constraint::{Holonomic, Reaction};
use crate::equation::Layout;
use crate::scalar::{Num, Trace};
use crate::statement::{Action, Body, Element, Law, Stated};
use std::sync::Arc;

/// The first row of a kernel, which is a gap, with its sign turned.
struct Gap {
    inner: Arc<dyn Body>,
    rows: usize,
}

impl Body for Gap {
    fn run(&self, at: &[usize], z: &[Num<Trace>], p: &[Num<Trace>], rows: &mut [Num<Trace>]) {
        let mut all = vec![Num::from(0.0); self.rows];
        self.inner.run(at, z, p, &mut all);
        if let (Some(row), Some(gap)) = (rows.first_mut(), all.into_iter().next()) {
            *row = -gap;
        }
    }
}

/// An impact of an event: which of its actions it is, and the row of the first instance if the model declares it.
pub(crate) struct Impact {
    pub(crate) action: usize,
    pub(crate) declared: Option<usize>,
}

impl Stated {
    /// The impacts whose gaps a row can hold: of gaps that do not compare, one in an event.
    pub(crate) fn impacts(&self) -> Vec<Impact> {
        let impact = |(action, happens): (usize, &Action)| match happens {
            Action::Impulse { along, law: Law::Restitution, row, .. }
                if row.is_some() || !along.compares =>
            {
                Some(Impact { action, declared: *row })
            }
            _ => None,
        };
        let impacts: Vec<Impact> = self.actions.iter().enumerate().filter_map(impact).collect();
        // Of several gaps that one event closes, one could not close again while another is.
        if impacts.len() == 1 { impacts } else { Vec::new() }
    }

    /// The instance of a declared gap whose gradient jumps, if one does: no force holds a motion along it there.
    pub(crate) fn with_kink(&self, y: &[f64], layout: &Layout) -> Option<usize> {
        let declared = self.actions.iter().filter_map(|action| match action {
            Action::Impulse { along, row: Some(_), .. } => Some(along),
            _ => None,
        });
        declared
            .into_iter()
            .find_map(|along| (0..along.len()).find(|&i| along.has_kink(i, y, layout)))
    }

    /// The rows that hold the gaps of an impact, from a first one on.
    pub(crate) fn contact(&self, action: usize, first_row: usize) -> Option<Holonomic> {
        let Some(Action::Impulse { along, .. }) = self.actions.get(action) else { return None };
        let gap = Gap { inner: along.body.clone(), rows: along.rows() };
        let element = Element::of(Arc::new(gap), along.list.clone(), 1);
        Some(Holonomic {
            name: self.name.clone(),
            element,
            first_row,
            reaction: Reaction::Standard,
            locked: None,
            offset: None,
        })
    }
}
