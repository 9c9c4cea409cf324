//! Limits and friction of joints, against closed forms.

use crate::{last, near};
use mbd::prelude::*;

fn run(mechanism: &impl Mechanism) -> Solution {
    let method = mbd::integrate::Radau5::default();
    let simulation = Simulation::new(mechanism).method(method).step(Step::adaptive(1e-9));
    simulation.run().expect("a run")
}

mechanism! {
    /// A slider that falls onto a stop, and rebounds from it.
    pub mechanism Stop {
        param e = 0.5;
        param low: [m] = -1.0;
        gravity [0, -9.81];
        body block: PlanarBody { mass: 2.0, inertia: 1.0 };
        joint rail: prismatic(ground.at([0, 0], [0, 1]), block.at([0, 0], [0, 1]));
        limit rail.position in low..2.0, restitution(e);
        output stop: [N] = rail.limit_force;
        output position: [m] = rail.position;
        until 0.8;
    }
}

#[test]
fn a_slider_rebounds_from_its_stop_and_comes_to_rest_on_it() {
    mbd::verify::assert_all_derivatives(&Stop::default());
    // It falls 1 m, and leaves at half the speed.
    let fall = (2.0_f64 / 9.81).sqrt();
    let end = run(&Stop::default());
    let after = 0.8 - fall;
    let speed = 0.5 * 9.81 * fall;
    near("height", last(&end, "position"), -1.0 + speed * after - 0.5 * 9.81 * after * after, 1e-8);
    let end = run(&Stop { e: 0.0, ..Default::default() });
    near("height at rest", last(&end, "position"), -1.0, 1e-10);
    near("what the stop carries", last(&end, "stop"), 2.0 * 9.81, 1e-8);
}

mechanism! {
    /// A pendulum in space between two stops, neither of them near the angle that is turned over.
    pub mechanism Door {
        param from: [rad] = 2.0;
        param to: [rad] = 4.0;
        param push: [N*m] = 6.0;
        body door: SpatialBody { mass: 10.0, jx: 1.0, jy: 1.0, jz: 0.5 };
        joint hinge: revolute(ground, door.at([-0.5, 0, 0]));
        limit hinge.angle in from..to;
        force hand along hinge.angle = push;
        init hinge.angle = 3.0;
        output stop: [N*m] = hinge.limit_torque;
        output angle: [rad] = hinge.angle;
        until 2.0;
    }
}

#[test]
fn a_hinge_stops_beyond_half_a_turn_on_either_side() {
    mbd::verify::assert_all_derivatives(&Door::default());
    for (push, at) in [(6.0, 4.0), (-6.0, 2.0)] {
        let end = run(&Door { push, ..Default::default() });
        near("angle", last(&end, "angle"), at, 1e-8);
        // On the door, against the push.
        near("torque of the stop", last(&end, "stop"), -push, 1e-7);
    }
    // Half way: 3 J = 6 N·m.
    let before = Simulation::new(&Door::default())
        .method(mbd::integrate::Radau5::default())
        .step(Step::adaptive(1e-10))
        .until(0.5)
        .run()
        .expect("a run");
    near("before the stop", last(&before, "angle"), 3.0 + 0.5 * 2.0 * 0.25, 1e-8);
    near("nothing holds it", last(&before, "stop"), 0.0, 1e-15);
}

mechanism! {
    /// A door that turns more than once between its stops, the upper one stated as a gap or as a limit.
    pub mechanism Winding {
        param e = 0.5;
        param push: [N*m] = 6.0;
        body door: SpatialBody { mass: 10.0, jx: 1.0, jy: 1.0, jz: 0.5 };
        joint hinge: revolute(ground, door.at([-0.5, 0, 0]));
        limit hinge.angle in -12.0.., restitution(e);
        unilateral stop: 8.0 - hinge.angle, restitution(e);
        force hand along hinge.angle = push;
        output angle: [rad] = hinge.angle;
        output load: [N*m] = hinge.limit_torque - lambda(stop);
        until 4.0;
    }
}

