//! The order in which a graph is evaluated.

use super::frame::TOGETHER;
use crate::graph::{Graph, Map, Node, Op};
use crate::scalar::Function;

/// One step of the evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Arithmetic.
    Compute(Node),
    /// Sines and cosines of angles that are computed together, by the number of the row.
    Angles(u32),
    /// Another function.
    Call(Node),
    /// A root, with its number, goes where it belongs.
    Result(Node, usize),
}

/// An angle, and its sine and cosine where they are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Angle {
    pub(super) of: Node,
    pub(super) sin: Option<Node>,
    pub(super) cos: Option<Node>,
}

/// Angles that are computed together.
pub(super) type Row = [Option<Angle>; TOGETHER];

/// The evaluation of a graph.
pub(super) struct Order {
    pub(super) steps: Vec<Step>,
    pub(super) rows: Vec<Row>,
}

impl Order {
    /// Calls with what each step reads, and its number.
    pub(super) fn each_read(&self, graph: &Graph, mut read: impl FnMut(Node, usize)) {
        for (at, step) in self.steps.iter().enumerate() {
            match *step {
                Step::Compute(node) | Step::Call(node) => {
                    let operands = graph.ops()[node as usize].operands();
                    operands.into_iter().flatten().for_each(|x| read(x, at));
                }
                Step::Angles(row) => {
                    self.rows[row as usize].iter().flatten().for_each(|angle| read(angle.of, at));
                }
                Step::Result(node, _) => read(node, at),
            }
        }
    }
}

/// What calls a function instead of being an instruction.
fn is_call(op: Op) -> bool {
    match op {
        Op::Unary(f, _) => !matches!(f, Function::Recip | Function::Sqrt),
        Op::Powi(..) | Op::Powf(..) | Op::Atan2(..) => true,
        _ => false,
    }
}

/// The steps that compute `roots`: all calls with what they need, then root after root. For one
/// instance angles are taken together, for many (`wide`) each is a vector of its own.
pub(super) fn order(graph: &Graph, needed: &[bool], roots: &[Node], wide: bool) -> Order {
    let ops = graph.ops();
    let all = || (0..needed.len()).filter(|&i| needed[i]);
    // Registers an expression takes when nothing of it is shared (Sethi and Ullman 1970), and calls
    // that have to come one after the other.
    let mut registers = vec![0u8; needed.len()];
    let mut depth = vec![0u32; needed.len()];
    let mut calls: Vec<(u32, Call)> = Vec::new();
    let mut angles: Map<Node, usize> = Map::default();
    for i in all() {
        registers[i] = match ops[i].operands().map(|x| x.map(|x| registers[x as usize])) {
            [Some(a), Some(b)] if a == b => a.saturating_add(1),
            [Some(a), Some(b)] => a.max(b),
            [Some(a), None] => a.max(1),
            _ => 0,
        };
        let before = ops[i].operands().into_iter().flatten().map(|x| depth[x as usize]).max();
        depth[i] = before.unwrap_or(0) + u32::from(is_call(ops[i]));
        match ops[i] {
            Op::Unary(f @ (Function::Sin | Function::Cos), x) => {
                let known = *angles.entry(x).or_insert(calls.len());
                if known == calls.len() {
                    calls.push((depth[i], Call::Angle(Angle { of: x, sin: None, cos: None })));
                }
                if let Call::Angle(angle) = &mut calls[known].1 {
                    let which = if f == Function::Sin { &mut angle.sin } else { &mut angle.cos };
                    *which = Some(i as Node);
                }
            }
            op if is_call(op) => calls.push((depth[i], Call::Other(i as Node))),
            _ => {}
        }
    }
    calls.sort_by_key(|&(depth, call)| (depth, matches!(call, Call::Other(_))));
    let mut walk = Walk {
        graph,
        registers,
        done: ops[..needed.len()].iter().map(|op| op.operands() == [None, None]).collect(),
        pending: Vec::new(),
        steps: Vec::with_capacity(needed.len() + roots.len()),
    };
    let mut rows = Vec::new();
    let most = if wide { 1 } else { TOGETHER };
    for level in calls.chunk_by(|a, b| a.0 == b.0) {
        let angle = |(_, call): &(u32, Call)| match call {
            Call::Angle(angle) => Some(*angle),
            Call::Other(_) => None,
        };
        let angles: Vec<Angle> = level.iter().filter_map(angle).collect();
        for group in angles.chunks(most) {
            let mut together = [None; TOGETHER];
            for (place, angle) in together.iter_mut().zip(group) {
                walk.to(angle.of);
                *place = Some(*angle);
                for node in [angle.sin, angle.cos].into_iter().flatten() {
                    walk.done[node as usize] = true;
                }
            }
            walk.steps.push(Step::Angles(rows.len() as u32));
            rows.push(together);
        }
        for (_, call) in level {
            if let Call::Other(node) = call {
                walk.to(*node);
            }
        }
    }
    for (k, &root) in roots.iter().enumerate() {
        walk.to(root);
        walk.steps.push(Step::Result(root, k));
    }
    Order { steps: walk.steps, rows }
}

#[derive(Clone, Copy)]
enum Call {
    Angle(Angle),
    Other(Node),
}

/// A depth-first walk; a stack of its own, since expressions may be deep.
struct Walk<'a> {
    graph: &'a Graph,
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
                    let step = if is_call(op) { Step::Call } else { Step::Compute };
                    self.steps.push(step(node));
                }
            }
        }
    }
}
