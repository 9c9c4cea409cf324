//! Crates made by a test, and Cargo called on them.

#![allow(dead_code, reason = "each test that has this file uses a part of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of its own, which is removed at the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("mbd-new-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Cargo without a network, on a crate that is compiled beside the tests, where the crates that it depends on
/// are compiled already. It compiles the library once more, since the crate stands in no workspace with
/// it, and as quickly as tests do.
pub fn call(folder: &Path, args: &[&str]) -> Output {
    let target = Path::new(env!("CARGO_BIN_EXE_mbd")).ancestors().nth(2).unwrap();
    let own: &[&str] = match args.iter().position(|arg| *arg == "--") {
        Some(at) => &args[at..],
        None => &[],
    };
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.current_dir(folder).args(&args[..args.len() - own.len()]).arg("--offline");
    for package in ["mbd-core", "mbd-macros", "mbd-dynamics"] {
        cargo.args(["--config", &format!("profile.dev.package.{package}.opt-level=1")]);
    }
    cargo.args(own).env("CARGO_TARGET_DIR", target).output().expect("cargo can be called")
}

/// An example of this crate, built.
pub fn example(name: &str) -> PathBuf {
    let built = Command::new(env!("CARGO"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["build", "--quiet", "--offline", "--example", name])
        .status();
    assert!(built.unwrap().success(), "{name} is built");
    let target = Path::new(env!("CARGO_BIN_EXE_mbd")).parent().unwrap();
    target.join("examples").join(name)
}

/// Both streams of a call that succeeds.
pub fn cargo(folder: &Path, args: &[&str]) -> String {
    let output = call(folder, args);
    let text = both(&output);
    assert!(output.status.success(), "cargo {args:?}: {text}");
    text
}

/// Both streams of a call that fails.
pub fn fails(folder: &Path, args: &[&str]) -> String {
    let output = call(folder, args);
    let text = both(&output);
    assert!(!output.status.success(), "cargo {args:?}: {text}");
    text
}

fn both(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}
