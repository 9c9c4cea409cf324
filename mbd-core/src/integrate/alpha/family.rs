//! The parameters of the α-family: one set of formulas from Newmark and HHT to generalized-α.
//!
//! ```text
//! q' = q + h v + h²/2 ((1−2β) a + 2β a')            α = α_m − α_f
//! v' = v + h ((1−γ) a + γ a')                       β = (1−α)²/4,  γ = 1/2 − α
//! (1−α_m) M a' + α_m M a = (1−α_f) f' + α_f f
//! ```
//!
//! a and a' are *algorithmic* accelerations: those at t + α h and t' + α h. A method carries them
//! from step to step under a name of their own; it never derives them anew from q and v, which
//! would change the spectral radius.

use crate::error::OptionError;

/// What a step carried for one coordinate, before and after: its change, the total force, M a and a
/// of the algorithmic acceleration.
pub(in crate::integrate) struct Carried {
    pub(in crate::integrate) dq: f64,
    pub(in crate::integrate) f: [f64; 2],
    pub(in crate::integrate) p: [f64; 2],
    pub(in crate::integrate) a: [f64; 2],
}

/// α_m, α_f, β and γ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlphaFamily {
    /// Weight of the earlier acceleration.
    pub alpha_m: f64,
    /// Weight of the earlier force.
    pub alpha_f: f64,
}

impl AlphaFamily {
    /// Generalized-α (Chung and Hulbert) by the spectral radius at infinite frequency: from 0,
    /// which annihilates high frequencies in one step, to 1, which keeps them.
    ///
    /// # Errors
    /// [`OptionError::OutOfRange`]; never clamped.
    pub fn generalized(rho: f64) -> Result<Self, OptionError> {
        if (0.0..=1.0).contains(&rho) {
            Ok(Self::of_radius(rho))
        } else {
            Err(OptionError::OutOfRange {
                name: "rho",
                value: rho,
                range: "generalized-alpha takes rho from 0 (most damping) to 1 (none)",
            })
        }
    }

    /// The same for a radius known to be in range.
    pub(in crate::integrate) const fn of_radius(rho: f64) -> Self {
        AlphaFamily { alpha_m: (2.0 * rho - 1.0) / (1.0 + rho), alpha_f: rho / (1.0 + rho) }
    }

    /// HHT with α = −0.3, as in the runs of papers 001 and 002.
    pub(in crate::integrate) const HHT_DEFAULT: Self = AlphaFamily { alpha_m: 0.0, alpha_f: 0.3 };

    /// HHT, α_m = 0 and α_f = −α, with α from −1/3 (most damping) to 0 (none).
    ///
    /// # Errors
    /// [`OptionError::OutOfRange`]; never clamped.
    pub fn hht(alpha: f64) -> Result<Self, OptionError> {
        if (-1.0 / 3.0 - f64::EPSILON..=0.0).contains(&alpha) {
            Ok(AlphaFamily { alpha_m: 0.0, alpha_f: -alpha })
        } else {
            Err(OptionError::OutOfRange {
                name: "alpha",
                value: alpha,
                range: "HHT takes alpha from -1/3 (most damping) to 0 (none)",
            })
        }
    }

    /// HHT by the spectral radius at infinite frequency, from 1/2 to 1: α = −(1−ρ)/(1+ρ).
    ///
    /// # Errors
    /// [`OptionError::OutOfRange`]; never clamped.
    pub fn hht_rho(rho: f64) -> Result<Self, OptionError> {
        if (0.5..=1.0).contains(&rho) {
            Self::hht(-(1.0 - rho) / (1.0 + rho))
        } else {
            Err(OptionError::OutOfRange {
                name: "rho",
                value: rho,
                range: "HHT takes rho from 0.5 (most damping) to 1 (none)",
            })
        }
    }

    /// α = α_m − α_f: the algorithmic acceleration is that at t + α h.
    pub fn alpha(&self) -> f64 {
        self.alpha_m - self.alpha_f
    }

    /// β = (1−α)²/4.
    pub fn beta(&self) -> f64 {
        (1.0 - self.alpha()).powi(2) / 4.0
    }

    /// γ = 1/2 − α.
    pub fn gamma(&self) -> f64 {
        0.5 - self.alpha()
    }

    /// (1−α_m)/(1−α_f): the factor on M a' when f' has factor 1.
    pub fn mass_factor(&self) -> f64 {
        (1.0 - self.alpha_m) / (1.0 - self.alpha_f)
    }

    /// What a step took of the energy, from what it carried: by the work theorem of Newmark's formulas,
    ///
    /// ```text
    /// T' − T = ½ (v + v')ᵀM(v' − v) = Δqᵀ [P̄ + (γ−½) ΔP] − h²(β−γ/2) [½ Δ(aᵀP) + (γ−½) ΔaᵀΔP]
    /// ```
    ///
    /// with P = M a of the algorithmic accelerations and bars and Δ the mean and the change over the
    /// step, while the forces at its ends do the work Δqᵀ F̄ and P̄ + (½−α_m) ΔP = F̄ + (½−α_f) ΔF. With
    /// linear forces the difference of the two is what E changes by, exactly and at any step.
    pub(in crate::integrate) fn taken(
        &self,
        h: f64,
        coordinates: impl Iterator<Item = Carried>,
    ) -> f64 {
        let (beta, gamma) = (self.beta(), self.gamma());
        let (of_f, of_p) = (0.5 - self.alpha_f, 1.0 - self.alpha_m - gamma);
        let bend = h * h * (beta - 0.5 * gamma);
        let mut taken = 0.0;
        for Carried { dq, f, p, a } in coordinates {
            let (df, dp, da) = (f[1] - f[0], p[1] - p[0], a[1] - a[0]);
            taken -= dq * (of_f * df - of_p * dp);
            taken += bend * (0.5 * (a[1] * p[1] - a[0] * p[0]) + (gamma - 0.5) * da * dp);
        }
        taken
    }

    /// P' from P and the forces at both ends: (1−α_m) P' + α_m P = (1−α_f) f' + α_f f.
    pub(in crate::integrate) fn next_momentum(&self, f: [f64; 2], p: f64) -> f64 {
        ((1.0 - self.alpha_f) * f[1] + self.alpha_f * f[0] - self.alpha_m * p)
            / (1.0 - self.alpha_m)
    }

    /// The constant C of the local error C h³ q⃛ of Newmark's formula for q between exact
    /// accelerations at t + α h and t' + α h: β + α/2 − 1/6 = 1/12 + α²/4.
    pub fn position_error(&self) -> f64 {
        1.0 / 12.0 + self.alpha().powi(2) / 4.0
    }

    /// The constant C of the local error C h³ x⃛ of the formula for rates, x' = x + h ((1−γ) ẋ_α +
    /// γ ẋ'_α), in the running regime: ẋ_α = ẋ(t + α h) + c h² x⃛ with c = −α (1−α_m−α_f)/2, so
    /// C = 1/12 − α²/2 + c.
    pub fn rate_error(&self) -> f64 {
        let alpha = self.alpha();
        1.0 / 12.0 - alpha * alpha / 2.0 - alpha * (1.0 - self.alpha_m - self.alpha_f) / 2.0
    }
}
