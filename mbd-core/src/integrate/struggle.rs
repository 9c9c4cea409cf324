//! How often attempted steps have failed, and at what.

use crate::checkpoint::State;
use crate::error::Struggle;

/// Failed attempts, in parts of the steps taken and in all, from which on they are told.
const PART: f64 = 0.05;
const LEAST: usize = 64;

/// Failed attempts, and the unknown at which most of them did, found by counting it up and all others down.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    failed: usize,
    times: [f64; 2],
    worst: Option<usize>,
    lead: usize,
}

impl Attempts {
    /// Takes notice of an attempt from a time that failed by an unknown.
    pub(super) fn note(&mut self, t: f64, worst: Option<usize>) {
        if self.failed == 0 {
            self.times[0] = t;
        }
        self.times[1] = t;
        self.failed += 1;
        match worst {
            Some(worst) if self.worst == Some(worst) => self.lead += 1,
            Some(worst) if self.lead == 0 => (self.worst, self.lead) = (Some(worst), 1),
            _ => self.lead = self.lead.saturating_sub(1),
        }
    }

    /// What is told of them after so many steps; `name` names an unknown.
    pub(super) fn told(&self, steps: usize, name: impl Fn(usize) -> String) -> Option<Struggle> {
        let Attempts { failed: attempts, times, worst, .. } = *self;
        let many = attempts >= LEAST && attempts as f64 >= PART * steps as f64;
        worst.filter(|_| many).map(|worst| Struggle {
            times,
            attempts,
            steps,
            worst: name(worst),
            plain: Vec::new(),
        })
    }

    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let Attempts { failed, times, worst, lead } = self;
        state.count(failed);
        state.numbers(times);
        let mut is = worst.map_or(0, |worst| worst + 1);
        state.count(&mut is);
        *worst = is.checked_sub(1);
        state.count(lead);
    }
}
