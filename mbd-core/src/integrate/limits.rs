//! What a method cannot treat, refused by the name of the statement.

use crate::assembly::{SlotKind, System, Term};
use crate::error::OptionError;

/// Something of a model that a method may not treat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// Nonholonomic constraints.
    Nonholonomic,
    /// Constraints whose reaction the model states itself.
    StatedReactions,
    /// Forces, states or variables that depend on accelerations.
    Accelerations,
    /// Forces, states or variables that depend on multipliers.
    Multipliers,
    /// Forces that depend on multipliers.
    ForcesOfMultipliers,
    /// States, which change by equations of their own.
    States,
    /// Variables, which equations of their own determine.
    Variables,
}

impl Limit {
    /// Of methods whose reactions must be −Gᵀλ: all but forces of multipliers alone.
    pub(super) const UNFIT_TO_SPLIT: [Limit; 4] =
        [Limit::Nonholonomic, Limit::StatedReactions, Limit::Accelerations, Limit::Multipliers];

    /// What is the matter with a statement that contributes these terms, if anything.
    pub(super) fn of(self, terms: &[Term]) -> Option<&'static str> {
        let reads =
            |kind| [Term::F(kind), Term::D(kind), Term::W(kind)].iter().any(|t| terms.contains(t));
        let (is_so, what) = match self {
            Limit::Nonholonomic => (terms.contains(&Term::K), "is a nonholonomic constraint"),
            Limit::StatedReactions => (
                terms.contains(&Term::G) && !terms.contains(&Term::React),
                "is a constraint whose reaction the model states itself",
            ),
            Limit::Accelerations => (reads(SlotKind::A), "depends on accelerations"),
            Limit::Multipliers => (reads(SlotKind::Lambda), "depends on multipliers"),
            Limit::ForcesOfMultipliers => {
                (terms.contains(&Term::F(SlotKind::Lambda)), "depends on multipliers")
            }
            Limit::States => {
                (terms.iter().any(|term| matches!(term, Term::D(_))), "is an equation of a state")
            }
            Limit::Variables => {
                (terms.iter().any(|term| matches!(term, Term::W(_))), "determines a variable")
            }
        };
        is_so.then_some(what)
    }
}

/// Refuses a model with what a method cannot treat.
///
/// # Errors
/// [`OptionError::NotForModel`] with the first such statement and a method that treats them all.
pub(super) fn check(
    method: &'static str,
    alternative: &'static str,
    limits: &[Limit],
    system: &System,
) -> Result<(), OptionError> {
    for group in system.groups_in_use() {
        let terms = group.terms();
        if let Some(what) = limits.iter().find_map(|limit| limit.of(&terms)) {
            return Err(OptionError::NotForModel {
                method,
                statement: group.name().into(),
                what,
                alternative,
            });
        }
    }
    Ok(())
}
