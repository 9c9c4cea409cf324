//! A system's statements written down, and what is asked for made into programs.

use super::batch::{Batch, Compiled, NOWHERE};
use super::graph::{Graph, Input, Map, Mixer, Node, Source};
use super::vm::WIDE;
use crate::assembly::{ElementGroup, Layout, Residual, SlotKind, Term, Want};
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

/// Instances from which on a class of equal graphs gets a program of its own.
const MANY: usize = WIDE;
/// Size at which a merged graph is closed and another begun.
const LARGEST: usize = 20_000;

/// The residual pieces of one instance as expressions.
#[derive(Debug, Default)]
pub struct Pieces {
    pub(crate) graph: Graph,
    rows: Vec<(Want, usize, Node)>,
}

impl Pieces {
    /// The row of the kinetic energy under `Want::ENERGY`.
    pub(crate) const KINETIC: usize = 0;
    /// The row of the potential energy under `Want::ENERGY`.
    pub(crate) const POTENTIAL: usize = 1;

    /// Adds to a row of a piece.
    pub(crate) fn add(&mut self, want: Want, row: usize, node: Node) {
        match self.rows.iter_mut().find(|x| x.0 == want && x.1 == row) {
            Some(known) => known.2 = self.graph.add(known.2, node),
            None => self.rows.push((want, row, node)),
        }
    }

    /// Subtracts from a row of a piece.
    pub(crate) fn sub(&mut self, want: Want, row: usize, node: Node) {
        let node = self.graph.neg(node);
        self.add(want, row, node);
    }

    /// A reaction, which the model may state itself.
    pub(crate) fn reaction(&mut self, standard: bool, slots: &[(usize, Node)], forces: &[Node]) {
        for (&(slot, _), &force) in slots.iter().zip(forces) {
            self.add(Want::GTS, slot, force);
            if standard {
                self.add(Want::REACTION, slot, force);
            }
        }
    }
}

/// One instance: its inputs in the order of its class's graph, and the row of each piece.
#[derive(Debug)]
struct Member {
    inputs: Box<[Input]>,
    rows: Box<[u32]>,
}

/// Instances of a statement with one graph.
#[derive(Debug)]
struct Class {
    group: usize,
    graph: Graph,
    rows: Vec<(Want, Node)>,
    members: Vec<Member>,
}

/// What is written down of a system.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    classes: Vec<Class>,
    /// The groups that are not.
    plain: Vec<usize>,
    layout: Option<Layout>,
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

impl Recording {
    /// Writes every group down; `initial` is the flat point of the declared initial values.
    pub(crate) fn new(groups: &[Box<dyn ElementGroup>], layout: &Layout, initial: &[f64]) -> Self {
        let mut recording = Recording { layout: Some(*layout), ..Default::default() };
        for (index, group) in groups.iter().enumerate() {
            match classes(&**group, index, layout, initial) {
                Some(classes) => recording.classes.extend(classes),
                None => recording.plain.push(index),
            }
        }
        recording
    }
}

