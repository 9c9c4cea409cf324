//! Checks of every derivative by a second algorithm, for this library's tests and for users'.
//!
//! Each quantity of the derivative engine is compared with an eighth-order central difference of
//! the quantity one derivative below it, down to the values of g, k, T, U, the forces and the
//! equations themselves. Several step sizes are tried and the best agreement counts, so that a
//! nearby kink or a badly scaled coordinate does not read as a wrong derivative; a wrong one
//! disagrees at every step size.
//!
//! A statement that compares values is checked on every side of every comparison that a point can be
//! found for ([`NotReached`] says for which there is none), and no difference quotient reaches across
//! a change of side.
//!
//! Orders of convergence are measured by [`Convergence`], the inertia of what may move by
//! [`indefinite_mass`].

mod branches;
mod convergence;
mod energies;
mod on_duals;
mod params;

pub use crate::start::{IndefiniteMass, indefinite_mass};
pub use branches::{Because, NotReached};
pub use convergence::{Convergence, convergence_order};
pub use on_duals::on_dual_numbers;

use crate::assembly::{Point, Residual, SlotKind, System, Term, Want, Weights};
use crate::model::{Mechanism, Model, ModelError};
use crate::program::PATIENCE;
use crate::scalar::SLIDES;
use crate::start::{assembled, mass_changes};
use branches::{Steady, visits};
use energies::{check_balance, check_energies};
use nalgebra::DMatrix;
use std::collections::HashMap;
use std::fmt;

/// Largest difference between the programs and plain dual numbers, over all residual pieces and
/// terms at a generic point, relative to each quantity's largest entry.
///
/// The two are independent: one differentiates an expression, the other evaluates it on numbers
/// that carry derivatives. They agree to round-off. Infinite when a program does not give the same
/// bits evaluated node by node and by code. Where comparisons can be held on a
/// [side](Point::sides), the largest difference with sides at random counts too, as far as what is
/// held has a value there.
pub fn program_error(system: &mut System, seed: u64) -> f64 {
    slide_along_all(system);
    let mut point = generic_point(system, seed);
    let free = program_error_at(system, &point, seed);
    if point.sides().is_empty() {
        return free;
    }
    let mut noise = Noise::new(seed + 2);
    point.sides_mut().iter_mut().for_each(|side| *side = noise.sample().signum());
    let held = program_error_at(system, &point, seed);
    for (side, _) in system.sides_of_surfaces(point.flat()) {
        point.flat_mut()[side] = SLIDES;
    }
    let sliding = program_error_at(system, &point, seed);
    [held, sliding].into_iter().filter(|error| !error.is_nan()).fold(free, f64::max)
}

/// Puts the rows of all surfaces into the equations.
fn slide_along_all(system: &mut System) {
    system.set_slides(&vec![true; system.slides().len()]);
}

