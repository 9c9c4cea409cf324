//! Consistent accelerations, multipliers, rates and variables: all level-two unknowns at once.

use super::error::StartError;
use super::project::not_finite;
use crate::assembly::{Plan, PlanBuilder, Point, Residual, SlotKind, System, Term, Want, Weights};
use crate::linear::{LinearError, LinearSolver, Pattern};
use crate::nonlinear::{
    Damping, Equations, MatrixPolicy, Newton, NewtonFailure, NewtonOptions, NewtonStats, Stop,
    move_by_rounding,
};
use crate::scales::{Scales, largest_by_group};

/// Blocks of unknowns, in order.
const UNKNOWNS: [SlotKind; 5] =
    [SlotKind::A, SlotKind::Lambda, SlotKind::Psi, SlotKind::Xd, SlotKind::W];
/// What they are solved for at.
const GIVEN: [SlotKind; 3] = [SlotKind::Q, SlotKind::V, SlotKind::X];

/// Change of an unknown, relative to its size (`Sizes`), that no longer matters.
const FINE: f64 = 1e-14;
/// The same that is still accepted as rounding when it no longer shrinks.
const COARSE: f64 = 1e-8;
const TO_ROUNDING: Stop = Stop::RoundOff { noise: COARSE / FINE };

/// What is left of unknowns that are only told, in units of their own.
const TEN_DIGITS: f64 = 1e-10;

/// How the iteration is tried: damped or not, and how far from the guesses. A force nonlinear in a
/// multiplier, f(λ², …), may have no slope at the guess λ = 0, where the matrix is then singular
/// though the equations have a solution (paper 001, problem (15)).
const ATTEMPTS: [(bool, f64); 5] =
    [(false, 0.0), (true, 0.0), (false, 1.0), (true, 1.0), (true, -1.0)];

/// Solves for a, λ, ψ, ẋ and w at given t, q, v, x, from the values of the point as guesses:
///
/// ```text
///     M a + Gᵀλ + Kᵀψ − f = 0        M − f_a   Gᵀ − f_λ   Kᵀ − f_ψ   −f_ẋ   −f_w
///     G a + γ             = 0        G
///     K a + ζ             = 0        K
///     d                   = 0        d_a       d_λ        d_ψ        d_ẋ    d_w
///     w − φ               = 0        −φ_a      −φ_λ       −φ_ψ       −φ_ẋ   1 − φ_w
/// ```
///
/// by Newton's iteration with that matrix, exact; damped when it does not converge at once.
/// Returns the iterations. Redundant rows must have been declared before.
///
/// # Errors
/// [`StartError::Singular`], [`StartError::Unsolved`], [`StartError::NotFinite`].
pub fn solve_accelerations(system: &System, point: &mut Point) -> Result<usize, StartError> {
    let mut accelerations = Accelerations::new(system, MatrixPolicy::EveryIteration);
    let guesses: Vec<f64> = accelerations.unknowns(point).collect();
    let first_multiplier = accelerations.offsets[1];
    let mut iterations = 0;
    let mut outcome: Result<usize, StartError> = Ok(0);
    for (damping, aside) in ATTEMPTS {
        let options = NewtonOptions {
            policy: MatrixPolicy::EveryIteration,
            max_iterations: if damping { 100 } else { 20 },
            damping: if damping { Damping::Always } else { Damping::Never },
            ..Default::default()
        };
        accelerations.newton = Newton::new(accelerations.plan.pattern(), options);
        let mut u = guesses.clone();
        u[first_multiplier..].iter_mut().for_each(|u| *u += aside);
        let solved = accelerations.solve_from(system, point, u, None, TO_ROUNDING);
        iterations += accelerations.newton.stats().iterations;
        match solved {
            Ok(()) => return Ok(iterations),
            // What the user's own guesses led to says most.
            Err(failure) if outcome.is_ok() => {
                outcome = Err(accelerations.equations(system, point).explain(failure));
            }
            Err(_) => {}
        }
    }
    outcome
}

/// How q, v and x follow from a and ẋ while these are solved for, about a point of given values:
///
/// ```text
///     v = v̄ + c₁ (a − ā)      q = q̄ + c₂ (a − ā)      x = x̄ + c₁ (ẋ − ẋ̄)
/// ```
#[derive(Clone, Copy, Debug)]
pub(crate) struct Following<'a> {
    /// The given values.
    pub(crate) about: &'a Point,
    /// c₁ in s.
    pub(crate) rate: f64,
    /// c₂ in s².
    pub(crate) position: f64,
}

