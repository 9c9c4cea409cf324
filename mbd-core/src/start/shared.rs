//! Laws that read how dependent rows share a load: the equations determine what such rows bear together, and no more.

use super::rank::other_shares;
use crate::assembly::{Point, Residual, SlotKind, System, Term, Want, Weights};
use crate::statement::{ElementGroup, add_residual};

/// Relative change that is no rounding of the null vectors.
const CHANGES: f64 = 1e-6;

/// What a motion needs of the equations where multipliers enter them.
const PIECES: [Want; 3] = [Want::F, Want::D, Want::W];

/// Statements that make another motion of another share of what dependent rows bear at a point, by name.
pub(crate) fn laws_of_shares(system: &System, point: &Point) -> Vec<String> {
    let mut names = Vec::new();
    if !system.groups().any(reads_multipliers) {
        return names;
    }
    let want = PIECES.into_iter().fold(Want::NONE, |all, piece| all | piece);
    let residual = |at: &Point| {
        let mut out = Residual::new(&system.dims());
        system.eval_all(at, &Weights::of(at), want, &mut out);
        out
    };
    let Shares { others, more } = Shares::of(system, point);
    let [before, more] = [point, &more].map(residual);
    for other in others {
        let changed = changed([&before, &residual(&other), &more]);
        if changed.is_empty() {
            continue;
        }
        for group in system.groups().filter(|group| reads_multipliers(*group)) {
            let own = [point, &other].map(|at| {
                let mut out = Residual::new(&system.dims());
                add_residual(group, at.flat(), &Weights::of(at), want, &mut out);
                out
            });
            let has_part = |&(piece, row): &(usize, usize)| {
                let [before, after] = own.each_ref().map(|own| pieces(own)[piece][row]);
                before != after
            };
            if changed.iter().any(has_part) && !names.iter().any(|name| name == group.name()) {
                names.push(group.name().to_string());
            }
        }
    }
    names
}

/// A point with other multipliers.
pub(crate) struct Shares {
    /// The load shared in other ways, by about as much as the largest multiplier; none where nothing is shared.
    pub(crate) others: Vec<Point>,
    /// All multipliers greater by as much: what reads them changes, whatever is determined.
    pub(crate) more: Point,
}

impl Shares {
    pub(crate) fn of(system: &System, point: &Point) -> Self {
        // Rows that were left out of the equations are among those that share.
        let mut whole = system.clone();
        whole.set_inactive_rows(&[], &[]);
        let all = point.lambda().iter().chain(point.psi());
        let largest = all.fold(0.0f64, |most, x| most.max(x.abs()));
        let size = if largest > 0.0 { largest } else { 1.0 };
        let mut more = point.clone();
        for kind in [SlotKind::Lambda, SlotKind::Psi] {
            more.get_mut(kind).iter_mut().for_each(|multiplier| *multiplier += size);
        }
        Shares { others: other_shares(&whole, point, size), more }
    }
}

/// Whether what a share changes from the first to the second is more than rounding beside these and the third, at other
/// multipliers; NaN is.
pub(crate) fn differs([before, after, more]: [f64; 3]) -> bool {
    let size = before.abs().max(after.abs()).max(more.abs());
    !((before - after).abs() <= CHANGES * size)
}

/// Statements that make another motion of another share, at velocities that are alike in nothing, at
/// which no friction rests.
pub(super) fn laws_of_shares_in_motion(system: &System, point: &Point) -> Vec<String> {
    let mut at = point.clone();
    let all = at.v_mut().iter_mut().enumerate();
    all.for_each(|(k, v)| *v += 1.0 + 0.37 * (1.0 + k as f64).sin());
    laws_of_shares(system, &at)
}

fn reads_multipliers(group: &dyn ElementGroup) -> bool {
    use SlotKind::{Lambda, Psi};
    let reads = |kind| [Term::F(kind), Term::D(kind), Term::W(kind)];
    let terms = group.terms();
    [Lambda, Psi].into_iter().flat_map(reads).any(|term| terms.contains(&term))
}

fn pieces(of: &Residual) -> [&[f64]; 3] {
    [&of.f, &of.d, &of.w]
}

/// Rows of the pieces that differ, by the numbers of piece and row.
fn changed(values: [&Residual; 3]) -> Vec<(usize, usize)> {
    let mut rows = Vec::new();
    for piece in 0..3 {
        let [before, after, more] = values.map(|of| pieces(of)[piece]);
        let all =
            [before, after, more].map(|of| of.iter().fold(0.0f64, |most, x| most.max(x.abs())));
        let size = all.into_iter().fold(0.0, f64::max);
        let differ = |&row: &usize| differs([before[row], after[row], size]);
        rows.extend((0..before.len()).filter(differ).map(|row| (piece, row)));
    }
    rows
}
