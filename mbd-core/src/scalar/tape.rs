//! What a kernel computes, operation by operation, and the ways to go through that again.
//!
//! A statement's kernel is instantiated for one scalar only, [`Trace`], which computes values and
//! writes its operations down here. So a statement costs the compiler one copy of itself, of calls
//! to functions compiled with the library, whatever derivatives are asked of it later:
//!
//! * *on dual numbers* ([`Tape::replay`]): each operation once more on num-dual's numbers. Where no
//!   program can be made derivatives are taken this way, and programs are checked against it;
//! * *on sets* ([`Tape::nonlinear`]): which locals the rows are nonlinear in;
//! * *with bounds of rounding* ([`Tape::roundings`]): how much of the rows is noise;
//! * *into a graph* ([`Tape::write`]): the expressions of which programs are made.
//!
//! Where a kernel chooses by [decisions](super::decision) both sides are on the tape. Of what it decided
//! by comparing values in plain Rust the tape says only [`Step::Look`]: then it holds for the point at
//! which it was written. So it is written anew for every evaluation.

use super::clock::{Clock, Reading};
use super::decision::Decide;
use super::gradient::{Packed, Replays};
use super::note::Owner;
use super::num::{Num, num};
use super::step::{self, HeldBy, Place, Share, Side, Step};
use super::test::{Sign, Test};
use super::trace::Trace;
use num_dual::{Dual, DualNum};

/// The operations of one evaluation of a kernel, and where its rows are.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    steps: Vec<Step>,
    inputs: Vec<Num<Trace>>,
    rows: Vec<Num<Trace>>,
    /// How often it has been written.
    number: u64,
    /// Which steps the rows need; components compute more than is asked of them.
    needed: Vec<bool>,
    /// These with their operands; twice the same where there is one, the step itself where there is none.
    order: Vec<[Place; 3]>,
    sets: Vec<Dependence>,
}

/// Bit sets of the locals a value depends on and of those it is nonlinear in.
#[derive(Clone, Copy, Debug, Default)]
struct Dependence {
    depends: u64,
    nonlinear: u64,
}

impl Dependence {
    fn join(self, other: Dependence) -> Dependence {
        Dependence {
            depends: self.depends | other.depends,
            nonlinear: self.nonlinear | other.nonlinear,
        }
    }

    fn bent(self) -> Dependence {
        Dependence { nonlinear: self.depends, ..self }
    }
}

/// Takes a step. The result is stored by each kind of step itself: put together on the stack and
/// moved from there, it takes several times as long as the arithmetic.
#[inline(always)]
pub(super) fn take<V: Packed>(step: Step, before: &[V], to: &mut V) {
    let at = |place: Place| before[place as usize].unpack();
    match step {
        Step::Add(a, b) => *to = V::pack(at(a) + at(b)),
        Step::Sub(a, b) => *to = V::pack(at(a) - at(b)),
        Step::Mul(a, b) => *to = V::pack(at(a) * at(b)),
        Step::Neg(a) => *to = V::pack(-at(a)),
        Step::AddNumber(a, x) => *to = V::pack(at(a) + x),
        Step::MulNumber(a, x) => *to = V::pack(at(a) * x),
        Step::DivNumber(a, x) => *to = V::pack(at(a) / x),
        Step::Constant(x) => *to = V::pack(num(x)),
        other => take_function(other, before, to),
    }
}

#[inline(never)]
fn take_function<V: Packed>(step: Step, before: &[V], to: &mut V) {
    let at = |place: Place| before[place as usize].unpack();
    *to = V::pack(match step {
        Step::Div(a, b) => at(a) / at(b),
        Step::Atan2(a, b) => at(a).atan2(at(b)),
        Step::When(test, on, a) => at(on).0.decide(test).choose(at(a), 0.0),
        Step::Held(side, a, _) => {
            let (side, free) = (at(side), Test::is(Sign::Zero));
            side + side.0.decide(free).choose::<Num<V::Number>>(at(a), 0.0)
        }
        Step::Unary(function, a) => at(a).function(function),
        Step::Powi(a, n) => at(a).powi(n),
        Step::Powf(a, n) => at(a).powf(n),
        Step::Log(a, base) => Num(at(a).0.log(base)),
        Step::Bessel(0, a) => Num(at(a).0.sph_j0()),
        Step::Bessel(1, a) => Num(at(a).0.sph_j1()),
        Step::Bessel(_, a) => Num(at(a).0.sph_j2()),
        _ => num(0.0),
    });
}

/// A value on the tape with its rate.
#[derive(Clone, Copy)]
pub(crate) struct Rated(Dual<Trace>);

