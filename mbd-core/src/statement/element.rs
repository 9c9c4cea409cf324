//! The element: one statement's kernel with the scalars each of its instances reads, and the
//! three derivative passes over it (gradient; gradient along one direction; along two).
//!
//! What is generic in a kernel and its sizes ends here, in a few lines: statements are compiled with
//! the user's model, everything else with the library.

use super::error::ModelError;
use super::units::Units;
use super::watch::{Seen, Watch, Watched};
use crate::equation::{Layout, SlotKind};
use crate::graph::{Node, Recorder, Source};
use crate::scalar::{
    Base, Dual64, Gradient, HeldBy, Hold, HyperDual64, Notes, Num, Owner, Path, Quantity, Reading,
    Room, Scalar, Tape, Trace, WIDTH, directed, directed2, listen,
};
use std::cell::RefCell;
use std::sync::Arc;

/// A statement's expression as a function of the `K` scalars and `P` parameters it reads,
/// returning `R` rows. What `mechanism!` writes; may be written by hand.
pub trait Kernel<const K: usize, const P: usize, const R: usize>: Send + Sync + 'static {
    /// Evaluates the rows. `at` holds the values of the enclosing loop indices, outermost first.
    fn eval<D: Scalar>(&self, at: &[usize], z: &[Num<D>; K], p: &[Num<D>; P]) -> [Num<D>; R];
}

/// A kernel whatever its sizes: fills the rows.
pub(crate) trait Body: Send + Sync {
    fn run(&self, at: &[usize], z: &[Num<Trace>], p: &[Num<Trace>], rows: &mut [Num<Trace>]);
}

struct Sized<E, const K: usize, const P: usize, const R: usize>(E);

impl<E: Kernel<K, P, R>, const K: usize, const P: usize, const R: usize> Body
    for Sized<E, K, P, R>
{
    fn run(&self, at: &[usize], z: &[Num<Trace>], p: &[Num<Trace>], rows: &mut [Num<Trace>]) {
        if let (Some(z), Some(p), Some(rows)) =
            (z.first_chunk(), p.first_chunk(), rows.first_chunk_mut())
        {
            *rows = self.0.eval::<Trace>(at, z, p);
        }
    }
}

/// The value of a kernel of one row.
pub fn evaluate<E, const K: usize, const P: usize>(
    kernel: &E,
    at: &[usize],
    z: [f64; K],
    p: [f64; P],
) -> f64
where
    E: Kernel<K, P, 1>,
{
    let [value] = evaluate_rows(kernel, at, z, p);
    value
}

/// The values of a kernel of several rows.
pub fn evaluate_rows<E, const K: usize, const P: usize, const R: usize>(
    kernel: &E,
    at: &[usize],
    z: [f64; K],
    p: [f64; P],
) -> [f64; R]
where
    E: Kernel<K, P, R>,
{
    kernel.eval::<Trace>(at, &z.map(Num::from), &p.map(Num::from)).map(Num::value)
}

/// The scalars each instance of a statement reads: one instance per loop iteration, exactly one
/// for a statement outside loops. The kind of a local is common to all instances.
#[derive(Clone, Debug)]
pub struct Instances<const K: usize, const P: usize> {
    list: List,
}

impl<const K: usize, const P: usize> Instances<K, P> {
    /// No instances yet; `kinds[k]` says what local `k` is.
    pub fn new(kinds: [SlotKind; K]) -> Self {
        Instances { list: List { kinds: kinds.to_vec(), param_count: P, ..List::default() } }
    }

    /// Adds an instance: loop indices, the index of each local within its kind, and the flat
    /// index of each parameter.
    pub fn push(&mut self, at: &[usize], slots: [usize; K], params: [usize; P]) {
        self.list.push(at, &slots, &params);
    }

    /// Number of instances.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// True without instances (an empty loop).
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Instances whatever their sizes, one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct List {
    pub(crate) kinds: Vec<SlotKind>,
    pub(crate) param_count: usize,
    /// Where the loop indices of an instance begin, and how many they are.
    places: Vec<(u32, u32)>,
    at: Vec<usize>,
    /// Index of each local within its kind, and of each parameter among the parameters.
    pub(crate) slots: Vec<u32>,
    indices: Vec<u32>,
    /// Flat index of each local and of each parameter.
    flat: Vec<u32>,
    params: Vec<u32>,
}

impl List {
    fn push(&mut self, at: &[usize], slots: &[usize], params: &[usize]) {
        self.places.push((self.at.len() as u32, at.len() as u32));
        self.at.extend(at);
        self.slots.extend(slots.iter().map(|&s| s as u32));
        self.indices.extend(params.iter().map(|&p| p as u32));
    }

