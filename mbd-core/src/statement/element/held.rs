//! Scalars of a joint that holds its frames where they are: numbers, of which nothing is left.

use super::kernel::Body;
use crate::scalar::{Num, Trace};
use std::sync::Arc;

/// From this index on coordinates, velocities and multipliers are those of a joint that holds its
/// frames where they are ([`ModelBuilder::released`](crate::model::ModelBuilder::released)): zero, whatever
/// happens, so that an element reads a number in their place and nothing is left of them in its expressions.
pub(crate) const HELD: usize = 1 << 31;

/// A body with zero for the scalars that are [held](HELD).
pub(super) struct Held {
    pub(super) body: Arc<dyn Body>,
    pub(super) held: Vec<bool>,
}

impl Body for Held {
    fn run(&self, at: &[usize], z: &[Num<Trace>], p: &[Num<Trace>], rows: &mut [Num<Trace>]) {
        let mut free = z.iter().copied();
        let all = self.held.iter().map(|held| match held {
            true => Num::from(0.0),
            false => free.next().unwrap_or(Num::from(0.0)),
        });
        self.body.run(at, &all.collect::<Vec<_>>(), p, rows);
    }
}
