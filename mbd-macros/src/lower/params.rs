//! Parameters by name: `set` and `params`.

use super::declare::sizes;
use crate::ir::*;
use crate::names;
use proc_macro2::TokenStream;
use quote::quote;

/// Name with the index left out: `c[]`, `link[].mass`.
fn pattern(param: &Param) -> String {
    match &param.body {
        Some(body) => body.with(|_| String::new()),
        None => format!("{}[]", param.name),
    }
}

/// The body of `fn set`.
pub fn set(model: &Model) -> TokenStream {
    let name = names::text(&model.name);
    let locals = sizes(model);
    let own_sizes = || model.sizes.iter().filter(|size| !size.given);
    let size_arms = own_sizes().map(|size| {
        let (field, text) = (&size.name, &size.text);
        quote!(#text => self.#field = __size(#text, __value)?,)
    });
    // Names are data by themselves, which the compiler passes through as they are; fields are one address each.
    let scalars: Vec<&Param> = model.params.iter().filter(|param| param.len.is_none()).collect();
    let names = scalars.iter().map(|param| &param.name);
    let fields = scalars.iter().map(|param| &param.field);
    let arms = model.params.iter().filter_map(|param| {
        let (field, text) = (&param.field, &param.name);
        // All entries at once.
        let Len { tokens, .. } = param.len.as_ref()?;
        Some(quote!(#text => self.#field = ::std::vec![__finite(#text, __value)?; __length(#text, #tokens)?],))
    });
    let entries = model.params.iter().filter_map(|param| {
        let Len { tokens, .. } = param.len.as_ref()?;
        let (field, text, pattern) = (&param.field, &param.name, pattern(param));
        let fill = matches!(param.default, DefaultValue::Fill(_));
        let lens = match &param.body {
            Some(body) => body.lens.iter().map(|len| &len.tokens).collect(),
            None => vec![tokens],
        };
        Some(quote!(#pattern => {
            let __len = __length(#text, #tokens)?;
            let __i = __place(#text, &__indices, &[#(#lens),*])?;
            __set_entry(#text, &mut self.#field, __len, #fill, __i, __finite(__name, __value)?)?;
        }))
    });
    let known = own_sizes().map(|size| size.text.clone());
    let known: Vec<String> =
        known.chain(model.params.iter().map(|param| param.name.clone())).collect();
    quote! {
        #locals
        let __unknown = || __mbd::ModelError::UnknownParameter {
            model: #name.into(),
            name: __name.into(),
            suggestion: __nearest(__name, &[#(#known),*]),
        };
        const __NAMES: &[&::core::primitive::str] = &[#(#names),*];
        if let ::core::option::Option::Some(__at) = __NAMES.iter().position(|__known| *__known == __name) {
            let __fields: &mut [&mut ::core::primitive::f64] = &mut [#(&mut self.#fields),*];
            *__fields[__at] = __finite(__name, __value)?;
            return ::core::result::Result::Ok(());
        }
        match __name {
            #(#size_arms)*
            #(#arms)*
            _ => {
                let (__pattern, __indices) = __entry(__name).ok_or_else(&__unknown)?;
                match __pattern.as_str() {
                    #(#entries)*
                    _ => return ::core::result::Result::Err(__unknown()),
                }
            }
        }
        ::core::result::Result::Ok(())
    }
}

/// The body of `fn params`.
pub fn list(model: &Model) -> TokenStream {
    let locals = sizes(model);
    let sizes = model.sizes.iter().filter(|size| !size.given).map(|size| {
        let (field, text, doc) = (&size.name, &size.text, size.docs.join(" "));
        quote!(__list.push(__info(#text.into(), "", #doc, self.#field as ::core::primitive::f64, true));)
    });
    let params: Vec<&Param> = model.params.iter().collect();
    let runs = params.chunk_by(|a, b| a.len.is_none() && b.len.is_none());
    let params = runs.map(|run| {
        let Param { name, field, unit, .. } = run[0];
        let doc = run[0].docs.join(" ");
        let Some(Len { tokens, .. }) = &run[0].len else {
            let rows = run.iter().map(|param| {
                let Param { name, field, unit, .. } = param;
                let doc = param.docs.join(" ");
                (quote!((#name, #unit, #doc)), quote!(self.#field))
            });
            let (rows, values): (Vec<_>, Vec<_>) = rows.unzip();
            return quote!(for (&(__name, __unit, __doc), __x) in [#(#rows),*].iter().zip([#(#values),*]) {
                __list.push(__info(__name.into(), __unit, __doc, __x, false));
            });
        };
        let param = run[0];
        let entry = match &param.body {
            Some(body) => body.name_of(quote!(__i)),
            None => {
                let format = format!("{name}[{{}}]");
                quote!(::std::format!(#format, __i))
            }
        };
        let fill = matches!(param.default, DefaultValue::Fill(_));
        quote! {
            let __entries = __length(#name, #tokens)
                .and_then(|__len| __array(#name, &self.#field, __len, #fill))
                .unwrap_or(::std::borrow::Cow::Borrowed(&self.#field));
            for (__i, &__x) in __entries.iter().enumerate() {
                __list.push(__info(#entry, #unit, #doc, __x, false));
            }
        }
    });
    quote! {
        #locals
        let mut __list = ::std::vec::Vec::new();
        #(#sizes)*
        #(#params)*
        __list
    }
}
