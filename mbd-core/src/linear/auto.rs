//! Sparse or dense, by what the factors turn out to be.

use super::backward::Digits;
use super::dense::DenseLu;
use super::entry::Entry;
use super::pattern::Pattern;
use super::solver::{LinearError, LinearSolver};
use super::sparse::SparseLu;

/// Part of all n² places filled by L and U from which a dense factorization is faster.
///
/// Measured (`tests::by_fill`, one factorization and one solve): the two take the same time at a
/// fill of 0.8 for n = 20, 0.6 for n = 30, 0.5 for n = 50, 0.4 for n = 100 and 200. Newton matrices
/// of mechanisms fill much less: a chain of links is faster sparse from its first link on.
fn dense_from(n: usize) -> f64 {
    match n {
        0..=20 => 0.8,
        21..=40 => 0.6,
        41..=70 => 0.5,
        _ => 0.4,
    }
}

/// Size up to which a dense factorization is considered.
const DENSE_LARGEST: usize = 1000;

/// LU of a sparse pattern that goes over to a dense one when the first factors are nearly full.
#[derive(Debug)]
pub struct AutoLu<T: Entry = f64> {
    sparse: SparseLu<T>,
    dense: Option<Dense<T>>,
    decided: bool,
    /// The digits that solutions are to have.
    digits: Digits,
}

#[derive(Debug)]
struct Dense<T> {
    lu: DenseLu<T>,
    full: Vec<T>,
    /// Place in the full matrix of every entry of the pattern.
    places: Vec<u32>,
}

impl<T: Entry> AutoLu<T> {
    /// For matrices of a pattern.
    pub fn new(pattern: &Pattern) -> Self {
        AutoLu::to(pattern, Digits::All)
    }

    /// The same for solutions of which so many digits are needed.
    pub(crate) fn to(pattern: &Pattern, digits: Digits) -> Self {
        AutoLu { sparse: SparseLu::to(pattern, digits), dense: None, decided: false, digits }
    }

    /// Whether it went over to a dense factorization.
    pub fn is_dense(&self) -> bool {
        self.dense.is_some()
    }

    fn decide(&mut self) {
        self.decided = true;
        let n = self.sparse.size();
        let fill = self.sparse.factor_entries() as f64 / (n * n) as f64;
        if n > 0 && n <= DENSE_LARGEST && fill > dense_from(n) {
            self.dense = Some(Dense {
                lu: DenseLu::to(n, self.digits),
                full: vec![T::default(); n * n],
                places: self.sparse.pattern().entries().map(|(i, j)| (i + j * n) as u32).collect(),
            });
        }
    }
}

impl<T: Entry> LinearSolver<T> for AutoLu<T> {
    fn size(&self) -> usize {
        self.sparse.size()
    }

    fn factorize(&mut self, values: &[T]) -> Result<(), LinearError> {
        if !self.decided {
            self.sparse.factorize(values)?;
            self.decide();
            if self.dense.is_none() {
                return Ok(());
            }
        }
        let Some(dense) = &mut self.dense else {
            return self.sparse.factorize(values);
        };
        if values.len() < dense.places.len() {
            let expected = dense.places.len();
            return Err(LinearError::WrongLength { len: values.len(), expected });
        }
        dense.full.fill(T::default());
        for (&place, value) in dense.places.iter().zip(values) {
            dense.full[place as usize] = *value;
        }
        dense.lu.factorize(&dense.full)
    }

    fn solve(&mut self, b: &mut [T]) {
        match &mut self.dense {
            Some(dense) => dense.lu.solve(b),
            None => self.sparse.solve(b),
        }
    }

    fn solve_transpose(&mut self, b: &mut [T]) {
        match &mut self.dense {
            Some(dense) => dense.lu.solve_transpose(b),
            None => self.sparse.solve_transpose(b),
        }
    }
}

/// The factorization that suits a pattern.
pub fn solver_for<T: Entry>(pattern: &Pattern) -> Box<dyn LinearSolver<T>> {
    solver_to(pattern, Digits::All)
}

/// The same where solutions are corrections of an iteration, whose next residual shows what they lack: rows whose terms
/// vanish beside the largest unknowns are not refined.
pub(crate) fn solver_of_corrections<T: Entry>(pattern: &Pattern) -> Box<dyn LinearSolver<T>> {
    solver_to(pattern, Digits::OfCorrections)
}

/// The same where a few digits of a correction are enough: solutions are not refined.
pub(crate) fn solver_of_few_digits<T: Entry>(pattern: &Pattern) -> Box<dyn LinearSolver<T>> {
    solver_to(pattern, Digits::Few)
}

fn solver_to<T: Entry>(pattern: &Pattern, digits: Digits) -> Box<dyn LinearSolver<T>> {
    if pattern.is_dense() {
        Box::new(DenseLu::to(pattern.size(), digits))
    } else {
        Box::new(AutoLu::to(pattern, digits))
    }
}
