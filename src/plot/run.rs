//! Plots of a recorded run, by the names of its quantities.

use super::figure::{Axis, Figure, OF_RUN, Series, without_indices};
use crate::model::Model;
use crate::output::short;
use crate::{OutputError, Solution, Status};
use std::path::Path;

/// A plot of a run in the making; see [`SolutionExt::plot`](crate::SolutionExt::plot).
#[derive(Clone, Debug)]
pub struct Plot<'a> {
    run: &'a Solution,
    /// The name of that run beside others, and these.
    name: Option<String>,
    others: Vec<(String, &'a Solution)>,
    names: Vec<String>,
    against: Option<String>,
    title: Option<String>,
    log_x: bool,
    log_y: bool,
    points: bool,
}

impl<'a> Plot<'a> {
    pub(crate) fn new(run: &'a Solution, names: &[impl AsRef<str>]) -> Self {
        Plot {
            run,
            name: None,
            others: Vec::new(),
            names: names.iter().map(|n| n.as_ref().to_string()).collect(),
            against: None,
            title: None,
            log_x: false,
            log_y: false,
            points: false,
        }
    }

    /// Against another quantity instead of time: a phase plot, or a path. When both have the
    /// unit m, lengths are equal on both axes.
    pub fn against(mut self, name: &str) -> Self {
        self.against = Some(name.into());
        self
    }

    /// Beside another run, of the same or of another model, by what is to be told of it: curves of a run have one colour.
    /// A quantity that it does not have it shows no curve of.
    pub fn beside(mut self, name: impl Into<String>, other: &'a Solution) -> Self {
        self.others.push((name.into(), other));
        self
    }

    /// What is told of the first of several runs; nothing unless given.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// With this title in place of the model's name.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// With a logarithmic horizontal axis.
    pub fn log_x(mut self) -> Self {
        self.log_x = true;
        self
    }

    /// With logarithmic vertical axes.
    pub fn log_y(mut self) -> Self {
        self.log_y = true;
        self
    }

    /// With a marker at every recorded point: shows the steps.
    pub fn points(mut self) -> Self {
        self.points = true;
        self
    }

    /// The figure, for further changes.
    ///
    /// # Errors
    /// [`OutputError::UnknownColumn`] with the nearest name.
    pub fn figure(&self) -> Result<Figure, OutputError> {
        let run = self.run;
        let across = self.against.as_deref().map_or(Ok(0), |name| run.find(name))?;
        let mut chosen = Vec::new();
        for name in &self.names {
            for index in find_all(run, name)? {
                if !chosen.contains(&index) {
                    chosen.push(index);
                }
            }
        }
        let of_run = |run: &Solution, across: usize, index: usize| {
            let points = run.column(across).into_iter().zip(run.column(index));
            let points = points.map(|(x, y)| [x, y]).collect();
            let series =
                Series::new(&run.columns()[index].name, &run.columns()[index].unit, points);
            if self.points { series.markers() } else { series }
        };
        let mut series = Vec::new();
        let mut quantities: Vec<(&str, usize)> = Vec::new();
        for index in chosen {
            let column = &run.columns()[index];
            let own = of_run(run, across, index);
            if self.others.is_empty() {
                series.push(match run.mark(index) {
                    Some(mark) => Series { name: format!("{} ({mark})", column.name), ..own },
                    None => own,
                });
                continue;
            }
            let unit = quantities.iter().position(|(unit, _)| *unit == column.unit);
            let unit = unit.unwrap_or_else(|| {
                quantities.push((&column.unit, 0));
                quantities.len() - 1
            });
            let quantity = quantities[unit].1;
            quantities[unit].1 += 1;
            let named = |name: &Option<&str>| match name {
                Some(name) => format!("{}{OF_RUN}{name}", column.name),
                None => column.name.clone(),
            };
            let name = named(&self.name.as_deref());
            series.push(Series { name, ..own }.of_run(0, quantity));
            for (k, (name, other)) in self.others.iter().enumerate() {
                let place = |name: &str| other.columns().iter().position(|c| c.name == name);
                let across = place(&run.columns()[across].name);
                if let (Some(across), Some(index)) = (across, place(&column.name)) {
                    let name = named(&Some(name));
                    series.push(
                        Series { name, ..of_run(other, across, index) }.of_run(k + 1, quantity),
                    );
                }
            }
        }
        let column = &run.columns()[across];
        let mut axis = Axis::new(&column.name, &column.unit);
        if self.log_x {
            axis = axis.log();
        }
        let title = self.title.clone().unwrap_or_else(|| run.model.clone());
        let mut figure = Figure::by_unit(title, axis, series).subtitle(self.subtitle());
        if across == 0 {
            figure = figure.marks(self.runs().flat_map(|run| &run.events).map(|event| event.t));
        }
        for panel in figure.panels.iter_mut().filter(|_| self.log_y) {
            panel.y = std::mem::take(&mut panel.y).log();
        }
        figure.same_scale = across != 0
            && !(self.log_x || self.log_y)
            && column.unit == "m"
            && figure.panels.len() == 1
            && figure.panels[0].y.unit == "m";
        Ok(figure)
    }

    /// The picture as SVG text.
    ///
    /// # Errors
    /// [`OutputError::UnknownColumn`] with the nearest name.
    pub fn to_svg(&self) -> Result<String, OutputError> {
        Ok(self.figure()?.to_svg())
    }

    /// Writes the picture to a file.
    ///
    /// # Errors
    /// [`OutputError::UnknownColumn`] with the nearest name, [`OutputError::Write`] when the file
    /// cannot be written.
    pub fn save_svg(&self, path: impl AsRef<Path>) -> Result<(), OutputError> {
        self.figure()?.save_svg(path)
    }
}

