//! Every residual piece's partial by every parameter, and by every input.

use super::branches::Reached;
use super::compare::Place;
use super::report::{Check, DerivativeReport};
use super::samples::Noise;
use super::terms::{piece, row_name};
use crate::assembly::{Residual, System, Want, Weights};
use crate::signal::Course;

/// Parameters of an array up to which each is checked alone; of a longer one their sum with random
/// weights is, and each alone where that is wrong.
const ALONE: usize = 8;
/// Error of such a sum from which on each parameter is looked at.
const DOUBTFUL: f64 = 1e-9;

/// The pieces that parameters can be part of.
fn all() -> Want {
    Want::MU
        | Want::F
        | Want::REACTION
        | Want::GTS
        | Want::G
        | Want::GDOT
        | Want::GAMMA
        | Want::GU
        | Want::K
        | Want::ZETA
        | Want::KU
        | Want::D
        | Want::W
}

/// The parameters and inputs of a system, array by array, and what became of each.
pub(super) struct Partials {
    names: Vec<String>,
    reached: Vec<Reached>,
    /// Parameters that are checked together, and what that is called.
    arrays: Vec<(String, Vec<usize>)>,
}

impl Partials {
    pub(super) fn new(system: &System, mut reached: Vec<Reached>) -> Self {
        let labels = system.model().params().iter().chain(system.model().inputs());
        let names: Vec<String> = labels.map(|label| label.name.clone()).collect();
        reached.resize(names.len(), Reached::Unread);
        let mut arrays: Vec<(String, Vec<usize>)> = Vec::new();
        for (j, name) in names.iter().enumerate() {
            let array = name.split_once('[').map_or(&**name, |(array, _)| array);
            match arrays.last_mut().filter(|(last, _)| last == array) {
                Some((_, members)) => members.push(j),
                None => arrays.push((array.to_string(), vec![j])),
            }
        }
        Partials { names, reached, arrays }
    }

    /// Compares them at a point.
    pub(super) fn check(&mut self, place: &Place<'_>, report: &mut DerivativeReport) {
        let mut noise = Noise::new(41);
        for (array, members) in &self.arrays {
            let mut compare = |name: &str, weights: &[(usize, f64)]| {
                let found = check(place, name, weights);
                for j in found.nonzero {
                    // Also of statements written by hand, of which it is not known what they read.
                    self.reached[j] = Reached::Yes;
                }
                match found.check {
                    Some(check) => Some(check),
                    None => {
                        report.not_compared.push(format!("∂/∂{name}"));
                        None
                    }
                }
            };
            let alone = |j: usize| [(j, 1.0)];
            if members.len() <= ALONE {
                for &j in members {
                    let check = compare(&self.names[j], &alone(j));
                    report.checks.extend(check);
                }
                continue;
            }
            let weights: Vec<(usize, f64)> =
                members.iter().map(|&j| (j, 1.0 + 0.5 * noise.sample())).collect();
            let together = compare(&format!("{array}[…]"), &weights);
            // Written so that NaN is looked at.
            if together.as_ref().is_some_and(|check| check.error <= DOUBTFUL) {
                report.checks.extend(together);
            } else {
                for &j in members {
                    let check = compare(&self.names[j], &alone(j));
                    report.checks.extend(check);
                }
            }
        }
        // Of a jump there is no derivative.
        for (name, reached) in self.names.iter().zip(&self.reached) {
            let of = format!("∂/∂{name}");
            let compared = report.checks.iter_mut().find(|c| c.quantity == of && c.error == 0.0);
            if let Some(check) = compared.filter(|_| *reached == Reached::Compared) {
                check.worst = "only compared".into();
            }
        }
        // What no equation reads has no derivatives to be right.
        let names = self.names.iter().zip(&self.reached);
        let unread: Vec<String> = names
            .filter(|(_, reached)| **reached <= Reached::No)
            .map(|(name, _)| format!("∂/∂{name}"))
            .collect();
        report.checks.retain(|check| !unread.contains(&check.quantity));
    }

    /// Parameters that statements read on sides that were not visited.
    pub(super) fn not_reached(&self) -> Vec<String> {
        let names = self.names.iter().zip(&self.reached);
        names
            .filter(|(_, reached)| **reached == Reached::No)
            .map(|(name, _)| name.clone())
            .collect()
    }
}

struct Found {
    /// `None` where a change of side is too near.
    check: Option<Check>,
    /// Parameters that a derivative was nonzero by.
    nonzero: Vec<usize>,
}

/// The flat index of a parameter or, behind them, of the value of an input, and that among the parameters.
fn place_of(system: &System, number: usize) -> (usize, usize) {
    let (params, inputs) = (system.layout().params(), system.layout().inputs());
    let flat = match number.checked_sub(params.len()) {
        None => params.start + number,
        // Behind the time of its course.
        Some(input) => inputs.start + input * Course::NUMBERS + 1,
    };
    (flat, flat - params.start)
}

/// The derivative along a direction in the parameters.
fn check(place: &Place<'_>, name: &str, weights: &[(usize, f64)]) -> Found {
    let Place { system, point, .. } = *place;
    let mut direction = vec![0.0; system.layout().len()];
    for &(number, weight) in weights {
        let value = point.flat()[place_of(system, number).0];
        direction[place_of(system, number).0] =
            weight * if value == 0.0 { 1.0 } else { value.abs() };
    }
    let mut nonzero = Vec::new();
    let mut partial = Residual::new(&system.dims());
    let around = place.around(|point| {
        let mut sums: Vec<Vec<f64>> =
            partial.pieces().map(|(.., list)| vec![0.0; list.len()]).into();
        for &(number, _) in weights {
            let (offset, j) = place_of(system, number);
            system.eval_param(point, &Weights::of(point), all(), j, &mut partial);
            let mut any = false;
            for (sum, (.., list)) in sums.iter_mut().zip(partial.pieces()) {
                for (sum, value) in sum.iter_mut().zip(list) {
                    any |= *value != 0.0;
                    *sum += value * direction[offset];
                }
            }
            if any && !nonzero.contains(&number) {
                nonzero.push(number);
            }
        }
        sums
    });
    let steps = place.steps(&direction);
    if steps.is_empty() {
        return Found { check: None, nonzero };
    }
    let mut worst = Check { quantity: format!("∂/∂{name}"), error: 0.0, worst: "–".into() };
    for (which, (want, piece_name, list)) in partial.pieces().into_iter().enumerate() {
        if list.is_empty() || !all().has(want) {
            continue;
        }
        let exact: Vec<_> = around.iter().map(|sums| sums[which].clone()).collect();
        let (error, row) = place.compare(&direction, &steps, &exact, |p| piece(system, p, want));
        if error > worst.error {
            worst.error = error;
            worst.worst = format!("{piece_name}, row {}", row_name(system, want, row));
        }
    }
    Found { check: Some(worst), nonzero }
}
