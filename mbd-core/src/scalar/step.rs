//! The operations of a tape, and the tape being written.

use super::function::Function;
use super::test::Test;
use std::cell::{Cell, RefCell};

/// Where on the tape a value is.
pub(crate) type Place = u32;

/// One operation; its value is at the step's own place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step {
    Input(u32),
    Constant(f64),
    Add(Place, Place),
    Sub(Place, Place),
    Mul(Place, Place),
    Div(Place, Place),
    Neg(Place),
    /// With a number that is no scalar: the same as with a constant, and cheaper.
    AddNumber(Place, f64),
    MulNumber(Place, f64),
    DivNumber(Place, f64),
    Unary(Function, Place),
    Powi(Place, i32),
    Powf(Place, f64),
    /// Logarithm to a base.
    Log(Place, f64),
    Atan2(Place, Place),
    /// Spherical Bessel function of order 0, 1 or 2.
    Bessel(u8, Place),
    /// The second value where the first passes a test, 0 where it does not.
    When(Test, Place, Place),
    /// The sign of a value, this one, decides between steps that are all on the tape; has no value
    /// itself.
    Guard(Place, f64),
    /// What decides in place of a guarded value: the side on which it is held, first, or where that
    /// is 0 the value itself.
    Held(Place, Place, f64),
    /// The sign of a value, this one, was looked at, and decided what is on the tape; has no value
    /// itself. NaN where a choice did not take the side in which that was.
    Look(Place, f64),
    /// The last three guards belong together: the components of a speed in a plane, and that it is not 0; has no value
    /// itself.
    Plane,
}

thread_local! {
    /// The tape being written.
    static STEPS: RefCell<Vec<Step>> = const { RefCell::new(Vec::new()) };
    /// How many choices that do not take it the side being evaluated is within.
    static ASIDE: Cell<u32> = const { Cell::new(0) };
    /// The sides of the guards to come.
    static SIDES: RefCell<Sides> = const { RefCell::new(Sides { held: Vec::new(), next: 0 }) };
}

/// The sides on which the guards of an evaluation are held, in the order in which they are met.
struct Sides {
    /// Which inputs they are.
    held: Vec<Option<Side>>,
    next: usize,
}

/// The side of a guard among the inputs of an evaluation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) place: Place,
    pub(super) value: f64,
    /// Of a guard that the motion can slide along the share of the two sides in what holds there.
    pub(super) share: Option<Share>,
}

/// The share that the positive side of a guard has where the motion slides along its zero, less a half, among
/// the inputs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub(super) place: Place,
    pub(super) value: f64,
    /// It is that of the negative side.
    pub(super) turned: bool,
}

/// Which inputs of an evaluation a guard is held by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HeldBy {
    /// Its side.
    pub(crate) side: u32,
    /// The share of its positive side where it is [`SLIDES`]; of its negative side if this says so.
    pub(crate) share: Option<(u32, bool)>,
}

/// The side of a guard along whose zero the motion slides: the negative side, and what the positive
/// one has more, by its share.
pub(crate) const SLIDES: f64 = -2.0;
/// Between that and the negative side.
pub(super) const BELOW_SIDES: f64 = -1.5;

/// A side on which a guard is zero.
pub(crate) const EQUALS: f64 = f64::MIN_POSITIVE;

/// Exchanges the tape being written for another one.
pub(super) fn swap(steps: &mut Vec<Step>) {
    STEPS.with_borrow_mut(|own| std::mem::swap(own, steps));
}

/// The steps of the tape being written.
pub(super) fn written() -> Vec<Step> {
    STEPS.with_borrow(Clone::clone)
}

/// Shows every step of the tape being written.
pub(super) fn each(see: impl FnMut(&mut Step)) {
    STEPS.with_borrow_mut(|steps| steps.iter_mut().for_each(see));
}

/// Begins an evaluation whose guards, in the order in which they are met, have these sides.
pub(super) fn hold(sides: impl Iterator<Item = Option<Side>>) {
    // Left behind where a kernel panicked.
    ASIDE.set(0);
    SIDES.with_borrow_mut(|all| {
        all.next = 0;
        all.held.clear();
        all.held.extend(sides);
    });
}

