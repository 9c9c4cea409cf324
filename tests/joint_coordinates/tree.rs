//! `coordinates joint;` against `coordinates absolute;`: the same bodies and joints, one word changed.
//!
//! Motion and reactions are equal at random configurations, speeds and loads: on a base that moves freely, with two
//! bodies on one, a joint whose first body is the one it carries, springs between points, forces and torques
//! on bodies, forces along coordinates, and with loops that joints close. The reactions of the joint form are told in
//! two ways: by the balance of displacements, and as multipliers of the model with its joints released, solved for as
//! all multipliers are.

#[path = "../../examples/arm_angles.rs"]
#[allow(dead_code)]
mod arm_angles;
#[path = "../../examples/arm_bodies.rs"]
#[allow(dead_code)]
mod arm_bodies;
#[path = "../../examples/crane.rs"]
#[allow(dead_code)]
mod crane_example;

use crate::read::{Outputs, last, near, started};
use mbd::integrate::{Radau5, Step};
use mbd::model::{Model, ModelError, ParamInfo};
use mbd::prelude::*;
use mbd::verify::assert_all_derivatives;

/// Both forms of one block; `{ … } { … }` stand in one of them each.
macro_rules! forms {
    ($($module:ident { $($body:tt)* } $absolute:tt $joint:tt)*) => { $(
        pub mod $module {
            forms!(@ absolute Absolute { $($body)* } $absolute);
            forms!(@ joint Joint { $($body)* } $joint);
        }
    )* };
    (@ $form:ident $name:ident { $($body:tt)* } { $($more:tt)* }) => {
        pub mod $form {
            #[allow(unused_imports)]
            use mbd::components::spatial::{product, rotation};
            use mbd::prelude::*;
            mechanism! {
                pub mechanism $name {
                    coordinates $form;
                    $($body)*
                    $($more)*
                }
            }
        }
    };
}

/// What is around a joint `j` of bodies a and b in space: `r` are 24 numbers between −1 and 1.
macro_rules! around {
    ($($module:ident { $($joint:tt)* } $absolute:tt $form:tt)*) => {
        forms! { $($module {
            param r[24] = 0.5;
            gravity [0.7, -1.1, -9.81];
            body a: SpatialBody { mass: 2.0, jx: 0.1, jy: 0.25, jz: 0.2 };
            body b: SpatialBody { mass: 1.5, inertia: [0.15, 0.3, 0.2, 0.01, -0.02, 0.03] };
            body c: SpatialBody { mass: 0.8, jx: 0.05, jy: 0.1, jz: 0.08 };
            body d: SpatialBody { mass: 0.7, jx: 0.04, jy: 0.03, jz: 0.05 };
            init a.position = [0.2*r[0], -0.3, 0.4*r[1]];
            init a.e = yaw_pitch_roll(2*r[2], r[3], 3*r[4]);
            init a.velocity = [r[5], r[6], -0.5];
            init a.omega = [0.8, -2*r[7], 0.6];
            let p = [0.1, -0.2, 0.3];
            let q = [-0.2, 0.15, 0.1];
            force push = a.frame.vector([3, -2, 5*r[8]]) on a at [0.1, 0, 0.2];
            force pull = [r[9], 2*r[10], 1] on b at [0.1, 0.3, 0.2];
            force held = [1, -2, 3*r[18]] on c;
            torque twist = b.frame.vector([0.4, r[11], -0.6]) on b;
            torque turn = [0.3, r[19], 0.2] on d;
            let length = norm(c.point([0.1, 0, 0]) - d.point([0, 0.1, 0]));
            potential spring = 4*sq(length - 0.4);
            dissipation air = 0.05*dot(c.velocity, c.velocity);
            $($joint)*
            joint side: revolute(a.at([0, 0.3, 0], [r[12], 1, 0.5]), c.at([0, 0, 0.2], [0, 1, r[13]]));
            joint tip: universal(d.at([0.1, 0.1, 0], [1, 0, r[14]]), b.at([0, -0.2, 0], [0, 1, 0]));
            force hold along side.angle = -3*side.angle - 0.2*side.rate;
            guess side.angle = 2*r[15];
            guess side.rate = 3*r[16];
            guess tip.first_angle = r[17];
            guess tip.second_rate = 2.0;
            output j_force: [N] = j.force;
            output j_torque: [N*m] = j.torque;
            output side_force: [N] = side.force;
            output side_torque: [N*m] = side.torque;
            output tip_force: [N] = tip.force;
            output tip_torque: [N*m] = tip.torque;
            output j_rows[2] = [lambda(j)[0], lambda(j)[2]];
            output b_alpha: [rad/s^2] = der(b.omega);
            output d_alpha: [rad/s^2] = der(d.omega);
            output b_acceleration: [m/s^2] = der(b.velocity);
            output d_acceleration: [m/s^2] = der(d.velocity);
            output b_omega: [rad/s] = b.omega_ground;
            output d_position: [m] = d.position;
            until 0.2;
        } $absolute $form)* }
    };
}

