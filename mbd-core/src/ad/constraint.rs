//! Constraint rows: holonomic g(t, q) = 0 and nonholonomic k(t, q, v) = 0.

use super::element::{Element, Kernel, NO_PARAM, cross, unit};
use crate::assembly::{ElementGroup, Layout, Residual, Sink, SlotKind, Term, Want, Weights};
use crate::model::ModelError;
use crate::program::{Node, Pieces, Recorder, Source};

/// Who states the reaction of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// The reaction −Gᵀλ (−Kᵀψ) is added to the equations of motion.
    Standard,
    /// The model's force laws state the reaction through the multipliers (seed 001, eq. 11).
    Stated,
}

/// Holonomic rows. One gradient pass gives g and G; one pass along the motion adds Gv + g_t and γ.
pub(crate) struct Holonomic<E, const K: usize, const P: usize, const R: usize> {
    pub name: String,
    pub element: Element<E, K, P, R>,
    pub first_row: usize,
    pub reaction: Reaction,
}

impl<E: Kernel<K, P, R>, const K: usize, const P: usize, const R: usize> Holonomic<E, K, P, R> {
    fn rows(&self, i: usize) -> [Option<u32>; R] {
        std::array::from_fn(|r| Some((self.first_row + i * R + r) as u32))
    }

    /// Σ_r s_r ∂²g_r over the local coordinates, column by column.
    fn hessian(&self, i: usize, y: &[f64], s: &[f64; R]) -> [[f64; K]; K] {
        let mut h = [[0.0; K]; K];
        for j in 0..K {
            if !self.element.is(j, SlotKind::Q) || !self.element.bends(j) {
                continue;
            }
            let rows = self.element.along(i, y, &unit(j), NO_PARAM);
            for (r, (_, gradient)) in rows.iter().enumerate() {
                for k in 0..K {
                    h[k][j] += s[r] * gradient[k].eps;
                }
            }
        }
        h
    }
}

