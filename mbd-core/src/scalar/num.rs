//! A scalar of a model's expressions, whatever derivatives it carries.

use super::decision::{Chained, Scalar};
use super::function::{Function, angle, functions};
use super::trace::Trace;
use num_dual::{Dual, DualNum};
use std::cmp::Ordering;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// A scalar carrying one time derivative; what `der(expression)` is evaluated on.
pub type Rate<D> = Dual<D>;

/// A scalar in a model expression: a value together with whatever derivatives `D` carries.
///
/// `Num<f64>` is a plain value. Comparisons look at the value only.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Num<D>(pub(super) D);

/// Whether a function can be asked of the number itself: without derivatives there is nothing to go
/// wrong, and of a trace the function is written down and taken when it is replayed.
const fn direct<D: Scalar>() -> bool {
    D::NDERIV == 0 || D::NDERIV == Trace::NDERIV
}

/// Lifts a plain number to a scalar of whichever kind the context asks for.
#[inline(always)]
pub fn num<D: Scalar>(value: f64) -> Num<D> {
    Num(D::from(value))
}

impl<D: Scalar> From<f64> for Num<D> {
    #[inline(always)]
    fn from(value: f64) -> Self {
        num(value)
    }
}

impl<D: Scalar> Default for Num<D> {
    fn default() -> Self {
        num(0.0)
    }
}

impl<D: Scalar> std::fmt::Display for Num<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(&self.0, f)
    }
}

macro_rules! binary {
    ($trait:ident, $method:ident, $assign:ident, $assign_method:ident, $op:tt) => {
        impl<D: Scalar> $trait for Num<D> {
            type Output = Num<D>;
            #[inline(always)]
            fn $method(self, other: Num<D>) -> Num<D> {
                Num(self.0 $op other.0)
            }
        }
        impl<D: Scalar> $trait<f64> for Num<D> {
            type Output = Num<D>;
            #[inline(always)]
            fn $method(self, other: f64) -> Num<D> {
                Num(self.0 $op other)
            }
        }
        impl<D: Scalar> $trait<&Num<D>> for Num<D> {
            type Output = Num<D>;
            #[inline(always)]
            fn $method(self, other: &Num<D>) -> Num<D> {
                self $op *other
            }
        }
        impl<D: Scalar> $assign for Num<D> {
            #[inline(always)]
            fn $assign_method(&mut self, other: Num<D>) {
                *self = *self $op other;
            }
        }
        impl<D: Scalar> $assign<f64> for Num<D> {
            #[inline(always)]
            fn $assign_method(&mut self, other: f64) {
                *self = *self $op other;
            }
        }
    };
}
binary!(Add, add, AddAssign, add_assign, +);
binary!(Sub, sub, SubAssign, sub_assign, -);
binary!(Mul, mul, MulAssign, mul_assign, *);
binary!(Div, div, DivAssign, div_assign, /);

