//! Is the model right? Every derivative against a second algorithm, the constraints for
//! redundancy, the mechanism put together at its start.

use crate::assembly::{Residual, System, Want};
use crate::model::{Mechanism, Model, ModelError, UnitError};
use crate::output::{short, state_text};
use crate::solution::OnDualNumbers;
use crate::start::{Moved, StartReport};
use crate::verify::{
    DerivativeReport, IndefiniteMass, TOLERANCE, check_model, indefinite_mass, indefinite_masses,
    on_dual_numbers,
};
use crate::{Error, Simulation, Solution};
use std::fmt;

/// Lines of a list, at most.
const MOST: usize = 24;

/// What a check demands, and what it starts from.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckOptions {
    /// Largest relative error of a derivative that passes.
    pub tolerance: f64,
    /// Initial values by name in place of the model's: coordinates (`theta`), velocities
    /// (`der(theta)`), states.
    pub initial: Vec<(String, f64)>,
    /// Start time in seconds.
    pub t_start: f64,
}

impl Default for CheckOptions {
    fn default() -> Self {
        CheckOptions { tolerance: TOLERANCE, initial: Vec::new(), t_start: 0.0 }
    }
}

/// Checking a mechanism; every [`Mechanism`] can be checked.
pub trait Check {
    /// Compares all derivatives with difference quotients, finds redundant constraints, and
    /// makes the initial state consistent.
    ///
    /// ```no_run
    /// # use mbd::prelude::*;
    /// # fn example(crank: impl Mechanism) -> Result<(), mbd::Error> {
    /// let report = crank.check(&CheckOptions::default())?;
    /// assert!(report.passed(), "{report}");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Only when the model cannot be built, or the options name what it does not have. A mechanism
    /// without a consistent start is reported, not an error: see [`CheckReport::start`].
    fn check(&self, options: &CheckOptions) -> Result<CheckReport, Error>;
}

/// A start that was found.
#[derive(Clone, Debug)]
pub struct Start {
    /// Rank, degrees of freedom, redundant constraints, what assembly moved.
    pub report: StartReport,
    /// The initial state: a recording of one point.
    pub state: Solution,
    /// A motion that the constraints allow at the start, with a mass that is not positive.
    pub mass: Option<IndefiniteMass>,
    /// The same at other points on the constraints, which the motion may or may not reach.
    pub masses_elsewhere: Vec<IndefiniteMass>,
}

/// What a check found.
#[derive(Clone, Debug)]
pub struct CheckReport {
    /// Name of the model.
    pub model: String,
    /// Every derivative's largest error.
    pub derivatives: DerivativeReport,
    /// Largest error that passes.
    pub tolerance: f64,
    /// Units that do not fit together.
    pub units: Vec<UnitError>,
    /// The statements that no program can be made of, with their part in the time of an evaluation at
    /// the start, or at the declared initial values where there is none.
    pub on_dual_numbers: Vec<OnDualNumbers>,
    /// The start, or why there is none.
    pub start: Result<Start, Error>,
}

impl<M: Mechanism + ?Sized> Check for M {
    fn check(&self, options: &CheckOptions) -> Result<CheckReport, Error> {
        check(&|| self.model(), options)
    }
}

