//! The command-line program every model becomes by [`mbd::main!`](crate::main).
//!
//! `info` says what a model consists of, `check` whether it is right, `simulate` computes its
//! motion, `compare` which method does so how accurately at which cost, `plot` draws earlier runs,
//! `compare-runs` tells how they differ, `man` and `completions` serve the shell. Data goes to standard output only, progress and messages
//! to standard error only, and the exit code says how it ended ([`Exit`]).

mod args;
mod check;
mod compare;
mod compare_runs;
mod exit;
mod feed;
mod files;
mod info;
mod io;
mod like;
mod members;
mod picture;
mod progress;
mod result;
mod rows;
mod signals;
mod simulate;
mod stop;
mod subject;
mod summary;
mod table;
pub mod tool;

pub use exit::Exit;
pub use io::Io;

use crate::integrate::Method;
use crate::model::Mechanism;
use args::{Asked, Command, Described, Refusal, Request};
use io::with_process;
use result::json_of_nothing;
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
    let describe = || described(subject, &program);
    let mut parsed = args::parse(&program, &args, &describe);
    if let Ok(Asked::OfModel(request)) = &parsed
        && let Some(table) = &request.like
    {
        let model = (subject.default)().model().map(|model| model.name().to_string());
        let model = model.unwrap_or_else(|_| program.clone());
        parsed = match like::merged(&args, table, &model, io) {
            Ok(args) => args::parse(&program, &args, &describe),
            Err(stop) => return without_result(subject, request, &stop, io),
        };
    }
    let request = match parsed {
        Ok(Asked::OfModel(request)) => request,
        Ok(Asked::OfRuns(request)) => {
            return compare_runs::run(&request, io).unwrap_or_else(|stop| stopped(&stop, io));
        }
        Err(refusal) => return refused(&program, refusal, io),
    };
    let result = match request.command {
        Some(Command::Info) => info::run(subject, &request, io),
        Some(Command::Check) => check::run(subject, &request, io),
        Some(Command::Simulate) => simulate::run(subject, &request, io),
        Some(Command::Compare) => compare::run(subject, &request, io),
        Some(Command::Plot) => picture::run(subject, &request, io),
        // Refused when it was read.
        None => Ok(Exit::Usage),
    };
    result.unwrap_or_else(|stop| without_result(subject, &request, &stop, io))
}

/// Tells why a command has no result, and prints that in its place where JSON is asked for.
fn without_result(subject: Subject, request: &Request, stop: &Stop, io: &mut Io<'_>) -> Exit {
    if request.json {
        // Standard output may be what failed.
        let _ = io.print(&format!("{}\n", json_of_nothing(subject, request, stop)));
    }
    stopped(stop, io)
}

/// Prints what is asked for, or tells what was not understood.
fn refused(program: &str, refusal: Refusal, io: &mut Io<'_>) -> Exit {
    match refusal {
        Refusal::Text(text) => io.print(&text).unwrap_or_else(|stop| stopped(&stop, io)),
        Refusal::Usage { message, command } => {
            let command = command.map_or(String::new(), |command| format!(" {command}"));
            io.tell(&format!("error: {message}\ntry: {program}{command} --help"));
            Exit::Usage
        }
    }
}

/// Tells why a command ends early.
fn stopped(stop: &Stop, io: &mut Io<'_>) -> Exit {
    io.tell(&format!("error: {}", stop.message()));
    stop.exit()
}

/// What is said of a model, also of one that cannot be built.
fn described(subject: Subject, program: &str) -> Described {
    let about = match (subject.default)().model() {
        Ok(model) => {
            let first = model.doc().lines().map(str::trim).find(|line| !line.is_empty());
            let colon = if first.is_some() { ": " } else { "" };
            format!("{}{colon}{}", model.name(), first.unwrap_or_default())
        }
        Err(_) => program.to_string(),
    };
    let methods = subject.listed().iter().map(|listed| listed.method.name().into()).collect();
    Described { about, methods }
}
