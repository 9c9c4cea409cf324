//! Massless nodes: variables that the balance of forces along them determines.

use crate::equation::SlotKind;
use crate::model::{Label, ModelError};
use crate::statement::Element;
use std::collections::{BTreeMap, HashSet};

/// The variables that are coordinates of nodes, and what forces along positions read.
#[derive(Default)]
pub(super) struct Nodes {
    balanced: HashSet<usize>,
    /// Of each variable in a direction the first force that acts along it.
    acted_on: BTreeMap<usize, String>,
}

impl Nodes {
    /// Takes down which variables the direction of a force reads.
    pub(super) fn acted_on(&mut self, name: &str, along: &Element) {
        let variables: Vec<usize> = along.of_kind(SlotKind::W).collect();
        for i in 0..along.len() {
            for &k in &variables {
                self.acted_on.entry(along.slot(i, k)).or_insert_with(|| name.into());
            }
        }
    }

    pub(super) fn balance(&mut self, variables: &[usize]) {
        self.balanced.extend(variables);
    }

    /// A node on which nothing acts is nowhere; a variable that has a definition takes no force.
    pub(super) fn check(&self, variables: &[Label]) -> Result<(), ModelError> {
        let name = |i: usize| variables.get(i).map_or(String::new(), |label| label.name.clone());
        let mut nodes: Vec<usize> = self.balanced.iter().copied().collect();
        nodes.sort_unstable();
        if let Some(&node) = nodes.iter().find(|node| !self.acted_on.contains_key(node)) {
            return Err(ModelError::FreeNode { name: name(node) });
        }
        match self.acted_on.iter().find(|(variable, _)| !self.balanced.contains(variable)) {
            Some((&variable, force)) => {
                Err(ModelError::ForceOnVariable { force: force.clone(), name: name(variable) })
            }
            None => Ok(()),
        }
    }
}