/// The same at a point; NaN where something has no value in both.
fn program_error_at(system: &mut System, point: &Point, seed: u64) -> f64 {
    let dims = system.dims();
    let mut noise = Noise::new(seed + 1);
    let mut vector = |len: usize| (0..len).map(|_| noise.sample()).collect::<Vec<f64>>();
    let (u, s, r) = (vector(dims.n), vector(dims.m), vector(dims.p));
    let weights = Weights { u: &u, s: &s, r: &r };
    let everything = (0..15).fold(Want::NONE, |all, k| all | Want::bit(k));
    let evaluate = |system: &System, times: u32| {
        let mut out = Residual::new(&dims);
        (0..times).for_each(|_| system.eval(point, &weights, everything, &mut out));
        let mut lists: Vec<Vec<f64>> = out.pieces().map(|(_, _, values)| values.to_vec()).into();
        lists.push(vec![out.kinetic]);
        lists.push(vec![out.potential]);
        // Pieces and a matrix in one evaluation.
        let mut plan = crate::assembly::PlanBuilder::new(dims.n + dims.m);
        for term in [Term::M, Term::F(SlotKind::Q), Term::GtsQ] {
            plan.term(term, 0, 0);
        }
        plan.term(Term::G, dims.n, 0);
        let plan = plan.build(system);
        let mut values = plan.values();
        for _ in 0..times {
            let coefficients = [0.7, 1.3, -0.4, 2.1];
            let residual = (everything, &mut out);
            plan.fill_with(system, point, &weights, &coefficients, &mut values, residual);
        }
        lists.extend(out.pieces().map(|(_, _, values)| values.to_vec()));
        values.pop();
        lists.push(values);
        let mut outside: f64 = 0.0;
        for term in terms() {
            let (rows, cols) = system.term_shape(term);
            let mut plan = crate::assembly::PlanBuilder::new(rows.max(cols));
            plan.term(term, 0, 0);
            let plan = plan.build(system);
            let mut values = plan.values();
            // Another coefficient each time: what is constant is computed anew.
            for k in (1..=times).rev() {
                let coefficient = 1.5 * f64::from(k);
                plan.fill(system, point, &weights, &[coefficient], &mut values);
            }
            values.pop();
            lists.push(values);
            // Parts of several statements may cancel there.
            let pattern = plan.pattern();
            let mut sums: HashMap<(usize, usize), f64> = HashMap::new();
            for (row, column, value) in system.entries(point, &weights, term) {
                if pattern.position(row, column) == pattern.value_len() {
                    *sums.entry((row, column)).or_default() += value;
                }
            }
            outside = sums.into_values().fold(outside, |most, sum| most.max(sum.abs()));
        }
        (lists, outside)
    };
    system.set_duals_only(false);
    // Node by node, and by code once that is made.
    let (stepped, _) = evaluate(system, 1);
    let (programs, _) = evaluate(system, PATIENCE + 1);
    system.set_duals_only(true);
    let (duals, outside) = evaluate(system, 1);
    system.set_duals_only(false);
    let bits = |lists: &[Vec<f64>]| -> Vec<u64> {
        lists.iter().flatten().map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() }).collect()
    };
    let is_nan = |lists: &[Vec<f64>]| lists.iter().flatten().any(|x| x.is_nan());
    if is_nan(&programs) && is_nan(&duals) {
        return f64::NAN;
    }
    // A zero has no sign here: sums leave it to the order of their terms.
    let same = |a: &[u64], b: &[u64]| a.iter().zip(b).all(|(a, b)| a == b || (a | b) << 1 == 0);
    if !same(&bits(&stepped), &bits(&programs)) {
        return f64::INFINITY;
    }
    let worst = programs.iter().zip(&duals).map(|(a, b)| {
        let size = b.iter().fold(0.0, |m: f64, x| m.max(x.abs())).max(f64::MIN_POSITIVE);
        a.iter()
            .zip(b)
            .fold(0.0, |m: f64, (a, b)| if a == b { m } else { m.max((a - b).abs() / size) })
    });
    // What the patterns have no place for must be zero, but for rounding where terms cancel.
    let size = duals.iter().flatten().fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()));
    // Written so that NaN is seen.
    worst.chain([outside / size]).fold(0.0, |m: f64, x| if x <= m { m } else { x })
}

/// Tolerance of [`assert_all_derivatives`] on relative errors.
pub const TOLERANCE: f64 = 1e-7;

/// The agreement of one quantity with its difference quotient.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// The quantity, as in NOTATION.md: `G`, `(Gᵀs)_q`, `f_v`, `∂f/∂m_p`, …
    pub quantity: String,
    /// Largest error relative to the quantity's size.
    pub error: f64,
    /// Where the largest error is: row and column by name.
    pub worst: String,
}

