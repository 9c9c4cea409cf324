//! Solutions computed elsewhere: published numbers, closed forms, and the independent
//! implementations whose results stand in tests/references.

use crate::models::*;
use crate::support::*;
use mbd::integrate::{HhtI3, Method, Radau5, Soi2, Step};
use mbd::model::Mechanism;
use mbd::verify::convergence_order;

/// Compares the first fixed steps with the recorded ones, every named column to 1e-9 relative to
/// max(1, |value|).
fn assert_trace(
    mechanism: &impl Mechanism,
    method: HhtI3,
    h: f64,
    trace: &serde_json::Value,
    columns: &[(&str, &[&str])],
) {
    let trace = trace.as_array().expect("a list of steps");
    let steps: Vec<_> = trace.iter().filter(|row| row["t"].as_f64() > Some(0.0)).collect();
    let solution = run(mechanism, method, Step::fixed(h), h * steps.len() as f64);
    assert_eq!(solution.len(), steps.len() + 1, "the start and every step is recorded");
    let mut worst: (f64, String) = (0.0, String::new());
    for row in trace {
        let t = row["t"].as_f64().expect("a time");
        let at = (t / h).round() as usize;
        for (key, names) in columns {
            for (name, should) in names.iter().zip(numbers(&row[*key])) {
                let is = solution.series(name).unwrap_or_else(|e| panic!("{e}"))[at];
                let error = (is - should).abs() / should.abs().max(1.0);
                if !(error <= worst.0) {
                    worst = (error, format!("{name} at t = {t}: {is} against {should}"));
                }
            }
        }
    }
    let mut table = Table::new("first steps against the recorded ones");
    table.row(format!("{}: largest error {:.1e}, {}", solution.model, worst.0, worst.1));
    assert!(worst.0 <= 1e-9, "{}", worst.1);
}

#[test]
fn bushing_pendulum_first_steps() {
    let trace = &references()["M3_fixed"]["trace_P16_h0.01_alpha-0.3"];
    assert_trace(
        &BushingPendulum::default(),
        hht(),
        0.01,
        trace,
        &[
            ("q", &["x", "y", "theta"]),
            ("qd", &["der(x)", "der(y)", "der(theta)"]),
            ("a", &["der(der(x))", "der(der(y))", "der(der(theta))"]),
            ("lam", &["lambda(pin[0])", "lambda(pin[1])"]),
        ],
    );
}

#[test]
fn actuator_pendulum_first_steps() {
    let trace = &references()["traces"]["M3_actuator_pendulum_alpha-0.3_rho0.75_h0.01"];
    assert_trace(
        &ActuatorPendulum::default(),
        hht().states(0.75).unwrap(),
        0.01,
        trace,
        &[
            ("q", &["x", "y", "theta"]),
            ("qd", &["der(x)", "der(y)", "der(theta)"]),
            ("a", &["der(der(x))", "der(der(y))", "der(der(theta))"]),
            ("lam", &["lambda(pin[0])", "lambda(pin[1])"]),
            ("X", &["X"]),
            ("V", &["V"]),
            ("F", &["F1", "F2"]),
        ],
    );
}

#[test]
fn mass_pi_first_steps() {
    let trace = &references()["traces"]["M3_MassPI_alpha-0.3_rho0.5_h0.05"];
    assert_trace(
        &MassPi::default(),
        hht(),
        0.05,
        trace,
        &[
            ("q", &["q"]),
            ("qd", &["der(q)"]),
            ("a", &["der(der(q))"]),
            ("X", &["X"]),
            ("V", &["V"]),
            ("F", &["F"]),
        ],
    );
}

