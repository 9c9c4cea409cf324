//! Joints: rows vanish in every assembled position, their Jacobian has the rank the joint's free
//! motions leave, and every derivative agrees with differences. Frames, energies and force laws
//! against closed forms.

use super::{PlanarFrame, SpatialFrame};
use super::{beam, force, planar, spatial};
use crate::ad::{Instances, Kernel};
use crate::assembly::{PlanBuilder, Point, Residual, SlotKind::*, System, Term, Want, Weights};
use crate::linear::solver_for;
use crate::model::{Keep, Mechanism, Model, ModelBuilder, ModelError, ParamInfo, Reaction};
use crate::scalar::{Num, Scalar, num, rate, with_rate};
use crate::verify::{self, Noise};

type F = Num<f64>;

fn f(x: f64) -> F {
    num(x)
}

fn random<const N: usize>(noise: &mut Noise) -> [F; N] {
    std::array::from_fn(|_| f(noise.sample()))
}

fn unit(e: [F; 4]) -> [F; 4] {
    let n = e.iter().map(|x| x.value().powi(2)).sum::<f64>().sqrt();
    e.map(|x| x / n)
}

fn values<const N: usize>(x: [F; N]) -> [f64; N] {
    x.map(Num::value)
}

#[track_caller]
fn close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    let error = a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(error <= tolerance, "{a:?} against {b:?}: {error:e}");
}

// ------------------------------------------------------------------ Euler parameters and frames

#[test]
fn rotation_is_orthogonal_and_its_rate_is_the_angular_velocity() {
    let mut noise = Noise::new(1);
    for _ in 0..5 {
        let e = unit(random(&mut noise));
        let omega: [F; 3] = random(&mut noise);
        let de = spatial::euler_rate(e, omega);
        close(&values(spatial::body_rate(e, de)), &values(omega), 1e-15);
        let radial: f64 = e.iter().zip(&de).map(|(a, b)| (*a * *b).value()).sum();
        assert!(radial.abs() < 1e-15);

        let frame = SpatialFrame::new([f(0.0); 3], e);
        close(&values(frame.to_local(frame.vector(omega))), &values(omega), 1e-15);
        close(&values(spatial::ground_rate(e, de)), &values(frame.vector(omega)), 1e-15);

        // d/dt (A r′) = ω × A r′.
        let r: [F; 3] = random(&mut noise);
        let moving = std::array::from_fn(|i| with_rate(e[i], de[i]));
        let still = r.map(|x| with_rate(x, f(0.0)));
        let moving = SpatialFrame::new([with_rate(f(0.0), f(0.0)); 3], moving);
        let v = rate(moving.vector(still));
        let expected = spatial::cross(frame.vector(omega), frame.vector(r));
        close(&values(v), &values(expected), 1e-14);
    }
}

#[test]
fn the_shortest_turn_brings_an_axis_there() {
    let mut noise = crate::verify::Noise::new(3);
    let mut random = || [f(noise.sample()), f(noise.sample()), f(noise.sample())];
    for k in 0..40 {
        let axis = random();
        // Also where it points already, and the other way.
        let there = match k % 4 {
            0 => axis.map(|x| 3.0 * x),
            1 => axis.map(|x| -0.2 * x),
            _ => random(),
        };
        let e = spatial::axis_to(axis, there);
        let rotation = spatial::rotation(e);
        let norms = [axis, there].map(|v| spatial::norm(v).value());
        for i in 0..3 {
            let turned: f64 = (0..3).map(|j| (rotation[i][j] * axis[j]).value()).sum();
            let off = turned / norms[0] - there[i].value() / norms[1];
            assert!(off.abs() < 1e-14, "{k}: {off:e}");
        }
        // Its axis is across both, its angle that between them.
        let across = spatial::dot([e[1], e[2], e[3]], axis).value() / norms[0];
        let cos = spatial::dot(axis, there).value() / (norms[0] * norms[1]);
        let half = (0.5 * (1.0 + cos)).max(0.0).sqrt();
        assert!(across.abs() < 1e-14 && (e[0].value() - half).abs() < 1e-7, "{k}");
    }
}

