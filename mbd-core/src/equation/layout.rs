//! Where every scalar of a model lives: one flat vector per evaluation point.
//!
//! Elements gather their inputs by flat offset, so reading a coordinate, a multiplier or a
//! parameter is the same indexed load.

use crate::signal::{Course, Driven};
use std::ops::Range;

/// What a scalar read by an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SlotKind {
    /// Time t.
    T,
    /// Generalized coordinate q.
    Q,
    /// Generalized velocity v = q̇.
    V,
    /// Generalized acceleration a = v̇.
    A,
    /// First-order state x.
    X,
    /// State rate ẋ.
    Xd,
    /// Multiplier λ of a holonomic row.
    Lambda,
    /// Multiplier ψ of a nonholonomic row.
    Psi,
    /// Algebraic variable w.
    W,
}

impl SlotKind {
    /// Every kind, in layout order.
    pub const ALL: [SlotKind; 9] = [
        SlotKind::T,
        SlotKind::Q,
        SlotKind::V,
        SlotKind::A,
        SlotKind::X,
        SlotKind::Xd,
        SlotKind::Lambda,
        SlotKind::Psi,
        SlotKind::W,
    ];
}

/// Sizes of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dims {
    /// Generalized coordinates n.
    pub n: usize,
    /// Holonomic constraint rows m.
    pub m: usize,
    /// Nonholonomic constraint rows p.
    pub p: usize,
    /// First-order states.
    pub nx: usize,
    /// Algebraic variables.
    pub nw: usize,
    /// Parameters, array entries counted one by one.
    pub params: usize,
}

impl Dims {
    /// Where a, λ, ψ, ẋ and w begin among the unknowns of the equations of motion, and how many there are.
    pub(crate) fn unknown_offsets(&self) -> [usize; 6] {
        let mut at = [0; 6];
        for (i, len) in [self.n, self.m, self.p, self.nx, self.nw].into_iter().enumerate() {
            at[i + 1] = at[i] + len;
        }
        at
    }
}

/// Offsets of each kind of scalar in the flat vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Sizes.
    pub dims: Dims,
    starts: [usize; 11],
    /// Discrete values.
    modes: usize,
    /// Signals from outside.
    inputs: usize,
    /// What rows that hold from the start on are off by there.
    offsets: usize,
    /// Comparisons whose side can be held.
    sides: usize,
}

impl Layout {
    /// The layout for given sizes.
    pub fn new(dims: Dims) -> Self {
        let Dims { n, m, p, nx, nw, params } = dims;
        let mut starts = [0; 11];
        for (i, len) in [1, n, n, n, nx, nx, m, p, nw, params].into_iter().enumerate() {
            starts[i + 1] = starts[i] + len;
        }
        Layout { dims, starts, modes: 0, inputs: 0, offsets: 0, sides: 0 }
    }

    /// The same with a place after the parameters for each [discrete value](Point::modes).
    pub(crate) fn with_modes(self, modes: usize) -> Self {
        Layout { modes, ..self }
    }

    /// The same with places after these for each [input](Point::inputs).
    pub(crate) fn with_inputs(self, inputs: usize) -> Self {
        Layout { inputs, ..self }
    }

    /// The same with a place after these for each [offset](Point::offsets).
    pub(crate) fn with_offsets(self, offsets: usize) -> Self {
        Layout { offsets, ..self }
    }

    /// The same with a place at the end for the side of each comparison that can be
    /// [held](Point::sides).
    pub(crate) fn with_sides(self, sides: usize) -> Self {
        Layout { sides, ..self }
    }

    /// Flat range of a kind.
    pub fn range(&self, kind: SlotKind) -> Range<usize> {
        let i = kind as usize;
        self.starts[i]..self.starts[i + 1]
    }

    /// Flat offset of one scalar.
    pub fn offset(&self, kind: SlotKind, index: usize) -> usize {
        self.starts[kind as usize] + index
    }

    /// Flat range of the parameters.
    pub fn params(&self) -> Range<usize> {
        self.starts[9]..self.starts[10]
    }

    /// Flat range of the [discrete values](Point::modes), right after the parameters.
    pub fn modes(&self) -> Range<usize> {
        self.starts[10]..self.starts[10] + self.modes
    }

