//! What programs of a class compute: residual pieces and the entries of a matrix, those of one place
//! added up.

use super::class::{Class, Derivative, Slope};
use super::spaces::{column, variable};
use crate::equation::{Dims, Layout, Residual, Term, Want};
use crate::graph::{Graph, Hoisted, Map, Node, Source};
use crate::program::batch::{Batch, MATRIX, NOWHERE};
use crate::program::factors::Factors;

/// Where a term goes in a matrix and which coefficient scales it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    pub(crate) term: Term,
    pub(crate) row: usize,
    pub(crate) col: usize,
    pub(crate) coefficient: usize,
}

/// An output of a class.
pub(super) struct Output {
    /// Its piece, or [`MATRIX`].
    pub(super) piece: usize,
    pub(super) node: Node,
    pub(super) at: At,
    pub(super) group: usize,
}

/// How to find the place of an output for a member.
#[derive(Clone, Copy)]
pub(super) enum At {
    /// It is known.
    Place(u32),
    /// That of a row of the class.
    Row(usize),
    /// By the row, the input it is differentiated by, and where the term goes.
    Entry(usize, u32, Placement),
}

impl Class {
    /// The wanted residual pieces.
    pub(super) fn pieces(&mut self, want: Want, plain: &[usize]) -> Vec<Output> {
        let mut sums = Sums::default();
        for statement in self.statements.iter().filter(|s| !s.is_one_of(plain)) {
            for row in statement.rows.clone() {
                let (piece, node) = self.rows[row];
                if want.has(piece) {
                    let piece = Residual::index(piece);
                    let output =
                        Output { piece, node, at: At::Row(row), group: statement.groups[0] };
                    sums.add(&mut self.graph, (piece, self.places[row]), None, output);
                }
            }
        }
        sums.finish(&mut self.graph)
    }

    /// Zeros at the places of the wanted pieces that no output goes to.
    pub(super) fn zeros(&self, want: Want, dims: &Dims, outputs: &mut Vec<Output>) {
        let Some(group) = self.statements.first().map(|s| s.groups[0]) else { return };
        for (wanted, _, values) in Residual::new(dims).pieces() {
            if want.has(wanted) {
                let piece = Residual::index(wanted);
                let mut missing = vec![true; values.len()];
                for output in outputs.iter().filter(|output| output.piece == piece) {
                    if let At::Row(row) = output.at {
                        missing[self.places[row] as usize] = false;
                    }
                }
                let places = (0..).zip(missing).filter(|x| x.1).map(|x| At::Place(x.0));
                outputs.extend(places.map(|at| Output { piece, node: Graph::ZERO, at, group }));
            }
        }
    }

    /// The entries of a matrix; `offered` are the terms of each group, and what has no `position` in any member is left out: its
    /// row and column may be those of a block that begins where one without places does.
    pub(super) fn entries(
        &mut self,
        layout: &Layout,
        offered: &[Vec<Term>],
        placements: &[Placement],
        factors: &Factors,
        plain: &[usize],
        position: impl Fn(&Placement, u32, u32) -> Option<u32>,
    ) -> Vec<Output> {
        let mut sums = Sums::default();
        for s in 0..self.statements.len() {
            let group = self.statements[s].groups[0];
            let placements = if self.statements[s].is_one_of(plain) { &[] } else { placements };
            let offers = |p: &&Placement| self.statements[s].offers(offered, p.term);
            let here: Vec<Placement> = placements.iter().filter(offers).copied().collect();
            for placement in &here {
                let (want, kind) = placement.term.differentiated();
                let source = variable(placement.term);
                let by = Derivative { statement: s, want, source, kind };
                let derivative = self.differentiate(layout, by);
                let (sign, factor) = factors.factor(placement.coefficient);
                for &Slope { row, input, node } in &self.derivatives[derivative].1 {
                    let node = self.graph.scale(sign, node);
                    let known = self.graph.inputs()[input as usize];
                    let Some(col) = column(layout, source, kind, known) else { continue };
                    let is_nowhere = |member: usize| {
                        let known = (known.0, self.input(member, input));
                        let col = column(layout, source, kind, known);
                        let at = col.map(|col| position(placement, self.places(member)[row], col));
                        at == Some(Some(NOWHERE))
                    };
                    if (0..self.members).all(is_nowhere) {
                        continue;
                    }
                    let key =
                        (placement.row + self.places[row] as usize, placement.col as u32 + col);
                    let at = At::Entry(row, input, *placement);
                    let output = Output { piece: MATRIX, node, at, group };
                    sums.add(&mut self.graph, key, factor, output);
                }
            }
        }
        sums.finish(&mut self.graph)
    }

