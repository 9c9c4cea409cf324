//! Statements of few instances in one graph, and kinetic energies that are added up before they are
//! differentiated.

use super::class::{Class, Statement};
use super::instances::MANY;
use super::writes::Writes;
use crate::equation::{Term, Want};
use crate::graph::{Energy, Input, Map, Node, Pieces};

/// Size at which a sheet is closed and another begun: derivatives come on top.
pub(super) const SHEET: usize = 5_000;

/// Kinetic energies that have coordinates in common, and what acts on these.
#[derive(Debug, Default)]
pub(super) struct Coupled {
    pub(super) energies: Vec<usize>,
    pub(super) others: Vec<usize>,
}

/// The kinetic energies of few instances that have coordinates in common with others, and what acts on these, under
/// the first of each set.
pub(super) fn coupled(groups: &[impl Writes]) -> Map<usize, Coupled> {
    // Of each group the first one it is connected with so far.
    let mut first: Vec<usize> = (0..groups.len()).collect();
    fn root(first: &mut [usize], mut group: usize) -> usize {
        while first[group] != group {
            first[group] = first[first[group]];
            group = first[group];
        }
        group
    }
    let mut of_coordinate: Map<usize, usize> = Map::default();
    for (index, group) in groups.iter().enumerate().filter(|x| x.1.instances() < MANY) {
        for coordinate in (0..group.instances()).flat_map(|i| group.moved(i)) {
            let known = *of_coordinate.entry(coordinate).or_insert(index);
            let (a, b) = (root(&mut first, known), root(&mut first, index));
            first[a.max(b)] = a.min(b);
        }
    }
    let mut sets: Map<usize, Coupled> = Map::default();
    for index in 0..groups.len() {
        let of = root(&mut first, index);
        sets.entry(of).or_default().energies.push(index);
    }
    sets.retain(|_, set| set.energies.len() > 1);
    if sets.is_empty() {
        return sets;
    }
    for (index, group) in groups.iter().enumerate().filter(|x| x.1.instances() < MANY) {
        // What is between two sets goes to the first that it acts on.
        let mut acts_on = (0..group.instances()).flat_map(|i| group.acts_on(i));
        let set = acts_on.find_map(|coordinate| {
            let energy = of_coordinate.get(&coordinate)?;
            let of = root(&mut first, *energy);
            sets.contains_key(&of).then_some(of)
        });
        if let Some(set) = set.and_then(|of| sets.get_mut(&of)) {
            set.others.push(index);
        }
    }
    let first = |set: &Coupled| set.energies.iter().chain(&set.others).copied().min();
    sets.into_values().filter_map(|set| Some((first(&set)?, set))).collect()
}

/// Statements of few instances in one graph, so that they share what they have in common.
#[derive(Default)]
pub(super) struct Sheet {
    pieces: Pieces,
    statements: Vec<Statement>,
    rows: Vec<(Want, Node)>,
    places: Vec<u32>,
}

impl Sheet {
    pub(super) fn is_full(&self, largest: usize) -> bool {
        self.pieces.graph().ops().len() > largest
    }

    /// Writes down all instances of a group, or none.
    pub(super) fn write(
        &mut self,
        group: &impl Writes,
        index: usize,
        initial: &[f64],
    ) -> Option<()> {
        let before = (self.statements.len(), self.rows.len());
        let mut written = Some(());
        for i in 0..group.instances() {
            let mark = self.pieces.graph().mark();
            self.pieces.rows_mut().clear();
            written = group
                .pieces(i, initial, &mut self.pieces)
                .filter(|()| !self.pieces.graph().is_full());
            if written.is_none() {
                self.pieces.rewind(mark);
                self.statements.truncate(before.0);
                self.rows.truncate(before.1);
                self.places.truncate(before.1);
                break;
            }
            let rows = std::mem::take(self.pieces.rows_mut());
            self.add(vec![index], rows.iter().copied());
            *self.pieces.rows_mut() = rows;
        }
        written
    }

