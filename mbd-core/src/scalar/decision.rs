//! Comparisons whose two sides are both written down: a choice is an operation like any other, so that
//! a statement with one has a single expression and runs as a program.
//!
//! `if x > 0.0 { a } else { b }` in plain Rust shows the side taken only. [`Num::above`] and its like
//! give a [`Decision`] in place of a `bool`, and [`Decision::choose`] takes both sides: the value and
//! the derivatives of the result are those of the side that holds, and nothing of the other side, not
//! even what is no number there, is in them.

use super::tape::{self, Place};
use super::trace::Trace;
use super::{Num, Scalar};
use nalgebra::{Const, SVector};
use num_dual::{Derivative, Dual, Dual2, Dual3, DualVec, HyperDual, HyperHyperDual};

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

/// The outcome of a comparison of scalars, to choose by.
///
/// ```
/// use mbd_core::scalar::{Num, Scalar};
/// /// A spring that only pushes.
/// fn buffer<D: Scalar>(depth: Num<D>, k: f64) -> Num<D> {
///     depth.above(0.0).choose(-k * depth, 0.0)
/// }
/// assert_eq!(buffer(Num::<f64>::from(0.1), 20.0).value(), -2.0);
/// assert_eq!(buffer(Num::<f64>::from(-0.1), 20.0).value(), 0.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Decision {
    holds: bool,
    /// What was asked, and of which value on the tape.
    on: Option<(Test, Place)>,
    slide: Option<Slide<Trace>>,
}

/// What a decision knows of the motion sliding along the boundary between its sides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slide<T> {
    /// The value on the tape that is negative while it does.
    pub(super) on: Place,
    /// The share of the positive side then.
    pub(super) share: T,
    /// Whether it does.
    pub(super) slides: bool,
}

impl<T> Slide<T> {
    /// What the value on the tape is asked.
    pub(super) fn test(&self) -> Test {
        Test::is(Sign::Negative)
    }
}

impl Decision {
    /// One that depends on nothing.
    pub(crate) fn plain(holds: bool) -> Self {
        Decision { holds, on: None, slide: None }
    }

    pub(super) fn traced(
        holds: bool,
        test: Test,
        place: Place,
        slide: Option<Slide<Trace>>,
    ) -> Self {
        Decision { holds, on: Some((test, place)), slide }
    }

    pub(super) fn slide(self) -> Option<Slide<Trace>> {
        self.slide
    }

    /// Whether the motion is held on the boundary between both sides, as by friction that sticks. What is
    /// [chosen](Self::choose) by `self` is between its two sides then, whatever holds the motion there, and
    /// the motion leaves where it would have to be beyond one of them. So a law with other limits there
    /// chooses them by this:
    ///
    /// ```
    /// use mbd_core::scalar::{Num, Scalar};
    /// /// Dry friction: it slides against `kinetic`, and breaks away at `breakaway`.
    /// fn friction<D: Scalar>(v: Num<D>, kinetic: f64, breakaway: f64) -> Num<D> {
    ///     let forward = v.above(0.0);
    ///     let limit: Num<D> = forward.sticks().choose(breakaway, kinetic);
    ///     forward.choose(-limit, limit)
    /// }
    /// ```
    pub fn sticks(self) -> Decision {
        match self.slide {
            Some(slide) => Decision::traced(slide.slides, slide.test(), slide.on, None),
            None => Decision::plain(false),
        }
    }

    /// Whether it holds at the point of evaluation.
    pub(super) fn holds(self) -> bool {
        self.holds
    }

    pub(super) fn on(self) -> Option<(Test, Place)> {
        self.on
    }

    /// `yes` where it holds, `no` where it does not. Scalars, plain numbers for them, and arrays and
    /// pairs of scalars can be chosen.
    #[inline(always)]
    pub fn choose<C: Choose>(self, yes: impl Into<C>, no: impl Into<C>) -> C {
        C::chosen(self, yes.into(), no.into())
    }

    /// The same of what is computed on demand: both sides of a comparison of scalars, one side of a
    /// comparison of plain numbers.
    #[inline(always)]
    pub fn choose_with<C: Choose>(self, yes: impl FnOnce() -> C, no: impl FnOnce() -> C) -> C {
        match self.on {
            Some(_) if self.holds => C::chosen(self, yes(), tape::aside(no)),
            Some(_) => C::chosen(self, tape::aside(yes), no()),
            None if self.holds => yes(),
            None => no(),
        }
    }
}

