//! The explicit methods by name.

/// The explicit methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formula {
    /// `explicit-abm`: Adams–Bashforth predictor and Adams–Moulton corrector of order 2.
    AdamsBashforthMoulton,
    /// `explicit-rk`: Dormand and Prince's pair of orders 5 and 4.
    DormandPrince,
}

impl Formula {
    /// Both.
    pub const ALL: [Formula; 2] = [Formula::AdamsBashforthMoulton, Formula::DormandPrince];

    /// Its name as a method.
    pub fn name(self) -> &'static str {
        match self {
            Formula::AdamsBashforthMoulton => "explicit-abm",
            Formula::DormandPrince => "explicit-rk",
        }
    }
}
