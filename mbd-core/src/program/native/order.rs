//! The order in which a graph is evaluated.

use crate::program::graph::{Function, Graph, Node, Op};

/// One step of the evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Arithmetic.
    Compute(Node),
    /// A function; with sine or cosine the other of the two, where it is needed too.
    Call(Node, Option<Node>),
    /// A root, with its number, goes where it belongs.
    Result(Node, usize),
}

/// What calls a function instead of being an instruction.
fn is_call(op: Op) -> bool {
    match op {
        Op::Unary(f, _) => !matches!(f, Function::Recip | Function::Sqrt),
        Op::Powi(..) | Op::Powf(..) | Op::Atan2(..) => true,
        _ => false,
    }
}

/// The steps that compute `roots`: all calls with what they need, then root after root.
pub(super) fn steps(graph: &Graph, needed: &[bool], roots: &[Node]) -> Vec<Step> {
    let ops = graph.ops();
    let all = || (0..needed.len()).filter(|&i| needed[i]);
    // Registers an expression takes when nothing of it is shared (Sethi and Ullman 1970).
    let mut registers = vec![0u8; needed.len()];
    for i in all() {
        registers[i] = match ops[i].operands().map(|x| x.map(|x| registers[x as usize])) {
            [Some(a), Some(b)] if a == b => a.saturating_add(1),
            [Some(a), Some(b)] => a.max(b),
            [Some(a), None] => a.max(1),
            _ => 0,
        };
    }
    let mut walk = Walk {
        graph,
        needed,
        registers,
        done: ops[..needed.len()].iter().map(|op| op.operands() == [None, None]).collect(),
        pending: Vec::new(),
        steps: Vec::with_capacity(needed.len() + roots.len()),
    };
    for i in all() {
        if is_call(ops[i]) {
            walk.to(i as Node);
        }
    }
    for (k, &root) in roots.iter().enumerate() {
        walk.to(root);
        walk.steps.push(Step::Result(root, k));
    }
    walk.steps
}

/// A depth-first walk; a stack of its own, since expressions may be deep.
struct Walk<'a> {
    graph: &'a Graph,
    needed: &'a [bool],
    registers: Vec<u8>,
    done: Vec<bool>,
    pending: Vec<Node>,
    steps: Vec<Step>,
}

impl Walk<'_> {
    fn to(&mut self, root: Node) {
        self.pending.push(root);
        while let Some(&node) = self.pending.last() {
            if self.done[node as usize] {
                self.pending.pop();
                continue;
            }
            let op = self.graph.ops()[node as usize];
            let open = op.operands().map(|x| x.filter(|&x| !self.done[x as usize]));
            let next = match open {
                [Some(a), Some(b)] => {
                    let second = self.registers[b as usize] > self.registers[a as usize];
                    Some(if second { b } else { a })
                }
                [a, b] => a.or(b),
            };
            match next {
                Some(next) => self.pending.push(next),
                None => {
                    self.pending.pop();
                    self.done[node as usize] = true;
                    let step = if is_call(op) { self.call(node, op) } else { Step::Compute(node) };
                    self.steps.push(step);
                }
            }
        }
    }

    fn call(&mut self, node: Node, op: Op) -> Step {
        let other = match op {
            Op::Unary(Function::Sin, x) => self.graph.find(Op::Unary(Function::Cos, x)),
            Op::Unary(Function::Cos, x) => self.graph.find(Op::Unary(Function::Sin, x)),
            _ => None,
        };
        let partner = other.filter(|&p| self.needed.get(p as usize) == Some(&true));
        if let Some(partner) = partner {
            self.done[partner as usize] = true;
        }
        Step::Call(node, partner)
    }
}