impl Following<'_> {
    /// What the matrix scales with.
    fn coefficient(&self) -> f64 {
        if self.rate > 0.0 { self.rate } else { 1.0 }
    }
}

/// The equations of [`solve_accelerations`], to be solved at one point after another.
///
/// # Allocations
/// None after construction, by [`solve`](Self::solve).
#[derive(Debug)]
pub(crate) struct Accelerations {
    plan: Plan,
    /// Of the derivatives by (a, λ, ψ, ẋ, w), by (v, x) and by q, with their signs.
    signs: Vec<(usize, f64)>,
    coefficients: Vec<f64>,
    offsets: [usize; 6],
    out: Residual,
    /// Rows that read "multiplier = 0".
    inactive: Vec<usize>,
    newton: Newton,
    u: Vec<f64>,
    /// q, v and x while they are moved by a rounding.
    given: [Vec<f64>; 3],
    sizes: Sizes,
}

impl Accelerations {
    /// For a system whose redundant rows have been declared.
    pub(crate) fn new(system: &System, policy: MatrixPolicy) -> Self {
        Accelerations::of_levels(system, policy, 1)
    }

    /// The same to be solved along a motion, at one point after another: what vanishes in a correction beside the others is
    /// rounding there, and is not refined.
    pub(crate) fn of_steps(system: &System, policy: MatrixPolicy) -> Self {
        let mut along = Accelerations::of_levels(system, policy, 1);
        let options = NewtonOptions { policy, ..Default::default() };
        along.newton = Newton::of_steps(along.plan.pattern(), options);
        along
    }

    /// The same, with a matrix that also holds what is needed where q, v and x
    /// [follow](Following).
    pub(crate) fn following(system: &System, policy: MatrixPolicy) -> Self {
        let mut following = Accelerations::of_levels(system, policy, 3);
        let options = NewtonOptions { policy, ..Default::default() };
        following.newton = Newton::of_few_digits(following.plan.pattern(), options);
        following
    }

    fn of_levels(system: &System, policy: MatrixPolicy, levels: usize) -> Self {
        let dims = system.dims_in_use();
        let offsets = dims.unknown_offsets();
        let (plan, signs) = plan(system, &offsets, levels);
        let coefficients = vec![0.0; plan.coefficients()];
        let inactive = [SlotKind::Lambda, SlotKind::Psi]
            .iter()
            .zip([offsets[1], offsets[2]])
            .flat_map(|(&kind, at)| system.trivial_rows(kind).map(move |i| at + i))
            .collect();
        let options = NewtonOptions { policy, ..Default::default() };
        Accelerations {
            newton: Newton::new(plan.pattern(), options),
            plan,
            signs,
            coefficients,
            offsets,
            out: Residual::new(&system.dims()),
            inactive,
            u: Vec::with_capacity(offsets[5]),
            given: [dims.n, dims.n, dims.nx].map(|len| vec![0.0; len]),
            sizes: Sizes::new(system),
        }
    }

    /// Solves from the values of the point as guesses; its a, λ, ψ, ẋ and w are what the iteration
    /// got to also when it fails. Unknowns and equations of a failure are numbered in this order.
    pub(crate) fn solve(
        &mut self,
        system: &System,
        point: &mut Point,
    ) -> Result<(), NewtonFailure> {
        let u = self.taken(point);
        self.solve_from(system, point, u, None, TO_ROUNDING)
    }

    /// Solves for a, λ, ψ, ẋ, w of a point from its values as guesses while q, v and x follow; these
    /// are left where they are then.
    pub(crate) fn solve_following(
        &mut self,
        system: &System,
        point: &mut Point,
        following: Following<'_>,
    ) -> Result<(), NewtonFailure> {
        let u = self.taken(point);
        self.solve_from(system, point, u, Some(following), TO_ROUNDING)
    }

    /// The same with a new matrix, which leaves little to the second correction: to ten digits.
    pub(crate) fn solve_anew_following(
        &mut self,
        system: &System,
        point: &mut Point,
        following: Following<'_>,
    ) -> Result<(), NewtonFailure> {
        self.forget();
        let u = self.taken(point);
        let stop = Stop::Rate { fraction: TEN_DIGITS / FINE };
        self.solve_from(system, point, u, Some(following), stop)
    }