impl<E: Kernel<K, P, R>, const K: usize, const P: usize, const R: usize> ElementGroup
    for Holonomic<E, K, P, R>
{
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
        let mut terms =
            vec![Term::G, Term::Gt, Term::GtsQ, Term::GuQ, Term::GdotQ, Term::GammaQ, Term::GammaV];
        if self.reaction == Reaction::Standard {
            terms.extend([Term::React, Term::ReactQ]);
        }
        terms
    }

    fn entries(&self, term: Term, i: usize, out: &mut Vec<Option<(u32, u32)>>) {
        let (rows, q) = (self.rows(i), self.element.indices(i, SlotKind::Q));
        let bent = self.element.bent(i, SlotKind::Q);
        match term {
            Term::G => cross(rows, q, out),
            Term::React | Term::Gt => cross(q, rows, out),
            Term::ReactQ | Term::GtsQ => cross(bent, bent, out),
            _ => cross(rows, bent, out),
        }
    }

    fn pieces(&self, i: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        let el = &self.element;
        let first = self.first_row + i * R;
        let graph = &mut out.graph;
        let rows = el.record(i, y, graph)?;
        let q = el.inputs(i, SlotKind::Q, graph);
        let nodes: Vec<_> = q.iter().map(|x| x.1).collect();
        let moving = el.moving(i, graph);
        let gdot = graph.along(&rows, &moving);
        let gamma = graph.along(&gdot, &moving);
        let u: Vec<_> = q.iter().map(|&(slot, x)| (x, graph.input(Source::U, slot))).collect();
        let gu = graph.along(&rows, &u);
        // The rows weighted first: one scalar, one reverse pass.
        let reaction = weighted(graph, &rows, Source::S, first, &nodes);
        for r in 0..R {
            out.add(Want::G, first + r, rows[r]);
            out.add(Want::GDOT, first + r, gdot[r]);
            out.add(Want::GAMMA, first + r, gamma[r]);
            out.add(Want::GU, first + r, gu[r]);
        }
        out.reaction(self.reaction == Reaction::Standard, &q, &reaction);
        Some(())
    }

    fn residual(&self, y: &[f64], w: &Weights<'_>, want: Want, out: &mut Residual) {
        let moving = want.any(Want::GDOT | Want::GAMMA);
        if !(moving || want.any(Want::G | Want::GU | Want::GTS | Want::REACTION)) {
            return;
        }
        let el = &self.element;
        for i in 0..el.len() {
            let first = self.first_row + i * R;
            let mut g = [0.0; R];
            let mut gradient = [[0.0; K]; R];
            if moving {
                let d = el.motion(i, y);
                for (r, (value, grad)) in el.along(i, y, &d, NO_PARAM).iter().enumerate() {
                    g[r] = value.re;
                    gradient[r] = grad.map(|x| x.re);
                    if want.has(Want::GDOT) {
                        out.gdot[first + r] += value.eps;
                    }
                    if want.has(Want::GAMMA) {
                        out.gamma[first + r] +=
                            grad.iter().zip(&d).map(|(x, d)| x.eps * d).sum::<f64>();
                    }
                }
            } else {
                for (r, (value, grad)) in el.gradients(i, y).into_iter().enumerate() {
                    g[r] = value;
                    gradient[r] = grad;
                }
            }
            if want.has(Want::G) {
                for (r, g) in g.iter().enumerate() {
                    out.g[first + r] += g;
                }
            }
            if want.has(Want::GU) {
                let u = el.gather(i, SlotKind::Q, w.u);
                for (r, row) in gradient.iter().enumerate() {
                    out.gu[first + r] += dot(row, &u);
                }
            }
            self.add_reaction(i, &w.s[first..first + R], &gradient, want, out);
        }
    }

    fn residual_param(
        &self,
        y: &[f64],
        w: &Weights<'_>,
        want: Want,
        param: u32,
        out: &mut Residual,
    ) {
        let el = &self.element;
        for i in (0..el.len()).filter(|&i| el.reads_param(i, param)) {
            let first = self.first_row + i * R;
            let d = el.motion(i, y);
            let u = el.gather(i, SlotKind::Q, w.u);
            let mut gradient = [[0.0; K]; R];
            for (r, (value, grad)) in el.along2(i, y, &d, &[0.0; K], param).iter().enumerate() {
                gradient[r] = grad.map(|x| x.eps2);
                if want.has(Want::G) {
                    out.g[first + r] += value.eps2;
                }
                if want.has(Want::GDOT) {
                    out.gdot[first + r] += value.eps1eps2;
                }
                if want.has(Want::GAMMA) {
                    out.gamma[first + r] +=
                        grad.iter().zip(&d).map(|(x, d)| x.eps1eps2 * d).sum::<f64>();
                }
                if want.has(Want::GU) {
                    out.gu[first + r] += dot(&gradient[r], &u);
                }
            }
            self.add_reaction(i, &w.s[first..first + R], &gradient, want, out);
        }
    }

    fn matrix(&self, y: &[f64], w: &Weights<'_>, sink: &mut Sink<'_>) {
        let el = &self.element;
        let first_order = [Term::G, Term::Gt, Term::React].map(|t| sink.wants(t));
        let hessian = [Term::GtsQ, Term::ReactQ].map(|t| sink.wants(t));
        let gu = sink.wants(Term::GuQ);
        let gdot = sink.wants(Term::GdotQ);
        let gamma = sink.wants(Term::GammaQ) || sink.wants(Term::GammaV);
        for i in 0..el.len() {
            let first = self.first_row + i * R;
            if first_order.contains(&true) {
                let rows = el.gradients(i, y);
                let g = rows.map(|(_, gradient)| gradient);
                let gt: [[f64; R]; K] = std::array::from_fn(|k| std::array::from_fn(|r| g[r][k]));
                sink.add(Term::G, i, g.as_flattened());
                sink.add(Term::Gt, i, gt.as_flattened());
                sink.add(Term::React, i, gt.as_flattened());
            }
            if hessian.contains(&true) {
                let s: [f64; R] = std::array::from_fn(|r| w.s[first + r]);
                let h = self.hessian(i, y, &s);
                sink.add(Term::GtsQ, i, h.as_flattened());
                sink.add(Term::ReactQ, i, h.as_flattened());
            }
            if gu {
                let d = el.gather(i, SlotKind::Q, w.u);
                let block = el.along(i, y, &d, NO_PARAM).map(|(_, grad)| grad.map(|x| x.eps));
                sink.add(Term::GuQ, i, block.as_flattened());
            }
            if gdot {
                let d = el.motion(i, y);
                let block = el.along(i, y, &d, NO_PARAM).map(|(_, grad)| grad.map(|x| x.eps));
                sink.add(Term::GdotQ, i, block.as_flattened());
            }
            if gamma {
                let d = el.motion(i, y);
                let rows = el.along2(i, y, &d, &d, NO_PARAM);
                let by_q = rows.map(|(_, grad)| grad.map(|x| x.eps1eps2));
                // γ is quadratic in d = (1, v), so γ_v = 2 D_d g_q.
                let by_v = rows.map(|(_, grad)| grad.map(|x| 2.0 * x.eps1));
                sink.add(Term::GammaQ, i, by_q.as_flattened());
                sink.add(Term::GammaV, i, by_v.as_flattened());
            }
        }
    }
}