around! {
    revolute {
        joint j: revolute(a.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]));
        guess j.angle = 3*r[20];
        guess j.rate = -2*r[21];
        force motor along j.angle = 2 - 0.3*j.rate;
        output angle: [rad] = j.angle;
        output rate: [rad/s] = j.rate;
    } {} {}
    prismatic {
        joint j: prismatic(a.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]));
        guess j.position = r[20];
        guess j.speed = -2*r[21];
        potential spring_in_j = 20*sq(j.position);
        output position: [m] = j.position;
        output speed: [m/s] = j.speed;
    } {} {}
    cylindrical {
        joint j: cylindrical(a.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]));
        guess j.angle = 3*r[20];
        guess j.position = r[21];
        guess j.rate = 2*r[22];
        guess j.speed = r[23];
        force motor along j.angle = 2 - 0.3*j.rate;
        force damper along j.position = -0.3*j.speed;
        output angle: [rad] = j.angle;
        output position: [m] = j.position;
    } {} {}
    screw {
        joint j: screw(a.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]), 0.3);
        guess j.angle = 8*r[20];
        guess j.rate = 3*r[21];
        force motor along j.angle = 2 - 0.3*j.rate;
        output angle: [rad] = j.angle;
        output position: [m] = j.position;
        output speed: [m/s] = j.speed;
    } {} {}
    universal {
        joint j: universal(a.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]));
        guess j.first_angle = 3*r[20];
        guess j.second_angle = 2*r[21];
        guess j.first_rate = r[22];
        guess j.second_rate = 2*r[23];
        force motor along j.first_angle = 2 - 0.3*j.first_rate;
        force other along j.second_angle = -j.second_angle;
        output first: [rad] = j.first_angle;
        output second: [rad] = j.second_angle;
    } {} {}
    planar {
        joint j: planar(a.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]));
        guess j.x = 0.3*r[20];
        guess j.y = 0.2*r[21];
        guess j.angle = 3*r[22];
        guess j.speed_x = r[23];
        guess j.rate = 1.5;
        force push_j along j.x = -3*j.x;
        force motor along j.angle = 2 - 0.3*j.rate;
        output x: [m] = j.x;
        output y: [m] = j.y;
        output angle: [rad] = j.angle;
    } {} {}
    fixed {
        joint j: fixed(a.at(p, [1, 2, -1], [1, 0, 0]), b.at(q, [0, 1, 1], [1, 0, 0]));
    } {} {}
    spherical {
        joint j: spherical(a.at(p), b.at(q));
        let lies = yaw_pitch_roll(3*r[20], r[21], -r[22]);
        let turns = [1, 2*r[23], -1];
    } {
        guess b.e = product(a.e, lies);
        guess b.position = a.position + a.frame.vector(p) - b.frame.vector(q);
        guess b.omega = transpose(rotation(lies))*a.omega + turns;
        guess b.velocity = a.velocity + a.frame.vector(cross(a.omega, p)) - b.frame.vector(cross(b.omega, q));
    } {
        guess j.e = lies;
        guess j.omega = turns;
    }
}

