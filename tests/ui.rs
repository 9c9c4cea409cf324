//! Every rule of the language has a case that breaks it: the messages, and the tokens they stand
//! at, are part of the language. Some lines of a message are rustc's own and change with it, so the
//! cases run on the toolchain named in `rust-toolchain.toml` only.

use std::process::Command;

#[test]
fn messages() {
    let pinned = include_str!("../rust-toolchain.toml")
        .lines()
        .find_map(|line| line.strip_prefix("channel = "))
        .map(|channel| channel.trim_matches('"'))
        .expect("rust-toolchain.toml names a channel");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().expect("rustc runs");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    if !version.contains(pinned) {
        eprintln!("messages are compared on rustc {pinned} only; this is {version}");
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}
