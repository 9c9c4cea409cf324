//! The rows of every joint at random configurations and velocities, most of them far from where it holds, against a second
//! algorithm: positions and motions of one frame as seen from the other, by quaternions and rotation matrices of another
//! library. Rates of rows of positions are held against differences of these along the motion.

use mbd::assembly::{Point, Residual, System, Want, Weights};
use mbd::model::{Mechanism, RowBlock};
use mbd::verify::Noise;
use nalgebra::{Matrix3, Quaternion, Rotation2, Rotation3, UnitQuaternion, Vector2, Vector3};

const P: [f64; 3] = [0.1, -0.2, 0.3];
const Q: [f64; 3] = [-0.2, 0.15, 0.1];

/// Where a joint's frame is on a body: axis and x axis, where the joint states them.
struct At {
    place: [f64; 3],
    axis: Option<[f64; 3]>,
    x: Option<[f64; 3]>,
}

const fn at(place: [f64; 3], axis: Option<[f64; 3]>, x: Option<[f64; 3]>) -> At {
    At { place, axis, x }
}

const X: Option<[f64; 3]> = Some([1.0, 0.0, 0.0]);
const A: At = at(P, Some([1.0, 2.0, -1.0]), X);
const A_AXIS: At = at(P, Some([1.0, 2.0, -1.0]), None);
const A_PLAIN: At = at(P, None, None);
const B: At = at(Q, Some([0.0, 1.0, 1.0]), X);
const B_AXIS: At = at(Q, Some([0.0, 1.0, 1.0]), None);
const B_PLAIN: At = at(Q, None, None);

impl At {
    /// Its axes in those of the body.
    fn axes(&self) -> Matrix3<f64> {
        let Some(axis) = self.axis.map(Vector3::from) else { return Matrix3::identity() };
        let z = axis.normalize();
        // Near to the coordinate axis that the axis is farthest from, the first of several.
        let far = (0..3).fold(0, |far, k| if z[k].abs() < z[far].abs() - 1e-12 { k } else { far });
        let x = self.x.map_or(Vector3::ith(far, 1.0), Vector3::from);
        let x = (x - z * x.dot(&z)).normalize();
        Matrix3::from_columns(&[x, z.cross(&x), z])
    }
}

/// A body in motion: its turn, and velocities in the ground's axes.
#[derive(Clone, Copy)]
struct Body {
    origin: Vector3<f64>,
    turn: UnitQuaternion<f64>,
    velocity: Vector3<f64>,
    omega: Vector3<f64>,
}

impl Body {
    fn random(noise: &mut Noise) -> Self {
        let mut three = || Vector3::from_fn(|_, _| noise.sample());
        let [origin, axis, velocity, omega] = std::array::from_fn(|_| three());
        let turn = UnitQuaternion::from_scaled_axis(3.0 * axis);
        Body { origin, turn, velocity, omega: 2.0 * omega }
    }

    /// Where it is after a time.
    fn after(&self, h: f64) -> Self {
        let turn = UnitQuaternion::from_scaled_axis(self.omega * h) * self.turn;
        Body { origin: self.origin + self.velocity * h, turn, ..*self }
    }
}

/// A joint's second frame as its first one sees it.
struct Seen {
    /// From origin to origin, in the ground's axes.
    apart: Vector3<f64>,
    /// The same in the first frame's.
    d: Vector3<f64>,
    r: Matrix3<f64>,
    /// Velocity and angular velocity relative to the first frame, in its axes.
    v: Vector3<f64>,
    w: Vector3<f64>,
}

impl Seen {
    fn of([a, b]: [Body; 2], [on_a, on_b]: [&At; 2]) -> Self {
        let place = |body: &Body, on: &At| body.turn * Vector3::from(on.place);
        let (p, q) = (place(&a, on_a), place(&b, on_b));
        let axes_a = a.turn.to_rotation_matrix().into_inner() * on_a.axes();
        let axes_b = b.turn.to_rotation_matrix().into_inner() * on_b.axes();
        let apart = b.origin + q - a.origin - p;
        let moves = b.velocity + b.omega.cross(&q) - a.velocity - a.omega.cross(&(p + apart));
        let local = axes_a.transpose();
        Seen {
            apart,
            d: local * apart,
            r: local * axes_b,
            v: local * moves,
            w: local * (b.omega - a.omega),
        }
    }
}

