//! Several planes that the motion is at rest in at one instant: which of them hold it, and in which directions it slips in
//! the others, all at once.
//!
//! Let the components of the speeds in all planes begin with the rates b where there is no friction in any, and change by W ψ
//! with the shares ψ of friction: a column of W is what one share does, by the equations of motion. Then the rates s are,
//! by Coulomb's law,
//!
//! ```text
//!     s = b + W ψ        ψᵢ = ½ sᵢ/|sᵢ|  where sᵢ ≠ 0        |ψᵢ| ≤ ½  where sᵢ = 0
//! ```
//!
//! −W is J M⁻¹ Jᵀ with columns as large as what the planes can hold with. So s is that for which the kinetic energy of what
//! accelerations differ by from those without friction, and the power that friction takes, are least together; there is one
//! such s, however many planes hold a body. To assume of each plane whether it holds and to try, one after the other, takes as many
//! trials as there are words of that length, and finds nothing where planes that slip turn each other's directions.
//!
//! Here all of them begin viscous, ψᵢ = ½ sᵢ/√(|sᵢ|² + ε²), which Newton's iteration solves for any b and W, and ε falls
//! to what rounding leaves. What this says is assumed then, and the equations of motion decide.

use super::Integrator;
use super::carried::{Held, Kept, Mode, Touched};
use super::sliding::{AT_BOUND, ROUNDING};
use crate::assembly::{Point, System};
use crate::start::Alike;
use crate::statement::ShareOf;
use nalgebra::{DMatrix, DVector};

/// What ε is at last, in parts of the largest of the rates without friction, and by what it falls each time.
const LEAST: f64 = 1e-13;
const FALLS: f64 = 0.1;

/// Where a speed that friction should hold begins all the same: fast enough for its direction to be resolved.
const CREEPS: f64 = 1e-8;

/// Newton's iterations with one ε, halvings of their steps, and what they leave.
const ITERATIONS: usize = 20;
const HALVINGS: usize = 12;
const SOLVED: f64 = 1e-15;

/// Up to how many times ε a rate falls along with it.
const VISCOUS: f64 = 3.0;

/// Corrections of directions by what friction does at them, and by how much they turn at last.
const DIRECTIONS: usize = 16;
const TURNED: f64 = 1e-9;

/// Of more planes than this none is asked what it does: that takes twice as many solutions, and a dense matrix.
const MOST_PLANES: usize = 64;

/// Less friction than at rest by more than this part is not the difference that a small speed makes.
const LESS: f64 = 1e-3;

/// Beside its direction a rate that is rounding.
const ASTRAY: f64 = 1e-9;

/// The rates in planes, in units of each plane's, without what holds the motion there, and what a half of each share changes
/// them and the accelerations by.
struct Coupled {
    free: DVector<f64>,
    changes: DMatrix<f64>,
    accelerations: DMatrix<f64>,
}

