//! A recorded run: samples of every quantity with names and units, statistics, drift, and how the
//! run ended.

use crate::assembly::{Point, SlotKind, System};
use crate::checkpoint::State;
use crate::error::Error;
use crate::model::{Label, RowBlock};
use crate::start::{Rank, Redundant};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Reached its end time.
    Finished,
    /// Ended by an event of the model before its end time ([`Solution::stopped`]).
    Stopped,
    /// Stopped on request; what was computed is there.
    Interrupted,
    /// Stopped by an error; what was computed is there.
    Failed,
}

impl Status {
    /// The word in JSON: `ok`, `stopped`, `interrupted`, `failed`.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Finished => "ok",
            Status::Stopped => "stopped",
            Status::Interrupted => "interrupted",
            Status::Failed => "failed",
        }
    }
}

/// Work counts and step sizes of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    /// Accepted steps.
    pub steps: usize,
    /// Steps rejected by the error test.
    pub rejected: usize,
    /// Newton iterations, rejected steps included.
    pub newton_iterations: usize,
    /// Newton matrices evaluated.
    pub jacobians: usize,
    /// Factorizations.
    pub factorizations: usize,
    /// Residual evaluations.
    pub residuals: usize,
    /// Steps whose Newton iteration failed.
    pub newton_failures: usize,
    /// Steps that [`radau5`](crate::integrate::Method) took in place of a method that cannot keep a motion
    /// on the surface along which it slides ([`Event::direction`] 0), as where friction sticks.
    pub substituted: usize,
    /// Smallest accepted step in s.
    pub h_min: f64,
    /// Largest accepted step in s.
    pub h_max: f64,
    /// Wall time of the run, in s, start-up included.
    pub wall_s: f64,
}

impl Stats {
    /// Saves or restores the counts ([`checkpoint`](crate::checkpoint)); the wall time is the run's.
    pub(crate) fn state(&mut self, state: &mut State<'_>) {
        let Stats {
            steps,
            rejected,
            newton_iterations,
            jacobians,
            factorizations,
            residuals,
            newton_failures,
            substituted,
            h_min,
            h_max,
            wall_s: _,
        } = self;
        state.part("work counts");
        for count in [
            steps,
            rejected,
            newton_iterations,
            jacobians,
            factorizations,
            residuals,
            newton_failures,
            substituted,
        ] {
            state.count(count);
        }
        state.number(h_min);
        state.number(h_max);
    }
}

impl std::fmt::Display for Stats {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} steps ({} rejected, h {:.3e} to {:.3e} s), {} Newton iterations, {} matrices, \
             {} factorizations, {} residuals, {} Newton failures, {:.3} s",
            self.steps,
            self.rejected,
            self.h_min,
            self.h_max,
            self.newton_iterations,
            self.jacobians,
            self.factorizations,
            self.residuals,
            self.newton_failures,
            self.wall_s
        )
    }
}

/// One accepted step, for studies of step control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepRecord {
    /// End of the step in s.
    pub t: f64,
    /// Step size in s.
    pub h: f64,
    /// Newton iterations.
    pub iterations: usize,
    /// Estimated local error over tolerance, squared as in seed 002 (Θ); 0 for a fixed step.
    pub theta: f64,
}

/// What an event of a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EventKind {
    /// The motion crossed a comparison of the model.
    #[default]
    Crossing,
    /// The motion came to a comparison and stays there, as friction that sticks.
    Sliding,
    /// The condition of an `event` statement became true.
    Stated,
}

impl EventKind {
    /// All of them.
    const ALL: [EventKind; 3] = [EventKind::Crossing, EventKind::Sliding, EventKind::Stated];

    /// The word in JSON: `crossing`, `sliding`, `stated`.
    pub fn as_str(self) -> &'static str {
        match self {
            EventKind::Crossing => "crossing",
            EventKind::Sliding => "sliding",
            EventKind::Stated => "stated",
        }
    }
}

/// A crossing of a comparison of the model by the motion, or an event that the model states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event {
    /// Time in s.
    pub t: f64,
    /// Which of them.
    pub kind: EventKind,
    /// The statement, with the number of its instance where it is a loop.
    pub name: String,
    /// What holds from then on, as `y < 0`; of a stated event its condition, as it is written.
    pub condition: String,
    /// 1 where the left side rises above the right one, −1 where it falls below it; 0 where the motion stays
    /// from then on where both are equal, as with friction that sticks, and for an event whose condition
    /// became true without a crossing, by another event or by a time.
    pub direction: i8,
}

