//! Whole runs: recording, end times, initial values, interruption, failure.

use super::models::*;
use crate::assembly::SlotKind::{Q, V};
use crate::error::{Error, OptionError, StepError};
use crate::integrate::{HhtI3, Step};
use crate::model::{Keep, Model, ModelBuilder};
use crate::simulation::{Record, Simulation};
use crate::solution::{Solution, Status};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn run(simulation: Simulation<'_>) -> Solution {
    simulation.run().unwrap()
}

#[test]
fn output_times_do_not_restrict_steps_and_the_end_is_hit() {
    let of = |record| {
        Simulation::of_model(bushing_pendulum_model())
            .step(Step::local_error(1e-6))
            .until(1.0)
            .record(record)
    };
    let all = run(of(Record::EveryStep));
    let some = run(of(Record::Every(0.03)));
    let ends = run(of(Record::Ends));
    assert_eq!(all.stats.steps, some.stats.steps);
    assert_eq!(all.len(), all.stats.steps + 1);
    assert_eq!(all.steps.len(), all.stats.steps);
    let times = some.times();
    assert_eq!(times.len(), 35, "0, 0.03, …, 0.99, 1");
    for (k, t) in times[..34].iter().enumerate() {
        assert!((t - 0.03 * k as f64).abs() < 1e-15);
    }
    assert_eq!(ends.times(), [0.0, 1.0]);
    for solution in [&all, &some, &ends] {
        assert_eq!(solution.final_t(), 1.0);
        assert_eq!(solution.final_q(), all.final_q());
        assert_eq!(solution.status, Status::Finished);
    }
    // Interpolation adds less than the error of the run itself.
    let fine = run(Simulation::of_model(bushing_pendulum_model())
        .step(Step::fixed(0.03 / 256.0))
        .until(0.99)
        .every(0.03));
    for name in ["theta", "der(theta)"] {
        let (a, b) = (some.series(name).unwrap(), fine.series(name).unwrap());
        let worst = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        println!("{name}: {worst:.1e}");
        assert!(worst < 5e-3, "{name} differs by {worst}");
    }
    println!("{}", all.stats);
}

#[test]
fn equal_steps_end_where_they_should() {
    let counts: Vec<(f64, f64, usize)> =
        vec![(1.0, 0.1, 10), (0.3, 0.1, 3), (1.0, 0.3, 4), (1e-3, 1e-4, 10), (0.05, 0.1, 1)];
    for (t_end, h, steps) in counts {
        let solution = run(Simulation::of_model(mass_pi_model()).step(Step::fixed(h)).until(t_end));
        assert_eq!((solution.stats.steps, solution.final_t()), (steps, t_end));
    }
}

#[test]
fn sequences_end_by_themselves_or_repeat() {
    let of = |step| Simulation::of_model(mass_pi_model()).step(step);
    let once = run(of(Step::sequence([0.1, 0.2, 0.1])));
    assert_eq!(once.stats.steps, 3);
    assert!((once.final_t() - 0.4).abs() < 1e-15);
    let cycled = run(of(Step::cycle([0.1, 0.2])).until(1.2));
    assert_eq!((cycled.stats.steps, cycled.final_t()), (8, 1.2));
}

#[test]
fn a_pendulum_keeps_its_energy_while_multipliers_are_damped() {
    let of = |method: HhtI3| {
        let step = Step::local_error(1e-6);
        run(Simulation::of_model(pendulum_model()).method(method).step(step).until(20.0))
    };
    let loss = [of(HhtI3::alpha(-0.05).unwrap()), of(HhtI3::default())].map(|solution| {
        println!("{} drift {:?}", solution.stats, solution.drift);
        assert!(solution.drift.position < 1e-7);
        let energy = solution.series("energy").unwrap();
        energy.iter().fold(0.0, |m: f64, e| m.max((e - energy[0]).abs()))
    });
    println!("largest change of energy {loss:?}");
    assert!(loss[0] < 1e-3 && loss[1] < 1e-3, "{loss:?}");
}

