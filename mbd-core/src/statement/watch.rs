//! What is asked of a statement's comparisons, and of what of it depends on time alone.

use super::share::ShareOf;
use crate::graph::{Node, Recorder};
use crate::scalar::{Clock, Part, Path};

/// What is found of the comparisons and the time-dependent parts of instances.
#[doc(hidden)]
#[derive(Default)]
pub struct Watched {
    /// The values whose signs decided, instance after instance, in the order of evaluation.
    pub(crate) decisions: Vec<f64>,
    /// Of each the flat index of the side on which it can be held, if it can.
    pub(crate) held: Vec<Option<u32>>,
    /// And the surface that the motion can slide along at its zero, if it can, by its share, and whether the guard is the
    /// negative of what that surface's is.
    pub(crate) surfaces: Vec<Option<(ShareOf, bool)>>,
    /// And which of the three comparisons of a plane it is, if it is one.
    pub(crate) parts: Vec<Option<u8>>,
    /// The parts of an instance that depend on time alone.
    pub(crate) clocks: Vec<Clock>,
    /// What the kernels of an instance compared and read, kernel after kernel.
    pub(crate) seen: Vec<Seen>,
    /// The comparison to be written out, and its two sides.
    pub(crate) wanted: Option<(usize, u64)>,
    pub(crate) sides: [Vec<Part>; 2],
    /// The values whose signs decide as expressions of an instance, in the order of evaluation, where
    /// all of them can be written down.
    pub(crate) expressions: Option<Vec<Node>>,
    /// The rates at which they change with the motion, likewise.
    pub(crate) rates: Vec<Node>,
    /// What they are written into.
    pub(crate) graph: Recorder,
}

/// What a kernel compared and read in one evaluation.
pub(crate) struct Seen {
    pub(crate) path: Path,
    /// Flat index of each of its inputs, parameters last.
    pub(crate) flats: Vec<u32>,
}

/// Which of the two a statement has, and which is asked for.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// Comparisons of values.
    pub comparisons: bool,
    /// Time.
    pub time: bool,
    /// What is compared and what is read, in full: asked for only.
    pub paths: bool,
    /// Comparisons as expressions.
    pub expressions: bool,
}
