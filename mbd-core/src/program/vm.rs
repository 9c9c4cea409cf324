//! A program: a graph's nodes in an order of evaluation, as runs of equal operations.
//!
//! Every value has a slot in an array of 2¹⁶, so that 16-bit slot numbers need no bounds checks.
//! Values are `[f64; W]`: `W` instances at once.

use super::trig::sin_cos;
use crate::graph::{Graph, Map, Node, Op, Source};
use crate::scalar::{Function, Test, angle};
use std::cell::RefCell;

/// Slots of a program.
pub(crate) const SLOTS: usize = 1 << 16;
/// Instances evaluated together where there are many.
pub(crate) const WIDE: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Code {
    Add,
    Sub,
    Mul,
    /// a b + c
    MulAdd,
    /// a b − c
    MulSub,
    /// c − a b
    SubMul,
    /// a b + c d
    Dot,
    /// a b − c d
    Cross,
    /// Two slots: sine and cosine.
    SinCos,
    Div,
    Unary(Function),
    Powi(i32),
    Powf(u64),
    Atan2,
    When(Test),
}

#[derive(Clone, Copy, Debug)]
struct Run {
    code: Code,
    /// First slot written; the others follow.
    first: u16,
    args: (u32, u32),
}

/// Straight-line code.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// In the first slots.
    constants: Vec<f64>,
    runs: Vec<Run>,
    args: Vec<[u16; 4]>,
    /// Slot of each root.
    pub(crate) outputs: Vec<u16>,
}

/// Place of a source among the slices that programs are given.
pub(crate) fn rank(source: Source) -> usize {
    match source {
        Source::Point | Source::Param => 0,
        Source::U => 1,
        Source::S => 2,
        Source::R => 3,
        Source::Coefficient => 4,
    }
}

/// The inputs that nodes are computed from, by source, then by index among the graph's inputs.
pub(crate) fn inputs(graph: &Graph, needed: &[bool]) -> Vec<LiveInput> {
    let mut inputs: Vec<LiveInput> = (0..needed.len())
        .filter(|&i| needed[i])
        .filter_map(|i| {
            let Op::Input(index) = graph.ops()[i] else { return None };
            let source = rank(graph.inputs()[index as usize].0);
            Some(LiveInput { source, index, node: i as Node })
        })
        .collect();
    inputs.sort_unstable();
    inputs
}

/// An input that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LiveInput {
    /// Place of its source among the slices that programs are given.
    pub(crate) source: usize,
    /// Index among the graph's inputs.
    pub(crate) index: u32,
    node: Node,
}

/// The result of an instruction that nobody asked for.
const NOBODY: Node = Node::MAX;

/// An instruction before it has a place: its code, operands and the nodes it computes.
struct Unit {
    code: Code,
    operands: [Node; 4],
    arity: usize,
    results: Vec<Node>,
}

