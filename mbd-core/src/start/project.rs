//! Positions onto g = 0, velocities onto G v + g_t = 0 and k = 0, by least weighted change.
//!
//! Both repeat the same damped Gauss–Newton step. With W the diagonal of the mass matrix, y = W^½ Δ
//! and Â = R A W^−½ (A = G, or G over K; R brings rows to unit length; columns of kept scalars are
//! empty),
//!
//! ```text
//!     [ I    Âᵀ ] [ y ]     [  0   ]
//!     [ Â   −δ  ] [ μ ]  =  [ −R c ]
//! ```
//!
//! where c is the constraint's residual. δ > 0 (Levenberg–Marquardt) makes the step exist at singular
//! positions and with redundant rows; it is as small as the step allows.

use super::error::StartError;
use super::moved::{Moved, changes};
use super::rows::row_name;
use crate::assembly::{Plan, PlanBuilder, Point, Residual, SlotKind, System, Term, Want, Weights};
use crate::linear::{LinearSolver, solver_for};
use crate::scales::Scales;

const LARGEST_ITERATIONS: usize = 60;
const DELTA: f64 = 1e-12;
/// Violation, relative to the terms of the row, up to which it holds; of positions to what these are within the mechanism,
/// wherever the origin is.
const HOLDS: f64 = 1e-9;
/// The same relative to the bound of what rounding makes of it ([`System::roundings`]), which takes no account of what
/// solving amplifies.
const NOISE: f64 = 4.0;
/// Kept scalars whose change is below this part of their size were given with too few digits only.
const DIGITS: f64 = 1e-6;
/// From a perturbed guess near where a row has no slope an angle would turn about many times.
const TURN: f64 = 1.0;
/// What can move in a row is outweighed by what is kept where its squares are less than this part of all.
const OUTWEIGHED: f64 = 1e-8;
/// Sizes of the perturbations of guesses tried when none leads anywhere.
const ASIDE: [f64; 4] = [0.0, 0.01, 0.05, 0.2];

/// Moves the coordinates that are not kept onto g = 0, to rounding.
///
/// # Errors
/// [`StartError::KeptConflict`], [`StartError::CannotAssemble`], [`StartError::NotFinite`].
pub fn assemble_positions(system: &System, point: &mut Point) -> Result<Vec<Moved>, StartError> {
    solve(system, point, Level::Position)
}

/// Moves the velocities that are not kept onto G v + g_t = 0 and k = 0, to rounding.
///
/// # Errors
/// [`StartError::KeptConflict`], [`StartError::NoVelocities`], [`StartError::NotFinite`].
pub fn project_velocities(system: &System, point: &mut Point) -> Result<Vec<Moved>, StartError> {
    solve(system, point, Level::Velocity)
}

/// Moves all coordinates onto g = 0, those kept too; whether it succeeded.
pub(super) fn assemble_freely(system: &System, point: &mut Point) -> Result<bool, StartError> {
    freely(system, point, Level::Position)
}

/// Moves all velocities onto the constraints; whether it succeeded.
pub(super) fn project_freely(system: &System, point: &mut Point) -> Result<bool, StartError> {
    freely(system, point, Level::Velocity)
}

fn freely(system: &System, point: &mut Point, level: Level) -> Result<bool, StartError> {
    let dims = system.dims();
    let rows = if level == Level::Position { dims.m } else { dims.m + dims.p };
    if rows == 0 || dims.n == 0 {
        return Ok(true);
    }
    if exactly(system, point, level) {
        return Ok(true);
    }
    let mut projection = Projection::new(system, point, level, rows);
    if level == Level::Velocity {
        projection.enough = ROUNDED * rows as f64;
    }
    Ok(projection.iterate(system, point, &vec![false; dims.n])?.holds)
}

/// A violation that is none: its square is 0, so that nothing can lessen it. What a damped method has
/// brought to rest gets there.
const NONE: f64 = 1e-150;

/// The square of a relative violation of velocities in the motion that is rounding: steps from there factorize in vain.
const ROUNDED: f64 = 1e-30;

#[derive(Clone, Copy, PartialEq)]
enum Level {
    Position,
    Velocity,
}

impl Level {
    fn kind(self) -> SlotKind {
        match self {
            Level::Position => SlotKind::Q,
            Level::Velocity => SlotKind::V,
        }
    }

    fn want(self) -> Want {
        match self {
            Level::Position => Want::G,
            Level::Velocity => Want::GDOT | Want::K,
        }
    }
}

