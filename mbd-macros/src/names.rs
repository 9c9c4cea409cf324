//! Names as text and as identifiers of the code that is written.
//!
//! A name has one text, whether it was written `x` or `r#x`. The identifiers made of it stand at
//! the user's token, for messages, and are resolved where the block is: of a block in a
//! `macro_rules!`, some tokens are the macro's and some its caller's, and to Rust a local of the one
//! is none of the other.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;

/// The number of a loop's pass, from 0: where a name that the loop declares stands alone, it is `name[__pass]`. No
/// name of the user's can hide it.
pub const PASS: &str = "__pass";

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

/// The index of a loop as the code that is written has it. What a body is given may be made of names around the body that
/// its component has for indices of its own loops.
pub fn index(name: &Ident) -> Ident {
    ident(&format!("__{}_index", text(name)), name.span())
}

/// An expression as it was written: without the numbers of passes, and with the names of indices.
pub fn as_written(tokens: TokenStream) -> TokenStream {
    let pass = |group: &Group| {
        group.delimiter() == Delimiter::Bracket && group.stream().to_string() == PASS
    };
    let written = tokens.into_iter().filter_map(|token| match token {
        TokenTree::Group(group) if pass(&group) => None,
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), as_written(group.stream()));
            inner.set_span(group.span());
            Some(TokenTree::Group(inner))
        }
        TokenTree::Ident(word) => {
            let text = word.to_string();
            let index = text.strip_prefix("__").and_then(|word| word.strip_suffix("_index"));
            let index =
                index.filter(|name| name.starts_with(|c: char| c == '_' || c.is_alphabetic()));
            Some(TokenTree::Ident(index.map_or(word.clone(), |index| ident(index, word.span()))))
        }
        token => Some(token),
    });
    written.collect()
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
