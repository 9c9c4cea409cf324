//! Programs with what they run over: where inputs come from and where results go.

use super::native::{From, LANES, Native, RESULTS, SOURCES, To};
use super::trig::sin_cos;
use super::vm::{self, Program, SLOTS, Scratch, WIDE};
use crate::graph::{Graph, Hoisted, Node, Op, Read};
use crate::scalar::{Function, angle};
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// What the programs read: the flat point, the weights u, s and r, the coefficients. It is not copied
/// on the way: what has just been written piece by piece is waited for when read as a whole.
pub(crate) type Sources<'a> = [&'a [f64]; SOURCES];

/// The place of the coefficients among the sources.
pub(super) const COEFFICIENTS: usize = SOURCES - 1;

/// The number of a matrix among the results, which otherwise are a residual's pieces.
pub(crate) const MATRIX: usize = RESULTS - 2;
/// The number of the coefficients with what is hoisted.
pub(crate) const HOISTED: usize = RESULTS - 1;

/// A place that is nowhere.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// An index for each instance.
#[derive(Debug)]
pub(super) enum Column {
    /// base + stride · instance, as the indices of a loop mostly are.
    Affine {
        base: u32,
        stride: u32,
    },
    Table(Box<[u32]>),
}

impl Column {
    fn new(len: usize, index: impl Fn(usize) -> u32) -> Self {
        let base = index(0);
        let second = if len > 1 { index(1) } else { base };
        let stride = second.saturating_sub(base);
        let affine = (0..len).zip(0u64..).all(|(i, n)| {
            let index = index(i);
            index != NOWHERE && u64::from(index) == u64::from(base) + n * u64::from(stride)
        });
        if affine {
            Column::Affine { base, stride }
        } else {
            Column::Table((0..len).map(index).collect())
        }
    }

    /// Loads the numbers of the instances from `start` on.
    #[inline(always)]
    fn load(&self, from: &[f64], start: usize, to: &mut [f64; WIDE]) {
        match self {
            Column::Affine { base, stride: 1 } => {
                to.copy_from_slice(&from[*base as usize + start..][..WIDE]);
            }
            Column::Affine { base, stride } => {
                let mut at = *base as usize + *stride as usize * start;
                for to in to {
                    *to = from[at];
                    at += *stride as usize;
                }
            }
            Column::Table(table) => {
                for (to, &at) in to.iter_mut().zip(&table[start..start + WIDE]) {
                    *to = from[at as usize];
                }
            }
        }
    }

    /// Sets the number of a single instance.
    #[inline(always)]
    fn set(&self, value: f64, to: &mut [f64]) {
        if let Column::Affine { base, .. } = self
            && let Some(to) = to.get_mut(*base as usize)
        {
            *to = value;
        }
    }

    /// Adds the values of the instances from `start` on; `to` begins at the place `origin`.
    #[inline(always)]
    pub(super) fn add(&self, values: &[f64], start: usize, origin: usize, to: &mut [f64]) {
        match self {
            Column::Affine { base, stride: 1 } => {
                let to = &mut to[*base as usize + start - origin..][..values.len()];
                to.iter_mut().zip(values).for_each(|(to, value)| *to += value);
            }
            Column::Affine { base, stride } => {
                let stride = *stride as usize;
                let to = &mut to[*base as usize + stride * start - origin..];
                match <&[f64; WIDE]>::try_from(values) {
                    // A whole chunk, unrolled whatever surrounds it.
                    Ok([a, b, c, d, e, f, g, h]) => {
                        to[0] += a;
                        to[stride] += b;
                        to[2 * stride] += c;
                        to[3 * stride] += d;
                        to[4 * stride] += e;
                        to[5 * stride] += f;
                        to[6 * stride] += g;
                        to[7 * stride] += h;
                    }
                    Err(_) => (0..values.len()).for_each(|i| to[i * stride] += values[i]),
                }
            }
            Column::Table(table) => {
                for (value, &at) in values.iter().zip(&table[start..]) {
                    if let Some(to) = to.get_mut((at as usize).wrapping_sub(origin)) {
                        *to += value;
                    }
                }
            }
        }
    }

    /// The place of an instance.
    #[inline(always)]
    pub(super) fn place(&self, instance: usize) -> Option<usize> {
        match self {
            Column::Affine { base, stride } => Some(*base as usize + *stride as usize * instance),
            Column::Table(table) => {
                table.get(instance).filter(|&&place| place != NOWHERE).map(|&place| place as usize)
            }
        }
    }