impl<D: Scalar> Add<Num<D>> for f64 {
    type Output = Num<D>;
    #[inline(always)]
    fn add(self, other: Num<D>) -> Num<D> {
        Num(other.0 + self)
    }
}
impl<D: Scalar> Sub<Num<D>> for f64 {
    type Output = Num<D>;
    #[inline(always)]
    fn sub(self, other: Num<D>) -> Num<D> {
        Num(-other.0 + self)
    }
}
impl<D: Scalar> Mul<Num<D>> for f64 {
    type Output = Num<D>;
    #[inline(always)]
    fn mul(self, other: Num<D>) -> Num<D> {
        Num(other.0 * self)
    }
}
impl<D: Scalar> Div<Num<D>> for f64 {
    type Output = Num<D>;
    #[allow(clippy::suspicious_arithmetic_impl, reason = "division is by the reciprocal")]
    #[inline(always)]
    fn div(self, other: Num<D>) -> Num<D> {
        Num(other.0.recip() * self)
    }
}
impl<D: Scalar> Neg for Num<D> {
    type Output = Num<D>;
    #[inline(always)]
    fn neg(self) -> Num<D> {
        Num(-self.0)
    }
}
impl<D: Scalar> Sum for Num<D> {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(num(0.0), |a, b| a + b)
    }
}
/// Comparisons look at the difference, so that a tape has the number whose sign decides.
impl<D: Scalar> Num<D> {
    #[inline(always)]
    fn compared(self, other: Self) -> Option<Ordering> {
        if const { D::NDERIV >= Trace::NDERIV } {
            let difference = (self.0 - other.0).re();
            // Of what is infinite on both sides the difference says nothing.
            if !difference.is_nan() {
                return difference.partial_cmp(&0.0);
            }
        }
        self.value().partial_cmp(&other.value())
    }
}
impl<D: Scalar> PartialEq for Num<D> {
    fn eq(&self, other: &Self) -> bool {
        self.compared(*other) == Some(Ordering::Equal)
    }
}
impl<D: Scalar> PartialEq<f64> for Num<D> {
    fn eq(&self, other: &f64) -> bool {
        *self == num(*other)
    }
}
impl<D: Scalar> PartialEq<Num<D>> for f64 {
    fn eq(&self, other: &Num<D>) -> bool {
        num::<D>(*self) == *other
    }
}
impl<D: Scalar> PartialOrd for Num<D> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.compared(*other)
    }
}
impl<D: Scalar> PartialOrd<f64> for Num<D> {
    fn partial_cmp(&self, other: &f64) -> Option<Ordering> {
        self.compared(num(*other))
    }
}
impl<D: Scalar> PartialOrd<Num<D>> for f64 {
    fn partial_cmp(&self, other: &Num<D>) -> Option<Ordering> {
        num::<D>(*self).compared(*other)
    }
}

/// What may stand as the exponent of [`Num::powf`]: a plain number or a scalar.
pub trait Exponent<D: Scalar> {
    /// `base` raised to this exponent.
    fn raise(self, base: Num<D>) -> Num<D>;
}
impl<D: Scalar> Exponent<D> for f64 {
    #[inline]
    fn raise(self, base: Num<D>) -> Num<D> {
        if self.fract() == 0.0 && self.abs() < 1e9 {
            return base.powi(self as i32);
        }
        if const { direct::<D>() } {
            return Num(base.0.powf(self));
        }
        if let Some(power) = base.0.chained(Chained::Power(self)) {
            return Num(power);
        }
        let x = base.value();
        if x != 0.0 {
            return Num(base.0.powf(self));
        }
        // num-dual multiplies x^(n-3) by x³, which is NaN at 0; here the derivatives that exist
        // (those of order below n) are exact zeros.
        let mut d = [0.0; 5];
        let mut factor = 1.0;
        for (k, dk) in d.iter_mut().enumerate() {
            let e = self - k as f64;
            *dk = if e > 0.0 { 0.0 } else { factor * x.powf(e) };
            factor *= e;
        }
        base.compose(d)
    }
}
impl<D: Scalar> Exponent<D> for Num<D> {
    #[inline]
    fn raise(self, base: Num<D>) -> Num<D> {
        Num(base.0.powd(self.0))
    }
}

macro_rules! function {
    ($($variant:ident $name:ident)*) => {
        impl<D: Scalar> Num<D> {
            /// The value of a function of one argument.
            pub(crate) fn function(self, function: Function) -> Self {
                match function { $(Function::$variant => self.$name()),* }
            }
        }
    };
}
functions!(function);

macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(self) -> Self { Num(self.0.$name()) }
    )* };
}

impl<D: Scalar> Num<D> {
    /// The plain value, derivatives dropped. Using it in a model hides a dependency from the
    /// derivative engine; compare scalars directly instead.
    #[inline(always)]
    pub fn value(self) -> f64 {
        self.0.re()
    }

