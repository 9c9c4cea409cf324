//! One statement.

mod acting;
mod event;

use super::hoist;
use super::long;
use super::skip::{docs, skip_statement, starts_statement};
use super::unit::Unit;
use crate::ast::*;
use crate::diag::{Diag, did_you_mean};
use crate::keyword;
use proc_macro2::{Span, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{BinOp, Expr, ExprBinary, Ident, Path, Token, Visibility, braced, bracketed, token};

pub(super) fn component(
    input: ParseStream<'_>,
    docs: Vec<String>,
    vis: Visibility,
    diag: &Diag,
) -> syn::Result<Component> {
    let name = input.parse()?;
    Ok(Component { docs, vis, name, body: hoist::declarations(braces(input, diag)?) })
}

pub(super) fn braces(input: ParseStream<'_>, diag: &Diag) -> syn::Result<Vec<Stmt>> {
    let content;
    braced!(content in input);
    Ok(statements(&content, diag))
}

/// The statements up to the end of the input, skipping those that do not parse.
fn statements(input: ParseStream<'_>, diag: &Diag) -> Vec<Stmt> {
    let mut list = Vec::new();
    while !input.is_empty() {
        match stmt(input, diag) {
            Ok(stmt) => list.extend(stmt),
            Err(error) => {
                diag.push(error);
                skip_statement(input);
            }
        }
    }
    list
}

/// Parses one statement; `None` for a lone `;`.
pub fn stmt(input: ParseStream<'_>, diag: &Diag) -> syn::Result<Option<Stmt>> {
    if input.parse::<Option<Token![;]>>()?.is_some() {
        return Ok(None);
    }
    let docs = docs(input, diag)?;
    if !input.peek(Ident::peek_any) {
        return Err(input.error(
            "expected a statement, which begins with a keyword such as `coord` or `force`",
        ));
    }
    let public = visible(input, diag)?;
    let keyword = input.call(Ident::parse_any)?;
    let word = keyword.to_string();
    if let Some(span) = public.filter(|_| !keyword::DECLARATIONS.contains(&word.as_str())) {
        let hint = match word.as_str() {
            "component" => "; a component that others use stands beside the mechanism",
            _ => "; it stands before what is named from outside, as `pub body hub: …`",
        };
        diag.error(span, format!("`pub` has no meaning before `{word}`{hint}"));
    }
    let public = public.is_some() && keyword::DECLARATIONS.contains(&word.as_str());
    let p = Parser { input, diag, keyword: keyword.clone() };
    let kind = match word.as_str() {
        "size" => p.size()?,
        "param" => p.param()?,
        "coord" => StmtKind::Coord(p.declared()?),
        "state" => StmtKind::State(p.declared()?),
        "variable" => p.variable()?,
        "let" => p.binding()?,
        "kinetic" => p.energy(EnergyKind::Kinetic)?,
        "potential" => p.energy(EnergyKind::Potential)?,
        "dissipation" => p.energy(EnergyKind::Dissipation)?,
        "mass" => p.mass()?,
        "force" => p.force()?,
        "holonomic" => p.constraint(ConstraintKind::Holonomic, false)?,
        "nonholonomic" => p.constraint(ConstraintKind::Nonholonomic, false)?,
        "unilateral" => p.unilateral()?,
        "stated" => p.stated()?,
        "der" => p.rate()?,
        "equation" => p.equation()?,
        "init" => p.init(true)?,
        "guess" => p.init(false)?,
        "scale" => p.scale()?,
        "output" => p.output()?,
        "draw" => p.draw()?,
        "mode" => p.mode()?,
        "input" => p.input_signal()?,
        "sample" => return Ok(Some(Stmt { docs, public, kind: p.sample()?, keyword })),
        "event" => return Ok(Some(Stmt { docs, public, kind: p.event()?, keyword })),
        "until" => StmtKind::Until { value: p.expr()? },
        "for" => return Ok(Some(Stmt { docs, public, kind: p.for_loop()?, keyword })),
        "component" => {
            let vis = Visibility::Inherited;
            let kind = StmtKind::Component(component(input, docs.clone(), vis, diag)?);
            return Ok(Some(Stmt { docs, public, kind, keyword }));
        }
        "body" => p.body()?,
        "connector" => p.connector()?,
        "joint" => p.joint()?,
        "drive" => p.drive()?,
        "limit" => p.limit()?,
        "friction" => p.friction()?,
        "torque" => p.on_body(true)?,
        "gravity" => StmtKind::Gravity { value: p.expr()? },
        "coordinates" => p.coordinates()?,
        _ => {
            let words = keyword::STATEMENTS.iter().map(|(word, _)| *word);
            let hint = match did_you_mean(&word, words) {
                _ if word == "use" => {
                    "; it stands before the mechanism, where its module is, or for components in the block, before `mechanism`".into()
                }
                _ if is_equation(input) => {
                    "; an equation begins with what it is, as in `holonomic name: left == right;` of positions or `variable x == …;`, and equations of motion follow from `kinetic name = …;` and `force name along x = …;`".into()
                }
                hint if hint.is_empty() => {
                    let words: Vec<_> =
                        keyword::STATEMENTS.iter().map(|(word, _)| format!("`{word}`")).collect();
                    format!("; statements begin with {}", words.join(", "))
                }
                hint => hint,
            };
            let message = format!("`{word}` is not a keyword of the language{hint}");
            return Err(syn::Error::new(keyword.span(), message));
        }
    };
    p.semicolon()?;
    Ok(Some(Stmt { docs, public, keyword, kind }))
}

/// Whether a statement goes on as an expression does.
fn is_equation(input: ParseStream<'_>) -> bool {
    input.peek(Token![*])
        || input.peek(Token![/])
        || input.peek(Token![+])
        || input.peek(Token![-])
        || input.peek(Token![==])
        || input.peek(Token![=])
}

/// `pub`, with its place.
fn visible(input: ParseStream<'_>, diag: &Diag) -> syn::Result<Option<Span>> {
    Ok(match input.parse()? {
        Visibility::Inherited => None,
        Visibility::Public(word) => Some(word.span),
        Visibility::Restricted(limited) => {
            diag.error(
                limited.pub_token.span,
                "a name of a component is `pub`, or seen in its own block only",
            );
            Some(limited.pub_token.span)
        }
    })
}

struct Parser<'a> {
    input: ParseStream<'a>,
    diag: &'a Diag,
    keyword: Ident,
}

