//! Where output goes: files that come to be whole or not at all, and what is no file.

use crate::OutputError;
use mbd_core::checkpoint::{HASH, hash_on};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Where a path leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// Standard output.
    Standard,
    /// A pipe with a name, a device, an open file: what is written is out at once.
    Direct(PathBuf),
    /// A file, there or not, by its own path: links are followed.
    File(PathBuf),
}

/// Parts beside one file, so that none is written over that a killed run has left.
const MOST_PARTS: usize = 1000;

fn cannot_write(path: &Path, error: &io::Error) -> OutputError {
    OutputError::write(path.display().to_string(), error)
}

/// An error in our own words.
fn refuse(path: &Path, reason: String) -> OutputError {
    OutputError::Write { path: path.display().to_string(), reason }
}

fn reason_of(error: OutputError) -> String {
    match error {
        OutputError::Write { reason, .. } => reason,
        other => other.to_string(),
    }
}

impl Destination {
    /// Follows a path, without changing anything.
    ///
    /// # Errors
    /// [`OutputError::Write`] for a folder, for a link to nothing, and in a folder that does not
    /// exist.
    pub(crate) fn of(path: &Path) -> Result<Self, OutputError> {
        if ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|p| path == Path::new(p)) {
            return Ok(Destination::Standard);
        }
        let open = ["/dev/fd", "/proc/self/fd"].iter().any(|p| path.starts_with(p));
        if open || path == Path::new("/dev/stderr") {
            return Ok(Destination::Direct(path.into()));
        }
        match path.metadata() {
            Ok(found) if found.is_dir() => Err(refuse(path, "it is a folder".into())),
            Ok(found) if found.is_file() => {
                let own = path.canonicalize().map_err(|error| cannot_write(path, &error))?;
                Ok(Destination::File(own))
            }
            Ok(_) => Ok(Destination::Direct(path.into())),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if let Ok(to) = path.read_link() {
                    let to = to.display();
                    return Err(refuse(
                        path,
                        format!(
                            "it is a link to `{to}`, which does not exist; remove the link, or make what it leads to"
                        ),
                    ));
                }
                let name =
                    path.file_name().ok_or_else(|| refuse(path, "it has no file name".into()))?;
                let folder = match path.parent() {
                    Some(folder) if folder != Path::new("") => folder,
                    _ => Path::new("."),
                };
                let folder = folder.canonicalize().map_err(|error| cannot_write(path, &error))?;
                Ok(Destination::File(folder.join(name)))
            }
            Err(error) => Err(cannot_write(path, &error)),
        }
    }

    fn path(&self) -> &Path {
        match self {
            Destination::Standard => Path::new("/dev/stdout"),
            Destination::Direct(path) | Destination::File(path) => path,
        }
    }
}

/// What a command line asks before a long run.
#[cfg(feature = "cli")]
impl Destination {
    /// Whether writing to both would mix them or lose one.
    pub(crate) fn is(&self, other: &Destination) -> bool {
        if self == other {
            return !matches!(self, Destination::Direct(path) if is_device(path));
        }
        match (self.identity(), other.identity()) {
            (Some(a), Some(b)) => a == b,
            _ => false,
        }
    }

    /// What tells files apart, whatever they are called.
    #[cfg(unix)]
    fn identity(&self) -> Option<(u64, u64)> {
        use std::os::unix::fs::MetadataExt;
        if is_device(self.path()) {
            return None;
        }
        self.path().metadata().ok().map(|found| (found.dev(), found.ino()))
    }

    #[cfg(not(unix))]
    fn identity(&self) -> Option<(u64, u64)> {
        None
    }

    /// Whether a file can be written there, found out before a long run. Nothing is changed.
    pub(crate) fn check(&self) -> Result<(), OutputError> {
        match self {
            Destination::File(_) => Draft::open(self).map(drop),
            Destination::Standard | Destination::Direct(_) => Ok(()),
        }
    }
}

#[cfg(all(unix, feature = "cli"))]
fn is_device(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    path.metadata().is_ok_and(|found| found.file_type().is_char_device())
}

