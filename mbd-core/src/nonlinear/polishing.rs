//! The constraints of a step met to round-off, with the matrix at hand.

use super::ending::{FIRMLY_STUCK, STUCK};
use super::equations::Equations;
use super::newton::{BOUNDS, FALLEN, Newton, ROUNDINGS, not_finite};
use super::outcome::NewtonFailure;

/// Iterations of [`Newton::polish`].
const MOST_POLISHING: usize = 12;
/// Corrections this many units of rounding large that no longer decrease are rounding.
const POLISHING_NOISE: f64 = 100.0;
/// The same with a fresh matrix.
const POLISHED: f64 = 1e6;
/// Iterations of a polish beyond which a fresh matrix is cheaper.
const POLISHING_PATIENCE: f64 = 8.0;

impl Newton {
    /// After a solve, meets the constraints to rounding whatever the tolerance of the rest:
    /// repeats J Δu = −r with the constraints' rows of r alone, which costs no more than the
    /// constraints and a solution with the factorization at hand; and no solution where the violation
    /// is so small that, going by earlier ones with the same matrix, its correction would be rounding.
    ///
    /// # Errors
    /// [`NewtonFailure`]; the matrix is then forgotten.
    pub fn polish<E: Equations + ?Sized>(
        &mut self,
        equations: &mut E,
        u: &mut [f64],
        coefficient: f64,
    ) -> Result<(), NewtonFailure> {
        let mut before: Option<[f64; 2]> = None;
        let mut first = f64::NAN;
        let (mut fresh, mut asked) = (false, false);
        let mut rate = 0.0;
        let mut k = 0;
        while k < MOST_POLISHING {
            k += 1;
            if !equations.constraints(u, &mut self.r) {
                return Ok(());
            }
            if let Some(equation) = not_finite(&self.r) {
                self.factorized = false;
                let value = self.r[equation];
                return Err(NewtonFailure::NotFinite { equation, value, iteration: k });
            }
            let violation = equations.violation();
            if violation * self.amplification <= 1.0 || violation <= self.floor.level() {
                self.floor.learn(None);
                return Ok(());
            }
            first = violation.max(first);
            for (du, r) in self.du.iter_mut().zip(&self.r) {
                *du = -r;
            }
            self.solver.solve(&mut self.du);
            self.stats.solves += 1;
            let norm = equations.rounding(&self.du);
            self.amplification = self.amplification.max(norm / violation);
            equations.correct(u, &self.du, 1.0);
            if norm <= 1.0 {
                return Ok(());
            }
            if let Some([before, violation_before]) = before {
                rate = norm / before;
                if rate < 1.0 && rate / (1.0 - rate) * norm <= 1.0 {
                    return Ok(());
                }
                // Rounding: of badly scaled rows, or amplified near a singular position or along a
                // chain.
                let noise = if fresh { POLISHED } else { POLISHING_NOISE };
                let stays = violation <= POLISHING_NOISE.min(FALLEN * first)
                    && violation > STUCK * violation_before;
                if rate > STUCK && (norm <= noise || violation <= 1.0 || stays) {
                    self.floor.learn((violation <= POLISHING_NOISE).then_some(violation));
                    return Ok(());
                }
                let explained = if rate > STUCK && !asked {
                    asked = true;
                    norm <= ROUNDINGS * self.rounding_of_constraints(equations, u)
                } else {
                    false
                };
                let last = fresh || k == MOST_POLISHING;
                if explained
                    || last
                        && rate > FIRMLY_STUCK
                        && self.bounds_explain_constraints(equations, u, norm)
                {
                    self.floor.learn(Some(violation));
                    return Ok(());
                }
                let left = [(norm, rate), (violation, violation / violation_before)].map(
                    |(size, rate)| if rate < 1.0 { size.ln() / -rate.ln() } else { f64::INFINITY },
                );
                let slow = !(k as f64 + left[0].min(left[1]) <= POLISHING_PATIENCE);
                if slow && !fresh {
                    self.renew(equations, u, coefficient)?;
                    (fresh, k) = (true, 0);
                }
            }
            before = Some([norm, violation]);
        }
        self.factorized = false;
        let (worst, correction) = self.worst();
        Err(NewtonFailure::TooSlow { iterations: MOST_POLISHING, rate, worst, correction })
    }

    /// What rounding makes of the constraints alone, in units of the rounding of coordinates and velocities.
    fn rounding_of_constraints<E: Equations + ?Sized>(
        &mut self,
        equations: &mut E,
        u: &[f64],
    ) -> f64 {
        equations.rounded_constraints(u, &mut self.rounded);
        self.change_of_constraints(equations, u)
    }

    /// Whether bounds of the constraints' rounding explain a correction that stays as it is.
    fn bounds_explain_constraints<E: Equations + ?Sized>(
        &mut self,
        equations: &mut E,
        u: &[f64],
        norm: f64,
    ) -> bool {
        equations.disturbed_constraints(u, &mut self.rounded)
            && norm <= BOUNDS * self.change_of_constraints(equations, u)
    }

    /// What the change of the constraints kept makes.
    fn change_of_constraints<E: Equations + ?Sized>(
        &mut self,
        equations: &mut E,
        u: &[f64],
    ) -> f64 {
        equations.constraints(u, &mut self.r);
        self.solve_rounded();
        equations.rounding(&self.rounded)
    }
}
