//! Expressions written out, as events and findings name what a statement compares.

use super::step::{Place, Step};
use super::test::{Sign, Test};

/// A part of a written expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    Text(String),
    Input(usize),
}

/// Operations written out of an expression; what is longer is left out.
const MOST: usize = 24;

/// The expression that leads to a value. What changes nothing in it is left out, as the rate of the ground in `hinge.rate`.
pub(super) fn written(steps: &[Step], place: Place) -> Vec<Part> {
    let mut writer = Writer { steps, zero: zeros(steps), left: MOST, out: Vec::new() };
    writer.write(place, 0);
    writer.out
}

/// Which values are zero whatever the inputs are.
fn zeros(steps: &[Step]) -> Vec<bool> {
    let mut zero: Vec<bool> = Vec::with_capacity(steps.len());
    for step in steps {
        let at = |place: Place| zero[place as usize];
        zero.push(match *step {
            Step::Constant(x) => x == 0.0,
            Step::MulNumber(a, x) => x == 0.0 || at(a),
            Step::Mul(a, b) => at(a) || at(b),
            Step::Add(a, b) | Step::Sub(a, b) => at(a) && at(b),
            Step::Neg(a) | Step::Div(a, _) | Step::DivNumber(a, _) | Step::AddNumber(a, 0.0) => {
                at(a)
            }
            _ => false,
        });
    }
    zero
}

/// The test, what it asks, and the two values of a choice that is the sum of both sides.
fn opposite(steps: &[Step], a: Place, b: Place) -> Option<(Test, Place, [Place; 2])> {
    match (steps[a as usize], steps[b as usize]) {
        (Step::When(test, on, yes), Step::When(other, same, no))
            if on == same && other == test.opposite() =>
        {
            Some(if test.not { (other, on, [no, yes]) } else { (test, on, [yes, no]) })
        }
        _ => None,
    }
}

fn relation(test: Test) -> &'static str {
    match test.sign {
        Sign::Positive => " > 0",
        Sign::NonNegative => " >= 0",
        Sign::Negative => " < 0",
        Sign::NonPositive => " <= 0",
        Sign::Zero => " == 0",
    }
}

struct Writer<'a> {
    steps: &'a [Step],
    zero: Vec<bool>,
    /// Operations that may still be written.
    left: usize,
    out: Vec<Part>,
}

