//! Contacts that hold one gap twice.

use super::StartError;
use crate::assembly::{Point, Residual, System, Want, Weights};
use crate::model::{Switch, Switched};
use crate::scales::{Scales, Weighting};

/// Places where gaps are compared, and how far from the start these are, in sizes of the coordinates.
const PLACES: usize = 3;
const AWAY: f64 = 0.1;

/// Relative difference of gaps that are the same.
const SAME: f64 = 1e-10;

/// Refuses a unilateral constraint whose gap another contact holds too, up to a factor: where each of them is closed
/// the equations determine the sum of their forces alone.
pub(super) fn refuse(system: &System, point: &Point) -> Result<(), StartError> {
    let contacts: Vec<(usize, bool)> =
        system.model().switches().iter().filter_map(row_of).collect();
    let gaps = gaps(system, point, contacts.iter().map(|&(row, _)| row));
    // Gaps that differ by a factor have the same ratios, so that they are neighbours by their first.
    let ratio = |i: usize, place: usize| gaps[place][i] / gaps[0][i];
    let changes = |&i: &usize| ratio(i, 1).is_finite() && ratio(i, 1) != 1.0;
    let mut order: Vec<usize> = (0..contacts.len()).filter(changes).collect();
    order.sort_by(|&i, &j| ratio(i, 1).total_cmp(&ratio(j, 1)));
    for (place, &i) in order.iter().enumerate() {
        let alike = |j: usize, place: usize| {
            (ratio(i, place) - ratio(j, place)).abs() <= SAME * ratio(i, place).abs()
        };
        for &j in order[place + 1..].iter().take_while(|&&j| alike(j, 1)) {
            let same = (1..PLACES).all(|place| alike(j, place)) && gaps[0][i] * gaps[0][j] > 0.0;
            if same && (contacts[i].1 || contacts[j].1) {
                let (name, other) = if contacts[i].1 { (i, j) } else { (j, i) };
                let name_of = |i: usize| system.model().holonomic_row_name(contacts[i].0);
                return Err(StartError::SameGap { name: name_of(name), other: name_of(other) });
            }
        }
    }
    Ok(())
}

/// The row of a contact, and whether it is a unilateral constraint.
fn row_of(switch: &Switch) -> Option<(usize, bool)> {
    match switch.by {
        Switched::Contact(contact) => Some((switch.rows.start, contact.unilateral)),
        Switched::Modes { .. } => None,
    }
}

/// The gaps of these rows at places around a point.
fn gaps(
    system: &System,
    point: &Point,
    rows: impl Iterator<Item = usize> + Clone,
) -> Vec<Vec<f64>> {
    let scales = Scales::new(system, point, point.t(), Weighting::Model);
    let mut out = Residual::new(&system.dims());
    let mut at = point.clone();
    let around = |place: usize| {
        let angle = |i: usize| (1 + place) as f64 * (1.7 + 0.6 * i as f64);
        for (i, (to, from)) in at.q_mut().iter_mut().zip(point.q()).enumerate() {
            *to = from + AWAY * scales.q().weights()[i] * angle(i).sin();
        }
        system.eval_all(&at, &Weights::of(&at), Want::G, &mut out);
        rows.clone().map(|row| out.g[row]).collect()
    };
    (0..PLACES).map(around).collect()
}
