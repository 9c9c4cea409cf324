//! Gears, belts, racks and differentials: derivatives, the balance of every body they touch, ratios that are kept; by
//! all methods, against closed forms, in the plane, in joint coordinates, and by rates.

use crate::{Outputs, last, near, started};
use mbd::integrate::{INCONSISTENT, METHODS, Method};
use mbd::prelude::*;
use mbd::verify::{assert_all_derivatives, generic_point, program_error};

/// Runs finely to the end.
fn run(mechanism: &impl Mechanism) -> Solution {
    let method = mbd::integrate::Radau5::default();
    let simulation = Simulation::new(mechanism).method(method).step(Step::adaptive(1e-9));
    simulation.run().expect("a run")
}

mechanism! {
    /// A motor drives a wheel by a gear, that a pulley by a belt, and that a rack.
    pub mechanism Train {
        param drive: [N*m] = 2.0;
        body pinion: PlanarBody { mass: 1.0, inertia: 0.02 };
        body wheel: PlanarBody { mass: 3.0, inertia: 0.2 };
        body pulley: PlanarBody { mass: 1.0, inertia: 0.05 };
        body slide: PlanarBody { mass: 4.0, inertia: 1.0 };
        joint first: revolute(ground, pinion);
        joint second: revolute(ground.at([0.3, 0]), wheel);
        joint third: revolute(ground.at([0.9, 0]), pulley);
        joint rail: prismatic(ground.at([0.9, 0.1]), slide);
        joint mesh: gear(first, second, 0.5);
        joint loop_: belt(second, third, 0.1, 0.2);
        joint rack: rack_and_pinion(third, rail, 0.15);
        torque motor = drive on pinion;
        init first.rate = 3.0;
        guess second.rate = -1.5;
        guess third.rate = -0.75;
        guess rail.speed = -0.1125;
        output pinion: [rad/s^2] = der(pinion.omega);
        output wheel: [rad/s^2] = der(wheel.omega);
        output pulley: [rad/s^2] = der(pulley.omega);
        output slide: [m/s^2] = der(slide.velocity)[0];
        output on_pinion: [N*m] = mesh.first_torque;
        output on_wheel: [N*m] = mesh.second_torque;
        output belt_on_wheel: [N*m] = loop_.first_torque;
        output belt_on_pulley: [N*m] = loop_.second_torque;
        output pull: [N] = loop_.pull;
        output rack_on_pulley: [N*m] = rack.pinion_torque;
        output rack_on_slide: [N] = rack.rack_force;
        output ratio: [N] = lambda(rack);
        output position: [m] = rail.position;
        until 0.5;
    }
}

/// Every body turns by what acts on it, and the whole as its reduced inertia says.
#[test]
fn bodies_of_a_train_are_in_balance() {
    assert_all_derivatives(&Train::default());
    let out = Outputs::of(&started(&Train::default()));
    let of = |name| out.number(name);
    near("pinion", 0.02 * of("pinion"), 2.0 + of("on_pinion"), 1e-12);
    near("wheel", 0.2 * of("wheel"), of("on_wheel") + of("belt_on_wheel"), 1e-12);
    near("pulley", 0.05 * of("pulley"), of("belt_on_pulley") + of("rack_on_pulley"), 1e-12);
    near("slide", 4.0 * of("slide"), of("rack_on_slide"), 1e-12);
    near("its multiplier", of("ratio"), of("rack_on_slide"), 1e-15);
    near("pull", of("belt_on_pulley"), 0.2 * of("pull"), 1e-15);
    // A gear takes from one what it gives the other: the ratios of speeds are those of torques.
    near("power of the gear", of("on_pinion"), 0.5 * of("on_wheel"), 1e-12);
    let reduced = 0.02 + 0.2 * 0.25 + (0.05 + 4.0 * 0.15 * 0.15) / 16.0;
    near("motor", of("pinion"), 2.0 / reduced, 1e-10);
    near("wheel turns the other way", of("wheel"), -0.5 * of("pinion"), 1e-10);
    near("pulley", of("pulley"), 0.5 * of("wheel"), 1e-10);
    near("slide", of("slide"), 0.15 * of("pulley"), 1e-10);
}

