//! Links between pages, and to files.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All pages: those of the root, and those below `docs`.
pub fn pages() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.extend(std::fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path()));
    found.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    found.sort();
    found
}

/// The lines outside blocks of code, with what stands in backticks taken out.
fn prose(text: &str) -> Vec<String> {
    let (mut lines, mut code) = (Vec::new(), false);
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
        } else if !code {
            let parts = line.split('`').step_by(2).collect::<Vec<_>>();
            lines.push(parts.join("`"));
        }
    }
    lines
}

/// The anchors of a page's headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> HashSet<String> {
    let mut code = false;
    let mut anchors = HashSet::new();
    for line in text.lines() {
        if line.starts_with("```") {
            code = !code;
        }
        let Some(heading) = line.strip_prefix('#').filter(|_| !code) else { continue };
        let heading = heading.trim_start_matches('#').trim();
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        let anchor: String = kept.collect::<String>().to_lowercase().replace(' ', "-");
        anchors.insert(anchor);
    }
    anchors
}

/// Where the links of a line lead.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next())
}

/// A path without `..`, which need not be there.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = plain.pop(),
            part => plain.push(part),
        }
    }
    plain
}

#[test]
fn every_link_leads_somewhere() {
    let texts: HashMap<PathBuf, String> = pages()
        .into_iter()
        .map(|path| (path.clone(), std::fs::read_to_string(&path).unwrap()))
        .collect();
    let (mut wrong, mut links) = (Vec::new(), 0);
    for (page, text) in &texts {
        for line in prose(text) {
            for target in targets(&line).filter(|target| !target.contains("://")) {
                links += 1;
                let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
                let at = match file {
                    "" => page.clone(),
                    file => plain(&page.parent().unwrap().join(file)),
                };
                // A page of the book is read as HTML too, where what is beside the book is not there.
                let book = root().join("docs/book/src");
                let there = at.exists()
                    && (!page.starts_with(&book) || at.starts_with(&book))
                    && (anchor.is_empty() || {
                        texts.get(&at).is_some_and(|text| anchors(text).contains(anchor))
                    });
                if !there {
                    wrong.push(format!("{}: {target}", page.display()));
                }
            }
        }
    }
    wrong.sort();
    assert!(
        links > 50 && wrong.is_empty(),
        "{links} links, of which broken:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn every_chapter_is_in_the_summary() {
    let folder = root().join("docs/book/src");
    let summary = std::fs::read_to_string(folder.join("SUMMARY.md")).unwrap();
    let listed: HashSet<&str> = summary.lines().flat_map(targets).collect();
    for page in pages().iter().filter(|page| page.parent() == Some(&folder)) {
        let name = page.file_name().unwrap().to_str().unwrap();
        assert!(name == "SUMMARY.md" || listed.contains(name), "{name} is not in the summary");
    }
}