/// Runs to `t_end` with fixed steps h to h/8, extrapolates, and compares; also an adaptive run.
fn assert_reaches(
    mechanism: &impl Mechanism,
    t_end: f64,
    h: f64,
    should: &[(&str, f64)],
    tolerance: f64,
    (adaptive, allowed): (f64, f64),
) {
    let names: Vec<&str> = should.iter().map(|s| s.0).collect();
    let values: Vec<f64> = should.iter().map(|s| s.1).collect();
    let limit = extrapolated(h, |h| lasts(&run(mechanism, hht(), Step::fixed(h), t_end), &names));
    let run = run(mechanism, hht(), Step::adaptive(adaptive), t_end);
    let mut table = Table::new(&format!("{} at t = {t_end}", run.model));
    table.row(format!(
        "extrapolated from h = {h} to {}: off by {:.1e}; adaptive, tol {adaptive:e}, {} steps: off by {:.1e}",
        h / 8.0,
        distance(&limit, &values),
        run.stats.steps,
        distance(&lasts(&run, &names), &values)
    ));
    for ((name, value), is) in should.iter().zip(limit) {
        assert_near(name, is, *value, tolerance);
    }
    for (name, value) in should {
        assert_near(&format!("{name}, adaptive"), last(&run, name), *value, allowed);
    }
}

/// C2. Reference: minimal coordinates, agreement of two integrators to 1e-13
/// (`reference_crosscheck.P16_T2`). From finer steps rounding of q, magnified by 1/(βh²), shows in
/// λ: off by 1.3e-7 from h = 1/256, by 1.6e-6 from 1/1024.
#[test]
fn bushing_pendulum_converges_to_the_reference() {
    let at = &references()["P16_reference"]["2.0"];
    let (lambda, y, z) = (numbers(&at["lam"]), numbers(&at["y"]), numbers(&at["z"]));
    assert_reaches(
        &BushingPendulum::default(),
        2.0,
        1.0 / 256.0,
        &[
            ("x", y[0]),
            ("y", y[1]),
            ("theta", y[2]),
            ("der(x)", z[0]),
            ("der(theta)", z[2]),
            ("lambda(pin[0])", lambda[0]),
            ("lambda(pin[1])", lambda[1]),
        ],
        1e-6,
        // Relative to the amplitudes, which are larger than 1 m.
        (5e-9, 1e-3),
    );
}

/// D1. Reference: minimal coordinates, agreement 2e-11 (`reference_crosscheck.actuator_T1`).
#[test]
fn actuator_pendulum_converges_to_the_reference() {
    let at = numbers(&references()["M3_fixed"]["pendulum_actuator_reference"]["1.0"]);
    assert_reaches(
        &ActuatorPendulum::default(),
        1.0,
        1.0 / 512.0,
        &[("theta", at[0]), ("der(theta)", at[1]), ("X", at[2])],
        1e-6,
        (1e-8, 5e-3),
    );
}

/// D2. Reference: the matrix exponential, agreement 1e-13 (`reference_crosscheck`).
#[test]
fn mass_pi_converges_to_the_reference() {
    let at = numbers(&references()["M3_fixed"]["MassPI_reference"]["2.0"]);
    assert_reaches(
        &MassPi::default(),
        2.0,
        1.0 / 256.0,
        &[("q", at[0]), ("der(q)", at[1]), ("X", at[2])],
        1e-8,
        (1e-9, 1e-5),
    );
}

/// F4. Converged values by independent integrations in minimal coordinates; SUNDIALS' program
/// prints q 1.2757, x 1.0236, p −0.49881.
#[test]
fn ida_slider_crank() {
    assert_reaches(
        &IdaSliderCrank::default(),
        10.0,
        1.0 / 64.0,
        &[("q", 1.275675848650), ("x", 1.023578558980), ("p", -0.498813049182)],
        1e-8,
        (1e-8, 5e-5),
    );
}

