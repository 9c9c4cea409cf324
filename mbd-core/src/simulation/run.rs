//! Running a mechanism: from parameters and initial values to a recorded solution.

use super::certificate::{Certificate, Next};
use super::feed;
use super::initial::{Started, begin, stated};
use super::options::{Options, Progress, Record, Simulation};
use super::recorder::Recorder;
use crate::assembly::{SlotKind, System};
use crate::checkpoint::{self, Identity};
use crate::error::{AccuracyError, Error, OptionError, StepError};
use crate::integrate::{Integrator, Method, Step};
use crate::model::Label;
use crate::solution::{OnDualNumbers, OutputError, RowSink, RunError, Solution, Status};
use crate::start::{Moved, reconcile};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Rows that an output interval may ask for: more is a slip of the pen.
const MOST_ROWS: f64 = 1e9;

/// The methods that are tried from where another one failed.
const OTHERS: [&str; 5] = ["gen-alpha-soi2", "radau5", "hht-i3", "bdf-ggl", "explicit-rk"];
/// They get past it when they come this part of the run further without a failure,
const PAST: f64 = 1e-3;
/// or so many steps, the last of which is long enough to come that far in as many times as many.
const MOST_TRIED: usize = 200;
const AS_MANY: f64 = 10.0;

impl Simulation<'_> {
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
        if !self.t_start.is_finite() {
            let range = "the time at which a run begins is finite [s]";
            return Err(OptionError::OutOfRange { name: "t_start", value: self.t_start, range });
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
        let mut run = Recorder::new(started, self.method.name(), self.record, self.sink.take());
        if self.history {
            run.keep_history();
        }
        run.solution.least_shares = self.least_shares;
        let model = started.system.model();
        if !(model.switches().is_empty() && started.system.slides().is_empty()) {
            // What sticks or is closed at the start has other accelerations and forces than it was assembled with.
            let mut first = Integrator::until(
                &started.system,
                &self.method,
                self.step.clone(),
                &started.point,
                t_end,
            )?;
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
            Integrator::until(&started.system, method, step.clone(), &started.point, t_end)?;
        if !self.events {
            integrator.ignore_events();
        }
        if self.saltations {
            integrator.differentiate_events();
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
                    integrator = Integrator::until(
                        &started.system,
                        method,
                        step.clone(),
                        &started.point,
                        t_end,
                    )?;
                    if !self.events {
                        integrator.ignore_events();
                    }
                    if self.saltations {
                        integrator.differentiate_events();
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
        solution.moved_far = moved_far(
            &started.report.moved,
            integrator.scales().q().weights(),
            started.system.model().coords(),
        );
        solution.assumed_scales = integrator.scales().assumed().map(String::from).collect();
        if let Some(overstepped) = integrator.overstepped() {
            solution.warnings.push(overstepped.to_string());
        }
        solution.warnings.extend(solution.ambiguity.iter().map(ToString::to_string));
        solution.coarse = integrator.coarse();
        solution.warnings.extend(solution.coarse.iter().map(ToString::to_string));
        solution.grazing = integrator.grazing();
        solution.warnings.extend(solution.grazing.iter().map(ToString::to_string));
        solution.disorder = integrator.disorder();
        solution.warnings.extend(solution.disorder.iter().map(ToString::to_string));
        let gave_up = matches!(error, Some(Error::Step(StepError::TooManySteps { .. })));
        let chatter = integrator.chatter().filter(|_| !gave_up);
        let struggle = integrator.struggle().filter(|_| chatter.is_none() && error.is_none());
        solution.warnings.extend(chatter.iter().map(ToString::to_string));
        solution.warnings.extend(struggle.iter().map(ToString::to_string));
        solution.rank_changes = integrator.rank_changes().to_vec();
        solution.rank_change_count = integrator.rank_change_count();
        solution.events = integrator.events().to_vec();
        solution.saltations = integrator.saltations().to_vec();
        solution.samples = integrator.samples().collect();
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
                        | StepError::Latch { .. }
                        | StepError::Moved { .. }
                        | StepError::Displaced { .. },
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
        let (record, mut sink) = (self.record, self.sink.take());
        self.record = Record::Ends;
        let mut best: Option<(Solution, Step)> = None;
        let why = loop {
            let solution = match self.once(started, t_end, clock) {
                Ok(solution) => solution,
                Err(failed) if best.is_none() => {
                    if let (Some(sink), Some(partial)) = (&mut sink, &failed.partial) {
                        // What the run failed with is what is told.
                        let _ = hand_on(partial, &mut **sink);
                    }
                    return Err(failed);
                }
                Err(failed) => break Some(failed.error.to_string()),
            };
            if !ended(&solution) {
                let status = solution.status;
                let mut solution = best.map_or(solution, |(best, _)| best);
                solution.status = status;
                if let Some(sink) = &mut sink {
                    hand_on(&solution, &mut **sink)?;
                }
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
        // Where no more can be had, what keeps to the tolerance itself is enough.
        let kept = error_of(&solution) <= certificate.tolerance();
        let Some(why) = why.filter(|_| ended(&solution) && !kept) else {
            return Ok(solution);
        };
        let error = Error::from(AccuracyError::NotReached {
            tolerance: certificate.tolerance(),
            reached: error_of(&solution),
            runs: certificate.runs(),
            method: self.method.name(),
            why,
        });
        solution.error = Some(error.clone());
        Err(RunError { error, partial: Some(Box::new(solution)), passing: None })
    }

    /// What a run that goes on from a checkpoint must have in common with the one that made it.
    fn identity(&self, started: &Started, run: &Recorder<'_>, t_end: f64) -> Identity {
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
            ("events differentiated:".into(), self.saltations.to_string()),
            ("least shares:".into(), self.least_shares.to_string()),
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
        run: &mut Recorder<'_>,
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
                let struggle = integrator.struggle().map(Box::new);
                let unresolved = integrator.unresolved().map(Box::new);
                let h = run.last_h;
                return Err(
                    StepError::TooManySteps { t, steps, h, chatter, struggle, unresolved }.into()
                );
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
            let Ok(mut tried) = Integrator::until(system, &method, step.clone(), &point, t_end)
            else {
                return false;
            };
            let mut h = 0.0;
            for _ in 0..MOST_TRIED {
                let before = tried.point().t();
                if tried.step_once(t_end).is_err() {
                    return false;
                }
                if tried.point().t() >= beyond {
                    return true;
                }
                h = tried.point().t() - before;
            }
            // What creeps up to a place in ever shorter steps does not get past it.
            beyond - tried.point().t() <= AS_MANY * MOST_TRIED as f64 * h
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
        let given = t_end.is_some();
        let value = t_end.unwrap_or(f64::NAN);
        if value >= self.t_start && value.is_finite() {
            return Ok(value);
        }
        let range = match (given, value.is_finite()) {
            (false, _) => "an end time is needed; the model suggests none of its own",
            (_, false) => "an end time is finite",
            _ => "the end is not before the start",
        };
        Err(OptionError::OutOfRange { name: "t_end", value, range })
    }
}

/// Hands the points that a run recorded to what takes the rows of the run it stands for.
fn hand_on(run: &Solution, sink: &mut dyn RowSink) -> Result<(), OutputError> {
    sink.begin(run)?;
    if let Some(end) = run.end_point() {
        sink.point(end);
    }
    (0..run.len()).try_for_each(|index| sink.row(run.row(index)))
}

/// Whether a run came to an end of its own.
fn ended(solution: &Solution) -> bool {
    matches!(solution.status, Status::Finished | Status::Stopped)
}

/// What runs are compared by.
fn error_of(solution: &Solution) -> f64 {
    solution.error_estimate.map_or(f64::INFINITY, |estimate| estimate.motion())
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

/// How many times its scale a length is moved that is far: the scale is that of a lever, and mechanisms are a few of these large.
const FAR: f64 = 3.0;

/// What assembly moved far. Only guesses that are stated: what has no value begins at 0.
fn moved_far(moved: &[Moved], scales: &[f64], labels: &[Label]) -> Vec<Moved> {
    let far = |m: &&Moved| {
        let natural = labels[m.index].is_angle() || labels[m.index].unit == "-";
        let most = if natural { 1.0 } else { FAR * scales[m.index] };
        !m.kept && m.from != 0.0 && (m.to - m.from).abs() > most
    };
    moved.iter().filter(far).cloned().collect()
}
