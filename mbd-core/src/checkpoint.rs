//! The state of a run as bytes, from which it goes on as if it had not been stopped.
//!
//! What a run carries from step to step is shown to a [`State`], field by field, by one function per
//! type: it writes the fields, or sets them. What can be computed anew from them is left out: factors
//! of matrices, orders of elimination, programs. It would not be computed to the last bit as it was,
//! so a run with checkpoints computes it anew itself, at every point where it could be resumed:
//! whether it was resumed there makes no difference then, not in the last bit. These points are at
//! numbers of steps (`is_point`), never at times of a clock.

use crate::error::{OptionError, OutputError};
use crate::state::PRIME;
pub(crate) use crate::state::is_point;
pub use crate::state::{HASH, State, hash, hash_on};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::sync::OnceLock;

/// What a file begins with; the number changes with the format.
const MAGIC: &[u8] = b"mbd checkpoint 1\n";
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
    Ok(head.rest())
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
