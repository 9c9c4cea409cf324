//! The explicit methods: the state-space equations as an ODE, and two formulas for it.

mod abm;
mod formula;
mod motion;
mod rk;

use super::limits::Limit;
use super::options::{Common, NO_DAMPING, Options, Setting};
use super::scheme::Stepper;
use crate::assembly::{Point, System};
use crate::error::OptionError;
use abm::AdamsBashforthMoulton;
pub use formula::Formula;
use motion::Motion;
use rk::DormandPrince;

/// Options of the explicit methods.
#[derive(Clone, Debug, PartialEq)]
pub struct Explicit {
    formula: Formula,
    independent: Vec<String>,
}

impl Explicit {
    /// A method.
    pub fn new(formula: Formula) -> Self {
        Explicit { formula, independent: Vec::new() }
    }

    /// Names the independent coordinates; none leaves the choice to the method. The names are
    /// checked against the model when a run starts.
    pub fn independent(self, names: Vec<String>) -> Self {
        Explicit { independent: names, ..self }
    }
}

impl Options for Explicit {
    fn name(&self) -> &'static str {
        self.formula.name()
    }

    fn set(&mut self, setting: Setting) -> Result<(), OptionError> {
        match setting {
            Setting::Independent(names) => self.independent = names,
            other => return other.refuse(self.name(), NO_DAMPING),
        }
        Ok(())
    }

    fn limits(&self) -> (&'static [Limit], &'static str) {
        (&[Limit::Nonholonomic], "gen-alpha-soi2")
    }

    fn stepper(
        &self,
        system: &System,
        at: &Point,
        _: &Common,
    ) -> Result<Box<dyn Stepper>, OptionError> {
        let motion = Motion::new(system, at, &self.independent)?;
        Ok(match self.formula {
            Formula::AdamsBashforthMoulton => Box::new(AdamsBashforthMoulton::new(motion, system)),
            Formula::DormandPrince => Box::new(DormandPrince::new(motion, system)),
        })
    }
}