forms! {
    // Three bars and a fourth joint that closes the loop, and one driven.
    four_bar {
        param a: [m] = 0.12;
        param b: [m] = 0.36;
        param c: [m] = 0.28;
        param d: [m] = 0.40;
        gravity [0, -9.81];
        body crank: PlanarBody { mass: 0.4, inertia: 0.02 };
        body coupler: PlanarBody { mass: 0.7, inertia: 0.01 };
        body rocker: PlanarBody { mass: 0.6, inertia: 0.005 };
        joint o: revolute(ground, crank.at([-0.5*a, 0]));
        joint p: revolute(crank.at([0.5*a, 0]), coupler.at([-0.5*b, 0]));
        joint q: revolute(coupler.at([0.5*b, 0]), rocker.at([0.5*c, 0]));
        joint r: revolute(rocker.at([-0.5*c, 0]), ground.at([d, 0]));
        init o.angle = 0.2;
        guess p.angle = 0.8;
        guess q.angle = 1.0;
        init o.rate = 8.0;
        force friction along p.angle = -0.01*p.rate;
        output crank_angle: [rad] = o.angle;
        output rocker_angle: [rad] = rocker.theta;
        output o_force: [N] = o.force;
        output o_torque: [N*m] = o.torque;
        output p_force: [N] = p.force;
        output q_force: [N] = q.force;
        output r_force: [N] = r.force;
        until 0.5;
    } {} {}
    // A loop in space, of which the joint that closes it has rows in both forms.
    loop_in_space {
        gravity [0, 0, -9.81];
        body crank: SpatialBody { mass: 0.5, jx: 0.01, jy: 0.02, jz: 0.02 };
        body rod: SpatialBody { mass: 0.4, jx: 0.002, jy: 0.02, jz: 0.02 };
        body slider: SpatialBody { mass: 1.0, jx: 0.01, jy: 0.01, jz: 0.01 };
        joint base: revolute(ground.at([0, 0.1, 0.12], [1, 0, 0], [0, 1, 0]), crank.at([0, 0, 0], [1, 0, 0], [0, 1, 0]));
        joint rail: prismatic(ground.at([0, 0, 0], [1, 0, 0]), slider.at([0, 0, 0], [1, 0, 0]));
        joint pin: universal(slider.at([0, 0, 0], [0, 0, 1], [1, 0, 0]), rod.at([-0.15, 0, 0], [0, 1, 0], [1, 0, 0]));
        joint ball: spherical(crank.at([0, 0.08, 0]), rod.at([0.15, 0, 0]));
        init base.angle = 0.3;
        guess rail.position = 0.2;
        guess pin.first_angle = 2.0;
        guess pin.second_angle = -0.3;
        init base.rate = 6.0;
        output angle: [rad] = base.angle;
        output position: [m] = rail.position;
        output base_force: [N] = base.force;
        output base_torque: [N*m] = base.torque;
        output rail_force: [N] = rail.force;
        output rail_torque: [N*m] = rail.torque;
        output pin_force: [N] = pin.force;
        output pin_torque: [N*m] = pin.torque;
        output ball_force: [N] = ball.force;
        until 0.3;
    } {} {}
    // Every planar joint of the class, two bodies on one, a moving base, a first body that is carried.
    plane {
        param w: [rad/s] = 2.0;
        gravity [0.5, -9.81];
        body base: PlanarBody { mass: 3.0, inertia: 0.2 };
        body arm: PlanarBody { mass: 1.0, inertia: 0.05 };
        body tool: PlanarBody { mass: 0.5, inertia: 0.01 };
        body box_: PlanarBody { mass: 0.7, inertia: 0.03 };
        body lid: PlanarBody { mass: 0.2, inertia: 0.01 };
        init base.x = 0.1;
        init base.theta = 0.4;
        init base.velocity = [0.5, -0.2];
        init base.omega = 0.7;
        joint hinge: revolute(base.at([0.2, 0.1]), arm.at([-0.3, 0]));
        joint grip: fixed(arm.at([0.3, 0], [1, 1]), tool.at([-0.1, 0]));
        joint rail: prismatic(box_.at([0.1, 0.05], [1, 0.5]), base.at([0, 0.2], [0, 1]));
        joint flap: revolute(box_.at([0, 0.1]), lid.at([0, -0.1]));
        drive flap.angle == 0.3 + w*t;
        guess hinge.angle = 1.1;
        guess hinge.rate = -2.0;
        guess rail.position = 0.2;
        guess rail.speed = 0.4;
        let stretch = norm(tool.point([0.1, 0]) - box_.point([0, 0.2])) - 0.3;
        potential spring = 10*sq(stretch);
        torque couple = 0.3 on tool;
        force wind = [1, 0.2*base.y] on lid at [0, 0.1];
        force damp along rail.position = -2*rail.speed;
        output hinge_force: [N] = hinge.force;
        output hinge_torque: [N*m] = hinge.torque;
        output grip_force: [N] = grip.force;
        output grip_torque: [N*m] = grip.torque;
        output rail_force: [N] = rail.force;
        output rail_torque: [N*m] = rail.torque;
        output flap_force: [N] = flap.force;
        output motor: [N*m] = flap.drive_torque;
        output tool_acceleration: [m/s^2] = der(tool.velocity);
        output tool_alpha: [rad/s^2] = der(tool.omega);
        output lid_position: [m] = lid.position;
        output angle: [rad] = hinge.angle;
        until 0.5;
    } {} {}
    // `examples/arm_bodies.rs`, and `examples/arm_angles.rs`, with all that is to be equal.
    arm {
        param c: [N*m*s/rad] = 4.0;
        gravity [0, 0, -9.81];
        body turret: SpatialBody { mass: 20.0, jx: 0.3, jy: 0.3, jz: 0.2 };
        body upper: SpatialBody { mass: 12.0, jx: 0.05, jy: 0.4, jz: 0.4 };
        body fore: SpatialBody { mass: 6.0, jx: 0.02, jy: 0.1, jz: 0.1 };
        body cuff: SpatialBody { mass: 3.0, jx: 0.01, jy: 0.03, jz: 0.03 };
        body wrist: SpatialBody { mass: 1.5, jx: 0.004, jy: 0.006, jz: 0.006 };
        body flange: SpatialBody { mass: 0.5, jx: 0.001, jy: 0.001, jz: 0.001 };
        joint a1: revolute(ground, turret.at([0, 0, -0.2]));
        joint a2: revolute(turret.at([0.1, 0, 0.2], [0, 1, 0]), upper.at([-0.3, 0, 0], [0, 1, 0]));
        joint a3: revolute(upper.at([0.3, 0, 0], [0, 1, 0]), fore.at([-0.2, 0, 0], [0, 1, 0]));
        joint a4: revolute(fore.at([0.2, 0, 0], [1, 0, 0]), cuff.at([-0.15, 0, 0], [1, 0, 0]));
        joint a5: revolute(cuff.at([0.15, 0, 0], [0, 1, 0]), wrist.at([-0.06, 0, 0], [0, 1, 0]));
        joint a6: revolute(wrist.at([0.06, 0, 0], [1, 0, 0]), flange.at([-0.03, 0, 0], [1, 0, 0]));
        dissipation oil = 0.5*c*(sq(a1.rate) + 10*sq(a2.rate) + 4*sq(a3.rate) + 0.2*sq(a5.rate));
        init a1.angle = 0.4;    init a2.angle = -0.9;   init a3.angle = 1.2;    init a4.angle = 0.3;
        init a5.angle = 0.5;    init a6.angle = -0.2;   init a1.rate = 1.5;
        output force1: [N] = a1.force;    output torque1: [N*m] = a1.torque;
        output angle1: [rad] = a1.angle;   output rate1: [rad/s] = a1.rate;
        output force2: [N] = a2.force;    output torque2: [N*m] = a2.torque;
        output angle2: [rad] = a2.angle;   output rate2: [rad/s] = a2.rate;
        output force3: [N] = a3.force;    output torque3: [N*m] = a3.torque;
        output angle3: [rad] = a3.angle;   output rate3: [rad/s] = a3.rate;
        output force4: [N] = a4.force;    output torque4: [N*m] = a4.torque;
        output angle4: [rad] = a4.angle;   output rate4: [rad/s] = a4.rate;
        output force5: [N] = a5.force;    output torque5: [N*m] = a5.torque;
        output angle5: [rad] = a5.angle;   output rate5: [rad/s] = a5.rate;
        output force6: [N] = a6.force;    output torque6: [N*m] = a6.torque;
        output angle6: [rad] = a6.angle;   output rate6: [rad/s] = a6.rate;
        until 1.0;
    } {} {}
    // `examples/crane.rs`.
    crane {
        /// How far the trolley goes.
        param way: [m] = 3.0;
        /// Length of the rope between trolley and hook.
        param rope: [m] = 4.0;
        gravity [0, -9.81];
        body trolley: PlanarBody { mass: 300.0, inertia: 40.0 };
        body hook: PlanarBody { mass: 60.0, inertia: 80.0 };
        body load: PlanarBody { mass: 500.0, inertia: 200.0 };
        joint rail: prismatic(ground, trolley);
        joint top: revolute(trolley.at([0, -0.2]), hook.at([0, 0.5*rope]));
        joint eye: revolute(hook.at([0, -0.5*rope]), load.at([0, 0.8]));
        drive rail.position == way*smooth_step(t, 0.0, 4.0);
        force wind = [-30.0, 0.0] on load at [0, 0.2];
        force bearing along eye.angle = -20.0*eye.rate;
        /// Of the load below the rail.
        output place: [m] = load.position;
        output motor: [N] = rail.drive_force;
        output hook_force: [N] = top.force;
        output angle: [rad] = eye.angle;
        /// What the rail has to bear.
        output rail_force: [N] = rail.force;
        output rail_torque: [N*m] = rail.torque;
        output pull: [N] = norm(eye.force);
        until 8.0;
    } {} {}
    // A part used twice, with a body and a joint of its own that hangs it on what it is given.
    twice {
        component Leg {
            param side = 1.0;
            body thigh: SpatialBody { mass: 2.0, jx: 0.02, jy: 0.02, jz: 0.01 };
            body shank: SpatialBody { mass: 1.0, jx: 0.01, jy: 0.01, jz: 0.005 };
            joint knee: revolute(thigh.at([0, 0, -0.2], [0, 1, 0]), shank.at([0, 0, 0.2], [0, 1, 0]));
            guess knee.angle = 0.4*side;
            force muscle along knee.angle = -5*knee.angle;
            output knee_force: [N] = knee.force;
        }
        gravity [0, 0, -9.81];
        body hip: SpatialBody { mass: 5.0, jx: 0.1, jy: 0.1, jz: 0.1 };
        body left: Leg { side: 1.0 };
        body right: Leg { side: -1.0 };
        joint l: universal(hip.at([0, 0.1, 0], [1, 0, 0]), left.thigh.at([0, 0, 0.2], [0, 1, 0]));
        joint r: universal(right.thigh.at([0, 0, 0.2], [0, 1, 0]), hip.at([0, -0.1, 0], [1, 0, 0]));
        init hip.position = [0, 0, 1];
        init hip.e = axis_angle([0, 0, 1], 0.2);
        init hip.omega = [0.2, 0.5, -0.3];
        guess l.first_angle = 0.3;
        guess r.second_rate = 1.0;
        output l_torque: [N*m] = l.torque;
        output r_force: [N] = r.force;
        output hip_alpha: [rad/s^2] = der(hip.omega);
        until 0.3;
    } {} {}
    // A drive in space and its torque; an angle of many turns.
    driven {
        gravity [0, 0, -9.81];
        body turret: SpatialBody { mass: 2.0, jx: 0.1, jy: 0.1, jz: 0.05 };
        body arm: SpatialBody { mass: 1.0, jx: 0.01, jy: 0.05, jz: 0.05 };
        joint base: revolute(ground, turret);
        let socket = turret.at([0.1, 0, 0.2], [0, 1, 0]);
        let end = arm.at([-0.3, 0, 0], [0, 1, 0]);
        joint elbow: revolute(socket, end);
        drive base.angle == 0.3 + 5*sin(3*t);
        init elbow.angle = 20.0;
        force spring along elbow.angle = -2*(elbow.angle - 20);
        output motor: [N*m] = base.drive_torque;
        output base_force: [N] = base.force;
        output base_torque: [N*m] = base.torque;
        output elbow_torque: [N*m] = elbow.torque;
        output angle: [rad] = elbow.angle;
        output wrapped: [rad] = elbow.wrapped_angle;
        until 0.5;
    } {} {}
}

