//! What joints and rods exert on their second bodies, force and torque, as arrows at the places where they act.
//!
//! A body's generalized force along its own x, y, z is the force on it, whatever the joint, and those of its turn are the
//! torque about its origin: so the force of a joint on a body is what its rows alone add to the equations of motion
//! there, −Gᵀλ − Kᵀψ. Joints that have no body in common are evaluated together, with the multipliers of all others
//! zero: two evaluations for a chain, however long it is. In joint coordinates, where a body has no equations of its own,
//! the model says itself what its joints exert (`ModelBuilder::load`), those of the tree with its joints released.

use super::items::{Anchor, Drawing, Force, Look, Reading};
use super::pose::{Pose, poses};
use crate::assembly::{Point, Residual, System, Term, Want, Weights};
use crate::components::spatial::euler_rate;
use crate::model::{BodyInfo, BodyKind, Load, Model};
use crate::scalar::num;
use crate::vector::cross;
use std::collections::{HashMap, HashSet};

/// Forces followed, at most; where there are more, none is.
const MOST: usize = 500;

/// Numbers of a force and its torque.
const WRENCH: usize = 6;

/// A joint or rod, by the statement that notes it.
pub(super) struct Held {
    pub(super) by: Stated,
    pub(super) instance: usize,
    pub(super) name: String,
    /// On its first and its second frame.
    pub(super) anchors: [Anchor; 2],
    pub(super) look: Look,
}

/// A constraint by its number among the groups, or a joint that carries a body.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Stated {
    Group(usize),
    Load(usize),
}

impl Drawing {
    /// Appends the forces and torques at a point, six numbers each, in the ground's axes. `moving`: what
    /// [`sample`](Self::sample) gives there.
    pub fn sample_forces(&self, system: &System, at: &Point, moving: &[f64], out: &mut Vec<f64>) {
        let first = out.len();
        out.resize(first + WRENCH * self.forces.len(), 0.0);
        if self.forces.is_empty() {
            return;
        }
        let out = &mut out[first..];
        let poses = poses(system.model(), at.flat());
        self.by_rows(system, at, out, |force: &Force| place(force.at, &poses, moving));
        let carries = |force: &Force| matches!(force.by, Reading::Load(load, _) if system.model().loads[load].carries);
        let released = match self.forces.iter().any(carries) {
            true => system.released(at),
            false => None,
        };
        self.by_loads(system, at, released, out);
    }

    /// The impulses of constraints and joints on their second bodies, of a point with impulses for multipliers and changes
    /// of velocities for accelerations: names, and two or three components each. `released`: where joints carry
    /// bodies, the point at which impulses of these are among the multipliers.
    pub(crate) fn impulses(
        &self,
        system: &System,
        at: &Point,
        released: Option<(&System, Point)>,
    ) -> Vec<(&str, Vec<f64>)> {
        let mut values = vec![0.0; WRENCH * self.forces.len()];
        self.by_rows(system, at, &mut values, |_| [0.0; 3]);
        self.by_loads(system, at, released, &mut values);
        let of_one = |force: &Force, values: &[f64]| {
            let planar = match force.by {
                Reading::Rows { body, .. } => self.bodies[body].info.kind.is_planar(),
                Reading::Load(load, _) => system.model().loads[load].element.rows() < WRENCH,
            };
            values[..if planar { 2 } else { 3 }].to_vec()
        };
        let all = self.forces.iter().zip(values.chunks(WRENCH));
        all.map(|(force, values)| (force.name.as_str(), of_one(force, values))).collect()
    }

