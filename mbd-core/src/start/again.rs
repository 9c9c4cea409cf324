//! Which rows are redundant, decided again during a run: rows that are violated where the others hold, and others that are
//! the better ones to leave out as a mechanism turns.

use super::accelerations::solve_accelerations;
use super::error::StartError;
use super::jacobian::ConstraintRows;
use super::project::{assemble_freely, project_freely};
use super::rank::{
    ASIDE, NEARLY, Rank, TOLERANCE, check_accelerations, dependent, dependent_of, inactive_row,
    row_scales, violated_rows,
};
use super::rows::{grouped, row_name};
use crate::assembly::{Point, System};
use crate::linear::{RankReport, RowSet};
use crate::scales::Scales;
use crate::state::State;
use std::fmt;

/// Violation of a dependent row during a run, relative to its terms, that is looked into.
const NOTICED: f64 = 1e-6;
/// What may be left of a dependent row where there is a choice of rows, the most first.
const DISTANCES: [f64; 6] = [0.3, 0.1, 0.03, 1e-2, 1e-3, NEARLY];
/// Distance from dependent from which on rows are kept as they are; factor by which others have to be farther from it to
/// be taken while the equations can be solved; and up to which distances are told from each other.
const FAR: f64 = 0.1;
const BETTER: f64 = 5.0;
const TOLD_APART: f64 = 1.2;
/// Part of that distance by which a mechanism may move, relative to the sizes of its coordinates, before the rows are
/// looked at again; and the least and the most. A rod on three cranks is 0.055 rad from where the rows kept depend on
/// each other when what elimination leaves of them is still 0.2.
const MOVES: f64 = 0.1;
const MOVED: [f64; 2] = [1e-3, 0.03];
/// Rows for which a step more goes by before that.
const LOOKED_AT: usize = 16;

/// Watches the rows declared redundant: whether they are violated by more than the errors of the
/// rows they depend on explain.
#[derive(Debug)]
pub(crate) struct Suspicion {
    /// The rows of G over K with their scales.
    rows: Vec<(usize, f64)>,
    /// Whether each row of G over K is one of them.
    redundant: Vec<bool>,
    /// Times the violation of the other rows that is taken for granted.
    allowed: f64,
    /// The coordinates where the choice of rows was looked at last, the steps since then, and by how much coordinates
    /// may change before it is looked at again.
    looked: (Vec<f64>, usize, f64),
    /// All rows, to look at them; and the largest entry of each so far.
    all: Option<AllRows>,
    largest: Vec<f64>,
}

/// All rows of a system, those declared redundant among them.
struct AllRows {
    system: System,
    rows: ConstraintRows,
}

impl fmt::Debug for AllRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rows.fmt(f)
    }
}

impl AllRows {
    fn new(system: &System) -> Self {
        let (all, _) = with_all_rows(system);
        AllRows { rows: ConstraintRows::new(&all), system: all }
    }
}

impl Suspicion {
    /// Of the rows that a system has declared redundant, at a point where they are.
    pub(crate) fn new(system: &System, point: &Point) -> Self {
        let mut rows = Vec::new();
        if system.has_redundant_rows() {
            let (holonomic, nonholonomic) = row_scales(system, point);
            let scales = holonomic.into_iter().map(|[g, _]| g).chain(nonholonomic).enumerate();
            rows.extend(scales.filter(|&(row, _)| inactive_row(system, row)));
        }
        let dims = system.dims();
        let mut redundant = vec![false; dims.m + dims.p];
        rows.iter().for_each(|&(row, _)| redundant[row] = true);
        let looked = if rows.is_empty() { Vec::new() } else { point.q().to_vec() };
        let (looked, largest) = ((looked, 0, MOVED[0]), vec![0.0; redundant.len()]);
        Suspicion { rows, redundant, allowed: 100.0, looked, all: None, largest }
    }

    /// Saves or restores what is watched.
    pub(crate) fn state(&mut self, state: &mut State<'_>) {
        let Suspicion { rows, redundant, allowed, looked, all: _, largest } = self;
        state.numbers(largest);
        state.every(&mut looked.0, 0.0, State::number);
        state.count(&mut looked.1);
        state.number(&mut looked.2);
        state.every(rows, (0, 0.0), |state, (row, scale)| {
            state.count(row);
            state.number(scale);
        });
        state.number(allowed);
        state.require(rows.iter().all(|(row, _)| *row < redundant.len()));
        redundant.fill(false);
        for (row, _) in rows {
            if let Some(redundant) = redundant.get_mut(*row) {
                *redundant = true;
            }
        }
    }

