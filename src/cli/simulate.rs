//! `simulate`: computes the motion, and writes what was asked for whatever happens.

use super::args::{Request, is_html};
use super::check::{examine, findings};
use super::exit::Exit;
use super::feed::signals;
use super::files::destinations;
use super::io::Io;
use super::like;
use super::members::joints;
use super::picture::{Earlier, Member, Wanted, check_axes, draw};
use super::progress::{Progress, Style};
use super::result::json;
use super::rows::{Rows, Series};
use super::stop::Stop;
use super::subject::Subject;
use super::summary::{brief, summary, unexplained};
use crate::animate::Written;
use crate::assembly::System;
use crate::check::CheckReport;
use crate::error::RunError;
use crate::integrate::{Method, Step};
use crate::json::{Members, object};
use crate::model::Mechanism;
use crate::output::{Destination, Draft, Format, TableStream, short};
use crate::plot::{Shown, worth_showing};
use crate::signal::Signal;
use crate::simulation::Record;
use crate::solution::{ColumnKind, OutputError, Status};
use crate::{CheckpointFile, CsvStream, Error, Simulation, Solution};
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(super) fn run(subject: Subject, request: &Request, io: &mut Io<'_>) -> Result<Exit, Stop> {
    if let Some((name, values)) = &request.sweep {
        return sweep(subject, request, (name, values), io);
    }
    let job = prepare(subject, request, io)?;
    if request.check {
        let report = checked(&job, request, None, io)?;
        if !request.quiet {
            io.tell(&report.to_string());
        }
    }
    job.run(request, io)
}

/// Looks at the model as `check` does, of a sweep at the one of this name.
///
/// # Errors
/// Where it does not pass; what was found is told.
fn checked(
    job: &Job,
    request: &Request,
    name: Option<&str>,
    io: &mut Io<'_>,
) -> Result<CheckReport, Stop> {
    let (report, exit) = examine(&*job.mechanism, request)?;
    if exit == Exit::Ok {
        return Ok(report);
    }
    let mut message = format!("the model did not pass its check: {}", findings(&report));
    if let Some(name) = name {
        io.tell(&format!("{name}:"));
        message = format!("{name}: {message}");
    }
    io.tell(&report.to_string());
    Err(Stop::Told { message, exit })
}

/// Everything that can be wrong is found before the run starts.
struct Job {
    mechanism: Box<dyn Mechanism>,
    method: Method,
    step: Step,
    t_end: f64,
    system: System,
    columns: Solution,
    /// What is to be drawn.
    wanted: Wanted,
    /// Where rows go.
    rows: Option<RowsTo>,
    checkpoints: Option<CheckpointFile>,
    /// What inputs are fed with.
    inputs: Vec<(String, Signal)>,
    /// What the run goes on from.
    resume: Option<Vec<u8>>,
    /// Earlier runs shown in the same pictures.
    beside: Vec<Member>,
}

/// A run that is over.
struct Computed<'o> {
    solution: Option<Solution>,
    error: Option<Error>,
    exit: Exit,
    rows: Rows<'o>,
}

/// Where rows go, found before the run.
enum RowsTo {
    Standard,
    Draft(Draft, Format),
}