/// The same for every mechanism: it takes a model for the derivatives and one for the start.
fn check(
    model: &dyn Fn() -> Result<Model, ModelError>,
    options: &CheckOptions,
) -> Result<CheckReport, Error> {
    let of_derivatives = model()?;
    let name = of_derivatives.name().to_string();
    let units = of_derivatives.unit_errors();
    let derivatives = check_model(of_derivatives);
    let simulation = || {
        let of_start = Simulation::of_model(model()?).t_start(options.t_start);
        let stated = options.initial.iter();
        Ok::<_, ModelError>(stated.fold(of_start, |simulation, (name, value)| {
            simulation.set_initial(name.as_str(), *value)
        }))
    };
    let mut on_duals = None;
    let start = match simulation()?.start() {
        Ok(started) => {
            on_duals = Some(on_dual_numbers(&started.system, &started.point));
            let mut state = Solution::new(&started.system, "start");
            let mut energies = Residual::new(&started.system.dims());
            started.system.eval_at(&started.point, Want::ENERGY, &mut energies);
            let energies = [energies.kinetic, energies.potential];
            state.record(&started.system, &started.point, energies, 0);
            // What sticks and what is closed from the first is found where steps begin; a run that takes none has it.
            let model = started.system.model();
            let may_hold =
                !started.system.slides().is_empty() || model.permanent_holonomic() < model.dims().m;
            if may_hold && let Ok(run) = simulation()?.until(options.t_start).run() {
                state = run;
            }
            let (system, point) = (&started.system, &started.point);
            let mass = indefinite_mass(system, point);
            let t_end = system.model().t_end().unwrap_or(f64::NAN);
            let masses_elsewhere = match mass {
                Some(_) => Vec::new(),
                None => indefinite_masses(system, point, t_end),
            };
            Ok(Start { report: started.report, state, mass, masses_elsewhere })
        }
        Err(error @ (Error::Model(_) | Error::Option(_))) => return Err(error),
        Err(error) => Err(error),
    };
    let on_dual_numbers = match on_duals {
        Some(found) => found,
        None => {
            let system = System::new(model()?);
            on_dual_numbers(&system, &system.initial_point())
        }
    };
    let tolerance = options.tolerance;
    Ok(CheckReport { model: name, derivatives, tolerance, units, on_dual_numbers, start })
}

impl CheckReport {
    /// Whether every derivative is right, the units fit and there is a consistent start with a mass
    /// that is positive on what the constraints leave. Redundant constraints that agree with the
    /// others are no failure, nor is what was not reached ([`DerivativeReport::is_complete`]).
    pub fn passed(&self) -> bool {
        self.derivatives_passed() && self.units.is_empty() && self.mass_passed()
    }

    /// Whether there is a consistent start, and the mass is positive there.
    pub fn mass_passed(&self) -> bool {
        self.start.as_ref().is_ok_and(|start| start.mass.is_none())
    }

    /// Whether every derivative is right.
    pub fn derivatives_passed(&self) -> bool {
        self.derivatives.passes(self.tolerance)
    }

