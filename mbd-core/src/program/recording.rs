//! A system's statements written down, and what is asked for made into programs.

use super::batch::{Batch, HOISTED, MATRIX, NOWHERE, Sources};
use super::compiled::Compiled;
use super::factors::Factors;
use super::shares::Batches;
use super::vm::{WIDE, rank};
use crate::equation::{Dims, Layout, Residual, SlotKind, Term, Want};
use crate::graph::Energy;
use crate::graph::Pieces;
use crate::graph::{Graph, Hoisted, Input, Map, Mark, Mixer, Node, Source};
use crate::statement::ElementGroup;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Where the variable of a term's derivative is: a weight, where the piece is linear in it.
fn variable(term: Term) -> Source {
    match term {
        Term::M => Source::U,
        Term::React | Term::Gt => Source::S,
        Term::ReactPsi | Term::Kt => Source::R,
        _ => Source::Point,
    }
}

/// Instances from which on a class of equal graphs gets a program of its own.
const MANY: usize = WIDE;
/// Size at which a sheet is closed and another begun: derivatives come on top.
const SHEET: usize = 5_000;

/// Nodes times rows of a graph from which on a derivative wanted once is not written down.
const LITTLE: usize = 50_000;

/// What is computed together: the statements of a sheet, or all instances of a loop that have the
/// same expressions.
#[derive(Debug, Default)]
struct Class {
    graph: Graph,
    /// Inputs of the graph that belong to the members; those after them are coefficients.
    reads: usize,
    statements: Vec<Statement>,
    /// Piece and expression of every row.
    rows: Vec<(Want, Node)>,
    members: usize,
    /// Index of each input, and of each row in its piece, member by member.
    inputs: Vec<u32>,
    places: Vec<u32>,
    /// The derivatives taken so far.
    derivatives: Vec<(Derivative, Vec<Slope>)>,
}

/// One statement's part of a class.
#[derive(Debug)]
struct Statement {
    /// The groups it is of: several kinetic energies that were added up, else one.
    groups: Vec<usize>,
    rows: Range<usize>,
    /// The inputs it reads.
    inputs: Vec<u32>,
}

impl Statement {
    /// Whether it is of one of these groups.
    fn is_one_of(&self, groups: &[usize]) -> bool {
        self.groups.iter().any(|group| groups.contains(group))
    }
}

/// Which rows of a statement are differentiated by which of its inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Derivative {
    statement: usize,
    want: Want,
    source: Source,
    kind: SlotKind,
}

/// The derivative of a row by an input, not zero.
#[derive(Clone, Copy, Debug)]
struct Slope {
    row: usize,
    input: u32,
    node: Node,
}

/// What can be written down, instance by instance.
pub(crate) trait Writes {
    fn instances(&self) -> usize;
    /// The pieces of an instance; `None` where they are no expressions.
    fn pieces(&self, instance: usize, y: &[f64], out: &mut Pieces) -> Option<()>;
    /// The coordinates that a kinetic energy moves, and it itself: see [`ElementGroup::energy`].
    fn moved(&self, _: usize) -> Vec<usize> {
        Vec::new()
    }
    fn energy(&self, _: usize, _: &[f64], _: &mut Pieces) -> Option<Energy> {
        None
    }
}

impl Writes for Box<dyn ElementGroup> {
    fn instances(&self) -> usize {
        (**self).instances()
    }
    fn pieces(&self, instance: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        (**self).pieces(instance, y, out)
    }
    fn moved(&self, instance: usize) -> Vec<usize> {
        (**self).moved(instance)
    }
    fn energy(&self, instance: usize, y: &[f64], out: &mut Pieces) -> Option<Energy> {
        (**self).energy(instance, y, out)
    }
}

/// What is written down of a system.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    /// Derivatives are taken when first asked for.
    classes: Mutex<Vec<Class>>,
    /// The groups that are not, and those found to be too large later.
    plain: Mutex<Vec<usize>>,
    layout: Option<Layout>,
    /// The work from which on it is divided, where it is not the usual one.
    pub(crate) divided_from: Option<usize>,
}

