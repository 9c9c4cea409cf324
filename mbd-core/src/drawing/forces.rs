//! The forces of joints and rods, as arrows at the places where they act.
//!
//! A body's generalized force along its own x, y, z is the force on it, whatever the joint: so the force of a
//! joint on a body is what its rows alone add to the equations of motion there, −Gᵀλ − Kᵀψ. Joints that
//! have no body in common are evaluated together, with the multipliers of all others zero: two
//! evaluations for a chain, however long it is.

use super::items::{Anchor, Drawing, Force, Look};
use crate::assembly::{Point, Residual, System, Term, Want, Weights};
use crate::model::Model;
use std::collections::HashSet;

/// Forces followed, at most; where there are more, none is.
const MOST: usize = 500;

/// A joint or rod, by the statement that notes it.
pub(super) struct Held {
    pub(super) group: usize,
    pub(super) instance: usize,
    pub(super) name: String,
    /// On its first and its second frame.
    pub(super) anchors: [Anchor; 2],
    pub(super) look: Look,
}

impl Force {
    /// How many components it has: two in the plane, three in space.
    pub fn axes(&self) -> usize {
        self.coords.len()
    }
}

impl Drawing {
    /// Appends the forces at a point, three numbers each, in the ground's axes.
    pub fn sample_forces(&self, system: &System, at: &Point, out: &mut Vec<f64>) {
        let first = out.len();
        out.resize(first + 3 * self.forces.len(), 0.0);
        let out = &mut out[first..];
        let (u, lambda, psi) = (at.a(), at.lambda(), at.psi());
        let (mut s, mut r) = (vec![0.0; lambda.len()], vec![0.0; psi.len()]);
        let mut pieces = Residual::new(&system.dims());
        let batches = self.forces.iter().map(|force| force.batch + 1).max().unwrap_or(0);
        for batch in 0..batches {
            let of_batch = || self.forces.iter().enumerate().filter(|(_, f)| f.batch == batch);
            s.fill(0.0);
            r.fill(0.0);
            for (_, force) in of_batch() {
                force.rows[0].iter().for_each(|&row| s[row] = lambda[row]);
                force.rows[1].iter().for_each(|&row| r[row] = psi[row]);
            }
            let weights = Weights { u, s: &s, r: &r };
            system.eval(at, &weights, Want::REACTION, &mut pieces);
            for (k, force) in of_batch() {
                for (i, &coord) in force.coords.iter().enumerate() {
                    out[3 * k + i] = -force.sign * pieces.reaction[coord];
                }
            }
        }
    }
}

/// The forces of what is held. Of a statement that notes several joints it is not known which does what.
pub(super) fn of(model: &Model, held: Vec<Held>) -> Vec<Force> {
    let alone = |one: &Held| {
        let same = |other: &&Held| (other.group, other.instance) == (one.group, one.instance);
        held.iter().filter(same).count() == 1
    };
    let mut forces: Vec<Force> = Vec::new();
    // Of each batch the coordinates that its joints read.
    let mut taken: Vec<(HashSet<usize>, HashSet<usize>)> = Vec::new();
    for one in held.iter().filter(|one| alone(one)) {
        let group = &model.groups[one.group];
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
        let [first, second] = one.anchors;
        let (body, sign) = match (first, second) {
            (_, Anchor::Body(body, _)) => (body, 1.0),
            (Anchor::Body(body, _), Anchor::Ground(_)) => (body, -1.0),
            _ => continue,
        };
        let info = &model.bodies[body];
        let count = if info.kind.is_planar() { 2 } else { 3 };
        let coords: Vec<usize> = info.coords[..count].to_vec();
        if reads.is_empty() || !coords.iter().any(|coord| reads.contains(coord)) {
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
        taken[batch].0.extend(&coords);
        taken[batch].1.extend(&reads);
        // On a plane or a line only the second body is somewhere; of a rod it is its second end.
        let at = match (one.look, sign > 0.0) {
            (Look::Joint(_), false) => first,
            _ => second,
        };
        forces.push(Force { name: one.name.clone(), at, coords, sign, rows, batch });
    }
    if forces.len() > MOST { Vec::new() } else { forces }
}
