//! Dimensions of what is on a tape: each operation once more, on units in place of numbers.
//!
//! A number that is no parameter has no unit, and may stand for any: in `x + 0.1` it is a length.
//! As a factor it may be a pure number, ½, or carry a unit, 9.81. It is taken for pure when it looks
//! it, and when a parameter with a unit is a factor beside it: then a unit is not hidden in numbers.

use super::function::Function;
use super::step::{Place, Step};
use super::tape::Tape;
use std::f64::consts::{PI, TAU};
use std::fmt;

/// A unit as a number of products of powers of the SI base units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dimension {
    /// How many of the coherent SI unit it is: 0.001 for mm.
    pub scale: f64,
    /// Powers of m, kg, s, A, K, mol, cd.
    pub powers: [f64; 7],
}

impl Dimension {
    /// A pure number; an angle in rad.
    pub const ONE: Dimension = Dimension::of([0.0; 7]);
    /// Degree of an angle.
    pub const DEGREE: Dimension = Dimension { scale: PI / 180.0, ..Dimension::ONE };
    /// Second.
    pub const SECOND: Dimension = Dimension::of([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    /// Joule.
    pub const JOULE: Dimension = Dimension::of([2.0, 1.0, -2.0, 0.0, 0.0, 0.0, 0.0]);

    /// A coherent unit of SI, by the powers of m, kg, s, A, K, mol, cd.
    pub const fn of(powers: [f64; 7]) -> Self {
        Dimension { scale: 1.0, powers }
    }

    /// The product with a power of another one.
    pub fn times(mut self, other: Dimension, power: f64) -> Dimension {
        self.scale *= other.scale.powf(power);
        for (own, of) in self.powers.iter_mut().zip(other.powers) {
            *own += power * of;
        }
        self
    }

    /// The quotient.
    pub fn per(self, other: Dimension) -> Dimension {
        self.times(other, -1.0)
    }

    /// A power.
    pub fn to(self, power: f64) -> Dimension {
        Dimension::ONE.times(self, power)
    }

    /// Of the same kind, as mm and m are.
    pub fn alike(&self, other: &Dimension) -> bool {
        self.powers.iter().zip(other.powers).all(|(a, b)| (a - b).abs() < 1e-6)
    }

    /// The same unit.
    pub fn same(&self, other: &Dimension) -> bool {
        self.alike(other) && (self.scale / other.scale - 1.0).abs() < 1e-6
    }
}

/// Units with a name of their own, and the base units.
const NAMED: [(&str, [f64; 7]); 14] = [
    ("J", [2.0, 1.0, -2.0, 0.0, 0.0, 0.0, 0.0]),
    ("N", [1.0, 1.0, -2.0, 0.0, 0.0, 0.0, 0.0]),
    ("W", [2.0, 1.0, -3.0, 0.0, 0.0, 0.0, 0.0]),
    ("N/m", [0.0, 1.0, -2.0, 0.0, 0.0, 0.0, 0.0]),
    ("N*s/m", [0.0, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0]),
    ("N/m^2", [-1.0, 1.0, -2.0, 0.0, 0.0, 0.0, 0.0]),
    ("V", [2.0, 1.0, -3.0, -1.0, 0.0, 0.0, 0.0]),
    ("m", [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ("kg", [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ("s", [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
    ("A", [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
    ("K", [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]),
    ("mol", [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]),
    ("cd", [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
];

/// Multiples of them that models are written in.
const MULTIPLES: [(&str, f64, [f64; 7]); 24] = [
    ("deg", Dimension::DEGREE.scale, [0.0; 7]),
    ("rev", TAU, [0.0; 7]),
    ("%", 1e-2, [0.0; 7]),
    ("deg/s", PI / 180.0, [0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0]),
    ("rpm", TAU / 60.0, [0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0]),
    ("mm", 1e-3, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ("cm", 1e-2, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ("km", 1e3, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ("mm^2", 1e-6, [2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ("mm/s", 1e-3, [1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0]),
    ("km/h", 1.0 / 3.6, [1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0]),
    ("g", 1e-3, [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ("t", 1e3, [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ("kg*mm^2", 1e-6, [2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    ("ms", 1e-3, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
    ("min", 60.0, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
    ("h", 3600.0, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
    ("kN", 1e3, [1.0, 1.0, -2.0, 0.0, 0.0, 0.0, 0.0]),
    ("N*mm", 1e-3, [2.0, 1.0, -2.0, 0.0, 0.0, 0.0, 0.0]),
    ("kJ", 1e3, [2.0, 1.0, -2.0, 0.0, 0.0, 0.0, 0.0]),
    ("kW", 1e3, [2.0, 1.0, -3.0, 0.0, 0.0, 0.0, 0.0]),
    ("N/mm", 1e3, [0.0, 1.0, -2.0, 0.0, 0.0, 0.0, 0.0]),
    ("bar", 1e5, [-1.0, 1.0, -2.0, 0.0, 0.0, 0.0, 0.0]),
    ("N/mm^2", 1e6, [-1.0, 1.0, -2.0, 0.0, 0.0, 0.0, 0.0]),
];

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let multiple = MULTIPLES
            .iter()
            .find(|(_, scale, powers)| self.same(&Dimension { scale: *scale, powers: *powers }));
        if let Some((name, ..)) = multiple {
            return write!(f, "[{name}]");
        }
        if self.same(&Dimension::ONE) {
            return write!(f, "a pure number");
        }
        write!(f, "[")?;
        let scaled = (self.scale - 1.0).abs() >= 1e-6;
        if scaled {
            write!(f, "{:.6e}", self.scale)?;
        }
        let named = NAMED.iter().find(|(_, powers)| self.alike(&Dimension::of(*powers)));
        if let Some((name, _)) = named {
            let times = if scaled { "*" } else { "" };
            return write!(f, "{times}{name}]");
        }
        let mut product = String::new();
        let mut quotient = String::new();
        for ((name, _), power) in NAMED[7..].iter().zip(self.powers) {
            let size = power.abs();
            if size < 1e-6 {
                continue;
            }
            let (part, sign) = if power > 0.0 { (&mut product, "*") } else { (&mut quotient, "/") };
            if power < 0.0 || !part.is_empty() {
                part.push_str(sign);
            }
            part.push_str(name);
            if (size - 1.0).abs() > 1e-6 {
                part.push_str(&format!("^{}", (size * 1e6).round() / 1e6));
            }
        }
        match (product.is_empty(), scaled) {
            (false, true) => write!(f, "*")?,
            (true, false) => write!(f, "1")?,
            _ => {}
        }
        write!(f, "{product}{quotient}]")
    }
}

/// Numbers among the factors of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Numbers {
    None,
    /// ½, 3, 2π.
    Pure,
    /// Time, which may stand for a multiple of itself.
    Time,
    /// 9.81.
    Other,
}

impl Numbers {
    /// Those of a product. In 2 t F the number may be one per second.
    fn with(self, other: Numbers) -> Numbers {
        match (self, other) {
            (Numbers::Pure, Numbers::Time) | (Numbers::Time, Numbers::Pure) => Numbers::Other,
            (a, b) => a.max(b),
        }
    }
}

/// What is known of the unit of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quantity {
    /// `None` for what may have any.
    dimension: Option<Dimension>,
    numbers: Numbers,
    /// Whether a parameter with a unit is a factor.
    parameter: bool,
    /// The inputs it comes from, as a bit set of the first 64.
    pub(crate) from: u64,
}

impl Quantity {
    /// What may have any unit.
    pub(crate) const ANY: Quantity =
        Quantity { dimension: None, numbers: Numbers::None, parameter: false, from: 0 };

    /// A coordinate, velocity, …
    pub(crate) fn scalar(dimension: Option<Dimension>) -> Self {
        Quantity { dimension, ..Quantity::ANY }
    }

    /// A parameter.
    pub(crate) fn parameter(dimension: Option<Dimension>) -> Self {
        Quantity { dimension, parameter: dimension.is_some(), ..Quantity::ANY }
    }

    /// Time, which alone stands for a multiple of itself: sin(t) is sin(1 rad/s · t).
    pub(crate) fn time() -> Self {
        Quantity { numbers: Numbers::Time, ..Quantity::scalar(Some(Dimension::SECOND)) }
    }

    /// The input with this number.
    pub(super) fn input(self, number: usize) -> Self {
        Quantity { from: 1u64.checked_shl(number as u32).unwrap_or(0), ..self }
    }

    /// The unit, where a wrong one is an error for certain.
    pub(crate) fn known(&self) -> Option<Dimension> {
        match self.numbers {
            Numbers::None => self.dimension,
            Numbers::Pure | Numbers::Time if self.parameter => self.dimension,
            _ => None,
        }
    }

    fn times(self, other: Quantity, power: f64) -> Self {
        Quantity {
            dimension: self.dimension.zip(other.dimension).map(|(a, b)| a.times(b, power)),
            numbers: self.numbers.with(other.numbers),
            parameter: self.parameter || other.parameter,
            from: self.from | other.from,
        }
    }

    fn to(self, power: f64) -> Self {
        Quantity { dimension: self.dimension.map(|a| a.to(power)), ..self }
    }

    fn scaled(self, number: f64) -> Self {
        if number == 0.0 {
            // A length of nothing is nothing of anything.
            return Quantity { from: self.from, ..Quantity::ANY };
        }
        let numbers = if pure(number) { Numbers::Pure } else { Numbers::Other };
        Quantity { numbers: self.numbers.with(numbers), ..self }
    }
}

/// Small whole numbers and simple fractions, with or without π.
fn pure(number: f64) -> bool {
    let simple = |x: f64| {
        [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 24.0].into_iter().any(|below| {
            let above: f64 = x * below;
            (1.0..=4.0).contains(&above.round()) && (above - above.round()).abs() < 1e-9
        })
    };
    let (x, pi) = (number.abs(), std::f64::consts::PI);
    simple(x) || simple(x / pi) || simple(x * pi)
}

/// What does not fit together.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mismatch {
    /// Two quantities added, subtracted or set equal.
    Sum(Quantity, Quantity),
    /// A function of what should be a pure number.
    Function(&'static str, Quantity),
}

impl Tape {
    /// Units of the rows; `input` gives those of the inputs. What does not fit goes to `found`, and
    /// counts as anything from there on.
    pub(crate) fn quantities(
        &self,
        input: impl Fn(usize) -> Quantity,
        found: &mut Vec<Mismatch>,
    ) -> Vec<Quantity> {
        let mut values: Vec<Quantity> = Vec::with_capacity(self.steps().len());
        for (k, &step) in self.steps().iter().enumerate() {
            if !self.needs(k) {
                values.push(Quantity::ANY);
                continue;
            }
            let at = |place: Place| values[place as usize];
            let value = match step {
                Step::Input(n) => input(n as usize).input(n as usize),
                Step::Constant(_) | Step::Guard(..) | Step::Look(..) | Step::Plane => Quantity::ANY,
                Step::When(_, _, a) | Step::Held(_, a, _) => at(a),
                Step::Add(a, b) | Step::Sub(a, b) => sum(at(a), at(b), found),
                Step::Mul(a, b) => at(a).times(at(b), 1.0),
                Step::Div(a, b) => at(a).times(at(b), -1.0),
                Step::Neg(a) => at(a),
                // Which number is added has the unit of what it is added to.
                Step::AddNumber(a, _) => match at(a).known() {
                    Some(_) => Quantity { numbers: Numbers::None, ..at(a) },
                    None => at(a),
                },
                Step::MulNumber(a, x) => at(a).scaled(x),
                Step::DivNumber(a, x) => at(a).scaled(1.0 / x),
                Step::Powi(a, n) => at(a).to(f64::from(n)),
                Step::Powf(a, x) => at(a).to(x),
                Step::Unary(function, a) => match function {
                    Function::Recip => at(a).to(-1.0),
                    Function::Sqrt => at(a).to(0.5),
                    Function::Cbrt => at(a).to(1.0 / 3.0),
                    // exp(n ln x) is how a power with a scalar for exponent is written down.
                    Function::Ln if self.is_power(k) => {
                        Quantity { from: at(a).from, ..Quantity::ANY }
                    }
                    Function::Exp if k >= 2 && self.is_power(k - 2) => {
                        Quantity { from: at(a).from, ..Quantity::ANY }
                    }
                    _ => number(name(function), at(a), found),
                },
                Step::Log(a, _) => number("log", at(a), found),
                Step::Bessel(_, a) => number("sph_j", at(a), found),
                Step::Atan2(a, b) => {
                    let both = sum(at(a), at(b), found);
                    Quantity { from: both.from, ..Quantity::scalar(Some(Dimension::ONE)) }
                }
            };
            values.push(value);
        }
        let rows = self.row_places();
        rows.map(|place| place.map_or(Quantity::ANY, |place| values[place as usize])).collect()
    }

    /// Whether step `k` is the logarithm of a power.
    fn is_power(&self, k: usize) -> bool {
        if !matches!(self.steps()[k], Step::Unary(Function::Ln, _)) {
            return false;
        }
        let Some([product, exp]) = self.steps().get(k + 1..k + 3) else { return false };
        let ln = k as Place;
        let of_ln = match *product {
            Step::Mul(a, b) => a == ln || b == ln,
            Step::MulNumber(a, _) => a == ln,
            _ => false,
        };
        of_ln && matches!(*exp, Step::Unary(Function::Exp, a) if a == ln + 1)
    }
}

fn sum(a: Quantity, b: Quantity, found: &mut Vec<Mismatch>) -> Quantity {
    let from = a.from | b.from;
    if let (None, None, Some(x), Some(y)) = (a.known(), b.known(), a.dimension, b.dimension)
        && x.same(&y)
    {
        // 2x + 3y, which a parameter may yet make something certain.
        let numbers = a.numbers.max(b.numbers);
        let parameter = a.parameter && b.parameter;
        return Quantity { dimension: Some(x), numbers, parameter, from };
    }
    let (dimension, parameter) = match (a.known(), b.known()) {
        (Some(x), Some(y)) if !x.same(&y) => {
            found.push(Mismatch::Sum(a, b));
            (None, false)
        }
        // A parameter in one term is a factor of neither.
        (Some(x), Some(_)) => (Some(x), a.parameter && b.parameter),
        (Some(x), None) => (Some(x), a.parameter),
        (None, y) => (y, b.parameter),
    };
    Quantity { dimension, numbers: Numbers::None, parameter, from }
}

fn number(name: &'static str, a: Quantity, found: &mut Vec<Mismatch>) -> Quantity {
    if a.known().is_some_and(|dimension| !dimension.same(&Dimension::ONE)) {
        found.push(Mismatch::Function(name, a));
    }
    Quantity { from: a.from, ..Quantity::scalar(Some(Dimension::ONE)) }
}

fn name(function: Function) -> &'static str {
    match function {
        Function::Exp | Function::Exp2 | Function::ExpM1 => "exp",
        Function::Ln | Function::Log2 | Function::Log10 | Function::Ln1p => "ln",
        Function::Sin => "sin",
        Function::Cos => "cos",
        Function::Tan => "tan",
        Function::Asin => "asin",
        Function::Acos => "acos",
        Function::Atan => "atan",
        Function::Sinh => "sinh",
        Function::Cosh => "cosh",
        Function::Tanh => "tanh",
        _ => "function",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{Num, Trace, num};

    const METRE: Dimension = Dimension::of([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    const STIFFNESS: Dimension = Dimension::of([0.0, 1.0, -2.0, 0.0, 0.0, 0.0, 0.0]);

    /// x and y in m, k in N/m, the time, something without a unit: the row's unit, and what is found.
    fn unit(f: impl Fn([Num<Trace>; 5]) -> Num<Trace>) -> (Option<Dimension>, usize) {
        let mut tape = Tape::default();
        tape.record([0.5, 1.5, 2.5, 0.1, 0.7].into_iter(), 1, |z, rows| {
            rows[0] = f([z[0], z[1], z[2], z[3], z[4]]);
        });
        tape.prune();
        let mut found = Vec::new();
        let units = [
            Quantity::scalar(Some(METRE)),
            Quantity::scalar(Some(METRE)),
            Quantity::parameter(Some(STIFFNESS)),
            Quantity::time(),
            Quantity::ANY,
        ];
        let rows = tape.quantities(|n| units[n], &mut found);
        (rows[0].known(), found.len())
    }

    #[test]
    fn units_go_through_operations() {
        let force = METRE.times(STIFFNESS, 1.0);
        assert_eq!(unit(|[x, _, k, ..]| k * x), (Some(force), 0));
        assert_eq!(unit(|[x, y, k, ..]| 0.5 * k * (x - y).sq()), (Some(Dimension::JOULE), 0));
        assert_eq!(unit(|[x, y, ..]| x.hypot(y)), (Some(METRE), 0));
        assert_eq!(unit(|[x, y, ..]| (x / y).sin() + x.atan2(y)), (Some(Dimension::ONE), 0));
        assert_eq!(unit(|[x, y, ..]| (x * y).sqrt() + 1.5), (Some(METRE), 0));
        assert_eq!(
            unit(|[x, ..]| (x.powi(3)).cbrt() - x.powf(1.5) / x.powf(0.5)),
            (Some(METRE), 0)
        );
    }

    #[test]
    fn what_does_not_fit_is_found() {
        assert_eq!(unit(|[x, y, ..]| x + x * y), (None, 1));
        assert_eq!(unit(|[x, ..]| x.sin()), (Some(Dimension::ONE), 1));
        assert_eq!(unit(|[x, _, k, ..]| (2.0 * k * x).exp()), (Some(Dimension::ONE), 1));
        assert_eq!(unit(|[x, _, k, ..]| x + 0.5 * k), (None, 1));
        assert_eq!(unit(|[x, y, k, ..]| k.atan2(x) * y), (Some(METRE), 1));
    }

    #[test]
    fn numbers_may_have_units() {
        assert_eq!(unit(|[x, y, ..]| x * y + 3.0 * x + 7.0), (Some(METRE.to(2.0)), 0));
        assert_eq!(unit(|[.., t, _]| (3.0 * t).sin() + t.cos()), (Some(Dimension::ONE), 0));
        assert_eq!(unit(|[x, _, k, ..]| 9.81 * k * x + x), (Some(METRE), 0));
        assert_eq!(unit(|[x, .., any]| any * x + x), (Some(METRE), 0));
        assert_eq!(
            unit(|[x, _, k, ..]| 1.0 * (k * x - k * x)).0,
            Some(METRE.times(STIFFNESS, 1.0))
        );
        assert_eq!(unit(|[x, y, k, ..]| 1.0 * (k * x / k - y)), (None, 0));
        assert_eq!(unit(|[x, _, _, _, any]| x.powf(any) + x), (Some(METRE), 0));
        assert_eq!(unit(|[x, y, ..]| x * x + (y * 0.0) + num(0.0)), (Some(METRE.to(2.0)), 0));
        let deg = Dimension { scale: 0.5, ..METRE };
        assert!(deg.alike(&METRE) && !deg.same(&METRE));
    }

    #[test]
    fn units_are_written_as_one_writes_them() {
        let text = |d: Dimension| d.to_string();
        assert_eq!(text(Dimension::JOULE), "[J]");
        assert_eq!(text(Dimension::ONE), "a pure number");
        assert_eq!(text(Dimension::SECOND.to(-1.0)), "[1/s]");
        assert_eq!(text(METRE.times(STIFFNESS, 2.0)), "[m*kg^2/s^4]");
        assert_eq!(text(Dimension { scale: 1e-3, ..METRE }), "[mm]");
        assert_eq!(text(Dimension::DEGREE), "[deg]");
        assert_eq!(text(Dimension { scale: 2e-3, ..METRE }), "[2.000000e-3*m]");
    }
}
