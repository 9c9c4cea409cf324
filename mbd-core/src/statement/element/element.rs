//! A kernel bound to its instances and to a layout: what each of them reads, and its operations written
//! down on a tape.

use super::instances::List;
use super::kernel::Body;
use crate::equation::{Layout, SlotKind};
use crate::graph::{Node, Recorder};
use crate::scalar::{HeldBy, Num, Tape, Trace};
use crate::statement::share::ShareOf;
use std::cell::RefCell;
use std::sync::Arc;

/// A kernel bound to its instances and to a layout.
pub(crate) struct Element {
    pub(crate) body: Arc<dyn Body>,
    pub(crate) list: List,
    pub(super) rows: usize,
    pub(super) layout: Option<Layout>,
    /// Locals that the rows of some instance are nonlinear in: the only ones second derivatives
    /// are taken by.
    pub(crate) nonlinear: Vec<bool>,
    /// Whether an instance decides by comparing values.
    pub(crate) compares: bool,
    pub(crate) sides: Sides,
    /// Of each guard of each instance that the motion can slide along, one after the other: the local that
    /// is the share of one side, and whether it is that of the negative one; empty when there are none.
    pub(crate) shares: Vec<Option<(u32, bool)>>,
    /// How many of the last locals are shares.
    pub(crate) share_count: usize,
    /// What tells the scalars that it reads, where some are told: its body runs that before its own kernel.
    pub(super) carried: Option<Arc<dyn Told>>,
    /// Tells it from all other elements.
    pub(super) id: u64,
}

/// What tells scalars that an element of one instance reads.
pub(super) trait Told: Send + Sync {
    /// Whether the kernel, or what tells what it reads, compares values.
    fn compares(&self, of: &Element, y: &[f64]) -> bool;

    /// Writes the rows down in a graph, by what is told there already.
    fn record(&self, of: &Element, y: &[f64], graph: &mut Recorder) -> Option<Vec<Node>>;
}

/// A guard without a side.
pub(crate) const NO_SIDE: u32 = u32::MAX;

/// The sides on which the guards of the instances can be held.
#[derive(Default)]
pub(crate) struct Sides {
    /// Where each instance's guards begin, and where the last ones end; empty when there are none.
    pub(crate) first: Vec<u32>,
    /// Of each guard the flat index of its side, or [`NO_SIDE`].
    pub(super) flat: Vec<u32>,
}

impl Sides {
    /// Those of an instance's guards, in the order in which they are met.
    pub(crate) fn of(&self, i: usize) -> &[u32] {
        match self.first.get(i..i + 2) {
            Some(&[from, to]) => &self.flat[from as usize..to as usize],
            _ => &[],
        }
    }

    /// Takes other sides of all guards, if they are as many.
    pub(crate) fn replace(&mut self, flat: Vec<u32>) -> bool {
        let fits = flat.len() == self.flat.len();
        if fits {
            self.flat = flat;
        }
        fits
    }

    /// Those that there are.
    pub(super) fn held(&self, i: usize) -> impl Iterator<Item = u32> + Clone {
        self.of(i).iter().copied().filter(|&flat| flat != NO_SIDE)
    }
}

/// What evaluating elements takes room for.
#[derive(Default)]
pub(crate) struct Work {
    pub(crate) tape: Tape,
    sides: Vec<Option<HeldBy>>,
}

thread_local! {
    pub(super) static WORK: RefCell<Work> = RefCell::default();
}

impl Element {
    /// The flat indices of locals and parameters of an instance.
    pub(crate) fn flats(&self, i: usize) -> impl Iterator<Item = u32> + Clone {
        self.list.flat(i).iter().chain(self.list.params(i)).copied()
    }

    /// The values of locals and parameters of an instance.
    pub(super) fn inputs(&self, i: usize, y: &[f64]) -> impl Iterator<Item = f64> {
        self.flats(i).map(|flat| y[flat as usize])
    }

    pub(super) fn run(&self, i: usize, inputs: &[Num<Trace>], rows: &mut [Num<Trace>]) {
        let (z, p) = inputs.split_at(self.locals());
        self.body.run(self.list.at(i), z, p, rows);
    }

    /// Writes the kernel's operations down and does something with them.
    pub(crate) fn recorded<T>(&self, i: usize, y: &[f64], f: impl FnOnce(&mut Work) -> T) -> T {
        WORK.with_borrow_mut(|work| {
            let run = |inputs: &[_], rows: &mut [_]| self.run(i, inputs, rows);
            work.tape.record(self.inputs(i, y), self.rows, run);
            f(work)
        })
    }

    /// The same with the guards held on the sides that the point says.
    pub(super) fn recorded_held<T>(
        &self,
        i: usize,
        y: &[f64],
        f: impl FnOnce(&mut Work) -> T,
    ) -> T {
        if self.sides.first.is_empty() {
            return self.recorded(i, y, f);
        }
        WORK.with_borrow_mut(|work| {
            work.sides.clear();
            work.sides.extend(self.held_by(i));
            let inputs = self.held_flats(i).map(|flat| y[flat as usize]);
            let run = |inputs: &[_], rows: &mut [_]| self.run(i, inputs, rows);
            work.tape.record_held(inputs, &work.sides, self.rows, run);
            f(work)
        })
    }

