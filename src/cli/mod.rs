//! The command-line program every model becomes by [`mbd::main!`](crate::main).
//!
//! `info` says what a model consists of, `check` whether it is right, `simulate` computes its
//! motion, `compare` which method does so how accurately at which cost. Data goes to standard output only, progress and messages to standard error only, and
//! the exit code says how it ended ([`Exit`]).

mod args;
mod check;
mod compare;
mod exit;
mod files;
mod info;
mod like;
mod progress;
mod rows;
mod signals;
mod simulate;
mod table;
pub mod tool;

pub use exit::Exit;

use crate::model::Mechanism;
use crate::solution::OutputError;
use crate::{Error, ModelError};
use args::{Command, Request};
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

/// Why a command ends early.
enum Stop {
    /// The command line asks for what cannot be.
    Usage(String),
    /// An error of the library.
    Error(Error),
    /// No crate was made.
    New(tool::NewError),
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Self {
        Stop::Error(error.into())
    }
}

impl Stop {
    fn message(&self) -> String {
        match self {
            Stop::Usage(message) => message.clone(),
            Stop::Error(error) => error.to_string(),
            Stop::New(error) => error.to_string(),
        }
    }

    fn exit(&self) -> Exit {
        match self {
            Stop::Usage(_) => Exit::Usage,
            Stop::Error(error) => Exit::of(error),
            Stop::New(error) => error.exit(),
        }
    }
}

impl Io<'_> {
    fn print(&mut self, text: &str) -> Result<Exit, Stop> {
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
    fn tell(&mut self, text: &str) {
        let _ = writeln!(self.err, "{text}");
    }
}

/// The mechanism of a program, whatever its type: the commands are compiled with the library, not
/// with every model.
#[derive(Clone, Copy)]
struct Subject {
    type_name: &'static str,
    default: fn() -> Box<dyn Mechanism>,
}

impl Subject {
    fn of<M: Mechanism + Default + 'static>() -> Self {
        Subject { type_name: std::any::type_name::<M>(), default: || Box::<M>::default() }
    }

    /// The mechanism with the parameters of the command line.
    fn instance(self, request: &Request) -> Result<Box<dyn Mechanism>, ModelError> {
        let mut mechanism = (self.default)();
        for (name, value) in &request.set {
            mechanism.set(name, *value)?;
        }
        Ok(mechanism)
    }
}

/// Runs the program of a mechanism with the process's arguments and streams: what
/// [`mbd::main!`](crate::main) calls.
pub fn run<M: Mechanism + Default + 'static>() -> ExitCode {
    run_process(Subject::of::<M>())
}

fn run_process(subject: Subject) -> ExitCode {
    with_process(|program, args, io| run_subject(subject, program, args, io))
}

/// Gives a program the process's arguments and streams.
fn with_process(
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

/// Runs the program of a mechanism with given arguments (the program's name apart) and streams.
pub fn run_with<M: Mechanism + Default + 'static>(
    program: &str,
    args: impl IntoIterator<Item = impl Into<String>>,
    io: &mut Io<'_>,
) -> Exit {
    run_subject(Subject::of::<M>(), program, &mut args.into_iter().map(Into::into), io)
}

fn run_subject(
    subject: Subject,
    program: &str,
    args: &mut dyn Iterator<Item = String>,
    io: &mut Io<'_>,
) -> Exit {
    let name = std::path::Path::new(program).file_stem().map(|s| s.to_string_lossy().into_owned());
    let program = name.filter(|n| !n.is_empty()).unwrap_or_else(|| "MODEL".into());
    let args: Vec<String> = args.collect();
    let mut parsed = args::parse(args.iter().cloned());
    if let Ok(args::Request { like: Some(table), help: false, .. }) = &parsed {
        let model = (subject.default)().model().map(|model| model.name().to_string());
        let model = model.unwrap_or_else(|_| program.clone());
        parsed = match like::merged(&args, table, &model, io) {
            Ok(args) => args::parse(args),
            Err(stop) => return stopped(&stop, io),
        };
    }
    let request = match parsed {
        Ok(request) => request,
        Err(error) => {
            let command = error.command.map_or(String::new(), |c| format!(" {}", c.name()));
            io.tell(&format!("error: {}\ntry: {program}{command} --help", error.message));
            return Exit::Usage;
        }
    };
    let result = match request.command {
        _ if request.help => help(subject, &request, &program, io),
        Some(Command::Info) => info::run(subject, &request, io),
        Some(Command::Check) => check::run(subject, &request, io),
        Some(Command::Simulate) => simulate::run(subject, &request, io),
        Some(Command::Compare) => compare::run(subject, &request, io),
        None => help(subject, &request, &program, io),
    };
    result.unwrap_or_else(|stop| stopped(&stop, io))
}

/// Tells why a command ends early.
fn stopped(stop: &Stop, io: &mut Io<'_>) -> Exit {
    io.tell(&format!("error: {}", stop.message()));
    stop.exit()
}

fn help(subject: Subject, request: &Request, program: &str, io: &mut Io<'_>) -> Result<Exit, Stop> {
    // Help is given even for a model that cannot be built.
    let (name, doc) = match (subject.default)().model() {
        Ok(model) => (model.name().to_string(), model.doc().to_string()),
        Err(_) => (program.to_string(), String::new()),
    };
    io.print(&args::help(request.command, program, &name, &doc))
}