    /// Writes groups down whose instances are differentiated together, and gives those that are expressions; none
    /// where together they are too large.
    pub(super) fn act_together(
        &mut self,
        groups: &[impl Writes],
        acting: &[usize],
        initial: &[f64],
    ) -> Vec<usize> {
        let mark = self.pieces.graph().mark();
        let before = (self.statements.len(), self.rows.len());
        self.pieces.keep_acts();
        let mut written = Vec::new();
        for &index in acting {
            let acts = self.pieces.acts_mark();
            match self.write(&groups[index], index, initial) {
                Some(()) => written.push(index),
                None => self.pieces.rewind_acts(acts),
            }
        }
        for rows in self.pieces.together() {
            let is = |term: &Term| rows.iter().any(|row| row.0 == term.differentiated().0);
            let (mut of, mut offered_by): (Vec<usize>, Vec<(Term, usize)>) = Default::default();
            for &group in &written {
                for term in groups[group].terms().into_iter().filter(is) {
                    of.push(group);
                    if offered_by.iter().all(|known| known.0 != term) {
                        offered_by.push((term, group));
                    }
                }
            }
            of.dedup();
            // A constant force has no derivatives, and belongs to somebody all the same.
            if of.is_empty() {
                of.clone_from(&written);
            }
            self.add(of, rows.into_iter());
            if let Some(statement) = self.statements.last_mut() {
                statement.offered_by = offered_by;
            }
        }
        if self.pieces.graph().is_full() {
            self.pieces.rewind(mark);
            self.statements.truncate(before.0);
            self.rows.truncate(before.1);
            self.places.truncate(before.1);
            written.clear();
        }
        written
    }

    /// Writes the sum of kinetic energies down and gives the groups that are in it: those that are
    /// expressions, or none where it is too large.
    pub(super) fn add_up(
        &mut self,
        groups: &[impl Writes],
        coupled: &[usize],
        initial: &[f64],
    ) -> Vec<usize> {
        let mark = self.pieces.graph().mark();
        self.pieces.rows_mut().clear();
        let mut sum: Option<Energy> = None;
        let mut of = Vec::new();
        for &group in coupled {
            let instances = 0..groups[group].instances();
            let pieces = &mut self.pieces;
            let all: Option<Vec<Energy>> =
                instances.map(|i| groups[group].energy(i, initial, pieces)).collect();
            for energy in all.into_iter().flatten() {
                // What a term of the sum offers, its first group has to.
                let at = if energy.has_force { 0 } else { of.len() };
                if !of.contains(&group) {
                    of.insert(at, group);
                }
                match &mut sum {
                    Some(sum) => sum.join(energy, pieces),
                    None => sum = Some(energy),
                }
            }
        }
        if let Some(sum) = &sum {
            sum.write(&mut self.pieces);
        }
        if self.pieces.graph().is_full() {
            self.pieces.rewind(mark);
            return Vec::new();
        }
        let rows = std::mem::take(self.pieces.rows_mut());
        if sum.is_some() {
            self.add(of.clone(), rows.iter().copied());
        }
        *self.pieces.rows_mut() = rows;
        of
    }

    pub(super) fn add(
        &mut self,
        groups: Vec<usize>,
        rows: impl Iterator<Item = (Want, usize, Node)>,
    ) {
        let first = self.rows.len();
        for (want, row, node) in rows {
            self.rows.push((want, node));
            self.places.push(row as u32);
        }
        let rows = first..self.rows.len();
        let roots: Vec<Node> = self.rows[rows.clone()].iter().map(|row| row.1).collect();
        let inputs = self.pieces.graph_mut().inputs_of(&roots);
        self.statements.push(Statement { groups, offered_by: Vec::new(), rows, inputs });
    }

    /// Takes over the members of a class.
    pub(super) fn take(&mut self, class: &Class) {
        let roots: Vec<Node> = class.rows.iter().map(|row| row.1).collect();
        for member in 0..class.members {
            let inputs: Vec<Input> = (0..class.reads as u32)
                .map(|k| (class.graph.inputs()[k as usize].0, class.input(member, k)))
                .collect();
            let nodes = self.pieces.graph_mut().import(&class.graph, &roots, &inputs);
            let rows = class.rows.iter().zip(class.places(member)).zip(nodes);
            let rows = rows.map(|((row, &place), node)| (row.0, place as usize, node));
            self.add(class.statements[0].groups.clone(), rows);
        }
    }

    pub(super) fn finish(self) -> Option<Class> {
        let Sheet { pieces, statements, rows, places } = self;
        let graph = pieces.into_graph();
        (!statements.is_empty()).then(|| Class {
            reads: graph.inputs().len(),
            inputs: graph.inputs().iter().map(|input| input.1).collect(),
            graph,
            statements,
            rows,
            members: 1,
            places,
            ..Default::default()
        })
    }
}
