//! What is drawn, with how finely: the bodies and items of a drawing, and the numbers that move them.

use super::encode::{Packed, pack};
use super::frames::{FINE, Frames, PIXELS};
use super::solid::Solid;
use crate::Solution;
use crate::assembly::System;
use crate::json::{Members, members, object};
use crate::solution::{ColumnKind, Event, EventKind};
use mbd_core::assembly::SlotKind;
use mbd_core::drawing::{Anchor, Drawing, Force, Happening, Item, Look, Number, Pose};
use mbd_core::model::{BodyInfo, BodyKind, Mesh, Shape};
use serde_json::Value;

/// Frames by which the size of a mechanism is found.
const LOOKS: usize = 64;

/// How much more the tip of an arrow may be off than a body.
const ARROW: f64 = 8.0;
/// Length of the largest force's arrow, in parts of the mechanism's size; as `page/src/lines.js` has it.
const ARROW_LENGTH: f64 = 0.3;

/// Where in a frame what is: poses, dials, what moves by itself, then force and torque of each joint.
pub(super) struct Channels {
    dials: usize,
    pub(super) moving: usize,
    forces: usize,
    /// How many there are.
    pub(super) all: usize,
}

impl Channels {
    pub(super) fn of(drawing: &Drawing, dials: usize) -> Self {
        let poses = drawing.bodies.iter().map(|body| body.info.kind.numbers()).sum();
        let moving = poses + dials;
        let forces = moving + drawing.width();
        Channels { dials: poses, moving, forces, all: forces + 6 * drawing.forces.len() }
    }
}

