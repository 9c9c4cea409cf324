//! What a plot over time needs of a run, in memory that does not grow with it.

use crate::{OutputError, Solution};
use mbd_core::checkpoint::State;
use mbd_core::solution::{ColumnKind, RowSink};

/// Rows that are kept as they are; a longer run is divided into spans.
const MOST_ROWS: usize = 1 << 15;
/// Points drawn within each step, while rows are fewer than a number: the steps of a longer run are
/// shorter than what a picture shows.
const WITHIN: [(usize, usize); 2] = [(1 << 12, 7), (1 << 14, 3)];
/// Most spans, several for every pixel of a picture.
const MOST_SPANS: usize = 1 << 13;

/// The curves of some columns over time. Of a run of many rows the lowest and the highest value of
/// each column in each of several thousand equal spans of time are kept, in their order: nothing
/// that a picture can show is lost.
#[derive(Default)]
pub(crate) struct Curves {
    /// Indices of the columns, rising: time, and what is shown.
    chosen: Vec<usize>,
    /// Rows of what is chosen, while they are few.
    rows: Vec<f64>,
    spans: Vec<Span>,
    start: f64,
    /// Length of a span in s; 0 while rows are kept.
    length: f64,
    /// Outputs that are angles.
    angles: Vec<Angle>,
}

/// An output that is an angle: one within half a turn either way that jumps by a whole one goes on.
#[derive(Clone, Debug)]
struct Angle {
    /// Its place among the chosen columns, and a turn in its unit.
    column: usize,
    turn: f64,
    last: f64,
    /// What the jumps so far add up to.
    added: f64,
}

impl Angle {
    /// The angle without its jumps.
    fn unwrapped(&mut self, value: f64) -> f64 {
        let within = |x: f64| x.abs() <= 0.5 * self.turn * (1.0 + 1e-9);
        let jump = value - self.last;
        if within(value) && within(self.last) && jump.abs() > 0.75 * self.turn {
            self.added -= self.turn * jump.signum();
        }
        self.last = value;
        value + self.added
    }
}

/// What happened in a span of time: its first and last row's times, and for each column the two
/// extremes in the order in which they came.
#[derive(Clone, Debug)]
struct Span {
    index: usize,
    times: [f64; 2],
    extremes: Vec<[f64; 2]>,
}

impl Span {
    fn new(index: usize, t: f64, values: &[f64]) -> Self {
        Span { index, times: [t; 2], extremes: values.iter().map(|v| [*v; 2]).collect() }
    }

    /// Takes what comes after.
    fn join(&mut self, later: &Span) {
        self.times[1] = later.times[1];
        for (now, new) in self.extremes.iter_mut().zip(&later.extremes) {
            *now = widened(widened(*now, new[0]), new[1]);
        }
    }
}

/// Two extremes in their order, and one value more.
fn widened([first, second]: [f64; 2], value: f64) -> [f64; 2] {
    let rising = first <= second;
    let (low, high) = if rising { (first, second) } else { (second, first) };
    if value > high || high.is_nan() {
        [low, value]
    } else if value < low {
        [high, value]
    } else {
        [first, second]
    }
}

impl Curves {
    /// Of the columns of a run with the given indices; angles among its outputs are unwrapped.
    pub(crate) fn of(run: &Solution, shown: impl IntoIterator<Item = usize>) -> Self {
        let mut curves = Curves::new(shown);
        let outputs = run.range(ColumnKind::Output);
        for (column, index) in curves.chosen.iter().enumerate().filter(|c| outputs.contains(c.1)) {
            let turn = match run.columns()[*index].unit.as_str() {
                "rad" => std::f64::consts::TAU,
                "deg" => 360.0,
                _ => continue,
            };
            curves.angles.push(Angle { column, turn, last: f64::NAN, added: 0.0 });
        }
        curves
    }

    /// Of the columns with the given indices.
    fn new(shown: impl IntoIterator<Item = usize>) -> Self {
        let mut chosen: Vec<usize> = shown.into_iter().chain([0]).collect();
        chosen.sort_unstable();
        chosen.dedup();
        Curves { chosen, ..Default::default() }
    }

    /// A recording of the curves, as that of the run they are of.
    pub(crate) fn solution(&self, run: &Solution) -> Solution {
        let mut data = self.rows.clone();
        for span in &self.spans {
            for k in 0..if span.times[0] < span.times[1] { 2 } else { 1 } {
                data.push(span.times[k]);
                data.extend(span.extremes.iter().map(|e| e[k]));
            }
        }
        run.with_columns(&self.chosen, data)
    }

    /// Puts a row, or what is known of a span, where it belongs in time.
    fn place(&mut self, mut span: Span) {
        let mut index = self.index_of(span.times[0]);
        while index >= MOST_SPANS {
            self.length *= 2.0;
            let spans = std::mem::take(&mut self.spans);
            spans.into_iter().for_each(|span| self.place(span));
            index = self.index_of(span.times[0]);
        }
        span.index = index;
        match self.spans.last_mut().filter(|last| last.index == index) {
            Some(last) => last.join(&span),
            None => self.spans.push(span),
        }
    }

    fn index_of(&self, t: f64) -> usize {
        ((t - self.start) / self.length) as usize
    }
}

