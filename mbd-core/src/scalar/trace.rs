//! The scalar that kernels run on: a value, and its place on the [tape](super::tape) on which the
//! operations that lead to it are written down.
//!
//! Every operation is a function of this module and none is inlined: kernels are compiled with the
//! user's model, and calls are all they should need.

use super::function::{Function, angle, functions};
use super::step::{Place, Step, is_aside, push};
use num_dual::{DualNum, DualStruct, Mappable};
use num_traits::{FromPrimitive, Inv, Num, One, Signed, Zero};
use std::fmt;
use std::iter::{Product, Sum};
use std::ops::{
    Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign,
};

/// The place of a number that is on no tape: it depends on no input.
const CONSTANT: Place = Place::MAX;

/// A value, with what led to it written down.
#[derive(Clone, Copy, Debug)]
pub struct Trace {
    pub(super) re: f64,
    pub(super) place: Place,
}

impl Trace {
    /// The value at a place of the tape.
    pub(super) fn at(re: f64, place: Place) -> Self {
        Trace { re, place }
    }

    /// Where it is on the tape; `None` for a constant.
    pub(super) fn place(self) -> Option<Place> {
        (self.place != CONSTANT).then_some(self.place)
    }

    /// The value, for other ends than a decision.
    pub(super) fn plain(self) -> f64 {
        self.re
    }

    #[inline(always)]
    pub(super) fn constant(re: f64) -> Self {
        Trace { re, place: CONSTANT }
    }

    /// Its place; a constant is written down for it.
    pub(super) fn written(self) -> Place {
        self.place().unwrap_or_else(|| push(Step::Constant(self.re)))
    }

    fn one(self, re: f64, step: impl FnOnce(Place) -> Step) -> Self {
        Trace { re, place: self.place().map_or(CONSTANT, |a| push(step(a))) }
    }

    fn two(self, other: Self, re: f64, step: impl FnOnce(Place, Place) -> Step) -> Self {
        if self.place == CONSTANT && other.place == CONSTANT {
            return Trace::constant(re);
        }
        let (a, b) = (self.written(), other.written());
        Trace { re, place: push(step(a, b)) }
    }

    /// A sum or product, in which a constant needs no place of its own.
    fn commuting(
        self,
        other: Self,
        re: f64,
        both: impl FnOnce(Place, Place) -> Step,
        number: impl FnOnce(Place, f64) -> Step,
    ) -> Self {
        let step = match (self.place(), other.place()) {
            (None, None) => return Trace::constant(re),
            (Some(a), None) => number(a, other.re),
            (None, Some(b)) => number(b, self.re),
            (Some(a), Some(b)) => both(a, b),
        };
        Trace { re, place: push(step) }
    }

    #[inline(never)]
    fn function(self, function: Function) -> Self {
        self.one(function.value(self.re), |a| Step::Unary(function, a))
    }

    /// The value, for a decision in plain Rust.
    #[inline(never)]
    fn look(self) -> f64 {
        if let Some(place) = self.place() {
            push(Step::Look(place, if is_aside() { f64::NAN } else { self.re }));
        }
        self.re
    }
}

impl Add for Trace {
    type Output = Trace;
    #[inline(never)]
    fn add(self, other: Trace) -> Trace {
        self.commuting(other, self.re + other.re, Step::Add, Step::AddNumber)
    }
}
impl Sub for Trace {
    type Output = Trace;
    #[inline(never)]
    fn sub(self, other: Trace) -> Trace {
        match (self.place(), other.place()) {
            (Some(_), Some(_)) => self.two(other, self.re - other.re, Step::Sub),
            (_, None) => self + Trace::constant(-other.re),
            (None, _) => -other + self,
        }
    }
}
impl Mul for Trace {
    type Output = Trace;
    #[inline(never)]
    fn mul(self, other: Trace) -> Trace {
        self.commuting(other, self.re * other.re, Step::Mul, Step::MulNumber)
    }
}
impl Div for Trace {
    type Output = Trace;
    #[inline(never)]
    fn div(self, other: Trace) -> Trace {
        self.two(other, self.re / other.re, Step::Div)
    }
}
impl Div<f64> for Trace {
    type Output = Trace;
    #[inline(never)]
    fn div(self, other: f64) -> Trace {
        self.one(self.re / other, |a| Step::DivNumber(a, other))
    }
}

