//! The tables and figures of the five papers, printed beside ours.
//!
//! ```text
//! cargo run --release --example reproduce -- 000
//! cargo run --release --example reproduce -- 001 --out reproduce
//! ```
//!
//! A paper is named by the first three digits its text has in the project's list: 000 the DAE
//! α-method, 001 generalized-α-SOI2, 003 coordinate-split BDF, 004 implicit state-space integration.
//! Its Markdown goes to standard output and, with the figures as SVG, into a folder
//! (`target/reproduce` unless given).
//!
//! Every number printed under "ours" is computed when the command runs; what is printed under
//! "paper" stands in the paper.

mod models;
mod newton;
mod paper_000;
mod paper_001;
mod paper_003;
mod paper_004;
mod reference;
mod report;
mod study;

use report::{Failure, Report};
use std::process::ExitCode;

/// A paper: its number, its authors and title, and what reproduces it.
struct Paper {
    number: &'static str,
    title: &'static str,
    run: fn(&mut Report) -> Result<(), Failure>,
}

const PAPERS: &[Paper] = &[
    Paper {
        number: "000",
        title: "Yen, Petzold, Raha 1998: A time integration algorithm for flexible mechanism \
                dynamics: the DAE α-method",
        run: paper_000::run,
    },
    Paper {
        number: "001",
        title: "Jay, Negrut 2009: A second order extension of the generalized-α method for \
                constrained systems in mechanics",
        run: paper_001::run,
    },
    Paper {
        number: "003",
        title: "Yen, Petzold 1996: An efficient Newton-type iteration for the numerical solution of \
                highly oscillatory constrained multibody dynamic systems",
        run: paper_003::run,
    },
    Paper {
        number: "004",
        title: "Haug, Negrut, Iancu 1997: A state-space based implicit integration algorithm for \
                differential-algebraic equations of multibody dynamics",
        run: paper_004::run,
    },
];

fn main() -> ExitCode {
    let mut numbers = Vec::new();
    let mut folder = String::from("target/reproduce");
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match (&*arg, PAPERS.iter().find(|paper| paper.number == arg)) {
            (_, Some(paper)) => numbers.push(paper),
            ("--out", _) => match args.next() {
                Some(given) => folder = given,
                None => return usage("--out needs a folder"),
            },
            _ => return usage(&format!("there is no paper `{arg}` here")),
        }
    }
    if numbers.is_empty() {
        return usage("name a paper");
    }
    for paper in numbers {
        let mut report = Report::new(&folder, paper.number, paper.title);
        let outcome = (paper.run)(&mut report).and_then(|()| report.finish());
        if let Err(failure) = outcome {
            eprintln!("reproduce {}: {failure}", paper.number);
            return ExitCode::from(13);
        }
    }
    ExitCode::SUCCESS
}

fn usage(what: &str) -> ExitCode {
    eprintln!("{what}\nusage: reproduce PAPER... [--out FOLDER], where PAPER is one of");
    for paper in PAPERS {
        eprintln!("  {}  {}", paper.number, paper.title);
    }
    ExitCode::from(2)
}
