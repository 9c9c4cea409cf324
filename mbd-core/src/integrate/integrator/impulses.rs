//! The impulses that a jump of velocities brings about, by name: those of constraints and contacts, and of joints.

use super::Integrator;
use crate::assembly::SlotKind;
use crate::drawing::Drawing;
use crate::solution::Impulse;
use crate::start::{Blow, Demand};

/// Impulses kept of one jump; of more the largest.
const MOST: usize = 500;

impl Integrator<'_> {
    /// The impulses of a jump that led to the point reached; what its system leaves out of the equations has none.
    pub(super) fn impulses(&mut self, demand: &Demand, blow: &Blow) -> Vec<Impulse> {
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
        list.extend(self.impulses_of_joints(blow));
        if list.len() > MOST {
            list.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
            list.truncate(MOST);
        }
        list.into_iter().map(|(name, value)| Impulse::new(name, value)).collect()
    }

    /// Those of joints and rods between bodies: what their rows add to the momentum of the second body.
    fn impulses_of_joints(&mut self, blow: &Blow) -> Vec<(String, f64)> {
        let system = &*self.system;
        if system.model().bodies.is_empty() {
            return Vec::new();
        }
        let at = &self.to;
        let joints = &mut self.events.jumps.joints;
        let drawing = joints.get_or_insert_with(|| Box::new(Drawing::of(system, at)));
        let mut at = at.clone();
        at.get_mut(SlotKind::A).fill(0.0);
        at.lambda_mut().copy_from_slice(&blow.lambda);
        at.psi_mut().copy_from_slice(&blow.psi);
        let components = |(name, values): (&str, Vec<f64>)| {
            let name = name.to_string();
            values
                .into_iter()
                .enumerate()
                .map(move |(k, value)| (format!("{name}.impulse[{k}]"), value))
        };
        drawing.impulses(system, &at).into_iter().flat_map(components).collect()
    }
}
