//! The order in which a graph is evaluated.

use super::TOGETHER;
use crate::program::graph::{Function, Graph, Map, Node, Op};

/// One step of the evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Arithmetic.
    Compute(Node),
    /// Sines and cosines, of as many angles as are computed together.
    Angles([Option<Angle>; TOGETHER]),
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

impl Step {
    /// What a step reads.
    pub(super) fn reads(self, graph: &Graph) -> [Option<Node>; TOGETHER] {
        match self {
            Step::Compute(node) | Step::Call(node) => {
                let mut reads = [None; TOGETHER];
                reads[..2].copy_from_slice(&graph.ops()[node as usize].operands());
                reads
            }
            Step::Angles(angles) => angles.map(|x| x.map(|x| x.of)),
            Step::Result(node, _) => {
                let mut reads = [None; TOGETHER];
                reads[0] = Some(node);
                reads
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
pub(super) fn steps(graph: &Graph, needed: &[bool], roots: &[Node], wide: bool) -> Vec<Step> {
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
            walk.steps.push(Step::Angles(together));
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
    walk.steps
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
