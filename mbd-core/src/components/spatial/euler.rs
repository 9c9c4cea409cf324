//! Euler parameters e = (e0, e1, e2, e3), e·e = 1: rotation, angular velocity, energy, torque.
//!
//! Source: E. J. Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, 1989, §9.3,
//! where the matrix here called Ḡ is G and ω′ = 2Gė.

use crate::scalar::{Num, Scalar, num};

/// Rotation matrix A(e), row by row: A r′ is the ground-frame vector of the body-frame vector r′.
///
/// The homogeneous form is used, whose columns are orthogonal for every e and of length e·e, so
/// that a joint's rows stay meaningful while the normalization is not yet met.
#[inline(never)]
pub fn rotation<D: Scalar>(e: [Num<D>; 4]) -> [[Num<D>; 3]; 3] {
    let [s, x, y, z] = e;
    let (ss, xx, yy, zz) = (s * s, x * x, y * y, z * z);
    let (sx, sy, sz) = (s * x, s * y, s * z);
    let (xy, xz, yz) = (x * y, x * z, y * z);
    [
        [ss + xx - yy - zz, 2.0 * (xy - sz), 2.0 * (xz + sy)],
        [2.0 * (xy + sz), ss - xx + yy - zz, 2.0 * (yz - sx)],
        [2.0 * (xz - sy), 2.0 * (yz + sx), ss - xx - yy + zz],
    ]
}

/// Angular velocity in the body's axes, ω′ = 2 Ḡ(e) ė \[rad/s\].
#[inline(never)]
pub fn body_rate<D: Scalar>(e: [Num<D>; 4], rate: [Num<D>; 4]) -> [Num<D>; 3] {
    let [s, x, y, z] = e;
    let [ds, dx, dy, dz] = rate;
    [
        2.0 * (s * dx - x * ds + z * dy - y * dz),
        2.0 * (s * dy - y * ds + x * dz - z * dx),
        2.0 * (s * dz - z * ds + y * dx - x * dy),
    ]
}

/// Angular velocity in the ground's axes, ω = 2 E(e) ė \[rad/s\].
#[inline(never)]
pub fn ground_rate<D: Scalar>(e: [Num<D>; 4], rate: [Num<D>; 4]) -> [Num<D>; 3] {
    let [s, x, y, z] = e;
    let [ds, dx, dy, dz] = rate;
    [
        2.0 * (s * dx - x * ds - z * dy + y * dz),
        2.0 * (s * dy - y * ds - x * dz + z * dx),
        2.0 * (s * dz - z * ds - y * dx + x * dy),
    ]
}

/// Rate of the Euler parameters that gives the body-frame angular velocity `omega` and keeps
/// their norm, ė = ½ Ḡᵀ ω′ \[1/s\]: for initial values.
#[inline(never)]
pub fn euler_rate<D: Scalar>(e: [Num<D>; 4], omega: [Num<D>; 3]) -> [Num<D>; 4] {
    euler_torque(e, omega).map(|q| 0.25 * q)
}

/// Generalized force on the Euler parameters of a torque in the body's axes, Q = 2 Ḡᵀ n′:
///
/// ```text
/// force motor along [b.e0, b.e1, b.e2, b.e3] = spatial::euler_torque(b.e, [0.0, 0.0, n]);
/// ```
#[inline(never)]
pub fn euler_torque<D: Scalar>(e: [Num<D>; 4], torque: [Num<D>; 3]) -> [Num<D>; 4] {
    let [s, x, y, z] = e;
    let [a, b, c] = torque;
    [
        -2.0 * (x * a + y * b + z * c),
        2.0 * (s * a - z * b + y * c),
        2.0 * (z * a + s * b - x * c),
        2.0 * (x * b - y * a + s * c),
    ]
}

/// Normalization row ½(e·e − 1) = 0, which every body with Euler parameters needs.
#[inline(never)]
pub fn normalization<D: Scalar>(e: [Num<D>; 4]) -> Num<D> {
    0.5 * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] - 1.0)
}

/// Rotational kinetic energy ½ ω′ᵀ J ω′ for principal moments of inertia J about the centre of
/// mass, in the body's axes \[J\].
///
/// Its 4×4 mass block 4 ḠᵀJḠ is singular: Ḡ e = 0, no inertia resists a change of norm. The
/// gradient of the [`normalization`] row is that same e, so the matrix [M Gᵀ; G 0] of every
/// method is regular all the same. Where M itself must be positive definite, add [`norm_energy`].
#[inline(never)]
pub fn rotational_energy<D: Scalar>(
    inertia: [Num<D>; 3],
    e: [Num<D>; 4],
    rate: [Num<D>; 4],
) -> Num<D> {
    spin_rotational_energy(inertia, body_rate(e, rate))
}

/// The same of an angular velocity ω′ in the body's axes.
#[inline(never)]
pub fn spin_rotational_energy<D: Scalar>(inertia: [Num<D>; 3], w: [Num<D>; 3]) -> Num<D> {
    0.5 * (inertia[0] * w[0] * w[0] + inertia[1] * w[1] * w[1] + inertia[2] * w[2] * w[2])
}

