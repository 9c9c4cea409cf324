//! Forces on points that move within their body: `force … on body at p`, where `p` depends on the motion.

use mbd::components::force;
use mbd::prelude::*;
use mbd::simulation::Simulation;
use mbd::solution::Solution;
use mbd::verify::assert_all_derivatives;

mechanism! {
    /// A ball on a table that slips, with spin, and then rolls.
    pub mechanism Bowling {
        param m: [kg] = 5.0;
        param r: [m] = 0.11;
        param mu = 0.2;
        gravity [0, 0, -9.81];
        body ball: SpatialBody { mass: m, jx: 0.4*m*r*r, jy: 0.4*m*r*r, jz: 0.4*m*r*r };
        unilateral table: ball.z - r;
        let down = [0.0, 0.0, -1.0*r];
        let slip = ball.velocity + cross(ball.omega_ground, down);
        let most = mu*lambda(table);
        let f = force::plane_friction([slip[0], slip[1]], most, most);
        force rub = [f[0], f[1], 0.0] on ball at ball.frame.to_local(down);
        init ball.position = [0, 0, r];
        init ball.velocity = [4, 0, 0];
        init ball.omega = [10, 5, 3];
        output slipping: [m/s] = norm(slip);
    }
}

/// The same load on a bar that turns about its end, where a bead slides on it: as a force on the point of the bar, or as a force and its moment.
macro_rules! bars {
    ($($name:ident { $($coordinates:tt)* } { $($load:tt)* })*) => { $(
        mechanism! {
            pub mechanism $name {
                $($coordinates)*
                gravity [0, -9.81];
                body bar: PlanarBody { mass: 2.0, inertia: 0.3 };
                joint hinge: revolute(ground, bar.at([-0.6, 0]));
                coord s: [m];
                kinetic bead = 0.5*0.4*sq(der(s));
                potential spring = 10.0*sq(s - 0.2);
                state e: [m];
                der(e) = 3.0*(s - e);
                let p = [s + 0.1*sin(bar.theta), 0.5*e];
                let f = [3.0 + s, -4.0 + 0.2*hinge.rate];
                $($load)*
                init hinge.angle = 0.4;
                init s = 0.1;
                init der(s) = 0.5;
                output turned: [rad] = bar.theta;
                output load: [N] = hinge.force[1];
            }
        }
    )* };
}

bars! {
    AtPoint {} { force push = f on bar at p; }
    AtPointByJoints { coordinates joint; } { force push = f on bar at p; }
    ByMoment {} {
        let arm = bar.vector(p);
        force push = f on bar;
        torque moment = arm[0]*f[1] - arm[1]*f[0] on bar;
    }
}

fn run(model: &impl Mechanism, method: &str, step: Step, t_end: f64) -> Solution {
    let by = Method::from_name(method).unwrap();
    let run = Simulation::new(model).method(by).step(step).until(t_end).run();
    run.unwrap_or_else(|error| panic!("{method}: {error}"))
}

fn last(run: &Solution, name: &str) -> f64 {
    *run.series(name).unwrap().last().unwrap()
}

/// Slip falls by 7/2 μg, wherever it points, and the centre has lost 2/7 of it when the ball rolls.
#[test]
fn a_ball_slips_and_rolls() {
    let model = Bowling::default();
    // What of its speed at the table depends on the motion twice is zero, and computed as a sum that cancels.
    assert_all_derivatives(&model);
    let slip = [4.0 - 0.11 * 5.0, 0.11 * 10.0];
    let rolls = f64::hypot(slip[0], slip[1]) / (3.5 * 0.2 * 9.81);
    for method in ["gen-alpha-soi2", "hht-i3", "radau5", "bdf-ggl", "explicit-rk"] {
        let end = run(&model, method, Step::adaptive(1e-6), 2.0);
        for (name, before, slip) in [("der(ball.x)", 4.0, slip[0]), ("der(ball.y)", 0.0, slip[1])] {
            let off = (last(&end, name) - (before - 2.0 / 7.0 * slip)).abs();
            assert!(off < 5e-4, "{method}: {name} is off by {off:e}");
        }
        assert!((end.events[0].t - rolls).abs() < 2e-3, "{method}: {:?}", end.events);
        assert!(last(&end, "slipping") < 1e-7, "{method}");
    }
}

/// A force on a point of a body acts on that body, whatever moves the point along it.
#[test]
fn a_force_on_a_point_that_moves_is_a_force_and_its_moment() {
    assert_all_derivatives(&AtPoint::default());
    assert_all_derivatives(&AtPointByJoints::default());
    let step = || Step::adaptive(1e-10);
    let written = run(&ByMoment::default(), "radau5", step(), 2.0);
    for run in [
        run(&AtPoint::default(), "radau5", step(), 2.0),
        run(&AtPointByJoints::default(), "radau5", step(), 2.0),
    ] {
        for name in ["turned", "s", "e", "load"] {
            let off = (last(&run, name) - last(&written, name)).abs();
            assert!(off < 1e-7, "{name} is off by {off:e}");
        }
    }
}
