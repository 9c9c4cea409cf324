//! Step control: counts, errors and step sizes beside those of an independent implementation.

use super::models::*;
use crate::assembly::{Point, System};
use crate::integrate::{HhtI3, Integrator, Method, Step};
use crate::nonlinear::MatrixPolicy;
use crate::solution::{Stats, StepRecord};

/// A run's point, counts and steps.
fn run(system: &System, method: &Method, step: Step, t_end: f64) -> (Point, Stats, Vec<StepRecord>) {
    let mut integrator = Integrator::new(system, method, step, &consistent(system)).unwrap();
    let mut steps = Vec::new();
    while integrator.point().t() < t_end {
        steps.push(integrator.step_once(t_end).unwrap());
    }
    assert_eq!(integrator.point().t(), t_end);
    (integrator.point().clone(), integrator.stats().clone(), steps)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (sx, sy) = points.iter().fold((0.0, 0.0), |s, p| (s.0 + p.0, s.1 + p.1));
    let (mx, my) = (sx / n, sy / n);
    let cross: f64 = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    cross / points.iter().map(|p| (p.0 - mx).powi(2)).sum::<f64>()
}

#[test]
fn the_bushing_pendulum_is_controlled_as_by_an_independent_implementation() {
    let system = bushing_pendulum();
    let method = HhtI3::alpha(-0.3).unwrap().into();
    // θ(1) of [P16_reference]; [M3_adaptive] adaptive_P16_rho0.5: ε, steps, rejected, matrices,
    // largest error of q at t = 1, from a first step of 1e-4.
    let exact = [-0.2670153275114048, -1.9820955614888949, 4.578481487894024];
    let published = [
        (1e-3, 75, 9, 26, 0.0207),
        (1e-4, 147, 11, 29, 0.00507),
        (1e-5, 305, 8, 37, 0.00120),
        (1e-6, 647, 6, 38, 0.000275),
        (1e-7, 1385, 6, 40, 6.19e-5),
    ];
    let mut errors = Vec::new();
    for (eps, their_steps, their_rejected, their_matrices, their_error) in published {
        let (point, stats, steps) = run(&system, &method, Step::adaptive(eps).first(1e-4), 1.0);
        let error = point.q().iter().zip(exact).map(|(q, e)| (q - e).powi(2)).sum::<f64>().sqrt();
        let theta = median(steps.iter().map(|s| s.theta).collect());
        println!(
            "{eps:.0e}: steps {} ({their_steps}), rejected {} ({their_rejected}), matrices {} ({their_matrices}), iterations per step {:.2}, error {error:.2e} ({their_error:.2e}), median theta {theta:.3}, failures {}",
            stats.steps, stats.rejected, stats.jacobians,
            stats.newton_iterations as f64 / (stats.steps + stats.rejected) as f64,
            stats.newton_failures,
        );
        errors.push((eps.ln(), error.ln()));
    }
    println!("slope {:.3}", slope(&errors));
}

#[test]
fn the_actuator_is_controlled_too() {
    let system = actuator_pendulum();
    for (rho, name) in [(0.5, "half"), (0.75, "0.75")] {
        let method = HhtI3::alpha(-0.3).unwrap().states(rho).unwrap().into();
        let mut errors = Vec::new();
        for eps in [1e-3, 1e-4, 1e-5, 1e-6] {
            if rho > 0.5 && eps < 1e-5 { continue; }
            let (point, stats, steps) = run(&system, &method, Step::adaptive(eps).first(1e-4), 1.0);
            let theta = median(steps.iter().map(|s| s.theta).collect());
            let error = [(point.q()[2] - 4.7949339869245).abs(), (point.x()[0] + 429.542945786).abs()];
            println!("{name} {eps:.0e} {stats} errors {error:.2?} {:e} theta {theta:.4}", error[0]);
            errors.push((eps.ln(), error[0].ln()));
        }
        println!("slope {:.3}", slope(&errors));
    }
}

#[test]
fn recycling_saves_matrices() {
    let system = bushing_pendulum();
    let method: Method = HhtI3::alpha(-0.3).unwrap().into();
    for (name, policy) in [("every step", MatrixPolicy::EveryStep), ("recycled", MatrixPolicy::RECYCLE)] {
        let method = method.clone().matrix_policy(policy);
        let (_, stats, _) = run(&system, &method, Step::adaptive(1e-5).first(1e-4), 1.0);
        println!("{name}: {stats}");
    }
    for degree in 0..4 {
        let method = method.clone().predictor_degree(degree);
        let (_, stats, _) = run(&system, &method, Step::adaptive(1e-5).first(1e-4), 1.0);
        println!("degree {degree}: {stats}");
    }
}
