//! `force … along s = F`: forces F (R rows) along position expressions s(t, q, w), by virtual work
//! Q = (∂s/∂q)ᵀ F.
//!
//! Of the variables w an expression may read the coordinates of massless nodes, whose row of `Want::W` is the
//! balance of all forces on them, 0 = −Σ (∂s/∂w)ᵀ F. What these do at a rate of w adds up to nothing, so that
//! the power balance does without it.

use crate::equation::{Layout, SlotKind, Term, Want, Weights};
use crate::graph::{Acting, Node, Pieces};
use crate::scalar::Notes;
use crate::statement::Jumps;
use crate::statement::ModelError;
use crate::statement::{Element, OnSurface, Rows, cross, still, zeros};
use crate::statement::{ElementGroup, RowSink, Sink, Surfaces, Units};
use crate::statement::{Watch, Watched};
use std::ops::Range;

pub(crate) struct ForceAlong {
    pub name: String,
    pub along: Element,
    pub force: Element,
}

/// What forces act on: coordinates, in the equations of motion, and massless nodes, in their balance; with the
/// sign there.
const ACTED_ON: [(SlotKind, Want, f64); 2] =
    [(SlotKind::Q, Want::F, 1.0), (SlotKind::W, Want::W, -1.0)];

/// The same, as it is written down.
fn acting(row: SlotKind) -> Acting {
    if row == SlotKind::W { Acting::Node } else { Acting::Force }
}

/// The derivative of such a row.
fn term(row: SlotKind, by: SlotKind) -> Term {
    if row == SlotKind::W { Term::W(by) } else { Term::F(by) }
}

impl ForceAlong {
    /// Of [`ACTED_ON`] those that there are.
    fn acted_on(&self) -> impl Iterator<Item = (SlotKind, Want, f64)> + '_ {
        ACTED_ON.into_iter().filter(|&(kind, ..)| self.bends_along(kind))
    }

    /// Whether rows may depend on scalars of this kind by their direction.
    fn bends_along(&self, kind: SlotKind) -> bool {
        kind == SlotKind::Q || (kind == SlotKind::W && self.along.reads(kind))
    }

    /// The kinds of scalars that rows may depend on.
    fn columns(&self) -> impl Iterator<Item = SlotKind> + '_ {
        SlotKind::ALL.into_iter().filter(|&kind| {
            self.bends_along(kind) || (kind != SlotKind::T && self.force.reads(kind))
        })
    }
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

    fn on_surfaces(&self, out: &mut Vec<OnSurface>) {
        self.force.on_surfaces(out);
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

    fn reads(&self, i: usize, flat: usize) -> bool {
        self.along.reads_param(i, flat as u32) || self.force.reads_param(i, flat as u32)
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
        let rows = self.acted_on();
        rows.flat_map(|(row, ..)| self.columns().map(move |by| term(row, by))).collect()
    }

    fn entries(&self, of: Term, i: usize, out: &mut Vec<Option<(u32, u32)>>) {
        let (row, by) = match of {
            Term::F(by) => (SlotKind::Q, by),
            Term::W(by) => (SlotKind::W, by),
            _ => return,
        };
        cross(self.along.indices(i, row), self.force.indices(i, by), out);
        if self.bends_along(by) {
            cross(self.along.bent(i, row), self.along.bent(i, by), out);
        }
    }

    fn balances(&self) -> bool {
        true
    }

    fn acts_on(&self, i: usize) -> Vec<usize> {
        self.along.of_kind(SlotKind::Q).map(|k| self.along.slot(i, k)).collect()
    }

    fn pieces(&self, i: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        let along = self.along.record(i, y, &mut out.graph)?;
        let forces = self.force.record(i, y, &mut out.graph)?;
        let weighted: Vec<(Node, Node)> = along.into_iter().zip(forces).collect();
        let rates = self.along.rates(i, (SlotKind::Q, SlotKind::V), &mut out.graph);
        out.work(&weighted, &rates);
        for (kind, ..) in self.acted_on() {
            let on = self.along.nodes(i, kind, &mut out.graph);
            out.act(acting(kind), &weighted, &on);
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
        if !want.any(Want::F | Want::W | Want::BALANCE) {
            return;
        }
        let (mut along, mut force) = (Rows::default(), Vec::new());
        for i in instances {
            self.force.values(i, y, &mut force);
            self.along.gradients(i, y, &mut along);
            for ((_, slopes), force) in along.iter().zip(&force) {
                for (kind, to, sign) in self.acted_on().filter(|&(_, to, _)| want.has(to)) {
                    for k in self.along.of_kind(kind) {
                        out.add(to, self.along.slot(i, k), sign * slopes[k] * force);
                    }
                }
                if want.has(Want::BALANCE) {
                    for k in self.along.of_kind(SlotKind::Q) {
                        let rate = self.along.beside(i, y, SlotKind::V, k);
                        out.add(Want::BALANCE, RowSink::WORK, slopes[k] * force * rate);
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
        if !want.any(Want::F | Want::W) {
            return;
        }
        let (mut along, mut force) = (Rows::default(), Rows::default());
        for i in 0..self.along.len() {
            if !self.along.reads_param(i, param) && !self.force.reads_param(i, param) {
                continue;
            }
            self.along.along(i, y, still, param, &mut along);
            self.force.along(i, y, still, param, &mut force);
            for ((_, slopes), (force, _)) in along.iter().zip(force.iter()) {
                for (kind, to, sign) in self.acted_on().filter(|&(_, to, _)| want.has(to)) {
                    for k in self.along.of_kind(kind) {
                        let slope = slopes[k].eps * force.re + slopes[k].re * force.eps;
                        out.add(to, self.along.slot(i, k), sign * slope);
                    }
                }
            }
        }
    }

    fn matrix(&self, instances: Range<usize>, y: &[f64], _: &Weights<'_>, sink: &mut Sink<'_>) {
        if !self.terms().iter().any(|&term| sink.wants(term)) {
            return;
        }
        let (ks, kf) = (self.along.locals(), self.force.locals());
        let (mut along, mut force, mut column) =
            (Rows::default(), Rows::default(), Rows::default());
        let (mut forces, mut f_z, mut f_s) = (Vec::new(), Vec::new(), Vec::new());
        for i in instances {
            self.along.gradients(i, y, &mut along);
            self.force.gradients(i, y, &mut force);
            for (row, _, sign) in self.acted_on() {
                // (∂s/∂row)ᵀ F_z
                zeros(&mut f_z, ks * kf);
                for ((_, slopes), (_, f)) in along.iter().zip(force.iter()) {
                    for k in 0..ks {
                        for j in 0..kf {
                            f_z[k * kf + j] += sign * slopes[k] * f[j];
                        }
                    }
                }
                // Σ_r F_r ∂²s_r, column by column; entries follow those of (∂s/∂row)ᵀ F_by.
                forces.clear();
                forces.extend(force.iter().map(|(force, _)| sign * force));
                for by in self.columns() {
                    if !sink.wants(term(row, by)) {
                        continue;
                    }
                    sink.add(term(row, by), i, &f_z);
                    if self.bends_along(by) {
                        let column_of = |kind| kind == by;
                        self.along.hessian(i, y, &forces, column_of, &mut column, &mut f_s);
                        sink.add_from(term(row, by), i, ks * kf, &f_s);
                    }
                }
            }
        }
    }
}
