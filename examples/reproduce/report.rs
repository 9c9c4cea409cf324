//! The report of a paper: Markdown in a file, figures as SVG beside it.

use crate::claim::{self, Claim};
use mbd::error::{OptionError, StepError};
use mbd::plot::Figure;
use mbd::{Error, OutputError, RunError};
use std::fmt::{self, Display, Write};
use std::path::Path;

/// Why a reproduction stopped.
#[derive(Debug)]
pub enum Failure {
    /// A model, an option or a run that should have worked.
    Run(Error),
    /// A figure or the report could not be written.
    Write(OutputError),
    /// Reference data that is not as expected.
    Reference(String),
}

impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Run(error) => error.fmt(f),
            Failure::Write(error) => error.fmt(f),
            Failure::Reference(what) => write!(f, "tests/references: {what}"),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Run(error)
    }
}

impl From<RunError> for Failure {
    fn from(failed: RunError) -> Self {
        Failure::Run(failed.error)
    }
}

impl From<OptionError> for Failure {
    fn from(error: OptionError) -> Self {
        Failure::Run(error.into())
    }
}

impl From<StepError> for Failure {
    fn from(error: StepError) -> Self {
        Failure::Run(error.into())
    }
}

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Self {
        Failure::Write(error)
    }
}

/// A report in the making.
pub struct Report {
    /// The paper's number.
    pub number: &'static str,
    /// Its authors and title.
    pub title: &'static str,
    /// What is said, in order.
    pub blocks: Vec<Block>,
    /// What the paper says, held against it.
    pub claims: Vec<Claim>,
}

/// A piece of a report. Text is Markdown: `code`, **bold**, nothing else.
pub enum Block {
    /// A heading.
    Section(String),
    /// A paragraph.
    Text(String),
    /// A table: its head, and rows of as many cells.
    Table(Vec<String>, Vec<Vec<String>>),
    /// Figures side by side.
    Figures(Vec<Picture>),
}

/// A figure with the name of its file and what it shows.
pub struct Picture {
    /// Name of its file.
    pub file: String,
    /// What it shows.
    pub shows: String,
    /// The figure itself.
    pub svg: String,
}

impl Report {
    /// An empty report.
    pub fn new(number: &'static str, title: &'static str) -> Self {
        Report { number, title, blocks: Vec::new(), claims: Vec::new() }
    }

    /// A heading.
    pub fn section(&mut self, title: &str) {
        self.blocks.push(Block::Section(title.into()));
    }

    /// A paragraph.
    pub fn text(&mut self, text: impl Display) {
        self.blocks.push(Block::Text(text.to_string()));
    }

    /// A table: its head, and rows of as many cells.
    pub fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        let head = head.iter().map(|cell| cell.to_string()).collect();
        self.blocks.push(Block::Table(head, rows.to_vec()));
    }

    /// A figure, with what it shows; `name` is that of its file.
    pub fn figure(&mut self, name: &str, shows: &str, figure: &Figure) {
        self.figures(&[(name, shows, figure)]);
    }

    /// Figures side by side, each with the name of its file and what it shows.
    pub fn figures(&mut self, figures: &[(&str, &str, &Figure)]) {
        let pictures = figures.iter().map(|(name, shows, figure)| Picture {
            file: format!("{}_{name}.svg", self.number),
            shows: shows.to_string(),
            svg: figure.to_svg(),
        });
        self.blocks.push(Block::Figures(pictures.collect()));
    }

    /// What the paper says, held against what came out.
    pub fn claim(&mut self, claim: Claim) {
        self.claims.push(claim);
    }

    /// The report as Markdown.
    pub fn markdown(&self) -> String {
        let mut out = format!("# {}\n\n", self.title);
        let rows: Vec<Vec<String>> = self.claims.iter().map(Claim::row).collect();
        let _ = writeln!(out, "## What it says, and what came out\n");
        table(&mut out, &claim::HEAD, &rows);
        for block in &self.blocks {
            // Writing to a String cannot fail.
            let _ = match block {
                Block::Section(title) => writeln!(out, "## {title}\n"),
                Block::Text(text) => writeln!(out, "{text}\n"),
                Block::Table(head, rows) => {
                    table(&mut out, head, rows);
                    Ok(())
                }
                Block::Figures(pictures) => {
                    let image = |p: &Picture| format!("![{}]({})", p.shows, p.file);
                    if let [one] = &pictures[..] {
                        let _ = writeln!(out, "{}\n\n*{}*\n", image(one), one.shows);
                    } else {
                        let head: Vec<&str> = pictures.iter().map(|p| &*p.shows).collect();
                        table(&mut out, &head, &[pictures.iter().map(image).collect()]);
                    }
                    Ok(())
                }
            };
        }
        out
    }

    /// Writes the report and its figures into a folder.
    pub fn save(&self, folder: &Path) -> Result<(), Failure> {
        for block in &self.blocks {
            let Block::Figures(pictures) = block else { continue };
            for picture in pictures {
                write(&folder.join(&picture.file), &picture.svg)?;
            }
        }
        write(&folder.join(format!("{}.md", self.number)), &self.markdown())
    }
}

fn table(out: &mut String, head: &[impl AsRef<str>], rows: &[Vec<String>]) {
    let head: Vec<&str> = head.iter().map(AsRef::as_ref).collect();
    let _ = writeln!(out, "| {} |\n|{}", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        let _ = writeln!(out, "| {} |", row.join(" | "));
    }
    out.push('\n');
}

/// Writes a file, and the folders that lead to it.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new(""));
    std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, text)).map_err(|error| {
        let (path, reason) = (path.display().to_string(), error.to_string());
        Failure::Write(OutputError::Write { path, reason })
    })
}
