//! Asking the statements of a model what there is to draw of it.

use super::forces::{self, Held, Stated};
use super::items::{Anchor, Body, Drawing, From, Happening, Item, Look, Number, Source};
use super::link::is_spring;
use super::marks::{self, Eventful};
use super::outline;
use super::pose::{self, Pose};
use crate::assembly::{Point, SlotKind, System};
use crate::model::{BodyInfo, Model, Shape};
use crate::scalar::{Mark, Noted, Notes, Owner, Spot};
use std::collections::{HashMap, HashSet};

/// Points by which is tried whether a place is fixed in a body.
const TRIALS: usize = 3;
/// How far it may be off, relative to distances.
const SAME: f64 = 1e-9;

impl Drawing {
    /// What is to be drawn of a model, seen at a point that meets its constraints.
    pub fn of(system: &System, at: &Point) -> Self {
        Builder::new(system, at).build()
    }

    /// How many numbers move by themselves.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Appends the numbers that say where each body is, at a point: those of its
    /// [kind](crate::model::BodyKind::numbers). Euler parameters of a body that a joint carries are known up to their
    /// common sign.
    pub fn sample_poses(&self, system: &System, at: &Point, out: &mut Vec<f64>) {
        pose::numbers(system.model(), at.flat(), out);
    }

    /// Where each body is at a point.
    pub fn poses(&self, system: &System, at: &Point) -> Vec<Pose> {
        pose::poses(system.model(), at.flat())
    }

    /// Appends the numbers that move by themselves, at a point: of places that are not there in that
    /// position NaN.
    pub fn sample(&self, system: &System, at: &Point, out: &mut Vec<f64>) {
        let model = system.model();
        let first = out.len();
        out.resize(first + self.width, f64::NAN);
        let out = &mut out[first..];
        let mut values = Vec::new();
        for Source { from, instance, takes } in &self.sources {
            evaluate(model, *from, *instance, at.flat(), &mut values);
            for &(taken, place) in takes {
                if let Some(value) = values.get(taken) {
                    out[place] = *value;
                }
            }
        }
    }
}

/// The numbers of a draw statement, or of the places that a statement notes, at the flat point `y`.
fn evaluate(model: &Model, from: From, instance: usize, y: &[f64], values: &mut Vec<f64>) {
    match from {
        From::Draw(k) => {
            model.draws[k].element.values(instance, y, values);
            let shape = model.draws[k].shape;
            let (points, directions) = (shape.points(values.len()), shape.directions());
            for k in points..points + directions {
                // The end of a direction, from the first point.
                values[k] += values[(k - points) % 3];
            }
        }
        From::Group(_) | From::Load(_) | From::Events(_) => {
            let mut notes = Notes::default();
            match from {
                From::Group(k) => model.groups[k].note(instance, y, &mut notes),
                From::Load(k) => model.loads[k].element.note(instance, y, &mut notes),
                From::Events(k) => marks::note(model, k, instance, y, &mut notes),
                From::Draw(_) => {}
            }
            values.clear();
            values.extend(notes.noted.iter().flat_map(places).flat_map(|spot| spot.at));
        }
    }
}

/// The places of a note; of a joint with an axis the end of that.
fn places(noted: &Noted) -> Vec<Spot> {
    let mut spots = noted.spots.clone();
    if let (Mark::Joint(_), [first, _, axis]) = (noted.mark, &mut spots[..]) {
        axis.at = std::array::from_fn(|i| first.at[i] + axis.at[i]);
        axis.owner = axis.owner.join(first.owner);
    }
    spots
}

/// What an instance of a statement notes.
struct Heard {
    from: From,
    instance: usize,
    name: String,
    /// Whether it is a constraint.
    held: bool,
    noted: Vec<Noted>,
}

struct Builder<'m> {
    system: &'m System,
    model: &'m Model,
    at: &'m Point,
    notes: Notes,
    drawing: Drawing,
    /// Where bodies are.
    poses: Vec<Pose>,
    /// Flat points near `at` in which bodies lie elsewhere, and where.
    trials: Vec<(Vec<f64>, Vec<Pose>)>,
    /// What has been seen already, whichever statement noted it.
    seen: HashSet<(u8, Vec<[i64; 4]>)>,
    /// A length of the mechanism, to compare places by.
    size: f64,
    /// Joints and rods, of which there are forces.
    held: Vec<Held>,
    /// What a statement's force along a length is drawn as: its instances are alike.
    links: HashMap<usize, Look>,
}

