//! `mbd new`: what is made builds without a network, passes its own tests, and shows itself in motion;
//! what cannot be made says why, and leaves nothing behind.

#![cfg(feature = "cli")]

#[path = "support/crates.rs"]
mod crates;

use crates::{Folder, cargo, fails};
use mbd::cli::{Exit, Io, tool};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

struct Outcome {
    exit: Exit,
    out: String,
    err: String,
}

fn run(args: &[&str]) -> Outcome {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let interrupt = Arc::new(AtomicBool::new(false));
    let mut io = Io { out: &mut out, err: &mut err, terminal: false, interrupt };
    let exit = tool::run_with(args.iter().copied(), &mut io);
    Outcome { exit, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

#[test]
fn every_template_builds_offline_passes_its_tests_and_moves() {
    let folder = Folder::new("templates");
    for (name, option, body) in [
        ("crank", None, "piston"),
        ("spatial-crank", Some("--spatial"), "slider"),
        // Its type would be `Step`, which is the library's.
        ("step", Some("--coordinates"), "crank"),
    ] {
        let at = folder.path().join(name);
        let place = at.display().to_string();
        let args: Vec<&str> = ["new", &place].into_iter().chain(option).collect();
        let made = run(&args);
        assert_eq!((made.exit, made.out.as_str()), (Exit::Ok, ""), "{}", made.err);
        assert!(made.err.contains(&format!("--animate {name}.html")), "{}", made.err);

        let tested = cargo(&at, &["test"]);
        assert!(tested.contains("2 passed; 0 failed"), "{tested}");
        let page = format!("{name}.html");
        cargo(&at, &["run", "--", "simulate", "--strict", "--animate", &page]);
        let page = std::fs::read_to_string(at.join(page)).unwrap();
        assert!(page.contains(&format!("\"{body}\"")), "nothing called {body} is drawn");
        // The lock is the library's, less what the crate does not use.
        let lock = std::fs::read_to_string(at.join("Cargo.lock")).unwrap();
        assert!(lock.contains(&format!("name = \"{name}\"")) && !lock.contains("trybuild"));
        // A second call does no harm.
        let main = at.join("src/main.rs");
        std::fs::write(&main, "// mine").unwrap();
        let again = run(&args);
        assert_eq!(again.exit, Exit::InputOutput);
        assert!(again.err.contains("is there already and is not empty"), "{}", again.err);
        assert_eq!(std::fs::read_to_string(&main).unwrap(), "// mine");
    }
}

#[test]
fn a_mistake_in_the_model_is_told_at_its_place() {
    let folder = Folder::new("mistake");
    let at = folder.path().join("crank");
    assert_eq!(run(&["new", &at.display().to_string()]).exit, Exit::Ok);
    let main = at.join("src/main.rs");
    let text = std::fs::read_to_string(&main).unwrap();
    std::fs::write(&main, text.replace("-load*guide.speed", "-load*guide.sped")).unwrap();
    let told = fails(&at, &["build"]);
    assert!(told.contains("src/main.rs") && told.contains("sped"), "{told}");
}

#[test]
fn what_cannot_be_made_says_why_and_leaves_nothing() {
    let folder = Folder::new("refused");
    let inside = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let nowhere = inside("nowhere");
    let (bad, file, below) = (inside("my crank"), inside("file"), inside("file/crank"));
    let (crank, keyword) = (inside("crank"), inside("loop"));
    for (args, exit, part) in [
        (&["new", &bad][..], Exit::Usage, "`my_crank` would do"),
        (&["new", &keyword], Exit::Usage, "a word of Rust"),
        (&["new", &file], Exit::InputOutput, "is there already"),
        (&["new", &below], Exit::InputOutput, "cannot write"),
        (
            &["new", &crank, "--library", &nowhere],
            Exit::InputOutput,
            "is not the source of `mbd-dynamics`",
        ),
        (&["new"], Exit::Usage, "say which folder to make"),
        (&["new", &crank, "more"], Exit::Usage, "`more` is one word too many"),
        (&["new", &crank, "--planar", "--spatial"], Exit::Usage, "give one of the two"),
        (&["new", &crank, "--spacial"], Exit::Usage, "did you mean --spatial?"),
        (&["new", &crank, "--planar=yes"], Exit::Usage, "--planar takes no value"),
        (&["new", &crank, "--library"], Exit::Usage, "--library needs a value"),
        (&["now"], Exit::Usage, "did you mean `new`?"),
        (&["dance"], Exit::Usage, "there are new and compare-runs"),
        (&[], Exit::Usage, "say what to do"),
    ] {
        let outcome = run(args);
        assert_eq!(outcome.exit, exit, "{args:?}: {}", outcome.err);
        assert!(outcome.err.contains(part), "{args:?}: {}", outcome.err);
        assert_eq!(outcome.out, "");
    }
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn an_empty_folder_is_filled_and_the_library_may_be_named() {
    let folder = Folder::new("empty");
    let at = folder.path().join("crank");
    std::fs::create_dir(&at).unwrap();
    let library = env!("CARGO_MANIFEST_DIR");
    let made = run(&["new", &at.display().to_string(), "--library", library, "--own-target"]);
    assert_eq!(made.exit, Exit::Ok, "{}", made.err);
    let manifest = std::fs::read_to_string(at.join("Cargo.toml")).unwrap();
    let whole = Path::new(library).canonicalize().unwrap();
    assert!(manifest.contains(&format!("path = \"{}\"", whole.display())), "{manifest}");
    assert!(!at.join(".cargo").exists());
}

#[test]
fn help_goes_to_standard_output_and_fits_a_terminal() {
    for args in [
        &["--help"][..],
        &["help"],
        &["new", "--help"],
        &["help", "new"],
        &["new", "-h"],
        &["compare-runs", "--help"],
    ] {
        let outcome = run(args);
        assert_eq!((outcome.exit, outcome.err.as_str()), (Exit::Ok, ""), "{args:?}");
        assert!(outcome.out.contains("Usage: mbd"), "{}", outcome.out);
        assert!(outcome.out.lines().all(|line| line.chars().count() <= 90), "{}", outcome.out);
    }
}
