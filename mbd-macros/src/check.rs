//! Rules over a resolved model, one function each. `statements` judges statements one by one;
//! `whole` asks whether together they make a model, and is only run when all could be read.

mod event;
mod input;
mod names;

use crate::ast::{ConstraintKind, EnergyKind};
use crate::diag::Diag;
use crate::ir::*;
use crate::names::{text, words};
use proc_macro2::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Rules of single statements.
pub fn statements(model: &Model, diag: &Diag) {
    for statement in &model.statements {
        reads_what_it_may(model, statement, diag);
        moves(model, statement, diag);
        event::statement(model, statement, diag);
        input::statement(model, statement, diag);
    }
    initial_values_in_order(model, diag);
    initial_values_once(model, diag);
}

/// Rules of the model as a whole.
pub fn whole(model: &Model, diag: &Diag) {
    every_state_has_one_rate(model, diag);
    every_variable_has_a_definition(model, diag);
    every_coordinate_has_inertia(model, diag);
    every_parameter_is_used(model, diag);
    event::modes(model, diag);
    input::used(model, diag);
    one_end(model, diag);
    names::one_name_each(model, diag);
}

/// Each kind of statement stands at one place in the equations of motion, and only what is known
/// there can enter it: a position constraint is differentiated twice, so it must not read
/// velocities; a force enters the equation that determines the acceleration, and so on.
fn reads_what_it_may(model: &Model, statement: &Statement, diag: &Diag) {
    use SlotKind::*;
    let label = &statement.label;
    let check = |kernel: &Kernel, allowed: &[SlotKind], what: &str| {
        for (&leaf, &span) in &kernel.needs.leaves {
            let Some(slot) = model.slot(leaf) else { continue };
            // Time belongs to the inputs that are read; of these `input` says more.
            if slot == T && kernel.needs.leaves.keys().any(|&leaf| model.input(leaf).is_some()) {
                continue;
            }
            // Forces along the coordinates of a node are what its balance is made of.
            let node =
                matches!(model.leaves[leaf].what, What::Slot(_, id) if model.scalars[id].balanced);
            if node && matches!(statement.kind, StatementKind::Along { .. }) {
                continue;
            }
            // The turns of an angle do not change what acts along it, and an event is looked for on the way there.
            if turns(model, leaf)
                && matches!(
                    statement.kind,
                    StatementKind::Along { .. } | StatementKind::Event { .. }
                )
            {
                continue;
            }
            if !allowed.contains(&slot) {
                let text = &model.leaves[leaf].text;
                let (read, mend) = match node {
                    true => ("the node's coordinate", mend_node(&statement.kind).into()),
                    false => (
                        slot_name(slot),
                        match turns(model, leaf) {
                            true => mend_turns(text),
                            false => mend(&statement.kind, slot).into(),
                        },
                    ),
                };
                let message = format!("{what} `{label}` reads {read} `{text}`{mend}");
                diag.error(span, message);
            }
        }
    };
    match &statement.kind {
        StatementKind::Energy(EnergyKind::Kinetic, kernel) => {
            check(kernel, &[T, Q, V], "the energy")
        }
        StatementKind::Energy(EnergyKind::Potential, kernel) => {
            check(kernel, &[T, Q], "the energy")
        }
        StatementKind::Energy(EnergyKind::Dissipation, kernel) => {
            check(kernel, &[T, Q, V], "the function")
        }
        StatementKind::Mass { kernel, .. } => check(kernel, &[T, Q], "the entry"),
        StatementKind::Force { kernel, .. } => {
            check(kernel, &[T, Q, V, X, Lambda, Psi, W], "the law")
        }
        StatementKind::Along { along, force } => {
            check(along, &[T, Q], "the direction of");
            check(force, &[T, Q, V, X, Lambda, Psi, W], "the law");
        }
        StatementKind::Constraint(id, kernel) => match model.constraints[*id].kind {
            ConstraintKind::Holonomic => check(kernel, &[T, Q], "the constraint"),
            ConstraintKind::Nonholonomic => check(kernel, &[T, Q, V], "the constraint"),
        },
        StatementKind::Rate(_, kernel) => check(kernel, &[T, Q, V, X, Lambda, Psi, W], "the rate"),
        StatementKind::Locked { kernel, .. } => check(kernel, &[T, Q], "the constraint"),
        StatementKind::Event { actions, gap, .. } => {
            let what = if gap.is_some() { "the gap of" } else { "the direction in" };
            for action in actions {
                if let EventAction::Impulse { along, .. } = action {
                    check(along, &[T, Q], what);
                }
            }
        }
        StatementKind::Mode(_, kernel) => check(kernel, &[], "the value"),
        StatementKind::Init { kernel, .. } => check(kernel, &[Q, V, X], "the initial value"),
        StatementKind::Place { kernel, checked: true, .. } => {
            check(kernel, &[Q, V, X], "the initial value");
        }
        StatementKind::Place { kernel, .. } => {
            check(kernel, &[T, Q, V, X, Start], "the initial value of");
        }
        StatementKind::Scale { kernel, .. } => check(kernel, &[], "the scale"),
        StatementKind::Until(kernel) => check(kernel, &[], "the end time"),
        StatementKind::Define(..)
        | StatementKind::Equation(_)
        | StatementKind::Output { .. }
        | StatementKind::Draw { .. }
        | StatementKind::Seen { .. } => {}
        // Of rates there is what there is of numbers.
        StatementKind::Tells { kernels, .. } => check(&kernels[0], &[T, Q], "the place given by"),
    }
}

