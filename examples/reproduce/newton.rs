//! The largest steps with which Newton's iteration never fails.

use crate::report::Failure;
use mbd::integrate::{Integrator, MatrixPolicy, Method, Step};
use mbd::simulation::Started;

/// The policies compared, by what they are called here.
pub const POLICIES: [(&str, MatrixPolicy); 2] =
    [("every iterate", MatrixPolicy::EveryIteration), ("every step", MatrixPolicy::EveryStep)];

/// The limits compared of the iterations in a step; the second is the iteration's own.
pub const LIMITS: [usize; 2] = [4, 12];

/// What the iteration may leave of a step, as the tolerance whose thousandth that is
/// ([`Step::newton_tolerance`]), for a tolerance `unknowns` on the unknowns themselves.
fn tolerance(unknowns: f64) -> f64 {
    1e3 * unknowns
}

/// Runs of equal steps with one tolerance on Newton's unknowns.
pub struct Search<'a> {
    /// What runs.
    pub started: &'a Started,
    /// By which method.
    pub method: Method,
    /// End in s.
    pub t_end: f64,
    /// Time in which the numbers of steps are counted, in s.
    pub whole: f64,
    /// Tolerance.
    pub tolerance: f64,
}

impl<'a> Search<'a> {
    /// The end of a run with so many steps in the whole time, with the most iterations in any of them, or nothing when
    /// the iteration fails anywhere.
    pub fn run(&self, steps: usize) -> Result<Option<(Integrator<'a>, usize)>, Failure> {
        let step = Step::fixed(self.whole / steps as f64);
        let step = step.newton_tolerance(tolerance(self.tolerance));
        let Started { system, point, .. } = self.started;
        let mut integrator = Integrator::new(system, &self.method, step, point)?;
        let mut most = 0;
        while integrator.point().t() < self.t_end {
            match integrator.step_once(self.t_end) {
                // A first failure counts, also where a second attempt with a fresh matrix succeeds.
                Ok(step) if integrator.stats().newton_failures == 0 => {
                    most = most.max(step.iterations);
                }
                _ => return Ok(None),
            }
        }
        Ok(Some((integrator, most)))
    }

    /// Per limit, the least number of steps of `counts` (falling) that keeps to it, all larger ones
    /// keeping to it too; `None` when the largest does not.
    pub fn least_steps(&self, counts: &[usize]) -> Result<[Option<usize>; 2], Failure> {
        let mut least = [None; 2];
        let mut open = [true; 2];
        for &count in counts {
            let most = self.run(count)?.map_or(usize::MAX, |(_, most)| most);
            for ((least, open), limit) in least.iter_mut().zip(&mut open).zip(LIMITS) {
                *open &= most <= limit;
                if *open {
                    *least = Some(count);
                }
            }
            if !open.contains(&true) {
                break;
            }
        }
        Ok(least)
    }
}
