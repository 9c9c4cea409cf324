//! Paper 000's stiff problems: the spring pendulum (A1) and the bushing (A2), with Table 1.

use super::models::*;
use crate::assembly::{Point, Residual, SlotKind::*, System, Want};
use crate::integrate::{DaeAlpha, Form, Integrator, Method, Step};
use crate::model::{Keep, ModelBuilder, Reaction};
use crate::nonlinear::MatrixPolicy;
use std::f64::consts::PI;

kernel! { Stretch: 2 -> 1, |[x, y]| [
    500.0 * ((x.sq() + y.sq()).sqrt() - 1.0).sq() - *y
] }

/// A1 with ε² = 10⁻³.
fn stiff_pendulum() -> System {
    let mut b = ModelBuilder::new("StiffPendulum", "");
    for (i, (name, q)) in [("x", 0.9), ("y", 0.0)].into_iter().enumerate() {
        b.coord(name, "m", "");
        b.init_q(i, q, Keep::Kept);
        b.mass("m", Constant(1.0), one([]), vec![(i, i)]);
    }
    b.potential("spring and weight", Stretch, one([(Q, 0), (Q, 1)]));
    System::new(b.finish().unwrap())
}

const STIFFNESS: f64 = 1e10;
kernel! { Deflection: 3 -> 1, |[x, y, theta]| {
    let (fx, fy) = (0.5 - *x + 0.5 * theta.cos(), 0.5 * theta.sin() - *y);
    [STIFFNESS * (0.5 * (fx.sq() + fy.sq()) + 0.05 * theta.sq()) - *y]
} }
kernel! { Torque: 1 -> 1, |[theta]| [-0.5 * theta.cos()] }
kernel! { UnitCircle: 2 -> 1, |[x, y]| [x.sq() + y.sq() - 1.0] }

/// A2 with ε = 10⁻⁵.
fn bushing() -> System {
    let mut b = ModelBuilder::new("Bushing", "");
    for (i, (name, q)) in [("x", 0.8), ("y", 0.6), ("theta", 0.0)].into_iter().enumerate() {
        b.coord(name, "", "");
        b.init_q(i, q, Keep::Kept);
        b.mass("m", Constant(1.0), one([]), vec![(i, i)]);
    }
    b.potential("bushing", Deflection, one([(Q, 0), (Q, 1), (Q, 2)]));
    b.force("torque", Torque, one([(Q, 2)]), vec![[2]]);
    let row = b.rows_holonomic("circle", 1, 1);
    b.holonomic("circle", UnitCircle, one([(Q, 0), (Q, 1)]), row, Reaction::Standard);
    System::new(b.finish().unwrap())
}

fn energy(system: &System, at: &Point) -> f64 {
    let mut pieces = Residual::new(&system.dims());
    system.eval_at(at, Want::ENERGY, &mut pieces);
    pieces.kinetic + pieces.potential
}

fn method(form: Form, rho: f64) -> Method {
    DaeAlpha::new(form).rho(rho).unwrap().into()
}

/// What the spring is stretched beyond the slow swing.
fn vibration(at: &Point) -> f64 {
    let ([x, y], [vx, vy]) = ([at.q()[0], at.q()[1]], [at.v()[0], at.v()[1]]);
    let l = x.hypot(y);
    let swing = (x * vy - y * vx) / l;
    (l - 1.0) - 1e-3 * (y / l + swing * swing / l)
}

#[test]
fn the_stiff_pendulum_agrees_with_its_reference() {
    // [P1_eps2=0.001] at t = 5.
    let exact = [-0.6328209748469136, 0.7336379252168338];
    let system = stiff_pendulum();
    for rho in [1.0, 0.5, 0.0] {
        let mut errors = Vec::new();
        for k in [14, 15] {
            let step = Step::fixed(5.0 * 0.5f64.powi(k));
            let mut integrator = Integrator::new(
                &system,
                &method(Form::Stabilized, rho),
                step,
                &consistent(&system),
            )
            .unwrap();
            while integrator.point().t() < 5.0 {
                integrator.step_once(5.0).unwrap();
            }
            let q = integrator.point().q();
            errors.push((q[0] - exact[0]).hypot(q[1] - exact[1]));
        }
        let order = (errors[0] / errors[1]).log2();
        println!("ρ = {rho}: errors {:.2e} {:.2e}, order {order:.3}", errors[0], errors[1]);
        assert!((order - 2.0).abs() < 0.1, "{order}");
    }
}

