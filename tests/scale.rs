//! The benchmarks of scale, a grid of four-bars and a chain: exact references, derivatives, drift, and
//! matrices without entries that are zero by form.

#![allow(missing_docs)]

use mbd::assembly::{PlanBuilder, System, Term};
use mbd::integrate::{HhtI3, Method, Step};
use mbd::model::Mechanism;
use mbd::simulation::Simulation;
use mbd::solution::Solution;
use mbd::verify::{assert_all_derivatives, convergence_order, program_error};

#[path = "../examples/chain.rs"]
#[allow(dead_code)]
mod chain;
#[path = "../examples/four_bar_grid.rs"]
#[allow(dead_code)]
mod four_bar_grid;

use chain::Chain;
use four_bar_grid::FourBarGrid;

mod row_pendulum {
    use mbd::prelude::*;

    mechanism! {
        /// The grid of four-bars with three rows, in the angles of one column from the vertical:
        /// all columns move alike and the rungs only translate.
        pub mechanism RowPendulum {
            param columns = 2.0;
            param length: [m] = 1.0;
            param mass: [kg] = 1.0;
            param rung_mass: [kg] = 1.0;
            param tilt: [rad] = 0.5;
            param g: [m/s^2] = 9.81;

            coord a: [rad];
            coord b: [rad];
            coord c: [rad];

            let hangers = (columns + 1.0)*mass;
            let rungs = columns*rung_mass;
            // Ends of the hangers.
            let p = [length*sin(a), -length*cos(a)];
            let q = [p[0] + length*sin(b), p[1] - length*cos(b)];
            let r = [q[0] + length*sin(c), q[1] - length*cos(c)];
            let vp = der(p);
            let vq = der(q);
            let vr = der(r);
            // A bar between points of velocity u and v: m/6 (u² + u·v + v²).
            kinetic first = hangers/6.0*(sq(vp[0]) + sq(vp[1]));
            kinetic second = hangers/6.0*(sq(vp[0]) + sq(vp[1]) + vp[0]*vq[0] + vp[1]*vq[1]
                + sq(vq[0]) + sq(vq[1]));
            kinetic third = hangers/6.0*(sq(vq[0]) + sq(vq[1]) + vq[0]*vr[0] + vq[1]*vr[1]
                + sq(vr[0]) + sq(vr[1]));
            kinetic crossbars = 0.5*rungs*(sq(vp[0]) + sq(vp[1]) + sq(vq[0]) + sq(vq[1])
                + sq(vr[0]) + sq(vr[1]));
            potential weight = g*(0.5*hangers*(2.0*p[1] + 2.0*q[1] + r[1])
                + rungs*(p[1] + q[1] + r[1]));

            init a = tilt;
            init b = tilt;
            init c = tilt;
            until 2.0;
        }
    }
}
use row_pendulum::RowPendulum;

#[track_caller]
fn run(mechanism: &impl Mechanism, method: impl Into<Method>, step: Step, t_end: f64) -> Solution {
    let run = Simulation::new(mechanism).method(method).step(step).until(t_end).run();
    run.unwrap_or_else(|failed| panic!("the run failed: {failed}"))
}

#[track_caller]
fn last(solution: &Solution, name: &str) -> f64 {
    *solution.series(name).unwrap().last().unwrap()
}

#[track_caller]
fn assert_near(what: &str, is: f64, should: f64, tolerance: f64) {
    assert!((is - should).abs() <= tolerance, "{what} is {is:e} and should be {should:e}");
}

fn radau5() -> Method {
    Method::from_name("radau5").unwrap()
}

/// Angle and rate of a pendulum θ̈ = −sin θ from rest at `theta`, by the series of its energy
/// integral: ∫ du/√(1 − k² sin² u) = K − t with sin(θ/2) = k sin u, by Gauss' rule in Newton's
/// iteration.
fn pendulum(theta: f64, t: f64) -> (f64, f64) {
    let k = (0.5 * theta).sin();
    let slope = |u: f64| (1.0 - (k * u.sin()).powi(2)).sqrt();
    // Elapsed from rest, u = π/2, down to u: the trapezoidal rule of the analytic, periodic integrand
    // over whole quarter periods, Simpson's elsewhere; 4000 intervals leave nothing of the error.
    let elapsed = |u: f64| {
        let n = 4000;
        let h = (0.5 * std::f64::consts::PI - u) / f64::from(n);
        (0..=n)
            .map(|i| {
                let weight = match i {
                    0 => 1.0,
                    i if i == n => 1.0,
                    i if i % 2 == 1 => 4.0,
                    _ => 2.0,
                };
                weight * h / 3.0 / slope(u + f64::from(i) * h)
            })
            .sum::<f64>()
    };
    let mut u = 0.5 * std::f64::consts::PI - t;
    for _ in 0..30 {
        u += (elapsed(u) - t) * slope(u);
    }
    (2.0 * (k * u.sin()).asin(), -2.0 * k * u.cos())
}

/// One row of four-bars swings as a mathematical pendulum, all its hangers alike, its rungs level.
#[test]
fn a_row_of_four_bars_is_a_pendulum() {
    let columns = 3;
    let (mass, rung_mass, tilt) = (0.7, 1.9, 1.0);
    let grid = FourBarGrid { rows: 1, columns, mass, rung_mass, tilt, ..Default::default() };
    let (hangers, rungs) = ((columns + 1) as f64 * mass, columns as f64 * rung_mass);
    let length = (hangers / 3.0 + rungs) / (hangers / 2.0 + rungs);
    let omega = (9.81 / length).sqrt();
    let solution = run(&grid, radau5(), Step::adaptive(1e-10), 2.0);
    let (angle, rate) = pendulum(tilt, 2.0 * omega);
    assert_near("angle", last(&solution, "angle[0]"), angle, 1e-9);
    assert_near("rate", last(&solution, "der(hanger[2].theta)"), omega * rate, 1e-8);
    let right = last(&solution, "hanger[3].theta") + 0.5 * std::f64::consts::PI;
    assert_near("angle of the last hanger", right, angle, 1e-9);
    assert_near("angle of a rung", last(&solution, "rung[1].theta"), 0.0, 1e-11);
}

