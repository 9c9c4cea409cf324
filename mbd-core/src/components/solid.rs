//! Mass and inertia of solids of one density, and of what is put together from them.
//!
//! A solid is made about its own centre, with its axis, where it has one, along z; [`Solid::at`] and [`Solid::turned`]
//! put it in its place, [`Solid::with`] and [`Solid::less`] add solids and take out holes, by Steiner's theorem. What is
//! put together is described in the axes and about the origin of whoever puts it together, and so is its
//! [centre](Solid::center):
//!
//! ```text
//! let shaft = solid::cylinder(7850, 0.01, 0.3);
//! let disc = solid::cylinder(7850, 0.1, 0.02).less(solid::cylinder(7850, 0.01, 0.02));
//! let whole = shaft.with(disc.at([0, 0, 0.05]));
//! body rotor: SpatialBody { solid: whole };
//! ```
//!
//! A body's own origin is its centre of mass: what was described at a point `p` is in the body at `p - whole.center`.

use super::spatial::rotation;
use crate::scalar::{Num, Scalar, num};
use crate::vector::dot;
use std::f64::consts::PI;

/// Mass, centre of mass and inertia.
#[derive(Clone, Copy, Debug)]
pub struct Solid<D> {
    /// Mass \[kg\].
    pub mass: Num<D>,
    /// Centre of mass \[m\].
    pub center: [Num<D>; 3],
    /// Tensor of inertia about the centre of mass: jxx, jyy, jzz, jxy, jxz, jyz, the mixed entries being those of the
    /// matrix (−∫xy dm, …) \[kg·m²\].
    pub inertia: [Num<D>; 6],
}

/// About its own centre, of its principal moments.
fn principal<D: Scalar>(mass: Num<D>, [jx, jy, jz]: [Num<D>; 3]) -> Solid<D> {
    let zero = num(0.0);
    Solid { mass, center: [zero; 3], inertia: [jx, jy, jz, zero, zero, zero] }
}

/// A block of a density \[kg/m³\] with edges of these lengths along x, y and z \[m\].
pub fn block<D: Scalar>(density: Num<D>, [a, b, c]: [Num<D>; 3]) -> Solid<D> {
    let mass = density * a * b * c;
    principal(mass, [b * b + c * c, a * a + c * c, a * a + b * b].map(|sum| mass * sum / 12.0))
}

/// A ball \[kg/m³\], \[m\].
pub fn sphere<D: Scalar>(density: Num<D>, radius: Num<D>) -> Solid<D> {
    let mass = density * radius * radius * radius * (4.0 / 3.0 * PI);
    principal(mass, [0.4 * (mass * radius * radius); 3])
}

/// A cylinder along z \[kg/m³\], \[m\], \[m\].
pub fn cylinder<D: Scalar>(density: Num<D>, radius: Num<D>, length: Num<D>) -> Solid<D> {
    tube(density, radius, num::<D>(0.0) * radius, length)
}

/// A tube along z, of an outer and an inner radius \[kg/m³\], \[m\], \[m\], \[m\].
pub fn tube<D: Scalar>(density: Num<D>, outer: Num<D>, inner: Num<D>, length: Num<D>) -> Solid<D> {
    let mass = PI * (density * length * (outer * outer - inner * inner));
    let squares = outer * outer + inner * inner;
    let across = mass * (3.0 * squares + length * length) / 12.0;
    principal(mass, [across, across, mass * squares / 2.0])
}

/// A cone along z about its centre of mass: its base, of this radius, is a quarter of the height below that
/// \[kg/m³\], \[m\], \[m\].
pub fn cone<D: Scalar>(density: Num<D>, radius: Num<D>, height: Num<D>) -> Solid<D> {
    let mass = PI * (density * radius * radius * height) / 3.0;
    let across = mass * (4.0 * radius * radius + height * height) * (3.0 / 80.0);
    principal(mass, [across, across, 0.3 * (mass * radius * radius)])
}