    /// Whether to look closer, from the violations of all rows.
    pub(crate) fn arises(&self, g: &[f64], k: &[f64]) -> bool {
        if self.rows.is_empty() {
            return false;
        }
        let others = |values: &[f64], first: usize| {
            let rows = values.iter().zip(&self.redundant[first..]);
            rows.filter(|(_, redundant)| !**redundant).fold(0.0f64, |m, (r, _)| m.max(r.abs()))
        };
        let (on_q, on_v) = (others(g, 0), others(k, g.len()));
        self.rows.iter().any(|&(row, scale)| {
            let (residual, active) = match row.checked_sub(g.len()) {
                None => (g[row], on_q),
                Some(row) => (k[row], on_v),
            };
            // Written so that NaN counts.
            !(residual.abs() <= NOTICED * scale + self.allowed * active)
        })
    }

    /// Whether the mechanism moves so far within the next step, of size `h`, that other rows may be the better ones to
    /// leave out.
    pub(crate) fn is_far(&mut self, point: &Point, h: f64, scales: &Scales) -> bool {
        if self.rows.is_empty() {
            return false;
        }
        let (looked, steps, allowed) = &mut self.looked;
        *steps += 1;
        let ahead = point.q().iter().zip(point.v()).map(|(q, v)| q + h * v);
        let moves = ahead.zip(&*looked).zip(scales.q().weights());
        let moved = moves.fold(0.0f64, |m, ((a, b), size)| m.max((a - b).abs() / size));
        if moved < *allowed || *steps <= self.redundant.len() / LOOKED_AT {
            return false;
        }
        *looked = point.q().iter().zip(point.v()).map(|(q, v)| q + h * v).collect();
        *steps = 0;
        true
    }

    /// The choice of rows is looked at before the next step, wherever it leads.
    pub(crate) fn look_again(&mut self) {
        (self.looked.1, self.looked.2) = (self.redundant.len(), 0.0);
    }

    /// There was nothing in it.
    pub(crate) fn allay(&mut self) {
        self.allowed *= 4.0;
    }
}

/// Decides again which rows are redundant in the middle of a run, because rows declared so are
/// violated where the others hold: `point` was reached from `from`, where they still held. The
/// system has the new decision then, and the point is consistent with it.
///
/// `None` when there is nothing to decide: the violation goes away with that of the others, which is
/// what redundant rows are like.
///
/// # Errors
/// [`StartError::Inconsistent`] when a row contradicts the others, and others of
/// [`solve_accelerations`].
pub(crate) fn reconsider(
    system: &mut System,
    from: &Point,
    point: &mut Point,
) -> Result<Option<Rank>, StartError> {
    // Is it more than the errors of the rows it depends on?
    let mut settled = point.clone();
    let held = assemble_freely(system, &mut settled)? && project_freely(system, &mut settled)?;
    let violated = violated_rows(system, &settled);
    let Some(&(worst, residual)) = violated.first().filter(|_| held) else { return Ok(None) };
    let mut all = system.clone();
    all.set_inactive_rows(&[], &[]);
    let scales = Scales::rough(system, point, false);
    // Where they still held first: a little of the violation is then all that is undone.
    for at in [from, &settled] {
        let report = dependent(&all, at, TOLERANCE);
        if violated.iter().all(|&(row, _)| report.redundant.iter().any(|r| r.row == row)) {
            continue;
        }
        // Taken back into the equations: if all can be met nearby, and not where rows touch only.
        let rank = Rank::new(&all, at, &report);
        rank.declare(system);
        let mut met = at.clone();
        let meets = assemble_freely(system, &mut met)? && project_freely(system, &mut met)?;
        let moves = met.q().iter().zip(at.q()).zip(scales.q().weights());
        let moved = moves.fold(0.0f64, |m, ((a, b), size)| m.max((a - b).abs() / size));
        let stays = dependent(&all, &met, NEARLY).rank == rank.rank;
        let holds = meets && moved <= ASIDE && stays && violated_rows(system, &met).is_empty();
        if holds && solve_accelerations(system, &mut met).is_ok() {
            check_accelerations(system, &met, &rank)?;
            point.copy_from(&met);
            return Ok(Some(rank));
        }
    }
    let with = [TOLERANCE, NEARLY, ASIDE].into_iter().find_map(|tolerance| {
        let report = dependent(&all, from, tolerance);
        let found = report.redundant.into_iter().find(|r| r.row == worst)?;
        Some(found.depends_on.into_iter().map(|(row, _)| row).collect::<Vec<_>>())
    });
    let row = row_name(system, worst);
    let with = grouped(system, &with.unwrap_or_default());
    Err(StartError::Inconsistent { row, with, residual })
}

