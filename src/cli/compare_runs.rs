//! `compare-runs a.csv b.csv`: by how much two tables of runs differ. Every program has this command, those of models
//! and `mbd`.

use super::args::grammar;
use super::exit::Exit;
use super::io::Io;
use super::members::json_error;
use super::stop::Stop;
use super::table::{Table, read};
use crate::json::object;
use crate::output::short;
use clap::{Arg, ArgMatches, Command, ValueHint};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Its name.
pub(super) const NAME: &str = "compare-runs";

/// What to compare.
pub(super) struct Request {
    pub(super) tables: [PathBuf; 2],
    /// Largest difference that passes, relative to the largest value of the quantity's unit.
    pub(super) tol: f64,
    pub(super) json: bool,
}

/// Differences listed, at most.
const MOST: usize = 12;
/// Times this near to each other, relative to the larger, are the same.
const SAME: f64 = 1e-12;

/// The largest difference of a quantity.
struct Difference {
    name: String,
    /// Relative to its scale; NaN where one of the two is no number and the other is.
    relative: f64,
    /// In its unit, and where.
    absolute: f64,
    t: f64,
}

/// The command of a program.
pub(super) fn command(program: &str) -> Command {
    grammar::command(
        [program, NAME, " FIRST.csv SECOND.csv"],
        "say by how much two tables of runs differ",
        "Says by how much two tables that `simulate --out` wrote differ: for each quantity of both,\n\
         the largest difference at the times that both have, relative to the largest value that a\n\
         quantity of its unit has in either of them.",
        format!(
            "Examples:\n  {program} compare-runs before.csv after.csv --tol 1e-4\n\n\
             Exit codes:\n  0    the runs agree\n  \
             2    the command line was not understood, or the tables have no times in common\n  \
             14   they differ by more, or one has quantities that the other has not\n  \
             20   a table cannot be read"
        ),
        [
            Arg::new("TABLES")
                .num_args(0..)
                .help("two tables of runs")
                .value_hint(ValueHint::FilePath),
            grammar::option(
                "--tol",
                "T",
                "largest relative difference of runs that agree (default: 1e-6)",
                false,
            ),
            grammar::option("--json", "", "print the result as one JSON object", false),
        ],
    )
}

/// Its command line.
pub(super) fn request(matches: &ArgMatches) -> Result<Request, String> {
    let tables = matches.get_many::<String>("TABLES").into_iter().flatten();
    let tables: Vec<PathBuf> = tables.map(PathBuf::from).collect();
    // How many there are is looked at here, for clap's words name no example.
    let tables: [PathBuf; 2] =
        tables.try_into().map_err(|_| "give two tables: compare-runs a.csv b.csv")?;
    let tol = matches.get_one::<String>("--tol").map(|text| {
        let number = text.trim().parse().ok().filter(|tol: &f64| *tol >= 0.0 && tol.is_finite());
        number.ok_or_else(|| format!("--tol: `{text}` is no number of 0 or more"))
    });
    let tol = tol.transpose()?.unwrap_or(1e-6);
    Ok(Request { tables, tol, json: matches.get_flag("--json") })
}

pub(super) fn run(request: &Request, io: &mut Io<'_>) -> Result<Exit, Stop> {
    let result = compare(request, io);
    if let (Err(stop), true) = (&result, request.json) {
        let object = object! { "error": json_error(stop.message(), stop.exit()) };
        // Standard output may be what failed.
        let _ = io.print(&format!("{object}\n"));
    }
    result
}

