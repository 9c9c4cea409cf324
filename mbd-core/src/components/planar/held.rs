//! Joint coordinates in the plane; see [`spatial::held`](super::super::spatial::held).

use super::PlanarFrame;
use crate::scalar::{Mark, Num, Scalar, note, num, of_body};

/// A small displacement of a frame: of its origin \[m\], in the ground's axes, and a turn about that \[rad\].
#[derive(Clone, Copy, Debug)]
pub struct Displacement<D> {
    /// Of the origin.
    pub shift: [Num<D>; 2],
    /// About the origin.
    pub turn: Num<D>,
}

type Pair<D> = [PlanarFrame<D>; 2];

impl<D: Scalar> PlanarFrame<D> {
    /// The second frame of a joint: at `motion` from the first, `a`, and displaced from there.
    pub fn carried(a: Self, motion: Self, held: impl Fn(Pair<D>) -> Displacement<D>) -> Self {
        let b = a.beyond(&motion);
        b.displaced(b.origin, held([a, b]), 1.0)
    }

    /// The first frame of a joint: where the second, `b`, is at `motion` from it, and `b` is displaced.
    pub fn carrying(b: Self, motion: Self, held: impl Fn(Pair<D>) -> Displacement<D>) -> Self {
        let a = b.beyond(&motion.inverse());
        a.displaced(b.origin, held([a, b]), -1.0)
    }

    /// The frame of the body on which this one is at `local`, with the body's name: so a picture knows whose the points
    /// are that are taken of it.
    pub fn of_body(&self, local: &Self, name: &'static str) -> Self {
        let PlanarFrame { origin: [x, y], angle, cos, sin } = self.beyond(&local.inverse());
        let mut all = [x, y, angle, cos, sin];
        of_body(name, &mut all);
        PlanarFrame::told(all)
    }

    /// The frame of a body of an array, from the scalars that a joint tells, whose name is known with these.
    pub fn told([x, y, angle, cos, sin]: [Num<D>; 5]) -> Self {
        PlanarFrame { origin: [x, y], angle, cos, sin }
    }

    /// These scalars, of the body on which this frame is at `local`.
    pub fn telling(&self, local: &Self) -> [Num<D>; 5] {
        let PlanarFrame { origin: [x, y], angle, cos, sin } = self.beyond(&local.inverse());
        [x, y, angle, cos, sin]
    }

    /// The frame that is `inner` in this one's axes, of which no picture is told: on the way to a body nothing is to
    /// be seen.
    fn beyond(&self, inner: &Self) -> Self {
        let [x, y] = self.vector(inner.origin);
        PlanarFrame::new(self.origin[0] + x, self.origin[1] + y, self.angle + inner.angle)
    }

    /// Moved with a body of which a point is displaced, to first order.
    fn displaced(self, about: [Num<D>; 2], by: Displacement<D>, sign: f64) -> Self {
        let [x, y] = [self.origin[0] - about[0], self.origin[1] - about[1]];
        let moved = [by.shift[0] - by.turn * y, by.shift[1] + by.turn * x];
        let turn = sign * by.turn;
        PlanarFrame {
            origin: [self.origin[0] + sign * moved[0], self.origin[1] + sign * moved[1]],
            angle: self.angle + turn,
            cos: self.cos - turn * self.sin,
            sin: self.sin + turn * self.cos,
        }
    }
}

/// Of a [`revolute`](super::revolute) joint.
pub fn joined<D: Scalar>(_: Pair<D>, shift: [Num<D>; 2]) -> Displacement<D> {
    Displacement { shift, turn: num(0.0) }
}

/// Of a [`prismatic`](super::prismatic) joint.
pub fn sliding<D: Scalar>([a, _]: Pair<D>, [across, turn]: [Num<D>; 2]) -> Displacement<D> {
    Displacement { shift: a.y().map(|n| across * n), turn }
}

/// Of a [`weld`](super::weld).
pub fn welded<D: Scalar>(_: Pair<D>, [i, j, turn]: [Num<D>; 3]) -> Displacement<D> {
    Displacement { shift: [i, j], turn }
}

/// What a picture is told of a joint that carries a body, by the two frames on its bodies: force and torque on the
/// second body, about the second origin \[N\], \[N*m\].
pub fn seen<D: Scalar>(
    kind: &'static str,
    a: PlanarFrame<D>,
    b: PlanarFrame<D>,
    force: [Num<D>; 2],
    torque: Num<D>,
) -> [Num<D>; 3] {
    match kind {
        "prismatic" => note(Mark::Joint("prismatic"), &[a.origin, b.origin, a.x()]),
        "fixed" => note(Mark::Joint("weld"), &[a.origin, b.origin]),
        _ => note(Mark::Joint("revolute"), &[a.origin, b.origin]),
    }
    [force[0], force[1], torque]
}

/// What a picture is told of a body that a joint carries: x, y, angle; mass \[kg\] and moment of inertia \[kg*m^2\].
pub fn pose<D: Scalar>(frame: PlanarFrame<D>, mass: Num<D>, inertia: Num<D>) -> [Num<D>; 5] {
    [frame.origin[0], frame.origin[1], frame.angle, mass, inertia]
}