impl Program {
    /// Orders the computation of the roots; `None` when it needs more than [`SLOTS`] slots. Inputs
    /// are expected in the slots from [`first_input`](Self::first_input) on, in the order of
    /// [`inputs`].
    pub(crate) fn new(graph: &Graph, roots: &[Node]) -> Option<Self> {
        let needed = graph.reach(roots);
        let mut uses = vec![0u32; needed.len()];
        for &root in roots {
            // What is asked for must have a slot of its own.
            uses[root as usize] += 2;
        }
        for (i, _) in needed.iter().enumerate().filter(|x| *x.1) {
            graph.ops()[i].operands().into_iter().flatten().for_each(|x| uses[x as usize] += 1);
        }
        let units = units(graph, &needed, &uses);

        let mut slot = vec![u16::MAX; needed.len()];
        let mut next = 0usize;
        let mut constants = Vec::new();
        for (i, _) in needed.iter().enumerate().filter(|x| *x.1) {
            if let Op::Const(bits) = graph.ops()[i] {
                slot[i] = next as u16;
                next += 1;
                constants.push(f64::from_bits(bits));
            }
        }
        for input in inputs(graph, &needed) {
            slot[input.node as usize] = next as u16;
            next += 1;
        }

        // List scheduling: the kind of operation with most instances ready runs next.
        let mut maker = vec![u32::MAX; needed.len()];
        for (u, unit) in units.iter().enumerate() {
            for &result in unit.results.iter().filter(|&&r| r != NOBODY) {
                maker[result as usize] = u as u32;
            }
        }
        let mut waiting = vec![0u32; units.len()];
        let mut consumers: Vec<Vec<u32>> = vec![Vec::new(); units.len()];
        let mut ready: Map<Code, Vec<u32>> = Map::default();
        for (u, unit) in units.iter().enumerate() {
            for &operand in &unit.operands[..unit.arity] {
                let from = maker[operand as usize];
                if from != u32::MAX {
                    waiting[u] += 1;
                    consumers[from as usize].push(u as u32);
                }
            }
            if waiting[u] == 0 {
                ready.entry(unit.code).or_default().push(u as u32);
            }
        }
        let (mut runs, mut args) = (Vec::new(), Vec::new());
        // Ties go to the lesser code, so that the order does not depend on the map's.
        while let Some(code) = ready
            .iter()
            .filter(|(_, list)| !list.is_empty())
            .max_by_key(|(code, list)| (list.len(), std::cmp::Reverse(**code)))
            .map(|(code, _)| *code)
        {
            // What this run makes ready joins it, when of the same kind: a run goes in order.
            let mut list = ready.insert(code, Vec::new())?;
            let start = args.len() as u32;
            let first = next as u16;
            let mut at = 0;
            while let Some(&u) = list.get(at) {
                at += 1;
                let unit = &units[u as usize];
                let mut arg = [0; 4];
                for (a, &operand) in arg.iter_mut().zip(&unit.operands[..unit.arity]) {
                    *a = slot[operand as usize];
                }
                args.push(arg);
                for &result in &unit.results {
                    if result != NOBODY {
                        slot[result as usize] = next as u16;
                    }
                    next += 1;
                }
                if next > SLOTS {
                    return None;
                }
                for &consumer in &consumers[u as usize] {
                    waiting[consumer as usize] -= 1;
                    if waiting[consumer as usize] == 0 {
                        let kind = units[consumer as usize].code;
                        if kind == code {
                            list.push(consumer);
                        } else {
                            ready.entry(kind).or_default().push(consumer);
                        }
                    }
                }
            }
            runs.push(Run { code, first, args: (start, args.len() as u32) });
        }
        Some(Program {
            constants,
            runs,
            args,
            outputs: roots.iter().map(|&root| slot[root as usize]).collect(),
        })
    }

    /// Evaluates: the inputs' slots, from [`first_input`](Self::first_input) on, are filled.
    #[inline(always)]
    pub(crate) fn run<const W: usize>(&self, v: &mut [[f64; W]; SLOTS]) {
        for run in &self.runs {
            let args = &self.args[run.args.0 as usize..run.args.1 as usize];
            let mut d = run.first;
            macro_rules! each {
                (|$a:ident $b:ident $c:ident $e:ident| $value:expr) => {
                    for &[a, b, c, e] in args {
                        let ($a, $b) = (&v[usize::from(a)], &v[usize::from(b)]);
                        let ($c, $e) = (&v[usize::from(c)], &v[usize::from(e)]);
                        let result: [f64; W] = std::array::from_fn($value);
                        v[usize::from(d)] = result;
                        d = d.wrapping_add(1);
                    }
                };
            }
            match run.code {
                Code::Add => each!(|a b _c _e| |i| a[i] + b[i]),
                Code::Sub => each!(|a b _c _e| |i| a[i] - b[i]),
                Code::Mul => each!(|a b _c _e| |i| a[i] * b[i]),
                Code::Div => each!(|a b _c _e| |i| a[i] / b[i]),
                Code::MulAdd => each!(|a b c _e| |i| a[i] * b[i] + c[i]),
                Code::MulSub => each!(|a b c _e| |i| a[i] * b[i] - c[i]),
                Code::SubMul => each!(|a b c _e| |i| c[i] - a[i] * b[i]),
                Code::Dot => each!(|a b c e| |i| a[i] * b[i] + c[i] * e[i]),
                Code::Cross => each!(|a b c e| |i| a[i] * b[i] - c[i] * e[i]),
                Code::SinCos => {
                    for &[a, ..] in args {
                        let (sin, cos) = sin_cos(&v[usize::from(a)]);
                        v[usize::from(d)] = sin;
                        v[usize::from(d.wrapping_add(1))] = cos;
                        d = d.wrapping_add(2);
                    }
                }
                Code::Unary(Function::Recip) => each!(|a _b _c _e| |i| 1.0 / a[i]),
                Code::Unary(Function::Sqrt) => each!(|a _b _c _e| |i| a[i].sqrt()),
                Code::Unary(f) => each!(|a _b _c _e| |i| f.value(a[i])),
                Code::Powi(n) => each!(|a _b _c _e| |i| a[i].powi(n)),
                Code::Powf(n) => {
                    let n = f64::from_bits(n);
                    each!(|a _b _c _e| |i| a[i].powf(n));
                }
                Code::Atan2 => each!(|a b _c _e| |i| angle(a[i], b[i])),
                Code::When(test) => {
                    each!(|a b _c _e| |i| if test.holds(a[i]) { b[i] } else { 0.0 });
                }
            }
        }
    }

