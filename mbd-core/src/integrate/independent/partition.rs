//! A partition of the coordinates into dependent and independent ones (papers 000, 003, 004).
//!
//! [Y, X] is a permutation of the coordinates with GY regular. Gaussian elimination of Gᵀ with row
//! pivoting chooses it: each constraint takes the coordinate it moves most, after the constraints
//! before it. With Q = (GY)⁻¹GX,
//!
//! ```text
//! P = Xᵀ(I − Gᵀ(GY)⁻ᵀYᵀ) = Xᵀ − QᵀYᵀ        P Gᵀ = 0,  P X = I,  P Pᵀ = I + QᵀQ
//! P r = Xᵀ(r + Gᵀs),  s = −(GY)⁻ᵀYᵀr         Yᵀ(r + Gᵀs) = 0
//! ```
//!
//! so P is never formed: a projected vector is one solution with (GY)ᵀ and one product with Gᵀ, and
//! everything stays as sparse as G, the elimination too (`elimination.rs`).
//!
//! Columns are compared in units of the coordinates' scales S. A choice is kept while it is good and
//! renewed when ‖S⁻¹(GY)⁻¹R‖ has grown, R being the largest entries of the rows of GS. The condition of GY alone would not do: with one constraint it is
//! always 1.

use super::elimination::Elimination;
pub use super::elimination::Pivoting;
use crate::assembly::{Plan, PlanBuilder, Point, SlotKind, System, Term, Weights};
use crate::checkpoint::State;
use crate::error::{OptionError, nearest};
use crate::linear::{LinearError, LinearSolver, Pattern, solver_for};
use crate::scales::Scales;

/// Growth of ‖S⁻¹(GY)⁻¹R‖ since the choice from which on another one is made, unless said otherwise.
const GROWN: f64 = 10.0;
/// ‖S⁻¹(GY)⁻¹R‖ from which on a choice counts as singular.
const SINGULAR: f64 = 1e10;

/// Growth of ‖S⁻¹(GY)⁻¹R‖ of the best choice from which on the position is nearly singular: 5 at most over
/// the examples by the methods that ask, up to 2e5 where bars pass through a line.
const NEARLY_SINGULAR: f64 = 30.0;

/// Which coordinates are independent.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// By elimination, renewed when it has become poor.
    Automatic(Pivoting),
    /// By the user, and kept.
    Independent(Vec<usize>),
}

impl Default for Choice {
    fn default() -> Self {
        Choice::Automatic(Pivoting::default())
    }
}

impl Choice {
    /// The choice a user names, each coordinate by its name; none named leaves it to elimination.
    ///
    /// # Errors
    /// [`OptionError::UnknownName`] with the nearest coordinate, [`OptionError::Independent`] when
    /// their number is not that of the degrees of freedom.
    pub fn by_names(system: &System, names: &[String]) -> Result<Self, OptionError> {
        if names.is_empty() {
            return Ok(Choice::default());
        }
        let n = system.dims().n;
        let coordinates: Vec<String> = (0..n).map(|i| system.scalar_name(SlotKind::Q, i)).collect();
        let mut chosen = Vec::with_capacity(names.len());
        for name in names {
            let Some(i) = coordinates.iter().position(|c| c == name) else {
                return Err(OptionError::UnknownName {
                    option: "independent",
                    name: name.clone(),
                    what: "a coordinate of the model",
                    suggestion: nearest(name, coordinates.iter().map(String::as_str)),
                });
            };
            if chosen.contains(&i) {
                return Err(OptionError::Independent { why: format!("`{name}` is named twice") });
            }
            chosen.push(i);
        }
        let free = n - active_rows(system).len().min(n);
        if chosen.len() != free {
            return Err(OptionError::Independent {
                why: format!(
                    "{} named, but the model has {free} (coordinates less independent constraints)",
                    chosen.len()
                ),
            });
        }
        Ok(Choice::Independent(chosen))
    }
}

/// Holonomic rows that are not redundant.
fn active_rows(system: &System) -> Vec<usize> {
    let mut active: Vec<bool> = vec![true; system.dims().m];
    system.inactive_rows(SlotKind::Lambda).for_each(|i| active[i] = false);
    (0..active.len()).filter(|&i| active[i]).collect()
}

