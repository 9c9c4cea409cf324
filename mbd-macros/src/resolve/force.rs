//! What forces and torques act on: coordinates, positions, bodies.

use super::declare::literal_len;
use super::resolver::{Resolver, Shape};
use super::scope::{ScopeId, Symbol};
use crate::ast::Acting;
use crate::ir::*;
use crate::joint::Dimension;
use proc_macro2::Ident;
use syn::Expr;
use syn::spanned::Spanned;

/// What lists of values are as long as.
pub(super) const AXES: &str = "dimensions";
pub(super) const STARTS: &str = "scalars";

impl Resolver<'_> {
    /// The dimension of the body that a force or torque acts on.
    fn body_acted_on(&self, body: &Expr, scope: ScopeId) -> Option<Dimension> {
        let found = match self.meaning(body, scope) {
            Some((Symbol::Body(body), _)) => self.dimension(body),
            _ => None,
        };
        if found.is_none() {
            self.diag.push(syn::Error::new_spanned(
                body,
                "expected a body with a `frame` here; along an expression a force acts by `force name along s = …`",
            ));
        }
        found
    }

    /// Whether a point, given in the axes of a body, may move within the body with the motion. None where it has an
    /// error, which was told.
    fn wanders(&mut self, at: &Expr, rows: usize, scope: ScopeId) -> Option<bool> {
        let point = self.rows(at, rows, scope);
        if point.needs.broken {
            return None;
        }
        let mut read = point.needs.leaves.keys().map(|&leaf| self.model.leaves[leaf].what);
        Some(read.any(|what| !matches!(what, What::Time | What::Param(_))))
    }

    fn torque(&mut self, body: &Expr, value: &Expr, scope: ScopeId) -> Option<StatementKind> {
        let dimension = self.body_acted_on(body, scope)?;
        let names = match dimension {
            Dimension::Planar => &["theta"][..],
            Dimension::Spatial => &["e0", "e1", "e2", "e3"],
        };
        let Some((Symbol::Body(inner), _)) = self.meaning(body, scope) else { return None };
        if names.iter().any(|name| self.scopes.member(inner, name).is_none()) {
            self.diag.push(syn::Error::new_spanned(
                body,
                "a torque acts on a `PlanarBody` or a `SpatialBody`: this one does not turn, or has coordinates of its own",
            ));
            return None;
        }
        if let Some(Symbol::Let(_)) = self.scopes.member(inner, names[0]) {
            // How it lies is told by other coordinates.
            let (along, force): (Expr, Expr) = match dimension {
                Dimension::Planar => (syn::parse_quote!(#body.frame.angle), value.clone()),
                Dimension::Spatial => {
                    self.same_length(3, value, AXES);
                    (
                        syn::parse_quote!(#body.frame.axes()),
                        syn::parse_quote!(#body.frame.couple(#value)),
                    )
                }
            };
            return Some(match dimension {
                Dimension::Planar => StatementKind::Along {
                    along: self.one(&along, scope),
                    force: self.one(&force, scope),
                },
                Dimension::Spatial => StatementKind::Along {
                    along: self.rows(&along, 9, scope),
                    force: self.rows(&force, 9, scope),
                },
            });
        }
        let value = match dimension {
            Dimension::Planar => value.clone(),
            Dimension::Spatial => {
                self.same_length(3, value, AXES);
                syn::parse_quote!(__mbd::components::spatial::euler_torque(#body.e, #body.frame.to_local(#value)))
            }
        };
        let coordinates: Vec<Expr> = names
            .iter()
            .map(|name| {
                let name = Ident::new(name, body.span());
                syn::parse_quote!(#body.#name)
            })
            .collect();
        self.force(&Acting::On(coordinates), &value, scope)
    }

    pub(super) fn force(
        &mut self,
        acting: &Acting,
        value: &Expr,
        scope: ScopeId,
    ) -> Option<StatementKind> {
        match acting {
            Acting::Body { body, at } => {
                let dimension = self.body_acted_on(body, scope)?;
                self.same_length(dimension.point(), value, AXES);
                if let Some(at) = at
                    && self.wanders(at, dimension.point(), scope)?
                {
                    let along: Expr = syn::parse_quote!(#body.frame.place());
                    let force: Expr = syn::parse_quote!(#body.frame.push(#at, #value));
                    let rows = dimension.place();
                    let (along, force) =
                        (self.rows(&along, rows, scope), self.rows(&force, rows, scope));
                    return Some(StatementKind::Along { along, force });
                }
                let point: Expr = match at {
                    Some(at) => syn::parse_quote!(#body.frame.point(#at)),
                    None => syn::parse_quote!(#body.frame.origin),
                };
                let along = self.rows(&point, dimension.point(), scope);
                let force = self.rows(value, dimension.point(), scope);
                Some(StatementKind::Along { along, force })
            }
            Acting::Turning { body } => self.torque(body, value, scope),
            Acting::On(coordinates) => {
                let targets: Vec<_> =
                    coordinates.iter().map(|e| self.coordinate(e, scope)).collect();
                let targets: Option<Vec<_>> = targets.into_iter().collect();
                let targets = targets?;
                self.same_length(targets.len(), value, "coordinates");
                let kernel = if targets.len() == 1 && literal_len(value).is_none() {
                    self.one(value, scope)
                } else {
                    self.rows(value, targets.len(), scope)
                };
                Some(StatementKind::Force { targets, kernel })
            }
            Acting::Along(s) => {
                let s = &self.without_turns(s, scope);
                let shape = self.shape(s, scope);
                let len = |shape: Option<Shape>| shape.filter(|shape| shape.flat)?.len;
                let rows = literal_len(s).or(literal_len(value));
                let rows = rows.or_else(|| len(shape)).or_else(|| len(self.shape(value, scope)));
                if rows.is_none() && shape.is_some() {
                    let message = "a force along a vector needs to know how many entries it has: name them, as in `along [s[0], s[1]]`";
                    self.diag.push(syn::Error::new_spanned(s, message));
                    return None;
                }
                if let Some(n) = literal_len(s) {
                    self.same_length(n, value, "directions");
                }
                match rows {
                    None => {
                        let mut along = self.one(s, scope);
                        let force = self.one(value, scope);
                        match self.plain_coordinate(s, &along) {
                            // Along a coordinate itself, (∂s/∂q)ᵀF is F.
                            Some(target) => {
                                Some(StatementKind::Force { targets: vec![target], kernel: force })
                            }
                            None => {
                                along.rows = 1;
                                Some(StatementKind::Along { along, force })
                            }
                        }
                    }
                    Some(rows) => {
                        let along = self.rows(s, rows, scope);
                        let force = self.rows(value, rows, scope);
                        Some(StatementKind::Along { along, force })
                    }
                }
            }
        }
    }

    pub(super) fn same_length(&self, n: usize, value: &Expr, what: &str) {
        if let Some(m) = literal_len(value)
            && m != n
        {
            let values = if what == AXES { "components" } else { "force components" };
            let values = if what == STARTS { "values" } else { values };
            self.diag.push(syn::Error::new_spanned(value, format!("{m} {values} for {n} {what}")));
        }
    }

    /// The coordinate that a position expression consists of, if it does.
    fn plain_coordinate(&self, s: &Expr, along: &Kernel) -> Option<Target> {
        let named = matches!(s, Expr::Path(_) | Expr::Field(_) | Expr::Index(_));
        let [read] = along.code.reads[..] else { return None };
        let ReadWhat::Leaf(leaf) = read.what else { return None };
        let leaf = &self.model.leaves[leaf];
        match (leaf.what, &leaf.index) {
            (What::Slot(SlotKind::Q, scalar), Index::None) if named => {
                Some(Target { scalar, index: None, span: s.span() })
            }
            (What::Slot(SlotKind::Q, scalar), Index::At(index)) if named => {
                Some(Target { scalar, index: Some(index.clone()), span: s.span() })
            }
            _ => None,
        }
    }
}
