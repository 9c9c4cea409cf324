//! Components used by other blocks: a macro sees its own tokens only, so each public component becomes a
//! `macro_rules!` of its own name that carries its block's tokens and calls back.
//!
//! A block that names components of others expands to a call of the first of them, with the paths of
//! the rest; each adds its tokens and calls the next, the last calls the block again. That is repeated
//! while what came names more. Paths are Rust's own: a renamed dependency, a `use`, a re-export, and
//! modules in any order work as for any item.
//!
//! Beside the macro stands a hidden module of the same name, for what the component's expressions name
//! in Rust (see `link`).

use crate::ast::{Component, File};
use crate::block::{Block, Blocks};
use crate::diag::Diag;
use crate::link::Link;
use crate::{interface, names, parse, tokens};
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;
use syn::{Path, Visibility};

/// What a block is expanded with.
pub struct Call {
    /// The path of the library.
    pub krate: TokenStream,
    /// Tokens of components that were asked for, with their places.
    pub parts: Vec<Part>,
    /// What the block is called, from its second expansion on.
    pub identity: Option<String>,
    pub block: TokenStream,
}

/// A component of another block, as its macro hands it over.
pub struct Part {
    pub path: TokenStream,
    pub name: String,
    pub identity: String,
    pub tokens: TokenStream,
    /// All of it, to be passed on.
    whole: TokenTree,
}

/// Reads what comes before the block: `[$crate] @ { identity parts }`.
pub fn call(tokens: TokenStream) -> Call {
    let (krate, block) = tokens::krate(tokens);
    let mut rest = block.clone().into_iter();
    match (rest.next(), rest.next()) {
        (Some(TokenTree::Punct(at)), Some(TokenTree::Group(parts))) if at.as_char() == '@' => {
            let mut parts = parts.stream().into_iter();
            let identity = parts.next().map(|mark| mark.to_string());
            Call { krate, parts: parts.filter_map(part).collect(), identity, block: rest.collect() }
        }
        _ => Call { krate, parts: Vec::new(), identity: None, block },
    }
}

/// `{ [path] Name identity { tokens } }`
fn part(whole: TokenTree) -> Option<Part> {
    let TokenTree::Group(group) = &whole else { return None };
    let mut rest = group.stream().into_iter();
    match (rest.next()?, rest.next()?, rest.next()?, rest.next()?) {
        (
            TokenTree::Group(path),
            TokenTree::Ident(name),
            TokenTree::Ident(identity),
            TokenTree::Group(tokens),
        ) => Some(Part {
            path: path.stream(),
            name: names::text(&name),
            identity: identity.to_string(),
            tokens: tokens.stream(),
            whole: whole.clone(),
        }),
        _ => None,
    }
}

impl Call {
    /// The blocks, parsed, and what is left to be asked for.
    pub fn blocks(&self, file: File, identity: String, diag: &Diag) -> Blocks {
        let mut blocks = vec![Block { identity, file, ..Block::default() }];
        for part in &self.parts {
            let Ok(path) = syn::parse2::<Path>(part.path.clone()) else { continue };
            // Mistakes in it are told where it is written.
            let own = Diag::new();
            let file = parse::file(tokens::prepare(part.tokens.clone(), &own), &own);
            if own.finish().is_some() {
                diag.error(
                    path.segments.last().map_or(Span::call_site(), |last| last.ident.span()),
                    format!("component `{}` does not compile where it is written", part.name),
                );
            }
            blocks.push(Block {
                path: Some(path),
                name: part.name.clone(),
                identity: part.identity.clone(),
                file,
            });
        }
        Blocks(blocks)
    }

