//! `simulate`: computes the motion, and writes what was asked for whatever happens.

use super::args::{Request, is_html};
use super::check::examine;
use super::exit::Exit;
use super::feed::signals;
use super::files::destinations;
use super::io::Io;
use super::like;
use super::members::{event, joints, json_error, on_duals, redundant, state, stats};
use super::progress::{Progress, Style, duration};
use super::rows::{Rows, Series};
use super::stop::Stop;
use super::subject::Subject;
use super::table::{self, Table};
use crate::animate::{Animation, Plots, Written, columns_of_page, plots_page};
use crate::assembly::{Derivatives, SlotKind, System};
use crate::error::RunError;
use crate::integrate::{Method, Step};
use crate::json::{Members, members, object};
use crate::model::{Mechanism, Model};
use crate::output::{
    Destination, Draft, Format, TableStream, headings as headings_of, short, state_text, write_file,
};
use crate::plot::{Curves, find_all, worth_showing};
use crate::signal::Signal;
use crate::simulation::Record;
use crate::solution::{
    Balance, ColumnKind, Event, Impulse, OutputError, RowSink as _, Status, StoppedBy,
};
use crate::start::Redundant;
use crate::{CheckpointFile, CsvStream, Error, Simulation, Solution, SolutionExt};
use serde_json::Value;
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(super) fn run(subject: Subject, request: &Request, io: &mut Io<'_>) -> Result<Exit, Stop> {
    match prepare(subject, request, io) {
        Ok(job) => {
            if request.check {
                let (report, exit) = examine(&*job.mechanism, request)?;
                if !request.quiet || exit != Exit::Ok {
                    io.tell(&report.to_string());
                }
                if exit != Exit::Ok {
                    return Ok(exit);
                }
            }
            job.run(request, io)
        }
        Err(stop) => {
            if request.json {
                io.print(&format!("{}\n", json_of_nothing(subject, request, &stop)))?;
            }
            Err(stop)
        }
    }
}

/// Everything that can be wrong is found before the run starts.
struct Job {
    mechanism: Box<dyn Mechanism>,
    method: Method,
    step: Step,
    t_end: f64,
    model: Model,
    show: Vec<String>,
    /// All columns, and those to show.
    columns: Solution,
    shown: Vec<usize>,
    /// Where rows go.
    rows: Option<RowsTo>,
    checkpoints: Option<CheckpointFile>,
    /// What inputs are fed with.
    inputs: Vec<(String, Signal)>,
    /// What the run goes on from.
    resume: Option<Vec<u8>>,
    /// Runs shown in the same animation.
    beside: Vec<Earlier>,
}

