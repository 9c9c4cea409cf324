//! The Newton system of `hht-i3`: its matrix against difference quotients, its convergence.

use super::models::*;
use crate::assembly::{Point, SlotKind, System};
use crate::integrate::{HhtI3, Integrator, Method, Step};
use crate::nonlinear::MatrixPolicy;

/// Compares the matrix with a difference quotient of the residual, at unknowns off the solution.
pub(super) fn matrix_is_the_derivative(system: &System, start: &Point, method: &Method, h: f64) {
    let mut integrator = Integrator::new(system, method, Step::fixed(h), start).unwrap();
    let mut u = integrator.probe(h, None).unwrap().u;
    // A redundant row's multiplier is 0 from the first iteration on: its own row says so, and the
    // column it would have is left out.
    let redundant: Vec<usize> =
        system.inactive_rows(SlotKind::Lambda).map(|i| system.dims().n + i).collect();
    for (i, u) in u.iter_mut().enumerate().filter(|(i, _)| !redundant.contains(i)) {
        *u += 0.1 * (1.0 + i as f64).sin() * u.abs().max(1.0);
    }
    let probe = integrator.probe(h, Some(&u)).unwrap();
    let size = u.len();
    let mut worst: f64 = 0.0;
    for j in 0..size {
        let d = 1e-4 * u[j].abs().max(1.0);
        let mut residual = |step: f64| {
            let mut moved = u.clone();
            moved[j] += step;
            integrator.probe(h, Some(&moved)).unwrap().residual
        };
        // Central differences, extrapolated twice.
        let [a, b] = [d, -d].map(&mut residual);
        let [c, e] = [2.0 * d, -2.0 * d].map(&mut residual);
        let [f, g] = [4.0 * d, -4.0 * d].map(&mut residual);
        for i in (0..size).filter(|i| !redundant.contains(&j) || redundant.contains(i)) {
            let [d1, d2, d4] =
                [(a[i] - b[i]) / (2.0 * d), (c[i] - e[i]) / (4.0 * d), (f[i] - g[i]) / (8.0 * d)];
            let [r1, r2] = [(4.0 * d1 - d2) / 3.0, (4.0 * d2 - d4) / 3.0];
            let quotient = (16.0 * r1 - r2) / 15.0;
            let scale = probe.matrix[i].iter().fold(1.0, |m: f64, x| m.max(x.abs()));
            let error = (probe.matrix[i][j] - quotient).abs() / scale;
            worst = worst.max(error);
            assert!(
                error < 1e-7,
                "{} row {i} column {j}: {} instead of {quotient}",
                system.model().name(),
                probe.matrix[i][j]
            );
        }
    }
    println!("{}: h = {h}, largest error {worst:.1e}", system.model().name());
}

#[test]
fn the_newton_matrix_is_the_derivative_of_the_residual() {
    for h in [0.05, 0.5] {
        let method: Method = HhtI3::alpha(-0.3).unwrap().into();
        for system in [bushing_pendulum(), actuator_pendulum(), mass_pi(), everything()] {
            matrix_is_the_derivative(&system, &consistent(&system), &method, h);
        }
        let damped = HhtI3::rho(0.6).unwrap().states(0.8).unwrap().into();
        let system = everything();
        matrix_is_the_derivative(&system, &consistent(&system), &damped, h);
    }
}

#[test]
fn redundant_rows_hold_their_multiplier_at_zero() {
    // The same pin twice: the second pair of rows is redundant.
    let mut system = doubled_pendulum();
    system.set_inactive_rows(&[2, 3], &[]);
    let method: Method = HhtI3::alpha(-0.3).unwrap().into();
    matrix_is_the_derivative(&system, &system.initial_point(), &method, 0.05);
    let plain = bushing_pendulum();
    let mut ends = Vec::new();
    for system in [&plain, &system] {
        let mut start = consistent(&plain);
        if system.dims().m == 4 {
            let mut wide = system.initial_point();
            wide.a_mut().copy_from_slice(start.a());
            wide.lambda_mut()[..2].copy_from_slice(start.lambda());
            start = wide;
        }
        let mut integrator = Integrator::new(system, &method, Step::fixed(0.01), &start).unwrap();
        for _ in 0..20 {
            integrator.step_once(1.0).unwrap();
        }
        ends.push(integrator.point().clone());
    }
    assert_eq!(ends[1].lambda()[2..], [0.0, 0.0]);
    for (a, b) in ends[0].q().iter().zip(ends[1].q()) {
        assert!((a - b).abs() < 1e-12);
    }
    for (a, b) in ends[0].lambda().iter().zip(ends[1].lambda()) {
        assert!((a - b).abs() < 1e-8);
    }
}

#[test]
fn newton_is_quadratic_with_a_fresh_matrix() {
    let system = bushing_pendulum();
    let method: Method = HhtI3::alpha(-0.3).unwrap().into();
    let method = method.matrix_policy(MatrixPolicy::EveryIteration).predictor_degree(0);
    let start = consistent(&system);
    let mut integrator = Integrator::new(&system, &method, Step::fixed(0.05), &start).unwrap();
    integrator.step_once(1.0).unwrap();
    // In units of 1e-12 of the largest acceleration.
    let norms: Vec<f64> = integrator.stepper().newton_norms().iter().map(|n| n * 1e-12).collect();
    println!("corrections relative to the largest acceleration: {norms:?}");
    let mut pairs = 0;
    for pair in norms.windows(2).filter(|p| p[0] < 0.5 && p[1] > 1e-12) {
        pairs += 1;
        assert!(pair[1] < 2.0 * pair[0] * pair[0], "{norms:?}");
    }
    assert!(pairs >= 1 && norms.len() <= 6, "{norms:?}");
}
