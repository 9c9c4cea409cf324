//! Joint coordinates: frames along a tree of joints.
//!
//! A joint of the tree says where the frame of the body it carries is, by the frame on the body it hangs on and
//! the [motion](super::Motion) of its coordinates. In the directions in which it holds the frames they may be
//! moved apart by *displacements*, which are zero in every motion: what the equations of motion say of them is
//! what the joint has to bear (`model/builder/released.rs`).
//!
//! The functions here are those directions, one for each joint and named as it: displacement k goes with row k
//! of the joint, so that its reaction is the multiplier which that row has where it is a row. In formulas:
//! the directions are dual to the gradients of the rows by the pose of the second frame, and no coordinate of the joint
//! changes along them.

use super::euler::from_rotation;
use super::frame::{SpatialFrame, cross};
use super::joint::noted;
use super::placing::Motion;
use crate::scalar::{Num, Scalar, num, of_body};

/// A small displacement of a frame: of its origin \[m\], and a turn about that \[rad\], in the ground's axes.
#[derive(Clone, Copy, Debug)]
pub struct Displacement<D> {
    /// Of the origin.
    pub shift: [Num<D>; 3],
    /// About the origin.
    pub turn: [Num<D>; 3],
}

type Pair<D> = [SpatialFrame<D>; 2];

impl<D: Scalar> SpatialFrame<D> {
    /// The second frame of a joint: at `motion` from the first, `a`, and displaced from there.
    pub fn carried(a: Self, motion: Motion<D>, held: impl Fn(Pair<D>) -> Displacement<D>) -> Self {
        let b = a.beyond(&motion);
        b.displaced(b.origin, held([a, b]), 1.0)
    }

    /// The first frame of a joint: where the second, `b`, is at `motion` from it, and `b` is displaced.
    pub fn carrying(b: Self, motion: Motion<D>, held: impl Fn(Pair<D>) -> Displacement<D>) -> Self {
        let a = b.beyond(&motion.inverse());
        a.displaced(b.origin, held([a, b]), -1.0)
    }

    /// The frame of the body on which this one is at `local`, with the body's name: so a picture knows whose the points
    /// are that are taken of it.
    pub fn of_body(&self, local: &Self, name: &'static str) -> Self {
        let mut all = self.telling(local);
        of_body(name, &mut all);
        SpatialFrame::told(all)
    }

    /// The frame of a body of an array, from the scalars that a joint tells, whose name is known with these.
    pub fn told(all: [Num<D>; 12]) -> Self {
        SpatialFrame {
            origin: std::array::from_fn(|i| all[i]),
            rotation: std::array::from_fn(|i| std::array::from_fn(|j| all[3 + 3 * i + j])),
        }
    }

    /// These scalars, of the body on which this frame is at `local`.
    pub fn telling(&self, local: &Self) -> [Num<D>; 12] {
        let SpatialFrame { origin, rotation } = self.beyond(&local.inverse());
        std::array::from_fn(|k| match k.checked_sub(3) {
            Some(k) => rotation[k / 3][k % 3],
            None => origin[k],
        })
    }

    /// Moved with a body of which a point is displaced, to first order.
    fn displaced(self, about: [Num<D>; 3], by: Displacement<D>, sign: f64) -> Self {
        let arm = std::array::from_fn(|i| self.origin[i] - about[i]);
        let moved = cross(by.turn, arm);
        let columns = [self.x(), self.y(), self.z()].map(|axis| cross(by.turn, axis));
        SpatialFrame {
            origin: std::array::from_fn(|i| self.origin[i] + sign * (by.shift[i] + moved[i])),
            rotation: std::array::from_fn(|i| {
                std::array::from_fn(|j| self.rotation[i][j] + sign * columns[j][i])
            }),
        }
    }

    /// Angular velocity in this frame's axes, from the rates of these axes (the columns of
    /// [`rotation`](Self::rotation)) \[rad/s\].
    #[inline(never)]
    pub fn turning(&self, rate: [[Num<D>; 3]; 3]) -> [Num<D>; 3] {
        let column = |j: usize| std::array::from_fn(|i| rate[i][j]);
        let along = |rate: [Num<D>; 3], axis| super::frame::dot(rate, axis);
        [along(column(1), self.z()), along(column(2), self.x()), along(column(0), self.y())]
    }

    /// The axes, one after the other: what a [`couple`](Self::couple) acts along.
    pub fn axes(&self) -> [Num<D>; 9] {
        let columns = [self.x(), self.y(), self.z()];
        std::array::from_fn(|k| columns[k / 3][k % 3])
    }

