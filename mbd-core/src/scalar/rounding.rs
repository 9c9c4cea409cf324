//! What rounding may leave of a statement's rows: running error analysis (Wilkinson; Higham: Accuracy and
//! Stability of Numerical Algorithms, 2002, section 3.3).
//!
//! Of each value on a tape there is a bound, to first order, of how far it is from what exact arithmetic
//! makes of the same inputs, given to the last bit. Where large terms cancel, as in a mechanism a thousand
//! kilometres from the origin, it says of what remains how much is noise, wherever the large terms come from:
//! coordinates, parameters or numbers written in the model. The same of what depends on time alone.

use super::clock::Clock;
use super::gradient::{Gradient, Packed, WIDTH};
use super::num::num;
use super::step::Step;
use super::tape::{Tape, take};

/// Half a unit in the last place, relative.
const HALF: f64 = 0.5 * f64::EPSILON;

impl Tape {
    /// The bound of each row; infinite or no number where an operation has no slope.
    pub(crate) fn roundings(&mut self) -> Vec<f64> {
        self.prune();
        let mut known: Vec<(f64, f64)> = Vec::with_capacity(self.steps().len());
        for (k, &step) in self.steps().iter().enumerate() {
            let next = match step {
                _ if !self.needs(k) => (0.0, 0.0),
                Step::Constant(x) => (x, 0.0),
                Step::Input(n) => {
                    let x = self.input_value(n as usize);
                    (x, HALF * x.abs())
                }
                step => follow(step, &known),
            };
            known.push(next);
        }
        self.row_places().map(|place| place.map_or(0.0, |place| known[place as usize].1)).collect()
    }
}

impl Clock {
    /// The bound of a part by its number at an instant.
    pub(crate) fn rounding(&self, number: usize, t: f64) -> f64 {
        let steps = self.steps_of(number);
        let mut known: Vec<(f64, f64)> = Vec::with_capacity(steps.len());
        for &step in steps {
            known.push(match step {
                Step::Input(_) => (t, HALF * t.abs()),
                Step::Constant(x) => (x, 0.0),
                step => follow(step, &known),
            });
        }
        known.last().map_or(0.0, |&(_, bound)| bound)
    }
}

/// The value of a step and its bound, by those of what it reads.
fn follow(step: Step, known: &[(f64, f64)]) -> (f64, f64) {
    let mut operands = [Gradient { value: 0.0, slopes: [0.0; WIDTH] }; 2];
    let mut bounds = [0.0; 2];
    let mut next = 0;
    let step = step.on(|place| {
        let (value, bound) = known[place as usize];
        operands[next].value = value;
        operands[next].slopes[next] = 1.0;
        bounds[next] = bound;
        next += 1;
        (next - 1) as u32
    });
    let mut made = Gradient::pack(num(0.0));
    take(step, &operands, &mut made);
    let passed = made.slopes.iter().zip(bounds).filter(|(_, bound)| *bound > 0.0);
    let passed: f64 = passed.map(|(slope, bound)| slope.abs() * bound).sum();
    (made.value, passed + HALF * made.value.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{Num, Trace};

    fn bounds<const N: usize>(at: [f64; N], f: impl Fn(&[Num<Trace>]) -> Num<Trace>) -> f64 {
        let mut tape = Tape::default();
        tape.record(at.into_iter(), 1, |z, rows| rows[0] = f(z));
        tape.roundings()[0]
    }

    /// Of random sums, products and functions the error, by twice the digits of single precision in double, is within
    /// the bound, and the bound is no more than some tens of it at worst over many draws.
    #[test]
    fn what_cancels_is_within_its_bound() {
        let mut state = 1u64;
        let mut draw = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let mut nearest = 0.0f64;
        for _ in 0..2000 {
            // (far + a cos b) − (far + a sin(b + π/2)): what is left is rounding.
            let (far, a, b) = (1e6 * draw(), draw(), draw());
            let (sum, other) = (far + a * b.cos(), far + a * (b + 1.0).cos());
            let exact = a * b.cos() - a * (b + 1.0).cos();
            let error = ((sum - other) - exact).abs();
            let bound = bounds([far, a, b], |z| {
                (z[0] + z[1] * z[2].cos()) - (z[0] + z[1] * (z[2] + 1.0).cos())
            });
            assert!(error <= bound, "{error:e} of {bound:e}");
            nearest = nearest.max(error / bound);
        }
        assert!(nearest > 0.05, "{nearest}");
    }

    #[test]
    fn numbers_of_the_model_count_as_parameters_do() {
        let by_parameter = bounds([1e6, 0.3], |z| (z[0] + z[1]) - z[0]);
        let by_number = bounds([0.3], |z| (1e6 + z[0]) - 1e6);
        assert!(by_parameter >= by_number && by_number > 5e-11, "{by_parameter:e} {by_number:e}");
        assert_eq!(bounds([0.0], |z| z[0] * 2.0), 0.0);
    }
}
