use super::*;
use crate::linear::{LinearError, Pattern};

/// r = (x² + y² − 4, x·y − coefficient·1), a circle and a hyperbola.
struct Crossing {
    target: f64,
    weight: f64,
    poison: bool,
    matrices: usize,
}

impl Crossing {
    fn new(weight: f64) -> Self {
        Crossing { target: 1.0, weight, poison: false, matrices: 0 }
    }
}

impl Equations for Crossing {
    fn residual(&mut self, u: &[f64], r: &mut [f64]) {
        r[0] = u[0] * u[0] + u[1] * u[1] - 4.0;
        r[1] = u[0] * u[1] - self.target;
        if self.poison {
            r[1] = (-1.0f64).sqrt();
        }
    }

    fn matrix(&mut self, u: &[f64], values: &mut [f64]) {
        self.matrices += 1;
        values[..4].copy_from_slice(&[2.0 * u[0], u[1], 2.0 * u[1], u[0]]);
    }

    fn norms(&self, du: &[f64]) -> [f64; 2] {
        [self.weight * du[0].abs(), self.weight * du[1].abs()]
    }
}

fn newton(policy: MatrixPolicy) -> Newton {
    let options = NewtonOptions { policy, max_iterations: 20, ..Default::default() };
    Newton::new(&Pattern::dense(2), options)
}

/// x² + y² = 4, xy = 1: x = (√6 + √2)/2, y = (√6 − √2)/2.
fn exact() -> [f64; 2] {
    let (a, b) = (6f64.sqrt() / 2.0, 2f64.sqrt() / 2.0);
    [a + b, a - b]
}

#[test]
fn a_fresh_matrix_converges_quadratically() {
    let mut newton = newton(MatrixPolicy::EveryIteration);
    let mut u = [3.0, 0.2];
    let converged = newton.solve(&mut Crossing::new(1e15), &mut u, 1.0, Stop::ROUND_OFF).unwrap();
    assert!((u[0] - exact()[0]).abs() < 1e-15 && (u[1] - exact()[1]).abs() < 1e-15);
    let norms: Vec<f64> = newton.trace().iter().map(|n| n / 1e15).collect();
    for pair in norms.windows(2).filter(|pair| pair[1] > 1e-14) {
        assert!(pair[1] < 1.2 * pair[0] * pair[0], "{norms:?}");
    }
    assert!(converged.iterations <= 7, "{norms:?}");
    assert_eq!(newton.stats().matrices, converged.iterations);
}

#[test]
fn the_rate_test_stops_where_the_rest_is_below_the_fraction() {
    for policy in [MatrixPolicy::EveryStep, MatrixPolicy::RECYCLE] {
        let mut newton = newton(policy);
        let mut u = [1.9, 0.5];
        let converged = newton.solve(&mut Crossing::new(1e4), &mut u, 1.0, Stop::RATE).unwrap();
        assert!(converged.iterations >= 2 && converged.rate > 0.0 && converged.rate < 1.0);
        let left = 1e4 * (u[0] - exact()[0]).abs().max((u[1] - exact()[1]).abs());
        assert!(left < 2e-3, "{left:e} {:?}", newton.trace());
        assert_eq!(newton.stats().matrices, 1);
    }
}

#[test]
fn a_zero_first_correction_is_convergence() {
    let mut newton = newton(MatrixPolicy::EveryStep);
    let mut u = [2.0, 0.0];
    let mut equations = Crossing { target: 0.0, ..Crossing::new(1.0) };
    let converged = newton.solve(&mut equations, &mut u, 1.0, Stop::RATE).unwrap();
    assert_eq!((converged.iterations, converged.rate), (1, 0.0));
}

