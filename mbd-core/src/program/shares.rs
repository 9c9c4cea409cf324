//! Programs over many instances, evaluated by several threads.
//!
//! Every number of the result belongs to one share, which computes all the instances that add to it
//! in the order in which a single thread would, and so comes to the same bits. An instance is
//! computed by every share it adds to: in a loop that couples neighbours that is a few at the
//! borders. Nothing is stored in between, and shares wait for each other once.

use super::batch::{Add, Batch, Column, MATRIX, Sources};
use super::native::RESULTS;
use super::vm::SCRATCH;
use crate::equation::Want;
use crate::threads;
use std::ops::Range;
use std::sync::OnceLock;

/// Least work, as [`Batch::weight`] counts it, that is divided: an evaluation of some 0.8 ms. By itself
/// one gains from an eighth of it on, but not as part of a step that is otherwise done by one thread
/// (docs/book/src/performance.md, "Several threads").
const WORTHWHILE: usize = 2_000_000;

/// Evaluations of the same before it is divided: to divide takes as long as a few of them.
const PATIENCE: u32 = 4;

/// Most of the work of a single thread that a share may have: where instances add up all over the
/// result, shares would compute everything each.
const LARGEST_PART: f64 = 0.75;

/// Fewest numbers of the result to each contiguous part of it.
const LEAST_RUN: usize = 32;

/// Programs in the order in which they add to the results.
#[derive(Debug, Default)]
pub(super) struct Batches {
    list: Vec<Batch>,
    work: usize,
    worthwhile: usize,
    stretches: OnceLock<Vec<Stretch>>,
}

impl std::ops::Deref for Batches {
    type Target = [Batch];
    fn deref(&self) -> &[Batch] {
        &self.list
    }
}

impl Batches {
    /// Batches, divided from so much work on or from the usual one.
    pub(super) fn new(list: Vec<Batch>, divided_from: Option<usize>) -> Self {
        let work = list.iter().map(|batch| batch.weight() * batch.chunk_count()).sum();
        let worthwhile = divided_from.unwrap_or(WORTHWHILE);
        Batches { list, work, worthwhile, stretches: OnceLock::new() }
    }

    /// Adds the results of all; `runs` is how often that was done before.
    #[inline(always)]
    pub(super) fn run(
        &self,
        from: &Sources<'_>,
        starts: Starts<'_>,
        to: &mut [&mut [f64]; RESULTS],
        runs: u32,
    ) {
        if self.work >= self.worthwhile && runs >= PATIENCE {
            return self.run_divided(from, starts, to);
        }
        starts.apply(to);
        one_by_one(&self.list, from, to);
    }

    fn run_divided(&self, from: &Sources<'_>, starts: Starts<'_>, to: &mut [&mut [f64]; RESULTS]) {
        let stretches = self.stretches.get_or_init(|| {
            let lengths = std::array::from_fn(|k| to[k].len());
            stretches(&self.list, &lengths, threads::available(), self.worthwhile)
        });
        run_stretches(stretches, &self.list, from, starts, to);
    }
}

/// What is in the results before anything is added to them, where it is not what was there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Starts<'a> {
    /// Pieces that begin with zeros.
    pub(super) zero: Want,
    /// The numbers that the matrix begins with.
    pub(super) matrix: Option<&'a [f64]>,
}

impl Starts<'_> {
    #[inline(always)]
    fn apply(self, to: &mut [&mut [f64]; RESULTS]) {
        self.zero.numbers().for_each(|k| to[k].fill(0.0));
        if let Some(values) = self.matrix {
            to[MATRIX].copy_from_slice(values);
        }
    }

    /// Writes the part of one result from `first` on.
    fn apply_part(self, result: usize, first: usize, to: &mut [f64]) {
        match self.matrix {
            Some(values) if result == MATRIX => to.copy_from_slice(&values[first..][..to.len()]),
            _ if self.zero.has(Want::bit(result as u32)) => to.fill(0.0),
            _ => {}
        }
    }
}

#[inline(never)]
fn one_by_one(batches: &[Batch], from: &Sources<'_>, to: &mut [&mut [f64]; RESULTS]) {
    SCRATCH.with_borrow_mut(|scratch| {
        batches.iter().for_each(|batch| batch.run(from, to, scratch));
    });
}

/// Neighbours in the order of evaluation that are divided together, or not at all.
#[derive(Debug)]
pub(super) struct Stretch {
    batches: Range<usize>,
    shares: Option<Shares>,
}