#[test]
fn ratios_are_kept_over_turns() {
    let run = run(&Train { drive: 20.0 });
    let angle = last(&run, "pinion.theta");
    assert!(angle > 12.0, "several turns, {angle}");
    near("wheel", last(&run, "wheel.theta"), -0.5 * angle, 1e-9);
    near("pulley", last(&run, "pulley.theta"), -0.25 * angle, 1e-9);
    near("slide", last(&run, "position"), -0.25 * 0.15 * angle, 1e-9);
}

mechanism! {
    /// A car's rear axle, in space: the case turns both shafts, which turn at different speeds.
    pub mechanism RearAxle {
        param torque: [N*m] = 12.0;
        param brake: [N*m*s] = 0.5;
        param tilt: [rad] = 0.0;
        let axis = [sin(tilt), cos(tilt), 0.0];
        body case: SpatialBody { mass: 5.0, jx: 0.02, jy: 0.04, jz: 0.02 };
        body left: SpatialBody { mass: 3.0, jx: 0.01, jy: 0.03, jz: 0.01 };
        body right: SpatialBody { mass: 3.0, jx: 0.01, jy: 0.05, jz: 0.01 };
        joint middle: revolute(ground.at([0, 0, 0], axis, [0, 0, 1]), case.at([0, 0, 0], [0, 1, 0], [0, 0, 1]));
        joint port: revolute(ground.at([0, 0.4, 0], axis, [0, 0, 1]), left.at([0, 0, 0], [0, 1, 0], [0, 0, 1]));
        joint starboard: revolute(ground.at([0, -0.4, 0], axis, [0, 0, 1]), right.at([0, 0, 0], [0, 1, 0], [0, 0, 1]));
        joint gears: differential(middle, port, starboard);
        force engine along middle.angle = torque;
        force drag along port.angle = -brake*port.rate;
        guess middle.rate = 1.0;
        guess port.rate = 3.0;
        guess starboard.rate = -1.0;
        output case: [rad/s^2] = dot(der(case.omega), [0, 1, 0]);
        output left: [rad/s^2] = dot(der(left.omega), [0, 1, 0]);
        output right: [rad/s^2] = dot(der(right.omega), [0, 1, 0]);
        output on_case: [N*m] = gears.case_torque;
        output on_left: [N*m] = gears.left_torque;
        output on_right: [N*m] = gears.right_torque;
        output rates[3]: [rad/s] = [middle.rate, port.rate, starboard.rate];
        until 1.0;
    }
}

#[test]
fn a_differential_shares_torque_whatever_the_speeds() {
    for tilt in [0.0, 0.7] {
        let axle = RearAxle { tilt, ..Default::default() };
        assert_all_derivatives(&axle);
        let out = Outputs::of(&started(&axle));
        let of = |name| out.number(name);
        near("case", 0.04 * of("case"), 12.0 + of("on_case"), 1e-11);
        near("left", 0.03 * of("left"), of("on_left") - 0.5 * 3.0, 1e-11);
        near("right", 0.05 * of("right"), of("on_right"), 1e-11);
        near("shares", of("on_left"), of("on_right"), 1e-13);
        let run = run(&axle);
        let rate = |k: usize| last(&run, &format!("rates[{k}]"));
        near("mean of both", rate(1) + rate(2), 2.0 * rate(0), 1e-9);
        assert!(rate(2) > rate(1), "the shaft that is braked is the slower one");
    }
}

mechanism! {
    /// On a torsion spring, which by a gear, a belt and a rack carries everything else; behind a differential two flywheels
    /// that may turn against each other. It starts in no position that all angles being zero leads to.
    pub mechanism Geared {
        param k: [N*m/rad] = 30.0;
        param spin: [rad/s] = 40.0;
        body pinion: PlanarBody { mass: 1.0, inertia: 0.02 };
        body wheel: PlanarBody { mass: 3.0, inertia: 0.2 };
        body pulley: PlanarBody { mass: 1.0, inertia: 0.05 };
        body slide: PlanarBody { mass: 4.0, inertia: 1.0 };
        body port: PlanarBody { mass: 1.0, inertia: 0.3 };
        body starboard: PlanarBody { mass: 1.0, inertia: 0.3 };
        joint first: revolute(ground, pinion);
        joint second: revolute(ground.at([0.3, 0]), wheel);
        joint third: revolute(ground.at([0.9, 0]), pulley);
        joint rail: prismatic(ground.at([0.9, 0.1]), slide);
        joint left: revolute(ground.at([0, 1]), port);
        joint right: revolute(ground.at([0, 2]), starboard);
        joint mesh: gear(first, second, 0.5);
        joint loop_: belt(second, third, 0.1, 0.2);
        joint rack: rack_and_pinion(third, rail, 0.15);
        joint shares: differential(third, left, right);
        force spring along first.angle = -k*first.angle;
        init first.angle = 2.0;
        init second.angle = 0.7;
        init third.angle = -0.3;
        init rail.position = 0.11;
        init left.angle = 5.0;
        init left.rate = spin;
        guess right.rate = -spin;
        output on_pinion: [N*m] = mesh.first_torque;
        output on_wheel: [N*m] = mesh.second_torque;
        output pull: [N] = loop_.pull;
        output on_slide: [N] = rack.rack_force;
        output on_case: [N*m] = shares.case_torque;
        output slid: [m] = rail.position;
        until 2.0;
    }
}

