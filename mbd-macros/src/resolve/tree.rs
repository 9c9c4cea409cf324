//! `coordinates joint;` Bodies told by the coordinates of joints.
//!
//! Of the joints a tree is chosen, as for the start (`placing.rs`): from the ground outwards, joints with a stated
//! start first, then in the order written; what hangs on nothing hangs on a body that keeps coordinates of its own,
//! the first that is started by hand, else the first that is named. A joint of the tree *carries* a body: its coordinates
//! are coordinates of the mechanism, and the body's `frame` is an expression of them and of the frame before it, so that
//! everything said of the body by its frame means what it means in absolute coordinates. All other joints close loops
//! and keep their rows.
//!
//! What a joint of the tree has to bear is told by displacements of its frames that are zero: `__held`, and the rows
//! that hold them (`mbd_core::model::ModelBuilder::released`).

use super::bodies::at_body;
use super::joint::at;
use super::placing::Node;
use super::resolver::{Hanging, Joint, Resolver};
use super::scope::{ScopeId, Symbol};
use crate::ast::{Placing, Seen, Stmt, StmtKind};
use crate::component;
use crate::ir::LoopId;
use crate::joint::Dimension;
use proc_macro2::{Ident, Span};
use std::collections::BTreeSet;
use syn::Expr;
use syn::spanned::Spanned;