/// Chooses again which of the rows that depend on one another are left out, where the equations could
/// not be solved: as a mechanism turns, those that were kept may come to depend on each other although
/// all together are as independent as ever. The system has the new choice then, and the point is
/// consistent with it. `None` when there is no better one.
///
/// # Errors
/// Those of [`solve_accelerations`].
pub(crate) fn choose_again(
    system: &mut System,
    point: &mut Point,
) -> Result<Option<Rank>, StartError> {
    let (all, left_out) = with_all_rows(system);
    let mut reports = DISTANCES.into_iter().map(|by| dependent(&all, point, by));
    match reports.find(|report| report.redundant.len() == left_out) {
        Some(report) => choose(system, point, &all, &report),
        None => Ok(None),
    }
}

/// The same in time, while the equations can be solved: where the rows kept depend on each other nearly, here or where
/// the next step of size `h` leads, and there is a choice that is farther from it by much. Otherwise reactions grow
/// without bound, and rounding with them, before a step fails. How far the rows kept are from dependent says when
/// `suspicion` looks again.
///
/// # Errors
/// Those of [`solve_accelerations`].
pub(crate) fn choose_in_time(
    suspicion: &mut Suspicion,
    system: &mut System,
    point: &mut Point,
    h: f64,
) -> Result<Option<Rank>, StartError> {
    let Suspicion { looked, all, largest, .. } = suspicion;
    if all.as_ref().is_none_or(|all| !all.system.has_rows_of(system)) {
        *all = Some(AllRows::new(system));
    }
    let Some(AllRows { system: all, rows }) = all else { return Ok(None) };
    let mut ahead = point.clone();
    for (q, v) in ahead.q_mut().iter_mut().zip(point.v()) {
        *q += h * v;
    }
    ahead.set_t(point.t() + h);
    let both = [&*point, &ahead].map(|at| rows.at(all, at, &[], &|_| false).by_largest(largest));
    let distance = |left_out: &dyn Fn(usize) -> bool| {
        let of = |rows: &RowSet| {
            let report = dependent_of(all, &rows.without(left_out), NEARLY);
            let depends = report.redundant.iter().any(|r| !left_out(r.row));
            if depends { 0.0 } else { report.distance }
        };
        both.iter().map(of).fold(1.0, f64::min)
    };
    let dims = system.dims();
    let left_out: Vec<bool> = (0..dims.m + dims.p).map(|row| inactive_row(system, row)).collect();
    let kept = distance(&|row| left_out[row]);
    looked.2 = (MOVES * kept).clamp(MOVED[0], MOVED[1]);
    if kept >= FAR {
        return Ok(None);
    }
    let count = left_out.iter().filter(|left_out| **left_out).count();
    let least = BETTER * kept.max(NEARLY);
    let choices = both.iter().filter_map(|rows| {
        let can_be_by = |by: f64| dependent_of(all, rows, by).redundant.len() == count;
        let report = dependent_of(all, rows, largest_distance(least, 1.0, &can_be_by)?);
        let chosen = distance(&|row| report.redundant.iter().any(|r| r.row == row));
        (chosen >= least).then_some((chosen, report))
    });
    match choices.max_by(|(a, _), (b, _)| a.total_cmp(b)) {
        Some((_, report)) => choose(system, point, all, &report),
        None => Ok(None),
    }
}

/// The largest distance between two for which something holds, if it does for the first.
fn largest_distance(from: f64, to: f64, holds: &impl Fn(f64) -> bool) -> Option<f64> {
    let (mut from, mut to) = (holds(from).then_some(from)?, to);
    while to > TOLD_APART * from {
        let between = (from * to).sqrt();
        *(if holds(between) { &mut from } else { &mut to }) = between;
    }
    Some(from)
}

/// The system with all rows in its equations, and how many of them are left out now.
fn with_all_rows(system: &System) -> (System, usize) {
    let mut all = system.clone();
    all.set_inactive_rows(&[], &[]);
    let dims = system.dims();
    let left_out = (0..dims.m + dims.p).filter(|&row| inactive_row(system, row)).count();
    (all, left_out)
}

/// Leaves out the rows that a report finds, if they are others than now, and makes the point consistent with this.
fn choose(
    system: &mut System,
    point: &mut Point,
    all: &System,
    report: &RankReport,
) -> Result<Option<Rank>, StartError> {
    if report.redundant.iter().all(|r| inactive_row(system, r.row)) {
        return Ok(None);
    }
    let rank = Rank::new(all, point, report);
    rank.declare(system);
    if !(assemble_freely(system, point)? && project_freely(system, point)?) {
        return Ok(None);
    }
    solve_accelerations(system, point)?;
    Ok(Some(rank))
}
