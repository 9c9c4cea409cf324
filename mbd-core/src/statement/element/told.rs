//! Scalars that others tell: the frames of bodies of an array in joint coordinates.
//!
//! A body that joints of a loop carry is told by the bodies before it, how many of them nobody knows before sizes do.
//! So statements read its frame as scalars, and these are no unknowns: kernels of the joints *tell* them, of
//! coordinates and of scalars told before. Here an element that reads told scalars becomes one for each
//! instance, which reads the coordinates behind them, and runs on its tape what tells them before its own kernel. Nothing
//! after that knows of told scalars: the graph finds what statements have in common, as it does for bodies that are
//! declared one by one.

use super::element::{self, Element, WORK};
use super::held::HELD;
use super::instances::{Instances, List};
use super::kernel::{Body, Kernel, OfSizes};
use crate::equation::SlotKind;
use crate::graph::{Graph, Node, Recorder, Source};
use crate::scalar::{Num, Trace, of_body};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// From this index on, and below [`HELD`], coordinates, velocities and accelerations are told ones.
pub(crate) const TOLD: usize = 1 << 30;

/// What the scalars of a kind are told by, one instance for each pass of a joint's loops.
pub(crate) struct Teller {
    body: Arc<dyn Body>,
    list: List,
}

impl Teller {
    pub(crate) fn new<E, const K: usize, const P: usize, const R: usize>(
        kernel: E,
        instances: Instances<K, P>,
    ) -> Self
    where
        E: Kernel<K, P, R>,
    {
        Teller { body: Arc::new(OfSizes(kernel)), list: instances.list }
    }

    /// The told scalars that an instance reads.
    pub(crate) fn reads(&self, instance: usize) -> impl Iterator<Item = usize> {
        locals(&self.list, instance).filter_map(|(_, slot)| told(slot as usize))
    }
}

/// The number among told scalars of a coordinate, if it is one.
fn told(slot: usize) -> Option<usize> {
    (TOLD..HELD).contains(&slot).then(|| slot - TOLD)
}

fn locals(list: &List, i: usize) -> impl Iterator<Item = (SlotKind, u32)> {
    list.kinds.iter().copied().zip(list.slots(i).iter().copied())
}

/// The frame of a body: told scalars with what tells them.
pub(crate) struct Frame {
    /// The body's name, for pictures.
    pub(crate) body: String,
    /// The scalars, their rates and their second derivatives.
    pub(crate) by: Arc<[Teller; 3]>,
    /// The pass of the joint's loops.
    pub(crate) instance: usize,
    /// How many scalars it has.
    pub(crate) rows: usize,
}

/// All that is told.
#[derive(Default)]
pub(crate) struct Told {
    /// Each after those it is told by.
    pub(crate) frames: Vec<Frame>,
    /// Of each told scalar its frame, and which of its scalars it is.
    pub(crate) places: Vec<(u32, u32)>,
    /// Whether what tells a level compares values, as far as that was asked.
    compares: Mutex<BTreeMap<Level, bool>>,
}

/// A frame, and whether its scalars are meant (0), their rates (1) or second derivatives (2).
type Level = (u32, u8);

/// What a scalar is to a statement.
enum What {
    /// A number of a joint that holds its frames: zero.
    Held,
    Told(Level, usize),
    Own,
}

/// What an instance needs that reads told scalars.
struct Needs {
    /// What is told on the way, in order.
    levels: Vec<Level>,
    /// Scalars of the model, and parameters, that tell it.
    scalars: BTreeSet<(SlotKind, u32)>,
    params: BTreeSet<u32>,
}

impl Told {
    fn what(&self, kind: SlotKind, slot: u32) -> What {
        let level = match kind {
            SlotKind::Q => 0,
            SlotKind::V => 1,
            SlotKind::A => 2,
            _ => return if slot as usize >= HELD { What::Held } else { What::Own },
        };
        match told(slot as usize) {
            None if slot as usize >= HELD => What::Held,
            None => What::Own,
            Some(scalar) => {
                let (frame, row) = self.places[scalar];
                What::Told((frame, level), row as usize)
            }
        }
    }

    fn teller(&self, (frame, level): Level) -> (&Teller, &Frame) {
        let frame = &self.frames[frame as usize];
        (&frame.by[usize::from(level)], frame)
    }

    fn needs(&self, read: impl Iterator<Item = (SlotKind, u32)>) -> Needs {
        let mut open = BTreeSet::new();
        let (mut levels, mut scalars, mut params) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        for (kind, slot) in read {
            if let What::Told(level, _) = self.what(kind, slot) {
                open.insert(level);
            }
        }
        // What tells a frame comes before it: from the last to the first each is met once.
        while let Some(level) = open.pop_last() {
            levels.push(level);
            let (teller, frame) = self.teller(level);
            for (kind, slot) in locals(&teller.list, frame.instance) {
                match self.what(kind, slot) {
                    What::Told(level, _) => _ = open.insert(level),
                    What::Own => _ = scalars.insert((kind, slot)),
                    What::Held => {}
                }
            }
            params.extend(params_of(&teller.list, frame.instance));
        }
        levels.reverse();
        Needs { levels, scalars, params }
    }

