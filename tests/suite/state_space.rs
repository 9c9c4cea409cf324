//! The methods on independent coordinates: paper 004's, Fisette and Vaneghem's, and the explicit
//! ones.

use crate::models::*;
use crate::newton::assert_matrix_of;
use crate::support::*;
use mbd::assembly::{Point, SlotKind, System, Term, Weights};
use mbd::integrate::{
    Explicit, Formula, Integrator, Jacobian, MatrixPolicy, Method, Prediction, StateSpace, Step,
};
use mbd::model::Mechanism;
use mbd::simulation::{Simulation, Started};
use mbd::verify::convergence_order;
use nalgebra::DMatrix;

pub fn started(mechanism: &impl Mechanism) -> Started {
    Simulation::new(mechanism).start().unwrap_or_else(|error| panic!("{error}"))
}

fn newton(jacobian: Jacobian) -> Method {
    let method = Method::from(StateSpace::default().jacobian(jacobian));
    method.matrix_policy(MatrixPolicy::EveryIteration)
}

macro_rules! matrices {
    ($($test:ident $model:expr, $h:expr;)*) => { $(
        #[test]
        fn $test() {
            assert_matrix_of(&StateSpace::default().into(), &$model, $h);
        }
    )* };
}
// Eq. 29: nonconstant mass in ida_slider_crank, slider_crank, heavy_top and crank_modal, driven
// constraints in car_axis and crank_modal, states in slider_crank and actuator_pendulum.
matrices! {
    matrix_of_actuator_pendulum ActuatorPendulum::default(), 1e-2;
    matrix_of_car_axis CarAxis::default(), 1e-3;
    matrix_of_chain Chain { n: 4, ..Default::default() }, 1e-2;
    matrix_of_crank_modal CrankModal::default(), 1e-5;
    matrix_of_double_pendulum DoublePendulum::default(), 1e-4;
    matrix_of_four_bar FourBar::default(), 1e-2;
    matrix_of_heavy_top HeavyTop::default(), 1e-4;
    matrix_of_ida_slider_crank IdaSliderCrank::default(), 1e-2;
    matrix_of_mass_pi MassPi::default(), 1e-2;
    matrix_of_seven_body SevenBody::default(), 1e-5;
    matrix_of_slider_crank SliderCrank::default(), 1e-3;
    matrix_of_slider_crank_haug SliderCrankHaug::default(), 1e-4;
}

/// A term at a point as a dense matrix.
fn dense(system: &System, point: &Point, term: Term) -> DMatrix<f64> {
    let weights = Weights { u: point.a(), s: point.lambda(), r: point.psi() };
    let (rows, columns) = system.term_shape(term);
    let mut matrix = DMatrix::zeros(rows, columns);
    for (i, j, value) in system.entries(point, &weights, term) {
        matrix[(i, j)] += value;
    }
    matrix
}

/// (40), term by term with dense algebra: what the exact matrix has and Fisette and Vaneghem's has
/// not, for the trapezoidal rule; without its second line for the text of section 3.2.2.
fn equation_40(
    system: &System,
    p: &Point,
    independent: &[usize],
    h: f64,
    both: bool,
) -> DMatrix<f64> {
    let n = p.q().len();
    let dependent: Vec<usize> = (0..n).filter(|j| !independent.contains(j)).collect();
    let (gamma_h, beta_h2) = (0.5 * h, 0.25 * h * h);
    let g = dense(system, p, Term::G);
    let inverse = g.select_columns(&dependent).try_inverse().expect("the partition is good");
    let hh = -&inverse * g.select_columns(independent);
    // (Φ_u u̇)_u + (Φ_v v̇)_u and so on: columns of (Φ_q q̇)_q.
    let (u, v) = (&dependent, independent);
    let bend = dense(system, p, Term::GdotQ);
    let j = -&inverse * (bend.select_columns(u) * &hh + bend.select_columns(v));
    let (tau_q, tau_v) = (-dense(system, p, Term::GammaQ), -dense(system, p, Term::GammaV));
    let nn = &inverse * (tau_v.select_columns(u) * &hh + tau_v.select_columns(v));
    let of_a = tau_q - dense(system, p, Term::GuQ);
    let l = &inverse
        * (of_a.select_columns(u) * &hh + of_a.select_columns(v) + tau_v.select_columns(u) * j);
    let m = dense(system, p, Term::M);
    let (m_vu, m_uu) = (m.select_rows(v).select_columns(u), m.select_rows(u).select_columns(u));
    let mut difference = (m_vu + hh.transpose() * m_uu) * (nn * gamma_h + l * beta_h2);
    if both {
        let k = dense(system, p, Term::GtsQ);
        let part = |rows: &[usize], columns: &[usize]| k.select_rows(rows).select_columns(columns);
        let sum = part(v, v) + part(v, u) * &hh + hh.transpose() * (part(u, v) + part(u, u) * &hh);
        difference += sum * beta_h2;
    }
    difference
}

