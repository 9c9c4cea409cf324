//! What decides in a model by the motion itself: contacts, limits, friction.
//!
//! Where a comparison changes its outcome the right-hand side has a kink or a jump, which no formula
//! is made for and an estimate may be blind for. So each step says which outcomes it passes through:
//! they are looked at along its interpolation, and a step that passes a change is taken again to end
//! there. No event is handled: it is a choice of the step size.

use super::timetable::sign;
use crate::assembly::{ElementGroup, Point, Residual, System, Want};
use crate::program::{Compiled, Pieces, Recording, Writes};
use crate::scalar::{Watch, Watched};
use std::cell::RefCell;

/// Instants within a step at which outcomes are looked at, as parts of it. Not in a ratio that a motion
/// could have too.
pub(super) const INSTANTS: [f64; 4] = [0.213, 0.467, 0.739, 1.0];

/// A change is located to this part of a step.
pub(super) const LOCATED: f64 = 1e-9;

/// The values whose signs decide.
pub(super) struct Guards<'a> {
    /// As programs, and what they give.
    programs: Compiled,
    values: Residual,
    /// The instances of statements that no program can be made of.
    others: Vec<(&'a dyn ElementGroup, usize)>,
    watched: Watched,
}

impl<'a> Guards<'a> {
    pub(super) fn new(system: &'a System) -> Self {
        let point = system.initial_point();
        let mut rows = 0;
        let comparing = system.groups().filter(|group| group.sees().comparisons);
        let groups: Vec<Comparing<'a>> =
            comparing.map(|group| Comparing::new(group, point.flat(), &mut rows)).collect();
        let recording = Recording::new(&groups, system.layout(), point.flat());
        let programs = recording.values();
        let others = programs.plain.iter().flat_map(|&index| {
            let group = groups[index].group;
            (0..group.instances()).map(move |instance| (group, instance))
        });
        Guards {
            values: Residual { f: vec![0.0; rows], ..Default::default() },
            others: others.collect(),
            programs,
            watched: Watched::default(),
        }
    }

    /// Whether nothing is compared.
    pub(super) fn is_empty(&self) -> bool {
        self.values.f.is_empty() && self.others.is_empty()
    }

    /// The signs that decide at a point.
    pub(super) fn signs(&mut self, at: &Point, out: &mut Vec<i8>) {
        out.clear();
        let sources = [at.flat(), &[], &[], &[], &[]];
        self.programs.evaluate(&sources, Some((Want::F, &mut self.values)), &mut [], false);
        if self.programs.is_due() {
            self.programs.make();
        }
        self.watched.decisions.clear();
        let ask = Watch { comparisons: true, ..Watch::default() };
        for (group, instance) in &self.others {
            group.watch(*instance, at.flat(), ask, &mut self.watched);
        }
        out.extend(self.values.f.iter().chain(&self.watched.decisions).map(|&x| sign(x)));
    }
}

/// A statement that compares, to be written down by the values whose signs decide.
struct Comparing<'a> {
    group: &'a dyn ElementGroup,
    /// The number of each instance's first value.
    rows: Vec<usize>,
    watched: RefCell<Watched>,
}

impl<'a> Comparing<'a> {
    /// `rows`: how many values there are before, and then with these.
    fn new(group: &'a dyn ElementGroup, y: &[f64], rows: &mut usize) -> Self {
        let mut watched = Watched::default();
        let ask = Watch { comparisons: true, ..Default::default() };
        let mut first = |instance| {
            let first = *rows;
            watched.decisions.clear();
            group.watch(instance, y, ask, &mut watched);
            *rows += watched.decisions.len();
            first
        };
        let rows = (0..group.instances()).map(&mut first).collect();
        Comparing { group, rows, watched: RefCell::default() }
    }
}

impl Writes for Comparing<'_> {
    fn instances(&self) -> usize {
        self.group.instances()
    }

    fn pieces(&self, instance: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        let watched = &mut *self.watched.borrow_mut();
        watched.expressions = Some(Vec::new());
        std::mem::swap(&mut watched.graph, &mut out.graph);
        let ask = Watch { expressions: true, ..Default::default() };
        self.group.watch(instance, y, ask, watched);
        std::mem::swap(&mut watched.graph, &mut out.graph);
        for (row, node) in (self.rows[instance]..).zip(watched.expressions.take()?) {
            out.add(Want::F, row, node);
        }
        Some(())
    }
}
