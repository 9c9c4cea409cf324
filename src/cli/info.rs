//! `info`: what a model consists of.

use super::exit::Exit;
use super::io::Io;
use super::stop::Stop;
use super::subject::{Listed, Subject};
use crate::assembly::Weights;
use crate::assembly::{SlotKind, System, Term};
use crate::cli::args::Request;
use crate::error::OptionError;
use crate::json::object;
use crate::model::{Label, ParamInfo, RowBlock};
use crate::output::short;
use serde_json::Value;
use std::fmt::Write;

pub(super) fn run(subject: Subject, request: &Request, io: &mut Io<'_>) -> Result<Exit, Stop> {
    let mechanism = subject.instance(request)?;
    let params = mechanism.params();
    let system = System::new(mechanism.model()?);
    if request.json {
        io.print(&format!("{}\n", json(subject, &system, &params)))
    } else {
        io.print(&text(subject, &system, &params))
    }
}

/// Rows and entries of the matrix every implicit method solves with: the unknowns are the
/// accelerations, multipliers, state rates and algebraic variables.
fn sparsity(system: &System) -> (usize, usize) {
    let dims = system.dims();
    let kinds = [
        (SlotKind::A, dims.n),
        (SlotKind::Lambda, dims.m),
        (SlotKind::Psi, system.model().stated_nonholonomic()),
        (SlotKind::Xd, dims.nx),
        (SlotKind::W, dims.nw),
    ];
    // Integration formulas express q and v by a, x by its rate.
    let column = |kind: SlotKind| {
        let kind = match kind {
            SlotKind::Q | SlotKind::V => SlotKind::A,
            SlotKind::X => SlotKind::Xd,
            other => other,
        };
        let before = kinds.iter().take_while(|k| k.0 != kind);
        before.map(|k| k.1).sum::<usize>()
    };
    use SlotKind::{A, Lambda, Psi, Q, V, W, X, Xd};
    let mut terms = vec![
        (Term::M, A, A),
        (Term::MuQ, A, Q),
        (Term::ReactQ, A, Q),
        (Term::ReactV, A, V),
        (Term::React, A, Lambda),
        (Term::ReactPsi, A, Psi),
        (Term::G, Lambda, Q),
        (Term::K, Psi, V),
        (Term::KQ, Psi, Q),
    ];
    for kind in [Q, V, A, X, Xd, Lambda, Psi, W] {
        terms.extend([
            (Term::F(kind), A, kind),
            (Term::D(kind), Xd, kind),
            (Term::W(kind), W, kind),
        ]);
    }
    let point = system.initial_point();
    let weights = Weights { u: point.a(), s: point.lambda(), r: point.psi() };
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (term, row, col) in terms {
        let (row, col) = (column(row), column(col));
        let entries = system.entries(&point, &weights, term);
        places.extend(entries.into_iter().map(|(r, c, _)| (row + r, col + c)));
    }
    places.sort_unstable();
    places.dedup();
    (kinds.iter().map(|k| k.1).sum(), places.len())
}

/// Degrees of freedom if no constraint is redundant.
fn nominal_dof(system: &System) -> i64 {
    let dims = system.dims();
    let model = system.model();
    dims.n as i64 - model.permanent_holonomic() as i64 - model.stated_nonholonomic() as i64
}

