//! Lets: each resolved once for each index it is read with, after those it names.

use super::index;
use super::resolver::{LetDef, LetState, Resolver, Subst};
use super::scope::LetDefId;
use crate::ir::*;
use crate::names::words;
use proc_macro2::Span;
use quote::ToTokens;
use std::collections::HashMap;

impl Resolver<'_> {
    pub(super) fn duplicate(&self, name: &syn::Ident, earlier: Span) {
        self.diag.error(name.span(), format!("the name `{name}` is declared twice"));
        self.diag.error(earlier, format!("`{name}` is first declared here"));
    }

    /// Resolves every let, used or not, so that each error is told.
    pub(super) fn resolve_lets(&mut self) {
        for def in self.let_order() {
            self.let_id(def, None, self.let_defs[def].span);
        }
    }

    /// The lets, each after those it names: resolving one then calls itself no deeper than a cycle
    /// goes. What it names is told by the last word only, so a let may come later than it need.
    pub(super) fn let_order(&self) -> Vec<LetDefId> {
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
    pub(super) fn let_id(
        &mut self,
        def: LetDefId,
        subst: Option<Subst>,
        span: Span,
    ) -> Option<LetId> {
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
            let named = subst.as_ref().and_then(|s| s.of(array.owner));
            let index = named.map_or(array.entry(), |s| s.own.clone());
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
    pub(super) fn report_cycle(&self, def: LetDefId) {
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
