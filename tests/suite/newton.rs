//! The Newton systems of implicit methods, from outside: the matrix is the residual's derivative,
//! and with it Newton's iteration converges quadratically.

use crate::models::*;
use crate::support::*;
use mbd::assembly::SlotKind;
use mbd::integrate::{DaeAlpha, Form, Integrator, Method, Soi2, Step};
use mbd::model::Mechanism;
use mbd::simulation::{Simulation, Started};
use nalgebra::{DMatrix, DVector};

fn started(mechanism: &impl Mechanism) -> Started {
    Simulation::new(mechanism).start().unwrap_or_else(|error| panic!("{error}"))
}

/// The matrix of `hht-i3`.
fn assert_matrix(mechanism: &impl Mechanism, h: f64) {
    assert_matrix_of(&hht().into(), mechanism, h);
}

/// The matrix of a step of size h against eighth-order difference quotients of the residual, after
/// some steps; relative to the largest entry of each row.
pub fn assert_matrix_of(method: &Method, mechanism: &impl Mechanism, h: f64) {
    let started = started(mechanism);
    let name = started.system.model().name().to_string();
    let mut integrator =
        Integrator::new(&started.system, method, Step::fixed(h), &started.point).unwrap();
    for _ in 0..5 {
        integrator.step_once(1.0).unwrap_or_else(|error| panic!("{error}"));
    }
    let blocks = integrator.stepper().blocks();
    let base = integrator.probe(h, None).expect("an implicit method");
    // Away from the solution, so that no term hides behind a zero.
    let mut noise = mbd::verify::Noise::new(3);
    let u: Vec<f64> = base.u.iter().map(|u| u + 0.1 * noise.sample() * u.abs().max(1.0)).collect();
    let at = integrator.probe(h, Some(&u)).unwrap();
    let mut worst = vec![f64::INFINITY; u.len()];
    for scale in [3e-2, 1e-2, 3e-3, 1e-3, 1e-4] {
        let mut largest_error = vec![0.0_f64; u.len()];
        for j in 0..u.len() {
            let kind = blocks.iter().find(|b| b.range.contains(&j)).unwrap().kind;
            // So that q and x move by about `scale`.
            let step = scale
                * match kind {
                    SlotKind::A => 1.0 / (h * h),
                    SlotKind::Xd => 1.0 / h,
                    _ => u[j].abs().max(1.0),
                };
            let mut quotient = vec![0.0; u.len()];
            for (k, c) in [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0].iter().enumerate() {
                for sign in [1.0, -1.0] {
                    let mut moved = u.clone();
                    moved[j] += sign * (k + 1) as f64 * step;
                    let residual = integrator.probe(h, Some(&moved)).unwrap().residual;
                    for (q, r) in quotient.iter_mut().zip(residual) {
                        *q += sign * c * r / step;
                    }
                }
            }
            for (i, q) in quotient.iter().enumerate() {
                let size = largest(&at.matrix[i]).max(1e-300);
                let error = (q - at.matrix[i][j]).abs() / size;
                largest_error[i] = if error <= largest_error[i] { largest_error[i] } else { error };
            }
        }
        for (worst, error) in worst.iter_mut().zip(&largest_error) {
            *worst = worst.min(*error);
        }
    }
    let error = largest(&worst);
    let mut table = Table::new("Newton matrix against difference quotients");
    table.row(format!("{}, {name}, h = {h}: {error:.1e}", method.name()));
    assert!(error <= 1e-7, "{name}: {worst:?}");
}