#[test]
fn fisette_and_vaneghems_matrix_is_the_exact_one_less_equation_40() {
    fn check(mechanism: &impl Mechanism, h: f64) {
        let started = started(mechanism);
        // The point a step leads to, by its accelerations.
        let method = newton(Jacobian::Exact);
        let mut stepped =
            Integrator::new(&started.system, &method, Step::fixed(h), &started.point).unwrap();
        let blocks = stepped.stepper().blocks();
        let independent: Vec<usize> =
            blocks.iter().filter(|b| b.kind == SlotKind::A).map(|b| b.first).collect();
        stepped.step_once(1.0).unwrap();
        let to = stepped.point().clone();
        let u = stepped.stepper().unknowns().to_vec();
        let matrix = |jacobian| {
            let method = newton(jacobian);
            let mut integrator =
                Integrator::new(&started.system, &method, Step::fixed(h), &started.point).unwrap();
            let matrix = integrator.probe(h, Some(&u)).unwrap().matrix;
            let free = independent.len();
            DMatrix::from_fn(free, free, |i, j| matrix[i][j])
        };
        let exact = matrix(Jacobian::Exact);
        for (jacobian, both) in
            [(Jacobian::FisetteVaneghem, true), (Jacobian::WithoutAccelerations, false)]
        {
            let should = equation_40(&started.system, &to, &independent, h, both);
            let is = &exact - matrix(jacobian);
            let error = (&is - &should).norm() / should.norm();
            let mut table = Table::new("exact less FV's matrix against eq. 40");
            table.row(format!(
                "{} {jacobian:?}: {error:.1e}; (40) is {:.1e} of (29)",
                started.system.model().name(),
                should.norm() / exact.norm()
            ));
            assert!(should.norm() > 1e-8 * exact.norm(), "nothing to compare");
            assert!(error < 1e-7, "{jacobian:?}: {is} and should be {should}");
        }
    }
    check(&DoublePendulum::default(), 1e-2);
    check(&SliderCrankHaug::default(), 1e-3);
    check(&SevenBody::default(), 1e-4);
    check(&IdaSliderCrank::default(), 1e-1);
    check(&SliderCrank::default(), 1e-2);
}

/// Runs at fixed steps and compares columns with a reference: errors over steps.
pub fn errors(
    mechanism: &impl Mechanism,
    method: &Method,
    t_end: f64,
    steps: &[f64],
    should: &[(&str, f64)],
) -> Vec<(f64, f64)> {
    let error = |h: f64| {
        let solution = run(mechanism, method.clone(), Step::fixed(h), t_end);
        largest(&should.iter().map(|(name, x)| last(&solution, name) - x).collect::<Vec<_>>())
    };
    steps.iter().map(|&h| (h, error(h))).collect()
}

pub fn halvings(h: f64, count: i32) -> Vec<f64> {
    (0..count).map(|k| h * f64::powi(0.5, k)).collect()
}

pub fn show(title: &str, runs: &[(f64, f64)]) {
    let mut table = Table::new(title);
    for pair in runs.windows(2) {
        let [(_, e0), (h, e1)] = pair else { continue };
        table.row(format!("h = {h:.2e}: {e1:.3e}, ratio {:.3}", e0 / e1));
    }
}

const PENDULUM: [(&str, f64); 2] = [("theta1", 4.901914789227836), ("theta2", 4.908619296672921)];
const CRANK: [(&str, f64); 2] = [("theta1", 2.024255503336861), ("omega1", 1.6886700918403794)];
const SEVEN: [(&str, f64); 1] = [("beta", 0.289644934595788)];

