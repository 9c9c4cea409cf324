//! The gallery's problems on which others fail, by several methods, against published solutions and independent
//! implementations (tests/references/gallery.json).

use crate::models::*;
use crate::support::*;
use mbd::Simulation;
use mbd::integrate::{Method, Step};
use mbd::model::Mechanism;
use mbd::simulation::Record;
use mbd::solution::Solution;

fn reference(key: &str) -> serde_json::Value {
    let file: serde_json::Value =
        serde_json::from_str(include_str!("../references/gallery.json")).expect("JSON");
    file[key].clone()
}

fn by(mechanism: &impl Mechanism, method: &str, tolerance: f64, t_end: f64) -> Solution {
    run(mechanism, Method::from_name(method).unwrap(), Step::adaptive(tolerance), t_end)
}

/// Positions at t = 1000, published by the IVP Test Set. The motion passes saddles, from where an error could lead to another
/// of the arrangements; then all would be off by about 1.
#[test]
fn feketes_points() {
    let reference = reference("fekete");
    let published = numbers(&reference["positions"]);
    let mut table = Table::new("Fekete's points: method, tolerance, error at t = 1000");
    for (method, tolerance, allowed) in [
        ("radau5", 1e-4, 2e-5),
        ("radau5", 1e-6, 2e-7),
        ("bdf-ggl", 1e-5, 1e-5),
        ("gen-alpha-soi2", 1e-5, 5e-5),
        ("hht-i3", 1e-5, 5e-5),
        ("explicit-rk", 1e-5, 1e-5),
    ] {
        let run = by(&Fekete::default(), method, tolerance, 1000.0);
        let is: Vec<f64> = (0..20)
            .flat_map(|i| ["x", "y", "z"].map(|c| last(&run, &format!("{c}[{i}]"))))
            .collect();
        let error = distance(&is, &published);
        table.row(format!("{method} {tolerance:.0e}: {error:.1e}; {}", run.stats));
        assert!(error < allowed, "{method} {tolerance:e}: {error:e}");
        for i in 0..20 {
            // Ours has the opposite sign.
            assert_near("lambda", last(&run, &format!("lambda(sphere[{i}])")), 4.75, 1e-6);
        }
    }
}

/// The corner at every whole second up to 10 s, against an implementation in two angles.
#[test]
fn bricards_mechanism() {
    let reference = reference("bricard");
    let corner: Vec<f64> =
        reference["corner"].as_array().unwrap().iter().flat_map(numbers).collect();
    let mut table = Table::new("Bricard's mechanism: method, tolerance, error over 10 s");
    for (method, tolerance, allowed) in [
        ("radau5", 1e-6, 1e-3),
        ("radau5", 1e-8, 1e-5),
        ("gen-alpha-soi2", 1e-6, 3e-2),
        ("hht-i3", 1e-6, 3e-2),
        ("state-space", 1e-6, 3e-2),
        ("explicit-rk", 1e-6, 1e-3),
    ] {
        let run = Simulation::new(&Bricard::default())
            .method(Method::from_name(method).unwrap())
            .step(Step::adaptive(tolerance))
            .record(Record::Every(1.0))
            .error_estimate(false)
            .run()
            .unwrap_or_else(|e| panic!("{method} {tolerance:e}: {e}"));
        assert_eq!(run.len(), 11);
        let [x, y, z] = ["x", "y", "z"].map(|name| run.series(name).unwrap());
        let is: Vec<f64> = (1..11).flat_map(|k| [x[k], y[k], z[k]]).collect();
        let error = distance(&is, &corner);
        table.row(format!("{method} {tolerance:.0e}: {error:.1e}; {}", run.stats));
        assert!(error < allowed, "{method} {tolerance:e}: {error:e}");
        assert_eq!(run.redundant.len(), 1, "{:?}", run.redundant);
    }
}

