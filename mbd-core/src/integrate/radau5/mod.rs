//! `radau5`: Radau IIA with three stages on the index-1 or the index-2 equations, projected onto
//! the constraints (Hairer and Wanner, Solving ODEs II, IV.8 and VII.4).
//!
//! With q_i, v_i, x_i at the stages t + c_i h expressed by the stages' a and ẋ,
//!
//! ```text
//!     v_i = v + h Σ_j a_ij a_j,     q_i = q + c_i h v + h² Σ_j (A²)_ij a_j,     x_i = x + h Σ_j a_ij ẋ_j,
//! ```
//!
//! the unknowns of a step are the accelerations, multipliers, state rates and variables of its
//! stages, and q̇ = v, v̇ = a have left the linear algebra. The equations hold in every stage:
//!
//! ```text
//!     M a + Gᵀλ + Kᵀψ = f,    G a + γ = 0,    K a + ζ = 0,    d = 0,    w = φ.
//! ```
//!
//! or, in the [index-2 form](Form::Velocity), G v + g_t = 0 and k = 0 in place of the two
//! constraints. After each step q and v are projected onto all constraints, to round-off, with the
//! factorization at hand: its matrix weights the correction by M/h² and the stiffness, so that stiff
//! modes are not excited.
//!
//! Order 5 in q, v, x; in a and λ order 5 in the index-1 form, 3 in the index-2 form. Between the
//! points, q is the quintic through (q, v, a) at both ends, x the quartic that ẋ of the stages says.

mod collocation;
mod defect;
mod form;
mod pace;
mod scheme;
mod solver;
mod stages;
mod tableau;

use super::options::{Common, DAMPS_ITSELF, Options, Setting};
use super::scheme::Stepper;
use crate::assembly::{Point, System};
use crate::error::OptionError;
pub use form::Form;
pub use scheme::RadauScheme;
pub(super) use stages::{Formulas, Levels};

/// Options of the method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Radau5 {
    form: Form,
}

impl Radau5 {
    /// On a form of the equations.
    pub fn new(form: Form) -> Self {
        Radau5 { form }
    }

    /// Builds the method for a system.
    pub fn scheme(&self, system: &System) -> RadauScheme {
        RadauScheme::new(self.form, system)
    }
}

impl Options for Radau5 {
    fn name(&self) -> &'static str {
        self.form.name()
    }

    fn set(&mut self, setting: Setting) -> Result<(), OptionError> {
        setting.refuse(self.name(), DAMPS_ITSELF)
    }

    fn stepper(
        &self,
        system: &System,
        _: &Point,
        common: &Common,
    ) -> Result<Box<dyn Stepper>, OptionError> {
        Ok(common.implicit(self.scheme(system)))
    }
}
