//! The motion between the points that a run kept, for an animation whose rows were not handed over while it ran.

use crate::Solution;
use crate::assembly::SlotKind;
use crate::solution::{ColumnKind, OutputError, RowSink};
use std::ops::Range;

/// Hands over all points of a run, and between each two of them as many as are wanted: coordinates on the cubic that has
/// their positions and velocities at both ends, everything else on straight lines.
pub(super) fn hand_over(
    run: &Solution,
    columns: &Solution,
    sink: &mut impl RowSink,
) -> Result<(), OutputError> {
    let wanted = columns.columns();
    let missing =
        wanted.iter().enumerate().find(|(k, column)| run.columns().get(*k) != Some(column));
    if let Some((_, column)) = missing {
        return Err(OutputError::OtherColumns { column: column.name.clone() });
    }
    if run.is_empty() {
        return Err(OutputError::Empty);
    }
    if run.len() < 3 && run.stats.steps > 2 {
        return Err(OutputError::Streamed);
    }
    let of = |kind| columns.range(ColumnKind::Slot(kind));
    let (q, v) = (of(SlotKind::Q), of(SlotKind::V));
    let row = |k: usize| &run.row(k)[..wanted.len()];
    let mut at = vec![0.0; wanted.len()];
    sink.row(row(0))?;
    for k in 1..run.len() {
        let (before, after) = (row(k - 1), row(k));
        let count = if after[0] > before[0] { sink.curve_points() } else { 0 };
        for i in 1..=count {
            between(before, after, i as f64 / (count + 1) as f64, (&q, &v), &mut at);
            sink.curve(&at)?;
        }
        sink.row(after)?;
    }
    Ok(())
}

/// The row at a part of the way from one point to the next.
fn between(
    before: &[f64],
    after: &[f64],
    part: f64,
    (q, v): (&Range<usize>, &Range<usize>),
    at: &mut [f64],
) {
    for ((at, a), b) in at.iter_mut().zip(before).zip(after) {
        *at = a + part * (b - a);
    }
    let h = after[0] - before[0];
    let (start, end) = (part * (1.0 - part) * (1.0 - part), part * part * (part - 1.0));
    let rest = part * part * (3.0 - 2.0 * part);
    for (q, v) in q.clone().zip(v.clone()) {
        at[q] =
            before[q] + rest * (after[q] - before[q]) + h * (start * before[v] + end * after[v]);
    }
}