#[test]
fn turns_compose_and_axis_angle_is_a_turn() {
    let mut noise = Noise::new(2);
    let (e, g) = (unit(random(&mut noise)), unit(random(&mut noise)));
    let origin = random(&mut noise);
    let frame = SpatialFrame::new(origin, e);
    let one = frame.turned(g);
    let other = SpatialFrame::new(origin, spatial::product(e, g));
    for i in 0..3 {
        close(&values(one.rotation[i]), &values(other.rotation[i]), 1e-15);
    }
    // A quarter turn about z carries x to y, and a twist reads its angle.
    let turn = spatial::axis_angle([f(0.0), f(0.0), f(3.0)], f(0.5 * std::f64::consts::PI));
    let quarter = spatial::ground().turned(turn);
    close(&values(quarter.x()), &[0.0, 1.0, 0.0], 1e-15);
    for angle in [-3.0, -1.2, 0.0, 0.4, 3.1] {
        let about_z = spatial::axis_angle([f(0.0), f(0.0), f(1.0)], f(angle));
        assert!((spatial::twist(frame, frame.turned(about_z)).value() - angle).abs() < 1e-14);
    }
    for axis in [[1.0, 0.0, 0.0], [0.0, -2.0, 0.0], [0.3, -0.4, 0.7], [0.0, 0.0, 1.0]] {
        let facing = frame.facing(axis.map(f));
        let n = (axis.iter().map(|a| a * a).sum::<f64>()).sqrt();
        close(&values(facing.z()), &values(frame.vector(axis.map(|a| f(a / n)))), 1e-15);
        close(&values(spatial::cross(facing.x(), facing.y())), &values(facing.z()), 1e-15);
        assert!((spatial::norm(facing.x()).value() - 1.0).abs() < 1e-15);
    }
}

#[test]
fn energies_and_torques_agree_with_vectors() {
    let mut noise = Noise::new(3);
    let e = unit(random(&mut noise));
    let omega: [F; 3] = random(&mut noise);
    let de = spatial::euler_rate(e, omega);
    let j = [0.3, 0.7, 0.5];
    let t = spatial::rotational_energy(j.map(f), e, de).value();
    let w = values(omega);
    assert!((t - 0.5 * (0..3).map(|i| j[i] * w[i] * w[i]).sum::<f64>()).abs() < 1e-15);
    assert!(spatial::norm_energy(f(0.5), e, de).value().abs() < 1e-30);
    let full = [j[0], j[1], j[2], 0.05, -0.02, 0.03];
    let mixed = 0.05 * w[0] * w[1] - 0.02 * w[0] * w[2] + 0.03 * w[1] * w[2];
    let with_products = spatial::rotational_energy_full(full.map(f), e, de).value();
    assert!((with_products - t - mixed).abs() < 1e-15);
    // Power of a torque: Q·ė = n′·ω′.
    let n: [F; 3] = random(&mut noise);
    let power: f64 =
        spatial::euler_torque(e, n).iter().zip(&de).map(|(a, b)| (*a * *b).value()).sum();
    assert!((power - spatial::dot(n, omega).value()).abs() < 1e-14);
}

// ------------------------------------------------------------------------- two bodies, one joint

/// Two spatial bodies and a joint between frames fixed off their centres.
struct Pair<J> {
    joint: J,
    regular: bool,
}

macro_rules! joints {
    ($($name:ident $rows:literal |$a:ident, $b:ident| $body:expr;)*) => { $(
        #[derive(Clone, Copy)]
        struct $name;
        impl Kernel<14, 0, $rows> for $name {
            fn eval<D: Scalar>(
                &self,
                _: &[usize],
                z: &[Num<D>; 14],
                _: &[Num<D>; 0],
            ) -> [Num<D>; $rows] {
                let [$a, $b] = frames(z);
                $body
            }
        }
    )* };
}

const AT_A: [f64; 3] = [0.3, -0.2, 0.5];
const AT_B: [f64; 3] = [-0.4, 0.1, 0.2];
const TURN_A: [f64; 4] = [0.5, -0.5, 0.1, 0.7];
const TURN_B: [f64; 4] = [0.2, 0.6, -0.3, 0.7];

fn turn<D: Scalar>(e: [f64; 4]) -> [Num<D>; 4] {
    let n = e.iter().map(|x| x * x).sum::<f64>().sqrt();
    e.map(|x| num(x / n))
}

