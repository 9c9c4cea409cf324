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
    /// Outputs that read how these rows share the load, which the equations do not say: the force of one hinge of a
    /// door that has two, but not of both together.
    pub outputs: Vec<String>,
}

impl Redundant {
    /// Whether a scalar of the model, as `lambda(hinge[0])` or an output, is a share of the load that the equations do not
    /// determine: it is that of the rows which were kept.
    pub fn leaves_open(&self, name: &str) -> bool {
        let inner = ["lambda(", "psi("].iter().find_map(|before| name.strip_prefix(before));
        match inner.and_then(|inner| inner.strip_suffix(')')) {
            // Of a row that constrains nothing the multiplier says nothing.
            Some(row) => self.row == row || self.depends_on.iter().any(|other| other == row),
            None => self.outputs.iter().any(|output| output == name),
        }
    }

    /// Saves or restores it.
    pub(crate) fn state(&mut self, state: &mut State<'_>) {
        let Redundant { row, depends_on, among, outputs } = self;
        state.text(row);
        for names in [depends_on, among, outputs] {
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
