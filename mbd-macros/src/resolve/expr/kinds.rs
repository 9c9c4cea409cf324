//! What an expression is: a scalar, a whole number, a plain float.

use super::tx::{Local, Mode, Tx, binds, is_arithmetic, is_int_type};
use crate::keyword;
use crate::resolve::index::is_const;
use crate::resolve::scope::Symbol;
use quote::ToTokens;
use syn::{BinOp, Block, Expr, Lit, Stmt, UnOp};

impl<'r, 'a> Tx<'r, 'a> {
    /// Whether the value of one branch is a scalar for certain: then those of the others are.
    pub(super) fn branch_is_scalar(&self, e: &Expr) -> bool {
        let tail = |block: &Block| match block.stmts.last() {
            // Names that the block declares are not known here.
            Some(Stmt::Expr(e, None)) if block.stmts.len() == 1 => self.branch_is_scalar(e),
            _ => false,
        };
        match e {
            Expr::If(branch) => {
                tail(&branch.then_branch)
                    || branch
                        .else_branch
                        .as_ref()
                        .is_some_and(|(_, other)| self.branch_is_scalar(other))
            }
            Expr::Match(m) => {
                let simple = |arm: &&syn::Arm| !binds(&arm.pat);
                m.arms.iter().filter(simple).any(|arm| self.branch_is_scalar(&arm.body))
            }
            Expr::Block(block) => tail(&block.block),
            _ => self.is_scalar(e) || self.is_float(e),
        }
    }

    /// Whether the values of all branches are lists of scalars, written out.
    pub(super) fn branch_is_list(&self, e: &Expr) -> bool {
        let tail = |block: &Block| match block.stmts.last() {
            Some(Stmt::Expr(e, None)) if block.stmts.len() == 1 => self.branch_is_list(e),
            _ => false,
        };
        match e {
            Expr::If(branch) => {
                tail(&branch.then_branch)
                    && branch
                        .else_branch
                        .as_ref()
                        .is_some_and(|(_, other)| self.branch_is_list(other))
            }
            Expr::Block(block) => tail(&block.block),
            Expr::Array(list) => list.elems.iter().all(|e| {
                self.is_scalar(e) || self.is_float(e) || self.is_int(e) || self.branch_is_list(e)
            }),
            _ => false,
        }
    }

    /// Whether the values of all branches are whole numbers that stay whole: where scalars decide which it is, they are
    /// scalars too, as the force of friction in `if der(x) > 0.0 { -1 } else { 1 }`.
    pub(super) fn branch_is_int(&self, e: &Expr) -> bool {
        let by_scalars = |branch: &syn::ExprIf| self.mode == Mode::Kernel && self.is_choice(branch);
        match e {
            Expr::If(branch) if by_scalars(branch) => false,
            _ => self.branches_are(e, &|e| match e {
                Expr::If(_) | Expr::Match(_) | Expr::Block(_) => self.branch_is_int(e),
                _ => self.is_int(e) && !self.is_int_division(e),
            }),
        }
    }

    /// Whether the values of all branches are whole numbers, whatever decides.
    pub(super) fn branch_is_whole(&self, e: &Expr) -> bool {
        self.branches_are(e, &|e| match e {
            Expr::If(_) | Expr::Match(_) | Expr::Block(_) => self.branch_is_whole(e),
            _ => self.is_int(e),
        })
    }

    fn branches_are(&self, e: &Expr, so: &dyn Fn(&Expr) -> bool) -> bool {
        let tail = |block: &Block| match block.stmts.last() {
            Some(Stmt::Expr(e, None)) => so(e),
            _ => false,
        };
        match e {
            Expr::If(branch) => {
                tail(&branch.then_branch)
                    && branch.else_branch.as_ref().is_some_and(|(_, other)| so(other))
            }
            Expr::Match(m) => !m.arms.is_empty() && m.arms.iter().all(|arm| so(&arm.body)),
            Expr::Block(block) => tail(&block.block),
            _ => so(e),
        }
    }

    // -- what kind of number -------------------------------------------------------------------