/// The agreement of all quantities of a model at the points visited.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DerivativeReport {
    /// One entry per quantity the model has.
    pub checks: Vec<Check>,
    /// Points at which they were compared.
    pub points: usize,
    /// Comparisons of values that the model's statements make.
    pub comparisons: usize,
    /// Sides of them that no point visited.
    pub not_reached: Vec<NotReached>,
    /// Parameters of statements that no point reached, by name: nothing is known of their derivatives.
    pub params_not_reached: Vec<String>,
    /// Quantities that could not be compared with a difference at some point, because a change of side
    /// was too near.
    pub not_compared: Vec<String>,
}

impl DerivativeReport {
    /// Largest error of all.
    pub fn max_error(&self) -> f64 {
        self.checks.iter().map(|c| c.error).fold(0.0, f64::max)
    }

    /// True when every error is at most `tolerance`.
    pub fn passes(&self, tolerance: f64) -> bool {
        // Written so that NaN fails.
        self.checks.iter().all(|c| c.error <= tolerance)
    }

    /// True when every side of every comparison was visited, every parameter of the statements
    /// reached and every quantity compared.
    pub fn is_complete(&self) -> bool {
        self.not_reached.is_empty()
            && self.params_not_reached.is_empty()
            && self.not_compared.is_empty()
    }

    /// Takes in what was found at another point.
    fn join(&mut self, other: DerivativeReport) {
        for check in other.checks {
            match self.checks.iter_mut().find(|known| known.quantity == check.quantity) {
                Some(known) if check.error > known.error => *known = check,
                Some(_) => {}
                None => self.checks.push(check),
            }
        }
        self.points += other.points;
        for quantity in other.not_compared {
            if !self.not_compared.contains(&quantity) {
                self.not_compared.push(quantity);
            }
        }
    }
}

impl fmt::Display for DerivativeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<16} {:>10}  where it is largest", "derivative", "error")?;
        for check in &self.checks {
            writeln!(f, "{:<16} {:>10.1e}  {}", check.quantity, check.error, check.worst)?;
        }
        for side in &self.not_reached {
            writeln!(f, "not reached: {side}")?;
        }
        for name in self.params_not_reached.iter().chain(&self.not_compared) {
            writeln!(f, "not reached: {name}")?;
        }
        Ok(())
    }
}

fn name(term: Term) -> String {
    let suffix = |kind: SlotKind| match kind {
        SlotKind::T => "t",
        SlotKind::Q => "q",
        SlotKind::V => "v",
        SlotKind::A => "a",
        SlotKind::X => "x",
        SlotKind::Xd => "ẋ",
        SlotKind::Lambda => "λ",
        SlotKind::Psi => "ψ",
        SlotKind::W => "w",
    };
    match term {
        Term::M => "M".into(),
        Term::MuQ => "(M u)_q".into(),
        Term::F(kind) => format!("f_{}", suffix(kind)),
        Term::React => "reaction_λ".into(),
        Term::ReactPsi => "reaction_ψ".into(),
        Term::ReactQ => "reaction_q".into(),
        Term::ReactV => "reaction_v".into(),
        Term::G => "G".into(),
        Term::Gt => "Gᵀ".into(),
        Term::GtsQ => "(Gᵀs+Kᵀr)_q".into(),
        Term::GuQ => "(G u)_q".into(),
        Term::GdotQ => "(G v+g_t)_q".into(),
        Term::GammaQ => "γ_q".into(),
        Term::GammaV => "γ_v".into(),
        Term::K => "K".into(),
        Term::Kt => "Kᵀ".into(),
        Term::KQ => "k_q".into(),
        Term::KtrQ => "(Kᵀr)_q".into(),
        Term::KtrV => "(Kᵀr)_v".into(),
        Term::ZetaQ => "ζ_q".into(),
        Term::ZetaV => "ζ_v".into(),
        Term::KuQ => "(K u)_q".into(),
        Term::KuV => "(K u)_v".into(),
        Term::D(kind) => format!("d_{}", suffix(kind)),
        Term::W(kind) => format!("(w−φ)_{}", suffix(kind)),
    }
}

