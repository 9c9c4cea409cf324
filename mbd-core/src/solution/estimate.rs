//! The estimate of a run's global error, or why there is none.

use crate::digits::instant;
use crate::state::State;

/// The estimate of a run's global error, each number the largest over the run and relative to the
/// scales of its kind ([`Scales`](crate::scales::Scales)); `None` for what the model does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ErrorEstimate {
    /// Of coordinates and states.
    pub q: Option<f64>,
    /// Of velocities.
    pub v: Option<f64>,
    /// Of multipliers.
    pub lambda: Option<f64>,
    /// How much the motion has magnified the errors made: the largest error over the sum of those that
    /// the steps made themselves. About 1 where they add up, more where the motion carries them
    /// apart, less where they cancel or fade.
    pub growth: Option<f64>,
}

/// Why a run has no estimate of its global error.
#[derive(Clone, Copy, Debug, Default, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Unestimated {
    /// It was not asked for.
    #[default]
    #[error("it was not asked for")]
    NotAsked,
    /// Steps were prescribed.
    #[error("steps are prescribed; adaptive ones (`--tol`) have an estimate")]
    Prescribed,
    /// The run went on from another point, or with other constraint rows.
    #[error("the run began anew at t = {at} s, with other constraints or from another point", at = instant(.t))]
    Begun {
        /// Time in s.
        t: f64,
    },
    /// The error has become larger than the motion.
    #[error("from t = {at} s on the error is larger than the motion itself", at = instant(.t))]
    Lost {
        /// Time in s.
        t: f64,
    },
    /// The motion came onto a surface on which a force jumps, or left it, as friction that sticks; or a contact
    /// closed or opened.
    #[error(
        "from t = {at} s on friction or the like sticks, or a contact closes or opens; what that makes of errors is not \
         known", at = instant(.t))]
    Slides {
        /// Time in s.
        t: f64,
    },
    /// The instant of an event hung on a reaction, an acceleration or the like, or on plain Rust.
    #[error(
        "at t = {at} s an event happened that waits for a reaction or an acceleration, or for what plain Rust compares; how \
         its instant depends on the motion is not known", at = instant(.t))]
    Sensed {
        /// Time in s.
        t: f64,
    },
    /// The error has become as large as what the comparison of an event changes by, or as what is left of one that is not met.
    #[error(
        "the error is so large at t = {at} s that when or whether an event happens there cannot be told (a smaller \
         tolerance, or a smaller `--atol` of what it compares, resolves it)", at = instant(.t))]
    Unclear {
        /// Time in s.
        t: f64,
    },
    /// The solution that the run is compared with could not be continued.
    #[error("the solution that the run is compared with could not be continued past t = {at} s", at = instant(.t))]
    NotFollowed {
        /// Time in s.
        t: f64,
    },
    /// Following the motion takes more than the run itself, as that of vibrations which the method
    /// damps away: too little of it could be looked at.
    #[error(
        "to follow the motion would take more work than the run itself; only {:.0} % of it was compared (a \
         smaller tolerance resolves more of it)", 100.0 * .part
    )]
    Costly {
        /// Part of the time in which the run was compared.
        part: f64,
    },
}

impl Unestimated {
    /// Saves or restores it.
    pub(crate) fn state(&mut self, state: &mut State<'_>) {
        use Unestimated::{
            Begun, Costly, Lost, NotAsked, NotFollowed, Prescribed, Sensed, Slides, Unclear,
        };
        let (mut which, mut at) = match *self {
            NotAsked => (0, 0.0),
            Prescribed => (1, 0.0),
            Begun { t } => (2, t),
            Lost { t } => (3, t),
            NotFollowed { t } => (4, t),
            Costly { part } => (5, part),
            Slides { t } => (6, t),
            Sensed { t } => (7, t),
            Unclear { t } => (8, t),
        };
        state.count(&mut which);
        state.number(&mut at);
        let t = at;
        *self = match which {
            1 => Prescribed,
            2 => Begun { t },
            3 => Lost { t },
            4 => NotFollowed { t },
            5 => Costly { part: at },
            6 => Slides { t },
            7 => Sensed { t },
            8 => Unclear { t },
            _ => NotAsked,
        };
        state.require(which <= 8);
    }
}

impl ErrorEstimate {
    /// Of coordinates, states and velocities, whichever is larger: what
    /// [`certify`](crate::simulation::Simulation::certify) holds against the tolerance.
    pub fn motion(&self) -> f64 {
        self.q.unwrap_or(0.0).max(self.v.unwrap_or(0.0))
    }
}