/// F3. Published reference solution of the IVP Test Set's `caraxis` (index 3), 15 digits.
#[test]
fn car_axis() {
    assert_reaches(
        &CarAxis::default(),
        3.0,
        1.0 / 1024.0,
        &[
            ("xl", 0.493455784275402809122e-1),
            ("yl", 0.496989460230171153861),
            ("xr", 0.104174252488542151681e1),
            ("yr", 0.373911027265361256927),
            ("der(xl)", -0.770583684040972357970e-1),
            ("der(yl)", 0.744686658723778553466e-2),
            ("der(xr)", 0.175568157537232222276e-1),
            ("der(yr)", 0.770341043779251976443),
        ],
        1e-7,
        // Of velocities of size 1: the axle swings on its springs with 45 rad/s, 20 periods of a
        // method of order 2, and the lengths of its rods are what errors are relative to.
        (1e-9, 1e-3),
    );
}

/// F5: closed form by elliptic functions.
#[test]
fn pendulum() {
    let p = Pendulum::default();
    let exact = crate::support::pendulum_from_horizontal(p.g / p.l, 10.0);
    // The published digits of the problem: (−0.2750874625766221, −0.9614192050989805).
    assert_near("closed form of x", p.l * exact.x, -0.2750874625766221, 1e-12);
    assert_near("closed form of y", p.l * exact.y, -0.9614192050989805, 1e-12);
    assert_reaches(
        &p,
        10.0,
        1.0 / 256.0,
        &[
            ("x", exact.x),
            ("y", exact.y),
            ("der(x)", exact.vx),
            ("der(y)", exact.vy),
            // λ of g = x² + y² − l²: m (q̈ + g e_y) + 2 λ q = 0 along q.
            ("lambda(rod)", 0.5 * (exact.vx.powi(2) + exact.vy.powi(2) - 9.81 * exact.y)),
        ],
        1e-7,
        (1e-9, 1e-3),
    );
}

// ---------------------------------------------------------------------------------------------
// F1. Andrews' mechanism; reference solution published with the IVP Test Set (`andrews`), t = 0.03.

pub const ANDREWS: [&str; 7] = ["beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"];

pub const ANDREWS_Q: [f64; 7] = [
    0.1581077119629904e2,
    -0.1575637105984298e2,
    0.4082224013073101e-1,
    -0.5347301163226948,
    0.5244099658805304,
    0.5347301163226948,
    0.1048080741042263e1,
];

const ANDREWS_V: [f64; 7] = [
    0.1139920302151208e4,
    -0.1424379294994111e4,
    0.1103291221937134e2,
    0.1929337464421385e2,
    0.5735699284790808,
    -0.1929337464421385e2,
    0.3231791658026955,
];

fn relative(is: &[f64], should: &[f64]) -> f64 {
    largest(&is.iter().zip(should).map(|(a, b)| (a - b) / b).collect::<Vec<_>>())
}

/// The global error of a method of order 2 with a local error of order 3 falls as tol^(2/3).
#[test]
fn andrews_agrees_better_as_the_tolerance_falls() {
    let mut runs = Vec::new();
    let mut table = Table::new("andrews, t = 0.03: tol, largest relative error of q, work");
    let mut before = f64::INFINITY;
    for k in 4..=9 {
        let tol = f64::powi(10.0, -k);
        let solution = run(&Andrews::default(), hht(), Step::adaptive(tol), 0.03);
        let error = relative(&lasts(&solution, &ANDREWS), &ANDREWS_Q);
        let stats = &solution.stats;
        table.row(format!("{tol:.0e} {error:9.2e}  {stats}"));
        assert!(error < before, "the error does not fall at tolerance {tol:e}");
        before = error;
        runs.push((tol, error));
    }
    // From 1e-6 on: with the 281 steps of 1e-5 the error is not yet that of small steps.
    let slope = convergence_order(&runs[2..]);
    table.row(format!("slope of log error over log tol from 1e-6 on: {slope:.3}"));
    assert!((0.55..=0.75).contains(&slope), "slope {slope:.3}");
}

