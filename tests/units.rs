//! The same motion in any unit: mechanisms with lengths, masses and times scaled take the same steps
//! and differ by what the tolerance allows; by powers of four, bit for bit; and moved away from the
//! origin they move alike. `MBD_HARD=1` tries all of it, otherwise a selection that takes seconds.

#![allow(missing_docs)]

use mbd::integrate::{INCONSISTENT, METHODS, Method, Step};
use mbd::model::Mechanism;
use mbd::prelude::*;
use std::fmt::Write as _;

#[path = "../examples/chain.rs"]
#[allow(dead_code)]
mod chain;
#[path = "../examples/heavy_top.rs"]
#[allow(dead_code)]
mod heavy_top;
#[path = "../examples/quarter_car.rs"]
#[allow(dead_code)]
mod quarter_car;

mechanism! {
    /// A pendulum about a point at (d, −2d).
    pub mechanism Pendulum {
        param m: [kg] = 1.0;
        param l: [m] = 1.0;
        param g: [m/s^2] = 9.81;
        param d: [m] = 0.0;
        coord x: [m];
        coord y: [m];
        kinetic bob = 0.5*m*(sq(der(x)) + sq(der(y)));
        potential weight = m*g*y;
        holonomic rod: sq(x - d) + sq(y + 2.0*d) == sq(l);
        init x = d + l;
        init y = -2.0*d;
        until 2.0;
    }
}

mechanism! {
    /// A slider-crank with its bearing at x = d, driven and braked.
    pub mechanism SliderCrank {
        param r: [m] = 0.10;
        param l: [m] = 0.30;
        param m_p: [kg] = 0.50;
        param m_r: [kg] = 0.20;
        param j: [kg*m^2] = 1.5e-3;
        param g: [m/s^2] = 9.81;
        param w: [rad/s] = 20.0;
        param c: [N*m*s] = 0.05;
        param d: [m] = 0.0;
        coord theta: [rad];
        coord phi: [rad];
        coord x: [m];
        let rod = [r*cos(theta) + 0.5*l*cos(phi), r*sin(theta) - 0.5*l*sin(phi)];
        let v_rod = der(rod);
        kinetic crank = 0.5*j*sq(der(theta));
        kinetic rod = 0.5*m_r*(sq(v_rod[0]) + sq(v_rod[1])) + 0.5*j*sq(der(phi));
        kinetic piston = 0.5*m_p*sq(der(x));
        potential weight = g*m_r*rod[1];
        force motor along theta = c*(w - der(theta));
        holonomic close_x: d + r*cos(theta) + l*cos(phi) == x;
        holonomic close_y: r*sin(theta) == l*sin(phi);
        init theta = 0.3;
        init der(theta) = w;
        guess phi = 0.1;
        guess x = d + 1.3*l;
        until 0.5;
    }
}

mechanism! {
    /// A mass on a spring at x = d.
    pub mechanism Oscillator {
        param m: [kg] = 1.0;
        param k: [N/m] = 40.0;
        param a: [m] = 0.1;
        param d: [m] = 0.0;
        coord x: [m];
        kinetic mass = 0.5*m*sq(der(x));
        force spring along x = -k*(x - d);
        init x = d + a;
        until 2.0;
    }
}

mechanism! {
    /// A four-bar linkage in joint angles, which say nothing of where it stands: its loop closes as a difference of
    /// lengths from the origin.
    pub mechanism FourBar {
        coordinates joint;
        param l: [m] = 0.1;
        param m: [kg] = 1.0;
        param g: [m/s^2] = 9.81;
        param w: [rad/s] = 5.0;
        param d: [m] = 0.0;
        gravity [0, -g];
        body crank: PlanarBody { mass: m, inertia: m*l*l };
        body coupler: PlanarBody { mass: 2.0*m, inertia: 10.0*m*l*l };
        body rocker: PlanarBody { mass: 1.5*m, inertia: 5.0*m*l*l };
        joint o: revolute(ground.at([d, d]), crank.at([-l, 0]));
        joint a: revolute(crank.at([l, 0]), coupler.at([-3.0*l, 0]));
        joint b: revolute(coupler.at([3.0*l, 0]), rocker.at([2.0*l, 0]));
        joint c: revolute(ground.at([d + 6.0*l, d]), rocker.at([-2.0*l, 0]));
        init o.angle = 1.0;
        init o.rate = w;
        guess a.angle = -0.8;
        guess c.angle = 1.3;
        until 0.3;
    }
}