fn slot_name(slot: SlotKind) -> &'static str {
    match slot {
        SlotKind::T => "the time",
        SlotKind::Q => "the coordinate",
        SlotKind::V => "the velocity",
        SlotKind::A => "the acceleration",
        SlotKind::X => "the state",
        SlotKind::Xd => "the rate",
        SlotKind::Lambda | SlotKind::Psi => "the multiplier",
        SlotKind::W => "the variable",
        SlotKind::Mode => "the mode",
        SlotKind::Input => "the input",
        SlotKind::Start => "the start",
    }
}

/// Whether it is the state that counts the turns of a joint's angle.
fn turns(model: &Model, leaf: LeafId) -> bool {
    matches!(model.leaves[leaf].what, What::Slot(SlotKind::X, id) if model.scalars[id].housekeeping)
}

/// What to do about a statement that may not read them.
fn mend_turns(text: &str) -> String {
    let angle = text.strip_suffix("_turns").unwrap_or(text);
    let (joint, name) = angle.rsplit_once('.').unwrap_or(("", angle));
    format!(
        ", which says in which turn `{angle}` is; what may not read a state reads `{joint}.wrapped_{name}`, between −π and π, and a torsion spring is a `force … along {angle} = …`"
    )
}

/// What to do about a statement that asks more of a massless node than forces.
fn mend_node(kind: &StatementKind) -> &'static str {
    match kind {
        StatementKind::Energy(EnergyKind::Potential, _) => {
            "; on a massless node forces act: state the spring as `force … along distance(p, q) = force::spring_damper(…);`"
        }
        StatementKind::Init { .. } | StatementKind::Place { .. } => {
            "; where it is follows from the forces on it"
        }
        _ => {
            "; on a massless node forces act, and nothing else: give it a mass (`PlanarMass`, `PointMass`)"
        }
    }
}

/// What to do about a forbidden read.
fn mend(kind: &StatementKind, slot: SlotKind) -> &'static str {
    use SlotKind::*;
    match (kind, slot) {
        (StatementKind::Constraint(..), V) => "; a constraint on velocities is `nonholonomic`",
        (StatementKind::Constraint(..), X | W) => {
            "; a constraint may read coordinates (and velocities, when `nonholonomic`) and time only: make it a coordinate, or state a force law"
        }
        (StatementKind::Constraint(..), _) => {
            "; a constraint may read coordinates (and velocities, when `nonholonomic`) and time only"
        }
        (
            StatementKind::Force { .. } | StatementKind::Along { .. } | StatementKind::Rate(..),
            A | Xd,
        ) => "; go through an algebraic unknown: `variable a == der(der(x));` and read `a`",
        (StatementKind::Along { .. }, _) => {
            "; a force acts along an expression of coordinates and time"
        }
        (StatementKind::Energy(EnergyKind::Potential, _), V) => {
            "; a potential depends on positions only: use `dissipation` for damping, `kinetic` for inertia"
        }
        (StatementKind::Energy(..), _) => {
            "; an energy depends on coordinates, velocities and time only: use `force`"
        }
        (StatementKind::Mass { .. }, V) => {
            "; inertia depends on positions only: write a `kinetic` energy"
        }
        (StatementKind::Mass { .. }, _) => "; inertia depends on coordinates and time only",
        (StatementKind::Init { .. } | StatementKind::Place { .. }, _) => {
            "; an initial value may read parameters, sizes and initial values set before it"
        }
        (StatementKind::Locked { .. } | StatementKind::Event { gap: Some(_), .. }, _) => {
            "; a constraint that comes and goes may read coordinates and time only"
        }
        (StatementKind::Event { .. }, _) => {
            "; an impulse acts along an expression of coordinates and time"
        }
        (StatementKind::Mode(..), _) => {
            "; what a mode begins with may read parameters and sizes only"
        }
        (StatementKind::Scale { .. }, _) => "; it may read parameters and sizes only",
        (StatementKind::Until(_), _) => "; it may read parameters and sizes only",
        (StatementKind::Tells { .. }, _) => {
            "; where a joint is may depend on coordinates and time only"
        }
        _ => "",
    }
}

