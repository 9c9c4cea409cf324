//! Statements of what acts: forces, torques, joints, and what is said of their coordinates.

use super::Parser;
use crate::ast::*;
use crate::keyword;
use proc_macro2::TokenTree;
use syn::{Expr, ExprRange, Ident, RangeLimits, Token, bracketed, token};

impl Parser<'_> {
    /// Whether the statement says `on`, a word between two operands, before `along`.
    pub(super) fn says_on(&self) -> bool {
        let rest = self.input.fork();
        let mut operand = false;
        while !rest.is_empty() && !rest.peek(Token![;]) {
            match rest.parse::<TokenTree>() {
                Ok(TokenTree::Ident(word)) if word == keyword::ALONG => return false,
                Ok(TokenTree::Ident(word)) if word == keyword::ON && operand => {
                    return rest.peek(Ident);
                }
                Ok(TokenTree::Punct(_)) => operand = false,
                Ok(_) => operand = true,
                Err(_) => return false,
            }
        }
        false
    }

    pub(super) fn word(&self, word: &str) -> bool {
        let here = self.input.fork().parse::<Ident>().is_ok_and(|found| found == word);
        here && self.input.parse::<Ident>().is_ok()
    }

    /// `name = vector on body at point`, a torque without the point.
    pub(super) fn on_body(&self, turning: bool) -> syn::Result<StmtKind> {
        let named =
            self.input.peek(Ident) && self.input.peek2(Token![=]) && !self.input.peek2(Token![==]);
        let name = if named { Some(self.name()?) } else { None };
        if named {
            self.input.parse::<Token![=]>()?;
        }
        let value = self.expr()?;
        if !self.word(keyword::ON) {
            return self.error("expected `on` and a body");
        }
        let body = self.expr()?;
        let acting = match turning {
            true => Acting::Turning { body },
            false if self.word(keyword::AT) => Acting::Body { body, at: Some(self.expr()?) },
            false => Acting::Body { body, at: None },
        };
        Ok(StmtKind::Force { name, acting, value })
    }

    pub(super) fn joint(&self) -> syn::Result<StmtKind> {
        let name = self.name()?;
        if self.input.peek(token::Bracket) {
            return self.error("a joint is one: joints of an array of bodies stand inside `for`");
        }
        if !self.input.peek(Token![:]) {
            return self.error("expected `:` and the kind of joint");
        }
        self.input.parse::<Token![:]>()?;
        let call = match self.expr()? {
            Expr::Call(call) => call,
            other => {
                return self.error_at(other, "expected the kind of joint with what it joins");
            }
        };
        let path = match &*call.func {
            Expr::Path(path) => path.path.segments.iter().map(|s| s.ident.clone()).collect(),
            _ => Vec::new(),
        };
        let (dimension, kind) = match &path[..] {
            [kind] => (None, kind.clone()),
            [dimension, kind] => (Some(dimension.clone()), kind.clone()),
            _ => return self.error_at(&call.func, "expected the name of a kind of joint"),
        };
        Ok(StmtKind::Joint(JointStmt {
            name,
            dimension,
            kind,
            args: call.args.into_iter().collect(),
        }))
    }

    pub(super) fn drive(&self) -> syn::Result<StmtKind> {
        match self.equality()? {
            (target, Some(value)) => Ok(StmtKind::Drive { target, value }),
            _ => self.error("expected `==`"),
        }
    }

    /// `limit hinge.angle in -0.5..1.2;`, `limit slider.position in 0.1.., restitution(0.5);`
    pub(super) fn limit(&self) -> syn::Result<StmtKind> {
        let target = self.expr()?;
        if !self.input.peek(Token![in]) {
            return self.error("expected `in`");
        }
        self.input.parse::<Token![in]>()?;
        let range = self.expr()?;
        let Expr::Range(ExprRange { start, end, limits: RangeLimits::HalfOpen(_), .. }) = range
        else {
            return Err(syn::Error::new_spanned(
                range,
                "a limit is a range, as in `-0.5..1.2`, `0.1..` or `..0.4`",
            ));
        };
        let [from, to] = [start, end].map(|end| end.map(|e| *e));
        Ok(StmtKind::Limit { target, from, to, law: self.after_comma()? })
    }

    /// `friction hinge.angle = kinetic;`, `friction slider.position = 5.0, breakaway(7.0);`
    pub(super) fn friction(&self) -> syn::Result<StmtKind> {
        let (target, value) = self.assignment()?;
        let breakaway = match self.after_comma()? {
            None => None,
            Some(Expr::Call(call))
                if matches!(&*call.func, Expr::Path(path) if path.path.is_ident(keyword::BREAKAWAY))
                    && call.args.len() == 1 =>
            {
                call.args.into_iter().next()
            }
            Some(other) => {
                return Err(syn::Error::new_spanned(
                    other,
                    "after the friction of a joint that slips stands what it takes to break it away: `breakaway(force)`",
                ));
            }
        };
        Ok(StmtKind::Friction { target, value, breakaway })
    }

    pub(super) fn after_comma(&self) -> syn::Result<Option<Expr>> {
        if !self.input.peek(Token![,]) {
            return Ok(None);
        }
        self.input.parse::<Token![,]>()?;
        self.expr().map(Some)
    }

    pub(super) fn force(&self) -> syn::Result<StmtKind> {
        if self.says_on() {
            return self.on_body(false);
        }
        let along = |ident: &Ident| ident == keyword::ALONG;
        let mut name = None;
        if self.input.peek(Ident) {
            let ident = self.name()?;
            let next_along = self.input.fork().parse::<Ident>().is_ok_and(|next| along(&next));
            if along(&ident) && !next_along {
                let (s, value) = self.assignment()?;
                return Ok(StmtKind::Force { name, acting: Acting::Along(s), value });
            }
            name = Some(ident);
        }
        if self.input.peek(token::Bracket) {
            let content;
            bracketed!(content in self.input);
            let on = content.parse_terminated(<Expr as syn::parse::Parse>::parse, Token![,])?;
            self.assign()?;
            let acting = Acting::On(on.into_iter().collect());
            return Ok(StmtKind::Force { name, acting, value: self.expr()? });
        }
        let word = self.input.fork().parse::<Ident>();
        if !word.is_ok_and(|word| along(&word)) {
            return self.error("a force acts `along` a position expression or on `[coordinates]`");
        }
        self.input.parse::<Ident>()?;
        let (s, value) = self.assignment()?;
        Ok(StmtKind::Force { name, acting: Acting::Along(s), value })
    }
}