impl Resolver<'_> {
    /// Which coordinates are asked for, before bodies are declared.
    pub(super) fn read_coordinates(&mut self, body: &[Stmt]) {
        let mut stated = false;
        for stmt in body {
            let StmtKind::Coordinates { joint } = stmt.kind else { continue };
            if std::mem::replace(&mut stated, true) {
                self.diag.error(stmt.span(), "`coordinates` is stated twice");
            }
            (self.joint_coordinates, self.coordinates_at) = (joint, stmt.span());
        }
    }

    /// Chooses the tree, and declares the bodies on it and those that keep their own coordinates.
    pub(super) fn hang_bodies(&mut self) {
        if !self.joint_coordinates {
            return;
        }
        let stated = self.started();
        let mut order: Vec<usize> = (0..self.joints.len()).collect();
        order.sort_by_key(|id| !stated.contains(id));
        let by_hand = self.started_by_hand();
        for (id, second) in self.choose_tree(&order, &by_hand) {
            self.joints[id].carries = Some(second);
        }
        self.declare_hanging();
    }

    fn ends(&self, id: usize) -> Option<[Node; 2]> {
        let [Some((a, _)), Some((b, _))] = self.nodes(&self.joints[id]) else { return None };
        Some([a, b])
    }

    /// Joints of which an initial value is stated.
    fn started(&self) -> BTreeSet<usize> {
        let starts = self.work.iter().filter_map(|work| match &work.stmt.kind {
            StmtKind::Init { target, .. } => self.joint_coordinate(target, work.scope),
            _ => None,
        });
        starts.map(|(id, ..)| id).collect()
    }

    /// Bodies of which initial values are stated, by their scopes.
    fn started_by_hand(&self) -> BTreeSet<usize> {
        let bodies = self.work.iter().filter_map(|work| match &work.stmt.kind {
            StmtKind::Init { target, .. } => self.body_started(target, work.scope),
            _ => None,
        });
        bodies.map(|(_, body)| body).collect()
    }

    /// The body in `arm.x`, `der(arm.x)`, `arm.omega`, ….
    fn body_started<'e>(
        &self,
        target: &'e Expr,
        scope: usize,
    ) -> Option<(&'e syn::ExprField, usize)> {
        let field = match target {
            Expr::Call(call) => return self.body_started(call.args.first()?, scope),
            Expr::Index(index) => return self.body_started(&index.expr, scope),
            Expr::Field(field) => field,
            _ => return None,
        };
        match self.meaning(&field.base, scope)? {
            (Symbol::Body(body), _) if self.hanging.contains_key(&body) => Some((field, body)),
            _ => None,
        }
    }

    fn declare_hanging(&mut self) {
        let carried: Vec<(usize, usize)> = (0..self.joints.len())
            .filter_map(|id| {
                let second = self.joints[id].carries?;
                match self.ends(id)?[usize::from(second)] {
                    Node::Body(body) => Some((body, id)),
                    Node::Ground => None,
                }
            })
            .collect();
        self.refuse_starts(&carried);
        if carried.is_empty() {
            self.diag.error(
                self.coordinates_at,
                "there is no joint here whose coordinates tell where a body is: leave this statement out",
            );
        }
        for (scope, mut hanging) in self.hanging.clone() {
            let this = (None, hanging.component.clone());
            let inside = std::mem::replace(&mut self.inside, std::mem::take(&mut hanging.inside));
            let by = carried.iter().filter(|(of, _)| *of == scope).map(|&(_, id)| id);
            let by: Vec<usize> = by.collect();
            let Hanging { body, given, dimension, loops, rest, .. } = &hanging;
            let (name, dimension) = (&body.name, *dimension);
            if by.is_empty() {
                self.body_statements(body, this, rest, scope, loops);
                self.inside = inside;
                continue;
            }
            let mean = match dimension {
                Dimension::Spatial => syn::parse_str(component::mean_inertia(given)).ok(),
                Dimension::Planar => None,
            };
            match by[..] {
                [id] if loops.is_empty() && self.joints[id].loops.is_empty() => {
                    self.declare_carried(scope, name, id, mean.as_ref());
                }
                _ => {
                    if let Some(mean) = &mean {
                        let name = Ident::new("__mean", name.span());
                        self.let_def(&name, mean, scope, scope, None);
                    }
                    self.declare_told(scope, &hanging, &by);
                }
            }
            let statements = component::carried(dimension, given, self.diag);
            let statements: Vec<Stmt> =
                statements.into_iter().map(|stmt| at_body(stmt, name.span())).collect();
            self.body_statements(body, this, &statements, scope, loops);
            let seen = component::seen(dimension, given);
            self.seen(seen, name.span(), scope, loops);
            self.inside = inside;
        }
    }

    /// The frame of a body that one joint carries, as an expression.
    fn declare_carried(&mut self, scope: ScopeId, body: &Ident, id: usize, mean: Option<&Expr>) {
        let Joint { inner: joint, carries, .. } = self.joints[id];
        let owner = self.scopes.list[scope].prefix.trim_end_matches('.').to_string();
        let value: Expr = match carries {
            Some(true) => syn::parse_quote!(__b.of_body(&__local, #owner)),
            _ => syn::parse_quote!(__a.of_body(&__local, #owner)),
        };
        let named = |name: &str| Ident::new(name, body.span());
        self.let_def(&named("frame"), &value, scope, joint, None);
        // As the picture sees it: on the body, wherever the joint has it.
        let value: Expr = syn::parse_quote!(frame);
        self.let_def(&named("__carried"), &value, joint, scope, None);
        if self.joints[id].kind.name == "spherical"
            && let Some(mean) = mean
        {
            self.let_def(&named("__mean"), mean, joint, scope, None);
        }
    }

    /// Tells a picture what it cannot find out by itself.
    fn seen(
        &mut self,
        (what, rows, value): (Seen, usize, String),
        span: Span,
        scope: ScopeId,
        loops: &[LoopId],
    ) {
        let Ok(value) = syn::parse_str(&value) else { return };
        let (keyword, kind) = (Ident::new("draw", span), StmtKind::Seen { what, rows, value });
        let stmt = Stmt { docs: Vec::new(), public: false, keyword, kind };
        self.declare(&[stmt], scope, loops);
    }

    /// Where a joint is, and what it exerts, in joint coordinates.
    pub(super) fn joint_seen(&mut self, id: usize) {
        let Joint { kind, inner, loops, carries, name, .. } = self.joints[id].clone();
        if self.joint_coordinates {
            self.seen(kind.seen(carries), name.span(), inner, &loops);
        }
        if let Some(place) = kind.place_seen() {
            self.seen(place, name.span(), inner, &loops);
        }
    }

    /// What a body that is carried begins with its joint says.
    fn refuse_starts(&mut self, carried: &[(usize, usize)]) {
        let mut work = std::mem::take(&mut self.work);
        work.retain(|work| {
            let StmtKind::Init { target, .. } = &work.stmt.kind else { return true };
            let refused = self.refused(target, work.scope, carried);
            if let Some((span, message)) = &refused {
                self.diag.error(*span, message);
            }
            refused.is_none()
        });
        self.work = work;
    }

    fn refused(
        &self,
        target: &Expr,
        scope: usize,
        carried: &[(usize, usize)],
    ) -> Option<(Span, String)> {
        let (field, body) = self.body_started(target, scope)?;
        let &(_, id) = carried.iter().find(|(of, _)| *of == body)?;
        let Joint { name, kind, .. } = &self.joints[id];
        let base = &field.base;
        let body = quote::quote!(#base);
        let instead = match kind.coordinates {
            [] if kind.name == "spherical" => {
                format!(
                    ": state `init {name}.e = axis_angle(axis, angle);`, of its frame on `{body}` from the other"
                )
            }
            [] => String::new(),
            [first, ..] => format!(": state `init {name}.{} = …;`", first.name),
        };
        let message = format!(
            "in joint coordinates `{name}` tells where `{body}` is{instead}, or write `coordinates absolute;`"
        );
        Some((target.span(), message))
    }

    /// What a joint is that carries a body.
    pub(super) fn carrying_joint(&mut self, id: usize, second: bool) {
        let Joint { kind, inner, outer, stmt, name, frames, loops, .. } = self.joints[id].clone();
        let span = name.span();
        let (from, onto) = if second { ("__a", "__b") } else { ("__b", "__a") };
        // As written, also where a `let` names it: what is left of it in the body's own axes is asked for.
        let onto_arg = frames[usize::from(second)].clone();
        let from_arg = stmt.args[usize::from(!second)].clone();
        self.joint_frame(from, &from_arg, id);
        self.joint_params(id);
        let local = self.seen_from(&onto_arg, kind.dimension);
        self.let_def(&Ident::new("__local", span), &local, inner, outer, None);
        let Some(Ok(frame)) = kind.carried(second).map(|text| syn::parse_str::<Expr>(&text)) else {
            return;
        };
        self.let_def(&Ident::new(onto, span), &frame, inner, inner, None);
        let first = self.model.scalars.len();
        let statements =
            kind.carrying(self.diag).into_iter().map(|stmt| at(stmt, span)).collect::<Vec<_>>();
        self.declare(&statements, inner, &loops);
        if self.joints[id].is_ball() {
            self.vectors(first);
        }
        self.joint_seen(id);
    }

    /// Initial values of the coordinates that are driven: a drive holds its coordinate wherever it is at the time the run
    /// begins.
    pub(super) fn driven_starts(&mut self) {
        for id in 0..self.joints.len() {
            let Joint { kind, inner, carries: Some(_), driven, name, loops, .. } = &self.joints[id]
            else {
                continue;
            };
            let (kind, inner, driven, name) = (*kind, *inner, driven.clone(), name.clone());
            let loops = loops.clone();
            for k in driven {
                let coordinate = Ident::new(kind.coordinates[k].name, name.span());
                let value = Ident::new(&format!("__driven_{coordinate}"), name.span());
                let starts: [(Expr, Expr); 2] = [
                    (syn::parse_quote!(#coordinate), syn::parse_quote!([#value])),
                    (syn::parse_quote!(der(#coordinate)), syn::parse_quote!([der(#value)])),
                ];
                for (target, value) in starts {
                    let placing = Placing {
                        name: name.to_string(),
                        kept: false.into(),
                        targets: vec![target],
                        value,
                        scope: inner,
                    };
                    self.place_later(placing, inner, &loops);
                }
            }
        }
    }
}
