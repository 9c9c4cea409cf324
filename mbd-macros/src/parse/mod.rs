//! Tokens to statements, with recovery: after an error the parser skips to the next `;`, so one
//! compile reports the mistakes of every statement.

mod long;
mod skip;
mod stmt;
mod unit;

pub use unit::{Dimension, dimension};

use crate::ast::{Component, File, Mechanism};
use crate::diag::{Diag, did_you_mean};
use crate::keyword;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Ident, Visibility};

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
    let docs = skip::docs(input, diag)?;
    let vis: Visibility = input.parse()?;
    let word = input.call(Ident::parse_any)?;
    if word == "mechanism" {
        let name: Ident = input.parse()?;
        let body = stmt::braces(input, diag)?;
        if body.is_empty() && diag.is_clean() {
            diag.error(
                name.span(),
                format!("mechanism `{name}` is empty; it needs coordinates with inertia, as in `coord x: [m]; mass[x, x] = 1.0;`"),
            );
        }
        file.mechanisms.push(Mechanism { docs, vis, name, body });
    } else if word == "component" {
        file.components.push(stmt::component(input, diag)?);
    } else {
        let hint = did_you_mean(&word.to_string(), keyword::ITEMS.iter().copied());
        return Err(syn::Error::new(
            word.span(),
            format!("expected `mechanism Name {{ … }}` or `component Name {{ … }}`{hint}"),
        ));
    }
    Ok(())
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
