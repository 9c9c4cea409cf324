//! Where a body is, and how large by its moments of inertia.

use crate::assembly::{Point, Residual, SlotKind, System, Want};
use crate::components::SpatialFrame;
use crate::components::spatial::euler_rate;
use crate::model::{BodyInfo, BodyKind, Model};
use crate::scalar::num;

/// Origin and axes of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Origin in the ground frame.
    pub origin: [f64; 3],
    /// Rotation matrix, row by row; its columns are the body's axes in the ground frame.
    pub rotation: [[f64; 3]; 3],
}

const UPRIGHT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

impl Pose {
    /// By the numbers of a kind of body, in its order.
    ///
    /// # Panics
    /// When there are fewer than [`BodyKind::numbers`].
    pub fn new(kind: BodyKind, numbers: &[f64]) -> Self {
        let at = |k: usize| numbers[k];
        match kind {
            BodyKind::Planar => {
                let (s, c) = at(2).sin_cos();
                let rotation = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]];
                Pose { origin: [at(0), at(1), 0.0], rotation }
            }
            BodyKind::PlanarMass => Pose { origin: [at(0), at(1), 0.0], rotation: UPRIGHT },
            BodyKind::PointMass => Pose { origin: [at(0), at(1), at(2)], rotation: UPRIGHT },
            BodyKind::Spatial => {
                let origin = std::array::from_fn(|k| num::<f64>(at(k)));
                let e = std::array::from_fn(|k| num(at(3 + k)));
                let SpatialFrame { origin, rotation } = SpatialFrame::new(origin, e);
                let plain = |row: [crate::scalar::Num<f64>; 3]| row.map(|x| x.value());
                Pose { origin: plain(origin), rotation: rotation.map(plain) }
            }
        }
    }

    /// A point of the ground frame in the axes of the body.
    pub fn local(&self, point: [f64; 3]) -> [f64; 3] {
        let d: [f64; 3] = std::array::from_fn(|i| point[i] - self.origin[i]);
        std::array::from_fn(|j| (0..3).map(|i| self.rotation[i][j] * d[i]).sum())
    }

    /// A point of the body in the ground frame.
    pub fn point(&self, local: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|i| {
            self.origin[i] + (0..3).map(|j| self.rotation[i][j] * local[j]).sum::<f64>()
        })
    }
}

/// Makes Euler parameters those of a rotation: coordinates of which four are one vector, without a unit.
pub(super) fn normalize(model: &Model, q: &mut [f64]) {
    let vectors = model.vectors.iter().filter(|vector| vector.len() == 4);
    for vector in vectors.filter(|vector| model.coords[vector[0]].unit == "-") {
        let norm = vector.iter().map(|&k| q[k] * q[k]).sum::<f64>().sqrt();
        for (k, &coord) in vector.iter().enumerate() {
            let upright = if k == 0 { 1.0 } else { 0.0 };
            q[coord] = if norm > 0.0 { q[coord] / norm } else { upright };
        }
    }
}

/// Appends the numbers that say where each body is, at a flat point: its coordinates, or what the joint says that
/// carries it.
pub(super) fn numbers(model: &Model, y: &[f64], out: &mut Vec<f64>) {
    let q = model.layout().range(SlotKind::Q).start;
    let mut carried = model.carried.iter().peekable();
    let mut values = Vec::new();
    for (b, body) in model.bodies.iter().enumerate() {
        match carried.next_if(|carried| carried.body == b) {
            Some(carried) => {
                carried.element.values(0, y, &mut values);
                out.extend(&values[..body.kind.numbers()]);
            }
            None => out.extend(body.coords.iter().map(|&k| y[q + k])),
        }
    }
}

/// Where each body is, at a flat point.
pub(super) fn poses(model: &Model, y: &[f64]) -> Vec<Pose> {
    let mut all = Vec::new();
    numbers(model, y, &mut all);
    let mut rest = &all[..];
    let mut poses = Vec::with_capacity(model.bodies.len());
    for body in &model.bodies {
        let (own, others) = rest.split_at(body.kind.numbers());
        poses.push(Pose::new(body.kind, own));
        rest = others;
    }
    poses
}

/// Half axes of the homogeneous ellipsoid of each body, in its axes: from M u for a motion u of all
/// bodies, so that they are right where kinetic energies are of one body each; of a body that a joint carries
/// from its own mass and moments of inertia.
pub(super) fn ellipsoids(system: &System, at: &Point, bodies: &[BodyInfo]) -> Vec<[f64; 3]> {
    let mut point = at.clone();
    let mut residual = Residual::new(&system.dims());
    let mut moved = |motion: &dyn Fn(&BodyInfo) -> Vec<f64>| -> Vec<f64> {
        let motions: Vec<Vec<f64>> = bodies.iter().map(motion).collect();
        let a = point.get_mut(SlotKind::A);
        a.fill(0.0);
        for (body, motion) in bodies.iter().zip(&motions) {
            body.coords.iter().zip(motion).for_each(|(&k, u)| a[k] = *u);
        }
        system.eval_at(&point, Want::MU, &mut residual);
        let inertia = |(body, motion): (&BodyInfo, &Vec<f64>)| {
            body.coords.iter().zip(motion).map(|(&k, u)| u * residual.mu[k]).sum::<f64>()
        };
        bodies.iter().zip(&motions).map(inertia).collect()
    };
    let mut mass = moved(&|body| unit(body.coords.len(), 0));
    let mut turned: Vec<Vec<f64>> = (0..3)
        .map(|axis| {
            moved(&|body| match body.kind {
                BodyKind::Planar if axis == 2 => unit(3, 2),
                BodyKind::Spatial if !body.coords.is_empty() => {
                    let e = std::array::from_fn(|k| num::<f64>(at.q()[body.coords[3 + k]]));
                    let omega = std::array::from_fn(|k| num(if k == axis { 1.0 } else { 0.0 }));
                    let rate = euler_rate(e, omega).map(|x| x.value());
                    [&[0.0; 3][..], &rate[..]].concat()
                }
                _ => vec![0.0; body.coords.len()],
            })
        })
        .collect();
    let mut values = Vec::new();
    for carried in &system.model().carried {
        let b = carried.body;
        carried.element.values(0, at.flat(), &mut values);
        let own = &values[bodies[b].kind.numbers()..];
        mass[b] = own[0];
        match bodies[b].kind {
            BodyKind::Planar => turned[2][b] = own[1],
            _ => turned.iter_mut().zip(&own[1..]).for_each(|(axis, j)| axis[b] = *j),
        }
    }
    let half = |x: f64| if x > 0.0 && x.is_finite() { x.sqrt() } else { 0.0 };
    let axes = |(b, body): (usize, &BodyInfo)| {
        let j: [f64; 3] = std::array::from_fn(|axis| turned[axis][b] / mass[b]);
        match body.kind {
            BodyKind::Planar => [half(2.0 * j[2]), half(2.0 * j[2]), 0.0],
            BodyKind::Spatial => {
                std::array::from_fn(|k| half(2.5 * (j.iter().sum::<f64>() - 2.0 * j[k])))
            }
            _ => [0.0; 3],
        }
    };
    bodies.iter().enumerate().map(axes).collect()
}

fn unit(n: usize, k: usize) -> Vec<f64> {
    (0..n).map(|i| if i == k { 1.0 } else { 0.0 }).collect()
}
