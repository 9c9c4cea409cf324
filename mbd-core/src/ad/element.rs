//! The element: one statement's kernel with the scalars each of its instances reads, and the
//! three derivative passes over it (gradient; gradient along one direction; along two).

use crate::assembly::{Layout, SlotKind};
use crate::model::ModelError;
use crate::program::{Node, Recorder, Source};
use crate::scalar::{
    Dual64, Grad, HyperDual64, Num, Scalar, TRACED, Trace, constants, directed, directed2,
    expression, input, local, num, plain, recorded, seed, sets, split, traced,
};

/// A statement's expression as a function of the `K` scalars and `P` parameters it reads,
/// returning `R` rows. What `mechanism!` writes; may be written by hand.
pub trait Kernel<const K: usize, const P: usize, const R: usize>: Send + Sync + 'static {
    /// Evaluates the rows. `at` holds the values of the enclosing loop indices, outermost first.
    fn eval<D: Scalar>(&self, at: &[usize], z: &[Num<D>; K], p: &[Num<D>; P]) -> [Num<D>; R];
}

/// The scalars each instance of a statement reads: one instance per loop iteration, exactly one
/// for a statement outside loops. The kind of a local is common to all instances.
#[derive(Clone, Debug)]
pub struct Instances<const K: usize, const P: usize> {
    pub(crate) kinds: [SlotKind; K],
    list: Vec<Instance<K, P>>,
    /// Loop indices of all instances.
    at: Vec<usize>,
}

#[derive(Clone, Debug)]
struct Instance<const K: usize, const P: usize> {
    /// First loop index, and how many.
    at: (u32, u32),
    slots: [u32; K],
    params: [u32; P],
    flat: [u32; K],
}

impl<const K: usize, const P: usize> Instances<K, P> {
    /// No instances yet; `kinds[k]` says what local `k` is.
    pub fn new(kinds: [SlotKind; K]) -> Self {
        Instances { kinds, list: Vec::new(), at: Vec::new() }
    }

    /// Adds an instance: loop indices, the index of each local within its kind, and the flat
    /// index of each parameter.
    pub fn push(&mut self, at: &[usize], slots: [usize; K], params: [usize; P]) {
        self.list.push(Instance {
            at: (self.at.len() as u32, at.len() as u32),
            slots: slots.map(|s| s as u32),
            params: params.map(|s| s as u32),
            flat: [0; K],
        });
        self.at.extend(at);
    }

    /// Loop indices of an instance.
    #[inline(always)]
    fn at(&self, inst: &Instance<K, P>) -> &[usize] {
        &self.at[inst.at.0 as usize..][..inst.at.1 as usize]
    }

    /// Number of instances.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// True without instances (an empty loop).
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// A parameter no element reads; stands for "no parameter direction".
pub(crate) const NO_PARAM: u32 = u32::MAX;

/// A kernel bound to its instances and to a layout.
pub(crate) struct Element<E, const K: usize, const P: usize, const R: usize> {
    kernel: E,
    pub(crate) inst: Instances<K, P>,
    layout: Option<Layout>,
    /// Locals that the rows of some instance are nonlinear in: the only ones second derivatives
    /// are taken by.
    nonlinear: [bool; K],
}

impl<E: Kernel<K, P, R>, const K: usize, const P: usize, const R: usize> Element<E, K, P, R> {
    pub(crate) fn new(kernel: E, inst: Instances<K, P>) -> Self {
        Element { kernel, inst, layout: None, nonlinear: [true; K] }
    }

    /// Resolves slots to flat offsets, checking every index, and traces dependence at the flat
    /// point `initial`.
    pub(crate) fn bind(
        &mut self,
        statement: &str,
        layout: &Layout,
        initial: &[f64],
    ) -> Result<(), ModelError> {
        for inst in &mut self.inst.list {
            for k in 0..K {
                let (kind, index) = (self.inst.kinds[k], inst.slots[k] as usize);
                let range = layout.range(kind);
                if index >= range.len() {
                    return Err(ModelError::SlotOutOfRange {
                        statement: statement.into(),
                        kind,
                        index,
                        len: range.len(),
                    });
                }
                inst.flat[k] = (range.start + index) as u32;
            }
            let params = layout.params();
            for p in &mut inst.params {
                if *p as usize >= params.len() {
                    return Err(ModelError::ParamOutOfRange {
                        statement: statement.into(),
                        index: *p as usize,
                        len: params.len(),
                    });
                }
                *p += params.start as u32;
            }
        }
        self.layout = Some(*layout);
        self.trace(initial);
        Ok(())
    }

