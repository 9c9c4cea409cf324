//! Impacts that follow each other within the error of the motion, where it makes a difference which comes first: as when a body
//! falls flat on two feet, which each blow alone would turn.

use super::Integrator;
use super::carried::One;
use crate::assembly::Point;
use crate::integrate::scheme::Accuracy;
use crate::solution::{Disorder, Unestimated};

/// What one blow changes of the rate of another gap makes a difference that can be seen from this part of its scale on.
const SEEN: f64 = 1e-2;

impl Integrator<'_> {
    /// Takes notice of the first impact that has changed the rate of a gap which was closing, too, and as near as errors are.
    pub(super) fn note_order(&mut self, before: &Point, list: &[One]) {
        let Accuracy::Tolerance(eps) = self.step.accuracy() else { return };
        let struck: Vec<usize> =
            list.iter().filter_map(|one| self.contact_of(one.group, one.instance)).collect();
        let (Some(&first), None) = (struck.first(), self.events.disordered) else { return };
        let gaps = self.gaps(before).into_iter().zip(self.gaps(&self.to)).enumerate();
        let then =
            gaps.filter(|(contact, _)| !struck.contains(contact)).find(|&(contact, (was, is))| {
                let size = self.scales.holonomic()[self.gap_row(contact)];
                let changes = (is[1] - was[1]).abs() > SEEN * size * self.scales.rate();
                let closes = was[1] < 0.0 && was[0].abs() <= eps * size;
                self.contact(contact).is_some()
                    && !self.sliding.closed[contact]
                    && closes
                    && changes
            });
        if let Some((then, _)) = then {
            let t = self.to.t();
            self.events.disordered = Some((t, first, then));
            if self.companion.is_ok() {
                self.companion = Err(Unestimated::Unclear { t });
            }
        }
    }

    /// The first two impacts of which errors decided which came first.
    pub fn disorder(&self) -> Option<Disorder> {
        let (t, first, then) = self.events.disordered?;
        let name = |contact: usize| {
            let of = self.contact(contact)?;
            Some(of.impact(&self.system.model().groups)?.0.instance_name(of.instance))
        };
        Some(Disorder { t, first: name(first)?, then: name(then)? })
    }
}
