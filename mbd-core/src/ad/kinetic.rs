//! Kinetic energy T(t, q, v): the mass matrix and the gyroscopic forces of Lagrange's equations.
//!
//! d/dt T_v − T_q = T_vv a + T_vq v + T_vt − T_q, so M = T_vv and the force it contributes is
//! f = T_q − T_vq v − T_vt.

use super::element::{Element, Kernel, NO_PARAM, cross, unit};
use crate::assembly::{ElementGroup, Layout, Residual, Sink, SlotKind, Term, Want, Weights};
use crate::model::ModelError;
use crate::program::{Node, Pieces, Source};

pub(crate) struct Kinetic<E, const K: usize, const P: usize> {
    pub name: String,
    pub element: Element<E, K, P, 1>,
}

impl<E: Kernel<K, P, 1>, const K: usize, const P: usize> Kinetic<E, K, P> {
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
    fn coordinates(&self, i: usize) -> [Option<u32>; K] {
        let q = self.element.bent(i, SlotKind::Q);
        let v = self.element.bent(i, SlotKind::V);
        std::array::from_fn(|k| q[k].or(v[k]))
    }
}

impl<E: Kernel<K, P, 1>, const K: usize, const P: usize> ElementGroup for Kinetic<E, K, P> {
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
            Term::M => cross(v, v, out),
            Term::MuQ => cross(v, q, out),
            Term::F(SlotKind::Q) => cross(self.coordinates(i), q, out),
            // The direction of motion depends on v: the columns of the q locals follow.
            _ => cross(self.coordinates(i), v.into_iter().chain(q), out),
        }
    }

    fn pieces(&self, i: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        let el = &self.element;
        let graph = &mut out.graph;
        let [energy] = el.record(i, y, graph)?;
        let (q, v) = (el.inputs(i, SlotKind::Q, graph), el.inputs(i, SlotKind::V, graph));
        let nodes = |list: &[(usize, Node)]| list.iter().map(|x| x.1).collect::<Vec<_>>();
        let momenta = graph.gradient(energy, &nodes(&v));
        let seeds: Vec<_> =
            v.iter().map(|&(slot, node)| (node, graph.input(Source::U, slot))).collect();
        let mu = graph.along(&momenta, &seeds);
        out.add(Want::ENERGY, Pieces::KINETIC, energy);
        v.iter().zip(mu).for_each(|(&(slot, _), mu)| out.add(Want::MU, slot, mu));
        if self.has_force() {
            let graph = &mut out.graph;
            let by_q = graph.gradient(energy, &nodes(&q));
            let seeds = el.moving(i, graph);
            let inertial = graph.along(&momenta, &seeds);
            q.iter().zip(by_q).for_each(|(&(slot, _), force)| out.add(Want::F, slot, force));
            v.iter().zip(inertial).for_each(|(&(slot, _), force)| out.sub(Want::F, slot, force));
        }
        Some(())
    }

    fn residual(&self, y: &[f64], w: &Weights<'_>, want: Want, out: &mut Residual) {
        let el = &self.element;
        let force = want.has(Want::F) && self.has_force();
        if !force && !want.any(Want::MU | Want::ENERGY) {
            return;
        }
        for i in 0..el.len() {
            if want.has(Want::MU) {
                let u = el.gather(i, SlotKind::V, w.u);
                let [(_, gradient)] = el.along(i, y, &u, NO_PARAM);
                for k in (0..K).filter(|&k| self.is_v(k)) {
                    out.mu[el.slot(i, k)] += gradient[k].eps;
                }
            }
            if force {
                let [(_, gradient)] = el.along(i, y, &el.motion(i, y), NO_PARAM);
                for k in 0..K {
                    if self.is_q(k) {
                        out.f[el.slot(i, k)] += gradient[k].re;
                    } else if self.is_v(k) {
                        out.f[el.slot(i, k)] -= gradient[k].eps;
                    }
                }
            }
            if want.has(Want::ENERGY) {
                out.kinetic += el.values(i, y)[0];
            }
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
            let u = el.gather(i, SlotKind::V, w.u);
            let [(_, inertia)] = el.along2(i, y, &u, &[0.0; K], param);
            let [(value, motion)] = el.along2(i, y, &el.motion(i, y), &[0.0; K], param);
            for k in 0..K {
                let slot = el.slot(i, k);
                if self.is_v(k) {
                    if want.has(Want::MU) {
                        out.mu[slot] += inertia[k].eps1eps2;
                    }
                    if want.has(Want::F) {
                        out.f[slot] -= motion[k].eps1eps2;
                    }
                } else if self.is_q(k) && want.has(Want::F) {
                    out.f[slot] += motion[k].eps2;
                }
            }
            if want.has(Want::ENERGY) {
                out.kinetic += value.eps2;
            }
        }
    }

    fn matrix(&self, y: &[f64], w: &Weights<'_>, sink: &mut Sink<'_>) {
        let el = &self.element;
        let mass = sink.wants(Term::M);
        let mass_q = sink.wants(Term::MuQ);
        let force = sink.wants(Term::F(SlotKind::Q)) || sink.wants(Term::F(SlotKind::V));
        for i in 0..el.len() {
            if mass {
                let mut m = [[0.0; K]; K];
                for j in (0..K).filter(|&j| self.is_v(j) && el.bends(j)) {
                    let [(_, gradient)] = el.along(i, y, &unit(j), NO_PARAM);
                    for k in 0..K {
                        m[k][j] = gradient[k].eps;
                    }
                }
                sink.add(Term::M, i, m.as_flattened());
            }
            if mass_q && self.has_force() {
                let u = el.gather(i, SlotKind::V, w.u);
                let mut mu_q = [[0.0; K]; K];
                for j in (0..K).filter(|&j| self.is_q(j) && el.bends(j)) {
                    let [(_, gradient)] = el.along2(i, y, &u, &unit(j), NO_PARAM);
                    for k in 0..K {
                        mu_q[k][j] = gradient[k].eps1eps2;
                    }
                }
                sink.add(Term::MuQ, i, mu_q.as_flattened());
            }
            if force && self.has_force() {
                // h = ∂²T, dh = D_d ∂²T along the motion d = (1, v), column by column.
                let d = el.motion(i, y);
                let mut h = [[0.0; K]; K];
                let mut dh = [[0.0; K]; K];
                for j in (0..K).filter(|&j| (self.is_q(j) || self.is_v(j)) && el.bends(j)) {
                    let [(_, gradient)] = el.along2(i, y, &d, &unit(j), NO_PARAM);
                    for k in 0..K {
                        h[k][j] = gradient[k].eps2;
                        dh[k][j] = gradient[k].eps1eps2;
                    }
                }
                // f_k = T_{q_k} on the q rows and −D_d T_{v_k} on the v rows.
                let by_z: [[f64; K]; K] = std::array::from_fn(|k| {
                    std::array::from_fn(|j| if self.is_q(k) { h[k][j] } else { -dh[k][j] })
                });
                // ∂d/∂v is the unit direction of the same coordinate.
                let by_v: [[[f64; K]; 2]; K] = std::array::from_fn(|k| {
                    let through_d =
                        std::array::from_fn(|j| if self.is_q(k) { 0.0 } else { -h[k][j] });
                    [by_z[k], through_d]
                });
                sink.add(Term::F(SlotKind::Q), i, by_z.as_flattened());
                sink.add(Term::F(SlotKind::V), i, by_v.as_flattened().as_flattened());
            }
        }
    }
}
