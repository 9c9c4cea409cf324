//! The BDF methods: matrices, orders, equality of the forms, tolerances, options.

use super::dae_alpha::{distance, driven, driven_exactly, e, run, sliding};
use super::models::*;
use super::newton::matrix_is_the_derivative;
use super::soi2_models::{problem15, start15};
use crate::assembly::{SlotKind::*, System};
use crate::error::OptionError;
use crate::integrate::{Bdf, BdfForm, Integrator, Method, Step};
use crate::nonlinear::MatrixPolicy;
use crate::start;
use nalgebra::DMatrix;

/// The forms whose equations are consistent.
const CONSISTENT: [BdfForm; 4] =
    [BdfForm::Stabilized, BdfForm::StabilizedStar, BdfForm::CoordinateSplit, BdfForm::Modified];

fn method(form: BdfForm, order: usize) -> Method {
    Bdf::new(form).order(order).unwrap().into()
}

#[test]
fn the_newton_matrix_is_the_derivative_of_the_residual() {
    let ggl = method(BdfForm::Stabilized, 2);
    for h in [0.05, 0.5] {
        for system in [bushing_pendulum(), actuator_pendulum(), mass_pi(), everything()] {
            matrix_is_the_derivative(&system, &consistent(&system), &ggl, h);
        }
        let (system, start) = sliding(true);
        matrix_is_the_derivative(&system, &start, &ggl, h);
    }
}

/// P J = ∂(P r)/∂(q, v, x, w) for the matrix (2.14), with P formed from the rows of G and the
/// derivative by difference quotients.
#[test]
fn the_split_matrix_is_the_derivative_of_the_projected_residual() {
    let (system, start) = sliding(false);
    let named = ["c", "d"].map(String::from).to_vec();
    let options = Bdf::new(BdfForm::CoordinateSplit).independent(named).unwrap();
    let h = 0.05;
    let mut integrator = Integrator::new(&system, &options.into(), Step::fixed(h), &start).unwrap();
    let mut u = integrator.probe(h, None).unwrap().u;
    for (i, u) in u.iter_mut().enumerate() {
        *u += 0.1 * (1.0 + i as f64).sin();
    }
    let dims = system.dims();
    let (n, m, kept) = (dims.n, dims.m, 2 * dims.n + dims.nx + dims.nw);
    let probe = integrator.probe(h, Some(&u)).unwrap();
    let j = DMatrix::from_fn(u.len(), u.len(), |r, c| probe.matrix[r][c]);
    let g = j.view((kept, 0), (m, n)).into_owned();
    let (gy, gx) = (g.columns(0, n - m).into_owned(), g.columns(n - m, m).into_owned());
    let q = gy.try_inverse().unwrap() * gx;
    let mut worst: f64 = 0.0;
    for col in 0..kept {
        let d = 1e-4;
        let mut at = |step: f64| {
            let mut moved = u.clone();
            moved[col] += step;
            integrator.probe(h, Some(&moved)).unwrap().residual
        };
        let [a, b, c, e] = [d, -d, 2.0 * d, -2.0 * d].map(&mut at);
        for level in [0, n] {
            for i in 0..n - m {
                // Row i of P = Xᵀ − QᵀYᵀ, with Y the first coordinates.
                let row = n - m + i;
                let p_j = j[(level + row, col)]
                    - (0..m).map(|k| q[(k, i)] * j[(level + k, col)]).sum::<f64>();
                let near = (a[level + row] - b[level + row]) / (2.0 * d);
                let far = (c[level + row] - e[level + row]) / (4.0 * d);
                let quotient = (4.0 * near - far) / 3.0;
                worst = worst.max((p_j - quotient).abs() / (1.0 + quotient.abs()));
            }
        }
    }
    println!("largest relative error {worst:.1e}");
    assert!(worst < 1e-8, "{worst:e}");
}

#[test]
fn the_split_iteration_is_newtons() {
    let system = bushing_pendulum();
    for (form, quadratic) in [(BdfForm::CoordinateSplit, true), (BdfForm::Modified, false)] {
        let method = method(form, 2).matrix_policy(MatrixPolicy::EveryIteration);
        let start = consistent(&system);
        let mut integrator = Integrator::new(&system, &method, Step::fixed(0.03), &start).unwrap();
        integrator.step_once(10.0).unwrap();
        let norms: Vec<f64> =
            integrator.stepper().newton_norms().iter().map(|n| n * 8.0 * f64::EPSILON).collect();
        println!("{form:?}: {}", e(&norms));
        let pairs = norms.windows(2).filter(|p| p[0] < 0.2 && p[1] > 1e-13);
        let found = pairs.clone().all(|p| p[1] < 5.0 * p[0] * p[0]) && pairs.count() > 0;
        assert_eq!(found, quadratic, "{form:?}");
    }
}

