//! The bound: what derivatives cost here beside hand-written code, beside straight-line code with
//! shared subexpressions (written by SymPy, `fixtures/straight_line.py`) and beside num-dual's own
//! types used directly (`fixtures/num_dual.rs`), in one run.
//!
//! `cargo bench --bench derivatives`. Every result is first checked against the others to
//! round-off. Times are the best of many; every evaluation is at a new point, so that no value is
//! found again from the evaluation before. "duals" is this library's evaluation on num-dual's
//! numbers, statement by statement from a tape; "one" and "many" are its programs, for a single element and
//! for elements of a loop.
//!
//! `cargo bench --bench derivatives -- --instructions` counts instructions instead, which do not
//! depend on what else the machine does, and compares them with `fixtures/instructions.txt`; with
//! `--check` it fails where programs take more than 5 % more, with `--update` it writes the file
//! anew. Instructions are counted by valgrind's callgrind, in which this program runs itself.
//! The table is of machine code: where programs are interpreted nothing is held against it.

#![allow(missing_docs)]

use mbd::assembly::{
    Derivatives, Plan, PlanBuilder, Point, Residual, SlotKind, System, Term, Want, Weights,
};
use mbd::model::Mechanism;
use std::hint::black_box;

#[path = "../examples/andrews.rs"]
#[allow(dead_code)]
mod andrews;
#[path = "../examples/andrews_bodies.rs"]
#[allow(dead_code)]
mod andrews_bodies;
#[path = "fixtures/by_hand.rs"]
mod by_hand;
#[path = "../examples/chain.rs"]
#[allow(dead_code)]
mod chain;
#[path = "fixtures/elements.rs"]
mod elements;
#[path = "fixtures/meter.rs"]
mod meter;
#[path = "fixtures/num_dual.rs"]
mod num_dual_only;
#[path = "fixtures/straight_line.rs"]
mod straight_line;

use elements::{Bushing, Distance, PlanarRevolute, SpatialRevolute, Spherical, Tsda};
use meter::{Reading, measure, print};

/// Elements in a loop.
const MANY: usize = 64;

fn main() -> std::process::ExitCode {
    meter::main(|| {
        constraints();
        forces();
        systems();
        link();
    })
}

/// A model with what one evaluation of it takes.
struct Rig {
    system: System,
    point: Point,
    weights: [Vec<f64>; 3],
    want: Want,
    plan: Plan,
    coefficients: Vec<f64>,
    values: Vec<f64>,
    out: Residual,
}

impl Rig {
    fn new(mechanism: &impl Mechanism, want: Want, build: impl Fn(&System) -> PlanBuilder) -> Self {
        let system = System::new(mechanism.model().expect("the bench's models are sound"));
        let point = mbd::verify::generic_point(&system, 3);
        let plan = build(&system).build(&system);
        Rig {
            want,
            coefficients: vec![1.0; plan.coefficients()],
            values: plan.values(),
            out: Residual::new(&system.dims()),
            weights: [point.a().to_vec(), point.lambda().to_vec(), point.psi().to_vec()],
            plan,
            point,
            system,
        }
    }

    #[inline(always)]
    fn evaluate(&mut self) {
        let [u, s, r] = &self.weights;
        let weights = Weights { u, s, r };
        let (system, point, want) = (&self.system, &self.point, self.want);
        let coefficients = black_box(&self.coefficients[..]);
        if self.plan.coefficients() == 0 {
            system.eval(point, &weights, want, &mut self.out);
        } else if want == Want::NONE {
            self.plan.fill(system, point, &weights, coefficients, &mut self.values);
        } else {
            let residual = (want, &mut self.out);
            self.plan.fill_with(system, point, &weights, coefficients, &mut self.values, residual);
        }
        black_box((&self.out, &self.values));
    }

