//! The struct, its `Default` and the typed ids. Also emitted beside errors, then with neutral
//! defaults, so that code using the struct shows no secondary errors.

use super::support::lints;
use crate::ir::*;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeSet;

/// Struct, `Default` and ids. `sound`: default expressions can be emitted.
pub fn item(model: &Model, sound: bool, krate: &TokenStream) -> TokenStream {
    let (vis, name) = (&model.vis, &model.name);
    let docs = match &model.docs[..] {
        [] => vec![format!("The mechanism `{name}`.")],
        docs => docs.to_vec(),
    };
    // Duplicates were reported; a second field or id would only add noise.
    let mut taken = BTreeSet::new();
    let mut fields = Vec::new();
    for size in model.sizes.iter().filter(|size| !size.given) {
        if taken.insert(size.name.to_string()) {
            let (docs, name) = (documentation(&size.docs, "Size", &size.text, ""), &size.name);
            fields.push(quote!(#docs pub #name: ::core::primitive::usize));
        }
    }
    for param in &model.params {
        if taken.insert(param.field.to_string()) {
            let docs = documentation(&param.docs, "Parameter", &param.name, &param.unit);
            let (field, ty) = (&param.field, field_type(param));
            fields.push(quote!(#docs pub #field: #ty));
        }
    }
    let default = if sound { default(model) } else { neutral(model) };
    let ids = ids(model, krate);
    let lints = lints();
    quote! {
        #(#[doc = #docs])*
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #[allow(nonstandard_style)]
        #vis struct #name {
            #(#fields,)*
        }
        #lints
        impl ::core::default::Default for #name {
            fn default() -> Self {
                use #krate::__private as __mbd;
                use #krate::math::*;
                #default
            }
        }
        #[allow(dead_code, nonstandard_style, clippy::all, clippy::pedantic)]
        impl #name {
            #ids
        }
    }
}

fn field_type(param: &Param) -> TokenStream {
    if param.len.is_some() {
        quote!(::std::vec::Vec<::core::primitive::f64>)
    } else {
        quote!(::core::primitive::f64)
    }
}

/// The user's documentation with the unit, or a line that says what this is.
fn documentation(docs: &[String], what: &str, name: &str, unit: &str) -> TokenStream {
    let mut lines = docs.to_vec();
    if lines.is_empty() {
        lines.push(format!("{what} `{name}`."));
    }
    if !matches!(unit, "" | "-")
        && let Some(last) = lines.last_mut()
    {
        last.push_str(&format!(" In `{unit}`."));
    }
    quote!(#(#[doc = #lines])*)
}

fn default(model: &Model) -> TokenStream {
    let sizes = model.sizes.iter().map(|size| {
        let (name, value) = (&size.name, &size.default);
        quote!(let #name: ::core::primitive::i64 = #value;)
    });
    let params = model.params.iter().map(|param| {
        let field = &param.field;
        match (&param.default, &param.len) {
            (DefaultValue::Fill(value), Some(len)) => {
                let len = &len.tokens;
                quote!(let #field: ::std::vec::Vec<::core::primitive::f64> = ::std::vec![#value; ::core::cmp::max(#len, 0) as ::core::primitive::usize];)
            }
            (DefaultValue::List(values), _) => quote!(let #field: ::std::vec::Vec<::core::primitive::f64> = ::std::vec![#(#values),*];),
            (DefaultValue::Fill(value) | DefaultValue::Value(value), _) => quote!(let #field: ::core::primitive::f64 = #value;),
        }
    });
    let size_fields = model.sizes.iter().filter(|size| !size.given).map(|size| {
        let name = &size.name;
        quote!(#name: ::core::cmp::max(#name, 0) as ::core::primitive::usize)
    });
    let fields = model.params.iter().map(|param| &param.field);
    quote!(#(#sizes)* #(#params)* Self { #(#size_fields,)* #(#fields,)* })
}

fn neutral(model: &Model) -> TokenStream {
    let mut taken = BTreeSet::new();
    let sizes = model.sizes.iter().filter(|size| !size.given).map(|size| &size.name);
    let names: Vec<&Ident> = sizes
        .chain(model.params.iter().map(|param| &param.field))
        .filter(|name| taken.insert(name.to_string()))
        .collect();
    quote!(Self { #(#names: ::core::default::Default::default(),)* })
}

/// Typed ids of coordinates, states and outputs: constants, or functions of the index for arrays.
fn ids(model: &Model, krate: &TokenStream) -> TokenStream {
    let mut taken = BTreeSet::new();
    let mut ids = Vec::new();
    let mut id = |ident: &Ident, ty: &str, docs: TokenStream, name: Result<&str, BodyArray>| {
        if !taken.insert(ident.to_string()) {
            return;
        }
        let ty = format_ident!("{ty}");
        ids.push(match name {
            Ok(name) => quote!(#docs pub const #ident: #krate::#ty = #krate::#ty::new(#name);),
            Err(array) => {
                let index = |k: usize| format_ident!("{}", ["i", "j", "k", "l"].get(k).map_or_else(|| format!("i{k}"), |i| i.to_string()));
                let format = array.with(|k| format!("{{{}}}", index(k)));
                let indices = (0..array.texts.len()).map(index);
                quote!(#docs pub fn #ident(#(#indices: ::core::primitive::usize),*) -> #krate::#ty { #krate::#ty::from(::std::format!(#format)) })
            }
        });
    };
    let alone = |name: &str| BodyArray {
        texts: vec![name.to_string()],
        lens: Vec::new(),
        after: String::new(),
    };
    for scalar in model.scalars.iter().filter(|scalar| scalar.is_unknown() && !scalar.solved) {
        let (ty, what) = match scalar.kind {
            ScalarKind::Coord => ("CoordId", "Coordinate"),
            ScalarKind::State => ("StateId", "State"),
            ScalarKind::Variable | ScalarKind::Mode | ScalarKind::Input | ScalarKind::Start => {
                continue;
            }
        };
        let docs = documentation(&scalar.docs, what, &scalar.name, &scalar.unit);
        let name = match (&scalar.len, &scalar.body) {
            (None, _) => Ok(&scalar.name[..]),
            (Some(_), Some(body)) => Err(body.clone()),
            (Some(_), None) => Err(alone(&scalar.name)),
        };
        id(&scalar.ident, ty, docs, name);
    }
    for statement in &model.statements {
        if let StatementKind::Output { ident, index, unit, docs, vector, .. } = &statement.kind {
            let docs = documentation(docs, "Output", &statement.name, unit);
            let name = match (index.is_some(), *vector) {
                (false, false) => Ok(&statement.name[..]),
                (true, true) => {
                    let mut both = alone(&statement.name);
                    both.texts.push(String::new());
                    Err(both)
                }
                _ => Err(alone(&statement.name)),
            };
            id(ident, "OutputId", docs, name);
        }
    }
    quote!(#(#ids)*)
}
