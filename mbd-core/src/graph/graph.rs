//! Expressions as a graph whose equal parts exist once, simplified as it is built, and its
//! derivatives: along a direction (forward) and by many inputs at once (reverse).
//!
//! Derivatives are built by the same simplifying constructors, so a product with a structural zero
//! never comes into being and what two rows share is computed once.

use crate::scalar::{Function, Test};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Index of an expression in its graph. Operands precede results.
pub(crate) type Node = u32;

/// Where an input of an expression comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Source {
    /// The flat point.
    Point,
    /// A parameter, by its index in the flat point.
    Param,
    /// The weight u.
    U,
    /// The weight s.
    S,
    /// The weight r.
    R,
    /// The coefficients of a matrix.
    Coefficient,
}

impl Source {
    /// Whether it stays what it is from evaluation to evaluation.
    pub(crate) fn is_fixed(self) -> bool {
        matches!(self, Source::Param | Source::Coefficient)
    }
}

/// One input: where it comes from and its index there.
pub(crate) type Input = (Source, u32);

/// One operation. Numbers are held by their bits, so that operations can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    Const(u64),
    /// Index among the graph's inputs.
    Input(u32),
    Add(Node, Node),
    Sub(Node, Node),
    Mul(Node, Node),
    Unary(Function, Node),
    Powi(Node, i32),
    Powf(Node, u64),
    Atan2(Node, Node),
    /// The second operand where the first passes the test, 0 where it does not.
    When(Test, Node, Node),
}

impl Op {
    /// The operands.
    pub(crate) fn operands(self) -> [Option<Node>; 2] {
        match self {
            Op::Const(_) | Op::Input(_) => [None, None],
            Op::Unary(_, a) | Op::Powi(a, _) | Op::Powf(a, _) => [Some(a), None],
            Op::Add(a, b) | Op::Sub(a, b) | Op::Mul(a, b) | Op::Atan2(a, b) | Op::When(_, a, b) => {
                [Some(a), Some(b)]
            }
        }
    }

    /// Whether value and derivatives are finite wherever the operands are.
    fn is_total(self) -> bool {
        use Function::*;
        match self {
            Op::Unary(f, _) => matches!(f, Sin | Cos | Atan | Tanh | Asinh),
            Op::Powi(_, n) => n >= 0,
            Op::Powf(..) | Op::Atan2(..) => false,
            // Of what is not chosen nothing is in it.
            Op::Const(_)
            | Op::Input(_)
            | Op::Add(..)
            | Op::Sub(..)
            | Op::Mul(..)
            | Op::When(..) => true,
        }
    }
}

/// A multiplicative hash: operations are few words and not hostile.
#[derive(Default)]
pub(crate) struct Mixer(u64);

impl Mixer {
    /// Hash of three words.
    fn mix(words: [u64; 3]) -> u64 {
        let mut mixer = Mixer::default();
        words.into_iter().for_each(|x| mixer.write_u64(x));
        mixer.0
    }
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }
    #[inline]
    fn write_u64(&mut self, x: u64) {
        self.0 = (self.0.rotate_left(5) ^ x).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    #[inline]
    fn write_u32(&mut self, x: u32) {
        self.write_u64(u64::from(x));
    }
    #[inline]
    fn write_i32(&mut self, x: i32) {
        self.write_u64(x as u64);
    }
    #[inline]
    fn write_isize(&mut self, x: isize) {
        self.write_u64(x as u64);
    }
}

/// A map keyed by small values.
pub(crate) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mixer>>;

/// Fixed expressions that are computed once for many evaluations, and the number that each has in
/// the list of coefficients.
#[derive(Debug, Default)]
pub(crate) struct Hoisted {
    numbers: Map<Node, u32>,
    next: u32,
}

impl Hoisted {
    /// None so far; the first gets this number.
    pub(crate) fn new(first: u32) -> Self {
        Hoisted { numbers: Map::default(), next: first }
    }

    fn number(&mut self, node: Node) -> u32 {
        *self.numbers.entry(node).or_insert_with(|| {
            self.next += 1;
            self.next - 1
        })
    }

    /// The next number.
    pub(crate) fn next(&self) -> u32 {
        self.next
    }

    /// All of them with their numbers, which are forgotten.
    pub(crate) fn take(&mut self) -> Vec<(Node, u32)> {
        let mut all: Vec<(Node, u32)> = self.numbers.drain().collect();
        all.sort_unstable_by_key(|x| x.1);
        all
    }
}

/// What an input of a part is in the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Read {
    /// An input, by its number.
    Input(u32),
    /// A [`Hoisted`] expression, by its number among the coefficients.
    Hoisted(u32),
}

