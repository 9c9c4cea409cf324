//! First-order rows: explicit rates ẋ = φ, implicit state equations 0 = d(ẋ, x, …) (paper 002,
//! eq. 8a) and definitions of algebraic variables w = φ(w, …) (eq. 8b, 8c; loops allowed).

use crate::equation::{Layout, SlotKind, Term, Want, Weights};
use crate::graph::{Pieces, Source};
use crate::statement::Jumps;
use crate::statement::ModelError;
use crate::statement::{Element, OnSurface, Rows, cross, still};
use crate::statement::{ElementGroup, RowSink, Sink, Surfaces, Units};
use crate::statement::{Watch, Watched};
use std::ops::Range;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum EquationKind {
    /// d = ẋ_i − φ, row i.
    Rate,
    /// d = φ (already left minus right side).
    Implicit,
    /// w_i − φ, row i.
    Definition,
    /// φ, row i of the same: the share of a surface of states.
    Surface,
}

pub(crate) struct Equation {
    pub name: String,
    pub element: Element,
    pub kind: EquationKind,
    /// The row of each instance: the state or variable it belongs to.
    pub rows: Vec<usize>,
    pub layout: Option<Layout>,
}

impl Equation {
    /// The kind whose own scalar stands on the left side, if any.
    fn own(&self) -> Option<SlotKind> {
        match self.kind {
            EquationKind::Rate => Some(SlotKind::Xd),
            EquationKind::Implicit | EquationKind::Surface => None,
            EquationKind::Definition => Some(SlotKind::W),
        }
    }

    /// Row = left − right: the kernel is the right side unless the equation is implicit.
    fn sign(&self) -> f64 {
        if self.own().is_some() { -1.0 } else { 1.0 }
    }

    /// Whether it is among the equations of variables, rather than of states.
    fn defines(&self) -> bool {
        matches!(self.kind, EquationKind::Definition | EquationKind::Surface)
    }

    fn term(&self, kind: SlotKind) -> Term {
        if self.defines() { Term::W(kind) } else { Term::D(kind) }
    }

    fn want(&self) -> Want {
        if self.defines() { Want::W } else { Want::D }
    }

    fn add(&self, i: usize, value: f64, out: &mut RowSink<'_>) {
        out.add(self.want(), self.rows[i], value);
    }
}

impl ElementGroup for Equation {
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
        if self.kind != EquationKind::Surface {
            self.element.find_surfaces(&self.name, initial, Jumps::Rows, found);
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

    fn terms(&self) -> Vec<Term> {
        SlotKind::ALL
            .into_iter()
            .filter(|&kind| {
                kind != SlotKind::T && (self.own() == Some(kind) || self.element.reads(kind))
            })
            .map(|kind| self.term(kind))
            .collect()
    }

    fn entries(&self, term: Term, i: usize, out: &mut Vec<Option<(u32, u32)>>) {
        let (Term::D(kind) | Term::W(kind)) = term else { return };
        let row = self.rows[i] as u32;
        if self.own() == Some(kind) {
            out.push(Some((row, row)));
        }
        cross([Some(row)], self.element.indices(i, kind), out);
    }

    fn balances(&self) -> bool {
        true
    }

    fn pieces(&self, i: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        let right = self.element.record(i, y, &mut out.graph)?[0];
        if let (Some(kind), Some(layout)) = (self.own(), &self.layout) {
            let own = out.graph.input(Source::Point, layout.offset(kind, self.rows[i]));
            let row = out.graph.sub(own, right);
            out.add(self.want(), self.rows[i], row);
        } else {
            out.add(self.want(), self.rows[i], right);
        }
        Some(())
    }

    fn units(&self, i: usize, y: &[f64], units: &mut Units<'_>) {
        let expected = self.own().and_then(|own| units.of(own, self.rows[i]));
        let what = match self.kind {
            EquationKind::Rate => "the rate",
            EquationKind::Implicit | EquationKind::Surface => "the equation",
            EquationKind::Definition => "the right side",
        };
        for row in self.element.quantities(i, y, &self.name, units) {
            units.require(&self.name, what, row, expected);
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
        if !want.has(self.want()) {
            return;
        }
        for i in instances {
            let value = self.element.value(i, y);
            let own = match (self.own(), &self.layout) {
                (Some(kind), Some(layout)) => y[layout.offset(kind, self.rows[i])],
                _ => 0.0,
            };
            self.add(i, own + self.sign() * value, out);
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
        if want.has(self.want()) {
            let mut row = Rows::default();
            for i in (0..el.len()).filter(|&i| el.reads_param(i, param)) {
                el.along(i, y, still, param, &mut row);
                self.add(i, self.sign() * row.value(0).eps, out);
            }
        }
    }

    fn matrix(&self, instances: Range<usize>, y: &[f64], _: &Weights<'_>, sink: &mut Sink<'_>) {
        let terms = self.terms();
        if !terms.iter().any(|&term| sink.wants(term)) {
            return;
        }
        let sign = self.sign();
        let (mut right, mut row) = (Rows::default(), Vec::new());
        for i in instances {
            self.element.gradients(i, y, &mut right);
            row.clear();
            row.extend(right.gradient(0).iter().map(|g| sign * g));
            for &term in &terms {
                let own = self.own().is_some_and(|kind| self.term(kind) == term);
                if own {
                    sink.add(term, i, &[1.0]);
                }
                sink.add_from(term, i, usize::from(own), &row);
            }
        }
    }
}
