//! Units of a model's statements, checked against each other.

use super::{Label, Model};
use crate::ad::few;
use crate::equation::{Point, SlotKind};
use crate::scalar::Dimension;
use crate::signal::Course;
use crate::statement::{UnitError, Units};

/// Points at which statements are looked at: what they compare may differ from one to the next.
const POINTS: usize = 3;

impl Model {
    /// What does not fit in the units of the statements: sums of unlike quantities, functions of
    /// what has a unit, energies that are none. Coordinates, parameters, states and variables are in
    /// the units they are declared in, what has none may be in any; so may a number, unless it looks
    /// like a pure one (½, 2π) and stands beside a parameter with a unit. Branches that are taken at
    /// neither of a few points near the initial values are not looked at.
    pub fn unit_errors(&self) -> Vec<UnitError> {
        if self.units.is_empty() {
            return Vec::new();
        }
        let layout = self.layout;
        let dimension = |unit: &str| self.units.get(unit).copied();
        let scalar = |kind: SlotKind, i: usize| -> Option<Dimension> {
            let labels = match kind {
                SlotKind::Q => &self.coords,
                SlotKind::X => &self.states,
                _ => &self.variables,
            };
            dimension(&labels.get(i)?.unit)
        };
        let param = |i: usize| dimension(&self.params.get(i)?.unit);
        let input = |i: usize| dimension(&self.inputs.get(i)?.label.unit);
        let output = |i: usize| dimension(&self.outputs.get(i)?.unit);
        let params = layout.params();
        let name = |flat: usize| {
            if params.contains(&flat) {
                return self.params[flat - params.start].name.clone();
            }
            if let Some(number) = flat.checked_sub(layout.inputs().start)
                && let Some(input) = self.inputs.get(number / Course::NUMBERS)
            {
                return input.label.name.clone();
            }
            let kinds = SlotKind::ALL.into_iter();
            let place = kinds.map(|kind| (kind, layout.range(kind))).find(|p| p.1.contains(&flat));
            place.map_or(String::new(), |(kind, at)| self.scalar_name(kind, flat - at.start))
        };
        let mut units = Units::new(layout, &scalar, [&param, &input], &name);
        for pass in 0..=POINTS {
            // First for the units of energy and of the multipliers, which are found on the way.
            let y = self.near(pass.saturating_sub(1));
            for group in &self.groups {
                few(group.instances()).for_each(|i| group.units(i, y.flat(), &mut units));
            }
            if pass == 0 {
                units.take();
                continue;
            }
            let mut first = 0;
            for group in &self.output_groups {
                first += group.units(y.flat(), first, &output, &mut units);
            }
        }
        units.take()
    }

    /// Declares another unit for a scalar, parameter or output, or for the entries of an array; for
    /// tests of the above. `false` when there is none of this name.
    #[doc(hidden)]
    pub fn set_unit(&mut self, name: &str, dimension: Dimension) -> bool {
        let text = format!("unit of {name}");
        let entry = |label: &Label| {
            label.name == name
                || label.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('['))
        };
        let mut found = false;
        let lists = [
            &mut self.params,
            &mut self.coords,
            &mut self.states,
            &mut self.variables,
            &mut self.outputs,
        ];
        for label in lists.into_iter().flatten().filter(|label| entry(label)) {
            label.unit.clone_from(&text);
            found = true;
        }
        self.units.insert(text, dimension);
        found
    }

    /// What a unit of the labels is, where it is known.
    #[doc(hidden)]
    pub fn dimension(&self, unit: &str) -> Option<Dimension> {
        self.units.get(unit).copied()
    }

    /// The initial values, or a point near them.
    fn near(&self, number: usize) -> Point {
        let mut point = Point::new(self.layout, &self.param_values);
        point.q_mut().copy_from_slice(&self.initial.q);
        point.v_mut().copy_from_slice(&self.initial.v);
        point.x_mut().copy_from_slice(&self.initial.x);
        point.w_mut().copy_from_slice(&self.initial.w);
        point.modes_mut().copy_from_slice(&self.initial.modes);
        for (index, &value) in self.initial.inputs.iter().enumerate() {
            point.set_input(index, &Course::constant(value));
        }
        if number > 0 {
            let params = self.layout.constants();
            for (k, value) in point.flat_mut().iter_mut().enumerate() {
                if !params.contains(&k) {
                    *value += (1.0 + value.abs()) * (1.7 * (k + 7 * number) as f64).sin();
                }
            }
        }
        point
    }
}
