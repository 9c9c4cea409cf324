//! Derivatives that are wanted once: their values by forward accumulation over a graph, where writing
//! them down as expressions first would take a hundred times as long as evaluating them.

use super::graph::Graph;
use super::op::{Input, Node, Op};
use crate::scalar::{Gradient, Packed};

/// Columns that are taken together.
const TOGETHER: usize = 8;

impl Graph {
    /// The values of the derivatives of roots by inputs, root by root; `value` gives those of inputs.
    pub(crate) fn slopes_at(
        &mut self,
        roots: &[Node],
        inputs: &[Node],
        value: impl Fn(Input) -> f64,
    ) -> Vec<f64> {
        let tape = self.tape(roots);
        let places: Vec<[usize; 2]> = tape
            .iter()
            .map(|&node| {
                let operands = self.ops()[node as usize].operands();
                operands.map(|x| x.map_or(0, |x| self.place(x)))
            })
            .collect();
        let mut values: Vec<f64> = Vec::with_capacity(tape.len());
        let mut partials: Vec<[f64; 2]> = Vec::with_capacity(tape.len());
        for (&node, &[a, b]) in tape.iter().zip(&places) {
            let op = self.ops()[node as usize];
            let at = |k: usize| values.get(k).copied().unwrap_or(0.0);
            let (result, slopes) = match op {
                Op::Const(bits) => (f64::from_bits(bits), [0.0; 2]),
                Op::Input(k) => (value(self.inputs()[k as usize]), [0.0; 2]),
                _ => value_and_partials(op, at(a), at(b)),
            };
            values.push(result);
            partials.push(slopes);
        }
        let at: Vec<usize> = roots.iter().map(|&root| self.place(root)).collect();
        let mut slopes = vec![0.0; roots.len() * inputs.len()];
        let mut tangents = vec![[0.0; TOGETHER]; tape.len()];
        for (chunk, columns) in inputs.chunks(TOGETHER).enumerate() {
            for (k, &node) in tape.iter().enumerate() {
                tangents[k] = match self.ops()[node as usize] {
                    Op::Const(_) => [0.0; TOGETHER],
                    Op::Input(_) => {
                        let is = |c: usize| f64::from(columns.get(c) == Some(&node));
                        std::array::from_fn(is)
                    }
                    op => {
                        let ([x, y], [p, q]) = (places[k].map(|x| tangents[x]), partials[k]);
                        let two = op.operands()[1].is_some();
                        // What does not move stays so where a slope is infinite.
                        let part = |slope: f64, t: f64| if t == 0.0 { 0.0 } else { slope * t };
                        std::array::from_fn(|c| {
                            part(p, x[c]) + if two { part(q, y[c]) } else { 0.0 }
                        })
                    }
                };
            }
            for (r, &k) in at.iter().enumerate() {
                let first = r * inputs.len() + chunk * TOGETHER;
                slopes[first..first + columns.len()].copy_from_slice(&tangents[k][..columns.len()]);
            }
        }
        slopes
    }
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
