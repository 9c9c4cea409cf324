//! What can be said against a model before it is built.

use super::ModelBuilder;
use crate::equation::{Dims, Term};
use crate::statement::ModelError;

impl ModelBuilder {
    pub(super) fn check_vectors(&self) -> Result<(), ModelError> {
        let mut taken = vec![false; self.coords.len()];
        for vector in &self.vectors {
            for &i in vector {
                let coordinate =
                    self.coords.get(i).map_or(String::new(), |label| label.name.clone());
                let unit = |i: usize| self.coords.get(i).map(|label| &label.unit);
                let reason = match taken.get(i) {
                    None => format!("there is no coordinate {i}"),
                    Some(true) => "it stands in two of them, or twice".into(),
                    Some(false) if unit(i) != unit(vector[0]) => "its unit is another".into(),
                    Some(false) => {
                        taken[i] = true;
                        continue;
                    }
                };
                return Err(ModelError::Vector { coordinate, reason });
            }
        }
        Ok(())
    }

    pub(super) fn check_names(&self) -> Result<(), ModelError> {
        let labels = [&self.params, &self.coords, &self.states, &self.variables, &self.modes];
        let inputs = self.inputs.iter().map(|input| &input.label);
        let count = labels.iter().map(|list| list.len()).sum::<usize>() + inputs.len();
        let mut seen = std::collections::HashSet::with_capacity(count);
        for label in labels.into_iter().flatten().chain(inputs) {
            if !seen.insert(&label.name) {
                return Err(ModelError::DuplicateName { name: label.name.clone() });
            }
        }
        Ok(())
    }

    pub(super) fn check_values(&mut self, dims: &Dims) -> Result<(), ModelError> {
        let initial = &mut self.initial;
        initial.q.resize(dims.n, 0.0);
        initial.keep_q.resize(dims.n, false);
        initial.scale_q.resize(dims.n, None);
        initial.scale_x.resize(dims.nx, None);
        initial.v.resize(dims.n, 0.0);
        initial.keep_v.resize(dims.n, false);
        initial.x.resize(dims.nx, 0.0);
        initial.w.resize(dims.nw, 0.0);
        let scales = initial.scale_q.iter().chain(&initial.scale_x);
        for (label, scale) in self.coords.iter().chain(&self.states).zip(scales) {
            if let Some(value) = scale.filter(|scale| !(*scale > 0.0 && scale.is_finite())) {
                return Err(ModelError::BadScale { name: label.name.clone(), value });
            }
        }
        for (input, &value) in self.inputs.iter().zip(&initial.inputs) {
            if !value.is_finite() {
                let name = input.label.name.clone();
                return Err(ModelError::NotFinite { what: "value", name, value });
            }
        }
        for (what, labels, values) in [
            ("value", &self.params, &self.param_values),
            ("initial value", &self.coords, &initial.q),
            ("initial velocity", &self.coords, &initial.v),
            ("initial value", &self.states, &initial.x),
            ("initial value", &self.modes, &initial.modes),
        ] {
            for (label, &value) in labels.iter().zip(values) {
                if !value.is_finite() {
                    return Err(ModelError::NotFinite { what, name: label.name.clone(), value });
                }
            }
        }
        Ok(())
    }

    pub(super) fn check_definitions(&self) -> Result<(), ModelError> {
        let mut counts = vec![0; self.variables.len()];
        for &variable in &self.definitions {
            if let Some(count) = counts.get_mut(variable) {
                *count += 1;
            }
        }
        match counts.iter().position(|&count| count != 1) {
            Some(i) => Err(ModelError::VariableDefinitions {
                name: self.variables[i].name.clone(),
                count: counts[i],
            }),
            None => Ok(()),
        }
    }

    /// Every coordinate must appear in the mass matrix's pattern.
    pub(super) fn check_inertia(&self, dims: &Dims) -> Result<(), ModelError> {
        let mut has = vec![false; dims.n];
        let mut entries = Vec::new();
        // The last body of a tree moves with all coordinates: nothing new is known of those before.
        for group in self.groups.iter().rev().filter(|group| group.terms().contains(&Term::M)) {
            for i in 0..group.instances() {
                let moved = group.moved(i);
                if !moved.is_empty() && moved.iter().all(|&k| has.get(k) == Some(&true)) {
                    continue;
                }
                entries.clear();
                group.entries(Term::M, i, &mut entries);
                for (row, _) in entries.iter().flatten() {
                    if let Some(has) = has.get_mut(*row as usize) {
                        *has = true;
                    }
                }
            }
        }
        match has.iter().position(|has| !has) {
            Some(i) => Err(ModelError::NoInertia { name: self.coords[i].name.clone() }),
            None => Ok(()),
        }
    }
}
