//! Derivatives of a graph by numbers: forward accumulation over its operations, eight columns of a matrix at a
//! time.
//!
//! Written down as expressions the derivatives of a tree of bodies are many: of n links in joint coordinates n² entries,
//! each computed along the links between. Going through the operations of the n links for every column costs no more,
//! and needs no more memory than these. So derivatives that are wanted once are taken like this, and those of graphs that are
//! large ([`Class::is_swept`](super::recording)).

use super::batch::Sources;
use super::vm::rank;
use crate::graph::{Graph, Map, Node, Op, Read};
use crate::scalar::{Gradient, Packed};
use std::cell::RefCell;

/// Columns that are taken together.
const TOGETHER: usize = 8;

/// A column of a matrix: the direction in which inputs move, and where the derivatives along it go.
#[derive(Debug, Default)]
pub(super) struct Lane {
    /// Inputs of the graph by number, each with a number times a coefficient, where there is one.
    pub(super) seeds: Vec<(u32, f64, Option<usize>)>,
    /// Expressions, each with its place among the values.
    pub(super) results: Vec<(Node, u32)>,
}

/// Columns of a matrix by forward accumulation.
#[derive(Debug)]
pub(crate) struct Sweep {
    graph: Graph,
    /// Source and index of every input.
    inputs: Vec<(usize, u32)>,
    chunks: Vec<Chunk>,
}

/// Columns taken together.
#[derive(Debug, Default)]
struct Chunk {
    /// Node and column, and what the column begins with there.
    seeds: Vec<(Node, u8, f64, Option<usize>)>,
    moves: Vec<Move>,
    /// Node, column and place of every result.
    results: Vec<(Node, u8, u32)>,
}

/// An operation some of whose operands move.
#[derive(Clone, Copy, Debug)]
struct Move {
    node: Node,
    /// Operands; the second is [`NONE`] where one of them moves, and then the first is that one.
    from: [Node; 2],
    /// Which of the two the first is.
    first: u8,
    /// Whether the operation is a choice, which is copied or is nothing.
    chosen: bool,
}

const NONE: Node = Node::MAX;

/// Values of nodes, the derivatives of each by its operands, and those along the columns.
#[derive(Default)]
struct Scratch {
    values: Vec<f64>,
    partials: Vec<[f64; 2]>,
    tangents: Vec<[f64; TOGETHER]>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Sweep {
    /// Columns of a graph; `input` gives the index of an input in its source.
    pub(super) fn new(graph: &mut Graph, lanes: &[Lane], input: impl Fn(u32) -> u32) -> Self {
        let mut roots: Vec<Node> =
            lanes.iter().flat_map(|lane| lane.results.iter().map(|x| x.0)).collect();
        roots.sort_unstable();
        roots.dedup();
        let (graph, at, reads) = graph.part(&roots, None);
        let of_root: Map<Node, Node> = roots.into_iter().zip(at).collect();
        let mut of_input: Map<u32, Node> = Map::default();
        for (&op, node) in graph.ops().iter().zip(0..) {
            if let Op::Input(k) = op
                && let Read::Input(number) = reads[k as usize]
            {
                of_input.insert(number, node);
            }
        }
        let inputs = graph.inputs().iter().zip(&reads).map(|(x, read)| match *read {
            Read::Input(k) | Read::Hoisted(k) => (rank(x.0), input(k)),
        });
        let inputs = inputs.collect();
        let chunks =
            lanes.chunks(TOGETHER).map(|lanes| Chunk::new(&graph, lanes, &of_input, &of_root));
        let chunks = chunks.collect();
        Sweep { graph, inputs, chunks }
    }

    /// Adds the derivatives to the values at their places.
    pub(super) fn run(&self, from: &Sources<'_>, coefficients: &[f64], to: &mut [f64]) {
        SCRATCH.with_borrow_mut(|scratch| {
            self.evaluate(from, scratch);
            for chunk in &self.chunks {
                chunk.run(coefficients, scratch, to);
            }
        });
    }

    fn evaluate(&self, from: &Sources<'_>, scratch: &mut Scratch) {
        let Scratch { values, partials, tangents } = scratch;
        let ops = self.graph.ops();
        values.clear();
        partials.clear();
        tangents.resize(ops.len().max(tangents.len()), [0.0; TOGETHER]);
        for &op in ops {
            let at = |x: Option<Node>| x.map_or(0.0, |x| values[x as usize]);
            let (value, slopes) = match op {
                Op::Const(bits) => (f64::from_bits(bits), [0.0; 2]),
                Op::Input(k) => {
                    let (source, place) = self.inputs[k as usize];
                    (from[source].get(place as usize).copied().unwrap_or(0.0), [0.0; 2])
                }
                _ => {
                    let [a, b] = op.operands();
                    value_and_partials(op, at(a), at(b))
                }
            };
            values.push(value);
            partials.push(slopes);
        }
    }
}

impl Chunk {
    fn new(
        graph: &Graph,
        lanes: &[Lane],
        of_input: &Map<u32, Node>,
        of_root: &Map<Node, Node>,
    ) -> Self {
        let ops = graph.ops();
        let mut chunk = Chunk::default();
        // Which of the columns each node depends on, and then for which of these it is needed.
        let mut moves = vec![0u8; ops.len()];
        for (lane, c) in lanes.iter().zip(0..) {
            for &(input, factor, coefficient) in &lane.seeds {
                if let Some(&node) = of_input.get(&input) {
                    moves[node as usize] |= 1 << c;
                    chunk.seeds.push((node, c, factor, coefficient));
                }
            }
        }
        for (node, op) in ops.iter().enumerate() {
            moves[node] |= moving(*op).fold(0, |all, x| all | moves[x as usize]);
        }
        let mut needed = vec![0u8; ops.len()];
        for (lane, c) in lanes.iter().zip(0..) {
            for &(root, place) in &lane.results {
                let Some(&node) = of_root.get(&root) else { continue };
                needed[node as usize] |= 1 << c;
                if moves[node as usize] >> c & 1 == 1 {
                    chunk.results.push((node, c, place));
                }
            }
        }
        for (node, op) in ops.iter().enumerate().rev() {
            moves[node] &= needed[node];
            moving(*op).for_each(|x| needed[x as usize] |= moves[node]);
        }
        for (node, &op) in (0..).zip(ops) {
            if moves[node as usize] == 0 {
                continue;
            }
            let moves = |x: &Node| moves[*x as usize] != 0;
            let chosen = matches!(op, Op::When(..));
            let [a, b] = op.operands().map(|x| x.filter(moves));
            let (from, first) = match (a.filter(|_| !chosen), b) {
                (Some(a), Some(b)) => ([a, b], 0),
                (Some(a), None) => ([a, NONE], 0),
                (None, Some(b)) => ([b, NONE], 1),
                (None, None) => continue,
            };
            chunk.moves.push(Move { node, from, first, chosen });
        }
        chunk
    }