impl Rem for Trace {
    type Output = Trace;
    fn rem(self, other: Trace) -> Trace {
        self - other * (self.look() / other.look()).trunc()
    }
}

macro_rules! variants {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident;)*) => { $(
        impl $trait<&Trace> for Trace {
            type Output = Trace;
            #[inline(always)]
            fn $method(self, other: &Trace) -> Trace {
                $trait::$method(self, *other)
            }
        }
        impl $assign for Trace {
            #[inline(always)]
            fn $assign_method(&mut self, other: Trace) {
                *self = $trait::$method(*self, other);
            }
        }
        impl $assign<f64> for Trace {
            #[inline(always)]
            fn $assign_method(&mut self, other: f64) {
                *self = $trait::$method(*self, other);
            }
        }
    )* };
}
variants! {
    Add add AddAssign add_assign;
    Sub sub SubAssign sub_assign;
    Mul mul MulAssign mul_assign;
    Div div DivAssign div_assign;
    Rem rem RemAssign rem_assign;
}

macro_rules! with_numbers {
    ($($trait:ident $method:ident;)*) => { $(
        impl $trait<f64> for Trace {
            type Output = Trace;
            #[inline(always)]
            fn $method(self, other: f64) -> Trace {
                $trait::$method(self, Trace::constant(other))
            }
        }
    )* };
}
with_numbers! { Add add; Sub sub; Mul mul; Rem rem; }

impl Neg for Trace {
    type Output = Trace;
    #[inline(never)]
    fn neg(self) -> Trace {
        self.one(-self.re, Step::Neg)
    }
}
impl Inv for Trace {
    type Output = Trace;
    fn inv(self) -> Trace {
        self.recip()
    }
}
impl Zero for Trace {
    fn zero() -> Self {
        Trace::constant(0.0)
    }
    fn is_zero(&self) -> bool {
        self.look() == 0.0
    }
}
impl One for Trace {
    fn one() -> Self {
        Trace::constant(1.0)
    }
}
impl Num for Trace {
    type FromStrRadixErr = <f64 as Num>::FromStrRadixErr;
    fn from_str_radix(text: &str, radix: u32) -> Result<Self, Self::FromStrRadixErr> {
        <f64 as Num>::from_str_radix(text, radix).map(Trace::constant)
    }
}
impl Signed for Trace {
    fn abs(&self) -> Self {
        if self.look() < 0.0 { -*self } else { *self }
    }
    fn abs_sub(&self, other: &Self) -> Self {
        if self.look() <= other.look() { Trace::constant(0.0) } else { *self - *other }
    }
    fn signum(&self) -> Self {
        Trace::constant(self.look().signum())
    }
    fn is_positive(&self) -> bool {
        self.look() > 0.0
    }
    fn is_negative(&self) -> bool {
        self.look() < 0.0
    }
}
impl Sum for Trace {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Trace::constant(0.0), |a, b| a + b)
    }
}
impl Product for Trace {
    fn product<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Trace::constant(1.0), |a, b| a * b)
    }
}
impl FromPrimitive for Trace {
    fn from_i64(n: i64) -> Option<Self> {
        f64::from_i64(n).map(Trace::constant)
    }
    fn from_u64(n: u64) -> Option<Self> {
        f64::from_u64(n).map(Trace::constant)
    }
    fn from_f64(n: f64) -> Option<Self> {
        Some(Trace::constant(n))
    }
}
impl From<f64> for Trace {
    fn from(value: f64) -> Self {
        Trace::constant(value)
    }
}
impl DualStruct for Trace {
    type Real = f64;
    type Inner = f64;
    fn re(&self) -> f64 {
        self.look()
    }
    fn from_inner(inner: &f64) -> Self {
        Trace::constant(*inner)
    }
}
impl Mappable<Trace> for Trace {
    type Output<O> = O;
    fn map_dual<M: Fn(Trace) -> O, O>(self, f: M) -> O {
        f(self)
    }
}
impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.re.fmt(f)
    }
}
impl PartialEq for Trace {
    fn eq(&self, other: &Self) -> bool {
        self.look() == other.look()
    }
}
impl PartialEq<f64> for Trace {
    fn eq(&self, other: &f64) -> bool {
        self.look() == *other
    }
}
impl PartialOrd for Trace {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.look().partial_cmp(&other.look())
    }
}
impl PartialOrd<f64> for Trace {
    fn partial_cmp(&self, other: &f64) -> Option<std::cmp::Ordering> {
        self.look().partial_cmp(other)
    }
}

