//! First pass: every declared name gets its meaning; other statements wait for the second pass.

use super::bodies::seen_at;
use super::expr::{Mode, Tx};
use super::resolver::{HELD, LetDef, ROWS, Resolver, Waiting, Work};
use super::scope::{ScopeId, Symbol};
use crate::ast::{self, BodyStmt, ConstraintStmt, Declared, ForStmt, Holds, Stmt, StmtKind};
use crate::ir::*;
use crate::keyword;
use crate::names;
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, ExprLit, Lit};

impl Resolver<'_> {
    pub(super) fn components(&mut self, list: &[ast::Component]) {
        for component in list {
            let name = component.name.to_string();
            if let Some(earlier) = self.components.get(&name) {
                self.duplicate(&component.name, earlier.name.span());
            } else {
                self.components.insert(name, Rc::new(component.clone()));
            }
        }
    }

    /// Sizes first: lengths may be written before the sizes they use.
    pub(super) fn declare_sizes(&mut self, body: &[Stmt], scope: ScopeId) {
        for stmt in body {
            let StmtKind::Size { name, value } = &stmt.kind else { continue };
            if !self.may_declare(name) {
                continue;
            }
            let default = self.index_tokens(value, scope).unwrap_or_else(|| quote!(0i64));
            self.size(name, stmt.docs.clone(), default, false, scope);
        }
    }

    pub(super) fn size(
        &mut self,
        name: &Ident,
        docs: Vec<String>,
        default: TokenStream,
        given: bool,
        scope: ScopeId,
    ) {
        let (text, field, _) = self.names(scope, name);
        let id = self.model.sizes.len();
        self.model.sizes.push(Size { text, name: field, docs, default, given });
        self.name(scope, name, Symbol::Size(id));
    }

    pub(super) fn declare(&mut self, body: &[Stmt], scope: ScopeId, loops: &[LoopId]) {
        for stmt in body {
            if let StmtKind::Component(component) = &stmt.kind {
                self.components(std::slice::from_ref(component));
            }
        }
        for stmt in self.in_order(body, scope) {
            self.declare_stmt(stmt, scope, loops);
            if stmt.public
                && let Some(name) = declared_name(stmt)
            {
                self.scopes.publish(scope, name);
            }
        }
    }

    fn declare_stmt(&mut self, stmt: &Stmt, scope: ScopeId, loops: &[LoopId]) {
        match &stmt.kind {
            StmtKind::Size { name, .. } => {
                if self.scopes.list[scope].is_loop() {
                    self.diag.error(
                        name.span(),
                        "sizes are declared at the top of the mechanism, or of a component",
                    );
                    self.name(scope, name, Symbol::Broken);
                }
            }
            StmtKind::Param { declared, value } => {
                if self.outside_loops(stmt, scope, &declared.name) {
                    self.param(stmt, declared, value, scope);
                }
            }
            StmtKind::Coord(declared) => self.scalar(stmt, ScalarKind::Coord, declared, scope),
            StmtKind::State(declared) => self.scalar(stmt, ScalarKind::State, declared, scope),
            StmtKind::Variable { declared, value } => {
                let entry = value.is_some() && declared.index.is_some();
                if !entry {
                    self.scalar(stmt, ScalarKind::Variable, declared, scope);
                }
                if value.is_some() {
                    self.later(stmt, scope, loops, None);
                }
            }
            StmtKind::Let { name, value } => {
                if self.scopes.list[scope].joint.is_some() || self.may_declare(name) {
                    self.let_def(name, value, scope, scope, None);
                }
            }
            StmtKind::Event(event) => {
                // They stand in one list.
                self.label(scope, "event", &event.name);
                self.later(stmt, scope, loops, None);
            }
            StmtKind::Mode { declared, value } => {
                let first = self.model.scalars.len();
                self.scalar(stmt, ScalarKind::Mode, declared, scope);
                if let Some(scalar) = self.model.scalars.get_mut(first) {
                    scalar.logical = is_logical(value);
                    self.later(stmt, scope, loops, None);
                }
            }
            StmtKind::Input { declared, .. } => {
                let first = self.model.scalars.len();
                self.scalar(stmt, ScalarKind::Input, declared, scope);
                if self.model.scalars.len() > first {
                    self.later(stmt, scope, loops, None);
                }
            }
            StmtKind::Constraint(constraint) => self.constraint(stmt, constraint, scope, loops),
            StmtKind::Output { declared, .. } => {
                self.label(scope, "output", &declared.name);
                self.later(stmt, scope, loops, None);
            }
            StmtKind::Energy { name, .. } | StmtKind::Force { name, .. } => {
                if let Some(name) = name {
                    let group = if matches!(stmt.kind, StmtKind::Force { .. }) {
                        "force"
                    } else {
                        "energy"
                    };
                    self.label(scope, group, name);
                }
                self.later(stmt, scope, loops, None);
            }
            StmtKind::Equation { name, .. } => {
                if let Some(name) = name {
                    self.label(scope, "equation", name);
                }
                self.later(stmt, scope, loops, None);
            }
            StmtKind::Draw { name, .. } => {
                self.label(scope, "draw", name);
                self.later(stmt, scope, loops, None);
            }
            StmtKind::Seen { .. }
            | StmtKind::Tells { .. }
            | StmtKind::Mass { .. }
            | StmtKind::Rate { .. }
            | StmtKind::Init { .. }
            | StmtKind::Scale { .. } => {
                self.later(stmt, scope, loops, None);
            }
            StmtKind::Until { .. } => {
                if scope != 0 {
                    self.diag.error(
                        stmt.span(),
                        "`until` belongs to the mechanism, outside loops and components",
                    );
                }
                self.later(stmt, scope, loops, None);
            }
            StmtKind::For(for_stmt) => self.for_loop(for_stmt, scope, loops),
            StmtKind::Component(_) => {
                if scope != 0 {
                    self.diag.error(
                        stmt.span(),
                        "components are defined at the top of the mechanism or beside it",
                    );
                }
            }
            StmtKind::Body(body) => self.body(body, scope, loops),
            StmtKind::Joint(_)
            | StmtKind::Drive { .. }
            | StmtKind::Limit { .. }
            | StmtKind::Friction { .. } => {
                let (stmt, loops) = (stmt.clone(), loops.to_vec());
                self.waiting.push(Waiting { stmt, scope, loops });
            }
            StmtKind::Gravity { .. } => {
                if scope != 0 {
                    self.diag.error(
                        stmt.span(),
                        "`gravity` belongs to the mechanism, outside loops and components",
                    );
                }
            }
            StmtKind::Connector { name, .. } => {
                if self.scopes.list[scope].component.is_none() {
                    self.diag.error(
                        name.span(),
                        "a connector stands in a component: a body that is given by who uses it",
                    );
                    self.name(scope, name, Symbol::Broken);
                }
            }
            StmtKind::Coordinates { .. } => {
                if scope != 0 {
                    self.diag.error(
                        stmt.span(),
                        "`coordinates` belongs to the mechanism, outside loops and components",
                    );
                }
            }
            StmtKind::Place(_) => {}
        }
    }

    /// Gravity, before the bodies it acts on are declared.
    pub(super) fn read_gravity(&mut self, body: &[Stmt]) {
        for stmt in body {
            let StmtKind::Gravity { value } = &stmt.kind else { continue };
            if self.gravity.is_some() {
                self.diag.error(stmt.span(), "`gravity` is stated twice");
                continue;
            }
            self.gravity = Some(value.clone());
            self.let_def(&Ident::new("__gravity", stmt.span()), value, 0, 0, None);
        }
    }

    /// The weight of one of the language's own bodies.
    pub(super) fn weight(&mut self, body: &BodyStmt, inner: ScopeId) -> Option<Stmt> {
        let gravity = self.gravity.clone()?;
        let dimension = self.dimension(inner)?.point();
        if let Some(len) = self.shape(&gravity, 0).and_then(|shape| shape.len)
            && len != dimension
        {
            self.diag.error(
                gravity.span(),
                format!(
                    "`{}` is a body in {dimension} dimensions, and gravity has {len} components",
                    body.name
                ),
            );
            return None;
        }
        let keyword = Ident::new("potential", body.name.span());
        let value = syn::parse_quote!(
            -mass * __mbd::vector::dot(__mbd::components::gravity(__gravity), position)
        );
        let value = seen_at(&value, body.name.span());
        let name = Some(Ident::new("gravity", body.name.span()));
        let kind = StmtKind::Energy { kind: ast::EnergyKind::Potential, name, value };
        Some(Stmt { docs: Vec::new(), public: false, keyword, kind })
    }

    fn later(
        &mut self,
        stmt: &Stmt,
        scope: ScopeId,
        loops: &[LoopId],
        constraint: Option<ConstraintId>,
    ) {
        self.work.push(Work { stmt: stmt.clone(), scope, loops: loops.to_vec(), constraint });
    }

    /// Names with a meaning of their own cannot be declared.
    pub(super) fn may_declare(&self, name: &Ident) -> bool {
        let time = keyword::TIME.iter().any(|word| name == word);
        if time {
            self.diag.error(name.span(), format!("`{name}` is time; choose another name"));
            return false;
        }
        // Those of the code that is written.
        let reserved = name.to_string().starts_with("__");
        if reserved {
            let message = "names that begin with two `_` are reserved; one will do";
            self.diag.error(name.span(), message);
        }
        !reserved
    }

    pub(super) fn name(&mut self, scope: ScopeId, name: &Ident, symbol: Symbol) {
        if let Err(earlier) = self.scopes.declare(scope, name, symbol) {
            self.duplicate(name, earlier);
        }
    }

    fn label(&mut self, scope: ScopeId, group: &'static str, name: &Ident) {
        if let Err(earlier) = self.scopes.declare_label(scope, group, name) {
            self.duplicate(name, earlier);
        }
    }

    /// Declarations stand outside loops: an array is declared once, with its length.
    fn outside_loops(&mut self, stmt: &Stmt, scope: ScopeId, name: &Ident) -> bool {
        if self.scopes.list[scope].is_loop() {
            self.diag.error(
                name.span(),
                format!(
                    "declare `{name}` outside the loop, as an array: `{} {name}[n];`",
                    stmt.keyword
                ),
            );
            self.name(scope, name, Symbol::Broken);
            return false;
        }
        true
    }

    /// User-visible name, name of the Rust item, and place in an array of bodies.
    pub(super) fn names(&self, scope: ScopeId, name: &Ident) -> (String, Ident, Option<BodyArray>) {
        let here = &self.scopes.list[scope];
        let full = format!("{}{}", here.prefix, names::text(name));
        let ident = names::ident(&full.replace('.', "_"), name.span());
        let body = here.array.as_ref().map(|array| {
            let arrays: Vec<_> = array.chain().collect();
            let (mut texts, mut from) = (Vec::new(), 0);
            for array in arrays.iter().rev() {
                let to = self.scopes.list[array.owner].prefix.trim_end_matches('.').len();
                texts.push(full[from..to].to_string());
                from = to;
            }
            let lens = arrays.iter().rev().map(|array| array.len.clone()).collect();
            BodyArray { texts, lens, after: full[from..].to_string() }
        });
        (full, ident, body)
    }

    /// The length of a declaration: its own brackets, or that of the array of bodies around it.
    fn len(&mut self, declared: &Declared, scope: ScopeId) -> Option<Len> {
        match &declared.index {
            Some(index) => Some(self.len_of(index, scope)),
            None => self.scopes.list[scope].len.clone(),
        }
    }

    /// Whether a declaration is no array inside an array of bodies. What reads it is not told as well.
    fn no_nested_array(&mut self, declared: &Declared, scope: ScopeId) -> bool {
        let nested = declared.index.is_some() && self.scopes.list[scope].array.is_some();
        if nested {
            self.diag.error(
                declared.name.span(),
                "an array inside an array of bodies is not supported; name its entries one by one",
            );
            self.name(scope, &declared.name, Symbol::Broken);
        }
        !nested
    }

    pub(super) fn len_of(&mut self, index: &Expr, scope: ScopeId) -> Len {
        let literal = match index {
            Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => int.base10_parse().ok(),
            _ => None,
        };
        let tokens = self.index_tokens(index, scope).unwrap_or_else(|| quote!(0i64));
        Len { tokens, literal }
    }

    fn scalar(&mut self, stmt: &Stmt, kind: ScalarKind, declared: &Declared, scope: ScopeId) {
        let joint = self.scopes.list[scope].joint;
        let held = joint.is_some() && declared.name == HELD;
        let passes = joint.and_then(|joint| self.passes(joint, held));
        if !held && !self.may_declare(&declared.name)
            || !self.outside_loops(stmt, scope, &declared.name)
            || passes.is_none() && !self.no_nested_array(declared, scope)
        {
            return;
        }
        let (mut name, mut ident, mut body) = self.names(scope, &declared.name);
        let len = match (&passes, &declared.index) {
            (Some(_), Some(index)) => Some(self.len_of(index, scope)),
            (Some(Passes { all, .. }), None) => Some(Len { tokens: all.clone(), literal: None }),
            (None, _) => self.len(declared, scope),
        };
        if held {
            name = name.replace(HELD, "displacement");
        }
        if let (Some(passes), false) = (&passes, held) {
            (name, ident, body) = self.numbered_names(name, ident, body, passes);
        }
        let id = self.model.scalars.len();
        self.model.scalars.push(Scalar {
            kind,
            name,
            ident,
            span: declared.name.span(),
            docs: stmt.docs.clone(),
            unit: declared.unit.clone(),
            len,
            body,
            housekeeping: joint.is_some() && kind == ScalarKind::State,
            logical: false,
            held,
            solved: false,
            balanced: false,
            told: false,
            passes,
        });
        self.name(scope, &declared.name, Symbol::Scalar(id));
    }

    fn param(&mut self, stmt: &Stmt, declared: &Declared, value: &Expr, scope: ScopeId) {
        if !self.may_declare(&declared.name) {
            return;
        }
        if self.reads_a_let(value, scope) {
            // A default computed from parameters given by the outer model is itself given.
            self.let_def(&declared.name, value, scope, scope, None);
            return;
        }
        if !self.no_nested_array(declared, scope) {
            return;
        }
        let (name, field, body) = self.names(scope, &declared.name);
        let len = self.len(declared, scope);
        let default = self.default(value, scope, len.as_ref());
        let id = self.model.params.len();
        self.model.params.push(Param {
            name,
            field,
            span: declared.name.span(),
            docs: stmt.docs.clone(),
            unit: declared.unit.clone(),
            len,
            body,
            default,
        });
        self.name(scope, &declared.name, Symbol::Param(id));
    }

    fn default(&mut self, value: &Expr, scope: ScopeId, len: Option<&Len>) -> DefaultValue {
        match (value, len) {
            (Expr::Array(array), Some(len)) => {
                if let Some(n) = len.literal
                    && n != array.elems.len()
                {
                    self.diag.error(
                        array.bracket_token.span.join(),
                        format!("{} values for an array of {n}", array.elems.len()),
                    );
                }
                let values = array.elems.iter().map(|e| self.plain(e, scope)).collect();
                DefaultValue::List(values)
            }
            (Expr::Array(array), None) => {
                self.diag.error(
                    array.bracket_token.span.join(),
                    format!(
                        "an array as the default of a scalar; declare the length, as in `name[{}]`",
                        array.elems.len()
                    ),
                );
                DefaultValue::Value(quote!(0.0))
            }
            (_, Some(_)) => DefaultValue::Fill(self.plain(value, scope)),
            (_, None) => DefaultValue::Value(self.plain(value, scope)),
        }
    }

    /// f64 code over sizes and parameters declared so far.
    fn plain(&mut self, value: &Expr, scope: ScopeId) -> TokenStream {
        let mut value = value.clone();
        let mut tx = Tx::new(self, scope, Mode::Default, None);
        tx.root(&mut value);
        quote!(#value)
    }

    fn reads_a_let(&self, value: &Expr, scope: ScopeId) -> bool {
        struct Names<'a, 'b>(&'a Resolver<'b>, ScopeId, bool);
        impl Visit<'_> for Names<'_, '_> {
            fn visit_expr_path(&mut self, path: &syn::ExprPath) {
                if let Some(ident) = path.path.get_ident() {
                    let found = self.0.scopes.find(self.1, &ident.to_string());
                    self.2 |= matches!(found, Some((Symbol::Let(_), _)));
                }
                visit::visit_expr_path(self, path);
            }
        }
        let mut names = Names(self, scope, false);
        names.visit_expr(value);
        scope != 0 && names.2
    }

    /// Declares a let named in `named`, its value looked up in `scope`.
    pub(super) fn let_def(
        &mut self,
        name: &Ident,
        value: &Expr,
        named: ScopeId,
        scope: ScopeId,
        elementwise: Option<ScopeId>,
    ) {
        let full = format!("{}{}", self.scopes.list[named].prefix, names::text(name));
        let id = self.let_defs.len();
        self.let_defs.push(LetDef {
            name: full,
            span: name.span(),
            value: value.clone(),
            scope,
            elementwise,
        });
        self.name(named, name, Symbol::Let(id));
    }

    fn constraint(&mut self, stmt: &Stmt, c: &ConstraintStmt, scope: ScopeId, loops: &[LoopId]) {
        let rows = self.row_count(c);
        let id = self.model.constraints.len();
        let around = self.inside.last();
        let euler = |(of, name): &(Option<_>, String)| of.is_none() && name == "SpatialBody";
        let joint = self.scopes.list[scope].joint.map(|joint| &self.joints[joint]);
        let housekeeping = c.name == "norm" && (joint.is_some() || around.is_some_and(euler));
        let held = c.name == ROWS && joint.is_some_and(|joint| joint.carries.is_some());
        let displacements = match self.scopes.member(scope, HELD) {
            Some(Symbol::Scalar(id)) if held => Some(id),
            _ => None,
        };
        self.model.constraints.push(Constraint {
            kind: c.kind,
            stated: c.stated,
            name: self.full_name(scope, &c.name),
            span: c.name.span(),
            rows,
            loops: loops.to_vec(),
            housekeeping,
            held,
            displacements,
            from_start: matches!(c.holds, Holds::FromStart),
        });
        if let Err(earlier) = self.scopes.declare_constraint(scope, &c.name, id) {
            self.duplicate(&c.name, earlier);
        }
        self.later(stmt, scope, loops, Some(id));
    }

    /// Rows of a constraint: `[2]` after its name, or the length of an array literal on a side.
    fn row_count(&mut self, c: &ConstraintStmt) -> usize {
        let stated = c.rows.as_ref().and_then(|rows| match rows {
            Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => {
                int.base10_parse::<usize>().ok().filter(|&n| n > 0)
            }
            _ => None,
        });
        if let (Some(rows), None) = (&c.rows, stated) {
            self.diag.push(syn::Error::new_spanned(
                rows,
                "the number of rows is a number, as in `close[2]`; constraints of a loop are written inside `for`",
            ));
        }
        let sides = [Some(&c.left), c.right.as_ref()];
        let lengths: Vec<usize> = sides.into_iter().flatten().filter_map(literal_len).collect();
        match lengths[..] {
            [a, b] if a != b => self.diag.error(
                c.name.span(),
                format!("constraint `{}` has {a} rows on the left and {b} on the right", c.name),
            ),
            [a, ..] if stated.is_some_and(|n| n != a) => self.diag.error(
                c.name.span(),
                format!(
                    "constraint `{}` is declared with {} rows but has {a}",
                    c.name,
                    stated.unwrap_or(0)
                ),
            ),
            _ => {}
        }
        stated.or(lengths.first().copied()).unwrap_or(1)
    }

    fn for_loop(&mut self, f: &ForStmt, scope: ScopeId, loops: &[LoopId]) {
        let start = self.index_tokens(&f.start, scope).unwrap_or_else(|| quote!(0i64));
        let end = self.index_tokens(&f.end, scope).unwrap_or_else(|| quote!(0i64));
        let id = self.model.loops.len();
        self.model.loops.push(Loop {
            var: names::index(&f.var),
            start,
            end,
            inclusive: f.inclusive,
        });
        let here = &self.scopes.list[scope];
        let mut inner = here.inner(scope);
        inner.over = Some(id);
        let inner = self.scopes.add(inner);
        if self.may_declare(&f.var) {
            self.name(inner, &f.var, Symbol::Index(id));
        }
        if !self.scopes.list[scope].is_loop() {
            // Loops in others declare nothing.
            self.name(inner, &Ident::new(names::PASS, f.var.span()), Symbol::Pass(id));
        }
        let mut loops = loops.to_vec();
        loops.push(id);
        self.declare(&f.body, inner, &loops);
    }
}

