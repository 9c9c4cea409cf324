//! Files of `draw name: mesh(…)`. They become part of the program that draws them, so that it shows them wherever it is
//! carried. A file is found from the one that names it, as those of `include_bytes!` are.
//!
//! A public component is used by blocks of other files and crates: its file stands in a static of the hidden module
//! beside it (see `part`).

use crate::names;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use syn::LitStr;

/// Its bytes. Rust looks for a file from where the call stands, and that is the text's place.
pub fn bytes(file: &LitStr) -> TokenStream {
    quote_spanned!(file.span()=> ::core::include_bytes!(#file))
}

/// What the static of a public component's file is called.
pub fn name(file: &LitStr) -> String {
    let mut hash = DefaultHasher::new();
    file.value().hash(&mut hash);
    format!("__mesh_{:016x}", hash.finish())
}

/// That static.
pub fn item(name: &str, file: &LitStr, krate: &TokenStream) -> TokenStream {
    let (name, bytes) = (names::ident(name, file.span()), bytes(file));
    quote! {
        #[allow(non_upper_case_globals)]
        pub static #name: #krate::__private::Mesh = #krate::__private::Mesh::new(#file, #bytes);
    }
}

/// What to say where there is no such file, as far as can be told.
pub fn missing(file: &LitStr) -> Option<String> {
    if !proc_macro::is_available() {
        return None;
    }
    let from = file.span().unwrap().local_file()?;
    let folder = from.is_file().then(|| from.parent())??;
    let path = folder.join(file.value());
    if path.is_file() {
        return None;
    }
    let at = if path.is_dir() { "is a folder" } else { "is not there" };
    let name = from.file_name().map(Path::new)?.display();
    Some(format!(
        "the file `{}` {at}: a mesh is looked for from the folder of the file that names it, `{name}`",
        file.value()
    ))
}
