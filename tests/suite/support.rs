//! What several test modules share.

use mbd::assembly::{Point, Residual, System, Want};
use mbd::integrate::{HhtI3, Method, Step};
use mbd::model::Mechanism;
use mbd::simulation::Simulation;
use mbd::solution::Solution;

/// The system of a mechanism.
pub fn system(mechanism: &impl Mechanism) -> System {
    System::new(mechanism.model().expect("the model can be built"))
}

/// All residual pieces at a point.
pub fn pieces(system: &System, point: &Point) -> Residual {
    let all = Want::MU
        | Want::F
        | Want::REACTION
        | Want::GTS
        | Want::G
        | Want::GDOT
        | Want::GAMMA
        | Want::GU
        | Want::K
        | Want::ZETA
        | Want::KU
        | Want::D
        | Want::W
        | Want::ENERGY;
    let mut out = Residual::new(&system.dims());
    system.eval_at(point, all, &mut out);
    out
}

/// Asserts two vectors equal to `tolerance`, relative to the larger's largest entry.
#[track_caller]
pub fn assert_close(what: &str, is: &[f64], should: &[f64], tolerance: f64) {
    assert_eq!(is.len(), should.len(), "{what}: lengths differ");
    let scale = largest(should).max(largest(is)).max(1e-300);
    for (i, (a, b)) in is.iter().zip(should).enumerate() {
        // Written so that NaN fails.
        let agrees = (a - b).abs() <= tolerance * scale;
        assert!(agrees, "{what}[{i}] is {a:e} and should be {b:e} (error {:.1e})", (a - b) / scale);
    }
}

/// Asserts two numbers equal to an absolute tolerance.
#[track_caller]
pub fn assert_near(what: &str, is: f64, should: f64, tolerance: f64) {
    let agrees = (is - should).abs() <= tolerance;
    assert!(agrees, "{what} is {is:e} and should be {should:e} (off by {:.2e})", is - should);
}

/// Largest absolute value.
pub fn largest(values: &[f64]) -> f64 {
    // f64::max would drop a NaN.
    values.iter().fold(0.0, |m: f64, x| if x.abs() <= m { m } else { x.abs() })
}

/// Largest difference of two vectors.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    largest(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
}

/// Runs a mechanism and expects success.
#[track_caller]
pub fn run(
    mechanism: &impl Mechanism,
    method: impl Into<Method>,
    step: Step,
    t_end: f64,
) -> Solution {
    let run = Simulation::new(mechanism).method(method).step(step).until(t_end).run();
    run.unwrap_or_else(|failed| panic!("the run failed: {failed}"))
}

/// `hht-i3` with the paper's α.
pub fn hht() -> HhtI3 {
    HhtI3::alpha(-0.3).expect("α in range")
}

/// The last value of a column.
#[track_caller]
pub fn last(solution: &Solution, name: &str) -> f64 {
    let series = solution.series(name).unwrap_or_else(|error| panic!("{error}"));
    *series.last().expect("something was recorded")
}

/// The last values of several columns.
#[track_caller]
pub fn lasts(solution: &Solution, names: &[&str]) -> Vec<f64> {
    names.iter().map(|name| last(solution, name)).collect()
}

/// The limit h → 0 of fixed-step results with h, h/2, h/4 and h/8, when their errors are
/// c₂h² + c₃h³ + c₄h⁴ + …
pub fn extrapolated(h: f64, value: impl Fn(f64) -> Vec<f64>) -> Vec<f64> {
    let mut rows: Vec<Vec<f64>> = (0..4).map(|k| value(h / f64::powi(2.0, k))).collect();
    for power in 2..5 {
        let factor = f64::powi(2.0, power);
        rows = rows
            .windows(2)
            .map(|w| w[0].iter().zip(&w[1]).map(|(a, b)| b + (b - a) / (factor - 1.0)).collect())
            .collect();
    }
    rows.remove(0)
}

