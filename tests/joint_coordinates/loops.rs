//! Loops and arrays in joint coordinates, against absolute coordinates and against chains written out body by body.

use crate::read::{last, near};
use mbd::integrate::{Radau5, Step};
use mbd::prelude::*;

forms! {
    // Each body told by the one before, the first by a joint outside the loop.
    plane_chain {
        size n = 5;
        gravity [0, -9.81];
        body link[n]: PlanarBody { mass: 0.7, inertia: 0.02 };
        joint top: revolute(ground, link[0].at([-0.2, 0]));
        for i in 1..n {
            joint hinge: revolute(link[i - 1].at([0.2, 0.01]), link[i].at([-0.2, 0]));
            guess hinge.angle = 0.2;
            guess hinge.rate = 0.5;
            force damper along hinge.angle = -0.01*hinge.rate;
            output force[i - 1]: [N] = hinge.force;
            output torque[i - 1]: [N*m] = hinge.torque;
            output angle[i - 1]: [rad] = hinge.angle;
            output rate[i - 1]: [rad/s] = hinge.rate;
        }
        for i in 0..n {
            force wind = [0.3, 0.1] on link[i] at [0.05, 0.02];
            torque twist = 0.02 on link[i];
            output place[i]: [m] = link[i].position;
            output speed[i]: [m/s] = link[i].velocity;
            output acceleration[i]: [m/s^2] = der(link[i].velocity);
        }
        output top_force: [N] = top.force;
        until 1.0;
    }
    // The same in space, with universal joints, a ball and a slide.
    space_chain {
        size n = 4;
        gravity [0, 0, -9.81];
        body link[n]: SpatialBody { mass: 0.7, jx: 0.01, jy: 0.03, jz: 0.02 };
        joint top: universal(ground.at([0, 0, 0], [0, 1, 0]), link[0].at([-0.2, 0, 0.1], [1, 0, 0]));
        for i in 1..n {
            joint hinge: revolute(link[i - 1].at([0.2, 0, 0], [0, 1, 0.2]), link[i].at([-0.2, 0, 0], [0, 1, 0]));
            guess hinge.angle = 0.2;
            guess hinge.rate = 0.5;
            output force[i - 1]: [N] = hinge.force;
            output torque[i - 1]: [N*m] = hinge.torque;
        }
        for i in 0..n {
            force wind = [0.3, 0.1, 0] on link[i] at [0.05, 0.02, 0];
            torque twist = [0.01, 0.02, 0.03] on link[i];
            output place[i]: [m] = link[i].position;
            output speed[i]: [m/s] = link[i].velocity;
            output spin[i]: [rad/s] = link[i].omega;
            output alpha[i]: [rad/s^2] = der(link[i].omega);
        }
        output top_force: [N] = top.force;
        output top_torque: [N*m] = top.torque;
        until 1.0;
    }
    // Each hangs on the ground, at a place of its own, behind the loop's index; driven, limited, rubbed.
    star {
        size n = 6;
        param way: [m] = 0.3;
        gravity [0, -9.81];
        body bob[n]: PlanarBody { mass: 0.4, inertia: 0.01 };
        for i in 0..n {
            joint arm: revolute(ground.at([way*i, 0]), bob[i].at([-0.2, 0]));
            init arm.angle = 0.1 + 0.2*i;
            init arm.rate = 0.3*i;
            friction arm.angle = 0.05;
            output angle[i]: [rad] = arm.angle;
            output force[i]: [N] = arm.force;
        }
        body cart[n]: PlanarBody { mass: 2.0, inertia: 0.1 };
        for i in 0..n {
            joint rail: prismatic(ground.at([0, -2.0 - 0.5*i], [1, 0.1*i]), cart[i].at([0, 0], [1, 0]));
            drive rail.position == 0.2*sin((1 + i)*t);
            output pull[i]: [N] = rail.drive_force;
            output load[i]: [N] = rail.force;
        }
        body gate[n]: PlanarBody { mass: 1.0, inertia: 0.05 };
        for i in 0..n {
            joint pin: revolute(ground.at([way*i, 1]), gate[i].at([-0.1, 0]));
            limit pin.angle in -0.4..0.5;
            init pin.angle = 0.3 - 0.05*i;
            output stop[i]: [rad] = pin.angle;
        }
        until 0.4;
    }
    // Loops that joints of loops close.
    lattice {
        size n = 2;
        gravity [0, -9.81];
        body left[n]: PlanarBody { mass: 1.0, inertia: 0.02 };
        body right[n]: PlanarBody { mass: 0.8, inertia: 0.02 };
        body rung[n]: PlanarBody { mass: 0.3, inertia: 0.01 };
        joint l: revolute(ground, left[0].at([0, 0.2]));
        joint r: revolute(ground.at([0.4, 0]), right[0].at([0, 0.2]));
        init l.angle = 0.4;
        init r.angle = 0.4;
        for i in 1..n {
            joint lower_left: revolute(left[i - 1].at([0, -0.2]), left[i].at([0, 0.2]));
            joint lower_right: revolute(right[i - 1].at([0, -0.2]), right[i].at([0, 0.2]));
            output left_force[i - 1]: [N] = lower_left.force;
        }
        for i in 0..n {
            joint near: revolute(left[i], rung[i].at([-0.2, 0]));
            guess near.angle = -0.4;
        }
        for i in 0..n {
            joint far: revolute(rung[i].at([0.2, 0]), right[i]);
            output far_force[i]: [N] = far.force;
            output place[i]: [m] = rung[i].position;
        }
        output top: [N] = r.force;
        until 0.4;
    }
    // Legs of a component on a body that is free, with gaps that close.
    crab {
        component Leg {
            param side = 1.0;
            pub body thigh: SpatialBody { mass: 2.0, jx: 0.02, jy: 0.02, jz: 0.01 };
            body shank: SpatialBody { mass: 1.0, jx: 0.01, jy: 0.01, jz: 0.005 };
            joint knee: revolute(thigh.at([0, 0, -0.2], [0, 1, 0]), shank.at([0, 0, 0.2], [0, 1, 0]));
            guess knee.angle = 0.4*side;
            force muscle along knee.angle = -5*knee.angle;
            output knee_force: [N] = knee.force;
            output foot: [m] = shank.point([0, 0, -0.2]);
        }
        size n = 3;
        gravity [0, 0, -9.81];
        body hip: SpatialBody { mass: 5.0, jx: 0.1, jy: 0.1, jz: 0.1 };
        body leg[n]: Leg;
        for i in 0..n {
            joint socket: universal(hip.at([0.1*i, 0.1, 0], [1, 0, 0]), leg[i].thigh.at([0, 0, 0.2], [0, 1, 0]));
            guess socket.first_angle = 0.2*i;
            guess socket.second_rate = 1.0;
            output torque[i]: [N*m] = socket.torque;
        }
        init hip.position = [0, 0, 1];
        init hip.omega = [0.2, 0.5, -0.3];
        output hip_alpha: [rad/s^2] = der(hip.omega);
        until 0.3;
    }
    // Arrays inside of components, and such components in an array.
    chains {
        component Chain {
            size links = 2;
            param at = 0.5;
            pub body link[links]: PlanarBody { mass: 0.5, inertia: 0.01 };
            for i in 1..links {
                joint hinge: revolute(link[i - 1].at([0.1, 0]), link[i].at([-0.1, 0]));
                guess hinge.angle = 0.3;
                force damper along hinge.angle = -0.02*hinge.rate;
            }
            for i in 0..links { force push = [at, 0] on link[i]; }
        }
        size n = 3;
        gravity [0, -9.81];
        body first: Chain { links: 3, at: 0.2 };
        body many[n]: Chain { links: 4 };
        joint top: revolute(ground.at([0, 1]), first.link[0].at([-0.1, 0]));
        for i in 0..n {
            joint hang: revolute(ground.at([0.5*i, 0]), many[i].link[0].at([-0.1, 0]));
            init hang.angle = 0.2*i;
            output force[i]: [N] = hang.force;
            output tip[i]: [m] = many[i].link[3].position;
        }
        output end: [m] = first.link[2].position;
        until 0.4;
    }
    // What hangs on nothing hangs on a body of its own; an array that hangs on nothing keeps its coordinates.
    free {
        size n = 3;
        gravity [0, -9.81];
        body bus: PlanarBody { mass: 3.0, inertia: 0.3 };
        body panel[n]: PlanarBody { mass: 0.5, inertia: 0.01 };
        joint root: revolute(bus.at([0.3, 0]), panel[0].at([-0.2, 0]));
        init bus.omega = 0.7;
        guess root.rate = 0.5;
        for i in 1..n {
            joint hinge: revolute(panel[i - 1].at([0.2, 0]), panel[i].at([-0.2, 0]));
            guess hinge.rate = 1.0*i;
            output force[i - 1]: [N] = hinge.force;
        }
        body loose[n]: PlanarBody { mass: 0.5, inertia: 0.02 };
        for i in 1..n {
            joint pin: revolute(loose[i - 1].at([0.1, 0]), loose[i].at([-0.1, 0]));
            output pull[i - 1]: [N] = pin.force;
        }
        for i in 0..n { torque twist = 0.1*i on loose[i]; }
        output place: [m] = bus.position;
        output away: [m] = panel[n - 1].position;
        until 0.4;
    }
}

