//! What was compared, and how well it agrees.

use super::branches::NotReached;
use std::fmt;

/// Tolerance of [`assert_all_derivatives`](super::assert_all_derivatives) on relative errors.
pub const TOLERANCE: f64 = 1e-7;

/// The agreement of one quantity with its difference quotient.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The quantity, in the letters of NOTATION.md where these have it: `G`, `(Gᵀλ)_q`, `f_v`; with an arbitrary vector u in the place of
    /// accelerations, `(M u)_q`, and `M from T`, `power of E` and the like for what is held against another statement.
    pub quantity: String,
    /// Largest error relative to the quantity's size.
    pub error: f64,
    /// Where the largest error is: row and column by name.
    pub worst: String,
}

/// The agreement of all quantities of a model at the points visited.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DerivativeReport {
    /// One entry per quantity the model has.
    pub checks: Vec<Check>,
    /// Points at which they were compared.
    pub points: usize,
    /// Comparisons of values that the model's statements make.
    pub comparisons: usize,
    /// Sides of them that no point visited.
    pub not_reached: Vec<NotReached>,
    /// Parameters of statements that no point reached, by name: nothing is known of their derivatives.
    pub params_not_reached: Vec<String>,
    /// Quantities that could not be compared with a difference at some point, because a change of side
    /// was too near.
    pub not_compared: Vec<String>,
}

impl DerivativeReport {
    /// Largest error of all.
    pub fn max_error(&self) -> f64 {
        self.checks.iter().map(|c| c.error).fold(0.0, f64::max)
    }

    /// True when every error is at most `tolerance`.
    pub fn passes(&self, tolerance: f64) -> bool {
        // Written so that NaN fails.
        self.checks.iter().all(|c| c.error <= tolerance)
    }

    /// True when every side of every comparison was visited, every parameter of the statements
    /// reached and every quantity compared.
    pub fn is_complete(&self) -> bool {
        self.not_reached.is_empty()
            && self.params_not_reached.is_empty()
            && self.not_compared.is_empty()
    }

    /// Takes in what was found at another point.
    pub(super) fn join(&mut self, other: DerivativeReport) {
        for check in other.checks {
            match self.checks.iter_mut().find(|known| known.quantity == check.quantity) {
                Some(known) if check.error > known.error => *known = check,
                Some(_) => {}
                None => self.checks.push(check),
            }
        }
        self.points += other.points;
        for quantity in other.not_compared {
            if !self.not_compared.contains(&quantity) {
                self.not_compared.push(quantity);
            }
        }
    }
}

impl fmt::Display for DerivativeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<16} {:>10}  where it is largest", "derivative", "error")?;
        for check in &self.checks {
            writeln!(f, "{:<16} {:>10.1e}  {}", check.quantity, check.error, check.worst)?;
        }
        for side in &self.not_reached {
            writeln!(f, "not reached: {side}")?;
        }
        for name in self.params_not_reached.iter().chain(&self.not_compared) {
            writeln!(f, "not reached: {name}")?;
        }
        Ok(())
    }
}