/// The frames the joint sits between, from the two bodies' coordinates.
fn frames<D: Scalar>(z: &[Num<D>; 14]) -> [SpatialFrame<D>; 2] {
    let a = SpatialFrame::new([z[0], z[1], z[2]], [z[3], z[4], z[5], z[6]]);
    let b = SpatialFrame::new([z[7], z[8], z[9]], [z[10], z[11], z[12], z[13]]);
    [a.at(AT_A.map(num)).turned(turn(TURN_A)), b.at(AT_B.map(num)).turned(turn(TURN_B))]
}

joints! {
    Spherical 3 |a, b| spatial::spherical(a, b);
    Revolute 5 |a, b| spatial::revolute(a, b);
    Universal 4 |a, b| spatial::universal(a, b);
    Cylindrical 4 |a, b| spatial::cylindrical(a, b);
    Prismatic 5 |a, b| spatial::prismatic(a, b);
    Planar 3 |a, b| spatial::planar(a, b);
    Fixed 6 |a, b| spatial::fixed(a, b);
    Rod 1 |a, b| spatial::rod(a.origin, b.origin, num(0.7));
    Line 2 |a, b| spatial::point_on_line(a, b);
    Plane 1 |a, b| spatial::in_plane(a, b);
    Parallel 2 |a, b| spatial::parallel(a, b);
    Facing 5 |a, b| {
        let along = [0.2, -0.5, 0.4].map(num);
        spatial::revolute(a.facing(along), b.facing(along))
    };
    Distance 1 |a, b| [spatial::distance(a.origin, b.origin) - 0.7];
    Bushing 6 |a, b| spatial::offset(a, b);
    Twist 1 |a, b| [spatial::twist(a, b)];
}

struct Normal;
impl Kernel<4, 0, 1> for Normal {
    fn eval<D: Scalar>(&self, _: &[usize], e: &[Num<D>; 4], _: &[Num<D>; 0]) -> [Num<D>; 1] {
        [spatial::normalization(*e)]
    }
}

struct Translation;
impl Kernel<3, 0, 1> for Translation {
    fn eval<D: Scalar>(&self, _: &[usize], v: &[Num<D>; 3], _: &[Num<D>; 0]) -> [Num<D>; 1] {
        [0.5 * 2.0 * spatial::dot(*v, *v)]
    }
}

struct Rotation {
    regular: bool,
}
impl Kernel<8, 0, 1> for Rotation {
    fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; 8], _: &[Num<D>; 0]) -> [Num<D>; 1] {
        let [a, b, c, d, va, vb, vc, vd] = *z;
        let (e, v) = ([a, b, c, d], [va, vb, vc, vd]);
        let energy = spatial::rotational_energy([0.3, 0.7, 0.5].map(num), e, v);
        [if self.regular { energy + spatial::norm_energy(num(0.5), e, v) } else { energy }]
    }
}

trait Rows: Copy + Send + Sync + 'static {
    const ROWS: usize;
    fn add(self, b: &mut ModelBuilder);
    fn rows(self, z: &[f64; 14]) -> Vec<f64>;
}

macro_rules! rows {
    ($($name:ident $rows:literal),*) => { $(
        impl Rows for $name {
            const ROWS: usize = $rows;
            fn add(self, b: &mut ModelBuilder) {
                let row = b.rows_holonomic("joint", $rows, 1);
                let mut all = Instances::<14, 0>::new([Q; 14]);
                all.push(&[], std::array::from_fn(|i| i), []);
                b.holonomic("joint", self, all, row, Reaction::Standard);
            }
            fn rows(self, z: &[f64; 14]) -> Vec<f64> {
                values(self.eval(&[], &z.map(f), &[])).to_vec()
            }
        }
    )* };
}
rows!(
    Spherical 3, Revolute 5, Universal 4, Cylindrical 4, Prismatic 5, Planar 3, Fixed 6, Rod 1,
    Line 2, Plane 1, Parallel 2, Facing 5, Distance 1, Bushing 6, Twist 1
);

