//! What a run has done so far and will do, which the companion's own work is held against.

use crate::assembly::{Point, System};
use crate::integrate::scheme::Stepper;
use crate::integrate::timetable::Timetable;
use crate::scales::Scales;
use crate::solution::Stats;

/// Work in units of a residual: of a matrix, of a factorization, of a correction of the companion that takes it
/// onto the constraints, and of what else a step of the run does.
pub(super) const MATRIX: f64 = 3.0;
pub(super) const FACTORIZATION: f64 = 2.0;
pub(super) const PROJECTION: f64 = 1.0;
const STEP: f64 = 2.0;

/// Factor by which the steps to come may be more than there would be of the length of the last.
const UNEVEN: f64 = 2.0;

/// A part of the run: its length in time, and its steps.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    pub(super) time: f64,
    pub(super) steps: f64,
}

impl Extent {
    pub(super) fn add(&mut self, part: Extent) {
        self.time += part.time;
        self.steps += part.steps;
    }

    /// The part of `whole` that it is: by time or by steps, whichever is less. Steps are chosen to make
    /// errors of one size each, so errors are made where steps are short, be it in a short time.
    pub(super) fn part_of(self, whole: Extent) -> f64 {
        (self.time / whole.time).min(self.steps / whole.steps)
    }
}

/// What the companion sees of the run: the accepted step from `from` to `to`.
pub(in crate::integrate) struct Watched<'a> {
    pub(in crate::integrate) system: &'a System,
    pub(in crate::integrate) stepper: &'a dyn Stepper,
    pub(in crate::integrate) scales: &'a Scales,
    pub(in crate::integrate) from: &'a Point,
    pub(in crate::integrate) to: &'a Point,
    pub(in crate::integrate) timetable: &'a Timetable,
    /// Whether the step ends where the equations change.
    pub(in crate::integrate) breaks: bool,
    /// Whether errors are to be known where it ends: it comes near to a comparison and goes back, or velocities in a plane with
    /// friction have turned into another quadrant, which the law reads.
    pub(in crate::integrate) looks: bool,
    /// When the run ends.
    pub(in crate::integrate) t_end: f64,
    pub(in crate::integrate) stats: &'a Stats,
}

/// Where the motion comes near to a comparison in the last accepted step, and goes back.
#[derive(Clone, Copy, Debug)]
pub(in crate::integrate) struct Near {
    pub(in crate::integrate) guard: usize,
    /// The side on which the motion stays.
    pub(in crate::integrate) side: f64,
    pub(in crate::integrate) t: f64,
    /// What is left there between the motion and the boundary.
    pub(in crate::integrate) left: f64,
    /// The same in units of what the largest error so far makes of it.
    pub(in crate::integrate) errors: f64,
}

impl Watched<'_> {
    /// The run's work so far in units of a residual.
    fn work(&self) -> f64 {
        let (stats, stages) = (self.stats, self.stepper.stages());
        stages * (stats.residuals + stats.newton_iterations) as f64
            + MATRIX * stats.jacobians as f64
            + FACTORIZATION * (2.0 * stages - 1.0) * stats.factorizations as f64
            + STEP * stats.steps as f64
    }

    /// The work that the companion's is held against: what it was and, up to `most` times that, what it will be if
    /// it goes on as since `start`, or with steps as long as the last.
    pub(super) fn affords(&self, start: f64, most: f64) -> f64 {
        let work = self.work().max(1.0);
        let left = self.t_end - self.to.t();
        let by_time = left / (self.to.t() - start);
        let step = self.to.t() - self.from.t();
        let by_steps = left / step / (self.stats.steps as f64).max(1.0);
        work * (1.0 + by_time.min(UNEVEN * by_steps).clamp(0.0, most))
    }
}
