//! The catalogue of joints.
//!
//! | module | what it holds against the catalogue |
//! |---|---|
//! | `space` | every spatial joint: derivatives, freedom removed, the balance of the second body, rigid motion |
//! | `plane` | the same in the plane |
//! | `start` | bodies placed by their joints, angles that count turns, drives |
//! | `tree` | joint coordinates against absolute ones |
//! | `vectors` | vectors in the language, forces and torques on bodies, gravity |
//! | `adams` | motions and reactions of one body on each joint, against another program |
//! | `vehicles` | a bicycle and a wheel suspension made of the catalogue, against published values |

mod adams;
mod plane;
mod space;
mod start;
mod tree;
mod vectors;
mod vehicles;

use mbd::Simulation;
use mbd::model::Mechanism;
use mbd::simulation::Started;
use mbd::solution::Solution;
use std::collections::HashMap;

/// Outputs at the start, by name: vectors are `name[0]`, ….
struct Outputs(HashMap<String, f64>);

impl Outputs {
    fn of(started: &Started) -> Self {
        let mut values = Vec::new();
        started.system.outputs(&started.point, &mut values);
        let labels = started.system.model().outputs().iter();
        Outputs(labels.map(|label| label.name.clone()).zip(values).collect())
    }

    #[track_caller]
    fn number(&self, name: &str) -> f64 {
        *self.0.get(name).unwrap_or_else(|| panic!("no output `{name}`"))
    }

    #[track_caller]
    fn vector<const N: usize>(&self, name: &str) -> nalgebra::SVector<f64, N> {
        nalgebra::SVector::from_fn(|i, _| self.number(&format!("{name}[{i}]")))
    }
}

#[track_caller]
fn started(mechanism: &impl Mechanism) -> Started {
    Simulation::new(mechanism).start().unwrap_or_else(|error| panic!("no start: {error}"))
}

/// The last value of a named scalar of a run.
#[track_caller]
fn last(run: &Solution, name: &str) -> f64 {
    let series = run.series(name).unwrap_or_else(|error| panic!("{error}"));
    *series.last().expect("something was recorded")
}

#[track_caller]
fn near(what: &str, is: f64, should: f64, tolerance: f64) {
    let agrees = (is - should).abs() <= tolerance;
    assert!(agrees, "{what} is {is:e} and should be {should:e} (off by {:.2e})", is - should);
}

/// Vectors equal to `tolerance`, relative to `size`.
#[track_caller]
fn close<const N: usize>(
    what: &str,
    is: nalgebra::SVector<f64, N>,
    should: nalgebra::SVector<f64, N>,
    tolerance: f64,
) {
    let off = (is - should).norm();
    assert!(off <= tolerance, "{what} is {is} and should be {should} (off by {off:.2e})");
}