    /// Flat range of the [inputs](Point::inputs), right after the discrete values.
    pub fn inputs(&self) -> Range<usize> {
        let first = self.modes().end;
        first..first + self.inputs * Course::NUMBERS
    }

    /// Flat range of the [offsets](Point::offsets), right after the inputs.
    pub fn offsets(&self) -> Range<usize> {
        let first = self.inputs().end;
        first..first + self.offsets
    }

    /// Flat range of what is not solved for: parameters, discrete values, inputs, offsets.
    pub(crate) fn constants(&self) -> Range<usize> {
        self.params().start..self.offsets().end
    }

    /// Flat range of the [sides](Point::sides).
    pub fn sides(&self) -> Range<usize> {
        let first = self.offsets().end;
        first..first + self.sides
    }

    /// Length of the flat vector.
    pub fn len(&self) -> usize {
        self.sides().end
    }

    /// A layout is never empty: time is always there.
    pub fn is_empty(&self) -> bool {
        false
    }
}

/// One evaluation point: time, all unknowns, the parameters, inputs and the sides of comparisons, in one
/// flat vector.
#[derive(Clone, Debug)]
pub struct Point {
    layout: Layout,
    values: Vec<f64>,
    /// Inputs that are no polynomials of time: they are computed anew wherever time is set.
    driven: Driven,
    /// What is added to the holonomic rows, where what they cannot tell from 0 is asked for; empty otherwise.
    disturbance: Vec<f64>,
}

impl PartialEq for Point {
    fn eq(&self, other: &Self) -> bool {
        self.layout == other.layout && self.values == other.values
    }
}

macro_rules! views {
    ($($kind:ident $get:ident $get_mut:ident $doc:literal;)*) => { $(
        #[doc = $doc]
        pub fn $get(&self) -> &[f64] { &self.values[self.layout.range(SlotKind::$kind)] }
        #[doc = concat!($doc, " Mutable.")]
        pub fn $get_mut(&mut self) -> &mut [f64] {
            &mut self.values[self.layout.range(SlotKind::$kind)]
        }
    )* };
}

impl Point {
    /// A point with every unknown zero and the given parameters.
    pub fn new(layout: Layout, params: &[f64]) -> Self {
        let mut values = vec![0.0; layout.len()];
        values[layout.params()].copy_from_slice(params);
        Point { layout, values, driven: Driven::default(), disturbance: Vec::new() }
    }

    /// What is added to g wherever a system is evaluated here, by row; nothing where it is empty.
    #[inline]
    pub(crate) fn disturbance(&self) -> &[f64] {
        &self.disturbance
    }

    /// Has this added to g from now on.
    pub(crate) fn disturb(&mut self, rows: Vec<f64>) {
        self.disturbance = rows;
    }

    /// The layout.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The flat vector.
    pub fn flat(&self) -> &[f64] {
        &self.values
    }

    /// The flat vector, mutable.
    pub fn flat_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Time.
    pub fn t(&self) -> f64 {
        self.values[0]
    }

    /// Sets time, and inputs that are functions of it.
    pub fn set_t(&mut self, t: f64) {
        self.values[0] = t;
        self.drive();
    }

    /// Says which inputs are functions of time.
    pub(crate) fn set_driven(&mut self, driven: Driven) {
        self.driven = driven;
        self.drive();
    }

    fn drive(&mut self) {
        if !self.driven.is_empty() {
            let first = self.layout.inputs().start;
            self.driven.fill(self.values[0], &mut self.values[first..]);
        }
    }

    /// One kind of scalar.
    pub fn get(&self, kind: SlotKind) -> &[f64] {
        &self.values[self.layout.range(kind)]
    }

    /// One kind of scalar, mutable.
    pub fn get_mut(&mut self, kind: SlotKind) -> &mut [f64] {
        &mut self.values[self.layout.range(kind)]
    }

    /// Sets the scalars of a kind that are unknowns of the equations: those behind them, what belongs to surfaces that the
    /// motion is not on, stay as they are.
    pub(crate) fn set_unknowns(&mut self, kind: SlotKind, values: &[f64]) {
        let first = self.layout.range(kind).start;
        self.values[first..first + values.len()].copy_from_slice(values);
    }