/// The model of a mechanism in joint coordinates with its joints released.
struct Released<'m, M>(&'m M);

impl<M: Mechanism> Mechanism for Released<'_, M> {
    fn model(&self) -> Result<Model, ModelError> {
        Ok(self.0.model()?.into_released().expect("outputs read reactions"))
    }

    fn set(&mut self, _: &str, _: f64) -> Result<(), ModelError> {
        unreachable!("nothing is set of it")
    }

    fn params(&self) -> Vec<ParamInfo> {
        self.0.params()
    }
}

/// Numbers between −1 and 1.
fn random(seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..24).map(|_| next()).collect()
}

/// All outputs at the start, relative to the largest.
#[track_caller]
fn same_start(one: &impl Mechanism, other: &impl Mechanism, tolerance: f64) {
    let (one, other) = (Outputs::of(&started(one)), Outputs::of(&started(other)));
    let size = one.0.values().fold(1.0_f64, |size, value| size.max(value.abs()));
    assert!(one.0.len() > 5 && one.0.len() == other.0.len());
    for (name, value) in &one.0 {
        near(name, other.number(name), *value, tolerance * size);
    }
}

/// All outputs at the end of a run.
#[track_caller]
fn same_end(one: &impl Mechanism, other: &impl Mechanism, tolerance: f64) {
    let run = |m: &dyn Mechanism| {
        let simulation = Simulation::new(m).method(Radau5::default());
        let simulation = simulation.step(Step::adaptive(1e-11)).error_estimate(false);
        simulation.run().unwrap_or_else(|error| panic!("{error}"))
    };
    let (first, second) = (run(one), run(other));
    let model = one.model().expect("a model");
    assert!(model.outputs().len() > 5);
    for label in model.outputs() {
        let (is, should) = (last(&second, &label.name), last(&first, &label.name));
        near(&label.name, is, should, tolerance * should.abs().max(1.0));
    }
}

