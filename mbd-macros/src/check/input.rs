//! Rules of inputs.

use crate::diag::Diag;
use crate::ir::*;
use std::collections::BTreeSet;

/// What is decided before the start, or drawn after the end, knows no signal from outside.
pub fn statement(model: &Model, statement: &Statement, diag: &Diag) {
    let mend = match &statement.kind {
        StatementKind::Mode(id, _) if model.scalars[*id].kind == ScalarKind::Mode => {
            "what a mode begins with may read parameters and sizes only"
        }
        StatementKind::Mode(..) => {
            "what an input is when nothing feeds it may read parameters and sizes only"
        }
        StatementKind::Init { .. } | StatementKind::Place { checked: true, .. } => {
            "an initial value may read parameters, sizes and initial values set before it"
        }
        StatementKind::Scale { .. } | StatementKind::Until(_) => {
            "it may read parameters and sizes only"
        }
        StatementKind::Draw { .. } => {
            "what is drawn is made of the recorded motion, and inputs are no part of that"
        }
        _ => return,
    };
    for kernel in statement.kind.kernels() {
        for (&leaf, &span) in &kernel.needs.leaves {
            if model.input(leaf).is_some() {
                let text = &model.leaves[leaf].text;
                let message = format!("`{}` reads the input `{text}`; {mend}", statement.label);
                diag.error(span, message);
            }
        }
    }
}

/// An input that nothing reads has no effect.
pub fn used(model: &Model, diag: &Diag) {
    let kernels = model.statements.iter().flat_map(|statement| statement.kind.kernels());
    let read: BTreeSet<ScalarId> = kernels
        .flat_map(|kernel| kernel.needs.leaves.keys().filter_map(|&leaf| model.input(leaf)))
        .collect();
    for (id, scalar) in model.scalars.iter().enumerate() {
        let Scalar { kind, name, span, .. } = scalar;
        if *kind == ScalarKind::Input && !read.contains(&id) && !name.starts_with('_') {
            let message =
                format!("the input `{name}` is not used; remove it, or begin its name with `_`");
            diag.error(*span, message);
        }
    }
}
