//! Reactions of the run at its steps within a macro-step. Their errors come and go from step to step, so
//! the end of a macro-step says little of the largest.

use super::macro_step::Macro;
use crate::assembly::{Point, SlotKind};
use crate::checkpoint::State;

/// Steps kept at most; of more, every second.
const KEPT: usize = 64;

/// Steps in a macro-step from which on they are compared one by one: the errors of fewer, longer steps
/// are smaller than what the stages resolve.
const MANY: usize = 7;

/// λ and ψ of some of the steps since the last macro-step, and the largest errors so far.
pub(super) struct Reactions {
    times: Vec<f64>,
    values: Vec<Vec<f64>>,
    /// Of the slots in `values` as many as there are times are in use.
    every: usize,
    seen: usize,
    /// Largest errors of λ, then ψ.
    errors: Vec<f64>,
    multipliers: usize,
}

impl Reactions {
    pub(super) fn new(m: usize, p: usize) -> Self {
        let kept = if m + p == 0 { 0 } else { KEPT };
        Reactions {
            times: Vec::with_capacity(kept),
            values: vec![vec![0.0; m + p]; kept],
            every: 1,
            seen: 0,
            errors: vec![0.0; m + p],
            multipliers: m,
        }
    }

    /// Saves or restores them.
    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let Reactions { times, values, every, seen, errors, multipliers: _ } = self;
        state.list(times);
        state.require(times.len() <= values.len());
        times.truncate(values.len());
        values[..times.len()].iter_mut().for_each(|values| state.numbers(values));
        state.count(every);
        state.count(seen);
        state.require(*every > 0);
        *every = (*every).max(1);
        state.numbers(errors);
    }

    /// Largest errors of λ and of ψ.
    pub(super) fn errors(&self) -> (&[f64], &[f64]) {
        self.errors.split_at(self.multipliers)
    }

    /// Takes an accepted step, in any case when a macro-step ends with it.
    pub(super) fn see(&mut self, at: &Point, ends: bool) {
        if self.values.is_empty() {
            return;
        }
        self.seen += 1;
        if !ends && !self.seen.is_multiple_of(self.every) {
            return;
        }
        if self.times.len() == KEPT {
            for i in 0..KEPT / 2 {
                self.times[i] = self.times[2 * i + 1];
                self.values.swap(i, 2 * i + 1);
            }
            self.times.truncate(KEPT / 2);
            self.every *= 2;
        }
        let to = &mut self.values[self.times.len()];
        let (lambda, psi) = to.split_at_mut(self.multipliers);
        lambda.copy_from_slice(at.get(SlotKind::Lambda));
        psi.copy_from_slice(at.get(SlotKind::Psi));
        self.times.push(at.t());
    }

    /// Compares what was kept with the stages of the macro-step whose last part, just solved, began at
    /// `start`, and forgets it. Between the stages, what their polynomial does not resolve is no error.
    pub(super) fn compare(&mut self, m: &Macro, start: f64) {
        let (t, size, first) = (&m.tableau, m.formulas.size(), m.formulas.at[1]);
        let mut weights = [0.0; 8];
        let sum = |weights: &[f64], i: usize| -> f64 {
            weights.iter().enumerate().map(|(j, w)| w * m.u[j * size + first + i]).sum()
        };
        for (time, values) in self.times.iter().zip(&self.values).filter(|(t, _)| **t > start) {
            let part = (time - start) / m.h;
            let between = part < 1.0 - 1e-9;
            if between && self.seen < MANY {
                continue;
            }
            for (j, weight) in weights[..t.stages].iter_mut().enumerate() {
                let others = t.c.iter().enumerate().filter(|(k, _)| *k != j);
                *weight = others.map(|(_, c)| (part - c) / (t.c[j] - c)).product();
            }
            for (i, (value, error)) in values.iter().zip(&mut self.errors).enumerate() {
                let own = sum(&weights[..t.stages], i);
                let last = |k: usize| sum(t.row(&t.legendre, t.stages - k), i).abs();
                let unresolved = if between { last(1) + last(2) } else { 0.0 };
                *error = error.max((own - value).abs() - unresolved);
            }
        }
        self.forget();
    }

    /// Forgets what was kept.
    pub(super) fn forget(&mut self) {
        self.times.clear();
        (self.every, self.seen) = (1, 0);
    }
}