    /// Makes sure that there is a matrix, evaluated at this point if there was none, and hands out
    /// its factorization: for corrections of q or v in the places of a, by violations of the
    /// constraints in the [places](Self::constraint_rows) of theirs.
    pub(crate) fn factorization(
        &mut self,
        system: &System,
        point: &mut Point,
        following: Following<'_>,
    ) -> Result<&mut dyn LinearSolver, NewtonFailure> {
        let u = self.taken(point);
        let (mut equations, newton) = self.split(system, point, Some(following));
        let coefficient = following.coefficient();
        let prepared = newton.prepare(&mut equations, &u, coefficient);
        self.u = u;
        prepared.map(|()| self.newton.solver())
    }

    /// Where the unknowns λ and ψ, and the constraints' equations, begin and end.
    pub(crate) fn constraint_rows(&self) -> [usize; 3] {
        [self.offsets[1], self.offsets[2], self.offsets[3]]
    }

    /// Number of unknowns.
    pub(crate) fn size(&self) -> usize {
        self.offsets[5]
    }

    /// Forgets the matrix.
    pub(crate) fn forget(&mut self) {
        self.newton.invalidate();
    }

    fn taken(&mut self, point: &Point) -> Vec<f64> {
        let mut u = std::mem::take(&mut self.u);
        u.clear();
        u.extend(self.unknowns(point));
        u
    }

    fn unknowns(&self, point: &Point) -> impl Iterator<Item = f64> {
        let blocks = UNKNOWNS.into_iter().zip(self.offsets.windows(2));
        blocks.flat_map(|(kind, at)| point.get(kind)[..at[1] - at[0]].iter().copied())
    }

    /// Work done since construction.
    pub(crate) fn stats(&self) -> NewtonStats {
        self.newton.stats()
    }

    fn solve_from(
        &mut self,
        system: &System,
        point: &mut Point,
        mut u: Vec<f64>,
        following: Option<Following<'_>>,
        stop: Stop,
    ) -> Result<(), NewtonFailure> {
        if u.is_empty() {
            return Ok(());
        }
        let (mut equations, newton) = self.split(system, point, following);
        let coefficient = following.map_or(1.0, |f| f.coefficient());
        let solved = newton.solve(&mut equations, &mut u, coefficient, stop);
        equations.write(&u);
        self.u = u;
        solved.map(|_| ())
    }

    fn equations<'a>(&'a mut self, system: &'a System, point: &'a mut Point) -> LevelTwo<'a> {
        self.split(system, point, None).0
    }

    fn split<'a>(
        &'a mut self,
        system: &'a System,
        point: &'a mut Point,
        following: Option<Following<'a>>,
    ) -> (LevelTwo<'a>, &'a mut Newton) {
        let Accelerations {
            plan,
            signs,
            coefficients,
            offsets,
            out,
            inactive,
            newton,
            given,
            sizes,
            ..
        } = self;
        let powers = following.map_or([1.0, 0.0, 0.0], |f| [1.0, f.rate, f.position]);
        for (coefficient, (level, sign)) in coefficients.iter_mut().zip(signs.iter()) {
            *coefficient = sign * powers[*level];
        }
        sizes.forget();
        let offsets = *offsets;
        let equations = LevelTwo {
            system,
            plan,
            coefficients,
            offsets,
            out,
            inactive,
            given,
            sizes,
            point,
            following,
        };
        (equations, newton)
    }
}