/// Powers of length, mass and time in a unit such as `kg*m^2/s`.
fn dimension(unit: &str) -> [i32; 3] {
    let mut sum = [0; 3];
    for (i, part) in unit.split('/').enumerate() {
        let sign = if i == 0 { 1 } else { -1 };
        for factor in part.split('*') {
            let (name, power) = factor.split_once('^').unwrap_or((factor, "1"));
            let power: i32 = sign * power.trim().parse::<i32>().expect("a power");
            let of = match name.trim() {
                "m" => [1, 0, 0],
                "kg" => [0, 1, 0],
                "s" => [0, 0, 1],
                "N" => [1, 1, -2],
                "rad" | "1" | "-" | "" => [0; 3],
                other => panic!("the unit `{other}` is not known here"),
            };
            sum.iter_mut().zip(of).for_each(|(sum, of)| *sum += power * of);
        }
    }
    sum
}

/// What units of length, mass and time are multiplied by.
type Factors = [f64; 3];

fn factor(unit: &str, by: Factors) -> f64 {
    let powers = dimension(unit);
    by.iter().zip(powers).map(|(by, power)| by.powi(power)).product()
}

struct Case {
    name: &'static str,
    make: fn() -> Box<dyn Mechanism>,
    t_end: f64,
    /// A fixed step.
    h: f64,
    tolerance: f64,
    /// The parameter that moves it away, and its size.
    moved: Option<(&'static str, f64)>,
}

fn cases() -> Vec<Case> {
    let case = |name, make, t_end, h, moved| Case { name, make, t_end, h, tolerance: 1e-5, moved };
    vec![
        case("pendulum", || Box::new(Pendulum::default()), 2.0, 0.01, Some(("d", 1.0))),
        case("slider-crank", || Box::new(SliderCrank::default()), 0.2, 1e-3, Some(("d", 0.4))),
        case("quarter car", || Box::new(quarter_car::QuarterCar::default()), 1.0, 5e-3, None),
        case("heavy top", || Box::new(heavy_top::HeavyTop::default()), 0.1, 1e-3, None),
        case("chain", || Box::new(chain::Chain { n: 4, ..Default::default() }), 0.5, 5e-3, None),
        case("oscillator", || Box::new(Oscillator::default()), 1.0, 0.01, Some(("d", 0.1))),
        case("four-bar by angles", || Box::new(FourBar::default()), 0.3, 2e-3, Some(("d", 0.6))),
    ]
}

/// Steps taken and the end's coordinates and velocities, back in the units of the original.
fn run(
    case: &Case,
    method: &str,
    adaptive: bool,
    by: Factors,
    d: f64,
) -> Result<(usize, Vec<f64>), String> {
    let mut mechanism = (case.make)();
    for info in mechanism.params().into_iter().filter(|info| !info.is_size) {
        let value = if Some(&*info.name) == case.moved.map(|m| m.0) { d } else { info.value };
        mechanism.set(&info.name, value * factor(&info.unit, by)).map_err(|e| e.to_string())?;
    }
    let step = if adaptive { Step::adaptive(case.tolerance) } else { Step::fixed(case.h * by[2]) };
    let run = mbd::Simulation::new(&*mechanism)
        .method(Method::from_name(method).unwrap())
        .step(step)
        .until(case.t_end * by[2])
        .max_steps(100_000)
        .run()
        .map_err(|failed| failed.to_string())?;
    let n = run.final_q().len();
    let names = run.columns()[1..].iter().take(2 * n);
    let values = run.final_q().iter().chain(run.final_v());
    let values =
        names.zip(values).map(|(column, y)| y / factor(&column.unit.replace("^2^2", "^4"), by));
    Ok((run.stats.steps, values.collect()))
}

/// The methods that treat a model, all or a few.
fn methods(hard: bool) -> Vec<&'static str> {
    let few = [
        "gen-alpha-soi2",
        "hht-i3",
        "radau5",
        "projected-ode",
        "bdf-ggl",
        "state-space",
        "explicit-rk",
    ];
    METHODS.iter().map(|m| m.name).filter(|name| hard || few.contains(name)).collect()
}