    /// Measures an evaluation, of so many elements.
    fn measure(&mut self, duals: bool, elements: usize) -> Reading {
        let by = if duals { Derivatives::Dual } else { Derivatives::Programs };
        self.system.set_derivatives(by);
        self.evaluate();
        let reading = measure(elements, duals, || {
            self.point.q_mut().iter_mut().for_each(|q| *q += 1e-9);
            self.evaluate();
        });
        self.system.set_derivatives(Derivatives::Programs);
        reading
    }

    /// A term as a dense row-major block.
    fn block(&self, term: Term) -> Vec<f64> {
        let [u, s, r] = &self.weights;
        let (rows, cols) = self.system.term_shape(term);
        let mut block = vec![0.0; rows * cols];
        for (i, j, value) in self.system.entries(&self.point, &Weights { u, s, r }, term) {
            block[i * cols + j] += value;
        }
        block
    }
}

fn close(what: &str, ours: &[f64], other: &[f64]) {
    assert_eq!(ours.len(), other.len(), "{what}");
    let size = other.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    for (i, (a, b)) in ours.iter().zip(other).enumerate() {
        assert!((a - b).abs() <= 1e-12 * size, "{what}[{i}]: {a:e} against {b:e} of {size:e}");
    }
}

/// Gathers the locals of instance i from coordinates stored local-major.
#[inline(always)]
fn gather<const K: usize>(q: &[f64], i: usize, n: usize) -> [f64; K] {
    std::array::from_fn(|k| q[k * n + i])
}

fn terms(list: &[Term]) -> impl Fn(&System) -> PlanBuilder {
    let list = list.to_vec();
    move |system| {
        let shapes: Vec<_> = list.iter().map(|&term| system.term_shape(term)).collect();
        let size = shapes.iter().map(|s| s.0.max(s.1)).max().unwrap_or(0);
        let mut plan = PlanBuilder::new(size * list.len());
        for (k, &term) in list.iter().enumerate() {
            plan.term(term, k * size, 0);
        }
        plan
    }
}

