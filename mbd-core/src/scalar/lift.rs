//! Plain numbers where scalars are wanted, in code written by `mechanism!`: what a type tells that
//! the spelling does not, told in the language's words where it is wrong.

use super::decision::Scalar;
use super::num::{Num, num};

/// What may be given to a function that takes a `T`: a `T`, or plain numbers for scalars.
#[diagnostic::on_unimplemented(
    message = "a function that takes `{T}` is called with `{Self}`",
    label = "a scalar of the model, with its derivatives, or something made of scalars",
    note = "a function on plain `f64` would lose the derivatives: put `#[differentiable]` before it, or write it for `Num<D>`"
)]
pub trait Pass<T> {
    /// The argument.
    fn pass(self) -> T;
}
impl<T> Pass<T> for T {
    #[inline(always)]
    fn pass(self) -> T {
        self
    }
}
impl<D: Scalar> Pass<Num<D>> for f64 {
    fn pass(self) -> Num<D> {
        num(self)
    }
}
impl<D: Scalar> Pass<Num<D>> for i32 {
    fn pass(self) -> Num<D> {
        num(self.into())
    }
}
impl<D: Scalar, const N: usize> Pass<[Num<D>; N]> for [f64; N] {
    fn pass(self) -> [Num<D>; N] {
        self.map(num)
    }
}
impl<D: Scalar, const N: usize> Pass<[Num<D>; N]> for [i32; N] {
    fn pass(self) -> [Num<D>; N] {
        self.map(|x| num(x.into()))
    }
}
impl<D: Scalar, const N: usize> Pass<[Num<D>; N]> for [usize; N] {
    fn pass(self) -> [Num<D>; N] {
        self.map(|x| num(x as f64))
    }
}
impl<D: Scalar, const N: usize> Pass<[Num<D>; N]> for [i64; N] {
    fn pass(self) -> [Num<D>; N] {
        self.map(|x| num(x as f64))
    }
}
impl<const N: usize> Pass<[usize; N]> for [i64; N] {
    fn pass(self) -> [usize; N] {
        self.map(fit)
    }
}
impl<D: Scalar, const N: usize, const M: usize> Pass<[[Num<D>; N]; M]> for [[f64; N]; M] {
    fn pass(self) -> [[Num<D>; N]; M] {
        self.map(Pass::pass)
    }
}
impl<D: Scalar, const N: usize, const M: usize> Pass<[[Num<D>; N]; M]> for [[i32; N]; M] {
    fn pass(self) -> [[Num<D>; N]; M] {
        self.map(Pass::pass)
    }
}

/// An argument of a function.
#[inline(always)]
pub fn pass<A: Pass<T>, T>(argument: A) -> T {
    argument.pass()
}

/// A type of whole numbers.
pub trait Whole {
    /// The number.
    fn whole(self) -> i64;
    /// Of this type; beyond its range as in `as`, so that no array has an entry of a negative number.
    fn fitted(number: i64) -> Self;
}

macro_rules! whole {
    ($($of:ident)*) => { $(
        impl Whole for $of {
            #[inline(always)]
            fn whole(self) -> i64 {
                self as i64
            }
            #[inline(always)]
            fn fitted(number: i64) -> Self {
                number as $of
            }
        }
    )* };
}
whole!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

/// A whole number with a sign: `i - 1` is −1 where the index `i` is 0.
#[inline(always)]
pub fn whole<T: Whole>(number: T) -> i64 {
    number.whole()
}

/// A whole number of the type that the place where it stands asks for.
#[inline(always)]
pub fn fit<T: Whole>(number: i64) -> T {
    T::fitted(number)
}

/// A constant of the user's. Of the methods `lift`, that of [`Lift`] comes first: for numbers. Any
/// other constant has that of [`Keep`].
pub struct Constant<T>(pub T);

/// Numbers become scalars.
pub trait Lift {
    /// The scalar, or array of scalars.
    type As<D: Scalar>;
    /// The same as a scalar.
    fn lift<D: Scalar>(self) -> Self::As<D>;
}
impl Lift for Constant<f64> {
    type As<D: Scalar> = Num<D>;
    fn lift<D: Scalar>(self) -> Num<D> {
        num(self.0)
    }
}
impl<const N: usize> Lift for Constant<[f64; N]> {
    type As<D: Scalar> = [Num<D>; N];
    fn lift<D: Scalar>(self) -> [Num<D>; N] {
        self.0.map(num)
    }
}

/// What is no number stays as it is.
pub trait Keep {
    /// The constant's type.
    type Kept;
    /// The same.
    fn lift<D: Scalar>(self) -> Self::Kept;
}
impl<T: Clone> Keep for &Constant<T> {
    type Kept = T;
    fn lift<D: Scalar>(self) -> T {
        self.0.clone()
    }
}