/// A drawing with the numbers of a run.
pub(super) struct Scene<'a> {
    pub(super) drawing: &'a Drawing,
    system: &'a System,
    coords: &'a [usize],
    pub(super) channels: Channels,
    /// Lowest and highest coordinates of everything over the run.
    bounds: [[f64; 3]; 2],
    /// The largest distance across it at any one time, or, of a single point, of its path.
    pub(super) size: f64,
    /// How far each body reaches from its origin.
    reach: Vec<f64>,
    /// Of each coordinate on a dial how far it goes.
    ranges: Vec<f64>,
    /// The largest force of a joint over the run, that of short blows apart, 1 where there is none; and so the largest
    /// torque, 0 where there is none but rounding.
    force: f64,
    torque: f64,
    /// Files of meshes, each once, with what they hold.
    pub(super) files: Vec<(&'static Mesh, Solid)>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(
        system: &'a System,
        drawing: &'a Drawing,
        coords: &'a [usize],
        frames: &Frames,
    ) -> Self {
        let files = files(drawing);
        let mut reach = vec![0.0f64; drawing.bodies.len()];
        for item in &drawing.items {
            for anchor in &item.anchors[..places(item)] {
                if let Anchor::Body(body, local) = *anchor {
                    let mut far = extent(item);
                    if let Look::Shape(Shape::Mesh(mesh)) = item.look {
                        far *= solid_of(&files, mesh).1.reach();
                    }
                    far += local.iter().map(|x| x * x).sum::<f64>().sqrt();
                    reach[body] = reach[body].max(far);
                }
            }
        }
        for (reach, body) in reach.iter_mut().zip(&drawing.bodies) {
            if body.lump {
                *reach = body.inertia.iter().fold(*reach, |most, x| most.max(*x));
            }
        }
        let labels = system.model().coords();
        let ranges = coords
            .iter()
            .enumerate()
            .map(|(c, &coord)| if labels[coord].is_angle() { 1.0 } else { range(frames, c + 1) });
        let ranges = ranges.collect();
        let bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        let channels = Channels::of(drawing, coords.len());
        let [force, torque] = [0, 3].map(|first| largest(drawing, frames, &channels, first));
        let mut scene = Scene {
            drawing,
            system,
            coords,
            channels,
            bounds,
            size: 0.0,
            reach,
            ranges,
            force,
            torque,
            files,
        };
        scene.measure(frames);
        if scene.force == 0.0 {
            scene.force = 1.0;
        }
        // Of joints that turn freely nothing is left but rounding.
        if scene.torque < 1e-9 * scene.force * scene.size {
            scene.torque = 0.0;
        }
        scene
    }

    /// Whether it goes much farther than it is large, as a vehicle does: then the picture follows it, as
    /// `page/src/view.js` has it.
    pub(super) fn travels(&self) -> bool {
        across(&self.bounds) > 5.0 * self.size
    }

    fn measure(&mut self, frames: &Frames) {
        let step = (frames.len() / LOOKS).max(1);
        for k in (0..frames.len()).step_by(step) {
            let mut now = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
            let frame = frames.get(k);
            let (mut poses, mut at) = (Vec::with_capacity(self.drawing.bodies.len()), 1);
            for body in &self.drawing.bodies {
                poses.push(Pose::new(body.info.kind, &frame[at..]));
                at += body.info.kind.numbers();
            }
            for (pose, body) in poses.iter().zip(&self.drawing.bodies) {
                include(&mut now, pose.origin);
                if body.lump {
                    // Its inertia, from its turned half axes.
                    let far: [f64; 3] = std::array::from_fn(|i| {
                        (0..3)
                            .map(|j| (pose.rotation[i][j] * body.inertia[j]).powi(2))
                            .sum::<f64>()
                            .sqrt()
                    });
                    include(&mut now, std::array::from_fn(|i| pose.origin[i] - far[i]));
                    include(&mut now, std::array::from_fn(|i| pose.origin[i] + far[i]));
                }
            }
            for item in &self.drawing.items {
                let far = match item.look {
                    Look::Shape(Shape::Circle | Shape::Sphere) => extent(item),
                    Look::Shape(Shape::Box) => 0.5 * extent(item),
                    _ => 0.0,
                };
                let point = |anchor: Anchor| -> [f64; 3] {
                    match anchor {
                        Anchor::Ground(at) => at,
                        Anchor::Body(body, local) => poses[body].point(local),
                        Anchor::Moving(c) => {
                            std::array::from_fn(|i| frame[1 + self.channels.moving + c + i])
                        }
                    }
                };
                if let Look::Shape(Shape::Mesh(mesh)) = item.look {
                    let scale = match item.numbers[0] {
                        Number::Fixed(x) => x,
                        Number::Moving(c) => frame[1 + self.channels.moving + c],
                    };
                    let bounds = solid_of(&self.files, mesh).1.bounds();
                    let [o, x, y] = [0, 1, 2].map(|k| point(item.anchors[k]));
                    box_corners(&bounds, scale, o, x, y).iter().for_each(|p| include(&mut now, *p));
                    continue;
                }
                // On a plane or a line only the second body is somewhere.
                let first = usize::from(matches!(item.look, Look::Joint(_)));
                for anchor in &item.anchors[first..places(item)] {
                    let at = point(*anchor);
                    include(&mut now, at.map(|x| x - far));
                    include(&mut now, at.map(|x| x + far));
                }
            }
            self.size = self.size.max(across(&now));
            include(&mut self.bounds, now[0]);
            include(&mut self.bounds, now[1]);
        }
        if !(self.size > 0.0) {
            self.size = across(&self.bounds);
        }
        if !(self.size > 0.0 && self.size.is_finite()) {
            self.size = 1.0;
        }
    }

    /// How fine each number of a frame has to be for the picture to be off by `pixels`.
    pub(super) fn tolerance(&self, pixels: f64) -> Vec<f64> {
        let length = pixels * self.size / PIXELS;
        let mut all = Vec::new();
        for (body, reach) in self.drawing.bodies.iter().zip(&self.reach) {
            // A turn moves the farthest point of the body, of one without extent nothing.
            let turn = (length / reach.max(0.05 * self.size)).min(0.1);
            all.extend(match body.info.kind {
                BodyKind::Planar => vec![length, length, turn],
                BodyKind::PlanarMass => vec![length; 2],
                BodyKind::PointMass => vec![length; 3],
                // An Euler parameter changes by half the angle.
                BodyKind::Spatial => [vec![length; 3], vec![0.5 * turn; 4]].concat(),
            });
        }
        // Dials of a tenth of the picture: hands of angles, beads on rails over the range.
        all.extend(self.ranges.iter().map(|range| 10.0 * pixels * range / PIXELS));
        all.resize(self.channels.forces, length);
        for _ in &self.drawing.forces {
            // Arrows of torque are shorter; where there is none its rounding is none either.
            let torque = if self.torque > 0.0 { self.torque } else { self.force * self.size };
            for largest in [self.force, torque] {
                all.extend([ARROW * pixels * largest / (ARROW_LENGTH * PIXELS); 3]);
            }
        }
        all
    }

    pub(super) fn pack(&self, frames: &Frames, kept: &[usize], tolerance: &[f64]) -> Packed {
        pack(kept.len(), tolerance, |c, k| frames.get(kept[k])[c + 1])
    }

    /// The members of the page's data that say what there is.
    pub(super) fn json(&self) -> Members {
        let Drawing { bodies, items, planar, .. } = self.drawing;
        let mut at = 0;
        let bodies = bodies.iter().map(|body| {
            let first = at;
            at += body.info.kind.numbers();
            object! {
                "name": body.info.name,
                "kind": kind(&body.info),
                "at": first,
                "inertia": body.inertia,
                "lump": body.lump,
            }
        });
        let bodies = Value::from_iter(bodies);
        let labels = self.system.model().coords();
        let dial = |(k, &coord): (usize, &usize)| {
            object! {
                "name": labels[coord].name,
                "unit": labels[coord].unit,
                "channel": self.channels.dials + k,
            }
        };
        let dials = self.coords.iter().enumerate().map(dial);
        let finite = self.bounds.iter().flatten().all(|x| x.is_finite());
        let bounds = if finite { self.bounds } else { [[-1.0; 3], [1.0; 3]] };
        members([
            ("planar", (*planar).into()),
            ("upright", Value::from(self.drawing.upright().map(|axis| axis.to_vec()).to_vec())),
            ("size", self.size.into()),
            ("bounds", Value::from(bounds.map(|bound| bound.to_vec()).to_vec())),
            ("bodies", bodies),
            ("items", Value::from_iter(items.iter().map(|item| self.item(item)))),
            ("force", self.force.into()),
            ("torque", self.torque.into()),
            ("forces", self.forces()),
            ("dials", Value::from_iter(dials)),
        ])
    }

    /// Name, place, and the first of six numbers of each force with its torque.
    fn forces(&self) -> Value {
        let first = self.channels.forces;
        let force = |(k, force): (usize, &Force)| {
            object! {
                "name": force.name,
                "at": self.anchor(force.at),
                "channel": first + 6 * k,
            }
        };
        self.drawing.forces.iter().enumerate().map(force).collect()
    }

    /// Name and places of what has events in a run, and from when to when it is closed.
    pub(super) fn places(&self, run: &Solution) -> Value {
        let all = self.drawing.happenings.iter().map(|one| (one, closed(run, one)));
        let known = |name: &str| run.events.iter().any(|event| event.name == name);
        let seen = all.filter(|(one, closed)| !closed.is_empty() || known(&one.name));
        let anchors =
            |place: &Vec<Anchor>| Value::from_iter(place.iter().map(|at| self.anchor(*at)));
        let place = |(one, closed): (&Happening, Vec<[f64; 2]>)| {
            object! {
                "name": one.name,
                "at": Value::from_iter(one.places.iter().map(anchors)),
                "closed": Value::from_iter(closed.iter().map(|times| times.to_vec())),
            }
        };
        seen.map(place).collect()
    }

    /// What files of meshes hold, merged so that nothing is off by more than a few pixels.
    pub(super) fn merged(&self, frames: &Frames, pixels: f64) -> Vec<Solid> {
        let scale = |mesh: &Mesh| {
            let of = |item: &Item| match (item.look, &item.numbers[..]) {
                (Look::Shape(Shape::Mesh(own)), [Number::Fixed(x), ..]) if own == mesh => x.abs(),
                (Look::Shape(Shape::Mesh(own)), [Number::Moving(c), ..]) if own == mesh => {
                    let now = |k: usize| frames.get(k)[1 + self.channels.moving + c].abs();
                    (0..frames.len()).map(now).fold(0.0, f64::max)
                }
                _ => 0.0,
            };
            self.drawing.items.iter().map(of).fold(f64::MIN_POSITIVE, f64::max)
        };
        let edge = pixels * self.size / (PIXELS * 3f64.sqrt());
        self.files.iter().map(|(mesh, solid)| solid.merged(edge / scale(mesh))).collect()
    }

    /// Files of meshes as a page has them: as they are, or merged until they take no more than so many letters; with
    /// how many pixels they are off then.
    pub(super) fn meshes(&self, frames: &Frames, most: usize) -> (Value, f64) {
        let mut pixels = 0.0;
        let mut solids: Vec<Solid> = self.files.iter().map(|(_, solid)| solid.clone()).collect();
        while solids.iter().map(Solid::letters).sum::<usize>() > most && pixels < 1e3 {
            pixels = if pixels == 0.0 { FINE } else { 1.5 * pixels };
            solids = self.merged(frames, pixels);
        }
        let files = self.files.iter().zip(&solids);
        (files.map(|((mesh, _), solid)| solid.json(mesh.file())).collect(), pixels)
    }

    fn anchor(&self, anchor: Anchor) -> Value {
        match anchor {
            Anchor::Ground(at) => at.to_vec().into(),
            Anchor::Body(body, [x, y, z]) => {
                vec![Value::from(body), x.into(), y.into(), z.into()].into()
            }
            Anchor::Moving(c) => vec![self.channels.moving + c].into(),
        }
    }

    fn item(&self, item: &Item) -> Value {
        let (look, kind) = match item.look {
            Look::Shape(shape) => (shape_word(shape), ""),
            Look::Joint(kind) => ("joint", kind),
            Look::Rod => ("rod", ""),
            Look::Spring => ("spring", ""),
            Look::Actuator => ("actuator", ""),
            Look::Part => ("part", ""),
        };
        let first = self.channels.moving;
        let anchor = |anchor: &Anchor| self.anchor(*anchor);
        let number = |number: &Number| match *number {
            Number::Fixed(x) => Value::from(x),
            Number::Moving(c) => vec![first + c].into(),
        };
        let anchors = Value::from_iter(item.anchors.iter().map(anchor));
        let mut object = object! { "name": item.name, "look": look, "at": anchors };
        if !kind.is_empty() {
            object["kind"] = kind.into();
        }
        if let Look::Shape(Shape::Mesh(mesh)) = item.look {
            object["mesh"] = solid_of(&self.files, mesh).0.into();
        }
        if !item.color.is_empty() {
            object["color"] = item.color.as_str().into();
        }
        if !item.numbers.is_empty() {
            object["n"] = item.numbers.iter().map(number).collect();
        }
        object
    }
}