macro_rules! tests {
    ($($module:ident $coordinates:literal $rows:literal)*) => { $(
        pub mod $module {
            use super::*;
            type Absolute = super::super::$module::absolute::Absolute;
            type Joint = super::super::$module::joint::Joint;

            #[test]
            fn starts_are_equal_with_all_reactions() {
                for seed in 1..=6 {
                    let (absolute, joint) =
                        (Absolute { r: random(seed) }, Joint { r: random(seed) });
                    same_start(&absolute, &joint, 2e-12);
                    same_start(&Released(&joint), &joint, 2e-12);
                }
            }

            #[test]
            fn motions_are_equal_with_all_reactions() {
                let (absolute, joint) = (Absolute { r: random(7) }, Joint { r: random(7) });
                same_end(&absolute, &joint, 1e-8);
            }

            #[test]
            fn derivatives_and_unknowns() {
                assert_all_derivatives(&Joint::default());
                let dims = Joint::default().model().expect("a model").dims();
                // The base, and the angles of the branches.
                assert_eq!((dims.n, dims.m), (7 + 1 + 2 + $coordinates, 1 + $rows));
            }
        }
    )* };
}

mod each {
    use super::*;
    tests! {
        revolute 1 0
        prismatic 1 0
        cylindrical 2 0
        screw 1 0
        universal 2 0
        planar 3 0
        fixed 0 0
        spherical 4 1
    }
}

