//! The chapters, followed to the letter in an empty folder: files are written as they stand there, changes made,
//! commands run in their order, and what they print is held against what the chapter shows.
//!
//! | in a chapter | is done |
//! |---|---|
//! | `<!-- file: PATH -->` before a block | the block becomes this file |
//! | a block of `diff` | each run of lines with `-` in `src/main.rs` becomes those with `+` |
//! | a block of `sh` | its lines are run; `# exit code N` says how one ends, 0 unless it says so |
//! | a block of `text` after it | its lines are among those printed, digits apart |
//!
//! Every page with such commands is followed. Of commands within a line of text those for the crate at hand are run where they
//! stand, those of examples for an instant of their time, and of those that take minutes, benches and tests, it is held that
//! what they name is there.
//!
//! With `--release` left out, so that the library is compiled as it is for other tests.

use crate::crates::{Folder, call, example};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs all commands of a chapter.
fn follow(chapter: &str) {
    let text = page(&format!("docs/book/src/{chapter}"));
    let folder = Folder::new(chapter);
    // Where the library's folder would be; what is made beside it is in the same folder.
    let library = folder.path().join("mbd");
    std::fs::create_dir(&library).unwrap();
    let mut reader =
        Reader { library: library.clone(), at: library, printed: String::new(), drawn: None };
    let (mut lines, mut file) = (text.lines(), None);
    let (mut commands, mut ran) = (0, false);
    while let Some(line) = lines.next() {
        if let Some(rest) = line.strip_prefix("<!-- file: ") {
            file = Some(rest.trim_end_matches(" -->"));
        }
        let Some(kind) = line.strip_prefix("```") else {
            for command in
                within(line).filter(|command| OWN.iter().any(|own| command.starts_with(own)))
            {
                let at = reader.at.clone();
                if command.starts_with(TOOL) {
                    reader.at = reader.library.canonicalize().unwrap();
                }
                // What reads a manual page is not everywhere.
                reader.run(command.split(" | ").next().unwrap());
                reader.at = at;
                commands += 1;
            }
            reader.look(line, &folder_of(chapter));
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        match (file.take(), kind) {
            (Some(file), _) => reader.write(file, &(block.join("\n") + "\n")),
            (None, "diff") => reader.change(&block),
            (None, "sh") => {
                reader.printed.clear();
                block.iter().for_each(|command| reader.run(command));
                commands += block.len();
            }
            (None, "text") if ran => reader.compare(&block),
            _ => {}
        }
        ran = kind == "sh" || (ran && kind == "text");
    }
    assert!(commands > 0, "{chapter} has no commands");
}

/// Commands that do something in the crate that a chapter has made, or make one.
const OWN: [&str; 2] = ["cargo run --release -- ", TOOL];
const TOOL: &str = "cargo run --release --bin mbd -- new ../";

/// What stands in backticks.
fn within(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Where a chapter stands.
fn folder_of(chapter: &str) -> PathBuf {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/book/src");
    Path::new(chapter).parent().map_or(book.clone(), |folder| book.join(folder))
}

fn page(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// All pages, by their paths.
fn pages() -> Vec<String> {
    let mut pages = vec!["README.md".to_string()];
    for folder in ["docs/book/src", "docs/book/src/reproduce"] {
        let all = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
        let names = all.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        pages.extend(names.filter(|n| n.ends_with(".md")).map(|name| format!("{folder}/{name}")));
    }
    pages
}

struct Reader {
    library: PathBuf,
    /// Where the next command is run.
    at: PathBuf,
    /// What the last block of commands printed.
    printed: String,
    /// What the last command with a plot has drawn, until a figure was held against it.
    drawn: Option<PathBuf>,
}

impl Reader {
    /// A figure is what the command before it has drawn.
    fn look(&mut self, line: &str, folder: &Path) {
        if line.starts_with('#') {
            self.drawn = None;
        }
        let figure =
            line.strip_prefix("![").and_then(|rest| rest.split_once("](")?.1.strip_suffix(')'));
        if let Some(figure) = figure.filter(|figure| figure.ends_with(".svg"))
            && let Some(drawn) = self.drawn.take()
        {
            crate::figures::same(&folder.join(figure), &drawn);
        }
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.at.join(file), text).unwrap();
    }

    fn change(&self, block: &[&str]) {
        let file = self.at.join("src/main.rs");
        let mut text = std::fs::read_to_string(&file).unwrap();
        let mut rest = block;
        while !rest.is_empty() {
            let lines = |sign: char, from: &[&str]| {
                let found: Vec<String> = from
                    .iter()
                    .map_while(|l| l.strip_prefix(sign))
                    .map(|l| format!("{l}\n"))
                    .collect();
                (found.len(), found.concat())
            };
            let (removed, old) = lines('-', rest);
            let (added, new) = lines('+', &rest[removed..]);
            assert!(removed > 0, "a change begins with what is removed: {}", rest[0]);
            assert_eq!(text.matches(&old).count(), 1, "stands once in the file: {old}");
            text = text.replace(&old, &new);
            rest = &rest[removed + added..];
        }
        std::fs::write(file, text).unwrap();
    }

    fn run(&mut self, line: &str) {
        let (command, comment) = line.split_once(" # ").unwrap_or((line, ""));
        let expected = comment.trim().strip_prefix("exit code ").map_or(0, |n| n.parse().unwrap());
        let words = words(command);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = match &words[..] {
            [] => return,
            ["cd", folder] => {
                self.at = self.at.join(folder).canonicalize().unwrap();
                return;
            }
            ["cargo", "run", "--release", "--bin", "mbd", "--", args @ ..] => {
                self.in_library(env!("CARGO_BIN_EXE_mbd").as_ref(), args)
            }
            ["cargo", "run", "--release", "--example", name, "--", args @ ..] => {
                self.in_library(&example(name), args)
            }
            ["cargo", args @ ..] => {
                let args: Vec<&str> =
                    args.iter().copied().filter(|arg| *arg != "--release").collect();
                call(&self.at, &args)
            }
            _ => panic!("no test can run `{line}`"),
        };
        let text = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        if std::env::var_os("MBD_BOOK_SHOWS").is_some() {
            println!("$ {line}\n{text}");
        }
        assert_eq!(output.status.code(), Some(expected), "{line}\n{text}");
        self.printed += &text;
        let plot = words.iter().position(|word| *word == "--plot").and_then(|at| words.get(at + 1));
        if let Some(plot) = plot.filter(|path| path.ends_with(".svg")) {
            self.drawn = Some(self.at.join(plot));
        }
    }

    /// A program that is called in the folder of the library.
    fn in_library(&self, program: &Path, args: &[&str]) -> Output {
        assert_eq!(self.at, self.library.canonicalize().unwrap(), "{}", program.display());
        Command::new(program).current_dir(&self.at).args(args).output().unwrap()
    }

    fn compare(&self, block: &[&str]) {
        let printed: Vec<String> = self.printed.lines().map(without_digits).collect();
        for line in block {
            let line = without_digits(line);
            assert!(printed.contains(&line), "`{line}` is not in\n{}", self.printed);
        }
    }
}

/// The words of a command; those in quotes are one.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut quoted, mut word) = (Vec::new(), false, String::new());
    for c in command.chars() {
        match c {
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// A line with every number in it as `#`: times differ from machine to machine, last digits by the compiler.
fn without_digits(line: &str) -> String {
    let mut out = String::new();
    let mut number = false;
    let mut before = ' ';
    for c in line.trim_end().chars() {
        let digit = c.is_ascii_digit();
        let within = number
            && (c == '.' || (c == 'e' && before.is_ascii_digit()) || (c == '-' && before == 'e'));
        if digit && !number {
            out.push('#');
        } else if !digit && !within {
            out.push(c);
        }
        number = digit || within;
        before = c;
    }
    out
}

#[test]
fn numbers_are_left_out_of_lines() {
    for (line, expected) in [
        ("error 6e-11 in x2", "error # in x#"),
        ("t = 0.483334 s in 3.6 ms", "t = # s in # ms"),
        ("-1.5, 0.0e0", "-#, #"),
    ] {
        assert_eq!(without_digits(line), expected);
    }
}

/// The pages of the book whose commands are run, each by a test of its own, as they are long.
const FOLLOWED: [&str; 8] = [
    "engineer.md",
    "programmer.md",
    "analyst.md",
    "gallery.md",
    "papers.md",
    "animation.md",
    "driving.md",
    "results.md",
];

#[test]
fn the_engineer_gets_there() {
    follow("engineer.md");
}

#[test]
fn the_programmer_gets_there() {
    follow("programmer.md");
}

#[test]
fn the_analyst_gets_there() {
    follow("analyst.md");
}

#[test]
fn the_gallery_is_as_it_says() {
    follow("gallery.md");
}

#[test]
fn papers_are_reproduced_as_their_page_says() {
    follow("papers.md");
}

#[test]
fn animations_are_as_their_page_says() {
    follow("animation.md");
}

#[test]
fn a_controller_outside_is_shown_as_its_page_says() {
    follow("driving.md");
}

#[test]
fn results_are_written_as_their_page_says() {
    follow("results.md");
}

#[test]
fn no_page_with_commands_is_left_out() {
    for path in pages() {
        let followed = FOLLOWED.iter().any(|name| path.ends_with(&format!("src/{name}")));
        let has = page(&path).lines().any(|line| line == "```sh");
        assert_eq!(has, followed || path == "README.md", "{path}");
    }
}

/// The README's commands, those of `MODEL` by the model that it shows. `cargo test` is what runs this.
#[test]
fn the_readme_does_what_it_says() {
    let text = page("README.md");
    let folder = Folder::new("readme");
    let library = folder.path().to_path_buf();
    let mut reader =
        Reader { library: library.clone(), at: library, printed: String::new(), drawn: None };
    let mut ran = 0;
    for line in text.lines() {
        let model = "cargo run --release --example slider_crank --";
        let command = match line.strip_prefix("MODEL ") {
            Some(rest) => {
                // What stands behind two spaces says what it does.
                let command = rest.split("  ").next().unwrap().trim();
                format!("{model} {}", command.split(" | ").next().unwrap())
            }
            None if line.starts_with("cargo run ") => line.to_string(),
            None => {
                reader.look(line, Path::new(env!("CARGO_MANIFEST_DIR")));
                continue;
            }
        };
        reader.run(&command);
        ran += 1;
    }
    assert!(ran > 9, "{ran} commands of the README were found");
}

/// The moving pictures of the README are of the models that stand before them.
#[test]
fn pictures_of_the_readme_are_of_its_models() {
    let text = page("README.md");
    let folder = Folder::new("readme-models");
    for (model, picture) in
        [("SliderCrank", "slider_crank_moving.svg"), ("Press", "press_moving.svg")]
    {
        let block =
            text.split("```rust\n").find(|part| part.contains(&format!("mechanism {model} ")));
        let block =
            block.and_then(|part| part.split("```").next()).expect("the model stands there");
        let main_call = format!("mbd::main!({model});");
        let main = if block.contains(&main_call) {
            block.to_string()
        } else {
            format!("{block}\n{main_call}\n")
        };
        let at = folder.path().join(model.to_lowercase());
        let made = Command::new(env!("CARGO_BIN_EXE_mbd")).arg("new").arg(&at).status();
        assert!(made.unwrap().success());
        std::fs::write(at.join("src/main.rs"), main).unwrap();
        let output = call(&at, &["run", "--", "simulate", "--quiet", "--animate", picture]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        crate::figures::same(&folder_of("").join(picture), &at.join(picture));
    }
}

/// Commands within lines name examples, benches and tests that there are.
#[test]
fn commands_within_lines_name_what_there_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seen = 0;
    for path in pages() {
        let text = page(&path);
        for command in within(&text).filter(|code| code.starts_with("cargo ")) {
            let words = words(command);
            let named = |option: &str| {
                let at = words.iter().position(|word| word == option)?;
                words.get(at + 1).cloned()
            };
            for (option, folder) in
                [("--example", "examples"), ("--bench", "benches"), ("--test", "tests")]
            {
                let Some(name) = named(option) else { continue };
                let there = root.join(folder).join(format!("{name}.rs")).exists()
                    || root.join(folder).join(&name).join("main.rs").exists();
                assert!(there, "{path}: `{command}`");
                seen += 1;
            }
        }
    }
    assert!(seen > 30, "{seen} commands were found");
}

/// Commands of examples within lines, which take minutes as they stand, run for an instant of the motion.
#[test]
fn commands_of_examples_within_lines_are_run() {
    let folder = Folder::new("within-lines");
    let library = folder.path().to_path_buf();
    let mut reader =
        Reader { library: library.clone(), at: library, printed: String::new(), drawn: None };
    let mut ran = 0;
    for path in pages() {
        let text = page(&path);
        for command in within(&text) {
            let of_example = command.starts_with("cargo run --release --example ");
            if !of_example || command.contains("--example reproduce") || !command.contains(" -- ") {
                continue;
            }
            let (mut words, mut short) = (Vec::new(), false);
            for word in command.split_whitespace() {
                words.push(match (std::mem::take(&mut short), word) {
                    (true, _) => "1e-4",
                    (false, "n=100000") => "n=1000",
                    (false, word) => word,
                });
                short = word == "--t-end";
            }
            if !words.contains(&"--t-end") {
                words.extend(["--t-end", "1e-4"]);
            }
            reader.run(&words.join(" "));
            ran += 1;
        }
    }
    assert!(ran > 8, "{ran} commands were found");
}