fn solve(system: &System, point: &mut Point, level: Level) -> Result<Vec<Moved>, StartError> {
    let dims = system.dims();
    let rows = if level == Level::Position { dims.m } else { dims.m + dims.p };
    if rows == 0 || dims.n == 0 {
        return Ok(Vec::new());
    }
    // At rest or exactly placed: nothing to factorize for.
    if exactly(system, point, level) {
        return Ok(Vec::new());
    }
    let initial = system.model().initial();
    let keep = if level == Level::Position { &initial.keep_q } else { &initial.keep_v };
    let before = point.get(level.kind()).to_vec();
    let mut projection = Projection::new(system, point, level, rows);
    let outcome = projection.attempts(system, point, keep)?;
    if outcome.holds {
        return Ok(changes(system, level.kind(), &before, point.get(level.kind()), keep));
    }
    if !keep.iter().any(|k| *k) {
        return Err(outcome.error(system, point, level));
    }

    // Would it go without keeping anything?
    let stuck = point.get(level.kind()).to_vec();
    point.get_mut(level.kind()).copy_from_slice(&before);
    let free = projection.attempts(system, point, &vec![false; dims.n])?;
    let moved = changes(system, level.kind(), &before, point.get(level.kind()), keep);
    let size = sizes(system, point, level, &before);
    let matters = |m: &&Moved| m.kept && (m.to - m.from).abs() > DIGITS * size[m.index];
    let needed: Vec<_> =
        moved.iter().filter(matters).map(|m| (m.name.clone(), m.from, m.to)).collect();
    if free.holds && needed.is_empty() {
        return Ok(moved);
    }
    point.get_mut(level.kind()).copy_from_slice(&stuck);
    if !free.holds {
        return Err(free.error(system, point, level));
    }
    let constraints: Vec<usize> = outcome.violated.iter().take(8).map(|v| v.0).collect();
    Err(StartError::KeptConflict {
        what: match level {
            Level::Position => "the initial positions",
            Level::Velocity => "the initial velocities",
        },
        kept: kept_in(system, point, level, keep, &constraints),
        constraints: constraints.iter().map(|&row| row_name(system, row)).collect(),
        needed,
    })
}

/// Whether no constraint of the level is violated at all.
fn exactly(system: &System, point: &Point, level: Level) -> bool {
    let mut out = Residual::new(&system.dims());
    system.eval_at(point, level.want(), &mut out);
    let pieces = match level {
        Level::Position => [&*out.g, &[]],
        Level::Velocity => [&*out.gdot, &*out.k],
    };
    pieces.into_iter().flatten().all(|&violation| violation.abs() <= NONE)
}

/// The kept scalars that some rows read; all of them when the rows read none.
fn kept_in(
    system: &System,
    point: &Point,
    level: Level,
    keep: &[bool],
    rows: &[usize],
) -> Vec<String> {
    let kept: Vec<usize> = (0..keep.len()).filter(|&i| keep[i]).collect();
    let mut read = vec![false; keep.len()];
    for (row, column, value) in jacobian(system, point, level == Level::Velocity) {
        read[column] |= value != 0.0 && rows.contains(&row);
    }
    let named: Vec<usize> = kept.iter().copied().filter(|&i| read[i]).collect();
    let named = if named.is_empty() { kept } else { named };
    named.into_iter().map(|i| system.scalar_name(level.kind(), i)).collect()
}

/// Entries of G, or of G over K.
fn jacobian(system: &System, point: &Point, with_k: bool) -> Vec<(usize, usize, f64)> {
    let weights = Weights { u: point.v(), s: point.lambda(), r: point.psi() };
    let mut entries = system.entries(point, &weights, Term::G);
    if with_k {
        let m = system.dims().m;
        let k = system.entries(point, &weights, Term::K);
        entries.extend(k.into_iter().map(|(r, c, v)| (m + r, c, v)));
    }
    entries
}

/// W^−½ of the diagonal of the mass matrix, with coordinates of little or no mass counted as light
/// ones.
pub(super) fn metric(system: &System, point: &Point) -> Vec<f64> {
    Metric::new(system).at(system, point)
}

/// The same for many points of one system.
#[derive(Debug)]
pub(super) struct Metric {
    plan: Plan,
    values: Vec<f64>,
}