impl Rated {
    pub(crate) fn new(Num(value): Num<Trace>, Num(rate): Num<Trace>) -> Self {
        Rated(Dual::new(value, rate))
    }
}

impl Packed for Rated {
    type Number = Dual<Trace>;
    const KEEPS: bool = false;
    fn pack(Num(x): Num<Dual<Trace>>) -> Self {
        Rated(x)
    }
    fn unpack(self) -> Num<Dual<Trace>> {
        Num(self.0)
    }
    fn is_same(self, _: Self) -> bool {
        false
    }
}

impl Tape {
    /// Writes down what a kernel does with inputs of these values to fill its rows.
    pub(crate) fn record(
        &mut self,
        inputs: impl Iterator<Item = f64>,
        rows: usize,
        kernel: impl FnOnce(&[Num<Trace>], &mut [Num<Trace>]),
    ) {
        self.record_held(inputs, &[], rows, kernel);
    }

    /// The same with guards held: `sides` says for each, in the order in which they are met, which of the
    /// inputs is its side, if one is.
    pub(crate) fn record_held(
        &mut self,
        inputs: impl Iterator<Item = f64>,
        sides: &[Option<HeldBy>],
        rows: usize,
        kernel: impl FnOnce(&[Num<Trace>], &mut [Num<Trace>]),
    ) {
        self.number += 1;
        self.steps.clear();
        self.inputs.clear();
        for (k, value) in inputs.enumerate() {
            self.steps.push(Step::Input(k as u32));
            self.inputs.push(Num(Trace::at(value, k as Place)));
        }
        self.rows.clear();
        self.rows.resize(rows, num(0.0));
        step::swap(&mut self.steps);
        let value = |input: u32| self.inputs[input as usize].0.plain();
        step::hold(sides.iter().map(|by| {
            by.map(|HeldBy { side, share }| Side {
                place: side,
                value: value(side),
                share: share.map(|(place, turned)| Share { place, value: value(place), turned }),
            })
        }));
        kernel(&self.inputs, &mut self.rows);
        step::swap(&mut self.steps);
        step::release();
    }

    /// Leaves of what the tape being written says the value of one of the guards, by its number, which
    /// is returned: no other is met there any more.
    pub(crate) fn keep_guard(number: usize) -> Option<Num<Trace>> {
        let mut kept = None;
        let mut met = 0;
        step::each(|step| {
            if let Step::Guard(place, value) = *step {
                kept = if met == number { Some(Num(Trace::at(value, place))) } else { kept };
                met += 1;
                *step = Step::Constant(0.0);
            }
        });
        kept
    }

    /// The value of one of the guards that a kernel meets, by its number, alone on the tape being written: what has been met
    /// before has had no sides, what comes after has those that were said.
    pub(crate) fn guard_alone(number: usize, kernel: impl FnOnce()) -> Option<Num<Trace>> {
        step::unheld(kernel);
        Tape::keep_guard(number)
    }

    /// The rate of a value of the tape being written, by the rates of its inputs.
    pub(crate) fn rate_of(Num(of): Num<Trace>, inputs: &dyn Fn(usize) -> Rated) -> Num<Trace> {
        let Some(last) = of.place() else { return num(0.0) };
        let steps = step::written();
        let steps = &steps[..=last as usize];
        let mut needed = vec![false; steps.len()];
        needed[last as usize] = true;
        for (k, step) in steps.iter().enumerate().rev() {
            if needed[k] {
                step.operands().into_iter().flatten().for_each(|k| needed[k as usize] = true);
            }
        }
        let mut values: Vec<Rated> = Vec::with_capacity(steps.len());
        for (k, &step) in steps.iter().enumerate() {
            let mut value = Rated::pack(num(0.0));
            match step {
                _ if !needed[k] => {}
                Step::Input(k) => value = inputs(k as usize),
                // Of a choice by what does not move the side that is taken, with its rate.
                Step::When(test, on, a) => {
                    let (on, a) = (values[on as usize].0, values[a as usize].0);
                    let taken = test.holds(on.re.plain());
                    let on = on.re.written();
                    let when = |part: Trace| {
                        let re = if taken { part.plain() } else { 0.0 };
                        Trace::at(re, step::push(Step::When(test, on, part.written())))
                    };
                    value = Rated(Dual::new(when(a.re), when(a.eps)));
                }
                other => take(other, &values, &mut value),
            }
            values.push(value);
        }
        Num(values[last as usize].0.eps)
    }

    /// Values of the rows that were recorded.
    pub(crate) fn row_values(&self) -> impl Iterator<Item = f64> {
        self.rows.iter().map(|row| row.0.plain())
    }

