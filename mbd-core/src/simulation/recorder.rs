//! The recording side of a run: its rows, and where they go.

use super::initial::Started;
use super::options::Record;
use crate::assembly::{Point, Residual, System, Want};
use crate::checkpoint::State;
use crate::error::{Error, OptionError};
use crate::integrate::{Accepted, Integrator};
use crate::solution::{Ambiguity, OutputError, RowSink, Solution};
use crate::start::share_least;
use history::History;

/// Relative difference of times that are one.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

mod history;

/// Evenly spaced points within a step.
struct Curve {
    from: f64,
    to: f64,
    /// Number of the next.
    next: usize,
    count: usize,
}

impl Curve {
    fn time(&self) -> Option<f64> {
        let part = self.next as f64 / (self.count + 1) as f64;
        (self.next <= self.count).then_some(self.from + part * (self.to - self.from))
    }
}

/// The recording side of a run.
pub(super) struct Recorder<'k> {
    /// Gets the rows in place of `solution`.
    pub(super) sink: Option<&'k mut dyn RowSink>,
    pub(super) solution: Solution,
    record: Record,
    t_start: f64,
    /// Number of the next output time.
    next: usize,
    /// Time of the last recorded point.
    last: f64,
    /// Size of the last step.
    pub(super) last_h: f64,
    /// Wall time of the runs this one goes on from, and with its own.
    pub(super) earlier_s: f64,
    pub(super) wall_s: f64,
    /// Steps after which a checkpoint could last be made.
    pub(super) stopped_at: Option<usize>,
    /// How many there have been up to the points that are recorded.
    events: usize,
    /// How often rows were found redundant or independent.
    changes: usize,
    pub(super) point: Point,
    energies: Residual,
    history: Option<History>,
}

impl<'k> Recorder<'k> {
    pub(super) fn new(
        started: &Started,
        method: &str,
        record: Record,
        sink: Option<&'k mut dyn RowSink>,
    ) -> Self {
        let mut solution = Solution::new(&started.system, method);
        // Tables say in their headings what redundancy leaves open.
        solution.redundant = started.report.redundant.clone();
        Recorder {
            sink,
            solution,
            record,
            t_start: started.point.t(),
            next: 1,
            last: f64::NAN,
            last_h: 0.0,
            earlier_s: 0.0,
            wall_s: 0.0,
            stopped_at: None,
            events: 0,
            changes: 0,
            point: started.point.clone(),
            energies: Residual::new(&started.system.dims()),
            history: None,
        }
    }

    /// Records with each point what the run did; before the first.
    pub(super) fn keep_history(&mut self) {
        let columns = (0..self.solution.columns().len()).collect::<Vec<_>>();
        self.solution = self.solution.with_columns(&columns, Vec::new()).with_history();
        self.history = Some(History::new(self.t_start));
    }

    /// Hands the start to the sink.
    pub(super) fn announce(&mut self) -> Result<(), OutputError> {
        match &mut self.sink {
            Some(sink) => {
                let columns = (0..self.solution.columns().len()).collect::<Vec<_>>();
                sink.begin(&self.solution.with_columns(&columns, Vec::new()))?;
                sink.point(&self.point);
                sink.row(self.solution.row(0))
            }
            None => Ok(()),
        }
    }

    /// The state of the run around an integrator's.
    pub(super) fn save(&mut self, integrator: Vec<u8>) -> Result<Vec<u8>, OutputError> {
        let mut state = State::saving();
        self.state(&mut state)?;
        let mut bytes = state.saved();
        bytes.splice(0..0, (bytes.len() as u64).to_le_bytes());
        bytes.extend(integrator);
        Ok(bytes)
    }

    /// Restores it; returns the integrator's.
    pub(super) fn restore(&mut self, saved: &[u8]) -> Result<Vec<u8>, Error> {
        let misfit = |part| {
            let why = format!("{part} in it belongs to another run");
            Error::from(OptionError::NoCheckpoint { why })
        };
        let (len, rest) = saved.split_first_chunk().ok_or_else(|| misfit("the beginning"))?;
        let len = u64::from_le_bytes(*len) as usize;
        let (own, integrator) = rest.split_at_checked(len).ok_or_else(|| misfit("the length"))?;
        let mut state = State::restoring(own);
        self.state(&mut state)?;
        match state.misfit() {
            Some(part) => Err(misfit(part)),
            None => Ok(integrator.to_vec()),
        }
    }

    fn state(&mut self, state: &mut State<'_>) -> Result<(), OutputError> {
        let Recorder {
            sink,
            solution,
            record: _,
            t_start: _,
            next,
            last,
            last_h,
            earlier_s,
            wall_s,
            stopped_at: _,
            events,
            changes,
            point: _,
            energies: _,
            history,
        } = self;
        state.part("what is recorded");
        if let Some(history) = history {
            history.state(state);
        }
        state.count(next);
        state.count(events);
        state.count(changes);
        state.number(last);
        state.number(last_h);
        state.number(wall_s);
        if state.restores() {
            *earlier_s = *wall_s;
        }
        solution.state(state);
        match sink {
            // What does not fit is not looked at.
            Some(sink) if state.is_right() => sink.state(state),
            _ => Ok(()),
        }
    }