#[test]
fn the_three_problems_of_seed_004_are_solved_with_order_two() {
    let state_space = Method::from(StateSpace::default());
    let check = |name: &str, runs: Vec<(f64, f64)>| {
        show(&format!("state-space on {name}"), &runs);
        for pair in runs.windows(2) {
            let ratio = pair[0].1 / pair[1].1;
            assert!((3.8..=4.2).contains(&ratio), "{name}, h = {:e}: ratio {ratio}", pair[1].0);
        }
    };
    let pendulum = DoublePendulum::default();
    check("E1", errors(&pendulum, &state_space, 0.1, &halvings(1e-3, 5), &PENDULUM));
    let crank = SliderCrankHaug::default();
    check("E2", errors(&crank, &state_space, 0.1, &halvings(5e-4, 4), &CRANK));
    let seven = SevenBody::default();
    // To 9 digits.
    check("E3", errors(&seven, &state_space, 0.035, &halvings(2e-4, 4), &SEVEN));
}

/// The recorded error of an independent implementation of the same method.
#[test]
fn errors_are_those_recorded() {
    let mut table = Table::new("E3: error of β at the end beside the recorded one");
    for h in ["0.0001", "0.0002", "0.0005", "0.001"] {
        let theirs = references()["M4_seven"]["tol1e-08_exact"][h]["err"].as_f64().unwrap();
        let (seven, method) = (SevenBody::default(), StateSpace::default().into());
        let ours = errors(&seven, &method, 0.035, &[h.parse().unwrap()], &SEVEN)[0].1;
        table.row(format!("h = {h}: {ours:.6e}, recorded {theirs:.6e}"));
        assert_near("E3", ours, theirs, 1e-4 * theirs);
    }
}

#[test]
fn every_jacobian_and_prediction_has_the_same_solution() {
    let p = SliderCrankHaug::default();
    let end = |options: StateSpace| {
        let method = Method::from(options).matrix_policy(MatrixPolicy::EveryIteration);
        let solution = run(&p, method, Step::fixed(1e-3), 0.1);
        (lasts(&solution, &["theta1", "omega1"]), solution.stats.newton_iterations)
    };
    let (reference, iterations) = end(StateSpace::default());
    let mut table = Table::new("E2, h = 1e-3: Newton iterations");
    table.row(format!("exact: {iterations}"));
    for jacobian in [Jacobian::Exact, Jacobian::FisetteVaneghem, Jacobian::WithoutAccelerations] {
        for prediction in [Prediction::Polynomial, Prediction::Motion] {
            let options = StateSpace::default().jacobian(jacobian).prediction(prediction);
            let (values, count) = end(options);
            table.row(format!("{jacobian:?} from {prediction:?}: {count}"));
            assert_close("the solution", &values, &reference, 1e-11);
            assert!(jacobian == Jacobian::Exact || count > iterations, "{count} {iterations}");
        }
    }
}

#[test]
fn other_newmark_parameters_have_their_orders() {
    let p = DoublePendulum::default();
    for (beta, gamma, order) in [(1.0 / 6.0, 0.5, 2.0), (0.3025, 0.6, 1.0), (0.0, 0.5, 2.0)] {
        let method = StateSpace::default().newmark(beta, gamma).unwrap().into();
        let runs = errors(&p, &method, 0.1, &halvings(2.5e-4, 4), &PENDULUM);
        show(&format!("E1 with β = {beta}, γ = {gamma}"), &runs);
        let is = convergence_order(&runs);
        assert!((is - order).abs() < 0.1, "order {is}");
    }
    assert!(StateSpace::default().newmark(-0.1, 0.5).is_err());
    assert!(StateSpace::default().newmark(0.25, 0.4).is_err());
    assert!(Method::from_name("state-space").unwrap().rho(0.5).is_err());
}

#[test]
fn explicit_methods_have_their_orders() {
    let p = DoublePendulum::default();
    let abm = Method::from(Explicit::new(Formula::AdamsBashforthMoulton));
    let runs = errors(&p, &abm, 0.1, &halvings(1.25e-4, 4), &PENDULUM);
    show("explicit-abm on E1", &runs);
    assert!((convergence_order(&runs) - 2.0).abs() < 0.1, "{runs:?}");
    let rk = Method::from(Explicit::new(Formula::DormandPrince));
    let runs = errors(&p, &rk, 0.1, &halvings(1e-2, 4), &PENDULUM);
    show("explicit-rk on E1", &runs);
    assert!((convergence_order(&runs) - 5.0).abs() < 0.3, "{runs:?}");
    // Uneven steps.
    let exact = lasts(&run(&p, rk.clone(), Step::fixed(1e-4), 0.1), &["theta1", "theta2"]);
    assert_close("E1", &exact, &[PENDULUM[0].1, PENDULUM[1].1], 1e-13);
    let uneven: Vec<(f64, f64)> = halvings(2.5e-4, 4)
        .into_iter()
        .map(|h| {
            let solution = run(&p, abm.clone(), Step::cycle([h / 2.0, 1.5 * h]), 0.1);
            (h, distance(&lasts(&solution, &["theta1", "theta2"]), &exact))
        })
        .collect();
    show("explicit-abm on E1 with steps h/2 and 3h/2 in turn", &uneven);
    assert!((convergence_order(&uneven[1..]) - 2.0).abs() < 0.15, "{uneven:?}");
}