impl Integrator<'_> {
    /// Before any is assumed to: says of several planes at rest that are thought to hold the motion which of them do not.
    pub(super) fn let_slip_at_once(&mut self, touched: &mut [Touched], planes: &[(usize, bool)]) {
        if touched.iter().any(|t| t.left.is_some()) {
            return;
        }
        // Those too that rest and were thought to go on.
        let open = |surface: usize| touched.iter().any(|t| t.is(surface) && !t.open);
        let held: Vec<usize> =
            planes.iter().map(|&(plane, _)| plane).filter(|&plane| open(plane)).collect();
        if held.len() < 2 || held.len() > MOST_PLANES {
            return;
        }
        let mut loose = touched.to_vec();
        loose.iter_mut().filter(|t| held.iter().any(|&plane| t.is(plane))).for_each(|t| {
            t.mode = Mode::Floats;
        });
        let mut system = self.system.clone().into_owned();
        let Some(free) = self.assumed_from(self.to.clone(), &mut system, &loose) else { return };
        let Some(loose) = self.rates_in(&held, &free) else { return };
        let Some(coupled) = self.coupled(&system, &held, &free, loose) else { return };
        let most = coupled.changes.amax();
        if coupled.free.amax() <= ROUNDING * most {
            return;
        }
        let one = DVector::repeat(held.len(), 1.0);
        let Some((rates, shares)) = coupled.settled(LEAST, &one) else { return };
        for (k, &plane) in held.iter().enumerate() {
            // What bears nothing goes on where the others do not hold it.
            let bears = coupled.changes.columns(2 * k, 2).amax() > ROUNDING * most;
            let leaves = match bears {
                true => slips(&shares, k, 1.0),
                false => of_plane(&rates, k).norm() > AT_BOUND * coupled.free.amax(),
            };
            let mode = if leaves { Mode::Leaves(1.0) } else { Mode::Stays };
            touched.iter_mut().filter(|t| t.is(plane)).for_each(|t| t.mode = mode);
        }
    }

    /// In place of what accelerations without all friction begin in several planes: of `system` these are left out of the
    /// equations; `stays` has what holds the motion in all of them, `free` has not. What the velocities change by is as
    /// the accelerations with which the motion slips in them. `None` where those without friction are along these, or none
    /// are found.
    pub(super) fn first_directions(
        &mut self,
        system: &System,
        planes: &[usize],
        [stays, free]: [&Point; 2],
    ) -> Option<Vec<f64>> {
        if planes.len() > MOST_PLANES {
            return None;
        }
        let before = difference(free, stays);
        let loose = self.change_in(planes, free, &before)?;
        let mut coupled = self.coupled(system, planes, free, loose.clone())?;
        let mut parts = DVector::repeat(planes.len(), 1.0);
        if coupled.goes_on_along(&coupled.free, &parts) {
            return None;
        }
        // What friction does beside what its shares are thought to do.
        let mut beside = DVector::zeros(before.len());
        let mut along = Alike::new(system, &mut free.clone())?;
        let mut found: Option<(DVector<f64>, DVector<f64>)> = None;
        let (mut creeps, mut turns) = (false, f64::INFINITY);
        for round in 0..DIRECTIONS {
            let (mut rates, mut shares) = coupled.settled(LEAST, &parts)?;
            // Where friction can just hold what it is to let go of, there are directions, and no rates yet.
            creeps |= (0..planes.len()).any(|k| !slips(&shares, k, parts[k]));
            if creeps {
                (rates, shares) = coupled.settled(CREEPS, &parts)?;
            }
            if let Some((known, _)) = &found {
                let now = turned(known, &rates);
                if round > 2 && now >= turns {
                    break;
                }
                turns = now;
            }
            let dv = &before + &beside + &coupled.accelerations * &shares;
            let (rates, dv) = found.insert((rates, dv));
            if turns < TURNED {
                break;
            }
            // What friction does at so small a speed in these directions: at rest it may hold with more.
            let factor = self.factor_of_leaving(planes, stays, dv.as_slice())?;
            let mut slow = free.clone();
            slow.v_mut().copy_from_slice(stays.v());
            slow.v_mut().iter_mut().zip(dv.iter()).for_each(|(v, dv)| *v += factor * dv);
            for &plane in planes {
                self.set_plane(&mut slow, plane, Mode::Leaves(1.0));
            }
            if !along.solve(system, &mut slow) {
                return None;
            }
            let change = difference(&slow, free);
            let does = self.change_in(planes, free, &change)?;
            let full = directions(rates);
            if round == 0 {
                let single = DMatrix::from_fn(full.len(), planes.len(), |row, k| {
                    (0..2).map(|i| coupled.changes[(row, 2 * k + i)] * full[2 * k + i]).sum()
                });
                let lacks = &does - &coupled.changes * &full;
                let more = single.svd(true, true).solve(&lacks, 1e-12).ok()?;
                if more.amax() > LESS {
                    parts = more.map(|more| 1.0 + more);
                    creeps = false;
                }
            }
            let shares = DVector::from_fn(full.len(), |row, _| parts[row / 2] * full[row]);
            coupled.free = &loose + does - &coupled.changes * &shares;
            beside = change - &coupled.accelerations * &shares;
        }
        let (rates, mut dv) = found?;
        // As large as without friction: so the time in which that gives a speed is that in which friction would.
        dv *= loose.amax() / rates.amax();
        dv.iter().all(|dv| dv.is_finite()).then(|| dv.as_slice().to_vec())
    }

    /// How the rates in planes hang on what friction does in them, which are left out of a system's equations.
    fn coupled(
        &mut self,
        system: &System,
        planes: &[usize],
        free: &Point,
        loose: DVector<f64>,
    ) -> Option<Coupled> {
        let count = 2 * planes.len();
        let mut coupled = Coupled {
            changes: DMatrix::zeros(count, count),
            accelerations: DMatrix::zeros(free.a().len(), count),
            free: loose,
        };
        let mut along = Alike::new(system, &mut free.clone())?;
        let mut system = system.clone();
        let given = system.given_psi().to_vec();
        let surfaces: Vec<usize> = planes.iter().flat_map(|&plane| self.all_of(plane)).collect();
        for (k, &surface) in surfaces.iter().enumerate() {
            let ShareOf::Speeds(row) = system.share_of(surface) else { return None };
            let mut with = given.clone();
            with[row] += 0.5;
            system.give_psi(&with);
            let mut at = free.clone();
            at.psi_mut()[row] = with[row];
            if !along.solve(&system, &mut at) {
                return None;
            }
            let change = difference(&at, free);
            coupled.changes.set_column(k, &self.change_in(planes, free, &change)?);
            coupled.accelerations.set_column(k, &change);
        }
        let all = coupled.free.iter().chain(coupled.changes.iter());
        all.chain(coupled.accelerations.iter()).all(|x| x.is_finite()).then_some(coupled)
    }

    /// The rates of the components of planes' speeds, in units of each plane's.
    fn rates_in(&mut self, planes: &[usize], at: &Point) -> Option<DVector<f64>> {
        let rates = self.guards.rates(at).to_vec();
        self.pairs(planes, &rates)
    }

    /// What accelerations change them by.
    fn change_in(
        &mut self,
        planes: &[usize],
        at: &Point,
        change: &DVector<f64>,
    ) -> Option<DVector<f64>> {
        let before = self.guards.values(at).to_vec();
        let mut moved = at.clone();
        moved.v_mut().iter_mut().zip(change.iter()).for_each(|(v, dv)| *v += dv);
        let mut after = self.guards.values(&moved).to_vec();
        after.iter_mut().zip(&before).for_each(|(after, before)| *after -= before);
        self.pairs(planes, &after)
    }

    /// Of what there is of each guard that of the components of planes, in units of each plane's rate.
    fn pairs(&self, planes: &[usize], all: &[f64]) -> Option<DVector<f64>> {
        let mut pairs = Vec::new();
        for &plane in planes {
            let is_of = |held: &&Held| self.surface_of(held).is_some_and(|(of, _)| of == plane);
            let guard = self.events.guards.iter().find(is_of)?.guard;
            let size = self.size_of_rate(Kept::Surface(plane));
            pairs.extend([all[guard] / size, all[guard + 1] / size]);
        }
        Some(DVector::from_vec(pairs))
    }
}

