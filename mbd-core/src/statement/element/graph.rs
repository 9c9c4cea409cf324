//! A statement written down in a graph, with the directions that it is differentiated along there.

use super::element::{Element, NO_SIDE};
use crate::equation::SlotKind;
use crate::graph::{Node, Recorder, Source};

impl Element {
    /// Writes the rows of instance `i` down in `graph`; `None` when they compare values.
    pub(crate) fn record(&self, i: usize, y: &[f64], graph: &mut Recorder) -> Option<Vec<Node>> {
        if let Some(carried) = &self.carried
            && graph.builds()
            && !self.compares
        {
            return carried.record(self, y, graph);
        }
        self.recorded_held(i, y, |work| graph.write(&work.tape, self.source(i), self.rests(i)))
    }

    /// Which inputs nothing moves: parameters, and what events set.
    pub(super) fn rests(&self, i: usize) -> impl Fn(usize) -> bool {
        let (locals, params) = (self.list.flat(i).len(), self.list.params(i));
        move |k| {
            let param = k.checked_sub(locals).and_then(|param| params.get(param));
            param.is_some_and(|&flat| !self.is_of_input(flat))
        }
    }

    /// The nodes of the inputs of instance `i`.
    pub(super) fn source(&self, i: usize) -> impl FnMut(&mut Recorder, usize) -> Node {
        let (flat, params) = (self.list.flat(i), self.list.params(i));
        let own = flat.len() + params.len();
        move |graph, k| {
            let (source, flat) = match (flat.get(k), k.checked_sub(own)) {
                (Some(&local), _) => (Source::Point, local),
                (None, None) => (Source::Param, params[k - flat.len()]),
                (None, Some(side)) => {
                    (Source::Point, self.sides.held(i).nth(side).unwrap_or(NO_SIDE))
                }
            };
            graph.input(source, flat as usize)
        }
    }

    /// The nodes of the locals of `kind`, with the index of each within its kind; once where
    /// several locals are one scalar.
    pub(crate) fn nodes(
        &self,
        i: usize,
        kind: SlotKind,
        graph: &mut Recorder,
    ) -> Vec<(usize, Node)> {
        let mut nodes: Vec<(usize, Node)> = Vec::new();
        for k in self.of_kind(kind) {
            let slot = self.slot(i, k);
            if nodes.iter().all(|x| x.0 != slot) {
                let flat = self.list.flat(i)[k] as usize;
                nodes.push((slot, graph.input(Source::Point, flat)));
            }
        }
        nodes
    }

    /// The direction of [`motion`](Self::motion) as (input, direction).
    pub(crate) fn moving(&self, i: usize, graph: &mut Recorder) -> Vec<(Node, Node)> {
        let v = self.layout.map_or(0, |l| l.range(SlotKind::V).start);
        let one = graph.constant(1.0);
        let mut seeds: Vec<(Node, Node)> =
            self.nodes(i, SlotKind::T, graph).into_iter().map(|(_, t)| (t, one)).collect();
        for (slot, q) in self.nodes(i, SlotKind::Q, graph) {
            seeds.push((q, graph.input(Source::Point, v + slot)));
        }
        seeds
    }

    /// t as (input, 1), where it is read: the direction of derivatives by time alone.
    pub(crate) fn clock(&self, i: usize, graph: &mut Recorder) -> Vec<(Node, Node)> {
        let one = graph.constant(1.0);
        self.nodes(i, SlotKind::T, graph).into_iter().map(|(_, t)| (t, one)).collect()
    }

    /// The rates of scalars of a kind: (input, rate) for each local.
    pub(crate) fn rates(
        &self,
        i: usize,
        (kind, rate): (SlotKind, SlotKind),
        graph: &mut Recorder,
    ) -> Vec<(Node, Node)> {
        let first = self.layout.map_or(0, |l| l.range(rate).start);
        let nodes = self.nodes(i, kind, graph);
        nodes.into_iter().map(|(slot, x)| (x, graph.input(Source::Point, first + slot))).collect()
    }
}
