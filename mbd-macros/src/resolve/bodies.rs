//! Bodies: the statements of a component, in a scope of their own.

use super::expr::{Mode, Tx};
use super::resolver::{Hanging, Resolver};
use super::scope::{ScopeArray, ScopeId, Symbol};
use crate::ast::{self, BodyStmt, Stmt, StmtKind};
use crate::block::{BlockId, Blocks, Found};
use crate::component;
use crate::diag::did_you_mean;
use crate::ir::*;
use crate::keyword;
use crate::link;
use crate::names;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::ops::Deref;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{Expr, Path};

/// Bodies within bodies: a component is declared by a function that calls itself.
const DEPTH: usize = 128;

/// A component that is used: it is not copied where it is read often.
enum Known<'a> {
    Of(&'a ast::Component),
    Kept(Rc<ast::Component>),
}

impl Deref for Known<'_> {
    type Target = ast::Component;

    fn deref(&self) -> &ast::Component {
        match self {
            Known::Of(component) => component,
            Known::Kept(component) => component,
        }
    }
}

impl<'a> Resolver<'a> {
    pub(super) fn body(&mut self, body: &BodyStmt, scope: ScopeId, loops: &[LoopId]) {
        let name = &body.name;
        if self.scopes.list[scope].is_loop() {
            self.diag.error(
                name.span(),
                format!("declare bodies outside loops, as an array: `body {name}[n]: …;`"),
            );
            self.name(scope, name, Symbol::Broken);
            return;
        }
        if !self.may_declare(name) {
            return;
        }
        let given: Vec<String> = body.overrides.iter().map(|(name, _)| names::text(name)).collect();
        let Some((of, component)) = self.component(&body.component, scope, &given) else {
            self.name(scope, name, Symbol::Broken);
            return;
        };
        let (builtin, component_name) = (of.is_none(), names::text(&component.name));
        let this = (of, component_name.clone());
        if self.inside.contains(&this) {
            self.diag.push(syn::Error::new_spanned(
                &body.component,
                format!("component `{component_name}` contains itself"),
            ));
            return;
        }
        if self.inside.len() == DEPTH {
            self.diag.push(syn::Error::new_spanned(
                &body.component,
                format!("bodies are nested more than {DEPTH} deep here"),
            ));
            return;
        }
        let here = &self.scopes.list[scope];
        let mut inner = here.inner(scope);
        inner.prefix = format!("{}{}.", here.prefix, names::text(name));
        inner.open = builtin;
        inner.component = Some(self.identity(of, &component_name));
        if let Some(of) = of {
            inner.block = of;
            inner.closed = of != here.block || Blocks::is_public(&component);
        }
        let mut loops = loops.to_vec();
        let next = self.scopes.list.len();
        if let Some(len) = &body.len {
            let len = self.len_of(len, scope);
            let around = self.model.loops.len();
            let text = match &inner.array {
                None => format!("__of_{}", names::text(name)),
                Some(_) => format!("__of_{}_{around}", names::text(name)),
            };
            let own = names::ident(&text, Span::call_site());
            loops.push(around);
            let var = own.clone();
            let (own_len, first) = (&len.tokens, self.first_pass(body, scope));
            let (start, end) = match &first {
                None => (quote!(0i64), own_len.clone()),
                Some(first) => (first.clone(), quote!(((#first) + (#own_len)))),
            };
            self.model.loops.push(Loop { var, start, end, inclusive: false });
            let outer = inner.array.take().map(Box::new);
            let (before, index) = (inner.len.take(), TokenStream::new());
            let mut array =
                ScopeArray { own, first, around, len: len.clone(), index, owner: next, outer };
            let (index, all) = match (&array.outer, before) {
                (Some(outer), Some(before)) => {
                    let (outer, before, entry) = (&outer.index, &before.tokens, array.entry());
                    let all = quote!(((#before).max(0i64) * (#own_len).max(0i64)));
                    (quote!(((#outer) * (#own_len) + #entry)), Len { tokens: all, literal: None })
                }
                _ => (array.entry(), len.clone()),
            };
            array.index = index;
            inner.array = Some(array);
            inner.len = Some(all);
        }
        let inner = self.scopes.add(inner);
        self.name(scope, name, Symbol::Body(inner));
        let given_in = match &body.pass {
            Some((index, _)) => {
                self.model.checks_bodies = true;
                let pass = self.scopes.list[scope].inner(scope);
                let pass = self.scopes.add(pass);
                self.name(pass, index, Symbol::IndexOf(inner));
                self.name(pass, &Ident::new(names::PASS, index.span()), Symbol::EntryOf(inner));
                pass
            }
            None => scope,
        };
        self.overrides(body, &component, given_in, inner);
        let is_given = |stmt: &Stmt| match given_name(stmt) {
            Some(name) => given.contains(&names::text(name)),
            None => false,
        };
        let statements = component.body.iter().filter(|stmt| !is_given(stmt)).cloned();
        let statements: Vec<Stmt> = match builtin {
            true => statements.map(|stmt| at_body(stmt, name.span())).collect(),
            false => statements.collect(),
        };
        if let (true, Some(dimension)) =
            (builtin && self.joint_coordinates, component::dimension(&component_name))
        {
            // What its coordinates are the joints say.
            let is_param = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Param { .. });
            let (params, rest): (Vec<Stmt>, Vec<Stmt>) = statements.into_iter().partition(is_param);
            self.declare(&params, inner, &loops);
            let (body, inside) = (body.clone(), self.inside.clone());
            let component = component_name;
            let hanging = Hanging { body, component, given, dimension, inside, rest, loops };
            self.hanging.insert(inner, hanging);
            return;
        }
        self.declare_sizes(&statements, inner);
        self.body_statements(body, this, &statements, inner, &loops);
    }

    /// Where the loop begins that a body is declared in, unless from 0.
    fn first_pass(&mut self, body: &BodyStmt, scope: ScopeId) -> Option<TokenStream> {
        let (_, start) = body.pass.as_ref()?;
        let is_zero = matches!(start, Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. })
            if int.base10_digits() == "0");
        if is_zero { None } else { self.index_tokens(start, scope) }
    }

    /// What a body is, besides what a joint may have to say first.
    pub(super) fn body_statements(
        &mut self,
        body: &BodyStmt,
        this: (Option<BlockId>, String),
        statements: &[Stmt],
        inner: ScopeId,
        loops: &[LoopId],
    ) {
        let (builtin, component_name) = (this.0.is_none(), this.1.clone());
        let first = self.model.scalars.len();
        self.inside.push(this);
        for stmt in statements {
            if let StmtKind::Connector { name, component } = &stmt.kind {
                self.not_connected(body, name, component);
                self.name(inner, name, Symbol::Broken);
            }
        }
        self.declare(statements, inner, loops);
        let node = builtin && component::is_node(&component_name);
        if node {
            self.model.scalars[first..].iter_mut().for_each(|scalar| scalar.balanced = true);
        }
        if builtin
            && !node
            && let Some(weight) = self.weight(body, inner)
        {
            self.weighed = true;
            self.declare(&[weight], inner, loops);
        }
        self.inside.pop();
        if builtin {
            self.vectors(first);
            self.known_body(&component_name, inner);
        }
    }

    /// A component, and the block it is of; none where it is one of the language's own.
    fn component(
        &self,
        path: &Path,
        scope: ScopeId,
        given: &[String],
    ) -> Option<(Option<BlockId>, Known<'a>)> {
        let block = self.scopes.list[scope].block;
        if let (0, Some(name)) = (block, path.get_ident())
            && let Some(component) = self.components.get(&names::text(name))
        {
            return Some((Some(0), Known::Kept(component.clone())));
        }
        let blocks: &'a Blocks = self.blocks;
        match blocks.find(block, path) {
            Found::Of(of, component) => return Some((Some(of), Known::Of(component))),
            Found::Builtin => {
                let name = names::text(path.get_ident()?);
                let key = (name, given.to_vec());
                if let Some(known) = self.builtin.borrow().get(&key) {
                    return Some((None, Known::Kept(known.clone())));
                }
                let component = Rc::new(component::builtin(&key.0, given, self.diag)?);
                self.builtin.borrow_mut().insert(key, component.clone());
                return Some((None, Known::Kept(component)));
            }
            Found::Missing => {}
        }
        let name = link::text(path);
        let file = &self.blocks.0[block].file;
        let own = file.components.iter().map(|component| names::text(&component.name));
        let mut known: Vec<String> = own.chain(self.components.keys().cloned()).collect();
        known.extend(file.uses.iter().map(|used| names::text(&used.name)));
        known.extend(component::names().map(String::from));
        let hint = match did_you_mean(&name, known.iter().map(String::as_str)) {
            hint if hint.is_empty() => {
                format!(
                    "; define it with `component`, name one of another block by its path (`vehicle::{name}`, `self::{name}`), or use a built-in one: "
                ) + &component::names().collect::<Vec<_>>().join(", ")
            }
            hint => hint,
        };
        self.diag
            .push(syn::Error::new_spanned(path, format!("there is no component `{name}`{hint}")));
        None
    }

    /// What a component is, by whatever path it was found.
    fn identity(&self, of: Option<BlockId>, name: &str) -> (String, String) {
        let block = of.map_or(String::new(), |of| self.blocks.0[of].identity.clone());
        (block, name.to_string())
    }

    fn not_connected(&self, body: &BodyStmt, connector: &Ident, component: &Path) {
        let (wanted, of) = (link::text(component), link::text(&body.component));
        self.diag.error(
            body.name.span(),
            format!(
                "`{of}` asks for `{connector}`, a `{wanted}`: give it a body, as in `body {}: {of} {{ {connector}: … }};`",
                body.name
            ),
        );
    }

    /// Gives a component the body that its connector asks for, under the connector's name.
    fn connect(
        &mut self,
        connector: &Ident,
        wanted: &Path,
        value: &Expr,
        scope: ScopeId,
        inner: ScopeId,
    ) {
        let message = match self.meaning(value, scope) {
            Some((Symbol::Broken, _)) => None,
            _ if indexed(value) => Some(format!(
                "`{connector}` takes one body, not an entry of an array of bodies; a part inside the component of that array takes the body beside it by its name"
            )),
            Some((Symbol::Body(given), _)) if self.scopes.list[given].joint.is_none() => {
                let array = |id: ScopeId| self.scopes.list[id].array.as_ref();
                let shared = |of: ScopeId| {
                    array(scope).is_some_and(|here| here.chain().any(|a| a.owner == of))
                };
                let other = array(given).is_some_and(|given| !shared(given.owner));
                let wanted_kind = self
                    .component(wanted, inner, &[])
                    .map(|(of, component)| self.identity(of, &names::text(&component.name)));
                if other {
                    Some(format!("`{connector}` takes one body, and this is an array of bodies"))
                } else if wanted_kind.is_some() && self.scopes.list[given].component != wanted_kind
                {
                    let is = self.scopes.list[given].component.as_ref();
                    let is = is.map_or("body", |(_, name)| name.as_str());
                    Some(format!(
                        "`{connector}` takes a `{}`, and this is a `{is}`; name a body in it that is one, as in `car.hull`",
                        link::text(wanted)
                    ))
                } else {
                    // Whether it may be named here is asked as for any member.
                    let mut tx = Tx::new(self, scope, Mode::Kernel, None);
                    tx.reference(value);
                    self.name(inner, connector, Symbol::Body(given));
                    return;
                }
            }
            _ => Some(format!(
                "`{connector}` takes a body, a `{}`, named as in `{{ {connector}: hull }}`; a part on the ground takes a body that a `fixed` joint holds there",
                link::text(wanted)
            )),
        };
        if let Some(message) = message {
            self.diag.push(syn::Error::new_spanned(value, message));
        }
        self.name(inner, connector, Symbol::Broken);
    }

    /// Bodies that are given others come after these.
    pub(super) fn in_order<'s>(&self, body: &'s [Stmt], scope: ScopeId) -> Vec<&'s Stmt> {
        let block = self.scopes.list[scope].block;
        let given = |stmt: &&Stmt| match &stmt.kind {
            StmtKind::Body(body) => {
                let connectors = self.connectors(block, &body.component);
                let values = body.overrides.iter().filter(|(name, _)| {
                    connectors.iter().any(|connector| *connector == names::text(name))
                });
                values.filter_map(|(_, value)| root(value)).collect()
            }
            _ => Vec::new(),
        };
        let declares = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Body(body) => Some(names::text(&body.name)),
            _ => None,
        };
        let mut waiting: Vec<&Stmt> = body.iter().collect();
        let mut order = Vec::new();
        while !waiting.is_empty() {
            let left: Vec<String> = waiting.iter().filter_map(|stmt| declares(stmt)).collect();
            let ready = |stmt: &&Stmt| given(stmt).iter().all(|name| !left.contains(name));
            let (now, later): (Vec<&Stmt>, Vec<&Stmt>) = waiting.into_iter().partition(ready);
            // Bodies that are given each other: what is wrong is told where one is not known.
            waiting = if now.is_empty() { Vec::new() } else { later.clone() };
            order.extend(if now.is_empty() { later } else { now });
        }
        order
    }

    fn connectors(&self, block: BlockId, path: &Path) -> Vec<String> {
        let own = path.get_ident().filter(|_| block == 0);
        let own = own.and_then(|name| self.components.get(&names::text(name))).map(Rc::as_ref);
        let body = match (own, self.blocks.find(block, path)) {
            (Some(component), _) | (None, Found::Of(_, component)) => &component.body,
            _ => return Vec::new(),
        };
        let name = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Connector { name, .. } => Some(names::text(name)),
            _ => None,
        };
        body.iter().filter_map(name).collect()
    }

    /// Which coordinates make the pose of a built-in body, declared in this scope.
    fn known_body(&mut self, component: &str, scope: ScopeId) {
        let Some((kind, names)) = component::coordinates(component) else { return };
        let coord = |name: &&str| match self.scopes.member(scope, name) {
            Some(Symbol::Scalar(id)) => Some(id),
            _ => None,
        };
        let coords: Option<Vec<ScalarId>> = names.iter().map(coord).collect();
        self.model.bodies.extend(coords.map(|coords| Body { kind, coords }));
    }

    /// Of a built-in body, whose scalars begin at `first`: coordinates of one unit that stand side by side,
    /// other than angles, are a position, or Euler parameters.
    pub(super) fn vectors(&mut self, first: ScalarId) {
        let Model { scalars, vectors, .. } = &mut self.model;
        let coords = (first..scalars.len()).filter(|&id| scalars[id].kind == ScalarKind::Coord);
        let of_vectors = |&id: &ScalarId| !scalars[id].is_angle() && scalars[id].is_unknown();
        let coords: Vec<ScalarId> = coords.filter(of_vectors).collect();
        vectors.extend(
            coords.chunk_by(|&a, &b| scalars[a].unit == scalars[b].unit).map(<[ScalarId]>::to_vec),
        );
    }

    /// Parameters given by the outer model are lets in its names, sizes are made of its sizes, and
    /// connectors are its bodies.
    fn overrides(
        &mut self,
        body: &BodyStmt,
        component: &ast::Component,
        scope: ScopeId,
        inner: ScopeId,
    ) {
        let takes: Vec<(&Ident, &Stmt)> =
            component.body.iter().filter_map(|stmt| Some((given_name(stmt)?, stmt))).collect();
        let component_name = link::text(&body.component);
        for (param, value) in &body.overrides {
            let text = names::text(param);
            let found = takes.iter().find(|(name, _)| names::text(name) == text);
            let Some((_, stmt)) = found.filter(|(_, stmt)| self.takes(stmt, scope, inner)) else {
                let seen = takes.iter().filter(|(_, stmt)| self.takes(stmt, scope, inner));
                let seen: Vec<String> = seen.map(|(name, _)| names::text(name)).collect();
                let hint = match did_you_mean(&text, seen.iter().map(String::as_str)) {
                    _ if found.is_some() => format!("; it can be given {}", list(&seen)),
                    hint if hint.is_empty() => format!("; it has {}", list(&seen)),
                    hint => hint,
                };
                let message = match found {
                    Some(_) => {
                        format!("`{param}` is private to component `{component_name}`{hint}")
                    }
                    None => {
                        format!("component `{component_name}` has no parameter `{param}`{hint}")
                    }
                };
                self.diag.error(param.span(), message);
                if found.is_some() {
                    self.name(inner, param, Symbol::Broken);
                }
                continue;
            };
            match &stmt.kind {
                StmtKind::Size { .. } => self.given_size(param, value, scope, inner),
                StmtKind::Connector { component, .. } => {
                    self.connect(param, component, value, scope, inner);
                }
                _ => {
                    let elementwise = body.len.is_some() && self.names_an_array(value, scope);
                    self.let_def(param, value, inner, scope, elementwise.then_some(inner));
                }
            }
            if stmt.public {
                self.scopes.publish(inner, param);
            }
        }
    }

    /// Whether a body may be given what a statement of its component declares.
    fn takes(&self, stmt: &Stmt, scope: ScopeId, inner: ScopeId) -> bool {
        let (here, there) = (&self.scopes.list[scope], &self.scopes.list[inner]);
        there.open || here.block == there.block || stmt.public
    }

    fn given_size(&mut self, name: &Ident, value: &Expr, scope: ScopeId, inner: ScopeId) {
        let default = self.index_tokens(value, scope).unwrap_or_else(|| quote!(0i64));
        self.size(name, Vec::new(), default, true, inner);
    }

    /// Everything that a mechanism declares is seen: `pub` says nothing there.
    pub(super) fn all_seen(&self, body: &[Stmt]) {
        for stmt in body.iter().filter(|stmt| stmt.public) {
            self.diag.error(
                stmt.span(),
                "`pub` stands in components; what a mechanism declares is seen as it is",
            );
        }
    }

    /// What is told of `hinge.angle` or `x[i]` where its first name is none that is known here.
    pub(super) fn unknown_name(&self, e: &Expr, scope: ScopeId) -> Option<syn::Error> {
        let name = root(e)?;
        let known = keyword::TIME.contains(&name.as_str()) || name == keyword::GROUND;
        if known || self.scopes.find(scope, &name).is_some() {
            return None;
        }
        let message = match self.scopes.is_in_a_loop(scope, &name) {
            true => format!("`{name}` stands in a loop, and is known there only"),
            false => {
                let hint = did_you_mean(&name, self.scopes.visible(scope));
                format!("unknown name `{name}`{hint}")
            }
        };
        Some(syn::Error::new(e.span(), message))
    }

    fn names_an_array(&self, value: &Expr, scope: ScopeId) -> bool {
        let Expr::Path(path) = value else { return false };
        let found =
            path.path.get_ident().and_then(|name| self.scopes.find(scope, &name.to_string()));
        // A parameter of an array of bodies is one in each of them.
        matches!(found, Some((Symbol::Param(id), _)) if self.model.params[id].len.is_some()
            && self.model.params[id].body.is_none())
    }
}

/// Statements of a built-in component have no place in the user's file: their errors are told at
/// the name of the body.
pub(super) fn at_body(mut stmt: Stmt, span: Span) -> Stmt {
    stmt.keyword.set_span(span);
    match &mut stmt.kind {
        StmtKind::Coord(declared)
        | StmtKind::Param { declared, .. }
        | StmtKind::Variable { declared, .. } => declared.name.set_span(span),
        StmtKind::Let { name, .. } => name.set_span(span),
        StmtKind::Energy { value, .. } => *value = seen_at(value, span),
        _ => {}
    }
    stmt
}

/// An expression of the language's own, of which errors are told at a word of the user's.
pub(super) fn seen_at(value: &Expr, span: Span) -> Expr {
    fn at(tokens: TokenStream, span: Span) -> TokenStream {
        let token = |mut token: TokenTree| {
            if let TokenTree::Group(group) = &token {
                token = Group::new(group.delimiter(), at(group.stream(), span)).into();
            }
            token.set_span(span);
            token
        };
        tokens.into_iter().map(token).collect()
    }
    // Names mean what they meant.
    let span = Span::call_site().located_at(span);
    syn::parse2(at(value.to_token_stream(), span)).unwrap_or_else(|_| value.clone())
}

/// The name of what a body can be given: a parameter, a size or a connector.
fn given_name(stmt: &Stmt) -> Option<&Ident> {
    match &stmt.kind {
        StmtKind::Param { declared, .. } => Some(&declared.name),
        StmtKind::Size { name, .. } | StmtKind::Connector { name, .. } => Some(name),
        _ => None,
    }
}

/// The first name of a path of members: `car` of `car.axle.hub`.
fn root(value: &Expr) -> Option<String> {
    match value {
        Expr::Path(path) => path.path.get_ident().map(names::text),
        Expr::Field(field) => root(&field.base),
        Expr::Index(index) => root(&index.expr),
        Expr::Paren(inner) => root(&inner.expr),
        Expr::Group(inner) => root(&inner.expr),
        _ => None,
    }
}

/// Whether an entry of an array of bodies is named.
fn indexed(value: &Expr) -> bool {
    match value {
        Expr::Field(field) => indexed(&field.base),
        Expr::Index(_) => true,
        Expr::Paren(inner) => indexed(&inner.expr),
        Expr::Group(inner) => indexed(&inner.expr),
        _ => false,
    }
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "no parameters".into();
    }
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
