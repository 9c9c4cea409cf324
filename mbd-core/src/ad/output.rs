//! Named outputs: values a user asks to see, and their gradients for sensitivities.

use crate::equation::{Layout, SlotKind, Want};
use crate::graph::Pieces;
use crate::scalar::Dimension;
use crate::statement::ModelError;
use crate::statement::Units;
use crate::statement::{Element, OnSurface, Rows, ShareOf, still};
use std::collections::HashMap;

/// Of many instances of a statement a few: their units are the same.
pub(crate) fn few(instances: usize) -> impl Iterator<Item = usize> {
    (0..instances).filter(move |&i| i < 4 || i + 1 == instances)
}

/// What can be asked of an output statement.
pub trait OutputGroup: Send + Sync {
    /// Resolves the scalars it reads.
    ///
    /// # Errors
    /// [`ModelError`] when it reads something that is not there.
    fn bind(&mut self, layout: &Layout, initial: &[f64]) -> Result<(), ModelError>;
    /// Values, those of an instance one after the other.
    fn values(&self, y: &[f64], out: &mut Vec<f64>);
    /// ∂/∂(every scalar read) of one value, as (kind, index, derivative).
    fn gradient(&self, y: &[f64], value: usize) -> Vec<(SlotKind, usize, f64)>;
    /// ∂/∂(parameter at flat offset `param`), one per value.
    fn param(&self, y: &[f64], param: u32) -> Vec<f64>;

    /// Looks for the surfaces of the model at which it jumps, among those known by what is compared, at the flat point
    /// `y`: it has to be bound anew then.
    #[doc(hidden)]
    fn follow(&mut self, y: &[f64], known: &HashMap<u64, ShareOf>) {
        let _ = (y, known);
    }

    /// Takes the sides of the guards that the motion holds on these surfaces.
    #[doc(hidden)]
    fn hold_as(&mut self, y: &[f64], held: &[OnSurface]) {
        let _ = (y, held);
    }

    /// Number of instances.
    #[doc(hidden)]
    fn instances(&self) -> usize {
        1
    }

    /// Writes the values of an instance down as expressions, rows of [`Want::F`] from `first` on; `None` where they
    /// depend on comparisons, and for outputs written by hand.
    #[doc(hidden)]
    fn pieces(&self, instance: usize, y: &[f64], first: usize, out: &mut Pieces) -> Option<()> {
        let _ = (instance, y, first, out);
        None
    }

    /// Says what units the outputs are in, in order from `first`; `unit` gives that declared of an
    /// output. Returns how many there are.
    #[doc(hidden)]
    fn units(
        &self,
        y: &[f64],
        first: usize,
        unit: &dyn Fn(usize) -> Option<Dimension>,
        units: &mut Units<'_>,
    ) -> usize {
        let _ = (first, unit, units);
        let mut values = Vec::new();
        self.values(y, &mut values);
        values.len()
    }
}

pub(crate) struct OutputElement {
    pub name: String,
    pub element: Element,
}

impl OutputGroup for OutputElement {
    fn bind(&mut self, layout: &Layout, initial: &[f64]) -> Result<(), ModelError> {
        self.element.bind(&self.name, layout, initial)
    }

    fn follow(&mut self, y: &[f64], known: &HashMap<u64, ShareOf>) {
        self.element.follow_surfaces(y, known);
    }

    fn hold_as(&mut self, y: &[f64], held: &[OnSurface]) {
        self.element.hold_as(y, held);
    }

    fn values(&self, y: &[f64], out: &mut Vec<f64>) {
        if self.element.rows() == 1 {
            out.extend((0..self.element.len()).map(|i| self.element.value(i, y)));
            return;
        }
        let mut rows = Vec::new();
        for i in 0..self.element.len() {
            self.element.values(i, y, &mut rows);
            out.append(&mut rows);
        }
    }

    fn instances(&self) -> usize {
        self.element.len()
    }

    fn pieces(&self, instance: usize, y: &[f64], first: usize, out: &mut Pieces) -> Option<()> {
        let rows = self.element.record(instance, y, &mut out.graph)?;
        let first = first + instance * self.element.rows();
        rows.into_iter().enumerate().for_each(|(r, row)| out.add(Want::F, first + r, row));
        Some(())
    }

    fn gradient(&self, y: &[f64], value: usize) -> Vec<(SlotKind, usize, f64)> {
        let el = &self.element;
        let (i, r) = (value / el.rows().max(1), value % el.rows().max(1));
        let mut row = Rows::default();
        el.gradients(i, y, &mut row);
        let gradient = row.gradient(r).iter().enumerate();
        gradient.map(|(k, &slope)| (el.kind(k), el.slot(i, k), slope)).collect()
    }

    fn units(
        &self,
        y: &[f64],
        first: usize,
        unit: &dyn Fn(usize) -> Option<Dimension>,
        units: &mut Units<'_>,
    ) -> usize {
        for i in few(self.element.len()) {
            let rows = self.element.quantities(i, y, &self.name, units);
            for (r, row) in rows.into_iter().enumerate() {
                let at = first + i * self.element.rows() + r;
                units.require(&self.name, "the output", row, unit(at));
            }
        }
        self.element.len() * self.element.rows()
    }

    fn param(&self, y: &[f64], param: u32) -> Vec<f64> {
        let mut row = Rows::default();
        let mut slopes = Vec::new();
        for i in 0..self.element.len() {
            self.element.along(i, y, still, param, &mut row);
            slopes.extend(row.iter().map(|(value, _)| value.eps));
        }
        slopes
    }
}
