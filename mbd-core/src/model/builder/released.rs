//! Joints of a mechanism in joint coordinates: what holds their frames where they are.
//!
//! In joint coordinates a body's frame is an expression of the coordinates of the joints between it and the
//! ground, and a joint of that tree has no rows and no multipliers. Its reaction is what the balance of all that
//! it carries asks of it, by virtual work: were its frames free to move apart along one of the directions in which it
//! holds them, by a *displacement*, then Lagrange's equation of the displacement would be M a + Gᵀλ − f = 0; as they
//! are not, the left side is the joint's force or moment in that direction. So a model has, beside its coordinates,
//! displacements that are zero, and multipliers of rows −displacement = 0 that nobody solves for. It is built twice:
//! as it is simulated, where both are numbers 0 from which nothing is left in any expression, and *released*, where
//! they are coordinates and rows like all others, for the reactions (`assembly/released.rs`). Applied forces, gravity,
//! springs, closing joints and drives enter as they do everywhere; nothing is written twice.
//!
//! Where the motion depends on a joint's reaction, as friction in the joint itself does, that joint's displacements and rows
//! are part of what is simulated (`displacements_solved`), and its multipliers unknowns like all others.

use super::{ModelBuilder, push_rows};
use crate::model::Model;
use crate::statement::{HELD, ModelError};

impl ModelBuilder {
    /// Says whether this is the model with its joints released: displacements are coordinates then. To be said
    /// first.
    pub fn released(&mut self, released: bool) {
        self.released = released;
    }

    /// Declares displacements in the directions in which a joint holds its frames; returns the first index. After
    /// all other coordinates.
    pub fn displacements(&mut self, name: &str, n: usize) -> usize {
        match self.released {
            true => self.coord_array(name, "", "", n),
            false => HELD,
        }
    }

    /// Declares displacements that are unknowns of what is simulated, since the motion depends on the multipliers of their
    /// rows; returns the first index. Summaries leave them out.
    pub fn displacements_solved(&mut self, name: &str, n: usize) -> usize {
        let first = self.coord_array(name, "", "", n);
        (0..n).for_each(|k| self.housekeeping(&format!("{name}[{k}]")));
        first
    }

    /// Declares the rows that hold them, in each instance; returns the first. After all other holonomic rows.
    pub fn rows_held(&mut self, name: &str, rows: usize, instances: usize) -> usize {
        match self.released {
            true => push_rows(&mut self.holonomic, name, rows, instances),
            false => HELD,
        }
    }
}

impl Model {
    /// With the same model built with its joints [released](ModelBuilder::released), by which the reactions of joints
    /// are told; by outputs too, where they read some.
    ///
    /// # Errors
    /// [`ModelError::Released`] where it is not the same but for displacements and the rows that hold them.
    pub fn with_released(
        mut self,
        released: Model,
        reads_reactions: bool,
    ) -> Result<Model, ModelError> {
        let (mut dims, of) = (self.dims(), released.dims());
        (dims.n, dims.m) = (of.n, of.m);
        let held = [of.n.checked_sub(self.dims().n), of.m.checked_sub(self.dims().m)];
        let constants =
            |model: &Model| (model.layout.constants().len(), model.layout.sides().len());
        if dims != of || held[0] != held[1] || constants(&self) != constants(&released) {
            return Err(ModelError::Released { model: self.name });
        }
        self.released = Some(Box::new(released));
        self.reads_reactions = reads_reactions;
        Ok(self)
    }

    /// The same mechanism with its joints released: their displacements are coordinates behind all others, held by
    /// rows whose multipliers are the joints' reactions. Of a mechanism in joint coordinates.
    pub fn into_released(self) -> Option<Model> {
        self.released.map(|released| *released)
    }
}