impl Event {
    /// Saves or restores it.
    pub(crate) fn state(&mut self, state: &mut State<'_>) {
        let Event { t, kind, name, condition, direction } = self;
        state.number(t);
        state.text(name);
        state.text(condition);
        let mut number = f64::from(*direction);
        state.number(&mut number);
        *direction = number as i8;
        let mut which = EventKind::ALL.iter().position(|one| one == kind).unwrap_or(0);
        state.count(&mut which);
        state.require(which < EventKind::ALL.len());
        *kind = EventKind::ALL.get(which).copied().unwrap_or_default();
    }
}

/// The end of a run by an event of its model.
#[derive(Clone, Debug, PartialEq)]
pub struct StoppedBy {
    /// Time in s.
    pub t: f64,
    /// The event.
    pub event: String,
    /// Why, in the words of the model.
    pub text: String,
}

impl std::fmt::Display for StoppedBy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "stopped by the event `{}`: {}", self.event, self.text)
    }
}

/// A decision during a run that other constraint rows are redundant than before.
#[derive(Clone, Debug, PartialEq)]
pub struct RankChange {
    /// Time in s.
    pub t: f64,
    /// Rows taken back into the equations, by name: they were redundant before.
    pub taken_back: Vec<String>,
    /// All rows that are redundant from then on.
    pub redundant: Vec<Redundant>,
}

impl RankChange {
    /// Between a system before and after.
    pub(crate) fn new(before: &System, after: &System, t: f64, rank: &Rank) -> Self {
        let mut taken_back = Vec::new();
        for (kind, name) in [
            (SlotKind::Lambda, crate::model::Model::holonomic_row_name as fn(&_, _) -> _),
            (SlotKind::Psi, crate::model::Model::nonholonomic_row_name),
        ] {
            let now: Vec<usize> = after.redundant_rows(kind).collect();
            let back = before.redundant_rows(kind).filter(|row| !now.contains(row));
            taken_back.extend(back.map(|row| name(before.model(), row)));
        }
        RankChange { t, taken_back, redundant: rank.redundant.clone() }
    }

    /// Saves or restores it.
    pub(crate) fn state(&mut self, state: &mut State<'_>) {
        let RankChange { t, taken_back, redundant } = self;
        state.number(t);
        state.every(taken_back, String::new(), State::text);
        state.every(redundant, Redundant::default(), |state, one| one.state(state));
    }
}

/// Largest constraint violations over all recorded points and steps, those of redundant rows
/// included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drift {
    /// max |g|.
    pub position: f64,
    /// max |G v + g_t| and |k|.
    pub velocity: f64,
}

/// What the energy E = v·T_v − T + U of a run changed by, and what is known to have changed it:
/// energy = work − dissipated − numerical + jumps, but for what the run got wrong (docs/book/src/accuracy.md).
#[derive(Clone, Debug, PartialEq)]
pub struct Balance {
    /// Change of E since the start, in J.
    pub energy: f64,
    /// What events that the model states changed it by, in J: impacts take it.
    pub jumps: f64,
    /// Work of forces, of prescribed motion and of energies that depend on time, in J.
    pub work: f64,
    /// What dissipation functions took, in J.
    pub dissipated: f64,
    /// What the method's numerical damping took by its own formulas, in J; `None` for a method
    /// without, or of which no formula is known.
    pub numerical: Option<f64>,
    /// The largest remainder at any time of the run, over max |v·T_v − T| + ∫ |power| dt.
    pub closes: f64,
    /// That remainder in J: energy that came from nowhere, negative where it went there.
    pub missing: f64,
    /// The remainder in J up to which tolerance and rounding explain it.
    pub explained: f64,
    /// When, in s.
    pub at: f64,
    /// The statement whose part closes worst, where the balance does not hold.
    pub blamed: Option<String>,
    /// Whether the tolerance explains the remainder.
    pub holds: bool,
}

/// A statement that was evaluated on dual numbers in every step, where a program would have been many
/// times faster: [`System::on_dual_numbers`](crate::assembly::System::on_dual_numbers).
#[derive(Clone, Debug, PartialEq)]
pub struct OnDualNumbers {
    /// Its name.
    pub statement: String,
    /// Its part of the time of the run, of a resumed one since it was resumed; 0 to 1.
    pub share: f64,
}