    /// Values of the rows, with nothing written down.
    pub(crate) fn evaluate(
        &mut self,
        inputs: impl Iterator<Item = f64>,
        rows: usize,
        kernel: impl FnOnce(&[Num<Trace>], &mut [Num<Trace>]),
    ) -> impl Iterator<Item = f64> {
        self.inputs.clear();
        self.inputs.extend(inputs.map(num::<Trace>));
        self.rows.clear();
        self.rows.resize(rows, num(0.0));
        kernel(&self.inputs, &mut self.rows);
        self.rows.iter().map(|row| row.0.plain())
    }

    /// Finds out which steps are needed, before replays.
    pub(crate) fn prune(&mut self) {
        let needed = &mut self.needed;
        needed.clear();
        needed.resize(self.steps.len(), false);
        for place in self.rows.iter().filter_map(|row| row.0.place()) {
            needed[place as usize] = true;
        }
        for (k, step) in self.steps.iter().enumerate().rev() {
            if needed[k] {
                for place in step.operands().into_iter().flatten() {
                    needed[place as usize] = true;
                }
            }
        }
    }

    /// Gets the tape ready for [replays](Self::replay).
    pub(crate) fn arrange(&mut self) {
        self.prune();
        self.order.clear();
        let needed = (0..).zip(&self.steps).zip(&self.needed).filter(|x| *x.1).map(|x| x.0);
        self.order.extend(needed.map(|(k, step)| match step.operands() {
            [Some(a), b] => [k, a, b.unwrap_or(a)],
            _ => [k, k, k],
        }));
    }

    /// What each step belongs to, by what its inputs do; `owned`: places in their order of which it is known.
    pub(crate) fn owners(
        &self,
        input: impl Fn(usize) -> Owner,
        owned: &[(Place, Owner)],
    ) -> Vec<Owner> {
        let mut owners: Vec<Owner> = Vec::with_capacity(self.steps.len());
        let mut owned = owned.iter().copied().peekable();
        for (place, step) in (0..).zip(&self.steps) {
            if let Some((_, owner)) = owned.next_if(|(at, _)| *at == place) {
                owners.push(owner);
                continue;
            }
            owners.push(match *step {
                Step::Input(k) => input(k as usize),
                other => {
                    let parts = other.operands().into_iter().flatten();
                    parts.fold(Owner::Ground, |all, part| all.join(owners[part as usize]))
                }
            });
        }
        owners
    }

    /// Where the rows are, with their values.
    pub(crate) fn rows_seen(&self) -> impl Iterator<Item = (f64, Option<u32>)> {
        self.rows.iter().map(|row| (row.0.plain(), row.0.place()))
    }

    /// The operations in order.
    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether the rows need step `k`, found out by [`prune`](Self::prune).
    pub(super) fn needs(&self, k: usize) -> bool {
        self.needed[k]
    }

    /// The value that an input had.
    pub(super) fn input_value(&self, input: usize) -> f64 {
        self.inputs[input].0.plain()
    }

    /// Where the rows are; `None` for a constant.
    pub(super) fn row_places(&self) -> impl Iterator<Item = Option<Place>> {
        self.rows.iter().map(|row| row.0.place())
    }

    /// Does the same on other numbers, what is needed of it ([`arrange`](Self::arrange)): `input` gives
    /// those of the inputs, `room` has what earlier replays of this tape alone have left. Returns the rows in
    /// order.
    pub(crate) fn replay<V: Packed>(
        &self,
        input: &dyn Fn(usize) -> V,
        room: &mut Replays<V>,
    ) -> impl Iterator<Item = V> {
        let Replays { values, changed, of } = room;
        if values.len() < self.steps.len() {
            values.resize(self.steps.len(), V::pack(num(0.0)));
            changed.resize(self.steps.len(), true);
        }
        let anew = std::mem::replace(of, self.number) != self.number || !V::KEEPS;
        for &[k, a, b] in &self.order {
            let (before, rest) = values.split_at_mut(k as usize);
            match self.steps[k as usize] {
                Step::Input(n) => {
                    let seed = input(n as usize);
                    changed[k as usize] = anew || !seed.is_same(rest[0]);
                    rest[0] = seed;
                }
                step if anew => take(step, before, &mut rest[0]),
                step => {
                    // Of what did not change the number is there.
                    let change = changed[a as usize] | changed[b as usize];
                    changed[k as usize] = change;
                    if change {
                        take(step, before, &mut rest[0]);
                    }
                }
            }
        }
        if anew && V::KEEPS {
            // Constants will not; all others are told the next time.
            self.order.iter().for_each(|&[k, ..]| changed[k as usize] = false);
        }
        self.rows.iter().map(|row| match row.0.place() {
            Some(place) => values[place as usize],
            None => V::pack(num(row.0.plain())),
        })
    }