impl<'m> Builder<'m> {
    fn new(system: &'m System, at: &'m Point) -> Self {
        let model = system.model();
        let layout = model.layout();
        let q = layout.range(SlotKind::Q).start;
        let mut owners = vec![Owner::Moving; layout.len()];
        owners[layout.params()].fill(Owner::Ground);
        for (b, body) in model.bodies.iter().enumerate() {
            body.coords.iter().for_each(|&k| owners[q + k] = Owner::Body(b as u32));
        }
        let carried = model.carried.iter().map(|of| of.body);
        let carried = carried.map(|b| (model.bodies[b].name.clone(), b as u32)).collect();
        let named = |body: &BodyInfo, name: &str| {
            name == body.name || name.strip_prefix(&body.name).is_some_and(|r| r.starts_with('.'))
        };
        let drawn: Vec<String> = draws(model).map(|(_, _, name)| name).collect();
        let bodies = model.bodies.iter().map(|info| Body {
            info: info.clone(),
            inertia: [0.0; 3],
            lump: false,
            drawn: drawn.iter().any(|name| named(info, name)),
        });
        let drawing = Drawing {
            bodies: bodies.collect(),
            items: Vec::new(),
            forces: Vec::new(),
            happenings: Vec::new(),
            planar: true,
            gravity: [0.0; 3],
            sources: Vec::new(),
            width: 0,
        };
        let mut builder = Builder {
            system,
            model,
            at,
            notes: Notes { owners, noted: Vec::new(), carried },
            drawing,
            poses: pose::poses(model, at.flat()),
            trials: Vec::new(),
            seen: HashSet::new(),
            size: 0.0,
            held: Vec::new(),
            links: HashMap::new(),
        };
        builder.trials = (0..TRIALS).map(|k| builder.trial(k)).collect();
        builder
    }

    fn build(mut self) -> Drawing {
        let planar = |body: &BodyInfo| body.kind.is_planar();
        self.drawing.planar = self.model.bodies.iter().all(planar);
        let inertia = pose::ellipsoids(self.system, self.at, &self.model.bodies);
        for (body, inertia) in self.drawing.bodies.iter_mut().zip(inertia) {
            body.inertia = inertia;
        }
        let heard = self.listen();
        self.size = heard
            .iter()
            .flat_map(|heard| heard.noted.iter().filter(|n| n.mark != Mark::Gravity))
            .flat_map(|noted| &noted.spots)
            .flat_map(|spot| spot.at)
            .fold(0.0, |size: f64, x| if x.is_finite() { size.max(x.abs()) } else { size });
        for (k, instance, name) in draws(self.model) {
            self.draw(k, instance, name);
        }
        for heard in heard {
            self.noted(heard);
        }
        for one in marks::eventful(self.model) {
            let places = self.places(&one);
            if !places.is_empty() {
                let group = &self.model.groups[one.group];
                let name = numbered(group.name(), one.instance, group.instances() != 1);
                let row = marks::row(self.model, &one);
                self.drawing.happenings.push(Happening { name, places, row });
            }
        }
        self.drawing.forces = forces::of(self.model, self.held);
        outline::parts(&mut self.drawing);
        self.drawing
    }

    /// What each instance of each statement notes, and each joint that carries a body.
    fn listen(&mut self) -> Vec<Heard> {
        let mut all = Vec::new();
        for (k, group) in self.model.groups.iter().enumerate() {
            for instance in 0..group.instances() {
                group.note(instance, self.at.flat(), &mut self.notes);
                if !self.notes.noted.is_empty() {
                    let name = numbered(group.name(), instance, group.instances() != 1);
                    let (from, held) = (From::Group(k), group.constrains());
                    let noted = std::mem::take(&mut self.notes.noted);
                    all.push(Heard { from, instance, name, held, noted });
                }
            }
        }
        for (k, load) in self.model.loads.iter().enumerate().filter(|(_, load)| load.carries) {
            load.element.note(0, self.at.flat(), &mut self.notes);
            let noted = std::mem::take(&mut self.notes.noted);
            let (from, name) = (From::Load(k), numbered(&load.name, 0, load.is_array));
            all.push(Heard { from, instance: 0, name, held: true, noted });
        }
        all
    }

