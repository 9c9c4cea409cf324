//! Step-size selection from the error estimate (paper 002, eq. 38b, 39b, 48d, 49d).

use crate::checkpoint::State;

/// What an error estimate says of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Θ: the squared ratio of the estimated local error to the tolerance, the largest of all
    /// kinds of unknowns; accepted when Θ ≤ 1 (eq. 48c, 49c).
    pub theta: f64,
    /// Step size that would give Θ = 1, relative to this step's.
    pub factor: f64,
    /// Unknown with the largest error, by its index in the method's vector of unknowns.
    pub worst: usize,
    /// Whether `factor` is the step size the method itself wants, by a policy of its own, and not
    /// to be changed.
    pub settled: bool,
}

impl Estimate {
    /// An exact step.
    pub const NONE: Estimate =
        Estimate { theta: 0.0, factor: f64::INFINITY, worst: 0, settled: false };

    /// The estimate from Θ when the error goes with h^order: h_opt/h = Θ^{-1/(2·order)}.
    pub fn of_order(theta: f64, order: u32, worst: usize) -> Self {
        let factor = theta.powf(-0.5 / f64::from(order));
        Estimate { theta, factor, worst, settled: false }
    }

    /// The estimate of a method that chooses its step size with its order.
    pub fn settled(theta: f64, factor: f64, worst: usize) -> Self {
        Estimate { theta, factor, worst, settled: true }
    }

    /// A step factor that remembers the accepted step before, with Θ `previous`: proportional and
    /// integral control (Hairer, Wanner: Solving Ordinary Differential Equations II, eq. IV.2.43c,
    /// with β = 0.04). A step that is going to be rejected forgets it.
    pub fn with_memory(self, previous: Option<f64>, order: u32) -> Self {
        const BETA: f64 = 0.04;
        match previous {
            Some(previous) if self.theta <= 1.0 => {
                let power = 1.0 / f64::from(order) - 0.75 * BETA;
                // A step much better than asked for says nothing of the next.
                let memory = previous.max(1e-8).powf(0.5 * BETA);
                Estimate { factor: self.theta.powf(-0.5 * power) * memory, ..self }
            }
            _ => self,
        }
    }

    /// A step factor that goes on with the trend since the accepted step before, `previous` its Θ
    /// and its size as a part of this one's, where the trend is downwards: predictive control
    /// (Gustafsson; Hairer, Wanner: Solving Ordinary Differential Equations II, eq. IV.8.25). A step
    /// that is going to be rejected forgets it.
    pub fn with_trend(self, previous: Option<(f64, f64)>, order: u32) -> Self {
        match previous {
            Some((previous, size)) if self.theta <= 1.0 => {
                // A step much better than asked for says nothing of the next.
                let growth = previous.max(1e-4) / self.theta;
                let trend = growth.powf(0.5 / f64::from(order)) / size;
                Estimate { factor: self.factor * trend.min(1.0), ..self }
            }
            _ => self,
        }
    }

    /// Both must hold: the larger Θ, the smaller step. NaN counts as the largest error.
    pub fn and(self, other: Estimate) -> Estimate {
        let worse = if self.theta.is_nan() || other.theta <= self.theta { self } else { other };
        let factor = if self.factor.is_nan() || other.factor >= self.factor {
            self.factor
        } else {
            other.factor
        };
        Estimate { factor, ..worse }
    }
}

/// Chooses step sizes.
#[derive(Clone, Debug)]
pub struct Controller {
    /// Factor on the step that would just meet the tolerance; 0.9 in paper 002.
    pub safety: f64,
    /// Largest growth from step to step.
    pub growth: f64,
    /// Smallest factor from step to step.
    pub shrink: f64,
    /// Factor after a Newton failure.
    pub after_failure: f64,
    /// True right after a rejected or failed attempt: the next step does not grow.
    hold: bool,
}

/// [`Controller::growth`] unless a method says otherwise.
pub const GROWTH: f64 = 2.0;

impl Default for Controller {
    fn default() -> Self {
        Controller { safety: 0.9, growth: GROWTH, shrink: 0.2, after_failure: 0.25, hold: false }
    }
}

impl Controller {
    /// Saves or restores what it carries.
    pub(super) fn state(&mut self, state: &mut State<'_>) {
        let Controller { safety: _, growth: _, shrink: _, after_failure: _, hold } = self;
        state.flag(hold);
    }