    /// A list of the same kinds of locals and as many parameters, without instances.
    pub(crate) fn like(&self) -> List {
        let (kinds, param_count) = (self.kinds.clone(), self.param_count);
        List { kinds, param_count, ..List::default() }
    }

    /// Appends instance `i` of another list with the same kinds, with one more loop index.
    pub(crate) fn push_of(&mut self, other: &List, i: usize, index: usize) {
        self.places.push((self.at.len() as u32, other.at(i).len() as u32 + 1));
        self.at.extend(other.at(i));
        self.at.push(index);
        self.slots.extend(other.slots(i));
        self.indices.extend(List::part(&other.indices, i, other.param_count));
    }

    fn len(&self) -> usize {
        self.places.len()
    }

    fn at(&self, i: usize) -> &[usize] {
        let (first, len) = self.places[i];
        &self.at[first as usize..][..len as usize]
    }

    /// The part of instance `i` of a list with `each` entries for an instance.
    #[inline(always)]
    fn part(list: &[u32], i: usize, each: usize) -> &[u32] {
        &list[i * each..][..each]
    }

    pub(crate) fn slots(&self, i: usize) -> &[u32] {
        List::part(&self.slots, i, self.kinds.len())
    }

    fn flat(&self, i: usize) -> &[u32] {
        List::part(&self.flat, i, self.kinds.len())
    }

    fn params(&self, i: usize) -> &[u32] {
        List::part(&self.params, i, self.param_count)
    }
}

/// A parameter no element reads; stands for "no parameter direction".
pub(crate) const NO_PARAM: u32 = u32::MAX;

/// Locals whose dependence can be told apart.
const TRACED: usize = 64;

/// A kernel bound to its instances and to a layout.
pub(crate) struct Element {
    pub(crate) body: Arc<dyn Body>,
    pub(crate) list: List,
    rows: usize,
    layout: Option<Layout>,
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
}

/// A guard without a side.
pub(crate) const NO_SIDE: u32 = u32::MAX;

/// The sides on which the guards of the instances can be held.
#[derive(Default)]
pub(crate) struct Sides {
    /// Where each instance's guards begin, and where the last ones end; empty when there are none.
    pub(crate) first: Vec<u32>,
    /// Of each guard the flat index of its side, or [`NO_SIDE`].
    flat: Vec<u32>,
}

impl Sides {
    /// Those of an instance's guards, in the order in which they are met.
    pub(crate) fn of(&self, i: usize) -> &[u32] {
        match self.first.get(i..i + 2) {
            Some(&[from, to]) => &self.flat[from as usize..to as usize],
            _ => &[],
        }
    }

    /// Those that there are.
    fn held(&self, i: usize) -> impl Iterator<Item = u32> + Clone {
        self.of(i).iter().copied().filter(|&flat| flat != NO_SIDE)
    }
}

/// Rows of an element with their derivatives by its locals.
#[derive(Debug)]
pub(crate) struct Rows<B> {
    locals: usize,
    values: Vec<B>,
    gradients: Vec<B>,
}

impl<B> Default for Rows<B> {
    fn default() -> Self {
        Rows { locals: 0, values: Vec::new(), gradients: Vec::new() }
    }
}

impl<B: Copy> Rows<B> {
    /// Number of locals.
    pub(crate) fn locals(&self) -> usize {
        self.locals
    }

    /// The value of a row.
    pub(crate) fn value(&self, r: usize) -> B {
        self.values[r]
    }

    /// The gradient of a row.
    pub(crate) fn gradient(&self, r: usize) -> &[B] {
        &self.gradients[r * self.locals..][..self.locals]
    }

    /// Values and gradients of all rows.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (B, &[B])> {
        (0..self.values.len()).map(|r| (self.value(r), self.gradient(r)))
    }