/// From when to when something is closed. What a run has no such event of was closed all the time or never: a force holds
/// it at all points or at none.
fn closed(run: &Solution, one: &Happening) -> Vec<[f64; 2]> {
    let Some(row) = one.row else { return Vec::new() };
    let (column, times) = (run.range(ColumnKind::Slot(SlotKind::Lambda)).start + row, run.times());
    let (Some(&start), Some(&end)) = (times.first(), times.last()) else { return Vec::new() };
    let turns = |event: &&Event| {
        event.name == one.name && matches!(event.kind, EventKind::Close | EventKind::Open)
    };
    let mut turns = run.events.iter().filter(turns).peekable();
    let mut since = match turns.peek() {
        Some(first) => (first.kind == EventKind::Open).then_some(start),
        None => (0..run.len()).all(|k| run.row(k)[column] != 0.0).then_some(start),
    };
    let mut closed = Vec::new();
    for event in turns {
        match event.kind {
            EventKind::Close => since = since.or(Some(event.t)),
            _ => closed.extend(since.take().map(|from| [from, event.t])),
        }
    }
    closed.extend(since.map(|from| [from, end]));
    closed
}

/// Part of the time that short blows may take, and how many times what the forces are beside them they are.
const BLOWS: (f64, f64) = (0.02, 3.0);

