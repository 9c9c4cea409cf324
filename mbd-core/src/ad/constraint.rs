//! Constraint rows: holonomic g(t, q) = 0 and nonholonomic k(t, q, v) = 0.

use crate::equation::{Layout, SlotKind, Term, Want, Weights};
use crate::graph::{Acting, Graph, Node, Pieces, Recorder, Source};
use crate::scalar::Dual64;
use crate::scalar::Notes;
use crate::statement::ModelError;
use crate::statement::{Element, NO_PARAM, Rows, cross, still};
use crate::statement::{ElementGroup, RowSink, Sink, Units};
use crate::statement::{Watch, Watched};
use std::ops::Range;

/// Who states the reaction of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// The reaction −Gᵀλ (−Kᵀψ) is added to the equations of motion.
    Standard,
    /// The model's force laws state the reaction through the multipliers (paper 001, eq. 11).
    Stated,
}

/// Holonomic rows. One gradient pass gives g and G; one pass along the motion adds Gv + g_t and γ.
pub(crate) struct Holonomic {
    pub name: String,
    pub element: Element,
    pub first_row: usize,
    pub reaction: Reaction,
    /// 1 while the rows of an instance hold, of those that come and go by discrete values.
    pub locked: Option<Element>,
    /// Of rows that hold from the start on: the first of their [offsets](crate::equation::Point::offsets), one for each.
    pub offset: Option<usize>,
}

impl Holonomic {
    /// The flat offset of a row of an instance.
    fn offset(&self, i: usize, r: usize) -> Option<usize> {
        let first = self.element.layout()?.offsets().start + self.offset?;
        Some(first + i * self.element.rows() + r)
    }
}

impl ElementGroup for Holonomic {
    fn name(&self) -> &str {
        &self.name
    }

    fn instances(&self) -> usize {
        self.element.len()
    }

    fn bind(&mut self, layout: &Layout, initial: &[f64]) -> Result<(), ModelError> {
        if let Some(locked) = &mut self.locked {
            locked.bind(&self.name, layout, initial)?;
        }
        self.element.bind(&self.name, layout, initial)
    }

    fn locks(&self, i: usize, y: &[f64]) -> Option<bool> {
        self.locked.as_ref().map(|locked| locked.value(i, y) == 1.0)
    }

