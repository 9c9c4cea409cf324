//! Couplings: gears, belts, racks, differentials. Each is declared after all joints, with a scope of its own in which
//! the joints it couples have the names of the catalogue.
//!
//! A row of rates with constant factors is the rate of a sum of coordinates. Where these are smooth functions of the
//! model's, as the angles of planar bodies and of joints that carry bodies, the row is that sum, which stays what it is
//! at the start; where an angle is known up to turns only, and where a ratio changes, it is of rates.

use super::joint::at;
use super::resolver::Resolver;
use super::scope::{ScopeId, Symbol};
use crate::ast::{JointStmt, Stmt};
use crate::ir::{LoopId, What};
use crate::joint::Coupling;
use crate::names;
use proc_macro2::Ident;
use syn::Expr;
use syn::spanned::Spanned;

impl Resolver<'_> {
    pub(super) fn coupling(
        &mut self,
        stmt: &JointStmt,
        coupling: &Coupling,
        scope: ScopeId,
        loops: &[LoopId],
    ) {
        let joints = self.coupled(stmt, coupling, scope, loops);
        let factors = &stmt.args[coupling.joints.len().min(stmt.args.len())..];
        let constant = joints.is_some() && factors.iter().all(|e| self.is_constant(e, scope));
        let Some(joints) = joints.filter(|_| stmt.dimension.is_none()) else {
            self.name(scope, &stmt.name, Symbol::Broken);
            return;
        };
        let here = &self.scopes.list[scope];
        let mut inner = here.inner(scope);
        inner.prefix = format!("{}{}.", here.prefix, names::text(&stmt.name));
        (inner.coupling, inner.open) = (true, true);
        let inner = self.scopes.add(inner);
        self.name(scope, &stmt.name, Symbol::Body(inner));
        let span = stmt.name.span();
        let mut positions = constant;
        for ((name, rate), joint) in coupling.joints.iter().zip(joints) {
            positions &= self.is_counted(joint, rate);
            self.name(inner, &Ident::new(&format!("__{name}"), span), Symbol::Body(joint));
        }
        for (name, value) in coupling.params.iter().zip(&stmt.args[coupling.joints.len()..]) {
            self.let_def(&Ident::new(name, value.span()), value, inner, scope, None);
        }
        let statements =
            coupling.statements(positions, self.diag).into_iter().map(|stmt| at(stmt, span));
        let statements: Vec<Stmt> = statements.collect();
        self.declare(&statements, inner, loops);
    }

    /// Whether an expression reads parameters only.
    fn is_constant(&mut self, e: &Expr, scope: ScopeId) -> bool {
        let kernel = self.one(e, scope);
        let leaves = &self.model.leaves;
        kernel.needs.leaves.keys().all(|&leaf| matches!(leaves[leaf].what, What::Param(_)))
    }

    /// Whether the coordinate of a joint with this rate is known with its turns, as a function of coordinates.
    fn is_counted(&self, inner: ScopeId, rate: &str) -> bool {
        let Some(joint) = self.scopes.list[inner].joint.map(|id| &self.joints[id]) else {
            return false;
        };
        let mut coordinates = joint.kind.coordinates.iter();
        let coordinate = coordinates.find(|coordinate| coordinate.rate == rate);
        joint.carries.is_some() || coordinate.is_some_and(|coordinate| coordinate.turn.is_none())
    }

    /// The scopes of the joints that are coupled.
    fn coupled(
        &self,
        stmt: &JointStmt,
        coupling: &Coupling,
        scope: ScopeId,
        loops: &[LoopId],
    ) -> Option<Vec<ScopeId>> {
        let wanted = coupling.joints.len() + coupling.params.len();
        if stmt.args.len() != wanted {
            let message = format!(
                "`{}` is given {} values; it takes `{}`, the first {} of them joints",
                coupling.name,
                stmt.args.len(),
                coupling.form(),
                coupling.joints.len()
            );
            self.diag.error(stmt.kind.span(), message);
            return None;
        }
        if let Some(named) = &stmt.dimension {
            self.diag.error(
                named.span(),
                "what is coupled are joints, in the plane or in space: leave this out",
            );
        }
        let found =
            coupling.joints.iter().zip(&stmt.args).map(|((name, rate), arg)| {
                self.coupled_joint(coupling, name, rate, arg, scope, loops)
            });
        // All that is wrong is told.
        let found: Vec<Option<ScopeId>> = found.collect();
        found.into_iter().collect()
    }

    fn coupled_joint(
        &self,
        coupling: &Coupling,
        name: &str,
        rate: &str,
        arg: &Expr,
        scope: ScopeId,
        loops: &[LoopId],
    ) -> Option<ScopeId> {
        let joint = match self.meaning(arg, scope) {
            Some((Symbol::Broken, _)) => return None,
            Some((Symbol::Body(inner), _)) => {
                self.scopes.list[inner].joint.map(|joint| (inner, joint))
            }
            _ => None,
        };
        let Some((inner, joint)) = joint else {
            let message = format!(
                "`{}` couples joints: its `{name}` is the name of one, as of `joint {name}: revolute(…);`",
                coupling.name
            );
            let told = self.unknown_name(arg, scope);
            self.diag.push(told.unwrap_or_else(|| syn::Error::new_spanned(arg, message)));
            return None;
        };
        let of = &self.joints[joint];
        if !of.kind.coordinates.iter().any(|coordinate| coordinate.rate == rate) {
            let what = if rate == "rate" { "an `angle`" } else { "a `position`" };
            let message = format!(
                "`{name}` of `{}` is a joint with {what}; `{}` is {}, which has none",
                coupling.name, of.name, of.kind.name
            );
            self.diag.push(syn::Error::new_spanned(arg, message));
            return None;
        }
        if of.loops != loops {
            let message = "a coupling stands in the loops that its joints stand in";
            self.diag.push(syn::Error::new_spanned(arg, message));
            return None;
        }
        Some(inner)
    }
}