    /// Asks for components, then for this block again.
    pub fn ask(&self, wanted: &[Path], identity: &str) -> TokenStream {
        let Some((first, rest)) = wanted.split_first() else { return TokenStream::new() };
        let (krate, block) = (&self.krate, &self.block);
        let parts = self.parts.iter().map(|part| &part.whole);
        let mark = format_ident!("{identity}");
        quote!(#first! { [#krate] { #mark #(#parts)* } [#first] [ #([#rest])* ] { #block } })
    }
}

/// A name for what a block makes beside itself, of what is written in it and where.
pub fn identity(file: &File, block: &TokenStream) -> String {
    let mut hash = DefaultHasher::new();
    block.to_string().hash(&mut hash);
    for component in &file.components {
        names::text(&component.name).hash(&mut hash);
        place(component.name.span()).hash(&mut hash);
    }
    let hash = hash.finish();
    // A `macro_rules!` may write the same block at several places.
    let mut written = WRITTEN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let before = written.entry(hash).or_insert(0usize);
    *before += 1;
    match *before {
        1 => format!("h{hash:016x}"),
        n => format!("h{hash:016x}_{n}"),
    }
}

/// How often blocks of the same tokens at the same place were expanded.
static WRITTEN: Mutex<BTreeMap<u64, usize>> = Mutex::new(BTreeMap::new());

/// Where a token stands. Without rustc, in tests of this crate, nowhere.
fn place(span: Span) -> (String, usize, usize) {
    if !proc_macro::is_available() {
        return Default::default();
    }
    let span = span.unwrap();
    (span.file(), span.line(), span.column())
}

/// The macros of a block's public components, and their names.
pub fn macros(call: &Call, file: &File, identity: &str) -> TokenStream {
    public(file).map(|component| carrier(call, component, identity)).collect()
}

fn public(file: &File) -> impl Iterator<Item = &Component> {
    file.components.iter().filter(|component| Blocks::is_public(component))
}

fn carrier(call: &Call, component: &Component, identity: &str) -> TokenStream {
    let Component { name, vis, .. } = component;
    let text = names::text(name);
    let block = plain(call.block.clone());
    let hidden = format_ident!("__mbd_{text}_{identity}");
    let mark = format_ident!("{identity}");
    let export = matches!(vis, Visibility::Public(_)).then(|| quote!(#[macro_export]));
    let docs = interface::documentation(component);
    let message = format!(
        "`{text}` is a component: name it in a block, as in `mechanism! {{ … body name: path::{text}; … }}`"
    );
    let part = quote!({ [$($path)*] #name #mark { #block } });
    quote! {
        #[doc(hidden)]
        #[allow(unused_macros, clippy::crate_in_macro_def)]
        #export
        macro_rules! #hidden {
            ([$($mbd:tt)*] { $($parts:tt)* } [$($path:tt)*] [] { $($block:tt)* }) => {
                $($mbd)*::__private::block! { [$($mbd)*] @ { $($parts)* #part } $($block)* }
            };
            ([$($mbd:tt)*] { $($parts:tt)* } [$($path:tt)*] [[$($next:tt)*] $($more:tt)*] { $($block:tt)* }) => {
                $($next)*! { [$($mbd)*] { $($parts)* #part } [$($next)*] [$($more)*] { $($block)* } }
            };
            ($($other:tt)*) => { ::core::compile_error! { #message } };
        }
        #(#[doc = #docs])*
        #[doc(inline)]
        #[allow(unused_imports)]
        #vis use #hidden as #name;
    }
}

/// A block without its mechanisms, which whoever uses its components has nothing to do with.
fn plain(block: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    let mut item: Vec<TokenTree> = Vec::new();
    let mut mechanism = false;
    for token in block {
        mechanism |= matches!(&token, TokenTree::Ident(word) if word == "mechanism");
        let ends = match &token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace && !in_use(&item),
            TokenTree::Punct(punct) => punct.as_char() == ';',
            _ => false,
        };
        item.push(token);
        if ends {
            let item = std::mem::take(&mut item);
            if !std::mem::take(&mut mechanism) {
                kept.extend(item);
            }
        }
    }
    kept.into_iter().collect()
}

fn in_use(item: &[TokenTree]) -> bool {
    matches!(item.first(), Some(TokenTree::Ident(word)) if word == "use")
}

/// The hidden module of a block's public components: what they name in Rust, and components of other
/// blocks that they are made of, and the files that they draw.
pub fn module(
    blocks: &Blocks,
    links: &BTreeMap<String, &Link>,
    (named, meshes): (&TokenStream, &TokenStream),
) -> TokenStream {
    let Block { identity, file, .. } = &blocks.0[0];
    let Some(first) = public(file).next() else { return TokenStream::new() };
    let exported = public(file).any(|c| matches!(c.vis, Visibility::Public(_)));
    let vis = if exported { quote!(pub) } else { quote!(pub(crate)) };
    let module = Ident::new(&format!("__mbd_names_{identity}"), first.name.span());
    let mut imports: BTreeMap<String, (Ident, Path)> = BTreeMap::new();
    for link in links.values() {
        imports.insert(link.name.to_string(), (link.name.clone(), link.import.clone()));
    }
    for component in &file.components {
        for path in Blocks::named_in(component) {
            if let Some(path) = blocks.place(0, &path) {
                let link = Link::whole(&path);
                imports.insert(link.name.to_string(), (link.name, link.import));
            }
        }
    }
    let imports = imports.values().map(|(name, path)| quote!(#vis use #path as #name;));
    let aliases = public(file).map(|component| {
        let Component { vis, name, .. } = component;
        quote! {
            #[doc(hidden)]
            #[allow(unused_imports)]
            #vis use #module as #name;
        }
    });
    let around = quote!(super::*);
    quote! {
        #named
        #[doc(hidden)]
        #[allow(unused_imports, non_snake_case, missing_docs, clippy::all, clippy::pedantic, clippy::restriction)]
        #vis mod #module {
            use #around;
            #(#imports)*
            #meshes
        }
        #(#aliases)*
    }
}
