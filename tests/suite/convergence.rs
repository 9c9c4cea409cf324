//! Orders of convergence with fixed steps, against references that are exact for the purpose.

use crate::models::*;
use crate::support::*;
use mbd::integrate::{HhtI3, Step};
use mbd::model::Mechanism;
use mbd::verify::{Convergence, convergence_order};

/// Runs with every step size; `should` holds, per quantity, columns with their exact values. The
/// error of a quantity is the Euclidean norm over its columns.
fn study(
    mechanism: &impl Mechanism,
    method: HhtI3,
    t_end: f64,
    steps: &[f64],
    should: &[(&'static str, Vec<(&str, f64)>)],
) -> Study {
    let quantities: Vec<&str> = should.iter().map(|(quantity, _)| *quantity).collect();
    let measured = Convergence::measure(&quantities, steps.iter().copied(), |h| {
        let solution = run(mechanism, method, Step::fixed(h), t_end);
        let errors = should.iter().map(|(_, columns)| {
            let squares = columns.iter().map(|(name, x)| (last(&solution, name) - x).powi(2));
            squares.sum::<f64>().sqrt()
        });
        Ok::<_, std::convert::Infallible>(errors.collect())
    });
    match measured {
        Ok(study) => Study(study),
    }
}

/// Errors over step sizes, one per group of columns.
struct Study(Convergence);

impl Study {
    fn order(&self, quantity: &str) -> f64 {
        self.0.order(quantity, usize::MAX)
    }

    fn show(&self, title: &str) {
        let mut table = Table::new(title);
        for quantity in &self.0.quantities {
            let list: Vec<String> =
                self.0.of(quantity).iter().map(|(_, e)| format!("{e:.3e}")).collect();
            table.row(format!(
                "{quantity:<3} order {:.3}: {}",
                self.order(quantity),
                list.join(" ")
            ));
        }
    }

    #[track_caller]
    fn assert_order(&self, quantity: &str, order: f64, within: f64) {
        let is = self.order(quantity);
        assert!((is - order).abs() <= within, "order of {quantity}: {is:.3}, not {order}");
    }
}

/// h = 2⁻ᵏ for a range of k.
fn halvings(from: i32, to: i32) -> Vec<f64> {
    (from..=to).map(|k| f64::powi(2.0, -k)).collect()
}

/// C2: the state of P16_reference at t = 1; its errors of q, v and λ stand in
/// `M3_fixed.fixed_P16_T1` of an independent implementation.
#[test]
fn bushing_pendulum_is_of_order_two() {
    let at = &references()["P16_reference"]["1.0"];
    let (y, z, l) = (numbers(&at["y"]), numbers(&at["z"]), numbers(&at["lam"]));
    let should = [
        ("q", vec![("x", y[0]), ("y", y[1]), ("theta", y[2])]),
        ("v", vec![("der(x)", z[0]), ("der(y)", z[1]), ("der(theta)", z[2])]),
        ("λ", vec![("lambda(pin[0])", l[0]), ("lambda(pin[1])", l[1])]),
    ];
    let study = study(&BushingPendulum::default(), hht(), 1.0, &halvings(8, 12), &should);
    study.show("bushing_pendulum, t = 1, h = 2^-8 … 2^-12");
    for quantity in ["q", "v", "λ"] {
        study.assert_order(quantity, 2.0, 0.1);
    }
    // Column 0, 1, 4 of the recorded errors: q, v, λ for h = 2^-4 … 2^-10. They are the same
    // method's, so they agree in all digits that rounding leaves.
    let recorded = &references()["M3_fixed"]["fixed_P16_T1"];
    let steps = numbers(&recorded["h"]);
    for (quantity, column) in [("q", 0), ("v", 1), ("λ", 4)] {
        for (h, error) in study.0.of(quantity) {
            if let Some(row) = steps.iter().position(|s| *s == h) {
                let theirs = numbers(&recorded["err"][row])[column];
                assert_near(&format!("error of {quantity}, h = {h}"), error, theirs, 1e-3 * theirs);
            }
        }
    }
}

/// The reaction of the pin from the pendulum's angle, speed and angular acceleration: the centre of
/// mass moves on a circle of radius L, λ = −m (q̈ + g e_y).
fn pin_reaction(p: &ActuatorPendulum, theta: f64, omega: f64, alpha: f64) -> [f64; 2] {
    let (s, c) = theta.sin_cos();
    let ax = -p.L * (s * alpha + c * omega * omega);
    let ay = p.L * (c * alpha - s * omega * omega);
    [-p.m * ax, -p.m * (ay + p.g)]
}

fn actuator_reference() -> [(&'static str, Vec<(&'static str, f64)>); 4] {
    let p = ActuatorPendulum::default();
    let at = numbers(&references()["M3_fixed"]["pendulum_actuator_reference"]["1.0"]);
    let (theta, omega, state) = (at[0], at[1], at[2]);
    // (J + m L²) θ̈ = X − c θ̇ − k (θ − 3π/2) − m g L cos θ with J = m L²/3.
    let torque = state
        - p.c * omega
        - p.k * (theta - 1.5 * std::f64::consts::PI)
        - p.m * p.g * p.L * theta.cos();
    let alpha = torque / (4.0 / 3.0 * p.m * p.L * p.L);
    let l = pin_reaction(&p, theta, omega, alpha);
    let (s, c) = theta.sin_cos();
    [
        ("q", vec![("x", p.L * c), ("y", p.L * s), ("theta", theta)]),
        ("v", vec![("der(x)", -p.L * s * omega), ("der(theta)", omega)]),
        ("λ", vec![("lambda(pin[0])", l[0]), ("lambda(pin[1])", l[1])]),
        ("X", vec![("X", state)]),
    ]
}

/// D1 with ρ = 1/2 for the state.
#[test]
fn actuator_pendulum_is_of_order_two() {
    let should = actuator_reference();
    let study = study(&ActuatorPendulum::default(), hht(), 1.0, &halvings(8, 12), &should);
    study.show("actuator_pendulum, ρ = 1/2, t = 1, h = 2^-8 … 2^-12");
    for quantity in ["q", "v", "λ", "X"] {
        study.assert_order(quantity, 2.0, 0.1);
    }
}

/// D1 with ρ > 1/2: the state is of order 1 and drags the motion along (2-mathematics §5, paper 002;
/// `M3_fixed.actuator_fixed_rho0.75` and `_rho1`).
#[test]
fn actuator_pendulum_with_damped_state_is_of_order_one() {
    let should = actuator_reference();
    for rho in [0.75, 1.0] {
        let method = hht().states(rho).unwrap();
        let study = study(&ActuatorPendulum::default(), method, 1.0, &halvings(10, 14), &should);
        study.show(&format!("actuator_pendulum, ρ = {rho}, t = 1, h = 2^-10 … 2^-14"));
        for quantity in ["q", "X"] {
            study.assert_order(quantity, 1.0, 0.1);
        }
    }
}

/// D2 with ρ = 1/2, against the matrix exponential.
#[test]
fn mass_pi_is_of_order_two() {
    let at = numbers(&references()["M3_fixed"]["MassPI_reference"]["2.0"]);
    let should =
        [("q", vec![("q", at[0])]), ("v", vec![("der(q)", at[1])]), ("X", vec![("X", at[2])])];
    let study = study(&MassPi::default(), hht(), 2.0, &halvings(9, 13), &should);
    study.show("mass_pi, ρ = 1/2, t = 2, h = 2^-9 … 2^-13");
    for quantity in ["q", "v", "X"] {
        study.assert_order(quantity, 2.0, 0.1);
    }
}

/// F5, against the closed form.
#[test]
fn pendulum_is_of_order_two() {
    let p = Pendulum::default();
    for (name, method) in [("α = −0.3", hht()), ("α = 0", HhtI3::alpha(0.0).unwrap())] {
        let t_end = 2.0;
        let exact = pendulum_from_horizontal(p.g, t_end);
        let tension = 0.5 * (exact.vx.powi(2) + exact.vy.powi(2) - p.g * exact.y);
        let should = [
            ("q", vec![("x", exact.x), ("y", exact.y)]),
            ("v", vec![("der(x)", exact.vx), ("der(y)", exact.vy)]),
            ("λ", vec![("lambda(rod)", tension)]),
        ];
        let study = study(&p, method, t_end, &halvings(7, 11), &should);
        study.show(&format!("pendulum, {name}, t = 2, h = 2^-7 … 2^-11"));
        for quantity in ["q", "v"] {
            study.assert_order(quantity, 2.0, 0.1);
        }
        // Without numerical damping λ keeps its start-up transient (it alternates and does not
        // decay), so only the damped method's is judged.
        if name != "α = 0" {
            study.assert_order("λ", 2.0, 0.1);
        }
    }
}

/// The start-up transient of λ: of order 1 in the first step, gone later (2-mathematics §5, seed
/// 002; `M3_fixed.lambda_transient`).
#[test]
fn the_multiplier_has_a_first_order_transient() {
    let p = BushingPendulum::default();
    let mut runs = Vec::new();
    for h in halvings(7, 11) {
        let solution = run(&p, hht(), Step::fixed(h), h);
        // λ after one step against the reaction of the exact motion there, from a much finer run.
        let fine = run(&p, hht(), Step::fixed(h / 256.0), h);
        let error = distance(
            &lasts(&solution, &["lambda(pin[0])", "lambda(pin[1])"]),
            &lasts(&fine, &["lambda(pin[0])", "lambda(pin[1])"]),
        );
        runs.push((h, error));
    }
    let order = convergence_order(&runs);
    assert!((order - 1.0).abs() <= 0.1, "order of λ in the first step: {order:.3}");
}

/// Prescribed steps that alternate: HHT-I3 as published keeps a_n as it is when the step changes
/// and loses order in λ; q and v must still converge.
#[test]
fn alternating_steps_converge() {
    let at = &references()["P16_reference"]["1.0"];
    let (y, z) = (numbers(&at["y"]), numbers(&at["z"]));
    let mut runs = (Vec::new(), Vec::new());
    for h in halvings(7, 11) {
        let step = Step::cycle([h / 2.0, 1.5 * h]);
        let solution = run(&BushingPendulum::default(), hht(), step, 1.0);
        runs.0.push((h, (last(&solution, "theta") - y[2]).abs()));
        runs.1.push((h, (last(&solution, "der(theta)") - z[2]).abs()));
    }
    let (q, v) = (convergence_order(&runs.0), convergence_order(&runs.1));
    let mut table = Table::new("bushing_pendulum, steps h/2 and 3h/2 in turn");
    table.row(format!("order of θ {q:.3}, of θ̇ {v:.3}"));
    assert!(q > 0.9 && v > 0.9, "orders {q:.3} and {v:.3}");
}

/// C4, nonholonomic: a skate on a slope (Jay and Negrut's problem), against its exact solution
/// x = a sin²ωt, y = a (ωt − ½ sin 2ωt), φ = ωt with a = F/(2mω²), and the reaction
/// ψ = side force from m ÿ + cos φ ψ = 0.
#[test]
fn skate_is_of_order_two() {
    let p = Skate::default();
    let (t, w) = (2.0, p.omega);
    let a = p.F / (2.0 * p.m * w * w);
    let (s, c) = (w * t).sin_cos();
    let should = [
        ("q", vec![("x", a * s * s), ("y", a * (w * t - s * c)), ("phi", w * t)]),
        ("v", vec![("der(x)", 2.0 * a * w * s * c), ("der(y)", 2.0 * a * w * s * s)]),
        // ÿ = 4 a ω² sin ωt cos ωt.
        ("ψ", vec![("psi(edge)", -p.m * 4.0 * a * w * w * s)]),
    ];
    let study = study(&p, hht(), t, &halvings(6, 10), &should);
    study.show("skate, t = 2, h = 2^-6 … 2^-10");
    for quantity in ["q", "v"] {
        study.assert_order(quantity, 2.0, 0.1);
    }
    // Here even of order 3; measured 2.996.
    assert!(study.order("ψ") > 1.9, "order of ψ: {:.3}", study.order("ψ"));
}

/// C1: forces nonlinear in λ and ψ, a mass matrix that is neither constant nor symmetric, against
/// the exact solution y = (eᵗ, e^{−2t}), λ = e^{−t}, ψ = eᵗ.
#[test]
fn jay_negrut_is_of_order_two() {
    let e = f64::exp(1.0);
    let should = [
        ("q", vec![("y1", e), ("y2", e.powi(-2))]),
        ("v", vec![("der(y1)", e), ("der(y2)", -2.0 * e.powi(-2))]),
        ("λ", vec![("lambda(lambda1)", 1.0 / e)]),
        ("ψ", vec![("psi(psi1)", e)]),
    ];
    let study = study(&JayNegrut::default(), hht(), 1.0, &halvings(6, 10), &should);
    study.show("jay_negrut, t = 1, h = 2^-6 … 2^-10");
    for quantity in ["q", "v", "λ", "ψ"] {
        study.assert_order(quantity, 2.0, 0.1);
    }
}

/// C3: HHT-I3 lets the velocity constraints drift, with h². The independent implementation's
/// largest violations stand in `drift_slider_crank.rows` for h = 2⁻⁶ … 2⁻¹⁰.
#[test]
fn velocity_constraints_drift_as_recorded() {
    let rows = references()["drift_slider_crank"]["rows"].as_array().unwrap();
    let mut table = Table::new("drift_slider_crank, t = 1: max |G v|, and as recorded");
    let mut runs = Vec::new();
    for row in rows {
        let h = row["h"].as_f64().unwrap();
        let theirs = row["I3_all_vel_drift"].as_f64().unwrap();
        let solution = run(&DriftSliderCrank::default(), hht(), Step::fixed(h), 1.0);
        let drift = solution.drift;
        table.row(format!("h = {h:.2e}: {:.4e}, {theirs:.4e}", drift.velocity));
        assert!(drift.position < 1e-14, "|g| = {:e}", drift.position);
        assert_near("drift of velocities", drift.velocity, theirs, 0.01 * theirs);
        runs.push((h, drift.velocity));
    }
    let order = convergence_order(&runs);
    assert!((order - 2.0).abs() <= 0.1, "order {order:.3}");
}
