//! The page of messages has every diagnostic of tests/ui, and no other; tests/ui has every diagnostic of the macro.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files below a folder whose names end so, with their text.
fn files(folder: &str, ending: &str) -> Vec<(PathBuf, String)> {
    let (mut found, mut folders) = (Vec::new(), vec![root().join(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == ending) {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found
}

/// The first lines of all diagnostics that tests/ui expects, without the word `error`.
fn diagnostics() -> BTreeSet<String> {
    let files = files("tests/ui", "stderr");
    files.iter().flat_map(|(_, text)| text.lines().filter_map(first_line)).collect()
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

/// Pieces of messages that no case of tests/ui can show, and why.
const EXEMPT: &[(&str, &str)] = &[
    ("mbd-macros dropped its errors unchecked", "a bug of the macro itself"),
    (" as :: core :: primitive :: i64", "code, as it is written down"),
    ("it is driven: where it starts, and how fast, is what drives it", TOLD_BY_RUNS),
    ("joints of arrays and loops are started in the model, where they are declared", TOLD_BY_RUNS),
    ("the model states no velocity; with `init ", TOLD_BY_RUNS),
    (" = 0.0;` in it this is one that can be given", TOLD_BY_RUNS),
];
const TOLD_BY_RUNS: &str = "told when a model is run, of starts that it is given";

/// The text literals of a file's code, up to its tests.
fn literals(code: &str) -> Vec<String> {
    let code = code.split("#[cfg(test)]\nmod").next().unwrap_or(code);
    let uncommented = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: String = uncommented.map(|line| format!("{line}\n")).collect();
    let (mut found, mut open, mut letters) = (Vec::new(), None, code.chars().peekable());
    while let Some(letter) = letters.next() {
        match (letter, &mut open) {
            // `'"'` begins no text.
            ('\'', None) if letters.peek() == Some(&'"') => drop(letters.next()),
            ('"', None) => open = Some(String::new()),
            ('"', Some(_)) => found.extend(open.take()),
            ('\\', Some(text)) => match letters.next() {
                Some('n') => text.push('\n'),
                // A text that goes on in the next line.
                Some('\n') => while letters.next_if(|next| next.is_whitespace()).is_some() {},
                escaped => text.extend(escaped),
            },
            (letter, Some(text)) => text.push(letter),
            _ => {}
        }
    }
    found
}

/// What a text has in plain words between its placeholders, in pieces long enough to be known by.
fn pieces(text: &str) -> Vec<String> {
    let text = text.replace("{{", "\u{1}").replace("}}", "\u{2}");
    let after_placeholder = |part: &str| part.split_once('}').map_or(0, |(name, _)| name.len() + 1);
    let parts = text.split('{').map(|part| part[after_placeholder(part)..].to_string());
    let parts = parts.flat_map(|part| part.lines().map(String::from).collect::<Vec<_>>());
    let parts = parts.map(|part| part.replace('\u{1}', "{").replace('\u{2}', "}"));
    let is_word = |word: &str| {
        let word = word.trim_matches(|c| "`,;:.".contains(c));
        !word.is_empty() && word.chars().all(char::is_alphabetic)
    };
    let words = |part: &str| part.split_whitespace().filter(|word| is_word(word)).count();
    parts.filter(|part| part.chars().count() >= 12 && words(part) >= 2).collect()
}

#[test]
fn every_message_of_the_macro_has_a_case() {
    let shown: String = files("tests/ui", "stderr").into_iter().map(|(_, text)| text).collect();
    let mut all = BTreeSet::new();
    for (path, code) in files("mbd-macros/src", "rs") {
        let tells = code.contains("error(") || code.contains("Error::new");
        if tells && !path.ends_with("mbd-macros/src/tests.rs") {
            all.extend(literals(&code).iter().flat_map(|text| pieces(text)));
        }
    }
    assert!(all.len() > 350, "messages are found: {}", all.len());
    let known: BTreeSet<String> = EXEMPT.iter().map(|(piece, _)| piece.to_string()).collect();
    let missing: BTreeSet<_> =
        all.into_iter().filter(|piece| !shown.contains(piece.as_str())).collect();
    let [untold, needless] = [(&missing, &known), (&known, &missing)]
        .map(|(some, others)| some.difference(others).collect::<Vec<_>>());
    assert!(
        untold.is_empty() && needless.is_empty(),
        "words of messages that no case of tests/ui shows:\n{untold:#?}\n\
         and exemptions for nothing:\n{needless:#?}"
    );
}