    /// Of each guard of an instance which inputs hold it.
    pub(super) fn held_by(&self, i: usize) -> impl Iterator<Item = Option<HeldBy>> + Clone {
        let mut input = self.list.flat(i).len() + self.list.params(i).len();
        let shares = self.shares_of(i).iter().copied().chain(std::iter::repeat(None));
        self.sides.of(i).iter().zip(shares).map(move |(&flat, share)| {
            (flat != NO_SIDE).then(|| {
                input += 1;
                HeldBy { side: (input - 1) as u32, share }
            })
        })
    }

    /// The flat indices of locals, parameters and sides of an instance.
    pub(super) fn held_flats(&self, i: usize) -> impl Iterator<Item = u32> + Clone {
        self.flats(i).chain(self.sides.held(i))
    }

    /// Of each guard of an instance the local that is its share, and whether it is turned.
    pub(crate) fn shares_of(&self, i: usize) -> &[Option<(u32, bool)>] {
        match self.sides.first.get(i..i + 2) {
            Some(&[from, to]) if !self.shares.is_empty() => {
                &self.shares[from as usize..to as usize]
            }
            _ => &[],
        }
    }

    /// Of each guard of an instance the surface, by its share, and whether the guard is the negative of it.
    pub(crate) fn surfaces(&self, i: usize) -> impl Iterator<Item = Option<(ShareOf, bool)>> + '_ {
        let slots = self.list.slots(i);
        let of = |local: u32| {
            let slot = slots[local as usize] as usize;
            match self.kind(local as usize) {
                SlotKind::W => ShareOf::States(slot),
                _ => ShareOf::Speeds(slot),
            }
        };
        let shares = self.shares_of(i).iter();
        shares.map(move |share| share.map(|(local, turned)| (of(local), turned)))
    }

    /// Where scalars live, once it is bound.
    pub(crate) fn layout(&self) -> Option<&Layout> {
        self.layout.as_ref()
    }

    /// Number of instances.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Number of locals.
    pub(crate) fn locals(&self) -> usize {
        self.list.kinds.len()
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The kind of local `k`.
    pub(crate) fn kind(&self, k: usize) -> SlotKind {
        self.list.kinds[k]
    }

    /// Index within its kind of local `k` of instance `i`.
    pub(crate) fn slot(&self, i: usize, k: usize) -> usize {
        self.list.slots(i)[k] as usize
    }

    pub(crate) fn is(&self, k: usize, kind: SlotKind) -> bool {
        self.kind(k) == kind
    }

    /// The locals of a kind.
    pub(crate) fn of_kind(&self, kind: SlotKind) -> impl Iterator<Item = usize> {
        (0..self.locals()).filter(move |&k| self.is(k, kind))
    }

    pub(crate) fn reads(&self, kind: SlotKind) -> bool {
        self.list.kinds.contains(&kind)
    }

    /// True when instance `i` reads the parameter, or time, at this flat offset.
    pub(crate) fn reads_param(&self, i: usize, param: u32) -> bool {
        self.flats(i).any(|flat| flat == param)
    }

    /// Global index of every local of `kind`, `None` for the others.
    pub(crate) fn indices(
        &self,
        i: usize,
        kind: SlotKind,
    ) -> impl Iterator<Item = Option<u32>> + Clone {
        let slots = self.list.slots(i);
        self.list.kinds.iter().zip(slots).map(move |(&of, &slot)| (of == kind).then_some(slot))
    }

    /// Global index of every local of `kind` that the rows are nonlinear in.
    pub(crate) fn bent(
        &self,
        i: usize,
        kind: SlotKind,
    ) -> impl Iterator<Item = Option<u32>> + Clone {
        let indices = self.indices(i, kind);
        indices.zip(&self.nonlinear).map(|(index, &bends)| index.filter(|_| bends))
    }

    /// Whether second derivatives by local `k` can be nonzero.
    pub(crate) fn bends(&self, k: usize) -> bool {
        self.nonlinear[k]
    }

    /// Local `k`'s part of a vector over one kind.
    pub(crate) fn gather(&self, i: usize, kind: SlotKind, vector: &[f64], k: usize) -> f64 {
        if self.is(k, kind) { vector[self.slot(i, k)] } else { 0.0 }
    }

    /// The scalar of another kind that belongs to local `k`, as v to a coordinate.
    pub(crate) fn beside(&self, i: usize, y: &[f64], kind: SlotKind, k: usize) -> f64 {
        y[self.layout.map_or(0, |l| l.range(kind).start) + self.slot(i, k)]
    }

    /// Local `k`'s part of the direction (t, q) → (1, v), with v → 0: along which g, k and
    /// p = ∂T/∂v change by motion.
    pub(crate) fn motion(&self, i: usize, y: &[f64], k: usize) -> f64 {
        match self.kind(k) {
            SlotKind::T => 1.0,
            SlotKind::Q => {
                y[self.layout.map_or(0, |l| l.range(SlotKind::V).start) + self.slot(i, k)]
            }
            _ => 0.0,
        }
    }
}
