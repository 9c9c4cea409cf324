//! Which constraint rows depend on earlier ones at a point, and whether they agree with them.

use super::error::StartError;
use super::jacobian::ConstraintRows;
use super::project::{assemble_freely, project_freely};
use super::rows::{Redundant, grouped, row_name};
use crate::assembly::{Dims, Point, Residual, SlotKind, System, Term, Want, Weights};
use crate::linear::{RankReport, RedundantRow, RowSet, redundant_rows};
use crate::model::{Switch, Switched};
use crate::scales::{Scales, Weighting};
use std::ops::Range;

/// What may be left of a dependent row, relative to its terms.
pub(super) const TOLERANCE: f64 = 1e-9;
/// The same near a singular position, which assembly reaches to half the digits only.
pub(super) const NEARLY: f64 = 1e-5;
/// Disagreement of dependent rows, relative to their scale or, of rates, what they are made of.
const AGREES: f64 = 1e-7;
/// Changes of coordinates by which a position's neighbours are looked for, relative to their size.
pub(super) const ASIDE: f64 = 1e-2;

/// Rank of G over K at a point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rank {
    /// Independent rows.
    pub rank: usize,
    /// Dependent rows by name.
    pub redundant: Vec<Redundant>,
    /// Dependent holonomic rows.
    pub inactive_lambda: Vec<usize>,
    /// Dependent nonholonomic rows.
    pub inactive_psi: Vec<usize>,
    /// Rows that depend on others at this very position and not where the motion goes next:
    /// holonomic ones, then nonholonomic. They belong to the equations of motion.
    pub momentary: [Vec<usize>; 2],
}

impl Rank {
    pub(super) fn new(system: &System, point: &Point, report: &RankReport) -> Self {
        let name = |row: usize| row_name(system, row);
        let outputs = open_outputs(system, point, &report.redundant);
        let rows: Vec<usize> = report.redundant.iter().map(|r| r.row).collect();
        let [inactive_lambda, inactive_psi] = by_kind(system, &rows);
        Rank {
            rank: report.rank,
            redundant: report
                .redundant
                .iter()
                .zip(outputs)
                .map(|(r, outputs)| {
                    let others: Vec<usize> = r.depends_on.iter().map(|&(row, _)| row).collect();
                    Redundant {
                        row: name(r.row),
                        depends_on: others.iter().map(|&row| name(row)).collect(),
                        among: grouped(system, &others),
                        outputs,
                    }
                })
                .collect(),
            inactive_lambda,
            inactive_psi,
            momentary: Default::default(),
        }
    }

    /// Declares the dependent rows to the system.
    pub(crate) fn declare(&self, system: &mut System) {
        system.set_inactive_rows(&self.inactive_lambda, &self.inactive_psi);
    }

    /// The same, and those that are dependent at the position only.
    pub(super) fn declare_momentary(&self, system: &mut System) {
        let [lambda, psi] = &self.momentary;
        let lambda = [&self.inactive_lambda[..], lambda].concat();
        let psi = [&self.inactive_psi[..], psi].concat();
        system.set_inactive_rows(&lambda, &psi);
    }
}