/// What the gears of [`Geared`] and [`Angles`] go on to be off by.
fn off(run: &Solution, names: [&str; 6]) -> f64 {
    let [first, second, third, rail, left, right] = names.map(|name| last(run, name));
    let gear = second - 0.7 + 0.5 * (first - 2.0);
    let belt = 0.1 * (second - 0.7) - 0.2 * (third + 0.3);
    let rack = 0.15 * (third + 0.3) - (rail - 0.11);
    let shares = 2.0 * (third + 0.3) - (left - 5.0) - right;
    [gear, belt, rack, shares].into_iter().fold(0.0, |worst, off| off.abs().max(worst))
}

/// All is one inertia about the pinion, and the difference of the flywheels turns freely.
fn closed_form(spin: f64, k: f64, t: f64) -> [f64; 3] {
    let reduced = 0.02 + 0.2 * 0.25 + (0.05 + 4.0 * 0.15 * 0.15 + 0.6) / 16.0;
    let w = f64::sqrt(k / reduced);
    let angle = 2.0 * (w * t).cos();
    let third = -0.3 - 0.25 * (angle - 2.0);
    // The wheel, and behind it pulley, slide and flywheels.
    let behind = 0.2 + (0.05 + 4.0 * 0.15 * 0.15 + 0.6) / 4.0;
    [angle, 5.0 + third + 0.3 + spin * t, behind * 0.5 * w * w * angle]
}

fn sound() -> impl Iterator<Item = &'static str> {
    METHODS.iter().map(|method| method.name).filter(|name| !INCONSISTENT.contains(name))
}

#[test]
fn coupled_angles_run_by_all_methods() {
    assert_all_derivatives(&Geared::default());
    let geared = Geared::default();
    let [angle, port, torque] = closed_form(geared.spin, geared.k, 2.0);
    for method in sound() {
        let tight = ["radau5", "explicit-rk"].contains(&method);
        for step in [Step::adaptive(if tight { 1e-9 } else { 1e-6 }), Step::fixed(1e-3)] {
            let good = match (tight, &step) {
                (true, Step::Adaptive { .. }) => 1e-6,
                _ => 2e-2,
            };
            let simulation = Simulation::new(&geared)
                .method(Method::from_name(method).expect("a method"))
                .step(step.clone());
            let run = simulation.run().unwrap_or_else(|failed| panic!("{method}: {failed}"));
            let what = |of: &str| format!("{of} by {method}, {step:?}");
            near(&what("the pinion"), last(&run, "pinion.theta"), angle, good);
            near(&what("a flywheel"), last(&run, "port.theta"), port, 4.0 * good);
            near(&what("the tooth"), last(&run, "on_wheel"), torque, 100.0 * good);
            let names = ["pinion", "wheel", "pulley"].map(|body| format!("{body}.theta"));
            let [first, second, third] = names.each_ref().map(|name| &**name);
            let names = [first, second, third, "slid", "port.theta", "starboard.theta"];
            near(&what("coupled"), off(&run, names), 0.0, 1e-9);
        }
    }
}