impl<J: Rows> Mechanism for Pair<J> {
    fn model(&self) -> Result<Model, ModelError> {
        let mut b = ModelBuilder::new("Pair", "");
        for body in ["a", "b"] {
            for name in ["x", "y", "z", "e0", "e1", "e2", "e3"] {
                b.coord(&format!("{body}.{name}"), "", "");
            }
        }
        for (i, q) in [0.1, -0.2, 0.3, 0.8, 0.1, -0.5, 0.3, 0.6, 0.3, -0.4, 0.5, -0.6, 0.2, 0.59]
            .into_iter()
            .enumerate()
        {
            b.init_q(i, q, Keep::Guess);
        }
        let normal = b.rows_holonomic("unit", 1, 2);
        let mut units = Instances::<4, 0>::new([Q; 4]);
        let mut turns = Instances::<8, 0>::new([Q, Q, Q, Q, V, V, V, V]);
        let mut moves = Instances::<3, 0>::new([V; 3]);
        for o in [0, 7] {
            let e = [o + 3, o + 4, o + 5, o + 6];
            units.push(&[], e, []);
            turns.push(&[], [e[0], e[1], e[2], e[3], e[0], e[1], e[2], e[3]], []);
            moves.push(&[], [o, o + 1, o + 2], []);
        }
        b.holonomic("unit", Normal, units, normal, Reaction::Standard);
        b.kinetic("translation", Translation, moves);
        b.kinetic("rotation", Rotation { regular: self.regular }, turns);
        self.joint.add(&mut b);
        b.finish()
    }

    fn set(&mut self, _: &str, _: f64) -> Result<(), ModelError> {
        Ok(())
    }

    fn params(&self) -> Vec<ParamInfo> {
        Vec::new()
    }
}

/// Body coordinates for which the joint's frames are a given frame and that frame moved by
/// `shift` and turned by `by`, both in its own axes.
fn assembled(noise: &mut Noise, shift: [f64; 3], by: [F; 4]) -> [f64; 14] {
    let ea = unit(random(noise));
    let ra: [F; 3] = random(noise);
    let a = SpatialFrame::new(ra, ea);
    let joint_a = spatial::product(ea, turn(TURN_A));
    let joint_b = spatial::product(joint_a, by);
    let [s, x, y, z] = turn(TURN_B);
    let eb = spatial::product(joint_b, [s, -x, -y, -z]);
    let at = SpatialFrame::new(a.point(AT_A.map(f)), joint_a).point(shift.map(f));
    let back = SpatialFrame::new([f(0.0); 3], eb).vector(AT_B.map(f));
    let mut z = [0.0; 14];
    for i in 0..3 {
        z[i] = ra[i].value();
        z[7 + i] = (at[i] - back[i]).value();
    }
    z[3..7].copy_from_slice(&values(ea));
    z[10..14].copy_from_slice(&values(eb));
    z
}

fn about(axis: [f64; 3], angle: f64) -> [F; 4] {
    spatial::axis_angle(axis.map(f), f(angle))
}

/// Rows vanish at positions the joint allows, not at others, and G has full rank there and the
/// degrees of freedom the joint leaves.
fn check_joint<J: Rows>(joint: J, allowed: impl Fn(&mut Noise) -> ([f64; 3], [F; 4])) {
    let mut noise = Noise::new(11);
    let system = System::new(Pair { joint, regular: true }.model().unwrap());
    for _ in 0..6 {
        let (shift, by) = allowed(&mut noise);
        let z = assembled(&mut noise, shift, by);
        close(&joint.rows(&z), &vec![0.0; J::ROWS], 1e-14);
        let mut moved = z;
        for x in &mut moved {
            *x += 0.1 * noise.sample();
        }
        assert!(joint.rows(&moved).iter().any(|r| r.abs() > 1e-4), "rows do not see a violation");

        let mut point = system.initial_point();
        point.q_mut().copy_from_slice(&z);
        let g = verify::dense(&system, &point, Term::G);
        assert_eq!(g.shape(), (J::ROWS + 2, 14));
        let singular = g.svd(false, false).singular_values;
        let ratio = singular.min() / singular.max();
        assert!(ratio > 0.05, "rank: singular values {singular:?}");
    }
    let report = verify::check_mechanism(&Pair { joint, regular: true }).unwrap();
    assert!(report.passes(verify::TOLERANCE), "{report}");
}

fn angle(noise: &mut Noise) -> f64 {
    3.0 * noise.sample()
}

const ORIGIN: [f64; 3] = [0.0; 3];
const Z: [f64; 3] = [0.0, 0.0, 1.0];

#[test]
fn spherical_joint() {
    check_joint(Spherical, |n| (ORIGIN, unit(random(n))));
}

#[test]
fn revolute_joint() {
    check_joint(Revolute, |n| (ORIGIN, about(Z, angle(n))));
    // The same along an axis that is not a frame's: both bodies turn about it.
    check_joint(Facing, |n| (ORIGIN, about([0.2, -0.5, 0.4], angle(n))));
}

