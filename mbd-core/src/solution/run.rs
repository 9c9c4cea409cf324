//! What a run recorded: samples of every quantity with names and units.

use super::columns::{Column, ColumnKind, EVENTS, HISTORY, RECORDED, rate_unit, recorded};
use super::estimate::{ErrorEstimate, Unestimated};
use super::events::{Event, RankChange, StoppedBy};
use super::findings::{Ambiguity, Balance, Coarse, Disorder, Drift, Grazing, OnDualNumbers};
use super::saltation::Saltation;
use super::stats::{Stats, Status, StepRecord};
use crate::assembly::{Derivatives, Point, SlotKind, System};
use crate::error::{Error, OutputError};
use crate::model::{Label, Model, RowBlock};
use crate::signal::Signal;
use crate::start::{Moved, Redundant};
use crate::state::State;
use crate::statement::ElementGroup;
use std::sync::Arc;

/// Marks of columns that are shares of a load which the equations do not determine.
pub const NOT_DETERMINED: &str = "share not determined";
/// The same of [least shares](crate::simulation::Simulation::least_shares).
pub const LEAST_SHARE: &str = "least share";

/// What a run recorded; the first and the last point of one whose rows were
/// [streamed](crate::simulation::Simulation::stream).
#[derive(Clone)]
pub struct Solution {
    /// Name of the model.
    pub model: String,
    /// Name of the method.
    pub method: String,
    /// What derivatives were taken by.
    pub derivatives: Derivatives,
    /// How it ended.
    pub status: Status,
    /// The error it ended with, if any.
    pub error: Option<Error>,
    /// The event that ended it, if one did.
    pub stopped: Option<StoppedBy>,
    /// Work counts.
    pub stats: Stats,
    /// Constraint violations.
    pub drift: Drift,
    /// The power balance; `None` where statements written by hand do not state their power.
    pub balance: Option<Balance>,
    /// Units in which nothing in the model told a size, so that errors were measured against 1 of
    /// them, or the range of motion ([`scales`](crate::scales)).
    pub assumed_scales: Vec<String>,
    /// Coordinates with a guess that assembly moved by more than a radian, or by more than three times the [scale](crate::scales)
    /// of their unit, the largest change first: the mechanism may have closed in another way than was meant.
    pub moved_far: Vec<Moved>,
    /// What is to be known of a run that did not fail, in whole sentences.
    pub warnings: Vec<String>,
    /// Prescribed steps that do not resolve the motion, the coarsest of them; also among the warnings.
    pub coarse: Option<Coarse>,
    /// What the motion comes as near to as its error without crossing it; also among the warnings.
    pub grazing: Option<Grazing>,
    /// Impacts of which the error decides which comes first; also among the warnings.
    pub disorder: Option<Disorder>,
    /// What makes the motion one of many that the equations allow; also among the warnings.
    pub ambiguity: Option<Ambiguity>,
    /// The statements that no program could be made of, with what they took.
    pub on_dual_numbers: Vec<OnDualNumbers>,
    /// Constraint rows that were redundant at the start, not in the equations.
    pub redundant: Vec<Redundant>,
    /// Whether what redundant constraints share is recorded as the least share,
    /// [on request](crate::simulation::Simulation::least_shares).
    pub least_shares: bool,
    /// When other rows were redundant from then on: the first such changes, and later ones that leave further quantities
    /// open.
    pub rank_changes: Vec<RankChange>,
    /// How many such changes there were.
    pub rank_change_count: usize,
    /// Where the motion crossed comparisons of the model and where stated events happened, in order.
    pub events: Vec<Event>,
    /// Of each event how the state after it depends on the state before, where that was
    /// [asked for](crate::simulation::Simulation::saltations).
    pub saltations: Vec<Saltation>,
    /// How often each sampled controller happened.
    pub samples: Vec<(String, usize)>,
    /// The estimate of the global error, or why there is none.
    pub error_estimate: Result<ErrorEstimate, Unestimated>,
    /// Every accepted step; empty for a run whose rows were
    /// [streamed](crate::simulation::Simulation::stream).
    pub steps: Vec<StepRecord>,
    /// The point reached, with what rows leave out.
    pub(crate) end: Option<Box<Point>>,
    columns: Vec<Column>,
    groups: Vec<(ColumnKind, std::ops::Range<usize>)>,
    data: Vec<f64>,
    /// What the inputs were fed with.
    signals: Arc<[Signal]>,
}

