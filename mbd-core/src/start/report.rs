//! What start-up did.

use std::fmt;

use super::rank::Rank;
use crate::assembly::{Point, Residual, SlotKind, System, Want, Weights};
use crate::checkpoint::State;

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

/// What start-up did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StartReport {
    /// Coordinates that assembly moved, the largest change first.
    pub moved: Vec<Moved>,
    /// Velocities that projection changed, the largest change first.
    pub moved_velocities: Vec<Moved>,
    /// Redundant rows; their multipliers are held at zero.
    pub redundant: Vec<Redundant>,
    /// Coordinates n.
    pub coordinates: usize,
    /// Independent constraint rows.
    pub rank: usize,
    /// Degrees of freedom of motion, n − rank.
    pub dof: usize,
    /// max |g| at the start.
    pub position_residual: f64,
    /// max |G v + g_t|, |k| at the start.
    pub velocity_residual: f64,
    /// max |G a + γ|, |K a + ζ| at the start.
    pub acceleration_residual: f64,
    /// Newton iterations for accelerations, multipliers, rates and variables.
    pub iterations: usize,
}

impl StartReport {
    pub(super) fn new(
        system: &System,
        point: &Point,
        moved: Vec<Moved>,
        moved_velocities: Vec<Moved>,
        rank: Rank,
        iterations: usize,
    ) -> Self {
        let want = Want::G | Want::GDOT | Want::K | Want::GU | Want::GAMMA | Want::KU | Want::ZETA;
        let mut out = Residual::new(&system.dims());
        system.eval_every_row(point, &Weights::of(point), want, &mut out);
        let largest = |v: &[f64]| v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let sum =
            |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0f64, |m, (x, y)| m.max((x + y).abs()));
        let coordinates = system.dims().n;
        StartReport {
            moved,
            moved_velocities,
            coordinates,
            rank: rank.rank,
            dof: coordinates - rank.rank.min(coordinates),
            redundant: rank.redundant,
            position_residual: largest(&out.g),
            velocity_residual: largest(&out.gdot).max(largest(&out.k)),
            acceleration_residual: sum(&out.gu, &out.gamma).max(sum(&out.ku, &out.zeta)),
            iterations,
        }
    }
}

impl fmt::Display for StartReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} coordinates, {} independent constraints, {} degrees of freedom",
            self.coordinates, self.rank, self.dof
        )?;
        for r in &self.redundant {
            writeln!(f, "{r}")?;
        }
        for (what, moved) in [("position", &self.moved), ("velocity", &self.moved_velocities)] {
            for m in moved {
                let kept = if m.kept { " (kept but for rounding)" } else { "" };
                writeln!(f, "{what} {} moved from {} to {}{kept}", m.name, m.from, m.to)?;
            }
        }
        write!(
            f,
            "residuals: position {:.1e}, velocity {:.1e}, acceleration {:.1e}",
            self.position_residual, self.velocity_residual, self.acceleration_residual
        )
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
