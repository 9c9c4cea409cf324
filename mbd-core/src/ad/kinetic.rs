//! Kinetic energy T(t, q, v): the mass matrix M = T_vv and the gyroscopic forces f = T_q − T_vq v − T_vt
//! of Lagrange's equations.

use crate::equation::{Layout, SlotKind, Term, Want, Weights};
use crate::graph::{Energy, Pieces};
use crate::statement::ModelError;
use crate::statement::{Element, NO_PARAM, Rows, cross, still, unit, zeros};
use crate::statement::{ElementGroup, RowSink, Sink, Units};
use crate::statement::{Watch, Watched};
use std::ops::Range;

pub(crate) struct Kinetic {
    pub name: String,
    pub element: Element,
}

impl Kinetic {
    /// An energy of velocities alone has a mass matrix and no gyroscopic force.
    fn has_force(&self) -> bool {
        self.element.reads(SlotKind::Q) || self.element.reads(SlotKind::T)
    }

    fn is_v(&self, k: usize) -> bool {
        self.element.is(k, SlotKind::V)
    }

    fn is_q(&self, k: usize) -> bool {
        self.element.is(k, SlotKind::Q)
    }

    /// Coordinate index of every local q or v with second derivatives: the dynamics row it
    /// contributes to.
    fn coordinates(&self, i: usize) -> impl Iterator<Item = Option<u32>> {
        let q = self.element.bent(i, SlotKind::Q);
        q.zip(self.element.bent(i, SlotKind::V)).map(|(q, v)| q.or(v))
    }
}

impl ElementGroup for Kinetic {
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

    fn terms(&self) -> Vec<Term> {
        let mut terms = vec![Term::M];
        if self.has_force() {
            terms.extend([Term::MuQ, Term::F(SlotKind::Q), Term::F(SlotKind::V)]);
        }
        terms
    }

    fn entries(&self, term: Term, i: usize, out: &mut Vec<Option<(u32, u32)>>) {
        let q = self.element.bent(i, SlotKind::Q);
        let v = self.element.bent(i, SlotKind::V);
        match term {
            Term::M => cross(v.clone(), v, out),
            Term::MuQ => cross(v, q, out),
            Term::F(SlotKind::Q) => cross(self.coordinates(i), q, out),
            // The direction of motion depends on v: the columns of the q locals follow.
            _ => cross(self.coordinates(i), v.chain(q), out),
        }
    }

    fn balances(&self) -> bool {
        true
    }

    fn moved(&self, i: usize) -> Vec<usize> {
        let el = &self.element;
        el.of_kind(SlotKind::V).map(|k| el.slot(i, k)).collect()
    }

    fn momenta(&self, i: usize, y: &[f64]) -> Vec<(usize, f64)> {
        let el = &self.element;
        let mut slopes = Rows::default();
        el.gradients(i, y, &mut slopes);
        el.of_kind(SlotKind::V).map(|k| (el.slot(i, k), slopes.gradient(0)[k])).collect()
    }

    fn energy(&self, i: usize, y: &[f64], out: &mut Pieces) -> Option<Energy> {
        let el = &self.element;
        let graph = &mut out.graph;
        Some(Energy {
            node: el.record(i, y, graph)?[0],
            q: el.nodes(i, SlotKind::Q, graph),
            v: el.nodes(i, SlotKind::V, graph),
            clock: el.clock(i, graph),
            motion: el.moving(i, graph),
            has_force: self.has_force(),
        })
    }

    fn pieces(&self, i: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        self.energy(i, y, out)?.write(out);
        Some(())
    }