/// A kinetic energy without velocities is no inertia, and a nonholonomic row without velocities
/// is a position constraint that would be enforced on the wrong level: both are slips.
fn moves(model: &Model, statement: &Statement, diag: &Diag) {
    let still = |kernel: &Kernel| {
        !kernel.needs.broken
            && !kernel.needs.leaves.keys().any(|&leaf| model.slot(leaf) == Some(SlotKind::V))
    };
    let span = statement.span;
    match &statement.kind {
        StatementKind::Energy(EnergyKind::Kinetic, kernel) if still(kernel) => diag.error(
            span,
            format!("`{}` reads no velocity; a kinetic energy is written with `der(x)`, as in `0.5*m*sq(der(x))`", statement.label),
        ),
        StatementKind::Energy(EnergyKind::Dissipation, kernel) if still(kernel) => diag.error(
            span,
            format!("`{}` reads no velocity; a dissipation function is written with `der(x)`, as in `0.5*c*sq(der(x))`", statement.label),
        ),
        StatementKind::Constraint(id, kernel) | StatementKind::Locked { id, kernel, .. }
            if still(kernel) =>
        {
            let constraint = &model.constraints[*id];
            let positions = kernel.needs.leaves.keys().any(|&leaf| model.slot(leaf) == Some(SlotKind::Q));
            if constraint.kind == ConstraintKind::Nonholonomic {
                diag.error(constraint.span, format!("`{}` reads no velocity; a constraint on positions is `holonomic`", constraint.name));
            } else if !positions && model.slot_free(kernel) {
                diag.error(constraint.span, format!("`{}` reads no coordinate and constrains nothing", constraint.name));
            }
        }
        _ => {}
    }
}

/// Initial values are computed in the order written; one that reads a value set only later would
/// silently get zero.
fn initial_values_in_order(model: &Model, diag: &Diag) {
    let mut set: BTreeSet<(SlotKind, ScalarId)> = BTreeSet::new();
    for statement in &model.statements {
        let targets: Vec<_> = statement.kind.initial_targets().collect();
        let kernels = statement.kind.kernels().into_iter();
        for kernel in kernels.filter(|_| statement.kind.is_stated_start()) {
            for (&leaf, &span) in &kernel.needs.leaves {
                if let What::Slot(kind, id) = model.leaves[leaf].what
                    && matches!(kind, SlotKind::Q | SlotKind::V | SlotKind::X)
                    && !model.scalars[id].told
                    && !set.contains(&(kind, id))
                    && !targets.contains(&(kind, id))
                    // An angular velocity is turned into rates by the orientation, whatever it is.
                    && !targets.contains(&(SlotKind::V, id))
                {
                    let text = &model.leaves[leaf].text;
                    diag.error(span, format!("`{text}` has no initial value yet at this point; write its `init` or `guess` first"));
                }
            }
        }
        set.extend(targets);
    }
}

