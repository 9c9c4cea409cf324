//! Whether the mass matrix is positive on the motions that the constraints leave.
//!
//! It need not be positive on all: a body in Euler parameters has no inertia along the parameters
//! themselves, which its constraint holds at unit length. On the null space of G and K a mass that is
//! zero leaves an acceleration undetermined, and one that is negative turns forces around: no step
//! fails, and no result is right.

use crate::assembly::{Point, Residual, RowSink, SlotKind, System, Term, Want, Weights};
use crate::digits::short;
use nalgebra::{DMatrix, DVector, SymmetricEigen};
use std::collections::BTreeMap;
use std::fmt;

/// Largest set of coordinates, coupled with each other, that is looked at together with constraints.
const LARGEST: usize = 400;
/// The same where it is without them.
const LARGEST_ALONE: usize = 2000;
/// Eigenvalues of the mass matrix, scaled to ones on its diagonal, that are rounding, per coordinate.
const ROUNDING: f64 = 1e-13;
/// Squared singular values of the constraints, their rows of unit length, that are none.
const FREE: f64 = 1e-12;
/// Parts of a motion, relative to the largest, that are told.
const TOLD: f64 = 0.3;
/// Coordinates that are told, at most.
const MOST: usize = 4;

/// A motion that the constraints allow, with a mass that is negative or zero.
#[derive(Clone, Debug, PartialEq)]
pub struct IndefiniteMass {
    /// The coordinates that move most in it, the first most.
    pub coordinates: Vec<String>,
    /// 2T of the motion in which the first has speed 1: its mass when it moves alone. 0 where it is no
    /// more than rounding.
    pub mass: f64,
    /// The statement whose part is negative.
    pub statement: Option<String>,
    /// Time in s.
    pub t: f64,
}

impl fmt::Display for IndefiniteMass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let IndefiniteMass { coordinates, mass, statement, .. } = self;
        let names: Vec<String> = coordinates.iter().map(|name| format!("`{name}`")).collect();
        let along = match names.len() {
            1 => format!("the mass along {}", names[0]),
            _ => format!("the mass of a motion of {}", names.join(", ")),
        };
        if *mass == 0.0 {
            write!(f, "{along} is zero, so that nothing determines its acceleration")?;
        } else if *mass > 0.0 {
            write!(f, "{along} vanishes, {} is left of it", short(*mass))?;
        } else {
            write!(f, "{along} is negative, {}", short(*mass))?;
        }
        match statement {
            Some(statement) => write!(f, ": look at `{statement}`"),
            None => Ok(()),
        }
    }
}

/// Whether the mass matrix changes with the motion or with time.
pub(crate) fn mass_changes(system: &System) -> bool {
    system.groups().any(|group| {
        let terms = group.terms();
        terms.contains(&Term::M) && (terms.contains(&Term::MuQ) || group.sees().comparisons)
    })
}

/// The motion of least mass at a point, when that is not positive; `None` also where more than
/// several hundred coordinates would have to be looked at together with their constraints.
pub fn indefinite_mass(system: &System, point: &Point) -> Option<IndefiniteMass> {
    let n = system.dims().n;
    let mass = entries(system, point, &[(Term::M, 0)]);
    let mut rows: BTreeMap<usize, Vec<(usize, f64)>> = BTreeMap::new();
    for ((row, column), value) in
        entries(system, point, &[(Term::G, 0), (Term::K, system.dims().m)])
    {
        rows.entry(row).or_default().push((column, value));
    }
    let mut blocks = Groups::new(n);
    mass.keys().for_each(|&(i, j)| blocks.join(i, j));
    let mut coupled = blocks.clone();
    for entries in rows.values() {
        entries.windows(2).for_each(|pair| coupled.join(pair[0].0, pair[1].0));
    }
    for block in blocks.all() {
        if block.len() > LARGEST_ALONE {
            return None;
        }
        if is_positive(&dense(&mass, &block)) {
            continue;
        }
        // With the rows of its own first, which may do.
        let root = coupled.of(block[0]);
        let whole: Vec<usize> = (0..n).filter(|&i| coupled.of(i) == root).collect();
        for set in [block, whole] {
            let inside = |(i, _): &(usize, f64)| set.binary_search(i).is_ok();
            let own: Vec<_> = rows.values().filter(|row| row.iter().all(inside)).collect();
            let touching = rows.values().filter(|row| row.iter().any(inside)).count();
            if set.len() > LARGEST {
                return None;
            }
            match least(&dense(&mass, &set), &own, &set) {
                None => break,
                Some(motion) if own.len() == touching => {
                    return Some(told(system, point, &set, &motion));
                }
                Some(_) => {}
            }
        }
    }
    None
}

fn entries(
    system: &System,
    point: &Point,
    terms: &[(Term, usize)],
) -> BTreeMap<(usize, usize), f64> {
    let mut found = BTreeMap::new();
    for &(term, first) in terms {
        for (row, column, value) in system.entries(point, &Weights::of(point), term) {
            if value != 0.0 {
                *found.entry((first + row, column)).or_insert(0.0) += value;
            }
        }
    }
    found
}

fn dense(mass: &BTreeMap<(usize, usize), f64>, set: &[usize]) -> DMatrix<f64> {
    let at = |i: usize, j: usize| mass.get(&(set[i], set[j])).copied().unwrap_or(0.0);
    DMatrix::from_fn(set.len(), set.len(), |i, j| 0.5 * (at(i, j) + at(j, i)))
}

/// Factors that make the diagonal 1 or -1.
fn scaling(mass: &DMatrix<f64>) -> DVector<f64> {
    DVector::from_fn(mass.nrows(), |i, _| {
        let size = mass[(i, i)].abs();
        let size = if size > 0.0 { size } else { mass.row(i).amax() };
        if size > 0.0 { size.sqrt().recip() } else { 1.0 }
    })
}