    /// Makes a program of outputs, if there are any; the group of one that has no place where it
    /// should have.
    pub(super) fn batch(
        &mut self,
        outputs: &[Output],
        replaces: bool,
        hoisted: Option<&mut Hoisted>,
        place: impl Fn(&Class, usize, &Output) -> Option<u32>,
    ) -> Result<Option<Batch>, usize> {
        let mut places = Vec::with_capacity(outputs.len() * self.members);
        for member in 0..self.members {
            for output in outputs {
                places.push(place(self, member, output).ok_or(output.group)?);
            }
        }
        let len = outputs.len();
        let mut some: Vec<usize> =
            (0..len).filter(|&o| self.members > 1 || places[o] != NOWHERE).collect();
        if some.is_empty() {
            return Ok(None);
        }
        // What is computed together is added together.
        some.sort_by_key(|&o| (outputs[o].piece, outputs[o].node));
        let roots: Vec<(usize, Node)> =
            some.iter().map(|&o| (outputs[o].piece, outputs[o].node)).collect();
        let Class { graph, reads, inputs, members, .. } = self;
        let coefficients: Vec<u32> = graph.inputs()[*reads..].iter().map(|x| x.1).collect();
        let input = |member: usize, k: u32| match (k as usize).checked_sub(*reads) {
            None => inputs[member * *reads + k as usize],
            Some(k) => coefficients[k],
        };
        let place = |m: usize, o: usize| places[m * len + some[o]];
        Ok(Some(Batch::new(graph, &roots, *members, replaces, hoisted, input, place)))
    }
}

/// Outputs, those of one place added up.
#[derive(Default)]
struct Sums {
    /// With what belongs to other coefficients than the output itself does.
    outputs: Vec<(Output, Option<usize>, Vec<(Option<usize>, Node)>)>,
    at: Map<(usize, u32), usize>,
}

impl Sums {
    /// Adds an output, to be multiplied by a coefficient.
    fn add(
        &mut self,
        graph: &mut Graph,
        key: (usize, u32),
        coefficient: Option<usize>,
        output: Output,
    ) {
        let next = self.outputs.len();
        let known = *self.at.entry(key).or_insert(next);
        if known == next {
            self.outputs.push((output, coefficient, Vec::new()));
            return;
        }
        // What is multiplied by one coefficient is added up first.
        let (sum, own, others) = &mut self.outputs[known];
        let sum = match others.iter_mut().find(|other| other.0 == coefficient) {
            _ if *own == coefficient => &mut sum.node,
            Some(other) => &mut other.1,
            None => return others.push((coefficient, output.node)),
        };
        *sum = graph.add(*sum, output.node);
    }

    /// Those that are not zero.
    fn finish(self, graph: &mut Graph) -> Vec<Output> {
        let whole = |(mut output, own, others): (Output, _, Vec<_>)| {
            let first = (own, output.node);
            output.node = Graph::ZERO;
            for (coefficient, node) in std::iter::once(first).chain(others) {
                let part = match coefficient {
                    Some(k) => {
                        let coefficient = graph.input(Source::Coefficient, k);
                        graph.mul(coefficient, node)
                    }
                    None => node,
                };
                output.node = graph.add(output.node, part);
            }
            output
        };
        let outputs = self.outputs.into_iter().map(whole);
        outputs.filter(|output| output.node != Graph::ZERO).collect()
    }
}
