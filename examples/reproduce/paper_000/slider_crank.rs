//! Section 4.3, the flexible slider-crank: Table 2, Figs 7 to 12.

use crate::models::FlexibleSliderCrank;
use crate::newton::{LIMITS, POLICIES, Search};
use crate::report::{Failure, Report};
use crate::study::{largest, sci, start};
use mbd::assembly::{SlotKind, Term};
use mbd::integrate::{DaeAlpha, Form, Method, Step};
use mbd::nalgebra::DMatrix;
use mbd::plot::{Axis, Figure, Panel, Series};
use mbd::prelude::*;
use mbd::verify::dense;

/// Table 2: Newton's tolerance, and one over the largest step in s of CM and of (3.3); ρ = 0.75.
const TABLE_2: [(f64, usize, usize); 3] = [(1e-5, 100, 175), (1e-7, 250, 500), (1e-9, 400, 800)];

/// End of the torque in s.
const T_OFF: f64 = 0.3;
/// Numbers of steps tried for Table 2.
const COUNTS: [usize; 18] =
    [900, 800, 700, 600, 500, 450, 400, 350, 300, 250, 225, 200, 175, 150, 125, 100, 75, 50];

pub fn run(report: &mut Report) -> Result<(), Failure> {
    report.section("Flexible slider-crank: Table 2, Figs 7 to 12");
    let frequency = largest_frequency()?;
    report.text(format!(
        "Four Hermite beam elements in a frame that starts at the crank pin tangent to the rod, the \
         far end free to deflect: its deflection is the q_{{2k+1}} of the constraints. Lengths and \
         masses are those of the paper's reference 22 (the IVP Test Set's `crank`), torque 0.2 N·m \
         until 0.3 s, 1 s. The paper gives no modulus; with 3.1·10⁹ Pa the largest frequency at the \
         start is {} rad/s, the paper's \"about 1.3 × 10⁴\", and 1/2000 s is {:.2} of its period.",
        sci(frequency),
        frequency / (2000.0 * std::f64::consts::TAU)
    ));
    largest_steps(report)?;
    vibrations(report)?;
    energies(report)
}

/// The largest frequency of small vibrations about the start, in rad/s: the eigenvalues of the
/// stiffness in the directions the constraints leave.
fn largest_frequency() -> Result<f64, Failure> {
    let started = start(&FlexibleSliderCrank::default())?;
    let of = |term| dense(&started.system, &started.point, term);
    let (mass, constraints) = (of(Term::M), of(Term::G));
    let stiffness = -of(Term::F(SlotKind::Q)) + of(Term::ReactQ);
    // An orthonormal basis of what G leaves: the eigenvectors of GᵀG at 0.
    let n = mass.nrows();
    let normal = (constraints.transpose() * &constraints).symmetric_eigen();
    let free: Vec<usize> = (0..n).filter(|&i| normal.eigenvalues[i].abs() < 1e-12).collect();
    let basis = DMatrix::from_fn(n, free.len(), |i, j| normal.eigenvectors[(i, free[j])]);
    let (m, k) = (basis.transpose() * mass * &basis, basis.transpose() * stiffness * &basis);
    let squares = m.lu().solve(&k).map(|a| a.complex_eigenvalues());
    let squares = squares.ok_or_else(|| Failure::Reference("a singular mass matrix".into()))?;
    Ok(largest(squares.iter().map(|z| z.re)).sqrt())
}

fn method(form: Form, rho: f64) -> Result<Method, Failure> {
    Ok(DaeAlpha::new(form).rho(rho)?.into())
}

fn largest_steps(report: &mut Report) -> Result<(), Failure> {
    report.text(format!(
        "**Table 2: the largest step without a Newton failure**, ρ = 0.75. Tolerances and failures \
         as for Table 1. Steps of 1/n s with n = {}; the last before the first failure stands here.",
        COUNTS.map(|n| n.to_string()).join(", ")
    ));
    let started = start(&FlexibleSliderCrank::default())?;
    let mut rows = Vec::new();
    let head = ["not said", "not said"].map(String::from);
    let printed = |pick: fn(&(f64, usize, usize)) -> usize| {
        TABLE_2.iter().map(|row| format!("1/{}", pick(row))).collect::<Vec<_>>()
    };
    rows.push([&head[..], &["(3.3), **paper**".into()], &printed(|r| r.2)].concat());
    rows.push([&head[..], &["CM, **paper**".into()], &printed(|r| r.1)].concat());
    for (policy, matrix) in POLICIES {
        let mut of_limits = [Vec::new(), Vec::new()];
        for (name, form) in
            [("(3.3)", Form::Stabilized), ("CS", Form::CoordinateSplit), ("CM", Form::Modified)]
        {
            let mut cells =
                LIMITS.map(|limit| vec![policy.to_string(), limit.to_string(), name.to_string()]);
            for (eps, ..) in TABLE_2 {
                let method = method(form, 0.75)?.matrix_policy(matrix);
                let search = Search { started: &started, method, t_end: 1.0, tolerance: eps };
                for (least, cells) in search.least_steps(&COUNTS)?.iter().zip(&mut cells) {
                    cells.push(least.map_or("none".into(), |n| format!("1/{n}")));
                }
            }
            for (rows, cells) in of_limits.iter_mut().zip(cells) {
                rows.push(cells);
            }
        }
        rows.extend(of_limits.into_iter().flatten());
    }
    report.table(&["matrix renewed", "limit", "iteration", "10⁻⁵", "10⁻⁷", "10⁻⁹"], &rows);
    report.text(
        "With the matrix of the step's start and at most 4 iterations, the settings of the \
         codes of the time, CM's steps are about the printed ones, and they shrink with the tolerance as \
         printed. Those of (3.3) are as large here: its multipliers are tested in units of q and \
         hv. Tested as they stand in (3.3), μ would count 1/h times as much; a factor of two in h \
         can have come from that, not from the equations.",
    );
    Ok(())
}

