//! The pipeline: parse, resolve, check, lower, else fall back.

use crate::diag::Diag;
use crate::{check, fallback, lower, parse, resolve, tokens};
use proc_macro2::{Span, TokenStream};

/// Expands a block.
pub fn mechanism(tokens: TokenStream) -> TokenStream {
    let diag = Diag::new();
    let (krate, tokens) = tokens::krate(tokens);
    let tokens = tokens::prepare(tokens, &diag);
    let file = parse::file(tokens, &diag);
    if file.mechanisms.is_empty() && diag.is_clean() {
        diag.error(
            Span::call_site(),
            "this block has no mechanism; write `pub mechanism Name { … }`",
        );
    }
    let models: Vec<_> = file
        .mechanisms
        .iter()
        .map(|mechanism| {
            let model = resolve::mechanism(mechanism, &file.components, &diag);
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
    match diag.finish() {
        None => models.iter().map(|model| lower::model(model, &krate)).collect(),
        Some(errors) => {
            let rest: TokenStream =
                models.iter().map(|model| fallback::model(model, &krate)).collect();
            quote::quote!(#errors #rest)
        }
    }
}
