//! Names to meanings: declares everything, resolves lets in the order they need each other, and
//! finds for each statement exactly the scalars it reads.

mod bodies;
mod coordinate;
mod coupling;
mod declare;
mod draw;
mod entries;
mod event;
mod expr;
mod force;
mod index;
mod joint;
mod lets;
mod links;
mod placing;
mod reads;
mod resolver;
mod scope;
mod stand;
mod statement;
mod tree;

use crate::ast;
use crate::block::Blocks;
use crate::diag::Diag;
use crate::ir::*;
use proc_macro2::{Span, TokenStream};
use resolver::Resolver;

/// Resolves a mechanism. Errors are in `diag`; the model holds whatever made sense, enough for
/// the struct and its ids.
pub fn mechanism(mechanism: &ast::Mechanism, blocks: &Blocks, diag: &Diag) -> Model {
    resolved(mechanism, blocks, false, diag)
}

/// Resolves a mechanism made of one public component, for its mistakes and the Rust names it uses.
pub fn public(component: &ast::Component, blocks: &Blocks, diag: &Diag) -> Model {
    resolved(&stand::mechanism(component, blocks, diag), blocks, true, diag)
}

fn resolved(mechanism: &ast::Mechanism, blocks: &Blocks, exporting: bool, diag: &Diag) -> Model {
    let (vis, name, docs) = (&mechanism.vis, &mechanism.name, &mechanism.docs);
    let mut resolver = Resolver::new(vis.clone(), name.clone(), docs.clone(), blocks, diag);
    resolver.exporting = exporting;
    let root = resolver.scopes.add(scope::Scope::default());
    let components = &blocks.0[0].file.components;
    resolver.components(components);
    resolver.all_seen(&mechanism.body);
    resolver.declare_sizes(&mechanism.body, root);
    resolver.read_gravity(&mechanism.body);
    let all = blocks.0.iter().flat_map(|block| &block.file.components);
    resolver.turns_read(&mechanism.body, all);
    resolver.read_coordinates(&mechanism.body);
    resolver.declare(&mechanism.body, root, &[]);
    resolver.joints();
    // Where something is wrong a body may be one of what is not known.
    if let (Some(gravity), false, true) = (&resolver.gravity, resolver.weighed, diag.is_clean()) {
        diag.push(syn::Error::new_spanned(
            gravity,
            "gravity acts on the language's own bodies, and here is none; a component of yours states its own `potential`",
        ));
    }
    resolver.place_bodies();
    resolver.all_declared = true;
    resolver.resolve_lets();
    let mut work = std::mem::take(&mut resolver.work);
    // Initial values and scales of a component are its defaults: those stated around its bodies come
    // after.
    work.sort_by_key(|work| match work.stmt.kind {
        ast::StmtKind::Init { .. } | ast::StmtKind::Scale { .. } => {
            usize::MAX - resolver.scopes.level(work.scope)
        }
        _ => usize::MAX,
    });
    for work in work {
        resolver.statement(&work);
    }
    let Model { statements, leaves, scalars, .. } = &mut resolver.model;
    placing::order(statements, leaves, scalars);
    let mut arrays = resolver.scopes.list.iter().filter_map(|scope| scope.array.as_ref());
    resolver.model.checks_bodies |= arrays.any(|array| array.outer.is_some());
    resolver.model.links = resolver.found.take();
    resolver.model
}

/// The body of a `#[differentiable]` function: numbers standing alone become scalars of type `__D`.
pub fn function_body(arguments: &[syn::Pat], body: &syn::Block, diag: &Diag) -> TokenStream {
    let name = syn::Ident::new("function", Span::call_site());
    let blocks = Blocks::alone(ast::File::default());
    let vis = syn::Visibility::Inherited;
    let mut resolver = Resolver::new(vis, name, Vec::new(), &blocks, diag);
    let root = resolver.scopes.add(scope::Scope::default());
    expr::Tx::new(&mut resolver, root, expr::Mode::Function, None).function(arguments, body)
}