/// Thousands of turns: what is counted does not drift.
#[test]
fn ratios_do_not_drift_in_long_runs() {
    let geared = Geared { spin: 400.0, ..Default::default() };
    for method in ["hht-i3", "gen-alpha-soi2", "explicit-abm"] {
        let simulation = Simulation::new(&geared)
            .method(Method::from_name(method).expect("a method"))
            .step(Step::fixed(2e-3))
            .until(60.0);
        let run = simulation.run().unwrap_or_else(|failed| panic!("{method}: {failed}"));
        let turned = last(&run, "port.theta");
        assert!(turned > 2e4, "{turned}");
        let names = ["pinion.theta", "wheel.theta", "pulley.theta", "slid"];
        let [first, second, third, rail] = names;
        let names = [first, second, third, rail, "port.theta", "starboard.theta"];
        near(method, off(&run, names), 0.0, 1e-15 * turned * 100.0);
    }
}

mechanism! {
    /// The same train in space, of which the joints' angles are the coordinates.
    pub mechanism Angles {
        coordinates joint;
        param k: [N*m/rad] = 30.0;
        param spin: [rad/s] = 40.0;
        body pinion: SpatialBody { mass: 1.0, jx: 0.1, jy: 0.1, jz: 0.02 };
        body wheel: SpatialBody { mass: 3.0, jx: 0.1, jy: 0.2, jz: 0.1 };
        body pulley: SpatialBody { mass: 1.0, jx: 0.05, jy: 0.1, jz: 0.1 };
        body slide: SpatialBody { mass: 4.0, jx: 0.1, jy: 0.1, jz: 0.1 };
        body port: SpatialBody { mass: 1.0, jx: 0.3, jy: 0.1, jz: 0.1 };
        body starboard: SpatialBody { mass: 1.0, jx: 0.3, jy: 0.1, jz: 0.1 };
        joint first: revolute(ground, pinion);
        joint second: revolute(ground.at([0.3, 0, 0], [0, 1, 0]), wheel.at([0, 0, 0], [0, 1, 0]));
        joint third: revolute(ground.at([0.9, 0, 0], [1, 0, 0]), pulley.at([0, 0, 0], [1, 0, 0]));
        joint rail: prismatic(ground.at([0.9, 0.1, 0], [0, 1, 1]), slide);
        joint left: revolute(ground.at([0, 1, 0], [1, 0, 0]), port.at([0, 0, 0], [1, 0, 0]));
        joint right: revolute(ground.at([0, 2, 0], [1, 0, 0]), starboard.at([0, 0, 0], [1, 0, 0]));
        joint mesh: gear(first, second, 0.5);
        joint loop_: belt(second, third, 0.1, 0.2);
        joint rack: rack_and_pinion(third, rail, 0.15);
        joint shares: differential(third, left, right);
        force spring along first.angle = -k*first.angle;
        init first.angle = 2.0;
        init second.angle = 0.7;
        init third.angle = -0.3;
        init rail.position = 0.11;
        init left.angle = 5.0;
        init left.rate = spin;
        guess right.rate = -spin;
        output on_wheel: [N*m] = mesh.second_torque;
        output first_torque: [N*m] = first.torque;
        until 2.0;
    }
}

#[test]
fn coupled_joint_coordinates_run_by_all_methods() {
    // Energies are differenced along the motion, which a fast one leaves no digits.
    assert_all_derivatives(&Angles { spin: 0.0, ..Default::default() });
    let geared = Angles::default();
    let [angle, port, torque] = closed_form(geared.spin, geared.k, 2.0);
    for method in sound() {
        let tight = ["radau5", "explicit-rk"].contains(&method);
        let (tol, good) = if tight { (1e-9, 1e-6) } else { (1e-6, 2e-2) };
        let simulation = Simulation::new(&geared)
            .method(Method::from_name(method).expect("a method"))
            .step(Step::adaptive(tol));
        let run = simulation.run().unwrap_or_else(|failed| panic!("{method}: {failed}"));
        near(method, last(&run, "first.angle"), angle, good);
        near(method, last(&run, "left.angle"), port, 4.0 * good);
        near(method, last(&run, "on_wheel"), torque, 100.0 * good);
        let names = ["first", "second", "third"].map(|joint| format!("{joint}.angle"));
        let [first, second, third] = names.each_ref().map(|name| &**name);
        let names = [first, second, third, "rail.position", "left.angle", "right.angle"];
        near(method, off(&run, names), 0.0, 1e-9);
    }
}

