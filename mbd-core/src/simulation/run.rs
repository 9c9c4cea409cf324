//! Running a mechanism: from parameters and initial values to a recorded solution.

use super::certificate::{Certificate, Next};
use super::feed;
use crate::assembly::{Derivatives, Point, Residual, SlotKind, System, Want};
use crate::checkpoint::{self, CheckpointSink, Identity, State};
use crate::error::{AccuracyError, Error, OptionError, StepError, nearest};
use crate::integrate::{Accepted, Integrator, Method, Step};
use crate::model::{Label, Mechanism, Model, ModelError};
use crate::signal::Signal;
use crate::solution::{OnDualNumbers, OutputError, RowSink, RunError, Solution, Status};
use crate::start::{self, StartReport, reconcile};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Rows that an output interval may ask for: more is a slip of the pen.
const MOST_ROWS: f64 = 1e9;

/// Steps after which a run gives up, unless said otherwise.
pub const DEFAULT_MAX_STEPS: usize = 10_000_000;

/// The methods that are tried from where another one failed.
const OTHERS: [&str; 4] = ["gen-alpha-soi2", "radau5", "hht-i3", "bdf-ggl"];
/// They get past it when they come this part of the run further without a failure,
const PAST: f64 = 1e-3;
/// or so many steps.
const MOST_TRIED: usize = 200;

/// What is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Record {
    /// The start and every accepted step.
    #[default]
    EveryStep,
    /// The start, multiples of this interval in s and the end, by interpolation: output times
    /// never restrict the step.
    Every(f64),
    /// The start and the end.
    Ends,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Time reached in s.
    pub t: f64,
    /// Start in s.
    pub t_start: f64,
    /// End in s.
    pub t_end: f64,
    /// Last step in s.
    pub h: f64,
    /// Accepted steps.
    pub steps: usize,
}

impl Progress {
    /// Part done, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        let span = self.t_end - self.t_start;
        if span > 0.0 { ((self.t - self.t_start) / span).clamp(0.0, 1.0) } else { 1.0 }
    }
}

/// A system at a consistent starting point.
pub struct Started {
    /// The system, its redundant rows declared.
    pub system: System,
    /// The starting point: q, v, x on the constraints, a, λ, ψ, ẋ, w solving the equations of
    /// motion.
    pub point: Point,
    /// What assembly moved, the degrees of freedom, redundant rows.
    pub report: StartReport,
}

/// How a scale is stated.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Stated {
    Scale,
    Tolerance,
}

impl Stated {
    fn option(self) -> &'static str {
        match self {
            Stated::Scale => "scale",
            Stated::Tolerance => "atol",
        }
    }
}

type Callback<'a> = Box<dyn FnMut(&Progress) + 'a>;

/// A run to be: collects options, then [`run`](Self::run)s. Whatever is wrong with them is
/// reported there.
///
/// ```text
/// let sol = Simulation::new(&crank)
///     .method(HhtI3::alpha(-0.3)?)
///     .step(Step::adaptive(1e-6))
///     .until(2.0)
///     .run()?;
/// ```
pub struct Simulation<'a> {
    pub(super) model: Result<Model, ModelError>,
    pub(super) initial: Vec<(String, f64)>,
    pub(super) scales: Vec<(String, f64, Stated)>,
    pub(super) inputs: Vec<(String, Signal)>,
    pub(super) options: Options<'a>,
}

pub(super) struct Options<'a> {
    pub(super) method: Method,
    pub(super) step: Step,
    pub(super) t_start: f64,
    pub(super) t_end: Option<f64>,
    record: Record,
    pub(super) max_steps: usize,
    error_estimate: bool,
    pub(super) events: bool,
    pub(super) derivatives: Derivatives,
    certify: bool,
    interrupt: Option<Arc<AtomicBool>>,
    progress: Option<Callback<'a>>,
    sink: Option<&'a mut dyn RowSink>,
    checkpoints: Option<&'a mut dyn CheckpointSink>,
    resume: Option<Vec<u8>>,
}

impl<'a> Simulation<'a> {
    /// Of a mechanism with its current parameters, by the default method
    /// ([`Method::default`]) and adaptive steps ([`Step::default`], tolerance 1e-5).
    pub fn new(mechanism: &(impl Mechanism + ?Sized)) -> Self {
        Self::of(mechanism.model())
    }

    /// Of a finished model.
    pub fn of_model(model: Model) -> Self {
        Self::of(Ok(model))
    }

    fn of(model: Result<Model, ModelError>) -> Self {
        let options = Options {
            method: Method::default(),
            step: Step::default(),
            t_start: 0.0,
            t_end: None,
            record: Record::default(),
            max_steps: DEFAULT_MAX_STEPS,
            error_estimate: true,
            events: true,
            derivatives: Derivatives::default(),
            certify: false,
            interrupt: None,
            progress: None,
            sink: None,
            checkpoints: None,
            resume: None,
        };
        let (initial, scales, inputs) = (Vec::new(), Vec::new(), Vec::new());
        Simulation { model, initial, scales, inputs, options }
    }