fn terms() -> Vec<Term> {
    let mut terms = vec![
        Term::M,
        Term::MuQ,
        Term::React,
        Term::ReactPsi,
        Term::ReactQ,
        Term::ReactV,
        Term::G,
        Term::Gt,
        Term::GtsQ,
        Term::GuQ,
        Term::GdotQ,
        Term::GammaQ,
        Term::GammaV,
        Term::K,
        Term::Kt,
        Term::KQ,
        Term::KtrV,
        Term::ZetaQ,
        Term::ZetaV,
        Term::KuQ,
        Term::KuV,
    ];
    for kind in SlotKind::ALL.into_iter().filter(|&kind| kind != SlotKind::T) {
        terms.extend([Term::F(kind), Term::D(kind), Term::W(kind)]);
    }
    terms
}

/// A term as a dense matrix; weights u = a, s = λ, r = ψ are the point's.
pub fn dense(system: &System, point: &Point, term: Term) -> DMatrix<f64> {
    let (rows, cols) = system.term_shape(term);
    let mut matrix = DMatrix::zeros(rows, cols);
    for (r, c, value) in system.entries(point, &Weights::of(point), term) {
        matrix[(r, c)] += value;
    }
    matrix
}

/// Relative step sizes tried; see the module's introduction.
const STEPS: [f64; 5] = [3e-2, 1e-2, 1e-3, 1e-4, 1e-5];
/// Those tried where all of these reach across a change of side.
const SHORT: [f64; 3] = [1e-6, 1e-7, 1e-8];

/// Eighth-order central difference of `f` along `direction` (a flat vector), in units of `step`.
fn difference(
    point: &Point,
    direction: &[f64],
    step: f64,
    mut f: impl FnMut(&Point) -> Vec<f64>,
) -> Vec<f64> {
    let mut sum: Vec<f64> = Vec::new();
    for (weight, moved) in difference_samples(point, direction, step) {
        let value = f(&moved);
        sum.resize(value.len(), 0.0);
        for (s, v) in sum.iter_mut().zip(value) {
            *s += weight * v / step;
        }
    }
    sum
}

/// The points of the difference, each with its weight times the step.
fn difference_samples(
    point: &Point,
    direction: &[f64],
    step: f64,
) -> impl Iterator<Item = (f64, Point)> {
    const C: [f64; 4] = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    let samples = C.iter().zip(1..).flat_map(|(c, k)| [(1.0, *c, k), (-1.0, *c, k)]);
    samples.map(move |(sign, c, k)| {
        let by = sign * f64::from(k) * step;
        let mut moved = point.clone();
        for (m, d) in moved.flat_mut().iter_mut().zip(direction) {
            *m += by * d;
        }
        (sign * c, moved)
    })
}

/// Steps along a direction for its differences: none where all reach across a change of side.
fn steps(steady: &Steady<'_>, point: &Point, direction: &[f64]) -> Vec<f64> {
    let usual = steady.of(point, direction, &STEPS);
    if usual.is_empty() { steady.of(point, direction, &SHORT) } else { usual }
}

/// Where derivatives are compared.
struct Place<'a> {
    system: &'a System,
    point: &'a Point,
    steady: Steady<'a>,
}

impl<'a> Place<'a> {
    fn new(system: &'a System, point: &'a Point) -> Self {
        Place { system, point, steady: Steady::new(system, point) }
    }

    fn steps(&self, direction: &[f64]) -> Vec<f64> {
        steps(&self.steady, self.point, direction)
    }
}