macro_rules! matrices {
    ($($test:ident $model:expr, $h:expr;)*) => { $(
        #[test]
        fn $test() {
            assert_matrix(&$model, $h);
        }
    )* };
}
matrices! {
    matrix_of_actuator_pendulum ActuatorPendulum::default(), 1e-2;
    matrix_of_andrews Andrews::default(), 1e-4;
    matrix_of_andrews_bodies AndrewsBodies::default(), 1e-4;
    matrix_of_bushing Bushing::default(), 1e-6;
    matrix_of_bushing_pendulum BushingPendulum::default(), 1e-2;
    matrix_of_car_axis CarAxis::default(), 1e-3;
    matrix_of_chain Chain { n: 4, ..Default::default() }, 1e-2;
    matrix_of_crank_modal CrankModal::default(), 1e-5;
    matrix_of_double_pendulum DoublePendulum::default(), 1e-4;
    matrix_of_drift_slider_crank DriftSliderCrank::default(), 1e-2;
    matrix_of_flexible_slider_crank FlexibleSliderCrank::default(), 1e-5;
    matrix_of_four_bar FourBar::default(), 1e-2;
    matrix_of_heavy_top HeavyTop::default(), 1e-4;
    matrix_of_ida_slider_crank IdaSliderCrank::default(), 1e-2;
    matrix_of_jay_negrut JayNegrut::default(), 1e-2;
    matrix_of_mass_pi MassPi::default(), 1e-2;
    matrix_of_pendulum Pendulum::default(), 1e-2;
    matrix_of_point_mass_oscillation PointMassOscillation::default(), 1e-6;
    matrix_of_point_mass_spring PointMassSpring::default(), 1e-6;
    matrix_of_rolling_disc RollingDisc::default(), 1e-2;
    matrix_of_seven_body SevenBody::default(), 1e-5;
    matrix_of_skate Skate::default(), 1e-2;
    matrix_of_slider_crank SliderCrank::default(), 1e-3;
    matrix_of_slider_crank_haug SliderCrankHaug::default(), 1e-4;
    matrix_of_stiff_pendulum StiffPendulum::default(), 1e-3;
    matrix_of_two_body_bushing TwoBodyBushing::default(), 1e-4;
    matrix_of_two_bodies TwoBodies::default(), 1e-2;
}

/// C2 with a fresh matrix per iteration, in this test's own iteration on the residual and matrix
/// the method offers. The independent implementation's norms are
/// 197, 2.9e-2, 1.0e-9, 3.7e-11 (`M3_fixed.newton_corrected`) with eq. 14 corrected and 189, 24.6,
/// 6.55, 2.70 with eq. 14 as printed (`newton_literal (14)`).
#[test]
fn newton_is_quadratic_with_the_fresh_matrix() {
    let started = started(&BushingPendulum::default());
    let method = Method::from(hht());
    let h = 0.01;
    let mut integrator =
        Integrator::new(&started.system, &method, Step::fixed(h), &started.point).unwrap();
    let mut u = integrator.probe(h, None).unwrap().u;
    let mut norms = Vec::new();
    for _ in 0..6 {
        let probe = integrator.probe(h, Some(&u)).unwrap();
        let n = u.len();
        let matrix = DMatrix::from_fn(n, n, |i, j| probe.matrix[i][j]);
        let solution = matrix.lu().solve(&DVector::from_vec(probe.residual)).unwrap();
        for (u, du) in u.iter_mut().zip(solution.iter()) {
            *u -= du;
        }
        norms.push(solution.norm());
    }
    let mut table = Table::new("Newton's corrections on C2, h = 0.01, fresh matrix");
    table.row(format!("{:?}", norms.iter().map(|x| format!("{x:.2e}")).collect::<Vec<_>>()));
    let recorded = numbers(&references()["M3_fixed"]["newton_corrected"]);
    table.row(format!("an independent implementation's: {recorded:.2?}"));
    // Quadratic: each correction at most C times the square of the one before; C from the first
    // two, until round-off (1e-10 of the first).
    let floor = 1e-12 * norms[0];
    let constant = norms[1] / norms[0].powi(2);
    assert!(norms[1] < 1e-2 * norms[0], "{norms:?}");
    assert!(norms[2] < (30.0 * constant * norms[1].powi(2)).max(floor), "{norms:?}");
    assert!(norms[3] < floor, "{norms:?}");
}

/// The same through the shared driver, with its own norms.
#[test]
fn the_drivers_iteration_is_quadratic_too() {
    use mbd::integrate::MatrixPolicy;
    let started = started(&BushingPendulum::default());
    let method = Method::from(hht()).matrix_policy(MatrixPolicy::EveryIteration);
    let mut integrator =
        Integrator::new(&started.system, &method, Step::fixed(0.01), &started.point).unwrap();
    integrator.step_once(1.0).unwrap();
    let norms = integrator.stepper().newton_norms().to_vec();
    let mut table = Table::new("the driver's norms on C2's first step, matrix of every iteration");
    table.row(format!("{:?}", norms.iter().map(|x| format!("{x:.2e}")).collect::<Vec<_>>()));
    assert!(norms.len() <= 4, "{norms:?}");
    assert!(norms[1] < 1e-2 * norms[0] && norms[2] < 1e-4 * norms[1], "{norms:?}");
}