#[cfg(all(not(unix), feature = "cli"))]
fn is_device(_: &Path) -> bool {
    false
}

/// A file in the making: written beside its place, and put there when it is whole. Until then what
/// stood there stands.
///
/// Dropped before anything was written it leaves nothing behind; dropped later, as by an error, it
/// leaves the part.
#[derive(Debug)]
pub(crate) struct Draft {
    file: File,
    /// The part, and where it belongs; nothing for what is out at once.
    beside: Option<(PathBuf, PathBuf)>,
    path: PathBuf,
    written: u64,
}

impl Draft {
    /// Opens what will be written to; [`Destination::Standard`] as the process's own.
    ///
    /// # Errors
    /// [`OutputError::Write`], also where the file that is there may not be written.
    pub(crate) fn open(destination: &Destination) -> Result<Self, OutputError> {
        let path = destination.path();
        let fail = |error: io::Error| cannot_write(path, &error);
        let Destination::File(target) = destination else {
            let file = open_direct(destination).map_err(fail)?;
            return Ok(Draft { file, beside: None, path: path.into(), written: 0 });
        };
        let permissions = match OpenOptions::new().write(true).open(target) {
            Ok(file) => Some(file.metadata().map_err(fail)?.permissions()),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(fail(error)),
        };
        let (part, file) = new_part(target)?;
        if let Some(permissions) = permissions {
            // A file system without permissions has none to keep.
            let _ = file.set_permissions(permissions);
        }
        let beside = Some((part, target.clone()));
        Ok(Draft { file, beside, path: target.clone(), written: 0 })
    }

    /// The part's path.
    pub(crate) fn part(&self) -> Option<&Path> {
        self.beside.as_ref().map(|(part, _)| part.as_path())
    }

    /// The path it is to have.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves a file that could not be written whole, and says what there is of it.
    pub(crate) fn abandon(self) -> OutputError {
        let what = match (&self.beside, self.written) {
            (None, _) => "rows are missing from it".into(),
            (Some((part, _)), 1..) => {
                format!("the rows until then are in `{}`; it is as it was", part.display())
            }
            _ => "nothing could be written; it is as it was".into(),
        };
        refuse(&self.path, what)
    }

    /// Sees to it that what was written survives a power failure.
    pub(crate) fn sync(&self) -> io::Result<()> {
        match self.beside {
            Some(_) => self.file.sync_data(),
            None => Ok(()),
        }
    }

    /// Takes over what another run has written, its first bytes of this number and hash: from its
    /// part, what is in there beyond dropped; or, where it has ended, a copy of its file.
    ///
    /// # Errors
    /// [`OutputError::Write`] where neither is there, or the other run goes on.
    pub(crate) fn adopt(&mut self, part: &Path, first: (u64, u64)) -> Result<(), OutputError> {
        let Some((own, target)) = self.beside.clone() else {
            return Err(refuse(&self.path, "only a file can be gone on with".into()));
        };
        let there = OpenOptions::new().read(true).write(true).open(part);
        // A part of the same name as the other run's is our own where that one is gone.
        if let Some(mut file) = there.ok().filter(|_| part != own) {
            if !is_ours(&file) {
                return Err(refuse(
                    part,
                    "the run that is to be resumed still writes to it".into(),
                ));
            }
            let fail = |error: io::Error| cannot_write(part, &error);
            if begins_with(&mut file, first).map_err(fail)? {
                file.set_len(first.0).map_err(fail)?;
                file.seek(SeekFrom::End(0)).map_err(fail)?;
                let _ = std::fs::remove_file(own);
                (self.file, self.written) = (file, first.0);
                self.beside = Some((part.into(), target));
                return Ok(());
            }
        }
        if let Ok(mut file) = File::open(&target) {
            let fail = |error: io::Error| cannot_write(&own, &error);
            if begins_with(&mut file, first).map_err(fail)? {
                file.seek(SeekFrom::Start(0)).map_err(fail)?;
                io::copy(&mut file.take(first.0), &mut self.file).map_err(fail)?;
                self.written = first.0;
                return Ok(());
            }
        }
        let part = part.display();
        Err(refuse(
            &target,
            format!(
                "the rows up to the checkpoint are neither in `{part}` nor in it; begin the run anew"
            ),
        ))
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// [`OutputError::Write`]; the part is there then.
    pub(crate) fn finish(mut self) -> Result<(), OutputError> {
        let Some((part, target)) = self.beside.take() else { return Ok(()) };
        let fail = |error: io::Error| {
            let what = cannot_write(&target, &error);
            refuse(&target, format!("{}; everything is in `{}`", reason_of(what), part.display()))
        };
        // So that not even a power failure leaves less than either the old file or the new.
        self.file.sync_all().map_err(fail)?;
        if std::fs::rename(&part, &target).is_err() {
            // A file of its own mount cannot be replaced, but written.
            std::fs::copy(&part, &target).map_err(fail)?;
            let _ = std::fs::remove_file(&part);
        }
        Ok(())
    }
}

/// Opens what is no file of its own. For appending, so that what an open file has already stays.
fn open_direct(destination: &Destination) -> io::Result<File> {
    #[cfg(unix)]
    if *destination == Destination::Standard {
        use std::os::fd::AsFd;
        return Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?));
    }
    OpenOptions::new().append(true).open(destination.path())
}

