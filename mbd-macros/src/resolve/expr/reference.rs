//! What names refer to, and the scalars they read.

use super::tx::{Local, Mode, Tx};
use crate::diag::did_you_mean;
use crate::ir::*;
use crate::keyword;
use crate::names;
use crate::resolve::index::{self, Names};
use crate::resolve::resolver::Subst;
use crate::resolve::scope::{ScopeId, Symbol};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Expr, Member};

/// What a reference such as `x`, `x[i]`, `k1.x`, `link[i].x` means.
pub(in crate::resolve) struct Ref {
    pub(in crate::resolve) symbol: Symbol,
    pub(super) scope: ScopeId,
    pub(in crate::resolve) subst: Option<Subst>,
    /// Index after an array's name.
    pub(super) entry: Option<Expr>,
    pub(super) span: Span,
}

pub(super) fn first_slot(kind: ScalarKind) -> SlotKind {
    match kind {
        ScalarKind::Coord => SlotKind::Q,
        ScalarKind::State => SlotKind::X,
        ScalarKind::Variable => SlotKind::W,
        ScalarKind::Mode => SlotKind::Mode,
        ScalarKind::Input => SlotKind::Input,
        ScalarKind::Start => SlotKind::Start,
    }
}

pub(in crate::resolve) fn scalar_kind_name(kind: ScalarKind) -> &'static str {
    match kind {
        ScalarKind::Coord => "a coordinate",
        ScalarKind::State => "a state",
        ScalarKind::Variable => "an algebraic variable",
        ScalarKind::Mode => "a mode, which events set",
        ScalarKind::Input => "an input, which is fed from outside",
        ScalarKind::Start => "a start",
    }
}

pub(super) fn symbol_name(symbol: Symbol) -> &'static str {
    match symbol {
        Symbol::Size(_) => "a size",
        Symbol::Param(_) => "a parameter",
        Symbol::Let(_) => "a `let`",
        Symbol::Index(_) | Symbol::Pass(_) | Symbol::IndexOf(_) | Symbol::EntryOf(_) => {
            "a loop index"
        }
        Symbol::Body(_) => "a body",
        Symbol::Scalar(_) | Symbol::Broken => "not known",
    }
}

impl<'r, 'a> Tx<'r, 'a> {
    /// `t` or `time`.
    pub(super) fn time(&mut self, e: &Expr) -> Option<TokenStream> {
        let Expr::Path(path) = e else { return None };
        let name = path.path.get_ident()?;
        let is_time = keyword::TIME.iter().any(|word| name == word);
        if !is_time || self.local(name).is_some() || self.mode != Mode::Kernel {
            return None;
        }
        let leaf = self.r.leaf(What::Time, Index::None);
        Some(self.leaf(leaf, name.span()))
    }

    // -- names of the model --------------------------------------------------------------------

    /// What a name, entry or member means; `None` when it is not a name of the model.
    pub(in crate::resolve) fn reference(&mut self, e: &Expr) -> Option<Ref> {
        match e {
            Expr::Path(path) => {
                let name = path.path.get_ident()?;
                if self.local(name).is_some() {
                    return None;
                }
                let text = name.to_string();
                if keyword::TIME.contains(&text.as_str()) && self.mode == Mode::Kernel {
                    return None;
                }
                let (symbol, scope) = self.r.scopes.find(self.scope, &text)?;
                let subst = self.subst.clone();
                Some(Ref { symbol, scope, subst, entry: None, span: name.span() })
            }
            Expr::Field(field) => {
                let base = self.body(&field.base)?;
                if base.symbol == Symbol::Broken {
                    return Some(base);
                }
                let Symbol::Body(inner) = base.symbol else { return None };
                let Member::Named(member) = &field.member else { return None };
                let span = member.span();
                let found = self.r.scopes.member(inner, &member.to_string());
                let seen = self.r.scopes.is_seen(inner, &member.to_string(), self.scope);
                if let Some(symbol) = found.filter(|_| seen) {
                    return Some(Ref {
                        symbol,
                        scope: inner,
                        subst: base.subst,
                        entry: None,
                        span,
                    });
                }
                self.no_member(inner, member, found.is_some());
                Some(Ref { symbol: Symbol::Broken, scope: inner, subst: None, entry: None, span })
            }
            Expr::Index(index) => {
                let mut base = self.reference(&index.expr)?;
                let array = match base.symbol {
                    Symbol::Scalar(id) => &self.r.model.scalars[id].len,
                    Symbol::Param(id) => &self.r.model.params[id].len,
                    Symbol::Broken => return Some(base),
                    _ => return None,
                };
                if array.is_some()
                    && self.uses_local(&index.index)
                    && array.as_ref().is_some_and(|len| len.literal.is_some())
                {
                    // Indexed by a local of the expression: the whole array is read.
                    return None;
                }
                if base.entry.is_some() {
                    return None;
                }
                base.entry = Some((*index.index).clone());
                Some(base)
            }
            _ => None,
        }
    }