/// The matrix, of the first `levels` of three parts: the derivatives by the unknowns, by v and x,
/// and by q; each term with the part it belongs to and its sign.
fn plan(system: &System, at: &[usize; 6], levels: usize) -> (Plan, Vec<(usize, f64)>) {
    use SlotKind::{Q, V, X};
    let mut plan = PlanBuilder::new(at[5]);
    let mut signs = Vec::new();
    let mut place = |level: usize, term: Term, row: usize, col: usize, sign: f64| {
        if level < levels {
            plan.term(term, row, col);
            signs.push((level, sign));
        }
    };
    let functions: [(fn(SlotKind) -> Term, usize, f64); 3] =
        [(Term::F, 0, -1.0), (Term::D, at[3], 1.0), (Term::W, at[4], 1.0)];
    for (term, row, sign) in functions {
        for (kind, &col) in UNKNOWNS.iter().zip(at) {
            place(0, term(*kind), row, col, sign);
        }
        place(1, term(V), row, 0, sign);
        place(1, term(X), row, at[3], sign);
        place(2, term(Q), row, 0, sign);
    }
    place(0, Term::M, 0, 0, 1.0);
    place(0, Term::React, 0, at[1], 1.0);
    place(0, Term::ReactPsi, 0, at[2], 1.0);
    place(0, Term::G, at[1], 0, 1.0);
    place(0, Term::K, at[2], 0, 1.0);
    for (level, term, row) in [
        (1, Term::ReactV, 0),
        (2, Term::ReactQ, 0),
        (2, Term::MuQ, 0),
        (1, Term::GammaV, at[1]),
        (2, Term::GammaQ, at[1]),
        (2, Term::GuQ, at[1]),
        (1, Term::ZetaV, at[2]),
        (1, Term::KuV, at[2]),
        (2, Term::ZetaQ, at[2]),
        (2, Term::KuQ, at[2]),
    ] {
        place(level, term, row, 0, 1.0);
    }
    plan.constraints(SlotKind::Lambda, at[1], at[1]);
    plan.constraints(SlotKind::Psi, at[2], at[2]);
    (plan.build_once(system), signs)
}

struct LevelTwo<'a> {
    system: &'a System,
    plan: &'a Plan,
    coefficients: &'a [f64],
    offsets: [usize; 6],
    out: &'a mut Residual,
    /// Rows that read "multiplier = 0".
    inactive: &'a [usize],
    given: &'a mut [Vec<f64>; 3],
    /// Largest entry of each block so far.
    sizes: &'a mut Sizes,
    point: &'a mut Point,
    following: Option<Following<'a>>,
}

impl LevelTwo<'_> {
    fn want() -> Want {
        Want::MU
            | Want::F
            | Want::REACTION
            | Want::GU
            | Want::GAMMA
            | Want::KU
            | Want::ZETA
            | Want::D
            | Want::W
    }

    fn write(&mut self, u: &[f64]) {
        for (k, kind) in UNKNOWNS.into_iter().enumerate() {
            self.point.set_unknowns(kind, &u[self.offsets[k]..self.offsets[k + 1]]);
        }
        let Some(Following { about, rate, position }) = self.following else { return };
        let levels = [
            (SlotKind::Q, SlotKind::A, position, 0),
            (SlotKind::V, SlotKind::A, rate, 0),
            (SlotKind::X, SlotKind::Xd, rate, self.offsets[3]),
        ];
        for (value, highest, factor, first) in levels {
            let given = about.get(value).iter().zip(about.get(highest));
            for ((y, (start, d)), u) in
                self.point.get_mut(value).iter_mut().zip(given).zip(&u[first..])
            {
                *y = start + factor * (u - d);
            }
        }
    }

    fn name(&self, index: usize) -> String {
        let k = (0..5).rfind(|&k| self.offsets[k] <= index && index < self.offsets[k + 1]);
        let Some(k) = k else { return format!("unknown number {index}") };
        self.system.scalar_name(UNKNOWNS[k], index - self.offsets[k])
    }

    fn explain(&self, failure: NewtonFailure) -> StartError {
        match failure {
            NewtonFailure::NotFinite { .. } => not_finite(self.system, self.point, Self::want()),
            NewtonFailure::Linear(LinearError::Singular { column, .. }) => {
                StartError::Singular { unknown: self.name(column) }
            }
            NewtonFailure::Linear(LinearError::NotFinite { row, column, value }) => {
                StartError::NotFinite {
                    what: format!(
                        "the derivative of the equation of {} by {}",
                        self.name(row),
                        self.name(column)
                    ),
                    value,
                    statement: self.name(row),
                    reads: String::new(),
                }
            }
            NewtonFailure::Diverged { iterations, worst, correction, .. }
            | NewtonFailure::TooSlow { iterations, worst, correction, .. } => {
                StartError::Unsolved { iterations, unknown: self.name(worst), correction }
            }
            NewtonFailure::Linear(_) => StartError::Singular { unknown: "any unknown".into() },
        }
    }
}