    /// The method.
    pub fn method(mut self, method: impl Into<Method>) -> Self {
        self.options.method = method.into();
        self
    }

    /// Step sizes.
    pub fn step(mut self, step: Step) -> Self {
        self.options.step = step;
        self
    }

    /// Start time in s, 0 by default.
    pub fn t_start(mut self, t: f64) -> Self {
        self.options.t_start = t;
        self
    }

    /// End time in s; by default the model's, or the end of a prescribed sequence of steps. It is
    /// reached exactly.
    pub fn until(mut self, t: f64) -> Self {
        self.options.t_end = Some(t);
        self
    }

    /// Records at multiples of `dt` in s after the start, and the end.
    pub fn every(self, dt: f64) -> Self {
        self.record(Record::Every(dt))
    }

    /// What is recorded; every accepted step by default.
    pub fn record(mut self, record: Record) -> Self {
        self.options.record = record;
        self
    }

    /// Sets an initial value by name: a coordinate (`theta`), a velocity (`der(theta)`), a state
    /// (`e`); assembly keeps these. Or the guess of a variable.
    pub fn set_initial(mut self, name: impl Into<String>, value: f64) -> Self {
        self.initial.push((name.into(), value));
        self
    }

    /// Feeds an input, by name, with a [signal](crate::signal): a number, a function of time in s
    /// (`|t| (3.0*t).sin()`), or any other [`Signal`]. A name before an index in brackets stands for the whole
    /// array. An input that nothing feeds has the value that the model gives it.
    ///
    /// ```
    /// # use mbd_core::model::Mechanism;
    /// # use mbd_core::{simulation::Simulation, signal::{Interpolation, Signal}};
    /// # fn example(cart: impl Mechanism) -> Result<(), Box<dyn std::error::Error>> {
    /// let wind = Signal::table([0.0, 1.0, 4.0], [0.0, 12.0, 9.0], Interpolation::Linear)?;
    /// let run = Simulation::new(&cart)
    ///     .input("force", |t: f64| 3.0 * (2.0 * t).sin())
    ///     .input("wind", wind.held_beyond())
    ///     .input("load", 80.0)
    ///     .until(10.0)
    ///     .run()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn input(mut self, name: impl Into<String>, signal: impl Into<Signal>) -> Self {
        self.inputs.push((name.into(), signal.into()));
        self
    }

    /// Gives up after this many accepted steps; [`DEFAULT_MAX_STEPS`] unless given.
    pub fn max_steps(mut self, steps: usize) -> Self {
        self.options.max_steps = steps;
        self
    }

    /// Whether an estimate of the global error is carried along with adaptive steps
    /// ([`Solution::error_estimate`]); it is by default. For studies of the work that methods take.
    pub fn error_estimate(mut self, on: bool) -> Self {
        self.options.error_estimate = on;
        self
    }

    /// Whether steps end where the motion crosses a comparison of the model ([`Solution::events`]), each held
    /// on its side in between; they do by default. Otherwise steps go through comparisons as they come.
    pub fn events(mut self, on: bool) -> Self {
        self.options.events = on;
        self
    }

    /// What derivatives are taken by, from the start on: by programs unless given, or on dual numbers, the
    /// independent source of every one of them, to the same motion but for rounding. That takes 4 to 33 times as
    /// long for a mechanism of a few bodies, hundreds of times for an arm in joint coordinates
    /// (`cargo bench --bench duals`). The instants of events are found by programs either way.
    pub fn derivatives(mut self, derivatives: Derivatives) -> Self {
        self.options.derivatives = derivatives;
        self
    }

    /// Repeats an adaptive run with tighter local tolerances until the estimate of its global error
    /// is below the tolerance, and once more to record it; [`Stats::wall_s`](crate::solution::Stats)
    /// is the time of all. What the estimate cannot be brought to is an [`AccuracyError`], with the
    /// best run. Prescribed steps and checkpoints are refused.
    pub fn certify(mut self, on: bool) -> Self {
        self.options.certify = on;
        self
    }

    /// Stops the run after the step under way once the flag is set; what was computed is
    /// returned, with [`Status::Interrupted`].
    pub fn interrupt(mut self, flag: Arc<AtomicBool>) -> Self {
        self.options.interrupt = Some(flag);
        self
    }

    /// Calls back after every accepted step.
    pub fn progress(mut self, callback: impl FnMut(&Progress) + 'a) -> Self {
        self.options.progress = Some(Box::new(callback));
        self
    }

    /// Hands every recorded row to `sink` while the run goes, and keeps none but the first and the
    /// last: a run takes the same memory however long it is. [`Solution::steps`] stays empty.
    ///
    /// ```
    /// # use mbd_core::model::{Mechanism, ModelError};
    /// # use mbd_core::{simulation::Simulation, solution::{OutputError, RunError}};
    /// # fn example(mechanism: impl Mechanism) -> Result<(), RunError> {
    /// let mut highest = f64::NEG_INFINITY;
    /// let mut watch = |row: &[f64]| -> Result<(), OutputError> {
    ///     highest = highest.max(row[1]);
    ///     Ok(())
    /// };
    /// let ends = Simulation::new(&mechanism).until(1e4).stream(&mut watch).run()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream(mut self, sink: &'a mut dyn RowSink) -> Self {
        self.options.sink = Some(sink);
        self
    }

    /// States the [scale](crate::scales) of a coordinate or state by name, in its unit: what its
    /// errors are measured against, from the start to the end. A name before an index in brackets
    /// stands for the whole array.
    pub fn scale(mut self, name: impl Into<String>, scale: f64) -> Self {
        self.scales.push((name.into(), scale, Stated::Scale));
        self
    }

    /// States the tolerance of a coordinate or state by name, in its unit, in the place of `tol`
    /// times its scale. For adaptive runs.
    pub fn atol(mut self, name: impl Into<String>, tolerance: f64) -> Self {
        self.scales.push((name.into(), tolerance, Stated::Tolerance));
        self
    }

    /// Makes checkpoints, from which a run can [`resume`](Self::resume): at the start, after 16, 32, …,
    /// 4096 steps and after every 4096 from then on, wherever `sink` says that one is due.
    ///
    /// At these steps a run with checkpoints computes everything anew that it usually keeps
    /// ([`checkpoint`]), so its results differ by rounding, of tolerance in
    /// adaptive steps, from those of a run without.
    pub fn checkpoint(mut self, sink: &'a mut dyn CheckpointSink) -> Self {
        self.options.checkpoints = Some(sink);
        self
    }

    /// Goes on where a checkpoint was made, by a run of the same model, method, steps, times and
    /// records, to the same results as those of that run had it not been stopped, to the last bit;
    /// its own limits on steps and its sinks may be others. Whether or not it makes checkpoints
    /// itself. Checkpoints of another build of the program are refused: its equations may be others.
    pub fn resume(mut self, checkpoint: Vec<u8>) -> Self {
        self.options.resume = Some(checkpoint);
        self
    }

    /// Only the start: assembles, analyses rank, solves for accelerations and multipliers.
    ///
    /// # Errors
    /// [`Error::Model`], [`Error::Option`] for initial values of unknown names, [`Error::Start`].
    pub fn start(self) -> Result<Started, Error> {
        let model = stated(self.model, &self.scales, &self.options.step)?;
        let Options { derivatives, t_start, .. } = self.options;
        begin(model, &self.initial, &self.inputs, (t_start, derivatives))
    }

    /// Runs.
    ///
    /// # Errors
    /// [`RunError`] with the cause and, once the first point is there, everything computed.
    pub fn run(self) -> Result<Solution, RunError> {
        let clock = Instant::now();
        let mut options = self.options;
        options.check()?;
        let model = stated(self.model, &self.scales, &options.step)?;
        let mut started =
            begin(model, &self.initial, &self.inputs, (options.t_start, options.derivatives))?;
        let t_end = options.end(&started.system)?;
        feed::check_range(&started.system, [options.t_start, t_end])?;
        options.check_rows(t_end)?;
        let certificate = if options.certify { Certificate::new(&options.step) } else { None };
        match certificate {
            None => options.once(&mut started, t_end, clock),
            Some(certificate) => options.certified(certificate, &mut started, t_end, clock),
        }
    }
}

