//! Arithmetic of vectors. Rust's arrays have no operators: where one side of an operator is known to
//! be an array, the operator is written as a call of the library's function of that name, which works
//! on scalars too, so that only the other side's type has to be left to rustc.
//!
//! What is known to be an array: lists written out, whole arrays of the model, `let`s of such, entries
//! of a joint or body that are, and what the language's own functions and frames return.

use super::tx::{Local, Mode, Tx, is_call_of, scalar_type, verbatim};
use crate::ir::{Entry, Read, ReadWhat, ScalarId};
use crate::joint::Dimension;
use crate::keyword;
use crate::names;
use crate::resolve::index;
use crate::resolve::resolver::{Resolver, Shape, UNKNOWN};
use crate::resolve::scope::{LetDefId, ScopeId, Symbol};
use proc_macro2::Span;
use quote::{ToTokens, quote_spanned};
use syn::{BinOp, Expr, Member, UnOp};

/// Where names are looked up.
#[derive(Clone, Copy)]
pub(in crate::resolve) struct View<'a> {
    scope: ScopeId,
    locals: &'a [(String, Local)],
}

impl Resolver<'_> {
    /// What a name, entry of bodies or member means, with the scope it was found in; no error is told.
    pub(in crate::resolve) fn meaning(
        &self,
        e: &Expr,
        scope: ScopeId,
    ) -> Option<(Symbol, ScopeId)> {
        self.meant(e, View { scope, locals: &[] })
    }

    /// The array that an expression of the model is.
    pub(in crate::resolve) fn shape(&self, e: &Expr, scope: ScopeId) -> Option<Shape> {
        self.array(e, View { scope, locals: &[] })
    }

    fn meant(&self, e: &Expr, view: View<'_>) -> Option<(Symbol, ScopeId)> {
        match e {
            Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                if view.locals.iter().any(|(local, _)| *local == name) {
                    return None;
                }
                self.scopes.find(view.scope, &name)
            }
            Expr::Field(field) => {
                let (Symbol::Body(inner), _) = self.meant(&field.base, view)? else { return None };
                let Member::Named(member) = &field.member else { return None };
                Some((self.scopes.member(inner, &member.to_string())?, inner))
            }
            Expr::Index(index) => {
                let found = self.meant(&index.expr, view)?;
                matches!(found.0, Symbol::Body(_)).then_some(found)
            }
            Expr::Paren(inner) => self.meant(&inner.expr, view),
            Expr::Group(inner) => self.meant(&inner.expr, view),
            _ => None,
        }
    }

    /// Whether a body has a frame, and in how many dimensions.
    pub(in crate::resolve) fn dimension(&self, body: ScopeId) -> Option<Dimension> {
        if let Some(hanging) = self.hanging.get(&body) {
            return Some(hanging.dimension);
        }
        match self.scopes.member(body, "frame")? {
            Symbol::Let(def) => self.frame_of_let(def),
            _ => None,
        }
    }

    fn frame_of_let(&self, def: LetDefId) -> Option<Dimension> {
        self.in_let(def, |value, view| self.frame(value, view))
    }

    /// Looks into the value of a let, unless that is being looked into already, or is an entry of what is written.
    fn in_let<T>(
        &self,
        def: LetDefId,
        look: impl FnOnce(&Expr, View<'_>) -> Option<T>,
    ) -> Option<T> {
        let definition = &self.let_defs[def];
        if definition.elementwise.is_some() || !self.looked_into.borrow_mut().insert(def) {
            return None;
        }
        let found = look(&definition.value, View { scope: definition.scope, locals: &[] });
        self.looked_into.borrow_mut().remove(&def);
        found
    }

    /// The array that a let is. Each is found once, in the order lets are resolved in, so that a long
    /// chain of lets is not gone through at every link.
    pub(in crate::resolve) fn shape_of_let(&self, def: LetDefId) -> Option<Shape> {
        if let Some(found) = self.shapes.borrow().get(&def) {
            return *found;
        }
        let found = self.in_let(def, |value, view| self.array(value, view));
        if self.all_declared {
            self.shapes.borrow_mut().insert(def, found);
        }
        found
    }

    /// The dimension of a frame.
    pub(in crate::resolve) fn frame_in(&self, e: &Expr, scope: ScopeId) -> Option<Dimension> {
        self.frame(e, View { scope, locals: &[] })
    }

    fn frame(&self, e: &Expr, view: View<'_>) -> Option<Dimension> {
        match e {
            Expr::Call(call) => {
                let Expr::Path(path) = &*call.func else { return None };
                let mut words = path.path.segments.iter().map(|segment| segment.ident.to_string());
                let last = path.path.segments.last()?.ident.to_string();
                words.find_map(|word| match word.as_str() {
                    "PlanarFrame" => Some(Dimension::Planar),
                    "SpatialFrame" => Some(Dimension::Spatial),
                    "spatial" if last == keyword::GROUND => Some(Dimension::Spatial),
                    _ => None,
                })
            }
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                let frames = ["at", "facing", "turned", "marker", "compose", "inverse", "of_body"];
                if !frames.contains(&name.as_str()) {
                    return None;
                }
                match self.meant(&call.receiver, view) {
                    Some((Symbol::Body(body), _)) => self.dimension(body),
                    _ => self.frame(&call.receiver, view),
                }
            }
            Expr::Paren(inner) => self.frame(&inner.expr, view),
            Expr::Group(inner) => self.frame(&inner.expr, view),
            Expr::Field(field) if matches!(&field.member, Member::Named(name) if name == "frame") => {
                match self.meant(&field.base, view)? {
                    (Symbol::Body(body), _) => self.dimension(body),
                    _ => None,
                }
            }
            _ => match self.meant(e, view)? {
                (Symbol::Let(def), _) => self.frame_of_let(def),
                _ => None,
            },
        }
    }

    /// Whether an expression is one of `mbd::components::solid`.
    fn solid(&self, e: &Expr, view: View<'_>) -> bool {
        match e {
            Expr::Call(call) => matches!(&*call.func, Expr::Path(path)
                if path.path.segments.iter().any(|segment| segment.ident == "solid")),
            Expr::MethodCall(call) => {
                ["at", "turned", "with", "less"].iter().any(|name| call.method == name)
                    && self.solid(&call.receiver, view)
            }
            Expr::Paren(inner) => self.solid(&inner.expr, view),
            Expr::Group(inner) => self.solid(&inner.expr, view),
            _ => match self.meant(e, view) {
                Some((Symbol::Let(def), _)) => {
                    self.in_let(def, |value, view| self.solid(value, view).then_some(())).is_some()
                }
                _ => false,
            },
        }
    }

    /// Whether an expression is one scalar for certain, so that a number of entries after an output's name is a
    /// mistake. What a function returns, and a member of that, is known to rustc alone.
    pub(in crate::resolve) fn is_single(&self, e: &Expr, scope: ScopeId) -> bool {
        self.single(e, View { scope, locals: &[] })
    }

    fn single(&self, e: &Expr, view: View<'_>) -> bool {
        let alone = |len: &Option<crate::ir::Len>, scope: ScopeId| {
            len.is_none() || self.scopes.list[scope].array.is_some()
        };
        match e {
            Expr::Lit(_) => true,
            Expr::Paren(inner) => self.single(&inner.expr, view),
            Expr::Group(inner) => self.single(&inner.expr, view),
            Expr::Unary(unary) => self.single(&unary.expr, view),
            // A vector times a scalar is one, and nothing else is added to a scalar.
            Expr::Binary(binary) => {
                let [left, right] = [&binary.left, &binary.right].map(|e| self.single(e, view));
                match binary.op {
                    BinOp::Add(_) | BinOp::Sub(_) => left || right,
                    _ => left && right,
                }
            }
            Expr::Call(call) if is_call_of(call, keyword::DER) => {
                call.args.first().is_some_and(|arg| self.single(arg, view))
            }
            Expr::Index(entry) => matches!(
                self.meant(&entry.expr, view),
                Some((Symbol::Scalar(_) | Symbol::Param(_), _))
            ),
            Expr::Path(_) | Expr::Field(_) => match self.meant(e, view) {
                Some((Symbol::Scalar(id), home)) => alone(&self.model.scalars[id].len, home),
                Some((Symbol::Param(id), home)) => alone(&self.model.params[id].len, home),
                Some((Symbol::Let(def), _)) => {
                    self.in_let(def, |value, view| self.single(value, view).then_some(())).is_some()
                }
                Some((Symbol::Body(_) | Symbol::Broken, _)) => false,
                Some(_) => true,
                None => keyword::TIME
                    .iter()
                    .any(|word| matches!(e, Expr::Path(path) if path.path.is_ident(word))),
            },
            _ => false,
        }
    }

    fn array(&self, e: &Expr, view: View<'_>) -> Option<Shape> {
        match e {
            Expr::Array(array) => {
                let flat = array.elems.iter().all(|e| self.array(e, view).is_none());
                Some(Shape { len: Some(array.elems.len()), flat })
            }
            Expr::Repeat(_) => Some(UNKNOWN),
            Expr::Paren(inner) => self.array(&inner.expr, view),
            Expr::Group(inner) => self.array(&inner.expr, view),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => self.array(&unary.expr, view),
            Expr::Binary(binary) => {
                let left = self.array(&binary.left, view);
                match binary.op {
                    BinOp::Add(_) | BinOp::Sub(_) => {
                        let right = self.array(&binary.right, view);
                        let len = left.and_then(|a| a.len).or(right.and_then(|b| b.len));
                        let flat = left.or(right)?.flat;
                        Some(Shape { len, flat })
                    }
                    BinOp::Mul(_) => match self.array(&binary.right, view) {
                        // A matrix times a vector: its rows are the entries.
                        Some(right) if left.is_some() => {
                            left.map(|left| Shape { flat: right.flat, ..left })
                        }
                        Some(right) => Some(right),
                        None => left,
                    },
                    BinOp::Div(_) => left,
                    _ => None,
                }
            }
            Expr::Call(call) => self.array_of_call(call, view),
            Expr::MethodCall(call) => match call.method.to_string().as_str() {
                "point" | "vector" | "to_local" => {
                    let frame = match self.meant(&call.receiver, view) {
                        Some((Symbol::Body(body), _)) => self.dimension(body),
                        _ => self.frame(&call.receiver, view),
                    };
                    Some(frame.map_or(UNKNOWN, |frame| Shape::of(frame.point())))
                }
                "x" | "y" | "z" | "turning" => {
                    self.frame(&call.receiver, view).map(|frame| Shape::of(frame.point()))
                }
                "map" => self.array(&call.receiver, view),
                _ => None,
            },
            Expr::Field(field) => match self.meant(e, view) {
                Some(found) => self.array_of(found),
                None => match &field.member {
                    Member::Named(name) if name == "origin" => {
                        let frame = self.frame(&field.base, view);
                        Some(frame.map_or(UNKNOWN, |frame| Shape::of(frame.point())))
                    }
                    Member::Named(name) if name == "rotation" => Some(Shape::rows(3)),
                    Member::Named(name) if name == "center" && self.solid(&field.base, view) => {
                        Some(Shape::of(3))
                    }
                    Member::Named(name) if name == "inertia" && self.solid(&field.base, view) => {
                        Some(Shape::of(6))
                    }
                    _ => None,
                },
            },
            Expr::Path(path) => {
                let name = path.path.get_ident()?;
                match view.locals.iter().rev().find(|(local, _)| name == local) {
                    Some((_, Local::Vector)) => Some(UNKNOWN),
                    Some(_) => None,
                    None => self.array_of(self.meant(e, view)?),
                }
            }
            _ => None,
        }
    }

    fn array_of(&self, (symbol, scope): (Symbol, ScopeId)) -> Option<Shape> {
        let whole = |len: &Option<crate::ir::Len>| {
            let len = len.as_ref().filter(|_| self.scopes.list[scope].array.is_none())?;
            Some(Shape::of(len.literal?))
        };
        match symbol {
            Symbol::Let(def) => self.shape_of_let(def),
            Symbol::Scalar(id) => whole(&self.model.scalars[id].len),
            Symbol::Param(id) => whole(&self.model.params[id].len),
            _ => None,
        }
    }

    fn array_of_call(&self, call: &syn::ExprCall, view: View<'_>) -> Option<Shape> {
        let Expr::Path(path) = &*call.func else { return None };
        let name = path.path.segments.last()?.ident.to_string();
        let alone = path.path.segments.len() == 1;
        let own = alone && matches!(self.scopes.find(view.scope, &name), Some((Symbol::Let(_), _)));
        match name.as_str() {
            _ if own => None,
            "cross" | "body_rate" | "ground_rate" | "spin" | "to_lowest" => Some(Shape::of(3)),
            "rotation" => Some(Shape::rows(3)),
            // Of two frames in space, or of two planar ones with a point of each.
            "offset" => match (self.frame(call.args.first()?, view)?, call.args.len()) {
                (Dimension::Spatial, 2) => Some(Shape::of(6)),
                (Dimension::Planar, 4) => Some(Shape::of(3)),
                _ => None,
            },
            "bushing" => self.array(call.args.first()?, view),
            "axis_angle" | "axis_to" | "yaw_pitch_roll" | "product" | "euler_rate"
            | "from_rotation" => Some(Shape::of(4)),
            "transpose" => {
                let len = call.args.first().and_then(|matrix| self.columns(matrix, view));
                Some(Shape { len, flat: false })
            }
            "vector" | "unit" => Some(self.array(call.args.first()?, view).unwrap_or(UNKNOWN)),
            "der" if alone => self.array(call.args.first()?, view),
            "lambda" | "psi" if alone => {
                let rows = self.multipliers(call.args.first()?, view.scope)?;
                (rows > 1).then(|| Shape::of(rows))
            }
            _ => None,
        }
    }

    /// How many columns a matrix has, where it is written out, a turn, or a `let` of these.
    fn columns(&self, e: &Expr, view: View<'_>) -> Option<usize> {
        match e {
            Expr::Paren(inner) => self.columns(&inner.expr, view),
            Expr::Array(rows) => self.array(rows.elems.first()?, view)?.len,
            Expr::Call(call) => match &*call.func {
                Expr::Path(path) => match &*path.path.segments.last()?.ident.to_string() {
                    "rotation" => Some(3),
                    "transpose" => self.array(call.args.first()?, view)?.len,
                    _ => None,
                },
                _ => None,
            },
            _ => match self.meant(e, view)? {
                (Symbol::Let(def), _) => self.in_let(def, |value, view| self.columns(value, view)),
                _ => None,
            },
        }
    }

    /// Rows of the constraint that a multiplier is asked of.
    fn multipliers(&self, name: &Expr, scope: ScopeId) -> Option<usize> {
        let (scope, ident) = match name {
            Expr::Path(path) => (scope, path.path.get_ident()?.to_string()),
            Expr::Field(field) => match (self.meaning(&field.base, scope)?, &field.member) {
                ((Symbol::Body(inner), _), Member::Named(ident)) => (inner, ident.to_string()),
                _ => return None,
            },
            Expr::Index(index) => return self.multipliers(&index.expr, scope),
            _ => return None,
        };
        self.scopes.constraint(scope, &ident).map(|id| self.model.constraints[id].rows)
    }

    /// The scalars of the model that an array consists of: a whole array, a list of coordinates or of
    /// their velocities.
    pub(in crate::resolve) fn entries_of(&self, e: &Expr, scope: ScopeId) -> Option<Vec<Expr>> {
        if let Expr::Paren(inner) = e {
            return self.entries_of(&inner.expr, scope);
        }
        if let Expr::Call(call) = e
            && is_call_of(call, keyword::DER)
        {
            let entries = self.entries_of(call.args.first()?, scope)?;
            return Some(entries.iter().map(|e| syn::parse_quote!(der(#e))).collect());
        }
        match self.meaning(e, scope)? {
            (Symbol::Scalar(id), home) => {
                let len = self.whole_len(id, home)?;
                let entry = |i: usize| {
                    let i = syn::Index::from(i);
                    syn::parse_quote!(#e[#i])
                };
                Some((0..len).map(entry).collect())
            }
            (Symbol::Let(def), home) => {
                let definition = &self.let_defs[def];
                let Expr::Array(list) = &definition.value else { return None };
                if definition.scope != home || self.scopes.list[home].is_loop() {
                    return None;
                }
                let base = match e {
                    Expr::Field(field) => Some((*field.base).clone()),
                    _ => None,
                };
                list.elems.iter().map(|entry| self.entry_of(entry, home, base.as_ref())).collect()
            }
            _ => None,
        }
    }

    fn whole_len(&self, id: ScalarId, home: ScopeId) -> Option<usize> {
        let len = self.model.scalars[id].len.as_ref()?;
        self.scopes.list[home].array.is_none().then_some(len.literal).flatten()
    }

    /// `x`, or `der(x)`, of a body seen from outside.
    fn entry_of(&self, entry: &Expr, home: ScopeId, base: Option<&Expr>) -> Option<Expr> {
        match entry {
            Expr::Call(call) if is_call_of(call, keyword::DER) => {
                let inner = self.entry_of(call.args.first()?, home, base)?;
                Some(syn::parse_quote!(der(#inner)))
            }
            Expr::Path(path) => {
                let name = path.path.get_ident()?;
                let (Symbol::Scalar(_), _) = self.scopes.find(home, &name.to_string())? else {
                    return None;
                };
                Some(match base {
                    Some(base) => {
                        let name = proc_macro2::Ident::new(&name.to_string(), Span::call_site());
                        syn::parse_quote!(#base.#name)
                    }
                    None => entry.clone(),
                })
            }
            _ => None,
        }
    }
}

/// An expression as it was written.
pub(super) fn tidy(e: &Expr) -> String {
    names::as_written(e.to_token_stream())
        .to_string()
        .replace(" . ", ".")
        .replace(" (", "(")
        .replace("( ", "(")
        .replace(" )", ")")
}

fn differ(a: Shape, b: Shape) -> bool {
    a.len.zip(b.len).is_some_and(|(a, b)| a != b)
}

impl Tx<'_, '_> {
    fn view(&self) -> View<'_> {
        View { scope: self.scope, locals: &self.locals }
    }

    /// Whether an expression is an array for certain.
    pub(super) fn is_vector(&self, e: &Expr) -> bool {
        self.mode == Mode::Kernel && self.r.array(e, self.view()).is_some()
    }

    /// An entry of an array that is no array of the model: one that is a number is checked here, one that is told
    /// by loops and sizes when the model is built.
    pub(super) fn entry(&mut self, index: &syn::ExprIndex) {
        let shape = match self.mode {
            Mode::Kernel => self.r.array(&index.expr, self.view()),
            _ => None,
        };
        let Some(Shape { len: Some(len), .. }) = shape else { return };
        let array = tidy(&index.expr);
        let span = syn::spanned::Spanned::span(&*index.index);
        if let Some(i) = index::literal(&index.index) {
            if i >= len as i64 {
                self.error(
                    span,
                    format!(
                        "index {i} is out of range: `{array}` has entries 0 to {}",
                        len as i64 - 1
                    ),
                );
            }
            return;
        }
        // What is told by locals of the expression is rustc's own.
        if self.uses_local(&index.index) || !self.is_int(&index.index) {
            return;
        }
        if let Some(tokens) = self.index(&index.index) {
            let id = self.r.model.entries.len();
            self.r.model.entries.push(Entry { array, index: tokens, len });
            self.reads.push(Read { what: ReadWhat::Entry(id), span });
        }
    }

    /// Writes an operator with an array on one side as a call; `false` where there is none.
    pub(super) fn vector_operator(&mut self, e: &mut Expr) -> bool {
        let Expr::Binary(binary) = e else { return false };
        let (name, span) = match &binary.op {
            BinOp::Add(op) => ("plus", op.span),
            BinOp::Sub(op) => ("minus", op.span),
            BinOp::Mul(op) => ("times", op.span),
            BinOp::Div(op) => ("over", op.span),
            _ => return false,
        };
        let sides = [&binary.left, &binary.right].map(|side| match self.mode {
            Mode::Kernel => self.r.array(side, self.view()),
            _ => None,
        });
        let single = |e| self.is_scalar(e) || self.is_float(e) || self.is_int(e);
        let scalar = single(&binary.left) || single(&binary.right);
        let [left, right] = sides;
        let mistake = match (name, left, right) {
            (_, None, None) => return false,
            ("plus" | "minus", Some(a), Some(b)) if differ(a, b) => {
                Some("these vectors have different numbers of entries")
            }
            ("plus" | "minus", None, _) | ("plus" | "minus", _, None) if scalar => Some(
                "a vector and a scalar are not added: take an entry, as in `v[0]`, or add a vector",
            ),
            ("times", Some(a), Some(b)) if a.flat && b.flat => {
                Some("of two vectors there are `dot(a, b)` and `cross(a, b)`")
            }
            ("over", _, Some(_)) => Some("a vector is divided by scalars only"),
            _ => None,
        };
        if let Some(mistake) = mistake {
            self.error(span, mistake);
            *e = verbatim(self.nothing(span));
            return true;
        }
        self.vector_operand(&mut binary.left);
        self.vector_operand(&mut binary.right);
        let name = proc_macro2::Ident::new(name, span);
        let (left, right) = (&binary.left, &binary.right);
        *e = verbatim(quote_spanned!(span=> __mbd::vector::#name(#left, #right)));
        true
    }

    /// `-v`.
    pub(super) fn vector_negated(&mut self, e: &mut Expr) -> bool {
        let Expr::Unary(unary) = e else { return false };
        let UnOp::Neg(op) = unary.op else { return false };
        if !self.is_vector(&unary.expr) || self.is_int_array(&unary.expr) {
            return false;
        }
        self.vector_operand(&mut unary.expr);
        let operand = &unary.expr;
        *e = verbatim(quote_spanned!(op.span=> __mbd::vector::negated(#operand)));
        true
    }

    /// Whole numbers become scalars, alone and in lists.
    fn vector_operand(&mut self, e: &mut Expr) {
        if let Expr::Paren(inner) = e {
            return self.vector_operand(&mut inner.expr);
        }
        if self.is_int_array(e) {
            self.plain(e);
            let span = syn::spanned::Spanned::span(e);
            let scalar = scalar_type(span);
            *e = verbatim(quote_spanned!(span=> __mbd::vector::real::<#scalar, _>(#e)));
        } else {
            self.scalar(e);
        }
    }

    /// `body.at(…)`, `body.point(…)`: of the body's frame. How many arguments `at` has says which of
    /// the frame's functions it is.
    pub(super) fn of_a_body(&self, call: &mut syn::ExprMethodCall) {
        let Some((Symbol::Body(body), _)) = self.r.meant(&call.receiver, self.view()) else {
            return;
        };
        if self.r.dimension(body).is_none() {
            return;
        }
        let name = match (call.method.to_string().as_str(), call.args.len()) {
            ("at", 1) => "marker",
            ("at", 2) => "marker_along",
            ("at", 3) => "marker_axes",
            ("point" | "vector" | "to_local", _) => "",
            _ => return,
        };
        if !name.is_empty() {
            call.method = proc_macro2::Ident::new(name, call.method.span());
        }
        let receiver = call.receiver.to_token_stream();
        *call.receiver = syn::parse_quote!(#receiver.frame);
    }
}