impl LevelTwo<'_> {
    /// The residual at the point as it is, whose unknowns are `u`.
    fn evaluate(&mut self, u: &[f64], r: &mut [f64]) {
        self.system.eval_at(self.point, Self::want(), self.out);
        let at = self.offsets;
        let out = &*self.out;
        for (i, r) in r[..at[1]].iter_mut().enumerate() {
            *r = out.mu[i] + out.reaction[i] - out.f[i];
        }
        for (i, r) in r[at[1]..at[2]].iter_mut().enumerate() {
            *r = out.gu[i] + out.gamma[i];
        }
        for (i, r) in r[at[2]..at[3]].iter_mut().enumerate() {
            *r = out.ku[i] + out.zeta[i];
        }
        r[at[3]..at[4]].copy_from_slice(&out.d);
        r[at[4]..].copy_from_slice(&out.w[..at[5] - at[4]]);
        let given = self.system.given_psi();
        for &row in self.inactive {
            r[row] = u[row] - row.checked_sub(at[2]).map_or(0.0, |psi| given[psi]);
        }
    }
}

impl Equations for LevelTwo<'_> {
    fn residual(&mut self, u: &[f64], r: &mut [f64]) {
        self.write(u);
        self.evaluate(u, r);
        self.sizes.take(self.offsets, u, self.out);
        self.sizes.gather(self.offsets, self.system.unit_groups());
    }

    fn rounded_residual(&mut self, u: &[f64], r: &mut [f64]) {
        self.write(u);
        for (kind, given) in GIVEN.into_iter().zip(&mut *self.given) {
            given.copy_from_slice(self.point.get(kind));
        }
        for kind in GIVEN.into_iter().chain(UNKNOWNS) {
            move_by_rounding(self.point.get_mut(kind));
        }
        self.evaluate(u, r);
        for (kind, given) in GIVEN.into_iter().zip(&*self.given) {
            self.point.get_mut(kind).copy_from_slice(given);
        }
    }

    fn matrix(&mut self, u: &[f64], values: &mut [f64]) {
        self.write(u);
        let point = &*self.point;
        let weights = Weights::of(point);
        self.plan.fill(self.system, point, &weights, self.coefficients, values);
        self.sizes.weigh(self.offsets, self.plan.pattern(), values, u);
    }

    fn norms(&self, du: &[f64]) -> [f64; 2] {
        let mut norm = 0.0f64;
        for (change, size) in du.iter().zip(&self.sizes.unit) {
            if change.is_nan() {
                return [f64::NAN, 0.0];
            }
            if *change != 0.0 {
                // In this order: of a change near the smallest number there is no FINE part.
                norm = norm.max(change.abs() / size.max(change.abs()) / FINE);
            }
        }
        [norm, 0.0]
    }
}

/// What each unknown is judged by: the largest value of its kind and unit that it took in the solve,
/// and what makes it. Rounding of a reaction is felt in accelerations, at rest too: none is judged more
/// finely than a little of what the forces would give it alone, those too that friction could hold with and need not.
#[derive(Debug)]
struct Sizes {
    /// Where the shares of surfaces begin among the unknowns, and half of what each force differs by on their sides.
    surfaces: usize,
    shares: Vec<f64>,
    /// Diagonal of the matrix.
    diagonal: Vec<f64>,
    /// Of each multiplier the coordinate that its row moves most for its inertia, and by how much.
    lever: Vec<(usize, f64)>,
    best: Vec<f64>,
    /// Σ |J_ij u_j| of each row.
    terms: Vec<f64>,
    /// |f| + |reaction|, the largest so far.
    force: Vec<f64>,
    /// Lengths of the coordinates.
    lengths: Vec<f64>,
    /// Largest value so far.
    most: Vec<f64>,
    unit: Vec<f64>,
    work: Vec<f64>,
}

/// A share of a surface at its bound.
const HALF: f64 = 0.5;

/// Part of what its forces, or the others, would give it that an acceleration is judged by at least.
const LEAST: f64 = 1e-3;

impl Sizes {
    fn new(system: &System) -> Self {
        let dims = system.dims_in_use();
        let offsets = dims.unknown_offsets();
        let size = offsets[5];
        // What the model says of itself, not where it happens to be.
        let scales = Scales::rough(system, &system.initial_point(), true);
        let zero = vec![0.0; size];
        Sizes {
            surfaces: offsets[2] + system.model().stated_nonholonomic(),
            shares: vec![0.0; dims.n],
            diagonal: zero.clone(),
            lever: vec![(0, 0.0); dims.m + dims.p],
            best: vec![0.0; dims.m + dims.p],
            terms: zero.clone(),
            force: vec![0.0; dims.n],
            lengths: scales.q().weights().to_vec(),
            most: zero.clone(),
            unit: zero,
            work: vec![0.0; 2 * dims.n],
        }
    }

