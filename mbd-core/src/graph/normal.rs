//! The normal form: what is added to a graph is simplified as it is built, so that equal values are one
//! node in whatever order their parts come.
//!
//! A product is a number, times parameters and coefficients in a fixed order, times the rest; signs
//! go outside; a sum takes the factors out that its terms share. Structural zeros never come into being.

use super::graph::Graph;
use super::op::{Node, Op};
use crate::scalar::{Function, Test, angle};

impl Graph {
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

    /// [`Op::Div`].
    pub(crate) fn div(&mut self, a: Node, b: Node) -> Node {
        match (self.value_of(a), self.value_of(b)) {
            (Some(x), Some(y)) => self.constant(x / y),
            (_, Some(1.0)) => a,
            _ => self.intern(Op::Div(a, b)),
        }
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
            (Some(x), Some(y)) => self.constant(angle(x, y)),
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
            Op::Div(..) => self.div(a, b),
            Op::Unary(f, _) => self.unary(f, a),
            Op::Powi(_, n) => self.powi(a, n),
            Op::Powf(_, n) => self.powf(a, f64::from_bits(n)),
            Op::Atan2(..) => self.atan2(a, b),
            Op::When(test, ..) => self.when(test, a, b),
        }
    }
}
