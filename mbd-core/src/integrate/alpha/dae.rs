//! `dae-alpha` and its relatives as methods.

use super::coordinate_split::SplitScheme;
use super::dae_alpha::DaeScheme;
use super::dae_form::{DaeAlpha, Form};
use super::projected_ode::ProjectedScheme;
use crate::assembly::{Point, System};
use crate::error::OptionError;
use crate::integrate::limits::Limit;
use crate::integrate::options::{Common, Options, Setting};
use crate::integrate::scheme::Stepper;

impl Options for DaeAlpha {
    fn name(&self) -> &'static str {
        self.form.name()
    }

    fn set(&mut self, setting: Setting) -> Result<(), OptionError> {
        let options = self.clone();
        *self = match setting {
            Setting::Rho(rho) => options.rho(rho)?,
            Setting::Alpha(alpha) => options.alpha(alpha)?,
            Setting::Adjust(adjust) => options.adjust(adjust),
            Setting::Independent(names) => options.independent(names)?,
            other => return other.refuse(self.name(), ""),
        };
        Ok(())
    }

    fn limits(&self) -> (&'static [Limit], &'static str) {
        let limits: &[Limit] = match self.form {
            Form::ProjectedOde => &[Limit::Nonholonomic],
            _ => &Limit::UNFIT_TO_SPLIT,
        };
        (limits, "gen-alpha-soi2")
    }

    fn stepper(
        &self,
        system: &System,
        at: &Point,
        common: &Common,
    ) -> Result<Box<dyn Stepper>, OptionError> {
        Ok(match self.form {
            Form::Stabilized => common.implicit(DaeScheme::new(self, system)),
            Form::ProjectedOde => common.implicit(ProjectedScheme::new(self, system, at)),
            _ => common.implicit(SplitScheme::new(self, system, at)?),
        })
    }
}
