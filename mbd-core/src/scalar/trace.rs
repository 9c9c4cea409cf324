//! A scalar that records which locals an expression depends on, and on which of them nonlinearly.
//!
//! Run once per element when a model is built, it tells the derivative engine which columns of a
//! Hessian can be nonzero at all: a planar joint is nonlinear in two of its six coordinates, so
//! second derivatives cost two passes instead of six and the Newton matrix stays as sparse as if
//! written by hand. Sound for every branch: an expression that compares values (`if`, `min`, …)
//! is taken to be nonlinear in everything it reads.
//!
//! Inside [`recorded`] it writes down the expression itself as well, from which
//! [`program`](crate::program) makes straight-line code.

use crate::program::{Function, Node, Recorder};
use num_dual::{DualNum, DualStruct, Mappable};
use num_traits::{FromPrimitive, Inv, Num, One, Signed, Zero};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::iter::{Product, Sum};
use std::ops::{
    Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Rem, RemAssign, Sub, SubAssign,
};

/// Number of locals a trace can tell apart.
pub(crate) const TRACED: usize = 64;

thread_local! {
    static COMPARED: Cell<bool> = const { Cell::new(false) };
    static RECORDING: Cell<bool> = const { Cell::new(false) };
    static RECORDER: RefCell<Recorder> = RefCell::default();
    static LOST: Cell<bool> = const { Cell::new(false) };
}

/// A number that is not written down: a constant, or nothing is being recorded.
const CONSTANT: Node = Node::MAX;

/// A value with the set of locals it depends on and the set it is nonlinear in.
#[derive(Clone, Copy, Debug)]
pub struct Trace {
    re: f64,
    depends: u64,
    nonlinear: u64,
    node: Node,
}

impl Trace {
    /// The `k`-th local.
    pub(crate) fn local(re: f64, k: usize) -> Self {
        Trace { re, depends: 1 << k, nonlinear: 0, node: CONSTANT }
    }

    /// An input of an expression that is being recorded.
    pub(crate) fn input(re: f64, node: Node) -> Self {
        Trace { re, depends: 0, nonlinear: 0, node }
    }

    /// Its expression in the graph of the recording.
    pub(crate) fn node(self, graph: &mut Recorder) -> Node {
        if self.node == CONSTANT { graph.constant(self.re) } else { self.node }
    }

    /// Writes down the expression of a result, when recording.
    fn write(
        mut self,
        of: [Trace; 2],
        build: impl FnOnce(&mut Recorder, Node, Node) -> Node,
    ) -> Self {
        if (of[0].node != CONSTANT || of[1].node != CONSTANT) && RECORDING.get() {
            RECORDER.with_borrow_mut(|graph| {
                let (a, b) = (of[0].node(graph), of[1].node(graph));
                self.node = build(graph, a, b);
            });
        }
        self
    }

    /// Bit sets of the locals depended on and of those nonlinear in.
    pub(crate) fn sets(self) -> (u64, u64) {
        (self.depends, self.nonlinear)
    }

    fn constant(re: f64) -> Self {
        Trace { re, depends: 0, nonlinear: 0, node: CONSTANT }
    }

    fn join(self, other: Self, re: f64) -> Self {
        Trace {
            re,
            depends: self.depends | other.depends,
            nonlinear: self.nonlinear | other.nonlinear,
            node: CONSTANT,
        }
    }

    fn apply(self, re: f64) -> Self {
        Trace { re, depends: self.depends, nonlinear: self.depends, node: CONSTANT }
    }

    fn function(self, re: f64, function: Function) -> Self {
        self.apply(re).write([self; 2], |graph, a, _| graph.unary(function, a))
    }

    /// The value of a function that cannot be written down.
    fn lost(self) -> Self {
        if self.node != CONSTANT {
            LOST.set(true);
        }
        self
    }

    /// The value, for a decision: from here on nothing is known to be linear.
    fn look(self) -> f64 {
        if self.depends != 0 {
            COMPARED.set(true);
        }
        self.lost().re
    }
}

/// Runs `f` and says whether it looked at the value of anything traced.
pub(crate) fn traced<T>(f: impl FnOnce() -> T) -> (T, bool) {
    COMPARED.set(false);
    let result = f();
    (result, COMPARED.replace(false))
}

/// Runs `f` with every expression on [`Trace::input`]s written down in `graph`; `None` when a
/// value was looked at, so that another point might take another branch.
pub(crate) fn recorded<T>(graph: &mut Recorder, f: impl FnOnce() -> T) -> Option<T> {
    LOST.set(false);
    // What the thread keeps between recordings is put back, so that nothing is made for each.
    let swap = |graph: &mut Recorder| RECORDER.with_borrow_mut(|own| std::mem::swap(own, graph));
    swap(graph);
    RECORDING.set(true);
    let result = f();
    RECORDING.set(false);
    swap(graph);
    (!LOST.replace(false)).then_some(result)
}

