//! The mathematical functions a model may call by name: `sin(theta)`, `sq(der(x))`, …
//!
//! Each works on [`Num`] and on plain `f64`, so an expression of parameters only reads the same.

use crate::scalar::{Num, Scalar};

/// Scalars that have the elementary functions.
pub trait Elementary: Copy {
    #![allow(missing_docs)]
    fn sin(self) -> Self;
    fn cos(self) -> Self;
    fn tan(self) -> Self;
    fn asin(self) -> Self;
    fn acos(self) -> Self;
    fn atan(self) -> Self;
    fn sinh(self) -> Self;
    fn cosh(self) -> Self;
    fn tanh(self) -> Self;
    fn exp(self) -> Self;
    fn ln(self) -> Self;
    fn sqrt(self) -> Self;
    fn cbrt(self) -> Self;
    fn abs(self) -> Self;
    fn signum(self) -> Self;
    fn powi(self, n: i32) -> Self;
    fn sq(self) -> Self;
    fn to_radians(self) -> Self;
}

macro_rules! elementary {
    ($($name:ident),*) => {
        impl<D: Scalar> Elementary for Num<D> {
            $( #[inline(always)] fn $name(self) -> Self { Num::$name(self) } )*
            #[inline(always)]
            fn signum(self) -> Self { Num::signum(self) }
            #[inline(always)]
            fn powi(self, n: i32) -> Self { Num::powi(self, n) }
            #[inline(always)]
            fn sq(self) -> Self { self * self }
            #[inline(always)]
            fn to_radians(self) -> Self { Num::to_radians(self) }
        }
        impl Elementary for f64 {
            $( #[inline(always)] fn $name(self) -> Self { f64::$name(self) } )*
            // Rust's is ±1 at ±0.
            #[inline(always)]
            fn signum(self) -> Self { if self == 0.0 { 0.0 } else { f64::signum(self) } }
            #[inline(always)]
            fn powi(self, n: i32) -> Self { f64::powi(self, n) }
            #[inline(always)]
            fn sq(self) -> Self { self * self }
            #[inline(always)]
            fn to_radians(self) -> Self { f64::to_radians(self) }
        }
        $(
            #[doc = concat!("`", stringify!($name), "(x)`.")]
            #[inline(always)]
            pub fn $name<T: Elementary>(x: T) -> T { Elementary::$name(x) }
        )*
    };
}
elementary!(sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, ln, sqrt, cbrt, abs);

/// The sign of x: 1, −1, and 0 at 0.
#[inline(always)]
pub fn signum<T: Elementary>(x: T) -> T {
    x.signum()
}

/// An angle given in degrees, in rad: `deg(60)`.
#[inline(always)]
pub fn deg<T: Elementary>(degrees: T) -> T {
    Elementary::to_radians(degrees)
}

/// x².
#[inline(always)]
pub fn sq<T: Elementary>(x: T) -> T {
    Elementary::sq(x)
}

/// xⁿ for an integer n.
#[inline(always)]
pub fn powi<T: Elementary>(x: T, n: i32) -> T {
    Elementary::powi(x, n)
}

/// xʸ.
#[inline(always)]
pub fn powf<D: Scalar>(x: Num<D>, y: impl crate::scalar::Exponent<D>) -> Num<D> {
    x.powf(y)
}

/// Angle of the point (x, y).
#[inline(always)]
pub fn atan2<D: Scalar>(y: Num<D>, x: Num<D>) -> Num<D> {
    y.atan2(x)
}

/// √(x² + y²).
#[inline(always)]
pub fn hypot<D: Scalar>(x: Num<D>, y: Num<D>) -> Num<D> {
    x.hypot(y)
}

/// The smaller of two values.
#[inline(always)]
pub fn min<D: Scalar>(x: Num<D>, y: impl Into<Num<D>>) -> Num<D> {
    x.min(y)
}

/// The larger of two values.
#[inline(always)]
pub fn max<D: Scalar>(x: Num<D>, y: impl Into<Num<D>>) -> Num<D> {
    x.max(y)
}

/// Smooth step: 0 below `from`, 1 above `to`, a cubic with zero end slopes between.
pub fn smooth_step<D: Scalar>(x: Num<D>, from: impl Into<Num<D>>, to: impl Into<Num<D>>) -> Num<D> {
    let from = from.into();
    let s = ((x - from) / (to.into() - from)).clamp(0.0, 1.0);
    s * s * (3.0 - 2.0 * s)
}