impl Options<'_> {
    pub(super) fn check(&self) -> Result<(), OptionError> {
        if let Record::Every(dt) = self.record {
            check_interval(dt)?;
        }
        if self.certify {
            let why = if Certificate::new(&self.step).is_none() {
                "steps are prescribed; `--tol`, or `Step::adaptive`, gives a run steps to choose"
            } else if self.checkpoints.is_some() || self.resume.is_some() {
                "it takes several runs, and checkpoints are of one"
            } else {
                return self.step.check();
            };
            return Err(OptionError::Certify { why });
        }
        self.step.check()
    }

    /// One run from the starting point.
    fn once(
        &mut self,
        started: &mut Started,
        t_end: f64,
        clock: Instant,
    ) -> Result<Solution, RunError> {
        let mut run = Run::new(started, self.method.name(), self.record, self.sink.take());
        let model = started.system.model();
        if !(model.switches().is_empty() && model.surfaces().is_empty()) {
            // What sticks or is closed at the start has other accelerations and forces than it was assembled with.
            let mut first =
                Integrator::new(&started.system, &self.method, self.step.clone(), &started.point)?;
            if !self.events {
                first.ignore_events();
            }
            run.point.copy_from(first.point());
        }
        run.write(&started.system);
        let resumable = self.checkpoints.is_some() || self.resume.is_some();
        let identity = if resumable { self.identity(started, &run, t_end) } else { Vec::new() };
        let mut error = None;
        let mut kept = None;
        if let Some(bytes) = self.resume.take() {
            let saved = checkpoint::read(&identity, &bytes)?;
            kept = Some(run.restore(saved)?);
        } else {
            error = run.announce().err().map(Error::from);
        }
        if kept.is_some() {
            started.system.renew();
        }
        let (method, step) = (&self.method.clone(), self.step.clone());
        let mut integrator =
            Integrator::new(&started.system, method, step.clone(), &started.point)?;
        if !self.events {
            integrator.ignore_events();
        }
        match &kept {
            Some(saved) => integrator.restore(saved)?,
            None if self.certify => integrator.estimate_error_at_any_cost(),
            None if self.error_estimate => integrator.estimate_error(),
            None => {}
        }
        while error.is_none() {
            match self.drive(&mut integrator, &mut run, t_end, resumable) {
                Ok(false) => break,
                Err(failed) => error = Some(failed),
                Ok(true) => {
                    // What a resumed run would not have is dropped here too.
                    let saved = integrator.save();
                    drop(integrator);
                    started.system.renew();
                    integrator =
                        Integrator::new(&started.system, method, step.clone(), &started.point)?;
                    if !self.events {
                        integrator.ignore_events();
                    }
                    integrator.restore(&saved)?;
                    run.wall_s = run.earlier_s + clock.elapsed().as_secs_f64();
                    let checkpoints = self.checkpoints.as_mut();
                    if let Some(sink) = checkpoints
                        && sink.is_due()
                    {
                        let saved = run
                            .save(saved)
                            .and_then(|state| sink.save(&checkpoint::write(&identity, state)));
                        error = saved.err().map(Error::from);
                    }
                }
            }
        }
        let mut solution = run.solution;
        solution.stats = integrator.stats().clone();
        let seconds = clock.elapsed().as_secs_f64();
        solution.stats.wall_s = run.earlier_s + seconds;
        solution.on_dual_numbers = OnDualNumbers::of(&started.system, seconds);
        solution.drift = *integrator.drift();
        solution.error_estimate = integrator.error_estimate();
        solution.balance = integrator.balance();
        solution.assumed_scales = integrator.scales().assumed().map(String::from).collect();
        if let Some(overstepped) = integrator.overstepped() {
            solution.warnings.push(overstepped.to_string());
        }
        solution.coarse = integrator.coarse();
        solution.warnings.extend(solution.coarse.iter().map(ToString::to_string));
        let gave_up = matches!(error, Some(Error::Step(StepError::TooManySteps { .. })));
        let chatter = integrator.chatter().filter(|_| !gave_up);
        solution.warnings.extend(chatter.iter().map(ToString::to_string));
        solution.rank_changes = integrator.rank_changes().to_vec();
        solution.events = integrator.events().to_vec();
        solution.samples = integrator.samples().collect();
        solution.redundant = started.report.redundant.clone();
        match error {
            None => Ok(solution),
            Some(error) => {
                solution.status = Status::Failed;
                solution.error = Some(error.clone());
                let passing = match &error {
                    Error::Step(
                        StepError::TooManySteps { .. }
                        | StepError::Unresolved { .. }
                        | StepError::Mass { .. }
                        | StepError::Input { .. }
                        | StepError::Event { .. }
                        | StepError::Accumulation { .. }
                        | StepError::Closed { .. }
                        | StepError::Latch { .. },
                    ) => None,
                    Error::Step(_) => {
                        Some(self.passing(&started.system, &integrator, t_end).into())
                    }
                    _ => None,
                };
                Err(RunError { error, partial: Some(Box::new(solution)), passing })
            }
        }
    }

    /// Runs until the estimate meets the tolerance, recording their ends only, and then the best of
    /// them once more as it was to be recorded.
    fn certified(
        &mut self,
        mut certificate: Certificate,
        started: &mut Started,
        t_end: f64,
        clock: Instant,
    ) -> Result<Solution, RunError> {
        let (record, sink) = (self.record, self.sink.take());
        self.record = Record::Ends;
        let mut best: Option<(Solution, Step)> = None;
        let why = loop {
            let solution = match self.once(started, t_end, clock) {
                Ok(solution) => solution,
                Err(failed) if best.is_none() => return Err(failed),
                Err(failed) => break Some(failed.error.to_string()),
            };
            if !ended(&solution) {
                return Ok(solution);
            }
            let verdict = certificate.judge(&self.step, solution.error_estimate);
            let better = |(before, _): &(Solution, Step)| error_of(&solution) < error_of(before);
            if matches!(verdict, Next::Reached) || best.as_ref().is_none_or(better) {
                best = Some((solution, self.step.clone()));
            }
            match verdict {
                Next::Reached => break None,
                Next::Again(step) => self.step = step,
                Next::Beyond(why) => break Some(why),
            }
        };
        (self.record, self.sink) = (record, sink);
        let mut solution = match best {
            Some((solution, _)) if self.record == Record::Ends && self.sink.is_none() => solution,
            best => {
                if let Some((_, step)) = best {
                    self.step = step;
                }
                self.once(started, t_end, clock)?
            }
        };
        let Some(why) = why.filter(|_| ended(&solution)) else {
            return Ok(solution);
        };
        let error = Error::from(AccuracyError::NotReached {
            tolerance: certificate.tolerance(),
            reached: error_of(&solution),
            runs: certificate.runs(),
            why,
        });
        solution.error = Some(error.clone());
        Err(RunError { error, partial: Some(Box::new(solution)), passing: None })
    }

    /// What a run that goes on from a checkpoint must have in common with the one that made it.
    fn identity(&self, started: &Started, run: &Run<'_>, t_end: f64) -> Identity {
        let model = started.system.model();
        let mut identity = vec![
            ("the program".into(), checkpoint::program()),
            ("the model".into(), model.name().to_string()),
        ];
        for (label, value) in model.params().iter().zip(started.point.params()) {
            identity.push((format!("{} =", label.name), format!("{value:?}")));
        }
        identity.extend([
            ("the method".into(), format!("{:?}", self.method)),
            ("the steps".into(), format!("{:?}", self.step)),
            ("the start at".into(), format!("{:?}", self.t_start)),
            ("the end at".into(), format!("{t_end:?}")),
            ("the records".into(), format!("{:?}", self.record)),
            ("the error estimated:".into(), self.error_estimate.to_string()),
            ("steps ending at events:".into(), self.events.to_string()),
            ("derivatives by".into(), self.derivatives.name().into()),
            ("rows streamed:".into(), run.sink.is_some().to_string()),
            ("the inputs".into(), feed::identity(&started.system)),
            ("the scales".into(), format!("{:?} {:?}", model.scale_q(), model.scale_x())),
        ]);
        // Whatever else a model is shows where it begins.
        let columns = run.solution.columns().iter().map(|c| c.name.len() as u64);
        let silent = [SlotKind::Lambda, SlotKind::Psi].map(|kind| {
            started.system.redundant_rows(kind).fold(0, |sum: u64, i| 31 * sum + i as u64 + 1)
        });
        let bits = run.solution.row(0).iter().map(|value| value.to_bits());
        let bytes: Vec<u8> = columns.chain(silent).chain(bits).flat_map(u64::to_le_bytes).collect();
        let start = format!("{:016x}", checkpoint::hash(&bytes));
        identity.push(("the model's equations and start".into(), start));
        identity
    }

    /// Steps to the end, or, if the run is `resumable`, to the next step after which it could be
    /// resumed: true then.
    fn drive(
        &mut self,
        integrator: &mut Integrator<'_>,
        run: &mut Run<'_>,
        t_end: f64,
        resumable: bool,
    ) -> Result<bool, Error> {
        while integrator.point().t() < t_end && !integrator.exhausted() {
            if self.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                run.solution.status = Status::Interrupted;
                break;
            }
            let steps = integrator.stats().steps;
            if resumable && run.stopped_at != Some(steps) && checkpoint::is_point(steps) {
                run.stopped_at = Some(steps);
                return Ok(true);
            }
            if steps >= self.max_steps {
                // What ended the run is told, not that its last row could not be written either.
                let _ = run.end(integrator);
                let t = integrator.point().t();
                let chatter = integrator.chatter().map(Box::new);
                return Err(StepError::TooManySteps { t, steps, h: run.last_h, chatter }.into());
            }
            match integrator.step_once(t_end) {
                Ok(_) if integrator.stopped().is_some() => {
                    run.solution.status = Status::Stopped;
                    run.solution.stopped = integrator.stopped().cloned();
                    break;
                }
                Ok(step) => {
                    run.last_h = step.h;
                    run.take(step, integrator)?;
                    if let Some(progress) = &mut self.progress {
                        let (t, h, t_start) = (step.t, step.h, self.t_start);
                        progress(&Progress { t, t_start, t_end, h, steps: steps + 1 });
                    }
                }
                Err(error) => {
                    let _ = run.end(integrator);
                    return Err(error.into());
                }
            }
        }
        run.end(integrator)?;
        Ok(false)
    }

    /// Which other methods get past the point where this one failed.
    fn passing(&self, system: &System, failed: &Integrator<'_>, t_end: f64) -> Vec<&'static str> {
        let mut point = failed.point().clone();
        let beyond = (point.t() + PAST * (t_end - self.t_start)).min(t_end);
        if reconcile(system, &mut point).is_err() {
            return Vec::new();
        }
        let step = if self.step.is_adaptive() { self.step.clone() } else { Step::default() };
        let gets_past = |name: &&'static str| {
            let Ok(method) = Method::from_name(name) else { return false };
            let Ok(mut tried) = Integrator::new(system, &method, step.clone(), &point) else {
                return false;
            };
            for _ in 0..MOST_TRIED {
                if tried.step_once(t_end).is_err() {
                    return false;
                }
                if tried.point().t() >= beyond {
                    break;
                }
            }
            true
        };
        let others = OTHERS.iter().filter(|name| **name != self.method.name());
        others.copied().filter(gets_past).collect()
    }

    /// An output interval must give times that differ, and no more of them than anyone can use.
    fn check_rows(&self, t_end: f64) -> Result<(), OptionError> {
        let Record::Every(value) = self.record else { return Ok(()) };
        let spacing = f64::EPSILON * self.t_start.abs().max(t_end.abs());
        let range = if (t_end - self.t_start) / value > MOST_ROWS {
            "an output interval [s] may give 10^9 rows; choose a larger one"
        } else if value < spacing && t_end > self.t_start {
            "output times so near to each other are the same number; choose a larger interval [s]"
        } else {
            return Ok(());
        };
        Err(OptionError::OutOfRange { name: "every", value, range })
    }

    fn end(&self, system: &System) -> Result<f64, OptionError> {
        let own = self.step.length().map(|length| self.t_start + length);
        let t_end = self.t_end.or(own).or(system.model().t_end());
        let t_end = t_end.unwrap_or(f64::NAN);
        if t_end >= self.t_start && t_end.is_finite() {
            Ok(t_end)
        } else {
            Err(OptionError::OutOfRange {
                name: "t_end",
                value: t_end,
                range: "an end time at or after the start is needed; the model suggests none of its own",
            })
        }
    }
}