#[test]
fn states_and_variables_are_integrated() {
    let at = numbers(&references()["M3_fixed"]["pendulum_actuator_reference"]["1.0"]);
    let actuator = ActuatorPendulum::default();
    let mass = numbers(&references()["M3_fixed"]["MassPI_reference"]["2.0"]);
    for (formula, steps, order, within) in [
        (None, halvings(f64::powi(0.5, 8), 4), 2.0, 0.1),
        (Some(Formula::AdamsBashforthMoulton), halvings(f64::powi(0.5, 9), 4), 2.0, 0.1),
        (Some(Formula::DormandPrince), halvings(f64::powi(0.5, 6), 3), 5.0, 0.5),
    ] {
        let method: Method = match formula {
            Some(formula) => Explicit::new(formula).into(),
            None => StateSpace::default().into(),
        };
        let should = [("theta", at[0]), ("der(theta)", at[1]), ("X", at[2])];
        let runs = errors(&actuator, &method, 1.0, &steps, &should);
        show(&format!("{} on actuator_pendulum", method.name()), &runs);
        assert!((convergence_order(&runs) - order).abs() < within, "{runs:?}");
        let should = [("q", mass[0]), ("der(q)", mass[1]), ("X", mass[2])];
        let runs = errors(&MassPi::default(), &method, 2.0, &steps, &should);
        show(&format!("{} on mass_pi", method.name()), &runs);
        assert!((convergence_order(&runs) - order).abs() < within, "{runs:?}");
    }
}

#[test]
fn tolerances_are_met_in_proportion() {
    let pendulum = Pendulum::default();
    for name in ["state-space", "explicit-abm", "explicit-rk"] {
        let method = Method::from_name(name).unwrap();
        let mut table = Table::new(&format!("{name}, pendulum over 10 s: tolerance, error, steps"));
        let mut errors = Vec::new();
        for tolerance in [1e-3, 1e-5, 1e-7] {
            let solution = run(&pendulum, method.clone(), Step::adaptive(tolerance), 10.0);
            let error = distance(
                &lasts(&solution, &["x", "y"]),
                &[-0.2750874625766221, -0.9614192050989805],
            );
            table.row(format!("{tolerance:.0e}: {error:.2e}; {}", solution.stats));
            let drift = solution.drift;
            assert!(drift.position < 1e-14 && drift.velocity < 1e-13, "{name}: {drift:?}");
            errors.push((tolerance, error));
        }
        // Error over tolerance to the power 2/3 for the methods of order 2, 1 for order 5.
        let slope = convergence_order(&errors[1..]);
        table.row(format!("slope {slope:.2}"));
        assert!(slope > 0.5 && errors[2].1 < 1e-3, "{errors:?}");
    }
}

/// F5 to 1e-10, at its end and between its steps.
#[test]
fn explicit_rk_reaches_ten_digits() {
    let pendulum = Pendulum::default();
    let method = Method::from(Explicit::new(Formula::DormandPrince));
    let solution = Simulation::new(&pendulum)
        .method(method.clone())
        .step(Step::adaptive(1e-11))
        .until(10.0)
        .every(0.01)
        .run()
        .unwrap_or_else(|failed| panic!("{failed}"));
    let end = lasts(&solution, &["x", "y"]);
    let error = distance(&end, &[-0.2750874625766221, -0.9614192050989805]);
    let [t, x, y, vx] =
        ["t", "x", "y", "der(x)"].map(|name| solution.series(name).unwrap().to_vec());
    let (mut between, mut rates): (f64, f64) = (0.0, 0.0);
    for i in 0..solution.len() {
        let exact = pendulum_from_horizontal(pendulum.g, t[i]);
        between = between.max((x[i] - exact.x).abs()).max((y[i] - exact.y).abs());
        rates = rates.max((vx[i] - exact.vx).abs());
    }
    let mut table = Table::new("explicit-rk, pendulum, tolerance 1e-11");
    table.row(format!("end {error:.1e}, between steps {between:.1e}, rates {rates:.1e}"));
    table.row(&solution.stats);
    assert!(error < 1e-10, "{error:e}");
    assert!(between < 1e-9 && rates < 1e-7, "{between:e} {rates:e}");
    // Andrews' mechanism in angles has no constraints; F1's digits to what the test set's have.
    let solution = run(&Andrews::default(), method, Step::adaptive(1e-10), 0.03);
    let beta = last(&solution, "beta");
    table.row(format!(
        "andrews, 1e-10: β off by {:.1e}; {}",
        beta - 15.81077119629904,
        solution.stats
    ));
    assert_near("β", beta, 15.81077119629904, 1e-7);
}