    fn locked_rows(&self, i: usize) -> Option<Range<usize>> {
        let first = self.first_row + i * self.element.rows();
        self.locked.as_ref().map(|_| first..first + self.element.rows())
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

    fn constrains(&self) -> bool {
        true
    }

    fn roundings(&self, y: &[f64], rows: &mut [f64]) {
        for i in 0..self.element.len() {
            let first = self.first_row + i * self.element.rows();
            let own = self.element.roundings(i, y);
            rows[first..first + own.len()].copy_from_slice(&own);
        }
    }

    fn note(&self, i: usize, y: &[f64], notes: &mut Notes) {
        self.element.note(i, y, notes);
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
        let rows = rows_of(&self.element, self.first_row, i);
        let q = self.element.indices(i, SlotKind::Q);
        let bent = self.element.bent(i, SlotKind::Q);
        match term {
            Term::G => cross(rows, q, out),
            Term::React | Term::Gt => cross(q, rows, out),
            Term::ReactQ | Term::GtsQ => cross(bent.clone(), bent, out),
            _ => cross(rows, bent, out),
        }
    }

    fn balances(&self) -> bool {
        true
    }

    fn acts_on(&self, i: usize) -> Vec<usize> {
        self.element.of_kind(SlotKind::Q).map(|k| self.element.slot(i, k)).collect()
    }

    fn pieces(&self, i: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        let el = &self.element;
        let first = self.first_row + i * el.rows();
        let graph = &mut out.graph;
        let rows = el.record(i, y, graph)?;
        let q = el.nodes(i, SlotKind::Q, graph);
        let moving = el.moving(i, graph);
        let gdot = graph.along(&rows, &moving);
        let gamma = graph.along(&gdot, &moving);
        let u: Vec<_> = q.iter().map(|&(slot, x)| (x, graph.input(Source::U, slot))).collect();
        let gu = graph.along(&rows, &u);
        // The rows weighted first: one scalar, one reverse pass.
        let sum = weigh(graph, &rows, Source::S, first);
        let standard = self.reaction == Reaction::Standard;
        if standard {
            let clock = el.clock(i, graph);
            let by_t = graph.along(&rows, &clock);
            let power = weigh(graph, &by_t, Source::S, first);
            out.add(Want::BALANCE, RowSink::WORK, power);
        }
        for r in 0..rows.len() {
            let row = match self.offset(i, r) {
                Some(offset) => {
                    let offset = out.graph.input(Source::Param, offset);
                    out.graph.sub(rows[r], offset)
                }
                None => rows[r],
            };
            out.add(Want::G, first + r, row);
            out.add(Want::GDOT, first + r, gdot[r]);
            out.add(Want::GAMMA, first + r, gamma[r]);
            out.add(Want::GU, first + r, gu[r]);
        }
        out.act(Acting::Rows { standard }, &[(sum, Graph::ONE)], &q);
        Some(())
    }

    fn units(&self, i: usize, y: &[f64], units: &mut Units<'_>) {
        let first = self.first_row + i * self.element.rows();
        let stated = self.reaction == Reaction::Stated;
        for (r, row) in self.element.quantities(i, y, &self.name, units).into_iter().enumerate() {
            units.constraint(SlotKind::Lambda, first + r, row, stated);
        }
    }

    fn residual(
        &self,
        instances: Range<usize>,
        y: &[f64],
        w: &Weights<'_>,
        want: Want,
        out: &mut RowSink<'_>,
    ) {
        let moving = want.any(Want::GDOT | Want::GAMMA);
        let powers = want.has(Want::BALANCE)
            && self.reaction == Reaction::Standard
            && self.element.reads(SlotKind::T);
        if !(moving || powers || want.any(Want::G | Want::GU | Want::GTS | Want::REACTION)) {
            return;
        }
        let el = &self.element;
        let (mut rows, mut along, mut gradient) = (Rows::default(), Rows::default(), Vec::new());
        for i in instances {
            let first = self.first_row + i * el.rows();
            gradient.clear();
            if want.has(Want::G) {
                for r in 0..el.rows() {
                    if let Some(offset) = self.offset(i, r) {
                        out.add(Want::G, first + r, -y[offset]);
                    }
                }
            }
            if moving {
                el.along(i, y, |k| el.motion(i, y, k), NO_PARAM, &mut along);
                for (r, (value, grad)) in along.iter().enumerate() {
                    gradient.extend(grad.iter().map(|x| x.re));
                    if want.has(Want::G) {
                        out.add(Want::G, first + r, value.re);
                    }
                    if want.has(Want::GDOT) {
                        out.add(Want::GDOT, first + r, value.eps);
                    }
                    if want.has(Want::GAMMA) {
                        out.add(
                            Want::GAMMA,
                            first + r,
                            dot(grad.iter().map(|x| x.eps), |k| el.motion(i, y, k)),
                        );
                    }
                }
            } else {
                el.gradients(i, y, &mut rows);
                for (r, (value, grad)) in rows.iter().enumerate() {
                    gradient.extend(grad);
                    if want.has(Want::G) {
                        out.add(Want::G, first + r, value);
                    }
                }
            }
            if powers {
                for r in 0..el.rows() {
                    for k in el.of_kind(SlotKind::T) {
                        let by_t = gradient[r * el.locals() + k];
                        out.add(Want::BALANCE, RowSink::WORK, w.s[first + r] * by_t);
                    }
                }
            }
            if want.has(Want::GU) {
                for r in 0..el.rows() {
                    let row = gradient[r * el.locals()..][..el.locals()].iter().copied();
                    out.add(Want::GU, first + r, dot(row, |k| el.gather(i, SlotKind::Q, w.u, k)));
                }
            }
            let places = (reactions(want, self.reaction), &mut *out);
            react(el, i, SlotKind::Q, &w.s[first..], &gradient, places);
        }
    }

    fn residual_param(
        &self,
        y: &[f64],
        w: &Weights<'_>,
        want: Want,
        param: u32,
        out: &mut RowSink<'_>,
    ) {
        let el = &self.element;
        let (mut rows, mut gradient) = (Rows::default(), Vec::new());
        for i in (0..el.len()).filter(|&i| el.reads_param(i, param)) {
            let first = self.first_row + i * el.rows();
            el.along2(i, y, |k| el.motion(i, y, k), still, param, &mut rows);
            gradient.clear();
            for (r, (value, grad)) in rows.iter().enumerate() {
                let slopes = grad.iter().map(|x| x.eps2);
                gradient.extend(slopes.clone());
                if want.has(Want::G) {
                    out.add(Want::G, first + r, value.eps2);
                }
                if want.has(Want::GDOT) {
                    out.add(Want::GDOT, first + r, value.eps1eps2);
                }
                if want.has(Want::GAMMA) {
                    let mixed = grad.iter().map(|x| x.eps1eps2);
                    out.add(Want::GAMMA, first + r, dot(mixed, |k| el.motion(i, y, k)));
                }
                if want.has(Want::GU) {
                    out.add(
                        Want::GU,
                        first + r,
                        dot(slopes, |k| el.gather(i, SlotKind::Q, w.u, k)),
                    );
                }
            }
            let places = (reactions(want, self.reaction), &mut *out);
            react(el, i, SlotKind::Q, &w.s[first..], &gradient, places);
        }
    }

    fn matrix(&self, instances: Range<usize>, y: &[f64], w: &Weights<'_>, sink: &mut Sink<'_>) {
        let el = &self.element;
        let first_order = [Term::G, Term::Gt, Term::React].map(|t| sink.wants(t));
        let hessian = [Term::GtsQ, Term::ReactQ].map(|t| sink.wants(t));
        let gu = sink.wants(Term::GuQ);
        let gdot = sink.wants(Term::GdotQ);
        let gamma = sink.wants(Term::GammaQ) || sink.wants(Term::GammaV);
        let (mut rows, mut along, mut along2) = (Rows::default(), Rows::default(), Rows::default());
        let mut block = Vec::new();
        for i in instances {
            let first = self.first_row + i * el.rows();
            let motion = |k| el.motion(i, y, k);
            if first_order.contains(&true) {
                el.gradients(i, y, &mut rows);
                sink.add(Term::G, i, rows.gradients());
                transpose(&rows, &mut block);
                sink.add(Term::Gt, i, &block);
                sink.add(Term::React, i, &block);
            }
            if hessian.contains(&true) {
                el.hessian(i, y, &w.s[first..], |kind| kind == SlotKind::Q, &mut along, &mut block);
                sink.add(Term::GtsQ, i, &block);
                sink.add(Term::ReactQ, i, &block);
            }
            if gu {
                el.along(i, y, |k| el.gather(i, SlotKind::Q, w.u, k), NO_PARAM, &mut along);
                sink.add(Term::GuQ, i, changes(&along, &mut block));
            }
            if gdot {
                el.along(i, y, motion, NO_PARAM, &mut along);
                sink.add(Term::GdotQ, i, changes(&along, &mut block));
            }
            if gamma {
                el.along2(i, y, motion, motion, NO_PARAM, &mut along2);
                block.clear();
                block.extend(along2.gradients().iter().map(|x| x.eps1eps2));
                sink.add(Term::GammaQ, i, &block);
                // γ is quadratic in d = (1, v), so γ_v = 2 D_d g_q.
                block.clear();
                block.extend(along2.gradients().iter().map(|x| 2.0 * x.eps1));
                sink.add(Term::GammaV, i, &block);
            }
        }
    }
}

/// The rows of an instance.
fn rows_of(
    element: &Element,
    first: usize,
    i: usize,
) -> impl Iterator<Item = Option<u32>> + Clone + use<> {
    let rows = element.rows();
    (0..rows).map(move |r| Some((first + i * rows + r) as u32))
}

/// The pieces that reactions are wanted in.
fn reactions(want: Want, reaction: Reaction) -> [Option<Want>; 2] {
    let standard = want.has(Want::REACTION) && reaction == Reaction::Standard;
    [standard.then_some(Want::REACTION), want.has(Want::GTS).then_some(Want::GTS)]
}

/// Adds the reaction Σ_r weight_r ∂row_r/∂(locals of `kind`) to each piece.
fn react(
    element: &Element,
    i: usize,
    kind: SlotKind,
    weight: &[f64],
    gradient: &[f64],
    (pieces, out): ([Option<Want>; 2], &mut RowSink<'_>),
) {
    let n = element.locals();
    for piece in pieces.into_iter().flatten() {
        for k in element.of_kind(kind) {
            let rows = (0..element.rows()).map(|r| weight[r] * gradient[r * n + k]);
            out.add(piece, element.slot(i, k), rows.sum());
        }
    }
}

/// Gradients as columns.
fn transpose(rows: &Rows<f64>, block: &mut Vec<f64>) {
    block.clear();
    for k in 0..rows.locals() {
        block.extend(rows.iter().map(|(_, gradient)| gradient[k]));
    }
}

/// How gradients change along the direction.
fn changes<'a>(rows: &Rows<Dual64>, block: &'a mut Vec<f64>) -> &'a [f64] {
    block.clear();
    block.extend(rows.gradients().iter().map(|x| x.eps));
    block
}

