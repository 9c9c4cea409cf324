//! Which of a model's quantities share a unit, and what a unit says of their size.

use super::{Label, Model};

/// How a group of quantities of one unit gets its scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// In radians: 1, always.
    Angle,
    /// Without a unit: 1, or the range of motion.
    Number,
    /// By the model.
    Sized,
}

/// Groups of equal unit: their units and kinds, and the group of each coordinate and state.
pub(crate) fn groups(model: &Model) -> (Vec<String>, Vec<Kind>, [Vec<u32>; 2]) {
    let mut units: Vec<String> = Vec::new();
    let mut kinds = Vec::new();
    let mut group = |label: &Label| -> u32 {
        if let Some(g) = units.iter().position(|unit| *unit == label.unit) {
            return g as u32;
        }
        units.push(label.unit.clone());
        kinds.push(kind_of(label));
        units.len() as u32 - 1
    };
    let of_q = model.coords().iter().map(&mut group).collect();
    let of_x = model.states().iter().map(&mut group).collect();
    (units, kinds, [of_q, of_x])
}

pub(crate) fn kind_of(label: &Label) -> Kind {
    match label.unit.as_str() {
        _ if label.is_angle() => Kind::Angle,
        "" | "1" | "-" => Kind::Number,
        _ => Kind::Sized,
    }
}

/// Of each coordinate the group of its unit.
pub(crate) fn coordinate_groups(model: &Model) -> Vec<u32> {
    let [of_q, _] = groups(model).2;
    of_q
}

/// Of each coordinate whether its size is natural: that of an angle, or of a pure number.
pub(crate) fn natural(model: &Model) -> Vec<bool> {
    model.coords().iter().map(|label| kind_of(label) != Kind::Sized).collect()
}
