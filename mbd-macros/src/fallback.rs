//! What is emitted beside errors: the struct, its `Default` and ids, and a `Mechanism` whose model
//! is an error, so that the only messages are those about the block itself.

use crate::ir::Model;
use crate::lower;
use proc_macro2::TokenStream;
use quote::quote;

/// The remains of a mechanism with errors.
pub fn model(model: &Model, krate: &TokenStream) -> TokenStream {
    let item = lower::item(model, false, krate);
    let name = &model.name;
    let text = crate::names::text(name);
    quote! {
        #item
        impl #krate::Mechanism for #name {
            fn model(&self) -> ::core::result::Result<#krate::__private::Model, #krate::__private::ModelError> {
                ::core::result::Result::Err(#krate::__private::ModelError::Rejected { model: #text.into() })
            }
            fn set(&mut self, _: &::core::primitive::str, _: ::core::primitive::f64) -> ::core::result::Result<(), #krate::__private::ModelError> {
                ::core::result::Result::Err(#krate::__private::ModelError::Rejected { model: #text.into() })
            }
            fn params(&self) -> ::std::vec::Vec<#krate::__private::ParamInfo> {
                ::std::vec::Vec::new()
            }
        }
    }
}
