//! What is asked of a number's sign.

/// What is asked of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[doc(hidden)]
pub enum Sign {
    /// > 0
    Positive,
    /// ≥ 0
    NonNegative,
    /// < 0
    Negative,
    /// ≤ 0
    NonPositive,
    /// = 0
    Zero,
}

/// A question with the answer that is wanted: that the sign holds, or that it does not. What is no
/// number has no sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[doc(hidden)]
pub struct Test {
    /// The sign.
    pub sign: Sign,
    /// Whether it has to be another one.
    pub not: bool,
}

impl Test {
    pub(crate) fn is(sign: Sign) -> Self {
        Test { sign, not: false }
    }

    /// Whether a number passes.
    #[inline(always)]
    pub(crate) fn holds(self, x: f64) -> bool {
        self.not
            != match self.sign {
                Sign::Positive => x > 0.0,
                Sign::NonNegative => x >= 0.0,
                Sign::Negative => x < 0.0,
                Sign::NonPositive => x <= 0.0,
                Sign::Zero => x == 0.0,
            }
    }

    /// What exactly the others pass.
    pub(crate) fn opposite(self) -> Self {
        Test { not: !self.not, ..self }
    }

    /// The same of the negative of a number.
    pub(crate) fn of_negative(self) -> Self {
        let sign = match self.sign {
            Sign::Positive => Sign::Negative,
            Sign::NonNegative => Sign::NonPositive,
            Sign::Negative => Sign::Positive,
            Sign::NonPositive => Sign::NonNegative,
            Sign::Zero => Sign::Zero,
        };
        Test { sign, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_has_no_sign() {
        for sign in
            [Sign::Positive, Sign::NonNegative, Sign::Negative, Sign::NonPositive, Sign::Zero]
        {
            let test = Test::is(sign);
            assert!(!test.holds(f64::NAN) && test.opposite().holds(f64::NAN));
            for x in [-1.0, -0.0, 0.0, 2.0] {
                assert_ne!(test.holds(x), test.opposite().holds(x));
                assert_eq!(test.holds(x), test.of_negative().holds(-x), "{sign:?} {x}");
            }
        }
    }
}
