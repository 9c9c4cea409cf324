//! Expressions as a graph whose equal parts exist once: the table that finds them, and what of the
//! graph an expression is computed from. Built by the constructors of the [normal form](super::normal),
//! never by hand.

use super::map::Mixer;
use super::op::{Input, Node, Op, Source};

/// The graph.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub(super) ops: Vec<Op>,
    /// Whether a node depends on nothing but numbers, parameters and coefficients.
    fixed: Vec<bool>,
    pub(super) inputs: Vec<Input>,
    /// Every node at the place its hash says, or the next free one; a power of two of places, at
    /// least half of them [`FREE`].
    table: Vec<Node>,
    /// Of [`tape`](Self::tape): nodes to visit, one bit each, all clear between calls.
    marked: Vec<u64>,
    /// Of [`tape`](Self::tape): where each node of the last tape is in it.
    pub(super) place: Vec<u32>,
    /// Whether a node was not added because there are [`LARGEST`].
    is_full: bool,
}

/// Most nodes of a graph, some 150 MB of them. What would need more is left to dual numbers.
pub(crate) const LARGEST: usize = 1 << 21;

/// A size to come back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    nodes: usize,
    inputs: usize,
}

/// A place of the table that no node has.
const FREE: Node = Node::MAX;

impl Default for Graph {
    fn default() -> Self {
        let mut graph = Graph {
            ops: Vec::new(),
            fixed: Vec::new(),
            inputs: Vec::new(),
            table: vec![FREE; 64],
            marked: Vec::new(),
            place: Vec::new(),
            is_full: false,
        };
        graph.constant(0.0);
        graph.constant(1.0);
        graph
    }
}

impl Graph {
    /// The number 0.
    pub(crate) const ZERO: Node = 0;
    /// The number 1.
    pub(crate) const ONE: Node = 1;

    /// A graph to be evaluated and not added to.
    pub(super) fn closed(ops: Vec<Op>, fixed: Vec<bool>, inputs: Vec<Input>) -> Self {
        let (table, marked, place) = (Vec::new(), Vec::new(), Vec::new());
        Graph { ops, fixed, inputs, table, marked, place, is_full: false }
    }

    pub(crate) fn ops(&self) -> &[Op] {
        &self.ops
    }

    pub(crate) fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Hash of an operation, of an input by what it is.
    #[inline]
    fn hash(op: Op, input: impl Fn(u32) -> Input) -> u64 {
        let pair = |a: Node, b: Node| u64::from(a) << 32 | u64::from(b);
        Mixer::mix(match op {
            Op::Const(bits) => [0, bits, 0],
            Op::Input(k) => {
                let (source, index) = input(k);
                [1, source as u64, u64::from(index)]
            }
            Op::Add(a, b) => [2, pair(a, b), 0],
            Op::Sub(a, b) => [3, pair(a, b), 0],
            Op::Mul(a, b) => [4, pair(a, b), 0],
            Op::Unary(f, a) => [5, pair(f as u32, a), 0],
            Op::Powi(a, n) => [6, pair(a, n as u32), 0],
            Op::Powf(a, n) => [7, u64::from(a), n],
            Op::Atan2(a, b) => [8, pair(a, b), 0],
            Op::Div(a, b) => [10, pair(a, b), 0],
            Op::When(test, a, b) => [9, pair(a, b), test.sign as u64 * 2 + u64::from(test.not)],
        })
    }

    /// The place in the table of the node that `is` the one looked for, or the free one it would
    /// have.
    #[inline]
    fn look_up(&self, hash: u64, is: impl Fn(Op) -> bool) -> usize {
        let last = self.table.len() - 1;
        let mut at = (hash >> (64 - self.table.len().trailing_zeros())) as usize;
        loop {
            let node = self.table[at];
            if node == FREE || is(self.ops[node as usize]) {
                return at;
            }
            at = (at + 1) & last;
        }
    }

    #[inline]
    pub(super) fn intern(&mut self, op: Op) -> Node {
        let hash = Self::hash(op, |k| self.inputs[k as usize]);
        let at = self.look_up(hash, |known| known == op);
        match self.table[at] {
            FREE => self.push(op, at),
            node => node,
        }
    }

    /// Adds a node whose free place in the table is known.
    fn push(&mut self, op: Op, at: usize) -> Node {
        if self.ops.len() >= LARGEST {
            self.is_full = true;
            return Self::ZERO;
        }
        let node = self.ops.len() as Node;
        self.fixed.push(match op {
            Op::Const(_) => true,
            Op::Input(k) => self.inputs[k as usize].0.is_fixed(),
            _ => op.operands().into_iter().flatten().all(|x| self.is_fixed(x)),
        });
        self.ops.push(op);
        self.table[at] = node;
        if 2 * self.ops.len() > self.table.len() {
            self.tabulate(4 * self.table.len());
        }
        node
    }