/// An earlier run, by its table.
struct Earlier {
    name: String,
    animation: Animation,
    run: Solution,
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
    let mut shown = Vec::new();
    let columns = Solution::new(&system, method.name());
    if request.plot.is_some() || request.animate.is_some() {
        for name in &show {
            shown.extend(find_all(&columns, name)?);
        }
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
    let model = mechanism.model()?;
    let beside =
        request.beside.iter().map(|table| earlier(subject, table, &show, model.name(), io));
    let beside = beside.collect::<Result<_, Stop>>()?;
    let inputs = signals(request)?;
    Ok(Job {
        inputs,
        mechanism,
        method,
        step,
        t_end,
        model,
        show,
        columns,
        shown,
        rows,
        checkpoints,
        resume,
        beside,
    })
}

/// The run that wrote a table, for an animation.
fn earlier(
    subject: Subject,
    table: &str,
    show: &[String],
    model: &str,
    io: &mut Io<'_>,
) -> Result<Earlier, Stop> {
    let path = Path::new(table);
    let set = like::parameters_of(path, model, io)?;
    let mechanism = subject.instance(&Request { set, ..Request::default() })?;
    let columns = Solution::new(&System::new(mechanism.model()?), "");
    let Table { headings, rows } = table::read(path)?;
    if !headings.iter().eq(&headings_of(&columns).collect::<Vec<_>>()) {
        let reason = "its quantities are not those of this model".into();
        return Err(OutputError::Read { path: table.into(), reason }.into());
    }
    let mut animation = Animation::new(&*mechanism)?.show(show)?;
    for row in &rows {
        animation.row(row)?;
    }
    let name = path.file_name().map_or(table.into(), |name| name.to_string_lossy().into_owned());
    Ok(Earlier { name, animation, run: columns })
}

impl Job {
    fn run(mut self, request: &Request, io: &mut Io<'_>) -> Result<Exit, Stop> {
        let table = match self.rows.take() {
            None => None,
            Some(RowsTo::Standard) => Some(TableStream::Csv(CsvStream::new(&mut *io.out))),
            Some(RowsTo::Draft(draft, format)) => {
                let whole = draft.path().display().to_string();
                let table = TableStream::new(draft, format, &self.columns);
                if let (Some(part), false) = (table.part(), request.quiet) {
                    let part = part.display();
                    let _ = writeln!(io.err, "writing {part}, which is {whole} at the end");
                }
                Some(table)
            }
        };
        let curves = request.plot.as_ref().map(|path| match is_html(path) {
            true => Curves::of(&self.columns, columns_of_page(&self.columns, &self.shown).0),
            false => Curves::of(&self.columns, self.shown.iter().copied()),
        });
        let animation = match &request.animate {
            Some(_) => Some(Animation::new(&*self.mechanism)?.show(&self.show)?),
            None => None,
        };
        let series = (request.json && request.every.is_some()).then(Series::default);
        let mut rows = Rows { table, curves, animation, series };
        let outcome = self.simulate(request, &mut rows, (&mut *io.err, io.terminal, &io.interrupt));
        let (solution, error, advice) = match outcome {
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
            let _ = writeln!(io.err, "error: {error}{advice}");
        }
        let balance = solution.as_ref().and_then(|s| s.balance.as_ref());
        if let Some(balance) = balance.filter(|balance| !balance.holds) {
            let _ = writeln!(io.err, "warning: {}", unexplained(balance, request));
            if request.strict && exit == Exit::Ok {
                exit = Exit::Accuracy;
            }
        }
        if request.strict
            && exit == Exit::Ok
            && solution.as_ref().is_some_and(|s| s.coarse.is_some())
        {
            exit = Exit::Accuracy;
        }
        let (mut written, mut drawn) = (Vec::new(), None);
        let series = rows.series.take().map(|series| series.json(self.columns.columns()));
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
            let model = &self.model;
            let mut object = json(model, &self.method, solution.as_ref(), error.as_ref(), exit);
            object.insert("joints".into(), joints(&*self.mechanism, solution.as_ref()));
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
        if let (Some(path), Some(curves)) = (&request.plot, rows.curves) {
            let curves = curves.solution(solution);
            results.push((path.as_path(), self.plot(path, solution, &curves)));
        }
        if let (Some(path), Some(mut animation)) = (&request.animate, rows.animation) {
            let added = self.beside.iter_mut().try_for_each(|other| {
                animation.beside(&other.name, &mut other.animation, &other.run)
            });
            let result = added.and_then(|()| animation.save(solution, path));
            results.push((path.as_path(), result.map(|written| *drawn = Some(written))));
        }
        results
    }
}

impl Job {
    /// Says which outputs and coordinates a plot has no room for, unless it was said what to draw.
    fn tell_left_out(&self, request: &Request, io: &mut Io<'_>) {
        let labels = self.model.outputs().iter().chain(self.model.coords());
        let rest: Vec<&str> = labels
            .map(|l| l.name.as_str())
            .filter(|name| !self.show.iter().any(|s| s == name))
            .collect();
        if let ([first, ..], true) = (&rest[..], request.show.is_empty()) {
            let count = rest.len();
            io.tell(&format!(
                "the plot leaves out {count} quantities, as `{first}`; --show draws them"
            ));
        }
    }

