//! Names: what is declared, where it is visible, and what an expression such as `link[i].x` means.

use crate::block::BlockId;
use crate::ir::{ConstraintId, Len, LoopId, ParamId, ScalarId, SizeId};
use crate::names;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use std::collections::{BTreeMap, BTreeSet};

pub type ScopeId = usize;
/// A `let` as written (it may be resolved several times, once per body it belongs to).
pub type LetDefId = usize;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    Size(SizeId),
    Param(ParamId),
    Scalar(ScalarId),
    Let(LetDefId),
    Index(LoopId),
    /// The number of a loop's pass, from 0.
    Pass(LoopId),
    /// For what the entries of an array of bodies are given: the index of the loop that declares them, and which entry it is.
    IndexOf(ScopeId),
    EntryOf(ScopeId),
    Body(ScopeId),
    /// Declared, but with an error of its own.
    Broken,
}

/// The mechanism itself, the statements of one body, or the statements of one loop.
#[derive(Default)]
pub struct Scope {
    pub parent: Option<ScopeId>,
    /// "" or "k1.".
    pub prefix: String,
    /// For the statements of an array of bodies: the index that is implied by every name.
    pub array: Option<ScopeArray>,
    /// The length of that array.
    pub len: Option<Len>,
    /// The loop whose statements these are.
    pub over: Option<LoopId>,
    /// The joint whose names these are.
    pub joint: Option<usize>,
    /// A coupling's own.
    pub coupling: bool,
    /// The block whose statements these are.
    pub block: BlockId,
    /// A component of another block, or one that may be used from others: it reads nothing around it.
    pub closed: bool,
    /// Everything in it is seen, as in the language's own bodies and joints.
    pub open: bool,
    /// The component whose statements these are, with the identity of its block.
    pub component: Option<(String, String)>,
    symbols: BTreeMap<String, (Symbol, Span)>,
    /// Names that loops inside declare.
    in_loops: BTreeMap<String, Span>,
    constraints: BTreeMap<String, (ConstraintId, Span)>,
    /// Names that are `pub`.
    public: BTreeSet<String>,
    /// Labels of energies, forces, outputs and equations, for duplicates only.
    labels: BTreeMap<(&'static str, String), Span>,
}

/// An array of bodies, perhaps inside others: `wheel` in `axle[i].wheel[j]`.
#[derive(Clone)]
pub struct ScopeArray {
    /// Its own index, `j`.
    pub own: Ident,
    /// What that begins with, unless with 0: of bodies that a loop declares it is the loop's.
    pub first: Option<TokenStream>,
    /// The loop over it.
    pub around: LoopId,
    /// Its own length.
    pub len: Len,
    /// Which of all entries, of the arrays around as well: an i64 expression.
    pub index: TokenStream,
    /// The outermost scope of the array; nested bodies share it.
    pub owner: ScopeId,
    pub outer: Option<Box<ScopeArray>>,
}

impl ScopeArray {
    /// Which of its own entries, from 0: an i64 expression.
    pub fn entry(&self) -> TokenStream {
        let own = &self.own;
        match &self.first {
            None => quote!(#own),
            Some(first) => quote!((#own - (#first))),
        }
    }

    /// It and the arrays around it, from the inside out.
    pub fn chain(&self) -> impl Iterator<Item = &ScopeArray> {
        std::iter::successors(Some(self), |array| array.outer.as_deref())
    }
}

impl Scope {
    pub fn is_loop(&self) -> bool {
        self.over.is_some()
    }

    /// A scope inside this one with the same prefix and array.
    pub fn inner(&self, parent: ScopeId) -> Scope {
        Scope {
            parent: Some(parent),
            prefix: self.prefix.clone(),
            array: self.array.clone(),
            len: self.len.clone(),
            block: self.block,
            ..Scope::default()
        }
    }
}

#[derive(Default)]
pub struct Scopes {
    pub list: Vec<Scope>,
}

impl Scopes {
    pub fn add(&mut self, scope: Scope) -> ScopeId {
        self.list.push(scope);
        self.list.len() - 1
    }

    /// Declares a name; gives back the earlier span when it is taken: here, around the loop that this is, or in
    /// a loop inside, since statements stand in any order (a body's names are its own).
    pub fn declare(&mut self, scope: ScopeId, name: &Ident, symbol: Symbol) -> Result<(), Span> {
        let text = names::text(name);
        let around: Vec<ScopeId> = self.around(scope).collect();
        let taken = |&id: &ScopeId| Some(self.list[id].symbols.get(&text)?.1);
        if let Some(span) = around.iter().find_map(taken) {
            return Err(span);
        }
        for &id in &around[1..] {
            self.list[id].in_loops.entry(text.clone()).or_insert(name.span());
        }
        let inside = self.list[scope].in_loops.get(&text).copied();
        self.list[scope].symbols.insert(text, (symbol, name.span()));
        inside.map_or(Ok(()), Err)
    }

    /// A scope and, where it is that of a loop, those around it up to the mechanism or body.
    fn around(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> {
        std::iter::successors(Some(scope), |&id| {
            self.list[id].parent.filter(|_| self.list[id].is_loop())
        })
    }

    pub fn declare_constraint(
        &mut self,
        scope: ScopeId,
        name: &Ident,
        id: ConstraintId,
    ) -> Result<(), Span> {
        let home = self.home(scope);
        let taken = self.list[home].constraints.insert(names::text(name), (id, name.span()));
        taken.map_or(Ok(()), |(_, span)| Err(span))
    }

    pub fn declare_label(
        &mut self,
        scope: ScopeId,
        group: &'static str,
        name: &Ident,
    ) -> Result<(), Span> {
        let home = self.home(scope);
        let taken = self.list[home].labels.insert((group, names::text(name)), name.span());
        taken.map_or(Ok(()), Err)
    }

    /// The scope a loop's named statements belong to.
    pub fn home(&self, scope: ScopeId) -> ScopeId {
        self.around(scope).last().unwrap_or(scope)
    }

    /// How many bodies a scope stands in.
    pub fn level(&self, scope: ScopeId) -> usize {
        self.chain(scope).filter(|id| !self.list[*id].is_loop()).count() - 1
    }

    /// Looks a name up from the inside out; also tells where it was found.
    pub fn find(&self, scope: ScopeId, name: &str) -> Option<(Symbol, ScopeId)> {
        let name = plain(name);
        let found = |id: ScopeId| Some((self.list[id].symbols.get(name)?.0, id));
        // The language's own names, as that of gravity, are known everywhere.
        match name.starts_with("__") {
            true => self.chain(scope).find_map(found),
            false => self.near(scope).find_map(found),
        }
    }

    /// Whether a loop inside, or around, what is known in a scope declares the name for itself.
    pub fn is_in_a_loop(&self, scope: ScopeId, name: &str) -> bool {
        self.near(scope).any(|id| self.list[id].in_loops.contains_key(plain(name)))
    }

    /// Makes a name seen from outside the block.
    pub fn publish(&mut self, scope: ScopeId, name: &Ident) {
        self.list[scope].public.insert(names::text(name));
    }

    /// Whether a name of one scope is seen from another.
    pub fn is_seen(&self, scope: ScopeId, name: &str, from: ScopeId) -> bool {
        let here = &self.list[scope];
        here.open || here.block == self.list[from].block || here.public.contains(plain(name))
    }

    /// Looks a name up in one scope only.
    pub fn member(&self, scope: ScopeId, name: &str) -> Option<Symbol> {
        let name = plain(name);
        self.list[scope].symbols.get(name).map(|(symbol, _)| *symbol)
    }

    pub fn constraint(&self, scope: ScopeId, name: &str) -> Option<ConstraintId> {
        let name = plain(name);
        self.near(scope).find_map(|id| Some(self.list[id].constraints.get(name)?.0))
    }

    /// A constraint of this scope itself.
    pub fn own_constraint(&self, scope: ScopeId, name: &str) -> Option<ConstraintId> {
        self.list[scope].constraints.get(name).map(|(id, _)| *id)
    }

    /// Whether a scope stands in a loop, whose index is known there.
    pub fn is_in(&self, scope: ScopeId, of: LoopId) -> bool {
        self.near(scope).any(|id| self.list[id].over == Some(of))
    }

    pub fn has_label(&self, scope: ScopeId, group: &'static str, name: &str) -> bool {
        let key = (group, plain(name).to_string());
        self.near(scope).any(|id| self.list[id].labels.contains_key(&key))
    }

    fn chain(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> {
        std::iter::successors(Some(scope), |id| self.list[*id].parent)
    }

    /// The scopes whose names are known in one.
    fn near(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> {
        let mut last = false;
        self.chain(scope).take_while(move |&id| !std::mem::replace(&mut last, self.list[id].closed))
    }

    /// Visible names, for suggestions.
    pub fn visible(&self, scope: ScopeId) -> Vec<&str> {
        self.near(scope).flat_map(|id| self.members(id)).collect()
    }

    /// Names of a scope that are seen from another.
    pub fn seen(&self, scope: ScopeId, from: ScopeId) -> Vec<&str> {
        let seen = |name: &&str| self.is_seen(scope, name, from);
        self.members(scope).into_iter().filter(seen).collect()
    }

    pub fn members(&self, scope: ScopeId) -> Vec<&str> {
        // Those with two `_` are the language's own.
        let own = |name: &&str| !name.starts_with("__");
        self.list[scope].symbols.keys().map(String::as_str).filter(own).collect()
    }

    pub fn constraints(&self, scope: ScopeId) -> Vec<&str> {
        self.near(scope)
            .flat_map(|id| self.list[id].constraints.keys().map(String::as_str))
            .collect()
    }
}

/// A name without `r#`.
fn plain(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}