fn prepare(subject: Subject, request: &Request, io: &mut Io<'_>) -> Result<Job, Stop> {
    let mechanism = subject.instance(request)?;
    let system = System::new(mechanism.model()?);
    let mut method = match &request.method {
        Some(name) => subject.method(name)?,
        None => Method::default(),
    };
    if let Some(rho) = request.rho {
        method = method.rho(rho)?;
    }
    if let Some(alpha) = request.alpha {
        method = method.alpha(alpha)?;
    }
    if let Some(order) = request.order {
        method = method.order(order)?;
    }
    if request.positions_only {
        method = method.test_velocities(false)?;
    }
    if !request.independent.is_empty() {
        method = method.independent(request.independent.clone())?;
    }
    if request.no_adjust {
        method = method.adjust(false)?;
    }
    let mut step = match (request.step, request.tol) {
        (Some(h), _) => Step::fixed(h),
        (None, Some(tolerance)) => Step::adaptive(tolerance),
        (None, None) => Step::default(),
    };
    if let Some(h) = request.max_step {
        step = step.max(h);
    }
    step.check()?;
    let t_end = request.t_end.or(system.model().t_end()).ok_or_else(|| {
        Stop::Usage("say when to end: --t-end T [s] (the model states no end time itself)".into())
    })?;
    let show = match &request.show[..] {
        [] => worth_showing(system.model()),
        names => names.to_vec(),
    };
    let columns = Solution::new(&system, method.name());
    let columns = if request.history { columns.with_history() } else { columns };
    let mut show = show;
    if request.history && request.show.is_empty() {
        let history = columns.range(ColumnKind::History);
        show.extend(history.map(|index| columns.columns()[index].name.clone()));
    }
    let wanted = Wanted::of(request, show);
    if request.plot.is_some() || request.animate.is_some() {
        let shown = Shown::of(&columns, &wanted.show)?;
        check_axes(&wanted, &shown)?;
    }
    let rows = match destinations(request)? {
        None => None,
        Some(Destination::Standard) => Some(RowsTo::Standard),
        Some(file) => {
            let format = request.out.as_deref().map_or(Ok(Format::Csv), Format::of);
            let format = format.map_err(|error| Stop::Usage(error.to_string()))?;
            Some(RowsTo::Draft(Draft::open(&file)?, format))
        }
    };
    let checkpoints = request.checkpoint.as_ref().map(CheckpointFile::new).transpose()?;
    let resume = request.resume.as_ref().map(|path| {
        std::fs::read(path).map_err(|error| OutputError::Read {
            path: path.display().to_string(),
            reason: error.to_string(),
        })
    });
    let resume = resume.transpose()?;
    let name = system.model().name();
    let beside = request.beside.iter();
    let beside = beside.map(|table| Earlier::read(subject, table, name, io)?.member(&wanted));
    let beside = beside.collect::<Result<_, Stop>>()?;
    let inputs = signals(request)?;
    Ok(Job {
        inputs,
        mechanism,
        method,
        step,
        t_end,
        system,
        columns,
        wanted,
        rows,
        checkpoints,
        resume,
        beside,
    })
}

