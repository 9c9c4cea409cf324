//! Signals from outside a model: what its `input`s are fed with.
//!
//! An input is a scalar u(t) that statements read as they read parameters. At any time it is a polynomial
//! there, its [`Course`], so that u̇ and ü stand in the equations wherever a time derivative does (ġ, γ, ∂T/∂t),
//! by the same derivative engine as everything else. Of tables that are linear or in steps the course is the
//! same from knot to knot; steps end at the knots. Splines and functions have another one at each instant, and
//! no knots.
//!
//! | signal | between knots | u̇, ü | at its knots |
//! |---|---|---|---|
//! | [`Signal::constant`] | constant | 0 | none |
//! | [`Signal::table`], [`Interpolation::Linear`] | straight | the slope, 0 | steps end |
//! | [`Signal::table`], [`Interpolation::Steps`] | constant | 0 | steps end |
//! | [`Signal::table`], [`Interpolation::Spline`] | cubic | exact | passed over: u, u̇ and ü are continuous |
//! | [`Signal::function`] | what it gives | not known (differences for rates of comparisons and for the power balance) | none |
//! | [`Signal::smooth`] | what it gives | what it gives | none |
//!
//! What a statement needs of an input follows from where it stands ([`Need`]): a force takes any signal, a
//! constraint on positions one whose second derivative is known.

use std::fmt;
use std::sync::Arc;

/// Times in s that differences of a function are taken as if they were at, whatever the time: what changes within
/// microseconds is seen, and what changes within hours is not lost in rounding.
const SOONEST: f64 = 1e-5;
const LATEST: f64 = 1e-2;

/// Least distance of their instants, in roundings of the time.
const COARSEST: f64 = 1024.0;

/// A polynomial of time of degree two about an instant: u = c₀ + c₁ (t − t₀) + c₂ (t − t₀)².
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Course {
    /// t₀ in s.
    pub from: f64,
    /// c₀, c₁, c₂ in the unit of the input, per s and per s².
    pub coefficients: [f64; 3],
}

impl Course {
    /// Numbers that it takes in a [`Point`](crate::assembly::Point): t₀, c₀, c₁, c₂.
    pub const NUMBERS: usize = 4;

    /// The same value at all times.
    pub fn constant(value: f64) -> Self {
        Course { from: 0.0, coefficients: [value, 0.0, 0.0] }
    }

    /// Its value at a time.
    pub fn value(&self, t: f64) -> f64 {
        let (s, [c0, c1, c2]) = (t - self.from, self.coefficients);
        c0 + s * (c1 + s * c2)
    }

    pub(crate) fn read(numbers: &[f64]) -> Option<Course> {
        let &[from, c0, c1, c2] = numbers.first_chunk()?;
        Some(Course { from, coefficients: [c0, c1, c2] })
    }

    pub(crate) fn write(&self, numbers: &mut [f64]) {
        let [c0, c1, c2] = self.coefficients;
        for (to, number) in numbers.iter_mut().zip([self.from, c0, c1, c2]) {
            *to = number;
        }
    }
}

/// How a table is read between its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Straight from row to row. Two rows of one time are a jump.
    #[default]
    Linear,
    /// The value of the last row that is not later. Two rows of one time: the second counts.
    Steps,
    /// A cubic spline with continuous second derivative, whose first two and last two pieces are one cubic
    /// each ("not-a-knot"); a parabola through three rows, a straight line through two.
    Spline,
}

/// What a table is before its first row and after its last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beyond {
    /// Not known: a run that needs it is an error before it begins.
    #[default]
    Unknown,
    /// The value of the nearest row.
    Held,
}

/// What a statement needs of an input that it reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Its value, which may jump: forces, potentials, rates, definitions, conditions, outputs.
    #[default]
    Value,
    /// A continuous value, and u̇: inertia, constraints on velocities, `der(u)`.
    Rate,
    /// A continuous u̇, and ü: constraints on positions.
    Acceleration,
}

impl Need {
    /// As a message says it of a statement.
    pub(crate) fn in_words(self) -> &'static str {
        match self {
            Need::Value => "needs its value",
            Need::Rate => "needs it to be continuous, with a time derivative",
            Need::Acceleration => "needs it to be smooth, with two time derivatives",
        }
    }
}