fn compare(request: &Request, io: &mut Io<'_>) -> Result<Exit, Stop> {
    let [first, second] = &request.tables;
    let (a, b) = (read(first)?, read(second)?);
    let pairs = common_times(&a, &b);
    let (only_a, only_b) = (a.rows.len() - pairs.len(), b.rows.len() - pairs.len());
    let (one, other) = (first.display(), second.display());
    if pairs.len() < 2 {
        return Err(Stop::Usage(format!(
            "`{one}` and `{other}` have {} time{} in common: write both with the same --every DT",
            pairs.len(),
            if pairs.len() == 1 { "" } else { "s" }
        )));
    }
    let names = [names(&a), names(&b)];
    let [in_a, in_b] = names.each_ref().map(|names| names.iter().collect::<HashSet<_>>());
    let missing: Vec<&String> = names[0]
        .iter()
        .filter(|name| !in_b.contains(name))
        .chain(names[1].iter().filter(|name| !in_a.contains(name)))
        .collect();
    let mut differences = differences(&a, &b, &names, &pairs);
    // What is no number first, then the largest.
    differences.sort_by(|x, y| {
        let key = |d: &Difference| if d.relative.is_nan() { f64::INFINITY } else { d.relative };
        key(y).total_cmp(&key(x))
    });
    let passes = |d: &Difference| d.relative <= request.tol;
    let ok = differences.iter().all(passes) && missing.is_empty();
    if request.json {
        let of = |d: &Difference| {
            object! {
                "name": d.name,
                "relative": d.relative,
                "absolute": d.absolute,
                "t": d.t,
            }
        };
        let object = object! {
            "agree": ok,
            "tol": request.tol,
            "times": pairs.len(),
            "times_of_one_alone": [only_a, only_b],
            "columns_of_one_alone": missing,
            "differences": Value::from_iter(differences.iter().map(of)),
        };
        io.print(&format!("{object}\n"))?;
    } else {
        let mut text = format!("{} quantities at {} times", differences.len(), pairs.len());
        if only_a + only_b > 0 {
            let _ =
                write!(text, "; {only_a} rows of `{one}` and {only_b} of `{other}` at other times");
        }
        text.push('\n');
        let width = differences.iter().take(MOST).map(|d| d.name.chars().count()).max();
        for d in differences.iter().take(MOST).filter(|d| d.relative != 0.0) {
            let (pad, relative) = (width.unwrap_or(0), d.relative);
            let (absolute, t) = (short(d.absolute), short(d.t));
            let _ = writeln!(
                text,
                "  {:pad$}  {relative:8.1e} of its scale, {absolute} at t = {t} s",
                d.name
            );
        }
        for name in &missing {
            let _ = writeln!(text, "  {name} is in one of the tables only");
        }
        let verdict = if ok { "the runs agree to" } else { "the runs differ by more than" };
        let _ = writeln!(text, "{verdict} {:e}", request.tol);
        io.print(&text)?;
    }
    Ok(if ok { Exit::Ok } else { Exit::Accuracy })
}

/// Rows of both at the same time; of several at one instant, as before and after an event, in their order.
fn common_times(a: &Table, b: &Table) -> Vec<(usize, usize)> {
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while let (Some(x), Some(y)) = (a.rows.get(i), b.rows.get(j)) {
        let (x, y) = (x[0], y[0]);
        if (x - y).abs() <= SAME * x.abs().max(y.abs()) {
            pairs.push((i, j));
            i += 1;
            j += 1;
        } else if x < y {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// What the columns of a table are called, each once: an output may have the name of a coordinate, and the second of a
/// heading is followed by `(2)`.
fn names(table: &Table) -> Vec<String> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let named = table.headings.iter().map(|heading| {
        let count = seen.entry(heading).or_default();
        *count += 1;
        if *count == 1 { heading.clone() } else { format!("{heading} ({count})") }
    });
    named.collect()
}

/// Of each quantity of both, relative to the largest value of its unit and kind.
fn differences(
    a: &Table,
    b: &Table,
    [names, others]: &[Vec<String>; 2],
    pairs: &[(usize, usize)],
) -> Vec<Difference> {
    let places: HashMap<&String, usize> = others.iter().zip(0..).collect();
    let columns: Vec<(usize, usize)> = names
        .iter()
        .enumerate()
        .skip(1)
        .filter_map(|(i, name)| Some((i, *places.get(name)?)))
        .collect();
    let mut scales: HashMap<&str, f64> = HashMap::new();
    for &(i, j) in &columns {
        let scale = scales.entry(kind(&a.headings[i])).or_default();
        for &(k, l) in pairs {
            for x in [a.rows[k][i], b.rows[l][j]] {
                *scale = if x.is_finite() { scale.max(x.abs()) } else { *scale };
            }
        }
    }
    let of = |&(i, j): &(usize, usize)| {
        let name = names[i].clone();
        let scale = scales[kind(&a.headings[i])];
        let mut worst = Difference { name, relative: 0.0, absolute: 0.0, t: a.rows[0][0] };
        for &(k, l) in pairs {
            let (x, y, t) = (a.rows[k][i], b.rows[l][j], a.rows[k][0]);
            // Also what is infinite or no number in both.
            if x == y || (x.is_nan() && y.is_nan()) || worst.relative.is_nan() {
                continue;
            }
            let absolute = (x - y).abs();
            let relative = absolute / scale;
            if !(relative <= worst.relative) {
                let relative = if relative.is_finite() { relative } else { f64::NAN };
                worst = Difference { relative, absolute, t, ..worst };
            }
        }
        worst
    };
    columns.iter().map(of).collect()
}

/// What a quantity is measured with: its unit, or what it is called without its number.
fn kind(heading: &str) -> &str {
    match heading.rsplit_once(" [") {
        Some((_, unit)) => unit,
        None => heading.split(['(', '[']).next().unwrap_or(heading),
    }
}
