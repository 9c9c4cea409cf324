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

    /// r − a·x, where r and x are sums of two numbers, in twice the digits.
    fn minus_product(r: (Self, Self), a: Self, x: (Self, Self)) -> (Self, Self);

    /// x + dx, where x is a sum of two numbers, in twice the digits.
    fn plus(x: (Self, Self), dx: Self) -> (Self, Self);

    /// 1/x, also where |x|² is too small or too large for a number.
    fn reciprocal(self) -> Self;

    /// The complex conjugate.
    fn conjugate(self) -> Self;

    /// The value as a message shows it: the part that is not finite, if any is, else the real one.
    fn shown(self) -> f64;
}

/// a + b as a sum of two numbers: the rounded one, and what it lacks (Knuth 1969).
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

impl Entry for f64 {
    #[inline(always)]
    fn reciprocal(self) -> f64 {
        1.0 / self
    }

    fn minus_product(r: (f64, f64), a: f64, x: (f64, f64)) -> (f64, f64) {
        let product = a * x.0;
        let lacks = a.mul_add(x.0, -product) + a * x.1;
        let (sum, low) = two_sum(r.0, -product);
        two_sum(sum, low + (r.1 - lacks))
    }

    fn plus(x: (f64, f64), dx: f64) -> (f64, f64) {
        let (sum, low) = two_sum(x.0, dx);
        two_sum(sum, low + x.1)
    }

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
    fn reciprocal(self) -> Self {
        let scale = power_of_two_reciprocal(self.size());
        Complex::new(1.0, 0.0) / (self * scale) * scale
    }

    fn minus_product(r: (Self, Self), a: Self, x: (Self, Self)) -> (Self, Self) {
        let (x_re, x_im) = ((x.0.re, x.1.re), (x.0.im, x.1.im));
        let re = f64::minus_product((r.0.re, r.1.re), a.re, x_re);
        let re = f64::minus_product(re, -a.im, x_im);
        let im = f64::minus_product((r.0.im, r.1.im), a.re, x_im);
        let im = f64::minus_product(im, a.im, x_re);
        (Complex::new(re.0, im.0), Complex::new(re.1, im.1))
    }

    fn plus(x: (Self, Self), dx: Self) -> (Self, Self) {
        let re = f64::plus((x.0.re, x.1.re), dx.re);
        let im = f64::plus((x.0.im, x.1.im), dx.im);
        (Complex::new(re.0, im.0), Complex::new(re.1, im.1))
    }

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

/// A matrix by columns: first entry of each, rows, values.
pub(super) type Matrix<'a, T> = (&'a [u32], &'a [u32], &'a [T]);

/// 2⁻ᵉ with e the binary exponent of `x`; 1 for zero and for what is not finite.
pub(super) fn power_of_two_reciprocal(x: f64) -> f64 {
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i64;
    if exponent == 0 || exponent == 0x7ff || !(1..2046).contains(&(2046 - exponent)) {
        1.0
    } else {
        f64::from_bits(((2046 - exponent) as u64) << 52)
    }
}

/// Whether every value is finite, without a branch per value.
pub(crate) fn all_finite<T: Entry>(values: &[T]) -> bool {
    let mut sums = [0.0; 4];
    let chunks = values.chunks_exact(4);
    let rest: f64 = chunks.remainder().iter().map(|v| v.size() * 0.0).sum();
    for chunk in chunks {
        for (s, v) in sums.iter_mut().zip(chunk) {
            *s += v.size() * 0.0;
        }
    }
    sums.iter().sum::<f64>() + rest == 0.0
}