    /// The gradients of all rows, row by row.
    pub(crate) fn gradients(&self) -> &[B] {
        &self.gradients
    }
}

/// What evaluating elements takes room for.
#[derive(Default)]
pub(crate) struct Work {
    pub(crate) tape: Tape,
    room: Room,
    sides: Vec<Option<HeldBy>>,
    flats: Vec<u32>,
}

thread_local! {
    static WORK: RefCell<Work> = RefCell::default();
}

impl Element {
    pub(crate) fn new<E, const K: usize, const P: usize, const R: usize>(
        kernel: E,
        instances: Instances<K, P>,
    ) -> Self
    where
        E: Kernel<K, P, R>,
    {
        Element::of(Arc::new(Sized(kernel)), instances.list, R)
    }

    pub(crate) fn of(body: Arc<dyn Body>, list: List, rows: usize) -> Self {
        let nonlinear = vec![true; list.kinds.len()];
        let (sides, shares) = (Sides::default(), Vec::new());
        Element {
            body,
            list,
            rows,
            layout: None,
            nonlinear,
            compares: false,
            sides,
            shares,
            share_count: 0,
        }
    }

    /// Resolves slots to flat offsets, checking every index, and traces dependence at the flat
    /// point `initial`.
    pub(crate) fn bind(
        &mut self,
        statement: &str,
        layout: &Layout,
        initial: &[f64],
    ) -> Result<(), ModelError> {
        let list = &mut self.list;
        list.flat.clear();
        list.flat.reserve(list.slots.len());
        for (k, &slot) in list.slots.iter().enumerate() {
            let (kind, index) = (list.kinds[k % list.kinds.len()], slot as usize);
            let range = layout.range(kind);
            if index >= range.len() {
                return Err(ModelError::SlotOutOfRange {
                    statement: statement.into(),
                    kind,
                    index,
                    len: range.len(),
                });
            }
            list.flat.push((range.start + index) as u32);
        }
        let params = layout.constants();
        list.params.clear();
        for &p in &list.indices {
            if p as usize >= params.len() {
                return Err(ModelError::ParamOutOfRange {
                    statement: statement.into(),
                    index: p as usize,
                    len: params.len(),
                });
            }
            list.params.push(p + params.start as u32);
        }
        self.layout = Some(*layout);
        self.trace(initial);
        Ok(())
    }

    /// Finds out which locals the rows are nonlinear in, over all instances, at the point `y`
    /// (only comparisons, which end the search, would make it depend on the point).
    fn trace(&mut self, y: &[f64]) {
        let mut nonlinear = Some(0);
        for i in 0..self.len() {
            let traced = self.recorded(i, y, |work| {
                let known = nonlinear.filter(|_| self.locals() <= TRACED);
                let more = known.and_then(|_| work.tape.nonlinear(self.locals()));
                (more, work.tape.decisions().next().is_some())
            });
            self.compares |= traced.1;
            nonlinear = nonlinear.zip(traced.0).map(|(known, more)| known | more);
            // The first comparison of an instance does not depend on the point.
            if nonlinear.is_none() && self.compares {
                return;
            }
        }
        let Some(nonlinear) = nonlinear else { return };
        // The shares of surfaces are factors.
        let own = self.locals() - self.share_count;
        self.nonlinear = (0..self.locals()).map(|k| k >= own || nonlinear >> k & 1 == 1).collect();
    }

    /// Gives each guard that the motion switches a side, `next` of the flat point and on, by what is
    /// compared at the flat point `y`.
    pub(crate) fn hold(&mut self, y: &[f64], next: &mut usize) {
        if !self.compares {
            return;
        }
        let (mut sides, mut free) = (Sides { first: vec![0], flat: Vec::new() }, *next as u32);
        let kind = |k: usize| match self.list.kinds.get(k) {
            Some(SlotKind::Q | SlotKind::V | SlotKind::X) => Hold::Moves,
            // A signal from outside is met as the motion is.
            Some(SlotKind::T) if self.takes_input() => Hold::Moves,
            Some(SlotKind::T) | None => Hold::Fixed,
            Some(_) => Hold::Free,
        };
        for i in 0..self.len() {
            let Some(guards) = self.recorded(i, y, |work| work.tape.holdable(kind)) else { return };
            for held in guards {
                sides.flat.push(if held { free } else { NO_SIDE });
                free += u32::from(held);
            }
            sides.first.push(sides.flat.len() as u32);
        }
        if free as usize > *next {
            (self.sides, *next) = (sides, free as usize);
        }
    }