fn json(subject: Subject, system: &System, params: &[ParamInfo]) -> Value {
    let model = system.model();
    let dims = system.dims();
    let (size, nonzeros) = sparsity(system);
    let label = |l: &Label| object! { "name": l.name, "unit": l.unit, "doc": l.doc };
    let initial = model.initial();
    let coordinates = model.coords().iter().enumerate().map(|(i, l)| {
        object! {
            "name": l.name,
            "unit": l.unit,
            "doc": l.doc,
            "init": initial.q[i],
            "kept": initial.keep_q[i],
            "init_rate": initial.v[i],
            "kept_rate": initial.keep_v[i],
        }
    });
    let rows = |kind: &'static str| move |b: &RowBlock| object! { "name": b.name, "kind": kind, "rows": b.len };
    let holonomic = model.holonomic().iter().map(|b| {
        let kind = match model.switched(b.first) {
            Some("unilateral") => "unilateral",
            Some(_) => "holonomic while",
            None => "holonomic",
        };
        rows(kind)(b)
    });
    let constraints = holonomic.chain(model.nonholonomic().iter().map(rows("nonholonomic")));
    let param = |p: &ParamInfo| {
        object! {
            "name": p.name,
            "unit": p.unit,
            "doc": p.doc,
            "value": p.value,
            "is_size": p.is_size,
        }
    };
    let event = |(name, instances, condition): (&str, usize, &str)| object! { "name": name, "instances": instances as f64, "condition": condition };
    let method = |Listed { method, options }: &Listed| {
        object! {
            "name": method.name(),
            "treats": method.treats(system).is_ok(),
            "summary": method.summary(),
            "options": options,
        }
    };
    object! {
        "model": model.name(),
        "doc": model.doc().trim(),
        "sizes": object! {
            "coordinates": dims.n,
            "holonomic": model.permanent_holonomic(),
            "nonholonomic": model.stated_nonholonomic(),
            "states": dims.nx,
            "variables": dims.nw,
            "outputs": model.outputs().len(),
            "parameters": dims.params,
        },
        "dof": nominal_dof(system),
        "on_duals": Value::from_iter(system.on_dual_numbers()),
        "sparsity": object! { "size": size, "nonzeros": nonzeros, "fill": fill(size, nonzeros) },
        "parameters": Value::from_iter(params.iter().map(param)),
        "coordinates": Value::from_iter(coordinates),
        "states": Value::from_iter(model.states().iter().map(label)),
        "variables": Value::from_iter(model.variables().iter().map(label)),
        "modes": Value::from_iter(model.modes().iter().map(label)),
        "inputs": Value::from_iter(model.inputs().map(label)),
        "events": Value::from_iter(model.events().map(event)),
        "constraints": Value::from_iter(constraints),
        "outputs": Value::from_iter(model.outputs().iter().map(label)),
        "t_end": model.t_end(),
        "methods": Value::from_iter(subject.listed().iter().map(method)),
    }
}

fn fill(size: usize, nonzeros: usize) -> f64 {
    if size == 0 { 0.0 } else { nonzeros as f64 / (size as f64 * size as f64) }
}

/// A line of a list: name, value, unit, documentation.
struct Row {
    name: String,
    value: String,
    unit: String,
    doc: String,
}

/// Entries of an array that each have a line of their own where their values differ.
const FEW: usize = 4;

/// One line for the entries of an array: `x[0..=9]` with their value, or the first and the last.
fn merged(rows: Vec<Row>) -> Vec<Row> {
    let array = |row: &Row| {
        let (base, index) = row.name.strip_suffix(']')?.rsplit_once('[')?;
        Some((base.to_string(), index.to_string()))
    };
    let mut out = Vec::new();
    let mut rows = rows.into_iter().peekable();
    while let Some(first) = rows.next() {
        let mut entries = vec![first];
        if let Some((base, start)) = array(&entries[0]) {
            while let Some(next) = rows.next_if(|r| array(r).is_some_and(|(b, _)| b == base)) {
                entries.push(next);
            }
            let equal = entries.iter().all(|r| r.value == entries[0].value);
            if entries.len() > if equal { 1 } else { FEW } {
                let last = entries.split_off(entries.len() - 1).remove(0);
                entries.truncate(1);
                let end = array(&last).map_or(String::new(), |(_, index)| index);
                entries[0].name = format!("{base}[{start}..={end}]");
                if let (false, Some(value)) = (equal, last.value.split_whitespace().last()) {
                    entries[0].value.push_str(&format!(" … {value}"));
                }
            }
        }
        out.append(&mut entries);
    }
    out
}

/// What is said of names within bodies, which others of the same kind repeat, stands at the first.
fn told_once(mut rows: Vec<Row>) -> Vec<Row> {
    let mut told = std::collections::HashSet::new();
    for row in rows.iter_mut().filter(|row| row.name.contains('.')) {
        if !told.insert(row.doc.clone()) {
            row.doc.clear();
        }
    }
    rows
}

