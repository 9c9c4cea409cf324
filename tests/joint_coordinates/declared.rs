//! What is declared in loops, against the same written out, in both forms of coordinates.

use crate::read::{last, near};
use mbd::integrate::{Radau5, Step};
use mbd::prelude::*;

forms! {
    // A body, a parameter, a state, an unknown, a discrete value and a joint that counts turns in every pass.
    declared {
        size n = 3;
        param l: [m] = 0.2;
        gravity [0, 0, -9.81];
        for i in 1..n + 1 {
            param c: [N*m*s/rad] = 0.1;
            body bob: SpatialBody { mass: 1.0 + 0.5*i, jx: 0.1, jy: 0.1, jz: 0.1 };
            joint hinge: revolute(ground.at([0, i, 0], [0, 1, 0]), bob.at([-l/2, 0, 0], [0, 1, 0]));
            force spring along hinge.angle = -20*hinge.angle - c*hinge.rate;
            state lag: [rad];
            der(lag) = 3.0*(hinge.angle - lag);
            variable fast: [rad/s] == 2*hinge.rate;
            init hinge.angle = 2.0*i;
            init lag = 0.1*i;
            mode hits = 0.0;
            event far when hinge.angle < 0.0 { hits = hits + 1.0; }
            output angle[i - 1]: [rad] = hinge.angle;
            output hit[i - 1] = hits;
            output late[i - 1]: [rad] = lag;
            output load[i - 1]: [N] = hinge.force;
            output rate[i - 1]: [rad/s] = fast;
        }
        output second: [m] = bob[1].position;
        until 1.0;
    }
    written {
        param l: [m] = 0.2;
        param c: [N*m*s/rad] = 0.1;
        gravity [0, 0, -9.81];
        body bob1: SpatialBody { mass: 1.5, jx: 0.1, jy: 0.1, jz: 0.1 };
        body bob2: SpatialBody { mass: 2.0, jx: 0.1, jy: 0.1, jz: 0.1 };
        body bob3: SpatialBody { mass: 2.5, jx: 0.1, jy: 0.1, jz: 0.1 };
        joint hinge1: revolute(ground.at([0, 1, 0], [0, 1, 0]), bob1.at([-l/2, 0, 0], [0, 1, 0]));
        joint hinge2: revolute(ground.at([0, 2, 0], [0, 1, 0]), bob2.at([-l/2, 0, 0], [0, 1, 0]));
        joint hinge3: revolute(ground.at([0, 3, 0], [0, 1, 0]), bob3.at([-l/2, 0, 0], [0, 1, 0]));
        force along hinge1.angle = -20*hinge1.angle - c*hinge1.rate;
        force along hinge2.angle = -20*hinge2.angle - c*hinge2.rate;
        force along hinge3.angle = -20*hinge3.angle - c*hinge3.rate;
        state lag3: [rad];
        der(lag3) = 3.0*(hinge3.angle - lag3);
        init lag3 = 0.3;
        init hinge1.angle = 2.0;
        init hinge2.angle = 4.0;
        init hinge3.angle = 6.0;
        mode hits2 = 0.0;
        event far when hinge2.angle < 0.0 { hits2 = hits2 + 1.0; }
        output angle1: [rad] = hinge1.angle;
        output angle3: [rad] = hinge3.angle;
        output hit2 = hits2;
        output late3: [rad] = lag3;
        output load2: [N] = hinge2.force;
        output rate3: [rad/s] = 2*hinge3.rate;
        output second: [m] = bob2.position;
        until 1.0;
    }
}

fn run(mechanism: &impl Mechanism) -> mbd::solution::Solution {
    let run = Simulation::new(mechanism).method(Radau5::default()).step(Step::adaptive(1e-10));
    run.run().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_loop_that_declares_is_what_is_written_out() {
    let runs =
        [run(&declared::absolute::Absolute::default()), run(&declared::joint::Joint::default())];
    let written = run(&written::absolute::Absolute::default());
    let pairs = [
        ("angle[0]", "angle1"),
        ("angle[2]", "angle3"),
        ("hit[1]", "hit2"),
        ("late[2]", "late3"),
        ("load[1][0]", "load2[0]"),
        ("load[1][2]", "load2[2]"),
        ("rate[2]", "rate3"),
        ("second[0]", "second[0]"),
        ("second[2]", "second[2]"),
    ];
    for run in &runs {
        for (looped, alone) in pairs {
            near(looped, last(run, looped), last(&written, alone), 1e-7);
        }
        // Two turns and back: nothing is lost of it.
        near("turns", run.series("angle[2]").expect("an output")[0], 6.0, 1e-12);
    }
}

mechanism! {
    /// Arrays that a loop declares are arrays: other passes are named by their numbers, other loops and sizes too.
    mechanism Row {
        size n = 4;
        param k: [N/m] = 100.0;
        for i in 0..n {
            coord x: [m];
            kinetic mass = 0.5*sq(der(x));
            init x = 0.1*i;
            let double = [x, 2*x];
            output twice[i]: [m] = double[1];
            // A name of its own hides that of the loop.
            output other[i]: [m] = { let x = 3.0*x; x } + 0.0*[1.0, 2.0].map(|x| x)[0] + {
                let mut none = 0.0*x;
                for x in 0..3 { none = none + 0.0*x; }
                if let Some(x) = Some(0.0) { none = none + x; }
                none
            };
        }
        for i in 1..n { potential spring = 0.5*k*sq(x[i] - x[i - 1]); }
        until 1.0;
    }
}

#[test]
fn entries_of_other_passes() {
    for n in [2, 4, 7] {
        let run = run(&Row { n, ..Default::default() });
        let ends = ["x[0]".to_string(), format!("x[{}]", n - 1)].map(|name| last(&run, &name));
        // A row of equal masses with equal springs, stretched evenly: it is mirrored about its middle.
        near("the middle", ends[0] + ends[1], 0.1 * (n - 1) as f64, 1e-8);
        near("twice", last(&run, "twice[1]"), 2.0 * last(&run, "x[1]"), 1e-14);
        near("three times", last(&run, "other[1]"), 3.0 * last(&run, "x[1]"), 1e-14);
    }
    assert!(
        Row { n: 3, ..Default::default() }
            .check(&CheckOptions::default())
            .expect("a check")
            .passed()
    );
}

mechanism! {
    /// At rest its energies are small beside those at the velocities that they are differenced at.
    mechanism Resting {
        coordinates joint;
        size n = 3;
        param l: [m] = 0.2;
        gravity [0, 0, -9.81];
        body link[n]: SpatialBody { mass: 1.0, jx: 0.1, jy: 0.1, jz: 0.1 };
        joint first: revolute(ground.at([0, 0, 0], [0, 1, 0]), link[0].at([-l/2, 0, 0], [0, 1, 0]));
        for i in 1..n {
            joint hinge: revolute(link[i - 1].at([l/2, 0, 0], [0, 1, 0]), link[i].at([-l/2, 0, 0], [0, 1, 0]));
            init hinge.angle = 0.1*i;
            output load: [N] = hinge.force;
        }
        init first.angle = 0.2;
        until 1.0;
    }
}

#[test]
fn a_chain_at_rest_passes_its_check() {
    let report = Resting::default().check(&CheckOptions::default()).expect("a check");
    assert!(report.passed(), "{report}");
    assert!(
        Resting::default()
            .model()
            .expect("a model")
            .outputs()
            .iter()
            .any(|o| o.name == "load[1][2]")
    );
}