#[test]
fn a_stop_beyond_a_turn_acts_and_only_there() {
    mbd::verify::assert_all_derivatives(&Winding::default());
    for method in ["radau5", "gen-alpha-soi2", "hht-i3", "bdf-ggl", "dae-alpha", "explicit-rk"] {
        for (push, stop) in [(6.0, 8.0), (-6.0, -12.0)] {
            let run = |e, until| {
                let run = Simulation::new(&Winding { e, push })
                    .method(mbd::integrate::Method::from_name(method).expect("a method"))
                    .step(Step::adaptive(1e-8))
                    .until(until)
                    .run();
                run.unwrap_or_else(|error| panic!("{method}: {error}"))
            };
            // 3 J = ±6 N·m: it comes to the stop from 0, and leaves it at half the speed.
            let a = f64::signum(push) * 2.0;
            let meets = (2.0 * stop / a).sqrt();
            let after = 4.0 - meets;
            let at = stop - 0.5 * a * meets * after + 0.5 * a * after * after;
            near(method, last(&run(0.5, 4.0), "angle"), at, 1e-4);
            let rest = run(0.0, 5.0);
            near(method, last(&rest, "angle"), stop, 1e-6);
            near(method, last(&rest, "load"), -push, 1e-5);
        }
    }
}

mechanism! {
    /// A string that is wound up the farther it has turned: what acts along the square of an angle reads its turns.
    pub mechanism Wound {
        body door: SpatialBody { mass: 10.0, jx: 1.0, jy: 1.0, jz: 0.5 };
        joint hinge: revolute(ground, door.at([-0.5, 0, 0]));
        force string along 0.5*sq(hinge.angle) = 2.0;
        init hinge.angle = 0.5;
        output angle: [rad] = hinge.angle;
        until 4.0;
    }
}

#[test]
fn what_acts_along_a_function_of_an_angle_acts_in_any_turn() {
    mbd::verify::assert_all_derivatives(&Wound::default());
    let grown = 0.5 * (4.0 * (2.0_f64 / 3.0).sqrt()).cosh();
    assert!(grown > 6.5);
    near("angle", last(&run(&Wound::default()), "angle"), grown, 1e-7);
}

mechanism! {
    /// The same door in the angle itself, which counts turns: beyond one of them. What its hinge rubs is stated.
    pub mechanism Turned {
        coordinates joint;
        param push: [N*m] = 6.0;
        body door: SpatialBody { mass: 10.0, jx: 1.0, jy: 1.0, jz: 0.5 };
        joint hinge: revolute(ground, door.at([-0.5, 0, 0]));
        limit hinge.angle in ..10.0;
        friction hinge.angle = 1.5;
        force hand along hinge.angle = push;
        init hinge.angle = 9.0;
        output stop: [N*m] = hinge.limit_torque;
        output rub: [N*m] = hinge.friction_torque;
        until 3.0;
    }
}

#[test]
fn limits_and_friction_are_of_joint_coordinates_too() {
    mbd::verify::assert_all_derivatives(&Turned::default());
    let end = run(&Turned::default());
    near("angle", last(&end, "hinge.angle"), 10.0, 1e-8);
    let before = Simulation::new(&Turned::default())
        .method(mbd::integrate::Radau5::default())
        .step(Step::adaptive(1e-10))
        .until(0.5)
        .run()
        .expect("a run");
    // 3 J = 6 − 1.5 N·m.
    near("before", last(&before, "hinge.angle"), 9.0 + 0.5 * 1.5 * 0.25, 1e-8);
    near("rubs", last(&before, "rub"), -1.5, 1e-12);
    let held = run(&Turned { push: 1.0 });
    near("held", last(&held, "hinge.angle"), 9.0, 1e-12);
}

