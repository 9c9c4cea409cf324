//! The forms of the equations that the formulas are used on, and their options.

use super::past::MAX_ORDER;
use crate::error::OptionError;
use crate::integrate::options::{Options, Setting};

/// The one method that can converge to wrong answers: for comparison with what was published, and
/// never chosen unless named.
pub const INCONSISTENT: &str = "bdf-cm-1996";

/// The forms of the equations and of the iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BdfForm {
    /// `bdf-ggl`, eq. 1.3.
    Stabilized,
    /// `bdf-ggl-star`: the same with the multipliers kept out of the convergence test.
    StabilizedStar,
    /// `bdf-cs`, eq. 1.4 with Newton's iteration.
    CoordinateSplit,
    /// `bdf-cm`, the same equations without the derivative of P in the iteration matrix.
    Modified,
    /// `bdf-cm-1996`, with P of the last Newton matrix in the equations: not consistent.
    Stale,
}

impl BdfForm {
    /// Every form.
    pub const ALL: [BdfForm; 5] = [
        BdfForm::Stabilized,
        BdfForm::StabilizedStar,
        BdfForm::CoordinateSplit,
        BdfForm::Modified,
        BdfForm::Stale,
    ];

    /// Its name as a method.
    pub fn name(self) -> &'static str {
        match self {
            BdfForm::Stabilized => "bdf-ggl",
            BdfForm::StabilizedStar => "bdf-ggl-star",
            BdfForm::CoordinateSplit => "bdf-cs",
            BdfForm::Modified => "bdf-cm",
            BdfForm::Stale => INCONSISTENT,
        }
    }

    /// Whether its equations are those without multipliers.
    pub fn splits(self) -> bool {
        !matches!(self, BdfForm::Stabilized | BdfForm::StabilizedStar)
    }
}

/// Options of the BDF methods.
#[derive(Clone, Debug, PartialEq)]
pub struct Bdf {
    pub(in crate::integrate) form: BdfForm,
    pub(in crate::integrate) order: usize,
    pub(in crate::integrate) test_velocities: bool,
    pub(in crate::integrate) test_dependent: bool,
    pub(in crate::integrate) independent: Vec<String>,
}

impl Bdf {
    /// A form with orders up to 2, which are A-stable.
    pub fn new(form: BdfForm) -> Self {
        Bdf {
            form,
            order: 2,
            test_velocities: true,
            test_dependent: form == BdfForm::Stabilized,
            independent: Vec::new(),
        }
    }

    /// Highest order, from 1 to 5 (2 by default, as in the paper). Orders above 2 are not A-stable:
    /// they are for motions without undamped fast vibrations.
    ///
    /// # Errors
    /// [`OptionError::OutOfRange`]; never clamped.
    pub fn order(self, order: usize) -> Result<Self, OptionError> {
        if (1..=MAX_ORDER).contains(&order) {
            Ok(Bdf { order, ..self })
        } else {
            Err(OptionError::OutOfRange {
                name: "order",
                value: order as f64,
                range: "the BDF methods take orders from 1 to 5",
            })
        }
    }

    /// Whether velocities take part in the error test (default, as in section 5.2); without, it is
    /// on coordinates and states alone, as in section 5.1.
    pub fn test_velocities(self, test: bool) -> Self {
        Bdf { test_velocities: test, ..self }
    }

    /// Whether dependent coordinates (and velocities) take part in the error test: by default in
    /// [`BdfForm::Stabilized`] only, which has no others.
    pub fn test_dependent(self, test: bool) -> Self {
        Bdf { test_dependent: test || self.form == BdfForm::Stabilized, ..self }
    }

    /// Names the independent coordinates, for all forms but [`BdfForm::Stabilized`]; none leaves
    /// the choice to the method. The names are checked against the model when a run starts.
    ///
    /// # Errors
    /// [`OptionError::NotOfMethod`] for that form.
    pub fn independent(self, names: Vec<String>) -> Result<Self, OptionError> {
        if self.form != BdfForm::Stabilized {
            return Ok(Bdf { independent: names, ..self });
        }
        Setting::Independent(names).refuse(self.name(), "").map(|()| self)
    }

    /// The form.
    pub fn form(&self) -> BdfForm {
        self.form
    }
}
