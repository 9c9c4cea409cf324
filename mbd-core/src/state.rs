//! What is carried from step to step as bytes: one function per type shows its fields to a [`State`], which
//! writes them, or sets them. What a checkpoint of a run is made of ([`checkpoint`](crate::checkpoint)).
//!
//! # How to add a field
//! Functions `state` take the type apart without `..`, so that a new field does not compile until it
//! stands there: shown to the state if it says anything of the past, as `name: _` if every step sets
//! it before it reads it, or nothing sets it after construction.

/// The first point, in steps; they double until they are equally far apart.
const FIRST: usize = 16;
const APART: usize = 4096;

/// Whether a run can be resumed after so many steps.
pub(crate) fn is_point(steps: usize) -> bool {
    steps.is_multiple_of(APART) || ((FIRST..APART).contains(&steps) && steps.is_power_of_two())
}

enum Bytes<'a> {
    Saved(Vec<u8>),
    Kept(&'a [u8]),
}

/// Saves the fields it is shown, or restores them.
pub struct State<'a> {
    bytes: Bytes<'a>,
    /// What was shown last when bytes ran out or did not fit.
    wrong: Option<&'static str>,
    part: &'static str,
}

impl State<'static> {
    /// Saves.
    pub fn saving() -> Self {
        State { bytes: Bytes::Saved(Vec::new()), wrong: None, part: "the beginning" }
    }
}

impl<'a> State<'a> {
    /// Restores.
    pub fn restoring(bytes: &'a [u8]) -> Self {
        State { bytes: Bytes::Kept(bytes), wrong: None, part: "the beginning" }
    }

    /// Whether fields are set.
    pub fn restores(&self) -> bool {
        matches!(self.bytes, Bytes::Kept(_))
    }

    /// Whether everything fitted so far.
    pub fn is_right(&self) -> bool {
        self.wrong.is_none()
    }

    /// What was saved.
    pub fn saved(self) -> Vec<u8> {
        match self.bytes {
            Bytes::Saved(bytes) => bytes,
            Bytes::Kept(bytes) => bytes.to_vec(),
        }
    }

    /// The part of a run that does not fit what it was restored from, if any; also when something
    /// is left over.
    pub fn misfit(&self) -> Option<&'static str> {
        match &self.bytes {
            Bytes::Kept(rest) if !rest.is_empty() => self.wrong.or(Some("the end")),
            _ => self.wrong,
        }
    }

    /// What is left to restore from.
    pub(crate) fn rest(self) -> &'a [u8] {
        match self.bytes {
            Bytes::Kept(rest) => rest,
            Bytes::Saved(_) => &[],
        }
    }

    fn array(&mut self, value: &mut [u8; 8]) {
        match &mut self.bytes {
            Bytes::Saved(bytes) => bytes.extend_from_slice(value),
            Bytes::Kept(bytes) => match bytes.split_first_chunk() {
                Some((first, rest)) if self.wrong.is_none() => {
                    (*value, *bytes) = (*first, rest);
                }
                _ => self.wrong = self.wrong.or(Some(self.part)),
            },
        }
    }

    fn word(&mut self, value: &mut u64) {
        let mut bytes = value.to_le_bytes();
        self.array(&mut bytes);
        *value = u64::from_le_bytes(bytes);
    }

    /// Says what follows, which must be the same in saving and restoring.
    pub fn part(&mut self, name: &'static str) {
        self.part = name;
        let mut found = hash(name.as_bytes());
        self.word(&mut found);
        if found != hash(name.as_bytes()) {
            self.wrong = self.wrong.or(Some(name));
        }
    }

    /// A number, to the bit.
    pub fn number(&mut self, value: &mut f64) {
        let mut bits = value.to_bits();
        self.word(&mut bits);
        *value = f64::from_bits(bits);
    }

    /// A count or an index.
    pub fn count(&mut self, value: &mut usize) {
        let mut word = *value as u64;
        self.word(&mut word);
        *value = word as usize;
    }

    /// Yes or no.
    pub fn flag(&mut self, value: &mut bool) {
        let mut word = u64::from(*value);
        self.word(&mut word);
        *value = word != 0;
    }

    /// A number that may not be there.
    pub fn maybe(&mut self, value: &mut Option<f64>) {
        let mut is = value.is_some();
        self.flag(&mut is);
        let mut number = value.unwrap_or(0.0);
        self.number(&mut number);
        *value = is.then_some(number);
    }

    /// Numbers, as many as there are places.
    pub fn numbers(&mut self, values: &mut [f64]) {
        let mut len = values.len();
        self.count(&mut len);
        if len != values.len() {
            self.wrong = self.wrong.or(Some(self.part));
        }
        values.iter_mut().for_each(|value| self.number(value));
    }

    /// A length that restoring sets, no more than there can be entries of 8 bytes.
    fn len(&mut self, mut len: usize) -> usize {
        self.count(&mut len);
        match &self.bytes {
            Bytes::Kept(bytes) if len > bytes.len() / 8 => {
                self.wrong = self.wrong.or(Some(self.part));
                0
            }
            _ => len,
        }
    }

    /// Numbers, however many.
    pub fn list(&mut self, values: &mut Vec<f64>) {
        let len = self.len(values.len());
        values.resize(len, 0.0);
        values.iter_mut().for_each(|value| self.number(value));
    }

    /// Counts or indices, however many.
    pub fn counts(&mut self, values: &mut Vec<usize>) {
        let len = self.len(values.len());
        values.resize(len, 0);
        values.iter_mut().for_each(|value| self.count(value));
    }

    /// Anything, however many; those to be restored are `none` before they are shown.
    pub fn every<T: Clone>(
        &mut self,
        list: &mut Vec<T>,
        none: T,
        mut show: impl FnMut(&mut Self, &mut T),
    ) {
        let len = self.len(list.len());
        list.resize(len, none);
        list.iter_mut().for_each(|one| show(self, one));
    }

    /// Says that what was restored cannot be unless this holds.
    pub fn require(&mut self, holds: bool) {
        if !holds {
            self.wrong = self.wrong.or(Some(self.part));
        }
    }

    /// Text.
    pub fn text(&mut self, value: &mut String) {
        let mut len = value.len();
        self.count(&mut len);
        let words = self.len(len.div_ceil(8));
        let mut bytes = std::mem::take(value).into_bytes();
        bytes.resize(8 * words, 0);
        for chunk in bytes.chunks_exact_mut(8) {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            self.array(&mut word);
            chunk.copy_from_slice(&word);
        }
        bytes.truncate(len);
        match String::from_utf8(bytes) {
            Ok(text) => *value = text,
            Err(_) => self.wrong = self.wrong.or(Some(self.part)),
        }
    }
}

