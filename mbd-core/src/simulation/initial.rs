//! A model with what a run states of it: scales, initial values, inputs; and the system it starts as.

use super::feed;
use crate::assembly::{Derivatives, Point, System};
use crate::components::SpatialFrame;
use crate::components::spatial::euler_rate;
use crate::error::{Error, OptionError, nearest};
use crate::integrate::Step;
use crate::model::{Label, Model, ModelError, Starts};
use crate::scalar::Num;
use crate::signal::Signal;
use crate::start::{self, StartReport};
use std::collections::BTreeMap;

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
        let given =
            starts.into_iter().map(|(name, value)| Ok((name.trim().to_string(), finite(*value)?)));
        model.start_with(&Starts(given.collect::<Result<_, OptionError>>()?))?;
    }
    let mut turning: BTreeMap<(String, bool), [Option<f64>; 3]> = BTreeMap::new();
    for (name, value) in others {
        match turned(&model, name) {
            Some((of, k)) => turning.entry(of).or_default()[k] = Some(finite(*value)?),
            None => {
                let name = entry(&model, name);
                set_initial(&mut model, &name, *value)?;
            }
        }
    }
    // How fast a body turns depends on how it lies.
    for ((body, ground), omega) in turning {
        turn(&mut model, &body, ground, omega)?;
    }
    let mut system = System::new(model);
    system.set_derivatives(derivatives);
    feed::feed(&mut system, inputs, t_start)?;
    let mut point = system.initial_point();
    point.set_t(t_start);
    system.feed(&mut point);
    check_samples(&system, &point)?;
    let report = start::start(&mut system, &mut point)?;
    Ok(Started { system, point, report })
}

/// Periods of a sampled controller until the start, beyond which one more makes no difference.
const MOST_PERIODS: f64 = 1e15;

/// Refuses a start so late that samples cannot be counted any more.
fn check_samples(system: &System, start: &Point) -> Result<(), OptionError> {
    let (t, stated) = (start.t(), system.groups().filter_map(|group| group.event()));
    let mut each = stated.flat_map(|event| {
        (0..event.instances_of()).filter_map(move |i| event.every(i, start.flat()))
    });
    match each.any(|[period, phase]| (t - phase).abs() > MOST_PERIODS * period) {
        true => Err(OptionError::OutOfRange {
            name: "t_start",
            value: t,
            range: "a run with a sampled controller begins so soon that its periods can be told apart",
        }),
        false => Ok(()),
    }
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
    let is = |label: &Label| label.is_of(name);
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

fn finite(value: f64) -> Result<f64, OptionError> {
    let range = "an initial value is a finite number";
    match value.is_finite() {
        true => Ok(value),
        false => Err(OptionError::OutOfRange { name: "init", value, range }),
    }
}

/// A member of a body, or of a joint that is a ball, with the number of an entry: `arm`, `position` and 2 of
/// `arm.position[2]`.
fn member(name: &str) -> Option<(&str, &str, usize)> {
    let (vector, k) = name.trim().strip_suffix(']')?.rsplit_once('[')?;
    let (body, what) = vector.rsplit_once('.')?;
    Some((body, what, k.parse().ok()?))
}

fn coordinate(model: &Model, name: &str) -> Option<usize> {
    model.coords().iter().position(|label| label.name == name)
}

/// The coordinates that say how a body lies in space.
fn euler(model: &Model, body: &str) -> Option<[usize; 4]> {
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| coordinate(model, &format!("{body}.e{k}")));
    Some([a?, b?, c?, d?])
}

/// Which entry of an angular velocity in space is meant, of which body, and whether it is in the ground's axes.
fn turned(model: &Model, name: &str) -> Option<((String, bool), usize)> {
    let (body, what, k) = member(name)?;
    let ground = match what {
        "omega" => false,
        "omega_ground" => true,
        _ => return None,
    };
    euler(model, body).filter(|_| k < 3).map(|_| ((body.to_string(), ground), k))
}

/// The name of the scalar that an entry of a body's vector is: `arm.z` for `arm.position[2]`.
fn entry(model: &Model, name: &str) -> String {
    let named = || {
        let plain = name.trim().strip_suffix(".omega").map(|body| (body, "omega", 0));
        let (body, what, k) = member(name).or(plain)?;
        let axis = ["x", "y", "z"].get(k);
        let (of, rate) = match what {
            "position" => (format!("{body}.{}", axis?), false),
            "velocity" => (format!("{body}.{}", axis?), true),
            "e" => (format!("{body}.e{k}"), false),
            "rate" => (format!("{body}.e{k}"), true),
            "omega" => (format!("{body}.theta"), true),
            _ => return None,
        };
        coordinate(model, &of)?;
        Some(if rate { format!("der({of})") } else { of })
    };
    named().unwrap_or_else(|| name.to_string())
}

/// Gives a body an angular velocity.
fn turn(
    model: &mut Model,
    body: &str,
    ground: bool,
    omega: [Option<f64>; 3],
) -> Result<(), OptionError> {
    let what = if ground { "omega_ground" } else { "omega" };
    let ([Some(x), Some(y), Some(z)], Some(slots)) = (omega, euler(model, body)) else {
        let reason = "an angular velocity in space is given whole, all three of its components";
        return Err(OptionError::NoStart { name: format!("{body}.{what}"), reason: reason.into() });
    };
    let initial = model.initial_mut();
    let e = slots.map(|slot| initial.q[slot]);
    let norm = e.iter().map(|e| e * e).sum::<f64>().sqrt();
    // Assembly makes them what they have to be.
    let e = e.map(|e| Num::<f64>::from(if norm > 0.0 { e / norm } else { e }));
    let omega = [x, y, z].map(Num::<f64>::from);
    let omega = match ground {
        true => SpatialFrame::new([0.0; 3].map(Num::from), e).to_local(omega),
        false => omega,
    };
    for (slot, rate) in slots.into_iter().zip(euler_rate(e, omega)) {
        (initial.v[slot], initial.keep_v[slot]) = (rate.value(), true);
    }
    Ok(())
}

/// The body that a name is of and that a joint carries.
fn carried(model: &Model, name: &str) -> Option<String> {
    let inner = name.strip_prefix("der(").and_then(|name| name.strip_suffix(')')).unwrap_or(name);
    let (body, _) = inner.rsplit_once('.')?;
    let is = |of: &&crate::model::BodyInfo| of.name == body && of.coords.is_empty();
    model.bodies().iter().find(is).map(|of| of.name.clone())
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
    } else if let Some(body) = carried(model, name) {
        let reason = format!(
            "in joint coordinates a joint tells where `{body}` is, and is started in its place, as `hinge.angle`"
        );
        return Err(OptionError::NoStart { name: name.into(), reason });
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
            what: "a coordinate, a velocity `der(coordinate)`, a joint's coordinate or rate, a vector of a body as `position`, a state or a mode of this model",
            suggestion: nearest(name, names.iter().map(|n| &**n)),
        });
    }
    Ok(())
}
