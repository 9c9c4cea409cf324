//! A run in words.

use super::args::Request;
use super::progress::duration;
use crate::Solution;
use crate::animate::Written;
use crate::assembly::{Derivatives, SlotKind};
use crate::output::{short, state_text};
use crate::solution::{Balance, ColumnKind, Event, EventKind, Impulse, RankChange, Status};
use crate::start::{Moved, Redundant};
use std::fmt::Write as _;

/// What is wrong with a power balance that does not close, and what to do.
pub(super) fn unexplained(balance: &Balance, method: &str, request: &Request) -> String {
    let end = if balance.missing < 0.0 { "went nowhere" } else { "came from nowhere" };
    let blamed = balance
        .blamed
        .as_ref()
        .map_or(String::new(), |statement| format!("; the part of `{statement}` closes worst"));
    if let Some(jump) = &balance.abrupt {
        return format!(
            "the power balance does not close: by t = {} s {} J, {} of the energy turned over, {end}: {jump}",
            short(balance.at),
            short(balance.missing.abs()),
            percent(balance.closes),
        );
    }
    let mend = match (request.step, request.tol) {
        (Some(h), _) => format!("take a smaller --step than {}, or give --tol instead", short(h)),
        _ if method == "radau5" => "tighten --tol".to_string(),
        _ => "tighten --tol, or use --method radau5".to_string(),
    };
    format!(
        "the power balance does not close: by t = {} s {} J, {} of the energy turned over, {end}\
         {blamed}. The motion is not to be trusted: {mend}",
        short(balance.at),
        short(balance.missing.abs()),
        percent(balance.closes),
    )
}

/// A part of a whole in percent, for messages.
fn percent(part: f64) -> String {
    let digits = if part < 0.095 { 1 } else { 0 };
    if part < 5e-4 { format!("{part:.0e}") } else { format!("{:.digits$} %", 100.0 * part) }
}

/// A run in a few lines.
pub(super) fn summary(solution: &Solution, written: &[String], drawn: Option<&Written>) -> String {
    let mut out = String::new();
    let stats = &solution.stats;
    let end = reached(solution);
    let time = duration(stats.wall_s);
    let _ = writeln!(out, "{} with {}: {end} in {time}", solution.model, solution.method);
    let sizes = match (stats.h_min, stats.h_max) {
        _ if stats.steps == 0 => String::new(),
        (min, max) if max - min <= 1e-9 * max => format!(" of {} s", short(max)),
        (min, max) => format!(" of {} to {} s", short(min), short(max)),
    };
    let _ = writeln!(
        out,
        "  {} steps{sizes}, {} rejected, {} Newton iterations, {} matrices",
        stats.steps, stats.rejected, stats.newton_iterations, stats.jacobians
    );
    if let Some(stop) = &solution.stopped {
        let _ = writeln!(out, "  {stop}");
    }
    if !solution.range(ColumnKind::Slot(SlotKind::Lambda)).is_empty()
        || !solution.range(ColumnKind::Slot(SlotKind::Psi)).is_empty()
    {
        let _ = writeln!(
            out,
            "  constraints violated by at most {:.1e} in position, {:.1e} in velocity",
            solution.drift.position, solution.drift.velocity
        );
    }
    out.push_str(&moved_far(solution));
    for unit in &solution.assumed_scales {
        let _ = writeln!(
            out,
            "  nothing in the model tells a size in {unit}: errors are relative to 1 {unit}, or the \
             range of motion; `scale x = …;` in the model or --atol x=… states another"
        );
    }
    out.push_str(&redundancy(solution));
    out.push_str(&events(solution));
    if solution.stats.substituted > 0 {
        let _ = writeln!(
            out,
            "  {} of the steps were taken by radau5, where the motion stays on a comparison as friction \
             that sticks and the method knows no constraint for that, or where friction in a plane has just let go",
            solution.stats.substituted
        );
    }
    out.push_str(&errors(solution));
    if let (Some(first), Some(last)) =
        (first_energy(solution), solution.last(ColumnKind::Energy).last())
    {
        let _ = writeln!(
            out,
            "  energy {} J at the start, {} J at the end",
            short(first),
            short(*last)
        );
    }
    if let Some(balance) = &solution.balance {
        let numerical = balance
            .numerical
            .map_or(String::new(), |taken| format!(", {} J by the method's damping", short(taken)));
        let jumps = match balance.jumps {
            0.0 => String::new(),
            jumps => format!(", events {} J", short(jumps)),
        };
        let _ = writeln!(
            out,
            "  work {} J, dissipated {} J{numerical}{jumps}; the power balance closes to {:.1e}",
            short(balance.work),
            short(balance.dissipated),
            balance.closes
        );
    }
    if solution.derivatives == Derivatives::Dual {
        let _ = writeln!(out, "  every derivative on dual numbers, as --derivatives dual asks for");
    } else if !solution.on_dual_numbers.is_empty() {
        let all: Vec<String> = solution.on_dual_numbers.iter().map(ToString::to_string).collect();
        let _ = writeln!(out, "  on dual numbers (see info): {}", all.join(", "));
    }
    for warning in &solution.warnings {
        let _ = writeln!(out, "  warning: {warning}");
    }
    out.push_str(&state_text(solution));
    if let Some(drawn) = drawn {
        let _ = writeln!(out, "{drawn}");
    }
    if !written.is_empty() {
        let _ = writeln!(out, "wrote {}", written.join(", "));
    }
    out
}

