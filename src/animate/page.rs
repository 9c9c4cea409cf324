//! The page: its data as JSON in the page of `page/dist`.

use super::encode::base64;
use super::frames::{self, FINE, Frames};
use super::scene::Scene;
use crate::Solution;
use crate::json::{Members, members, object};
use crate::plot::Shown;
use crate::solution::{ColumnKind, Event};
use mbd_core::assembly::SlotKind;
use serde_json::Value;

/// What was written, for people.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// Frames in the file.
    pub frames: usize,
    /// Points of the run they were taken from.
    pub points: usize,
    /// How far what is drawn between frames is off at most, in parts of the mechanism's size.
    pub error: f64,
    /// Bytes of the file.
    pub bytes: usize,
}

impl std::fmt::Display for Written {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Written { frames, points, error, bytes } = self;
        let pixels = error * frames::PIXELS;
        write!(
            f,
            "animation: {frames} frames of {points} points, true to {pixels:.1} pixels, {:.1} MB",
            *bytes as f64 / 1e6
        )
    }
}

/// The page with its scripts, built from `page/src` by `page/build.mjs`.
const PAGE: &str = include_str!("../../page/dist/page.html");
/// Where the data belongs in it, and the title.
const DATA: &str = "@@mbd-data@@";
const TITLE: &str = "@@mbd-title@@";
/// What a page should not be larger than, in bytes.
const MOST_BYTES: usize = 20_000_000;
/// What all files of meshes may take of that, in bytes.
const MOST_MESHES: usize = 12_000_000;
/// Events marked, at most.
const MOST_EVENTS: usize = 5000;

/// The curves of a page.
pub(crate) struct Plots<'a> {
    curves: &'a Solution,
    /// Names of those shown at first.
    shown: Vec<String>,
    /// Names of those shown over one another, the horizontal first.
    phases: Vec<[String; 2]>,
    /// How many quantities of the run are not in the page.
    left_out: usize,
}

/// The page of an animation, with what is in it; beside it other runs, for which it may have a name.
pub(super) fn animation_page(
    run: &Solution,
    scene: &Scene<'_>,
    frames: &Frames,
    plots: &Plots<'_>,
    (name, others): (Option<&str>, &[Value]),
) -> (String, Written) {
    let (mut data, mut written) = animation(run, scene, frames, plots, 1 + others.len());
    together(&mut data, name, others);
    let html = filled(run, data);
    written.bytes = html.len();
    (html, written)
}

/// The data of an animation that shares a page with others, `share` in all.
pub(super) fn animation(
    run: &Solution,
    scene: &Scene<'_>,
    frames: &Frames,
    plots: &Plots<'_>,
    share: usize,
) -> (Members, Written) {
    let curves = plots.json();
    let (meshes, merged) = scene.meshes(frames, MOST_MESHES / share);
    let mut seen = scene.json();
    seen.insert("meshes".into(), meshes);
    seen.insert("places".into(), scene.places(run));
    let fixed = PAGE.len() / share + text_length(&curves) + text_length(&seen);
    let mut pixels = FINE;
    let (kept, packed) = loop {
        let tolerance = scene.tolerance(pixels);
        let kept = frames.fewest(&tolerance);
        let packed = scene.pack(frames, &kept, &tolerance);
        let length = fixed + 4 * packed.bytes.len() / 3 + 11 * kept.len();
        if length <= MOST_BYTES / share || kept.len() <= 2 || pixels > 1e3 {
            break (kept, packed);
        }
        pixels *= 2.0;
    };
    let times: Vec<u8> = kept.iter().flat_map(|&k| frames.get(k)[0].to_le_bytes()).collect();
    let error = error(frames, &kept, &scene.tolerance(1.0));
    let mut data = head(run);
    data.extend(seen);
    data.extend(members([
        ("frames", kept.len().into()),
        ("points", frames.rows().into()),
        ("times", base64(&times).into()),
        ("scales", Value::from_iter(packed.scales.iter().map(|s| Value::from(&s[..])))),
        ("data", base64(&packed.bytes).into()),
    ]));
    data.extend(curves);
    let written = Written {
        frames: kept.len(),
        points: frames.rows(),
        error: error.max(merged) / super::frames::PIXELS,
        bytes: 0,
    };
    (data, written)
}

/// Adds other runs.
fn together(data: &mut Members, name: Option<&str>, others: &[Value]) {
    if others.is_empty() {
        return;
    }
    let mut others = others.to_vec();
    for other in &mut others {
        // Files of meshes are in the page once.
        if let (Some(own), Some(first)) = (other.get_mut("meshes"), data.get("meshes"))
            && own == first
        {
            own.take();
        }
    }
    data.insert("others".into(), others.into());
    if let Some(name) = name {
        data.insert("name".into(), name.into());
    }
}

/// A page of curves alone; beside them those of other runs, for which it may have a name.
#[cfg(feature = "cli")]
pub(crate) fn plots_page(
    run: &Solution,
    plots: &Plots<'_>,
    (name, others): (Option<&str>, &[Value]),
) -> String {
    let mut data = head(run);
    data.extend(plots.json());
    together(&mut data, name, others);
    filled(run, data)
}

/// The curves of a further run of such a page.
#[cfg(feature = "cli")]
pub(crate) fn plots_value(run: &Solution, plots: &Plots<'_>, name: &str) -> Value {
    let mut data = head(run);
    data.extend(plots.json());
    data.insert("name".into(), name.into());
    Value::Object(data)
}