    /// Draws the curves, as SVG or as a page.
    fn plot(&self, path: &Path, run: &Solution, curves: &Solution) -> Result<(), OutputError> {
        if !is_html(path) {
            return curves.plot(&self.show).save_svg(path);
        }
        let name = |&i: &usize| self.columns.columns()[i].name.clone();
        let shown = self.shown.iter().map(name).collect();
        let left_out = columns_of_page(&self.columns, &self.shown).1;
        let page = plots_page(run, &Plots { curves, shown, left_out });
        write_file(path, |out| out.write_all(page.as_bytes()))
    }
}

fn json_of_nothing(subject: Subject, request: &Request, stop: &Stop) -> Value {
    let name = subject.type_name.rsplit("::").next().unwrap_or("");
    object! {
        "model": name,
        "method": request.method,
        "status": Status::Failed.as_str(),
        "error": json_error(stop.message(), stop.exit()),
    }
}

/// The final state and how it was reached, as members of an object.
fn json(
    model: &Model,
    method: &Method,
    solution: Option<&Solution>,
    error: Option<&Error>,
    exit: Exit,
) -> Members {
    let status = solution.map_or(Status::Failed, |s| s.status);
    let cost = solution.map(|s| s.stats.clone()).unwrap_or_default();
    let drift = solution.map(|s| s.drift).unwrap_or_default();
    let mut object = members([
        ("model", model.name().into()),
        ("method", method.name().into()),
        ("derivatives", solution.map(|s| s.derivatives.name()).into()),
        ("status", status.as_str().into()),
    ]);
    object.extend(state(model, solution));
    let rows = |rows: &[Redundant]| Value::from_iter(rows.iter().map(redundant));
    let open = solution.iter().flat_map(|s| {
        let all = s.columns().iter().enumerate();
        all.filter(|(index, _)| s.is_undetermined(*index)).map(|(_, column)| &column.name[..])
    });
    let changes = solution.iter().flat_map(|s| &s.rank_changes).map(|change| {
        object! {
            "t": change.t,
            "taken_back": change.taken_back,
            "redundant": rows(&change.redundant),
        }
    });
    let samples = solution.iter().flat_map(|s| &s.samples);
    let samples = samples.map(|(name, count)| object! { "name": name, "count": *count as f64 });
    let stopped = solution.and_then(|s| s.stopped.as_ref());
    let stopped = stopped
        .map(|StoppedBy { t, event, text }| object! { "t": t, "event": event, "text": text });
    let unestimated = solution.and_then(|s| s.error_estimate.err());
    object.extend(members([
        ("stats", stats(&cost)),
        ("drift", object! { "position": drift.position, "velocity": drift.velocity }),
        ("balance", solution.and_then(|s| s.balance.as_ref()).map(balance_json).into()),
        ("warnings", solution.map_or(&[][..], |s| &s.warnings).into()),
    ]));
    object.extend(members(on_duals(solution.map_or(&[], |s| &s.on_dual_numbers))));
    object.extend(members([
        ("redundant", rows(solution.map_or(&[], |s| &s.redundant))),
        ("undetermined", Value::from_iter(open)),
        ("rank_changes", Value::from_iter(changes)),
        ("events", Value::from_iter(solution.iter().flat_map(|s| &s.events).map(event))),
        ("samples", Value::from_iter(samples)),
        ("stopped", stopped.into()),
        ("error_estimate", error_estimate(solution)),
        ("unestimated", unestimated.map(|why| why.to_string()).into()),
    ]));
    object.extend(error.map(|error| ("error".into(), json_error(error.to_string(), exit))));
    object
}

fn balance_json(balance: &Balance) -> Value {
    object! {
        "energy": balance.energy,
        "work": balance.work,
        "dissipated": balance.dissipated,
        "numerical": balance.numerical,
        "events": balance.jumps,
        "closes": balance.closes,
    }
}

/// What is wrong with a power balance that does not close, and what to do.
fn unexplained(balance: &Balance, request: &Request) -> String {
    let end = if balance.missing < 0.0 { "went nowhere" } else { "came from nowhere" };
    let blamed = balance
        .blamed
        .as_ref()
        .map_or(String::new(), |statement| format!("; the part of `{statement}` closes worst"));
    let mend = match (request.step, request.tol) {
        (Some(h), _) => format!("take a smaller --step than {}, or give --tol instead", short(h)),
        _ => "tighten --tol, or use --method radau5".to_string(),
    };
    format!(
        "the power balance does not close: by t = {} s {} J, {} of the energy turned over, {end}\
         {blamed}. The motion is not to be trusted: {mend}",
        short(balance.at),
        short(balance.missing.abs()),
        percent(balance.closes),
    )
}

/// A part of a whole in percent, for messages.
fn percent(part: f64) -> String {
    let digits = if part < 0.095 { 1 } else { 0 };
    if part < 5e-4 { format!("{part:.0e}") } else { format!("{:.digits$} %", 100.0 * part) }
}

/// The estimate of the global error; null where none was made.
fn error_estimate(solution: Option<&Solution>) -> Value {
    let Some(estimate) = solution.and_then(|s| s.error_estimate.ok()) else { return Value::Null };
    object! {
        "q": estimate.q,
        "v": estimate.v,
        "lambda": estimate.lambda,
        "growth": estimate.growth,
    }
}

/// A run in a few lines.
fn summary(solution: &Solution, written: &[String], drawn: Option<&Written>) -> String {
    let mut out = String::new();
    let stats = &solution.stats;
    let t = short(solution.final_t());
    let end = match solution.status {
        Status::Finished => format!("reached t = {t} s"),
        Status::Stopped => format!("stopped at t = {t} s"),
        Status::Interrupted => format!("interrupted at t = {t} s"),
        Status::Failed => format!("failed at t = {t} s"),
    };
    let time = duration(stats.wall_s);
    let _ = writeln!(out, "{} with {}: {end} in {time}", solution.model, solution.method);
    let sizes = match (stats.h_min, stats.h_max) {
        _ if stats.steps == 0 => String::new(),
        (min, max) if max - min <= 1e-9 * max => format!(" of {} s", short(max)),
        (min, max) => format!(" of {} to {} s", short(min), short(max)),
    };
    let _ = writeln!(
        out,
        "  {} steps{sizes}, {} rejected, {} Newton iterations, {} matrices",
        stats.steps, stats.rejected, stats.newton_iterations, stats.jacobians
    );
    if let Some(stop) = &solution.stopped {
        let _ = writeln!(out, "  {stop}");
    }
    if !solution.range(ColumnKind::Slot(SlotKind::Lambda)).is_empty()
        || !solution.range(ColumnKind::Slot(SlotKind::Psi)).is_empty()
    {
        let _ = writeln!(
            out,
            "  constraints violated by at most {:.1e} in position, {:.1e} in velocity",
            solution.drift.position, solution.drift.velocity
        );
    }
    for unit in &solution.assumed_scales {
        let _ = writeln!(
            out,
            "  nothing in the model tells a size in {unit}: errors are relative to 1 {unit}, or the \
             range of motion; `scale x = …;` in the model or --atol x=… states another"
        );
    }
    out.push_str(&redundancy(solution));
    out.push_str(&events(solution));
    if solution.stats.substituted > 0 {
        let _ = writeln!(
            out,
            "  {} of the steps were taken by radau5, where the motion stays on a comparison as friction \
             that sticks: the method knows no constraint there",
            solution.stats.substituted
        );
    }
    out.push_str(&errors(solution));
    if let (Some(first), Some(last)) =
        (first_energy(solution), solution.last(ColumnKind::Energy).last())
    {
        let _ = writeln!(
            out,
            "  energy {} J at the start, {} J at the end",
            short(first),
            short(*last)
        );
    }
    if let Some(balance) = &solution.balance {
        let numerical = balance
            .numerical
            .map_or(String::new(), |taken| format!(", {} J by the method's damping", short(taken)));
        let jumps = match balance.jumps {
            0.0 => String::new(),
            jumps => format!(", events {} J", short(jumps)),
        };
        let _ = writeln!(
            out,
            "  work {} J, dissipated {} J{numerical}{jumps}; the power balance closes to {:.1e}",
            short(balance.work),
            short(balance.dissipated),
            balance.closes
        );
    }
    if solution.derivatives == Derivatives::Dual {
        let _ = writeln!(out, "  every derivative on dual numbers, as --derivatives dual asks for");
    } else if !solution.on_dual_numbers.is_empty() {
        let all: Vec<String> = solution.on_dual_numbers.iter().map(ToString::to_string).collect();
        let _ = writeln!(out, "  on dual numbers (see info): {}", all.join(", "));
    }
    for warning in &solution.warnings {
        let _ = writeln!(out, "  warning: {warning}");
    }
    out.push_str(&state_text(solution));
    if let Some(drawn) = drawn {
        let _ = writeln!(out, "{drawn}");
    }
    if !written.is_empty() {
        let _ = writeln!(out, "wrote {}", written.join(", "));
    }
    out
}

/// What is not in the equations, and since when.
fn redundancy(solution: &Solution) -> String {
    const MOST: usize = 6;
    let mut out = String::new();
    let list = |out: &mut String, rows: &[Redundant]| {
        for row in rows.iter().take(MOST) {
            let _ = writeln!(out, "    {row}");
        }
        if rows.len() > MOST {
            let _ = writeln!(out, "    and {} more; `check` lists them", rows.len() - MOST);
        }
    };
    if !solution.redundant.is_empty() {
        let left_out = match solution.redundant.len() {
            1 => "1 constraint row left out as redundant, its reaction".into(),
            n => format!("{n} constraint rows left out as redundant, their reactions"),
        };
        let _ = writeln!(out, "  {left_out} zero:");
        list(&mut out, &solution.redundant);
    }
    for change in &solution.rank_changes {
        let (t, n) = (short(change.t), change.redundant.len());
        let back = change.taken_back.join(", ");
        let _ = writeln!(
            out,
            "  from t = {t} s on {back} {} independent again and met; {n} rows left out",
            if change.taken_back.len() == 1 { "is" } else { "are" }
        );
        list(&mut out, &change.redundant);
    }
    out
}

/// Which comparisons the motion crossed, the busiest first.
fn events(solution: &Solution) -> String {
    const MOST: usize = 6;
    let mut kinds: Vec<(&str, &str, usize, f64)> = Vec::new();
    for event in &solution.events {
        let (name, condition) = (event.name.as_str(), event.condition.as_str());
        match kinds.iter_mut().find(|kind| (kind.0, kind.1) == (name, condition)) {
            Some(kind) => kind.2 += 1,
            None => kinds.push((name, condition, 1, event.t)),
        }
    }
    let mut out = String::new();
    for (name, count) in &solution.samples {
        let times = if *count == 1 { "once".into() } else { format!("{count} times") };
        let _ = writeln!(out, "  `{name}` sampled {times}");
    }
    if kinds.is_empty() {
        return out;
    }
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.2));
    let _ = writeln!(
        out,
        "  {}:",
        match solution.events.len() {
            1 => "1 event".into(),
            n => format!("{n} events"),
        }
    );
    // Impulses stand with the event whose blow they are: a contact that opens has none, although it bears the name of
    // one that was struck.
    let largest = |name: &str, condition: &str| {
        let alike = |event: &&Event| event.name == name && event.condition == condition;
        let of = solution.events.iter().filter(alike);
        let impulses = of.flat_map(|event| &event.impulses).filter(|one| one.value != 0.0);
        impulses.max_by(|a, b| a.value.abs().total_cmp(&b.value.abs()))
    };
    for (name, condition, count, first) in kinds.iter().take(MOST) {
        let times = match count {
            1 => format!("at t = {} s", short(*first)),
            n => format!("{n} times, first at t = {} s", short(*first)),
        };
        let blow = largest(name, condition).map_or(String::new(), |Impulse { name, value }| {
            format!(", largest impulse {} in `{name}`", short(*value))
        });
        let _ = writeln!(out, "    {condition} in `{name}` {times}{blow}");
    }
    if kinds.len() > MOST {
        let _ = writeln!(out, "    and {} more; `--json` lists them", kinds.len() - MOST);
    }
    out
}

/// What is known of the errors.
fn errors(solution: &Solution) -> String {
    let estimate = match solution.error_estimate {
        Ok(estimate) => estimate,
        Err(why) => return format!("  error of the result not estimated: {why}\n"),
    };
    let kinds =
        [("position", estimate.q), ("velocity", estimate.v), ("reactions", estimate.lambda)];
    let parts: Vec<String> = kinds
        .into_iter()
        .filter_map(|(kind, error)| error.map(|error| format!("{error:.0e} in {kind}")))
        .collect();
    if parts.is_empty() {
        return String::new();
    }
    let growth = match estimate.growth {
        Some(growth) if growth >= 10.0 => {
            format!("; the motion magnified the errors of the steps by {growth:.0e}",)
        }
        _ => String::new(),
    };
    format!("  estimated error of the result, relative: {}{growth}\n", parts.join(", "))
}

fn first_energy(solution: &Solution) -> Option<f64> {
    let column = solution.range(ColumnKind::Energy).last()?;
    (!solution.is_empty()).then(|| solution.row(0)[column])
}
