//! `gen-alpha-soi2` and `hht-soi2`: traces and orders of an independent implementation, both
//! constraint levels, spectral radii.

use super::models::*;
use super::newton::matrix_is_the_derivative;
use crate::assembly::{Point, SlotKind::*, System};
use crate::integrate::soi2::Start;
use crate::integrate::{Accuracy, HhtI3, Integrator, Method, Scheme, Soi2, Step, StepSpan};
use crate::model::{Keep, ModelBuilder, Reaction};
use crate::nonlinear::NewtonOptions;
use nalgebra::DMatrix;

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
pub(super) fn problem15() -> System {
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
pub(super) fn start15(system: &System) -> Point {
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
        println!("{}: largest relative deviation {worst:.1e}", Method::from(method).name());
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

/// Errors of x += B⁻¹(b − J x), B the linear algebra of a step and J its Newton matrix, relative to
/// the solution; checks on the way that solutions of the transposed system belong to the others. δ
/// and μ are `size` of what a and λ are.
fn errors_of_the_elimination(
    system: &System,
    start: &Point,
    method: Soi2,
    h: f64,
    size: f64,
) -> Vec<f64> {
    let mut scheme = method.scheme(system);
    scheme.start(system, start);
    scheme.begin(start, StepSpan { t: 0.0, t_next: h, h }, Accuracy::RoundOff);
    let mut u = Vec::new();
    for block in scheme.blocks() {
        let values = &start.get(block.kind)[block.first..];
        let factor = if block.local.is_some() { size } else { 1.0 };
        u.extend(
            block
                .range
                .clone()
                .zip(values)
                .map(|(i, x)| factor * (x + 0.1 * (1.0 + i as f64).sin() * x.abs().max(1.0))),
        );
    }
    let mut to = start.clone();
    scheme.update(start, &u, &mut to);
    let mut newton = scheme.newton(NewtonOptions::default());
    let pattern = scheme.plan().pattern().clone();
    let (n, mut values) = (u.len(), vec![0.0; pattern.value_len() + 16]);
    scheme.matrix(system, &to, &u, &mut values);
    let solver = newton.solver();
    solver.factorize(&values).unwrap();

    let exact: Vec<f64> = (0..n).map(|i| (1.7 * i as f64).sin()).collect();
    let mut b = vec![0.0; n];
    pattern.multiply(&values, &exact, &mut b);
    let (mut x, mut errors) = (vec![0.0; n], vec![1.0]);
    for _ in 0..4 {
        let mut r = vec![0.0; n];
        pattern.multiply(&values, &x, &mut r);
        r.iter_mut().zip(&b).for_each(|(r, b)| *r = b - *r);
        solver.solve(&mut r);
        x.iter_mut().zip(&r).for_each(|(x, r)| *x += r);
        errors.push(deviation(&x, &exact) / deviation(&exact, &vec![0.0; n]));
    }
    let y: Vec<f64> = (0..n).map(|i| (0.9 * i as f64).cos()).collect();
    let (mut forward, mut adjoint) = (b.clone(), y.clone());
    solver.solve(&mut forward);
    solver.solve_transpose(&mut adjoint);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (left, right) = (dot(&y, &forward), dot(&adjoint, &b));
    let scale = dot(&adjoint, &adjoint).sqrt() * dot(&b, &b).sqrt();
    assert!((left - right).abs() < 1e-11 * scale, "{}: {left} {right}", system.model().name());
    println!("{} h = {h}: errors {errors:?}", system.model().name());
    errors
}

#[test]
fn the_step_is_solved_by_halves() {
    let undamped = System::new(pendulum_model());
    let mut redundant = doubled_pendulum();
    redundant.set_inactive_rows(&[2, 3], &[]);
    let at = redundant.initial_point();
    let (generalized, hht) = (Soi2::rho(0.2).unwrap(), Soi2::hht(-0.3).unwrap());
    let shifted = generalized.start(Start::Shifted);
    for h in [0.01, 0.001] {
        for method in [generalized, shifted, hht] {
            // Without damping it is Newton's, exactly where μ = 0.
            let start = consistent(&undamped);
            let errors = errors_of_the_elimination(&undamped, &start, method, h, 0.0);
            assert!(errors[1] < 1e-13, "{errors:?}");
            let errors = errors_of_the_elimination(&undamped, &start, method, h, h);
            assert!(errors[1] < h * h, "{errors:?}");
            // With damping, half the angle turned in a step: these turn with 10 rad/s at most.
            for system in [bushing_pendulum(), actuator_pendulum(), mass_pi(), skate()] {
                let start = consistent(&system);
                let errors = errors_of_the_elimination(&system, &start, method, h, h);
                // In a shifted first step nonholonomic rows add 1 − v/γσ.
                let shift = if method == shifted && system.dims().p > 0 { 0.25 } else { 0.0 };
                assert!(errors[4] < (5.0 * h + shift).powi(4), "{errors:?}");
            }
            let errors = errors_of_the_elimination(&redundant, &at, method, h, h);
            assert!(errors[4] < (5.0 * h).powi(4), "{errors:?}");
        }
    }
}

/// Steps to `t_end`; the largest violation of either constraint level along the way.
fn run<'a>(
    system: &'a System,
    start: &Point,
    method: Soi2,
    step: Step,
    t_end: f64,
) -> (Integrator<'a>, f64) {
    let mut integrator = Integrator::new(system, &method.into(), step, start).unwrap();
    while integrator.point().t() < t_end {
        integrator.step_once(t_end).unwrap();
    }
    assert_eq!(integrator.point().t(), t_end);
    let drift = integrator.drift();
    let violation = drift.position.max(drift.velocity);
    (integrator, violation)
}

fn deviation(values: &[f64], exact: &[f64]) -> f64 {
    values.iter().zip(exact).map(|(x, e)| (x - e).powi(2)).sum::<f64>().sqrt()
}

/// Errors of y, z, a_{n+α} at t + α h_last, λ, ψ.
fn errors15(method: Soi2, step: impl Fn(f64) -> Step, h: f64, last: f64) -> Vec<f64> {
    let system = problem15();
    let (integrator, violation) = run(&system, &start15(&system), method, step(h), 1.0);
    assert!(violation < 1e-12, "{violation}");
    let p = integrator.point();
    let (e, ta) = ((1f64).exp(), 1.0 + method.family().alpha() * last);
    vec![
        deviation(p.q(), &[e, (-2f64).exp()]),
        deviation(p.v(), &[e, -2.0 * (-2f64).exp()]),
        deviation(a_of(&integrator), &[ta.exp(), 4.0 * (-2.0 * ta).exp()]),
        deviation(p.lambda(), &[(-1f64).exp()]),
        deviation(p.psi(), &[e]),
    ]
}

/// Errors for halved steps, and the last observed orders.
fn orders(
    what: &str,
    first: i32,
    count: i32,
    errors: impl Fn(f64) -> Vec<f64>,
) -> (Vec<Vec<f64>>, Vec<f64>) {
    let all: Vec<Vec<f64>> = (first..first + count).map(|k| errors(2f64.powi(-k))).collect();
    let [.., before, last] = &all[..] else { unreachable!() };
    let orders: Vec<f64> = before.iter().zip(last).map(|(b, l)| (b / l).log2()).collect();
    println!("{what}: orders {orders:.3?}, errors at h = 2^-{} {last:?}", first + count - 1);
    (all, orders)
}

#[test]
fn problem_15_is_of_order_two_with_the_adjustment_and_of_order_one_without() {
    let method = Soi2::rho(0.2).unwrap();
    let alternate = |method: Soi2| move |h: f64| errors15(method, alternating, h, 2.0 * h / 3.0);
    let (errors, with) = orders("(15) alternating, adjusted", 3, 7, alternate(method));
    assert!(with.iter().all(|p| (p - 2.0).abs() < 0.1), "{with:?}");
    // [M1_problem15] adj_prev, h = 2⁻³ and 2⁻⁹.
    let published = [
        [
            0.007358856713436953,
            0.007465590416638295,
            0.017786052605942206,
            0.0014606439579631925,
            0.00036909118174177635,
        ],
        [
            1.6899389377664312e-06,
            1.7146451799504584e-06,
            4.40507527907744e-06,
            4.776497532499313e-07,
            1.0328380595225894e-07,
        ],
    ];
    for (errors, published) in [&errors[0], &errors[6]].into_iter().zip(published) {
        for (e, p) in errors.iter().zip(published) {
            assert!((e / p - 1.0).abs() < 1e-4, "{errors:?} instead of {published:?}");
        }
    }
    let (_, without) =
        orders("(15) alternating, not adjusted", 3, 7, alternate(method.adjust(false)));
    assert!(without[2..].iter().all(|p| *p <= 1.3), "{without:?}");
    let (_, shifted) = orders(
        "(15) alternating, eq. 8 at the start",
        3,
        7,
        alternate(method.start(Start::Shifted)),
    );
    assert!(shifted.iter().all(|p| (p - 2.0).abs() < 0.1), "{shifted:?}");
}

#[test]
fn every_member_of_the_family_is_of_order_two() {
    // [M1_problem15] const_…, h = 2⁻⁷.
    let published = [
        (
            Soi2::rho(0.0),
            [
                0.00013978396191090232,
                0.0001418272437476472,
                0.00034527365709734325,
                3.617157050195274e-05,
                1.2952118067843799e-05,
            ],
        ),
        (
            Soi2::rho(0.2),
            [
                8.14398485647545e-05,
                8.263036457539726e-05,
                0.00018394793068855412,
                1.2798073867004156e-05,
                6.715524375699999e-06,
            ],
        ),
        (
            Soi2::rho(0.8),
            [
                3.615057899648336e-05,
                3.6679066562925553e-05,
                6.158175949135844e-05,
                1.291790635848944e-06,
                4.9448034076249314e-06,
            ],
        ),
        (
            Soi2::rho(1.0),
            [
                3.4859014369925686e-05,
                3.5368621183640425e-05,
                4.945843891499991e-05,
                4.2528610864622785e-06,
                6.9595556051460505e-06,
            ],
        ),
        (
            Soi2::hht(-0.3),
            [
                4.4280253978241666e-05,
                4.4927584088322134e-05,
                8.268856160685751e-05,
                2.6090319629190617e-06,
                8.771214274894135e-07,
            ],
        ),
    ];
    for (method, published) in published {
        let method = method.unwrap();
        let name =
            format!("(15) constant steps, {} {:?}", Method::from(method).name(), method.family());
        let (errors, p) = orders(&name, 5, 3, |h| errors15(method, Step::fixed, h, h));
        assert!(p.iter().all(|p| (p - 2.0).abs() < 0.1), "{p:?}");
        for (e, p) in errors[2].iter().zip(published) {
            assert!((e / p - 1.0).abs() < 1e-4, "{errors:?} instead of {published:?}");
        }
    }
}

/// [P16_reference] at t = 2: q, v, a, λ.
#[rustfmt::skip]
const PENDULUM_2: [&[f64]; 4] = [
    &[0.030778224027276747, -1.9997631612082785, 4.727778699883553],
    &[-0.39632193164575336, -0.006099764930035937, -0.19818443470390332],
    &[-2.0904904563057203, 0.046388841860908574, -1.0447645093026257],
    &[10.4524522815286, -49.28194420930454],
];

/// Errors of q, v, reported a, λ of C2 at t = 2.
fn errors16(method: Soi2, step: Step) -> Vec<f64> {
    let system = bushing_pendulum();
    let (integrator, violation) = run(&system, &consistent(&system), method, step, 2.0);
    assert!(violation < 1e-12, "{violation}");
    let p = integrator.point();
    [p.q(), p.v(), p.a(), p.lambda()]
        .iter()
        .zip(PENDULUM_2)
        .map(|(values, exact)| deviation(values, exact))
        .collect()
}

#[test]
fn the_pendulum_is_of_order_two() {
    for (name, method) in [
        ("rho 0.2", Soi2::rho(0.2)),
        ("hht -0.3", Soi2::hht(-0.3)),
        ("rho 0.8", Soi2::rho(0.8)),
        ("rho 0", Soi2::rho(0.0)),
    ] {
        let method = method.unwrap();
        let (_, p) =
            orders(&format!("(16) {name}, adjusted"), 7, 5, |h| errors16(method, alternating(h)));
        assert!(p.iter().all(|p| (p - 2.0).abs() < 0.1), "{p:?}");
        let (_, without) = orders(&format!("(16) {name}, not adjusted"), 7, 5, |h| {
            errors16(method.adjust(false), alternating(h))
        });
        assert!(without[1] < 1.3, "{without:?}");
        let (_, p) = orders(&format!("(16) {name}, equal steps"), 7, 5, |h| {
            errors16(method, Step::fixed(h))
        });
        assert!(p.iter().all(|p| (p - 2.0).abs() < 0.2), "{p:?}");
    }
}

/// Errors of q, v, reported a, ψ at t.
fn errors_skate(method: Soi2, step: Step, t: f64) -> Vec<f64> {
    let system = skate();
    let (integrator, violation) = run(&system, &consistent(&system), method, step, t);
    assert!(violation < 1e-12, "{violation}");
    let p = integrator.point();
    let s = (OMEGA * t).sin();
    let (s2, c2) = (2.0 * OMEGA * t).sin_cos();
    let r = 4.0 / (2.0 * OMEGA * OMEGA);
    let q = [r * s * s, r * (OMEGA * t - 0.5 * s2), OMEGA * t];
    let v = [r * OMEGA * s2, r * OMEGA * (1.0 - c2), OMEGA];
    let a = [r * OMEGA * OMEGA * 2.0 * c2, r * OMEGA * OMEGA * 2.0 * s2, 0.0];
    vec![
        deviation(p.q(), &q),
        deviation(p.v(), &v),
        deviation(p.a(), &a),
        deviation(p.psi(), &[-16.0 * s]),
    ]
}

#[test]
fn the_skate_is_of_order_two() {
    let method = Soi2::rho(0.2).unwrap();
    let alternate = |method: Soi2| move |h| errors_skate(method, alternating(h), 1.0);
    let (errors, p) = orders("skate, adjusted", 4, 5, alternate(method));
    // z goes through smaller terms of higher order first.
    assert!(p.iter().all(|p| (p - 2.0).abs() < 0.1), "{p:?}");
    // [skate_nonholonomic] alt_adj at h = 2⁻⁸: y, z, ψ.
    let published = [1.9681591355243003e-05, 2.717675974084271e-05, 4.149511056361632e-05];
    for (i, published) in [0, 1, 3].into_iter().zip(published) {
        assert!((errors[4][i] / published - 1.0).abs() < 1e-6, "{errors:?}");
    }
    let (_, p) = orders("skate, not adjusted", 4, 5, alternate(method.adjust(false)));
    assert!(p[1..].iter().all(|p| *p < 1.3), "{p:?}");
}

/// drift_slider_crank.reference at t = 1: q, v.
#[rustfmt::skip]
const CRANK_1: ([f64; 9], [f64; 9]) = (
    [0.051041274496197934, -0.1933773210534363, -1.312735189387182, 0.45223281916535496, -0.1933773210534363, 0.5045839734324129, 0.802383089338314, 0.0, 0.0],
    [-1.2177391623083018, -0.32141803655958584, -6.297218079527545, -2.6129877088516817, -0.32141803655958584, 0.9179431345314092, -2.7904970930867594, 0.0, 0.0],
);

#[test]
fn velocity_constraints_hold_to_rounding_at_every_step() {
    let system = drift_slider_crank();
    let start = consistent(&system);
    let (q, v) = CRANK_1;
    let (mut drifts, mut errors) = (Vec::new(), Vec::new());
    for k in 8..11 {
        let h = 2f64.powi(-k);
        let (integrator, violation) =
            run(&system, &start, Soi2::hht(-0.3).unwrap(), Step::fixed(h), 1.0);
        assert!(violation < 1e-12, "{violation}");
        let p = integrator.point();
        errors.push([deviation(p.q(), &q), deviation(p.v(), &v)]);
        let method = HhtI3::alpha(-0.3).unwrap().into();
        let mut i3 = Integrator::new(&system, &method, Step::fixed(h), &start).unwrap();
        while i3.point().t() < 1.0 {
            i3.step_once(1.0).unwrap();
        }
        println!(
            "h = 2^-{k}: violation {violation:.1e}, hht-i3's {:.3e}, errors of q, v {:?}",
            i3.drift().velocity,
            errors.last().unwrap()
        );
        drifts.push(i3.drift().velocity);
    }
    let order = (drifts[1] / drifts[2]).log2();
    assert!((order - 2.0).abs() < 0.1, "{drifts:?}");
    for i in 0..2 {
        let order = (errors[1][i] / errors[2][i]).log2();
        assert!((order - 2.0).abs() < 0.1, "{errors:?}");
    }
}

kernel! { Stiff: 1 -> 1, |[q]| [-1e12 * *q] }

#[test]
fn the_spectral_radius_at_infinity_is_the_designed_one() {
    let mut b = ModelBuilder::new("Oscillator", "");
    b.coord("q", "", "");
    b.mass("m", Constant(1.0), one([]), vec![(0, 0)]);
    b.force("spring", Stiff, one([(Q, 0)]), vec![[0]]);
    let system = System::new(b.finish().unwrap());
    let members = [0.0, 0.2, 0.5, 0.8, 1.0].map(|rho| (rho, Soi2::rho(rho)));
    let hht = [-0.3, -0.1, 0.0, -1.0 / 3.0].map(|a: f64| ((1.0 + a) / (1.0 - a), Soi2::hht(a)));
    for (rho, method) in members.into_iter().chain(hht) {
        let method = Method::from(method.unwrap());
        // One step of size 1 with ω = 10⁶ from each unit vector of (q, v, a_α).
        let mut amplification = DMatrix::<f64>::zeros(3, 3);
        for j in 0..3 {
            let mut start = system.initial_point();
            [start.q_mut()[0], start.v_mut()[0], start.a_mut()[0]] =
                [0, 1, 2].map(|i| f64::from(i == j));
            let mut integrator =
                Integrator::new(&system, &method, Step::fixed(1.0), &start).unwrap();
            integrator.step_once(10.0).unwrap();
            let p = integrator.point();
            let end = [p.q()[0], p.v()[0], a_of(&integrator)[0]];
            for (i, value) in end.into_iter().enumerate() {
                amplification[(i, j)] = value;
            }
        }
        let eigenvalues = amplification.complex_eigenvalues();
        let radius = eigenvalues.iter().fold(0.0, |m: f64, z| m.max(z.norm()));
        println!(
            "{} designed {rho:.4}, measured {radius:.6}, {:.4?}",
            method.name(),
            eigenvalues.as_slice()
        );
        assert!((radius - rho).abs() < 2e-3, "designed {rho}, measured {radius}");
    }
}

#[test]
fn the_cheaper_form_and_the_special_case_are_the_general_one() {
    let system = bushing_pendulum();
    let start = consistent(&system);
    let steps = || alternating(0.02);
    let end = |method: Soi2| {
        let (integrator, _) = run(&system, &start, method, steps(), 0.6);
        let p = integrator.point();
        [p.q(), p.v(), p.a(), p.lambda()].concat()
    };
    let hht = end(Soi2::hht(-0.3).unwrap());
    for other in [Soi2::parameters(0.0, 0.3).unwrap(), Soi2::hht(-0.3).unwrap().general(true)] {
        close("end", &end(other), &hht, 1e-10);
    }
    let rho = end(Soi2::rho(0.8).unwrap());
    close("end", &end(Soi2::rho(0.8).unwrap().general(true)), &rho, 1e-10);
}

#[test]
fn states_are_of_order_two() {
    let (theta, x) = (4.7949339869245, -429.542945786);
    let system = actuator_pendulum();
    for method in [Soi2::rho(0.8), Soi2::rho(0.2), Soi2::hht(-0.3)].map(Result::unwrap) {
        let (_, p) = orders("actuator: θ, X", 7, 4, |h| {
            let (integrator, _) = run(&system, &consistent(&system), method, Step::fixed(h), 1.0);
            let p = integrator.point();
            vec![(p.q()[2] - theta).abs(), (p.x()[0] - x).abs()]
        });
        assert!(p.iter().all(|p| (p - 2.0).abs() < 0.15), "{p:?}");
    }
}

#[test]
fn adaptive_runs_follow_the_tolerance_and_keep_both_constraint_levels() {
    // q at the end from [P16_reference], 3-problems D1, drift_slider_crank.reference, C4.
    let t: f64 = 2.0;
    let r = 2.0 / (OMEGA * OMEGA);
    let (s, s2) = ((OMEGA * t).sin(), (2.0 * OMEGA * t).sin());
    let skate_end = [r * s * s, r * (OMEGA * t - 0.5 * s2), OMEGA * t];
    let models: [(System, f64, &[f64]); 4] = [
        (bushing_pendulum(), 2.0, PENDULUM_2[0]),
        (actuator_pendulum(), 1.0, &[4.7949339869245]),
        (drift_slider_crank(), 1.0, &CRANK_1.0[..7]),
        (skate(), t, &skate_end),
    ];
    for (system, t_end, exact) in &models {
        let mut points = Vec::new();
        for eps in [1e-4, 1e-5, 1e-6, 1e-7] {
            let method = Soi2::default();
            let start = consistent(system);
            let mut integrator =
                Integrator::new(system, &method.into(), Step::adaptive(eps), &start).unwrap();
            let mut theta = Vec::new();
            while integrator.point().t() < *t_end {
                theta.push(integrator.step_once(*t_end).unwrap().theta);
            }
            theta.sort_by(f64::total_cmp);
            let theta = theta[theta.len() / 2];
            let q = integrator.point().q();
            let q = if exact.len() == 1 { &q[2..] } else { &q[..exact.len()] };
            let (error, stats, drift) =
                (deviation(q, exact), integrator.stats(), integrator.drift());
            println!(
                "{} {eps:.0e}: steps {} rejected {} iterations {} matrices {} error {error:.2e} median theta {theta:.2} drift {:.0e} {:.0e}",
                system.model().name(),
                stats.steps,
                stats.rejected,
                stats.newton_iterations,
                stats.jacobians,
                drift.position,
                drift.velocity
            );
            assert!(drift.position < 1e-13 && drift.velocity < 1e-12, "{drift:?}");
            assert!((0.4..0.6).contains(&theta), "{theta}");
            assert_eq!(stats.newton_failures, 0);
            let iterations = stats.newton_iterations as f64 / (stats.steps + stats.rejected) as f64;
            assert!(iterations < 2.3, "{iterations}");
            points.push((eps, error));
        }
        let [(e0, first), .., (e1, last)] = points[..] else { unreachable!() };
        let slope = (first / last).ln() / (e0 / e1).ln();
        println!("slope {slope:.3}");
        assert!((0.55..0.75).contains(&slope), "{slope}");
    }
}

#[test]
fn redundant_rows_hold_their_multipliers_at_zero() {
    let mut doubled = doubled_pendulum();
    doubled.set_inactive_rows(&[2, 3], &[]);
    let plain = bushing_pendulum();
    let start = consistent(&plain);
    let mut wide = doubled.initial_point();
    wide.a_mut().copy_from_slice(start.a());
    wide.lambda_mut()[..2].copy_from_slice(start.lambda());
    let method = Soi2::default();
    let (a, _) = run(&plain, &start, method, Step::fixed(0.01), 0.2);
    let (b, _) = run(&doubled, &wide, method, Step::fixed(0.01), 0.2);
    assert_eq!(b.point().lambda()[2..], [0.0, 0.0]);
    close("q", b.point().q(), a.point().q(), 1e-12);
    close("λ", &b.point().lambda()[..2], a.point().lambda(), 1e-8);
}

#[test]
fn options_are_refused_not_clamped() {
    for rho in [-0.01, 1.01, f64::NAN] {
        assert!(Soi2::rho(rho).is_err());
        assert!(Method::from_name("gen-alpha-soi2").unwrap().rho(rho).is_err());
    }
    for alpha in [-0.34, 0.01, f64::NAN] {
        assert!(Soi2::hht(alpha).is_err());
    }
    assert!(Method::from_name("hht-soi2").unwrap().rho(0.4).is_err());
    let alpha = Method::default().alpha(-0.1).unwrap();
    assert_eq!(alpha, Soi2::hht(-0.1).unwrap().into());
    assert_eq!(alpha.name(), "hht-soi2");
    assert_eq!(Method::default().name(), "gen-alpha-soi2");
    assert_eq!(Method::from_name("hht-soi2").unwrap().name(), "hht-soi2");
}
