//! How a run ended, and what it took.

use crate::state::State;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Reached its end time.
    Finished,
    /// Ended by an event of the model before its end time ([`Solution::stopped`](super::Solution::stopped)).
    Stopped,
    /// Stopped on request; what was computed is there.
    Interrupted,
    /// Stopped by an error; what was computed is there.
    Failed,
}

impl Status {
    /// The word in JSON: `ok`, `stopped`, `interrupted`, `failed`.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Finished => "ok",
            Status::Stopped => "stopped",
            Status::Interrupted => "interrupted",
            Status::Failed => "failed",
        }
    }
}

/// Work counts and step sizes of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    /// Accepted steps.
    pub steps: usize,
    /// Steps rejected by the error test.
    pub rejected: usize,
    /// Newton iterations, rejected steps included.
    pub newton_iterations: usize,
    /// Newton matrices evaluated.
    pub jacobians: usize,
    /// Factorizations.
    pub factorizations: usize,
    /// Residual evaluations.
    pub residuals: usize,
    /// Attempts at a step whose Newton iteration failed.
    pub newton_failures: usize,
    /// Steps that [`radau5`](crate::integrate::Method) took in place of a method that cannot keep a motion
    /// on the surface along which it slides ([`EventKind::Stick`](super::EventKind::Stick)), as where friction sticks,
    /// and the first ones after friction in a plane has let go.
    pub substituted: usize,
    /// Assumptions tried of which surfaces and contacts hold the motion and which it leaves, where it comes to them or begins
    /// there: each is a solution of the equations of motion.
    pub assumptions: usize,
    /// Smallest accepted step in s.
    pub h_min: f64,
    /// Largest accepted step in s.
    pub h_max: f64,
    /// Wall time of the run, in s, start-up included.
    pub wall_s: f64,
}

impl Stats {
    /// Saves or restores the counts ([`checkpoint`](crate::checkpoint)); the wall time is the run's.
    pub(crate) fn state(&mut self, state: &mut State<'_>) {
        let Stats {
            steps,
            rejected,
            newton_iterations,
            jacobians,
            factorizations,
            residuals,
            newton_failures,
            substituted,
            assumptions,
            h_min,
            h_max,
            wall_s: _,
        } = self;
        state.part("work counts");
        for count in [
            steps,
            rejected,
            newton_iterations,
            jacobians,
            factorizations,
            residuals,
            newton_failures,
            substituted,
            assumptions,
        ] {
            state.count(count);
        }
        state.number(h_min);
        state.number(h_max);
    }
}

impl std::fmt::Display for Stats {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} steps ({} rejected, h {:.3e} to {:.3e} s), {} Newton iterations, {} matrices, \
             {} factorizations, {} residuals, {} Newton failures, {:.3} s",
            self.steps,
            self.rejected,
            self.h_min,
            self.h_max,
            self.newton_iterations,
            self.jacobians,
            self.factorizations,
            self.residuals,
            self.newton_failures,
            self.wall_s
        )
    }
}

/// One accepted step, for studies of step control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepRecord {
    /// End of the step in s.
    pub t: f64,
    /// Step size in s.
    pub h: f64,
    /// Newton iterations.
    pub iterations: usize,
    /// Estimated local error over tolerance, squared as in paper 002 (Θ); 0 for a fixed step.
    pub theta: f64,
}
