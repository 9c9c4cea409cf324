//! The rows of a model that come and go.

use crate::ad::Holonomic;
use crate::model::{Contact, RowBlock, Switch, Switched};
use crate::statement::ElementGroup;

/// The rows of all contacts that events state: where they are not declared by the model, behind the first `m`.
pub(super) struct Contacts {
    pub(super) switches: Vec<Switch>,
    pub(super) blocks: Vec<RowBlock>,
    pub(super) groups: Vec<Holonomic>,
    /// Rows behind the first `m`.
    pub(super) count: usize,
}

impl Contacts {
    pub(super) fn of(groups: &[Box<dyn ElementGroup>], m: usize) -> Self {
        let mut found =
            Contacts { switches: Vec::new(), blocks: Vec::new(), groups: Vec::new(), count: 0 };
        for (group, statement) in groups.iter().enumerate() {
            let Some(stated) = statement.event() else { continue };
            let len = statement.instances();
            for impact in stated.impacts() {
                let action = impact.action;
                let first = impact.declared.unwrap_or(m + found.count);
                let Some(rows) = stated.contact(action, first) else { continue };
                if impact.declared.is_none() {
                    let name = stated.name.clone();
                    found.blocks.push(RowBlock { name, first, len, each: 1 });
                    found.count += len;
                }
                found.groups.push(rows);
                let unilateral = impact.declared.is_some();
                found.switches.extend((0..len).map(|instance| {
                    let contact = Contact { group, instance, action, unilateral };
                    let row = first + instance;
                    Switch { rows: row..row + 1, by: Switched::Contact(contact) }
                }));
            }
        }
        found
    }
}

/// The switches of constraints that hold while a condition on discrete values does.
pub(super) fn by_modes(groups: &[Box<dyn ElementGroup>], y: &[f64]) -> Vec<Switch> {
    let mut found = Vec::new();
    for (group, statement) in groups.iter().enumerate() {
        for instance in 0..statement.instances() {
            if let Some(rows) =
                statement.locks(instance, y).and_then(|_| statement.locked_rows(instance))
            {
                found.push(Switch { rows, by: Switched::Modes { group, instance } });
            }
        }
    }
    found
}
