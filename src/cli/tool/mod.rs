//! The program `mbd`, which no model needs to exist for: `new` begins one, `compare-runs` holds two tables of
//! runs against each other.

mod compare_runs;
mod new;

pub use new::{NewError, Template};

use super::exit::Exit;
use super::io::{Io, with_process};
use super::stop::Stop;
use crate::error::nearest;
use std::path::PathBuf;
use std::process::ExitCode;

/// What `mbd --help` says.
const HELP: &str = "\
mbd: begins models of mechanisms, and compares their runs.

Usage: mbd COMMAND [OPTIONS]

Commands:
  new           make a folder with a model of a mechanism that runs as it is
  compare-runs  say by how much two tables of runs differ

`mbd COMMAND --help` explains a command and its options. To begin:
  mbd new crank
";

/// What `mbd new --help` says.
const HELP_OF_NEW: &str = "\
Makes a folder with a crate of Rust in it: a mechanism to change into your own, a test of
its derivatives and its accuracy, and a page of instructions. The crate depends on the
source of this library, and builds without a network where this program was built.

Usage: mbd new FOLDER [OPTIONS]

The name of the folder is that of the crate: letters, digits, `-` and `_`.

Options:
  --planar            bodies and joints in the plane: a slider-crank (the default)
  --spatial           bodies and joints in space: a spatial slider-crank
  --coordinates       coordinates chosen by hand: energies, forces and constraints
  --library FOLDER    the source of the library (default: where this program was built)
  --own-target        compile into the new folder, and not beside this program, where the
                      library is compiled already
  --help              this text

Examples:
  mbd new crank
  mbd new ../press --spatial

Exit codes:
  0    made
  2    the command line was not understood, or the name cannot be that of a crate
  20   the folder is there already, or cannot be written
";

/// What `mbd compare-runs --help` says.
const HELP_OF_COMPARE_RUNS: &str = "\
Says by how much two tables that `simulate --out` wrote differ: for each quantity of both,
the largest difference at the times that both have, relative to the largest value that a
quantity of its unit has in either of them.

Usage: mbd compare-runs FIRST.csv SECOND.csv [OPTIONS]

Options:
  --tol T             largest relative difference of runs that agree (default: 1e-6)
  --json              print the result as one JSON object
  --help              this text

Examples:
  mbd compare-runs before.csv after.csv --tol 1e-4

Exit codes:
  0    the runs agree
  2    the command line was not understood, or the tables have no times in common
  14   they differ by more, or one has quantities that the other has not
  20   a table cannot be read
";

/// The commands.
const COMMANDS: [&str; 2] = ["new", "compare-runs"];

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
    let Some((command, rest)) = args.split_first() else {
        return usage(io, "", "say what to do: new or compare-runs");
    };
    let helps = |word: &String| word == "--help" || word == "-h";
    let result = match command.as_str() {
        "--help" | "-h" => io.print(HELP),
        "help" if rest.is_empty() => io.print(HELP),
        "help" if rest[0] == "new" => io.print(HELP_OF_NEW),
        "help" if rest[0] == "compare-runs" => io.print(HELP_OF_COMPARE_RUNS),
        "compare-runs" if rest.iter().any(helps) => io.print(HELP_OF_COMPARE_RUNS),
        "compare-runs" => match read_tables(rest) {
            Ok(request) => compare_runs::run(&request, io),
            Err(message) => return usage(io, " compare-runs", &message),
        },
        "new" if rest.iter().any(helps) => io.print(HELP_OF_NEW),
        "new" => match read(rest) {
            Ok(request) => made(&request, io),
            Err(message) => return usage(io, " new", &message),
        },
        other => {
            let near = nearest(other, COMMANDS);
            let hint = near.map_or_else(
                || format!("there are {}", COMMANDS.join(" and ")),
                |near| format!("did you mean `{near}`?"),
            );
            return usage(io, "", &format!("there is no command `{other}`; {hint}"));
        }
    };
    result.unwrap_or_else(|stop| super::stopped(&stop, io))
}

fn usage(io: &mut Io<'_>, command: &str, message: &str) -> Exit {
    io.tell(&format!("error: {message}\ntry: mbd{command} --help"));
    Exit::Usage
}

/// The command line of `new`.
fn read(words: &[String]) -> Result<new::Request, String> {
    let (mut folder, mut template, mut library, mut own_target) = (None, None, None, false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.to_string())),
            _ => (word.as_str(), None),
        };
        let kind = Template::ALL.into_iter().find(|kind| kind.option() == name);
        if value.is_some() && name != "--library" {
            return Err(format!("{name} takes no value"));
        }
        match (name, kind) {
            (_, Some(kind)) => match template.replace(kind) {
                Some(other) if other != kind => {
                    let other = other.option();
                    return Err(format!("{other} and {name} are two models: give one of the two"));
                }
                _ => {}
            },
            ("--own-target", _) => own_target = true,
            ("--library", _) => {
                let next = || words.next().filter(|next| !next.starts_with("--")).cloned();
                let path = value.or_else(next).filter(|path| !path.is_empty());
                library = Some(PathBuf::from(path.ok_or("--library needs a value: a folder")?));
            }
            (option, _) if option.starts_with('-') => {
                let names = Template::ALL.into_iter().map(Template::option);
                let near = nearest(option, names.chain(["--library", "--own-target", "--help"]));
                let hint = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
                return Err(format!("there is no option {option}{hint}"));
            }
            (path, _) if folder.is_none() => folder = Some(PathBuf::from(path)),
            (more, _) => return Err(format!("`{more}` is one word too many: one folder is made")),
        }
    }
    let folder = folder.ok_or("say which folder to make: mbd new crank")?;
    Ok(new::Request { folder, template: template.unwrap_or_default(), library, own_target })
}

/// The command line of `compare-runs`.
fn read_tables(words: &[String]) -> Result<compare_runs::Request, String> {
    let (mut tables, mut tol, mut json) = (Vec::new(), None, false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value)),
            _ => (word.as_str(), None),
        };
        match name {
            "--json" if value.is_some() => return Err("--json takes no value".into()),
            "--json" => json = true,
            "--tol" => {
                let text = value.or_else(|| words.next().map(String::as_str));
                let text = text.ok_or("--tol needs a value: --tol T")?;
                let number = text.trim().parse().ok().filter(|tol: &f64| *tol >= 0.0);
                let number = number.filter(|tol| tol.is_finite());
                let number =
                    number.ok_or_else(|| format!("--tol: `{text}` is no number of 0 or more"))?;
                if tol.replace(number).is_some() {
                    return Err("--tol is given twice".into());
                }
            }
            option if option.starts_with("--") => {
                let near = nearest(option, ["--tol", "--json", "--help"]);
                let hint = near.map_or(String::new(), |near| format!("; did you mean {near}?"));
                return Err(format!("there is no option {option}{hint}"));
            }
            path => tables.push(PathBuf::from(path)),
        }
    }
    let tables: [PathBuf; 2] =
        tables.try_into().map_err(|_| "give two tables: mbd compare-runs a.csv b.csv")?;
    Ok(compare_runs::Request { tables, tol: tol.unwrap_or(1e-6), json })
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
