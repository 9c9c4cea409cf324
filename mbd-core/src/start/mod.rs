//! Start-up: from the values a user gives to a consistent point.
//!
//! [`start`] does, in order,
//! 1. *positions*: moves the guesses onto g = 0, those declared `init` stay; rows that hold [from the start
//!    on](crate::model::ModelBuilder::holonomic_from_start) hold from there;
//! 2. *velocities*: moves the guesses onto G v + g_t = 0 and k = 0;
//! 3. *rank*: which rows of G and K depend on earlier ones; they are taken out of the equations,
//!    their multipliers are zero. Rows that depend on others in a singular position only, which the
//!    motion leaves, are left out of the fourth step alone;
//! 4. *accelerations*: solves the equations of motion, the constraints differentiated twice, the
//!    state equations and the variables' definitions together for a, λ, ψ, ẋ and w.
//!
//! Each is available on its own, for restarts after an event.

mod accelerations;
mod again;
mod alike;
mod at_rest;
mod complementarity;
mod error;
mod impulse;
mod jacobian;
mod mass;
mod moved;
mod project;
mod rank;
mod report;
mod rows;
mod shared;
mod twins;
mod variation;

pub use accelerations::solve_accelerations;
pub(crate) use accelerations::{Accelerations, Following};
pub(crate) use again::{
    Suspicion, choose_again as choose_rows_again, choose_in_time as choose_rows_in_time,
    reconsider as reconsider_rank,
};
pub(crate) use alike::Alike;
pub use error::StartError;
pub(crate) use impulse::{Blow, Contact, Demand, NoJump, jump};
pub(crate) use mass::mass_changes;
pub use mass::{IndefiniteMass, indefinite_mass};
pub use moved::Moved;
pub use project::{assemble_positions, project_velocities};
pub use rank::{Rank, analyse_rank};
pub(crate) use rank::{
    dependent_rows, dependent_surfaces, is_determined, other_shares, redundant_constraints,
    share_least,
};
pub use report::StartReport;
pub use rows::Redundant;
pub(crate) use shared::{Shares, differs, laws_of_shares};
pub(crate) use variation::{Columns, Origin, of_jump, of_unknowns, onto_constraints};

use crate::assembly::{Point, Residual, System, Want, Weights};
use crate::model::{Switch, Switched};
use crate::scales::{Scales, Weighting};

/// Makes `point` consistent; its time, parameters, states and guesses are the input.
///
/// Redundant rows are declared to the system ([`System::set_inactive_rows`]), so plans must be
/// built afterwards.
///
/// # Errors
/// [`StartError`], by name. The point is then where the attempt ended.
pub fn start(system: &mut System, point: &mut Point) -> Result<StartReport, StartError> {
    system.set_inactive_rows(&[], &[]);
    system.set_holds(&system.model().held_by_modes(point));
    let mut given = point.clone();
    // What holds from the start on has nothing to say of where that is.
    system.set_settled(false);
    let assembled = assemble_positions(system, point).and_then(|moved| {
        system.note_offsets(point);
        given.offsets_mut().copy_from_slice(point.offsets());
        system.set_settled(true);
        let moved_v = project_velocities(system, point)?;
        Ok((moved, moved_v))
    });
    let (moved_q, moved_v) = match assembled {
        Ok(moved) => moved,
        Err(error @ (StartError::CannotAssemble { .. } | StartError::NoVelocities { .. })) => {
            let error = rank::contradiction(system, &given).unwrap_or(error);
            system.set_settled(true);
            return Err(error);
        }
        Err(error) => {
            system.set_settled(true);
            return Err(error);
        }
    };
    let rank = analyse_rank(system, point)?;
    rank.declare_momentary(system);
    let guesses = point.clone();
    let iterations = solve_accelerations(system, point).or_else(|error| {
        let mut at = guesses;
        let found = at_rest::solve_at_rest(system, &mut at).ok_or(error)?;
        point.copy_from(&at);
        Ok(found)
    })?;
    rank::check_accelerations(system, point, &rank)?;
    check_gaps(system, point)?;
    Ok(StartReport::new(system, point, moved_q, moved_v, rank, iterations))
}

/// Part of the size of a gap below zero that is rounding.
const TOUCHES: f64 = 1e-9;

/// Whether the gaps of unilateral constraints are where these say.
fn check_gaps(system: &System, point: &Point) -> Result<(), StartError> {
    let unilateral =
        |switch: &&Switch| matches!(switch.by, Switched::Contact(contact) if contact.unilateral);
    let mut rows = system.model().switches().iter().filter(unilateral).peekable();
    if rows.peek().is_none() {
        return Ok(());
    }
    twins::refuse(system, point)?;
    let mut out = Residual::new(&system.dims());
    system.eval_all(point, &Weights::of(point), Want::G, &mut out);
    let scales = Scales::new(system, point, point.t(), Weighting::Model);
    for row in rows.map(|switch| switch.rows.start) {
        // The row is the gap with its sign turned; written so that NaN counts.
        if !(out.g[row] <= TOUCHES * scales.holonomic()[row]) {
            let name = system.model().holonomic_row_name(row);
            return Err(StartError::Violated { t: point.t(), name, gap: -out.g[row] });
        }
    }
    Ok(())
}

/// Moves all coordinates onto the constraints, those declared `init` too; whether it succeeded.
pub(crate) fn assembled(system: &System, point: &mut Point) -> bool {
    project::assemble_freely(system, point).unwrap_or(false)
}

/// Makes a point of a run consistent again: all velocities moved onto the constraints, those
/// declared `init` too; then accelerations. False when the velocities have none to move to.
///
/// # Errors
/// [`StartError`] of [`solve_accelerations`].
pub(crate) fn reconcile(system: &System, point: &mut Point) -> Result<bool, StartError> {
    if !project::project_freely(system, point)? {
        return Ok(false);
    }
    solve_accelerations(system, point)?;
    Ok(true)
}

#[cfg(test)]
mod tests;
