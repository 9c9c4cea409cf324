//! What is asked of a run: the builder that users meet.

use super::initial::Stated;
use crate::assembly::Derivatives;
use crate::checkpoint::CheckpointSink;
use crate::integrate::{Method, Step};
use crate::model::{Mechanism, Model, ModelError};
use crate::signal::Signal;
use crate::solution::RowSink;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Steps after which a run gives up, unless said otherwise.
pub const DEFAULT_MAX_STEPS: usize = 10_000_000;

/// What is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Record {
    /// The start and every accepted step.
    #[default]
    EveryStep,
    /// The start, multiples of this interval in s and the end, by interpolation: output times
    /// never restrict the step.
    Every(f64),
    /// The start and the end.
    Ends,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Time reached in s.
    pub t: f64,
    /// Start in s.
    pub t_start: f64,
    /// End in s.
    pub t_end: f64,
    /// Last step in s.
    pub h: f64,
    /// Accepted steps.
    pub steps: usize,
}

impl Progress {
    /// Part done, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        let span = self.t_end - self.t_start;
        if span > 0.0 { ((self.t - self.t_start) / span).clamp(0.0, 1.0) } else { 1.0 }
    }
}

type Callback<'a> = Box<dyn FnMut(&Progress) + 'a>;

/// A run to be: collects options, then [`run`](Self::run)s. Whatever is wrong with them is
/// reported there.
///
/// ```text
/// let sol = Simulation::new(&crank)
///     .method(HhtI3::alpha(-0.3)?)
///     .step(Step::adaptive(1e-6))
///     .until(2.0)
///     .run()?;
/// ```
pub struct Simulation<'a> {
    pub(super) model: Result<Model, ModelError>,
    pub(super) initial: Vec<(String, f64)>,
    pub(super) scales: Vec<(String, f64, Stated)>,
    pub(super) inputs: Vec<(String, Signal)>,
    pub(super) options: Options<'a>,
}

pub(super) struct Options<'a> {
    pub(super) method: Method,
    pub(super) step: Step,
    pub(super) t_start: f64,
    pub(super) t_end: Option<f64>,
    pub(super) record: Record,
    pub(super) history: bool,
    pub(super) max_steps: usize,
    pub(super) error_estimate: bool,
    pub(super) events: bool,
    pub(super) saltations: bool,
    pub(super) least_shares: bool,
    pub(super) derivatives: Derivatives,
    pub(super) certify: bool,
    pub(super) interrupt: Option<Arc<AtomicBool>>,
    pub(super) progress: Option<Callback<'a>>,
    pub(super) sink: Option<&'a mut dyn RowSink>,
    pub(super) checkpoints: Option<&'a mut dyn CheckpointSink>,
    pub(super) resume: Option<Vec<u8>>,
}

impl<'a> Simulation<'a> {
    /// Of a mechanism with its current parameters, by the default method
    /// ([`Method::default`]) and adaptive steps ([`Step::default`], tolerance 1e-5).
    pub fn new(mechanism: &(impl Mechanism + ?Sized)) -> Self {
        Self::of(mechanism.model())
    }

    /// Of a finished model.
    pub fn of_model(model: Model) -> Self {
        Self::of(Ok(model))
    }

    fn of(model: Result<Model, ModelError>) -> Self {
        let options = Options {
            method: Method::default(),
            step: Step::default(),
            t_start: 0.0,
            t_end: None,
            record: Record::default(),
            history: false,
            max_steps: DEFAULT_MAX_STEPS,
            error_estimate: true,
            events: true,
            saltations: false,
            least_shares: false,
            derivatives: Derivatives::default(),
            certify: false,
            interrupt: None,
            progress: None,
            sink: None,
            checkpoints: None,
            resume: None,
        };
        let (initial, scales, inputs) = (Vec::new(), Vec::new(), Vec::new());
        Simulation { model, initial, scales, inputs, options }
    }

    /// The method.
    pub fn method(mut self, method: impl Into<Method>) -> Self {
        self.options.method = method.into();
        self
    }

    /// Step sizes.
    pub fn step(mut self, step: Step) -> Self {
        self.options.step = step;
        self
    }

    /// Start time in s, 0 by default.
    pub fn t_start(mut self, t: f64) -> Self {
        self.options.t_start = t;
        self
    }

