//! Commands and options as clap's: what reading, help, completions and manual pages come from.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, Command, ValueHint};

/// Commands that every program has.
pub(super) const COMMON: [&str; 3] = ["help", "completions", "man"];

/// A command: what it does in a line, and in several; what stands between its name and its options; what its help ends
/// with.
pub(in crate::cli) fn command(
    [program, name, operands]: [&str; 3],
    summary: &'static str,
    about: &'static str,
    after: String,
    args: impl IntoIterator<Item = Arg>,
) -> Command {
    Command::new(name.to_string())
        .about(summary)
        .long_about(about)
        .override_usage(format!("{program} {name}{operands} [OPTIONS]"))
        .help_template(format!("{about}\n\nUsage: {{usage}}\n\n{{all-args}}{{after-help}}\n"))
        .after_help(after)
        .disable_help_flag(true)
        .args(args)
        .arg(help())
}

/// What a command is for: how many there are is looked at afterwards.
pub(in crate::cli) fn operands(name: &'static str, help: &'static str, kind: ValueHint) -> Arg {
    Arg::new(name).num_args(0..).help(help).value_hint(kind)
}

pub(super) fn help() -> Arg {
    let help = Arg::new("--help").short('h').long("help").action(ArgAction::HelpShort);
    help.help("this text").display_order(usize::MAX)
}

/// An option by its name with the dashes, which is its id too; a switch where it has no value.
pub(in crate::cli) fn option(
    name: &'static str,
    value: &'static str,
    help: &'static str,
    repeated: bool,
) -> Arg {
    let arg = Arg::new(name).long(name.trim_start_matches('-')).help(wrapped(help));
    match (value, repeated) {
        ("", _) => arg.action(ArgAction::SetTrue).overrides_with(name),
        (_, true) => arg.action(ArgAction::Append),
        (_, false) => arg.action(ArgAction::Set),
    }
    // What begins with a dash may be a negative number; that it is no option is looked at afterwards.
    .allow_hyphen_values(!value.is_empty())
    .value_name(value)
    .value_hint(match value {
        "FOLDER" => ValueHint::DirPath,
        _ if value.starts_with("FILE") => ValueHint::FilePath,
        _ => ValueHint::Unknown,
    })
}

/// An argument that has one of a few values.
pub(in crate::cli) fn choice<const N: usize>(arg: Arg, known: [&'static str; N]) -> Arg {
    arg.value_parser(PossibleValuesParser::new(known)).hide_possible_values(true)
}

/// An argument with values that completions propose; others are read, too.
pub(in crate::cli) fn suggest(arg: Arg, known: &[String]) -> Arg {
    match known {
        [] => arg,
        known => {
            let known = PossibleValuesParser::new(known.to_vec());
            arg.value_parser(known).hide_possible_values(true)
        }
    }
}

/// In lines of the columns that a terminal of 90 has beside the names of options.
fn wrapped(help: &str) -> String {
    const WIDTH: usize = 60;
    let (mut text, mut width) = (String::new(), 0);
    for word in help.split(' ') {
        let long = word.chars().count();
        if width > 0 {
            let fits = width + 1 + long <= WIDTH;
            text.push(if fits { ' ' } else { '\n' });
            width = if fits { width + 1 } else { 0 };
        }
        text.push_str(word);
        width += long;
    }
    text
}