/// For each dependent set of rows the outputs that change where its rows share their load in another way, by the null
/// vector of the set: this changes no equation of motion.
///
/// All sets are tried at once, then each half, and so on; what no half changes is asked for no more, and parts that
/// change different outputs are tried in one evaluation. So independent mechanisms cost the logarithm of their number.
fn open_outputs(system: &System, point: &Point, sets: &[RedundantRow]) -> Vec<Vec<String>> {
    let labels = system.model().outputs();
    let mut open = vec![Vec::new(); sets.len()];
    if labels.is_empty() || sets.is_empty() {
        return open;
    }
    // At multipliers that are alike in nothing, where no absolute value is stationary; and at others, which show the size
    // of what an output is made of where that cancels.
    let outputs_at = |phase: f64, shared: &[Range<usize>]| {
        let mut at = point.clone();
        for kind in [SlotKind::Lambda, SlotKind::Psi] {
            let all = at.get_mut(kind).iter_mut().enumerate();
            all.for_each(|(k, value)| *value = varied(phase + k as f64));
        }
        for k in shared.iter().cloned().flatten() {
            share(system.dims().m, &sets[k], varied(k as f64), &mut at);
        }
        let mut values = Vec::new();
        system.outputs(&at, &mut values);
        values
    };
    let (before, other) = (outputs_at(1.0, &[]), outputs_at(3.0, &[]));
    let mut parts: Vec<(Range<usize>, Vec<usize>)> =
        vec![(0..sets.len(), (0..labels.len()).collect())];
    while !parts.is_empty() {
        let mut next = Vec::new();
        while !parts.is_empty() {
            // Of the parts those that ask for different outputs.
            let mut asked = vec![false; labels.len()];
            let (together, later): (Vec<_>, Vec<_>) = parts.into_iter().partition(|(_, of)| {
                let apart = of.iter().all(|&k| !asked[k]);
                of.iter().filter(|_| apart).for_each(|&k| asked[k] = true);
                apart
            });
            parts = later;
            let shared: Vec<Range<usize>> = together.iter().map(|(part, _)| part.clone()).collect();
            let after = outputs_at(1.0, &shared);
            for (part, mut of) in together {
                of.retain(|&k| {
                    let size = before[k].abs().max(after[k].abs()).max(other[k].abs());
                    (after[k] - before[k]).abs() > 1e-9 * size
                });
                let half = part.start + part.len() / 2;
                match part.len() {
                    _ if of.is_empty() => {}
                    1 => open[part.start] = of.iter().map(|&k| labels[k].name.clone()).collect(),
                    _ => next.extend([(part.start..half, of.clone()), (half..part.end, of)]),
                }
            }
        }
        parts = next;
    }
    open
}

/// Numbers near 1 that are alike in nothing.
fn varied(k: f64) -> f64 {
    1.0 + 0.37 * (1.0 + k).sin()
}

/// Adds to the multipliers of a point so much of the null vector of a dependent set of rows: another share of the same
/// load.
fn share(m: usize, row: &RedundantRow, size: f64, at: &mut Point) {
    let null = row.depends_on.iter().map(|&(other, factor)| (other, -factor));
    for (row, share) in null.chain([(row.row, 1.0)]) {
        match row.checked_sub(m) {
            None => at.get_mut(SlotKind::Lambda)[row] += size * share,
            Some(row) => at.get_mut(SlotKind::Psi)[row] += size * share,
        }
    }
}

/// The multipliers of a point shared in other ways, all sets of dependent rows at once, by changes of about this size to
/// either side: no equation of motion tells these points from it. None where no rows depend on others.
pub(crate) fn other_shares(system: &System, point: &Point, size: f64) -> Vec<Point> {
    let sets = dependent(system, point, TOLERANCE).redundant;
    if sets.is_empty() {
        return Vec::new();
    }
    let other = |size: f64| {
        let mut at = point.clone();
        let all = sets.iter().enumerate();
        all.for_each(|(k, row)| share(system.dims().m, row, size * varied(k as f64), &mut at));
        at
    };
    vec![other(size), other(-size)]
}

