//! What `gen-alpha-soi2` and `hht-soi2` can be told.

use crate::error::OptionError;
use crate::integrate::alpha::family::AlphaFamily;

/// The algorithmic acceleration of the first step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// a_α = a_0.
    Initial,
    /// a_α = a(t_0 + α h) by eq. 8, on the line through a_0 and a'_α; for α_m = 0, and where both
    /// are nearly at the same instant (ρ∞ below 0.15), as `Initial`.
    Shifted,
}

/// Options of `gen-alpha-soi2` and `hht-soi2`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Soi2 {
    pub(super) family: AlphaFamily,
    pub(super) hht: bool,
    pub(super) adjust: bool,
    pub(super) general: bool,
    pub(super) start: Start,
}

/// ρ∞ of `gen-alpha-soi2` when none is given.
pub const DEFAULT_RHO: f64 = 0.8;

impl Default for Soi2 {
    /// `gen-alpha-soi2` with ρ∞ = 0.8.
    fn default() -> Self {
        Self::new(AlphaFamily::of_radius(DEFAULT_RHO), false)
    }
}

impl Soi2 {
    fn new(family: AlphaFamily, hht: bool) -> Self {
        Soi2 { family, hht, adjust: true, general: false, start: Start::Initial }
    }

    /// `gen-alpha-soi2` with the spectral radius at infinite frequency, ρ∞ ∈ [0, 1].
    ///
    /// With adaptive steps stay below 1: without damping the algorithmic acceleration keeps a
    /// component that changes sign from step to step, the error estimate takes it for a change of
    /// the acceleration, and steps are rejected in vain (pendulum, tolerance 1e-5: 337 rejected of
    /// 2616, against 21 of 2269 at 0.8; some runs do not end). For fixed steps 1 is as good as any.
    ///
    /// # Errors
    /// [`OptionError::OutOfRange`]; never clamped.
    pub fn rho(rho: f64) -> Result<Self, OptionError> {
        Ok(Self::new(AlphaFamily::generalized(rho)?, false))
    }

    /// `hht-soi2` with α = −0.3, as in the paper's runs.
    pub fn hht_default() -> Self {
        Self::new(AlphaFamily::HHT_DEFAULT, true)
    }

    /// `hht-soi2` with α ∈ [−1/3, 0].
    ///
    /// # Errors
    /// [`OptionError::OutOfRange`]; never clamped.
    pub fn hht(alpha: f64) -> Result<Self, OptionError> {
        Ok(Self::new(AlphaFamily::hht(alpha)?, true))
    }

    /// `gen-alpha-soi2` with parameters of one's own; both below 1.
    ///
    /// # Errors
    /// [`OptionError::OutOfRange`].
    pub fn parameters(alpha_m: f64, alpha_f: f64) -> Result<Self, OptionError> {
        for (name, value) in [("alpha_m", alpha_m), ("alpha_f", alpha_f)] {
            if !(-1.0..1.0).contains(&value) {
                let range = "parameters of the alpha family are from -1 to below 1";
                return Err(OptionError::OutOfRange { name, value, range });
            }
        }
        Ok(Self::new(AlphaFamily { alpha_m, alpha_f }, false))
    }

    /// The same method with another ρ∞: from 0 to 1, for `hht-soi2` from 1/2.
    ///
    /// # Errors
    /// [`OptionError::OutOfRange`].
    pub fn with_rho(self, rho: f64) -> Result<Self, OptionError> {
        let family =
            if self.hht { AlphaFamily::hht_rho(rho)? } else { AlphaFamily::generalized(rho)? };
        Ok(Soi2 { family, ..self })
    }

    /// The HHT member of the family with this α, which is `hht-soi2`.
    ///
    /// # Errors
    /// [`OptionError::OutOfRange`].
    pub fn with_alpha(self, alpha: f64) -> Result<Self, OptionError> {
        Ok(Soi2 { family: AlphaFamily::hht(alpha)?, hht: true, ..self })
    }

    /// Whether a_α and M̂ a_α follow changes of the step size (eq. 14); true by default. Without,
    /// the method loses an order where steps change, which is what this is for.
    pub fn adjust(mut self, adjust: bool) -> Self {
        self.adjust = adjust;
        self
    }

    /// Evaluates the forces twice, as if they depended on multipliers, even where they do not: the
    /// same solution with more work. For tests.
    pub fn general(mut self, general: bool) -> Self {
        self.general = general;
        self
    }

    /// The algorithmic acceleration of the first step.
    pub fn start(mut self, start: Start) -> Self {
        self.start = start;
        self
    }

    /// α_m, α_f, β, γ.
    pub fn family(&self) -> AlphaFamily {
        self.family
    }
}
