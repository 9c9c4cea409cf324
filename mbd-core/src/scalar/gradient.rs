//! What derivatives are taken on: gradients over a base, and room for their replays.

use super::decision::Scalar;
use super::num::Num;
use nalgebra::{Const, SVector};
use num_dual::{Derivative, Dual, DualVec, HyperDual};

/// First-order dual number with one direction.
pub type Dual64 = Dual<f64>;
/// Hyper-dual number: two directions and their mixed second derivative.
pub type HyperDual64 = HyperDual<f64>;
/// Gradient with respect to `K` local scalars, over the base `B`.
pub type Grad<B, const K: usize> = DualVec<B, Const<K>>;
/// What gradients are taken over: `f64`, [`Dual64`], [`HyperDual64`].
pub(crate) trait Base: Scalar {
    /// Room for a replay.
    fn room(room: &mut Room) -> &mut Vec<Gradient<Self>>;
}

/// Derivatives by locals that one replay gives.
pub(crate) const WIDTH: usize = 4;

/// Room for the values of a replay, one for each base.
#[derive(Debug, Default)]
pub(crate) struct Room {
    plain: Vec<Gradient<f64>>,
    along: Vec<Gradient<Dual64>>,
    along2: Vec<Gradient<HyperDual64>>,
}

impl Base for f64 {
    fn room(room: &mut Room) -> &mut Vec<Gradient<f64>> {
        &mut room.plain
    }
}
impl Base for Dual64 {
    fn room(room: &mut Room) -> &mut Vec<Gradient<Dual64>> {
        &mut room.along
    }
}
impl Base for HyperDual64 {
    fn room(room: &mut Room) -> &mut Vec<Gradient<HyperDual64>> {
        &mut room.along2
    }
}

/// How a replay keeps its numbers.
pub(crate) trait Packed: Copy {
    /// The number it computes with.
    type Number: Scalar;
    fn pack(x: Num<Self::Number>) -> Self;
    fn unpack(self) -> Num<Self::Number>;
}

/// A value with its derivatives, without num-dual's case that there are none: what is known to be
/// there needs no look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gradient<B> {
    pub(crate) slopes: [B; WIDTH],
    pub(crate) value: B,
}

impl<B: Scalar> Packed for Gradient<B> {
    type Number = Grad<B, WIDTH>;

    #[inline(always)]
    fn pack(Num(x): Num<Grad<B, WIDTH>>) -> Self {
        let Derivative(slopes) = x.eps;
        let slopes = slopes.map_or([B::from(0.0); WIDTH], |m| m.data.0[0]);
        Gradient { value: x.re, slopes }
    }

    #[inline(always)]
    fn unpack(self) -> Num<Grad<B, WIDTH>> {
        let slopes = SVector::from_array_storage(nalgebra::ArrayStorage([self.slopes]));
        Num(DualVec::new(self.value, Derivative::some(slopes)))
    }
}

/// A base with one direction.
#[inline(always)]
pub(crate) fn directed(value: f64, direction: f64) -> Dual64 {
    Dual::new(value, direction)
}

/// A base with two directions.
#[inline(always)]
pub(crate) fn directed2(value: f64, first: f64, second: f64) -> HyperDual64 {
    HyperDual::new(value, first, second, 0.0)
}