/// A state without an equation is undetermined, one with two is overdetermined. Entries of arrays
/// are counted when the model is built; here an array counts as claimed when any entry is.
fn every_state_has_one_rate(model: &Model, diag: &Diag) {
    let states = model.scalars.iter().enumerate().filter(|(_, s)| s.kind == ScalarKind::State);
    let mut claims: BTreeMap<ScalarId, Vec<Span>> = BTreeMap::new();
    let mut implicit = Vec::new();
    let (mut countable, mut of_motion) = (true, false);
    for statement in &model.statements {
        match &statement.kind {
            StatementKind::Rate(target, _) => {
                claims.entry(target.scalar).or_default().push(target.span);
            }
            StatementKind::Equation(kernel) => {
                let moves = |&leaf: &LeafId| model.slot(leaf) == Some(SlotKind::A);
                of_motion |= kernel.needs.leaves.keys().any(moves);
                implicit.push(statement.span);
                countable &= statement.loops.is_empty();
            }
            _ => {}
        }
    }
    let mut free = Vec::new();
    for (id, state) in states {
        match claims.get(&id).map_or(&[][..], Vec::as_slice) {
            [] => {
                countable &= state.len.is_none();
                free.push(state);
            }
            [_, rest @ ..] if state.len.is_none() => {
                for &span in rest {
                    diag.error(span, format!("state `{}` has a second rate", state.name));
                }
            }
            _ => {}
        }
    }
    if implicit.is_empty() {
        for state in free {
            diag.error(
                state.span,
                format!("state `{0}` has no equation; write `der({0}) = …;`, or `equation …;` with `der({0})` in it", state.name),
            );
        }
    } else if countable && free.len() != implicit.len() {
        let names: Vec<String> = free.iter().map(|state| format!("`{}`", state.name)).collect();
        let left = if names.is_empty() {
            "no state is".into()
        } else {
            format!("{} {}", names.join(", "), if names.len() == 1 { "is" } else { "are" })
        };
        let mend = match free.is_empty() && of_motion {
            true => {
                "; equations of motion follow from inertia and forces: `kinetic name = 0.5*m*sq(der(x));`, `force name along x = …;`"
            }
            false => "",
        };
        for span in implicit.iter().copied() {
            diag.error(
                span,
                format!(
                    "{} implicit equation{} for {} state{}: {left} without a rate of its own{mend}",
                    implicit.len(),
                    plural(implicit.len()),
                    free.len(),
                    plural(free.len())
                ),
            );
        }
    }
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

/// As for states: an algebraic unknown needs an equation. A second one would be a second declaration of its name; of
/// arrays it is found when the model is built.
fn every_variable_has_a_definition(model: &Model, diag: &Diag) {
    for (id, variable) in model.scalars.iter().enumerate() {
        let defines = |s: &Statement| matches!(&s.kind, StatementKind::Define(target, _) if target.scalar == id);
        if variable.kind != ScalarKind::Variable
            || variable.balanced
            || model.statements.iter().any(defines)
        {
            continue;
        }
        let entry = if variable.len.is_some() { "[i]" } else { "" };
        diag.error(
            variable.span,
            format!(
                "variable `{0}` has no definition; write `variable {0}{entry} == …;`",
                variable.name
            ),
        );
    }
}

/// The mass matrix of a model with a massless coordinate is singular: no acceleration can be
/// solved for. A coordinate that nothing reads at all is told as such.
fn every_coordinate_has_inertia(model: &Model, diag: &Diag) {
    let mut inert = BTreeSet::new();
    let mut read = BTreeSet::new();
    for statement in &model.statements {
        for kernel in statement.kind.kernels() {
            for &leaf in kernel.needs.leaves.keys() {
                if let What::Slot(kind, id) = model.leaves[leaf].what {
                    let init = statement.kind.initial_targets().next().is_some();
                    if !init {
                        read.insert(id);
                    }
                    let kinetic = matches!(
                        statement.kind,
                        StatementKind::Energy(EnergyKind::Kinetic, _) | StatementKind::Tells { .. }
                    );
                    if kinetic && kind == SlotKind::V {
                        inert.insert(id);
                    }
                }
            }
        }
        if let StatementKind::Mass { row, col, .. } = &statement.kind {
            inert.extend([row.scalar, col.scalar]);
        }
    }
    for (id, coord) in model.scalars.iter().enumerate() {
        if coord.kind != ScalarKind::Coord || !coord.is_unknown() || inert.contains(&id) {
            continue;
        }
        let name = &coord.name;
        let entry = if coord.len.is_some() && coord.body.is_none() {
            format!("{name}[i]")
        } else {
            name.clone()
        };
        let message = if read.contains(&id) {
            format!(
                "coordinate `{name}` has no inertia: no kinetic energy reads `der({entry})` and there is no `mass[{entry}, {entry}]`; give it a mass, or make it a `variable`"
            )
        } else {
            format!(
                "coordinate `{name}` is not used: no statement reads it and it has no inertia; remove it, or give it a mass with `mass[{entry}, {entry}] = …;`"
            )
        };
        diag.error(coord.span, message);
    }
}

/// A parameter that nothing reads can be set without effect; that is a slip more often than not.
fn every_parameter_is_used(model: &Model, diag: &Diag) {
    let mut used = BTreeSet::new();
    for kernel in model.statements.iter().flat_map(|s| s.kind.kernels()) {
        used.extend(kernel.needs.leaves.keys().filter_map(|&leaf| match model.leaves[leaf].what {
            What::Param(id) => Some(id),
            _ => None,
        }));
    }
    // Once for all parameters: of hundreds each would go through the defaults of all.
    let mut in_defaults = BTreeSet::new();
    for param in &model.params {
        let defaults = match &param.default {
            DefaultValue::Value(tokens) | DefaultValue::Fill(tokens) => {
                std::slice::from_ref(tokens)
            }
            DefaultValue::List(list) => &list[..],
        };
        for tokens in defaults {
            words(tokens.clone(), &mut |word| {
                in_defaults.insert(word.to_string());
            });
        }
    }
    for (id, param) in model.params.iter().enumerate() {
        let field = text(&param.field);
        if !used.contains(&id) && !in_defaults.contains(&field) && !field.starts_with('_') {
            diag.error(
                param.span,
                format!(
                    "parameter `{}` is not used; remove it, or begin its name with `_` to keep it",
                    param.name
                ),
            );
        }
    }
}

/// Whether a name stands in the tokens.
pub fn mentions(tokens: &proc_macro2::TokenStream, name: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        proc_macro2::TokenTree::Ident(ident) => ident == name,
        proc_macro2::TokenTree::Group(group) => mentions(&group.stream(), name),
        _ => false,
    })
}