mechanism! {
    /// A wheel on a journal whose friction follows its load, braked to rest.
    pub mechanism Journal {
        param mu = 0.1;
        param r: [m] = 0.05;
        gravity [0, -9.81];
        body wheel: PlanarBody { mass: 4.0, inertia: 0.5 };
        joint bearing: revolute(ground, wheel);
        friction bearing.angle = mu*r*norm(bearing.force);
        init bearing.rate = 0.1;
        output rub: [N*m] = bearing.friction_torque;
        output load: [N] = norm(bearing.force);
        until 0.2;
    }
}

#[test]
fn a_journal_is_braked_by_its_own_reaction() {
    mbd::verify::assert_all_derivatives(&Journal::default());
    let torque = 0.1 * 0.05 * 4.0 * 9.81;
    let end = run(&Journal::default());
    near("load", last(&end, "load"), 4.0 * 9.81, 1e-9);
    near("rubs", last(&end, "rub"), -torque, 1e-9);
    near("rate", last(&end, "der(wheel.theta)"), 0.1 - torque / 0.5 * 0.2, 1e-9);
    // It stops after rate·J/torque, and has turned by half of rate times that.
    let stops = 0.1 * 0.5 / torque;
    let end = Simulation::new(&Journal::default())
        .method(mbd::integrate::Radau5::default())
        .step(Step::adaptive(1e-9))
        .until(2.0 * stops)
        .run()
        .expect("a run");
    near("at rest", last(&end, "der(wheel.theta)"), 0.0, 1e-12);
    near("turned", last(&end, "wheel.theta"), 0.5 * 0.1 * stops, 1e-8);
}

mechanism! {
    /// A block on an incline, that a push breaks away.
    pub mechanism Incline {
        param push: [N] = 0.0;
        gravity [9.81*sin(0.3), -9.81*cos(0.3)];
        body block: PlanarBody { mass: 2.0, inertia: 1.0 };
        joint rail: prismatic(ground, block);
        friction rail.position = 0.2*norm(rail.force), breakaway(0.4*norm(rail.force));
        force hand along rail.position = push;
        output rub: [N] = rail.friction_force;
        output position: [m] = rail.position;
        until 1.0;
    }
}

#[test]
fn a_block_holds_up_to_its_breakaway_and_then_slips() {
    let (weight, normal) = (2.0 * 9.81 * 0.3_f64.sin(), 2.0 * 9.81 * 0.3_f64.cos());
    assert!(weight < 0.4 * normal && weight > 0.2 * normal, "it holds, and would slip on");
    let end = run(&Incline::default());
    near("stays", last(&end, "position"), 0.0, 1e-12);
    let push = 0.5 * normal - weight;
    let end = run(&Incline { push });
    let a = (push + weight - 0.2 * normal) / 2.0;
    near("slips", last(&end, "position"), 0.5 * a, 1e-8);
    near("rubs", last(&end, "rub"), -0.2 * normal, 1e-9);
}

mechanism! {
    /// A cam lifts a follower, which a bead on a bent wire passes.
    pub mechanism Cam {
        param w: [rad/s] = 4.0;
        body disc: PlanarBody { mass: 1.0, inertia: 0.1 };
        body follower: PlanarBody { mass: 0.5, inertia: 0.1 };
        joint shaft: revolute(ground, disc);
        joint guide: prismatic(ground.at([0, 0], [0, 1]), follower.at([0, 0], [0, 1]));
        joint lift: cam(disc, follower, |angle| 0.3 + 0.05*cos(2.0*angle));
        drive shaft.angle == w*t;
        guess guide.position = 0.25;
        output height: [m] = guide.position;
        output push: [N] = lift.force[1];
        output motor: [N*m] = shaft.drive_torque;
        until 0.9;
    }
}

