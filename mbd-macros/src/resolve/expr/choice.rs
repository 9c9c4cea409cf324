//! `if` between scalars by comparisons of scalars: both sides are written down, so that a statement
//! with one has a single expression and runs as a program. What is no such `if` stays Rust's own, and
//! what it decides is known for the point of evaluation only.
//!
//! Whether branches are scalars their spelling tells as a rule. Where it does not, as of `let`s, multipliers and what
//! functions return, the code that is written asks their type.

use super::tx::{Local, Mode, Tail, Tx, is_arithmetic, is_op_assign, verbatim};
use crate::resolve::scope::{ScopeId, Symbol};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Block, Expr, ExprIf, Member, Pat, Stmt, UnOp};

/// A condition taken apart.
enum Condition {
    /// The comparison's method, its operator, and its sides.
    Comparison(&'static str, TokenStream, [TokenStream; 2]),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
}

impl Tx<'_, '_> {
    /// Whether an `if` whose value is a scalar can be written as a choice.
    pub(super) fn is_choice(&self, branch: &ExprIf) -> bool {
        self.mode != Mode::Default
            && branch
                .else_branch
                .as_ref()
                .is_some_and(|(_, other)| is_pure(|p| p.visit_expr(other)))
            && is_pure(|p| p.visit_block(&branch.then_branch))
            && self.compares_scalars(&branch.cond)
    }

    /// Whether an `if` can be written so that the type of its branches tells whether it is a choice: nothing that is seen
    /// of them says that they are no scalars, and both can be written down side by side.
    pub(super) fn may_be_choice(&self, branch: &ExprIf) -> bool {
        self.is_choice(branch)
            && is_pure(|p| p.visit_expr(&branch.cond))
            && self.block_may_be_scalar(&branch.then_branch)
            && branch.else_branch.as_ref().is_some_and(|(_, other)| self.may_be_scalar(other))
            && !self.calls_on_what_changes(branch)
    }

    fn block_may_be_scalar(&self, block: &Block) -> bool {
        matches!(block.stmts.last(), Some(Stmt::Expr(e, None)) if self.may_be_scalar(e))
    }

    /// Whether a value may be a scalar, or consist of scalars, as far as its spelling tells.
    fn may_be_scalar(&self, e: &Expr) -> bool {
        match e {
            Expr::Path(_)
            | Expr::Call(_)
            | Expr::MethodCall(_)
            | Expr::Field(_)
            | Expr::Index(_)
            | Expr::Repeat(_) => true,
            Expr::Lit(_) => self.is_int(e) || self.is_float(e),
            Expr::Array(list) => list.elems.iter().all(|e| self.may_be_scalar(e)),
            Expr::Tuple(list) => {
                !list.elems.is_empty() && list.elems.iter().all(|e| self.may_be_scalar(e))
            }
            Expr::Paren(inner) => self.may_be_scalar(&inner.expr),
            Expr::Group(inner) => self.may_be_scalar(&inner.expr),
            Expr::Unary(unary) => {
                !matches!(unary.op, UnOp::Not(_)) && self.may_be_scalar(&unary.expr)
            }
            Expr::Binary(binary) => is_arithmetic(&binary.op),
            Expr::If(branch) => {
                self.block_may_be_scalar(&branch.then_branch)
                    && branch
                        .else_branch
                        .as_ref()
                        .is_some_and(|(_, other)| self.may_be_scalar(other))
            }
            Expr::Match(m) => m.arms.iter().all(|arm| self.may_be_scalar(&arm.body)),
            Expr::Block(block) => self.block_may_be_scalar(&block.block),
            _ => false,
        }
    }

