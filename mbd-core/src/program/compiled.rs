//! What is asked for, as programs: of a residual, of a matrix, of both.

use super::batch::{ALONG, Batch, COEFFICIENTS, HOISTED, MATRIX, PATIENCE, Sources};
use super::native::RESULTS;
use super::shares::{Batches, Starts};
use super::sweep::Sweep;
use crate::equation::{Residual, Want};
#[cfg(test)]
use crate::graph::Op;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// Programs for one request, and the groups left to dual numbers.
#[derive(Debug, Default)]
pub(crate) struct Compiled {
    pub(super) batches: Batches,
    /// For a matrix: derivatives that are no programs, of large graphs.
    pub(super) sweeps: Vec<Sweep>,
    /// For a matrix: programs of what depends on parameters and coefficients alone. These are
    /// entries, as of a constant mass matrix and in the linear columns of joints, and factors.
    pub(super) constant: Batches,
    /// Number of the coefficients and of these factors.
    pub(super) coefficients: usize,
    /// Where the parameters are in the flat point.
    pub(super) params: Range<usize>,
    pub(super) base: Mutex<Base>,
    pub(crate) plain: Vec<usize>,
    /// Whether [`batches`](Self::batches) set every number that is asked for, so that none has to
    /// be cleared before.
    pub(super) whole: bool,
    /// Evaluations so far, up to [`PATIENCE`].
    pub(super) runs: AtomicU32,
}

/// A matrix of its constant entries, and what is computed from coefficients, with the parameters and
/// coefficients it is for.
#[derive(Debug, Default)]
pub(super) struct Base {
    key: Vec<f64>,
    values: Vec<f64>,
    coefficients: Vec<f64>,
}

impl Base {
    fn is_for(&self, params: &[f64], coefficients: &[f64]) -> bool {
        // By bits and to the end: without a decision for each.
        let differ = |known: &[f64], now: &[f64]| {
            known.iter().zip(now).fold(0, |bits, (a, b)| bits | (a.to_bits() ^ b.to_bits()))
        };
        self.key.len() == params.len() + coefficients.len() && {
            let (of_params, of_coefficients) = self.key.split_at(params.len());
            differ(of_params, params) | differ(of_coefficients, coefficients) == 0
        }
    }
}

impl Compiled {
    /// Number of operations of one evaluation.
    #[cfg(test)]
    pub(crate) fn operations(&self) -> usize {
        let operation = |op: &&Op| op.operands() != [None, None];
        let of = |b: &Batch| b.graph.ops().iter().filter(operation).count() * b.members;
        self.batches.iter().map(of).sum()
    }

    /// Makes the code of what was evaluated so far.
    pub(crate) fn make(&self) {
        if self.runs.load(Ordering::Relaxed) > 0 {
            self.runs.store(PATIENCE, Ordering::Relaxed);
            self.batches.iter().chain(&*self.constant).for_each(Batch::make);
        }
    }

    /// The same, where it is soon made.
    pub(crate) fn make_along(&self) {
        let operations: usize = self.batches.iter().map(|batch| batch.graph.ops().len()).sum();
        if operations <= ALONG {
            self.make();
        }
    }

    /// Counts an evaluation; whether it is the one from which on there should be code.
    #[inline(always)]
    pub(crate) fn is_due(&self) -> bool {
        self.runs.load(Ordering::Relaxed) < PATIENCE
            && self.runs.fetch_add(1, Ordering::Relaxed) + 1 == PATIENCE
    }

    /// Computes residual pieces and the entries of a matrix; these are added to what is there
    /// unless they are `fresh`. The groups of [`plain`](Self::plain) are not in it.
    pub(crate) fn evaluate(
        &self,
        sources: &Sources<'_>,
        residual: Option<(Want, &mut Residual)>,
        values: &mut [f64],
        fresh: bool,
    ) {
        if values.is_empty() {
            return self.finish(sources, Starts::default(), residual, values);
        }
        // Another thread at the same plan is no reason to wait.
        let (mut shared, mut own) = (self.base.try_lock(), None);
        let base = match &mut shared {
            Ok(base) => &mut **base,
            Err(_) => own.insert(Base::default()),
        };
        let [y, u, s, r, coefficients] = *sources;
        let params = y.get(self.params.clone()).unwrap_or_default();
        if base.values.len() != values.len() || !base.is_for(params, coefficients) {
            self.renew(base, params, sources, values.len());
        }
        let mut starts = Starts::default();
        if fresh {
            starts.matrix = Some(&base.values);
        } else {
            values.iter_mut().zip(&base.values).for_each(|(value, base)| *value += base);
        }
        self.finish(&[y, u, s, r, &base.coefficients], starts, residual, values);
        for sweep in &self.sweeps {
            sweep.run(sources, coefficients, values);
        }
    }

    /// Runs the programs of what changes.
    #[inline(always)]
    fn finish(
        &self,
        sources: &Sources<'_>,
        mut starts: Starts<'_>,
        residual: Option<(Want, &mut Residual)>,
        values: &mut [f64],
    ) {
        let runs = self.runs.load(Ordering::Relaxed);
        // The results are put together where they are used: moving them takes as long as a small
        // program.
        let Some((want, out)) = residual else {
            let mut results: [&mut [f64]; RESULTS] = Default::default();
            results[MATRIX] = values;
            return self.batches.run(sources, starts, &mut results, runs);
        };
        if !self.whole {
            starts.zero = want;
        }
        let mut energies = [0.0; 2];
        self.batches.run(sources, starts, &mut out.results(&mut energies, values), runs);
        if want.has(Want::ENERGY) {
            [out.kinetic, out.potential] = energies;
        }
    }

    /// Computes the constant entries of a matrix of so many numbers, and what is computed from
    /// coefficients, for other parameters or coefficients than before.
    #[inline(never)]
    fn renew(&self, base: &mut Base, params: &[f64], sources: &Sources<'_>, len: usize) {
        let coefficients = sources[COEFFICIENTS];
        base.key.clear();
        base.key.extend(params);
        base.key.extend(coefficients);
        base.values.clear();
        base.values.resize(len, 0.0);
        base.coefficients.clear();
        base.coefficients.extend(coefficients);
        base.coefficients.resize(self.coefficients, 0.0);
        let mut results: [&mut [f64]; RESULTS] = Default::default();
        results[MATRIX] = &mut base.values;
        results[HOISTED] = &mut base.coefficients;
        let runs = self.runs.load(Ordering::Relaxed);
        self.constant.run(sources, Starts::default(), &mut results, runs);
    }
}
