//! Classes whose derivatives are taken by numbers, since written down they would be too many.

use super::class::{Class, Places, Statement};
use super::outputs::Placement;
use super::spaces::{column, variable};
use crate::equation::{Layout, Residual, SlotKind, Term, Want};
use crate::graph::{Graph, Map, Node, Source};
use crate::program::batch::{NOWHERE, Sources};
use crate::program::factors::Factors;
use crate::program::sweep::{Lane, Sweep, moving};
use std::cell::RefCell;

/// Operations of derivatives, each counted for the columns it is in, from which on they are not written down.
const MOST: usize = 150_000;

/// Columns whose dependence is looked at together.
const WIDTH: usize = u64::BITS as usize;

/// Which expressions depend on which inputs.
pub(super) struct Dependence {
    tape: Vec<Node>,
    inputs: Vec<Node>,
    /// Of each node of the tape the inputs of a chunk that it depends on, one bit each.
    chunks: Vec<Vec<u64>>,
}

impl Dependence {
    fn new(graph: &mut Graph, roots: &[Node], inputs: Vec<Node>) -> Self {
        let tape = graph.tape(roots);
        let of_chunk = |columns: &[Node]| {
            let mut depends = vec![0u64; tape.len()];
            for (c, input) in columns.iter().enumerate() {
                if let Ok(k) = tape.binary_search(input) {
                    depends[k] |= 1 << c;
                }
            }
            for (k, &node) in tape.iter().enumerate() {
                for x in moving(graph.ops()[node as usize]) {
                    depends[k] |= depends[graph.place(x)];
                }
            }
            depends
        };
        let chunks = inputs.chunks(WIDTH).map(of_chunk).collect();
        Dependence { tape, inputs, chunks }
    }

    /// The numbers of the inputs that a node of the tape depends on.
    fn of(&self, node: Node) -> impl Iterator<Item = usize> {
        let place = self.tape.binary_search(&node).ok();
        place.into_iter().flat_map(move |k| {
            (0..self.inputs.len())
                .filter(move |c| self.chunks[c / WIDTH][k] >> (c % WIDTH) & 1 == 1)
        })
    }

    /// Operations, each as often as inputs move it.
    fn work(&self) -> usize {
        self.chunks.iter().flatten().map(|bits| bits.count_ones() as usize).sum()
    }
}

impl Class {
    /// Whether derivatives are taken by numbers.
    pub(super) fn is_swept(&mut self, layout: &Layout) -> bool {
        if let Some(known) = self.swept.is {
            return known;
        }
        // However sparse it is, no node is moved by more inputs than there are.
        let most = self.graph.ops().len() * self.graph.inputs().len();
        let is = self.members == 1 && most > MOST && self.work(layout) > MOST;
        self.swept.is = Some(is);
        is
    }

    /// About as many operations as the derivatives of all statements by coordinates, velocities and accelerations
    /// have.
    fn work(&mut self, layout: &Layout) -> usize {
        let mut work = 0;
        for s in 0..self.statements.len() {
            let rows = self.statements[s].rows.clone();
            let differentiated = |piece: Want| !piece.any(Want::BALANCE | Want::ENERGY);
            let roots: Vec<Node> =
                self.rows[rows].iter().filter(|row| differentiated(row.0)).map(|x| x.1).collect();
            let columns = [SlotKind::Q, SlotKind::V].map(|kind| (Source::Point, kind));
            for (source, kind) in columns.into_iter().chain([(Source::U, SlotKind::A)]) {
                let inputs = self.columns(layout, source, kind, &self.statements[s].inputs);
                let inputs = self.nodes(&inputs);
                let depends = Dependence::new(&mut self.graph, &roots, inputs);
                work += depends.work().min(roots.len() * depends.tape.len());
                if work > MOST {
                    return work;
                }
            }
        }
        work
    }

    /// Those inputs that are columns of a kind.
    fn columns(&self, layout: &Layout, source: Source, kind: SlotKind, of: &[u32]) -> Vec<u32> {
        let all = self.graph.inputs();
        let is = |k: &u32| column(layout, source, kind, all[*k as usize]).is_some();
        of.iter().copied().filter(is).collect()
    }

    fn nodes(&mut self, inputs: &[u32]) -> Vec<Node> {
        let node = |&k: &u32| {
            let (source, index) = self.graph.inputs()[k as usize];
            self.graph.input(source, index as usize)
        };
        inputs.iter().map(node).collect()
    }

    /// The rows of a piece with the inputs of a kind that they depend on, in order of rows.
    fn places_of(&mut self, layout: &Layout, term: Term) -> &Places {
        let (want, kind) = term.differentiated();
        let key = (want, variable(term), kind);
        let known = self.swept.places.iter().position(|known| known.0 == key);
        let known = known.unwrap_or_else(|| {
            let rows: Vec<usize> =
                (0..self.rows.len()).filter(|&r| self.rows[r].0 == want).collect();
            let roots: Vec<Node> = rows.iter().map(|&r| self.rows[r].1).collect();
            let all: Vec<u32> = (0..self.reads as u32).collect();
            let inputs = self.columns(layout, key.1, kind, &all);
            let nodes = self.nodes(&inputs);
            let depends = Dependence::new(&mut self.graph, &roots, nodes);
            let of_row = |(&row, &root): (&usize, &Node)| {
                depends.of(root).map(|c| (row, inputs[c])).collect::<Places>()
            };
            let places = rows.iter().zip(&roots).flat_map(of_row).collect();
            self.swept.places.push((key, places));
            self.swept.places.len() - 1
        });
        &self.swept.places[known].1
    }

