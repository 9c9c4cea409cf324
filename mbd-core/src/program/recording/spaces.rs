//! What the inputs and rows of a graph are in the equations: the coordinate, row or state that a number
//! stands for, and the column of a term that an input is.

use crate::equation::{Layout, SlotKind, Term, Want};
use crate::graph::{Input, Source};

/// Where the variable of a term's derivative is: a weight, where the piece is linear in it.
pub(super) fn variable(term: Term) -> Source {
    match term {
        Term::M => Source::U,
        Term::React | Term::Gt => Source::S,
        Term::ReactPsi | Term::Kt => Source::R,
        _ => Source::Point,
    }
}

/// The column an input is, if it is of the given source and kind.
pub(super) fn column(layout: &Layout, source: Source, kind: SlotKind, input: Input) -> Option<u32> {
    let (from, index) = input;
    if from != source {
        return None;
    }
    if source != Source::Point {
        return Some(index);
    }
    let range = layout.range(kind);
    range.contains(&(index as usize)).then(|| index - range.start as u32)
}

/// Spaces of indices: two numbers are the same coordinate, row or state only within one.
pub(super) fn space(layout: &Layout, (source, index): Input) -> (u8, u32) {
    let index = index as usize;
    match source {
        Source::Point => {
            let kind = SlotKind::ALL.into_iter().find(|&k| layout.range(k).contains(&index));
            let Some(kind) = kind else { return (6, index as u32) };
            let space = match kind {
                SlotKind::T => 0,
                SlotKind::Q | SlotKind::V | SlotKind::A => 1,
                SlotKind::X | SlotKind::Xd => 2,
                SlotKind::Lambda => 3,
                SlotKind::Psi => 4,
                SlotKind::W => 5,
            };
            (space, (index - layout.range(kind).start) as u32)
        }
        Source::Param => (6, index as u32),
        Source::U => (1, index as u32),
        Source::S => (3, index as u32),
        Source::R => (4, index as u32),
        Source::Coefficient => (7, index as u32),
    }
}

pub(super) fn row_space(want: Want, row: usize) -> (u8, u32) {
    let space = match want {
        Want::MU | Want::F | Want::REACTION | Want::GTS => 1,
        Want::D => 2,
        Want::G | Want::GDOT | Want::GAMMA | Want::GU => 3,
        Want::K | Want::ZETA | Want::KU => 4,
        Want::W => 5,
        _ => 8,
    };
    (space, row as u32)
}

/// The same in one word.
pub(super) fn number((space, index): (u8, u32)) -> u64 {
    u64::from(space) << 32 | u64::from(index)
}