/// Smallest relative error over the step sizes, with the row it is at. `exact` is compared with
/// the difference of `f`; errors are relative to the larger of the derivative and a thousandth of
/// the function itself.
fn compare(
    point: &Point,
    direction: &[f64],
    steps: &[f64],
    exact: &[f64],
    mut f: impl FnMut(&Point) -> Vec<f64>,
) -> (f64, usize) {
    let level = largest(&f(point)).max(1e-200) * 1e-3;
    let scale = largest(exact).max(level);
    let mut best = vec![f64::INFINITY; exact.len()];
    for &step in steps {
        let quotient = difference(point, direction, step, &mut f);
        for ((best, q), e) in best.iter_mut().zip(&quotient).zip(exact) {
            let error = (q - e).abs() / scale.max(q.abs());
            // A NaN derivative must not pass as agreement; a NaN quotient may (kink, domain).
            if e.is_nan() {
                *best = f64::NAN;
            } else if error < *best {
                *best = error;
            }
        }
    }
    best.iter()
        .copied()
        .enumerate()
        .map(|(i, e)| (if e.is_nan() { f64::INFINITY } else { e }, i))
        .fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a })
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |a, v| f64::max(a, v.abs()))
}

/// A reproducible sequence of numbers in (−1, 1).
#[derive(Clone, Debug)]
pub struct Noise(u64);

impl Noise {
    /// A sequence.
    pub fn new(seed: u64) -> Self {
        Noise(seed.wrapping_mul(2).wrapping_add(1))
    }

    /// The next number.
    pub fn sample(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 11) as f64 / (1u64 << 53) as f64) * 2.0 - 1.0
    }
}

/// A point near the model's initial values with every scalar disturbed and no structural zeros:
/// where a derivative that is wrong anywhere shows.
pub fn generic_point(system: &System, seed: u64) -> Point {
    let mut noise = Noise::new(seed);
    let mut point = system.initial_point();
    point.set_t(0.37 + 0.1 * noise.sample());
    for kind in SlotKind::ALL.into_iter().filter(|&kind| kind != SlotKind::T) {
        let by = if kind == SlotKind::Q { 0.02 } else { 0.7 };
        for y in point.get_mut(kind) {
            *y += by
                * noise.sample()
                * if kind == SlotKind::Q { y.abs().clamp(0.02, 1.0) } else { 1.0 };
        }
    }
    point
}

/// Number of columns up to which each is checked alone; beyond, random directions are.
const COLUMNS: usize = 40;

/// A direction in which a derivative is checked, with a name and the steps of its differences.
struct Direction {
    name: String,
    along: Vec<f64>,
    steps: Vec<f64>,
}

/// Directions in which the derivative by one kind of scalar is checked.
fn directions(place: &Place<'_>, kind: SlotKind) -> Vec<Direction> {
    let Place { system, point, .. } = *place;
    let range = system.layout().range(kind);
    let full = system.layout().len();
    let size = |y: f64| y.abs().clamp(1e-3, 1.0);
    let direction = |name: String, along: Vec<f64>| {
        let steps = place.steps(&along);
        Direction { name, along, steps }
    };
    if range.len() <= COLUMNS {
        range
            .clone()
            .map(|i| {
                let mut d = vec![0.0; full];
                d[i] = size(point.flat()[i]);
                direction(system.scalar_name(kind, i - range.start), d)
            })
            .collect()
    } else {
        let mut noise = Noise::new(17 + kind as u64);
        (0..8)
            .map(|k| {
                let mut d = vec![0.0; full];
                for i in range.clone() {
                    d[i] = noise.sample() * size(point.flat()[i]);
                }
                direction(format!("random direction {k}"), d)
            })
            .collect()
    }
}

fn piece(system: &System, point: &Point, want: Want) -> Vec<f64> {
    let mut residual = Residual::new(&system.dims());
    system.eval_at(point, want, &mut residual);
    let pieces = residual.pieces();
    pieces.iter().find(|(w, ..)| *w == want).map_or(Vec::new(), |(.., values)| values.to_vec())
}

/// Compares every derivative of a system at a point with difference quotients, but for those by
/// parameters.
pub fn derivatives(system: &System, point: &Point) -> DerivativeReport {
    compared(&Place::new(system, point))
}