#[test]
fn recycling_keeps_the_matrix_while_the_problem_moves_slowly() {
    let mut counts = Vec::new();
    for policy in [MatrixPolicy::EveryIteration, MatrixPolicy::EveryStep, MatrixPolicy::RECYCLE] {
        let mut newton = newton(policy);
        let mut equations = Crossing::new(1e4);
        let mut u = exact();
        for step in 0..200 {
            equations.target = 1.0 + 0.5 * (0.02 * f64::from(step)).sin();
            newton.solve(&mut equations, &mut u, 1.0, Stop::RATE).unwrap();
            assert!((u[0] * u[1] - equations.target).abs() < 1e-6);
        }
        let stats = newton.stats();
        assert_eq!(stats.matrices, equations.matrices);
        counts.push((stats.matrices, stats.iterations));
    }
    let [every_iteration, every_step, recycled] = counts[..] else { panic!() };
    assert!(every_iteration.0 > 300 && every_step.0 == 200, "{counts:?}");
    assert!(recycled.0 * 5 <= every_step.0, "{counts:?}");
    assert!(recycled.1 < 2 * every_iteration.1, "{counts:?}");
}

#[test]
fn the_coefficient_and_invalidate_renew_the_matrix() {
    let mut newton = newton(MatrixPolicy::RECYCLE);
    let mut equations = Crossing::new(1e4);
    let mut u = exact();
    let mut solve = |newton: &mut Newton, equations: &mut Crossing, coefficient| {
        newton.solve(equations, &mut u, coefficient, Stop::RATE).unwrap();
        equations.matrices
    };
    assert_eq!(solve(&mut newton, &mut equations, 1.0), 1);
    assert_eq!(solve(&mut newton, &mut equations, 1.5), 1);
    assert_eq!(solve(&mut newton, &mut equations, 0.7), 1);
    assert_eq!(solve(&mut newton, &mut equations, 2.0), 2);
    assert_eq!(solve(&mut newton, &mut equations, 1.0), 3);
    newton.invalidate();
    assert_eq!(solve(&mut newton, &mut equations, 1.0), 4);
}

#[test]
fn a_stale_matrix_that_leads_astray_is_replaced_from_the_predicted_unknowns() {
    let mut newton = newton(MatrixPolicy::Recycle { change: 10.0, age: 100, patience: 5 });
    let mut equations = Crossing::new(1e4);
    let mut u = exact();
    newton.solve(&mut equations, &mut u, 1.0, Stop::RATE).unwrap();
    // The other branch: the old matrix has the wrong sign there.
    let mut u = [-1.9, -0.5];
    newton.solve(&mut equations, &mut u, 1.0, Stop::RATE).unwrap();
    assert!((u[0] + exact()[0]).abs() < 1e-6, "{u:?}");
    assert_eq!((newton.stats().restarts, newton.stats().failures), (1, 0));
}

#[test]
fn failures_say_why_and_leave_the_prediction() {
    let mut newton = newton(MatrixPolicy::EveryStep);
    let mut equations = Crossing { poison: true, ..Crossing::new(1.0) };
    let mut u = [1.0, 2.0];
    let failure = newton.solve(&mut equations, &mut u, 1.0, Stop::RATE).unwrap_err();
    assert!(
        matches!(failure, NewtonFailure::NotFinite { equation: 1, iteration: 1, .. }),
        "{failure:?}"
    );
    assert_eq!(u, [1.0, 2.0]);

    equations.poison = false;
    let mut u = [1.0, 1.0];
    let failure = newton.solve(&mut equations, &mut u, 1.0, Stop::RATE).unwrap_err();
    assert!(
        matches!(failure, NewtonFailure::Linear(LinearError::Singular { column: 1, .. })),
        "{failure:?}"
    );

    // No solution: xy = 100 does not meet the circle.
    equations.target = 100.0;
    for policy in [MatrixPolicy::EveryIteration, MatrixPolicy::EveryStep, MatrixPolicy::RECYCLE] {
        let mut newton = self::newton(policy);
        let mut u = [2.0, 0.1];
        let failure = newton.solve(&mut equations, &mut u, 1.0, Stop::RATE).unwrap_err();
        assert!(
            matches!(failure, NewtonFailure::Diverged { .. } | NewtonFailure::TooSlow { .. }),
            "{failure:?}"
        );
        assert_eq!(u, [2.0, 0.1]);
        assert_eq!(newton.stats().failures, 1);
    }
}

/// r = u − cos u + noise: corrections stop shrinking at 1e-10.
struct Noisy {
    evaluations: u32,
    weight: f64,
}

