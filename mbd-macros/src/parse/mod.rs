//! Tokens to statements, with recovery: after an error the parser skips to the next `;`, so one
//! compile reports the mistakes of every statement.

mod hoist;
mod long;
mod skip;
mod stmt;
mod unit;

pub use unit::{Dimension, dimension};

use crate::ast::{Component, File, Mechanism, Use};
use crate::diag::{Diag, did_you_mean};
use crate::keyword;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Ident, Path, UseTree, Visibility, token};

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
    if input.peek(token::Use) {
        return used(input.parse()?, &mut file.uses, diag);
    }
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
        let body = hoist::declarations(body);
        file.mechanisms.push(Mechanism { docs, vis, name, body });
    } else if word == "component" {
        file.components.push(stmt::component(input, docs, vis, diag)?);
    } else {
        let hint = did_you_mean(&word.to_string(), keyword::ITEMS.iter().copied());
        return Err(syn::Error::new(
            word.span(),
            format!(
                "expected `mechanism Name {{ … }}`, `component Name {{ … }}` or `use path::Component;`{hint}"
            ),
        ));
    }
    Ok(())
}

/// The names that a `use` gives to components of other blocks.
fn used(item: syn::ItemUse, uses: &mut Vec<Use>, diag: &Diag) -> syn::Result<()> {
    let start = Path { leading_colon: item.leading_colon, segments: Default::default() };
    let mut open = vec![(start, item.tree)];
    while let Some((mut path, tree)) = open.pop() {
        match tree {
            UseTree::Path(step) => {
                path.segments.push(step.ident.into());
                open.push((path, *step.tree));
            }
            UseTree::Group(group) => {
                open.extend(group.items.into_iter().rev().map(|tree| (path.clone(), tree)));
            }
            UseTree::Name(last) => {
                path.segments.push(last.ident.clone().into());
                uses.push(Use { name: last.ident, path });
            }
            UseTree::Rename(last) => {
                path.segments.push(last.ident.into());
                uses.push(Use { name: last.rename, path });
            }
            UseTree::Glob(star) => diag.error(
                star.star_token.spans[0],
                "name the components that are used, as in `use vehicle::{Wheel, Axle};`: the block has to know which there are",
            ),
        }
    }
    Ok(())
}

fn skip_item(input: ParseStream<'_>) {
    while !input.is_empty() {
        match input.parse::<TokenTree>() {
            Ok(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => return,
            Ok(TokenTree::Punct(punct)) if punct.as_char() == ';' => return,
            Ok(_) => {}
            Err(_) => return,
        }
    }
}
