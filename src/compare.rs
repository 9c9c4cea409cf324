//! Work against precision: methods on one mechanism over tolerances or step sizes, each run held
//! against a tight reference.

mod events;

use crate::assembly::Derivatives;
use crate::integrate::{INCONSISTENT, METHODS, Method, Step};
use crate::model::Mechanism;
#[cfg(feature = "csv")]
use crate::output::{csv_number as number, write_file};
#[cfg(feature = "plot")]
use crate::plot::{Axis, Figure, Panel, Series};
use crate::signal::Signal;
use crate::simulation::Record;
#[cfg(feature = "csv")]
use crate::solution::OutputError;
use crate::solution::{Event, Stats};
use crate::{Error, Simulation, Solution};
use std::collections::HashMap;
use std::fmt;
#[cfg(feature = "csv")]
use std::io;
#[cfg(feature = "csv")]
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub use events::Events;

/// Steps after which a run of a comparison gives up.
pub const MAX_STEPS: usize = 2_000_000;

/// Tolerance of the reference unless said otherwise.
pub const REFERENCE_TOLERANCE: f64 = 1e-12;

/// Method of the reference unless said otherwise.
pub const REFERENCE_METHOD: &str = "radau5";

/// A run shorter than this, in s, is repeated and its best time kept.
const SHORT: f64 = 0.05;
const REPEATS: usize = 5;

/// A quantity's scale is at least this part of the largest one in its unit: what stays at zero is
/// not judged by its rounding errors.
const LEAST_SCALE: f64 = 1e-6;

/// How accurate a run is asked to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Setting {
    /// Adaptive steps of this tolerance ([`Step::adaptive`]).
    Tolerance(f64),
    /// Fixed steps of this size in s.
    Step(f64),
}

impl Setting {
    fn step(self) -> Step {
        match self {
            Setting::Tolerance(tolerance) => Step::adaptive(tolerance),
            Setting::Step(h) => Step::fixed(h),
        }
    }

    /// `tol` or `h`.
    pub fn kind(self) -> &'static str {
        match self {
            Setting::Tolerance(_) => "tol",
            Setting::Step(_) => "h",
        }
    }

    /// The tolerance, or the step in s.
    pub fn value(self) -> f64 {
        match self {
            Setting::Tolerance(value) | Setting::Step(value) => value,
        }
    }
}

/// What runs are held against.
#[derive(Clone, Debug, PartialEq)]
pub enum Reference {
    /// A run with this tolerance, and one with ten times it, whose difference tells how far the
    /// reference itself can be trusted.
    Run(Method, f64),
    /// Published values of quantities at the end, by name.
    Values(Vec<(String, f64)>),
}

/// What an error is paid with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Work {
    /// Wall time in s.
    #[default]
    Time,
    /// Steps, rejected and failed ones included.
    Steps,
    /// Evaluations of the residual, or of the right-hand side.
    Evaluations,
}

impl Work {
    /// All, by the names they have on the command line.
    pub const NAMES: [(&'static str, Work); 3] =
        [("time", Work::Time), ("steps", Work::Steps), ("evaluations", Work::Evaluations)];

    #[cfg(feature = "plot")]
    fn of(self, stats: &Stats) -> f64 {
        match self {
            Work::Time => stats.wall_s,
            Work::Steps => (stats.steps + stats.rejected + stats.newton_failures) as f64,
            Work::Evaluations => stats.residuals as f64,
        }
    }

    #[cfg(feature = "plot")]
    fn axis(self) -> Axis {
        match self {
            Work::Time => Axis::new("wall time", "s"),
            Work::Steps => Axis::new("steps, attempted ones included", ""),
            Work::Evaluations => Axis::new("evaluations", ""),
        }
    }
}

/// A comparison to be: collects options, then [`run`](Self::run)s.
///
/// ```no_run
/// # use mbd::prelude::*;
/// # use mbd::compare::Comparison;
/// # fn example(crank: impl Mechanism) -> Result<(), Box<dyn std::error::Error>> {
/// let study = Comparison::new(&crank)
///     .method(Method::from_name("hht-i3")?)
///     .method(Method::from_name("gen-alpha-soi2")?)
///     .tolerances(&[1e-4, 1e-6, 1e-8])
///     .run()?;
/// println!("{study}");
/// # Ok(())
/// # }
/// ```
pub struct Comparison<'a> {
    mechanism: &'a dyn Mechanism,
    methods: Vec<Method>,
    settings: Vec<Setting>,
    reference: Option<Reference>,
    quantities: Vec<String>,
    initial: Vec<(String, f64)>,
    inputs: Vec<(String, Signal)>,
    derivatives: Derivatives,
    t_end: Option<f64>,
    max_step: Option<f64>,
    max_steps: usize,
    interrupt: Arc<AtomicBool>,
    progress: Option<Box<dyn FnMut(&Trial) + 'a>>,
}

/// One run of a comparison.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Name of the method.
    pub method: String,
    /// What it was asked for.
    pub setting: Setting,
    /// What came of it, or why nothing did.
    pub outcome: Result<Measured, Error>,
}