/// A run to 1 s with so many steps.
fn simulate(form: Form, rho: f64, steps: usize) -> Result<Solution, Failure> {
    let model = FlexibleSliderCrank::default();
    let step = Step::fixed(1.0 / steps as f64);
    Ok(Simulation::new(&model).method(method(form, rho)?).step(step).until(1.0).run()?)
}

/// A column over time, times `scale`.
fn curve(run: &Solution, column: &str, name: &str, scale: f64) -> Result<Series, Failure> {
    let points = run.times().into_iter().zip(run.series(column)?).map(|(t, y)| [t, scale * y]);
    Ok(Series::new(name, "", points.collect()))
}

fn figure(title: &str, subtitle: &str, y: Axis, series: Vec<Series>) -> Figure {
    let panel = series.into_iter().fold(Panel::new(y), Panel::series);
    Figure::new(title, Axis::new("t", "s")).subtitle(subtitle).panel(panel)
}

/// A column against time.
fn points(run: &Solution, column: &str) -> Result<Vec<[f64; 2]>, Failure> {
    Ok(run.times().into_iter().zip(run.series(column)?).map(|(t, y)| [t, y]).collect())
}

fn vibrations(report: &mut Report) -> Result<(), Failure> {
    let fine = simulate(Form::Stabilized, 0.75, 2000)?;
    let cm = simulate(Form::Modified, 0.75, 2000)?;
    let exact = simulate(Form::Stabilized, 1.0, 20_000)?;
    let damped = [0.5, 0.0].map(|rho| Ok((rho, simulate(Form::Stabilized, rho, 500)?)));
    let damped = damped.into_iter().collect::<Result<Vec<_>, Failure>>()?;
    preserved(report, &exact, &fine, &damped)?;

    let deflection = || Axis::new("deflection", "mm");
    let middle = |run: &Solution, name: &str| curve(run, "w[1]", name, 1e3);
    let both = vec![curve(&fine, "w[3]", "end of the rod", 1e3)?, middle(&fine, "its middle")?];
    let subtitle = "dae-alpha, ρ = 0.75, h = 1/2000 s";
    let title = "Fig. 7: nonlinear oscillations in nodal coordinates";
    let fig7 = figure(title, subtitle, deflection(), both);
    report.figure("fig7", "Fig. 7: deflections of the rod, small beside its motion", &fig7)?;

    let curves = vec![
        Series::guide("converged", points(&exact, "phi2")?),
        curve(&fine, "phi2", "(3.3)", 1.0)?,
        curve(&cm, "phi2", "CM", 1.0)?,
    ];
    let title = "Fig. 8: rigid motion of coordinate φ2";
    let fig8 = figure(title, "ρ = 0.75, h = 1/2000 s", Axis::new("φ2", "rad"), curves);
    report.figure("fig8", "Fig. 8: φ2 by (3.3) and by CM, which are one curve", &fig8)?;

    let mut curves = vec![middle(&fine, "ρ = 0.75, h = 1/2000")?];
    for (rho, run) in &damped {
        curves.push(middle(run, &format!("ρ = {rho}, h = 1/500"))?);
    }
    let title = "Fig. 9: damped vibration at the midpoint of the rod";
    let fig9 = figure(title, "dae-alpha", deflection(), curves);
    report.figure("fig9", "Fig. 9: the midpoint with ρ = 0.5 and 0 and h = 1/500", &fig9)
}

