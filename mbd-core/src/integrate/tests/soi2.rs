//! `gen-alpha-soi2` and `hht-soi2`: traces and orders of an independent implementation, both
//! constraint levels, spectral radii.

use super::models::*;
use super::newton::matrix_is_the_derivative;
use crate::assembly::{Point, SlotKind, SlotKind::*, System};
use crate::integrate::soi2::Start;
use crate::integrate::{HhtI3, Integrator, Method, Soi2, Step};
use crate::model::{Keep, ModelBuilder, Reaction};
use nalgebra::DMatrix;
use std::f64::consts::PI;

kernel! { Mass11: 1 -> 1, |[y1]| [*y1] }
kernel! { Mass12: 2 -> 1, |[t, y2]| [*y2 - (-2.0 * *t).exp()] }
kernel! { Mass21: 2 -> 1, |[t, y1]| [(*y1 - t.exp()).sin()] }
kernel! { Mass22: 2 -> 1, |[y1, y2]| [*y1 * *y2] }
kernel! { Force15: 7 -> 2, |[t, y1, y2, z1, z2, l, p]| {
    let (e, e2, e3) = (t.exp(), (2.0 * *t).exp(), (3.0 * *t).exp());
    let (y1, y2, z1, z2, l, p) = (*y1, *y2, *z1, *z2, *l, *p);
    [
        e * (y1 * z2 + 2.0 * y2 * z1) + e2 * y1 * l - y1 * z2 * p - 2.0,
        (0.5 * y2 * z2 - 2.0 * y1 * z1 * y2 * z2 + y2 * l.powi(2)) / e
            - y1 * y2 * z1 * p.powi(3)
            + e3,
    ]
} }
kernel! { G15: 2 -> 1, |[y1, y2]| [*y1 * *y1 * *y2 - 1.0] }
kernel! { K15: 3 -> 1, |[y1, z1, z2]| [*y1 * *z1 * *z2 + 2.0] }

/// C1, problem (15): f nonlinear in λ and ψ, a mass matrix that is neither constant nor symmetric.
fn problem15() -> System {
    let mut b = ModelBuilder::new("Problem15", "");
    for (i, (y, z)) in [(1.0, 1.0), (1.0, -2.0)].into_iter().enumerate() {
        b.coord(["y1", "y2"][i], "", "");
        b.init_q(i, y, Keep::Kept);
        b.init_v(i, z, Keep::Kept);
    }
    b.mass_one_sided("M11", Mass11, one([(Q, 0)]), vec![(0, 0)]);
    b.mass_one_sided("M12", Mass12, one([(T, 0), (Q, 1)]), vec![(0, 1)]);
    b.mass_one_sided("M21", Mass21, one([(T, 0), (Q, 0)]), vec![(1, 0)]);
    b.mass_one_sided("M22", Mass22, one([(Q, 0), (Q, 1)]), vec![(1, 1)]);
    let reads = [(T, 0), (Q, 0), (Q, 1), (V, 0), (V, 1), (Lambda, 0), (Psi, 0)];
    b.force("f", Force15, one(reads), vec![[0, 1]]);
    let row = b.rows_holonomic("g", 1, 1);
    b.holonomic("g", G15, one([(Q, 0), (Q, 1)]), row, Reaction::Stated);
    let row = b.rows_nonholonomic("k", 1, 1);
    b.nonholonomic("k", K15, one([(Q, 0), (V, 0), (V, 1)]), row, Reaction::Stated);
    System::new(b.finish().unwrap())
}

/// Its consistent start, λ = ψ = 1.
fn start15(system: &System) -> Point {
    let mut point = system.initial_point();
    point.a_mut().copy_from_slice(&[1.0, 4.0]);
    point.lambda_mut().fill(1.0);
    point.psi_mut().fill(1.0);
    point
}

kernel! { Blade: 3 -> 1, |[phi, vx, vy]| [phi.cos() * *vy - phi.sin() * *vx] }

const OMEGA: f64 = 1.3;

/// C4: skate on an inclined plane.
fn skate() -> System {
    let mut b = ModelBuilder::new("Skate", "");
    for (i, name) in ["x", "y", "phi"].into_iter().enumerate() {
        b.coord(name, "", "");
        b.mass("m", Constant([2.0, 2.0, 0.3][i]), one([]), vec![(i, i)]);
    }
    b.init_v(2, OMEGA, Keep::Kept);
    b.force("slope", Constant(8.0), one([]), vec![[0]]);
    let row = b.rows_nonholonomic("blade", 1, 1);
    b.nonholonomic("blade", Blade, one([(Q, 2), (V, 0), (V, 1)]), row, Reaction::Standard);
    System::new(b.finish().unwrap())
}

