//! `#[differentiable]`: plain f64 Rust to a function on scalars that carry derivatives.

use crate::diag::Diag;
use crate::resolve;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::visit_mut::{self, VisitMut};
use syn::{FnArg, ItemFn, Pat, ReturnType, Type};

/// Expands the attribute.
pub fn expand(arguments: TokenStream, function: TokenStream) -> TokenStream {
    let diag = Diag::new();
    let krate = krate(arguments, &diag);
    let original = function.clone();
    let mut function: ItemFn = match syn::parse2(function) {
        Ok(function) => function,
        Err(error) => {
            diag.error(
                error.span(),
                "`#[differentiable]` stands before a function, as in `fn gas(x: f64) -> f64 { … }`",
            );
            let errors = diag.finish();
            return quote!(#errors #original);
        }
    };
    rewrite(&mut function, &krate, &diag);
    match diag.finish() {
        Some(errors) => quote!(#errors #original),
        None => {
            let lints = quote!(#[allow(unused_parens, unused_imports, clippy::needless_return)]);
            quote!(#lints #function)
        }
    }
}

fn rewrite(function: &mut ItemFn, krate: &TokenStream, diag: &Diag) {
    let signature = &mut function.sig;
    if let Some(token) = &signature.constness {
        diag.error(token.span, "a differentiable function cannot be `const`");
    }
    if let Some(token) = &signature.asyncness {
        diag.error(token.span, "a differentiable function cannot be `async`");
    }
    let mut types = Types { found: false, krate };
    let mut arguments = Vec::new();
    for input in &mut signature.inputs {
        match input {
            FnArg::Receiver(receiver) => diag.push(syn::Error::new_spanned(
                receiver,
                "a differentiable function has no `self`; pass what it needs as arguments",
            )),
            FnArg::Typed(typed) => {
                arguments.push(Pat::Type(typed.clone()));
                types.visit_type_mut(&mut typed.ty);
            }
        }
    }
    if let ReturnType::Type(_, ty) = &mut signature.output {
        types.visit_type_mut(ty);
    }
    if !types.found {
        diag.error(
            signature.ident.span(),
            "no `f64` in the signature: there is nothing to differentiate",
        );
        return;
    }
    signature.generics.params.push(syn::parse_quote!(__D: #krate::__private::Scalar));
    types.visit_block_mut(&mut function.block);
    let body = crate::lower::scalars(&resolve::function_body(&arguments, &function.block, diag));
    *function.block = syn::parse_quote!({
        use #krate::__private as __mbd;
        use #krate::math::*;
        #body
    });
}

/// The path of the crate: `::mbd`, or that of `crate = path`.
fn krate(arguments: TokenStream, diag: &Diag) -> TokenStream {
    if arguments.is_empty() {
        return quote!(::mbd);
    }
    let parser = |input: syn::parse::ParseStream<'_>| {
        input.parse::<syn::Token![crate]>()?;
        input.parse::<syn::Token![=]>()?;
        input.call(syn::Path::parse_mod_style)
    };
    match syn::parse::Parser::parse2(parser, arguments.clone()) {
        Ok(path) => quote!(#path),
        Err(_) => {
            diag.push(syn::Error::new_spanned(
                &arguments,
                "`differentiable` takes no arguments but `crate = path`, where `mbd` has another name",
            ));
            quote!(::mbd)
        }
    }
}

/// Replaces the type `f64` by the scalar; casts (`i as f64`) and paths (`f64::consts`) stay.
struct Types<'a> {
    found: bool,
    krate: &'a TokenStream,
}

impl VisitMut for Types<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Path(path) = ty
            && path.path.is_ident("f64")
        {
            let span = path.path.segments[0].ident.span();
            let krate = self.krate;
            *ty = Type::Verbatim(quote_spanned!(span=> #krate::__private::Num<__D>));
            self.found = true;
            return;
        }
        visit_mut::visit_type_mut(self, ty);
    }

    fn visit_expr_cast_mut(&mut self, cast: &mut syn::ExprCast) {
        self.visit_expr_mut(&mut cast.expr);
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
