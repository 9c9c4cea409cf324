//! Vectors and matrices: arrays of scalars, and what a model does with them.
//!
//! Rust does not let arrays have operators of anybody's making. The language's `a + b`, `2.0*v` and
//! `A*v` on arrays are therefore written by `mechanism!` as calls of [`plus`], [`minus`], [`times`],
//! [`over`] and [`negated`], which work on scalars as well; in Rust outside a model these functions
//! are called by name. A matrix is an array of its rows.

use crate::scalar::{Num, Scalar, num};

/// What can be added to what: scalars, and arrays entry by entry.
#[diagnostic::on_unimplemented(
    message = "`{Self}` plus `{Rhs}`",
    label = "vectors are added to vectors of as many entries, scalars to scalars"
)]
pub trait Plus<Rhs> {
    /// The sum's type.
    type Output;
    /// The sum.
    fn plus(self, other: Rhs) -> Self::Output;
}

/// What can be taken from what.
#[diagnostic::on_unimplemented(
    message = "`{Self}` minus `{Rhs}`",
    label = "vectors are taken from vectors of as many entries, scalars from scalars"
)]
pub trait Minus<Rhs> {
    /// The difference's type.
    type Output;
    /// The difference.
    fn minus(self, other: Rhs) -> Self::Output;
}

/// What can be multiplied by what: scalars with anything, a matrix with a vector or a matrix.
#[diagnostic::on_unimplemented(
    message = "`{Self}` times `{Rhs}`",
    label = "a scalar or a matrix times a vector; of two vectors there are `dot(a, b)` and `cross(a, b)`"
)]
pub trait Times<Rhs> {
    /// The product's type.
    type Output;
    /// The product.
    fn times(self, other: Rhs) -> Self::Output;
}

/// What can be divided by a scalar.
#[diagnostic::on_unimplemented(
    message = "`{Self}` divided by `{Rhs}`",
    label = "a vector is divided by a scalar"
)]
pub trait Over<Rhs> {
    /// The quotient's type.
    type Output;
    /// The quotient.
    fn over(self, other: Rhs) -> Self::Output;
}

/// What has a negative.
pub trait Negated {
    /// The negative.
    fn negated(self) -> Self;
}

macro_rules! scalars {
    ($($trait:ident $method:ident $op:tt;)*) => { $(
        impl<D: Scalar> $trait<Num<D>> for Num<D> {
            type Output = Num<D>;
            #[inline(always)]
            fn $method(self, other: Num<D>) -> Num<D> {
                self $op other
            }
        }
        impl<D: Scalar> $trait<f64> for Num<D> {
            type Output = Num<D>;
            #[inline(always)]
            fn $method(self, other: f64) -> Num<D> {
                self $op other
            }
        }
        impl<D: Scalar> $trait<Num<D>> for f64 {
            type Output = Num<D>;
            #[inline(always)]
            fn $method(self, other: Num<D>) -> Num<D> {
                self $op other
            }
        }
        impl $trait<f64> for f64 {
            type Output = f64;
            #[inline(always)]
            fn $method(self, other: f64) -> f64 {
                self $op other
            }
        }
    )* };
}
scalars! {
    Plus plus +;
    Minus minus -;
    Times times *;
    Over over /;
}

impl<A: Plus<B> + Copy, B: Copy, const N: usize> Plus<[B; N]> for [A; N] {
    type Output = [A::Output; N];
    fn plus(self, other: [B; N]) -> Self::Output {
        std::array::from_fn(|i| self[i].plus(other[i]))
    }
}

impl<A: Minus<B> + Copy, B: Copy, const N: usize> Minus<[B; N]> for [A; N] {
    type Output = [A::Output; N];
    fn minus(self, other: [B; N]) -> Self::Output {
        std::array::from_fn(|i| self[i].minus(other[i]))
    }
}

macro_rules! scaled {
    ($($scalar:ty $(, $d:ident)?;)*) => { $(
        impl<$($d: Scalar,)? B, const N: usize> Times<[B; N]> for $scalar
        where
            $scalar: Times<B> + Copy,
        {
            type Output = [<$scalar as Times<B>>::Output; N];
            fn times(self, other: [B; N]) -> Self::Output {
                other.map(|b| self.times(b))
            }
        }
        impl<$($d: Scalar,)? A: Times<$scalar>, const N: usize> Times<$scalar> for [A; N] {
            type Output = [A::Output; N];
            fn times(self, other: $scalar) -> Self::Output {
                self.map(|a| a.times(other))
            }
        }
        impl<$($d: Scalar,)? A: Over<$scalar>, const N: usize> Over<$scalar> for [A; N] {
            type Output = [A::Output; N];
            fn over(self, other: $scalar) -> Self::Output {
                self.map(|a| a.over(other))
            }
        }
    )* };
}
scaled! {
    f64;
    Num<D>, D;
}

impl<D: Scalar, const M: usize, const N: usize> Times<[Num<D>; N]> for [[Num<D>; N]; M] {
    type Output = [Num<D>; M];
    fn times(self, other: [Num<D>; N]) -> [Num<D>; M] {
        self.map(|row| dot(row, other))
    }
}

impl<D: Scalar, const M: usize, const N: usize, const K: usize> Times<[[Num<D>; K]; N]>
    for [[Num<D>; N]; M]
{
    type Output = [[Num<D>; K]; M];
    fn times(self, other: [[Num<D>; K]; N]) -> [[Num<D>; K]; M] {
        let other = transpose(other);
        self.map(|row| std::array::from_fn(|k| dot(row, other[k])))
    }
}