impl<E: Kernel<K, P, R>, const K: usize, const P: usize, const R: usize> Holonomic<E, K, P, R> {
    #[inline(always)]
    fn add_reaction(
        &self,
        i: usize,
        s: &[f64],
        gradient: &[[f64; K]; R],
        want: Want,
        out: &mut Residual,
    ) {
        let reaction = want.has(Want::REACTION) && self.reaction == Reaction::Standard;
        if !reaction && !want.has(Want::GTS) {
            return;
        }
        for k in 0..K {
            if self.element.is(k, SlotKind::Q) {
                let force: f64 = s.iter().zip(gradient).map(|(s, row)| s * row[k]).sum();
                let slot = self.element.slot(i, k);
                if reaction {
                    out.reaction[slot] += force;
                }
                if want.has(Want::GTS) {
                    out.gts[slot] += force;
                }
            }
        }
    }
}

/// ∂(Σ_r weight_r row_r)/∂inputs.
fn weighted(
    graph: &mut Recorder,
    rows: &[Node],
    source: Source,
    first: usize,
    inputs: &[Node],
) -> Vec<Node> {
    let mut sum = graph.constant(0.0);
    for (r, &row) in rows.iter().enumerate() {
        let weight = graph.input(source, first + r);
        let part = graph.mul(weight, row);
        sum = graph.add(sum, part);
    }
    graph.gradient(sum, inputs)
}