/// The follower is at the angle π/2 − ωt of the cam: its height is f of that, and the motor gives its power.
#[test]
fn a_cam_lifts_as_its_curve_says() {
    mbd::verify::assert_all_derivatives(&Cam::default());
    let end = run(&Cam::default());
    let phase = 2.0 * (std::f64::consts::FRAC_PI_2 - 4.0 * 0.9);
    near("height", last(&end, "height"), 0.3 + 0.05 * phase.cos(), 1e-9);
    // d/dt: φ̇ = −ω.
    let (speed, acceleration) = (0.05 * phase.sin() * 8.0, -0.05 * phase.cos() * 64.0);
    near("speed", last(&end, "der(follower.y)"), speed, 1e-7);
    near("push", last(&end, "push"), 0.5 * acceleration, 1e-6);
    near("power", 4.0 * last(&end, "motor"), 0.5 * acceleration * speed, 1e-6);
}

mechanism! {
    /// A bead slides on a floor that is lifted at a constant speed.
    pub mechanism Rising {
        param rise: [m/s] = 3.0;
        gravity [0, -10.0];
        body bead: PlanarMass { mass: 2.0 };
        joint lift: point_on_curve(ground, bead, |x| 0.0*x + rise*t);
        friction lift.position = 0.1*norm(lift.force);
        init der(bead.x) = 1.0;
        output force: [N] = lift.force;
        output speed: [m/s] = lift.speed;
        until 0.3;
    }
}

/// A floor that is lifted at a constant speed carries the weight, 20 N, and has no part along itself, however fast it is: so
/// friction of a tenth of that takes 1 m/s² of the speed.
#[test]
fn a_floor_that_is_lifted_rubs_as_one_that_stays() {
    mbd::verify::assert_all_derivatives(&Rising::default());
    for rise in [3.0, -3.0, 0.0] {
        let end = run(&Rising { rise });
        near("along the floor", last(&end, "force[0]"), 0.0, 1e-9);
        near("across it", last(&end, "force[1]"), 20.0, 1e-9);
        near("speed", last(&end, "speed"), 0.7, 1e-9);
    }
}

mechanism! {
    /// A door that is thrown open against its stop, rebounds, and is closed by its spring against friction.
    pub mechanism Closer {
        body door: SpatialBody { mass: 20.0, jx: 2.0, jy: 3.0, jz: 1.5 };
        joint hinge: revolute(ground, door.at([-0.4, 0, 0]));
        force spring along hinge.angle = -8.0*hinge.angle - 2.0*hinge.rate;
        force push along hinge.angle = if t < 0.6 { 25.0 } else { 0.0 };
        limit hinge.angle in 0.0..1.4, restitution(0.2);
        friction hinge.angle = 0.5, breakaway(0.8);
        init hinge.angle = 0.2;
        output angle: [rad] = hinge.angle;
        until 3.0;
    }
}

mechanism! {
    /// The same as one equation, of which rebounds and friction are those of a point.
    pub mechanism CloserByHand {
        coord angle: [rad];
        kinetic door = 0.5*(1.5 + 20.0*sq(0.4))*sq(der(angle));
        force spring along angle = -8.0*angle - 2.0*der(angle);
        force push along angle = if t < 0.6 { 25.0 } else { 0.0 };
        force rub along angle = mbd::components::force::dry_friction(der(angle), 0.5, 0.8);
        event open when angle >= 1.4 { der(angle) = -0.2*der(angle); }
        event closed when angle <= 0.0 { der(angle) = -0.2*der(angle); }
        init angle = 0.2;
        until 3.0;
    }
}

/// At either stop friction is less than would hold the door: it slips on, backwards.
#[test]
fn a_door_rebounds_from_stops_where_it_rubs() {
    let by_hand = run(&CloserByHand::default());
    for method in ["radau5", "gen-alpha-soi2", "bdf-ggl", "state-space"] {
        let tight = method == "radau5";
        let run = Simulation::new(&Closer::default())
            .method(Method::from_name(method).expect("a method"))
            .step(Step::adaptive(if tight { 1e-9 } else { 1e-7 }))
            .run()
            .expect("a run");
        let bound = if tight { 1e-7 } else { 1e-4 };
        near(method, last(&run, "angle"), by_hand.final_q()[0], bound);
        let events: Vec<&str> = run.events.iter().map(|event| &*event.condition).collect();
        let expected = [
            "hinge.angle >= 1.4",
            "hinge.rate < 0",
            "hinge.angle <= 0.0",
            "hinge.rate > 0",
            "hinge.rate < 0",
        ];
        assert_eq!(events, expected, "{method}");
        for (event, exact) in run.events.iter().zip(&by_hand.events) {
            near(method, event.t, exact.t, 10.0 * bound);
        }
    }
}

