//! Friction at several places that hold a body together, more of them than its motion needs: a box at rest on four corners.
//!
//! Three rows say that it is at rest, and eight would. Those of the places that can hold most are in the equations, which
//! determine their shares at every instant. What the others hold the equations leave open; their shares are
//! given: such that all places are used alike. A place is a plane, with two surfaces, or a line, with one. The sum of the
//! squares of all shares is least, or, where a place would have to hold more than it can, the largest share (Lawson:
//! Contributions to the theory of linear least maximum approximations, 1961). So they hold together what they can hold
//! together. When the load changes the shares in the equations follow, until one is at its bound; then all are chosen anew.

use super::Integrator;
use super::carried::{Kept, Mode, Touched};
use super::sliding::{AT_BOUND, ROUNDING};
use crate::assembly::{Point, Residual, System, Want};
use crate::start::{Alike, dependent_rows, dependent_surfaces, reconcile};
use crate::statement::ShareOf;
use nalgebra::{DMatrix, DVector};

/// A share that is given to see what it changes of others.
const TRIAL: f64 = 0.125;

/// The largest share, less a half, with which the least sum of squares is good enough.
const EASY: f64 = 0.45;

/// Times that the planes are chosen whose contacts push.
const LOOKS: usize = 4;

/// Part of its bound from which on the largest of the shares that are used alike has those that are given at theirs: the
/// shares in the equations reach theirs when all that can be held is needed, then. Given shares that stay below leave them the
/// rest of the load, and were chosen anew ten times on the way, each time after a third of what was left of it.
const NEARLY_ALL: f64 = 0.97;

/// Corrections of shares by what they change.
const CORRECTIONS: usize = 6;

/// Times that the planes' weights are changed for the largest share to be least.
const ROUNDS: usize = 200;