impl RowSink for Curves {
    fn state(&mut self, state: &mut State<'_>) -> Result<(), OutputError> {
        let Curves { chosen, rows, spans, start, length, angles } = self;
        state.part("the curves to draw");
        let mut same = chosen.clone();
        state.counts(&mut same);
        state.require(same == *chosen);
        state.list(rows);
        state.number(start);
        state.number(length);
        for Angle { last, added, .. } in angles {
            state.number(last);
            state.number(added);
        }
        let mut count = spans.len();
        state.count(&mut count);
        if state.restores() && count <= MOST_SPANS {
            spans.resize(count, Span::new(0, 0.0, &vec![0.0; chosen.len() - 1]));
        }
        state.require(count == spans.len());
        for Span { index, times, extremes } in spans {
            state.count(index);
            state.numbers(times);
            extremes.iter_mut().for_each(|extremes| state.numbers(extremes));
        }
        Ok(())
    }

    fn row(&mut self, row: &[f64]) -> Result<(), OutputError> {
        let width = self.chosen.len();
        let mut values: Vec<f64> = self.chosen.iter().map(|&i| row[i]).collect();
        for angle in &mut self.angles {
            values[angle.column] = angle.unwrapped(values[angle.column]);
        }
        if self.length > 0.0 {
            self.place(Span::new(0, row[0], &values[1..]));
            return Ok(());
        }
        self.rows.extend(values);
        let last = self.rows.len() - width;
        if self.rows.len() > MOST_ROWS * width && self.rows[last] > self.rows[0] {
            self.start = self.rows[0];
            self.length = (self.rows[last] - self.start) / (MOST_SPANS / 2) as f64;
            let rows = std::mem::take(&mut self.rows);
            rows.chunks_exact(width).for_each(|r| self.place(Span::new(0, r[0], &r[1..])));
        }
        Ok(())
    }

    fn curve_points(&self) -> usize {
        let rows = self.rows.len() / self.chosen.len().max(1);
        let few = WITHIN.iter().find(|(most, _)| self.length == 0.0 && rows < *most);
        few.map_or(0, |(_, points)| *points)
    }

    fn curve(&mut self, row: &[f64]) -> Result<(), OutputError> {
        self.row(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows kept of a run over t, sin t and a spike.
    fn kept(count: usize) -> (Curves, usize) {
        let mut curves = Curves::new([3, 1]);
        let spike = count / 3;
        for i in 0..count {
            let t = 1e-3 * i as f64;
            let high = if i == spike { 7.0 } else { 0.0 };
            curves.row(&[t, t.sin(), f64::NAN, high]).unwrap();
        }
        (curves, spike)
    }

    #[test]
    fn a_short_run_is_kept_as_it_is() {
        let (curves, _) = kept(1000);
        assert_eq!(curves.rows.len(), 3000);
        assert_eq!(curves.rows[3 * 500..][..3], [0.5, 0.5f64.sin(), 0.0]);
    }

    #[test]
    fn a_long_run_takes_bounded_memory_and_loses_no_peak() {
        for count in [40_000, 1_000_000] {
            let (curves, spike) = kept(count);
            assert!(curves.rows.is_empty());
            let spans = &curves.spans;
            assert!((MOST_SPANS / 4..=MOST_SPANS).contains(&spans.len()), "{}", spans.len());
            assert!(spans.windows(2).all(|w| w[0].times[1] < w[1].times[0]));
            let peaks: Vec<_> = spans.iter().filter(|s| s.extremes[1].contains(&7.0)).collect();
            let t = 1e-3 * spike as f64;
            assert_eq!(peaks.len(), 1);
            assert!((peaks[0].times[0]..=peaks[0].times[1]).contains(&t));
            let end = spans.last().unwrap().times[1];
            assert_eq!(end, 1e-3 * (count - 1) as f64);
            // Each column is what it was, within a span.
            for span in spans {
                let [a, b] = span.times.map(f64::sin);
                let [low, high] = span.extremes[0];
                assert!((a - low).abs() < curves.length && (b - high).abs() < curves.length);
            }
        }
    }

    #[test]
    fn an_angle_that_jumps_by_a_turn_goes_on() {
        let tau = std::f64::consts::TAU;
        let mut angle = Angle { column: 1, turn: tau, last: f64::NAN, added: 0.0 };
        for i in 0..4000 {
            // Forth and back again, over several turns.
            let is = 20.0 * (1e-3 * f64::from(i)).sin();
            let wrapped = is.sin().atan2(is.cos());
            assert!((angle.unwrapped(wrapped) - is).abs() < 1e-12, "{i}");
        }
        // What is larger than half a turn is no such angle, nor is a smaller jump one.
        let mut angle = Angle { column: 1, turn: tau, last: f64::NAN, added: 0.0 };
        for value in [3.0, -1.0, 3.0, 3.5, -3.0, f64::NAN, 2.0] {
            let same = angle.unwrapped(value);
            assert!(same == value || value.is_nan() && same.is_nan(), "{value} {same}");
        }
    }

    #[test]
    fn extremes_are_kept_in_their_order() {
        let all = [3.0, 5.0, 1.0, 2.0].into_iter().fold([3.0, 3.0], widened);
        assert_eq!(all, [5.0, 1.0]);
        let all = [1.0, 9.0, 4.0].into_iter().fold([3.0, 3.0], widened);
        assert_eq!(all, [1.0, 9.0]);
        assert_eq!(widened([f64::NAN, f64::NAN], 2.0)[1], 2.0);
    }
}