/// Whether a run came to an end of its own.
fn ended(solution: &Solution) -> bool {
    matches!(solution.status, Status::Finished | Status::Stopped)
}

/// What runs are compared by.
fn error_of(solution: &Solution) -> f64 {
    solution.error_estimate.map_or(f64::INFINITY, |estimate| estimate.motion())
}

pub(super) fn begin(
    mut model: Model,
    initial: &[(String, f64)],
    inputs: &[(String, Signal)],
    (t_start, derivatives): (f64, Derivatives),
) -> Result<Started, Error> {
    for (name, value) in initial {
        set_initial(&mut model, name, *value)?;
    }
    let mut system = System::new(model);
    system.set_derivatives(derivatives);
    feed::feed(&mut system, inputs, t_start)?;
    let mut point = system.initial_point();
    point.set_t(t_start);
    system.feed(&mut point);
    let report = start::start(&mut system, &mut point)?;
    Ok(Started { system, point, report })
}

/// The model with stated scales; those given as tolerances over that of the run.
pub(super) fn stated(
    model: Result<Model, ModelError>,
    scales: &[(String, f64, Stated)],
    step: &Step,
) -> Result<Model, Error> {
    let mut model = model?;
    for (name, value, stated) in scales {
        let option = stated.option();
        if !(*value > 0.0 && value.is_finite()) {
            let range = "it is positive, in the unit of what it belongs to";
            return Err(OptionError::OutOfRange { name: option, value: *value, range }.into());
        }
        let scale = match (stated, step) {
            (Stated::Scale, _) => *value,
            (Stated::Tolerance, Step::Adaptive { tolerance, .. }) => value / tolerance,
            (Stated::Tolerance, _) => return Err(OptionError::FixedStep { option }.into()),
        };
        set_scale(&mut model, option, name.trim(), scale)?;
    }
    Ok(model)
}