/// N steps whose sizes grow from T/N³, so that the low orders of the first ones do not count.
fn graded(t_end: f64, count: usize) -> Step {
    let at = |i: usize| t_end * (i as f64 / count as f64).powi(3);
    Step::sequence((0..count).map(|i| at(i + 1) - at(i)).collect::<Vec<_>>())
}

/// Errors of q, v and λ as roots of the mean squares over eight instants, and the distance of the
/// acceleration from that of the equations of motion.
#[test]
fn orders_from_one_to_five() {
    let system = driven();
    let start = consistent(&system);
    let t_end = 1.5;
    // Nodes that all meshes share.
    let exact = [1, 2, 3, 4, 5, 6, 7, 8].map(|i| {
        let t = t_end * (f64::from(i) / 8.0).powi(3);
        (t, driven_exactly(t))
    });
    for form in CONSISTENT {
        for order in 1..=5 {
            // The fifth formula is not stable yet where the coarser mesh grows fast.
            let meshes = if order == 5 { [320, 640] } else { [160, 320] };
            let errors = meshes.map(|count| {
                let (method, step) = (method(form, order), graded(t_end, count));
                let mut integrator = Integrator::new(&system, &method, step, &start).unwrap();
                let mut squares = [0.0; 4];
                for (t, exact) in &exact {
                    while integrator.point().t() < t - 1e-12 {
                        integrator.step_once(t_end).unwrap();
                    }
                    let p = integrator.point();
                    assert!((p.t() - t).abs() < 1e-12);
                    let mut consistent = p.clone();
                    start::solve_accelerations(&system, &mut consistent).unwrap();
                    let errors = [
                        distance(p.q(), &exact[..2]),
                        distance(p.v(), &exact[2..4]),
                        distance(p.lambda(), &exact[4..]),
                        distance(p.a(), consistent.a()),
                    ];
                    squares.iter_mut().zip(errors).for_each(|(sum, e)| *sum += e * e / 8.0);
                }
                squares.map(f64::sqrt)
            });
            let orders: [f64; 4] = std::array::from_fn(|i| (errors[0][i] / errors[1][i]).log2());
            println!("{:12} {order}: q v λ a {orders:.2?} {}", form.name(), e(&errors[1]));
            assert!(
                orders.iter().all(|p| (p - order as f64).abs() < 0.35),
                "{form:?} {order}: {orders:?}"
            );
        }
    }
}

#[test]
fn forms_agree() {
    for (system, start) in [
        {
            let system = driven();
            let start = consistent(&system);
            (system, start)
        },
        sliding(false),
    ] {
        let end = |form| run(&system, &method(form, 2), Step::fixed(0.01), 1.0, &start);
        let ggl = end(BdfForm::Stabilized);
        for form in BdfForm::ALL {
            let p = end(form);
            let by = [Q, V, A, Lambda].map(|kind| distance(p.get(kind), ggl.get(kind)));
            println!("{} {:12} differs by {}", system.model().name(), form.name(), e(&by));
            if CONSISTENT.contains(&form) {
                assert!(by[0] < 1e-12 && by[1] < 1e-12 && by[2] < 1e-10, "{by:?}");
                // The split forms' λ is that of the point; it differs by the order of the formula.
                assert!(by[3] < if form.splits() { 1e-2 } else { 1e-10 }, "{by:?}");
            }
        }
    }
}

/// Positions, velocities and accelerations in a row of tolerances, against the exact motion.
#[test]
fn errors_follow_the_tolerance() {
    let system = driven();
    let start = consistent(&system);
    let exact = [0.7, 1.1, 1.3, 1.5].map(|t| (t, driven_exactly(t)));
    for form in CONSISTENT {
        for order in [2, 5] {
            let mut last = f64::INFINITY;
            for tolerance in [1e-3, 1e-5, 1e-7] {
                let options = Bdf::new(form).order(order).unwrap();
                let step = Step::adaptive(tolerance);
                let mut integrator =
                    Integrator::new(&system, &options.into(), step, &start).unwrap();
                // All over the run: at its end alone an error may pass through zero.
                let mut error = 0.0f64;
                for exact in &exact {
                    let t = exact.0;
                    while integrator.point().t() < t {
                        integrator.step_once(t).unwrap();
                    }
                    error = error.max(distance(integrator.point().q(), &exact.1[..2]));
                }
                let (stats, drift) = (integrator.stats(), integrator.drift());
                println!(
                    "{:12} {order} {tolerance:.0e}: {error:.1e} in {} steps, drift {:.1e} {:.1e}",
                    form.name(),
                    stats.steps,
                    drift.position,
                    drift.velocity
                );
                assert!(error < last / 4.0, "{form:?} {order} {tolerance:e}: {error:e}");
                assert!(drift.position < 1e-12 && drift.velocity < 1e-12, "{drift:?}");
                last = error;
            }
        }
    }
}

