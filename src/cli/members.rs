//! What the JSON of several commands has in common.

use super::exit::Exit;
use crate::assembly::{SlotKind, System};
use crate::json::{Members, members, object};
use crate::model::{Label, Model, RowBlock};
use crate::simulation::{JointLoad, JointPlace, joint_loads, joint_loads_as_shared, joint_places};
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

/// Where joints are in the end, and what they exert on their second bodies; null where the equations do not say which
/// share of a load one has.
pub(super) fn joints(system: &System, solution: Option<&Solution>) -> Value {
    let mut all: Vec<(String, Members)> = Vec::new();
    let mut add = |name: String, more: Members| match all.iter_mut().find(|one| one.0 == name) {
        Some((_, members)) => members.extend(more),
        None => all.push((name, more)),
    };
    let numbers = |all: &[Option<f64>]| Value::from_iter(all.iter().copied());
    if let Some((loads, places)) = solution.and_then(|solution| at_end(system, solution)) {
        for JointLoad { name, force, torque } in loads {
            add(name, members([("force", numbers(&force)), ("torque", numbers(&torque))]));
        }
        for JointPlace { name, coordinates } in places {
            let values = coordinates.into_iter().map(|(name, value)| (name, value.into()));
            add(name, values.collect());
        }
    }
    Value::from_iter(all.into_iter().map(|(name, members)| (name, Value::Object(members))))
}

fn at_end(system: &System, solution: &Solution) -> Option<(Vec<JointLoad>, Vec<JointPlace>)> {
    let last = solution.len().checked_sub(1)?;
    let of_row = || solution.point(system.model(), solution.row(last));
    let point = solution.end_point().cloned().unwrap_or_else(of_row);
    let known = point.q().iter().chain(point.lambda()).all(|x| x.is_finite());
    let loads = match (known, solution.least_shares) {
        (false, _) => Vec::new(),
        (true, true) => joint_loads_as_shared(system, &point),
        (true, false) => joint_loads(system, &point),
    };
    Some((loads, joint_places(system, &point)))
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
