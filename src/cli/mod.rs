//! The command-line program every model becomes by [`mbd::main!`](crate::main).
//!
//! `info` says what a model consists of, `check` whether it is right, `simulate` computes its
//! motion, `compare` which method does so how accurately at which cost. Data goes to standard output only, progress and messages to standard error only, and
//! the exit code says how it ended ([`Exit`]).

mod args;
mod check;
mod compare;
mod exit;
mod feed;
mod files;
mod info;
mod io;
mod like;
mod members;
mod progress;
mod rows;
mod signals;
mod simulate;
mod stop;
mod subject;
mod table;
pub mod tool;

pub use exit::Exit;
pub use io::Io;

use crate::integrate::Method;
use crate::model::Mechanism;
use args::{Command, Request};
use io::with_process;
use std::process::ExitCode;
use stop::Stop;
use subject::Subject;

/// Runs the program of a mechanism with the process's arguments and streams: what
/// [`mbd::main!`](crate::main) calls.
pub fn run<M: Mechanism + Default + 'static>() -> ExitCode {
    run_process(Subject::of::<M>())
}

/// The same with methods of the program's own, which `--method` and `--methods` know by their names.
pub fn run_with_methods<M: Mechanism + Default + 'static>(
    methods: fn() -> Vec<Method>,
) -> ExitCode {
    run_process(Subject::with_methods::<M>(methods))
}

fn run_process(subject: Subject) -> ExitCode {
    with_process(|program, args, io| run_subject(subject, program, args, io))
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
