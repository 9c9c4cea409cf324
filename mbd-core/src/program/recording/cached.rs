//! The programs of the requests that recur.

use crate::program::compiled::Compiled;
use std::sync::OnceLock;

/// Programs by request, made when first asked for. A few requests recur in every run; more than
/// fit are evaluated on dual numbers.
#[derive(Debug)]
pub(crate) struct Cached<K>([OnceLock<(K, Compiled)>; SLOTS]);

/// Requests that are kept.
const SLOTS: usize = 64;

impl<K> Default for Cached<K> {
    fn default() -> Self {
        Cached(std::array::from_fn(|_| OnceLock::new()))
    }
}

impl<K> Cached<K> {
    /// Makes the code of what was evaluated so far, unless it is large.
    pub(crate) fn make_along(&self) {
        self.0.iter().filter_map(OnceLock::get).for_each(|(_, compiled)| compiled.make_along());
    }
}

impl<K> Cached<K> {
    /// The programs of a request that `is` the one; made, with how many there are already, where
    /// there are none.
    #[inline]
    pub(crate) fn get(
        &self,
        is: impl Fn(&K) -> bool,
        make: impl Fn(usize) -> (K, Compiled),
    ) -> Option<&Compiled> {
        self.0.iter().enumerate().find_map(|(k, slot)| {
            let (known, compiled) = slot.get_or_init(|| make(k));
            is(known).then_some(compiled)
        })
    }
}
