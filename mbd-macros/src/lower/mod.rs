//! The resolved model to code: the struct with its defaults and typed ids, one kernel per
//! expression, and the `Mechanism` implementation that fills a `ModelBuilder`.

mod alike;
mod build;
mod declare;
mod item;
mod kernel;
mod params;
mod support;

pub use item::item;
pub use kernel::scalars;

use crate::ir::{Model, ScalarKind};
use crate::keyword;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// All code of a mechanism.
pub fn model(model: &Model, krate: &TokenStream) -> TokenStream {
    let constants = constants(model, krate, false);
    let code = code(model, krate);
    quote!(#constants #code)
}

/// The code of a public component, for rustc to read where it is written; nothing of it is run.
pub fn tried(model: &Model, krate: &TokenStream) -> TokenStream {
    let code = code(model, krate);
    quote! {
        #[allow(dead_code, unused)]
        const _: () = { #code };
    }
}

fn code(model: &Model, krate: &TokenStream) -> TokenStream {
    let item = item(model, true, krate);
    let name = &model.name;
    let kernels = kernel::Kernels::new(model);
    let (build, alike) = build::build(model, &kernels);
    let (model_fn, model_again) = started(model, &build);
    let (set, params) = (params::set(model), params::list(model));
    let kernels = kernels.items();
    let support = support::items();
    let lints = support::lints();
    quote! {
        #item
        #lints
        const _: () = {
            use #krate::__private as __mbd;
            use __mbd::{KeepConstant as _, Lift as _};
            // Of these a kernel of a joint has dozens: one token each.
            use __mbd::SlotKind::{
                T as __T, Q as __Q, V as __V, A as __A, X as __X, Xd as __Xd, Lambda as __Lambda, Psi as __Psi, W as __W,
            };
            use #krate::math::*;
            #kernels
            #alike
            #support
            #model_again
            impl #krate::Mechanism for #name {
                fn model(&self) -> ::core::result::Result<__mbd::Model, __mbd::ModelError> {
                    #model_fn
                }
                fn set(&mut self, __name: &::core::primitive::str, __value: ::core::primitive::f64) -> ::core::result::Result<(), __mbd::ModelError> {
                    #set
                }
                fn params(&self) -> ::std::vec::Vec<__mbd::ParamInfo> {
                    #params
                }
            }
        };
    }
}

/// The body of `fn model`, and what it calls where joints can be given other starts from outside.
fn started(model: &Model, build: &TokenStream) -> (TokenStream, TokenStream) {
    let starts = model.scalars.iter().filter(|scalar| scalar.kind == ScalarKind::Start);
    let names: Vec<&String> = starts.map(|scalar| &scalar.name).collect();
    if names.is_empty() {
        return (build.clone(), TokenStream::new());
    }
    let name = &model.name;
    let calls = quote! {
        let __this = ::core::clone::Clone::clone(self);
        __mbd::Model::startable(&[#(#names),*], move |__outside| __this.__model(__outside))
    };
    let called = quote! {
        impl #name {
            fn __model(&self, __outside: &__mbd::Starts) -> ::core::result::Result<__mbd::Model, __mbd::ModelError> {
                #build
            }
        }
    };
    (calls, called)
}

/// The constants of the language that the block names. Imported by `*`, where the block stands, they
/// give way to constants of the same name that are the user's own.
///
/// `seen`: by others too, who use the components of the block.
pub fn constants(model: &Model, krate: &TokenStream, seen: bool) -> TokenStream {
    let vis = seen.then(|| quote!(#[doc(hidden)] pub));
    let mut named: Vec<&str> = keyword::CONSTANTS.to_vec();
    named.retain(|known| model.constants.iter().any(|constant| constant.name == known));
    let imports = named.into_iter().map(|name| {
        let module = format_ident!("{}", name.to_lowercase());
        quote! {
            #[allow(unused_imports, clippy::all, clippy::pedantic, clippy::restriction)]
            #vis use #krate::__private::constant::#module::*;
        }
    });
    // Of what a `macro_rules!` writes names are looked up where that stands.
    let functions = model.functions.iter().map(|name| {
        let module = format_ident!("{name}");
        quote! {
            #[allow(unused_imports, clippy::all, clippy::pedantic, clippy::restriction)]
            #vis use #krate::__private::components::by_name::#module::*;
        }
    });
    imports.chain(functions).collect()
}
