//! The impulses that a jump of velocities brings about, by name: those of constraints and contacts, and of joints.

use super::Integrator;
use super::applied::Struck;
use super::carried::One;
use super::saltation::made;
use crate::assembly::{Point, SlotKind, System};
use crate::drawing::Drawing;
use crate::solution::Impulse;
use crate::start::{Blow, Demand};
use crate::statement::Rows;

/// Impulses kept of one jump; of more the largest.
const MOST: usize = 500;

impl Integrator<'_> {
    /// The impulses of a jump that led to the point reached; what its system leaves out of the equations has none.
    pub(super) fn impulses(
        &mut self,
        demand: &Demand,
        blow: &Blow,
        struck: &Struck<'_>,
    ) -> Vec<Impulse> {
        let system = &*self.system;
        let mut list = Vec::new();
        for (kind, values) in [(SlotKind::Lambda, &blow.lambda), (SlotKind::Psi, &blow.psi)] {
            let mut takes_part = vec![true; values.len()];
            system.inactive_rows(kind).for_each(|row| takes_part[row] = false);
            let rows = values.iter().enumerate().filter(|(row, _)| takes_part[*row]);
            list.extend(rows.map(|(row, &value)| (system.scalar_name(kind, row), value)));
        }
        let mut along = blow.along.iter().copied();
        for (&(coord, _), value) in demand.assigned.iter().zip(&mut along) {
            list.push((system.scalar_name(SlotKind::V, coord), value));
        }
        let mut along = along.skip(demand.given.len());
        for contact in &demand.contacts {
            let normal = along.next().map(|value| (format!("lambda({})", contact.name), value));
            list.extend(normal);
            if contact.friction.is_some() {
                let tangent =
                    along.next().map(|value| (format!("friction({})", contact.name), value));
                list.extend(tangent);
            }
        }
        list.extend(self.impulses_of_joints(demand, blow, struck));
        if list.len() > MOST {
            list.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
            list.truncate(MOST);
        }
        list.into_iter().map(|(name, value)| Impulse::new(name, value)).collect()
    }

    /// Those of joints and rods between bodies: what their rows add to the momentum of the second body.
    fn impulses_of_joints(
        &mut self,
        demand: &Demand,
        blow: &Blow,
        struck: &Struck<'_>,
    ) -> Vec<(String, f64)> {
        let system = &*self.system;
        if system.model().bodies.is_empty() {
            return Vec::new();
        }
        let at = &self.to;
        let joints = &mut self.events.jumps.joints;
        let drawing = joints.get_or_insert_with(|| Box::new(Drawing::of(system, at)));
        let mut jump = at.clone();
        let change = jump.v().iter().zip(struck.before.v()).map(|(after, before)| after - before);
        let change: Vec<f64> = change.collect();
        jump.get_mut(SlotKind::A).copy_from_slice(&change);
        jump.lambda_mut().copy_from_slice(&blow.lambda);
        jump.psi_mut().copy_from_slice(&blow.psi);
        let components = |(name, values): (&str, Vec<f64>)| {
            let name = name.to_string();
            values
                .into_iter()
                .enumerate()
                .map(move |(k, value)| (format!("{name}.impulse[{k}]"), value))
        };
        let released = system.released_blow(&jump, |released, point, impulses| {
            given(system, released, point, (demand, blow), struck, impulses);
        });
        drawing.impulses(system, &jump, released).into_iter().flat_map(components).collect()
    }
}

/// Adds the generalized impulses of a blow that are no constraint's, on the coordinates of the model with its joints
/// released: along what events state, which is there what it is in the model itself.
fn given(
    system: &System,
    released: &System,
    point: &Point,
    (demand, blow): (&Demand, &Blow),
    struck: &Struck<'_>,
    impulses: &mut [f64],
) {
    for (&(coord, _), value) in demand.assigned.iter().zip(&blow.along) {
        impulses[coord] += value;
    }
    impulses.iter_mut().zip(&demand.momenta).for_each(|(impulse, lacks)| *impulse += lacks);
    // Rows of joints stand among the groups there.
    let numbers = |system: &System| -> Vec<usize> {
        let groups = 0..system.model().groups.len();
        groups.filter(|&group| system.group(group).event().is_some()).collect()
    };
    let (here, there) = (numbers(system), numbers(released));
    let same = |one: &One| {
        let number = here.iter().position(|&group| group == one.group)?;
        Some(One { group: *there.get(number)?, ..*one })
    };
    let list: Vec<One> = struck.list.iter().filter_map(same).collect();
    let (_, origins) = made(released, &list, &struck.also.ending, &struck.also.closed);
    let mut rows = Rows::default();
    for (origin, impulse) in origins.iter().zip(&blow.along) {
        let Some((along, row)) = origin.along else { continue };
        along.gradients(origin.instance, point.flat(), &mut rows);
        let Some((_, gradient)) = rows.iter().nth(row) else { continue };
        for (k, slope) in gradient.iter().enumerate() {
            if along.kind(k) == SlotKind::Q {
                impulses[along.slot(origin.instance, k)] += impulse * slope;
            }
        }
    }
}
