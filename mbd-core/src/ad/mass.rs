//! Mass-matrix entries stated directly: `mass[i, j] = m(t, q)`.
//!
//! Unlike a kinetic energy, an entry brings no gyroscopic force: the model states it, as the
//! papers do with M(q) a + Gᵀλ = f.

use crate::equation::{Layout, SlotKind, Term, Want, Weights};
use crate::graph::{Pieces, Source};
use crate::statement::ModelError;
use crate::statement::{Element, Rows, cross, still};
use crate::statement::{ElementGroup, RowSink, Sink, Units};
use crate::statement::{Watch, Watched};
use std::collections::HashSet;
use std::ops::Range;

pub(crate) struct MassEntry {
    pub name: String,
    pub element: Element,
    /// (i, j) per instance.
    pub entries: Vec<(usize, usize)>,
    /// Whether the entry of an instance stands for both M_ij and M_ji: where i ≠ j, unless that of (j, i) is stated too,
    /// by whatever statement and loop. Mass matrices are symmetric in mechanics, not in every test problem (paper 001,
    /// problem (15)).
    pub mirrored: Vec<bool>,
    pub layout: Option<Layout>,
}

impl MassEntry {
    pub fn new(name: String, element: Element, entries: Vec<(usize, usize)>, mirror: bool) -> Self {
        let mirrored = entries.iter().map(|(row, col)| mirror && row != col).collect();
        MassEntry { name, element, entries, mirrored, layout: None }
    }

    /// Adds m·(row i gets u_j, row j gets u_i).
    fn scatter(&self, i: usize, m: f64, u: &[f64], out: &mut RowSink<'_>) {
        let (r, c) = self.entries[i];
        out.add(Want::MU, r, m * u[c]);
        if self.mirrored[i] {
            out.add(Want::MU, c, m * u[r]);
        }
    }

    fn energy(&self, i: usize, m: f64, y: &[f64]) -> f64 {
        let Some(layout) = &self.layout else { return 0.0 };
        let v = &y[layout.range(SlotKind::V)];
        let (r, c) = self.entries[i];
        let factor = if self.mirrored[i] { 1.0 } else { 0.5 };
        factor * m * v[r] * v[c]
    }
}

impl MassEntry {
    /// ½ (v̇ᵀMv − vᵀM v̇) of an entry without its mirror image: what ½ vᵀMv changes by beyond the
    /// power of M v̇.
    fn skew_power(&self, i: usize, m: f64, y: &[f64]) -> f64 {
        let (Some(layout), (r, c)) = (&self.layout, self.entries[i]) else { return 0.0 };
        if self.mirrored[i] || r == c {
            return 0.0;
        }
        let (v, a) = (&y[layout.range(SlotKind::V)], &y[layout.range(SlotKind::A)]);
        0.5 * m * (a[r] * v[c] - v[r] * a[c])
    }
}

impl ElementGroup for MassEntry {
    fn name(&self) -> &str {
        &self.name
    }

    fn instances(&self) -> usize {
        self.element.len()
    }

    fn stated_entries(&self, out: &mut HashSet<(usize, usize)>) {
        out.extend(&self.entries);
    }

    fn mirror_unless(&mut self, stated: &HashSet<(usize, usize)>) {
        for (mirrored, &(row, col)) in self.mirrored.iter_mut().zip(&self.entries) {
            *mirrored &= !stated.contains(&(col, row));
        }
    }

    fn bind(&mut self, layout: &Layout, initial: &[f64]) -> Result<(), ModelError> {
        self.layout = Some(*layout);
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
        // Offered for a time-dependent entry as well: it says that the mass matrix changes.
        if self.element.reads(SlotKind::Q) || self.element.reads(SlotKind::T) {
            terms.push(Term::MuQ);
        }
        terms
    }

    fn entries(&self, term: Term, i: usize, out: &mut Vec<Option<(u32, u32)>>) {
        let (r, c) = self.entries[i];
        let (r, c) = (r as u32, c as u32);
        let other = self.mirrored[i].then_some((c, r));
        if term == Term::M {
            out.extend([Some((r, c)), other]);
        } else {
            let q = self.element.indices(i, SlotKind::Q);
            cross([Some(r), other.map(|(row, _)| row)], q, out);
        }
    }

    fn balances(&self) -> bool {
        true
    }