    /// The factor on the step size after an accepted step.
    pub fn accepted(&mut self, estimate: &Estimate) -> f64 {
        let most = if std::mem::take(&mut self.hold) { 1.0 } else { self.growth };
        self.limited(estimate, most)
    }

    /// The factor after a step whose error was too large.
    pub fn rejected(&mut self, estimate: &Estimate) -> f64 {
        self.hold = true;
        self.limited(estimate, self.safety)
    }

    /// The factor after a step whose equations could not be solved.
    pub fn failed(&mut self) -> f64 {
        self.hold = true;
        self.after_failure
    }

    fn limited(&self, estimate: &Estimate, most: f64) -> f64 {
        if estimate.settled {
            return estimate.factor;
        }
        let factor = self.safety * estimate.factor;
        if factor.is_nan() { self.shrink } else { factor.clamp(self.shrink, most) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_follow_the_estimate_within_their_limits() {
        let mut c = Controller::default();
        assert_eq!(c.accepted(&Estimate::of_order(1.0, 3, 0)), 0.9);
        assert!(
            (c.accepted(&Estimate::of_order(0.5, 3, 0)) - 0.9 * 2f64.powf(1.0 / 6.0)).abs() < 1e-15
        );
        assert_eq!(c.accepted(&Estimate::NONE), 2.0);
        assert!(c.rejected(&Estimate::of_order(1.2, 3, 0)) < 0.9);
        assert_eq!(c.accepted(&Estimate::NONE), 1.0, "no growth right after a rejection");
        assert_eq!(c.rejected(&Estimate::of_order(f64::NAN, 3, 0)), 0.2);
    }

    #[test]
    fn a_growing_error_is_met_before_it_is_too_large() {
        let now = Estimate::of_order(0.25, 5, 0);
        let growing = now.with_memory(Some(0.01), 5).factor;
        let steady = now.with_memory(Some(0.25), 5).factor;
        assert!(growing < steady, "{growing} {steady}");
        // At Θ = 1 before and now the step is kept.
        assert_eq!(Estimate::of_order(1.0, 5, 0).with_memory(Some(1.0), 5).factor, 1.0);
        let rejected = Estimate::of_order(4.0, 5, 0);
        assert_eq!(rejected.with_memory(Some(0.5), 5), rejected);
    }

    #[test]
    fn steps_that_shrink_go_on_shrinking() {
        // The error's coefficient doubles from step to step: Θ = (c h⁴)².
        let rejected = |trend: bool| {
            let (mut h, mut c, mut before) = (1.0f64, 0.5, None);
            let mut controller = Controller::default();
            let mut count = 0;
            for _ in 0..20 {
                let mut estimate = Estimate::of_order((c * h.powi(4)).powi(2), 4, 0);
                while estimate.theta > 1.0 {
                    count += 1;
                    h *= controller.rejected(&estimate);
                    estimate = Estimate::of_order((c * h.powi(4)).powi(2), 4, 0);
                }
                let previous = before.map(|(theta, size): (f64, f64)| (theta, size / h));
                before = Some((estimate.theta, h));
                if trend {
                    estimate = estimate.with_trend(previous, 4);
                }
                h *= controller.accepted(&estimate);
                c *= 2.0;
            }
            count
        };
        assert!(rejected(false) >= 15, "{}", rejected(false));
        assert!(rejected(true) <= 2, "{}", rejected(true));
        let growing = Estimate::of_order(0.25, 4, 0);
        assert_eq!(growing.with_trend(Some((0.5, 0.9)), 4), growing, "upwards it changes nothing");
        let too_large = Estimate::of_order(4.0, 4, 0);
        assert_eq!(too_large.with_trend(Some((0.5, 1.0)), 4), too_large);
    }

    #[test]
    fn the_stricter_estimate_rules() {
        let (small, large) = (Estimate::of_order(1e-4, 2, 1), Estimate::of_order(0.5, 3, 2));
        let both = small.and(large);
        assert_eq!((both.theta, both.worst), (0.5, 2));
        assert_eq!(both.factor, large.factor);
        let nan = Estimate::of_order(f64::NAN, 3, 7);
        assert_eq!(small.and(nan).worst, 7);
        assert!(small.and(nan).theta.is_nan() && nan.and(small).theta.is_nan());
    }
}
