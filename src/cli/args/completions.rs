//! `completions`, with the feature of that name: `clap_complete` is 2 % of the processor time of the first build of a
//! user's crate.

use super::grammar::{choice, command};
use clap::{Arg, Command};
use clap_complete::Shell;

const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

pub(super) fn of(program: &str) -> Command {
    let after = format!(
        "Examples:\n  \
         {program} completions bash > ~/.local/share/bash-completion/completions/{program}\n  \
         {program} completions zsh > ~/.zfunc/_{program}\n  \
         {program} completions fish > ~/.config/fish/completions/{program}.fish"
    );
    command(
        [program, "completions", " SHELL"],
        "print a script by which a shell completes commands and options",
        "Prints a script by which a shell completes the commands of this program, their options,\n\
         names of methods and of files. The examples show where a shell looks for it.",
        after,
        [choice(Arg::new("SHELL").help("bash, elvish, fish, powershell or zsh"), SHELLS)],
    )
}

pub(super) fn script(program: &Command, shell: Option<&str>) -> Result<String, String> {
    let shell: Option<Shell> = shell.and_then(|shell| shell.parse().ok());
    let name = program.get_name().to_string();
    let shell = shell.ok_or_else(|| format!("say for which shell: {name} completions bash"))?;
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut program.clone(), name, &mut script);
    Ok(String::from_utf8_lossy(&script).into_owned())
}
