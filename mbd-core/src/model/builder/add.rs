//! Statements of a model as groups of elements: one for each statement, or one for each instance of what reads frames
//! that are told (`told.rs`).

use super::{Implicit, ModelBuilder, array, label};
use crate::ad::{
    Equation, EquationKind, Force, ForceAlong, Gradient, GradientKind, Holonomic, Kinetic,
    MassEntry, Nonholonomic, OutputElement,
};
use crate::model::{BodyKind, Carried, Draw, JointInfo, Load, Reaction, Shape};
use crate::statement::{Element, ElementGroup, ModelError, Parts};

/// The places of an element's instances among those of all.
fn part<T: Clone>(all: &[T], first: usize, element: &Element, each: usize) -> Vec<T> {
    all.iter().skip(first * each).take(element.len() * each).cloned().collect()
}

impl ModelBuilder {
    /// The elements of a statement by their names, each with the number of its first instance; what the statement
    /// compares is known by its own.
    fn named(&mut self, name: &str, parts: Parts) -> Vec<(String, usize, Element)> {
        let all: Vec<_> = parts.named(name).collect();
        let numbered = all.iter().filter(|(own, ..)| own != name);
        self.numbered.extend(numbered.map(|(own, ..)| (own.clone(), name.to_string())));
        all
    }

    pub(super) fn add_holonomic(
        &mut self,
        name: &str,
        parts: Parts,
        first_row: usize,
        reaction: Reaction,
        offset: Option<usize>,
    ) {
        for (name, i, element) in self.named(name, parts) {
            let shift = i * element.rows();
            let (first_row, offset) = (first_row + shift, offset.map(|offset| offset + shift));
            self.group(Holonomic { name, element, first_row, reaction, locked: None, offset });
        }
    }

    pub(super) fn add_locked(
        &mut self,
        name: &str,
        condition: Parts,
        rows: Parts,
        first_row: usize,
        reaction: Reaction,
    ) {
        let condition = condition.split_with(&rows);
        let locks = condition.named(name).map(|(.., lock)| lock).collect::<Vec<_>>();
        for ((name, i, element), lock) in self.named(name, rows).into_iter().zip(locks) {
            let first_row = first_row + i * element.rows();
            let locked = Some(lock);
            self.group(Holonomic { name, element, first_row, reaction, locked, offset: None });
        }
    }

    pub(super) fn add_nonholonomic(
        &mut self,
        name: &str,
        parts: Parts,
        first_row: usize,
        reaction: Reaction,
    ) {
        for (name, i, element) in self.named(name, parts) {
            let first_row = first_row + i * element.rows();
            self.group(Nonholonomic { name, element, first_row, reaction });
        }
    }

    pub(super) fn add_kinetic(&mut self, name: &str, parts: Parts) {
        for (name, _, element) in self.named(name, parts) {
            self.group(Kinetic { name, element });
        }
    }

    pub(super) fn gradient(&mut self, name: &str, parts: Parts, kind: GradientKind) {
        for (name, _, element) in self.named(name, parts) {
            self.group(Gradient { name, element, kind });
        }
    }

    pub(super) fn mass_entries(
        &mut self,
        name: &str,
        parts: Parts,
        entries: &[(usize, usize)],
        mirror: bool,
    ) {
        for (name, i, element) in self.named(name, parts) {
            let entries = part(entries, i, &element, 1);
            self.group(MassEntry::new(name, element, entries, mirror));
        }
    }

    pub(super) fn add_force(&mut self, name: &str, parts: Parts, targets: &[usize]) {
        for (name, i, element) in self.named(name, parts) {
            let targets = part(targets, i, &element, element.rows());
            self.group(Force { name, element, targets, layout: None });
        }
    }