impl Integrator<'_> {
    /// Leaves rows out that depend on others: bodies that are tied together are held by one row, and the others'
    /// shares are a half, until more is needed; of contacts that hold each other's gaps closed the last are left out, of
    /// planes those that hold least.
    pub(super) fn leave_out_dependent(
        &mut self,
        system: &mut System,
        touched: &[Touched],
        at: &mut Point,
    ) {
        self.leave_out_contacts(system, touched, at);
        self.sliding.together.clear();
        if !dependent_surfaces(system, at).is_empty() {
            self.choose_surfaces(system, touched, at);
        }
    }

    fn leave_out_contacts(&self, system: &mut System, touched: &[Touched], at: &mut Point) {
        let stays = touched.iter().filter(|t| t.mode == Mode::Stays);
        let contacts: Vec<(usize, bool)> = stays
            .filter_map(|t| match t.kept {
                Kept::Contact(contact) => Some((contact, t.idle)),
                Kept::Surface(_) => None,
            })
            .collect();
        if contacts.is_empty() {
            return;
        }
        let mut holds = system.holds().to_vec();
        let m = system.dims().m;
        for (row, others) in dependent_rows(system, at).into_iter().filter(|(row, _)| *row < m) {
            let of = |row: &usize| contacts.iter().find(|of| self.gap_row(of.0) == *row);
            let among = || std::iter::once(&row).chain(others.iter().rev()).filter_map(of);
            let out = among().find(|(_, idle)| *idle).or_else(|| among().next());
            if let Some(&(contact, _)) = out {
                holds[contact] = false;
                at.lambda_mut()[self.gap_row(contact)] = 0.0;
            }
        }
        if holds != system.holds() {
            system.set_holds(&holds);
        }
    }

    /// Of places that hold each other's bodies takes the rows into the equations that are independent, of those first
    /// that can hold most, and gives the others shares. What holds other bodies is chosen at the same time, and makes no
    /// more evaluations.
    fn choose_surfaces(&mut self, system: &mut System, touched: &[Touched], at: &mut Point) {
        self.note_together(system, at);
        let stays = |&place: &usize| touched.iter().any(|t| t.is(place) && t.mode == Mode::Stays);
        let groups: Vec<Vec<usize>> = self
            .sliding
            .together
            .iter()
            .map(|group| group.iter().copied().filter(stays).collect())
            .collect();
        let mut fixed = system.slides().to_vec();
        for surface in groups.iter().flatten().flat_map(|&place| self.all_of(place)) {
            fixed[surface] = false;
            *self.share_mut(at, surface) = 0.0;
        }
        system.set_slides(&fixed);
        let mut limits = self.limits(system, &groups, at);
        for _ in 0..LOOKS {
            let mut able: Vec<Vec<usize>> = Vec::new();
            for (group, limits) in groups.iter().zip(&limits) {
                let most = limits.iter().copied().fold(0.0, f64::max);
                let mut all: Vec<(f64, usize)> =
                    limits.iter().copied().zip(group.iter().copied()).collect();
                all.retain(|(limit, _)| *limit > ROUNDING * most);
                all.sort_by(|a, b| b.0.total_cmp(&a.0));
                able.push(all.into_iter().map(|(_, place)| place).collect());
            }
            let open = self.choose_rows_of(system, &fixed, &able, at);
            if let Some(given) = self.spread(system, &able, &open, at) {
                system.give_psi(&given);
            }
            // What holds the bodies may press them onto others.
            limits = self.limits(system, &groups, at);
            let more = groups.iter().zip(&limits).zip(&able).any(|((group, limits), able)| {
                let most = limits.iter().copied().fold(0.0, f64::max);
                let of = |(limit, place): (&f64, &usize)| {
                    *limit > ROUNDING * most && !able.contains(place)
                };
                limits.iter().zip(group).any(of)
            });
            if !more {
                return;
            }
        }
    }

    /// Takes rows of places into the equations, one of each group at a time, that do not depend on those before; the
    /// surfaces of the others.
    fn choose_rows_of(
        &self,
        system: &mut System,
        fixed: &[bool],
        able: &[Vec<usize>],
        at: &Point,
    ) -> Vec<Vec<usize>> {
        let first = system.dims().m + system.model().stated_nonholonomic();
        let surfaces: Vec<Vec<usize>> = able
            .iter()
            .map(|group| group.iter().flat_map(|&place| self.all_of(place)).collect())
            .collect();
        let mut slides = fixed.to_vec();
        let mut open = vec![Vec::new(); able.len()];
        for k in 0..surfaces.iter().map(Vec::len).max().unwrap_or(0) {
            let tried = surfaces.iter().filter_map(|group| group.get(k));
            tried.for_each(|&surface| slides[surface] = true);
            system.set_slides(&slides);
            for (row, others) in dependent_rows(system, at) {
                let rows = std::iter::once(row).chain(others);
                let dependent: Vec<usize> = rows.filter_map(|row| row.checked_sub(first)).collect();
                let group = surfaces
                    .iter()
                    .position(|group| group.iter().any(|surface| dependent.contains(surface)));
                if let Some(group) = group
                    && let Some(&surface) = surfaces[group].get(k)
                    && std::mem::take(&mut slides[surface])
                {
                    open[group].push(surface);
                }
            }
        }
        system.set_slides(&slides);
        open
    }

    /// Takes notice of which planes hold the same bodies.
    fn note_together(&mut self, system: &System, at: &Point) {
        let first = system.dims().m + system.model().stated_nonholonomic();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (row, others) in dependent_rows(system, at) {
            let rows = std::iter::once(row).chain(others);
            let surfaces = rows.filter_map(|row| row.checked_sub(first));
            let mut group: Vec<usize> =
                surfaces.map(|surface| self.guards.first(surface)).collect();
            groups.retain_mut(|other| {
                let apart = !other.iter().any(|plane| group.contains(plane));
                if !apart {
                    group.append(other);
                }
                apart
            });
            group.sort_unstable();
            group.dedup();
            groups.push(group);
        }
        self.sliding.together = groups;
    }

    /// How large the force of each place is at its limit, with what a system's rows hold.
    fn limits(&mut self, system: &System, groups: &[Vec<usize>], at: &Point) -> Vec<Vec<f64>> {
        let mut free = at.clone();
        if !matches!(reconcile(system, &mut free), Ok(true)) {
            return groups.iter().map(|group| vec![1.0; group.len()]).collect();
        }
        let mut out = Residual::new(&system.dims());
        let mut force = |at: &Point| {
            system.eval_at(at, Want::F, &mut out);
            out.f.clone()
        };
        let without = force(&free);
        let mut limit = |&place: &usize| {
            let share = self.share(&free, place);
            *self.share_mut(&mut free, place) = share + 0.5;
            let with = force(&free);
            *self.share_mut(&mut free, place) = share;
            let change = with.iter().zip(&without).map(|(with, without)| (with - without).abs());
            change.fold(0.0, f64::max)
        };
        groups.iter().map(|group| group.iter().map(&mut limit).collect()).collect()
    }

    /// The multipliers of nonholonomic rows with which the places of each group are used alike, whose surfaces that are
    /// `open` are not in the equations. `None` where there are no open ones, or the equations have no solution with them.
    fn spread(
        &mut self,
        system: &System,
        able: &[Vec<usize>],
        open: &[Vec<usize>],
        at: &Point,
    ) -> Option<Vec<f64>> {
        let row = |&surface: &usize| match system.share_of(surface) {
            ShareOf::Speeds(row) => Some(row),
            ShareOf::States(_) => None,
        };
        let rows: Vec<Vec<usize>> =
            open.iter().map(|open| open.iter().filter_map(row).collect()).collect();
        let most = rows.iter().map(Vec::len).max().filter(|most| *most > 0)?;
        let mut given = vec![0.0; system.given_psi().len()];
        let (mut system, mut from) = (system.clone(), at.clone());
        let mut along = Alike::new(&system, &mut from)?;
        // Two of each place; of a line the second is none.
        let mut shares = |given: &[f64]| -> Option<Vec<DVector<f64>>> {
            system.give_psi(given);
            let mut at = from.clone();
            if !along.solve(&system, &mut at) {
                return None;
            }
            let share = |of: Option<usize>| of.map_or(0.0, |surface| self.share(&at, surface));
            let pair = |&of: &usize| [share(Some(of)), share(self.all_of(of).nth(1))];
            let all = |group: &Vec<usize>| DVector::from_vec(group.iter().flat_map(pair).collect());
            Some(able.iter().map(all).collect())
        };
        let mut now = shares(&given)?;
        let mut changes: Vec<DMatrix<f64>> = now
            .iter()
            .zip(&rows)
            .map(|(now, rows)| DMatrix::zeros(now.len(), rows.len()))
            .collect();
        // Each group feels its own.
        for k in 0..most {
            let mut tried = given.clone();
            rows.iter().filter_map(|rows| rows.get(k)).for_each(|&row| tried[row] = TRIAL);
            for ((changes, then), now) in changes.iter_mut().zip(shares(&tried)?).zip(&now) {
                if k < changes.ncols() {
                    changes.set_column(k, &((then - now) / TRIAL));
                }
            }
        }
        let mut best: Vec<Option<(f64, Vec<f64>)>> = vec![None; rows.len()];
        // What places hold changes how contacts push, and so how much others hold: a little.
        for _ in 0..CORRECTIONS {
            let mut moved = 0.0f64;
            for ((rows, now), changes) in rows.iter().zip(&now).zip(&changes) {
                if !rows.is_empty() {
                    let chosen = least_largest(now, changes)?;
                    rows.iter().zip(&chosen).for_each(|(&row, change)| given[row] += change);
                    moved = moved.max(chosen.amax());
                }
            }
            now = shares(&given)?;
            let mut easy = true;
            for ((best, now), rows) in best.iter_mut().zip(&now).zip(&rows) {
                let largest = largest(now);
                easy &= largest <= EASY;
                if best.as_ref().is_none_or(|(least, _)| largest < *least) {
                    *best = Some((largest, rows.iter().map(|&row| given[row]).collect()));
                }
            }
            if easy || moved <= ROUNDING {
                break;
            }
        }
        let mut largest_of = Vec::new();
        for (rows, best) in rows.iter().zip(best) {
            let (largest, best) = best?;
            rows.iter().zip(best).for_each(|(&row, share)| given[row] = share);
            largest_of.push(largest);
        }
        let nearly = |largest: f64| largest > 0.5 * NEARLY_ALL && largest < 0.5;
        if largest_of.iter().any(|largest| nearly(*largest)) {
            let mut full = given.clone();
            for (rows, largest) in rows.iter().zip(&largest_of).filter(|(_, x)| nearly(**x)) {
                rows.iter().for_each(|&row| full[row] *= 0.5 / largest);
            }
            if let Some(then) = shares(&full) {
                for ((rows, then), before) in rows.iter().zip(&then).zip(&largest_of) {
                    if nearly(*before) && largest(then) <= 0.5 + ROUNDING {
                        rows.iter().for_each(|&row| given[row] = full[row]);
                    }
                }
            }
        }
        Some(given)
    }

    /// Whether other planes hold the same bodies.
    pub(super) fn is_helped(&self, kept: Kept) -> bool {
        self.sliding.together.iter().flatten().any(|&plane| kept == Kept::Surface(plane))
    }

    /// Planes that hold the same bodies as one among what is touched that cannot hold more at a point do not hold them
    /// either; whether there are any that were thought to.
    pub(super) fn let_go_together(
        &mut self,
        touched: &mut [Touched],
        worst: usize,
        at: &Point,
    ) -> bool {
        let Touched { kept, mode: Mode::Stays, left, .. } = touched[worst] else { return false };
        let beyond = self.beyond(kept, at).0;
        let Kept::Surface(plane) = kept else { return false };
        let group = self.sliding.together.iter().find(|group| group.contains(&plane));
        let Some(group) = group.filter(|_| beyond > -AT_BOUND) else { return false };
        let of = |t: &Touched| matches!(t.kept, Kept::Surface(s) if group.contains(&s));
        let at_bound = left.is_some() && beyond < AT_BOUND;
        for t in touched.iter_mut().filter(|t| of(t) && t.mode == Mode::Stays) {
            (t.mode, t.open) = (Mode::Leaves(self.beyond(t.kept, at).1), at_bound);
        }
        true
    }
}