    /// The values whose signs decided, in the order in which they were looked at.
    pub(crate) fn decisions(&self) -> impl Iterator<Item = f64> {
        self.steps.iter().filter_map(|step| match *step {
            Step::Guard(_, value) | Step::Look(_, value) => Some(value),
            _ => None,
        })
    }

    /// Which steps are quotients of what nothing moves, by `still` of the inputs, whose last bit may decide a comparison,
    /// as `count/total >= 1.0` at 49 of 49 does. Empty where there are none.
    pub(crate) fn quotients_that_decide(&self, still: impl Fn(usize) -> bool) -> Vec<bool> {
        let divides = |step: &Step| matches!(step, Step::Div(..) | Step::DivNumber(..));
        if !self.steps.iter().any(divides) {
            return Vec::new();
        }
        let mut rests: Vec<bool> = Vec::with_capacity(self.steps.len());
        for &step in &self.steps {
            rests.push(match step {
                Step::Input(k) => still(k as usize),
                _ => step.operands().into_iter().flatten().all(|a| rests[a as usize]),
            });
        }
        let mut decides = vec![false; self.steps.len()];
        for (k, &step) in self.steps.iter().enumerate().rev() {
            match step {
                Step::Guard(a, _) | Step::When(_, a, _) => decides[a as usize] = true,
                _ => {}
            }
            if decides[k] {
                step.operands().into_iter().flatten().for_each(|a| decides[a as usize] = true);
            }
        }
        for (k, step) in self.steps.iter().enumerate() {
            decides[k] &= rests[k] && divides(step);
        }
        decides
    }

    /// What of it depends on time alone; `input` says what an input is.
    pub(crate) fn clock(&self, input: impl Fn(usize) -> Reading) -> Clock {
        let rows = self.rows.iter().filter_map(|row| row.0.place());
        Clock::new(&self.steps, rows, input)
    }

