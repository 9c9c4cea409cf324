//! What a statement evaluates to at a point, on dual numbers: values, gradients, and gradients along one
//! direction and along two.
//!
//! A Hessian or a derivative of it takes a replay for every column and every few slopes. They have the tape in
//! common, which is written once, and what does not depend on the inputs in which they differ, which is
//! computed once ([`Tape::replay`]).

use super::element::{Element, WORK, Work};
use crate::equation::SlotKind;
use crate::scalar::{
    Base, Dual64, Gradient, HeldBy, HyperDual64, Room, Tape, WIDTH, directed, directed2,
};
use std::cell::RefCell;

/// A parameter no element reads; stands for "no parameter direction".
pub(crate) const NO_PARAM: u32 = u32::MAX;

/// Rows of an element with their derivatives by its locals.
#[derive(Debug)]
pub(crate) struct Rows<B> {
    locals: usize,
    values: Vec<B>,
    gradients: Vec<B>,
}

impl<B> Default for Rows<B> {
    fn default() -> Self {
        Rows { locals: 0, values: Vec::new(), gradients: Vec::new() }
    }
}

impl<B: Copy> Rows<B> {
    /// Number of locals.
    pub(crate) fn locals(&self) -> usize {
        self.locals
    }

    /// The value of a row.
    pub(crate) fn value(&self, r: usize) -> B {
        self.values[r]
    }

    /// The gradient of a row.
    pub(crate) fn gradient(&self, r: usize) -> &[B] {
        &self.gradients[r * self.locals..][..self.locals]
    }

    /// Values and gradients of all rows.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (B, &[B])> {
        (0..self.values.len()).map(|r| (self.value(r), self.gradient(r)))
    }

    /// The gradients of all rows, row by row.
    pub(crate) fn gradients(&self) -> &[B] {
        &self.gradients
    }
}

/// The tape that was replayed last, with the instance and the inputs that it is of.
#[derive(Default)]
struct Replayed {
    tape: Tape,
    room: Room,
    /// The element by its number, and the instance; none while the tape is being written.
    of: Option<(u64, usize)>,
    inputs: Vec<f64>,
    sides: Vec<Option<HeldBy>>,
    flats: Vec<u32>,
}

thread_local! {
    static REPLAYED: RefCell<Replayed> = RefCell::default();
}

impl Replayed {
    /// Writes the tape of an instance at a point, unless it is there.
    fn write(&mut self, element: &Element, i: usize, y: &[f64]) {
        let inputs = element.held_flats(i).map(|flat| y[flat as usize]);
        let same = |known: &[f64]| {
            let bits = known.iter().map(|x| x.to_bits());
            bits.eq(inputs.clone().map(f64::to_bits))
        };
        let of = Some((element.id, i));
        let held = || element.held_by(i);
        if self.of == of && same(&self.inputs) && self.sides.iter().copied().eq(held()) {
            return;
        }
        self.of = None;
        self.flats.clear();
        self.flats.extend(element.held_flats(i));
        self.sides.clear();
        self.sides.extend(held());
        self.inputs.clear();
        self.inputs.extend(inputs);
        let run = |inputs: &[_], rows: &mut [_]| element.run(i, inputs, rows);
        self.tape.record_held(self.inputs.iter().copied(), &self.sides, element.rows, run);
        self.tape.arrange();
        self.of = of;
    }
}

impl Element {
    /// Values of the rows.
    pub(crate) fn values(&self, i: usize, y: &[f64], out: &mut Vec<f64>) {
        out.clear();
        if !self.sides.first.is_empty() {
            return self.recorded_held(i, y, |work| out.extend(work.tape.row_values()));
        }
        WORK.with_borrow_mut(|work| {
            let run = |inputs: &[_], rows: &mut [_]| self.run(i, inputs, rows);
            out.extend(work.tape.evaluate(self.inputs(i, y), self.rows, run));
        });
    }

    /// The value of the first row.
    pub(crate) fn value(&self, i: usize, y: &[f64]) -> f64 {
        if !self.sides.first.is_empty() {
            let first = |work: &mut Work| work.tape.row_values().next().unwrap_or(0.0);
            return self.recorded_held(i, y, first);
        }
        WORK.with_borrow_mut(|work| {
            let run = |inputs: &[_], rows: &mut [_]| self.run(i, inputs, rows);
            work.tape.evaluate(self.inputs(i, y), self.rows, run).next().unwrap_or(0.0)
        })
    }

