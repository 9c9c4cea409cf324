//! `force … along s = F`: forces F (R rows) along position expressions s(t, q), by virtual work
//! Q = (∂s/∂q)ᵀ F.

use super::element::{Element, Kernel, NO_PARAM, cross, unit};
use crate::assembly::{ElementGroup, Layout, Residual, Sink, SlotKind, Term, Want, Weights};
use crate::model::ModelError;
use crate::program::Pieces;

pub(crate) struct ForceAlong<
    S,
    F,
    const KS: usize,
    const PS: usize,
    const KF: usize,
    const PF: usize,
    const R: usize,
> {
    pub name: String,
    pub along: Element<S, KS, PS, R>,
    pub force: Element<F, KF, PF, R>,
}

impl<S, F, const KS: usize, const PS: usize, const KF: usize, const PF: usize, const R: usize>
    ElementGroup for ForceAlong<S, F, KS, PS, KF, PF, R>
where
    S: Kernel<KS, PS, R>,
    F: Kernel<KF, PF, R>,
{
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
                cross(bent, bent, out);
            }
        }
    }

    fn pieces(&self, i: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        let along = self.along.record(i, y, &mut out.graph)?;
        let forces = self.force.record(i, y, &mut out.graph)?;
        let q = self.along.inputs(i, SlotKind::Q, &mut out.graph);
        let nodes: Vec<_> = q.iter().map(|x| x.1).collect();
        for (s, force) in along.into_iter().zip(forces) {
            let by_q = out.graph.gradient(s, &nodes);
            for (&(slot, _), s_q) in q.iter().zip(by_q) {
                let part = out.graph.mul(s_q, force);
                out.add(Want::F, slot, part);
            }
        }
        Some(())
    }

    fn residual(&self, y: &[f64], _: &Weights<'_>, want: Want, out: &mut Residual) {
        if !want.has(Want::F) {
            return;
        }
        for i in 0..self.along.len() {
            let force = self.force.values(i, y);
            for ((_, s_q), force) in self.along.gradients(i, y).iter().zip(force) {
                for k in (0..KS).filter(|&k| self.along.is(k, SlotKind::Q)) {
                    out.f[self.along.slot(i, k)] += s_q[k] * force;
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
        out: &mut Residual,
    ) {
        if !want.has(Want::F) {
            return;
        }
        for i in 0..self.along.len() {
            if !self.along.reads_param(i, param) && !self.force.reads_param(i, param) {
                continue;
            }
            let along = self.along.along(i, y, &[0.0; KS], param);
            let force = self.force.along(i, y, &[0.0; KF], param);
            for ((_, s_q), (force, _)) in along.iter().zip(&force) {
                for k in (0..KS).filter(|&k| self.along.is(k, SlotKind::Q)) {
                    out.f[self.along.slot(i, k)] += s_q[k].eps * force.re + s_q[k].re * force.eps;
                }
            }
        }
    }

    fn matrix(&self, y: &[f64], _: &Weights<'_>, sink: &mut Sink<'_>) {
        let kinds = self.terms();
        if !kinds.iter().any(|&term| sink.wants(term)) {
            return;
        }
        for i in 0..self.along.len() {
            let s_q = self.along.gradients(i, y).map(|(_, gradient)| gradient);
            let force = self.force.gradients(i, y);
            // (∂s/∂q)ᵀ F_z
            let mut f_z = [[0.0; KF]; KS];
            for (s_q, (_, f)) in s_q.iter().zip(&force) {
                for k in 0..KS {
                    for j in 0..KF {
                        f_z[k][j] += s_q[k] * f[j];
                    }
                }
            }
            for &term in &kinds {
                if term != Term::F(SlotKind::Q) {
                    sink.add(term, i, f_z.as_flattened());
                }
            }
            if sink.wants(Term::F(SlotKind::Q)) {
                // Σ_r F_r ∂²s_r, column by column; entries follow those of (∂s/∂q)ᵀ F_q.
                let mut f_q = [[0.0; KS]; KS];
                for j in (0..KS).filter(|&j| self.along.is(j, SlotKind::Q) && self.along.bends(j)) {
                    let rows = self.along.along(i, y, &unit(j), NO_PARAM);
                    for ((_, gradient), (force, _)) in rows.iter().zip(&force) {
                        for k in 0..KS {
                            f_q[k][j] += force * gradient[k].eps;
                        }
                    }
                }
                sink.add(Term::F(SlotKind::Q), i, f_z.as_flattened());
                sink.add_from(Term::F(SlotKind::Q), i, KS * KF, f_q.as_flattened());
            }
        }
    }
}
