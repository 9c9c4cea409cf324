//! Starts: bodies placed by their joints; angles that count turns; drives.

use crate::{Outputs, last, near, started};
use mbd::integrate::{HhtI3, Radau5, Step};
use mbd::prelude::*;

mechanism! {
    /// A flywheel on a torsion spring that is wound up by many turns.
    pub mechanism Wound {
        param k: [N*m/rad] = 2.0;
        body wheel: SpatialBody { mass: 1.0, jx: 0.3, jy: 0.4, jz: 0.5 };
        joint shaft: revolute(ground.at([1, 2, 3], [0, 1, 1]), wheel.at([0, 0, 0], [0, 0, 1]));
        force spring along shaft.angle = -k*shaft.angle;
        init shaft.angle = 20.0;
        init shaft.rate = 1.0;
        output angle: [rad] = shaft.angle;
        output wrapped: [rad] = shaft.wrapped_angle;
        output rate: [rad/s] = shaft.rate;
        until 5.0;
    }
}

/// θ̈ = −(k/J) θ over six turns, whatever the step.
#[test]
fn angles_count_turns_whatever_the_step() {
    let w = (2.0f64 / 0.5).sqrt();
    let exact = |t: f64| 20.0 * (w * t).cos() + (w * t).sin() / w;
    let run = Simulation::new(&Wound::default())
        .method(Radau5::default())
        .step(Step::adaptive(1e-10))
        .until(5.0)
        .run()
        .expect("the wheel turns");
    near("angle", last(&run, "angle"), exact(5.0), 1e-6);
    let wrapped = last(&run, "wrapped");
    near("within a turn", (last(&run, "angle") - wrapped).sin(), 0.0, 1e-9);
    assert!(wrapped.abs() <= std::f64::consts::PI);
    // A quarter of a radian a step, and a hundredth: the method's errors, far from a turn.
    for (h, tolerance) in [(0.00625, 0.4), (0.00025, 1e-3)] {
        let run = Simulation::new(&Wound::default())
            .method(HhtI3::alpha(-0.05).expect("α in range"))
            .step(Step::fixed(h))
            .until(5.0)
            .run()
            .expect("the wheel turns");
        near("angle at fixed steps", last(&run, "angle"), exact(5.0), tolerance);
    }
}

mechanism! {
    /// A four-bar linkage of bodies in space, started by the angle of its crank.
    pub mechanism FourBar {
        param start: [rad] = 0.8;
        param w: [rad/s] = 3.0;
        gravity [0, 0, -9.81];
        body crank: SpatialBody { mass: 1.0, jx: 0.01, jy: 0.02, jz: 0.02 };
        body coupler: SpatialBody { mass: 2.0, jx: 0.02, jy: 0.2, jz: 0.2 };
        body rocker: SpatialBody { mass: 1.0, jx: 0.01, jy: 0.1, jz: 0.1 };
        joint a: revolute(ground.at([0, 0, 0], [0, -1, 0]), crank.at([-0.1, 0, 0], [0, -1, 0]));
        joint b: spherical(crank.at([0.1, 0, 0]), coupler.at([-0.4, 0, 0]));
        joint c: universal(coupler.at([0.4, 0, 0], [0, 0, 1]), rocker.at([0.3, 0, 0], [0, 1, 0]));
        joint d: revolute(ground.at([0.7, 0, 0], [0, -1, 0]), rocker.at([-0.3, 0, 0], [0, -1, 0]));
        init a.angle = start;
        init a.rate = w;
        guess d.angle = 1.2;
        output angle: [rad] = a.angle;
        output rate: [rad/s] = a.rate;
        output rocker_angle: [rad] = d.angle;
        until 0.5;
    }
}

/// What is stated with `init` is kept, the loop is closed by the rest.
#[test]
fn a_loop_closes_about_what_is_kept() {
    for start in [0.2, 0.8, 2.0, 3.5, -1.0] {
        let started = started(&FourBar { start, ..Default::default() });
        let out = Outputs::of(&started);
        near("crank", out.number("angle"), start, 1e-12);
        near("its rate", out.number("rate"), 3.0, 1e-12);
        assert!(started.report.position_residual < 1e-12);
        // The closed loop: crank 0.2, coupler 0.8, rocker 0.6, base 0.7.
        let b = out.number("rocker_angle");
        let (x, z) = (0.7 + 0.6 * b.cos() - 0.2 * start.cos(), 0.6 * b.sin() - 0.2 * start.sin());
        near("coupler", x.hypot(z), 0.8, 1e-12);
    }
}