    /// Before a solve.
    fn forget(&mut self) {
        self.most.fill(0.0);
        self.force.fill(0.0);
    }

    /// Takes an iterate and its forces.
    fn take(&mut self, at: [usize; 6], u: &[f64], out: &Residual) {
        for (most, u) in self.most.iter_mut().zip(u) {
            *most = most.max(u.abs());
        }
        for (force, (f, reaction)) in
            self.force[..at[1]].iter_mut().zip(out.f.iter().zip(&out.reaction))
        {
            *force = force.max(f.abs() + reaction.abs());
        }
    }

    /// Takes a matrix.
    fn weigh(&mut self, at: [usize; 6], pattern: &Pattern, values: &[f64], u: &[f64]) {
        self.diagonal.fill(0.0);
        self.terms.fill(0.0);
        self.lever.fill((0, 0.0));
        self.best.fill(0.0);
        self.shares.fill(0.0);
        let shares = self.surfaces..at[3];
        let mut take = |i: usize, j: usize, value: f64| {
            let is_share = shares.contains(&j);
            if is_share && i < at[1] {
                self.shares[i] = self.shares[i].max(HALF * value.abs());
            }
            if i == j {
                self.diagonal[i] = value.abs();
            }
            // What could hold a motion and need not is as large, and rounds, as what does.
            self.terms[i] += value.abs() * if is_share { u[j].abs().max(HALF) } else { u[j].abs() };
        };
        // In loops of their own, for this is done at each iterate.
        match pattern.columns() {
            None => {
                let columns = values.chunks_exact(at[5].max(1)).take(at[5]);
                for (j, column) in columns.enumerate() {
                    column.iter().enumerate().for_each(|(i, value)| take(i, j, *value));
                }
            }
            Some((starts, rows)) => {
                for (j, range) in starts.windows(2).enumerate() {
                    let range = range[0] as usize..range[1] as usize;
                    let entries = rows[range.clone()].iter().zip(&values[range]);
                    entries.for_each(|(&i, value)| take(i as usize, j, *value));
                }
            }
        }
        if at[1] == at[3] {
            return;
        }
        let constraints = |i: usize, j: usize| (at[1]..at[3]).contains(&i) && j < at[1];
        let entries = pattern.entries().zip(values);
        for ((i, j), value) in entries.filter(|((i, j), _)| constraints(*i, *j)) {
            let gain = value * value / self.diagonal[j].max(f64::MIN_POSITIVE);
            let (best, known) = (&mut self.best[i - at[1]], &mut self.lever[i - at[1]]);
            if gain > *best {
                (*best, *known) = (gain, (j, value.abs()));
            }
        }
    }

    /// The units of the norm.
    fn gather(&mut self, at: [usize; 6], groups: &[u32]) {
        let n = at[1];
        let (own, made) = self.work.split_at_mut(n);
        for (i, made) in made.iter_mut().enumerate() {
            let inertia = self.diagonal[i];
            let force = self.force[i] + self.shares[i];
            let alone = if inertia > 0.0 { force / inertia } else { 0.0 };
            *made = self.most[i].max(LEAST * alone);
        }
        largest_by_group(groups, made, own);
        let rates = own.iter().zip(&self.lengths).map(|(a, length)| a / length);
        let rate = rates.filter(|rate| rate.is_finite()).fold(0.0, f64::max);
        for ((unit, own), length) in self.unit.iter_mut().zip(&*own).zip(&self.lengths) {
            *unit = own.max(LEAST * rate * length);
        }
        for (r, &(j, value)) in self.lever.iter().enumerate() {
            let most = self.most[n + r];
            let inertial = LEAST * self.diagonal[j] * self.unit[j];
            let force = self.force[j].max(inertial);
            self.unit[n + r] = if value > 0.0 { most.max(force / value) } else { most };
            if n + r >= self.surfaces {
                self.unit[n + r] = self.unit[n + r].max(LEAST * HALF);
            }
        }
        for i in at[3]..at[5] {
            let made = if self.diagonal[i] > 0.0 { self.terms[i] / self.diagonal[i] } else { 0.0 };
            self.unit[i] = self.most[i].max(LEAST * made);
        }
    }
}