/// All outputs at the end of a run.
#[track_caller]
fn same(one: &impl Mechanism, other: &impl Mechanism, tolerance: f64) {
    let run = |m: &dyn Mechanism| {
        let simulation = Simulation::new(m).method(Radau5::default());
        let simulation = simulation.step(Step::adaptive(1e-12)).error_estimate(false);
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

macro_rules! whole {
    ($($module:ident $coordinates:literal $rows:literal)*) => { $(
        #[test]
        fn $module() {
            let (absolute, joint) = <(
                self::all::$module::absolute::Absolute,
                self::all::$module::joint::Joint,
            )>::default();
            let dims = joint.model().unwrap_or_else(|error| panic!("{error}")).dims();
            assert_eq!((dims.n, dims.m), ($coordinates, $rows));
            same(&absolute, &joint, 1e-9);
        }
    )* };
}

mod all {
    pub use super::{chains, crab, free, lattice, plane_chain, space_chain, star};
}

mod both {
    use super::*;
    whole! {
        plane_chain 5 0
        space_chain 5 0
        star 18 18
        lattice 6 4
        crab 16 1
        chains 15 0
        free 15 4
    }
}

mechanism! {
    /// Two bodies in each pass, told by turns by each other; one joint names what it carries first.
    mechanism Ladder {
        coordinates joint;
        size n = 3;
        gravity [0, 0, -9.81];
        body post[n]: SpatialBody { mass: 0.6, jx: 0.01, jy: 0.02, jz: 0.02 };
        body step[n]: SpatialBody { mass: 0.3, inertia: [0.01, 0.01, 0.02, 0.001, 0, 0.002] };
        joint foot: spherical(ground.at([0, 0, 1]), post[0].at([0, 0, 0.1]));
        for i in 1..n {
            joint knee: universal(step[i - 1].at([0.1, 0, -0.1], [0, 1, 0]), post[i].at([0, 0, 0.1], [1, 0, 0]));
            init knee.first_angle = 0.2;
            output knee_force[i - 1]: [N] = knee.force;
            output knee_torque[i - 1]: [N*m] = knee.torque;
        }
        for i in 0..n {
            joint hip: revolute(step[i].at([-0.1, 0, 0], [0, 1, 0.1]), post[i].at([0, 0.02, -0.1], [0, 1, 0]));
            init hip.angle = 0.3;
            init hip.rate = -0.4;
            force spring along hip.angle = -0.2*hip.angle;
            output hip_force[i]: [N] = hip.force;
            output hip_torque[i]: [N*m] = hip.torque;
            output place[i]: [m] = step[i].position;
            output spin[i]: [rad/s] = post[i].omega_ground;
        }
        output foot_force: [N] = foot.force;
        until 0.5;
    }
}

mechanism! {
    /// The same body by body.
    mechanism LadderWritten {
        coordinates joint;
        gravity [0, 0, -9.81];
        body post0: SpatialBody { mass: 0.6, jx: 0.01, jy: 0.02, jz: 0.02 };
        body step0: SpatialBody { mass: 0.3, inertia: [0.01, 0.01, 0.02, 0.001, 0, 0.002] };
        body post1: SpatialBody { mass: 0.6, jx: 0.01, jy: 0.02, jz: 0.02 };
        body step1: SpatialBody { mass: 0.3, inertia: [0.01, 0.01, 0.02, 0.001, 0, 0.002] };
        body post2: SpatialBody { mass: 0.6, jx: 0.01, jy: 0.02, jz: 0.02 };
        body step2: SpatialBody { mass: 0.3, inertia: [0.01, 0.01, 0.02, 0.001, 0, 0.002] };
        joint foot: spherical(ground.at([0, 0, 1]), post0.at([0, 0, 0.1]));
            joint knee1: universal(step0.at([0.1, 0, -0.1], [0, 1, 0]), post1.at([0, 0, 0.1], [1, 0, 0]));
            init knee1.first_angle = 0.2;
            output knee_force0: [N] = knee1.force;
            output knee_torque0: [N*m] = knee1.torque;
            joint knee2: universal(step1.at([0.1, 0, -0.1], [0, 1, 0]), post2.at([0, 0, 0.1], [1, 0, 0]));
            init knee2.first_angle = 0.2;
            output knee_force1: [N] = knee2.force;
            output knee_torque1: [N*m] = knee2.torque;
            joint hip0: revolute(step0.at([-0.1, 0, 0], [0, 1, 0.1]), post0.at([0, 0.02, -0.1], [0, 1, 0]));
            init hip0.angle = 0.3;
            init hip0.rate = -0.4;
            force spring0 along hip0.angle = -0.2*hip0.angle;
            output hip_force0: [N] = hip0.force;
            output hip_torque0: [N*m] = hip0.torque;
            output place0: [m] = step0.position;
            output spin0: [rad/s] = post0.omega_ground;
            joint hip1: revolute(step1.at([-0.1, 0, 0], [0, 1, 0.1]), post1.at([0, 0.02, -0.1], [0, 1, 0]));
            init hip1.angle = 0.3;
            init hip1.rate = -0.4;
            force spring1 along hip1.angle = -0.2*hip1.angle;
            output hip_force1: [N] = hip1.force;
            output hip_torque1: [N*m] = hip1.torque;
            output place1: [m] = step1.position;
            output spin1: [rad/s] = post1.omega_ground;
            joint hip2: revolute(step2.at([-0.1, 0, 0], [0, 1, 0.1]), post2.at([0, 0.02, -0.1], [0, 1, 0]));
            init hip2.angle = 0.3;
            init hip2.rate = -0.4;
            force spring2 along hip2.angle = -0.2*hip2.angle;
            output hip_force2: [N] = hip2.force;
            output hip_torque2: [N*m] = hip2.torque;
            output place2: [m] = step2.position;
            output spin2: [rad/s] = post2.omega_ground;
        output foot_force: [N] = foot.force;
        until 0.5;
    }
}

mechanism! {
    /// Balls, plates, screws and welds, told downwards; each pass carries three bodies.
    mechanism Kinds {
        coordinates joint;
        size n = 2;
        gravity [0.3, 0, -9.81];
        body a[n]: SpatialBody { mass: 0.6, jx: 0.01, jy: 0.02, jz: 0.02 };
        body b[n]: SpatialBody { mass: 0.5, jx: 0.02, jy: 0.01, jz: 0.02 };
        body c[n]: SpatialBody { mass: 0.4, jx: 0.01, jy: 0.01, jz: 0.02 };
        body d[n]: SpatialBody { mass: 0.3, jx: 0.01, jy: 0.01, jz: 0.01 };
        joint top: cylindrical(ground, a[n - 1].at([0, 0, 0.1]));
        init top.rate = 1.0;
        force hold along top.position = -300*top.position - 2*top.speed;
        for i in 1..n {
            joint weld: fixed(d[n - i].at([0.1, 0, 0]), a[n - 1 - i].at([-0.1, 0.02, 0]));
            output weld_force[i - 1]: [N] = weld.force;
            output weld_torque[i - 1]: [N*m] = weld.torque;
        }
        for i in 0..n {
            joint ball: spherical(a[i].at([0.1, 0, 0]), b[i].at([-0.1, 0, 0.05]));
            joint plate: planar(c[i].at([0.1, 0, 0], [0, 1, 0.3]), b[i].at([0, 0, 0], [0, 1, 0.3]));
            joint bolt: screw(c[i].at([0, 0.1, 0], [1, 0, 0]), d[i].at([0, 0, 0.02], [1, 0, 0]), 0.1);
            init ball.e = axis_angle([0, 1, 0], 0.3);
            init plate.angle = 0.2;
            init bolt.rate = 2.0;
            force across along plate.x = -80*plate.x - plate.speed_x;
            force beside along plate.y = -80*plate.y - plate.speed_y;
            force turn along bolt.angle = -0.1*bolt.rate;
            force twist along plate.angle = -0.5*plate.angle;
            output ball_force[i]: [N] = ball.force;
            output plate_force[i]: [N] = plate.force;
            output plate_torque[i]: [N*m] = plate.torque;
            output bolt_force[i]: [N] = bolt.force;
            output bolt_torque[i]: [N*m] = bolt.torque;
            output place[i]: [m] = d[i].position;
        }
        output top_force: [N] = top.force;
        output top_torque: [N*m] = top.torque;
        until 0.2;
    }
}

mechanism! {
    /// The same body by body.
    mechanism KindsWritten {
        coordinates joint;
        gravity [0.3, 0, -9.81];
        body a0: SpatialBody { mass: 0.6, jx: 0.01, jy: 0.02, jz: 0.02 };
        body a1: SpatialBody { mass: 0.6, jx: 0.01, jy: 0.02, jz: 0.02 };
        body b0: SpatialBody { mass: 0.5, jx: 0.02, jy: 0.01, jz: 0.02 };
        body b1: SpatialBody { mass: 0.5, jx: 0.02, jy: 0.01, jz: 0.02 };
        body c0: SpatialBody { mass: 0.4, jx: 0.01, jy: 0.01, jz: 0.02 };
        body c1: SpatialBody { mass: 0.4, jx: 0.01, jy: 0.01, jz: 0.02 };
        body d0: SpatialBody { mass: 0.3, jx: 0.01, jy: 0.01, jz: 0.01 };
        body d1: SpatialBody { mass: 0.3, jx: 0.01, jy: 0.01, jz: 0.01 };
        joint top: cylindrical(ground, a1.at([0, 0, 0.1]));
        init top.rate = 1.0;
        force hold along top.position = -300*top.position - 2*top.speed;
            joint weld1: fixed(d1.at([0.1, 0, 0]), a0.at([-0.1, 0.02, 0]));
            output weld_force0: [N] = weld1.force;
            output weld_torque0: [N*m] = weld1.torque;
            joint ball0: spherical(a0.at([0.1, 0, 0]), b0.at([-0.1, 0, 0.05]));
            joint plate0: planar(c0.at([0.1, 0, 0], [0, 1, 0.3]), b0.at([0, 0, 0], [0, 1, 0.3]));
            joint bolt0: screw(c0.at([0, 0.1, 0], [1, 0, 0]), d0.at([0, 0, 0.02], [1, 0, 0]), 0.1);
            init ball0.e = axis_angle([0, 1, 0], 0.3);
            init plate0.angle = 0.2;
            init bolt0.rate = 2.0;
            force across0 along plate0.x = -80*plate0.x - plate0.speed_x;
            force beside0 along plate0.y = -80*plate0.y - plate0.speed_y;
            force turn0 along bolt0.angle = -0.1*bolt0.rate;
            force twist0 along plate0.angle = -0.5*plate0.angle;
            output ball_force0: [N] = ball0.force;
            output plate_force0: [N] = plate0.force;
            output plate_torque0: [N*m] = plate0.torque;
            output bolt_force0: [N] = bolt0.force;
            output bolt_torque0: [N*m] = bolt0.torque;
            output place0: [m] = d0.position;
            joint ball1: spherical(a1.at([0.1, 0, 0]), b1.at([-0.1, 0, 0.05]));
            joint plate1: planar(c1.at([0.1, 0, 0], [0, 1, 0.3]), b1.at([0, 0, 0], [0, 1, 0.3]));
            joint bolt1: screw(c1.at([0, 0.1, 0], [1, 0, 0]), d1.at([0, 0, 0.02], [1, 0, 0]), 0.1);
            init ball1.e = axis_angle([0, 1, 0], 0.3);
            init plate1.angle = 0.2;
            init bolt1.rate = 2.0;
            force across1 along plate1.x = -80*plate1.x - plate1.speed_x;
            force beside1 along plate1.y = -80*plate1.y - plate1.speed_y;
            force turn1 along bolt1.angle = -0.1*bolt1.rate;
            force twist1 along plate1.angle = -0.5*plate1.angle;
            output ball_force1: [N] = ball1.force;
            output plate_force1: [N] = plate1.force;
            output plate_torque1: [N*m] = plate1.torque;
            output bolt_force1: [N] = bolt1.force;
            output bolt_torque1: [N*m] = bolt1.torque;
            output place1: [m] = d1.position;
        output top_force: [N] = top.force;
        output top_torque: [N*m] = top.torque;
        until 0.2;
    }
}

/// All outputs of a mechanism with arrays, and of the one written out, where `force[1][0]` is `force1[0]`.
#[track_caller]
fn same_as_written(looped: &impl Mechanism, written: &impl Mechanism) {
    let run = |m: &dyn Mechanism| {
        let simulation = Simulation::new(m).method(Radau5::default());
        let simulation = simulation.step(Step::adaptive(1e-12)).error_estimate(false);
        simulation.run().unwrap_or_else(|error| panic!("{error}"))
    };
    let (one, other) = (run(looped), run(written));
    let (looped, written) = (looped.model().expect("a model"), written.model().expect("a model"));
    assert_eq!(looped.dims(), written.dims());
    assert_eq!(looped.outputs().len(), written.outputs().len());
    for label in looped.outputs() {
        let name = match label.name.matches('[').count() {
            2 => label.name.replacen('[', "", 1).replacen(']', "", 1),
            _ => label.name.clone(),
        };
        let (is, should) = (last(&one, &label.name), last(&other, &name));
        near(&label.name, is, should, 1e-9 * should.abs().max(1.0));
    }
}

#[test]
fn bodies_told_by_turns_are_those_written_out() {
    same_as_written(&Ladder::default(), &LadderWritten::default());
}

#[test]
fn all_kinds_of_joints_told_downwards() {
    same_as_written(&Kinds::default(), &KindsWritten::default());
}

/// Sizes are parameters: a chain of another length is the same in both forms.
#[test]
fn sizes_of_a_run() {
    use plane_chain::{absolute::Absolute, joint::Joint};
    for n in [1, 2, 7] {
        let (absolute, joint) = (Absolute { n }, Joint { n });
        let dims = joint.model().expect("a model").dims();
        assert_eq!((dims.n, dims.m), (n, 0));
        same(&absolute, &joint, 1e-9);
    }
}

#[test]
fn derivatives() {
    use mbd::verify::assert_all_derivatives;
    assert_all_derivatives(&plane_chain::joint::Joint { n: 3 });
    assert_all_derivatives(&Ladder::default());
    assert_all_derivatives(&Kinds::default());
    assert_all_derivatives(&crab::joint::Joint::default());
}

/// What is said of names and starts from outside.
#[test]
fn names_and_starts_from_outside() {
    let joint = plane_chain::joint::Joint::default();
    let model = joint.model().expect("a model");
    let names: Vec<&str> = model.coords().iter().map(|label| &*label.name).collect();
    let expected =
        ["top.angle", "hinge.angle[0]", "hinge.angle[1]", "hinge.angle[2]", "hinge.angle[3]"];
    assert_eq!(names, expected);
    let chains = chains::joint::Joint::default().model().expect("a model");
    let names: Vec<&str> = chains.coords().iter().map(|label| &*label.name).collect();
    assert!(names.contains(&"many[2].hinge.angle[1]"), "{names:?}");
    assert!(names.contains(&"first.hinge.angle[1]"), "{names:?}");
    let run = |name: &str| {
        let simulation = Simulation::new(&joint).set_initial(name, 0.7);
        simulation.start().map(|started| started.point.q().to_vec())
    };
    let q = run("hinge.angle[1]").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(q[2], 0.7);
}

mechanism! {
    /// Sizes by which a body is told by none, or twice, or in a circle.
    mechanism Told {
        coordinates joint;
        size n = 4;
        size passes = 4;
        size first = 0;
        size back = 1;
        body link[n]: PlanarBody { mass: 1.0, inertia: 0.1 };
        joint top: revolute(ground, link[first]);
        for i in 1..passes {
            joint hinge: revolute(link[i - back], link[i].at([0.1, 0]));
        }
    }
}

#[test]
fn every_entry_is_told_once() {
    let error = |told: Told| told.model().err().map(|error| error.to_string()).unwrap_or_default();
    assert_eq!(error(Told::default()), "");
    assert_eq!(
        error(Told { passes: 3, ..Told::default() }),
        "in joint coordinates no joint tells where `link[3]` is, as joints do of other bodies of its array; join it to one of these or to the ground, or write `coordinates absolute;`"
    );
    assert_eq!(
        error(Told { first: 2, ..Told::default() }),
        "in joint coordinates `link[2]` is told by `top` and by `hinge[1]`; let the loops of one of them leave it out: a joint that closes a loop stands by itself"
    );
    assert_eq!(
        error(Told { back: 0, ..Told::default() }),
        "in joint coordinates `hinge[0]` tells where `link[1]` is by a body that hangs on `link[1]` itself; join one of the bodies of this circle to the ground, or write `coordinates absolute;`"
    );
}

/// What a start costs grows with the links' number as the matrices do, and no faster: chains that wait for each other's
/// frames would take hundreds of times as long.
#[test]
fn a_long_chain_starts() {
    let start = |n: usize| {
        let clock = std::time::Instant::now();
        let started = crate::read::started(&plane_chain::joint::Joint { n });
        assert_eq!(started.system.dims().n, n);
        clock.elapsed().as_secs_f64()
    };
    let times = [start(16), start(64)];
    println!("starts of 16 and 64 links: {times:?} s");
    assert!(times[1] < 60.0 * times[0], "{times:?}");
}

mechanism! {
    /// A chain declared link by link.
    mechanism Written {
        coordinates joint;
        gravity [0, 0, -9.81];
        body link0: SpatialBody { mass: 0.7, jx: 0.01, jy: 0.03, jz: 0.02 };
        body link1: SpatialBody { mass: 0.7, jx: 0.01, jy: 0.03, jz: 0.02 };
        body link2: SpatialBody { mass: 0.7, jx: 0.01, jy: 0.03, jz: 0.02 };
        body link3: SpatialBody { mass: 0.7, jx: 0.01, jy: 0.03, jz: 0.02 };
        body link4: SpatialBody { mass: 0.7, jx: 0.01, jy: 0.03, jz: 0.02 };
        body link5: SpatialBody { mass: 0.7, jx: 0.01, jy: 0.03, jz: 0.02 };
        joint top: universal(ground.at([0, 0, 0], [0, 1, 0]), link0.at([-0.2, 0, 0.1], [1, 0, 0]));
        joint hinge1: revolute(link0.at([0.2, 0, 0], [0, 1, 0.2]), link1.at([-0.2, 0, 0], [0, 1, 0]));
        init hinge1.rate = 0.5;
        joint hinge2: revolute(link1.at([0.2, 0, 0], [0, 1, 0.2]), link2.at([-0.2, 0, 0], [0, 1, 0]));
        init hinge2.rate = 0.5;
        joint hinge3: revolute(link2.at([0.2, 0, 0], [0, 1, 0.2]), link3.at([-0.2, 0, 0], [0, 1, 0]));
        init hinge3.rate = 0.5;
        joint hinge4: revolute(link3.at([0.2, 0, 0], [0, 1, 0.2]), link4.at([-0.2, 0, 0], [0, 1, 0]));
        init hinge4.rate = 0.5;
        joint hinge5: revolute(link4.at([0.2, 0, 0], [0, 1, 0.2]), link5.at([-0.2, 0, 0], [0, 1, 0]));
        init hinge5.rate = 0.5;
        force wind0 = [0.3, 0.1, 0] on link0 at [0.05, 0.02, 0];
        force wind1 = [0.3, 0.1, 0] on link1 at [0.05, 0.02, 0];
        force wind2 = [0.3, 0.1, 0] on link2 at [0.05, 0.02, 0];
        force wind3 = [0.3, 0.1, 0] on link3 at [0.05, 0.02, 0];
        force wind4 = [0.3, 0.1, 0] on link4 at [0.05, 0.02, 0];
        force wind5 = [0.3, 0.1, 0] on link5 at [0.05, 0.02, 0];
        output tip: [m] = link5.position;
        output load: [N] = hinge1.force;
        until 0.5;
    }
}

mechanism! {
    /// The same as an array.
    mechanism Looped {
        coordinates joint;
        gravity [0, 0, -9.81];
        size n = 6;
        body link[n]: SpatialBody { mass: 0.7, jx: 0.01, jy: 0.03, jz: 0.02 };
        joint top: universal(ground.at([0, 0, 0], [0, 1, 0]), link[0].at([-0.2, 0, 0.1], [1, 0, 0]));
        for i in 1..n {
            joint hinge: revolute(link[i - 1].at([0.2, 0, 0], [0, 1, 0.2]), link[i].at([-0.2, 0, 0], [0, 1, 0]));
            init hinge.rate = 0.5;
            output all[i - 1]: [N] = hinge.force;
        }
        for i in 0..n { force wind = [0.3, 0.1, 0] on link[i] at [0.05, 0.02, 0]; }
        output tip: [m] = link[n - 1].position;
        until 0.5;
    }
}

/// What is told is what is written out: the same steps to the same places, at the same cost.
#[test]
fn a_loop_is_what_is_written_out() {
    let run = |m: &dyn Mechanism| {
        let simulation = Simulation::new(m).method(Radau5::default());
        let clock = std::time::Instant::now();
        let run = simulation.step(Step::adaptive(1e-9)).error_estimate(false).run();
        (run.unwrap_or_else(|error| panic!("{error}")), clock.elapsed().as_secs_f64())
    };
    let ((written, w), (looped, l)) = (run(&Written::default()), run(&Looped::default()));
    println!("written out {w:.3} s, by a loop {l:.3} s");
    assert_eq!(written.len(), looped.len());
    for k in 0..3 {
        let (tip, load, all) = (format!("tip[{k}]"), format!("load[{k}]"), format!("all[0][{k}]"));
        near(&tip, last(&looped, &tip), last(&written, &tip), 1e-11);
        let should = last(&written, &load);
        near(&load, last(&looped, &all), should, 1e-10 * should.abs().max(1.0));
    }
}