    /// Whether the rows compare values, and whether they read time.
    pub(crate) fn sees(&self) -> Watch {
        let comparisons = self.compares;
        let time = self.reads(SlotKind::T) && !self.takes_input();
        Watch { comparisons, expressions: comparisons, time, paths: false }
    }

    /// Whether an input is read: what the rows are at other times nobody knows before.
    fn takes_input(&self) -> bool {
        let inputs = self.layout.map_or(0..0, |layout| layout.inputs());
        self.list.params.iter().any(|&param| inputs.contains(&(param as usize)))
    }

    /// Appends the decisions of instance `i` at a point, or what of it depends on time alone.
    pub(crate) fn watch(&self, i: usize, y: &[f64], ask: Watch, out: &mut Watched) {
        if ask.paths {
            let flats: Vec<u32> = self.flats(i).collect();
            let path = if self.compares {
                self.recorded(i, y, |work| {
                    work.tape.prune();
                    if let Some((kernel, key)) = out.wanted
                        && kernel == out.seen.len()
                    {
                        out.sides = work.tape.sides(key);
                    }
                    work.tape.path()
                })
            } else {
                Path { needed: (0..flats.len()).collect(), ..Path::default() }
            };
            out.seen.push(Seen { path, flats });
            return;
        }
        let sees = self.sees();
        let (comparisons, time) = (ask.comparisons && sees.comparisons, ask.time && sees.time);
        let expressions = ask.expressions && sees.expressions;
        if !comparisons && !time && !expressions {
            return;
        }
        self.recorded(i, y, |work| {
            if expressions {
                let written = out.graph.write_guards(&work.tape, self.source(i));
                if let Some(guards) = &written {
                    let mut seeds = self.moving(i, &mut out.graph);
                    for rate in [(SlotKind::V, SlotKind::A), (SlotKind::X, SlotKind::Xd)] {
                        seeds.extend(self.rates(i, rate, &mut out.graph));
                    }
                    out.rates.extend(out.graph.along(guards, &seeds));
                }
                out.expressions = out.expressions.take().zip(written).map(|(mut all, more)| {
                    all.extend(more);
                    all
                });
            }
            if comparisons {
                out.decisions.extend(work.tape.decisions());
                let sides = self.sides.of(i).iter().map(|&flat| (flat != NO_SIDE).then_some(flat));
                out.held.extend(sides);
                out.held.resize(out.decisions.len(), None);
                out.surfaces.extend(self.surfaces(i));
                out.surfaces.resize(out.decisions.len(), None);
            }
            if time {
                let reading = |k: usize| match self.list.kinds.get(k) {
                    Some(SlotKind::T) => Reading::Time,
                    Some(_) => Reading::Motion,
                    None => {
                        let param = self.list.params(i)[k - self.locals()];
                        Reading::Fixed(y[param as usize])
                    }
                };
                out.clocks.push(work.tape.clock(reading));
            }
        });
    }

    /// Appends the places that instance `i` notes at a point.
    pub(crate) fn note(&self, i: usize, y: &[f64], notes: &mut Notes) {
        let listener = listen();
        let owners = self.recorded(i, y, |work| work.tape.owners(self.owner(i, notes)));
        listener.hear(&owners, &mut notes.noted);
    }

    /// Values of the rows of instance `i`, with what each is made of.
    pub(crate) fn owned_rows(&self, i: usize, y: &[f64], notes: &Notes) -> Vec<(f64, Owner)> {
        self.recorded(i, y, |work| {
            let owners = work.tape.owners(self.owner(i, notes));
            let owner = |place: Option<u32>| place.map_or(Owner::Ground, |k| owners[k as usize]);
            work.tape.rows_seen().map(|(value, place)| (value, owner(place))).collect()
        })
    }

    /// Who owns input `k` of instance `i`.
    fn owner(&self, i: usize, notes: &Notes) -> impl Fn(usize) -> Owner {
        let owners: Vec<Owner> = self.flats(i).map(|flat| notes.owner(flat as usize)).collect();
        move |k| owners.get(k).copied().unwrap_or(Owner::Moving)
    }