/// A run in a line.
pub(super) fn brief(solution: &Solution) -> String {
    let stats = &solution.stats;
    let mut out = format!("{}, {} steps", reached(solution), stats.steps);
    match solution.events.len() {
        0 => {}
        1 => out.push_str(", 1 event"),
        n => _ = write!(out, ", {n} events"),
    }
    if let Some(error) = solution.error_estimate.ok().and_then(|estimate| estimate.q) {
        let _ = write!(out, ", estimated error {error:.0e} in position");
    }
    for index in solution.range(ColumnKind::Output).take(4) {
        let column = &solution.columns()[index];
        let value = short(solution.row(solution.len() - 1)[index]);
        let _ = write!(out, ", {} = {value} {}", column.name, column.unit);
    }
    for warning in &solution.warnings {
        let _ = write!(out, "; warning: {warning}");
    }
    out.trim_end().into()
}

/// Guesses that assembly did not stay near.
fn moved_far(solution: &Solution) -> String {
    const MOST: usize = 4;
    let mut out = String::new();
    let columns = solution.columns();
    for Moved { name, from, to, .. } in solution.moved_far.iter().take(MOST) {
        let unit = solution.find(name).map_or("", |index| columns[index].unit.as_str());
        let _ = writeln!(
            out,
            "  assembly moved `{name}` far from its guess, from {} to {} {unit}",
            short(*from),
            short(*to)
        );
    }
    match solution.moved_far.len() {
        0 => {}
        n => {
            let others = match n.saturating_sub(MOST) {
                0 => String::new(),
                others => format!("and {others} others, which `check` lists; "),
            };
            let _ = writeln!(
                out,
                "    {others}if the mechanism has closed in another way than was meant, give guesses nearer to it"
            );
        }
    }
    out
}

/// How far it has come.
fn reached(solution: &Solution) -> String {
    let how = match solution.status {
        Status::Finished => "reached",
        Status::Stopped => "stopped at",
        Status::Interrupted => "interrupted at",
        Status::Failed => "failed at",
    };
    format!("{how} t = {} s", short(solution.final_t()))
}

/// For how long rows are redundant that are not from the start on.
struct Span<'a> {
    change: &'a RankChange,
    /// When the next change comes, if one does.
    end: Option<f64>,
    /// How often the same has been so again.
    again: usize,
}

/// Those of a run, but what leaves out no more than the start does.
fn spans(solution: &Solution) -> Vec<Span<'_>> {
    let rows = |of: &'_ [Redundant]| of.iter().map(|one| one.row.clone()).collect::<Vec<_>>();
    let at_start = rows(&solution.redundant);
    let mut spans: Vec<Span<'_>> = Vec::new();
    for (k, change) in solution.rank_changes.iter().enumerate() {
        let now = rows(&change.redundant);
        let same = |span: &&mut Span<'_>| {
            rows(&span.change.redundant) == now && span.change.taken_back == change.taken_back
        };
        if change.taken_back.is_empty() && now == at_start {
            continue;
        }
        let end = solution.rank_changes.get(k + 1).map(|next| next.t);
        match spans.iter_mut().find(same) {
            Some(span) => span.again += 1,
            None => spans.push(Span { change, end, again: 0 }),
        }
    }
    spans
}

