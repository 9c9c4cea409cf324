//! The body of `Mechanism::model`: declares every scalar, then one instance of a kernel per
//! statement and loop iteration. All indices are checked here; an index out of range is a
//! `ModelError` naming statement, array and index.

mod start;

use super::alike::{shared, sizes_of_tables};
use super::declare::{
    declare_body, declare_params, declare_rows, declare_scalars, first, in_loops, length, nodes,
    sizes, units, vectors,
};
use super::kernel::{COURSE, Emitted, Kernels};
use crate::ast::{ConstraintKind, EnergyKind, Seen};
use crate::ir::*;
use crate::names;
use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeMap;

/// The body of `fn model`.
///
/// Second: items that it needs.
pub fn build(model: &Model, kernels: &Kernels<'_>) -> (TokenStream, TokenStream) {
    let held = model.constraints.iter().any(|constraint| constraint.held);
    let (plain, items) = one(model, kernels, held);
    if !held {
        return (plain, items);
    }
    let read = model.reads_reactions();
    let twice = quote! {
        let __build = |__released: ::core::primitive::bool| -> ::core::result::Result<__mbd::Model, __mbd::ModelError> {
            #plain
        };
        // See `ModelBuilder::released`.
        __build(false)?.with_released(__build(true)?, #read)
    };
    (twice, items)
}

/// Makes a model. `held`: there are joints, which may be released.
fn one(model: &Model, kernels: &Kernels<'_>, held: bool) -> (TokenStream, TokenStream) {
    let name = names::text(&model.name);
    let doc = model.docs.join("\n");
    let mut out = sizes(model);
    let [s, p, c] = sizes_of_tables(model);
    out.extend(quote! {
        let mut __b = __mbd::ModelBuilder::new(#name, #doc);
        let mut __values: ::std::vec::Vec<::core::primitive::f64> = ::std::vec::Vec::new();
        let (mut __first_s, mut __len_s) = ([0usize; #s], [0usize; #s]);
        let (mut __first_p, mut __len_p) = ([0usize; #p], [0usize; #p]);
        let (mut __first_c, mut __len_c) = ([0usize; #c], [0usize; #c]);
    });
    out.extend(held.then(|| quote!(__b.released(__released);)));
    out.extend(units(model));
    out.extend(declare_params(model));
    // Inputs have their places behind all modes.
    let (inputs, others): (Vec<_>, Vec<_>) =
        model.scalars.iter().enumerate().partition(|(_, scalar)| scalar.kind == ScalarKind::Input);
    // What joints hold comes last.
    let (last, others): (Vec<_>, Vec<_>) = others.into_iter().partition(|(_, scalar)| scalar.held);
    let (starts, others): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|(_, scalar)| scalar.kind == ScalarKind::Start);
    if starts.is_empty() {
        out.extend(quote! {
            let __given = __mbd::Starts::default().among(&[]);
            let mut __starts: ::std::vec::Vec<::core::primitive::f64> = ::std::vec::Vec::new();
        });
    } else {
        let names = starts.iter().map(|(_, scalar)| &scalar.name);
        let ids = starts.iter().map(|(id, _)| Literal::usize_unsuffixed(*id));
        out.extend(quote! {
            let __given = __outside.among(&[#(#names),*]);
            let mut __starts = __given.numbers();
            for (__k, &__id) in [#(#ids),*].iter().enumerate() {
                __first_s[__id] = __k;
            }
        });
    }
    if !model.no_starts.is_empty() {
        let reasons = model.no_starts.iter().map(|(name, reason)| quote!((#name, #reason)));
        out.extend(quote!(__b.no_starts(&[#(#reasons),*]);));
    }
    let scalars: Vec<_> = others.into_iter().chain(inputs).chain(last).collect();
    out.extend(declare_scalars(&scalars));
    let mut pieces = vectors(model);
    pieces.push(nodes(model));
    let (last, others): (Vec<_>, Vec<_>) =
        (0..model.constraints.len()).partition(|&id| model.constraints[id].held);
    pieces.extend(others.into_iter().chain(last).map(|id| declare_rows(model, id)));
    for (vector, kind) in [("__q0", ScalarKind::Coord), ("__x0", ScalarKind::State)] {
        let vector = format_ident!("{vector}");
        let of_kind = model.scalars.iter().enumerate();
        let of_kind = of_kind.filter(|(_, s)| s.kind == kind && s.is_unknown()).map(|(id, _)| id);
        let of_kind: Vec<ScalarId> = of_kind.collect();
        let runs = of_kind.chunk_by(|a, b| a + 1 == *b).map(|run| {
            let (from, len) = (run[0], run.len());
            quote!(+ __len_s[#from..#from + #len].iter().sum::<::core::primitive::usize>())
        });
        // Of those in loops the number is that of the passes.
        let rows = of_kind.iter().filter(|&&id| model.scalars[id].solved);
        let rows = rows.filter(|&&id| model.scalars[id].passes.is_some());
        let rows = rows.map(|&id| {
            let (more, len) = (model.rows(id) - 1, length("s", id));
            quote!(+ #more * #len)
        });
        out.extend(quote!(let mut #vector = ::std::vec![0.0f64; 0 #(#runs)* #(#rows)*];));
    }
    out.extend(quote! {
        let mut __v0 = __q0.clone();
        let __set: &mut __Set = &mut ::std::collections::BTreeMap::new();
    });
    pieces.extend(model.bodies.iter().map(|body| declare_body(model, body)));
    let build = Build { model, kernels };
    out.extend(build.nothing_set());
    // What modes and inputs begin with is read by what other statements begin with.
    let is_value = |statement: &&Statement| matches!(statement.kind, StatementKind::Mode(..));
    let (values, others): (Vec<_>, Vec<_>) = model.statements.iter().partition(is_value);
    // What is told is known before it is read.
    let tells = |statement: &&Statement| matches!(statement.kind, StatementKind::Tells { .. });
    let (telling, others): (Vec<_>, Vec<_>) = others.into_iter().partition(tells);
    let last = telling.len().checked_sub(1).map(|last| values.len() + last);
    let all = values.into_iter().chain(telling).chain(others);
    for (k, statement) in all.enumerate() {
        let code = build.statement(statement);
        // What the index of a body is told with.
        let label = &statement.label;
        let code = match model.checks_bodies && crate::check::mentions(&code, "__statement") {
            true => quote!({ let __statement = #label; #code }),
            false => code,
        };
        let needed = needed_inputs(model, statement);
        let name = &statement.name;
        let compares = statement.compares.as_ref().map(|what| quote!(__b.compares(#name, #what);));
        let tell = (Some(k) == last).then(|| quote!(__b.tell()?;));
        pieces.push(quote!(#code #needed #compares #tell));
    }
    let (code, items) = shared(model, pieces);
    (quote!(#out #code __b.finish()), items)
}

/// What a statement needs of the inputs it reads: how smooth they have to be.
fn needed_inputs(model: &Model, statement: &Statement) -> TokenStream {
    use ConstraintKind::{Holonomic, Nonholonomic};
    let mut all: BTreeMap<ScalarId, usize> = BTreeMap::new();
    let mut read = |kernel: &Kernel, rates: usize| {
        for &leaf in kernel.needs.leaves.keys() {
            if let Some(id) = model.input(leaf) {
                let rates = rates + kernel.needs.rated.get(&leaf).copied().unwrap_or(0);
                let known = all.entry(id).or_insert(rates);
                *known = rates.max(*known);
            }
        }
    };
    match &statement.kind {
        StatementKind::Energy(EnergyKind::Kinetic, kernel) | StatementKind::Mass { kernel, .. } => {
            read(kernel, 1)
        }
        StatementKind::Constraint(id, kernel) => read(
            kernel,
            match model.constraints[*id].kind {
                Nonholonomic => 1,
                Holonomic => 2,
            },
        ),
        StatementKind::Locked { kernel, condition, .. } => {
            read(kernel, 2);
            read(condition, 0);
        }
        StatementKind::Event { condition, actions, .. } => {
            read(condition, 0);
            for action in actions {
                match action {
                    EventAction::Impulse { along, values, restitution } => {
                        // A gap that stays closed is a constraint.
                        read(along, if *restitution { 2 } else { 1 });
                        read(values, 0);
                    }
                    other => other.kernels().into_iter().for_each(|kernel| read(kernel, 0)),
                }
            }
        }
        other => other.kernels().into_iter().for_each(|kernel| read(kernel, 0)),
    }
    let label = &statement.label;
    let calls = all.into_iter().map(|(id, rates)| {
        let need = match rates {
            0 => format_ident!("Value"),
            1 => format_ident!("Rate"),
            _ => format_ident!("Acceleration"),
        };
        let (first, len) = (first("s", id), length("s", id));
        quote!(__b.needs_input(#first, #len, __mbd::Need::#need, #label);)
    });
    calls.collect()
}

struct Build<'m> {
    model: &'m Model,
    kernels: &'m Kernels<'m>,
}

impl Build<'_> {
    fn statement(&self, statement: &Statement) -> TokenStream {
        let model = self.model;
        let name = &statement.name;
        match &statement.kind {
            StatementKind::Energy(kind, kernel) => {
                let method = match kind {
                    EnergyKind::Kinetic => format_ident!("kinetic"),
                    EnergyKind::Potential => format_ident!("potential"),
                    EnergyKind::Dissipation => format_ident!("dissipation"),
                };
                let (kernel, instances) = self.instances(statement, kernel, &quote!());
                quote!({ #instances __b.#method(#name, #kernel, __instances); })
            }
            StatementKind::Mass { row, col, kernel } => {
                let (row, col) = (self.target(statement, row), self.target(statement, col));
                let (kernel, instances) =
                    self.instances(statement, kernel, &quote!(__targets.push((#row, #col));));
                quote!({
                    let mut __targets: ::std::vec::Vec<(::core::primitive::usize, ::core::primitive::usize)> = ::std::vec::Vec::new();
                    #instances
                    __b.mass(#name, #kernel, __instances, __targets);
                })
            }
            StatementKind::Force { targets, kernel } => {
                let targets = targets.iter().map(|target| self.target(statement, target));
                let (kernel, instances) =
                    self.instances(statement, kernel, &quote!(__targets.push([#(#targets),*]);));
                quote!({
                    let mut __targets = ::std::vec::Vec::new();
                    #instances
                    __b.force(#name, #kernel, __instances, __targets);
                })
            }
            StatementKind::Along { along, force } => {
                let (along, along_instances) = self.instances(statement, along, &quote!());
                let (force, force_instances) = self.instances(statement, force, &quote!());
                quote!({
                    let __along = { #along_instances __instances };
                    let __force = { #force_instances __instances };
                    __b.force_along(#name, #along, __along, #force, __force);
                })
            }
            StatementKind::Constraint(id, kernel) => {
                let constraint = &model.constraints[*id];
                let method = match constraint.kind {
                    ConstraintKind::Holonomic if constraint.from_start => {
                        format_ident!("holonomic_from_start")
                    }
                    ConstraintKind::Holonomic => format_ident!("holonomic"),
                    ConstraintKind::Nonholonomic => format_ident!("nonholonomic"),
                };
                let reaction = if constraint.stated { quote!(Stated) } else { quote!(Standard) };
                let first = first("c", *id);
                let (kernel, instances) = self.instances(statement, kernel, &quote!());
                quote!({ #instances __b.#method(#name, #kernel, __instances, #first, __mbd::Reaction::#reaction); })
            }
            StatementKind::Rate(target, kernel) => self.equation(statement, "rate", target, kernel),
            StatementKind::Define(target, kernel) => {
                self.equation(statement, "define", target, kernel)
            }
            StatementKind::Equation(kernel) => {
                let (kernel, instances) = self.instances(statement, kernel, &quote!());
                quote!({ #instances __b.equation(#name, #kernel, __instances); })
            }
            StatementKind::Event { text, condition, actions, every, gap } => {
                let event = self.event(statement, text, condition, actions);
                let every = every.as_ref().map(|every| {
                    let (kernel, instances) = self.instances(statement, every, &quote!());
                    quote!({ #instances __b.every(#kernel, __instances); })
                });
                let holds = gap.map(|id| {
                    let first = first("c", id);
                    quote!(__b.holds_gap(#first);)
                });
                quote!({ #event #every #holds })
            }
            StatementKind::Locked { id, kernel, condition } => {
                let constraint = &model.constraints[*id];
                let reaction = if constraint.stated { quote!(Stated) } else { quote!(Standard) };
                let first = first("c", *id);
                let (kernel, instances) = self.instances(statement, kernel, &quote!());
                let (condition, of_condition) = self.instances(statement, condition, &quote!());
                quote!({
                    let __while = { #of_condition __instances };
                    let __rows = { #instances __instances };
                    __b.holonomic_while(#name, #condition, __while, #kernel, __rows, #first, __mbd::Reaction::#reaction);
                })
            }
            StatementKind::Mode(id, kernel) => {
                let (first, len) = (first("s", *id), length("s", *id));
                let value = self.value(statement, kernel);
                let init = match model.scalars[*id].kind {
                    ScalarKind::Input => format_ident!("init_inputs"),
                    _ => format_ident!("init_modes"),
                };
                quote!({ let __value = #value; __b.#init(#first, #len, __value); })
            }
            StatementKind::Init { kept, level, target, slot, kernel } => {
                let keep =
                    if *kept { quote!(__mbd::Keep::Kept) } else { quote!(__mbd::Keep::Guess) };
                let once = self.once(statement, target, *slot, *level);
                self.initial(statement, &keep, target, *slot, kernel, &once)
            }
            StatementKind::Place { kept, level, targets, kernel, checked } => {
                let keep = self.keep(statement, kept);
                self.several_initial(statement, &keep, targets, kernel, checked.then_some(*level))
            }
            StatementKind::Scale { target, slot, kernel } => {
                let index = self.target(statement, target);
                let value = self.value(statement, kernel);
                let set = match slot {
                    SlotKind::X => quote!(__b.scale_x(#index, #value);),
                    _ => quote!(__b.scale_q(#index, #value);),
                };
                in_loops(self.model, &statement.loops, &statement.label, quote!({ #set }))
            }
            StatementKind::Output { index, unit, docs, kernel, vector, .. } => {
                let doc = docs.join(" ");
                let is_array = index.is_some() || *vector;
                let output = match index.is_some() && *vector {
                    true => quote!(output_vectors),
                    false => quote!(output),
                };
                let label = &statement.label;
                let check = index
                    .as_ref()
                    .map(|index| quote!(__in_order(#label, #name, #index, __instances.len())?;));
                let (kernel, instances) = self.instances(statement, kernel, &quote!(#check));
                let is_array = (!(index.is_some() && *vector)).then(|| quote!(, #is_array));
                quote!({ #instances __b.#output(#name, #unit, #doc, #kernel, __instances #is_array); })
            }
            StatementKind::Draw { shape, color, kernel } => {
                let is_array = !statement.loops.is_empty();
                let (kernel, instances) = self.instances(statement, kernel, &quote!());
                quote!({ #instances __b.draw(#name, #shape, #color, #kernel, __instances, #is_array); })
            }
            StatementKind::Tells { targets, kernels } => {
                let targets = targets.iter().map(|target| self.target(statement, target));
                let targets = quote!(__targets.push([#(#targets),*]););
                let tells = kernels.iter().enumerate().map(|(k, kernel)| {
                    let also = if k == 0 { targets.clone() } else { quote!() };
                    let (kernel, instances) = self.instances(statement, kernel, &also);
                    quote!({ #instances (#kernel, __instances) })
                });
                quote!({
                    let mut __targets = ::std::vec::Vec::new();
                    __b.tells(#name, #(#tells,)* __targets);
                })
            }
            StatementKind::Seen { what, kernel, entry } => {
                let named = entry.as_ref().map(|entry| quote!(__names.push(#entry);));
                let (kernel, instances) = self.instances(statement, kernel, &quote!(#named));
                let is_array = !statement.loops.is_empty();
                match what {
                    Seen::Body(kind) if entry.is_some() => {
                        let kind = format_ident!("{kind}");
                        quote!({
                            let mut __names: ::std::vec::Vec<::std::string::String> = ::std::vec::Vec::new();
                            #instances
                            __b.carried_array(&__names, __mbd::BodyKind::#kind, #kernel, __instances);
                        })
                    }
                    Seen::Body(kind) => {
                        let kind = format_ident!("{kind}");
                        quote!({ #instances __b.carried(#name, __mbd::BodyKind::#kind, #kernel, __instances); })
                    }
                    Seen::Joint(carries) => {
                        quote!({ #instances __b.load(#name, #carries, #kernel, __instances, #is_array); })
                    }
                    Seen::Coordinates(all) => {
                        let names = all.iter().flat_map(|c| [c.name, c.rate]);
                        quote!({ #instances __b.joint(#name, &[#(#names),*], #kernel, __instances, #is_array); })
                    }
                }
            }
            StatementKind::Until(kernel) => {
                let value = self.value(statement, kernel);
                quote!({ let __end = #value; __b.t_end(__end); })
            }
        }
    }

    fn event(
        &self,
        statement: &Statement,
        text: &str,
        condition: &Kernel,
        actions: &[EventAction],
    ) -> TokenStream {
        let name = &statement.name;
        let (condition, instances) = self.instances(statement, condition, &quote!());
        let actions = actions.iter().map(|action| match action {
            EventAction::Stop { text } => quote!(__b.stops(#text);),
            EventAction::Set { slot, target, kernel } => {
                let method = match slot {
                    SlotKind::V => "sets_velocity",
                    SlotKind::X => "sets_state",
                    _ => "sets_mode",
                };
                let (method, target) = (format_ident!("{method}"), self.target(statement, target));
                let (kernel, instances) =
                    self.instances(statement, kernel, &quote!(__targets.push(#target);));
                quote!({
                    let mut __targets: ::std::vec::Vec<::core::primitive::usize> = ::std::vec::Vec::new();
                    #instances
                    __b.#method(#kernel, __instances, __targets);
                })
            }
            EventAction::Impulse { along, restitution, values } => {
                let method = if *restitution { "restores" } else { "gives_impulse" };
                let method = format_ident!("{method}");
                let (along, along_instances) = self.instances(statement, along, &quote!());
                let (values, instances) = self.instances(statement, values, &quote!());
                quote!({
                    let __along = { #along_instances __instances };
                    let __values = { #instances __instances };
                    __b.#method(#along, __along, #values, __values);
                })
            }
        });
        quote!({ { #instances __b.event(#name, #text, #condition, __instances); } #(#actions)* })
    }

    fn equation(
        &self,
        statement: &Statement,
        method: &str,
        target: &Target,
        kernel: &Kernel,
    ) -> TokenStream {
        let (name, method) = (&statement.name, format_ident!("{method}"));
        let target = self.target(statement, target);
        let (kernel, instances) =
            self.instances(statement, kernel, &quote!(__targets.push(#target);));
        quote!({
            let mut __targets: ::std::vec::Vec<::core::primitive::usize> = ::std::vec::Vec::new();
            #instances
            __b.#method(#name, #kernel, __instances, __targets);
        })
    }

    /// Where entries of an array, found by index, might be set twice: the check that none is.
    fn once(
        &self,
        statement: &Statement,
        target: &Target,
        slot: SlotKind,
        level: usize,
    ) -> TokenStream {
        let model = self.model;
        let stated = model.statements.iter().filter(|s| s.kind.is_stated_start());
        let same = |(other, kind, at): &(&Target, SlotKind, usize)| {
            other.scalar == target.scalar && *kind == slot && *at == level
        };
        let alone = stated.flat_map(|s| s.kind.initial_places()).filter(same).count() == 1;
        let each = target.index.as_ref().is_some_and(|index| {
            statement
                .loops
                .iter()
                .all(|&id| crate::check::mentions(index, &model.loops[id].var.to_string()))
        });
        if alone && (each || statement.loops.is_empty()) {
            return TokenStream::new();
        }
        let (label, kind) = (&statement.label, slot as u8);
        let scalar = &model.scalars[target.scalar];
        let first = first("s", target.scalar);
        let text = &scalar.name;
        let name = match (&scalar.len, &scalar.body) {
            (None, _) => quote!(::std::string::String::from(#text)),
            (Some(_), None) => {
                let format = format!("{text}[{{}}]");
                quote!(::std::format!(#format, __slot - #first))
            }
            (Some(_), Some(body)) => body.name_of(quote!(__slot - #first)),
        };
        quote!(__once(__set, (#kind, #level, __slot), #name, #label)?;)
    }

    /// The value of a kernel of parameters and initial values, now.
    fn value(&self, statement: &Statement, kernel: &Kernel) -> TokenStream {
        let rows = matches!(statement.kind, StatementKind::Place { .. });
        let kernel = self.kernels.emit(kernel, &statement.loops);
        let at = self.at(statement, &kernel);
        let slots = kernel.slots.iter().flat_map(|&leaf| {
            if let What::Slot(_, id) = self.model.leaves[leaf].what
                && self.model.scalars[id].held
            {
                return vec![quote!(0.0f64); self.model.width(leaf).unwrap_or(1)];
            }
            if let What::Slot(kind @ (SlotKind::Q | SlotKind::V), id) = self.model.leaves[leaf].what
                && self.model.scalars[id].told
            {
                let kind = format_ident!("{kind:?}");
                let of = |index| quote!(__b.start_of(__mbd::SlotKind::#kind, #index, &__q0, &__v0));
                return self.indices(statement, leaf).into_iter().map(of).collect();
            }
            let vector = match self.model.slot(leaf) {
                // Motions that a joint starts with are written as going on from time zero.
                Some(SlotKind::T) => quote!([0.0f64]),
                Some(SlotKind::V) => quote!(__v0),
                Some(SlotKind::X) => quote!(__x0),
                Some(SlotKind::Start) => quote!(__starts),
                _ => quote!(__q0),
            };
            let indices = self.indices(statement, leaf).into_iter();
            indices.map(|index| quote!(#vector[#index])).collect()
        });
        let params = kernel.params.iter().flat_map(|&leaf| {
            let input = self.model.input(leaf).is_some();
            let indices = self.indices(statement, leaf).into_iter();
            indices.map(move |index| match input {
                true => quote!(__b.input_number_at(#index)),
                false => quote!(__values[#index]),
            })
        });
        let name = &kernel.name;
        let evaluate = if rows { quote!(evaluate_rows) } else { quote!(evaluate) };
        let value = quote!(__mbd::#evaluate(&#name, #at, [#(#slots),*], [#(#params),*]));
        match kernel.entries.is_empty() {
            true => value,
            false => {
                let entries = self.entries(statement, &kernel);
                quote!({ #entries #value })
            }
        }
    }

    /// Checks of the indices of arrays that are none of the model's.
    fn entries(&self, statement: &Statement, kernel: &Emitted) -> TokenStream {
        let label = &statement.label;
        let checks = kernel.entries.iter().map(|&id| {
            let Entry { array, index, len } = &self.model.entries[id];
            quote!(__index(#label, #array, #index, #len)?;)
        });
        checks.collect()
    }

    fn at(&self, statement: &Statement, kernel: &Emitted) -> TokenStream {
        let loops = statement.loops.iter().map(|&id| &self.model.loops[id].var);
        let sizes = kernel.sizes.iter().map(|&id| &self.model.sizes[id].name);
        let names = loops.chain(sizes).map(|name| quote!(#name));
        let wholes = kernel.wholes.iter().map(|&id| {
            let index = &self.model.wholes[id].index;
            quote!((#index))
        });
        let all = names.chain(wholes);
        quote!(&[#(#all as ::core::primitive::usize),*])
    }

    /// Emits the kernel; gives its name and the code that makes `__instances`, running `also` at
    /// each instance before it is added.
    fn instances(
        &self,
        statement: &Statement,
        kernel: &Kernel,
        also: &TokenStream,
    ) -> (TokenStream, TokenStream) {
        let model = self.model;
        let kernel = self.kernels.emit(kernel, &statement.loops);
        let kinds = kernel.slots.iter().flat_map(|&leaf| {
            let kind = match model.slot(leaf) {
                Some(kind) => format_ident!("__{kind:?}"),
                None => format_ident!("__T"),
            };
            std::iter::repeat_n(kind, model.width(leaf).unwrap_or(1))
        });
        let slots = kernel.slots.iter().flat_map(|&leaf| self.indices(statement, leaf));
        let params = kernel.params.iter().flat_map(|&leaf| self.indices(statement, leaf));
        let at = self.at(statement, &kernel);
        let entries = self.entries(statement, &kernel);
        let body = quote! {
            #entries
            #also
            __instances.push(#at, [#(#slots),*], [#(#params),*]);
        };
        let body = in_loops(model, &statement.loops, &statement.label, body);
        let (k, p) = (kernel.slot_count, kernel.param_count);
        let code = quote! {
            let mut __instances = __mbd::Instances::<#k, #p>::new([#(#kinds),*]);
            #body
        };
        (kernel.name, code)
    }

    fn target(&self, statement: &Statement, target: &Target) -> TokenStream {
        let (first, len) = (first("s", target.scalar), length("s", target.scalar));
        match &target.index {
            None => quote!(#first),
            Some(index) => {
                let (label, name) = (&statement.label, &self.model.scalars[target.scalar].name);
                quote!(#first + __index(#label, #name, #index, #len)?)
            }
        }
    }

    /// Index within its kind (or flat parameter index) of each scalar a leaf stands for.
    fn indices(&self, statement: &Statement, leaf: LeafId) -> Vec<TokenStream> {
        let model = self.model;
        let Leaf { what, index, .. } = &model.leaves[leaf];
        let label = &statement.label;
        let (group, id, name) = match *what {
            What::Time => return vec![quote!(0usize)],
            What::Slot(_, id) => ("s", id, &model.scalars[id].name),
            What::Param(id) => ("p", id, &model.params[id].name),
            What::Multiplier(id) => ("c", id, &model.constraints[id].name),
        };
        let (first, len) = (first(group, id), length(group, id));
        if matches!(what, What::Slot(SlotKind::Input, _)) {
            let entry = match index {
                Index::At(index) => quote!(+ #COURSE * __index(#label, #name, #index, #len)?),
                _ => TokenStream::new(),
            };
            let count = if let Index::Whole(n) = index { *n } else { 1 };
            return (0..count * COURSE).map(|k| quote!(#first #entry + #k)).collect();
        }
        match index {
            Index::None => vec![quote!(#first)],
            Index::At(index) => vec![quote!(#first + __index(#label, #name, #index, #len)?)],
            Index::Whole(n) => (0..*n).map(|k| quote!(#first + #k)).collect(),
            Index::Row { instance, row } => {
                let rows = match *what {
                    What::Multiplier(id) => model.constraints[id].rows,
                    What::Slot(_, id) => model.rows(id),
                    _ => 1,
                };
                let instance = instance
                    .as_ref()
                    .map(|index| quote!(+ #rows * __index(#label, #name, #index, #len)?));
                match row {
                    Some(row) => {
                        vec![quote!(#first #instance + __index(#label, #name, #row, #rows)?)]
                    }
                    None => (0..rows).map(|k| quote!(#first #instance + #k)).collect(),
                }
            }
        }
    }
}
