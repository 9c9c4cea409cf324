//! Which constraint rows depend on earlier ones at a point, and whether they agree with them.

use super::error::StartError;
use super::project::{assemble_freely, metric, project_freely};
use super::report::{Redundant, row_name};
use crate::assembly::{Dims, PlanBuilder, Point, Residual, System, Term, Want, Weights};
use crate::linear::{RankReport, RowSet, redundant_rows};
use crate::scales::{Scales, Weighting};

/// What may be left of a dependent row, relative to its terms.
const TOLERANCE: f64 = 1e-9;
/// The same near a singular position, which assembly reaches to half the digits only.
const NEARLY: f64 = 1e-5;
/// Disagreement of dependent rows, relative to their scale or, of rates, what they are made of.
const AGREES: f64 = 1e-7;

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
}

impl Rank {
    fn new(system: &System, report: &RankReport) -> Self {
        let m = system.dims().m;
        let name = |row: usize| row_name(system, row);
        let rows = || report.redundant.iter().map(|r| r.row);
        Rank {
            rank: report.rank,
            redundant: report
                .redundant
                .iter()
                .map(|r| Redundant {
                    row: name(r.row),
                    depends_on: r.depends_on.iter().map(|&(row, _)| name(row)).collect(),
                })
                .collect(),
            inactive_lambda: rows().filter(|&r| r < m).collect(),
            inactive_psi: rows().filter(|&r| r >= m).map(|r| r - m).collect(),
        }
    }
}

/// Finds the rows of G over K that depend on earlier ones (of a dependent set, the latest declared
/// is reported), and tells redundancy from a singular position by looking nearby.
///
/// # Errors
/// [`StartError::SingularPosition`].
pub fn analyse_rank(system: &System, point: &Point) -> Result<Rank, StartError> {
    let nearly = dependent(system, point, NEARLY);
    if nearly.redundant.is_empty() {
        return Ok(Rank::new(system, &nearly));
    }
    let mut aside = point.clone();
    step_aside(system, &mut aside, 1e-2, false);
    if assemble_freely(system, &mut aside).unwrap_or(false) {
        let nearby = dependent(system, &aside, NEARLY);
        if nearby.rank > nearly.rank {
            let everywhere: Vec<usize> = nearby.redundant.iter().map(|r| r.row).collect();
            let (mut rows, mut with) = (Vec::new(), Vec::new());
            for r in nearly.redundant.iter().filter(|r| !everywhere.contains(&r.row)) {
                rows.push(row_name(system, r.row));
                with.extend(r.depends_on.iter().map(|&(row, _)| row_name(system, row)));
            }
            return Err(StartError::SingularPosition { rows, with });
        }
    }
    Ok(Rank::new(system, &dependent(system, point, TOLERANCE)))
}

fn dependent(system: &System, point: &Point, tolerance: f64) -> RankReport {
    let dims = system.dims();
    let metric = metric(system, point);
    // Rows as a plan has them: without what is zero by form, as in the matrices of the steps.
    let mut plan = PlanBuilder::new(dims.n.max(dims.m + dims.p));
    plan.term(Term::G, 0, 0);
    plan.term(Term::K, dims.m, 0);
    let plan = plan.build(system);
    let mut values = plan.values();
    let coefficients = vec![1.0; plan.coefficients()];
    plan.fill(system, point, &Weights::of(point), &coefficients, &mut values);
    let entries = plan.pattern().entries().zip(values).map(|((r, c), v)| (r, c, v * metric[c]));
    let rows = RowSet::from_entries(dims.m + dims.p, dims.n, entries);
    redundant_rows(&rows, tolerance, system.patterns())
}

/// Changes every coordinate by a little of its scale, always in the same way; from a point that has
/// `gaps` these are lengths too.
fn step_aside(system: &System, point: &mut Point, by: f64, gaps: bool) {
    let scales = Scales::rough(system, point, gaps);
    let mut random = 0x2545_f491_4f6c_dd1du64;
    for (q, size) in point.q_mut().iter_mut().zip(scales.q().weights()) {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let r = (random >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        *q += by * r * size;
    }
}

/// What dependent rows have to do with a failed assembly of positions or velocities: when rows are
/// dependent around the given point and violated where the others hold, they contradict each other.
pub(super) fn contradiction(system: &mut System, given: &Point) -> Option<StartError> {
    let mut aside = given.clone();
    step_aside(system, &mut aside, 1e-2, true);
    let report = dependent(system, &aside, TOLERANCE);
    let rank = Rank::new(system, &report);
    if rank.redundant.is_empty() {
        return None;
    }
    system.set_inactive_rows(&rank.inactive_lambda, &rank.inactive_psi);
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
    if rank.redundant.is_empty() {
        return Ok(());
    }
    system.set_inactive_rows(&[], &[]);
    let report = dependent(system, point, TOLERANCE);
    let mut out = Residual::new(&system.dims());
    system.eval_at(point, Want::GU | Want::GAMMA | Want::KU | Want::ZETA, &mut out);
    system.set_inactive_rows(&rank.inactive_lambda, &rank.inactive_psi);
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
    found.map_or(Ok(()), Err)
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
                let with = redundant.depends_on.iter().map(|&(r, _)| row_name(system, r)).collect();
                let row = row_name(system, redundant.row);
                worst = Some((relative, StartError::Inconsistent { row, with, residual }));
            }
        }
    }
    worst.map(|(_, error)| error)
}