impl Equations for Noisy {
    fn residual(&mut self, u: &[f64], r: &mut [f64]) {
        self.evaluations += 1;
        let sign = if self.evaluations.is_multiple_of(2) { 1.0 } else { -1.0 };
        r[0] = u[0] - u[0].cos() + 1e-10 * sign;
    }

    fn matrix(&mut self, u: &[f64], values: &mut [f64]) {
        values[0] = 1.0 + u[0].sin();
    }

    fn norms(&self, du: &[f64]) -> [f64; 2] {
        [du[0].abs() * self.weight, 0.0]
    }
}

#[test]
fn an_iteration_at_rounding_is_accepted() {
    for policy in [MatrixPolicy::EveryIteration, MatrixPolicy::EveryStep, MatrixPolicy::RECYCLE] {
        for (stop, weight) in [(Stop::ROUND_OFF, 1e12), (Stop::RATE, 1e8)] {
            let options = NewtonOptions { policy, ..Default::default() };
            let mut newton = Newton::new(&Pattern::dense(1), options);
            let mut u = [0.5];
            for _ in 0..5 {
                let mut noisy = Noisy { evaluations: 0, weight };
                let converged = newton
                    .solve(&mut noisy, &mut u, 1.0, stop)
                    .unwrap_or_else(|e| panic!("{policy:?} {stop:?}: {e} {:?}", newton.trace()));
                assert!((u[0] - 0.739_085_133_215_160_6).abs() < 3e-10);
                assert!(
                    converged.stagnated || stop == Stop::RATE,
                    "{policy:?} {stop:?} {:?}",
                    newton.trace()
                );
                u = [0.7];
            }
        }
    }
}

/// What rounding leaves shows with the first matrix; later solves know it, keep the matrix and end when
/// they come down to it.
#[test]
fn rounding_seen_before_renews_no_matrix() {
    let options = NewtonOptions { policy: MatrixPolicy::RECYCLE, ..Default::default() };
    let mut newton = Newton::new(&Pattern::dense(1), options);
    for solve in 0..20 {
        let mut u = [0.739];
        let mut noisy = Noisy { evaluations: 0, weight: 1e12 };
        let converged = newton.solve(&mut noisy, &mut u, 1.0, Stop::ROUND_OFF).unwrap();
        assert!((u[0] - 0.739_085_133_215_160_6).abs() < 1.3e-10, "solve {solve}: {}", u[0]);
        assert!(converged.stagnated, "solve {solve}: {:?}", newton.trace());
    }
    assert_eq!(newton.stats().factorizations, 1);
}

/// Two equations with a rate of 0.01 with an old matrix and of 0.6 of a small part.
struct Hidden {
    fresh: bool,
}

impl Equations for Hidden {
    fn residual(&mut self, u: &[f64], r: &mut [f64]) {
        r[0] = u[0] - 1.0;
        r[1] = u[1] - 1.0;
    }

    fn matrix(&mut self, _: &[f64], values: &mut [f64]) {
        let (a, b) =
            if std::mem::replace(&mut self.fresh, true) { (1.0, 1.0) } else { (0.99, 2.5) };
        values[..4].copy_from_slice(&[a, 0.0, 0.0, b]);
    }

    fn norms(&self, du: &[f64]) -> [f64; 2] {
        [du[0].abs().max(du[1].abs()) * 1e12, 0.0]
    }
}

/// Corrections that first fall fast and then hardly are no rounding when an old matrix is to blame.
#[test]
fn a_slow_part_is_not_taken_for_rounding() {
    let mut equations = Hidden { fresh: false };
    let mut newton = Newton::new(&Pattern::dense(2), NewtonOptions::default());
    let mut u = [1.0, 1.0];
    newton.solve(&mut equations, &mut u, 1.0, Stop::ROUND_OFF).unwrap();
    for _ in 0..3 {
        let mut u = [1.0 + 1e-4, 1.0 + 5e-10];
        newton.solve(&mut equations, &mut u, 1.0, Stop::ROUND_OFF).unwrap();
        assert!(u.iter().all(|u| (u - 1.0).abs() < 1e-12), "{u:?} {:?}", newton.trace());
    }
    assert_eq!(newton.stats().factorizations, 2);
}