impl Metric {
    pub(super) fn new(system: &System) -> Self {
        let mut plan = PlanBuilder::new(system.dims().n);
        plan.term(Term::M, 0, 0);
        let plan = plan.build_once(system);
        Metric { values: plan.values(), plan }
    }

    pub(super) fn at(&mut self, system: &System, point: &Point) -> Vec<f64> {
        let mut mass = vec![0.0f64; system.dims().n];
        self.plan.fill(system, point, &Weights::of(point), &[1.0], &mut self.values);
        for ((r, c), value) in self.plan.pattern().entries().zip(&self.values) {
            if r == c {
                mass[r] += value;
            }
        }
        by_masses(system, point, mass)
    }
}

fn by_masses(system: &System, point: &Point, mass: Vec<f64>) -> Vec<f64> {
    // Inertias compare within a unit only.
    let groups = system.unit_groups();
    let mut heaviest = vec![0.0f64; mass.len()];
    crate::scales::largest_by_group(groups, &mass, &mut heaviest);
    if heaviest.iter().any(|heaviest| !(*heaviest > 0.0 && heaviest.is_finite())) {
        // A unit without inertia: of length s it has that of the heaviest at s.
        let scales = Scales::rough(system, point, true);
        let square = |i: usize| scales.q().weights()[i].powi(2);
        let each = mass.iter().enumerate().map(|(i, m)| m.abs() * square(i));
        let most = each.filter(|m| m.is_finite()).fold(0.0, f64::max);
        let most = if most > 0.0 { most } else { 1.0 };
        let least = |i: usize| (mass[i].abs() * square(i)).clamp(1e-8 * most, most) / square(i);
        return (0..mass.len()).map(|i| 1.0 / least(i).sqrt()).collect();
    }
    let each = mass.iter().zip(&heaviest);
    each.map(|(m, most)| 1.0 / m.abs().clamp(1e-8 * most, *most).sqrt()).collect()
}

/// Size of each coordinate or velocity: a length of the mechanism, wherever the origin is; the largest velocity of its
/// unit.
fn sizes(system: &System, point: &Point, level: Level, values: &[f64]) -> Vec<f64> {
    match level {
        Level::Position => Scales::rough(system, point, true).q().weights().to_vec(),
        Level::Velocity => {
            let mut size = vec![0.0f64; values.len()];
            crate::scales::largest_by_group(system.unit_groups(), values, &mut size);
            size
        }
    }
}

/// How an attempt ended.
struct Outcome {
    holds: bool,
    iterations: usize,
    /// Violated rows with their residuals, the worst first.
    violated: Vec<(usize, f64)>,
    /// Σ of squared relative violations.
    badness: f64,
}

impl Outcome {
    fn error(&self, system: &System, point: &Point, level: Level) -> StartError {
        let violated =
            self.violated.iter().take(8).map(|&(row, r)| (row_name(system, row), r)).collect();
        match level {
            Level::Position => {
                StartError::CannotAssemble { t: point.t(), violated, iterations: self.iterations }
            }
            Level::Velocity => StartError::NoVelocities { t: point.t(), violated },
        }
    }
}

struct Projection {
    level: Level,
    n: usize,
    rows: usize,
    plan: Plan,
    solver: Box<dyn LinearSolver>,
    values: Vec<f64>,
    places: Vec<(usize, usize)>,
    diagonal: Vec<usize>,
    coefficients: Vec<f64>,
    metric: Vec<f64>,
    scale: Vec<f64>,
    /// Size of the terms of each row, Σ |A_ij| max(|y_j|, a little).
    terms: Vec<f64>,
    /// The same where no coordinate counts for more than its size in the mechanism.
    inside: Vec<f64>,
    /// These sizes; without bound of velocities.
    extent: Vec<f64>,
    /// That little of each column; where it has a natural size.
    least: Vec<f64>,
    natural: Vec<bool>,
    /// The largest velocity given, by unit, and what values have been perturbed by; nothing for positions that have not.
    given: Vec<f64>,
    /// Lengths of the coordinates; likewise.
    lengths: Vec<f64>,
    /// Violations that rounding makes, of positions.
    noise: Vec<f64>,
    /// What angles change by at most in an iteration.
    reach: f64,
    /// The sum of the squares of relative violations that is none.
    enough: f64,
    out: Residual,
    /// R c where the matrix was linearized.
    violation: Vec<f64>,
    x: Vec<f64>,
}