    /// Whether branches call what may change a local: two closures cannot both hold it, and a side that is not taken must
    /// not change it.
    fn calls_on_what_changes(&self, branch: &ExprIf) -> bool {
        struct Calls<'t, 'r, 'a>(&'t Tx<'r, 'a>, bool);
        impl Calls<'_, '_, '_> {
            fn may_change(&self, e: &Expr) -> bool {
                match e {
                    Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
                        let kind = self.0.local(name).map(|position| self.0.locals[position].1);
                        kind == Some(Local::Mutable)
                    }),
                    Expr::Field(field) => self.may_change(&field.base),
                    Expr::Index(index) => self.may_change(&index.expr),
                    Expr::MethodCall(call) => self.may_change(&call.receiver),
                    Expr::Paren(inner) => self.may_change(&inner.expr),
                    Expr::Group(inner) => self.may_change(&inner.expr),
                    Expr::Unary(unary) => self.may_change(&unary.expr),
                    _ => false,
                }
            }
        }
        impl<'ast> Visit<'ast> for Calls<'_, '_, '_> {
            fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
                self.1 |= self.may_change(&call.receiver);
                visit::visit_expr_method_call(self, call);
            }
            fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
                // What can be changed is passed on so, or is called itself.
                self.1 |=
                    self.may_change(&call.func) || call.args.iter().any(|e| self.may_change(e));
                visit::visit_expr_call(self, call);
            }
        }
        let mut calls = Calls(self, false);
        calls.visit_expr_if(branch);
        calls.1
    }

    /// Comparisons of what may be scalars, discrete values that are true or false, and nothing but them.
    pub(in crate::resolve) fn compares_scalars(&self, e: &Expr) -> bool {
        match e {
            Expr::Paren(inner) => self.compares_scalars(&inner.expr),
            Expr::Group(inner) => self.compares_scalars(&inner.expr),
            Expr::Unary(unary) => {
                matches!(unary.op, UnOp::Not(_)) && self.compares_scalars(&unary.expr)
            }
            Expr::Binary(binary) => match binary.op {
                BinOp::And(_) | BinOp::Or(_) => {
                    self.compares_scalars(&binary.left) && self.compares_scalars(&binary.right)
                }
                op => {
                    // What is no scalar after all is compared as in Rust: its type tells.
                    comparison(op).is_some()
                        && !(self.is_int(&binary.left) && self.is_int(&binary.right))
                }
            },
            Expr::Path(_) | Expr::Field(_) | Expr::Index(_) => self.names_logical(e),
            _ => false,
        }
    }

    /// Writes what Rust has to decide by with comparisons where it names discrete values that are true or false.
    pub(super) fn truth(&mut self, e: &mut Expr) {
        match e {
            Expr::Paren(inner) => self.truth(&mut inner.expr),
            Expr::Group(inner) => self.truth(&mut inner.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => self.truth(&mut unary.expr),
            Expr::Binary(binary) if matches!(binary.op, BinOp::And(_) | BinOp::Or(_)) => {
                self.truth(&mut binary.left);
                self.truth(&mut binary.right);
            }
            other if self.names_logical(other) => *other = syn::parse_quote!((#other > 0.5)),
            _ => {}
        }
    }

    /// Whether this is a discrete value that is true or false.
    fn names_logical(&self, e: &Expr) -> bool {
        let logical = |symbol: Symbol| matches!(symbol, Symbol::Scalar(id) if self.r.model.scalars[id].logical);
        match e {
            Expr::Index(index) => self.names_logical(&index.expr),
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
                let found = self.r.scopes.find(self.scope, &name.to_string());
                self.local(name).is_none() && found.is_some_and(|(symbol, _)| logical(symbol))
            }),
            Expr::Field(field) => match (self.body_scope(&field.base), &field.member) {
                (Some(inner), Member::Named(name)) => {
                    self.r.scopes.member(inner, &name.to_string()).is_some_and(logical)
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// The scope of a body, or of an entry of an array of bodies.
    fn body_scope(&self, e: &Expr) -> Option<ScopeId> {
        let symbol = match e {
            Expr::Index(index) => return self.body_scope(&index.expr),
            Expr::Path(path) => {
                let name = path.path.get_ident()?;
                self.r.scopes.find(self.scope, &name.to_string())?.0
            }
            Expr::Field(field) => match &field.member {
                Member::Named(name) => {
                    self.r.scopes.member(self.body_scope(&field.base)?, &name.to_string())?
                }
                Member::Unnamed(_) => return None,
            },
            _ => return None,
        };
        match symbol {
            Symbol::Body(inner) => Some(inner),
            _ => None,
        }
    }

    /// Writes an `if` as a choice; its sides end in scalars, or in what only its type tells.
    pub(super) fn choice(&mut self, e: &mut Expr, tail: Tail) {
        // Of code that is written, not of the user's: lints are not for them.
        let span = e.span().resolved_at(Span::mixed_site());
        let Expr::If(branch) = e else { return };
        let Some((_, other)) = &mut branch.else_branch else { return };
        let condition = self.condition(&mut branch.cond);
        self.block(&mut branch.then_branch, tail);
        self.branch(other, tail);
        let (yes, other) = (&branch.then_branch, &*other);
        let both = match condition.is_one() {
            true => [quote_spanned!(span=> __yes), quote_spanned!(span=> __no)],
            false => [quote_spanned!(span=> &__yes), quote_spanned!(span=> &__no)],
        };
        let known = tail == Tail::Converted;
        let chosen = condition.choose(&both[0], &both[1], known, span);
        let kind = match known {
            true => TokenStream::new(),
            false => quote_spanned!(span=> let __of = __mbd::compared::branches(&__yes, &__no);),
        };
        *e = verbatim(quote_spanned!(span=> {
            let (__yes, __no) = (|| #yes, || #other);
            #kind
            #chosen
        }));
    }

    fn condition(&mut self, e: &mut Expr) -> Condition {
        match e {
            Expr::Paren(inner) => self.condition(&mut inner.expr),
            Expr::Group(inner) => self.condition(&mut inner.expr),
            Expr::Unary(unary) => Condition::Not(Box::new(self.condition(&mut unary.expr))),
            Expr::Binary(binary) => {
                let mut both = |tx: &mut Self| {
                    let left = Box::new(tx.condition(&mut binary.left));
                    (left, Box::new(tx.condition(&mut binary.right)))
                };
                match binary.op {
                    BinOp::And(_) => {
                        let (a, b) = both(self);
                        Condition::And(a, b)
                    }
                    BinOp::Or(_) => {
                        let (a, b) = both(self);
                        Condition::Or(a, b)
                    }
                    op => {
                        self.operand(&mut binary.left);
                        self.operand(&mut binary.right);
                        let (left, right) = (&binary.left, &binary.right);
                        let (name, not) = comparison(op).unwrap_or(("equals", false));
                        let operator = if not { quote!(==) } else { quote!(#op) };
                        let sides = [quote!(#left), quote!(#right)];
                        let compared = Condition::Comparison(name, operator, sides);
                        if not { Condition::Not(Box::new(compared)) } else { compared }
                    }
                }
            }
            // `compares_scalars` has seen to it that there is nothing else: 1 stands for true, 0 for false.
            other => {
                self.operand(other);
                Condition::Comparison("above", quote!(>), [quote!(#other), quote!(0.5)])
            }
        }
    }

    /// Names of a function's arguments, `f64` for scalars.
    pub(super) fn bind_argument(&mut self, argument: &Pat) {
        let scalar = match argument {
            Pat::Type(typed) => {
                matches!(&*typed.ty, syn::Type::Path(path) if path.path.is_ident("f64"))
                    && matches!(&*typed.pat, Pat::Ident(name) if name.mutability.is_none())
            }
            _ => false,
        };
        self.bind(argument, if scalar { Local::Scalar } else { Local::Other });
    }
}

impl Condition {
    /// Whether it is a single comparison, so that each side is asked for once.
    fn is_one(&self) -> bool {
        match self {
            Condition::Comparison(..) => true,
            Condition::Not(inner) => inner.is_one(),
            Condition::And(..) | Condition::Or(..) => false,
        }
    }

    /// The choice between the values of two functions, which are scalars, or of which `__of` knows what they are.
    fn choose(&self, yes: &TokenStream, no: &TokenStream, known: bool, span: Span) -> TokenStream {
        let function = |value: TokenStream| quote_spanned!(span=> || #value);
        match self {
            Condition::Comparison(name, _, [left, right]) if known => {
                let name = syn::Ident::new(name, span);
                quote_spanned!(span=>
                    __mbd::compared::With::#name(#left, #right).choose_with(#yes, #no))
            }
            Condition::Comparison(name, operator, [left, right]) => {
                let name = syn::Ident::new(name, span);
                // Each side is written once, as code that moves what it reads cannot be written twice.
                quote_spanned!(span=> match (&(#left), &(#right)) {
                    (__left, __right) => {
                        let __holds = || *__left #operator *__right;
                        let __sides = __mbd::compared::sides(__left, __right);
                        __of.pick(|| __sides.#name(__holds), __holds, #yes, #no)
                    }
                })
            }
            Condition::Not(inner) => inner.choose(no, yes, known, span),
            Condition::And(a, b) => {
                a.choose(&function(b.choose(yes, no, known, span)), no, known, span)
            }
            Condition::Or(a, b) => {
                a.choose(yes, &function(b.choose(yes, no, known, span)), known, span)
            }
        }
    }
}

/// The method of a comparison, and whether its outcome is turned round.
fn comparison(op: BinOp) -> Option<(&'static str, bool)> {
    match op {
        BinOp::Gt(_) => Some(("above", false)),
        BinOp::Ge(_) => Some(("at_least", false)),
        BinOp::Lt(_) => Some(("below", false)),
        BinOp::Le(_) => Some(("at_most", false)),
        BinOp::Eq(_) => Some(("equals", false)),
        BinOp::Ne(_) => Some(("equals", true)),
        _ => None,
    }
}

/// Whether code can be run although its side is not taken: it changes nothing and does not leave.
fn is_pure(visit: impl FnOnce(&mut Pure)) -> bool {
    let mut pure = Pure(true);
    visit(&mut pure);
    pure.0
}

struct Pure(bool);

impl Visit<'_> for Pure {
    fn visit_expr(&mut self, e: &Expr) {
        let leaves = matches!(
            e,
            Expr::Assign(_)
                | Expr::Return(_)
                | Expr::Break(_)
                | Expr::Continue(_)
                | Expr::Try(_)
                | Expr::Macro(_)
                | Expr::While(_)
                | Expr::Loop(_)
                | Expr::ForLoop(_)
                | Expr::Unsafe(_)
        ) || matches!(e, Expr::Binary(binary) if is_op_assign(&binary.op))
            || matches!(e, Expr::Reference(reference) if reference.mutability.is_some());
        if leaves {
            self.0 = false;
        } else {
            visit::visit_expr(self, e);
        }
    }

    fn visit_stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Item(_) | Stmt::Macro(_) => self.0 = false,
            // A statement without a value is there for what it changes.
            Stmt::Expr(_, Some(_)) => self.0 = false,
            _ => visit::visit_stmt(self, stmt),
        }
    }

    fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
        self.0 &= pat.mutability.is_none();
    }
}

/// `if c { return a; } rest` as `if c { a } else { rest }`, which may be a choice.
pub(super) fn returns_as_branches(block: &mut Block) {
    let early = |stmt: &Stmt| {
        let Stmt::Expr(Expr::If(branch), _) = stmt else { return false };
        branch.else_branch.is_none()
            && matches!(&branch.then_branch.stmts[..], [Stmt::Expr(Expr::Return(r), _)] if r.expr.is_some())
    };
    let Some(at) = block.stmts.iter().position(early) else { return };
    let rest: Vec<Stmt> = block.stmts.split_off(at + 1);
    let Some(Stmt::Expr(Expr::If(mut branch), _)) = block.stmts.pop() else { return };
    if let [Stmt::Expr(Expr::Return(r), _)] = &branch.then_branch.stmts[..]
        && let Some(value) = &r.expr
    {
        branch.then_branch.stmts = vec![Stmt::Expr((**value).clone(), None)];
    }
    let mut rest = Block { brace_token: block.brace_token, stmts: rest };
    returns_as_branches(&mut rest);
    let rest = syn::ExprBlock { attrs: Vec::new(), label: None, block: rest };
    branch.else_branch = Some((Default::default(), Box::new(Expr::Block(rest))));
    block.stmts.push(Stmt::Expr(Expr::If(branch), None));
}