    /// The places of the first and the last of `len` instances from `start` on, where those between
    /// are between them.
    #[inline(always)]
    pub(super) fn ends(&self, start: usize, len: usize) -> Option<(usize, usize)> {
        match self {
            Column::Affine { base, stride } => {
                let first = *base as usize + *stride as usize * start;
                Some((first, first + *stride as usize * (len - 1)))
            }
            Column::Table(_) => None,
        }
    }
}

/// Where results of many instances are added.
pub(super) trait Add {
    /// Adds an output, by its number, piece and places: its values of the instances from `first` on.
    fn add(&mut self, output: usize, piece: usize, column: &Column, values: &[f64], first: usize);
}

/// All places of all results.
struct Whole<'a, 'b>(&'a mut [&'b mut [f64]; RESULTS]);

impl Add for Whole<'_, '_> {
    #[inline(always)]
    fn add(&mut self, _: usize, piece: usize, column: &Column, values: &[f64], first: usize) {
        column.add(values, first, 0, self.0[piece]);
    }
}

/// What is computed together, with the instances it runs over: one or at least [`WIDE`].
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) members: usize,
    /// Whether results replace what is there instead of being added to it.
    replaces: bool,
    /// The expressions; their inputs are those below, in order.
    pub(super) graph: Graph,
    roots: Vec<Node>,
    /// Source and indices of every input.
    inputs: Vec<(usize, Column)>,
    /// Piece and places of every output.
    outputs: Vec<(usize, Column)>,
    /// Made when it is worth its while; `None` in it where that is not possible.
    code: OnceLock<Option<Code>>,
    /// Instances of many that were evaluated node by node so far.
    stepped: AtomicU32,
}

/// Evaluations node by node after which code is made: making it takes as long as some thirty of
/// them, whatever the size, and a start asks for much once.
pub(crate) const PATIENCE: u32 = 32;

/// Instances evaluated node by node after which code is made for a batch of many, where those of all evaluations count:
/// where events follow each other, each mode of the equations is asked for a few times and forgotten, and code for
/// eight bodies took three times as long to make as all that it was run for.
const PATIENCE_OF_MANY: u32 = 4 * PATIENCE;

/// Most operations of a matrix whose code is made along with that of the first residual, within
/// some milliseconds; a larger one has to be asked for as often as everything else.
pub(super) const ALONG: usize = 10_000;

#[derive(Debug)]
enum Code {
    /// Reads what it can from the sources themselves; other inputs have the first slots, outputs
    /// of many instances the next.
    Native(Native),
    Interpreted(Program),
}

impl Batch {
    /// A batch over members: `input` gives the index of an input of a member, `place` the place of
    /// an output; what is fixed goes to `hoisted`.
    pub(super) fn new(
        graph: &mut Graph,
        outputs: &[(usize, Node)],
        members: usize,
        replaces: bool,
        hoisted: Option<&mut Hoisted>,
        input: impl Fn(usize, u32) -> u32,
        place: impl Fn(usize, usize) -> u32,
    ) -> Self {
        let roots: Vec<Node> = outputs.iter().map(|x| x.1).collect();
        let (graph, roots, reads) = graph.part(&roots, hoisted);
        let reads = graph.inputs().iter().zip(reads);
        let input = |member: usize, read: Read| match read {
            Read::Input(k) => input(member, k),
            Read::Hoisted(number) => number,
        };
        let batch = Batch {
            members,
            replaces,
            inputs: reads
                .map(|(x, k)| (vm::rank(x.0), Column::new(members, |m| input(m, k))))
                .collect(),
            outputs: (0..)
                .zip(outputs)
                .map(|(o, x)| (x.0, Column::new(members, |m| place(m, o))))
                .collect(),
            code: OnceLock::new(),
            stepped: AtomicU32::new(0),
            graph,
            roots,
        };
        if members >= PATIENCE_OF_MANY as usize {
            batch.make();
        }
        batch
    }

    /// Makes the code, unless it is there.
    pub(super) fn make(&self) {
        self.code.get_or_init(|| self.code());
    }