impl Writer<'_> {
    fn text(&mut self, text: &str) {
        self.out.push(Part::Text(text.into()));
    }

    /// The value that one is, or is the negative of, but for zeros and factors of one; and which of the two.
    fn plain(&self, mut place: Place) -> (Place, bool) {
        let mut negative = false;
        loop {
            let zero = |place: Place| self.zero[place as usize];
            place = match self.steps[place as usize] {
                Step::AddNumber(a, 0.0) | Step::MulNumber(a, 1.0) | Step::DivNumber(a, 1.0) => a,
                Step::Add(a, b) if zero(b) => a,
                Step::Add(a, b) if zero(a) => b,
                Step::Sub(a, b) if zero(b) => a,
                Step::Sub(a, b) if zero(a) => {
                    negative = !negative;
                    b
                }
                Step::Neg(a) | Step::MulNumber(a, -1.0) => {
                    negative = !negative;
                    a
                }
                _ => return (place, negative),
            };
        }
    }

    /// Writes an expression; in brackets where it binds less than what is `around` it: 1 in a product, 2 in a power.
    fn write(&mut self, place: Place, around: u8) {
        if self.left == 0 {
            return self.text("…");
        }
        self.left -= 1;
        if self.zero[place as usize] {
            return self.text("0");
        }
        let (place, negative) = self.plain(place);
        let step = self.steps[place as usize];
        let binds = match step {
            _ if negative => 0,
            Step::Constant(x) | Step::MulNumber(_, x) if x < 0.0 => 0,
            Step::AddNumber(a, x) if self.zero[a as usize] && x >= 0.0 => 2,
            Step::Add(..) | Step::Sub(..) | Step::AddNumber(..) => 0,
            Step::Mul(..) | Step::Div(..) | Step::MulNumber(..) | Step::DivNumber(..) => 1,
            _ => 2,
        };
        let bracket = binds < around;
        if bracket {
            self.text("(");
        }
        if negative {
            self.text("-");
            // A sum in brackets of its own.
            self.write(place, 1);
        } else {
            self.step(step, around);
        }
        if bracket {
            self.text(")");
        }
    }

    /// Writes an operation without brackets around it; `around` is for what only hands on a value.
    fn step(&mut self, step: Step, around: u8) {
        match step {
            Step::Input(input) => self.out.push(Part::Input(input as usize)),
            Step::Constant(x) => self.text(&format!("{x}")),
            // Both sides of a choice.
            Step::Add(a, b) if opposite(self.steps, a, b).is_some() => {
                if let Some((test, on, [yes, no])) = opposite(self.steps, a, b) {
                    self.text("(");
                    self.write(yes, 0);
                    self.text(" if ");
                    self.write(on, 0);
                    self.text(relation(test));
                    self.text(" else ");
                    self.write(no, 0);
                    self.text(")");
                }
            }
            Step::Add(a, b) => {
                self.write(a, 0);
                let (b, negative) = self.plain(b);
                self.text(if negative { " - " } else { " + " });
                self.write(b, u8::from(negative));
            }
            Step::Sub(a, b) => {
                self.write(a, 0);
                let (b, negative) = self.plain(b);
                self.text(if negative { " + " } else { " - " });
                self.write(b, u8::from(!negative));
            }
            Step::AddNumber(a, x) if self.zero[a as usize] => self.text(&format!("{x}")),
            Step::AddNumber(a, x) => {
                self.write(a, 0);
                self.text(&if x < 0.0 { format!(" - {}", -x) } else { format!(" + {x}") });
            }
            Step::Neg(a) => {
                self.text("-");
                self.write(a, 1);
            }
            Step::Mul(a, b) => {
                self.write(a, 1);
                self.text("*");
                self.write(b, self.factor(b));
            }
            Step::MulNumber(a, x) => {
                self.text(&format!("{x}*"));
                self.write(a, self.factor(a));
            }
            Step::Div(a, b) => {
                self.write(a, 1);
                self.text("/");
                self.write(b, 2);
            }
            Step::DivNumber(a, x) => {
                self.write(a, 1);
                self.text(&format!("/{x}"));
            }
            Step::Powi(a, n) => {
                self.write(a, 2);
                self.text(&format!("^{n}"));
            }
            Step::Powf(a, x) => {
                self.write(a, 2);
                self.text(&format!("^{x}"));
            }
            Step::Unary(function, a) => {
                self.text(&format!("{}(", format!("{function:?}").to_lowercase()));
                self.write(a, 0);
                self.text(")");
            }
            Step::Log(a, base) => {
                self.text("log(");
                self.write(a, 0);
                self.text(&format!(", {base})"));
            }
            Step::Atan2(a, b) => {
                self.text("atan2(");
                self.write(a, 0);
                self.text(", ");
                self.write(b, 0);
                self.text(")");
            }
            Step::Bessel(n, a) => {
                self.text(&format!("sph_j{n}("));
                self.write(a, 0);
                self.text(")");
            }
            Step::When(test, on, a) => {
                self.text("(");
                self.write(a, 0);
                self.text(if test.not { " unless " } else { " if " });
                self.write(on, 0);
                self.text(relation(test));
                self.text(")");
            }
            Step::Held(_, a, _) => self.write(a, around),
            Step::Guard(..) | Step::Look(..) | Step::Plane => {}
        }
    }

    /// What is around the second factor of a product: another product needs no brackets.
    fn factor(&self, place: Place) -> u8 {
        match self.steps[self.plain(place).0 as usize] {
            Step::Mul(..) => 1,
            Step::MulNumber(_, x) if x > 0.0 => 1,
            _ => 2,
        }
    }
}
