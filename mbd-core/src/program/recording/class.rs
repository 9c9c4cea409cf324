//! What is computed together, with its derivatives.

use super::spaces::column;
use crate::equation::{Layout, SlotKind, Term, Want};
use crate::graph::{Graph, Input, Map, Mark, Node, Source};
use std::ops::Range;

/// What is computed together: the statements of a sheet, or all instances of a loop that have the
/// same expressions.
#[derive(Debug, Default)]
pub(super) struct Class {
    pub(super) graph: Graph,
    /// Inputs of the graph that belong to the members; those after them are coefficients.
    pub(super) reads: usize,
    pub(super) statements: Vec<Statement>,
    /// Piece and expression of every row.
    pub(super) rows: Vec<(Want, Node)>,
    pub(super) members: usize,
    /// Index of each input, and of each row in its piece, member by member.
    pub(super) inputs: Vec<u32>,
    pub(super) places: Vec<u32>,
    /// The derivatives taken so far.
    pub(super) derivatives: Vec<(Derivative, Vec<Slope>)>,
    /// Where there are too many of them.
    pub(super) swept: Swept,
}

/// Where the derivatives of pieces are not zero: row of the class, and input.
pub(super) type Places = Vec<(usize, u32)>;

/// What is known of a class whose derivatives may be too many to be [written down](super::swept).
#[derive(Debug, Default)]
pub(super) struct Swept {
    pub(super) is: Option<bool>,
    pub(super) places: Vec<((Want, Source, SlotKind), Places)>,
}

/// One statement's part of a class.
#[derive(Debug)]
pub(super) struct Statement {
    /// The groups it is of: several that were added up or differentiated together, else one.
    pub(super) groups: Vec<usize>,
    /// Of several, the first that offers a term, where that is not the first of all.
    pub(super) offered_by: Vec<(Term, usize)>,
    pub(super) rows: Range<usize>,
    /// The inputs it reads.
    pub(super) inputs: Vec<u32>,
}

impl Statement {
    /// Whether it is this group that says where a term of the statement is: of several only one.
    pub(super) fn is_said_by(&self, group: usize, term: Term) -> bool {
        let other = self.offered_by.iter().find(|x| x.0 == term).map(|x| x.1);
        other.or(self.groups.first().copied()) == Some(group)
    }

    /// Whether any of its groups offers a term.
    pub(super) fn offers(&self, offered: &[Vec<Term>], term: Term) -> bool {
        self.groups.iter().any(|&group| offered[group].contains(&term))
    }

    /// Whether it is of one of these groups.
    pub(super) fn is_one_of(&self, groups: &[usize]) -> bool {
        self.groups.iter().any(|group| groups.contains(group))
    }
}

/// Which rows of a statement are differentiated by which of its inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Derivative {
    pub(super) statement: usize,
    pub(super) want: Want,
    pub(super) source: Source,
    pub(super) kind: SlotKind,
}

/// The derivative of a row by an input, not zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slope {
    pub(super) row: usize,
    pub(super) input: u32,
    pub(super) node: Node,
}

impl Class {
    pub(super) fn add_member(&mut self, inputs: &[Input], rows: &[(Want, usize, Node)]) {
        self.members += 1;
        self.inputs.extend(inputs.iter().map(|input| input.1));
        self.places.extend(rows.iter().map(|row| row.1 as u32));
    }

    /// Index of an input of a member, or of a coefficient.
    pub(super) fn input(&self, member: usize, k: u32) -> u32 {
        let k = k as usize;
        if k < self.reads { self.inputs[member * self.reads + k] } else { self.graph.inputs()[k].1 }
    }

    /// Groups with all that have statements in common with them, and so on.
    pub(super) fn groups_with(&self, groups: &[usize]) -> Vec<usize> {
        let mut all = groups.to_vec();
        loop {
            let (known, with) = (all.len(), self.statements.iter().filter(|s| s.is_one_of(&all)));
            let mut more: Vec<usize> = with.flat_map(|s| s.groups.iter().copied()).collect();
            more.append(&mut all);
            more.sort_unstable();
            more.dedup();
            all = more;
            if all.len() == known {
                return all;
            }
        }
    }

    /// The graph and the derivatives as they are.
    pub(super) fn mark(&self) -> (Mark, usize) {
        (self.graph.mark(), self.derivatives.len())
    }

    /// Takes back what was added since.
    pub(super) fn rewind(&mut self, (graph, derivatives): (Mark, usize)) {
        self.graph.rewind(graph);
        self.derivatives.truncate(derivatives);
    }

    /// The rows of a member.
    pub(super) fn places(&self, member: usize) -> &[u32] {
        &self.places[member * self.rows.len()..][..self.rows.len()]
    }

    /// Of a mass matrix of as many rows as columns, of the same coordinates, the row of each column.
    fn mirror(&self, by: Derivative, rows: &[usize], columns: &[u32]) -> Option<Vec<usize>> {
        if by.want != Want::MU || by.source != Source::U || rows.len() != columns.len() {
            return None;
        }
        let of: Map<u32, usize> = (0..).zip(rows).map(|(r, &row)| (self.places[row], r)).collect();
        columns.iter().map(|&k| of.get(&self.input(0, k)).copied()).collect()
    }

    /// Takes a derivative, unless it is there; its index.
    pub(super) fn differentiate(&mut self, layout: &Layout, by: Derivative) -> usize {
        if let Some(known) = self.derivatives.iter().position(|known| known.0 == by) {
            return known;
        }
        let statement = &self.statements[by.statement];
        let rows: Vec<usize> =
            statement.rows.clone().filter(|&r| self.rows[r].0 == by.want).collect();
        let roots: Vec<Node> = rows.iter().map(|&r| self.rows[r].1).collect();
        let all = self.graph.inputs();
        let is_one = |&k: &u32| column(layout, by.source, by.kind, all[k as usize]).is_some();
        let columns: Vec<u32> = statement.inputs.iter().copied().filter(is_one).collect();
        let inputs: Vec<Input> = columns.iter().map(|&k| all[k as usize]).collect();
        let inputs: Vec<Node> =
            inputs.into_iter().map(|(s, i)| self.graph.input(s, i as usize)).collect();
        // The mass matrix is symmetric.
        let mirror = self.mirror(by, &rows, &columns);
        // By columns forward or, where there are fewer rows, by rows in reverse.
        let graph = &mut self.graph;
        let mut nodes: Vec<Node> = if roots.len() < inputs.len() {
            roots.iter().flat_map(|&root| graph.gradient(root, &inputs)).collect()
        } else {
            let below = |r: usize, c: usize| mirror.as_ref().is_none_or(|row| row[c] <= r);
            graph.jacobian(&roots, &inputs, below)
        };
        if let Some(row) = mirror {
            let mut column = vec![0; row.len()];
            row.iter().enumerate().for_each(|(c, &r)| column[r] = c);
            for r in 0..row.len() {
                for c in (0..row.len()).filter(|&c| row[c] > r) {
                    nodes[r * row.len() + c] = nodes[row[c] * row.len() + column[r]];
                }
            }
        }
        let places = rows.iter().flat_map(|&row| columns.iter().map(move |&input| (row, input)));
        let slopes = places
            .zip(nodes)
            .filter(|x| x.1 != Graph::ZERO)
            .map(|((row, input), node)| Slope { row, input, node })
            .collect();
        self.derivatives.push((by, slopes));
        self.derivatives.len() - 1
    }
}