    /// The rows and columns of a term in which statements have anything but zero.
    pub(super) fn entries_of(
        &mut self,
        layout: &Layout,
        term: Term,
        is: impl Fn(&Statement) -> bool,
    ) -> Vec<(u32, u32)> {
        let of: Vec<_> = self.statements.iter().filter(|s| is(s)).map(|s| s.rows.clone()).collect();
        let (_, kind) = term.differentiated();
        let source = variable(term);
        let mut entries = Vec::new();
        for rows in of {
            let places = self.places_of(layout, term);
            let first = places.partition_point(|place| place.0 < rows.start);
            let here = places[first..].iter().take_while(|place| place.0 < rows.end);
            let here: Places = here.copied().collect();
            entries.extend(here.into_iter().filter_map(|(row, input)| {
                let input = self.graph.inputs()[input as usize];
                Some((self.places[row], column(layout, source, kind, input)?))
            }));
        }
        entries
    }

    /// The derivatives of a term at a point, with the row and column of each.
    pub(super) fn once(
        &mut self,
        layout: &Layout,
        term: Term,
        sources: &Sources<'_>,
    ) -> (Vec<(u32, u32)>, Vec<f64>) {
        let placement = Placement { term, row: 0, col: 0, coefficient: 0 };
        let places = RefCell::new(Vec::new());
        let numbered = |_: &Placement, row, col| {
            let mut places = places.borrow_mut();
            places.push((row, col));
            Some(places.len() as u32 - 1)
        };
        let offers = |_: &Statement, _| true;
        let one = (&[placement][..], &Factors::new(&[1.0], false));
        let sweep = self.sweep(layout, one, offers, numbered);
        let mut values = vec![0.0; places.borrow().len()];
        if let Ok(sweep) = sweep {
            sweep.run(sources, &[1.0], &mut values);
        }
        (places.into_inner(), values)
    }

    /// The columns of a matrix, of those statements that offer its terms; else the group at fault. `position` is
    /// [`Recording::programs`](super::Recording::programs)'.
    pub(super) fn sweep(
        &mut self,
        layout: &Layout,
        (placements, factors): (&[Placement], &Factors),
        offers: impl Fn(&Statement, Term) -> bool,
        position: impl Fn(&Placement, u32, u32) -> Option<u32>,
    ) -> Result<Sweep, usize> {
        let mut lanes = Lanes::default();
        for placement in placements {
            let (_, kind) = placement.term.differentiated();
            let source = variable(placement.term);
            let mut of_row: Vec<Option<usize>> = vec![None; self.rows.len()];
            for statement in self.statements.iter().filter(|s| offers(s, placement.term)) {
                of_row[statement.rows.clone()].fill(statement.groups.first().copied());
            }
            let mut columns: Map<u32, Vec<(usize, u32)>> = Map::default();
            let mut order = Vec::new();
            for (row, input) in self.places_of(layout, placement.term).clone() {
                let Some(group) = of_row[row] else { continue };
                let known = self.graph.inputs()[input as usize];
                let Some(col) = column(layout, source, kind, known) else { continue };
                let place = position(placement, self.places[row], col).ok_or(group)?;
                let rows = columns.entry(input).or_default();
                if rows.is_empty() {
                    order.push((col, input));
                }
                rows.push((row, place));
            }
            order.sort_unstable();
            let (sign, factor) = factors.factor(placement.coefficient);
            let (want, _) = placement.term.differentiated();
            for (col, input) in order {
                let rows = columns.remove(&input).unwrap_or_default();
                let at = (want, placement.row, placement.col + col as usize);
                lanes.add(at, (input, sign, factor), rows);
            }
        }
        let lanes = lanes.finish(&self.rows);
        let inputs: Vec<u32> = self.graph.inputs().iter().map(|x| x.1).collect();
        Ok(Sweep::new(&mut self.graph, &lanes, |k| inputs[k as usize]))
    }
}

/// Columns so far, by piece, first row and column in the matrix: what goes to the same places is one direction.
#[derive(Default)]
struct Lanes {
    all: Vec<(Vec<(u32, f64, Option<usize>)>, Map<usize, u32>)>,
    at: Map<(usize, usize, usize), usize>,
}

impl Lanes {
    fn add(
        &mut self,
        (want, row, col): (Want, usize, usize),
        seed: (u32, f64, Option<usize>),
        rows: Vec<(usize, u32)>,
    ) {
        let next = self.all.len();
        let at = self.at.entry((Residual::index(want), row, col)).or_insert(next);
        if *at != next {
            let known = &mut self.all[*at];
            // A place that one of them leaves out is left out by a column of its own.
            let agree = |(row, place): &(usize, u32)| known.1.get(row).is_none_or(|x| x == place);
            if rows.iter().all(agree) {
                known.0.push(seed);
                known.1.extend(rows);
                return;
            }
            *at = next;
        }
        self.all.push((vec![seed], rows.into_iter().collect()));
    }

    fn finish(self, rows: &[(Want, Node)]) -> Vec<Lane> {
        let lane = |(seeds, places): (_, Map<usize, u32>)| {
            let results = places.into_iter().filter(|x| x.1 != NOWHERE);
            let mut results: Vec<(Node, u32)> =
                results.map(|(row, place)| (rows[row].1, place)).collect();
            results.sort_unstable_by_key(|x| x.1);
            Lane { seeds, results }
        };
        self.all.into_iter().map(lane).collect()
    }
}