/// Keeps others from writing to a part while this process does; where a file system knows no locks,
/// nothing does.
fn is_ours(file: &File) -> bool {
    // Elsewhere than on Unix a locked file cannot be read either.
    !cfg!(unix) || !matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock))
}

/// Whether a file begins with bytes of this number and hash.
fn begins_with(file: &mut File, (len, hash): (u64, u64)) -> io::Result<bool> {
    file.seek(SeekFrom::Start(0))?;
    let (mut left, mut found) = (len, HASH);
    let mut buffer = vec![0; 1 << 16];
    while left > 0 {
        let most = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let count = file.read(&mut buffer[..most])?;
        if count == 0 {
            return Ok(false);
        }
        found = hash_on(found, &buffer[..count]);
        left -= count as u64;
    }
    Ok(found == hash)
}

/// A new file beside another.
fn new_part(target: &Path) -> Result<(PathBuf, File), OutputError> {
    for number in 1..=MOST_PARTS {
        let mut name = target.as_os_str().to_owned();
        name.push(".part");
        if number > 1 {
            name.push(format!("-{number}"));
        }
        let part = PathBuf::from(name);
        match OpenOptions::new().write(true).create_new(true).open(&part) {
            Ok(file) if is_ours(&file) => return Ok((part, file)),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                // One without a byte is of a run that was killed before it wrote any.
                let there = OpenOptions::new().write(true).open(&part).ok();
                let empty = |file: &File| file.metadata().is_ok_and(|found| found.len() == 0);
                if let Some(file) = there.filter(|file| empty(file) && is_ours(file) && empty(file))
                {
                    return Ok((part, file));
                }
            }
            Err(error) => return Err(cannot_write(&part, &error)),
        }
    }
    Err(refuse(target, format!("{MOST_PARTS} parts of earlier runs lie beside it; remove them")))
}

impl Write for Draft {
    /// Writes all of `text`, or as many whole lines of it as can be.
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let mut done = 0;
        while done < text.len() {
            match self.file.write(&text[done..]) {
                Ok(count) if count > 0 => done += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                outcome => {
                    let whole = text[..done].iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
                    self.written += whole as u64;
                    if self.beside.is_some() {
                        // Should this fail too, the last line is a torn one.
                        let _ = self.file.set_len(self.written);
                    }
                    return Err(outcome.err().unwrap_or(ErrorKind::WriteZero.into()));
                }
            }
        }
        self.written += done as u64;
        Ok(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let (Some((part, _)), 0) = (&self.beside, self.written) {
            let _ = std::fs::remove_file(part);
        }
    }
}