    fn no_member(&self, inner: ScopeId, member: &Ident, private: bool) {
        let scopes = &self.r.scopes;
        let known = scopes.seen(inner, self.scope);
        let has = match &known[..] {
            [] => "; nothing in it is `pub`".to_string(),
            names => format!("; it has {}", names.join(", ")),
        };
        let body = scopes.list[inner].prefix.trim_end_matches('.');
        let of = scopes.list[inner].component.as_ref();
        let message = match (private, of) {
            (true, Some((_, component))) => {
                format!("`{member}` is private to component `{component}`{has}")
            }
            _ => {
                let hint = did_you_mean(&member.to_string(), known);
                let hint = match has.strip_prefix("; it has ") {
                    _ if hint.is_empty() => has,
                    // Of a part of others the reader has no source at hand.
                    Some(names) if scopes.list[inner].closed => format!("{hint} It has {names}"),
                    _ => hint,
                };
                format!("`{body}` has no `{member}`{hint}")
            }
        };
        let ball = scopes.list[inner].joint.is_some_and(|id| self.r.joints[id].is_ball());
        let message = match member.to_string().as_str() {
            name @ ("e" | "omega") if ball => {
                format!(
                    "`{body}` has `{name}` in joint coordinates, where it carries a body: state the start of its bodies, as by `init arm.{name} = …;`"
                )
            }
            _ => message,
        };
        self.error(member.span(), message);
    }

    /// A body, or an entry of an array of bodies.
    pub(in crate::resolve) fn body(&mut self, e: &Expr) -> Option<Ref> {
        if let Expr::Index(index) = e {
            let mut base = self.reference(&index.expr)?;
            if base.symbol == Symbol::Broken {
                return Some(base);
            }
            let Symbol::Body(inner) = base.symbol else { return None };
            let owner = self.r.scopes.list[inner].array.as_ref().map(|array| array.owner);
            let Some(owner) = owner.filter(|owner| *owner == inner) else {
                self.error(index.index.span(), "this is a single body and takes no index");
                base.symbol = Symbol::Body(inner);
                return Some(base);
            };
            let own = self.index(&index.index)?;
            base.subst = self.entry_of(owner, own, base.subst.take());
            return Some(base);
        }
        let base = self.reference(e)?;
        if base.symbol == Symbol::Broken {
            return Some(base);
        }
        let Symbol::Body(inner) = base.symbol else { return None };
        let scopes = &self.r.scopes;
        let needs_index =
            scopes.list[inner].array.as_ref().is_some_and(|array| array.owner == inner)
                && base.subst.as_ref().is_none_or(|s| s.of(inner).is_none());
        if needs_index {
            self.error(base.span, "this is an array of bodies: name one, as in `link[i].x`");
        }
        Some(base)
    }

