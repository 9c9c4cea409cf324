//! Joints: each is declared as a set of statements with a scope of its own, after everything else, for
//! what it joins may be declared later than it. Statements on its coordinates stand in that scope (`coordinate.rs`).

use super::resolver::{Joint, Resolver, Waiting};
use super::scope::{ScopeId, Symbol};
use crate::ast::Coordinate;
use crate::ast::{self, Acting, Happening, Holds, JointStmt, Stmt, StmtKind, When};
use crate::diag::did_you_mean;
use crate::ir::{LoopId, SCALAR};
use crate::joint::{self, Dimension, Kind};
use crate::keyword;
use crate::names;
use proc_macro2::{Ident, Span};
use quote::ToTokens;
use std::collections::{BTreeSet, HashSet};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, Member, Pat};

impl Resolver<'_> {
    /// Joints, what they carry, then drives, limits and friction, then couplings, in the order written.
    pub(super) fn joints(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        for Waiting { stmt, scope, loops } in &waiting {
            if let StmtKind::Joint(joint) = &stmt.kind
                && joint::coupling(&joint.kind.to_string()).is_none()
            {
                self.joint(joint, *scope, loops);
                self.publish_joint(stmt, joint, *scope);
            }
        }
        self.hang_bodies();
        for id in 0..self.joints.len() {
            match self.joints[id].carries {
                Some(second) => self.carrying_joint(id, second),
                None => self.joint_statements(id),
            }
        }
        for Waiting { stmt, scope, loops } in &waiting {
            self.on_coordinate(stmt, *scope, loops);
        }
        // What they are given may read all of these.
        for Waiting { stmt, scope, loops } in &waiting {
            if let StmtKind::Joint(joint) = &stmt.kind
                && let Some(coupling) = joint::coupling(&joint.kind.to_string())
            {
                self.coupling(joint, coupling, *scope, loops);
                self.publish_joint(stmt, joint, *scope);
            }
        }
    }

    fn publish_joint(&mut self, stmt: &Stmt, joint: &JointStmt, scope: ScopeId) {
        if stmt.public {
            self.scopes.publish(scope, &joint.name);
        }
    }

    fn joint(&mut self, joint: &JointStmt, scope: ScopeId, loops: &[LoopId]) {
        let Some(kind) = self.kind_of(joint, scope) else {
            self.name(scope, &joint.name, Symbol::Broken);
            return;
        };
        let wanted = 2 + kind.params.len();
        if joint.args.len() != wanted {
            let params: String = kind.params.iter().map(|name| format!(", {name}")).collect();
            self.diag.error(
                joint.kind.span(),
                format!(
                    "`{}` is given {} values; it takes `{0}(first, second{params})`",
                    kind.name,
                    joint.args.len()
                ),
            );
            self.name(scope, &joint.name, Symbol::Broken);
            return;
        }
        let here = &self.scopes.list[scope];
        let mut inner = here.inner(scope);
        inner.prefix = format!("{}{}.", here.prefix, names::text(&joint.name));
        inner.joint = Some(self.joints.len());
        inner.open = true;
        let inner = self.scopes.add(inner);
        self.name(scope, &joint.name, Symbol::Body(inner));
        let frames = [&joint.args[0], &joint.args[1]].map(|arg| self.behind_lets(arg, scope));
        self.joints.push(Joint {
            kind,
            inner,
            outer: scope,
            loops: loops.to_vec(),
            name: joint.name.clone(),
            frames,
            driven: BTreeSet::new(),
            carries: None,
            stmt: joint.clone(),
        });
    }

    /// What a joint is where its rows are constraints.
    fn joint_statements(&mut self, id: usize) {
        let Joint { kind, inner, loops, stmt: joint, .. } = self.joints[id].clone();
        self.joint_frame("__a", &joint.args[0], id);
        self.joint_frame("__b", &joint.args[1], id);
        self.joint_params(id);
        let name = names::text(&joint.name);
        let counted = |coordinate: &Coordinate| {
            coordinate.turn.is_some()
                && self.turned.contains(&(name.clone(), coordinate.name.to_string()))
        };
        let counted: Vec<bool> = kind.coordinates.iter().map(counted).collect();
        let statements = kind.statements(&counted, self.diag);
        let statements: Vec<Stmt> =
            statements.into_iter().map(|stmt| at(stmt, joint.name.span())).collect();
        self.declare(&statements, inner, &loops);
        self.joint_seen(id);
    }

    /// The frame of a joint on a body that has its place.
    pub(super) fn joint_frame(&mut self, name: &str, arg: &Expr, id: usize) {
        let Joint { kind, inner, outer, .. } = self.joints[id];
        let value = self.frame_value(arg, kind.dimension, outer);
        self.let_def(&Ident::new(name, arg.span()), &value, inner, outer, None);
    }

    /// Arguments after the frames.
    pub(super) fn joint_params(&mut self, id: usize) {
        let Joint { kind, inner, outer, stmt, .. } = self.joints[id].clone();
        for (name, value) in kind.params.iter().zip(&stmt.args[2..]) {
            let value = of_scalars(value);
            self.let_def(&Ident::new(name, value.span()), &value, inner, outer, None);
        }
    }

    /// The kind of joint that is meant: its dimension is that of what it joins.
    fn kind_of(&self, joint: &JointStmt, scope: ScopeId) -> Option<&'static Kind> {
        for arg in joint.args.iter().take(2) {
            if let Some((body, under)) = self.body_under(arg, scope)
                && let Some(Symbol::Scalar(x)) = self.scopes.member(under, "x")
                && self.model.scalars[x].balanced
            {
                let body = body.to_token_stream().to_string().replace(' ', "");
                self.diag.push(syn::Error::new_spanned(
                    arg,
                    format!("`{body}` is a massless node, on which forces act; joints hold bodies: make it a `PlanarMass` or a `PointMass`, with a small mass, or say by forces what holds it"),
                ));
                return None;
            }
        }
        let known = joint.args.iter().take(2).map(|arg| self.dimension_of(arg, scope));
        let mut dimension = None;
        for (found, arg) in known.zip(&joint.args) {
            match (dimension, found) {
                (Some(first), Some(second)) if first != second => {
                    self.diag.error(
                        arg.span(),
                        "a joint is between two planar bodies, or between two in space",
                    );
                    return None;
                }
                (None, found) => dimension = found,
                _ => {}
            }
        }
        if let Some(named) = &joint.dimension {
            let stated = Dimension::named(&named.to_string());
            if stated.is_none() || dimension.is_some_and(|d| Some(d) != stated) {
                self.diag.error(
                    named.span(),
                    "before the kind of joint stands nothing, or `planar::` or `spatial::` as the bodies are",
                );
                return None;
            }
            dimension = stated;
        }
        let text = joint.kind.to_string();
        let Some(dimension) = dimension else {
            self.diag.error(
                joint.kind.span(),
                format!("what `{}` joins is no body known here: name bodies, as in `arm.at(p, axis)`, or say `planar::{text}` or `spatial::{text}`", joint.name),
            );
            return None;
        };
        let kind = joint::kind(&text, dimension);
        if kind.is_none() {
            let known = joint::names(Some(dimension));
            let hint = match (
                joint::called_here(&text, dimension),
                did_you_mean(&text, known.iter().copied()),
            ) {
                (Some(name), _) => format!("; it is called `{name}` here"),
                (None, hint) if hint.is_empty() => format!("; there are {}", known.join(", ")),
                (None, hint) => hint,
            };
            let place = match dimension {
                Dimension::Planar => "in the plane",
                Dimension::Spatial => "in space",
            };
            self.diag.error(joint.kind.span(), format!("there is no joint `{text}` {place}{hint}"));
        }
        kind
    }

    fn dimension_of(&self, arg: &Expr, scope: ScopeId) -> Option<Dimension> {
        match self.meaning(arg, scope) {
            Some((Symbol::Body(body), _)) => self.dimension(body),
            _ => self.frame_in(arg, scope),
        }
    }

    /// Whether an argument is the ground, or a frame of it.
    pub(super) fn on_ground(&self, arg: &Expr, scope: ScopeId) -> bool {
        match arg {
            Expr::Path(path) => {
                path.path.is_ident(keyword::GROUND)
                    && self.scopes.find(scope, keyword::GROUND).is_none()
            }
            Expr::MethodCall(call) => self.on_ground(&call.receiver, scope),
            Expr::Paren(inner) => self.on_ground(&inner.expr, scope),
            _ => false,
        }
    }

    /// The body, or entry of bodies, that a frame of a joint is on: `arm` in `arm.at(p, axis)`,
    /// also through lets.
    pub(super) fn body_under(&self, arg: &Expr, scope: ScopeId) -> Option<(Expr, ScopeId)> {
        match arg {
            Expr::MethodCall(call) => self.body_under(&call.receiver, scope),
            Expr::Paren(inner) => self.body_under(&inner.expr, scope),
            // It may not be known yet what tells the body.
            Expr::Field(field) if matches!(&field.member, Member::Named(m) if m == "frame") => {
                match self.meaning(&field.base, scope)? {
                    (Symbol::Body(body), _) => Some(((*field.base).clone(), body)),
                    _ => None,
                }
            }
            _ => match self.meaning(arg, scope)? {
                (Symbol::Body(body), _) => Some((arg.clone(), body)),
                _ => None,
            },
        }
    }

    /// The expression of a joint's frame.
    fn frame_value(&self, arg: &Expr, dimension: Dimension, scope: ScopeId) -> Expr {
        if let Some((Symbol::Body(_), _)) = self.meaning(arg, scope) {
            return syn::parse_quote!(#arg.frame);
        }
        if self.on_ground(arg, scope) {
            return self.seen_from(arg, dimension);
        }
        self.points(arg, dimension);
        arg.clone()
    }

    /// A frame as it was written, where a `let` of the same scope names it.
    fn behind_lets(&self, arg: &Expr, scope: ScopeId) -> Expr {
        let mut arg = arg;
        // Cycles are told of elsewhere.
        for _ in 0..self.let_defs.len() {
            match (arg, self.meaning(arg, scope)) {
                (Expr::Path(_), Some((Symbol::Let(def), home)))
                    if self.let_defs[def].scope == home && self.scopes.home(scope) == home =>
                {
                    arg = &self.let_defs[def].value;
                }
                _ => break,
            }
        }
        arg.clone()
    }

    fn points(&self, arg: &Expr, dimension: Dimension) {
        if let Expr::MethodCall(call) = arg
            && call.method == keyword::AT
            && dimension == Dimension::Planar
            && call.args.len() > 2
        {
            self.diag.error(
                call.method.span(),
                "in the plane `at` takes a point and, where the joint has a direction, that: `at(p, direction)`",
            );
        }
    }

    /// A frame in the axes of what it is on: with the ground in place of the body.
    pub(super) fn seen_from(&self, arg: &Expr, dimension: Dimension) -> Expr {
        match arg {
            Expr::MethodCall(call) => {
                let mut call = call.clone();
                *call.receiver = self.seen_from(&call.receiver, dimension);
                let name = match (call.method.to_string().as_str(), call.args.len()) {
                    ("at", 1) => "marker",
                    ("at", 2) => "marker_along",
                    ("at", 3) => "marker_axes",
                    _ => return Expr::MethodCall(call),
                };
                self.points(arg, dimension);
                call.method = Ident::new(name, call.method.span());
                Expr::MethodCall(call)
            }
            Expr::Paren(inner) => self.seen_from(&inner.expr, dimension),
            _ => match dimension {
                Dimension::Planar => syn::parse_quote!(__mbd::components::ground()),
                Dimension::Spatial => syn::parse_quote!(__mbd::components::spatial::ground()),
            },
        }
    }

    /// The joint and coordinate that `hinge.angle` or `hinge.rate` is; `true` for the rate.
    pub(super) fn joint_coordinate(
        &self,
        e: &Expr,
        scope: ScopeId,
    ) -> Option<(usize, usize, bool)> {
        let Expr::Field(field) = e else { return None };
        let (Symbol::Body(inner), _) = self.meaning(&field.base, scope)? else { return None };
        let joint = self.scopes.list[inner].joint?;
        let Member::Named(member) = &field.member else { return None };
        let (coordinate, rate) = self.joints.get(joint)?.kind.coordinate(&member.to_string())?;
        Some((joint, coordinate, rate))
    }

    /// Finds which coordinates of joints are read where the number of turns matters: a force acts along
    /// an angle, and an angle is started and driven, whatever turn it is in.
    pub(super) fn turns_read<'c>(
        &mut self,
        body: &[Stmt],
        components: impl Iterator<Item = &'c ast::Component>,
    ) {
        let mut read = Read(HashSet::new());
        body.iter().for_each(|stmt| read.statement(stmt));
        components.flat_map(|c| &c.body).for_each(|stmt| read.statement(stmt));
        self.turned = read.0;
    }

    /// What a force or an impulse acts along, where an angle whose turns make no difference to that is one up to full
    /// turns.
    pub(super) fn without_turns(&self, e: &Expr, scope: ScopeId) -> Expr {
        let mut e = e.clone();
        terms(&mut e, &mut |term| {
            let Some((joint, at, false)) = self.joint_coordinate(term, scope) else { return };
            let Joint { kind, carries: None, .. } = &self.joints[joint] else { return };
            if let Expr::Field(field) = term {
                let wrapped = kind.coordinates[at].wrapped;
                field.member = Member::Named(Ident::new(wrapped, field.member.span()));
            }
        });
        e
    }
}