fn hard() -> bool {
    std::env::var_os("MBD_HARD").is_some()
}

fn report(failures: &str) {
    assert!(failures.is_empty(), "\n{failures}");
}

/// Distance of two ends, relative to the largest value of each kind.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() / 2;
    let of = |a: &[f64], b: &[f64]| {
        let size = b.iter().fold(1e-300, |m: f64, y| m.max(y.abs()));
        a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs() / size))
    };
    of(&a[..n], &b[..n]).max(of(&a[n..], &b[n..]))
}

#[test]
fn powers_of_four_change_no_step() {
    let mut failures = String::new();
    let all: &[[i32; 3]] =
        &[[7, 0, 0], [-9, 0, 0], [0, 6, 0], [0, 0, -5], [-11, -8, 4], [13, 9, -10]];
    let few: &[[i32; 3]] = &[[-9, 5, -4]];
    for case in cases() {
        for method in methods(hard()) {
            for adaptive in [true, false] {
                let Ok(base) = run(&case, method, adaptive, [1.0; 3], 0.0) else { continue };
                for powers in if hard() { all } else { few } {
                    let by = powers.map(|k| 4.0f64.powi(k));
                    let told = match run(&case, method, adaptive, by, 0.0) {
                        Ok(scaled) if scaled == base => continue,
                        // Pivots of linear systems may be others, and round otherwise.
                        Ok((steps, y))
                            if !hard() && steps == base.0 && distance(&y, &base.1) < 1e-11 =>
                        {
                            continue;
                        }
                        Ok((steps, y)) => {
                            format!(
                                "{steps} steps for {}, off by {:.0e}",
                                base.0,
                                distance(&y, &base.1)
                            )
                        }
                        Err(error) => error,
                    };
                    let kind = if adaptive { "adaptive" } else { "fixed" };
                    let _ =
                        writeln!(failures, "{} {method} {kind} 4^{powers:?}: {told}", case.name);
                }
            }
        }
    }
    report(&failures);
}

#[test]
fn powers_of_ten_change_the_steps_by_rounding_only() {
    let mut failures = String::new();
    let few: &[[i32; 3]] = &[[-9, 0, 0], [9, 6, -6]];
    let mut all = Vec::new();
    for k in -9..=9 {
        all.push([k, 0, 0]);
    }
    for k in -6..=6 {
        all.extend([[0, k, 0], [0, 0, k]]);
    }
    for case in cases() {
        for method in methods(hard()) {
            for adaptive in [true, false] {
                let Ok(base) = run(&case, method, adaptive, [1.0; 3], 0.0) else { continue };
                for powers in if hard() { &all } else { few } {
                    let by = powers.map(|k| 10.0f64.powi(k));
                    let told = match run(&case, method, adaptive, by, 0.0) {
                        Ok((steps, y)) => {
                            let more = (steps as f64 / base.0 as f64 - 1.0).abs();
                            let off = distance(&y, &base.1);
                            if more <= 0.02 && off <= 0.1 * case.tolerance {
                                continue;
                            }
                            format!("{steps} steps for {}, off by {off:.0e}", base.0)
                        }
                        Err(error) => error,
                    };
                    let kind = if adaptive { "adaptive" } else { "fixed" };
                    let _ =
                        writeln!(failures, "{} {method} {kind} 10^{powers:?}: {told}", case.name);
                }
            }
        }
    }
    report(&failures);
}