#[test]
fn universal_joint() {
    // About a's z, then a quarter turn that makes b's z normal to it, then about b's own z.
    check_joint(Universal, |n| {
        let first = spatial::product(
            about(Z, angle(n)),
            about([1.0, 0.0, 0.0], 0.5 * std::f64::consts::PI),
        );
        (ORIGIN, spatial::product(first, about(Z, angle(n))))
    });
}

#[test]
fn cylindrical_and_prismatic_joints() {
    check_joint(Cylindrical, |n| ([0.0, 0.0, n.sample()], about(Z, angle(n))));
    check_joint(Prismatic, |n| ([0.0, 0.0, n.sample()], about(Z, 0.0)));
}

#[test]
fn planar_and_fixed_joints() {
    check_joint(Planar, |n| ([n.sample(), n.sample(), 0.0], about(Z, angle(n))));
    check_joint(Fixed, |_| (ORIGIN, about(Z, 0.0)));
}

#[test]
fn primitives() {
    check_joint(Rod, |n| {
        let d = [n.sample(), n.sample(), n.sample()];
        let l = d.iter().map(|x| x * x).sum::<f64>().sqrt();
        (d.map(|x| 0.7 * x / l), unit(random(n)))
    });
    check_joint(Line, |n| ([0.0, 0.0, n.sample()], unit(random(n))));
    check_joint(Plane, |n| ([n.sample(), n.sample(), 0.0], unit(random(n))));
    check_joint(Parallel, |n| ([n.sample(), n.sample(), n.sample()], about(Z, angle(n))));
}

#[test]
fn lengths_and_offsets_have_their_derivatives() {
    for report in [
        verify::check_mechanism(&Pair { joint: Distance, regular: false }),
        verify::check_mechanism(&Pair { joint: Bushing, regular: false }),
        verify::check_mechanism(&Pair { joint: Twist, regular: false }),
    ] {
        let report = report.unwrap();
        assert!(report.passes(verify::TOLERANCE), "{report}");
    }
    // Small turns about each axis and a shift are read back.
    let mut noise = Noise::new(4);
    for (k, axis) in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], Z].into_iter().enumerate() {
        let z = assembled(&mut noise, [0.1, 0.2, -0.3], about(axis, 1e-6));
        let mut expected = [0.1, 0.2, -0.3, 0.0, 0.0, 0.0];
        expected[3 + k] = 1e-6;
        close(&Bushing.rows(&z), &expected, 1e-12);
    }
}

/// The mass block of Euler parameters is singular, the matrix [M Gᵀ; G 0] is not; with the norm
/// energy added M is positive definite and the accelerations are the same.
#[test]
fn normalization_makes_the_kkt_matrix_regular() {
    let mut accelerations = Vec::new();
    for regular in [false, true] {
        let system = System::new(Pair { joint: Revolute, regular }.model().unwrap());
        let mut noise = Noise::new(9);
        let z = assembled(&mut noise, ORIGIN, about(Z, 0.4));
        let mut point = system.initial_point();
        point.q_mut().copy_from_slice(&z);
        for o in [3, 10] {
            let e: [F; 4] = std::array::from_fn(|i| f(z[o + i]));
            let de = spatial::euler_rate(e, random(&mut noise));
            point.v_mut()[o..o + 4].copy_from_slice(&values(de));
        }
        let mass = verify::dense(&system, &point, Term::M);
        let smallest = mass.clone().symmetric_eigenvalues().min();
        assert!(if regular { smallest > 1.0 } else { smallest.abs() < 1e-14 }, "{smallest}");
        let mut plan = PlanBuilder::new(21);
        for (term, row, col) in [(Term::M, 0, 0), (Term::Gt, 0, 14), (Term::G, 14, 0)] {
            plan.term(term, row, col);
        }
        let plan = plan.build(&system);
        let mut entries = plan.values();
        let weights = Weights { u: point.a(), s: point.lambda(), r: point.psi() };
        plan.fill(&system, &point, &weights, &[1.0; 3], &mut entries);
        let mut kkt = nalgebra::DMatrix::zeros(21, 21);
        for row in 0..21 {
            for col in 0..21 {
                // The last value is the bin, where what is not in the pattern lands.
                let position = plan.pattern().position(row, col);
                kkt[(row, col)] = entries[..entries.len() - 1].get(position).map_or(0.0, |x| *x);
            }
        }
        let singular = kkt.svd(false, false).singular_values;
        assert!(singular.min() > 1e-2, "{singular}");
        let mut out = Residual::new(&system.dims());
        system.eval_at(&point, Want::F | Want::GAMMA, &mut out);
        let mut x: Vec<f64> = out.f.iter().copied().chain(out.gamma.iter().map(|x| -x)).collect();
        let mut solver = solver_for(plan.pattern());
        solver.factorize(&entries).unwrap();
        solver.solve(&mut x);
        accelerations.push(x[..14].to_vec());
    }
    close(&accelerations[0], &accelerations[1], 1e-12);
}

