//! Stated events: a condition, and what happens at the instant at which it becomes true.
//!
//! What the condition compares are [guards](crate::integrate) like those of any statement: they are held on
//! their sides, and steps end where the motion crosses them. An event adds nothing to the equations.

use super::element::{Element, Rows};
use crate::assembly::{ElementGroup, Layout, RowSink, Sink, SlotKind, Term, Units, Want, Weights};
use crate::model::ModelError;
use crate::program::Pieces;
use crate::scalar::{Dimension, Watch, Watched};
use std::ops::Range;

/// An event statement; an instance for each iteration of the loops around it.
pub struct Stated {
    pub(crate) name: String,
    /// The condition as it is written.
    pub(crate) text: String,
    /// 1 where the condition holds, else 0; a second row is 1 or −1 by the side of what has to be met exactly
    /// (`==`).
    condition: Element,
    pub(crate) actions: Vec<Action>,
    layout: Option<Layout>,
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
    /// An impulse along positions.
    Impulse { along: Box<Element>, law: Law, values: Element },
    /// The run ends.
    Stop { text: String },
}

impl Action {
    fn elements(&self) -> Vec<&Element> {
        match self {
            Action::Set { value, .. } => vec![value],
            Action::Impulse { along, values, .. } => vec![along, values],
            Action::Stop { .. } => Vec::new(),
        }
    }

    fn elements_mut(&mut self) -> Vec<&mut Element> {
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

impl ElementGroup for Stated {
    fn name(&self) -> &str {
        &self.name
    }

    fn instances(&self) -> usize {
        self.condition.len()
    }

    fn bind(&mut self, layout: &Layout, initial: &[f64]) -> Result<(), ModelError> {
        self.layout = Some(*layout);
        self.condition.bind(&self.name, layout, initial)?;
        for element in self.actions.iter_mut().flat_map(Action::elements_mut) {
            element.bind(&self.name, layout, initial)?;
        }
        Ok(())
    }

    fn hold(&mut self, initial: &[f64], next: &mut usize) {
        self.condition.hold(initial, next);
    }

    fn sees(&self) -> Watch {
        self.condition.sees()
    }

    fn watch(&self, i: usize, y: &[f64], ask: Watch, out: &mut Watched) {
        self.condition.watch(i, y, ask, out);
        // What it reads besides.
        if ask.paths {
            let elements = self.actions.iter().flat_map(Action::elements);
            elements.for_each(|element| element.watch(i, y, ask, out));
        }
    }

    fn event(&self) -> Option<&Stated> {
        Some(self)
    }

    fn terms(&self) -> Vec<Term> {
        Vec::new()
    }

    fn entries(&self, _: Term, _: usize, _: &mut Vec<Option<(u32, u32)>>) {}

    fn balances(&self) -> bool {
        true
    }

    fn pieces(&self, _: usize, _: &[f64], _: &mut Pieces) -> Option<()> {
        Some(())
    }

    fn units(&self, i: usize, y: &[f64], units: &mut Units<'_>) {
        self.condition.quantities(i, y, &self.name, units);
        for action in &self.actions {
            match action {
                Action::Set { what, value, targets } => {
                    let expected = match what {
                        Settable::Velocity => units.of(SlotKind::V, targets[i]),
                        Settable::State => units.of(SlotKind::X, targets[i]),
                        Settable::Mode => None,
                    };
                    for row in value.quantities(i, y, &self.name, units) {
                        units.require(&self.name, "the value set", row, expected);
                    }
                }
                Action::Impulse { along, law, values } => {
                    along.quantities(i, y, &self.name, units);
                    let pure = (*law == Law::Restitution).then_some(Dimension::ONE);
                    for row in values.quantities(i, y, &self.name, units) {
                        units.require(&self.name, "the coefficient", row, pure);
                    }
                }
                Action::Stop { .. } => {}
            }
        }
    }

    fn residual(&self, _: Range<usize>, _: &[f64], _: &Weights<'_>, _: Want, _: &mut RowSink<'_>) {}

    fn residual_param(&self, _: &[f64], _: &Weights<'_>, _: Want, _: u32, _: &mut RowSink<'_>) {}

    fn matrix(&self, _: Range<usize>, _: &[f64], _: &Weights<'_>, _: &mut Sink<'_>) {}
}
