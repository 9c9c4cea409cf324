//! `mbd new`: a crate with a mechanism in it, which builds and runs as it is.

use super::super::Exit;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The model that a new crate begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Template {
    /// Bodies and joints in the plane.
    #[default]
    Planar,
    /// Bodies and joints in space.
    Spatial,
    /// Coordinates chosen by hand.
    Coordinates,
}

impl Template {
    pub(super) const ALL: [Template; 3] =
        [Template::Planar, Template::Spatial, Template::Coordinates];

    pub(super) fn option(self) -> &'static str {
        match self {
            Template::Planar => "--planar",
            Template::Spatial => "--spatial",
            Template::Coordinates => "--coordinates",
        }
    }

    pub(super) fn what(self) -> &'static str {
        match self {
            Template::Planar => "a slider-crank made of planar bodies and joints",
            Template::Spatial => "a spatial slider-crank made of bodies and joints",
            Template::Coordinates => "a slider-crank in coordinates chosen by hand",
        }
    }

    fn main(self) -> &'static str {
        match self {
            Template::Planar => include_str!("templates/planar.rs.in"),
            Template::Spatial => include_str!("templates/spatial.rs.in"),
            Template::Coordinates => include_str!("templates/coordinates.rs.in"),
        }
    }
}

/// What to make.
pub(super) struct Request {
    pub(super) folder: PathBuf,
    pub(super) template: Template,
    /// Where the library's source is; `None` is where this program was built.
    pub(super) library: Option<PathBuf>,
    /// Compile into the folder itself.
    pub(super) own_target: bool,
}

/// What was made.
pub(super) struct Made {
    /// Name of the crate.
    pub(super) name: String,
}

/// Why no crate was made. Nothing is left behind.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum NewError {
    /// The folder's name cannot be the name of a crate.
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The folder is there, with something in it.
    Exists {
        /// The folder.
        folder: PathBuf,
    },
    /// The library's source is not where it was said, or supposed, to be.
    NoLibrary {
        /// The folder looked at.
        folder: PathBuf,
        /// Whether it was named on the command line.
        named: bool,
    },
    /// A path that cannot be written into a file of TOML, since it is not Unicode.
    NotUnicode {
        /// The path, with what is not Unicode replaced.
        path: String,
    },
    /// A file could not be written.
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
}

impl NewError {
    /// The exit code of the program that ends by it.
    pub fn exit(&self) -> Exit {
        match self {
            NewError::Name { .. } => Exit::Usage,
            _ => Exit::InputOutput,
        }
    }
}

impl fmt::Display for NewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NewError::Name { name, reason } => {
                write!(f, "`{name}` cannot be the name of a crate: {reason}")
            }
            NewError::Exists { folder } => write!(
                f,
                "`{0}` is there already and is not empty: give another folder, or remove it",
                folder.display()
            ),
            NewError::NoLibrary { folder, named: true } => write!(
                f,
                "--library: `{}` is not the source of `mbd-dynamics` (there is no Cargo.toml of it)",
                folder.display()
            ),
            NewError::NoLibrary { folder, named: false } => write!(
                f,
                "the library's source, from which this program was built, is no longer in `{}`: say \
                 where it is with --library FOLDER",
                folder.display()
            ),
            NewError::NotUnicode { path } => {
                write!(
                    f,
                    "`{path}` is not written in Unicode, as Cargo.toml has to be: use another"
                )
            }
            NewError::Write { path, reason } => {
                write!(f, "cannot write `{}`: {reason}", path.display())
            }
        }
    }
}

impl std::error::Error for NewError {}

/// Makes the crate.
pub(super) fn make(request: &Request) -> Result<Made, NewError> {
    let folder = &request.folder;
    let name = crate_name(folder)?;
    let library = library(request.library.as_deref())?;
    let files = files(request, &name, &library)?;
    let existed = folder.is_dir();
    if existed || folder.symlink_metadata().is_ok() {
        let empty = std::fs::read_dir(folder).is_ok_and(|mut inside| inside.next().is_none());
        if !empty {
            return Err(NewError::Exists { folder: folder.clone() });
        }
    }
    let written = write_all(folder, &files);
    if written.is_err() {
        // What is there is ours: the folder was empty, or not there at all.
        for (path, _) in &files {
            let _ = std::fs::remove_file(folder.join(path));
        }
        for path in [folder.join("src"), folder.join(".cargo")] {
            let _ = std::fs::remove_dir(path);
        }
        if !existed {
            let _ = std::fs::remove_dir(folder);
        }
    }
    written.map(|()| Made { name })
}

