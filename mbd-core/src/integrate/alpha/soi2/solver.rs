//! The linear algebra of a step: two systems of the size of `hht-i3`'s in place of one of twice it.
//!
//! # The elimination
//! With q = ∂q'/∂a_α, v, β, γ as in the Newton matrix, m̄ the factor of M̂ in the equations of motion
//! and σ = q/β (1, but in a shifted first step), the corrections of the step satisfy, states and
//! variables aside,
//!
//! ```text
//! A Δa + Gᵀ Δλ + β R_q Δδ           = b_a        A = m̄ M̂ + q R_q + v R_v + …
//! C Δa           + D Δδ             = b_λ        C = (v G + q (Gv + g_t)_q)/γ,  D = (β/γ)(Gv + g_t)_q
//! −q R̂_q Δa − v R̂_v Δa + N Δδ − Gᵀ Δμ = b_δ      N = M̂ − β R̂_q
//! σ G Δa         + G Δδ             = b_μ
//! ```
//!
//! q' depends on Δe = Δa + Δδ/σ alone, the position constraint with it. In Δe and Δλ̃ = Δλ − (m̄/σ) Δμ,
//! which are the paper's own unknowns of eq. 13d and 13f, the first row plus m̄/σ times the third, the
//! fourth, and the second with C/σ − D = (v/γσ) G become
//!
//! ```text
//! A Δe + Gᵀ Δλ̃  = b_a + (m̄/σ) b_δ + [v R_v Δδ/σ]
//! σ G Δe        = b_μ
//! N Δδ − Gᵀ Δμ  = b_δ + [(q R̂_q + v R̂_v) Δa]
//! G Δδ          = (σγ/v) (C Δe − b_λ)
//! ```
//!
//! The pair of Δe has the matrix of an index-3 method, that of Δδ is the projection onto the
//! constraints with the mass matrix as metric; nothing but the brackets leads from the second back to
//! the first. They are left out.
//!
//! # What becomes of Newton's iteration
//! Nothing where forces do not depend on velocities, but for R̂ = Gᵀμ + Kᵀν, which is O(h) beside M̂
//! and stands with q = O(h²). Where they do, an error of δ makes one of e by v R_v, which damping
//! however strong does not amplify (A contains it), and an error of e makes one of δ by D, which is
//! O(h): the iteration converges at the rate (β/γ) |(Gv)_q|/|G| · |A⁻¹ v R_v|, at most half a step
//! times the angular velocities. Nonholonomic rows, with K and k_q at both velocities, add O(h) of
//! their own (and 1 − v/γσ in a shifted first step), and states and variables that read velocities or
//! accelerations couple like R_v. The linear rows of holonomic constraints are met exactly, whatever
//! is left out.
//!
//! Putting the iteration matrix A in N's place as well would need one factorization only, and fails:
//! stiff springs and dampers make it another metric, in which the rate tends to 1.

use super::places::Places;
use crate::linear::{LinearError, LinearSolver, Pattern, Patterns, solver_of_corrections};

/// What a matrix holds behind the entries of its pattern and the bin of assembly.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scales {
    /// m̄/σ.
    pub(super) mass: f64,
    /// 1/σ.
    pub(super) position: f64,
    /// σγ/v.
    pub(super) velocity: f64,
}

impl Scales {
    const COUNT: usize = 3;

    pub(super) fn write(self, values: &mut [f64]) {
        let list = [self.mass, self.position, self.velocity];
        values.iter_mut().zip(list).for_each(|(value, scale)| *value = scale);
    }

    fn read(values: &[f64]) -> Option<Self> {
        let &[mass, position, velocity] = values else { return None };
        Some(Scales { mass, position, velocity })
    }
}

/// A system of the elimination, taken from places of the Newton matrix.
#[derive(Debug)]
struct Part {
    solver: Box<dyn LinearSolver>,
    /// Place in the Newton matrix of every entry.
    places: Vec<u32>,
    values: Vec<f64>,
    /// Right-hand side and solution.
    x: Vec<f64>,
}