    /// The values of locals and parameters of an instance.
    fn inputs(&self, i: usize, y: &[f64]) -> impl Iterator<Item = f64> {
        self.flats(i).map(|flat| y[flat as usize])
    }

    /// The flat indices of locals and parameters of an instance.
    pub(crate) fn flats(&self, i: usize) -> impl Iterator<Item = u32> + Clone {
        self.list.flat(i).iter().chain(self.list.params(i)).copied()
    }

    fn run(&self, i: usize, inputs: &[Num<Trace>], rows: &mut [Num<Trace>]) {
        let (z, p) = inputs.split_at(self.locals());
        self.body.run(self.list.at(i), z, p, rows);
    }

    /// The same with the guards held on the sides that the point says.
    fn recorded_held<T>(&self, i: usize, y: &[f64], f: impl FnOnce(&mut Work) -> T) -> T {
        if self.sides.first.is_empty() {
            return self.recorded(i, y, f);
        }
        WORK.with_borrow_mut(|work| {
            let mut input = self.list.flat(i).len() + self.list.params(i).len();
            work.sides.clear();
            let shares = self.shares_of(i).iter().copied().chain(std::iter::repeat(None));
            work.sides.extend(self.sides.of(i).iter().zip(shares).map(|(&flat, share)| {
                (flat != NO_SIDE).then(|| {
                    input += 1;
                    HeldBy { side: (input - 1) as u32, share }
                })
            }));
            let inputs = self.inputs(i, y).chain(self.sides.held(i).map(|flat| y[flat as usize]));
            let run = |inputs: &[_], rows: &mut [_]| self.run(i, inputs, rows);
            work.tape.record_held(inputs, &work.sides, self.rows, run);
            f(work)
        })
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

    /// Of each guard of an instance the surface, by its number among the multipliers ψ, and whether the
    /// guard is the negative of it.
    pub(crate) fn surfaces(&self, i: usize) -> impl Iterator<Item = Option<(u32, bool)>> + '_ {
        let slots = self.list.slots(i);
        let shares = self.shares_of(i).iter();
        shares.map(move |share| share.map(|(local, turned)| (slots[local as usize], turned)))
    }

    /// Writes the kernel's operations down and does something with them.
    pub(crate) fn recorded<T>(&self, i: usize, y: &[f64], f: impl FnOnce(&mut Work) -> T) -> T {
        WORK.with_borrow_mut(|work| {
            let run = |inputs: &[_], rows: &mut [_]| self.run(i, inputs, rows);
            work.tape.record(self.inputs(i, y), self.rows, run);
            f(work)
        })
    }

    /// Writes the rows of instance `i` down in `graph`; `None` when they compare values.
    pub(crate) fn record(&self, i: usize, y: &[f64], graph: &mut Recorder) -> Option<Vec<Node>> {
        self.recorded_held(i, y, |work| graph.write(&work.tape, self.source(i)))
    }

    /// The nodes of the inputs of instance `i`.
    fn source(&self, i: usize) -> impl FnMut(&mut Recorder, usize) -> Node {
        let (flat, params) = (self.list.flat(i), self.list.params(i));
        let own = flat.len() + params.len();
        move |graph, k| {
            let (source, flat) = match (flat.get(k), k.checked_sub(own)) {
                (Some(&local), _) => (Source::Point, local),
                (None, None) => (Source::Param, params[k - flat.len()]),
                (None, Some(side)) => {
                    (Source::Point, self.sides.held(i).nth(side).unwrap_or(NO_SIDE))
                }
            };
            graph.input(source, flat as usize)
        }
    }

    /// The nodes of the locals of `kind`, with the index of each within its kind; once where
    /// several locals are one scalar.
    pub(crate) fn nodes(
        &self,
        i: usize,
        kind: SlotKind,
        graph: &mut Recorder,
    ) -> Vec<(usize, Node)> {
        let mut nodes: Vec<(usize, Node)> = Vec::new();
        for k in self.of_kind(kind) {
            let slot = self.slot(i, k);
            if nodes.iter().all(|x| x.0 != slot) {
                let flat = self.list.flat(i)[k] as usize;
                nodes.push((slot, graph.input(Source::Point, flat)));
            }
        }
        nodes
    }

