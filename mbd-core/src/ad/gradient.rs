//! Forces that are minus the gradient of a scalar: potential energy U(t, q, …), f = −U_q, and
//! Rayleigh dissipation D(t, q, v, …), f = −D_v.

use crate::equation::{Layout, SlotKind, Term, Want, Weights};
use crate::graph::{Acting, Graph, Pieces};
use crate::scalar::Notes;
use crate::statement::Jumps;
use crate::statement::ModelError;
use crate::statement::{Element, OnSurface, Rows, cross, still};
use crate::statement::{ElementGroup, RowSink, Sink, Surfaces, Units};
use crate::statement::{Watch, Watched};
use std::ops::Range;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum GradientKind {
    Potential,
    Dissipation,
}

pub(crate) struct Gradient {
    pub name: String,
    pub element: Element,
    pub kind: GradientKind,
}

/// What else than coordinates a potential may read whose rate is known: what such an energy changes
/// by is not the work of its force, −U_q.
const OWN_RATES: [(SlotKind, SlotKind); 2] =
    [(SlotKind::V, SlotKind::A), (SlotKind::X, SlotKind::Xd)];

impl Gradient {
    /// Adds to the power balance, from the value and its gradient.
    fn balance(&self, i: usize, y: &[f64], row: &Rows<f64>, out: &mut RowSink<'_>) {
        let (el, slopes) = (&self.element, row.gradient(0));
        match self.kind {
            GradientKind::Potential => {
                out.add(Want::BALANCE, RowSink::POTENTIAL, row.value(0));
                for k in el.of_kind(SlotKind::T) {
                    out.add(Want::BALANCE, RowSink::WORK, slopes[k]);
                }
                for (kind, rate) in OWN_RATES {
                    for k in el.of_kind(kind) {
                        let power = slopes[k] * el.beside(i, y, rate, k);
                        out.add(Want::BALANCE, RowSink::WORK, power);
                    }
                }
            }
            GradientKind::Dissipation => {
                for k in el.of_kind(SlotKind::V) {
                    let power = slopes[k] * el.beside(i, y, SlotKind::V, k);
                    out.add(Want::BALANCE, RowSink::DISSIPATED, power);
                }
            }
        }
    }

    fn row_kind(&self) -> SlotKind {
        match self.kind {
            GradientKind::Potential => SlotKind::Q,
            GradientKind::Dissipation => SlotKind::V,
        }
    }
}

impl ElementGroup for Gradient {
    fn name(&self) -> &str {
        &self.name
    }

    fn instances(&self) -> usize {
        self.element.len()
    }

    fn bind(&mut self, layout: &Layout, initial: &[f64]) -> Result<(), ModelError> {
        self.element.bind(&self.name, layout, initial)
    }

    fn find_surfaces(&mut self, initial: &[f64], found: &mut Surfaces) {
        if self.kind == GradientKind::Dissipation {
            self.element.find_surfaces(&self.name, initial, Jumps::Slopes, found);
        }
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
            let rows = self.element.bent(i, self.row_kind());
            cross(rows, self.element.bent(i, kind), out);
        }
    }

    fn balances(&self) -> bool {
        true
    }

    fn acts_on(&self, i: usize) -> Vec<usize> {
        self.element.of_kind(self.row_kind()).map(|k| self.element.slot(i, k)).collect()
    }

    fn pieces(&self, i: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        let el = &self.element;
        let value = el.record(i, y, &mut out.graph)?[0];
        let rows = el.nodes(i, self.row_kind(), &mut out.graph);
        match self.kind {
            GradientKind::Potential => {
                let mut own = el.clock(i, &mut out.graph);
                for rate in OWN_RATES {
                    own.extend(el.rates(i, rate, &mut out.graph));
                }
                let power = out.graph.along(&[value], &own)[0];
                out.add(Want::BALANCE, RowSink::POTENTIAL, value);
                out.add(Want::BALANCE, RowSink::WORK, power);
                let minus = out.graph.constant(-1.0);
                out.act(Acting::Force, &[(value, minus)], &rows);
            }
            GradientKind::Dissipation => {
                out.act(Acting::Dissipation, &[(value, Graph::ONE)], &rows)
            }
        }
        if self.kind == GradientKind::Potential {
            out.add(Want::ENERGY, RowSink::POTENTIAL, value);
        }
        Some(())
    }

    fn units(&self, i: usize, y: &[f64], units: &mut Units<'_>) {
        for row in self.element.quantities(i, y, &self.name, units) {
            let (what, expected) = match self.kind {
                GradientKind::Potential => ("the potential energy", units.energy()),
                GradientKind::Dissipation => ("the dissipation", units.power()),
            };
            units.require(&self.name, what, row, Some(expected));
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
        let energy = want.has(Want::ENERGY) && self.kind == GradientKind::Potential;
        let balance = want.has(Want::BALANCE);
        if !want.has(Want::F) && !energy && !balance {
            return;
        }
        let el = &self.element;
        let mut row = Rows::default();
        for i in instances {
            el.gradients(i, y, &mut row);
            if want.has(Want::F) {
                for k in el.of_kind(self.row_kind()) {
                    out.add(Want::F, el.slot(i, k), -row.gradient(0)[k]);
                }
            }
            if energy {
                out.add(Want::ENERGY, RowSink::POTENTIAL, row.value(0));
            }
            if balance {
                self.balance(i, y, &row, out);
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
        let mut row = Rows::default();
        for i in (0..el.len()).filter(|&i| el.reads_param(i, param)) {
            el.along(i, y, still, param, &mut row);
            if want.has(Want::F) {
                for k in el.of_kind(self.row_kind()) {
                    out.add(Want::F, el.slot(i, k), -row.gradient(0)[k].eps);
                }
            }
            if want.has(Want::ENERGY) && self.kind == GradientKind::Potential {
                out.add(Want::ENERGY, RowSink::POTENTIAL, row.value(0).eps);
            }
        }
    }

    fn matrix(&self, instances: Range<usize>, y: &[f64], _: &Weights<'_>, sink: &mut Sink<'_>) {
        let el = &self.element;
        if !SlotKind::ALL.iter().any(|&kind| el.reads(kind) && sink.wants(Term::F(kind))) {
            return;
        }
        let (mut row, mut f_z) = (Rows::default(), Vec::new());
        for i in instances {
            el.hessian(i, y, &[-1.0], |kind| kind != SlotKind::T, &mut row, &mut f_z);
            for kind in SlotKind::ALL {
                if el.reads(kind) {
                    sink.add(Term::F(kind), i, &f_z);
                }
            }
        }
    }
}
