//! `force … along s = F`: forces F (R rows) along position expressions s(t, q), by virtual work
//! Q = (∂s/∂q)ᵀ F.

use super::surface::Jumps;
use crate::equation::{Layout, SlotKind, Term, Want, Weights};
use crate::graph::Pieces;
use crate::scalar::Notes;
use crate::statement::ModelError;
use crate::statement::{Element, Rows, cross, still, zeros};
use crate::statement::{ElementGroup, RowSink, Sink, Surfaces, Units};
use crate::statement::{Watch, Watched};
use std::ops::Range;

pub(crate) struct ForceAlong {
    pub name: String,
    pub along: Element,
    pub force: Element,
}

impl ElementGroup for ForceAlong {
    fn name(&self) -> &str {
        &self.name
    }

    fn instances(&self) -> usize {
        self.along.len()
    }

    fn bind(&mut self, layout: &Layout, initial: &[f64]) -> Result<(), ModelError> {
        self.along.bind(&self.name, layout, initial)?;
        self.force.bind(&self.name, layout, initial)
    }

    fn find_surfaces(&mut self, initial: &[f64], found: &mut Surfaces) {
        self.force.find_surfaces(&self.name, initial, Jumps::Rows, found);
    }

    fn hold(&mut self, initial: &[f64], next: &mut usize) {
        self.force.hold(initial, next);
    }

    fn sees(&self) -> Watch {
        let (along, force) = (self.along.sees(), self.force.sees());
        Watch {
            comparisons: along.comparisons || force.comparisons,
            expressions: along.expressions || force.expressions,
            time: along.time || force.time,
            paths: false,
        }
    }

    fn watch(&self, i: usize, y: &[f64], ask: Watch, out: &mut Watched) {
        self.along.watch(i, y, ask, out);
        self.force.watch(i, y, ask, out);
    }

    fn note(&self, i: usize, y: &[f64], notes: &mut Notes) {
        self.along.note(i, y, notes);
        self.force.note(i, y, notes);
    }

    fn terms(&self) -> Vec<Term> {
        SlotKind::ALL
            .into_iter()
            .filter(|&kind| kind == SlotKind::Q || (kind != SlotKind::T && self.force.reads(kind)))
            .map(Term::F)
            .collect()
    }

    fn entries(&self, term: Term, i: usize, out: &mut Vec<Option<(u32, u32)>>) {
        if let Term::F(kind) = term {
            let rows = self.along.indices(i, SlotKind::Q);
            cross(rows, self.force.indices(i, kind), out);
            if kind == SlotKind::Q {
                let bent = self.along.bent(i, SlotKind::Q);
                cross(bent.clone(), bent, out);
            }
        }
    }

    fn balances(&self) -> bool {
        true
    }

    fn pieces(&self, i: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        let along = self.along.record(i, y, &mut out.graph)?;
        let forces = self.force.record(i, y, &mut out.graph)?;
        let q = self.along.nodes(i, SlotKind::Q, &mut out.graph);
        let nodes: Vec<_> = q.iter().map(|x| x.1).collect();
        let rates = self.along.rates(i, (SlotKind::Q, SlotKind::V), &mut out.graph);
        for (s, force) in along.into_iter().zip(forces) {
            let speed = out.graph.along(&[s], &rates)[0];
            let power = out.graph.mul(speed, force);
            out.add(Want::BALANCE, RowSink::WORK, power);
            let by_q = out.graph.gradient(s, &nodes);
            for (&(slot, _), s_q) in q.iter().zip(by_q) {
                let part = out.graph.mul(s_q, force);
                out.add(Want::F, slot, part);
            }
        }
        Some(())
    }

    fn units(&self, i: usize, y: &[f64], units: &mut Units<'_>) {
        let along = self.along.quantities(i, y, &self.name, units);
        let force = self.force.quantities(i, y, &self.name, units);
        for (along, force) in along.into_iter().zip(force) {
            let expected = along.known().map(|unit| units.energy().per(unit));
            units.require(&self.name, "the force", force, expected);
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
        if !want.any(Want::F | Want::BALANCE) {
            return;
        }
        let (mut along, mut force) = (Rows::default(), Vec::new());
        for i in instances {
            self.force.values(i, y, &mut force);
            self.along.gradients(i, y, &mut along);
            for ((_, s_q), force) in along.iter().zip(&force) {
                for k in self.along.of_kind(SlotKind::Q) {
                    if want.has(Want::F) {
                        out.add(Want::F, self.along.slot(i, k), s_q[k] * force);
                    }
                    if want.has(Want::BALANCE) {
                        let rate = self.along.beside(i, y, SlotKind::V, k);
                        out.add(Want::BALANCE, RowSink::WORK, s_q[k] * force * rate);
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
        if !want.has(Want::F) {
            return;
        }
        let (mut along, mut force) = (Rows::default(), Rows::default());
        for i in 0..self.along.len() {
            if !self.along.reads_param(i, param) && !self.force.reads_param(i, param) {
                continue;
            }
            self.along.along(i, y, still, param, &mut along);
            self.force.along(i, y, still, param, &mut force);
            for ((_, s_q), (force, _)) in along.iter().zip(force.iter()) {
                for k in self.along.of_kind(SlotKind::Q) {
                    out.add(
                        Want::F,
                        self.along.slot(i, k),
                        s_q[k].eps * force.re + s_q[k].re * force.eps,
                    );
                }
            }
        }
    }

    fn matrix(&self, instances: Range<usize>, y: &[f64], _: &Weights<'_>, sink: &mut Sink<'_>) {
        let kinds = self.terms();
        if !kinds.iter().any(|&term| sink.wants(term)) {
            return;
        }
        let (ks, kf) = (self.along.locals(), self.force.locals());
        let (mut along, mut force, mut column) =
            (Rows::default(), Rows::default(), Rows::default());
        let (mut forces, mut f_z, mut f_q) = (Vec::new(), Vec::new(), Vec::new());
        for i in instances {
            self.along.gradients(i, y, &mut along);
            self.force.gradients(i, y, &mut force);
            // (∂s/∂q)ᵀ F_z
            zeros(&mut f_z, ks * kf);
            for ((_, s_q), (_, f)) in along.iter().zip(force.iter()) {
                for k in 0..ks {
                    for j in 0..kf {
                        f_z[k * kf + j] += s_q[k] * f[j];
                    }
                }
            }
            for &term in &kinds {
                if term != Term::F(SlotKind::Q) {
                    sink.add(term, i, &f_z);
                }
            }
            if sink.wants(Term::F(SlotKind::Q)) {
                // Σ_r F_r ∂²s_r, column by column; entries follow those of (∂s/∂q)ᵀ F_q.
                forces.clear();
                forces.extend(force.iter().map(|(force, _)| force));
                let q = |kind| kind == SlotKind::Q;
                self.along.hessian(i, y, &forces, q, &mut column, &mut f_q);
                sink.add(Term::F(SlotKind::Q), i, &f_z);
                sink.add_from(Term::F(SlotKind::Q), i, ks * kf, &f_q);
            }
        }
    }
}
