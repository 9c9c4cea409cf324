//! The surfaces of a model that its motion can slide along, as its statements find them.

use super::layout::Layout;
use super::terms::ElementGroup;
use std::collections::HashMap;
use std::ops::Range;

/// Surfaces σ(t, q, v) = 0 found so far, with the nonholonomic rows that they may add to the equations.
#[doc(hidden)]
pub struct Surfaces {
    /// The layout without them.
    pub(crate) layout: Layout,
    /// Which surface an expression σ belongs to, by a hash of it.
    pub(crate) known: HashMap<u64, usize>,
    /// The rows of each statement, by its name, and what evaluates them.
    pub(crate) blocks: Vec<(String, Range<usize>)>,
    pub(crate) groups: Vec<Box<dyn ElementGroup>>,
    /// How many there are.
    pub(crate) count: usize,
}

impl Surfaces {
    /// None so far.
    pub(crate) fn new(layout: Layout) -> Self {
        let (known, blocks, groups) = Default::default();
        Surfaces { layout, known, blocks, groups, count: 0 }
    }

    /// The first of their rows: behind the nonholonomic constraints that the model states.
    pub(crate) fn first(&self) -> usize {
        self.layout.dims.p
    }
}
