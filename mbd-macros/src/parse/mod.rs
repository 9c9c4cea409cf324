//! Tokens to statements, with recovery: after an error the parser skips to the next `;`, so one
//! compile reports the mistakes of every statement.

mod long;
mod stmt;
mod unit;

pub use unit::{Dimension, dimension};

use crate::ast::{Component, File, Mechanism, Stmt};
use crate::diag::{Diag, did_you_mean};
use crate::keyword;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, ExprLit, Ident, Lit, Meta, Token, Visibility, braced};

/// Parses a whole block.
pub fn file(tokens: TokenStream, diag: &Diag) -> File {
    let parser = |input: ParseStream<'_>| {
        let mut file = File::default();
        while !input.is_empty() {
            if let Err(error) = item(input, &mut file, diag) {
                diag.push(error);
                skip_item(input);
            }
        }
        Ok(file)
    };
    match parser.parse2(tokens) {
        Ok(file) => file,
        Err(error) => {
            diag.push(error);
            File::default()
        }
    }
}

/// Parses the components of a prelude written in the language.
pub fn components(source: &str, diag: &Diag) -> Vec<Component> {
    source.parse::<TokenStream>().map_or(Vec::new(), |tokens| file(tokens, diag).components)
}

fn item(input: ParseStream<'_>, file: &mut File, diag: &Diag) -> syn::Result<()> {
    let docs = docs(input, diag)?;
    let vis: Visibility = input.parse()?;
    let word = input.call(Ident::parse_any)?;
    if word == "mechanism" {
        let name: Ident = input.parse()?;
        let body = braces(input, diag)?;
        if body.is_empty() && diag.is_clean() {
            diag.error(
                name.span(),
                format!("mechanism `{name}` is empty; it needs coordinates with inertia, as in `coord x: [m]; mass[x, x] = 1.0;`"),
            );
        }
        file.mechanisms.push(Mechanism { docs, vis, name, body });
    } else if word == "component" {
        file.components.push(component(input, diag)?);
    } else {
        let hint = did_you_mean(&word.to_string(), keyword::ITEMS.iter().copied());
        return Err(syn::Error::new(
            word.span(),
            format!("expected `mechanism Name {{ … }}` or `component Name {{ … }}`{hint}"),
        ));
    }
    Ok(())
}

fn component(input: ParseStream<'_>, diag: &Diag) -> syn::Result<Component> {
    Ok(Component { name: input.parse()?, body: braces(input, diag)? })
}

fn braces(input: ParseStream<'_>, diag: &Diag) -> syn::Result<Vec<Stmt>> {
    let content;
    braced!(content in input);
    Ok(statements(&content, diag))
}

/// The statements up to the end of the input, skipping those that do not parse.
fn statements(input: ParseStream<'_>, diag: &Diag) -> Vec<Stmt> {
    let mut list = Vec::new();
    while !input.is_empty() {
        match stmt::stmt(input, diag) {
            Ok(stmt) => list.extend(stmt),
            Err(error) => {
                diag.push(error);
                skip_statement(input);
            }
        }
    }
    list
}

/// `/// text` lines; other attributes have no meaning here.
fn docs(input: ParseStream<'_>, diag: &Diag) -> syn::Result<Vec<String>> {
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
fn skip_statement(input: ParseStream<'_>) {
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

fn skip_item(input: ParseStream<'_>) {
    while !input.is_empty() {
        match input.parse::<TokenTree>() {
            Ok(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => return,
            Ok(_) => {}
            Err(_) => return,
        }
    }
}

/// True before documentation or a statement keyword.
fn starts_statement(input: ParseStream<'_>) -> bool {
    input.peek(Token![#])
        || input
            .fork()
            .call(Ident::parse_any)
            .is_ok_and(|word| keyword::is_statement(&word.to_string()))
}