/// The instances of a group by graph.
fn classes(
    group: &dyn ElementGroup,
    index: usize,
    layout: &Layout,
    initial: &[f64],
) -> Option<Vec<Class>> {
    let mut classes: Vec<(Vec<u32>, Class)> = Vec::new();
    let mut by_hash: Map<u64, Vec<usize>> = Map::default();
    for i in 0..group.instances() {
        let mut pieces = Pieces::default();
        group.pieces(i, initial, &mut pieces)?;
        let Pieces { graph, rows } = pieces;
        if graph.ops().len() > LARGEST {
            return None;
        }
        // Which numbers are the same: an instance that reads one coordinate twice is of another
        // class than one that reads two.
        let mut names: Map<(u8, u32), u32> = Map::default();
        let inputs = graph.inputs().iter().map(|&input| space(layout, input));
        let identity: Vec<u32> = inputs
            .chain(rows.iter().map(|&(want, row, _)| row_space(want, row)))
            .map(|number| {
                let next = names.len() as u32;
                *names.entry(number).or_insert(next)
            })
            .collect();
        // The spaces themselves are the same for all instances but in kind: the order of inputs
        // of a kernel is fixed.
        let member = Member {
            inputs: graph.inputs().into(),
            rows: rows.iter().map(|x| x.1 as u32).collect(),
        };
        let rows: Vec<(Want, Node)> = rows.into_iter().map(|x| (x.0, x.2)).collect();
        let mut hasher = Mixer::default();
        graph.ops().hash(&mut hasher);
        identity.hash(&mut hasher);
        let candidates = by_hash.entry(hasher.finish()).or_default();
        let same = candidates.iter().copied().find(|&c| {
            let (known, class) = &classes[c];
            *known == identity && class.graph.ops() == graph.ops() && class.rows == rows
        });
        match same {
            Some(c) => classes[c].1.members.push(member),
            None => {
                candidates.push(classes.len());
                classes
                    .push((identity, Class { group: index, graph, rows, members: vec![member] }));
            }
        }
    }
    Some(classes.into_iter().map(|x| x.1).collect())
}

/// Where a term goes in a matrix and which coefficient scales it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    pub(crate) term: Term,
    pub(crate) row: usize,
    pub(crate) col: usize,
    pub(crate) coefficient: usize,
}

/// An output of a class: its piece (or 0), expression, and how to find its place for a member.
struct Output {
    piece: usize,
    node: Node,
    /// Index of the piece's row among the class's rows.
    row: usize,
    /// For a matrix: index of the input differentiated by, and the placement.
    by: Option<(usize, Placement)>,
}

impl Recording {
    /// Programs for residual pieces.
    pub(crate) fn residual(&self, want: Want) -> Compiled {
        let outputs = |class: &Class, graph: &mut Graph| {
            let mut outputs: Vec<Output> = Vec::new();
            for (row, &(piece, node)) in class.rows.iter().enumerate() {
                if want.has(piece) && !graph.is_zero(node) {
                    outputs.push(Output { piece: Residual::index(piece), node, row, by: None });
                }
            }
            outputs
        };
        let place = |member: &Member, output: &Output| Some(member.rows[output.row]);
        let mut compiled = self.compile(outputs, place, |_| false);
        // A residual is always computed anew, numbers in it too.
        compiled.batches.append(&mut compiled.constant);
        compiled
    }

    /// Programs for a matrix. `position` gives the place of a row and column of a term in the
    /// matrix: `None` where the pattern has none though it should, [`NOWHERE`] where the entry is
    /// left out.
    pub(crate) fn matrix(
        &self,
        groups: &[Box<dyn ElementGroup>],
        placements: &[Placement],
        position: impl Fn(&Placement, u32, u32) -> Option<u32>,
    ) -> Compiled {
        let Some(layout) = self.layout else { return Compiled::default() };
        let outputs = |class: &Class, graph: &mut Graph| {
            let offered = groups[class.group].terms();
            let mut outputs: Vec<Output> = Vec::new();
            let mut at: Map<(usize, usize), usize> = Map::default();
            for placement in placements.iter().filter(|p| offered.contains(&p.term)) {
                let (want, kind) = placement.term.differentiated();
                let source = placement.term.variable();
                let rows: Vec<usize> =
                    (0..class.rows.len()).filter(|&r| class.rows[r].0 == want).collect();
                // Columns: the class's inputs of this kind; `col` as numbered by its first member.
                let columns: Vec<(usize, usize)> = class
                    .graph
                    .inputs()
                    .iter()
                    .enumerate()
                    .filter_map(|(c, &input)| {
                        Some((c, column(&layout, source, kind, input)? as usize))
                    })
                    .collect();
                let block = jacobian(graph, class, &rows, &columns);
                let coefficient = graph.input(Source::Coefficient, placement.coefficient);
                for (r, derivatives) in rows.iter().zip(block) {
                    for (&(c, col), node) in columns.iter().zip(derivatives) {
                        if graph.is_zero(node) {
                            continue;
                        }
                        let node = graph.mul(coefficient, node);
                        let row = class.members[0].rows[*r] as usize;
                        let key = (placement.row + row, placement.col + col);
                        let next = outputs.len();
                        let known = *at.entry(key).or_insert(next);
                        if known == next {
                            let by = Some((c, *placement));
                            outputs.push(Output { piece: 0, node, row: *r, by });
                        } else {
                            outputs[known].node = graph.add(outputs[known].node, node);
                        }
                    }
                }
            }
            outputs
        };
        let place = |member: &Member, output: &Output| {
            let (c, placement) = output.by?;
            let (_, kind) = placement.term.differentiated();
            let col = column(&layout, placement.term.variable(), kind, member.inputs[c])?;
            position(&placement, member.rows[output.row], col)
        };
        self.compile(outputs, place, |(source, index)| match source {
            Source::Coefficient => true,
            Source::Point => layout.params().contains(&(index as usize)),
            _ => false,
        })
    }