    /// The origin and the axes: what a [`push`](Self::push) acts along.
    pub fn place(&self) -> [Num<D>; 12] {
        let axes = self.axes();
        std::array::from_fn(|k| if k < 3 { self.origin[k] } else { axes[k - 3] })
    }

    /// What a force at the point `local` of this frame is along its [`place`](Self::place): the force along the origin,
    /// and along each axis as much of it as the point is off along that axis. So it acts on the point of the body that is there, whichever
    /// that is, while along `point(local)` it would do work on what moves the point within the body too.
    #[inline(never)]
    pub fn push(&self, local: [Num<D>; 3], force: [Num<D>; 3]) -> [Num<D>; 12] {
        std::array::from_fn(|k| if k < 3 { force[k] } else { local[k / 3 - 1] * force[k % 3] })
    }

    /// Forces at the ends of the axes, each against one at the origin, that are a torque together (in the ground's
    /// axes): ½ n × axis, for Σ axis × (n × axis) = 2n.
    #[inline(never)]
    pub fn couple(&self, torque: [Num<D>; 3]) -> [Num<D>; 9] {
        let columns = [self.x(), self.y(), self.z()].map(|axis| cross(torque, axis));
        std::array::from_fn(|k| 0.5 * columns[k / 3][k % 3])
    }
}

fn sum<D: Scalar, const K: usize>(parts: [(Num<D>, [Num<D>; 3]); K]) -> [Num<D>; 3] {
    std::array::from_fn(|i| parts.iter().fold(num(0.0), |sum, (by, axis)| sum + *by * axis[i]))
}

fn nothing<D: Scalar>() -> [Num<D>; 3] {
    [num(0.0); 3]
}

/// Of a [`spherical`](super::spherical) joint.
pub fn spherical<D: Scalar>(_: Pair<D>, shift: [Num<D>; 3]) -> Displacement<D> {
    Displacement { shift, turn: nothing() }
}

/// Of a [`revolute`](super::revolute) joint.
pub fn revolute<D: Scalar>([a, _]: Pair<D>, [i, j, k, u, v]: [Num<D>; 5]) -> Displacement<D> {
    Displacement { shift: [i, j, k], turn: sum([(u, a.y()), (v, a.x())]) }
}

/// Of a [`universal`](super::universal) joint.
pub fn universal<D: Scalar>([a, b]: Pair<D>, [i, j, k, u]: [Num<D>; 4]) -> Displacement<D> {
    Displacement { shift: [i, j, k], turn: sum([(u, cross(a.z(), b.z()))]) }
}

/// Of a [`cylindrical`](super::cylindrical) joint.
pub fn cylindrical<D: Scalar>([a, _]: Pair<D>, [i, j, u, v]: [Num<D>; 4]) -> Displacement<D> {
    Displacement { shift: sum([(i, a.x()), (j, a.y())]), turn: sum([(u, a.y()), (v, a.x())]) }
}

/// Of a [`prismatic`](super::prismatic) joint.
pub fn prismatic<D: Scalar>([a, _]: Pair<D>, [i, j, u, v, w]: [Num<D>; 5]) -> Displacement<D> {
    let turn = sum([(u, a.y()), (v, a.x()), (w, a.z())]);
    Displacement { shift: sum([(i, a.x()), (j, a.y())]), turn }
}

/// Of a [`screw`](super::screw): a slide that is not that of the turn.
pub fn screw<D: Scalar>([a, _]: Pair<D>, [i, j, u, v, k]: [Num<D>; 5]) -> Displacement<D> {
    let shift = sum([(i, a.x()), (j, a.y()), (k, a.z())]);
    Displacement { shift, turn: sum([(u, a.y()), (v, a.x())]) }
}

/// Of a [`planar`](super::planar) joint.
pub fn planar<D: Scalar>([a, _]: Pair<D>, [k, u, v]: [Num<D>; 3]) -> Displacement<D> {
    Displacement { shift: sum([(k, a.z())]), turn: sum([(u, a.y()), (v, a.x())]) }
}

/// Of a [`fixed`](super::fixed) joint.
pub fn fixed<D: Scalar>([a, _]: Pair<D>, [i, j, k, u, v, w]: [Num<D>; 6]) -> Displacement<D> {
    let turn = sum([(u, a.y()), (v, a.x()), (w, a.z())]);
    Displacement { shift: [i, j, k], turn }
}

/// What a picture is told of a joint that carries a body, by the two frames on its bodies: force and torque on the
/// second body, about the second origin, in the ground's axes \[N\], \[N*m\].
pub fn seen<D: Scalar>(
    kind: &'static str,
    a: SpatialFrame<D>,
    b: SpatialFrame<D>,
    force: [Num<D>; 3],
    torque: [Num<D>; 3],
) -> [Num<D>; 6] {
    noted(kind, a, b);
    std::array::from_fn(|k| if k < 3 { force[k] } else { torque[k - 3] })
}

