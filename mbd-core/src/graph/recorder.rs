//! Writing one instance of a statement down.
//!
//! Instances of a loop nearly always make the same calls in the same order. So the calls of the
//! first are kept with the nodes they gave, and a later instance *follows*: each of its calls is
//! compared with the one kept and answered by its node, which neither builds nor looks up anything.
//! The graph is a function of the calls, so that an instance which makes the same ones has the same
//! graph; at the first other call it is lost, and is written down anew.

use super::act::Acts;
use super::graph::{Graph, Mark};
use super::inertia::Coordinate;
use super::map::Map;
use super::op::{Input, Node, Source};
use crate::equation::Want;
use crate::scalar::{Function, Test};

/// A call of the graph, with what it was given.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Call {
    Constant(u64),
    /// The number of the input among those of the instance.
    Input(Source, u32),
    Scale(u64, Node),
    Add(Node, Node),
    Sub(Node, Node),
    Mul(Node, Node),
    Div(Node, Node),
    Unary(Function, Node),
    Powi(Node, i32),
    Powf(Node, u64),
    Atan2(Node, Node),
    When(Test, Node, Node),
    /// Roots and seeds, then the results, from here on in the lists.
    Along(u32),
    /// Root and inputs, then the results.
    Gradient(u32),
    /// Energy, coordinates and motion, then the results.
    InertialForce(u32),
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Mode {
    #[default]
    Build,
    /// Builds and keeps the calls.
    Keep,
    Follow,
    Lost,
}

/// Builds a graph, or follows the calls that built it.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    graph: Graph,
    mode: Mode,
    calls: Vec<(Call, Node)>,
    /// Arguments and results of calls with many.
    lists: Vec<Node>,
    /// The call that comes next, and the place in the lists, when following.
    next: usize,
    list: usize,
    /// Inputs of the instance that follows.
    inputs: Vec<Input>,
    /// Room for the nodes of a tape.
    pub(super) room: Vec<Node>,
    /// What is told in this graph: numbers and nodes of a frame, or of its rates.
    told: Map<(u32, u8), (Vec<f64>, Vec<Node>)>,
}

impl Recorder {
    /// Whether calls build, so that what is known of the graph need not be written again.
    pub(crate) fn builds(&self) -> bool {
        self.mode == Mode::Build
    }

    /// A number that is told, with its node, where that was [written](Self::tell) before.
    pub(crate) fn told(&self, level: (u32, u8), row: usize) -> Option<(f64, Node)> {
        let (numbers, nodes) = self.told.get(&level)?;
        Some((*numbers.get(row)?, *nodes.get(row)?))
    }

    /// Takes down what is told.
    pub(crate) fn tell(&mut self, level: (u32, u8), numbers: Vec<f64>, nodes: Vec<Node>) {
        self.told.insert(level, (numbers, nodes));
    }

    fn call(&mut self, call: Call, build: impl FnOnce(&mut Graph) -> Node) -> Node {
        match self.mode {
            Mode::Build => build(&mut self.graph),
            Mode::Keep => {
                let node = build(&mut self.graph);
                self.calls.push((call, node));
                node
            }
            Mode::Follow => self.follow(call),
            Mode::Lost => Graph::ZERO,
        }
    }

    #[inline]
    fn follow(&mut self, call: Call) -> Node {
        match self.calls.get(self.next) {
            Some(&(known, node)) if known == call => {
                self.next += 1;
                node
            }
            _ => {
                self.mode = Mode::Lost;
                Graph::ZERO
            }
        }
    }

