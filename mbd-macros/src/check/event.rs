//! Rules of events and of modes.

use crate::ast::EnergyKind;
use crate::diag::Diag;
use crate::ir::*;
use std::collections::BTreeSet;

/// Rules of single statements.
pub fn statement(model: &Model, statement: &Statement, diag: &Diag) {
    modes_stay_out(model, statement, diag);
    let StatementKind::Event { condition, actions, every, .. } = &statement.kind else { return };
    match every {
        Some(every) => known_beforehand(model, statement, every, diag),
        None => can_become_true(model, statement, condition, diag),
    }
    sets_once(model, actions, diag);
}

fn modes_of<'a>(model: &'a Model, kernel: &'a Kernel) -> impl Iterator<Item = LeafId> + 'a {
    let is_mode = |leaf: &LeafId| matches!(model.leaves[*leaf].what, What::Slot(SlotKind::Mode, _));
    kernel.needs.leaves.keys().copied().filter(is_mode)
}

/// Where a mode stands in a constraint or an inertia, positions or velocities would have to jump with it, in a
/// way that it does not say.
fn modes_stay_out(model: &Model, statement: &Statement, diag: &Diag) {
    let refuse = |kernel: &Kernel, mend: &str| {
        for leaf in modes_of(model, kernel) {
            let text = &model.leaves[leaf].text;
            let message = format!("`{}` reads the mode `{text}`; {mend}", statement.label);
            diag.error(kernel.needs.leaves[&leaf], message);
        }
    };
    match &statement.kind {
        StatementKind::Energy(EnergyKind::Kinetic, kernel) | StatementKind::Mass { kernel, .. } => {
            refuse(kernel, "inertia does not jump, for velocities would have to with it")
        }
        StatementKind::Constraint(_, kernel) => refuse(
            kernel,
            "a constraint that always holds does not jump, for positions would have to with it: let it \
                 come and go with a mode (`while`)",
        ),
        StatementKind::Along { along, .. } => {
            refuse(along, "a direction does not jump: let the mode choose the force")
        }
        StatementKind::Event { actions, .. } => {
            for action in actions {
                if let EventAction::Impulse { along, .. } = action {
                    refuse(
                        along,
                        "a direction does not jump: let the mode choose the size of the impulse",
                    );
                }
            }
        }
        StatementKind::Mode(_, kernel) | StatementKind::Init { kernel, .. } => {
            refuse(kernel, "before the start no event has set it")
        }
        StatementKind::Scale { kernel, .. } | StatementKind::Until(kernel) => {
            refuse(kernel, "it may read parameters and sizes only")
        }
        _ => {}
    }
}

/// A clock does not depend on what moves.
fn known_beforehand(model: &Model, statement: &Statement, every: &Kernel, diag: &Diag) {
    for (&leaf, &span) in &every.needs.leaves {
        if !matches!(model.leaves[leaf].what, What::Param(_)) {
            let (label, text) = (&statement.label, &model.leaves[leaf].text);
            let mend = "a sampling time may read parameters and sizes only";
            diag.error(span, format!("`{label}` reads `{text}`; {mend}"));
            return;
        }
    }
}

/// A condition of nothing that changes would never be met.
fn can_become_true(model: &Model, statement: &Statement, condition: &Kernel, diag: &Diag) {
    if condition.needs.broken {
        return;
    }
    let changes = |leaf: &LeafId| model.slot(*leaf).is_some();
    if !condition.needs.leaves.keys().any(changes) && modes_of(model, condition).next().is_none() {
        let message = format!("the condition of `{}` reads nothing that changes", statement.label);
        diag.error(statement.span, message);
    }
}

/// Of two values for one thing the second would silently win.
fn sets_once(model: &Model, actions: &[EventAction], diag: &Diag) {
    let mut set = BTreeSet::new();
    for action in actions {
        let EventAction::Set { slot, target, .. } = action else { continue };
        let index = target.index.as_ref().map_or(String::new(), ToString::to_string);
        if !set.insert((*slot, target.scalar, index)) {
            let name = &model.scalars[target.scalar].name;
            let name = if *slot == SlotKind::V { format!("der({name})") } else { name.clone() };
            diag.error(target.span, format!("the event sets `{name}` twice"));
        }
    }
}

/// A mode that no event sets is a parameter, and one that nothing reads has no effect.
pub fn modes(model: &Model, diag: &Diag) {
    let (mut set, mut read) = (BTreeSet::new(), BTreeSet::new());
    for statement in &model.statements {
        if let StatementKind::Event { actions, .. } = &statement.kind {
            set.extend(actions.iter().filter_map(|action| match action {
                EventAction::Set { slot: SlotKind::Mode, target, .. } => Some(target.scalar),
                _ => None,
            }));
        }
        for kernel in statement.kind.kernels() {
            read.extend(modes_of(model, kernel).map(|leaf| model.leaves[leaf].what));
        }
    }
    for (id, mode) in model.scalars.iter().enumerate() {
        if mode.kind != ScalarKind::Mode {
            continue;
        }
        let name = &mode.name;
        if !set.contains(&id) {
            let message = format!(
                "no event sets the mode `{name}`; make it a `param`, or set it in an event"
            );
            diag.error(mode.span, message);
        } else if !read.contains(&What::Slot(SlotKind::Mode, id)) {
            diag.error(
                mode.span,
                format!("the mode `{name}` is not used; remove it, or `output` it"),
            );
        }
    }
}