fn set_scale(
    model: &mut Model,
    option: &'static str,
    name: &str,
    scale: f64,
) -> Result<(), OptionError> {
    let is = |label: &Label| {
        label.name == name || label.name.split_once('[').is_some_and(|(array, _)| array == name)
    };
    let of_q: Vec<bool> = model.coords().iter().map(is).collect();
    let of_x: Vec<bool> = model.states().iter().map(is).collect();
    if of_q.iter().chain(&of_x).all(|is| !is) {
        let labels = model.coords().iter().chain(model.states());
        return Err(OptionError::UnknownName {
            option,
            name: name.into(),
            what: "a coordinate or a state of this model",
            suggestion: nearest(name, labels.map(|label| &*label.name)),
        });
    }
    let initial = model.initial_mut();
    for (list, chosen) in [(&mut initial.scale_q, of_q), (&mut initial.scale_x, of_x)] {
        for (stated, _) in list.iter_mut().zip(chosen).filter(|(_, chosen)| *chosen) {
            *stated = Some(scale);
        }
    }
    Ok(())
}

fn check_interval(dt: f64) -> Result<(), OptionError> {
    if dt > 0.0 && dt.is_finite() {
        Ok(())
    } else {
        Err(OptionError::OutOfRange {
            name: "every",
            value: dt,
            range: "an output interval is positive [s]",
        })
    }
}