impl OnDualNumbers {
    /// Those of a system in a run that has taken so many seconds.
    pub(crate) fn of(system: &System, seconds: f64) -> Vec<Self> {
        let each = system.time_on_dual_numbers();
        let share = |taken: f64| if seconds > 0.0 { (taken / seconds).min(1.0) } else { 0.0 };
        each.map(|(name, taken)| OnDualNumbers { statement: name.into(), share: share(taken) })
            .collect()
    }
}

impl std::fmt::Display for OnDualNumbers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({:.0} % of the time)", self.statement, 100.0 * self.share)
    }
}

/// Prescribed steps that do not resolve the motion: the coarsest of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Coarse {
    /// End of the step in s.
    pub t: f64,
    /// Its size in s.
    pub h: f64,
    /// The coordinate or state.
    pub worst: String,
    /// Estimated local error of the steps up to it, over the scale; at most 1 of each step.
    pub error: f64,
}

impl std::fmt::Display for Coarse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Coarse { t, h, worst, error } = self;
        write!(
            f,
            "the prescribed steps do not resolve the motion: about t = {t:.6e} s each step of {h:.1e} s \
             errs by some {:.0} % of the size of `{worst}`. Take shorter steps, or adaptive ones (--tol)",
            100.0 * error
        )
    }
}

/// A comparison that the motion crosses back and forth, step after step.
#[derive(Clone, Debug, PartialEq)]
pub struct Chatter {
    /// Since when, in s.
    pub t: f64,
    /// How often, at least.
    pub changes: usize,
    /// The statement that compares.
    pub name: String,
    /// What it compares, as `v > 0`.
    pub condition: String,
}

impl std::fmt::Display for Chatter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Chatter { t, changes, name, condition } = self;
        write!(
            f,
            "from t = {t:.6e} s on `{condition}` in `{name}` changed back and forth {changes} times: from either \
             side the motion leads back to the boundary, as in friction that sticks, and steps are as short \
             as that takes. With `smooth_step` over a small range in place of the comparison they are not"
        )
    }
}

/// The estimate of a run's global error, each number the largest over the run and relative to the
/// scales of its kind ([`Scales`](crate::scales::Scales)); `None` for what the model does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ErrorEstimate {
    /// Of coordinates and states.
    pub q: Option<f64>,
    /// Of velocities.
    pub v: Option<f64>,
    /// Of multipliers.
    pub lambda: Option<f64>,
    /// How much the motion has magnified the errors made: the largest error over the sum of those that
    /// the steps made themselves. About 1 where they add up, more where the motion carries them
    /// apart, less where they cancel or fade.
    pub growth: Option<f64>,
}

/// Why a run has no estimate of its global error.
#[derive(Clone, Copy, Debug, Default, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Unestimated {
    /// It was not asked for.
    #[default]
    #[error("it was not asked for")]
    NotAsked,
    /// Steps were prescribed.
    #[error("steps are prescribed; adaptive ones (`--tol`) have an estimate")]
    Prescribed,
    /// The run went on from another point, or with other constraint rows.
    #[error("the run began anew at t = {t} s, with other constraints or from another point")]
    Begun {
        /// Time in s.
        t: f64,
    },
    /// The error has become larger than the motion.
    #[error("from t = {t} s on the error is larger than the motion itself")]
    Lost {
        /// Time in s.
        t: f64,
    },
    /// The motion came onto a surface on which a force jumps, or left it, as friction that sticks.
    #[error(
        "from t = {t} s on friction or the like sticks; what that makes of errors is not known"
    )]
    Slides {
        /// Time in s.
        t: f64,
    },
    /// The solution that the run is compared with could not be continued.
    #[error("the solution that the run is compared with could not be continued past t = {t} s")]
    NotFollowed {
        /// Time in s.
        t: f64,
    },
    /// Following the motion takes more than the run itself, as that of vibrations which the method
    /// damps away: too little of it could be looked at.
    #[error(
        "to follow the motion would take more work than the run itself; only {:.0} % of it was compared (a \
         smaller tolerance resolves more of it)", 100.0 * .part
    )]
    Costly {
        /// Part of the time in which the run was compared.
        part: f64,
    },
}

