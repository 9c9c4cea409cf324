//! Comparisons of scalars: the methods that give a [`Decision`], and those that `mechanism!` writes.

use super::decision::{Choose, Decision, Scalar};
use super::num::{Num, num};
use super::test::{Sign, Test};

impl<D: Scalar> Choose for Num<D> {
    #[inline(always)]
    fn chosen(decision: Decision, yes: Self, no: Self) -> Self {
        Num(D::chosen(decision, yes.0, no.0))
    }
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident $sign:ident;)*) => {
        impl<D: Scalar> Num<D> {
            $(
                $(#[$doc])*
                #[inline(always)]
                pub fn $name(self, other: impl Into<Self>) -> Decision {
                    (self.0 - other.into().0).decide(Test::is(Sign::$sign))
                }
            )*
        }
    };
}
comparisons! {
    /// Whether it is larger than `other`.
    above Positive;
    /// Whether it is `other` or larger.
    at_least NonNegative;
    /// Whether it is less than `other`.
    below Negative;
    /// Whether it is `other` or less.
    at_most NonPositive;
    /// Whether it is `other`.
    equals Zero;
}

/// Comparisons in code written by `mechanism!`: of scalars, and of numbers that may be plain.
#[doc(hidden)]
pub mod compared {
    use super::{Decision, Num, Scalar, num};

    /// What can be compared with a `B`.
    #[diagnostic::on_unimplemented(
        message = "`if` in a model compares scalars and plain numbers, not `{Self}` with `{B}`",
        note = "move the comparison into a function that returns `bool`"
    )]
    pub trait With<B> {
        fn above(self, other: B) -> Decision;
        fn at_least(self, other: B) -> Decision;
        fn below(self, other: B) -> Decision;
        fn at_most(self, other: B) -> Decision;
        fn equals(self, other: B) -> Decision;
    }
    macro_rules! with {
        ($([$($generics:tt)*] $a:ty, $b:ty, |$x:ident| $convert:expr;)*) => { $(
            impl<$($generics)*> With<$b> for $a {
                with! { @ $b, |$x| $convert, above at_least below at_most equals }
            }
        )* };
        (@ $b:ty, |$x:ident| $convert:expr, $($name:ident)*) => { $(
            #[inline(always)]
            fn $name(self, other: $b) -> Decision {
                let $x = self;
                Num::$name($convert, other)
            }
        )* };
    }
    macro_rules! plain {
        ($($ty:ty)*) => { $(
            impl With<$ty> for $ty {
                plain! { @ $ty, above > at_least >= below < at_most <= equals == }
            }
        )* };
        (@ $ty:ty, $($name:ident $op:tt)*) => { $(
            #[inline(always)]
            fn $name(self, other: $ty) -> Decision {
                Decision::plain(self $op other)
            }
        )* };
    }
    plain! { i32 i64 isize u8 u32 u64 usize bool }
    with! {
        [D: Scalar] Num<D>, Num<D>, |x| x;
        [D: Scalar] Num<D>, f64, |x| x;
        [D: Scalar] f64, Num<D>, |x| num::<D>(x);
        [] f64, f64, |x| num::<f64>(x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_numbers_are_compared_as_in_rust() {
        let [x, y] = [1.0, 2.0].map(num::<f64>);
        let chosen = |d: Decision| d.choose::<Num<f64>>(1.0, 0.0).value() == 1.0;
        assert!(chosen(x.below(y)) && chosen(x.at_most(1.0)) && chosen(!x.above(y)));
        assert!(!chosen(x.equals(y)) && chosen(y.at_least(2.0)));
        let pair: [Num<f64>; 2] = x.above(y).choose([x, y], [y, x]);
        assert_eq!(pair.map(Num::value), [2.0, 1.0]);
    }
}
