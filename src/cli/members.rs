//! What the JSON of several commands has in common.

use super::exit::Exit;
use crate::assembly::{SlotKind, System};
use crate::json::{Members, members, object};
use crate::model::{Label, Mechanism, Model, RowBlock};
use crate::simulation::{JointLoad, joint_loads, joint_loads_as_shared};
use crate::solution::{ColumnKind, Event, OnDualNumbers};
use crate::start::Redundant;
use crate::{Solution, Stats};
use serde_json::Value;

pub(super) fn json_error(message: String, exit: Exit) -> Value {
    object! { "code": exit.code(), "message": message }
}

/// The last recorded point as members of an object: they are there, if empty, whatever happened.
pub(super) fn state(model: &Model, solution: Option<&Solution>) -> Members {
    let last = |kind: ColumnKind| solution.map_or(&[][..], |s| s.last(kind));
    let named = |kind: ColumnKind, labels: &[Label]| {
        let names = labels.iter().map(|l| l.name.as_str());
        Value::from_iter(names.zip(last(kind).iter().copied()))
    };
    let slot = ColumnKind::Slot;
    let multipliers = |kind: SlotKind, blocks: &[RowBlock]| -> Members {
        let values = last(slot(kind));
        let of = |b: &RowBlock| values.get(b.first..b.first + b.len).unwrap_or_default();
        blocks.iter().map(|b| (b.name.clone(), of(b).into())).collect()
    };
    // `lambda` answers for every constraint by its name; `psi` once more for the nonholonomic.
    let psi = multipliers(SlotKind::Psi, model.nonholonomic());
    let mut lambda = multipliers(SlotKind::Lambda, model.holonomic());
    lambda.extend(psi.clone());
    let energy = match last(ColumnKind::Energy) {
        &[kinetic, potential, total] => [kinetic, potential, total],
        _ => [f64::NAN; 3],
    };
    members([
        ("t", solution.map(Solution::final_t).into()),
        ("q", named(slot(SlotKind::Q), model.coords())),
        ("v", named(slot(SlotKind::V), model.coords())),
        ("a", named(slot(SlotKind::A), model.coords())),
        ("x", named(slot(SlotKind::X), model.states())),
        ("w", named(slot(SlotKind::W), model.variables())),
        ("lambda", lambda.into()),
        ("psi", psi.into()),
        ("modes", named(ColumnKind::Mode, model.modes())),
        ("outputs", named(ColumnKind::Output, model.outputs())),
        ("energy", object! { "kinetic": energy[0], "potential": energy[1], "total": energy[2] }),
    ])
}

/// What a run cost.
pub(super) fn stats(stats: &Stats) -> Value {
    object! {
        "steps": stats.steps,
        "rejected": stats.rejected,
        "newton_iterations": stats.newton_iterations,
        "jacobians": stats.jacobians,
        "factorizations": stats.factorizations,
        "residuals": stats.residuals,
        "newton_failures": stats.newton_failures,
        "substituted": stats.substituted,
        "h_min": stats.h_min,
        "h_max": stats.h_max,
        "wall_s": stats.wall_s,
    }
}

/// A redundant row with what it repeats.
pub(super) fn redundant(row: &Redundant) -> Value {
    object! {
        "row": row.row,
        "depends_on": row.depends_on,
        "outputs": row.outputs,
    }
}

/// Statements that no program could be made of, and their shares of the time.
pub(super) fn on_duals(statements: &[OnDualNumbers]) -> [(&'static str, Value); 2] {
    let names = statements.iter().map(|one| one.statement.as_str());
    let shares = names.clone().zip(statements.iter().map(|one| one.share));
    [("on_duals", Value::from_iter(names.clone())), ("on_duals_share", Value::from_iter(shares))]
}

/// What joints exert on their second bodies in the end; null where the equations do not say which share of a load one
/// has.
pub(super) fn joints(mechanism: &dyn Mechanism, solution: Option<&Solution>) -> Value {
    let numbers = |all: &[Option<f64>]| Value::from_iter(all.iter().copied());
    let one = |load: &JointLoad| {
        let of = object! { "force": numbers(&load.force), "torque": numbers(&load.torque) };
        (load.name.clone(), of)
    };
    Value::from_iter(solution.map(|s| loads(mechanism, s)).iter().flatten().map(one))
}

fn loads(mechanism: &dyn Mechanism, solution: &Solution) -> Vec<JointLoad> {
    let Ok(model) = mechanism.model() else { return Vec::new() };
    let Some(last) = solution.len().checked_sub(1) else { return Vec::new() };
    let point = solution.point(&model, solution.row(last));
    match point.q().iter().chain(point.lambda()).all(|x| x.is_finite()) {
        true if solution.least_shares => joint_loads_as_shared(&System::new(model), &point),
        true => joint_loads(&System::new(model), &point),
        false => Vec::new(),
    }
}

/// An event of a run.
pub(super) fn event(event: &Event) -> Value {
    object! {
        "t": event.t,
        "name": event.name,
        "kind": event.kind.as_str(),
        "condition": event.condition,
        "direction": event.direction,
        "impulses": Value::from_iter(event.impulses.iter().map(|one| (&*one.name, one.value))),
    }
}
