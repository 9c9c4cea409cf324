//! Declarations in loops. `for i in 1..n { coord x: [m]; … }` declares an array with an entry for each pass: `coord x[n - 1]`
//! before the loop, and in the loop `x[i - 1]` where `x` stands alone, with a name of the language's own for `i - 1`, since
//! `|i| i*x` has an `i` of its own. So what is declared in a loop is an array like all
//! others: outside it, and for other passes, its entries are named by their numbers, from 0. Nested loops are not taken
//! apart: their passes may be of any number.

use crate::ast::{
    Acting, BodyStmt, Declared, EventStmt, ForStmt, Happening, Holds, Stmt, StmtKind, When,
};
use crate::names;
use proc_macro2::{Ident, Span};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, parse_quote, parse_quote_spanned};

/// The statements of a mechanism or component with what its loops declare before these.
pub fn declarations(body: Vec<Stmt>) -> Vec<Stmt> {
    let mut out = Vec::with_capacity(body.len());
    for stmt in body {
        match stmt.kind {
            StmtKind::For(each) => {
                let (declared, each) = hoisted(each);
                out.extend(declared);
                out.push(Stmt { kind: StmtKind::For(each), ..stmt });
            }
            _ => out.push(stmt),
        }
    }
    out
}

/// What a loop declares, as arrays, and the loop with the entries of these.
fn hoisted(each: ForStmt) -> (Vec<Stmt>, ForStmt) {
    let (mut declared, mut rest) = (Vec::new(), Vec::new());
    let mut entries = Entries { names: Vec::new() };
    let passes = passes(&each);
    for stmt in each.body {
        match array(&stmt, (&each.var, &each.start), &passes, &entries.names) {
            Some(array) => {
                // An unknown is declared before the loop, and defined in it.
                if let StmtKind::Variable { declared, value: Some(value) } = &stmt.kind {
                    let index = Some(pass(declared.name.span()));
                    let declared = Declared { index, ..declared.clone() };
                    let kind = StmtKind::Variable { declared, value: Some(value.clone()) };
                    rest.push(Stmt { docs: Vec::new(), public: false, kind, ..stmt.clone() });
                }
                entries.names.extend(name(&array).cloned());
                declared.push(array);
            }
            None => rest.push(stmt),
        }
    }
    if !declared.is_empty() {
        declared.iter_mut().chain(&mut rest).for_each(|stmt| entries.statement(stmt));
    }
    (declared, ForStmt { body: rest, ..each })
}