    /// f(x) from f and its derivatives at the value of x: `d[k] = f⁽ᵏ⁾`.
    ///
    /// x − value(x) is nilpotent, so the Taylor polynomial of degree `NDERIV` is exact. Slower
    /// than num-dual's chain rule; for functions where that one fails.
    pub fn compose(self, d: [f64; 5]) -> Self {
        let order = D::NDERIV.min(4);
        if order == 0 {
            return num(d[0]);
        }
        let delta = self - self.value();
        let factorial = [1.0, 1.0, 2.0, 6.0, 24.0];
        let mut sum: Num<D> = num(d[order] / factorial[order]);
        for k in (0..order).rev() {
            sum = sum * delta + d[k] / factorial[k];
        }
        sum
    }

    unary! {
        /// Sine.
        sin,
        /// Cosine.
        cos,
        /// Tangent.
        tan,
        /// Arcsine.
        asin,
        /// Arccosine.
        acos,
        /// Arctangent.
        atan,
        /// Hyperbolic sine.
        sinh,
        /// Hyperbolic cosine.
        cosh,
        /// Inverse hyperbolic sine.
        asinh,
        /// Inverse hyperbolic cosine.
        acosh,
        /// Inverse hyperbolic tangent.
        atanh,
        /// Exponential.
        exp,
        /// Power of two.
        exp2,
        /// exp(x) − 1 without cancellation.
        exp_m1,
        /// Natural logarithm.
        ln,
        /// Logarithm to base 2.
        log2,
        /// Logarithm to base 10.
        log10,
        /// ln(1 + x) without cancellation.
        ln_1p,
        /// Square root. Its derivative at 0 does not exist and is NaN.
        sqrt,
        /// Cube root.
        cbrt,
        /// 1/x.
        recip,
    }

    /// Sine and cosine at the price of one argument reduction.
    #[inline(always)]
    pub fn sin_cos(self) -> (Self, Self) {
        let (s, c) = self.0.sin_cos();
        (Num(s), Num(c))
    }

    /// Hyperbolic tangent; exact for arguments whose cosh overflows.
    #[inline]
    pub fn tanh(self) -> Self {
        if const { direct::<D>() } {
            return Num(self.0.tanh());
        }
        if let Some(tanh) = self.0.chained(Chained::Tanh) {
            return Num(tanh);
        }
        let t = self.value().tanh();
        let s = 1.0 - t * t;
        self.compose([t, s, -2.0 * t * s, s * (6.0 * t * t - 2.0), t * s * (16.0 - 24.0 * t * t)])
    }

    /// Angle of the point (x, y) = (`other`, `self`), in (−π, π]; differentiable everywhere but
    /// at the origin and continuous except across the negative x axis.
    #[inline]
    pub fn atan2(self, other: Self) -> Self {
        if const { D::NDERIV == 0 } {
            return num(angle(self.value(), other.value()));
        }
        if const { direct::<D>() } {
            return Num(self.0.atan2(other.0));
        }
        if let Some(turned) = self.0.chained(Chained::Atan2(other.0)) {
            return Num(turned);
        }
        let angle = angle(self.value(), other.value());
        let (s, c) = angle.sin_cos();
        // Turned by its own angle the point lies on the positive x axis, where atan(y/x) is safe.
        ((self * c - other * s) / (other * c + self * s)).atan() + angle
    }

    /// Integer power.
    #[inline(always)]
    pub fn powi(self, n: i32) -> Self {
        Num(self.0.powi(n))
    }

    /// Real power; the exponent may be a plain number or a scalar.
    #[inline(always)]
    pub fn powf(self, n: impl Exponent<D>) -> Self {
        n.raise(self)
    }

    /// x².
    #[inline(always)]
    pub fn sq(self) -> Self {
        self * self
    }

    /// |x|, with the derivative of +x at 0.
    #[inline(always)]
    pub fn abs(self) -> Self {
        self.below(0.0).choose(-self, self)
    }

    /// The sign of x as a constant (0 at 0).
    #[inline(always)]
    pub fn signum(self) -> Self {
        let negative: Self = self.below(0.0).choose(-1.0, 0.0);
        self.above(0.0).choose(1.0, negative)
    }

    /// The smaller of two scalars, with its derivatives.
    #[inline(always)]
    pub fn min(self, other: impl Into<Self>) -> Self {
        let other = other.into();
        other.below(self).choose(other, self)
    }

