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
mod compare;
mod convergence;
mod energies;
mod on_duals;
mod params;
mod programs;
mod report;
mod samples;
mod terms;

pub use crate::start::{IndefiniteMass, indefinite_mass};
pub use branches::{Because, NotReached};
pub use convergence::{Convergence, convergence_order};
pub use on_duals::on_dual_numbers;
pub use programs::program_error;
pub use report::{Check, DerivativeReport, TOLERANCE};
pub use samples::{Noise, generic_point};
pub use terms::dense;

use crate::assembly::{Point, SlotKind, System, Term, Want, Weights};
use crate::model::{Mechanism, Model, ModelError};
use crate::scalar::SLIDES;
use crate::start::{assembled, mass_changes};
use branches::visits;
use compare::Place;
use energies::{check_balance, check_energies};
use nalgebra::DMatrix;
use programs::slide_along_all;
use terms::{name, piece, row_name, terms};

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
    let system = place.system;
    let (want, kind) = term.differentiated();
    let rows = system.term_shape(term).0;
    let offered = system.groups().any(|g| g.terms().contains(&term));
    if rows == 0 || system.layout().range(kind).is_empty() || !offered {
        return;
    }
    let start = system.layout().range(kind).start;
    let around = place.around(|point| {
        let mut entries = system.entries(point, &Weights::of(point), term);
        if term == Term::GtsQ {
            entries.extend(system.entries(point, &Weights::of(point), Term::KtrQ));
        }
        entries
    });
    let mut worst = Check { quantity: name(term), error: 0.0, worst: "–".into() };
    for Direction { name: column, along, steps } in directions {
        let product = |entries: &Vec<(usize, usize, f64)>| {
            let mut product = vec![0.0; rows];
            for &(r, c, value) in entries {
                product[r] += value * along[start + c];
            }
            product
        };
        let exact: Vec<_> = around.iter().map(product).collect();
        if steps.is_empty() {
            report.not_compared.push(format!("{} by {column}", name(term)));
            continue;
        }
        let (error, row) = place.compare(along, steps, &exact, |p| piece(system, p, want));
        if error > worst.error {
            worst.error = error;
            worst.worst = format!("row {}, by {column}", row_name(system, want, row));
        }
    }
    report.checks.push(worst);
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
        let exact = place.around(|p| piece(system, p, rate));
        if exact[0].is_empty() {
            continue;
        }
        if steps.is_empty() {
            report.not_compared.push(quantity.into());
        } else {
            let (error, row) = place.compare(&motion, &steps, &exact, |p| piece(system, p, of));
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
    for mut point in visits(system).points {
        system.note_offsets(&mut point);
        points.push(point);
    }
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
                let (piece, by) = term.differentiated();
                assert!(
                    (m - h).abs() <= 1e-12 * scale,
                    "{}[{r}, {c}], row {}, by {}: the model gives {m:e}, by hand {h:e}",
                    name(term),
                    row_name(&system, piece, r),
                    system.model().scalar_name(by, c)
                );
            }
        }
    }
}
