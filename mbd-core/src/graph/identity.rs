//! Whether expressions are identical, by their values in a finite field.
//!
//! Two expressions of sums and products that differ anywhere differ, modulo a large prime, at nearly
//! every point (Schwartz 1980, Zippel 1979): so at one drawn at random, with a probability of an error
//! near the degree over 2⁶¹. Arithmetic there is exact, so that nothing depends on how large the numbers
//! of a model are, and it costs a few nanoseconds for an operation where building the difference
//! as an expression takes a hundred. Functions stand for numbers drawn at random, one for each function
//! and argument, and so do their derivatives where these are no other function of the list: what is
//! found identical is so whatever the functions are.

use super::graph::Graph;
use super::map::Mixer;
use super::op::{Node, Op};
use crate::scalar::Function;
use std::hash::Hasher;

/// 2⁶¹ − 1.
const PRIME: u64 = (1 << 61) - 1;

/// A number of the field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Residue(u64);

impl Residue {
    pub(super) const ONE: Residue = Residue(1);

    fn of(x: u64) -> Self {
        Residue(x % PRIME)
    }

    /// One drawn at random, always the same one for the same words.
    pub(super) fn drawn(words: [u64; 3]) -> Self {
        // The finalizer of SplitMix64 (Steele et al. 2014): each bit depends on all.
        let mut x = words.into_iter().fold(0x9e37_79b9_7f4a_7c15_u64, |state, word| {
            let mut mixer = Mixer::default();
            mixer.write_u64(state);
            mixer.write_u64(word);
            let x = mixer.finish();
            x ^ (x >> 29)
        });
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Residue::of(x ^ (x >> 31))
    }

    /// A number as the fraction that it is.
    fn number(x: f64) -> Self {
        if !x.is_finite() {
            return Residue::drawn([0, x.to_bits(), 0]);
        }
        let bits = x.abs().to_bits();
        let (exponent, fraction) = ((bits >> 52) as i64, bits & ((1 << 52) - 1));
        let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
        // 2⁶¹ is 1.
        let power = (exponent.max(1) - 1075).rem_euclid(61);
        let size = Residue::of(mantissa).times(Residue(1 << power));
        if x < 0.0 { Residue::default().minus(size) } else { size }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Residue::of(self.0 + other.0)
    }

    pub(super) fn minus(self, other: Self) -> Self {
        Residue::of(self.0 + PRIME - other.0)
    }

    fn times(self, other: Self) -> Self {
        let product = u128::from(self.0) * u128::from(other.0);
        Residue::of((product as u64 & PRIME) + (product >> 61) as u64)
    }

    fn power(self, mut exponent: u64) -> Self {
        let (mut power, mut square) = (Residue::ONE, self);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = power.times(square);
            }
            square = square.times(square);
            exponent >>= 1;
        }
        power
    }

    /// 1/x; of 0, which no draw gives, 0.
    fn inverse(self) -> Self {
        self.power(PRIME - 2)
    }

    fn powi(self, n: i32) -> Self {
        let power = self.power(u64::from(n.unsigned_abs()));
        if n < 0 { power.inverse() } else { power }
    }
}

/// A value with its derivative along a direction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moving {
    pub(super) value: Residue,
    pub(super) rate: Residue,
}

/// The value of an operation that is none of the field's, at operands with these values.
fn drawn(op: Op, x: Residue, y: Residue) -> Residue {
    let kind = match op {
        Op::Unary(f, _) => f as u64,
        Op::Powf(_, n) => 0x100 ^ n,
        Op::When(test, ..) => 0x200 + test.sign as u64 * 2 + u64::from(test.not),
        _ => 0x300,
    };
    Residue::drawn([kind, x.0, y.0])
}

