//! A model with what a run states of it: scales, initial values, inputs; and the system it starts as.

use super::feed;
use crate::assembly::{Derivatives, Point, System};
use crate::error::{Error, OptionError, nearest};
use crate::integrate::Step;
use crate::model::{Label, Model, ModelError, Starts};
use crate::signal::Signal;
use crate::start::{self, StartReport};

/// A system at a consistent starting point.
pub struct Started {
    /// The system, its redundant rows declared.
    pub system: System,
    /// The starting point: q, v, x on the constraints, a, λ, ψ, ẋ, w solving the equations of
    /// motion.
    pub point: Point,
    /// What assembly moved, the degrees of freedom, redundant rows.
    pub report: StartReport,
}

/// How a scale is stated.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Stated {
    Scale,
    Tolerance,
}

impl Stated {
    fn option(self) -> &'static str {
        match self {
            Stated::Scale => "scale",
            Stated::Tolerance => "atol",
        }
    }
}

pub(super) fn begin(
    mut model: Model,
    initial: &[(String, f64)],
    inputs: &[(String, Signal)],
    (t_start, derivatives): (f64, Derivatives),
) -> Result<Started, Error> {
    let (starts, others): (Vec<_>, Vec<_>) =
        initial.iter().partition(|(name, _)| model.has_start(name.trim()));
    if !starts.is_empty() {
        let given = starts.into_iter().map(|(name, value)| {
            finite(*value)?;
            Ok((name.trim().to_string(), *value))
        });
        model.start_with(&Starts(given.collect::<Result<_, OptionError>>()?))?;
    }
    for (name, value) in others {
        set_initial(&mut model, name, *value)?;
    }
    let mut system = System::new(model);
    system.set_derivatives(derivatives);
    feed::feed(&mut system, inputs, t_start)?;
    let mut point = system.initial_point();
    point.set_t(t_start);
    system.feed(&mut point);
    let report = start::start(&mut system, &mut point)?;
    Ok(Started { system, point, report })
}

/// The model with stated scales; those given as tolerances over that of the run.
pub(super) fn stated(
    model: Result<Model, ModelError>,
    scales: &[(String, f64, Stated)],
    step: &Step,
) -> Result<Model, Error> {
    let mut model = model?;
    for (name, value, stated) in scales {
        let option = stated.option();
        if !(*value > 0.0 && value.is_finite()) {
            let range = "it is positive, in the unit of what it belongs to";
            return Err(OptionError::OutOfRange { name: option, value: *value, range }.into());
        }
        let scale = match (stated, step) {
            (Stated::Scale, _) => *value,
            (Stated::Tolerance, Step::Adaptive { tolerance, .. }) => value / tolerance,
            (Stated::Tolerance, _) => return Err(OptionError::FixedStep { option }.into()),
        };
        set_scale(&mut model, option, name.trim(), scale)?;
    }
    Ok(model)
}

fn set_scale(
    model: &mut Model,
    option: &'static str,
    name: &str,
    scale: f64,
) -> Result<(), OptionError> {
    let is = |label: &Label| {
        label.name == name || label.name.split_once('[').is_some_and(|(array, _)| array == name)
    };
    let of_q: Vec<bool> = model.coords().iter().map(is).collect();
    let of_x: Vec<bool> = model.states().iter().map(is).collect();
    if of_q.iter().chain(&of_x).all(|is| !is) {
        let labels = model.coords().iter().chain(model.states());
        return Err(OptionError::UnknownName {
            option,
            name: name.into(),
            what: "a coordinate or a state of this model",
            suggestion: nearest(name, labels.map(|label| &*label.name)),
        });
    }
    let initial = model.initial_mut();
    for (list, chosen) in [(&mut initial.scale_q, of_q), (&mut initial.scale_x, of_x)] {
        for (stated, _) in list.iter_mut().zip(chosen).filter(|(_, chosen)| *chosen) {
            *stated = Some(scale);
        }
    }
    Ok(())
}

fn finite(value: f64) -> Result<(), OptionError> {
    let range = "an initial value is a finite number";
    match value.is_finite() {
        true => Ok(()),
        false => Err(OptionError::OutOfRange { name: "init", value, range }),
    }
}

/// Sets an initial value by name.
fn set_initial(model: &mut Model, name: &str, value: f64) -> Result<(), OptionError> {
    let name = name.trim();
    let position = |labels: &[crate::model::Label], name: &str| {
        labels.iter().position(|label| label.name == name)
    };
    let inner = name.strip_prefix("der(").and_then(|n| n.strip_suffix(')'));
    finite(value)?;
    if let Some(i) = inner.and_then(|inner| position(model.coords(), inner.trim())) {
        let initial = model.initial_mut();
        (initial.v[i], initial.keep_v[i]) = (value, true);
    } else if let Some(i) = position(model.coords(), name) {
        let initial = model.initial_mut();
        (initial.q[i], initial.keep_q[i]) = (value, true);
    } else if let Some(i) = position(model.states(), name) {
        model.initial_mut().x[i] = value;
    } else if let Some(i) = position(model.variables(), name) {
        model.initial_mut().w[i] = value;
    } else if let Some(i) = position(model.modes(), name) {
        model.initial_mut().modes[i] = value;
    } else if let Some((name, reason)) = model.startable.not.iter().find(|not| not.0 == name) {
        return Err(OptionError::NoStart { name: name.clone(), reason: reason.clone() });
    } else {
        let mut names: Vec<String> = model.startable.names.iter().map(|n| n.to_string()).collect();
        for label in model.coords() {
            names.extend([label.name.clone(), format!("der({})", label.name)]);
        }
        let others = model.states().iter().chain(model.variables()).chain(model.modes());
        names.extend(others.map(|l| l.name.clone()));
        return Err(OptionError::UnknownName {
            option: "init",
            name: name.into(),
            what: "a coordinate, a velocity `der(coordinate)`, a joint's coordinate or rate, a state or a mode of this model",
            suggestion: nearest(name, names.iter().map(|n| &**n)),
        });
    }
    Ok(())
}