macro_rules! constraint {
    ($name:literal, $model:ident, $k:literal, $r:literal,
     $jacobian:ident $hessian:ident $gamma:ident, hand: $by_hand:expr) => {{
        use num_dual_only::$model as Raw;
        use num_dual_only::{joint_gamma, joint_hessian, joint_jacobian};
        const K: usize = $k;
        const R: usize = $r;
        let p = elements::$model::parameters();
        let by_hand: Option<elements::ByHand<K, R>> = $by_hand;
        for (quantity, want, list) in [
            ("g, G", Want::G, &[Term::G][..]),
            ("(Gᵀs)_q", Want::NONE, &[Term::GtsQ]),
            ("γ, γ_q, γ_v", Want::GAMMA, &[Term::GammaQ, Term::GammaV]),
        ] {
            let mut one = Rig::new(&$model { n: 1, ..Default::default() }, want, terms(list));
            let mut many = Rig::new(&$model { n: MANY, ..Default::default() }, want, terms(list));
            // Agreement.
            let z: [f64; K] = gather(one.point.q(), 0, 1);
            let v: [f64; K] = gather(one.point.v(), 0, 1);
            let s: [f64; R] = std::array::from_fn(|r| one.weights[1][r]);
            let (mut g, mut jac, mut h) = ([0.0; R], [0.0; R * K], [0.0; K * K]);
            let (mut by_q, mut by_v) = ([0.0; R * K], [0.0; R * K]);
            one.evaluate();
            straight_line::$jacobian(&z, &p, &mut g, &mut jac);
            if want == Want::G {
                close($name, &one.out.g, &g);
            }
            close($name, &one.block(Term::G), &jac);
            straight_line::$hessian(&z, &p, &s, &mut h);
            close($name, &one.block(Term::GtsQ), &h);
            straight_line::$gamma(&z, &p, &v, &mut g, &mut by_q, &mut by_v);
            if want == Want::GAMMA {
                close($name, &one.out.gamma, &g);
            }
            close($name, &one.block(Term::GammaQ), &by_q);
            close($name, &one.block(Term::GammaV), &by_v);
            let (mut other_g, mut other_jac) = ([0.0; R], [0.0; R * K]);
            let (mut other_h, mut other_by_v) = ([0.0; K * K], [0.0; R * K]);
            if let Some((jacobian, hessian)) = by_hand {
                jacobian(&z, &p, &mut other_g, &mut other_jac);
                close($name, &other_jac, &jac);
                hessian(&z, &p, &s, &mut other_h);
                close($name, &other_h, &h);
            }
            joint_gamma::<Raw, K, R, { 2 * K }>(
                &z,
                &p,
                &v,
                &mut other_g,
                &mut other_jac,
                &mut other_by_v,
            );
            close($name, &other_g, &g);
            close($name, &other_jac, &by_q);
            close($name, &other_by_v, &by_v);
            joint_jacobian::<Raw, K, R>(&z, &p, &mut other_g, &mut other_jac);
            close($name, &other_jac, &jac);
            joint_hessian::<Raw, K, R>(&z, &p, &s, &mut other_h);
            close($name, &other_h, &h);
            // What it costs.
            let mut q = many.point.q().to_vec();
            let v_all = many.point.v().to_vec();
            let s_all = many.weights[1].clone();
            let mut each = |slow: bool, which: &dyn Fn(&[f64; K], usize)| {
                measure(MANY, slow, || {
                    q.iter_mut().for_each(|q| *q += 1e-9);
                    for i in 0..MANY {
                        which(&gather(&q, i, MANY), i);
                    }
                })
            };
            macro_rules! jacobian {
                ($slow:literal, $f:expr) => {
                    each($slow, &|z, _| {
                        let (mut g, mut jac) = ([0.0; R], [0.0; R * K]);
                        $f(z, &p, &mut g, &mut jac);
                        black_box((&g, &jac));
                    })
                };
            }
            macro_rules! hessian {
                ($slow:literal, $f:expr) => {
                    each($slow, &|z, i| {
                        let s: [f64; R] = std::array::from_fn(|r| s_all[i * R + r]);
                        let mut h = [0.0; K * K];
                        $f(z, &p, &s, &mut h);
                        black_box(&h);
                    })
                };
            }
            macro_rules! gamma {
                ($slow:literal, $f:expr) => {
                    each($slow, &|z, i| {
                        let (mut g, mut by_q, mut by_v) = ([0.0; R], [0.0; R * K], [0.0; R * K]);
                        let v = gather(&v_all, i, MANY);
                        $f(z, &p, &v, &mut g, &mut by_q, &mut by_v);
                        black_box((&g, &by_q, &by_v));
                    })
                };
            }
            let [hand, straight, num_dual] = if want == Want::G {
                [
                    by_hand.map(|(jacobian, _)| jacobian!(false, jacobian)).unwrap_or_default(),
                    jacobian!(false, straight_line::$jacobian),
                    jacobian!(true, joint_jacobian::<Raw, K, R>),
                ]
            } else if want == Want::NONE {
                [
                    by_hand.map(|(_, hessian)| hessian!(false, hessian)).unwrap_or_default(),
                    hessian!(false, straight_line::$hessian),
                    hessian!(true, joint_hessian::<Raw, K, R>),
                ]
            } else {
                let straight = gamma!(false, straight_line::$gamma);
                [Reading::default(), straight, gamma!(true, joint_gamma::<Raw, K, R, { 2 * K }>)]
            };
            let duals = many.measure(true, MANY);
            let (one, many) = (one.measure(false, 1), many.measure(false, MANY));
            print(&format!("{}: {quantity}", $name), [hand, straight, num_dual, duals, one, many]);
        }
    }};
}