    /// A flat point in which every body lies somewhere else, turned.
    fn trial(&self, trial: usize) -> (Vec<f64>, Vec<Pose>) {
        let mut y = self.at.flat().to_vec();
        let q = self.model.layout().range(SlotKind::Q);
        let mut moved = |shift: usize, coord: usize| {
            // Any numbers will do that have no meaning.
            let shift = ((1 + trial * 31 + shift) as f64 * 0.754_877_666).fract();
            y[q.start + coord] += shift - 0.5;
        };
        for (b, body) in self.model.bodies.iter().enumerate() {
            for (k, &coord) in body.coords.iter().enumerate() {
                moved(b * 7 + k * 3, coord);
            }
        }
        if !self.model.carried.is_empty() {
            // What moves these are the coordinates that are no body's.
            let own: HashSet<usize> =
                self.model.bodies.iter().flat_map(|body| body.coords.iter().copied()).collect();
            for coord in (0..q.len()).filter(|coord| !own.contains(coord)) {
                moved(coord * 5, coord);
            }
        }
        pose::normalize(self.model, &mut y[q]);
        let poses = pose::poses(self.model, &y);
        (y, poses)
    }

    fn draw(&mut self, k: usize, instance: usize, name: String) {
        let draw = &self.model.draws[k];
        let y = self.at.flat();
        let owned = draw.element.owned_rows(instance, y, &self.notes);
        let mut values = Vec::new();
        evaluate(self.model, From::Draw(k), instance, y, &mut values);
        let (points, directions) = (draw.shape.points(values.len()), draw.shape.directions());
        let three = |first: usize| std::array::from_fn(|i| values[first + i]);
        let mut spots = Vec::new();
        for first in (0..points + directions).step_by(3) {
            let mut parts: Vec<Owner> = owned[first..first + 3].iter().map(|x| x.1).collect();
            if first >= points {
                parts.extend(owned[..3].iter().map(|x| x.1));
            }
            let owner = parts.into_iter().fold(Owner::Ground, Owner::join);
            spots.push(Spot { at: three(first), owner });
        }
        self.drawing.planar &= draw.shape != Shape::Cylinder
            && spots[..points / 3].iter().all(|s| s.at[2] == 0.0 && self.stays_flat(s.owner));
        let anchors = self.anchors(From::Draw(k), instance, &spots, 0);
        let numbers = (points + directions..values.len())
            .map(|row| match owned[row].1 {
                Owner::Ground => Number::Fixed(values[row]),
                _ => Number::Moving(self.take(From::Draw(k), instance, row)),
            })
            .collect();
        let (look, color) = (Look::Shape(draw.shape), draw.color.clone());
        self.drawing.items.push(Item { name, look, color, anchors, numbers });
    }

    /// Whether what belongs to someone stays in the plane if it is there now. A single view of what
    /// moves by itself does not tell: the trials do.
    fn stays_flat(&self, owner: Owner) -> bool {
        match owner {
            Owner::Body(b) => self.model.bodies[b as usize].kind.is_planar(),
            Owner::Ground | Owner::Moving => true,
        }
    }

    fn noted(&mut self, Heard { from, instance, name, held, noted }: Heard) {
        let mut row = 0;
        let mut joints: Vec<[[f64; 3]; 2]> = Vec::new();
        for one in &noted {
            if one.mark == Mark::Gravity {
                self.drawing.gravity = one.spots[0].at;
                row += 3;
                continue;
            }
            let spots = places(one);
            let first = row;
            row += 3 * spots.len();
            self.drawing.planar &= one.planar;
            let look = match one.mark {
                Mark::Point => Look::Part,
                Mark::Link if held => Look::Rod,
                Mark::Link => self.link(from, instance, first),
                Mark::Gravity => continue,
                Mark::Joint(kind) => {
                    // A joint made of others notes itself first.
                    let at = [spots[0].at, spots[1].at];
                    if joints.contains(&at) {
                        continue;
                    }
                    joints.push(at);
                    Look::Joint(kind)
                }
            };
            if !spots.iter().all(|s| s.at.iter().all(|x| x.is_finite())) || self.known(look, &spots)
            {
                continue;
            }
            if look == Look::Part && !self.keeps_length(from, instance, &spots, first) {
                continue;
            }
            let anchors = self.anchors(from, instance, &spots, first);
            if let (Look::Joint(_) | Look::Rod, [first, second, ..]) = (look, &anchors[..]) {
                let (name, anchors) = (name.clone(), [*first, *second]);
                let by = match from {
                    From::Load(load) => Stated::Load(load),
                    From::Group(group) => Stated::Group(group),
                    From::Draw(_) | From::Events(_) => continue,
                };
                self.held.push(Held { by, instance, name, anchors, look });
            }
            let item = Item {
                name: name.clone(),
                look,
                color: String::new(),
                anchors,
                numbers: Vec::new(),
            };
            self.drawing.items.push(item);
        }
    }

