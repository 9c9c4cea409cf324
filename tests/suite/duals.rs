//! Motions with every derivative taken on dual numbers, beside the same by programs.

use crate::models::{
    Andrews, BushingPendulum, Chain, Clutch, HeavyTop, Skate, SliderCrank, StickSlip,
};
use crate::support::{assert_close, last};
use mbd::assembly::{Derivatives, SlotKind};
use mbd::checkpoint::CheckpointSink;
use mbd::integrate::{Method, Step};
use mbd::model::Mechanism;
use mbd::simulation::{Record, Simulation};
use mbd::solution::{ColumnKind, OutputError, Solution};

#[track_caller]
fn run(
    mechanism: &impl Mechanism,
    method: &str,
    step: Step,
    t_end: f64,
    by: Derivatives,
) -> Solution {
    let method = Method::from_name(method).unwrap();
    let simulation = Simulation::new(mechanism).method(method).step(step).until(t_end);
    let run = simulation.record(Record::Ends).derivatives(by).run();
    run.unwrap_or_else(|failed| panic!("{by:?}: {failed}"))
}

/// The ends of two runs agree, positions, velocities and states, relative to the largest. Whether they differ at
/// all, which shows that there were two computations.
#[track_caller]
fn same_motion(
    mechanism: &impl Mechanism,
    method: &str,
    step: Step,
    t_end: f64,
    tolerance: f64,
) -> bool {
    let [a, b] = [Derivatives::Programs, Derivatives::Dual].map(|by| {
        let run = run(mechanism, method, step.clone(), t_end, by);
        assert_eq!(run.derivatives, by);
        run
    });
    for kind in [SlotKind::Q, SlotKind::V, SlotKind::X] {
        let what = format!("{}, {method}, {kind:?}", a.model);
        let kind = ColumnKind::Slot(kind);
        assert_close(&what, b.last(kind), a.last(kind), tolerance);
    }
    a.row(a.len() - 1) != b.row(b.len() - 1)
}

#[test]
fn equal_steps_give_the_same_motion_to_round_off() {
    let h = Step::fixed;
    let chain = Chain { n: 6, ..Default::default() };
    let differ = [
        same_motion(&SliderCrank::default(), "gen-alpha-soi2", h(1e-3), 0.2, 1e-10),
        same_motion(&SliderCrank::default(), "radau5", h(1e-3), 0.1, 1e-10),
        same_motion(&Andrews::default(), "hht-i3", h(1e-4), 5e-3, 1e-10),
        same_motion(&HeavyTop::default(), "bdf-ggl", h(1e-3), 0.1, 1e-10),
        same_motion(&chain, "gen-alpha-soi2", h(1e-3), 0.1, 1e-10),
        // A nonholonomic row, a bushing in space, and what sticks and slips.
        same_motion(&Skate::default(), "gen-alpha-soi2", h(1e-3), 0.2, 1e-10),
        same_motion(&BushingPendulum::default(), "state-space", h(1e-3), 0.05, 1e-10),
        same_motion(&Clutch::default(), "radau5", h(1e-3), 0.2, 1e-10),
    ];
    assert!(differ.iter().filter(|differ| **differ).count() > 4, "{differ:?}");
}

#[test]
fn chosen_steps_give_the_same_motion_to_the_tolerance() {
    let step = Step::adaptive(1e-6);
    assert!(same_motion(&SliderCrank::default(), "gen-alpha-soi2", step, 0.5, 1e-5));
    same_motion(&StickSlip::default(), "radau5", Step::adaptive(1e-7), 3.0, 1e-5);
}

/// Keeps the last checkpoint.
struct Last(Vec<u8>);

impl CheckpointSink for Last {
    fn is_due(&mut self) -> bool {
        true
    }

    fn save(&mut self, checkpoint: &[u8]) -> Result<(), OutputError> {
        self.0 = checkpoint.to_vec();
        Ok(())
    }
}

#[test]
fn a_checkpoint_goes_on_with_the_derivatives_that_it_was_made_with() {
    fn simulation<'a>(by: Derivatives) -> Simulation<'a> {
        let crank = SliderCrank::default();
        Simulation::new(&crank).step(Step::fixed(1e-3)).until(0.1).derivatives(by)
    }
    let mut kept = Last(Vec::new());
    let whole = simulation(Derivatives::Dual).checkpoint(&mut kept).run().unwrap();
    let resumed = simulation(Derivatives::Dual).resume(kept.0.clone()).run().unwrap();
    assert_eq!(last(&resumed, "theta"), last(&whole, "theta"));
    let refused = simulation(Derivatives::Programs).resume(kept.0).run().unwrap_err();
    assert!(refused.to_string().contains("derivatives by"), "{refused}");
}

#[test]
fn a_model_led_from_outside_can_be_evaluated_on_dual_numbers() {
    let crank = SliderCrank::default();
    let angle = |by| {
        let mut stepper = Simulation::new(&crank).derivatives(by).stepper().unwrap();
        stepper.step_to(0.1).unwrap();
        let theta = stepper.quantity("theta").unwrap();
        stepper.state().get(theta)
    };
    let [a, b] = [angle(Derivatives::Programs), angle(Derivatives::Dual)];
    assert!(a != b && (a - b).abs() < 1e-5 * a.abs(), "{a} {b}");
}
