//! Derivatives of a graph: along a direction (forward) and by many inputs at once (reverse).
//!
//! They are built by the same simplifying constructors as the values, so that a product with a
//! structural zero never comes into being and what two rows share is computed once.

use super::graph::Graph;
use super::op::{Node, Op};
use crate::scalar::{Function, Test};

impl Graph {
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
            Op::Div(_, b) => {
                let inverse = self.unary(Recip, b);
                let by_b = self.mul(node, inverse);
                [inverse, self.neg(by_b)]
            }
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

    /// The derivative of an operation, given those of its operands.
    fn chain(&mut self, node: Node, a: Node, b: Node) -> Node {
        match self.ops[node as usize] {
            Op::Add(..) => self.add(a, b),
            Op::Sub(..) => self.sub(a, b),
            Op::When(test, on, _) => self.when(test, on, b),
            // What is not chosen does not move, though the slope may be infinite there, as of `sqrt(max(x, 0.0))`.
            op if !op.is_total()
                && b == Self::ZERO
                && let Op::When(test, on, a) = self.ops[a as usize] =>
            {
                let chosen = self.chain(node, a, b);
                self.when(test, on, chosen)
            }
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
        if seeds.is_empty() {
            return vec![Self::ZERO; roots.len()];
        }
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
        let given = adjoint.clone();
        if self.sweep(&sweep, &mut adjoint, &mut { MOST_SWEEPS }) {
            let of = |input| tape.binary_search(input).map_or(Self::ZERO, |k| adjoint[k]);
            return inputs.iter().map(of).collect();
        }
        inputs.iter().map(|input| self.forward(&sweep, &given, *input)).collect()
    }

    /// The derivative by one of the inputs of what adjoints are given of, weighted by these, by forward accumulation.
    fn forward(&mut self, over: &Sweep<'_>, given: &[Node], input: Node) -> Node {
        let mut tangent = vec![Self::ZERO; over.tape.len()];
        let mut sum = Self::ZERO;
        for (k, &node) in over.tape.iter().enumerate().filter(|(k, _)| over.active[*k]) {
            tangent[k] = if node == input {
                Self::ONE
            } else if over.ends[k] {
                Self::ZERO
            } else {
                let of = |x: Node| tangent[self.place[x as usize] as usize];
                match self.ops[node as usize].operands().map(|x| x.map_or(Self::ZERO, of)) {
                    [Self::ZERO, Self::ZERO] => Self::ZERO,
                    [a, b] => self.chain(node, a, b),
                }
            };
            let part = self.mul(given[k], tangent[k]);
            sum = self.add(sum, part);
        }
        sum
    }

    /// Passes adjoints on, from what they are given of to the inputs; [`place`](Self::place) is that of
    /// the tape. Choices within choices are swept over `most` times at most, in all: whether that was enough.
    fn sweep(&mut self, over: &Sweep<'_>, adjoint: &mut [Node], most: &mut usize) -> bool {
        if *most == 0 {
            return false;
        }
        *most -= 1;
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
            if !self.sweep(over, &mut inner, most) {
                return false;
            }
            for k in (0..over.tape.len()).filter(|&k| over.ends[k]) {
                let part = self.when(test, on, inner[k]);
                adjoint[k] = self.add(adjoint[k], part);
            }
        }
        true
    }
}

/// Sweeps of one reverse accumulation: choices nested in each other, of values that need not be numbers where they are not
/// chosen, take twice as many for each level, and from here on forward accumulation takes less.
const MOST_SWEEPS: usize = 64;

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