/// What accelerations differ by.
fn difference(a: &Point, b: &Point) -> DVector<f64> {
    DVector::from_iterator(a.a().len(), a.a().iter().zip(b.a()).map(|(a, b)| a - b))
}

fn of_plane(all: &DVector<f64>, k: usize) -> nalgebra::Vector2<f64> {
    nalgebra::Vector2::new(all[2 * k], all[2 * k + 1])
}

/// Whether the motion slips in a plane where friction uses these parts of what it can hold with.
fn slips(shares: &DVector<f64>, k: usize, part: f64) -> bool {
    of_plane(shares, k).norm() >= part * (1.0 - ROUNDING)
}

/// The pairs of a vector, each of length 1.
fn directions(all: &DVector<f64>) -> DVector<f64> {
    let of = |row: usize| {
        let size = all[row & !1].hypot(all[row | 1]);
        if size > 0.0 { all[row] / size } else { 0.0 }
    };
    DVector::from_fn(all.len(), |row, _| of(row))
}

/// By how much the directions of pairs differ at most.
fn turned(a: &DVector<f64>, b: &DVector<f64>) -> f64 {
    (directions(a) - directions(b)).amax()
}

impl Coupled {
    /// Whether rates go on along themselves with friction of these parts of what can hold against them.
    fn goes_on_along(&self, rates: &DVector<f64>, parts: &DVector<f64>) -> bool {
        let n = directions(rates);
        let shares = DVector::from_fn(n.len(), |row, _| parts[row / 2] * n[row]);
        let after = &self.free + &self.changes * shares;
        (0..parts.len()).all(|k| {
            let (n, after) = (of_plane(&n, k), of_plane(&after, k));
            after.dot(&n) > 0.0 && after.perp(&n).abs() <= ASTRAY * after.norm()
        })
    }