    /// Makes programs of each class's outputs. Outputs of which `constant` says that all they read
    /// stays the same go to programs of their own.
    fn compile(
        &self,
        outputs: impl Fn(&Class, &mut Graph) -> Vec<Output>,
        place: impl Fn(&Member, &Output) -> Option<u32>,
        constant: impl Fn(Input) -> bool,
    ) -> Compiled {
        let mut parts = [Part::default(), Part::default()];
        let mut plain = self.plain.clone();
        for group in self.classes.chunk_by(|a, b| a.group == b.group) {
            let before = parts.each_ref().map(|part| (part.merged.clone(), part.batches.len()));
            let done = group.iter().try_for_each(|class| {
                let mut graph = class.graph.clone();
                let mut outputs = outputs(class, &mut graph);
                outputs.sort_by_key(|output| output.piece);
                let changes = graph.changes(&constant);
                let (changing, fixed): (Vec<Output>, Vec<Output>) =
                    outputs.into_iter().partition(|output| changes[output.node as usize]);
                let [first, second] = &mut parts;
                first.take(class, &graph, &changing, &place)?;
                second.take(class, &graph, &fixed, &place)
            });
            if done.is_none() {
                for (part, (merged, batches)) in parts.iter_mut().zip(before) {
                    part.merged = merged;
                    part.batches.truncate(batches);
                }
                plain.push(group[0].group);
            }
        }
        let [batches, constant] = parts.map(|mut part| {
            if !part.merged.outputs.is_empty() {
                // A graph of this size always has room.
                part.batches.extend(part.merged.finish());
            }
            part.batches
        });
        let params = self.layout.map_or(0..0, |layout| layout.params());
        Compiled { batches, constant, params, plain, ..Default::default() }
    }
}

/// The programs of one request as they are put together.
#[derive(Default)]
struct Part {
    merged: Merged,
    batches: Vec<Batch>,
}

impl Part {
    /// Takes the outputs of a class: a program over its many members, or a place in the merged one
    /// for each of its few. `None` when that is not possible.
    fn take(
        &mut self,
        class: &Class,
        graph: &Graph,
        outputs: &[Output],
        place: impl Fn(&Member, &Output) -> Option<u32>,
    ) -> Option<()> {
        if outputs.is_empty() {
            return Some(());
        }
        let places = |member: &Member| -> Option<Vec<u32>> {
            outputs.iter().map(|output| place(member, output)).collect()
        };
        if class.members.len() >= MANY {
            let members: Vec<(Vec<u32>, Vec<u32>)> = class
                .members
                .iter()
                .map(|member| Some((indices(&with_coefficients(graph, member)), places(member)?)))
                .collect::<Option<_>>()?;
            let roots: Vec<_> = outputs.iter().map(|o| (o.piece, o.node)).collect();
            self.batches.push(Batch::new(graph, &roots, &members)?);
            return Some(());
        }
        let roots: Vec<Node> = outputs.iter().map(|o| o.node).collect();
        for member in &class.members {
            if self.merged.graph.ops().len() > LARGEST {
                self.batches.push(std::mem::take(&mut self.merged).finish()?);
            }
            let places = places(member)?;
            let inputs = with_coefficients(graph, member);
            let nodes = self.merged.graph.import(graph, &roots, &inputs);
            for ((output, place), node) in outputs.iter().zip(places).zip(nodes) {
                self.merged.add(output.piece, place, node);
            }
        }
        Some(())
    }
}