/// Aligned columns under a title.
fn table(out: &mut String, title: &str, rows: Vec<Row>) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{title}");
    let rows = told_once(merged(rows));
    let unit = |u: &str| if u.is_empty() { String::new() } else { format!("[{u}]") };
    let longest = |column: fn(&Row) -> usize| rows.iter().map(column).max().unwrap_or(0);
    let name_width = longest(|r| r.name.chars().count());
    let value_width = longest(|r| r.value.chars().count());
    let unit_width = longest(|r| r.unit.chars().count() + 2);
    for row in &rows {
        let doc = row.doc.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or("");
        let gap = if value_width > 0 { "  " } else { "" };
        let line = format!(
            "  {:name_width$}{gap}{:value_width$}  {:unit_width$}  {doc}",
            row.name,
            row.value,
            unit(&row.unit)
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

fn text(subject: Subject, system: &System, params: &[ParamInfo]) -> String {
    let model = system.model();
    let dims = system.dims();
    let mut out = String::new();
    let _ = writeln!(out, "{}", model.name());
    for line in model.doc().lines().map(str::trim).filter(|l| !l.is_empty()) {
        let _ = writeln!(out, "  {line}");
    }
    let (size, nonzeros) = sparsity(system);
    let mut fact = |name: &str, value: String| {
        let _ = writeln!(out, "  {name:<28} {value}");
    };
    fact("coordinates", dims.n.to_string());
    fact(
        "constraint rows",
        match (system.model().permanent_holonomic(), system.model().stated_nonholonomic()) {
            (m, 0) => m.to_string(),
            (m, p) => format!("{m} holonomic, {p} nonholonomic"),
        },
    );
    fact(
        "degrees of freedom",
        format!("{} (if no constraint is redundant; see check)", nominal_dof(system)),
    );
    if dims.nx > 0 {
        fact("states", dims.nx.to_string());
    }
    if dims.nw > 0 {
        fact("algebraic variables", dims.nw.to_string());
    }
    fact(
        "Newton matrix",
        format!("{size} × {size}, {nonzeros} entries ({:.1} % full)", 100.0 * fill(size, nonzeros)),
    );
    if let Some(t_end) = model.t_end() {
        fact("end time", format!("{} s", short(t_end)));
    }
    let slow: Vec<&str> = system.on_dual_numbers().collect();
    if !slow.is_empty() {
        fact("on dual numbers", slow.join(", "));
        fact(
            "",
            "their programs would be many times faster: choose with `if` between scalars,".into(),
        );
        fact(
            "",
            "`min`, `max`, `x.above(y).choose(a, b)` in place of `match` and plain comparisons"
                .into(),
        );
    }
    let row = |name: &str, value: String, unit: &str, doc: &str| Row {
        name: name.into(),
        value,
        unit: unit.into(),
        doc: doc.into(),
    };
    let param = |p: &ParamInfo| row(&p.name, format!("{}", p.value), &p.unit, &p.doc);
    let sizes = params.iter().filter(|p| p.is_size).map(param).collect();
    table(&mut out, "Sizes (--set NAME=VALUE)", sizes);
    let values = params.iter().filter(|p| !p.is_size).map(param).collect();
    table(&mut out, "Parameters (--set NAME=VALUE)", values);
    let initial = model.initial();
    let start =
        |value: f64, kept: bool| format!("{} {}", if kept { "=" } else { "≈" }, short(value));
    let coordinates = model
        .coords()
        .iter()
        .enumerate()
        .map(|(i, l)| row(&l.name, start(initial.q[i], initial.keep_q[i]), &l.unit, &l.doc));
    table(
        &mut out,
        "Coordinates (start: = kept, ≈ may be moved; --init NAME=VALUE)",
        coordinates.collect(),
    );
    let states = model.states().iter().enumerate();
    let states = states.map(|(i, l)| row(&l.name, start(initial.x[i], true), &l.unit, &l.doc));
    table(&mut out, "States (--init NAME=VALUE)", states.collect());
    let plain = |l: &Label| row(&l.name, String::new(), &l.unit, &l.doc);
    table(&mut out, "Algebraic variables", model.variables().iter().map(plain).collect());
    let modes = model.modes().iter().enumerate();
    let modes = modes.map(|(i, l)| row(&l.name, start(initial.modes[i], true), &l.unit, &l.doc));
    table(&mut out, "Modes (--init NAME=VALUE; 1 and 0 for true and false)", modes.collect());
    let inputs = model.inputs().enumerate();
    let inputs = inputs.map(|(i, l)| row(&l.name, short(initial.inputs[i]), &l.unit, &l.doc));
    table(&mut out, "Inputs (--input NAME=VALUE or NAME=FILE.csv)", inputs.collect());
    let events = model.events().map(|(name, instances, condition)| {
        let each = if instances == 1 { String::new() } else { format!("{instances} times") };
        row(name, each, "", condition)
    });
    table(&mut out, "Events (where this becomes true, or every so often)", events.collect());
    let block = |what: &'static str| {
        move |b: &RowBlock| {
            let rows = if b.len == 1 { "1 row".into() } else { format!("{} rows", b.len) };
            row(&b.name, rows, "", what)
        }
    };
    let of_use = |b: &&RowBlock| !model.is_housekeeping(&b.name);
    let constraints = model.holonomic().iter().filter(of_use);
    let constraints = constraints.map(|b| {
        let what = match model.switched(b.first) {
            Some("unilateral") => "unilateral, force lambda(…) ≥ 0, 0 while open",
            Some(_) => "holonomic while a condition holds, reaction lambda(…)",
            None => "holonomic, reaction lambda(…)",
        };
        block(what)(b)
    });
    let constraints =
        constraints.chain(model.nonholonomic().iter().map(block("nonholonomic, reaction psi(…)")));
    table(&mut out, "Constraints", constraints.collect());
    let contacts = model.contacts().iter();
    let contacts = contacts.map(block("an impact that leaves it closed is held, force lambda(…)"));
    table(&mut out, "Contacts of events", contacts.collect());
    let surface = |b: &RowBlock| {
        let places = if b.len == 1 { "1 place".into() } else { format!("{} places", b.len) };
        row(&b.name, places, "", "a force that jumps there can hold the motion")
    };
    let surfaces = model.surfaces().iter().map(surface).collect();
    table(&mut out, "Comparisons of speeds at which the motion can stick", surfaces);
    let states = model.surfaces_of_states().map(|(name, count)| {
        let places = if count == 1 { "1 place".into() } else { format!("{count} places") };
        row(name, places, "", "a rate or force that jumps there can hold a state")
    });
    table(&mut out, "Comparisons of states at which these can be held", states.collect());
    table(&mut out, "Outputs", model.outputs().iter().map(plain).collect());
    let mut refusals = Vec::new();
    let _ = writeln!(out, "\nMethods that can treat it (simulate --method NAME)");
    for Listed { method, options } in subject.listed() {
        if let Err(refusal) = method.treats(system) {
            refusals.push(refusal);
            continue;
        }
        for (i, line) in [method.summary(), options].iter().enumerate() {
            let name = if i == 0 { method.name() } else { "" };
            let _ = writeln!(out, "{}", format!("  {name:<16}  {line}").trim_end());
        }
    }
    if !refusals.is_empty() {
        let _ = writeln!(out, "\nMethods that cannot");
    }
    for refusal in refusals {
        if let OptionError::NotForModel { method, statement, what, .. } = refusal {
            let _ = writeln!(out, "  {method:<16}  `{statement}` {what}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_bodies_have_in_common_is_said_once() {
        let row = |name: &str, doc: &str| Row {
            name: name.into(),
            value: String::new(),
            unit: String::new(),
            doc: doc.into(),
        };
        let names = ["r", "x", "a.x", "a.y", "b.x"];
        let rows = names.map(|name| row(name, if name.ends_with('y') { "Up." } else { "Across." }));
        let told: Vec<String> = told_once(rows.into()).into_iter().map(|row| row.doc).collect();
        assert_eq!(told, ["Across.", "Across.", "Across.", "Up.", ""]);
    }
}