mechanism! {
    /// A four-bar linkage whose rocker is found by assembly, geared to a wheel that starts at an angle of its own; and
    /// pairs of wheels in a loop, each with its own start.
    pub mechanism Meshed {
        size n = 3;
        param turned[n]: [rad] = [0.1, 0.5, -2.0];
        body crank: PlanarBody { mass: 1.0, inertia: 0.02 };
        body coupler: PlanarBody { mass: 1.0, inertia: 0.1 };
        body rocker: PlanarBody { mass: 1.0, inertia: 0.05 };
        body wheel: PlanarBody { mass: 1.0, inertia: 0.05 };
        body small[n]: PlanarBody { mass: 1.0, inertia: 0.1 };
        body large[n]: PlanarBody { mass: 1.0, inertia: 0.4 };
        joint base: revolute(ground, crank.at([-0.1, 0]));
        joint pin: revolute(crank.at([0.1, 0]), coupler.at([-0.4, 0]));
        joint cross: revolute(coupler.at([0.4, 0]), rocker.at([0.25, 0]));
        joint pivot: revolute(ground.at([0.7, 0]), rocker.at([-0.25, 0]));
        joint axle: revolute(ground.at([1, 0]), wheel);
        joint mesh: gear(pivot, axle, 2.0);
        for i in 0..n {
            joint one: revolute(ground.at([0.0, 1.0*i]), small[i]);
            joint two: revolute(ground.at([1.0, 1.0*i]), large[i]);
            joint pair: gear(one, two, 0.5);
            init one.angle = turned[i];
            init one.rate = i + 1.0;
            output of_pair[i]: [rad] = two.angle + 0.5*(one.angle - turned[i]);
        }
        init base.angle = 0.3;
        init base.rate = 1.0;
        init axle.angle = 0.9;
        guess pivot.angle = 1.0;
        output rocker: [rad] = pivot.angle;
        output wheel: [rad] = axle.angle;
        until 1.0;
    }
}

/// The row says nothing of positions at the start: it holds what assembly leaves.
#[test]
fn gears_mesh_as_assembly_leaves_them() {
    let meshed = Meshed::default();
    let start = started(&meshed);
    let out = Outputs::of(&start);
    near("the wheel is where it was put", out.number("wheel"), 0.9, 1e-14);
    let rocker = out.number("rocker");
    assert!((rocker - 1.0).abs() > 0.05, "assembly moves the rocker: {rocker}");
    // Two angles close the loop at a crank angle.
    assert_eq!(start.report.dof, 1 + 3);
    let run = run(&meshed);
    near("ratio", last(&run, "wheel") - 0.9 + 2.0 * (last(&run, "rocker") - rocker), 0.0, 1e-11);
    assert!((last(&run, "rocker") - rocker).abs() > 0.1, "it moves");
    (0..3).for_each(|i| near("a pair", last(&run, &format!("of_pair[{i}]")), 0.0, 1e-11));
    // The offsets are in programs as on dual numbers, where they are something.
    let mut system = start.system;
    let point = generic_point(&system, 3);
    assert!(point.offsets().len() == 4 && point.offsets().iter().all(|c| c.abs() > 1e-3));
    let error = program_error(&mut system, 3);
    assert!(error < 1e-12, "{error:e}");
}

mechanism! {
    /// A drive whose ratio changes: its row is of rates.
    pub mechanism Variable {
        param w: [rad/s] = 3.0;
        body a: PlanarBody { mass: 1.0, inertia: 0.5 };
        body b: PlanarBody { mass: 1.0, inertia: 0.2 };
        joint left: revolute(ground, a);
        joint right: revolute(ground, b);
        let ratio = 1.0 + 0.25*t;
        joint mesh: gear(left, right, ratio);
        drive left.angle == w*t;
        output torque: [N*m] = mesh.second_torque;
        output same: [N*m] = psi(mesh);
        output motor: [N*m] = left.drive_torque;
        until 2.0;
    }
}

#[test]
fn a_ratio_that_changes_is_of_rates() {
    let run = run(&Variable::default());
    near("b", last(&run, "b.theta"), -3.0 * (2.0 + 0.125 * 4.0), 1e-8);
    near("torque", last(&run, "torque"), 0.2 * -3.0 * 0.25, 1e-9);
    near("its multiplier", last(&run, "same"), last(&run, "torque"), 1e-15);
    near("motor", last(&run, "motor"), -1.5 * last(&run, "torque"), 1e-9);
}
