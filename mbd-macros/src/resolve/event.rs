//! Modes and events: conditions, and what is set when they become true.

use super::declare::literal_len;
use super::expr::{Mode, Tx};
use super::resolver::Resolver;
use super::scope::{ScopeId, Symbol};
use crate::ast::{Declared, EventStmt, Happening, When};
use crate::ir::*;
use crate::keyword;
use quote::{ToTokens, quote};
use syn::{BinOp, Expr, ExprBinary, Lit};

/// What may stand where something is true or false.
const LOGICAL: &str = "a condition is made of comparisons of scalars, and of modes that are `true` or `false`, joined by `&&`, `||` and `!`";

impl Resolver<'_> {
    /// What a discrete value begins with.
    pub(super) fn mode_value(
        &mut self,
        declared: &Declared,
        value: &Expr,
        scope: ScopeId,
    ) -> Option<StatementKind> {
        let found = self.scopes.find(scope, &declared.name.to_string())?;
        let (Symbol::Scalar(id), _) = found else { return None };
        let logical = self.model.scalars[id].logical;
        let kernel = if logical { self.truth(value, scope) } else { self.one(value, scope) };
        Some(StatementKind::Mode(id, kernel))
    }

    pub(super) fn event(&mut self, event: &EventStmt, scope: ScopeId) -> StatementKind {
        let (text, condition, every) = match &event.when {
            When::True(condition) => (written(condition), self.condition(condition, scope), None),
            When::Every { period, phase } => {
                let none: Expr = syn::parse_quote!(0.0);
                let from = phase.as_deref().unwrap_or(&none);
                let text = match phase {
                    None => format!("every {} s", written(period)),
                    Some(phase) => format!("every {} s from {} s", written(period), written(phase)),
                };
                let never = self.truth(&syn::parse_quote!(false), scope);
                (text, never, Some(self.rows(&syn::parse_quote!([#period, #from]), 2, scope)))
            }
        };
        let happenings = event.actions.iter();
        let actions = happenings.filter_map(|happening| self.happening(happening, scope)).collect();
        StatementKind::Event { text, condition, actions, every, gap: None }
    }

    /// A gap that never becomes negative: where it closes there is an impact, after which it is held as long as its
    /// force pushes. Lists of events have the condition as it is written, or as it is `said` to be.
    pub(super) fn unilateral(
        &mut self,
        id: ConstraintId,
        (gap, slide): (&Expr, Option<&Expr>),
        said: Option<String>,
        law: Option<&Expr>,
        scope: ScopeId,
    ) -> Option<StatementKind> {
        if literal_len(gap).is_some() {
            self.diag.push(syn::Error::new_spanned(
                gap,
                "a unilateral constraint is one gap: state one for each",
            ));
            return None;
        }
        let sliding = usize::from(slide.is_some());
        let coefficients: Vec<Expr> = match law.map(restitution) {
            None => vec![syn::parse_quote!(0.0)],
            Some(Some(coefficients)) if coefficients.len() == 1 + sliding => coefficients,
            Some(other) => {
                let message = match other.map(|coefficients| coefficients.len()) {
                    Some(2) => {
                        "friction in an impact acts along a second direction, that of the sliding: `unilateral name: [gap, slide], restitution(e).friction(mu);`"
                    }
                    Some(_) => "the form is `restitution(e)` or `restitution(e).friction(mu)`",
                    None => "after a gap stands what its impacts do: `restitution(e)`",
                };
                self.diag.push(syn::Error::new_spanned(law, message));
                return None;
            }
        };
        let condition: Expr = syn::parse_quote!((#gap) <= 0.0);
        let condition = self.truth(&condition, scope);
        let along = match slide.map(|slide| self.without_turns(slide, scope)) {
            None => self.one(gap, scope),
            Some(slide) => self.rows(&syn::parse_quote!([#gap, #slide]), 2, scope),
        };
        let rows = coefficients.len();
        let values = self.rows(&syn::parse_quote!([#(#coefficients),*]), rows, scope);
        let actions = vec![EventAction::Impulse { along, restitution: true, values }];
        let text = said.unwrap_or_else(|| format!("{} <= 0", written(gap)));
        Some(StatementKind::Event { text, condition, actions, every: None, gap: Some(id) })
    }

    /// A kernel that is 1 while a condition on discrete values holds.
    pub(super) fn held_by(&mut self, condition: &Expr, scope: ScopeId) -> Kernel {
        let kernel = self.truth(condition, scope);
        let by_event =
            |leaf: LeafId| self.model.slot(leaf).is_none() && self.model.input(leaf).is_none();
        let moving = kernel.needs.leaves.iter().find(|(leaf, _)| !by_event(**leaf));
        if let Some((&leaf, &span)) = moving {
            let text = &self.model.leaves[leaf].text;
            let message = format!(
                "a constraint comes and goes by an event: let one set a mode where `{text}` says so, and write `while` that mode"
            );
            self.diag.error(span, message);
            return self.finish(1, Code { broken: true, ..Code::default() });
        }
        let by_mode = |leaf: &LeafId| {
            matches!(self.model.leaves[*leaf].what, What::Slot(crate::ir::SlotKind::Mode, _))
        };
        if !kernel.needs.broken && !kernel.needs.leaves.keys().any(by_mode) {
            self.diag.push(syn::Error::new_spanned(
                condition,
                "`while` is followed by a condition on modes, which events set: `while locked`",
            ));
        }
        kernel
    }

    /// A kernel that is 1 where a condition holds and 0 where it does not; with a second row, 1 or −1 by the
    /// side of the one comparison of the motion that has to be met exactly.
    fn condition(&mut self, e: &Expr, scope: ScopeId) -> Kernel {
        let (mut parts, mut others) = (Vec::new(), Vec::new());
        joined(e, &mut parts);
        let mut met: Option<ExprBinary> = None;
        for part in parts {
            match equality(&part).filter(|equality| self.moves(equality, scope)) {
                Some(equality) if met.is_none() => met = Some(equality.clone()),
                Some(equality) => self.diag.push(syn::Error::new_spanned(
                    equality,
                    "two `==` are not met at the same instant: write one of them as a comparison",
                )),
                None => others.push(part),
            }
        }
        others.iter().for_each(|part| self.no_equality(part, scope));
        let rest = others.into_iter().reduce(|a, b| syn::parse_quote!(#a && #b));
        match (met, rest) {
            (None, rest) => self.truth(rest.as_ref().unwrap_or(e), scope),
            (Some(ExprBinary { left, right, .. }), rest) => {
                let side: Expr = syn::parse_quote!(if #left > #right { 1.0 } else { -1.0 });
                let holds = match rest {
                    Some(rest) => self.logical(&rest, scope),
                    None => Some(syn::parse_quote!(1.0)),
                };
                let broken = holds.is_none();
                let holds = holds.unwrap_or_else(|| syn::parse_quote!(0.0));
                let mut tx = Tx::new(self, scope, Mode::Kernel, None);
                let (holds, side) = (tx.rooted(&holds), tx.rooted(&side));
                let mut code = tx.code(quote!([#holds, #side]));
                code.broken |= broken;
                self.finish(2, code)
            }
        }
    }

    /// Whether the two sides of a comparison read anything that moves.
    fn moves(&mut self, ExprBinary { left, right, .. }: &ExprBinary, scope: ScopeId) -> bool {
        let is_truth = |e: &Expr| matches!(e, Expr::Lit(lit) if matches!(lit.lit, Lit::Bool(_)));
        if is_truth(left) || is_truth(right) {
            self.diag.push(syn::Error::new_spanned(
                left.as_ref(),
                "a mode that is `true` or `false` is a condition by itself: write `locked`, or `!locked`",
            ));
            return true;
        }
        let kernel = self.one(&syn::parse_quote!((#left) - (#right)), scope);
        kernel.needs.leaves.keys().any(|&leaf| self.model.slot(leaf).is_some())
    }

    /// Refuses comparisons of the motion that hold for an instant only, or at all others.
    fn no_equality(&mut self, e: &Expr, scope: ScopeId) {
        match e {
            Expr::Paren(inner) => self.no_equality(&inner.expr, scope),
            Expr::Unary(unary) => self.no_equality(&unary.expr, scope),
            Expr::Binary(binary) => match binary.op {
                BinOp::And(_) | BinOp::Or(_) => {
                    self.no_equality(&binary.left, scope);
                    self.no_equality(&binary.right, scope);
                }
                BinOp::Eq(_) | BinOp::Ne(_) if self.moves(binary, scope) => {
                    self.diag.push(syn::Error::new_spanned(
                        e,
                        "this holds for an instant only, or at all others: `==` stands alone or joined by `&&`, else write `<` or `>`",
                    ));
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// `if condition { 1.0 } else { 0.0 }`; `None` for what is no condition, which is told.
    fn logical(&mut self, e: &Expr, scope: ScopeId) -> Option<Expr> {
        match e {
            Expr::Paren(inner) => return self.logical(&inner.expr, scope),
            Expr::Lit(lit) => {
                if let Lit::Bool(value) = &lit.lit {
                    let number = if value.value { "1.0" } else { "0.0" };
                    return syn::parse_str(number).ok();
                }
            }
            _ => {}
        }
        if !Tx::new(self, scope, Mode::Kernel, None).compares_scalars(e) {
            self.diag.push(syn::Error::new_spanned(e, LOGICAL));
            return None;
        }
        Some(syn::parse_quote!(if #e { 1.0 } else { 0.0 }))
    }

    /// A kernel that is 1 or 0.
    fn truth(&mut self, e: &Expr, scope: ScopeId) -> Kernel {
        match self.logical(e, scope) {
            Some(value) => self.one(&value, scope),
            None => self.finish(1, Code { broken: true, ..Code::default() }),
        }
    }

    fn happening(&mut self, happening: &Happening, scope: ScopeId) -> Option<EventAction> {
        match happening {
            Happening::Stop { text } => Some(EventAction::Stop { text: text.clone() }),
            Happening::Set { target, value } => {
                let (target, slot) = self.set_by_event(target, scope)?;
                let logical = self.model.scalars[target.scalar].logical;
                let kernel =
                    if logical { self.truth(value, scope) } else { self.one(value, scope) };
                Some(EventAction::Set { slot, target, kernel })
            }
            Happening::Impulse { along, value } => self.impulse(along, value, scope),
        }
    }

    /// A velocity, a state or a mode.
    fn set_by_event(&mut self, e: &Expr, scope: ScopeId) -> Option<(Target, SlotKind)> {
        use ScalarKind::{Coord, Input, Mode, State, Variable};
        let (of, is_rate) = match e {
            Expr::Call(call)
                if call.args.len() == 1
                    && matches!(&*call.func, Expr::Path(path) if path.path.is_ident(keyword::DER)) =>
            {
                (&call.args[0], true)
            }
            _ => (e, false),
        };
        let what = "a velocity `der(x)`, a state or a mode (parameters stay: declare a `mode` for what changes)";
        let (target, kind) =
            self.target(of, &[Coord, State, Variable, Mode, Input], what, scope)?;
        let name = &self.model.scalars[target.scalar].name;
        let refused = match (kind, is_rate) {
            (Coord, true) => return Some((target, SlotKind::V)),
            (State, false) => return Some((target, SlotKind::X)),
            (Mode, false) => return Some((target, SlotKind::Mode)),
            (Coord, false) => format!(
                "a coordinate does not jump: set its velocity `der({name})`, or give an impulse along it"
            ),
            (State, true) => format!(
                "the rate of the state `{name}` follows from its equation: set `{name}` itself"
            ),
            // No user's names.
            (ScalarKind::Start, _) => return None,
            (Variable, _) => {
                format!("the variable `{name}` follows from its definition and is not set")
            }
            (Mode, true) => format!("a mode has no rate: set `{name}` itself"),
            (Input, _) => {
                format!(
                    "the input `{name}` is fed from outside: declare a `mode` for what events set"
                )
            }
        };
        self.diag.push(syn::Error::new_spanned(e, refused));
        None
    }

    /// `impulse along s = P;`, `impulse along gap = restitution(e);`,
    /// `impulse along [gap, sliding] = restitution(e).friction(mu);`
    fn impulse(&mut self, along: &Expr, value: &Expr, scope: ScopeId) -> Option<EventAction> {
        let along = &self.without_turns(along, scope);
        let directions = literal_len(along);
        let coefficients = restitution(value);
        let Some(coefficients) = coefficients else {
            let (along, values) = match directions {
                None => (self.one(along, scope), self.one(value, scope)),
                Some(rows) => {
                    if let Some(sizes) = literal_len(value).filter(|sizes| *sizes != rows) {
                        let message = format!("{sizes} impulses for {rows} directions");
                        self.diag.push(syn::Error::new_spanned(value, message));
                    }
                    (self.rows(along, rows, scope), self.rows(value, rows, scope))
                }
            };
            return Some(EventAction::Impulse { along, restitution: false, values });
        };
        let refused = match (&coefficients[..], directions) {
            ([_], None | Some(1)) | ([_, _], Some(2)) => None,
            ([_], Some(_)) => Some(
                "along a gap there is restitution, along a second direction friction: `restitution(e).friction(mu)`",
            ),
            ([_, _], _) => Some(
                "friction acts along a second direction, that of the sliding: `impulse along [gap, slide] = restitution(e).friction(mu);`",
            ),
            _ => Some("the form is `restitution(e)` or `restitution(e).friction(mu)`"),
        };
        if let Some(refused) = refused {
            self.diag.push(syn::Error::new_spanned(value, refused));
            return None;
        }
        let along = match directions {
            None => self.one(along, scope),
            Some(rows) => self.rows(along, rows, scope),
        };
        let values = self.rows(&syn::parse_quote!([#(#coefficients),*]), coefficients.len(), scope);
        Some(EventAction::Impulse { along, restitution: true, values })
    }
}

/// The coefficients of `restitution(e)` and `restitution(e).friction(mu)`; of anything else `None`.
fn restitution(e: &Expr) -> Option<Vec<Expr>> {
    match e {
        Expr::Paren(inner) => restitution(&inner.expr),
        Expr::Call(call) => {
            let is =
                matches!(&*call.func, Expr::Path(path) if path.path.is_ident(keyword::RESTITUTION));
            is.then(|| {
                if call.args.len() == 1 { call.args.iter().cloned().collect() } else { Vec::new() }
            })
        }
        Expr::MethodCall(call) => {
            let mut coefficients = restitution(&call.receiver)?;
            if call.method == keyword::FRICTION && call.args.len() == 1 && coefficients.len() == 1 {
                coefficients.extend(call.args.iter().cloned());
            } else {
                coefficients.clear();
            }
            Some(coefficients)
        }
        _ => None,
    }
}

/// The conditions that `&&` joins.
fn joined(e: &Expr, out: &mut Vec<Expr>) {
    match e {
        Expr::Binary(ExprBinary { left, op: BinOp::And(_), right, .. }) => {
            joined(left, out);
            joined(right, out);
        }
        Expr::Paren(inner) => joined(&inner.expr, out),
        other => out.push(other.clone()),
    }
}

/// `a == b`
fn equality(e: &Expr) -> Option<&ExprBinary> {
    match e {
        Expr::Paren(inner) => equality(&inner.expr),
        Expr::Binary(binary) if matches!(binary.op, BinOp::Eq(_)) => Some(binary),
        _ => None,
    }
}

/// A condition as it is written, for lists of events.
pub(super) fn written(e: &Expr) -> String {
    let mut text = crate::names::as_written(e.to_token_stream()).to_string();
    for (tokens, by) in [
        ("&& (", "&&\u{0}("),
        ("|| (", "||\u{0}("),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        (" [", "["),
        ("[ ", "["),
        (" ]", "]"),
        (" ,", ","),
        (" . ", "."),
        ("! ", "!"),
        ("- (", "-("),
        ("(- ", "(-"),
        (", - ", ", -"),
        ("= - ", "= -"),
        ("< - ", "< -"),
        ("> - ", "> -"),
        ("\u{0}", " "),
    ] {
        text = text.replace(tokens, by);
    }
    // A minus between two operands stands apart from both.
    let mut apart = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once(" -(") {
        let operand = before.ends_with(|c: char| c.is_alphanumeric() || ")]_".contains(c));
        apart += before;
        apart += if operand { " - (" } else { " -(" };
        rest = after;
    }
    apart + rest
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn conditions_read_as_they_are_written() {
        for text in [
            "1.0 + pay * t - (3.0 - y) <= 0.0",
            "-(x + 1.0) <= -y",
            "a[0] - (b + 1.0) > hypot(x, y) - (2.0)",
            "x > 0.0 && (y < -(1.0) || !locked)",
        ] {
            let condition = syn::parse_str(text).expect("an expression");
            assert_eq!(written(&condition), text);
        }
    }
}