/// What damping leaves of the vibration, and of the slow motion.
fn preserved(
    report: &mut Report,
    exact: &Solution,
    fine: &Solution,
    damped: &[(f64, Solution)],
) -> Result<(), Failure> {
    report.text(
        "**The high modes go, φ2 stays.** Over the second half of the run, the rod's mean bending energy \
         and the root mean square of the acceleration of its middle, to which high modes contribute \
         most; the largest deviation of φ2 from the converged run (ρ = 1, h = 1/20000) up to \
         the end of the torque and up to 1 s, when the crank has turned by 9 rad:",
    );
    let bending = |run: &Solution| -> Result<f64, Failure> {
        let energy = run.series("potential")?;
        let half = &energy[energy.len() / 2..];
        Ok(half.iter().sum::<f64>() / half.len() as f64)
    };
    let acceleration = |run: &Solution| -> Result<f64, Failure> {
        let a = run.series("der(der(w[1]))")?;
        let half = &a[a.len() / 2..];
        Ok((half.iter().map(|a| a * a).sum::<f64>() / half.len() as f64).sqrt())
    };
    let reference = exact.series("phi2")?;
    let deviation = |run: &Solution, t_end: f64| -> Result<f64, Failure> {
        let every = (exact.len() - 1) / (run.len() - 1);
        let phi2 = run.series("phi2")?;
        let along = phi2.iter().zip(reference.iter().step_by(every)).zip(run.times());
        Ok(largest(along.filter(|(_, t)| *t <= t_end).map(|((a, b), _)| a - b)))
    };
    let mut rows = Vec::new();
    let runs = damped.iter().map(|(rho, run)| (format!("ρ = {rho}, h = 1/500"), run));
    let all = [("converged".to_string(), exact), ("ρ = 0.75, h = 1/2000".into(), fine)];
    for (name, run) in all.into_iter().chain(runs) {
        let bending = format!("{} J", sci(bending(run)?));
        let acceleration = format!("{:.1} m/s²", acceleration(run)?);
        rows.push(vec![
            name,
            bending,
            acceleration,
            sci(deviation(run, T_OFF)?),
            sci(deviation(run, 1.0)?),
        ]);
    }
    report.table(
        &["run", "bending energy", "acceleration", "deviation of φ2 to 0.3 s, rad", "to 1 s"],
        &rows,
    );
    Ok(())
}

fn energies(report: &mut Report) -> Result<(), Failure> {
    let draw = |title: &str, subtitle: &str, runs: &[(&str, Form, f64, usize)]| {
        let mut total = Panel::new(Axis::new("total energy", "J"));
        let mut bending = Panel::new(Axis::new("bending energy", "mJ"));
        for (name, form, rho, steps) in runs {
            let run = simulate(*form, *rho, *steps)?;
            let mut energy = points(&run, "energy")?;
            energy.retain(|[t, _]| *t >= T_OFF);
            total = total.series(Series::new(*name, "", energy));
            bending = bending.series(curve(&run, "potential", name, 1e3)?);
        }
        let figure = Figure::new(title, Axis::new("t", "s")).subtitle(subtitle);
        Ok::<_, Failure>(figure.panel(total).panel(bending))
    };
    report.text(
        "The total energy is drawn from the end of the torque on, where it should stay; the bending \
         energy below is the part of it that vibrates.",
    );
    use Form::{Modified, Stabilized};
    let fig10 = draw(
        "Fig. 10: total energy",
        "dae-alpha, h = 1/500 s",
        &[
            ("ρ = 0", Stabilized, 0.0, 500),
            ("ρ = 0.5", Stabilized, 0.5, 500),
            ("ρ = 0.75", Stabilized, 0.75, 500),
        ],
    )?;
    report.figure("fig10", "Fig. 10: total energy for ρ = 0, 0.5, 0.75", &fig10)?;
    let fig11 = draw(
        "Fig. 11: total energy",
        "dae-alpha, ρ = 0.5",
        &[
            ("h = 1/300", Stabilized, 0.5, 300),
            ("h = 1/500", Stabilized, 0.5, 500),
            ("h = 1/750", Stabilized, 0.5, 750),
        ],
    )?;
    report.figure("fig11", "Fig. 11: total energy for h = 1/300, 1/500, 1/750", &fig11)?;
    let fig12 = draw(
        "Fig. 12: total energy, CM and (3.3)",
        "ρ = 0.75, h = 1/500 s",
        &[
            ("(3.3)", Stabilized, 0.75, 500),
            ("CM", Modified, 0.75, 500),
            ("CM with P frozen", Form::Frozen, 0.75, 500),
        ],
    )?;
    report.figure("fig12", "Fig. 12: CM and (3.3) have one energy; CM with P frozen", &fig12)?;
    report.text(
        "**Finding.** The paper's Fig. 12 shows faster dissipation by CM than by (3.3). They have \
         the same solution to what Newton's iteration leaves, and so the same energy.",
    );
    Ok(())
}