/// Shares the load of dependent rows so that the multipliers of a point are as small as they can be, in the sum of their
/// squares: without what they have along the null vectors of Gᵀ and Kᵀ. No equation of motion tells the difference.
///
/// Rows that are housekeeping, as the norm of Euler parameters, bear nothing, and count nothing. Contacts keep what they
/// have: with less they might have to pull.
pub(crate) fn share_least(system: &System, point: &mut Point) {
    if !system.has_redundant_rows() {
        return;
    }
    let (m, model) = (system.dims().m, system.model());
    let contacts = |row: usize| {
        let held = |switch: &Switch| matches!(switch.by, Switched::Contact(_));
        model.switches().iter().any(|switch| held(switch) && switch.rows.contains(&row))
    };
    let mut counts = vec![1.0; m + system.dims().p];
    for block in model.holonomic().iter().filter(|block| model.is_housekeeping(&block.name)) {
        counts[block.first..block.first + block.len].fill(0.0);
    }
    // Rows that were left out of the equations are among those that share.
    let mut whole = system.clone();
    whole.set_inactive_rows(&[], &[]);
    let nulls: Vec<Vec<(usize, f64)>> = dependent(&whole, point, NEARLY)
        .redundant
        .iter()
        .map(|r| {
            let others = r.depends_on.iter().map(|&(row, factor)| (row, -factor));
            others.chain([(r.row, 1.0)]).collect()
        })
        .filter(|null: &Vec<(usize, f64)>| !null.iter().any(|&(row, _)| row < m && contacts(row)))
        .collect();
    let mut all = [point.lambda(), point.psi()].concat();
    for part in with_rows_in_common(&nulls, counts.len()) {
        let mut rows: Vec<usize> = part.iter().flat_map(|null| null.iter().map(|x| x.0)).collect();
        rows.sort_unstable();
        rows.dedup();
        let counts: Vec<f64> = rows.iter().map(|&row| counts[row]).collect();
        // Gram and Schmidt, twice: sets of rows that have some in common are dependent on each other.
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for null in part {
            let mut dense = vec![0.0; rows.len()];
            for &(row, value) in null {
                if let Ok(place) = rows.binary_search(&row) {
                    dense[place] = value;
                }
            }
            for _ in 0..2 {
                basis.iter().for_each(|other| take_out(&mut dense, other, &counts));
            }
            let length = within(&dense, &dense, &counts).sqrt();
            if length > NEARLY {
                dense.iter_mut().for_each(|x| *x /= length);
                basis.push(dense);
            }
        }
        let mut own: Vec<f64> = rows.iter().map(|&row| all[row]).collect();
        basis.iter().for_each(|null| take_out(&mut own, null, &counts));
        rows.iter().zip(own).for_each(|(&row, value)| all[row] = value);
    }
    point.get_mut(SlotKind::Lambda).copy_from_slice(&all[..m]);
    point.get_mut(SlotKind::Psi).copy_from_slice(&all[m..]);
}

/// Sparse vectors, those together that have entries in common, directly or by way of others.
fn with_rows_in_common(vectors: &[Vec<(usize, f64)>], rows: usize) -> Vec<Vec<&[(usize, f64)]>> {
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); rows];
    for (k, vector) in vectors.iter().enumerate() {
        vector.iter().for_each(|&(row, _)| readers[row].push(k));
    }
    let mut found = vec![false; vectors.len()];
    let mut parts = Vec::new();
    for first in 0..vectors.len() {
        let (mut part, mut open) = (Vec::new(), vec![first]);
        while let Some(k) = open.pop() {
            if !std::mem::replace(&mut found[k], true) {
                part.push(k);
                let rows = vectors[k].iter().map(|&(row, _)| row);
                rows.for_each(|row| open.append(&mut readers[row]));
            }
        }
        part.sort_unstable();
        if !part.is_empty() {
            parts.push(part.into_iter().map(|k| &vectors[k][..]).collect());
        }
    }
    parts
}

/// The product of two vectors over the entries that count.
fn within(a: &[f64], b: &[f64], counts: &[f64]) -> f64 {
    a.iter().zip(b).zip(counts).map(|((x, y), count)| count * x * y).sum()
}

/// Takes out of a vector what it has along one of unit length.
fn take_out(vector: &mut [f64], along: &[f64], counts: &[f64]) {
    let part = within(vector, along, counts);
    vector.iter_mut().zip(along).for_each(|(x, y)| *x -= part * y);
}

/// Rows of G over K as holonomic and nonholonomic ones.
fn by_kind(system: &System, rows: &[usize]) -> [Vec<usize>; 2] {
    let m = system.dims().m;
    let holonomic = rows.iter().copied().filter(|&r| r < m).collect();
    [holonomic, rows.iter().filter(|&&r| r >= m).map(|&r| r - m).collect()]
}

/// Finds the rows of G over K that depend on earlier ones (of a dependent set, the latest declared
/// is reported), and tells redundancy from a singular position by looking nearby: at a position a
/// little aside for rows that are independent in general, and then along the motion, where a
/// mechanism that moves through a singular position is soon.
///
/// # Errors
/// [`StartError::SingularPosition`] at rest, or when the rows stay dependent along the motion.
pub fn analyse_rank(system: &System, point: &Point) -> Result<Rank, StartError> {
    let nearly = dependent(system, point, NEARLY);
    if nearly.redundant.is_empty() {
        return Ok(Rank::new(system, point, &nearly));
    }
    let Some(nearby) = neighbour(system, point, |q| step_aside(system, q, ASIDE, false)) else {
        return Ok(Rank::new(system, point, &dependent(system, point, TOLERANCE)));
    };
    if nearby.rank <= nearly.rank {
        return Ok(Rank::new(system, point, &dependent(system, point, TOLERANCE)));
    }
    if let Some(along) = neighbour(system, point, |p| step_along(system, p, ASIDE))
        && along.rank >= nearby.rank
    {
        let here = nearly.redundant.iter().map(|r| r.row);
        let still = |row: &usize| along.redundant.iter().any(|r| r.row == *row);
        let momentary: Vec<usize> = here.filter(|row| !still(row)).collect();
        return Ok(Rank {
            momentary: by_kind(system, &momentary),
            ..Rank::new(system, point, &along)
        });
    }
    Err(singular_position(system, &nearly, &nearby))
}