/// Spaces of indices: two numbers are the same coordinate, row or state only within one.
fn space(layout: &Layout, (source, index): Input) -> (u8, u32) {
    let index = index as usize;
    match source {
        Source::Point => {
            let kind = SlotKind::ALL.into_iter().find(|&k| layout.range(k).contains(&index));
            let Some(kind) = kind else { return (6, index as u32) };
            let space = match kind {
                SlotKind::T => 0,
                SlotKind::Q | SlotKind::V | SlotKind::A => 1,
                SlotKind::X | SlotKind::Xd => 2,
                SlotKind::Lambda => 3,
                SlotKind::Psi => 4,
                SlotKind::W => 5,
            };
            (space, (index - layout.range(kind).start) as u32)
        }
        Source::Param => (6, index as u32),
        Source::U => (1, index as u32),
        Source::S => (3, index as u32),
        Source::R => (4, index as u32),
        Source::Coefficient => (7, index as u32),
    }
}

fn row_space(want: Want, row: usize) -> (u8, u32) {
    let space = match want {
        Want::MU | Want::F | Want::REACTION | Want::GTS => 1,
        Want::D => 2,
        Want::G | Want::GDOT | Want::GAMMA | Want::GU => 3,
        Want::K | Want::ZETA | Want::KU => 4,
        Want::W => 5,
        _ => 8,
    };
    (space, row as u32)
}

/// The same in one word.
fn number((space, index): (u8, u32)) -> u64 {
    u64::from(space) << 32 | u64::from(index)
}

impl Recording {
    /// Writes every group down; `initial` is the flat point of the declared initial values.
    pub(crate) fn new(groups: &[impl Writes], layout: &Layout, initial: &[f64]) -> Self {
        let mut recording = Recording { layout: Some(*layout), ..Default::default() };
        let mut classes = Vec::new();
        let mut sheet = Sheet::default();
        let mut coupled = coupled(groups);
        let mut added_up = vec![false; groups.len()];
        for (index, group) in groups.iter().enumerate() {
            if let Some(all) = coupled.remove(&index) {
                for group in sheet.add_up(groups, &all, initial) {
                    added_up[group] = true;
                }
            }
            let written = if added_up[index] {
                Some(())
            } else if group.instances() < MANY {
                sheet.write(group, index, initial)
            } else {
                self::classes(group, index, layout, initial).map(|all| {
                    for class in all {
                        if class.members < MANY {
                            sheet.take(&class);
                            // A loop with other numbers in each instance fills many.
                            if sheet.is_full() {
                                classes.extend(std::mem::take(&mut sheet).finish());
                            }
                        } else {
                            classes.push(class);
                        }
                    }
                })
            };
            if written.is_none() {
                recording.leave(index);
            }
            if sheet.is_full() {
                classes.extend(std::mem::take(&mut sheet).finish());
            }
        }
        classes.extend(sheet.finish());
        recording.classes = Mutex::new(classes);
        recording
    }

    /// The groups that are evaluated on dual numbers.
    pub(crate) fn on_dual_numbers(&self) -> Vec<usize> {
        self.plain.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Leaves a group to dual numbers.
    fn leave(&self, group: usize) {
        let mut plain = self.plain.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(at) = plain.binary_search(&group) {
            plain.insert(at, group);
        }
    }

    /// Whether everything is in one graph, of one instance.
    fn is_one(&self) -> bool {
        let classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(&classes[..], [class] if class.members == 1)
    }

    /// Number of nodes of all graphs, with the derivatives taken so far.
    #[cfg(test)]
    pub(crate) fn nodes(&self) -> usize {
        let sizes = |classes: &Vec<Class>| classes.iter().map(|x| x.graph.ops().len()).sum();
        self.classes.lock().map_or(0, |classes| sizes(&classes))
    }

    /// Number of graphs.
    #[cfg(test)]
    pub(crate) fn graphs(&self) -> usize {
        self.classes.lock().map_or(0, |classes| classes.len())
    }
}

/// The kinetic energies of few instances that have coordinates in common with others, under the
/// first of each set.
fn coupled(groups: &[impl Writes]) -> Map<usize, Vec<usize>> {
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
    let mut sets: Map<usize, Vec<usize>> = Map::default();
    for index in 0..groups.len() {
        let of = root(&mut first, index);
        sets.entry(of).or_default().push(index);
    }
    sets.retain(|_, set| set.len() > 1);
    sets
}

/// Statements of few instances in one graph, so that they share what they have in common.
#[derive(Default)]
struct Sheet {
    pieces: Pieces,
    statements: Vec<Statement>,
    rows: Vec<(Want, Node)>,
    places: Vec<u32>,
}

impl Sheet {
    fn is_full(&self) -> bool {
        self.pieces.graph().ops().len() > SHEET
    }