macro_rules! recorded {
    ($($function:ident $name:ident)*) => { $(
        #[inline(always)]
        fn $name(&self) -> Self {
            self.function(Function::$function)
        }
    )* };
}

impl DualNum for Trace {
    type Primitive = f64;
    /// Of whatever order it is replayed with; more than any number of nested duals has.
    const NDERIV: usize = 1 << 16;
    type InnerDual = f64;

    fn from_re(re: f64) -> Self {
        Trace::constant(re)
    }
    fn scale(self, factor: &f64) -> Self {
        self * *factor
    }
    #[inline(never)]
    fn powi(&self, n: i32) -> Self {
        match n {
            0 => Trace::constant(1.0),
            1 => *self,
            _ => self.one(self.re.powi(n), |a| Step::Powi(a, n)),
        }
    }
    #[inline(never)]
    fn powf(&self, n: f64) -> Self {
        self.one(self.re.powf(n), |a| Step::Powf(a, n))
    }
    #[inline(never)]
    fn powd(&self, n: Self) -> Self {
        // As on dual numbers, with the value that a plain number has.
        Trace { re: self.re.powf(n.re), ..(self.ln() * n).exp() }
    }
    #[inline(never)]
    fn log(&self, base: f64) -> Self {
        self.one(self.re.log(base), |a| Step::Log(a, base))
    }
    #[inline(never)]
    fn atan2(&self, other: Self) -> Self {
        self.two(other, angle(self.re, other.re), Step::Atan2)
    }
    fn sin_cos(&self) -> (Self, Self) {
        (self.sin(), self.cos())
    }
    fn sph_j0(&self) -> Self {
        self.one(self.re.sph_j0(), |a| Step::Bessel(0, a))
    }
    fn sph_j1(&self) -> Self {
        self.one(self.re.sph_j1(), |a| Step::Bessel(1, a))
    }
    fn sph_j2(&self) -> Self {
        self.one(self.re.sph_j2(), |a| Step::Bessel(2, a))
    }
    functions!(recorded);
}

#[cfg(test)]
mod tests {
    use crate::scalar::tape::Tape;
    use crate::scalar::{Num, Trace, rate, with_rate};

    /// The locals that an expression is nonlinear in, of three.
    fn bent(f: impl Fn([Num<Trace>; 3]) -> Num<Trace>) -> Option<u64> {
        let mut tape = Tape::default();
        tape.record([0.5, 1.5, 2.5].into_iter(), 1, |z, rows| rows[0] = f([z[0], z[1], z[2]]));
        tape.nonlinear(3)
    }

    #[test]
    fn linear_locals_are_told_from_nonlinear_ones() {
        assert_eq!(bent(|[x, y, a]| x + 2.0 * y - a.cos()), Some(0b100));
        assert_eq!(bent(|[x, y, _]| x * y), Some(0b011));
        assert_eq!(bent(|[x, y, _]| 3.0 * x / 2.0 - y), Some(0));
        assert_eq!(bent(|[x, _, _]| 3.0 / x), Some(0b001));
        assert_eq!(bent(|[x, _, _]| x.powi(1) + 1.0), Some(0));
    }

    #[test]
    fn a_decision_is_noticed() {
        assert_eq!(bent(|[x, y, _]| if x > 0.0 { y } else { y * y }), None);
        assert_eq!(bent(|[x, y, _]| x.max(y)), Some(0b011));
        assert_eq!(bent(|[x, _, _]| x.abs()), Some(0b001));
        assert_eq!(bent(|[x, y, a]| x.above(0.0).choose(y, a)), Some(0b111));
        assert_eq!(bent(|[x, _, _]| x.sin()), Some(0b001));
    }

    #[test]
    fn time_derivatives_are_followed() {
        // der(sin a) = cos(a)·va is nonlinear in both; der(x + 2y) is linear in vx alone.
        let turn = |[a, va, _]: [Num<Trace>; 3]| rate(with_rate(a, va).sin());
        assert_eq!(bent(turn), Some(0b011));
    }
}