/// What a picture is told of a body that a joint carries: origin and Euler parameters; mass \[kg\] and moments of inertia
/// about its axes \[kg*m^2\].
pub fn pose<D: Scalar>(frame: SpatialFrame<D>, mass: Num<D>, moments: [Num<D>; 3]) -> [Num<D>; 11] {
    let e = from_rotation(frame.rotation);
    std::array::from_fn(|k| match k {
        0..3 => frame.origin[k],
        3..7 => e[k - 3],
        7 => mass,
        _ => moments[k - 8],
    })
}

#[cfg(test)]
mod tests {
    use crate::components::planar::PlanarFrame;
    use crate::components::spatial::SpatialFrame;
    use crate::components::{planar, spatial};
    use crate::scalar::{Num, Rate, num, rate, with_rate};
    use crate::verify::Noise;

    type F = Num<f64>;

    fn random<const N: usize>(noise: &mut Noise) -> [F; N] {
        std::array::from_fn(|_| num(noise.sample()))
    }

    fn amounts<const R: usize>(k: usize) -> [Num<Rate<f64>>; R] {
        std::array::from_fn(|i| with_rate(num(0.0), num(f64::from(i == k))))
    }

    #[track_caller]
    fn is_minus_unit<const R: usize>(rows: [F; R], k: usize) {
        for (i, row) in rows.into_iter().enumerate() {
            let wanted = if i == k { -1.0 } else { 0.0 };
            assert!((row.value() - wanted).abs() < 1e-13, "row {i} along {k}: {}", row.value());
        }
    }

    /// Displacement k changes row k by −1 and no other row, whichever frame is carried.
    macro_rules! dual {
        ($module:ident $frame:ident $joint:ident $rows:literal, $still:expr, $motion:expr $(, $param:expr)?) => {
            for k in 0..$rows {
                let (still, motion) = ($module::still($still), $module::still($motion));
                let held = |pair| $module::held::$joint(pair, amounts(k));
                let carried = $frame::carried(still, motion, held);
                is_minus_unit(rate($module::$joint(still, carried $(, num($param))?)), k);
                let carrying = $frame::carrying(still, motion, held);
                is_minus_unit(rate($module::$joint(carrying, still $(, num($param))?)), k);
            }
        };
    }

    #[test]
    fn displacements_are_dual_to_the_rows() {
        use spatial::{with_cross, with_euler, with_plane, with_screw, with_slide, with_turn};
        let mut noise = Noise::new(5);
        for _ in 0..5 {
            let e = spatial::axis_angle(random(&mut noise), num(noise.sample()));
            let a = SpatialFrame::new(random(&mut noise), e);
            let [q, r, s] = random(&mut noise);
            let unmoved = spatial::ground();
            dual!(spatial SpatialFrame revolute 5, a, with_turn([q]));
            dual!(spatial SpatialFrame prismatic 5, a, with_slide([q]));
            dual!(spatial SpatialFrame cylindrical 4, a, spatial::with_turn_and_slide([q, r]));
            dual!(spatial SpatialFrame screw 5, a, with_screw([q], num(0.3)), 0.3);
            dual!(spatial SpatialFrame universal 4, a, with_cross([q, r]));
            dual!(spatial SpatialFrame planar 3, a, with_plane([q, r, s]));
            dual!(spatial SpatialFrame fixed 6, a, unmoved);
            dual!(spatial SpatialFrame spherical 3, a, with_euler(e));
            let [x, y, angle] = random(&mut noise);
            let b = PlanarFrame::new(x, y, angle);
            dual!(planar PlanarFrame joined 2, b, planar::with_turn([q]));
            dual!(planar PlanarFrame sliding 2, b, planar::with_slide([q]));
            dual!(planar PlanarFrame welded 3, b, planar::with_turn([num(0.0)]));
        }
    }

    #[test]
    fn a_couple_is_its_torque() {
        let mut noise = Noise::new(6);
        let frame = SpatialFrame::new(
            random(&mut noise),
            spatial::axis_angle(random(&mut noise), num(noise.sample())),
        );
        let torque: [F; 3] = random(&mut noise);
        let (ends, forces) = (frame.axes(), frame.couple(torque));
        let mut sum = [0.0; 3];
        for k in 0..3 {
            let part = |of: [F; 9]| std::array::from_fn(|i| of[3 * k + i]);
            let moment = spatial::cross(part(ends), part(forces));
            (0..3).for_each(|i| sum[i] += moment[i].value());
        }
        for (sum, torque) in sum.into_iter().zip(torque) {
            assert!((sum - torque.value()).abs() < 1e-14);
        }
    }
}
