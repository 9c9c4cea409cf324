//! Rust names in expressions of components of other blocks, written so that they mean here what they
//! mean there.

use super::resolver::Resolver;
use super::scope::ScopeId;
use crate::link::Link;
use proc_macro2::Ident;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Pat, Path, Type};

impl Resolver<'_> {
    /// Whether Rust names of a scope have to be looked at.
    pub(super) fn links(&self, scope: ScopeId) -> bool {
        self.exporting || self.scopes.list[scope].block != 0
    }

    /// The path of a Rust name in an expression of a scope.
    pub(super) fn linked(&self, path: &Path, scope: ScopeId) -> Path {
        let block = self.scopes.list[scope].block;
        let path = self.blocks.used(block, path);
        if !self.links(scope) {
            return path;
        }
        let Some(link) = Link::of(&path) else { return path };
        match &self.blocks.0[block].path {
            Some(base) => link.through(base),
            None => {
                self.found.borrow_mut().insert(link.name.to_string(), link);
                path
            }
        }
    }

    /// A function called by name: those of `mbd::math` are the language's.
    pub(super) fn linked_function(&self, name: &Ident, scope: ScopeId) -> Option<Path> {
        let known = crate::keyword::MATH.iter().any(|known| name == known);
        (!known).then(|| self.linked(&name.clone().into(), scope))
    }

    /// Types and patterns in an expression.
    pub(super) fn linked_types(&self, e: &mut Expr, scope: ScopeId) {
        if self.links(scope) || self.blocks.has_uses(self.scopes.list[scope].block) {
            Types(self, scope).visit_expr_mut(e);
        }
    }
}

struct Types<'a, 'b>(&'a Resolver<'b>, ScopeId);

impl Types<'_, '_> {
    fn path(&self, path: &mut Path) {
        *path = self.0.linked(path, self.1);
    }
}

impl VisitMut for Types<'_, '_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        visit_mut::visit_type_mut(self, ty);
        if let Type::Path(ty) = ty
            && ty.qself.is_none()
        {
            self.path(&mut ty.path);
        }
    }

    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        visit_mut::visit_pat_mut(self, pat);
        match pat {
            Pat::Path(pat) => self.path(&mut pat.path),
            Pat::TupleStruct(pat) => self.path(&mut pat.path),
            Pat::Struct(pat) => self.path(&mut pat.path),
            // A constant, or an enum's variant: a name in capitals declares nothing.
            Pat::Ident(name) if name.ident.to_string().starts_with(char::is_uppercase) => {
                let path = self.0.linked(&name.ident.clone().into(), self.1);
                if path.get_ident().is_none() {
                    *pat = Pat::Path(syn::PatPath { attrs: Vec::new(), qself: None, path });
                }
            }
            _ => {}
        }
    }
}