impl<D: Scalar> Negated for Num<D> {
    #[inline(always)]
    fn negated(self) -> Self {
        -self
    }
}
impl Negated for f64 {
    #[inline(always)]
    fn negated(self) -> Self {
        -self
    }
}
impl<A: Negated, const N: usize> Negated for [A; N] {
    fn negated(self) -> Self {
        self.map(A::negated)
    }
}

/// The sum of two scalars, or of two arrays entry by entry.
#[inline(always)]
pub fn plus<A: Plus<B>, B>(a: A, b: B) -> A::Output {
    a.plus(b)
}

/// The difference of two scalars, or of two arrays entry by entry.
#[inline(always)]
pub fn minus<A: Minus<B>, B>(a: A, b: B) -> A::Output {
    a.minus(b)
}

/// The product of a scalar and anything, of a matrix and a vector, or of two matrices.
#[inline(always)]
pub fn times<A: Times<B>, B>(a: A, b: B) -> A::Output {
    a.times(b)
}

/// What is left of a scalar or an array divided by a scalar.
#[inline(always)]
pub fn over<A: Over<B>, B>(a: A, b: B) -> A::Output {
    a.over(b)
}

/// The negative of a scalar, or of every entry of an array.
#[inline(always)]
pub fn negated<A: Negated>(a: A) -> A {
    a.negated()
}

/// Scalar product.
#[inline(never)]
pub fn dot<D: Scalar, const N: usize>(a: [Num<D>; N], b: [Num<D>; N]) -> Num<D> {
    let products: [Num<D>; N] = std::array::from_fn(|i| a[i] * b[i]);
    products.into_iter().reduce(|sum, product| sum + product).unwrap_or(num(0.0))
}

/// Vector product a × b.
#[inline(never)]
pub fn cross<D: Scalar>(a: [Num<D>; 3], b: [Num<D>; 3]) -> [Num<D>; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Length of a vector; its derivative does not exist at zero.
pub fn norm<D: Scalar, const N: usize>(a: [Num<D>; N]) -> Num<D> {
    dot(a, a).sqrt()
}

/// The vector of length one in the direction of `a`, which is not zero.
#[inline(never)]
pub fn unit<D: Scalar, const N: usize>(a: [Num<D>; N]) -> [Num<D>; N] {
    let scale = norm(a).recip();
    a.map(|x| x * scale)
}

/// The matrix with rows and columns exchanged.
#[inline(never)]
pub fn transpose<D: Scalar, const M: usize, const N: usize>(
    a: [[Num<D>; N]; M],
) -> [[Num<D>; M]; N] {
    std::array::from_fn(|j| std::array::from_fn(|i| a[i][j]))
}

/// The array itself: tells the language that an expression it cannot see through is one, as in
/// `vector(lever(theta)) + offset`.
#[inline(always)]
pub fn vector<T, const N: usize>(a: [T; N]) -> [T; N] {
    a
}

/// Whole numbers as scalars.
#[doc(hidden)]
#[inline(always)]
pub fn real<D: Scalar, T: Real<D>>(a: T) -> T::As {
    a.real()
}

/// Arrays of whole numbers.
#[doc(hidden)]
pub trait Real<D> {
    /// The same of scalars.
    type As;
    /// The same as scalars.
    fn real(self) -> Self::As;
}
impl<D: Scalar> Real<D> for i32 {
    type As = Num<D>;
    #[inline(always)]
    fn real(self) -> Num<D> {
        num(self.into())
    }
}
impl<D: Scalar> Real<D> for usize {
    type As = Num<D>;
    #[inline(always)]
    fn real(self) -> Num<D> {
        num(self as f64)
    }
}
impl<D: Scalar> Real<D> for i64 {
    type As = Num<D>;
    #[inline(always)]
    fn real(self) -> Num<D> {
        num(self as f64)
    }
}
impl<D, T: Real<D>, const N: usize> Real<D> for [T; N] {
    type As = [T::As; N];
    #[inline(always)]
    fn real(self) -> Self::As {
        self.map(T::real)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type V = [Num<f64>; 3];

    fn values<const N: usize>(a: [Num<f64>; N]) -> [f64; N] {
        a.map(Num::value)
    }

    #[test]
    fn operators_are_those_of_nalgebra() {
        use nalgebra::{Matrix3, Vector3};
        let (a, b) = ([0.3, -1.2, 2.5], [1.5, 0.25, -0.75]);
        let m = [[1.0, 2.0, -1.0], [0.5, 0.0, 3.0], [-2.0, 1.0, 0.25]];
        let (u, v): (V, V) = (a.map(num), b.map(num));
        let n = m.map(|row| row.map(num::<f64>));
        let (x, y) = (Vector3::from(a), Vector3::from(b));
        let k = Matrix3::from_fn(|i, j| m[i][j]);
        let close = |is: V, should: Vector3<f64>| {
            assert!((Vector3::from(values(is)) - should).norm() < 1e-15, "{is:?} {should}");
        };
        close(plus(u, v), x + y);
        close(minus(u, v), x - y);
        close(times(2.0, u), 2.0 * x);
        close(times(u, v[0]), x * b[0]);
        close(times(v[0], u), x * b[0]);
        close(over(u, v[1]), x / b[1]);
        close(over(u, 4.0), x / 4.0);
        close(negated(u), -x);
        close(times(n, u), k * x);
        close(times(times(n, n), u), k * k * x);
        close(times(transpose(n), u), k.transpose() * x);
        close(cross(u, v), x.cross(&y));
        close(unit(u), x.normalize());
        assert!((dot(u, v).value() - x.dot(&y)).abs() < 1e-15);
        assert!((norm(u).value() - x.norm()).abs() < 1e-15);
        close(plus(u, real::<f64, _>([1, 0, -2])), x + Vector3::new(1.0, 0.0, -2.0));
        assert_eq!(times(2.0, 3.0), 6.0);
    }
}
