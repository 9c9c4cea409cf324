//! A system's scalars and rows as a user knows them.

use super::system::System;
use crate::digits::short;
use crate::equation::{Point, Residual, SlotKind, Term, Want, Weights};
use crate::signal::Course;
use crate::statement::{ElementGroup, add_residual};

/// A contribution that is not a number, or infinite.
#[derive(Clone, Debug, PartialEq)]
pub struct NonFinite {
    /// Which row, as a user knows it: `the force on theta`.
    pub what: String,
    /// Its value.
    pub value: f64,
    /// The statement.
    pub statement: String,
    /// What the row reads, with values, ready to follow the statement's name; may be empty.
    pub reads: String,
}

impl System {
    /// Finds the statement whose contribution to a wanted piece is NaN or infinite at a point.
    /// Evaluates statement by statement; for error messages.
    pub fn locate_nonfinite(&self, point: &Point, want: Want) -> Option<NonFinite> {
        let weights = Weights::of(point);
        let mut out = Residual::new(&self.dims());
        self.groups().find_map(|group| {
            out.clear(want);
            add_residual(group, point.flat(), &weights, want, &mut out);
            let (piece, name, row, value) =
                out.pieces().into_iter().find_map(|(piece, name, values)| {
                    let row = values.iter().position(|x| !x.is_finite())?;
                    want.has(piece).then(|| (piece, name, row, values[row]))
                })?;
            Some(NonFinite {
                what: self.row_name(piece, name, row),
                value,
                statement: group.name().into(),
                reads: self.reads(group, piece, row, point),
            })
        })
    }

    /// A row of a residual piece as a user knows it.
    fn row_name(&self, piece: Want, name: &str, row: usize) -> String {
        if [Want::MU, Want::F, Want::REACTION, Want::GTS].contains(&piece) {
            format!("the force on {}", self.scalar_name(SlotKind::Q, row))
        } else if [Want::G, Want::GDOT, Want::GAMMA, Want::GU].contains(&piece) {
            format!("the constraint {}", self.model.holonomic_row_name(row))
        } else if [Want::K, Want::ZETA, Want::KU].contains(&piece) {
            format!("the constraint {}", self.model.nonholonomic_row_name(row))
        } else if piece == Want::D {
            format!("the equation of {}", self.scalar_name(SlotKind::Xd, row))
        } else if piece == Want::W {
            format!("the definition of {}", self.scalar_name(SlotKind::W, row))
        } else {
            name.into()
        }
    }

    /// The scalars a row of a statement reads, with their values: `, which reads x = −1, …`.
    fn reads(&self, group: &dyn ElementGroup, piece: Want, row: usize, point: &Point) -> String {
        let mut read = Vec::new();
        let mut entries = Vec::new();
        for term in group.terms() {
            let kind = match term {
                Term::F(kind) if piece == Want::F => kind,
                Term::D(kind) if piece == Want::D => kind,
                Term::W(kind) if piece == Want::W => kind,
                Term::MuQ if piece == Want::MU => SlotKind::Q,
                Term::ReactQ if piece == Want::REACTION => SlotKind::Q,
                Term::G if piece == Want::G || piece == Want::GDOT => SlotKind::Q,
                Term::K if piece == Want::K => SlotKind::V,
                Term::KQ if piece == Want::K => SlotKind::Q,
                _ => continue,
            };
            entries.clear();
            (0..group.instances()).for_each(|i| group.entries(term, i, &mut entries));
            read.extend(
                entries.iter().flatten().filter(|e| e.0 as usize == row).map(|e| (kind, e.1)),
            );
        }
        read.sort_unstable();
        read.dedup();
        const MOST: usize = 6;
        let list: Vec<String> = read
            .iter()
            .take(MOST)
            .map(|&(kind, i)| {
                let value = point.get(kind)[i as usize];
                format!("{} = {}", self.scalar_name(kind, i as usize), short(value))
            })
            .collect();
        match (list.is_empty(), read.len() > MOST) {
            (true, _) => String::new(),
            (_, false) => format!(", which reads {}", list.join(", ")),
            (_, true) => format!(", which reads {}, …", list.join(", ")),
        }
    }

    /// Name of an entry of a point's flat vector; empty for the side of a comparison.
    pub(crate) fn flat_name(&self, flat: usize) -> String {
        let layout = self.layout();
        if let Some(constant) = flat.checked_sub(layout.params().start) {
            if layout.inputs().contains(&flat) {
                let input = (flat - layout.inputs().start) / Course::NUMBERS;
                return self.model.inputs[input].label.name.clone();
            }
            if layout.offsets().contains(&flat) {
                let row = self.model.from_start()[flat - layout.offsets().start];
                return format!("{} at the start", self.model.holonomic_row_name(row));
            }
            let mut labels = self.model.params().iter().chain(self.model.modes());
            return labels.nth(constant).map_or(String::new(), |label| label.name.clone());
        }
        let mut kinds = SlotKind::ALL.into_iter();
        let of = kinds.find(|kind| layout.range(*kind).contains(&flat));
        of.map_or(String::new(), |kind| self.scalar_name(kind, flat - layout.range(kind).start))
    }

    /// Name of a scalar as it appears in messages and output: `theta`, `der(theta)`,
    /// `lambda(close_x)`, …
    pub fn scalar_name(&self, kind: SlotKind, index: usize) -> String {
        self.model.scalar_name(kind, index)
    }
}