#[test]
fn initial_values_are_set_by_name() {
    let solution = run(Simulation::of_model(pendulum_model())
        .set_initial("x", 0.6)
        .set_initial("y", -0.8)
        .set_initial("der(x)", 0.4)
        .step(Step::fixed(0.01))
        .until(0.01));
    let row = solution.row(0);
    let q = &row[solution.range(crate::solution::ColumnKind::Slot(Q))];
    let v = &row[solution.range(crate::solution::ColumnKind::Slot(V))];
    assert_eq!(q, [0.6, -0.8]);
    assert!((v[0] - 0.4).abs() < 1e-14 && (v[1] - 0.3).abs() < 1e-12, "{v:?}");
    let solution = run(Simulation::of_model(mass_pi_model()).set_initial("X", 0.25).until(0.1));
    assert_eq!(solution.series("X").unwrap()[0], 0.25);

    let error = Simulation::of_model(pendulum_model()).set_initial("der(z)", 1.0).run();
    let error = error.unwrap_err();
    assert!(error.partial.is_none());
    let Error::Option(OptionError::UnknownName { suggestion, .. }) = &error.error else {
        panic!("{error}");
    };
    assert_eq!(suggestion.as_deref(), Some("der(x)"));
}

#[test]
fn a_run_is_interrupted_between_steps_and_keeps_what_it_has() {
    let flag = Arc::new(AtomicBool::new(false));
    let (mut calls, seen) = (0, flag.clone());
    let solution = run(Simulation::of_model(pendulum_model())
        .interrupt(flag)
        .progress(|p| {
            calls += 1;
            assert_eq!(p.steps, calls);
            assert!(p.fraction() > 0.0 && p.fraction() < 1.0);
            seen.store(p.steps == 7, Ordering::Relaxed);
        })
        .every(0.5));
    assert_eq!((solution.status, solution.stats.steps, calls), (Status::Interrupted, 7, 7));
    assert_eq!(solution.final_t(), solution.steps[6].t);
    assert!(solution.error.is_none());
}

#[test]
fn the_end_comes_from_the_model_or_must_be_given() {
    assert_eq!(run(Simulation::of_model(pendulum_model())).final_t(), 2.0);
    for simulation in [
        Simulation::of_model(mass_pi_model()),
        Simulation::of_model(mass_pi_model()).until(-1.0),
        Simulation::of_model(mass_pi_model()).until(1.0).every(0.0),
        Simulation::of_model(mass_pi_model()).until(1.0).step(Step::local_error(-1.0)),
    ] {
        let error = simulation.run().unwrap_err();
        println!("{error}");
        assert!(matches!(error.error, Error::Option(OptionError::OutOfRange { .. })));
    }
    let at = run(Simulation::of_model(mass_pi_model()).t_start(1.0).until(1.5).every(0.25));
    assert_eq!(at.times(), [1.0, 1.25, 1.5]);
}

kernel! { Root: 1 -> 1, |[x]| [-1.0 * x.sqrt()] }

fn failing() -> Model {
    let mut b = ModelBuilder::new("Particle", "");
    b.coord("x", "m", "");
    b.init_q(0, 1.0, Keep::Kept);
    b.init_v(0, -1.0, Keep::Kept);
    b.mass("m", Constant(1.0), one([]), vec![(0, 0)]);
    b.force("suction", Root, one([(Q, 0)]), vec![[0]]);
    b.finish().unwrap()
}

#[test]
fn a_failed_run_returns_what_it_computed() {
    let failed = Simulation::of_model(failing()).until(5.0).every(0.1).run().unwrap_err();
    let partial = failed.partial.unwrap();
    assert_eq!(partial.status, Status::Failed);
    // As text: the value, NaN, equals nothing.
    assert_eq!(partial.error.as_ref().unwrap().to_string(), failed.error.to_string());
    assert!(matches!(failed.error, Error::Step(StepError::NotFinite { .. })), "{}", failed.error);
    assert!(partial.final_t() > 0.7 && partial.len() >= 9);
    assert!(partial.final_q()[0].abs() < 1e-3);

    let failed = Simulation::of_model(failing()).until(0.5).max_steps(5).run().unwrap_err();
    assert!(matches!(failed.error, Error::Step(StepError::TooManySteps { steps: 5, .. })));
    assert_eq!(failed.partial.unwrap().len(), 6);
}
