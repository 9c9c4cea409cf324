//! The pipeline: ask for components of other blocks, parse, resolve, check, lower, else fall back.

use crate::block::Blocks;
use crate::diag::Diag;
use crate::ir::Model;
use crate::{check, fallback, lower, mesh, parse, part, resolve, tokens};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use std::collections::BTreeMap;

/// Expands a block.
pub fn mechanism(tokens: TokenStream) -> TokenStream {
    let diag = Diag::new();
    let call = part::call(tokens);
    let file = parse::file(tokens::prepare(call.block.clone(), &diag), &diag);
    if file.mechanisms.is_empty()
        && !file.components.iter().any(Blocks::is_public)
        && diag.is_clean()
    {
        diag.error(
            Span::call_site(),
            "this block has no mechanism; write `pub mechanism Name { … }`, or `pub component Name { … }` for a part that other blocks use",
        );
    }
    let first = call.identity.is_none();
    let identity = call.identity.clone().unwrap_or_else(|| part::identity(&file, &call.block));
    let macros = if first { part::macros(&call, &file, &identity) } else { TokenStream::new() };
    let blocks = call.blocks(file, identity, &diag);
    let wanted = blocks.wanted();
    if !wanted.is_empty() {
        // Told at the next expansion, which reads the block again.
        let _ = diag.finish();
        let ask = call.ask(&wanted, &blocks.0[0].identity);
        return quote!(#macros #ask);
    }
    let expanded = expanded(&blocks, &call.block, &call.krate, diag);
    quote!(#macros #expanded)
}

/// Expands a block with the components that it uses.
fn expanded(blocks: &Blocks, block: &TokenStream, krate: &TokenStream, diag: Diag) -> TokenStream {
    let file = &blocks.0[0].file;
    let public = file.components.iter().filter(|component| Blocks::is_public(component));
    let parts: Vec<Model> = public
        .map(|component| {
            let model = resolve::public(component, blocks, &diag);
            check::statements(&model, &diag);
            check::constants(&model, &diag);
            model
        })
        .collect();
    let models: Vec<Model> = file
        .mechanisms
        .iter()
        .map(|mechanism| {
            let mut model = resolve::mechanism(mechanism, blocks, &diag);
            model.solve_reactions();
            check::statements(&model, &diag);
            // Of a model that could only be read in part, a missing statement would be reported a
            // second time as a coordinate without inertia.
            if diag.is_clean() {
                check::whole(&model, &diag);
            }
            check::constants(&model, &diag);
            model
        })
        .collect();
    let mut links = BTreeMap::new();
    let (mut named, mut meshes) = (TokenStream::new(), BTreeMap::new());
    for model in &parts {
        links.extend(model.links.iter().map(|(name, link)| (name.clone(), link)));
        named.extend(lower::constants(model, krate, true));
        meshes.extend(model.meshes.iter().map(|(name, file)| (name.clone(), file)));
    }
    let meshes: TokenStream =
        meshes.into_iter().map(|(name, file)| mesh::item(&name, file, krate)).collect();
    let module = part::module(blocks, &links, (&named, &meshes));
    // What is not there is told even if nothing names it.
    let uses = file.uses.iter().map(|used| &used.path);
    let module = quote!(#(#[allow(unused_imports)] use #uses as _;)* #module);
    match diag.finish() {
        None => {
            let tried = parts.iter().map(|model| lower::tried(model, krate));
            let models = models.iter().map(|model| lower::model(model, krate));
            quote!(#module #(#tried)* #(#models)*)
        }
        Some(errors) => {
            let rest = models.iter().map(|model| fallback::model(model, krate));
            let uses = fallback::uses(block);
            quote!(#module #uses #errors #(#rest)*)
        }
    }
}
