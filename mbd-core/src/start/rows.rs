//! Constraint rows by name, and those that are redundant.

use crate::assembly::System;
use crate::state::State;
use std::fmt;

/// A row that depends on earlier ones and is consistent with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redundant {
    /// Its name.
    pub row: String,
    /// The earlier rows it is a combination of: together with it, the least set of rows of which one
    /// is too many.
    pub depends_on: Vec<String>,
    /// The same by constraints, where they are many.
    pub among: Vec<String>,
}

impl Redundant {
    /// Saves or restores it.
    pub(crate) fn state(&mut self, state: &mut State<'_>) {
        let Redundant { row, depends_on, among } = self;
        state.text(row);
        for names in [depends_on, among] {
            state.every(names, String::new(), State::text);
        }
    }
}

impl fmt::Display for Redundant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.depends_on.len() {
            0 => write!(f, "{} constrains nothing", self.row),
            n if n <= FEW => write!(f, "{} is redundant with {}", self.row, list(&self.among)),
            n => write!(
                f,
                "{} asks for what {n} rows ask for together, so that the equations do not say how they \
                 share the load: {}",
                self.row,
                list(&self.among)
            ),
        }
    }
}

/// So many rows are named one by one.
const FEW: usize = 8;

/// Rows of G over K by name; when they are many, the constraints they belong to.
pub(super) fn grouped(system: &System, rows: &[usize]) -> Vec<String> {
    if rows.len() <= FEW {
        return rows.iter().map(|&row| row_name(system, row)).collect();
    }
    let (model, m) = (system.model(), system.dims().m);
    let mut names = Vec::new();
    for (blocks, first) in [(model.holonomic(), 0), (model.nonholonomic(), m)] {
        for block in blocks {
            let range = first + block.first..first + block.first + block.len;
            let count = rows.iter().filter(|row| range.contains(row)).count();
            match count {
                0 => {}
                n if n == block.len => names.push(block.name.clone()),
                n => names.push(format!("{} ({n} of {} rows)", block.name, block.len)),
            }
        }
    }
    names
}

/// At most a dozen names.
pub(super) fn list(names: &[String]) -> String {
    const MOST: usize = 12;
    match names {
        [] => "other rows".into(),
        names if names.len() <= MOST + 1 => names.join(", "),
        names => format!("{} and {} more", names[..MOST].join(", "), names.len() - MOST),
    }
}

/// Name of a constraint row, holonomic rows first.
pub(super) fn row_name(system: &System, row: usize) -> String {
    let m = system.dims().m;
    if row < m {
        system.model().holonomic_row_name(row)
    } else {
        system.model().nonholonomic_row_name(row - m)
    }
}
