//! The page of the papers: what it needs is in it, and what is checked in is what comes out.

use crate::crates::{Folder, example};
use std::path::Path;
use std::process::Command;

/// A line with every run of what numbers are made of as `#`, and rounding with it: its size depends on the compiler.
fn without_numbers(line: &str) -> String {
    let part = |c: char| c.is_ascii_digit() || ".−e".contains(c);
    let mut out = String::new();
    for c in line.chars() {
        match (part(c), out.ends_with('#')) {
            (true, true) => {}
            (true, false) => out.push('#'),
            (false, _) => out.push(c),
        }
    }
    out
}

#[test]
fn the_page_of_a_paper_needs_nothing_beside_it_and_its_verdicts_are_those_checked_in() {
    let folder = Folder::new("papers");
    let output = Command::new(example("reproduce"))
        .args(["001", "001", "--out"])
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = std::fs::read_to_string(folder.path().join("index.html")).unwrap();
    for from in ["http", "src=\"0", "<script", "@import", "url(h"] {
        let apart = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!apart.contains(from), "nothing is fetched by `{from}`");
    }
    assert_eq!(page.matches("<span class=\"verdict").count(), 9, "named twice, it is there once");
    assert_eq!(page.matches("<img src=\"data:image/svg+xml,").count(), 8);
    assert_eq!(page.matches("<table").count(), page.matches("</table>").count());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/book/src/reproduce/001.md");
    let lines = |path: &Path| -> Vec<String> {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(without_numbers).collect()
    };
    assert_eq!(lines(&folder.path().join("001.md")), lines(&root), "what is checked in");
}

#[test]
fn papers_that_are_not_there_are_named() {
    let reproduce = example("reproduce");
    for (args, part) in
        [(&[][..], "name a paper, or --all"), (&["002"], "no paper `002`"), (&["--out"], "folder")]
    {
        let output = Command::new(&reproduce).args(args).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && text.contains(part), "{args:?}: {text}");
    }
}
