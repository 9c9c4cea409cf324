//! Stated events: a condition, and what happens at the instant at which it becomes true.
//!
//! What the condition compares are [guards](crate::integrate) like those of any statement: they are held on
//! their sides, and steps end where the motion crosses them. An event adds nothing to the equations.

use crate::equation::{Layout, SlotKind};
use crate::statement::{Element, Rows};

/// An event statement; an instance for each iteration of the loops around it.
pub struct Stated {
    pub(crate) name: String,
    /// The condition as it is written.
    pub(crate) text: String,
    /// 1 where the condition holds, else 0; a second row is 1 or −1 by the side of what has to be met exactly
    /// (`==`).
    pub(crate) condition: Element,
    pub(crate) actions: Vec<Action>,
    /// Of what happens by the clock the period and the phase.
    pub(crate) every: Option<Element>,
    pub(crate) layout: Option<Layout>,
}

/// What an event may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settable {
    Velocity,
    State,
    Mode,
}

/// How an impulse comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Law {
    /// Its size is given, in N s along a length.
    Given,
    /// Newton's law of restitution along the first direction, Coulomb's friction along a second; the values are
    /// the coefficient of restitution, and that of friction.
    Restitution,
}

/// What happens.
pub(crate) enum Action {
    /// A scalar of each instance takes a value.
    Set { what: Settable, value: Element, targets: Vec<usize> },
    /// Impulses along positions; of an impact the row of its first instance, if the model declares it.
    Impulse { along: Box<Element>, law: Law, values: Element, row: Option<usize> },
    /// The run ends.
    Stop { text: String },
}

impl Action {
    /// Whether velocities may jump by it.
    pub(crate) fn strikes(&self) -> bool {
        match self {
            Action::Set { what, .. } => *what == Settable::Velocity,
            Action::Impulse { .. } => true,
            Action::Stop { .. } => false,
        }
    }

    pub(crate) fn elements(&self) -> Vec<&Element> {
        match self {
            Action::Set { value, .. } => vec![value],
            Action::Impulse { along, values, .. } => vec![along, values],
            Action::Stop { .. } => Vec::new(),
        }
    }

    pub(crate) fn elements_mut(&mut self) -> Vec<&mut Element> {
        match self {
            Action::Set { value, .. } => vec![value],
            Action::Impulse { along, values, .. } => vec![along, values],
            Action::Stop { .. } => Vec::new(),
        }
    }
}

impl Stated {
    pub(crate) fn new(name: &str, text: &str, condition: Element) -> Self {
        Stated {
            name: name.into(),
            text: text.into(),
            condition,
            actions: Vec::new(),
            every: None,
            layout: None,
        }
    }

    /// Whether the condition of an instance holds at a flat point, and the side of what has to be met exactly.
    pub(crate) fn truth(&self, i: usize, y: &[f64]) -> (bool, i8) {
        let mut rows = Vec::new();
        self.condition.values(i, y, &mut rows);
        let side = rows.get(1).map_or(0, |side| side.signum() as i8);
        (rows.first().is_some_and(|holds| *holds == 1.0), side)
    }

    /// Whether a condition, or what is set, reads what follows from the motion: accelerations, multipliers, rates of
    /// states, variables.
    pub(crate) fn reads_solution(&self) -> bool {
        let kinds = [SlotKind::A, SlotKind::Lambda, SlotKind::Psi, SlotKind::Xd, SlotKind::W];
        let reads = |element: &Element| kinds.into_iter().any(|kind| element.reads(kind));
        let actions = || self.actions.iter().flat_map(Action::elements);
        reads(&self.condition) || actions().any(reads)
    }

    /// Whether it happens by the clock.
    pub(crate) fn is_sample(&self) -> bool {
        self.every.is_some()
    }

    /// The period and the phase in s of an instance that happens by the clock.
    pub(crate) fn every(&self, i: usize, y: &[f64]) -> Option<[f64; 2]> {
        let mut rows = Vec::new();
        self.every.as_ref()?.values(i, y, &mut rows);
        rows.first_chunk().copied()
    }

    /// Number of instances.
    pub(crate) fn instances_of(&self) -> usize {
        self.condition.len()
    }

    /// The name of an instance: `hit`, `hit[2]`.
    pub(crate) fn instance_name(&self, i: usize) -> String {
        if self.condition.len() == 1 { self.name.clone() } else { format!("{}[{i}]", self.name) }
    }

    /// The gradient of each direction of an impulse by the coordinates, its rate at the velocities of the point,
    /// and the part of the rate that does not come from velocities.
    pub(crate) fn directions(&self, along: &Element, i: usize, y: &[f64]) -> Vec<Direction> {
        let v = self.layout.map_or(0, |layout| layout.range(SlotKind::V).start);
        let mut rows = Rows::default();
        along.gradients(i, y, &mut rows);
        let one = |(_, gradient): (f64, &[f64])| {
            let mut direction = Direction::default();
            for (k, &slope) in gradient.iter().enumerate() {
                match along.kind(k) {
                    SlotKind::Q => {
                        direction.rate += slope * y[v + along.slot(i, k)];
                        direction.gradient.push((along.slot(i, k), slope));
                    }
                    SlotKind::T => direction.by_time += slope,
                    _ => {}
                }
            }
            direction.rate += direction.by_time;
            direction
        };
        rows.iter().map(one).collect()
    }
}

/// A direction in which an impulse acts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Direction {
    /// By coordinates; a coordinate may stand there more than once.
    pub(crate) gradient: Vec<(usize, f64)>,
    /// s_q v + s_t.
    pub(crate) rate: f64,
    /// s_t.
    pub(crate) by_time: f64,
}
