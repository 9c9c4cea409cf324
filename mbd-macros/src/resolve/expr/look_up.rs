//! Calls of what Rust will look up: what is wrong with them that rustc would tell in its own words.

use super::tx::{Mode, Tx};
use super::vector::tidy;
use crate::keyword;
use proc_macro2::Ident;
use syn::{Expr, ExprCall};

impl<'r, 'a> Tx<'r, 'a> {
    /// Looks at a call in the block's own file.
    pub(super) fn look_up(&mut self, call: &ExprCall) {
        let Expr::Path(function) = &*call.func else { return };
        let path = &function.path;
        let Some(first) = path.segments.first().map(|segment| &segment.ident) else { return };
        if function.qself.is_some() || path.leading_colon.is_some() || self.mode == Mode::Function {
            return;
        }
        let text = first.to_string();
        let alone = path.segments.len() == 1;
        if alone
            && (self.local(first).is_some()
                || self.r.scopes.find(self.scope, &text).is_some()
                || keyword::MATH.contains(&text.as_str()))
        {
            return;
        }
        let given = self.r.blocks.0[0].file.uses.iter().any(|used| used.name == text);
        if let Some(modules) = keyword::imported(&text).filter(|_| !given)
            && self.r.source(first).is_some_and(|source| source.lacks(&text))
        {
            let [plane, rest @ ..] = modules else { return };
            let mut message = format!(
                "`{text}` has to be imported: write `use {plane}::{text};` before the block"
            );
            for space in rest {
                message += &format!(", or `use {space}::{text};` for what is in space");
            }
            if alone && keyword::JOINTS_OF_BODIES.contains(&text.as_str()) {
                message += &format!(
                    "; a joint of two bodies needs no import: `joint hinge: {text}(a, b);`"
                );
            }
            self.error(first.span(), message);
            return;
        }
        if self.mode != Mode::Kernel || !call.args.iter().any(|arg| self.carries(arg)) {
            return;
        }
        if text == "f64" && path.segments.len() == 2 {
            let name = &path.segments[1].ident;
            let message = format!(
                "`f64::{name}` takes plain numbers, and a scalar of the model carries its derivatives: call it as a method, `x.{name}(…)`"
            );
            self.error(name.span(), message);
            return;
        }
        if alone
            && let Some(types) = self.r.source(first).and_then(|source| source.function(&text))
            && types.len() >= call.args.len()
            && let Some(lost) = (call.args.iter().zip(types))
                .position(|(arg, ty)| ty.contains("f64") && self.carries(arg))
        {
            let (ty, arg) = (&types[lost], tidy(&call.args[lost]));
            let message = format!(
                "`{text}` takes plain numbers (`{ty}`), and `{arg}` carries its derivatives: write `#[mbd::differentiable]` before `fn {text}`, or make it generic, `fn {text}<D: Scalar>(x: Num<D>) -> Num<D>`"
            );
            self.error(first.span(), message);
        }
    }

    /// Whether a name that functions have elsewhere is that of one of the user's, also where the block stands in a
    /// function and that one outside.
    pub(super) fn is_the_users(&self, name: &Ident) -> bool {
        keyword::OTHER_NAMES.iter().any(|known| name == known)
            && self.r.source(name).is_some_and(|source| source.has(&name.to_string()))
    }

    /// Whether what is called is a function of the library's on scalars, whose whole numbers are scalars too.
    pub(super) fn is_the_librarys(&self, call: &ExprCall) -> bool {
        let Expr::Path(function) = &*call.func else { return false };
        let path = &function.path;
        let Some(first) = path.segments.first().map(|segment| &segment.ident) else { return false };
        let text = first.to_string();
        if path.segments.len() > 1 {
            let modules = ["force", "solid", "spatial", "planar"];
            return path.segments.iter().any(|part| modules.iter().any(|name| part.ident == name));
        }
        let known = keyword::BY_NAME.contains(&text.as_str()) || keyword::imported(&text).is_some();
        let declared =
            self.local(first).is_some() || self.r.scopes.find(self.scope, &text).is_some();
        known && !declared && self.r.source(first).is_none_or(|s| s.function(&text).is_none())
    }

    /// Whether a value is, or is made of, scalars of the model for certain.
    fn carries(&self, e: &Expr) -> bool {
        match e {
            Expr::Array(list) => list.elems.iter().any(|e| self.carries(e)),
            Expr::Tuple(list) => list.elems.iter().any(|e| self.carries(e)),
            Expr::Reference(inner) => self.carries(&inner.expr),
            Expr::Paren(inner) => self.carries(&inner.expr),
            _ => self.is_scalar(e) || self.is_vector(e) && !self.is_int_array(e),
        }
    }
}
