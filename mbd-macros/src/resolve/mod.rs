//! Names to meanings: declares everything, resolves lets in the order they need each other, and
//! finds for each statement exactly the scalars it reads.

mod declare;
mod draw;
mod event;
mod expr;
mod index;
mod joint;
mod placing;
mod reads;
mod scope;
mod statement;

use crate::ast;
use crate::diag::Diag;
use crate::ir::*;
use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
pub use reads::rate_of;
use scope::{LetDefId, ScopeId, Scopes};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use syn::Expr;

/// Resolves a mechanism. Errors are in `diag`; the model holds whatever made sense, enough for
/// the struct and its ids.
pub fn mechanism(mechanism: &ast::Mechanism, components: &[ast::Component], diag: &Diag) -> Model {
    let mut resolver =
        Resolver::new(mechanism.vis.clone(), mechanism.name.clone(), mechanism.docs.clone(), diag);
    let root = resolver.scopes.add(scope::Scope::default());
    resolver.components(components);
    resolver.declare_sizes(&mechanism.body, root);
    resolver.read_gravity(&mechanism.body);
    resolver.turns_read(&mechanism.body, components);
    resolver.declare(&mechanism.body, root, &[]);
    if let (Some(gravity), false) = (&resolver.gravity, resolver.weighed) {
        diag.push(syn::Error::new_spanned(
            gravity,
            "gravity acts on the language's own bodies, and here is none; a component of yours states its own `potential`",
        ));
    }
    resolver.joints();
    resolver.place_bodies();
    resolver.all_declared = true;
    resolver.resolve_lets();
    let mut work = std::mem::take(&mut resolver.work);
    // Initial values and scales of a component are its defaults: those stated around its bodies come
    // after.
    work.sort_by_key(|work| match work.stmt.kind {
        ast::StmtKind::Init { .. } | ast::StmtKind::Scale { .. } => {
            usize::MAX - resolver.scopes.level(work.scope)
        }
        _ => usize::MAX,
    });
    for work in work {
        resolver.statement(&work);
    }
    placing::order(&mut resolver.model.statements, &resolver.model.leaves);
    resolver.model
}

/// The body of a `#[differentiable]` function: numbers standing alone become scalars of type `__D`.
pub fn function_body(arguments: &[syn::Pat], body: &syn::Block, diag: &Diag) -> TokenStream {
    let name = syn::Ident::new("function", Span::call_site());
    let mut resolver = Resolver::new(syn::Visibility::Inherited, name, Vec::new(), diag);
    let root = resolver.scopes.add(scope::Scope::default());
    let body =
        expr::Tx::new(&mut resolver, root, expr::Mode::Function, None).function(arguments, body);
    crate::lower::scalars(&body)
}

struct Resolver<'a> {
    diag: &'a Diag,
    scopes: Scopes,
    components: HashMap<String, ast::Component>,
    model: Model,
    let_defs: Vec<LetDef>,
    let_states: HashMap<(LetDefId, String), LetState>,
    let_stack: Vec<(LetDefId, Span)>,
    /// Lets that are whole numbers, or arrays of them.
    whole_lets: HashSet<LetDefId>,
    whole_arrays: HashSet<LetDefId>,
    /// Lets whose value is being looked into, for what they are.
    looked_into: RefCell<HashSet<LetDefId>>,
    /// What lets were found to be, once all names are declared.
    shapes: RefCell<HashMap<LetDefId, Option<expr::vector::Shape>>>,
    all_declared: bool,
    leaf_ids: HashMap<String, LeafId>,
    joints: Vec<joint::Joint>,
    /// Joints and drives, declared after all else.
    waiting: Vec<joint::Waiting>,
    /// Names of joints with members of theirs that are read where turns matter.
    turned: HashSet<(String, String)>,
    /// Gravity, if it is stated.
    gravity: Option<Expr>,
    /// Whether there is a body that it acts on.
    weighed: bool,
    work: Vec<Work>,
    /// The components of the bodies around what is being declared, outermost first.
    inside: Vec<String>,
}

/// A statement waiting for all names to be known.
struct Work {
    stmt: ast::Stmt,
    scope: ScopeId,
    loops: Vec<LoopId>,
    /// For a constraint, its multipliers.
    constraint: Option<ConstraintId>,
}

struct LetDef {
    /// `w`, `k1.frame`.
    name: String,
    span: Span,
    value: Expr,
    /// Where its names are looked up.
    scope: ScopeId,
    /// For a parameter of an array of bodies given by an array: take the entry of the body.
    elementwise: Option<ScopeId>,
}

#[derive(Clone, Copy)]
enum LetState {
    InProgress,
    Done(LetId),
}

/// The index that replaces the implied one in names of an array of bodies: `link[i - 1].x`.
#[derive(Clone)]
struct Subst {
    owner: ScopeId,
    tokens: TokenStream,
}

