//! Manual pages of the program and its commands, from the same table as their help.
//!
//! Written here, in roff: `clap_mangen` would add 2 s of processor time to the first build of a user's crate, 1.7 % of
//! it, and runs the lines of examples and exit codes together.

use clap::{Arg, Command};
use std::fmt::Write;

/// The page of a program, or of a command of it.
pub(super) fn page(of: &Command) -> String {
    let name = of.get_display_name().unwrap_or(of.get_name());
    let about = of.get_about().map(ToString::to_string).unwrap_or_default();
    let usage = of.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let mut out = String::new();
    let mut line = |text: &str| _ = writeln!(out, "{text}");
    line(&format!(".TH {} 1", roff(name)));
    line(&format!(".SH NAME\n{} \\- {}", roff(name), roff(&about)));
    line(&format!(".SH SYNOPSIS\n.B {}", roff(usage)));
    if let Some(description) = of.get_long_about() {
        line(&format!(".SH DESCRIPTION\n{}", roff(&description.to_string())));
    }
    let commands: Vec<&Command> = of.get_subcommands().collect();
    if !commands.is_empty() {
        line(".SH COMMANDS");
    }
    for command in commands {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let name = command.get_display_name().unwrap_or(command.get_name());
        line(&format!(".TP\n\\fB{}\\fR(1)\n{}", roff(name), roff(&about)));
    }
    line(".SH OPTIONS");
    for arg in of.get_arguments() {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        line(&format!(".TP\n{}\n{}", head(arg), roff(&help)));
    }
    let end = of.get_after_help().map(ToString::to_string).unwrap_or_default();
    for part in end.split("\n\n") {
        // In their own lines.
        let (title, lines) = part.split_once(":\n").unwrap_or(("Notes", part));
        line(&format!(".SH {}\n.nf\n{}\n.fi", title.to_uppercase(), roff(lines)));
    }
    out
}

/// An argument as it is written.
fn head(arg: &Arg) -> String {
    let value = arg.get_value_names().and_then(|names| names.first());
    let value = value.filter(|value| !value.is_empty() && arg.get_action().takes_values());
    let value = value.map(|value| format!("\\fI{}\\fR", roff(value)));
    let short = arg.get_short().map_or(String::new(), |short| format!("\\fB\\-{short}\\fR, "));
    match arg.get_long() {
        Some(long) => {
            let value = value.map_or(String::new(), |value| format!(" {value}"));
            format!("{short}\\fB{}\\fR{value}", roff(&format!("--{long}")))
        }
        None => value.unwrap_or_else(|| roff(arg.get_id().as_str())),
    }
}

/// Text in which nothing is a command of roff.
fn roff(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    let lines = text.lines().map(|line| match line.starts_with(['.', '\'', ' ']) {
        true => format!("\\&{line}"),
        false => line.to_string(),
    });
    lines.collect::<Vec<_>>().join("\n")
}
