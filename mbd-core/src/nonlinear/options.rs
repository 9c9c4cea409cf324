//! How to iterate.

/// When the Newton matrix is evaluated and factorized.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MatrixPolicy {
    /// At every iterate: quadratic convergence.
    EveryIteration,
    /// Once per solve, at the predicted unknowns; again only where the iteration is slow.
    EveryStep,
    /// Kept over solves while the iteration is fast.
    Recycle {
        /// Renewed when the method's coefficient (such as βh²) has changed by more than this
        /// factor, up or down.
        change: f64,
        /// Renewed after this many solves.
        age: usize,
        /// Renewed when a solve would take more than this many iterations.
        patience: usize,
    },
}

impl MatrixPolicy {
    /// Recycling as in production codes: coefficient within a factor 1.67 (IDA), at most 100
    /// solves, at most 5 iterations.
    pub const RECYCLE: MatrixPolicy = MatrixPolicy::Recycle { change: 1.67, age: 100, patience: 5 };

    /// The same with the coefficient within a factor 4: least work of `gen-alpha-soi2` and `hht-i3`
    /// over 23 examples (docs/book/src/history.md). Only what is stiff or fast notices the coefficient,
    /// and patience notices that.
    pub const RECYCLE_LONGER: MatrixPolicy =
        MatrixPolicy::Recycle { change: 4.0, age: 100, patience: 5 };
}

impl Default for MatrixPolicy {
    fn default() -> Self {
        MatrixPolicy::RECYCLE
    }
}

/// When the iteration has converged; the norms are those of [`Equations::norms`](super::Equations).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// Each ξ/(1−ξ)·‖Δu‖ ≤ fraction, with the measured rate ξ of that norm: what is left to go is
    /// below `fraction` of the tolerance (paper 002, eq. 48b and 49b). From the second iteration on.
    /// Corrections that no longer decrease are accepted as rounding below 100·fraction.
    Rate {
        /// The constant c, 10⁻³ in the paper.
        fraction: f64,
    },
    /// ‖Δu‖ ≤ 1, or ‖Δu‖ ≤ `noise` and no longer decreasing: the unknowns are as good as rounding
    /// allows. For norms in units of the smallest change that matters.
    RoundOff {
        /// Norm up to which a correction that no longer decreases is rounding.
        noise: f64,
    },
    /// DASSL's iteration: ρ/(1−ρ)·‖Δu‖ ≤ 0.33 with the mean rate ρ, at most four corrections with
    /// one matrix, for coefficients that go with 1/h.
    MeanRate {
        /// Norm up to which a correction is rounding.
        noise: f64,
    },
}

impl Stop {
    /// Paper 002's constant, c = 10⁻³.
    pub const RATE: Stop = Stop::Rate { fraction: 1e-3 };
    /// Down to rounding.
    pub const ROUND_OFF: Stop = Stop::RoundOff { noise: 1e3 };
}

/// When corrections are shortened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Damping {
    /// Never.
    Never,
    /// Where full corrections go back and forth, each taking back the one before: in an iteration of its own.
    #[default]
    AtLast,
    /// In every iteration, for far starting points; with [`MatrixPolicy::EveryIteration`] only.
    Always,
}

/// How to iterate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NewtonOptions {
    /// When the matrix is renewed.
    pub policy: MatrixPolicy,
    /// Iterations per attempt with one matrix policy decision; a restart with a fresh matrix begins
    /// to count anew.
    pub max_iterations: usize,
    /// Whether corrections are shortened until the next one would be smaller (Deuflhard's natural monotonicity
    /// test), with the matrix of every iterate.
    pub damping: Damping,
    /// Let the rate measured in an earlier solve with the same matrix stand in for ξ in the first
    /// iteration, so that one iteration may be enough: at least 0.01, as many times as much as the matrix
    /// is older by now, and more by what the coefficient has changed since. Paper 002 does not.
    pub trust_rate: bool,
    /// What stands in for ξ in the first iteration where no rate is known, so that a correction
    /// that is small in itself is enough; `None` demands a second iteration.
    pub assumed_rate: Option<f64>,
    /// A matrix is not kept for another solve when the last ratio of corrections with it was above
    /// this: the next solve would be slower still.
    pub slowest_kept: f64,
    /// When a matrix from an earlier solve turns out slow, go on with a fresh one from the iterate
    /// reached, if corrections have become smaller, rather than from the predicted unknowns.
    pub go_on: bool,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        NewtonOptions {
            policy: MatrixPolicy::RECYCLE,
            max_iterations: 12,
            damping: Damping::AtLast,
            trust_rate: false,
            assumed_rate: None,
            slowest_kept: f64::INFINITY,
            go_on: false,
        }
    }
}
