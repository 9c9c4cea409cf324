//! Events, sampled controllers, and what happens at them.

use super::super::skip::skip_statement;
use super::Parser;
use crate::ast::*;
use crate::keyword;
use syn::parse::ParseStream;
use syn::{BinOp, Expr, ExprBinary, Ident, Token, braced, token};

impl Parser<'_> {
    pub(super) fn event(&self) -> syn::Result<StmtKind> {
        let name = self.name()?;
        let when = self.input.fork().parse::<Ident>();
        if !when.is_ok_and(|word| word == keyword::WHEN) {
            return self.error("an event happens `when` a condition becomes true");
        }
        self.input.parse::<Ident>()?;
        if self.input.peek(token::Brace) {
            return self.error("expected a condition");
        }
        let condition = Expr::parse_without_eager_brace(self.input)?;
        let actions = self.happenings("event", &name)?;
        let when = When::True(Box::new(condition));
        Ok(StmtKind::Event(EventStmt { name, when, actions }))
    }

    pub(super) fn sample(&self) -> syn::Result<StmtKind> {
        let name = self.name()?;
        let begins = |word: &str| self.input.fork().parse::<Ident>().is_ok_and(|is| is == word);
        if !begins(keyword::EVERY) {
            return self.error("a sampled controller happens `every` so many seconds");
        }
        self.input.parse::<Ident>()?;
        if self.input.peek(token::Brace) {
            return self.error("expected a period in s");
        }
        let period = Box::new(Expr::parse_without_eager_brace(self.input)?);
        let mut phase = None;
        if begins(keyword::FROM) {
            self.input.parse::<Ident>()?;
            if self.input.peek(token::Brace) {
                return self.error("expected a time in s that samples are counted from");
            }
            phase = Some(Box::new(Expr::parse_without_eager_brace(self.input)?));
        }
        let actions = self.happenings("sample", &name)?;
        Ok(StmtKind::Event(EventStmt { name, when: When::Every { period, phase }, actions }))
    }

    /// What stands in the braces of an event.
    pub(super) fn happenings(&self, what: &str, name: &Ident) -> syn::Result<Vec<Happening>> {
        if !self.input.peek(token::Brace) {
            return self.error("what happens stands in braces");
        }
        let content;
        braced!(content in self.input);
        let (mut actions, mut sound) = (Vec::new(), true);
        while !content.is_empty() {
            if content.parse::<Option<Token![;]>>()?.is_some() {
                continue;
            }
            match self.happening(&content) {
                Ok(action) => actions.push(action),
                Err(error) => {
                    sound = false;
                    self.diag.push(error);
                    skip_statement(&content);
                }
            }
        }
        if actions.is_empty() && sound {
            self.diag.error(
                name.span(),
                format!("{what} `{name}` does nothing; the form is `{}`", keyword::form(what)),
            );
        }
        Ok(actions)
    }

    /// What an event does, with its `;`.
    pub(super) fn happening(&self, content: ParseStream<'_>) -> syn::Result<Happening> {
        let begins = |word: &str| {
            let fork = content.fork();
            fork.parse::<Ident>().is_ok_and(|first| first == word) && !fork.peek(Token![=])
        };
        let happening = if begins(keyword::STOP) {
            let word: Ident = content.parse()?;
            match content.parse::<syn::LitStr>() {
                Ok(text) => Happening::Stop { text: text.value() },
                Err(_) => {
                    let message = "`stop` says why the run ends, as in `stop \"too hot\";`";
                    return Err(syn::Error::new(word.span(), message));
                }
            }
        } else if begins(keyword::IMPULSE) {
            let word: Ident = content.parse()?;
            let along = content.parse::<Ident>();
            match along.is_ok_and(|along| along == keyword::ALONG).then(|| content.parse()) {
                Some(Ok(Expr::Assign(e))) => Happening::Impulse { along: *e.left, value: *e.right },
                _ => {
                    let message =
                        "an impulse acts along a position: `impulse along gap = restitution(e);`";
                    return Err(syn::Error::new(word.span(), message));
                }
            }
        } else {
            match content.parse()? {
                Expr::Assign(e) => Happening::Set { target: *e.left, value: *e.right },
                Expr::Binary(ExprBinary { left, op: BinOp::Eq(equal), right, .. }) => {
                    self.diag.error(equal.spans[0], "an event sets a value: write `=`");
                    Happening::Set { target: *left, value: *right }
                }
                other => {
                    return Err(syn::Error::new_spanned(
                        other,
                        "an event sets values (`der(x) = …;`, `e = …;`, `locked = true;`), gives an impulse (`impulse along s = …;`) or ends the run (`stop \"…\";`)",
                    ));
                }
            }
        };
        if content.parse::<Option<Token![;]>>()?.is_none() {
            return Err(content.error("expected `;` or an operator here, in what an event does"));
        }
        Ok(happening)
    }
}