    /// Where the events of a statement are: at the points that it notes, else at the bodies that it reads, else where
    /// what it reads is drawn.
    fn places(&mut self, one: &Eventful) -> Vec<Vec<Anchor>> {
        let (y, from) = (self.at.flat(), From::Events(one.group));
        marks::note(self.model, one.group, one.instance, y, &mut self.notes);
        let mut row = 0;
        let mut points: Vec<(usize, Spot)> = Vec::new();
        for noted in std::mem::take(&mut self.notes.noted) {
            let spots = places(&noted);
            for &end in marks::ends(noted.mark) {
                let spot = spots[end];
                let known = points.iter().any(|(_, p)| p.at == spot.at && p.owner == spot.owner);
                if spot.owner != Owner::Ground && spot.at.iter().all(|x| x.is_finite()) && !known {
                    points.push((row + 3 * end, spot));
                }
            }
            row += 3 * spots.len();
        }
        if !points.is_empty() {
            let anchors = |(first, spot)| self.anchors(from, one.instance, &[spot], first);
            return points.into_iter().map(anchors).collect();
        }
        let coords = marks::coordinates(self.model, one, y);
        let bodies = marks::bodies(self.model, one, &coords, y, &self.notes);
        if !bodies.is_empty() {
            return bodies.into_iter().map(|b| vec![Anchor::Body(b, [0.0; 3])]).collect();
        }
        // The first items are those of `draw` statements, in their order.
        let mut found: Vec<([f64; 3], Vec<Anchor>)> = Vec::new();
        for (item, (draw, instance, _)) in draws(self.model).enumerate() {
            let drawn = marks::drawn(self.model, (draw, instance), &coords, y);
            let mean: [f64; 3] = std::array::from_fn(|i| {
                drawn.iter().map(|(_, at)| at[i]).sum::<f64>() / drawn.len() as f64
            });
            if !drawn.is_empty() && !found.iter().any(|(at, _)| *at == mean) {
                let anchors = &self.drawing.items[item].anchors;
                found.push((mean, drawn.iter().map(|&(place, _)| anchors[place]).collect()));
            }
        }
        found.into_iter().map(|(_, anchors)| anchors).collect()
    }

    /// What a force or an energy of the length between two places is drawn as; the first of them is the statement's
    /// number `first`.
    fn link(&mut self, from: From, instance: usize, first: usize) -> Look {
        let From::Group(k) = from else { return Look::Spring };
        if let Some(look) = self.links.get(&k) {
            return *look;
        }
        let length = |y: &[f64]| {
            let mut values = Vec::new();
            evaluate(self.model, from, instance, y, &mut values);
            let ends = values.get(first..first + 6);
            ends.map_or(f64::NAN, |v| (0..3).map(|i| (v[3 + i] - v[i]).powi(2)).sum::<f64>().sqrt())
        };
        let tried: Vec<&[f64]> = std::iter::once(self.at.flat())
            .chain(self.trials.iter().map(|trial| &trial.0[..]))
            .collect();
        let group = &*self.model.groups[k];
        let spring = is_spring(self.system, group, instance, &tried, length);
        let look = if spring { Look::Spring } else { Look::Actuator };
        self.links.insert(k, look);
        look
    }

    /// Whether the same was noted before, as by another statement that reads the same `let`.
    fn known(&mut self, look: Look, spots: &[Spot]) -> bool {
        let kind = match look {
            Look::Part => 0,
            Look::Rod | Look::Spring | Look::Actuator => 1,
            _ => return false,
        };
        let unit = 1e-9 * self.size.max(f64::MIN_POSITIVE);
        let key = |s: &Spot| {
            let owner = match s.owner {
                Owner::Ground => -1,
                Owner::Moving => -2,
                Owner::Body(b) => i64::from(b),
            };
            let [x, y, z] = s.at.map(|x| (x / unit).round() as i64);
            [x, y, z, owner]
        };
        let mut keys: Vec<_> = spots.iter().map(key).collect();
        if kind == 1 {
            keys.sort_unstable();
        }
        !self.seen.insert((kind, keys))
    }

