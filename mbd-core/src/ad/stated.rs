//! Stated events as a group of elements: they add nothing to the equations.

use crate::equation::{Layout, SlotKind, Term, Want, Weights};
use crate::graph::Pieces;
use crate::scalar::Dimension;
use crate::statement::ModelError;
use crate::statement::{Action, Law, Settable, Stated};
use crate::statement::{ElementGroup, RowSink, Sink, Units};
use crate::statement::{Watch, Watched};
use std::ops::Range;

/// Periods to the time that samples are counted from: beyond, numbers cannot tell two of them apart by much.
const MOST_PERIODS: f64 = 1e14;

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
        let actions = self.actions.iter_mut().flat_map(Action::elements_mut);
        for element in actions.chain(&mut self.every) {
            element.bind(&self.name, layout, initial)?;
        }
        for i in 0..self.condition.len() {
            let Some([period, phase]) = self.every(i, initial) else { continue };
            let bad = |value, reason: &str| {
                let name = format!("sample {}", self.instance_name(i));
                Err(ModelError::BadValue { name, value, reason: reason.into() })
            };
            if !(period > 0.0 && period.is_finite()) {
                return bad(period, "a sampling period is positive and finite [s]");
            }
            if !phase.is_finite() {
                return bad(phase, "the time that samples are counted from is finite [s]");
            }
            // Samples next to each other would have the same time.
            if phase.abs() > MOST_PERIODS * period {
                let reason = "the time that samples are counted from is so many periods away that they cannot be told \
                              apart [s]";
                return bad(phase, reason);
            }
        }
        Ok(())
    }

    fn hold(&mut self, initial: &[f64], next: &mut usize) {
        self.condition.hold(initial, next);
    }

    fn sees(&self) -> Watch {
        self.condition.sees()
    }

    fn reads(&self, i: usize, flat: usize) -> bool {
        self.condition.reads_param(i, flat as u32)
    }

    fn watch(&self, i: usize, y: &[f64], ask: Watch, out: &mut Watched) {
        self.condition.watch(i, y, ask, out);
        // What it reads besides.
        if ask.paths {
            let elements = self.actions.iter().flat_map(Action::elements).chain(&self.every);
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
        let times = self.every.as_ref().map(|every| every.quantities(i, y, &self.name, units));
        for row in times.into_iter().flatten() {
            units.require(&self.name, "the sampling time", row, Some(Dimension::SECOND));
        }
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
                Action::Impulse { along, law, values, .. } => {
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
