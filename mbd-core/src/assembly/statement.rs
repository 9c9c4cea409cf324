//! A statement of a model that outlives the system it was taken from.

use crate::model::Model;
use crate::statement::ElementGroup;
use std::ops::Deref;
use std::sync::Arc;

/// A statement by its number, with a share of the model it belongs to.
#[derive(Clone)]
pub(crate) struct Statement {
    model: Arc<Model>,
    index: usize,
}

impl Statement {
    pub(super) fn new(model: Arc<Model>, index: usize) -> Self {
        Statement { model, index }
    }
}

impl Deref for Statement {
    type Target = dyn ElementGroup;

    fn deref(&self) -> &Self::Target {
        &*self.model.groups[self.index]
    }
}
