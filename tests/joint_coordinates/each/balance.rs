//! Newton and Euler for bodies that joints hold, from outputs.
//!
//! | output | is |
//! |---|---|
//! | `b_position`, `b_acceleration` | of the body b, ground axes |
//! | `b_x`, `b_y` | its axes (the second follows in the plane) |
//! | `b_omega`, `b_alpha` | in its own axes |
//! | `j_force`, `j_torque`, `j_place` | of the joint j on its second body, about the place of its frame there |
//! | `j_more`, `j_pull` | torque and force besides those of its own rows, at the same place: springs, couplings |

use crate::read::{Outputs, close, near};
use nalgebra::{Matrix3, Rotation2, SVector, UnitQuaternion, Vector2, Vector3};

/// A body with the load that is stated on it, in its own axes.
pub(super) struct Body {
    pub(super) name: &'static str,
    pub(super) mass: f64,
    /// Principal moments; in the plane the last.
    pub(super) moments: [f64; 3],
    pub(super) force: [f64; 3],
    pub(super) at: [f64; 3],
    pub(super) torque: [f64; 3],
}

/// A joint between two bodies, by their numbers.
pub(super) struct Link(pub(super) &'static str, pub(super) usize, pub(super) usize);

pub(super) struct Chain {
    pub(super) planar: bool,
    pub(super) bodies: Vec<Body>,
    pub(super) links: Vec<Link>,
}

const WEIGHT: [f64; 3] = [0.7, -1.1, -9.81];
const PLANE_WEIGHT: [f64; 2] = [0.7, -9.81];

/// One where the model states none.
fn or_zero<const N: usize>(out: &Outputs, name: &str) -> SVector<f64, N> {
    let there = out.0.contains_key(&format!("{name}[0]"));
    if there { out.vector(name) } else { SVector::zeros() }
}

impl Chain {
    pub(super) fn balance(&self, out: &Outputs) {
        if self.planar {
            self.in_plane(out);
        } else {
            self.in_space(out);
        }
        for Link(name, ..) in &self.links {
            let loads = out.0.iter().filter(|(key, _)| {
                ["force", "torque", "more", "pull"].iter().any(|what| {
                    key.strip_prefix(name).is_some_and(|rest| rest.starts_with(&format!("_{what}")))
                })
            });
            let most = loads.fold(0.0_f64, |most, (_, value)| most.max(value.abs()));
            assert!(most > 0.03, "`{name}` does nothing: {most}");
        }
    }

    fn in_space(&self, out: &Outputs) {
        let size = out.0.values().fold(10.0_f64, |size, value| size.max(value.abs()));
        for (k, body) in self.bodies.iter().enumerate() {
            let of = |what: &str| out.vector::<3>(&format!("{}_{what}", body.name));
            let (x, y) = (of("x"), of("y"));
            let turn = Matrix3::from_columns(&[x, y, x.cross(&y)]);
            let local = |v: [f64; 3]| turn * Vector3::from(v);
            let mut force = local(body.force);
            let mut moment = local(body.torque) + local(body.at).cross(&force);
            for Link(name, first, second) in &self.links {
                let sign = f64::from(*second == k) - f64::from(*first == k);
                let of_link = |what: &str| or_zero::<3>(out, &format!("{name}_{what}"));
                let all = of_link("force") + of_link("pull");
                let arm = out.vector::<3>(&format!("{name}_place")) - of("position");
                force += sign * all;
                moment += sign * (of_link("torque") + of_link("more") + arm.cross(&all));
            }
            let weight = self.weight(out);
            let pulled = body.mass * (of("acceleration") - weight);
            close(&format!("force on {}", body.name), pulled, force, 1e-12 * size);
            let inertia = Matrix3::from_diagonal(&Vector3::from(body.moments));
            let (omega, alpha) = (of("omega"), of("alpha"));
            let spin = turn * (inertia * alpha + omega.cross(&(inertia * omega)));
            close(&format!("moment on {}", body.name), spin, moment, 1e-12 * size);
        }
    }

    fn weight(&self, out: &Outputs) -> Vector3<f64> {
        let weight = out.vector::<3>("weight");
        near("gravity", weight.norm(), Vector3::from(WEIGHT).norm(), 1e-12);
        weight
    }

    fn in_plane(&self, out: &Outputs) {
        let size = out.0.values().fold(10.0_f64, |size, value| size.max(value.abs()));
        let weight = out.vector::<2>("weight");
        near("gravity", weight.norm(), Vector2::from(PLANE_WEIGHT).norm(), 1e-12);
        for (k, body) in self.bodies.iter().enumerate() {
            let of = |what: &str| out.vector::<2>(&format!("{}_{what}", body.name));
            let x = of("x");
            let local = |v: [f64; 3]| v[0] * x + v[1] * Vector2::new(-x[1], x[0]);
            let mut force = local(body.force);
            let mut moment = body.torque[2] + local(body.at).perp(&force);
            for Link(name, first, second) in &self.links {
                let sign = f64::from(*second == k) - f64::from(*first == k);
                let of_link = |what: &str| or_zero::<2>(out, &format!("{name}_{what}"));
                let all = of_link("force") + of_link("pull");
                let arm = out.vector::<2>(&format!("{name}_place")) - of("position");
                let more = out.0.get(&format!("{name}_more")).copied().unwrap_or(0.0);
                force += sign * all;
                moment += sign * (out.number(&format!("{name}_torque")) + more + arm.perp(&all));
            }
            let pulled = body.mass * (of("acceleration") - weight);
            close(&format!("force on {}", body.name), pulled, force, 1e-12 * size);
            let spin = body.moments[2] * out.number(&format!("{}_alpha", body.name));
            near(&format!("moment on {}", body.name), spin, moment, 1e-12 * size);
        }
    }

    /// Parameters that move the whole.
    pub(super) fn moves(&self) -> &'static [(&'static str, f64)] {
        match self.planar {
            true => &[("yaw", 1.3), ("shift[0]", 3.0), ("shift[1]", -2.0)],
            false => &[
                ("yaw", 1.3),
                ("pitch", 0.4),
                ("roll", -0.9),
                ("shift[0]", 3.0),
                ("shift[1]", -2.0),
                ("shift[2]", 5.0),
            ],
        }
    }

    /// What is there is what is here, turned: as exactly as assembly finds the place of a body that is free to lie elsewhere.
    pub(super) fn moved(&self, here: &Outputs, there: &Outputs) {
        let size = here.0.values().fold(10.0_f64, |size, value| size.max(value.abs()));
        let mut vectors = 0;
        for name in here.0.keys().filter_map(|key| key.strip_suffix("[0]")) {
            let turned = |what: &str| name.ends_with(&format!("_{what}"));
            if turned("position") || turned("place") {
                continue;
            }
            vectors += 1;
            if self.planar {
                let is = there.vector::<2>(name);
                close(name, is, Rotation2::new(1.3) * here.vector::<2>(name), 1e-11 * size);
                continue;
            }
            let (is, was) = (there.vector::<3>(name), here.vector::<3>(name));
            let turn = UnitQuaternion::from_euler_angles(-0.9, 0.4, 1.3);
            // These are in the axes of the body.
            let own = turned("omega") || turned("alpha");
            close(name, is, if own { was } else { turn * was }, 1e-11 * size);
        }
        assert!(vectors > 5);
        for (name, value) in here.0.iter().filter(|(name, _)| !name.ends_with(']')) {
            near(name, there.number(name), *value, 1e-11 * size);
        }
    }
}