mechanism! {
    /// Driven through several turns.
    pub mechanism Driven {
        body wheel: SpatialBody { mass: 2.0, jx: 0.3, jy: 0.4, jz: 0.5 };
        body sledge: SpatialBody { mass: 3.0 };
        joint shaft: revolute(ground.at([1, 2, 3], [0, 1, 1]), wheel.at([0.2, 0, 0], [0, 0, 1]));
        joint rail: prismatic(wheel.at([0, 0, 0], [0, 0, 1]), sledge.at([0, 0, 0], [0, 0, 1]));
        drive shaft.angle == 3.0*sq(t);
        drive rail.position == 0.1*sin(2.0*t);
        output angle: [rad] = shaft.angle;
        output torque: [N*m] = shaft.drive_torque;
        output force: [N] = rail.drive_force;
        output position: [m] = rail.position;
        until 2.0;
    }
}

/// The torque of a drive is that on the second body: J θ̈ of what turns about the shaft, and the force
/// m s̈ of what slides.
#[test]
fn drives_report_their_load_on_the_second_body() {
    let run = Simulation::new(&Driven::default())
        .method(Radau5::default())
        .step(Step::adaptive(1e-9))
        .until(2.0)
        .run()
        .expect("the drive turns");
    near("angle", last(&run, "angle"), 12.0, 1e-9);
    // About the shaft: both centres of mass are 0.2 m from it.
    let inertia = 0.5 + 1.0 + 5.0 * 0.2 * 0.2;
    near("torque", last(&run, "torque"), 6.0 * inertia, 1e-6);
    near("force", last(&run, "force"), -3.0 * 0.4 * 4.0f64.sin(), 1e-6);
    near("position", last(&run, "position"), 0.1 * 4.0f64.sin(), 1e-9);
}

mechanism! {
    /// A spatial slider-crank whose drive leaves it no freedom.
    pub mechanism DrivenPress {
        gravity [0, 0, -9.81];
        body crank: SpatialBody { mass: 1.0, jx: 0.002, jy: 0.001, jz: 0.002 };
        body rod: SpatialBody { mass: 0.5, jx: 0.004, jy: 0.004, jz: 0.0001 };
        body slider: SpatialBody { mass: 2.0, jx: 0.002, jy: 0.002, jz: 0.002 };
        joint shaft: revolute(ground.at([0, 0.1, 0.12], [1, 0, 0]), crank.at([0, 0, 0], [1, 0, 0]));
        joint pin: spherical(crank.at([0, 0, 0.08]), rod.at([0, 0, 0.15]));
        joint cross: universal(rod.at([0, 0, -0.15], [0, 1, 0]), slider.at([0, 0, 0], [0, 0, 1]));
        joint rail: prismatic(ground.at([0.2, 0, 0], [1, 0, 0]), slider.at([0, 0, 0], [1, 0, 0]));
        drive shaft.angle == 0.3 + 6.0*t;
        force press along rail.position = -50.0*rail.speed;
        guess rail.position = 0.1;
        output torque: [N*m] = shaft.drive_torque;
        until 2.0;
    }
}