/// A thin rod along z, of a mass per length \[kg/m\] and a length \[m\]; it has no inertia about its own axis.
pub fn rod<D: Scalar>(per_length: Num<D>, length: Num<D>) -> Solid<D> {
    let mass = per_length * length;
    let across = mass * length * length / 12.0;
    principal(mass, [across, across, num::<D>(0.0) * across])
}

/// A mass in a point, which has no inertia of its own \[kg\].
pub fn point<D: Scalar>(mass: Num<D>) -> Solid<D> {
    principal(mass, [num(0.0); 3])
}

/// What is known by its mass \[kg\] and its tensor of inertia about its centre of mass, in its own axes: jxx, jyy, jzz,
/// jxy, jxz, jyz, the mixed entries being those of the matrix (−∫xy dm, …) \[kg·m²\].
pub fn tensor<D: Scalar>(mass: Num<D>, inertia: [Num<D>; 6]) -> Solid<D> {
    Solid { mass, center: [num(0.0); 3], inertia }
}

/// The same where the tensor is about the origin, and the centre of mass elsewhere, as a drawing's own axes have it
/// \[kg\], \[m\], \[kg·m²\].
pub fn tensor_about_origin<D: Scalar>(
    mass: Num<D>,
    center: [Num<D>; 3],
    inertia: [Num<D>; 6],
) -> Solid<D> {
    let moved = point(mass).at(center).about([num(0.0); 3]);
    Solid { mass, center, inertia: std::array::from_fn(|k| inertia[k] - moved[k]) }
}

impl<D: Scalar> Solid<D> {
    /// The same elsewhere: moved by a vector, which is where a solid's centre comes to that was made about it \[m\].
    pub fn at(self, by: [Num<D>; 3]) -> Self {
        Solid { center: std::array::from_fn(|i| self.center[i] + by[i]), ..self }
    }

    /// The same turned about the origin, by Euler parameters: `axis_angle([1, 0, 0], angle)`.
    pub fn turned(self, e: [Num<D>; 4]) -> Self {
        let r = rotation(e);
        let rows = rows(self.inertia);
        // R J Rᵀ, entry by entry.
        let entry = |i: usize, j: usize| dot(r[i], rows.map(|row| dot(row, r[j])));
        let [jx, jy, jz] = [entry(0, 0), entry(1, 1), entry(2, 2)];
        let inertia = [jx, jy, jz, entry(0, 1), entry(0, 2), entry(1, 2)];
        Solid { center: r.map(|row| dot(row, self.center)), inertia, ..self }
    }

    /// Both together: masses and moments add up, each about the common centre (Steiner).
    pub fn with(self, other: Self) -> Self {
        self.joined(other, 1.0)
    }

    /// Without a part, which lies within: a hole, of the density of what it is taken from.
    pub fn less(self, other: Self) -> Self {
        self.joined(other, -1.0)
    }

    fn joined(self, other: Self, sign: f64) -> Self {
        let mass = self.mass + sign * other.mass;
        let center = std::array::from_fn(|i| {
            (self.mass * self.center[i] + sign * (other.mass * other.center[i])) / mass
        });
        let (one, two) = (self.about(center), other.about(center));
        let inertia = std::array::from_fn(|k| one[k] + sign * two[k]);
        Solid { mass, center, inertia }
    }

    /// The tensor about another point, by Steiner's theorem, in the same order of entries \[kg·m²\].
    pub fn about(self, point: [Num<D>; 3]) -> [Num<D>; 6] {
        let d: [Num<D>; 3] = std::array::from_fn(|i| self.center[i] - point[i]);
        let [x, y, z] = d;
        let moved = [y * y + z * z, x * x + z * z, x * x + y * y, -(x * y), -(x * z), -(y * z)];
        std::array::from_fn(|k| self.inertia[k] + self.mass * moved[k])
    }

