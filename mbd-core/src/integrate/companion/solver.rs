//! The linear algebra of a macro-step: coupled stages as one real system and complex ones of the
//! size of a single stage.

use super::super::radau5::Levels;
use super::sums::{Place, weighted};
use super::tableau::Tableau;
use crate::linear::{LinearError, LinearSolver, solver_of_few_digits};
use nalgebra::Complex;

/// Solves I ⊗ J₀ + hA ⊗ J₁ + h²A² ⊗ J₂ as E(h/μ), E(s) = J₀ + s J₁ + s² J₂, for the eigenvalues μ
/// of A⁻¹.
#[derive(Debug)]
pub(super) struct Stages {
    size: usize,
    real: Box<dyn LinearSolver>,
    pairs: Vec<Box<dyn LinearSolver<Complex<f64>>>>,
    values: Vec<f64>,
    complex: Vec<Complex<f64>>,
    w: Vec<f64>,
    z: Vec<Complex<f64>>,
    /// The right-hand side while the modes are summed.
    b: Vec<f64>,
}

impl Stages {
    pub(super) fn new(levels: &Levels, tableau: &Tableau) -> Self {
        let pattern = &levels.pattern;
        let size = pattern.size();
        Stages {
            size,
            real: solver_of_few_digits(pattern),
            pairs: tableau.pairs.iter().map(|_| solver_of_few_digits(pattern)).collect(),
            values: vec![0.0; pattern.value_len() + 1],
            complex: vec![Complex::default(); pattern.value_len() + 1],
            w: vec![0.0; size],
            z: vec![Complex::default(); size],
            b: vec![0.0; tableau.stages * size],
        }
    }

    /// E(h/γ) of the real eigenvalue γ alone.
    pub(super) fn factorize_real(
        &mut self,
        levels: &Levels,
        tableau: &Tableau,
        h: f64,
    ) -> Result<(), LinearError> {
        let s = h / tableau.real.mu;
        let powers = [1.0, s, s * s];
        self.values.fill(0.0);
        for (entry, value) in levels.entries.iter().zip(&levels.stacked) {
            self.values[entry.position] += powers[entry.level] * value;
        }
        let len = levels.pattern.value_len();
        self.real.factorize(&self.values[..len])
    }

    pub(super) fn factorize(
        &mut self,
        levels: &Levels,
        tableau: &Tableau,
        h: f64,
    ) -> Result<(), LinearError> {
        self.factorize_real(levels, tableau, h)?;
        let len = levels.pattern.value_len();
        for (solver, mode) in self.pairs.iter_mut().zip(&tableau.pairs) {
            let z = Complex::new(h, 0.0) / mode.mu;
            let powers = [Complex::new(1.0, 0.0), z, z * z];
            self.complex.fill(Complex::default());
            for (entry, value) in levels.entries.iter().zip(&levels.stacked) {
                self.complex[entry.position] += powers[entry.level] * *value;
            }
            solver.factorize(&self.complex[..len])?;
        }
        Ok(())
    }

    /// Solves for the stages in place.
    pub(super) fn solve(&mut self, tableau: &Tableau, b: &mut [f64]) {
        let n = self.size;
        self.b.copy_from_slice(b);
        let all = Place { first: 0, size: n };
        weighted(&tableau.real.left, &self.b, all, &mut self.w);
        self.real.solve(&mut self.w);
        for (k, right) in tableau.real.right.iter().enumerate() {
            for (b, w) in b[k * n..(k + 1) * n].iter_mut().zip(&self.w) {
                *b = right * w;
            }
        }
        for (solver, mode) in self.pairs.iter_mut().zip(&tableau.pairs) {
            weighted(&mode.left, &self.b, all, &mut self.z);
            solver.solve(&mut self.z);
            for (k, right) in mode.right.iter().enumerate() {
                for (b, z) in b[k * n..(k + 1) * n].iter_mut().zip(&self.z) {
                    *b += 2.0 * (right.re * z.re - right.im * z.im);
                }
            }
        }
    }

    /// Solves E(h/γ) y = b of the real eigenvalue γ in place.
    pub(super) fn solve_real(&mut self, b: &mut [f64]) {
        self.real.solve(b);
    }
}