/// Rows of positions, rows of rates.
type Rows = (Vec<f64>, Vec<f64>);

/// Those of a joint `j` in a model.
fn rows(system: &System, point: &Point, want: [Want; 2]) -> Rows {
    let mut pieces = Residual::new(&system.dims());
    system.eval(point, &Weights::of(point), want[0] | want[1], &mut pieces);
    let of = |want: Want, blocks: &[RowBlock]| {
        let all = pieces.pieces();
        let values = all.iter().find(|(w, ..)| *w == want).expect("was wanted").2;
        let blocks = blocks.iter().filter(|block| block.name.starts_with("j"));
        blocks.flat_map(|b| values[b.first..b.first + b.len].to_vec()).collect()
    };
    let model = system.model();
    (of(want[0], model.holonomic()), of(want[1], model.nonholonomic()))
}

#[track_caller]
fn same(what: &str, is: &[f64], should: &[f64], tolerance: f64) {
    assert_eq!(is.len(), should.len(), "{what}: {is:?} and {should:?}");
    for (is, should) in is.iter().zip(should) {
        let off = (is - should).abs();
        assert!(
            off <= tolerance * should.abs().max(1.0),
            "{what}: {is} and {should}, off by {off:e}"
        );
    }
}

fn set(system: &System, point: &mut Point, name: &str, q: f64, v: f64) {
    let coords = system.model().coords();
    let at = coords.iter().position(|label| label.name == name).expect("a coordinate");
    (point.q_mut()[at], point.v_mut()[at]) = (q, v);
}

/// What a check is given of a joint: bodies after a time, and what else the rows read (with its rate).
fn check(
    mechanism: &impl Mechanism,
    put: impl Fn(&System, &mut Point, &mut Noise) -> Box<dyn Fn(f64) -> Rows>,
) {
    let system = System::new(mechanism.model().expect("a model"));
    let (mut noise, mut smooth) = (Noise::new(17), 0);
    for _ in 0..20 {
        let mut point = system.initial_point();
        let second = put(&system, &mut point, &mut noise);
        let (positions, rates) = rows(&system, &point, [Want::G, Want::K]);
        assert!(!positions.is_empty() || !rates.is_empty());
        let (should, should_rates) = second(0.0);
        same("rows", &positions, &should, 1e-12);
        same("rows of rates", &rates, &should_rates, 1e-12);
        let (going, _) = rows(&system, &point, [Want::GDOT, Want::K]);
        // Fourth order.
        let h = 1e-3;
        let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|k| second(k * h).0);
        // A screw's row jumps where it is wrong by half a turn.
        if a.iter().zip(&d).any(|(before, after)| (before - after).abs() > 0.1) {
            continue;
        }
        smooth += 1;
        let slopes = (0..a.len()).map(|i| (a[i] - 8.0 * b[i] + 8.0 * c[i] - d[i]) / (12.0 * h));
        same("rates of rows", &going, &slopes.collect::<Vec<f64>>(), 2e-7);
    }
    assert!(smooth > 15, "{smooth}");
}

