//! Whether the units of the statements fit: each statement says what its rows have to be in, and
//! asks [`Units`] what it reads is in.

use crate::equation::{Layout, SlotKind};
use crate::scalar::{Dimension, Mismatch, Quantity};
use crate::signal::Course;

/// Units that do not fit, in one statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError {
    /// The statement's name.
    pub statement: String,
    /// What does not fit.
    pub message: String,
}

impl std::fmt::Display for UnitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.statement, self.message)
    }
}

/// The units of a model's scalars, and what was found of its statements.
pub struct Units<'m> {
    layout: Layout,
    /// The unit of a coordinate, state, variable (by kind and index), where it has one.
    scalar: &'m dyn Fn(SlotKind, usize) -> Option<Dimension>,
    param: &'m dyn Fn(usize) -> Option<Dimension>,
    input: &'m dyn Fn(usize) -> Option<Dimension>,
    /// Names of what is at flat indices.
    name: &'m dyn Fn(usize) -> String,
    /// The unit of energy: J, or what the first kinetic energy is in, as mJ.
    energy: Option<Dimension>,
    holonomic: Vec<Option<Dimension>>,
    nonholonomic: Vec<Option<Dimension>>,
    found: Vec<UnitError>,
}

impl<'m> Units<'m> {
    pub(crate) fn new(
        layout: Layout,
        scalar: &'m dyn Fn(SlotKind, usize) -> Option<Dimension>,
        [param, input]: [&'m dyn Fn(usize) -> Option<Dimension>; 2],
        name: &'m dyn Fn(usize) -> String,
    ) -> Self {
        let rows = |kind| vec![None; layout.range(kind).len()];
        Units {
            layout,
            scalar,
            param,
            input,
            name,
            energy: None,
            holonomic: rows(SlotKind::Lambda),
            nonholonomic: rows(SlotKind::Psi),
            found: Vec::new(),
        }
    }

    /// What was found since it was last asked.
    pub(crate) fn take(&mut self) -> Vec<UnitError> {
        std::mem::take(&mut self.found)
    }

    /// The unit of a scalar; of a multiplier where that of its constraint is known.
    pub(crate) fn of(&self, kind: SlotKind, index: usize) -> Option<Dimension> {
        let second = Dimension::SECOND;
        let scalar = |kind| (self.scalar)(kind, index);
        match kind {
            SlotKind::T => Some(second),
            SlotKind::Q | SlotKind::X | SlotKind::W => scalar(kind),
            SlotKind::V => Some(scalar(SlotKind::Q)?.per(second)),
            SlotKind::A => Some(scalar(SlotKind::Q)?.times(second, -2.0)),
            SlotKind::Xd => Some(scalar(SlotKind::X)?.per(second)),
            // Virtual work is λ δg, and power ψ k.
            SlotKind::Lambda => Some(self.energy().per((*self.holonomic.get(index)?)?)),
            SlotKind::Psi => Some(self.power().per((*self.nonholonomic.get(index)?)?)),
        }
    }

    /// The unit of energy.
    pub(crate) fn energy(&self) -> Dimension {
        self.energy.unwrap_or(Dimension::JOULE)
    }

    /// The unit of power.
    pub(crate) fn power(&self) -> Dimension {
        self.energy().per(Dimension::SECOND)
    }

    /// What is read at a flat index.
    pub(crate) fn quantity(&self, flat: usize) -> Quantity {
        let params = self.layout.params();
        if params.contains(&flat) {
            return Quantity::parameter((self.param)(flat - params.start));
        }
        if let Some(number) = flat.checked_sub(self.layout.inputs().start)
            && self.layout.inputs().contains(&flat)
        {
            let (input, number) = (number / Course::NUMBERS, number % Course::NUMBERS);
            let unit = (self.input)(input).map(|unit| match number {
                0 => Dimension::SECOND,
                1 => unit,
                _ => unit.times(Dimension::SECOND, 1.0 - number as f64),
            });
            return if number == 0 { Quantity::time() } else { Quantity::scalar(unit) };
        }
        let kind = SlotKind::ALL.into_iter().find(|&kind| self.layout.range(kind).contains(&flat));
        match kind {
            Some(SlotKind::T) => Quantity::time(),
            Some(kind) => Quantity::scalar(self.of(kind, flat - self.layout.range(kind).start)),
            None => Quantity::ANY,
        }
    }

    /// The energies of a model are in one unit, whichever it is.
    pub(crate) fn kinetic(&mut self, row: Quantity) {
        let known = row.known().filter(|known| known.alike(&Dimension::JOULE));
        self.energy = self.energy.or(known);
    }

    /// A row of a constraint; `stated`: what its multiplier is in, the model's force laws say.
    pub(crate) fn constraint(&mut self, kind: SlotKind, index: usize, row: Quantity, stated: bool) {
        let rows = match kind {
            SlotKind::Lambda => &mut self.holonomic,
            _ => &mut self.nonholonomic,
        };
        if let Some(unit) = rows.get_mut(index) {
            *unit = row.known().filter(|_| !stated);
        }
    }

    /// A row of a statement and what it has to be in, where that is known.
    pub(crate) fn require(
        &mut self,
        statement: &str,
        what: &str,
        row: Quantity,
        expected: Option<Dimension>,
    ) {
        let (Some(is), Some(expected)) = (row.known(), expected) else { return };
        if !is.same(&expected) {
            let mend = match is.same(&Dimension::ONE) && expected.same(&Dimension::DEGREE) {
                true => "; an angle in rad is in degrees times 180/PI",
                false => "",
            };
            self.push(statement, format!("{what} is in {is} where {expected} is expected{mend}"));
        }
    }

    /// Parts of a statement that do not fit together; `flat` gives the flat index of an input.
    pub(crate) fn mismatch(
        &mut self,
        statement: &str,
        mismatch: Mismatch,
        flat: &dyn Fn(usize) -> Option<usize>,
    ) {
        let told = |quantity: Quantity| {
            let unit = quantity.known().unwrap_or(Dimension::ONE);
            let from: Vec<String> = (0..64)
                .filter(|k| quantity.from >> k & 1 == 1)
                .filter_map(|k| Some(format!("`{}`", (self.name)(flat(k)?))))
                .collect();
            match &from[..] {
                [] => unit.to_string(),
                [some @ .., _, _] if some.len() > 3 => {
                    format!("{unit} (of {}, …)", from[..4].join(", "))
                }
                _ => format!("{unit} (of {})", from.join(", ")),
            }
        };
        let message = match mismatch {
            Mismatch::Sum(a, b) => {
                format!("{} and {} are added, subtracted or set equal", told(a), told(b))
            }
            Mismatch::Function(name, a) => {
                let degrees = a.known().is_some_and(|unit| unit.same(&Dimension::DEGREE));
                let mend = if degrees { "; `deg(…)` of it is in rad" } else { "" };
                format!("`{name}` takes a pure number or rad, not {}{mend}", told(a))
            }
        };
        self.push(statement, message);
    }

    fn push(&mut self, statement: &str, message: String) {
        let error = UnitError { statement: statement.into(), message };
        if !self.found.contains(&error) {
            self.found.push(error);
        }
    }
}