impl Moving {
    /// The result of an operation on its operands.
    fn of(op: Op, a: Moving, b: Moving) -> Moving {
        use Function::*;
        let half = || Residue::number(0.5);
        let (x, y) = (a.value, b.value);
        let function = |f: Function| drawn(Op::Unary(f, 0), x, Residue::default());
        let (value, slope) = match op {
            Op::Const(_) | Op::Input(_) => return a,
            Op::Add(..) => {
                return Moving { value: x.plus(y), rate: a.rate.plus(b.rate) };
            }
            Op::Sub(..) => {
                return Moving { value: x.minus(y), rate: a.rate.minus(b.rate) };
            }
            Op::Mul(..) => {
                let rate = a.rate.times(y).plus(x.times(b.rate));
                return Moving { value: x.times(y), rate };
            }
            Op::Div(..) => {
                let (inverse, value) = (y.inverse(), x.times(y.inverse()));
                return Moving { value, rate: a.rate.minus(value.times(b.rate)).times(inverse) };
            }
            // What is chosen is a factor, 1 or 0, that does not move.
            Op::When(test, ..) => {
                let chosen = drawn(Op::When(test, 0, 0), x, Residue::default());
                return Moving { value: chosen.times(y), rate: chosen.times(b.rate) };
            }
            Op::Atan2(..) => {
                let inverse = x.times(x).plus(y.times(y)).inverse();
                let turn = y.times(a.rate).minus(x.times(b.rate));
                return Moving { value: drawn(op, x, y), rate: turn.times(inverse) };
            }
            Op::Powi(_, n) => {
                (x.powi(n), Residue::number(f64::from(n)).times(x.powi(n.wrapping_sub(1))))
            }
            Op::Powf(_, bits) => {
                let n = f64::from_bits(bits);
                let lower = drawn(Op::Powf(0, (n - 1.0).to_bits()), x, Residue::default());
                (drawn(Op::Powf(0, bits), x, Residue::default()), Residue::number(n).times(lower))
            }
            Op::Unary(f, _) => {
                let value = if f == Recip { x.inverse() } else { function(f) };
                let slope = match f {
                    Recip => Residue::default().minus(value.times(value)),
                    Sqrt => half().times(value.inverse()),
                    Cbrt => Residue::number(1.0 / 3.0).times(value.times(value).inverse()),
                    Exp => value,
                    Exp2 => Residue::number(std::f64::consts::LN_2).times(value),
                    ExpM1 => value.plus(Residue::ONE),
                    Ln => x.inverse(),
                    Log2 => Residue::number(std::f64::consts::LOG2_E).times(x.inverse()),
                    Log10 => Residue::number(std::f64::consts::LOG10_E).times(x.inverse()),
                    Ln1p => x.plus(Residue::ONE).inverse(),
                    Sin => function(Cos),
                    Cos => Residue::default().minus(function(Sin)),
                    Tan => value.times(value).plus(Residue::ONE),
                    Sinh => function(Cosh),
                    Cosh => function(Sinh),
                    Tanh => Residue::ONE.minus(value.times(value)),
                    Atan => Residue::ONE.plus(x.times(x)).inverse(),
                    Atanh => Residue::ONE.minus(x.times(x)).inverse(),
                    // Whatever it is.
                    Asin | Acos | Asinh | Acosh => Residue::drawn([0x400 + f as u64, x.0, 0]),
                };
                (value, slope)
            }
        };
        Moving { value, rate: slope.times(a.rate) }
    }
}

impl Graph {
    /// Values and derivatives of the nodes of a tape; `input` gives those of input nodes.
    pub(super) fn in_field(
        &self,
        tape: &[Node],
        place: impl Fn(Node) -> usize,
        input: impl Fn(Node) -> Moving,
    ) -> Vec<Moving> {
        let mut all: Vec<Moving> = Vec::with_capacity(tape.len());
        for &node in tape {
            let op = self.ops()[node as usize];
            let [a, b] = op.operands().map(|x| x.map_or_else(Moving::default, |x| all[place(x)]));
            all.push(match op {
                Op::Const(bits) => {
                    let value = Residue::number(f64::from_bits(bits));
                    Moving { value, rate: Residue::default() }
                }
                Op::Input(_) => input(node),
                _ => Moving::of(op, a, b),
            });
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Source;

    #[test]
    fn fractions_are_exact() {
        let number = Residue::number;
        assert_eq!(number(0.75).plus(number(-0.25)), number(0.5));
        assert_eq!(number(3e-300).times(number(2f64.powi(40))), number(3e-300 * 2f64.powi(40)));
        assert_eq!(number(-6.0).times(number(-0.125)), number(0.75));
        assert_eq!(number(5e-324).times(number(2f64.powi(70))), number(5e-324 * 2f64.powi(70)));
        for x in [3.0, -0.1, 1e22, 7e-310] {
            assert_eq!(number(x).inverse().times(number(x)), Residue::ONE, "{x}");
            assert_eq!(number(x).powi(-3).times(number(x).powi(3)), Residue::ONE, "{x}");
        }
        assert_ne!(number(1.0), number(1.0 + f64::EPSILON));
        assert_ne!(number(0.0), number(5e-324));
    }

    #[test]
    fn derivatives_are_those_of_the_graph() {
        use Function::*;
        let mut g = Graph::default();
        let (x, y) = (g.input(Source::Point, 0), g.input(Source::Point, 1));
        let mut roots: Vec<Node> = [
            Recip, Sqrt, Exp, Exp2, ExpM1, Ln, Log2, Log10, Ln1p, Sin, Cos, Tan, Sinh, Cosh, Tanh,
            Atan, Atanh, Cbrt,
        ]
        .map(|f| g.unary(f, x))
        .to_vec();
        roots.extend([g.powi(x, 5), g.powi(x, -3), g.powf(x, 2.5), g.atan2(x, y), g.mul(x, y)]);
        let test = crate::scalar::Test::is(crate::scalar::Sign::Positive);
        let square = g.mul(x, x);
        roots.push(g.when(test, y, square));
        let rates = [Residue::drawn([7, 7, 7]), Residue::drawn([8, 8, 8])];
        let seeds = [(x, 2), (y, 3)].map(|(node, k)| (node, g.input(Source::U, k)));
        let slopes = g.along(&roots, &seeds);
        let all: Vec<Node> = (0..g.ops().len() as Node).collect();
        let input = |node: Node| Moving {
            value: match node {
                _ if node == seeds[0].1 => rates[0],
                _ if node == seeds[1].1 => rates[1],
                _ => Residue::drawn([node.into(), 5, 5]),
            },
            rate: match node {
                _ if node == x => rates[0],
                _ if node == y => rates[1],
                _ => Residue::default(),
            },
        };
        let values = g.in_field(&all, |node| node as usize, input);
        for (&root, &slope) in roots.iter().zip(&slopes) {
            let (moves, written) = (values[root as usize].rate, values[slope as usize].value);
            assert_eq!(moves, written, "{:?}", g.ops()[root as usize]);
            assert_ne!(moves, Residue::default());
        }
    }
}
