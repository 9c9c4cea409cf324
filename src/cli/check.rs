//! `check`: whether a model is right.

use super::args::Request;
use super::exit::Exit;
use super::io::Io;
use super::members::{json_error, on_duals, redundant, state};
use super::stop::Stop;
use super::subject::Subject;
use crate::check::{Check, CheckOptions, CheckReport};
use crate::json::object;
use crate::model::{Mechanism, Model};
use crate::start::{Moved, StartReport};
use crate::verify::IndefiniteMass;
use serde_json::Value;

pub(super) fn run(subject: Subject, request: &Request, io: &mut Io<'_>) -> Result<Exit, Stop> {
    let mechanism = subject.instance(request)?;
    let (report, exit) = examine(&*mechanism, request)?;
    if request.json {
        io.print(&format!("{}\n", json(&mechanism.model()?, &report, exit)))?;
    } else {
        io.print(&format!("{report}\n"))?;
    }
    Ok(exit)
}

/// The report on a mechanism, and the exit code it means.
pub(super) fn examine(
    mechanism: &dyn Mechanism,
    request: &Request,
) -> Result<(CheckReport, Exit), Stop> {
    let options = CheckOptions { initial: request.init.clone(), ..Default::default() };
    let report = mechanism.check(&options)?;
    let exit = match &report.start {
        Err(error) => Exit::of(error),
        Ok(_) if !report.units.is_empty() || !report.mass_passed() => Exit::Model,
        Ok(_) if !report.derivatives_passed() => Exit::Accuracy,
        Ok(_) => Exit::Ok,
    };
    Ok((report, exit))
}

/// What is wrong with a mechanism that did not pass, in a line.
pub(super) fn findings(report: &CheckReport) -> String {
    // Written so that NaN is wrong.
    let wrong = report.derivatives.checks.iter().filter(|check| !(check.error <= report.tolerance));
    let wrong: Vec<&str> = wrong.map(|check| check.quantity.as_str()).collect();
    let mut all: Vec<String> = report.units.iter().map(ToString::to_string).collect();
    match &report.start {
        Err(error) => all.push(error.to_string()),
        Ok(start) => all.extend(start.mass.as_ref().map(ToString::to_string)),
    }
    if !wrong.is_empty() {
        all.push(format!("wrong derivatives: {}", wrong.join(", ")));
    }
    all.join("; ")
}

fn json(model: &Model, report: &CheckReport, exit: Exit) -> Value {
    let derivatives = report.derivatives.checks.iter().map(
        |check| object! { "quantity": check.quantity, "error": check.error, "worst": check.worst },
    );
    let not_reached = report.derivatives.not_reached.iter().map(|side| {
        object! {
            "statement": side.statement,
            "side": side.side,
            "because": side.because.to_string(),
        }
    });
    let mass = |mass: &IndefiniteMass| {
        object! {
            "coordinates": mass.coordinates,
            "mass": mass.mass,
            "statement": mass.statement,
            "t": mass.t,
        }
    };
    let moved = |m: &Moved| object! { "name": m.name, "from": m.from, "to": m.to };
    let units = report
        .units
        .iter()
        .map(|error| object! { "statement": error.statement, "message": error.message });
    let dims = model.dims();
    let start = report.start.as_ref().ok();
    let found = start.map(|s| &s.report);
    let moves = found.iter().flat_map(|r| r.moved.iter().chain(&r.moved_velocities)).map(moved);
    let residual = |of: fn(&StartReport) -> f64| found.map(of);
    let [(_, duals), (_, shares)] = on_duals(&report.on_dual_numbers);
    let mut object = object! {
        "model": model.name(),
        "passed": report.passed(),
        "derivatives": object! {
            "max_error": report.derivatives.max_error(),
            "tolerance": report.tolerance,
            "checks": Value::from_iter(derivatives),
            "points": report.derivatives.points,
            "comparisons": report.derivatives.comparisons,
            "complete": report.derivatives.is_complete(),
            "not_reached": Value::from_iter(not_reached),
            "params_not_reached": report.derivatives.params_not_reached,
            "not_compared": report.derivatives.not_compared,
        },
        "units": Value::from_iter(units),
        "on_duals": duals,
        "on_duals_share": shares,
        "mass": start.and_then(|s| s.mass.as_ref()).map(mass),
        "mass_elsewhere": Value::from_iter(start.iter().flat_map(|s| &s.masses_elsewhere).map(mass)),
        "coordinates": dims.n,
        "rows": dims.m + dims.p,
        "rank": found.map(|r| r.rank),
        "dof": found.map(|r| r.dof),
        "redundant": Value::from_iter(found.iter().flat_map(|r| &r.redundant).map(redundant)),
        "ambiguous": found.map_or(&[][..], |r| &r.ambiguous),
        "moved": Value::from_iter(moves),
        "residuals": object! {
            "position": residual(|r| r.position_residual),
            "velocity": residual(|r| r.velocity_residual),
            "acceleration": residual(|r| r.acceleration_residual),
        },
        "initial": state(model, start.map(|s| &s.state)),
    };
    if let Err(error) = &report.start {
        object["error"] = json_error(error.to_string(), exit);
    }
    object
}
