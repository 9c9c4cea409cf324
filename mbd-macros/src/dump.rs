//! The resolved model as text: who reads what. Used by tests and when working on this crate.

use crate::ir::*;
use crate::names;
use std::fmt::Write;

/// Prints a model.
#[cfg_attr(not(test), allow(dead_code))]
pub fn model(model: &Model) -> String {
    let mut out = format!("mechanism {}\n", model.name);
    for size in &model.sizes {
        let _ = writeln!(out, "  size {}", size.name);
    }
    let len = |len: &Option<Len>| {
        len.as_ref().map_or(String::new(), |len| format!("[{}]", tidy(&len.tokens)))
    };
    for param in &model.params {
        let _ = writeln!(out, "  param {}{}{}", param.name, len(&param.len), unit(&param.unit));
    }
    for scalar in &model.scalars {
        let kind = match scalar.kind {
            ScalarKind::Coord => "coord",
            ScalarKind::State => "state",
            ScalarKind::Variable => "variable",
            ScalarKind::Mode => "mode",
            ScalarKind::Input => "input",
            ScalarKind::Start => "start",
        };
        let _ = writeln!(out, "  {kind} {}{}{}", scalar.name, len(&scalar.len), unit(&scalar.unit));
    }
    for statement in &model.statements {
        let indices: Vec<String> = statement
            .loops
            .iter()
            .map(|&l| {
                let var = &model.loops[l].var;
                names::as_written(quote::quote!(#var)).to_string()
            })
            .collect();
        let each =
            if indices.is_empty() { String::new() } else { format!(" for {}", indices.join(", ")) };
        let _ = writeln!(out, "  {}{each}", statement.label);
        for kernel in statement.kind.kernels() {
            let mut reads: Vec<&str> =
                kernel.needs.leaves.keys().map(|&l| model.leaves[l].text.as_str()).collect();
            reads.sort_unstable();
            let lets: Vec<&str> =
                kernel.needs.lets.iter().map(|&l| model.lets[l].name.as_str()).collect();
            let through = if lets.is_empty() {
                String::new()
            } else {
                format!(" through {}", lets.join(", "))
            };
            let rows =
                if kernel.rows == 1 { String::new() } else { format!("{} rows, ", kernel.rows) };
            let _ = writeln!(out, "    {rows}reads {}{through}", reads.join(", "));
        }
    }
    out
}

fn unit(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!(" [{unit}]") }
}

fn tidy(tokens: &proc_macro2::TokenStream) -> String {
    names::as_written(tokens.clone()).to_string().replace("i64", "")
}