impl Part {
    /// From entries with their places.
    fn new(size: usize, entries: &[(u32, u32, u32)], patterns: &Patterns) -> Self {
        let list: Vec<(u32, u32)> = entries.iter().map(|&(row, col, _)| (row, col)).collect();
        let pattern = patterns.share(Pattern::from_entries(size, &list));
        // Places of a dense pattern that hold nothing are those of the bin, which is not read.
        let mut places = vec![u32::MAX; pattern.value_len()];
        for &(row, col, place) in entries {
            places[pattern.position(row as usize, col as usize)] = place;
        }
        Part {
            solver: solver_of_corrections(&pattern),
            values: vec![0.0; places.len()],
            places,
            x: vec![0.0; size],
        }
    }

    fn factorize(&mut self, from: &[f64]) -> Result<(), LinearError> {
        for (value, &place) in self.values.iter_mut().zip(&self.places) {
            *value = from.get(place as usize).copied().unwrap_or_default();
        }
        self.solver.factorize(&self.values)
    }

    fn solve(&mut self) {
        self.solver.solve(&mut self.x);
    }

    fn solve_transpose(&mut self) {
        self.solver.solve_transpose(&mut self.x);
    }
}

/// Solves the Newton system of a step by the elimination above.
///
/// The value array is that of the Newton matrix, the bin of assembly and [`Scales`] behind it.
#[derive(Debug)]
pub(super) struct SplitSolver {
    pattern: Pattern,
    places: Places,
    /// e, λ̃, ψ̃, ẋ, w.
    first: Part,
    /// δ, μ, ν.
    second: Part,
    /// C as (row, column, place in the Newton matrix), and its values.
    coupling: Vec<(u32, u32, u32)>,
    coupling_values: Vec<f64>,
    redundant: Vec<usize>,
    scales: Scales,
}

impl SplitSolver {
    /// For Newton matrices of a pattern; `redundant` are the constraint rows, nonholonomic ones after
    /// holonomic ones, that say that their multiplier is 0.
    pub(super) fn new(
        pattern: &Pattern,
        places: Places,
        redundant: Vec<usize>,
        patterns: &Patterns,
    ) -> Self {
        let Places { lambda, xd, delta, mu, .. } = places;
        let rows = xd - lambda;
        let end = mu + rows;
        let (mut first, mut second, mut coupling) = (Vec::new(), Vec::new(), Vec::new());
        for (place, (row, col)) in pattern.entries().enumerate() {
            let place = place as u32;
            let at = |row: usize, col: usize| (row as u32, col as u32, place);
            let velocity_row = (lambda..xd).contains(&row);
            if row < delta && col < delta && !velocity_row {
                first.push(at(row, col));
            }
            if (mu..end).contains(&row) && col < lambda {
                first.push(at(row - mu + lambda, col));
            }
            if (delta..end).contains(&row) && (delta..end).contains(&col) {
                second.push(at(row - delta, col - delta));
            }
            if velocity_row && col < lambda {
                coupling.push(at(row - lambda, col));
            }
        }
        for &row in &redundant {
            let (at, place) = ((lambda + row) as u32, pattern.position(mu + row, mu + row));
            first.push((at, at, place as u32));
        }
        SplitSolver {
            first: Part::new(delta, &first, patterns),
            second: Part::new(end - delta, &second, patterns),
            coupling_values: vec![0.0; coupling.len()],
            coupling,
            redundant,
            scales: Scales::default(),
            pattern: pattern.clone(),
            places,
        }
    }

    /// Constraint rows of each level.
    fn rows(&self) -> usize {
        self.places.xd - self.places.lambda
    }

    /// Length of the value array.
    pub(super) fn value_len(pattern: &Pattern) -> usize {
        pattern.value_len() + 1 + Scales::COUNT
    }
}

impl LinearSolver for SplitSolver {
    fn size(&self) -> usize {
        self.pattern.size()
    }