/// A gradient times a direction.
fn dot(gradient: impl Iterator<Item = f64>, direction: impl Fn(usize) -> f64) -> f64 {
    gradient.enumerate().map(|(k, slope)| slope * direction(k)).sum()
}

/// ∂(Σ_r weight_r row_r)/∂inputs.
fn weighted(
    graph: &mut Recorder,
    rows: &[Node],
    source: Source,
    first: usize,
    inputs: &[Node],
) -> Vec<Node> {
    let sum = weigh(graph, rows, source, first);
    graph.gradient(sum, inputs)
}

/// Σ_r weight_r row_r.
fn weigh(graph: &mut Recorder, rows: &[Node], source: Source, first: usize) -> Node {
    let mut sum = graph.constant(0.0);
    for (r, &row) in rows.iter().enumerate() {
        let weight = graph.input(source, first + r);
        let part = graph.mul(weight, row);
        sum = graph.add(sum, part);
    }
    sum
}

/// Nonholonomic rows: k and its partials by one gradient pass; (Kᵀr)_q, (Kᵀr)_v column by column.
pub(crate) struct Nonholonomic {
    pub name: String,
    pub element: Element,
    pub first_row: usize,
    pub reaction: Reaction,
}

impl ElementGroup for Nonholonomic {
    fn name(&self) -> &str {
        &self.name
    }

