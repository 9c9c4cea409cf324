//! Parts of a graph: copied into another one, or cut out to be evaluated, with what stays the same from
//! evaluation to evaluation computed beside it.

use super::graph::Graph;
use super::map::Map;
use super::op::{Input, Node, Op, Source};

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

    pub(super) fn number(&mut self, node: Node) -> u32 {
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

impl Graph {
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
            Op::Div(a, b) => Op::Div(place(a), place(b)),
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
        let (ops, inputs) = (ops.collect(), inputs.collect());
        let part =
            Graph::closed(ops, tape.iter().map(|&node| self.is_fixed(node)).collect(), inputs);
        let roots = roots.iter().map(|&root| place(root)).collect();
        (part, roots, numbers.into_iter().map(|x| x.1).collect())
    }
}