    /// The index of an array of bodies, in the entry of the arrays around that is named or implied.
    fn entry_of(&self, owner: ScopeId, own: TokenStream, around: Option<Subst>) -> Option<Subst> {
        let array = self.r.scopes.list[owner].array.as_ref()?;
        let Some(outer) = &array.outer else {
            return Some(Subst { owner, own: own.clone(), tokens: own, outer: None });
        };
        let checked = |of: ScopeId, index: &TokenStream, len: &Len| self.r.checked(of, index, len);
        let named = around.as_ref().and_then(|around| around.of(outer.owner));
        let before = match named {
            Some(named) if named.outer.is_none() => checked(named.owner, &named.own, &outer.len),
            Some(named) => named.tokens.clone(),
            None => outer.index.clone(),
        };
        let (len, index) = (&array.len.tokens, checked(owner, &own, &array.len));
        let tokens = quote!(((#before) * (#len) + #index));
        Some(Subst { owner, own, tokens, outer: named.cloned().map(Box::new) })
    }

    pub(super) fn uses_local(&self, e: &Expr) -> bool {
        struct Names<'a>(&'a [(String, Local)], bool);
        impl Visit<'_> for Names<'_> {
            fn visit_expr_path(&mut self, path: &syn::ExprPath) {
                self.1 |= path
                    .path
                    .get_ident()
                    .is_some_and(|name| self.0.iter().any(|(local, _)| name == local));
            }
        }
        let mut names = Names(&self.locals, false);
        names.visit_expr(e);
        names.1
    }

    /// i64 code of an index.
    pub(super) fn index(&self, e: &Expr) -> Option<TokenStream> {
        let locals: Vec<String> = self.locals.iter().map(|(name, _)| name.clone()).collect();
        let subst = self.subst.as_ref();
        self.r.index_at(e, Names { scope: self.scope, locals: &locals, subst })
    }

    /// Records what a reference reads; gives the code that stands for it.
    pub(super) fn read(&mut self, reference: Ref, e: &Expr) -> TokenStream {
        let span = e.span();
        match reference.symbol {
            Symbol::Broken => self.nothing(span),
            Symbol::Size(id) => {
                self.reads.push(Read { what: ReadWhat::Size(id), span });
                let name = self.r.model.sizes[id].name.to_string();
                names::ident(&name, span).to_token_stream()
            }
            Symbol::Index(_) | Symbol::Pass(_) | Symbol::IndexOf(_) | Symbol::EntryOf(_) => {
                let Some(index) = self.r.whole(reference.symbol, reference.subst.as_ref()) else {
                    return self.nothing(span);
                };
                self.whole_index(index, span)
            }
            Symbol::Body(inner) => {
                let message = match self.r.scopes.list[inner].joint {
                    Some(_) => "a joint is not a value; name one of its parts, as in `hinge.force`",
                    None => "a body is not a value; name one of its parts, as in `k1.frame`",
                };
                self.error(span, message);
                self.nothing(span)
            }
            Symbol::Param(id) if self.mode == Mode::Default => {
                self.default_param(id, &reference, e)
            }
            _ if self.mode == Mode::Default => {
                self.error(span, "a default value may read sizes and parameters declared before it, nothing that moves");
                quote!(0.0)
            }
            Symbol::Param(id) => {
                match self.place(&reference, self.r.model.params[id].len.clone(), span) {
                    Some(index) => {
                        let leaf = self.r.leaf(What::Param(id), index);
                        self.leaf(leaf, span)
                    }
                    None => self.nothing(span),
                }
            }
            Symbol::Scalar(id) => {
                let what = What::Slot(first_slot(self.r.model.scalars[id].kind), id);
                self.scalar_leaf(what, id, reference)
            }
            Symbol::Let(def) => {
                let array = self.r.scopes.list[reference.scope].array.clone();
                let subst = reference.subst.as_ref().zip(array);
                let subst = subst.and_then(|(s, array)| s.of(array.owner)).cloned();
                match self.r.let_id(def, subst, span) {
                    Some(id) => {
                        self.reads.push(Read { what: ReadWhat::Let(id), span });
                        names::ident(&self.r.model.lets[id].local, span).to_token_stream()
                    }
                    None => self.nothing(span),
                }
            }
        }
    }

    /// A loop's index, or what a whole number is that follows from indices and sizes: that is computed where the model is
    /// built, as other indices are.
    fn whole_index(&mut self, index: TokenStream, span: Span) -> TokenStream {
        let text = index.to_string();
        // The index of a loop around the statement is there by its name.
        if let [TokenTree::Ident(name)] = &index.clone().into_iter().collect::<Vec<_>>()[..] {
            return names::ident(&name.to_string(), span).to_token_stream();
        }
        let wholes = &mut self.r.model.wholes;
        let known = wholes.iter().position(|known| known.index.to_string() == text);
        let id = known.unwrap_or_else(|| {
            let local = format!("__whole_{}", wholes.len());
            wholes.push(Whole { index, local });
            wholes.len() - 1
        });
        self.reads.push(Read { what: ReadWhat::Whole(id), span });
        names::ident(&self.r.model.wholes[id].local, span).to_token_stream()
    }

    pub(super) fn default_param(&mut self, id: ParamId, reference: &Ref, e: &Expr) -> TokenStream {
        let param = &self.r.model.params[id];
        let field = names::ident(&param.field.to_string(), e.span());
        match (&param.len, &reference.entry) {
            (None, None) => field.to_token_stream(),
            (Some(_), Some(index)) => match self.index(index) {
                // An entry that is not there is reported when the model is built.
                Some(index) => {
                    quote!(#field.get((#index) as ::core::primitive::usize).copied().unwrap_or(::core::primitive::f64::NAN))
                }
                None => quote!(0.0),
            },
            (None, Some(index)) => {
                self.error(
                    index.span(),
                    format!("`{}` is a scalar and takes no index", param.name),
                );
                quote!(0.0)
            }
            (Some(_), None) => {
                self.error(
                    e.span(),
                    format!("`{0}` is an array: index it, as in `{0}[0]`", param.name),
                );
                quote!(0.0)
            }
        }
    }

    pub(super) fn scalar_leaf(&mut self, what: What, id: ScalarId, reference: Ref) -> TokenStream {
        let span = reference.span;
        self.scalar_leaf_at(what, id, reference, span)
    }

    /// `read_at`: the token shown when the statement may not read this.
    pub(super) fn scalar_leaf_at(
        &mut self,
        what: What,
        id: ScalarId,
        reference: Ref,
        read_at: Span,
    ) -> TokenStream {
        let span = reference.span;
        match self.place(&reference, self.r.model.scalars[id].len.clone(), span) {
            Some(index) => {
                let leaf = self.r.leaf(what, index);
                self.reads.push(Read { what: ReadWhat::Leaf(leaf), span: read_at });
                names::ident(&self.r.model.leaves[leaf].local, span).to_token_stream()
            }
            None => self.nothing(span),
        }
    }

    pub(super) fn leaf(&mut self, leaf: LeafId, span: Span) -> TokenStream {
        self.reads.push(Read { what: ReadWhat::Leaf(leaf), span });
        names::ident(&self.r.model.leaves[leaf].local, span).to_token_stream()
    }

    /// Which entry of a declared array is meant.
    pub(super) fn place(&self, reference: &Ref, len: Option<Len>, span: Span) -> Option<Index> {
        let array = self.r.scopes.list[reference.scope].array.as_ref();
        let implied = array.map(|array| {
            let named = reference.subst.as_ref().and_then(|subst| subst.of(array.owner));
            named.map_or(array.index.clone(), |subst| subst.tokens.clone())
        });
        if let Symbol::Scalar(id) = reference.symbol
            && let Scalar { held, passes: Some(Passes { count, place, .. }), .. } =
                &self.r.model.scalars[id]
        {
            let place = match implied {
                Some(entry) => quote!(((#entry) * (#count) + (#place))),
                None => place.clone(),
            };
            let row = match &reference.entry {
                Some(row) => Some(self.index(row)?),
                None => None,
            };
            return Some(match held {
                true => Index::Row { instance: Some(place), row },
                false => Index::At(place),
            });
        }
        match (len, implied, &reference.entry) {
            (_, Some(index), None) => Some(Index::At(index)),
            (None, None, None) => Some(Index::None),
            (Some(len), None, Some(index)) => {
                if let (Some(len), Some(i)) = (len.literal, index::literal(index))
                    && (i < 0 || i >= len as i64)
                {
                    self.error(
                        index.span(),
                        format!(
                            "index {i} is out of range: the array has entries 0 to {}",
                            len as i64 - 1
                        ),
                    );
                    return None;
                }
                self.index(index).map(Index::At)
            }
            (Some(Len { literal: Some(n), .. }), None, None) => Some(Index::Whole(n)),
            (Some(_), None, None) => {
                self.error(span, "this is an array whose length is a run-time size: index it, as in `x[i]` inside `for i in 0..n { … }`");
                None
            }
            (_, _, Some(index)) => {
                self.error(index.span(), "this is a scalar and takes no index");
                None
            }
        }
    }

    /// The entry of a declared scalar that a statement is about: `x[i]` in `mass[x[i], x[i]]`.
    pub(in crate::resolve) fn target(
        &mut self,
        e: &Expr,
        wanted: &[ScalarKind],
        what: &str,
    ) -> Option<(Target, ScalarKind)> {
        let reference = self.reference(e);
        let Some(reference) = reference else {
            let told = self.r.unknown_name(e, self.scope);
            let expected = || syn::Error::new_spanned(e, format!("expected {what} here"));
            self.r.diag.push(told.unwrap_or_else(expected));
            return None;
        };
        let Symbol::Scalar(id) = reference.symbol else {
            if reference.symbol != Symbol::Broken {
                let is = symbol_name(reference.symbol);
                self.r.diag.push(syn::Error::new_spanned(
                    e,
                    format!(
                        "expected {what}, but `{}` is {is}",
                        names::as_written(e.to_token_stream())
                    ),
                ));
            }
            return None;
        };
        let scalar = &self.r.model.scalars[id];
        let kind = scalar.kind;
        if !wanted.contains(&kind) {
            self.r.diag.push(syn::Error::new_spanned(
                e,
                format!("expected {what}, but `{}` is {}", scalar.name, scalar_kind_name(kind)),
            ));
            return None;
        }
        let index = match self.place(&reference, scalar.len.clone(), e.span())? {
            Index::None => None,
            Index::At(tokens) => Some(tokens),
            _ => {
                self.r.diag.push(syn::Error::new_spanned(
                    e,
                    format!("`{0}` is an array: index it, as in `{0}[0]`", scalar.name),
                ));
                return None;
            }
        };
        Some((Target { scalar: id, index, span: e.span() }, kind))
    }
}