/// A summary: the samples themselves would bury the message of a failed `unwrap`.
impl std::fmt::Debug for Solution {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solution")
            .field("model", &self.model)
            .field("method", &self.method)
            .field("status", &self.status)
            .field("error", &self.error)
            .field("stats", &self.stats)
            .field("drift", &self.drift)
            .field("balance", &self.balance)
            .field("points", &self.len())
            .finish_non_exhaustive()
    }
}

impl Solution {
    /// An empty recording of a system by a method.
    pub fn new(system: &System, method: &str) -> Self {
        let model = system.model();
        let mut columns = Vec::new();
        let mut groups = Vec::new();
        for kind in RECORDED {
            let first = columns.len();
            let count = recorded(system, kind).len();
            let labels: &[Label] = match kind {
                SlotKind::Q | SlotKind::V | SlotKind::A => model.coords(),
                SlotKind::X => model.states(),
                SlotKind::W => model.variables(),
                _ => &[],
            };
            for i in 0..count {
                let unit = labels.get(i).map_or("", |l| &l.unit);
                let unit = match kind {
                    SlotKind::T => "s".into(),
                    SlotKind::V => rate_unit(unit),
                    SlotKind::A => rate_unit(&rate_unit(unit)),
                    _ => unit.to_string(),
                };
                let housekeeping = match kind {
                    SlotKind::Q | SlotKind::V | SlotKind::A => {
                        model.is_housekeeping(&model.coords()[i].name)
                    }
                    SlotKind::X => model.is_housekeeping(&model.states()[i].name),
                    SlotKind::Lambda => {
                        let of_row = |b: &&RowBlock| (b.first..b.first + b.len).contains(&i);
                        let block = model.holonomic().iter().find(of_row);
                        block.is_some_and(|block| model.is_housekeeping(&block.name))
                    }
                    _ => false,
                };
                columns.push(Column { name: model.scalar_name(kind, i), unit, housekeeping });
            }
            groups.push((ColumnKind::Slot(kind), first..columns.len()));
        }
        let first = columns.len();
        columns.extend(model.outputs().iter().map(|l| Column {
            name: l.name.clone(),
            unit: l.unit.clone(),
            housekeeping: false,
        }));
        groups.push((ColumnKind::Output, first..columns.len()));
        let first = columns.len();
        columns.extend(["kinetic", "potential", "energy"].map(|name| Column {
            name: name.into(),
            unit: "J".into(),
            housekeeping: false,
        }));
        groups.push((ColumnKind::Energy, first..columns.len()));
        let first = columns.len();
        columns.extend(model.modes().iter().map(|l| Column {
            name: l.name.clone(),
            unit: l.unit.clone(),
            housekeeping: false,
        }));
        groups.push((ColumnKind::Mode, first..columns.len()));
        let first = columns.len();
        let happens =
            |group: &dyn ElementGroup| group.event().is_some() || group.sees().comparisons;
        if system.groups().any(happens) && columns.iter().all(|column| column.name != EVENTS) {
            columns.push(Column { name: EVENTS.into(), unit: String::new(), housekeeping: false });
        }
        groups.push((ColumnKind::Events, first..columns.len()));
        Solution {
            model: model.name().into(),
            method: method.into(),
            derivatives: system.derivatives(),
            status: Status::Finished,
            error: None,
            stopped: None,
            stats: Stats::default(),
            drift: Drift::default(),
            balance: None,
            assumed_scales: Vec::new(),
            moved_far: Vec::new(),
            warnings: Vec::new(),
            coarse: None,
            grazing: None,
            disorder: None,
            ambiguity: None,
            on_dual_numbers: Vec::new(),
            redundant: Vec::new(),
            least_shares: false,
            rank_changes: Vec::new(),
            rank_change_count: 0,
            events: Vec::new(),
            saltations: Vec::new(),
            samples: Vec::new(),
            error_estimate: Err(Unestimated::NotAsked),
            steps: Vec::new(),
            end: None,
            columns,
            groups,
            data: Vec::new(),
            signals: system.signals().into(),
        }
    }

