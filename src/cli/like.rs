//! How a table was computed, in a file beside it; and the same again by `simulate --like run.csv`.

use super::args::{Given, Request, are_exclusive, given};
use super::io::Io;
use super::stop::Stop;
use crate::Solution;
use crate::json::object;
use crate::model::Mechanism;
use crate::solution::{OutputError, Status};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Which library computed it.
const LIBRARY: &str = concat!("mbd ", env!("CARGO_PKG_VERSION"));

/// What is said of a method, and of no other.
const OF_METHOD: [&str; 6] =
    ["--rho", "--alpha", "--order", "--positions-only", "--independent", "--no-adjust"];

/// The file beside a table.
pub(super) fn beside(table: &Path) -> PathBuf {
    let mut name = OsString::from(table);
    name.push(".json");
    name.into()
}

/// Writes how a run was computed beside its table.
pub(super) fn write(
    table: &Path,
    request: &Request,
    mechanism: &dyn Mechanism,
    run: &Solution,
) -> Result<(), OutputError> {
    let params = mechanism.params();
    let object = object! {
        "model": run.model,
        "library": LIBRARY,
        "parameters": Value::from_iter(params.iter().map(|p| (p.name.as_str(), p.value))),
        "arguments": arguments(request),
        "status": run.status.as_str(),
        "t": run.final_t(),
        "steps": run.stats.steps,
    };
    // At once and in place: a run that is killed meanwhile leaves no part of it to be cleared away, and writes it
    // anew when it is resumed.
    let path = beside(table);
    std::fs::write(&path, format!("{object}\n"))
        .map_err(|error| OutputError::write(path.display().to_string(), &error))
}

/// The options that decide about the result, but for parameters.
fn arguments(request: &Request) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            out.push(name.into());
            out.extend(Some(value).filter(|value| !value.is_empty()));
        }
    };
    let number = |value: Option<f64>| value.map(|value| format!("{value:?}"));
    let switch = |on: bool| on.then(String::new);
    for (name, pairs) in [("--init", &request.init), ("--atol", &request.atol)] {
        for (of, value) in pairs {
            add(name, Some(format!("{of}={value:?}")));
        }
    }
    for (of, signal) in &request.input {
        add("--input", Some(format!("{of}={signal}")));
    }
    add("--method", request.method.clone());
    add("--rho", number(request.rho));
    add("--alpha", number(request.alpha));
    add("--order", request.order.map(|order| order.to_string()));
    add("--positions-only", switch(request.positions_only));
    let independent = (!request.independent.is_empty()).then(|| request.independent.join(","));
    add("--independent", independent);
    add("--no-adjust", switch(request.no_adjust));
    add("--tol", number(request.tol));
    add("--certify", switch(request.certify));
    add("--no-estimate", switch(request.no_estimate));
    add("--no-events", switch(request.no_events));
    add("--least-shares", switch(request.least_shares));
    add("--derivatives", request.derivatives.map(|derivatives| derivatives.name().into()));
    add("--step", number(request.step));
    add("--max-step", number(request.max_step));
    add("--max-steps", request.max_steps.map(|steps| steps.to_string()));
    add("--t-end", number(request.t_end));
    add("--every", number(request.every));
    add("--history", switch(request.history));
    out
}

/// The command line of an earlier run with what is given now: `args` is what was written after the
/// program's name. An option that is given takes the place of the earlier one.
pub(super) fn merged(
    args: &[String],
    table: &Path,
    model: &str,
    io: &mut Io<'_>,
) -> Result<Vec<String>, Stop> {
    let (object, path) = read(table, model, io)?;
    let strange = |what: &str| strange(&path, what);
    let mut all: Vec<String> = args.iter().take(1).cloned().collect();
    for (name, value) in parameters(&object, &path)? {
        all.extend(["--set".to_string(), format!("{name}={value:?}")]);
    }
    let Some(words) = object.get("arguments").and_then(Value::as_array) else {
        return Err(strange("no list of `arguments`").into());
    };
    let words =
        words.iter().map(|word| word.as_str().ok_or_else(|| strange("an argument is no text")));
    let earlier = given(words.collect::<Result<Vec<_>, _>>()?);
    let now = given(args.iter().skip(1).map(String::as_str));
    let stays = |old: &&Given<'_>| !now.iter().any(|new| takes_the_place(new, old));
    let own = now.iter().filter(|option| option.name != "--like");
    for Given { name, value } in earlier.iter().filter(stays).chain(own) {
        all.push(name.to_string());
        all.extend(value.map(String::from));
    }
    Ok(all)
}

