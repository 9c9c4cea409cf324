//! The files a command line names.

use super::args::{Command, Request};
use super::feed;
use super::like;
use super::stop::Stop;
use crate::output::Destination;
use std::path::Path;

/// Finds out, before anything is computed, whether everything can be written and each to a place of
/// its own, whatever it is called; returns where `--out` leads. Nothing is changed.
pub(super) fn destinations(request: &Request) -> Result<Option<Destination>, Stop> {
    let mut taken: Vec<(&str, Destination)> = Vec::new();
    if request.json {
        taken.push(("--json", Destination::Standard));
    }
    let mut out = None;
    let named = [
        ("--out", &request.out),
        ("--plot", &request.plot),
        ("--animate", &request.animate),
        ("--checkpoint", &request.checkpoint),
    ];
    for (option, path) in named {
        let Some(path) = path else { continue };
        let destination = Destination::of(path)?;
        if let Some((other, _)) = taken.iter().find(|(_, other)| other.is(&destination)) {
            let path = path.display();
            return Err(Stop::Usage(format!(
                "{other} and {option} would write to one file, `{path}`; give each its own"
            )));
        }
        destination.check()?;
        if option == "--out" {
            out = Some(destination.clone());
            if let (Destination::File(_), Some(Command::Simulate)) = (&destination, request.command)
            {
                let beside = Destination::of(&like::beside(path))?;
                taken.push(("the file beside --out", beside));
            }
        }
        taken.push((option, destination));
    }
    for path in tables_read(request).filter(|path| path.is_file()) {
        let read = Destination::of(path)?;
        if let Some((option, _)) = taken.iter().find(|(_, written)| written.is(&read)) {
            let path = path.display();
            return Err(Stop::Usage(format!(
                "{option} would overwrite `{path}`, which is read; give it another file"
            )));
        }
    }
    let resumable = request.checkpoint.is_some() || request.resume.is_some();
    if resumable && !matches!(out, None | Some(Destination::File(_))) {
        return Err(Stop::Usage(
            "--out has to be a file in a run that can be resumed: what went into a pipe or a \
             device cannot be taken back"
                .into(),
        ));
    }
    Ok(out)
}

/// The tables that a command reads.
fn tables_read(request: &Request) -> impl Iterator<Item = &Path> {
    let drawn = request.tables.iter().chain(&request.beside).map(Path::new);
    drawn.chain(feed::files(request))
}
