//! What joints tell, before the order is found.

use crate::statement::Teller;
use std::sync::Arc;

/// What joints tell, while it is collected.
#[derive(Default)]
pub(super) struct Telling {
    /// Of each told scalar its name: that of its body, a point, its own.
    pub(super) names: Vec<String>,
    pub(super) joints: Vec<Joint>,
}

/// A joint with what it tells.
pub(super) struct Joint {
    pub(super) name: String,
    pub(super) by: Arc<[Teller; 3]>,
    /// Of each instance the scalars that it tells.
    pub(super) targets: Vec<Vec<usize>>,
}

impl Joint {
    pub(super) fn instance_name(&self, instance: usize) -> String {
        match self.targets.len() {
            1 => self.name.clone(),
            _ => format!("{}[{instance}]", self.name),
        }
    }
}
