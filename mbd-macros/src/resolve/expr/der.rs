//! Time derivatives, and multipliers of constraints.

use super::reference::first_slot;
use super::tx::{Mode, Tx, is_call_of, scalar_type};
use crate::ast::ConstraintKind;
use crate::diag::did_you_mean;
use crate::ir::*;
use crate::keyword;
use crate::names;
use crate::resolve::index;
use crate::resolve::resolver::ROWS;
use crate::resolve::scope::Symbol;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, Member};

pub(super) fn kind_name(kind: ConstraintKind) -> &'static str {
    match kind {
        ConstraintKind::Holonomic => "holonomic",
        ConstraintKind::Nonholonomic => "nonholonomic",
    }
}

impl<'r, 'a> Tx<'r, 'a> {
    /// `der(…)`: a velocity, acceleration or rate, or a block that is evaluated on rates.
    pub(super) fn der(&mut self, call: &ExprCall) -> TokenStream {
        let span = call.func.span();
        let still = is_call_of(call, keyword::STILL_DER);
        if self.mode == Mode::Default {
            self.error(span, "a default value is computed before there is motion");
            return quote!(0.0);
        }
        if call.args.len() != 1 {
            self.error(span, "`der` takes one argument");
            return self.nothing(span);
        }
        let Some(arg) = call.args.first() else { return self.nothing(span) };
        if !still && let Some(tokens) = self.der_of_name(arg, 1, span) {
            return tokens;
        }
        if !still
            && let Expr::Call(inner) = arg
            && is_call_of(inner, keyword::DER)
            && inner.args.len() == 1
            && let Some(tokens) = inner.args.first().and_then(|arg| self.der_of_name(arg, 2, span))
        {
            return tokens;
        }
        let mut value = arg.clone();
        if self.is_int(&value) || self.is_float(&value) {
            self.error(arg.span(), "the time derivative of a constant is zero");
            return self.nothing(span);
        }
        let reads = std::mem::take(&mut self.reads);
        let floor = std::mem::replace(&mut self.der_floor, self.locals.len());
        self.standing(&mut value);
        self.der_floor = floor;
        let reads = std::mem::replace(&mut self.reads, reads);
        let id = self.r.model.ders.len();
        let code = Code { tokens: value.to_token_stream(), reads, broken: false };
        self.r.model.ders.push(Der { code, still });
        self.reads.push(Read { what: ReadWhat::Der(id), span });
        names::ident(&format!("{DER_PREFIX}{id}"), span).to_token_stream()
    }

    /// The `order`-th derivative of a declared scalar; `None` when the argument is not one.
    pub(super) fn der_of_name(
        &mut self,
        arg: &Expr,
        order: usize,
        read_at: Span,
    ) -> Option<TokenStream> {
        if let Expr::Paren(inner) = arg {
            return self.der_of_name(&inner.expr, order, read_at);
        }
        let reference = self.reference(arg)?;
        let span = arg.span();
        let message = match reference.symbol {
            // The rates of an input follow from its course, as those of an expression do.
            Symbol::Scalar(id) if self.r.model.scalars[id].kind == ScalarKind::Input => {
                return None;
            }
            Symbol::Scalar(id) => {
                let mut what = What::Slot(first_slot(self.r.model.scalars[id].kind), id);
                for _ in 0..order {
                    match rate_of(what) {
                        Ok(Some(rate)) => what = rate,
                        _ => {
                            let name = &self.r.model.scalars[id].name;
                            let kind = self.r.model.scalars[id].kind;
                            let message = match kind {
                                ScalarKind::Variable if self.r.model.scalars[id].balanced => {
                                    NODE_RATE.replace("NODE", name)
                                }
                                ScalarKind::Variable => format!(
                                    "`{name}` is an algebraic variable: its rate is not an unknown of the model; make it a `state` with an `equation`"
                                ),
                                ScalarKind::Mode => format!(
                                    "`{name}` is a mode, which stays between events: its time derivative is zero"
                                ),
                                _ => format!(
                                    "`{name}` has no derivative of order {order} in the model"
                                ),
                            };
                            self.error(span, message);
                            return Some(self.nothing(span));
                        }
                    }
                }
                return Some(self.scalar_leaf_at(what, id, reference, read_at));
            }
            Symbol::Param(id) => format!(
                "`{}` is a parameter: its time derivative is zero",
                self.r.model.params[id].name
            ),
            Symbol::Size(_)
            | Symbol::Index(_)
            | Symbol::Pass(_)
            | Symbol::IndexOf(_)
            | Symbol::EntryOf(_) => "the time derivative of a constant is zero".into(),
            Symbol::Body(_) => {
                "a body has no time derivative; take that of one of its names, as in `der(k1.x)`"
                    .into()
            }
            Symbol::Let(_) | Symbol::Broken => return None,
        };
        self.error(span, message);
        Some(self.nothing(span))
    }

