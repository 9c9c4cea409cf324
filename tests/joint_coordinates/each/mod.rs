//! Every joint of the catalogue and every coupling of joints, in both coordinate forms.
//!
//! A chain of three bodies that move freely in the whole: the first is thrown, the second hangs on it by a hinge, and the
//! joint in question holds the third on the second. In joint coordinates the second is carried, and the third where the joint
//! can carry it; else the joint closes a loop to a body of its own coordinates. Couplings stand between joints of four
//! bodies. Of each, in both forms:
//!
//! | | is held against |
//! |---|---|
//! | derivatives | differences, and programs against dual numbers at random configurations |
//! | freedom | the rank that the start finds |
//! | force, torque | the balance of Newton and Euler of every body, to round-off |
//! | rigid motion | the same mechanism moved and turned as a whole, gravity and all |
//! | the other form | all outputs at the start, and after a motion |
//!
//! The rows themselves are held against another algorithm in `tests/joints/rows.rs`.

mod balance;
mod couplings;
mod plane;
mod space;

use crate::read::{Outputs, last, near, started};
use balance::Chain;
use mbd::assembly::System;
use mbd::integrate::{Radau5, Step};
use mbd::prelude::*;
use mbd::verify::{assert_all_derivatives, program_error};

fn derivatives(mechanism: &impl Mechanism) {
    assert_all_derivatives(mechanism);
    let mut system = System::new(mechanism.model().expect("a model"));
    for seed in 1..=4 {
        let error = program_error(&mut system, seed);
        assert!(error < 1e-12, "programs differ from dual numbers by {error:e}");
    }
}

/// Freedom, balance of every body, and rigid motion.
fn starts<M: Mechanism + Default>(chain: &Chain, dof: usize) -> Outputs {
    let start = started(&M::default());
    assert_eq!(start.report.dof, dof, "{}", start.report);
    assert!(start.report.redundant.is_empty());
    let out = Outputs::of(&start);
    chain.balance(&out);
    // Where assembly moves a body its inertia has to look alike from all sides: with one that does.
    let (mut still, mut moved) = (M::default(), M::default());
    if still.params().iter().any(|param| param.name == "round") {
        still.set("round", 1.0).expect("a parameter");
        moved.set("round", 1.0).expect("a parameter");
    }
    for (name, value) in chain.moves() {
        moved.set(name, *value).expect("a parameter");
    }
    chain.moved(&Outputs::of(&started(&still)), &Outputs::of(&started(&moved)));
    out
}

fn in_both_forms<A: Mechanism + Default, J: Mechanism + Default>(chain: &Chain, dof: usize) {
    let (absolute, joint) = (starts::<A>(chain, dof), starts::<J>(chain, dof));
    let size = absolute.0.values().fold(1.0_f64, |size, value| size.max(value.abs()));
    assert!(absolute.0.len() > 20 && absolute.0.len() == joint.0.len());
    for (name, value) in &absolute.0 {
        near(name, joint.number(name), *value, 1e-11 * size);
    }
}

fn moves_alike<A: Mechanism + Default, J: Mechanism + Default>() {
    let run = |m: &dyn Mechanism| {
        let simulation = Simulation::new(m).method(Radau5::default());
        let simulation = simulation.step(Step::adaptive(1e-11)).error_estimate(false);
        simulation.run().unwrap_or_else(|error| panic!("{error}"))
    };
    let (absolute, joint) = (run(&A::default()), run(&J::default()));
    for label in A::default().model().expect("a model").outputs() {
        let (is, should) = (last(&joint, &label.name), last(&absolute, &label.name));
        near(&label.name, is, should, 1e-8 * should.abs().max(10.0));
    }
}

/// The tests of a module with a mechanism in each form.
macro_rules! tests {
    ($chain:expr, $dof:expr) => {
        type A = absolute::Absolute;
        type J = joint::Joint;

        #[test]
        fn derivatives() {
            super::super::derivatives(&A::default());
            super::super::derivatives(&J::default());
        }

        #[test]
        fn freedom_balance_and_rigid_motion() {
            super::super::in_both_forms::<A, J>(&$chain, $dof);
        }

        #[test]
        fn motions_are_equal() {
            super::super::moves_alike::<A, J>();
        }
    };
}
use tests;
