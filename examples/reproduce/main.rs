//! The papers: what each says, held against what comes out here.
//!
//! ```text
//! cargo run --release --example reproduce -- --all --out report
//! cargo run --release --example reproduce -- 000
//! ```
//!
//! A paper is named by three digits: 000 the DAE α-method, 001 generalized-α-SOI2, 003 coordinate-split BDF, 004
//! implicit state-space integration; 002 (HHT as in Adams) is not among them yet: the industrial models that it
//! measures are not here. Into a folder (`target/reproduce` unless given) go `index.html`, one page with everything in it,
//! and for each paper its Markdown and its figures as SVG.
//!
//! Every number printed under "ours" and every verdict is computed when the command runs; what is printed under
//! "paper" stands in the paper.

mod claim;
mod models;
mod newton;
mod page;
mod paper_000;
mod paper_001;
mod paper_003;
mod paper_004;
mod reference;
mod report;
mod study;

use report::{Failure, Report};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

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

/// What a command line asks for.
struct Request {
    papers: Vec<&'static Paper>,
    folder: PathBuf,
}

fn main() -> ExitCode {
    let request = match request(std::env::args().skip(1)) {
        Ok(request) => request,
        Err(what) => return usage(&what),
    };
    let mut reports = Vec::new();
    for paper in &request.papers {
        let clock = Instant::now();
        let mut report = Report::new(paper.number, paper.title);
        let outcome = (paper.run)(&mut report).and_then(|()| report.save(&request.folder));
        if let Err(failure) = outcome {
            eprintln!("reproduce {}: {failure}", paper.number);
            return ExitCode::from(13);
        }
        let claims = report.claims.len();
        eprintln!("{}: {claims} claims in {:.0} s", paper.number, clock.elapsed().as_secs_f64());
        reports.push(report);
    }
    for claim in reports.iter().flat_map(|report| &report.claims) {
        println!("{:<14}  {}: {}", claim.verdict().to_string(), claim.place, claim.paper);
    }
    let page = request.folder.join("index.html");
    if let Err(failure) = report::write(&page, &page::page(&reports)) {
        eprintln!("reproduce: {failure}");
        return ExitCode::from(20);
    }
    println!("written: {}", page.display());
    ExitCode::SUCCESS
}

fn request(mut args: impl Iterator<Item = String>) -> Result<Request, String> {
    let mut request = Request { papers: Vec::new(), folder: "target/reproduce".into() };
    while let Some(arg) = args.next() {
        match &*arg {
            "--all" => request.papers.extend(PAPERS),
            "--out" => request.folder = args.next().ok_or("--out needs a folder")?.into(),
            number => {
                let paper = PAPERS.iter().find(|paper| paper.number == number);
                request.papers.push(paper.ok_or(format!("there is no paper `{number}` here"))?);
            }
        }
    }
    // Each once, in their order, however often they were named.
    request.papers.sort_by_key(|paper| paper.number);
    request.papers.dedup_by_key(|paper| paper.number);
    if request.papers.is_empty() {
        return Err("name a paper, or --all".into());
    }
    Ok(request)
}

fn usage(what: &str) -> ExitCode {
    eprintln!("{what}\nusage: reproduce (--all | PAPER...) [--out FOLDER], where PAPER is one of");
    for paper in PAPERS {
        eprintln!("  {}  {}", paper.number, paper.title);
    }
    ExitCode::from(2)
}
