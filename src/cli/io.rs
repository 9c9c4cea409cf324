//! What a program reads from and writes to.

use super::exit::Exit;
use super::signals;
use super::stop::Stop;
use crate::OutputError;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What a program reads from and writes to, so that tests can stand in for the terminal.
pub struct Io<'a> {
    /// Standard output: results, when asked for.
    pub out: &'a mut dyn Write,
    /// Standard error: progress, summaries, messages.
    pub err: &'a mut dyn Write,
    /// Whether `err` is a terminal, on which a bar can be redrawn.
    pub terminal: bool,
    /// Set to stop a run at its next step.
    pub interrupt: Arc<AtomicBool>,
}

impl Io<'_> {
    pub(in crate::cli) fn print(&mut self, text: &str) -> Result<Exit, Stop> {
        match self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush()) {
            // Whoever reads our output may have read enough (`model info | head`).
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                let (path, reason) = ("standard output".into(), error.to_string());
                Err(OutputError::Write { path, reason }.into())
            }
            _ => Ok(Exit::Ok),
        }
    }

    /// Tells something; that nobody listens is no reason to stop.
    pub(in crate::cli) fn tell(&mut self, text: &str) {
        let _ = writeln!(self.err, "{text}");
    }
}

/// Gives a program the process's arguments and streams.
pub(in crate::cli) fn with_process(
    run: impl FnOnce(&str, &mut dyn Iterator<Item = String>, &mut Io<'_>) -> Exit,
) -> ExitCode {
    let mut args = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned());
    let program = args.next().unwrap_or_default();
    let interrupt = Arc::new(AtomicBool::new(false));
    signals::listen(Arc::clone(&interrupt));
    let (mut out, mut err) = (io::stdout().lock(), io::stderr());
    let terminal = err.is_terminal();
    let mut io = Io { out: &mut out, err: &mut err, terminal, interrupt };
    ExitCode::from(run(&program, &mut args, &mut io).code())
}