/// The largest force or torque over the run (`first`: 0 or 3 of its six numbers): one that is there for a moment, and much
/// larger than all others, would leave nothing to be seen of these.
fn largest(drawing: &Drawing, frames: &Frames, channels: &Channels, first: usize) -> f64 {
    let of_frame = |k: usize| {
        let forces = &frames.get(k)[1 + channels.forces..];
        let norm = |six: &[f64]| six[first..first + 3].iter().map(|x| x * x).sum::<f64>().sqrt();
        forces.chunks(6).map(norm).filter(|x| x.is_finite()).fold(0.0, f64::max)
    };
    if drawing.forces.is_empty() {
        return 0.0;
    }
    let time = |k: usize| frames.get(k.min(frames.len() - 1))[0];
    let lasts = |k: usize| 0.5 * (time(k + 1) - time(k.saturating_sub(1)));
    without_blows((0..frames.len()).map(|k| (of_frame(k), lasts(k))).collect())
}

/// The largest of values that last so many seconds each, but for those of [blows](BLOWS).
fn without_blows(mut values: Vec<(f64, f64)>) -> f64 {
    values.sort_by(|a, b| b.0.total_cmp(&a.0));
    let largest = values.first().map_or(0.0, |value| value.0);
    let all: f64 = values.iter().map(|value| value.1).sum();
    let mut passed = 0.0;
    let usual = values.iter().find(|value| {
        passed += value.1;
        passed > BLOWS.0 * all
    });
    match usual {
        Some(&(usual, _)) if usual > 0.0 && largest > BLOWS.1 * usual => usual,
        _ => largest,
    }
}

