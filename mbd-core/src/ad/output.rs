//! Named outputs: values a user asks to see, and their gradients for sensitivities.

use super::element::{Element, Kernel};
use crate::assembly::{Layout, SlotKind};
use crate::model::ModelError;

/// What can be asked of an output statement.
pub trait OutputGroup: Send + Sync {
    /// Resolves the scalars it reads.
    ///
    /// # Errors
    /// [`ModelError`] when it reads something that is not there.
    fn bind(&mut self, layout: &Layout, initial: &[f64]) -> Result<(), ModelError>;
    /// Values, one per instance.
    fn values(&self, y: &[f64], out: &mut Vec<f64>);
    /// ∂/∂(every scalar read) of one instance, as (kind, index, derivative).
    fn gradient(&self, y: &[f64], instance: usize) -> Vec<(SlotKind, usize, f64)>;
    /// ∂/∂(parameter at flat offset `param`), one per instance.
    fn param(&self, y: &[f64], param: u32) -> Vec<f64>;
}

pub(crate) struct OutputElement<E, const K: usize, const P: usize> {
    pub name: String,
    pub element: Element<E, K, P, 1>,
}

impl<E: Kernel<K, P, 1>, const K: usize, const P: usize> OutputGroup for OutputElement<E, K, P> {
    fn bind(&mut self, layout: &Layout, initial: &[f64]) -> Result<(), ModelError> {
        self.element.bind(&self.name, layout, initial)
    }

    fn values(&self, y: &[f64], out: &mut Vec<f64>) {
        out.extend((0..self.element.len()).map(|i| self.element.values(i, y)[0]));
    }

    fn gradient(&self, y: &[f64], i: usize) -> Vec<(SlotKind, usize, f64)> {
        let [(_, gradient)] = self.element.gradients(i, y);
        (0..K).map(|k| (self.element.inst.kinds[k], self.element.slot(i, k), gradient[k])).collect()
    }

    fn param(&self, y: &[f64], param: u32) -> Vec<f64> {
        (0..self.element.len())
            .map(|i| {
                let [(value, _)] = self.element.along(i, y, &[0.0; K], param);
                value.eps
            })
            .collect()
    }
}
