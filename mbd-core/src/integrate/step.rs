//! How step sizes come about.

use super::scheme::Accuracy;
use crate::error::OptionError;
use crate::scales::Weighting;

/// Tolerance of [`Step::default`].
pub const DEFAULT_TOLERANCE: f64 = 1e-5;

/// The part of a tolerance that one step's error may use up.
///
/// Local errors add up: a method of order 2 takes some ε^(−1/3) steps and ends with an error of
/// C ε^(2/3), where C grows with the length of the run. Calibrated on
/// Andrews' mechanism with `hht-i3`: with ε = tol the final relative error was up to 4·tol^(2/3);
/// with ε = tol/20 it stays below tol^(2/3) from 1e-4 to 1e-10, at 2.7 times the steps.
pub const SHARE: f64 = 0.05;

/// How step sizes come about: by error control, fixed, or prescribed one by one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Step {
    /// By error control.
    Adaptive {
        /// As given to [`Step::adaptive`] or [`Step::local_error`].
        tolerance: f64,
        /// The part of the tolerance that one step's estimated error may use up: ε is this times
        /// `tolerance`.
        share: f64,
        /// First step in s; from the data when `None`.
        first: Option<f64>,
        /// Smallest step in s; 1e-14 of the time span, or of the time itself if that is more, when `None`.
        min: Option<f64>,
        /// Largest step in s.
        max: Option<f64>,
        /// What errors are measured against.
        weighting: Weighting,
    },
    /// All equal; the last one is shorter when they do not divide the time span. One whose equations
    /// Newton's iteration does not solve is taken in parts, down to 1/1024 of it, from velocities
    /// moved back onto the constraints; `Stats::h_min` tells.
    Fixed {
        /// Step size in s.
        h: f64,
        /// Accuracy of Newton's iteration, as a tolerance; to round-off when `None`.
        newton: Option<f64>,
    },
    /// Prescribed; taken in parts like those of `Fixed` where it must be.
    Sequence {
        /// Step sizes in s.
        steps: Vec<f64>,
        /// Whether they are repeated to the end of the run, or the run ends with them.
        repeat: bool,
        /// As for `Fixed`.
        newton: Option<f64>,
    },
}

impl Default for Step {
    /// Adaptive with tolerance 1e-5.
    fn default() -> Self {
        Step::adaptive(DEFAULT_TOLERANCE)
    }
}

impl Step {
    /// Error control: each step's estimated error is held to [`SHARE`] of the tolerance (those of the result are usually
    /// larger, and [estimated](crate::solution::Solution::error_estimate)), relative to the model's [scales](crate::scales): root mean square over the
    /// coordinates (states).
    pub fn adaptive(tolerance: f64) -> Self {
        Step::Adaptive {
            tolerance,
            share: SHARE,
            first: None,
            min: None,
            max: None,
            weighting: Weighting::Model,
        }
    }

    /// Error control with a tolerance ε on the estimated local error of each step, as in the
    /// papers: root mean square over the coordinates (states), each relative to max(1, largest
    /// value so far); an angle's error is absolute ([`Weighting::Published`]).
    pub fn local_error(eps: f64) -> Self {
        Step::Adaptive {
            tolerance: eps,
            share: 1.0,
            first: None,
            min: None,
            max: None,
            weighting: Weighting::Published,
        }
    }

    /// The tolerance, of adaptive steps.
    pub fn tolerance(&self) -> Option<f64> {
        match self {
            Step::Adaptive { tolerance, .. } => Some(*tolerance),
            _ => None,
        }
    }

    /// Equal steps in s. Newton's iteration goes on to round-off unless
    /// [`newton_tolerance`](Self::newton_tolerance) says less.
    pub fn fixed(h: f64) -> Self {
        Step::Fixed { h, newton: None }
    }

    /// Prescribed steps in s; the run ends with the last one or at its end time.
    pub fn sequence(steps: impl Into<Vec<f64>>) -> Self {
        Step::Sequence { steps: steps.into(), repeat: false, newton: None }
    }

    /// Prescribed steps in s, repeated until the end time.
    pub fn cycle(steps: impl Into<Vec<f64>>) -> Self {
        Step::Sequence { steps: steps.into(), repeat: true, newton: None }
    }

    /// First step of an adaptive run in s; no effect on others.
    pub fn first(mut self, h: f64) -> Self {
        if let Step::Adaptive { first, .. } = &mut self {
            *first = Some(h);
        }
        self
    }

    /// The part of the tolerance that one step of an adaptive run may use up, above 0 and at most 1;
    /// no effect on others.
    pub fn share(mut self, part: f64) -> Self {
        if let Step::Adaptive { share, .. } = &mut self {
            *share = part;
        }
        self
    }

    /// Smallest step of an adaptive run in s; no effect on others.
    pub fn min(mut self, h: f64) -> Self {
        if let Step::Adaptive { min, .. } = &mut self {
            *min = Some(h);
        }
        self
    }

