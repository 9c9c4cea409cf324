//! Animations: a run as one HTML file that shows the mechanism in motion, with its plots beside it; its bodies alone as glTF, and as an
//! SVG that moves.
//!
//! An [`Animation`] takes the rows of a run while it goes and writes the page at its end; where it was handed none it takes
//! the points that the run kept, as those of a [`Stepper`](crate::simulation::Stepper). What is drawn the model says itself ([`mbd_core::drawing`]); the page is `page/` of the repository, with all its
//! scripts in it, so that it opens by a double click and asks no network for anything.
//!
//! ```no_run
//! use mbd::animate::Animation;
//! # use mbd::prelude::*;
//! # mechanism! { pub mechanism Crank { coord x: [m]; param k: [N/m] = 4.0;
//! #   kinetic m = 0.5*sq(der(x)); potential s = 0.5*k*sq(x); init x = 1.0; } }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let crank = Crank::default();
//! let mut animation = Animation::new(&crank)?;
//! let run = Simulation::new(&crank).until(2.0).stream(&mut animation).run()?;
//! println!("{}", animation.save(&run, "run.html")?);
//! # Ok(())
//! # }
//! ```

mod encode;
mod frames;
mod gltf;
mod page;
mod recorded;
mod scene;
mod solid;
mod svg;

pub(crate) use page::Plots;
pub use page::Written;
#[cfg(feature = "cli")]
pub(crate) use page::{plots_page, plots_value};

use crate::assembly::{Point, SlotKind, System};
use crate::plot::{Curves, Shown, worth_showing};
use crate::solution::{ColumnKind, OutputError, RowSink};
use crate::{Mechanism, ModelError, Solution, output};
use frames::Frames;
use mbd_core::checkpoint::State;
use mbd_core::drawing::{Body, Drawing};
use mbd_core::model::BodyKind;
use serde_json::Value;
use std::path::Path;

/// Columns that a page has the curves of, at most.
const MOST_SERIES: usize = 64;
/// Runs of one page, for each of which there is a part of its size.
const MOST_TOGETHER: usize = 7;
/// Coordinates shown on dials where nothing is known of how a mechanism looks.
const MOST_DIALS: usize = 24;

/// Takes a run for an animation; see the [module](self).
pub struct Animation {
    system: System,
    /// Names and units of the columns, without rows.
    columns: Solution,
    /// The first row: by it is found out what is to be drawn, and where.
    first: Vec<f64>,
    drawing: Option<Drawing>,
    /// The point of the next row, in a run.
    point: Option<Point>,
    /// Which coordinates the frames have, where nothing is known of how the mechanism looks.
    coords: Vec<usize>,
    frames: Frames,
    curves: Curves,
    shown: Shown,
    left_out: usize,
    /// Its name among several.
    name: Option<String>,
    /// Runs in the same picture, as data of the page.
    others: Vec<Value>,
}

impl Animation {
    /// Of runs of this mechanism, with the curves that are worth showing.
    ///
    /// # Errors
    /// [`ModelError`] when there is no model.
    pub fn new(mechanism: &dyn Mechanism) -> Result<Self, ModelError> {
        let system = System::new(mechanism.model()?);
        let columns = Solution::new(&system, "");
        let shown = worth_showing(system.model());
        let shown = Shown::of(&columns, &shown).unwrap_or_default();
        Ok(Animation::showing(system, columns, shown))
    }

    /// With what the run did as further columns, for a run that
    /// [records it](crate::Simulation::history).
    pub fn history(self) -> Self {
        Animation::showing(self.system, self.columns.with_history(), self.shown)
    }

    /// With the curves of these quantities shown; an array's name stands for all its entries, and `x:y` is y over x.
    ///
    /// # Errors
    /// [`OutputError::UnknownColumn`] with the nearest name.
    pub fn show(self, names: &[impl AsRef<str>]) -> Result<Self, OutputError> {
        let shown = Shown::of(&self.columns, names)?;
        Ok(Animation::showing(self.system, self.columns, shown))
    }

    /// The same of those that there are.
    #[cfg(feature = "cli")]
    pub(crate) fn showing_known(self, names: &[String]) -> Self {
        let shown = Shown::known(&self.columns, names);
        Animation::showing(self.system, self.columns, shown)
    }

    fn showing(system: System, columns: Solution, shown: Shown) -> Self {
        let (chosen, left_out) = columns_of_page(&columns, &shown);
        let (curves, first) = (Curves::of(&columns, chosen), Vec::new());
        let (drawing, point, coords, frames) = (None, None, Vec::new(), Frames::default());
        let (name, others) = (None, Vec::new());
        Animation {
            system,
            columns,
            first,
            drawing,
            point,
            coords,
            frames,
            curves,
            shown,
            left_out,
            name,
            others,
        }
    }