#[inline(always)]
pub(super) fn dot<const K: usize>(a: &[f64; K], b: &[f64; K]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Nonholonomic rows: k and its partials by one gradient pass; (Kᵀr)_q, (Kᵀr)_v column by column.
pub(crate) struct Nonholonomic<E, const K: usize, const P: usize, const R: usize> {
    pub name: String,
    pub element: Element<E, K, P, R>,
    pub first_row: usize,
    pub reaction: Reaction,
}

impl<E: Kernel<K, P, R>, const K: usize, const P: usize, const R: usize> Nonholonomic<E, K, P, R> {
    fn rows(&self, i: usize) -> [Option<u32>; R] {
        std::array::from_fn(|r| Some((self.first_row + i * R + r) as u32))
    }

    /// Σ_r r_r ∂²k_r over the locals, column by column.
    fn hessian(&self, i: usize, y: &[f64], weight: &[f64; R]) -> [[f64; K]; K] {
        let mut h = [[0.0; K]; K];
        for j in 0..K {
            if self.element.is(j, SlotKind::T) || !self.element.bends(j) {
                continue;
            }
            let rows = self.element.along(i, y, &unit(j), NO_PARAM);
            for (r, (_, gradient)) in rows.iter().enumerate() {
                for k in 0..K {
                    h[k][j] += weight[r] * gradient[k].eps;
                }
            }
        }
        h
    }

    fn add_reaction(
        &self,
        i: usize,
        weight: &[f64],
        gradient: &[[f64; K]; R],
        want: Want,
        out: &mut Residual,
    ) {
        for k in 0..K {
            if self.element.is(k, SlotKind::V) {
                let force: f64 = weight.iter().zip(gradient).map(|(w, row)| w * row[k]).sum();
                let slot = self.element.slot(i, k);
                if want.has(Want::REACTION) && self.reaction == Reaction::Standard {
                    out.reaction[slot] += force;
                }
                if want.has(Want::GTS) {
                    out.gts[slot] += force;
                }
            }
        }
    }
}

impl<E: Kernel<K, P, R>, const K: usize, const P: usize, const R: usize> ElementGroup
    for Nonholonomic<E, K, P, R>
{
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
        let mut terms = vec![
            Term::K,
            Term::Kt,
            Term::KQ,
            Term::KtrQ,
            Term::KtrV,
            Term::ZetaQ,
            Term::ZetaV,
            Term::KuQ,
            Term::KuV,
        ];
        if self.reaction == Reaction::Standard {
            terms.extend([Term::ReactPsi, Term::ReactQ, Term::ReactV]);
        }
        terms
    }

    fn entries(&self, term: Term, i: usize, out: &mut Vec<Option<(u32, u32)>>) {
        let rows = self.rows(i);
        let q = self.element.indices(i, SlotKind::Q);
        let v = self.element.indices(i, SlotKind::V);
        let bent_q = self.element.bent(i, SlotKind::Q);
        let bent_v = self.element.bent(i, SlotKind::V);
        match term {
            Term::K => cross(rows, v, out),
            Term::KQ => cross(rows, q, out),
            Term::Kt | Term::ReactPsi => cross(v, rows, out),
            Term::KtrQ | Term::ReactQ => cross(bent_v, bent_q, out),
            Term::KtrV | Term::ReactV => cross(bent_v, bent_v, out),
            Term::KuV => cross(rows, bent_v, out),
            // ζ depends on v through k_q v as well: the columns of the q locals follow.
            Term::ZetaV => cross(rows, bent_v.into_iter().chain(q), out),
            _ => cross(rows, bent_q, out),
        }
    }

    fn pieces(&self, i: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        let el = &self.element;
        let first = self.first_row + i * R;
        let graph = &mut out.graph;
        let rows = el.record(i, y, graph)?;
        let v = el.inputs(i, SlotKind::V, graph);
        let nodes: Vec<_> = v.iter().map(|x| x.1).collect();
        let moving = el.moving(i, graph);
        let zeta = graph.along(&rows, &moving);
        let u: Vec<_> = v.iter().map(|&(slot, x)| (x, graph.input(Source::U, slot))).collect();
        let ku = graph.along(&rows, &u);
        let reaction = weighted(graph, &rows, Source::R, first, &nodes);
        for r in 0..R {
            out.add(Want::K, first + r, rows[r]);
            out.add(Want::ZETA, first + r, zeta[r]);
            out.add(Want::KU, first + r, ku[r]);
        }
        out.reaction(self.reaction == Reaction::Standard, &v, &reaction);
        Some(())
    }

    fn residual(&self, y: &[f64], w: &Weights<'_>, want: Want, out: &mut Residual) {
        if !want.any(Want::K | Want::ZETA | Want::KU | Want::REACTION | Want::GTS) {
            return;
        }
        let el = &self.element;
        for i in 0..el.len() {
            let first = self.first_row + i * R;
            let (d, u) = (el.motion(i, y), el.gather(i, SlotKind::V, w.u));
            let mut gradient = [[0.0; K]; R];
            for (r, (value, grad)) in el.gradients(i, y).into_iter().enumerate() {
                gradient[r] = grad;
                if want.has(Want::K) {
                    out.k[first + r] += value;
                }
                if want.has(Want::ZETA) {
                    out.zeta[first + r] += dot(&grad, &d);
                }
                if want.has(Want::KU) {
                    out.ku[first + r] += dot(&grad, &u);
                }
            }
            self.add_reaction(i, &w.r[first..first + R], &gradient, want, out);
        }
    }

    fn residual_param(
        &self,
        y: &[f64],
        w: &Weights<'_>,
        want: Want,
        param: u32,
        out: &mut Residual,
    ) {
        let el = &self.element;
        for i in (0..el.len()).filter(|&i| el.reads_param(i, param)) {
            let first = self.first_row + i * R;
            let (d, u) = (el.motion(i, y), el.gather(i, SlotKind::V, w.u));
            let mut gradient = [[0.0; K]; R];
            for (r, (value, grad)) in el.along(i, y, &[0.0; K], param).into_iter().enumerate() {
                gradient[r] = grad.map(|x| x.eps);
                if want.has(Want::K) {
                    out.k[first + r] += value.eps;
                }
                if want.has(Want::ZETA) {
                    out.zeta[first + r] += dot(&gradient[r], &d);
                }
                if want.has(Want::KU) {
                    out.ku[first + r] += dot(&gradient[r], &u);
                }
            }
            self.add_reaction(i, &w.r[first..first + R], &gradient, want, out);
        }
    }

    fn matrix(&self, y: &[f64], w: &Weights<'_>, sink: &mut Sink<'_>) {
        let el = &self.element;
        let wants = |terms: &[Term], sink: &Sink<'_>| terms.iter().any(|&t| sink.wants(t));
        let first_order = wants(&[Term::K, Term::Kt, Term::KQ, Term::ReactPsi], sink);
        let hessian = wants(&[Term::KtrQ, Term::KtrV, Term::ReactQ, Term::ReactV], sink);
        let zeta = wants(&[Term::ZetaQ, Term::ZetaV], sink);
        let ku = wants(&[Term::KuQ, Term::KuV], sink);
        for i in 0..el.len() {
            let first = self.first_row + i * R;
            if first_order {
                let g = el.gradients(i, y).map(|(_, gradient)| gradient);
                let gt: [[f64; R]; K] = std::array::from_fn(|k| std::array::from_fn(|r| g[r][k]));
                sink.add(Term::K, i, g.as_flattened());
                sink.add(Term::KQ, i, g.as_flattened());
                sink.add(Term::Kt, i, gt.as_flattened());
                sink.add(Term::ReactPsi, i, gt.as_flattened());
            }
            if hessian {
                let weight: [f64; R] = std::array::from_fn(|r| w.r[first + r]);
                let h = self.hessian(i, y, &weight);
                for term in [Term::KtrQ, Term::KtrV, Term::ReactQ, Term::ReactV] {
                    sink.add(term, i, h.as_flattened());
                }
            }
            if zeta {
                let d = el.motion(i, y);
                let rows = el.along(i, y, &d, NO_PARAM);
                let by_q = rows.map(|(_, grad)| grad.map(|x| x.eps));
                let by_v = rows.map(|(_, grad)| [grad.map(|x| x.eps), grad.map(|x| x.re)]);
                sink.add(Term::ZetaQ, i, by_q.as_flattened());
                sink.add(Term::ZetaV, i, by_v.as_flattened().as_flattened());
            }
            if ku {
                let d = el.gather(i, SlotKind::V, w.u);
                let block = el.along(i, y, &d, NO_PARAM).map(|(_, grad)| grad.map(|x| x.eps));
                sink.add(Term::KuQ, i, block.as_flattened());
                sink.add(Term::KuV, i, block.as_flattened());
            }
        }
    }
}