impl Job {
    /// Computes the motion, and tells what is wrong with it.
    fn compute<'o>(
        &mut self,
        request: &Request,
        (out, err): (&'o mut dyn Write, &mut dyn Write),
        (terminal, interrupt): (bool, &Arc<AtomicBool>),
    ) -> Result<Computed<'o>, Stop> {
        let table = match self.rows.take() {
            None => None,
            Some(RowsTo::Standard) => Some(TableStream::Csv(CsvStream::new(out))),
            Some(RowsTo::Draft(draft, format)) => {
                let whole = draft.path().display().to_string();
                let table = TableStream::new(draft, format, &self.columns);
                if let (Some(part), false) = (table.part(), request.quiet) {
                    let part = part.display();
                    let _ = writeln!(err, "writing {part}, which is {whole} at the end");
                }
                Some(table)
            }
        };
        let sinks = self.wanted.sinks(&*self.mechanism, &self.columns)?;
        let series = (request.json && request.every.is_some()).then(Series::default);
        let mut rows = Rows { table, sinks, series };
        let outcome = self.simulate(request, &mut rows, (&mut *err, terminal, interrupt));
        let (mut solution, error, advice) = match outcome {
            Ok(solution) => (Some(solution), None, String::new()),
            Err(failed) => {
                let advice = failed.advice();
                (failed.partial.map(|p| *p), Some(failed.error), advice)
            }
        };
        let mut exit = match (&error, &solution) {
            (Some(error), _) => Exit::of(error),
            (None, Some(s)) if s.status == Status::Interrupted => Exit::Interrupted,
            _ => Exit::Ok,
        };
        if let Some(error) = &error {
            let _ = writeln!(err, "error: {error}{advice}");
        }
        let doubtful = |solution: &&mut Solution| {
            solution.balance.as_ref().is_some_and(|balance| !balance.holds)
        };
        if let Some(solution) = solution.as_mut().filter(doubtful)
            && let Some(balance) = &solution.balance
        {
            let warning = unexplained(balance, &solution.method, request);
            // The summary tells all warnings.
            if request.quiet {
                let _ = writeln!(err, "warning: {warning}");
            }
            solution.warnings.insert(0, warning);
            if request.strict && exit == Exit::Ok {
                exit = Exit::Accuracy;
            }
        }
        if request.strict
            && exit == Exit::Ok
            && solution.as_ref().is_some_and(|s| {
                s.coarse.is_some()
                    || s.ambiguity.is_some()
                    || s.grazing.is_some()
                    || s.disorder.is_some()
            })
        {
            exit = Exit::Accuracy;
        }
        Ok(Computed { solution, error, exit, rows })
    }

    fn run(mut self, request: &Request, io: &mut Io<'_>) -> Result<Exit, Stop> {
        let run = (io.terminal, &io.interrupt.clone());
        let Computed { solution, error, mut exit, mut rows } =
            self.compute(request, (&mut *io.out, &mut *io.err), run)?;
        let (mut written, mut drawn) = (Vec::new(), None);
        let series = rows.series.take().map(|series| series.json(&self.columns));
        if let Some(solution) = solution.as_ref().filter(|s| !s.is_empty()) {
            for (path, result) in self.write(request, rows, solution, &mut drawn) {
                match result {
                    Ok(()) => written.push(path.display().to_string()),
                    Err(error) => {
                        let _ = writeln!(io.err, "error: {error}");
                        exit = if exit == Exit::Ok { Exit::InputOutput } else { exit };
                    }
                }
            }
        }
        if !request.quiet {
            match &solution {
                Some(solution) => {
                    io.tell(summary(solution, &written, drawn.as_ref()).trim_end());
                    if request.plot.as_deref().is_some_and(|path| !is_html(path)) {
                        self.tell_left_out(request, io);
                    }
                    if let (Status::Interrupted, Some(file)) =
                        (solution.status, &request.checkpoint)
                    {
                        let file = file.display();
                        io.tell(&format!("to go on: the same command and --resume {file}"));
                    }
                }
                None => io.tell("nothing was computed"),
            }
        }
        if request.json {
            let model = self.system.model();
            let mut object = json(model, &self.method, solution.as_ref(), error.as_ref(), exit);
            object.insert("joints".into(), joints(&self.system, solution.as_ref()));
            object.extend(series.map(|series| ("series".to_string(), series)));
            let object = Value::Object(object);
            io.print(&format!("{object}\n"))?;
        }
        Ok(exit)
    }

    fn simulate(
        &mut self,
        request: &Request,
        rows: &mut Rows<'_>,
        (err, terminal, interrupt): (&mut dyn Write, bool, &Arc<AtomicBool>),
    ) -> Result<Solution, RunError> {
        let style = match (request.quiet, terminal) {
            (true, _) => Style::Silent,
            (false, true) => Style::Bar,
            (false, false) => Style::Lines,
        };
        let mut progress = Progress::new(style, self.t_end);
        let mut simulation = Simulation::new(&*self.mechanism)
            .method(self.method.clone())
            .step(self.step.clone())
            .until(self.t_end)
            .certify(request.certify)
            .error_estimate(!request.no_estimate)
            .events(!request.no_events)
            .least_shares(request.least_shares)
            .history(request.history)
            .derivatives(request.derivatives.unwrap_or_default())
            .interrupt(Arc::clone(interrupt))
            .stream(rows);
        if let Some(every) = request.every {
            simulation = simulation.every(every);
        } else if request.out.is_none() && request.plot.is_none() && request.animate.is_none() {
            // Nobody will ask for what lies between.
            simulation = simulation.record(Record::Ends);
        }
        for (name, value) in &request.atol {
            simulation = simulation.atol(name.as_str(), *value);
        }
        if let Some(steps) = request.max_steps {
            simulation = simulation.max_steps(steps);
        }
        if let Some(checkpoints) = &mut self.checkpoints {
            simulation = simulation.checkpoint(checkpoints);
        }
        if let Some(resume) = self.resume.take() {
            simulation = simulation.resume(resume);
        }
        for (name, value) in &request.init {
            simulation = simulation.set_initial(name.as_str(), *value);
        }
        for (name, signal) in &self.inputs {
            simulation = simulation.input(name.as_str(), signal.clone());
        }
        let result = simulation.progress(|p| progress.update(p.t, p.steps, &mut *err)).run();
        progress.finish(err);
        result
    }

    /// Ends what was written while the run went, and draws its picture.
    fn write<'a>(
        &mut self,
        request: &'a Request,
        rows: Rows<'_>,
        solution: &Solution,
        drawn: &mut Option<Written>,
    ) -> Vec<(&'a Path, Result<(), OutputError>)> {
        let mut results = Vec::new();
        if let (Some(path), Some(table)) = (&request.out, rows.table) {
            let file = matches!(Destination::of(path), Ok(Destination::File(_)));
            results.push((path.as_path(), table.finish()));
            if file {
                // Told only where it fails: it belongs to the table.
                let beside = like::write(path, request, &*self.mechanism, solution);
                results.extend(beside.err().map(|error| (path.as_path(), Err(error))));
            }
        }
        if request.plot.is_none() && request.animate.is_none() {
            return results;
        }
        let (run, columns) = (solution.clone(), self.columns.clone());
        let mut members = vec![Member { name: None, run, columns, sinks: rows.sinks }];
        members.append(&mut self.beside);
        let (pictures, motion) = draw(request, &self.wanted, &mut members);
        results.extend(pictures);
        *drawn = motion;
        results
    }
}

