//! A run as one JSON object.

use super::args::Request;
use super::exit::Exit;
use super::members::{event, json_error, on_duals, redundant, state, stats};
use super::stop::Stop;
use super::subject::Subject;
use crate::Error;
use crate::Solution;
use crate::integrate::Method;
use crate::json::{Members, members, object};
use crate::model::Model;
use crate::solution::{Balance, Status, StoppedBy};
use crate::start::Redundant;
use serde_json::Value;

/// What a command that ends early prints in the place of its result.
pub(super) fn json_of_nothing(subject: Subject, request: &Request, stop: &Stop) -> Value {
    let name = subject.type_name.rsplit("::").next().unwrap_or("");
    object! {
        "model": name,
        "method": request.method,
        "status": Status::Failed.as_str(),
        "error": json_error(stop.message(), stop.exit()),
    }
}

/// The final state and how it was reached, as members of an object.
pub(super) fn json(
    model: &Model,
    method: &Method,
    solution: Option<&Solution>,
    error: Option<&Error>,
    exit: Exit,
) -> Members {
    let status = solution.map_or(Status::Failed, |s| s.status);
    let cost = solution.map(|s| s.stats.clone()).unwrap_or_default();
    let drift = solution.map(|s| s.drift).unwrap_or_default();
    let mut object = members([
        ("model", model.name().into()),
        ("method", method.name().into()),
        ("derivatives", solution.map(|s| s.derivatives.name()).into()),
        ("status", status.as_str().into()),
    ]);
    object.extend(state(model, solution));
    let rows = |rows: &[Redundant]| Value::from_iter(rows.iter().map(redundant));
    let open = solution.iter().flat_map(|s| {
        let all = s.columns().iter().enumerate();
        all.filter(|(index, _)| s.is_undetermined(*index)).map(|(_, column)| &column.name[..])
    });
    let changes = solution.iter().flat_map(|s| &s.rank_changes).map(|change| {
        object! {
            "t": change.t,
            "taken_back": change.taken_back,
            "redundant": rows(&change.redundant),
        }
    });
    let samples = solution.iter().flat_map(|s| &s.samples);
    let samples = samples.map(|(name, count)| object! { "name": name, "count": *count as f64 });
    let stopped = solution.and_then(|s| s.stopped.as_ref());
    let stopped = stopped
        .map(|StoppedBy { t, event, text }| object! { "t": t, "event": event, "text": text });
    let unestimated = solution.and_then(|s| s.error_estimate.err());
    object.extend(members([
        ("stats", stats(&cost)),
        ("drift", object! { "position": drift.position, "velocity": drift.velocity }),
        ("balance", solution.and_then(|s| s.balance.as_ref()).map(balance_json).into()),
        ("warnings", solution.map_or(&[][..], |s| &s.warnings).into()),
    ]));
    object.extend(members(on_duals(solution.map_or(&[], |s| &s.on_dual_numbers))));
    object.extend(members([
        ("redundant", rows(solution.map_or(&[], |s| &s.redundant))),
        ("undetermined", Value::from_iter(open)),
        ("rank_changes", Value::from_iter(changes)),
        ("rank_change_count", solution.map_or(0, |s| s.rank_change_count).into()),
        ("events", Value::from_iter(solution.iter().flat_map(|s| &s.events).map(event))),
        ("samples", Value::from_iter(samples)),
        ("stopped", stopped.into()),
        ("error_estimate", error_estimate(solution)),
        ("unestimated", unestimated.map(|why| why.to_string()).into()),
    ]));
    object.extend(error.map(|error| ("error".into(), json_error(error.to_string(), exit))));
    object
}

fn balance_json(balance: &Balance) -> Value {
    object! {
        "energy": balance.energy,
        "work": balance.work,
        "dissipated": balance.dissipated,
        "numerical": balance.numerical,
        "events": balance.jumps,
        "closes": balance.closes,
    }
}

/// The estimate of the global error; null where none was made.
fn error_estimate(solution: Option<&Solution>) -> Value {
    let Some(estimate) = solution.and_then(|s| s.error_estimate.ok()) else { return Value::Null };
    object! {
        "q": estimate.q,
        "v": estimate.v,
        "lambda": estimate.lambda,
        "growth": estimate.growth,
    }
}
