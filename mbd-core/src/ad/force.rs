//! Generalized forces stated directly: R rows, each acting on one coordinate.

use crate::equation::{Layout, SlotKind, Term, Want, Weights};
use crate::graph::{Pieces, Source};
use crate::scalar::Notes;
use crate::statement::Jumps;
use crate::statement::ModelError;
use crate::statement::{Element, OnSurface, Rows, cross, still};
use crate::statement::{ElementGroup, RowSink, Sink, Surfaces, Units};
use crate::statement::{Watch, Watched};
use std::ops::Range;

pub(crate) struct Force {
    pub name: String,
    pub element: Element,
    /// The coordinate each row acts on, instance by instance.
    pub targets: Vec<usize>,
    pub layout: Option<Layout>,
}

impl Force {
    /// The coordinates that the rows of an instance act on.
    fn targets(&self, i: usize) -> &[usize] {
        let rows = self.element.rows();
        &self.targets[i * rows..][..rows]
    }
}

impl ElementGroup for Force {
    fn name(&self) -> &str {
        &self.name
    }

    fn instances(&self) -> usize {
        self.element.len()
    }

    fn bind(&mut self, layout: &Layout, initial: &[f64]) -> Result<(), ModelError> {
        self.layout = Some(*layout);
        self.element.bind(&self.name, layout, initial)
    }

    fn find_surfaces(&mut self, initial: &[f64], found: &mut Surfaces) {
        self.element.find_surfaces(&self.name, initial, Jumps::Rows, found);
    }

    fn hold(&mut self, initial: &[f64], next: &mut usize) {
        self.element.hold(initial, next);
    }

    fn on_surfaces(&self, out: &mut Vec<OnSurface>) {
        self.element.on_surfaces(out);
    }

    fn sees(&self) -> Watch {
        self.element.sees()
    }

    fn reads(&self, i: usize, flat: usize) -> bool {
        self.element.reads_param(i, flat as u32)
    }

    fn watch(&self, i: usize, y: &[f64], ask: Watch, out: &mut Watched) {
        self.element.watch(i, y, ask, out);
    }

    fn note(&self, i: usize, y: &[f64], notes: &mut Notes) {
        self.element.note(i, y, notes);
    }

    fn terms(&self) -> Vec<Term> {
        SlotKind::ALL
            .into_iter()
            .filter(|&kind| kind != SlotKind::T && self.element.reads(kind))
            .map(Term::F)
            .collect()
    }

    fn entries(&self, term: Term, i: usize, out: &mut Vec<Option<(u32, u32)>>) {
        if let Term::F(kind) = term {
            let rows = self.targets(i).iter().map(|&c| Some(c as u32));
            cross(rows, self.element.indices(i, kind), out);
        }
    }

    fn balances(&self) -> bool {
        true
    }

    fn pieces(&self, i: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        let rows = self.element.record(i, y, &mut out.graph)?;
        let v = self.layout.as_ref()?.range(SlotKind::V).start;
        for (&c, force) in self.targets(i).iter().zip(rows) {
            out.add(Want::F, c, force);
            let rate = out.graph.input(Source::Point, v + c);
            let power = out.graph.mul(force, rate);
            out.add(Want::BALANCE, RowSink::WORK, power);
        }
        Some(())
    }

    fn units(&self, i: usize, y: &[f64], units: &mut Units<'_>) {
        let rows = self.element.quantities(i, y, &self.name, units);
        for (row, &target) in rows.into_iter().zip(self.targets(i)) {
            let expected = units.of(SlotKind::Q, target).map(|unit| units.energy().per(unit));
            units.require(&self.name, "the force", row, expected);
        }
    }

    fn residual(
        &self,
        instances: Range<usize>,
        y: &[f64],
        _: &Weights<'_>,
        want: Want,
        out: &mut RowSink<'_>,
    ) {
        if want.any(Want::F | Want::BALANCE) {
            let v = self.layout.map_or(0, |layout| layout.range(SlotKind::V).start);
            let mut values = Vec::new();
            for i in instances {
                self.element.values(i, y, &mut values);
                for (value, &c) in values.iter().zip(self.targets(i)) {
                    if want.has(Want::F) {
                        out.add(Want::F, c, *value);
                    }
                    if want.has(Want::BALANCE) {
                        out.add(Want::BALANCE, RowSink::WORK, value * y[v + c]);
                    }
                }
            }
        }
    }

    fn residual_param(
        &self,
        y: &[f64],
        _: &Weights<'_>,
        want: Want,
        param: u32,
        out: &mut RowSink<'_>,
    ) {
        let el = &self.element;
        if want.has(Want::F) {
            let mut rows = Rows::default();
            for i in (0..el.len()).filter(|&i| el.reads_param(i, param)) {
                el.along(i, y, still, param, &mut rows);
                for ((value, _), &c) in rows.iter().zip(self.targets(i)) {
                    out.add(Want::F, c, value.eps);
                }
            }
        }
    }

    fn matrix(&self, instances: Range<usize>, y: &[f64], _: &Weights<'_>, sink: &mut Sink<'_>) {
        let el = &self.element;
        if !SlotKind::ALL.iter().any(|&kind| el.reads(kind) && sink.wants(Term::F(kind))) {
            return;
        }
        let mut rows = Rows::default();
        for i in instances {
            el.gradients(i, y, &mut rows);
            for kind in SlotKind::ALL {
                if el.reads(kind) {
                    sink.add(Term::F(kind), i, rows.gradients());
                }
            }
        }
    }
}
