//! Points of a model at which its joints are released: reactions in joint coordinates.
//!
//! A released model has displacements of joints behind its coordinates, and the rows that hold them behind the
//! holonomic rows that the model states ([`ModelBuilder::released`](crate::model::ModelBuilder::released)). In the
//! motion displacements are zero; the multiplier of row −displacement = 0 is then what the balance of the
//! displacement lacks, M a + Gᵀλ + Kᵀψ − f with the multipliers of all others.

use crate::ad::OutputGroup;
use crate::equation::{Layout, Point, Residual, SlotKind, Want};
use crate::graph::Pieces;
use crate::model::Model;
use crate::program::{Compiled, Recording, Writes};

/// The pieces of that balance are `pieces.mu`, `pieces.reaction`, `pieces.f`, at the point that [`displaced`]
/// gives. Over the instant of a blow these are M (v⁺ − v⁻), the impulses of constraints, and those that are given.
pub(super) fn react(of: &Layout, stated: usize, pieces: &Residual, out: &mut Point) {
    let (n, held) = (of.dims.n, out.layout().dims.n - of.dims.n);
    for k in 0..held {
        let i = n + k;
        out.lambda_mut()[stated + k] = pieces.mu[i] + pieces.reaction[i] - pieces.f[i];
    }
}

/// The point of a released model that is where the model is at `at`, with nothing for the reactions of
/// joints yet. `stated`: how many holonomic rows come before these.
pub(super) fn displaced(released: &Layout, stated: usize, at: &Point) -> Point {
    let of = at.layout();
    let mut out = Point::new(*released, at.params());
    for kind in SlotKind::ALL.into_iter().filter(|kind| *kind != SlotKind::Lambda) {
        let values = at.get(kind);
        out.get_mut(kind)[..values.len()].copy_from_slice(values);
    }
    let held = released.dims.m - of.dims.m;
    let (first, contacts) = at.lambda().split_at(stated);
    out.lambda_mut()[..stated].copy_from_slice(first);
    out.lambda_mut()[stated + held..].copy_from_slice(contacts);
    // Discrete values, courses of inputs, sides: what a point has behind its parameters.
    let behind = at.flat().len() - of.params().end;
    let first = released.params().end;
    out.flat_mut()[first..][..behind].copy_from_slice(&at.flat()[of.params().end..]);
    out
}

/// The outputs of a released model as one program: those of a mechanism in joint coordinates read frames along the
/// whole tree, which they have in common.
pub(super) struct Outputs {
    program: Compiled,
    /// The first value of each group, and after the last the number of all.
    first: Vec<usize>,
}

/// A group of outputs with the number of its first value.
struct Numbered<'m>(&'m dyn OutputGroup, usize);

impl Writes for Numbered<'_> {
    fn instances(&self) -> usize {
        self.0.instances()
    }

    fn pieces(&self, instance: usize, y: &[f64], out: &mut Pieces) -> Option<()> {
        self.0.pieces(instance, y, self.1, out)
    }
}

impl Outputs {
    pub(super) fn new(model: &Model, initial: &Point) -> Self {
        let (mut values, mut first) = (Vec::new(), vec![0]);
        for group in &model.output_groups {
            group.values(initial.flat(), &mut values);
            first.push(values.len());
        }
        let groups = model.output_groups.iter().zip(&first);
        let groups: Vec<_> = groups.map(|(group, &first)| Numbered(&**group, first)).collect();
        let recording = Recording::of_values(&groups, model.layout(), initial.flat());
        Outputs { program: recording.values(Want::F), first }
    }

    /// Appends the values at a point.
    pub(super) fn values(&self, model: &Model, at: &Point, out: &mut Vec<f64>) {
        let all = self.first.last().copied().unwrap_or(0);
        let mut values = Residual { f: vec![0.0; all], ..Residual::default() };
        let sources = [at.flat(), &[], &[], &[], &[]];
        self.program.evaluate(&sources, Some((Want::F, &mut values)), &mut [], false);
        if self.program.is_due() {
            self.program.make();
        }
        let mut group = Vec::new();
        for &k in &self.program.plain {
            group.clear();
            model.output_groups[k].values(at.flat(), &mut group);
            values.f[self.first[k]..][..group.len()].copy_from_slice(&group);
        }
        out.extend(values.f);
    }
}