macro_rules! whole {
    ($($module:ident $coordinates:literal $rows:literal)*) => { $(
        #[test]
        fn $module() {
            // The modules of this file come before the crate's.
            let (absolute, joint) = <(
                self::all::$module::absolute::Absolute,
                self::all::$module::joint::Joint,
            )>::default();
            same_start(&absolute, &joint, 1e-11);
            same_start(&Released(&joint), &joint, 1e-11);
            same_end(&absolute, &joint, 1e-8);
            assert_all_derivatives(&joint);
            let dims = joint.model().expect("a model").dims();
            assert_eq!((dims.n, dims.m), ($coordinates, $rows));
        }
    )* };
}

mod all {
    pub use super::{crane, driven, four_bar, loop_in_space, plane, twice};
}

mod both {
    use super::*;
    whole! {
        four_bar 3 2
        loop_in_space 4 3
        plane 6 1
        driven 2 1
        crane 3 1
        twice 13 1
    }
}

/// q, v, force and torque of every joint after a second, of each vector relative to it, to 1e-9.
#[test]
fn the_arm_of_six_axes_is_the_same_in_both_forms() {
    let run = |m: &dyn Mechanism| {
        let simulation = Simulation::new(m).method(Radau5::default());
        let simulation = simulation.step(Step::adaptive(1e-12)).error_estimate(false);
        simulation.run().unwrap_or_else(|error| panic!("{error}"))
    };
    let absolute = run(&arm::absolute::Absolute::default());
    let joint = run(&arm::joint::Joint::default());
    for i in 1..=6 {
        for (name, entries) in [("force", 3), ("torque", 3), ("angle", 0), ("rate", 0)] {
            let names: Vec<String> = match entries {
                0 => vec![format!("{name}{i}")],
                n => (0..n).map(|k| format!("{name}{i}[{k}]")).collect(),
            };
            let size = names.iter().map(|name| last(&absolute, name).powi(2)).sum::<f64>().sqrt();
            for name in names {
                near(&name, last(&joint, &name), last(&absolute, &name), 1e-9 * size.max(1.0));
            }
        }
    }
    let dims = joint_arm().dims();
    assert_eq!((dims.n, dims.m), (6, 0));
    // The examples are these.
    let (bodies, angles) =
        (run(&arm_bodies::ArmBodies::default()), run(&arm_angles::ArmAngles::default()));
    for name in ["tip[0]", "tip[1]", "tip[2]", "base_load[0]", "base_load[1]", "base_load[2]"] {
        let should = last(&bodies, name);
        near(name, last(&angles, name), should, 1e-9 * should.abs().max(1.0));
    }
}

fn joint_arm() -> Model {
    arm_angles::ArmAngles::default().model().expect("a model")
}

/// What the examples say of themselves.
#[test]
fn examples_in_joint_coordinates() {
    let crane = crane_example::Crane::default();
    assert_all_derivatives(&crane);
    assert_all_derivatives(&arm_angles::ArmAngles::default());
    let dims = crane.model().expect("a model").dims();
    assert_eq!((dims.n, dims.m), (3, 1));
    let dims = crane::absolute::Absolute::default().model().expect("a model").dims();
    assert_eq!((dims.n, dims.m), (9, 7), "six rows of joints, and the drive");
}

/// Nothing of the displacements is left in what is simulated.
#[test]
fn joints_that_hold_cost_nothing() {
    let joint = driven::joint::Joint::default();
    let model = joint.model().expect("a model");
    assert_eq!(model.coords().len(), 2);
    let names: Vec<&str> = model.coords().iter().map(|label| &*label.name).collect();
    assert_eq!(names, ["base.angle", "elbow.angle"]);
    let released = model.into_released().expect("outputs read reactions");
    assert_eq!((released.dims().n, released.dims().m), (2 + 10, 1 + 10));
}