/// Angles against an implementation in them, with 4, 5 and 10 rods; and the energy over half a minute, in which peers
/// give up. The motion of five rods magnifies errors a hundred times as much as the others in these times: started 1e-11 apart,
/// motions are 1e-8 apart after 2 s.
#[test]
fn the_closed_pendulum() {
    let reference = reference("closed_pendulum");
    let mut table = Table::new("closed pendulum: rods, method, tolerance, error");
    for n in [4, 5, 10] {
        let reference = &reference[n.to_string()];
        let (t, angles) = (reference["t"].as_f64().unwrap(), numbers(&reference["angles"]));
        let model = ClosedPendulum { n, ..Default::default() };
        let growth = if n == 5 { 100.0 } else { 1.0 };
        for (method, tolerance, allowed) in [
            ("radau5", 1e-6, 3e-4),
            ("radau5", 1e-9, 1e-6),
            ("bdf-ggl", 1e-7, 3e-3),
            ("gen-alpha-soi2", 1e-7, 3e-3),
            ("state-space", 1e-7, 2e-2),
            ("explicit-rk", 1e-8, 1e-5),
        ] {
            let run = by(&model, method, tolerance, t);
            let is: Vec<f64> = (0..n).map(|i| last(&run, &format!("rod[{i}].theta"))).collect();
            let error = distance(&is, &angles);
            table.row(format!("{n} {method} {tolerance:.0e}: {error:.1e}; {}", run.stats));
            assert!(error < allowed * growth, "{n} {method} {tolerance:e}: {error:e}");
        }
    }
    for n in [4, 5, 10] {
        let run = by(&ClosedPendulum { n, ..Default::default() }, "radau5", 1e-8, 30.0);
        let energy = run.series("energy").unwrap();
        let lost = energy.iter().map(|e| (e - energy[0]).abs()).fold(0.0, f64::max);
        table.row(format!("{n} rods, 30 s: energy changes by {lost:.1e} J; {}", run.stats));
        assert!(lost < 1e-3, "{n}: {lost:e}");
        assert!(run.drift.position < 1e-12, "{n}: {:?}", run.drift);
    }
}

/// What the gallery says of `radau5` beside the published runs of MEBDFI.
#[test]
fn beside_published_runs() {
    let page = include_str!("../../docs/book/src/gallery.md");
    let row = |problem: &str, tolerance: &str| {
        let rows = page.lines().skip_while(|line| !line.starts_with(&format!("| {problem} |")));
        let cells = rows.map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
        let mut of = cells.take_while(|cells| cells.len() == 10);
        let cells = of.find(|cells| cells[2] == tolerance).expect("a row of the table");
        [6, 7, 8].map(|k| cells[k].parse::<f64>().expect("a number"))
    };
    let car_axis =
        [0.0493455784275402809, 0.496989460230171154, 1.04174252488542152, 0.373911027265361257];
    let crank =
        [1.893192899613509e-4, 2.375751249879174e-5, -5.323896770569702e-6, -8.363313279112129e-6];
    let andrews = [
        15.81077119629904,
        -15.75637105984298,
        0.04082224013073101,
        -0.5347301163226948,
        0.5244099658805304,
        0.5347301163226948,
        1.048080741042263,
    ];
    let angles = ["beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"];
    let mut table = Table::new("Published runs: problem, tolerance, error by radau5");
    let mut hold = |problem: &str, tolerance: f64, run: Solution, names: &[&str], is: &[f64]| {
        let error = distance(&lasts(&run, names), is);
        let stats = run.stats;
        table.row(format!("{problem} {tolerance:.0e}: {error:.1e}; {stats}"));
        let [told, steps, evaluations] = row(problem, &format!("{tolerance:e}"));
        assert!((error / told - 1.0).abs() < 0.05, "{problem} {tolerance:e}: {error:e}");
        assert!((stats.steps as f64 / steps - 1.0).abs() < 0.03, "{problem} {tolerance:e}");
        let iterations = 3.0 * stats.newton_iterations as f64;
        assert!((iterations / evaluations - 1.0).abs() < 0.03, "{problem} {tolerance:e}");
    };
    for tolerance in [1e-4, 1e-6, 1e-8] {
        let run = by(&CarAxis::default(), "radau5", tolerance, 3.0);
        hold("car axis", tolerance, run, &["xl", "yl", "xr", "yr"], &car_axis);
        let run = by(&CrankModal::default(), "radau5", tolerance, 0.1);
        hold("slider-crank", tolerance, run, &["q1", "q2", "q3", "q4"], &crank);
        let run = by(&Andrews::default(), "radau5", tolerance, 0.03);
        hold("Andrews", tolerance, run, &angles, &andrews);
    }
}
