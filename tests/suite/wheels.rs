//! Many places with friction in a plane that are at rest at one instant: wheels of a vehicle without steering, feet of a block.

use mbd::components::force;
use mbd::nalgebra::{DMatrix, DVector};
use mbd::prelude::*;
use mbd::simulation::Simulation;
use mbd::solution::{EventKind, Solution};

mechanism! {
    /// A vehicle on n driven wheels without steering. It rolls at the start; those of one side are driven backwards.
    mechanism Wheels {
        size n = 4;
        param m: [kg] = 400.0; param j: [kg*m^2] = 90.0; param jw: [kg*m^2] = 0.8; param r: [m] = 0.25; param mu = 0.6;
        param torque: [N*m] = 120.0;
        body hull: PlanarBody { mass: m, inertia: j };
        for i in 0..n {
            let load = mu*m*9.81/(n as f64);
            let px = 0.5 - (i as f64)/(n as f64);
            let py = if i % 2 == 0 { 0.6 } else { -0.6 };
            coord wheel: [rad];
            kinetic spin = 0.5*jw*sq(der(wheel));
            let c = cos(hull.theta); let s = sin(hull.theta);
            let p = hull.point([px, py]);
            let vx = der(p[0]); let vy = der(p[1]);
            let sl = c*vx + s*vy - r*der(wheel);
            let st = -s*vx + c*vy;
            let f = force::plane_friction([sl, st], load, load);
            force tyre = [c*f[0] - s*f[1], s*f[0] + c*f[1]] on hull at [px, py];
            force tread[wheel] = -r*f[0];
            force motor[wheel] = (if py > 0.0 { -1.0 } else { 1.0 })*torque + 40.0 - 15.0*der(wheel);
            init wheel = 0.0;
            init der(wheel) = 8.0;
        }
        init hull.position = [0.0, 0.0]; init hull.theta = 0.0;
        init hull.velocity = [2.0, 0.0]; init der(hull.theta) = 0.0;
    }
}

mechanism! {
    /// A block on n feet that is pushed back and forth, a little beside its middle, just harder than they hold.
    mechanism Block {
        size n = 4;
        param m: [kg] = 10.0; param j: [kg*m^2] = 0.4; param mu = 0.5; param off: [m] = 0.02; param peak: [N] = 49.2;
        body block: PlanarBody { mass: m, inertia: j };
        for i in 0..n {
            let load = mu*m*9.81/(n as f64);
            let px = 0.3 - 0.6*((i/2) as f64)/((n/2 - 1) as f64);
            let py = if i % 2 == 0 { 0.2 } else { -0.2 };
            let p = block.point([px, py]);
            force foot along [p[0], p[1]] = force::plane_friction([der(p[0]), der(p[1])], load, load);
        }
        let handle = block.point([0.0, off]);
        force push along handle[0] = peak*sin(3.0*t);
        init block.position = [0.0, 0.0]; init block.theta = 0.0;
        init block.velocity = [0.0, 0.0]; init der(block.theta) = 0.0;
    }
}

fn run(model: &impl Mechanism, tolerance: f64, t_end: f64) -> Solution {
    let method = Method::from_name("radau5").unwrap();
    let run = Simulation::new(model).method(method).step(Step::adaptive(tolerance)).until(t_end);
    run.run().unwrap_or_else(|error| panic!("{error}"))
}