    /// A call with lists of arguments and `len` results.
    fn call_many<'a>(
        &mut self,
        call: impl Fn(u32) -> Call,
        arguments: impl Iterator<Item = Node> + 'a,
        len: usize,
        build: impl FnOnce(&mut Graph) -> Vec<Node>,
    ) -> Vec<Node> {
        match self.mode {
            Mode::Build => build(&mut self.graph),
            Mode::Keep => {
                let start = self.lists.len() as u32;
                let results = build(&mut self.graph);
                self.lists.extend(arguments);
                self.lists.extend(&results);
                self.calls.push((call(start), Graph::ZERO));
                results
            }
            Mode::Follow => {
                self.follow(call(self.list as u32));
                for argument in arguments {
                    if self.lists.get(self.list) != Some(&argument) {
                        self.mode = Mode::Lost;
                    }
                    self.list += 1;
                }
                self.list += len;
                match self.lists.get(self.list - len..self.list) {
                    Some(results) if self.mode == Mode::Follow => results.to_vec(),
                    _ => {
                        self.mode = Mode::Lost;
                        vec![Graph::ZERO; len]
                    }
                }
            }
            Mode::Lost => vec![Graph::ZERO; len],
        }
    }

    /// A number.
    pub(crate) fn constant(&mut self, x: f64) -> Node {
        self.call(Call::Constant(x.to_bits()), |graph| graph.constant(x))
    }

    /// An input.
    pub(crate) fn input(&mut self, source: Source, index: usize) -> Node {
        let input = (source, index as u32);
        match self.mode {
            Mode::Build => self.graph.input(source, index),
            Mode::Keep => {
                let node = self.graph.input(source, index);
                // Inputs are few.
                let number = self.graph.inputs().iter().position(|&known| known == input);
                self.calls.push((Call::Input(source, number.unwrap_or(0) as u32), node));
                node
            }
            Mode::Follow => {
                let number = self.inputs.iter().position(|&known| known == input);
                let number = number.unwrap_or_else(|| {
                    self.inputs.push(input);
                    self.inputs.len() - 1
                });
                self.follow(Call::Input(source, number as u32))
            }
            Mode::Lost => Graph::ZERO,
        }
    }

    pub(crate) fn scale(&mut self, factor: f64, a: Node) -> Node {
        self.call(Call::Scale(factor.to_bits(), a), |graph| graph.scale(factor, a))
    }

    pub(crate) fn neg(&mut self, a: Node) -> Node {
        self.scale(-1.0, a)
    }

    pub(crate) fn add(&mut self, a: Node, b: Node) -> Node {
        self.call(Call::Add(a, b), |graph| graph.add(a, b))
    }

    pub(crate) fn sub(&mut self, a: Node, b: Node) -> Node {
        self.call(Call::Sub(a, b), |graph| graph.sub(a, b))
    }

    pub(crate) fn mul(&mut self, a: Node, b: Node) -> Node {
        self.call(Call::Mul(a, b), |graph| graph.mul(a, b))
    }

    /// [`Op::Div`](super::Op::Div).
    pub(crate) fn div(&mut self, a: Node, b: Node) -> Node {
        self.call(Call::Div(a, b), |graph| graph.div(a, b))
    }

    pub(crate) fn unary(&mut self, f: Function, a: Node) -> Node {
        self.call(Call::Unary(f, a), |graph| graph.unary(f, a))
    }

    pub(crate) fn powi(&mut self, a: Node, n: i32) -> Node {
        self.call(Call::Powi(a, n), |graph| graph.powi(a, n))
    }

    pub(crate) fn powf(&mut self, a: Node, n: f64) -> Node {
        self.call(Call::Powf(a, n.to_bits()), |graph| graph.powf(a, n))
    }

    pub(crate) fn atan2(&mut self, a: Node, b: Node) -> Node {
        self.call(Call::Atan2(a, b), |graph| graph.atan2(a, b))
    }

    pub(crate) fn when(&mut self, test: Test, on: Node, a: Node) -> Node {
        self.call(Call::When(test, on, a), |graph| graph.when(test, on, a))
    }

    /// [`Graph::along`].
    pub(crate) fn along(&mut self, roots: &[Node], seeds: &[(Node, Node)]) -> Vec<Node> {
        let lens = [roots.len(), seeds.len()].map(|len| len as Node);
        let arguments = lens.into_iter().chain(roots.iter().copied());
        let arguments = arguments.chain(seeds.iter().flat_map(|&(input, by)| [input, by]));
        self.call_many(Call::Along, arguments, roots.len(), |graph| graph.along(roots, seeds))
    }

    /// [`Graph::gradient`].
    pub(crate) fn gradient(&mut self, root: Node, inputs: &[Node]) -> Vec<Node> {
        let arguments = [inputs.len() as Node, root].into_iter().chain(inputs.iter().copied());
        self.call_many(Call::Gradient, arguments, inputs.len(), |graph| {
            graph.gradient(root, inputs)
        })
    }

    /// [`Graph::inertial_force`].
    pub(crate) fn inertial_force(
        &mut self,
        energy: Node,
        coordinates: &[Coordinate],
        motion: &[(Node, Node)],
    ) -> Vec<Node> {
        let arguments = [coordinates.len() as Node, motion.len() as Node, energy].into_iter();
        let pairs = coordinates.iter().chain(motion).flat_map(|&(a, b)| [a, b]);
        let (arguments, len) = (arguments.chain(pairs), coordinates.len());
        self.call_many(Call::InertialForce, arguments, len, |graph| {
            graph.inertial_force(energy, coordinates, motion)
        })
    }
}

