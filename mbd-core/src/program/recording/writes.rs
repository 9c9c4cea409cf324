//! What can be written down.

use crate::equation::Term;
use crate::graph::{Energy, Pieces};
use crate::statement::ElementGroup;

/// What can be written down, instance by instance.
pub(crate) trait Writes {
    fn instances(&self) -> usize;
    /// The pieces of an instance; `None` where they are no expressions.
    fn pieces(&self, instance: usize, y: &[f64], out: &mut Pieces) -> Option<()>;
    /// The coordinates that a kinetic energy moves, and it itself: see [`ElementGroup::energy`].
    fn moved(&self, _: usize) -> Vec<usize> {
        Vec::new()
    }
    /// The coordinates that an instance acts on along expressions; and the terms that the group offers.
    fn acts_on(&self, _: usize) -> Vec<usize> {
        Vec::new()
    }
    fn terms(&self) -> Vec<Term> {
        Vec::new()
    }
    fn energy(&self, _: usize, _: &[f64], _: &mut Pieces) -> Option<Energy> {
        None
    }
}

impl Writes for Box<dyn ElementGroup> {
    fn instances(&self) -> usize {
        (**self).instances()
    }
    fn pieces(&self, instance: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        (**self).pieces(instance, y, out)
    }
    fn moved(&self, instance: usize) -> Vec<usize> {
        (**self).moved(instance)
    }
    fn acts_on(&self, instance: usize) -> Vec<usize> {
        (**self).acts_on(instance)
    }
    fn terms(&self) -> Vec<Term> {
        (**self).terms()
    }
    fn energy(&self, instance: usize, y: &[f64], out: &mut Pieces) -> Option<Energy> {
        (**self).energy(instance, y, out)
    }
}