    /// `place`: where a force acts.
    fn by_rows(
        &self,
        system: &System,
        at: &Point,
        out: &mut [f64],
        place: impl Fn(&Force) -> [f64; 3],
    ) {
        let (u, lambda, psi) = (at.a(), at.lambda(), at.psi());
        let (mut s, mut r) = (vec![0.0; lambda.len()], vec![0.0; psi.len()]);
        let mut pieces = Residual::new(&system.dims());
        let batch_of = |force: &Force| match force.by {
            Reading::Rows { batch, .. } => Some(batch),
            Reading::Load(..) => None,
        };
        let batches = self.forces.iter().filter_map(batch_of).max().map_or(0, |most| most + 1);
        for batch in 0..batches {
            let of_batch =
                || self.forces.iter().enumerate().filter(|x| batch_of(x.1) == Some(batch));
            s.fill(0.0);
            r.fill(0.0);
            for (_, force) in of_batch() {
                let Reading::Rows { rows, .. } = &force.by else { continue };
                rows[0].iter().for_each(|&row| s[row] = lambda[row]);
                rows[1].iter().for_each(|&row| r[row] = psi[row]);
            }
            let weights = Weights { u, s: &s, r: &r };
            system.eval(at, &weights, Want::REACTION, &mut pieces);
            for (k, force) in of_batch() {
                let Reading::Rows { body, .. } = force.by else { continue };
                let info = &self.bodies[body].info;
                let acts = |i: usize| -force.sign * pieces.reaction[info.coords[i]];
                let wrench = wrench(info, at.q(), acts, || place(force));
                out[WRENCH * k..][..WRENCH].copy_from_slice(&wrench);
            }
        }
    }

    /// `released`: the model with its joints released, and the point there.
    fn by_loads(
        &self,
        system: &System,
        at: &Point,
        released: Option<(&System, Point)>,
        out: &mut [f64],
    ) {
        let (model, y) = match &released {
            Some((system, point)) => (system.model(), point.flat()),
            None => (system.model(), at.flat()),
        };
        let mut values = Vec::new();
        for (k, force) in self.forces.iter().enumerate() {
            let Reading::Load(load, instance) = force.by else { continue };
            model.loads[load].element.values(instance, y, &mut values);
            let out = &mut out[WRENCH * k..][..WRENCH];
            match values[..] {
                [x, y, torque] => out.copy_from_slice(&[x, y, 0.0, 0.0, 0.0, torque]),
                _ => out.iter_mut().zip(&values).for_each(|(out, value)| *out = *value),
            }
            out.iter_mut().for_each(|x| *x *= force.sign);
        }
    }
}

/// Where an anchor is.
fn place(anchor: Anchor, poses: &[Pose], moving: &[f64]) -> [f64; 3] {
    match anchor {
        Anchor::Ground(at) => at,
        Anchor::Body(body, local) => poses[body].point(local),
        Anchor::Moving(c) => std::array::from_fn(|i| moving[c + i]),
    }
}

/// Force and torque about a place, of generalized forces on the coordinates of a body.
fn wrench(
    body: &BodyInfo,
    q: &[f64],
    acts: impl Fn(usize) -> f64,
    place: impl Fn() -> [f64; 3],
) -> [f64; WRENCH] {
    let force = match body.kind.is_planar() {
        true => [acts(0), acts(1), 0.0],
        false => [acts(0), acts(1), acts(2)],
    };
    let coords = |first: usize| move |k: usize| num::<f64>(q[body.coords[first + k]]);
    let origin: [f64; 3] = match body.kind.is_planar() {
        true => [q[body.coords[0]], q[body.coords[1]], 0.0],
        false => std::array::from_fn(|k| q[body.coords[k]]),
    };
    let about_origin = match body.kind {
        BodyKind::Planar => [0.0, 0.0, acts(2)],
        BodyKind::Spatial => {
            // What acts on Euler parameters does the work of the torque: its component along an axis of the body is
            // their sum over the rates of a turn about that.
            let e = std::array::from_fn(coords(3));
            let along = |axis: usize| -> f64 {
                let omega = std::array::from_fn(|k| num(if k == axis { 1.0 } else { 0.0 }));
                let rates = euler_rate(e, omega);
                (0..4).map(|k| acts(3 + k) * rates[k].value()).sum()
            };
            let numbers: Vec<f64> = body.coords.iter().map(|&k| q[k]).collect();
            let axes = Pose::new(body.kind, &numbers).rotation;
            let local: [f64; 3] = std::array::from_fn(along);
            std::array::from_fn(|i| (0..3).map(|j| axes[i][j] * local[j]).sum())
        }
        // A point takes no torque.
        BodyKind::PlanarMass | BodyKind::PointMass => {
            return std::array::from_fn(|k| if k < 3 { force[k] } else { 0.0 });
        }
    };
    let place = place();
    let arm: [f64; 3] = std::array::from_fn(|i| place[i] - origin[i]);
    let moment = cross(arm.map(num::<f64>), force.map(num::<f64>)).map(|x| x.value());
    std::array::from_fn(|k| if k < 3 { force[k] } else { about_origin[k - 3] - moment[k - 3] })
}

