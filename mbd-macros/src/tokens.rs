//! The block's tokens before they are parsed: one spelling of each name, and no nesting that the
//! parser, which recurses, could not follow. None of this recurses itself.

use crate::diag::Diag;
use crate::names;
use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree, token_stream};

/// Brackets within brackets deeper than this are refused. syn takes some 25 kB of stack for a level
/// where macros are compiled without optimization, rustc gives a macro 8 MB.
const DEPTH: usize = 128;
/// The same for signs before an operand, and for `else if`s one after the other.
const REPEATED: usize = 128;

/// Words that stand before an operand.
const PREFIXES: &[&str] = &["return", "break", "if", "match", "while", "move", "unsafe", "mut"];

/// A group of which the tokens are being copied.
struct Open {
    delimiter: Delimiter,
    span: Span,
    rest: token_stream::IntoIter,
    copied: Vec<TokenTree>,
    /// Signs since the last token that is none, and `else`s since the last `;`.
    signs: usize,
    elses: usize,
}

impl Open {
    fn new(delimiter: Delimiter, span: Span, stream: TokenStream) -> Self {
        let rest = stream.into_iter();
        Open { delimiter, span, rest, copied: Vec::new(), signs: 0, elses: 0 }
    }

    /// The group, or what is in it where a `macro_rules!` put a single token in a group of no
    /// brackets.
    fn close(mut self) -> TokenTree {
        if self.delimiter == Delimiter::None
            && self.copied.len() == 1
            && let Some(token) = self.copied.pop()
        {
            return token;
        }
        let mut group = Group::new(self.delimiter, self.copied.into_iter().collect());
        group.set_span(self.span);
        TokenTree::Group(group)
    }

    /// Whether the token makes for too long a chain of what the parser recurses on.
    fn too_long(&mut self, token: &TokenTree) -> bool {
        match token {
            TokenTree::Punct(punct) => match punct.as_char() {
                ';' => (self.signs, self.elses) = (0, 0),
                '-' | '!' | '*' | '&' | '|' | '=' => self.signs += 1,
                _ => self.signs = 0,
            },
            TokenTree::Ident(word) if word == "else" => self.elses += 1,
            TokenTree::Ident(word) if PREFIXES.iter().any(|prefix| word == prefix) => {
                self.signs += 1;
            }
            _ => self.signs = 0,
        }
        self.signs > REPEATED || self.elses > REPEATED
    }
}

/// The tokens as they are parsed.
pub fn prepare(tokens: TokenStream, diag: &Diag) -> TokenStream {
    let mut open = vec![Open::new(Delimiter::None, Span::call_site(), tokens)];
    loop {
        let depth = open.len();
        let Some(here) = open.last_mut() else { return TokenStream::new() };
        let Some(token) = here.rest.next() else {
            let Some(closed) = open.pop() else { return TokenStream::new() };
            match open.last_mut() {
                Some(around) => around.copied.push(closed.close()),
                None => return closed.copied.into_iter().collect(),
            }
            continue;
        };
        if here.too_long(&token) {
            diag.error(
                token.span(),
                format!("more than {REPEATED} signs or `else` branches, one after the other; name a part with `let`, or move it into a function"),
            );
            // Nothing of it is parsed.
            for token in here.rest.by_ref() {
                if matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ';') {
                    break;
                }
            }
            let ends = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';');
            let begin = here.copied.iter().rposition(ends).map_or(0, |end| end + 1);
            here.copied.truncate(begin);
            (here.signs, here.elses) = (0, 0);
            continue;
        }
        match token {
            TokenTree::Group(group) if depth > DEPTH => {
                diag.error(
                    group.span_open(),
                    format!(
                        "brackets are nested more than {DEPTH} deep here; name a part with `let`"
                    ),
                );
                // Whatever it was: the error is told, and nothing that follows from it.
                here.copied.push(TokenTree::Literal(Literal::i32_unsuffixed(0)));
            }
            TokenTree::Group(group) => {
                let span = group.span();
                open.push(Open::new(group.delimiter(), span, group.stream()));
            }
            TokenTree::Ident(name) => here.copied.push(TokenTree::Ident(plain(name))),
            other => here.copied.push(other),
        }
    }
}

/// `r#x` as `x`; `r#type` stays.
fn plain(name: Ident) -> Ident {
    let text = name.to_string();
    match text.strip_prefix("r#") {
        Some(text) if !names::is_keyword(text) => Ident::new(text, name.span()),
        _ => name,
    }
}

/// The path of the crate the code calls, from `[$crate]` before the block, and the block.
pub fn krate(tokens: TokenStream) -> (TokenStream, TokenStream) {
    let mut rest = tokens.clone().into_iter();
    match rest.next() {
        Some(TokenTree::Group(path)) if path.to_string().replace(' ', "") == "[$crate]" => {
            (path.stream(), rest.collect())
        }
        _ => (quote::quote!(::mbd), tokens),
    }
}
