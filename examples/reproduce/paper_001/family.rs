//! The members of the family: first steps at full precision, special cases, spectral radii.

use crate::claim::Claim;
use crate::models::{BushingPendulum, JayNegrut};
use crate::reference::{numbers, soi2};
use crate::report::{Failure, Report};
use crate::study::{alternating, finish, largest, sci, start};
use mbd::integrate::{HhtI3, Integrator, Method, Soi2, Step};
use mbd::nalgebra::DMatrix;
use mbd::prelude::*;

mechanism! {
    /// A unit mass on a spring of frequency ω.
    mechanism Oscillator {
        param omega: [rad/s] = 1e6;
        coord q: [m];
        kinetic mass = 0.5*sq(der(q));
        potential spring = 0.5*sq(omega*q);
    }
}

pub fn run(report: &mut Report) -> Result<(), Failure> {
    traces(report)?;
    special_cases(report)?;
    spectral_radii(report)
}

/// The largest deviations from a recorded run, relative to the larger of 1 and the largest entry:
/// of y, z, a_{n+α}, λ, ψ.
fn follow(
    mechanism: &impl Mechanism,
    method: Soi2,
    h: f64,
    keys: &[&str],
) -> Result<(usize, [f64; 5]), Failure> {
    let trace = soi2(keys)?;
    let rows = trace.as_array().map_or(&[][..], |rows| rows);
    let started = start(mechanism)?;
    let mut integrator =
        Integrator::new(&started.system, &method.into(), alternating(h), &started.point)?;
    let mut worst = [0.0; 5];
    for row in rows {
        integrator.step_once(f64::MAX)?;
        let p = integrator.point();
        let a = integrator.stepper().algorithmic().unwrap_or_default();
        let ours = [p.q(), p.v(), a, p.lambda(), p.psi()];
        for ((worst, ours), key) in worst.iter_mut().zip(ours).zip(["y", "z", "a", "lam", "psi"]) {
            if ours.is_empty() {
                *worst = f64::NAN;
                continue;
            }
            let theirs = numbers(&row[key]);
            let size = largest(theirs.iter().copied()).max(1.0);
            *worst = largest(ours.iter().zip(&theirs).map(|(o, t)| (o - t) / size).chain([*worst]));
        }
    }
    Ok((rows.len(), worst))
}

fn traces(report: &mut Report) -> Result<(), Failure> {
    report.section("First steps at full precision");
    report.text(
        "Largest relative deviation from the independent implementation, over all its recorded \
         steps of size h/3 and 2h/3 in turn.",
    );
    let rho = Soi2::rho(0.2)?;
    let hht = Soi2::hht(-0.3)?;
    let pendulum = BushingPendulum::default();
    let mut rows = Vec::new();
    for (what, (steps, worst)) in [
        (
            "(16), gen-alpha-soi2, ρ∞ = 0.2, h = 0.03",
            follow(&pendulum, rho, 0.03, &["traces", "M1_P16_rho0.2_alt_h0.03"])?,
        ),
        (
            "(16), hht-soi2, α = −0.3, h = 0.03",
            follow(&pendulum, hht, 0.03, &["traces", "M2_P16_alpha-0.3_alt_h0.03"])?,
        ),
        (
            "(15), gen-alpha-soi2, ρ∞ = 0.2, h = 0.125",
            follow(&JayNegrut::default(), rho, 0.125, &["M1_problem15", "trace_h0.125_adj_prev"])?,
        ),
    ] {
        let cells = worst.map(|w| if w.is_nan() { "–".into() } else { sci(w) });
        rows.push([what.to_string(), steps.to_string()].into_iter().chain(cells).collect());
    }
    report.table(&["problem", "steps", "y", "z", "a", "λ", "ψ"], &rows);
    Ok(())
}