    /// Writes the constants to their slots.
    #[inline(always)]
    pub(crate) fn prepare<const W: usize>(&self, v: &mut [[f64; W]; SLOTS]) {
        for (slot, &constant) in v.iter_mut().zip(&self.constants) {
            *slot = [constant; W];
        }
    }

    /// Slot of the first input.
    #[inline(always)]
    pub(crate) fn first_input(&self) -> usize {
        self.constants.len()
    }
}

/// The instructions of a graph: products absorbed into the sums that alone use them, sine and
/// cosine of one angle together.
fn units(graph: &Graph, needed: &[bool], uses: &[u32]) -> Vec<Unit> {
    let product = |node: Node| match graph.ops()[node as usize] {
        Op::Mul(a, b) if uses[node as usize] == 1 => Some((a, b)),
        _ => None,
    };
    let mut units: Vec<Unit> = Vec::new();
    let mut absorbed = vec![false; needed.len()];
    let mut angles: Map<Node, usize> = Map::default();
    for i in (0..needed.len()).rev() {
        if !needed[i] || absorbed[i] {
            continue;
        }
        let mut absorb = |nodes: &[Node]| nodes.iter().for_each(|&x| absorbed[x as usize] = true);
        let (code, operands, arity) = match graph.ops()[i] {
            Op::Const(_) | Op::Input(_) => continue,
            Op::Add(x, y) if x != y => match (product(x), product(y)) {
                (Some((a, b)), Some((c, d))) => {
                    absorb(&[x, y]);
                    (Code::Dot, [a, b, c, d], 4)
                }
                (Some((a, b)), None) => {
                    absorb(&[x]);
                    (Code::MulAdd, [a, b, y, 0], 3)
                }
                (None, Some((a, b))) => {
                    absorb(&[y]);
                    (Code::MulAdd, [a, b, x, 0], 3)
                }
                _ => (Code::Add, [x, y, 0, 0], 2),
            },
            Op::Sub(x, y) if x != y => match (product(x), product(y)) {
                (Some((a, b)), Some((c, d))) => {
                    absorb(&[x, y]);
                    (Code::Cross, [a, b, c, d], 4)
                }
                (Some((a, b)), None) => {
                    absorb(&[x]);
                    (Code::MulSub, [a, b, y, 0], 3)
                }
                (None, Some((a, b))) => {
                    absorb(&[y]);
                    (Code::SubMul, [a, b, x, 0], 3)
                }
                _ => (Code::Sub, [x, y, 0, 0], 2),
            },
            Op::Add(x, y) => (Code::Add, [x, y, 0, 0], 2),
            Op::Sub(x, y) => (Code::Sub, [x, y, 0, 0], 2),
            Op::Mul(x, y) => (Code::Mul, [x, y, 0, 0], 2),
            Op::Div(x, y) => (Code::Div, [x, y, 0, 0], 2),
            Op::Unary(f @ (Function::Sin | Function::Cos), x) => {
                let unit = *angles.entry(x).or_insert(units.len());
                if unit == units.len() {
                    let (code, operands) = (Code::SinCos, [x, 0, 0, 0]);
                    units.push(Unit { code, operands, arity: 1, results: vec![NOBODY; 2] });
                }
                units[unit].results[usize::from(f == Function::Cos)] = i as Node;
                continue;
            }
            Op::Unary(f, x) => (Code::Unary(f), [x, 0, 0, 0], 1),
            Op::Powi(x, n) => (Code::Powi(n), [x, 0, 0, 0], 1),
            Op::Powf(x, n) => (Code::Powf(n), [x, 0, 0, 0], 1),
            Op::Atan2(x, y) => (Code::Atan2, [x, y, 0, 0], 2),
            Op::When(test, x, y) => (Code::When(test), [x, y, 0, 0], 2),
        };
        units.push(Unit { code, operands, arity, results: vec![i as Node] });
    }
    units.reverse();
    units
}

/// Working memory of programs, one per thread.
pub(crate) struct Scratch {
    pub(crate) one: Vec<[f64; 1]>,
    pub(crate) wide: Vec<[f64; WIDE]>,
}

thread_local! {
    pub(crate) static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch {
        one: vec![[0.0]; SLOTS],
        wide: vec![[0.0; WIDE]; SLOTS],
    });
}
