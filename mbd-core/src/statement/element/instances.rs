//! The scalars that each instance of a statement reads.

use super::held::HELD;
use crate::equation::SlotKind;

/// The scalars each instance of a statement reads: one instance per loop iteration, exactly one
/// for a statement outside loops. The kind of a local is common to all instances.
#[derive(Clone, Debug)]
pub struct Instances<const K: usize, const P: usize> {
    pub(super) list: List,
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
    pub(super) indices: Vec<u32>,
    /// Flat index of each local and of each parameter.
    pub(super) flat: Vec<u32>,
    pub(super) params: Vec<u32>,
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

    /// The same of another list whose kinds are the first of these, with the slots of the others.
    pub(crate) fn push_with(&mut self, other: &List, i: usize, index: usize, more: &[u32]) {
        self.push_of(other, i, index);
        self.slots.extend(more);
    }

    /// A single instance.
    pub(super) fn one(
        kinds: Vec<SlotKind>,
        at: &[usize],
        slots: &[usize],
        params: &[usize],
    ) -> List {
        let mut list = List { kinds, param_count: params.len(), ..List::default() };
        list.push(at, slots, params);
        list
    }

    /// Instance `i` alone.
    pub(super) fn alone(&self, i: usize) -> List {
        let wide = |all: &[u32]| all.iter().map(|&x| x as usize).collect::<Vec<_>>();
        let params = List::part(&self.indices, i, self.param_count);
        List::one(self.kinds.clone(), self.at(i), &wide(self.slots(i)), &wide(params))
    }

    /// Which locals are [held](HELD), in all instances, if any are; these are taken out.
    pub(super) fn take_held(&mut self) -> Option<Vec<bool>> {
        let all = self.kinds.len();
        let one = self.slots.get(..all)?;
        let held: Vec<bool> = one.iter().map(|&slot| slot as usize >= HELD).collect();
        if !held.contains(&true) {
            return None;
        }
        let free = |k: &usize| !held[k % all];
        self.slots = (0..self.slots.len()).filter(free).map(|k| self.slots[k]).collect();
        self.kinds = (0..all).filter(free).map(|k| self.kinds[k]).collect();
        Some(held)
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn at(&self, i: usize) -> &[usize] {
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

    pub(super) fn flat(&self, i: usize) -> &[u32] {
        List::part(&self.flat, i, self.kinds.len())
    }

    pub(super) fn params(&self, i: usize) -> &[u32] {
        List::part(&self.params, i, self.param_count)
    }
}