/// A name in capitals that is none of the model's is taken for a constant beside it. Where something
/// is wrong with the model, that may be why.
pub fn constants(model: &Model, diag: &Diag) {
    if diag.is_clean() {
        return;
    }
    for Constant { name, nearest } in &model.constants {
        if let Some(nearest) = nearest {
            diag.error(
                name.span(),
                format!("`{name}` is not a name of the model and is taken for a Rust constant; did you mean `{nearest}`?"),
            );
        }
    }
}

/// Of two initial values of one scalar the second would silently win. Those of a component are its
/// defaults and give way to those around it.
fn initial_values_once(model: &Model, diag: &Diag) {
    type Place = (SlotKind, ScalarId, usize, String);
    let mut set: BTreeMap<Place, Vec<(Span, &[LoopId])>> = BTreeMap::new();
    for statement in model.statements.iter().filter(|s| s.kind.is_stated_start()) {
        for (target, slot, level) in statement.kind.initial_places() {
            let index = target.index.as_ref().map_or(String::new(), ToString::to_string);
            let place = (slot, target.scalar, level, index);
            let earlier = set.entry(place).or_default();
            let moves = target.index.as_ref().is_some_and(|index| {
                statement.loops.iter().any(|&id| mentions(index, &model.loops[id].var.to_string()))
            });
            let first = earlier.iter().find(|(_, loops)| !moves || *loops == statement.loops);
            if let Some((first, _)) = first {
                let name = &model.scalars[target.scalar].name;
                let name = if slot == SlotKind::V { format!("der({name})") } else { name.clone() };
                diag.error(target.span, format!("the initial value of `{name}` is set twice"));
                diag.error(*first, format!("that of `{name}` is first set here"));
            }
            earlier.push((target.span, &statement.loops));
        }
    }
}

/// One suggested end time at most.
fn one_end(model: &Model, diag: &Diag) {
    let ends = model.statements.iter().filter(|s| matches!(s.kind, StatementKind::Until(_)));
    for second in ends.skip(1) {
        diag.error(second.span, "`until` is stated twice");
    }
}

impl Model {
    /// True when a kernel reads no slot at all except time.
    fn slot_free(&self, kernel: &Kernel) -> bool {
        kernel.needs.leaves.keys().all(|&leaf| matches!(self.slot(leaf), None | Some(SlotKind::T)))
    }
}