/// A table that cannot be one.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SignalError {
    /// Lists of different lengths.
    #[error("a table has a value for each time; there are {times} times and {values} values")]
    Lengths {
        /// Number of times.
        times: usize,
        /// Number of values.
        values: usize,
    },
    /// Less than two rows.
    #[error("a table has two rows or more, this one {rows}; a constant is a number")]
    TooShort {
        /// Number of rows.
        rows: usize,
    },
    /// A number that is none.
    #[error("row {row} of the table has {value}, which is no finite number")]
    NotFinite {
        /// The row, from 0.
        row: usize,
        /// What stands there.
        value: f64,
    },
    /// Times that go back, or stand still where a value cannot jump.
    #[error("the times of a table rise{}; row {row} has t = {t} s after {before} s", if *twice { " (two rows of one time are a jump, which a spline has not)" } else { "" })]
    Order {
        /// The later row, from 0.
        row: usize,
        /// Its time in s.
        t: f64,
        /// The time of the row before, in s.
        before: f64,
        /// Whether the times are equal.
        twice: bool,
    },
}

impl SignalError {
    /// The row that is at fault, from 0.
    pub fn row(&self) -> Option<usize> {
        match self {
            SignalError::NotFinite { row, .. } | SignalError::Order { row, .. } => Some(*row),
            _ => None,
        }
    }
}

type Function = Arc<dyn Fn(f64) -> f64 + Send + Sync>;
type Smooth = Arc<dyn Fn(f64) -> [f64; 3] + Send + Sync>;

/// What an input is fed with; a number or a function of time in s becomes one by itself.
#[derive(Clone)]
pub struct Signal {
    source: Source,
}

#[derive(Clone)]
enum Source {
    Constant(f64),
    Table(Arc<Table>),
    Function(Function),
    Smooth(Smooth),
}

impl fmt::Debug for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Source::Constant(value) => write!(f, "constant {value:?}"),
            Source::Table(table) => table.fmt(f),
            Source::Function(_) => f.write_str("function"),
            Source::Smooth(_) => f.write_str("smooth function"),
        }
    }
}

impl From<f64> for Signal {
    fn from(value: f64) -> Self {
        Signal::constant(value)
    }
}

impl<F: Fn(f64) -> f64 + Send + Sync + 'static> From<F> for Signal {
    fn from(function: F) -> Self {
        Signal::function(function)
    }
}

impl Signal {
    /// The same value all the time.
    pub fn constant(value: f64) -> Self {
        Signal { source: Source::Constant(value) }
    }

    /// Values at times in s, rising.
    ///
    /// # Errors
    /// [`SignalError`].
    pub fn table(
        times: impl Into<Vec<f64>>,
        values: impl Into<Vec<f64>>,
        between: Interpolation,
    ) -> Result<Self, SignalError> {
        let table = Table::new(times.into(), values.into(), between)?;
        Ok(Signal { source: Source::Table(Arc::new(table)) })
    }

    /// A table's ends are held before and after it; no effect on others.
    pub fn held_beyond(mut self) -> Self {
        if let Source::Table(table) = &mut self.source {
            let mut held = (**table).clone();
            held.beyond = Beyond::Held;
            *table = Arc::new(held);
        }
        self
    }

    /// A function of time in s. It may be called at any time, also a little before the start and after the end,
    /// more than once and in any order, so it has to give the same value each time. Steps do not end at
    /// its jumps: feed a signal that jumps as a table.
    pub fn function(function: impl Fn(f64) -> f64 + Send + Sync + 'static) -> Self {
        Signal { source: Source::Function(Arc::new(function)) }
    }

    /// A function of time in s that gives u, u̇ and ü, for statements that need these ([`Need`]).
    pub fn smooth(function: impl Fn(f64) -> [f64; 3] + Send + Sync + 'static) -> Self {
        Signal { source: Source::Smooth(Arc::new(function)) }
    }

    /// Its value at a time in s: after a jump there.
    pub fn value(&self, t: f64) -> f64 {
        self.course(t).value(t)
    }

    /// Its course from a time in s on, up to its next knot; at this time alone if it is a spline or a function.
    pub fn course(&self, t: f64) -> Course {
        match &self.source {
            Source::Constant(value) => Course::constant(*value),
            Source::Table(table) => table.course(t),
            Source::Function(function) => {
                let by = f64::EPSILON.cbrt() * t.abs().clamp(SOONEST, LATEST);
                let by = by.max(COARSEST * f64::EPSILON * t.abs());
                let (before, after) = (t - by, t + by);
                let rate = (function(after) - function(before)) / (after - before);
                // Where it is not known nearby its value is all the same.
                let rate = if rate.is_finite() { rate } else { 0.0 };
                Course { from: t, coefficients: [function(t), rate, 0.0] }
            }
            Source::Smooth(function) => {
                let [u, rate, second] = function(t);
                Course { from: t, coefficients: [u, rate, 0.5 * second] }
            }
        }
    }