    fn write_derivatives(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nDerivatives (against difference quotients, relative errors)")?;
        let checks = &self.derivatives.checks;
        let width = checks.iter().map(|c| c.quantity.chars().count()).max().unwrap_or(0);
        for check in checks {
            // Written so that NaN is wrong.
            let wrong = if check.error <= self.tolerance { "" } else { "  WRONG" };
            let error = format!("{:.1e}", check.error);
            let line = format!("  {:width$}  {error:>8}  {}{wrong}", check.quantity, check.worst);
            writeln!(f, "{}", line.trim_end())?;
        }
        let DerivativeReport { points, comparisons, not_reached, .. } = &self.derivatives;
        match comparisons {
            0 => writeln!(f, "  at {points} points")?,
            1 => writeln!(f, "  at {points} points, for both sides of a comparison")?,
            n => writeln!(f, "  at {points} points, for both sides of {n} comparisons")?,
        }
        let names = self.derivatives.params_not_reached.iter();
        let sides = not_reached.iter().map(|side| side.to_string());
        let params = names.map(|name| format!("parameter `{name}`"));
        let near = self.derivatives.not_compared.iter();
        let near =
            near.map(|quantity| format!("{quantity} at a point too near to a change of side"));
        let all: Vec<String> = sides.chain(params).chain(near).collect();
        if !all.is_empty() {
            writeln!(f, "\nNot reached")?;
        }
        for one in all.iter().take(MOST) {
            writeln!(f, "  {one}")?;
        }
        if all.len() > MOST {
            writeln!(f, "  and {} more", all.len() - MOST)?;
        }
        Ok(())
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.model)?;
        self.write_derivatives(f)?;
        if !self.units.is_empty() {
            writeln!(f, "\nUnits that do not fit")?;
        }
        for error in &self.units {
            writeln!(f, "  {error}")?;
        }
        if !self.on_dual_numbers.is_empty() {
            writeln!(f, "\nOn dual numbers, many times slower than programs (see info)")?;
        }
        for statement in &self.on_dual_numbers {
            writeln!(f, "  {statement} of evaluating the model")?;
        }
        let start = match &self.start {
            Ok(start) => start,
            Err(error) => {
                writeln!(f, "\nNo consistent start\n  {error}")?;
                return write!(f, "\nThe model did not pass.");
            }
        };
        let report = &start.report;
        let rows = report.rank + report.redundant.len();
        writeln!(f, "\nConstraints")?;
        writeln!(f, "  {:<22} {}", "coordinates", report.coordinates)?;
        writeln!(f, "  {:<22} {rows}", "constraint rows")?;
        writeln!(f, "  {:<22} {}", "rank", report.rank)?;
        writeln!(f, "  {:<22} {}", "degrees of freedom", report.dof)?;
        match report.redundant.len() {
            0 => writeln!(f, "  no redundant constraints")?,
            n => writeln!(f, "  {n} redundant, held at zero reaction:")?,
        }
        for redundant in &report.redundant {
            writeln!(f, "    {redundant}")?;
        }
        const LAWS: usize = 6;
        if !report.ambiguous.is_empty() {
            let names = report.ambiguous.iter().take(LAWS);
            let names = names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let more = match report.ambiguous.len().saturating_sub(LAWS) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            writeln!(
                f,
                "  how they share their load is not determined, and the motion depends on it through {names}{more}"
            )?;
        }
        writeln!(f, "\nAssembly")?;
        // Not what is rounding beside the largest that moved of its kind.
        let told = |moved: &[Moved]| {
            let far = |m: &Moved| (m.to - m.from).abs();
            let most = moved.iter().map(far).fold(0.0, f64::max);
            let told = moved.iter().filter(move |m| far(m) > 1e-12 * most);
            told.filter(|m| short(m.from) != short(m.to)).cloned().collect::<Vec<_>>()
        };
        let moved = [&report.moved, &report.moved_velocities].map(|moved| told(moved)).concat();
        if moved.is_empty() {
            writeln!(f, "  nothing had to be moved")?;
        }
        for m in moved.iter().take(MOST) {
            writeln!(f, "  {} moved from {} to {}", m.name, short(m.from), short(m.to))?;
        }
        if moved.len() > MOST {
            writeln!(f, "  and {} more", moved.len() - MOST)?;
        }
        writeln!(
            f,
            "  constraints violated by {:.1e} in position, {:.1e} in velocity, {:.1e} in acceleration",
            report.position_residual, report.velocity_residual, report.acceleration_residual
        )?;
        write!(f, "\nInitial state\n{}", state_text(&start.state))?;
        if let Some(mass) = &start.mass {
            writeln!(f, "\nMass\n  {mass}")?;
        }
        if !start.masses_elsewhere.is_empty() {
            writeln!(f, "\nMass elsewhere, where the motion may get to")?;
        }
        for mass in &start.masses_elsewhere {
            writeln!(f, "  at t = {}: {mass}", short(mass.t))?;
        }
        let complete = self.derivatives.is_complete();
        let verdict = match (self.passed(), start.masses_elsewhere.is_empty()) {
            (false, _) => "The model did not pass.",
            (true, true) if !report.ambiguous.is_empty() => {
                "The checks passed, but the constraints do not determine the motion."
            }
            (true, false) => "The checks passed at the start; look at the mass elsewhere.",
            (true, true) if !complete => "The checks passed, but not everything was reached.",
            (true, true) => "All checks passed.",
        };
        write!(f, "\n{verdict}")
    }
}
