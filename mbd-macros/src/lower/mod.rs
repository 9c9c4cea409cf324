//! The resolved model to code: the struct with its defaults and typed ids, one kernel per
//! expression, and the `Mechanism` implementation that fills a `ModelBuilder`.

mod build;
mod item;
mod kernel;
mod params;
mod support;

pub use item::item;
pub use kernel::scalars;

use crate::ir::Model;
use proc_macro2::TokenStream;
use quote::quote;

/// All code of a mechanism.
pub fn model(model: &Model) -> TokenStream {
    let item = item(model, true);
    let name = &model.name;
    let kernels = kernel::Kernels::new(model);
    let build = build::build(model, &kernels);
    let (set, params) = (params::set(model), params::list(model));
    let kernels = kernels.items();
    let support = support::items();
    let lints = lints();
    quote! {
        #item
        #lints
        const _: () = {
            use ::mbd::__private as __mbd;
            use ::mbd::math::*;
            #kernels
            #support
            impl ::mbd::Mechanism for #name {
                fn model(&self) -> ::core::result::Result<__mbd::Model, __mbd::ModelError> {
                    #build
                }
                fn set(&mut self, __name: &str, __value: f64) -> ::core::result::Result<(), __mbd::ModelError> {
                    #set
                }
                fn params(&self) -> ::std::vec::Vec<__mbd::ParamInfo> {
                    #params
                }
            }
        };
    }
}

/// Generated code follows the user's spelling (`Theta`, redundant parentheses) and must not answer
/// to lints the user cannot mend.
pub fn lints() -> TokenStream {
    quote!(#[allow(
        unused,
        nonstandard_style,
        missing_docs,
        clippy::all,
        clippy::pedantic,
        clippy::nursery,
        clippy::restriction
    )])
}