    /// The direction of [`motion`](Self::motion) as (input, direction).
    pub(crate) fn moving(&self, i: usize, graph: &mut Recorder) -> Vec<(Node, Node)> {
        let v = self.layout.map_or(0, |l| l.range(SlotKind::V).start);
        let one = graph.constant(1.0);
        let mut seeds: Vec<(Node, Node)> =
            self.nodes(i, SlotKind::T, graph).into_iter().map(|(_, t)| (t, one)).collect();
        for (slot, q) in self.nodes(i, SlotKind::Q, graph) {
            seeds.push((q, graph.input(Source::Point, v + slot)));
        }
        seeds
    }

    /// t as (input, 1), where it is read: the direction of derivatives by time alone.
    pub(crate) fn clock(&self, i: usize, graph: &mut Recorder) -> Vec<(Node, Node)> {
        let one = graph.constant(1.0);
        self.nodes(i, SlotKind::T, graph).into_iter().map(|(_, t)| (t, one)).collect()
    }

    /// The rates of scalars of a kind: (input, rate) for each local.
    pub(crate) fn rates(
        &self,
        i: usize,
        (kind, rate): (SlotKind, SlotKind),
        graph: &mut Recorder,
    ) -> Vec<(Node, Node)> {
        let first = self.layout.map_or(0, |l| l.range(rate).start);
        let nodes = self.nodes(i, kind, graph);
        nodes.into_iter().map(|(slot, x)| (x, graph.input(Source::Point, first + slot))).collect()
    }

    /// The scalar of another kind that belongs to local `k`, as v to a coordinate.
    pub(crate) fn beside(&self, i: usize, y: &[f64], kind: SlotKind, k: usize) -> f64 {
        y[self.layout.map_or(0, |l| l.range(kind).start) + self.slot(i, k)]
    }

    /// Whether second derivatives by local `k` can be nonzero.
    pub(crate) fn bends(&self, k: usize) -> bool {
        self.nonlinear[k]
    }