    /// The larger of two scalars, with its derivatives.
    #[inline(always)]
    pub fn max(self, other: impl Into<Self>) -> Self {
        let other = other.into();
        other.above(self).choose(other, self)
    }

    /// The scalar limited to `low..=high`.
    #[inline(always)]
    pub fn clamp(self, low: impl Into<Self>, high: impl Into<Self>) -> Self {
        self.max(low).min(high)
    }

    /// √(x² + y²).
    #[inline(always)]
    pub fn hypot(self, other: Self) -> Self {
        (self * self + other * other).sqrt()
    }

    /// self·a + b.
    #[inline(always)]
    pub fn mul_add(self, a: impl Into<Self>, b: impl Into<Self>) -> Self {
        self * a.into() + b.into()
    }

    /// Radians from degrees.
    #[inline(always)]
    pub fn to_radians(self) -> Self {
        self * (std::f64::consts::PI / 180.0)
    }

    /// Degrees from radians.
    #[inline(always)]
    pub fn to_degrees(self) -> Self {
        self * (180.0 / std::f64::consts::PI)
    }

    /// True when neither the value nor, as far as comparison can tell, its computation overflowed.
    #[inline(always)]
    pub fn is_finite(self) -> bool {
        self.value().is_finite()
    }
}

/// A scalar with its time derivative, for evaluating `der(expression)`.
#[inline(always)]
pub fn with_rate<D: Scalar>(value: Num<D>, rate: Num<D>) -> Num<Rate<D>> {
    Num(Dual::new(value.0, rate.0))
}

/// The same of an array.
pub fn with_rates<D: Scalar, const N: usize>(
    values: [Num<D>; N],
    rates: [Num<D>; N],
) -> [Num<Rate<D>>; N] {
    std::array::from_fn(|k| with_rate(values[k], rates[k]))
}

/// An array of which all entries have this rate.
pub fn with_one_rate<D: Scalar, const N: usize>(
    values: [Num<D>; N],
    rate: f64,
) -> [Num<Rate<D>>; N] {
    with_rates(values, [num(rate); N])
}

/// An input at a time: the numbers of its [course](crate::signal::Course).
#[inline]
pub fn input<D: Scalar>(t: Num<D>, &[from, c0, c1, c2]: &[Num<D>; 4]) -> Num<D> {
    let s = t - from;
    c0 + s * (c1 + s * c2)
}

/// A scalar that does not change in time, among those that carry a rate.
#[inline(always)]
pub fn constant_in_time<D: Scalar>(value: Num<D>) -> Num<Rate<D>> {
    with_rate(value, num(0.0))
}

/// The same scalar going on at the rate 1: the rate of a function of it is the function's slope.
#[inline(always)]
pub fn swept<D: Scalar>(value: Num<Rate<D>>) -> Num<Rate<D>> {
    Num(Dual::new(value.0.re, D::from(1.0)))
}

/// What `der(expression)` can be taken of: scalars, arrays and tuples of them.
#[diagnostic::on_unimplemented(
    message = "`der(…)` of `{Self}`",
    note = "`der` takes the time derivative of scalars, arrays and tuples of two or three of them"
)]
pub trait TimeDerivative {
    /// The same shape, one derivative lower.
    type Output;
    /// The time derivative.
    fn rate(self) -> Self::Output;
}
impl<D: Scalar> TimeDerivative for Num<Rate<D>> {
    type Output = Num<D>;
    #[inline(always)]
    fn rate(self) -> Num<D> {
        Num(self.0.eps)
    }
}
impl<T: TimeDerivative, const N: usize> TimeDerivative for [T; N] {
    type Output = [T::Output; N];
    #[inline(always)]
    fn rate(self) -> Self::Output {
        self.map(T::rate)
    }
}
impl<A: TimeDerivative, B: TimeDerivative> TimeDerivative for (A, B) {
    type Output = (A::Output, B::Output);
    #[inline(always)]
    fn rate(self) -> Self::Output {
        (self.0.rate(), self.1.rate())
    }
}
impl<A: TimeDerivative, B: TimeDerivative, C: TimeDerivative> TimeDerivative for (A, B, C) {
    type Output = (A::Output, B::Output, C::Output);
    #[inline(always)]
    fn rate(self) -> Self::Output {
        (self.0.rate(), self.1.rate(), self.2.rate())
    }
}

