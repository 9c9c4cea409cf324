//! The residual pieces of kinetic energies.
//!
//! Statements that share coordinates, as those of the links of an arm in joint angles, are added up
//! before they are differentiated: what they have in common is then differentiated through once.

use super::graph::Graph;
use super::op::{Node, Source};
use super::recorder::Pieces;
use crate::equation::{Residual, Want};

/// A kinetic energy T(t, q, v) with what it reads.
#[derive(Clone, Debug)]
pub struct Energy {
    /// T.
    pub(crate) node: Node,
    /// Coordinates and velocities, by number and input.
    pub(crate) q: Vec<(usize, Node)>,
    pub(crate) v: Vec<(usize, Node)>,
    /// t as (input, 1), where it is read; and the directions in which t and q move.
    pub(crate) clock: Vec<(Node, Node)>,
    pub(crate) motion: Vec<(Node, Node)>,
    /// Whether it depends on coordinates or time, so that there are gyroscopic forces.
    pub(crate) has_force: bool,
}

impl Energy {
    /// Adds another one.
    pub(crate) fn join(&mut self, other: Energy, out: &mut Pieces) {
        fn more<T: PartialEq>(all: &mut Vec<T>, other: Vec<T>) {
            for x in other {
                if !all.contains(&x) {
                    all.push(x);
                }
            }
        }
        self.node = out.graph.add(self.node, other.node);
        more(&mut self.q, other.q);
        more(&mut self.v, other.v);
        more(&mut self.clock, other.clock);
        more(&mut self.motion, other.motion);
        self.has_force |= other.has_force;
    }

    /// Writes the pieces: d/dt T_v − T_q = T_vv a + T_vq v + T_vt − T_q, so M = T_vv and the force
    /// is f = T_q − T_vq v − T_vt.
    pub(crate) fn write(&self, out: &mut Pieces) {
        let Energy { node: energy, q, v, clock, motion, .. } = self;
        let graph = &mut out.graph;
        let rates: Vec<Node> = v.iter().map(|x| x.1).collect();
        let momenta = graph.gradient(*energy, &rates);
        let seeds: Vec<_> =
            v.iter().map(|&(slot, node)| (node, graph.input(Source::U, slot))).collect();
        let mu = graph.along(&momenta, &seeds);
        let by_t = graph.along(&[*energy], clock)[0];
        let mut inertial = graph.neg(*energy);
        for (&(_, v), &momentum) in v.iter().zip(&momenta) {
            let part = graph.mul(v, momentum);
            inertial = graph.add(inertial, part);
        }
        out.add(Want::BALANCE, Residual::INERTIAL, inertial);
        out.sub(Want::BALANCE, Residual::WORK, by_t);
        out.add(Want::ENERGY, Residual::KINETIC, *energy);
        v.iter().zip(mu).for_each(|(&(slot, _), mu)| out.add(Want::MU, slot, mu));
        if self.has_force {
            let graph = &mut out.graph;
            let of = |list: &[(usize, Node)], slot: usize| {
                list.iter().find(|x| x.0 == slot).map_or(Graph::ZERO, |x| x.1)
            };
            let mut slots: Vec<usize> = v.iter().chain(q).map(|x| x.0).collect();
            slots.sort_unstable();
            slots.dedup();
            let coordinates: Vec<_> =
                slots.iter().map(|&slot| (of(v, slot), of(q, slot))).collect();
            let forces = graph.inertial_force(*energy, &coordinates, motion);
            slots.into_iter().zip(forces).for_each(|(slot, force)| out.add(Want::F, slot, force));
        }
    }
}
