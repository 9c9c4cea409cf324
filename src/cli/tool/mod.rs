//! The program `mbd`, which no model needs to exist for: `new` begins one, `compare-runs` holds two tables of
//! runs against each other.

mod new;

pub use new::{NewError, Template};

use super::args::{Refusal, grammar, program};
use super::compare_runs;
use super::exit::Exit;
use super::io::{Io, with_process};
use super::stop::Stop;
use clap::{ArgMatches, Command, ValueHint};
use std::path::PathBuf;
use std::process::ExitCode;

/// What it is called.
const PROGRAM: &str = "mbd";

/// Runs the program with the process's arguments and streams.
pub fn run() -> ExitCode {
    with_process(|_, args, io| run_args(args, io))
}

/// Runs the program with given arguments (its name apart) and streams.
pub fn run_with(args: impl IntoIterator<Item = impl Into<String>>, io: &mut Io<'_>) -> Exit {
    run_args(&mut args.into_iter().map(Into::into), io)
}

fn run_args(args: &mut dyn Iterator<Item = String>, io: &mut Io<'_>) -> Exit {
    let args: Vec<String> = args.collect();
    let result = match program::read(commands(), &args).and_then(|matches| request(&matches)) {
        Ok(Request::New(request)) => made(&request, io),
        Ok(Request::CompareRuns(request)) => compare_runs::run(&request, io),
        Err(refusal) => return super::refused(PROGRAM, refusal, io),
    };
    result.unwrap_or_else(|stop| super::stopped(&stop, io))
}

/// The commands with their options.
fn commands() -> Command {
    let switch = |name, help| grammar::option(name, "", help, false);
    let new = grammar::command(
        [PROGRAM, "new", " FOLDER"],
        "make a folder with a model of a mechanism that runs as it is",
        "Makes a folder with a crate of Rust in it: a mechanism to change into your own, a test of\n\
         its derivatives and its accuracy, and a page of instructions. The crate depends on the\n\
         source of this library, and builds without a network where this program was built.\n\n\
         The name of the folder is that of the crate: letters, digits, `-` and `_`.",
        "Examples:\n  mbd new crank\n  mbd new ../press --spatial\n\n\
         Exit codes:\n  0    made\n  \
         2    the command line was not understood, or the name cannot be that of a crate\n  \
         20   the folder is there already, or cannot be written"
            .into(),
        [
            grammar::operands("FOLDER", "the folder to make", ValueHint::DirPath),
            switch("--planar", "bodies and joints in the plane: a slider-crank (the default)"),
            switch("--spatial", "bodies and joints in space: a spatial slider-crank"),
            switch("--coordinates", "coordinates chosen by hand: energies, forces and constraints"),
            grammar::option(
                "--library",
                "FOLDER",
                "the source of the library (default: where this program was built)",
                false,
            ),
            switch(
                "--own-target",
                "compile into the new folder, and not beside this program, \
                 where the library is compiled already",
            ),
        ],
    );
    program::program(
        PROGRAM,
        "mbd: begins models of mechanisms, and compares their runs.",
        "`mbd COMMAND --help` explains a command and its options. To begin:\n  mbd new crank"
            .into(),
        vec![new, compare_runs::command(PROGRAM)],
    )
}

/// What is asked for.
enum Request {
    New(new::Request),
    CompareRuns(compare_runs::Request),
}

fn request(matches: &ArgMatches) -> Result<Request, Refusal> {
    let (name, matches) = matches.subcommand().unwrap_or(("", matches));
    let request = match name {
        "new" => new_request(matches).map(Request::New),
        _ => compare_runs::request(matches).map(Request::CompareRuns),
    };
    request.map_err(|message| Refusal::Usage { message, command: Some(name.into()) })
}

/// The command line of `new`.
fn new_request(matches: &ArgMatches) -> Result<new::Request, String> {
    let mut folders = matches.get_many::<String>("FOLDER").into_iter().flatten();
    let folder = folders.next().ok_or("say which folder to make: mbd new crank")?;
    if let Some(more) = folders.next() {
        return Err(format!("`{more}` is one word too many: one folder is made"));
    }
    let mut templates = Template::ALL.into_iter().filter(|t| matches.get_flag(t.option()));
    let template = templates.next();
    if let (Some(one), Some(other)) = (template, templates.next()) {
        let (one, other) = (one.option(), other.option());
        return Err(format!("{one} and {other} are two models: give one of the two"));
    }
    Ok(new::Request {
        folder: folder.into(),
        template: template.unwrap_or_default(),
        library: matches.get_one::<String>("--library").map(PathBuf::from),
        own_target: matches.get_flag("--own-target"),
    })
}

/// Makes the folder and says how to go on.
fn made(request: &new::Request, io: &mut Io<'_>) -> Result<Exit, Stop> {
    let made = new::make(request)?;
    let (name, folder) = (&made.name, request.folder.display());
    io.tell(&format!(
        "made {folder}, a model of {}. To see it move:\n\
         \n    cd {folder}\
         \n    cargo run --release -- simulate --animate {name}.html\n\
         \nThen open {name}.html in a browser. The model is src/main.rs; README.md there says more.",
        request.template.what()
    ));
    Ok(Exit::Ok)
}

impl From<NewError> for Stop {
    fn from(error: NewError) -> Self {
        Stop::Told { message: error.to_string(), exit: error.exit() }
    }
}