    /// With what the run did as further columns ([`Simulation::history`](crate::simulation::Simulation::history)): `step.size`
    /// in s, `step.iterations` of Newton's method, `step.error`, the estimated local error over the tolerance, and since the
    /// start, in J, `balance.work`, `balance.dissipated`, `balance.numerical`, `balance.events` and `balance.remainder`
    /// ([`Balance`]); `error.position`, `error.velocity` and `error.reaction`, the [estimate](ErrorEstimate) as it would be
    /// if the run ended there, none where there is none. For a recording of no points yet.
    pub fn with_history(mut self) -> Self {
        let first = self.columns.len();
        self.columns.extend(HISTORY.map(|(name, unit)| Column {
            name: name.into(),
            unit: unit.into(),
            housekeeping: false,
        }));
        self.groups.push((ColumnKind::History, first..self.columns.len()));
        self
    }

    /// Records a point with its energies and the number of events so far. What the run did is added by
    /// `add_history`.
    pub fn record(
        &mut self,
        system: &System,
        point: &Point,
        [kinetic, potential]: [f64; 2],
        events: usize,
    ) {
        for kind in RECORDED {
            self.data.extend_from_slice(&point.get(kind)[recorded(system, kind)]);
        }
        system.outputs(point, &mut self.data);
        self.data.extend([kinetic, potential, kinetic + potential]);
        self.data.extend_from_slice(point.modes());
        if !self.range(ColumnKind::Events).is_empty() {
            self.data.push(events as f64);
        }
    }

    /// Adds to the point just recorded what the run did.
    pub(crate) fn add_history(&mut self, history: &[f64; HISTORY.len()]) {
        self.data.extend_from_slice(history);
    }

    /// Forgets the last point.
    pub(crate) fn forget_last(&mut self) {
        self.data.truncate(self.data.len().saturating_sub(self.columns.len()));
    }

    /// Keeps so many points.
    pub(crate) fn keep(&mut self, count: usize) {
        self.data.truncate(count * self.columns.len());
    }

    /// Saves or restores what was recorded.
    pub(crate) fn state(&mut self, state: &mut State<'_>) {
        state.part("recorded points");
        state.list(&mut self.data);
        let mut count = self.steps.len();
        state.count(&mut count);
        let mut numbers: Vec<f64> =
            self.steps.iter().flat_map(|s| [s.t, s.h, s.iterations as f64, s.theta]).collect();
        state.list(&mut numbers);
        if state.restores() {
            self.steps.clear();
            self.steps.extend(numbers.chunks_exact(4).map(|s| StepRecord {
                t: s[0],
                h: s[1],
                iterations: s[2] as usize,
                theta: s[3],
            }));
        }
        state.require(
            self.steps.len() == count && self.data.len().is_multiple_of(self.columns.len()),
        );
        let mut ambiguity = self.ambiguity.take().unwrap_or_default();
        ambiguity.state(state);
        self.ambiguity = Some(ambiguity).filter(|found| !found.laws.is_empty());
    }

    /// Forgets all points but the first and the last.
    pub(crate) fn forget_between(&mut self) {
        let width = self.columns.len();
        if self.data.len() > 2 * width {
            let last = self.data.len() - width;
            self.data.copy_within(last.., width);
            self.data.truncate(2 * width);
        }
    }

    /// A recording of some of the columns, given by their indices in rising order, and of nothing
    /// else in place of what this one recorded; `data` has a value for each of them, point by point.
    pub fn with_columns(&self, chosen: &[usize], data: Vec<f64>) -> Self {
        let place = |index: usize| chosen.partition_point(|&i| i < index);
        let mut part = Solution { data: Vec::new(), ..self.clone() };
        part.groups =
            self.groups.iter().map(|(kind, r)| (*kind, place(r.start)..place(r.end))).collect();
        part.columns = chosen.iter().map(|&i| self.columns[i].clone()).collect();
        part.data = data;
        part
    }

    /// Number of recorded points.
    pub fn len(&self) -> usize {
        self.data.len() / self.columns.len()
    }

    /// True when nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// All columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The columns of one kind.
    pub fn range(&self, kind: ColumnKind) -> std::ops::Range<usize> {
        self.groups.iter().find(|(k, _)| *k == kind).map_or(0..0, |(_, r)| r.clone())
    }

    /// One recorded point: a value per column.
    pub fn row(&self, i: usize) -> &[f64] {
        let width = self.columns.len();
        &self.data[i * width..(i + 1) * width]
    }

    /// The last recorded point's values of one kind; empty when nothing was recorded.
    pub fn last(&self, kind: ColumnKind) -> &[f64] {
        if self.is_empty() { &[] } else { &self.row(self.len() - 1)[self.range(kind)] }
    }

