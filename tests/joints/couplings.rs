//! Gears, belts, racks and differentials: derivatives, the balance of every body they touch, ratios that are kept.

use crate::{Outputs, last, near, started};
use mbd::prelude::*;
use mbd::verify::assert_all_derivatives;

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
        output ratio: [N] = psi(rack);
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