/// The outcome of a run that reached the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Largest error of a quantity at the end, relative to the largest value that quantity, or any
    /// of the array it belongs to, takes during the reference run.
    pub error: f64,
    /// The quantity it is the error of.
    pub worst: String,
    /// Work counts; the wall time is the best of a few runs when it is short.
    pub stats: Stats,
    /// How its events are those of the reference; `None` where neither has any, or the reference is values.
    pub events: Option<Events>,
}

/// What a comparison found.
#[derive(Clone, Debug)]
pub struct Study {
    /// Name of the model.
    pub model: String,
    /// End time in s.
    pub t_end: f64,
    /// What the runs are held against, for people.
    pub reference: String,
    /// What derivatives were taken by.
    pub derivatives: Derivatives,
    /// How far two reference runs differ, in the measure of the errors, and at least what rounding
    /// leaves: smaller errors say nothing.
    pub uncertainty: f64,
    /// Whether nothing that is compared changes in the reference: then errors are absolute.
    pub still: bool,
    /// The events of the reference, if it is a run.
    pub events: Vec<Event>,
    /// The runs, method by method.
    pub trials: Vec<Trial>,
}

impl<'a> Comparison<'a> {
    /// Of a mechanism with its current parameters: all methods, tolerances 1e-3 to 1e-7, errors in
    /// all coordinates and states.
    pub fn new(mechanism: &'a dyn Mechanism) -> Self {
        Comparison {
            mechanism,
            methods: Vec::new(),
            settings: Vec::new(),
            reference: None,
            quantities: Vec::new(),
            initial: Vec::new(),
            inputs: Vec::new(),
            derivatives: Derivatives::default(),
            t_end: None,
            max_step: None,
            max_steps: MAX_STEPS,
            interrupt: Arc::default(),
            progress: None,
        }
    }

    /// Adds a method; when none is added, all but the one that is not consistent
    /// ([`INCONSISTENT`]).
    pub fn method(mut self, method: impl Into<Method>) -> Self {
        self.methods.push(method.into());
        self
    }

    /// Adds runs with adaptive steps of these tolerances.
    pub fn tolerances(mut self, tolerances: &[f64]) -> Self {
        self.settings.extend(tolerances.iter().map(|&t| Setting::Tolerance(t)));
        self
    }

    /// Adds runs with fixed steps of these sizes in s.
    pub fn steps(mut self, steps: &[f64]) -> Self {
        self.settings.extend(steps.iter().map(|&h| Setting::Step(h)));
        self
    }

    /// What the runs are held against; a run of [`REFERENCE_METHOD`] with
    /// [`REFERENCE_TOLERANCE`] unless given.
    pub fn reference(mut self, reference: Reference) -> Self {
        self.reference = Some(reference);
        self
    }

    /// Measures the error in these quantities, by the names of a run's columns; all coordinates
    /// and states unless given.
    pub fn quantities(mut self, names: &[impl AsRef<str>]) -> Self {
        self.quantities = names.iter().map(|n| n.as_ref().to_string()).collect();
        self
    }

    /// End time in s; the model's unless given.
    pub fn until(mut self, t: f64) -> Self {
        self.t_end = Some(t);
        self
    }

    /// Sets an initial value by name, as [`Simulation::set_initial`].
    pub fn set_initial(mut self, name: impl Into<String>, value: f64) -> Self {
        self.initial.push((name.into(), value));
        self
    }

    /// Feeds an input by name, as [`Simulation::input`].
    pub fn input(mut self, name: impl Into<String>, signal: impl Into<Signal>) -> Self {
        self.inputs.push((name.into(), signal.into()));
        self
    }

    /// What derivatives are taken by, as [`Simulation::derivatives`], in the reference too.
    pub fn derivatives(mut self, derivatives: Derivatives) -> Self {
        self.derivatives = derivatives;
        self
    }

    /// Largest step in s of the runs whose steps error control chooses, that of the reference too.
    pub fn max_step(mut self, h: f64) -> Self {
        self.max_step = Some(h);
        self
    }