    /// Numbers that levels are, one after the other, with where each begins.
    fn tell(
        &self,
        levels: &[Level],
        scalar: impl Fn(SlotKind, u32) -> Num<Trace>,
        param: impl Fn(u32) -> Num<Trace>,
    ) -> (Vec<Num<Trace>>, Vec<usize>) {
        let (mut numbers, mut first): (Vec<Num<Trace>>, Vec<usize>) = Default::default();
        let (mut z, mut p) = (Vec::new(), Vec::new());
        for &level in levels {
            let (teller, frame) = self.teller(level);
            z.clear();
            z.extend(locals(&teller.list, frame.instance).map(|(kind, slot)| {
                match self.what(kind, slot) {
                    What::Held => Num::from(0.0),
                    What::Told(of, row) => match levels.binary_search(&of) {
                        Ok(k) => numbers[first[k] + row],
                        Err(_) => Num::from(0.0),
                    },
                    What::Own => scalar(kind, slot),
                }
            }));
            p.clear();
            p.extend(params_of(&teller.list, frame.instance).map(&param));
            let begin = numbers.len();
            numbers.resize(begin + frame.rows, Num::from(0.0));
            let rows = &mut numbers[begin..];
            teller.body.run(teller.list.at(frame.instance), &z, &p, rows);
            if level.1 == 0 {
                of_body(&frame.body, rows);
            }
            first.push(begin);
        }
        (numbers, first)
    }

    /// The value of a told scalar, or of its rate, where those that are not told, and parameters, are these.
    pub(crate) fn value(
        &self,
        kind: SlotKind,
        slot: usize,
        scalar: impl Fn(SlotKind, usize) -> f64,
        param: impl Fn(usize) -> f64,
    ) -> f64 {
        let Some(What::Told(level, row)) =
            u32::try_from(slot).ok().map(|slot| self.what(kind, slot))
        else {
            return scalar(kind, slot);
        };
        let levels = self.needs([(kind, slot as u32)].into_iter()).levels;
        let scalar = |kind, slot: u32| Num::from(scalar(kind, slot as usize));
        let param = |index: u32| Num::from(param(index as usize));
        let (numbers, first) = self.tell(&levels, scalar, param);
        let place = levels.binary_search(&level).ok();
        place.map_or(0.0, |k| numbers[first[k] + row].value())
    }

    /// Whether any instance reads what is told.
    fn is_read(&self, list: &List) -> bool {
        !self.places.is_empty() && list.slots.iter().any(|&slot| told(slot as usize).is_some())
    }

    /// The elements of a statement: one, or where it reads what is told one of each instance.
    pub(crate) fn parts<E, const K: usize, const P: usize, const R: usize>(
        self: &Arc<Self>,
        kernel: E,
        instances: Instances<K, P>,
    ) -> Parts
    where
        E: Kernel<K, P, R>,
    {
        let (body, list): (Arc<dyn Body>, List) = (Arc::new(OfSizes(kernel)), instances.list);
        if !self.is_read(&list) {
            return Parts { apart: false, elements: vec![Element::of(body, list, R)] };
        }
        let one = |i| self.part(&body, &list, i, R);
        Parts { apart: true, elements: (0..list.len()).map(one).collect() }
    }

    fn part(self: &Arc<Self>, body: &Arc<dyn Body>, list: &List, i: usize, rows: usize) -> Element {
        let Needs { levels, scalars, params } = self.needs(locals(list, i));
        let (mut kinds, mut slots) = (Vec::new(), Vec::new());
        let mut places = BTreeMap::new();
        let mut read = Vec::new();
        for (kind, slot) in locals(list, i) {
            read.push(match self.what(kind, slot) {
                What::Held => From::Zero,
                What::Told(level, row) => match levels.binary_search(&level) {
                    Ok(k) => From::Told(k as u32, row as u32),
                    Err(_) => From::Zero,
                },
                What::Own => {
                    let place = kinds.len() as u32;
                    places.entry((kind, slot)).or_insert(place);
                    kinds.push(kind);
                    slots.push(slot as usize);
                    From::Local(place)
                }
            });
        }
        for (kind, slot) in scalars {
            places.entry((kind, slot)).or_insert_with(|| {
                kinds.push(kind);
                slots.push(slot as usize);
                kinds.len() as u32 - 1
            });
        }
        let mut indices: Vec<usize> = params_of(list, i).map(|p| p as usize).collect();
        let own = indices.len();
        let mut of_params = BTreeMap::new();
        for (k, &param) in indices.iter().enumerate() {
            of_params.entry(param as u32).or_insert(k as u32);
        }
        for param in params {
            of_params.entry(param).or_insert_with(|| {
                indices.push(param as usize);
                indices.len() as u32 - 1
            });
        }
        let part = List::one(kinds, list.at(i), &slots, &indices);
        let body = Arc::new(Carried {
            told: self.clone(),
            body: body.clone(),
            levels,
            read,
            own,
            places: places.into_iter().collect(),
            params: of_params.into_iter().collect(),
        });
        Element { carried: Some(body.clone()), ..Element::of(body, part, rows) }
    }
}