impl std::ops::Not for Decision {
    type Output = Decision;
    fn not(self) -> Decision {
        let on = self.on.map(|(test, place)| (test.opposite(), place));
        Decision { holds: !self.holds, on, ..self }
    }
}

/// What can be chosen by a [`Decision`].
pub trait Choose {
    /// `yes` where the decision holds, `no` where it does not.
    fn chosen(decision: Decision, yes: Self, no: Self) -> Self;
}

impl<D: Scalar> Choose for Num<D> {
    #[inline(always)]
    fn chosen(decision: Decision, yes: Self, no: Self) -> Self {
        Num(D::chosen(decision, yes.0, no.0))
    }
}
impl<C: Choose, const N: usize> Choose for [C; N] {
    fn chosen(decision: Decision, yes: Self, no: Self) -> Self {
        let mut no = no.into_iter();
        yes.map(|yes| match no.next() {
            Some(no) => C::chosen(decision, yes, no),
            None => yes,
        })
    }
}
impl<A: Choose, B: Choose> Choose for (A, B) {
    fn chosen(decision: Decision, yes: Self, no: Self) -> Self {
        (A::chosen(decision, yes.0, no.0), B::chosen(decision, yes.1, no.1))
    }
}
impl<A: Choose, B: Choose, C: Choose> Choose for (A, B, C) {
    fn chosen(decision: Decision, yes: Self, no: Self) -> Self {
        (
            A::chosen(decision, yes.0, no.0),
            B::chosen(decision, yes.1, no.1),
            C::chosen(decision, yes.2, no.2),
        )
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
    use super::{Decision, Num, Scalar};

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
        [D: Scalar] f64, Num<D>, |x| super::super::num::<D>(x);
        [] f64, f64, |x| super::super::num::<f64>(x);
    }
}

/// What a number type does at a comparison; a part of [`Scalar`].
#[doc(hidden)]
pub trait Decide: Sized {
    /// Puts its value to a test.
    fn decide(self, test: Test) -> Decision;
    /// `yes` where the decision holds, `no` where it does not.
    fn chosen(decision: Decision, yes: Self, no: Self) -> Self;
    /// Its value and where it is on the tape; `None` for numbers that no tape is written of.
    fn seen(self) -> Option<(f64, Option<u32>)> {
        None
    }
}

impl Decide for f64 {
    #[inline(always)]
    fn decide(self, test: Test) -> Decision {
        Decision::plain(test.holds(self))
    }
    #[inline(always)]
    fn chosen(decision: Decision, yes: Self, no: Self) -> Self {
        if decision.holds { yes } else { no }
    }
}

impl Decide for Trace {
    fn decide(self, test: Test) -> Decision {
        self.test(test)
    }
    fn chosen(decision: Decision, yes: Self, no: Self) -> Self {
        Trace::choice(decision, yes, no)
    }
    fn seen(self) -> Option<(f64, Option<u32>)> {
        Some((self.plain(), self.place()))
    }
}

/// Number types made of parts, of which the first is the value.
macro_rules! in_parts {
    ($($name:ident: $value:ident $($part:ident)*;)*) => { $(
        impl<D: Scalar> Decide for $name<D> {
            #[inline(always)]
            fn decide(self, test: Test) -> Decision {
                self.$value.decide(test)
            }
            #[inline(always)]
            fn chosen(decision: Decision, yes: Self, no: Self) -> Self {
                $name::new(
                    D::chosen(decision, yes.$value, no.$value),
                    $(D::chosen(decision, yes.$part, no.$part)),*
                )
            }
        }
    )* };
}
in_parts! {
    Dual: re eps;
    Dual2: re v1 v2;
    Dual3: re v1 v2 v3;
    HyperDual: re eps1 eps2 eps1eps2;
    HyperHyperDual: re eps1 eps2 eps3 eps1eps2 eps1eps3 eps2eps3 eps1eps2eps3;
}

impl<D: Scalar, const N: usize> Decide for DualVec<D, Const<N>> {
    #[inline(always)]
    fn decide(self, test: Test) -> Decision {
        self.re.decide(test)
    }
    fn chosen(decision: Decision, yes: Self, no: Self) -> Self {
        if decision.on.is_none() {
            return if decision.holds { yes } else { no };
        }
        let zero = SVector::<D, N>::repeat(D::from(0.0));
        let (a, b) = (yes.eps.0.unwrap_or(zero), no.eps.0.unwrap_or(zero));
        let slopes = a.zip_map(&b, |a, b| D::chosen(decision, a, b));
        DualVec::new(D::chosen(decision, yes.re, no.re), Derivative::some(slopes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::num;

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