fn constraints() {
    constraint!("planar revolute", PlanarRevolute, 6, 2,
        planar_revolute_jacobian planar_revolute_hessian planar_revolute_gamma,
        hand: Some((by_hand::planar_jacobian, by_hand::planar_hessian)));
    constraint!("spherical", Spherical, 14, 3,
        spherical_jacobian spherical_hessian spherical_gamma,
        hand: Some((by_hand::spherical_jacobian, by_hand::spherical_hessian)));
    constraint!("spatial revolute", SpatialRevolute, 14, 5,
        spatial_revolute_jacobian spatial_revolute_hessian spatial_revolute_gamma,
        hand: Some((by_hand::revolute_jacobian, by_hand::revolute_hessian)));
    constraint!("distance", Distance, 14, 1,
        distance_jacobian distance_hessian distance_gamma,
        hand: Some((by_hand::distance_jacobian, by_hand::distance_hessian)));
}

macro_rules! force {
    ($name:literal, $model:ident, $straight:ident, $raw:ident) => {{
        const K: usize = 14;
        let p = elements::$model::parameters();
        let list = [Term::F(SlotKind::Q), Term::F(SlotKind::V)];
        let mut one = Rig::new(&$model { n: 1, ..Default::default() }, Want::F, terms(&list));
        let mut many = Rig::new(&$model { n: MANY, ..Default::default() }, Want::F, terms(&list));
        let (mut f, mut by_q, mut by_v) = ([0.0; K], [0.0; K * K], [0.0; K * K]);
        one.evaluate();
        let (z, v) = (gather(one.point.q(), 0, 1), gather(one.point.v(), 0, 1));
        straight_line::$straight(&z, &p, &v, &mut f, &mut by_q, &mut by_v);
        close($name, &one.out.f, &f);
        close($name, &one.block(list[0]), &by_q);
        close($name, &one.block(list[1]), &by_v);
        let raw: num_dual_only::Force = num_dual_only::$raw;
        let (mut raw_f, mut raw_by_q, mut raw_by_v) = ([0.0; K], [0.0; K * K], [0.0; K * K]);
        raw(&z, &p, &v, &mut raw_f, &mut raw_by_q, &mut raw_by_v);
        close($name, &raw_f, &f);
        close($name, &raw_by_q, &by_q);
        close($name, &raw_by_v, &by_v);
        let mut q = many.point.q().to_vec();
        let v_all = many.point.v().to_vec();
        let mut each = |slow: bool, which: &dyn Fn(&[f64; K], &[f64; K])| {
            measure(MANY, slow, || {
                q.iter_mut().for_each(|q| *q += 1e-9);
                for i in 0..MANY {
                    which(&gather(&q, i, MANY), &gather(&v_all, i, MANY));
                }
            })
        };
        let straight = each(false, &|z, v| {
            let (mut f, mut by_q, mut by_v) = ([0.0; K], [0.0; K * K], [0.0; K * K]);
            straight_line::$straight(z, &p, v, &mut f, &mut by_q, &mut by_v);
            black_box((&f, &by_q, &by_v));
        });
        let num_dual = each(true, &|z, v| {
            let (mut f, mut by_q, mut by_v) = ([0.0; K], [0.0; K * K], [0.0; K * K]);
            raw(z, &p, v, &mut f, &mut by_q, &mut by_v);
            black_box((&f, &by_q, &by_v));
        });
        let duals = many.measure(true, MANY);
        let (one, many) = (one.measure(false, 1), many.measure(false, MANY));
        let readings = [Reading::default(), straight, num_dual, duals, one, many];
        print(concat!($name, ": f, f_q, f_v"), readings);
    }};
}

fn forces() {
    force!("spring and damper", Tsda, tsda_force, tsda);
    force!("bushing", Bushing, bushing_force, bushing);
}

/// The terms of HHT-I3's Newton matrix: c0 M + c1 (M u − f + Gᵀs)_q − c2 f_v, bordered.
fn newton_matrix(system: &System) -> PlanBuilder {
    let (n, m) = (system.dims().n, system.dims().m);
    let mut plan = PlanBuilder::new(n + m);
    for term in [Term::M, Term::MuQ, Term::ReactQ, Term::F(SlotKind::Q), Term::F(SlotKind::V)] {
        plan.term(term, 0, 0);
    }
    plan.term(Term::React, 0, n);
    plan.term(Term::G, n, 0);
    plan
}