    /// Values and gradients of the rows over a base: `base` gives that of an input from its number,
    /// its flat index and its value.
    fn pass<B: Base>(
        &self,
        i: usize,
        y: &[f64],
        base: &dyn Fn(usize, u32, f64) -> B,
        out: &mut Rows<B>,
    ) {
        let locals = self.locals();
        out.locals = locals;
        out.values.clear();
        out.gradients.clear();
        out.gradients.resize(self.rows * locals, B::from(0.0));
        REPLAYED.with_borrow_mut(|replayed| {
            replayed.write(self, i, y);
            let Replayed { tape, room, flats, .. } = replayed;
            let room = B::room(room);
            // At least once, for the values.
            for first in (0..locals.max(1)).step_by(WIDTH) {
                let input = |n: usize| {
                    let flat = flats[n];
                    let own = |k| B::from(f64::from(n < locals && n == first + k));
                    let slopes = std::array::from_fn(own);
                    Gradient { value: base(n, flat, y[flat as usize]), slopes }
                };
                for (r, row) in tape.replay(&input, room).enumerate() {
                    if first == 0 {
                        out.values.push(row.value);
                    }
                    let slopes = &mut out.gradients[r * locals + first..(r + 1) * locals];
                    slopes.iter_mut().zip(row.slopes).for_each(|(to, slope)| *to = slope);
                }
            }
        });
    }

    /// Values and gradients of the rows.
    pub(crate) fn gradients(&self, i: usize, y: &[f64], out: &mut Rows<f64>) {
        self.pass(i, y, &|_, _, value| value, out);
    }

    /// Values and gradients of the rows with their derivative along `dz` and, where `param` is
    /// read, along that parameter, or along time (flat offset).
    pub(crate) fn along(
        &self,
        i: usize,
        y: &[f64],
        dz: impl Fn(usize) -> f64,
        param: u32,
        out: &mut Rows<Dual64>,
    ) {
        let base = |n: usize, flat: u32, value: f64| {
            let own = if n < self.locals() { dz(n) } else { 0.0 };
            directed(value, own + f64::from(flat == param))
        };
        self.pass(i, y, &base, out);
    }

    /// Σ_r weight_r ∂²row_r by the locals, with the columns of the kinds wanted, row by row.
    pub(crate) fn hessian(
        &self,
        i: usize,
        y: &[f64],
        weight: &[f64],
        columns: impl Fn(SlotKind) -> bool,
        work: &mut Rows<Dual64>,
        out: &mut Vec<f64>,
    ) {
        let n = self.locals();
        zeros(out, n * n);
        for j in (0..n).filter(|&j| columns(self.kind(j)) && self.bends(j)) {
            self.along(i, y, unit(j), NO_PARAM, work);
            for ((_, gradient), weight) in work.iter().zip(weight) {
                for (k, slope) in gradient.iter().enumerate() {
                    out[k * n + j] += weight * slope.eps;
                }
            }
        }
    }

    /// Values and gradients of the rows with both directional and the mixed derivative along
    /// `d1` and `d2`; the direction of a parameter, or of time, is added to `d2`.
    pub(crate) fn along2(
        &self,
        i: usize,
        y: &[f64],
        d1: impl Fn(usize) -> f64,
        d2: impl Fn(usize) -> f64,
        param: u32,
        out: &mut Rows<HyperDual64>,
    ) {
        let base = |n: usize, flat: u32, value: f64| {
            let [own1, own2] = if n < self.locals() { [d1(n), d2(n)] } else { [0.0; 2] };
            directed2(value, own1, own2 + f64::from(flat == param))
        };
        self.pass(i, y, &base, out);
    }
}

/// The unit direction of local `k`.
pub(crate) fn unit(k: usize) -> impl Fn(usize) -> f64 {
    move |j| f64::from(j == k)
}

/// No direction.
pub(crate) fn still(_: usize) -> f64 {
    0.0
}

/// A block of zeros.
pub(crate) fn zeros(block: &mut Vec<f64>, len: usize) {
    block.clear();
    block.resize(len, 0.0);
}

/// Row-major entries of a block from its row and column indices.
pub(crate) fn cross(
    rows: impl IntoIterator<Item = Option<u32>>,
    cols: impl IntoIterator<Item = Option<u32>> + Clone,
    out: &mut Vec<Option<(u32, u32)>>,
) {
    for row in rows {
        for col in cols.clone() {
            out.push(row.zip(col));
        }
    }
}