#[test]
fn damping_of_the_stiff_pendulum_by_rho_and_step() {
    let system = stiff_pendulum();
    println!(
        "h      ρ     energy at t = 1, 2, 3, 4, 5          vibration in 4 ≤ t ≤ 5, Newton failures"
    );
    let mut left = Vec::new();
    for h in [1e-3, 1e-2, 1e-1] {
        for rho in [1.0, 0.9, 0.75, 0.5, 0.25, 0.0] {
            let step = Step::fixed(h);
            let start = consistent(&system);
            let mut integrator =
                Integrator::new(&system, &method(Form::Stabilized, rho), step, &start).unwrap();
            let mut energies = Vec::new();
            let mut amplitude = 0.0f64;
            let mut failed = None;
            while integrator.point().t() < 5.0 {
                if let Err(error) = integrator.step_once(5.0) {
                    failed = Some(error);
                    break;
                }
                let p = integrator.point();
                if p.t() >= energies.len() as f64 + 1.0 - 1e-9 {
                    energies.push(energy(&system, p));
                }
                if p.t() >= 4.0 {
                    amplitude = amplitude.max(vibration(p).abs());
                }
            }
            let energies: Vec<String> = energies.iter().map(|e| format!("{e:6.3}")).collect();
            println!(
                "{h:.0e}  {rho:4}  {:40} {amplitude:.1e} {}",
                energies.join(" "),
                failed.map_or(String::new(), |e| e.to_string())
            );
            left.push(amplitude);
        }
    }
    // Little is lost at h = 10⁻³ with ρ = 1; what is left falls with ρ and with h.
    assert!(left[0] > 0.09);
    for of_h in left[..12].chunks(6) {
        assert!(of_h.windows(2).all(|w| w[1] <= w[0] * 1.02), "{of_h:?}");
    }
    assert!(left[11] < 0.25 * left[5], "{left:?}");
    // The slow swing alone, from ρ = 1/2 down at h = 10⁻¹.
    assert!(left[15..].iter().all(|a| *a < 1e-3), "{left:?}");
}

const T: f64 = 40e-5 * PI;

/// Steps through the bushing's run; `None` when Newton fails anywhere.
fn bushing_run(
    system: &System,
    method: &Method,
    steps: usize,
    newton: Option<f64>,
) -> Option<Point> {
    let mut step = Step::fixed(T / steps as f64);
    if let Some(eps) = newton {
        step = step.newton_tolerance(eps);
    }
    let mut integrator = Integrator::new(system, method, step, &consistent(system)).unwrap();
    while integrator.point().t() < T {
        integrator.step_once(T).ok()?;
    }
    (integrator.stats().newton_failures == 0).then(|| integrator.point().clone())
}

#[test]
fn the_bushing_agrees_with_its_reference() {
    // [P2_eps=1e-05_sgn=+1] at τ = 40π.
    let exact = [0.9547591408330165, 0.2973801994010364, 0.1493857929263713];
    let system = bushing();
    for form in Form::ALL {
        let mut errors = Vec::new();
        for steps in [8_000, 16_000] {
            let end = bushing_run(&system, &method(form, 1.0), steps, None).unwrap();
            let squares = end.q().iter().zip(exact).map(|(q, e)| (q - e).powi(2));
            errors.push(squares.sum::<f64>().sqrt());
        }
        let order = (errors[0] / errors[1]).log2();
        println!("{:20} errors {:.2e} {:.2e}, order {order:.3}", form.name(), errors[0], errors[1]);
        assert!((order - 2.0).abs() < 0.1, "{form:?} {order}");
    }
}