/// Rotational kinetic energy for a full inertia tensor [jxx, jyy, jzz, jxy, jxz, jyz], where the
/// mixed entries are those of the matrix (−∫xy dm, …) \[J\].
#[inline(never)]
pub fn rotational_energy_full<D: Scalar>(
    inertia: [Num<D>; 6],
    e: [Num<D>; 4],
    rate: [Num<D>; 4],
) -> Num<D> {
    spin_rotational_energy_full(inertia, body_rate(e, rate))
}

/// The same of an angular velocity ω′ in the body's axes.
#[inline(never)]
pub fn spin_rotational_energy_full<D: Scalar>(inertia: [Num<D>; 6], w: [Num<D>; 3]) -> Num<D> {
    let [jx, jy, jz, jxy, jxz, jyz] = inertia;
    spin_rotational_energy([jx, jy, jz], w)
        + jxy * w[0] * w[1]
        + jxz * w[0] * w[2]
        + jyz * w[1] * w[2]
}

/// Energy 2 j (e·ė)² of a change of norm: zero in every motion, it fills the null direction of
/// the mass block (4 j e eᵀ; with j the mean moment of inertia the block is well conditioned).
///
/// It does not touch the motion, not even a discretized one that violates the normalization: its
/// equation of motion contributes 4 j (e·ë + ė·ė) e, along e, where the normalization's own
/// reaction is. Only that multiplier changes.
#[inline(never)]
pub fn norm_energy<D: Scalar>(j: Num<D>, e: [Num<D>; 4], rate: [Num<D>; 4]) -> Num<D> {
    let s = e[0] * rate[0] + e[1] * rate[1] + e[2] * rate[2] + e[3] * rate[3];
    2.0 * j * s * s
}

/// Euler parameters of a turn by `angle` about `axis` (of any length but zero).
#[inline(never)]
pub fn axis_angle<D: Scalar>(axis: [Num<D>; 3], angle: Num<D>) -> [Num<D>; 4] {
    let (sin, cos) = (0.5 * angle).sin_cos();
    let scale = sin / super::norm(axis);
    [cos, axis[0] * scale, axis[1] * scale, axis[2] * scale]
}

/// Euler parameters of a turn by `yaw` about z, then by `pitch` about the new y axis, then by `roll`
/// about the new x axis (z-y′-x″) \[rad\].
#[inline(never)]
pub fn yaw_pitch_roll<D: Scalar>(yaw: Num<D>, pitch: Num<D>, roll: Num<D>) -> [Num<D>; 4] {
    let about = |k: usize, angle| {
        let mut axis = [num(0.0); 3];
        axis[k] = num(1.0);
        axis_angle(axis, angle)
    };
    product(product(about(2, yaw), about(1, pitch)), about(0, roll))
}

/// Euler parameters of a rotation matrix (S. W. Shepperd, J. Guidance and Control 1 (1978) 223): by
/// the largest of the four, which is taken as positive.
pub fn from_rotation<D: Scalar>(r: [[Num<D>; 3]; 3]) -> [Num<D>; 4] {
    let squares = [
        1.0 + r[0][0] + r[1][1] + r[2][2],
        1.0 + r[0][0] - r[1][1] - r[2][2],
        1.0 - r[0][0] + r[1][1] - r[2][2],
        1.0 - r[0][0] - r[1][1] + r[2][2],
    ];
    let (p, q, s) = (r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]);
    let (u, v, w) = (r[0][1] + r[1][0], r[0][2] + r[2][0], r[1][2] + r[2][1]);
    // Each row is four times the largest parameter times all four.
    let products = [
        [squares[0], p, q, s],
        [p, squares[1], u, v],
        [q, u, squares[2], w],
        [s, v, w, squares[3]],
    ];
    let (mut best, mut largest) = (products[0], squares[0]);
    for k in 1..4 {
        best = squares[k].above(largest).choose(products[k], best);
        largest = largest.max(squares[k]);
    }
    let scale = 0.5 / largest.sqrt();
    best.map(|x| x * scale)
}

/// Euler parameters of the turn `f`, given in the frame that `e` turns into, after `e`:
/// A(product(e, f)) = A(e) A(f).
#[inline(never)]
pub fn product<D: Scalar>(e: [Num<D>; 4], f: [Num<D>; 4]) -> [Num<D>; 4] {
    let [a, b, c, d] = e;
    let [s, x, y, z] = f;
    [
        a * s - b * x - c * y - d * z,
        a * x + b * s + c * z - d * y,
        a * y - b * z + c * s + d * x,
        a * z + b * y - c * x + d * s,
    ]
}

/// The identity turn.
pub(super) fn identity<D: Scalar>() -> [[Num<D>; 3]; 3] {
    rotation([num(1.0), num(0.0), num(0.0), num(0.0)])
}