impl Projection {
    fn new(system: &System, point: &Point, level: Level, rows: usize) -> Self {
        let (n, m) = (system.dims().n, system.dims().m);
        let mut plan = PlanBuilder::new(n + rows);
        plan.term(Term::G, n, 0);
        plan.term(Term::Gt, 0, n);
        if level == Level::Velocity {
            plan.term(Term::K, n + m, 0);
            plan.term(Term::Kt, 0, n + m);
        }
        plan.unit(n + rows, 0, 0);
        let plan = plan.build_once(system);
        let mut coefficients = vec![1.0; plan.coefficients()];
        if let Some(unit) = coefficients.last_mut() {
            *unit = 0.0;
        }
        let (mut given, mut lengths) = (vec![0.0; n], Vec::new());
        if level == Level::Velocity {
            crate::scales::largest_by_group(system.unit_groups(), point.v(), &mut given);
            lengths = Scales::rough(system, point, true).q().weights().to_vec();
        }
        Projection {
            level,
            enough: 0.0,
            reach: f64::INFINITY,
            n,
            given,
            lengths,
            rows,
            solver: solver_for(plan.pattern()),
            values: plan.values(),
            places: plan.pattern().entries().collect(),
            diagonal: (0..n + rows).map(|i| plan.pattern().position(i, i)).collect(),
            coefficients,
            metric: metric(system, point),
            scale: vec![1.0; n + rows],
            terms: vec![0.0; rows],
            inside: vec![0.0; rows],
            extent: match level {
                Level::Position => sizes(system, point, level, point.q()),
                Level::Velocity => vec![f64::INFINITY; n],
            },
            least: vec![0.0; n],
            natural: match level {
                Level::Position => crate::model::natural(system.model()),
                Level::Velocity => vec![false; n],
            },
            violation: vec![0.0; rows],
            noise: vec![0.0; rows],
            out: Residual::new(&system.dims()),
            x: vec![0.0; n + rows],
            plan,
        }
    }

