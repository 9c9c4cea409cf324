//! What clap refuses, in our words, which know the other commands and say what to write instead.

use super::grammar::COMMON;
use crate::error::nearest;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgMatches, Command};

/// Words of the language and of Rust for what an option says.
const SYNONYMS: [(&str, &str); 4] =
    [("--until", "--t-end"), ("--end", "--t-end"), ("--param", "--set"), ("--output", "--out")];

/// What clap refuses.
pub(super) fn told(error: &clap::Error, program: &Command, asked: Option<&Command>) -> String {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    let given = text(ContextKind::InvalidArg);
    // As clap names it: `--tol <T>`.
    let name = given.split(' ').next().unwrap_or_default();
    match (error.kind(), asked) {
        (ErrorKind::MissingSubcommand, _) => format!("say what to do: {}", list(program, "or")),
        (ErrorKind::InvalidSubcommand, _) => {
            unknown_command(program, text(ContextKind::InvalidSubcommand))
        }
        (ErrorKind::UnknownArgument, Some(command)) if !given.starts_with('-') => {
            let set = command.get_arguments().any(|arg| arg.get_id() == "--set");
            format!(
                "`{given}` is one word too many after `{}`; options begin with --{}",
                command.get_name(),
                match given.contains('=') && set {
                    true => format!(" (did you mean `--set {given}`?)"),
                    false => String::new(),
                }
            )
        }
        (ErrorKind::UnknownArgument, _) => unknown_option(program, asked, name),
        (ErrorKind::TooManyValues, _) => format!("{name} takes no value"),
        (ErrorKind::ArgumentConflict, _) => format!("{name} is given twice"),
        (ErrorKind::InvalidValue, Some(command)) => {
            let (name, value) = (name.trim_matches(['[', ']']), text(ContextKind::InvalidValue));
            match error.get(ContextKind::ValidValue) {
                Some(ContextValue::Strings(known)) if !value.is_empty() => {
                    format!("{name}: `{value}` is not one of {}", known.join(", "))
                }
                _ => needs_value(command, name),
            }
        }
        _ => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            first.trim_start_matches("error: ").to_string()
        }
    }
}

/// An option given without a value, or with the name of another in its place.
pub(super) fn without_value(command: &Command, matches: &ArgMatches) -> Option<String> {
    let matches = matches.subcommand()?.1;
    let is_option = |text: &String| text.is_empty() || names(command).any(|name| name == text);
    let valued = command.get_opts().map(|arg| arg.get_id().as_str());
    let mut without = valued.filter(|name| {
        let values = matches.get_many::<String>(name);
        values.is_some_and(|mut values| values.any(is_option))
    });
    without.next().map(|name| needs_value(command, name))
}

fn needs_value(command: &Command, name: &str) -> String {
    let arg = command.get_arguments().find(|arg| arg.get_id() == name);
    let value = arg.and_then(Arg::get_value_names).and_then(|names| names.first());
    let value = value.map_or(String::new(), |value| format!(": {name} {value}"));
    format!("{name} needs a value{value}")
}

/// The options of a command, with the dashes.
fn names(command: &Command) -> impl Iterator<Item = &str> {
    let options = command.get_arguments().filter(|arg| arg.get_long().is_some());
    options.map(|arg| arg.get_id().as_str())
}

/// Commands of the program itself, apart from those that every program has.
fn commands(program: &Command) -> impl Iterator<Item = &Command> {
    program.get_subcommands().filter(|command| !COMMON.contains(&command.get_name()))
}

/// The commands, the last two joined by a word.
fn list(program: &Command, join: &str) -> String {
    let names: Vec<&str> = commands(program).map(Command::get_name).collect();
    match &names[..] {
        [first @ .., last] if !first.is_empty() => format!("{} {join} {last}", first.join(", ")),
        names => names.concat(),
    }
}

pub(super) fn unknown_command(program: &Command, word: &str) -> String {
    let all = program.get_subcommands().map(Command::get_name);
    match nearest(word, all) {
        Some(near) => format!("there is no command `{word}`; did you mean `{near}`?"),
        None => format!("there is no command `{word}`; there are {}", list(program, "and")),
    }
}

fn unknown_option(program: &Command, asked: Option<&Command>, name: &str) -> String {
    let owners = commands(program).filter(|command| names(command).any(|known| known == name));
    let owners: Vec<_> = owners.map(|command| format!("`{}`", command.get_name())).collect();
    match (asked, &owners[..]) {
        (None, [_, ..]) => format!("say what to do before {name}: {}", list(program, "or")),
        (Some(command), [_, ..]) => format!(
            "{name} is an option of {}, not of `{}`",
            owners.join(" and "),
            command.get_name()
        ),
        _ => {
            let candidates: Vec<&str> = match asked {
                Some(command) => names(command).collect(),
                None => commands(program).flat_map(names).collect(),
            };
            // The language and Rust call the end of a run otherwise than the command line does.
            let meant =
                SYNONYMS.iter().find(|(word, known)| *word == name && candidates.contains(known));
            match meant.map(|(_, known)| (*known).into()).or_else(|| nearest(name, candidates)) {
                Some(near) => format!("there is no option {name}; did you mean {near}?"),
                None => format!("there is no option {name}"),
            }
        }
    }
}