fn write_all(folder: &Path, files: &[(&str, String)]) -> Result<(), NewError> {
    let failed = |path: &Path| {
        let path = path.to_path_buf();
        move |error: io::Error| NewError::Write { path, reason: error.to_string() }
    };
    for (name, text) in files {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(failed(parent))?;
        std::fs::write(&path, text).map_err(failed(&path))?;
    }
    Ok(())
}

/// The name of the crate: that of the folder.
fn crate_name(folder: &Path) -> Result<String, NewError> {
    // `.` and `..` have no name of their own.
    let whole = match folder.file_name() {
        Some(_) => None,
        None => folder.canonicalize().ok(),
    };
    let name = whole.as_deref().unwrap_or(folder).file_name().unwrap_or_default();
    let name = name.to_string_lossy().into_owned();
    match unfit(&name) {
        None => Ok(name),
        Some(reason) => Err(NewError::Name { name, reason }),
    }
}

/// Words of Rust, which no crate may be called by.
const KEYWORDS: [&str; 52] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];
/// Crates that every other one has, and ours.
const TAKEN: [&str; 9] =
    ["test", "core", "std", "alloc", "proc_macro", "mbd", "mbd_core", "mbd_macros", "mbd_dynamics"];
/// Folders that Cargo makes where it compiles.
const FOLDERS: [&str; 4] = ["deps", "examples", "build", "incremental"];
/// Names that files cannot have on Windows.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Why a crate cannot be called so.
fn unfit(name: &str) -> Option<String> {
    let plain = name.replace('-', "_").to_lowercase();
    let odd = name.chars().find(|c| !(c.is_ascii_alphanumeric() || "-_".contains(*c)));
    let first = name.chars().next();
    let numbered = |word: &str| {
        plain.strip_prefix(word).is_some_and(|rest| matches!(rest.as_bytes(), [b'1'..=b'9']))
    };
    if name.is_empty() {
        Some("it is empty".into())
    } else if let Some(odd) = odd {
        let fit: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let hint = match unfit(&fit) {
            None => format!("; `{fit}` would do"),
            Some(_) => String::new(),
        };
        Some(format!(
            "it has {odd:?} in it, and may have letters, digits, `-` and `_` of ASCII{hint}"
        ))
    } else if !first.is_some_and(|c| c.is_ascii_alphabetic()) {
        Some(format!(
            "it has to begin with a letter; `model_{}` would do",
            name.trim_start_matches(['-', '_'])
        ))
    } else if KEYWORDS.contains(&plain.as_str()) {
        Some(format!("`{plain}` is a word of Rust; `{plain}_model` would do"))
    } else if TAKEN.contains(&plain.as_str()) {
        Some(format!("a crate of this name is a part of every model; `{plain}_model` would do"))
    } else if FOLDERS.contains(&plain.as_str()) {
        Some(format!("Cargo keeps files of its own under `{plain}`; `{plain}_model` would do"))
    } else if DEVICES.contains(&plain.as_str()) || numbered("com") || numbered("lpt") {
        Some(format!("Windows has no files of this name; `{plain}_model` would do"))
    } else {
        None
    }
}

/// Names that the model's file uses for something else.
const USED: [&str; 28] = [
    "Box",
    "Check",
    "CheckOptions",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Drop",
    "Err",
    "Error",
    "Fn",
    "HhtI3",
    "Mechanism",
    "Method",
    "None",
    "Num",
    "Ok",
    "Option",
    "Result",
    "Scalar",
    "Self",
    "Simulation",
    "Solution",
    "SolutionExt",
    "Some",
    "Step",
    "String",
    "Vec",
];

/// The mechanism's name: the crate's, in capitals of Rust's types.
fn type_name(name: &str) -> String {
    let words = name.split(['-', '_']).filter(|word| !word.is_empty());
    let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    let name: String = words.map(capital).collect();
    if USED.contains(&name.as_str()) { name + "Model" } else { name }
}

/// Where the library is: a folder, whose Cargo.toml is read to be sure.
fn library(named: Option<&Path>) -> Result<PathBuf, NewError> {
    let folder = named.unwrap_or(Path::new(env!("CARGO_MANIFEST_DIR")));
    let is_ours = std::fs::read_to_string(folder.join("Cargo.toml"))
        .is_ok_and(|text| text.lines().any(|line| line.trim() == "name = \"mbd-dynamics\""));
    match folder.canonicalize() {
        Ok(whole) if is_ours => Ok(whole),
        _ => Err(NewError::NoLibrary { folder: folder.to_path_buf(), named: named.is_some() }),
    }
}