    /// Gives a run up after this many steps; [`MAX_STEPS`] unless given.
    pub fn max_steps(mut self, steps: usize) -> Self {
        self.max_steps = steps;
        self
    }

    /// Ends the comparison once the flag is set; the runs made are returned.
    pub fn interrupt(mut self, flag: Arc<AtomicBool>) -> Self {
        self.interrupt = flag;
        self
    }

    /// Calls back after every run.
    pub fn progress(mut self, callback: impl FnMut(&Trial) + 'a) -> Self {
        self.progress = Some(Box::new(callback));
        self
    }

    /// Runs everything. A run that fails is a result, not an error.
    ///
    /// # Errors
    /// [`Error`] when the model cannot be built, a name is unknown, or there is no reference.
    pub fn run(mut self) -> Result<Study, Error> {
        if self.methods.is_empty() {
            let sound = METHODS.iter().filter(|m| m.name != INCONSISTENT);
            self.methods = sound.map(|m| Method::from_name(m.name)).collect::<Result<_, _>>()?;
        }
        if self.settings.is_empty() {
            self = self.tolerances(&[1e-3, 1e-4, 1e-5, 1e-6, 1e-7]);
        }
        for setting in &self.settings {
            self.bounded(setting.step()).check()?;
        }
        let target = self.target()?;
        let mut study = Study {
            model: self.mechanism.model()?.name().into(),
            t_end: target.t_end,
            reference: target.label.clone(),
            derivatives: self.derivatives,
            uncertainty: target.uncertainty,
            still: target.still,
            events: target.events.clone().unwrap_or_default(),
            trials: Vec::new(),
        };
        for method in &self.methods {
            for &setting in &self.settings {
                if self.interrupt.load(Ordering::Relaxed) {
                    return Ok(study);
                }
                let outcome = self.measure(method, setting, &target);
                // A method that cannot treat the model at all says so once.
                let refused = matches!(outcome, Err(Error::Option(_)));
                let trial = Trial { method: method.name().into(), setting, outcome };
                if let Some(progress) = &mut self.progress {
                    progress(&trial);
                }
                study.trials.push(trial);
                if refused {
                    break;
                }
            }
        }
        Ok(study)
    }

    /// A kind of steps within the largest allowed.
    fn bounded(&self, step: Step) -> Step {
        self.max_step.map_or(step.clone(), |h| step.max(h))
    }

    fn simulate(&self, method: &Method, step: Step, record: Record) -> Result<Solution, Error> {
        let mut simulation = Simulation::new(self.mechanism)
            .method(method.clone())
            .step(self.bounded(step))
            .record(record)
            .max_steps(self.max_steps)
            .derivatives(self.derivatives)
            // Errors are held against a reference, and work is that of the method.
            .error_estimate(false)
            .interrupt(Arc::clone(&self.interrupt));
        if let Some(t_end) = self.t_end {
            simulation = simulation.until(t_end);
        }
        for (name, value) in &self.initial {
            simulation = simulation.set_initial(name.as_str(), *value);
        }
        for (name, signal) in &self.inputs {
            simulation = simulation.input(name.as_str(), signal.clone());
        }
        simulation.run().map_err(|failed| failed.error)
    }

    fn measure(
        &self,
        method: &Method,
        setting: Setting,
        target: &Target,
    ) -> Result<Measured, Error> {
        let mut run = self.simulate(method, setting.step(), Record::Ends)?;
        for _ in 1..REPEATS {
            if run.stats.wall_s > SHORT {
                break;
            }
            let again = self.simulate(method, setting.step(), Record::Ends)?.stats.wall_s;
            run.stats.wall_s = run.stats.wall_s.min(again);
        }
        let (error, worst) = target.error(&run)?;
        let events = target.events.as_ref().and_then(|events| Events::of(&run.events, events));
        Ok(Measured { error, worst, stats: run.stats, events })
    }

    /// The reference, and what the errors are measured by.
    fn target(&self) -> Result<Target, Error> {
        let reference = match &self.reference {
            Some(reference) => reference.clone(),
            None => Reference::Run(Method::from_name(REFERENCE_METHOD)?, REFERENCE_TOLERANCE),
        };
        match reference {
            Reference::Run(method, tolerance) => {
                let tight = self.simulate(&method, Step::adaptive(tolerance), Record::EveryStep)?;
                let mut target = Target::of(&tight, &self.quantities)?;
                target.events = Some(tight.events.clone());
                target.label = format!("{} at tol {tolerance:e}", method.name());
                let loose =
                    self.simulate(&method, Step::adaptive(10.0 * tolerance), Record::Ends)?;
                target.uncertainty = target.error(&loose)?.0.max(f64::EPSILON);
                Ok(target)
            }
            Reference::Values(values) => {
                // A run gives the scales; its accuracy hardly matters to them.
                let method = Method::default();
                let run = self.simulate(&method, Step::adaptive(1e-6), Record::EveryStep)?;
                let names: Vec<String> = values.iter().map(|(name, _)| name.clone()).collect();
                let mut target = Target::of(&run, &names)?;
                for (entry, (_, value)) in target.entries.iter_mut().zip(values) {
                    entry.value = value;
                }
                target.label = "given values".into();
                Ok(target)
            }
        }
    }
}

