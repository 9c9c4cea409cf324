//! What is emitted beside errors: the struct, its `Default` and ids, and a `Mechanism` whose model
//! is an error, so that the only messages are those about the block itself.

use crate::ir::Model;
use crate::lower;
use proc_macro2::TokenStream;
use quote::quote;

/// The remains of a mechanism with errors.
pub fn model(model: &Model) -> TokenStream {
    let item = lower::item(model, false);
    let name = &model.name;
    let text = name.to_string();
    quote! {
        #item
        impl ::mbd::Mechanism for #name {
            fn model(&self) -> ::core::result::Result<::mbd::__private::Model, ::mbd::__private::ModelError> {
                ::core::result::Result::Err(::mbd::__private::ModelError::Rejected { model: #text.into() })
            }
            fn set(&mut self, _: &str, _: f64) -> ::core::result::Result<(), ::mbd::__private::ModelError> {
                ::core::result::Result::Err(::mbd::__private::ModelError::Rejected { model: #text.into() })
            }
            fn params(&self) -> ::std::vec::Vec<::mbd::__private::ParamInfo> {
                ::std::vec::Vec::new()
            }
        }
    }
}
