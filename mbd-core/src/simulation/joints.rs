//! What the joints of a model exert, and where they are, at a point of its motion.

use crate::assembly::{Point, System};
use crate::drawing::{Anchor, Drawing, Force};
use crate::model::JointInfo;
use crate::start::other_shares;

/// Part of the largest component below which one that changes with the share of a load has changed by rounding; shares are
/// changed by as much as that component is.
const ROUNDING: f64 = 1e-9;

/// What a joint, or a rod between bodies, exerts on its second body, by its own rows.
#[derive(Clone, Debug, PartialEq)]
pub struct JointLoad {
    /// The joint, with its number where it is one of an array.
    pub name: String,
    /// The force in N, in the ground's axes; in the plane two numbers. `None` where the equations do not say which
    /// share of a load this joint has, as of two hinges of one door.
    pub force: Vec<Option<f64>>,
    /// The torque in N·m about the joint's place on the second body, likewise; in the plane one number, and none on a
    /// body without a turn.
    pub torque: Vec<Option<f64>>,
}

/// Where a joint is.
#[derive(Clone, Debug, PartialEq)]
pub struct JointPlace {
    /// The joint, with its number where it is one of an array.
    pub name: String,
    /// Its coordinates and their rates by their names, as `angle` and `rate`: those of `hinge.angle` in the model. Angles
    /// in space are known up to turns, unless the model counts these.
    pub coordinates: Vec<(String, f64)>,
}

/// Coordinates and rates of all joints that have some, at a point.
pub fn joint_places(system: &System, point: &Point) -> Vec<JointPlace> {
    let (mut places, mut values) = (Vec::new(), Vec::new());
    for JointInfo { name, is_array, first, names, element } in &system.model().joints {
        for instance in 0..element.len() {
            element.values(instance, point.flat(), &mut values);
            let name = match is_array {
                true => format!("{name}[{}]", first + instance),
                false => name.clone(),
            };
            let coordinates = names.iter().cloned().zip(values.iter().copied()).collect();
            places.push(JointPlace { name, coordinates });
        }
    }
    places
}

/// The loads of all joints at a point whose multipliers solve the equations of motion there, those of reactions on the
/// ground on the body. Up to 500 joints; of more none.
pub fn joint_loads(system: &System, point: &Point) -> Vec<JointLoad> {
    loads_at(system, point, false)
}

/// The same where every share is taken as the point has it, as of a run of [least shares](super::Simulation::least_shares).
pub fn joint_loads_as_shared(system: &System, point: &Point) -> Vec<JointLoad> {
    loads_at(system, point, true)
}

fn loads_at(system: &System, point: &Point, shared: bool) -> Vec<JointLoad> {
    if system.model().bodies().is_empty() {
        return Vec::new();
    }
    let drawing = Drawing::of(system, point);
    if drawing.forces.is_empty() {
        return Vec::new();
    }
    let loads = |at: &Point| {
        let (mut moving, mut out) = (Vec::new(), Vec::new());
        drawing.sample(system, at, &mut moving);
        drawing.sample_forces(system, at, &moving, &mut out);
        out
    };
    let values = loads(point);
    let largest = values.iter().fold(1.0f64, |most, x| most.max(x.abs()));
    let mut open = vec![false; values.len()];
    let others = if shared { Vec::new() } else { other_shares(system, point, largest) };
    for other in others {
        let changed = loads(&other);
        for (open, (before, after)) in open.iter_mut().zip(values.iter().zip(changed)) {
            *open |= (after - before).abs() > ROUNDING * largest;
        }
    }
    let planar = |force: &Force| match force.at {
        Anchor::Body(body, _) => drawing.bodies[body].info.kind.is_planar(),
        _ => drawing.planar,
    };
    let six = values.chunks(6).zip(open.chunks(6));
    let load = |(force, (values, open)): (&Force, (&[f64], &[bool]))| {
        let all: Vec<Option<f64>> =
            values.iter().zip(open).map(|(value, open)| (!open).then_some(*value)).collect();
        let (forces, torques) = if planar(force) { (0..2, 5..6) } else { (0..3, 3..6) };
        JointLoad {
            name: force.name.clone(),
            force: all[forces].to_vec(),
            torque: all[torques].to_vec(),
        }
    };
    drawing.forces.iter().zip(six).map(load).collect()
}
