//! `check`: whether a model is right.

use super::args::Request;
use super::exit::Exit;
use super::io::Io;
use super::members::{json_error, on_dual_numbers, redundant, state};
use super::stop::Stop;
use super::subject::Subject;
use crate::check::{Check, CheckOptions, CheckReport};
use crate::json::Json;
use crate::model::{Mechanism, Model};
use crate::start::Moved;
use crate::verify::IndefiniteMass;

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

fn json(model: &Model, report: &CheckReport, exit: Exit) -> Json {
    let derivatives = report.derivatives.checks.iter().map(|check| {
        Json::object([
            ("quantity", check.quantity.as_str().into()),
            ("error", check.error.into()),
            ("worst", check.worst.as_str().into()),
        ])
    });
    let not_reached = report.derivatives.not_reached.iter().map(|side| {
        Json::object([
            ("statement", side.statement.as_str().into()),
            ("side", side.side.as_str().into()),
            ("because", side.because.to_string().as_str().into()),
        ])
    });
    let names = |names: &[String]| Json::list(names.iter().map(String::as_str));
    let mass = |mass: &IndefiniteMass| {
        Json::object([
            ("coordinates", names(&mass.coordinates)),
            ("mass", mass.mass.into()),
            ("statement", mass.statement.as_deref().map_or(Json::Null, Json::from)),
            ("t", mass.t.into()),
        ])
    };
    let moved = |m: &Moved| {
        Json::object([
            ("name", m.name.as_str().into()),
            ("from", m.from.into()),
            ("to", m.to.into()),
        ])
    };
    let units = report.units.iter().map(|error| {
        Json::object([
            ("statement", error.statement.as_str().into()),
            ("message", error.message.as_str().into()),
        ])
    });
    let dims = model.dims();
    let start = report.start.as_ref().ok();
    let found = start.map(|s| &s.report);
    let number = |value: Option<usize>| value.map_or(Json::Null, Json::from);
    let residual = |value: Option<f64>| value.map_or(Json::Null, Json::Number);
    let moves = found.iter().flat_map(|r| r.moved.iter().chain(&r.moved_velocities)).map(moved);
    let mut members = vec![
        ("model", model.name().into()),
        ("passed", report.passed().into()),
        (
            "derivatives",
            Json::object([
                ("max_error", report.derivatives.max_error().into()),
                ("tolerance", report.tolerance.into()),
                ("checks", Json::List(derivatives.collect())),
                ("points", report.derivatives.points.into()),
                ("comparisons", report.derivatives.comparisons.into()),
                ("complete", report.derivatives.is_complete().into()),
                ("not_reached", Json::List(not_reached.collect())),
                ("params_not_reached", names(&report.derivatives.params_not_reached)),
                ("not_compared", names(&report.derivatives.not_compared)),
            ]),
        ),
        ("units", Json::List(units.collect())),
        ("on_dual_numbers", on_dual_numbers(&report.on_dual_numbers)),
        ("mass", start.and_then(|s| s.mass.as_ref()).map_or(Json::Null, mass)),
        (
            "mass_elsewhere",
            Json::List(start.iter().flat_map(|s| &s.masses_elsewhere).map(mass).collect()),
        ),
        ("coordinates", dims.n.into()),
        ("rows", (dims.m + dims.p).into()),
        ("rank", number(found.map(|r| r.rank))),
        ("dof", number(found.map(|r| r.dof))),
        ("redundant", Json::List(found.iter().flat_map(|r| &r.redundant).map(redundant).collect())),
        ("moved", Json::List(moves.collect())),
        (
            "residuals",
            Json::object([
                ("position", residual(found.map(|r| r.position_residual))),
                ("velocity", residual(found.map(|r| r.velocity_residual))),
                ("acceleration", residual(found.map(|r| r.acceleration_residual))),
            ]),
        ),
        ("initial", Json::Object(state(model, start.map(|s| &s.state)))),
    ];
    if let Err(error) = &report.start {
        members.push(("error", json_error(error.to_string(), exit)));
    }
    Json::Object(members.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
}
