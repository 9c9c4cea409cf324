//! Points of systems that differ by no more than what multipliers are given as, made consistent one after another.

use super::accelerations::{Accelerations, solve_accelerations};
use super::project::project_freely;
use crate::assembly::{Point, System};
use crate::nonlinear::MatrixPolicy;

/// Solves for the accelerations of points with the velocities of one, where multipliers of rows that are not in the
/// equations are [given](System::give_psi): the plan of the matrix and the order of its pivots are found once.
pub(crate) struct Alike {
    accelerations: Accelerations,
}

impl Alike {
    /// Of a system and of those like it, at the velocities of a point, which are moved onto the constraints. `None` where
    /// they have none to move to.
    pub(crate) fn new(system: &System, point: &mut Point) -> Option<Self> {
        let holds = matches!(project_freely(system, point), Ok(true));
        let policy = MatrixPolicy::EveryIteration;
        holds.then(|| Alike { accelerations: Accelerations::new(system, policy) })
    }

    /// Solves from the values of a point as guesses; whether it succeeded.
    pub(crate) fn solve(&mut self, system: &System, point: &mut Point) -> bool {
        let guesses = point.clone();
        if self.accelerations.solve(system, point).is_ok() {
            return true;
        }
        self.accelerations.forget();
        point.copy_from(&guesses);
        solve_accelerations(system, point).is_ok()
    }
}