    /// End time in s; by default the model's, or the end of a prescribed sequence of steps. It is
    /// reached exactly.
    pub fn until(mut self, t: f64) -> Self {
        self.options.t_end = Some(t);
        self
    }

    /// Records at multiples of `dt` in s after the start, and the end.
    pub fn every(self, dt: f64) -> Self {
        self.record(Record::Every(dt))
    }

    /// What is recorded; every accepted step by default.
    pub fn record(mut self, record: Record) -> Self {
        self.options.record = record;
        self
    }

    /// Records with each point what the run did, as further columns
    /// ([`Solution::with_history`](crate::solution::Solution::with_history)); not by default.
    pub fn history(mut self, on: bool) -> Self {
        self.options.history = on;
        self
    }

    /// Sets an initial value by name: a coordinate (`theta`), a velocity (`der(theta)`), a state
    /// (`e`), a joint's coordinate or rate (`hinge.angle`, `hinge.rate`), which puts its bodies in their places, an
    /// entry of a body's vectors (`arm.position[2]`, `arm.e[0]`, `arm.velocity[0]`, `arm.omega[1]`, of which all three
    /// are given, `arm.omega_ground[1]`); assembly keeps these. Or the guess of a variable.
    pub fn set_initial(mut self, name: impl Into<String>, value: f64) -> Self {
        self.initial.push((name.into(), value));
        self
    }