    fn run(&self, coefficients: &[f64], scratch: &mut Scratch, to: &mut [f64]) {
        let Scratch { partials, tangents, .. } = scratch;
        for &(node, ..) in &self.seeds {
            tangents[node as usize] = [0.0; TOGETHER];
        }
        for &(node, c, factor, coefficient) in &self.seeds {
            let coefficient = coefficient.map_or(1.0, |k| coefficients[k]);
            tangents[node as usize][usize::from(c)] += factor * coefficient;
        }
        // What does not move stays so where a slope is infinite.
        let part = |slope: f64, x: f64| if x == 0.0 { 0.0 } else { slope * x };
        for &Move { node, from: [a, b], first, chosen } in &self.moves {
            let partials = partials[node as usize];
            let x = tangents[a as usize];
            tangents[node as usize] = if chosen {
                if partials[1] == 0.0 { [0.0; TOGETHER] } else { x }
            } else if b == NONE {
                let p = partials[usize::from(first)];
                x.map(|x| part(p, x))
            } else {
                let (y, [p, q]) = (tangents[b as usize], partials);
                std::array::from_fn(|c| part(p, x[c]) + part(q, y[c]))
            };
        }
        for &(node, c, place) in &self.results {
            if let Some(to) = to.get_mut(place as usize) {
                *to += tangents[node as usize][usize::from(c)];
            }
        }
    }
}

/// The operands that an operation moves with: of a choice what is chosen.
pub(super) fn moving(op: Op) -> impl Iterator<Item = Node> {
    let [a, b] = op.operands();
    [a.filter(|_| !matches!(op, Op::When(..))), b].into_iter().flatten()
}

/// The value of an operation on one or two operands, and its derivatives by them.
fn value_and_partials(op: Op, a: f64, b: f64) -> (f64, [f64; 2]) {
    let moving = |value: f64, slopes: [f64; 2]| {
        let [p, q] = slopes;
        Gradient { value, slopes: [p, q, 0.0, 0.0] }.unpack()
    };
    let result = match op {
        Op::Add(..) => return (a + b, [1.0, 1.0]),
        Op::Sub(..) => return (a - b, [1.0, -1.0]),
        Op::Mul(..) => return (a * b, [b, a]),
        Op::Div(..) => return (a / b, [1.0 / b, -a / b / b]),
        Op::When(test, ..) if test.holds(a) => return (b, [0.0, 1.0]),
        Op::When(..) | Op::Const(_) | Op::Input(_) => return (0.0, [0.0; 2]),
        Op::Unary(f, _) => moving(a, [1.0, 0.0]).function(f),
        Op::Powi(_, n) => moving(a, [1.0, 0.0]).powi(n),
        Op::Powf(_, n) => moving(a, [1.0, 0.0]).powf(f64::from_bits(n)),
        Op::Atan2(..) => moving(a, [1.0, 0.0]).atan2(moving(b, [0.0, 1.0])),
    };
    let Gradient { value, slopes } = Gradient::pack(result);
    (value, [slopes[0], slopes[1]])
}