/// The partition of a system's coordinates, with GY factorized at a point.
///
/// # Allocations
/// None but when a choice is made.
#[derive(Debug)]
pub struct Partition {
    choice: Choice,
    plan: Plan,
    values: Vec<f64>,
    /// Rows of G in use; (row among them, coordinate) per stored entry of the plan, `None` outside.
    rows: Vec<usize>,
    entries: Vec<Option<(usize, usize)>>,
    dependent: Vec<usize>,
    independent: Vec<usize>,
    /// Where GY's values come from: (entry of the plan, place in the block).
    gather: Vec<(usize, usize)>,
    pattern: Pattern,
    block: Vec<f64>,
    solver: Box<dyn LinearSolver>,
    row_size: Vec<f64>,
    /// Scales of the coordinates: columns of G are compared in units of them.
    scale: Vec<f64>,
    work: [Vec<f64>; 2],
    /// ‖S⁻¹(GY)⁻¹R‖ when the choice was made, and its growth from which on another one is.
    reference: f64,
    grown: f64,
    /// The smallest of them over all choices made.
    least: f64,
}

impl Partition {
    /// Chooses at a point.
    ///
    /// # Errors
    /// When the constraints do not determine the dependent coordinates: [`OptionError::Independent`]
    /// for those that a user chose, [`OptionError::NoIndependent`] otherwise.
    pub fn new(system: &System, at: &Point, choice: Choice) -> Result<Self, OptionError> {
        let dims = system.dims();
        let mut plan = PlanBuilder::new(dims.n.max(dims.m));
        plan.term(Term::G, 0, 0);
        let plan = plan.build(system);
        let rows = active_rows(system);
        let mut index = vec![None; dims.m];
        rows.iter().enumerate().for_each(|(k, &i)| index[i] = Some(k));
        let entry = |(i, j): (usize, usize)| Some((*index.get(i)?.as_ref()?, j));
        let entries = plan.pattern().entries().map(entry);
        let entries = entries.map(|e| e.filter(|&(_, j)| j < dims.n)).collect();
        let count = rows.len();
        let mut partition = Partition {
            choice,
            values: plan.values(),
            plan,
            entries,
            dependent: Vec::with_capacity(count),
            independent: (0..dims.n).collect(),
            gather: Vec::new(),
            pattern: Pattern::dense(0),
            block: Vec::new(),
            solver: solver_for(&Pattern::dense(0)),
            row_size: vec![0.0; count],
            scale: Scales::rough(system, at, false).lengths().to_vec(),
            work: [vec![0.0; count], vec![0.0; count]],
            reference: 1.0,
            grown: GROWN,
            least: 1.0,
            rows,
        };
        partition.fill(system, at);
        partition.choose();
        match partition.factorize() {
            Ok(size) if size < SINGULAR => {
                partition.reference = size.max(1.0);
                partition.least = partition.reference;
            }
            _ => {
                let named = |list: &[usize]| {
                    let names = list.iter().map(|&i| system.scalar_name(SlotKind::Q, i));
                    names.collect::<Vec<_>>().join(", ")
                };
                let why = format!(
                    "with {} independent the constraints do not determine {} at the start",
                    named(&partition.independent),
                    named(&partition.dependent)
                );
                return Err(match partition.choice {
                    Choice::Independent(_) => OptionError::Independent { why },
                    Choice::Automatic(_) => OptionError::NoIndependent { why },
                });
            }
        }
        Ok(partition)
    }

    /// Saves or restores the choice. What is restored must be evaluated before it is used.
    pub(in crate::integrate) fn state(&mut self, state: &mut State<'_>) {
        let Partition {
            choice: _,
            plan: _,
            values: _,
            rows: _,
            entries: _,
            dependent,
            independent,
            gather: _,
            pattern: _,
            block: _,
            solver: _,
            row_size: _,
            scale,
            work: _,
            reference,
            grown: _,
            least,
        } = self;
        state.part("the partition");
        let sizes = (dependent.len() + independent.len(), dependent.len());
        state.counts(dependent);
        state.counts(independent);
        state.numbers(scale);
        state.number(reference);
        state.number(least);
        let n = dependent.len() + independent.len();
        state.require((n, dependent.len()) == sizes);
        state.require(dependent.iter().chain(&*independent).all(|&j| j < n));
        if state.restores() && state.is_right() {
            self.split();
        }
    }

    /// Makes another choice as soon as ‖S⁻¹(GY)⁻¹R‖ has grown by this factor, in place of 10.
    pub(in crate::integrate) fn renewed_at(self, grown: f64) -> Self {
        Partition { grown, ..self }
    }

    /// The dependent coordinates, in the order of Y's columns.
    pub fn dependent(&self) -> &[usize] {
        &self.dependent
    }

    /// The independent coordinates, in the order of X's columns.
    pub fn independent(&self) -> &[usize] {
        &self.independent
    }

