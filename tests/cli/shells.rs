//! Completions and manual pages come from the options that there are.

use crate::{Folder, Outcome, run};
use mbd::cli::{Exit, Io, tool};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The program beside the models.
fn mbd(line: &str) -> Outcome {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let interrupt = Arc::new(AtomicBool::new(false));
    let mut io = Io { out: &mut out, err: &mut err, terminal: false, interrupt };
    let exit = tool::run_with(line.split_whitespace(), &mut io);
    Outcome { exit, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

fn printed(outcome: Outcome) -> String {
    assert_eq!((outcome.exit, outcome.err.as_str()), (Exit::Ok, ""));
    outcome.out
}

/// The options that a help lists.
fn options(help: &str) -> Vec<&str> {
    let listed = help.lines().filter_map(|line| {
        line.strip_prefix("  -h, ").or(line.strip_prefix("      ")).filter(|l| l.starts_with("--"))
    });
    listed.map(|line| line.split(' ').next().unwrap()).collect()
}

/// What bash proposes for a line, by the script itself.
#[cfg(unix)]
fn proposed(script: &str, words: &[&str]) -> Vec<String> {
    let folder = Folder::new("bash");
    let file = folder.file("completions");
    let ask = format!(
        "{script}\nCOMP_WORDS=({}); COMP_CWORD={}; _{} {} '{}' '{}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        words.join(" "),
        words.len() - 1,
        words[0],
        words[0],
        words[words.len() - 1],
        words[words.len() - 2]
    );
    std::fs::write(&file, ask).unwrap();
    let output = Command::new("bash").args(["--norc", &file]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && told.is_empty(), "{told}");
    String::from_utf8(output.stdout).unwrap().lines().map(String::from).collect()
}

#[test]
#[cfg(unix)]
fn bash_completes_commands_options_and_methods() {
    let script = printed(run("completions bash"));
    let has = |words: &[&str], wanted: &[&str]| {
        let all = proposed(&script, words);
        for wanted in wanted {
            assert!(all.iter().any(|one| one == wanted), "{wanted} of {words:?}: {all:?}");
        }
        all
    };
    has(&["rig", ""], &["info", "check", "simulate", "compare", "completions", "man", "help"]);
    for command in ["info", "check", "simulate", "compare"] {
        let help = printed(run(&format!("{command} --help")));
        let all = has(&["rig", command, "--"], &options(&help));
        assert!(options(&help).len() > 2 && !all.contains(&"--spatial".to_string()), "{all:?}");
    }
    // Methods as `info` lists them; what begins with what is written only.
    let methods = has(&["rig", "simulate", "--method", "hht"], &["hht-i3", "hht-soi2"]);
    assert!(methods.iter().all(|method| method.starts_with("hht")), "{methods:?}");
    has(&["rig", "simulate", "--derivatives", ""], &["program", "dual"]);
    has(&["rig", "completions", ""], &["bash", "zsh", "fish"]);
    let script = printed(mbd("completions bash"));
    let all = proposed(&script, &["mbd", "new", "--"]);
    assert!(all.contains(&"--spatial".into()), "{all:?}");
}

#[test]
fn every_shell_has_its_script() {
    for (shell, part) in [
        ("zsh", "#compdef rig"),
        ("fish", "complete -c rig"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion"),
    ] {
        let script = printed(run(&format!("completions {shell}")));
        assert!(script.contains(part), "{script}");
        assert!(script.contains("certify") && script.contains("gen-alpha-soi2"), "{script}");
    }
    for (line, part) in [
        ("completions tcsh", "SHELL: `tcsh` is not one of bash, elvish, fish, powershell, zsh"),
        ("completions", "say for which shell: rig completions bash"),
        ("completions bash zsh", "`zsh` is one word too many after `completions`"),
        ("man dance", "there is no command `dance`"),
        ("man simulat", "did you mean `simulate`?"),
    ] {
        let refused = run(line);
        assert_eq!((refused.exit, refused.out.as_str()), (Exit::Usage, ""), "{line}");
        assert!(refused.err.contains(part), "{line}: {}", refused.err);
    }
}

/// Text of a manual page: what roff marks fonts and dashes with taken out.
fn plain(page: &str) -> String {
    let mut text = page.replace("\\-", "-").replace("\\&", "");
    for font in ["\\fB", "\\fI", "\\fR"] {
        text = text.replace(font, "");
    }
    text
}

#[test]
fn manual_pages_say_what_the_help_says() {
    let page = plain(&printed(run("man")));
    assert!(page.contains(".TH rig 1"), "{page}");
    assert!(page.contains("Rig: A pendulum beside springs."), "{page}");
    for command in ["info", "check", "simulate", "compare"] {
        assert!(page.contains(&format!("rig-{command}(1)")), "{page}");
        let help = printed(run(&format!("{command} --help")));
        let page = plain(&printed(run(&format!("man {command}"))));
        assert!(page.contains(&format!(".TH rig-{command} 1")), "{page}");
        for part in [".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH OPTIONS"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        for option in options(&help) {
            assert!(page.contains(option), "{option}: {page}");
        }
        // Whole lines, one below the other.
        for part in [".SH EXAMPLES", ".SH EXIT CODES", "\n  10   the model, or a value"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        let example = help.lines().find(|line| line.starts_with("  rig ")).unwrap();
        assert!(page.contains(&format!("\n{example}\n")), "{example}: {page}");
    }
    let page = plain(&printed(mbd("man new")));
    assert!(page.contains("--spatial") && page.contains(".TH mbd-new 1"), "{page}");
}