    /// Stands where an error was reported.
    pub(super) fn nothing(&self, span: Span) -> TokenStream {
        self.broken.set(true);
        let scalar = scalar_type(span);
        quote_spanned!(span=> __mbd::num::<#scalar>(0.0))
    }

    // -- multipliers ---------------------------------------------------------------------------

    /// True for `lambda(name)[row]`.
    pub(super) fn row(&self, index: &syn::ExprIndex) -> bool {
        matches!(&*index.expr, Expr::Call(call)
            if is_call_of(call, keyword::LAMBDA) || is_call_of(call, keyword::PSI))
    }

    pub(super) fn multiplier_row(&mut self, index: &syn::ExprIndex) -> TokenStream {
        match &*index.expr {
            Expr::Call(call) => self.multiplier(call, Some(&index.index)),
            _ => self.nothing(index.span()),
        }
    }

    /// `lambda(name)`, `lambda(name[i])`, with an optional `[row]` after it.
    pub(super) fn multiplier(&mut self, call: &ExprCall, row: Option<&Expr>) -> TokenStream {
        let span = call.func.span();
        let word = call.func.to_token_stream().to_string();
        if self.mode == Mode::Default || call.args.len() != 1 {
            self.error(span, format!("`{word}` takes the name of a constraint and stands in force laws, variables, equations and outputs"));
            return self.nothing(span);
        }
        let (name, instance) = match call.args.first() {
            Some(Expr::Index(index)) => (&*index.expr, Some(&*index.index)),
            Some(name) => (name, None),
            None => return self.nothing(span),
        };
        let Some(id) = self.constraint(name, &word) else { return self.nothing(span) };
        let constraint = &self.r.model.constraints[id];
        let (rows, looped, text) =
            (constraint.rows, !constraint.loops.is_empty(), constraint.name.clone());
        let wanted = match constraint.kind {
            ConstraintKind::Holonomic => keyword::LAMBDA,
            ConstraintKind::Nonholonomic => keyword::PSI,
        };
        if wanted != word {
            self.error(
                span,
                format!(
                    "`{text}` is {}: its multiplier is `{wanted}({text})`",
                    kind_name(self.r.model.constraints[id].kind)
                ),
            );
            return self.nothing(span);
        }
        let instance = match (looped, instance) {
            (true, Some(index)) => match self.index(index) {
                Some(tokens) => Some(tokens),
                None => return self.nothing(span),
            },
            (true, None) if self.this_iteration(id).is_some() => self.this_iteration(id),
            (true, None) => {
                self.error(name.span(), format!("`{text}` stands in a loop and has one multiplier per iteration: write `{word}({text}[i])`"));
                return self.nothing(span);
            }
            (false, Some(index)) => {
                self.error(
                    index.span(),
                    format!("`{text}` is a single constraint; its rows are `{word}({text})[0]`, …"),
                );
                return self.nothing(span);
            }
            (false, None) => None,
        };
        let row = match row {
            Some(row) => {
                if rows == 1 {
                    self.error(
                        row.span(),
                        format!("`{word}({text})` is one scalar and takes no index"),
                    );
                    return self.nothing(span);
                }
                if index::literal(row).is_some_and(|i| i < 0 || i >= rows as i64) {
                    self.error(
                        row.span(),
                        format!("constraint `{text}` has rows 0 to {}", rows - 1),
                    );
                    return self.nothing(span);
                }
                match self.index(row) {
                    Some(tokens) => Some(tokens),
                    None => return self.nothing(span),
                }
            }
            None => None,
        };
        let leaf = self.r.leaf(What::Multiplier(id), Index::Row { instance, row });
        self.leaf(leaf, span)
    }

    /// In the loop a constraint stands in, or its array of bodies, its instance of the same iteration.
    pub(super) fn this_iteration(&self, id: ConstraintId) -> Option<TokenStream> {
        let loops = &self.r.model.constraints[id].loops;
        if let Some(array) = &self.r.scopes.list[self.scope].array
            && array.chain().map(|array| array.around).eq(loops.iter().rev().copied())
        {
            let other = self.subst.as_ref().and_then(|subst| subst.of(array.owner));
            return Some(other.map_or(array.index.clone(), |subst| subst.tokens.clone()));
        }
        let (own, array) = self.r.own_loops(self.scope, loops);
        if own.is_empty() || !own.iter().all(|&id| self.r.scopes.is_in(self.scope, id)) {
            return None;
        }
        let (count, place) = (self.r.count(own), self.r.place_in(own));
        Some(match array {
            Some(array) => {
                let index = &array.index;
                quote!(((#index) * (#count) + (#place)))
            }
            None => place,
        })
    }

    fn no_constraint(&self, what: &Expr, word: &str) -> Option<ConstraintId> {
        let message = format!("`{word}` takes the name of a constraint, as in `{word}(close)`");
        self.broken.set(true);
        self.r.diag.push(syn::Error::new_spanned(what, message));
        None
    }

    pub(super) fn constraint(&mut self, name: &Expr, word: &str) -> Option<ConstraintId> {
        let (scope, ident) = match name {
            Expr::Path(path) => (self.scope, path.path.get_ident()?.clone()),
            Expr::Field(field) => {
                match (self.reference(&field.base).map(|r| r.symbol), &field.member) {
                    (Some(Symbol::Body(scope)), Member::Named(ident)) => (scope, ident.clone()),
                    _ => {
                        return self.no_constraint(name, word);
                    }
                }
            }
            _ => return self.no_constraint(name, word),
        };
        let found = self.r.scopes.constraint(scope, &ident.to_string());
        let seen = self.r.scopes.is_seen(scope, &ident.to_string(), self.scope);
        if let (Some(_), false, Some((_, of))) = (found, seen, &self.r.scopes.list[scope].component)
        {
            self.error(
                ident.span(),
                format!("constraint `{ident}` is private to component `{of}`"),
            );
            return found;
        }
        // A joint's name is that of its rows.
        let joint = match self.r.meaning(name, self.scope) {
            Some((Symbol::Body(inner), _)) => {
                let of = &self.r.scopes.list[inner];
                let own = of.joint.is_some() || of.coupling;
                own.then(|| self.r.scopes.own_constraint(inner, ROWS)).flatten()
            }
            _ => None,
        };
        let found = found.or(joint);
        if found.is_none() {
            let hint = did_you_mean(&ident.to_string(), self.r.scopes.constraints(scope));
            let message = if self.r.scopes.has_label(scope, "event", &ident.to_string()) {
                format!(
                    "`{ident}` is an event, and the force of its contact is among the results only: for a law that reads it state the gap as a constraint, `unilateral {ident}: gap, restitution(e);`, in place of the event"
                )
            } else if self.r.scopes.find(scope, &ident.to_string()).is_some() {
                format!("`{ident}` is not a constraint and has no multiplier{hint}")
            } else {
                format!("there is no constraint `{ident}`{hint}")
            };
            self.error(ident.span(), message);
        }
        found
    }
}
