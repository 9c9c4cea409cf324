//! What code is called with, and the lengths it relies on.

/// Instances that the code for many evaluates together.
pub(crate) const LANES: usize = 4;
/// Most angles of one instance that are computed together.
pub(super) const TOGETHER: usize = 2 * LANES;
/// Slices that inputs are read from.
pub(crate) const SOURCES: usize = 5;
/// Most slices that results are added to.
pub(crate) const RESULTS: usize = 17;

/// Pointers that the code starts from.
#[repr(C)]
pub(super) struct Frame {
    pub(super) sources: [*const f64; SOURCES],
    pub(super) slots: *mut f64,
    pub(super) results: [*mut f64; RESULTS],
}

/// Least lengths of what code is called with.
#[derive(Debug)]
pub(super) struct Lengths {
    pub(super) sources: [usize; SOURCES],
    /// The results that are written to.
    pub(super) results: Box<[(usize, usize)]>,
    /// In numbers.
    pub(super) slots: usize,
}