impl Job {
    /// Says which outputs and coordinates a plot has no room for, unless it was said what to draw.
    fn tell_left_out(&self, request: &Request, io: &mut Io<'_>) {
        let model = self.system.model();
        let labels = model.outputs().iter().chain(model.coords()).chain(model.modes());
        let rest: Vec<&str> = labels
            .map(|l| l.name.as_str())
            .filter(|name| !self.wanted.show.iter().any(|s| s == name))
            .collect();
        if let ([first, ..], true) = (&rest[..], request.show.is_empty()) {
            let count = rest.len();
            io.tell(&format!(
                "the plot leaves out {count} quantities, as `{first}`; --show draws them"
            ));
        }
    }
}

/// One run for each value of a parameter, in one picture.
fn sweep(
    subject: Subject,
    request: &Request,
    (parameter, values): (&str, &[f64]),
    io: &mut Io<'_>,
) -> Result<Exit, Stop> {
    let mut jobs = Vec::new();
    for (k, &value) in values.iter().enumerate() {
        let mut one = Request { sweep: None, ..request.clone() };
        // Behind what is set: that may need a size which is swept, as `n=3` does `c[2]=7`.
        one.set.push((parameter.into(), value));
        if k > 0 {
            one.beside.clear();
        }
        let name = format!("{parameter}={}", short(value));
        let job = prepare(subject, &one, io)?;
        if request.check {
            checked(&job, &one, Some(&name), io)?;
        }
        jobs.push((name, value, job, one));
    }
    let (mut members, mut beside, mut runs) = (Vec::new(), Vec::new(), Vec::new());
    let (mut exit, mut wanted) = (Exit::Ok, None);
    for (name, value, mut job, one) in jobs {
        // What goes wrong is told with the name.
        let (mut told, mut nowhere) = (Vec::new(), std::io::sink());
        let computed = job.compute(&one, (&mut nowhere, &mut told), (false, &io.interrupt.clone()));
        let told = String::from_utf8_lossy(&told).into_owned();
        let Computed { solution, error, exit: own, mut rows } = computed?;
        for line in told.lines().filter(|line| !line.is_empty()) {
            io.tell(&format!("{name}: {line}"));
        }
        exit = if exit == Exit::Ok { own } else { exit };
        if let (Some(solution), false) = (&solution, request.quiet) {
            io.tell(&format!("{name}: {}", brief(solution)));
        }
        if request.json {
            let mut members: Members =
                json(job.system.model(), &job.method, solution.as_ref(), error.as_ref(), own);
            members.insert("joints".into(), joints(&job.system, solution.as_ref()));
            members.insert("parameters".into(), Value::from_iter([(parameter, value)]));
            let series = rows.series.take().map(|series| series.json(&job.columns));
            members.extend(series.map(|series| ("series".to_string(), series)));
            runs.push(Value::Object(members));
        }
        beside.append(&mut job.beside);
        wanted.get_or_insert(job.wanted);
        let interrupted = own == Exit::Interrupted;
        if let Some(run) = solution.filter(|run| !run.is_empty()) {
            let (columns, sinks) = (job.columns, rows.sinks);
            members.push(Member { name: Some(name), run, columns, sinks });
        }
        if interrupted {
            break;
        }
    }
    members.append(&mut beside);
    let (mut written, mut drawn) = (Vec::new(), None);
    if let Some(wanted) = wanted.filter(|_| !members.is_empty()) {
        let (pictures, motion) = draw(request, &wanted, &mut members);
        drawn = motion;
        for (path, result) in pictures {
            match result {
                Ok(()) => written.push(path.display().to_string()),
                Err(error) => {
                    io.tell(&format!("error: {error}"));
                    exit = if exit == Exit::Ok { Exit::InputOutput } else { exit };
                }
            }
        }
    }
    if !request.quiet {
        if let Some(drawn) = drawn {
            io.tell(&drawn.to_string());
        }
        if !written.is_empty() {
            io.tell(&format!("wrote {}", written.join(", ")));
        }
    }
    if request.json {
        let name = subject.type_name.rsplit("::").next().unwrap_or("");
        let object = object! { "model": name, "sweep": parameter, "runs": Value::Array(runs) };
        io.print(&format!("{object}\n"))?;
    }
    Ok(exit)
}