    /// From the given values, and if that leads nowhere from perturbed ones: those of all that is coupled to a row
    /// that the given ones violate.
    fn attempts(
        &mut self,
        system: &System,
        point: &mut Point,
        keep: &[bool],
    ) -> Result<Outcome, StartError> {
        let kind = self.level.kind();
        let given = point.get(kind).to_vec();
        let mut size = Vec::new();
        let mut best: Option<(Outcome, Vec<f64>)> = None;
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        let unperturbed = self.given.clone();
        for aside in ASIDE {
            if aside > 0.0 && size.is_empty() {
                // Wherever the origin is.
                point.get_mut(kind).copy_from_slice(&given);
                size = sizes(system, point, self.level, &given);
                let coupled = self.coupled(system, point, keep)?;
                size.iter_mut().zip(coupled).filter(|of| !of.1).for_each(|of| *of.0 = 0.0);
            }
            for (i, ((y, from), keep)) in
                point.get_mut(kind).iter_mut().zip(&given).zip(keep).enumerate()
            {
                random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let r = (random >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
                let by = size.get(i).map_or(0.0, |size| aside * r * size);
                *y = if *keep { *from } else { from + by };
            }
            // What comes back to 0 from there is known to the rounding of what it was.
            let of = self.given.iter_mut().zip(&unperturbed).zip(&size);
            of.for_each(|((given, least), size)| *given = least.max(aside * size));
            self.reach = if aside > 0.0 { TURN } else { f64::INFINITY };
            let outcome = match self.iterate(system, point, keep) {
                Ok(outcome) => outcome,
                // Values that nobody gave may be where a function has none.
                Err(_) if aside > 0.0 => continue,
                Err(error) => return Err(error),
            };
            let better = best.as_ref().is_none_or(|(b, _)| outcome.badness < b.badness);
            let done = outcome.holds;
            if done || better {
                best = Some((outcome, point.get(kind).to_vec()));
            }
            if done || keep.iter().all(|k| *k) {
                break;
            }
        }
        (self.given, self.reach) = (unperturbed, f64::INFINITY);
        match best {
            Some((outcome, y)) => {
                point.get_mut(kind).copy_from_slice(&y);
                Ok(outcome)
            }
            None => Ok(Outcome { holds: true, iterations: 0, violated: vec![], badness: 0.0 }),
        }
    }

    /// Which scalars rows that are violated at a point read, others that read one of these, and so on; what is kept couples
    /// nothing.
    fn coupled(
        &mut self,
        system: &System,
        point: &Point,
        keep: &[bool],
    ) -> Result<Vec<bool>, StartError> {
        self.evaluate(system, point)?;
        self.linearize(system, point, keep);
        let n = self.n;
        let mut neighbours = vec![Vec::new(); n + self.rows];
        for &(i, j) in self.places.iter().filter(|&&(i, j)| i >= n && j < n && !keep[j]) {
            neighbours[i].push(j);
            neighbours[j].push(i);
        }
        let mut reached = vec![false; n + self.rows];
        let mut open: Vec<usize> =
            self.judge(0).violated.into_iter().map(|(row, _)| n + row).collect();
        while let Some(next) = open.pop() {
            if !std::mem::replace(&mut reached[next], true) {
                open.extend(&neighbours[next]);
            }
        }
        reached.truncate(n);
        Ok(reached)
    }

    fn iterate(
        &mut self,
        system: &System,
        point: &mut Point,
        keep: &[bool],
    ) -> Result<Outcome, StartError> {
        let kind = self.level.kind();
        let mut delta = DELTA;
        let mut last = f64::INFINITY;
        let mut iterations = 0;
        self.evaluate(system, point)?;
        while iterations < LARGEST_ITERATIONS {
            iterations += 1;
            self.linearize(system, point, keep);
            let merit = self.merit();
            if merit == 0.0 || self.judge(iterations).badness <= self.enough {
                break;
            }
            let here = point.get(kind).to_vec();
            let mut moved = false;
            // A step that does not lessen the violation is shortened, then bent to the gradient.
            for trial in 0..12 {
                let factor = if trial < 4 { 0.5f64.powi(trial) } else { 1.0 };
                if trial >= 4 {
                    delta = (delta * 100.0).max(1e-8);
                }
                if (trial == 0 || trial >= 4) && !self.step(delta) {
                    delta = (delta * 100.0).max(1e-8);
                    continue;
                }
                let turns = self.x.iter().zip(&self.natural).filter(|(_, natural)| **natural);
                let most = turns.fold(0.0f64, |most, (dy, _)| most.max(dy.abs()));
                let part = factor * (self.reach / most).min(1.0);
                for ((y, from), dy) in point.get_mut(kind).iter_mut().zip(&here).zip(&self.x) {
                    *y = from + part * dy;
                }
                if self.evaluate(system, point).is_ok() && self.merit() < merit {
                    moved = true;
                    if factor == 1.0 {
                        delta = (delta * 1e-3).max(DELTA);
                    }
                    break;
                }
            }
            if !moved {
                point.get_mut(kind).copy_from_slice(&here);
                self.evaluate(system, point)?;
                break;
            }
            let step = here
                .iter()
                .zip(point.get(kind))
                .zip(&self.metric)
                .fold(0.0f64, |m, ((a, b), w)| m.max((a - b).abs() / w));
            // At rounding steps no longer shrink by much.
            let outcome = self.judge(iterations);
            if outcome.badness < 1e-32 || (step > 0.5 * last && outcome.holds) {
                break;
            }
            last = step;
        }
        self.linearize(system, point, keep);
        let outcome = self.judge(iterations);
        if outcome.holds || self.level == Level::Velocity {
            return Ok(outcome);
        }
        // Far from the origin a row may be all noise beside the changes of an angle.
        self.noise = system.roundings(point);
        Ok(self.judge(iterations))
    }

    fn residual(&self, row: usize) -> f64 {
        match self.level {
            Level::Position => self.out.g[row],
            Level::Velocity => {
                let m = self.out.gdot.len();
                if row < m { self.out.gdot[row] } else { self.out.k[row - m] }
            }
        }
    }

    fn evaluate(&mut self, system: &System, point: &Point) -> Result<(), StartError> {
        let want = self.level.want();
        system.eval_at(point, want, &mut self.out);
        if (0..self.rows).all(|row| self.residual(row).is_finite()) {
            return Ok(());
        }
        Err(not_finite(system, point, want))
    }

    /// Fills the values with Â, the scales with W^−½ and R, and the sizes of the rows' terms.
    fn linearize(&mut self, system: &System, point: &Point, keep: &[bool]) {
        let weights = Weights { u: point.v(), s: point.lambda(), r: point.psi() };
        self.plan.fill(system, point, &weights, &self.coefficients, &mut self.values);
        let n = self.n;
        self.scale[..n].copy_from_slice(&self.metric);
        self.scale[n..].fill(0.0);
        self.terms.fill(0.0);
        self.inside.fill(0.0);
        let y = point.get(self.level.kind());
        crate::scales::largest_by_group(system.unit_groups(), y, &mut self.least);
        for (least, given) in self.least.iter_mut().zip(&self.given) {
            // Of a mechanism that cannot move rounding is all that is left of what was given.
            *least = least.max(*given);
        }
        // And of all that turns about fixed axes rounding is all that other velocities are.
        let rates = self.least.iter().zip(&self.lengths).map(|(v, length)| v / length);
        let rate = rates.filter(|rate| rate.is_finite()).fold(0.0, f64::max);
        for (least, length) in self.least.iter_mut().zip(&self.lengths) {
            *least = least.max(rate * length);
        }
        for (least, &natural) in self.least.iter_mut().zip(&self.natural) {
            *least = 1e-3 * if natural { least.max(1.0) } else { *least };
        }
        // By what can move where a kept coordinate outweighs it by far: beside it the others would hardly be moved.
        let mut by_all = vec![0.0; self.rows];
        for (&(i, j), value) in self.places.iter().zip(&self.values) {
            if i >= n && j < n {
                let square = (value * self.metric[j]).powi(2);
                self.scale[i] += if keep[j] { 0.0 } else { square };
                by_all[i - n] += square;
                let size = y[j].abs().max(self.least[j]);
                self.terms[i - n] += value.abs() * size;
                self.inside[i - n] += value.abs() * size.min(self.extent[j]);
            }
        }
        for (s, by_all) in self.scale[n..].iter_mut().zip(by_all) {
            let square = if s.is_normal() && *s < OUTWEIGHED * by_all { *s } else { by_all };
            *s = if square.is_normal() { 1.0 / square.sqrt() } else { 1.0 };
        }
        for (&(i, j), value) in self.places.iter().zip(&mut self.values) {
            let kept = keep[i.min(j).min(n - 1)] && i.min(j) < n;
            *value = if kept || (i < n && j < n) || (i >= n && j >= n) {
                0.0
            } else {
                *value * self.scale[i] * self.scale[j]
            };
        }
        for row in 0..self.rows {
            self.violation[row] = self.scale[n + row] * self.residual(row);
        }
    }

    /// Σ (R c)².
    fn merit(&self) -> f64 {
        (0..self.rows).map(|row| (self.scale[self.n + row] * self.residual(row)).powi(2)).sum()
    }

    /// The step Δ into `x[..n]`.
    fn step(&mut self, delta: f64) -> bool {
        let n = self.n;
        for (i, &place) in self.diagonal.iter().enumerate() {
            self.values[place] = if i < n { 1.0 } else { -delta };
        }
        if self.solver.factorize(&self.values).is_err() {
            return false;
        }
        self.x[..n].fill(0.0);
        for row in 0..self.rows {
            self.x[n + row] = -self.violation[row];
        }
        self.solver.solve(&mut self.x);
        for (x, w) in self.x[..n].iter_mut().zip(&self.metric) {
            *x *= w;
        }
        self.x[..n].iter().all(|x| x.is_finite())
    }

    /// Compares every violation with the terms of its row.
    fn judge(&self, iterations: usize) -> Outcome {
        let relative: Vec<f64> = (0..self.rows)
            .map(|row| match self.residual(row).abs() {
                0.0 => 0.0,
                residual => residual / self.terms[row].max(f64::MIN_POSITIVE),
            })
            .collect();
        let violates = |&row: &usize| {
            let residual = self.residual(row).abs();
            residual > HOLDS * self.inside[row] && residual > NOISE * self.noise[row]
        };
        let mut violated: Vec<usize> = (0..self.rows).filter(violates).collect();
        violated.sort_by(|&a, &b| relative[b].total_cmp(&relative[a]));
        Outcome {
            holds: violated.is_empty(),
            iterations,
            violated: violated.into_iter().map(|r| (r, self.residual(r))).collect(),
            badness: relative.iter().map(|r| r * r).sum(),
        }
    }
}

/// The error for a residual that is not finite.
pub(super) fn not_finite(system: &System, point: &Point, want: Want) -> StartError {
    match system.locate_nonfinite(point, want) {
        Some(found) => StartError::NotFinite {
            what: found.what,
            value: found.value,
            statement: found.statement,
            reads: found.reads,
        },
        None => StartError::NotFinite {
            what: "the sum of several statements".into(),
            value: f64::INFINITY,
            statement: system.model().name().into(),
            reads: String::new(),
        },
    }
}
