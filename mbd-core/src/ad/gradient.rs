//! Forces that are minus the gradient of a scalar: potential energy U(t, q, …), f = −U_q, and
//! Rayleigh dissipation D(t, q, v, …), f = −D_v.

use super::element::{Element, Rows, cross, still};
use crate::assembly::{ElementGroup, Layout, RowSink, Sink, SlotKind, Term, Want, Weights};
use crate::model::ModelError;
use crate::program::Pieces;
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

impl Gradient {
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

    fn pieces(&self, i: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        let el = &self.element;
        let value = el.record(i, y, &mut out.graph)?[0];
        let rows = el.nodes(i, self.row_kind(), &mut out.graph);
        let nodes: Vec<_> = rows.iter().map(|x| x.1).collect();
        let gradient = out.graph.gradient(value, &nodes);
        rows.iter().zip(gradient).for_each(|(&(slot, _), slope)| out.sub(Want::F, slot, slope));
        if self.kind == GradientKind::Potential {
            out.add(Want::ENERGY, Pieces::POTENTIAL, value);
        }
        Some(())
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
        if !want.has(Want::F) && !energy {
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
