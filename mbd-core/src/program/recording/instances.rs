//! The instances of a loop, told apart by their graphs.

use super::class::{Class, Statement};
use super::spaces::{number, row_space, space};
use super::writes::Writes;
use crate::equation::{Layout, Want};
use crate::graph::{Input, Map, Mixer, Node, Pieces};
use crate::program::vm::WIDE;
use std::hash::{Hash, Hasher};

/// Instances from which on a class of equal graphs gets a program of its own.
pub(super) const MANY: usize = WIDE;

/// Which of an instance's numbers are the same: an instance that reads one coordinate twice is of
/// another class than one that reads two.
#[derive(Default)]
struct Identity {
    names: Vec<u64>,
    numbers: Vec<u64>,
}

impl Identity {
    /// Collects the numbers of an instance.
    fn collect(&mut self, layout: &Layout, inputs: &[Input], rows: &[(Want, usize, Node)]) {
        let inputs = inputs.iter().map(|&input| space(layout, input));
        let rows = rows.iter().map(|&(want, row, _)| row_space(want, row));
        self.numbers.clear();
        self.numbers.extend(inputs.chain(rows).map(number));
    }

    /// For each number the first that is the same, counted among those that differ.
    fn pattern(&mut self) -> Vec<u32> {
        let mut next = 0;
        let mut names: Map<u64, u32> = Map::default();
        let name = |number: &u64| {
            *names.entry(*number).or_insert_with(|| {
                next += 1;
                next - 1
            })
        };
        self.numbers.iter().map(name).collect()
    }

    /// Whether they are the same as in a pattern.
    fn is(&mut self, pattern: &[u32]) -> bool {
        self.names.clear();
        pattern.len() == self.numbers.len()
            && pattern.iter().zip(&self.numbers).all(|(&name, number)| {
                match self.names.get(name as usize) {
                    Some(known) => known == number,
                    None => {
                        let new = !self.names.contains(number);
                        self.names.push(*number);
                        new
                    }
                }
            })
    }
}

/// The instances of a group by graph.
pub(super) fn classes(
    group: &impl Writes,
    index: usize,
    layout: &Layout,
    initial: &[f64],
) -> Option<Vec<Class>> {
    let mut classes: Vec<(Vec<u32>, Class)> = Vec::new();
    let mut by_hash: Map<u64, Vec<usize>> = Map::default();
    let mut pieces = Pieces::default();
    let mut identity = Identity::default();
    // The class of the instance whose calls are kept.
    let mut last: Option<usize> = None;
    for i in 0..group.instances() {
        if let Some(last) = last {
            let (pattern, class) = &mut classes[last];
            pieces.begin_following();
            group.pieces(i, initial, &mut pieces)?;
            if let Some(inputs) = pieces.followed() {
                identity.collect(layout, inputs, pieces.rows());
                if identity.is(pattern) {
                    class.add_member(inputs, pieces.rows());
                    continue;
                }
            }
        }
        pieces.begin();
        group.pieces(i, initial, &mut pieces)?;
        let graph = pieces.graph();
        if graph.is_full() {
            return None;
        }
        // The spaces themselves are the same for all instances but in kind: the order of inputs
        // of a kernel is fixed.
        identity.collect(layout, graph.inputs(), pieces.rows());
        let pattern = identity.pattern();
        let rows: Vec<(Want, Node)> = pieces.rows().iter().map(|x| (x.0, x.2)).collect();
        let mut hasher = Mixer::default();
        graph.ops().hash(&mut hasher);
        pattern.hash(&mut hasher);
        let candidates = by_hash.entry(hasher.finish()).or_default();
        let same = candidates.iter().copied().find(|&c| {
            let (known, class) = &classes[c];
            *known == pattern && class.graph.ops() == graph.ops() && class.rows == rows
        });
        let class = same.unwrap_or_else(|| {
            candidates.push(classes.len());
            let all = (0..graph.inputs().len() as u32).collect();
            let (groups, rows_of) = (vec![index], 0..rows.len());
            let statement =
                Statement { groups, offered_by: Vec::new(), rows: rows_of, inputs: all };
            classes.push((
                pattern,
                Class {
                    graph: graph.clone(),
                    reads: graph.inputs().len(),
                    statements: vec![statement],
                    rows,
                    ..Default::default()
                },
            ));
            classes.len() - 1
        });
        classes[class].1.add_member(graph.inputs(), pieces.rows());
        last = Some(class);
    }
    Some(classes.into_iter().map(|x| x.1).collect())
}
