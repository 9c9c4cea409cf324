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
    /// Whether a replay leaves what its inputs do not change. Looking costs more than it saves where
    /// numbers are small, and gradients differ in every input from those before.
    const KEEPS: bool = true;
    /// Room for replays.
    fn room(room: &mut Room) -> &mut Replays<Gradient<Self>>;
    /// Whether two numbers are the same to the last bit.
    fn is_same(self, other: Self) -> bool;
}

/// Derivatives by locals that one replay gives.
pub(crate) const WIDTH: usize = 4;

/// Room for replays of one tape, with the numbers of the last one: what the next does not change is not
/// computed again.
#[derive(Debug)]
pub(crate) struct Replays<V> {
    pub(super) values: Vec<V>,
    /// Which numbers the replay under way changes.
    pub(super) changed: Vec<bool>,
    /// The recording that they are of; none yet is 0.
    pub(super) of: u64,
}

impl<V> Default for Replays<V> {
    fn default() -> Self {
        Replays { values: Vec::new(), changed: Vec::new(), of: 0 }
    }
}

/// Room for replays, one for each base.
#[derive(Debug, Default)]
pub(crate) struct Room {
    plain: Replays<Gradient<f64>>,
    along: Replays<Gradient<Dual64>>,
    along2: Replays<Gradient<HyperDual64>>,
}

fn same<const N: usize>(a: [f64; N], b: [f64; N]) -> bool {
    a.into_iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits())
}

impl Base for f64 {
    const KEEPS: bool = false;
    fn room(room: &mut Room) -> &mut Replays<Gradient<f64>> {
        &mut room.plain
    }
    #[inline(always)]
    fn is_same(self, other: f64) -> bool {
        same([self], [other])
    }
}
impl Base for Dual64 {
    fn room(room: &mut Room) -> &mut Replays<Gradient<Dual64>> {
        &mut room.along
    }
    #[inline(always)]
    fn is_same(self, other: Dual64) -> bool {
        same([self.re, self.eps], [other.re, other.eps])
    }
}
impl Base for HyperDual64 {
    fn room(room: &mut Room) -> &mut Replays<Gradient<HyperDual64>> {
        &mut room.along2
    }
    #[inline(always)]
    fn is_same(self, other: HyperDual64) -> bool {
        let parts = |x: HyperDual64| [x.re, x.eps1, x.eps2, x.eps1eps2];
        same(parts(self), parts(other))
    }
}

/// How a replay keeps its numbers.
pub(crate) trait Packed: Copy {
    /// The number it computes with.
    type Number: Scalar;
    /// Whether a replay leaves what its inputs do not change.
    const KEEPS: bool;
    fn pack(x: Num<Self::Number>) -> Self;
    fn unpack(self) -> Num<Self::Number>;
    /// Whether it is the same to the last bit.
    fn is_same(self, other: Self) -> bool;
}

/// A value with its derivatives, without num-dual's case that there are none: what is known to be
/// there needs no look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gradient<B> {
    pub(crate) slopes: [B; WIDTH],
    pub(crate) value: B,
}

impl<B: Base> Packed for Gradient<B> {
    type Number = Grad<B, WIDTH>;
    const KEEPS: bool = B::KEEPS;

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

    #[inline(always)]
    fn is_same(self, other: Self) -> bool {
        let mut slopes = self.slopes.into_iter().zip(other.slopes);
        self.value.is_same(other.value) && slopes.all(|(a, b)| a.is_same(b))
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