impl Parser<'_> {
    fn error<T>(&self, message: impl std::fmt::Display) -> syn::Result<T> {
        let form = keyword::form(&self.keyword.to_string());
        let message = match self.reserved() {
            Some(word) => {
                format!("`{word}` is a word of Rust's own and no name; the form is `{form}`")
            }
            None => format!("{message}; the form is `{form}`"),
        };
        if self.input.is_empty() {
            return Err(syn::Error::new(self.keyword.span(), message));
        }
        Err(self.input.error(message))
    }

    /// As `error`, at what was read already.
    fn error_at<T>(&self, at: impl ToTokens, message: &str) -> syn::Result<T> {
        let form = keyword::form(&self.keyword.to_string());
        Err(syn::Error::new_spanned(at, format!("{message}; the form is `{form}`")))
    }

    /// The word that stands next, if a name cannot be one and it has no meaning in a block.
    fn reserved(&self) -> Option<Ident> {
        const USED: [&str; 10] =
            ["if", "else", "while", "for", "in", "self", "true", "false", "as", "pub"];
        let word = self.input.fork().call(Ident::parse_any).ok()?;
        let free = USED.iter().all(|used| word != used);
        (free && self.input.fork().parse::<Ident>().is_err()).then_some(word)
    }

    /// `coordinates joint;`
    fn coordinates(&self) -> syn::Result<StmtKind> {
        let word: Option<Ident> = self.input.parse()?;
        let form = |word: &Ident| keyword::FORMS.iter().position(|form| word == form);
        match word.as_ref().and_then(form) {
            Some(form) => Ok(StmtKind::Coordinates { joint: form == 1 }),
            None => {
                let span = word.map_or(self.keyword.span(), |word| word.span());
                let message = "coordinates are `absolute`, those of each body (as without the statement), or `joint`, those of the joints between bodies; the form is `coordinates joint;`";
                Err(syn::Error::new(span, message))
            }
        }
    }

    /// The `;`. A keyword in its place begins the next statement and is left there.
    fn semicolon(&self) -> syn::Result<()> {
        if self.input.parse::<Option<Token![;]>>()?.is_some() {
            return Ok(());
        }
        let keyword = &self.keyword;
        if self.input.is_empty() || starts_statement(self.input) {
            self.diag
                .error(keyword.span(), format!("this `{keyword}` statement does not end with `;`"));
            return Ok(());
        }
        Err(self
            .input
            .error(format!("expected `;` or an operator here, in this `{keyword}` statement")))
    }

    fn name(&self) -> syn::Result<Ident> {
        if !self.input.peek(Ident) {
            return self.error("expected a name");
        }
        self.input.parse()
    }

    fn expr(&self) -> syn::Result<Expr> {
        if self.input.is_empty() || self.input.peek(Token![;]) {
            return self.error("expected an expression");
        }
        let mut expression = self.input.parse()?;
        long::cut(&mut expression);
        Ok(expression)
    }

    fn brackets(&self) -> syn::Result<Option<Expr>> {
        if !self.input.peek(token::Bracket) {
            return Ok(None);
        }
        let content;
        let brackets = bracketed!(content in self.input);
        let list = content.parse_terminated(<Expr as syn::parse::Parse>::parse, Token![,])?;
        let mut list = list.into_iter();
        let (Some(index), None) = (list.next(), list.next()) else {
            let message = "one index or number of entries stands in brackets, as in `x[3]`";
            return Err(syn::Error::new(brackets.span.join(), message));
        };
        Ok(Some(index))
    }

    /// A unit without its brackets, which does not end the statement either.
    fn bare_unit(&self) -> syn::Result<String> {
        let span = self.input.span();
        let mut text = String::new();
        let ends =
            || self.input.is_empty() || self.input.peek(Token![;]) || self.input.peek(Token![=]);
        while !ends() && text.len() < 40 {
            text += &self.input.parse::<TokenTree>()?.to_string();
        }
        if text.is_empty() || !ends() {
            return self.error("expected a unit in brackets after `:`");
        }
        self.diag.error(span, format!("a unit stands in brackets: write `: [{text}]`"));
        Ok(String::new())
    }

    /// `: [unit]`. A unit that is none is reported and does not end the statement.
    fn unit(&self) -> syn::Result<String> {
        if !self.input.peek(Token![:]) {
            return Ok(String::new());
        }
        self.input.parse::<Token![:]>()?;
        if !self.input.peek(token::Bracket) {
            return self.bare_unit();
        }
        let content;
        bracketed!(content in self.input);
        match content.parse::<Unit>() {
            Ok(unit) => {
                let moves = matches!(self.keyword.to_string().as_str(), "coord" | "state");
                if let (true, Some((span, turned))) = (moves, unit.turned) {
                    let radians = if turned == "rpm" { "rad/s" } else { "rad" };
                    self.diag.error(
                        span,
                        format!(
                            "an angle that moves is in `rad`, for sines and rates are taken of it as it is: write `[{radians}]` in place of `{turned}`; 60 degrees are `deg(60)`"
                        ),
                    );
                }
                Ok(unit.text)
            }
            Err(error) => {
                self.diag.push(error);
                content.step(|cursor| {
                    let mut rest = *cursor;
                    while let Some((_, next)) = rest.token_tree() {
                        rest = next;
                    }
                    Ok(((), rest))
                })?;
                Ok(String::new())
            }
        }
    }

    fn declared(&self) -> syn::Result<Declared> {
        let declared = Declared { name: self.name()?, index: self.brackets()?, unit: self.unit()? };
        if self.input.peek(Token![=]) {
            let equal: Token![=] = self.input.parse()?;
            self.diag.error(
                equal.span,
                format!(
                    "a `{}` has no value here; write `init {} = …;` for its initial value",
                    self.keyword, declared.name
                ),
            );
            self.expr()?;
        }
        Ok(declared)
    }

    /// `=`, with a word about `==`.
    fn assign(&self) -> syn::Result<()> {
        if self.input.peek(Token![==]) {
            let equal: Token![==] = self.input.parse()?;
            self.diag.error(
                equal.spans[0],
                format!("`{}` takes `=`: `==` states an equation", self.keyword),
            );
            return Ok(());
        }
        if !self.input.peek(Token![=]) {
            return self.error("expected `=`");
        }
        self.input.parse::<Token![=]>().map(drop)
    }

    /// `target = value`, parsed as one expression.
    fn assignment(&self) -> syn::Result<(Expr, Expr)> {
        match self.expr()? {
            Expr::Assign(e) => Ok((*e.left, *e.right)),
            Expr::Binary(ExprBinary { left, op: BinOp::Eq(equal), right, .. }) => {
                self.diag.error(
                    equal.spans[0],
                    format!("`{}` takes `=`: `==` states an equation", self.keyword),
                );
                Ok((*left, *right))
            }
            _ => self.error("expected `=`"),
        }
    }

    /// `left == right`, parsed as one expression; `None` on the right when there is no `==`.
    fn equality(&self) -> syn::Result<(Expr, Option<Expr>)> {
        match self.expr()? {
            Expr::Binary(ExprBinary { left, op: BinOp::Eq(_), right, .. }) => {
                Ok((*left, Some(*right)))
            }
            Expr::Assign(e) => {
                self.diag.error(
                    e.eq_token.span,
                    format!("`{}` states an equation: write `==`", self.keyword),
                );
                Ok((*e.left, Some(*e.right)))
            }
            other => Ok((other, None)),
        }
    }

    fn size(&self) -> syn::Result<StmtKind> {
        let name = self.name()?;
        self.assign()?;
        Ok(StmtKind::Size { name, value: self.expr()? })
    }

    fn param(&self) -> syn::Result<StmtKind> {
        let declared = Declared { name: self.name()?, index: self.brackets()?, unit: self.unit()? };
        if self.input.peek(Token![;]) {
            // Kept, with any value: the name is declared.
            self.diag.error(
                declared.name.span(),
                format!(
                    "parameter `{0}` needs a default value, as in `param {0} = 1.0;`",
                    declared.name
                ),
            );
            return Ok(StmtKind::Param { declared, value: syn::parse_quote!(0.0) });
        }
        self.assign()?;
        Ok(StmtKind::Param { declared, value: self.expr()? })
    }

    fn variable(&self) -> syn::Result<StmtKind> {
        let declared = Declared { name: self.name()?, index: self.brackets()?, unit: self.unit()? };
        if self.input.peek(Token![;]) {
            return Ok(StmtKind::Variable { declared, value: None });
        }
        if self.input.peek(Token![==]) {
            self.input.parse::<Token![==]>()?;
        } else if self.input.peek(Token![=]) {
            let equal: Token![=] = self.input.parse()?;
            self.diag.error(equal.span, "`variable` states an equation: write `==`");
        } else {
            return self.error("expected `==`");
        }
        Ok(StmtKind::Variable { declared, value: Some(self.expr()?) })
    }

    fn binding(&self) -> syn::Result<StmtKind> {
        let name = self.name()?;
        self.assign()?;
        Ok(StmtKind::Let { name, value: self.expr()? })
    }

    fn energy(&self, kind: EnergyKind) -> syn::Result<StmtKind> {
        let name = if self.input.peek(Ident) { Some(self.name()?) } else { None };
        self.assign()?;
        Ok(StmtKind::Energy { kind, name, value: self.expr()? })
    }

    fn mass(&self) -> syn::Result<StmtKind> {
        if !self.input.peek(token::Bracket) {
            return self.error("expected two coordinates in brackets");
        }
        let content;
        let brackets = bracketed!(content in self.input);
        let entry = content.parse_terminated(<Expr as syn::parse::Parse>::parse, Token![,])?;
        let mut entry = entry.into_iter();
        let (Some(row), Some(col), None) = (entry.next(), entry.next(), entry.next()) else {
            let message = "a mass entry has two coordinates, as in `mass[x, x]` or `mass[x, y]`";
            return Err(syn::Error::new(brackets.span.join(), message));
        };
        self.assign()?;
        Ok(StmtKind::Mass { row, col, value: self.expr()? })
    }

    fn stated(&self) -> syn::Result<StmtKind> {
        let word = self.name()?;
        let kind = match word.to_string().as_str() {
            "holonomic" => ConstraintKind::Holonomic,
            "nonholonomic" => ConstraintKind::Nonholonomic,
            _ => {
                return Err(syn::Error::new(
                    word.span(),
                    "`stated` stands before `holonomic` or `nonholonomic`",
                ));
            }
        };
        self.constraint(kind, true)
    }

    fn constraint(&self, kind: ConstraintKind, stated: bool) -> syn::Result<StmtKind> {
        let name = self.name()?;
        let rows = self.brackets()?;
        if !self.input.peek(Token![:]) {
            return self.error("a constraint has a name, by which its multiplier is called");
        }
        self.input.parse::<Token![:]>()?;
        let (left, right) = self.equality()?;
        let mut holds = Holds::Always;
        if self.input.peek(Token![while]) {
            let word = self.input.parse::<Token![while]>()?;
            holds = Holds::While(self.expr()?);
            if kind == ConstraintKind::Nonholonomic {
                self.diag.error(
                    word.span,
                    "a nonholonomic constraint always holds; what comes and goes with a mode is a `holonomic` one, or a force",
                );
                holds = Holds::Always;
            }
        } else if self.input.fork().parse::<Ident>().is_ok_and(|word| word == keyword::FROM) {
            let word = self.input.parse::<Ident>()?;
            if !self.input.parse::<Ident>().is_ok_and(|start| start == keyword::START) {
                return Err(syn::Error::new(
                    word.span(),
                    "a constraint holds `from start`, where its sides may differ by anything, and from there on by that",
                ));
            }
            holds = Holds::FromStart;
            if kind == ConstraintKind::Nonholonomic {
                self.diag.error(
                    word.span(),
                    "a nonholonomic constraint is of velocities, whose sides differ by nothing at the start either: leave `from start` out",
                );
                holds = Holds::Always;
            }
        }
        if right.is_none() && rows.is_none() {
            self.diag.error(
                name.span(),
                format!(
                    "constraint `{name}` has no `==`; write `{name}: left == right`, or, for an expression that returns an array of rows that are zero, how many: `{name}[1]: rod(…)`, `{name}[2]: revolute(…)`"
                ),
            );
        }
        Ok(StmtKind::Constraint(ConstraintStmt { kind, stated, name, rows, left, right, holds }))
    }

    /// `unilateral rope: length - hypot(x, y);`, `unilateral floor: y, restitution(0.5);`,
    /// `unilateral floor: [y, x], restitution(0.5).friction(0.3);`
    fn unilateral(&self) -> syn::Result<StmtKind> {
        let name = self.name()?;
        if self.input.peek(token::Bracket) {
            return self.error(
                "a unilateral constraint is one gap; those of a loop are written inside `for`",
            );
        }
        if !self.input.peek(Token![:]) {
            return self.error("a constraint has a name, by which its multiplier is called");
        }
        self.input.parse::<Token![:]>()?;
        let (left, right) = self.equality()?;
        if let Some(right) = right {
            self.diag.push(syn::Error::new_spanned(
                right,
                format!("a unilateral constraint is a gap that never becomes negative, without `==`: `unilateral {name}: gap;`"),
            ));
        }
        let left = self.compared_gap(&name, left);
        let law = self.after_comma()?;
        let (left, slide) = match left {
            Expr::Array(pair)
                if pair.elems.len() == 2 && law.as_ref().is_some_and(has_friction) =>
            {
                (pair.elems[0].clone(), Some(Box::new(pair.elems[1].clone())))
            }
            gap => (gap, None),
        };
        let holds = Holds::Unilateral { law, slide };
        let (kind, rows, right) = (ConstraintKind::Holonomic, None, None);
        let stated = false;
        Ok(StmtKind::Constraint(ConstraintStmt { kind, stated, name, rows, left, right, holds }))
    }

    /// The gap of a contact that was written as a comparison, which is told.
    fn compared_gap(&self, name: &Ident, gap: Expr) -> Expr {
        let Expr::Binary(compared) = gap else { return gap };
        let (larger, smaller) = match compared.op {
            BinOp::Ge(_) | BinOp::Gt(_) => (&compared.left, &compared.right),
            BinOp::Le(_) | BinOp::Lt(_) => (&compared.right, &compared.left),
            _ => return Expr::Binary(compared),
        };
        let instead = match &**smaller {
            Expr::Lit(zero) if zero.to_token_stream().to_string().parse() == Ok(0.0) => "gap",
            _ => "larger - smaller",
        };
        self.diag.push(syn::Error::new_spanned(
            &compared,
            format!(
                "a unilateral constraint is a gap that never becomes negative, without a comparison: \
                 `unilateral {name}: {instead};`"
            ),
        ));
        (**larger).clone()
    }

    fn rate(&self) -> syn::Result<StmtKind> {
        if !self.input.peek(token::Paren) {
            return self.error("expected a state in parentheses");
        }
        let content;
        let parens = syn::parenthesized!(content in self.input);
        let list = content.parse_terminated(<Expr as syn::parse::Parse>::parse, Token![,])?;
        let mut list = list.into_iter();
        let (Some(target), None) = (list.next(), list.next()) else {
            let message = "`der` takes one state, as in `der(e) = expression;`";
            return Err(syn::Error::new(parens.span.join(), message));
        };
        self.assign()?;
        Ok(StmtKind::Rate { target, value: self.expr()? })
    }

    fn equation(&self) -> syn::Result<StmtKind> {
        let named =
            self.input.peek(Ident) && self.input.peek2(Token![:]) && !self.input.peek2(Token![::]);
        let mut name = None;
        if named {
            name = Some(self.name()?);
            self.input.parse::<Token![:]>()?;
        }
        match self.equality()? {
            (left, Some(right)) => Ok(StmtKind::Equation { name, left, right }),
            _ => self.error("expected `==`"),
        }
    }

    fn init(&self, kept: bool) -> syn::Result<StmtKind> {
        let (target, value) = self.assignment()?;
        Ok(StmtKind::Init { kept, target, value })
    }

    fn scale(&self) -> syn::Result<StmtKind> {
        let (target, value) = self.assignment()?;
        Ok(StmtKind::Scale { target, value })
    }

    fn output(&self) -> syn::Result<StmtKind> {
        let declared = Declared { name: self.name()?, index: self.brackets()?, unit: self.unit()? };
        self.assign()?;
        Ok(StmtKind::Output { declared, value: self.expr()? })
    }

    fn draw(&self) -> syn::Result<StmtKind> {
        let name = self.name()?;
        if !self.input.peek(Token![:]) {
            return self.error("expected `:` and a shape");
        }
        self.input.parse::<Token![:]>()?;
        // `box` is a word of Rust.
        if !self.input.peek(Ident::peek_any) {
            return self.error("expected a shape");
        }
        let shape = self.input.call(Ident::parse_any)?;
        if !self.input.peek(token::Paren) {
            return self.error("expected what the shape is made of in parentheses");
        }
        let content;
        syn::parenthesized!(content in self.input);
        let arguments = content.parse_terminated(<Expr as syn::parse::Parse>::parse, Token![,])?;
        let arguments = arguments.into_iter().collect();
        let color = if self.input.peek(Ident) { Some(self.color()?) } else { None };
        Ok(StmtKind::Draw { name, shape, arguments, color })
    }

    /// `color red`, `color "#c0392b"`.
    fn color(&self) -> syn::Result<Color> {
        let word: Ident = self.input.parse()?;
        if word != keyword::COLOR {
            return Err(syn::Error::new(
                word.span(),
                "expected `;` or a colour, as in `color red`",
            ));
        }
        if self.input.peek(syn::LitStr) {
            let literal: syn::LitStr = self.input.parse()?;
            return Ok(Color { text: literal.value(), span: literal.span() });
        }
        let name = self.name()?;
        Ok(Color { text: name.to_string(), span: name.span() })
    }

    fn mode(&self) -> syn::Result<StmtKind> {
        let declared = Declared { name: self.name()?, index: self.brackets()?, unit: self.unit()? };
        if self.input.peek(Token![;]) {
            return self.error("a mode begins with a value");
        }
        self.assign()?;
        Ok(StmtKind::Mode { declared, value: self.expr()? })
    }

    fn input_signal(&self) -> syn::Result<StmtKind> {
        let declared = Declared { name: self.name()?, index: self.brackets()?, unit: self.unit()? };
        if self.input.peek(Token![;]) {
            return self.error("an input has a value for as long as nothing feeds it");
        }
        self.assign()?;
        Ok(StmtKind::Input { declared, value: self.expr()? })
    }

    fn for_loop(&self) -> syn::Result<StmtKind> {
        let var = self.name()?;
        self.input.parse::<Token![in]>()?;
        let range = Expr::parse_without_eager_brace(self.input)?;
        let Expr::Range(range) = range else {
            return Err(syn::Error::new(
                Span::call_site(),
                "a loop runs over a range of whole numbers, as in `for i in 0..n { … }`",
            ))
            .map_err(|e| syn::Error::new_spanned(&range, e));
        };
        let inclusive = matches!(range.limits, syn::RangeLimits::Closed(_));
        let (Some(start), Some(end)) = (range.start.clone(), range.end.clone()) else {
            return Err(syn::Error::new_spanned(&range, "a loop needs both ends of its range"));
        };
        let body = braces(self.input, self.diag)?;
        Ok(StmtKind::For(ForStmt { var, start: *start, end: *end, inclusive, body }))
    }

    fn connector(&self) -> syn::Result<StmtKind> {
        let name = self.name()?;
        if !self.input.peek(Token![:]) {
            return self.error("expected `:` and the component that is asked for");
        }
        self.input.parse::<Token![:]>()?;
        Ok(StmtKind::Connector { name, component: self.component_name()? })
    }

    /// The name or path of a component.
    fn component_name(&self) -> syn::Result<Path> {
        if !self.input.peek(Ident::peek_any) && !self.input.peek(Token![::]) {
            return self.error("expected the name of a component");
        }
        self.input.call(Path::parse_mod_style)
    }

    fn body(&self) -> syn::Result<StmtKind> {
        let name = self.name()?;
        let len = self.brackets()?;
        if !self.input.peek(Token![:]) {
            return self.error("expected `:` and the name of a component");
        }
        self.input.parse::<Token![:]>()?;
        let component = self.component_name()?;
        let mut overrides = Vec::new();
        if self.input.peek(token::Brace) {
            let content;
            braced!(content in self.input);
            while !content.is_empty() {
                let param: Ident = content.call(Ident::parse_any)?;
                content.parse::<Token![:]>()?;
                overrides.push((param, content.parse()?));
                if !content.is_empty() {
                    content.parse::<Token![,]>()?;
                }
            }
        }
        Ok(StmtKind::Body(BodyStmt { name, len, pass: None, component, overrides }))
    }
}

/// Whether a law of impacts has friction.
fn has_friction(law: &Expr) -> bool {
    matches!(law, Expr::MethodCall(call) if call.method == keyword::FRICTION)
}
