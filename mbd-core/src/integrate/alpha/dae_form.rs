//! The options of `dae-alpha` and its relatives.

use super::family::AlphaFamily;
use crate::error::OptionError;
use crate::integrate::options::Setting;

/// The forms of the method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `dae-alpha`, eq. 3.3: with the multipliers ν and μ as unknowns.
    Stabilized,
    /// `projected-ode`, eq. 2.5: the α-method on the underlying ODE, projected.
    ProjectedOde,
    /// `dae-alpha-cs`, eq. 3.6 with Newton's iteration.
    CoordinateSplit,
    /// `dae-alpha-cm`, the same equations without the derivative of P in the iteration matrix.
    Modified,
    /// `dae-alpha-cm-frozen`, with P of the predicted coordinates in the equations.
    Frozen,
}

impl Form {
    /// Every form.
    pub const ALL: [Form; 5] =
        [Form::Stabilized, Form::ProjectedOde, Form::CoordinateSplit, Form::Modified, Form::Frozen];

    /// Its name as a method.
    pub fn name(self) -> &'static str {
        match self {
            Form::Stabilized => "dae-alpha",
            Form::ProjectedOde => "projected-ode",
            Form::CoordinateSplit => "dae-alpha-cs",
            Form::Modified => "dae-alpha-cm",
            Form::Frozen => "dae-alpha-cm-frozen",
        }
    }

    /// Whether it splits the coordinates into dependent and independent ones.
    pub fn splits(self) -> bool {
        matches!(self, Form::CoordinateSplit | Form::Modified | Form::Frozen)
    }
}

/// Options of the DAE α-methods.
#[derive(Clone, Debug, PartialEq)]
pub struct DaeAlpha {
    pub(in crate::integrate) form: Form,
    pub(in crate::integrate) family: AlphaFamily,
    pub(in crate::integrate) adjust: bool,
    pub(in crate::integrate) test_multipliers: bool,
    pub(in crate::integrate) independent: Vec<String>,
}

impl DaeAlpha {
    /// A form with generalized-α parameters for ρ∞ = 0.75.
    pub fn new(form: Form) -> Self {
        let family = AlphaFamily::of_radius(0.75);
        DaeAlpha { form, family, adjust: true, test_multipliers: true, independent: Vec::new() }
    }

    /// Generalized-α by the spectral radius at infinite frequency, ρ∞ ∈ [0, 1].
    ///
    /// # Errors
    /// [`OptionError::OutOfRange`]; never clamped.
    pub fn rho(self, rho: f64) -> Result<Self, OptionError> {
        Ok(DaeAlpha { family: AlphaFamily::generalized(rho)?, ..self })
    }

    /// HHT by α ∈ [−1/3, 0].
    ///
    /// # Errors
    /// [`OptionError::OutOfRange`]; never clamped.
    pub fn alpha(self, alpha: f64) -> Result<Self, OptionError> {
        Ok(DaeAlpha { family: AlphaFamily::hht(alpha)?, ..self })
    }

    /// Whether the algorithmic acceleration is adjusted to a changed step size (default); off, v
    /// and λ lose an order when steps alternate.
    pub fn adjust(self, adjust: bool) -> Self {
        DaeAlpha { adjust, ..self }
    }

    /// Whether Newton's iteration must converge in ν and μ too (default, as in the paper), for
    /// [`Form::Stabilized`] at a tolerance; the split forms have no multipliers to test.
    pub fn test_multipliers(self, test: bool) -> Self {
        DaeAlpha { test_multipliers: test, ..self }
    }

    /// Names the independent coordinates, for the forms that split; none leaves the choice to the
    /// method.
    ///
    /// # Errors
    /// [`OptionError::NotOfMethod`] for the other forms. The names are checked against the model
    /// when a run starts.
    pub fn independent(self, names: Vec<String>) -> Result<Self, OptionError> {
        if self.form.splits() {
            return Ok(DaeAlpha { independent: names, ..self });
        }
        Setting::Independent(names).refuse(self.form.name(), "").map(|()| self)
    }

    /// The form.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Its parameters.
    pub fn family(&self) -> &AlphaFamily {
        &self.family
    }
}
