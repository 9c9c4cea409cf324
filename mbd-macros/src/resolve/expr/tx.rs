//! What an expression is walked with.

use crate::ir::*;
use crate::resolve::resolver::{Resolver, Subst};
use crate::resolve::scope::ScopeId;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident};
use std::cell::Cell;
use syn::visit::Visit;
use syn::{BinOp, Expr, ExprCall, Pat};

/// Where an expression lives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::resolve) enum Mode {
    /// In a kernel, on scalars.
    Kernel,
    /// In a default value, on f64; only sizes and earlier parameters exist.
    Default,
    /// In a `#[differentiable]` function, plain Rust whose every input is an argument: only
    /// numbers change, nothing is rejected.
    Function,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Local {
    Int,
    /// A scalar for certain.
    Scalar,
    /// An array for certain.
    Vector,
    /// Something that may be changed where it is.
    Mutable,
    Other,
}

/// What the value of a block is to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tail {
    /// None is asked for.
    None,
    /// A whole number, as it is.
    Whole,
    /// Numbers alone become scalars.
    Scalar,
    /// A scalar, whatever number it was.
    Converted,
}

/// The walk over one expression.
pub(in crate::resolve) struct Tx<'r, 'a> {
    pub(super) r: &'r mut Resolver<'a>,
    pub(super) scope: ScopeId,
    pub(super) mode: Mode,
    pub(super) subst: Option<Subst>,
    /// Locals of the user's own Rust, innermost last.
    pub(super) locals: Vec<(String, Local)>,
    /// Locals before this one are outside the innermost `der(…)`.
    pub(super) der_floor: usize,
    pub(super) reads: Vec<Read>,
    /// An error was reported.
    pub(super) broken: Cell<bool>,
}

pub(super) fn verbatim(tokens: TokenStream) -> Expr {
    Expr::Verbatim(tokens)
}

pub(super) fn scalar_type(span: Span) -> Ident {
    format_ident!("{}", SCALAR, span = span)
}

pub(super) fn is_call_of(call: &ExprCall, name: &str) -> bool {
    matches!(&*call.func, Expr::Path(path) if path.path.is_ident(name))
}

pub(super) fn is_op_assign(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
    )
}

impl<'r, 'a> Tx<'r, 'a> {
    pub(in crate::resolve) fn new(
        r: &'r mut Resolver<'a>,
        scope: ScopeId,
        mode: Mode,
        subst: Option<Subst>,
    ) -> Self {
        Tx {
            r,
            scope,
            mode,
            subst,
            locals: Vec::new(),
            der_floor: 0,
            reads: Vec::new(),
            broken: Cell::default(),
        }
    }

    /// The finished code.
    pub(in crate::resolve) fn code(self, tokens: TokenStream) -> Code {
        Code { tokens, reads: self.reads, broken: self.broken.get() }
    }

    pub(super) fn error(&self, span: Span, message: impl std::fmt::Display) {
        self.broken.set(true);
        self.r.diag.error(span, message);
    }
}

pub(super) fn is_arithmetic(op: &BinOp) -> bool {
    matches!(op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_))
}

pub(super) fn is_int_type(ty: &syn::Type) -> bool {
    let text = ty.to_token_stream().to_string();
    matches!(
        text.as_str(),
        "usize" | "isize" | "u8" | "u16" | "u32" | "u64" | "i8" | "i16" | "i32" | "i64"
    )
}

/// Whether a pattern declares names.
pub(super) fn binds(pat: &Pat) -> bool {
    struct Names(bool);
    impl Visit<'_> for Names {
        fn visit_pat_ident(&mut self, _: &syn::PatIdent) {
            self.0 = true;
        }
    }
    let mut names = Names(false);
    names.visit_pat(pat);
    names.0
}
