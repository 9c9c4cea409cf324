//! `bdf-ggl`, `bdf-ggl-star`, `bdf-cs`, `bdf-cm`, `bdf-cm-1996`: backward differentiation formulas
//! of variable step and order on the stabilized index-2 equations and on their coordinate-split
//! form (paper 003).
//!
//! | method | equations | Newton matrix | multipliers |
//! |---|---|---|---|
//! | `bdf-ggl` | (1.3) | exact | unknowns, in Newton's convergence test |
//! | `bdf-ggl-star` | (1.3) | exact | unknowns, not tested; begun at −(GY)⁻ᵀYᵀr of the prediction; as `bdf-ggl` where forces read them |
//! | `bdf-cs` | (1.4), P of the iterate | (2.14) | none |
//! | `bdf-cm` | (1.4), P of the iterate | (2.14) without (Gᵀs)_q | none |
//! | `bdf-cm-1996` | (1.4), P of the last matrix | exact but for P's age | none |
//!
//! | file | what it holds |
//! |---|---|
//! | `past` | the formulas: prediction, differentiation, local error |
//! | `policy` | order and step size |
//! | `ahead` | how accelerations go on, for a beginning with order 2 |
//! | `stabilized` | (1.3): unknowns, residual, matrix, tests |
//! | `split` | (1.4), whose residual and matrix are those of (1.3) with other multipliers |
//!
//! # Work
//! With an adaptive step the rules are DASSL's, on which the paper's counts rest: order and step,
//! weights ε(1 + |y|) at the step's beginning (ε alone for angles), root mean squares, at most four
//! iterations with one matrix, which is kept while c changes by less than a factor 5/3. The error
//! test takes q and v (and states), or their independent entries in all methods but `bdf-ggl`.
//! With prescribed steps the order rises from 1 by one per step: the first steps of equal size err
//! by h², so the full order above two shows only when the steps themselves grow from small ones. After an
//! event the order is 2 at once: a start with order 1 errs by h²/2 of the accelerations, at each of them.
//!
//! # Algorithms 2.1 and 3.1
//! The paper's decoupled iteration solves J₁Δ̂ = −r without constraints, (2.18), and corrects by u
//! with P u = P Δ̂ and G u = −g, (2.19). Its fixed point has P J₁⁻¹r = 0 and not P r = 0: with a
//! constant f it solves P(v̇ − M⁻¹f) = 0, which is P(M v̇ − f) = 0 only where M is a multiple of the
//! unit matrix, as in the paper's examples. A bar of half-length L falling about its end from the
//! horizontal would begin with gL/(1 + L²), which depends on the unit of length, instead of
//! 3g/(4L). Where f depends on q the fixed point depends on the age of J₁ besides. So it is not
//! offered; nor would it save work: (2.14) as a sparse matrix with its m columns to throw away costs
//! no more than J₁ and the solutions with GY for every projected vector.
//!
//! # `bdf-cm-1996` is not consistent
//! P in its equations is as old as the Newton matrix, and reused over steps. The fixed point is not
//! the solution of (1.3) unless P is fresh: where accelerations normal to the constraint count, it
//! converges to wrong answers. It is what Table 5.2 was computed with, and stands here for that.

mod ahead;
mod form;
mod past;
mod policy;
mod split;
mod stabilized;

use super::limits::Limit;
use super::options::{Common, DAMPS_ITSELF, Options, Setting};
use super::scheme::Stepper;
use crate::assembly::{Point, System};
use crate::error::OptionError;
pub use form::{Bdf, BdfForm, INCONSISTENT};
use split::SplitScheme;
use stabilized::StabilizedScheme;

impl Options for Bdf {
    fn name(&self) -> &'static str {
        self.form.name()
    }

    fn set(&mut self, setting: Setting) -> Result<(), OptionError> {
        let options = self.clone();
        *self = match setting {
            Setting::Independent(names) => options.independent(names)?,
            Setting::Order(order) => options.order(order)?,
            Setting::TestVelocities(test) => options.test_velocities(test),
            other => return other.refuse(self.name(), DAMPS_ITSELF),
        };
        Ok(())
    }

    fn limits(&self) -> (&'static [Limit], &'static str) {
        let limits: &[Limit] = if self.form.splits() { &Limit::UNFIT_TO_SPLIT } else { &[] };
        (limits, "bdf-ggl")
    }

    fn stepper(
        &self,
        system: &System,
        at: &Point,
        common: &Common,
    ) -> Result<Box<dyn Stepper>, OptionError> {
        if !self.form.splits() {
            return Ok(common.implicit(StabilizedScheme::new(self, system, at)?));
        }
        Ok(common.implicit(SplitScheme::new(self, system, at)?))
    }
}