    fn units(&self, i: usize, y: &[f64], units: &mut Units<'_>) {
        for row in self.element.quantities(i, y, &self.name, units) {
            units.kinetic(row);
            units.require(&self.name, "the kinetic energy", row, Some(units.energy()));
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
        let el = &self.element;
        let force = want.has(Want::F) && self.has_force();
        if !force && !want.any(Want::MU | Want::ENERGY | Want::BALANCE) {
            return;
        }
        let (mut row, mut slopes) = (Rows::default(), Rows::default());
        for i in instances {
            if want.has(Want::MU) {
                el.along(i, y, |k| el.gather(i, SlotKind::V, w.u, k), NO_PARAM, &mut row);
                for k in el.of_kind(SlotKind::V) {
                    out.add(Want::MU, el.slot(i, k), row.gradient(0)[k].eps);
                }
            }
            if force {
                el.along(i, y, |k| el.motion(i, y, k), NO_PARAM, &mut row);
                for (k, slope) in row.gradient(0).iter().enumerate() {
                    if self.is_q(k) {
                        out.add(Want::F, el.slot(i, k), slope.re);
                    } else if self.is_v(k) {
                        out.add(Want::F, el.slot(i, k), -slope.eps);
                    }
                }
            }
            if want.has(Want::ENERGY) {
                out.add(Want::ENERGY, RowSink::KINETIC, el.value(i, y));
            }
            if want.has(Want::BALANCE) {
                el.gradients(i, y, &mut slopes);
                let mut inertial = -slopes.value(0);
                for k in el.of_kind(SlotKind::V) {
                    inertial += slopes.gradient(0)[k] * el.beside(i, y, SlotKind::V, k);
                }
                out.add(Want::BALANCE, RowSink::INERTIAL, inertial);
                for k in el.of_kind(SlotKind::T) {
                    out.add(Want::BALANCE, RowSink::WORK, -slopes.gradient(0)[k]);
                }
            }
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
        let (mut inertia, mut motion) = (Rows::default(), Rows::default());
        for i in (0..el.len()).filter(|&i| el.reads_param(i, param)) {
            el.along2(i, y, |k| el.gather(i, SlotKind::V, w.u, k), still, param, &mut inertia);
            el.along2(i, y, |k| el.motion(i, y, k), still, param, &mut motion);
            for (k, (inertia, motion)) in
                inertia.gradient(0).iter().zip(motion.gradient(0)).enumerate()
            {
                let slot = el.slot(i, k);
                if self.is_v(k) {
                    if want.has(Want::MU) {
                        out.add(Want::MU, slot, inertia.eps1eps2);
                    }
                    if want.has(Want::F) {
                        out.add(Want::F, slot, -motion.eps1eps2);
                    }
                } else if self.is_q(k) && want.has(Want::F) {
                    out.add(Want::F, slot, motion.eps2);
                }
            }
            if want.has(Want::ENERGY) {
                out.add(Want::ENERGY, RowSink::KINETIC, motion.value(0).eps2);
            }
        }
    }

    fn matrix(&self, instances: Range<usize>, y: &[f64], w: &Weights<'_>, sink: &mut Sink<'_>) {
        let el = &self.element;
        let n = el.locals();
        let mass = sink.wants(Term::M);
        let mass_q = sink.wants(Term::MuQ);
        let force = sink.wants(Term::F(SlotKind::Q)) || sink.wants(Term::F(SlotKind::V));
        let (mut row, mut row2) = (Rows::default(), Rows::default());
        let (mut block, mut by_v) = (Vec::new(), Vec::new());
        for i in instances {
            if mass {
                el.hessian(i, y, &[1.0], |kind| kind == SlotKind::V, &mut row, &mut block);
                sink.add(Term::M, i, &block);
            }
            if mass_q && self.has_force() {
                let u = |k| el.gather(i, SlotKind::V, w.u, k);
                zeros(&mut block, n * n);
                for j in (0..n).filter(|&j| self.is_q(j) && el.bends(j)) {
                    el.along2(i, y, u, unit(j), NO_PARAM, &mut row2);
                    for (k, slope) in row2.gradient(0).iter().enumerate() {
                        block[k * n + j] = slope.eps1eps2;
                    }
                }
                sink.add(Term::MuQ, i, &block);
            }
            if force && self.has_force() {
                // f_k = T_{q_k} on the q rows and −D_d T_{v_k} on the v rows, along the motion
                // d = (1, v); ∂d/∂v is the unit direction of the same coordinate, whose columns
                // follow.
                zeros(&mut block, n * n);
                zeros(&mut by_v, 2 * n * n);
                for j in (0..n).filter(|&j| (self.is_q(j) || self.is_v(j)) && el.bends(j)) {
                    el.along2(i, y, |k| el.motion(i, y, k), unit(j), NO_PARAM, &mut row2);
                    for (k, slope) in row2.gradient(0).iter().enumerate() {
                        let q = self.is_q(k);
                        block[k * n + j] = if q { slope.eps2 } else { -slope.eps1eps2 };
                        by_v[2 * k * n + j] = block[k * n + j];
                        by_v[(2 * k + 1) * n + j] = if q { 0.0 } else { -slope.eps2 };
                    }
                }
                sink.add(Term::F(SlotKind::Q), i, &block);
                sink.add(Term::F(SlotKind::V), i, &by_v);
            }
        }
    }
}