/// The error for rows that are dependent at a point and not beside it.
fn singular_position(system: &System, here: &RankReport, nearby: &RankReport) -> StartError {
    let everywhere: Vec<usize> = nearby.redundant.iter().map(|r| r.row).collect();
    let (mut rows, mut with) = (Vec::new(), Vec::new());
    for r in here.redundant.iter().filter(|r| !everywhere.contains(&r.row)) {
        rows.push(row_name(system, r.row));
        with.extend(r.depends_on.iter().map(|&(row, _)| row));
    }
    with.sort_unstable();
    with.dedup();
    StartError::SingularPosition { rows, with: grouped(system, &with) }
}

/// The rank at a neighbouring position that meets the constraints; `None` when the displaced point
/// does not lead to one.
fn neighbour(
    system: &System,
    point: &Point,
    displace: impl Fn(&mut Point) -> bool,
) -> Option<RankReport> {
    let mut aside = point.clone();
    let there = displace(&mut aside) && assemble_freely(system, &mut aside).unwrap_or(false);
    there.then(|| dependent(system, &aside, NEARLY))
}

/// Whether the rows of G over K that hold determine a combination of the velocities, given by its factors, each
/// with the index of its velocity; rows but those `without`.
pub(crate) fn is_determined(
    system: &System,
    point: &Point,
    factors: &[(usize, f64)],
    without: &[usize],
) -> bool {
    let rows =
        ConstraintRows::new(system).at(system, point, factors, &|row| without.contains(&row));
    let report = redundant_rows(&rows, NEARLY, system.patterns());
    report.redundant.iter().any(|r| r.row + 1 == rows.rows())
}

pub(super) fn dependent(system: &System, point: &Point, tolerance: f64) -> RankReport {
    let dims = system.dims();
    if dims.m + dims.p == 0 {
        return RankReport { distance: 1.0, ..RankReport::default() };
    }
    let rows = ConstraintRows::new(system).at(system, point, &[], &|_| false);
    dependent_of(system, &rows, tolerance)
}

/// The same of rows at hand.
pub(super) fn dependent_of(system: &System, rows: &RowSet, tolerance: f64) -> RankReport {
    let mut report = redundant_rows(rows, tolerance, system.patterns());
    // The rows of surfaces that the motion is not on, and of contacts that are open, are no rows.
    report.redundant.retain(|r| match r.row.checked_sub(system.dims().m) {
        Some(row) => !system.is_off(SlotKind::Psi, row),
        None => !system.is_off(SlotKind::Lambda, r.row),
    });
    report
}

/// The surfaces along which the motion slides whose rows depend on the constraints and on the surfaces before
/// them: of bodies that are tied together, all but one.
pub(crate) fn dependent_surfaces(system: &System, point: &Point) -> Vec<usize> {
    let first = system.dims().m + system.model().stated_nonholonomic();
    let report = dependent(system, point, NEARLY);
    report.redundant.iter().filter_map(|r| r.row.checked_sub(first)).collect()
}

/// The rows of G over K that depend on others before them, each with these.
pub(crate) fn dependent_rows(system: &System, point: &Point) -> Vec<(usize, Vec<usize>)> {
    let report = dependent(system, point, NEARLY);
    let others =
        |r: &crate::linear::RedundantRow| r.depends_on.iter().map(|&(row, _)| row).collect();
    report.redundant.iter().map(|r| (r.row, others(r))).collect()
}

