//! The options of the methods.

use crate::error::OptionError;

/// The matrix of Newton's iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jacobian {
    /// Eq. 29.
    Exact,
    /// Fisette and Vaneghem's as eq. 40 is printed: without L and N, the change of the dependent
    /// accelerations through the right side of (13), and without the derivative of Φ_qᵀλ.
    FisetteVaneghem,
    /// The same as the text of section 3.2.2 has it: only L and N are left out.
    WithoutAccelerations,
}

/// Where Newton's iteration starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prediction {
    /// The shared polynomial through past accelerations.
    Polynomial,
    /// Section 3.3: the accelerations that solve the equations of motion (39) at the point which
    /// (16) and (17) give with β = γ = 0 in the new terms.
    Motion,
}

/// Options of the state-space methods.
#[derive(Clone, Debug, PartialEq)]
pub struct StateSpace {
    pub(super) jacobian: Jacobian,
    pub(super) prediction: Prediction,
    pub(super) beta: f64,
    pub(super) gamma: f64,
    pub(super) independent: Vec<String>,
}

impl Default for StateSpace {
    /// The trapezoidal rule, β = 1/4 and γ = 1/2, with the exact Jacobian.
    fn default() -> Self {
        StateSpace {
            jacobian: Jacobian::Exact,
            prediction: Prediction::Polynomial,
            beta: 0.25,
            gamma: 0.5,
            independent: Vec::new(),
        }
    }
}

impl StateSpace {
    /// Fisette and Vaneghem's iteration as eq. 40 is printed.
    pub fn fisette_vaneghem() -> Self {
        StateSpace { jacobian: Jacobian::FisetteVaneghem, ..Default::default() }
    }

    /// Newmark's parameters: β = 1/4, γ = 1/2 is the trapezoidal rule, β = 0, γ = 1/2 Störmer's;
    /// 2β ≥ γ ≥ 1/2 is stable at every step size, γ > 1/2 damps and is of order 1.
    ///
    /// # Errors
    /// [`OptionError::OutOfRange`] unless 0 ≤ β ≤ 1 and 1/2 ≤ γ ≤ 3/2: with a smaller γ every
    /// oscillation grows.
    pub fn newmark(self, beta: f64, gamma: f64) -> Result<Self, OptionError> {
        let refuse = |name, value, range| Err(OptionError::OutOfRange { name, value, range });
        if !(0.0..=1.0).contains(&beta) {
            return refuse(
                "beta",
                beta,
                "Newmark's beta goes from 0 to 1; 1/4 is the trapezoidal rule",
            );
        }
        if !(0.5..=1.5).contains(&gamma) {
            return refuse(
                "gamma",
                gamma,
                "Newmark's gamma goes from 1/2, below which oscillations grow, to 3/2",
            );
        }
        Ok(StateSpace { beta, gamma, ..self })
    }

    /// The matrix of Newton's iteration; any but [`Jacobian::Exact`] makes it `state-space-fv`.
    pub fn jacobian(self, jacobian: Jacobian) -> Self {
        StateSpace { jacobian, ..self }
    }

    /// Where Newton's iteration starts.
    pub fn prediction(self, prediction: Prediction) -> Self {
        StateSpace { prediction, ..self }
    }

    /// Names the independent coordinates; none leaves the choice to the method. The names are
    /// checked against the model when a run starts.
    pub fn independent(self, names: Vec<String>) -> Self {
        StateSpace { independent: names, ..self }
    }
}