    /// Finds out which locals the rows are nonlinear in, over all instances, at the point `y`
    /// (only comparisons, which end the search, would make it depend on the point).
    fn trace(&mut self, y: &[f64]) {
        if K > TRACED {
            return;
        }
        let mut nonlinear = 0;
        for (i, inst) in self.inst.list.iter().enumerate() {
            let z0 = self.z(i, y);
            let z = std::array::from_fn(|k| local(z0[k], k));
            let p = inst.params.map(|f| num(y[f as usize]));
            let (rows, compared) = traced(|| self.kernel.eval::<Trace>(self.inst.at(inst), &z, &p));
            if compared {
                return;
            }
            nonlinear |= rows.map(|row| sets(row).1).into_iter().fold(0, |a, b| a | b);
        }
        self.nonlinear = std::array::from_fn(|k| nonlinear >> k & 1 == 1);
    }

    /// Writes the rows of instance `i` down in `graph`; `None` when they compare values.
    pub(crate) fn record(&self, i: usize, y: &[f64], graph: &mut Recorder) -> Option<[Node; R]> {
        let inst = &self.inst.list[i];
        let mut read = |f: u32| input(y[f as usize], graph.input(Source::Point, f as usize));
        let z = inst.flat.map(&mut read);
        let p = inst.params.map(&mut read);
        let rows = recorded(graph, || self.kernel.eval::<Trace>(self.inst.at(inst), &z, &p))?;
        Some(rows.map(|row| expression(row, graph)))
    }

    /// The nodes of the locals of `kind`, with the index of each within its kind; once where
    /// several locals are one scalar.
    pub(crate) fn inputs(
        &self,
        i: usize,
        kind: SlotKind,
        graph: &mut Recorder,
    ) -> Vec<(usize, Node)> {
        let inst = &self.inst.list[i];
        let mut inputs: Vec<(usize, Node)> = Vec::new();
        for k in (0..K).filter(|&k| self.is(k, kind)) {
            let slot = self.slot(i, k);
            if inputs.iter().all(|x| x.0 != slot) {
                inputs.push((slot, graph.input(Source::Point, inst.flat[k] as usize)));
            }
        }
        inputs
    }

    /// The direction of [`motion`](Self::motion) as (input, direction).
    pub(crate) fn moving(&self, i: usize, graph: &mut Recorder) -> Vec<(Node, Node)> {
        let v = self.layout.map_or(0, |l| l.range(SlotKind::V).start);
        let one = graph.constant(1.0);
        let mut seeds: Vec<(Node, Node)> =
            self.inputs(i, SlotKind::T, graph).into_iter().map(|(_, t)| (t, one)).collect();
        for (slot, q) in self.inputs(i, SlotKind::Q, graph) {
            seeds.push((q, graph.input(Source::Point, v + slot)));
        }
        seeds
    }

    /// Whether second derivatives by local `k` can be nonzero.
    #[inline(always)]
    pub(crate) fn bends(&self, k: usize) -> bool {
        self.nonlinear[k]
    }

    /// Global index of every local of `kind` that the rows are nonlinear in.
    pub(crate) fn bent(&self, i: usize, kind: SlotKind) -> [Option<u32>; K] {
        let indices = self.indices(i, kind);
        std::array::from_fn(|k| indices[k].filter(|_| self.bends(k)))
    }

    pub(crate) fn len(&self) -> usize {
        self.inst.len()
    }

    /// Index within its kind of local `k` of instance `i`.
    #[inline(always)]
    pub(crate) fn slot(&self, i: usize, k: usize) -> usize {
        self.inst.list[i].slots[k] as usize
    }

    #[inline(always)]
    pub(crate) fn is(&self, k: usize, kind: SlotKind) -> bool {
        self.inst.kinds[k] == kind
    }

    pub(crate) fn reads(&self, kind: SlotKind) -> bool {
        self.inst.kinds.contains(&kind)
    }

    /// Global index of every local of `kind`, `None` for the others.
    pub(crate) fn indices(&self, i: usize, kind: SlotKind) -> [Option<u32>; K] {
        std::array::from_fn(|k| self.is(k, kind).then(|| self.inst.list[i].slots[k]))
    }