// ----------------------------------------------------------------------------------------- planar

struct PlanarPair;

struct PlanarRows;
impl Kernel<6, 0, 8> for PlanarRows {
    fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; 6], _: &[Num<D>; 0]) -> [Num<D>; 8] {
        let (a, b) = (PlanarFrame::new(z[0], z[1], z[2]), PlanarFrame::new(z[3], z[4], z[5]));
        let (p, q) = ([0.3, -0.2].map(num), [-0.4, 0.1].map(num));
        let [slot] = planar::point_on_line(a, p, [0.6, 0.8].map(num), b, q);
        let [rod] = planar::rod(a.point(p), b.point(q), num(0.7));
        let [x, y, angle] = planar::offset(a, p, b, q);
        let [u, v, _] = planar::weld(a, p, b, q);
        [slot, rod, x, y, angle, u, v, planar::distance(a.point(p), b.point(q))]
    }
}

impl Mechanism for PlanarPair {
    fn model(&self) -> Result<Model, ModelError> {
        let mut b = ModelBuilder::new("PlanarPair", "");
        for (i, name) in ["x1", "y1", "t1", "x2", "y2", "t2"].into_iter().enumerate() {
            b.coord(name, "", "");
            b.init_q(i, 0.4 - 0.3 * i as f64, Keep::Guess);
        }
        let row = b.rows_holonomic("rows", 8, 1);
        let mut all = Instances::<6, 0>::new([Q; 6]);
        all.push(&[], [0, 1, 2, 3, 4, 5], []);
        b.holonomic("rows", PlanarRows, all, row, Reaction::Standard);
        struct Energy;
        impl Kernel<6, 0, 1> for Energy {
            fn eval<D: Scalar>(
                &self,
                _: &[usize],
                v: &[Num<D>; 6],
                _: &[Num<D>; 0],
            ) -> [Num<D>; 1] {
                [v.iter().map(|x| 0.5 * *x * *x).sum()]
            }
        }
        let mut all = Instances::<6, 0>::new([V; 6]);
        all.push(&[], [0, 1, 2, 3, 4, 5], []);
        b.kinetic("energy", Energy, all);
        b.finish()
    }

    fn set(&mut self, _: &str, _: f64) -> Result<(), ModelError> {
        Ok(())
    }

    fn params(&self) -> Vec<ParamInfo> {
        Vec::new()
    }
}

#[test]
fn planar_elements() {
    verify::assert_all_derivatives(&PlanarPair);
    let a = PlanarFrame::new(0.3, -0.1, f(0.7));
    let b = PlanarFrame::new(0.8, 0.4, f(1.1));
    let (p, q) = ([0.2, 0.1].map(f), [-0.3, 0.4].map(f));
    // The offset put back into a's frame is b's point.
    let [x, y, angle] = planar::offset(a, p, b, q);
    close(&values(a.point([p[0] + x, p[1] + y])), &values(b.point(q)), 1e-15);
    assert!((angle.value() - 0.4).abs() < 1e-15);
    let length = planar::distance(a.point(p), b.point(q));
    assert!(planar::rod(a.point(p), b.point(q), length)[0].value().abs() < 1e-15);
    // A rod 1 % too long reads as 1 % of its length, to first order.
    let row = planar::rod(a.point(p), b.point(q), length / 1.01)[0].value();
    assert!((row / (0.01 * length.value()) - 1.0).abs() < 6e-3);
    // On the slot's line the row vanishes.
    let axis = [x, y];
    assert!(planar::point_on_line(a, p, axis, b, q)[0].value().abs() < 1e-15);
}

