//! The modelling language of `mbd`: `mechanism! { … }`, and `#[differentiable]`.
//!
//! The way of a block: `parse` (tokens to `ast`, skipping what does not parse), `resolve` (names to
//! meanings, `ir`), `check` (rules over the whole model), `lower` (`ir` to code). Errors of all
//! stages are collected in `diag`; when there are any, `fallback` still emits the struct and its
//! ids, so that they are the only errors.

mod ast;
mod block;
mod check;
mod component;
mod diag;
mod differentiable;
mod dump;
mod expand;
mod fallback;
#[cfg(test)]
mod hard;
mod interface;
mod ir;
mod joint;
mod keyword;
mod link;
mod lower;
mod mesh;
mod names;
mod parse;
mod part;
mod resolve;
mod source;
#[cfg(test)]
mod tests;
mod tokens;

use proc_macro::TokenStream;

/// A model, written in the language described in `docs/book/src/language.md`.
///
/// Becomes a struct with a public field for each parameter and size, its `Default`, typed ids of
/// coordinates, states and outputs, and an implementation of `mbd::Mechanism`.
///
/// `mbd::mechanism!` puts `[$crate]` before the block: the path of the crate the code calls, whatever
/// it is called where the block stands.
#[proc_macro]
pub fn mechanism(block: TokenStream) -> TokenStream {
    expand::mechanism(block.into()).into()
}

/// Makes a function on `f64` usable in models: every `f64` of its signature and every plain number
/// in its body becomes a scalar that carries derivatives.
///
/// ```text
/// #[differentiable]
/// fn gas(x: f64) -> f64 { if x < 0.2 { 3.0 * (0.2 - x) } else { 0.0 } }
/// ```
///
/// Where the crate has another name, `#[differentiable(crate = name)]` says so.
#[proc_macro_attribute]
pub fn differentiable(arguments: TokenStream, function: TokenStream) -> TokenStream {
    differentiable::expand(arguments.into(), function.into()).into()
}
