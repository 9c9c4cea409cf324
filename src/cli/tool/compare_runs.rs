//! `mbd compare-runs a.csv b.csv`: by how much two tables of runs differ.

use crate::cli::exit::Exit;
use crate::cli::io::Io;
use crate::cli::stop::Stop;
use crate::cli::table::{Table, read};
use crate::json::object;
use crate::output::short;
use serde_json::Value;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::PathBuf;

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
    heading: String,
    /// Relative to its scale; NaN where one of the two is no number and the other is.
    relative: f64,
    /// In its unit, and where.
    absolute: f64,
    t: f64,
}

pub(super) fn run(request: &Request, io: &mut Io<'_>) -> Result<Exit, Stop> {
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
    let missing: Vec<&str> = a
        .headings
        .iter()
        .filter(|h| !b.headings.contains(h))
        .chain(b.headings.iter().filter(|h| !a.headings.contains(h)))
        .map(String::as_str)
        .collect();
    let mut differences = differences(&a, &b, &pairs);
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
                "name": d.heading,
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
        let width = differences.iter().take(MOST).map(|d| d.heading.chars().count()).max();
        for d in differences.iter().take(MOST).filter(|d| d.relative != 0.0) {
            let (pad, relative) = (width.unwrap_or(0), d.relative);
            let (absolute, t) = (short(d.absolute), short(d.t));
            let _ = writeln!(
                text,
                "  {:pad$}  {relative:8.1e} of its scale, {absolute} at t = {t} s",
                d.heading
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

/// Of each quantity of both, relative to the largest value of its unit and kind.
fn differences(a: &Table, b: &Table, pairs: &[(usize, usize)]) -> Vec<Difference> {
    let columns: Vec<(usize, usize)> = a
        .headings
        .iter()
        .enumerate()
        .skip(1)
        .filter_map(|(i, heading)| Some((i, b.headings.iter().position(|h| h == heading)?)))
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
        let heading = a.headings[i].clone();
        let scale = scales[kind(&a.headings[i])];
        let mut worst = Difference { heading, relative: 0.0, absolute: 0.0, t: a.rows[0][0] };
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
