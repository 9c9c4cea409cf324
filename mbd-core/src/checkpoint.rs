//! The state of a run as bytes, from which it goes on as if it had not been stopped.
//!
//! What a run carries from step to step is shown to a [`State`], field by field, by one function per
//! type: it writes the fields, or sets them. What can be computed anew from them is left out: factors
//! of matrices, orders of elimination, programs. It would not be computed to the last bit as it was,
//! so a run with checkpoints computes it anew itself, at every point where it could be resumed:
//! whether it was resumed there makes no difference then, not in the last bit. These points are at
//! numbers of steps (`is_point`), never at times of a clock.
//!
//! # How to add a field
//! Functions `state` take the type apart without `..`, so that a new field does not compile until it
//! stands there: shown to the state if it says anything of the past, as `name: _` if every step sets
//! it before it reads it, or nothing sets it after construction.

use crate::error::OptionError;
use crate::solution::OutputError;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::sync::OnceLock;

/// What a file begins with; the number changes with the format.
const MAGIC: &[u8] = b"mbd checkpoint 1\n";
/// The first point, in steps; they double until they are equally far apart.
const FIRST: usize = 16;
const APART: usize = 4096;

/// Whether a run can be resumed after so many steps.
pub(crate) fn is_point(steps: usize) -> bool {
    steps.is_multiple_of(APART) || ((FIRST..APART).contains(&steps) && steps.is_power_of_two())
}

/// Takes the checkpoints of a run ([`Simulation::checkpoint`](crate::simulation::Simulation::checkpoint)).
pub trait CheckpointSink {
    /// Whether one should be made now; asked wherever one can be. No answer changes what the run
    /// computes.
    fn is_due(&mut self) -> bool;

    /// Takes one, in place of the one before.
    ///
    /// # Errors
    /// An error ends the run.
    fn save(&mut self, checkpoint: &[u8]) -> Result<(), OutputError>;
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

const PRIME: u64 = 0x0100_0000_01b3;

/// The hash of more bytes after those of a given hash.
pub fn hash_on(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |h, b| (h ^ u64::from(*b)).wrapping_mul(PRIME))
}

/// The program that runs, told from other builds of it: what a model does later shows neither in its
/// parameters nor in where it begins, and another build may round in another way. A program that
/// cannot be read is any.
pub(crate) fn program() -> String {
    static BUILD: OnceLock<Option<u64>> = OnceLock::new();
    let build = BUILD.get_or_init(|| {
        let mut file = File::open(std::env::current_exe().ok()?).ok()?;
        let (mut sum, mut buffer) = (HASH, vec![0; 1 << 20]);
        loop {
            let mut filled = 0;
            while filled < buffer.len() {
                match file.read(&mut buffer[filled..]) {
                    Ok(0) => break,
                    Ok(count) => filled += count,
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(_) => return None,
                }
            }
            // By words, which is as good for this and eight times as fast.
            let (words, rest) = buffer[..filled].as_chunks();
            for word in words {
                sum = (sum ^ u64::from_le_bytes(*word)).wrapping_mul(PRIME).rotate_left(29);
            }
            sum = hash_on(sum, rest);
            if filled < buffer.len() {
                return Some(sum);
            }
        }
    });
    let build = build.map_or(String::new(), |build| format!(", build {build:016x}"));
    format!("mbd {}{build}", env!("CARGO_PKG_VERSION"))
}

/// What a run must have in common with the one it resumes: what it is called, and its value.
pub(crate) type Identity = Vec<(String, String)>;

/// A checkpoint of a run in a state.
pub(crate) fn write(identity: &Identity, state: Vec<u8>) -> Vec<u8> {
    let mut head = State::saving();
    let mut len = identity.len();
    head.count(&mut len);
    for (what, value) in identity {
        head.text(&mut what.clone());
        head.text(&mut value.clone());
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend(head.saved());
    bytes.extend(state);
    let sum = hash(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// The state in a checkpoint of a run like this one.
///
/// # Errors
/// [`OptionError::NoCheckpoint`] for other bytes, [`OptionError::OtherRun`] for another run.
pub(crate) fn read<'a>(identity: &Identity, bytes: &'a [u8]) -> Result<&'a [u8], OptionError> {
    let not = |why: &str| OptionError::NoCheckpoint { why: why.into() };
    let body = match bytes.strip_prefix(MAGIC) {
        Some(body) => body,
        None if bytes.starts_with(&MAGIC[..MAGIC.len() - 2]) => {
            return Err(not("it was written by another version of this program"));
        }
        None => return Err(not("it does not begin as one")),
    };
    let whole =
        bytes.split_last_chunk().filter(|(rest, sum)| u64::from_le_bytes(**sum) == hash(rest));
    if whole.is_none() || body.len() < 8 {
        return Err(not("it is incomplete or was changed"));
    }
    let mut head = State::restoring(&body[..body.len() - 8]);
    let mut len = 0;
    head.count(&mut len);
    for k in 0..len.max(identity.len()) {
        let (mut what, mut then) = (String::new(), String::new());
        head.text(&mut what);
        head.text(&mut then);
        let (name, now) = identity.get(k).cloned().unwrap_or_default();
        if what != name || !head.is_right() {
            return Err(not("it was written by another version of this program"));
        }
        if then != now {
            return Err(OptionError::OtherRun { what, then, now });
        }
    }
    match head.bytes {
        Bytes::Kept(rest) => Ok(rest),
        Bytes::Saved(_) => Ok(&[]),
    }
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
    fn damage_and_other_runs_are_told_apart() {
        let run = |step: &str| vec![("model".into(), "Crank".into()), ("step".into(), step.into())];
        assert!(program().contains("build"), "{}", program());
        let bytes = write(&run("fixed"), vec![1, 2, 3]);
        assert_eq!(read(&run("fixed"), &bytes), Ok(&[1, 2, 3][..]));
        let other = read(&run("adaptive"), &bytes).unwrap_err().to_string();
        assert!(other.contains("step") && other.contains("fixed"), "{other}");
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1;
            assert!(matches!(read(&run("fixed"), &damaged), Err(OptionError::NoCheckpoint { .. })));
            let cut = read(&run("fixed"), &bytes[..place]);
            assert!(matches!(cut, Err(OptionError::NoCheckpoint { .. })));
        }
    }

    #[test]
    fn points_double_and_then_are_equally_far_apart() {
        let points: Vec<usize> = (0..13000).filter(|&n| is_point(n)).collect();
        assert_eq!(points, [0, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 12288]);
    }
}