mechanism! {
    /// Two links that fall from a hinge and rub in both joints; the knee does not bend forwards.
    pub mechanism Legs {
        gravity [0, -9.81];
        body thigh: PlanarBody { mass: 2.0, inertia: 0.03 };
        body shank: PlanarBody { mass: 1.0, inertia: 0.02 };
        joint hip: revolute(ground, thigh.at([-0.2, 0]));
        joint knee: revolute(thigh.at([0.2, 0]), shank.at([-0.2, 0]));
        limit knee.angle in -2.0..0.0, restitution(0.1);
        friction hip.angle = 0.2;
        friction knee.angle = 0.1, breakaway(0.15);
        init hip.angle = 0.0;
        init knee.angle = -0.5;
        output hip: [rad] = hip.angle;
        output knee: [rad] = knee.angle;
        until 3.0;
    }
}

mechanism! {
    /// A rack that a motor drives to and fro against a spring, friction and a stop on which it comes to rest.
    pub mechanism Rack {
        body pinion: PlanarBody { mass: 1.0, inertia: 0.002 };
        body bar: PlanarBody { mass: 2.0, inertia: 0.1 };
        joint shaft: revolute(ground, pinion);
        joint guide: prismatic(ground.at([0, 0.05], [1, 0]), bar.at([0, 0], [1, 0]));
        joint mesh: rack_and_pinion(shaft, guide, 0.05);
        force motor along shaft.angle = 2.0*sin(3.0*t);
        force spring along guide.position = -50.0*guide.position;
        friction guide.position = 3.0;
        limit guide.position in -0.4..0.25;
        output position: [m] = guide.position;
        output stop: [N] = guide.limit_force;
        until 5.0;
    }
}

/// Each bounce ends with friction that reverses, some of them by 1e-12 rad: no stop is passed, all come to rest.
#[test]
fn a_knee_that_rubs_comes_to_rest_on_its_stop() {
    let exact = run(&Legs::default());
    let methods =
        ["radau5", "radau5-index2", "gen-alpha-soi2", "hht-soi2", "hht-i3", "bdf-ggl", "bdf-cs"]
            .into_iter()
            .chain([
                "dae-alpha",
                "dae-alpha-cs",
                "dae-alpha-cm",
                "projected-ode",
                "state-space",
                "explicit-rk",
            ]);
    for method in methods {
        for tol in [1e-4, 1e-6] {
            let run = Simulation::new(&Legs::default())
                .method(Method::from_name(method).expect("a method"))
                .step(Step::adaptive(tol))
                .run();
            let run = run.unwrap_or_else(|error| panic!("{method}, {tol:e}: {error}"));
            near(method, last(&run, "hip"), last(&exact, "hip"), 30.0 * tol.powf(0.8));
            near(method, last(&run, "knee"), 0.0, 1e-8);
        }
    }
}

#[test]
fn a_rack_that_rubs_comes_to_rest_on_its_stop() {
    for method in ["radau5", "radau5-index2", "gen-alpha-soi2", "hht-soi2", "hht-i3", "bdf-ggl"] {
        for step in [Step::adaptive(1e-4), Step::adaptive(1e-6), Step::fixed(2e-3)] {
            let run = Simulation::new(&Rack::default())
                .method(Method::from_name(method).expect("a method"))
                .step(step)
                .run();
            let run = run.unwrap_or_else(|error| panic!("{method}: {error}"));
            assert_eq!(run.events.len(), 24, "{method}: {:?}", run.events);
            near(method, last(&run, "position"), 0.25, 1e-12);
            assert_eq!(run.stats.newton_failures, 0, "{method}: {}", run.stats);
        }
    }
}