/// Of the pairs in a vector, each the shares of a plane, how large they are.
fn sizes(shares: &DVector<f64>) -> Vec<f64> {
    shares.as_slice().chunks(2).map(|pair| pair[0].hypot(pair[1])).collect()
}

fn largest(shares: &DVector<f64>) -> f64 {
    sizes(shares).into_iter().fold(0.0, f64::max)
}

/// The x for which the pairs in b + A x, the shares of planes, are small: the sum of their squares is least, or the largest
/// of them, where that would be too large.
fn least_largest(b: &DVector<f64>, a: &DMatrix<f64>) -> Option<DVector<f64>> {
    let planes = b.len() / 2;
    let mut weights = vec![1.0f64; planes];
    let mut best: Option<(f64, DVector<f64>)> = None;
    for _ in 0..ROUNDS {
        let weight = |row: usize| weights[row / 2].sqrt();
        let weighted = DMatrix::from_fn(a.nrows(), a.ncols(), |i, j| weight(i) * a[(i, j)]);
        let right = DVector::from_fn(b.len(), |i, _| -weight(i) * b[i]);
        let x = weighted.svd(true, true).solve(&right, f64::EPSILON).ok()?;
        let shares = b + a * &x;
        let sizes: Vec<f64> = (0..planes).map(|k| shares[2 * k].hypot(shares[2 * k + 1])).collect();
        let largest = sizes.iter().copied().fold(0.0, f64::max);
        if !largest.is_finite() {
            return None;
        }
        if best.as_ref().is_none_or(|(least, _)| largest < *least) {
            best = Some((largest, x));
        }
        if largest <= EASY {
            break;
        }
        weights.iter_mut().zip(&sizes).for_each(|(weight, size)| *weight *= size / largest);
    }
    best.map(|(_, x)| x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two planes that carry a load between them, one of which would carry all.
    #[test]
    fn shares_are_alike() {
        let b = DVector::from_column_slice(&[0.8, 0.0, 0.0, 0.0]);
        let a = DMatrix::from_column_slice(4, 2, &[-1.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 1.0]);
        let x = least_largest(&b, &a).unwrap();
        assert!((x[0] - 0.4).abs() < 1e-12 && x[1].abs() < 1e-12, "{x}");
    }

    /// Three that carry unlike loads: the least sum of squares has a share beyond its bound, the least largest has not.
    #[test]
    fn the_largest_share_is_least_where_it_would_be_too_large() {
        let b = DVector::from_column_slice(&[1.8, 0.0, 0.0, 0.0, 0.0, 0.0]);
        let a = DMatrix::from_column_slice(6, 1, &[-1.0, 0.0, 0.4, 0.0, 0.4, 0.0]);
        let x = least_largest(&b, &a).unwrap()[0];
        let best = 1.8 / 1.4;
        assert!((x - best).abs() < 1e-3, "{x} for {best}");
    }
}
