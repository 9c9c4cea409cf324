//! The report of a paper: Markdown on standard output and in a file, figures as SVG beside it.

use mbd::error::{OptionError, StepError};
use mbd::plot::Figure;
use mbd::{Error, OutputError, RunError};
use std::fmt::{self, Display, Write};
use std::path::PathBuf;

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
    folder: PathBuf,
    number: &'static str,
    text: String,
}

impl Report {
    /// An empty report, which will be written to `folder/number.md`.
    pub fn new(folder: &str, number: &'static str, title: &str) -> Self {
        let mut report = Report { folder: folder.into(), number, text: String::new() };
        report.line(format_args!("# {title}\n"));
        report
    }

    fn line(&mut self, line: fmt::Arguments<'_>) {
        println!("{line}");
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{line}");
    }

    /// A heading.
    pub fn section(&mut self, title: &str) {
        self.line(format_args!("## {title}\n"));
    }

    /// A paragraph.
    pub fn text(&mut self, text: impl Display) {
        self.line(format_args!("{text}\n"));
    }

    /// A table: its head, and rows of as many cells.
    pub fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        self.line(format_args!("| {} |", head.join(" | ")));
        self.line(format_args!("|{}", "---|".repeat(head.len())));
        for row in rows {
            self.line(format_args!("| {} |", row.join(" | ")));
        }
        self.line(format_args!(""));
    }

    /// A figure, with what it shows; `name` is that of its file.
    pub fn figure(&mut self, name: &str, shows: &str, figure: &Figure) -> Result<(), Failure> {
        let file = self.save(name, figure)?;
        self.line(format_args!("![{shows}]({file})\n\n*{shows}*\n"));
        Ok(())
    }

    /// Figures side by side, each with the name of its file and what it shows.
    pub fn figures(&mut self, figures: &[(&str, &str, &Figure)]) -> Result<(), Failure> {
        let (mut pictures, mut captions) = (Vec::new(), Vec::new());
        for (name, shows, figure) in figures {
            pictures.push(format!("![{shows}]({})", self.save(name, figure)?));
            captions.push(shows.to_string());
        }
        let captions: Vec<&str> = captions.iter().map(|c| &**c).collect();
        self.table(&captions, &[pictures]);
        Ok(())
    }

    fn save(&self, name: &str, figure: &Figure) -> Result<String, Failure> {
        let file = format!("{}_{name}.svg", self.number);
        self.write(&file, &figure.to_svg())?;
        Ok(file)
    }

    /// Writes the report's file.
    pub fn finish(self) -> Result<(), Failure> {
        let file = format!("{}.md", self.number);
        self.write(&file, &self.text)?;
        eprintln!("written: {} and its figures", self.folder.join(file).display());
        Ok(())
    }

    fn write(&self, file: &str, text: &str) -> Result<(), Failure> {
        let path = self.folder.join(file);
        std::fs::create_dir_all(&self.folder).and_then(|()| std::fs::write(&path, text)).map_err(
            |error| {
                let (path, reason) = (path.display().to_string(), error.to_string());
                Failure::Write(OutputError::Write { path, reason })
            },
        )
    }
}