/// Explicit methods on stiff problems: the largest stable step is set by the fastest decay.
/// Steps of a user's choice may be as coarse as they like, also where their equations are not solved to round-off: one
/// that changes a dependent velocity by more than accelerations do is no leap to another branch of the motion.
#[test]
fn prescribed_steps_may_be_coarse_however_exactly_they_are_solved() {
    let started = started(&DoublePendulum::default());
    let methods: [Method; 2] =
        [StateSpace::default().into(), Explicit::new(Formula::AdamsBashforthMoulton).into()];
    for method in methods {
        let step = Step::fixed(0.02).newton_tolerance(1e-8);
        let mut run = Integrator::new(&started.system, &method, step, &started.point).unwrap();
        for k in 1..=5 {
            let taken = run.step_once(0.1).unwrap_or_else(|error| panic!("{error}"));
            assert!(
                (taken.t - 0.02 * f64::from(k)).abs() < 1e-15,
                "{}: whole steps",
                method.name()
            );
        }
        // docs/book/src/reproduce/004.md: in error by 4.6e-3 and 3.3e-2 rad, of 1.5 rad.
        let exact = Simulation::new(&DoublePendulum::default())
            .method(Explicit::new(Formula::DormandPrince))
            .step(Step::adaptive(1e-11))
            .until(0.1)
            .run()
            .unwrap();
        let theta = run.system().model().coords().iter().position(|c| c.name == "bar1.theta");
        let theta = theta.unwrap();
        let error = (run.point().q()[theta] - exact.final_q()[theta]).abs();
        assert!(error < 5e-2, "{}: {error:e}", method.name());
    }
}

#[test]
fn stiffness_bounds_explicit_steps_only() {
    let stiff = DoublePendulum { k1: 400.0, c1: 15.0, k2: 3e5, c2: 5e4, ..Default::default() };
    let recorded = &references()["M4_extra"]["double_A_recalled"];
    let bound = recorded["AB2AM2_PECE_bound"].as_f64().unwrap();
    let theta = numbers(&recorded["reference"]["0.1"]["theta"]);
    let abm = Method::from(Explicit::new(Formula::AdamsBashforthMoulton));
    let end = |method: &Method, h: f64| {
        let run =
            Simulation::new(&stiff).method(method.clone()).step(Step::fixed(h)).until(0.1).run();
        run.map(|solution| distance(&lasts(&solution, &["theta1", "theta2"]), &theta))
    };
    let below = end(&abm, 0.97 * bound).expect("a stable run");
    let above = end(&abm, 1.03 * bound).map_or(f64::INFINITY, |error| error);
    let implicit = end(&StateSpace::default().into(), 1e-3).expect("an implicit method");
    let mut table = Table::new("E1 with the stiff hinges: errors");
    table.row(format!("explicit-abm, 0.97 and 1.03 of {bound:.3e} s: {below:.1e}, {above:.1e}"));
    table.row(format!("state-space, 1e-3 s: {implicit:.1e}"));
    assert!(below < 1e-4 && above > 1e-2, "{below:e} {above:e}");
    assert!(implicit < 1e-3, "{implicit:e}");
}

#[test]
fn what_they_cannot_treat_is_refused_by_name() {
    for name in ["state-space", "state-space-fv", "explicit-abm", "explicit-rk"] {
        let method = Method::from_name(name).unwrap();
        assert_eq!(method.name(), name);
        let failed = Simulation::new(&Skate::default()).method(method).run().unwrap_err();
        assert!(failed.to_string().contains("edge"), "{failed}");
    }
    let of_multipliers = Simulation::new(&JayNegrut::default())
        .method(StateSpace::default())
        .run()
        .unwrap_err()
        .to_string();
    assert!(of_multipliers.contains("state-space"), "{of_multipliers}");
}