macro_rules! operator {
    ($trait:ident $method:ident $assign:ident $assign_method:ident |$a:ident, $b:ident| $value:expr) => {
        impl $trait for Trace {
            type Output = Trace;
            fn $method(self, other: Trace) -> Trace {
                let ($a, $b) = (self, other);
                $value
            }
        }
        impl $trait<&Trace> for Trace {
            type Output = Trace;
            fn $method(self, other: &Trace) -> Trace {
                $trait::$method(self, *other)
            }
        }
        impl $trait<f64> for Trace {
            type Output = Trace;
            fn $method(self, other: f64) -> Trace {
                $trait::$method(self, Trace::constant(other))
            }
        }
        impl $assign for Trace {
            fn $assign_method(&mut self, other: Trace) {
                *self = $trait::$method(*self, other);
            }
        }
        impl $assign<f64> for Trace {
            fn $assign_method(&mut self, other: f64) {
                *self = $trait::$method(*self, other);
            }
        }
    };
}
operator!(Add add AddAssign add_assign |a, b| a.join(b, a.re + b.re).write([a, b], Recorder::add));
operator!(Sub sub SubAssign sub_assign |a, b| a.join(b, a.re - b.re).write([a, b], Recorder::sub));
operator!(Mul mul MulAssign mul_assign |a, b| {
    let mut product = a.join(b, a.re * b.re);
    if a.depends != 0 && b.depends != 0 {
        product.nonlinear = product.depends;
    }
    product.write([a, b], Recorder::mul)
});
operator!(Div div DivAssign div_assign |a, b| {
    let inverse = b.recip();
    Mul::mul(a, inverse)
});
operator!(Rem rem RemAssign rem_assign |a, b| a.join(b, a.look() % b.look()));

impl Neg for Trace {
    type Output = Trace;
    fn neg(self) -> Trace {
        Trace { re: -self.re, ..self }.write([self; 2], |graph, a, _| graph.neg(a))
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

macro_rules! nonlinear {
    ($($name:ident $function:ident)*) => { $(
        fn $name(&self) -> Self {
            self.function(DualNum::$name(&self.re), Function::$function)
        }
    )* };
}

impl DualNum for Trace {
    type Primitive = f64;
    const NDERIV: usize = 0;
    type InnerDual = f64;

    fn from_re(re: f64) -> Self {
        Trace::constant(re)
    }
    fn scale(self, factor: &f64) -> Self {
        self * *factor
    }
    fn powi(&self, n: i32) -> Self {
        match n {
            0 => Trace::constant(1.0),
            1 => *self,
            _ => self.apply(self.re.powi(n)).write([*self; 2], |graph, a, _| graph.powi(a, n)),
        }
    }
    fn powf(&self, n: f64) -> Self {
        self.apply(self.re.powf(n)).write([*self; 2], |graph, a, _| graph.powf(a, n))
    }
    fn log(&self, base: f64) -> Self {
        let scale = 1.0 / base.ln();
        let log = self.apply(self.re.log(base));
        log.write([*self; 2], |graph, a, _| {
            let ln = graph.unary(Function::Ln, a);
            graph.scale(scale, ln)
        })
    }
    fn atan2(&self, other: Self) -> Self {
        let angle = self.join(other, 0.0).apply(self.re.atan2(other.re));
        angle.write([*self, other], Recorder::atan2)
    }
    fn sin_cos(&self) -> (Self, Self) {
        (self.sin(), self.cos())
    }
    fn sph_j0(&self) -> Self {
        self.lost().apply(self.re.sph_j0())
    }
    fn sph_j1(&self) -> Self {
        self.lost().apply(self.re.sph_j1())
    }
    fn sph_j2(&self) -> Self {
        self.lost().apply(self.re.sph_j2())
    }
    nonlinear! {
        recip Recip sqrt Sqrt cbrt Cbrt exp Exp exp2 Exp2 exp_m1 ExpM1 ln Ln log2 Log2 log10 Log10
        ln_1p Ln1p sin Sin cos Cos tan Tan asin Asin acos Acos atan Atan sinh Sinh cosh Cosh
        tanh Tanh asinh Asinh acosh Acosh atanh Atanh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{Num, rate, with_rate};

    fn sets(f: impl Fn([Num<Trace>; 3]) -> Num<Trace>) -> (u64, u64, bool) {
        let z = std::array::from_fn(|k| Num(Trace::local(0.5 + k as f64, k)));
        let (value, compared) = traced(|| f(z));
        let (depends, nonlinear) = value.0.sets();
        (depends, nonlinear, compared)
    }

    #[test]
    fn linear_locals_are_told_from_nonlinear_ones() {
        assert_eq!(sets(|[x, y, a]| x + 2.0 * y - a.cos()), (0b111, 0b100, false));
        assert_eq!(sets(|[x, y, _]| x * y), (0b011, 0b011, false));
        assert_eq!(sets(|[x, y, _]| 3.0 * x / 2.0 - y), (0b011, 0, false));
        assert_eq!(sets(|[x, _, _]| 3.0 / x), (0b001, 0b001, false));
        assert_eq!(sets(|[x, _, _]| x.powi(1) + 1.0), (0b001, 0, false));
    }

    #[test]
    fn a_decision_is_noticed() {
        assert!(sets(|[x, y, _]| if x > 0.0 { y } else { y * y }).2);
        assert!(sets(|[x, y, _]| x.max(y)).2);
        assert!(sets(|[x, _, _]| x.abs()).2);
        assert!(!sets(|[x, _, _]| x.sin()).2);
    }

    #[test]
    fn time_derivatives_are_followed() {
        // der(sin a) = cos(a)·va is nonlinear in both; der(x + 2y) is linear in vx alone.
        let turn = |[a, va, _]: [Num<Trace>; 3]| rate(with_rate(a, va).sin());
        assert_eq!(sets(turn), (0b011, 0b011, false));
    }
}
