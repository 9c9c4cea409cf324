//! Names as text and as identifiers of the code that is written.
//!
//! A name has one text, whether it was written `x` or `r#x`. The identifiers made of it stand at
//! the user's token, for messages, and are resolved where the block is: of a block in a
//! `macro_rules!`, some tokens are the macro's and some its caller's, and to Rust a local of the one
//! is none of the other.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;

/// Words that stand as names only as `r#word`.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// True for a word that Rust keeps for itself.
pub fn is_keyword(text: &str) -> bool {
    KEYWORDS.contains(&text)
}

/// The name without `r#`.
pub fn text(name: &Ident) -> String {
    name.unraw().to_string()
}

/// The identifier of a name, at a token.
pub fn ident(text: &str, span: Span) -> Ident {
    let span = span.resolved_at(Span::call_site());
    let text = text.strip_prefix("r#").unwrap_or(text);
    if is_keyword(text) { Ident::new_raw(text, span) } else { Ident::new(text, span) }
}

/// The same name as the code that is written has it.
pub fn local(name: &Ident) -> Ident {
    ident(&name.to_string(), name.span())
}

/// Every word of the tokens.
pub fn words(tokens: TokenStream, found: &mut dyn FnMut(&str)) {
    for token in tokens {
        match token {
            TokenTree::Ident(word) => found(&text(&word)),
            TokenTree::Group(group) => words(group.stream(), found),
            _ => {}
        }
    }
}
