//! Where the numbers of a statement on dual numbers go, and its evaluation by several threads.
//!
//! Threads compute ranges of instances and keep what these add; it is added afterwards, in the order
//! of the instances, so that the result is that of a single thread to the last bit.

use super::terms::{ElementGroup, Residual, Term, Want, Weights};
use crate::threads;
use std::ops::Range;

/// Fewest instances of a residual, and of a matrix, that are divided (docs/book/src/performance.md, "Several
/// threads").
const WORTHWHILE: (usize, usize) = (1024, 256);

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

enum To<'a> {
    Residual(&'a mut Residual),
    Kept(&'a mut Vec<(Want, u32, f64)>),
}

impl<'a> RowSink<'a> {
    /// Row of the kinetic energy in the piece [`Want::ENERGY`].
    pub const KINETIC: usize = 0;
    /// Row of the potential energy there.
    pub const POTENTIAL: usize = 1;
    /// Row of v·T_v − T in the piece [`Want::BALANCE`]; that of U is [`POTENTIAL`](Self::POTENTIAL).
    pub const INERTIAL: usize = 0;
    /// Row there of the power of forces, of prescribed motion and of energies that depend on time.
    pub const WORK: usize = 2;
    /// Row there of what dissipation takes.
    pub const DISSIPATED: usize = 3;

    /// RowSink of a residual.
    pub fn of(residual: &'a mut Residual) -> Self {
        RowSink(To::Residual(residual))
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
struct Blocks {
    /// Of each the term, the instance, the entry it starts at and its length.
    of: Vec<(Term, usize, usize, usize)>,
    values: Vec<f64>,
}

impl<'a> Sink<'a> {
    /// A sink into `values`, whose last entry is a bin for entries outside the pattern.
    pub fn new(targets: &'a [Target], coefficients: &'a [f64], values: &'a mut [f64]) -> Self {
        Sink { targets, coefficients, values: Values::Matrix(values) }
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

/// Adds all instances' residual pieces.
pub(super) fn add_residual(
    group: &dyn ElementGroup,
    y: &[f64],
    weights: &Weights<'_>,
    want: Want,
    out: &mut Residual,
) {
    let evaluate =
        |instances, out: &mut RowSink<'_>| group.residual(instances, y, weights, want, out);
    let Some(ranges) = ranges(group.instances(), WORTHWHILE.0) else {
        return evaluate(0..group.instances(), &mut RowSink::of(out));
    };
    let mut parts: Vec<_> = ranges.map(|range| (range, Vec::new())).collect();
    threads::run(&mut parts, |(range, kept)| evaluate(range.clone(), &mut RowSink(To::Kept(kept))));
    for (piece, row, value) in parts.into_iter().flat_map(|part| part.1) {
        out.add(piece, row as usize, value);
    }
}

/// Adds all instances' blocks of a matrix.
pub(super) fn add_matrix(
    group: &dyn ElementGroup,
    y: &[f64],
    weights: &Weights<'_>,
    (targets, coefficients): (&[Target], &[f64]),
    values: &mut [f64],
) {
    let Some(ranges) = ranges(group.instances(), WORTHWHILE.1) else {
        let mut sink = Sink::new(targets, coefficients, values);
        return group.matrix(0..group.instances(), y, weights, &mut sink);
    };
    let mut parts: Vec<_> = ranges.map(|range| (range, Blocks::default())).collect();
    threads::run(&mut parts, |(range, kept)| {
        let mut sink = Sink { targets, coefficients, values: Values::Kept(kept) };
        group.matrix(range.clone(), y, weights, &mut sink);
    });
    let mut sink = Sink::new(targets, coefficients, values);
    for (_, blocks) in parts {
        let mut rest = &blocks.values[..];
        for (term, instance, start, len) in blocks.of {
            let (local, behind) = rest.split_at(len);
            sink.add_from(term, instance, start, local);
            rest = behind;
        }
    }
}

/// One range of instances for each thread, where there are enough of both.
fn ranges(instances: usize, worthwhile: usize) -> Option<impl Iterator<Item = Range<usize>>> {
    let threads = if instances < worthwhile { 1 } else { threads::available() };
    let bound = move |k: usize| k * instances / threads;
    (threads > 1).then(|| (0..threads).map(move |k| bound(k)..bound(k + 1)))
}