/// The residual pieces of one instance as expressions.
#[derive(Debug, Default)]
pub struct Pieces {
    pub(crate) graph: Recorder,
    rows: Vec<(Want, usize, Node)>,
    /// What acts along expressions, where statements are differentiated [together](super::act).
    pub(super) acts: Option<Acts>,
}

impl Pieces {
    /// Begins an instance in a graph of its own that others may follow.
    pub(crate) fn begin(&mut self) {
        self.rows.clear();
        let recorder = &mut self.graph;
        recorder.graph = Graph::default();
        recorder.told.clear();
        recorder.mode = Mode::Keep;
        recorder.calls.clear();
        recorder.lists.clear();
    }

    /// Begins an instance that may be like the one begun last.
    pub(crate) fn begin_following(&mut self) {
        self.rows.clear();
        let recorder = &mut self.graph;
        recorder.mode = Mode::Follow;
        recorder.inputs.clear();
        (recorder.next, recorder.list) = (0, 0);
    }

    /// The inputs of the instance that was followed to the end.
    pub(crate) fn followed(&self) -> Option<&[Input]> {
        let recorder = &self.graph;
        let whole = recorder.mode == Mode::Follow && recorder.next == recorder.calls.len();
        whole.then_some(&*recorder.inputs)
    }

    /// What was written down: piece, row and expression.
    pub(crate) fn rows(&self) -> &[(Want, usize, Node)] {
        &self.rows
    }

    /// The graph.
    pub(crate) fn graph(&self) -> &Graph {
        &self.graph.graph
    }

    /// The graph, for whom it was written.
    pub(crate) fn into_graph(self) -> Graph {
        self.graph.graph
    }

    /// The rows, to take them away and go on with another instance in the same graph.
    pub(crate) fn rows_mut(&mut self) -> &mut Vec<(Want, usize, Node)> {
        &mut self.rows
    }

    /// Takes back what was written since a mark.
    pub(crate) fn rewind(&mut self, mark: Mark) {
        self.graph.told.clear();
        self.graph.graph.rewind(mark);
    }

    /// The graph, to add to it.
    pub(crate) fn graph_mut(&mut self) -> &mut Graph {
        &mut self.graph.graph
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    /// c·sin(x_i − x_j) and its derivative by x_i, into rows i and j.
    fn write(pieces: &mut Pieces, [i, j]: [usize; 2], factor: f64) {
        pieces.rows.clear();
        let g = &mut pieces.graph;
        let (a, b) = (g.input(Source::Point, i), g.input(Source::Point, j));
        let difference = g.sub(a, b);
        let sin = g.unary(Function::Sin, difference);
        let value = g.scale(factor, sin);
        let slope = g.gradient(value, &[a])[0];
        pieces.add(Want::F, i, value);
        pieces.sub(Want::F, j, slope);
    }

    fn follows(pieces: &mut Pieces, at: [usize; 2], factor: f64) -> bool {
        pieces.begin_following();
        write(pieces, at, factor);
        pieces.followed().is_some()
    }

    #[test]
    fn an_instance_follows_exactly_when_its_graph_is_the_same() {
        let mut pieces = Pieces::default();
        pieces.begin();
        write(&mut pieces, [3, 4], 2.0);
        let (rows, size) = (pieces.rows().to_vec(), pieces.graph().ops().len());

        assert!(follows(&mut pieces, [7, 5], 2.0));
        assert_eq!(pieces.followed(), Some(&[(Source::Point, 7), (Source::Point, 5)][..]));
        let nodes = |rows: &[(Want, usize, Node)]| rows.iter().map(|x| x.2).collect::<Vec<_>>();
        assert_eq!(nodes(pieces.rows()), nodes(&rows));
        assert_eq!(pieces.graph().ops().len(), size);

        // Another number, one coordinate read twice, a call more, a call less.
        assert!(!follows(&mut pieces, [7, 5], 3.0));
        assert!(!follows(&mut pieces, [7, 7], 2.0));
        pieces.begin_following();
        write(&mut pieces, [7, 5], 2.0);
        pieces.add(Want::F, 7, Graph::ONE);
        assert_eq!(pieces.followed(), None);
        pieces.begin_following();
        let (a, b) = (pieces.graph.input(Source::Point, 7), pieces.graph.input(Source::Point, 5));
        pieces.graph.sub(a, b);
        assert_eq!(pieces.followed(), None);

        // Being lost is forgotten.
        assert!(follows(&mut pieces, [0, 1], 2.0));
    }
}