/// Sets an initial value by name.
fn set_initial(model: &mut Model, name: &str, value: f64) -> Result<(), OptionError> {
    let name = name.trim();
    let position = |labels: &[crate::model::Label], name: &str| {
        labels.iter().position(|label| label.name == name)
    };
    let inner = name.strip_prefix("der(").and_then(|n| n.strip_suffix(')'));
    if !value.is_finite() {
        return Err(OptionError::OutOfRange {
            name: "init",
            value,
            range: "an initial value is a finite number",
        });
    }
    if let Some(i) = inner.and_then(|inner| position(model.coords(), inner.trim())) {
        let initial = model.initial_mut();
        (initial.v[i], initial.keep_v[i]) = (value, true);
    } else if let Some(i) = position(model.coords(), name) {
        let initial = model.initial_mut();
        (initial.q[i], initial.keep_q[i]) = (value, true);
    } else if let Some(i) = position(model.states(), name) {
        model.initial_mut().x[i] = value;
    } else if let Some(i) = position(model.variables(), name) {
        model.initial_mut().w[i] = value;
    } else if let Some(i) = position(model.modes(), name) {
        model.initial_mut().modes[i] = value;
    } else {
        let mut names: Vec<String> = Vec::new();
        for label in model.coords() {
            names.extend([label.name.clone(), format!("der({})", label.name)]);
        }
        let others = model.states().iter().chain(model.variables()).chain(model.modes());
        names.extend(others.map(|l| l.name.clone()));
        return Err(OptionError::UnknownName {
            option: "init",
            name: name.into(),
            what: "a coordinate, a velocity `der(coordinate)`, a state or a mode of this model",
            suggestion: nearest(name, names.iter().map(|n| &**n)),
        });
    }
    Ok(())
}