kernel! { CrankPin: 3 -> 2, |[x, y, th]| [*x - 0.2 * th.cos(), *y - 0.2 * th.sin()] }
kernel! { RodPin: 6 -> 2, |[x1, y1, th1, x2, y2, th2]| [
    *x1 + 0.2 * th1.cos() - (*x2 - 0.4 * th2.cos()),
    *y1 + 0.2 * th1.sin() - (*y2 - 0.4 * th2.sin())
] }
kernel! { SliderPin: 5 -> 2, |[x2, y2, th2, x3, y3]| [
    *x2 + 0.4 * th2.cos() - *x3,
    *y2 + 0.4 * th2.sin() - *y3
] }
kernel! { Guide: 2 -> 2, |[y3, th3]| [*y3, *th3] }
kernel! { SliderSpring: 2 -> 1, |[x, v]| [-200.0 * (*x - 0.9) - 2.0 * *v] }

/// C3: rigid slider-crank, three planar bodies.
fn drift_slider_crank() -> System {
    let mut b = ModelBuilder::new("DriftSliderCrank", "");
    // drift_slider_crank.init
    let q = [
        0.17551651237807456,
        0.0958851077208406,
        0.5,
        0.7393705662292377,
        0.0958851077208406,
        -0.2420699834873062,
        1.1277081077023263,
        0.0,
        0.0,
    ];
    let v = [
        -0.5753106463250437,
        1.0530990742684474,
        6.0,
        -1.4106438436347575,
        1.0530990742684474,
        -2.7118137233750454,
        -1.6706663946194276,
        0.0,
        0.0,
    ];
    let mass = [1.0, 1.0, 0.16 / 12.0, 2.0, 2.0, 1.28 / 12.0, 1.5, 1.5, 0.01];
    for i in 0..9 {
        b.coord(&format!("q{i}"), "", "");
        b.init_q(i, q[i], Keep::Kept);
        b.init_v(i, v[i], Keep::Kept);
        b.mass("m", Constant(mass[i]), one([]), vec![(i, i)]);
    }
    for (body, m) in [1.0, 2.0, 1.5].into_iter().enumerate() {
        b.force("weight", Constant(-9.81 * m), one([]), vec![[3 * body + 1]]);
    }
    b.force("spring", SliderSpring, one([(Q, 6), (V, 6)]), vec![[6]]);
    let row = b.rows_holonomic("crank", 2, 1);
    b.holonomic("crank", CrankPin, one([(Q, 0), (Q, 1), (Q, 2)]), row, Reaction::Standard);
    let row = b.rows_holonomic("rod", 2, 1);
    let slots = [0, 1, 2, 3, 4, 5].map(|i| (Q, i));
    b.holonomic("rod", RodPin, one(slots), row, Reaction::Standard);
    let row = b.rows_holonomic("slider", 2, 1);
    let slots = [3, 4, 5, 6, 7].map(|i| (Q, i));
    b.holonomic("slider", SliderPin, one(slots), row, Reaction::Standard);
    let row = b.rows_holonomic("guide", 2, 1);
    b.holonomic("guide", Guide, one([(Q, 7), (Q, 8)]), row, Reaction::Standard);
    System::new(b.finish().unwrap())
}

/// h/3, 2h/3, …
fn alternating(h: f64) -> Step {
    Step::cycle([h / 3.0, 2.0 * h / 3.0])
}

fn a_of<'a>(integrator: &'a Integrator<'_>) -> &'a [f64] {
    integrator.stepper().algorithmic().unwrap()
}

fn close(what: &str, values: &[f64], expected: &[f64], tolerance: f64) -> f64 {
    let mut worst: f64 = 0.0;
    let size = expected.iter().fold(1.0, |m: f64, e| m.max(e.abs()));
    for (value, e) in values.iter().zip(expected) {
        let error = (value - e).abs() / e.abs().max(size);
        worst = worst.max(error);
        assert!(error < tolerance, "{what}: {values:?} instead of {expected:?}");
    }
    worst
}

/// [traces] M1_P16_rho0.2_alt_h0.03: y, z, a_{n+α}, λ.
#[rustfmt::skip]
const GENERALIZED: [[f64; 11]; 4] = [
    [0.19488325183259864, -1.990482483759943, 4.809985468164032, 19.01482868071094, 1.8616951802242647, 9.552874157823624, -95.1575416533479, 188.14530116208016, -43.68221504368947, 556.4178748801313, -942.3577104587214],
    [0.544869724143667, -1.9243484569359066, 4.988311691927344, 16.240248973523478, 4.598345973326458, 8.439349388614591, -130.5847275296222, 145.2919530930502, -53.37402415865803, 818.8214311372258, -589.8707345836274],
    [0.6985818175005885, -1.8740286668718742, 5.069203221156013, 14.570798635855272, 5.43155778425816, 7.775120462899229, -164.07763511286396, 89.75717325374151, -65.21654402735176, 872.3147002209579, -363.58103371544075],
    [0.952447278424114, -1.7586483963039623, 5.2087440563396905, 11.081334161750993, 6.0014193774317635, 6.301051526297079, -171.3496261040459, 40.922802835443925, -71.80169011875131, 909.8595734011092, -7.945593087827374],
];

