//! What is emitted beside errors: the struct, its `Default` and ids, and a `Mechanism` whose model
//! is an error, so that the only messages are those about the block itself.

use crate::ir::Model;
use crate::source::Source;
use crate::{keyword, lower, names};
use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::quote;
use std::collections::BTreeMap;

/// First words of a path that no `use` brings.
const PRIMITIVES: &[&str] =
    &["f64", "f32", "usize", "i64", "i32", "u64", "u32", "self", "Self", "super", "crate"];

/// Uses of the functions that the block calls by a path, or by a name that is the library's and has to be imported, so
/// that rustc does not tell besides that their imports are not used.
pub fn uses(block: &TokenStream) -> TokenStream {
    let mut paths = BTreeMap::new();
    let first = block.clone().into_iter().find(|token| matches!(token, TokenTree::Ident(_)));
    let source = first.and_then(|token| Source::of(token.span(), &token.to_string()));
    let lacks = |name: &str| source.as_ref().is_some_and(|source| source.lacks(name));
    let mut open = vec![block.clone()];
    while let Some(stream) = open.pop() {
        let tokens: Vec<TokenTree> = stream.into_iter().collect();
        for (i, token) in tokens.iter().enumerate() {
            let TokenTree::Group(group) = token else { continue };
            open.push(group.stream());
            if group.delimiter() == Delimiter::Parenthesis
                && let Some(path) = called(&tokens[..i])
                && (path.len() > 1 || keyword::imported(&path[0]).is_some())
                && !(keyword::imported(&path[0]).is_some() && lacks(&path[0]))
            {
                paths.insert(path.join("::"), path);
            }
        }
    }
    let uses = paths.into_values().map(|path| {
        let path = path.iter().map(|text| names::ident(text, Span::call_site()));
        quote!(#[allow(unused_imports)] use #(#path)::* as _;)
    });
    uses.collect()
}

/// The function that is called where these tokens stand before an argument list: a name, or a path.
fn called(before: &[TokenTree]) -> Option<Vec<String>> {
    let mut rest = before;
    let mut path = Vec::new();
    let punct = |token: Option<&TokenTree>, of: char| matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == of);
    loop {
        let (TokenTree::Ident(name), left) = rest.split_last()? else { return None };
        path.insert(0, names::text(name));
        rest = left;
        let [.., a, b] = rest else { break };
        if !(punct(Some(a), ':') && punct(Some(b), ':')) {
            break;
        }
        rest = &rest[..rest.len() - 2];
    }
    let word = |k: usize| match rest.len().checked_sub(k).and_then(|at| rest.get(at)) {
        Some(TokenTree::Ident(word)) => names::text(word),
        _ => String::new(),
    };
    // A method, a type's own function, a kind of joint.
    let other = punct(rest.last(), '.') || word(1) == "fn" || word(3) == "joint";
    let types =
        path.iter().any(|part| part.starts_with(char::is_uppercase) || names::is_keyword(part));
    let first = path.first().is_some_and(|first| PRIMITIVES.contains(&first.as_str()));
    (!other && !types && !first).then_some(path)
}

/// The remains of a mechanism with errors.
pub fn model(model: &Model, krate: &TokenStream) -> TokenStream {
    let item = lower::item(model, false, krate);
    let name = &model.name;
    let text = crate::names::text(name);
    quote! {
        #item
        impl #krate::Mechanism for #name {
            fn model(&self) -> ::core::result::Result<#krate::__private::Model, #krate::__private::ModelError> {
                ::core::result::Result::Err(#krate::__private::ModelError::Rejected { model: #text.into() })
            }
            fn set(&mut self, _: &::core::primitive::str, _: ::core::primitive::f64) -> ::core::result::Result<(), #krate::__private::ModelError> {
                ::core::result::Result::Err(#krate::__private::ModelError::Rejected { model: #text.into() })
            }
            fn params(&self) -> ::std::vec::Vec<#krate::__private::ParamInfo> {
                ::std::vec::Vec::new()
            }
        }
    }
}
