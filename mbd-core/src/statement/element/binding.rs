//! From a kernel and its instances to an element: indices checked, and what the rows depend on found out.

use super::element::{Element, NO_SIDE, Sides};
use super::held::Held;
use super::instances::List;
use super::kernel::Body;
use crate::equation::{Layout, SlotKind};
use crate::scalar::Hold;
use crate::statement::error::ModelError;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Locals whose dependence can be told apart.
const TRACED: usize = 64;

/// How many elements there have been.
static ELEMENTS: AtomicU64 = AtomicU64::new(0);

impl Element {
    /// Instance `i` alone, to be bound.
    pub(super) fn instance(&self, i: usize) -> Self {
        Element::of(self.body.clone(), self.list.alone(i), self.rows)
    }

    pub(crate) fn of(body: Arc<dyn Body>, mut list: List, rows: usize) -> Self {
        let body = match list.take_held() {
            Some(held) => Arc::new(Held { body, held }),
            None => body,
        };
        let nonlinear = vec![true; list.kinds.len()];
        let (sides, shares) = (Sides::default(), Vec::new());
        Element {
            body,
            list,
            rows,
            layout: None,
            nonlinear,
            compares: false,
            sides,
            shares,
            share_count: 0,
            carried: None,
            id: ELEMENTS.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Resolves slots to flat offsets, checking every index, and traces dependence at the flat
    /// point `initial`.
    pub(crate) fn bind(
        &mut self,
        statement: &str,
        layout: &Layout,
        initial: &[f64],
    ) -> Result<(), ModelError> {
        let list = &mut self.list;
        list.flat.clear();
        list.flat.reserve(list.slots.len());
        for (k, &slot) in list.slots.iter().enumerate() {
            let (kind, index) = (list.kinds[k % list.kinds.len()], slot as usize);
            let range = layout.range(kind);
            if index >= range.len() {
                return Err(ModelError::SlotOutOfRange {
                    statement: statement.into(),
                    kind,
                    index,
                    len: range.len(),
                });
            }
            list.flat.push((range.start + index) as u32);
        }
        let params = layout.constants();
        list.params.clear();
        for &p in &list.indices {
            if p as usize >= params.len() {
                return Err(ModelError::ParamOutOfRange {
                    statement: statement.into(),
                    index: p as usize,
                    len: params.len(),
                });
            }
            list.params.push(p + params.start as u32);
        }
        self.layout = Some(*layout);
        self.trace(initial);
        Ok(())
    }

    /// Finds out which locals the rows are nonlinear in, over all instances, at the point `y`
    /// (only comparisons, which end the search, would make it depend on the point).
    fn trace(&mut self, y: &[f64]) {
        if let Some(carried) = self.carried.clone().filter(|_| self.locals() > TRACED) {
            // More than can be told apart: whether it compares is all there is to know.
            self.compares = carried.compares(self, y);
            return;
        }
        let mut nonlinear = Some(0);
        for i in 0..self.len() {
            let traced = self.recorded(i, y, |work| {
                let known = nonlinear.filter(|_| self.locals() <= TRACED);
                let more = known.and_then(|_| work.tape.nonlinear(self.locals()));
                (more, work.tape.decisions().next().is_some())
            });
            self.compares |= traced.1;
            nonlinear = nonlinear.zip(traced.0).map(|(known, more)| known | more);
            // The first comparison of an instance does not depend on the point.
            if nonlinear.is_none() && self.compares {
                return;
            }
        }
        let Some(nonlinear) = nonlinear else { return };
        // The shares of surfaces are factors.
        let own = self.locals() - self.share_count;
        self.nonlinear = (0..self.locals()).map(|k| k >= own || nonlinear >> k & 1 == 1).collect();
    }

    /// Gives each guard that the motion switches a side, `next` of the flat point and on, by what is
    /// compared at the flat point `y`.
    pub(crate) fn hold(&mut self, y: &[f64], next: &mut usize) {
        if !self.compares {
            return;
        }
        let (mut sides, mut free) = (Sides { first: vec![0], flat: Vec::new() }, *next as u32);
        for i in 0..self.len() {
            let kind = |k: usize| match self.list.kinds.get(k) {
                Some(SlotKind::Q | SlotKind::V | SlotKind::X) => Hold::Moves,
                Some(SlotKind::T) => Hold::Fixed,
                // A signal from outside is met as the motion is.
                None if self.is_of_input(self.list.params(i)[k - self.locals()]) => Hold::Moves,
                None => Hold::Fixed,
                Some(_) => Hold::Free,
            };
            let Some(guards) = self.recorded(i, y, |work| work.tape.holdable(kind)) else { return };
            for held in guards {
                sides.flat.push(if held { free } else { NO_SIDE });
                free += u32::from(held);
            }
            sides.first.push(sides.flat.len() as u32);
        }
        if free as usize > *next {
            (self.sides, *next) = (sides, free as usize);
        }
    }

    /// Gives the guards a side too that the motion does not switch, to look at what there is on either.
    pub(crate) fn hold_every(&mut self, next: &mut usize) {
        for flat in self.sides.flat.iter_mut().filter(|flat| **flat == NO_SIDE) {
            *flat = *next as u32;
            *next += 1;
        }
    }
}