    /// The rates with friction, which can do these parts of what it can hold with, and its shares in parts of a half: where it
    /// begins viscous, up to this part of the largest rate without it.
    fn settled(&self, least: f64, parts: &DVector<f64>) -> Option<(DVector<f64>, DVector<f64>)> {
        let size = self.free.amax();
        let count = self.free.len();
        let mut rates = self.free.clone();
        if size == 0.0 {
            return Some((rates, DVector::zeros(count)));
        }
        let share = |rates: &DVector<f64>, eps: f64| {
            DVector::from_fn(count, |row, _| {
                let r = rates[row & !1].hypot(rates[row | 1]).hypot(eps);
                parts[row / 2] * rates[row] / r
            })
        };
        // Rounding of what is added up.
        let most = self.changes.iter().fold(size, |most, x| most.max(x.abs()));
        let mut eps = size;
        loop {
            let lacks =
                |rates: &DVector<f64>| rates - &self.free - &self.changes * share(rates, eps);
            let mut left = lacks(&rates);
            for _ in 0..ITERATIONS {
                if left.amax() <= SOLVED * most {
                    break;
                }
                let mut matrix = DMatrix::identity(count, count);
                for k in 0..parts.len() {
                    let s = of_plane(&rates, k);
                    let r = s.norm().hypot(eps);
                    let slope = (nalgebra::Matrix2::identity() - (s / r) * (s / r).transpose())
                        * (parts[k] / r);
                    let by = self.changes.columns(2 * k, 2) * slope;
                    matrix.columns_mut(2 * k, 2).zip_apply(&by, |m, by| *m -= by);
                }
                let step = matrix.lu().solve(&left)?;
                let mut part = 1.0;
                let (mut next, mut then) = (&rates - &step, DVector::zeros(0));
                for _ in 0..HALVINGS {
                    then = lacks(&next);
                    if then.norm() < left.norm() {
                        break;
                    }
                    part *= 0.5;
                    next = &rates - part * &step;
                }
                if !(then.norm() < left.norm()) {
                    break;
                }
                (rates, left) = (next, then);
            }
            if eps <= least * size {
                return rates.iter().all(|x| x.is_finite()).then(|| {
                    let shares = share(&rates, eps);
                    (rates, shares)
                });
            }
            let falls = (least * size / eps).max(FALLS);
            for k in 0..parts.len() {
                if of_plane(&rates, k).norm() < VISCOUS * eps {
                    rates[2 * k] *= falls;
                    rates[2 * k + 1] *= falls;
                }
            }
            eps *= falls;
        }
    }
}
