//! Where the numbers of a statement on dual numbers go.

use crate::equation::{Residual, Term, Want};

/// One place a term goes in a matrix: which coefficient scales it and the value position of every
/// local entry of every instance of a group.
#[derive(Clone, Debug)]
pub struct Target {
    /// The term.
    pub term: Term,
    /// Index of its coefficient.
    pub coefficient: usize,
    /// Positions in the value array, instance-major.
    pub positions: Vec<u32>,
    /// Local entries per instance.
    pub entries: usize,
}

/// Where a group's residual pieces go.
pub struct RowSink<'a>(To<'a>);

/// A number for a row of a piece.
pub(super) type Addend = (Want, u32, f64);

enum To<'a> {
    Residual(&'a mut Residual),
    Kept(&'a mut Vec<Addend>),
}

impl<'a> RowSink<'a> {
    /// Row of the kinetic energy in the piece [`Want::ENERGY`].
    pub const KINETIC: usize = Residual::KINETIC;
    /// Row of the potential energy there.
    pub const POTENTIAL: usize = Residual::POTENTIAL;
    /// Row of v·T_v − T in the piece [`Want::BALANCE`]; that of U is [`POTENTIAL`](Self::POTENTIAL).
    pub const INERTIAL: usize = Residual::INERTIAL;
    /// Row there of the power of forces, of prescribed motion and of energies that depend on time.
    pub const WORK: usize = Residual::WORK;
    /// Row there of what dissipation takes.
    pub const DISSIPATED: usize = Residual::DISSIPATED;

    /// RowSink of a residual.
    pub fn of(residual: &'a mut Residual) -> Self {
        RowSink(To::Residual(residual))
    }

    /// Keeps what is to be added.
    pub(super) fn keeping(kept: &'a mut Vec<Addend>) -> Self {
        RowSink(To::Kept(kept))
    }

    /// Adds to a row of one piece.
    #[inline(always)]
    pub fn add(&mut self, piece: Want, row: usize, value: f64) {
        match &mut self.0 {
            To::Residual(out) => out.add(piece, row, value),
            To::Kept(kept) => kept.push((piece, row as u32, value)),
        }
    }
}

/// Where a group's local blocks go.
pub struct Sink<'a> {
    targets: &'a [Target],
    coefficients: &'a [f64],
    values: Values<'a>,
}

enum Values<'a> {
    Matrix(&'a mut [f64]),
    Kept(&'a mut Blocks),
}

/// Blocks in the order in which they are to be added.
#[derive(Default)]
pub(super) struct Blocks {
    /// Of each the term, the instance, the entry it starts at and its length.
    pub(super) of: Vec<(Term, usize, usize, usize)>,
    pub(super) values: Vec<f64>,
}

impl<'a> Sink<'a> {
    /// A sink into `values`, whose last entry is a bin for entries outside the pattern.
    pub fn new(targets: &'a [Target], coefficients: &'a [f64], values: &'a mut [f64]) -> Self {
        Sink { targets, coefficients, values: Values::Matrix(values) }
    }

    /// Keeps what is to be added.
    pub(super) fn keeping(
        targets: &'a [Target],
        coefficients: &'a [f64],
        kept: &'a mut Blocks,
    ) -> Self {
        Sink { targets, coefficients, values: Values::Kept(kept) }
    }

    /// Whether any target takes this term.
    #[inline(always)]
    pub fn wants(&self, term: Term) -> bool {
        self.targets.iter().any(|t| t.term == term && self.coefficients[t.coefficient] != 0.0)
    }

    /// Adds an instance's local block, in the order of the group's `entries`.
    #[inline(always)]
    pub fn add(&mut self, term: Term, instance: usize, local: &[f64]) {
        self.add_from(term, instance, 0, local);
    }

    /// Adds part of a local block, from entry `start` on.
    #[inline(always)]
    pub fn add_from(&mut self, term: Term, instance: usize, start: usize, local: &[f64]) {
        let values = match &mut self.values {
            Values::Matrix(values) => values,
            Values::Kept(kept) => {
                if self.targets.iter().any(|t| t.term == term) {
                    kept.of.push((term, instance, start, local.len()));
                    kept.values.extend_from_slice(local);
                }
                return;
            }
        };
        for target in self.targets.iter().filter(|t| t.term == term) {
            let first = instance * target.entries + start;
            let positions = &target.positions[first..(instance + 1) * target.entries];
            let coefficient = self.coefficients[target.coefficient];
            for (value, &position) in local.iter().zip(positions) {
                values[position as usize] += coefficient * value;
            }
        }
    }
}