    /// Makes the table anew, of so many places.
    fn tabulate(&mut self, places: usize) {
        self.table.clear();
        self.table.resize(places, FREE);
        for (node, &op) in self.ops.iter().enumerate() {
            // Nodes differ, so that the first free place is meant.
            let at = self.look_up(Self::hash(op, |k| self.inputs[k as usize]), |_| false);
            self.table[at] = node as Node;
        }
    }

    /// Whether nodes are missing because there were too many: what has been built since the graph was
    /// small enough is not what was asked for, and must be taken [back](Self::rewind).
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// The size as it is.
    pub(crate) fn mark(&self) -> Mark {
        Mark { nodes: self.ops.len(), inputs: self.inputs.len() }
    }

    /// Takes back everything added since.
    pub(crate) fn rewind(&mut self, to: Mark) {
        self.ops.truncate(to.nodes);
        self.fixed.truncate(to.nodes);
        self.inputs.truncate(to.inputs);
        self.is_full = false;
        self.tabulate(self.table.len());
    }

    pub(crate) fn constant(&mut self, x: f64) -> Node {
        // One zero: the sign of an exact zero carries nothing here.
        self.intern(Op::Const(if x == 0.0 { 0 } else { x.to_bits() }))
    }

    pub(crate) fn input(&mut self, source: Source, index: usize) -> Node {
        let input = (source, index as u32);
        let hash = Self::hash(Op::Input(0), |_| input);
        let is = |op| matches!(op, Op::Input(k) if self.inputs[k as usize] == input);
        let at = self.look_up(hash, is);
        match self.table[at] {
            FREE => {
                let op = Op::Input(self.inputs.len() as u32);
                self.inputs.push(input);
                self.push(op, at)
            }
            node => node,
        }
    }

    pub(crate) fn value_of(&self, node: Node) -> Option<f64> {
        match self.ops[node as usize] {
            Op::Const(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// Whether a node depends on nothing but numbers, parameters and coefficients.
    pub(crate) fn is_fixed(&self, node: Node) -> bool {
        self.fixed[node as usize]
    }

    /// Which nodes the roots are computed from, up to the last root.
    pub(crate) fn reach(&self, roots: &[Node]) -> Vec<bool> {
        let mut needed = vec![false; roots.iter().max().map_or(0, |&m| m as usize + 1)];
        for &root in roots {
            needed[root as usize] = true;
        }
        for i in (0..needed.len()).rev() {
            if needed[i] {
                for operand in self.ops[i].operands().into_iter().flatten() {
                    needed[operand as usize] = true;
                }
            }
        }
        needed
    }

    /// The inputs that the roots are computed from, by number.
    pub(crate) fn inputs_of(&mut self, roots: &[Node]) -> Vec<u32> {
        let tape = self.tape(roots).into_iter();
        tape.filter_map(|node| match self.ops[node as usize] {
            Op::Input(k) => Some(k),
            _ => None,
        })
        .collect()
    }

    /// What the roots are computed from, they included, in order; [`place`](Self::place) says where
    /// each is.
    pub(crate) fn tape(&mut self, roots: &[Node]) -> Vec<Node> {
        self.tape_until(roots, |_, _| false)
    }

    /// The place of a node in the last [`tape`](Self::tape), which it is in.
    pub(crate) fn place(&self, node: Node) -> usize {
        self.place[node as usize] as usize
    }

    /// The same as [`tape`](Self::tape), of some nodes without what they are computed from.
    #[inline]
    pub(super) fn tape_until(
        &mut self,
        roots: &[Node],
        ends: impl Fn(&Self, Node) -> bool,
    ) -> Vec<Node> {
        let end = roots.iter().max().map_or(0, |&last| last as usize + 1);
        self.marked.resize(self.ops.len().div_ceil(64).max(self.marked.len()), 0);
        self.place.resize(self.ops.len().max(self.place.len()), 0);
        let mark = |marked: &mut [u64], node: Node| marked[node as usize / 64] |= 1 << (node % 64);
        roots.iter().for_each(|&root| mark(&mut self.marked, root));
        let mut tape = Vec::with_capacity(64);
        for word in (0..end.div_ceil(64)).rev() {
            // Operands precede results: what is marked here is marked before it is reached.
            while self.marked[word] != 0 {
                let bit = self.marked[word].ilog2();
                self.marked[word] ^= 1 << bit;
                let node = word as Node * 64 + bit;
                tape.push(node);
                let operands = match ends(self, node) {
                    true => [None, None],
                    false => self.ops[node as usize].operands(),
                };
                operands.into_iter().flatten().for_each(|x| mark(&mut self.marked, x));
            }
        }
        tape.reverse();
        (0..).zip(&tape).for_each(|(k, &node)| self.place[node as usize] = k);
        tape
    }
}
