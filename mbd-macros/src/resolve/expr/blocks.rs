//! Blocks and branches of the user's own Rust.

use super::tx::{Local, Mode, Tail, Tx, is_int_type, is_op_assign};
use crate::resolve::index::is_const;
use syn::visit::{self, Visit};
use syn::{Block, Expr, Pat, Stmt};

impl<'r, 'a> Tx<'r, 'a> {
    // -- branches and blocks -------------------------------------------------------------------

    /// `if`, `match` and blocks: numbers alone in a branch become scalars, unless all are whole.
    pub(super) fn branches(&mut self, e: &mut Expr) {
        let tail = match self.branch_is_int(e) {
            true => Tail::Whole,
            false if self.branch_is_scalar(e) || self.branch_is_list(e) => Tail::Converted,
            false => Tail::Scalar,
        };
        self.branches_to(e, tail);
    }

    pub(super) fn branches_to(&mut self, e: &mut Expr, tail: Tail) {
        match e {
            Expr::If(branch) if tail == Tail::Converted && self.is_choice(branch) => {
                self.choice(e, tail);
            }
            Expr::If(branch) if tail == Tail::Scalar && self.may_be_choice(branch) => {
                self.choice(e, tail);
            }
            Expr::If(branch) => {
                let depth = self.locals.len();
                self.truth(&mut branch.cond);
                self.plain(&mut branch.cond);
                self.block(&mut branch.then_branch, tail);
                self.locals.truncate(depth);
                if let Some((_, other)) = &mut branch.else_branch {
                    self.branch(other, tail);
                }
            }
            Expr::Match(m) => {
                self.plain(&mut m.expr);
                for arm in &mut m.arms {
                    let depth = self.locals.len();
                    self.bind(&arm.pat, Local::Other);
                    if let Some((_, guard)) = &mut arm.guard {
                        self.plain(guard);
                    }
                    self.branch(&mut arm.body, tail);
                    self.locals.truncate(depth);
                }
            }
            Expr::Block(block) => self.block(&mut block.block, tail),
            _ => {}
        }
    }

    pub(super) fn branch(&mut self, e: &mut Expr, tail: Tail) {
        match (e, tail) {
            (e @ (Expr::If(_) | Expr::Match(_) | Expr::Block(_)), tail) => {
                self.branches_to(e, tail);
            }
            (e, Tail::Whole) => self.whole(e),
            (e, Tail::None) => self.plain(e),
            (e, Tail::Scalar) => self.scalar(e),
            (e, Tail::Converted) => self.converted(e),
        }
    }

    pub(super) fn block(&mut self, block: &mut Block, tail: Tail) {
        let depth = self.locals.len();
        for stmt in &mut block.stmts {
            match stmt {
                Stmt::Local(local) => {
                    let mut kind = Local::Other;
                    if let Some(init) = &mut local.init {
                        let typed = matches!(local.pat, Pat::Type(_));
                        let int_type =
                            matches!(&local.pat, Pat::Type(typed) if is_int_type(&typed.ty));
                        if int_type
                            || (!typed
                                && self.is_int(&init.expr)
                                && !self.is_int_division(&init.expr))
                        {
                            kind = Local::Int;
                        } else if matches!(&local.pat, Pat::Ident(name) if name.mutability.is_none())
                            && self.is_scalar(&init.expr)
                        {
                            kind = Local::Scalar;
                        } else if matches!(local.pat, Pat::Ident(_)) && self.is_vector(&init.expr) {
                            kind = Local::Vector;
                        }
                        if typed && self.mode != Mode::Function {
                            self.of_its_type(&mut init.expr)
                        } else {
                            self.standing(&mut init.expr)
                        }
                        if let Some((_, diverge)) = &mut init.diverge {
                            self.plain(diverge);
                        }
                    }
                    self.bind(&local.pat, kind);
                }
                Stmt::Expr(e, None) => self.tail(e, tail),
                Stmt::Expr(e, _) => self.plain(e),
                Stmt::Item(_) | Stmt::Macro(_) if self.mode == Mode::Function => {}
                Stmt::Item(item) => {
                    let error = syn::Error::new_spanned(
                        &*item,
                        "items cannot be declared inside a model; declare them beside it",
                    );
                    self.r.diag.push(error);
                }
                Stmt::Macro(m) => {
                    let mut e =
                        Expr::Macro(syn::ExprMacro { attrs: Vec::new(), mac: m.mac.clone() });
                    self.plain(&mut e);
                }
            }
        }
        self.locals.truncate(depth);
    }

    /// The last expression of a block. A loop or an assignment there has no value to lift.
    pub(super) fn tail(&mut self, e: &mut Expr, tail: Tail) {
        match e {
            Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) | Expr::Assign(_) => self.plain(e),
            Expr::Binary(binary) if is_op_assign(&binary.op) => self.plain(e),
            Expr::If(_) | Expr::Match(_) | Expr::Block(_) if tail == Tail::Scalar => self.scalar(e),
            _ => self.branch(e, tail),
        }
    }

    pub(super) fn bind(&mut self, pat: &Pat, kind: Local) {
        struct Names<'a>(&'a mut Vec<(String, Local)>, Local);
        impl Visit<'_> for Names<'_> {
            fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
                if !is_const(&pat.ident) {
                    let changes = self.1 == Local::Other && pat.mutability.is_some();
                    let kind = if changes { Local::Mutable } else { self.1 };
                    self.0.push((pat.ident.to_string(), kind));
                }
                visit::visit_pat_ident(self, pat);
            }
        }
        let kind = match pat {
            Pat::Type(typed) if is_int_type(&typed.ty) => Local::Int,
            Pat::Type(typed) if matches!(&*typed.ty, syn::Type::Reference(to) if to.mutability.is_some()) => {
                Local::Mutable
            }
            _ => kind,
        };
        Names(&mut self.locals, kind).visit_pat(pat);
    }
}
