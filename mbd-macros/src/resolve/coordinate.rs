//! Statements on the coordinates of joints: drives, limits, friction. Each stands in the scope of its joint, whose
//! names it adds to, and is declared after all joints.

use super::event::written;
use super::joint::at;
use super::resolver::Resolver;
use super::scope::ScopeId;
use crate::ast::Coordinate;
use crate::ast::{ConstraintKind, ConstraintStmt, Holds, Stmt, StmtKind};
use crate::ir::LoopId;
use crate::joint;
use proc_macro2::{Ident, Span};
use syn::Expr;
use syn::spanned::Spanned;

/// The coordinate that a statement is about.
struct On {
    joint: usize,
    at: usize,
    inner: ScopeId,
    coordinate: &'static Coordinate,
    span: Span,
}

impl On {
    fn name(&self, prefix: &str) -> Ident {
        Ident::new(&format!("__{prefix}_{}", self.coordinate.name), self.span)
    }

    /// `drive_torque` with another word in place of `drive`.
    fn load(&self, word: &str) -> String {
        self.coordinate.load.replace("drive", word)
    }
}

impl Resolver<'_> {
    /// A drive, limit or friction; nothing for other statements.
    pub(super) fn on_coordinate(&mut self, stmt: &Stmt, scope: ScopeId, loops: &[LoopId]) {
        match &stmt.kind {
            StmtKind::Drive { target, value } => {
                let form = "a drive is of a joint's coordinate, as in `drive hinge.angle == w*t;`";
                if let Some(on) = self.coordinate_of(stmt, target, form, scope, loops) {
                    self.drive(stmt, &on, value, scope, loops);
                }
            }
            StmtKind::Limit { target, from, to, law } => {
                let form =
                    "a limit is of a joint's coordinate, as in `limit hinge.angle in -0.5..1.2;`";
                if let Some(on) = self.coordinate_of(stmt, target, form, scope, loops) {
                    let law = law.as_ref();
                    self.limit(&on, [from.as_ref(), to.as_ref()], law, scope, loops);
                }
            }
            StmtKind::Friction { target, value, breakaway } => {
                let form = "friction is along a joint's coordinate, as in `friction hinge.angle = 0.1*norm(hinge.force);`";
                if let Some(on) = self.coordinate_of(stmt, target, form, scope, loops) {
                    self.friction(&on, value, breakaway.as_ref(), scope, loops);
                }
            }
            _ => {}
        }
    }

    fn coordinate_of(
        &self,
        stmt: &Stmt,
        target: &Expr,
        form: &str,
        scope: ScopeId,
        loops: &[LoopId],
    ) -> Option<On> {
        let Some((joint, at, false)) = self.joint_coordinate(target, scope) else {
            let told = self.unknown_name(target, scope);
            self.diag.push(told.unwrap_or_else(|| syn::Error::new_spanned(target, form)));
            return None;
        };
        let this = &self.joints[joint];
        if this.loops != loops {
            let message =
                format!("`{}` stands in the loops that its joint stands in", stmt.keyword);
            self.diag.error(stmt.span(), message);
            return None;
        }
        let (inner, coordinate) = (this.inner, &this.kind.coordinates[at]);
        Some(On { joint, at, inner, coordinate, span: target.span() })
    }

    /// `drive hinge.angle == w*t;`
    fn drive(&mut self, stmt: &Stmt, on: &On, value: &Expr, scope: ScopeId, loops: &[LoopId]) {
        let On { joint: id, at, inner, coordinate, span } = *on;
        let name = coordinate.name;
        if !self.joints[id].driven.insert(at) {
            self.diag.error(span, "this coordinate is driven twice");
            return;
        }
        let driven = Ident::new(&format!("__driven_{name}"), span);
        self.let_def(&driven, value, inner, scope, None);
        let carries = self.joints[id].carries.is_some();
        let short = match coordinate.turn.filter(|_| !carries) {
            Some(turn) => {
                let turn = Ident::new(turn, Span::call_site());
                syn::parse_quote!(__mbd::components::spatial::angle_short_of(#turn, #driven))
            }
            None => {
                let name = Ident::new(name, Span::call_site());
                syn::parse_quote!(#driven - #name)
            }
        };
        let constraint = Ident::new(&format!("drive_{name}"), span);
        let load = Ident::new(coordinate.load, span);
        let keyword = Ident::new("holonomic", stmt.span());
        let kinds = [
            StmtKind::Constraint(ConstraintStmt {
                kind: ConstraintKind::Holonomic,
                stated: false,
                name: constraint.clone(),
                rows: None,
                left: short,
                right: Some(syn::parse_quote!(0.0)),
                holds: Holds::Always,
            }),
            StmtKind::Let { name: load, value: syn::parse_quote!(lambda(#constraint)) },
        ];
        let statements = kinds.map(|kind| Stmt {
            docs: Vec::new(),
            public: false,
            keyword: keyword.clone(),
            kind,
        });
        self.declare(&statements, inner, loops);
    }

    /// `limit hinge.angle in -0.5..1.2;` A gap below and a gap above.
    fn limit(
        &mut self,
        on: &On,
        ends: [Option<&Expr>; 2],
        law: Option<&Expr>,
        scope: ScopeId,
        loops: &[LoopId],
    ) {
        let name = on.coordinate.name;
        let of = self.full_name(on.inner, &Ident::new(name, on.span));
        for (end, (word, by)) in ends.into_iter().zip([("lower", "<="), ("upper", ">=")]) {
            if let Some(end) = end {
                self.let_def(&on.name(word), end, on.inner, scope, None);
                let stop = Ident::new(&format!("{word}_{name}"), on.span);
                let text = format!("{of} {by} {}", written(end));
                self.said.insert(self.full_name(on.inner, &stop), text);
            }
        }
        if let [None, None] = ends {
            self.diag.error(on.span, "a limit has an end: `-0.5..1.2`, `0.1..` or `..0.4`");
            return;
        }
        let stops = [
            ends[0].map(|_| format!("unilateral lower_{name}: {name} - __lower_{name};")),
            ends[1].map(|_| format!("unilateral upper_{name}: __upper_{name} - {name};")),
        ];
        let text: String = stops.into_iter().flatten().collect();
        let load = match ends {
            [Some(_), Some(_)] => format!("lambda(lower_{name}) - lambda(upper_{name})"),
            [Some(_), None] => format!("lambda(lower_{name})"),
            _ => format!("-lambda(upper_{name})"),
        };
        let text = format!("{text} let {} = {load};", on.load("limit"));
        let mut statements = joint::parsed(&text, self.diag);
        for stmt in &mut statements {
            if let StmtKind::Constraint(ConstraintStmt {
                holds: Holds::Unilateral { law: of, .. },
                ..
            }) = &mut stmt.kind
            {
                *of = law.cloned();
            }
        }
        self.declare_on(on, statements, loops);
    }

    /// `friction hinge.angle = kinetic;` A force along the coordinate that sticks.
    fn friction(
        &mut self,
        on: &On,
        kinetic: &Expr,
        breakaway: Option<&Expr>,
        scope: ScopeId,
        loops: &[LoopId],
    ) {
        let Coordinate { name, rate, wrapped, .. } = *on.coordinate;
        let along = if self.joints[on.joint].carries.is_some() { name } else { wrapped };
        self.let_def(&on.name("kinetic"), kinetic, on.inner, scope, None);
        let limit = match breakaway {
            Some(breakaway) => {
                self.let_def(&on.name("breakaway"), breakaway, on.inner, scope, None);
                format!("1.0*__breakaway_{name}")
            }
            None => format!("1.0*__kinetic_{name}"),
        };
        let force = Ident::new(&format!("friction_{name}"), on.span);
        let of = self.full_name(on.inner, &Ident::new(rate, on.span));
        self.said.insert(self.full_name(on.inner, &force), of);
        let load = on.load("friction");
        let text = format!(
            "let {load} = __mbd::components::force::dry_friction({rate}, 1.0*__kinetic_{name}, {limit});
            force {force} along {along} = {load};"
        );
        let statements = joint::parsed(&text, self.diag);
        self.declare_on(on, statements, loops);
    }

    fn declare_on(&mut self, on: &On, statements: Vec<Stmt>, loops: &[LoopId]) {
        let statements: Vec<Stmt> = statements.into_iter().map(|stmt| at(stmt, on.span)).collect();
        self.declare(&statements, on.inner, loops);
    }
}
