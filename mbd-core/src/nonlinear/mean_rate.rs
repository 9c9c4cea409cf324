//! The iteration of DASSL (Brenan, Campbell, Petzold, section 5.2.2), for methods whose counts are
//! to be those of codes built on it.

use super::equations::Equations;
use super::newton::{Matrix, Newton, ROUNDINGS, Unfinished};
use super::options::MatrixPolicy;
use super::outcome::{Converged, NewtonFailure};

/// Iterations with one matrix.
const MOST: usize = 4;
/// The iteration ends when what is left to go is this part of the tolerance.
const FRACTION: f64 = 0.33;
/// Corrections of the motion up to this part of the tolerance are none, where those of multipliers stay
/// as they are.
const SETTLED: f64 = 0.1 * FRACTION;
/// A mean rate above this is no convergence.
const SLOWEST: f64 = 0.9;
/// ρ/(1−ρ) before a rate has been measured: one iteration is enough only if it changes nothing.
const UNKNOWN: f64 = 100.0;

impl Newton {
    /// One attempt with the matrix at hand: until ρ/(1−ρ)‖Δu‖ ≤ 0.33, with the mean rate
    /// ρ = (‖Δu_m‖/‖Δu_0‖)^{1/m} of this solve or, at first, of an earlier one with the same
    /// coefficient and matrix. Corrections with a matrix of another coefficient c are multiplied by
    /// 2/(1 + c/c_matrix), so c should go with 1/h.
    pub(super) fn iterate_by_mean_rate<E: Equations + ?Sized>(
        &mut self,
        equations: &mut E,
        u: &mut [f64],
        coefficient: f64,
        noise: f64,
        mut matrix: Matrix,
    ) -> Result<Converged, Unfinished> {
        let every = self.options.policy == MatrixPolicy::EveryIteration;
        if coefficient != self.left.1 || matrix == Matrix::ThisIterate {
            self.left = (UNKNOWN, coefficient);
        }
        let mut first = 0.0;
        let mut rate = 0.0;
        for m in 0..MOST {
            if let Err(failure) = self.evaluate(equations, u, m + 1) {
                return Err(if matrix == Matrix::EarlierSolve && m > 0 {
                    Unfinished::Renew { astray: true }
                } else {
                    Unfinished::Failed(failure)
                });
            }
            if every && m > 0 {
                self.renew(equations, u, coefficient).map_err(Unfinished::Failed)?;
            }
            let relaxation = 2.0 / (1.0 + coefficient / self.coefficient);
            for (du, r) in self.du.iter_mut().zip(&self.r) {
                *du = -relaxation * r;
            }
            self.solver.solve(&mut self.du);
            self.stats.solves += 1;
            self.stats.iterations += 1;
            let [a, b] = equations.norms(&self.du);
            let norm = a.max(b);
            self.trace.push(if a.is_finite() && b.is_finite() { norm } else { f64::INFINITY });
            equations.correct(u, &self.du, 1.0);
            if matrix == Matrix::ThisIterate {
                matrix = Matrix::ThisSolve;
            }
            let converged = |rate| {
                let (stagnated, own_matrix) = (false, false);
                Ok(Converged { iterations: m + 1, rate, stagnated, own_matrix })
            };
            if norm <= noise {
                return converged(rate);
            }
            if m == 0 {
                first = norm;
            } else {
                rate = (norm / first).powf(1.0 / m as f64);
                let last = m + 1 == MOST || rate > SLOWEST;
                // At small steps one rounding of q is 1/h² times as much of λ.
                if last && self.explains(equations, u, [a, b], matrix != Matrix::EarlierSolve) {
                    return converged(rate);
                }
                // Near a singular position the constraints' own rounding, divided by how nearly their
                // gradients depend on each other, is in the multipliers, and in nothing else.
                let motion = equations.norm_of_motion(&self.du);
                let settled = motion.is_some_and(|norm| norm <= SETTLED);
                if last && matrix != Matrix::EarlierSolve && settled {
                    return converged(rate);
                }
                if rate.is_nan() || rate > SLOWEST {
                    break;
                }
                self.left.0 = rate / (1.0 - rate);
            }
            if self.left.0 * norm <= FRACTION {
                return converged(rate);
            }
        }
        if matrix == Matrix::EarlierSolve {
            return Err(Unfinished::Renew { astray: true });
        }
        let (worst, correction) = self.worst();
        let iterations = self.trace.len();
        Err(Unfinished::Failed(NewtonFailure::TooSlow { iterations, rate, worst, correction }))
    }

    /// Whether corrections at `u` are rounding, also by bounds if these may tell.
    fn explains<E: Equations + ?Sized>(
        &mut self,
        equations: &mut E,
        u: &[f64],
        norms: [f64; 2],
        by_bounds: bool,
    ) -> bool {
        let [a, b] = self.rounding(equations, u);
        norms[0].max(norms[1]) <= ROUNDINGS * a.max(b)
            || by_bounds && self.bounds_explain(equations, u, norms) == [true; 2]
    }
}