fn params_of(list: &List, i: usize) -> impl Iterator<Item = u32> {
    list.indices[i * list.param_count..][..list.param_count].iter().copied()
}

/// The elements of a statement.
pub(crate) struct Parts {
    /// Whether there is one of each instance.
    pub(crate) apart: bool,
    elements: Vec<Element>,
}

impl Parts {
    /// Each with its name, and the number of its first instance.
    pub(crate) fn named(self, name: &str) -> impl Iterator<Item = (String, usize, Element)> {
        let (name, apart) = (name.to_string(), self.apart && self.elements.len() != 1);
        self.elements.into_iter().enumerate().map(move |(i, element)| match apart {
            true => (format!("{name}[{i}]"), i, element),
            false => (name.clone(), i, element),
        })
    }

    /// How many rows each has.
    pub(crate) fn rows(&self) -> usize {
        self.elements.first().map_or(0, Element::rows)
    }

    /// How many instances there are in all.
    pub(crate) fn len(&self) -> usize {
        self.elements.iter().map(Element::len).sum()
    }

    /// One element of each instance, if that is so of any of several.
    pub(crate) fn split_with(self, other: &Parts) -> Self {
        if other.apart { self.split() } else { self }
    }

    /// One element of each instance.
    pub(crate) fn split(self) -> Self {
        if self.apart {
            return self;
        }
        let each = |element: &Element| -> Vec<Element> {
            (0..element.len()).map(|i| element.instance(i)).collect()
        };
        Parts { apart: true, elements: self.elements.iter().flat_map(each).collect() }
    }
}

/// Where a local of a kernel is.
enum From {
    Local(u32),
    Told(u32, u32),
    Zero,
}

/// A kernel of one instance with what tells the scalars that it reads.
struct Carried {
    told: Arc<Told>,
    body: Arc<dyn Body>,
    levels: Vec<Level>,
    /// Of the kernel's own locals.
    read: Vec<From>,
    /// How many of the parameters are the kernel's own.
    own: usize,
    /// Where scalars and parameters are that what is told is made of, in order.
    places: Vec<((SlotKind, u32), u32)>,
    params: Vec<(u32, u32)>,
}

impl Carried {
    /// The flat indices of what a level is told by: `None` for zero, of a told number its level and row.
    fn source(&self, of: &Element, kind: SlotKind, slot: u32) -> Input {
        match self.told.what(kind, slot) {
            What::Held => Input::Zero,
            What::Told(level, row) => Input::Told(level, row),
            What::Own => match self.places.binary_search_by_key(&(kind, slot), |x| x.0) {
                Ok(k) => Input::Flat(of.list.flat(0)[self.places[k].1 as usize]),
                Err(_) => Input::Zero,
            },
        }
    }

    fn param(&self, of: &Element, index: u32) -> u32 {
        let found = self.params.binary_search_by_key(&index, |x| x.0);
        found.map_or(0, |k| of.list.params(0)[self.params[k].1 as usize])
    }

    fn own_reads(&self, of: &Element) -> Vec<Input> {
        let read = self.read.iter().map(|from| match *from {
            From::Local(k) => Input::Flat(of.list.flat(0)[k as usize]),
            From::Told(k, row) => Input::Told(self.levels[k as usize], row as usize),
            From::Zero => Input::Zero,
        });
        read.collect()
    }
}

impl element::Told for Carried {
    fn record(&self, of: &Element, y: &[f64], graph: &mut Recorder) -> Option<Vec<Node>> {
        for &level in &self.levels {
            if graph.told(level, 0).is_some() {
                continue;
            }
            let (teller, frame) = self.told.teller(level);
            let i = frame.instance;
            let read: Vec<Input> =
                locals(&teller.list, i).map(|(kind, slot)| self.source(of, kind, slot)).collect();
            let params: Vec<u32> =
                params_of(&teller.list, i).map(|index| self.param(of, index)).collect();
            let (numbers, nodes) =
                written(&*teller.body, teller.list.at(i), &read, &params, frame.rows, y, graph)?;
            graph.tell(level, numbers, nodes);
        }
        let read: Vec<Input> = self.own_reads(of);
        let params = &of.list.params(0)[..self.own];
        let at = of.list.at(0);
        Some(written(&*self.body, at, &read, params, of.rows, y, graph)?.1)
    }

