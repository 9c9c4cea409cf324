//! What acts along expressions is differentiated and added to the pieces: one by one, or, where it was kept, together.

use super::act::{Act, Acting, Acts, ActsMark};
use super::graph::Graph;
use super::op::Node;
use super::recorder::Pieces;
use crate::equation::{Residual, Want};

impl Pieces {
    /// Adds what weights do along expressions.
    pub(crate) fn act(&mut self, kind: Acting, weighted: &[(Node, Node)], on: &[(usize, Node)]) {
        if let Some(acts) = &mut self.acts {
            let on = || on.to_vec();
            let act = |&(along, weight): &(Node, Node)| Act { kind, along, weight, on: on() };
            acts.all.extend(weighted.iter().map(act));
            return;
        }
        let inputs: Vec<Node> = on.iter().map(|x| x.1).collect();
        for &(along, weight) in weighted {
            let slopes = self.graph.gradient(along, &inputs);
            for (&on, slope) in on.iter().zip(slopes) {
                let part = self.graph.mul(slope, weight);
                self.put(kind, on, part);
            }
        }
    }

    fn put(&mut self, kind: Acting, (slot, input): (usize, Node), part: Node) {
        if kind == Acting::Dissipation {
            let power = self.graph.mul(input, part);
            self.add(Want::BALANCE, Residual::DISSIPATED, power);
        }
        for &(want, sign) in kind.pieces() {
            if sign > 0.0 {
                self.add(want, slot, part);
            } else {
                self.sub(want, slot, part);
            }
        }
    }

    /// Adds the power of forces along expressions of coordinates that move at `rates`.
    pub(crate) fn work(&mut self, forces: &[(Node, Node)], rates: &[(Node, Node)]) {
        if let Some(acts) = &mut self.acts {
            acts.work.extend(forces);
            acts.rates.extend(rates);
            return;
        }
        for &(along, force) in forces {
            let speed = self.graph.along(&[along], rates)[0];
            let power = self.graph.mul(speed, force);
            self.add(Want::BALANCE, Residual::WORK, power);
        }
    }

    /// From now on keeps what acts.
    pub(crate) fn keep_acts(&mut self) {
        self.acts = Some(Acts::default());
    }

    /// How much was kept, to come back to.
    pub(crate) fn acts_mark(&self) -> ActsMark {
        let acts = self.acts.as_ref();
        acts.map_or(ActsMark(0, 0, 0), |x| ActsMark(x.all.len(), x.work.len(), x.rates.len()))
    }

    /// Forgets what was kept since.
    pub(crate) fn rewind_acts(&mut self, ActsMark(all, work, rates): ActsMark) {
        if let Some(acts) = &mut self.acts {
            acts.all.truncate(all);
            acts.work.truncate(work);
            acts.rates.truncate(rates);
        }
    }

    /// Writes what was kept, all of a kind by one pass; the rows of each kind.
    pub(crate) fn together(&mut self) -> Vec<Vec<(Want, usize, Node)>> {
        let Some(Acts { all, work, mut rates }) = self.acts.take() else { return Vec::new() };
        let mut written = Vec::new();
        for kind in Acting::ALL {
            self.rows_mut().clear();
            let of_kind = all.iter().filter(|act| act.kind == kind);
            let weighted: Vec<(Node, Node)> =
                of_kind.clone().map(|act| (act.along, act.weight)).collect();
            let mut on: Vec<(usize, Node)> =
                of_kind.flat_map(|act| act.on.iter().copied()).collect();
            on.sort_unstable();
            on.dedup();
            let inputs: Vec<Node> = on.iter().map(|x| x.1).collect();
            let parts = self.graph_mut().pull_back(&weighted, &inputs);
            for (&on, part) in on.iter().zip(parts).filter(|x| x.1 != Graph::ZERO) {
                self.put(kind, on, part);
            }
            if kind == Acting::Force {
                rates.sort_unstable();
                rates.dedup();
                let along: Vec<Node> = work.iter().map(|x| x.0).collect();
                let speeds = self.graph_mut().along(&along, &rates);
                for (&(_, force), speed) in work.iter().zip(speeds) {
                    let power = self.graph.mul(speed, force);
                    self.add(Want::BALANCE, Residual::WORK, power);
                }
            }
            if !self.rows().is_empty() {
                written.push(std::mem::take(self.rows_mut()));
            }
        }
        written
    }
}
