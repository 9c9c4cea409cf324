//! The page of messages has every diagnostic of tests/ui, and no other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The first lines of all diagnostics that tests/ui expects, without the word `error`.
fn diagnostics() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders: Vec<PathBuf> = vec![root().join("tests/ui")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "stderr") {
                let text = std::fs::read_to_string(path).unwrap();
                found.extend(text.lines().filter_map(first_line));
            }
        }
    }
    found
}

/// `unknown name` of `error: unknown name`, `E0433: cannot find` of `error[E0433]: cannot find`.
fn first_line(line: &str) -> Option<String> {
    let rest = line.strip_prefix("error").or(line.strip_prefix("warning"))?;
    match rest.strip_prefix('[') {
        Some(coded) => Some(coded.replacen("]:", ":", 1)),
        None => rest.strip_prefix(": ").map(String::from),
    }
}

/// The messages on the page: those of a row, in its first cell, are parted by `<br>` and begin with a dot.
fn patterns(page: &str) -> Vec<String> {
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| message"));
    let cell = |row: &str| {
        let row = row.replace("\\|", "\u{1}");
        let cells: Vec<&str> = row.split('|').collect();
        assert_eq!(cells.len(), 4, "a message and its mend: {row}");
        assert!(cells[2].trim().len() > 20, "says what to do: {row}");
        let messages = cells[1].trim().replace('\u{1}', "|");
        let messages = messages.split("<br>").map(|one| one.trim_start_matches("• "));
        messages.map(String::from).collect::<Vec<_>>()
    };
    rows.flat_map(cell).collect()
}

/// Whether a message is of a pattern, in which `…` is anything, and a number any number.
fn is_of(message: &str, pattern: &str) -> bool {
    let parts: Vec<String> = pattern.split('…').map(without_numbers).collect();
    let message = without_numbers(message);
    let Some(mut rest) = message.strip_prefix(parts[0].as_str()) else { return false };
    let Some((last, between)) = parts[1..].split_last() else { return rest.is_empty() };
    for part in between {
        let Some(at) = rest.find(part.as_str()) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last.as_str())
}

/// Numbers between blanks as `#`.
fn without_numbers(text: &str) -> String {
    let word = |word: &str| match word.parse::<u32>() {
        Ok(_) => "#".to_string(),
        Err(_) => word.to_string(),
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_diagnostic_is_explained_with_its_mend() {
    let page = std::fs::read_to_string(root().join("docs/book/src/messages.md")).unwrap();
    let (patterns, diagnostics) = (patterns(&page), diagnostics());
    assert!(diagnostics.len() > 200 && patterns.len() > 100);
    let missing: Vec<&String> =
        diagnostics.iter().filter(|d| !patterns.iter().any(|p| is_of(d, p))).collect();
    let stray: Vec<&String> =
        patterns.iter().filter(|p| !diagnostics.iter().any(|d| is_of(d, p))).collect();
    assert!(
        missing.is_empty() && stray.is_empty(),
        "messages that docs/book/src/messages.md does not have:\n{missing:#?}\n\
         and what it has that no case of tests/ui shows:\n{stray:#?}"
    );
}

#[test]
fn a_pattern_is_not_everything() {
    for (message, pattern, is) in [
        ("unknown name `phy`; did you mean `phi`?", "unknown name `…`; did you mean `…`?", true),
        ("unknown name `phy`", "unknown name `…`; did you mean `…`?", false),
        ("3 values for an array of 2", "4 values for an array of 5", true),
        ("3 values for an array of 2", "4 values for 5", false),
        ("`x` is time; choose", "`…` is time", false),
    ] {
        assert_eq!(is_of(message, pattern), is, "{message} / {pattern}");
    }
}