    /// Where each place is fixed; the numbers of those that are not are taken from `first` on.
    fn anchors(
        &mut self,
        from: From,
        instance: usize,
        spots: &[Spot],
        first: usize,
    ) -> Vec<Anchor> {
        let rigid: Vec<bool> = self.rigid(from, instance, spots, first);
        let one = |(k, spot): (usize, &Spot)| match spot.owner {
            Owner::Ground => Anchor::Ground(spot.at),
            Owner::Body(b) if rigid[k] => {
                Anchor::Body(b as usize, self.poses[b as usize].local(spot.at))
            }
            _ => {
                let rows: [usize; 3] =
                    std::array::from_fn(|i| self.take(from, instance, first + 3 * k + i));
                Anchor::Moving(rows[0])
            }
        };
        spots.iter().enumerate().map(one).collect()
    }

    /// Of each place that a body owns, whether it stays where it is in the body when that is moved.
    fn rigid(&self, from: From, instance: usize, spots: &[Spot], first: usize) -> Vec<bool> {
        let mut rigid = vec![true; spots.len()];
        if !spots.iter().any(|spot| matches!(spot.owner, Owner::Body(_))) {
            return rigid;
        }
        let mut values = Vec::new();
        for (y, poses) in &self.trials {
            evaluate(self.model, from, instance, y, &mut values);
            for (k, spot) in spots.iter().enumerate() {
                let Owner::Body(b) = spot.owner else { continue };
                let before = self.poses[b as usize].local(spot.at);
                let there = values.get(first + 3 * k..first + 3 * k + 3);
                let after = there.map(|at| poses[b as usize].local(std::array::from_fn(|i| at[i])));
                let size =
                    1.0 + self.size.max(spot.at.iter().fold(0.0, |m: f64, x| m.max(x.abs())));
                rigid[k] &= after.is_some_and(|after| {
                    (0..3).all(|i| (after[i] - before[i]).abs() <= SAME * size)
                });
            }
        }
        rigid
    }

    /// Whether a point stays as far from its frame's origin when bodies are moved. One that does not, as
    /// where a wheel touches the ground, is no part of anything.
    fn keeps_length(&self, from: From, instance: usize, spots: &[Spot], first: usize) -> bool {
        let apart =
            |p: &[f64], q: &[f64]| (0..3).map(|i| (p[i] - q[i]).powi(2)).sum::<f64>().sqrt();
        let [begin, end] = spots else { return true };
        if begin.owner == end.owner && begin.owner != Owner::Moving {
            return true;
        }
        let length = apart(&begin.at, &end.at);
        let mut values = Vec::new();
        self.trials.iter().all(|(y, _)| {
            evaluate(self.model, from, instance, y, &mut values);
            let there = values.get(first..first + 6);
            there.is_some_and(|v| (apart(&v[..3], &v[3..]) - length).abs() <= 1e-6 * (1.0 + length))
        })
    }

    /// Takes a number that moves by itself; gives its place.
    fn take(&mut self, from: From, instance: usize, row: usize) -> usize {
        let place = self.drawing.width;
        self.drawing.width += 1;
        match self.drawing.sources.last_mut() {
            Some(last) if last.from == from && last.instance == instance => {
                last.takes.push((row, place));
            }
            _ => {
                self.drawing.sources.push(Source { from, instance, takes: vec![(row, place)] });
            }
        }
        place
    }
}

/// The name of an instance of a statement.
fn numbered(name: &str, instance: usize, numbered: bool) -> String {
    if numbered { format!("{name}[{instance}]") } else { name.to_string() }
}

/// The instances of all draw statements: statement, instance, name.
fn draws(model: &Model) -> impl Iterator<Item = (usize, usize, String)> {
    model.draws.iter().enumerate().flat_map(|(k, draw)| {
        (0..draw.element.len()).map(move |i| {
            // `leg[2].rod` in an array of bodies, `rod[2]` in a loop of the mechanism.
            let name = match (draw.is_array, draw.name.rsplit_once('.')) {
                (false, _) => draw.name.clone(),
                (true, Some((body, own))) => format!("{body}[{}].{own}", draw.first + i),
                (true, None) => format!("{}[{}]", draw.name, draw.first + i),
            };
            (k, i, name)
        })
    })
}
