//! What assembly moved.

use crate::assembly::{SlotKind, System};

/// A scalar that assembly moved.
#[derive(Clone, Debug, PartialEq)]
pub struct Moved {
    /// Its index among those of its kind.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// As given.
    pub from: f64,
    /// As assembled.
    pub to: f64,
    /// Declared `init`: moved by no more than the rounding of its digits.
    pub kept: bool,
}

/// The scalars of a kind that differ from `before`, the largest change first.
pub(super) fn changes(
    system: &System,
    kind: SlotKind,
    before: &[f64],
    after: &[f64],
    keep: &[bool],
) -> Vec<Moved> {
    let mut moved: Vec<Moved> = before
        .iter()
        .zip(after)
        .enumerate()
        .filter(|(_, (from, to))| from != to)
        .map(|(i, (&from, &to))| Moved {
            index: i,
            name: system.scalar_name(kind, i),
            from,
            to,
            kept: keep.get(i).copied().unwrap_or(false),
        })
        .collect();
    moved.sort_by(|a, b| (b.to - b.from).abs().total_cmp(&(a.to - a.from).abs()));
    moved
}