fn compared(place: &Place<'_>) -> DerivativeReport {
    let mut report = DerivativeReport { points: 1, ..Default::default() };
    let mut by_kind: Vec<(SlotKind, Vec<Direction>)> = Vec::new();
    for term in terms() {
        let kind = term.differentiated().1;
        let known = by_kind.iter().position(|(known, _)| *known == kind).unwrap_or_else(|| {
            by_kind.push((kind, directions(place, kind)));
            by_kind.len() - 1
        });
        check_term(place, term, &by_kind[known].1, &mut report);
    }
    check_rates(place, &mut report);
    check_energies(place, &mut report);
    check_balance(place, &mut report);
    report
}

fn check_term(
    place: &Place<'_>,
    term: Term,
    directions: &[Direction],
    report: &mut DerivativeReport,
) {
    let Place { system, point, .. } = *place;
    let mut entries = system.entries(point, &Weights::of(point), term);
    if term == Term::GtsQ {
        entries.extend(system.entries(point, &Weights::of(point), Term::KtrQ));
    }
    let (want, kind) = term.differentiated();
    let rows = system.term_shape(term).0;
    let offered = system.groups().any(|g| g.terms().contains(&term));
    if rows == 0 || system.layout().range(kind).is_empty() || !offered {
        return;
    }
    let start = system.layout().range(kind).start;
    let mut worst = Check { quantity: name(term), error: 0.0, worst: "–".into() };
    for Direction { name: column, along, steps } in directions {
        let mut exact = vec![0.0; rows];
        for &(r, c, value) in &entries {
            exact[r] += value * along[start + c];
        }
        if steps.is_empty() {
            report.not_compared.push(format!("{} by {column}", name(term)));
            continue;
        }
        let (error, row) = compare(point, along, steps, &exact, |p| piece(system, p, want));
        if error > worst.error {
            worst.error = error;
            worst.worst = format!("row {}, by {column}", row_name(system, want, row));
        }
    }
    report.checks.push(worst);
}

fn row_name(system: &System, want: Want, row: usize) -> String {
    let model = system.model();
    match want {
        Want::G | Want::GDOT | Want::GAMMA | Want::GU => model.holonomic_row_name(row),
        Want::K | Want::ZETA | Want::KU => model.nonholonomic_row_name(row),
        Want::D => model.scalar_name(SlotKind::Xd, row),
        Want::W => model.scalar_name(SlotKind::W, row),
        _ => model.scalar_name(SlotKind::Q, row),
    }
}

/// Gv + g_t, γ and ζ against differences along the motion.
fn check_rates(place: &Place<'_>, report: &mut DerivativeReport) {
    let Place { system, point, .. } = *place;
    let mut motion = vec![0.0; system.layout().len()];
    motion[0] = 1.0;
    motion[system.layout().range(SlotKind::Q)].copy_from_slice(point.v());
    let steps = place.steps(&motion);
    let rates = [
        ("G v+g_t", Want::GDOT, Want::G),
        ("γ", Want::GAMMA, Want::GDOT),
        ("ζ", Want::ZETA, Want::K),
    ];
    for (quantity, rate, of) in rates {
        let exact = piece(system, point, rate);
        if steps.is_empty() && !exact.is_empty() {
            report.not_compared.push(quantity.into());
        } else if !exact.is_empty() {
            let (error, row) = compare(point, &motion, &steps, &exact, |p| piece(system, p, of));
            let worst = format!("row {}", row_name(system, of, row));
            report.checks.push(Check { quantity: quantity.into(), error, worst });
        }
    }
}

/// Checks all derivatives of a mechanism at generic points, on every side of its comparisons.
///
/// # Errors
/// When the model cannot be built.
pub fn check_mechanism(
    mechanism: &(impl Mechanism + ?Sized),
) -> Result<DerivativeReport, ModelError> {
    mechanism.model().map(check_model)
}