/// λ at h = 1e-6: the constraint rows are scaled by 1/(βh²), so its noise is that of one rounding
/// of q divided by βh², and no more. C2's λ along the motion after the start-up transient.
#[test]
fn multipliers_are_clean_at_tiny_steps() {
    let p = BushingPendulum::default();
    let h = 1e-6;
    let solution = run(&p, hht(), Step::fixed(h), 60.0 * h);
    let names = ["lambda(pin[0])", "lambda(pin[1])"];
    // The reaction from the recorded motion itself: θ̈ from the equation of the minimal coordinate.
    let (theta, omega) =
        (solution.series("theta").unwrap(), solution.series("der(theta)").unwrap());
    let mut worst: f64 = 0.0;
    for i in 30..solution.len() {
        let torque = -p.k * (theta[i] - 1.5 * std::f64::consts::PI)
            - p.c * omega[i]
            - p.m * p.g * p.L * theta[i].cos();
        let alpha = torque / (4.0 / 3.0 * p.m * p.L * p.L);
        let (s, c) = theta[i].sin_cos();
        let exact = [
            p.m * p.L * (s * alpha + c * omega[i].powi(2)),
            -p.m * (p.L * (c * alpha - s * omega[i].powi(2)) + p.g),
        ];
        for (name, exact) in names.iter().zip(exact) {
            worst = worst.max((solution.series(name).unwrap()[i] - exact).abs());
        }
    }
    let mut table = Table::new("C2, h = 1e-6: largest error of λ (of size 1000)");
    table.row(format!("{worst:.2e}"));
    // m ε |q| / (βh²) = 5 · 2.2e-16 · 4.7 / 4.2e-13 = 1.2e-2 per rounding.
    assert!(worst < 0.1, "λ is off by {worst:e}");
}

/// Steps near the largest that converge: the first corrections of velocities grow though the
/// iteration converges, and velocities that start from 0 are solved to the rounding of what they
/// become.
#[test]
fn large_steps_of_stiff_mechanisms_are_solved_to_rounding() {
    let crank = run(
        &FlexibleSliderCrank::default(),
        DaeAlpha::new(Form::Stabilized),
        Step::fixed(2e-3),
        0.2,
    );
    assert_eq!(crank.stats.newton_failures, 0);
    let t = 40e-5 * std::f64::consts::PI;
    for rho in [0.0, 0.5] {
        let method = DaeAlpha::new(Form::Modified).rho(rho).unwrap();
        let bushing = run(&Bushing::default(), method, Step::fixed(t / 200.0), t);
        assert_eq!(bushing.stats.newton_failures, 0);
    }
}

/// After 2600 turns one rounding of the crank's angle is 400 roundings of the piston's velocity. A method
/// that meets constraints to round-off must know, or it dies there: `gen-alpha-soi2` and `hht-soi2` did,
/// the sooner the smaller the step.
#[test]
fn a_crank_goes_on_after_thousands_of_turns() {
    let turns = 2.0 * std::f64::consts::PI * 2607.0;
    let methods: [Method; 4] = [
        Soi2::default().into(),
        Soi2::hht_default().into(),
        DaeAlpha::new(Form::Stabilized).into(),
        hht().into(),
    ];
    for method in methods {
        for h in [1e-3, 2.5e-4] {
            let at = |theta: f64| {
                let run = Simulation::new(&SliderCrank::default())
                    .set_initial("theta", theta)
                    .method(method.clone())
                    .step(Step::fixed(h))
                    .until(1.0)
                    .run();
                run.unwrap_or_else(|error| panic!("{} at {theta}, h = {h}: {error}", method.name()))
            };
            let (near, far) = (at(0.3), at(0.3 + turns));
            assert_eq!(far.stats.newton_failures, 0, "{} with h = {h}", method.name());
            let off = distance(&near.final_q()[1..], &far.final_q()[1..]);
            assert!(off < 1e-9, "{} with h = {h} is off by {off:e}", method.name());
        }
    }
}

/// At h = 5e-7 s rounding of q moves the accelerations by 1e-3 m/s², and the multipliers by as much as that takes: what
/// is less is not iterated for.
#[test]
fn multipliers_are_asked_for_no_more_than_rounding_leaves() {
    let simulation = Simulation::new(&CrankModal::default()).method(Soi2::default());
    let stats = simulation.step(Step::fixed(5e-7)).until(2e-3).run().unwrap().stats;
    assert!(stats.newton_iterations * 4 < stats.steps * 5, "{stats}");
}
