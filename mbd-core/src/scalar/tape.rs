//! What a kernel computes, operation by operation, and the ways to go through that again.
//!
//! A statement's kernel is instantiated for one scalar only, [`Trace`], which computes values and
//! writes its operations down here. So a statement costs the compiler one copy of itself, of calls
//! to functions compiled with the library, whatever derivatives are asked of it later:
//!
//! * *on dual numbers* ([`Tape::replay`]): each operation once more on num-dual's numbers. Where no
//!   program can be made derivatives are taken this way, and programs are checked against it;
//! * *on sets* ([`Tape::nonlinear`]): which locals the rows are nonlinear in;
//! * *into a graph* ([`Tape::write`]): the expressions of which programs are made.
//!
//! Where a kernel chooses by [decisions](super::decision) both sides are on the tape. Of what it decided
//! by comparing values in plain Rust the tape says only [`Step::Look`]: then it holds for the point at
//! which it was written. So it is written anew for every evaluation.

use super::clock::{Clock, Reading};
use super::decision::Sign;
use super::note::Owner;
use super::{Decide, Num, Packed, Test, Trace, num};
use crate::program::{Function, Graph, Node, Recorder};
use num_dual::DualNum;
use std::cell::{Cell, RefCell};

/// Where on the tape a value is.
pub(super) type Place = u32;

/// One operation; its value is at the step's own place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
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
#[derive(Clone, Copy, Debug)]
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
    if side == 0.0 { value } else { side }
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

/// The operations of one evaluation of a kernel, and where its rows are.
#[derive(Debug, Default)]
pub(crate) struct Tape {
    steps: Vec<Step>,
    inputs: Vec<Num<Trace>>,
    rows: Vec<Num<Trace>>,
    /// Which steps the rows need; components compute more than is asked of them.
    needed: Vec<bool>,
    sets: Vec<Dependence>,
    nodes: Vec<Node>,
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
fn take<V: Packed>(step: Step, before: &[V], to: &mut V) {
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
        Step::Unary(function, a) => function.apply(at(a)),
        Step::Powi(a, n) => at(a).powi(n),
        Step::Powf(a, n) => at(a).powf(n),
        Step::Log(a, base) => Num(at(a).0.log(base)),
        Step::Bessel(0, a) => Num(at(a).0.sph_j0()),
        Step::Bessel(1, a) => Num(at(a).0.sph_j1()),
        Step::Bessel(_, a) => Num(at(a).0.sph_j2()),
        _ => num(0.0),
    });
}