    pub(super) fn add_force_along(&mut self, name: &str, along: Parts, force: Parts) {
        let along = along.split_with(&force);
        let force = force.split_with(&along);
        let forces: Vec<Element> = force.named(name).map(|(.., force)| force).collect();
        for ((name, _, along), force) in self.named(name, along).into_iter().zip(forces) {
            self.nodes.acted_on(&name, &along);
            self.group(ForceAlong { name, along, force });
        }
    }

    pub(super) fn add_implicit(&mut self, name: &str, parts: Parts) {
        for (name, _, element) in self.named(name, parts) {
            let (count, kind) = (element.len(), EquationKind::Implicit);
            let place = Box::new(move |rows| -> Box<dyn ElementGroup> {
                Box::new(Equation { name, element, kind, rows, layout: None })
            });
            self.implicit.push(Implicit { count, place });
        }
    }

    pub(super) fn equations(
        &mut self,
        name: &str,
        parts: Parts,
        kind: EquationKind,
        rows: &[usize],
    ) {
        for (name, i, element) in self.named(name, parts) {
            let rows = part(rows, i, &element, 1);
            self.group(Equation { name, element, kind, rows, layout: None });
        }
    }

    pub(super) fn add_output(
        &mut self,
        name: &str,
        unit: &str,
        doc: &str,
        parts: Parts,
        is_array: bool,
    ) {
        if !is_array {
            self.outputs.push(label(name, unit, doc));
        } else {
            self.outputs.extend(array(name, unit, doc, parts.rows() * parts.len()));
        }
        self.output_elements(name, parts);
    }

    pub(super) fn add_output_vectors(&mut self, name: &str, unit: &str, doc: &str, parts: Parts) {
        for i in 0..parts.len() {
            self.outputs.extend(array(&format!("{name}[{i}]"), unit, doc, parts.rows()));
        }
        self.output_elements(name, parts);
    }

    fn output_elements(&mut self, name: &str, parts: Parts) {
        for (name, _, element) in self.named(name, parts) {
            self.output_groups.push(Box::new(OutputElement { name, element }));
        }
    }

    pub(super) fn add_draw(
        &mut self,
        name: &str,
        shape: Shape,
        color: &str,
        parts: Parts,
        is_array: bool,
    ) {
        let apart = parts.apart;
        for (_, i, element) in parts.named(name) {
            let (name, color) = (name.to_string(), color.into());
            let first = (is_array && apart).then_some(i);
            self.draws.push(Draw {
                name,
                shape,
                color,
                is_array,
                first: first.unwrap_or(0),
                element,
            });
        }
    }

    /// Files of meshes are what they should be.
    pub(super) fn check_meshes(&self) -> Result<(), ModelError> {
        for draw in &self.draws {
            if let Shape::Mesh(mesh) = draw.shape
                && let Err(reason) = mesh.check()
            {
                let (statement, file) = (draw.name.clone(), mesh.file().into());
                return Err(ModelError::Mesh { statement, file, reason: reason.into() });
            }
        }
        Ok(())
    }

    pub(super) fn add_carried(&mut self, names: &[String], kind: BodyKind, parts: Parts) {
        for ((.., element), name) in parts.split().named("").zip(names) {
            self.carried.push(Carried { body: self.bodies.len(), element });
            self.body(name, kind, &[]);
        }
    }

    pub(super) fn add_load(&mut self, name: &str, carries: bool, parts: Parts, is_array: bool) {
        // Each joint that carries a body is told by itself.
        let parts = if is_array && carries { parts.split() } else { parts };
        let apart = parts.apart;
        for (_, i, element) in parts.named(name) {
            let (name, is_array) = match is_array && apart {
                true => (format!("{name}[{i}]"), false),
                false => (name.to_string(), is_array),
            };
            self.loads.push(Load { name, is_array, carries, element });
        }
    }

    pub(super) fn add_joint(&mut self, name: &str, names: &[&str], parts: Parts, is_array: bool) {
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        for (_, first, element) in parts.named(name) {
            let (name, names) = (name.to_string(), names.clone());
            self.joints.push(JointInfo { name, is_array, first, names, element });
        }
    }
}