    fn code(&self) -> Option<Code> {
        let Batch { graph, inputs, outputs, .. } = self;
        let roots = self.roots.iter().copied();
        let native = if self.members == 1 {
            let to = outputs.iter().map(|(piece, column)| match column {
                Column::Affine { base, .. } if self.replaces => Some(To::Place(*piece, *base)),
                Column::Affine { base, .. } => Some(To::Sum(*piece, *base)),
                Column::Table(_) => None,
            });
            let to: Option<Vec<To>> = to.collect();
            to.and_then(|to| {
                let roots: Vec<(Node, To)> = roots.zip(to).collect();
                let input = |k: u32| match &inputs[k as usize] {
                    (source, Column::Affine { base, .. }) => From::Source(*source, *base),
                    (_, Column::Table(_)) => From::Slot(0),
                };
                Native::new(graph, &roots, input, false, 0)
            })
        } else {
            let results = (inputs.len()..).map(To::Slot);
            let roots: Vec<(Node, To)> = roots.zip(results).collect();
            let input = |k: u32| match &inputs[k as usize] {
                (source, Column::Affine { base, stride: 1 }) => From::Source(*source, *base),
                _ => From::Slot(k as usize),
            };
            Native::new(graph, &roots, input, true, inputs.len() + outputs.len())
        };
        native.map(Code::Native).or_else(|| Program::new(graph, &self.roots).map(Code::Interpreted))
    }

    /// Evaluates an instance node by node: the same operations on the same numbers as by code.
    #[inline(never)]
    fn step_through(&self, instance: usize, from: &Sources<'_>, v: &mut Vec<[f64; 1]>) {
        if v.len() < self.graph.ops().len() {
            v.resize(self.graph.ops().len(), [0.0]);
        }
        let v = v.as_flattened_mut();
        for (i, &op) in self.graph.ops().iter().enumerate() {
            let at = |x: Node| v[x as usize];
            v[i] = match op {
                Op::Const(bits) => f64::from_bits(bits),
                Op::Input(k) => {
                    let (source, column) = &self.inputs[k as usize];
                    column.place(instance).map_or(0.0, |place| from[*source][place])
                }
                Op::Add(a, b) => at(a) + at(b),
                Op::Sub(a, b) => at(a) - at(b),
                Op::Mul(a, b) => at(a) * at(b),
                Op::Div(a, b) => at(a) / at(b),
                Op::Unary(Function::Sin, a) => sin_cos(&[at(a)]).0[0],
                Op::Unary(Function::Cos, a) => sin_cos(&[at(a)]).1[0],
                Op::Unary(f, a) => f.value(at(a)),
                Op::Powi(a, n) => at(a).powi(n),
                Op::Powf(a, n) => at(a).powf(f64::from_bits(n)),
                Op::Atan2(a, b) => angle(at(a), at(b)),
                Op::When(test, on, a) => {
                    if test.holds(at(on)) {
                        at(a)
                    } else {
                        0.0
                    }
                }
            };
        }
    }

    /// Puts the result of a single instance where it belongs.
    #[inline(always)]
    fn put(&self, output: &(usize, Column), value: f64, to: &mut [&mut [f64]; RESULTS]) {
        let (piece, column) = output;
        match self.replaces {
            true => column.set(value, to[*piece]),
            false => column.add(&[value], 0, 0, to[*piece]),
        }
    }

    /// Sets or adds the results of all instances.
    #[inline(always)]
    pub(super) fn run(
        &self,
        from: &Sources<'_>,
        to: &mut [&mut [f64]; RESULTS],
        scratch: &mut Scratch,
    ) {
        // The rest is kept out of the way of what costs no more than a call.
        match self.code.get() {
            Some(Some(Code::Native(native))) if !self.is_of_many() => {
                native.run(from, scratch.one.as_flattened_mut(), to);
            }
            _ if self.is_of_many() => self.run_many(from, to, scratch),
            Some(Some(Code::Interpreted(program))) => {
                self.interpret(program, from, to, scratch);
            }
            _ => {
                self.step_through(0, from, &mut scratch.one);
                for (output, &root) in self.outputs.iter().zip(&self.roots) {
                    self.put(output, scratch.one[root as usize][0], to);
                }
            }
        }
    }

    #[inline(never)]
    fn run_many(&self, from: &Sources<'_>, to: &mut [&mut [f64]; RESULTS], scratch: &mut Scratch) {
        if self.code.get().is_none()
            && self.stepped.fetch_add(self.members as u32, Ordering::Relaxed) >= PATIENCE_OF_MANY
        {
            self.make();
        }
        self.run_chunks(0..self.chunk_count(), from, scratch, &mut Whole(to));
    }

    /// Interprets the program of a single instance.
    #[inline(never)]
    fn interpret(
        &self,
        program: &Program,
        from: &Sources<'_>,
        to: &mut [&mut [f64]; RESULTS],
        scratch: &mut Scratch,
    ) {
        let Some(v) = scratch.one.first_chunk_mut::<SLOTS>() else { return };
        program.prepare(v);
        for ((source, column), slot) in self.inputs.iter().zip(program.first_input()..) {
            if let Column::Affine { base, .. } = column {
                v[slot] = [from[*source][*base as usize]];
            }
        }
        program.run(v);
        for (output, &slot) in self.outputs.iter().zip(&program.outputs) {
            self.put(output, v[usize::from(slot)][0], to);
        }
    }

