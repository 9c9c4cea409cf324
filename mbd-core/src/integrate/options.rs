//! What the options of every family of methods have in common: a name, settings that a user gives by
//! name, and a stepper made of them.

use super::implicit::Implicit;
use super::limits::Limit;
use super::scheme::{Scheme, Stepper};
use crate::assembly::{Point, System};
use crate::error::OptionError;
use crate::nonlinear::MatrixPolicy;

/// A setting of some methods, not of all.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Setting {
    /// Numerical damping by the spectral radius at infinite frequency.
    Rho(f64),
    /// Numerical damping by α.
    Alpha(f64),
    /// Whether what is carried from step to step follows changes of the step size.
    Adjust(bool),
    /// The independent coordinates by name; none leaves the choice to the method.
    Independent(Vec<String>),
    /// Highest order.
    Order(usize),
    /// Whether velocities take part in the error test.
    TestVelocities(bool),
}

/// Why the BDF methods and Radau IIA have no ρ and α.
pub(super) const DAMPS_ITSELF: &str = "; it damps what its steps do not resolve";
/// Why the methods on independent coordinates have none.
pub(super) const NO_DAMPING: &str =
    ": it has no numerical damping; gen-alpha-soi2, hht-i3 and dae-alpha have";

impl Setting {
    /// The answer of a method without it; `undamped` says why, where it has no ρ and α.
    ///
    /// # Errors
    /// [`OptionError::NotOfMethod`], unless nothing was set: no coordinates named.
    pub(super) fn refuse(
        &self,
        method: &'static str,
        undamped: &'static str,
    ) -> Result<(), OptionError> {
        let (option, hint) = match self {
            Setting::Rho(_) => ("rho", undamped),
            Setting::Alpha(_) => ("alpha", undamped),
            Setting::Adjust(_) => {
                ("adjust", "; gen-alpha-soi2, hht-soi2, dae-alpha and its relatives have it")
            }
            Setting::Independent(names) if names.is_empty() => return Ok(()),
            Setting::Independent(_) => {
                let hint = ": it does not split the coordinates; dae-alpha-cs, dae-alpha-cm, \
                            bdf-cs, bdf-cm and state-space do";
                ("independent", hint)
            }
            Setting::Order(_) => ("order", "; bdf-ggl, bdf-cs and bdf-cm have it"),
            Setting::TestVelocities(_) => {
                let hint = ": it tests positions and states; bdf-ggl, bdf-cs and bdf-cm have it";
                ("positions-only", hint)
            }
        };
        Err(OptionError::NotOfMethod { method, option, hint })
    }
}

/// The options of a family of methods.
pub(super) trait Options {
    /// Name of the method that they make.
    fn name(&self) -> &'static str;

    /// Takes a setting.
    ///
    /// # Errors
    /// [`OptionError`] when it is out of range, or [refused](Setting::refuse).
    fn set(&mut self, setting: Setting) -> Result<(), OptionError>;

    /// What of a model it cannot treat, and a method that can.
    fn limits(&self) -> (&'static [Limit], &'static str) {
        (&[], "")
    }

    /// Builds the method for a system that is within its [limits](Self::limits); `at` is the point it will
    /// start from.
    ///
    /// # Errors
    /// [`OptionError`] when its options do not fit the model.
    fn stepper(
        &self,
        system: &System,
        at: &Point,
        common: &Common,
    ) -> Result<Box<dyn Stepper>, OptionError>;
}

/// What every method with a Newton iteration takes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Common {
    /// How the Newton matrix is kept; the method's own choice when `None`.
    pub(super) matrix: Option<MatrixPolicy>,
    /// Whether an iteration may take an earlier step's rate for its own; likewise.
    pub(super) trust_rate: Option<bool>,
    /// Bound of the predictor's degree.
    pub(super) degree: Option<usize>,
}

impl Common {
    /// A stepper of a scheme.
    pub(super) fn implicit<S: Scheme + 'static>(&self, scheme: S) -> Box<dyn Stepper> {
        let mut stepper = Implicit::new(scheme, self.matrix, self.trust_rate);
        if let Some(degree) = self.degree {
            stepper.limit_degree(degree);
        }
        Box::new(stepper)
    }
}