impl<'a> Resolver<'a> {
    fn new(vis: syn::Visibility, name: syn::Ident, docs: Vec<String>, diag: &'a Diag) -> Self {
        Resolver {
            diag,
            scopes: Scopes::default(),
            components: HashMap::new(),
            model: Model {
                vis,
                name,
                docs,
                sizes: Vec::new(),
                params: Vec::new(),
                scalars: Vec::new(),
                vectors: Vec::new(),
                constraints: Vec::new(),
                loops: Vec::new(),
                leaves: Vec::new(),
                lets: Vec::new(),
                ders: Vec::new(),
                statements: Vec::new(),
                constants: Vec::new(),
                functions: Default::default(),
                bodies: Vec::new(),
            },
            let_defs: Vec::new(),
            let_states: HashMap::new(),
            let_stack: Vec::new(),
            whole_lets: HashSet::new(),
            whole_arrays: HashSet::new(),
            looked_into: RefCell::default(),
            shapes: RefCell::default(),
            all_declared: false,
            leaf_ids: HashMap::new(),
            joints: Vec::new(),
            waiting: Vec::new(),
            turned: HashSet::new(),
            gravity: None,
            weighed: false,
            work: Vec::new(),
            inside: Vec::new(),
        }
    }
}

impl Resolver<'_> {
    fn duplicate(&self, name: &syn::Ident, earlier: Span) {
        self.diag.error(name.span(), format!("the name `{name}` is declared twice"));
        self.diag.error(earlier, format!("`{name}` is first declared here"));
    }

    /// Resolves every let, used or not, so that each error is told.
    fn resolve_lets(&mut self) {
        for def in self.let_order() {
            self.let_id(def, None, self.let_defs[def].span);
        }
    }

    /// The lets, each after those it names: resolving one then calls itself no deeper than a cycle
    /// goes. What it names is told by the last word only, so a let may come later than it need.
    fn let_order(&self) -> Vec<LetDefId> {
        let mut named: HashMap<&str, Vec<LetDefId>> = HashMap::new();
        for (id, def) in self.let_defs.iter().enumerate() {
            named.entry(def.name.rsplit('.').next().unwrap_or("")).or_default().push(id);
        }
        let reads = |def: LetDefId| {
            let mut found = Vec::new();
            words(self.let_defs[def].value.to_token_stream(), &mut |word| {
                found.extend(named.get(word).into_iter().flatten());
            });
            found.into_iter()
        };
        let mut seen = vec![false; self.let_defs.len()];
        let mut order = Vec::new();
        for def in 0..self.let_defs.len() {
            if std::mem::replace(&mut seen[def], true) {
                continue;
            }
            let mut open = vec![(def, reads(def))];
            while let Some((def, rest)) = open.last_mut() {
                match rest.next() {
                    Some(next) if !std::mem::replace(&mut seen[next], true) => {
                        open.push((next, reads(next)));
                    }
                    Some(_) => {}
                    None => {
                        order.push(*def);
                        open.pop();
                    }
                }
            }
        }
        order
    }

    /// The resolved let, resolving it first when needed; `None` after an error.
    fn let_id(&mut self, def: LetDefId, subst: Option<Subst>, span: Span) -> Option<LetId> {
        let key = (def, subst.as_ref().map_or(String::new(), |s| s.tokens.to_string()));
        match self.let_states.get(&key) {
            Some(LetState::Done(id)) => return Some(*id),
            Some(LetState::InProgress) => {
                self.report_cycle(def);
                return None;
            }
            None => {}
        }
        self.let_states.insert(key.clone(), LetState::InProgress);
        self.let_stack.push((def, span));
        let LetDef { name, value, scope, elementwise, .. } = &self.let_defs[def];
        let (name, mut value, scope) = (name.clone(), value.clone(), *scope);
        if let Some(body) = *elementwise
            && let Some(array) = self.scopes.list[body].array.clone()
        {
            let index = subst.as_ref().map_or(array.index.to_token_stream(), |s| s.tokens.clone());
            value = index::entry(value, index);
        }
        let code = self.let_value(def, &mut value, scope, subst.clone());
        self.let_stack.pop();
        let id = self.model.lets.len();
        let plain = subst.is_none() && !name.contains('.');
        let local = if plain { name.clone() } else { format!("__{}_{id}", name.replace('.', "_")) };
        self.model.lets.push(Let { name, local, code });
        self.let_states.insert(key, LetState::Done(id));
        Some(id)
    }

    /// A cycle is told at each member: whichever one the user looks at, the message is there.
    fn report_cycle(&self, def: LetDefId) {
        let start = self.let_stack.iter().position(|(member, _)| *member == def).unwrap_or(0);
        let members = &self.let_stack[start..];
        let names: Vec<String> = members
            .iter()
            .map(|(member, _)| format!("`{}`", self.let_defs[*member].name))
            .collect();
        for (i, (member, _)) in members.iter().enumerate() {
            let def = &self.let_defs[*member];
            let message = if members.len() == 1 {
                format!(
                    "`let {}` reads itself; for an algebraic loop write `variable {} == …`",
                    def.name, def.name
                )
            } else {
                let mut order = names.clone();
                order.rotate_left(i);
                order.push(order[0].clone());
                format!(
                    "`let {}` is part of a cycle: {}; for an algebraic loop make one of them a `variable`",
                    def.name,
                    order.join(" reads ")
                )
            };
            self.diag.error(def.span, message);
        }
    }
}

/// Every word of the tokens.
fn words(tokens: TokenStream, found: &mut dyn FnMut(&str)) {
    for token in tokens {
        match token {
            proc_macro2::TokenTree::Ident(word) => found(&crate::names::text(&word)),
            proc_macro2::TokenTree::Group(group) => words(group.stream(), found),
            _ => {}
        }
    }
}