    /// The rows of G in use: those that are not redundant.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Evaluates and factorizes GY at a point, and chooses anew if the choice, not being the
    /// user's, has become poor. Returns whether it did.
    ///
    /// # Errors
    /// [`LinearError`]: no choice is any good at this point.
    pub fn renew(&mut self, system: &System, at: &Point) -> Result<bool, LinearError> {
        self.fill(system, at);
        let size = self.factorize();
        let fits = size.as_ref().is_ok_and(|size| *size <= self.grown * self.reference);
        match (&self.choice, fits) {
            (Choice::Independent(_), _) => size.map(|_| false),
            (_, true) => Ok(false),
            (Choice::Automatic(_), false) => {
                self.choose();
                self.reference = self.factorize()?.max(1.0);
                self.least = self.least.min(self.reference);
                Ok(true)
            }
        }
    }

    /// Chooses anew at a point, however good the choice still is; the user's is kept.
    ///
    /// # Errors
    /// [`LinearError`]: no choice is any good at this point.
    pub(in crate::integrate) fn choose_again(
        &mut self,
        system: &System,
        at: &Point,
    ) -> Result<(), LinearError> {
        self.fill(system, at);
        if matches!(self.choice, Choice::Automatic(_)) {
            self.choose();
        }
        self.reference = self.factorize()?.max(1.0);
        Ok(())
    }

    /// The dependent coordinate that is determined worst, if the position is nearly singular so that no
    /// choice of coordinates is any good. A method that controls the independent coordinates only does not see
    /// there when the others go on in another branch of the motion.
    pub(in crate::integrate) fn nearly_singular(&self) -> Option<usize> {
        let singular = self.reference > NEARLY_SINGULAR * self.least;
        // Elimination takes the largest pivots first.
        self.dependent.last().copied().filter(|_| singular)
    }

    /// Evaluates and factorizes GY at a point with the choice as it is.
    ///
    /// # Errors
    /// [`LinearError`]: GY is singular there.
    pub fn evaluate(&mut self, system: &System, at: &Point) -> Result<(), LinearError> {
        self.fill(system, at);
        self.gather_block();
        self.solver.factorize(&self.block)
    }

    /// The pattern of GY, row by row of those in use.
    pub(in crate::integrate) fn block_pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// GY at a point in the places of [`block_pattern`](Self::block_pattern), for an iteration with
    /// a factorization of its own; the partition must be evaluated before it is used again.
    pub(in crate::integrate) fn block(&mut self, system: &System, at: &Point, values: &mut [f64]) {
        self.fill(system, at);
        values.fill(0.0);
        for &(from, to) in &self.gather {
            values[to] += self.values[from];
        }
    }

    /// s = −(GY)⁻ᵀYᵀr, one entry per holonomic row, 0 for redundant ones.
    pub fn multiplier(&mut self, r: &[f64], s: &mut [f64]) {
        let work = &mut self.work[0];
        for (w, &j) in work.iter_mut().zip(&self.dependent) {
            *w = -r[j];
        }
        self.solver.solve_transpose(work);
        s.fill(0.0);
        for (&row, w) in self.rows.iter().zip(work) {
            s[row] = *w;
        }
    }

    /// r ← r + Gᵀs for the s of [`multiplier`](Self::multiplier): P r in the independent rows, 0 in
    /// the dependent ones.
    pub fn project(&self, s: &[f64], r: &mut [f64]) {
        for (entry, value) in self.entries.iter().zip(&self.values) {
            if let Some((i, j)) = *entry {
                r[j] += value * s[self.rows[i]];
            }
        }
        for &j in &self.dependent {
            r[j] = 0.0;
        }
    }

    /// r ← P r in its independent rows, 0 in the dependent ones, with the multipliers s that do it.
    pub fn annihilate(&mut self, r: &mut [f64], s: &mut [f64]) {
        self.multiplier(r, s);
        self.project(s, r);
    }

    /// P r of the equations of both levels, the rows of positions in the first n places of r and those of
    /// velocities in the next, with the multipliers of each.
    pub fn annihilate_both(&mut self, r: &mut [f64], s: &mut [Vec<f64>; 2]) {
        let n = self.scale.len();
        let (positions, rest) = r.split_at_mut(n);
        for (s, r) in s.iter_mut().zip([positions, &mut rest[..n]]) {
            self.annihilate(r, s);
        }
    }