    fn pieces(&self, i: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        let mass = self.element.record(i, y, &mut out.graph)?[0];
        let v = self.layout.as_ref()?.range(SlotKind::V).start;
        let (r, c) = self.entries[i];
        let factor = if self.mirrored[i] { 1.0 } else { 0.5 };
        let graph = &mut out.graph;
        let (v_r, v_c) = (graph.input(Source::Point, v + r), graph.input(Source::Point, v + c));
        let (u_r, u_c) = (graph.input(Source::U, r), graph.input(Source::U, c));
        let square = graph.mul(v_r, v_c);
        let energy = graph.mul(mass, square);
        let energy = graph.scale(factor, energy);
        let (row, mirrored) = (graph.mul(mass, u_c), graph.mul(mass, u_r));
        let moving = self.element.moving(i, graph);
        let change = graph.along(&[mass], &moving)[0];
        let change = graph.mul(change, square);
        let mut work = graph.scale(factor, change);
        if !self.mirrored[i] && r != c {
            // ½ d/dt vᵀMv is not v·M v̇ of an entry without its mirror image.
            let a = self.layout.as_ref()?.range(SlotKind::A).start;
            let (a_r, a_c) = (graph.input(Source::Point, a + r), graph.input(Source::Point, a + c));
            let (forward, backward) = (graph.mul(a_r, v_c), graph.mul(v_r, a_c));
            let skew = graph.sub(forward, backward);
            let skew = graph.mul(mass, skew);
            let skew = graph.scale(0.5, skew);
            work = graph.add(work, skew);
        }
        out.add(Want::BALANCE, RowSink::INERTIAL, energy);
        out.add(Want::BALANCE, RowSink::WORK, work);
        out.add(Want::ENERGY, RowSink::KINETIC, energy);
        out.add(Want::MU, r, row);
        if self.mirrored[i] {
            out.add(Want::MU, c, mirrored);
        }
        Some(())
    }

    fn units(&self, i: usize, y: &[f64], units: &mut Units<'_>) {
        let (row, col) = self.entries[i];
        let speeds = units.of(SlotKind::V, row).zip(units.of(SlotKind::V, col));
        let expected = speeds.map(|(row, col)| units.energy().per(row).per(col));
        for row in self.element.quantities(i, y, &self.name, units) {
            units.require(&self.name, "the entry", row, expected);
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
        if !want.any(Want::MU | Want::ENERGY | Want::BALANCE) {
            return;
        }
        let mut row = Rows::default();
        for i in instances {
            let m = self.element.value(i, y);
            if want.has(Want::BALANCE) {
                let el = &self.element;
                el.gradients(i, y, &mut row);
                let slopes = row.gradient(0).iter().enumerate();
                let change: f64 = slopes.map(|(k, slope)| slope * el.motion(i, y, k)).sum();
                let work = self.energy(i, change, y) + self.skew_power(i, m, y);
                out.add(Want::BALANCE, RowSink::INERTIAL, self.energy(i, m, y));
                out.add(Want::BALANCE, RowSink::WORK, work);
            }
            if want.has(Want::MU) {
                self.scatter(i, m, w.u, out);
            }
            if want.has(Want::ENERGY) {
                out.add(Want::ENERGY, RowSink::KINETIC, self.energy(i, m, y));
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
        let mut row = Rows::default();
        for i in (0..el.len()).filter(|&i| el.reads_param(i, param)) {
            el.along(i, y, still, param, &mut row);
            let m = row.value(0);
            if want.has(Want::MU) {
                self.scatter(i, m.eps, w.u, out);
            }
            if want.has(Want::ENERGY) {
                out.add(Want::ENERGY, RowSink::KINETIC, self.energy(i, m.eps, y));
            }
        }
    }

    fn matrix(&self, instances: Range<usize>, y: &[f64], w: &Weights<'_>, sink: &mut Sink<'_>) {
        let (mass, mass_q) = (sink.wants(Term::M), sink.wants(Term::MuQ));
        if !mass && !mass_q {
            return;
        }
        let (mut row, mut block) = (Rows::default(), Vec::new());
        for i in instances {
            let (r, c) = self.entries[i];
            if mass_q {
                self.element.gradients(i, y, &mut row);
                let m = row.value(0);
                sink.add(Term::M, i, &[m, m]);
                block.clear();
                for u in [w.u[c], w.u[r]] {
                    block.extend(row.gradient(0).iter().map(|g| g * u));
                }
                sink.add(Term::MuQ, i, &block);
            } else {
                let m = self.element.value(i, y);
                sink.add(Term::M, i, &[m, m]);
            }
        }
    }
}