/// (17) is (13) with α_m = 0, and where f is additive (9) is (13).
fn special_cases(report: &mut Report) -> Result<(), Failure> {
    report.section("HHT-SOI2 is the family's member with α_m = 0");
    report.text(
        "Pendulum (16), steps 0.02/3 and 0.04/3 to t = 0.6: largest relative difference anywhere \
         along the run. The general form evaluates the forces at λ̃, ψ̃ a second time (13d); for \
         forces additive in λ, ψ the replacement below (13) is the same.",
    );
    let started = start(&BushingPendulum::default())?;
    let path = |method: Soi2| -> Result<Vec<[Vec<f64>; 4]>, Failure> {
        let mut points = Vec::new();
        finish(&started, method, alternating(0.02), 0.6, |run| {
            let p = run.point();
            points.push([p.q(), p.v(), p.a(), p.lambda()].map(<[f64]>::to_vec));
        })?;
        Ok(points)
    };
    let (mut rows, mut worst) = (Vec::new(), Vec::new());
    for (what, one, other) in [
        (
            "`gen-alpha-soi2` with α_m = 0, α_f = 0.3; `hht-soi2` with α = −0.3",
            Soi2::parameters(0.0, 0.3)?,
            Soi2::hht(-0.3)?,
        ),
        (
            "`hht-soi2` by (13) in general form; by (17)",
            Soi2::hht(-0.3)?.general(true),
            Soi2::hht(-0.3)?,
        ),
        (
            "`gen-alpha-soi2`, ρ∞ = 0.2, in general form; additive",
            Soi2::rho(0.2)?.general(true),
            Soi2::rho(0.2)?,
        ),
    ] {
        let (one, other) = (path(one)?, path(other)?);
        let difference = |i: usize| {
            let size = largest(other.iter().flat_map(|p| p[i].iter().copied())).max(1.0);
            let pairs = one.iter().zip(&other).flat_map(|(a, b)| a[i].iter().zip(&b[i]));
            largest(pairs.map(|(a, b)| (a - b) / size))
        };
        let differences = [0, 1, 2, 3].map(difference);
        worst.push(largest(differences));
        rows.push(std::iter::once(what.to_string()).chain(differences.map(sci)).collect());
    }
    report.table(&["pair", "y", "z", "a", "λ"], &rows);
    report.claim(
        Claim::new(
            "Equation (17)",
            "HHT-SOI2 is the family's member with α_m = 0, and (9) is (13) where forces are additive",
            format!("largest relative differences along runs: {}", {
                let each: Vec<String> = worst.iter().map(|w| sci(*w)).collect();
                each.join(", ")
            }),
        )
        .check("the runs are one to 1e−12", worst.iter().all(|w| *w < 1e-12)),
    );
    Ok(())
}

/// The spectral radius of one step of size 1 from (q, v, a_α) to the next.
fn radius(method: impl Into<Method>) -> Result<f64, Failure> {
    let started = start(&Oscillator::default())?;
    let method = method.into();
    let mut amplification = DMatrix::<f64>::zeros(3, 3);
    for column in 0..3 {
        let mut point = started.point.clone();
        let unit = |i: usize| if i == column { 1.0 } else { 0.0 };
        (point.q_mut()[0], point.v_mut()[0], point.a_mut()[0]) = (unit(0), unit(1), unit(2));
        let mut integrator = Integrator::new(&started.system, &method, Step::fixed(1.0), &point)?;
        integrator.step_once(1.0)?;
        let p = integrator.point();
        // Methods that carry none of their own carry the point's.
        let a = integrator.stepper().algorithmic().unwrap_or(p.a());
        for (row, value) in [p.q()[0], p.v()[0], a[0]].into_iter().enumerate() {
            amplification[(row, column)] = value;
        }
    }
    Ok(largest(amplification.complex_eigenvalues().iter().map(|z| z.norm())))
}

fn spectral_radii(report: &mut Report) -> Result<(), Failure> {
    report.section("Spectral radius at infinite frequency");
    report.text(
        "Measured on q̈ = −ω²q with ωh = 10⁶: the eigenvalues of the map (q, v, a_α) → \
         (q', v', a'_α) of one step, by unit vectors. HHT's designed value is (1+α)/(1−α).",
    );
    let (mut rows, mut worst) = (Vec::new(), 0.0);
    let mut row = |name: &str, parameter: String, designed: f64, method: Method| {
        let measured = radius(method)?;
        rows.push(vec![
            name.into(),
            parameter,
            format!("{designed:.4}"),
            format!("{measured:.4}"),
            sci(measured - designed),
        ]);
        worst = largest([worst, measured - designed]);
        Ok::<(), Failure>(())
    };
    for rho in [0.0, 0.2, 0.4, 0.5, 0.6, 0.8, 0.9, 1.0] {
        row("gen-alpha-soi2", format!("ρ∞ = {rho}"), rho, Soi2::rho(rho)?.into())?;
    }
    for alpha in [-1.0 / 3.0, -0.3, -0.2, -0.1, -0.05, 0.0] {
        let designed = (1.0 + alpha) / (1.0 - alpha);
        let parameter = format!("α = {alpha:.4}").replace('-', "−");
        row("hht-soi2", parameter.clone(), designed, Soi2::hht(alpha)?.into())?;
        row("hht-i3", parameter, designed, HhtI3::alpha(alpha)?.into())?;
    }
    let count = rows.len();
    report.table(&["method", "parameter", "designed", "measured", "difference"], &rows);
    report.claim(
        Claim::new(
            "Parameter ρ∞",
            "the spectral radius at infinite frequency is ρ∞, and (1 + α)/(1 − α) of HHT",
            format!("{count} members of the family: off by at most {}", sci(worst)),
        )
        .check("each is off by less than 1e−3", worst < 1e-3),
    );
    Ok(())
}
