//! The help texts.

use super::command::Command;
use super::options::OPTIONS;
use crate::cli::exit::MEANINGS;

/// The help text of a command, or of the whole program.
pub(in crate::cli) fn help(
    command: Option<Command>,
    program: &str,
    model: &str,
    doc: &str,
) -> String {
    let mut text = String::new();
    let mut line = |s: &str| {
        text.push_str(s);
        text.push('\n');
    };
    match command {
        None => {
            let first = doc.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or("");
            let colon = if first.is_empty() { "" } else { ": " };
            line(&format!("{model}{colon}{first}\n"));
            line(&format!("Usage: {program} COMMAND [OPTIONS]\n"));
            line("Commands:");
            for command in Command::ALL {
                line(&format!("  {:<10} {}", command.name(), command.summary()));
            }
            line("");
            line(&format!(
                "`{program} COMMAND --help` explains a command and its options. To begin:"
            ));
            line(&format!("  {program} simulate --plot run.svg"));
        }
        Some(command) => {
            line(&format!("{}\n", command.about()));
            line(&format!("Usage: {program} {} [OPTIONS]\n", command.name()));
            line("Options:");
            for option in OPTIONS.iter().filter(|o| o.commands.contains(&command)) {
                let head = format!("{} {}", option.name, option.value);
                for (i, help) in option.help.lines().enumerate() {
                    let head = if i == 0 { &*head } else { "" };
                    line(&format!("  {head:<19} {help}"));
                }
            }
            line("\nExamples:");
            for example in command.examples() {
                line(&format!("  {program} {example}"));
            }
            line("\nExit codes:");
            for (exit, meaning) in MEANINGS {
                line(&format!("  {:<4} {meaning}", exit.code()));
            }
        }
    }
    text
}