fn in_space(mechanism: &impl Mechanism, on: [&'static At; 2], rows: fn(&Seen) -> Rows) {
    check(mechanism, |system, point, noise| {
        let bodies = [Body::random(noise), Body::random(noise)];
        for (name, body) in ["a", "b"].iter().zip(&bodies) {
            let e = body.turn.quaternion();
            // ė = ½ ω e, of an angular velocity in the ground's axes.
            let rate = Quaternion::from_imag(0.5 * body.omega) * e;
            for (k, axis) in ["x", "y", "z"].iter().enumerate() {
                set(system, point, &format!("{name}.{axis}"), body.origin[k], body.velocity[k]);
            }
            for (k, (e, rate)) in
                [(e.w, rate.w), (e.i, rate.i), (e.j, rate.j), (e.k, rate.k)].iter().enumerate()
            {
                set(system, point, &format!("{name}.e{k}"), *e, *rate);
            }
        }
        Box::new(move |h| rows(&Seen::of(bodies.map(|body| body.after(h)), on)))
    });
}

/// Rows of positions only.
fn held(rows: impl Into<Vec<f64>>) -> Rows {
    (rows.into(), Vec::new())
}

macro_rules! space {
    ($($module:ident $name:ident [$a:expr, $b:expr] |$s:ident| $rows:expr;)*) => {
        mod space { $(
            #[test]
            fn $module() {
                use super::*;
                in_space(&crate::space::$module::$name::default(), [&$a, &$b], |$s| $rows);
            }
        )* }
    };
}

/// Half the square of a length less that of a rod, over that.
fn too_long(length_squared: f64, rod: f64) -> f64 {
    0.5 * (length_squared - rod * rod) / rod
}

/// From the first origin to the second's, negative: a position row's multiplier acts on the second body.
fn back(s: &Seen) -> [f64; 3] {
    [-s.apart[0], -s.apart[1], -s.apart[2]]
}

fn parallel(s: &Seen) -> [f64; 2] {
    [-s.r[(0, 2)], s.r[(1, 2)]]
}

fn chain<const N: usize>(parts: [&[f64]; N]) -> Rows {
    held(parts.concat())
}

space! {
    revolute Revolute [A, B] |s| chain([&back(s), &parallel(s)]);
    prismatic Prismatic [A, B] |s| chain([&[-s.d[0], -s.d[1]], &parallel(s), &[-s.r[(1, 0)]]]);
    cylindrical Cylindrical [A, B] |s| chain([&[-s.d[0], -s.d[1]], &parallel(s)]);
    screw Screw [A, B] |s| {
        let lead = 0.3 / std::f64::consts::TAU;
        let turned = s.r[(1, 0)].atan2(s.r[(0, 0)]);
        let short = (s.d[2] / lead - turned + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
        chain([&[-s.d[0], -s.d[1]], &parallel(s), &[-lead * short]])
    };
    spherical Spherical [A_PLAIN, B_PLAIN] |s| held(back(s));
    universal Universal [A, B] |s| chain([&back(s), &[s.r[(2, 2)]]]);
    constant_velocity ConstantVelocity [A, B] |s| {
        // Of the turn by β about n that brings a's axes to b's: −n_z sin β.
        let turn = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(s.r));
        let across = turn.axis().map_or(0.0, |n| n.z * turn.angle().sin());
        chain([&back(s), &[-across]])
    };
    point_on_curve PointOnCurve [A, B_PLAIN] |s| {
        let x = s.d[0];
        held([0.3 * (2.0 * x).sin() - s.d[1], 0.2 * x * x - s.d[2]])
    };
    planar Planar [A, B] |s| chain([&[-s.d[2]], &parallel(s)]);
    fixed Fixed [A, B] |s| chain([&back(s), &parallel(s), &[-s.r[(1, 0)]]]);
    parallel Parallel [A_AXIS, B_AXIS] |s| held(parallel(s));
    perpendicular Perpendicular [A_AXIS, B_AXIS] |s| held([s.r[(2, 2)]]);
    point_on_line PointOnLine [A_AXIS, B_PLAIN] |s| held([-s.d[0], -s.d[1]]);
    point_on_plane PointOnPlane [A_AXIS, B_PLAIN] |s| held([-s.d[2]]);
    distance Distance [A_PLAIN, B_PLAIN] |s| held([too_long(s.apart.norm_squared(), 0.7)]);
    revolute_spherical RevoluteSpherical [A, B_PLAIN] |s| held([-s.d[2], too_long(s.apart.norm_squared(), 0.7)]);
    rolling Rolling [A, B_AXIS] |s| {
        // Down across the disc's axis, from its centre to the lowest point of the rim.
        let z = s.r.column(2).into_owned();
        let down = Vector3::new(0.0, 0.0, -1.0);
        let lowest = 0.4 * (down - z * down.dot(&z)).normalize();
        let slips = s.v + s.w.cross(&lowest);
        (vec![-(s.d + lowest)[2]], vec![-slips[0], -slips[1]])
    };
    knife_edge KnifeEdge [A, B] |s| {
        let along = Vector2::new(s.r[(0, 0)], s.r[(1, 0)]).normalize();
        (Vec::new(), vec![-along.perp(&Vector2::new(s.v[0], s.v[1]))])
    };
}

/// A planar body in motion.
#[derive(Clone, Copy)]
struct Flat {
    origin: Vector2<f64>,
    angle: f64,
    velocity: Vector2<f64>,
    omega: f64,
}

/// Frames of a planar joint: as [`Seen`], with angles, and the first frame's own.
struct SeenFlat {
    apart: Vector2<f64>,
    d: Vector2<f64>,
    v: Vector2<f64>,
    angles: [f64; 2],
    omegas: [f64; 2],
    /// Velocity between the origins in the ground's axes.
    moves: Vector2<f64>,
    /// The joint's own coordinate, where it has one.
    contact: f64,
}

fn seen_flat([a, b]: [Flat; 2], [on_a, on_b]: [[f64; 2]; 2], contact: f64) -> SeenFlat {
    let quarter = |v: Vector2<f64>| Vector2::new(-v[1], v[0]);
    let (p, q) = (
        Rotation2::new(a.angle) * Vector2::new(0.1, -0.2),
        Rotation2::new(b.angle) * Vector2::new(-0.2, 0.15),
    );
    let angles = [a.angle + on_a[1].atan2(on_a[0]), b.angle + on_b[1].atan2(on_b[0])];
    let apart = b.origin + q - a.origin - p;
    let moves = b.velocity + b.omega * quarter(q) - a.velocity - a.omega * quarter(p);
    let local = Rotation2::new(-angles[0]);
    let v = local * (moves - a.omega * quarter(apart));
    SeenFlat { apart, d: local * apart, v, angles, omegas: [a.omega, b.omega], moves, contact }
}

fn in_plane(mechanism: &impl Mechanism, on: [[f64; 2]; 2], rows: fn(&SeenFlat) -> Rows) {
    check(mechanism, |system, point, noise| {
        let mut flat = || {
            let mut two = || Vector2::from_fn(|_, _| noise.sample());
            let (origin, velocity) = (two(), two());
            Flat { origin, angle: 3.0 * noise.sample(), velocity, omega: 2.0 * noise.sample() }
        };
        let bodies = [flat(), flat()];
        let contact = [0.5 * noise.sample(), noise.sample()];
        for (name, body) in ["a", "b"].iter().zip(&bodies) {
            set(system, point, &format!("{name}.x"), body.origin[0], body.velocity[0]);
            set(system, point, &format!("{name}.y"), body.origin[1], body.velocity[1]);
            set(system, point, &format!("{name}.theta"), body.angle, body.omega);
        }
        if system.model().coords().iter().any(|label| label.name == "j.contact") {
            set(system, point, "j.contact", contact[0], contact[1]);
        }
        Box::new(move |h| {
            let after = |b: &Flat| Flat {
                origin: b.origin + h * b.velocity,
                angle: b.angle + h * b.omega,
                ..*b
            };
            let bodies = [after(&bodies[0]), after(&bodies[1])];
            rows(&seen_flat(bodies, on, contact[0] + h * contact[1]))
        })
    });
}

macro_rules! plane {
    ($($module:ident $name:ident [$a:expr, $b:expr] |$s:ident| $rows:expr;)*) => {
        mod plane { $(
            #[test]
            fn $module() {
                use super::*;
                in_plane(&crate::plane::$module::$name::default(), [$a, $b], |$s| $rows);
            }
        )* }
    };
}

const SLOPED: [f64; 2] = [1.0, 2.0];
const UP: [f64; 2] = [0.0, 1.0];
const STRAIGHT: [f64; 2] = [1.0, 0.0];

/// A disc of 0.4 on a curve, of which the height and the slope at a place are given: where its centre is off, and along and
/// across.
fn on_curve(s: &SeenFlat, height: f64, slope: f64) -> ([f64; 2], Vector2<f64>) {
    let along = Vector2::new(1.0, slope).normalize();
    let centre = Vector2::new(s.contact, height) + 0.4 * Vector2::new(-along[1], along[0]);
    ([centre[0] - s.d[0], centre[1] - s.d[1]], along)
}

plane! {
    revolute Revolute [STRAIGHT, STRAIGHT] |s| held([-s.apart[0], -s.apart[1]]);
    prismatic Prismatic [SLOPED, UP] |s| held([-s.d[1], s.angles[0] - s.angles[1]]);
    fixed Fixed [SLOPED, STRAIGHT] |s| held([-s.apart[0], -s.apart[1], s.angles[0] - s.angles[1]]);
    parallel Parallel [SLOPED, STRAIGHT] |s| held([s.angles[0] - s.angles[1]]);
    point_on_line PointOnLine [SLOPED, STRAIGHT] |s| held([-s.d[1]]);
    point_on_curve PointOnCurve [SLOPED, STRAIGHT] |s| held([0.3 * (2.0 * s.d[0]).sin() - s.d[1]]);
    cam Cam [SLOPED, STRAIGHT] |s| held([0.6 + 0.1 * (3.0 * s.d[1].atan2(s.d[0])).cos() - s.d.norm()]);
    distance Distance [STRAIGHT, STRAIGHT] |s| held([too_long(s.apart.norm_squared(), 0.7)]);
    rolling Rolling [SLOPED, STRAIGHT] |s| held([0.4 - s.d[1], -s.d[0] - 0.4 * (s.angles[1] - s.angles[0])]);
    rolling_nonholonomic RollingNonholonomic [SLOPED, STRAIGHT] |s| {
        (vec![0.4 - s.d[1]], vec![-s.v[0] - 0.4 * (s.omegas[1] - s.omegas[0])])
    };
    rolling_on_curve RollingOnCurve [SLOPED, STRAIGHT] |s| {
        let (off, along) = on_curve(s, 0.3 * (2.0 * s.contact).sin(), 0.6 * (2.0 * s.contact).cos());
        (off.to_vec(), vec![-along.dot(&s.v) - 0.4 * (s.omegas[1] - s.omegas[0])])
    };
    rolling_on_curve_holonomic RollingOnCurveHolonomic [SLOPED, STRAIGHT] |s| {
        let x = s.contact;
        let (off, _) = on_curve(s, 0.5 * x * x, x);
        // By Simpson's rule, of the length of the parabola.
        let n = 200;
        let length: f64 = (0..=n)
            .map(|k| {
                let weight = if k == 0 || k == n { 1.0 } else { f64::from(2 + 2 * (k % 2)) };
                weight * 1f64.hypot(x * f64::from(k) / f64::from(n))
            })
            .sum::<f64>() * x / f64::from(3 * n);
        held([off[0], off[1], 0.4 * x.atan() - length - 0.4 * (s.angles[1] - s.angles[0])])
    };
    disc_on_disc DiscOnDisc [STRAIGHT, STRAIGHT] |s| {
        let across = Vector2::new(-s.apart[1], s.apart[0]).normalize();
        (vec![0.6 - s.apart.norm()], vec![0.2 * s.omegas[1] + 0.4 * s.omegas[0] - across.dot(&s.moves)])
    };
    disc_on_disc_holonomic DiscOnDiscHolonomic [STRAIGHT, STRAIGHT] |s| {
        let turned = (0.4 * s.angles[0] + 0.2 * s.angles[1]) / 0.6;
        let ahead = s.apart[1].atan2(s.apart[0]);
        held([0.6 - s.apart.norm(), s.apart.norm() * (turned - ahead).sin()])
    };
    knife_edge KnifeEdge [STRAIGHT, SLOPED] |s| {
        let along = Rotation2::new(s.angles[1] - s.angles[0]) * Vector2::x();
        (Vec::new(), vec![-along.perp(&s.v)])
    };
}