/// Three rows against the angles of one column.
#[test]
fn a_grid_of_four_bars_moves_as_one_of_its_columns() {
    for (columns, width) in [(1, 1.3), (4, 0.6)] {
        let grid = FourBarGrid { rows: 3, columns, width, rung_mass: 0.4, ..Default::default() };
        let column = RowPendulum { columns: columns as f64, rung_mass: 0.4, ..Default::default() };
        let grid = run(&grid, radau5(), Step::adaptive(1e-9), 2.0);
        let column = run(&column, radau5(), Step::adaptive(1e-11), 2.0);
        for (ours, theirs) in [("angle[0]", "a"), ("angle[1]", "b"), ("angle[2]", "c")] {
            assert_near(ours, last(&grid, ours), last(&column, theirs), 1e-7);
        }
        let kinetic = last(&column, "kinetic");
        assert_near("kinetic energy", last(&grid, "kinetic"), kinetic, 1e-6 * kinetic);
    }
}

/// Joints hold to round-off where positions and velocities are projected, however many there are.
#[test]
fn a_large_grid_does_not_drift() {
    let grid = FourBarGrid { rows: 12, columns: 12, ..Default::default() };
    let method = Method::from_name("gen-alpha-soi2").unwrap();
    let solution = run(&grid, method, Step::fixed(5e-3), 0.5);
    let dims = grid.model().unwrap().dims();
    assert_eq!((dims.n, dims.m), (3 * 300, 3 * 300 - 12));
    let drift = solution.drift;
    assert!(drift.position < 1e-12 && drift.velocity < 1e-12, "{drift:?}");
    let energy = solution.series("energy").unwrap();
    let kinetic = solution.series("kinetic").unwrap().into_iter().fold(0.0, f64::max);
    assert_near("energy", energy[energy.len() - 1], energy[0], 1e-3 * kinetic);
}

#[test]
fn the_energy_of_a_grid_drifts_with_the_square_of_the_step() {
    let grid = FourBarGrid { rows: 2, columns: 2, ..Default::default() };
    let runs: Vec<(f64, f64)> = (7..=10)
        .map(|k| {
            let h = f64::powi(2.0, -k);
            let solution = run(&grid, HhtI3::alpha(-0.3).unwrap(), Step::fixed(h), 1.0);
            let energy = solution.series("energy").unwrap();
            (h, energy.iter().fold(0.0, |m: f64, e| m.max((e - energy[0]).abs())))
        })
        .collect();
    let order = convergence_order(&runs);
    assert!(order > 1.8, "order {order:.2}: {runs:?}");
}

#[test]
fn every_derivative_of_a_grid_is_exact() {
    for (rows, columns) in [(1, 1), (2, 2), (4, 3)] {
        let grid = FourBarGrid { rows, columns, ..Default::default() };
        assert_all_derivatives(&grid);
        let mut system = System::new(grid.model().unwrap());
        let error = program_error(&mut system, 5);
        assert!(error < 1e-12, "programs and dual numbers differ by {error:e}");
    }
    assert_all_derivatives(&RowPendulum::default());
}

/// What is zero by the form of the statements has no place in a matrix: a pin reads x₁, θ₁, x₂, θ₂
/// in its first row and y₁, θ₁, y₂, θ₂ in its second, and a bar's mass matrix is diagonal.
#[test]
fn matrices_have_no_entries_that_are_zero_by_form() {
    let entries = |system: &System, term: Term| {
        let (rows, cols) = system.term_shape(term);
        let mut plan = PlanBuilder::new(rows.max(cols));
        plan.term(term, 0, 0);
        plan.build(system).pattern().value_len()
    };
    let n = 30;
    let chain = System::new(Chain { n, ..Default::default() }.model().unwrap());
    assert_eq!(entries(&chain, Term::M), 3 * n);
    assert_eq!(entries(&chain, Term::G), 8 * n - 4);
    assert_eq!(entries(&chain, Term::React), 8 * n - 4);
    assert_eq!(entries(&chain, Term::ReactQ), n);
    assert_eq!(entries(&chain, Term::MuQ), 0);
}

/// The first step of a long chain takes a time that grows with its length, and so do the loads of its joints, which
/// `--json` writes. They took 93 s and 12 s for 100 000 links when the largest coordinate of a group was looked for anew for
/// each coordinate, and whether a statement notes one joint for each joint.
#[test]
fn a_long_chain_starts_in_a_time_that_grows_with_its_length() {
    let times = [4000, 32_000].map(|n| {
        let chain = Chain { n, ..Default::default() };
        let clock = std::time::Instant::now();
        let run = run(&chain, HhtI3::default(), Step::fixed(1e-3), 1e-3);
        assert_eq!(run.stats.steps, 1);
        let start = clock.elapsed().as_secs_f64();
        let system = System::new(chain.model().unwrap());
        let point = system.initial_point();
        let clock = std::time::Instant::now();
        // So many are not written.
        assert!(mbd::simulation::joint_loads(&system, &point).is_empty());
        [start, clock.elapsed().as_secs_f64()]
    });
    println!("starts of 4000 and 32 000 links, and loads of their joints: {times:?} s");
    for what in 0..2 {
        assert!(times[1][what] < 16.0 * times[0][what], "{times:?}");
    }
}
