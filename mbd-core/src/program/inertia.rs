//! The force of a kinetic energy in Lagrange's equations without the terms that cancel.
//!
//! f = T_q − T_vq v − T_vt, written out, is mostly a sum of equal terms with opposite signs. A
//! velocity y(t, q, v) is *actual* when it is the derivative of some position, y = dr/dt, so that
//! d/dt y_v = y_q (Lagrange). For an energy Φ(y, t, q) the terms Φ_y y_q and −Φ_y d/dt y_v then cancel
//! and what is left is f = Φ_q − y_vᵀ d/dt Φ_y: for ½ m y² the familiar −y_vᵀ m dy/dt. Coordinates'
//! own velocities are actual ones, angular velocities of spatial bodies are not; no position has to
//! be known, for both sides of the condition are expressions that can be compared.

use super::graph::{Graph, Node, Op};

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
        let (velocities, by_rate) = self.actual_velocities(energy, coordinates, motion);
        let mut variables = velocities;
        let count = variables.len();
        variables.extend(coordinates.iter().map(|x| x.1));
        let slopes = self.gradient(energy, &variables);
        let (momenta, forces) = slopes.split_at(count);
        let changes = self.along(momenta, motion);
        let mut forces = forces.to_vec();
        for (change, by_rate) in changes.into_iter().zip(by_rate.chunks(coordinates.len())) {
            for (force, &slope) in forces.iter_mut().zip(by_rate) {
                let part = self.mul(slope, change);
                *force = self.sub(*force, part);
            }
        }
        forces
    }

    /// Actual velocities of which an energy is a function, t and q aside, with their derivatives by
    /// each rate.
    fn actual_velocities(
        &mut self,
        energy: Node,
        coordinates: &[Coordinate],
        motion: &[(Node, Node)],
    ) -> (Vec<Node>, Vec<Node>) {
        let (rates, positions): (Vec<Node>, Vec<Node>) = coordinates.iter().copied().unzip();
        let degrees = self.degrees(energy, &rates);
        let degree = |node: Node| degrees[node as usize];
        let (mut velocities, mut slopes) = (Vec::new(), Vec::new());
        let mut seen = Vec::new();
        let mut pending = vec![energy];
        while let Some(node) = pending.pop() {
            if degree(node) == 0 || seen.contains(&node) {
                continue;
            }
            seen.push(node);
            if degree(node) == 1 {
                let by_rate = self.gradient(node, &rates);
                let by_position = self.gradient(node, &positions);
                let changes = self.along(&by_rate, motion);
                let mut sides = changes.iter().zip(&by_position);
                if sides.all(|(change, slope)| change == slope) {
                    velocities.push(node);
                    slopes.extend(by_rate);
                    continue;
                }
            }
            pending.extend(self.ops()[node as usize].operands().into_iter().flatten());
        }
        (velocities, slopes)
    }

    /// Of every node up to the root whether it does not depend on `variables` (0), is linear in them
    /// (1) or neither (2).
    fn degrees(&self, root: Node, variables: &[Node]) -> Vec<u8> {
        let needed = self.reach(&[root]);
        let mut degrees = vec![0; needed.len()];
        for (i, _) in needed.iter().enumerate().filter(|x| *x.1) {
            let op = self.ops()[i];
            let [a, b] = op.operands().map(|x| x.map_or(0, |x| degrees[x as usize]));
            degrees[i] = match op {
                Op::Input(_) => u8::from(variables.contains(&(i as Node))),
                Op::Add(..) | Op::Sub(..) => a.max(b),
                Op::Mul(..) => 2.min(a + b),
                _ => 2 * u8::from(a > 0 || b > 0),
            };
        }
        degrees
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::graph::{Function, Source};

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
            let (velocities, _) = g.actual_velocities(energy, &coordinates, &motion);
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
        let (velocities, _) = g.actual_velocities(energy, &coordinates, &motion);
        assert!(!velocities.contains(&y));
        let short = g.inertial_force(energy, &coordinates, &motion);
        let long = written_out(&mut g, energy, &coordinates, &motion);
        for (&a, &b) in short.iter().zip(&long) {
            let (a, b) = (value(&g, a), value(&g, b));
            assert!((a - b).abs() < 1e-14, "{a} {b}");
        }
    }
}
