//! Checkpoints in a file.

use super::destination::Destination;
use crate::OutputError;
use mbd_core::checkpoint::CheckpointSink;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Between two checkpoints: at first little, and in a long run this.
const APART: (Duration, Duration) = (Duration::from_millis(10), Duration::from_secs(1));
/// Of a run's time at most one part in so many is spent on checkpoints.
const PART: u32 = 20;

/// The checkpoints of a run in a file, each in place of the one before: what
/// [`Simulation::resume`](crate::Simulation::resume) takes is what the file holds. At any time, a
/// power failure included, it holds one that is whole. One is made at the start, and then about
/// every second.
///
/// ```no_run
/// # use mbd::prelude::*;
/// # fn example(mechanism: impl Mechanism) -> Result<(), Box<dyn std::error::Error>> {
/// let (mut rows, mut file) = (mbd::CsvStream::create("run.csv")?, mbd::CheckpointFile::new("run.mbd")?);
/// let run = Simulation::new(&mechanism).until(1e4).stream(&mut rows).checkpoint(&mut file);
/// let run = match std::fs::read("run.mbd") {
///     Ok(checkpoint) => run.resume(checkpoint),
///     Err(_) => run,
/// };
/// run.run()?;
/// rows.finish()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct CheckpointFile {
    path: PathBuf,
    started: Instant,
    saved: Option<Instant>,
    cost: Duration,
}

impl CheckpointFile {
    /// Into the file of this path, once there is one to write.
    ///
    /// # Errors
    /// [`OutputError::Write`] where no file can be.
    pub fn new(path: impl AsRef<Path>) -> Result<Self, OutputError> {
        match Destination::of(path.as_ref())? {
            Destination::File(path) => Ok(CheckpointFile {
                path,
                started: Instant::now(),
                saved: None,
                cost: Duration::ZERO,
            }),
            _ => Err(OutputError::Write {
                path: path.as_ref().display().to_string(),
                reason: "a checkpoint has to be a file".into(),
            }),
        }
    }
}

impl CheckpointSink for CheckpointFile {
    fn is_due(&mut self) -> bool {
        self.saved.is_none_or(|saved| {
            let apart = (self.started.elapsed() / 10).clamp(APART.0, APART.1);
            saved.elapsed() >= apart.max(PART * self.cost)
        })
    }

    fn save(&mut self, checkpoint: &[u8]) -> Result<(), OutputError> {
        let begun = Instant::now();
        let mut name = self.path.as_os_str().to_owned();
        name.push(".new");
        let new = PathBuf::from(name);
        let write = || {
            let mut file = File::create(&new)?;
            file.write_all(checkpoint)?;
            file.sync_all()?;
            std::fs::rename(&new, &self.path)
        };
        let result = write();
        if result.is_err() {
            let _ = std::fs::remove_file(&new);
        }
        self.saved = Some(Instant::now());
        self.cost = begun.elapsed();
        result.map_err(|error| OutputError::write(self.path.display().to_string(), &error))
    }
}