/// The rows of the model's constraints that depend on others, with what reads how these share their load.
pub(crate) fn redundant_constraints(system: &System, point: &Point) -> Vec<Redundant> {
    let mut report = dependent(system, point, NEARLY);
    let of_surfaces = system.dims().m + system.model().stated_nonholonomic();
    report.redundant.retain(|r| r.row < of_surfaces);
    Rank::new(system, point, &report).redundant
}

/// Moves along the velocities, by so much of the coordinates' scales at most; false at rest.
fn step_along(system: &System, point: &mut Point, by: f64) -> bool {
    let scales = Scales::rough(system, point, false);
    let relative = point.v().iter().zip(scales.q().weights()).map(|(v, size)| v.abs() / size);
    let fastest = relative.fold(0.0f64, f64::max);
    let moves = fastest > 1e-9 * scales.rate() && fastest.is_finite();
    if moves {
        let v = point.v().to_vec();
        for (q, v) in point.q_mut().iter_mut().zip(v) {
            *q += by / fastest * v;
        }
        point.set_t(point.t() + by / fastest);
    }
    moves
}

/// Changes every coordinate by a little of its scale, always in the same way; from a point that has
/// `gaps` these are lengths too.
fn step_aside(system: &System, point: &mut Point, by: f64, gaps: bool) -> bool {
    let scales = Scales::rough(system, point, gaps);
    let mut random = 0x2545_f491_4f6c_dd1du64;
    for (q, size) in point.q_mut().iter_mut().zip(scales.q().weights()) {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let r = (random >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        *q += by * r * size;
    }
    true
}

/// What dependent rows have to do with a failed assembly of positions or velocities: when rows are
/// dependent around the given point and violated where the others hold, they contradict each other.
pub(super) fn contradiction(system: &mut System, given: &Point) -> Option<StartError> {
    let mut aside = given.clone();
    step_aside(system, &mut aside, ASIDE, true);
    let report = dependent(system, &aside, TOLERANCE);
    let rank = Rank::new(system, &aside, &report);
    if rank.redundant.is_empty() {
        return None;
    }
    rank.declare(system);
    let mut point = given.clone();
    let holds = assemble_freely(system, &mut point).unwrap_or(false)
        && project_freely(system, &mut point).unwrap_or(false);
    system.set_inactive_rows(&[], &[]);
    if !holds {
        return None;
    }
    let want = Want::G | Want::GDOT | Want::K;
    let mut out = Residual::new(&system.dims());
    system.eval_at(&point, want, &mut out);
    let scales = Scales::new(system, &point, point.t(), Weighting::Model);
    let speeds = row_sizes(system, &point, point.v());
    disagreement(system, &report, |row| {
        if row < out.g.len() {
            let size = scales.holonomic()[row];
            [(out.g[row], size), (out.gdot[row], speeds[row].max(scales.rate() * size))]
        } else {
            let k = row - out.g.len();
            let size = speeds[row].max(scales.rate() * scales.nonholonomic()[k]);
            [(out.k[k], size), (0.0, 1.0)]
        }
    })
}

/// Whether dependent rows agree with the others in the accelerations reached.
pub(super) fn check_accelerations(
    system: &mut System,
    point: &Point,
    rank: &Rank,
) -> Result<(), StartError> {
    let momentary = rank.momentary.iter().any(|rows| !rows.is_empty());
    if rank.redundant.is_empty() && !momentary {
        return Ok(());
    }
    system.set_inactive_rows(&[], &[]);
    let report = dependent(system, point, if momentary { NEARLY } else { TOLERANCE });
    let mut out = Residual::new(&system.dims());
    system.eval_at(point, Want::GU | Want::GAMMA | Want::KU | Want::ZETA, &mut out);
    rank.declare(system);
    let m = out.gu.len();
    let scales = Scales::new(system, point, point.t(), Weighting::Model);
    let sizes = row_sizes(system, point, point.a());
    let found = disagreement(system, &report, |row| {
        let (u, c) = if row < m {
            (out.gu[row], out.gamma[row])
        } else {
            (out.ku[row - m], out.zeta[row - m])
        };
        let size = if row < m { scales.holonomic()[row] } else { scales.nonholonomic()[row - m] };
        let least = sizes[row].max(size * scales.rate() * scales.rate());
        [(u + c, u.abs().max(c.abs()).max(least)), (0.0, 1.0)]
    });
    match found {
        // Velocities that are along no branch of the motion.
        Some(_) if momentary => {
            let everywhere = RankReport {
                rank: rank.rank,
                distance: report.distance,
                redundant: report
                    .redundant
                    .iter()
                    .filter(|r| inactive_row(system, r.row))
                    .cloned()
                    .collect(),
            };
            Err(singular_position(system, &report, &everywhere))
        }
        found => found.map_or(Ok(()), Err),
    }
}

/// Whether a row of G over K is declared redundant.
pub(super) fn inactive_row(system: &System, row: usize) -> bool {
    let m = system.dims().m;
    let (kind, row) = if row < m { (SlotKind::Lambda, row) } else { (SlotKind::Psi, row - m) };
    system.redundant_rows(kind).any(|r| r == row)
}

/// The rows declared redundant that are violated by more than rounding, relative to their scales, the
/// worst first: rows of G over K with their residuals.
pub(super) fn violated_rows(system: &System, point: &Point) -> Vec<(usize, f64)> {
    let mut out = Residual::new(&system.dims());
    let want = Want::G | Want::GDOT | Want::K;
    system.eval_every_row(point, &Weights::of(point), want, &mut out);
    let (holonomic, nonholonomic) = row_scales(system, point);
    let m = out.g.len();
    let mut found: Vec<(usize, f64, f64)> = Vec::new();
    let mut look = |row: usize, residual: f64, scale: f64| {
        let relative = residual.abs() / scale;
        // Written so that NaN counts.
        if inactive_row(system, row) && residual != 0.0 && !(relative <= AGREES) {
            found.push((row, residual, relative));
        }
    };
    for (row, [of_g, of_gdot]) in holonomic.into_iter().enumerate() {
        look(row, out.g[row], of_g);
        look(row, out.gdot[row], of_gdot);
    }
    for (row, scale) in nonholonomic.into_iter().enumerate() {
        look(m + row, out.k[row], scale);
    }
    found.sort_by(|a, b| b.2.total_cmp(&a.2));
    found.dedup_by_key(|f| f.0);
    found.into_iter().map(|(row, residual, _)| (row, residual)).collect()
}

/// What violations of holonomic rows, in positions and in velocities, and of nonholonomic rows are
/// measured by at a point, whether the rows are redundant or not.
pub(super) fn row_scales(system: &System, point: &Point) -> (Vec<[f64; 2]>, Vec<f64>) {
    let mut all = system.clone();
    all.set_inactive_rows(&[], &[]);
    let scales = Scales::new(&all, point, point.t(), Weighting::Model);
    let speeds = row_sizes(&all, point, point.v());
    let m = system.dims().m;
    let of_speed = |row: usize, size: f64| speeds[row].max(scales.rate() * size);
    let holonomic = scales.holonomic().iter().enumerate();
    let nonholonomic = scales.nonholonomic().iter().enumerate();
    (
        holonomic.map(|(row, &size)| [size, of_speed(row, size)]).collect(),
        nonholonomic.map(|(row, &size)| of_speed(m + row, size)).collect(),
    )
}

/// Σ |A_rj y_j| of the rows of G over K.
fn row_sizes(system: &System, point: &Point, y: &[f64]) -> Vec<f64> {
    let Dims { m, p, .. } = system.dims();
    let mut sizes = vec![0.0; m + p];
    for (term, first) in [(Term::G, 0), (Term::K, m)] {
        for (r, j, value) in system.entries(point, &Weights::of(point), term) {
            sizes[first + r] += (value * y[j]).abs();
        }
    }
    sizes
}

/// The dependent row with the largest residual, if that is more than rounding.
fn disagreement(
    system: &System,
    report: &RankReport,
    residuals: impl Fn(usize) -> [(f64, f64); 2],
) -> Option<StartError> {
    let mut worst: Option<(f64, StartError)> = None;
    for redundant in &report.redundant {
        for (residual, scale) in residuals(redundant.row) {
            let relative = residual.abs() / scale;
            if relative > AGREES && worst.as_ref().is_none_or(|(w, _)| relative > *w) {
                let with: Vec<usize> = redundant.depends_on.iter().map(|&(r, _)| r).collect();
                let with = grouped(system, &with);
                let row = row_name(system, redundant.row);
                worst = Some((relative, StartError::Inconsistent { row, with, residual }));
            }
        }
    }
    worst.map(|(_, error)| error)
}