    /// Parameters.
    pub fn params(&self) -> &[f64] {
        &self.values[self.layout.params()]
    }

    /// Parameters, mutable.
    pub fn params_mut(&mut self) -> &mut [f64] {
        let range = self.layout.params();
        &mut self.values[range]
    }

    /// The discrete values that events set: they stay as they are within a step. 1 and 0 stand for true and
    /// false.
    pub fn modes(&self) -> &[f64] {
        &self.values[self.layout.modes()]
    }

    /// The discrete values, mutable.
    pub fn modes_mut(&mut self) -> &mut [f64] {
        let range = self.layout.modes();
        &mut self.values[range]
    }

    /// The course of each input, as [`Course::NUMBERS`] numbers one after the other.
    pub fn inputs(&self) -> &[f64] {
        &self.values[self.layout.inputs()]
    }

    /// The value that an input, by its number, has at the point's time.
    pub fn input(&self, index: usize) -> f64 {
        let numbers = self.inputs().get(index * Course::NUMBERS..);
        numbers.and_then(Course::read).map_or(f64::NAN, |course| course.value(self.t()))
    }

    /// Gives an input, by its number, another course.
    pub(crate) fn set_input(&mut self, index: usize, course: &Course) {
        let first = self.layout.inputs().start + index * Course::NUMBERS;
        course.write(&mut self.values[first..]);
    }

    /// What each holonomic row that holds [from the start on](crate::model::ModelBuilder::holonomic_from_start) is off
    /// by there, and so all through the motion.
    pub fn offsets(&self) -> &[f64] {
        &self.values[self.layout.offsets()]
    }

    /// The offsets, mutable.
    pub fn offsets_mut(&mut self) -> &mut [f64] {
        let range = self.layout.offsets();
        &mut self.values[range]
    }

    /// The side on which each comparison of the motion is held, whatever its operands are: 1 as where
    /// their difference is positive, −1 as where it is negative, 0 where the operands decide. What
    /// is held is smooth, beyond the boundary too.
    pub fn sides(&self) -> &[f64] {
        &self.values[self.layout.sides()]
    }

    /// The sides, mutable.
    pub fn sides_mut(&mut self) -> &mut [f64] {
        let range = self.layout.sides();
        &mut self.values[range]
    }

    /// Holds comparisons on the sides on which another point of the same layout holds them, with its
    /// discrete values and the courses of its inputs.
    pub(crate) fn hold_as(&mut self, other: &Point) {
        let range = self.layout.modes().start..self.layout.len();
        self.values[range.clone()].copy_from_slice(&other.values[range]);
        self.drive();
    }

    /// The same, but for the discrete values, which stay its own.
    pub(crate) fn hold_as_beside_modes(&mut self, other: &Point) {
        let range = self.layout.inputs().start..self.layout.len();
        self.values[range.clone()].copy_from_slice(&other.values[range]);
        self.drive();
    }

    /// Copies another point of the same layout without allocating.
    pub fn copy_from(&mut self, other: &Point) {
        self.values.copy_from_slice(&other.values);
    }

    /// Becomes what another point of the same layout would be after a time, in s, with the accelerations and rates
    /// it has.
    pub(crate) fn extrapolate(&mut self, from: &Point, time: f64) {
        self.copy_from(from);
        for i in 0..from.q().len() {
            self.q_mut()[i] += time * (from.v()[i] + 0.5 * time * from.a()[i]);
            self.v_mut()[i] += time * from.a()[i];
        }
        self.x_mut().iter_mut().zip(from.xd()).for_each(|(x, rate)| *x += time * rate);
        self.set_t(from.t() + time);
    }

    views! {
        Q q q_mut "Coordinates q (n).";
        V v v_mut "Velocities v (n).";
        A a a_mut "Accelerations a (n).";
        X x x_mut "States x (nx).";
        Xd xd xd_mut "State rates ẋ (nx).";
        Lambda lambda lambda_mut "Holonomic multipliers λ (m).";
        Psi psi psi_mut "Nonholonomic multipliers ψ (p).";
        W w w_mut "Algebraic variables w (nw).";
    }
}
