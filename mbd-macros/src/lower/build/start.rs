//! Initial values, as code.

use super::super::declare::{first, in_loops, length};
use super::Build;
use crate::ast::Kept;
use crate::ir::*;
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeSet;

impl Build<'_> {
    /// Initial values are kernels evaluated at once, on the values set so far.
    pub(super) fn initial(
        &self,
        statement: &Statement,
        keep: &TokenStream,
        target: &Target,
        slot: SlotKind,
        kernel: &Kernel,
        once: &TokenStream,
    ) -> TokenStream {
        let index = self.target(statement, target);
        let value = self.value(statement, kernel);
        let set = set_initial(slot, keep);
        let unset = self.unset(statement, kernel);
        let body = quote!({ let __slot = #index; #once #unset let __value = #value; #set });
        in_loops(self.model, &statement.loops, &statement.label, body)
    }

    /// Entries of arrays that initial values read are no numbers until they are set.
    pub(super) fn nothing_set(&self) -> TokenStream {
        let statements = self.model.statements.iter();
        let read: BTreeSet<_> = statements.flat_map(|s| reads(self.model, s)).collect();
        let none = read.into_iter().map(|(kind, id)| {
            let (vector, first, len) = (vector(kind), first("s", id), length("s", id));
            quote!(#vector[#first..#first + #len].fill(::core::primitive::f64::NAN);)
        });
        none.collect()
    }

    /// The check that all entries of arrays that an initial value reads have been set.
    fn unset(&self, statement: &Statement, kernel: &Kernel) -> TokenStream {
        let label = &statement.label;
        let checks = kernel.needs.leaves.keys().filter_map(|&leaf| {
            let (kind, _) = entry_read(self.model, leaf)?;
            let (vector, name) = (vector(kind), &self.model.leaves[leaf].text);
            let indices = self.indices(statement, leaf);
            Some(quote! {
                if [#(#vector[#indices]),*].iter().any(|value| value.is_nan()) {
                    return ::core::result::Result::Err(__mbd::ModelError::NotSetYet {
                        statement: ::std::string::String::from(#label),
                        name: ::std::string::String::from(#name),
                    });
                }
            })
        });
        checks.collect()
    }

    /// Several initial values by one kernel. `checked`: at which level of bodies none may be set twice.
    pub(super) fn several_initial(
        &self,
        statement: &Statement,
        keep: &TokenStream,
        targets: &[(Target, SlotKind)],
        kernel: &Kernel,
        checked: Option<usize>,
    ) -> TokenStream {
        let values = self.value(statement, kernel);
        let slots: BTreeSet<SlotKind> = targets.iter().map(|(_, slot)| *slot).collect();
        if let (None, [slot]) = (checked, &slots.iter().collect::<Vec<_>>()[..]) {
            // As short as can be said: models of many bodies consist of these.
            let indices = targets.iter().map(|(target, _)| self.target(statement, target));
            let set = set_initial(**slot, &quote!(__keep));
            let body = quote!({
                let (__values_of, __keep) = (#values, #keep);
                for (__slot, __value) in [#(#indices),*].into_iter().zip(__values_of) { #set }
            });
            return in_loops(self.model, &statement.loops, &statement.label, body);
        }
        let sets = targets.iter().enumerate().map(|(k, (target, slot))| {
            let set = set_initial(*slot, &quote!(__keep));
            let index = self.target(statement, target);
            let once = checked.map(|level| self.once(statement, target, *slot, level));
            quote!({ let (__slot, __value) = (#index, __values_of[#k]); #once #set })
        });
        let body = quote!({ let (__values_of, __keep) = (#values, #keep); #(#sets)* });
        in_loops(self.model, &statement.loops, &statement.label, body)
    }

    /// Whether initial values are kept, which may depend on what is given from outside.
    pub(super) fn keep(&self, statement: &Statement, kept: &Kept) -> TokenStream {
        let Kept { never, given, own, body } = kept;
        let place = |name: &String| {
            let of = |s: &Scalar| s.kind == ScalarKind::Start && s.name == *name;
            self.model.scalars.iter().position(of).map(|id| first("s", id))
        };
        let own: Vec<TokenStream> = own.iter().filter_map(place).collect();
        let given: Vec<Option<TokenStream>> = given.iter().map(place).collect();
        let held = match (never, given.iter().cloned().collect::<Option<Vec<TokenStream>>>()) {
            (false, Some(given)) => quote!(true #(&& __given.has(#given))*),
            _ => quote!(false),
        };
        match (never, own.is_empty(), given.is_empty()) {
            (false, _, true) => quote!(__mbd::Keep::Kept),
            (true, true, _) => quote!(__mbd::Keep::Guess),
            _ => {
                let name = statement.label.trim_start_matches("init ");
                let kept = quote!(__given.keep((#name, #body), #held, &[#(#own),*])?);
                quote!(if #kept { __mbd::Keep::Kept } else { __mbd::Keep::Guess })
            }
        }
    }
}

/// Sets `__value` as that of `__slot`.
fn set_initial(slot: SlotKind, keep: &TokenStream) -> TokenStream {
    match slot {
        // What is given in its place stays.
        SlotKind::Start => quote!(if !__given.has(__slot) {
            __starts[__slot] = __value;
        }),
        SlotKind::V => quote!(__v0[__slot] = __value; __b.init_v(__slot, __value, #keep);),
        SlotKind::X => quote!(__x0[__slot] = __value; __b.init_x(__slot, __value);),
        SlotKind::W => quote!(__b.guess_w(__slot, __value);),
        _ => quote!(__q0[__slot] = __value; __b.init_q(__slot, __value, #keep);),
    }
}

/// The vector of initial values of a kind.
fn vector(kind: SlotKind) -> TokenStream {
    match kind {
        SlotKind::V => quote!(__v0),
        SlotKind::X => quote!(__x0),
        _ => quote!(__q0),
    }
}

/// The arrays of which an initial value reads entries.
fn reads(model: &Model, statement: &Statement) -> Vec<(SlotKind, ScalarId)> {
    let StatementKind::Init { kernel, .. } = &statement.kind else { return Vec::new() };
    kernel.needs.leaves.keys().filter_map(|&leaf| entry_read(model, leaf)).collect()
}

/// The array whose initial values a leaf reads, if it is one whose entries are set one by one.
fn entry_read(model: &Model, leaf: LeafId) -> Option<(SlotKind, ScalarId)> {
    let What::Slot(kind, id) = model.leaves[leaf].what else { return None };
    let scalar = &model.scalars[id];
    let is = matches!(kind, SlotKind::Q | SlotKind::V | SlotKind::X)
        && scalar.len.is_some()
        && !scalar.told
        && !scalar.held;
    is.then_some((kind, id))
}