    /// Under a name, where there are other runs [beside](Self::beside) it.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Writes the page, or a [glTF file](Self::glb) where the path ends in `.glb`, or a [moving picture](Self::svg)
    /// where it ends in `.svg`.
    ///
    /// An animation that was handed no rows shows the points that the run kept: between them coordinates move on cubics
    /// with the velocities of both ends, and everything else, as the curves of outputs, on straight lines.
    ///
    /// # Errors
    /// [`OutputError::Empty`] for a run without a point, [`OutputError::Streamed`] for one whose points went elsewhere,
    /// [`OutputError::OtherColumns`] for one of another model, [`OutputError::Write`] when the file cannot be written.
    pub fn save(&mut self, run: &Solution, path: impl AsRef<Path>) -> Result<Written, OutputError> {
        let ends = |with: &str| {
            path.as_ref().extension().is_some_and(|end| end.eq_ignore_ascii_case(with))
        };
        if ends("svg") {
            let (text, written) = self.svg(run)?;
            output::write_file(path.as_ref(), |out| out.write_all(text.as_bytes()))?;
            return Ok(written);
        }
        if ends("glb") {
            let (bytes, written) = self.glb(run)?;
            output::write_file(path.as_ref(), |out| out.write_all(&bytes))?;
            return Ok(written);
        }
        let (html, mut written) = self.html(run)?;
        written.bytes = html.len();
        output::write_file(path.as_ref(), |out| out.write_all(html.as_bytes()))?;
        Ok(written)
    }

    /// The page as text, with what is in it.
    ///
    /// # Errors
    /// [`OutputError::Empty`] for a run without a point.
    pub fn html(&mut self, run: &Solution) -> Result<(String, Written), OutputError> {
        let (others, name) = (std::mem::take(&mut self.others), self.name.take());
        let page = self.put(run, |run, scene, frames, plots| {
            page::animation_page(run, scene, frames, plots, (name.as_deref(), &others))
        });
        (self.others, self.name) = (others, name);
        page
    }

    /// The mechanism in motion as a binary glTF file (2.0), with what is in it: a node for each body, whose
    /// translation and rotation are the body's origin and axes, and which carries its meshes; beside them what is
    /// between bodies. In metres and seconds, under one node that turns a spatial mechanism so that what is up, against gravity, is y
    /// as glTF has it. Runs [beside](Self::beside) it, curves, paths and arrows are not in it.
    ///
    /// # Errors
    /// [`OutputError::Empty`] for a run without a point.
    pub fn glb(&mut self, run: &Solution) -> Result<(Vec<u8>, Written), OutputError> {
        self.put(run, |run, scene, frames, _| gltf::file(&run.model, scene, frames))
    }

    /// The mechanism as a picture that moves by itself, in browsers and wherever pictures stand that run no scripts: SVG
    /// of up to 160 frames, without curves, in two to twelve seconds; with what is in it.
    ///
    /// # Errors
    /// [`OutputError::Empty`] for a run without a point.
    pub fn svg(&mut self, run: &Solution) -> Result<(String, Written), OutputError> {
        self.put(run, |run, scene, frames, _| svg::file(&run.model, scene, frames))
    }

    /// Shows another run in the same picture, in a colour of its own and under a name: of the same or of another
    /// mechanism, whose animation has taken its rows. Its curves stand beside those of this one.
    ///
    /// # Errors
    /// [`OutputError::Empty`] for a run without a point.
    pub fn beside(
        &mut self,
        name: &str,
        other: &mut Animation,
        run: &Solution,
    ) -> Result<(), OutputError> {
        let mut data = other.put(run, |run, scene, frames, plots| {
            page::animation(run, scene, frames, plots, MOST_TOGETHER).0
        })?;
        data.insert("name".into(), name.into());
        self.others.push(Value::Object(data));
        Ok(())
    }

    /// What becomes of all that was taken, or of what the run kept where nothing was.
    fn put<T>(
        &mut self,
        run: &Solution,
        what: impl FnOnce(&Solution, &scene::Scene<'_>, &Frames, &Plots<'_>) -> T,
    ) -> Result<T, OutputError> {
        if self.drawing.is_none() {
            let columns = self.columns.clone();
            recorded::hand_over(run, &columns, self)?;
        }
        if let Some(row) = self.frames.take_skipped() {
            let frame = self.frame(&row);
            self.frames.push(&frame);
        }
        let drawing = self.drawing.as_ref().ok_or(OutputError::Empty)?;
        let curves = self.curves.solution(run);
        let plots = Plots::new(&curves, &self.columns, &self.shown, self.left_out);
        let scene = scene::Scene::new(&self.system, drawing, &self.coords, &self.frames);
        Ok(what(run, &scene, &self.frames, &plots))
    }