/// The values runs are held against.
struct Target {
    entries: Vec<Entry>,
    t_end: f64,
    label: String,
    uncertainty: f64,
    still: bool,
    events: Option<Vec<Event>>,
}

struct Entry {
    name: String,
    value: f64,
    scale: f64,
}

impl Target {
    fn of(run: &Solution, names: &[String]) -> Result<Target, Error> {
        let columns: Vec<usize> = if names.is_empty() {
            use crate::assembly::SlotKind::{Q, X};
            use crate::solution::ColumnKind::Slot;
            run.range(Slot(Q)).chain(run.range(Slot(X))).collect()
        } else {
            names.iter().map(|name| run.find(name)).collect::<Result<_, _>>()?
        };
        let name = |c: usize| run.columns()[c].name.as_str();
        let unit = |c: usize| run.columns()[c].unit.as_str();
        let largest = |c: usize| run.column(c).iter().fold(0.0, |m: f64, y| m.max(y.abs()));
        // The largest of each array that a quantity is asked for of, and of their units.
        let array = |c: usize| name(c).split('[').next().unwrap_or_default();
        let mut arrays: HashMap<&str, f64> = columns.iter().map(|&c| (array(c), 0.0)).collect();
        let mut units: HashMap<&str, f64> = HashMap::new();
        for c in 0..run.columns().len() {
            if let Some(size) = arrays.get_mut(array(c)) {
                *size = size.max(largest(c));
            }
        }
        for &c in &columns {
            let size = units.entry(unit(c)).or_default();
            *size = size.max(arrays[array(c)]);
        }
        let entries = columns.iter().map(|&c| {
            let scale = arrays[array(c)].max(LEAST_SCALE * units[unit(c)]);
            Entry {
                name: name(c).into(),
                value: run.row(run.len() - 1)[c],
                scale: if scale > 0.0 { scale } else { 1.0 },
            }
        });
        Ok(Target {
            entries: entries.collect(),
            t_end: run.final_t(),
            label: String::new(),
            uncertainty: 0.0,
            events: None,
            still: columns.iter().all(|&c| {
                let first = run.row(0)[c];
                run.column(c).iter().all(|value| *value == first)
            }),
        })
    }

    /// Largest scaled error of a run's last point, and whose it is.
    fn error(&self, run: &Solution) -> Result<(f64, String), Error> {
        let last = run.row(run.len() - 1);
        let mut worst = (0.0, "");
        for entry in &self.entries {
            let error = (last[run.find(&entry.name)?] - entry.value).abs() / entry.scale;
            // Written so that NaN is the worst of all.
            if !(error <= worst.0) {
                worst = (error, &entry.name);
            }
        }
        Ok((worst.0, worst.1.into()))
    }
}

/// Of the column that is there where anything has events.
const EVENTS: &str = "events";

const HEAD: [&str; 11] = [
    "method",
    "setting",
    "error",
    "steps",
    "rejected",
    "Newton failures",
    "evaluations",
    "Newton iterations",
    "matrices",
    "factorizations",
    "wall [ms]",
];

impl Trial {
    fn events(&self) -> Option<&Events> {
        self.outcome.as_ref().ok()?.events.as_ref()
    }

    fn cells(&self, events: bool) -> Vec<String> {
        let setting = format!("{} {:e}", self.setting.kind(), self.setting.value());
        let mut cells = vec![self.method.clone(), setting];
        match &self.outcome {
            Ok(Measured { error, stats, .. }) => {
                cells.push(format!("{error:.1e}"));
                let counts = [
                    stats.steps,
                    stats.rejected,
                    stats.newton_failures,
                    stats.residuals,
                    stats.newton_iterations,
                    stats.jacobians,
                    stats.factorizations,
                ];
                cells.extend(counts.map(|n| n.to_string()));
                cells.push(format!("{:.3}", 1e3 * stats.wall_s));
                if events {
                    cells.push(self.events().map_or(String::new(), Events::cell));
                }
            }
            Err(error) => {
                cells.push(error.to_string().replace('|', "/"));
                cells.resize(HEAD.len() + usize::from(events), String::new());
            }
        }
        cells
    }
}

