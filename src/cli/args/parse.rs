//! Reading the command line of a model's program.

use super::command::Command;
use super::grammar;
use super::options::{OPTIONS, Opt, contradiction};
use super::program::{self, Refusal};
use super::request::Request;
use crate::cli::compare_runs;
use crate::cli::exit::MEANINGS;
use clap::ValueHint;

/// The tables that a command is given.
const TABLES: &str = "TABLES";

/// What is said of a model in help and completions, for which it has to be built.
#[derive(Default)]
pub(in crate::cli) struct Described {
    /// Its name, and what it is in a line.
    pub(in crate::cli) about: String,
    /// Names of methods that it can be simulated by.
    pub(in crate::cli) methods: Vec<String>,
}

/// What a command line asks for.
pub(in crate::cli) enum Asked {
    /// Something of the model.
    OfModel(Box<Request>),
    /// Something of tables that runs have written.
    OfRuns(compare_runs::Request),
}

/// Reads a command line, the program's name left out.
pub(in crate::cli) fn parse(
    program: &str,
    args: &[String],
    describe: &dyn Fn() -> Described,
) -> Result<Asked, Refusal> {
    let matches = match program::read(of_model(program, &Described::default()), args) {
        Err(Refusal::Text(_)) => program::read(of_model(program, &describe()), args)?,
        result => result?,
    };
    let name = matches.subcommand_name().unwrap_or_default();
    let refuse = |message| Refusal::Usage { message, command: Some(name.into()) };
    let command = Command::ALL.into_iter().find(|command| command.name() == name);
    let Some(of) = matches.subcommand_matches(name) else {
        return Ok(Asked::OfModel(Box::default()));
    };
    let Some(command) = command else {
        return compare_runs::request(of).map(Asked::OfRuns).map_err(refuse);
    };
    let matches = of;
    let mut request = Request { command: Some(command), ..Request::default() };
    let mut given = Vec::new();
    for option in OPTIONS.iter().filter(|option| option.commands.contains(&command)) {
        if option.value.is_empty() {
            if matches.get_flag(option.name) {
                option.take(&mut request, "").map_err(refuse)?;
                given.push(option.name);
            }
            continue;
        }
        for text in matches.get_many::<String>(option.name).into_iter().flatten() {
            option.take(&mut request, text).map_err(refuse)?;
            given.push(option.name);
        }
    }
    if !command.operands().is_empty() {
        let tables = matches.get_many::<String>(TABLES).into_iter().flatten();
        request.tables = tables.cloned().collect();
    }
    if let Some(why) = contradiction(&given) {
        return Err(refuse(why.into()));
    }
    request.check_combination().map_err(refuse)?;
    Ok(Asked::OfModel(Box::new(request)))
}

/// An option as it is given, by its name with the dashes.
#[derive(Clone, Copy)]
pub(in crate::cli) struct Given<'a> {
    pub(in crate::cli) name: &'a str,
    /// None of a switch.
    pub(in crate::cli) value: Option<&'a str>,
}

/// The options that a command line has behind its command, in their order.
pub(in crate::cli) fn given<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<Given<'a>> {
    let (mut words, mut out) = (words.into_iter().peekable(), Vec::new());
    while let Some(word) = words.next() {
        out.push(match word.split_once('=') {
            Some((name, value)) => Given { name, value: Some(value) },
            None => {
                // What is no option is refused where the command line is read.
                let valued = option(word).map(|option| !option.value.is_empty());
                let value = words.next_if(|next| valued.unwrap_or(!next.starts_with("--")));
                Given { name: word, value }
            }
        });
    }
    out
}

impl Given<'_> {
    /// Whether it says something else of what `earlier` says, of a run that has one of the two: of `--init` and its like
    /// for the same name.
    pub(in crate::cli) fn says_anew(&self, earlier: &Given<'_>) -> bool {
        let names = |given: &Given<'_>| -> Vec<String> {
            let option = option(given.name).filter(|option| option.is_repeated());
            option.zip(given.value).map_or(Vec::new(), |(option, value)| option.names(value))
        };
        let (anew, before) = (names(self), names(earlier));
        self.name == earlier.name && before.iter().all(|name| anew.contains(name))
    }
}

fn option(name: &str) -> Option<&'static Opt> {
    OPTIONS.iter().find(|option| option.name == name)
}

/// The program of a model.
fn of_model(program: &str, model: &Described) -> clap::Command {
    let commands = Command::ALL.map(|command| {
        let options = OPTIONS.iter().filter(|option| option.commands.contains(&command));
        let args = options.map(|option| match option.name {
            "--method" | "--reference" => grammar::suggest(option.arg(), &model.methods),
            _ => option.arg(),
        });
        let lines = command.examples().iter().map(|example| format!("  {program} {example}\n"));
        let codes =
            MEANINGS.iter().map(|(exit, meaning)| format!("\n  {:<4} {meaning}", exit.code()));
        let after = format!(
            "Examples:\n{}\nExit codes:{}",
            lines.collect::<String>(),
            codes.collect::<String>()
        );
        let operands = (!command.operands().is_empty())
            .then(|| grammar::operands(TABLES, "tables of runs", ValueHint::FilePath));
        let args = operands.into_iter().chain(args);
        let names = [program, command.name(), command.operands()];
        grammar::command(names, command.summary(), command.about(), after, args)
    });
    let after = format!(
        "`{program} COMMAND --help` explains a command and its options. To begin:\n  {program} simulate --plot run.svg"
    );
    let mut commands = Vec::from(commands);
    commands.push(compare_runs::command(program));
    program::program(program, &model.about, after, commands)
}
