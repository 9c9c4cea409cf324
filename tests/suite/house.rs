//! The order of the house: no import runs up between rooms, and no circle ties files.
//!
//! The rooms of each crate stand in ARCHITECTURE.md, in tables whose first column names them, from the
//! ground up: a room may import those above it in its table, never those below. The imports are read from
//! the sources: every `use`, and every path in the code, followed through re-exports to the file in which
//! the name is defined. What is compiled for tests only is left out; of a method that a type has in another
//! file nothing is seen where it is called.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

/// The folders of the crates' sources, each with the heading of its table.
const CRATES: [(&str, &str); 3] = [
    ("mbd-core/src", "### `mbd-core/src`"),
    ("mbd-macros/src", "### `mbd-macros/src`"),
    ("src", "### `src`"),
];

#[test]
fn no_circle_ties_files() {
    let circles = CRATES.iter().flat_map(|(folder, _)| House::read(&root().join(folder)).circles());
    let circles: Vec<String> = circles.collect();
    assert!(circles.is_empty(), "{} circles\n{}", circles.len(), circles.join("\n"));
}

#[test]
fn no_import_runs_up() {
    for (folder, heading) in CRATES {
        let house = House::read(&root().join(folder));
        let rooms = rooms(heading);
        for room in &rooms {
            let there = house.files.iter().any(|file| is_in(file, room));
            assert!(there, "ARCHITECTURE.md names the room {folder}/{room}, which is not there");
        }
        let up = house.upward(&rooms);
        assert!(up.is_empty(), "{} imports run up in {folder}\n{}", up.len(), up.join("\n"));
    }
}

/// What the tests above would see.
#[test]
fn imports_are_seen() {
    let house = House::read(&root().join("mbd-core/src"));
    let arrows: Vec<String> = house.arrows.keys().map(|&arrow| house.arrow(arrow)).collect();
    assert!(arrows.len() > 500, "{}", arrows.len());
    // By the name of another room that hands it on, and by a path without a `use`.
    let has =
        |arrow: &str, name: &str| arrows.iter().any(|a| a.contains(arrow) && a.contains(name));
    assert!(has("integrate/scheme.rs → equation/layout.rs", "crate::assembly::Point"));
    assert!(has("verify/programs.rs → assembly/plan.rs", "crate::assembly::PlanBuilder"));
    assert!(!arrows.iter().any(|a| a.contains("tests.rs")), "{arrows:#?}");

    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("house");
    fs::create_dir_all(folder.join("low")).unwrap();
    let write = |file: &str, text: &str| fs::write(folder.join(file), text).unwrap();
    write("lib.rs", "mod high;\nmod low;\n");
    write("high.rs", "use crate::low::Word;\npub struct High(pub Word);\n");
    write("low/mod.rs", "mod word;\npub use word::Word;\n");
    write("low/word.rs", "pub struct Word;\n#[cfg(test)]\nuse crate::high::High;\n");
    let rooms = ["low".to_owned(), "high".to_owned()];
    let house = House::read(&folder);
    assert_eq!((house.circles().len(), house.upward(&rooms).len()), (0, 0));
    write(
        "low/word.rs",
        "pub struct Word;\nfn f() { let _: Option<&super::super::high::High>; }\n",
    );
    let house = House::read(&folder);
    assert_eq!((house.circles().len(), house.upward(&rooms).len()), (1, 1));
}

