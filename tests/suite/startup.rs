//! From what a user gives to a consistent start.

use crate::andrews_by_hand::ByHand;
use crate::models::troubles::{BadLog, Contradiction, Impossible, Massless, Singular};
use crate::models::*;
use crate::support::*;
use mbd::error::Error;
use mbd::model::Mechanism;
use mbd::simulation::{Simulation, Started};
use mbd::start::StartError;
use nalgebra::{DMatrix, DVector};

fn start(mechanism: &impl Mechanism) -> Started {
    Simulation::new(mechanism).start().unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn start_error(simulation: Simulation) -> StartError {
    match simulation.start() {
        Err(Error::Start(error)) => error,
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("the start should have failed"),
    }
}

/// q̈ and λ from M, G, γ, f by one dense solve of [M Gᵀ; G 0].
fn kkt(m: &DMatrix<f64>, g: &DMatrix<f64>, f: &DVector<f64>, gamma: &DVector<f64>) -> DVector<f64> {
    let (n, rows) = (m.nrows(), g.nrows());
    let mut matrix = DMatrix::zeros(n + rows, n + rows);
    matrix.view_mut((0, 0), (n, n)).copy_from(m);
    matrix.view_mut((0, n), (n, rows)).copy_from(&g.transpose());
    matrix.view_mut((n, 0), (rows, n)).copy_from(g);
    let mut right = DVector::zeros(n + rows);
    right.rows_mut(0, n).copy_from(f);
    right.rows_mut(n, rows).copy_from(&-gamma);
    matrix.lu().solve(&right).expect("a regular mechanism")
}

#[test]
fn slider_crank_assembles_from_its_guesses() {
    let p = SliderCrank::default();
    let started = start(&p);
    let (q, v) = (started.point.q(), started.point.v());
    // Kept to the last bit.
    assert_eq!((q[0], v[0]), (0.3, 20.0));
    // By hand: l sin φ = r sin θ, x = r cos θ + l cos φ, and their rates.
    let phi = (p.r / p.l * f64::sin(0.3)).asin();
    let phi_rate = p.r * f64::cos(0.3) * 20.0 / (p.l * phi.cos());
    let x_rate = -p.r * f64::sin(0.3) * 20.0 - p.l * phi.sin() * phi_rate;
    assert_near("φ", q[1], phi, 1e-14);
    assert_near("x", q[2], p.r * f64::cos(0.3) + p.l * phi.cos(), 1e-14);
    assert_near("φ̇", v[1], phi_rate, 1e-12);
    assert_near("ẋ", v[2], x_rate, 1e-12);
    let report = &started.report;
    assert_eq!((report.dof, report.rank, report.coordinates), (1, 2, 3));
    assert!(report.redundant.is_empty());
    let mut moved: Vec<&str> = report.moved.iter().map(|m| &*m.name).collect();
    moved.sort_unstable();
    assert_eq!(moved, ["phi", "x"]);
    assert!(report.position_residual < 1e-15 && report.velocity_residual < 1e-13);
}

#[test]
fn andrews_starts_with_the_published_accelerations() {
    let p = Andrews::default();
    let started = start(&p);
    let point = &started.point;
    // IVP Test Set, problem `andrews`: initial accelerations and multipliers.
    assert_near("β̈(0)", point.a()[0], 14222.44391995, 1e-7);
    assert_near("Θ̈(0)", point.a()[1], -10666.8329399655854, 1e-7);
    assert_near("λ₁(0)", point.lambda()[0], 98.5668703962410896, 1e-9);
    assert_near("λ₂(0)", point.lambda()[1], -6.12268834425566266, 1e-9);
    for i in 2..6 {
        assert_near("the other λ(0)", point.lambda()[i], 0.0, 1e-9);
    }
    // And all of them against one dense solve of the hand-written equations.
    let hand = ByHand::at(&p, point.q());
    let u = kkt(&hand.mass(), &hand.jacobian(), &hand.force(point.v()), &hand.gamma(point.v()));
    assert_close("q̈(0)", point.a(), &u.as_slice()[..7], 1e-11);
    assert_close("λ(0)", point.lambda(), &u.as_slice()[7..], 1e-11);
    assert_eq!(started.report.dof, 1);
}

#[test]
fn andrews_from_bodies_starts_with_the_same_accelerations() {
    let angles = start(&Andrews::default());
    let bodies = start(&AndrewsBodies::default());
    assert_eq!((bodies.report.coordinates, bodies.report.rank, bodies.report.dof), (21, 20, 1));
    let theta = |k: usize| bodies.point.a()[3 * k + 2];
    let a = angles.point.a();
    assert_near("β̈", theta(0), a[0], 1e-6);
    assert_near("β̈+Θ̈", theta(1), a[0] + a[1], 1e-6);
    for (k, name) in [(2, "γ̈"), (4, "δ̈"), (6, "ε̈")] {
        assert_near(name, theta(k), a[k], 1e-6);
    }
    // The kept angles stayed, up to the rounding of their 16 digits.
    assert_near("k1.theta", bodies.point.q()[2], -0.0617138900142764496, 1e-15);
    assert_near("k7.theta", bodies.point.q()[20], 1.23054744454982120, 1e-15);
    assert!(bodies.report.position_residual < 1e-15);
}

#[test]
fn rheonomic_constraints_start_consistent() {
    let started = start(&CarAxis::default());
    let pieces = pieces(&started.system, &started.point);
    assert!(largest(&pieces.g) < 1e-15, "{:?}", pieces.g);
    assert!(largest(&pieces.gdot) < 1e-14, "{:?}", pieces.gdot);
    let acceleration: Vec<f64> = pieces.gu.iter().zip(&pieces.gamma).map(|(a, b)| a + b).collect();
    assert!(largest(&acceleration) < 1e-11, "{acceleration:?}");
    // By hand at t = 0: x_b = 1, ẋ_b = 0, y_b = 0, ẏ_b = 1, ẍ_b = −1, ÿ_b = 0; springs at their
    // free length; the axle horizontal at rest height. Row road: ẍl + 2 ẏl ẏ_b = 0, so ẍl = 0 with
    // ẏl = 0; row rigid: ẍr = ẍl; vertical: k ÿ = −k g.
    assert_close("q̈(0)", started.point.a(), &[0.0, -1.0, 0.0, -1.0], 1e-12);
    assert!(largest(started.point.lambda()) < 1e-15);
}

#[test]
fn states_and_variables_start_consistent() {
    // The recorded start of the independent implementation, by minimal coordinates:
    // V = −500, Ẋ = −10⁴, F = (0, −1000), θ̈ = −37.5, λ = (375, −1049.05).
    let started = start(&ActuatorPendulum::default());
    let p = &started.point;
    assert_close("Ẋ", p.xd(), &[-1e4], 1e-13);
    assert_close("V, F1, F2", p.w(), &[-500.0, 0.0, -1000.0], 1e-13);
    assert_close("q̈", p.a(), &[-75.0, 200.0, -37.5], 1e-12);
    assert_close("λ", p.lambda(), &[375.0, -1049.05], 1e-12);
}

/// The chain hangs together from guesses that leave gaps.
#[test]
fn a_chain_assembles() {
    for n in [1, 2, 20] {
        let started = start(&Chain { n, ..Default::default() });
        assert_eq!(started.report.dof, n);
        for i in 0..n {
            assert_near("x[i]", started.point.q()[i], i as f64 + 0.5, 1e-13);
            // Released from the horizontal, every link but the first is in free fall at its
            // ends' constraint; the first turns about the anchor.
            assert_eq!(started.point.v()[i], 0.0);
        }
        if n == 1 {
            // ÿ = −¾ g and θ̈ = −(3/2) g/L for a bar on a hinge.
            assert_near("ÿ", started.point.a()[1], -0.75 * 9.81, 1e-12);
            assert_near("θ̈", started.point.a()[2], -1.5 * 9.81, 1e-12);
        }
    }
}

#[test]
fn a_redundant_row_is_named_and_not_an_error() {
    let started = start(&DoubledPendulum::default());
    let report = &started.report;
    assert_eq!((report.rank, report.dof), (2, 1));
    assert_eq!(report.redundant.len(), 1);
    // The row declared later is the redundant one.
    assert_eq!(report.redundant[0].row, "rod");
    // Its gradient (2x, 2y, 0) is 2x pin[0] + 2y pin[1], and x = 0 there.
    assert_eq!(report.redundant[0].depends_on, ["pin[1]"]);
    assert_eq!(started.point.lambda()[2], 0.0);
    assert_near("x", started.point.q()[0], 0.0, 1e-14);
    assert_near("y", started.point.q()[1], -2.0, 1e-14);
}

#[test]
fn an_inconsistent_row_is_an_error_by_name() {
    match start_error(Simulation::new(&Contradiction::default())) {
        StartError::Inconsistent { row, with, residual } => {
            assert_eq!((&*row, &*with), ("also", &["first".to_string()][..]));
            // 2x = 2.5 where x = 1.
            assert_near("what is left", residual.abs(), 0.5, 1e-12);
        }
        other => panic!("{other}"),
    }
    // Where the contradiction is a matter of positions, not of the equations' form, the mechanism
    // cannot be assembled, and all rows of the contradiction are named.
    let error =
        start_error(Simulation::new(&DoubledPendulum { excess: 0.1, ..Default::default() }));
    assert!(error.is_assembly(), "{error}");
    let text = error.to_string();
    assert!(text.contains("rod") && text.contains("pin"), "{text}");
}

#[test]
fn kept_positions_that_contradict_are_named() {
    // The piston cannot be at 0.2 m with the crank at 0.3 rad.
    let error = start_error(Simulation::new(&SliderCrank::default()).set_initial("x", 0.2));
    match &error {
        StartError::KeptConflict { kept, .. } => {
            let mut kept = kept.clone();
            kept.sort_unstable();
            assert_eq!(kept, ["theta", "x"]);
        }
        other => panic!("{other}"),
    }
    assert!(error.is_assembly());
}

#[test]
fn kept_velocities_that_contradict_are_named() {
    let error = start_error(Simulation::new(&SliderCrank::default()).set_initial("der(x)", 5.0));
    match &error {
        StartError::KeptConflict { kept, .. } => {
            assert!(kept.iter().any(|k| k == "der(x)"), "{kept:?}");
            assert!(kept.iter().any(|k| k == "der(theta)"), "{kept:?}");
        }
        other => panic!("{other}"),
    }
}

#[test]
fn a_consistent_value_may_be_kept_too() {
    // The other assembly of the slider-crank, piston on the left: chosen by a kept φ.
    let phi = std::f64::consts::PI - (1.0 / 3.0 * f64::sin(0.3)).asin();
    let started = Simulation::new(&SliderCrank::default()).set_initial("phi", phi).start().unwrap();
    assert_near("x", started.point.q()[2], 0.1 * f64::cos(0.3) + 0.3 * phi.cos(), 1e-13);
}

#[test]
fn what_cannot_be_assembled_is_named() {
    let error = start_error(Simulation::new(&Impossible::default()));
    match &error {
        StartError::CannotAssemble { violated, .. } => {
            assert_eq!(violated[0].0, "sphere");
            // The nearest to x² + y² = −1 is the origin.
            assert_near("what is left", violated[0].1.abs(), 1.0, 0.3);
        }
        other => panic!("{other}"),
    }
}

#[test]
fn a_rod_that_is_too_short_is_named() {
    let short = SliderCrank { l: 0.02, ..Default::default() };
    let error = start_error(Simulation::new(&short));
    assert!(error.is_assembly(), "{error}");
    assert!(error.to_string().contains("close_y"), "{error}");
}

#[test]
fn a_singular_position_is_an_error_by_name() {
    let error = start_error(Simulation::new(&Singular::default()));
    match &error {
        StartError::SingularPosition { rows, .. } => assert_eq!(rows, &["cross"]),
        other => panic!("{other}"),
    }
}

#[test]
fn a_force_without_a_value_is_an_error_by_name() {
    let error = start_error(Simulation::new(&BadLog::default()));
    match &error {
        StartError::NotFinite { statement, what, reads, .. } => {
            assert!(statement.contains("logarithm"), "{statement}");
            assert!(what.contains('x'), "{what}");
            assert!(reads.contains("x = -1"), "{reads}");
        }
        other => panic!("{other}"),
    }
}

#[test]
fn a_coordinate_without_inertia_is_an_error_by_name() {
    let error = start_error(Simulation::new(&Massless::default()));
    match &error {
        StartError::Singular { unknown } => assert_eq!(unknown, "der(der(y))"),
        other => panic!("{other}"),
    }
}

#[test]
fn initial_values_of_unknown_names_are_errors() {
    let error = Simulation::new(&SliderCrank::default()).set_initial("thetta", 1.0).start();
    match error.err().expect("an error") {
        Error::Option(mbd::error::OptionError::UnknownName { name, suggestion, .. }) => {
            assert_eq!((&*name, suggestion.as_deref()), ("thetta", Some("theta")));
        }
        other => panic!("{other}"),
    }
}
