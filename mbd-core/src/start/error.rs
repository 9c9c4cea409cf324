//! Why a mechanism has no consistent start.

use super::rows::list;

/// Why a mechanism has no consistent start.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// No position meets the constraints, or none was found from the guesses.
    #[error(
        "the mechanism cannot be assembled at t = {t} s from the given positions: {} remain violated after {iterations} iterations. \
         Check lengths and attachment points, or start from guesses nearer to the assembled position",
        residuals(.violated)
    )]
    CannotAssemble {
        /// Time.
        t: f64,
        /// Constraint rows by name with what is left of them, the worst first.
        violated: Vec<(String, f64)>,
        /// Iterations.
        iterations: usize,
    },
    /// The mechanism can be assembled, but not with the kept values.
    #[error(
        "{what} {} cannot all be kept: {} would be violated ({}). Declare some of them as `guess`, or correct them",
        list(.kept), list(.constraints), changes(.needed)
    )]
    KeptConflict {
        /// "the initial positions" or "the initial velocities".
        what: &'static str,
        /// The kept scalars that the violated rows read.
        kept: Vec<String>,
        /// The violated rows, the worst first.
        constraints: Vec<String>,
        /// Kept scalars that would have to move, with their values as declared and as assembled.
        needed: Vec<(String, f64, f64)>,
    },
    /// A gap that is never to be negative is.
    #[error(
        "the motion begins at t = {t} s with the gap of `{name}` at {gap:.3e}, and `unilateral` says that it is never \
         negative. Correct the initial positions: at 0 it begins closed, above it open"
    )]
    Violated {
        /// Time.
        t: f64,
        /// The unilateral constraint.
        name: String,
        /// The gap, in its unit.
        gap: f64,
    },
    /// Two statements hold one gap.
    #[error(
        "`{name}` and `{other}` hold the same gap: its force is then shared between them in no determined way, and \
         what reads `lambda({name})` would read any part of it. State the contact once; a `unilateral` has impacts \
         too, `unilateral name: gap, restitution(e);`, and with friction in them \
         `unilateral name: [gap, slide], restitution(e).friction(mu);`"
    )]
    SameGap {
        /// The unilateral constraint.
        name: String,
        /// What else holds the gap: a unilateral constraint, or an event with an impact.
        other: String,
    },
    /// Velocities that meet the constraints do not exist.
    #[error(
        "no velocities meet the constraints at t = {t} s: {} remain violated. \
         Two constraints ask for different velocities, or the position is singular",
        residuals(.violated)
    )]
    NoVelocities {
        /// Time.
        t: f64,
        /// Constraint rows by name with what is left of them, the worst first.
        violated: Vec<(String, f64)>,
    },
    /// A row that depends on earlier ones asks for something else than they do.
    #[error("{}", contradiction(.row, .with, *.residual))]
    Inconsistent {
        /// The later row.
        row: String,
        /// The earlier rows it is a combination of; none of a row that no coordinate has a part in.
        with: Vec<String>,
        /// What is left of it.
        residual: f64,
    },
    /// Rows that are independent elsewhere become dependent at the start.
    #[error(
        "the start is a singular position: {} cannot be told from {} there, although they are independent nearby. \
         Motion may branch; start a little aside",
        list(.rows), list(.with)
    )]
    SingularPosition {
        /// The rows that become dependent.
        rows: Vec<String>,
        /// The earlier rows they depend on.
        with: Vec<String>,
    },
    /// The equations do not determine an unknown.
    #[error(
        "the equations at the start do not determine {unknown}: a coordinate or combination of coordinates is without inertia there, \
         an equation for a state or variable does not contain it, or no force holds a massless node against a motion there"
    )]
    Singular {
        /// The unknown, by name.
        unknown: String,
    },
    /// The equations for accelerations, multipliers, rates and variables were not solved.
    #[error(
        "accelerations, multipliers, rates and variables at the start were not found: after {iterations} iterations {unknown} still changes by {correction:.2e}. \
         Forces that depend on multipliers may have no solution there (friction that locks), or variables need better guesses"
    )]
    Unsolved {
        /// Iterations.
        iterations: usize,
        /// The unknown with the largest correction, by name.
        unknown: String,
        /// Its correction.
        correction: f64,
    },
    /// NaN or infinity at the start.
    #[error(
        "at the start {what} is {value}: look at `{statement}`{reads} (a square root or logarithm of a negative number, a division by zero, a power of zero?)"
    )]
    NotFinite {
        /// Which row, by name.
        what: String,
        /// The value.
        value: f64,
        /// The statement it came from.
        statement: String,
        /// The scalars it reads, with values.
        reads: String,
    },
}

impl StartError {
    /// Whether positions or velocities could not be assembled; otherwise the equations are
    /// singular, inconsistent or without a value.
    pub fn is_assembly(&self) -> bool {
        matches!(
            self,
            StartError::CannotAssemble { .. }
                | StartError::KeptConflict { .. }
                | StartError::NoVelocities { .. }
                | StartError::Violated { .. }
        )
    }
}

fn contradiction(row: &str, with: &[String], residual: f64) -> String {
    if with.is_empty() {
        return format!(
            "`{row}` is violated by {residual:.3e}, and no coordinate has a part in it there: no motion can \
             meet it. Remove it or correct it"
        );
    }
    format!(
        "`{row}` contradicts {}: it constrains the same motion but is violated by {residual:.3e} where they \
         hold. Remove it or correct it",
        list(with)
    )
}

fn residuals(rows: &[(String, f64)]) -> String {
    rows.iter().map(|(name, r)| format!("{name} by {r:.3e}")).collect::<Vec<_>>().join(", ")
}

fn changes(needed: &[(String, f64, f64)]) -> String {
    if needed.is_empty() {
        return "no other values were found either".into();
    }
    let one = |(name, from, to): &(String, f64, f64)| format!("{name} from {from} to {to:.9}");
    format!("assembly would move {}", needed.iter().map(one).collect::<Vec<_>>().join(", "))
}
