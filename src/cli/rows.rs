//! Where the rows of a run go while it goes.

use super::picture::Sinks;
use crate::Solution;
use crate::assembly::Point;
use crate::checkpoint::State;
use crate::output::{TableStream, names};
use crate::solution::{OutputError, RowSink};
use serde_json::Value;

/// What a run's rows are needed for while it goes.
pub(super) struct Rows<'a> {
    pub(super) table: Option<TableStream<'a>>,
    pub(super) sinks: Sinks,
    pub(super) series: Option<Series>,
}

/// The rows that `--every` asks for, for `--json`.
#[derive(Default)]
pub(super) struct Series(Vec<f64>);

impl RowSink for Series {
    fn row(&mut self, row: &[f64]) -> Result<(), OutputError> {
        self.0.extend_from_slice(row);
        Ok(())
    }

    fn state(&mut self, state: &mut State<'_>) -> Result<(), OutputError> {
        state.part("the rows so far (--json with --every)");
        state.list(&mut self.0);
        Ok(())
    }
}

impl Series {
    /// Each column of a run by its name.
    pub(super) fn json(&self, run: &Solution) -> Value {
        let width = run.columns().len();
        let values = |k: usize| self.0.iter().skip(k).step_by(width).copied();
        let named = names(run).into_iter().enumerate();
        Value::from_iter(named.map(|(k, name)| (name, Value::from_iter(values(k)))))
    }
}

impl Rows<'_> {
    /// What keeps rows, the table apart.
    fn kept(&mut self) -> impl Iterator<Item = &mut dyn RowSink> {
        let curves = self.sinks.curves.iter_mut().map(|curves| curves as &mut dyn RowSink);
        let animation =
            self.sinks.animation.iter_mut().map(|animation| animation as &mut dyn RowSink);
        let series = self.series.iter_mut().map(|series| series as &mut dyn RowSink);
        curves.chain(animation).chain(series)
    }
}

impl RowSink for Rows<'_> {
    fn begin(&mut self, run: &Solution) -> Result<(), OutputError> {
        self.table.as_mut().map_or(Ok(()), |table| table.begin(run))
    }

    fn state(&mut self, state: &mut State<'_>) -> Result<(), OutputError> {
        let (table, series) = (self.table.is_some(), self.series.is_some());
        for mut there in
            [table, self.sinks.curves.is_some(), self.sinks.animation.is_some(), series]
        {
            let is = there;
            state.part("what is written (--out, --plot, --animate, --json with --every)");
            state.flag(&mut there);
            state.require(there == is);
        }
        for sink in self.kept() {
            if state.is_right() {
                sink.state(state)?;
            }
        }
        match &mut self.table {
            Some(table) if state.is_right() => table.state(state),
            _ => Ok(()),
        }
    }

    fn point(&mut self, point: &Point) {
        self.kept().for_each(|sink| sink.point(point));
    }

    fn row(&mut self, row: &[f64]) -> Result<(), OutputError> {
        for sink in self.kept() {
            sink.row(row)?;
        }
        self.table.as_mut().map_or(Ok(()), |table| table.row(row))
    }

    fn curve_points(&self) -> usize {
        let curves = self.sinks.curves.as_ref().map_or(0, RowSink::curve_points);
        curves.max(self.sinks.animation.as_ref().map_or(0, RowSink::curve_points))
    }

    fn curve(&mut self, row: &[f64]) -> Result<(), OutputError> {
        self.kept().try_for_each(|sink| sink.curve(row))
    }
}