/// Where constraints alone determine the motion, it says nothing of whether the reactions have converged:
/// those of `gen-alpha-soi2` grew to 1e8 N·m at 1e-5 and to 1e120 at 1e-7.
#[test]
fn reactions_of_a_mechanism_without_freedom_converge() {
    let driven = |method: &str, tolerance: f64| {
        let run = Simulation::new(&DrivenPress::default())
            .method(Method::from_name(method).unwrap())
            .step(Step::adaptive(tolerance))
            .run()
            .unwrap_or_else(|e| panic!("{method} {tolerance:e}: {e}"));
        assert!(run.balance.as_ref().is_some_and(|b| b.holds), "{method} {tolerance:e}");
        run.series("torque").unwrap()
    };
    let largest = |torque: &[f64]| torque.iter().fold(0.0f64, |most, y| most.max(y.abs()));
    let exact = driven("radau5", 1e-10);
    for (method, accurate) in [("gen-alpha-soi2", 3e-3), ("hht-soi2", 3e-3), ("radau5", 3e-3)] {
        for tolerance in [1e-3, 1e-5, 1e-7] {
            let torque = driven(method, tolerance);
            let (end, size) = (torque[torque.len() - 1], largest(&torque));
            let off = (end - exact[exact.len() - 1]).abs() / largest(&exact);
            println!("{method} {tolerance:e}: {off:.1e} off at the end, at most {size:.4} N·m");
            assert!(off < accurate, "{method} {tolerance:e}: {off:e}");
            assert!(size < 1.1 * largest(&exact), "{method} {tolerance:e}: {size}");
        }
    }
}

mechanism! {
    component Leg {
        param length: [m] = 0.5;
        body upper: PlanarBody { mass: 1.0, inertia: 0.02 };
        body lower: PlanarBody { mass: 0.5, inertia: 0.01 };
        joint knee: revolute(upper.at([0.5*length, 0]), lower.at([-0.5*length, 0]));
        guess knee.angle = 0.3;
        output bend: [rad] = knee.angle;
        output load: [N] = norm(knee.force);
    }
    /// Legs as components in an array, hung on the ground in a loop; a chain of bars in a loop.
    pub mechanism Legs {
        size n = 3;
        gravity [0, -9.81];
        body leg[n]: Leg;
        body bar[n]: PlanarBody { mass: 1.0, inertia: 0.1 };
        for i in 0..n {
            joint hip: revolute(ground.at([1.0*i, 0]), leg[i].upper.at([-0.25, 0]));
            output hip_load[i]: [N] = norm(hip.force);
        }
        joint first: revolute(ground, bar[0].at([-0.5, 0]));
        init first.angle = -0.4;
        for i in 1..n {
            joint next: revolute(bar[i - 1].at([0.5, 0]), bar[i].at([-0.5, 0]));
            guess next.angle = 0.2;
            output tension[i - 1]: [N] = norm(next.force);
        }
        output tip: [m] = bar[n - 1].y;
        until 0.1;
    }
}

#[test]
fn joints_stand_in_components_arrays_and_loops() {
    let legs = Legs::default();
    mbd::verify::assert_all_derivatives(&legs);
    let started = started(&legs);
    assert_eq!(started.report.dof, 9);
    let out = Outputs::of(&started);
    for i in 0..3 {
        near("knee", out.number(&format!("leg.bend[{i}]")), 0.3, 1e-12);
        assert!(out.number(&format!("leg.load[{i}]")) > 0.1);
        assert!(out.number(&format!("hip_load[{i}]")) > 0.1);
    }
    // Bars at −0.4, −0.2 and 0 rad, each of 1 m.
    near("tip", out.number("tip"), -(0.4f64.sin() + 0.2f64.sin()), 1e-12);
}

mechanism! {
    /// A pinion drives a rack and another gear.
    pub mechanism Gears {
        param r: [m] = 0.1;
        param ratio = 2.5;
        body pinion: PlanarBody { mass: 1.0, inertia: 0.2 };
        body gear: PlanarBody { mass: 2.0, inertia: 0.5 };
        body rack: PlanarBody { mass: 3.0, inertia: 1.0 };
        let seat = gear.at([0, 0]);
        joint left: revolute(ground, pinion);
        joint right: revolute(ground.at([1, 0]), seat);
        joint rail: prismatic(ground.at([0, 1], [1, 0]), rack);
        holonomic mesh: right.angle == -ratio*left.angle;
        holonomic tooth: rail.position == r*left.angle;
        torque motor = 4.0 on pinion;
        guess right.angle = 0.0;
        output turned: [rad] = left.angle;
        output other: [rad] = right.angle;
        output slid: [m] = rail.position;
        output on_gear: [N*m] = -lambda(mesh);
        output alpha: [rad/s^2] = der(right.rate);
        until 4.0;
    }
}