fn scaled(mass: &DMatrix<f64>) -> (DMatrix<f64>, DVector<f64>) {
    let by = scaling(mass);
    (DMatrix::from_fn(mass.nrows(), mass.ncols(), |i, j| mass[(i, j)] * by[i] * by[j]), by)
}

/// Whether a symmetric matrix is positive definite, by Cholesky's factorization.
fn is_positive(mass: &DMatrix<f64>) -> bool {
    let (scaled, _) = scaled(mass);
    let n = scaled.nrows();
    let least = ROUNDING * n as f64;
    scaled.cholesky().is_some_and(|factor| {
        let l = factor.l_dirty();
        (0..n).all(|i| l[(i, i)] * l[(i, i)] > least)
    })
}

/// The motion of least mass among those that the rows allow, if that is not positive.
fn least(mass: &DMatrix<f64>, rows: &[&Vec<(usize, f64)>], set: &[usize]) -> Option<DVector<f64>> {
    let (scaled, by) = scaled(mass);
    let n = scaled.nrows();
    let mut free: DMatrix<f64> = DMatrix::identity(n, n);
    if !rows.is_empty() {
        let mut held: DMatrix<f64> = DMatrix::zeros(n, n);
        for row in rows {
            let mut entries: Vec<(usize, f64)> = Vec::with_capacity(row.len());
            for &(column, value) in row.iter() {
                if let Ok(i) = set.binary_search(&column) {
                    entries.push((i, value * by[i]));
                }
            }
            let size: f64 = entries.iter().map(|(_, value)| value * value).sum();
            if size > 0.0 {
                for &(i, a) in &entries {
                    entries.iter().for_each(|&(j, b)| held[(i, j)] += a * b / size);
                }
            }
        }
        let eigen = SymmetricEigen::new(held);
        let kept = (0..n).filter(|&k| eigen.eigenvalues[k] <= FREE).collect::<Vec<_>>();
        free = eigen.eigenvectors.select_columns(&kept);
    }
    if free.ncols() == 0 {
        return None;
    }
    let reduced: DMatrix<f64> = free.transpose() * scaled * &free;
    let eigen = SymmetricEigen::new(reduced);
    let values = eigen.eigenvalues.iter().copied().enumerate();
    let (k, value) = values.min_by(|a, b| a.1.total_cmp(&b.1))?;
    // Written so that NaN is told.
    if value > ROUNDING * n as f64 {
        return None;
    }
    let motion = free * eigen.eigenvectors.column(k);
    Some(DVector::from_fn(n, |i, _| motion[i] * by[i]))
}

/// The motion as a user knows it.
fn told(system: &System, point: &Point, set: &[usize], motion: &DVector<f64>) -> IndefiniteMass {
    // What moves most by its part in the energy, or in speed where there is none.
    let dims = system.dims();
    let mut u = vec![0.0; dims.n];
    set.iter().zip(motion.iter()).for_each(|(&i, value)| u[i] = *value);
    let parts: Vec<(Vec<f64>, &str)> = system
        .groups()
        .filter(|group| group.terms().contains(&Term::M))
        .map(|group| {
            let mut out = Residual::new(&dims);
            let weights = Weights { u: &u, s: point.lambda(), r: point.psi() };
            let (all, rows) = (0..group.instances(), &mut RowSink::of(&mut out));
            group.residual(all, point.flat(), &weights, Want::MU, rows);
            (out.mu.iter().zip(&u).map(|(mu, u)| mu * u).collect(), group.name())
        })
        .collect();
    let sums = parts.iter().map(|(part, name)| (part.iter().sum::<f64>(), *name));
    let worst = sums.clone().min_by(|a, b| a.0.total_cmp(&b.0)).filter(|(sum, _)| *sum < 0.0);
    let total: f64 = sums.map(|(sum, _)| sum).sum();
    let sizes: f64 = parts.iter().flat_map(|(part, _)| part).map(|x| x.abs()).sum();
    let of = |i: usize| parts.iter().map(|(part, _)| part[i].abs()).sum::<f64>();
    let weight = |i: usize| if sizes > 0.0 { of(i) } else { u[i].abs() };
    let mut order: Vec<usize> = set.to_vec();
    order.sort_by(|&i, &j| weight(j).total_cmp(&weight(i)));
    let first = order[0];
    let most = weight(first);
    order.retain(|&i| weight(i) >= TOLD * most);
    order.truncate(MOST);
    let rounding = total.abs() <= ROUNDING * set.len() as f64 * sizes;
    let speed = if u[first] != 0.0 { u[first] * u[first] } else { 1.0 };
    IndefiniteMass {
        coordinates: order.iter().map(|&i| system.scalar_name(SlotKind::Q, i)).collect(),
        mass: if rounding { 0.0 } else { total / speed },
        statement: worst.filter(|_| !rounding).map(|(_, name)| name.to_string()),
        t: point.t(),
    }
}

/// Sets of coordinates that belong together.
#[derive(Clone)]
struct Groups(Vec<usize>);

impl Groups {
    fn new(n: usize) -> Self {
        Groups((0..n).collect())
    }

    fn of(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    fn join(&mut self, i: usize, j: usize) {
        let (i, j) = (self.of(i), self.of(j));
        self.0[i.max(j)] = i.min(j);
    }

    /// The sets in the order of their first members, each rising.
    fn all(&mut self) -> Vec<Vec<usize>> {
        let mut sets: Vec<Vec<usize>> = vec![Vec::new(); self.0.len()];
        for i in 0..self.0.len() {
            sets[self.of(i)].push(i);
        }
        sets.retain(|set| !set.is_empty());
        sets
    }
}
