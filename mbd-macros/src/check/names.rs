//! Names of the model that would be one name of the struct.

use crate::diag::Diag;
use crate::ir::*;
use proc_macro2::Span;
use std::collections::BTreeMap;

/// `a.b_c` and `a_b.c` are both `a_b_c` in Rust: fields of the struct, and ids of coordinates and states.
pub fn one_name_each(model: &Model, diag: &Diag) {
    let sizes = model.sizes.iter().filter(|size| !size.given);
    let sizes = sizes.map(|size| (size.name.to_string(), &size.text, size.name.span()));
    let params = model.params.iter().map(|p| (p.field.to_string(), &p.name, p.span));
    told("field", sizes.chain(params), diag);
    let moving = |scalar: &&Scalar| matches!(scalar.kind, ScalarKind::Coord | ScalarKind::State);
    let scalars = model.scalars.iter().filter(moving);
    told("id", scalars.map(|s| (s.ident.to_string(), &s.name, s.span)), diag);
}

fn told<'m>(what: &str, names: impl Iterator<Item = (String, &'m String, Span)>, diag: &Diag) {
    let mut taken: BTreeMap<String, &String> = BTreeMap::new();
    for (rust, name, span) in names {
        match taken.get(&rust) {
            // Told where it is declared.
            Some(first) if *first == name => {}
            Some(first) => diag.error(
                span,
                format!("`{name}` and `{first}` would be one {what} of the struct, `{rust}`: rename one of them"),
            ),
            None => {
                taken.insert(rust, name);
            }
        }
    }
}
