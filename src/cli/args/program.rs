//! A program: its commands, with those that every program has, and reading its command line.

#[cfg(feature = "completions")]
use super::completions;
use super::grammar::{command, help};
use super::manual;
use super::words::{told, unknown_command, without_value};
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Command};

/// Why a command line is not carried out.
pub(in crate::cli) enum Refusal {
    /// It asks for this text.
    Text(String),
    /// It was not understood.
    Usage {
        message: String,
        /// The command it was about.
        command: Option<String>,
    },
}

/// A program with its commands: what it is, in a line, and what its help ends with.
pub(in crate::cli) fn program(
    name: &str,
    about: &str,
    after: String,
    own: Vec<Command>,
) -> Command {
    Command::new(name.to_string())
        .bin_name(name)
        .no_binary_name(true)
        .about(about.to_string())
        .override_usage(format!("{name} COMMAND [OPTIONS]"))
        .help_template("{about}\n\nUsage: {usage}\n\n{all-args}{after-help}\n")
        .after_help(after)
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .subcommand_required(true)
        .subcommands(own)
        .subcommands(common(name))
        .arg(help())
}

/// Reads a command line, the program's name left out.
pub(in crate::cli) fn read(program: Command, args: &[String]) -> Result<ArgMatches, Refusal> {
    let mut built = program;
    let matches = built.try_get_matches_from_mut(args);
    let asked = args.first().and_then(|name| built.find_subcommand(name));
    let usage = |message| Refusal::Usage { message, command: asked.map(|c| c.get_name().into()) };
    let matches = match matches {
        Ok(matches) => match asked.and_then(|command| without_value(command, &matches)) {
            Some(message) => return Err(usage(message)),
            None => matches,
        },
        Err(error) if error.kind() == ErrorKind::DisplayHelp => {
            return Err(Refusal::Text(error.to_string()));
        }
        Err(error) => return Err(usage(told(&error, &built, asked))),
    };
    let command = asked.map(|command| command.get_name().to_string());
    match text(&built, &matches) {
        Some(Ok(text)) => Err(Refusal::Text(text)),
        Some(Err(message)) => Err(Refusal::Usage { message, command }),
        None => Ok(matches),
    }
}

/// The commands that every program has: they print what its table of options says, for people, shells and `man`.
fn common(program: &str) -> Vec<Command> {
    let of = || Arg::new("COMMAND").help("the command (default: the program)");
    vec![
        #[cfg(feature = "completions")]
        completions::of(program),
        command(
            [program, "man", " [COMMAND]"],
            "print the manual page of the program or a command",
            "Prints the manual page of the program, or of one of its commands, for man(1).",
            format!(
                "Examples:\n  {program} man | man -l -\n  \
                 {program} man > ~/.local/share/man/man1/{program}.1"
            ),
            [of()],
        ),
        command(
            [program, "help", " [COMMAND]"],
            "explain the program or a command, as --help does",
            "Explains the program or a command, as --help does.",
            format!("Example:\n  {program} help"),
            [of()],
        ),
    ]
}

/// What one of them prints.
fn text(program: &Command, matches: &ArgMatches) -> Option<Result<String, String>> {
    let (name, matches) = matches.subcommand()?;
    let of = |id: &str| matches.get_one::<String>(id).map(String::as_str);
    Some(match name {
        "help" => page_of(program, of("COMMAND")).map(|mut page| page.render_help().to_string()),
        #[cfg(feature = "completions")]
        "completions" => completions::script(program, of("SHELL")),
        "man" => page_of(program, of("COMMAND")).map(|page| manual::page(&page)),
        _ => return None,
    })
}

/// The program, or a command of it.
fn page_of(program: &Command, name: Option<&str>) -> Result<Command, String> {
    let mut program = program.clone();
    // Else commands do not know the program's name.
    program.build();
    let Some(name) = name else { return Ok(program) };
    let found = program.find_subcommand(name).cloned();
    found.ok_or_else(|| unknown_command(&program, name))
}