impl Step {
    pub(super) fn operands(self) -> [Option<Place>; 2] {
        match self {
            Step::Input(_) | Step::Constant(_) | Step::Guard(..) | Step::Look(..) => [None, None],
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
            Step::Input(_) | Step::Constant(_) => self,
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
        self.steps.clear();
        self.inputs.clear();
        for (k, value) in inputs.enumerate() {
            self.steps.push(Step::Input(k as u32));
            self.inputs.push(Num(Trace::at(value, k as Place)));
        }
        self.rows.clear();
        self.rows.resize(rows, num(0.0));
        let swap = |steps: &mut Vec<Step>| STEPS.with_borrow_mut(|own| std::mem::swap(own, steps));
        swap(&mut self.steps);
        // Left behind where a kernel panicked.
        ASIDE.set(0);
        SIDES.with_borrow_mut(|all| {
            all.next = 0;
            all.held.clear();
            let value = |input: u32| self.inputs[input as usize].0.plain();
            all.held.extend(sides.iter().map(|by| {
                by.map(|HeldBy { side, share }| Side {
                    place: side,
                    value: value(side),
                    share: share.map(|(place, turned)| Share {
                        place,
                        value: value(place),
                        turned,
                    }),
                })
            }));
        });
        kernel(&self.inputs, &mut self.rows);
        swap(&mut self.steps);
        SIDES.with_borrow_mut(|all| all.held.clear());
    }

    /// Leaves of what the tape being written says the value of one of the guards, by its number, which
    /// is returned: no other is met there any more.
    pub(crate) fn keep_guard(number: usize) -> Option<Num<Trace>> {
        STEPS.with_borrow_mut(|steps| {
            let mut kept = None;
            let mut met = 0;
            for step in steps {
                if let Step::Guard(place, value) = *step {
                    kept = if met == number { Some(Num(Trace::at(value, place))) } else { kept };
                    met += 1;
                    *step = Step::Constant(0.0);
                }
            }
            kept
        })
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

    /// What each step belongs to, by what its inputs do.
    pub(crate) fn owners(&self, input: impl Fn(usize) -> Owner) -> Vec<Owner> {
        let mut owners: Vec<Owner> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
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
    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether the rows need step `k`, found out by [`prune`](Self::prune).
    pub(super) fn needs(&self, k: usize) -> bool {
        self.needed[k]
    }

    /// Where the rows are; `None` for a constant.
    pub(super) fn row_places(&self) -> impl Iterator<Item = Option<Place>> {
        self.rows.iter().map(|row| row.0.place())
    }

    /// Does the same on other numbers, what is needed of it ([`prune`](Self::prune)): `input` gives
    /// those of the inputs, `values` is room to work in. Returns the rows in order.
    pub(crate) fn replay<V: Packed>(
        &self,
        input: &dyn Fn(usize) -> V,
        values: &mut Vec<V>,
    ) -> impl Iterator<Item = V> {
        if values.len() < self.steps.len() {
            values.resize(self.steps.len(), V::pack(num(0.0)));
        }
        for (k, (&step, &needed)) in self.steps.iter().zip(&self.needed).enumerate() {
            let (before, rest) = values.split_at_mut(k);
            match step {
                _ if !needed => {}
                Step::Input(n) => rest[0] = input(n as usize),
                other => take(other, before, &mut rest[0]),
            }
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
                Step::Guard(..) | Step::Look(..) => Dependence::default(),
            };
            self.sets.push(set);
        }
        let rows = self.rows.iter().filter_map(|row| row.0.place());
        Some(rows.fold(0, |all, place| all | self.sets[place as usize].nonlinear))
    }

    /// Writes the rows as expressions of the inputs' nodes; `None`, with nothing written, when a
    /// value was looked at, so that another point might take another branch.
    pub(crate) fn write(
        &mut self,
        input: impl FnMut(&mut Recorder, usize) -> Node,
        graph: &mut Recorder,
    ) -> Option<Vec<Node>> {
        self.write_steps(input, graph)?;
        let node = |row: &Num<Trace>| match row.0.place() {
            Some(place) => self.nodes[place as usize],
            None => graph.constant(row.0.plain()),
        };
        Some(self.rows.iter().map(node).collect())
    }

    /// Writes the values whose signs decide as expressions, in the order of [`decisions`](Self::decisions).
    pub(crate) fn write_guards(
        &mut self,
        input: impl FnMut(&mut Recorder, usize) -> Node,
        graph: &mut Recorder,
    ) -> Option<Vec<Node>> {
        self.write_steps(input, graph)?;
        let guard = |step: &Step| match *step {
            Step::Guard(place, _) => Some(self.nodes[place as usize]),
            _ => None,
        };
        Some(self.steps.iter().filter_map(guard).collect())
    }

    /// Writes every step as an expression.
    fn write_steps(
        &mut self,
        mut input: impl FnMut(&mut Recorder, usize) -> Node,
        graph: &mut Recorder,
    ) -> Option<()> {
        if self.steps.iter().any(|step| matches!(step, Step::Look(..) | Step::Bessel(..))) {
            return None;
        }
        let nodes = &mut self.nodes;
        nodes.clear();
        for &step in &self.steps {
            let at = |place: Place| nodes[place as usize];
            let node = match step {
                Step::Input(k) => input(graph, k as usize),
                Step::Constant(x) => graph.constant(x),
                Step::Add(a, b) => graph.add(at(a), at(b)),
                Step::Sub(a, b) => graph.sub(at(a), at(b)),
                Step::Mul(a, b) => graph.mul(at(a), at(b)),
                Step::Div(a, b) => {
                    let inverse = graph.unary(Function::Recip, at(b));
                    graph.mul(at(a), inverse)
                }
                Step::Neg(a) => graph.neg(at(a)),
                Step::AddNumber(a, x) => {
                    let x = graph.constant(x);
                    graph.add(at(a), x)
                }
                Step::MulNumber(a, x) => graph.scale(x, at(a)),
                Step::DivNumber(a, x) => graph.scale(1.0 / x, at(a)),
                Step::Unary(function, a) => graph.unary(function, at(a)),
                Step::Powi(a, n) => graph.powi(at(a), n),
                Step::Powf(a, n) => graph.powf(at(a), n),
                Step::Log(a, base) => {
                    let ln = graph.unary(Function::Ln, at(a));
                    graph.scale(1.0 / base.ln(), ln)
                }
                Step::Atan2(a, b) => graph.atan2(at(a), at(b)),
                Step::When(test, on, a) => graph.when(test, at(on), at(a)),
                Step::Held(side, a, _) => {
                    let value = graph.when(Test::is(Sign::Zero), at(side), at(a));
                    graph.add(at(side), value)
                }
                // Has no value, and nothing reads it.
                Step::Guard(..) => Graph::ZERO,
                Step::Bessel(..) | Step::Look(..) => return None,
            };
            nodes.push(node);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::{
        Dual64, Grad, Gradient, HyperDual64, Scalar, WIDTH, directed, directed2, rate, with_rate,
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
    fn agrees<B: Scalar>(base: fn(usize) -> B, parts: fn(B) -> Vec<f64>) -> usize
    where
        Gradient<B>: Packed<Number = Grad<B, WIDTH>>,
    {
        let input = |n: usize| Gradient {
            value: base(n),
            slopes: std::array::from_fn(|k| B::from(f64::from(k == n))),
        };
        let direct = kernel(&[0, 1, 2].map(|n| input(n).unpack()));
        let mut tape = Tape::default();
        tape.record(AT.into_iter(), direct.len(), |z, rows| rows.copy_from_slice(&kernel(z)));
        tape.prune();
        let replayed: Vec<_> = tape.replay(&input, &mut Vec::new()).collect();
        for (r, (replayed, direct)) in replayed.iter().zip(direct).enumerate() {
            let direct = Gradient::pack(direct);
            assert_eq!(parts(replayed.value), parts(direct.value), "row {r}");
            for (replayed, direct) in replayed.slopes.into_iter().zip(direct.slopes) {
                assert_eq!(parts(replayed), parts(direct), "derivatives of row {r}");
            }
        }
        replayed.len()
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
