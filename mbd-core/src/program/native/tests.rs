//! Machine code against the interpreter, bit for bit.

use super::*;
use crate::graph::Source;
use crate::program::vm::{Program, SCRATCH, Scratch};
use crate::scalar::Sign;

/// xorshift: the same sequence on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % n
    }
}

/// An expression of `size` operations, each on any earlier ones or on recent ones.
fn expression(random: &mut Random, size: usize, inputs: usize) -> Graph {
    let mut graph = Graph::default();
    let mut nodes: Vec<Node> = (0..inputs).map(|i| graph.input(Source::Point, i)).collect();
    nodes.push(graph.constant(0.3));
    nodes.push(graph.constant(-1.7));
    while nodes.len() < size {
        let reach = if random.below(2) == 0 { nodes.len() } else { nodes.len().min(12) };
        let mut any = || nodes[nodes.len() - 1 - random.below(reach)];
        let (a, b) = (any(), any());
        let node = match random.below(15) {
            0..4 => graph.mul(a, b),
            4..7 => graph.add(a, b),
            7..9 => graph.sub(a, b),
            9 => {
                let square = graph.mul(a, a);
                let inside = graph.add(square, nodes[inputs]);
                graph.unary(Function::Sqrt, inside)
            }
            10 => {
                let square = graph.mul(a, a);
                let inside = graph.add(square, nodes[inputs]);
                graph.unary(Function::Recip, inside)
            }
            11 => {
                let sin = graph.unary(Function::Sin, a);
                if random.below(2) == 0 {
                    nodes.push(sin);
                    graph.unary(Function::Cos, a)
                } else {
                    sin
                }
            }
            13 => {
                let signs = [
                    Sign::Positive,
                    Sign::NonNegative,
                    Sign::Negative,
                    Sign::NonPositive,
                    Sign::Zero,
                ];
                let test = Test { sign: signs[random.below(5)], not: random.below(2) == 0 };
                graph.when(test, a, b)
            }
            12 => match random.below(4) {
                3 => graph.div(a, b),
                0 => graph.powi(a, 3),
                1 => graph.powf(a, 1.5),
                _ => graph.atan2(a, b),
            },
            _ => graph.unary(Function::Tanh, a),
        };
        nodes.push(node);
    }
    graph
}

#[test]
fn machine_code_gives_the_bits_of_the_interpreter() {
    if !Executable::possible() {
        return;
    }
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for case in 0..200 {
        let inputs = 1 + random.below(30);
        let size = inputs + 3 + random.below(400);
        let graph = expression(&mut random, size, inputs);
        let count = 1 + random.below(40);
        let last = graph.ops().len();
        let roots: Vec<Node> = (0..count).map(|_| random.below(last) as Node).collect();
        let program = Program::new(&graph, &roots).unwrap();
        let y: Vec<f64> = (0..inputs + 7).map(|i| 0.2 + 0.37 * i as f64 - (i * i) as f64).collect();

        SCRATCH.with_borrow_mut(|Scratch { one, wide }| {
            // The interpreter, eight instances with inputs shifted by one each.
            let v = wide.first_chunk_mut::<SLOTS>().unwrap();
            program.prepare(v);
            let needed = graph.reach(&roots);
            let live = crate::program::vm::inputs(&graph, &needed);
            for (slot, input) in live.iter().enumerate() {
                let (_, index) = graph.inputs()[input.index as usize];
                let index = index as usize;
                v[program.first_input() + slot].copy_from_slice(&y[index..index + WIDE]);
            }
            program.run(v);
            let expected: Vec<[f64; WIDE]> =
                program.outputs.iter().map(|&slot| v[usize::from(slot)]).collect();

            // One at a time, read from the source.
            let to: Vec<(Node, To)> =
                (0..).zip(&roots).map(|(k, &root)| (root, To::Sum(3, k))).collect();
            let place = |k: u32| From::Source(0, graph.inputs()[k as usize].1);
            let native = Native::new(&graph, &to, place, false, 0).unwrap();
            for lane in 0..WIDE {
                let mut sums = vec![0.0; count];
                let mut results: [&mut [f64]; RESULTS] = Default::default();
                results[3] = &mut sums;
                let sources = [&y[lane..], &[], &[], &[], &[]];
                native.run(&sources, one.as_flattened_mut(), &mut results);
                for (k, sum) in sums.iter().enumerate() {
                    // Minus zero added to zero is zero.
                    let expected = 0.0 + expected[k][lane];
                    assert_eq!(sum.to_bits(), expected.to_bits(), "case {case}, root {k}");
                }
            }

            // Four at a time: every second input through a slot.
            let to: Vec<(Node, To)> =
                (0..).zip(&roots).map(|(k, &root)| (root, To::Slot(inputs + k))).collect();
            let place = |k: u32| match k % 2 {
                0 => From::Source(2, graph.inputs()[k as usize].1),
                _ => From::Slot(k as usize),
            };
            let native = Native::new(&graph, &to, place, true, inputs + count).unwrap();
            for (k, &(_, index)) in graph.inputs().iter().enumerate() {
                wide[k].copy_from_slice(&y[index as usize..index as usize + WIDE]);
            }
            for half in [0, LANES] {
                let sources = [&[], &[], &y[half..], &[], &[]];
                let slots = &mut wide.as_flattened_mut()[half..];
                native.run(&sources, slots, &mut Default::default());
            }
            for (k, expected) in expected.iter().enumerate() {
                let bits = |x: &[f64; WIDE]| x.map(f64::to_bits);
                assert_eq!(bits(&wide[inputs + k]), bits(expected), "case {case}, root {k}");
            }
        });
    }
}

#[test]
#[should_panic(expected = "fewer numbers")]
fn a_slice_that_is_too_short_is_refused() {
    if !Executable::possible() {
        panic!("fewer numbers");
    }
    let mut graph = Graph::default();
    let x = graph.input(Source::Point, 2);
    let native =
        Native::new(&graph, &[(x, To::Sum(0, 0))], |_| From::Source(0, 2), false, 0).unwrap();
    let mut sum = [0.0];
    let mut results: [&mut [f64]; RESULTS] = Default::default();
    results[0] = &mut sum;
    SCRATCH.with_borrow_mut(|Scratch { one, .. }| {
        let sources: [&[f64]; SOURCES] = [&[1.0, 2.0], &[], &[], &[], &[]];
        native.run(&sources, one.as_flattened_mut(), &mut results);
    });
}