/// A curve as a function of a scalar: rustc looks at `|x| -sqrt(x)` before it sees what `x` is.
fn of_scalars(value: &Expr) -> Expr {
    let mut value = value.clone();
    if let Expr::Closure(curve) = &mut value {
        let scalar = Ident::new(SCALAR, curve.or1_token.span);
        for pattern in &mut curve.inputs {
            if let Pat::Ident(_) = pattern {
                *pattern = Pat::Type(syn::parse_quote!(#pattern: __mbd::Num<#scalar>));
            }
        }
    }
    value
}

/// Goes through the terms of a sum, or of a list of sums: what is added to the value of one of them is in no derivative.
fn terms(e: &mut Expr, each: &mut impl FnMut(&mut Expr)) {
    use syn::BinOp::{Add, Div, Mul, Sub};
    let constant = |e: &Expr| matches!(e, Expr::Lit(_));
    match e {
        Expr::Paren(inner) => terms(&mut inner.expr, each),
        Expr::Group(inner) => terms(&mut inner.expr, each),
        Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => terms(expr, each),
        Expr::Binary(sum) if matches!(sum.op, Add(_) | Sub(_)) => {
            terms(&mut sum.left, each);
            terms(&mut sum.right, each);
        }
        Expr::Binary(by) if matches!(by.op, Mul(_)) && constant(&by.left) => {
            terms(&mut by.right, each);
        }
        Expr::Binary(by) if matches!(by.op, Mul(_) | Div(_)) && constant(&by.right) => {
            terms(&mut by.left, each);
        }
        Expr::Array(list) => list.elems.iter_mut().for_each(|e| terms(e, each)),
        term => each(term),
    }
}

/// Members that are read, with the name before them.
struct Read(HashSet<(String, String)>);

impl Read {
    /// What acts along the angle itself does so in any turn.
    fn direction(&mut self, along: &Expr) {
        terms(&mut along.clone(), &mut |term| match term {
            Expr::Field(field) => self.visit_expr(&field.base),
            other => self.visit_expr(other),
        });
    }

    fn statement(&mut self, stmt: &Stmt) {
        let mut all = |list: &[&Expr]| list.iter().for_each(|e| self.visit_expr(e));
        match &stmt.kind {
            StmtKind::Size { .. }
            | StmtKind::Coord(_)
            | StmtKind::State(_)
            | StmtKind::Connector { .. }
            | StmtKind::Coordinates { .. } => {}
            StmtKind::Param { value, .. }
            | StmtKind::Let { value, .. }
            | StmtKind::Energy { value, .. }
            | StmtKind::Mass { value, .. }
            | StmtKind::Rate { value, .. }
            | StmtKind::Init { value, .. }
            | StmtKind::Scale { value, .. }
            | StmtKind::Output { value, .. }
            | StmtKind::Mode { value, .. }
            | StmtKind::Input { value, .. }
            | StmtKind::Until { value }
            | StmtKind::Drive { value, .. }
            | StmtKind::Gravity { value } => all(&[value]),
            StmtKind::Limit { target, from, to, law } => {
                self.visit_expr(target);
                [from, to, law].into_iter().flatten().for_each(|e| self.visit_expr(e));
            }
            StmtKind::Friction { value, breakaway, .. } => {
                [Some(value), breakaway.as_ref()]
                    .into_iter()
                    .flatten()
                    .for_each(|e| self.visit_expr(e));
            }
            StmtKind::Variable { value, .. } => value.iter().for_each(|e| self.visit_expr(e)),
            StmtKind::Force { acting, value, .. } => {
                all(&[value]);
                match acting {
                    Acting::Body { at: Some(at), .. } => self.visit_expr(at),
                    Acting::Along(s) => self.direction(s),
                    Acting::Body { at: None, .. } | Acting::On(_) | Acting::Turning { .. } => {}
                }
            }
            StmtKind::Constraint(c) => {
                all(&[&c.left]);
                c.right.iter().for_each(|e| self.visit_expr(e));
                match &c.holds {
                    Holds::While(e) => self.visit_expr(e),
                    Holds::Unilateral { law, slide } => {
                        law.iter().for_each(|e| self.visit_expr(e));
                        slide.iter().for_each(|along| self.direction(along));
                    }
                    Holds::Always | Holds::FromStart => {}
                }
            }
            StmtKind::Equation { left, right, .. } => all(&[left, right]),
            StmtKind::Event(event) => {
                match &event.when {
                    When::True(condition) => all(&[condition]),
                    When::Every { period, phase } => {
                        all(&[period]);
                        phase.iter().for_each(|e| all(&[e]));
                    }
                }
                event.actions.iter().for_each(|happening| match happening {
                    Happening::Set { value, .. } => self.visit_expr(value),
                    Happening::Impulse { along, value } => {
                        self.direction(along);
                        self.visit_expr(value);
                    }
                    Happening::Stop { .. } => {}
                });
            }
            StmtKind::For(f) => f.body.iter().for_each(|stmt| self.statement(stmt)),
            StmtKind::Component(c) => c.body.iter().for_each(|stmt| self.statement(stmt)),
            StmtKind::Body(body) => body.overrides.iter().for_each(|(_, e)| self.visit_expr(e)),
            StmtKind::Joint(joint) => joint.args.iter().for_each(|e| self.visit_expr(e)),
            StmtKind::Draw { arguments, .. } => arguments.iter().for_each(|e| self.visit_expr(e)),
            StmtKind::Place(_) | StmtKind::Seen { .. } | StmtKind::Tells { .. } => {}
        }
    }
}

impl Visit<'_> for Read {
    fn visit_expr_field(&mut self, field: &syn::ExprField) {
        let mut base = &*field.base;
        while let Expr::Index(index) = base {
            base = &index.expr;
        }
        let name = match base {
            Expr::Path(path) => path.path.get_ident().map(names::text),
            Expr::Field(inner) => match &inner.member {
                Member::Named(name) => Some(names::text(name)),
                Member::Unnamed(_) => None,
            },
            _ => None,
        };
        if let (Some(name), Member::Named(member)) = (name, &field.member) {
            self.0.insert((name, names::text(member)));
        }
        visit::visit_expr_field(self, field);
    }
}

/// Statements of a joint are told of at its name.
pub(super) fn at(mut stmt: Stmt, span: Span) -> Stmt {
    stmt.keyword.set_span(span);
    match &mut stmt.kind {
        StmtKind::State(declared) | StmtKind::Coord(declared) => declared.name.set_span(span),
        StmtKind::Let { name, .. } => name.set_span(span),
        StmtKind::Constraint(constraint) => constraint.name.set_span(span),
        _ => {}
    }
    stmt
}
