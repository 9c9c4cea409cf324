//! Comparisons whose two sides are both written down: a choice is an operation like any other, so that
//! a statement with one has a single expression and runs as a program.
//!
//! `if x > 0.0 { a } else { b }` in plain Rust shows the side taken only. [`Num::above`] and its like
//! give a [`Decision`] in place of a `bool`, and [`Decision::choose`] takes both sides: the value and
//! the derivatives of the result are those of the side that holds, and nothing of the other side, not
//! even what is no number there, is in them.

use super::step::{BELOW_SIDES, Place, SLIDES, Share, Side, Step, aside, held, next_side, push};
use super::test::{Sign, Test};
use super::trace::Trace;
use nalgebra::{Const, SVector};
use num_dual::{Derivative, Dual, Dual2, Dual3, DualNum, DualVec, HyperDual, HyperHyperDual};

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

    /// Says of the last three comparisons that they belong together: the components of a speed in a plane with 0, and
    /// that the speed is not 0. The motion sticks where both components are 0, and lets go where what holds it would
    /// have to be more than both sides allow in size, whatever its direction. Between that the comparisons of the
    /// components choose nothing by themselves.
    pub(crate) fn of_plane(all: [Decision; 3]) {
        if all.iter().all(|one| one.on.is_some()) {
            push(Step::Plane);
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
            Some(_) if self.holds => C::chosen(self, yes(), aside(no)),
            Some(_) => C::chosen(self, aside(yes), no()),
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

/// A number type that model expressions can be evaluated on: `f64` and num-dual's dual numbers
/// over it, nested as needed.
pub trait Scalar: DualNum<Primitive = f64> + Decide + Copy + Send + Sync {}
impl<T: DualNum<Primitive = f64> + Decide + Copy + Send + Sync> Scalar for T {}

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
    /// The same number at a place of the tape that is its own.
    fn apart(self) -> Self {
        self
    }
    /// A function by the chain rule on a trace that carries a rate; `None` for all other numbers.
    fn chained(self, _: Chained<Self>) -> Option<Self> {
        None
    }
}

/// A function whose rule in num-dual fails at points where it has derivatives, so that [`Num`](super::Num) looks at
/// the value of its argument. No trace may be looked at: what it is taken of changes from replay to replay.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub enum Chained<D> {
    /// The angle of the point (x, self).
    Atan2(D),
    /// The hyperbolic tangent.
    Tanh,
    /// The power of a plain exponent.
    Power(f64),
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

impl Trace {
    /// A decision by its value, with both sides to come.
    #[inline(never)]
    fn test(self, test: Test) -> Decision {
        match self.place() {
            Some(place) => {
                push(Step::Guard(place, self.re));
                let Some(side) = next_side() else {
                    return Decision::traced(test.holds(self.re), test, place, None);
                };
                let re = held(side.value, self.re);
                let on = push(Step::Held(side.place, place, re));
                let slide = side.share.map(|share| Trace::slide(side, share));
                Decision::traced(test.holds(re), test, on, slide)
            }
            None => Decision::plain(test.holds(self.re)),
        }
    }

    /// The side of a decision that holds, both written down: the sum of what each contributes.
    #[inline(never)]
    fn choice(decision: Decision, yes: Trace, no: Trace) -> Trace {
        let chosen = if decision.holds() { yes } else { no };
        let same = match (yes.place(), no.place()) {
            (None, None) => yes.re.to_bits() == no.re.to_bits(),
            (a, b) => a == b,
        };
        let Some((test, on)) = decision.on().filter(|_| !same) else { return chosen };
        let when = |test, side: Trace| match (side.place(), side.re) {
            (None, 0.0) => Trace::constant(0.0),
            _ => Trace::at(side.re, push(Step::When(test, on, side.written()))),
        };
        let sum = match (when(test, yes).place(), when(test.opposite(), no).place()) {
            (Some(a), Some(b)) => push(Step::Add(a, b)),
            (Some(a), None) | (None, Some(a)) => a,
            (None, None) => return Trace::constant(0.0),
        };
        let chosen = Trace::at(chosen.re, sum);
        let Some(slide) = decision.slide() else { return chosen };
        // The negative side holds; what the positive one has more than it comes by its share.
        let [above, below] = if test.holds(1.0) { [yes, no] } else { [no, yes] };
        let more = slide.share * (above - below);
        let added = push(Step::When(slide.test(), slide.on, more.written()));
        Trace {
            re: if slide.slides { chosen.re + more.re } else { chosen.re },
            ..chosen + Trace::at(0.0, added)
        }
    }

    /// What a guard that the motion can slide along tells.
    fn slide(side: Side, share: Share) -> Slide<Trace> {
        let on = push(Step::AddNumber(side.place, -BELOW_SIDES));
        let psi = Trace::at(share.value, share.place);
        let share = if share.turned { -psi } else { psi } + Trace::constant(0.5);
        Slide { on, share, slides: side.value == SLIDES }
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
    fn apart(self) -> Self {
        Trace::at(self.plain(), push(Step::AddNumber(self.written(), 0.0)))
    }
}

/// A function of a number that carries a rate, from the function and its slopes at what it is a rate of.
fn chained<D: Scalar>(of: Dual<D>, function: Chained<Dual<D>>) -> Dual<D> {
    let (y, dy) = (of.re, of.eps);
    let (value, rate) = match function {
        Chained::Atan2(x) => {
            let (x, dx) = (x.re, x.eps);
            (Chained::Atan2(x).of(y), (x * dy - y * dx) / (x * x + y * y))
        }
        Chained::Tanh => {
            let tanh = Chained::Tanh.of(y);
            (tanh, dy * (-(tanh * tanh) + 1.0))
        }
        Chained::Power(n) => (Chained::Power(n).of(y), Chained::Power(n - 1.0).of(y) * dy * n),
    };
    Dual::new(value, rate)
}

impl<D: Scalar> Chained<D> {
    /// The function, as it is or by the chain rule.
    fn of(self, y: D) -> D {
        y.chained(self).unwrap_or_else(|| match self {
            // Of a zero without a sign, as [`angle`](super::function::angle).
            Chained::Atan2(x) => (y + 0.0).atan2(x + 0.0),
            Chained::Tanh => y.tanh(),
            Chained::Power(n) => y.powf(n),
        })
    }
}

/// Number types made of parts, of which the first is the value.
macro_rules! in_parts {
    ($($name:ident: $value:ident $($part:ident)* $(, $chained:ident)?;)*) => { $(
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
            $(fn chained(self, function: Chained<Self>) -> Option<Self> {
                if const { D::NDERIV >= Trace::NDERIV } { Some($chained(self, function)) } else { None }
            })?
        }
    )* };
}
in_parts! {
    Dual: re eps, chained;
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