/// Where this program was compiled to, if that is a folder of Cargo's.
fn target() -> Option<PathBuf> {
    let target = std::env::current_exe().ok()?.parent()?.parent()?.to_path_buf();
    target.join("CACHEDIR.TAG").is_file().then_some(target)
}

/// A path as a string of TOML.
fn toml(path: &Path) -> Result<String, NewError> {
    let Some(text) = path.to_str() else {
        return Err(NewError::NotUnicode { path: path.to_string_lossy().into_owned() });
    };
    // What Windows calls an absolute path is none to Cargo.
    let text = text.strip_prefix(r"\\?\").unwrap_or(text);
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' | '\\' => format!("\\{c}"),
            c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
            c => c.to_string(),
        })
        .collect();
    Ok(format!("\"{escaped}\""))
}

/// The files of the crate, by their paths.
fn files(
    request: &Request,
    name: &str,
    library: &Path,
) -> Result<Vec<(&'static str, String)>, NewError> {
    let at = toml(library)?;
    let fill = |text: &str| {
        text.replace("{{name}}", name)
            .replace("{{Name}}", &type_name(name))
            .replace("{{library}}", &at)
            .replace("{{version}}", env!("CARGO_PKG_VERSION"))
    };
    let mut files = vec![
        ("Cargo.toml", fill(include_str!("templates/Cargo.toml.in"))),
        ("README.md", fill(include_str!("templates/README.md.in"))),
        (".gitignore", "/target/\n*.csv\n*.csv.part\n*.html\n*.svg\n".to_string()),
        ("src/main.rs", fill(request.template.main())),
    ];
    // The versions that the library was built with, which are on this machine, so that nothing has to
    // be fetched. What the crate does not use of them Cargo takes out, and puts the crate in.
    if let Ok(lock) = std::fs::read_to_string(library.join("Cargo.lock")) {
        files.push(("Cargo.lock", lock));
    }
    if let (false, None, Some(target)) = (request.own_target, &request.library, target()) {
        let target = toml(&target)?;
        let text = fill(include_str!("templates/config.toml.in")).replace("{{target}}", &target);
        files.push((".cargo/config.toml", text));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_crates_are_those_that_cargo_takes() {
        for name in ["crank", "slider-crank", "a", "four_bar2", "Press", "comma", "com10"] {
            assert_eq!(unfit(name), None, "{name}");
        }
        for (name, part) in [
            ("", "it is empty"),
            ("my crank", "it has ' ' in it"),
            ("my crank", "`my_crank` would do"),
            ("kurbel.2", "'.' in it"),
            ("größe", "'ö' in it"),
            ("2link", "`model_2link` would do"),
            ("-x", "`model_x` would do"),
            ("fn", "a word of Rust; `fn_model` would do"),
            ("gen", "a word of Rust"),
            ("Self", "a word of Rust"),
            ("core", "a part of every model"),
            ("mbd", "a part of every model"),
            ("mbd-core", "a part of every model"),
            ("proc-macro", "a part of every model"),
            ("deps", "Cargo keeps files"),
            ("Nul", "Windows"),
            ("com1", "Windows"),
        ] {
            let reason = unfit(name).unwrap_or_else(|| panic!("{name} passes"));
            assert!(reason.contains(part), "{name}: {reason}");
        }
        // What is proposed passes.
        for name in KEYWORDS.iter().chain(&TAKEN).chain(&FOLDERS).chain(&DEVICES) {
            assert_eq!(unfit(&format!("{name}_model")), None);
        }
    }

    #[test]
    fn types_are_named_after_the_crate_and_nothing_else() {
        for (name, expected) in [
            ("crank", "Crank"),
            ("slider-crank", "SliderCrank"),
            ("four_bar2", "FourBar2"),
            ("step", "StepModel"),
            ("result", "ResultModel"),
            ("a_-b", "AB"),
        ] {
            assert_eq!(type_name(name), expected);
        }
    }

    #[test]
    fn paths_are_quoted_as_toml_wants_them() {
        for (path, expected) in
            [("/a b/c", r#""/a b/c""#), (r#"/a"b\c"#, r#""/a\"b\\c""#), ("/a\tb", r#""/a\u0009b""#)]
        {
            assert_eq!(toml(Path::new(path)).unwrap(), expected);
        }
    }
}