/// The reference file of HHT-I3 and its problems; see tests/references/PROVENANCE.md.
pub fn references() -> &'static serde_json::Value {
    static FILE: std::sync::OnceLock<serde_json::Value> = std::sync::OnceLock::new();
    FILE.get_or_init(|| {
        serde_json::from_str(include_str!("../references/soi2-hht-statespace.json"))
            .expect("the reference file is JSON")
    })
}

/// The same of the stiff problems of papers 000 and 003.
pub fn stiff_references() -> &'static serde_json::Value {
    static FILE: std::sync::OnceLock<serde_json::Value> = std::sync::OnceLock::new();
    FILE.get_or_init(|| {
        serde_json::from_str(include_str!("../references/alpha-cs-cm.json"))
            .expect("the reference file is JSON")
    })
}

/// The numbers of a JSON array, or a number as one.
#[track_caller]
pub fn numbers(value: &serde_json::Value) -> Vec<f64> {
    match value {
        serde_json::Value::Array(list) => {
            list.iter().map(|x| x.as_f64().expect("a number")).collect()
        }
        other => vec![other.as_f64().unwrap_or_else(|| panic!("no number: {other}"))],
    }
}

/// Collects lines of measured figures and shows them at the end (`--nocapture`).
pub struct Table(String);

impl Table {
    pub fn new(title: &str) -> Self {
        Table(format!("\n{title}\n"))
    }
    pub fn row(&mut self, line: impl std::fmt::Display) {
        use std::fmt::Write;
        let _ = writeln!(self.0, "  {line}");
    }
}

impl Drop for Table {
    // Printed whole, so that tests running side by side do not mix; also when an assertion fails.
    fn drop(&mut self) {
        println!("{}", self.0);
    }
}

/// A mathematical pendulum of length 1.
pub struct PendulumState {
    pub x: f64,
    pub y: f64,
    pub vx: f64,
    pub vy: f64,
}

/// A pendulum released at rest from the horizontal, (x, y) = (−1, 0), with θ̈ = −ω₀² sin θ for the
/// angle θ from the downward vertical: sin(θ/2) = −k cd(ω₀t, k), k = sin(|θ(0)|/2) = √½.
pub fn pendulum_from_horizontal(omega0_squared: f64, t: f64) -> PendulumState {
    let m: f64 = 0.5;
    let omega0 = omega0_squared.sqrt();
    let (sn, cn, dn) = elliptic(omega0 * t, m);
    let half = -m.sqrt() * cn / dn;
    // d/du cd(u) = −(1−m) sn/dn².
    let half_rate = m.sqrt() * (1.0 - m) * sn / (dn * dn) * omega0;
    let cos_half = (1.0 - half * half).sqrt();
    let (sin_theta, cos_theta) = (2.0 * half * cos_half, 1.0 - 2.0 * half * half);
    let rate = 2.0 * half_rate / cos_half;
    PendulumState { x: sin_theta, y: -cos_theta, vx: cos_theta * rate, vy: sin_theta * rate }
}

/// Jacobi's elliptic functions sn, cn, dn (u | m) by the descending Landen transformation with the
/// arithmetic-geometric mean (Abramowitz and Stegun 16.4).
fn elliptic(u: f64, m: f64) -> (f64, f64, f64) {
    let (mut a, mut b) = (1.0, (1.0 - m).sqrt());
    let mut ratios = Vec::new();
    let mut power = 1.0;
    while ratios.last().is_none_or(|c: &f64| c.abs() > 1e-17) && ratios.len() < 12 {
        let c = 0.5 * (a - b);
        let mean = 0.5 * (a + b);
        b = (a * b).sqrt();
        a = mean;
        power *= 2.0;
        ratios.push(c / a);
    }
    let mut phi = power * a * u;
    for ratio in ratios.iter().rev() {
        phi = 0.5 * (phi + (ratio * phi.sin()).asin());
    }
    let (sn, cn) = phi.sin_cos();
    (sn, cn, (1.0 - m * sn * sn).sqrt())
}