/// Evenly spaced points within a step.
struct Curve {
    from: f64,
    to: f64,
    /// Number of the next.
    next: usize,
    count: usize,
}

impl Curve {
    fn time(&self) -> Option<f64> {
        let part = self.next as f64 / (self.count + 1) as f64;
        (self.next <= self.count).then_some(self.from + part * (self.to - self.from))
    }
}

/// The recording side of a run.
struct Run<'k> {
    /// Gets the rows in place of `solution`.
    sink: Option<&'k mut dyn RowSink>,
    solution: Solution,
    record: Record,
    t_start: f64,
    /// Number of the next output time.
    next: usize,
    /// Time of the last recorded point.
    last: f64,
    /// Size of the last step.
    last_h: f64,
    /// Wall time of the runs this one goes on from, and with its own.
    earlier_s: f64,
    wall_s: f64,
    /// Steps after which a checkpoint could last be made.
    stopped_at: Option<usize>,
    /// How many there have been up to the points that are recorded.
    events: usize,
    point: Point,
    energies: Residual,
}

impl<'k> Run<'k> {
    fn new(
        started: &Started,
        method: &str,
        record: Record,
        sink: Option<&'k mut dyn RowSink>,
    ) -> Self {
        Run {
            sink,
            solution: Solution::new(&started.system, method),
            record,
            t_start: started.point.t(),
            next: 1,
            last: f64::NAN,
            last_h: 0.0,
            earlier_s: 0.0,
            wall_s: 0.0,
            stopped_at: None,
            events: 0,
            point: started.point.clone(),
            energies: Residual::new(&started.system.dims()),
        }
    }

    /// Hands the start to the sink.
    fn announce(&mut self) -> Result<(), OutputError> {
        match &mut self.sink {
            Some(sink) => {
                let columns = (0..self.solution.columns().len()).collect::<Vec<_>>();
                sink.begin(&self.solution.with_columns(&columns, Vec::new()))?;
                sink.row(self.solution.row(0))
            }
            None => Ok(()),
        }
    }

    /// The state of the run around an integrator's.
    fn save(&mut self, integrator: Vec<u8>) -> Result<Vec<u8>, OutputError> {
        let mut state = State::saving();
        self.state(&mut state)?;
        let mut bytes = state.saved();
        bytes.splice(0..0, (bytes.len() as u64).to_le_bytes());
        bytes.extend(integrator);
        Ok(bytes)
    }

