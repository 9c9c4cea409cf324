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
    use super::{Choose, Decision, Num, Scalar, num};
    use std::marker::PhantomData;
    use std::ops::Deref;

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

    /// What an `if` gives of which no spelling tells whether it is a scalar: its type tells how it is chosen. What can be
    /// [chosen](Choose) finds [`pick`](Self::pick) here, everything else the one of [`InRust`], which this derefs to.
    pub struct Branches<C>(InRust<C>);

    /// Values that the language knows nothing of: Rust decides between them.
    pub struct InRust<C>(PhantomData<fn() -> C>);

    /// The kind of what two branches give.
    #[inline(always)]
    pub fn branches<C>(_yes: &impl FnOnce() -> C, _no: &impl FnOnce() -> C) -> Branches<C> {
        Branches(InRust(PhantomData))
    }

    impl<C> Deref for Branches<C> {
        type Target = InRust<C>;
        #[inline(always)]
        fn deref(&self) -> &InRust<C> {
            &self.0
        }
    }

    impl<C: Choose> Branches<C> {
        /// A choice by a decision, with both sides written down.
        #[inline(always)]
        pub fn pick(
            &self,
            decision: impl FnOnce() -> Decision,
            _holds: impl FnOnce() -> bool,
            yes: impl FnOnce() -> C,
            no: impl FnOnce() -> C,
        ) -> C {
            decision().choose_with(yes, no)
        }
    }

    impl<C> InRust<C> {
        /// The side that holds; the other is not computed.
        #[inline(always)]
        pub fn pick(
            &self,
            _decision: impl FnOnce() -> Decision,
            holds: impl FnOnce() -> bool,
            yes: impl FnOnce() -> C,
            no: impl FnOnce() -> C,
        ) -> C {
            if holds() { yes() } else { no() }
        }
    }

    /// Both sides of a comparison: scalars and plain numbers, which a decision is made of, and everything else that Rust
    /// compares, which is found where this derefs to.
    pub struct Sides<'a, A: ?Sized, B: ?Sized>(SidesInRust<'a, A, B>);

    /// Sides of a comparison that no decision can be made of.
    pub struct SidesInRust<'a, A: ?Sized, B: ?Sized>(&'a A, &'a B);

    /// The sides of a comparison, of whatever type they are.
    #[inline(always)]
    pub fn sides<'a, A: ?Sized, B: ?Sized>(a: &'a A, b: &'a B) -> Sides<'a, A, B> {
        Sides(SidesInRust(a, b))
    }

    impl<'a, A: ?Sized, B: ?Sized> Deref for Sides<'a, A, B> {
        type Target = SidesInRust<'a, A, B>;
        #[inline(always)]
        fn deref(&self) -> &Self::Target {
            &self.0
        }
    }

    macro_rules! sides {
        ($($name:ident)*) => {
            impl<A: With<B> + Copy, B: Copy> Sides<'_, A, B> {
                $(
                    #[inline(always)]
                    pub fn $name(&self, _holds: impl FnOnce() -> bool) -> Decision {
                        With::$name(*self.0.0, *self.0.1)
                    }
                )*
            }
            impl<A: ?Sized, B: ?Sized> SidesInRust<'_, A, B> {
                $(
                    #[inline(always)]
                    pub fn $name(&self, holds: impl FnOnce() -> bool) -> Decision {
                        Decision::plain(holds())
                    }
                )*
            }
        };
    }
    sides! { above at_least below at_most equals }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{Step, Tape, Trace};

    #[test]
    fn plain_numbers_are_compared_as_in_rust() {
        let [x, y] = [1.0, 2.0].map(num::<f64>);
        let chosen = |d: Decision| d.choose::<Num<f64>>(1.0, 0.0).value() == 1.0;
        assert!(chosen(x.below(y)) && chosen(x.at_most(1.0)) && chosen(!x.above(y)));
        assert!(!chosen(x.equals(y)) && chosen(y.at_least(2.0)));
        let pair: [Num<f64>; 2] = x.above(y).choose([x, y], [y, x]);
        assert_eq!(pair.map(Num::value), [2.0, 1.0]);
    }

    /// An `if` between two values as `mechanism!` writes it where only their type tells what they are.
    macro_rules! either {
        ($left:expr, $name:ident $op:tt, $right:expr, $yes:expr, $no:expr) => {{
            let (yes, no) = (|| $yes, || $no);
            let of = compared::branches(&yes, &no);
            let (left, right) = (&$left, &$right);
            let holds = || *left $op *right;
            of.pick(|| compared::sides(left, right).$name(holds), holds, yes, no)
        }};
    }

    /// Scalars, in a function that knows nothing of them but that they are scalars.
    fn larger<D: Scalar>(x: Num<D>, y: Num<D>) -> (Num<D>, [Num<D>; 2]) {
        (either!(x, above >, y, x, y), either!(x, above >, 0.5, [x, y], [y, x]))
    }

    #[test]
    fn the_type_of_the_branches_says_how_they_are_chosen() {
        let [x, y] = [1.0, 2.0].map(num::<f64>);
        let (one, list) = larger(x, y);
        assert_eq!((one.value(), list.map(Num::value)), (2.0, [1.0, 2.0]));
        // Both sides of scalars are on the tape, and the program holds on both sides; of anything else one side is, and
        // what decided is only looked at.
        let count = |chosen: fn(Num<Trace>) -> Num<Trace>| {
            let mut tape = Tape::default();
            tape.record([3.0].into_iter(), 1, |z, rows| rows[0] = chosen(z[0]));
            let of = |is: fn(&Step) -> bool| tape.steps().iter().filter(|step| is(step)).count();
            [
                of(|step| matches!(step, Step::Guard(..))),
                of(|step| matches!(step, Step::Look(..))),
                of(|step| matches!(step, Step::When(..))),
            ]
        };
        assert_eq!(count(|x| either!(x, above >, 1.0, x * x, 2.0 * x)), [1, 0, 2]);
        assert_eq!(count(|x| x * f64::from(either!(x, above >, 1.0, 2_i32, 3_i32))), [0, 1, 0]);
        // What is compared need be no number, and what is chosen need not be copied.
        let text = String::from("closed");
        assert_eq!(either!(*text, equals ==, *"open", "a", "b"), "b");
        assert!(either!('b', above >, 'a', x, y).value() == 1.0);
        assert_eq!(either!(3_u16, at_most <=, 2_u16, vec![1], Vec::new()), Vec::<i32>::new());
        assert!(either!(x, below <, y, true, false));
    }
}