    /// Entries of a vector over one kind, gathered at the locals that `pick` maps to it.
    #[inline(always)]
    pub(crate) fn gather(&self, i: usize, kind: SlotKind, vector: &[f64]) -> [f64; K] {
        std::array::from_fn(|k| if self.is(k, kind) { vector[self.slot(i, k)] } else { 0.0 })
    }

    /// The direction (t, q) → (1, v), with v → 0: along which g, k and p = ∂T/∂v change by motion.
    #[inline(always)]
    pub(crate) fn motion(&self, i: usize, y: &[f64]) -> [f64; K] {
        let v = self.layout.map_or(0, |l| l.range(SlotKind::V).start);
        std::array::from_fn(|k| match self.inst.kinds[k] {
            SlotKind::T => 1.0,
            SlotKind::Q => y[v + self.slot(i, k)],
            _ => 0.0,
        })
    }

    #[inline(always)]
    fn z(&self, i: usize, y: &[f64]) -> [f64; K] {
        self.inst.list[i].flat.map(|f| y[f as usize])
    }

    /// Values of the rows.
    #[inline]
    pub(crate) fn values(&self, i: usize, y: &[f64]) -> [f64; R] {
        let inst = &self.inst.list[i];
        let z = self.z(i, y).map(plain);
        let p = inst.params.map(|f| plain(y[f as usize]));
        self.kernel.eval::<f64>(self.inst.at(inst), &z, &p).map(Num::value)
    }

    /// Values and gradients of the rows.
    #[inline]
    pub(crate) fn gradients(&self, i: usize, y: &[f64]) -> [(f64, [f64; K]); R] {
        let inst = &self.inst.list[i];
        let z = seed::<f64, K>(self.z(i, y));
        let p = constants::<f64, K, P>(inst.params.map(|f| y[f as usize]));
        self.kernel.eval::<Grad<f64, K>>(self.inst.at(inst), &z, &p).map(split)
    }

    /// Values and gradients of the rows with their derivative along `dz` and, where `param` is
    /// read, along that parameter (flat offset).
    #[inline]
    pub(crate) fn along(
        &self,
        i: usize,
        y: &[f64],
        dz: &[f64; K],
        param: u32,
    ) -> [(Dual64, [Dual64; K]); R] {
        let inst = &self.inst.list[i];
        let z0 = self.z(i, y);
        let z = seed::<Dual64, K>(std::array::from_fn(|k| directed(z0[k], dz[k])));
        let p = constants::<Dual64, K, P>(
            inst.params.map(|f| directed(y[f as usize], if f == param { 1.0 } else { 0.0 })),
        );
        self.kernel.eval::<Grad<Dual64, K>>(self.inst.at(inst), &z, &p).map(split)
    }

    /// Values and gradients of the rows with both directional and the mixed derivative along
    /// `d1` and `d2`; a parameter direction is added to `d2`.
    #[inline]
    pub(crate) fn along2(
        &self,
        i: usize,
        y: &[f64],
        d1: &[f64; K],
        d2: &[f64; K],
        param: u32,
    ) -> [(HyperDual64, [HyperDual64; K]); R] {
        let inst = &self.inst.list[i];
        let z0 = self.z(i, y);
        let z = seed::<HyperDual64, K>(std::array::from_fn(|k| directed2(z0[k], d1[k], d2[k])));
        let p = constants::<HyperDual64, K, P>(
            inst.params.map(|f| directed2(y[f as usize], 0.0, if f == param { 1.0 } else { 0.0 })),
        );
        self.kernel.eval::<Grad<HyperDual64, K>>(self.inst.at(inst), &z, &p).map(split)
    }

    /// True when instance `i` reads the parameter at this flat offset.
    pub(crate) fn reads_param(&self, i: usize, param: u32) -> bool {
        self.inst.list[i].params.contains(&param)
    }
}

/// The unit direction of local `k`.
#[inline(always)]
pub(crate) fn unit<const K: usize>(k: usize) -> [f64; K] {
    std::array::from_fn(|j| if j == k { 1.0 } else { 0.0 })
}

/// Row-major entries of a block from its row and column indices.
pub(crate) fn cross(
    rows: impl IntoIterator<Item = Option<u32>>,
    cols: impl IntoIterator<Item = Option<u32>> + Clone,
    out: &mut Vec<Option<(u32, u32)>>,
) {
    for row in rows {
        for col in cols.clone() {
            out.push(row.zip(col));
        }
    }
}