/// [traces] M2_P16_alpha-0.3_alt_h0.03: y, z, a_{n+α}, λ.
#[rustfmt::skip]
const HHT: [[f64; 11]; 4] = [
    [0.19518490963190524, -1.9904529261080217, 4.810137019378845, 19.04362998848001, 1.8674288397429741, 9.567485740904436, -100.79625143999885, 183.42860496787225, -44.689282386945536, 559.2589388571348, -930.6828926276589],
    [0.5477860448294242, -1.9235203271840244, 4.989827502518077, 16.295811389105857, 4.640771372139789, 8.47186856245103, -148.4743184588848, 126.23390240542331, -57.84294923562237, 820.848443767548, -572.8780631983127],
    [0.7021908392510914, -1.872679370653676, 5.071129723353753, 14.610408174915184, 5.478404332805567, 7.801873830550762, -171.4786868172047, 75.47687402206968, -68.7144622449494, 873.0555727939416, -363.67278735836373],
    [0.9577013768192257, -1.7557927192121967, 5.211734059192525, 11.06166709110097, 6.033613015445592, 6.3000985082477206, -180.02853305838872, 12.72391589279361, -77.3254629782987, 911.751419219659, -5.096776080655619],
];

/// [M1_problem15] trace_h0.125_adj_prev: y, z, a_{n+α}, λ, ψ.
#[rustfmt::skip]
const FIFTEEN: [[f64; 8]; 3] = [
    [1.042572122556576, 0.9199999077483396, 1.042572122556576, -1.8399998154966792, 1.0186265211638486, 3.8628609383540264, 0.9714314717262669, 1.0300470526191046],
    [1.133476553803948, 0.7783499786370834, 1.1334765538039477, -1.556699957274167, 1.0787611271712443, 3.4788395387817452, 0.8633202028536607, 1.1375586653776375],
    [1.1817475035827902, 0.7160619764869921, 1.1817475035827902, -1.432123952973984, 1.1505659987027148, 3.0370430968264146, 0.848443857151638, 1.1822119869777892],
];

#[test]
fn traces_of_an_independent_implementation_are_matched() {
    let follow = |system: &System, start: Point, method: Soi2, h: f64, trace: &[&[f64]]| {
        let mut integrator =
            Integrator::new(system, &method.into(), alternating(h), &start).unwrap();
        let mut worst: f64 = 0.0;
        for row in trace {
            integrator.step_once(10.0).unwrap();
            let (p, n) = (integrator.point(), start.q().len());
            let constraints = p.lambda().len();
            worst = worst.max(close("q", p.q(), &row[..n], 1e-9));
            worst = worst.max(close("v", p.v(), &row[n..2 * n], 1e-9));
            worst = worst.max(close("a", a_of(&integrator), &row[2 * n..3 * n], 1e-9));
            worst = worst.max(close("λ", p.lambda(), &row[3 * n..3 * n + constraints], 1e-9));
            worst = worst.max(close("ψ", p.psi(), &row[3 * n + constraints..], 1e-9));
        }
        println!("{}: largest relative deviation {worst:.1e}", method.name());
    };
    let pendulum = bushing_pendulum();
    let start = consistent(&pendulum);
    let rows: Vec<&[f64]> = GENERALIZED.iter().map(|r| &r[..]).collect();
    follow(&pendulum, start.clone(), Soi2::rho(0.2).unwrap(), 0.03, &rows);
    follow(&pendulum, start.clone(), Soi2::rho(0.2).unwrap().general(true), 0.03, &rows);
    let rows: Vec<&[f64]> = HHT.iter().map(|r| &r[..]).collect();
    follow(&pendulum, start.clone(), Soi2::hht(-0.3).unwrap(), 0.03, &rows);
    follow(&pendulum, start, Soi2::hht(-0.3).unwrap().general(true), 0.03, &rows);
    let system = problem15();
    let rows: Vec<&[f64]> = FIFTEEN.iter().map(|r| &r[..]).collect();
    follow(&system, start15(&system), Soi2::rho(0.2).unwrap(), 0.125, &rows);
}

#[test]
fn the_newton_matrix_is_the_derivative_of_the_residual() {
    for h in [0.05, 0.5] {
        let methods = [
            Soi2::rho(0.2).unwrap(),
            Soi2::rho(0.2).unwrap().start(Start::Shifted),
            Soi2::rho(0.8).unwrap().general(true),
            Soi2::hht(-0.3).unwrap(),
        ];
        for method in methods.map(Method::from) {
            for system in
                [bushing_pendulum(), actuator_pendulum(), mass_pi(), everything(), skate()]
            {
                matrix_is_the_derivative(&system, &consistent(&system), &method, h);
            }
            let system = problem15();
            matrix_is_the_derivative(&system, &start15(&system), &method, h);
        }
    }
}