    /// Whole numbers by their spelling: literals, sizes, loop indices, and arithmetic of these.
    pub(super) fn is_int(&self, e: &Expr) -> bool {
        match e {
            Expr::Lit(lit) => matches!(&lit.lit, Lit::Int(int) if !int.suffix().starts_with('f')),
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| match self.local(name) {
                Some(position) => self.locals[position].1 == Local::Int,
                None => match self.r.scopes.find(self.scope, &name.to_string()) {
                    Some((Symbol::Size(_) | Symbol::Index(_) | Symbol::IndexOf(_), _)) => true,
                    Some((Symbol::Let(def), _)) => self.r.whole_lets.contains(&def),
                    _ => false,
                },
            }),
            Expr::Paren(inner) => self.is_int(&inner.expr),
            Expr::Group(inner) => self.is_int(&inner.expr),
            Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && self.is_int(&unary.expr),
            Expr::Binary(binary) => {
                let integral = is_arithmetic(&binary.op)
                    || matches!(
                        binary.op,
                        BinOp::Shl(_)
                            | BinOp::Shr(_)
                            | BinOp::BitAnd(_)
                            | BinOp::BitOr(_)
                            | BinOp::BitXor(_)
                    );
                integral && self.is_int(&binary.left) && self.is_int(&binary.right)
            }
            Expr::Cast(cast) => is_int_type(&cast.ty),
            Expr::If(branch) => branch.else_branch.is_some() && self.branch_is_int(e),
            Expr::Match(_) => self.branch_is_int(e),
            Expr::Index(index) => self.is_int_array(&index.expr),
            Expr::MethodCall(call) => {
                call.method == "len" || call.method == "pow" && self.is_int(&call.receiver)
            }
            _ => false,
        }
    }

    /// An array of whole numbers.
    pub(super) fn is_int_array(&self, e: &Expr) -> bool {
        match e {
            Expr::Array(array) => {
                !array.elems.is_empty()
                    && array
                        .elems
                        .iter()
                        .all(|e| self.is_int(e) && !self.is_int_division(e) || self.is_int_array(e))
            }
            Expr::Repeat(repeat) => self.is_int(&repeat.expr),
            Expr::Paren(inner) => self.is_int_array(&inner.expr),
            Expr::Group(inner) => self.is_int_array(&inner.expr),
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
                self.local(name).is_none()
                    && match self.r.scopes.find(self.scope, &name.to_string()) {
                        Some((Symbol::Let(def), _)) => self.r.whole_arrays.contains(&def),
                        _ => false,
                    }
            }),
            _ => false,
        }
    }

    /// A scalar of the model for certain, by its spelling.
    pub(super) fn is_scalar(&self, e: &Expr) -> bool {
        match e {
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
                if let Some(position) = self.local(name) {
                    return self.locals[position].1 == Local::Scalar;
                }
                if self.mode != Mode::Kernel {
                    return false;
                }
                let time = keyword::TIME.iter().any(|word| name == word);
                time || match self.r.scopes.find(self.scope, &name.to_string()) {
                    Some((Symbol::Scalar(id), scope)) => {
                        self.r.model.scalars[id].len.is_none()
                            || self.r.scopes.list[scope].array.is_some()
                    }
                    Some((Symbol::Param(id), scope)) => {
                        self.r.model.params[id].len.is_none()
                            || self.r.scopes.list[scope].array.is_some()
                    }
                    _ => false,
                }
            }),
            Expr::Paren(inner) => self.is_scalar(&inner.expr),
            Expr::Group(inner) => self.is_scalar(&inner.expr),
            Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && self.is_scalar(&unary.expr),
            Expr::Binary(binary) => {
                is_arithmetic(&binary.op)
                    && (self.is_scalar(&binary.left) || self.is_scalar(&binary.right))
                    && !self.is_vector(e)
            }
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
                    let known = keyword::SCALAR_FUNCTIONS.iter().any(|known| name == known);
                    let shadowed = self.local(name).is_some()
                        || self.r.scopes.find(self.scope, &name.to_string()).is_some();
                    (known || name == keyword::DER)
                        && !shadowed
                        && call.args.first().is_some_and(|arg| self.is_scalar(arg))
                }),
                _ => false,
            },
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                self.is_scalar(&call.receiver)
                    && (keyword::SCALAR_FUNCTIONS.contains(&name.as_str())
                        || name == "powi"
                        || name == "powf")
            }
            _ => false,
        }
    }

    /// A constant by its spelling, `G`, `consts::G` or `Self::G`, that is none of the model's names.
    pub(super) fn names_constant(&self, e: &Expr) -> bool {
        let Expr::Path(path) = e else { return false };
        if path.qself.is_some() {
            return false;
        }
        match path.path.get_ident() {
            Some(name) => {
                is_const(name)
                    && self.local(name).is_none()
                    && self.r.scopes.find(self.scope, &name.to_string()).is_none()
            }
            None => path.path.segments.last().is_some_and(|segment| is_const(&segment.ident)),
        }
    }

    /// `1/2` and the like, which Rust would make 0; in functions, where types say what is whole, of numbers alone.
    pub(super) fn is_int_division(&self, e: &Expr) -> bool {
        fn division(e: &Expr) -> bool {
            match e {
                Expr::Paren(inner) => division(&inner.expr),
                Expr::Group(inner) => division(&inner.expr),
                Expr::Unary(unary) => division(&unary.expr),
                Expr::Binary(binary) => {
                    matches!(binary.op, BinOp::Div(_))
                        || division(&binary.left)
                        || division(&binary.right)
                }
                _ => false,
            }
        }
        self.is_int(e) && division(e) && (self.mode != Mode::Function || is_spelled(e))
    }

    /// Plain floats by their spelling: literals, casts, `std::f64::consts`, and arithmetic of these
    /// with whole numbers.
    pub(super) fn is_float(&self, e: &Expr) -> bool {
        match e {
            Expr::Lit(lit) => match &lit.lit {
                Lit::Float(_) => true,
                Lit::Int(int) => int.suffix().starts_with('f'),
                _ => false,
            },
            Expr::Path(path) => {
                let mut segments = path.path.segments.iter();
                if let Some(name) = path.path.get_ident() {
                    return keyword::CONSTANTS.iter().any(|known| name == known)
                        && self.local(name).is_none()
                        && self.r.scopes.find(self.scope, &name.to_string()).is_none();
                }
                segments.any(|segment| segment.ident == "consts" || segment.ident == "f64")
            }
            Expr::Paren(inner) => self.is_float(&inner.expr),
            Expr::Group(inner) => self.is_float(&inner.expr),
            Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && self.is_float(&unary.expr),
            Expr::Binary(binary) if is_arithmetic(&binary.op) => {
                let (left, right) = (&binary.left, &binary.right);
                self.is_float(left) && (self.is_float(right) || self.is_int(right))
                    || self.is_int(left) && self.is_float(right)
            }
            Expr::Cast(cast) => cast.ty.to_token_stream().to_string() == "f64",
            Expr::MethodCall(call) => {
                self.is_float(&call.receiver)
                    && call.args.iter().all(|arg| self.is_float(arg) || self.is_int(arg))
                    && (keyword::SCALAR_FUNCTIONS.contains(&call.method.to_string().as_str())
                        && call.args.is_empty()
                        || call.method == "powi"
                        || call.method == "to_radians"
                        || call.method == "to_degrees")
            }
            _ => false,
        }
    }

    /// A range of whole numbers, or an iterator made from one.
    pub(super) fn is_int_sequence(&self, e: &Expr) -> bool {
        match e {
            Expr::Range(range) => {
                [&range.start, &range.end].into_iter().flatten().all(|end| self.is_int(end))
            }
            Expr::Paren(inner) => self.is_int_sequence(&inner.expr),
            Expr::MethodCall(call) => {
                matches!(
                    call.method.to_string().as_str(),
                    "rev" | "step_by" | "filter" | "take" | "skip" | "into_iter"
                ) && self.is_int_sequence(&call.receiver)
            }
            _ => false,
        }
    }
}

/// Whether a whole number is written in numbers alone, so that Rust finds its type.
pub(super) fn is_spelled(e: &Expr) -> bool {
    match e {
        Expr::Lit(_) => true,
        Expr::Paren(inner) => is_spelled(&inner.expr),
        Expr::Group(inner) => is_spelled(&inner.expr),
        Expr::Unary(unary) => is_spelled(&unary.expr),
        Expr::Binary(binary) => is_spelled(&binary.left) && is_spelled(&binary.right),
        _ => false,
    }
}