/// Table 1 beside ours: final over initial energy.
#[test]
fn the_bushings_energy_is_that_of_table_1_in_kind() {
    let system = bushing();
    let initial = energy(&system, &consistent(&system));
    assert!((initial - 1999999999.4).abs() < 1.0);
    println!("final/initial energy, Newton to round-off; in brackets as printed");
    println!("steps  ρ     (3.3) CM CM-frozen projected");
    let printed = [
        [[0.15, 0.10], [0.30, 0.24], [0.41, 0.30]],
        [[0.56, 0.35], [0.65, 0.40], [0.76, 0.51]],
        [[0.90, 0.76], [0.93, 0.81], [0.96, 0.89]],
    ];
    let mut table = Vec::new();
    for (rho, printed) in [0.0, 0.5, 0.75].into_iter().zip(printed) {
        let mut row = Vec::new();
        for (steps, [of_33, of_cm]) in [200, 500, 1200].into_iter().zip(printed) {
            let forms = [Form::Stabilized, Form::Modified, Form::Frozen, Form::ProjectedOde];
            let ratios = forms.map(|form| {
                bushing_run(&system, &method(form, rho), steps, None)
                    .map_or(f64::NAN, |end| energy(&system, &end) / initial)
            });
            println!(
                "{steps:5}  {rho:4}  {:.4} ({of_33}) {:.4} ({of_cm}) {:.4} {:.4}",
                ratios[0], ratios[1], ratios[2], ratios[3]
            );
            row.push(ratios);
        }
        table.push(row);
    }
    for row in &table {
        assert!(row.windows(2).all(|w| w[1][0] > w[0][0]), "{table:?}");
        // The same equations: equal but for what Newton leaves.
        assert!(row.iter().all(|r| (r[1] / r[0] - 1.0).abs() < 1e-6), "{table:?}");
    }
    for pair in table.windows(2) {
        assert!(pair[0].iter().zip(&pair[1]).all(|(a, b)| b[0] > a[0]), "{table:?}");
    }
}

/// The last row of Table 1: the largest step without a Newton failure, T over the number of steps.
#[test]
fn the_bushings_largest_steps() {
    let system = bushing();
    let initial = energy(&system, &consistent(&system));
    let counts = [10, 15, 20, 25, 30, 35, 40, 50, 60, 70, 80, 100, 125, 150, 175, 200, 250, 300];
    // 10⁻⁷ in every unknown: the norms weight corrections with (1/12 + α²/4)/β ≈ 1/3 and Newton
    // leaves 10⁻³ of the tolerance.
    let newton = Some(1e-4);
    println!("largest step without a Newton failure: T over, for ρ = 0, 1/2, 3/4");
    println!("printed: CM 40 70 80, (3.3) 100 150 175");
    for (policy, name) in [
        (MatrixPolicy::EveryIteration, "matrix at every iterate"),
        (MatrixPolicy::EveryStep, "matrix at every step"),
        (MatrixPolicy::default(), "matrix kept over steps"),
    ] {
        for (form, multipliers) in [
            (Form::Stabilized, true),
            (Form::Stabilized, false),
            (Form::CoordinateSplit, false),
            (Form::Modified, false),
            (Form::Frozen, false),
            (Form::ProjectedOde, false),
        ] {
            let least = [0.0, 0.5, 0.75].map(|rho| {
                let options = DaeAlpha::new(form).rho(rho).unwrap().test_multipliers(multipliers);
                let method = Method::from(options).matrix_policy(policy);
                let ok = |n: &usize| bushing_run(&system, &method, *n, newton).is_some();
                let failing = counts.iter().rposition(|n| !ok(n));
                let least = failing.map_or(Some(&counts[0]), |i| counts.get(i + 1));
                // Converged is not yet right: what is left of the energy tells.
                least.map_or("none".into(), |n| {
                    let end = bushing_run(&system, &method, *n, newton);
                    let ratio = end.map_or(f64::NAN, |p| energy(&system, &p) / initial);
                    format!("{n} (energy {ratio:.3})")
                })
            });
            let tested = if multipliers { ", multipliers tested" } else { "" };
            println!("{name:24} {:20}{tested}: {least:?}", form.name());
        }
    }
}