/// The largest relative error of the seven angles at tolerance 1e-9.
#[test]
fn andrews_has_six_digits_at_tolerance_1e_9() {
    let solution = run(&Andrews::default(), hht(), Step::adaptive(1e-9), 0.03);
    let error = relative(&lasts(&solution, &ANDREWS), &ANDREWS_Q);
    assert!(error <= 1e-6, "relative error {error:e}");
}

/// Fixed steps: order 2 in q and v with a mass matrix that is not constant, too (`andrews`, in
/// angles), as with one that is (`andrews_bodies`).
#[test]
fn andrews_is_of_order_two() {
    let mut table = Table::new("andrews, fixed steps, t = 0.03: largest relative error of q");
    let mut check = |name: &str, error: &dyn Fn(f64) -> f64| {
        let runs: Vec<(f64, f64)> =
            [1000.0, 2000.0, 4000.0, 8000.0].map(|n| (0.03 / n, error(0.03 / n))).to_vec();
        let order = convergence_order(&runs);
        let list: Vec<String> = runs.iter().map(|(_, e)| format!("{e:.2e}")).collect();
        table.row(format!("{name}: order {order:.3}: {}", list.join(" ")));
        assert!((order - 2.0).abs() <= 0.1, "{name}: order {order:.3}");
    };
    check("angles", &|h| {
        relative(
            &lasts(&run(&Andrews::default(), hht(), Step::fixed(h), 0.03), &ANDREWS),
            &ANDREWS_Q,
        )
    });
    check("bodies", &|h| {
        let run = run(&AndrewsBodies::default(), hht(), Step::fixed(h), 0.03);
        relative(&lasts(&run, &ANDREWS), &ANDREWS_Q)
    });
}

#[test]
fn andrews_velocities() {
    let names = ANDREWS.map(|name| format!("der({name})"));
    let names: Vec<&str> = names.iter().map(|n| &**n).collect();
    let solution = run(&Andrews::default(), hht(), Step::adaptive(1e-9), 0.03);
    // Relative to the largest: the slow ones stand in the reference to 5e-8 only.
    assert_close("velocities", &lasts(&solution, &names), &ANDREWS_V, 1e-5);
}

#[test]
fn andrews_from_bodies_is_the_same_mechanism() {
    let (tol, allowed) = (1e-7, 1e-4);
    let angles = run(&Andrews::default(), hht(), Step::adaptive(tol), 0.03);
    let bodies = run(&AndrewsBodies::default(), hht(), Step::adaptive(tol), 0.03);
    let mut table = Table::new("andrews_bodies, t = 0.03");
    let error = relative(&lasts(&bodies, &ANDREWS), &ANDREWS_Q);
    table.row(format!("tol {tol:e}: largest relative error {error:.2e}; {}", bodies.stats));
    let error = relative(&lasts(&angles, &ANDREWS), &ANDREWS_Q);
    table.row(format!("andrews:          {error:.2e}; {}", angles.stats));
    assert!(relative(&lasts(&bodies, &ANDREWS), &ANDREWS_Q) <= allowed);
    // Two formulations, one motion: the reactions of the point E's pin do not depend on how the
    // bodies are described.
    for pair in [("lambda(e4[0])", "lambda(E4[0])"), ("lambda(e6[1])", "lambda(E6[1])")] {
        let (a, b) = (last(&angles, pair.0), last(&bodies, pair.1));
        assert_near(pair.0, a, b, 1e-2 * a.abs().max(1.0));
    }
}

// ---------------------------------------------------------------------------------------------
// F2. Flexible slider-crank; reference solution published with the IVP Test Set (`crank`), t = 0.1.

/// Largest error of q1 … q4 and of x3 in m.
fn crank_errors(solution: &mbd::Solution) -> [f64; 2] {
    let modes =
        [1.893192899613509e-4, 2.375751249879174e-5, -5.323896770569702e-6, -8.363313279112129e-6];
    let q = distance(&lasts(solution, &["q1", "q2", "q3", "q4"]), &modes);
    [q, (last(solution, "x3") - 0.1697373328427860).abs()]
}

