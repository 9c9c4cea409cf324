//! The evaluation of a statement on dual numbers by several threads.
//!
//! Threads compute ranges of instances and keep what these add; it is added afterwards, in the order
//! of the instances, so that the result is that of a single thread to the last bit.

use super::group::ElementGroup;
use super::sink::{Blocks, RowSink, Sink, Target};
use crate::equation::{Residual, Want, Weights};
use crate::threads;
use std::ops::Range;

/// Fewest instances of a residual, and of a matrix, that are divided (docs/book/src/performance.md, "Several
/// threads").
const WORTHWHILE: (usize, usize) = (1024, 256);

/// Adds all instances' residual pieces.
pub(crate) fn add_residual(
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
    threads::run(&mut parts, |(range, kept)| evaluate(range.clone(), &mut RowSink::keeping(kept)));
    for (piece, row, value) in parts.into_iter().flat_map(|part| part.1) {
        out.add(piece, row as usize, value);
    }
}

/// Adds all instances' blocks of a matrix.
pub(crate) fn add_matrix(
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
        let mut sink = Sink::keeping(targets, coefficients, kept);
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
