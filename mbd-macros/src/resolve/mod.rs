//! Names to meanings: declares everything, resolves lets in the order they need each other, and
//! finds for each statement exactly the scalars it reads.

mod declare;
mod draw;
mod event;
mod expr;
mod index;
mod joint;
mod lets;
mod placing;
mod reads;
mod resolver;
mod scope;
mod statement;

use crate::ast;
use crate::diag::Diag;
use crate::ir::*;
use proc_macro2::{Span, TokenStream};
use resolver::Resolver;

/// Resolves a mechanism. Errors are in `diag`; the model holds whatever made sense, enough for
/// the struct and its ids.
pub fn mechanism(mechanism: &ast::Mechanism, components: &[ast::Component], diag: &Diag) -> Model {
    let mut resolver =
        Resolver::new(mechanism.vis.clone(), mechanism.name.clone(), mechanism.docs.clone(), diag);
    let root = resolver.scopes.add(scope::Scope::default());
    resolver.components(components);
    resolver.declare_sizes(&mechanism.body, root);
    resolver.read_gravity(&mechanism.body);
    resolver.turns_read(&mechanism.body, components);
    resolver.declare(&mechanism.body, root, &[]);
    if let (Some(gravity), false) = (&resolver.gravity, resolver.weighed) {
        diag.push(syn::Error::new_spanned(
            gravity,
            "gravity acts on the language's own bodies, and here is none; a component of yours states its own `potential`",
        ));
    }
    resolver.joints();
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
    placing::order(&mut resolver.model.statements, &resolver.model.leaves);
    resolver.model
}

/// The body of a `#[differentiable]` function: numbers standing alone become scalars of type `__D`.
pub fn function_body(arguments: &[syn::Pat], body: &syn::Block, diag: &Diag) -> TokenStream {
    let name = syn::Ident::new("function", Span::call_site());
    let mut resolver = Resolver::new(syn::Visibility::Inherited, name, Vec::new(), diag);
    let root = resolver.scopes.add(scope::Scope::default());
    expr::Tx::new(&mut resolver, root, expr::Mode::Function, None).function(arguments, body)
}
