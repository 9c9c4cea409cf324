//! A public component is tried where it is written, in a mechanism of its own: its mistakes are told
//! there, not where it is used.

use crate::ast::{BodyStmt, Component, Mechanism, Stmt, StmtKind};
use crate::block::{BlockId, Blocks, Found};
use crate::diag::Diag;
use crate::names;
use proc_macro2::{Ident, Span};
use syn::{Expr, Path};

/// A mechanism of one body of the component, and of bodies that its connectors ask for.
pub(super) fn mechanism(component: &Component, blocks: &Blocks, diag: &Diag) -> Mechanism {
    let mut body = Vec::new();
    let name = &component.name;
    let path = Path::from(name.clone());
    let around = &mut Vec::new();
    if !stand_in(&path, component, 0, snake(name), around, blocks, diag, &mut body) {
        // What it lacks follows from what is told.
        body.clear();
    }
    Mechanism { docs: component.docs.clone(), vis: component.vis.clone(), name: name.clone(), body }
}

/// Declares a body of the component, after the bodies that it is given; `false` where these would have no end.
#[allow(clippy::too_many_arguments)]
fn stand_in(
    path: &Path,
    component: &Component,
    block: BlockId,
    name: Ident,
    around: &mut Vec<(BlockId, String)>,
    blocks: &Blocks,
    diag: &Diag,
    out: &mut Vec<Stmt>,
) -> bool {
    let this = (block, names::text(&component.name));
    if around.contains(&this) {
        let message = format!(
            "component `{}` asks for itself, by a connector or by those of what it asks for: let one ask for another component, as for a `SpatialBody`",
            component.name
        );
        diag.error(component.name.span(), message);
        return false;
    }
    around.push(this);
    let mut overrides = Vec::new();
    for stmt in &component.body {
        let StmtKind::Connector { name: connector, component: wanted } = &stmt.kind else {
            continue;
        };
        let given = Ident::new(&format!("{name}_{}", names::text(connector)), connector.span());
        match blocks.find(block, wanted) {
            Found::Builtin => out.push(declared(&given, wanted.clone(), Vec::new())),
            Found::Of(of, component) => {
                let place = blocks.place(block, wanted);
                let place = place.unwrap_or_else(|| blocks.path_beside(block, wanted));
                let given = given.clone();
                if !stand_in(&place, component, of, given, around, blocks, diag, out) {
                    return false;
                }
            }
            Found::Missing => {}
        }
        let value: Expr = syn::parse_quote!(#given);
        overrides.push((connector.clone(), value));
    }
    around.pop();
    out.push(declared(&name, path.clone(), overrides));
    true
}

fn declared(name: &Ident, component: Path, overrides: Vec<(Ident, Expr)>) -> Stmt {
    let body = BodyStmt { name: name.clone(), len: None, pass: None, component, overrides };
    let keyword = Ident::new("body", name.span());
    Stmt { docs: Vec::new(), public: false, keyword, kind: StmtKind::Body(body) }
}

/// `LeafSpring` as `leaf_spring`.
fn snake(name: &Ident) -> Ident {
    let mut text = String::new();
    for letter in names::text(name).chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    match text.as_str() {
        "t" | "time" => Ident::new("part", name.span()),
        _ => names::ident(&text, Span::call_site()),
    }
}
