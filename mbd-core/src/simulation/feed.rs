//! Feeding the inputs of a model with signals.

use crate::assembly::System;
use crate::checkpoint;
use crate::error::{Error, InputError, OptionError, nearest};
use crate::model::Model;
use crate::signal::{Need, Signal};

/// Feeds inputs by name, and checks that each has what the statements need that read it.
pub(super) fn feed(system: &mut System, inputs: &[(String, Signal)], t: f64) -> Result<(), Error> {
    for (name, signal) in inputs {
        for index in find(system.model(), name.trim())? {
            check_smooth(system.model(), index, signal)?;
            check_finite(system.model(), index, signal, t)?;
            system.set_signal(index, signal.clone());
        }
    }
    Ok(())
}

/// The inputs of a name, by their numbers: one, or those of an array.
pub(super) fn find(model: &Model, name: &str) -> Result<Vec<usize>, OptionError> {
    let all = model.inputs().enumerate();
    let found: Vec<usize> = all.filter(|(_, label)| label.is_of(name)).map(|(i, _)| i).collect();
    if found.is_empty() {
        let names = model.inputs().map(|label| &*label.name);
        return Err(OptionError::UnknownName {
            option: "input",
            name: name.into(),
            what: if model.inputs().len() == 0 {
                "an input of this model, which has none (`input u: [N] = 0.0;` declares one)"
            } else {
                "an input of this model"
            },
            suggestion: nearest(name, names),
        });
    }
    Ok(found)
}

fn check_smooth(model: &Model, index: usize, signal: &Signal) -> Result<(), InputError> {
    let Some((need, statement)) = model.input_need(index) else { return Ok(()) };
    if signal.gives() >= need {
        return Ok(());
    }
    let (is, mend) = signal.described();
    Err(InputError::NotSmooth {
        input: name_of(model, index),
        is,
        statement: statement.into(),
        need,
        mend,
    })
}

fn check_finite(model: &Model, index: usize, signal: &Signal, t: f64) -> Result<(), InputError> {
    let value = signal.value(t);
    if value.is_finite() {
        return Ok(());
    }
    Err(InputError::NotFinite { input: name_of(model, index), value, t })
}

/// Whether an input may be set from step to step, to a value.
pub(super) fn check_held(
    system: &System,
    index: usize,
    value: f64,
    t: f64,
) -> Result<(), InputError> {
    let model = system.model();
    check_finite(model, index, &Signal::constant(value), t)?;
    let input = || name_of(model, index);
    if system.signals()[index].is_function() {
        return Err(InputError::Fed { input: input() });
    }
    match model.input_need(index) {
        Some((need, statement)) if need > Need::Value => Err(InputError::NotSmooth {
            input: input(),
            is: "set from step to step, where it jumps",
            statement: statement.into(),
            need,
            mend: "feed it with a smooth signal (`Simulation::input`)",
        }),
        _ => Ok(()),
    }
}

/// Whether the tables are known over a span of time.
pub(super) fn check_range(system: &System, needed: [f64; 2]) -> Result<(), InputError> {
    for (index, signal) in system.signals().iter().enumerate() {
        let known = signal.range();
        // An end that rounding has put beyond the last row is that row's.
        let rounding = 4.0 * f64::EPSILON * needed[1].abs();
        if needed[0] < known[0] || needed[1] > known[1] + rounding {
            let input = name_of(system.model(), index);
            return Err(InputError::Range { input, known, needed });
        }
    }
    Ok(())
}

pub(super) fn name_of(model: &Model, index: usize) -> Box<str> {
    model.inputs().nth(index).map_or("", |label| &label.name).into()
}

/// What tells signals from others, where that can be told.
pub(super) fn identity(system: &System) -> String {
    let all: Vec<String> = system.signals().iter().map(|signal| format!("{signal:?}")).collect();
    let text = all.join("; ");
    if text.len() <= 80 { text } else { format!("{:016x}", checkpoint::hash(text.as_bytes())) }
}