const C: [f64; 3] = [1.3, 0.2, 0.7];

fn newton_coefficients() -> Vec<f64> {
    vec![C[0], C[1], C[1], -C[1], -C[2], 1.0, 1.0]
}

fn whole() -> Want {
    Want::MU | Want::F | Want::REACTION | Want::G
}

macro_rules! whole_system {
    ($name:literal, $model:expr, $straight:ident, $n:literal, $m:literal, $params:expr) => {{
        const N: usize = $n;
        const M: usize = $m;
        const SIZE: usize = N + M;
        let mut rig = Rig::new(&$model, whole(), newton_matrix);
        rig.coefficients = newton_coefficients();
        let p = $params;
        let array = |x: &[f64]| -> [f64; N] { std::array::from_fn(|i| x[i]) };
        let (mut q, v, u) = (array(rig.point.q()), array(rig.point.v()), array(&rig.weights[0]));
        let s: [f64; M] = std::array::from_fn(|i| rig.weights[1][i]);
        let (mut r, mut jac) = ([0.0; SIZE], [0.0; SIZE * SIZE]);
        straight_line::$straight(&q, &v, &u, &s, &p, &C, &mut r, &mut jac);
        rig.evaluate();
        let out = &rig.out;
        let dynamics = (0..N).map(|i| out.mu[i] - out.f[i] + out.reaction[i]);
        let ours: Vec<f64> = dynamics.chain(out.g.iter().copied()).collect();
        close($name, &ours, &r);
        let mut matrix = vec![0.0; SIZE * SIZE];
        for ((i, j), value) in rig.plan.pattern().entries().zip(&rig.values) {
            matrix[i * SIZE + j] = *value;
        }
        close($name, &matrix, &jac);
        let (mut raw_r, mut raw_jac) = ([0.0; SIZE], [0.0; SIZE * SIZE]);
        let model = &$model;
        num_dual_only::newton(model, [&q, &v, &u], &s, &C, &mut raw_r, &mut raw_jac);
        close($name, &raw_r, &r);
        close($name, &raw_jac, &jac);
        let straight = measure(1, false, || {
            q.iter_mut().for_each(|q| *q += 1e-9);
            straight_line::$straight(black_box(&q), &v, &u, &s, &p, &C, &mut r, &mut jac);
            black_box((&r, &jac));
        });
        let num_dual = measure(1, true, || {
            q.iter_mut().for_each(|q| *q += 1e-9);
            let at = [black_box(&q), &v, &u];
            num_dual_only::newton(model, at, &s, &C, &mut raw_r, &mut raw_jac);
            black_box((&raw_r, &raw_jac));
        });
        let none = Reading::default();
        let (duals, one) = (rig.measure(true, 1), rig.measure(false, 1));
        print($name, [none, straight, num_dual, duals, one, none]);
        // The two parts on their own.
        let mut residual = Rig::new(&$model, whole(), |_| PlanBuilder::new(0));
        let mut matrix = Rig::new(&$model, Want::NONE, newton_matrix);
        for (part, rig) in [("residual alone", &mut residual), ("matrix alone", &mut matrix)] {
            if rig.plan.coefficients() > 0 {
                rig.coefficients = newton_coefficients();
            }
            let (duals, one) = (rig.measure(true, 1), rig.measure(false, 1));
            let name = format!("{}: {part}", $name.split(':').next().unwrap_or_default());
            print(&name, [none, none, none, duals, one, none]);
        }
    }};
}

