//! `radau5` where Newton's iteration, not the error, limits its steps.

use crate::models::*;
use crate::support::*;
use mbd::Simulation;
use mbd::integrate::{Radau5, Step, radau5::Form};
use mbd::model::Mechanism;
use mbd::solution::Stats;

mod governor {
    use mbd::components::force;
    use mbd::components::spatial::{distance, ground, prismatic, revolute};
    use mbd::prelude::*;

    mechanism! {
        /// A fly-ball governor of bodies in space: two arms, hinged to a shaft, hold a sleeve by rods
        /// that give a little and damp much. The forces of the rods turn with the shaft.
        pub mechanism Governor {
            param m: [kg] = 1.0;
            param moment: [kg*m^2] = 0.05;
            param l: [m] = 0.2;
            param height: [m] = 0.25;
            param rod: [m] = 0.12;
            param g: [m/s^2] = 9.81;
            param k: [N/m] = 1e5;
            param c: [N*s/m] = 1e4;
            param spin: [rad/s] = 20.0;
            param drive: [N*m] = 2.0;
            param rate: [rad/s] = 3.0;

            body shaft: SpatialBody { mass: 2.0*m, jx: moment, jy: moment, jz: moment };
            body a: SpatialBody { mass: m, jx: 0.02*moment, jy: 0.4*moment, jz: 0.4*moment };
            body b: SpatialBody { mass: m, jx: 0.02*moment, jy: 0.4*moment, jz: 0.4*moment };
            body sleeve: SpatialBody { mass: m, jx: 0.04*moment, jy: 0.04*moment, jz: 0.04*moment };
            potential weight = m*g*(a.z + b.z + sleeve.z + 2.0*shaft.z);

            let hinge = shaft.frame.at([0.0, 0.0, height]).facing([0.0, 1.0, 0.0]);
            holonomic bearing[5]: revolute(ground(), shaft.frame);
            holonomic hinge_a[5]: revolute(hinge, a.frame.at([-l, 0.0, 0.0]).facing([0.0, 1.0, 0.0]));
            holonomic hinge_b[5]: revolute(hinge, b.frame.at([-l, 0.0, 0.0]).facing([0.0, 1.0, 0.0]));
            holonomic slide[5]: prismatic(shaft.frame, sleeve.frame);
            let rod_a = distance(a.frame.at([-0.5*l, 0.0, 0.0]).origin, sleeve.frame.origin);
            let rod_b = distance(b.frame.at([-0.5*l, 0.0, 0.0]).origin, sleeve.frame.origin);
            force pull_a along rod_a = force::spring_damper(rod_a, der(rod_a), k, c, rod);
            force pull_b along rod_b = force::spring_damper(rod_b, der(rod_b), k, c, rod);
            force motor along shaft.e3 = 2.0*drive*(1.0 + 2.0*sin(rate*t));

            init der(shaft.e3) = 0.5*spin;
            guess shaft.e0 = 1.0;
            guess a.e0 = cos(PI/8);
            guess a.e2 = sin(PI/8);
            guess b.e1 = -sin(PI/8);
            guess b.e3 = cos(PI/8);
            guess b.e0 = 0.0;
            guess a.x = 0.7*l;
            guess a.z = height - 0.7*l;
            guess b.x = -0.7*l;
            guess b.z = height - 0.7*l;
            init sleeve.z = 0.7*rod;
            until 2.0;
        }
    }
}
use governor::Governor;

fn stats(mechanism: &dyn Mechanism, form: Form, tolerance: f64) -> Stats {
    let run = Simulation::new(mechanism).method(Radau5::new(form)).step(Step::adaptive(tolerance));
    run.error_estimate(false).run().unwrap_or_else(|e| panic!("{e}")).stats
}

/// Errors would allow steps of a turn of the shaft; beyond a tenth of one the iteration diverges.
#[test]
fn a_stiff_governor_is_solved_at_loose_tolerances() {
    let mut table = Table::new("governor: radau5, failures of Newton's iteration");
    let mut steps = Vec::new();
    for form in [Form::Acceleration, Form::Velocity] {
        for tolerance in [1e-2, 1e-3, 1e-4, 1e-6] {
            let stats = stats(&Governor::default(), form, tolerance);
            table.row(format!("{form:?} {tolerance:.0e}: {stats}"));
            assert!(stats.newton_failures <= 4, "{form:?} {tolerance:.0e}: {stats}");
            // No more matrices than three a step: an iteration that converges needs no others.
            assert!(stats.jacobians <= 3 * stats.steps, "{form:?} {tolerance:.0e}: {stats}");
            steps.push(stats.steps);
        }
    }
    assert!(steps[0] < steps[3], "{steps:?}");
}

/// The rate of the iteration bounds steps where it has to and nowhere else.
#[test]
fn examples_at_loose_tolerances() {
    let mut table = Table::new("radau5, failures of Newton's iteration, at 1e-2 and 1e-3");
    let (mut failures, mut steps) = (0, 0);
    for form in [Form::Acceleration, Form::Velocity] {
        let mut take = |mechanism: &dyn Mechanism| {
            for tolerance in [1e-2, 1e-3] {
                let stats = stats(mechanism, form, tolerance);
                let name = mechanism.model().unwrap().name().to_string();
                table.row(format!("{name} {form:?} {tolerance:.0e}: {stats}"));
                failures += stats.newton_failures;
                steps += stats.steps;
            }
        };
        take(&CarAxis::default());
        take(&FlexibleSliderCrank::default());
        take(&SevenBody::default());
        take(&TwoBodyBushing::default());
        take(&PointMassOscillation::default());
        take(&SliderCrank::default());
    }
    // 23 and 954 where the error alone chose the steps.
    assert!(failures <= 6, "{failures}");
    assert!(steps <= 1080, "{steps}");
}