    /// Dependent entries of u from its independent ones, so that G u = b: u_Y = (GY)⁻¹(b − GX u_X).
    pub fn complete(&mut self, b: &[f64], u: &mut [f64]) {
        for &j in &self.dependent {
            u[j] = 0.0;
        }
        let work = &mut self.work[0];
        for (w, &row) in work.iter_mut().zip(&self.rows) {
            *w = b[row];
        }
        for (entry, value) in self.entries.iter().zip(&self.values) {
            if let Some((i, j)) = *entry {
                work[i] -= value * u[j];
            }
        }
        self.solver.solve(work);
        for (&j, w) in self.dependent.iter().zip(work) {
            u[j] = *w;
        }
    }

    fn fill(&mut self, system: &System, at: &Point) {
        let weights = Weights::of(at);
        self.plan.fill(system, at, &weights, &[1.0], &mut self.values);
    }

    fn gather_block(&mut self) {
        self.block.fill(0.0);
        for &(from, to) in &self.gather {
            self.block[to] += self.values[from];
        }
    }

    /// Factorizes GY; returns ‖S⁻¹(GY)⁻¹R‖.
    fn factorize(&mut self) -> Result<f64, LinearError> {
        self.gather_block();
        self.solver.factorize(&self.block)?;
        self.row_size.fill(0.0);
        for (entry, value) in self.entries.iter().zip(&self.values) {
            if let Some((i, j)) = *entry {
                self.row_size[i] = self.row_size[i].max(value.abs() * self.scale[j]);
            }
        }
        Ok(self.inverse_size())
    }

    /// Estimate of ‖S⁻¹(GY)⁻¹R‖₁ from below by two of Hager's iterations.
    fn inverse_size(&mut self) -> f64 {
        let m = self.rows.len();
        if m == 0 {
            return 0.0;
        }
        let [x, z] = &mut self.work;
        x.fill(1.0 / m as f64);
        let mut size = 0.0f64;
        for last in [false, true] {
            for (x, r) in x.iter_mut().zip(&self.row_size) {
                *x *= r;
            }
            self.solver.solve(x);
            for (x, &j) in x.iter_mut().zip(&self.dependent) {
                *x /= self.scale[j];
            }
            let sum: f64 = x.iter().map(|x| x.abs()).sum();
            size = if sum.is_finite() { size.max(sum) } else { f64::INFINITY };
            if last {
                break;
            }
            for ((z, x), &j) in z.iter_mut().zip(&*x).zip(&self.dependent) {
                *z = if *x < 0.0 { -1.0 } else { 1.0 } / self.scale[j];
            }
            self.solver.solve_transpose(z);
            let steepest = (0..m)
                .max_by(|&i, &j| {
                    let of = |i: usize| (z[i] * self.row_size[i]).abs();
                    of(i).total_cmp(&of(j))
                })
                .unwrap_or(0);
            x.fill(0.0);
            x[steepest] = 1.0;
        }
        size
    }

    /// Splits the coordinates by the values of G at hand.
    fn choose(&mut self) {
        let n = self.independent.len() + self.dependent.len();
        self.dependent.clear();
        match &self.choice {
            Choice::Independent(kept) => {
                self.independent.clone_from(kept);
                let mut free = vec![false; n];
                kept.iter().for_each(|&j| free[j] = true);
                self.dependent.extend((0..n).filter(|&j| !free[j]));
            }
            Choice::Automatic(pivoting) => {
                let mut g = Elimination::new(self.rows.len(), n);
                for (entry, value) in self.entries.iter().zip(&self.values) {
                    if let Some((i, j)) = *entry {
                        g.add(i, j, value * self.scale[j]);
                    }
                }
                self.dependent = g.pivots(*pivoting);
                self.independent = (0..n).filter(|&j| g.is_free(j)).collect();
            }
        }
        self.split();
    }

    /// The pattern of GY and where its values come from.
    fn split(&mut self) {
        let m = self.rows.len();
        let n = self.independent.len() + self.dependent.len();
        let mut column = vec![None; n];
        self.dependent.iter().enumerate().for_each(|(k, &j)| column[j] = Some(k));
        let placed: Vec<(usize, usize, usize)> = self
            .entries
            .iter()
            .enumerate()
            .filter_map(|(e, entry)| {
                let (i, j) = (*entry)?;
                Some((e, i, column[j]?))
            })
            .collect();
        let places: Vec<(u32, u32)> =
            placed.iter().map(|&(_, i, k)| (i as u32, k as u32)).collect();
        let pattern = Pattern::from_entries(m, &places);
        self.gather = placed.into_iter().map(|(e, i, k)| (e, pattern.position(i, k))).collect();
        self.block = vec![0.0; pattern.value_len() + 1];
        self.solver = solver_for(&pattern);
        self.pattern = pattern;
    }
}