fn kind(body: &BodyInfo) -> &'static str {
    match body.kind {
        BodyKind::Planar => "planar",
        BodyKind::Spatial => "spatial",
        BodyKind::PlanarMass => "planar-mass",
        BodyKind::PointMass => "point-mass",
    }
}

fn shape_word(shape: Shape) -> &'static str {
    match shape {
        Shape::Line => "line",
        Shape::Polyline => "polyline",
        Shape::Circle => "circle",
        Shape::Sphere => "sphere",
        Shape::Box => "box",
        Shape::Cylinder => "cylinder",
        Shape::Spring => "spring",
        Shape::Trace => "trace",
        Shape::Mesh(_) => "mesh",
    }
}

fn include(bounds: &mut [[f64; 3]; 2], point: [f64; 3]) {
    if point.iter().all(|x| x.is_finite()) {
        for i in 0..3 {
            bounds[0][i] = bounds[0][i].min(point[i]);
            bounds[1][i] = bounds[1][i].max(point[i]);
        }
    }
}

fn across(bounds: &[[f64; 3]; 2]) -> f64 {
    (0..3).map(|i| (bounds[1][i] - bounds[0][i]).powi(2)).sum::<f64>().sqrt()
}

/// How far a number of the frames goes; 1 where it stands.
fn range(frames: &Frames, number: usize) -> f64 {
    let values = (0..frames.len()).map(|k| frames.get(k)[number]).filter(|x| x.is_finite());
    let (low, high) = values
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (f64::min(l, x), f64::max(h, x)));
    if high > low { high - low } else { 1.0 }
}

/// How many of an item's points are somewhere: the ends of directions are not.
fn places(item: &Item) -> usize {
    match item.look {
        Look::Joint(_) => 2,
        Look::Shape(Shape::Circle | Shape::Sphere | Shape::Box | Shape::Mesh(_)) => 1,
        _ => item.anchors.len(),
    }
}

fn files(drawing: &Drawing) -> Vec<(&'static Mesh, Solid)> {
    let mut files: Vec<(&'static Mesh, Solid)> = Vec::new();
    for item in &drawing.items {
        if let Look::Shape(Shape::Mesh(mesh)) = item.look
            && !files.iter().any(|(known, _)| *known == mesh)
        {
            files.push((mesh, Solid::of(mesh)));
        }
    }
    files
}

/// Number and contents of a file; all that are drawn are among them.
pub(super) fn solid_of<'a>(files: &'a [(&'static Mesh, Solid)], mesh: &Mesh) -> (usize, &'a Solid) {
    let place = files.iter().position(|(known, _)| *known == mesh).unwrap_or(0);
    (place, &files[place].1)
}

/// Where the corners of bounds are, by an origin and the ends of the x and y axes.
fn box_corners(
    bounds: &[[f64; 3]; 2],
    scale: f64,
    origin: [f64; 3],
    x: [f64; 3],
    y: [f64; 3],
) -> [[f64; 3]; 8] {
    let [x, y] = [x, y].map(|end| std::array::from_fn(|i| end[i] - origin[i]));
    let z: [f64; 3] = std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        x[j] * y[k] - x[k] * y[j]
    });
    let axes: [[f64; 3]; 3] = [x, y, z];
    std::array::from_fn(|corner| {
        let at = |axis: usize| scale * bounds[corner >> axis & 1][axis];
        std::array::from_fn(|i| {
            origin[i] + (0..3).map(|axis| at(axis) * axes[axis][i]).sum::<f64>()
        })
    })
}

/// The largest of an item's lengths that stay as they are.
fn extent(item: &Item) -> f64 {
    let fixed = |number: &Number| match number {
        Number::Fixed(x) => x.abs(),
        Number::Moving(_) => 0.0,
    };
    item.numbers.iter().map(fixed).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::without_blows;

    #[test]
    fn a_blow_does_not_set_the_length_of_arrows() {
        let mut values: Vec<(f64, f64)> =
            (0..100).map(|k| (5.0 + 0.01 * f64::from(k), 1e-2)).collect();
        assert_eq!(without_blows(values.clone()), 5.99);
        // Many frames, a moment.
        values.extend((0..50).map(|_| (4e3, 1e-4)));
        let usual = without_blows(values.clone());
        assert!((5.9..6.0).contains(&usual), "{usual}");
        // What lasts is none.
        values.extend((0..50).map(|_| (4e3, 1e-2)));
        assert_eq!(without_blows(values), 4e3);
        assert_eq!(without_blows(vec![(0.0, 1.0), (2.0, 1e-9)]), 2.0);
        assert_eq!(without_blows(Vec::new()), 0.0);
    }
}