/// The time derivative of a value computed on [`with_rate`] scalars.
#[inline(always)]
pub fn rate<T: TimeDerivative>(value: T) -> T::Output {
    value.rate()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::gradient::{Base, Gradient, Packed, WIDTH, directed2};
    use crate::scalar::{Grad, HyperDual64};

    fn seeded<B: Base>(value: B) -> Num<Grad<B, WIDTH>> {
        let slopes = std::array::from_fn(|k| B::from(f64::from(k == 0)));
        Gradient { value, slopes }.unpack()
    }

    fn third_order(
        f: impl Fn(Num<Grad<HyperDual64, WIDTH>>) -> Num<Grad<HyperDual64, WIDTH>>,
        x: f64,
    ) -> [f64; 4] {
        let y = Gradient::pack(f(seeded(directed2(x, 1.0, 1.0))));
        [y.value.re, y.value.eps1, y.value.eps1eps2, y.slopes[0].eps1eps2]
    }

    fn close(a: [f64; 4], b: [f64; 4]) {
        for (a, b) in a.iter().zip(b) {
            assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{a} against {b}");
        }
    }

    #[test]
    fn tanh_has_its_derivatives_and_survives_large_arguments() {
        let x: f64 = 0.3;
        let t = x.tanh();
        let s = 1.0 - t * t;
        close(third_order(|x| x.tanh(), x), [t, s, -2.0 * t * s, s * (6.0 * t * t - 2.0)]);
        // The same through num-dual's own chain rules.
        close(
            third_order(|x| x.tanh(), x),
            third_order(|x| ((x * 2.0).exp() - 1.0) / ((x * 2.0).exp() + 1.0), x),
        );
        close(third_order(|x| x.tanh(), 800.0), [1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn powers_at_zero_keep_the_derivatives_that_exist() {
        let y = Gradient::pack(seeded(0.0).powf(1.5));
        assert_eq!((y.value, y.slopes[0]), (0.0, 0.0));
        close(third_order(|x| x.powf(2.0), 0.0), [0.0, 0.0, 2.0, 0.0]);
        close(third_order(|x| x.powf(4.5), 0.0), [0.0; 4]);
    }

    #[test]
    fn atan2_is_smooth_across_every_axis() {
        for k in 0..16 {
            let a = -3.0 + 0.4 * k as f64;
            let exact = third_order(|x| x.sin().atan2(x.cos()), a);
            let wrapped = a.sin().atan2(a.cos());
            close(exact, [wrapped, 1.0, 0.0, 0.0]);
        }
        for a in [0.0, 0.5, 1.0, -0.5].map(|k| k * std::f64::consts::PI) {
            close(
                third_order(|x| x.sin().atan2(x.cos()), a)[1..]
                    .try_into()
                    .map(|[b, c, d]: [f64; 3]| [1.0, b, c, d])
                    .unwrap(),
                [1.0, 1.0, 0.0, 0.0],
            );
        }
    }

    #[test]
    fn time_derivative_of_an_array() {
        let x = with_rate(num::<f64>(2.0), num(3.0));
        let [a, b] = rate([x * x, x.recip()]);
        assert_eq!(a.value(), 12.0);
        assert_eq!(b.value(), -0.75);
    }

    #[test]
    fn plain_numbers_stand_on_either_side() {
        let x = seeded(4.0);
        let y = Gradient::pack(1.0 - 2.0 / x + 3.0 * x - x / 2.0);
        assert_eq!((y.value, y.slopes[0]), (1.0 - 0.5 + 12.0 - 2.0, 2.0 / 16.0 + 3.0 - 0.5));
        assert!(x > 3.0 && 5.0 > x && x == 4.0);
    }
}
