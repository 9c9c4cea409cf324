//! Pictures of one run or of several: curves and animations, in the files that are asked for; and `plot`, which draws
//! runs by their tables.

use super::args::{Request, is_html};
use super::exit::Exit;
use super::files::destinations;
use super::io::Io;
use super::like::{self, Origin};
use super::stop::Stop;
use super::subject::Subject;
use super::table::{self, Table};
use crate::animate::{Animation, Plots, Written, columns_of_page, plots_page, plots_value};
use crate::assembly::System;
use crate::model::Mechanism;
use crate::output::{headings as headings_of, write_file};
use crate::plot::{Curves, Shown, worth_showing};
use crate::solution::{ColumnKind, Event, LEAST_SHARE, OutputError, RowSink as _, Status};
use crate::start::Redundant;
use crate::{Error, Solution};
use std::path::Path;

/// What is drawn: runs of one picture share it.
#[derive(Clone)]
pub(super) struct Wanted {
    /// The names of what is shown.
    pub(super) show: Vec<String>,
    /// Whether the run's own history is among its columns.
    pub(super) history: bool,
    /// Curves: whether they are wanted, and for a page.
    pub(super) curves: Option<bool>,
    /// An animation.
    pub(super) motion: bool,
}

impl Wanted {
    pub(super) fn of(request: &Request, show: Vec<String>) -> Self {
        Wanted {
            show,
            history: request.history,
            curves: request.plot.as_deref().map(is_html),
            motion: request.animate.is_some(),
        }
    }

    /// What takes the rows of a run of this mechanism with these columns.
    pub(super) fn sinks(
        &self,
        mechanism: &dyn Mechanism,
        columns: &Solution,
    ) -> Result<Sinks, Error> {
        let shown = Shown::known(columns, &self.show);
        let curves = self.curves.map(|page| match page {
            true => Curves::of(columns, columns_of_page(columns, &shown).0),
            false => Curves::of(columns, shown.columns()),
        });
        let animation = match self.motion {
            true => {
                let animation = Animation::new(mechanism)?;
                let animation = if self.history { animation.history() } else { animation };
                Some(animation.showing_known(&self.show))
            }
            false => None,
        };
        Ok(Sinks { curves, animation })
    }
}

/// What takes rows for pictures.
pub(super) struct Sinks {
    pub(super) curves: Option<Curves>,
    pub(super) animation: Option<Animation>,
}

/// A run of a picture, with what was taken of it.
pub(super) struct Member {
    /// What it is called beside others.
    pub(super) name: Option<String>,
    pub(super) run: Solution,
    pub(super) columns: Solution,
    pub(super) sinks: Sinks,
}

/// The run that wrote a table.
pub(super) struct Earlier {
    name: String,
    mechanism: Box<dyn Mechanism>,
    columns: Solution,
    /// Whether the table has what its run did.
    history: bool,
    rows: Vec<Vec<f64>>,
    status: Status,
    steps: usize,
}

impl Earlier {
    /// Reads a table and what stands beside it.
    pub(super) fn read(
        subject: Subject,
        table: &str,
        model: &str,
        io: &mut Io<'_>,
    ) -> Result<Self, Stop> {
        let path = Path::new(table);
        let Origin { parameters, method, status, steps } = like::origin(path, model, io)?;
        let mechanism = subject.instance(&Request { set: parameters, ..Request::default() })?;
        let method = method.unwrap_or_else(|| crate::integrate::Method::default().name().into());
        let plain = Solution::new(&System::new(mechanism.model()?), &method);
        let Table { headings, marks, rows } = table::read(path)?;
        let fits =
            |columns: &Solution| headings.iter().eq(&headings_of(columns).collect::<Vec<_>>());
        let with_history = plain.clone().with_history();
        let (columns, history) = match (fits(&plain), fits(&with_history)) {
            (true, _) => (plain, false),
            (_, true) => (with_history, true),
            _ => {
                let reason = "its quantities are not those of this model".into();
                return Err(OutputError::Read { path: table.into(), reason }.into());
            }
        };
        let columns = marked(columns, &marks);
        let name =
            path.file_name().map_or(table.into(), |name| name.to_string_lossy().into_owned());
        Ok(Earlier { name, mechanism, columns, history, rows, status, steps })
    }

    /// What is drawn of it.
    pub(super) fn member(self, wanted: &Wanted) -> Result<Member, Stop> {
        let Earlier { name, mechanism, columns, history, rows, status, steps } = self;
        let wanted = Wanted { history, ..wanted.clone() };
        let mut sinks = wanted.sinks(&*mechanism, &columns)?;
        for row in &rows {
            if let Some(curves) = &mut sinks.curves {
                curves.row(row)?;
            }
            if let Some(animation) = &mut sinks.animation {
                animation.row(row)?;
            }
        }
        let mut run = columns.clone();
        run.status = status;
        run.stats.steps = steps;
        run.events = events(&columns, &rows, &name);
        if let Some(last) = rows.last() {
            // For its time.
            let all: Vec<usize> = (0..columns.columns().len()).collect();
            run = run.with_columns(&all, last.clone());
        }
        Ok(Member { name: Some(name), run, columns, sinks })
    }
}