/// Whether an option takes the place of one of the earlier run.
fn takes_the_place(new: &Given<'_>, old: &Given<'_>) -> bool {
    new.says_anew(old)
        || are_exclusive(new.name, old.name)
        || (new.name == "--method" && OF_METHOD.contains(&old.name))
}

/// What stands beside a table of this model, and where.
fn read(table: &Path, model: &str, io: &mut Io<'_>) -> Result<(Value, String), Stop> {
    let file = if table.extension().is_some_and(|end| end == "json") {
        table.to_path_buf()
    } else {
        beside(table)
    };
    let path = file.display().to_string();
    let unreadable = |reason: String| OutputError::Read { path: path.clone(), reason };
    let text = std::fs::read_to_string(&file).map_err(|error| {
        unreadable(format!("{error}; `simulate --out` writes it beside the table"))
    })?;
    let strange =
        |what: &str| unreadable(format!("it is not what `simulate --out` writes: {what}"));
    let object: Value = text.parse().map_err(|error: serde_json::Error| {
        let before = text.split_inclusive('\n').take(error.line().saturating_sub(1));
        let at = before.map(str::len).sum::<usize>() + error.column();
        strange(&format!("no JSON at byte {at}"))
    })?;
    let part = |key: &str| object.get(key).ok_or_else(|| strange(&format!("no `{key}`")));
    match part("model")?.as_str() {
        Some(name) if name == model => {}
        Some(name) => {
            return Err(Stop::Usage(format!(
                "`{path}` is of a run of `{name}`, and this is `{model}`"
            )));
        }
        None => return Err(strange("`model` is no text").into()),
    }
    if let Some(library) = object["library"].as_str().filter(|library| *library != LIBRARY) {
        io.tell(&format!("note: `{path}` was written by {library}, this is {LIBRARY}"));
    }
    Ok((object, path))
}

/// The run that wrote a table.
pub(super) struct Origin {
    pub(super) parameters: Vec<(String, f64)>,
    /// Where one was asked for.
    pub(super) method: Option<String>,
    pub(super) status: Status,
    pub(super) steps: usize,
}

/// What stands beside a table of its run.
pub(super) fn origin(table: &Path, model: &str, io: &mut Io<'_>) -> Result<Origin, Stop> {
    let (object, path) = read(table, model, io)?;
    let parameters = parameters(&object, &path)?;
    let words: Vec<&str> =
        object["arguments"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let given = words.windows(2).find(|pair| pair[0] == "--method");
    let all = [Status::Finished, Status::Stopped, Status::Interrupted, Status::Failed];
    let status = all.into_iter().find(|status| object["status"] == status.as_str());
    Ok(Origin {
        parameters,
        method: given.map(|pair| pair[1].into()),
        status: status.unwrap_or(Status::Finished),
        steps: object["steps"].as_f64().unwrap_or(0.0) as usize,
    })
}

fn parameters(object: &Value, path: &str) -> Result<Vec<(String, f64)>, Stop> {
    let Some(members) = object.get("parameters").and_then(Value::as_object) else {
        return Err(strange(path, "no object of `parameters`").into());
    };
    let number = |(name, value): (&String, &Value)| match value.as_f64() {
        Some(value) => Ok((name.clone(), value)),
        None => Err(strange(path, &format!("`{name}` is no number")).into()),
    };
    members.iter().map(number).collect()
}

fn strange(path: &str, what: &str) -> OutputError {
    let reason = format!("it is not what `simulate --out` writes: {what}");
    OutputError::Read { path: path.into(), reason }
}