/// Forces nonlinear in λ and ψ, stated reactions, nonholonomic constraints, a mass matrix that is
/// neither constant nor symmetric: the exact solution is (eᵗ, e^{−2t}), λ = e^{−t}, ψ = eᵗ.
#[test]
fn problem_15_is_of_the_order_of_the_formula() {
    let system = problem15();
    let start = start15(&system);
    let instants = [0.4, 0.6, 0.8, 1.0f64].map(|s| s.powi(3));
    for order in 1..=4 {
        let errors = [100, 200].map(|count| {
            let (method, step) = (method(BdfForm::Stabilized, order), graded(1.0, count));
            let mut integrator = Integrator::new(&system, &method, step, &start).unwrap();
            let mut squares = [0.0; 4];
            for t in instants {
                while integrator.point().t() < t - 1e-12 {
                    integrator.step_once(1.0).unwrap();
                }
                let (p, e) = (integrator.point(), t.exp());
                let errors = [
                    distance(p.q(), &[e, e.powi(-2)]),
                    distance(p.v(), &[e, -2.0 * e.powi(-2)]),
                    distance(p.lambda(), &[1.0 / e]),
                    distance(p.psi(), &[e]),
                ];
                squares.iter_mut().zip(errors).for_each(|(sum, e)| *sum += e * e / 4.0);
            }
            squares.map(f64::sqrt)
        });
        let orders: [f64; 4] = std::array::from_fn(|i| (errors[0][i] / errors[1][i]).log2());
        println!("{order}: q v λ ψ {orders:.2?} {}", e(&errors[1]));
        assert!(orders.iter().all(|p| (p - order as f64).abs() < 0.35), "{order}: {orders:?}");
    }
}

#[test]
fn states_variables_and_changing_mass() {
    for (form, level_two) in [(BdfForm::Stabilized, true), (BdfForm::CoordinateSplit, false)] {
        let (system, start) = sliding(level_two);
        let at = |k: i32| run(&system, &method(form, 2), Step::fixed(0.5f64.powi(k)), 1.0, &start);
        let points = [8, 9, 10, 11].map(at);
        let change = |i: usize, kind| distance(points[i].get(kind), points[i + 1].get(kind));
        let orders =
            [Q, V, A, Lambda, X, Xd, W].map(|kind| (change(1, kind) / change(2, kind)).log2());
        println!("{:12} q v a λ x ẋ w: {orders:.3?}", form.name());
        assert!(orders.iter().all(|p| (p - 2.0).abs() < 0.1), "{form:?} {orders:?}");
    }
}

#[test]
fn redundant_rows_hold_their_multipliers_at_zero() {
    let mut system = doubled_pendulum();
    let mut start = system.initial_point();
    start::start(&mut system, &mut start).unwrap();
    let single = bushing_pendulum();
    let alone = consistent(&single);
    for form in CONSISTENT {
        let end =
            |system, start| run(system, &method(form, 2), Step::local_error(1e-6), 1.0, start);
        let (twice, once) = (end(&system, &start), end(&single, &alone));
        let redundant: Vec<usize> = system.inactive_rows(Lambda).collect();
        assert_eq!(redundant.len(), 2);
        assert!(redundant.iter().all(|&i| twice.lambda()[i] == 0.0), "{:?}", twice.lambda());
        let difference = distance(twice.q(), once.q());
        assert!(difference < 1e-6, "{form:?}: {difference:e}");
    }
}

#[test]
fn what_it_cannot_treat_is_refused_by_name() {
    let refused = |system: &System, form: BdfForm| {
        let start = system.initial_point();
        match Integrator::new(system, &method(form, 2), Step::fixed(0.01), &start).err() {
            Some(OptionError::NotForModel { statement, alternative, .. }) => {
                assert_eq!(alternative, "bdf-ggl");
                statement
            }
            other => panic!("{form:?}: {other:?}"),
        }
    };
    for form in BdfForm::ALL.into_iter().filter(|form| form.splits()) {
        assert_eq!(refused(&everything(), form), "skate");
        assert_eq!(refused(&sliding(true).0, form), "level two");
    }
    assert!(Bdf::new(BdfForm::Modified).order(0).is_err());
    assert!(Bdf::new(BdfForm::Modified).order(6).is_err());
    let named = vec![String::from("x")];
    assert!(matches!(
        Bdf::new(BdfForm::Stabilized).independent(named.clone()),
        Err(OptionError::NotOfMethod { .. })
    ));
    assert!(matches!(Method::default().order(3), Err(OptionError::NotOfMethod { .. })));
    let method = Method::from_name("bdf-cs").unwrap();
    assert!(matches!(method.clone().rho(0.5), Err(OptionError::NotOfMethod { .. })));
    let method = method.independent(vec!["nothing".into()]).unwrap();
    let system = bushing_pendulum();
    let error = Integrator::new(&system, &method, Step::fixed(0.01), &consistent(&system)).err();
    assert!(matches!(error, Some(OptionError::UnknownName { .. })), "{error:?}");
}