/// A Markdown table.
impl fmt::Display for Study {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Study { model, t_end, reference, uncertainty, .. } = self;
        if self.still {
            writeln!(
                f,
                "{model}, t = {t_end} s; reference: {reference}. Nothing that is compared moves in it: \
                 the errors are absolute, and say nothing of a motion.\n"
            )?;
        } else {
            writeln!(
                f,
                "{model}, t = {t_end} s; reference: {reference}, itself good to {uncertainty:.0e}\n"
            )?;
        }
        let events = self.trials.iter().any(|trial| trial.events().is_some());
        let head: Vec<&str> = HEAD.into_iter().chain(events.then_some(EVENTS)).collect();
        writeln!(f, "| {} |", head.join(" | "))?;
        write!(f, "|{}", "---|".repeat(head.len()))?;
        for trial in &self.trials {
            write!(f, "\n| {} |", trial.cells(events).join(" | "))?;
        }
        Ok(())
    }
}

/// What a table of a comparison has of each run.
#[cfg(feature = "csv")]
const COLUMNS: [&str; 17] = [
    "method",
    "setting",
    "value",
    "error",
    "worst",
    "steps",
    "rejected",
    "newton_failures",
    "residuals",
    "newton_iterations",
    "jacobians",
    "factorizations",
    "wall_s",
    "events",
    "expected_events",
    "events_off",
    "failure",
];

impl Study {
    /// Writes a line per run: method, setting, error, work counts, events with the largest difference of their times
    /// in s (empty where some happened more or less often), or the message of a failure.
    ///
    /// # Errors
    /// [`OutputError::Write`] when the file cannot be written.
    #[cfg(feature = "csv")]
    pub fn write_csv(&self, path: impl AsRef<Path>) -> Result<(), OutputError> {
        write_file(path.as_ref(), |out| self.write_csv_to(out))
    }

    /// The same into any writer.
    ///
    /// # Errors
    /// Those of the writer.
    #[cfg(feature = "csv")]
    pub fn write_csv_to(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let mut out = csv::Writer::from_writer(out);
        out.write_record(COLUMNS)?;
        for Trial { method, setting, outcome } in &self.trials {
            let mut fields = vec![method.clone(), setting.kind().into(), number(setting.value())];
            match outcome {
                Ok(Measured { error, worst, stats: s, events }) => {
                    fields.extend([number(*error), worst.clone()]);
                    let counts = [
                        s.steps,
                        s.rejected,
                        s.newton_failures,
                        s.residuals,
                        s.newton_iterations,
                        s.jacobians,
                        s.factorizations,
                    ];
                    fields.extend(counts.map(|count| count.to_string()));
                    fields.push(number(s.wall_s));
                    if let Some(Events { count, expected, off, differs, .. }) = events {
                        fields.extend([count, expected].map(usize::to_string));
                        fields.extend(differs.is_none().then(|| number(*off)));
                    }
                    fields.resize(COLUMNS.len(), String::new());
                }
                Err(error) => {
                    fields.resize(COLUMNS.len() - 1, String::new());
                    fields.push(error.to_string());
                }
            }
            out.write_record(fields)?;
        }
        out.flush()
    }

    /// Work against error, a curve per method, on logarithmic axes. Runs that failed are gaps.
    #[cfg(feature = "plot")]
    pub fn figure(&self, work: Work) -> Figure {
        let mut panel = Panel::new(work.axis().log());
        let mut names: Vec<&str> = Vec::new();
        for trial in &self.trials {
            if !names.contains(&trial.method.as_str()) {
                names.push(&trial.method);
            }
        }
        for name in names {
            let points: Vec<[f64; 2]> = self
                .trials
                .iter()
                .filter(|t| t.method == name)
                .filter_map(|t| t.outcome.as_ref().ok())
                // What is right to the last digit has no place on a logarithmic axis.
                .map(|m| [m.error.max(f64::EPSILON), work.of(&m.stats)])
                .collect();
            if !points.is_empty() {
                panel = panel.series(Series::new(name, "", points).markers());
            }
        }
        let title = format!("{}: work against precision", self.model);
        let axis = Axis::new("largest relative error at the end", "").log();
        Figure::new(title, axis)
            .subtitle(format!(
                "t = {} s, reference: {} (good to {:.0e})",
                self.t_end, self.reference, self.uncertainty
            ))
            .panel(panel)
    }
}