    /// Computes chunks of many instances and gives them to `to`.
    #[inline(always)]
    pub(super) fn run_chunks(
        &self,
        chunks: Range<usize>,
        from: &Sources<'_>,
        scratch: &mut Scratch,
        to: &mut impl Add,
    ) {
        let wide = &mut scratch.wide;
        match self.code.get() {
            Some(Some(Code::Native(native))) => {
                let uniform = |column: &Column| matches!(column, Column::Affine { stride: 0, .. });
                for ((source, column), slot) in self.inputs.iter().zip(wide.iter_mut()) {
                    if uniform(column) {
                        column.load(from[*source], 0, slot);
                    }
                }
                for (start, fresh) in chunks.map(|chunk| self.chunk(chunk)) {
                    for ((source, column), slot) in self.inputs.iter().zip(wide.iter_mut()) {
                        if !matches!(column, Column::Affine { stride: 0 | 1, .. }) {
                            column.load(from[*source], start, slot);
                        }
                    }
                    for half in [0, LANES] {
                        let from = from.map(|x| x.get(start + half..).unwrap_or_default());
                        let slots = &mut wide.as_flattened_mut()[half..];
                        native.run(&from, slots, &mut Default::default());
                    }
                    let values = &wide[self.inputs.len()..];
                    for (k, ((piece, column), values)) in
                        self.outputs.iter().zip(values).enumerate()
                    {
                        to.add(k, *piece, column, &values[fresh..], start + fresh);
                    }
                }
            }
            Some(Some(Code::Interpreted(program))) => {
                let Some(v) = wide.first_chunk_mut::<SLOTS>() else { return };
                program.prepare(v);
                for (start, fresh) in chunks.map(|chunk| self.chunk(chunk)) {
                    for ((source, column), slot) in self.inputs.iter().zip(program.first_input()..)
                    {
                        column.load(from[*source], start, &mut v[slot]);
                    }
                    program.run(v);
                    let outputs = self.outputs.iter().zip(&program.outputs);
                    for (k, ((piece, column), &slot)) in outputs.enumerate() {
                        let values = &v[usize::from(slot)][fresh..];
                        to.add(k, *piece, column, values, start + fresh);
                    }
                }
            }
            // Not yet made, or too large.
            _ => {
                // Added in the order of the others, for the same bits.
                wide.resize(wide.len().max(self.outputs.len()), [0.0; WIDE]);
                for (start, fresh) in chunks.map(|chunk| self.chunk(chunk)) {
                    for instance in fresh..WIDE {
                        self.step_through(start + instance, from, &mut scratch.one);
                        for (values, &root) in wide.iter_mut().zip(&self.roots) {
                            values[instance] = scratch.one[root as usize][0];
                        }
                    }
                    for (k, ((piece, column), values)) in
                        self.outputs.iter().zip(wide.iter()).enumerate()
                    {
                        to.add(k, *piece, column, &values[fresh..], start + fresh);
                    }
                }
            }
        }
    }

    /// Whether it is of many instances, computed in chunks.
    pub(super) fn is_of_many(&self) -> bool {
        self.members > 1
    }

    /// Number of chunks of [`WIDE`] instances.
    pub(super) fn chunk_count(&self) -> usize {
        self.members.div_ceil(WIDE)
    }

    /// The first instance of a chunk, and how many of the chunk an earlier one has added: the last
    /// chunk is moved back so that it is whole.
    #[inline(always)]
    fn chunk(&self, chunk: usize) -> (usize, usize) {
        let start = (chunk * WIDE).min(self.members - WIDE);
        (start, chunk * WIDE - start)
    }

    /// The work of a chunk: operations, inputs and outputs of each instance.
    pub(super) fn weight(&self) -> usize {
        WIDE.min(self.members) * (self.graph.ops().len() + self.outputs.len())
    }

    /// The pieces of all outputs.
    pub(super) fn pieces(&self) -> impl Iterator<Item = usize> + '_ {
        self.outputs.iter().map(|output| output.0)
    }

    /// Calls with piece and place of everything that a chunk adds to.
    pub(super) fn places(&self, chunk: usize, mut call: impl FnMut(usize, usize)) {
        let (start, fresh) = self.chunk(chunk);
        for (piece, column) in &self.outputs {
            for place in (start + fresh..start + WIDE).filter_map(|i| column.place(i)) {
                call(*piece, place);
            }
        }
    }
}