impl Plot<'_> {
    fn runs(&self) -> impl Iterator<Item = &Solution> {
        std::iter::once(self.run).chain(self.others.iter().map(|other| other.1))
    }

    fn subtitle(&self) -> String {
        let run = self.run;
        let events = match self.runs().map(|run| run.events.len()).sum() {
            0 => String::new(),
            1 => ", 1 event (dashed)".into(),
            n => format!(", {n} events (dashed)"),
        };
        if self.others.is_empty() {
            return format!(
                "{}, {} steps{}{events}",
                run.method,
                run.stats.steps,
                ended(run, ", ")
            );
        }
        let first = self.name.as_deref().unwrap_or("the first");
        let names = std::iter::once(first).chain(self.others.iter().map(|other| &*other.0));
        let early = names.zip(self.runs()).filter(|(_, run)| run.status != Status::Finished);
        let early: String = early.map(|(name, run)| ended(run, &format!(", {name} "))).collect();
        let by = if run.method.is_empty() { String::new() } else { format!(", {}", run.method) };
        format!("{} runs{by}{early}{events}", 1 + self.others.len())
    }
}

/// How a run ended that did not reach its end.
fn ended(run: &Solution, before: &str) -> String {
    let how = match run.status {
        Status::Finished => return String::new(),
        Status::Stopped => "stopped",
        Status::Interrupted => "interrupted",
        Status::Failed => "failed",
    };
    format!("{before}{how} at t = {} s", short(run.final_t()))
}

/// How many curves are shown when nothing is asked for.
const MOST_SHOWN: usize = 8;

/// What is shown of a run when nothing is asked for: outputs, coordinates and discrete values while they are few, else the
/// outputs, and where there are none the first coordinates.
pub(crate) fn worth_showing(model: &Model) -> Vec<String> {
    let (outputs, coords, modes) = (model.outputs(), model.coords(), model.modes());
    let labels = match (outputs.len(), coords.len(), modes.len()) {
        (o, c, m) if o + c + m <= MOST_SHOWN => [outputs, coords, modes].concat(),
        (o, c, _) if o + c <= MOST_SHOWN => [outputs, coords].concat(),
        (0, ..) => coords.to_vec(),
        _ => outputs.to_vec(),
    };
    labels.into_iter().take(MOST_SHOWN).map(|l| l.name).collect()
}

/// The columns a name stands for: one, or the entries of an array.
fn find_all(run: &Solution, name: &str) -> Result<Vec<usize>, OutputError> {
    run.find(name).map(|index| vec![index]).or_else(|unknown| {
        let columns = run.columns().iter().enumerate();
        let entries: Vec<usize> = columns
            .filter(|(_, c)| c.name.contains('[') && without_indices(&c.name) == name)
            .map(|(i, _)| i)
            .collect();
        if entries.is_empty() { Err(unknown) } else { Ok(entries) }
    })
}

/// What is asked to be shown of a run, by the indices of its columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shown {
    /// Over time.
    pub(crate) over_time: Vec<usize>,
    /// One against another, the horizontal first.
    pub(crate) phases: Vec<[usize; 2]>,
}

impl Shown {
    /// By names: of a column, of an array for all its entries, or `x:y` for y over x.
    ///
    /// # Errors
    /// [`OutputError::UnknownColumn`] with the nearest name.
    pub(crate) fn of(run: &Solution, names: &[impl AsRef<str>]) -> Result<Self, OutputError> {
        let mut shown = Shown::default();
        for name in names.iter().map(AsRef::as_ref) {
            match name.split_once(':') {
                Some((x, y)) => shown.phases.push([run.find(x.trim())?, run.find(y.trim())?]),
                None => shown.over_time.extend(find_all(run, name)?),
            }
        }
        Ok(shown)
    }

    /// By those of these names that the run has.
    #[cfg(feature = "cli")]
    pub(crate) fn known(run: &Solution, names: &[String]) -> Self {
        let known = names.iter().filter(|name| Shown::of(run, &[name]).is_ok());
        Shown::of(run, &known.collect::<Vec<_>>()).unwrap_or_default()
    }

    /// All columns that it takes.
    pub(crate) fn columns(&self) -> impl Iterator<Item = usize> {
        self.over_time.iter().chain(self.phases.iter().flatten()).copied()
    }

    /// The horizontal axis of a picture that has one: time, or what all else is shown over; `None` where there are several.
    #[cfg(feature = "cli")]
    pub(crate) fn across(&self) -> Option<usize> {
        match (&self.over_time[..], &self.phases[..]) {
            (_, []) => Some(0),
            ([], [first, rest @ ..]) if rest.iter().all(|[x, _]| *x == first[0]) => Some(first[0]),
            _ => None,
        }
    }

    /// A plot of a run with one horizontal axis: of what it has of the columns of `named`, where the indices come from.
    #[cfg(feature = "cli")]
    pub(crate) fn plot<'a>(&self, named: &Solution, run: &'a Solution) -> Plot<'a> {
        let name = |index: usize| named.columns()[index].name.clone();
        let up: Vec<String> = match self.phases.is_empty() {
            true => self.over_time.iter().map(|&index| name(index)).collect(),
            false => self.phases.iter().map(|&[_, y]| name(y)).collect(),
        };
        let plot = Plot::new(run, &up);
        match self.across() {
            Some(across) if across > 0 => plot.against(&name(across)),
            _ => plot,
        }
    }
}