    fn compares(&self, of: &Element, y: &[f64]) -> bool {
        // Which comparisons there are does not depend on the numbers.
        let decides = |body: &dyn Body, at: &[usize], z: usize, params: &[u32], rows: usize| {
            WORK.with_borrow_mut(|work| {
                let inputs = std::iter::repeat_n(0.5, z);
                let inputs = inputs.chain(params.iter().map(|&flat| y[flat as usize]));
                let run = |inputs: &[Num<Trace>], rows: &mut [Num<Trace>]| {
                    let (z, p) = inputs.split_at(z);
                    body.run(at, z, p, rows);
                };
                work.tape.record(inputs, rows, run);
                work.tape.decisions().next().is_some()
            })
        };
        let own = &of.list.params(0)[..self.own];
        decides(&*self.body, of.list.at(0), self.read.len(), own, of.rows)
            || self.levels.iter().any(|&level| {
                let mut known = self.told.compares.lock().unwrap_or_else(|lock| lock.into_inner());
                if let Some(compares) = known.get(&level) {
                    return *compares;
                }
                let (teller, frame) = self.told.teller(level);
                let params: Vec<u32> = params_of(&teller.list, frame.instance)
                    .map(|index| self.param(of, index))
                    .collect();
                let at = teller.list.at(frame.instance);
                let compares =
                    decides(&*teller.body, at, teller.list.kinds.len(), &params, frame.rows);
                known.insert(level, compares);
                compares
            })
    }
}

/// What an input of a kernel is.
enum Input {
    Zero,
    Flat(u32),
    Told(Level, usize),
}

/// Rows of a kernel written down in a graph, with their values.
fn written(
    body: &dyn Body,
    at: &[usize],
    read: &[Input],
    params: &[u32],
    rows: usize,
    y: &[f64],
    graph: &mut Recorder,
) -> Option<(Vec<f64>, Vec<Node>)> {
    let told = |graph: &Recorder, level, row| graph.told(level, row).unwrap_or((0.0, Graph::ZERO));
    // Zeros are numbers and no inputs, so that nothing is left of them.
    let free = read.iter().filter(|input| !matches!(input, Input::Zero)).count();
    let values = read.iter().filter_map(|input| match *input {
        Input::Zero => None,
        Input::Flat(flat) => Some(y[flat as usize]),
        Input::Told(level, row) => Some(told(graph, level, row).0),
    });
    let values: Vec<f64> = values.chain(params.iter().map(|&flat| y[flat as usize])).collect();
    let run = |inputs: &[Num<Trace>], rows: &mut [Num<Trace>]| {
        let (given, p) = inputs.split_at(free);
        let mut given = given.iter().copied();
        let z = read.iter().map(|input| match input {
            Input::Zero => Num::from(0.0),
            _ => given.next().unwrap_or(Num::from(0.0)),
        });
        body.run(at, &z.collect::<Vec<_>>(), p, rows);
    };
    WORK.with_borrow_mut(|work| {
        work.tape.record(values.into_iter(), rows, run);
        let inputs: Vec<&Input> =
            read.iter().filter(|input| !matches!(input, Input::Zero)).collect();
        let input = |graph: &mut Recorder, k: usize| match inputs.get(k) {
            Some(Input::Flat(flat)) => graph.input(Source::Point, *flat as usize),
            Some(Input::Told(level, row)) => told(graph, *level, *row).1,
            Some(Input::Zero) => Graph::ZERO,
            None => graph.input(Source::Param, params[k - free] as usize),
        };
        // It compares nothing.
        let nodes = graph.write(&work.tape, input, |_| false)?;
        Some((work.tape.rows_seen().map(|(value, _)| value).collect(), nodes))
    })
}

impl Body for Carried {
    fn run(&self, at: &[usize], z: &[Num<Trace>], p: &[Num<Trace>], rows: &mut [Num<Trace>]) {
        let scalar = |kind, slot| match self.places.binary_search_by_key(&(kind, slot), |x| x.0) {
            Ok(k) => z[self.places[k].1 as usize],
            Err(_) => Num::from(0.0),
        };
        let param = |index| match self.params.binary_search_by_key(&index, |x| x.0) {
            Ok(k) => p[self.params[k].1 as usize],
            Err(_) => Num::from(0.0),
        };
        let (numbers, first) = self.told.tell(&self.levels, scalar, param);
        let read = self.read.iter().map(|from| match *from {
            From::Local(k) => z[k as usize],
            From::Told(k, row) => numbers[first[k as usize] + row as usize],
            From::Zero => Num::from(0.0),
        });
        self.body.run(at, &read.collect::<Vec<_>>(), &p[..self.own], rows);
    }
}
