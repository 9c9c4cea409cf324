//! What the papers' studies share: runs looked at step by step, orders of convergence, numbers as
//! text.

use crate::report::{Failure, Report};
use mbd::integrate::{Integrator, Method, Step};
use mbd::model::Mechanism;
use mbd::plot::{Axis, Figure, Panel, Series};
use mbd::simulation::{Simulation, Started};
use mbd::verify::Convergence;

/// A mechanism at its consistent start.
pub fn start(mechanism: &impl Mechanism) -> Result<Started, Failure> {
    Ok(Simulation::new(mechanism).start()?)
}

/// Runs to `t_end` and calls `each` at the start and after every step.
pub fn finish<'a>(
    started: &'a Started,
    method: impl Into<Method>,
    step: Step,
    t_end: f64,
    mut each: impl FnMut(&mut Integrator<'_>),
) -> Result<Integrator<'a>, Failure> {
    let mut integrator = Integrator::new(&started.system, &method.into(), step, &started.point)?;
    each(&mut integrator);
    while integrator.point().t() < t_end {
        integrator.step_once(t_end)?;
        each(&mut integrator);
    }
    Ok(integrator)
}

/// The Euclidean distance of two vectors.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// The largest absolute value; NaN when there is one.
pub fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |m: f64, x| if x.abs() <= m { m } else { x.abs() })
}

/// h = 2⁻ᵏ for a range of k.
pub fn halvings(range: std::ops::RangeInclusive<i32>) -> impl Iterator<Item = f64> {
    range.map(|k| 0.5f64.powi(k))
}

/// Steps that alternate between h/3 and 2h/3.
pub fn alternating(h: f64) -> Step {
    Step::cycle([h / 3.0, 2.0 * h / 3.0])
}

/// A number with three digits: `1.23e-4`.
pub fn sci(value: f64) -> String {
    format!("{value:.2e}").replace('-', "−")
}

/// A step size that is a whole fraction of a second as one, others with three digits.
pub fn step_size(h: f64) -> String {
    let n = 1.0 / h;
    if n > 1.0 && (n - n.round()).abs() < 1e-9 * n { format!("1/{n:.0}") } else { sci(h) }
}

/// Step sizes over which an order is judged: the finest.
pub const JUDGED: usize = 4;

/// How far an order that is measured may be from a whole one to count as that.
const ROUNDED: f64 = 0.15;

/// Whether a measured order is that of the theory.
pub fn is_order(measured: f64, expected: f64) -> bool {
    (measured - expected).abs() < ROUNDED
}

/// Orders as text, in the order of the names: `y 2.00, z 1.98`.
pub fn orders_of(study: &Convergence, quantities: &[&str]) -> String {
    let each = quantities.iter().map(|q| format!("{q} {:.2}", study.order(q, JUDGED)));
    each.collect::<Vec<_>>().join(", ")
}

/// Whether the values fall from each to the next.
pub fn falls(values: &[f64]) -> bool {
    values.windows(2).all(|pair| pair[1] < pair[0])
}

/// Prints errors and orders as a table; its last row, called `expected`, holds the orders to
/// compare with, a text per quantity.
pub fn order_table(report: &mut Report, study: &Convergence, expected: &str, orders: &[&str]) {
    let head: Vec<&str> = std::iter::once("h in s").chain(names(study)).collect();
    let mut rows: Vec<Vec<String>> = study
        .runs
        .iter()
        .map(|(h, errors)| {
            std::iter::once(step_size(*h)).chain(errors.iter().map(|e| sci(*e))).collect()
        })
        .collect();
    let ours = names(study).map(|q| format!("**{:.2}**", study.order(q, JUDGED)));
    rows.push(std::iter::once(format!("order, ours (last {JUDGED})")).chain(ours).collect());
    rows.push([expected].iter().chain(orders).map(|s| s.to_string()).collect());
    report.table(&head, &rows);
}

fn names(study: &Convergence) -> impl Iterator<Item = &str> {
    study.quantities.iter().map(|q| &**q)
}

/// Errors over step sizes on logarithmic axes, with lines of the slopes 1 and 2.
pub fn order_figure(title: &str, subtitle: &str, study: &Convergence) -> Figure {
    let mut panel = Panel::new(Axis::new("global error", "").log());
    for quantity in names(study) {
        let points = study.of(quantity).into_iter().map(|(h, e)| [h, e]).collect();
        panel = panel.series(Series::new(format!("‖{quantity}‖"), "", points).markers());
    }
    let all = || study.runs.iter().flat_map(|(_, errors)| errors.iter().copied());
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    let (&(coarse, _), &(fine, _)) = (&study.runs[0], &study.runs[study.runs.len() - 1]);
    // Both through the middle of what is drawn.
    let (h, e) = ((coarse * fine).sqrt(), (low * high).sqrt());
    for slope in [1, 2] {
        let at = |x: f64| [x, e * (x / h).powi(slope)];
        panel = panel.series(Series::guide(format!("slope {slope}"), vec![at(coarse), at(fine)]));
    }
    Figure::new(title, Axis::new("h", "s").log()).subtitle(subtitle).panel(panel).width(760.0)
}