/// A member's inputs followed by what its class's graph came to read on top: coefficients.
fn with_coefficients(graph: &Graph, member: &Member) -> Vec<Input> {
    let more = graph.inputs().iter().skip(member.inputs.len());
    member.inputs.iter().chain(more).copied().collect()
}

fn indices(inputs: &[Input]) -> Vec<u32> {
    inputs.iter().map(|x| x.1).collect()
}

/// Several statements in one graph, their contributions to one place added up.
#[derive(Clone, Default)]
struct Merged {
    graph: Graph,
    outputs: Vec<(usize, u32, Node)>,
    at: Map<(usize, u32), usize>,
}

impl Merged {
    fn add(&mut self, piece: usize, place: u32, node: Node) {
        if place == NOWHERE {
            return;
        }
        let next = self.outputs.len();
        let known = *self.at.entry((piece, place)).or_insert(next);
        if known == next {
            self.outputs.push((piece, place, node));
        } else {
            self.outputs[known].2 = self.graph.add(self.outputs[known].2, node);
        }
    }

    fn finish(mut self) -> Option<Batch> {
        // What is computed together is added together.
        self.outputs.sort_by_key(|x| (x.0, x.2));
        let outputs: Vec<_> = self.outputs.iter().map(|x| (x.0, x.2)).collect();
        let places = self.outputs.iter().map(|x| x.1).collect();
        Batch::new(&self.graph, &outputs, &[(indices(self.graph.inputs()), places)])
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

/// The derivatives of rows by inputs: by columns forward or, where there are fewer rows, by rows
/// in reverse.
fn jacobian(
    graph: &mut Graph,
    class: &Class,
    rows: &[usize],
    columns: &[(usize, usize)],
) -> Vec<Vec<Node>> {
    let roots: Vec<Node> = rows.iter().map(|&r| class.rows[r].1).collect();
    let inputs: Vec<Node> = columns
        .iter()
        .map(|&(c, _)| {
            let (source, index) = class.graph.inputs()[c];
            graph.input(source, index as usize)
        })
        .collect();
    if roots.len() < inputs.len() {
        return roots.iter().map(|&root| graph.gradient(root, &inputs)).collect();
    }
    let one = graph.constant(1.0);
    let by_column: Vec<Vec<Node>> =
        inputs.iter().map(|&input| graph.along(&roots, &[(input, one)])).collect();
    (0..roots.len()).map(|r| by_column.iter().map(|column| column[r]).collect()).collect()
}

/// Programs by request, made when first asked for. A few requests recur in every run; more than
/// fit are evaluated on dual numbers.
#[derive(Debug)]
pub(crate) struct Cached<K>([OnceLock<(K, Compiled)>; 16]);

impl<K> Default for Cached<K> {
    fn default() -> Self {
        Cached(std::array::from_fn(|_| OnceLock::new()))
    }
}

impl<K: PartialEq> Cached<K> {
    /// The programs of a request.
    #[inline]
    pub(crate) fn get(&self, key: K, compile: impl Fn() -> Compiled) -> Option<&Compiled>
    where
        K: Copy,
    {
        self.0.iter().find_map(|slot| {
            let (known, compiled) = slot.get_or_init(|| (key, compile()));
            (*known == key).then_some(compiled)
        })
    }
}