fn systems() {
    let a = andrews::Andrews::default();
    let mut p = [0.0; 42];
    let lengths = [
        a.xa, a.ya, a.xb, a.yb, a.xc, a.yc, a.d, a.da, a.e, a.ea, a.rr, a.ra, a.ss, a.sa, a.sb,
        a.sc, a.sd, a.ta, a.tb, a.u, a.ua, a.ub, a.zf, a.zt, a.fa, a.c0, a.l0, a.torque,
    ];
    p[..7].copy_from_slice(&a.m);
    p[7..14].copy_from_slice(&a.I);
    p[14..].copy_from_slice(&lengths);
    whole_system!("Andrews, 7 angles: residual, matrix", a, andrews, 7, 6, p);
    let b = andrews_bodies::AndrewsBodies::default();
    whole_system!("Andrews, 21 coordinates: the same", b, andrews_bodies, 21, 20, p);
}

/// One link of a chain, beside its joint's straight-line code with the sums a program makes of it.
fn link() {
    const LINKS: usize = 1024;
    let mut rig =
        Rig::new(&chain::Chain { n: LINKS, ..Default::default() }, whole(), newton_matrix);
    rig.coefficients = newton_coefficients();
    let p = [0.5, 0.0, -0.5, 0.0];
    let (mut q, u) = (rig.point.q().to_vec(), rig.weights[0].clone());
    let s = rig.weights[1].clone();
    let mut r = vec![0.0; 5 * LINKS];
    let mut values = vec![0.0; 16 * LINKS];
    type Q = [f64; 6];
    type Jacobian<'a> = &'a dyn Fn(&Q, &mut [f64; 2], &mut [f64; 12]);
    type Hessian<'a> = &'a dyn Fn(&Q, &[f64; 2], &mut [f64; 36]);
    let mut by_joints = |slow: bool, jacobian: Jacobian<'_>, hessian: Hessian<'_>| {
        measure(LINKS, slow, || {
            q.iter_mut().for_each(|q| *q += 1e-9);
            r.fill(0.0);
            for i in 1..LINKS {
                let at = [i - 1, LINKS + i - 1, 2 * LINKS + i - 1, i, LINKS + i, 2 * LINKS + i];
                let z = at.map(|k| q[k]);
                let (mut g, mut jac, mut h) = ([0.0; 2], [0.0; 12], [0.0; 36]);
                jacobian(&z, &mut g, &mut jac);
                let s = [s[2 * i], s[2 * i + 1]];
                hessian(&z, &s, &mut h);
                for (k, &to) in at.iter().enumerate() {
                    r[to] += jac[k] * s[0] + jac[6 + k] * s[1];
                }
                r[i] += u[i];
                r[LINKS + i] += u[LINKS + i] + 9.81;
                r[2 * LINKS + i] += u[2 * LINKS + i] / 12.0;
                r[3 * LINKS + 2 * i] = g[0];
                r[3 * LINKS + 2 * i + 1] = g[1];
                let to = &mut values[16 * i..16 * (i + 1)];
                for (to, k) in to.iter_mut().zip([0, 2, 3, 5, 7, 8, 10, 11]) {
                    *to = jac[k];
                }
                to[8] = C[0];
                to[9] = C[0];
                to[10] = C[0] / 12.0 + C[1] * h[14];
                to[11] = C[1] * h[35];
            }
            black_box((&r, &values));
        })
    };
    let straight = by_joints(
        false,
        &|z, g, jac| straight_line::planar_revolute_jacobian(z, &p, g, jac),
        &|z, s, h| straight_line::planar_revolute_hessian(z, &p, s, h),
    );
    use num_dual_only::PlanarRevolute as Raw;
    let num_dual = by_joints(
        true,
        &|z, g, jac| num_dual_only::joint_jacobian::<Raw, 6, 2>(z, &p, g, jac),
        &|z, s, h| num_dual_only::joint_hessian::<Raw, 6, 2>(z, &p, s, h),
    );
    let (duals, many) = (rig.measure(true, LINKS), rig.measure(false, LINKS));
    let none = Reading::default();
    print("chain, per link: residual, matrix", [none, straight, num_dual, duals, none, many]);
}