    /// Writes down all instances of a group, or none.
    fn write(&mut self, group: &impl Writes, index: usize, initial: &[f64]) -> Option<()> {
        let before = (self.statements.len(), self.rows.len());
        let mut written = Some(());
        for i in 0..group.instances() {
            let mark = self.pieces.graph().mark();
            self.pieces.rows_mut().clear();
            written = group
                .pieces(i, initial, &mut self.pieces)
                .filter(|()| !self.pieces.graph().is_full());
            if written.is_none() {
                self.pieces.graph_mut().rewind(mark);
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

    /// Writes the sum of kinetic energies down and gives the groups that are in it: those that are
    /// expressions, or none where it is too large.
    fn add_up(&mut self, groups: &[impl Writes], coupled: &[usize], initial: &[f64]) -> Vec<usize> {
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
            self.pieces.graph_mut().rewind(mark);
            return Vec::new();
        }
        let rows = std::mem::take(self.pieces.rows_mut());
        if sum.is_some() {
            self.add(of.clone(), rows.iter().copied());
        }
        *self.pieces.rows_mut() = rows;
        of
    }

    fn add(&mut self, groups: Vec<usize>, rows: impl Iterator<Item = (Want, usize, Node)>) {
        let first = self.rows.len();
        for (want, row, node) in rows {
            self.rows.push((want, node));
            self.places.push(row as u32);
        }
        let rows = first..self.rows.len();
        let roots: Vec<Node> = self.rows[rows.clone()].iter().map(|row| row.1).collect();
        let inputs = self.pieces.graph_mut().inputs_of(&roots);
        self.statements.push(Statement { groups, rows, inputs });
    }

    /// Takes over the members of a class.
    fn take(&mut self, class: &Class) {
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

    fn finish(self) -> Option<Class> {
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
            derivatives: Vec::new(),
        })
    }
}

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
fn classes(
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
            let statement = Statement { groups: vec![index], rows: 0..rows.len(), inputs: all };
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

impl Class {
    fn add_member(&mut self, inputs: &[Input], rows: &[(Want, usize, Node)]) {
        self.members += 1;
        self.inputs.extend(inputs.iter().map(|input| input.1));
        self.places.extend(rows.iter().map(|row| row.1 as u32));
    }

    /// Index of an input of a member, or of a coefficient.
    fn input(&self, member: usize, k: u32) -> u32 {
        let k = k as usize;
        if k < self.reads { self.inputs[member * self.reads + k] } else { self.graph.inputs()[k].1 }
    }

    /// The graph and the derivatives as they are.
    fn mark(&self) -> (Mark, usize) {
        (self.graph.mark(), self.derivatives.len())
    }

    /// Takes back what was added since.
    fn rewind(&mut self, (graph, derivatives): (Mark, usize)) {
        self.graph.rewind(graph);
        self.derivatives.truncate(derivatives);
    }

    /// The rows of a member.
    fn places(&self, member: usize) -> &[u32] {
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
    fn differentiate(&mut self, layout: &Layout, by: Derivative) -> usize {
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

/// Where a term goes in a matrix and which coefficient scales it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    pub(crate) term: Term,
    pub(crate) row: usize,
    pub(crate) col: usize,
    pub(crate) coefficient: usize,
}

/// An output of a class.
struct Output {
    /// Its piece, or [`MATRIX`].
    piece: usize,
    node: Node,
    at: At,
    group: usize,
}

/// How to find the place of an output for a member.
#[derive(Clone, Copy)]
enum At {
    /// It is known.
    Place(u32),
    /// That of a row of the class.
    Row(usize),
    /// By the row, the input it is differentiated by, and where the term goes.
    Entry(usize, u32, Placement),
}

impl Recording {
    /// The rows and columns of a term in which a group has anything but zero; `None` for a group that
    /// is not written down.
    pub(crate) fn entries(&self, group: usize, term: Term) -> Option<Vec<(u32, u32)>> {
        let layout = self.layout.filter(|_| !self.on_dual_numbers().contains(&group))?;
        let (want, kind) = term.differentiated();
        let source = variable(term);
        let mut entries = Vec::new();
        let mut classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        for class in &mut *classes {
            for statement in 0..class.statements.len() {
                // All that was added up is said by the first.
                if class.statements[statement].groups[0] != group {
                    continue;
                }
                let by = Derivative { statement, want, source, kind };
                let mark = class.mark();
                let derivative = class.differentiate(&layout, by);
                if class.graph.is_full() {
                    class.rewind(mark);
                    class.statements[statement].groups.iter().for_each(|&group| self.leave(group));
                    return None;
                }
                let class = &*class;
                for &Slope { row, input, .. } in &class.derivatives[derivative].1 {
                    let from = class.graph.inputs()[input as usize].0;
                    entries.extend((0..class.members).filter_map(|member| {
                        let input = (from, class.input(member, input));
                        let col = column(&layout, source, kind, input)?;
                        Some((class.places(member)[row], col))
                    }));
                }
            }
        }
        Some(entries)
    }

    /// The values of a term at a point, entry by entry, without a program for it: `None` where one
    /// costs little, and where not everything is in graphs of one instance.
    pub(crate) fn once(&self, term: Term, sources: &Sources<'_>) -> Option<Vec<(u32, u32, f64)>> {
        let layout = self.layout.filter(|_| self.on_dual_numbers().is_empty())?;
        let (want, kind) = term.differentiated();
        let source = variable(term);
        let mut classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        let largest = classes.iter().map(|class| class.graph.ops().len() * class.rows.len()).max();
        if largest < Some(LITTLE) || classes.iter().any(|class| class.members != 1) {
            return None;
        }
        let mut entries: Map<(u32, u32), f64> = Map::default();
        for class in &mut *classes {
            let (mut rows, mut roots) = (Vec::new(), Vec::new());
            for (&(piece, node), &place) in class.rows.iter().zip(&class.places) {
                if piece == want {
                    rows.push(place);
                    roots.push(node);
                }
            }
            let of =
                |&(k, &input): &(usize, &Input)| Some((k, column(&layout, source, kind, input)?));
            let inputs = class.graph.inputs().to_vec();
            let columns: Vec<(usize, u32)> =
                inputs.iter().enumerate().filter_map(|x| of(&x)).collect();
            let nodes: Vec<Node> = columns
                .iter()
                .map(|&(k, _)| class.graph.input(inputs[k].0, inputs[k].1 as usize))
                .collect();
            let value = |(from, k): Input| sources[rank(from)].get(k as usize).copied();
            let value = |input: Input| value(input).unwrap_or(0.0);
            let slopes = class.graph.slopes_at(&roots, &nodes, value);
            let all = rows.iter().flat_map(|&row| columns.iter().map(move |x| (row, x.1)));
            for (at, slope) in all.zip(slopes).filter(|x| x.1 != 0.0) {
                *entries.entry(at).or_default() += slope;
            }
        }
        let mut entries: Vec<(u32, u32, f64)> =
            entries.into_iter().map(|((row, col), slope)| (row, col, slope)).collect();
        entries.sort_unstable_by_key(|x| (x.0, x.1));
        Some(entries)
    }

    /// Programs for residual pieces.
    pub(crate) fn residual(&self, want: Want) -> Compiled {
        self.programs(want, true, &[], &[], &Factors::new(&[], false), |_, _, _| None)
    }

    /// Programs for numbers that are written down as rows of a piece whose number is their place.
    pub(crate) fn values(&self, want: Want) -> Compiled {
        let outputs = |class: &mut Class, plain: &[usize]| (class.pieces(want, plain), Vec::new());
        self.compile(false, None, outputs, |class, member, output| match output.at {
            At::Row(row) => Some(class.places(member)[row]),
            _ => None,
        })
    }

    /// Programs for residual pieces and for a matrix at the same point, either of which may be
    /// nothing; a matrix that is not `fresh` is added to what is there. `position` gives the place of a row and column of a term in the matrix: `None`
    /// where the pattern has none though it should, [`NOWHERE`] where the entry is left out.
    pub(crate) fn programs(
        &self,
        want: Want,
        fresh: bool,
        groups: &[Box<dyn ElementGroup>],
        placements: &[Placement],
        factors: &Factors,
        position: impl Fn(&Placement, u32, u32) -> Option<u32>,
    ) -> Compiled {
        let Some(layout) = self.layout else { return Compiled::default() };
        let offered: Vec<Vec<Term>> = match placements {
            [] => Vec::new(),
            _ => groups.iter().map(|group| group.terms()).collect(),
        };
        // A system of one graph sets what it computes, zeros too.
        let whole = fresh && self.is_one() && layout.len() <= SHEET;
        let outputs = |class: &mut Class, plain: &[usize]| {
            let mut changing = class.pieces(want, plain);
            if whole {
                class.zeros(want, &layout.dims, &mut changing);
            }
            let entries = class.entries(&layout, &offered, placements, factors, plain);
            // What a residual adds up to is computed anew each time, numbers in it too.
            let (fixed, more): (Vec<Output>, Vec<Output>) =
                entries.into_iter().partition(|output| class.graph.is_fixed(output.node));
            changing.extend(more);
            (changing, fixed)
        };
        let coefficients = (!placements.is_empty()).then(|| factors.len());
        self.compile(whole, coefficients, outputs, |class, member, output| {
            let (row, input, placement) = match output.at {
                At::Place(place) => return Some(place),
                At::Row(row) => return Some(class.places(member)[row]),
                At::Entry(row, input, placement) => (class.places(member)[row], input, placement),
            };
            let (_, kind) = placement.term.differentiated();
            let source = variable(placement.term);
            let input = (class.graph.inputs()[input as usize].0, class.input(member, input));
            let col = column(&layout, source, kind, input)?;
            position(&placement, row, col)
        })
    }

    /// Makes programs of each class's outputs, which come in two lists: those that change from
    /// point to point, and those that go to programs of their own. A group that cannot be done so
    /// is left to dual numbers.
    fn compile(
        &self,
        whole: bool,
        coefficients: Option<usize>,
        outputs: impl Fn(&mut Class, &[usize]) -> (Vec<Output>, Vec<Output>),
        place: impl Fn(&Class, usize, &Output) -> Option<u32>,
    ) -> Compiled {
        let mut classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut plain = self.on_dual_numbers();
        'again: loop {
            let (mut batches, mut constant) = (Vec::new(), Vec::new());
            // A residual by itself has nothing to keep what is hoisted in.
            let mut hoisted = coefficients.map(|count| Hoisted::new(count as u32));
            for class in &mut *classes {
                let mark = class.mark();
                let (changing, mut fixed) = outputs(class, &plain);
                if class.graph.is_full() {
                    class.rewind(mark);
                    class
                        .statements
                        .iter()
                        .flat_map(|x| &x.groups)
                        .for_each(|&group| self.leave(group));
                    plain = self.on_dual_numbers();
                    continue 'again;
                }
                let single = hoisted.as_mut().filter(|_| class.members == 1);
                let batch = class.batch(&changing, whole, single, &place);
                if let Some(&Output { group, .. }) = changing.first() {
                    let factors = hoisted.iter_mut().flat_map(Hoisted::take);
                    fixed.extend(factors.map(|(node, number)| Output {
                        piece: HOISTED,
                        node,
                        at: At::Place(number),
                        group,
                    }));
                }
                match (batch, class.batch(&fixed, whole, None, &place)) {
                    (Ok(first), Ok(second)) => {
                        batches.extend(first);
                        constant.extend(second);
                    }
                    (Err(group), _) | (_, Err(group)) => {
                        let with = class.statements.iter().filter(|s| s.is_one_of(&[group]));
                        plain.extend(with.flat_map(|s| &s.groups));
                        continue 'again;
                    }
                }
            }
            let params = self.layout.map_or(0..0, |layout| layout.constants());
            let coefficients = hoisted.map_or(0, |hoisted| hoisted.next() as usize);
            return Compiled {
                batches: Batches::new(batches, self.divided_from),
                constant: Batches::new(constant, self.divided_from),
                coefficients,
                params,
                plain,
                whole,
                ..Default::default()
            };
        }
    }
}

impl Class {
    /// The wanted residual pieces.
    fn pieces(&mut self, want: Want, plain: &[usize]) -> Vec<Output> {
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
    fn zeros(&self, want: Want, dims: &Dims, outputs: &mut Vec<Output>) {
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

    /// The entries of a matrix; `offered` are the terms of each group.
    fn entries(
        &mut self,
        layout: &Layout,
        offered: &[Vec<Term>],
        placements: &[Placement],
        factors: &Factors,
        plain: &[usize],
    ) -> Vec<Output> {
        let mut sums = Sums::default();
        for s in 0..self.statements.len() {
            let group = self.statements[s].groups[0];
            let placements = if self.statements[s].is_one_of(plain) { &[] } else { placements };
            for placement in placements.iter().filter(|p| offered[group].contains(&p.term)) {
                let (want, kind) = placement.term.differentiated();
                let source = variable(placement.term);
                let by = Derivative { statement: s, want, source, kind };
                let derivative = self.differentiate(layout, by);
                let (sign, factor) = factors.factor(placement.coefficient);
                for &Slope { row, input, node } in &self.derivatives[derivative].1 {
                    let node = self.graph.scale(sign, node);
                    let known = self.graph.inputs()[input as usize];
                    let Some(col) = column(layout, source, kind, known) else { continue };
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
    fn batch(
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

/// The column an input is, if it is of the given source and kind.
fn column(layout: &Layout, source: Source, kind: SlotKind, input: Input) -> Option<u32> {
    let (from, index) = input;
    if from != source {
        return None;
    }
    if source != Source::Point {
        return Some(index);
    }
    let range = layout.range(kind);
    range.contains(&(index as usize)).then(|| index - range.start as u32)
}

/// Programs by request, made when first asked for. A few requests recur in every run; more than
/// fit are evaluated on dual numbers.
#[derive(Debug)]
pub(crate) struct Cached<K>([OnceLock<(K, Compiled)>; SLOTS]);

/// Requests that are kept.
const SLOTS: usize = 16;

impl<K> Default for Cached<K> {
    fn default() -> Self {
        Cached(std::array::from_fn(|_| OnceLock::new()))
    }
}

impl<K> Cached<K> {
    /// Makes the code of what was evaluated so far, unless it is large.
    pub(crate) fn make_along(&self) {
        self.0.iter().filter_map(OnceLock::get).for_each(|(_, compiled)| compiled.make_along());
    }
}

impl<K> Cached<K> {
    /// The programs of a request that `is` the one; made, with how many there are already, where
    /// there are none.
    #[inline]
    pub(crate) fn get(
        &self,
        is: impl Fn(&K) -> bool,
        make: impl Fn(usize) -> (K, Compiled),
    ) -> Option<&Compiled> {
        self.0.iter().enumerate().find_map(|(k, slot)| {
            let (known, compiled) = slot.get_or_init(|| make(k));
            is(known).then_some(compiled)
        })
    }
}
