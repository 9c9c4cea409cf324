//! `gen-alpha-soi2` and `hht-soi2`: traces of an independent implementation, the linear algebra of a
//! step, both constraint levels, spectral radii, adaptive steps.

use super::models::*;
use super::newton::matrix_is_the_derivative;
use super::soi2_models::*;
use crate::assembly::{Point, SlotKind::*, System};
use crate::integrate::soi2::Start;
use crate::integrate::{Accuracy, HhtI3, Integrator, Method, Scheme, Soi2, Step, StepSpan};
use crate::model::ModelBuilder;
use crate::nonlinear::NewtonOptions;
use nalgebra::DMatrix;

/// h/3, 2h/3, …
pub(super) fn alternating(h: f64) -> Step {
    Step::cycle([h / 3.0, 2.0 * h / 3.0])
}

pub(super) fn a_of<'a>(integrator: &'a Integrator<'_>) -> &'a [f64] {
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
pub(super) fn run<'a>(
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

pub(super) fn deviation(values: &[f64], exact: &[f64]) -> f64 {
    values.iter().zip(exact).map(|(x, e)| (x - e).powi(2)).sum::<f64>().sqrt()
}

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