    /// What is needed of the first row.
    fn begin(&mut self, row: &[f64]) {
        self.first = row.to_vec();
        let drawing = Drawing::of(&self.system, &self.point_of(row));
        self.coords.clear();
        if drawing.bodies.is_empty() && drawing.items.is_empty() {
            self.coords = (0..self.system.dims().n.min(MOST_DIALS)).collect();
        }
        let numbers = scene::Channels::of(&drawing, self.coords.len()).all;
        self.frames = Frames::new(1 + numbers);
        self.drawing = Some(drawing);
    }

    /// The point of a row: the one that came before it, or what the row says of it.
    fn point_of(&self, row: &[f64]) -> Point {
        let known = self.point.as_ref().filter(|point| point.t() == row[0]);
        known.cloned().unwrap_or_else(|| self.columns.point(self.system.model(), row))
    }

    /// Time, and the numbers of its [channels](scene::Channels).
    fn frame(&self, row: &[f64]) -> Vec<f64> {
        let first = self.columns.range(ColumnKind::Slot(SlotKind::Q)).start;
        let mut frame = vec![row[0]];
        let Some(drawing) = &self.drawing else { return frame };
        let point = self.point_of(row);
        drawing.sample_poses(&self.system, &point, &mut frame);
        self.follow(drawing, &mut frame[1..]);
        frame.extend(self.coords.iter().map(|&k| row[first + k]));
        let moving = frame.len();
        drawing.sample(&self.system, &point, &mut frame);
        let moving = frame[moving..].to_vec();
        drawing.sample_forces(&self.system, &point, &moving, &mut frame);
        frame
    }

    /// Euler parameters that are found from axes may be those of the other sign: frames have them so that straight lines
    /// lead from one to the next.
    fn follow(&self, drawing: &Drawing, poses: &mut [f64]) {
        let Some(last) = self.frames.len().checked_sub(1) else { return };
        let (before, mut at) = (&self.frames.get(last)[1..], 0);
        for Body { info, .. } in &drawing.bodies {
            if info.kind == BodyKind::Spatial && info.coords.is_empty() {
                let e = &mut poses[at + 3..at + 7];
                let along: f64 = e.iter().zip(&before[at + 3..at + 7]).map(|(x, y)| x * y).sum();
                if along < 0.0 {
                    e.iter_mut().for_each(|x| *x = -*x);
                }
            }
            at += info.kind.numbers();
        }
    }
}

/// The columns of a page: those shown, outputs, discrete values, what the run did, energies, states, coordinates, multipliers, variables,
/// velocities, while there is room, each name once. Second, how many have none.
pub(crate) fn columns_of_page(columns: &Solution, shown: &Shown) -> (Vec<usize>, usize) {
    let slot = ColumnKind::Slot;
    let order = [
        ColumnKind::Output,
        ColumnKind::Mode,
        ColumnKind::History,
        ColumnKind::Energy,
        slot(SlotKind::X),
        slot(SlotKind::Q),
        slot(SlotKind::Lambda),
        slot(SlotKind::Psi),
        slot(SlotKind::W),
        slot(SlotKind::V),
    ];
    let mut chosen: Vec<usize> = Vec::new();
    let all = shown.columns().chain(order.into_iter().flat_map(|kind| columns.range(kind)));
    let mut left_out = 0;
    let mut seen = std::collections::HashSet::new();
    for index in all.filter(|&i| i != 0) {
        // An output may be what it is called after: then one of them is enough.
        let column = &columns.columns()[index];
        if seen.insert((&column.name, &column.unit)) {
            if chosen.len() < MOST_SERIES {
                chosen.push(index);
            } else {
                left_out += 1;
            }
        }
    }
    (chosen, left_out)
}

impl RowSink for Animation {
    fn point(&mut self, point: &Point) {
        match &mut self.point {
            Some(known) => known.copy_from(point),
            None => self.point = Some(point.clone()),
        }
    }

    fn row(&mut self, row: &[f64]) -> Result<(), OutputError> {
        if self.drawing.is_none() {
            self.begin(row);
        }
        if self.frames.wants(row) {
            let frame = self.frame(row);
            self.frames.push(&frame);
        }
        self.curves.row(row)
    }

    fn curve_points(&self) -> usize {
        self.curves.curve_points()
    }

    fn curve(&mut self, row: &[f64]) -> Result<(), OutputError> {
        self.row(row)
    }

    fn state(&mut self, state: &mut State<'_>) -> Result<(), OutputError> {
        state.part("the animation");
        let mut first = std::mem::take(&mut self.first);
        state.list(&mut first);
        if state.restores() && first.len() == self.columns.columns().len() {
            self.begin(&first);
        }
        state.require(first.is_empty() || first.len() == self.columns.columns().len());
        self.first = first;
        self.frames.state(state);
        self.curves.state(state)
    }
}