/// The rooms of the table under a heading of ARCHITECTURE.md, from the ground up.
fn rooms(heading: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let from = text.lines().skip_while(|line| *line != heading).skip(1);
    let rows =
        from.take_while(|line| !line.starts_with('#')).filter(|line| line.starts_with("| `"));
    rows.flat_map(|row| {
        let cell = row.split('|').nth(1).unwrap();
        cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()
    })
    .collect()
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// What a name stands for in a module.
#[derive(Clone, Debug)]
enum Meaning {
    Module(usize),
    /// Defined here.
    Item,
    /// Brought in by a `use`.
    Alias(Vec<String>),
}

#[derive(Default)]
struct Module {
    file: usize,
    parent: usize,
    names: HashMap<String, Vec<Meaning>>,
    globs: Vec<Vec<String>>,
    /// Paths that its code names.
    paths: BTreeSet<Vec<String>>,
}

/// The files of a crate, and which takes which names from which.
struct House {
    files: Vec<String>,
    modules: Vec<Module>,
    macros: HashMap<String, usize>,
    arrows: BTreeMap<(usize, usize), BTreeSet<String>>,
}

impl House {
    /// Reads the crate whose `lib.rs` is in a folder.
    fn read(base: &Path) -> House {
        let (files, modules, macros, arrows) = Default::default();
        let mut house = House { files, modules, macros, arrows };
        house.file(base, &base.join("lib.rs"), base, 0);
        for m in 0..house.modules.len() {
            for path in house.modules[m].paths.clone() {
                let mut found = Vec::new();
                house.follow(m, &path, 0, &mut found);
                if let [name, end] = &path[..]
                    && end == "!"
                {
                    found.extend(house.macros.get(name));
                }
                let from = house.modules[m].file;
                for to in found.into_iter().filter(|&to| to != from) {
                    house.arrows.entry((from, to)).or_default().insert(path.join("::"));
                }
            }
        }
        house
    }

    /// Reads the module in a file whose own modules are files of `folder`.
    fn file(&mut self, base: &Path, file: &Path, folder: &Path, parent: usize) -> usize {
        let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        self.files.push(file.strip_prefix(base).unwrap().to_str().unwrap().to_owned());
        let index = self.files.len() - 1;
        self.module(base, &without_tests(tokens(&text)), folder, index, parent)
    }

    fn module(
        &mut self,
        base: &Path,
        body: &[String],
        folder: &Path,
        file: usize,
        parent: usize,
    ) -> usize {
        let m = self.modules.len();
        self.modules.push(Module { file, parent, ..Default::default() });
        let at = |i: usize| body.get(i).map_or("", |t| t.as_str());
        let (mut i, mut depth) = (0, 0);
        let mut place = None;
        while i < body.len() {
            match at(i) {
                "#" if at(i + 1) == "[" && at(i + 2) == "path" => {
                    place = Some(at(i + 4).trim_matches('"').to_owned());
                    i += 5;
                }
                "{" => (depth, i) = (depth + 1, i + 1),
                "}" => (depth, i) = (depth - 1, i + 1),
                "mod" if depth == 0 && is_name(at(i + 1)) => {
                    let name = at(i + 1).to_owned();
                    let inner = folder.join(&name);
                    let child = if at(i + 2) == ";" {
                        let flat = folder.join(place.take().unwrap_or(format!("{name}.rs")));
                        let source = if flat.exists() { flat } else { inner.join("mod.rs") };
                        i += 3;
                        self.file(base, &source, &inner, m)
                    } else {
                        let end = closing(body, i + 2);
                        let child = self.module(base, &body[i + 3..end], &inner, file, m);
                        i = end + 1;
                        child
                    };
                    self.modules[m].names.entry(name).or_default().push(Meaning::Module(child));
                }
                "use" if at(i + 1) != "<" => {
                    let end = (i..).find(|&k| at(k) == ";").unwrap();
                    self.imports(m, &body[i + 1..end], &[]);
                    i = end + 1;
                }
                "macro_rules" => {
                    self.macros.insert(at(i + 2).to_owned(), file);
                    self.modules[m]
                        .names
                        .entry(at(i + 2).to_owned())
                        .or_default()
                        .push(Meaning::Item);
                    i += 3;
                }
                "struct" | "enum" | "union" | "trait" | "type" | "fn" | "const" | "static"
                    if depth == 0 && is_name(at(i + 1)) && at(i + 1) != "fn" =>
                {
                    self.modules[m]
                        .names
                        .entry(at(i + 1).to_owned())
                        .or_default()
                        .push(Meaning::Item);
                    i += 2;
                }
                name if is_name(name) => {
                    let mut path = vec![name.to_owned()];
                    let field = i > 0 && at(i - 1) == ".";
                    while at(i + 1) == "::" && is_name(at(i + 2)) {
                        path.push(at(i + 2).to_owned());
                        i += 2;
                    }
                    if at(i + 1) == "!" && at(i + 2) != "=" {
                        path.push("!".into());
                    }
                    if !field {
                        self.modules[m].paths.insert(path);
                    }
                    i += 1;
                }
                _ => i += 1,
            }
        }
        m
    }

    /// Takes in a tree of a `use`.
    fn imports(&mut self, m: usize, tree: &[String], before: &[String]) {
        let mut path = before.to_vec();
        let mut i = 0;
        while i < tree.len() {
            match tree[i].as_str() {
                "{" => {
                    let end = closing(tree, i);
                    let mut start = i + 1;
                    while start < end {
                        let mut k = start;
                        while k < end && tree[k] != "," {
                            k = if tree[k] == "{" { closing(tree, k) + 1 } else { k + 1 };
                        }
                        self.imports(m, &tree[start..k], &path);
                        start = k + 1;
                    }
                    return;
                }
                "*" => {
                    self.modules[m].globs.push(path);
                    return;
                }
                "as" => {
                    let name = tree[i + 1].clone();
                    self.modules[m].paths.insert(path.clone());
                    self.modules[m].names.entry(name).or_default().push(Meaning::Alias(path));
                    return;
                }
                "::" => {}
                "self" if !path.is_empty() => {}
                name => path.push(name.to_owned()),
            }
            i += 1;
        }
        if let Some(name) = path.last().cloned() {
            self.modules[m].paths.insert(path.clone());
            self.modules[m].names.entry(name).or_default().push(Meaning::Alias(path));
        }
    }

    /// The files in which a path read in a module ends.
    fn follow(&self, m: usize, path: &[String], deep: usize, found: &mut Vec<usize>) {
        let mut m = m;
        let mut rest = path;
        let mut rooted = false;
        while let Some(first) = rest.first() {
            match first.as_str() {
                "crate" => m = 0,
                "self" => {}
                "super" => m = self.modules[m].parent,
                _ => break,
            }
            rooted = true;
            rest = &rest[1..];
        }
        let Some((name, rest)) = rest.split_first() else { return };
        // A name alone is of this file, or was counted where it was brought in.
        if !rooted && rest.is_empty() && deep == 0 && self.modules[m].names.contains_key(name) {
            let aliases = &self.modules[m].names[name];
            // `use name;` of this scope, which is a path like any other.
            if !aliases.iter().any(|a| matches!(a, Meaning::Alias(p) if p == path)) {
                return;
            }
        }
        if deep > 20 {
            return;
        }
        let module = &self.modules[m];
        let meanings = module.names.get(name);
        for meaning in meanings.into_iter().flatten() {
            match meaning {
                Meaning::Item => found.push(module.file),
                Meaning::Module(child) if !rest.is_empty() => {
                    let path: Vec<String> =
                        ["self".to_owned()].iter().chain(rest).cloned().collect();
                    self.follow(*child, &path, deep + 1, found);
                }
                Meaning::Module(_) => {}
                Meaning::Alias(alias) if alias[0] != *name => {
                    let path: Vec<String> = alias.iter().chain(rest).cloned().collect();
                    self.follow(m, &path, deep + 1, found);
                }
                Meaning::Alias(_) => {}
            }
        }
        if meanings.is_none() {
            for glob in &module.globs {
                let path: Vec<String> = glob.iter().chain([name]).chain(rest).cloned().collect();
                if glob[0] != *name {
                    self.follow(m, &path, deep + 1, found);
                }
            }
        }
    }

    fn arrow(&self, (from, to): (usize, usize)) -> String {
        let names: Vec<&str> = self.arrows[&(from, to)].iter().map(String::as_str).collect();
        format!("  {} → {}: {}", self.files[from], self.files[to], names.join(", "))
    }

    /// The circles of files, each with its arrows.
    fn circles(&self) -> Vec<String> {
        let n = self.files.len();
        let mut reach = vec![vec![false; n]; n];
        self.arrows.keys().for_each(|&(a, b)| reach[a][b] = true);
        for k in 0..n {
            for a in 0..n {
                if reach[a][k] {
                    (0..n).for_each(|b| reach[a][b] |= reach[k][b]);
                }
            }
        }
        let together = |a: usize, b: usize| reach[a][b] && reach[b][a];
        let first = (0..n).filter(|&a| reach[a][a] && !(0..a).any(|b| together(a, b)));
        first
            .map(|a| {
                let tied = self.arrows.keys().filter(|&&(b, c)| together(a, b) && together(a, c));
                let arrows: Vec<String> = tied.map(|&arrow| self.arrow(arrow)).collect();
                format!("circle:\n{}", arrows.join("\n"))
            })
            .collect()
    }

    /// The arrows from a room to one behind it.
    fn upward(&self, rooms: &[String]) -> Vec<String> {
        let room = |file: &str| -> usize {
            let found = rooms.iter().position(|room| is_in(file, room));
            found.unwrap_or_else(|| panic!("{file} is in no room of ARCHITECTURE.md"))
        };
        let up = self.arrows.keys().filter(|&&(a, b)| {
            self.files[a] != "lib.rs" && room(&self.files[a]) < room(&self.files[b])
        });
        up.map(|&arrow| self.arrow(arrow)).collect()
    }
}

/// Whether a file, by its path in the sources, is in a room.
fn is_in(file: &str, room: &str) -> bool {
    let rest = file.strip_prefix(room);
    rest.is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

/// Where the bracket that opens at `open` closes.
fn closing(tokens: &[String], open: usize) -> usize {
    let mut depth = 0;
    for (k, token) in tokens.iter().enumerate().skip(open) {
        match token.as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return k;
        }
    }
    panic!("{open} does not close: {:?}", &tokens[open..(open + 20).min(tokens.len())]);
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Leaves out what is compiled for tests only.
fn without_tests(tokens: Vec<String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        if tokens[i] == "#" && tokens.get(i + 1).is_some_and(|t| t == "[") {
            let end = closing(&tokens, i + 1);
            let inside = &tokens[i + 2..end];
            let has = |word: &str| inside.iter().any(|t| t == word);
            if inside[0] == "cfg" && has("test") && !has("not") {
                i = end + 1;
                while tokens[i] == "#" {
                    i = closing(&tokens, i + 1) + 1;
                }
                let head = tokens[i..].iter().take_while(|t| *t != ";" && *t != "{");
                let imports = head.clone().any(|t| t == "use");
                while tokens[i] != ";" && (imports || tokens[i] != "{") {
                    i += 1;
                }
                i = if tokens[i] == "{" { closing(&tokens, i) + 1 } else { i + 1 };
                continue;
            }
        }
        kept.push(tokens[i].clone());
        i += 1;
    }
    kept
}

/// The tokens of a source: names, `::`, texts, and other characters one by one; no comments, no lifetimes.
fn tokens(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let mut tokens = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let c = at(i);
        let start = i;
        if c == '/' && at(i + 1) == '/' {
            while i < chars.len() && at(i) != '\n' {
                i += 1;
            }
        } else if c == '/' && at(i + 1) == '*' {
            let mut depth = 1;
            i += 2;
            while depth > 0 {
                match (at(i), at(i + 1)) {
                    ('*', '/') => (depth, i) = (depth - 1, i + 2),
                    ('/', '*') => (depth, i) = (depth + 1, i + 2),
                    _ => i += 1,
                }
            }
        } else if c == '\'' {
            // A character, or a lifetime.
            if at(i + 1) == '\\' {
                i += 3;
                while at(i) != '\'' {
                    i += 1;
                }
                i += 1;
            } else if at(i + 2) == '\'' {
                i += 3;
            } else {
                i += 1;
                while at(i).is_alphanumeric() || at(i) == '_' {
                    i += 1;
                }
            }
        } else if c == '"' {
            i += 1;
            while at(i) != '"' {
                i += if at(i) == '\\' { 2 } else { 1 };
            }
            i += 1;
            tokens.push(chars[start..i].iter().collect());
        } else if c.is_alphanumeric() || c == '_' {
            while at(i).is_alphanumeric() || at(i) == '_' {
                i += 1;
            }
            let word: String = chars[start..i].iter().collect();
            let hashes = (i..).take_while(|&k| at(k) == '#').count();
            if ["r", "br", "cr"].contains(&word.as_str()) && at(i + hashes) == '"' {
                let end: Vec<char> = std::iter::once('"').chain(vec!['#'; hashes]).collect();
                i += hashes + 1;
                while chars[i..i + end.len()] != end[..] {
                    i += 1;
                }
                i += end.len();
            } else if word == "r" && hashes == 1 {
                i += 1;
            } else if !["b", "c"].contains(&word.as_str()) || !['"', '\''].contains(&at(i)) {
                tokens.push(word);
            }
        } else if c == ':' && at(i + 1) == ':' {
            tokens.push("::".into());
            i += 2;
        } else {
            if !c.is_whitespace() {
                tokens.push(c.into());
            }
            i += 1;
        }
    }
    tokens
}
