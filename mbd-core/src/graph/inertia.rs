//! The force of a kinetic energy in Lagrange's equations without the terms that cancel.
//!
//! f = T_q − T_vq v − T_vt, written out, is mostly a sum of equal terms with opposite signs. A
//! velocity y(t, q, v) is *actual* when it is the derivative of some position, y = dr/dt, so that
//! d/dt y_v = y_q (Lagrange). For an energy Φ(y, t, q) the terms Φ_y y_q and −Φ_y d/dt y_v then cancel
//! and what is left is f = Φ_q − y_vᵀ d/dt Φ_y: for ½ m y² the familiar −y_vᵀ m dy/dt. Coordinates'
//! own velocities are actual ones, angular velocities of spatial bodies are not; no position has to
//! be known, for both sides of the condition are expressions that can be compared.

use super::graph::Graph;
use super::identity::{Moving, Residue};
use super::map::Map;
use super::op::{Node, Op};
use std::collections::HashSet;

/// The rate of a coordinate with the coordinate, [`Graph::ZERO`] where it is not read.
pub(crate) type Coordinate = (Node, Node);

impl Graph {
    /// The force of an energy on each of `coordinates`; `motion` gives the directions in which t
    /// and q move.
    pub(crate) fn inertial_force(
        &mut self,
        energy: Node,
        coordinates: &[Coordinate],
        motion: &[(Node, Node)],
    ) -> Vec<Node> {
        if coordinates.is_empty() {
            return Vec::new();
        }
        let (rates, positions): (Vec<Node>, Vec<Node>) = coordinates.iter().copied().unzip();
        let mut variables = self.actual_velocities(energy, coordinates, motion);
        let count = variables.len();
        variables.extend(&positions);
        let slopes = self.gradient(energy, &variables);
        let (momenta, forces) = slopes.split_at(count);
        let changes = self.along(momenta, motion);
        // y_vᵀ d/dt Φ_y for all velocities in one accumulation: those of a chain of bodies are
        // computed from each other, and their derivatives by the rates one by one would be many.
        let weighted: Vec<(Node, Node)> = variables.into_iter().zip(changes).collect();
        let inertial = self.pull_back(&weighted, &rates);
        forces.iter().zip(inertial).map(|(&force, part)| self.sub(force, part)).collect()
    }

    /// Actual velocities of which an energy is a function, t and q aside.
    ///
    /// y is linear in the rates, y = a(t, q) v + b(t, q), and actual where da/dt = y_q. Both sides are
    /// taken along one direction w of the rates: the derivative along the motion of y at the rates w
    /// less that of b, and the derivative of y by q along w. That these are equal at one point of a
    /// finite field says that they are identical (`identity.rs`).
    fn actual_velocities(
        &mut self,
        energy: Node,
        coordinates: &[Coordinate],
        motion: &[(Node, Node)],
    ) -> Vec<Node> {
        let rates: Vec<Node> = coordinates.iter().map(|x| x.0).collect();
        let tape = self.tape(&[energy]);
        let degrees = self.degrees(&tape, &rates);
        let any = |node: Node, what: u64| Residue::drawn([what, node.into(), 1]);
        let motion: Map<Node, Node> = motion.iter().copied().collect();
        // Of each rate and position the coordinate.
        let (mut of_rate, mut of_position) = (Map::default(), Map::default());
        for (k, &(rate, position)) in (0..).zip(coordinates) {
            of_rate.insert(rate, k);
            of_position.insert(position, k);
        }
        let moved = |node: Node| match motion.get(&node) {
            Some(&Self::ONE) => Residue::ONE,
            Some(&rate) => any(rate, VELOCITY),
            None => Residue::default(),
        };
        let value = |node: Node| any(node, VELOCITY);
        let along_motion = |at: &dyn Fn(Node) -> Residue| {
            self.in_field(
                &tape,
                |x| self.place(x),
                |node| match of_rate.get(&node) {
                    Some(_) => Moving { value: at(node), rate: Residue::default() },
                    None => Moving { value: value(node), rate: moved(node) },
                },
            )
        };
        let direction = |k: &Node| any(*k, DIRECTION);
        let of_w =
            along_motion(&|node| of_rate.get(&node).map_or_else(Residue::default, direction));
        let of_rest = along_motion(&|_| Residue::default());
        let by_position = self.in_field(
            &tape,
            |x| self.place(x),
            |node| Moving {
                value: value(node),
                rate: of_position.get(&node).map_or_else(Residue::default, direction),
            },
        );
        let mut velocities = Vec::new();
        let mut seen = vec![false; tape.len()];
        let mut pending = vec![energy];
        while let Some(node) = pending.pop() {
            let k = self.place(node);
            if degrees[k] == 0 || std::mem::replace(&mut seen[k], true) {
                continue;
            }
            if degrees[k] == 1 && of_w[k].rate.minus(of_rest[k].rate) == by_position[k].rate {
                velocities.push(node);
                continue;
            }
            pending.extend(self.ops()[node as usize].operands().into_iter().flatten());
        }
        velocities
    }

    /// Of every node of a tape whether it does not depend on `variables` (0), is linear in them (1) or
    /// neither (2).
    fn degrees(&self, tape: &[Node], variables: &[Node]) -> Vec<u8> {
        let variables: HashSet<Node> = variables.iter().copied().collect();
        let mut degrees: Vec<u8> = Vec::with_capacity(tape.len());
        for &node in tape {
            let op = self.ops()[node as usize];
            let [a, b] = op.operands().map(|x| x.map_or(0, |x| degrees[self.place(x)]));
            degrees.push(match op {
                Op::Input(_) => u8::from(variables.contains(&node)),
                Op::Add(..) | Op::Sub(..) => a.max(b),
                Op::Mul(..) => 2.min(a + b),
                _ => 2 * u8::from(a > 0 || b > 0),
            });
        }
        degrees
    }
}