    /// Feeds an input, by name, with a [signal](crate::signal): a number, a function of time in s
    /// (`|t| (3.0*t).sin()`), or any other [`Signal`]. A name before an index in brackets stands for the whole
    /// array. An input that nothing feeds has the value that the model gives it.
    ///
    /// ```
    /// # use mbd_core::model::Mechanism;
    /// # use mbd_core::{simulation::Simulation, signal::{Interpolation, Signal}};
    /// # fn example(cart: impl Mechanism) -> Result<(), Box<dyn std::error::Error>> {
    /// let wind = Signal::table([0.0, 1.0, 4.0], [0.0, 12.0, 9.0], Interpolation::Linear)?;
    /// let run = Simulation::new(&cart)
    ///     .input("force", |t: f64| 3.0 * (2.0 * t).sin())
    ///     .input("wind", wind.held_beyond())
    ///     .input("load", 80.0)
    ///     .until(10.0)
    ///     .run()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn input(mut self, name: impl Into<String>, signal: impl Into<Signal>) -> Self {
        self.inputs.push((name.into(), signal.into()));
        self
    }

    /// Gives up after this many accepted steps; [`DEFAULT_MAX_STEPS`] unless given.
    pub fn max_steps(mut self, steps: usize) -> Self {
        self.options.max_steps = steps;
        self
    }

    /// Whether an estimate of the global error is carried along with adaptive steps
    /// ([`Solution::error_estimate`](crate::solution::Solution::error_estimate)); it is by default. For studies of the work that methods take.
    pub fn error_estimate(mut self, on: bool) -> Self {
        self.options.error_estimate = on;
        self
    }

    /// Whether steps end where the motion crosses a comparison of the model ([`Solution::events`](crate::solution::Solution::events)), each held
    /// on its side in between; they do by default. Otherwise steps go through comparisons as they come.
    pub fn events(mut self, on: bool) -> Self {
        self.options.events = on;
        self
    }

    /// Computes at every event the derivative of the state after it by the state before
    /// ([`Solution::saltations`](crate::solution::Solution::saltations)); not by default. For sensitivities of motions with
    /// events.
    ///
    /// ```
    /// # use mbd_core::model::Mechanism;
    /// # use mbd_core::{simulation::Simulation, solution::RunError};
    /// # fn example(ball: impl Mechanism) -> Result<(), RunError> {
    /// let run = Simulation::new(&ball).saltations(true).until(2.0).run()?;
    /// for event in &run.saltations {
    ///     println!("{} {:?}", event.t, event.entry("der(y)", "y"));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn saltations(mut self, on: bool) -> Self {
        self.options.saltations = on;
        self
    }

    /// Where redundant constraints share a load in a way that the equations leave open, records the share whose multipliers
    /// have the least sum of squares (in SI units). Otherwise the share is that of the rows kept in the equations. The motion
    /// does not change, and forces and events that read such a share still read that one; contacts keep theirs.
    pub fn least_shares(mut self, on: bool) -> Self {
        self.options.least_shares = on;
        self
    }

    /// What derivatives are taken by, from the start on: by programs unless given, or on dual numbers, the
    /// independent source of every one of them, to the same motion but for rounding. That takes 3 to 33 times as
    /// long for a mechanism of a few bodies, up to a hundred times for an arm in joint coordinates
    /// (`cargo bench --bench duals`). The instants of events are found by programs either way.
    pub fn derivatives(mut self, derivatives: Derivatives) -> Self {
        self.options.derivatives = derivatives;
        self
    }

    /// Repeats an adaptive run with tighter local tolerances until the estimate of its global error
    /// is at most half of the tolerance, and once more where more than its ends is recorded; [`Stats::wall_s`](crate::solution::Stats)
    /// is the time of all. What the estimate cannot be brought to is an [`AccuracyError`](crate::error::AccuracyError), with the
    /// best run. Prescribed steps and checkpoints are refused.
    pub fn certify(mut self, on: bool) -> Self {
        self.options.certify = on;
        self
    }

    /// Stops the run after the step under way once the flag is set; what was computed is
    /// returned, with [`Status::Interrupted`](crate::solution::Status::Interrupted).
    pub fn interrupt(mut self, flag: Arc<AtomicBool>) -> Self {
        self.options.interrupt = Some(flag);
        self
    }

    /// Calls back after every accepted step.
    pub fn progress(mut self, callback: impl FnMut(&Progress) + 'a) -> Self {
        self.options.progress = Some(Box::new(callback));
        self
    }

    /// Hands every recorded row to `sink` while the run goes, and keeps none but the first and the
    /// last: a run takes the same memory however long it is. [`Solution::steps`](crate::solution::Solution::steps) stays empty.
    ///
    /// ```
    /// # use mbd_core::model::{Mechanism, ModelError};
    /// # use mbd_core::{simulation::Simulation, solution::{OutputError, RunError}};
    /// # fn example(mechanism: impl Mechanism) -> Result<(), RunError> {
    /// let mut highest = f64::NEG_INFINITY;
    /// let mut watch = |row: &[f64]| -> Result<(), OutputError> {
    ///     highest = highest.max(row[1]);
    ///     Ok(())
    /// };
    /// let ends = Simulation::new(&mechanism).until(1e4).stream(&mut watch).run()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream(mut self, sink: &'a mut dyn RowSink) -> Self {
        self.options.sink = Some(sink);
        self
    }

    /// States the [scale](crate::scales) of a coordinate or state by name, in its unit: what its
    /// errors are measured against, from the start to the end. A name before an index in brackets
    /// stands for the whole array.
    pub fn scale(mut self, name: impl Into<String>, scale: f64) -> Self {
        self.scales.push((name.into(), scale, Stated::Scale));
        self
    }

    /// States the tolerance of a coordinate or state by name, in its unit, in the place of `tol`
    /// times its scale. For adaptive runs.
    pub fn atol(mut self, name: impl Into<String>, tolerance: f64) -> Self {
        self.scales.push((name.into(), tolerance, Stated::Tolerance));
        self
    }

    /// Makes checkpoints, from which a run can [`resume`](Self::resume): at the start, after 16, 32, …,
    /// 4096 steps and after every 4096 from then on, wherever `sink` says that one is due.
    ///
    /// At these steps a run with checkpoints computes everything anew that it usually keeps
    /// ([`checkpoint`](mod@crate::checkpoint)), so its results differ by rounding, of tolerance in
    /// adaptive steps, from those of a run without.
    pub fn checkpoint(mut self, sink: &'a mut dyn CheckpointSink) -> Self {
        self.options.checkpoints = Some(sink);
        self
    }

    /// Goes on where a checkpoint was made, by a run of the same model, method, steps, times and
    /// records, to the same results as those of that run had it not been stopped, to the last bit;
    /// its own limits on steps and its sinks may be others. Whether or not it makes checkpoints
    /// itself. Checkpoints of another build of the program are refused: its equations may be others.
    pub fn resume(mut self, checkpoint: Vec<u8>) -> Self {
        self.options.resume = Some(checkpoint);
        self
    }
}