/// Runs what meets guards that have no sides; what comes after it has those that were said.
pub(super) fn unheld<T>(run: impl FnOnce() -> T) -> T {
    let held = SIDES.with_borrow_mut(|sides| std::mem::take(&mut sides.held));
    let value = run();
    SIDES.with_borrow_mut(|sides| (sides.held, sides.next) = (held, 0));
    value
}

/// Ends it.
pub(super) fn release() {
    SIDES.with_borrow_mut(|all| all.held.clear());
}

/// The side of the guard that is met now, if it has one.
pub(super) fn next_side() -> Option<Side> {
    SIDES.with_borrow_mut(|sides| {
        let side = sides.held.get(sides.next).copied().flatten();
        sides.next += 1;
        side
    })
}

/// What decides: a side, or where it is 0 the value.
pub(super) fn held(side: f64, value: f64) -> f64 {
    match side {
        0.0 => value,
        EQUALS => 0.0,
        side => side,
    }
}

/// Evaluates a side that is not taken: what is looked at there is looked at in vain.
pub(super) fn aside<T>(side: impl FnOnce() -> T) -> T {
    ASIDE.set(ASIDE.get() + 1);
    let value = side();
    ASIDE.set(ASIDE.get() - 1);
    value
}

/// Whether the side being evaluated is not taken.
pub(super) fn is_aside() -> bool {
    ASIDE.get() > 0
}

/// Appends a step to the tape being written.
pub(super) fn push(step: Step) -> Place {
    STEPS.with_borrow_mut(|steps| {
        steps.push(step);
        (steps.len() - 1) as Place
    })
}

impl Step {
    pub(super) fn operands(self) -> [Option<Place>; 2] {
        match self {
            Step::Input(_) | Step::Constant(_) | Step::Guard(..) | Step::Look(..) | Step::Plane => {
                [None, None]
            }
            Step::Add(a, b)
            | Step::Sub(a, b)
            | Step::Mul(a, b)
            | Step::Div(a, b)
            | Step::When(_, a, b)
            | Step::Held(a, b, _)
            | Step::Atan2(a, b) => [Some(a), Some(b)],
            Step::Neg(a)
            | Step::AddNumber(a, _)
            | Step::MulNumber(a, _)
            | Step::DivNumber(a, _)
            | Step::Unary(_, a)
            | Step::Powi(a, _)
            | Step::Powf(a, _)
            | Step::Log(a, _)
            | Step::Bessel(_, a) => [Some(a), None],
        }
    }
}

impl Step {
    /// The same operation on other operands.
    pub(super) fn on(self, mut f: impl FnMut(Place) -> Place) -> Step {
        match self {
            Step::Input(_) | Step::Constant(_) | Step::Plane => self,
            Step::Add(a, b) => Step::Add(f(a), f(b)),
            Step::Sub(a, b) => Step::Sub(f(a), f(b)),
            Step::Mul(a, b) => Step::Mul(f(a), f(b)),
            Step::Div(a, b) => Step::Div(f(a), f(b)),
            Step::Atan2(a, b) => Step::Atan2(f(a), f(b)),
            Step::Neg(a) => Step::Neg(f(a)),
            Step::AddNumber(a, x) => Step::AddNumber(f(a), x),
            Step::MulNumber(a, x) => Step::MulNumber(f(a), x),
            Step::DivNumber(a, x) => Step::DivNumber(f(a), x),
            Step::Unary(function, a) => Step::Unary(function, f(a)),
            Step::Powi(a, n) => Step::Powi(f(a), n),
            Step::Powf(a, n) => Step::Powf(f(a), n),
            Step::Log(a, base) => Step::Log(f(a), base),
            Step::Bessel(n, a) => Step::Bessel(n, f(a)),
            Step::When(test, on, a) => Step::When(test, f(on), f(a)),
            Step::Guard(a, value) => Step::Guard(f(a), value),
            Step::Held(side, a, value) => Step::Held(f(side), f(a), value),
            Step::Look(a, value) => Step::Look(f(a), value),
        }
    }
}