/// What residues are drawn for: the values of inputs, and the direction of rates.
const VELOCITY: u64 = 1;
const DIRECTION: u64 = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Source;
    use crate::scalar::Function;

    /// Coordinates with their rates.
    fn coordinates(g: &mut Graph, n: usize) -> (Vec<Coordinate>, Vec<(Node, Node)>) {
        let inputs: Vec<Coordinate> =
            (0..n).map(|i| (g.input(Source::Point, 10 + i), g.input(Source::Point, i))).collect();
        (inputs.clone(), inputs.iter().map(|&(v, q)| (q, v)).collect())
    }

    /// x² + y² of the velocity of a point at the end of links one after the other.
    fn links(g: &mut Graph, coordinates: &[Coordinate]) -> Node {
        let (mut x, mut y) = (Graph::ZERO, Graph::ZERO);
        let (mut angle, mut rate) = (Graph::ZERO, Graph::ZERO);
        for (k, &(v, q)) in coordinates.iter().enumerate() {
            (angle, rate) = (g.add(angle, q), g.add(rate, v));
            let length = g.input(Source::Param, 20 + k);
            for (sum, f) in [(&mut x, Function::Cos), (&mut y, Function::Sin)] {
                let position = g.unary(f, angle);
                let slope = g.along(&[position], &[(angle, Graph::ONE)])[0];
                let velocity = g.mul(slope, rate);
                let velocity = g.mul(length, velocity);
                *sum = g.add(*sum, velocity);
            }
        }
        let (xx, yy) = (g.mul(x, x), g.mul(y, y));
        g.add(xx, yy)
    }

    /// f = T_q − T_vq v.
    fn written_out(
        g: &mut Graph,
        energy: Node,
        coordinates: &[Coordinate],
        motion: &[(Node, Node)],
    ) -> Vec<Node> {
        let (v, q): (Vec<Node>, Vec<Node>) = coordinates.iter().copied().unzip();
        let momenta = g.gradient(energy, &v);
        let inertial = g.along(&momenta, motion);
        let by_q = g.gradient(energy, &q);
        by_q.into_iter().zip(inertial).map(|(a, b)| g.sub(a, b)).collect()
    }

    fn operations(g: &Graph, roots: &[Node]) -> usize {
        let reach = g.reach(roots);
        (0..reach.len()).filter(|&i| reach[i] && g.ops()[i].operands() != [None; 2]).count()
    }

    fn value(g: &Graph, node: Node) -> f64 {
        let at = |x: Node| value(g, x);
        match g.ops()[node as usize] {
            Op::Const(bits) => f64::from_bits(bits),
            Op::Input(k) => (1.0 + f64::from(g.inputs()[k as usize].1)).sqrt() - 2.5,
            Op::Add(a, b) => at(a) + at(b),
            Op::Sub(a, b) => at(a) - at(b),
            Op::Mul(a, b) => at(a) * at(b),
            Op::Unary(f, a) => f.value(at(a)),
            op => panic!("{op:?}"),
        }
    }

    #[test]
    fn velocities_of_points_are_actual_ones_and_leave_half_of_the_operations() {
        for n in [1, 2, 3] {
            let mut g = Graph::default();
            let (coordinates, motion) = coordinates(&mut g, n);
            let energy = links(&mut g, &coordinates);
            let velocities = g.actual_velocities(energy, &coordinates, &motion);
            assert!(velocities.iter().all(|y| coordinates.iter().all(|x| x.0 != *y)), "{n}");
            let short = g.inertial_force(energy, &coordinates, &motion);
            let long = written_out(&mut g, energy, &coordinates, &motion);
            for (&a, &b) in short.iter().zip(&long) {
                let (a, b) = (value(&g, a), value(&g, b));
                assert!((a - b).abs() < 1e-13, "{n}: {a} {b}");
            }
            let (short, long) = (operations(&g, &short), operations(&g, &long));
            assert!(n == 1 || 3 * short < 2 * long, "{n}: {short} of {long}");
        }
    }

    #[test]
    fn what_is_no_derivative_of_a_position_is_written_out() {
        // ½ (q₀ v₁)² + v₀ v₁ sin q₁ + q₁ v₀: no position changes at the rate q₀ v₁.
        let mut g = Graph::default();
        let (coordinates, motion) = coordinates(&mut g, 2);
        let [(v0, q0), (v1, q1)] = [coordinates[0], coordinates[1]];
        let y = g.mul(q0, v1);
        let (square, sin, product) = (g.mul(y, y), g.unary(Function::Sin, q1), g.mul(v0, v1));
        let (a, b, c) = (g.scale(0.5, square), g.mul(sin, product), g.mul(q1, v0));
        let sum = g.add(a, b);
        let energy = g.add(sum, c);
        let velocities = g.actual_velocities(energy, &coordinates, &motion);
        assert!(!velocities.contains(&y));
        let short = g.inertial_force(energy, &coordinates, &motion);
        let long = written_out(&mut g, energy, &coordinates, &motion);
        for (&a, &b) in short.iter().zip(&long) {
            let (a, b) = (value(&g, a), value(&g, b));
            assert!((a - b).abs() < 1e-14, "{a} {b}");
        }
    }
}