fn text_length(data: &Members) -> usize {
    Value::Object(data.clone()).to_string().len()
}

fn filled(run: &Solution, data: Members) -> String {
    // Nothing in the data can end the script it stands in.
    let data = Value::Object(data).to_string().replace('<', "\\u003c");
    let title = run.model.replace('&', "&amp;").replace('<', "&lt;");
    PAGE.replacen(TITLE, &title, 1).replacen(DATA, &data, 1)
}

/// How far lines between the frames kept are off, in pixels, at the frames that are not: `pixel` is what
/// each number may be off for one. Of frames that were dropped while the run went as much again.
pub(super) fn error(frames: &Frames, kept: &[usize], pixel: &[f64]) -> f64 {
    let mut worst = 0.0f64;
    for pair in kept.windows(2) {
        let (a, b) = (frames.get(pair[0]), frames.get(pair[1]));
        for k in pair[0] + 1..pair[1] {
            let frame = frames.get(k);
            let part = (frame[0] - a[0]) / (b[0] - a[0]);
            for c in 1..frame.len() {
                let off = (a[c] + part * (b[c] - a[c]) - frame[c]).abs() / pixel[c - 1];
                worst = if off > worst { off } else { worst };
            }
        }
    }
    if frames.stride() > 1 { worst + thinned(frames, pixel) } else { worst }
}

/// What was dropped of a long run is off by about what every second frame left out would be, over four.
fn thinned(frames: &Frames, pixel: &[f64]) -> f64 {
    let mut worst = 0.0f64;
    for k in (1..frames.len().saturating_sub(1)).step_by(2) {
        let (a, x, b) = (frames.get(k - 1), frames.get(k), frames.get(k + 1));
        for c in 1..x.len() {
            let off = 0.25 * (0.5 * (a[c] + b[c]) - x[c]).abs() / pixel[c - 1];
            worst = if off > worst { off } else { worst };
        }
    }
    worst
}

fn head(run: &Solution) -> Members {
    let events = run.events.iter().take(MOST_EVENTS).map(event);
    members([
        ("version", 1usize.into()),
        ("model", run.model.as_str().into()),
        ("method", run.method.as_str().into()),
        ("status", run.status.as_str().into()),
        ("steps", run.stats.steps.into()),
        ("events", Value::from_iter(events)),
        ("events_left_out", run.events.len().saturating_sub(MOST_EVENTS).into()),
        ("warnings", run.warnings.as_slice().into()),
        ("library", concat!("mbd ", env!("CARGO_PKG_VERSION")).into()),
    ])
}

fn event(event: &Event) -> Value {
    object! { "t": event.t, "name": event.name, "condition": event.condition }
}

impl<'a> Plots<'a> {
    /// Of curves of a run with these columns.
    pub(crate) fn new(
        curves: &'a Solution,
        columns: &Solution,
        shown: &Shown,
        left_out: usize,
    ) -> Self {
        let name = |index: usize| columns.columns()[index].name.clone();
        Plots {
            curves,
            shown: shown.over_time.iter().map(|&index| name(index)).collect(),
            phases: shown.phases.iter().map(|pair| pair.map(name)).collect(),
            left_out,
        }
    }

    /// The members of the page's data that hold the curves: times in eight bytes, values in four.
    fn json(&self) -> Members {
        let run = self.curves;
        let rows = run.len();
        let mut bytes: Vec<u8> = run.column(0).into_iter().flat_map(f64::to_le_bytes).collect();
        let mut series = Vec::new();
        let mut order: Vec<usize> = (1..run.columns().len()).collect();
        order.sort_by_key(|&index| kind(run, index).0);
        for index in order {
            let column = &run.columns()[index];
            let values = run.column(index);
            // Four bytes have seven digits: of what lies far from 0 the difference is kept.
            let first = values.iter().copied().find(|x| x.is_finite()).unwrap_or(0.0);
            bytes.extend(values.iter().flat_map(|x| ((x - first) as f32).to_le_bytes()));
            series.push(object! {
                "name": column.name,
                "unit": column.unit,
                "kind": kind(run, index).1,
                "first": first,
                "shown": self.shown.contains(&column.name),
            });
        }
        members([
            ("rows", rows.into()),
            ("series", Value::Array(series)),
            ("curves", base64(&bytes).into()),
            ("phases", Value::from_iter(self.phases.iter().map(|pair| pair.to_vec()))),
            ("left_out", self.left_out.into()),
        ])
    }
}

/// What a column is, and in which place its kind is listed: outputs first.
fn kind(run: &Solution, index: usize) -> (usize, &'static str) {
    let slot = ColumnKind::Slot;
    let kinds = [
        (ColumnKind::Output, "outputs"),
        (slot(SlotKind::Q), "coordinates"),
        (slot(SlotKind::X), "states"),
        (slot(SlotKind::W), "variables"),
        (slot(SlotKind::V), "velocities"),
        (slot(SlotKind::A), "accelerations"),
        (slot(SlotKind::Lambda), "multipliers"),
        (slot(SlotKind::Psi), "multipliers of nonholonomic constraints"),
        (ColumnKind::Energy, "energies"),
        (ColumnKind::Mode, "discrete values"),
        (ColumnKind::History, "steps and power balance"),
    ];
    let found = kinds.iter().position(|(kind, _)| run.range(*kind).contains(&index));
    found.map_or((kinds.len(), ""), |place| (place, kinds[place].1))
}