    /// Restores it; returns the integrator's.
    fn restore(&mut self, saved: &[u8]) -> Result<Vec<u8>, Error> {
        let misfit = |part| {
            let why = format!("{part} in it belongs to another run");
            Error::from(OptionError::NoCheckpoint { why })
        };
        let (len, rest) = saved.split_first_chunk().ok_or_else(|| misfit("the beginning"))?;
        let len = u64::from_le_bytes(*len) as usize;
        let (own, integrator) = rest.split_at_checked(len).ok_or_else(|| misfit("the length"))?;
        let mut state = State::restoring(own);
        self.state(&mut state)?;
        match state.misfit() {
            Some(part) => Err(misfit(part)),
            None => Ok(integrator.to_vec()),
        }
    }

    fn state(&mut self, state: &mut State<'_>) -> Result<(), OutputError> {
        let Run {
            sink,
            solution,
            record: _,
            t_start: _,
            next,
            last,
            last_h,
            earlier_s,
            wall_s,
            stopped_at: _,
            events,
            point: _,
            energies: _,
        } = self;
        state.part("what is recorded");
        state.count(next);
        state.count(events);
        state.number(last);
        state.number(last_h);
        state.number(wall_s);
        if state.restores() {
            *earlier_s = *wall_s;
        }
        solution.state(state);
        match sink {
            // What does not fit is not looked at.
            Some(sink) if state.is_right() => sink.state(state),
            _ => Ok(()),
        }
    }

    /// Records `self.point`.
    fn write(&mut self, system: &System) {
        system.eval_at(&self.point, Want::ENERGY, &mut self.energies);
        let Residual { kinetic, potential, .. } = self.energies;
        self.solution.record(system, &self.point, [kinetic, potential], self.events);
        self.last = self.point.t();
    }

    /// Records it, and hands it on.
    fn hand_on(&mut self, system: &System) -> Result<(), OutputError> {
        self.write(system);
        if let Some(sink) = &mut self.sink {
            sink.row(self.solution.row(self.solution.len() - 1))?;
            self.solution.forget_between();
        }
        Ok(())
    }

    /// Records what the last accepted step covers.
    fn take(&mut self, step: Accepted, integrator: &mut Integrator<'_>) -> Result<(), OutputError> {
        if self.sink.is_none() {
            self.solution.steps.push(step);
        }
        self.events = integrator.events().len();
        let mut curve = self.curve(integrator);
        match self.record {
            Record::EveryStep => {
                if integrator.began_after_events() {
                    self.point.copy_from(integrator.previous());
                    self.hand_on(integrator.system())?;
                }
                self.draw(&mut curve, integrator.point().t(), integrator)?;
                self.point.copy_from(integrator.point());
                self.hand_on(integrator.system())?;
            }
            Record::Every(dt) => {
                loop {
                    let t = self.t_start + self.next as f64 * dt;
                    if t > integrator.point().t() {
                        break;
                    }
                    self.next += 1;
                    self.draw(&mut curve, t, integrator)?;
                    integrator.interpolate(t, &mut self.point);
                    self.hand_on(integrator.system())?;
                }
                let end = integrator.point().t();
                if curve.count > 0 && end > self.last {
                    self.draw(&mut curve, end, integrator)?;
                    self.show(end, integrator)?;
                }
            }
            Record::Ends => {}
        }
        Ok(())
    }

    /// The points within the last step that the sink wants.
    fn curve(&self, integrator: &Integrator<'_>) -> Curve {
        let count = self.sink.as_ref().map_or(0, |sink| sink.curve_points());
        let (from, to) = (integrator.previous().t(), integrator.point().t());
        Curve { from, to, next: 1, count }
    }

    /// Hands the sink its points before a time.
    fn draw(
        &mut self,
        curve: &mut Curve,
        before: f64,
        integrator: &mut Integrator<'_>,
    ) -> Result<(), OutputError> {
        while let Some(t) = curve.time().filter(|t| *t < before) {
            curve.next += 1;
            self.show(t, integrator)?;
        }
        Ok(())
    }

    fn show(&mut self, t: f64, integrator: &mut Integrator<'_>) -> Result<(), OutputError> {
        integrator.interpolate(t, &mut self.point);
        let system = integrator.system();
        system.eval_at(&self.point, Want::ENERGY, &mut self.energies);
        let Residual { kinetic, potential, .. } = self.energies;
        self.solution.record(system, &self.point, [kinetic, potential], self.events);
        let row = self.solution.row(self.solution.len() - 1);
        let shown = self.sink.as_mut().map_or(Ok(()), |sink| sink.curve(row));
        self.solution.forget_last();
        shown
    }

    /// Records the point reached unless it is there.
    fn end(&mut self, integrator: &Integrator<'_>) -> Result<(), OutputError> {
        let t = integrator.point().t();
        // An output time that rounding put just before the end is the end. What an event has ended is as it
        // has left it.
        let stopped = integrator.stopped().is_some();
        if stopped || self.last.is_nan() || t - self.last > 1e-12 * t.abs().max(f64::MIN_POSITIVE) {
            self.point.copy_from(integrator.point());
            self.hand_on(integrator.system())?;
        }
        Ok(())
    }
}
