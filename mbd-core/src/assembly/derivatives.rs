//! What derivatives are taken by.

/// What residual pieces and derivatives are evaluated by.
///
/// The two share no code that differentiates: they check each other
/// ([`verify::program_error`](crate::verify::program_error)), and a motion computed by the one is to
/// round-off that computed by the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Derivatives {
    /// By programs: every statement written down once as an expression, differentiated as one and
    /// evaluated as straight-line code.
    #[default]
    Programs,
    /// On num-dual's numbers, statement by statement and point by point, matrices with every entry that
    /// a statement could have: many times slower.
    Dual,
}

impl Derivatives {
    /// All, by the names they have on the command line.
    pub const NAMES: [(&'static str, Derivatives); 2] =
        [("program", Derivatives::Programs), ("dual", Derivatives::Dual)];

    /// `program` or `dual`.
    pub fn name(self) -> &'static str {
        match self {
            Derivatives::Programs => "program",
            Derivatives::Dual => "dual",
        }
    }
}