/// Divides what is worth it: neighbours of many instances. Those of one instance are evaluated by
/// the calling thread, in their turn.
pub(super) fn stretches(
    list: &[Batch],
    lengths: &[usize; RESULTS],
    threads: usize,
    worthwhile: usize,
) -> Vec<Stretch> {
    let mut stretches = Vec::new();
    let mut start = 0;
    for batches in list.chunk_by(|a, b| a.is_of_many() == b.is_of_many()) {
        let work: usize = batches.iter().map(|batch| batch.weight() * batch.chunk_count()).sum();
        let many = batches[0].is_of_many() && work >= worthwhile && threads > 1;
        let shares = if many { Shares::new(batches, lengths, threads) } else { None };
        stretches.push(Stretch { batches: start..start + batches.len(), shares });
        start += batches.len();
    }
    stretches
}

#[cfg(test)]
impl Stretch {
    pub(super) fn is_divided(&self) -> bool {
        self.shares.is_some()
    }
}

/// Adds the results of all, from what they start with.
pub(super) fn run_stretches(
    stretches: &[Stretch],
    list: &[Batch],
    from: &Sources<'_>,
    starts: Starts<'_>,
    to: &mut [&mut [f64]; RESULTS],
) {
    // The shares of the first stretch begin with their parts of what they all write to.
    let first = stretches.first().and_then(|stretch| stretch.shares.as_ref());
    for (k, to) in to.iter_mut().enumerate() {
        if first.is_none_or(|shares| shares.parts[k].is_empty()) {
            starts.apply_part(k, 0, to);
        }
    }
    for (number, stretch) in stretches.iter().enumerate() {
        let batches = &list[stretch.batches.clone()];
        match &stretch.shares {
            Some(shares) if number == 0 => shares.run(batches, from, starts, to),
            Some(shares) => shares.run(batches, from, Starts::default(), to),
            None => one_by_one(batches, from, to),
        }
    }
}

/// Who computes what.
#[derive(Debug)]
struct Shares {
    /// For each result its contiguous parts in order: the end of each and the share it belongs to.
    parts: [Vec<(usize, usize)>; RESULTS],
    /// For each share the chunks of instances it computes, batch by batch.
    work: Vec<Vec<(usize, Range<usize>)>>,
}

/// A number of the result that nothing is added to.
const NOBODY: u32 = u32::MAX;

impl Shares {
    /// `None` where dividing would not pay.
    fn new(batches: &[Batch], lengths: &[usize; RESULTS], count: usize) -> Option<Self> {
        let mut owners = lengths.map(|_| Vec::new());
        for batch in batches {
            batch.pieces().for_each(|piece| owners[piece].resize(lengths[piece], NOBODY));
        }
        // To each share as many chunks of each batch; what they add to is theirs unless it belongs
        // to a share already. The most expensive batch is the first to choose.
        let mut by_weight: Vec<&Batch> = batches.iter().collect();
        by_weight.sort_by_key(|batch| std::cmp::Reverse(batch.weight() * batch.chunk_count()));
        for batch in by_weight {
            let chunks = batch.chunk_count();
            for chunk in 0..chunks {
                let share = (chunk * count / chunks) as u32;
                batch.places(chunk, |piece, place| {
                    if let Some(owner) = owners[piece].get_mut(place).filter(|o| **o == NOBODY) {
                        *owner = share;
                    }
                });
            }
        }
        let mut work = vec![Vec::new(); count];
        let mut loads = vec![0; count];
        let mut seen = vec![usize::MAX; count];
        let mut order = 0;
        for (number, batch) in batches.iter().enumerate() {
            for chunk in 0..batch.chunk_count() {
                batch.places(chunk, |piece, place| {
                    let owner = owners[piece].get(place).copied().unwrap_or(NOBODY) as usize;
                    if seen.get(owner).is_some_and(|&last| last != order) {
                        seen[owner] = order;
                        loads[owner] += batch.weight();
                        let list: &mut Vec<(usize, Range<usize>)> = &mut work[owner];
                        match list.last_mut() {
                            Some((n, range)) if *n == number && range.end == chunk => {
                                range.end += 1;
                            }
                            _ => list.push((number, chunk..chunk + 1)),
                        }
                    }
                });
                order += 1;
            }
        }
        let all: usize = batches.iter().map(|batch| batch.weight() * batch.chunk_count()).sum();
        let largest = loads.into_iter().max().unwrap_or(0);
        let parts = owners.map(|owners| parts(&owners));
        let is_run =
            |(part, &len): (&Vec<(usize, usize)>, &usize)| part.len() <= count + len / LEAST_RUN;
        let pays =
            largest as f64 <= LARGEST_PART * all as f64 && parts.iter().zip(lengths).all(is_run);
        pays.then_some(Shares { parts, work })
    }

