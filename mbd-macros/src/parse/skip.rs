//! What stands before statements, and where they end.

use crate::diag::Diag;
use crate::keyword;
use proc_macro2::{Delimiter, TokenTree};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, Meta, Token};

/// `/// text` lines; other attributes have no meaning here.
pub(super) fn docs(input: ParseStream<'_>, diag: &Diag) -> syn::Result<Vec<String>> {
    let mut docs = Vec::new();
    for attribute in input.call(Attribute::parse_outer)? {
        match &attribute.meta {
            Meta::NameValue(meta) if meta.path.is_ident("doc") => {
                if let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &meta.value {
                    docs.push(text.value().trim().to_string());
                }
            }
            _ => diag.error(
                attribute.pound_token.spans[0],
                "only documentation (`/// text`) may stand before a statement",
            ),
        }
    }
    Ok(docs)
}

/// Skips what is left of a statement: to its `;`, or to a keyword after a brace group.
pub(super) fn skip_statement(input: ParseStream<'_>) {
    let mut after_braces = false;
    while !input.is_empty() {
        if input.parse::<Option<Token![;]>>().ok().flatten().is_some() {
            return;
        }
        if after_braces && starts_statement(input) {
            return;
        }
        match input.parse::<TokenTree>() {
            Ok(TokenTree::Group(group)) => after_braces = group.delimiter() == Delimiter::Brace,
            Ok(_) => after_braces = false,
            Err(_) => return,
        }
    }
}

/// True before documentation or a statement keyword.
pub(super) fn starts_statement(input: ParseStream<'_>) -> bool {
    input.peek(Token![#])
        || input.peek(Token![pub])
        || input
            .fork()
            .call(Ident::parse_any)
            .is_ok_and(|word| keyword::is_statement(&word.to_string()))
}