impl Unestimated {
    /// Saves or restores it.
    pub(crate) fn state(&mut self, state: &mut State<'_>) {
        use Unestimated::{Begun, Costly, Lost, NotAsked, NotFollowed, Prescribed, Slides};
        let (mut which, mut at) = match *self {
            NotAsked => (0, 0.0),
            Prescribed => (1, 0.0),
            Begun { t } => (2, t),
            Lost { t } => (3, t),
            NotFollowed { t } => (4, t),
            Costly { part } => (5, part),
            Slides { t } => (6, t),
        };
        state.count(&mut which);
        state.number(&mut at);
        let t = at;
        *self = match which {
            1 => Prescribed,
            2 => Begun { t },
            3 => Lost { t },
            4 => NotFollowed { t },
            5 => Costly { part: at },
            6 => Slides { t },
            _ => NotAsked,
        };
        state.require(which <= 6);
    }
}

impl ErrorEstimate {
    /// Of coordinates, states and velocities, whichever is larger: what
    /// [`certify`](crate::simulation::Simulation::certify) holds against the tolerance.
    pub fn motion(&self) -> f64 {
        self.q.unwrap_or(0.0).max(self.v.unwrap_or(0.0))
    }
}

/// A named, unit-carrying column of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// `t`, `theta`, `der(theta)`, `lambda(close_x)`, an output's name, `energy`, …
    pub name: String,
    /// Unit, empty when none.
    pub unit: String,
    /// Whether it is there for the equations only
    /// ([`Model::is_housekeeping`](crate::model::Model::is_housekeeping)).
    pub housekeeping: bool,
}

/// Takes the rows of a run while it goes
/// ([`Simulation::stream`](crate::simulation::Simulation::stream)).
///
/// A function of a row will do where nobody has to know the columns:
///
/// ```
/// use mbd_core::solution::{OutputError, RowSink};
/// let mut times = Vec::new();
/// let mut sink = |row: &[f64]| -> Result<(), OutputError> {
///     times.push(row[0]);
///     Ok(())
/// };
/// let sink: &mut dyn RowSink = &mut sink;
/// ```
pub trait RowSink {
    /// Called once before the first row, with the columns of the run to come: its model, method,
    /// names and units, and nothing recorded.
    ///
    /// # Errors
    /// An error ends the run.
    fn begin(&mut self, run: &Solution) -> Result<(), OutputError> {
        let _ = run;
        Ok(())
    }

    /// A recorded point: a value per column.
    ///
    /// # Errors
    /// An error ends the run; it is the run's.
    fn row(&mut self, row: &[f64]) -> Result<(), OutputError>;

    /// How many points within the next step it wants besides, evenly spaced, to draw curves through:
    /// none by default. With rows at intervals it gets the ends of the steps as well.
    fn curve_points(&self) -> usize {
        0
    }

    /// One of these points: a value per column. They come in the order of time, with the rows.
    ///
    /// # Errors
    /// An error ends the run.
    fn curve(&mut self, row: &[f64]) -> Result<(), OutputError> {
        let _ = row;
        Ok(())
    }

    /// Saves or restores what it keeps of the rows so far, for a run with checkpoints
    /// ([`checkpoint`](crate::checkpoint)); nothing unless it says otherwise. A resumed run restores
    /// its sink before any row and in place of [`begin`](Self::begin).
    ///
    /// # Errors
    /// An error ends the run.
    fn state(&mut self, state: &mut State<'_>) -> Result<(), OutputError> {
        let _ = state;
        Ok(())
    }
}

impl<F: FnMut(&[f64]) -> Result<(), OutputError>> RowSink for F {
    fn row(&mut self, row: &[f64]) -> Result<(), OutputError> {
        self(row)
    }
}

/// What a run recorded; the first and the last point of one whose rows were
/// [streamed](crate::simulation::Simulation::stream).
#[derive(Clone)]
pub struct Solution {
    /// Name of the model.
    pub model: String,
    /// Name of the method.
    pub method: String,
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
    /// What is to be known of a run that did not fail, in whole sentences.
    pub warnings: Vec<String>,
    /// Prescribed steps that do not resolve the motion, the coarsest of them; also among the warnings.
    pub coarse: Option<Coarse>,
    /// The statements that no program could be made of, with what they took.
    pub on_dual_numbers: Vec<OnDualNumbers>,
    /// Constraint rows that were redundant at the start, not in the equations.
    pub redundant: Vec<Redundant>,
    /// Where others were from then on.
    pub rank_changes: Vec<RankChange>,
    /// Where the motion crossed comparisons of the model and where stated events happened, in order.
    pub events: Vec<Event>,
    /// The estimate of the global error, or why there is none.
    pub error_estimate: Result<ErrorEstimate, Unestimated>,
    /// Every accepted step; empty for a run whose rows were
    /// [streamed](crate::simulation::Simulation::stream).
    pub steps: Vec<StepRecord>,
    columns: Vec<Column>,
    groups: Vec<(ColumnKind, std::ops::Range<usize>)>,
    data: Vec<f64>,
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

/// Kinds of columns, in recording order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// A scalar of the model.
    Slot(SlotKind),
    /// A named output.
    Output,
    /// `kinetic`, `potential`, `energy` in J.
    Energy,
}