    /// Coordinates at the last point (n).
    pub fn final_q(&self) -> &[f64] {
        self.last(ColumnKind::Slot(SlotKind::Q))
    }

    /// Velocities at the last point (n).
    pub fn final_v(&self) -> &[f64] {
        self.last(ColumnKind::Slot(SlotKind::V))
    }

    /// Time of the last point in s.
    pub fn final_t(&self) -> f64 {
        self.last(ColumnKind::Slot(SlotKind::T)).first().copied().unwrap_or(f64::NAN)
    }

    /// Times of all points in s.
    pub fn times(&self) -> Vec<f64> {
        self.column(0)
    }

    /// A column by index.
    pub fn column(&self, index: usize) -> Vec<f64> {
        self.data.iter().skip(index).step_by(self.columns.len()).copied().collect()
    }

    /// Index of a column by name.
    ///
    /// # Errors
    /// [`OutputError::UnknownColumn`] with the nearest name.
    pub fn find(&self, name: &str) -> Result<usize, OutputError> {
        self.columns
            .iter()
            .position(|c| c.name == name)
            .ok_or_else(|| OutputError::unknown_column(name, self.columns.iter().map(|c| &*c.name)))
    }

    /// Whether a column is at any time a share of a load that the equations do not determine, as the forces of two hinges of one
    /// door: its values are those of the rows that were kept, at the start or [later](RankChange).
    pub fn is_undetermined(&self, index: usize) -> bool {
        let name = self.columns.get(index).map_or("", |column| &column.name);
        let later = self.rank_changes.iter().flat_map(|change| &change.redundant);
        self.redundant.iter().chain(later).any(|row| row.leaves_open(name))
    }

    /// The same where the run ends, of what may have been a share before, as of a clamp that has opened.
    pub fn is_undetermined_at_end(&self, index: usize) -> bool {
        let is_known = self.rank_changes.len() == self.rank_change_count;
        match (self.columns.get(index), self.rank_changes.last()) {
            (Some(column), Some(last)) if is_known => {
                last.redundant.iter().any(|row| row.leaves_open(&column.name))
            }
            _ => self.is_undetermined(index),
        }
    }

    /// What marks the values of such a column: that they are of no meaning by themselves, or the least share.
    pub fn mark(&self, index: usize) -> Option<&'static str> {
        self.is_undetermined(index).then_some(self.mark_of_shares())
    }

    /// And what marks its last value.
    pub fn mark_at_end(&self, index: usize) -> Option<&'static str> {
        self.is_undetermined_at_end(index).then_some(self.mark_of_shares())
    }

    fn mark_of_shares(&self) -> &'static str {
        if self.least_shares { LEAST_SHARE } else { NOT_DETERMINED }
    }

    /// Takes what inputs were in a run that was led from outside.
    pub(crate) fn fed_by(&mut self, signals: Vec<Signal>) {
        self.signals = signals.into();
    }

    /// The point of a row with all columns, as [`row`](Self::row) gives: positions, velocities, accelerations, states,
    /// multipliers, variables and discrete values as recorded, inputs as they were fed in this run. Rates of states and
    /// what friction at rest carries are not in a row ([`end_point`](Self::end_point)).
    pub fn point(&self, model: &Model, row: &[f64]) -> Point {
        let mut point = Point::new(*model.layout(), model.param_values());
        for kind in SlotKind::ALL {
            let range = self.range(ColumnKind::Slot(kind));
            // Surfaces have multipliers too, which are no columns.
            let slots = point.get_mut(kind).iter_mut();
            slots.zip(&row[range]).for_each(|(slot, value)| *slot = *value);
        }
        let modes = &row[self.range(ColumnKind::Mode)];
        point.modes_mut().iter_mut().zip(modes).for_each(|(mode, value)| *mode = *value);
        for (index, signal) in self.signals.iter().enumerate() {
            point.set_input(index, &signal.course(point.t()));
        }
        point
    }

    /// The point of the model that the run has reached, if it was one: with all that rows leave out.
    pub fn end_point(&self) -> Option<&Point> {
        self.end.as_deref()
    }

    /// A column by name: `theta`, `der(theta)`, `lambda(close_x)`, an output, `energy`.
    ///
    /// # Errors
    /// [`OutputError::UnknownColumn`] with the nearest name.
    pub fn series(&self, name: &str) -> Result<Vec<f64>, OutputError> {
        Ok(self.column(self.find(name)?))
    }
}