/// Checks all derivatives of a model at generic points, on every side of its comparisons.
pub fn check_model(model: Model) -> DerivativeReport {
    let mut system = System::new(model);
    slide_along_all(&mut system);
    let mut visits = visits(&system);
    // And where the motion slides between two sides.
    if let Some(mut point) = visits.points.first().filter(|_| !system.slides().is_empty()).cloned()
    {
        for (side, _) in system.sides_of_surfaces(point.flat()) {
            point.flat_mut()[side] = SLIDES;
        }
        visits.points.push(point);
    }
    let mut report = DerivativeReport {
        comparisons: visits.comparisons,
        not_reached: visits.not_reached,
        ..Default::default()
    };
    let mut params = params::Partials::new(&system, visits.params);
    for point in &visits.points {
        let place = Place::new(&system, point);
        let mut here = compared(&place);
        params.check(&place, &mut here);
        report.join(here);
    }
    report.params_not_reached = params.not_reached();
    report
}

/// Times of a run at which [`indefinite_masses`] looks.
const TIMES: usize = 16;

/// The same at other points on the constraints: on every side of the model's comparisons, and at times
/// up to `t_end`. Whether the motion gets there is not known, but for the times. The first point for
/// each motion.
pub fn indefinite_masses(system: &System, start: &Point, t_end: f64) -> Vec<IndefiniteMass> {
    if !mass_changes(system) {
        return Vec::new();
    }
    let mut points = Vec::new();
    for k in 1..=TIMES {
        let t = start.t() + (t_end - start.t()) * k as f64 / TIMES as f64;
        if t > start.t() && t.is_finite() {
            let mut point = start.clone();
            point.set_t(t);
            points.push(point);
        }
    }
    points.extend(visits(system).points);
    let mut found: Vec<IndefiniteMass> = Vec::new();
    for mut point in points {
        if !assembled(system, &mut point) {
            continue;
        }
        let told = indefinite_mass(system, &point);
        let new = |one: &IndefiniteMass| found.iter().all(|f| f.coordinates != one.coordinates);
        found.extend(told.filter(new));
    }
    found
}

/// Asserts that every derivative of a mechanism agrees with difference quotients to
/// [`TOLERANCE`]. For tests.
///
/// # Panics
/// With the full report when one does not.
#[track_caller]
pub fn assert_all_derivatives(mechanism: &impl Mechanism) {
    match check_mechanism(mechanism) {
        Ok(report) => assert!(report.passes(TOLERANCE), "derivatives disagree:\n{report}"),
        Err(error) => panic!("the model cannot be built: {error}"),
    }
}

/// Asserts that a hand-written Jacobian agrees with the model's term to round-off at generic
/// points. Weights are the point's: u = a, s = λ, r = ψ. For tests.
///
/// # Panics
/// Naming the entry that differs most.
#[track_caller]
pub fn assert_jacobian(
    mechanism: &impl Mechanism,
    term: Term,
    by_hand: impl Fn(&Point) -> DMatrix<f64>,
) {
    let system = match mechanism.model() {
        Ok(model) => System::new(model),
        Err(error) => panic!("the model cannot be built: {error}"),
    };
    for seed in 1..=3 {
        let point = generic_point(&system, seed);
        let model = dense(&system, &point, term);
        let hand = by_hand(&point);
        assert_eq!(model.shape(), hand.shape(), "{}: shapes differ", name(term));
        let scale = hand.amax().max(1e-200);
        for r in 0..model.nrows() {
            for c in 0..model.ncols() {
                let (m, h) = (model[(r, c)], hand[(r, c)]);
                assert!(
                    (m - h).abs() <= 1e-12 * scale,
                    "{}[{r}, {c}]: the model gives {m:e}, by hand {h:e}",
                    name(term)
                );
            }
        }
    }
}
