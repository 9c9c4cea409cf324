//! What start-up did.

use std::fmt;

use super::moved::Moved;
use super::rank::Rank;
use super::rows::Redundant;
use super::shared::laws_of_shares_in_motion;
use crate::assembly::{Point, Residual, System, Want, Weights};

/// What start-up did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StartReport {
    /// Coordinates that assembly moved, the largest change first.
    pub moved: Vec<Moved>,
    /// Velocities that projection changed, the largest change first.
    pub moved_velocities: Vec<Moved>,
    /// Redundant rows; their multipliers are held at zero.
    pub redundant: Vec<Redundant>,
    /// Statements by which the motion depends on how redundant rows share their load, which the equations do not
    /// determine: `simulate` warns where it does.
    pub ambiguous: Vec<String>,
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
            ambiguous: match rank.redundant.is_empty() {
                true => Vec::new(),
                false => laws_of_shares_in_motion(system, point),
            },
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