/// What is not in the equations, and since when.
fn redundancy(solution: &Solution) -> String {
    const MOST: usize = 6;
    let mut out = String::new();
    let list = |out: &mut String, rows: &[Redundant], lists: &str| {
        for row in rows.iter().take(MOST) {
            let _ = writeln!(out, "    {row}");
        }
        if rows.len() > MOST {
            let _ = writeln!(out, "    and {} more; `{lists}` lists them", rows.len() - MOST);
        }
    };
    if !solution.redundant.is_empty() {
        let (rows, their) = match solution.redundant.len() {
            1 => ("1 constraint row".into(), "its reaction"),
            n => (format!("{n} constraint rows"), "their reactions"),
        };
        let zero = match solution.least_shares {
            true => "least shares".into(),
            false => format!("{their} zero"),
        };
        let _ = writeln!(out, "  {rows} left out as redundant, {zero}:");
        list(&mut out, &solution.redundant, "check");
    }
    // What turns leaves out other rows with every turn, and contacts share loads again and again.
    let spans = spans(solution);
    for Span { change, end, again, .. } in spans.iter().take(MOST) {
        let (t, n) = (short(change.t), change.redundant.len());
        let rows = if n == 1 { "1 row".into() } else { format!("{n} rows") };
        let until = match end {
            Some(end) => format!(" s to {} s", short(*end)),
            None => " s on".into(),
        };
        let span = format!("from t = {t}{until}");
        let more = match again {
            0 => String::new(),
            1 => ", and once more".into(),
            n => format!(", and {n} times more"),
        };
        let _ = match &change.taken_back[..] {
            [] => writeln!(out, "  {span} {rows} left out as redundant{more}"),
            [row] => {
                writeln!(out, "  {span} {row} is independent again and met; {rows} left out{more}")
            }
            back => writeln!(
                out,
                "  {span} {} are independent again and met; {rows} left out{more}",
                back.join(", ")
            ),
        };
        // `check` sees the start alone.
        list(&mut out, &change.redundant, "--json");
    }
    let listed = solution.rank_changes.len();
    let beyond: usize = spans.iter().skip(MOST).map(|span| span.again + 1).sum();
    let more = beyond + solution.rank_change_count.saturating_sub(listed);
    if more > 0 {
        let lists = if listed == solution.rank_change_count { "lists them" } else { "lists more" };
        let _ = writeln!(out, "  and {more} more changes of this kind; `--json` {lists}");
    }
    out
}

/// Which comparisons the motion crossed, the busiest first.
fn events(solution: &Solution) -> String {
    const MOST: usize = 6;
    // What a motion leaves it may cross as well, in the same words.
    let told = |event: &Event| match event.kind {
        EventKind::Stick => format!("{}, where it sticks,", event.condition),
        EventKind::Slip => format!("{}, from where it stuck,", event.condition),
        _ => event.condition.clone(),
    };
    let mut kinds: Vec<(&str, String, usize, f64)> = Vec::new();
    for event in &solution.events {
        let (name, condition) = (event.name.as_str(), told(event));
        match kinds.iter_mut().find(|kind| (kind.0, &kind.1) == (name, &condition)) {
            Some(kind) => kind.2 += 1,
            None => kinds.push((name, condition, 1, event.t)),
        }
    }
    let mut out = String::new();
    for (name, count) in &solution.samples {
        let times = if *count == 1 { "once".into() } else { format!("{count} times") };
        let _ = writeln!(out, "  `{name}` sampled {times}");
    }
    if kinds.is_empty() {
        return out;
    }
    kinds.sort_by_key(|kind| std::cmp::Reverse(kind.2));
    let _ = writeln!(
        out,
        "  {}:",
        match solution.events.len() {
            1 => "1 event".into(),
            n => format!("{n} events"),
        }
    );
    // Impulses stand with the event whose blow they are: a contact that opens has none, although it bears the name of
    // one that was struck.
    let largest = |name: &str, condition: &str| {
        let alike = |event: &&Event| event.name == name && told(event) == condition;
        let of = solution.events.iter().filter(alike);
        let impulses = of.flat_map(|event| &event.impulses).filter(|one| one.value != 0.0);
        impulses.max_by(|a, b| a.value.abs().total_cmp(&b.value.abs()))
    };
    for (name, condition, count, first) in kinds.iter().take(MOST) {
        let times = match count {
            1 => format!("at t = {} s", short(*first)),
            n => format!("{n} times, first at t = {} s", short(*first)),
        };
        let blow = largest(name, condition).map_or(String::new(), |Impulse { name, value }| {
            format!(", largest impulse {} in `{name}`", short(*value))
        });
        let _ = writeln!(out, "    {condition} in `{name}` {times}{blow}");
    }
    if kinds.len() > MOST {
        let _ = writeln!(out, "    and {} more; `--json` lists them", kinds.len() - MOST);
    }
    out
}

/// What is known of the errors.
fn errors(solution: &Solution) -> String {
    let estimate = match solution.error_estimate {
        Ok(estimate) => estimate,
        Err(why) => return format!("  error of the result not estimated: {why}\n"),
    };
    let kinds =
        [("position", estimate.q), ("velocity", estimate.v), ("reactions", estimate.lambda)];
    let parts: Vec<String> = kinds
        .into_iter()
        .filter_map(|(kind, error)| error.map(|error| format!("{error:.0e} in {kind}")))
        .collect();
    if parts.is_empty() {
        return String::new();
    }
    let growth = match estimate.growth {
        Some(growth) if growth >= 10.0 => {
            format!("; the motion magnified the errors of the steps by {growth:.0e}",)
        }
        _ => String::new(),
    };
    format!("  estimated error of the result, relative: {}{growth}\n", parts.join(", "))
}

fn first_energy(solution: &Solution) -> Option<f64> {
    let column = solution.range(ColumnKind::Energy).last()?;
    (!solution.is_empty()).then(|| solution.row(0)[column])
}