/// The accelerations with which n wheels begin: of the hull along x and y and about z, and of each wheel. Those for which
/// ½ (a − a₀)ᵀM(a − a₀) + Σ μNᵢ |sᵢ| is least, s = J a the rates of the speeds in the planes and a₀ the accelerations without
/// friction, by Weiszfeld's iteration: |s| is s²/|s| with the |s| before.
fn first_accelerations(n: usize) -> DVector<f64> {
    let model = Wheels { n, ..Wheels::default() };
    let size = n + 3;
    let limit = model.mu * model.m * 9.81 / n as f64;
    let at = |i: usize| {
        let px = 0.5 - i as f64 / n as f64;
        [px, if i.is_multiple_of(2) { 0.6 } else { -0.6 }]
    };
    let mass = DVector::from_fn(size, |k, _| match k {
        0 | 1 => model.m,
        2 => model.j,
        _ => model.jw,
    });
    let force = DVector::from_fn(size, |k, _| match k.checked_sub(3) {
        None => 0.0,
        Some(i) if at(i)[1] > 0.0 => -model.torque + 40.0 - 15.0 * 8.0,
        Some(_) => model.torque + 40.0 - 15.0 * 8.0,
    });
    let rows: Vec<[DVector<f64>; 2]> = (0..n)
        .map(|i| {
            let [px, py] = at(i);
            let (mut along, mut across) = (DVector::zeros(size), DVector::zeros(size));
            (along[0], along[2], along[3 + i]) = (1.0, -py, -model.r);
            (across[1], across[2]) = (1.0, px);
            [along, across]
        })
        .collect();
    let mut a = force.component_div(&mass);
    for _ in 0..20_000 {
        let mut matrix = DMatrix::from_diagonal(&mass);
        for [along, across] in &rows {
            let slip = along.dot(&a).hypot(across.dot(&a)).hypot(1e-7);
            let weight = limit / slip;
            matrix += weight * (along * along.transpose() + across * across.transpose());
        }
        let next = matrix.lu().solve(&force).unwrap();
        let change = (&next - &a).amax();
        a = next;
        if change < 1e-12 {
            break;
        }
    }
    a
}

/// All wheels begin at once, each in the direction in which it goes on, which those of all others turn. What was assumed of one
/// wheel after the other agreed in no combination: 1740 assumptions for eight wheels, and a start that was not decided.
#[test]
fn wheels_of_a_vehicle_begin_to_slip_at_once() {
    for n in [4, 6, 8, 16] {
        let model = Wheels { n, ..Wheels::default() };
        let h = 1e-4;
        let method = Method::from_name("radau5").unwrap();
        let run = Simulation::new(&model).method(method).step(Step::adaptive(1e-9)).until(1.0);
        let mut stepper = run.stepper().unwrap();
        let mut after = |t: f64| {
            stepper.step_to(t).unwrap();
            (stepper.state().v().to_vec(), stepper.stats().assumptions)
        };
        let ((one, assumptions), (two, _)) = (after(h), after(2.0 * h));
        assert!(assumptions <= 12, "{n} wheels: {assumptions}");
        let first = |k: usize, begin: f64| (4.0 * one[k] - two[k] - 3.0 * begin) / (2.0 * h);
        let should = first_accelerations(n);
        for k in 0..n + 3 {
            let begin = [2.0, 0.0, 0.0].get(k).copied().unwrap_or(8.0);
            let is = first(k, begin);
            let off = (is - should[k]).abs();
            assert!(off < 5e-3, "{n} wheels, {k}: {is} for {}", should[k]);
        }
    }
}

/// What holds the wheels along the way is decided as fast.
#[test]
fn wheels_of_a_vehicle_slip_and_hold_on_the_way() {
    for n in [6, 8, 16] {
        let end = run(&Wheels { n, ..Wheels::default() }, 1e-6, 1.0);
        assert!(end.stats.assumptions < 1500, "{n} wheels: {}", end.stats.assumptions);
    }
}

/// A block lets go of all its feet where the push is as large as what they hold, and is at rest again after each half of a swing.
#[test]
fn a_block_on_many_feet_lets_go_and_holds_again() {
    for n in [4, 12] {
        let model = Block { n, ..Block::default() };
        let end = run(&model, 1e-6, 2.0);
        assert!(end.stats.assumptions < 3000, "{n} feet: {}", end.stats.assumptions);
        let slips: Vec<f64> =
            end.events.iter().filter(|e| e.kind == EventKind::Slip).map(|e| e.t).collect();
        assert_eq!(slips.len(), 2 * n, "{n} feet: {slips:?}");
        assert!(end.final_v().iter().all(|v| v.abs() < 1e-13), "{n} feet: {:?}", end.final_v());
    }
}
