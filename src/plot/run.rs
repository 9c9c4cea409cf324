//! Plots of a recorded run, by the names of its quantities.

use super::figure::{Axis, Figure, Series, without_indices};
use crate::model::Model;
use crate::output::short;
use crate::{OutputError, Solution, Status};
use std::path::Path;

/// A plot of a run in the making; see [`SolutionExt::plot`](crate::SolutionExt::plot).
#[derive(Clone, Debug)]
pub struct Plot<'a> {
    run: &'a Solution,
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
        let x = run.column(across);
        let series = chosen
            .into_iter()
            .map(|index| {
                let column = &run.columns()[index];
                let points = x.iter().zip(run.column(index)).map(|(x, y)| [*x, y]).collect();
                let name = match run.is_undetermined(index) {
                    true => format!("{} (share not determined)", column.name),
                    false => column.name.clone(),
                };
                let series = Series::new(name, &column.unit, points);
                if self.points { series.markers() } else { series }
            })
            .collect();
        let column = &run.columns()[across];
        let mut axis = Axis::new(&column.name, &column.unit);
        if self.log_x {
            axis = axis.log();
        }
        let title = self.title.clone().unwrap_or_else(|| run.model.clone());
        let mut figure = Figure::by_unit(title, axis, series).subtitle(subtitle(run));
        if across == 0 {
            figure = figure.marks(run.events.iter().map(|event| event.t));
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

fn subtitle(run: &Solution) -> String {
    let how = match run.status {
        Status::Finished => String::new(),
        Status::Stopped => format!(", stopped at t = {} s", short(run.final_t())),
        Status::Interrupted => format!(", interrupted at t = {} s", short(run.final_t())),
        Status::Failed => format!(", failed at t = {} s", short(run.final_t())),
    };
    let events = match run.events.len() {
        0 => String::new(),
        1 => ", 1 event (dashed)".into(),
        n => format!(", {n} events (dashed)"),
    };
    format!("{}, {} steps{how}{events}", run.method, run.stats.steps)
}

/// How many curves are shown when nothing is asked for.
const MOST_SHOWN: usize = 8;

/// What is shown of a run when nothing is asked for: outputs and coordinates while they are few, else the
/// outputs, and where there are none the first coordinates.
pub(crate) fn worth_showing(model: &Model) -> Vec<String> {
    let (outputs, coords) = (model.outputs(), model.coords());
    let labels = match (outputs.len(), coords.len()) {
        (o, c) if o + c <= MOST_SHOWN => [outputs, coords].concat(),
        (0, _) => coords.to_vec(),
        _ => outputs.to_vec(),
    };
    labels.into_iter().take(MOST_SHOWN).map(|l| l.name).collect()
}

/// The columns a name stands for: one, or the entries of an array.
pub(crate) fn find_all(run: &Solution, name: &str) -> Result<Vec<usize>, OutputError> {
    run.find(name).map(|index| vec![index]).or_else(|unknown| {
        let columns = run.columns().iter().enumerate();
        let entries: Vec<usize> = columns
            .filter(|(_, c)| c.name.contains('[') && without_indices(&c.name) == name)
            .map(|(i, _)| i)
            .collect();
        if entries.is_empty() { Err(unknown) } else { Ok(entries) }
    })
}
