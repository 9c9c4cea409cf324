//! The operations a graph is made of, and where its inputs come from.

use crate::scalar::{Function, Test};

/// Index of an expression in its graph. Operands precede results.
pub(crate) type Node = u32;

/// Where an input of an expression comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Source {
    /// The flat point.
    Point,
    /// A parameter, by its index in the flat point.
    Param,
    /// The weight u.
    U,
    /// The weight s.
    S,
    /// The weight r.
    R,
    /// The coefficients of a matrix.
    Coefficient,
}

impl Source {
    /// Whether it stays what it is from evaluation to evaluation.
    pub(crate) fn is_fixed(self) -> bool {
        matches!(self, Source::Param | Source::Coefficient)
    }
}

/// One input: where it comes from and its index there.
pub(crate) type Input = (Source, u32);

/// One operation. Numbers are held by their bits, so that operations can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    Const(u64),
    /// Index among the graph's inputs.
    Input(u32),
    Add(Node, Node),
    Sub(Node, Node),
    Mul(Node, Node),
    /// The quotient as IEEE 754 rounds it, where a comparison of numbers that nothing moves hangs on its last bit.
    /// Elsewhere a quotient is a product with the reciprocal.
    Div(Node, Node),
    Unary(Function, Node),
    Powi(Node, i32),
    Powf(Node, u64),
    Atan2(Node, Node),
    /// The second operand where the first passes the test, 0 where it does not.
    When(Test, Node, Node),
}

impl Op {
    /// The operands.
    pub(crate) fn operands(self) -> [Option<Node>; 2] {
        match self {
            Op::Const(_) | Op::Input(_) => [None, None],
            Op::Unary(_, a) | Op::Powi(a, _) | Op::Powf(a, _) => [Some(a), None],
            Op::Add(a, b)
            | Op::Sub(a, b)
            | Op::Mul(a, b)
            | Op::Div(a, b)
            | Op::Atan2(a, b)
            | Op::When(_, a, b) => [Some(a), Some(b)],
        }
    }

    /// Whether value and derivatives are finite wherever the operands are.
    pub(super) fn is_total(self) -> bool {
        use Function::*;
        match self {
            Op::Unary(f, _) => matches!(f, Sin | Cos | Atan | Tanh | Asinh),
            Op::Powi(_, n) => n >= 0,
            Op::Div(..) | Op::Powf(..) | Op::Atan2(..) => false,
            // Of what is not chosen nothing is in it.
            Op::Const(_)
            | Op::Input(_)
            | Op::Add(..)
            | Op::Sub(..)
            | Op::Mul(..)
            | Op::When(..) => true,
        }
    }
}