    fn run(
        &self,
        batches: &[Batch],
        from: &Sources<'_>,
        starts: Starts<'_>,
        to: &mut [&mut [f64]; RESULTS],
    ) {
        let mut shares: Vec<Share<'_>> =
            self.work.iter().map(|work| Share { work, results: Default::default() }).collect();
        for (k, (to, parts)) in to.iter_mut().zip(&self.parts).enumerate() {
            let mut rest: &mut [f64] = to;
            let mut start = 0;
            for &(end, owner) in parts {
                let Some((values, behind)) = rest.split_at_mut_checked(end - start) else { break };
                shares[owner].results[k].push(Part { start, values });
                rest = behind;
                start = end;
            }
        }
        threads::run(shares, |share| share.run(batches, from, starts));
    }
}

/// Neighbours of one owner together; what is nobody's goes to the one before.
fn parts(owners: &[u32]) -> Vec<(usize, usize)> {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for (i, &owner) in owners.iter().enumerate() {
        match parts.last_mut() {
            Some((end, last)) if owner == NOBODY || owner as usize == *last => *end = i + 1,
            _ if owner == NOBODY => {}
            _ => parts.push((i + 1, owner as usize)),
        }
    }
    parts
}

/// What one thread does, and where it writes.
struct Share<'a> {
    work: &'a [(usize, Range<usize>)],
    results: [Vec<Part<'a>>; RESULTS],
}

/// A contiguous part of a result.
struct Part<'a> {
    start: usize,
    values: &'a mut [f64],
}

impl Share<'_> {
    fn run(mut self, batches: &[Batch], from: &Sources<'_>, starts: Starts<'_>) {
        for (k, parts) in self.results.iter_mut().enumerate() {
            parts.iter_mut().for_each(|part| starts.apply_part(k, part.start, part.values));
        }
        let mut to = Parts { results: &mut self.results, last: Vec::new() };
        SCRATCH.with_borrow_mut(|scratch| {
            for (number, chunks) in self.work {
                let Some(batch) = batches.get(*number) else { continue };
                to.last.clear();
                to.last.resize(batch.pieces().count(), 0);
                batch.run_chunks(chunks.clone(), from, scratch, &mut to);
            }
        });
    }
}

/// The places of a share.
struct Parts<'a, 'b> {
    results: &'a mut [Vec<Part<'b>>; RESULTS],
    /// The part that an output was last added to: mostly it is the next one too.
    last: Vec<usize>,
}

impl Add for Parts<'_, '_> {
    #[inline(always)]
    fn add(&mut self, output: usize, piece: usize, column: &Column, values: &[f64], first: usize) {
        add(&mut self.results[piece], &mut self.last[output], column, values, first);
    }
}

/// Adds what belongs to the parts of the values of the instances from `first` on.
#[inline(always)]
fn add(parts: &mut [Part<'_>], last: &mut usize, column: &Column, values: &[f64], first: usize) {
    let Some(ends) = column.ends(first, values.len()) else {
        for (i, &value) in values.iter().enumerate() {
            if let Some(place) = column.place(first + i) {
                add_one(parts, last, place, value);
            }
        }
        return;
    };
    let inside = |part: &Part<'_>| part.start <= ends.0 && ends.1 - part.start < part.values.len();
    match parts.get_mut(*last).filter(|part| inside(part)) {
        Some(part) => column.add(values, first, part.start, part.values),
        None => {
            for (i, &value) in values.iter().enumerate() {
                if let Some(place) = column.place(first + i) {
                    add_one(parts, last, place, value);
                }
            }
        }
    }
}

#[inline(always)]
fn add_one(parts: &mut [Part<'_>], last: &mut usize, place: usize, value: f64) {
    let in_last =
        parts.get_mut(*last).and_then(|part| part.values.get_mut(place.wrapping_sub(part.start)));
    if let Some(to) = in_last {
        *to += value;
        return;
    }
    let after = parts.partition_point(|part| part.start <= place);
    let Some(number) = after.checked_sub(1) else { return };
    let part = &mut parts[number];
    if let Some(to) = part.values.get_mut(place - part.start) {
        *to += value;
        *last = number;
    }
}
