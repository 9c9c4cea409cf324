//! Maps keyed by small values: a hash for operations, which are few words and not hostile.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A multiplicative hash: operations are few words and not hostile.
#[derive(Default)]
pub(crate) struct Mixer(u64);

impl Mixer {
    /// Hash of three words.
    pub(super) fn mix(words: [u64; 3]) -> u64 {
        let mut mixer = Mixer::default();
        words.into_iter().for_each(|x| mixer.write_u64(x));
        mixer.0
    }
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }
    #[inline]
    fn write_u64(&mut self, x: u64) {
        self.0 = (self.0.rotate_left(5) ^ x).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    #[inline]
    fn write_u32(&mut self, x: u32) {
        self.write_u64(u64::from(x));
    }
    #[inline]
    fn write_i32(&mut self, x: i32) {
        self.write_u64(x as u64);
    }
    #[inline]
    fn write_isize(&mut self, x: isize) {
        self.write_u64(x as u64);
    }
}

/// A map keyed by small values.
pub(crate) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mixer>>;
