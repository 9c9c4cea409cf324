//! What the JSON of several commands has in common.

use super::exit::Exit;
use crate::Solution;
use crate::assembly::SlotKind;
use crate::json::Json;
use crate::model::{Model, RowBlock};
use crate::solution::{ColumnKind, Event, OnDualNumbers};
use crate::start::Redundant;

pub(super) fn json_error(message: String, exit: Exit) -> Json {
    Json::object([("code", usize::from(exit.code()).into()), ("message", message.into())])
}

/// The last recorded point as members of an object: they are there, if empty, whatever happened.
pub(super) fn state(model: &Model, solution: Option<&Solution>) -> Vec<(String, Json)> {
    let last = |kind: ColumnKind| solution.map_or(&[][..], |s| s.last(kind));
    let named = |kind: ColumnKind, labels: &[crate::model::Label]| {
        let names = labels.iter().map(|l| l.name.as_str());
        Json::numbers(names.zip(last(kind).iter().copied()))
    };
    let slot = ColumnKind::Slot;
    let multipliers = |kind: SlotKind, blocks: &[RowBlock]| -> Vec<(String, Json)> {
        let values = last(slot(kind));
        let of = |b: &RowBlock| values.get(b.first..b.first + b.len).unwrap_or_default();
        blocks.iter().map(|b| (b.name.clone(), Json::list(of(b).iter().copied()))).collect()
    };
    // `lambda` answers for every constraint by its name; `psi` once more for the nonholonomic.
    let psi = multipliers(SlotKind::Psi, model.nonholonomic());
    let mut lambda = multipliers(SlotKind::Lambda, model.holonomic());
    lambda.extend(psi.iter().cloned());
    let energy = match last(ColumnKind::Energy) {
        &[kinetic, potential, total] => [kinetic, potential, total],
        _ => [f64::NAN; 3],
    };
    vec![
        member("t", solution.map_or(Json::Null, |s| s.final_t().into())),
        member("q", named(slot(SlotKind::Q), model.coords())),
        member("v", named(slot(SlotKind::V), model.coords())),
        member("a", named(slot(SlotKind::A), model.coords())),
        member("x", named(slot(SlotKind::X), model.states())),
        member("w", named(slot(SlotKind::W), model.variables())),
        member("lambda", Json::Object(lambda)),
        member("psi", Json::Object(psi)),
        member("outputs", named(ColumnKind::Output, model.outputs())),
        member(
            "energy",
            Json::numbers([("kinetic", energy[0]), ("potential", energy[1]), ("total", energy[2])]),
        ),
    ]
}

pub(super) fn member(key: &str, value: impl Into<Json>) -> (String, Json) {
    (key.to_string(), value.into())
}

/// A redundant row with what it repeats.
pub(super) fn redundant(row: &Redundant) -> Json {
    Json::object([
        ("row", row.row.as_str().into()),
        ("depends_on", Json::list(row.depends_on.iter().map(String::as_str))),
        ("outputs", Json::list(row.outputs.iter().map(String::as_str))),
    ])
}

/// Statements that no program could be made of.
pub(super) fn on_dual_numbers(statements: &[OnDualNumbers]) -> Json {
    let one = |one: &OnDualNumbers| {
        Json::object([("statement", one.statement.as_str().into()), ("share", one.share.into())])
    };
    Json::List(statements.iter().map(one).collect())
}

/// An event of a run.
pub(super) fn event(event: &Event) -> Json {
    Json::object([
        ("t", event.t.into()),
        ("name", event.name.as_str().into()),
        ("kind", event.kind.as_str().into()),
        ("condition", event.condition.as_str().into()),
        ("direction", i64::from(event.direction).into()),
        ("impulses", Json::numbers(event.impulses.iter().map(|one| (&*one.name, one.value)))),
    ])
}
