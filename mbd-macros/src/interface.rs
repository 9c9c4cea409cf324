//! What a public component shows in its documentation: what it is given, and what is named from outside.

use crate::ast::{Component, Declared, Stmt, StmtKind};
use crate::link;
use crate::names;
use quote::ToTokens;

/// Lines of its documentation.
pub fn documentation(component: &Component) -> Vec<String> {
    let mut lines = component.docs.clone();
    if lines.is_empty() {
        lines.push(format!("The component `{}`.", component.name));
    }
    let given: Vec<String> = component.body.iter().filter_map(given).collect();
    table(&mut lines, "Given", "| name | is | default | |\n|---|---|---|---|", given);
    let named: Vec<String> = component.body.iter().filter_map(named).collect();
    table(&mut lines, "Named from outside", "| name | is | |\n|---|---|---|", named);
    let outputs: Vec<String> = component.body.iter().filter_map(output).collect();
    table(&mut lines, "Outputs", "| name | unit | |\n|---|---|---|", outputs);
    lines
}

fn table(lines: &mut Vec<String>, title: &str, head: &str, rows: Vec<String>) {
    if !rows.is_empty() {
        lines.extend([String::new(), format!("# {title}"), String::new()]);
        lines.extend(head.lines().map(String::from));
        lines.extend(rows);
    }
}

/// Documentation in a cell of a table.
fn cell(stmt: &Stmt) -> String {
    stmt.docs.join(" ").replace('|', "\\|")
}

fn title(declared: &Declared) -> String {
    let name = names::text(&declared.name);
    match &declared.index {
        Some(index) => format!("{name}[{}]", code(index)),
        None => name,
    }
}

fn unit(declared: &Declared) -> String {
    match declared.unit.as_str() {
        "" | "-" => String::new(),
        unit => format!(" in `{unit}`"),
    }
}

fn code(tokens: &impl ToTokens) -> String {
    let text = tokens.to_token_stream().to_string();
    let text = text.replace(" . ", ".").replace(" :: ", "::").replace(" (", "(");
    text.replace("( ", "(").replace(" )", ")").replace(" ,", ",").replace('|', "\\|")
}

fn given(stmt: &Stmt) -> Option<String> {
    if !stmt.public {
        return None;
    }
    let doc = cell(stmt);
    Some(match &stmt.kind {
        StmtKind::Param { declared, value } => format!(
            "| `{}` | parameter{} | `{}` | {doc} |",
            title(declared),
            unit(declared),
            code(value)
        ),
        StmtKind::Size { name, value } => {
            format!("| `{name}` | size | `{}` | {doc} |", code(value))
        }
        StmtKind::Connector { name, component } => {
            format!(
                "| `{name}` | connector: a `{}` | has to be given | {doc} |",
                link::text(component)
            )
        }
        _ => return None,
    })
}

fn named(stmt: &Stmt) -> Option<String> {
    if !stmt.public {
        return None;
    }
    let scalar =
        |what: &str, declared: &Declared| (title(declared), format!("{what}{}", unit(declared)));
    let (name, is) = match &stmt.kind {
        StmtKind::Coord(declared) => scalar("coordinate", declared),
        StmtKind::State(declared) => scalar("state", declared),
        StmtKind::Variable { declared, .. } => scalar("variable", declared),
        StmtKind::Mode { declared, .. } => scalar("mode", declared),
        StmtKind::Input { declared, .. } => scalar("input", declared),
        StmtKind::Let { name, .. } => (names::text(name), "value".into()),
        StmtKind::Constraint(constraint) => (names::text(&constraint.name), "constraint".into()),
        StmtKind::Joint(joint) => (names::text(&joint.name), format!("joint, {}", joint.kind)),
        StmtKind::Body(body) => {
            let of = link::text(&body.component);
            let index = body.len.as_ref().map_or(String::new(), |len| format!("[{}]", code(len)));
            (format!("{}{index}", names::text(&body.name)), format!("body, a `{of}`"))
        }
        _ => return None,
    };
    Some(format!("| `{name}` | {is} | {} |", cell(stmt)))
}

fn output(stmt: &Stmt) -> Option<String> {
    let StmtKind::Output { declared, .. } = &stmt.kind else { return None };
    let unit = match declared.unit.as_str() {
        "" => String::new(),
        unit => format!("`{unit}`"),
    };
    Some(format!("| `{}` | {unit} | {} |", title(declared), cell(stmt)))
}