/// FNV-1a: tells bytes apart that differ by accident.
pub fn hash(bytes: &[u8]) -> u64 {
    hash_on(HASH, bytes)
}

/// The hash of nothing.
pub const HASH: u64 = 0xcbf2_9ce4_8422_2325;

pub(crate) const PRIME: u64 = 0x0100_0000_01b3;

/// The hash of more bytes after those of a given hash.
pub fn hash_on(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |h, b| (h ^ u64::from(*b)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_is_restored_to_the_bit() {
        let show = |s: &mut State<'_>,
                    x: &mut (f64, usize, bool, Option<f64>, Vec<f64>, String)| {
            s.part("all");
            s.number(&mut x.0);
            s.count(&mut x.1);
            s.flag(&mut x.2);
            s.maybe(&mut x.3);
            s.list(&mut x.4);
            s.text(&mut x.5);
        };
        let mut all =
            (-0.0, 7, true, Some(f64::NAN), vec![1.5, f64::INFINITY], "θ = ½".to_string());
        let mut saving = State::saving();
        show(&mut saving, &mut all);
        let bytes = saving.saved();
        let mut back = (1.0, 0, false, None, Vec::new(), String::new());
        let mut state = State::restoring(&bytes);
        show(&mut state, &mut back);
        assert_eq!(state.misfit(), None);
        assert_eq!(back.0.to_bits(), (-0.0f64).to_bits());
        assert!(back.3.unwrap().is_nan());
        assert_eq!((back.1, back.2, back.4, back.5), (7, true, all.4.clone(), all.5.clone()));
        // Nothing shorter fits, and nothing longer.
        for len in 0..bytes.len() {
            let mut state = State::restoring(&bytes[..len]);
            show(&mut state, &mut all.clone());
            assert!(state.misfit().is_some(), "{len}");
        }
        let mut state = State::restoring(&bytes);
        state.part("something else");
        assert_eq!(state.misfit(), Some("something else"));
    }

    #[test]
    fn points_double_and_then_are_equally_far_apart() {
        let points: Vec<usize> = (0..13000).filter(|&n| is_point(n)).collect();
        assert_eq!(points, [0, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 12288]);
    }
}