mechanism! {
    /// A nut that a screw lifts, and that its friction holds when the motor is off.
    pub mechanism Lift {
        param lead: [m] = 0.01;
        param arm: [m] = 0.002;
        gravity [0, 0, -9.81];
        body nut: SpatialBody { mass: 20.0, jx: 0.1, jy: 0.1, jz: 0.1 };
        joint spindle: screw(ground.at([0, 0, 0], [0, 0, 1]), nut.at([0, 0, 0], [0, 0, 1]), lead);
        friction spindle.angle = arm*norm(spindle.force);
        force motor along spindle.angle = if t < 1.0 { 1.0 } else { 0.0 };
        output angle: [rad] = spindle.angle;
        until 3.0;
    }
}

/// (J + m p² + a m p) φ″ = τ − (p + a) m g with the lead p per radian and the arm a of the friction, which holds where
/// a > p. The statement runs as a program: turns of the screw are no comparisons.
#[test]
fn a_screw_with_friction_holds_its_load() {
    let p = 0.01 / std::f64::consts::TAU;
    let inertia = 0.1 + 20.0 * p * (p + 0.002);
    let load = (p + 0.002) * 20.0 * 9.81;
    let (up, down) = ((1.0 - load) / inertia, load / inertia);
    let angle = 0.5 * up + 0.5 * up * up / down;
    let run = run(&Lift::default());
    near("angle", last(&run, "angle"), angle, 1e-8);
    assert_eq!(run.on_dual_numbers.len(), 0, "{:?}", run.on_dual_numbers);
    assert!(run.stats.steps < 120, "{}", run.stats);
}

mechanism! {
    /// Two links in space that rub in their joints and fall onto their stops.
    pub mechanism Arm {
        gravity [0, 0, -9.81];
        body upper: SpatialBody { mass: 2.0, jx: 0.01, jy: 0.05, jz: 0.05 };
        body lower: SpatialBody { mass: 1.0, jx: 0.01, jy: 0.03, jz: 0.03 };
        joint shoulder: revolute(ground.at([0, 0, 0], [0, 1, 0]), upper.at([-0.3, 0, 0], [0, 1, 0]));
        joint elbow: revolute(upper.at([0.3, 0, 0], [0, 1, 1]), lower.at([-0.2, 0, 0], [0, 1, 1]));
        limit elbow.angle in -0.5..1.2, restitution(0.4);
        limit shoulder.angle in -2.0..1.8;
        friction shoulder.angle = 0.5;
        friction elbow.angle = 0.2, breakaway(0.3);
        output angle: [rad] = shoulder.angle;
        output bend: [rad] = elbow.angle;
        until 6.0;
    }
}

/// One blow lets a shoulder go from its stop, and friction that sticks lets go where it is at its bound, with no
/// acceleration: neither happens again and again. By methods that share nothing, of order 5 and of order 2.
#[test]
fn an_arm_that_rubs_leaves_its_stops_once() {
    let exact = run(&Arm::default());
    let [angle, bend] = ["angle", "bend"].map(|name| last(&exact, name));
    let methods = [
        "gen-alpha-soi2",
        "hht-soi2",
        "dae-alpha",
        "dae-alpha-cs",
        "radau5",
        "explicit-rk",
        "bdf-ggl",
        "state-space",
    ];
    for method in methods {
        for (tolerance, bound) in [(1e-4, 2e-3), (1e-6, 1e-4)] {
            let of_name = Method::from_name(method).expect(method);
            let simulation = Simulation::new(&Arm::default()).method(of_name);
            let end = simulation.step(Step::adaptive(tolerance)).run().expect(method);
            near("angle", last(&end, "angle"), angle, bound);
            near("bend", last(&end, "bend"), bend, bound);
            assert!((21..=26).contains(&end.events.len()), "{method}: {:?}", end.events);
        }
    }
}