/// r = atan u: plain Newton diverges from |u| > 1.39.
struct Arctangent;

impl Equations for Arctangent {
    fn residual(&mut self, u: &[f64], r: &mut [f64]) {
        r[0] = u[0].atan();
    }

    fn matrix(&mut self, u: &[f64], values: &mut [f64]) {
        values[0] = 1.0 / (1.0 + u[0] * u[0]);
    }

    fn norms(&self, du: &[f64]) -> [f64; 2] {
        [du[0].abs() * 1e15, 0.0]
    }
}

#[test]
fn damping_widens_the_basin() {
    let mut options = NewtonOptions {
        policy: MatrixPolicy::EveryIteration,
        max_iterations: 40,
        damping: Damping::Never,
        ..Default::default()
    };
    let solve = |options: NewtonOptions| {
        let mut u = [20.0];
        Newton::new(&Pattern::dense(1), options)
            .solve(&mut Arctangent, &mut u, 1.0, Stop::ROUND_OFF)
            .map(|_| u[0])
    };
    assert!(matches!(solve(options), Err(NewtonFailure::Diverged { .. })));
    options.damping = Damping::Always;
    assert!(solve(options).unwrap().abs() < 1e-14);
}

/// u + k √|u| sign(u) = 1: from 1 full corrections go to −1 and back.
struct SignedRoot {
    k: f64,
}

impl Equations for SignedRoot {
    fn residual(&mut self, u: &[f64], r: &mut [f64]) {
        r[0] = u[0] + self.k * u[0].abs().sqrt().copysign(u[0]) - 1.0;
    }

    fn matrix(&mut self, u: &[f64], values: &mut [f64]) {
        values[0] = 1.0 + 0.5 * self.k / u[0].abs().sqrt();
    }

    fn may_shorten(&self) -> bool {
        true
    }

    fn norms(&self, du: &[f64]) -> [f64; 2] {
        [1e6 * du[0].abs(), 0.0]
    }
}

#[test]
fn what_goes_back_and_forth_is_solved_with_shorter_corrections() {
    for policy in [MatrixPolicy::RECYCLE, MatrixPolicy::EveryStep, MatrixPolicy::EveryIteration] {
        for k in [1e2, 1e3, 1e4] {
            let options = NewtonOptions { policy, ..Default::default() };
            let mut newton = Newton::new(&Pattern::dense(1), options);
            let mut u = [1.0];
            let converged = newton.solve(&mut SignedRoot { k }, &mut u, 1.0, Stop::RATE);
            assert!(converged.is_ok(), "{policy:?} {k}: {converged:?}");
            let root = (1.0 + 0.25 * k * k).sqrt() - 0.5 * k;
            assert!((u[0] - root * root).abs() < 1e-8, "{policy:?} {k}: {u:?}");
            assert_eq!(newton.stats().failures, 0);
        }
    }
}

#[test]
fn a_trusted_rate_lets_one_iteration_suffice() {
    let options = NewtonOptions { trust_rate: true, ..Default::default() };
    let mut newton = Newton::new(&Pattern::dense(2), options);
    let mut equations = Crossing::new(1e4);
    let mut u = [1.93, 0.517];
    newton.solve(&mut equations, &mut u, 1.0, Stop::RATE).unwrap();
    equations.target += 1e-7;
    let converged = newton.solve(&mut equations, &mut u, 1.0, Stop::RATE).unwrap();
    assert_eq!(converged.iterations, 1);
    assert!((u[0] * u[1] - equations.target).abs() < 1e-9);
}

/// c u = 1 in units of a tolerance of 10⁻⁶.
struct Line {
    c: f64,
}

impl Equations for Line {
    fn residual(&mut self, u: &[f64], r: &mut [f64]) {
        r[0] = self.c * u[0] - 1.0;
    }

    fn matrix(&mut self, _: &[f64], values: &mut [f64]) {
        values[0] = self.c;
    }

    fn norms(&self, du: &[f64]) -> [f64; 2] {
        [1e6 * du[0].abs(), 0.0]
    }
}