/// What a statement declares for others to name.
fn declared_name(stmt: &Stmt) -> Option<&Ident> {
    match &stmt.kind {
        StmtKind::Param { declared, .. }
        | StmtKind::Coord(declared)
        | StmtKind::State(declared)
        | StmtKind::Variable { declared, .. }
        | StmtKind::Mode { declared, .. }
        | StmtKind::Input { declared, .. } => Some(&declared.name),
        StmtKind::Size { name, .. }
        | StmtKind::Let { name, .. }
        | StmtKind::Connector { name, .. } => Some(name),
        StmtKind::Constraint(constraint) => Some(&constraint.name),
        StmtKind::Body(body) => Some(&body.name),
        StmtKind::Joint(joint) => Some(&joint.name),
        _ => None,
    }
}

/// Length of an array literal.
pub(super) fn literal_len(e: &Expr) -> Option<usize> {
    match e {
        Expr::Array(array) => Some(array.elems.len()),
        Expr::Paren(e) => literal_len(&e.expr),
        Expr::Group(e) => literal_len(&e.expr),
        _ => None,
    }
}

/// `true`, `false`, or what is made of comparisons.
fn is_logical(e: &Expr) -> bool {
    match e {
        Expr::Lit(lit) => matches!(lit.lit, Lit::Bool(_)),
        Expr::Paren(e) => is_logical(&e.expr),
        Expr::Group(e) => is_logical(&e.expr),
        Expr::Unary(unary) => matches!(unary.op, syn::UnOp::Not(_)),
        Expr::Binary(binary) => is_comparison(&binary.op),
        _ => false,
    }
}

/// Operators whose value is true or false.
fn is_comparison(op: &syn::BinOp) -> bool {
    use syn::BinOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
    matches!(op, And(_) | Or(_) | Eq(_) | Ne(_) | Lt(_) | Le(_) | Gt(_) | Ge(_))
}