    /// The first time after `t` at which its course changes.
    pub(crate) fn next_knot(&self, t: f64) -> f64 {
        match &self.source {
            Source::Table(table) => table.next_knot(t),
            _ => f64::INFINITY,
        }
    }

    /// The first instant after `t` at which its third derivative jumps, as that of a spline does in each row.
    pub(crate) fn next_bend(&self, t: f64) -> f64 {
        match &self.source {
            Source::Table(table) if table.between == Interpolation::Spline => table.next_row(t),
            _ => f64::INFINITY,
        }
    }

    /// Whether its course is another one at each instant.
    pub(crate) fn is_function(&self) -> bool {
        match &self.source {
            Source::Constant(_) => false,
            Source::Table(table) => table.between == Interpolation::Spline,
            Source::Function(_) | Source::Smooth(_) => true,
        }
    }

    /// Its value if it is a constant.
    pub(crate) fn as_constant(&self) -> Option<f64> {
        match self.source {
            Source::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// What it can give at most.
    pub(crate) fn gives(&self) -> Need {
        match &self.source {
            Source::Constant(_) | Source::Smooth(_) => Need::Acceleration,
            Source::Function(_) => Need::Value,
            Source::Table(table) => table.gives(),
        }
    }

    /// What it is, and what would do where it does not.
    pub(crate) fn described(&self) -> (&'static str, &'static str) {
        match &self.source {
            Source::Constant(_) => ("a constant", ""),
            Source::Smooth(_) => ("a function with its derivatives", ""),
            Source::Function(_) => (
                "a function whose time derivatives are not known",
                "give them too (`Signal::smooth`), or a table read as a spline",
            ),
            Source::Table(table) => match table.between {
                Interpolation::Linear if table.jumps() => (
                    "a table that jumps, with two values at one time",
                    "let it rise over some time there: set the second of these rows later",
                ),
                Interpolation::Linear => {
                    ("a table read linearly, which bends at its rows", "read it as a spline")
                }
                Interpolation::Steps => {
                    ("a table read in steps, which jumps at its rows", "read it as a spline")
                }
                Interpolation::Spline => (
                    "a table held beyond its rows, which bends at its ends",
                    "give it rows for all of the run",
                ),
            },
        }
    }

    /// The times in s that it is known for.
    pub(crate) fn range(&self) -> [f64; 2] {
        match &self.source {
            Source::Table(table) if table.beyond == Beyond::Unknown => {
                let ends = [table.times.first(), table.times.last()];
                ends.map(|t| t.copied().unwrap_or(0.0))
            }
            _ => [f64::NEG_INFINITY, f64::INFINITY],
        }
    }
}

/// Values at times.
#[derive(Clone, Debug)]
struct Table {
    times: Vec<f64>,
    values: Vec<f64>,
    /// Second derivatives at the times, of a spline.
    bends: Vec<f64>,
    between: Interpolation,
    beyond: Beyond,
}

impl Table {
    fn new(times: Vec<f64>, values: Vec<f64>, between: Interpolation) -> Result<Self, SignalError> {
        if times.len() != values.len() {
            return Err(SignalError::Lengths { times: times.len(), values: values.len() });
        }
        if times.len() < 2 {
            return Err(SignalError::TooShort { rows: times.len() });
        }
        for (row, (&t, &value)) in times.iter().zip(&values).enumerate() {
            if let Some(&value) = [t, value].iter().find(|x| !x.is_finite()) {
                return Err(SignalError::NotFinite { row, value });
            }
        }
        for (row, pair) in times.windows(2).enumerate() {
            let (before, t) = (pair[0], pair[1]);
            let twice = before == t;
            if before > t || twice && between == Interpolation::Spline {
                return Err(SignalError::Order { row: row + 1, t, before, twice });
            }
        }
        let spline = between == Interpolation::Spline;
        let bends = if spline { spline_bends(&times, &values) } else { Vec::new() };
        Ok(Table { times, values, bends, between, beyond: Beyond::Unknown })
    }

    /// Rows that are not after a time.
    fn passed(&self, t: f64) -> usize {
        self.times.partition_point(|&row| row <= t)
    }

    fn course(&self, t: f64) -> Course {
        let last = self.times.len() - 1;
        let i = self.passed(t);
        let held = |row: usize| Course::constant(self.values[row]);
        // At its last row a spline is still what it was before.
        let inside =
            i > 0 && (i <= last || self.between == Interpolation::Spline && t == self.times[last]);
        if !inside {
            return held(if i == 0 { 0 } else { last });
        }
        let i = i.min(last);
        let (t0, t1, u0, u1) =
            (self.times[i - 1], self.times[i], self.values[i - 1], self.values[i]);
        match self.between {
            Interpolation::Steps => held(i - 1),
            Interpolation::Linear => {
                Course { from: t0, coefficients: [u0, (u1 - u0) / (t1 - t0), 0.0] }
            }
            Interpolation::Spline => {
                let (h, s, [m0, m1]) = (t1 - t0, t - t0, [self.bends[i - 1], self.bends[i]]);
                let third = (m1 - m0) / h;
                let slope = (u1 - u0) / h - h * (2.0 * m0 + m1) / 6.0;
                let second = m0 + s * third;
                let rate = slope + s * (m0 + 0.5 * s * third);
                // From the nearer end, so that rows are met.
                let u = if 2.0 * s <= h {
                    u0 + s * (slope + s * (0.5 * m0 + s * third / 6.0))
                } else {
                    let (r, end) = (t - t1, slope + h * (m0 + 0.5 * h * third));
                    u1 + r * (end + r * (0.5 * m1 + r * third / 6.0))
                };
                Course { from: t, coefficients: [u, rate, 0.5 * second] }
            }
        }
    }

    fn next_row(&self, t: f64) -> f64 {
        self.times.get(self.passed(t)).copied().unwrap_or(f64::INFINITY)
    }

    fn next_knot(&self, t: f64) -> f64 {
        let next = self.next_row(t);
        match (self.between, self.beyond) {
            (Interpolation::Spline, Beyond::Unknown) => f64::INFINITY,
            // Where it begins to be held, or ceases to be.
            (Interpolation::Spline, Beyond::Held) => {
                let ends = [self.times.first(), self.times.last()];
                let later = ends.into_iter().flatten().filter(|end| **end > t);
                later.copied().fold(f64::INFINITY, f64::min)
            }
            _ => next,
        }
    }

    /// Whether it has two values at one time.
    fn jumps(&self) -> bool {
        let mut rows = self.times.windows(2).zip(self.values.windows(2));
        rows.any(|(t, u)| t[0] == t[1] && u[0] != u[1])
    }

    fn gives(&self) -> Need {
        match (self.between, self.beyond) {
            (Interpolation::Steps, _) => Need::Value,
            (Interpolation::Linear, _) if self.jumps() => Need::Value,
            (Interpolation::Linear, _) | (Interpolation::Spline, Beyond::Held) => Need::Rate,
            (Interpolation::Spline, Beyond::Unknown) => Need::Acceleration,
        }
    }
}

/// The second derivatives of a cubic spline at its knots, the third one continuous at the second and at the
/// last but one: the tridiagonal equations of de Boor, A Practical Guide to Splines, ch. IV.
fn spline_bends(t: &[f64], u: &[f64]) -> Vec<f64> {
    let n = t.len();
    let h: Vec<f64> = t.windows(2).map(|t| t[1] - t[0]).collect();
    let d: Vec<f64> = u.windows(2).zip(&h).map(|(u, h)| (u[1] - u[0]) / h).collect();
    if n == 2 {
        return vec![0.0; 2];
    }
    if n == 3 {
        return vec![2.0 * (d[1] - d[0]) / (t[2] - t[0]); 3];
    }
    // Unknowns are those of the inner knots.
    let inner = n - 2;
    let (mut low, mut diagonal) = (h[..inner].to_vec(), Vec::with_capacity(inner));
    let mut high = h[1..].to_vec();
    let mut right: Vec<f64> = (0..inner).map(|i| 6.0 * (d[i + 1] - d[i])).collect();
    diagonal.extend((0..inner).map(|i| 2.0 * (h[i] + h[i + 1])));
    let (first, last) = (h[0] / h[1], h[n - 2] / h[n - 3]);
    diagonal[0] += h[0] * (1.0 + first);
    high[0] -= h[0] * first;
    diagonal[inner - 1] += h[n - 2] * (1.0 + last);
    low[inner - 1] -= h[n - 2] * last;
    for i in 1..inner {
        let factor = low[i] / diagonal[i - 1];
        diagonal[i] -= factor * high[i - 1];
        right[i] -= factor * right[i - 1];
    }
    let mut bends = vec![0.0; n];
    for i in (0..inner).rev() {
        let after = if i + 1 < inner { high[i] * bends[i + 2] } else { 0.0 };
        bends[i + 1] = (right[i] - after) / diagonal[i];
    }
    bends[0] = bends[1] * (1.0 + first) - bends[2] * first;
    bends[n - 1] = bends[n - 2] * (1.0 + last) - bends[n - 3] * last;
    bends
}

/// The inputs of a point that are functions of time, by their numbers.
#[derive(Clone, Default)]
pub(crate) struct Driven(Option<Arc<[(usize, Signal)]>>);

impl fmt::Debug for Driven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().flat_map(|list| list.iter().map(|(i, _)| i))).finish()
    }
}