    /// The locals, the first `locals` of the inputs, that the rows are nonlinear in, as a bit set;
    /// `None` when a decision depended on one, so that nothing is known.
    pub(crate) fn nonlinear(&mut self, locals: usize) -> Option<u64> {
        self.sets.clear();
        for &step in &self.steps {
            let at = |place: Place| self.sets[place as usize];
            let set = match step {
                Step::Input(k) if (k as usize) < locals => {
                    Dependence { depends: 1 << k, nonlinear: 0 }
                }
                Step::Input(_) | Step::Constant(_) => Dependence::default(),
                Step::Add(a, b) | Step::Sub(a, b) => at(a).join(at(b)),
                Step::Neg(a)
                | Step::AddNumber(a, _)
                | Step::MulNumber(a, _)
                | Step::DivNumber(a, _) => at(a),
                Step::Mul(a, b) if at(a).depends != 0 && at(b).depends != 0 => {
                    at(a).join(at(b)).bent()
                }
                Step::Mul(a, b) => at(a).join(at(b)),
                Step::Div(a, b) if at(b).depends == 0 => at(a),
                Step::Div(a, b) | Step::Atan2(a, b) => at(a).join(at(b)).bent(),
                Step::Unary(_, a)
                | Step::Powi(a, _)
                | Step::Powf(a, _)
                | Step::Log(a, _)
                | Step::Bessel(_, a) => at(a).bent(),
                Step::Held(side, a, _) => at(side).join(at(a)),
                // What is chosen by a local is no linear function of it.
                Step::When(_, on, a) if at(on).depends != 0 => at(on).join(at(a)).bent(),
                Step::When(_, _, a) => at(a),
                Step::Look(a, _) if at(a).depends != 0 => return None,
                Step::Guard(..) | Step::Look(..) | Step::Plane => Dependence::default(),
            };
            self.sets.push(set);
        }
        let rows = self.rows.iter().filter_map(|row| row.0.place());
        Some(rows.fold(0, |all, place| all | self.sets[place as usize].nonlinear))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{
        Base, Dual64, Gradient, HyperDual64, Scalar, directed, directed2, rate, with_rate,
    };
    use std::hint::black_box;

    /// Everything a kernel can do.
    fn kernel<D: Scalar>(z: &[Num<D>]) -> Vec<Num<D>> {
        let [x, y, a] = black_box([z[0], z[1], z[2]]);
        // Of powers that it knows the compiler makes products of its own, which round otherwise.
        let [n, m] = black_box([3, -2]);
        let mut rows = vec![x + y, x - y, x * y, x / y, -x, x.recip(), x.powi(n), x.powi(m)];
        rows.extend([x + 2.0, x - 2.0, x * 2.0, x / 3.0, 2.0 + x, 2.0 - x, 2.0 * x, 2.0 / x]);
        let c = num(1.5);
        rows.extend([x + c, x - c, x * c, x / c, c + x, c - x, c * x, c / x, c * c]);
        rows.extend([x.sin(), x.cos(), x.tan(), x.asin(), x.acos(), x.atan(), x.sinh(), x.cosh()]);
        rows.extend([x.tanh(), x.asinh(), y.acosh(), x.atanh(), x.exp(), x.exp2(), x.exp_m1()]);
        rows.extend([x.ln(), x.log2(), x.log10(), x.ln_1p(), x.sqrt(), x.cbrt()]);
        rows.extend([x.powf(2.5), x.powf(y), x.atan2(y), (-x).atan2(-y), x.hypot(y), x.sq()]);
        rows.extend([x.abs(), (-x).abs(), x.min(y), x.max(a), y.clamp(0.0, 1.0), x.signum() * y]);
        rows.extend([x.mul_add(y, 2.0), x.to_degrees(), x.compose([0.5, 2.0, -1.0, 0.25, 3.0])]);
        rows.extend(rate([with_rate(x, a).sin() * with_rate(y, x), with_rate(y, a).powi(n) / 2.0]));
        rows.push(if x < y { x * a } else { x });
        rows.push([x, y, a].into_iter().sum());
        let mut sum = x;
        sum += y;
        sum *= 3.0;
        sum -= a;
        rows.extend([sum / y, (x * y + a).sin() * (x - a).exp() / (1.0 + y.sq())]);
        rows
    }

    const AT: [f64; 3] = [0.3, 1.7, -0.4];

    /// `parts` because num-dual's numbers are equal when their values are.
    fn agrees<B: Base>(base: fn(usize) -> B, parts: fn(B) -> Vec<f64>) -> usize {
        let rows = kernel(&AT.map(num::<f64>)).len();
        let mut tape = Tape::default();
        tape.record(AT.into_iter(), rows, |z, rows| rows.copy_from_slice(&kernel(z)));
        tape.arrange();
        let mut room = Replays::default();
        // In one room, by one direction after the other, and by the first again: most is kept between.
        for by in [None, Some(0), Some(1), Some(2), None] {
            let input = |n: usize| Gradient {
                value: if by == Some(n) { B::from(AT[n]) } else { base(n) },
                slopes: std::array::from_fn(|k| B::from(f64::from(k == n && by != Some(n)))),
            };
            let direct = kernel(&[0, 1, 2].map(|n| input(n).unpack()));
            let replayed: Vec<_> = tape.replay(&input, &mut room).collect();
            assert_eq!(replayed.len(), direct.len());
            for (r, (replayed, direct)) in replayed.iter().zip(direct).enumerate() {
                let direct = Gradient::pack(direct);
                assert_eq!(parts(replayed.value), parts(direct.value), "row {r}");
                for (replayed, direct) in replayed.slopes.into_iter().zip(direct.slopes) {
                    assert_eq!(parts(replayed), parts(direct), "derivatives of row {r}");
                }
            }
        }
        rows
    }

    /// A replay is the evaluation on dual numbers itself, operation by operation.
    #[test]
    fn replays_give_what_a_kernel_gives_on_dual_numbers() {
        assert!(agrees::<f64>(|n| AT[n], |x| vec![x]) > 60);
        const D: [[f64; 2]; 3] = [[0.7, 0.1], [-0.2, 0.9], [1.1, -0.5]];
        agrees::<Dual64>(|n| directed(AT[n], D[n][0]), |x| vec![x.re, x.eps]);
        agrees::<HyperDual64>(
            |n| directed2(AT[n], D[n][0], D[n][1]),
            |x| vec![x.re, x.eps1, x.eps2, x.eps1eps2],
        );
    }

    #[test]
    fn values_are_those_of_plain_numbers() {
        let plain = kernel(&AT.map(num::<f64>));
        let mut tape = Tape::default();
        let run = |z: &[Num<Trace>], rows: &mut [Num<Trace>]| rows.copy_from_slice(&kernel(z));
        let values: Vec<f64> = tape.evaluate(AT.into_iter(), plain.len(), run).collect();
        let plain: Vec<f64> = plain.into_iter().map(Num::value).collect();
        assert_eq!(values, plain);
        assert!(tape.steps.is_empty(), "evaluating writes nothing down");
    }
}