/// What a model says of the joint that a statement notes.
fn load_of(loads: &[Load], one: &Held) -> Option<(usize, usize)> {
    let named = |load: &Load| match load.is_array {
        false => load.name == one.name,
        true => one.name == format!("{}[{}]", load.name, one.instance),
    };
    match one.by {
        Stated::Load(load) => Some((load, one.instance)),
        Stated::Group(_) => loads.iter().position(named).map(|load| (load, one.instance)),
    }
}

/// The forces of what is held. Of a statement that notes several joints it is not known which does what.
pub(super) fn of(model: &Model, held: Vec<Held>) -> Vec<Force> {
    let mut stated: HashMap<(Stated, usize), usize> = HashMap::new();
    held.iter().for_each(|one| *stated.entry((one.by, one.instance)).or_default() += 1);
    let alone = |one: &&Held| stated[&(one.by, one.instance)] == 1;
    let mut forces: Vec<Force> = Vec::new();
    // Of each batch the coordinates that its joints read.
    let mut taken: Vec<(HashSet<usize>, HashSet<usize>)> = Vec::new();
    for one in held.iter().filter(alone) {
        if forces.len() > MOST {
            break;
        }
        let [first, second] = one.anchors;
        let (body, sign) = match (first, second) {
            (_, Anchor::Body(body, _)) => (body, 1.0),
            (Anchor::Body(body, _), Anchor::Ground(_)) => (body, -1.0),
            _ => continue,
        };
        // On a plane or a line only the second body is somewhere; of a rod it is its second end.
        let at = match (one.look, sign > 0.0) {
            (Look::Joint(_), false) => first,
            _ => second,
        };
        let name = one.name.clone();
        if let Some((load, instance)) = load_of(&model.loads, one) {
            // That of the ground is what is said of the second body.
            forces.push(Force { name, at, sign: 1.0, by: Reading::Load(load, instance) });
            continue;
        }
        let Stated::Group(group) = one.by else { continue };
        let group = &model.groups[group];
        let (mut rows, mut reads) = ([Vec::new(), Vec::new()], HashSet::new());
        for (term, kind) in [(Term::React, 0), (Term::ReactPsi, 1)] {
            if !group.terms().contains(&term) {
                continue;
            }
            let mut places = Vec::new();
            group.entries(term, one.instance, &mut places);
            for (coord, row) in places.into_iter().flatten() {
                reads.insert(coord as usize);
                rows[kind].push(row as usize);
            }
        }
        rows.iter_mut().for_each(|rows| {
            rows.sort_unstable();
            rows.dedup();
        });
        let coords = &model.bodies[body].coords;
        if !coords.iter().any(|coord| reads.contains(coord)) {
            continue;
        }
        // What is read of one must not be touched by another, neither way.
        let free = |(read, touched): &(HashSet<usize>, HashSet<usize>)| {
            coords.iter().all(|coord| !touched.contains(coord))
                && reads.iter().all(|coord| !read.contains(coord))
        };
        let batch = taken.iter().position(free).unwrap_or_else(|| {
            taken.push(Default::default());
            taken.len() - 1
        });
        taken[batch].0.extend(coords);
        taken[batch].1.extend(&reads);
        forces.push(Force { name, at, sign, by: Reading::Rows { body, rows, batch } });
    }
    if forces.len() > MOST { Vec::new() } else { forces }
}