impl Driven {
    pub(crate) fn new(signals: &[Signal]) -> Self {
        let functions = signals.iter().enumerate().filter(|(_, signal)| signal.is_function());
        let list: Arc<[(usize, Signal)]> = functions.map(|(i, s)| (i, s.clone())).collect();
        Driven((!list.is_empty()).then_some(list))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Writes their courses at a time among those of all inputs.
    pub(crate) fn fill(&self, t: f64, inputs: &mut [f64]) {
        for (index, signal) in self.0.iter().flat_map(|list| list.iter()) {
            if let Some(to) = inputs.get_mut(index * Course::NUMBERS..) {
                signal.course(t).write(to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spline_is_a_cubic_where_the_rows_are_of_one() {
        let cubic = |t: f64| 1.0 - 2.0 * t + 0.5 * t * t - 0.3 * t.powi(3);
        let times = [-1.0, -0.2, 0.1, 0.9, 2.0, 2.3];
        let spline = Signal::table(times, times.map(cubic), Interpolation::Spline).unwrap();
        for t in [-1.0, -0.7, 0.0, 0.1, 0.5, 1.4, 2.2, 2.3] {
            let Course { coefficients: [u, rate, half], .. } = spline.course(t);
            let expected = [cubic(t), -2.0 + t - 0.9 * t * t, 0.5 * (1.0 - 1.8 * t)];
            for (value, expected) in [u, rate, half].into_iter().zip(expected) {
                assert!((value - expected).abs() < 1e-13, "{t}: {value} {expected}");
            }
        }
    }

    #[test]
    fn short_splines_are_a_parabola_and_a_line() {
        let parabola = Signal::table([0.0, 1.0, 3.0], [0.0, 1.0, 9.0], Interpolation::Spline);
        let parabola = parabola.unwrap();
        assert!((parabola.value(2.0) - 4.0).abs() < 1e-15);
        let line = Signal::table([0.0, 2.0], [1.0, 2.0], Interpolation::Spline).unwrap();
        assert_eq!(line.value(0.5), 1.25);
    }

    #[test]
    fn a_linear_table_jumps_where_two_rows_have_one_time() {
        let (times, values) = ([0.0, 1.0, 1.0, 2.0], [0.0, 1.0, 5.0, 6.0]);
        let table = Signal::table(times, values, Interpolation::Linear).unwrap();
        assert_eq!(table.course(0.5), Course { from: 0.0, coefficients: [0.0, 1.0, 0.0] });
        assert_eq!(table.value(1.0), 5.0);
        assert_eq!((table.next_knot(0.0), table.next_knot(1.0)), (1.0, 2.0));
        assert_eq!(table.gives(), Need::Value);
        let held = Signal::table([0.0, 1.0], [2.0, 3.0], Interpolation::Steps).unwrap();
        let held = held.held_beyond();
        assert_eq!([-1.0, 0.0, 0.9, 1.0, 7.0].map(|t| held.value(t)), [2.0, 2.0, 2.0, 3.0, 3.0]);
        assert_eq!(held.next_knot(-1.0), 0.0);
    }

    #[test]
    fn what_is_no_table_says_which_row() {
        let table = |times: &[f64], values: &[f64], between| {
            Signal::table(times, values, between).unwrap_err()
        };
        let linear = Interpolation::Linear;
        assert_eq!(table(&[0.0], &[1.0], linear), SignalError::TooShort { rows: 1 });
        assert_eq!(
            table(&[0.0, 1.0], &[1.0], linear),
            SignalError::Lengths { times: 2, values: 1 }
        );
        assert_eq!(table(&[0.0, 1.0, 0.5], &[0.0; 3], linear).row(), Some(2));
        assert_eq!(table(&[0.0, 1.0, 1.0], &[0.0; 3], Interpolation::Spline).row(), Some(2));
        assert_eq!(table(&[0.0, 1.0], &[0.0, f64::NAN], linear).row(), Some(1));
    }
}