#[test]
fn a_mechanism_moved_away_moves_alike() {
    let mut failures = String::new();
    for case in cases() {
        let Some((_, size)) = case.moved else { continue };
        // In angles nothing but the closing of the loop tells where it stands, which each method solves in its own way.
        let all = methods(hard() || case.name == "four-bar by angles");
        // What depends on when its matrix was computed is another motion with every rounding.
        for method in all.into_iter().filter(|name| !INCONSISTENT.contains(name)) {
            for adaptive in [true, false] {
                let Ok(base) = run(&case, method, adaptive, [1.0; 3], 0.0) else { continue };
                for d in [1.0, 1e3, 1e7] {
                    let told = match run(&case, method, adaptive, [1.0; 3], d * size) {
                        Ok((steps, y)) => {
                            // Velocities and angles are the same; so are positions less the offset.
                            let n = y.len() / 2;
                            let offset = |i: usize| match (case.name, i) {
                                ("pendulum", 0) => d * size,
                                ("pendulum", 1) => -2.0 * d * size,
                                ("slider-crank", 2) | ("oscillator", 0) => d * size,
                                _ => 0.0,
                            };
                            let y: Vec<f64> = y
                                .iter()
                                .enumerate()
                                .map(|(i, y)| if i < n { y - offset(i) } else { *y })
                                .collect();
                            let off = distance(&y, &base.1);
                            let allowed = 10.0 * case.tolerance + 100.0 * f64::EPSILON * d;
                            if off <= allowed {
                                continue;
                            }
                            format!("{steps} steps for {}, off by {off:.0e}", base.0)
                        }
                        Err(error) => error,
                    };
                    let kind = if adaptive { "adaptive" } else { "fixed" };
                    let _ = writeln!(failures, "{} {method} {kind} moved {d:e}: {told}", case.name);
                }
            }
        }
    }
    report(&failures);
}

mechanism! {
    /// Small vibrations of a large machine.
    pub mechanism Stated {
        param k: [N/m] = 40.0;
        param fine: [m] = 1e-6;
        coord x: [m];
        coord y: [m];
        kinetic mass = 0.5*(sq(der(x)) + sq(der(y)));
        potential springs = 0.5*k*sq(x) + 0.5*7.0*k*sq(y);
        init x = 1.0;
        init y = 1e-6;
        scale y = fine;
        until 2.0;
    }
}

/// Error of y at the end, relative to its amplitude.
fn error_of_y(run: mbd::Simulation<'_>) -> f64 {
    let run = run.step(Step::adaptive(1e-5)).until(2.0).run().unwrap();
    let exact = 1e-6 * (280.0f64.sqrt() * 2.0).cos();
    (run.final_q()[1] - exact).abs() / 1e-6
}

#[test]
fn stated_scales_and_tolerances_rule() {
    let model = Stated::default();
    let stated = error_of_y(mbd::Simulation::new(&model));
    assert!(stated < 1e-2, "{stated:e}");
    // The same as a tolerance, and loose ones the same way.
    let as_tolerance = mbd::Simulation::new(&model).atol("y", 1e-6 * 1e-5);
    assert_eq!(error_of_y(as_tolerance), stated);
    let loose = error_of_y(mbd::Simulation::new(&model).scale("y", 1.0));
    assert!(loose > 3.0 * stated, "{loose:e} {stated:e}");

    let refused = |run: mbd::Simulation<'_>| run.until(2.0).run().unwrap_err().to_string();
    let message = refused(mbd::Simulation::new(&model).atol("z", 1e-9));
    assert!(message.contains("atol") && message.contains("`z`"), "{message}");
    let message = refused(mbd::Simulation::new(&model).scale("y", -1.0));
    assert!(message.contains("scale = -1"), "{message}");
    let message = refused(mbd::Simulation::new(&model).atol("y", 1e-9).step(Step::fixed(0.1)));
    assert!(message.contains("fixed steps"), "{message}");
    let message = refused(mbd::Simulation::new(&Stated { fine: 0.0, ..model }));
    assert!(message.contains("scale of `y` is 0"), "{message}");
}