/// With the marks of the columns of a table.
fn marked(mut columns: Solution, marks: &[Option<&'static str>]) -> Solution {
    let all = columns.columns().iter().zip(marks).filter(|x| x.1.is_some());
    let (mut outputs, mut depends_on) = (Vec::new(), Vec::new());
    for (column, _) in all {
        let inner = ["lambda(", "psi("].iter().find_map(|before| column.name.strip_prefix(before));
        match inner.and_then(|inner| inner.strip_suffix(')')) {
            Some(row) => depends_on.push(row.into()),
            None => outputs.push(column.name.clone()),
        }
    }
    if !(outputs.is_empty() && depends_on.is_empty()) {
        columns.redundant.push(Redundant { outputs, depends_on, ..Redundant::default() });
        columns.least_shares = marks.contains(&Some(LEAST_SHARE));
    }
    columns
}

/// The events of a table: where their count goes up.
fn events(columns: &Solution, rows: &[Vec<f64>], table: &str) -> Vec<Event> {
    let Some(count) = columns.range(ColumnKind::Events).next() else { return Vec::new() };
    let happened = rows.windows(2).filter(|pair| pair[1][count] > pair[0][count]);
    let event = |pair: &[Vec<f64>]| Event {
        t: pair[1][0],
        name: table.into(),
        condition: "an event".into(),
        ..Event::default()
    };
    happened.map(event).collect()
}

/// Draws curves over time, or over one another, as SVG or as a page.
fn draw_curves(path: &Path, show: &[String], members: &[Member]) -> Result<(), OutputError> {
    let taken: Vec<(&Member, Solution)> = members
        .iter()
        .filter_map(|one| Some((one, one.sinks.curves.as_ref()?.solution(&one.run))))
        .collect();
    let [(first, curves), others @ ..] = &taken[..] else { return Err(OutputError::Empty) };
    let shown = |one: &Member| Shown::known(&one.columns, show);
    if !is_html(path) {
        let mut plot = shown(first).plot(&first.columns, curves);
        if let (Some(name), [_, ..]) = (&first.name, others) {
            plot = plot.named(name);
        }
        for (other, curves) in others {
            plot = plot.beside(other.name.clone().unwrap_or_default(), curves);
        }
        return plot.save_svg(path);
    }
    let named = |(one, curves): &(&Member, Solution)| {
        plots_value(&one.run, &plots(one, curves, show), one.name.as_deref().unwrap_or_default())
    };
    let beside: Vec<_> = others.iter().map(named).collect();
    let page =
        plots_page(&first.run, &plots(first, curves, show), (first.name.as_deref(), &beside));
    write_file(path, |out| out.write_all(page.as_bytes()))
}

/// The curves of a run for a page.
fn plots<'a>(one: &Member, curves: &'a Solution, show: &[String]) -> Plots<'a> {
    let shown = Shown::known(&one.columns, show);
    Plots::new(curves, &one.columns, &shown, columns_of_page(&one.columns, &shown).1)
}

/// Shows runs in motion.
fn animate(path: &Path, members: &mut [Member]) -> Result<Written, OutputError> {
    let mut moving = members.iter_mut().filter_map(|one| {
        let animation = one.sinks.animation.take()?;
        Some((one.name.clone(), animation, &one.run))
    });
    let Some((name, animation, run)) = moving.next() else { return Err(OutputError::Empty) };
    let mut animation = match name {
        Some(name) => animation.named(name),
        None => animation,
    };
    for (name, mut other, run) in moving {
        animation.beside(&name.unwrap_or_default(), &mut other, run)?;
    }
    animation.save(run, path)
}

/// `plot`: pictures of earlier runs, by the tables that they wrote.
pub(super) fn run(subject: Subject, request: &Request, io: &mut Io<'_>) -> Result<Exit, Stop> {
    destinations(request)?;
    let model = (subject.default)().model()?;
    let tables = request.tables.iter();
    let runs = tables.map(|table| Earlier::read(subject, table, model.name(), io));
    let runs = runs.collect::<Result<Vec<_>, _>>()?;
    let mut show = request.show.clone();
    if show.is_empty() {
        // Sizes of a run may be others than the model's own, and its coordinates as many more.
        for run in &runs {
            let names = worth_showing(&run.mechanism.model()?).into_iter();
            let more: Vec<String> = names.filter(|name| !show.contains(name)).collect();
            show.extend(more);
        }
    }
    let wanted = Wanted::of(request, show);
    let mut members = Vec::new();
    for run in runs {
        check_axes(&wanted, &Shown::of(&run.columns, &request.show)?)?;
        members.push(run.member(&wanted)?);
    }
    let (results, drawn) = draw(request, &wanted, &mut members);
    let mut exit = Exit::Ok;
    if let Some(drawn) = drawn.filter(|_| !request.quiet) {
        io.tell(&drawn.to_string());
    }
    for (path, result) in results {
        match result {
            Ok(()) if request.quiet => {}
            Ok(()) => io.tell(&format!("wrote {}", path.display())),
            Err(error) => {
                io.tell(&format!("error: {error}"));
                exit = Exit::InputOutput;
            }
        }
    }
    Ok(exit)
}

/// Pictures with what became of each, and what is in the animation.
type Drawn<'a> = (Vec<(&'a Path, Result<(), OutputError>)>, Option<Written>);

/// Draws what is asked for.
pub(super) fn draw<'a>(request: &'a Request, wanted: &Wanted, members: &mut [Member]) -> Drawn<'a> {
    let (mut results, mut drawn) = (Vec::new(), None);
    if let Some(path) = &request.plot {
        results.push((path.as_path(), draw_curves(path, &wanted.show, members)));
    }
    if let Some(path) = &request.animate {
        let result = animate(path, members).map(|written| drawn = Some(written));
        results.push((path.as_path(), result));
    }
    (results, drawn)
}

/// A picture as SVG has one horizontal axis.
pub(super) fn check_axes(wanted: &Wanted, shown: &Shown) -> Result<(), Stop> {
    if wanted.curves == Some(false) && shown.across().is_none() {
        return Err(Stop::Usage(
            "an SVG has one horizontal axis: draw each `x:y` of --show in a file of its own, or all of them with \
             --plot FILE.html"
                .into(),
        ));
    }
    Ok(())
}