#[test]
fn crank_modal_agrees_to_a_nanometre_with_equal_steps() {
    let [q, _] =
        crank_errors(&run(&CrankModal::default(), Soi2::default(), Step::fixed(1e-6), 0.1));
    assert!(q <= 1e-9, "modes off by {q:e}");
}

#[test]
fn crank_modal_agrees_to_a_nanometre_with_adaptive_steps() {
    let [q, x3] = crank_errors(&run(&CrankModal::default(), hht(), Step::adaptive(1e-12), 0.1));
    assert!(q <= 1e-9 && x3 <= 1e-9, "modes off by {q:e}, x3 by {x3:e}");
}

/// F7: centre of mass of the heavy top at t = 1, as papers on Lie group integrators have it.
#[test]
fn heavy_top_agrees_to_a_micrometre() {
    let centre = [0.1733439641, 0.6400885921, -0.7484907911];
    let methods: [(Method, f64); 2] = [(hht().into(), 1e-8), (Soi2::default().into(), 1e-9)];
    for (method, tol) in methods {
        let solution = run(&HeavyTop::default(), method, Step::adaptive(tol), 1.0);
        let error = distance(&lasts(&solution, &["x", "y", "z"]), &centre);
        assert!(error <= 1e-6, "{}: off by {error:e}", solution.method);
        assert_near("spin", last(&solution, "spin_rate"), 150.0, 1e-4);
    }
}

/// The centre of mass of the heavy top, by equations without its spin: the axis d turns by ḋ = L × d/J about the fixed
/// point and L̇ = −m g d × e_z, with L the angular momentum and J the moment of inertia across the axis, both about that
/// point. Runge and Kutta's steps are far below what rounding leaves of them.
fn axis_of_the_top() -> [f64; 3] {
    let cross = |a: [f64; 3], b: [f64; 3]| -> [f64; 3] {
        std::array::from_fn(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            a[j] * b[k] - a[k] * b[j]
        })
    };
    let across = 0.234375 + 15.0;
    let rate = |[d, l]: [[f64; 3]; 2]| {
        [cross(l, d).map(|x| x / across), cross(d, [0.0, 0.0, -15.0 * 9.81])]
    };
    let go = |y: [[f64; 3]; 2], k: [[f64; 3]; 2], h: f64| -> [[f64; 3]; 2] {
        std::array::from_fn(|part| std::array::from_fn(|i| y[part][i] + h * k[part][i]))
    };
    let (steps, mut y) = (8000, [[0.0, 1.0, 0.0], [0.0, 0.46875 * 150.0, -across * 4.61538]]);
    let h = 1.0 / f64::from(steps);
    for _ in 0..steps {
        let a = rate(y);
        let b = rate(go(y, a, h / 2.0));
        let c = rate(go(y, b, h / 2.0));
        let d = rate(go(y, c, h));
        y = [(a, h / 6.0), (b, h / 3.0), (c, h / 3.0), (d, h / 6.0)]
            .into_iter()
            .fold(y, |y, (k, h)| go(y, k, h));
    }
    y[0]
}

/// F7 to 1e-8, which is also as far as the ten digits of the papers go.
#[test]
fn heavy_top_agrees_to_ten_nanometres() {
    let centre = axis_of_the_top();
    let published = [0.1733439641, 0.6400885921, -0.7484907911];
    let papers = distance(&centre, &published);
    assert!(papers <= 1e-10, "the papers are off by {papers:e}");
    let solution = run(&HeavyTop::default(), Radau5::default(), Step::adaptive(1e-11), 1.0);
    let error = distance(&lasts(&solution, &["x", "y", "z"]), &centre);
    assert!(error <= 1e-8, "off by {error:e}");
    assert_near("spin", last(&solution, "spin_rate"), 150.0, 1e-8);
}