#[test]
fn the_mean_rate_iteration_relaxes_old_matrices_and_remembers_its_rate() {
    let stop = Stop::MeanRate { noise: 1e-9 };
    let mut newton = Newton::new(&Pattern::dense(1), NewtonOptions::default());
    let mut solve = |c: f64, from: f64| {
        let mut u = [from];
        let converged = newton.solve(&mut Line { c }, &mut u, c, stop).unwrap();
        (converged.iterations, converged.rate, (c * u[0] - 1.0).abs(), newton.stats().matrices)
    };
    // Linear, with its own matrix: the second correction is nothing.
    assert_eq!(solve(1.0, 0.5), (2, 0.0, 0.0, 1));
    // With that of another coefficient the error falls by (1 − ρ)/(1 + ρ) in every iteration.
    let (iterations, rate, _, matrices) = solve(1.5, 1.0 / 1.5 + 1e-6);
    assert!((rate - 0.2).abs() < 1e-9, "{rate}");
    assert_eq!((iterations, matrices), (2, 1));
    // The same coefficient again: what is left is known after one.
    let (iterations, _, error, matrices) = solve(1.5, 1.0 / 1.5 + 1e-6);
    assert!(error < 0.33e-6, "{error:e}");
    assert_eq!((iterations, matrices), (1, 1));
    // Far away four corrections are not enough, and a matrix of its own comes in.
    let (_, _, error, matrices) = solve(1.5, 100.0);
    assert!(error < 1e-12, "{error:e}");
    assert_eq!(matrices, 2);
}

#[test]
fn a_matrix_that_was_slow_is_not_kept() {
    let matrices = |slowest_kept| {
        let options = NewtonOptions { slowest_kept, ..Default::default() };
        let mut newton = Newton::new(&Pattern::dense(2), options);
        let mut equations = Crossing::new(1e4);
        let mut u = [1.9, 0.5];
        for _ in 0..3 {
            newton.solve(&mut equations, &mut u, 1.0, Stop::RATE).unwrap();
            equations.target += 1e-3;
        }
        newton.stats().matrices
    };
    assert_eq!(matrices(f64::INFINITY), 1);
    assert_eq!(matrices(0.9), 1);
    assert_eq!(matrices(1e-9), 3);
}

#[test]
fn a_fresh_matrix_may_go_on_from_the_iterate_reached() {
    let norms = |go_on| {
        let options = NewtonOptions { go_on, ..Default::default() };
        let mut newton = Newton::new(&Pattern::dense(1), options);
        newton.solve(&mut Line { c: 1.0 }, &mut [0.5], 1.0, Stop::RATE).unwrap();
        // With the matrix of c = 1 corrections fall by 0.6 only: too slow.
        let mut u = [0.0];
        newton.solve(&mut Line { c: 1.6 }, &mut u, 1.0, Stop::RATE).unwrap();
        assert!((1.6 * u[0] - 1.0).abs() < 1e-12);
        assert_eq!((newton.stats().restarts, newton.stats().failures), (1, 0));
        newton.trace().to_vec()
    };
    // The second correction shows the rate, and the third is the first with the fresh matrix.
    let (again, on) = (norms(false), norms(true));
    assert!((again[2] - 1e6 / 1.6).abs() < 1e-3 && again[1] < again[0], "{again:?}");
    assert!((on[2] - 0.36 * 1e6 / 1.6).abs() < 1e-3, "{on:?}");
}

#[test]
fn an_assumed_rate_accepts_a_first_correction_that_is_small_in_itself() {
    let iterations = |assumed_rate, from: f64| {
        let options = NewtonOptions { assumed_rate, ..Default::default() };
        let mut newton = Newton::new(&Pattern::dense(1), options);
        let mut u = [from];
        newton.solve(&mut Line { c: 1.0 }, &mut u, 1.0, Stop::RATE).unwrap().iterations
    };
    assert_eq!(iterations(None, 1.0 + 1e-10), 2);
    assert_eq!(iterations(Some(0.5), 1.0 + 1e-10), 1);
    assert_eq!(iterations(Some(0.5), 1.0 + 1e-8), 2, "not below the fraction");
}
