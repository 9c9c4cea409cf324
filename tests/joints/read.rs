//! What tests read of starts and runs.

#![allow(dead_code)]

use mbd::Simulation;
use mbd::model::Mechanism;
use mbd::simulation::Started;
use mbd::solution::Solution;
use std::collections::HashMap;

/// Outputs at the start, by name: vectors are `name[0]`, ….
pub(crate) struct Outputs(pub(crate) HashMap<String, f64>);

impl Outputs {
    pub(crate) fn of(started: &Started) -> Self {
        let mut values = Vec::new();
        started.system.outputs(&started.point, &mut values);
        let labels = started.system.model().outputs().iter();
        Outputs(labels.map(|label| label.name.clone()).zip(values).collect())
    }

    #[track_caller]
    pub(crate) fn number(&self, name: &str) -> f64 {
        *self.0.get(name).unwrap_or_else(|| panic!("no output `{name}`"))
    }

    #[track_caller]
    pub(crate) fn vector<const N: usize>(&self, name: &str) -> nalgebra::SVector<f64, N> {
        nalgebra::SVector::from_fn(|i, _| self.number(&format!("{name}[{i}]")))
    }
}

#[track_caller]
pub(crate) fn started(mechanism: &impl Mechanism) -> Started {
    Simulation::new(mechanism).start().unwrap_or_else(|error| panic!("no start: {error}"))
}

/// The last value of a named scalar of a run.
#[track_caller]
pub(crate) fn last(run: &Solution, name: &str) -> f64 {
    let series = run.series(name).unwrap_or_else(|error| panic!("{error}"));
    *series.last().expect("something was recorded")
}

#[track_caller]
pub(crate) fn near(what: &str, is: f64, should: f64, tolerance: f64) {
    let agrees = (is - should).abs() <= tolerance;
    assert!(agrees, "{what} is {is:e} and should be {should:e} (off by {:.2e})", is - should);
}

/// Vectors equal to `tolerance`, relative to `size`.
#[track_caller]
pub(crate) fn close<const N: usize>(
    what: &str,
    is: nalgebra::SVector<f64, N>,
    should: nalgebra::SVector<f64, N>,
    tolerance: f64,
) {
    let off = (is - should).norm();
    assert!(off <= tolerance, "{what} is {is} and should be {should} (off by {off:.2e})");
}
