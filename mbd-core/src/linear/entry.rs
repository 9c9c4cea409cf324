//! What a matrix may consist of: real and complex numbers.

use nalgebra::Complex;
use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// An entry of a matrix: `f64`, or `Complex<f64>` for the complex systems of implicit Runge–Kutta
/// methods.
pub trait Entry:
    Copy
    + Debug
    + Default
    + PartialEq
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Mul<f64, Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + From<f64>
    + std::iter::Sum
{
    /// Size by which pivots are compared: |x|, or |Re x| + |Im x|.
    fn size(self) -> f64;

    /// Neither NaN nor infinite.
    fn finite(self) -> bool {
        self.size().is_finite()
    }

    /// The complex conjugate.
    fn conjugate(self) -> Self;

    /// The value as a message shows it: the part that is not finite, if any is, else the real one.
    fn shown(self) -> f64;
}

impl Entry for f64 {
    fn conjugate(self) -> Self {
        self
    }

    #[inline(always)]
    fn size(self) -> f64 {
        self.abs()
    }

    fn shown(self) -> f64 {
        self
    }
}

impl Entry for Complex<f64> {
    fn conjugate(self) -> Self {
        self.conj()
    }

    #[inline(always)]
    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }

    fn shown(self) -> f64 {
        if self.re.is_finite() && !self.im.is_finite() { self.im } else { self.re }
    }
}