/// The number of the pass, from 0, at a token.
fn pass(span: Span) -> Expr {
    let name = Ident::new(names::PASS, span);
    parse_quote!(#name)
}

/// How many passes there are: none where the loop ends before it begins.
fn passes(each: &ForStmt) -> Expr {
    let ForStmt { start, end, inclusive, .. } = each;
    let count = match (is_zero(start), inclusive) {
        (true, false) => end.clone(),
        (true, true) => parse_quote!((#end) + 1),
        (false, false) => parse_quote!((#end) - (#start)),
        (false, true) => parse_quote!((#end) + 1 - (#start)),
    };
    match count {
        Expr::Lit(_) => count,
        _ => parse_quote!((#count).max(0)),
    }
}

fn is_zero(e: &Expr) -> bool {
    matches!(e, Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) if int.base10_digits() == "0")
}

/// A declaration as that of an array with an entry for each pass. Not that of an array, nor one whose value depends on the
/// pass where an array has one for all.
fn array(
    stmt: &Stmt,
    (var, start): (&Ident, &Expr),
    passes: &Expr,
    others: &[Ident],
) -> Option<Stmt> {
    let of = |declared: &Declared| match declared.index {
        None => Some(Declared { index: Some(passes.clone()), ..declared.clone() }),
        Some(_) => None,
    };
    let same = |value: &Expr| !others.iter().chain([var]).any(|name| reads(value, name));
    let kind = match &stmt.kind {
        StmtKind::Coord(declared) => StmtKind::Coord(of(declared)?),
        StmtKind::State(declared) => StmtKind::State(of(declared)?),
        StmtKind::Variable { declared, .. } => {
            StmtKind::Variable { declared: of(declared)?, value: None }
        }
        StmtKind::Param { declared, value } if same(value) => {
            StmtKind::Param { declared: of(declared)?, value: value.clone() }
        }
        StmtKind::Mode { declared, value } if same(value) => {
            StmtKind::Mode { declared: of(declared)?, value: value.clone() }
        }
        StmtKind::Input { declared, value } if same(value) => {
            StmtKind::Input { declared: of(declared)?, value: value.clone() }
        }
        StmtKind::Body(body) if body.len.is_none() => {
            let pass = Some((var.clone(), start.clone()));
            StmtKind::Body(BodyStmt { len: Some(passes.clone()), pass, ..body.clone() })
        }
        _ => return None,
    };
    Some(Stmt { kind, ..stmt.clone() })
}

fn name(stmt: &Stmt) -> Option<&Ident> {
    match &stmt.kind {
        StmtKind::Coord(declared)
        | StmtKind::State(declared)
        | StmtKind::Variable { declared, .. }
        | StmtKind::Param { declared, .. }
        | StmtKind::Mode { declared, .. }
        | StmtKind::Input { declared, .. } => Some(&declared.name),
        StmtKind::Body(body) => Some(&body.name),
        _ => None,
    }
}

/// Whether an expression reads a name.
fn reads(e: &Expr, name: &Ident) -> bool {
    struct Reads<'a>(&'a Ident, bool);
    impl<'a> Visit<'a> for Reads<'_> {
        fn visit_expr_path(&mut self, path: &'a syn::ExprPath) {
            self.1 |= path.path.is_ident(self.0);
        }
    }
    let mut found = Reads(name, false);
    visit::visit_expr(&mut found, e);
    found.1
}

/// Writes the entry of the pass where a name of the loop stands alone.
struct Entries {
    names: Vec<Ident>,
}

impl Entries {
    fn statement(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Size { value, .. }
            | StmtKind::Param { value, .. }
            | StmtKind::Mode { value, .. }
            | StmtKind::Input { value, .. }
            | StmtKind::Let { value, .. }
            | StmtKind::Energy { value, .. }
            | StmtKind::Output { value, .. }
            | StmtKind::Until { value }
            | StmtKind::Gravity { value }
            | StmtKind::Seen { value, .. } => self.visit_expr_mut(value),
            StmtKind::Variable { value, .. } => {
                value.iter_mut().for_each(|value| self.visit_expr_mut(value));
            }
            StmtKind::Mass { row, col, value } => {
                [row, col, value].into_iter().for_each(|e| self.visit_expr_mut(e));
            }
            StmtKind::Force { acting, value, .. } => {
                self.visit_expr_mut(value);
                match acting {
                    Acting::Along(e) | Acting::Turning { body: e } => self.visit_expr_mut(e),
                    Acting::On(list) => list.iter_mut().for_each(|e| self.visit_expr_mut(e)),
                    Acting::Body { body, at } => {
                        self.visit_expr_mut(body);
                        at.iter_mut().for_each(|e| self.visit_expr_mut(e));
                    }
                }
            }
            StmtKind::Constraint(constraint) => {
                self.visit_expr_mut(&mut constraint.left);
                constraint.right.iter_mut().for_each(|e| self.visit_expr_mut(e));
                match &mut constraint.holds {
                    Holds::While(e) => self.visit_expr_mut(e),
                    Holds::Unilateral { law, slide } => {
                        law.iter_mut()
                            .chain(slide.as_deref_mut())
                            .for_each(|e| self.visit_expr_mut(e));
                    }
                    Holds::Always | Holds::FromStart => {}
                }
            }
            StmtKind::Event(event) => self.event(event),
            StmtKind::Rate { target, value }
            | StmtKind::Init { target, value, .. }
            | StmtKind::Scale { target, value }
            | StmtKind::Drive { target, value } => {
                self.visit_expr_mut(target);
                self.visit_expr_mut(value);
            }
            StmtKind::Equation { left, right, .. } => {
                self.visit_expr_mut(left);
                self.visit_expr_mut(right);
            }
            StmtKind::Draw { arguments: list, .. }
            | StmtKind::Joint(crate::ast::JointStmt { args: list, .. }) => {
                list.iter_mut().for_each(|e| self.visit_expr_mut(e));
            }
            StmtKind::Limit { target, from, to, law } => {
                self.visit_expr_mut(target);
                [from, to, law].into_iter().flatten().for_each(|e| self.visit_expr_mut(e));
            }
            StmtKind::Friction { target, value, breakaway } => {
                self.visit_expr_mut(target);
                self.visit_expr_mut(value);
                breakaway.iter_mut().for_each(|e| self.visit_expr_mut(e));
            }
            StmtKind::For(each) => {
                self.visit_expr_mut(&mut each.start);
                self.visit_expr_mut(&mut each.end);
                each.body.iter_mut().for_each(|stmt| self.statement(stmt));
            }
            StmtKind::Body(body) => {
                body.overrides.iter_mut().for_each(|(_, e)| self.visit_expr_mut(e));
            }
            StmtKind::Coord(_)
            | StmtKind::State(_)
            | StmtKind::Tells { .. }
            | StmtKind::Component(_)
            | StmtKind::Connector { .. }
            | StmtKind::Coordinates { .. }
            | StmtKind::Place(_) => {}
        }
    }

    fn event(&mut self, event: &mut EventStmt) {
        match &mut event.when {
            When::True(condition) => self.visit_expr_mut(condition),
            When::Every { period, phase } => {
                self.visit_expr_mut(period);
                phase.iter_mut().for_each(|e| self.visit_expr_mut(e));
            }
        }
        for action in &mut event.actions {
            match action {
                Happening::Set { target: a, value: b }
                | Happening::Impulse { along: a, value: b } => {
                    self.visit_expr_mut(a);
                    self.visit_expr_mut(b);
                }
                Happening::Stop { .. } => {}
            }
        }
    }

    /// Without the names that the patterns of a condition hide, as in `if let Some(x) = …`.
    fn under(&self, condition: &Expr) -> Entries {
        match condition {
            Expr::Let(matched) => self.without(&matched.pat),
            Expr::Binary(both) => {
                let left = self.under(&both.left);
                left.under(&both.right)
            }
            _ => Entries { names: self.names.clone() },
        }
    }

    /// Without the names that a pattern hides.
    fn without(&self, pattern: &syn::Pat) -> Entries {
        struct Names<'a>(&'a mut Vec<Ident>);
        impl<'p> Visit<'p> for Names<'_> {
            fn visit_pat_ident(&mut self, pattern: &'p syn::PatIdent) {
                self.0.retain(|name| *name != pattern.ident);
                visit::visit_pat_ident(self, pattern);
            }
        }
        let mut names = self.names.clone();
        Names(&mut names).visit_pat(pattern);
        Entries { names }
    }
}

impl VisitMut for Entries {
    fn visit_expr_mut(&mut self, e: &mut Expr) {
        match e {
            Expr::Path(path) => {
                if let Some(name) = path.path.get_ident()
                    && self.names.contains(name)
                {
                    let (name, index) = (name.clone(), pass(name.span()));
                    *e = parse_quote_spanned!(name.span()=> #name[#index]);
                }
            }
            // What is named by a number, and functions.
            Expr::Index(index) if matches!(&*index.expr, Expr::Path(_)) => {
                self.visit_expr_mut(&mut index.index);
            }
            Expr::Call(call) => {
                let multiplier = matches!(&*call.func, Expr::Path(path)
                    if path.path.is_ident("lambda") || path.path.is_ident("psi"));
                for argument in &mut call.args {
                    // Constraints have names of their own.
                    if !(multiplier && matches!(argument, Expr::Path(_))) {
                        self.visit_expr_mut(argument);
                    }
                }
                if !matches!(&*call.func, Expr::Path(_)) {
                    self.visit_expr_mut(&mut call.func);
                }
            }
            Expr::Closure(closure) => {
                let all = Entries { names: self.names.clone() };
                let mut inner = closure.inputs.iter().fold(all, |inner, pat| inner.without(pat));
                inner.visit_expr_mut(&mut closure.body);
            }
            Expr::ForLoop(each) => {
                self.visit_expr_mut(&mut each.expr);
                self.without(&each.pat).visit_block_mut(&mut each.body);
            }
            Expr::If(choice) => {
                self.visit_expr_mut(&mut choice.cond);
                self.under(&choice.cond).visit_block_mut(&mut choice.then_branch);
                if let Some((_, otherwise)) = &mut choice.else_branch {
                    self.visit_expr_mut(otherwise);
                }
            }
            Expr::While(each) => {
                self.visit_expr_mut(&mut each.cond);
                self.under(&each.cond).visit_block_mut(&mut each.body);
            }
            _ => visit_mut::visit_expr_mut(self, e),
        }
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let mut inner = Entries { names: self.names.clone() };
        for stmt in &mut block.stmts {
            inner.visit_stmt_mut(stmt);
            if let syn::Stmt::Local(local) = stmt {
                inner = inner.without(&local.pat);
            }
        }
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        let mut inner = self.without(&arm.pat);
        visit_mut::visit_arm_mut(&mut inner, arm);
    }
}
