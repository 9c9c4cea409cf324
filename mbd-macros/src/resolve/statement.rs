//! Second pass: statements to kernels, with what they act on.

use super::declare::literal_len;
use super::expr::{Mode, Tx, scalar_kind_name};
use super::force::{AXES, STARTS};
use super::index;
use super::resolver::{ROWS, Resolver, Work};
use super::scope::{ScopeId, Symbol};
use crate::ast::{ConstraintKind, Declared, EnergyKind, Holds, Kept, Seen, StmtKind, When};
use crate::ir::*;
use crate::joint::Dimension;
use crate::names;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::spanned::Spanned;
use syn::{Expr, Lit};

impl Resolver<'_> {
    pub(super) fn statement(&mut self, work: &Work) {
        let Work { stmt, scope, loops, constraint } = work;
        let scope = *scope;
        let span = stmt.span();
        let (name, label, kind) = match &stmt.kind {
            StmtKind::Energy { kind, name, value } => {
                let word = match kind {
                    EnergyKind::Kinetic => "kinetic",
                    EnergyKind::Potential => "potential",
                    EnergyKind::Dissipation => "dissipation",
                };
                let (name, label) = self.label_of(scope, word, name.as_ref());
                let kernel = self.one(value, scope);
                (name, label, Some(StatementKind::Energy(*kind, kernel)))
            }
            StmtKind::Mass { row, col, value } => {
                let label = format!("mass[{}, {}]", text(row), text(col));
                let row = self.coordinate(row, scope);
                let col = self.coordinate(col, scope);
                let kernel = self.one(value, scope);
                let kind = row.zip(col).map(|(row, col)| StatementKind::Mass { row, col, kernel });
                (label.clone(), label, kind)
            }
            StmtKind::Force { name, acting, value } => {
                let (name, label) = self.label_of(scope, "force", name.as_ref());
                (name, label, self.force(acting, value, scope))
            }
            StmtKind::Constraint(c) if matches!(c.holds, Holds::Unilateral { .. }) => {
                let (Some(id), Holds::Unilateral { law, slide }) = (*constraint, &c.holds) else {
                    return;
                };
                let (name, label) = self.label_of(scope, "unilateral", Some(&c.name));
                let said = self.said.get(&name).cloned();
                let along = (&c.left, slide.as_deref());
                (name, label, self.unilateral(id, along, said, law.as_ref(), scope))
            }
            StmtKind::Constraint(c) => {
                let Some(id) = *constraint else { return };
                let word = match c.kind {
                    ConstraintKind::Holonomic => "holonomic",
                    ConstraintKind::Nonholonomic => "nonholonomic",
                };
                let (name, label) = self.label_of(scope, word, Some(&c.name));
                let rows = self.model.constraints[id].rows;
                let kernel =
                    self.difference(&c.left, c.right.as_ref(), rows, c.rows.is_some(), scope);
                let kind = match &c.holds {
                    Holds::While(condition) => {
                        let condition = self.held_by(condition, scope);
                        StatementKind::Locked { id, kernel, condition }
                    }
                    _ => StatementKind::Constraint(id, kernel),
                };
                (name, label, Some(kind))
            }
            StmtKind::Rate { target, value } => {
                let label = format!("der({})", text(target));
                let target = self.target(
                    target,
                    &[ScalarKind::State],
                    "a state (`der` of a coordinate follows from the equations of motion)",
                    scope,
                );
                let kernel = self.one(value, scope);
                (
                    label.clone(),
                    label,
                    target.map(|(target, _)| StatementKind::Rate(target, kernel)),
                )
            }
            StmtKind::Variable { declared, value: Some(value) } => {
                let label = format!("variable {}", declared.name);
                let name = &declared.name;
                let mut object: Expr = syn::parse_quote!(#name);
                if let Some(index) = &declared.index {
                    object = syn::parse_quote!(#name[#index]);
                }
                // A variable declared with its definition inside a body array or plainly.
                let target =
                    self.target(&object, &[ScalarKind::Variable], "an algebraic variable", scope);
                let kernel = self.one(value, scope);
                (
                    label.clone(),
                    label,
                    target.map(|(target, _)| StatementKind::Define(target, kernel)),
                )
            }
            StmtKind::Equation { name, left, right } => {
                let (name, label) = self.label_of(scope, "equation", name.as_ref());
                let kernel = self.difference(left, Some(right), 1, false, scope);
                (name, label, Some(StatementKind::Equation(kernel)))
            }
            StmtKind::Event(event) => {
                let what = match event.when {
                    When::True(_) => "event",
                    When::Every { .. } => "sample",
                };
                let (name, label) = self.label_of(scope, what, Some(&event.name));
                (name, label, Some(self.event(event, scope)))
            }
            StmtKind::Mode { declared, value } | StmtKind::Input { declared, value } => {
                let is_mode = matches!(stmt.kind, StmtKind::Mode { .. });
                let what = if is_mode { "mode" } else { "input" };
                let label = format!("{what} {}", declared.name);
                let kind = self.mode_value(declared, value, scope);
                (label.clone(), label, kind)
            }
            StmtKind::Init { kept, target, value }
                if self.several(target, value, scope).is_some() =>
            {
                let label = format!("{} {}", if *kept { "init" } else { "guess" }, text(target));
                let several = self.several(target, value, scope);
                let kind = several.and_then(|(targets, value)| {
                    self.place((*kept).into(), &targets, &value, (scope, scope), true)
                });
                (label.clone(), label, kind)
            }
            StmtKind::Place(placing) => {
                let label = format!("init {}", placing.name);
                let scopes = (scope, placing.scope);
                let kind = self.place(
                    placing.kept.clone(),
                    &placing.targets,
                    &placing.value,
                    scopes,
                    false,
                );
                (label.clone(), label, kind)
            }
            StmtKind::Init { kept, target, value } => {
                let word = if *kept { "init" } else { "guess" };
                let label = format!("{word} {}", text(target));
                // Of what is unknown it is not known either what its value is.
                let object = self.initial(*kept, target, scope);
                let kind = object.map(|(target, slot)| StatementKind::Init {
                    kept: *kept,
                    level: self.scopes.level(scope),
                    target,
                    slot,
                    kernel: self.one(value, scope),
                });
                (label.clone(), label, kind)
            }
            StmtKind::Scale { target, value } => {
                let label = format!("scale {}", text(target));
                let object = self.scaled(target, scope);
                let kernel = self.one(value, scope);
                let kind =
                    object.map(|(target, slot)| StatementKind::Scale { target, slot, kernel });
                (label.clone(), label, kind)
            }
            StmtKind::Output { declared, value } => {
                let (name, label) = self.label_of(scope, "output", Some(&declared.name));
                let prefix = self.scopes.list[self.scopes.home(scope)].prefix.replace('.', "_");
                let full = format!("{prefix}{}", names::text(&declared.name));
                let ident = names::ident(&full, declared.name.span());
                let vector = self.vector_output(declared, value, scope, loops);
                let index = match (&declared.index, loops.is_empty()) {
                    _ if vector.is_some() && loops.is_empty() => None,
                    (Some(index), false) => {
                        self.counted_from_0(&declared.name, index, loops);
                        self.index_tokens(index, scope)
                    }
                    (None, true) => None,
                    // An entry for each pass.
                    (None, false) => {
                        let (own, array) = self.own_loops(scope, loops);
                        let (count, place) = (self.count(own), self.place_in(own));
                        Some(match array.map(|array| &array.index) {
                            Some(entry) if own.is_empty() => entry.clone(),
                            Some(entry) => quote!(((#entry) * (#count) + (#place))),
                            None => place,
                        })
                    }
                    (Some(index), true) => {
                        self.no_length(&declared.name, index, self.is_single(value, scope));
                        None
                    }
                };
                let kernel = match vector {
                    Some(rows) => self.rows(value, rows, scope),
                    None => self.one(value, scope),
                };
                let kind = StatementKind::Output {
                    ident,
                    index,
                    unit: declared.unit.clone(),
                    docs: stmt.docs.clone(),
                    kernel,
                    vector: vector.is_some(),
                };
                (name, label, Some(kind))
            }
            StmtKind::Draw { name, shape, arguments, color } => {
                let (name, label) = self.label_of(scope, "draw", Some(name));
                (name, label, self.draw(shape, arguments, color.as_ref(), scope))
            }
            StmtKind::Seen { what, rows, value } => {
                let name = self.scopes.list[scope].prefix.trim_end_matches('.').to_string();
                let kernel = self.rows(value, *rows, scope);
                let body = matches!(what, Seen::Body(_));
                let entry = self.entry_name(scope).filter(|_| body);
                (name.clone(), name, Some(StatementKind::Seen { what: *what, kernel, entry }))
            }
            StmtKind::Tells { body, rows } => {
                let name = self.scopes.list[scope].prefix.trim_end_matches('.').to_string();
                let label = format!("joint {name}");
                (name, label, self.tells(body, *rows, scope))
            }
            StmtKind::Until { value } => {
                let kernel = self.one(value, scope);
                ("until".into(), "until".into(), Some(StatementKind::Until(kernel)))
            }
            _ => return,
        };
        if let Some(kind) = kind {
            let (loops, compares) = (loops.clone(), self.said.get(&name).cloned());
            self.model.statements.push(Statement { label, name, span, loops, compares, kind });
        }
    }

    /// Entries of an output are counted from 0, also where the loop that they stand in is not.
    fn counted_from_0(&self, name: &Ident, index: &Expr, loops: &[LoopId]) {
        let Expr::Path(path) = index else { return };
        let Some(var) = path.path.get_ident() else { return };
        let mut around = loops.iter().map(|&id| &self.model.loops[id]);
        let Some(around) = around.find(|each| each.var == names::index(var)) else {
            return;
        };
        let start = around.start.to_string().trim_end_matches("i64").parse::<i64>();
        if let Ok(start) = start
            && start > 0
        {
            self.diag.error(
                index.span(),
                format!(
                    "entries of an output are counted from 0, and `{var}` from {start}: write `output {name}[{var} - {start}] = …`, or `output {name} = …` with an entry for each pass"
                ),
            );
        }
    }

    /// What stands in brackets after an output outside loops, and is no number of entries.
    fn no_length(&self, name: &Ident, index: &Expr, single: bool) {
        let message = match single {
            true => {
                "an output outside loops is one scalar; drop the index, or write it inside `for`"
                    .into()
            }
            false => {
                format!(
                    "how many entries a vector has is a number from 1, as in `output {name}[3] = …`"
                )
            }
        };
        self.diag.error(index.span(), message);
    }

    /// How many entries an output has, one of a loop in each iteration, if it is a vector.
    fn vector_output(
        &self,
        declared: &Declared,
        value: &Expr,
        scope: ScopeId,
        loops: &[LoopId],
    ) -> Option<usize> {
        if !loops.is_empty() {
            // The index is that of the loop.
            let shape = self.shape(value, scope)?;
            if shape.len.is_none() {
                self.diag.error(
                    declared.name.span(),
                    format!("how many entries this vector has is not seen: write out `output {}[i] = [a, b, c];`, or an output for each", declared.name),
                );
            }
            return shape.len.or(Some(1));
        }
        let stated = declared.index.as_ref().map(index::literal);
        let shape = self.shape(value, scope);
        match (stated, shape) {
            (None, None) => None,
            (None, Some(shape)) => {
                if shape.len.is_none() {
                    self.diag.error(
                        declared.name.span(),
                        format!(
                            "say how many entries the vector has: `output {}[3] = …`",
                            declared.name
                        ),
                    );
                }
                shape.len.or(Some(1))
            }
            (Some(stated), shape) => {
                let rows = stated.and_then(|rows| usize::try_from(rows).ok()).filter(|&n| n > 0)?;
                if let Some(len) = shape.and_then(|shape| shape.len)
                    && len != rows
                {
                    self.diag.error(value.span(), format!("{len} values for {rows} entries"));
                }
                (shape.is_some() || !self.is_single(value, scope)).then_some(rows)
            }
        }
    }

    /// The coordinates that one initial value sets, and their values; `None` where it is that of a
    /// single scalar.
    fn several(&self, target: &Expr, value: &Expr, scope: ScopeId) -> Option<(Vec<Expr>, Expr)> {
        if let Some(entries) = self.entries_of(target, scope) {
            self.same_length(entries.len(), value, STARTS);
            return Some((entries, value.clone()));
        }
        let (body, ground) = super::placing::angular_velocity(target)?;
        let (Symbol::Body(inner), _) = self.meaning(&body, scope)? else { return None };
        match self.dimension(inner)? {
            Dimension::Planar => {
                self.scopes.member(inner, "theta")?;
                Some((vec![syn::parse_quote!(der(#body.theta))], syn::parse_quote!([#value])))
            }
            Dimension::Spatial => {
                let rates = self.entries_of(&syn::parse_quote!(#body.rate), scope)?;
                self.same_length(3, value, AXES);
                let turning: Expr = match ground {
                    true => syn::parse_quote!(#body.frame.to_local(#value)),
                    false => value.clone(),
                };
                let value =
                    syn::parse_quote!(__mbd::components::spatial::euler_rate(#body.e, #turning));
                Some((rates, value))
            }
        }
    }

    /// Several initial values by one expression. `scopes`: of the targets, and of the value.
    fn place(
        &mut self,
        kept: Kept,
        targets: &[Expr],
        value: &Expr,
        scopes: (ScopeId, ScopeId),
        checked: bool,
    ) -> Option<StatementKind> {
        let places: Vec<_> =
            targets.iter().map(|target| self.initial(!kept.never, target, scopes.0)).collect();
        let targets = places.into_iter().collect::<Option<Vec<_>>>()?;
        let kernel = self.rows(value, targets.len(), scopes.1);
        let level = self.scopes.level(scopes.0);
        Some(StatementKind::Place { kept, level, targets, kernel, checked })
    }

    /// Name and label: `crank`, `kinetic crank`; without a name both are numbered.
    fn label_of(&self, scope: ScopeId, word: &str, name: Option<&Ident>) -> (String, String) {
        let prefix = &self.scopes.list[self.scopes.home(scope)].prefix;
        match name {
            Some(name) => {
                let name = self.full_name(scope, name);
                (name.clone(), format!("{word} {name}"))
            }
            None => {
                let count =
                    1 + self.model.statements.iter().filter(|s| s.label.starts_with(word)).count();
                (format!("{prefix}{word} {count}"), format!("{word} {count}"))
            }
        }
    }

    /// The name of a statement as users see it: that of a joint's rows is the joint's.
    pub(super) fn full_name(&self, scope: ScopeId, name: &Ident) -> String {
        let home = &self.scopes.list[self.scopes.home(scope)];
        match home.joint.is_some() || home.coupling {
            true if name == ROWS => home.prefix.trim_end_matches('.').into(),
            _ => format!("{}{}", home.prefix, names::text(name)),
        }
    }

    pub(super) fn finish(&mut self, rows: usize, code: Code) -> Kernel {
        let needs = self.needs(&code);
        Kernel { rows, code, needs }
    }

    /// A kernel of one scalar.
    pub(super) fn one(&mut self, value: &Expr, scope: ScopeId) -> Kernel {
        let mut value = value.clone();
        let mut tx = Tx::new(self, scope, Mode::Kernel, None);
        tx.root(&mut value);
        let code = tx.code(quote!([#value]));
        self.finish(1, code)
    }

    /// A kernel of rows from an array expression.
    pub(super) fn rows(&mut self, value: &Expr, rows: usize, scope: ScopeId) -> Kernel {
        let mut tx = Tx::new(self, scope, Mode::Kernel, None);
        let value = tx.array(value);
        let code = tx.code(value);
        self.finish(rows, code)
    }

    /// left − right, row by row. `vector`: the sides are arrays even of one row.
    fn difference(
        &mut self,
        left: &Expr,
        right: Option<&Expr>,
        rows: usize,
        vector: bool,
        scope: ScopeId,
    ) -> Kernel {
        let right = right.filter(|right| !is_zero(right));
        let vector = vector || literal_len(left).is_some() || right.and_then(literal_len).is_some();
        let mut tx = Tx::new(self, scope, Mode::Kernel, None);
        let tokens = match right {
            None if vector => tx.array(left),
            None => {
                let row = tx.rooted(left);
                quote!([#row])
            }
            Some(right) if !vector => {
                let (left, right) = (tx.rooted(left), tx.rooted(right));
                quote!([#left - #right])
            }
            Some(right) => match entries(left).zip(entries(right)) {
                Some((left, right)) => {
                    let rows: Vec<_> = left
                        .iter()
                        .zip(&right)
                        .map(|(left, right)| {
                            let left = tx.rooted(left);
                            if is_zero(right) {
                                return left;
                            }
                            let right = tx.rooted(right);
                            quote!(#left - #right)
                        })
                        .collect();
                    quote!([#(#rows),*])
                }
                None => {
                    let (left, right) = (tx.array(left), tx.array(right));
                    let scalar = format_ident!("{}", SCALAR);
                    quote!({
                        let __left: [__mbd::Num<#scalar>; #rows] = #left;
                        let __right: [__mbd::Num<#scalar>; #rows] = #right;
                        ::core::array::from_fn(|__k| __left[__k] - __right[__k])
                    })
                }
            },
        };
        let code = tx.code(tokens);
        self.finish(rows, code)
    }

    pub(super) fn coordinate(&mut self, e: &Expr, scope: ScopeId) -> Option<Target> {
        self.target(e, &[ScalarKind::Coord], "a coordinate", scope).map(|(target, _)| target)
    }

    pub(super) fn target(
        &mut self,
        e: &Expr,
        wanted: &[ScalarKind],
        what: &str,
        scope: ScopeId,
    ) -> Option<(Target, ScalarKind)> {
        Tx::new(self, scope, Mode::Kernel, None).target(e, wanted, what)
    }

    /// What `scale` speaks of: a coordinate or a state.
    fn scaled(&mut self, e: &Expr, scope: ScopeId) -> Option<(Target, SlotKind)> {
        if matches!(e, Expr::Call(_)) {
            let message =
                "only a coordinate or a state has a scale; that of a velocity follows from it";
            self.diag.push(syn::Error::new_spanned(e, message));
            return None;
        }
        let kinds = [ScalarKind::Coord, ScalarKind::State];
        let (target, kind) = self.target(e, &kinds, "a coordinate or state", scope)?;
        let slot = if kind == ScalarKind::State { SlotKind::X } else { SlotKind::Q };
        Some((target, slot))
    }

    /// What `init` or `guess` sets: a coordinate, a velocity, a state, the guess of a variable.
    fn initial(&mut self, kept: bool, target: &Expr, scope: ScopeId) -> Option<(Target, SlotKind)> {
        use ScalarKind::{Coord, Start, State, Variable};
        let all = [Coord, State, Variable, Start];
        if let Expr::Call(call) = target {
            let der = matches!(&*call.func, Expr::Path(path) if path.path.is_ident("der"));
            if !der || call.args.len() != 1 {
                self.diag.push(syn::Error::new_spanned(target, "only a coordinate, `der(coordinate)`, a state or a variable has an initial value"));
                return None;
            }
            let (target, kind) = self.target(&call.args[0], &all, "a coordinate", scope)?;
            if kind != ScalarKind::Coord {
                self.diag.push(syn::Error::new_spanned(
                    &call.args[0],
                    format!(
                        "`{}` is {}: its rate follows from its equation and is not set",
                        self.model.scalars[target.scalar].name,
                        scalar_kind_name(kind)
                    ),
                ));
                return None;
            }
            return Some((target, SlotKind::V));
        }
        let (target, kind) = self.target(
            target,
            &all,
            "a coordinate, state or variable (the value of a parameter is its default)",
            scope,
        )?;
        let slot = match kind {
            ScalarKind::Coord => SlotKind::Q,
            ScalarKind::State => SlotKind::X,
            ScalarKind::Variable => SlotKind::W,
            ScalarKind::Mode => SlotKind::Mode,
            ScalarKind::Input => SlotKind::Input,
            ScalarKind::Start => SlotKind::Start,
        };
        if slot == SlotKind::W && kept {
            let message = match self.model.scalars[target.scalar].balanced {
                true => {
                    "where a massless node is follows from the forces on it and cannot be kept: write `guess`"
                }
                false => {
                    "an algebraic variable follows from its definition and cannot be kept: write `guess`"
                }
            };
            self.diag.error(target.span, message);
            return None;
        }
        Some((target, slot))
    }
}

impl Tx<'_, '_> {
    /// A scalar.
    pub(super) fn rooted(&mut self, e: &Expr) -> TokenStream {
        let mut e = e.clone();
        self.root(&mut e);
        e.to_token_stream()
    }

    /// An array of rows: entries of a literal are scalars each.
    pub(super) fn array(&mut self, e: &Expr) -> TokenStream {
        match entries(e) {
            Some(mut entries) => {
                entries.iter_mut().for_each(|e| self.root(e));
                quote!([#(#entries),*])
            }
            None => {
                let mut e = e.clone();
                self.scalar(&mut e);
                e.to_token_stream()
            }
        }
    }
}

pub(super) fn entries(e: &Expr) -> Option<Vec<Expr>> {
    match e {
        Expr::Array(array) => Some(array.elems.iter().cloned().collect()),
        Expr::Paren(e) => entries(&e.expr),
        Expr::Group(e) => entries(&e.expr),
        _ => None,
    }
}

/// `0` or `0.0`.
fn is_zero(e: &Expr) -> bool {
    match e {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Int(int) => int.base10_digits() == "0",
            Lit::Float(float) => float.base10_parse::<f64>().is_ok_and(|x| x == 0.0),
            _ => false,
        },
        _ => false,
    }
}

/// An expression as written, for labels.
fn text(e: &Expr) -> String {
    names::as_written(e.to_token_stream()).to_string().replace(' ', "")
}