/// Closed form: all is one inertia about the pinion.
#[test]
fn gears_and_racks_couple_coordinates() {
    let run = Simulation::new(&Gears::default())
        .method(Radau5::default())
        .step(Step::adaptive(1e-9))
        .until(4.0)
        .run()
        .expect("the gears turn");
    let inertia = 0.2 + 2.5 * 2.5 * 0.5 + 3.0 * 0.1 * 0.1;
    let angle = 0.5 * 4.0 / inertia * 16.0;
    near("pinion", last(&run, "turned"), angle, 1e-7);
    near("gear", last(&run, "other"), -2.5 * angle, 1e-6);
    near("rack", last(&run, "slid"), 0.1 * angle, 1e-7);
    near("torque on the gear", last(&run, "on_gear"), 0.5 * last(&run, "alpha"), 1e-9);
}

mechanism! {
    /// Two wheels geared in space, by their rates.
    pub mechanism Bevel {
        body first: SpatialBody { mass: 1.0, jx: 0.3, jy: 0.4, jz: 0.5 };
        body second: SpatialBody { mass: 1.0, jx: 0.3, jy: 0.4, jz: 0.2 };
        joint left: revolute(ground, first);
        joint right: revolute(ground.at([1, 0, 0], [1, 0, 0]), second.at([0, 0, 0], [0, 0, 1]));
        nonholonomic mesh: right.rate == -2.0*left.rate;
        force motor along left.angle = 3.0;
        output turned: [rad] = left.angle;
        output other: [rad] = right.angle;
        until 4.0;
    }
}

#[test]
fn gears_in_space_couple_rates() {
    let run = Simulation::new(&Bevel::default())
        .method(Radau5::default())
        .step(Step::adaptive(1e-9))
        .until(4.0)
        .run()
        .expect("the gears turn");
    let angle = 0.5 * 3.0 / (0.5 + 4.0 * 0.2) * 16.0;
    near("first", last(&run, "turned"), angle, 1e-6);
    near("second", last(&run, "other"), -2.0 * angle, 1e-5);
}

/// The norms of Euler parameters are not shown.
#[test]
fn housekeeping_is_marked() {
    let started = started(&Bevel::default());
    let model = started.system.model();
    assert!(model.is_housekeeping("first.norm") && model.is_housekeeping("second.norm"));
    assert!(model.is_housekeeping("left.angle_turns"));
    assert!(!model.is_housekeeping("left"));
}

mechanism! {
    /// A top on its tip, of which nothing is said but its spin, and two wheels on one axis in the air.
    pub mechanism Spun {
        param spin: [rad/s] = 40.0;
        body top: SpatialBody { mass: 1.0, jx: 0.3, jy: 0.3, jz: 0.2 };
        body one: SpatialBody { mass: 1.0, jx: 0.3, jy: 0.3, jz: 0.2 };
        body other: SpatialBody { mass: 1.0, jx: 0.3, jy: 0.3, jz: 0.2 };
        joint tip: spherical(ground.at([0, 0, 0]), top.at([0, 0, -0.5]));
        joint axle: revolute(one.at([0, 0, 0.1], [0, 0, 1]), other.at([0, 0, 0], [0, 0, 1]));
        init top.omega = [0, 0, spin];
        init other.omega = [0, 0, spin];
        output of_top: [rad/s] = top.omega[2];
        output of_one: [rad/s] = one.omega[2];
        output of_other: [rad/s] = other.omega[2];
        output height: [m] = top.z;
        until 0.1;
    }
}

/// A joint puts a body in its place, and leaves it the velocity that is stated for it.
#[test]
fn a_stated_velocity_is_kept_where_a_joint_gives_the_place() {
    let outputs = Outputs::of(&started(&Spun::default()));
    near("spin", outputs.number("of_top"), 40.0, 1e-12);
    near("height", outputs.number("height"), 0.5, 1e-12);
    near("the wheel", outputs.number("of_other"), 40.0, 1e-12);
    near("the other", outputs.number("of_one"), 0.0, 1e-12);
}