    /// Records `self.point`.
    pub(super) fn write(&mut self, system: &System) {
        system.eval_at(&self.point, Want::ENERGY, &mut self.energies);
        let Residual { kinetic, potential, .. } = self.energies;
        self.record(system, [kinetic, potential]);
        self.last = self.point.t();
    }

    /// Records `self.point`, of which the energies are given.
    fn record(&mut self, system: &System, energies: [f64; 2]) {
        if self.solution.least_shares {
            share_least(system, &mut self.point);
        }
        self.solution.record(system, &self.point, energies, self.events);
        if let Some(history) = &self.history {
            self.solution.add_history(&history.at(self.point.t()));
        }
    }

    /// Records it, and hands it on.
    fn hand_on(&mut self, system: &System) -> Result<(), OutputError> {
        self.write(system);
        if let Some(sink) = &mut self.sink {
            sink.point(&self.point);
            sink.row(self.solution.row(self.solution.len() - 1))?;
            self.solution.forget_between();
        }
        Ok(())
    }

    /// Records what the last accepted step covers.
    pub(super) fn take(
        &mut self,
        step: Accepted,
        integrator: &mut Integrator<'_>,
    ) -> Result<(), OutputError> {
        if self.sink.is_none() {
            self.solution.steps.push(step);
        }
        self.events = integrator.events().len();
        self.look_at_shares(integrator, false);
        if let Some(history) = &mut self.history {
            history.take(&step, integrator);
        }
        let mut curve = self.curve(integrator);
        match self.record {
            Record::EveryStep => {
                if integrator.began_after_events() {
                    self.point.copy_from(integrator.previous());
                    self.hand_on(integrator.system())?;
                }
                let t = integrator.point().t();
                self.draw(&mut curve, t, integrator)?;
                integrator.interpolate(t, &mut self.point);
                self.hand_on(integrator.system())?;
            }
            Record::Every(dt) => {
                loop {
                    let t = self.t_start + self.next as f64 * dt;
                    if t > integrator.point().t() {
                        break;
                    }
                    self.next += 1;
                    self.draw(&mut curve, t, integrator)?;
                    integrator.interpolate(t, &mut self.point);
                    self.hand_on(integrator.system())?;
                }
                let end = integrator.point().t();
                if curve.count > 0 && end > self.last {
                    self.draw(&mut curve, end, integrator)?;
                    self.show(end, integrator)?;
                }
            }
            Record::Ends => {}
        }
        Ok(())
    }

    /// Looks whether the motion depends on how redundant constraints share their load, ever more seldom until it is found
    /// to, and at the `end` of the run.
    fn look_at_shares(&mut self, integrator: &mut Integrator<'_>, end: bool) {
        let changes = integrator.rank_change_count();
        let changed = std::mem::replace(&mut self.changes, changes) != changes;
        let steps = integrator.stats().steps;
        let is_due = end || steps.is_power_of_two() || changed && changes.is_power_of_two();
        if self.solution.ambiguity.is_some() || !is_due {
            return;
        }
        let laws = integrator.laws_of_shares();
        if !laws.is_empty() {
            self.solution.ambiguity = Some(Ambiguity { t: integrator.point().t(), laws });
        }
    }

    /// The points within the last step that the sink wants.
    fn curve(&self, integrator: &Integrator<'_>) -> Curve {
        let count = self.sink.as_ref().map_or(0, |sink| sink.curve_points());
        let (from, to) = (integrator.previous().t(), integrator.point().t());
        Curve { from, to, next: 1, count }
    }

    /// Hands the sink its points before a time.
    fn draw(
        &mut self,
        curve: &mut Curve,
        before: f64,
        integrator: &mut Integrator<'_>,
    ) -> Result<(), OutputError> {
        while let Some(t) = curve.time().filter(|t| *t < before) {
            curve.next += 1;
            self.show(t, integrator)?;
        }
        Ok(())
    }

    fn show(&mut self, t: f64, integrator: &mut Integrator<'_>) -> Result<(), OutputError> {
        integrator.interpolate(t, &mut self.point);
        let system = integrator.system();
        system.eval_at(&self.point, Want::ENERGY, &mut self.energies);
        let Residual { kinetic, potential, .. } = self.energies;
        self.record(system, [kinetic, potential]);
        let row = self.solution.row(self.solution.len() - 1);
        let shown = self.sink.as_mut().map_or(Ok(()), |sink| {
            sink.point(&self.point);
            sink.curve(row)
        });
        self.solution.forget_last();
        shown
    }

    /// Records the point reached unless it is there.
    pub(super) fn end(&mut self, integrator: &mut Integrator<'_>) -> Result<(), OutputError> {
        let t = integrator.point().t();
        self.look_at_shares(integrator, true);
        // An output time that rounding put just before the end is the end. What an event has ended is as it
        // has left it.
        let stopped = integrator.stopped().is_some();
        let end = self.solution.end.get_or_insert_with(|| Box::new(integrator.point().clone()));
        match stopped {
            true => end.copy_from(integrator.point()),
            false => integrator.interpolate(t, end),
        }
        if self.solution.least_shares {
            share_least(integrator.system(), end);
        }
        if stopped
            || self.last.is_nan()
            || t - self.last > ROUNDING * t.abs().max(self.t_start.abs())
        {
            self.point.copy_from(end);
            if let Some(history) = &mut self.history {
                history.end(integrator);
            }
            self.hand_on(integrator.system())?;
        }
        Ok(())
    }
}
