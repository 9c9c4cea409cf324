//! Step control: counts, errors and step sizes beside those of an independent implementation.

use super::models::*;
use crate::assembly::{Point, System};
use crate::integrate::{HhtI3, Integrator, Method, Step};
use crate::nonlinear::MatrixPolicy;
use crate::solution::{Stats, StepRecord};

/// A run's point, counts and steps.
fn run(
    system: &System,
    method: &Method,
    step: Step,
    t_end: f64,
) -> (Point, Stats, Vec<StepRecord>) {
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

/// Steps, rejected steps and matrices, Newton iterations per attempt, error of q, median Θ.
struct Run {
    steps: usize,
    rejected: usize,
    matrices: usize,
    iterations: f64,
    error: f64,
    theta: f64,
}

fn measured(system: &System, method: &Method, eps: f64, t_end: f64, exact: &[f64]) -> Run {
    let (point, stats, steps) = run(system, method, Step::local_error(eps).first(1e-4), t_end);
    assert_eq!(stats.newton_failures, 0);
    let at = point.q().len() - exact.len();
    let squares = point.q()[at..].iter().zip(exact).map(|(q, e)| (q - e).powi(2));
    Run {
        steps: stats.steps,
        rejected: stats.rejected,
        matrices: stats.jacobians,
        iterations: stats.newton_iterations as f64 / (stats.steps + stats.rejected) as f64,
        error: squares.sum::<f64>().sqrt(),
        theta: median(steps.iter().map(|s| s.theta).collect()),
    }
}

#[test]
fn the_bushing_pendulum_is_controlled_as_by_an_independent_implementation() {
    let system = bushing_pendulum();
    let method: Method = HhtI3::alpha(-0.3).unwrap().into();
    // q(2) of [P16_reference]; [M3_adaptive] adaptive_P16_rho0.5: ε, steps, error of q, median Θ.
    let exact = [0.030778224027276747, -1.9997631612082785, 4.727778699883553];
    let published = [
        (1e-3, 75, 0.020746600601146376, 0.4234715678504176),
        (1e-4, 147, 0.00507419247121768, 0.4722179375587363),
        (1e-5, 305, 0.0012000200382658928, 0.5085920498498604),
        (1e-6, 647, 0.0002752716949357559, 0.5222318011313098),
        (1e-7, 1385, 6.189768120790971e-05, 0.5275585794785939),
    ];
    let mut errors = Vec::new();
    println!(
        "ε      steps rejected matrices iterations error    median Θ (theirs: steps, error, Θ)"
    );
    for (eps, their_steps, their_error, their_theta) in published {
        let r = measured(&system, &method, eps, 2.0, &exact);
        println!(
            "{eps:.0e} {:5} {:8} {:8} {:10.2} {:.2e} {:.3} ({their_steps}, {their_error:.2e}, {their_theta:.3})",
            r.steps, r.rejected, r.matrices, r.iterations, r.error, r.theta
        );
        let steps = r.steps as f64 / f64::from(their_steps);
        assert!((steps - 1.0).abs() < 0.03, "ε = {eps}: {} steps", r.steps);
        assert!((r.error / their_error - 1.0).abs() < 0.15, "ε = {eps}: error {}", r.error);
        assert!((0.4..0.6).contains(&r.theta), "ε = {eps}: median Θ {}", r.theta);
        assert!(r.iterations < 3.0, "ε = {eps}: {} iterations", r.iterations);
        errors.push((eps.ln(), r.error.ln()));
    }
    let slope = slope(&errors);
    println!("slope {slope:.3}");
    assert!((0.55..0.75).contains(&slope), "{slope}");
}

#[test]
fn the_sharp_estimate_takes_longer_steps() {
    let system = bushing_pendulum();
    let exact = [0.030778224027276747, -1.9997631612082785, 4.727778699883553];
    let paper = HhtI3::alpha(-0.3).unwrap();
    let [paper, sharp] = [paper, paper.sharp(true)]
        .map(|method| measured(&system, &method.into(), 1e-6, 2.0, &exact));
    println!(
        "steps {} and {}, errors {:.2e} and {:.2e}",
        paper.steps, sharp.steps, paper.error, sharp.error
    );
    // 1.742^{1/3} = 1.20
    let ratio = paper.steps as f64 / sharp.steps as f64;
    assert!((1.17..1.23).contains(&ratio), "{ratio}");
}

#[test]
fn states_are_error_controlled() {
    let system = actuator_pendulum();
    for rho in [0.5, 0.75] {
        let method = HhtI3::alpha(-0.3).unwrap().states(rho).unwrap().into();
        let mut errors = Vec::new();
        for eps in [1e-3, 1e-4, 1e-5, 1e-6] {
            let r = measured(&system, &method, eps, 1.0, &[4.7949339869245]);
            println!(
                "rho {rho} {eps:.0e} {:5} {:8} {:8} {:10.2} {:.2e} {:.3}",
                r.steps, r.rejected, r.matrices, r.iterations, r.error, r.theta
            );
            assert!((0.3..0.7).contains(&r.theta), "ρ = {rho}, ε = {eps}: median Θ {}", r.theta);
            errors.push((eps.ln(), r.error.ln()));
        }
        let slope = slope(&errors);
        println!("slope {slope:.3}");
        let expected = if rho > 0.5 { 0.45..0.65 } else { 0.55..0.75 };
        assert!(expected.contains(&slope), "ρ = {rho}: {slope}");
    }
}

#[test]
fn recycling_and_prediction_save_work() {
    let system = bushing_pendulum();
    let method: Method = HhtI3::alpha(-0.3).unwrap().into();
    let count = |method: &Method| run(&system, method, Step::local_error(1e-5).first(1e-4), 2.0).1;
    let fresh = count(&method.clone().matrix_policy(MatrixPolicy::EveryStep));
    let recycled = count(&method);
    println!("fresh:    {fresh}\nrecycled: {recycled}");
    assert!(fresh.jacobians >= 5 * recycled.jacobians);
    assert!(recycled.newton_iterations as f64 <= 1.15 * fresh.newton_iterations as f64);
    let flat = count(&method.predictor_degree(0));
    println!("degree 0: {flat}");
    assert!(recycled.newton_iterations as f64 <= 0.8 * flat.newton_iterations as f64);
}