    /// The moment about an axis of unit length through the centre of mass \[kg·m²\].
    pub fn moment(self, axis: [Num<D>; 3]) -> Num<D> {
        dot(axis, rows(self.inertia).map(|row| dot(row, axis)))
    }
}

/// The matrix of a tensor.
fn rows<D: Scalar>([jx, jy, jz, jxy, jxz, jyz]: [Num<D>; 6]) -> [[Num<D>; 3]; 3] {
    [[jx, jxy, jxz], [jxy, jy, jyz], [jxz, jyz, jz]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::cross;

    type Is = Solid<f64>;

    fn n(x: f64) -> Num<f64> {
        num(x)
    }

    /// By summing up small cubes of a region: the second algorithm, to `1e-3` of the largest entry.
    fn summed(density: f64, half: [f64; 3], inside: impl Fn([f64; 3]) -> bool) -> Is {
        let parts = 120;
        let h: [f64; 3] = half.map(|half| 2.0 * half / f64::from(parts));
        let (mut mass, mut first, mut second) = (0.0, [0.0; 3], [0.0; 6]);
        let middle = |k: i32, i: usize| (f64::from(k) + 0.5) * h[i] - half[i];
        let cells = (0..parts).flat_map(|a| (0..parts).map(move |b| (a, b)));
        for (a, b) in cells {
            for c in 0..parts {
                let p = [middle(a, 0), middle(b, 1), middle(c, 2)];
                if !inside(p) {
                    continue;
                }
                let m = density * h[0] * h[1] * h[2];
                let [x, y, z] = p;
                mass += m;
                (0..3).for_each(|i| first[i] += m * p[i]);
                let one = [y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z];
                (0..6).for_each(|k| second[k] += m * one[k]);
            }
        }
        let whole = Solid { mass: n(mass), center: [n(0.0); 3], inertia: second.map(n) };
        let center = first.map(|sum| n(sum / mass));
        // What Steiner's theorem adds when the tensor is taken about the origin.
        let own = Solid { center, inertia: [n(0.0); 6], ..whole }.about([n(0.0); 3]);
        Solid { center, inertia: std::array::from_fn(|k| n(second[k]) - own[k]), ..whole }
    }

    fn same(is: Is, wanted: Is, tolerance: f64) {
        let size = wanted.inertia.iter().map(|j| j.value().abs()).fold(0.0, f64::max);
        let near = |a: Num<f64>, b: Num<f64>, size: f64| {
            let (a, b) = (a.value(), b.value());
            assert!((a - b).abs() <= tolerance * size, "{is:?} is not {wanted:?}");
        };
        near(is.mass, wanted.mass, wanted.mass.value());
        (0..3).for_each(|i| near(is.center[i], wanted.center[i], 0.1));
        (0..6).for_each(|k| near(is.inertia[k], wanted.inertia[k], size));
    }

    fn within(radius: f64, x: f64, y: f64) -> bool {
        x * x + y * y < radius * radius
    }

    #[test]
    fn shapes_are_the_sums_of_their_parts() {
        same(
            block(n(700.0), [n(0.2), n(0.3), n(0.1)]),
            summed(700.0, [0.1, 0.15, 0.05], |_| true),
            1e-4,
        );
        let ball = |[x, y, z]: [f64; 3]| x * x + y * y + z * z < 0.01;
        same(sphere(n(700.0), n(0.1)), summed(700.0, [0.1; 3], ball), 2e-3);
        let pipe = |[x, y, _]: [f64; 3]| within(0.1, x, y) && !within(0.06, x, y);
        same(tube(n(700.0), n(0.1), n(0.06), n(0.4)), summed(700.0, [0.1, 0.1, 0.2], pipe), 2e-3);
        let round = |[x, y, _]: [f64; 3]| within(0.1, x, y);
        same(cylinder(n(700.0), n(0.1), n(0.4)), summed(700.0, [0.1, 0.1, 0.2], round), 2e-3);
        // Its base lies at z = −0.2, its centre of mass a quarter of the height above that.
        let cone_of = |[x, y, z]: [f64; 3]| within(0.1 * (0.2 - z) / 0.4, x, y);
        let wanted = summed(700.0, [0.1, 0.1, 0.2], cone_of);
        same(cone(n(700.0), n(0.1), n(0.4)).at([n(0.0), n(0.0), n(-0.1)]), wanted, 3e-3);
    }

    /// A bent thing with a hole, turned and moved, against its own small parts.
    #[test]
    fn solids_are_put_together_turned_and_moved() {
        let arm = block(n(700.0), [n(0.4), n(0.1), n(0.1)]);
        let knob = block(n(700.0), [n(0.1), n(0.2), n(0.1)]).at([n(0.15), n(0.15), n(0.0)]);
        let hole = block(n(700.0), [n(0.1), n(0.05), n(0.1)]).at([n(-0.1), n(0.025), n(0.0)]);
        let is = arm.with(knob).less(hole);
        let inside = |[x, y, z]: [f64; 3]| {
            let arm = x.abs() < 0.2 && y.abs() < 0.05;
            let knob = (x - 0.15).abs() < 0.05 && (y - 0.15).abs() < 0.1;
            let hole = (x + 0.1).abs() < 0.05 && (y - 0.025).abs() < 0.025;
            z.abs() < 0.05 && (arm || knob) && !hole
        };
        // The grid has the edges of all of them between its cells.
        same(is, summed(700.0, [0.3, 0.3, 0.06], inside), 1e-3);
        // Turned by a quarter about z: x is y, y is −x.
        let h = std::f64::consts::FRAC_1_SQRT_2;
        let turned = is.turned([n(h), n(0.0), n(0.0), n(h)]);
        let [jx, jy, jz, jxy, jxz, jyz] = is.inertia;
        let inertia = [jy, jx, jz, -jxy, -jyz, jxz];
        let center = [-is.center[1], is.center[0], is.center[2]];
        same(turned, Solid { mass: is.mass, center, inertia }, 1e-14);
        // Together with itself elsewhere it is twice as heavy, and about its own axis no less.
        let pair = is.with(is.at([n(0.0), n(0.0), n(1.0)]));
        same(
            pair,
            Solid {
                mass: 2.0 * is.mass,
                center: [is.center[0], is.center[1], is.center[2] + 0.5],
                inertia: [
                    2.0 * (jx + is.mass * 0.25),
                    2.0 * (jy + is.mass * 0.25),
                    2.0 * jz,
                    2.0 * jxy,
                    2.0 * jxz,
                    2.0 * jyz,
                ],
            },
            1e-14,
        );
    }

    /// About another point it is what its energy says: a turn about that point moves the centre of mass.
    #[test]
    fn a_tensor_about_a_point_is_its_energy() {
        let is = block(n(700.0), [n(0.2), n(0.3), n(0.1)]).at([n(0.4), n(-0.2), n(0.3)]);
        let (point, w) = ([n(0.1), n(0.2), n(-0.3)], [n(0.3), n(-0.7), n(0.2)]);
        let arm: [Num<f64>; 3] = std::array::from_fn(|i| is.center[i] - point[i]);
        let v = cross(w, arm);
        let energy = |j: [Num<f64>; 6]| dot(w, rows(j).map(|row| dot(row, w))).value();
        let wanted = energy(is.inertia) + (is.mass * dot(v, v)).value();
        assert!((energy(is.about(point)) - wanted).abs() < 1e-13 * wanted);
        let along = Solid { inertia: is.about(point), ..is };
        let length = dot(w, w).sqrt();
        let moment = along.moment(w.map(|x| x / length)) * length * length;
        assert!((moment.value() - wanted).abs() < 1e-13 * wanted);
    }
}