    fn factorize(&mut self, values: &[f64]) -> Result<(), LinearError> {
        let (entries, expected) = (self.pattern.value_len(), Self::value_len(&self.pattern));
        let short = LinearError::WrongLength { len: values.len(), expected };
        let Some(scales) = values.get(entries + 1..expected) else { return Err(short) };
        self.scales = Scales::read(scales).ok_or(short)?;
        let Places { lambda, delta, mu, .. } = self.places;
        let rows = self.rows();
        for (value, &(row, column, place)) in self.coupling_values.iter_mut().zip(&self.coupling) {
            *value = values[place as usize];
            if !value.is_finite() {
                let (row, column) = (lambda + row as usize, column as usize);
                return Err(LinearError::NotFinite { row, column, value: *value });
            }
        }
        let values = &values[..entries];
        self.first.factorize(values).map_err(|error| match error {
            // The position constraints stand in the rows of the velocity constraints.
            LinearError::NotFinite { row, column, value }
                if row >= lambda && row < lambda + rows =>
            {
                LinearError::NotFinite { row: row - lambda + mu, column, value }
            }
            error => error,
        })?;
        self.second.factorize(values).map_err(|error| match error {
            LinearError::Singular { column, condition } => {
                LinearError::Singular { column: delta + column, condition }
            }
            LinearError::NotFinite { row, column, value } => {
                LinearError::NotFinite { row: delta + row, column: delta + column, value }
            }
            error => error,
        })
    }

    fn solve(&mut self, b: &mut [f64]) {
        let Places { lambda: n, xd, delta, mu, .. } = self.places;
        let (scales, rows) = (self.scales, self.rows());
        let (first, second) = (&mut self.first, &mut self.second);
        first.x.copy_from_slice(&b[..delta]);
        for (x, b) in first.x[..n].iter_mut().zip(&b[delta..mu]) {
            *x += scales.mass * b;
        }
        first.x[n..xd].copy_from_slice(&b[mu..mu + rows]);
        for &i in &self.redundant {
            first.x[n + i] = b[n + i] - scales.mass * b[mu + i];
        }
        first.solve();

        let (motion, constraints) = second.x.split_at_mut(n);
        motion.copy_from_slice(&b[delta..mu]);
        for (x, b) in constraints.iter_mut().zip(&b[n..xd]) {
            *x = -b;
        }
        for (&(row, column, _), value) in self.coupling.iter().zip(&self.coupling_values) {
            constraints[row as usize] += value * first.x[column as usize];
        }
        constraints.iter_mut().for_each(|x| *x *= scales.velocity);
        for &i in &self.redundant {
            constraints[i] = b[mu + i];
        }
        second.solve();

        b[..delta].copy_from_slice(&first.x);
        b[delta..].copy_from_slice(&second.x);
        let (main, side) = b.split_at_mut(delta);
        for (x, delta) in main[..n].iter_mut().zip(&*side) {
            *x -= scales.position * delta;
        }
        for (x, mu) in main[n..xd].iter_mut().zip(&side[n..]) {
            *x += scales.mass * mu;
        }
    }

    fn solve_transpose(&mut self, b: &mut [f64]) {
        let Places { lambda: n, xd, delta, mu, .. } = self.places;
        let scales = self.scales;
        let (first, second) = (&mut self.first, &mut self.second);
        second.x.copy_from_slice(&b[delta..]);
        for (x, b) in second.x.iter_mut().zip(&b[..n]) {
            *x -= scales.position * b;
        }
        for (x, b) in second.x[n..].iter_mut().zip(&b[n..xd]) {
            *x += scales.mass * b;
        }
        second.solve_transpose();

        first.x.copy_from_slice(&b[..delta]);
        for (&(row, column, _), value) in self.coupling.iter().zip(&self.coupling_values) {
            first.x[column as usize] += scales.velocity * value * second.x[n + row as usize];
        }
        first.solve_transpose();

        b[..delta].copy_from_slice(&first.x);
        for (i, b) in b[delta..mu].iter_mut().enumerate() {
            *b = second.x[i] + scales.mass * first.x[i];
        }
        for i in n..xd {
            b[i] = -scales.velocity * second.x[i];
            b[delta + i] = first.x[i];
        }
        for i in self.redundant.iter().map(|i| n + i) {
            b[i] = first.x[i];
            b[delta + i] = second.x[i] - scales.mass * first.x[i];
        }
    }
}