#[test]
fn redundancy_of_a_planar_mechanism_of_spatial_joints_is_seen() {
    // Two revolute joints about the same axis between the same bodies: 5 of 10 rows are redundant.
    #[derive(Clone, Copy)]
    struct Twice;
    impl Kernel<14, 0, 10> for Twice {
        fn eval<D: Scalar>(&self, _: &[usize], z: &[Num<D>; 14], _: &[Num<D>; 0]) -> [Num<D>; 10] {
            let [a, b] = frames(z);
            let l = [0.0, 0.0, 0.4].map(num);
            let (one, two) = (spatial::revolute(a, b), spatial::revolute(a.at(l), b.at(l)));
            std::array::from_fn(|i| if i < 5 { one[i] } else { two[i - 5] })
        }
    }
    rows!(Twice 10);
    let system = System::new(Pair { joint: Twice, regular: true }.model().unwrap());
    let mut point: Point = system.initial_point();
    let z = assembled(&mut Noise::new(5), ORIGIN, about(Z, 0.9));
    point.q_mut().copy_from_slice(&z);
    let g = verify::dense(&system, &point, Term::G);
    assert_eq!(g.rank(1e-10), 7);
}

// ------------------------------------------------------------------------------ forces and beams

#[test]
fn force_laws() {
    assert_eq!(force::spring_damper(f(1.25), f(0.5), f(10.0), f(2.0), f(1.0)).value(), -3.5);
    close(
        &values(force::bushing(
            [0.1, -0.2].map(f),
            [1.0, 2.0].map(f),
            [3.0, 4.0].map(f),
            [0.5, 0.25].map(f),
        )),
        &[-0.8, 0.3],
        1e-15,
    );
    // The ramp joins its ends with value, slope and curvature.
    let w = 0.3;
    let third = |x: f64| {
        let step = 1e-5;
        let v = |x: f64| force::ramp(f(x), f(w)).value();
        [
            v(x),
            (v(x + step) - v(x - step)) / (2.0 * step),
            (v(x + step) - 2.0 * v(x) + v(x - step)) / (step * step),
        ]
    };
    close(&third(-w), &[0.0, 0.0, 0.0], 1e-4);
    close(&third(w), &[w, 1.0, 0.0], 1e-4);
    assert_eq!(force::ramp(f(1.0), f(w)).value(), 1.0);
    assert_eq!(force::stop(f(-1.0), f(5.0), f(w)).value(), 0.0);
    assert_eq!(force::contact(f(-0.1), f(3.0), f(1e5), f(1.5), f(1.0)).value(), 0.0);
    let pressed = force::contact(f(0.04), f(-0.5), f(1e5), f(1.5), f(1.0)).value();
    assert!((pressed + 1e5 * 0.008 * 0.5).abs() < 1e-9);
    assert_eq!(force::contact(f(0.04), f(-5.0), f(1e5), f(1.5), f(1.0)).value(), 0.0);
    assert!((force::friction(f(1.0), f(10.0), f(0.5), f(1e-3)).value() + 5.0).abs() < 1e-5);
}

#[test]
fn beam_integrals_are_exact_for_cubics() {
    // Nodal values of the cubic w = x³ − 2x² + 3x − 1 on (0, l) and its integrals.
    let l = 0.7;
    let w = |x: f64| ((x - 2.0) * x + 3.0) * x - 1.0;
    let slope = |x: f64| (3.0 * x - 4.0) * x + 3.0;
    let d = [w(0.0), slope(0.0), w(l), slope(l)].map(f);
    // Simpson's rule on 400 panels.
    let integral = |g: &dyn Fn(f64) -> f64| {
        let n = 400;
        let h = l / n as f64;
        (0..=n)
            .map(|i| {
                g(i as f64 * h)
                    * if i == 0 || i == n {
                        1.0
                    } else if i % 2 == 1 {
                        4.0
                    } else {
                        2.0
                    }
            })
            .sum::<f64>()
            * h
            / 3.0
    };
    let near = |a: F, b: f64| assert!((a.value() - b).abs() < 1e-11, "{} against {b}", a.value());
    near(beam::mass(f(l), d, d), integral(&|x| w(x) * w(x)));
    near(beam::stiffness(f(l), d, d), integral(&|x| (6.0 * x - 4.0).powi(2)));
    near(beam::area(f(l), d), integral(&w));
    near(beam::moment(f(1.3), f(l), d), integral(&|x| (1.3 + x) * w(x)));
    near(beam::deflection(f(l), d, f(0.35)), w(0.35 * l));
}