const RECORDED: [SlotKind; 8] = [
    SlotKind::T,
    SlotKind::Q,
    SlotKind::V,
    SlotKind::A,
    SlotKind::X,
    SlotKind::Lambda,
    SlotKind::Psi,
    SlotKind::W,
];

/// Which scalars of a kind are recorded: all but the shares with which surfaces hold the motion.
fn recorded(system: &System, kind: SlotKind) -> std::ops::Range<usize> {
    match kind {
        SlotKind::Psi => 0..system.model().stated_nonholonomic(),
        _ => 0..system.layout().range(kind).len(),
    }
}

/// Unit of the time derivative of something in `unit`.
pub fn rate_unit(unit: &str) -> String {
    match unit {
        "" => "1/s".into(),
        u if u.ends_with("/s") => format!("{u}^2"),
        u if u.ends_with("/s^2") => format!("{}/s^3", &u[..u.len() - 4]),
        u => format!("{u}/s"),
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
        Solution {
            model: model.name().into(),
            method: method.into(),
            status: Status::Finished,
            error: None,
            stopped: None,
            stats: Stats::default(),
            drift: Drift::default(),
            balance: None,
            assumed_scales: Vec::new(),
            warnings: Vec::new(),
            coarse: None,
            on_dual_numbers: Vec::new(),
            redundant: Vec::new(),
            rank_changes: Vec::new(),
            events: Vec::new(),
            error_estimate: Err(Unestimated::NotAsked),
            steps: Vec::new(),
            columns,
            groups,
            data: Vec::new(),
        }
    }

    /// Records a point with its energies.
    pub fn record(&mut self, system: &System, point: &Point, kinetic: f64, potential: f64) {
        for kind in RECORDED {
            self.data.extend_from_slice(&point.get(kind)[recorded(system, kind)]);
        }
        system.outputs(point, &mut self.data);
        self.data.extend([kinetic, potential, kinetic + potential]);
    }

    /// Forgets the last point.
    pub(crate) fn forget_last(&mut self) {
        self.data.truncate(self.data.len().saturating_sub(self.columns.len()));
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
        self.columns.iter().position(|c| c.name == name).ok_or_else(|| OutputError::UnknownColumn {
            name: name.into(),
            suggestion: crate::error::nearest(name, self.columns.iter().map(|c| &*c.name)),
        })
    }

    /// A column by name: `theta`, `der(theta)`, `lambda(close_x)`, an output, `energy`.
    ///
    /// # Errors
    /// [`OutputError::UnknownColumn`] with the nearest name.
    pub fn series(&self, name: &str) -> Result<Vec<f64>, OutputError> {
        Ok(self.column(self.find(name)?))
    }
}

/// Errors of reading or writing a solution.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// A name no column has.
    #[error("there is no `{name}` in this run{}", .suggestion.as_ref().map_or(String::new(), |s| format!("; did you mean `{s}`?")))]
    UnknownColumn {
        /// The name asked for.
        name: String,
        /// The nearest existing name.
        suggestion: Option<String>,
    },
    /// A file that cannot be written.
    #[error("cannot write `{path}`: {reason}")]
    Write {
        /// The file.
        path: String,
        /// What the operating system said, and what to do about it.
        reason: String,
    },
    /// A file that cannot be read.
    #[error("cannot read `{path}`: {reason}")]
    Read {
        /// The file.
        path: String,
        /// What the operating system said.
        reason: String,
    },
    /// Nothing was recorded.
    #[error("nothing was recorded")]
    Empty,
}

impl OutputError {
    /// A file that cannot be written, with what can be done about it.
    pub fn write(path: impl Into<String>, error: &std::io::Error) -> Self {
        use std::io::ErrorKind;
        let mend = match error.kind() {
            ErrorKind::NotFound => "; check that the folder exists",
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                "; check that the folder and the file may be written to"
            }
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                "; make room, write elsewhere, or write fewer rows (`every`)"
            }
            ErrorKind::BrokenPipe => "; whoever was to read it has gone",
            _ => "",
        };
        OutputError::Write { path: path.into(), reason: format!("{error}{mend}") }
    }
}