/// The graph.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    ops: Vec<Op>,
    /// Whether a node depends on nothing but numbers, parameters and coefficients.
    fixed: Vec<bool>,
    inputs: Vec<Input>,
    /// Every node at the place its hash says, or the next free one; a power of two of places, at
    /// least half of them [`FREE`].
    table: Vec<Node>,
    /// Of [`tape`](Self::tape): nodes to visit, one bit each, all clear between calls.
    marked: Vec<u64>,
    /// Of [`tape`](Self::tape): where each node of the last tape is in it.
    place: Vec<u32>,
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
    fn intern(&mut self, op: Op) -> Node {
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

    /// A fixed expression as number times rest.
    fn scaled(&self, fixed: Node) -> (f64, Node) {
        if let Some(x) = self.value_of(fixed) {
            return (x, Self::ONE);
        }
        if let Op::Mul(a, b) = self.ops[fixed as usize]
            && let Some(factor) = self.value_of(a)
        {
            return (factor, b);
        }
        (1.0, fixed)
    }

    /// An expression as fixed factor times rest.
    fn factored(&self, node: Node) -> (Node, Node) {
        if self.is_fixed(node) {
            return (node, Self::ONE);
        }
        match self.ops[node as usize] {
            Op::Mul(a, b) if self.is_fixed(a) => (a, b),
            _ => (Self::ONE, node),
        }
    }

    /// A fixed factor times an expression that has none.
    fn attach(&mut self, factor: Node, rest: Node) -> Node {
        match (factor, rest) {
            (_, Self::ONE) => factor,
            (Self::ONE, _) => rest,
            (Self::ZERO, _) => Self::ZERO,
            _ => self.intern(Op::Mul(factor, rest)),
        }
    }

    /// A number times a fixed expression.
    fn fixed_scale(&mut self, factor: f64, fixed: Node) -> Node {
        let (inner, rest) = self.scaled(fixed);
        let factor = factor * inner;
        if rest == Self::ONE || factor == 0.0 {
            return self.constant(factor);
        }
        if factor == 1.0 {
            return rest;
        }
        let factor = self.constant(factor);
        self.intern(Op::Mul(factor, rest))
    }

    /// The product of fixed expressions: a number times the other factors in order, so that equal
    /// products are one node.
    fn fixed_mul(&mut self, a: Node, b: Node) -> Node {
        let ((p, x), (q, y)) = (self.scaled(a), self.scaled(b));
        let product = self.ordered(x, y);
        self.fixed_scale(p * q, product)
    }

    /// The product of fixed factors in order, without numbers.
    fn ordered(&mut self, a: Node, b: Node) -> Node {
        if a == Self::ONE || b == Self::ONE {
            return a.max(b);
        }
        let last = |graph: &Self, x: Node| match graph.ops[x as usize] {
            Op::Mul(rest, last) => (rest, last),
            _ => (Self::ONE, x),
        };
        let ((p, x), (q, y)) = (last(self, a), last(self, b));
        let (rest, last) = if x > y { (self.ordered(p, b), x) } else { (self.ordered(a, q), y) };
        self.attach(rest, last)
    }

    /// The sum or difference of fixed expressions.
    fn fixed_sum(&mut self, a: Node, b: Node, minus: bool) -> Node {
        let ((p, x), (mut q, y)) = (self.scaled(a), self.scaled(b));
        if minus {
            q = -q;
        }
        if x == y {
            return self.fixed_scale(p + q, x);
        }
        if p == q || p == -q {
            let sum = match p == q {
                true => self.intern(Op::Add(x.min(y), x.max(y))),
                false if x < y => self.intern(Op::Sub(x, y)),
                false => {
                    let difference = self.intern(Op::Sub(y, x));
                    return self.fixed_scale(-p, difference);
                }
            };
            return self.fixed_scale(p, sum);
        }
        let (a, b) = (self.fixed_scale(p.abs(), x), self.fixed_scale(q.abs(), y));
        match (p > 0.0, q > 0.0) {
            (true, true) => self.intern(Op::Add(a.min(b), a.max(b))),
            (true, false) => self.intern(Op::Sub(a, b)),
            (false, true) => self.intern(Op::Sub(b, a)),
            (false, false) => {
                let sum = self.intern(Op::Add(a.min(b), a.max(b)));
                self.fixed_scale(-1.0, sum)
            }
        }
    }

    pub(crate) fn scale(&mut self, factor: f64, node: Node) -> Node {
        if factor == 1.0 {
            return node;
        }
        let (inner, rest) = self.factored(node);
        let factor = self.fixed_scale(factor, inner);
        self.attach(factor, rest)
    }

    pub(crate) fn neg(&mut self, a: Node) -> Node {
        self.scale(-1.0, a)
    }

    pub(crate) fn add(&mut self, a: Node, b: Node) -> Node {
        self.sum(a, b, false)
    }

    /// a + b, or a − b.
    fn sum(&mut self, a: Node, b: Node, minus: bool) -> Node {
        match (a, b) {
            (_, Self::ZERO) => return a,
            (Self::ZERO, _) => return if minus { self.neg(b) } else { b },
            _ => {}
        }
        let ((p, x), (q, y)) = (self.factored(a), self.factored(b));
        if x == y {
            let factor = self.fixed_sum(p, q, minus);
            return self.attach(factor, x);
        }
        // Signs go outside.
        let negative = |graph: &Self, factor| graph.scaled(factor).0 < 0.0;
        if negative(self, q) {
            let b = self.neg(b);
            return self.sum(a, b, !minus);
        }
        if negative(self, p) {
            let a = self.neg(a);
            let sum = self.sum(a, b, !minus);
            return self.neg(sum);
        }
        if let Some(sum) = self.merged(a, b, minus) {
            return sum;
        }
        match (minus, a < b) {
            (false, _) => self.intern(Op::Add(a.min(b), a.max(b))),
            (true, true) => self.intern(Op::Sub(a, b)),
            // One of a − b and b − a is there, and the other its negative.
            (true, false) => {
                let difference = self.intern(Op::Sub(b, a));
                self.neg(difference)
            }
        }
    }

    /// a ± b with the factor taken out that b has in common with a, or with one of two terms that
    /// a is the sum of.
    fn merged(&mut self, a: Node, b: Node, minus: bool) -> Option<Node> {
        if let Some(product) = self.taken_out(a, b, minus) {
            return Some(product);
        }
        let (l, r, inner) = match self.ops[a as usize] {
            Op::Add(l, r) if !self.is_fixed(a) => (l, r, false),
            Op::Sub(l, r) if !self.is_fixed(a) => (l, r, true),
            _ => return None,
        };
        // l ± r ± b.
        if let Some(r) = self.taken_out(r, b, minus != inner) {
            return Some(self.sum(l, r, inner));
        }
        let l = self.taken_out(l, b, minus)?;
        Some(self.sum(l, r, inner))
    }

    /// a ± b as a common factor times what is left.
    fn taken_out(&mut self, a: Node, b: Node, minus: bool) -> Option<Node> {
        let ((p, x), (q, y)) = (self.factored(a), self.factored(b));
        if p == q && p != Self::ONE {
            let sum = self.sum(x, y, minus);
            return Some(self.mul(p, sum));
        }
        if let (Op::When(test, on, c), Op::When(other, same, d)) =
            (self.ops[x as usize], self.ops[y as usize])
            && on == same
        {
            if test == other {
                let (left, right) = (self.mul(p, c), self.mul(q, d));
                let sum = self.sum(left, right, minus);
                return Some(self.when(test, on, sum));
            }
            if test == other.opposite() && c == d && p == q && !minus {
                return Some(self.mul(p, c));
            }
        }
        let (Op::Mul(c, d), Op::Mul(e, f)) = (self.ops[x as usize], self.ops[y as usize]) else {
            return None;
        };
        let (common, left, right) = match () {
            _ if c == e => (c, d, f),
            _ if c == f => (c, d, e),
            _ if d == e => (d, c, f),
            _ if d == f => (d, c, e),
            _ => return None,
        };
        let (left, right) = (self.mul(p, left), self.mul(q, right));
        let sum = self.sum(left, right, minus);
        Some(self.mul(common, sum))
    }

    pub(crate) fn sub(&mut self, a: Node, b: Node) -> Node {
        self.sum(a, b, true)
    }

    pub(crate) fn mul(&mut self, a: Node, b: Node) -> Node {
        let ((p, x), (q, y)) = (self.factored(a), self.factored(b));
        let factor = match (p, q) {
            (Self::ONE, factor) | (factor, Self::ONE) => factor,
            _ => self.fixed_mul(p, q),
        };
        let rest = match (x, y) {
            (Self::ONE, rest) | (rest, Self::ONE) => rest,
            _ => self.intern(Op::Mul(x.min(y), x.max(y))),
        };
        self.attach(factor, rest)
    }

    pub(crate) fn unary(&mut self, f: Function, a: Node) -> Node {
        if let Some(x) = self.value_of(a) {
            return self.constant(f.value(x));
        }
        self.intern(Op::Unary(f, a))
    }

    pub(crate) fn powi(&mut self, a: Node, n: i32) -> Node {
        match (self.value_of(a), n) {
            (_, 0) => self.constant(1.0),
            (_, 1) => a,
            (Some(x), _) => self.constant(x.powi(n)),
            (_, 2) => self.mul(a, a),
            (_, -1) => self.unary(Function::Recip, a),
            _ => self.intern(Op::Powi(a, n)),
        }
    }

    pub(crate) fn powf(&mut self, a: Node, n: f64) -> Node {
        if n == 0.0 {
            return self.constant(1.0);
        }
        if n == 1.0 {
            return a;
        }
        match self.value_of(a) {
            Some(x) => self.constant(x.powf(n)),
            None => self.intern(Op::Powf(a, n.to_bits())),
        }
    }

    pub(crate) fn atan2(&mut self, a: Node, b: Node) -> Node {
        match (self.value_of(a), self.value_of(b)) {
            (Some(x), Some(y)) => self.constant(x.atan2(y)),
            _ => self.intern(Op::Atan2(a, b)),
        }
    }

    /// Whether a small expression is made of sums and products alone, finite wherever its inputs are.
    fn is_polynomial(&self, node: Node) -> bool {
        const MOST: usize = 32;
        let mut pending = vec![node];
        for _ in 0..MOST {
            let Some(node) = pending.pop() else { return true };
            match self.ops[node as usize] {
                Op::Const(bits) if !f64::from_bits(bits).is_finite() => return false,
                Op::Const(_) | Op::Input(_) => {}
                Op::Add(a, b) | Op::Sub(a, b) | Op::Mul(a, b) => pending.extend([a, b]),
                _ => return false,
            }
        }
        pending.is_empty()
    }

    /// `a` where `on` passes the test, 0 where it does not. Factors that are finite for certain stand
    /// outside.
    pub(crate) fn when(&mut self, test: Test, on: Node, a: Node) -> Node {
        if a == Self::ZERO {
            return a;
        }
        if let Some(x) = self.value_of(on) {
            return if test.holds(x) { a } else { Self::ZERO };
        }
        // A number's size does not matter to a sign.
        let (factor, rest) = self.factored(on);
        let (number, factor) = self.scaled(factor);
        let (test, on) = if number == 1.0 || number == 0.0 || !number.is_finite() {
            (test, on)
        } else {
            let test = if number < 0.0 { test.of_negative() } else { test };
            (test, if rest == Self::ONE { factor } else { self.attach(factor, rest) })
        };
        if let Op::When(inner, same, _) = self.ops[a as usize]
            && same == on
        {
            match inner {
                _ if inner == test => return a,
                _ if inner == test.opposite() => return Self::ZERO,
                _ => {}
            }
        }
        let (factor, rest) = match self.factored(a) {
            (factor, rest) if !self.is_fixed(a) && self.is_polynomial(factor) => (factor, rest),
            // What may be no number on the side not taken stays inside, as 1/k where k may be 0.
            _ => (Self::ONE, a),
        };
        let chosen = self.intern(Op::When(test, on, rest));
        self.mul(factor, chosen)
    }

    /// Builds an operation, simplified, on other operands.
    pub(crate) fn build(&mut self, op: Op, a: Node, b: Node) -> Node {
        match op {
            Op::Const(_) | Op::Input(_) => a,
            Op::Add(..) => self.add(a, b),
            Op::Sub(..) => self.sub(a, b),
            Op::Mul(..) => self.mul(a, b),
            Op::Unary(f, _) => self.unary(f, a),
            Op::Powi(_, n) => self.powi(a, n),
            Op::Powf(_, n) => self.powf(a, f64::from_bits(n)),
            Op::Atan2(..) => self.atan2(a, b),
            Op::When(test, ..) => self.when(test, a, b),
        }
    }

    /// Copies expressions of another graph, whose inputs are `inputs` here.
    pub(crate) fn import(&mut self, from: &Graph, roots: &[Node], inputs: &[Input]) -> Vec<Node> {
        let needed = from.reach(roots);
        let mut here = vec![0; needed.len()];
        for (i, _) in needed.iter().enumerate().filter(|(_, needed)| **needed) {
            let op = from.ops[i];
            here[i] = match op {
                Op::Const(bits) => self.constant(f64::from_bits(bits)),
                Op::Input(k) => {
                    let (source, index) = inputs[k as usize];
                    self.input(source, index as usize)
                }
                _ => {
                    let [a, b] = op.operands().map(|x| x.map_or(0, |x| here[x as usize]));
                    self.build(op, a, b)
                }
            };
        }
        roots.iter().map(|&root| here[root as usize]).collect()
    }

    /// The part that the roots are computed from as a graph by itself, to be evaluated and not
    /// added to; the roots in it, and what every input there is here. Inputs are in the order of
    /// their sources, then of their numbers; nodes stay in order. With `hoisted`, fixed expressions
    /// become inputs: coefficients by their number in it.
    pub(crate) fn part(
        &mut self,
        roots: &[Node],
        mut hoisted: Option<&mut Hoisted>,
    ) -> (Graph, Vec<Node>, Vec<Read>) {
        let hoists = hoisted.is_some();
        let is_hoisted = |graph: &Self, node: Node| {
            hoists && graph.is_fixed(node) && graph.ops[node as usize].operands()[0].is_some()
        };
        let tape = self.tape_until(roots, is_hoisted);
        let mut numbers: Vec<(Source, Read, Node)> = Vec::new();
        for &node in &tape {
            if let Op::Input(k) = self.ops[node as usize] {
                numbers.push((self.inputs[k as usize].0, Read::Input(k), node));
            } else if let Some(hoisted) = &mut hoisted
                && is_hoisted(self, node)
            {
                numbers.push((Source::Coefficient, Read::Hoisted(hoisted.number(node)), node));
            }
        }
        numbers.sort_unstable();
        let mut input = vec![0; tape.len()];
        for (k, &(_, _, node)) in (0..).zip(&numbers) {
            input[self.place[node as usize] as usize] = k;
        }
        let place = |x: Node| self.place[x as usize];
        let ops = tape.iter().zip(input).map(|(&node, input)| match self.ops[node as usize] {
            _ if is_hoisted(self, node) => Op::Input(input),
            Op::Const(bits) => Op::Const(bits),
            Op::Input(_) => Op::Input(input),
            Op::Add(a, b) => Op::Add(place(a), place(b)),
            Op::Sub(a, b) => Op::Sub(place(a), place(b)),
            Op::Mul(a, b) => Op::Mul(place(a), place(b)),
            Op::Unary(f, a) => Op::Unary(f, place(a)),
            Op::Powi(a, n) => Op::Powi(place(a), n),
            Op::Powf(a, n) => Op::Powf(place(a), n),
            Op::Atan2(a, b) => Op::Atan2(place(a), place(b)),
            Op::When(test, a, b) => Op::When(test, place(a), place(b)),
        });
        let inputs = numbers.iter().map(|&(source, read, _)| match read {
            Read::Input(k) => self.inputs[k as usize],
            Read::Hoisted(number) => (source, number),
        });
        let part = Graph {
            ops: ops.collect(),
            fixed: tape.iter().map(|&node| self.is_fixed(node)).collect(),
            inputs: inputs.collect(),
            table: Vec::new(),
            marked: Vec::new(),
            place: Vec::new(),
            is_full: false,
        };
        let roots = roots.iter().map(|&root| place(root)).collect();
        (part, roots, numbers.into_iter().map(|x| x.1).collect())
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

    /// ∂(operation)/∂(first, second operand).
    fn partials(&mut self, node: Node) -> [Node; 2] {
        use Function::*;
        let (zero, one) = (Self::ZERO, Self::ONE);
        match self.ops[node as usize] {
            // What is chosen moves by itself, [`chain`](Self::chain) and
            // [`gradient`](Self::gradient) say.
            Op::Const(_) | Op::Input(_) | Op::When(..) => [zero, zero],
            Op::Add(..) => [one, one],
            Op::Sub(..) => [one, self.constant(-1.0)],
            Op::Mul(a, b) => [b, a],
            Op::Powi(a, n) => {
                let power = self.powi(a, n - 1);
                [self.scale(f64::from(n), power), zero]
            }
            Op::Powf(a, n) => {
                let n = f64::from_bits(n);
                let power = self.powf(a, n - 1.0);
                [self.scale(n, power), zero]
            }
            Op::Atan2(a, b) => {
                let (aa, bb) = (self.mul(a, a), self.mul(b, b));
                let sum = self.add(aa, bb);
                let inverse = self.unary(Recip, sum);
                let by_b = self.mul(a, inverse);
                [self.mul(b, inverse), self.neg(by_b)]
            }
            Op::Unary(f, a) => {
                let slope = match f {
                    Recip => {
                        let square = self.mul(node, node);
                        self.neg(square)
                    }
                    Sqrt => {
                        let inverse = self.unary(Recip, node);
                        self.scale(0.5, inverse)
                    }
                    Cbrt => {
                        let square = self.mul(node, node);
                        let inverse = self.unary(Recip, square);
                        self.scale(1.0 / 3.0, inverse)
                    }
                    Exp => node,
                    Exp2 => self.scale(std::f64::consts::LN_2, node),
                    ExpM1 => self.add(node, one),
                    Ln => self.unary(Recip, a),
                    Log2 => {
                        let inverse = self.unary(Recip, a);
                        self.scale(std::f64::consts::LOG2_E, inverse)
                    }
                    Log10 => {
                        let inverse = self.unary(Recip, a);
                        self.scale(std::f64::consts::LOG10_E, inverse)
                    }
                    Ln1p => {
                        let sum = self.add(a, one);
                        self.unary(Recip, sum)
                    }
                    Sin => self.unary(Cos, a),
                    Cos => {
                        let sin = self.unary(Sin, a);
                        self.neg(sin)
                    }
                    Tan => {
                        let square = self.mul(node, node);
                        self.add(square, one)
                    }
                    Asin | Acos => {
                        let square = self.mul(a, a);
                        let rest = self.sub(one, square);
                        let root = self.unary(Sqrt, rest);
                        let slope = self.unary(Recip, root);
                        if f == Asin { slope } else { self.neg(slope) }
                    }
                    Atan | Atanh => {
                        let square = self.mul(a, a);
                        let sum =
                            if f == Atan { self.add(one, square) } else { self.sub(one, square) };
                        self.unary(Recip, sum)
                    }
                    Sinh => self.unary(Cosh, a),
                    Cosh => self.unary(Sinh, a),
                    Tanh => {
                        let square = self.mul(node, node);
                        self.sub(one, square)
                    }
                    Asinh | Acosh => {
                        let square = self.mul(a, a);
                        let sum =
                            if f == Asinh { self.add(square, one) } else { self.sub(square, one) };
                        let root = self.unary(Sqrt, sum);
                        self.unary(Recip, root)
                    }
                };
                [slope, zero]
            }
        }
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
    fn tape_until(&mut self, roots: &[Node], ends: impl Fn(&Self, Node) -> bool) -> Vec<Node> {
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

    /// The derivative of an operation, given those of its operands.
    fn chain(&mut self, node: Node, a: Node, b: Node) -> Node {
        match self.ops[node as usize] {
            Op::Add(..) => self.add(a, b),
            Op::Sub(..) => self.sub(a, b),
            Op::When(test, on, _) => self.when(test, on, b),
            _ => {
                let [by_a, by_b] = self.partials(node);
                let (p, q) = (self.mul(by_a, a), self.mul(by_b, b));
                self.add(p, q)
            }
        }
    }

    /// The derivative of each root along a direction: `seeds` gives the direction of each input
    /// node that moves.
    pub(crate) fn along(&mut self, roots: &[Node], seeds: &[(Node, Node)]) -> Vec<Node> {
        let tape = self.tape(roots);
        let mut tangent = vec![Self::ZERO; tape.len()];
        for &(input, direction) in seeds {
            if let Ok(k) = tape.binary_search(&input) {
                tangent[k] = direction;
            }
        }
        for (k, &node) in tape.iter().enumerate() {
            let [a, b] = self.ops[node as usize]
                .operands()
                .map(|x| x.map_or(Self::ZERO, |x| tangent[self.place[x as usize] as usize]));
            if a != Self::ZERO || b != Self::ZERO {
                tangent[k] = self.chain(node, a, b);
            }
        }
        roots.iter().map(|&root| tangent[self.place[root as usize] as usize]).collect()
    }

    /// The derivative of every root by each of `inputs`, root by root, forward; 0 where none is
    /// `wanted` of a root and an input, by their numbers.
    pub(crate) fn jacobian(
        &mut self,
        roots: &[Node],
        inputs: &[Node],
        wanted: impl Fn(usize, usize) -> bool,
    ) -> Vec<Node> {
        let tape = self.tape(roots);
        let at: Vec<usize> = roots.iter().map(|&r| self.place[r as usize] as usize).collect();
        let mut jacobian = vec![Self::ZERO; roots.len() * inputs.len()];
        let mut depends = vec![0u64; tape.len()];
        let mut needed = vec![0u64; tape.len()];
        let mut tangent = vec![Self::ZERO; tape.len()];
        let width = u64::BITS as usize;
        for (chunk, columns) in inputs.chunks(width).enumerate() {
            // Which of the columns each node depends on: a pass touches no others.
            depends.fill(0);
            for (c, &input) in columns.iter().enumerate() {
                if let Ok(k) = tape.binary_search(&input) {
                    depends[k] |= 1 << c;
                }
            }
            for (k, &node) in tape.iter().enumerate() {
                for x in self.ops[node as usize].operands().into_iter().flatten() {
                    depends[k] |= depends[self.place[x as usize] as usize];
                }
            }
            // And for which of them it is needed.
            needed.fill(0);
            for (r, &k) in at.iter().enumerate() {
                let columns = (0..columns.len()).filter(|c| wanted(r, chunk * width + c));
                columns.for_each(|c| needed[k] |= 1 << c);
            }
            for (k, &node) in tape.iter().enumerate().rev() {
                depends[k] &= needed[k];
                for x in self.ops[node as usize].operands().into_iter().flatten() {
                    needed[self.place[x as usize] as usize] |= depends[k];
                }
            }
            for (c, &input) in columns.iter().enumerate() {
                let moves = |k: usize| depends[k] >> c & 1 == 1;
                for (k, &node) in tape.iter().enumerate().filter(|x| moves(x.0)) {
                    tangent[k] = if node == input {
                        Self::ONE
                    } else {
                        let places = self.ops[node as usize].operands();
                        let places = places.map(|x| x.map(|x| self.place[x as usize] as usize));
                        let of = |x: Option<usize>| x.filter(|&x| moves(x)).map(|x| tangent[x]);
                        let [a, b] = places.map(|x| of(x).unwrap_or(Self::ZERO));
                        self.chain(node, a, b)
                    };
                }
                let column = chunk * width + c;
                for (r, &k) in at.iter().enumerate().filter(|x| moves(*x.1)) {
                    if wanted(r, column) {
                        jacobian[r * inputs.len() + column] = tangent[k];
                    }
                }
            }
        }
        jacobian
    }

    /// The derivative of one root by each of `inputs`, by reverse accumulation. Any expression may
    /// be an input: the root is then a function of it, not of what it is computed from. Numbers
    /// are constant.
    pub(crate) fn gradient(&mut self, root: Node, inputs: &[Node]) -> Vec<Node> {
        self.pull_back(&[(root, Self::ONE)], inputs)
    }

    /// The derivatives of roots by each of `inputs`, each root weighted by the node beside it and all
    /// added up: one reverse accumulation however many roots there are. Weights are constant.
    pub(crate) fn pull_back(&mut self, weighted: &[(Node, Node)], inputs: &[Node]) -> Vec<Node> {
        let roots: Vec<Node> = weighted.iter().map(|x| x.0).collect();
        let tape = self.tape(&roots);
        // Only what depends on an input passes anything on.
        let mut active = vec![false; tape.len()];
        let mut ends = vec![false; tape.len()];
        for &input in inputs {
            if let Ok(k) = tape.binary_search(&input) {
                ends[k] = true;
                active[k] = self.value_of(input).is_none();
            }
        }
        for (k, &node) in tape.iter().enumerate() {
            let mut operands = self.ops[node as usize].operands().into_iter().flatten();
            active[k] |= operands.any(|x| active[self.place[x as usize] as usize]);
        }
        // What leads to a choice counts only where that is made. What is not chosen may be no number
        // there, and 0 times it is not 0: so adjoints that a choice may have made 0 go through such
        // operations by themselves, and are chosen again afterwards.
        let mut total = vec![true; tape.len()];
        for (k, &node) in tape.iter().enumerate() {
            let op = self.ops[node as usize];
            let mut operands = op.operands().into_iter().flatten();
            total[k] = matches!(op, Op::When(..))
                || op.is_total() && operands.all(|x| total[self.place[x as usize] as usize]);
        }
        let sweep = Sweep { tape: &tape, active, total, ends };
        let mut adjoint = vec![Self::ZERO; tape.len()];
        for &(root, weight) in weighted {
            let k = self.place[root as usize] as usize;
            adjoint[k] = self.add(adjoint[k], weight);
        }
        self.sweep(&sweep, &mut adjoint);
        inputs
            .iter()
            .map(|input| tape.binary_search(input).map_or(Self::ZERO, |k| adjoint[k]))
            .collect()
    }

    /// Passes adjoints on, from what they are given of to the inputs; [`place`](Self::place) is that of
    /// the tape.
    fn sweep(&mut self, over: &Sweep<'_>, adjoint: &mut [Node]) {
        let mut chosen: Vec<((Test, Node), Vec<Node>)> = Vec::new();
        for (k, &node) in over.tape.iter().enumerate().rev() {
            let carried = adjoint[k];
            if !over.active[k] || carried == Self::ZERO || over.ends[k] {
                continue;
            }
            let op = self.ops[node as usize];
            if let Op::When(test, on, a) = op {
                let x = self.place[a as usize] as usize;
                if over.active[x] && over.total[x] {
                    let part = self.when(test, on, carried);
                    adjoint[x] = self.add(adjoint[x], part);
                } else if over.active[x] {
                    let known = chosen.iter().position(|choice| choice.0 == (test, on));
                    let known = known.unwrap_or_else(|| {
                        chosen.push(((test, on), vec![Self::ZERO; over.tape.len()]));
                        chosen.len() - 1
                    });
                    let inner = &mut chosen[known].1;
                    inner[x] = self.add(inner[x], carried);
                }
                continue;
            }
            let partials = self.partials(node);
            for (operand, partial) in op.operands().into_iter().zip(partials) {
                let place = operand.map(|x| self.place[x as usize] as usize);
                if let Some(x) = place.filter(|&x| over.active[x]) {
                    let part = self.mul(carried, partial);
                    adjoint[x] = self.add(adjoint[x], part);
                }
            }
        }
        for ((test, on), mut inner) in chosen {
            self.sweep(over, &mut inner);
            for k in (0..over.tape.len()).filter(|&k| over.ends[k]) {
                let part = self.when(test, on, inner[k]);
                adjoint[k] = self.add(adjoint[k], part);
            }
        }
    }
}

/// What a reverse accumulation goes over.
struct Sweep<'a> {
    tape: &'a [Node],
    /// What depends on an input.
    active: Vec<bool>,
    /// What is finite, with its derivatives, wherever the inputs are.
    total: Vec<bool>,
    /// The inputs, where it ends.
    ends: Vec<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structural_zeros_and_shared_parts_do_not_appear() {
        let mut g = Graph::default();
        let (x, y) = (g.input(Source::Point, 0), g.input(Source::Point, 1));
        let product = g.mul(x, y);
        let other = g.mul(y, x);
        assert_eq!(product, other);
        let difference = g.sub(product, other);
        assert_eq!(difference, Graph::ZERO);
        let twice = g.add(product, product);
        let half = g.scale(0.5, twice);
        assert_eq!(half, product);
    }

    #[test]
    fn reverse_is_forward() {
        let mut g = Graph::default();
        let x: Vec<Node> = (0..3).map(|i| g.input(Source::Point, i)).collect();
        // x0·sin(x1) + x2²: the derivatives are sin x1, x0 cos x1, 2 x2, whichever way.
        let s = g.unary(Function::Sin, x[1]);
        let (a, b) = (g.mul(x[0], s), g.mul(x[2], x[2]));
        let root = g.add(a, b);
        let reverse = g.gradient(root, &x);
        for (k, &node) in reverse.iter().enumerate() {
            assert_eq!(g.along(&[root], &[(x[k], Graph::ONE)]), [node]);
        }
        assert_eq!(g.jacobian(&[root], &x, |_, _| true), reverse);
        let some = g.jacobian(&[root, s], &x, |r, c| r != c);
        assert_eq!(
            some,
            [Graph::ZERO, reverse[1], reverse[2], Graph::ZERO, Graph::ZERO, Graph::ZERO]
        );
        let c = g.unary(Function::Cos, x[1]);
        let expected = [s, g.mul(x[0], c), g.scale(2.0, x[2])];
        assert_eq!(reverse, expected);
    }

    #[test]
    fn what_is_not_chosen_is_in_no_derivative() {
        let mut g = Graph::default();
        let x = g.input(Source::Point, 0);
        let test = Test::is(crate::scalar::Sign::Positive);
        let (root, other) = (g.unary(Function::Sqrt, x), g.scale(3.0, x));
        let (yes, no) = (g.when(test, x, root), g.when(test.opposite(), x, other));
        let either = g.add(yes, no);
        let slopes = [g.gradient(either, &[x])[0], g.along(&[either], &[(x, Graph::ONE)])[0]];
        for (at, slope) in [(4.0, 0.25), (-4.0, 3.0), (0.0, 3.0)] {
            for &of in &slopes {
                let mut v: Vec<f64> = Vec::new();
                for &op in g.ops() {
                    let value = |k: Node| v[k as usize];
                    v.push(match op {
                        Op::Const(bits) => f64::from_bits(bits),
                        Op::Input(_) => at,
                        Op::Add(a, b) => value(a) + value(b),
                        Op::Mul(a, b) => value(a) * value(b),
                        Op::Unary(f, a) => f.value(value(a)),
                        Op::When(test, on, a) if test.holds(value(on)) => value(a),
                        Op::When(..) => 0.0,
                        other => panic!("{other:?}"),
                    });
                }
                assert_eq!(v[of as usize], slope, "at {at}");
            }
        }
        // One expression for one thing: both sides, the same test again, the other one, its negative.
        assert_eq!(g.when(test, x, yes), yes);
        assert_eq!(g.when(test.opposite(), x, yes), Graph::ZERO);
        let (minus, twice) = (g.scale(-2.0, x), g.scale(2.0, root));
        let chosen = g.when(test.of_negative(), minus, twice);
        assert_eq!(chosen, g.scale(2.0, yes));
        let (y, z) = (g.when(test, x, x), g.when(test.opposite(), x, x));
        assert_eq!(g.add(y, z), x);
        let (sum, inside) = (g.add(yes, y), g.add(root, x));
        assert_eq!(sum, g.when(test, x, inside));
        // x/k where k > 0, and k may be 0: 1/k stays inside, m comes outside.
        let (k, m) = (g.input(Source::Param, 7), g.input(Source::Param, 8));
        let inverse = g.unary(Function::Recip, k);
        let (quotient, product) = (g.mul(x, inverse), g.mul(m, x));
        let safe = g.when(test, k, quotient);
        assert_eq!(g.ops()[safe as usize], Op::When(test, k, quotient));
        let (outside, of_x) = (g.when(test, k, product), g.when(test, k, x));
        assert_eq!(outside, g.mul(m, of_x));
    }

    #[test]
    fn products_of_parameters_are_one_factor_in_whatever_order_they_come() {
        let mut g = Graph::default();
        let [m, r, c] = [0, 1, 2].map(|i| g.input(Source::Param, i));
        let (x, y) = (g.input(Source::Point, 8), g.input(Source::Point, 9));
        let rx = g.mul(r, x);
        let mrx = g.mul(m, rx);
        let first = g.mul(mrx, r);
        let rr = g.mul(r, r);
        let (factor, twice) = (g.mul(rr, m), g.scale(2.0, m));
        assert_eq!(g.mul(x, factor), first);
        assert!(g.is_fixed(factor) && !g.is_fixed(first));
        // 2 m r x (−c y) r = −2 (c m r²) (x y)
        let (cy, tx) = (g.mul(c, y), g.mul(twice, rx));
        let (minus, ry) = (g.neg(cy), g.mul(r, y));
        let product = g.mul(tx, minus);
        let product = g.mul(product, r);
        let (cmrr, xy) = (g.mul(c, factor), g.mul(y, x));
        let expected = g.mul(cmrr, xy);
        assert_eq!(product, g.scale(-2.0, expected));
        // m r x + c x = (m r + c) x
        let (mr, cx) = (g.mul(m, r), g.mul(c, x));
        let (sum, both) = (g.add(mrx, cx), g.add(c, mr));
        assert_eq!(sum, g.mul(both, x));
        assert_eq!(g.sub(sum, sum), Graph::ZERO);
        // r x − r y = −(r y − r x) = r (x − y)
        let (difference, x_y) = (g.sub(rx, ry), g.sub(x, y));
        assert_eq!(difference, g.mul(r, x_y));
        let other = g.sub(ry, rx);
        assert_eq!(g.neg(other), difference);
    }

    #[test]
    fn common_factors_are_taken_out_of_sums() {
        let mut g = Graph::default();
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| g.input(Source::Point, i));
        let k = g.input(Source::Param, 9);
        // a − k (b c) + d c = a − (k b − d) c
        let (bc, dc) = (g.mul(b, c), g.mul(d, c));
        let kbc = g.mul(k, bc);
        let sum = g.sub(a, kbc);
        let sum = g.add(sum, dc);
        let kb = g.mul(k, b);
        let inner = g.sub(kb, d);
        let product = g.mul(inner, c);
        assert_eq!(sum, g.sub(a, product));
        // k a + b + k c = k (a + c) + b
        let (ka, kc) = (g.mul(k, a), g.mul(k, c));
        let sum = g.add(ka, b);
        let sum = g.add(sum, kc);
        let ac = g.add(a, c);
        let product = g.mul(k, ac);
        assert_eq!(sum, g.add(product, b));
    }

    #[test]
    fn what_is_fixed_becomes_a_coefficient_of_a_part() {
        let mut g = Graph::default();
        let (x, k) = (g.input(Source::Point, 0), g.input(Source::Coefficient, 0));
        let (m, r) = (g.input(Source::Param, 5), g.input(Source::Param, 6));
        let mr = g.mul(m, r);
        let factor = g.mul(mr, k);
        let root = g.mul(factor, x);
        let mut hoisted = Hoisted::new(1);
        let (part, roots, reads) = g.part(&[root, mr], Some(&mut hoisted));
        assert_eq!(
            part.inputs(),
            [(Source::Point, 0), (Source::Coefficient, 1), (Source::Coefficient, 2)]
        );
        assert_eq!(part.ops()[roots[0] as usize], Op::Mul(2, 0));
        assert_eq!((part.ops().len(), part.ops()[roots[1] as usize]), (4, Op::Input(1)));
        assert_eq!(reads, [Read::Input(0), Read::Hoisted(1), Read::Hoisted(2)]);
        assert_eq!((hoisted.next(), hoisted.take()), (3, vec![(mr, 1), (factor, 2)]));
        let (whole, _, _) = g.part(&[root, mr], None);
        // Factors are multiplied in their own order: m r and (k m) r.
        assert_eq!(whole.ops().iter().filter(|op| matches!(op, Op::Mul(..))).count(), 4);
    }
}