    /// Units of the rows of instance `i`; parts of them that do not fit together are told.
    pub(crate) fn quantities(
        &self,
        i: usize,
        y: &[f64],
        statement: &str,
        units: &mut Units<'_>,
    ) -> Vec<Quantity> {
        let flat = |k: usize| self.flats(i).nth(k).map(|flat| flat as usize);
        let mut found = Vec::new();
        let rows = self.recorded(i, y, |work| {
            work.tape.prune();
            let input = |k: usize| flat(k).map_or(Quantity::ANY, |flat| units.quantity(flat));
            work.tape.quantities(input, &mut found)
        });
        for mismatch in found {
            units.mismatch(statement, mismatch, &flat);
        }
        rows
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

    /// Local `k`'s part of a vector over one kind.
    pub(crate) fn gather(&self, i: usize, kind: SlotKind, vector: &[f64], k: usize) -> f64 {
        if self.is(k, kind) { vector[self.slot(i, k)] } else { 0.0 }
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

    /// Values of the rows.
    pub(crate) fn values(&self, i: usize, y: &[f64], out: &mut Vec<f64>) {
        out.clear();
        if !self.sides.first.is_empty() {
            return self.recorded_held(i, y, |work| out.extend(work.tape.row_values()));
        }
        WORK.with_borrow_mut(|work| {
            let run = |inputs: &[_], rows: &mut [_]| self.run(i, inputs, rows);
            out.extend(work.tape.evaluate(self.inputs(i, y), self.rows, run));
        });
    }

    /// The value of the first row.
    pub(crate) fn value(&self, i: usize, y: &[f64]) -> f64 {
        if !self.sides.first.is_empty() {
            let first = |work: &mut Work| work.tape.row_values().next().unwrap_or(0.0);
            return self.recorded_held(i, y, first);
        }
        WORK.with_borrow_mut(|work| {
            let run = |inputs: &[_], rows: &mut [_]| self.run(i, inputs, rows);
            work.tape.evaluate(self.inputs(i, y), self.rows, run).next().unwrap_or(0.0)
        })
    }

    /// Values and gradients of the rows over a base: `base` gives that of an input from its number,
    /// its flat index and its value.
    fn pass<B: Base>(
        &self,
        i: usize,
        y: &[f64],
        base: &dyn Fn(usize, u32, f64) -> B,
        out: &mut Rows<B>,
    ) {
        let locals = self.locals();
        let flats = self.flats(i).chain(self.sides.held(i));
        out.locals = locals;
        out.values.clear();
        out.gradients.clear();
        out.gradients.resize(self.rows * locals, B::from(0.0));
        self.recorded_held(i, y, |work| {
            let values = B::room(&mut work.room);
            work.flats.clear();
            work.flats.extend(flats);
            let flats = &work.flats;
            work.tape.prune();
            // At least once, for the values.
            for first in (0..locals.max(1)).step_by(WIDTH) {
                let input = |n: usize| {
                    let flat = flats[n];
                    let own = |k| B::from(f64::from(n < locals && n == first + k));
                    let slopes = std::array::from_fn(own);
                    Gradient { value: base(n, flat, y[flat as usize]), slopes }
                };
                for (r, row) in work.tape.replay(&input, values).enumerate() {
                    if first == 0 {
                        out.values.push(row.value);
                    }
                    let slopes = &mut out.gradients[r * locals + first..(r + 1) * locals];
                    slopes.iter_mut().zip(row.slopes).for_each(|(to, slope)| *to = slope);
                }
            }
        });
    }

    /// Values and gradients of the rows.
    pub(crate) fn gradients(&self, i: usize, y: &[f64], out: &mut Rows<f64>) {
        self.pass(i, y, &|_, _, value| value, out);
    }

    /// Values and gradients of the rows with their derivative along `dz` and, where `param` is
    /// read, along that parameter (flat offset).
    pub(crate) fn along(
        &self,
        i: usize,
        y: &[f64],
        dz: impl Fn(usize) -> f64,
        param: u32,
        out: &mut Rows<Dual64>,
    ) {
        let base = |n: usize, flat: u32, value: f64| {
            directed(value, if n < self.locals() { dz(n) } else { f64::from(flat == param) })
        };
        self.pass(i, y, &base, out);
    }

    /// Σ_r weight_r ∂²row_r by the locals, with the columns of the kinds wanted, row by row.
    pub(crate) fn hessian(
        &self,
        i: usize,
        y: &[f64],
        weight: &[f64],
        columns: impl Fn(SlotKind) -> bool,
        work: &mut Rows<Dual64>,
        out: &mut Vec<f64>,
    ) {
        let n = self.locals();
        zeros(out, n * n);
        for j in (0..n).filter(|&j| columns(self.kind(j)) && self.bends(j)) {
            self.along(i, y, unit(j), NO_PARAM, work);
            for ((_, gradient), weight) in work.iter().zip(weight) {
                for (k, slope) in gradient.iter().enumerate() {
                    out[k * n + j] += weight * slope.eps;
                }
            }
        }
    }

    /// Values and gradients of the rows with both directional and the mixed derivative along
    /// `d1` and `d2`; a parameter direction is added to `d2`.
    pub(crate) fn along2(
        &self,
        i: usize,
        y: &[f64],
        d1: impl Fn(usize) -> f64,
        d2: impl Fn(usize) -> f64,
        param: u32,
        out: &mut Rows<HyperDual64>,
    ) {
        let base = |n: usize, flat: u32, value: f64| {
            if n < self.locals() {
                directed2(value, d1(n), d2(n))
            } else {
                directed2(value, 0.0, f64::from(flat == param))
            }
        };
        self.pass(i, y, &base, out);
    }

    /// True when instance `i` reads the parameter at this flat offset.
    pub(crate) fn reads_param(&self, i: usize, param: u32) -> bool {
        self.list.params(i).contains(&param)
    }
}

/// The unit direction of local `k`.
pub(crate) fn unit(k: usize) -> impl Fn(usize) -> f64 {
    move |j| f64::from(j == k)
}

/// No direction.
pub(crate) fn still(_: usize) -> f64 {
    0.0
}

/// A block of zeros.
pub(crate) fn zeros(block: &mut Vec<f64>, len: usize) {
    block.clear();
    block.resize(len, 0.0);
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
