//! What happened in a run.

use crate::assembly::{SlotKind, System};
use crate::start::{Rank, Redundant};
use crate::state::State;

/// What an event of a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EventKind {
    /// The motion crossed a comparison of the model, or a stated event set modes.
    #[default]
    Switch,
    /// A stated event made velocities or states jump.
    Jump,
    /// The motion came to a comparison at which a force jumps and stays there, as friction that sticks.
    Stick,
    /// It left one.
    Slip,
    /// A contact, or a constraint that holds `while` a mode does, holds from then on.
    Close,
    /// It holds no more.
    Open,
    /// A stated event ended the run.
    Stop,
}

impl EventKind {
    /// All of them.
    const ALL: [EventKind; 7] = [
        EventKind::Switch,
        EventKind::Jump,
        EventKind::Stick,
        EventKind::Slip,
        EventKind::Close,
        EventKind::Open,
        EventKind::Stop,
    ];

    /// The word in JSON: `switch`, `jump`, `stick`, `slip`, `close`, `open`, `stop`.
    pub fn as_str(self) -> &'static str {
        match self {
            EventKind::Switch => "switch",
            EventKind::Jump => "jump",
            EventKind::Stick => "stick",
            EventKind::Slip => "slip",
            EventKind::Close => "close",
            EventKind::Open => "open",
            EventKind::Stop => "stop",
        }
    }
}

/// What a jump of velocities has brought about: the integral of a reaction over the instant.
///
/// ```text
///     M (v⁺ − v⁻) + GᵀΛ + KᵀΨ = J
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Impulse {
    /// `lambda(rod)`, `psi(roll)`: Λ and Ψ, the impulses that λ and ψ of that name have at the instant, with their
    /// signs; of a contact that meets or feels the blow, `lambda(hit)` pushes its gap open, and `friction(hit)`
    /// acts along what its friction is along. `der(x)`: what gives a velocity that the event sets its value, along
    /// that coordinate. `hinge.impulse[0]`: of a joint or rod between bodies, the impulse on the second body,
    /// in the ground's axes, as `hinge.force`.
    pub name: String,
    /// In the unit of that force, times s.
    pub value: f64,
}

impl Impulse {
    pub(crate) fn new(name: String, value: f64) -> Self {
        Impulse { name, value }
    }

    fn state(&mut self, state: &mut State<'_>) {
        let Impulse { name, value } = self;
        state.text(name);
        state.number(value);
    }
}

/// A crossing of a comparison of the model by the motion, or an event that the model states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event {
    /// Time in s.
    pub t: f64,
    /// Which of them.
    pub kind: EventKind,
    /// The statement, with the number of its instance where it is a loop; the constraint that closes or opens.
    pub name: String,
    /// What holds from then on, as `y < 0`, or `der(x) = 0` where friction sticks; of a stated event its condition, as it
    /// is written; of a contact or constraint `closes` or `opens`.
    pub condition: String,
    /// 1 where the left side of the comparison rises above the right one, −1 where it falls below it. Where the motion
    /// sticks: the way in which it came there. Of a stated event that of the comparison by which its condition became
    /// true, or of the first which it needs where another event made it true; 1 where it compares nothing. Of what
    /// closes −1, of what opens 1.
    pub direction: i8,
    /// Where velocities jump, the impulses of all constraints and contacts; of several events at one instant they
    /// stand with the first. Those that the model gives itself are not among them.
    pub impulses: Vec<Impulse>,
}

impl Event {
    /// The impulse of this name, 0 where there is none.
    pub fn impulse(&self, name: &str) -> f64 {
        self.impulses.iter().find(|impulse| impulse.name == name).map_or(0.0, |one| one.value)
    }

    /// Saves or restores it.
    pub(crate) fn state(&mut self, state: &mut State<'_>) {
        let Event { t, kind, name, condition, direction, impulses } = self;
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
        state.every(impulses, Impulse::default(), |state, one| one.state(state));
    }
}

/// The end of a run by an event of its model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoppedBy {
    /// Time in s.
    pub t: f64,
    /// The event.
    pub event: String,
    /// Why, in the words of the model.
    pub text: String,
}

impl StoppedBy {
    pub(crate) fn state(&mut self, state: &mut State<'_>) {
        let StoppedBy { t, event, text } = self;
        state.number(t);
        state.text(event);
        state.text(text);
    }
}

impl std::fmt::Display for StoppedBy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "stopped by the event `{}`: {}", self.event, self.text)
    }
}

/// So many changes of redundant rows are kept in any case.
const RANK_CHANGES_KEPT: usize = 32;

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

    /// Whether it is one of the first, or leaves open what none of those kept before does: what turns leaves out
    /// other rows with every turn.
    pub(crate) fn is_to_be_kept(&self, before: &[RankChange]) -> bool {
        before.len() < RANK_CHANGES_KEPT || self.opens_more(before)
    }

    /// Whether it leaves open what none of those before does.
    pub(crate) fn opens_more(&self, before: &[RankChange]) -> bool {
        let open = |of: &[RankChange], named: fn(&Redundant) -> Vec<&String>, name: &String| {
            of.iter().flat_map(|change| &change.redundant).any(|row| named(row).contains(&name))
        };
        let rows: fn(&Redundant) -> Vec<&String> =
            |row| row.depends_on.iter().chain([&row.row]).collect();
        let outputs: fn(&Redundant) -> Vec<&String> = |row| row.outputs.iter().collect();
        let opens_more = |named: fn(&Redundant) -> Vec<&String>| {
            self.redundant.iter().flat_map(named).any(|name| !open(before, named, name))
        };
        opens_more(rows) || opens_more(outputs)
    }

    /// Saves or restores it.
    pub(crate) fn state(&mut self, state: &mut State<'_>) {
        let RankChange { t, taken_back, redundant } = self;
        state.number(t);
        state.every(taken_back, String::new(), State::text);
        state.every(redundant, Redundant::default(), |state, one| one.state(state));
    }
}