    /// Largest step of an adaptive run in s; no effect on others.
    pub fn max(mut self, h: f64) -> Self {
        if let Step::Adaptive { max, .. } = &mut self {
            *max = Some(h);
        }
        self
    }

    /// What errors of an adaptive run are measured against; no effect on others.
    pub fn weighted(mut self, by: Weighting) -> Self {
        if let Step::Adaptive { weighting, .. } = &mut self {
            *weighting = by;
        }
        self
    }

    /// Solves each prescribed step's equations as an adaptive run of this tolerance would, instead
    /// of to round-off; no effect on adaptive runs.
    pub fn newton_tolerance(mut self, tolerance: f64) -> Self {
        if let Step::Fixed { newton, .. } | Step::Sequence { newton, .. } = &mut self {
            *newton = Some(tolerance);
        }
        self
    }

    /// Whether error control chooses the steps.
    pub fn is_adaptive(&self) -> bool {
        matches!(self, Step::Adaptive { .. })
    }

    /// Checks every number.
    ///
    /// # Errors
    /// [`OptionError::OutOfRange`].
    pub fn check(&self) -> Result<(), OptionError> {
        const SIZE: &str = "a step size is positive [s]";
        const TOLERANCE: &str = "a tolerance is positive and below 1";
        let positive = |name, value: f64| {
            let ok = value > 0.0 && value.is_finite();
            if ok { Ok(()) } else { Err(OptionError::OutOfRange { name, value, range: SIZE }) }
        };
        let tolerance = |name, value: f64| {
            let ok = value > 0.0 && value < 1.0;
            if ok { Ok(()) } else { Err(OptionError::OutOfRange { name, value, range: TOLERANCE }) }
        };
        match self {
            Step::Adaptive { tolerance: eps, share, first, min, max, .. } => {
                tolerance("tol", *eps)?;
                if !(*share > 0.0 && *share <= 1.0) {
                    return Err(OptionError::OutOfRange {
                        name: "share",
                        value: *share,
                        range: "the part of the tolerance that a step may use up is above 0, at most 1",
                    });
                }
                for (name, h) in [("first step", first), ("h_min", min), ("h_max", max)] {
                    h.map_or(Ok(()), |h| positive(name, h))?;
                }
                let most = |name, h: &Option<f64>, range| match (h, max) {
                    (Some(h), Some(max)) if h > max => {
                        Err(OptionError::OutOfRange { name, value: *h, range })
                    }
                    _ => Ok(()),
                };
                most("h_min", min, "the smallest step is at most the largest")?;
                most("first step", first, "the first step is at most the largest")
            }
            Step::Fixed { h, newton } => {
                positive("step", *h)?;
                newton.map_or(Ok(()), |eps| tolerance("Newton's tolerance", eps))
            }
            Step::Sequence { steps, newton, .. } => {
                if steps.is_empty() {
                    return Err(OptionError::OutOfRange {
                        name: "number of steps",
                        value: 0.0,
                        range: "a sequence has at least one",
                    });
                }
                steps.iter().try_for_each(|&h| positive("step", h))?;
                newton.map_or(Ok(()), |eps| tolerance("Newton's tolerance", eps))
            }
        }
    }

    pub(super) fn weighting(&self) -> Weighting {
        match self {
            Step::Adaptive { weighting, .. } => *weighting,
            _ => Weighting::Model,
        }
    }

    pub(super) fn accuracy(&self) -> Accuracy {
        match self {
            Step::Adaptive { tolerance, share, .. } => Accuracy::Tolerance(tolerance * share),
            Step::Fixed { newton, .. } | Step::Sequence { newton, .. } => {
                newton.map_or(Accuracy::RoundOff, Accuracy::Tolerance)
            }
        }
    }

    pub(super) fn h_first(&self) -> Option<f64> {
        match self {
            Step::Adaptive { first, .. } => *first,
            _ => Some(self.next((0.0, 0), 0.0).0),
        }
    }

    pub(super) fn h_min(&self) -> Option<f64> {
        match self {
            Step::Adaptive { min, .. } => *min,
            _ => None,
        }
    }

    /// Keeps an adaptive step below its largest.
    pub(super) fn limit(&self, h: f64) -> f64 {
        match self {
            Step::Adaptive { max: Some(max), .. } => h.min(*max),
            _ => h,
        }
    }

    /// Size and end of the next prescribed step, `origin` being the time and number of steps since
    /// the start.
    pub(super) fn next(&self, (t0, count): (f64, usize), t: f64) -> (f64, f64) {
        match self {
            Step::Fixed { h, .. } => (*h, t0 + (count + 1) as f64 * h),
            Step::Sequence { steps, .. } => {
                let h = steps[count % steps.len()];
                (h, t + h)
            }
            Step::Adaptive { .. } => (0.0, t),
        }
    }

    /// Sum of a sequence that is not repeated.
    pub(crate) fn length(&self) -> Option<f64> {
        match self {
            Step::Sequence { steps, repeat: false, .. } => Some(steps.iter().sum()),
            _ => None,
        }
    }
}