    fn instances(&self) -> usize {
        self.element.len()
    }

    fn bind(&mut self, layout: &Layout, initial: &[f64]) -> Result<(), ModelError> {
        self.element.bind(&self.name, layout, initial)
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

    fn constrains(&self) -> bool {
        true
    }

    fn note(&self, i: usize, y: &[f64], notes: &mut Notes) {
        self.element.note(i, y, notes);
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
        let rows = rows_of(&self.element, self.first_row, i);
        let q = self.element.indices(i, SlotKind::Q);
        let v = self.element.indices(i, SlotKind::V);
        let bent_q = self.element.bent(i, SlotKind::Q);
        let bent_v = self.element.bent(i, SlotKind::V);
        match term {
            Term::K => cross(rows, v, out),
            Term::KQ => cross(rows, q, out),
            Term::Kt | Term::ReactPsi => cross(v, rows, out),
            Term::KtrQ | Term::ReactQ => cross(bent_v, bent_q, out),
            Term::KtrV | Term::ReactV => cross(bent_v.clone(), bent_v, out),
            Term::KuV => cross(rows, bent_v, out),
            // ζ depends on v through k_q v as well: the columns of the q locals follow.
            Term::ZetaV => cross(rows, bent_v.chain(q), out),
            _ => cross(rows, bent_q, out),
        }
    }

    fn balances(&self) -> bool {
        true
    }

    fn pieces(&self, i: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        let el = &self.element;
        let first = self.first_row + i * el.rows();
        let graph = &mut out.graph;
        let rows = el.record(i, y, graph)?;
        let v = el.nodes(i, SlotKind::V, graph);
        let nodes: Vec<_> = v.iter().map(|x| x.1).collect();
        let moving = el.moving(i, graph);
        let zeta = graph.along(&rows, &moving);
        let u: Vec<_> = v.iter().map(|&(slot, x)| (x, graph.input(Source::U, slot))).collect();
        let ku = graph.along(&rows, &u);
        let reaction = weighted(graph, &rows, Source::R, first, &nodes);
        if self.reaction == Reaction::Standard {
            for (&v, &force) in nodes.iter().zip(&reaction) {
                let power = out.graph.mul(v, force);
                out.sub(Want::BALANCE, RowSink::WORK, power);
            }
        }
        for r in 0..rows.len() {
            out.add(Want::K, first + r, rows[r]);
            out.add(Want::ZETA, first + r, zeta[r]);
            out.add(Want::KU, first + r, ku[r]);
        }
        out.reaction(self.reaction == Reaction::Standard, &v, &reaction);
        Some(())
    }

    fn units(&self, i: usize, y: &[f64], units: &mut Units<'_>) {
        let first = self.first_row + i * self.element.rows();
        let stated = self.reaction == Reaction::Stated;
        for (r, row) in self.element.quantities(i, y, &self.name, units).into_iter().enumerate() {
            units.constraint(SlotKind::Psi, first + r, row, stated);
        }
    }

    fn residual(
        &self,
        instances: Range<usize>,
        y: &[f64],
        w: &Weights<'_>,
        want: Want,
        out: &mut RowSink<'_>,
    ) {
        let powers = want.has(Want::BALANCE) && self.reaction == Reaction::Standard;
        if !powers && !want.any(Want::K | Want::ZETA | Want::KU | Want::REACTION | Want::GTS) {
            return;
        }
        let el = &self.element;
        let mut rows = Rows::default();
        for i in instances {
            let first = self.first_row + i * el.rows();
            el.gradients(i, y, &mut rows);
            for (r, (value, grad)) in rows.iter().enumerate() {
                if want.has(Want::K) {
                    out.add(Want::K, first + r, value);
                }
                let slopes = grad.iter().copied();
                let [zeta, ku] = self.moved(i, y, w, slopes);
                if want.has(Want::ZETA) {
                    out.add(Want::ZETA, first + r, zeta);
                }
                if want.has(Want::KU) {
                    out.add(Want::KU, first + r, ku);
                }
                if powers {
                    for k in el.of_kind(SlotKind::V) {
                        let power = w.r[first + r] * grad[k] * el.beside(i, y, SlotKind::V, k);
                        out.add(Want::BALANCE, RowSink::WORK, -power);
                    }
                }
            }
            let places = (reactions(want, self.reaction), &mut *out);
            react(el, i, SlotKind::V, &w.r[first..], rows.gradients(), places);
        }
    }

    fn residual_param(
        &self,
        y: &[f64],
        w: &Weights<'_>,
        want: Want,
        param: u32,
        out: &mut RowSink<'_>,
    ) {
        let el = &self.element;
        let (mut rows, mut gradient) = (Rows::default(), Vec::new());
        for i in (0..el.len()).filter(|&i| el.reads_param(i, param)) {
            let first = self.first_row + i * el.rows();
            el.along(i, y, still, param, &mut rows);
            for (r, (value, grad)) in rows.iter().enumerate() {
                if want.has(Want::K) {
                    out.add(Want::K, first + r, value.eps);
                }
                let slopes = grad.iter().map(|x| x.eps);
                let [zeta, ku] = self.moved(i, y, w, slopes);
                if want.has(Want::ZETA) {
                    out.add(Want::ZETA, first + r, zeta);
                }
                if want.has(Want::KU) {
                    out.add(Want::KU, first + r, ku);
                }
            }
            let gradient = changes(&rows, &mut gradient);
            let places = (reactions(want, self.reaction), &mut *out);
            react(el, i, SlotKind::V, &w.r[first..], gradient, places);
        }
    }

    fn matrix(&self, instances: Range<usize>, y: &[f64], w: &Weights<'_>, sink: &mut Sink<'_>) {
        let el = &self.element;
        let wants = |terms: &[Term], sink: &Sink<'_>| terms.iter().any(|&t| sink.wants(t));
        let first_order = wants(&[Term::K, Term::Kt, Term::KQ, Term::ReactPsi], sink);
        let hessian = wants(&[Term::KtrQ, Term::KtrV, Term::ReactQ, Term::ReactV], sink);
        let zeta = wants(&[Term::ZetaQ, Term::ZetaV], sink);
        let ku = wants(&[Term::KuQ, Term::KuV], sink);
        let (mut rows, mut along, mut block) = (Rows::default(), Rows::default(), Vec::new());
        for i in instances {
            let first = self.first_row + i * el.rows();
            if first_order {
                el.gradients(i, y, &mut rows);
                sink.add(Term::K, i, rows.gradients());
                sink.add(Term::KQ, i, rows.gradients());
                transpose(&rows, &mut block);
                sink.add(Term::Kt, i, &block);
                sink.add(Term::ReactPsi, i, &block);
            }
            if hessian {
                el.hessian(i, y, &w.r[first..], |kind| kind != SlotKind::T, &mut along, &mut block);
                for term in [Term::KtrQ, Term::KtrV, Term::ReactQ, Term::ReactV] {
                    sink.add(term, i, &block);
                }
            }
            if zeta {
                el.along(i, y, |k| el.motion(i, y, k), NO_PARAM, &mut along);
                sink.add(Term::ZetaQ, i, changes(&along, &mut block));
                block.clear();
                for (_, gradient) in along.iter() {
                    block.extend(gradient.iter().map(|x| x.eps));
                    block.extend(gradient.iter().map(|x| x.re));
                }
                sink.add(Term::ZetaV, i, &block);
            }
            if ku {
                el.along(i, y, |k| el.gather(i, SlotKind::V, w.u, k), NO_PARAM, &mut along);
                let block = changes(&along, &mut block);
                sink.add(Term::KuQ, i, block);
                sink.add(Term::KuV, i, block);
            }
        }
    }
}

impl Nonholonomic {
    /// ζ and Ku of a row.
    fn moved(
        &self,
        i: usize,
        y: &[f64],
        w: &Weights<'_>,
        gradient: impl Iterator<Item = f64> + Clone,
    ) -> [f64; 2] {
        let el = &self.element;
        let zeta = dot(gradient.clone(), |k| el.motion(i, y, k));
        [zeta, dot(gradient, |k| el.gather(i, SlotKind::V, w.u, k))]
    }
}
